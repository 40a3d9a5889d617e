/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl's labels and sums in single frames: by hand, against a flood fill, on
 * patterns and hostile input, and CPU against CUDA bit for bit. */
#include <float.h>
#include <math.h>

#include "failing.h"
#include "gpuccl_bare.h"
#include "gpuccl_find.h"
#include "gpuccl_images.h"

/* ---- An oracle ---- */

/* An oracle that shares no code and no idea with gpuccl: from each pixel that
 * has no label yet, in raster order, flood whatever hangs together with it. */

/* When neighbours hang together, in integers: if their depths differ by less
 * than @step units, or less than k z^2 / 2^20 of the nearer one's z. */
typedef struct {
  int connectivity, threshold;
  uint32_t step; /* 0: always */
  uint32_t k;
} Rule;

static void
rule_to_params (const Rule *rule, GpucclParams *p)
{
  p->connectivity = rule->connectivity;
  p->threshold = rule->threshold;
  p->max_depth_step = rule->step * p->depth_scale;
  p->depth_step_k = rule->k / (p->depth_scale * 0x1p20);
}

static bool
oracle_foreground (const Input *in, const Rule *rule, int x, int y)
{
  int value = *map_at (in, x, y);

  if (in->has_depth && !*depth_at (in, x, y))
    return false;
  return in->source == GPUCCL_CLASSES ? value == 2 || value == 3
      : in->source == GPUCCL_MASK     ? value >= rule->threshold
                                      : true;
}

static bool
oracle_linked (const Input *in, const Rule *rule, int x, int y, int u, int v)
{
  int64_t a = *depth_at (in, x, y), b = *depth_at (in, u, v);
  int64_t step = a > b ? a - b : b - a, near = a < b ? a : b;

  if (!in->has_depth || !rule->step)
    return true;
  return step < rule->step || step << 20 < near * near * rule->k;
}

static bool
is_oracle_unknown (const Input *in, int value)
{
  return in->source == GPUCCL_CLASSES ? value > 5
      : in->source == GPUCCL_MASK ? value >= 64 && value < 192 && value != 127
                                  : false;
}

typedef struct {
  uint32_t label, area;
  uint64_t x, y, z, xx, xy, yy;
  int x0, y0, x1, y1;
  int min_z, max_z;
  double min_u, max_u, min_v, max_v;
  double widths, heights, rows, columns; /* as equations 1 and 2 have them */
} OracleComponent;

typedef struct {
  uint32_t *labels;
  OracleComponent *components; /* by area, largest first, then by label */
  int n;
  uint32_t unknown;
} Oracle;

static void
oracle_free (Oracle *o)
{
  free (o->labels);
  free (o->components);
}

AUTO_FREE (Oracle, oracle_free)

static void
oracle_add (
    OracleComponent *c, const Input *in, const Camera *camera, int x, int y)
{
  int z = in->has_depth ? *depth_at (in, x, y) : 0;
  double u = camera ? (x - camera->cx) * z : 0;
  double v = camera ? (y - camera->cy) * z : 0;
  bool first = !c->area++;

  c->x += x, c->y += y, c->z += z;
  c->xx += x * x, c->xy += x * y, c->yy += y * y;
  c->x0 = first || x < c->x0 ? x : c->x0;
  c->y0 = first || y < c->y0 ? y : c->y0;
  c->x1 = first || x >= c->x1 ? x + 1 : c->x1;
  c->y1 = first || y >= c->y1 ? y + 1 : c->y1;
  c->min_z = first || z < c->min_z ? z : c->min_z;
  c->max_z = first || z > c->max_z ? z : c->max_z;
  c->min_u = first || u < c->min_u ? u : c->min_u;
  c->max_u = first || u > c->max_u ? u : c->max_u;
  c->min_v = first || v < c->min_v ? v : c->min_v;
  c->max_v = first || v > c->max_v ? v : c->max_v;
}

/* Labels all that hangs together with pixel @start; @stack has room for all
 * pixels. */
static OracleComponent
oracle_flood (const Input *in, const Rule *rule, const Camera *camera,
    int start, uint32_t *labels, int *stack)
{
  OracleComponent c = {.label = (uint32_t) start + 1};
  int n = 0;

  labels[start] = c.label;
  stack[n++] = start;
  while (n) {
    int at = stack[--n], x = at % in->width, y = at / in->width;

    oracle_add (&c, in, camera, x, y);
    for (int k = 0; k < 9; k++) {
      int u = x + k % 3 - 1, v = y + k / 3 - 1, to = v * in->width + u;

      if (u < 0 || v < 0 || u >= in->width || v >= in->height || labels[to] ||
          (rule->connectivity == 4 && u != x && v != y) ||
          !oracle_foreground (in, rule, u, v) ||
          !oracle_linked (in, rule, x, y, u, v))
        continue;
      labels[to] = c.label;
      stack[n++] = to;
    }
  }
  return c;
}

/* The sums of equations 1 and 2, row by row and column by column. */
static void
oracle_extend (OracleComponent *c, const Input *in, const uint32_t *labels)
{
  for (int pass = 0; pass < 2; pass++) {
    int lines = pass ? in->width : in->height;
    int along = pass ? in->height : in->width;
    double sum = 0, set = 0;

    for (int i = 0; i < lines; i++) {
      int first = -1, last = -1;

      for (int j = 0; j < along; j++)
        if (labels[pass ? j * in->width + i : i * in->width + j] == c->label) {
          first = first < 0 ? j : first;
          last = j;
        }
      sum += last - first;
      set += first >= 0;
    }
    *(pass ? &c->heights : &c->widths) = sum;
    *(pass ? &c->columns : &c->rows) = set;
  }
}

static int
oracle_order (const void *p, const void *q)
{
  const OracleComponent *a = p, *b = q;

  if (a->area != b->area)
    return a->area > b->area ? -1 : 1;
  return a->label < b->label ? -1 : 1;
}

static Oracle
oracle_of (const Input *in, const Rule *rule, const Camera *camera)
{
  int pixels = in->width * in->height, *stack = malloc (pixels * sizeof *stack);
  Oracle o = {.labels = calloc (pixels, sizeof *o.labels),
      .components = malloc (pixels * sizeof *o.components)};

  for (int at = 0; at < pixels; at++) {
    int x = at % in->width, y = at / in->width;

    o.unknown += is_oracle_unknown (in, *map_at (in, x, y));
    if (!o.labels[at] && oracle_foreground (in, rule, x, y))
      o.components[o.n++] =
          oracle_flood (in, rule, camera, at, o.labels, stack);
  }
  free (stack);
  qsort (o.components, o.n, sizeof *o.components, oracle_order);
  return o;
}

/* ---- gpuccl against it ---- */

/* A camera whose principal point is a multiple of 1/256. */
static void
random_camera (GpucclParams *p)
{
  Camera *c = &p->camera;

  p->has_camera = rnd (3) > 0;
  c->fx = 100 + rnd (900);
  c->fy = 100 + rnd (900);
  c->cx = (int) rnd (1u << 16) / 256. - 20;
  c->cy = (int) rnd (1u << 16) / 256. - 20;
}

