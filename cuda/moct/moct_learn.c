/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A colour learned from a region: of each of its modes the middle nine tenths
 * in each axis of Lab, and a margin.  Lightness gets the wider one, because it
 * changes first when the object moves.  Where other things' colours lie in the
 * margin, its sides move inwards. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "moct/moct_colour.h"

/* Points in Lab, x, y, z one behind the other. */
typedef struct {
  float *at;
  int n, all; /* of @all that were looked at */
} MoctSamples;

/* ---- The modes ----
 *
 * Modes of a histogram in Lab, from which that of the surroundings is taken.
 * Cells go to modes from the highest on: a cell between two modes joins them
 * where it is not much lower than the lower one (prominence, as of mountains).
 * In dim light colours lie nearer each other, by the same factor in each axis,
 * and so do the sides of cells; with few points they are wider again, as the
 * histogram with the least error has them (Scott 1992).  They are never wider
 * than in full light. */

/* Sides of a cell in full light.  Lightness changes most within a thing. */
#define STEP_L 8
#define STEP_AB 6
#define N_L (100 / STEP_L + 1)
#define N_AB (256 / STEP_AB + 1)
#define CELLS (N_L * N_AB * N_AB)
#define SADDLE .7     /* of the lower peak: above, both are one mode */
#define RIM .3        /* of a peak: what is lower is of no mode */
#define SHARE .7      /* of the best mode's score that another must have */
#define MIN_PART .1   /* of a region: what its surroundings do not have */
#define FULL_LIGHT 85 /* lightness that one pixel in BRIGHTEST is above */
#define BRIGHTEST 100
#define MANY_POINTS 1000 /* with fewer, cells are wider */
#define MIN_SCALE .2     /* there, eight bits are as coarse as cells */

typedef struct {
  float height;
  int cell;
} Cell;

typedef struct {
  float scale;                                 /* of the sides of cells */
  float in[CELLS], around[CELLS], rest[CELLS]; /* parts of the points */
  float height[CELLS]; /* how much more the region has, smoothed */
  int parent[CELLS];   /* -1: of no mode */
  Cell order[CELLS];
} Grid;

static int
axis (float v, float from, int step, int n)
{
  int i = (int) ((v - from) / (float) step);

  return i < 0 ? 0 : i < n ? i : n - 1;
}

static int
cell_of (const Grid *g, const float p[3])
{
  return (axis (p[0] / g->scale, 0, STEP_L, N_L) * N_AB +
             axis (p[1] / g->scale, -128, STEP_AB, N_AB)) *
      N_AB +
      axis (p[2] / g->scale, -128, STEP_AB, N_AB);
}

static void
count (const Grid *g, const MoctSamples *s, float *part)
{
  for (int i = 0; i < s->n; i++)
    part[cell_of (g, s->at + 3 * (size_t) i)] += 1 / (float) s->n;
}

/* How far apart colours lie in the light of @frame, beside full light. */
static float
light (const MoctSamples *frame)
{
  int count[101] = {0}, brighter = 0, l = 100;

  for (int i = 0; i < frame->n; i++)
    count[axis (frame->at[3 * (size_t) i], 0, 1, 101)]++;
  while (l > 0 && (brighter += count[l]) <= frame->n / BRIGHTEST)
    l--;
  return (float) l / FULL_LIGHT;
}

/* Of the sides of cells, for the modes of @region in @frame. */
static float
cell_scale (const MoctSamples *region, const MoctSamples *frame)
{
  double few = fmax (1, (double) MANY_POINTS / region->n);

  return (float) fmin (1,
      fmax (MIN_SCALE, light (frame->n ? frame : region) * pow (few, 1. / 7)));
}

/* [1 2 1] / 4 along the axis whose cells lie @apart. */
static void
smooth (float *v, int apart, int n)
{
  for (int i = 0; i < CELLS; i++) {
    float before = 0;

    if (i / apart % n)
      continue;
    for (int k = 0; k < n; k++) {
      float *at = &v[i + k * apart], now = *at;

      *at = (before + 2 * now + (k + 1 < n ? at[apart] : 0)) / 4;
      before = now;
    }
  }
}

