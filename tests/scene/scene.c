/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Synthetic scenes: the same picture every time, a truth that is true, ways
 * and colours that keep their promises, every layout. */
#include <math.h>

#include "check.h"
#include "common/yuv.h"
#include "scene/chromatic_core.h"
#include "seconds.h"

/* ---- Is the truth true? ---- */

/* Recounted from the label map, against the closed forms of the shapes, and
 * over time. */

/* A scene with its picture in RGB, its truth and its label map. */
typedef struct {
  Chromatic *scene;
  Image img;
  SceneObject objects[CHROMATIC_MAX_OBJECTS];
  uint16_t *labels;
} Stage;

static Stage
stage_new (int w, int h)
{
  Stage s = {.img = {.width = w, .height = h, .format = IMAGE_RGB}};

  s.img.stride[0] = 3 * w;
  s.img.plane[0] = malloc ((size_t) 3 * w * h);
  s.labels = malloc ((size_t) w * h * sizeof *s.labels);
  ok (chromatic_new (&s.scene, w, h));
  return s;
}

static void
stage_free (Stage *s)
{
  chromatic_free (s->scene);
  free (s->img.plane[0]);
  free (s->labels);
}

AUTO_FREE (Stage, stage_free)

static void
stage_show (Stage *s, const ChromaticParams *p, uint64_t number)
{
  ok (chromatic_render (s->scene, p, number, &s->img, s->objects, s->labels));
}

static bool
same_picture (const Stage *a, const Stage *b)
{
  size_t n = (size_t) a->img.width * a->img.height;

  return !memcmp (a->img.plane[0], b->img.plane[0], 3 * n) &&
      !memcmp (a->labels, b->labels, n * sizeof *a->labels);
}

static void
repeats (DeviceKind kind)
{
  ChromaticParams p = chromatic_defaults (), other;
  AUTO (Stage) a = stage_new (161, 99), b = stage_new (161, 99);

  p.seed = rnd (1000), p.twins = 3;
  other = p, other.seed += 1, other.n_objects = 20;
  for (int i = 0; i < 4; i++) {
    uint64_t number = i == 3 ? UINT64_MAX - 5 : rnd (1u << 31);

    stage_show (&a, &p, number);
    stage_show (&b, &other, number + 9);
    stage_show (&b, &p, number);
    check (same_picture (&a, &b));
    check (a.objects[3].cx == b.objects[3].cx ||
        (isnan (a.objects[3].cx) && isnan (b.objects[3].cx)));
    stage_show (&b, &p, number + 1);
    check (!same_picture (&a, &b));
    other = p, other.seed++;
    stage_show (&b, &other, number);
    check (memcmp (a.labels, b.labels, 161 * 99 * 2));
  }
}

/* By the definitions, in two passes over the whole map. */
static void
recount (const Stage *s, int i)
{
  const SceneObject *o = &s->objects[i];
  int w = s->img.width, h = s->img.height;
  double n = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0, big, small, root;
  ImageBox b = {w, h, 0, 0};

  for (int at = 0; at < w * h; at++)
    if (s->labels[at] == i + 1) {
      int x = at % w, y = at / w;

      n++, mx += x, my += y;
      b = (ImageBox){x < b.x0 ? x : b.x0, y < b.y0 ? y : b.y0,
          x >= b.x1 ? x + 1 : b.x1, y >= b.y1 ? y + 1 : b.y1};
    }
  check (o->area == n && o->id == i && o->area <= o->full_area);
  if (!n) {
    check (isnan (o->cx) && isnan (o->orientation) && o->box.x1 == 0);
    return;
  }
  mx /= n, my /= n;
  for (int at = 0; at < w * h; at++)
    if (s->labels[at] == i + 1) {
      double dx = at % w - mx, dy = at / w - my;

      xx += dx * dx / n, xy += dx * dy / n, yy += dy * dy / n;
    }
  check_near (o->cx, mx, 1e-9);
  check_near (o->cy, my, 1e-9);
  check (!memcmp (&o->box, &b, sizeof b));
  root = sqrt ((xx - yy) * (xx - yy) + 4 * xy * xy);
  big = (xx + yy + root) / 2 + 1. / 12, small = (xx + yy - root) / 2 + 1. / 12;
  check_near (o->elongation, sqrt (big / small), 1e-6 * o->elongation);
  check (o->orientation > -M_PI_2 && o->orientation <= M_PI_2);
  /* along the axis, the second moment is the greatest */
  root = cos (o->orientation) * cos (o->orientation) * xx +
      2 * sin (o->orientation) * cos (o->orientation) * xy +
      sin (o->orientation) * sin (o->orientation) * yy + 1. / 12;
  check_near (root, big, 1e-6 * big);
}

