/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Foreground, links and sums of pixels; the data of the stages, and their
 * table. */
#pragma once

#include "common/bilateral.h"
#include "common/math_core.h"
#include "gpuccl/gpuccl.h"

/* ---- Foreground ---- */

/* The foreground is the values from @first to @first + @span; the @n_unknown
 * values from @unknown on are counted, as they have no known meaning, but for
 * @shadow. */
typedef struct {
  uint8_t first, span, unknown, n_unknown, shadow;
} GpucclValues;

BOTH bool
gpuccl_is_foreground (const GpucclValues *v, uint8_t value)
{
  return (uint8_t) (value - v->first) <= v->span;
}

BOTH bool
gpuccl_is_unknown (const GpucclValues *v, uint8_t value)
{
  return (uint8_t) (value - v->unknown) < v->n_unknown && value != v->shadow;
}

BOTH const uint16_t *
gpuccl_depth_row (const GpucclFrame *f, int y)
{
  return (const uint16_t *) ((const uint8_t *) f->depth +
      (size_t) y * f->depth_stride);
}

BOTH bool
gpuccl_foreground_at (const GpucclFrame *f, const GpucclValues *v, int x, int y)
{
  return (f->source == GPUCCL_DEPTH_ONLY ||
             gpuccl_is_foreground (
                 v, f->map[(size_t) y * f->map_stride + x * f->map_step])) &&
      (!f->depth || gpuccl_depth_row (f, y)[x]);
}

/* ---- Links between neighbours ---- */

/* Two depths are linked if they differ by less than @limit, or by less than z^2
 * k / 2^32 units, z being the nearer depth in whole units.  Filtered depths and
 * their limit have @bits binary places: rounded to whole units, 1 cm of a
 * sensor that counts millimetres would be 0.9 to 1.1 cm. */
typedef struct {
  uint32_t limit, k;
  int bits; /* 0 or BILATERAL_FINE_BITS */
} GpucclLink;

#define GPUCCL_ANY_STEP UINT32_MAX /* limit of links at any depth step */

BOTH uint32_t
gpuccl_limit (const GpucclLink *link, uint32_t near)
{
  uint32_t z = near >> link->bits;
  int places = 32 - link->bits;
  uint64_t grown = (uint64_t) (z * z) * link->k;
  uint64_t limit = (grown + ((uint64_t) 1 << places) - 1) >> places;

  /* @limit is at most 2^40: @grown is less than 2^64 - 2^32 */
  limit = limit < GPUCCL_ANY_STEP ? limit : GPUCCL_ANY_STEP;
  return limit > link->limit ? (uint32_t) limit : link->limit;
}

BOTH bool
gpuccl_linked (const GpucclLink *link, uint32_t a, uint32_t b)
{
  uint32_t near = a < b ? a : b;

  return a + b - 2 * near < gpuccl_limit (link, near);
}

/* Which links upwards are needed.  Each argument holds one pixel a bit: the
 * links to the left, up, up-left and up-right of a pixel; of the pixel above
 * it, of the pixel to its left and so on.  For any symmetric rule of links, a
 * link is left out if other links that are kept make a detour. */
BOTH uint64_t
gpuccl_up_needed (
    uint64_t up, uint64_t left, uint64_t left_of_above, uint64_t up_of_left)
{
  return up & ~(left & left_of_above & up_of_left);
}

BOTH uint64_t
gpuccl_up_left_needed (uint64_t up_left, uint64_t left, uint64_t up_of_left,
    uint64_t up, uint64_t left_of_above)
{
  return up_left & ~((left & up_of_left) | (up & left_of_above));
}

BOTH uint64_t
gpuccl_up_right_needed (uint64_t up_right, uint64_t left_of_right,
    uint64_t up_of_right, uint64_t up, uint64_t left_of_above_right)
{
  return up_right &
      ~((left_of_right & up_of_right) | (up & left_of_above_right));
}

/* ---- Sums ---- */

/* The principal point: whole pixels, and a fraction of 0 to 255 256ths. */
typedef struct {
  int32_t whole;
  uint32_t part;
} GpucclCentre;

/* (at - centre) z, rounded.  The result is below 2^31, as |at - whole| is at
 * most 32767 and the fraction less than 1. */
BOTH int32_t
gpuccl_ray (GpucclCentre centre, int32_t at, uint32_t z)
{
  return (at - centre.whole) * (int32_t) z -
      (int32_t) ((centre.part * z + 128) >> 8);
}

BOTH GpucclSum
gpuccl_sum_nothing (void)
{
  GpucclSum s = {UINT32_MAX, 0, 0, 0, 0, 0, 0, 0,
      {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN}, UINT32_MAX, 0, INT32_MAX,
      INT32_MIN, INT32_MAX, INT32_MIN};

  return s;
}

