/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a mesh or a cloud to points of its surface. */
#include <stdlib.h>

#include "common/parallel.h"
#include "common/random.h"
#include "scopedetect/scopedetect_colour.h"
#include "scopedetect/scopedetect_features.h"
#include "scopedetect/model/shape.h"

#define FEWEST 4000 /* samples of a mesh */
#define MOST 400000
#define FINER 3 /* samples are so much closer than the model's points */

Device
scopedetect_host (void)
{
  Device host;

  device_open (&host, DEVICE_CPU, NULL); /* cannot fail */
  return host;
}

static Vec
vertex (const Mesh *m, uint32_t i, double unit)
{
  return vec ((float) (m->x[3 * i] * unit), (float) (m->x[3 * i + 1] * unit),
      (float) (m->x[3 * i + 2] * unit));
}

static Vec
colour (const Mesh *m, uint32_t i)
{
  const uint8_t *c = m->colour + 3 * (size_t) i;

  return scopedetect_lab (c[0], c[1], c[2]);
}

/* Twice the area vector of triangle @t. */
static Vec
area_of (const Mesh *m, uint32_t t, double unit)
{
  const uint32_t *v = m->triangles + 3 * (size_t) t;
  Vec a = vertex (m, v[0], unit);

  return vec_cross (
      vec_sub (vertex (m, v[1], unit), a), vec_sub (vertex (m, v[2], unit), a));
}

/* A random point of triangle @t goes to sample @i. */
static void
draw (ScopedetectCloud *c, int i, const Mesh *m, uint32_t t,
    const ScopedetectCompile *how)
{
  const uint32_t *v = m->triangles + 3 * (size_t) t;
  float a = random_unit (how->seed, 3 * (uint64_t) i + 1);
  float b = random_unit (how->seed, 3 * (uint64_t) i + 2);
  Vec p = vertex (m, v[0], how->unit);
  Vec e = vec_sub (vertex (m, v[1], how->unit), p);
  Vec f = vec_sub (vertex (m, v[2], how->unit), p);

  if (a + b > 1)
    a = 1 - a, b = 1 - b;
  c->x[i] = vec_add (p, vec_add (vec_scale (e, a), vec_scale (f, b)));
  c->normal[i] = vec_unit (area_of (m, t, how->unit));
  if (c->lab)
    c->lab[i] = colour (m, v[a > .5f ? 1 : b > .5f ? 2 : 0]);
}

/* Samples are spread over the triangles by area; then they are shuffled. */
static const char *
sample_triangles (ScopedetectSamples *s, const Mesh *m,
    const ScopedetectCompile *how, DeviceMemory *memory)
{
  double total = 0, sum = 0, fine = how->spacing / FINER;
  uint32_t t = 0;
  int n;

  for (uint32_t k = 0; k < m->n_triangles; k++)
    total += vec_norm (area_of (m, k, how->unit)) / 2;
  if (!(total > 0))
    return "the mesh has no surface";
  n = total / (fine * fine) < FEWEST ? FEWEST
      : total / (fine * fine) > MOST ? MOST
                                     : (int) (total / (fine * fine));
  TRY (scopedetect_cloud_new (memory, &s->cloud, n, m->colour != NULL, false));
  s->cloud.n = n;
  s->spacing = (float) sqrt (total / n);
  sum = vec_norm (area_of (m, 0, how->unit)) / 2;
  for (int i = 0; i < n; i++) {
    double at = (i + random_unit (how->seed, 3 * (uint64_t) i)) * total / n;

    while (sum < at && t + 1 < m->n_triangles)
      sum += vec_norm (area_of (m, ++t, how->unit)) / 2;
    draw (&s->cloud, i, m, t, how);
  }
  return NULL;
}

static void
swap (Vec *v, int i, int j)
{
  Vec t = v[i];

  v[i] = v[j], v[j] = t;
}

static void
shuffle (ScopedetectCloud *c, uint64_t seed)
{
  for (int i = c->n - 1; i > 0; i--) {
    int j = (int) random_below (~seed, (uint64_t) i, (uint32_t) i + 1);

    swap (c->x, i, j);
    swap (c->normal, i, j);
    if (c->lab)
      swap (c->lab, i, j);
  }
}

/* The mean distance to the nearest neighbour, times what makes it the side of a
 * square for each point: between 1, of a lattice, and 2, of pure chance. */
