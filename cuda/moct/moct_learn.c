/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Learns a colour from regions: a range for each mode, the middle nine tenths
 * in each axis of Lab plus a margin.  The margin of lightness is the widest,
 * because lightness changes first when the object moves.  If other objects'
 * colours lie in the margin, its sides move inwards.  The other sides move
 * outwards, half of the way to other objects' colours, since the object looks
 * different in another place and another picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "moct/moct_colour.h"

/* Points in Lab, each with its weight, the part that the point is of a region:
 * L, a, b and weight.  The weights of a region add up to 1, so that each of
 * several regions counts alike. */
#define SAMPLE 4 /* floats */

typedef struct {
  float *at;
  int n, regions; /* numbers of points, and of their regions */
} MoctSamples;

/* ---- The modes ----
 *
 * Modes of a histogram in Lab from which that of the surroundings is
 * subtracted.  Cells are added to modes from the highest on.  A cell between
 * two modes joins them if it is not much lower than the lower mode (prominence,
 * as of mountains).  In dim light the differences of colours shrink by the same
 * factor in each axis, and the sides of cells shrink with them.  With few
 * points the cells are wider, as wide as the histogram with the least error has
 * them (Scott 1992), but never wider than in full light. */

/* Sides of a cell in full light.  Lightness varies most within an object. */
#define STEP_L 8
#define STEP_AB 6
#define N_L (100 / STEP_L + 1)
#define N_AB (256 / STEP_AB + 1)
#define CELLS (N_L * N_AB * N_AB)
/* Of the lower peak; two peaks with a higher cell between them are one mode. */
#define SADDLE .7
#define RIM .3 /* of a peak; a lower cell belongs to no mode */
#define SHARE \
 .7 /* of the best mode's score: the least score, of one region \
     */
#define MIN_PART .1   /* part of a region that its surroundings must lack */
#define FULL_LIGHT 85 /* lightness that one pixel in BRIGHTEST exceeds */
#define BRIGHTEST 100
#define MANY_POINTS 1000 /* with fewer, cells are wider */
/* At this scale, a step of eight bits is as wide as a cell. */
#define MIN_SCALE .2

typedef struct {
  float height;
  int cell;
} Cell;

typedef struct {
  float scale;                                 /* factor of the sides of
                                                  cells */
  float in[CELLS], around[CELLS], rest[CELLS]; /* parts of the points of region,
                                                  surroundings and rest */
  float away[CELLS];   /* of the regions that take away */
  float height[CELLS]; /* in[] minus around[] and away[], smoothed */
  int parent[CELLS];   /* -1: in no mode */
  Cell order[CELLS];
} Grid;

static int
lab_axis (float v, float from, int step, int n)
{
  int i = (int) ((v - from) / (float) step);

  return i < 0 ? 0 : i < n ? i : n - 1;
}

static int
cell_of_point (const Grid *g, const float p[3])
{
  return (lab_axis (p[0] / g->scale, 0, STEP_L, N_L) * N_AB +
             lab_axis (p[1] / g->scale, -128, STEP_AB, N_AB)) *
      N_AB +
      lab_axis (p[2] / g->scale, -128, STEP_AB, N_AB);
}

static void
count_points (const Grid *g, const MoctSamples *s, float *part)
{
  for (int i = 0; i < s->n; i++) {
    const float *point = s->at + SAMPLE * (size_t) i;

    part[cell_of_point (g, point)] += point[3] / (float) s->regions;
  }
}

/* The factor by which colours differ in the light of @frame, 1 in full
 * light. */
static float
light_scale (const MoctSamples *frame)
{
  int count[101] = {0}, brighter = 0, l = 100;

  for (int i = 0; i < frame->n; i++)
    count[lab_axis (frame->at[SAMPLE * (size_t) i], 0, 1, 101)]++;
  while (l > 0 && (brighter += count[l]) <= frame->n / BRIGHTEST)
    l--;
  return (float) l / FULL_LIGHT;
}

/* The factor of the sides of cells for the modes of @region in @frame. */
static float
cell_scale (const MoctSamples *region, const MoctSamples *frame)
{
  double few = fmax (1, (double) MANY_POINTS / region->n);

  return (float) fmin (1,
      fmax (MIN_SCALE,
          light_scale (frame->n ? frame : region) * pow (few, 1. / 7)));
}