static int
top (int *parent, int i)
{
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

/* The cells next to @i, itself among them; returns how many. */
static int
find_near (int i, int near[27])
{
  int l = i / N_AB / N_AB, a = i / N_AB % N_AB, b = i % N_AB, n = 0;

  for (int k = 0; k < 27; k++) {
    int x = l + k / 9 - 1, y = a + k / 3 % 3 - 1, z = b + k % 3 - 1;

    if (x >= 0 && x < N_L && y >= 0 && y < N_AB && z >= 0 && z < N_AB)
      near[n++] = (x * N_AB + y) * N_AB + z;
  }
  return n;
}

/* @i joins the highest mode beside it, and modes that it joins are one. */
static void
add_cell (Grid *g, int i)
{
  int near[27], n = find_near (i, near), best = -1;

  for (int k = 0; k < n; k++) {
    int t = g->parent[near[k]] < 0 ? -1 : top (g->parent, near[k]);

    if (t >= 0 && (best < 0 || g->height[t] > g->height[best]))
      best = t;
  }
  g->parent[i] = best < 0 ? i : best;
  for (int k = 0; k < n && best >= 0; k++) {
    int t = g->parent[near[k]] < 0 ? -1 : top (g->parent, near[k]);

    if (t >= 0 && g->height[i] >= (float) SADDLE * g->height[t])
      g->parent[t] = best;
  }
}

static int
higher_first (const void *p, const void *q)
{
  const Cell *a = p, *b = q;

  return a->height > b->height ? -1
      : a->height < b->height  ? 1
                               : a->cell - b->cell;
}

/* Of g->height. */
static void
make_modes (Grid *g)
{
  int n = 0;

  smooth (g->height, 1, N_AB);
  smooth (g->height, N_AB, N_AB);
  smooth (g->height, N_AB * N_AB, N_L);
  for (int i = 0; i < CELLS; i++) {
    g->parent[i] = -1;
    if (g->height[i] > 0)
      g->order[n++] = (Cell){g->height[i], i};
  }
  qsort (g->order, n, sizeof *g->order, higher_first);
  for (int i = 0; i < n; i++)
    add_cell (g, g->order[i].cell);
}

static void
leave_rims (Grid *g)
{
  for (int i = 0; i < CELLS; i++)
    if (g->parent[i] >= 0 &&
        g->height[i] < (float) RIM * g->height[top (g->parent, i)])
      g->parent[i] = -1;
}

typedef struct {
  int top; /* its highest cell */
  double in, around, rest, score;
} Mode;

/* What colours say of the region that has the part @in of them, and all else
 * @other: their part of the relative entropy between both. */
static double
score (double in, double other)
{
  return in > other ? in * log (in / other) : 0;
}

/* The best MOCT_MODES modes, best first.  Of all else @n_points were looked at:
 * rarer than one of them is not known. */
static int
rank_modes (Grid *g, int n_points, Mode modes[MOCT_MODES])
{
  int n = 0;

  for (int i = 0; i < CELLS; i++) {
    Mode m = {.top = i};
    int at;

    if (g->parent[i] != i)
      continue;
    for (int k = 0; k < CELLS; k++)
      if (g->parent[k] >= 0 && top (g->parent, k) == i) {
        m.in += g->in[k];
        m.around += g->around[k];
        m.rest += g->rest[k];
      }
    m.score = score (m.in, fmax (fmax (m.around, m.rest), 1. / n_points));
    for (at = n; at > 0 && modes[at - 1].score < m.score; at--)
      if (at < MOCT_MODES)
        modes[at] = modes[at - 1];
    if (at < MOCT_MODES) {
      modes[at] = m;
      n += n < MOCT_MODES;
    }
  }
  return n;
}

/* Which points of @rest are other things' colours: those whose mode in the rest
 * of the frame has its highest cell neither in a mode of the region, which are
 * those of @thing's cells, nor beside one.  What else is of the region's colour
 * has such a mode there, too, and is no reason to tell it apart. */
static void
find_rivals (
    Grid *g, const bool thing[CELLS], const MoctSamples *rest, bool *rival)
{
  memcpy (g->height, g->rest, sizeof g->height);
  make_modes (g);
  for (int i = 0; i < rest->n; i++) {
    int near[27];
    int n = find_near (top (g->parent, cell_of (g, rest->at + 3 * i)), near);

    rival[i] = true;
    for (int k = 0; k < n; k++)
      rival[i] &= !thing[near[k]];
  }
}

/* What is learned from. */
typedef struct {
  MoctSamples region, around, rest;
  double share; /* of the frame that the region is */
  int *mode;    /* of the region's points: 0 is the best, -1 none */
  bool *rival;  /* of the rest's points: is of another thing's colour */
} Lesson;

static void
assign (Lesson *l, Grid *g, const Mode *modes, int kept)
{
  bool thing[CELLS] = {false};

  for (int i = 0; i < l->region.n; i++) {
    int cell = cell_of (g, l->region.at + 3 * (size_t) i);

    l->mode[i] = -1;
    for (int k = 0; k < kept && g->parent[cell] >= 0; k++)
      if (top (g->parent, cell) == modes[k].top)
        l->mode[i] = k;
    thing[cell] |= l->mode[i] >= 0;
  }
  find_rivals (g, thing, &l->rest, l->rival);
}

/* Finds at most MOCT_MODES modes of the region's colours, apart from those of
 * what surrounds it and of the rest of the frame.  Returns their number, 0
 * where the region does not differ from what surrounds it, or -1 without
 * memory. */
static int
find_modes (Lesson *l)
{
  Grid *g = calloc (1, sizeof *g);
  Mode modes[MOCT_MODES];
  double more = 0; /* of them than what surrounds the region has */
  int n, kept = 0;

  if (!g)
    return -1;
  g->scale = cell_scale (&l->region, &l->rest);
  count (g, &l->region, g->in);
  count (g, &l->around, g->around);
  count (g, &l->rest, g->rest);
  for (int i = 0; i < CELLS; i++)
    g->height[i] = g->in[i] - g->around[i];
  make_modes (g);
  leave_rims (g);
  n = rank_modes (g, l->rest.n ? l->rest.n : l->region.n, modes);
  while (kept < n && modes[kept].score > 0 &&
      modes[kept].score >= SHARE * modes[0].score) {
    more += modes[kept].in - modes[kept].around;
    kept++;
  }
  assign (l, g, modes, kept);
  free (g);
  return more >= MIN_PART ? kept : 0;
}

/* ---- The colour ---- */

#define MAX_SAMPLES (1 << 15)
#define TAIL 20 /* one in this many pixels is left out at each end */
/* What surrounds a region, in lengths of its sides from it on: a region is
 * often set within the thing. */
#define GAP .5
#define AROUND 1

static const float margin[3] = {12, 6, 6};
static const float min_lab[3] = {0, -128, -128};
static const float max_lab[3] = {100, 127, 127};

typedef struct {
  Image image; /* in host memory */
  uint8_t *memory;
  MoctEncoding encoding;
} Picture;

static const char *
fetch (const Device *dev, const Image *frame, Picture *p)
{
  size_t offset[3], size = 0;

  p->image = *frame;
  p->encoding = moct_encoding (frame);
  for (int i = 0; i < image_planes (frame->format); i++) {
    offset[i] = size;
    p->image.stride[i] = image_row_bytes (frame->format, frame->width, i);
    size += (size_t) p->image.stride[i] *
        image_rows (frame->format, frame->height, i);
  }
  if (!(p->memory = malloc (size)))
    return "out of memory";
  for (int i = 0; i < image_planes (frame->format); i++) {
    p->image.plane[i] = p->memory + offset[i];
    TRY (device_copy_rows (dev, p->image.plane[i], p->image.stride[i],
        frame->plane[i], frame->stride[i], p->image.stride[i],
        image_rows (frame->format, frame->height, i)));
  }
  return device_wait (dev);
}

/* Points of at most MAX_SAMPLES pixels of @in, evenly spread, that are not in
 * @out. */
static const char *
sample (
    const Picture *p, const ImageBox *in, const ImageBox *out, MoctSamples *s)
{
  int w = in->x1 - in->x0, h = in->y1 - in->y0, step = 1;

  while (((int64_t) w / step + 1) * (h / step + 1) > MAX_SAMPLES)
    step++;
  if (!(s->at = malloc (3 * MAX_SAMPLES * sizeof *s->at)))
    return "out of memory";
  for (int y = in->y0; y < in->y1; y += step)
    for (int x = in->x0; x < in->x1; x += step) {
      uint8_t c[3];

      if (x >= out->x0 && x < out->x1 && y >= out->y0 && y < out->y1)
        continue;
      image_read (&p->image, x, y, c);
      moct_point (&p->encoding, MOCT_LAB, c, s->at + 3 * (size_t) s->n++);
    }
  s->all = s->n;
  return NULL;
}

static int
compare (const void *p, const void *q)
{
  float a = *(const float *) p, b = *(const float *) q;

  return (a > b) - (a < b);
}

/* The limits of the points of mode @k; of all points where @mode is NULL. */
static const char *
set_range (const MoctSamples *s, const int *mode, int k, MoctRange *range)
{
  float *axis = malloc (s->n * sizeof *axis);

  if (!axis)
    return "out of memory";
  for (int i = 0; i < 3; i++) {
    int n = 0;

    for (int j = 0; j < s->n; j++)
      if (!mode || mode[j] == k)
        axis[n++] = s->at[3 * (size_t) j + i];
    qsort (axis, n, sizeof *axis, compare);
    range->lo[i] = fmaxf (min_lab[i], floorf (axis[n / TAIL] - margin[i]));
    range->hi[i] =
        fminf (max_lab[i], ceilf (axis[n - 1 - n / TAIL] + margin[i]));
  }
  free (axis);
  return NULL;
}

static double
part_held (const MoctColour *colour, const MoctSamples *s)
{
  int n = 0;

  for (int i = 0; i < s->n; i++)
    n += moct_holds (colour, s->at + 3 * (size_t) i);
  return s->all ? (double) n / s->all : 0;
}

/* ---- The sides ---- */

#define STEPS 3   /* across a margin */
#define GAIN 1.01 /* of the score, for which a side moves by a step */

/* What the first colour holds: smaller ones are compared by it. */
typedef struct {
  MoctSamples region, around, rivals;
  double share;
} Held;

/* The points of @from that @colour holds, of those in @are where it is given.
 */
static const char *
pick (const MoctColour *colour, const MoctSamples *from, const bool *are,
    MoctSamples *to)
{
  to->all = from->all;
  if (!(to->at = malloc ((3 * (size_t) from->n + 1) * sizeof *to->at)))
    return "out of memory";
  for (int i = 0; i < from->n; i++) {
    const float *p = from->at + 3 * (size_t) i;

    if ((!are || are[i]) && moct_holds (colour, p))
      memcpy (to->at + 3 * (size_t) to->n++, p, 3 * sizeof *p);
  }
  return NULL;
}

/* As a mode's; but rivals need not become fewer than the region's pixels. */
static double
colour_score (const MoctColour *colour, const Held *h)
{
  double in = part_held (colour, &h->region);
  double other =
      fmax (part_held (colour, &h->around), part_held (colour, &h->rivals));

  return score (in, other + h->share * in);
}

/* One of the six sides of each range, @side, by @steps inwards. */
static void
move_side (MoctColour *colour, int side, int steps)
{
  int range = side / 6, axis = side % 3;
  float *lo = range ? colour->also[range - 1].lo : colour->lo;
  float *hi = range ? colour->also[range - 1].hi : colour->hi;
  float by = (float) steps * margin[axis] / STEPS;

  if (side % 6 < 3)
    lo[axis] += by;
  else
    hi[axis] -= by;
}

/* Moves sides of @colour inwards, of all each time the one that gains most. */
static void
move_sides (const Held *h, MoctColour *colour)
{
  double best = colour_score (colour, h);

  for (;;) {
    int side = -1;

    for (int i = 0; i < 6 * (1 + colour->n_also); i++) {
      double now;

      move_side (colour, i, 1);
      now = colour_score (colour, h);
      move_side (colour, i, -1);
      if (now > best * (side < 0 ? GAIN : 1)) {
        best = now;
        side = i;
      }
    }
    if (side < 0)
      return;
    move_side (colour, side, 1);
  }
}

static const char *
tell_apart (const Lesson *l, MoctColour *colour)
{
  Held h = {.share = l->share};
  const char *err = pick (colour, &l->region, NULL, &h.region);

  if (!err)
    err = pick (colour, &l->around, NULL, &h.around);
  if (!err)
    err = pick (colour, &l->rest, l->rival, &h.rivals);
  if (!err)
    move_sides (&h, colour);
  free (h.region.at);
  free (h.around.at);
  free (h.rivals.at);
  return err;
}

/* As a mode's, of all that @colour holds. */
static double
whole_score (const MoctColour *colour, const Lesson *l)
{
  int n_points = l->rest.n ? l->rest.n : l->region.n;
  double other =
      fmax (part_held (colour, &l->around), part_held (colour, &l->rest));

  return score (part_held (colour, &l->region), fmax (other, 1. / n_points));
}

static void
put_range (MoctColour *colour, int k, const MoctRange *range)
{
  if (k)
    colour->also[k - 1] = *range;
  else
    for (int i = 0; i < 3; i++)
      colour->lo[i] = range->lo[i], colour->hi[i] = range->hi[i];
  colour->n_also = k;
}

/* Of the ranges of @n modes those with which @colour says most of the region,
 * each time the one with which it says more than with all before: the margin of
 * another may reach what is common.  Returns how many. */
static int
choose_ranges (const Lesson *l, MoctRange *range, int n, MoctColour *colour)
{
  double best = -1;

  for (int kept = 0; kept < n; kept++) {
    int which = -1;

    for (int k = kept; k < n; k++) {
      double now;

      put_range (colour, kept, &range[k]);
      now = whole_score (colour, l);
      if (now > best) {
        best = now;
        which = k;
      }
    }
    if (which < 0) {
      colour->n_also = kept - 1;
      return kept;
    }
    put_range (colour, kept, &range[which]);
    range[which] = range[kept];
  }
  return n;
}

static const char *
set_colour (Lesson *l, MoctColour *colour, MoctLearned *learned)
{
  int n = find_modes (l);
  MoctRange range[MOCT_MODES];

  if (n < 0)
    return "out of memory";
  colour->space = MOCT_LAB;
  for (int k = 0; k < n || k == 0; k++)
    TRY (set_range (&l->region, n ? l->mode : NULL, k, &range[k]));
  learned->modes = n ? choose_ranges (l, range, n, colour) : 0;
  if (n)
    TRY (tell_apart (l, colour));
  else
    put_range (colour, 0, range);
  learned->explained = part_held (colour, &l->region);
  learned->elsewhere = part_held (colour, &l->rest);
  return NULL;
}

static ImageBox
widen (const ImageBox *in, double by, const Image *frame)
{
  int x = (int) ceil ((in->x1 - in->x0) * by);
  int y = (int) ceil ((in->y1 - in->y0) * by);

  return (ImageBox){in->x0 > x ? in->x0 - x : 0, in->y0 > y ? in->y0 - y : 0,
      in->x1 < frame->width - x ? in->x1 + x : frame->width,
      in->y1 < frame->height - y ? in->y1 + y : frame->height};
}

static const char *
learn (const Picture *p, const ImageBox *in, Lesson *l, MoctColour *colour,
    MoctLearned *learned)
{
  ImageBox near = widen (in, GAP, &p->image), none = {0};
  ImageBox around = widen (in, AROUND, &p->image);
  ImageBox all = {0, 0, p->image.width, p->image.height};

  TRY (sample (p, in, &none, &l->region));
  TRY (sample (p, &around, &near, &l->around));
  TRY (sample (p, &all, &near, &l->rest));
  l->share = (double) (in->x1 - in->x0) * (in->y1 - in->y0) /
      ((double) p->image.width * p->image.height);
  l->mode = malloc (l->region.n * sizeof *l->mode);
  l->rival = malloc (l->rest.n + 1);
  if (!l->mode || !l->rival)
    return "out of memory";
  return set_colour (l, colour, learned);
}

const char *
moct_learn_from (const Device *dev, const Image *frame, ImageBox in,
    MoctColour *colour, MoctLearned *learned)
{
  Picture p = {.memory = NULL};
  Lesson l = {.mode = NULL};
  const char *err;

  in.x0 = in.x0 < 0 ? 0 : in.x0;
  in.y0 = in.y0 < 0 ? 0 : in.y0;
  in.x1 = in.x1 > frame->width ? frame->width : in.x1;
  in.y1 = in.y1 > frame->height ? frame->height : in.y1;
  if (in.x0 >= in.x1 || in.y0 >= in.y1)
    return "the region to learn from lies outside the frame";
  err = fetch (dev, frame, &p);
  if (!err)
    err = learn (&p, &in, &l, colour, learned);
  free (p.memory);
  free (l.region.at);
  free (l.around.at);
  free (l.rest.at);
  free (l.mode);
  free (l.rival);
  return err;
}
