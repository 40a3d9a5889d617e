/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpuccl/gpuccl_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Objects from frame to frame ----
 *
 * The paper accepts an object that is present in five frames in a row (section
 * 2.3) and leaves open (section 5) whether it is the same object.  Here an
 * object must also keep its place, size and shape, in the world. */

/* A candidate of the previous frame that met the criteria. */
typedef struct {
  uint64_t id;
  int frames;   /* in a row */
  bool metric;  /* the next four are in metres, else in pixels */
  double at[3]; /* position: metres in the camera's coordinates, else pixels */
  bool in_world;
  double world[3]; /* position in the world, if it is known */
  double area;
  double width, height; /* mean, as in equation 2; 0: not measured */
} Object;

typedef struct {
  Object objects[GPUCCL_CANDIDATES];
  int n_objects;
  uint64_t last_id;
} Objects;

/* Rotates @v by the unit quaternion @q and moves it by @t. */
static void
move_to_world (const Pose64 *pose, double v[3])
{
  const double *q = pose->q, *u = q + 1;
  double a[3], b[3];

  for (int i = 0; i < 3; i++)
    a[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3] +
        q[0] * v[i];
  for (int i = 0; i < 3; i++)
    b[i] = u[(i + 1) % 3] * a[(i + 2) % 3] - u[(i + 2) % 3] * a[(i + 1) % 3];
  for (int i = 0; i < 3; i++)
    v[i] += 2 * b[i] + pose->t[i];
}

/* Component @c as a new object. */
static Object
object_of_component (const GpucclParams *p, const GpucclComponent *c)
{
  Object o = {.metric = c->in_space && p->match != GPUCCL_MATCH_IMAGE,
      .at = {c->cx, c->cy, 0},
      .area = c->sum.area};

  if (c->measured) { /* the pixels at both ends count */
    o.width = c->mean_width + 1;
    o.height = c->mean_height + 1;
  }
  if (!o.metric)
    return o;
  memcpy (o.at, c->position, sizeof o.at);
  memcpy (o.world, c->position, sizeof o.world);
  if ((o.in_world = p->has_pose))
    move_to_world (&p->pose, o.world);
  o.area *= c->depth * c->depth / (p->camera.fx * p->camera.fy);
  o.width *= c->depth / p->camera.fx;
  o.height *= c->depth / p->camera.fy;
  return o;
}

/* Whether two sizes differ by at most the factor @ratio.  The window's
 * component has no width and no height, 0. */
static bool
is_alike (double a, double b, double ratio)
{
  return !(a > 0 && b > 0) || (a <= b * ratio && b <= a * ratio);
}

/* The distance of @b from @a, as a part of the allowed distance; more than 1 if
 * they cannot be the same object.  If the camera's pose is unknown in one of
 * the two frames, the camera is taken to stand still. */
static double
object_distance (const GpucclParams *p, const Object *a, const Object *b)
{
  bool in_world = a->in_world && b->in_world;
  const double *u = in_world ? a->world : a->at;
  const double *v = in_world ? b->world : b->at;
  double d = 0, ratio = p->match_ratio;

  if (p->match == GPUCCL_MATCH_NONE)
    return 0;
  if (a->metric != b->metric || !is_alike (a->area, b->area, ratio) ||
      !is_alike (a->width, b->width, ratio) ||
      !is_alike (a->height, b->height, ratio))
    return INFINITY;
  for (int i = 0; i < 3; i++)
    d += (u[i] - v[i]) * (u[i] - v[i]);
  return sqrt (d) / (a->metric ? p->match_distance : p->match_pixels);
}

/* Pairs the two nearest objects of the two frames, then the next nearest, and
 * so on. */
static void
pair_objects (
    const GpucclParams *p, Object *old, int n_old, Object *new, int n_new)
{
  for (;;) {
    double min = 1;
    int from = -1, to = -1;

    for (int i = 0; i < n_old; i++)
      for (int j = 0; j < n_new; j++) {
        double d = !old[i].id || new[j].id
            ? INFINITY
            : object_distance (p, &old[i], &new[j]);

        if (d < min || (d == min && from < 0))
          min = d, from = i, to = j;
      }
    if (from < 0)
      return;
    new[to].id = old[from].id;
    new[to].frames = old[from].frames;
    old[from].id = 0;
  }
}

/* Pairs the candidates among @found that meet the criteria (marked GPUCCL_NEW)
 * with the objects, sets their id and number of frames, and accepts those with
 * enough frames. */