static void
compare_sum (const GpucclSum *s, const OracleComponent *c)
{
  check (s->area == c->area && s->x == c->x && s->y == c->y && s->z == c->z);
  check (s->xx == c->xx && s->xy == c->xy && s->yy == c->yy);
  check (s->box.x0 == c->x0 && s->box.y0 == c->y0);
  check (s->box.x1 == c->x1 && s->box.y1 == c->y1);
  check ((int) s->min_z == c->min_z && (int) s->max_z == c->max_z);
  check (fabs (s->min_u - c->min_u) <= .5 && fabs (s->max_u - c->max_u) <= .5);
  check (fabs (s->min_v - c->min_v) <= .5 && fabs (s->max_v - c->max_v) <= .5);
}

static void
compare_shape (const GpucclComponent *a, OracleComponent c, const Input *in,
    const uint32_t *labels)
{
  oracle_extend (&c, in, labels);
  check (a->measured);
  check_near (a->mean_width, c.widths / c.rows, 1e-12);
  check_near (a->mean_height, c.heights / c.columns, 1e-12);
  if (c.widths + c.heights > 0)
    check_near (a->fill, 2 * c.area / (c.widths + c.heights), 1e-12);
  else
    check (a->fill == 0);
}

static void
compare_components (
    const GpucclParams *p, const Input *in, const Found *f, const Oracle *o)
{
  const GpucclResults *r = &f->results;
  int n = 0;

  while (
      n < o->n && n < p->max_components && o->components[n].area >= p->min_area)
    n++;
  check (r->n_components == n);
  while (n < o->n && o->components[n].area >= p->min_area)
    n++;
  check (r->n_left_out == (uint32_t) (n - r->n_components));
  n = r->n_components;
  for (int i = 0; i < n && i < r->n_components; i++) {
    const GpucclComponent *a = &r->components[i];
    const OracleComponent *c = &o->components[i];

    check (a->sum.label == c->label);
    compare_sum (&a->sum, c);
    check (a->measured == (i < GPUCCL_CANDIDATES && c->area > p->min_size));
    if (a->measured)
      compare_shape (a, *c, in, o->labels);
  }
}

static void
compare_found (
    const GpucclParams *p, const Input *in, const Found *f, const Oracle *o)
{
  const OracleComponent nothing = {0}, *largest = o->n ? o->components : NULL;

  largest = largest ? largest : &nothing;
  check (!memcmp (f->labels, o->labels,
      (size_t) in->width * in->height * sizeof *f->labels));
  check (f->results.largest_label == largest->label);
  check (f->results.largest_area == largest->area);
  check (f->results.n_labels == (uint32_t) o->n);
  check (f->results.n_unknown == o->unknown);
  compare_components (p, in, f, o);
}

/* Finds what there is in @in by every algorithm, and compares. */
static void
compare (DeviceKind kind, GpucclParams *p, const Rule *rule, const Input *in)
{
  AUTO (Oracle) o =
      oracle_of (in, rule, p->has_camera && in->has_depth ? &p->camera : NULL);

  p->filter = GPUCCL_NO_FILTER;
  rule_to_params (rule, p);
  for (int k = GPUCCL_RUN; k <= GPUCCL_HIERARCHICAL; k++) {
    AUTO (Found) f;

    p->algorithm = (GpucclAlgorithm) k;
    p->skip_checks = (int) rnd (3);
    f = find (kind, p, in);
    compare_found (p, in, &f, &o);
  }
}

/* ---- Known answers, and patterns ---- */

/* Frames that labellers go wrong on: by hand, against the oracle, and against
 * themselves mirrored and turned. */

/* A map of outliers where @picture has a #; rows of @width characters. */
static Input
input_of_picture (const char *picture, int width, int height)
{
  Input in = input_new (GPUCCL_CLASSES, width, height, false);

  for (int i = 0; i < width * height; i++)
    *map_at (&in, i % width, i / width) = picture[i] == '#' ? 3 : 1;
  return in;
}

static void
check_labels (
    DeviceKind kind, const GpucclParams *p, const Input *in, const int *labels)
{
  AUTO (Found) f = find (kind, p, in);

  for (int i = 0; i < in->width * in->height; i++)
    check (f.labels[i] == (uint32_t) labels[i]);
}

static void
test_by_hand (DeviceKind kind)
{
  static const char picture[] = "#..##.#"
                                "##..#.#"
                                "..#.###"
                                "#.#....";
  static const int four[] = {1, 0, 0, 4, 4, 0, 4, 1, 1, 0, 0, 4, 0, 4, 0, 0, 17,
      0, 4, 4, 4, 22, 0, 17, 0, 0, 0, 0};
  static const int eight[] = {1, 0, 0, 4, 4, 0, 4, 1, 1, 0, 0, 4, 0, 4, 0, 0, 1,
      0, 4, 4, 4, 22, 0, 1, 0, 0, 0, 0};
  AUTO (Input) in = input_of_picture (picture, 7, 4);

  for (int k = GPUCCL_RUN; k <= GPUCCL_HIERARCHICAL; k++) {
    GpucclParams p = gpuccl_defaults ();

    p.algorithm = (GpucclAlgorithm) k;
    check_labels (kind, &p, &in, four);
    p.connectivity = 8;
    check_labels (kind, &p, &in, eight);
  }
}

/* Two pixels side by side, of depths @a and @b: whether they are one. */
static bool
are_one_filtered (DeviceKind kind, const GpucclParams *p, int a, int b)
{
  AUTO (Input) in = input_new (GPUCCL_DEPTH_ONLY, 2, 1, true);
  AUTO (Found) f;
  bool one;

  *depth_at (&in, 0, 0) = (uint16_t) a;
  *depth_at (&in, 1, 0) = (uint16_t) b;
  f = find (kind, p, &in);
  one = f.results.n_labels == 1;
  check (f.labels[0] == 1 && f.labels[1] == (one ? 1 : 2));
  return one;
}

/* The same of their unfiltered depths. */
static bool
are_one (DeviceKind kind, const GpucclParams *p, int a, int b)
{
  GpucclParams q = *p;

  q.filter = GPUCCL_NO_FILTER;
  return are_one_filtered (kind, &q, a, b);
}

/* Less than the limit, not as much; depths that wrap in 16 bits. */
static void
test_steps (DeviceKind kind)
{
  static const struct {
    double step, scale;
    int last; /* the greatest step that joins, in units */
  } limits[] = {{.01, .001, 9}, {.01, .0001, 99}, {.01, .0002, 49},
      {.0105, .001, 10}, {.0005, .001, 0}, {.07, .01, 6}, {.03, .001, 29},
      {.1, .00001, 9999}, {0, .001, 65534}, {1e9, .001, 65534},
      {DBL_MAX, .001, 65534}};
  GpucclParams p = gpuccl_defaults ();

  for (int i = 0; i < (int) (sizeof limits / sizeof *limits); i++) {
    int last = limits[i].last;

    p.max_depth_step = limits[i].step;
    p.depth_scale = limits[i].scale;
    check (are_one (kind, &p, 1, 1 + last));
    check (are_one (kind, &p, 65535, 65535 - last));
    if (last < 65534) {
      check (!are_one (kind, &p, 1, 2 + last));
      check (!are_one (kind, &p, 65535, 65534 - last));
      check (!are_one (kind, &p, 1, 65535));
    }
  }
}