/* Convolves @v with [1 2 1] / 4 along the axis whose cells lie @apart. */
static void
smooth_axis (float *v, int apart, int n)
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
mode_top (int *parent, int i)
{
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

/* Lists the cells next to @i, and @i itself; returns their number. */
static int
find_near_cells (int i, int near[27])
{
  int l = i / N_AB / N_AB, a = i / N_AB % N_AB, b = i % N_AB, n = 0;

  for (int k = 0; k < 27; k++) {
    int x = l + k / 9 - 1, y = a + k / 3 % 3 - 1, z = b + k % 3 - 1;

    if (x >= 0 && x < N_L && y >= 0 && y < N_AB && z >= 0 && z < N_AB)
      near[n++] = (x * N_AB + y) * N_AB + z;
  }
  return n;
}

/* Adds cell @i to the highest mode next to it.  Modes that the cell joins
 * become one mode. */
static void
add_cell_to_modes (Grid *g, int i)
{
  int near[27], n = find_near_cells (i, near), best = -1;

  for (int k = 0; k < n; k++) {
    int t = g->parent[near[k]] < 0 ? -1 : mode_top (g->parent, near[k]);

    if (t >= 0 && (best < 0 || g->height[t] > g->height[best]))
      best = t;
  }
  g->parent[i] = best < 0 ? i : best;
  for (int k = 0; k < n && best >= 0; k++) {
    int t = g->parent[near[k]] < 0 ? -1 : mode_top (g->parent, near[k]);

    if (t >= 0 && g->height[i] >= (float) SADDLE * g->height[t])
      g->parent[t] = best;
  }
}

static int
compare_heights (const void *p, const void *q)
{
  const Cell *a = p, *b = q;

  return a->height > b->height ? -1
      : a->height < b->height  ? 1
                               : a->cell - b->cell;
}

/* Makes the modes of g->height. */
static void
make_modes (Grid *g)
{
  int n = 0;

  smooth_axis (g->height, 1, N_AB);
  smooth_axis (g->height, N_AB, N_AB);
  smooth_axis (g->height, N_AB * N_AB, N_L);
  for (int i = 0; i < CELLS; i++) {
    g->parent[i] = -1;
    if (g->height[i] > 0)
      g->order[n++] = (Cell){g->height[i], i};
  }
  qsort (g->order, n, sizeof *g->order, compare_heights);
  for (int i = 0; i < n; i++)
    add_cell_to_modes (g, g->order[i].cell);
}

static void
remove_rims (Grid *g)
{
  for (int i = 0; i < CELLS; i++)
    if (g->parent[i] >= 0 &&
        g->height[i] < (float) RIM * g->height[mode_top (g->parent, i)])
      g->parent[i] = -1;
}

typedef struct {
  int top; /* its highest cell */
  double in, around, rest, away, score;
} Mode;

/* The score of colours with the part @in of the region and the part @other of
 * the rest: as in the relative entropy of region and rest, but with the square
 * of the logarithm.  So a colour that is rare in the frame wins over one that
 * fills more of the region and is common. */
static double
rarity_score (double in, double other)
{
  double ratio = in > other ? log (in / other) : 0;

  return in * ratio * ratio;
}

/* Lists the best MOCT_MODES modes, best first.  @n_points is the number of
 * points of the rest: a part rarer than one point is not known. */
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
      if (g->parent[k] >= 0 && mode_top (g->parent, k) == i) {
        m.in += g->in[k];
        m.around += g->around[k];
        m.rest += g->rest[k];
        m.away += g->away[k];
      }
    m.score = rarity_score (
        m.in, fmax (fmax (m.around, m.away), fmax (m.rest, 1. / n_points)));
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

/* How far a colour of the rest of the frame is from the thing's. */
typedef enum {
  OWN,   /* in a mode whose highest cell is in a mode of the region */
  NEAR,  /* next to such a mode */
  RIVAL, /* in a mode of another object */
} Kinship;

/* Sets the kinship of the points of @rest with the region's modes, given by
 * @thing's cells.  A thing elsewhere with the region's colour has its highest
 * cell there. */
static void
find_rivals (
    Grid *g, const bool thing[CELLS], const MoctSamples *rest, uint8_t *kinship)
{
  memcpy (g->height, g->rest, sizeof g->height);
  make_modes (g);
  for (int i = 0; i < rest->n; i++) {
    int top =
        mode_top (g->parent, cell_of_point (g, rest->at + SAMPLE * (size_t) i));
    int near[27], n = find_near_cells (top, near);

    kinship[i] = thing[top] ? OWN : RIVAL;
    for (int k = 0; k < n && kinship[i] == RIVAL; k++)
      if (thing[near[k]])
        kinship[i] = NEAR;
  }
}

struct _MoctLesson {
  MoctSamples region, around, rest;
  MoctSamples away;   /* of the regions that take away */
  MoctSamples newest; /* of the newest region */
  double shares;      /* areas of the regions as parts of their frames */
  int *mode;          /* of each of the region's points: 0 is the best mode, -1
                         none */
  uint8_t *kinship;   /* of each of the rest's points */
};

static void
assign_modes (MoctLesson *l, Grid *g, const Mode *modes, int kept)
{
  bool thing[CELLS] = {false};

  for (int i = 0; i < l->region.n; i++) {
    int cell = cell_of_point (g, l->region.at + SAMPLE * (size_t) i);

    l->mode[i] = -1;
    for (int k = 0; k < kept && g->parent[cell] >= 0; k++)
      if (mode_top (g->parent, cell) == modes[k].top)
        l->mode[i] = k;
    thing[cell] |= l->mode[i] >= 0;
  }
  find_rivals (g, thing, &l->rest, l->kinship);
}

/* Finds at most MOCT_MODES modes of the region's colours that distinguish it
 * from its surroundings and from the rest of the frame.  Returns their number;
 * 0 if the region does not differ from its surroundings; -1 without memory. */
static int
find_modes (MoctLesson *l)
{
  Grid *g = calloc (1, sizeof *g);
  Mode modes[MOCT_MODES];
  double more = 0; /* of them, how much larger a part of the region than of the
                      surroundings */
  int n, kept = 0;

  if (!g)
    return -1;
  g->scale = cell_scale (&l->region, &l->rest);
  count_points (g, &l->region, g->in);
  count_points (g, &l->around, g->around);
  count_points (g, &l->rest, g->rest);
  count_points (g, &l->away, g->away);
  for (int i = 0; i < CELLS; i++)
    g->height[i] = g->in[i] - g->around[i] - g->away[i];
  make_modes (g);
  remove_rims (g);
  n = rank_modes (g, l->rest.n ? l->rest.n : l->region.n, modes);
  while (kept < n && modes[kept].score > 0 &&
      modes[kept].score * l->region.regions >= SHARE * modes[0].score) {
    more += modes[kept].in - modes[kept].around;
    kept++;
  }
  assign_modes (l, g, modes, kept);
  free (g);
  return more >= MIN_PART ? kept : 0;
}

/* ---- The colour's ranges ---- */

#define MAX_SAMPLES (1 << 15)
#define TAIL 20 /* one pixel in this many is left out at each end */
/* The surroundings of a region begin at GAP and end at AROUND of its sides from
 * it; there is a gap because a region is often drawn within the object. */
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
fetch_picture (const Device *dev, const Image *frame, Picture *p)
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
    return OUT_OF_MEMORY (size, "");
  for (int i = 0; i < image_planes (frame->format); i++) {
    p->image.plane[i] = p->memory + offset[i];
    TRY (device_copy_rows (dev, p->image.plane[i], p->image.stride[i],
        frame->plane[i], frame->stride[i], p->image.stride[i],
        image_rows (frame->format, frame->height, i)));
  }
  return device_wait (dev);
}

