/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpuccl/gpuccl_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Objects from frame to frame ----
 *
 * The paper accepts one that is there in five frames in a row (section 2.3) and
 * leaves open (section 5) whether it is the same one.  Here it must also be
 * where it was, and as large and of the same shape, in the world. */

/* A candidate of the frame before that met the criteria. */
typedef struct {
  uint64_t id;
  int frames;   /* in a row */
  bool metric;  /* the rest: metres, else pixels */
  double at[3]; /* where it is: metres of the camera, else pixels */
  bool in_world;
  double world[3]; /* the same in the world, if that is known */
  double area;
  double width, height; /* in the mean (as equation 2); 0: not measured */
} Object;

typedef struct {
  Object objects[GPUCCL_CANDIDATES];
  int n_objects;
  uint64_t last_id;
} Objects;

/* Rotates @v by the unit quaternion @q and moves it by @t. */
static void
to_world (const Pose64 *pose, double v[3])
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

/* The object that @c is, if it is known from no earlier frame. */
static Object
object_of (const GpucclParams *p, const GpucclComponent *c)
{
  Object o = {.metric = c->in_space && p->match != GPUCCL_MATCH_IMAGE,
      .at = {c->cx, c->cy, 0},
      .area = c->sum.area};

  if (c->measured) { /* both pixels at the ends count */
    o.width = c->mean_width + 1;
    o.height = c->mean_height + 1;
  }
  if (!o.metric)
    return o;
  memcpy (o.at, c->position, sizeof o.at);
  memcpy (o.world, c->position, sizeof o.world);
  if ((o.in_world = p->has_pose))
    to_world (&p->pose, o.world);
  o.area *= c->depth * c->depth / (p->camera.fx * p->camera.fy);
  o.width *= c->depth / p->camera.fx;
  o.height *= c->depth / p->camera.fy;
  return o;
}

/* What the window found has no width and no height. */
static bool
is_like (double a, double b, double ratio)
{
  return !(a > 0 && b > 0) || (a <= b * ratio && b <= a * ratio);
}

/* How far @b is from @a, as a part of how far it may be; more than 1 where it
 * cannot be the same.  Where the pose of the camera is unknown in one of the
 * two frames, the camera is taken to stand still. */
static double
distance (const GpucclParams *p, const Object *a, const Object *b)
{
  bool in_world = a->in_world && b->in_world;
  const double *u = in_world ? a->world : a->at;
  const double *v = in_world ? b->world : b->at;
  double d = 0, ratio = p->match_ratio;

  if (p->match == GPUCCL_MATCH_NONE)
    return 0;
  if (a->metric != b->metric || !is_like (a->area, b->area, ratio) ||
      !is_like (a->width, b->width, ratio) ||
      !is_like (a->height, b->height, ratio))
    return INFINITY;
  for (int i = 0; i < 3; i++)
    d += (u[i] - v[i]) * (u[i] - v[i]);
  return sqrt (d) / (a->metric ? p->match_distance : p->match_pixels);
}

