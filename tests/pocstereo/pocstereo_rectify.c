/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rectification of stereo pairs. */
#include <math.h>

#include "seconds.h"
#include "frames.h"
#include "common/yuv.h"
#include "pocstereo/rig/pocstereo_rectify_core.h"

/* ---- Rigs, and two frames on their way ---- */

#define SAMPLE_GUARD 0xbeef

/* What is asked of one run, and what came back in host memory. */
typedef struct {
  Frame frame[2];
  const PocstereoView *view; /* two; NULL: none */
  int stride;                /* of samples */
  uint16_t *sample[2];       /* with a row of guards before and behind */
  uint8_t *valid[2];         /* NULL without a map */
} Pair;

static PocstereoView
view_plain (int width, int height, double f)
{
  double cx = (width - 1) / 2., cy = (height - 1) / 2.;
  PocstereoView v = {.k = {f, 0, cx, 0, f, cy, 0, 0, 1},
      .r = {1, 0, 0, 0, 1, 0, 0, 0, 1},
      .p = {f, 0, cx, 0, 0, f, cy, 0, 0, 0, 1, 0}};

  return v;
}

static double
between (double low, double high)
{
  return low + (high - low) * rnd (1 << 20) / (1 << 20);
}

/* Turned by the angles @a about the axes, one after the other. */
static void
view_turn (PocstereoView *v, const double a[3])
{
  double s[3], c[3];

  for (int i = 0; i < 3; i++)
    s[i] = sin (a[i]), c[i] = cos (a[i]);
  double r[9] = {c[1] * c[2], c[2] * s[0] * s[1] - c[0] * s[2],
      c[0] * c[2] * s[1] + s[0] * s[2], c[1] * s[2],
      c[0] * c[2] + s[0] * s[1] * s[2], c[0] * s[1] * s[2] - c[2] * s[0], -s[1],
      c[1] * s[0], c[0] * c[1]};
  memcpy (v->r, r, sizeof r);
}

static PocstereoView
view_random (int width, int height)
{
  int side = width > height ? width : height;
  PocstereoView v = view_plain (width, height, between (.5, 2) * side);
  double turn[3] = {between (-.1, .1), between (-.1, .1), between (-.1, .1)};

  view_turn (&v, turn);
  v.k[4] *= between (.9, 1.1);
  v.p[2] += between (-9, 9);
  v.p[6] += between (-9, 9);
  v.p[0] = v.p[5] = v.p[0] * between (.7, 1.2);
  v.d[0] = between (-.3, .3), v.d[1] = between (-.1, .1);
  v.d[2] = between (-.01, .01), v.d[3] = between (-.01, .01);
  for (int i = 4; i < 14; i++)
    v.d[i] = rnd (2) ? between (-.03, .03) : 0;
  return v;
}

static Pair
pair_new (ImageFormat left, ImageFormat right, int width, int height)
{
  Pair p = {.frame = {frame_new (left, width, height, (int) rnd (20), 1),
                frame_new (right, width, height, (int) rnd (20), 1)},
      .stride = width + (int) rnd (9)};

  frame_fill_rows (&p.frame[0], -1);
  frame_fill_rows (&p.frame[1], -1);
  for (int i = 0; i < 2; i++) {
    p.sample[i] = malloc (sizeof (uint16_t) * p.stride * (height + 2));
    p.valid[i] = malloc ((size_t) width * height);
  }
  return p;
}

static void
pair_free (Pair *p)
{
  for (int i = 0; i < 2; i++) {
    frame_free (&p->frame[i]);
    free (p->sample[i]);
    free (p->valid[i]);
  }
}

AUTO_FREE (Pair, pair_free)

/* The sample at (x, y), one row being before the first. */
static int
pair_at (const Pair *p, int i, int x, int y)
{
  return p->sample[i][(size_t) (y + 1) * p->stride + x];
}

static bool
pair_guarded (const Pair *p, int i)
{
  const Image *m = &p->frame[i].image;

  for (int y = -1; y <= m->height; y++)
    for (int x = y < 0 || y == m->height ? 0 : m->width; x < p->stride; x++)
      if (pair_at (p, i, x, y) != SAMPLE_GUARD)
        return false;
  return true;
}

