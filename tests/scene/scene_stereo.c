/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene stereo: disparities as worked out by hand, surfaces where they are
 * said to be, hidden what is hidden, and two pictures of the same texture. */
#include <math.h>

#include "check.h"
#include "frames.h"
#include "poses.h"
#include "scene/stereo_core.h"
#include "seconds.h"

/* ---- A view with all that the scene says about it ---- */

typedef struct {
  Stereo *scene;
  Image img; /* RGB */
  StereoTruth truth;
  StereoMaps maps;
} View;

static View
view_new (int w, int h)
{
  View v = {.img = {.width = w, .height = h, .format = IMAGE_RGB}};
  size_t n = (size_t) w * h;

  v.img.stride[0] = 3 * w;
  v.img.plane[0] = malloc (3 * n);
  v.maps.disparity = malloc (n * sizeof *v.maps.disparity);
  v.maps.depth = malloc (n * sizeof *v.maps.depth);
  v.maps.seen = malloc (n);
  v.maps.labels = malloc (n * sizeof *v.maps.labels);
  ok (stereo_new (&v.scene, w, h));
  return v;
}

static void
view_free (View *v)
{
  stereo_free (v->scene);
  free (v->img.plane[0]);
  free (v->maps.disparity);
  free (v->maps.depth);
  free (v->maps.seen);
  free (v->maps.labels);
}

AUTO_FREE (View, view_free)

static void
view_show (View *v, const StereoParams *p, StereoView view, uint64_t number)
{
  ok (stereo_render (v->scene, p, view, number, &v->img, &v->truth, &v->maps));
}

static int
level_at_pixel (const View *v, int x, int y, int c)
{
  return v->img.plane[0][(size_t) y * v->img.stride[0] + 3 * x + c];
}

/* The point that a pixel shows, in its camera. */
static void
point_at (const View *v, int x, int y, double p[3])
{
  double z = v->maps.depth[(size_t) y * v->img.width + x];

  p[0] = (x - v->truth.cx) / v->truth.fx * z;
  p[1] = (y - v->truth.cy) / v->truth.fy * z;
  p[2] = z;
}

/* ---- Are surfaces where they are said to be? ---- */

/* At 3 m, 700 pixels of focal length and 6 cm make 14 pixels; cameras that look
 * towards each other take 20 from them. */
static void
wall (DeviceKind kind)
{
  StereoParams p = stereo_defaults ();
  AUTO (View) v = view_new (640, 480);
  int n = 0;

  p.contents = STEREO_PLANES;
  for (int view = 0; view < 2; view++)
    for (int k = 0; k < 2; k++) {
      p.disparity_offset = k ? -20 : 0;
      view_show (&v, &p, view, rnd (1000));
      check (v.truth.fx == 700 && v.truth.fy == 700);
      check (v.truth.cx == 319.5 + (view && k ? 20 : 0));
      check (v.truth.cy == 239.5 && v.truth.eye == (view ? .06 : 0));
      for (int i = 0; i < 640 * 480; i++)
        if (v.maps.depth[i] == 3) {
          check_near (v.maps.disparity[i], k ? -6 : 14, 1e-6);
          n++;
        }
    }
  check (n > 640 * 480);
}

/* The ground is 55 cm below the cameras: disparities grow evenly from row to
 * row, by 6 / 55 pixels. */
static void
ground (DeviceKind kind)
{
  StereoParams p = stereo_defaults ();
  AUTO (View) v = view_new (640, 480);
  int n = 0;

  p.contents = STEREO_PLANES;
  view_show (&v, &p, STEREO_LEFT, rnd (1000));
  for (int y = 400; y < 480; y++)
    for (int x = 0; x < 640; x++)
      if (!v.maps.labels[y * 640 + x]) {
        check_near (v.maps.disparity[y * 640 + x], 6 / 55. * (y - 239.5), 1e-5);
        n++;
      }
  check (n > 10000);
}

/* How far point @p, in the axes of an object, is from its surface; of the head,
 * from the middle of what its surface lies between. */
