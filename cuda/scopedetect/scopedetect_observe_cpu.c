/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels, plane and points of a scene, as loops. */
#include "common/vectors.h"
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

/* ---- Normals, of eight pixels of a row at a time ---- */

/* Sums of scopedetect_normal (): the number of points, the points, products. */
typedef struct {
  Floats8 n, x, y, z, m[6];
} NormalSums;

/* Adds row @v of the probes of pixels (@x, @y) to (@x + LANES8 - 1, @y), @step
 * pixels apart, to @sums, in the order of scopedetect_normal (). */
INLINED void
add_probes (const ScopedetectScene *s, int x, int y, int v, int step,
    float radius, NormalSums *sums)
{
  const float *row = s->z + (size_t) v * s->width + x;
  Floats8 z0 = *(const FloatsAt *) (s->z + (size_t) y * s->width + x);
  Floats8 u0 = (float) x + (Floats8){0, 1, 2, 3, 4, 5, 6, 7};
  Floats8 x0 = (u0 - s->cx) * z0 * s->per_fx;
  Floats8 y0 = ((float) y - s->cy) * z0 * s->per_fy;

  for (int i = -SCOPEDETECT_WINDOW; i <= SCOPEDETECT_WINDOW; i++) {
    Floats8 z = *(const FloatsAt *) (row + i * step);
    Floats8 dx = (u0 + (float) (i * step) - s->cx) * z * s->per_fx - x0;
    Floats8 dy = ((float) v - s->cy) * z * s->per_fy - y0, dz = z - z0;
    Ints8 in = (LANES_ABS (dz) < 2 * radius) &
        ~(dx * dx + dy * dy + dz * dz > 2 * radius * radius);

    dx = LANES_WHERE (in, dx);
    dy = LANES_WHERE (in, dy);
    dz = LANES_WHERE (in, dz);
    sums->x += dx, sums->y += dy, sums->z += dz;
    sums->m[0] += dx * dx, sums->m[1] += dx * dy, sums->m[2] += dx * dz;
    sums->m[3] += dy * dy, sums->m[4] += dy * dz, sums->m[5] += dz * dz;
    sums->n += LANES_WHERE (in, (Floats8){0} + 1);
  }
}

VECTORS static void
sum_probes (const ScopedetectScene *s, int x, int y, int step, float radius,
    NormalSums *out)
{
  NormalSums sums;

  memset (&sums, 0, sizeof sums);
  for (int j = -SCOPEDETECT_WINDOW; j <= SCOPEDETECT_WINDOW; j++)
    if (y + j * step >= 0 && y + j * step < s->height)
      add_probes (s, x, y, y + j * step, step, radius, &sums);
  *out = sums;
}

static void
set_lane_normal (
    const ScopedetectScene *s, const NormalSums *sums, int lane, int x, int y)
{
  ScopedetectPixel *p = &s->pixel[(size_t) y * s->width + x];
  Vec sum = vec (sums->x[lane], sums->y[lane], sums->z[lane]), n;
  float m[6];

  for (int k = 0; k < 6; k++)
    m[k] = sums->m[k][lane];
  n = scopedetect_fit_normal (
      sums->n[lane], sum, m, scopedetect_unproject (s, x, y, p->z));
  p->nx = n.x, p->ny = n.y, p->nz = n.z;
}

/* Sets the normals of pixels (@x, @y) to (@x + LANES8 - 1, @y): together those
 * whose probes are as far apart. */
static void
set_lane_normals (const ScopedetectScene *s, float radius, int x, int y)
{
  const float *z = s->z + (size_t) y * s->width + x;
  bool done[LANES8] = {false};

  for (int i = 0; i < LANES8; i++) {
    int step, reach;
    NormalSums sums;

    if (done[i])
      continue;
    step = z[i] > 0 ? scopedetect_normal_step (s, z[i], radius) : 0;
    reach = step < s->width ? step * SCOPEDETECT_WINDOW : s->width;
    if (!step || x < reach || x + LANES8 + reach > s->width) {
      scopedetect_set_normal (s, radius, x + i, y);
      continue;
    }
    sum_probes (s, x, y, step, radius, &sums);
    for (int k = i; k < LANES8; k++)
      if (!done[k] && z[k] > 0 &&
          scopedetect_normal_step (s, z[k], radius) == step) {
        set_lane_normal (s, &sums, k, x + k, y);
        done[k] = true;
      }
  }
}

