/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene multispectral: curves as the CIE tabulates them, targets of no
 * other colour and of another spectrum, and truth that is what is seen. */
#include <math.h>

#include "check.h"
#include "frames.h"
#include "scene/multispectral_core.h"
#include "seconds.h"

/* ---- A frame of the scene, with its truth ---- */

typedef struct {
  Multispectral *scene;
  Image img;
  int width, height; /* of a channel */
  SceneObject objects[MULTISPECTRAL_MAX_OBJECTS];
  uint16_t *labels;
} View;

/* Without channels: RGB; with one, a mosaic. */
static View
view_new (int w, int h, int channels, ImageFormat grey)
{
  View v = {.width = w, .height = h};

  v.img.width = w;
  v.img.height = channels ? h * channels : h;
  v.img.format = channels ? grey : IMAGE_RGB;
  v.img.stride[0] = image_row_bytes (v.img.format, w, 0);
  v.img.plane[0] = malloc ((size_t) v.img.stride[0] * v.img.height);
  v.labels = malloc ((size_t) w * h * sizeof *v.labels);
  ok (multispectral_new (&v.scene, w, h));
  return v;
}

static void
view_free (View *v)
{
  multispectral_free (v->scene);
  free (v->img.plane[0]);
  free (v->labels);
}

AUTO_FREE (View, view_free)

static void
view_show (View *v, const MultispectralParams *p, uint64_t number)
{
  ok (multispectral_render (
      v->scene, p, number, &v->img, v->objects, v->labels));
}

/* The number at a place of a grey frame. */
static int
value_at (const View *v, int x, int y)
{
  const uint8_t *p = v->img.plane[0] + (size_t) y * v->img.stride[0];

  if (v->img.format == IMAGE_GRAY8)
    return p[x];
  return p[2 * x] | p[2 * x + 1] << 8;
}

/* The same of channel @c of a stacked frame. */
static int
channel_at (const View *v, int x, int y, int c)
{
  return value_at (v, x, y + c * v->height);
}

static bool
same_picture (const View *a, const View *b)
{
  return !memcmp (a->img.plane[0], b->img.plane[0],
      (size_t) a->img.stride[0] * a->img.height);
}

static bool
same_labels (const View *a, const View *b)
{
  return !memcmp (a->labels, b->labels, (size_t) 2 * a->width * a->height);
}

/* ---- Curves, bands and metameric blacks ---- */

/* Some rows of the table of the CIE 1931 2-degree observer; the fit is off by
 * 0.04 at most (JCGT 2 (2), figure 3).  Each curve's integral is 106.9 nm. */
static void
curves (DeviceKind kind)
{
  static const double table[][4] = {{420, .13438, .0040, .6456},
      {450, .3362, .0380, 1.77211}, {480, .09564, .13902, .81295},
      {500, .0049, .3230, .2720}, {520, .06327, .7100, .07825},
      {555, .51205, 1.0000, .00575}, {580, .9163, .8700, .00165},
      {600, 1.0622, .6310, .0008}, {620, .85445, .3810, .00019},
      {650, .2835, .1070, 0}, {700, .01136, .0041, 0}};

  for (int k = 0; k < 3; k++) {
    double integral = 0;

    for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
      integral += 5 * multispectral_curve (k, multispectral_step (i));
    check_near (integral, 106.9, 1.5);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
      check_near (multispectral_curve (k, table[i][0]), table[i][k + 1], .04);
    for (int nm = 800; nm <= 1000; nm++)
      check (fabs (multispectral_curve (k, nm)) < 1e-4);
  }
}

static void
white (DeviceKind kind)
{
  Spectrum s;
  double rgb[3];

  for (int half = 1; half <= 2; half++) {
    for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
      s.at[i] = half / 2.;
    multispectral_rgb (&s, rgb);
    for (int c = 0; c < 3; c++)
      check_near (rgb[c], half / 2., 1e-3);
  }
  for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++) /* a deep red */
    s.at[i] = multispectral_step (i) > 620;
  multispectral_rgb (&s, rgb);
  check (rgb[0] > .3 && rgb[1] < .05 && rgb[2] < .05);
  for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++) /* what no eye sees */
    s.at[i] = multispectral_step (i) > 800;
  multispectral_rgb (&s, rgb);
  check (fabs (rgb[0]) + fabs (rgb[1]) + fabs (rgb[2]) < 1e-6);
}