/* Runs both frames through a device. */
static void
pair_run (Pair *p, DeviceKind kind)
{
  int width = p->frame[0].image.width, height = p->frame[0].image.height;
  size_t n = (size_t) p->stride * (height + 2), bytes = n * sizeof (uint16_t);
  PocstereoRectify *r = NULL;
  void *memory[2];
  uint16_t *there[2], *out[2];
  Image image[2];
  AUTO (Device) dev = device_of (kind);

  for (int i = 0; i < 2; i++) {
    image[i] = frame_to_device (&p->frame[i], &dev, &memory[i]);
    for (size_t k = 0; k < n; k++)
      p->sample[i][k] = SAMPLE_GUARD;
    ok (device_alloc (&dev, (void **) &there[i], bytes));
    ok (device_copy (&dev, there[i], p->sample[i], bytes));
    out[i] = there[i] + p->stride;
  }
  ok (pocstereo_rectify_new (&r, &dev, width, height));
  ok (pocstereo_rectify_set (r, p->view, p->view ? p->view + 1 : NULL));
  ok (pocstereo_rectify_run (r, &image[0], &image[1], out, p->stride));
  for (int i = 0; i < 2; i++) {
    const uint8_t *valid = pocstereo_rectify_valid (r, i);

    check (!valid == !p->view);
    if (valid)
      ok (device_copy (&dev, p->valid[i], valid, (size_t) width * height));
    ok (device_copy (&dev, p->sample[i], there[i], bytes));
    ok (device_wait (&dev));
    check (pair_guarded (p, i));
    device_release (&dev, memory[i]);
    device_release (&dev, there[i]);
  }
  pocstereo_rectify_free (r);
}

/* ---- Worked out by hand ---- */

/* What a sample is by the words of pocstereo_rectify.h. */
static int
grey_by_words (const Image *m, int x, int y)
{
  const uint8_t *row = m->plane[0] + (size_t) y * m->stride[0];
  uint8_t c[3];

  image_read (m, x, y, c);
  if (m->format == IMAGE_GRAY16)
    return (row[2 * x] + 256 * row[2 * x + 1]) / 16;
  if (m->format == IMAGE_P010)
    return (row[2 * x] + 256 * row[2 * x + 1]) / 64 * 4;
  if (m->format >= IMAGE_RGB && m->format <= IMAGE_BGRA)
    return (int) lround (16 * (.299 * c[0] + .587 * c[1] + .114 * c[2]));
  return 16 * c[0];
}

/* Every format, at sizes that divide by nothing. */
static void
test_grey (DeviceKind kind)
{
  for (int i = 0; i < N_FORMATS; i++) {
    AUTO (Pair) p =
        pair_new (all_formats[i], all_formats[(i + 3) % N_FORMATS], 37, 13);

    pair_run (&p, kind);
    for (int k = 0; k < 2; k++)
      for (int y = 0; y < 13; y++)
        for (int x = 0; x < 37; x++)
          check_near (pair_at (&p, k, x, y),
              grey_by_words (&p.frame[k].image, x, y),
              image_is_yuv (p.frame[k].image.format) ? 0 : 1);
  }
}

static void
test_grey_of_colours (DeviceKind kind)
{
  static const uint8_t rgba[4][4] = {
      {255, 255, 255, 0}, {255, 0, 0, 9}, {0, 255, 0, 9}, {0, 0, 255, 9}};
  static const int grey[4] = {4080, 1220, 2395, 465};
  AUTO (Pair) p = pair_new (IMAGE_RGBA, IMAGE_BGRA, 4, 1);

  memcpy (p.frame[0].image.plane[0], rgba, sizeof rgba);
  memcpy (p.frame[1].image.plane[0], rgba, sizeof rgba);
  pair_run (&p, kind);
  for (int x = 0; x < 4; x++) {
    check (pair_at (&p, 0, x, 0) == grey[x]);
    check (pair_at (&p, 1, x, 0) == grey[x % 2 ? 4 - x : x]);
  }
}

/* A camera that is rectified already, and one whose rectified principal point
 * lies 3 or 2.5 pixels to the right: samples come from as much to the left. */
