/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels, plane and points of a scene, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_observe_core.h"

static float
blurred (const ScopedetectScene *s, const float *e, int x, int y)
{
  float around[9];

  for (int k = 0; k < 9; k++) {
    int u = x + k % 3 - 1, v = y + k / 3 - 1;

    around[k] = u >= 0 && v >= 0 && u < s->width && v < s->height
        ? e[(size_t) v * s->width + u]
        : 0;
  }
  return scopedetect_blur (around);
}

static void
find_edges_of_rows (void *data, int begin, int end)
{
  ScopedetectWork *w = data;
  ScopedetectScene *s = &w->scene;

  for (int i = begin * s->width; i < end * s->width; i++)
    s->edge[0][i] = scopedetect_edge_at (w, i % s->width, i / s->width);
}

typedef struct {
  ScopedetectScene *scene;
  const float *from;
  float *to;
} Blur;

static void
blur_rows (void *data, int begin, int end)
{
  const Blur *b = data;
  int width = b->scene->width;

  for (int i = begin * width; i < end * width; i++)
    b->to[i] = blurred (b->scene, b->from, i % width, i / width);
}

static void
take_logs_of_rows (void *data, int begin, int end)
{
  const Blur *b = data;
  ScopedetectScene *s = b->scene;

  for (int i = begin * s->width; i < end * s->width; i++)
    s->pixel[i].edge = scopedetect_log_edge (b->from[i]);
}

/* Blurs edges and writes their logarithms to the pixels. */
static void
set_edges (ScopedetectWork *w)
{
  ScopedetectScene *s = &w->scene;
  Blur b = {s, s->edge[0], s->edge[1]};

  parallel_for (s->height, 0, find_edges_of_rows, w);
  for (int k = 0; k < w->params.edge_blur; k++) {
    b.from = s->edge[k % 2], b.to = s->edge[(k + 1) % 2];
    parallel_for (s->height, 0, blur_rows, &b);
  }
  b.from = s->edge[w->params.edge_blur % 2];
  parallel_for (s->height, 0, take_logs_of_rows, &b);
}

static void
read_rows (void *data, int begin, int end)
{
  ScopedetectWork *w = data;
  const ScopedetectScene *s = &w->scene;
  const Image *color = w->frame.color;
  Yuv yuv = {0};

  if (s->has_colour && image_is_yuv (color->format))
    yuv = yuv_of (color->matrix, color->full_range);
  for (int y = begin; y < end; y++)
    for (int x = 0; x < s->width; x++)
      scopedetect_read_pixel (w, color, &yuv, x, y);
}

static void
set_normals_of_rows (void *data, int begin, int end)
{
  ScopedetectWork *w = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < w->scene.width; x++)
      scopedetect_set_normal (w, x, y);
}

const char *
scopedetect_observe_cpu (const Device *dev, ScopedetectWork *w)
{
  (void) dev;
  parallel_for (w->scene.height, 0, read_rows, w);
  parallel_for (w->scene.height, 4, set_normals_of_rows, w);
  set_edges (w);
  return NULL;
}

static int
inliers (const ScopedetectWork *w, const float plane[4], int *looked)
{
  const ScopedetectScene *s = &w->scene;
  int n = 0;

  *looked = 0;
  for (int y = 2; y < s->height; y += 4)
    for (int x = 2; x < s->width; x += 4) {
      float z = s->z[(size_t) y * s->width + x];

      if (!(z > 0))
        continue;
      n += scopedetect_in_plane (w, plane, scopedetect_unproject (s, x, y, z));
      (*looked)++;
    }
  return n;
}

typedef struct {
  const ScopedetectWork *w;
  int *count; /* of inliers, of each plane */
} Planes;

static void
try_planes (void *data, int begin, int end)
{
  const Planes *p = data;

  for (int k = begin; k < end; k++) {
    float plane[4];
    int looked;

    p->count[k] = scopedetect_draw_plane (p->w, (uint64_t) k, plane)
        ? inliers (p->w, plane, &looked)
        : 0;
  }
}