static void
set_pixel_normal_rows (void *data, int begin, int end)
{
  const Reading *r = data;
  const ScopedetectScene *s = r->scene;
  float radius = (float) r->params->normal_radius;

  for (int y = begin; y < end; y++) {
    int x = 0;

    for (; x + LANES8 <= s->width; x += LANES8)
      set_lane_normals (s, radius, x, y);
    for (; x < s->width; x++)
      scopedetect_set_normal (s, radius, x, y);
  }
}

/* ---- Edges ---- */

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

/* Blurs the pixels of a row but the first and the last; the frame has the rows
 * before and after it. */
VECTORS static void
blur_inner_row (const float *row, int width, float *to)
{
#pragma omp simd
  for (int x = 1; x < width - 1; x++) {
    const float *above = row + x - width, *at = row + x,
                *below = row + x + width;
    float sum = above[-1] * SCOPEDETECT_BLUR (0);

    sum += above[0] * SCOPEDETECT_BLUR (1);
    sum += above[1] * SCOPEDETECT_BLUR (2);
    sum += at[-1] * SCOPEDETECT_BLUR (3);
    sum += at[0] * SCOPEDETECT_BLUR (4);
    sum += at[1] * SCOPEDETECT_BLUR (5);
    sum += below[-1] * SCOPEDETECT_BLUR (6);
    sum += below[0] * SCOPEDETECT_BLUR (7);
    sum += below[1] * SCOPEDETECT_BLUR (8);
    to[x] = sum;
  }
}

static void
blur_edge_rows (void *data, int begin, int end)
{
  const Blur *b = data;
  const ScopedetectScene *s = b->reading->scene;

  for (int y = begin; y < end; y++) {
    const float *row = b->from + (size_t) y * s->width;
    float *to = b->to + (size_t) y * s->width;
    bool inner = y > 0 && y + 1 < s->height;

    if (inner)
      blur_inner_row (row, s->width, to);
    for (int x = 0; x < s->width;
         x += inner && !x && s->width > 1 ? s->width - 1 : 1)
      to[x] = blurred_edge (s, b->from, x, y);
  }
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

/* The points of a row of probes that have depth. */
typedef struct {
  int n;
  float x[SCOPEDETECT_MAX_SIDE / 4], y[SCOPEDETECT_MAX_SIDE / 4],
      z[SCOPEDETECT_MAX_SIDE / 4];
} ProbeRow;

static void
read_probe_row (const ScopedetectScene *s, int y, ProbeRow *row)
{
  row->n = 0;
  for (int x = 2; x < s->width; x += 4) {
    float z = s->z[(size_t) y * s->width + x];
    Vec at = scopedetect_unproject (s, x, y, z);

    row->x[row->n] = at.x, row->y[row->n] = at.y, row->z[row->n] = at.z;
    row->n += z > 0;
  }
}

/* The number of points of @row less than @tolerance from the plane. */
VECTORS static int
count_in_plane (const ProbeRow *row, const float plane[4], float tolerance)
{
  int n = 0;

#pragma omp simd reduction(+ : n)
  for (int i = 0; i < row->n; i++)
    n += fabsf (scopedetect_height (
             plane, vec (row->x[i], row->y[i], row->z[i]))) < tolerance;
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
  const ScopedetectScene *s = p->scene;
  float plane[SCOPEDETECT_PLANES][4];
  bool drawn[SCOPEDETECT_PLANES];

  for (int k = begin; k < end; k++) {
    p->count[k] = 0;
    drawn[k] =
        scopedetect_draw_plane (s, p->params->seed, (uint64_t) k, plane[k]);
  }
  for (int y = 2; y < s->height; y += 4) {
    ProbeRow row;

    read_probe_row (s, y, &row);
    for (int k = begin; k < end; k++)
      if (drawn[k])
        p->count[k] +=
            count_in_plane (&row, plane[k], (float) p->params->table_tolerance);
  }
}

static int
count_probes_with_depth (const ScopedetectScene *s)
{
  int n = 0;

  for (int y = 2; y < s->height; y += 4)
    for (int x = 2; x < s->width; x += 4)
      n += s->z[(size_t) y * s->width + x] > 0;
  return n;
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
  int count[SCOPEDETECT_PLANES], best = 0;

  (void) dev, (void) votes;
  parallel_for (SCOPEDETECT_PLANES, 8, try_planes, &(Planes){s, p, count});
  for (int k = 1; k < SCOPEDETECT_PLANES; k++)
    best = count[k] > count[best] ? k : best;
  if (count[best])
    scopedetect_draw_plane (s, p->seed, (uint64_t) best, plane->plane);
  plane->is_found =
      count[best] && count[best] * 5 > count_probes_with_depth (s);
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
