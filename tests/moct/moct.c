/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * moct in single frames: answers known by hand, an oracle that shares no code
 * with it, hostile frames, and CPU against CUDA bit for bit. */
#include <limits.h>
#include <math.h>

#include "seconds.h"
#include "check.h"
#include "common/yuv.h"
#include "failing.h"
#include "frames.h"
#include "moct/moct.h"
#include "moct/moct_table.h"
#include "moct/moct_sums_core.h"
#include "scene/chromatic.h"

/* ---- One frame ---- */

/* moct in one frame, for the parts of its test. */

static const uint8_t red[3] = {220, 30, 30}, green[3] = {40, 200, 40},
                     grey[3] = {120, 120, 120};

static MoctParams
default_params (const MoctColour *colours, int n)
{
  return (MoctParams){.colours = colours,
      .n_colours = n,
      .exact = true,
      .blobs = true,
      .max_area = UINT64_MAX,
      .min_area = 1,
      .max_objects = 64,
      .region = {0, 0, 32768, 32768},
      .reduction_factor = 40,
      .appear_frames = 1,
      .lose_frames = 5,
      .gate = 1};
}

/* Runs one frame through a new Moct; the objects are copied out. */
static int
find (DeviceKind kind, const MoctParams *p, const Frame *f, MoctObject *out,
    int max)
{
  AUTO (Device) dev = device_of (kind);
  Moct *m = NULL;
  void *memory = NULL;
  const MoctObject *objects;
  Image there;
  int n = 0;

  there = frame_to_device (f, &dev, &memory);
  ok (moct_new (&m, &dev, f->image.width, f->image.height, 0));
  ok (moct_run (m, p, &there, 0, &objects, &n));
  for (int i = 0; i < n && i < max; i++)
    out[i] = objects[i];
  moct_free (m);
  device_release (&dev, memory);
  return n;
}

static MoctColour
parse_one (const char *text)
{
  MoctColour c[MOCT_MAX_COLOURS];
  char problem[200];
  int n;

  check (moct_parse (text, c, &n, problem, sizeof problem) && n == 1);
  return c[0];
}

/* ---- Known answers ---- */

/* Answers that are known by hand. */

/* A red box of 4 x 2 pixels at (10, 20): 8 pixels, their centre half way, and
 * the second moments of 4 and 2 pixels, (n^2 - 1) / 12 + 1 / 12 each. */
static void
test_box (DeviceKind kind)
{
  MoctColour c = parse_one ("red:#dc1e1e~20");
  MoctParams p = default_params (&c, 1);
  MoctObject o;

  for (int i = 2; i < N_FORMATS; i++) {
    AUTO (Frame) f = frame_new (all_formats[i], 64, 48, 0, 1);

    frame_fill (&f, (ImageBox){0, 0, 64, 48}, grey);
    frame_fill (&f, (ImageBox){10, 20, 14, 22}, red);
    check (find (kind, &p, &f, &o, 1) == 1);
    check (o.area == 8 && o.colour == 0 && o.id == 1);
    check (o.cx == 11.5 && o.cy == 20.5);
    check (o.x0 == 10 && o.y0 == 20 && o.x1 == 14 && o.y1 == 22);
    check_near (o.orientation, 0, 1e-12);
    check_near (o.elongation, 2, 1e-12);
  }
}

/* A diagonal line of pixels: its major axis points down right. */
static void
test_orientation (DeviceKind kind)
{
  MoctColour c = parse_one ("red:#dc1e1e~20");
  MoctParams p = default_params (&c, 1);
  AUTO (Frame) f = frame_new (IMAGE_RGB, 100, 90, 5, 1);
  MoctObject o;

  frame_fill (&f, (ImageBox){0, 0, 100, 90}, grey);
  for (int i = 0; i < 80; i++)
    frame_set (&f, 5 + i, 7 + i, red);
  check (find (kind, &p, &f, &o, 1) == 1);
  check_near (o.orientation, M_PI / 4, 1e-9);
  check (o.area == 80 && o.cx == 44.5 && o.cy == 46.5);

  frame_fill (&f, (ImageBox){0, 0, 100, 90}, grey);
  for (int i = 0; i < 80; i++)
    frame_set (&f, 84 - i, 7 + i, red);
  check (find (kind, &p, &f, &o, 1) == 1);
  check_near (o.orientation, -M_PI / 4, 1e-9);
}

/* Two boxes with a gap of 9 pixels, one below with a gap of 3; both gaps lie
 * across a border of tiles. */
static void
test_merge_distance (DeviceKind kind)
{
  static const struct {
    int distance, blobs;
  } expected[] = {{0, 3}, {2, 3}, {3, 2}, {8, 2}, {9, 1}, {64, 1}};
  MoctColour c = parse_one ("red:#dc1e1e~20");
  MoctParams p = default_params (&c, 1);
  AUTO (Frame) f = frame_new (IMAGE_RGBA, 200, 100, 0, 16);
  MoctObject o[4];

  frame_fill (&f, (ImageBox){0, 0, 200, 100}, grey);
  frame_fill (&f, (ImageBox){20, 10, 55, 48}, red);
  frame_fill (&f, (ImageBox){64, 10, 90, 48}, red);
  frame_fill (&f, (ImageBox){30, 51, 50, 68}, red);
  for (int i = 0; i < 6; i++) {
    p.merge_distance = expected[i].distance;
    check (find (kind, &p, &f, o, 4) == expected[i].blobs);
  }
  p.merge_distance = 0;
  p.max_objects = 1; /* the largest stays */
  check (find (kind, &p, &f, o, 4) == 1);
  check (o[0].area == 35 * 38 && o[0].x0 == 20);
  p.max_objects = 64;
  p.min_area = 20 * 17 + 1; /* the lowest goes */
  check (find (kind, &p, &f, o, 4) == 2);
  p.max_area = 26 * 38; /* the left one too */
  check (find (kind, &p, &f, o, 4) == 1 && o[0].x0 == 64);
}