static void
test_shifts (DeviceKind kind)
{
  enum { W = 41, H = 9 };
  PocstereoView view[2] = {view_plain (W, H, 50), view_plain (W, H, 50)};
  Pair p = pair_new (IMAGE_GRAY8, IMAGE_GRAY16, W, H), q;

  view[1].p[2] += 3;
  p.view = view;
  pair_run (&p, kind);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      const Image *r = &p.frame[1].image;

      check (pair_at (&p, 0, x, y) == grey_by_words (&p.frame[0].image, x, y));
      check (pair_at (&p, 1, x, y) == grey_by_words (r, x < 3 ? 0 : x - 3, y));
      check (p.valid[0][y * W + x] == 1 && p.valid[1][y * W + x] == (x >= 3));
    }
  pair_free (&p);

  q = pair_new (IMAGE_GRAY8, IMAGE_GRAY8, W, H);
  view[1].p[2] -= .5;
  q.view = view;
  pair_run (&q, kind);
  for (int y = 0; y < H; y++)
    for (int x = 5; x < W; x++) {
      const uint8_t *s = q.frame[1].image.plane[0] +
          (size_t) y * q.frame[1].image.stride[0] + x - 4;
      int cubic = 9 * (s[1] + s[2]) - s[0] - s[3];

      check_near (pair_at (&q, 1, x, y),
          cubic < 0          ? 0
              : cubic > 4095 ? 4095
                             : cubic,
          1);
    }
  pair_free (&q);
}

typedef struct {
  double d[14];
  double x, y;           /* direction; z is 1 */
  double seen_x, seen_y; /* by hand */
} Bend;

/* Focal length 100, so that a position tells the direction to four digits. */
static void
test_lenses (DeviceKind kind)
{
  static const Bend bends[] = {{{0}, .5, -.25, .5, -.25}, {{.1}, 1, 0, 1.1, 0},
      {{0, .1}, 1, 1, 1.4, 1.4}, {{0, 0, .02, 0}, 1, 0, 1, .02},
      {{0, 0, 0, .01}, 1, 0, 1.03, 0}, {{0, 0, .01, 0}, 1, 1, 1.02, 1.04},
      {{0, 0, 0, 0, .1}, 1, 0, 1.1, 0}, {{0, 0, 0, 0, 0, .25}, 1, 0, .8, 0},
      {{0, 0, 0, 0, 0, 0, .25}, 1, 1, .5, .5},
      {{0, 0, 0, 0, 0, 0, 0, .25}, 1, 0, .8, 0}, {{[8] = .05}, 1, 1, 1.1, 1},
      {{[9] = .05}, 1, 1, 1.2, 1}, {{[10] = .05}, 1, 1, 1, 1.1},
      {{[11] = .05}, 1, 1, 1, 1.2},
      /* the sensor turned about one axis: x, y cos over cos + x sin, … */
      {{[13] = .1}, .5, .5, .5 / (.99500417 + .5 * .09983342),
          .5 * .99500417 / (.99500417 + .5 * .09983342)},
      {{[12] = .1}, .5, .5, .5 * .99500417 / (.99500417 - .5 * .09983342),
          .5 / (.99500417 - .5 * .09983342)}};
  enum { W = 401, H = 401 };
  static PocstereoPosition map[W * H];
  static uint8_t valid[W * H];

  for (size_t i = 0; i < sizeof bends / sizeof *bends; i++) {
    const Bend *b = &bends[i];
    PocstereoView v = view_plain (W, H, 100);
    int at = (200 + (int) (100 * b->y)) * W + 200 + (int) (100 * b->x);

    memcpy (v.d, b->d, sizeof v.d);
    ok (pocstereo_rectify_check (&v));
    pocstereo_rectify_map (&v, W, H, map, valid);
    check_near (map[at].x / 1024., 200 + 100 * b->seen_x, 6e-4);
    check_near (map[at].y / 1024., 200 + 100 * b->seen_y, 6e-4);
    check (valid[at]);
  }
  /* 1.6 to the right the lens is said to bend rays across its axis, to where
   * others already are; and by a term below the line, too */
  PocstereoView v = view_plain (W, H, 100);

  v.d[0] = -.5;
  pocstereo_rectify_map (&v, W, H, map, valid);
  check (map[200 * W + 360].x > 0 && !valid[200 * W + 360]);
  v.d[0] = 0, v.d[5] = -1;
  pocstereo_rectify_map (&v, W, H, map, valid);
  check (map[200 * W + 360].x > 0 && !valid[200 * W + 360]);
}