/* A spectrum that rises evenly has, on the mean over a band, its value in the
 * middle, which is at the stated wavelength; and one that is 1 in a step alone
 * is spread over the bands that share the step. */
static void
bands (DeviceKind kind)
{
  Spectrum ramp, spike = {{0}};

  for (int i = 0; i < MULTISPECTRAL_SAMPLES; i++)
    ramp.at[i] = (multispectral_step (i) - 400) / 600;
  spike.at[rnd (MULTISPECTRAL_SAMPLES)] = 1;
  for (int n = 2; n <= MULTISPECTRAL_MAX_CHANNELS; n++) {
    double mean[MULTISPECTRAL_MAX_CHANNELS], all = 0;

    multispectral_bands (&ramp, n, mean);
    for (int c = 0; c < n; c++) {
      check_near (mean[c], (c + .5) / n, 120 % n ? .001 : 1e-12);
      check_near (
          multispectral_wavelength (n, c), 400 + 600 * (c + .5) / n, 1e-9);
    }
    multispectral_bands (&spike, n, mean);
    for (int c = 0; c < n; c++)
      all += mean[c] * MULTISPECTRAL_SAMPLES / n;
    check_near (all, 1, 1e-12);
  }
  check (multispectral_channels (11, 0) == 11);
  check (multispectral_channels (11, 3) == 9);
}

/* Blacks have nothing in the curves, and 1 where they are farthest from 0; as
 * much of them as there is room for brings a reflectance to 0 or 1 and none
 * beyond. */
static void
blacks (DeviceKind kind)
{
  Spectrum black[24], some[24];

  for (int f = 0; f < 10; f++) {
    uint64_t seed = rnd (1000);

    multispectral_blacks (seed, 24, black);
    multispectral_blacks (seed, 5, some);
    check (!memcmp (black, some, 5 * sizeof *some));
    for (int i = 0; i < 24; i++) {
      double sum[4] = {0}, most = 0;

      for (int s = 0; s < MULTISPECTRAL_SAMPLES; s++) {
        for (int k = 0; k < 3; k++)
          sum[k] +=
              black[i].at[s] * multispectral_curve (k, multispectral_step (s));
        sum[3] += black[i].at[s];
        most = fmax (most, fabs (black[i].at[s]));
      }
      for (int k = 0; k < 4; k++)
        check_near (sum[k], 0, 1e-12);
      check_near (most, 1, 1e-12);
      for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++) {
        Spectrum base = multispectral_material (m);
        double room = multispectral_headroom (&base, &black[i]);
        double low = 1, high = 0;

        for (int s = 0; s < MULTISPECTRAL_SAMPLES; s++) {
          double r = base.at[s] + room * black[i].at[s];

          low = fmin (low, r), high = fmax (high, r);
        }
        check (low > -1e-12 && high < 1 + 1e-12);
        check (low < 1e-12 || high > 1 - 1e-12);
      }
    }
  }
}

/* Root mean square over @n bands of what @a and @b do to material @m. */
static double
distance (const Spectrum *a, const Spectrum *b, int m, int n)
{
  double p[MULTISPECTRAL_MAX_CHANNELS], q[MULTISPECTRAL_MAX_CHANNELS];
  Spectrum base = multispectral_material (m);
  double room_a = multispectral_headroom (&base, a), sum = 0;
  double room_b = b ? multispectral_headroom (&base, b) : 0;

  multispectral_bands (a, n, p);
  multispectral_bands (b ? b : a, n, q);
  for (int c = 0; c < n; c++)
    sum += pow (p[c] * room_a - q[c] * room_b, 2) / n;
  return sqrt (sum);
}