/* A colour in every tile of a large frame, whole and with a gap of 5 pixels
 * from top to bottom. */
static void
test_filled_frame (DeviceKind kind)
{
  const int w = 1001, h = 695, gap = 509;
  MoctColour c = parse_one ("bright:yuv=100..255,0..255,0..255");
  MoctParams p = default_params (&c, 1);
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, w, h, 0, 16);
  MoctObject o[2];

  memset (f.image.plane[0], 200, (size_t) h * f.image.stride[0]);
  check (find (kind, &p, &f, o, 2) == 1);
  check (o[0].area == (uint64_t) w * h && o[0].cx == (w - 1) / 2.);
  check (o[0].cy == (h - 1) / 2. && o[0].x1 == w && o[0].y1 == h);
  for (int y = 0; y < h; y++)
    memset (f.image.plane[0] + (size_t) y * f.image.stride[0] + gap, 0, 5);
  p.merge_distance = 5;
  check (find (kind, &p, &f, o, 2) == 1);
  check (o[0].area == (uint64_t) (w - 5) * h && o[0].x1 == w);
  p.merge_distance = 4;
  check (find (kind, &p, &f, o, 2) == 2);
  check (o[0].area + o[1].area == (uint64_t) (w - 5) * h);
  check (fmin (o[0].cx, o[1].cx) == (gap - 1) / 2.);
  check (fmax (o[0].x0, o[1].x0) == gap + 5);
}

static void
test_region_and_order (DeviceKind kind)
{
  MoctColour c[2] = {
      parse_one ("any:rgb=0..255,0..255,0..255"), parse_one ("red:#dc1e1e~20")};
  MoctParams p = default_params (c, 2);
  AUTO (Frame) f = frame_new (IMAGE_NV12, 80, 60, 0, 16);
  MoctObject o[2];

  frame_fill (&f, (ImageBox){0, 0, 80, 60}, grey);
  frame_fill (&f, (ImageBox){20, 10, 40, 30}, red);
  check (find (kind, &p, &f, o, 2) == 1); /* the first holds every pixel */
  check (o[0].colour == 0 && o[0].area == 80 * 60);
  c[0] = parse_one ("blue:hsv=200..260,50..100,20..100");
  p.region = (ImageBox){25, 13, 31, 100};
  check (find (kind, &p, &f, o, 2) == 1);
  check (o[0].colour == 1 && o[0].area == 6 * 17);
  check (o[0].x0 == 25 && o[0].y0 == 13 && o[0].x1 == 31 && o[0].y1 == 30);
}

/* Sides of the region may be any number. */
static void
test_far_regions (DeviceKind kind)
{
  const ImageBox all = {INT_MIN, INT_MIN, INT_MAX, INT_MAX};
  const ImageBox none[] = {{INT_MIN, INT_MIN, INT_MIN, INT_MIN},
      {INT_MAX, INT_MAX, INT_MAX, INT_MAX},
      {INT_MAX, INT_MAX, INT_MIN, INT_MIN}, {20, 20, 10, 10}, {0}};
  MoctColour c = parse_one ("any:rgb=0..255,0..255,0..255");
  MoctParams p = default_params (&c, 1);
  AUTO (Frame) f = frame_new (IMAGE_NV12, 80, 60, 0, 16);
  MoctObject o;

  frame_fill (&f, (ImageBox){0, 0, 80, 60}, grey);
  for (int k = MOCT_FUSED; k <= MOCT_PER_OBJECT; k++) {
    p.method = (MoctMethod) k;
    p.region = all;
    check (find (kind, &p, &f, &o, 1) == 1 && o.area == 80 * 60);
    for (int i = 0; i < 5; i++) {
      p.region = none[i];
      check (find (kind, &p, &f, &o, 1) == 0);
    }
  }
}

static void
test_hue_wraps (DeviceKind kind)
{
  MoctColour c = parse_one ("red:hsv=350..10,50..100,30..100");
  MoctParams p = default_params (&c, 1);
  AUTO (Frame) f = frame_new (IMAGE_RGB, 90, 32, 0, 1);
  /* hues 355, 5 and 20 */
  static const uint8_t hues[3][3] = {
      {200, 20, 35}, {200, 35, 20}, {200, 80, 20}};
  MoctObject o[4];

  for (int i = 0; i < 3; i++)
    frame_fill (&f, (ImageBox){30 * i, 0, 30 * i + 30, 32}, hues[i]);
  check (find (kind, &p, &f, o, 4) == 1);
  check (o[0].area == 60 * 32 && o[0].x0 == 0 && o[0].x1 == 60);
}

/* Every cell of the table has a place of its own, and every stored colour of a
 * cell a place of its own in it. */
static void
test_places (DeviceKind kind)
{
  static uint8_t taken[MOCT_PLACES], in_cell[MOCT_PART];
  int doubled = 0, wrong = 0;

  for (uint32_t cell = 0; cell < MOCT_CELLS; cell++) {
    uint32_t c = (cell & 31) << 3 | (cell >> 5 & 31) << 11 | cell >> 10 << 19;

    doubled += taken[moct_place (c)]++;
    wrong += moct_place (c | 0xff070707u) != moct_place (c);
  }
  for (uint32_t i = 0; i < MOCT_PART; i++)
    doubled += in_cell[moct_in_cell (
        0xfff8f8f8u | (i & 7) | (i >> 3 & 7) << 8 | i >> 6 << 16)]++;
  check (doubled == 0);
  check (wrong == 0);
}

/* ---- Cells of colours ---- */

/* Whether a cell of stored colours is where its bounds say, in the spaces in
 * which these are found without looking at each of its colours. */

