/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The surface between the points of a coarse cloud: of each point its star, the
 * triangles with its neighbours that a Delaunay triangulation of the tangent
 * plane has. */
#include <stdlib.h>

#include "common/parallel.h"
#include "scopedetect/model/shape.h"

#define REACH 4.f      /* spacings within which neighbours are looked for */
#define NEIGHBOURS 64  /* the nearest ones */
#define CORNERS 24     /* triangles of a star; of Delaunay's about 6 */
#define SAME_SIDE -.2f /* cosine of normals; 0 beyond an edge of a box */
#define FLAT .2f /* minimum cosine of a triangle's normal and the point's */

/* A neighbour, unfolded into the tangent plane: in its direction, at its
 * distance, so that what lies beyond an edge is not laid onto the edge. */
typedef struct {
  int of;
  float x, y, d2;
} Neighbour;

typedef struct {
  const ScopedetectCloud *cloud;
  float reach;
  int *n;         /* triangles of each point's star */
  uint32_t *star; /* room for CORNERS a point, two corners each */
} Stars;

static int
by_distance (const void *a, const void *b)
{
  const Neighbour *p = a, *q = b;
  int order = (p->d2 > q->d2) - (p->d2 < q->d2);

  return order ? order : p->of - q->of;
}

/* The neighbours of point @i on its side of the surface, the nearest first. */
static int
unfold (const Stars *s, int i, Neighbour list[SCOPEDETECT_NEAR])
{
  const ScopedetectCloud *c = s->cloud;
  Vec n = c->normal[i];
  Vec u = vec_unit (
      vec_cross (n, fabsf (n.x) < .6f ? vec (1, 0, 0) : vec (0, 1, 0)));
  Vec v = vec_cross (n, u);
  int near[SCOPEDETECT_NEAR], count = 0;
  int all = scopedetect_near (c, c->x[i], s->reach, near);

  for (int k = 0; k < all; k++) {
    Vec d = vec_sub (c->x[near[k]], c->x[i]);
    float x = vec_dot (d, u), y = vec_dot (d, v), flat = sqrtf (x * x + y * y);
    float d2 = vec_dot (d, d);

    if (flat > 0 && vec_dot (c->normal[near[k]], n) > SAME_SIDE) {
      float longer = sqrtf (d2) / flat;

      list[count++] = (Neighbour){near[k], longer * x, longer * y, d2};
    }
  }
  qsort (list, (size_t) count, sizeof *list, by_distance);
  return count < NEIGHBOURS ? count : NEIGHBOURS;
}

/* Whether the circle through the point and its neighbours @a and @b is no
 * larger than what was looked through, and empty. */
static bool
is_empty (const Neighbour *list, int n, int a, int b, float reach)
{
  const Neighbour *p = &list[a], *q = &list[b];
  float area = 2 * (p->x * q->y - p->y * q->x), x, y, r2;

  if (!(area > 1e-3f * sqrtf (p->d2 * q->d2)))
    return false; /* a sliver, or clockwise: that is the pair (b, a) */
  x = (p->d2 * q->y - q->d2 * p->y) / area;
  y = (q->d2 * p->x - p->d2 * q->x) / area;
  r2 = x * x + y * y;
  if (r2 > reach * reach / 4)
    return false;
  for (int k = 0; k < n; k++) {
    float dx = list[k].x - x, dy = list[k].y - y;

    if (k != a && k != b && dx * dx + dy * dy < r2 * .9999f)
      return false;
  }
  return true;
}

/* Whether the triangle of @a, @b and @c looks where the normal @n does. */
static bool
looks_along (Vec a, Vec b, Vec c, Vec n)
{
  Vec area = vec_cross (vec_sub (b, a), vec_sub (c, a));

  return vec_dot (area, n) > FLAT * vec_norm (area);
}

static void
find_stars (void *data, int begin, int end)
{
  const Stars *s = data;
  const Vec *x = s->cloud->x;

  for (int i = begin; i < end; i++) {
    Neighbour list[SCOPEDETECT_NEAR];
    int n = unfold (s, i, list), found = 0;

    for (int a = 0; a < n; a++)
      for (int b = 0; b < n && found < CORNERS; b++)
        if (a != b && is_empty (list, n, a, b, s->reach) &&
            looks_along (
                x[i], x[list[a].of], x[list[b].of], s->cloud->normal[i])) {
          uint32_t *corner = s->star + 2 * ((size_t) i * CORNERS + found++);

          corner[0] = (uint32_t) list[a].of, corner[1] = (uint32_t) list[b].of;
        }
    s->n[i] = found;
  }
}

/* From stars to one list; a triangle of three stars is in it three times. */
static uint32_t
list_triangles (const Stars *s, uint32_t *triangles)
{
  uint32_t n = 0;

  for (int i = 0; i < s->cloud->n; i++)
    for (int k = 0; k < s->n[i]; k++) {
      const uint32_t *corner = s->star + 2 * ((size_t) i * CORNERS + k);

      triangles[3 * n] = (uint32_t) i;
      triangles[3 * n + 1] = corner[0];
      triangles[3 * n++ + 2] = corner[1];
    }
  return n;
}

const char *
scopedetect_fill (ScopedetectCloud *c, float spacing, uint32_t **triangles,
    uint32_t *n_triangles)
{
  size_t room = (size_t) c->n * CORNERS;
  Stars s = {c, REACH * spacing, malloc ((size_t) c->n * sizeof *s.n),
      malloc (2 * room * sizeof *s.star)};

  *n_triangles = 0;
  *triangles = malloc (3 * room * sizeof **triangles);
  if (s.n && s.star && *triangles) {
    scopedetect_grid_cpu (c, s.reach);
    parallel_for (c->n, 16, find_stars, &s);
    *n_triangles = list_triangles (&s, *triangles);
  }
  free (s.n);
  free (s.star);
  return !*triangles || !s.n || !s.star ? "out of memory"
      : *n_triangles                    ? NULL
                     : "the cloud has no surface: its points lie too far apart";
}