static double
off_surface (const SceneThing *o, const double p[3])
{
  double r = 0;

  if (o->seen.label[1] == 'o') /* board */
    return fabs (p[2]) + fmax (0, fabs (p[0]) - o->extent[0] / 2) +
        fmax (0, fabs (p[1]) - o->extent[1] / 2);
  for (int i = 0; i < 3; i++)
    r += 4 * p[i] * p[i] / (o->extent[i] * o->extent[i]);
  r = sqrt (r);
  if (o->seen.label[0] == 'h')
    return fmax (fabs (r - 1.09) - .22, 0);
  return fabs (r - 1) * o->extent[0] / 2;
}

/* Each pixel of an object lies on it, in both views. */
static void
surfaces (DeviceKind kind)
{
  AUTO (View) v = view_new (320, 240);

  for (int f = 0; f < 12; f++) {
    StereoParams p = stereo_defaults ();
    int n = 0;

    p.seed = rnd (1000), p.speed = rnd (9);
    view_show (&v, &p, f % 2, rnd (1u << 31));
    check (v.truth.n_objects == STEREO_MAX_OBJECTS);
    for (int y = 0; y < 240; y++)
      for (int x = 0; x < 320; x++) {
        int label = v.maps.labels[y * 320 + x];
        double there[3], own[3];

        if (!label)
          continue;
        point_at (&v, x, y, there);
        carry_back (v.truth.objects[label - 1].pose, there, own);
        check_near (off_surface (&v.truth.objects[label - 1], own), 0, 1e-6);
        n++;
      }
    check (n > 10000);
  }
}

/* A ray meets the head where it first goes in: tried in steps of a quarter of a
 * millimetre. */
static void
head_first (DeviceKind kind)
{
  int hits = 0, misses = 0;

  for (int f = 0; f < 500; f++) {
    double eye[3] = {rnd (2000) / 1000. - 1, rnd (2000) / 1000. - 1, -1};
    double ray[3], z = 0, g[3], at[3];
    bool met;

    for (int i = 0; i < 3; i++)
      ray[i] = (rnd (2000) / 1000. - 1) * 1.4 * stereo_head_half[i] - eye[i];
    met = stereo_head_meet (eye, ray, &z);
    for (double t = .3; t < (met ? z - 1e-6 : 2); t += 2e-4) {
      for (int i = 0; i < 3; i++)
        at[i] = eye[i] + t * ray[i];
      if (stereo_head_level (at, g) < (met ? -1e-9 : -1e-6)) {
        check (!"the ray went in before");
        break;
      }
    }
    for (int i = 0; i < 3; i++)
      at[i] = eye[i] + z * ray[i];
    if (met)
      check_near (stereo_head_level (at, g), 0, 1e-9);
    hits += met, misses += !met;
  }
  check (hits > 125 && misses > 37);
}

/* The gradient is that of the level. */
static void
head_slopes (DeviceKind kind)
{
  for (int f = 0; f < 20000; f++) {
    double p[3], g[3], unused[3];

    for (int i = 0; i < 3; i++)
      p[i] = (rnd (20000) / 10000. - 1) * 1.3 * stereo_head_half[i];
    stereo_head_level (p, g);
    for (int i = 0; i < 3; i++) {
      double a[3] = {p[0], p[1], p[2]}, b[3] = {p[0], p[1], p[2]};

      a[i] += 1e-6, b[i] -= 1e-6;
      check_near (g[i],
          (stereo_head_level (a, unused) - stereo_head_level (b, unused)) /
              2e-6,
          1e-2);
    }
  }
}

/* All is between the depths that the header promises, and so are disparities;
 * the one map follows from the other. */
static void
depths (DeviceKind kind)
{
  AUTO (View) v = view_new (160, 120);
  double nearest = 9;

  for (int f = 0; f < 200; f++) {
    StereoParams p = stereo_defaults ();

    p.seed = rnd (1000), p.baseline = .001 * (1 + rnd (200));
    p.disparity_offset = rnd (100) - 50.;
    view_show (&v, &p, f % 2, rnd (1u << 31));
    for (int i = 0; i < 160 * 120; i++) {
      double z = v.maps.depth[i];

      check (z >= STEREO_NEAREST && z <= STEREO_FARTHEST);
      check_near (
          v.maps.disparity[i], 175 * p.baseline / z + p.disparity_offset, 1e-4);
      nearest = fmin (nearest, z);
    }
  }
  check (nearest < .85);
}