static void
check_cell (const MoctEncoding *encoding, MoctSpace space, int cell,
    const MoctBounds *b)
{
  bool inside = true;
  uint8_t c[3];
  float p[3];

  for (int i = 0; i < MOCT_PART; i++) {
    moct_cell_colour (cell, i, c);
    moct_point (encoding, space, c, p);
    for (int k = 0; k < 3; k++)
      inside &= b->lo[k] <= p[k] && p[k] <= b->hi[k];
  }
  check (inside);
}

/* Of frames as one of the seven kinds stores them: in Lab all colours, and some
 * in the spaces where each of a point's numbers only rises or falls. */
static void
test_cells (DeviceKind kind)
{
  static const MoctSpace spaces[] = {MOCT_LAB, MOCT_RGB, MOCT_YUV};
  Image frame = {.format = rnd (7) ? IMAGE_NV12 : IMAGE_RGBA,
      .matrix = rnd (3),
      .full_range = rnd (2)};
  MoctEncoding encoding = moct_encoding (&frame);

  for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++) {
    const MoctBounds *bounds = moct_bounds_of (&encoding, spaces[k]);

    check (bounds != NULL);
    for (int cell = 0; cell < MOCT_CELLS; cell += k ? 1 + rnd (40) : 1)
      check_cell (&encoding, spaces[k], cell, &bounds[cell]);
  }
}

/* ---- An oracle ---- */

/* An oracle that shares no code with moct: colours by the textbook, in doubles,
 * and sums by a plain loop. */

typedef struct {
  double n, x, y, x0, y0, x1, y1;
} Sums;

static double
lab_curve (double t)
{
  return t > 216. / 24389 ? cbrt (t) : (24389. / 27 * t + 16) / 116;
}

/* Position of an RGB colour in @space, by the textbook. */
static void
textbook (MoctSpace space, const uint8_t rgb[3], double p[3])
{
  double v[3], max, min, sum = 0;

  for (int i = 0; i < 3; i++)
    v[i] = rgb[i];
  max = fmax (v[0], fmax (v[1], v[2])), min = fmin (v[0], fmin (v[1], v[2]));
  sum = v[0] + v[1] + v[2];
  if (space == MOCT_RG) {
    p[0] = sum > 0 ? v[0] / sum : 1. / 3, p[1] = sum > 0 ? v[1] / sum : 1. / 3;
    p[2] = 0;
  } else if (space == MOCT_HSV) {
    double h = 0;

    if (max > min)
      h = max == v[0]   ? fmod ((v[1] - v[2]) / (max - min) + 6, 6)
          : max == v[1] ? (v[2] - v[0]) / (max - min) + 2
                        : (v[0] - v[1]) / (max - min) + 4;
    p[0] = 60 * h, p[1] = max > 0 ? 100 * (max - min) / max : 0;
    p[2] = 100 * max / 255;
  } else if (space == MOCT_LAB || space == MOCT_NEAR) {
    /* IEC 61966-2-1's matrix, white of D65 */
    static const double m[3][3] = {{0.4124, 0.3576, 0.1805},
        {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}};
    double l[3], t[3];

    for (int i = 0; i < 3; i++)
      l[i] = v[i] <= 255 * 0.04045 ? v[i] / 255 / 12.92
                                   : pow ((v[i] / 255 + 0.055) / 1.055, 2.4);
    for (int i = 0; i < 3; i++)
      t[i] = lab_curve ((m[i][0] * l[0] + m[i][1] * l[1] + m[i][2] * l[2]) /
          (m[i][0] + m[i][1] + m[i][2]));
    p[0] = 116 * t[1] - 16, p[1] = 500 * (t[0] - t[1]);
    p[2] = 200 * (t[1] - t[2]);
  } else {
    memcpy (p, v, sizeof v);
  }
}

/* How far inside (positive) or outside the model a colour is. */
static double
depth_inside (const MoctColour *c, const uint8_t rgb[3])
{
  double p[3], depth = 1e9;

  textbook (c->space, rgb, p);
  if (c->space == MOCT_NEAR) {
    double centre[3], d = 0;

    textbook (MOCT_LAB, c->rgb, centre);
    for (int i = 0; i < 3; i++)
      d += (p[i] - centre[i]) * (p[i] - centre[i]);
    return c->hi[0] - sqrt (d);
  }
  for (int i = 0; i < (c->space == MOCT_RG ? 2 : 3); i++) {
    double lo = p[i] - c->lo[i], hi = c->hi[i] - p[i];
    double d = c->lo[i] <= c->hi[i] ? fmin (lo, hi) : fmax (lo, hi);

    depth = fmin (depth, d);
  }
  return depth;
}

static MoctColour
random_colour (int k)
{
  char text[200];
  int a = rnd (180), b = rnd (180), c = rnd (180), d = 20 + rnd (56);

  switch (rnd (5)) {
    case 0:
      snprintf (text, sizeof text, "c%d:rgb=%d..%d,%d..%d,%d..%d", k, a, a + d,
          b, b + d, c, c + d);
      break;
    case 1:
      snprintf (text, sizeof text, "c%d:rg=0.%02d..0.%02d,0.%02d..0.%02d", k,
          a / 4, a / 4 + 20, b / 4, b / 4 + 20);
      break;
    case 2:
      snprintf (text, sizeof text, "c%d:hsv=%d..%d,%d..100,%d..100", k,
          (a * 2 + 300) % 360, (a * 2 + 300 + d) % 360, b / 4, c / 4);
      break;
    case 3:
      snprintf (text, sizeof text, "c%d:lab=%d..%d,%d..%d,%d..%d", k, a / 4,
          a / 4 + 50, b / 2 - 80, b / 2 - 80 + d, c / 2 - 80, c / 2 - 80 + d);
      break;
    default:
      snprintf (text, sizeof text, "c%d:#%02x%02x%02x~%d", k, rnd (256),
          rnd (256), rnd (256), 5 + rnd (40));
  }
  return parse_one (text);
}