static void
counts (DeviceKind kind)
{
  static const int sizes[][2] = {{320, 240}, {101, 67}, {64, 333}, {7, 5}};
  ChromaticParams p = chromatic_defaults ();

  for (int k = 0; k < 4; k++) {
    AUTO (Stage) s = stage_new (sizes[k][0], sizes[k][1]);

    for (int f = 0; f < 12; f++) {
      p.seed = rnd (1000), p.n_objects = 1 + rnd (40), p.occlusion = f % 3;
      stage_show (&s, &p, rnd (100000));
      for (int i = 0; i < p.n_objects; i++)
        recount (&s, i);
      for (int at = 0; at < s.img.width * s.img.height; at++)
        check (s.labels[at] <= p.n_objects);
    }
  }
}

/* Area of a shape of radius 1 and the ratio of its axes, from geometry.  A
 * star is ten triangles between a tip, a notch at 0.48 and the middle. */
static const struct {
  double area, elongation;
} form[CHROMATIC_SHAPES] = {
    [CHROMATIC_DISC] = {M_PI, 1},
    [CHROMATIC_BAR] = {4 * .88 * .44, 2},
    [CHROMATIC_STAR] = {5 * .48 * .5877852522924731, 1},
    [CHROMATIC_TRIANGLE] = {1.299038105676658, 1},
    [CHROMATIC_RING] = {M_PI * (1 - .16), 1},
    [CHROMATIC_BOX] = {1.4 * 1.4, 1},
    [CHROMATIC_ELLIPSE] = {M_PI * .62, 1 / .62},
    [CHROMATIC_CROSS] = {2 * 1.86 * .64 - .64 * .64, 1},
};

/* Alone in its circle, each shape shows what its geometry says. */
static void
shapes (DeviceKind kind)
{
  ChromaticParams p = chromatic_defaults ();
  AUTO (Stage) s = stage_new (900, 700);

  p.occlusion = false, p.seed = rnd (1000);
  for (int f = 0; f < 6; f++) {
    uint64_t number = rnd (1u << 30);
    ChromaticPlan plan = chromatic_plan (&p, 900, 700);

    stage_show (&s, &p, number);
    for (int i = 0; i < 8; i++) {
      const SceneObject *o = &s.objects[i];
      ChromaticPlace at = chromatic_place (&plan, i, number);
      double area = form[at.shape].area * at.radius * at.radius, turn;

      check (o->area == o->full_area && at.radius > 50);
      check_near (o->area, area, .02 * area);
      check_near (o->cx, at.x, .5); /* edges along the rows round alike */
      check_near (o->cy, at.y, .5);
      check_near (o->elongation, form[at.shape].elongation, .03);
      turn = remainder (o->orientation - atan2 (at.sin, at.cos), M_PI);
      if (form[at.shape].elongation > 1.2)
        check_near (turn, 0, .01);
    }
  }
}

/* ---- What the scene promises about ways ---- */

/* Smooth, inside the frame, apart from each other without occlusion, and hidden
 * only for a moment with it. */