static const char *
make_room_for_samples (MoctSamples *s, int more)
{
  size_t bytes = SAMPLE * ((size_t) s->n + more) * sizeof *s->at;
  float *at = realloc (s->at, bytes);

  if (!at)
    return OUT_OF_MEMORY (bytes, "");
  s->at = at;
  return NULL;
}

/* Adds at most MAX_SAMPLES pixels of @in, evenly spread, that are not in @out,
 * to @s. */
static const char *
sample_points (
    const Picture *p, const ImageBox *in, const ImageBox *out, MoctSamples *s)
{
  int w = in->x1 - in->x0, h = in->y1 - in->y0, step = 1, first = s->n;

  while (((int64_t) w / step + 1) * (h / step + 1) > MAX_SAMPLES)
    step++;
  TRY (make_room_for_samples (s, MAX_SAMPLES));
  for (int y = in->y0; y < in->y1; y += step)
    for (int x = in->x0; x < in->x1; x += step) {
      uint8_t c[3];

      if (x >= out->x0 && x < out->x1 && y >= out->y0 && y < out->y1)
        continue;
      image_read (&p->image, x, y, c);
      moct_point (&p->encoding, MOCT_LAB, c, s->at + SAMPLE * (size_t) s->n++);
    }
  for (int i = first; i < s->n; i++)
    s->at[SAMPLE * (size_t) i + 3] = 1 / (float) (s->n - first);
  s->regions += s->n > first;
  return make_room_for_samples (s, 1);
}