/* In four channels or more, eight targets are far from the ground and from each
 * other. */
static void
differences (DeviceKind kind)
{
  static const int channels[] = {4, 9, 11, 16};
  double ground[4] = {1, 1, 1, 1}, others[4] = {1, 1, 1, 1};
  Spectrum black[8];

  for (int f = 0; f < 40; f++) {
    multispectral_blacks (rnd (1u << 31), 8, black);
    for (int k = 0; k < 4; k++)
      for (int m = 0; m < MULTISPECTRAL_MATERIALS; m++)
        for (int i = 0; i < 8; i++) {
          ground[k] =
              fmin (ground[k], distance (&black[i], NULL, m, channels[k]));
          for (int j = 0; j < i; j++)
            others[k] = fmin (
                others[k], distance (&black[i], &black[j], m, channels[k]));
        }
  }
  for (int k = 0; k < 4; k++) {
    printf ("%d channels: from the ground %.3f, from each other %.3f\n",
        channels[k], ground[k], others[k]);
    check (ground[k] > (k ? .06 : .04));
    check (others[k] > (k ? .05 : .03));
  }
}

/* ---- What can be seen of targets, and whether the truth says so ---- */

/* An eye sees the same with targets as where their blacks are left out: in a
 * million pixels, no grey level differs. */
static void
hidden (DeviceKind kind)
{
  AUTO (View) with = view_new (320, 240, 0, 0),
              without = view_new (320, 240, 0, 0);
  uint64_t area = 0;

  for (int f = 0; f < 14; f++) {
    MultispectralParams p = multispectral_defaults ();
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.noise = f % 3, p.texture = f % 5 / 4.;
    view_show (&with, &p, number);
    p.contrast = 0;
    view_show (&without, &p, number);
    check (same_picture (&with, &without));
    check (same_labels (&with, &without));
    for (int i = 0; i < p.n_objects; i++)
      area += with.objects[i].area;
  }
  check (area > 14 * 320 * 240 / 30);
}

/* Channels show targets, and nothing but them: far from what was there without
 * them in the mean over all channels' squares, but as bright. */
static void
shown (DeviceKind kind)
{
  static const int channels[] = {4, 11, 16};

  for (int f = 0; f < 6; f++) {
    int n = channels[f % 3], pixels = 0, near = 0;
    AUTO (View) a = view_new (320, 240, n, IMAGE_GRAY16);
    AUTO (View) b = view_new (320, 240, n, IMAGE_GRAY16);
    MultispectralParams p = multispectral_defaults ();
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.noise = 0, p.distractors = 0, p.channels = n;
    view_show (&a, &p, number);
    p.contrast = 0;
    view_show (&b, &p, number);
    for (int i = 0; i < 320 * 240; i++) {
      double sum = 0, squares = 0;

      for (int c = 0; c < n; c++) {
        double d = channel_at (&a, i % 320, i / 320, c) -
            channel_at (&b, i % 320, i / 320, c);

        sum += d, squares += d * d / n;
      }
      check (fabs (sum) <= n);
      check ((squares > 0) == (a.labels[i] > 0));
      pixels += a.labels[i] > 0;
      near += a.labels[i] && sqrt (squares) < 65535 * .035;
    }
    check (pixels > 1500 && near == 0);
  }
}

/* Every second patch is of no other colour, the others are; none has a label,
 * and half of the contrast is what the former have. */