/* What is below the 10 bits of P010 does not count. */
static void
test_lower_bits (DeviceKind kind)
{
  static const uint8_t words[6] = {0xff, 0xff, 0x3f, 0x12, 0x40, 0};
  AUTO (Pair) p = pair_new (IMAGE_P010, IMAGE_GRAY16, 3, 1);

  memcpy (p.frame[0].image.plane[0], words, sizeof words);
  memcpy (p.frame[1].image.plane[0], words, sizeof words);
  pair_run (&p, kind);
  check (pair_at (&p, 0, 0, 0) == 4092 && pair_at (&p, 1, 0, 0) == 4095);
  check (pair_at (&p, 0, 1, 0) == 0x120 && pair_at (&p, 1, 1, 0) == 0x123);
  check (pair_at (&p, 0, 2, 0) == 4 && pair_at (&p, 1, 2, 0) == 4);
}

/* A camera turned by 45 degrees looks along x = z; half of what it is rectified
 * to lies beside it, and what lies behind it has no image. */
static void
test_turned (DeviceKind kind)
{
  enum { W = 301, H = 3 };
  static PocstereoPosition map[W * H];
  static uint8_t valid[W * H];
  PocstereoView v = view_plain (W, H, 100);

  /* the direction (0, 0, 1) of the camera is (s, 0, s) of the rectified one */
  view_turn (&v, (double[3]){0, M_PI / 4, 0});
  pocstereo_rectify_map (&v, W, H, map, valid);
  check_near (map[W + 250].x / 1024., 150, 1e-3);
  check_near (map[W + 150].x / 1024., 50, 1e-3);
  check (valid[W + 250] && valid[W + 150]);
  check (!valid[W + 20]); /* 52 degrees to the left: 97 from the axis */
  view_turn (&v, (double[3]){0, M_PI, 0});
  pocstereo_rectify_map (&v, W, H, map, valid);
  check (map[W + 200].x > 0 && !valid[W + 200]);
}

/* ---- By brute force, in doubles ---- */

/* Solves a x = b by elimination; @a and @b are changed. */
static void
solve (double a[3][3], double b[3], double x[3])
{
  for (int i = 0; i < 3; i++) {
    int best = i;

    for (int k = i + 1; k < 3; k++)
      if (fabs (a[k][i]) > fabs (a[best][i]))
        best = k;
    for (int j = 0; j < 3; j++) {
      double t = a[i][j];

      a[i][j] = a[best][j], a[best][j] = t;
    }
    double t = b[i];

    b[i] = b[best], b[best] = t;
    for (int k = i + 1; k < 3; k++) {
      double f = a[k][i] / a[i][i];

      for (int j = i; j < 3; j++)
        a[k][j] -= f * a[i][j];
      b[k] -= f * b[i];
    }
  }
  for (int i = 2; i >= 0; i--) {
    x[i] = b[i];
    for (int j = i + 1; j < 3; j++)
      x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
  }
}

/* Where pixel (u, v) of the rectified frame comes from, lenses without tilt;
 * whether there is such a place. */
static bool
place_of (const PocstereoView *c, double u, double v, double at[2])
{
  double a[3][3] = {{0}}, b[3] = {u, v, 1}, ray[3];
  const double *d = c->d;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        a[i][j] += c->p[4 * i + k] * c->r[3 * k + j];
  solve (a, b, ray);
  double x = ray[0] / ray[2], y = ray[1] / ray[2], q = x * x + y * y;
  double below = 1 + q * (d[5] + q * (d[6] + q * d[7]));
  double s = (1 + q * (d[0] + q * (d[1] + q * d[4]))) / below;

  at[0] = c->k[0] *
          (x * s + 2 * d[2] * x * y + d[3] * (q + 2 * x * x) +
              q * (d[8] + q * d[9])) +
      c->k[2];
  at[1] = c->k[4] *
          (y * s + d[2] * (q + 2 * y * y) + 2 * d[3] * x * y +
              q * (d[10] + q * d[11])) +
      c->k[5];
  return ray[2] > 0 && below > 0 && s > 0;
}