static void
sine (DeviceKind kind)
{
  for (int i = 0; i < 5000; i++) {
    uint32_t turn = i < 8 ? i * (1u << 29) : (uint32_t) random_u64 (7, i);

    check_near (
        math_sin_turn (turn), sin (turn / 4294967296. * 2 * M_PI), 1e-7);
  }
}

/* Nobody leaves the frame, nobody jumps, and velocities are the ways'. */
static void
smooth (DeviceKind kind)
{
  ChromaticParams p = chromatic_defaults ();
  ChromaticPlan plan;

  for (int k = 0; k < 20; k++) {
    p.seed = rnd (1000), p.n_objects = 1 + rnd (16), p.occlusion = k % 2;
    plan = chromatic_plan (&p, 640, 480);
    for (int i = 0; i < p.n_objects; i++)
      for (uint64_t f = 1; f < 300; f++) {
        ChromaticPlace a = chromatic_place (&plan, i, f - 1);
        ChromaticPlace b = chromatic_place (&plan, i, f);
        ChromaticPlace c = chromatic_place (&plan, i, f + 1);

        check (b.x - b.radius >= -1 && b.x + b.radius <= 640);
        check (b.y - b.radius >= -1 && b.y + b.radius <= 480);
        check (hypot (c.x - b.x, c.y - b.y) < 8);
        check (hypot (c.x - 2 * b.x + a.x, c.y - 2 * b.y + a.y) < .5);
      }
  }
}

static void
velocity (DeviceKind kind)
{
  ChromaticParams p = chromatic_defaults ();
  AUTO (Stage) s = stage_new (640, 480);
  SceneObject before[8];

  p.occlusion = false;
  stage_show (&s, &p, 50);
  memcpy (before, s.objects, sizeof before);
  stage_show (&s, &p, 51);
  for (int i = 0; i < 8; i++) {
    check_near (s.objects[i].cx - before[i].cx, before[i].vx, .35);
    check_near (s.objects[i].cy - before[i].cy, before[i].vy, .35);
  }
}

/* The least distance from a pixel of an object to one of another or to a
 * patch that is on show, or @far. */
static double
nearest (const Stage *s, const ChromaticPlan *plan, uint64_t number, int far)
{
  const ChromaticParams *p = plan->params;
  int w = s->img.width, h = s->img.height, who;
  double least = far;
  ChromaticPlace patch;

  for (int at = 0; at < w * h; at++)
    for (int d = 1; s->labels[at] && d < (far + 1) * (2 * far + 1); d++) {
      int dx = d % (2 * far + 1) - far, dy = d / (2 * far + 1);
      int x = at % w + dx, y = at / w + dy;
      int other = x < 0 || x >= w || y >= h ? 0 : s->labels[y * w + x];

      if (other && other != s->labels[at])
        least = fmin (least, hypot (dx, dy));
    }
  for (int k = 0; k < p->distractors + p->twins; k++)
    if (chromatic_patch (plan, k, number, &patch, &who))
      for (int at = 0; at < w * h; at++)
        if (s->labels[at])
          least = fmin (
              least, hypot (at % w - patch.x, at / w - patch.y) - patch.radius);
  return least;
}

static void
apart (DeviceKind kind)
{
  static const int sizes[][2] = {{160, 120}, {91, 203}, {128, 128}};
  ChromaticParams p = chromatic_defaults ();

  p.occlusion = false, p.noise = 0, p.distractors = 8, p.twins = 8;
  for (int k = 0; k < 3; k++) {
    AUTO (Stage) s = stage_new (sizes[k][0], sizes[k][1]);
    double least = 5;
    ChromaticPlan plan;

    p.seed = rnd (1000), p.n_objects = k ? 4 + rnd (16) : 12;
    plan = chromatic_plan (&p, sizes[k][0], sizes[k][1]);
    for (int f = 0; f < (k ? 200 : 1000); f++) {
      stage_show (&s, &p, f);
      least = fmin (least, nearest (&s, &plan, f, 5));
      for (int i = 0; i < p.n_objects; i++)
        check (s.objects[i].area > 0 &&
            s.objects[i].area == s.objects[i].full_area);
    }
    check (least >= 2);
  }
}

