/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Painting: shapes, shadows and the pillar; the ground below them; then the
 * light of passing clouds, and the sensor's noise. */
#include "scene/chromatic_core.h"

#include <stdatomic.h>
#include <string.h>

#include "common/parallel.h"
#include "common/random.h"

/* The direction of the light: from above, a little from the left. */
#define LIGHT_X (-.6)
#define LIGHT_Y (-.8)

/* For fewer rows, threads cost more than they save. */
#define FEW 64

static double
clamp_level (double v, double lo, double hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

/* From 0 to 1 without a kink at the ends. */
static double
smooth_step (double t)
{
  t = clamp_level (t, 0, 1);
  return t * t * (3 - 2 * t);
}

static double
star_distance (double r, double u, double v)
{
  const double c = .8090169943749475, s = .5877852522924731; /* of 36 degrees */
  double notch_x = .48 * r * c, notch_y = .48 * r * s;
  double edge_x = r - notch_x, edge_y = notch_y;

  /* five tips, mirrored into one half of a tip */
  v = fabs (v);
  for (int i = 0; i < 2; i++) {
    double over = c * v - s * u;

    if (over > 0)
      u += 2 * over * s, v -= 2 * over * c;
    v = fabs (v);
  }
  return ((u - r) * edge_y + v * edge_x) /
      sqrt (edge_x * edge_x + edge_y * edge_y);
}

double
chromatic_distance (ChromaticShape shape, double r, double u, double v)
{
  double a = fabs (u), b = fabs (v), p, q;

  switch (shape) {
    case CHROMATIC_BAR:
      return fmax (a - .88 * r, b - .44 * r);
    case CHROMATIC_STAR:
      return star_distance (r, u, v);
    case CHROMATIC_TRIANGLE: /* sqrt (3) / 2 */
      return fmax (.5 * u + .8660254037844386 * b, -u) - .5 * r;
    case CHROMATIC_RING:
      return fabs (sqrt (u * u + v * v) - .7 * r) - .3 * r;
    case CHROMATIC_BOX:
      return fmax (a, b) - .7 * r;
    case CHROMATIC_ELLIPSE: /* to first order: value over gradient */
      p = u * u + v * v / (.62 * .62);
      q = u * u + v * v / (.62 * .62 * .62 * .62);
      p = sqrt (p), q = sqrt (q);
      return q > 0 ? p * (p - r) / q : -.62 * r;
    case CHROMATIC_CROSS:
      return fmin (
          fmax (a - .93 * r, b - .32 * r), fmax (a - .32 * r, b - .93 * r));
    default:
      return sqrt (u * u + v * v) - r;
  }
}

ImageBox
chromatic_bounds (const Chromatic *s, double x, double y, double r)
{
  return (ImageBox){(int) clamp_level (ceil (x - r), 0, s->width),
      (int) clamp_level (ceil (y - r), 0, s->height),
      (int) clamp_level (floor (x + r) + 1, 0, s->width),
      (int) clamp_level (floor (y + r) + 1, 0, s->height)};
}

static double
distance_from_place (const ChromaticPlace *p, double dx, double dy)
{
  return chromatic_distance (p->shape, p->radius, p->cos * dx + p->sin * dy,
      p->cos * dy - p->sin * dx);
}

/* The shading of a gentle dome with a bevelled rim. */
static double
shade_of_dome (const ChromaticPlace *p, double dx, double dy, double distance)
{
  double facing = (LIGHT_X * dx + LIGHT_Y * dy) / p->radius;
  double rim = smooth_step (1 + distance / (.2 * p->radius));
  double out = sqrt (dx * dx + dy * dy) / p->radius;
  double bevel = out > 0 ? facing / out * (facing > 0 ? .07 : .13) : 0;

  return .965 + .045 * facing + rim * bevel;
}

static void
mix_pixel (uint8_t *rgb, const uint8_t paint[3], double light, double part)
{
  for (int c = 0; c < 3; c++) {
    double v =
        rgb[c] + (clamp_level (paint[c] * light, 0, 255) - rgb[c]) * part;

    rgb[c] = (uint8_t) (v + .5);
  }
}

typedef struct {
  Chromatic *s;
  const ChromaticPlace *p;
  const uint8_t *paint;
  bool flat;
  int label;
  ImageBox box;
  atomic_ullong area; /* pixels */
} Shape;

/* Draws rows of the shape's box. */
static void
draw_shape_rows (void *data, int begin, int end)
{
  Shape *shape = data;
  Chromatic *s = shape->s;
  const ChromaticPlace *p = shape->p;
  const ImageBox b = shape->box;
  double reach = (p->radius + 1) * (p->radius + 1);
  bool flat = shape->flat;
  unsigned area = 0;

  for (int y = b.y0 + begin; y < b.y0 + end; y++)
    for (int x = b.x0; x < b.x1; x++) {
      double dx = x - p->x, dy = y - p->y, d;
      size_t at = (size_t) y * s->width + x;

      if (dx * dx + dy * dy > reach)
        continue;
      d = distance_from_place (p, dx, dy);
      if (flat ? d <= 0 : d < .5)
        mix_pixel (s->rgb + 3 * at, shape->paint,
            flat ? 1 : shade_of_dome (p, dx, dy, d),
            flat ? 1 : clamp_level (.5 - d, 0, 1));
      if (d <= 0)
        s->labels[at] = (uint16_t) shape->label, area++;
    }
  atomic_fetch_add (&shape->area, area);
}

uint64_t
chromatic_draw_shape (Chromatic *s, const ChromaticPlace *p,
    const uint8_t paint[3], bool flat, int label)
{
  Shape shape = {.s = s,
      .p = p,
      .paint = paint,
      .flat = flat,
      .label = label,
      .box = chromatic_bounds (s, p->x, p->y, p->radius + 1)};
  int rows = shape.box.y1 - shape.box.y0;

  parallel_for (rows, rows > FEW ? 0 : rows, draw_shape_rows, &shape);
  return shape.area;
}

/* Dims a pixel.  A shadow may be dark on the ground; on objects it stays light,
 * so that their colours stay within the tolerances. */
static void
dim_pixel (Chromatic *s, size_t at, double depth, double part)
{
  double light = 1 - depth * part * (s->labels[at] ? .5 : 1.5);

  for (int c = 0; c < 3; c++)
    s->rgb[3 * at + c] = (uint8_t) (s->rgb[3 * at + c] * light + .5);
}

typedef struct {
  Chromatic *s;
  const ChromaticPlace *p;
  double depth, x, y, soft, reach;
  ImageBox box;
} Shadow;

/* Draws rows of the shadow's box. */
static void
draw_shadow_rows (void *data, int begin, int end)
{
  const Shadow *shadow = data;
  const ChromaticPlace *p = shadow->p;
  const ImageBox b = shadow->box;
  double soft = shadow->soft, reach = shadow->reach;

  for (int y = b.y0 + begin; y < b.y0 + end; y++)
    for (int x = b.x0; x < b.x1; x++) {
      double dx = x - shadow->x, dy = y - shadow->y, d = dx * dx + dy * dy;
      size_t at = (size_t) y * shadow->s->width + x;

      if (d >= reach * reach)
        continue;
      /* rounds off the corners, where the distance is too small */
      d = fmax (distance_from_place (p, dx, dy), sqrt (d) - p->radius);
      if (d < soft)
        dim_pixel (
            shadow->s, at, shadow->depth, smooth_step (.5 - d / (2 * soft)));
    }
}

void
chromatic_draw_shadow (Chromatic *s, const ChromaticPlace *p, double depth)
{
  Shadow shadow = {.s = s,
      .p = p,
      .depth = depth,
      .x = p->x - .3 * LIGHT_X * p->radius,
      .y = p->y - .4 * LIGHT_Y * p->radius,
      .soft = .45 * p->radius};
  int rows;

  shadow.reach = p->radius + shadow.soft;
  shadow.box = chromatic_bounds (s, shadow.x, shadow.y, shadow.reach);
  rows = shadow.box.y1 - shadow.box.y0;
  parallel_for (rows, rows > FEW ? 0 : rows, draw_shadow_rows, &shadow);
}

typedef struct {
  Chromatic *s;
  int x0, x1;
  double depth; /* of its shadow */
} Pillar;

static void
draw_pillar_rows (void *data, int begin, int end)
{
  const Pillar *pillar = data;
  Chromatic *s = pillar->s;
  int x0 = pillar->x0, x1 = pillar->x1, wide = x1 - x0;
  int x2 = x1 + wide / 4 < s->width ? x1 + wide / 4 : s->width;

  for (int y = begin; y < end; y++)
    for (int x = x0; x < x2; x++) {
      size_t at = (size_t) y * s->width + x;
      double q = (2. * (x - x0) + 1) / wide - 1; /* -1 to 1 across the pillar */
      double flute = fabs (remainder (q * 4, 1)) * 2;
      double v = 186 - 52 * (q + .35) * (q + .35) - 16 * flute * flute +
          (s->ground[at] - 128) * .12;
      uint8_t grey = (uint8_t) clamp_level (v, 0, 255);

      if (x >= x1) {
        dim_pixel (
            s, at, pillar->depth, smooth_step (1 - 4. * (x - x1) / wide));
        continue;
      }
      s->labels[at] = 0;
      s->rgb[3 * at] = s->rgb[3 * at + 1] = s->rgb[3 * at + 2] = grey;
    }
}

void
chromatic_draw_pillar (Chromatic *s, const ChromaticPlan *plan, double depth)
{
  Pillar pillar = {s, plan->pillar0, plan->pillar1, depth};

  parallel_for (s->height, 0, draw_pillar_rows, &pillar);
}

/* ---- Ground, clouds and noise ---- */

/* Lays the ground: stains, grain and a darkening towards the corners. */
static void
lay_ground_rows (void *data, int begin, int end)
{
  Chromatic *s = data;
  int side = s->width > s->height ? s->width : s->height;

  for (int y = begin; y < end; y++) {
    float row[CHROMATIC_MAX_SIZE], weight = 110;

    memset (row, 0, s->width * sizeof *row);

    for (int octave = 0; octave < 6; octave++, weight *= .68f) {
      int size = side / (4 << octave);

      scene_add_grain (row, s->width, y, random_u64 (~s->ground_seed, octave),
          size > 1 ? size : 2, weight);
    }
    for (int x = 0; x < s->width; x++) {
      float dx = 2.f * x / s->width - 1, dy = 2.f * y / s->height - 1;
      float v = 128 + row[x] - 22 * (dx * dx + dy * dy - .66f);

      s->ground[(size_t) y * s->width + x] = (uint8_t) (v < 0 ? 0
              : v > 255                                       ? 255
                                                              : v);
    }
  }
}

static void
lay_ground (Chromatic *s, uint64_t seed)
{
  if (s->has_ground && s->ground_seed == seed)
    return;
  s->ground_seed = seed;
  parallel_for (s->height, 0, lay_ground_rows, s);
  s->has_ground = true;
}

typedef struct {
  Chromatic *s;
  uint8_t ramp[256][3]; /* the colour of each grey value of the ground */
} Ground;

static void
copy_ground_rows (void *data, int begin, int end)
{
  const Ground *g = data;
  Chromatic *s = g->s;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < s->width; x++) {
      size_t at = (size_t) y * s->width + x;
      const uint8_t *rgb = g->ramp[s->ground[at]];

      s->rgb[3 * at] = rgb[0];
      s->rgb[3 * at + 1] = rgb[1];
      s->rgb[3 * at + 2] = rgb[2];
      s->labels[at] = 0;
    }
}

