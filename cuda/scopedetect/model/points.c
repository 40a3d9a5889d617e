/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Surfaces of clouds: the spacing of the points, and their normals. */
#include <stdlib.h>

#include "common/parallel.h"
#include "scopedetect/scopedetect_features_core.h"
#include "scopedetect/model/shape.h"

#define MAX_POINTS 400000 /* maximum used points of a cloud */
#define NTH 8             /* the neighbour whose distance tells the density */
#define PLANE 2.5f        /* radius of a point's plane, spacings */

Vec
scopedetect_vertex (const Mesh *m, uint32_t i, double unit)
{
  const float *x = m->x + 3 * (size_t) i;

  return vec (
      (float) (x[0] * unit), (float) (x[1] * unit), (float) (x[2] * unit));
}

Vec
scopedetect_vertex_colour (const Mesh *m, uint32_t i)
{
  const uint8_t *c = m->colour + 3 * (size_t) i;

  return scopedetect_lab (c[0], c[1], c[2]);
}

/* The squared distance from @x to the NTH of its neighbours @near, which
 * include @x itself; -1: there are fewer. */
static float
nth_distance2 (const ScopedetectCloud *c, Vec x, const int *near, int n)
{
  float min_d2[NTH + 1];
  int found = 0;

  for (int k = 0; k < n; k++) {
    Vec d = vec_sub (c->x[near[k]], x);
    float d2 = vec_dot (d, d);
    int at = found;

    if (found <= NTH)
      found++;
    else if (d2 < min_d2[NTH])
      at = NTH;
    else
      continue;
    for (; at > 0 && min_d2[at - 1] > d2; at--)
      min_d2[at] = min_d2[at - 1];
    min_d2[at] = d2;
  }
  return found > NTH ? min_d2[NTH] : -1;
}

/* The mean side of a point's square, by the circles that hold NTH neighbours; 0
 * if a tenth of the points or more have fewer neighbours within @reach. */
static float
spacing_within (ScopedetectCloud *c, float reach)
{
  int near[SCOPEDETECT_NEAR], found = 0, probes = 0, step = 1 + c->n / 1000;
  double sum = 0;

  scopedetect_set_grid (c, reach);
  for (int i = 0; i < c->n; i += step, probes++) {
    int n = scopedetect_near (c, c->x[i], reach, near);
    float d2 = nth_distance2 (c, c->x[i], near, n);

    if (d2 >= 0)
      sum += d2, found++;
  }
  return found > .9 * probes ? (float) sqrt (3.14159265 / NTH * sum / found)
                             : 0;
}

/* Circles grow until they hold enough points, so never too many. */
static float
spacing_of (ScopedetectCloud *c, float start, float end)
{
  float spacing = 0;

  for (float reach = start; reach < end && !(spacing > 0); reach *= 1.5f)
    spacing = spacing_within (c, reach);
  return spacing > 0 ? spacing : end;
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
    c->normal[i] = scopedetect_min_axis (m);
  }
}

/* Sets each point's normal to that of a plane through its neighbours. */
static void
plane_normals (ScopedetectCloud *c, float radius)
{
  scopedetect_set_grid (c, radius);
  parallel_for (c->n, 64, set_normals_of_points, &(Planes){c, radius});
}

/* Whether the points may be the view of one camera at the origin: it lies
 * outside by more than their extent. */
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

bool
scopedetect_is_coarse (float between, double spacing)
{
  return between > spacing / 2;
}

const char *
scopedetect_surface_of_cloud (ScopedetectSurface *s, const Mesh *m,
    const ScopedetectCompile *how, DeviceMemory *memory)
{
  int n = m->n > MAX_POINTS ? MAX_POINTS : (int) m->n;
  ScopedetectCloud *c = &s->cloud;

  TRY (scopedetect_cloud_new (memory, c, n, m->colour != NULL, false));
  c->n = n;
  for (int i = 0; i < n; i++) {
    uint32_t k = (uint32_t) ((uint64_t) i * m->n / (uint32_t) n);
    const float *v = m->normal ? m->normal + 3 * (size_t) k : NULL;

    c->x[i] = scopedetect_vertex (m, k, how->unit);
    if (v)
      c->normal[i] = vec_unit (vec (v[0], v[1], v[2]));
    if (c->lab)
      c->lab[i] = scopedetect_vertex_colour (m, k);
  }
  s->spacing =
      spacing_of (c, (float) how->spacing / 4, (float) how->spacing * 8);
  if (!m->normal)
    plane_normals (c, fmaxf ((float) how->normal_radius, PLANE * s->spacing));
  s->oriented = m->normal || is_one_view (c);
  if (s->oriented && !m->normal)
    turn_to_origin (c);
  return NULL;
}