static void
contents (DeviceKind kind)
{
  static const int n_objects[] = {6, 2, 3, 1};
  StereoParams p = stereo_defaults ();
  AUTO (View) v = view_new (160, 120);
  uint64_t number = rnd (1000), head = 0;

  for (int k = 0; k < 4; k++) {
    int nothing = 0;

    p.contents = k;
    view_show (&v, &p, STEREO_LEFT, number);
    check (v.truth.n_objects == n_objects[k]);
    if (k == STEREO_ALL)
      head = v.truth.objects[5].seen.full_area;
    if (k == STEREO_HEAD) /* alone it shows all of it */
      check (v.truth.objects[0].seen.area == head);
    for (int i = 0; i < 160 * 120; i++) {
      bool none = isnan (v.maps.disparity[i]);

      check (none == isnan (v.maps.depth[i]));
      check (!none || (!v.maps.labels[i] && !v.maps.seen[i]));
      nothing += none;
    }
    check (k < 2 ? !nothing : nothing > 160 * 120 / 2);
  }
}

/* What is said about objects is what the map shows, and they go where it
 * says. */
static void
objects (DeviceKind kind)
{
  AUTO (View) now = view_new (320, 240), next = view_new (320, 240);

  for (int f = 0; f < 10; f++) {
    StereoParams p = stereo_defaults ();
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.speed = f ? 1 : 0;
    view_show (&now, &p, f % 2, number);
    view_show (&next, &p, f % 2, number + 1);
    check (!f == !memcmp (now.maps.labels, next.maps.labels, 320 * 240 * 2));
    for (int i = 0; i < now.truth.n_objects; i++) {
      const SceneThing *o = &now.truth.objects[i];
      uint64_t area = 0;

      for (int at = 0; at < 320 * 240; at++)
        area += now.maps.labels[at] == i + 1;
      check (o->seen.area == area && o->seen.full_area >= area);
      check (o->seen.id == i && area > 0);
      if (o->seen.area < o->seen.full_area || o->seen.box.x0 == 0 ||
          o->seen.box.x1 == 320 || o->seen.box.y0 == 0 || o->seen.box.y1 == 240)
        continue;
      check_near (next.truth.objects[i].seen.cx - o->seen.cx, o->seen.vx, .4);
      check_near (next.truth.objects[i].seen.cy - o->seen.cy, o->seen.vy, .4);
    }
  }
}

/* ---- The two views against each other, by their maps alone ---- */

/* The disparities left and right of a place in a row; false if there are none.
 */
static bool
around (const View *v, double x, int y, double d[2])
{
  int i = (int) floor (x);

  if (i < 0 || i + 1 >= v->img.width || y < 0 || y >= v->img.height)
    return false;
  d[0] = v->maps.disparity[(size_t) y * v->img.width + i];
  d[1] = v->maps.disparity[(size_t) y * v->img.width + i + 1];
  return true;
}

/* Whatever the other view shows where this one's truth points to is what this
 * one shows, or in front of it; and the mask says which. */
static void
compare (const View *here, const View *there, int sign, int rows, double limit)
{
  int w = here->img.width, h = here->img.height, seen = 0, hidden = 0, open = 0;

  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      size_t at = (size_t) y * w + x;
      double d = here->maps.disparity[at], x2 = x - sign * d, other[2];
      double u = x2 - floor (x2), between;

      if (x2 < -1e-3 || x2 > w - 1 + 1e-3 || y + sign * rows < 0 ||
          y + sign * rows >= h) {
        check (!here->maps.seen[at]);
        continue;
      }
      if (x2 < 1e-3 || x2 > w - 1 - 1e-3 ||
          !around (there, x2, y + sign * rows, other))
        continue;
      between = (1 - u) * other[0] + u * other[1];
      if (fabs (other[0] - other[1]) < .3 && fabs (between - d) < .02) {
        check (here->maps.seen[at] == 255);
        seen++;
      } else if (fmin (other[0], other[1]) > d + .7) {
        check (here->maps.seen[at] == 0);
        hidden++;
      } else
        open++;
    }
  check (seen > w * h / 2 && hidden > w * h / 200);
  check (open < limit * w * h);
}