/* Fits the plane to its points until they stay the same, so that it does not
 * depend on which pixels were drawn. */
static void
fit_plane (ScopedetectWork *w)
{
  ScopedetectPlaneSums sums, before = {0};

  for (int k = 0; k < SCOPEDETECT_PLANE_FITS; k++, before = sums) {
    memset (&sums, 0, sizeof sums);
    for (int i = 0; i < scopedetect_n_probes (&w->scene); i++)
      scopedetect_add_to_plane (w, w->counts->plane, i, &sums);
    if (scopedetect_same_sums (&sums, &before))
      return;
    scopedetect_fit_plane (&sums, w->counts->plane);
  }
}

/* The plane that most pixels lie in, of those drawn the first; none if fewer
 * than a fifth do. */
static void
find_plane (ScopedetectWork *w)
{
  int count[SCOPEDETECT_PLANES], best = 0, looked = 0;

  parallel_for (SCOPEDETECT_PLANES, 8, try_planes, &(Planes){w, count});
  for (int k = 1; k < SCOPEDETECT_PLANES; k++)
    best = count[k] > count[best] ? k : best;
  if (count[best]) {
    scopedetect_draw_plane (w, (uint64_t) best, w->counts->plane);
    inliers (w, w->counts->plane, &looked);
  }
  w->counts->has_plane = count[best] * 5 > looked;
  if (w->counts->has_plane)
    fit_plane (w);
}

/* ---- The mean of the pixels of a cell is a point ---- */

/* The hash of a cell's voxel, or where it would be. */
static uint32_t
hash_of (const ScopedetectCpu *c, ScopedetectCell at)
{
  uint32_t h = scopedetect_hash (at.x, at.y, at.z) & (c->cells - 1);

  while (c->cell[h] && !scopedetect_same_cell (c->cell_of[c->cell[h] - 1], at))
    h = (h + 1) & (c->cells - 1);
  return h;
}

/* Number of the voxel of a cell, -1 if there is no room for another. */
static int
voxel_at (ScopedetectCpu *c, ScopedetectCloud *cloud, ScopedetectCell at)
{
  uint32_t h = hash_of (c, at);
  int i;

  if (c->cell[h])
    return (int) c->cell[h] - 1;
  if (cloud->n == cloud->room)
    return -1;
  i = cloud->n++;
  c->cell[h] = (uint32_t) i + 1;
  c->cell_of[i] = at;
  memset (&c->voxel[i], 0, sizeof c->voxel[i]);
  return i;
}

static void
fill_voxels (ScopedetectWork *w)
{
  const ScopedetectScene *s = &w->scene;
  ScopedetectCpu *c = w->state;

  memset (c->cell, 0, c->cells * sizeof *c->cell);
  w->cloud.n = w->counts->n_left_out = 0;
  for (int i = 0; i < s->width * s->height; i++) {
    Vec at =
        scopedetect_unproject (s, i % s->width, i / s->width, s->pixel[i].z);
    long long share[9];
    int v;

    if (!scopedetect_is_wanted (w, &s->pixel[i], at))
      continue;
    v = voxel_at (c, &w->cloud, scopedetect_cell_of (w, at));
    w->counts->n_left_out += v < 0;
    if (v < 0)
      continue;
    scopedetect_voxel_share (&s->pixel[i], at, share);
    c->voxel[v].n++;
    for (int k = 0; k < 9; k++)
      c->voxel[v].sum[k] += share[k];
  }
}

const char *
scopedetect_points_cpu (const Device *dev, ScopedetectWork *w)
{
  ScopedetectCpu *c = w->state;

  (void) dev;
  w->counts->has_plane = false;
  if (w->params.table)
    find_plane (w);
  fill_voxels (w);
  for (int i = 0; i < w->cloud.n; i++)
    scopedetect_set_point (&w->cloud, i, &c->voxel[i]);
  w->counts->n_points = w->cloud.n;
  scopedetect_grid_cpu (&w->cloud, w->feature_radius);
  scopedetect_features_cpu (&w->cloud, w->feature_radius);
  return NULL;
}
