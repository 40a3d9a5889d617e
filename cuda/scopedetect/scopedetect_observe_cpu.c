/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels, plane and points of a scene, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_observe_core.h"

static float
blurred_edge (const ScopedetectScene *s, const float *e, int x, int y)
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

typedef struct {
  const ScopedetectFrame *frame;
  const ScopedetectParams *params;
  const ScopedetectScene *scene;
  Yuv yuv;
} Reading;

static void
read_pixel_rows (void *data, int begin, int end)
{
  const Reading *r = data;
  const Image *color = r->frame->color;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < r->scene->width; x++)
      scopedetect_read_pixel (
          r->scene, r->frame, r->params, color, &r->yuv, x, y);
}

static void
set_pixel_normal_rows (void *data, int begin, int end)
{
  const Reading *r = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < r->scene->width; x++)
      scopedetect_set_normal (r->scene, (float) r->params->normal_radius, x, y);
}

typedef struct {
  const Reading *reading;
  const float *from;
  float *to;
} Blur;

static void
find_edge_rows (void *data, int begin, int end)
{
  const Blur *b = data;
  const Reading *r = b->reading;
  int width = r->scene->width;

  for (int i = begin * width; i < end * width; i++)
    b->to[i] = scopedetect_edge_at (
        r->scene, r->frame, r->params, i % width, i / width);
}

static void
blur_edge_rows (void *data, int begin, int end)
{
  const Blur *b = data;
  const ScopedetectScene *s = b->reading->scene;

  for (int i = begin * s->width; i < end * s->width; i++)
    b->to[i] = blurred_edge (s, b->from, i % s->width, i / s->width);
}

static void
set_edge_rows (void *data, int begin, int end)
{
  const Blur *b = data;
  const ScopedetectScene *s = b->reading->scene;

  for (int i = begin * s->width; i < end * s->width; i++)
    s->pixel[i].edge = scopedetect_log_edge (b->from[i]);
}

const char *
scopedetect_read_frame_cpu (const Device *dev, const ScopedetectFrame *frame,
    const ScopedetectParams *params, float *const edge[2],
    ScopedetectScene *scene)
{
  Reading r = {frame, params, scene, {0}};
  Blur b = {&r, NULL, edge[0]};

  (void) dev;
  if (scene->has_colour && image_is_yuv (frame->color->format))
    r.yuv = yuv_of (frame->color->matrix, frame->color->full_range);
  parallel_for (scene->height, 0, read_pixel_rows, &r);
  parallel_for (scene->height, 4, set_pixel_normal_rows, &r);
  parallel_for (scene->height, 0, find_edge_rows, &b);
  for (int k = 0; k < params->edge_blur; k++) {
    b.from = edge[k % 2], b.to = edge[(k + 1) % 2];
    parallel_for (scene->height, 0, blur_edge_rows, &b);
  }
  b.from = edge[params->edge_blur % 2];
  parallel_for (scene->height, 0, set_edge_rows, &b);
  return NULL;
}

/* ---- The plane ---- */

static int
inliers_of_plane (const ScopedetectScene *s, const ScopedetectParams *p,
    const float plane[4], int *looked)
{
  int n = 0;

  *looked = 0;
  for (int y = 2; y < s->height; y += 4)
    for (int x = 2; x < s->width; x += 4) {
      float z = s->z[(size_t) y * s->width + x];

      if (!(z > 0))
        continue;
      n += scopedetect_in_plane (p, plane, scopedetect_unproject (s, x, y, z));
      (*looked)++;
    }
  return n;
}

typedef struct {
  const ScopedetectScene *scene;
  const ScopedetectParams *params;
  int *count; /* of each plane, its inliers */
} Planes;

static void
try_planes (void *data, int begin, int end)
{
  const Planes *p = data;

  for (int k = begin; k < end; k++) {
    float plane[4];
    int looked;

    p->count[k] =
        scopedetect_draw_plane (p->scene, p->params->seed, (uint64_t) k, plane)
        ? inliers_of_plane (p->scene, p->params, plane, &looked)
        : 0;
  }
}

/* Fits the plane to its inliers until they stay the same: the result does not
 * depend on the pixels that were drawn. */
static void
fit_plane (
    const ScopedetectScene *s, const ScopedetectParams *p, float plane[4])
{
  ScopedetectPlaneSums sums, before = {0};

  for (int k = 0; k < SCOPEDETECT_PLANE_FITS; k++, before = sums) {
    memset (&sums, 0, sizeof sums);
    for (int i = 0; i < scopedetect_n_probes (s); i++)
      scopedetect_add_to_plane (s, p, plane, i, &sums);
    if (scopedetect_same_sums (&sums, &before))
      return;
    scopedetect_fit_plane (&sums, plane);
  }
}