/* t(z) = max (1 cm, k z^2) of the nearer z: 14 mm at 2 m, 31.5 mm at 3 m. */
static void
test_steps_grow (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();

  p.depth_step_k = .0035;
  check (are_one (kind, &p, 1000, 1009) && !are_one (kind, &p, 1000, 1010));
  check (are_one (kind, &p, 2000, 2013) && !are_one (kind, &p, 2000, 2014));
  check (are_one (kind, &p, 2013, 2000) && !are_one (kind, &p, 2014, 2000));
  check (are_one (kind, &p, 3000, 3031) && !are_one (kind, &p, 3000, 3032));
  p.depth_step_k = 1000; /* more than 32 bits hold */
  check (are_one (kind, &p, 60000, 65535));
  /* 16.8 10^6 units are more than 2^32 256ths; the filter leaves depths that
   * differ by 4096 units or more as they are */
  check (are_one_filtered (kind, &p, 4097, 20000));
  check (are_one_filtered (kind, &p, 8193, 65535));
  p.max_depth_step = 0;
  check (are_one (kind, &p, 1, 65535));
}

enum {
  EMPTY,
  FULL,
  CHECKERBOARD,
  COMB,
  STANDING_COMB,
  DIAGONALS,
  SPIRAL,
  FRAMES,  /* one inside the other */
  CROSSES, /* over the corners of tiles of 16, 32 and 64 */
  RAMP,    /* every step joins, the ends are metres apart */
  STAIRS,  /* every other step is exactly the limit */
  WRAP,    /* 1 beside 65535 */
  N_PATTERNS
};

static bool
pattern_set (int pattern, int x, int y, int width, int height)
{
  int in = x < y ? x : y, right = width - 1 - x, bottom = height - 1 - y;

  in = in < right ? in : right;
  in = in < bottom ? in : bottom;
  switch (pattern) {
    case EMPTY:
      return false;
    case CHECKERBOARD:
      return (x + y) % 2;
    case COMB:
      return y % 2 == 0 || x == 0;
    case STANDING_COMB:
      return x % 2 == 0 || y == height - 1;
    case DIAGONALS:
      return (x + y) % 3 == 0 || (x - y + 3 * width) % 7 == 0;
    case FRAMES:
      return in % 2 == 0;
    case CROSSES:
      return (x + 1) % 16 < 2 || (y + 1) % 32 < 2 || (x + y) % 64 < 2;
  }
  return true;
}

static uint16_t
pattern_depth (int pattern, int x, int y)
{
  return pattern == RAMP   ? (uint16_t) (1000 + 9 * x + 9 * y)
      : pattern == STAIRS  ? (uint16_t) (1000 + 10 * (x / 2) + 9 * (y / 3))
      : pattern == WRAP    ? (x / 2 + y / 3) % 2 ? 1 : 65535
      : pattern == CROSSES ? (uint16_t) (1000 + 10 * (x / 32 + y / 16))
                           : 1000;
}

static void
draw_pattern (Input *in, int pattern)
{
  AUTO_MEMORY uint8_t *spiral = calloc (in->width, in->height);

  gpuccl_image_draw (GPUCCL_SPIRAL, spiral, in->width, in->height);
  for (int y = 0; y < in->height; y++)
    for (int x = 0; x < in->width; x++) {
      bool set = pattern == SPIRAL
          ? spiral[y * in->width + x]
          : pattern_set (pattern, x, y, in->width, in->height);

      *map_at (in, x, y) = set ? 2 + (x + y) % 2 : 1;
      *depth_at (in, x, y) = pattern_depth (pattern, x, y);
    }
}

static void
test_patterns (DeviceKind kind)
{
  static const int sizes[][2] = {{1, 1}, {1, 70}, {70, 1}, {2, 2}, {33, 31},
      {63, 64}, {64, 63}, {65, 66}, {128, 17}, {129, 130}};

  for (int i = 0; i < (int) (sizeof sizes / sizeof *sizes); i++)
    for (int pattern = 0; pattern < N_PATTERNS; pattern++)
      for (int connectivity = 4; connectivity <= 8; connectivity += 4) {
        GpucclParams p = gpuccl_defaults ();
        Rule rule = {connectivity, 128, 10, 0};
        AUTO (Input) in = input_new (
            GPUCCL_CLASSES, sizes[i][0], sizes[i][1], pattern != FULL);

        draw_pattern (&in, pattern);
        p.min_area = 1;
        p.min_size = 2;
        p.max_components = GPUCCL_MAX_COMPONENTS;
        random_camera (&p);
        compare (kind, &p, &rule, &in);
      }
}

/* The images of the benchmark have as many components as is known of them. */
static void
test_images (DeviceKind kind)
{
  for (int size = 0; size < 2; size++)
    for (int k = 0; k < GPUCCL_N_IMAGES; k++) {
      int width = gpuccl_image_sizes[size].width;
      int height = gpuccl_image_sizes[size].height;
      AUTO (Input) in = input_new (GPUCCL_MASK, width, height, false);
      AUTO_MEMORY uint8_t *image = malloc ((size_t) width * height);
      GpucclParams p = gpuccl_defaults ();
      AUTO (Found) four, eight;

      gpuccl_image_draw ((GpucclImage) k, image, width, height);
      for (int i = 0; i < width * height; i++)
        *map_at (&in, i % width, i / width) = image[i] ? 255 : 0;
      four = find (kind, &p, &in);
      p.connectivity = 8;
      eight = find (kind, &p, &in);
      check ((int) four.results.n_labels == gpuccl_image_sizes[size].n[k].four);
      check (
          (int) eight.results.n_labels == gpuccl_image_sizes[size].n[k].eight);
    }
}

/* ---- Mirrored, turned, moved ---- */

/* What must not change what hangs together: mirroring, turning, other units,
 * all depths moved, a margin. */

/* Random outliers on a random surface. */
static void
draw_surface (Input *in)
{
  uint32_t slope = rnd (8), density = 50 + rnd (50);

  for (int y = 0; y < in->height; y++)
    for (int x = 0; x < in->width; x++) {
      *map_at (in, x, y) = (uint8_t) (rnd (100) < density ? 2 + rnd (2) : 1);
      *depth_at (in, x, y) = (uint16_t) (900 + slope * x + rnd (13));
    }
}

/* Where pixel (x, y) of a frame of @width x @height is after turning it: bit 0
 * mirrors left and right, bit 1 top and bottom, bit 2 changes x and y. */
static void
turn (int how, int width, int height, int *x, int *y)
{
  *x = how & 1 ? width - 1 - *x : *x;
  *y = how & 2 ? height - 1 - *y : *y;
  if (how & 4) {
    int old = *x;

    *x = *y;
    *y = old;
  }
}

static Input
turned (const Input *in, int how)
{
  Input out = input_new (in->source, how & 4 ? in->height : in->width,
      how & 4 ? in->width : in->height, in->has_depth);

  for (int y = 0; y < in->height; y++)
    for (int x = 0; x < in->width; x++) {
      int u = x, v = y;

      turn (how, in->width, in->height, &u, &v);
      *map_at (&out, u, v) = *map_at (in, x, y);
      *depth_at (&out, u, v) = *depth_at (in, x, y);
    }
  return out;
}

/* Whether labels @a of @in and @b of @in turned, a map of rows of @row labels,
 * part the pixels alike. */
static bool
same_parts (const Input *in, const uint32_t *a, const uint32_t *b, int how,
    int row, int margin)
{
  int pixels = in->width * in->height;
  uint32_t *to = calloc ((size_t) pixels + 1, sizeof *to);
  bool same = true;

  for (int i = 0; i < pixels; i++) {
    int x = i % in->width, y = i / in->width;
    uint32_t label;

    turn (how, in->width, in->height, &x, &y);
    label = b[(y + margin) * row + x + margin];
    if (!to[a[i]])
      to[a[i]] = label;
    same = same && to[a[i]] == label && !a[i] == !label;
  }
  free (to);
  return same;
}