static void
look_alikes (DeviceKind kind)
{
  AUTO (View) eye = view_new (320, 240, 0, 0),
              plain = view_new (320, 240, 0, 0);
  AUTO (View) a = view_new (320, 240, 11, IMAGE_GRAY8);
  AUTO (View) b = view_new (320, 240, 11, IMAGE_GRAY8);
  MultispectralParams p = multispectral_defaults ();
  int paint = 0, black = 0;

  p.noise = 0, p.seed = rnd (1000), p.occlusion = false;
  for (int f = 0; f < 6; f++) {
    uint64_t number = rnd (1u << 31);

    p.distractors = 20;
    view_show (&eye, &p, number);
    view_show (&a, &p, number);
    p.distractors = 0;
    view_show (&plain, &p, number);
    view_show (&b, &p, number);
    check (same_labels (&eye, &plain) && same_labels (&a, &b));
    for (int i = 0; i < 320 * 240; i++) {
      bool other = false,
           colour =
               memcmp (eye.img.plane[0] + 3 * i, plain.img.plane[0] + 3 * i, 3);

      for (int c = 0; c < 11; c++)
        other |= channel_at (&a, i % 320, i / 320, c) !=
            channel_at (&b, i % 320, i / 320, c);
      check (!other || !a.labels[i]);
      check (other || !colour);
      paint += colour, black += other && !colour;
    }
  }
  check (paint > 500 && black > 500);
}

/* Something is in front, or the frame ends. */
static bool
is_cut (const SceneObject *o)
{
  return o->area < o->full_area || o->box.x0 == 0 || o->box.x1 == 320 ||
      o->box.y0 == 0 || o->box.y1 == 240;
}

/* What is said about objects is what the map shows, and they go where it
 * says. */
static void
objects (DeviceKind kind)
{
  AUTO (View) now = view_new (320, 240, 0, 0), next = view_new (320, 240, 0, 0);

  for (int f = 0; f < 10; f++) {
    MultispectralParams p = multispectral_defaults ();
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.n_objects = 1 + rnd (20), p.speed = f ? 1 : 0;
    view_show (&now, &p, number);
    view_show (&next, &p, number + 1);
    check (!f == same_labels (&now, &next));
    for (int i = 0; i < p.n_objects; i++) {
      const SceneObject *o = &now.objects[i];
      uint64_t area = 0;
      double x = 0, y = 0;
      char label[24];

      for (int at = 0; at < 320 * 240; at++)
        if (now.labels[at] == i + 1)
          area++, x += at % 320, y += at / 320;
      snprintf (label, sizeof label, "target %d", i + 1);
      check (o->id == i && !strcmp (o->label, label));
      check (o->area == area && o->full_area >= area);
      if (!area) {
        check (isnan (o->cx));
        continue;
      }
      check_near (o->cx, x / area, 1e-9);
      check_near (o->cy, y / area, 1e-9);
      if (is_cut (&next.objects[i]) || is_cut (o))
        continue;
      /* an upright square moves by whole pixels */
      check_near (next.objects[i].cx - o->cx, o->vx, 1);
      check_near (next.objects[i].cy - o->cy, o->vy, 1);
    }
  }
}

/* Without occlusion everything is wholly visible; with it, some are not. */
static void
apart (DeviceKind kind)
{
  AUTO (View) v = view_new (320, 240, 0, 0);
  int hidden_ones = 0;

  for (int f = 0; f < 60; f++) {
    MultispectralParams p = multispectral_defaults ();

    p.seed = rnd (1000), p.occlusion = f % 2;
    view_show (&v, &p, rnd (1u << 31));
    for (int i = 0; i < p.n_objects; i++) {
      hidden_ones += v.objects[i].area < v.objects[i].full_area;
      check (p.occlusion || v.objects[i].area == v.objects[i].full_area);
    }
  }
  check (hidden_ones > 20);
}

/* ---- Noise, depths of grey, mosaics and light ---- */