/* A plane is accepted if a fifth of the probes lie in it. */
const char *
scopedetect_find_plane_cpu (const Device *dev, const ScopedetectScene *s,
    const ScopedetectParams *p, ScopedetectVotes *votes,
    ScopedetectPlane *plane)
{
  int count[SCOPEDETECT_PLANES], best = 0, looked = 0;

  (void) dev, (void) votes;
  parallel_for (SCOPEDETECT_PLANES, 8, try_planes, &(Planes){s, p, count});
  for (int k = 1; k < SCOPEDETECT_PLANES; k++)
    best = count[k] > count[best] ? k : best;
  if (count[best]) {
    scopedetect_draw_plane (s, p->seed, (uint64_t) best, plane->plane);
    inliers_of_plane (s, p, plane->plane, &looked);
  }
  plane->is_found = count[best] * 5 > looked;
  if (plane->is_found)
    fit_plane (s, p, plane->plane);
  return NULL;
}

/* ---- Points ---- */

/* The index of a cell in the hash table; the entry there is 0 if the cell has
 * no voxel. */
static uint32_t
hash_of_cell (const ScopedetectVoxels *v, ScopedetectCell at)
{
  uint32_t h = scopedetect_hash (at.x, at.y, at.z) & (v->hashes - 1);

  while (v->cell[h] && !scopedetect_same_cell (v->cell_of[v->cell[h] - 1], at))
    h = (h + 1) & (v->hashes - 1);
  return h;
}

/* The number of a cell's voxel, which is made if the cell has none; -1: no
 * room. */
static int
voxel_of_cell (
    ScopedetectVoxels *v, ScopedetectCloud *cloud, ScopedetectCell at)
{
  uint32_t h = hash_of_cell (v, at);
  int i;

  if (v->cell[h])
    return (int) v->cell[h] - 1;
  if (cloud->n == cloud->room)
    return -1;
  i = cloud->n++;
  v->cell[h] = (uint32_t) i + 1;
  v->cell_of[i] = at;
  memset (&v->voxel[i], 0, sizeof v->voxel[i]);
  return i;
}

/* Adds all pixels to their voxels. Returns the number of pixels that found no
 * room. */
static int
fill_voxels (const ScopedetectScene *s, const ScopedetectBounds *bounds,
    float spacing, ScopedetectVoxels *v, ScopedetectCloud *cloud)
{
  int n_left_out = 0;

  memset (v->cell, 0, v->hashes * sizeof *v->cell);
  cloud->n = 0;
  for (int i = 0; i < s->width * s->height; i++) {
    Vec at =
        scopedetect_unproject (s, i % s->width, i / s->width, s->pixel[i].z);
    long long share[9];
    int to;

    if (!scopedetect_is_wanted (s, bounds, &s->pixel[i], at))
      continue;
    to = voxel_of_cell (v, cloud, scopedetect_cell_of (spacing, at));
    n_left_out += to < 0;
    if (to < 0)
      continue;
    scopedetect_voxel_share (&s->pixel[i], at, share);
    v->voxel[to].n++;
    for (int k = 0; k < 9; k++)
      v->voxel[to].sum[k] += share[k];
  }
  return n_left_out;
}

const char *
scopedetect_make_points_cpu (const Device *dev, const ScopedetectScene *scene,
    const ScopedetectBounds *bounds, float spacing, float radius,
    ScopedetectVoxels *voxels, ScopedetectCloud *cloud,
    ScopedetectPointCounts *counts)
{
  (void) dev;
  counts->n_left_out = fill_voxels (scene, bounds, spacing, voxels, cloud);
  counts->n = cloud->n;
  for (int i = 0; i < cloud->n; i++)
    scopedetect_set_point (cloud, i, &voxels->voxel[i]);
  scopedetect_set_grid (cloud, radius);
  return NULL;
}

const char *
scopedetect_describe_points_cpu (const Device *dev,
    const ScopedetectPointCounts *counts, ScopedetectNeighbours *neighbours,
    ScopedetectCloud *cloud)
{
  (void) dev, (void) counts, (void) neighbours;
  scopedetect_set_features (cloud, cloud->grid.cell);
  return NULL;
}

const char *
scopedetect_count_points_cpu (const Device *dev,
    const ScopedetectVoxels *voxels, const ScopedetectPointCounts *counts,
    ScopedetectCloud *cloud)
{
  (void) dev, (void) voxels;
  cloud->n = counts->n;
  return NULL;
}