static void
both_views (DeviceKind kind)
{
  AUTO (View) a = view_new (640, 480), b = view_new (640, 480);

  for (int f = 0; f < 3; f++) {
    StereoParams p = stereo_defaults ();
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.misalignment = 7 * (f % 2);
    p.disparity_offset = f * -20;
    view_show (&a, &p, STEREO_LEFT, number);
    view_show (&b, &p, STEREO_RIGHT, number);
    compare (&a, &b, 1, 7 * (f % 2), .03);
    compare (&b, &a, -1, 7 * (f % 2), .03);
  }
}

/* A z-buffer of the left view's own pixels, each as wide as it is: where a
 * nearer one covers a pixel's place in the right view, it is hidden.  At edges,
 * and behind what only the right view sees, the two may differ. */
static void
hidden (DeviceKind kind)
{
  AUTO (View) v = view_new (640, 480);
  int disagree = 0, both = 0, n = 0;

  for (int f = 0; f < 3; f++) {
    StereoParams p = stereo_defaults ();

    p.seed = rnd (1000);
    view_show (&v, &p, STEREO_LEFT, rnd (1u << 31));
    for (int y = 0; y < 480; y++) {
      const float *d = v.maps.disparity + y * 640;
      float nearest[640];

      for (int x = 0; x < 640; x++)
        nearest[x] = -INFINITY;
      for (int x = 0; x < 640; x++)
        for (int k = 0; k < 2; k++) {
          int to = (int) floor (x - d[x]) + k;

          if (to >= 0 && to < 640)
            nearest[to] = fmaxf (nearest[to], d[x]);
        }
      for (int x = 0; x < 640; x++) {
        int to = (int) floor (x - d[x] + .5);
        bool covered;

        if (to < 1 || to > 638)
          continue;
        covered = nearest[to] > d[x] + 1.5;
        disagree += covered == (v.maps.seen[y * 640 + x] != 0);
        both += covered, n++;
      }
    }
  }
  check (both > n / 100);
  check (disagree < n / 100);
}

/* ---- What the pictures show ---- */

/* One texture in both, and what the sensors make of it. */

/* Grey level and slope of a row at place @x, by a cubic through four pixels
 * (Keys, IEEE ASSP 29, 1981). */
static double
read_row (const View *v, double x, int y, double *slope)
{
  int i = (int) floor (x);
  double u = x - i, p[4];

  for (int k = 0; k < 4; k++)
    p[k] = level_at_pixel (v, i + k - 1, y, 1);
  *slope = .5 * (p[2] - p[0]) + u * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) +
      1.5 * u * u * (3 * p[1] - p[0] - 3 * p[2] + p[3]);
  return p[1] +
      .5 * u *
      (p[2] - p[0] +
          u *
              (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3] +
                  u * (3 * p[1] - p[0] - 3 * p[2] + p[3])));
}

/* Whether a pixel is in the midst of one surface that both views see. */
static bool
is_plain (const View *v, int x, int y)
{
  const StereoMaps *m = &v->maps;
  size_t at = (size_t) y * v->img.width + x;

  for (int k = -3; k <= 3; k++)
    if (!m->seen[at + k] || m->labels[at + k] != m->labels[at] ||
        fabsf (m->disparity[at + k] - m->disparity[at]) > .5f)
      return false;
  return true;
}

/* What the right view shows where the truth points to is what the left one
 * shows: nearly the same grey levels, and a search for a better place ends
 * within 1/100 pixel for each surface. */
static void
same_texture (DeviceKind kind)
{
  AUTO (View) a = view_new (640, 480), b = view_new (640, 480);

  for (int f = 0; f < 4; f++) {
    StereoParams p = stereo_defaults ();
    uint64_t number = rnd (1u << 31);
    double down[STEREO_MAX_OBJECTS + 1] = {0}, up[STEREO_MAX_OBJECTS + 1] = {0};
    double squares = 0, n = 0;

    p.seed = rnd (1000), p.noise = 0, p.disparity_offset = f ? 0 : -30;
    view_show (&a, &p, STEREO_LEFT, number);
    view_show (&b, &p, STEREO_RIGHT, number);
    for (int y = 0; y < 480; y++)
      for (int x = 3; x < 637; x++) {
        double there = x - a.maps.disparity[y * 640 + x], slope, error;
        int label = a.maps.labels[y * 640 + x];

        if (there < 3 || there > 636 || !is_plain (&a, x, y))
          continue;
        error = level_at_pixel (&a, x, y, 1) - read_row (&b, there, y, &slope);
        squares += error * error, n++;
        down[label] += slope * slope, up[label] += error * slope;
      }
    check (n > 640 * 480 * .6);
    check (sqrt (squares / n) < .8);
    for (int i = 0; i <= STEREO_MAX_OBJECTS; i++)
      if (down[i] > 2e5)
        check_near (up[i] / down[i], 0, .01);
  }
}