/* Normally distributed, apart in each channel, pixel and frame. */
static void
noise (DeviceKind kind)
{
  AUTO (View) clean = view_new (320, 240, 4, IMAGE_GRAY16);
  AUTO (View) noisy = view_new (320, 240, 4, IMAGE_GRAY16);

  for (int f = 0; f < 4; f++) {
    MultispectralParams p = multispectral_defaults ();
    double n = 0, sum = 0, squares = 0, fourth = 0, pixels = 0, channels = 0;
    double last = 0;

    p.seed = rnd (1000), p.channels = 4, p.noise = 0, p.drift = 0;
    view_show (&clean, &p, f);
    p.noise = f ? 3 : 7;
    view_show (&noisy, &p, f);
    for (int y = 0; y < 240; y++)
      for (int x = 0; x < 320; x++) {
        double before = 0;

        for (int c = 0; c < 4; c++) {
          int v = channel_at (&clean, x, y, c);
          double e = (channel_at (&noisy, x, y, c) - v) / 257.;

          if (v < 65535 * 5 * 7 / 255 || v > 65535 - 65535 * 5 * 7 / 255) {
            before = last = 0;
            continue;
          }
          n++, sum += e, squares += e * e, fourth += e * e * e * e;
          channels += e * before, before = e;
          pixels += c ? 0 : e * last, last = c ? last : e;
        }
      }
    check (n > 100000);
    check_near (sum / n, 0, .015 * p.noise);
    check_near (sqrt (squares / n), p.noise, .02 * p.noise);
    check_near (fourth * n / (squares * squares), 3, .1);
    check_near (channels / squares, 0, .02);
    check_near (pixels / squares, 0, .02);
  }
}

/* Both depths of grey are of one light, and all reflected light is in them. */
static void
depth (DeviceKind kind)
{
  AUTO (View) a = view_new (160, 120, 11, IMAGE_GRAY8);
  AUTO (View) b = view_new (160, 120, 11, IMAGE_GRAY16);
  MultispectralParams p = multispectral_defaults ();
  int most = 0;

  for (int f = 0; f < 4; f++) {
    p.seed = rnd (1000), p.noise = 2 * f;
    view_show (&a, &p, 9);
    view_show (&b, &p, 9);
    for (int y = 0; y < 11 * 120; y++)
      for (int x = 0; x < 160; x++) {
        check_near (value_at (&b, x, y) / 257., value_at (&a, x, y), .51);
        most = value_at (&a, x, y) > most ? value_at (&a, x, y) : most;
      }
  }
  check (most > 230);
}

/* A mosaic is the stacked frame of as many channels, of which each pixel keeps
 * one; noise and truth alike. */
static void
mosaics (DeviceKind kind)
{
  static const ImageFormat grey[] = {IMAGE_GRAY8, IMAGE_GRAY16};

  for (int side = 2; side <= 4; side++)
    for (int k = 0; k < 2; k++) {
      int n = side * side, w = 30 * side, h = 21 * side;
      AUTO (View) stacked = view_new (w, h, n, grey[k]);
      AUTO (View) raw = view_new (w, h, 1, grey[k]);
      MultispectralParams p = multispectral_defaults ();

      p.seed = rnd (1000), p.channels = n;
      view_show (&stacked, &p, 77);
      p.channels = 11, p.mosaic = side;
      view_show (&raw, &p, 77);
      check (same_labels (&stacked, &raw));
      for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
          check (value_at (&raw, x, y) ==
              channel_at (&stacked, x, y, side * (y % side) + x % side));
    }
}

/* The light goes down by the part that is said, and up again, the same in all
 * channels. */
static void
drift (DeviceKind kind)
{
  AUTO (View) still = view_new (64, 48, 2, IMAGE_GRAY16);
  AUTO (View) v = view_new (64, 48, 2, IMAGE_GRAY16);
  MultispectralParams p = multispectral_defaults ();
  double least = 2, most = 0;

  p.seed = rnd (1000), p.noise = 0, p.channels = 2, p.speed = 0;
  p.distractors = 0;
  for (int f = 0; f < 300; f += 5) {
    double gain = 0;

    p.drift = 0;
    view_show (&still, &p, f);
    p.drift = .3;
    view_show (&v, &p, f);
    for (int y = 0; y < 96; y++)
      for (int x = 0; x < 64; x++) {
        double g = (double) value_at (&v, x, y) / value_at (&still, x, y);

        gain = x + y ? gain : g;
        check_near (g, gain, .001);
      }
    least = fmin (least, gain), most = fmax (most, gain);
  }
  check_near (least, .7, .003);
  check_near (most, 1, .003);
}