static void
track_objects (
    Objects *self, const GpucclParams *p, GpucclComponent **found, int n)
{
  Object now[GPUCCL_CANDIDATES];

  for (int i = 0; i < n; i++)
    now[i] = object_of_component (p, found[i]);
  pair_objects (p, self->objects, self->n_objects, now, n);
  for (int i = 0; i < n; i++) {
    GpucclComponent *c = found[i];

    if (!now[i].id)
      now[i].id = ++self->last_id;
    c->id = now[i].id;
    now[i].frames += now[i].frames < INT32_MAX;
    c->frames = now[i].frames;
    c->state = c->frames >= p->frames ? GPUCCL_ACCEPTED : GPUCCL_NEW;
    c->reason = c->state == GPUCCL_NEW ? GPUCCL_PERSISTENCE : GPUCCL_NO_REASON;
  }
  memcpy (self->objects, now, n * sizeof *now);
  self->n_objects = n;
}

/* ---- From sums to components ---- */

/* A key for sorting: the higher key is that of the larger component or, if
 * areas are equal, of the smaller label. */
typedef struct {
  unsigned long long key;
  const GpucclSum *sum;
} Ranked;

struct _GpucclDecision {
  Ranked ranked[GPUCCL_MAX_COMPONENTS];
  GpucclComponent components[GPUCCL_MAX_COMPONENTS];
  Objects objects;
};

const char *
gpuccl_decision_new (GpucclDecision **self)
{
  *self = calloc (1, sizeof **self);
  return *self ? NULL : OUT_OF_MEMORY (sizeof **self, "");
}

void
gpuccl_decision_free (GpucclDecision *self)
{
  free (self);
}

void
gpuccl_decision_reset (GpucclDecision *self)
{
  self->objects.n_objects = 0;
}

static unsigned long long
ranked_key (const GpucclSum *s)
{
  return (unsigned long long) s->area << 32 | ~s->label;
}

/* Moves @heap[i], of the first @n, below the larger keys, so that the first has
 * the smallest key again. */
static void
sink_in_heap (Ranked *heap, uint32_t i, uint32_t n)
{
  Ranked r = heap[i];

  for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
    child += child + 1 < n && heap[child + 1].key < heap[child].key;
    if (r.key < heap[child].key)
      break;
    heap[i] = heap[child];
  }
  heap[i] = r;
}

/* Sets @first to the first @k sums in order.  Returns their number.  Sums that
 * are not in order go through a heap of @k: with many thousands of components,
 * as of noise, one comparison leaves out nearly each.  The sums themselves are
 * not moved, because that takes longer. */
static uint32_t
rank_sums (Ranked *first, const GpucclResult *result, uint32_t k)
{
  const GpucclSum *sums = result->sums;
  uint32_t n = result->n_sums;

  k = k < n ? k : n;
  for (uint32_t i = 0; i < k; i++)
    first[i] = (Ranked){ranked_key (&sums[i]), &sums[i]};
  if (result->in_order)
    return k;
  for (uint32_t i = k / 2; i-- > 0;)
    sink_in_heap (first, i, k);
  for (uint32_t i = k; i < n; i++)
    if (ranked_key (&sums[i]) > first[0].key) {
      first[0] = (Ranked){ranked_key (&sums[i]), &sums[i]};
      sink_in_heap (first, 0, k);
    }
  for (uint32_t i = k; i-- > 1;) {
    Ranked r = first[0];

    first[0] = first[i];
    first[i] = r;
    sink_in_heap (first, 0, i);
  }
  return k;
}

/* Sets position and extent: the centroid's ray at the mean depth, and the sides
 * of the box around all points, along the axes of the camera. */
static void
place_in_space (GpucclComponent *c, const GpucclParams *p)
{
  const Camera *camera = &p->camera;
  const GpucclSum *s = &c->sum;
  double scale = p->depth_scale;

  c->in_space = true;
  c->position[0] = (c->cx - camera->cx) * c->depth / camera->fx;
  c->position[1] = (c->cy - camera->cy) * c->depth / camera->fy;
  c->position[2] = c->depth;
  c->extent[0] = ((double) s->max_u - s->min_u) * scale / camera->fx;
  c->extent[1] = ((double) s->max_v - s->min_v) * scale / camera->fy;
  c->extent[2] = (s->max_z - s->min_z) * scale;
}

/* Sets each member by itself: clearing the component first takes as long as all
 * the rest. */
static void
describe_component (GpucclComponent *c, const GpucclSum *s,
    const GpucclParams *p, const GpucclWork *w)
{
  c->sum = *s;
  c->cx = (double) s->x / s->area;
  c->cy = (double) s->y / s->area;
  c->depth = (double) s->z / s->area * p->depth_scale;
  c->in_space = false;
  for (int i = 0; i < 3; i++)
    c->position[i] = c->extent[i] = 0;
  if (w->rays.known)
    place_in_space (c, p);
  c->state = GPUCCL_REJECTED;
  c->reason = s->area > p->min_size ? GPUCCL_RANK : GPUCCL_SIZE;
  c->measured = false;
  c->fill = c->mean_width = c->mean_height = c->box_fill = c->surface = 0;
  for (int i = 0; i < 2; i++)
    c->sides[i] = c->metric_sides[i] = 0;
  c->frames = 0;
  c->id = 0;
}