/* Normally distributed, alike in all channels, another in each view and frame;
 * where nothing is cut off at black or white. */
static void
noise (DeviceKind kind)
{
  AUTO (View) clean = view_new (320, 240), noisy = view_new (320, 240);
  AUTO (View) other = view_new (320, 240);

  for (int f = 0; f < 8; f++) {
    StereoParams p = stereo_defaults ();
    double n = 0, sum = 0, squares = 0, fourth = 0, both = 0;
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.contents = STEREO_HEAD, p.noise = 0;
    view_show (&clean, &p, f % 2, number);
    p.noise = f ? 3 : 12;
    view_show (&noisy, &p, f % 2, number);
    view_show (&other, &p, !(f % 2), number);
    for (int i = 0; i < 320 * 240; i++) {
      const uint8_t *c = clean.img.plane[0] + 3 * i;
      const uint8_t *d = noisy.img.plane[0] + 3 * i;
      double e = d[1] - c[1];

      if (c[0] != 96 || c[2] != 96 || !isnan (other.maps.depth[i]))
        continue; /* there is something */
      check (d[0] == d[1] && d[1] == d[2]);
      n++, sum += e, squares += e * e, fourth += e * e * e * e;
      both += e * (other.img.plane[0][3 * i + 1] - c[1]);
    }
    /* rounding adds 1/12 */
    check_near (sum / n, 0, .02 * p.noise);
    check_near (sqrt (squares / n - 1 / 12.), p.noise, .02 * p.noise);
    check_near (fourth * n / (squares * squares), 3, .1);
    check_near (both / squares, 0, .02);
  }
}

/* Only the right view, and as the formula has it. */
static void
exposure (DeviceKind kind)
{
  AUTO (View) plain = view_new (320, 240), dark = view_new (320, 240);
  StereoParams p = stereo_defaults ();

  p.seed = rnd (1000), p.noise = 0;
  for (int view = 0; view < 2; view++) {
    p.gain = p.gamma = 1;
    view_show (&plain, &p, view, 5);
    p.gain = .8, p.gamma = 1.6;
    view_show (&dark, &p, view, 5);
    for (int i = 0; i < 3 * 320 * 240; i++) {
      double v = plain.img.plane[0][i], w = dark.img.plane[0][i];

      /* half a level of rounding, before the curve and behind it */
      check_near (w, view ? 255 * .8 * pow (v / 255, 1.6) : v, view ? 1.2 : 0);
    }
  }
}

/* A misaligned right camera shows the same some rows further down; with half a
 * row, the mean of two rows nearly. */
static void
rows (DeviceKind kind)
{
  AUTO (View) still = view_new (320, 240), moved = view_new (320, 240);
  StereoParams p = stereo_defaults ();
  double squares = 0;

  p.seed = rnd (1000), p.noise = 0;
  for (int view = 0; view < 2; view++) {
    int lower = view ? 5 : 0;

    p.misalignment = 0;
    view_show (&still, &p, view, 9);
    p.misalignment = 5;
    view_show (&moved, &p, view, 9);
    check (moved.truth.cy == 119.5 + lower);
    for (int y = 1; y < 239 - lower; y++) {
      check (!memcmp (still.img.plane[0] + y * 960,
          moved.img.plane[0] + (y + lower) * 960, 960));
      check (!memcmp (still.maps.depth + y * 320,
          moved.maps.depth + (y + lower) * 320, 320 * sizeof (float)));
    }
  }
  p.misalignment = .5;
  view_show (&moved, &p, STEREO_RIGHT, 9);
  for (int y = 1; y < 239; y++)
    for (int x = 0; x < 320; x++) {
      int mean = level_at_pixel (&still, x, y, 1) +
          level_at_pixel (&still, x, y - 1, 1);
      double e = level_at_pixel (&moved, x, y, 1) - mean / 2.;

      squares += e * e;
    }
  check (sqrt (squares / (320 * 238)) < 6);
}