static int
compare_floats (const void *p, const void *q)
{
  float a = *(const float *) p, b = *(const float *) q;

  return (a > b) - (a < b);
}

/* Sets the limits of @range to those of the points of mode @k, or of all points
 * if @mode is NULL. */
static const char *
set_mode_range (const MoctSamples *s, const int *mode, int k, MoctRange *range)
{
  float *axis = malloc (s->n * sizeof *axis);

  if (!axis)
    return OUT_OF_MEMORY (s->n * sizeof *axis, "");
  for (int i = 0; i < 3; i++) {
    int n = 0;

    for (int j = 0; j < s->n; j++)
      if (!mode || mode[j] == k)
        axis[n++] = s->at[SAMPLE * (size_t) j + i];
    qsort (axis, n, sizeof *axis, compare_floats);
    range->lo[i] = fmaxf (min_lab[i], floorf (axis[n / TAIL] - margin[i]));
    range->hi[i] =
        fminf (max_lab[i], ceilf (axis[n - 1 - n / TAIL] + margin[i]));
  }
  free (axis);
  return NULL;
}

static double
held_part (const MoctColour *colour, const MoctSamples *s)
{
  double part = 0;

  for (int i = 0; i < s->n; i++) {
    const float *point = s->at + SAMPLE * (size_t) i;

    part += moct_holds (colour, point) ? point[3] : 0;
  }
  return s->regions ? part / s->regions : 0;
}

/* ---- The ranges' sides ---- */

#define STEPS 3   /* of a side, across a margin */
#define GAIN 1.01 /* least factor of the score for a step inwards */
#define KEEP .95  /* least part of the best score for a step outwards */
#define REACH 9   /* margins that a side moves outwards at most */

/* The points in the widest colour: those of smaller colours are among them. */
typedef struct {
  MoctSamples region, around, away, rivals;
  double share;
} Held;

/* Picks the points of @from that @colour holds and, if @kinship is given, whose
 * kinship is at least @least. */
static const char *
pick_points (const MoctColour *colour, const MoctSamples *from,
    const uint8_t *kinship, Kinship least, MoctSamples *to)
{
  size_t bytes = (SAMPLE * (size_t) from->n + 1) * sizeof *to->at;

  to->regions = from->regions;
  if (!(to->at = malloc (bytes)))
    return OUT_OF_MEMORY (bytes, "");
  for (int i = 0; i < from->n; i++) {
    const float *p = from->at + SAMPLE * (size_t) i;

    if ((!kinship || kinship[i] >= least) && moct_holds (colour, p))
      memcpy (to->at + SAMPLE * (size_t) to->n++, p, SAMPLE * sizeof *p);
  }
  return NULL;
}

/* The score of @colour.  Rivals need not become fewer than the region's
 * pixels. */
static double
colour_score (const MoctColour *colour, const Held *h)
{
  double in = held_part (colour, &h->region);
  double other =
      fmax (held_part (colour, &h->around), held_part (colour, &h->rivals));

  other = fmax (other, held_part (colour, &h->away));
  return rarity_score (in, other + h->share * in);
}

/* The limit at @side, one of the six sides of each range. */
static float *
side_limit (MoctColour *colour, int side)
{
  MoctRange *also = side < 6 ? NULL : &colour->also[side / 6 - 1];
  float *lo = also ? also->lo : colour->lo, *hi = also ? also->hi : colour->hi;

  return side % 6 < 3 ? &lo[side % 3] : &hi[side % 3];
}

/* Moves @side inwards by @steps. */
static void
move_side (MoctColour *colour, int side, int steps)
{
  float by = (float) steps * margin[side % 3] / STEPS;

  *side_limit (colour, side) += side % 6 < 3 ? by : -by;
}