/* Blotches of a few colours, so that some fall on borders of tiles. */
static void
paint (Frame *f, int blotches)
{
  frame_randomise (f);
  for (int i = 0; i < blotches; i++) {
    uint8_t rgb[3] = {
        (uint8_t) rnd (256), (uint8_t) rnd (256), (uint8_t) rnd (256)};
    int x = rnd (f->image.width), y = rnd (f->image.height);
    int x1 = x + 1 + rnd (60), y1 = y + 1 + rnd (60);

    frame_fill (f,
        (ImageBox){x, y, x1 < f->image.width ? x1 : f->image.width,
            y1 < f->image.height ? y1 : f->image.height},
        rgb);
  }
}

/* The label map against the textbook, for every space: where the textbook is
 * sure, they agree. */
static void
test_labels (DeviceKind kind)
{
  AUTO (Device) dev = device_of (kind);

  for (int round = 0; round < 12; round++) {
    AUTO (Frame) f = frame_new (IMAGE_RGB, 150, 70, 3, 1);
    MoctColour c[6];
    MoctParams p = default_params (c, 6);
    uint16_t *labels, got[150 * 70];
    void *memory;
    Moct *m;
    Image there;
    int sure = 0, wrong = 0;

    for (int k = 0; k < 6; k++)
      c[k] = random_colour (k);
    paint (&f, 30);
    there = frame_to_device (&f, &dev, &memory);
    ok (moct_new (&m, &dev, 150, 70, 0));
    ok (device_alloc (&dev, (void **) &labels, sizeof got));
    ok (moct_labels (m, &p, &there, labels, 300));
    ok (device_copy (&dev, got, labels, sizeof got));
    ok (device_wait (&dev));
    for (int i = 0; i < 150 * 70; i++) {
      uint8_t rgb[3];
      int expected = 0;
      double least = 1e9;

      image_read (&f.image, i % 150, i / 150, rgb);
      for (int k = 5; k >= 0; k--) {
        double d = depth_inside (&c[k], rgb);

        least = fmin (least, fabs (d) / (c[k].space == MOCT_RG ? 1e-5 : 0.05));
        expected = d >= 0 ? k + 1 : expected;
      }
      sure += least > 1;
      wrong += least > 1 && got[i] != expected;
    }
    check (wrong == 0);
    check (sure > 9000);
    device_release (&dev, labels);
    device_release (&dev, memory);
    moct_free (m);
  }
}

/* Sums of a colour over random frames against a plain loop. */
static void
test_sums (DeviceKind kind)
{
  MoctColour c = parse_one ("c:rgb=100..255,0..140,20..200");
  MoctParams p = default_params (&c, 1);

  p.blobs = false;
  for (int round = 0; round < 30; round++) {
    int w = 1 + rnd (300), h = 1 + rnd (200);
    AUTO (Frame) f = frame_new (IMAGE_RGB, w, h, rnd (9), 1);
    Sums s = {0, 0, 0, 1e9, 1e9, -1, -1};
    MoctObject o;

    paint (&f, 20);
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) {
        const uint8_t *q =
            f.image.plane[0] + (size_t) y * f.image.stride[0] + 3 * x;

        if (q[0] < 100 || q[1] > 140 || q[2] < 20 || q[2] > 200)
          continue;
        s.n++, s.x += x, s.y += y;
        s.x0 = fmin (s.x0, x), s.x1 = fmax (s.x1, x + 1);
        s.y0 = fmin (s.y0, y), s.y1 = fmax (s.y1, y + 1);
      }
    check (find (kind, &p, &f, &o, 1) == (s.n > 0));
    if (s.n > 0) {
      check ((double) o.area == s.n && o.cx == s.x / s.n && o.cy == s.y / s.n);
      check (o.x0 == s.x0 && o.y0 == s.y0 && o.x1 == s.x1 && o.y1 == s.y1);
    }
  }
}

/* ---- Properties, and hostile frames ---- */

/* What blobs keep, and frames that nobody would send. */

/* The sums of a colour's blobs add up to the sum of the colour, whatever hangs
 * together; mirrored frames give mirrored boxes. */
static void
test_blobs_add_up (DeviceKind kind)
{
  static MoctObject o[4096];
  MoctColour c = parse_one ("c:rgb=100..255,0..140,20..200");
  MoctParams p = default_params (&c, 1);

  for (int round = 0; round < 10; round++) {
    AUTO (Frame) f = frame_new (IMAGE_RGBA, 200 + rnd (100), 150, 0, 16);
    MoctObject all;
    uint64_t area = 0;
    double x = 0;
    int n;

    frame_fill (&f, (ImageBox){0, 0, f.image.width, 150}, green);
    for (int i = 0; i < 25; i++) {
      uint8_t rgb[3] = {200, 50, 100};
      int x0 = rnd (f.image.width - 20), y0 = rnd (130);

      frame_fill (
          &f, (ImageBox){x0, y0, x0 + 1 + rnd (20), y0 + 1 + rnd (20)}, rgb);
    }
    p.blobs = true;
    n = find (kind, &p, &f, o, 4096);
    for (int i = 0; i < n; i++) {
      area += o[i].area;
      x += o[i].cx * (double) o[i].area;
    }
    p.blobs = false;
    check (find (kind, &p, &f, &all, 1) == 1);
    check (n > 1 && n <= 25);
    check (area == all.area);
    check_near (x / (double) area, all.cx, 1e-9);
  }
}

/* Frames of one pixel, of one row, no match, all matching, and a frame whose
 * every pixel is another class, which no slot has room for. */