/* A twin is on show somewhere else: at least a quarter of the frame away. */
static void
twins_far (DeviceKind kind)
{
  ChromaticParams p = chromatic_defaults ();
  int shown = 0, near = 0;

  p.distractors = 0, p.twins = 8;
  for (uint64_t f = 0; f < 4000; f += 7) {
    ChromaticPlan plan = chromatic_plan (&p, 640, 480);
    ChromaticPlace twin, own;
    int who;

    for (int k = 0; k < p.twins; k++)
      if (chromatic_patch (&plan, k, f, &twin, &who)) {
        own = chromatic_place (&plan, who, f);
        shown++, near += hypot (twin.x - own.x, twin.y - own.y) < 160;
      }
  }
  check (shown > 1000 && near < shown / 50);
}

/* With occlusion, everybody is hidden now and then, for up to about ten
 * frames. */
static void
hidden (DeviceKind kind)
{
  ChromaticParams p = chromatic_defaults ();
  AUTO (Stage) s = stage_new (200, 150);
  int now[8] = {0}, times = 0, most = 0, partly = 0;

  p.noise = 0;
  for (int f = 0; f < 900; f++) {
    stage_show (&s, &p, f);
    for (int i = 0; i < 8; i++) {
      const SceneObject *o = &s.objects[i];

      now[i] = o->area * 20 < o->full_area ? now[i] + 1 : 0;
      times += now[i] == 1;
      most = now[i] > most ? now[i] : most;
      partly += o->area && o->area < o->full_area;
    }
  }
  check (times >= 16 && partly > 300);
  check (most >= 4 && most <= 15);
}

/* ---- Do the colours keep their promise? ---- */

/* Lab is worked out here from its definition (CIE 15, IEC 61966-2-1), not taken
 * from the suite. */

static void
lab_of (const uint8_t rgb[3], double lab[3])
{
  static const double white[] = {.95047, 1, 1.08883};
  static const double m[3][3] = {{.4124564, .3575761, .1804375},
      {.2126729, .7151522, .0721750}, {.0193339, .1191920, .9503041}};
  double f[3];

  for (int i = 0; i < 3; i++) {
    f[i] = 0;
    for (int k = 0; k < 3; k++) {
      double v = rgb[k] / 255.;

      v = v <= .04045 ? v / 12.92 : pow ((v + .055) / 1.055, 2.4);
      f[i] += m[i][k] * v / white[i];
    }
    f[i] = f[i] > 216. / 24389 ? cbrt (f[i]) : f[i] * 841 / 108 + 4. / 29;
  }
  lab[0] = 116 * f[1] - 16;
  lab[1] = 500 * (f[0] - f[1]);
  lab[2] = 200 * (f[1] - f[2]);
}

