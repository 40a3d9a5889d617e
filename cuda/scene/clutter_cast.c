/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The first surface on the ray of each pixel: every triangle is tested with the
 * rays of the pixels between its corners.  Neighbours use the same numbers for
 * their common side, so that no ray passes between them. */
#include "scene/clutter_core.h"

#include <stdatomic.h>

#include "common/parallel.h"

#define BAND 16 /* rows that a thread processes at a time */

#define NEAREST .05

/* A surface with a smaller sine is seen at less than 7 degrees. */
#define GRAZING .12

/* A body in the camera's axes. */
typedef struct {
  const ClutterShape *shape;
  const ClutterVertex *vertex;
  int label;
} Target;

typedef struct {
  double side[3][3]; /* normals of the planes through the eye and a side */
  double normal[3], along;
  ImageBox box;
} Facet;

/* Prepares a triangle.  Returns false if no ray of rows @y0 to @y1 can meet
 * it. */
static bool
aim_at_triangle (const ClutterPlan *plan, const Target *t, uint32_t triangle,
    int width, int y0, int y1, Facet *f)
{
  const uint32_t *corner = t->shape->mesh.triangles + 3 * (size_t) triangle;
  const double *p[3];
  double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9}, d[2][3];

  for (int k = 0; k < 3; k++) {
    double u, v;

    p[k] = t->vertex[corner[k]].x;
    if (!(p[k][2] > NEAREST))
      return false;
    u = plan->f * p[k][0] / p[k][2] + plan->cx;
    v = plan->f * p[k][1] / p[k][2] + plan->cy;
    low[0] = fmin (low[0], u), high[0] = fmax (high[0], u);
    low[1] = fmin (low[1], v), high[1] = fmax (high[1], v);
  }
  if (!(high[0] >= 0 && high[1] >= y0 && low[0] < width && low[1] < y1))
    return false;
  f->box = (ImageBox){(int) fmax (low[0], 0), (int) fmax (low[1], y0),
      (int) fmin (high[0] + 1, width), (int) fmin (high[1] + 1, y1)};
  for (int k = 0; k < 3; k++) {
    clutter_cross (p[(k + 1) % 3], p[(k + 2) % 3], f->side[k]);
    d[0][k] = p[1][k] - p[0][k], d[1][k] = p[2][k] - p[0][k];
  }
  clutter_cross (d[0], d[1], f->normal);
  f->along = clutter_dot (f->normal, p[0]);
  return true;
}

/* The depth at which the ray meets the facet; 0 if it does not. */
static double
meet_triangle (const Facet *f, const double ray[3])
{
  double a = clutter_dot (f->side[0], ray), b = clutter_dot (f->side[1], ray);
  double c = clutter_dot (f->side[2], ray), face;

  if (!((a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0)))
    return 0;
  face = clutter_dot (f->normal, ray);
  return face != 0 ? f->along / face : 0;
}

static uint8_t
mark_pixel (const double normal[3], const double ray[3])
{
  double face = clutter_dot (normal, ray);

  return face * face < GRAZING * GRAZING * clutter_dot (normal, normal) *
              clutter_dot (ray, ray)
      ? RGBD_GRAZING
      : 0;
}

/* Casts the rays of rows @y0 to @y1 at the body @t.  Returns the number of its
 * pixels in these rows. */
static uint64_t
cast_body (Clutter *s, const ClutterPlan *plan, const Target *t, int y0, int y1,
    uint8_t *met)
{
  uint64_t full = 0;

  memset (met, 0, (size_t) (y1 - y0) * s->width);
  for (uint32_t i = 0; i < t->shape->mesh.n_triangles; i++) {
    Facet f;

    if (!aim_at_triangle (plan, t, i, s->width, y0, y1, &f))
      continue;
    for (int y = f.box.y0; y < f.box.y1; y++)
      for (int x = f.box.x0; x < f.box.x1; x++) {
        size_t at = (size_t) y * s->width + x;
        uint8_t *known = &met[(size_t) (y - y0) * s->width + x];
        double ray[3], z;

        clutter_ray (plan, x, y, ray);
        z = meet_triangle (&f, ray);
        if (!(z > NEAREST))
          continue;
        full += !*known;
        *known = 1;
        if (!((float) z < s->z[at]))
          continue;
        s->z[at] = (float) z;
        s->labels[at] = (uint16_t) t->label;
        s->triangle[at] = i;
        s->marks[at] = mark_pixel (f.normal, ray);
      }
  }
  return full;
}

/* Casts rays at the table, up to its edge. */
static void
cast_table (Clutter *s, const ClutterPlan *plan, int y0, int y1)
{
  double m[3][3], up[3];

  quat64_matrix (plan->camera.q, m);
  memcpy (up, m[2], sizeof up); /* the world's up, in the camera's axes */
  for (int y = y0; y < y1; y++)
    for (int x = 0; x < s->width; x++) {
      size_t at = (size_t) y * s->width + x;
      double ray[3], down;

      clutter_ray (plan, x, y, ray);
      down = -clutter_dot (up, ray);
      s->z[at] = down > 1e-6 ? (float) (plan->camera.t[2] / down) : INFINITY;
      s->labels[at] = 0;
      s->marks[at] = mark_pixel (up, ray);
    }
}

static void
transform_bodies (Clutter *s, const ClutterPlan *plan, Target *target)
{
  Pose64 eye = rgbd_pose_inverse (&plan->camera);

  for (int i = 0; i < s->n_bodies; i++) {
    const ClutterBody *b = &s->body[i];
    const ClutterShape *shape = &s->shape[b->shape];
    Pose64 p = rgbd_pose_chain (&eye, &b->pose);
    double m[3][3];

    quat64_matrix (p.q, m);
    for (uint32_t v = 0; v < shape->mesh.n; v++) {
      double x[3] = {shape->mesh.x[3 * (size_t) v],
          shape->mesh.x[3 * (size_t) v + 1], shape->mesh.x[3 * (size_t) v + 2]};

      for (int k = 0; k < 3; k++)
        s->vertex[b->vertices + v].x[k] = clutter_dot (m[k], x) + p.t[k];
    }
    target[i] = (Target){shape, s->vertex + b->vertices, i + 1};
  }
}

typedef struct {
  Clutter *s;
  const ClutterPlan *plan;
  Target target[CLUTTER_MAX_OBJECTS];
  atomic_ullong full[CLUTTER_MAX_OBJECTS]; /* pixels of each body, including
                                              hidden ones */
} View;

static void
cast_row_bands (void *data, int begin, int end)
{
  View *v = data;
  Clutter *s = v->s;

  for (int y0 = begin * BAND; y0 < s->height && y0 < end * BAND; y0 += BAND) {
    int y1 = y0 + BAND < s->height ? y0 + BAND : s->height;
    uint8_t met[BAND * CLUTTER_MAX_SIZE];

    cast_table (s, v->plan, y0, y1);
    for (int i = 0; i < s->n_bodies; i++)
      atomic_fetch_add (
          &v->full[i], cast_body (s, v->plan, &v->target[i], y0, y1, met));
  }
}

void
clutter_cast (
    Clutter *s, const ClutterPlan *plan, uint64_t full[CLUTTER_MAX_OBJECTS])
{
  View v = {.s = s, .plan = plan};

  transform_bodies (s, plan, v.target);
  parallel_for ((s->height + BAND - 1) / BAND, 1, cast_row_bands, &v);
  for (int i = 0; i < CLUTTER_MAX_OBJECTS; i++)
    full[i] = v.full[i];
}