static void
test_hostile (DeviceKind kind)
{
  static const int sizes[][2] = {{1, 1}, {1, 300}, {300, 1}, {17, 16}, {15, 33},
      {2, 2}, {64, 1}, {MOCT_MAX_SIDE, 1}, {3, MOCT_MAX_SIDE}};
  MoctColour c[2] = {parse_one ("none:rgb=1..1,2..2,3..3"),
      parse_one ("all:rgb=0..255,0..255,0..255")};
  MoctParams p = default_params (c, 2);
  MoctObject o;

  for (int i = 0; i < (int) (sizeof sizes / sizeof *sizes); i++)
    for (int k = 0; k < N_FORMATS; k++) {
      int w = sizes[i][0], h = sizes[i][1];
      AUTO (Frame) f = frame_new (all_formats[k], w, h, 7, 1);

      frame_fill (&f, (ImageBox){0, 0, w, h}, green);
      check (find (kind, &p, &f, &o, 1) == 1);
      check (o.area == (uint64_t) w * h && o.x1 == w && o.y1 == h);
      check_near (o.cx, (w - 1) / 2., 1e-12);
      check (frame_is_unharmed (&f));
    }
}

static void
test_every_pixel_another_class (DeviceKind kind)
{
  static MoctColour c[1024];
  static MoctObject o[4096];
  MoctParams p = default_params (c, 1024);
  AUTO (Frame) f = frame_new (IMAGE_RGB, 64, 64, 0, 1);
  int n;

  for (int k = 0; k < 1024; k++) {
    char text[64];

    snprintf (text, sizeof text, "c%d:rgb=%d..%d,%d..%d,0..255", k, k % 32 * 8,
        k % 32 * 8 + 7, k / 32 * 8, k / 32 * 8 + 7);
    c[k] = parse_one (text);
  }
  for (int i = 0; i < 64 * 64; i++) {
    uint8_t rgb[3] = {
        (uint8_t) (i % 32 * 8 + 3), (uint8_t) (i / 32 % 32 * 8 + 3), 9};

    frame_set (&f, i % 64, i / 64, rgb);
  }
  n = find (kind, &p, &f, o, 4096);
  check (n == 4096); /* each class stands alone in four places */
  for (int i = 0; i < n; i++)
    check (o[i].area == 1 && o[i].colour == i / 4);
}

/* ---- Benchmark ---- */

/* What moct costs: device time of the fused method, and wall time from launch
 * to results.  Frames of the synthetic scene, rotated over more memory than
 * any cache holds; the median of batches. */

#define BENCH_BYTES (512u << 20)
#define BENCH_MAX_FRAMES 256
#define BENCH_BATCHES 9

typedef struct {
  Device dev;
  DeviceTimer timer;
  Image frames[BENCH_MAX_FRAMES];
  void *memory[BENCH_MAX_FRAMES];
  int n_frames, width, height;
} Bench;

/* Renders four frames of @n_objects and copies them until the memory is
 * full. */
static void
bench_open (Bench *b, DeviceKind kind, ImageFormat format, int width,
    int height, int n_objects)
{
  ChromaticParams scene_params = chromatic_defaults ();
  Chromatic *scene;
  AUTO (Frame) f = frame_new (format, width, height, 0, 256);
  int room = kind == DEVICE_CUDA ? (int) (BENCH_BYTES / f.bytes) : 8;

  memset (b, 0, sizeof *b);
  b->width = width;
  b->height = height;
  scene_params.n_objects = n_objects ? n_objects : 8;
  if (n_objects > CHROMATIC_NAMED)
    scene_params.noise = scene_params.shadows = 0;
  b->n_frames = room < BENCH_MAX_FRAMES ? room : BENCH_MAX_FRAMES;
  ok (device_open (&b->dev, kind, NULL));
  ok (chromatic_new (&scene, width, height));
  for (int i = 0; i < b->n_frames; i++) {
    if (i < 4)
      ok (chromatic_render (
          scene, &scene_params, 10 * (uint64_t) i, &f.image, NULL, NULL));
    b->frames[i] = frame_to_device (&f, &b->dev, &b->memory[i]);
    if (i >= 4)
      ok (device_copy (&b->dev, b->memory[i], b->memory[i % 4], f.bytes));
  }
  ok (device_wait (&b->dev));
  chromatic_free (scene);
}

static void
bench_close (Bench *b)
{
  for (int i = 0; i < b->n_frames; i++)
    device_release (&b->dev, b->memory[i]);
  device_timer_free (&b->timer);
  device_close (&b->dev);
}

AUTO_FREE (Bench, bench_close)

/* Microseconds a frame: of the device where @queue only, else of moct_run
 * with its results. */
static double
bench_run (Bench *b, Moct *m, const MoctParams *p, bool queue, int frames)
{
  double times[BENCH_BATCHES];
  const MoctObject *objects;
  int n, at = 0;

  for (int batch = -1; batch < BENCH_BATCHES; batch++) {
    double seconds = 0;

    ok (device_timer_begin (&b->dev, &b->timer));
    for (int i = 0; i < frames; i++, at = (at + 1) % b->n_frames)
      if (queue)
        ok (moct_queue (m, p, &b->frames[at]));
      else
        ok (moct_run (m, p, &b->frames[at], 0, &objects, &n));
    ok (device_timer_end (&b->dev, &b->timer, &seconds));
    if (batch >= 0)
      times[batch] = 1e6 * seconds / frames;
  }
  return bench_median (times, BENCH_BATCHES);
}

/* A scene of @n_objects looked at with the first @n of @n_colours of which the
 * rest, beyond its objects, occur nowhere.  Of no object: one colour that fills
 * the frame. */