static double
distance (const double p[3], const double q[3])
{
  return sqrt ((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
      (p[2] - q[2]) * (p[2] - q[2]));
}

static double
difference (const uint8_t a[3], const uint8_t b[3])
{
  double p[3], q[3];

  lab_of (a, p), lab_of (b, q);
  return distance (p, q);
}

/* Pixels of the picture, by whose they are (label) and by whose tolerance
 * holds them. */
typedef struct {
  double own, other, none; /* of an object: in its tolerance, in another's, in
                              nobody's */
  double stray, ground;    /* of nobody: in a tolerance, in none */
} Sorted;

static Sorted
sort_pixels (const Stage *s, const ChromaticColour *c, int n)
{
  static double centre[CHROMATIC_MAX_OBJECTS][3];
  Sorted t = {0};

  for (int i = 0; i < n; i++)
    lab_of (c[i].rgb, centre[i]);
  for (int at = 0; at < s->img.width * s->img.height; at++) {
    int whose = -1, label = s->labels[at];
    double lab[3];

    lab_of (s->img.plane[0] + 3 * at, lab);
    for (int i = 0; i < n && whose < 0; i++)
      if (distance (lab, centre[i]) <= c[i].tolerance)
        whose = i;
    if (label)
      *(whose < 0 ? &t.none : whose == label - 1 ? &t.own : &t.other) += 1;
    else
      *(whose < 0 ? &t.ground : &t.stray) += 1;
  }
  return t;
}

static void
tolerances_hold (DeviceKind kind)
{
  ChromaticColour c[12];
  AUTO (Stage) s = stage_new (320, 240);
  ChromaticParams p = chromatic_defaults ();

  for (int f = 0; f < 12; f++) {
    Sorted t;
    double seen;

    p.n_objects = f < 6 ? 12 : 1 + rnd (12), p.distractors = 12;
    p.seed = rnd (1000), p.occlusion = f % 2, p.texture = f % 3 ? .5 : 1;
    chromatic_palette (p.n_objects, c);
    stage_show (&s, &p, rnd (1u << 20));
    t = sort_pixels (&s, c, p.n_objects);
    seen = t.own + t.other + t.none;
    check (t.own > .93 * seen);
    check (t.other < .004 * seen);
    check (t.stray < .03 * seen); /* rims, which are half an object's */
  }
}

/* With as many as there may be, still most of each is where it belongs. */
static void
many_hold (DeviceKind kind)
{
  static ChromaticColour c[CHROMATIC_MAX_OBJECTS];
  AUTO (Stage) s = stage_new (1280, 720);
  ChromaticParams p = {.n_objects = 1024, .noise = 1, .texture = .5};
  Sorted t;

  chromatic_palette (1024, c);
  stage_show (&s, &p, 0);
  t = sort_pixels (&s, c, 1024);
  check (t.own > .98 * (t.own + t.other + t.none));
  check (t.stray == 0);
  for (int i = 0; i < 1024; i++)
    check (s.objects[i].area > 40);
}

static void
palette (DeviceKind kind)
{
  static ChromaticColour c[CHROMATIC_MAX_OBJECTS];
  static const int sizes[] = {1, 8, 12, 13, 64, 700, 1024};

  for (int k = 0; k < 7; k++) {
    int n = sizes[k];
    double closest = 1000;

    chromatic_palette (n, c);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        double apart = difference (c[i].rgb, c[j].rgb);
        double a = c[i].tolerance, b = c[j].tolerance;

        /* named ones stay in one part of their tolerance each */
        closest = fmin (closest, apart - (n > 12 ? a + b : fmax (a, b)));
        check (strcmp (c[i].name, c[j].name));
      }
      check (c[i].tolerance >= 4 && c[i].name[0]);
      check (difference (c[i].alike, c[i].rgb) > c[i].tolerance + 1);
    }
    check (closest >= (n > 12 ? 0 : 8));
  }
  chromatic_palette (12, c);
  check (!strcmp (c[0].name, "red") && !strcmp (c[11].name, "azure"));
  chromatic_palette (13, c);
  check (!strcmp (c[12].name, "c0012"));
}

static void
text (DeviceKind kind)
{
  static ChromaticColour c[CHROMATIC_MAX_OBJECTS];
  static char all[40000], cut[20];
  static const int sizes[] = {1, 8, 1024};

  for (int k = 0; k < 3; k++) {
    size_t length = chromatic_objects (sizes[k], all, sizeof all);
    const char *p = all;

    check (length == strlen (all));
    check (chromatic_objects (sizes[k], cut, sizeof cut) == length);
    check (chromatic_objects (sizes[k], NULL, 0) == length);
    check (
        !strncmp (cut, all, 19) && strlen (cut) == (length < 19 ? length : 19));
    chromatic_palette (sizes[k], c);
    for (int i = 0; i < sizes[k]; i++) {
      char name[16] = "";
      unsigned rgb = 0;
      double tolerance = 0;
      int used = 0;

      check (
          sscanf (p, "%15[^:]:#%6x~%lf%n", name, &rgb, &tolerance, &used) == 3);
      check (!strcmp (name, c[i].name) && tolerance == c[i].tolerance);
      check (rgb ==
          ((unsigned) c[i].rgb[0] << 16 | c[i].rgb[1] << 8 | c[i].rgb[2]));
      p += used;
      check (*p == (i + 1 < sizes[k] ? ';' : 0));
      p += *p == ';';
    }
  }
}