/* ---- Purity, all layouts, odd sizes, padded rows and bad parameters ---- */

/* A picture follows from params and number alone. */
static void
repeats (DeviceKind kind)
{
  for (int i = 0; i < 8; i++) {
    AUTO (View) a = view_new (161, 99, i % 2 ? 5 : 0, IMAGE_GRAY8);
    AUTO (View) b = view_new (161, 99, i % 2 ? 5 : 0, IMAGE_GRAY8);
    uint64_t number = i == 7 ? UINT64_MAX - 5 : rnd (1u << 31);
    MultispectralParams p = multispectral_defaults (), other;

    p.seed = rnd (1000), p.channels = 5;
    other = p, other.seed += 1, other.n_objects = 30;
    view_show (&a, &p, number);
    view_show (&b, &other, number);
    check (!same_picture (&a, &b) && !same_labels (&a, &b));
    view_show (&b, &p, number + 1);
    check (!same_picture (&a, &b) && !same_labels (&a, &b));
    view_show (&b, &p, number);
    check (same_picture (&a, &b) && same_labels (&a, &b));
    ok (multispectral_render (b.scene, &p, number, &b.img, NULL, NULL));
    check (same_picture (&a, &b));
  }
}

/* Colour is stored as the picture is, and nothing is touched around frames. */
static void
formats (DeviceKind kind)
{
  MultispectralParams p = multispectral_defaults ();
  AUTO (View) v = view_new (60, 36, 0, 0);

  view_show (&v, &p, 3);
  for (int f = 0; f < N_FORMATS; f++) {
    bool grey = all_formats[f] <= IMAGE_GRAY16;

    for (int mosaic = 0; mosaic <= (grey ? 4 : 0); mosaic += 4) {
      int h = grey && !mosaic ? 36 * p.channels : 36;
      AUTO (Frame) frame = frame_new (all_formats[f], 60, h, (int) rnd (30), 1);
      AUTO (Frame) same = frame_new (all_formats[f], 60, h, 0, 1);

      p.mosaic = mosaic;
      ok (multispectral_render (
          v.scene, &p, 3, &frame.image, v.objects, v.labels));
      check (frame_is_unharmed (&frame));
      for (int y = 0; y < (grey ? 0 : h); y += 2)
        scene_put_rows (&same.image, v.img.plane[0], y);
      check (grey || images_are_alike (&frame.image, &same.image));
    }
  }
}

static void
sizes (DeviceKind kind)
{
  static const int odd[][2] = {{1, 1}, {1, 2}, {2, 1}, {3, 5}, {33, 17},
      {1, 480}, {640, 1}, {4096, 2}, {2, 4096}};

  for (int i = 0; i < 9; i++)
    for (int n = 0; n <= 16; n += 8) {
      MultispectralParams p = multispectral_defaults ();
      AUTO (View) v = view_new (odd[i][0], odd[i][1], n, IMAGE_GRAY16);

      p.seed = rnd (1000), p.channels = n ? n : 2, p.occlusion = n;
      view_show (&v, &p, rnd (1000));
    }
}

/* A render that must be refused, and leave the frame alone. */
static void
refuse (const View *v, const MultispectralParams *p, const Image *img)
{
  const char *err = multispectral_render (v->scene, p, 1, img, NULL, v->labels);

  check (err && strlen (err) > 10);
  for (int i = 0; i < 20 * 10 * 11; i++)
    check (v->img.plane[0][i] == GUARD_BYTE);
}

