/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points of the surface of a mesh or a cloud. */
#include <stdlib.h>

#include "common/parallel.h"
#include "common/random.h"
#include "scopedetect/scopedetect_features_core.h"
#include "scopedetect/model/shape.h"

#define MIN_POINTS 4000 /* surface points of a mesh */
#define MAX_POINTS 400000
#define FINER 3 /* density of surface points, in points of the model */

/* Triangles from which points of a surface are drawn: three corners each, in
 * metres, and their colours, or NULL. */
typedef struct {
  uint32_t n_triangles;
  const uint32_t *triangles;
  const Vec *x, *lab;
} Triangles;

/* The normal of triangle @t, as long as twice its area. */
static Vec
area_of (const Triangles *from, uint32_t t)
{
  const uint32_t *v = from->triangles + 3 * (size_t) t;
  Vec a = from->x[v[0]];

  return vec_cross (vec_sub (from->x[v[1]], a), vec_sub (from->x[v[2]], a));
}

/* Sets surface point @i to a random point of triangle @t. */
static void
draw_point (ScopedetectCloud *c, int i, const Triangles *from, uint32_t t,
    uint64_t seed)
{
  const uint32_t *v = from->triangles + 3 * (size_t) t;
  float a = random_unit (seed, 3 * (uint64_t) i + 1);
  float b = random_unit (seed, 3 * (uint64_t) i + 2);
  Vec p = from->x[v[0]];
  Vec e = vec_sub (from->x[v[1]], p);
  Vec f = vec_sub (from->x[v[2]], p);

  if (a + b > 1)
    a = 1 - a, b = 1 - b;
  c->x[i] = vec_add (p, vec_add (vec_scale (e, a), vec_scale (f, b)));
  c->normal[i] = vec_unit (area_of (from, t));
  if (c->lab)
    c->lab[i] = from->lab[v[a > .5f ? 1 : b > .5f ? 2 : 0]];
}

/* Spreads surface points over the triangles by area. */
static const char *
draw_points (ScopedetectSurface *surface, const Triangles *from,
    const ScopedetectCompile *how, DeviceMemory *memory)
{
  ScopedetectCloud *c = &surface->cloud;
  double total = 0, sum = 0, fine = how->spacing / FINER;
  uint32_t t = 0;
  int n;

  for (uint32_t k = 0; k < from->n_triangles; k++)
    total += vec_norm (area_of (from, k)) / 2;
  if (!(total > 0))
    return "the mesh has no surface";
  n = total / (fine * fine) < MIN_POINTS   ? MIN_POINTS
      : total / (fine * fine) > MAX_POINTS ? MAX_POINTS
                                           : (int) (total / (fine * fine));
  TRY (scopedetect_cloud_new (memory, c, n, from->lab != NULL, false));
  c->n = n;
  surface->spacing = (float) sqrt (total / n);
  sum = vec_norm (area_of (from, 0)) / 2;
  for (int i = 0; i < n; i++) {
    double at = (i + random_unit (how->seed, 3 * (uint64_t) i)) * total / n;

    while (sum < at && t + 1 < from->n_triangles)
      sum += vec_norm (area_of (from, ++t)) / 2;
    draw_point (c, i, from, t, how->seed);
  }
  return NULL;
}

static const char *
draw_from_mesh (ScopedetectSurface *surface, const Mesh *m,
    const ScopedetectCompile *how, DeviceMemory *memory)
{
  Vec *x = malloc (m->n * sizeof *x);
  Vec *lab = m->colour ? malloc (m->n * sizeof *lab) : NULL;
  Triangles from = {m->n_triangles, m->triangles, x, lab};
  const char *error;

  for (uint32_t i = 0; x && i < m->n; i++)
    x[i] = scopedetect_vertex (m, i, how->unit);
  for (uint32_t i = 0; lab && i < m->n; i++)
    lab[i] = scopedetect_vertex_colour (m, i);
  if (x && (lab || !m->colour))
    error = draw_points (surface, &from, how, memory);
  else
    error = OUT_OF_MEMORY (2 * m->n * sizeof *x, "");
  free (x);
  free (lab);
  return error;
}

static Vec *
copy_points (const Vec *v, int n)
{
  Vec *copy = malloc ((size_t) n * sizeof *copy);

  return copy ? memcpy (copy, v, (size_t) n * sizeof *copy) : NULL;
}

/* Replaces a coarse cloud's points, all contents of @memory, by points of the
 * surface between them. */
static const char *
fill_surface (ScopedetectSurface *surface, const ScopedetectCompile *how,
    DeviceMemory *memory)
{
  ScopedetectCloud *c = &surface->cloud;
  bool colour = c->lab != NULL;
  uint32_t *triangles = NULL;
  Triangles from = {0};
  Vec *x, *lab;
  const char *error;

  if (how->filled)
    how->filled (how->user, surface->spacing);
  TRY (scopedetect_keep_visible (
      surface)); /* normals tell both sides of a sheet apart */
  if (!c->n)
    return "no point of the cloud is seen from outside";
  x = copy_points (c->x, c->n);
  lab = colour ? copy_points (c->lab, c->n) : NULL;
  if (x && (lab || !colour))
    error =
        scopedetect_fill (c, surface->spacing, &triangles, &from.n_triangles);
  else
    error = OUT_OF_MEMORY (2 * (size_t) c->n * sizeof *x, "");
  from.triangles = triangles, from.x = x, from.lab = lab;
  memory_free (memory);
  if (!error)
    error = draw_points (surface, &from, how, memory);
  free (triangles);
  free (x);
  free (lab);
  return error;
}

static void
swap_points (Vec *v, int i, int j)
{
  Vec t = v[i];

  v[i] = v[j], v[j] = t;
}

static void
shuffle_points (ScopedetectCloud *c, uint64_t seed)
{
  for (int i = c->n - 1; i > 0; i--) {
    int j = (int) random_below (~seed, (uint64_t) i, (uint32_t) i + 1);

    swap_points (c->x, i, j);
    swap_points (c->normal, i, j);
    if (c->lab)
      swap_points (c->lab, i, j);
  }
}

const char *
scopedetect_surface (ScopedetectSurface *s, const Mesh *mesh,
    const ScopedetectCompile *how, DeviceMemory *memory)
{
  if (mesh->n_triangles) {
    TRY (draw_from_mesh (s, mesh, how, memory));
  } else {
    TRY (scopedetect_surface_of_cloud (s, mesh, how, memory));
    if (scopedetect_is_coarse (s->spacing, how->spacing))
      TRY (fill_surface (s, how, memory));
  }
  shuffle_points (&s->cloud, how->seed);
  return NULL;
}