/* Noise has the deviation asked for, no mean, and no memory. */
static void
noise (DeviceKind kind)
{
  ChromaticParams p = chromatic_defaults ();
  AUTO (Stage) a = stage_new (200, 150), b = stage_new (200, 150);
  double sum = 0, squares = 0, pairs = 0, last = 0, n = 0;

  p.texture = 0, p.seed = rnd (1000), p.noise = 0;
  stage_show (&a, &p, 3);
  p.noise = 7;
  stage_show (&b, &p, 3);
  check (!memcmp (a.labels, b.labels, 200 * 150 * 2));
  for (int i = 0; i < 3 * 200 * 150; i++) {
    int v = a.img.plane[0][i];
    double d = b.img.plane[0][i] - v;

    if (v < 40 || v > 215)
      continue;
    n++, sum += d, squares += d * d, pairs += d * last, last = d;
  }
  check (n > 40000);
  check_near (sum / n, 0, .15);
  check_near (sqrt (squares / n), 7, .15);
  check_near (pairs / squares, 0, .03);
}

/* Shadows take light from ground and objects, give none, move nothing. */
static void
shadows (DeviceKind kind)
{
  ChromaticParams p = chromatic_defaults ();
  AUTO (Stage) a = stage_new (320, 240), b = stage_new (320, 240);
  int brighter = 0, ground = 0, objects = 0, seen = 0, deep = 0;

  p.noise = 0, p.shadows = 0, p.seed = rnd (1000);
  stage_show (&a, &p, 3);
  p.shadows = .2;
  stage_show (&b, &p, 3);
  check (!memcmp (a.labels, b.labels, 320 * 240 * 2));
  for (int i = 0; i < 320 * 240; i++) {
    int lit = a.img.plane[0][3 * i + 1], dim = b.img.plane[0][3 * i + 1];

    brighter += dim > lit + 1;
    *(a.labels[i] ? &objects : &ground) += dim < lit - 4;
    seen += a.labels[i] > 0;
    deep += a.labels[i] && dim < .78 * lit - 2;
  }
  check (!brighter && ground > 2000 && objects > 100);
  check (deep < seen / 20); /* under several, and at rims */
}

/* ---- Every layout, odd sizes, padded rows and bad parameters ---- */

/* Where components lie is written out here once more, by hand. */

#define GUARD 0xa5

/* Byte offset of component @c of pixel (@x, @y) in plane @plane. */
static size_t
offset_of (const Image *img, int c, int x, int y, int *plane)
{
  static const char *order[] = {[IMAGE_RGB] = "RGB",
      [IMAGE_BGR] = "BGR",
      [IMAGE_RGBA] = "RGBA",
      [IMAGE_BGRA] = "BGRA"};
  const char *o = img->format >= IMAGE_RGB && img->format <= IMAGE_BGRA
      ? order[img->format]
      : NULL;
  int s0 = img->stride[0], s1 = img->stride[1], s2 = img->stride[2];

  *plane = 0;
  if (o)
    return y * s0 + x * strlen (o) + (strchr (o, "RGB"[c]) - o);
  switch (img->format) {
    case IMAGE_NV12:
      *plane = c > 0;
      return c ? y / 2 * s1 + x / 2 * 2 + c - 1 : y * s0 + x;
    case IMAGE_I420:
      *plane = c;
      return c ? y / 2 * (c == 1 ? s1 : s2) + x / 2 : y * s0 + x;
    case IMAGE_YUY2:
      return y * s0 + (c ? x / 2 * 4 + 2 * c - 1 : 2 * x);
    case IMAGE_P010:
      *plane = c > 0;
      return c ? y / 2 * s1 + x / 2 * 4 + 2 * c - 1 : y * s0 + 2 * x + 1;
    case IMAGE_GRAY16:
      return y * s0 + 2 * x + 1;
    default:
      return y * s0 + x;
  }
}