#define GPUCCL_LOWER(a, b) ((a) = (b) < (a) ? (b) : (a))
#define GPUCCL_RAISE(a, b) ((a) = (b) > (a) ? (b) : (a))

BOTH void
gpuccl_sum_add (GpucclSum *s, const GpucclSum *t)
{
  GPUCCL_LOWER (s->label, t->label);
  s->area += t->area;
  s->x += t->x;
  s->y += t->y;
  s->z += t->z;
  s->xx += t->xx;
  s->xy += t->xy;
  s->yy += t->yy;
  GPUCCL_LOWER (s->box.x0, t->box.x0);
  GPUCCL_LOWER (s->box.y0, t->box.y0);
  GPUCCL_RAISE (s->box.x1, t->box.x1);
  GPUCCL_RAISE (s->box.y1, t->box.y1);
  GPUCCL_LOWER (s->min_z, t->min_z);
  GPUCCL_RAISE (s->max_z, t->max_z);
  GPUCCL_LOWER (s->min_u, t->min_u);
  GPUCCL_RAISE (s->max_u, t->max_u);
  GPUCCL_LOWER (s->min_v, t->min_v);
  GPUCCL_RAISE (s->max_v, t->max_v);
}

/* The sum of one pixel without depth. */
BOTH GpucclSum
gpuccl_sum_pixel (int x, int y, uint32_t label)
{
  unsigned long long u = (unsigned long long) x, v = (unsigned long long) y;
  GpucclSum s = {label, 1, u, v, 0, u * u, u * v, v * v, {x, y, x + 1, y + 1},
      0, 0, 0, 0, 0, 0};

  return s;
}

/* The principal point, if there is a camera. */
typedef struct {
  bool known;
  GpucclCentre x, y;
} GpucclRays;

/* Sets the depth of the sum @s of the one pixel (x, y). */
BOTH void
gpuccl_sum_set_depth (
    GpucclSum *s, const GpucclRays *rays, int x, int y, uint32_t z)
{
  s->z = s->min_z = s->max_z = z;
  if (!rays->known)
    return;
  s->min_u = s->max_u = gpuccl_ray (rays->x, x, z);
  s->min_v = s->max_v = gpuccl_ray (rays->y, y, z);
}

/* ---- The data of the stages ---- */

/* A candidate, which is one of the largest components, measured for the
 * criteria (section 3.5.3).  A row or column without its pixels adds
 * nothing. */
typedef struct {
  uint32_t label, area;
  unsigned long long widths, heights; /* sums over rows of last x - first x,
                                         over columns of last y - first y */
  uint32_t rows, columns;             /* number of rows, of columns with a pixel
                                         of the component */
} GpucclCandidate;

#define GPUCCL_PARTS \
 (2 * GPUCCL_CANDIDATES) /* parts of the frame's work that \
                            end last */

/* In pinned memory; the host reads it when the device has finished. */
typedef struct {
  uint32_t n_labels, largest_label, largest_area, n_unknown;
  uint32_t iterations;
  uint32_t n_candidates;
  GpucclCandidate candidates[GPUCCL_CANDIDATES]; /* by area, then by label */
  uint32_t n_sums;    /* number of components of min_area pixels, which may be
                         more than there is room for */
  uint32_t n_missing; /* GPU: the number of pieces of components, if there was
                         no room for all; else 0 */
  uint32_t in_order;  /* whether the next are sorted by area, then by label;
                         then at most wanted_sums of them are written */
  uint32_t ready[GPUCCL_PARTS]; /* GPU: each is set to 1 when all of the result
                                   is written, if the stage does so
                                   (run_says_ready) */
  GpucclSum sums[1];            /* as many as max_sums */
} GpucclResult;

/* The stages of figure 8, which the paper's algorithms go through. */
typedef enum {
  GPUCCL_INIT,
  GPUCCL_SCANNING,
  GPUCCL_ANALYSIS,
  GPUCCL_CRITERION_1,      /* areas, and the largest components */
  GPUCCL_CRITERIA_2_AND_3, /* extents; on the GPU also the other sums */
  GPUCCL_N_STAGES
} GpucclStage;

/* Called when a stage is queued, unless NULL. */
typedef struct {
  const char *(*stage_ends) (void *data, GpucclStage stage);
  void *data;
} GpucclWatch;

static inline const char *
gpuccl_stage_ends (const GpucclWatch *watch, GpucclStage stage)
{
  return watch->stage_ends ? watch->stage_ends (watch->data, stage) : NULL;
}