static void
bench_row (DeviceKind kind, const char *name, ImageFormat format, int width,
    int height, int n_objects, int n, bool blobs)
{
  static MoctColour colours[MOCT_MAX_COLOURS];
  static char text[MOCT_MAX_COLOURS * 40], problem[256];
  int frames = kind == DEVICE_CUDA ? 200 : 4, have;
  MoctParams p = {.colours = colours,
      .n_colours = n,
      .exact = true,
      .blobs = blobs,
      .min_area = 50,
      .max_area = UINT64_MAX,
      .max_objects = 8,
      .region = {0, 0, 32768, 32768},
      .reduction_factor = 40,
      .appear_frames = 1,
      .lose_frames = 30};
  AUTO (Bench) b;
  Moct *m;
  double device, wall;

  chromatic_objects (n_objects, text, sizeof text);
  if (!n_objects)
    snprintf (text, sizeof text, "all:yuv=0..255,0..255,0..255");
  check (moct_parse (text, colours, &have, problem, sizeof problem));
  for (int k = have; k < n; k++) {
    memset (&colours[k], 0, sizeof colours[k]);
    snprintf (colours[k].name, sizeof colours[k].name, "unused%d", k);
    colours[k].space = MOCT_RGB;
    colours[k].lo[0] = colours[k].hi[0] = 255;
    colours[k].hi[1] = (float) (k % 8);
  }
  bench_open (&b, kind, format, width, height, n_objects);
  ok (moct_new (&m, &b.dev, width, height, 0));
  device = bench_run (&b, m, &p, true, frames);
  wall = bench_run (&b, m, &p, false, frames);
  printf ("%s,%s,%dx%d,%d,%d,%s,%.2f,%.2f\n",
      kind == DEVICE_CUDA ? "cuda" : "cpu", name, width, height, n_objects, n,
      blobs ? "blobs" : "sums", device, wall);
  fflush (stdout);
  moct_free (m);
}

static const struct {
  const char *name;
  ImageFormat format;
  int width, height, objects, colours;
} bench_rows[] = {
    {"NV12", IMAGE_NV12, 1920, 1080, 8, 1},
    {"NV12", IMAGE_NV12, 1920, 1080, 8, 8},
    {"NV12", IMAGE_NV12, 1920, 1080, 8, 128},
    {"NV12", IMAGE_NV12, 1920, 1080, 128, 128},
    {"NV12", IMAGE_NV12, 1920, 1080, 0, 1},
    {"NV12", IMAGE_NV12, 3840, 2160, 8, 1},
    {"NV12", IMAGE_NV12, 3840, 2160, 8, 8},
    {"NV12", IMAGE_NV12, 3840, 2160, 8, 128},
    {"NV12", IMAGE_NV12, 3840, 2160, 128, 128},
    {"NV12", IMAGE_NV12, 3840, 2160, 0, 1},
    {"I420", IMAGE_I420, 1920, 1080, 8, 8},
    {"YUY2", IMAGE_YUY2, 1920, 1080, 8, 8},
    {"P010", IMAGE_P010, 1920, 1080, 8, 8},
    {"RGB", IMAGE_RGB, 1920, 1080, 8, 8},
    {"RGBA", IMAGE_RGBA, 1920, 1080, 8, 8},
    {"RGBA", IMAGE_RGBA, 3840, 2160, 8, 8},
    {"RGBA", IMAGE_RGBA, 3840, 2160, 1024, 1024},
};

/* `--bench [cpu] [row N]` */
static int
bench_all (int argc, char **argv)
{
  int first = 0, last;
  DeviceKind kind = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;
  int n = sizeof bench_rows / sizeof *bench_rows;

  last = n;
  for (int i = 2; i < argc; i++)
    if (!strcmp (argv[i], "cpu"))
      kind = DEVICE_CPU;
    else if (!strcmp (argv[i], "row") && i + 1 < argc)
      first = atoi (argv[i + 1]), last = first + 1;
  printf ("device,format,size,objects,colours,result,device us,wall us\n");
  for (int i = first; i < last && i < n; i++)
    for (int blobs = 0; blobs < 2; blobs++)
      bench_row (kind, bench_rows[i].name, bench_rows[i].format,
          bench_rows[i].width, bench_rows[i].height, bench_rows[i].objects,
          bench_rows[i].colours, blobs);
  return check_failures != 0;
}

/* ---- Parity ---- */

static MoctParams
random_params (const MoctColour *colours, int n)
{
  MoctParams p = default_params (colours, n);

  p.exact = rnd (2);
  p.blobs = rnd (3) > 0;
  p.merge_distance = rnd (2) ? rnd (65) : 0;
  p.min_area = rnd (2) ? 1 + rnd (40) : 1;
  p.max_objects = 1 + rnd (64);
  if (rnd (2))
    p.region = (ImageBox){
        (int) rnd (50), (int) rnd (50), 50 + rnd (200), 50 + rnd (200)};
  return p;
}

/* Both must find the same in @f. */
static void
compare (const MoctParams *p, const Frame *f)
{
  static MoctObject a[4096], b[4096];
  int n, m;

  memset (a, 0, sizeof a);
  memset (b, 0, sizeof b);
  n = find (DEVICE_CPU, p, f, a, 4096);
  m = find (DEVICE_CUDA, p, f, b, 4096);
  check (n == m && !memcmp (a, b, n * sizeof *a));
}

static void
test_parity (DeviceKind kind)
{
  static MoctColour c[64];

  for (int round = 0; round < 400; round++) {
    int n_colours = 1 + rnd (round % 4 ? 6 : 64);
    MoctParams p = random_params (c, n_colours);
    AUTO (Frame) f = frame_new (all_formats[rnd (N_FORMATS)], 1 + rnd (400),
        1 + rnd (300), rnd (2) ? rnd (40) : 0, rnd (2) ? 16 : 1);

    f.image.matrix = rnd (3);
    f.image.full_range = rnd (2);
    for (int k = 0; k < n_colours; k++)
      c[k] = random_colour (k);
    paint (&f, rnd (60));
    compare (&p, &f);
  }
}