/* The chroma block of (@x, @y): its mean colour, and a pixel's own for luma
 * and RGB. */
static void
expected (
    const Stage *ref, const Image *img, int c, int x, int y, uint8_t rgb[3])
{
  bool shared = image_is_yuv (img->format) && c;
  bool tall = shared && img->format != IMAGE_YUY2;
  int x0 = shared ? x / 2 * 2 : x, y0 = tall ? y / 2 * 2 : y;
  int x1 = shared && x0 + 1 < img->width ? x0 + 1 : x0;
  int y1 = tall && y0 + 1 < img->height ? y0 + 1 : y0;

  for (int k = 0; k < 3; k++) {
    const uint8_t *p = ref->img.plane[0] + k;
    int s = ref->img.stride[0];
    int sum = p[y0 * s + 3 * x0] + p[y0 * s + 3 * x1] + p[y1 * s + 3 * x0] +
        p[y1 * s + 3 * x1];

    rgb[k] = (uint8_t) ((sum + 2) / 4);
  }
}

static void
compare (const Stage *ref, const Image *img)
{
  bool grey = img->format <= IMAGE_GRAY16;
  bool luma = grey || image_is_yuv (img->format);
  Yuv m = yuv_of (img->matrix, grey || img->full_range);
  int wrong = 0, plane;

  for (int i = 0; i < img->width * img->height * (grey ? 1 : 3); i++) {
    int c = grey ? 0 : i % 3, at = grey ? i : i / 3;
    int x = at % img->width, y = at / img->width;
    size_t o = offset_of (img, c, x, y, &plane);
    uint8_t v[3];

    expected (ref, img, c, x, y, v);
    if (luma)
      yuv_from_rgb (&m, v, v);
    wrong += img->plane[plane][o] != v[c];
    if (img->format == IMAGE_P010)
      wrong += img->plane[plane][o - 1] != 0;
    if (img->format == IMAGE_RGBA || img->format == IMAGE_BGRA)
      wrong += img->plane[0][y * img->stride[0] + 4 * x + 3] != 255;
  }
  check (!wrong);
}

/* Renders into planes with padding, and looks at that afterwards. */
static void
one_format (Stage *ref, const ChromaticParams *p, ImageFormat format)
{
  Image img = ref->img;
  int touched = 0;

  img.format = format;
  img.matrix = rnd (3), img.full_range = rnd (2);
  for (int k = 0; k < image_planes (format); k++) {
    img.stride[k] = image_row_bytes (format, img.width, k) + 1 + rnd (40);
    img.plane[k] = malloc (img.stride[k] * (img.height + 1));
    memset (img.plane[k], GUARD, img.stride[k] * (img.height + 1));
  }
  ok (chromatic_render (ref->scene, p, 4, &img, NULL, NULL));
  compare (ref, &img);
  for (int k = 0; k < image_planes (format); k++) {
    int used = image_row_bytes (format, img.width, k), s = img.stride[k];
    int rows = image_rows (format, img.height, k);

    for (int i = 0; i < s * (img.height + 1); i++)
      touched += (i % s >= used || i / s >= rows) && img.plane[k][i] != GUARD;
    free (img.plane[k]);
  }
  check (!touched);
}

