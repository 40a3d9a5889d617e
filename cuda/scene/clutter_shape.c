/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes a shape that can be dropped from a mesh. */
#include <stdlib.h>

#include "common/device.h"
#include "scene/clutter_core.h"

#define MAX_POINTS 4000000 /* of a shape that is dropped */

static double
edge_length (const float *a, const float *b)
{
  double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};

  return sqrt (clutter_dot (d, d));
}

/* Visits rows of points parallel to the longest side, from @a to @b. */
static void
sample_triangle (const float *a, const float *b, const float *c, double step,
    void (*visit) (void *user, const double p[3]), void *user)
{
  double d[2][3], cross[3], width = edge_length (a, b);
  int rows, n;

  for (int k = 0; k < 3; k++)
    d[0][k] = b[k] - a[k], d[1][k] = c[k] - a[k];
  clutter_cross (d[0], d[1], cross);
  rows = width > 0
      ? (int) (sqrt (clutter_dot (cross, cross)) / width / step) + 1
      : 1;
  for (int i = 0; i <= rows; i++) {
    double v = (double) i / rows, p[3];

    n = (int) ((1 - v) * width / step) + 1;
    for (int j = 0; j <= n; j++) {
      double u = (1 - v) * j / n;

      for (int k = 0; k < 3; k++)
        p[k] = a[k] + u * d[0][k] + v * d[1][k];
      visit (user, p);
    }
  }
}

void
clutter_sample (const Mesh *mesh, double step,
    void (*visit) (void *user, const double p[3]), void *user)
{
  for (uint32_t t = 0; t < mesh->n_triangles; t++) {
    const float *p[3];
    double side[3];
    int k;

    for (k = 0; k < 3; k++)
      p[k] = mesh->x + 3 * (size_t) mesh->triangles[3 * t + k];
    for (k = 0; k < 3; k++)
      side[k] = edge_length (p[k], p[(k + 1) % 3]);
    k = side[0] >= side[1] && side[0] >= side[2] ? 0
        : side[1] >= side[2]                     ? 1
                                                 : 2;
    sample_triangle (p[k], p[(k + 1) % 3], p[(k + 2) % 3], step, visit, user);
  }
}

typedef struct {
  ClutterShape *shape; /* if its points are NULL, they are counted */
  double low[3], high[3];
} Points;

static void
add_shape_point (void *user, const double p[3])
{
  Points *points = user;
  ClutterShape *s = points->shape;

  for (int k = 0; k < 3; k++) {
    points->low[k] = fmin (points->low[k], p[k]);
    points->high[k] = fmax (points->high[k], p[k]);
    if (s->point)
      s->point[3 * (size_t) s->n_points + k] = (float) p[k];
  }
  if (s->n_points <= MAX_POINTS) /* further points are not counted: they are too
                                    many */
    s->n_points++;
}

/* The mean of the triangles, weighted by their areas. */
static void
weigh_shape (ClutterShape *s)
{
  const Mesh *m = &s->mesh;
  double sum[4] = {0};

  for (uint32_t t = 0; t < m->n_triangles; t++) {
    const float *p[3];
    double d[2][3], n[3], area;

    for (int k = 0; k < 3; k++)
      p[k] = m->x + 3 * (size_t) m->triangles[3 * t + k];
    for (int k = 0; k < 3; k++)
      d[0][k] = p[1][k] - p[0][k], d[1][k] = p[2][k] - p[0][k];
    clutter_cross (d[0], d[1], n);
    area = sqrt (clutter_dot (n, n));
    for (int k = 0; k < 3; k++)
      sum[k] += area * (p[0][k] + p[1][k] + p[2][k]) / 3;
    sum[3] += area;
  }
  for (int k = 0; k < 3; k++)
    s->mass[k] = sum[3] > 0 ? sum[k] / sum[3] : m->x[k];
}

static const char *
measure_shape (ClutterShape *s)
{
  Points points = {s, {1e9, 1e9, 1e9}, {-1e9, -1e9, -1e9}};

  for (uint32_t i = 0; i < s->mesh.n; i++) {
    double p[3] = {
        s->mesh.x[3 * i], s->mesh.x[3 * i + 1], s->mesh.x[3 * i + 2]};

    add_shape_point (&points, p);
  }
  s->n_points = 0;
  for (int k = 0; k < 3; k++) {
    s->extent[k] = points.high[k] - points.low[k];
    if (!(s->extent[k] <= CLUTTER_MAX_EXTENT))
      return "it is larger than 0.4 m; say what a unit of it is (0.001: "
             "millimetres)";
  }
  if (!(fmax (s->extent[0], fmax (s->extent[1], s->extent[2])) >= .005))
    return "it is smaller than 5 mm; say what a unit of it is";
  clutter_sample (&s->mesh, CLUTTER_STEP, add_shape_point, &points);
  if (s->n_points > MAX_POINTS)
    return "it has too many triangles";
  s->point = malloc (3 * (size_t) s->n_points * sizeof *s->point);
  if (!s->point)
    return OUT_OF_MEMORY (3 * (size_t) s->n_points * sizeof *s->point, "");
  s->n_points = 0;
  clutter_sample (&s->mesh, CLUTTER_STEP, add_shape_point, &points);
  weigh_shape (s);
  return NULL;
}

const char *
clutter_shape_make (ClutterShape *s, const Mesh *mesh, double unit)
{
  s->mesh = *mesh;
  if (!mesh->n_triangles)
    return "it has no triangles: a mesh is needed, not points alone";
  TRY (mesh_check (mesh));
  for (size_t i = 0; i < 3 * (size_t) mesh->n; i++)
    s->mesh.x[i] = (float) (s->mesh.x[i] * unit);
  return measure_shape (s);
}

void
clutter_shape_free (ClutterShape *s)
{
  mesh_free (&s->mesh);
  free (s->point);
  s->point = NULL;
}
