/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpuccl/gpuccl_decide.h"

#include <stdlib.h>

#include "gpuccl/gpuccl_persist.h"

struct _GpucclDecision {
  GpucclComponent components[GPUCCL_MAX_COMPONENTS];
  GpucclObjects objects;
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

static int
compare (const void *p, const void *q)
{
  const GpucclSum *a = p, *b = q;

  return gpuccl_before (a->area, a->label, b->area, b->label) ? -1 : 1;
}

/* Lets @sums[i], of the first @n, sink below those that come after it in order,
 * so that of @n the last in order is the first again. */
static void
sink (GpucclSum *sums, uint32_t i, uint32_t n)
{
  for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
    GpucclSum sum = sums[i];

    if (child + 1 < n && compare (&sums[child + 1], &sums[child]) > 0)
      child++;
    if (compare (&sum, &sums[child]) > 0)
      return;
    sums[i] = sums[child];
    sums[child] = sum;
  }
}

/* Brings the first @k of @n sums to the front, in order, by a heap of them: of
 * noise there are many thousands, of which nearly all are left out by one
 * comparison. */
static void
order (GpucclSum *sums, uint32_t n, uint32_t k)
{
  if (n > k) {
    for (uint32_t i = k / 2; i-- > 0;)
      sink (sums, i, k);
    for (uint32_t i = k; i < n; i++)
      if (compare (&sums[i], &sums[0]) < 0) {
        sums[0] = sums[i];
        sink (sums, 0, k);
      }
  }
  qsort (sums, n < k ? n : k, sizeof *sums, compare);
}

/* The ray of the centroid and, as the extents of the box of all its points,
 * those along the axes of the camera. */
static void
place (GpucclComponent *c, const GpucclParams *p)
{
  const GpucclCamera *camera = &p->camera;
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

static GpucclComponent
component_of (const GpucclSum *s, const GpucclParams *p, const GpucclWork *w)
{
  GpucclComponent c = {.sum = *s};

  c.cx = (double) s->x / s->area;
  c.cy = (double) s->y / s->area;
  c.depth = (double) s->z / s->area * p->depth_scale;
  if (w->rays.known)
    place (&c, p);
  c.reason = s->area > p->min_size ? GPUCCL_RANK : GPUCCL_SIZE;
  return c;
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
 * window found is asked nothing. */
static void
judge_all (GpucclDecision *d, const GpucclParams *p, const GpucclResult *result)
{
  GpucclComponent *good[GPUCCL_CANDIDATES];
  int n = 0;

  for (uint32_t i = 0; i < result->n_candidates; i++)
    judge (&d->components[i], &result->candidates[i], p);
  for (uint32_t i = 0; i < GPUCCL_CANDIDATES && i < result->n_sums; i++) {
    GpucclComponent *c = &d->components[i];

    if (c->state == GPUCCL_NEW || p->detector == GPUCCL_WINDOW)
      good[n++] = c;
  }
  gpuccl_persist (&d->objects, p, good, n);
}

void
gpuccl_decide (GpucclDecision *d, const GpucclParams *p, const GpucclWork *w,
    GpucclResults *r)
{
  GpucclResult *result = w->result;
  int n = (int) result->n_sums, most = p->max_components;

  most = most > GPUCCL_CANDIDATES ? most : GPUCCL_CANDIDATES;
  n = n < most ? n : most;
  order (result->sums, result->n_sums, (uint32_t) most);
  for (int i = 0; i < n; i++)
    d->components[i] = component_of (&result->sums[i], p, w);
  judge_all (d, p, result);
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
      NULL, "size", "fill", "extent", "rank", "persistence"};

  return names[reason];
}