/* ---- Purity, all layouts, odd sizes, padded rows and bad parameters ---- */

static bool
same_maps (const View *a, const View *b)
{
  size_t n = (size_t) a->img.width * a->img.height;

  return !memcmp (a->maps.disparity, b->maps.disparity, 4 * n) &&
      !memcmp (a->maps.depth, b->maps.depth, 4 * n) &&
      !memcmp (a->maps.seen, b->maps.seen, n) &&
      !memcmp (a->maps.labels, b->maps.labels, 2 * n);
}

static bool
same_picture (const View *a, const View *b)
{
  return !memcmp (a->img.plane[0], b->img.plane[0],
      (size_t) 3 * a->img.width * a->img.height);
}

/* A view follows from params, view and number alone. */
static void
repeats (DeviceKind kind)
{
  AUTO (View) a = view_new (161, 99), b = view_new (161, 99);

  for (int i = 0; i < 8; i++) {
    uint64_t number = i == 7 ? UINT64_MAX - 5 : rnd (1u << 31);
    StereoParams p = stereo_defaults (), other;

    p.seed = rnd (1000);
    other = p, other.seed += 1;
    view_show (&a, &p, i % 2, number);
    view_show (&b, &other, i % 2, number);
    check (!same_picture (&a, &b) && !same_maps (&a, &b));
    view_show (&b, &p, !(i % 2), number);
    check (!same_picture (&a, &b) && !same_maps (&a, &b));
    view_show (&b, &p, i % 2, number + 1);
    check (!same_picture (&a, &b) && !same_maps (&a, &b));
    view_show (&b, &p, i % 2, number);
    check (same_picture (&a, &b) && same_maps (&a, &b));
    ok (stereo_render (b.scene, &p, i % 2, number, &b.img, NULL, NULL));
    check (same_picture (&a, &b));
  }
}

/* What is stored is the picture, and nothing is touched around it. */
static void
formats (DeviceKind kind)
{
  StereoParams p = stereo_defaults ();
  AUTO (View) v = view_new (61, 37);

  view_show (&v, &p, STEREO_RIGHT, 3);
  for (int f = 0; f < N_FORMATS; f++) {
    AUTO (Frame) frame = frame_new (all_formats[f], 61, 37, (int) rnd (30), 1);
    AUTO (Frame) same = frame_new (all_formats[f], 61, 37, 0, 1);

    ok (stereo_render (
        v.scene, &p, STEREO_RIGHT, 3, &frame.image, NULL, &v.maps));
    check (frame_is_unharmed (&frame));
    for (int y = 0; y < 37; y += 2)
      scene_put_rows (&same.image, v.img.plane[0], y);
    check (images_are_alike (&frame.image, &same.image));
  }
}

static void
sizes (DeviceKind kind)
{
  static const struct {
    int w, h;
    double f;
  } odd[] = {{1, 1, 700 / 480.}, {1, 2, 1400 / 480.}, {2, 1, 700 / 320.},
      {3, 5, 3500 / 480.}, {33, 17, 23100 / 640.}, {1, 480, 700}, {640, 1, 700},
      {4096, 2, 4480}, {2, 4096, 4096 * 700 / 480.}, {320, 240, 350}};

  for (int i = 0; i < 10; i++)
    for (int view = 0; view < 2; view++) {
      StereoParams p = stereo_defaults ();
      AUTO (View) v = view_new (odd[i].w, odd[i].h);

      p.seed = rnd (1000);
      view_show (&v, &p, view, rnd (1000));
      check_near (v.truth.fx, odd[i].f, 1e-9);
      check (v.truth.cx == (odd[i].w - 1) / 2.);
    }
}

