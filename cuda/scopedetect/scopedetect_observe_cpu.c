/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels, table and points of a scene, as loops. */
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_observe.h"

static void
read_pixel (ScopedetectWork *w, const Yuv *yuv, int x, int y)
{
  ScopedetectScene *s = &w->scene;
  ScopedetectPixel *p = &s->pixel[(size_t) y * s->width + x];
  ScopedetectVec lab = {0, 0, 0};

  p->z = s->z[(size_t) y * s->width + x] = scopedetect_depth (w, x, y);
  if (s->has_colour)
    lab = scopedetect_colour_at (w->frame.color, yuv, x, y);
  p->l = lab.x, p->a = lab.y, p->b = lab.z;
}

static void
set_normal (ScopedetectWork *w, int x, int y)
{
  ScopedetectScene *s = &w->scene;
  ScopedetectPixel *p = &s->pixel[(size_t) y * s->width + x];
  ScopedetectVec n = {0, 0, 0};

  if (p->z > 0)
    n = scopedetect_normal (s, x, y, (float) w->params.normal_radius);
  p->nx = n.x, p->ny = n.y, p->nz = n.z;
}

/* Blurs edges and writes their logarithms to the pixels. */
static void
set_edges (ScopedetectWork *w)
{
  ScopedetectScene *s = &w->scene;
  int passes = w->params.edge_blur;

#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < s->width * s->height; i++)
      s->edge[0][i] = scopedetect_edge_at (w, i % s->width, i / s->width);
    for (int k = 0; k < passes; k++) {
#pragma omp for schedule(static)
      for (int i = 0; i < s->width * s->height; i++)
        s->edge[(k + 1) % 2][i] =
            scopedetect_blur (s, s->edge[k % 2], i % s->width, i / s->width);
    }
#pragma omp for schedule(static)
    for (int i = 0; i < s->width * s->height; i++)
      s->pixel[i].edge = scopedetect_log_edge (s->edge[passes % 2][i]);
  }
}

const char *
scopedetect_observe_cpu (const Device *dev, ScopedetectWork *w)
{
  ScopedetectScene *s = &w->scene;
  Yuv yuv = {0};

  (void) dev;
  if (s->has_colour && image_is_yuv (w->frame.color->format))
    yuv = yuv_of (w->frame.color->matrix, w->frame.color->full_range);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int y = 0; y < s->height; y++)
      for (int x = 0; x < s->width; x++)
        read_pixel (w, &yuv, x, y);
#pragma omp for schedule(dynamic, 4)
    for (int y = 0; y < s->height; y++)
      for (int x = 0; x < s->width; x++)
        set_normal (w, x, y);
  }
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
      float h;

      if (!(z > 0))
        continue;
      h = scopedetect_height (plane, scopedetect_unproject (s, x, y, z));
      n += fabsf (h) < (float) w->params.table_tolerance;
      (*looked)++;
    }
  return n;
}

/* The plane that most pixels lie in, of those drawn the first; none if fewer
 * than a fifth do. */
static void
find_table (ScopedetectWork *w)
{
  int count[SCOPEDETECT_PLANES], best = 0, looked = 0;

#pragma omp parallel for schedule(dynamic, 8) firstprivate(looked)
  for (int k = 0; k < SCOPEDETECT_PLANES; k++) {
    float plane[4];

    count[k] = scopedetect_draw_plane (w, (uint64_t) k, plane)
        ? inliers (w, plane, &looked)
        : 0;
  }
  for (int k = 1; k < SCOPEDETECT_PLANES; k++)
    best = count[k] > count[best] ? k : best;
  if (count[best]) {
    scopedetect_draw_plane (w, (uint64_t) best, w->counts->table);
    inliers (w, w->counts->table, &looked);
  }
  w->counts->has_table = count[best] * 5 > looked;
}

/* ---- Voxels: the mean of the pixels in each is a point ---- */

static ScopedetectVoxel *
voxel_at (ScopedetectCpu *c, ScopedetectVoxel *v, int *n, int room, int x,
    int y, int z)
{
  uint32_t h = scopedetect_hash (x, y, z) & (c->cells - 1);

  for (;; h = (h + 1) & (c->cells - 1)) {
    ScopedetectVoxel *o = c->cell[h] ? &v[c->cell[h] - 1] : NULL;

    if (o && (o->x != x || o->y != y || o->z != z))
      continue;
    if (o)
      return o;
    if (*n == room)
      return NULL;
    c->cell[h] = (uint32_t)++ * n;
    memset (&v[*n - 1], 0, sizeof *v);
    v[*n - 1].x = x, v[*n - 1].y = y, v[*n - 1].z = z;
    return &v[*n - 1];
  }
}