/* Moves sides of @colour inwards, each time the side that gains the most.  Sets
 * @moved for these. */
static void
move_sides_inwards (const Held *h, MoctColour *colour, bool *moved)
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
    moved[side] = true;
  }
}

/* Moves the sides of @colour that are not @stuck outwards in turn, as long as
 * the score is about the best, and then half of the way back. */
static void
move_sides_outwards (const Held *h, MoctColour *colour, bool *stuck)
{
  MoctColour before = *colour;
  double best = colour_score (colour, h);
  int n = 6 * (1 + colour->n_also);

  for (int step = 0; step < REACH * STEPS; step++)
    for (int i = 0; i < n; i++) {
      double now;

      if (stuck[i])
        continue;
      move_side (colour, i, -1);
      now = colour_score (colour, h);
      if ((stuck[i] = now < KEEP * best))
        move_side (colour, i, 1);
      else
        best = fmax (best, now);
    }
  for (int i = 0; i < n; i++) {
    float *limit = side_limit (colour, i);

    *limit = (*limit + *side_limit (&before, i)) / 2;
    *limit = i % 6 < 3 ? fmaxf (min_lab[i % 3], floorf (*limit))
                       : fminf (max_lab[i % 3], ceilf (*limit));
  }
}

static void
release_points (Held *h)
{
  free (h->region.at);
  free (h->around.at);
  free (h->away.at);
  free (h->rivals.at);
}

/* Picks the points of @l that @widest holds; rivals are of kinship @least at
 * least. */
static const char *
hold_points (
    const MoctLesson *l, const MoctColour *widest, Kinship least, Held *h)
{
  h->share = l->shares / l->region.regions;
  TRY (pick_points (widest, &l->region, NULL, OWN, &h->region));
  TRY (pick_points (widest, &l->around, NULL, OWN, &h->around));
  TRY (pick_points (widest, &l->away, NULL, OWN, &h->away));
  return pick_points (widest, &l->rest, l->kinship, least, &h->rivals);
}

/* Inwards, only other objects' colours are rivals; outwards, also those that
 * are next to the thing's. */
static const char *
move_sides (const MoctLesson *l, MoctColour *colour)
{
  bool stuck[6 * MOCT_MODES] = {false};
  Held inner = {0}, outer = {0};
  const char *err = hold_points (l, colour, RIVAL, &inner);

  if (!err) {
    MoctColour widest;

    move_sides_inwards (&inner, colour, stuck);
    widest = *colour;
    for (int i = 0; i < 6 * (1 + colour->n_also); i++)
      move_side (&widest, i, stuck[i] ? 0 : -REACH * STEPS);
    err = hold_points (l, &widest, NEAR, &outer);
  }
  if (!err)
    move_sides_outwards (&outer, colour, stuck);
  release_points (&inner);
  release_points (&outer);
  return err;
}

/* The score of all colours that @colour holds. */
static double
whole_score (const MoctColour *colour, const MoctLesson *l)
{
  int n_points = l->rest.n ? l->rest.n : l->region.n;
  double other =
      fmax (held_part (colour, &l->around), held_part (colour, &l->rest));

  other = fmax (other, held_part (colour, &l->away));
  return rarity_score (
      held_part (colour, &l->region), fmax (other, 1. / n_points));
}

static void
set_colour_range (MoctColour *colour, int k, const MoctRange *range)
{
  if (k)
    colour->also[k - 1] = *range;
  else
    for (int i = 0; i < 3; i++)
      colour->lo[i] = range->lo[i], colour->hi[i] = range->hi[i];
  colour->n_also = k;
}

/* Chooses among the ranges of @n modes, each time the range with which @colour
 * has a higher score than before: the margin of another range may hold colours
 * that are common elsewhere.  Returns the number of chosen ranges. */