/* Large boxes, bright and dark, then specks of both. */
static void
paint_large (Frame *f, int specks)
{
  int w = f->image.width, h = f->image.height, stride = f->image.stride[0];

  memset (f->image.plane[0], rnd (2) ? 200 : 20, (size_t) h * stride);
  for (int i = 0; i < 8; i++) {
    int x = rnd (w), y = rnd (h), x1 = x + 1 + rnd (w - x);
    int y1 = y + 1 + rnd (h - y), level = rnd (2) ? 200 : 20;

    for (; y < y1; y++)
      memset (f->image.plane[0] + y * stride + x, level, x1 - x);
  }
  for (int i = 0; i < specks; i++)
    f->image.plane[0][rnd (h) * stride + rnd (w)] = rnd (2) ? 200 : 20;
}

/* In every tile a box that leaves up to @margin pixels free on each side. */
static void
paint_tiles (Frame *f, int margin)
{
  int w = f->image.width, h = f->image.height, stride = f->image.stride[0];

  memset (f->image.plane[0], 20, (size_t) h * stride);
  for (int y = 0; y + MOCT_TILE <= h; y += MOCT_TILE)
    for (int x = 0; x + MOCT_TILE <= w; x += MOCT_TILE) {
      int left = rnd (margin + 1), right = MOCT_TILE - rnd (margin + 1);
      int top = rnd (margin + 1), bottom = MOCT_TILE - rnd (margin + 1);

      for (int r = top; r < bottom; r++)
        memset (
            f->image.plane[0] + (y + r) * stride + x + left, 200, right - left);
    }
}

/* Two colours that share all pixels of large frames: each has thousands of
 * fragments.  The last frame is larger than what a block has in shared
 * memory. */
static void
test_parity_large (DeviceKind kind)
{
  MoctColour c[2] = {parse_one ("bright:yuv=100..255,0..255,0..255"),
      parse_one ("dark:yuv=0..99,0..255,0..255")};

  for (int round = 0; round < 24; round++) {
    int w = round < 23 ? 700 + (int) rnd (1500) : 8300;
    int h = round < 23 ? 700 + (int) rnd (900) : 1900;
    MoctParams p = random_params (c, 2);
    AUTO (Frame) f = frame_new (IMAGE_GRAY8, w, h, 0, rnd (2) ? 16 : 1);

    p.blobs = true;
    p.region = (ImageBox){0, 0, 32768, 32768};
    if (round % 3)
      paint_large (&f, (int) rnd (4) * w * h / 800);
    else
      paint_tiles (&f, (int) rnd (7));
    compare (&p, &f);
  }
}

/* ---- The history as a map (section 3.5) ---- */

#define PAST 5 /* frames of the history */

typedef struct {
  float point[MOCT_HISTORY_ROWS][PAST][MOCT_HISTORY_CHANNELS];
} Past;

static Past
read_past (Moct *moct, const Device *dev, const MoctObject *objects, int n)
{
  size_t row = sizeof (float) * PAST * MOCT_HISTORY_CHANNELS;
  size_t stride = row + 32;
  void *there;
  Past past;

  ok (device_alloc (dev, &there, stride * MOCT_HISTORY_ROWS));
  ok (moct_history (moct, objects, n, there, stride));
  ok (device_copy_rows (
      dev, &past, row, there, stride, row, MOCT_HISTORY_ROWS));
  ok (device_wait (dev));
  device_release (dev, there);
  return past;
}

/* A red square of 6 x 6 pixels that moves by two pixels a frame and is not seen
 * in frame 4.  After frame k, with a ring of five rows, its row holds frames
 * k - 4 to k, with times 0.1 s apart. */
static void
test_history (DeviceKind kind)
{
  MoctColour colour = parse_one ("red:#ff0000~30");
  MoctParams p = default_params (&colour, 1);
  AUTO (Device) dev = device_of (kind);
  Moct *moct;

  p.min_area = 1;
  p.appear_frames = 1;
  ok (moct_new (&moct, &dev, 64, 32, PAST));
  for (int k = 0; k < 9; k++) {
    AUTO (Frame) f = frame_new (IMAGE_RGB, 64, 32, 0, 1);
    const MoctObject *o;
    void *memory;
    Image image;
    Past past;
    int n;

    memset (f.image.plane[0], 0, 32 * (size_t) f.image.stride[0]);
    for (int i = 0; i < 36 && k != 4; i++)
      f.image.plane[0][(10 + i / 6) * (ptrdiff_t) f.image.stride[0] +
          3 * (10 + 2 * k + i % 6)] = 255;
    image = frame_to_device (&f, &dev, &memory);
    ok (moct_run (moct, &p, &image, .1, &o, &n));
    check (n == 1);
    past = read_past (moct, &dev, o, n);
    device_release (&dev, memory);
    for (int c = 0; c < PAST; c++) {
      const float *point = past.point[0][c];
      int frame = k - (PAST - 1) + c;

      if (frame < 0) {
        check (isnan (point[0]) && isnan (point[7]));
        continue;
      }
      check_near (point[6], -.1 * (k - frame), 1e-6);
      check (point[7] == (frame != 4));
      if (frame == 4)
        continue; /* predicted */
      check (point[0] == 12.5f + 2 * frame && point[1] == 12.5f);
      check (point[2] == 10 + 2 * frame && point[3] == 10);
      check (point[4] == 16 + 2 * frame && point[5] == 16);
    }
    for (int row = 1; row < MOCT_HISTORY_ROWS; row++)
      check (isnan (past.point[row][PAST - 1][0]));
  }
  moct_free (moct);
}

/* Many objects of random frames, more than there are rows: bit for bit, NANs
 * included. */