/* A render that must be refused, and leave the frame alone. */
static void
refuse (const View *v, const StereoParams *p, StereoView view, const Image *img)
{
  const char *err = stereo_render (v->scene, p, view, 1, img, NULL, &v->maps);

  check (err && strlen (err) > 10);
  for (int i = 0; i < 3 * 20 * 10; i++)
    check (v->img.plane[0][i] == GUARD_BYTE);
}

static void
hostile (DeviceKind kind)
{
  static const size_t fields[] = {offsetof (StereoParams, speed),
      offsetof (StereoParams, baseline),
      offsetof (StereoParams, disparity_offset),
      offsetof (StereoParams, misalignment), offsetof (StereoParams, gain),
      offsetof (StereoParams, gamma), offsetof (StereoParams, noise)};
  static const double bad[] = {NAN, INFINITY, -INFINITY, -4097, 4097};
  static const int wrong[] = {0, -1, 4097, INT32_MAX, INT32_MIN};
  StereoParams good = stereo_defaults (), p;
  AUTO (View) v = view_new (20, 10);
  Image img = v.img;
  Stereo *none;

  memset (img.plane[0], GUARD_BYTE, 3 * 20 * 10);
  for (int i = 0; i < 5; i++) {
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
      p = good;
      memcpy ((char *) &p + fields[k], &bad[i], sizeof bad[i]);
      refuse (&v, &p, STEREO_LEFT, &img);
    }
    check (stereo_new (&none, wrong[i], 5) && !none);
    check (stereo_new (&none, 5, wrong[i]) && !none);
  }
  p = good, p.baseline = 0;
  refuse (&v, &p, STEREO_LEFT, &img);
  p = good, p.contents = 4;
  refuse (&v, &p, STEREO_LEFT, &img);
  p.contents = -1;
  refuse (&v, &p, STEREO_LEFT, &img);
  refuse (&v, &good, 2, &img);
  refuse (&v, &good, -1, &img);
  img.width = 21;
  refuse (&v, &good, STEREO_LEFT, &img);
  stereo_free (NULL);
}

static void
extremes (DeviceKind kind)
{
  AUTO (View) v = view_new (97, 41);

  for (int i = 0; i < 32; i++) {
    StereoParams p = {.seed = UINT64_MAX - i,
        .n_objects = 1,
        .contents = i % 4,
        .speed = i % 3 ? 8 : 5e-324,
        .baseline = i & 4 ? 1 : .001,
        .disparity_offset = i & 8 ? 4096 : -4096,
        .misalignment = i & 2 ? 64 : -64,
        .gain = i & 1 ? 4 : .1,
        .gamma = i & 4 ? 5 : .2,
        .noise = 64};
    int nan = 0;

    view_show (&v, &p, i / 2 % 2, UINT64_MAX - i);
    for (int k = 0; k < 97 * 41; k++) {
      check (!v.maps.seen[k]); /* so far off nothing is in both */
      nan += isnan (v.maps.disparity[k]);
    }
    check (i % 4 > 1 || !nan);
  }
}

/* ---- How long a frame takes ---- */

static int
bench (int argc, char **argv)
{
  static const int sizes[][2] = {{320, 240}, {640, 480}, {1280, 720}};
  StereoParams p = stereo_defaults ();

  for (int k = 0; k < 3; k++) {
    AUTO (View) v = view_new (sizes[k][0], sizes[k][1]);
    double start;

    view_show (&v, &p, STEREO_LEFT, 0);
    start = seconds ();
    for (int f = 0; f < 20; f++)
      view_show (&v, &p, f % 2, f);
    printf ("%d x %d: %.1f ms a view\n", sizes[k][0], sizes[k][1],
        (seconds () - start) * 1e3 / 20);
  }
  return check_failures != 0;
}

CHECK_MAIN (NULL, bench, {"wall", wall}, {"ground", ground},
    {"surfaces", surfaces}, {"head_first", head_first},
    {"head_slopes", head_slopes}, {"depths", depths}, {"contents", contents},
    {"objects", objects}, {"both_views", both_views}, {"hidden", hidden},
    {"same_texture", same_texture}, {"noise", noise}, {"exposure", exposure},
    {"rows", rows}, {"repeats", repeats}, {"formats", formats},
    {"sizes", sizes}, {"hostile", hostile}, {"extremes", extremes})