static void
test_turned (DeviceKind kind)
{
  for (int round = 0; round < 40; round++) {
    GpucclParams p = gpuccl_defaults ();
    AUTO (Input) in = input_new (
        GPUCCL_CLASSES, 1 + (int) rnd (150), 1 + (int) rnd (90), true);
    int how = 1 + (int) rnd (7);
    AUTO (Input) other;
    AUTO (Found) a, b;

    draw_surface (&in);
    other = turned (&in, how);
    p.connectivity = rnd (2) ? 4 : 8;
    p.filter = rnd (2) ? GPUCCL_BILATERAL : GPUCCL_NO_FILTER;
    p.depth_step_k = rnd (2) ? .006 : 0;
    a = find (kind, &p, &in);
    b = find (kind, &p, &other);
    check (a.results.n_labels == b.results.n_labels);
    check (a.results.largest_area == b.results.largest_area);
    check (same_parts (&in, a.labels, b.labels, how, other.width, 0));
  }
}

static void
test_moved (DeviceKind kind)
{
  for (int round = 0; round < 20; round++) {
    GpucclParams p = gpuccl_defaults ();
    AUTO (Input) in = input_new (
        GPUCCL_CLASSES, 1 + (int) rnd (150), 1 + (int) rnd (90), true);
    int margin = 1 + (int) rnd (20), width = in.width + 2 * margin;
    AUTO (Input) out =
        input_new (GPUCCL_CLASSES, width, in.height + 2 * margin, true);
    uint16_t farther = (uint16_t) rnd (60000);
    Found a, b;

    draw_surface (&in);
    for (int i = 0; i < in.width * in.height; i++) {
      int x = i % in.width, y = i / in.width;

      *map_at (&out, x + margin, y + margin) = *map_at (&in, x, y);
      *depth_at (&out, x + margin, y + margin) =
          *depth_at (&in, x, y) + farther;
    }
    p.filter = GPUCCL_NO_FILTER;
    a = find (kind, &p, &in);
    b = find (kind, &p, &out);
    check (a.results.n_labels == b.results.n_labels);
    check (same_parts (&in, a.labels, b.labels, 0, width, margin));
    p.max_depth_step = p.max_depth_step / 8; /* 1/8 of the unit, too */
    p.depth_scale = p.depth_scale / 8;
    found_free (&b);
    b = find (kind, &p, &in);
    check (!memcmp (
        a.labels, b.labels, (size_t) in.width * in.height * sizeof *a.labels));
    found_free (&a);
    found_free (&b);
  }
}

/* ---- Filter and window ---- */

/* The bilateral filter against the textbook in doubles, by what it lets hang
 * together; the window against a count of every window's pixels. */

/* C. Tomasi, R. Manduchi, ICCV 1998, in a circle of 3 pixels. */
static double
textbook_bilateral (const Input *in, int x, int y, double scale)
{
  double z = *depth_at (in, x, y), sum = 0, weights = 0;

  for (int v = y - 3; v <= y + 3; v++)
    for (int u = x - 3; u <= x + 3; u++) {
      double r2 = (u - x) * (u - x) + (v - y) * (v - y), d, weight;

      if (r2 > 9 || u < 0 || v < 0 || u >= in->width || v >= in->height ||
          !*depth_at (in, u, v))
        continue;
      d = (*depth_at (in, u, v) - z) * scale / .04;
      weight = exp (-r2 / (2 * 4.5 * 4.5) - d * d / 2);
      sum += weight * *depth_at (in, u, v);
      weights += weight;
    }
  return sum / weights;
}

/* The filtered depths of @in, as the sums of components of one pixel have
 * them. */
static void
filter_by (DeviceKind kind, const Input *in, double scale, uint16_t *out)
{
  GpucclParams p = gpuccl_defaults ();
  AUTO (Input) one = input_new (GPUCCL_CLASSES, in->width, in->height, true);

  p.min_area = 1;
  p.max_components = GPUCCL_MAX_COMPONENTS;
  p.depth_scale = scale;
  memset (out, 0, (size_t) in->width * in->height * sizeof *out);
  for (int phase = 0; phase < 4; phase++) {
    AUTO (Found) f;

    for (int y = 0; y < in->height; y++)
      for (int x = 0; x < in->width; x++) {
        *map_at (&one, x, y) = x % 2 + y % 2 * 2 == phase ? 3 : 1;
        *depth_at (&one, x, y) = *depth_at (in, x, y);
      }
    f = find (kind, &p, &one);
    for (int i = 0; i < f.results.n_components; i++) {
      const GpucclSum *s = &f.components[i].sum;

      check (s->area == 1);
      out[s->label - 1] = (uint16_t) s->z;
    }
  }
}

/* A surface with noise, an edge, holes; units of several sizes. */
static void
test_bilateral (DeviceKind kind)
{
  static const double scales[] = {.001, .0001, .0002, .005, .00003};
  static uint16_t got[100 * 70];

  for (int round = 0; round < 10; round++) {
    double scale = scales[round % 5], worst = 0;
    AUTO (Input) in =
        input_new (GPUCCL_DEPTH_ONLY, 20 + (int) rnd (80), 70, true);
    int noise = 1 + (int) (.02 / scale), edge = (int) (.06 / scale);

    for (int y = 0; y < in.height; y++)
      for (int x = 0; x < in.width; x++) {
        int z = 12000 + x * noise / 20 + (x + y > 60 ? edge : 0) +
            (int) rnd ((uint32_t) noise);

        *depth_at (&in, x, y) = rnd (12) ? (uint16_t) z : 0;
      }
    filter_by (kind, &in, scale, got);
    for (int i = 0; i < in.width * in.height; i++) {
      int x = i % in.width, y = i / in.width;

      check (!got[i] == !*depth_at (&in, x, y));
      if (got[i])
        worst =
            fmax (worst, fabs (got[i] - textbook_bilateral (&in, x, y, scale)));
    }
    /* half a unit of rounding, and weights of 5 and 8 bits of 4 cm */
    check (worst <= .5 + .0004 / scale);
    check (worst > 0);
  }
}

/* Links see fractions of a unit: along one row, those that the textbook's
 * depths clearly make, and no others. */
static void
test_bilateral_links (DeviceKind kind)
{
  int made = 0, cut = 0;

  for (int round = 0; round < 20; round++) {
    AUTO (Input) in = input_new (GPUCCL_DEPTH_ONLY, 400, 1, true);
    GpucclParams p = gpuccl_defaults ();
    int slope = 7 + (int) rnd (6);
    AUTO (Found) f;

    p.depth_step_k = round % 2 ? .002 : 0;
    for (int x = 0; x < 400; x++)
      *depth_at (&in, x, 0) = (uint16_t) (700 + slope * x + rnd (10));
    f = find (kind, &p, &in);
    for (int x = 1; x < 400; x++) {
      double a = textbook_bilateral (&in, x - 1, 0, .001);
      double b = textbook_bilateral (&in, x, 0, .001),
             near = fmin (a, b) / 1000;
      double limit =
          1000 * fmax (p.max_depth_step, p.depth_step_k * near * near);

      if (fabs (fabs (a - b) - limit) < .25)
        continue;
      made += fabs (a - b) < limit;
      cut += fabs (a - b) > limit;
      check ((f.labels[x] == f.labels[x - 1]) == (fabs (a - b) < limit));
    }
  }
  check (made > 1000 && cut > 1000);
}