static void
hostile (DeviceKind kind)
{
  static const size_t fields[] = {offsetof (MultispectralParams, speed),
      offsetof (MultispectralParams, contrast),
      offsetof (MultispectralParams, noise),
      offsetof (MultispectralParams, drift),
      offsetof (MultispectralParams, texture)};
  static const size_t counts[] = {offsetof (MultispectralParams, n_objects),
      offsetof (MultispectralParams, distractors),
      offsetof (MultispectralParams, channels),
      offsetof (MultispectralParams, mosaic)};
  static const double bad[] = {NAN, INFINITY, -INFINITY, -.001, 65};
  static const int wrong[] = {-1, 4097, INT32_MAX, INT32_MIN, 1025};
  MultispectralParams good = multispectral_defaults (), p;
  AUTO (View) v = view_new (20, 10, 11, IMAGE_GRAY8);
  Image img = v.img;
  Multispectral *none;

  memset (img.plane[0], GUARD_BYTE, 20 * 10 * 11);
  for (int i = 0; i < 5; i++) {
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
      p = good;
      memcpy ((char *) &p + fields[k], &bad[i], sizeof bad[i]);
      refuse (&v, &p, &img);
    }
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      p = good;
      memcpy ((char *) &p + counts[k], &wrong[i], sizeof wrong[i]);
      refuse (&v, &p, &img);
    }
    if (i < 4)
      check (multispectral_new (&none, wrong[i], 5) && !none &&
          multispectral_new (&none, 5, wrong[i]) && !none);
  }
  p = good, p.n_objects = 0;
  refuse (&v, &p, &img);
  for (p = good, p.channels = 1; p.channels <= 17; p.channels += 16)
    refuse (&v, &p, &img);
  for (p = good, img.height = 10, p.mosaic = 3; p.mosaic <= 5; p.mosaic++)
    refuse (&v, &p, &img); /* 20 x 10 are multiples of neither 3, 4 nor 5 */
  img.height = 109;
  refuse (&v, &good, &img);
  img.height = 110, img.width = 19;
  refuse (&v, &good, &img);
  img = v.img, img.format = IMAGE_RGB;
  refuse (&v, &good, &img);
  multispectral_free (NULL);
}

static void
extremes (DeviceKind kind)
{
  AUTO (View) v = view_new (96, 36, 16, IMAGE_GRAY8);
  AUTO (View) raw = view_new (96, 36, 1, IMAGE_GRAY8);

  for (int i = 0; i < 24; i++) {
    MultispectralParams p = {.seed = UINT64_MAX - i,
        .n_objects = i % 8 ? i : MULTISPECTRAL_MAX_OBJECTS,
        .speed = i % 3 ? 8 : 5e-324,
        .contrast = i % 2,
        .noise = i & 4 ? 64 : 0,
        .drift = .5,
        .texture = i / 2 % 2,
        .distractors = i % 5 ? 0 : MULTISPECTRAL_MAX_PATCHES,
        .occlusion = i & 1,
        .channels = 16};

    view_show (&v, &p, UINT64_MAX - i);
    p.mosaic = 2 + i % 3;
    view_show (&raw, &p, UINT64_MAX - i);
    check (same_labels (&v, &raw));
  }
}

/* ---- How long a frame takes ---- */

static int
bench (int argc, char **argv)
{
  static const int channels[] = {0, 4, 11, 16};
  MultispectralParams p = multispectral_defaults ();

  for (int k = 0; k < 4; k++) {
    AUTO (View) v = view_new (640, 480, channels[k], IMAGE_GRAY8);
    double start;

    p.channels = channels[k] ? channels[k] : 2;
    view_show (&v, &p, 0);
    start = seconds ();
    for (int f = 0; f < 20; f++)
      view_show (&v, &p, f);
    printf ("640 x 480, %d channels: %.1f ms a frame\n", channels[k],
        (seconds () - start) * 1e3 / 20);
  }
  return check_failures != 0;
}

CHECK_MAIN (NULL, bench, {"curves", curves}, {"white", white}, {"bands", bands},
    {"blacks", blacks}, {"differences", differences}, {"hidden", hidden},
    {"shown", shown}, {"look_alikes", look_alikes}, {"objects", objects},
    {"apart", apart}, {"noise", noise}, {"depth", depth}, {"mosaics", mosaics},
    {"drift", drift}, {"repeats", repeats}, {"formats", formats},
    {"sizes", sizes}, {"hostile", hostile}, {"extremes", extremes})