void
chromatic_draw_ground (Chromatic *s, const ChromaticParams *params)
{
  Ground g = {.s = s};

  lay_ground (s, params->seed);
  /* from a cool dark to a warm light grey, all nearly neutral */
  for (int v = 0; v < 256; v++) {
    double t = (v - 128) * params->texture;

    g.ramp[v][0] = (uint8_t) (156 + .77 * t);
    g.ramp[v][1] = (uint8_t) (154 + .66 * t);
    g.ramp[v][2] = (uint8_t) (152 + .50 * t);
  }
  parallel_for (s->height, 0, copy_ground_rows, &g);
}

/* Sets the light at the corners of cells of 16 pixels, under three drifting
 * clouds. */
static void
set_cloud_light (Chromatic *s, const ChromaticParams *params, uint64_t number)
{
  int columns = s->width / 16 + 2, rows = s->height / 16 + 2;
  double reach = .35 * (s->width > s->height ? s->width : s->height);

  for (int i = 0; i < columns * rows; i++)
    s->clouds[i] = 256;
  for (int k = 0; k < 3; k++) {
    uint64_t key = random_u64 (params->seed + 1, (uint64_t) k);
    uint32_t drift = (uint32_t) (number * (4000000 + 700000 * k));
    double cx = s->width * (.5 + .6 * math_sin_turn ((uint32_t) key + drift));
    double cy = s->height *
        (.5 + .6 * math_sin_turn ((uint32_t) (key >> 32) + drift / 3 * 2));

    for (int i = 0; i < columns * rows; i++) {
      double dx = (i % columns * 16 - cx) / reach;
      double dy = (i / columns * 16 - cy) / reach;
      double near = 1 - (dx * dx + dy * dy);
      int light = near > 0
          ? (int) (256 *
                (1 - params->shadows / 2 * near * near * (3 - 2 * near)))
          : 256;

      s->clouds[i] = light < s->clouds[i] ? (uint16_t) light : s->clouds[i];
    }
  }
}