static void
add_pixel (ScopedetectVoxel *o, const ScopedetectPixel *p, ScopedetectVec at)
{
  o->n++;
  o->sx += (int64_t) (at.x * 1e6f);
  o->sy += (int64_t) (at.y * 1e6f);
  o->sz += (int64_t) (at.z * 1e6f);
  o->nx += (int64_t) (p->nx * 32768);
  o->ny += (int64_t) (p->ny * 32768);
  o->nz += (int64_t) (p->nz * 32768);
  o->l += (int64_t) (p->l * 256);
  o->a += (int64_t) (p->a * 256);
  o->b += (int64_t) (p->b * 256);
}

static void
set_point (ScopedetectCloud *c, int i, const ScopedetectVoxel *o)
{
  float n = (float) o->n;

  c->x[i] = scopedetect_vec ((float) o->sx / n * 1e-6f,
      (float) o->sy / n * 1e-6f, (float) o->sz / n * 1e-6f);
  c->normal[i] = scopedetect_unit (
      scopedetect_vec ((float) o->nx, (float) o->ny, (float) o->nz));
  if (c->lab)
    c->lab[i] = scopedetect_vec (
        (float) o->l / n / 256, (float) o->a / n / 256, (float) o->b / n / 256);
}

bool
scopedetect_is_wanted_cpu (const ScopedetectWork *w, int x, int y)
{
  const ScopedetectPixel *p = &w->scene.pixel[(size_t) y * w->scene.width + x];
  float h;

  if (!(p->z > 0) || (p->nx == 0 && p->ny == 0 && p->nz == 0))
    return false;
  if (!w->params.table || !w->counts->has_table)
    return true;
  h = scopedetect_height (
      w->counts->table, scopedetect_unproject (&w->scene, x, y, p->z));
  return h > (float) w->params.table_low && h < (float) w->params.table_high;
}

static void
fill_voxels (ScopedetectWork *w, ScopedetectVoxel *v)
{
  const ScopedetectScene *s = &w->scene;
  ScopedetectCpu *c = w->state;

  memset (c->cell, 0, c->cells * sizeof *c->cell);
  w->cloud.n = w->counts->n_left_out = 0;
  for (int i = 0; i < s->width * s->height; i++) {
    const ScopedetectPixel *p = &s->pixel[i];
    ScopedetectVec at =
        scopedetect_unproject (s, i % s->width, i / s->width, p->z);
    ScopedetectVoxel *o;

    if (!scopedetect_is_wanted_cpu (w, i % s->width, i / s->width))
      continue;
    o = voxel_at (c, v, &w->cloud.n, w->cloud.room,
        scopedetect_cell (at.x, w->spacing),
        scopedetect_cell (at.y, w->spacing),
        scopedetect_cell (at.z, w->spacing));
    if (o)
      add_pixel (o, p, at);
    else
      w->counts->n_left_out++;
  }
}

/* A random permutation of the cloud, i -> a i + b: a is near the golden part of
 * its size, so that the first queries spread over the scene, and coprime to it.
 */
static void
set_order (ScopedetectWork *w)
{
  uint32_t n = (uint32_t) w->cloud.n, a;

  w->query_first = n ? random_below (w->params.seed, 0, n) : 0;
  a = (uint32_t) (.618034 * n) + random_below (w->params.seed, 1, 1 + n / 16);
  for (a = a ? a : 1;; a++) {
    uint32_t x = a, y = n;

    while (y) {
      uint32_t r = x % y;

      x = y, y = r;
    }
    if (x == 1 || !n)
      break;
  }
  w->query_step = a;
}

const char *
scopedetect_points_cpu (const Device *dev, ScopedetectWork *w)
{
  ScopedetectVoxel *v = ((ScopedetectCpu *) w->state)->voxel;

  (void) dev;
  w->counts->has_table = false;
  if (w->params.table)
    find_table (w);
  fill_voxels (w, v);
  for (int i = 0; i < w->cloud.n; i++)
    set_point (&w->cloud, i, &v[i]);
  w->counts->n_points = w->cloud.n;
  scopedetect_grid_cpu (&w->cloud, w->feature_radius);
  scopedetect_features_cpu (&w->cloud, w->feature_radius);
  w->n_queries = w->params.queries && w->params.queries < w->cloud.n
      ? w->params.queries
      : w->cloud.n;
  set_order (w);
  return NULL;
}