static Spread
spread_of_sum (const GpucclSum *s)
{
  Moments m = {s->area, s->x, s->y, s->xx, s->xy, s->yy};

  return moments_spread (&m);
}

void
gpuccl_sum_shape (const GpucclSum *s, double *orientation, double *elongation)
{
  Spread spread = spread_of_sum (s);

  *orientation = spread_orientation (&spread);
  *elongation = spread_elongation (&spread);
}

/* Sets the sides of the component's rectangle, its filling, and both areas.  In
 * space a pixel is as wide and as high as the camera makes it. */
static void
measure_rectangle (GpucclComponent *c, const GpucclParams *p)
{
  Spread s = spread_of_sum (&c->sum);
  double width = c->in_space ? c->depth / p->camera.fx : 0;
  double height = c->in_space ? c->depth / p->camera.fy : 0;
  Spread metric = {
      s.xx * width * width, s.xy * width * height, s.yy * height * height};

  spread_sides (&s, c->sides);
  spread_sides (&metric, c->metric_sides);
  c->box_fill = c->sum.area / (c->sides[0] * c->sides[1]);
  c->surface = c->sum.area * width * height;
}

/* Applies the criteria; the first is that the component is a candidate. */
static void
judge_component (
    GpucclComponent *c, const GpucclCandidate *k, const GpucclParams *p)
{
  unsigned long long extents = k->widths + k->heights;

  measure_rectangle (c, p);
  c->measured = true;
  c->fill = extents ? 2. * c->sum.area / (double) extents : 0;
  c->mean_width = (double) k->widths / k->rows;
  c->mean_height = (double) k->heights / k->columns;
  if (c->surface < p->min_surface)
    c->reason = GPUCCL_SIZE;
  else if (!(c->fill > p->min_fill) || c->box_fill < p->min_box_fill)
    c->reason = GPUCCL_FILL;
  else if (c->mean_width < p->min_extent || c->mean_height < p->min_extent ||
      c->metric_sides[1] < p->min_side || c->sides[1] < p->min_side_pixels)
    c->reason = GPUCCL_EXTENT;
  else
    c->state = GPUCCL_NEW, c->reason = GPUCCL_PERSISTENCE;
}

/* Applies the criteria to all candidates, which are the first components, in
 * the same order.  The window's component has no criteria.  With depth alone
 * nothing is an object, because a wall persists as a robot does. */
static void
judge_candidates (GpucclDecision *d, const GpucclParams *p, const GpucclWork *w)
{
  const GpucclResult *result = w->result;
  GpucclComponent *good[GPUCCL_CANDIDATES];
  uint32_t most = (uint32_t) p->max_candidates;
  int n = 0;

  for (uint32_t i = 0; i < most && i < result->n_candidates; i++)
    judge_component (&d->components[i], &result->candidates[i], p);
  for (uint32_t i = 0; i < most && i < result->n_sums; i++) {
    GpucclComponent *c = &d->components[i];

    if (c->state == GPUCCL_NEW || p->detector == GPUCCL_WINDOW)
      good[n++] = c;
  }
  track_objects (&d->objects, p, good, n);
  for (int i = 0; i < n && w->frame.source == GPUCCL_DEPTH_ONLY; i++) {
    good[i]->state = GPUCCL_REJECTED;
    good[i]->reason = GPUCCL_SURFACE;
  }
}

void
gpuccl_decide (GpucclDecision *d, const GpucclParams *p, const GpucclWork *w,
    GpucclResults *r)
{
  const GpucclResult *result = w->result;
  int n = (int) rank_sums (d->ranked, result, w->wanted_sums);

  for (int i = 0; i < n; i++)
    describe_component (&d->components[i], d->ranked[i].sum, p, w);
  judge_candidates (d, p, w);
  *r = (GpucclResults){.components = d->components,
      .n_components = n < p->max_components ? n : p->max_components,
      .accepted = -1,
      .n_labels = result->n_labels,
      .largest_label = result->largest_label,
      .largest_area = result->largest_area,
      .n_unknown = result->n_unknown,
      .iterations = (int) result->iterations,
      .labels = w->labels};
  r->n_left_out = result->n_sums - (uint32_t) r->n_components;
  for (int i = r->n_components - 1; i >= 0; i--)
    if (d->components[i].state == GPUCCL_ACCEPTED)
      r->accepted = i;
}

const char *
gpuccl_reason_name (GpucclReason reason)
{
  static const char *const names[] = {
      NULL, "size", "fill", "extent", "rank", "persistence", "surface"};

  return names[reason];
}