/* What is flat stays as it is up to the last unit, at both ends of the range,
 * and so does what is alone. */
static void
test_bilateral_keeps (DeviceKind kind)
{
  static const uint16_t depths[] = {1, 2, 1000, 65534, 65535};
  static uint16_t got[20 * 20];

  for (int k = 0; k < 10; k++) {
    AUTO (Input) in = input_new (GPUCCL_DEPTH_ONLY, 20, 20, true);
    uint16_t z = depths[k / 2];

    for (int i = 0; i < 400; i++)
      *depth_at (&in, i % 20, i / 20) =
          k % 2 == 0 || (i % 20 % 7 == 3 && i / 20 % 7 == 3) ? z : 0;
    filter_by (kind, &in, .001, got);
    for (int i = 0; i < 400; i++)
      check (got[i] == *depth_at (&in, i % 20, i / 20));
  }
}

/* Section 2.3, window by window. */
static void
window_oracle (const Input *in, const Rule *rule, uint8_t *marked)
{
  int w = in->width, h = in->height;
  AUTO_MEMORY uint8_t *grown = calloc ((size_t) w * h, 1);

  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < w * h; i++) {
      int x = i % w, y = i / w, reach = pass ? 9 : 25, set = 0, n = 0;

      if (!oracle_foreground (in, rule, x, y))
        continue;
      for (int v = y - reach; v <= y + reach; v++)
        for (int u = x - reach; u <= x + reach; u++)
          if (u >= 0 && v >= 0 && u < w && v < h) {
            n++;
            set +=
                pass ? marked[v * w + u] : oracle_foreground (in, rule, u, v);
          }
      (pass ? grown : marked)[i] = pass ? set > 0 : set >= .9 * n;
    }
  memcpy (marked, grown, (size_t) w * h);
}

static void
check_window (const Found *f, const Input *in, const uint8_t *marked)
{
  uint32_t first = 0, area = 0;

  for (int i = 0; i < in->width * in->height; i++) {
    first = marked[i] && !first ? (uint32_t) i + 1 : first;
    area += marked[i];
    check (f->labels[i] == (marked[i] ? first : 0));
  }
  check (f->results.n_labels == (area > 0));
  check (f->results.largest_area == area);
  check (f->results.n_components == (area > 0));
  if (area)
    check (f->components[0].sum.area == area &&
        f->components[0].state == GPUCCL_NEW &&
        f->components[0].reason == GPUCCL_PERSISTENCE);
}

static void
test_window (DeviceKind kind)
{
  int found = 0;

  for (int round = 0; round < 12; round++) {
    GpucclParams p = gpuccl_defaults ();
    Rule rule = {4, 128, 0, 0};
    AUTO (Input) in = input_new (
        GPUCCL_CLASSES, 30 + (int) rnd (120), 30 + (int) rnd (80), rnd (2));
    AUTO_MEMORY uint8_t *marked = calloc ((size_t) in.width * in.height, 1);
    int x0 = (int) rnd (30), y0 = (int) rnd (30), most = round % 4 * 4;
    AUTO (Found) f;

    for (int i = 0; i < in.width * in.height; i++) {
      int x = i % in.width, y = i / in.width;
      bool inside = x >= x0 && x < x0 + 70 && y >= y0 && y < y0 + 60;

      *map_at (&in, x, y) = rnd (100) < (uint32_t) (inside ? 100 - most : 20);
      *map_at (&in, x, y) = *map_at (&in, x, y) ? 2 + (uint8_t) rnd (2) : 1;
      *depth_at (&in, x, y) = 1000;
    }
    p.detector = GPUCCL_WINDOW;
    p.min_area = 1;
    window_oracle (&in, &rule, marked);
    f = find (kind, &p, &in);
    check_window (&f, &in, marked);
    found += f.results.n_labels > 0;
  }
  check (found > 3 && found < 12);
}

/* ---- Hostile input ---- */

/* Params and frames that must be refused, numbers at the end of their range,
 * and a device that fails. */

#define refused(source, depth, ...) \
 do { \
  GpucclParams p = gpuccl_defaults (); \
  __VA_ARGS__; \
  check (gpuccl_check (&p, source, depth) != NULL); \
 } while (0)

#define BAD_NUMBERS(field) \
 refused (GPUCCL_CLASSES, true, p.field = NAN); \
 refused (GPUCCL_CLASSES, true, p.field = -1)

static void
test_params (DeviceKind kind)
{
  GpucclParams fine = gpuccl_defaults ();
  const Camera camera = {500, 500, 320, 240, {0}};

  ok (gpuccl_check (&fine, GPUCCL_CLASSES, true));
  ok (gpuccl_check (&fine, GPUCCL_MASK, false));
  refused (GPUCCL_DEPTH_ONLY, false, (void) 0);
  BAD_NUMBERS (depth_scale);
  BAD_NUMBERS (max_depth_step);
  BAD_NUMBERS (depth_step_k);
  BAD_NUMBERS (min_fill);
  BAD_NUMBERS (min_extent);
  BAD_NUMBERS (match_distance);
  BAD_NUMBERS (match_pixels);
  BAD_NUMBERS (match_ratio);
  refused (GPUCCL_MASK, false, p.depth_scale = 0);
  refused (GPUCCL_MASK, false, p.depth_scale = INFINITY);
  refused (GPUCCL_MASK, false, p.max_depth_step = INFINITY);
  refused (GPUCCL_MASK, false, p.match_ratio = .99);
  refused (GPUCCL_MASK, false, p.connectivity = 6);
  refused (GPUCCL_MASK, false, p.skip_checks = 3);
  refused (GPUCCL_MASK, false, p.threshold = 0);
  refused (GPUCCL_MASK, false, p.threshold = 256);
  refused (GPUCCL_MASK, false, p.max_components = 0);
  refused (GPUCCL_MASK, false, p.max_components = GPUCCL_MAX_COMPONENTS + 1);
  refused (GPUCCL_MASK, false, p.frames = 0);
  refused (GPUCCL_MASK, false, p.algorithm = (GpucclAlgorithm) 4);
  refused (GPUCCL_MASK, false, p.detector = (GpucclDetector) 2);
  refused (GPUCCL_MASK, false, p.filter = (GpucclFilter) 2);
  refused (GPUCCL_MASK, false, p.match = (GpucclMatch) 4);
  refused (GPUCCL_MASK, true, p.match = GPUCCL_MATCH_SPACE);
  refused (GPUCCL_MASK, false, p.match = GPUCCL_MATCH_SPACE,
      p.has_camera = true, p.camera = camera);
  refused (GPUCCL_MASK, true, p.has_camera = true, p.camera = camera,
      p.camera.fx = 0);
  refused (GPUCCL_MASK, true, p.has_camera = true, p.camera = camera,
      p.camera.fy = NAN);
  refused (GPUCCL_MASK, true, p.has_camera = true, p.camera = camera,
      p.camera.fx = 1e-310);
  refused (GPUCCL_MASK, true, p.has_camera = true, p.camera = camera,
      p.camera.fy = 1e200);
  refused (GPUCCL_MASK, true, p.has_camera = true, p.camera = camera,
      p.camera.cx = NAN);
  refused (GPUCCL_MASK, true, p.has_camera = true, p.camera = camera,
      p.camera.cy = 1e6);
  refused (GPUCCL_MASK, true, p.has_pose = true);
  refused (GPUCCL_MASK, true, p.has_pose = true,
      p.pose = (Pose64){{NAN, 0, 0}, {1, 0, 0, 0}});
  for (int i = 0; i < 3; i++)
    refused (GPUCCL_MASK, true, p.has_pose = true,
        p.pose = (Pose64){{0, 0, 0}, {1, 0, 0, 0}}, p.pose.t[i] = 1e300);
  fine.match = GPUCCL_MATCH_SPACE;
  fine.has_camera = fine.has_pose = true;
  fine.camera = camera;
  fine.pose = (Pose64){{1, 2, 3}, {.6, 0, .8, 0}};
  ok (gpuccl_check (&fine, GPUCCL_MASK, true));
}