/* Develops a row: multiplies it by the light, which is linear within a cell,
 * and adds noise. */
static void
develop_chromatic_row (
    Chromatic *s, int y, uint64_t key, const int16_t noise[SCENE_NOISE])
{
  const uint16_t *above = s->clouds + y / 16 * (s->width / 16 + 2);
  const uint16_t *below = above + s->width / 16 + 2;
  uint8_t *rgb = s->rgb + (size_t) y * s->width * 3;
  uint64_t at = (uint64_t) y << 32, bits = 0;
  int light = 0, step = 0;

  for (int x = 0; x < s->width; x++, rgb += 3, light += step) {
    if (x % 16 == 0) {
      int cell = x / 16;
      int next = above[cell + 1] * (16 - y % 16) + below[cell + 1] * (y % 16);

      light = (above[cell] * (16 - y % 16) + below[cell] * (y % 16)) * 16;
      step = (next * 16 - light) / 16;
    }
    bits = x % 2 ? bits >> 30 : random_u64 (key, at++);
    for (int c = 0; c < 3; c++) {
      int v = (rgb[c] * light >> 12) + noise[bits >> 10 * c & 1023] + 8;

      rgb[c] = (uint8_t) (v < 0 ? 0 : v > 4095 ? 255 : v >> 4);
    }
  }
}

typedef struct {
  Chromatic *s;
  const Image *img;
  uint64_t key; /* of the noise */
  int16_t noise[SCENE_NOISE];
} Picture;

static void
develop_chromatic_pairs (void *data, int begin, int end)
{
  const Picture *c = data;

  for (int y = 2 * begin; y < 2 * end; y += 2) {
    develop_chromatic_row (c->s, y, c->key, c->noise);
    if (y + 1 < c->s->height)
      develop_chromatic_row (c->s, y + 1, c->key, c->noise);
    scene_put_rows (c->img, c->s->rgb, y);
  }
}

void
chromatic_develop (Chromatic *s, const ChromaticParams *params, uint64_t number,
    const Image *img)
{
  Picture c = {.s = s,
      .img = img,
      .key = random_u64 (random_u64 (params->seed, number), number)};

  scene_make_noise (params->noise, c.noise);
  set_cloud_light (s, params, number);
  parallel_for ((s->height + 1) / 2, 0, develop_chromatic_pairs, &c);
}