static double
keys (double t)
{
  t = fabs (t);
  return t < 1 ? (1.5 * t - 2.5) * t * t + 1
      : t < 2  ? ((-.5 * t + 2.5) * t - 4) * t + 2
               : 0;
}

/* The grey at @at, each pixel of the frame having its say. */
static double
grey_by_keys (const Image *m, const double at[2])
{
  int x0 = (int) floor (at[0]), y0 = (int) floor (at[1]);
  double sum = 0;

  for (int y = y0 - 3; y <= y0 + 3; y++)
    for (int x = x0 - 3; x <= x0 + 3; x++)
      sum += keys (x - at[0]) * keys (y - at[1]) *
          grey_by_words (m,
              x < 0              ? 0
                  : x < m->width ? x
                                 : m->width - 1,
              y < 0               ? 0
                  : y < m->height ? y
                                  : m->height - 1);
  return sum < 0 ? 0 : sum > 4095 ? 4095 : sum;
}

/* ---- The left frame in colour ---- */

#define PICTURE_GUARD 0x5a

/* Rows of @stride bytes with one before and one behind; free it. */
static uint8_t *
picture_of (
    DeviceKind kind, const Frame *c, const PocstereoView *view, int stride)
{
  size_t bytes = (size_t) stride * (c->image.height + 2);
  uint8_t *picture = malloc (bytes);
  void *memory, *out;
  PocstereoRectify *r;
  Device dev = device_of (kind);

  memset (picture, PICTURE_GUARD, bytes);
  Image image = frame_to_device (c, &dev, &memory);
  ok (device_alloc (&dev, &out, bytes));
  ok (device_copy (&dev, out, picture, bytes));
  ok (pocstereo_rectify_new (&r, &dev, image.width, image.height));
  ok (pocstereo_rectify_set (r, view, view));
  ok (pocstereo_rectify_picture (r, &image, (uint8_t *) out + stride, stride));
  check (pocstereo_rectify_picture (r, &image, out, 4 * image.width - 1));
  ok (device_copy (&dev, picture, out, bytes));
  ok (device_wait (&dev));
  pocstereo_rectify_free (r);
  device_release (&dev, memory);
  device_release (&dev, out);
  device_close (&dev);
  for (int i = 0; i < stride; i++)
    check (
        picture[i] == PICTURE_GUARD && picture[bytes - 1 - i] == PICTURE_GUARD);
  return picture;
}

/* What pixel (x, y) of the frame looks like. */
static void
colour_of (const Image *img, int x, int y, uint8_t rgb[3])
{
  Yuv m = yuv_of (img->matrix, img->full_range);
  uint8_t c[3];

  image_read (img, x, y, c);
  if (image_is_yuv (img->format))
    yuv_to_rgb (&m, c, rgb);
  else if (img->format == IMAGE_GRAY8 || img->format == IMAGE_GRAY16)
    rgb[0] = rgb[1] = rgb[2] = c[0];
  else
    memcpy (rgb, c, 3);
}

/* Of every format: as it is, and moved by whole pixels, with black where
 * nothing came from. */
static void
test_picture (DeviceKind kind)
{
  enum { W = 37, H = 22 };

  for (int i = 0; i < 2 * N_FORMATS; i++) {
    int moved = i % 2 ? 5 : 0, stride = 4 * W + (int) rnd (9);
    AUTO (Frame) c = frame_new (all_formats[i / 2], W, H, (int) rnd (20), 1);
    PocstereoView v = view_plain (W, H, 30);
    AUTO_MEMORY uint8_t *p;

    frame_fill_rows (&c, -1);
    v.p[2] += moved;
    v.p[6] -= moved;
    p = picture_of (kind, &c, moved ? &v : NULL, stride);
    for (int y = 0; y < H; y++)
      for (int x = 0; x < W; x++) {
        const uint8_t *at = p + (size_t) (y + 1) * stride + 4 * x;
        uint8_t rgb[3] = {0, 0, 0};

        if (x >= moved && y + moved < H)
          colour_of (&c.image, x - moved, y + moved, rgb);
        check (!memcmp (at, rgb, 3) && at[3] == 255);
      }
    check (frame_is_unharmed (&c));
  }
}

