/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Over-segmentation, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_segment_core.h"

static void
assign_rows (void *data, int begin, int end)
{
  const ScopedetectWork *w = data;
  const ScopedetectScene *s = &w->scene;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < s->width; x++)
      if (w->label[(size_t) y * s->width + x] != SCOPEDETECT_NO_SEGMENT)
        w->label[(size_t) y * s->width + x] = scopedetect_segment_of (w, x, y);
}

static void
start_rows (void *data, int begin, int end)
{
  const ScopedetectWork *w = data;
  const ScopedetectScene *s = &w->scene;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < s->width; x++)
      w->label[(size_t) y * s->width + x] = scopedetect_first_label (w, x, y);
}

static void
set_mean (ScopedetectWork *w, int i)
{
  ImageBox b = scopedetect_segment_window (w, i);
  const ScopedetectScene *s = &w->scene;
  ScopedetectSegmentSum sum = {{0}, 0};

  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++) {
      size_t at = (size_t) y * s->width + (size_t) x;

      if (w->label[at] == i)
        scopedetect_segment_add (&sum, &s->pixel[at],
            scopedetect_unproject (s, x, y, s->pixel[at].z));
    }
  scopedetect_segment_set (&w->segment[i], &sum);
}

/* Key points, how far the segment reaches, and the pixel that is most likely on
 * an edge. */
static void
set_keys (ScopedetectWork *w, int i)
{
  ImageBox b = scopedetect_segment_window (w, i);
  ScopedetectSegment *s = &w->segment[i];
  int fine = scopedetect_key_step (&w->lattice);
  float max_edge = -1;

  s->n_keys = 0, s->has_edge = false, s->radius = 0;
  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++) {
      size_t at = (size_t) y * w->scene.width + (size_t) x;
      const ScopedetectPixel *p = &w->scene.pixel[at];
      Vec q;

      if (w->label[at] != i)
        continue;
      q = scopedetect_unproject (&w->scene, x, y, p->z);
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
affinity (const ScopedetectWork *w, int i, int j)
{
  const ScopedetectSegment *a = &w->segment[i], *b = &w->segment[j];
  float gap = 1e9f;

  for (int k = 0; k < a->n_keys; k++)
    gap = fminf (gap, scopedetect_key_gap (a->key[k], b, 0, b->n_keys));
  return scopedetect_affinity (w, a, b, gap);
}

static void
set_near (ScopedetectWork *w, int i)
{
  ScopedetectSegment *s = &w->segment[i];

  s->n_near = 0;
  for (int k = 0; k < 25 && s->n_near < SCOPEDETECT_AFFINE; k++) {
    int j = scopedetect_segment_beside (w, i, k);
    float a = j < 0 ? 0 : affinity (w, i, j);

    if (a <= .5f)
      continue;
    s->near[s->n_near] = j;
    s->affinity[s->n_near++] = fminf (a, SCOPEDETECT_MAX_AFFINITY);
  }
}

/* The point of the cloud that is nearest to a segment's middle. */
static int
point_at (const ScopedetectWork *w, Vec x)
{
  int near[SCOPEDETECT_NEAR], best = -1;
  int n = scopedetect_near (&w->cloud, x, 2 * w->spacing, near);
  float min_d2 = 1e9f;

  for (int k = 0; k < n; k++) {
    Vec d = vec_sub (w->cloud.x[near[k]], x);
    float d2 = vec_dot (d, d);

    if (d2 < min_d2)
      min_d2 = d2, best = near[k];
  }
  return best;
}

static void
set_means_of_segments (void *data, int begin, int end)
{
  for (int i = begin; i < end; i++)
    set_mean (data, i);
}

static void
describe_segments (void *data, int begin, int end)
{
  ScopedetectWork *w = data;

  for (int i = begin; i < end; i++) {
    set_mean (w, i);
    set_keys (w, i);
    w->segment[i].point =
        w->segment[i].count ? point_at (w, w->segment[i].x) : -1;
  }
}

static void
set_near_of_segments (void *data, int begin, int end)
{
  for (int i = begin; i < end; i++)
    set_near (data, i);
}

const char *
scopedetect_segments_cpu (const Device *dev, ScopedetectWork *w)
{
  int n = w->lattice.width * w->lattice.height;

  (void) dev;
  parallel_for (w->scene.height, 0, start_rows, w);
  for (int k = 0; k < SCOPEDETECT_MEANS; k++) {
    parallel_for (n, 16, set_means_of_segments, w);
    parallel_for (w->scene.height, 4, assign_rows, w);
  }
  parallel_for (n, 16, describe_segments, w);
  parallel_for (n, 16, set_near_of_segments, w);
  return NULL;
}