static void
test_frames (DeviceKind kind)
{
  static const int sizes[][2] = {
      {0, 1}, {1, 0}, {-1, 5}, {16385, 1}, {1, 16385}};
  GpucclParams p = gpuccl_defaults ();
  uint8_t map[64] = {0};
  GpucclFrame good = {
      .width = 8, .height = 4, .map = map, .map_stride = 8, .map_step = 1};
  GpucclFrame bad[7];
  GpucclResults r;
  AUTO (Device) dev = device_of (kind);
  Gpuccl *g;

  for (int i = 0; i < 5; i++) {
    check (gpuccl_new (&g, &dev, sizes[i][0], sizes[i][1]) != NULL);
    gpuccl_free (g);
  }
  ok (gpuccl_new (&g, &dev, 8, 4));
  for (int i = 0; i < 7; i++)
    bad[i] = good;
  bad[0].width = 7;
  bad[1].height = 5;
  bad[2].map = NULL;
  bad[3].map_step = 3;
  bad[4].map_stride = 7;
  bad[5].depth = (const uint16_t *) map, bad[5].depth_stride = 15;
  bad[6].source = GPUCCL_DEPTH_ONLY;
  for (int i = 0; i < 7; i++)
    check (gpuccl_run (g, &p, &bad[i], &r) != NULL);
  gpuccl_free (g);
  gpuccl_free (NULL);
}

/* Frames as long as can be, as deep as can be, seen from as far aside as can
 * be: nothing leaves its 32 or 64 bits. */
static void
test_extremes (DeviceKind kind)
{
  static const double centres[] = {
      -GPUCCL_MAX_SIDE, 0, 2 * GPUCCL_MAX_SIDE - 1};

  for (int i = 0; i < 6; i++) {
    int width = i % 2 ? GPUCCL_MAX_SIDE : 3,
        height = i % 2 ? 3 : GPUCCL_MAX_SIDE;
    AUTO (Input) in = input_new (GPUCCL_CLASSES, width, height, true);
    GpucclParams p = gpuccl_defaults ();
    Rule rule = {4, 128, 1, 0};

    p.has_camera = true;
    p.camera = (Camera){1, 1, centres[i / 2], centres[i / 2], {0}};
    for (int k = 0; k < width * height; k++) {
      *map_at (&in, k % width, k / width) = 2;
      *depth_at (&in, k % width, k / width) = 65535;
    }
    compare (kind, &p, &rule, &in);
  }
}

/* Every allocation and every copy fails once: a sentence, and nothing kept. The
 * next frame is refused, or has the right results. */
static void
test_failing (DeviceKind kind)
{
  AUTO (Input) in = input_new (GPUCCL_CLASSES, 80, 60, true);
  GpucclFrame frame = input_frame (&in, &in.map.image, &in.depth.image);
  int calls = 1;

  for (int i = 0; i < 80 * 60; i++) {
    *map_at (&in, i % 80, i / 80) = (i % 80 + i / 80) % 2 ? 3 : 1;
    *depth_at (&in, i % 80, i / 80) = 1000;
  }
  for (int at = 0; at <= calls; at++) {
    GpucclParams p = gpuccl_defaults ();
    GpucclResults r;
    const char *err;
    bool made;
    AUTO (Device) dev;
    Gpuccl *g;

    p.algorithm = GPUCCL_LABEL_EQUIVALENCE;
    p.min_area = 1; /* more components than there is room for at first */
    ok (failing_open (&dev, DEVICE_CPU, NULL));
    failing_reset (at);
    err = gpuccl_new (&g, &dev, 80, 60);
    made = !err;
    err = made ? gpuccl_run (g, &p, &frame, &r) : err;
    check (!err == !at);
    calls = at ? calls : failing_calls;
    failing_reset (0);
    if (made && err)
      check (gpuccl_run (g, &p, &frame, &r) || r.n_labels == 2400);
    gpuccl_free (g);
    check (failing_blocks == 0);
  }
  check (calls > 8);
}

/* ---- CPU against CUDA ---- */

/* CPU against CUDA, bit for bit: random frames and params, one frame after the
 * other, and the filter's and the loop's own results. */

/* Cells of outliers on a slanted, noisy surface with holes. */
static Input
random_input_of (GpucclSource source, int width, int height, bool depth)
{
  Input in = input_new (source, width, height, depth);
  uint32_t density = rnd (101), grain = 1 + rnd (rnd (2) ? 4 : 16);
  uint32_t slope = rnd (40), seed = rnd (1u << 30);
  uint32_t wide = (uint32_t) in.width / grain + 1;

  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      uint32_t cell = (uint32_t) y / grain * wide + (uint32_t) x / grain;
      bool set = random_below (seed, cell, 100) < density;

      *map_at (&in, x, y) = in.source == GPUCCL_MASK
          ? (uint8_t) (set ? 77 + rnd (179) : rnd (77))
          : (uint8_t) (set ? 2 + rnd (2) : rnd (7));
      *depth_at (&in, x, y) =
          rnd (20) ? (uint16_t) (1000 + slope * x + 3 * y + rnd (24)) : 0;
    }
  return in;
}

static Input
random_input (int width, int height)
{
  GpucclSource source = (GpucclSource) rnd (3);

  return random_input_of (source, width, height, rnd (4) > 0);
}

static GpucclParams
random_params (Rule *rule)
{
  GpucclParams p = gpuccl_defaults ();

  *rule = (Rule){
      rnd (2) ? 4 : 8, 77, rnd (4) ? rnd (30) : 0, rnd (3) ? 0 : rnd (64)};
  rule_to_params (rule, &p);
  p.min_area = rnd (2) ? 1 : rnd (100);
  p.min_size = rnd (2) ? rnd (200) : 3500;
  p.max_components = 1 + (int) rnd (rnd (2) ? 10 : GPUCCL_MAX_COMPONENTS);
  random_camera (&p);
  return p;
}

/* The paper's algorithms are left out: a sanitizer does not understand memory
 * that a loop within a graph reads. */
static bool parity_of_run;

/* Of all algorithms, detectors and filters. */
static GpucclParams
random_method (void)
{
  Rule rule;
  GpucclParams p = random_params (&rule);

  p.filter = (GpucclFilter) rnd (2);
  p.detector = (GpucclDetector) (rnd (6) == 0);
  p.algorithm = (GpucclAlgorithm) rnd (4);
  p.skip_checks = (int) rnd (3);
  if (parity_of_run)
    p.algorithm = GPUCCL_RUN;
  return p;
}