/* Between pixels: halfway is the mean. */
static void
test_picture_between (DeviceKind kind)
{
  enum { W = 24, H = 16 };
  AUTO (Frame) c = frame_new (IMAGE_RGB, W, H, 0, 1);
  PocstereoView v = view_plain (W, H, 30);
  AUTO_MEMORY uint8_t *p;

  frame_fill_rows (&c, -1);
  v.p[2] += .5;
  p = picture_of (kind, &c, &v, 4 * W);
  for (int y = 0; y < H; y++)
    for (int x = 1; x < W; x++)
      for (int k = 0; k < 3; k++) {
        const uint8_t *row = c.image.plane[0] + y * c.image.stride[0];

        check_near (p[(y + 1) * 4 * W + 4 * x + k],
            (row[3 * x + k] + row[3 * x - 3 + k]) / 2., .51);
      }
}

static void
test_picture_parity (DeviceKind kind)
{
  for (int round = 0; round < 40; round++) {
    int w = 1 + (int) rnd (200), h = 1 + (int) rnd (100);
    int stride = 4 * w + (int) rnd (9);
    PocstereoView view = view_random (w, h);
    AUTO (Frame) c =
        frame_new (all_formats[round % N_FORMATS], w, h, (int) rnd (20), 1);
    uint8_t *a, *b;

    frame_fill_rows (&c, -1);
    a = picture_of (DEVICE_CPU, &c, round % 3 ? &view : NULL, stride);
    b = picture_of (DEVICE_CUDA, &c, round % 3 ? &view : NULL, stride);
    check (!memcmp (a, b, (size_t) stride * (h + 2)));
    free (a);
    free (b);
  }
}

/* ---- The tests ---- */

/* White noise, where 1/2048 pixel and the weights' rounding tell most. */
static void
test_oracle (DeviceKind kind)
{
  for (int round = 0; round < 20; round++) {
    int w = 30 + (int) rnd (60), h = 30 + (int) rnd (60);
    PocstereoView view[2] = {view_random (w, h), view_random (w, h)};
    AUTO (Pair) p = pair_new (
        all_formats[round % N_FORMATS], all_formats[rnd (N_FORMATS)], w, h);

    view[0].d[12] = view[0].d[13] = view[1].d[12] = view[1].d[13] = 0;
    p.view = view;
    pair_run (&p, kind);
    for (int i = 0; i < 2 * w * h; i++) {
      int k = i / (w * h), x = i % w, y = i / w % h;
      double at[2], e = 1e-3;

      if (!place_of (&view[k], x, y, at)) {
        check (!p.valid[k][y * w + x]);
        continue;
      }
      bool in =
          at[0] >= e && at[1] >= e && at[0] <= w - 1 - e && at[1] <= h - 1 - e;
      bool out =
          at[0] < -e || at[1] < -e || at[0] > w - 1 + e || at[1] > h - 1 + e;

      check (
          !(in && !p.valid[k][y * w + x]) && !(out && p.valid[k][y * w + x]));
      check_near (
          pair_at (&p, k, x, y), grey_by_keys (&p.frame[k].image, at), 12);
    }
  }
}

/* One grey stays what it is, and a slope keeps its slope. */
static void
test_slopes (DeviceKind kind)
{
  enum { W = 64, H = 48 };
  PocstereoView view[2] = {view_random (W, H), view_random (W, H)};
  AUTO (Pair) p = pair_new (IMAGE_GRAY8, IMAGE_NV12, W, H);
  static PocstereoPosition map[W * H];

  frame_fill_rows (&p.frame[0], 173);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++)
      p.frame[1].image.plane[0][y * p.frame[1].image.stride[0] + x] =
          (uint8_t) (3 * x + y);
  p.view = view;
  pair_run (&p, kind);
  pocstereo_rectify_map (&view[1], W, H, map, p.valid[1]);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      double u = map[y * W + x].x / 1024., v = map[y * W + x].y / 1024.;

      check (pair_at (&p, 0, x, y) == 16 * 173);
      if (u >= 1 && v >= 1 && u < W - 2 && v < H - 2)
        check_near (pair_at (&p, 1, x, y), 16 * (3 * u + v), 1.1);
    }
}

