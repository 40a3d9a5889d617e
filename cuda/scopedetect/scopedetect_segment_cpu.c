/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Over-segmentation, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_segment_core.h"

typedef struct {
  const ScopedetectScene *scene;
  const ScopedetectBounds *bounds;
  const ScopedetectCloud *cloud;
  float spacing;
  const ScopedetectParams *params;
  int32_t *label;
  ScopedetectSegments *segments;
} Segmenting;

static void
assign_label_rows (void *data, int begin, int end)
{
  const Segmenting *a = data;
  const ScopedetectScene *s = a->scene;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < s->width; x++)
      if (a->label[(size_t) y * s->width + x] != SCOPEDETECT_NO_SEGMENT)
        a->label[(size_t) y * s->width + x] =
            scopedetect_segment_of (s, a->params, a->segments, x, y);
}

static void
start_label_rows (void *data, int begin, int end)
{
  const Segmenting *a = data;
  const ScopedetectScene *s = a->scene;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < s->width; x++)
      a->label[(size_t) y * s->width + x] =
          scopedetect_first_label (s, a->bounds, &a->segments->lattice, x, y);
}

static void
set_segment_mean (const Segmenting *a, int i)
{
  const ScopedetectScene *s = a->scene;
  ImageBox b = scopedetect_segment_window (s, &a->segments->lattice, i);
  ScopedetectSegmentSum sum = {{0}, 0};

  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++) {
      size_t at = (size_t) y * s->width + (size_t) x;

      if (a->label[at] == i)
        scopedetect_segment_add (&sum, &s->pixel[at],
            scopedetect_unproject (s, x, y, s->pixel[at].z));
    }
  scopedetect_segment_set (&a->segments->segment[i], &sum);
}

/* Sets key points and radius of segment @i, and its pixel with the highest log
 * probability of an edge. */
static void
set_segment_keys (const Segmenting *a, int i)
{
  const ScopedetectScene *scene = a->scene;
  const ScopedetectLattice *lattice = &a->segments->lattice;
  ImageBox b = scopedetect_segment_window (scene, lattice, i);
  ScopedetectSegment *s = &a->segments->segment[i];
  int fine = scopedetect_key_step (lattice);
  float max_edge = -1;

  s->n_keys = 0, s->has_edge = false, s->radius = 0;
  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++) {
      size_t at = (size_t) y * scene->width + (size_t) x;
      const ScopedetectPixel *p = &scene->pixel[at];
      Vec q;

      if (a->label[at] != i)
        continue;
      q = scopedetect_unproject (scene, x, y, p->z);
      s->radius = fmaxf (s->radius, vec_norm (vec_sub (q, s->x)));
      if (p->edge > max_edge)
        max_edge = p->edge, s->edge = q, s->has_edge = true;
      if (x % fine || y % fine || s->n_keys == SCOPEDETECT_KEYS)
        continue;
      s->key[s->n_keys] = q;
      s->key_normal[s->n_keys++] = vec (p->nx, p->ny, p->nz);
    }
}

static float
affinity_of_segments (const Segmenting *of, int i, int j)
{
  const ScopedetectSegment *segment = of->segments->segment;
  const ScopedetectSegment *a = &segment[i], *b = &segment[j];
  float gap = 1e9f;

  for (int k = 0; k < a->n_keys; k++)
    gap = fminf (gap, scopedetect_key_gap (a->key[k], b, 0, b->n_keys));
  return scopedetect_affinity (of->scene, a, b, gap);
}

static void
set_near_segments (const Segmenting *of, int i)
{
  ScopedetectSegment *s = &of->segments->segment[i];

  s->n_near = 0;
  for (int k = 0; k < 25 && s->n_near < SCOPEDETECT_AFFINE; k++) {
    int j = scopedetect_segment_beside (of->segments, i, k);
    float a = j < 0 ? 0 : affinity_of_segments (of, i, j);

    if (a <= .5f)
      continue;
    s->near[s->n_near] = j;
    s->affinity[s->n_near++] = fminf (a, SCOPEDETECT_MAX_AFFINITY);
  }
}

/* The point of the cloud nearest to @x; -1: none is near. */
static int
nearest_cloud_point (const ScopedetectCloud *cloud, Vec x, float spacing)
{
  int near[SCOPEDETECT_NEAR], best = -1;
  int n = scopedetect_near (cloud, x, 2 * spacing, near);
  float min_d2 = 1e9f;

  for (int k = 0; k < n; k++) {
    Vec d = vec_sub (cloud->x[near[k]], x);
    float d2 = vec_dot (d, d);

    if (d2 < min_d2)
      min_d2 = d2, best = near[k];
  }
  return best;
}

static void
set_mean_range (void *data, int begin, int end)
{
  for (int i = begin; i < end; i++)
    set_segment_mean (data, i);
}

static void
describe_segment_range (void *data, int begin, int end)
{
  const Segmenting *a = data;

  for (int i = begin; i < end; i++) {
    ScopedetectSegment *s = &a->segments->segment[i];

    set_segment_mean (a, i);
    set_segment_keys (a, i);
    s->point = s->count ? nearest_cloud_point (a->cloud, s->x, a->spacing) : -1;
  }
}

static void
set_near_range (void *data, int begin, int end)
{
  for (int i = begin; i < end; i++)
    set_near_segments (data, i);
}

const char *
scopedetect_make_segments_cpu (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectBounds *bounds, const ScopedetectCloud *cloud,
    float spacing, const ScopedetectParams *params, int32_t *label,
    ScopedetectSegments *segments)
{
  Segmenting a = {scene, bounds, cloud, spacing, params, label, segments};

  (void) dev;
  parallel_for (scene->height, 0, start_label_rows, &a);
  for (int k = 0; k < SCOPEDETECT_MEANS; k++) {
    parallel_for (segments->n, 16, set_mean_range, &a);
    parallel_for (scene->height, 4, assign_label_rows, &a);
  }
  parallel_for (segments->n, 16, describe_segment_range, &a);
  parallel_for (segments->n, 16, set_near_range, &a);
  return NULL;
}