static void
check_alike (const Found *a, const Found *b, const Input *in)
{
  const GpucclResults *r = &a->results, *s = &b->results;

  check (!memcmp (a->labels, b->labels,
      (size_t) in->width * in->height * sizeof *a->labels));
  check (r->n_labels == s->n_labels && r->n_unknown == s->n_unknown);
  check (r->largest_label == s->largest_label);
  check (r->largest_area == s->largest_area);
  check (!r->iterations == !s->iterations);
  check (r->accepted == s->accepted);
  check (r->n_components == s->n_components);
  check (!memcmp (
      a->components, b->components, r->n_components * sizeof *a->components));
}

static void
test_parity (DeviceKind kind)
{
  for (int round = 0; round < 400; round++) {
    bool large = round % 20 == 0;
    AUTO (Input) in = random_input (
        1 + (int) rnd (large ? 1400 : 200), 1 + (int) rnd (large ? 700 : 90));
    GpucclParams p = random_method ();
    AUTO (Found) a = find (DEVICE_CPU, &p, &in), b = find (kind, &p, &in);

    check_alike (&a, &b, &in);
  }
}

/* GPUCCL_RUN alone goes through frames of more than 4096 tiles in another way:
 * with either kind of neighbours without depth, with it, and with the filter.
 */
static void
test_parity_large (DeviceKind kind)
{
  for (int round = 0; round < 6; round++) {
    Rule rule;
    GpucclParams p = random_params (&rule);
    GpucclSource source = round < 2 ? GPUCCL_MASK : (GpucclSource) rnd (3);
    AUTO (Input) in = random_input_of (
        source, 2080 + (int) rnd (60), 2080 + (int) rnd (60), round >= 2);
    AUTO (Found) a, b;

    p.connectivity = round % 2 ? 8 : 4;
    p.filter = round < 4 ? GPUCCL_NO_FILTER : GPUCCL_BILATERAL;
    a = find (DEVICE_CPU, &p, &in);
    b = find (kind, &p, &in);
    check_alike (&a, &b, &in);
  }
}

static Found
find_next (const Device *dev, Gpuccl *g, const GpucclParams *p, const Input *in)
{
  void *map_memory, *depth_memory;
  Image map = frame_to_device (&in->map, dev, &map_memory);
  Image depth = frame_to_device (&in->depth, dev, &depth_memory);
  GpucclFrame frame = input_frame (in, &map, &depth);
  GpucclResults r = {0};
  Found f;

  ok (gpuccl_run (g, p, &frame, &r));
  f = found_of (dev, g, in, &r);
  device_release (dev, map_memory);
  device_release (dev, depth_memory);
  return f;
}

/* Nothing is left of the frame before, whatever was done with it. */
static void
test_parity_in_turn (DeviceKind kind)
{
  AUTO (Device) cpu, cuda;
  Gpuccl *g, *h;

  ok (device_open (&cpu, DEVICE_CPU, NULL));
  ok (device_open (&cuda, kind, NULL));
  ok (gpuccl_new (&g, &cpu, 150, 110));
  ok (gpuccl_new (&h, &cuda, 150, 110));
  for (int round = 0; round < 100; round++) {
    AUTO (Input) in = random_input (150, 110);
    GpucclParams p = random_method ();
    AUTO (Found) a = find_next (&cpu, g, &p, &in),
                 b = find_next (&cuda, h, &p, &in);

    check_alike (&a, &b, &in);
  }
  gpuccl_free (g);
  gpuccl_free (h);
}

/* Stages alone, on one frame. */
typedef struct {
  Device dev;
  Bare bare;
  void *map, *depth;
} Staged;

static void
staged_open (Staged *s, DeviceKind kind, const GpucclParams *p, const Input *in)
{
  Image map, depth;
  GpucclFrame frame;

  ok (device_open (&s->dev, kind, NULL));
  bare_open (&s->bare, &s->dev, in->width, in->height, p->depth_scale);
  map = frame_to_device (&in->map, &s->dev, &s->map);
  depth = frame_to_device (&in->depth, &s->dev, &s->depth);
  frame = input_frame (in, &map, &depth);
  ok (gpuccl_set_work (&s->bare.work, p, &frame));
}

static void
staged_close (Staged *s)
{
  bare_close (&s->bare);
  device_release (&s->dev, s->map);
  device_release (&s->dev, s->depth);
  device_close (&s->dev);
}

AUTO_FREE (Staged, staged_close)

/* Whether @bytes at @a on one device are those at @b on the other. */
static bool
same_memory (const Staged *s, const void *a, const Staged *t, const void *b,
    size_t bytes)
{
  uint8_t *copies = malloc (2 * bytes);
  bool same;

  ok (device_copy (&s->dev, copies, a, bytes));
  ok (device_copy (&t->dev, copies + bytes, b, bytes));
  ok (device_wait (&s->dev));
  ok (device_wait (&t->dev));
  same = !memcmp (copies, copies + bytes, bytes);
  free (copies);
  return same;
}

/* Depths and their fractions. */
static void
test_parity_filter (DeviceKind kind)
{
  for (int round = 0; round < 100; round++) {
    AUTO (Input) in = random_input (1 + (int) rnd (150), 1 + (int) rnd (90));
    size_t pixels = (size_t) in.width * in.height;
    GpucclParams p = gpuccl_defaults ();
    AUTO (Staged) s, t;
    const GpucclWork *a = &s.bare.work, *b = &t.bare.work;

    in.has_depth = true;
    p.threshold = 77;
    p.depth_scale = .00003 * (1 + rnd (100));
    staged_open (&s, DEVICE_CPU, &p, &in);
    staged_open (&t, kind, &p, &in);
    ok (s.bare.stages->filter (&s.dev, a));
    ok (t.bare.stages->filter (&t.dev, b));
    check (same_memory (&s, a->smooth, &t, b->smooth, 2 * pixels));
    check (same_memory (&s, a->fraction, &t, b->fraction, pixels));
  }
}

/* The loop that the host decides on finds what the device's own does. */
static void
test_parity_host_loop (DeviceKind kind)
{
  for (int round = 0; round < 40; round++) {
    AUTO (Input) in = random_input (1 + (int) rnd (150), 1 + (int) rnd (90));
    size_t bytes = (size_t) in.width * in.height * sizeof (uint32_t);
    GpucclParams p = random_method ();
    AUTO (Staged) s, t;
    GpucclWork *a = &s.bare.work, *b = &t.bare.work;

    p.filter = GPUCCL_NO_FILTER;
    staged_open (&s, DEVICE_CPU, &p, &in);
    staged_open (&t, kind, &p, &in);
    b->host_loop = true;
    ok (s.bare.stages->improved (&s.dev, a));
    ok (t.bare.stages->improved (&t.dev, b));
    check (same_memory (&s, a->labels, &t, b->labels, bytes));
    ok (t.bare.stages->label_equivalence (&t.dev, b));
    check (same_memory (&s, a->labels, &t, b->labels, bytes));
  }
}

/* ---- Many components ---- */

/* CPU against CUDA, bit for bit: more components than the GPU puts in order.
 */

/* A rectangle of up to @side pixels each way in each cell of 8 x 8: more
 * components than the GPU puts in order, many of the same size. */