static int
choose_ranges (const MoctLesson *l, MoctRange *range, int n, MoctColour *colour)
{
  double best = -1;

  for (int kept = 0; kept < n; kept++) {
    int which = -1;

    for (int k = kept; k < n; k++) {
      double now;

      set_colour_range (colour, kept, &range[k]);
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
    set_colour_range (colour, kept, &range[which]);
    range[which] = range[kept];
  }
  return n;
}

static const char *
set_learned_colour (MoctLesson *l, MoctColour *colour, MoctLearned *learned)
{
  int n = find_modes (l);
  MoctRange range[MOCT_MODES];

  if (n < 0)
    return OUT_OF_MEMORY (sizeof (Grid), "");
  colour->space = MOCT_LAB;
  for (int k = 0; k < n || k == 0; k++)
    TRY (set_mode_range (&l->region, n ? l->mode : NULL, k, &range[k]));
  learned->modes = n ? choose_ranges (l, range, n, colour) : 0;
  if (n)
    TRY (move_sides (l, colour));
  else
    set_colour_range (colour, 0, range);
  learned->explained = held_part (colour, &l->region);
  learned->elsewhere = held_part (colour, &l->rest);
  return NULL;
}

static ImageBox
widen_range (const ImageBox *in, double by, const Image *frame)
{
  int x = (int) ceil ((in->x1 - in->x0) * by);
  int y = (int) ceil ((in->y1 - in->y0) * by);

  return (ImageBox){in->x0 > x ? in->x0 - x : 0, in->y0 > y ? in->y0 - y : 0,
      in->x1 < frame->width - x ? in->x1 + x : frame->width,
      in->y1 < frame->height - y ? in->y1 + y : frame->height};
}

/* Adds what @p shows of @in, the part of @drag's region in the frame, to @l. */
static const char *
sample_region (
    const Picture *p, const ImageBox *in, const MoctDrag *drag, MoctLesson *l)
{
  ImageBox near = widen_range (in, GAP, &p->image), none = {0};
  ImageBox around = widen_range (in, AROUND, &p->image);
  ImageBox all = {0, 0, p->image.width, p->image.height};

  l->newest.n = l->newest.regions = 0;
  TRY (sample_points (p, in, &none, &l->newest));
  if (drag->takes_away)
    return sample_points (p, in, &none, &l->away);
  TRY (sample_points (p, in, &none, &l->region));
  if (!drag->is_point)
    TRY (sample_points (p, &around, &near, &l->around));
  TRY (sample_points (p, &all, &near, &l->rest));
  l->shares += (double) (in->x1 - in->x0) * (in->y1 - in->y0) /
      ((double) p->image.width * p->image.height);
  return NULL;
}

static const char *
learn_ranges (MoctLesson *l, MoctColour *colour, MoctLearned *learned)
{
  const char *err;

  l->mode = malloc (l->region.n * sizeof *l->mode);
  l->kinship = malloc (l->rest.n + 1);
  err = l->mode && l->kinship
      ? set_learned_colour (l, colour, learned)
      : OUT_OF_MEMORY (l->region.n * sizeof *l->mode + l->rest.n + 1, "");
  free (l->mode);
  free (l->kinship);
  return err;
}

void
moct_lesson_free (MoctLesson *l)
{
  if (!l)
    return;
  free (l->region.at);
  free (l->around.at);
  free (l->rest.at);
  free (l->away.at);
  free (l->newest.at);
  free (l);
}

const char *
moct_learn_from (const Device *dev, const Image *frame, const MoctDrag *drag,
    MoctLesson **lesson, MoctColour *colour, MoctLearned *learned)
{
  Picture p = {.memory = NULL};
  ImageBox in = drag->region;
  const char *err;

  *learned = (MoctLearned){0};
  in.x0 = in.x0 < 0 ? 0 : in.x0;
  in.y0 = in.y0 < 0 ? 0 : in.y0;
  in.x1 = in.x1 > frame->width ? frame->width : in.x1;
  in.y1 = in.y1 > frame->height ? frame->height : in.y1;
  if (in.x0 >= in.x1 || in.y0 >= in.y1)
    return "the region to learn from lies outside the frame";
  if (!*lesson && !(*lesson = calloc (1, sizeof **lesson)))
    return OUT_OF_MEMORY (sizeof **lesson, "");
  err = fetch_picture (dev, frame, &p);
  if (!err)
    err = sample_region (&p, &in, drag, *lesson);
  free (p.memory);
  if (err || !(*lesson)->region.n)
    return err;
  learned->before = held_part (colour, &(*lesson)->newest);
  TRY (learn_ranges (*lesson, colour, learned));
  learned->now = held_part (colour, &(*lesson)->newest);
  return NULL;
}