/* The work of all stages.  Pointers are to device memory, unless a comment says
 * otherwise. */
typedef struct {
  GpucclFrame frame;
  GpucclValues values;
  GpucclLink link;
  GpucclRays rays;
  int connectivity, skip_checks;
  bool host_loop;    /* the host decides after each pass of label equivalence
                        whether to go on, as in the paper; for benchmarks */
  GpucclWatch watch; /* for benchmarks with host_loop */
  uint32_t min_area, min_size;
  uint32_t wanted_sums; /* number of sums that are wanted, the first in order */

  uint32_t *labels;  /* rows of width */
  uint32_t *scratch; /* a word for each pixel; GPUCCL_RUN has none */
  uint16_t *smooth;  /* the filtered depth of the foreground, rows of width */
  int8_t *fraction;  /* of the filtered depth, 1/256 units; rows of width */
  const uint8_t *range; /* BILATERAL_RANGE weights */
  void *state;          /* the backend's own */
  uint32_t max_sums;
  GpucclResult *result; /* pinned */
} GpucclWork;

/* Whether a component of @area pixels is reported. */
BOTH bool
gpuccl_is_reported (const GpucclWork *w, uint32_t area)
{
  return area >= w->min_area;
}

BOTH bool
gpuccl_is_candidate (const GpucclWork *w, uint32_t area)
{
  return area > w->min_size && gpuccl_is_reported (w, area);
}

/* Whether the first of two components comes before the second: it has the
 * larger area or, if areas are equal, the smaller label. */
BOTH bool
gpuccl_before (
    uint32_t area, uint32_t label, uint32_t other_area, uint32_t other_label)
{
  return area != other_area ? area > other_area : label < other_label;
}

/* The depth of a pixel as links compare it. */
BOTH uint32_t
gpuccl_link_depth (const GpucclWork *w, int x, int y)
{
  uint32_t z = gpuccl_depth_row (&w->frame, y)[x];

  return w->link.bits ? (uint32_t) ((int32_t) (z << BILATERAL_FINE_BITS) +
                            w->fraction[(size_t) y * w->frame.width + x])
                      : z;
}

/* Whether two neighbouring foreground pixels are linked. */
BOTH bool
gpuccl_linked_at (const GpucclWork *w, int x, int y, int u, int v)
{
  return !w->frame.depth ||
      gpuccl_linked (
          &w->link, gpuccl_link_depth (w, x, y), gpuccl_link_depth (w, u, v));
}

/* The steps that each backend implements. */
typedef struct {
  /* Make and free w->state. */
  const char *(*open) (const Device *dev, GpucclWork *w);
  void (*close) (const Device *dev, GpucclWork *w);
  /* From w->frame.depth to w->smooth and w->fraction. */
  const char *(*filter) (const Device *dev, const GpucclWork *w);
  /* GPUCCL_RUN: sets w->labels and w->result at once. */
  const char *(*run) (const Device *dev, const GpucclWork *w);
  bool run_says_ready; /* run () sets w->result->ready */
  /* The paper's algorithms and the window: set w->labels, and @iterations to
   * the number of iterations. */
  const char *(*label_equivalence) (const Device *dev, const GpucclWork *w);
  const char *(*improved) (const Device *dev, const GpucclWork *w);
  const char *(*hierarchical) (const Device *dev, const GpucclWork *w);
  const char *(*window) (const Device *dev, const GpucclWork *w);
  /* After one of these: sets the rest of w->result. */
  const char *(*measure) (const Device *dev, const GpucclWork *w);
  const char *(*mask) (const Device *dev, const GpucclWork *w, uint32_t label,
      uint8_t *mask, size_t stride);
} GpucclStages;

C_BEGIN
extern const GpucclStages gpuccl_stages_cpu, gpuccl_stages_cuda;

/* gpuccl_work.c: checks @params and @frame, and sets @work by them. */
const char *gpuccl_set_work (
    GpucclWork *work, const GpucclParams *params, const GpucclFrame *frame);

/* gpuccl_decide.c: from a frame's sums to its components: measures in metres,
 * the criteria of section 3.5.3, and the persistence of objects (section
 * 2.3). */
typedef struct _GpucclDecision GpucclDecision;

const char *gpuccl_decision_new (GpucclDecision **self);
void gpuccl_decision_free (GpucclDecision *self);

/* Forgets all objects. */
void gpuccl_decision_reset (GpucclDecision *self);

/* Sets @results, valid until the next call, by work->result, and sorts its
 * sums. */
void gpuccl_decide (GpucclDecision *self, const GpucclParams *params,
    const GpucclWork *work, GpucclResults *results);
C_END