static Input
many_input (uint32_t side)
{
  Input in = input_new (GPUCCL_MASK, 1000, 600, false);
  uint32_t seed = rnd (1u << 30);

  for (int y = 0; y < in.height; y++)
    for (int x = 0; x < in.width; x++) {
      uint32_t cell = (uint32_t) (y / 8 * 125 + x / 8);
      uint32_t wide = 1 + random_below (seed, 2 * cell, side);
      uint32_t high = 1 + random_below (seed, 2 * cell + 1, side);

      *map_at (&in, x, y) = x % 8 < (int) wide && y % 8 < (int) high ? 255 : 0;
    }
  return in;
}

static void
test_parity_many (DeviceKind kind)
{
  for (uint32_t side = 1; side <= 7; side++)
    for (int n = 1; n <= GPUCCL_MAX_COMPONENTS; n *= 64) {
      GpucclParams p = gpuccl_defaults ();
      AUTO (Input) in = many_input (side);
      AUTO (Found) a, b;

      p.min_area = 1;
      p.min_size = rnd (49);
      p.max_components = n;
      a = find (DEVICE_CPU, &p, &in);
      b = find (kind, &p, &in);
      check (a.results.n_labels == 125 * 75);
      check_alike (&a, &b, &in);
    }
}

/* ---- Frames alone and in turn ---- */

static void
test_random (DeviceKind kind)
{
  for (int round = 0; round < 100; round++) {
    Rule rule;
    GpucclParams p = random_params (&rule);
    AUTO (Input) in = random_input (1 + (int) rnd (200), 1 + (int) rnd (90));

    compare (kind, &p, &rule, &in);
    check (frame_is_unharmed (&in.map) && frame_is_unharmed (&in.depth));
  }
}

/* One Gpuccl and frames in turn: what was there before changes nothing. */
static void
test_repeats (DeviceKind kind)
{
  AUTO (Device) dev = device_of (kind);
  Gpuccl *g;
  Found first[3];
  GpucclParams p = gpuccl_defaults ();
  Input in[3];

  ok (gpuccl_new (&g, &dev, 120, 90));
  p.min_area = 1;
  for (int k = 0; k < 3; k++) {
    in[k] = input_new (GPUCCL_CLASSES, 120, 90, true);
    draw_surface (&in[k]);
    first[k] = find (kind, &p, &in[k]);
  }
  for (int i = 0; i < 60; i++) {
    const Input *now = &in[i % 3];
    const Found *then = &first[i % 3];
    void *map_memory, *depth_memory;
    Image map = frame_to_device (&now->map, &dev, &map_memory);
    Image depth = frame_to_device (&now->depth, &dev, &depth_memory);
    GpucclFrame frame = input_frame (now, &map, &depth);
    GpucclResults r;
    Found f;

    ok (gpuccl_run (g, &p, &frame, &r));
    f = found_of (&dev, g, now, &r);
    check (!memcmp (f.labels, then->labels, 120 * 90 * sizeof *f.labels));
    check (r.n_components == then->results.n_components);
    for (int k = 0; k < r.n_components; k++)
      check (!memcmp (
          &r.components[k].sum, &then->components[k].sum, sizeof (GpucclSum)));
    found_free (&f);
    device_release (&dev, map_memory);
    device_release (&dev, depth_memory);
  }
  for (int k = 0; k < 3; k++) {
    found_free (&first[k]);
    input_free (&in[k]);
  }
  gpuccl_free (g);
}

/* Label equivalence ends after an iteration in which nothing changed; a check
 * that is left out may cost one more, and never changes the result. */
static void
test_iterations (DeviceKind kind)
{
  AUTO (Input) in = input_new (GPUCCL_CLASSES, 100, 80, false);

  for (int k = GPUCCL_RUN; k <= GPUCCL_HIERARCHICAL; k++)
    for (int skip = 0; skip <= 2; skip++) {
      GpucclParams p = gpuccl_defaults ();
      AUTO (Found) empty, full;

      p.algorithm = (GpucclAlgorithm) k;
      p.skip_checks = skip;
      for (int i = 0; i < 8000; i++)
        *map_at (&in, i % 100, i / 100) = 1;
      empty = find (kind, &p, &in);
      for (int i = 0; i < 8000; i++)
        *map_at (&in, i % 100, i / 100) = 3;
      full = find (kind, &p, &in);
      check (!empty.results.n_labels && full.results.n_labels == 1);
      if (k == GPUCCL_RUN || k == GPUCCL_HIERARCHICAL) {
        check (!empty.results.iterations && !full.results.iterations);
      } else {
        check (empty.results.iterations == 1 + skip);
        check (full.results.iterations >= 2);
        check (full.results.iterations >= 1 + skip);
      }
    }
}

static void
test_mask (DeviceKind kind)
{
  AUTO (Input) in = input_of_picture ("##.#.#.##", 3, 3);
  GpucclParams p = gpuccl_defaults ();
  void *memory;
  Image map;
  GpucclFrame frame;
  GpucclResults r;
  uint8_t *mask, got[3 * 5];
  AUTO (Device) dev = device_of (kind);
  Gpuccl *g;

  ok (gpuccl_new (&g, &dev, 3, 3));
  map = frame_to_device (&in.map, &dev, &memory);
  frame = input_frame (&in, &map, &map);
  ok (gpuccl_run (g, &p, &frame, &r));
  ok (device_alloc (&dev, (void **) &mask, sizeof got));
  ok (gpuccl_mask (g, 1, mask, 5));
  ok (device_copy (&dev, got, mask, sizeof got));
  ok (device_wait (&dev));
  check (!memcmp (got, "\377\377\0\0\0\377\0\0\0\0\0\0\0\0\0", sizeof got));
  device_release (&dev, mask);
  device_release (&dev, memory);
  gpuccl_free (g);
}

static const CheckPart on_each[] = {{"by hand", test_by_hand},
    {"steps at the limit", test_steps}, {"steps that grow", test_steps_grow},
    {"patterns", test_patterns}, {"known images", test_images},
    {"random frames", test_random}, {"mirrored and turned", test_turned},
    {"moved", test_moved}, {"repeats", test_repeats},
    {"iterations", test_iterations}, {"mask", test_mask},
    {"bilateral filter", test_bilateral},
    {"what it keeps", test_bilateral_keeps},
    {"links after it", test_bilateral_links}, {"window", test_window},
    {"params", test_params}, {"frames", test_frames},
    {"extremes", test_extremes}, {"a device that fails", test_failing},
    {NULL, NULL}};

static const CheckPart parity[] = {{"frames alone", test_parity},
    {"large frames", test_parity_large}, {"many components", test_parity_many},
    {"frames in turn", test_parity_in_turn}, {"filter", test_parity_filter},
    {"loop on the host", test_parity_host_loop}, {NULL, NULL}};

/* `parity run`: without the paper's algorithms. */
static const CheckPart parity_run[] = {{"frames alone", test_parity},
    {"large frames", test_parity_large}, {"many components", test_parity_many},
    {"frames in turn", test_parity_in_turn}, {"filter", test_parity_filter},
    {NULL, NULL}};

int
main (int argc, char **argv)
{
  parity_of_run = argc > 2 && !strcmp (argv[2], "run");
  if (parity_of_run)
    return check_main (argc, argv, on_each, parity_run, gpuccl_bench);
  return check_main (argc, argv, on_each, parity, gpuccl_bench);
}