static void
formats (DeviceKind kind)
{
  static const int sizes[][2] = {
      {64, 48}, {1, 1}, {2, 1}, {1, 2}, {3, 5}, {33, 17}, {250, 3}, {16, 16}};
  ChromaticParams p = chromatic_defaults ();

  for (int k = 0; k < 8; k++) {
    AUTO (Stage) ref = stage_new (sizes[k][0], sizes[k][1]);

    p.n_objects = k % 2 ? 1024 : 5, p.twins = p.distractors = 20;
    p.occlusion = k % 3, p.seed = rnd (1000);
    stage_show (&ref, &p, 4);
    for (int f = IMAGE_GRAY8; f <= IMAGE_P010; f++)
      one_format (&ref, &p, f);
  }
}

static void
hostile (DeviceKind kind)
{
  static const double bad[] = {NAN, INFINITY, -INFINITY, -1, 1e9};
  AUTO (Stage) s = stage_new (20, 10);
  Chromatic *none;
  ChromaticParams good = chromatic_defaults (), p;
  static const int sizes[] = {0, -1, 16385, INT32_MAX, INT32_MIN};
  Image img = s.img;

  memset (s.img.plane[0], GUARD, 600);
  for (int i = 0; i < 5; i++) {
    double *fields[] = {&p.speed, &p.noise, &p.shadows, &p.texture};
    int *counts[] = {&p.n_objects, &p.distractors, &p.twins};

    for (int k = 0; k < 7; k++) {
      p = good;
      if (k < 4)
        *fields[k] = bad[i];
      else
        *counts[k - 4] = i % 2 ? 1000000 : -1 - i;
      check (chromatic_render (s.scene, &p, 1, &img, NULL, NULL));
    }
    check (chromatic_new (&none, sizes[i], 5) && !none);
    check (chromatic_new (&none, 5, sizes[i]) && !none);
  }
  p = good, p.n_objects = 0;
  check (chromatic_render (s.scene, &p, 1, &img, NULL, NULL));
  img.width = 21;
  check (chromatic_render (s.scene, &good, 1, &img, NULL, NULL));
  for (int i = 0; i < 600; i++)
    check (s.img.plane[0][i] == GUARD);
  chromatic_free (NULL);
}

static void
extremes (DeviceKind kind)
{
  AUTO (Stage) s = stage_new (97, 41);
  ChromaticParams p = {.n_objects = 1024,
      .speed = 8,
      .noise = 64,
      .shadows = .5,
      .texture = 1,
      .distractors = 256,
      .twins = 256};

  for (int i = 0; i < 4; i++) {
    p.occlusion = i % 2;
    stage_show (&s, &p, UINT64_MAX - i);
    p.n_objects = i ? 1 : 13;
  }
  p = (ChromaticParams){.n_objects = 1};
  stage_show (&s, &p, 0);
  check (s.objects[0].area > 0);
}

/* ---- How long a frame takes ---- */

static int
bench (int argc, char **argv)
{
  static const int sizes[][2] = {{640, 480}, {1920, 1080}, {3840, 2160}};
  ChromaticParams p = chromatic_defaults ();

  for (int k = 0; k < 3; k++)
    for (int n = 8; n <= 1024; n *= 128) {
      AUTO (Stage) s = stage_new (sizes[k][0], sizes[k][1]);
      double start;

      p.n_objects = n;
      stage_show (&s, &p, 0);
      start = seconds ();
      for (int f = 1; f <= 20; f++)
        stage_show (&s, &p, f);
      printf ("%d x %d, %d objects: %.1f ms a frame\n", sizes[k][0],
          sizes[k][1], n, (seconds () - start) * 1e3 / 20);
    }
  return check_failures != 0;
}

CHECK_MAIN (NULL, bench, {"repeats", repeats}, {"counts", counts},
    {"shapes", shapes}, {"sine", sine}, {"smooth", smooth},
    {"velocity", velocity}, {"apart", apart}, {"twins_far", twins_far},
    {"hidden", hidden}, {"tolerances_hold", tolerances_hold},
    {"many_hold", many_hold}, {"palette", palette}, {"text", text},
    {"noise", noise}, {"shadows", shadows}, {"formats", formats},
    {"hostile", hostile}, {"extremes", extremes})