static void
refused (PocstereoRectify *r, const PocstereoView *good, double *place,
    PocstereoView *bad, double value, const char *word)
{
  double kept = *place;
  const char *error;

  *place = value;
  error = pocstereo_rectify_set (r, good, bad);
  check (error && strstr (error, word));
  error = pocstereo_rectify_set (r, bad, good);
  check (error && strstr (error, word));
  *place = kept;
}

static void
test_refusals (DeviceKind kind)
{
  PocstereoView good = view_plain (20, 10, 30), bad = good;
  AUTO (Pair) p = pair_new (IMAGE_GRAY8, IMAGE_GRAY8, 20, 10);
  Image other = p.frame[0].image;
  PocstereoRectify *r = NULL, *none = NULL;
  AUTO (Device) dev = device_of (kind);

  check (pocstereo_rectify_new (&none, &dev, 0, 10) != NULL);
  pocstereo_rectify_free (none);
  check (pocstereo_rectify_new (&none, &dev, 10, 16385) != NULL);
  pocstereo_rectify_free (none);
  pocstereo_rectify_free (NULL);
  ok (pocstereo_rectify_new (&r, &dev, 20, 10));
  refused (r, &good, &bad.k[0], &bad, 0, "focal");
  refused (r, &good, &bad.p[5], &bad, -1, "focal");
  refused (r, &good, &bad.d[13], &bad, NAN, "finite");
  refused (r, &good, &bad.p[11], &bad, INFINITY, "finite");
  refused (r, &good, &bad.r[8], &bad, 0, "inverted");
  check (!pocstereo_rectify_valid (r, 0));
  ok (pocstereo_rectify_set (r, &good, &good));
  refused (r, &good, &bad.r[0], &bad, 1e-12, "inverted");
  check (pocstereo_rectify_valid (r, 0) && pocstereo_rectify_valid (r, 1));
  check (pocstereo_rectify_set (r, &good, NULL) != NULL);
  ok (pocstereo_rectify_set (r, NULL, NULL));
  check (!pocstereo_rectify_valid (r, 1));
  check (pocstereo_rectify_run (r, &other, &other, p.sample, 19) != NULL);
  other.width = 19;
  check (pocstereo_rectify_run (r, &p.frame[0].image, &other, p.sample, 20) !=
      NULL);
  pocstereo_rectify_free (r);
}

/* Views that no camera has: nothing is read or written where it must not be. */
static void
test_wild (DeviceKind kind)
{
  for (int round = 0; round < 60; round++) {
    int w = 1 + (int) rnd (6), h = 1 + (int) rnd (6);
    PocstereoView view[2] = {view_random (w, h), view_random (w, h)};
    AUTO (Pair) p = pair_new (
        all_formats[rnd (N_FORMATS)], all_formats[rnd (N_FORMATS)], w, h);

    for (int i = 0; i < 14; i++)
      view[0].d[i] = between (-1, 1) * pow (10, between (0, 200));
    view[1].k[2] = between (-1e300, 1e300);
    p.view = view;
    pair_run (&p, kind);
    for (int i = 0; i < w * h; i++)
      check (p.valid[0][i] <= 1 && p.valid[1][i] <= 1);
    check (frame_is_unharmed (&p.frame[0]) && frame_is_unharmed (&p.frame[1]));
  }
}

/* Where a rectified pixel comes from, it is found again. */
static void
test_find (DeviceKind kind)
{
  enum { W = 64, H = 48, VIEWS = 50 };
  static PocstereoPosition map[W * H];
  static uint8_t valid[W * H];
  int lost = 0, all = 0;

  for (int round = 0; round < VIEWS; round++) {
    PocstereoView v = view_random (W, H);

    v.k[0] = v.k[4] = between (W, 2 * W); /* wider ones fold */
    v.p[0] = v.p[5] = v.k[0] * between (.7, 1.2);
    pocstereo_rectify_map (&v, W, H, map, valid);
    for (int i = 0; i < W * H; i++) {
      double from[2] = {(double) map[i].x / POCSTEREO_MAP_ONE,
          (double) map[i].y / POCSTEREO_MAP_ONE};
      double to[2];

      if (!valid[i])
        continue;
      all++;
      if (!pocstereo_rectify_find (&v, from, to))
        lost++;
      else
        check (fabs (to[0] - i % W) < .1 && fabs (to[1] - i / W) < .1);
    }
  }
  check (all > VIEWS * W * H / 4 && lost == 0);
}