/* Pairs the two nearest, and so on; each object goes on in one at most. */
static void
pair (const GpucclParams *p, Object *old, int n_old, Object *new, int n_new)
{
  for (;;) {
    double min = 1;
    int from = -1, to = -1;

    for (int i = 0; i < n_old; i++)
      for (int j = 0; j < n_new; j++) {
        double d =
            !old[i].id || new[j].id ? INFINITY : distance (p, &old[i], &new[j]);

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

/* Pairs those of the @n candidates @found that meet the criteria, marked
 * GPUCCL_NEW, with the objects; gives them id and number of frames, and
 * accepts who has enough. */
static void
persist (Objects *self, const GpucclParams *p, GpucclComponent **found, int n)
{
  Object now[GPUCCL_CANDIDATES];

  for (int i = 0; i < n; i++)
    now[i] = object_of (p, found[i]);
  pair (p, self->objects, self->n_objects, now, n);
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

/* A higher key comes first: the larger component, of equal ones that with the
 * smaller label. */
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
  return *self ? NULL : "out of memory";
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
key_of (const GpucclSum *s)
{
  return (unsigned long long) s->area << 32 | ~s->label;
}

/* Lets @heap[i], of the first @n, sink below those of smaller keys, so that the
 * smallest of @n is the first again. */
static void
sink (Ranked *heap, uint32_t i, uint32_t n)
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

/* The first @k sums in order, in @first; returns how many there are.  Unless
 * they come in order they are kept in a heap, with which of noise's many
 * thousands nearly all are left out by one comparison; sums stay where they
 * are, which takes less time than moving them. */
static uint32_t
rank (Ranked *first, const GpucclResult *result, uint32_t k)
{
  const GpucclSum *sums = result->sums;
  uint32_t n = result->n_sums;

  k = k < n ? k : n;
  for (uint32_t i = 0; i < k; i++)
    first[i] = (Ranked){key_of (&sums[i]), &sums[i]};
  if (result->in_order)
    return k;
  for (uint32_t i = k / 2; i-- > 0;)
    sink (first, i, k);
  for (uint32_t i = k; i < n; i++)
    if (key_of (&sums[i]) > first[0].key) {
      first[0] = (Ranked){key_of (&sums[i]), &sums[i]};
      sink (first, 0, k);
    }
  for (uint32_t i = k; i-- > 1;) {
    Ranked r = first[0];

    first[0] = first[i];
    first[i] = r;
    sink (first, 0, i);
  }
  return k;
}

/* The ray of the centroid and, as the extents of the box of all its points,
 * those along the axes of the camera. */
static void
place (GpucclComponent *c, const GpucclParams *p)
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

/* One by one: to clear all of it first takes as long as the rest. */
static void
describe (GpucclComponent *c, const GpucclSum *s, const GpucclParams *p,
    const GpucclWork *w)
{
  c->sum = *s;
  c->cx = (double) s->x / s->area;
  c->cy = (double) s->y / s->area;
  c->depth = (double) s->z / s->area * p->depth_scale;
  c->in_space = false;
  for (int i = 0; i < 3; i++)
    c->position[i] = c->extent[i] = 0;
  if (w->rays.known)
    place (c, p);
  c->state = GPUCCL_REJECTED;
  c->reason = s->area > p->min_size ? GPUCCL_RANK : GPUCCL_SIZE;
  c->measured = false;
  c->fill = c->mean_width = c->mean_height = 0;
  c->frames = 0;
  c->id = 0;
}

/* The criteria, of which the first is that it is a candidate at all. */
static void
judge (GpucclComponent *c, const GpucclCandidate *k, const GpucclParams *p)
{
  unsigned long long extents = k->widths + k->heights;

  c->measured = true;
  c->fill = extents ? 2. * c->sum.area / (double) extents : 0;
  c->mean_width = (double) k->widths / k->rows;
  c->mean_height = (double) k->heights / k->columns;
  if (!(c->fill > p->min_fill))
    c->reason = GPUCCL_FILL;
  else if (c->mean_width < p->min_extent || c->mean_height < p->min_extent)
    c->reason = GPUCCL_EXTENT;
  else
    c->state = GPUCCL_NEW, c->reason = GPUCCL_PERSISTENCE;
}

/* The candidates are the first of the components, in the same order.  What the
 * window found is asked nothing.  Where depth is all there is, a wall persists
 * as well as a robot: nothing is an object. */
static void
judge_all (GpucclDecision *d, const GpucclParams *p, const GpucclWork *w)
{
  const GpucclResult *result = w->result;
  GpucclComponent *good[GPUCCL_CANDIDATES];
  int n = 0;

  for (uint32_t i = 0; i < result->n_candidates; i++)
    judge (&d->components[i], &result->candidates[i], p);
  for (uint32_t i = 0; i < GPUCCL_CANDIDATES && i < result->n_sums; i++) {
    GpucclComponent *c = &d->components[i];

    if (c->state == GPUCCL_NEW || p->detector == GPUCCL_WINDOW)
      good[n++] = c;
  }
  persist (&d->objects, p, good, n);
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
  int n = (int) rank (d->ranked, result, w->wanted_sums);

  for (int i = 0; i < n; i++)
    describe (&d->components[i], d->ranked[i].sum, p, w);
  judge_all (d, p, w);
  *r = (GpucclResults){.components = d->components,
      .n_components = n < p->max_components ? n : p->max_components,
      .accepted = -1,
      .n_labels = result->n_labels,
      .largest_label = result->largest_label,
      .largest_area = result->largest_area,
      .n_unknown = result->n_unknown,
      .iterations = (int) result->iterations,
      .labels = w->labels};
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