static void
test_parity_history (DeviceKind kind)
{
  MoctColour colour = parse_one ("red:#ff0000~30");
  MoctParams p = default_params (&colour, 1);
  AUTO (Device) cpu = device_of (DEVICE_CPU);
  AUTO (Device) cuda = device_of (DEVICE_CUDA);
  Moct *a, *b;

  p.min_area = 1;
  p.appear_frames = 1;
  p.merge_distance = 0;
  p.max_objects = MOCT_MAX_OBJECTS;
  ok (moct_new (&a, &cpu, 400, 300, PAST));
  ok (moct_new (&b, &cuda, 400, 300, PAST));
  for (int k = 0; k < 12; k++) {
    AUTO (Frame) f = frame_new (IMAGE_RGB, 400, 300, 0, 1);
    const MoctObject *o, *too;
    Past past, past_too;
    void *memory;
    Image image;
    int n, n_too;

    memset (f.image.plane[0], 0, 300 * (size_t) f.image.stride[0]);
    for (int i = 0; i < 80; i++) {
      int x = i % 10 * 40 + 2 + (int) rnd (4), y = i / 10 * 36 + (int) rnd (4);

      if (rnd (5))
        f.image.plane[0][y * (ptrdiff_t) f.image.stride[0] + 3 * x] = 255;
    }
    ok (moct_run (a, &p, &f.image, .05, &o, &n));
    image = frame_to_device (&f, &cuda, &memory);
    ok (moct_run (b, &p, &image, .05, &too, &n_too));
    check (n == n_too);
    past = read_past (a, &cpu, o, n);
    past_too = read_past (b, &cuda, too, n_too);
    device_release (&cuda, memory);
    for (size_t i = 0; i < sizeof past / sizeof (float); i++) {
      const float u = (&past.point[0][0][0])[i];
      const float v = (&past_too.point[0][0][0])[i];

      check (u == v || (isnan (u) && isnan (v)));
    }
  }
  moct_free (a);
  moct_free (b);
}

#define FAILING_SIDE 40

/* All that calls the device, with two red squares; NULL or the first failure.
 */
static const char *
use_all (Moct *moct, const MoctParams *params)
{
  static uint8_t pixels[FAILING_SIDE * FAILING_SIDE * 3];
  static uint16_t labels[FAILING_SIDE * FAILING_SIDE];
  Image frame = {{pixels}, {3 * FAILING_SIDE}, FAILING_SIDE, FAILING_SIDE,
      IMAGE_RGB, IMAGE_BT601, true};
  MoctColour learned = {.name = "learned", .space = MOCT_LEARN};
  MoctLesson *lesson = NULL;
  const MoctObject *objects;
  const char *err;
  MoctLearned what;
  MoctPoint points[MOCT_MAX_OBJECTS * 4];
  static float past[MOCT_HISTORY_ROWS][8][MOCT_HISTORY_CHANNELS];
  int n, counts[MOCT_MAX_OBJECTS];

  for (int y = 0; y < 10; y++)
    for (int x = 0; x < FAILING_SIDE; x++)
      pixels[3 * (y * FAILING_SIDE + x)] = x % 20 < 10 ? 255 : 0;
  for (int i = 0; i < 2; i++)
    TRY (moct_run (moct, params, &frame, 0.04, &objects, &n));
  check (n == (params->method == MOCT_FUSED ? 2 : 1));
  TRY (moct_trajectories (moct, objects, n, 4, points, counts));
  TRY (moct_history (moct, objects, n, past[0][0], sizeof past[0]));
  TRY (moct_labels (moct, params, &frame, labels, 2 * FAILING_SIDE));
  check (labels[0] == 1);
  err = moct_learn (moct, &frame, &(MoctDrag){.region = {0, 0, 5, 5}}, &lesson,
      &learned, &what);
  moct_lesson_free (lesson);
  return err;
}

/* Each call of the device fails once: a sentence, and nothing kept.  Frames
 * after it are refused, or have the right results. */
static void
test_failing (DeviceKind kind)
{
  MoctColour colour = parse_one ("red:#ff0000~30");

  for (MoctMethod method = MOCT_FUSED; method <= MOCT_PER_OBJECT; method++) {
    int calls = 2;

    for (int at = 0; at < calls; at++) { /* the last is that of moct_free () */
      MoctParams p = default_params (&colour, 1);
      Moct *moct = NULL;
      const char *err;
      bool made;
      Device dev;

      p.method = method;
      p.blobs = method == MOCT_FUSED;
      p.reduction_factor = 4;
      failing_reset (at);
      ok (failing_open (&dev, DEVICE_CPU, NULL));
      err = moct_new (&moct, &dev, FAILING_SIDE, FAILING_SIDE, 8);
      made = !err;
      err = err ? err : use_all (moct, &p);
      check (!err == !at);
      check (
          !err || !strcmp (err, FAILING_MEMORY) || !strcmp (err, FAILING_LOST));
      if (made && err) {
        failing_reset (0);
        use_all (moct, &p);
      }
      moct_free (moct);
      device_close (&dev);
      calls = at ? calls : failing_calls;
      check (failing_blocks == 0);
    }
    check (calls > 10);
  }
  failing_reset (0);
}


static const CheckPart parity[] = {{"CPU and CUDA", test_parity},
    {"large frames", test_parity_large}, {"history", test_parity_history},
    {NULL, NULL}};

CHECK_MAIN (parity, bench_all, PART (box), PART (orientation),
    {"merge distance", test_merge_distance},
    {"region, order of colours", test_region_and_order},
    {"far regions", test_far_regions}, {"a filled frame", test_filled_frame},
    PART (places), PART (cells), {"hue wraps", test_hue_wraps},
    {"labels against the textbook", test_labels},
    {"sums against a plain loop", test_sums},
    {"blobs add up", test_blobs_add_up}, {"hostile frames", test_hostile},
    {"every pixel another class", test_every_pixel_another_class},
    PART (history), PART (failing))