static void
test_parity (DeviceKind kind)
{
  for (int round = 0; round < 60; round++) {
    int w = 1 + (int) rnd (200), h = 1 + (int) rnd (100);
    PocstereoView view[2] = {view_random (w, h), view_random (w, h)};
    AUTO (Pair) p = pair_new (
        all_formats[round % N_FORMATS], all_formats[rnd (N_FORMATS)], w, h);
    size_t bytes = sizeof (uint16_t) * p.stride * (h + 2);
    uint16_t *cpu[2] = {malloc (bytes), malloc (bytes)};

    p.view = round % 3 ? view : NULL;
    pair_run (&p, DEVICE_CPU);
    memcpy (cpu[0], p.sample[0], bytes);
    memcpy (cpu[1], p.sample[1], bytes);
    pair_run (&p, DEVICE_CUDA);
    check (!memcmp (cpu[0], p.sample[0], bytes));
    check (!memcmp (cpu[1], p.sample[1], bytes));
    free (cpu[0]);
    free (cpu[1]);
  }
}

/* Milliseconds of a pair, by batches of 100. */
static double
time_of (DeviceKind kind, ImageFormat format, int w, int h, bool mapped)
{
  PocstereoView view[2] = {view_random (w, h), view_random (w, h)};
  AUTO (Frame) c = frame_new (format, w, h, 0, 1);
  int batch = kind == DEVICE_CPU ? 2 : 100;
  void *memory, *out;
  PocstereoRectify *r;
  double times[5];
  AUTO (Device) dev = device_of (kind);

  Image image = frame_to_device (&c, &dev, &memory);
  ok (device_alloc (&dev, &out, sizeof (uint16_t) * 2 * w * h));
  uint16_t *samples[2] = {out, (uint16_t *) out + (size_t) w * h};
  ok (pocstereo_rectify_new (&r, &dev, w, h));
  ok (pocstereo_rectify_set (
      r, mapped ? view : NULL, mapped ? view + 1 : NULL));
  for (int i = 0; i < 5; i++) {
    DeviceTimer timer = {0};

    ok (device_timer_begin (&dev, &timer));
    for (int k = 0; k < batch; k++)
      ok (pocstereo_rectify_run (r, &image, &image, samples, w));
    ok (device_timer_end (&dev, &timer, &times[i]));
    device_timer_free (&timer);
  }
  pocstereo_rectify_free (r);
  device_release (&dev, memory);
  device_release (&dev, out);
  return 1e3 * bench_median (times, 5) / batch;
}

static int
bench (int argc, char **argv)
{
  static const ImageFormat formats[] = {IMAGE_GRAY8, IMAGE_P010, IMAGE_RGBA};
  static const char *const names[] = {"GRAY8", "P010", "RGBA"};
  int last = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;

  for (int kind = DEVICE_CPU; kind <= last; kind++)
    for (int big = 0; big < 2; big++)
      for (int i = 0; i < 6; i++) {
        int w = big ? 1280 : 640, h = big ? 720 : 480;

        printf ("%s %dx%d %s %s: %.4f ms a pair\n",
            kind == DEVICE_CPU ? "CPU" : "CUDA", w, h, names[i / 2],
            i % 2 ? "rectified" : "grey",
            time_of ((DeviceKind) kind, formats[i / 2], w, h, i % 2));
      }
  return check_failures != 0;
}


static const CheckPart parity[] = {{"CPU and CUDA", test_parity},
    {"in colour", test_picture_parity}, {NULL, NULL}};

CHECK_MAIN (parity, bench, {"grey of every format", test_grey},
    {"grey of colours", test_grey_of_colours}, {"lower bits", test_lower_bits},
    {"no map and shifts", test_shifts}, PART (lenses),
    {"turned cameras", test_turned}, {"brute force", test_oracle},
    {"flat and sloped", test_slopes}, PART (refusals),
    {"wild views of small frames", test_wild},
    {"pixels found again", test_find}, {"in colour", test_picture},
    {"in colour, between pixels", test_picture_between})