static float
spacing_of (ScopedetectCloud *c, float start)
{
  double sum = 0;
  int near[SCOPEDETECT_NEAR], found = 0, step = 1 + c->n / 1000;

  scopedetect_grid_cpu (c, start);
  for (int i = 0; i < c->n; i += step) {
    int n = scopedetect_near (c, c->x[i], start, near);
    float best = start * start;

    for (int k = 0; k < n; k++) {
      Vec d = vec_sub (c->x[near[k]], c->x[i]);
      float d2 = vec_dot (d, d);

      if (near[k] != i && d2 < best)
        best = d2;
    }
    if (best < start * start)
      sum += sqrtf (best), found++;
  }
  return found ? (float) (1.3 * sum / found) : start;
}

typedef struct {
  ScopedetectCloud *cloud;
  float radius;
} Planes;

static void
set_normals_of_points (void *data, int begin, int end)
{
  const Planes *p = data;
  ScopedetectCloud *c = p->cloud;

  for (int i = begin; i < end; i++) {
    int near[SCOPEDETECT_NEAR];
    int n = scopedetect_near (c, c->x[i], p->radius, near);
    Vec mean = {0, 0, 0};
    float m[6] = {0};

    for (int k = 0; k < n; k++)
      mean = vec_add (mean, vec_sub (c->x[near[k]], c->x[i]));
    mean = vec_scale (mean, 1 / (float) n);
    for (int k = 0; k < n; k++) {
      Vec d = vec_sub (vec_sub (c->x[near[k]], c->x[i]), mean);

      m[0] += d.x * d.x, m[1] += d.x * d.y, m[2] += d.x * d.z;
      m[3] += d.y * d.y, m[4] += d.y * d.z, m[5] += d.z * d.z;
    }
    c->normal[i] = scopedetect_least_axis (m);
  }
}

/* Normals of planes through neighbours. */
static void
plane_normals (ScopedetectCloud *c, float radius)
{
  scopedetect_grid_cpu (c, radius);
  parallel_for (c->n, 64, set_normals_of_points, &(Planes){c, radius});
}

/* Whether the origin lies far enough outside for the points to be one camera's
 * view from there: by more than their extent. */
static bool
is_one_view (const ScopedetectCloud *c)
{
  Vec low = c->x[0], high = low, size, out;

  for (int i = 1; i < c->n; i++) {
    Vec p = c->x[i];

    low = vec (fminf (low.x, p.x), fminf (low.y, p.y), fminf (low.z, p.z));
    high = vec (fmaxf (high.x, p.x), fmaxf (high.y, p.y), fmaxf (high.z, p.z));
  }
  size = vec_sub (high, low);
  out = vec (fmaxf (0, fmaxf (low.x, -high.x)),
      fmaxf (0, fmaxf (low.y, -high.y)), fmaxf (0, fmaxf (low.z, -high.z)));
  return vec_norm (out) > vec_norm (size);
}

static void
turn_to_origin (ScopedetectCloud *c)
{
  for (int i = 0; i < c->n; i++)
    if (vec_dot (c->normal[i], c->x[i]) > 0)
      c->normal[i] = vec_scale (c->normal[i], -1);
}

static const char *
sample_points (ScopedetectSamples *s, const Mesh *m,
    const ScopedetectCompile *how, DeviceMemory *memory)
{
  int n = m->n > MOST ? MOST : (int) m->n;
  ScopedetectCloud *c = &s->cloud;

  TRY (scopedetect_cloud_new (memory, c, n, m->colour != NULL, false));
  c->n = n;
  for (int i = 0; i < n; i++) {
    uint32_t k = (uint32_t) ((uint64_t) i * m->n / (uint32_t) n);
    const float *v = m->normal ? m->normal + 3 * (size_t) k : NULL;

    c->x[i] = vertex (m, k, how->unit);
    if (v)
      c->normal[i] = vec_unit (vec (v[0], v[1], v[2]));
    if (c->lab)
      c->lab[i] = colour (m, k);
  }
  s->spacing = spacing_of (c, (float) how->spacing * 4);
  if (!m->normal)
    plane_normals (c,
        (float) how->normal_radius > 2.5f * s->spacing
            ? (float) how->normal_radius
            : 2.5f * s->spacing);
  s->oriented = m->normal || is_one_view (c);
  if (s->oriented && !m->normal)
    turn_to_origin (c);
  return NULL;
}

const char *
scopedetect_sample (ScopedetectSamples *s, const Mesh *mesh,
    const ScopedetectCompile *how, DeviceMemory *memory)
{
  if (mesh->n_triangles)
    TRY (sample_triangles (s, mesh, how, memory));
  else
    TRY (sample_points (s, mesh, how, memory));
  shuffle (&s->cloud, how->seed);
  return NULL;
}
