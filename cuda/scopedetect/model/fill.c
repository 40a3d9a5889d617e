/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The surface between the points of a coarse cloud. The star of a point is the
 * triangles with its neighbours in a Delaunay triangulation of the tangent
 * plane. If a star has a gap, and the surface on the far side of a hole in the
 * points fits, wider triangles close it: clouds of a mesh's vertices have few
 * points on flat parts. */
#include <stdlib.h>

#include "common/parallel.h"
#include "scopedetect/model/shape.h"

#define REACH 4.f     /* maximum distance of neighbours, spacings */
#define NEIGHBOURS 64 /* maximum number of neighbours: the nearest */
#define CORNERS 24    /* maximum number of triangles of a star; mostly 6 */
#define HOLE 12.f /* maximum distance of neighbours beyond a hole, spacings */
#define RIM 1024  /* maximum neighbours beyond a hole, else it stays open */
#define SAME_SIDE -.2f /* minimum cosine of normals; 0 beyond a box's edge */
/* Minimum cosines of the angle between the normals of a triangle and of its
 * corner. */
#define LEVEL .87f /* on the same flat surface, */
#define FLAT .2f   /* on any */

/* A neighbour, unfolded into the tangent plane: its direction and distance
 * stay, so that a point beyond an edge is not projected onto the edge. */
typedef struct {
  int of;
  float x, y, d2;
} Neighbour;

typedef struct {
  const ScopedetectCloud *cloud;
  float reach, hole;
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

/* The tangent plane of a point. */
typedef struct {
  Vec x, normal, u, v;
} Plane;

static Plane
plane_at (const ScopedetectCloud *c, int i)
{
  Vec n = c->normal[i];
  Vec u = vec_unit (
      vec_cross (n, fabsf (n.x) < .6f ? vec (1, 0, 0) : vec (0, 1, 0)));

  return (Plane){c->x[i], n, u, vec_cross (n, u)};
}

/* Unfolds point @j to @out; false if it is not on this side of the surface. */
static bool
unfold (const ScopedetectCloud *c, const Plane *p, int j, Neighbour *out)
{
  Vec d = vec_sub (c->x[j], p->x);
  float x = vec_dot (d, p->u), y = vec_dot (d, p->v);
  float flat = sqrtf (x * x + y * y), d2 = vec_dot (d, d), longer;

  if (!(flat > 0) || !(vec_dot (c->normal[j], p->normal) > SAME_SIDE))
    return false;
  longer = sqrtf (d2) / flat;
  *out = (Neighbour){j, longer * x, longer * y, d2};
  return true;
}

/* Lists point @i's neighbours on its side of the surface, the nearest first. */
static int
list_near (const Stars *s, int i, Neighbour list[SCOPEDETECT_NEAR])
{
  const ScopedetectCloud *c = s->cloud;
  Plane plane = plane_at (c, i);
  int near[SCOPEDETECT_NEAR], count = 0;
  int all = scopedetect_near (c, c->x[i], s->reach, near);

  for (int k = 0; k < all; k++)
    count += unfold (c, &plane, near[k], &list[count]);
  qsort (list, (size_t) count, sizeof *list, by_distance);
  return count < NEIGHBOURS ? count : NEIGHBOURS;
}

/* Lists point @i's neighbours beyond a hole; none if there are more than RIM.
 */
static int
list_rim (const Stars *s, int i, Neighbour list[RIM])
{
  const ScopedetectCloud *c = s->cloud;
  Plane plane = plane_at (c, i);
  int count = 0;

  for (int j = 0; j < c->n; j++) {
    Vec d = vec_sub (c->x[j], plane.x);

    if (vec_dot (d, d) > s->hole * s->hole)
      continue;
    if (count == RIM)
      return 0;
    count += unfold (c, &plane, j, &list[count]);
  }
  qsort (list, (size_t) count, sizeof *list, by_distance);
  return count;
}

/* Whether the circle through the point and its neighbours @a and @b has no
 * neighbour in it, and lies in the ball of radius @reach of the neighbours. */
static bool
is_circle_empty (const Neighbour *list, int n, int a, int b, float reach)
{
  const Neighbour *p = &list[a], *q = &list[b];
  float area = 2 * (p->x * q->y - p->y * q->x), x, y, r2;

  if (!(area > 1e-3f * sqrtf (p->d2 * q->d2)))
    return false; /* a sliver, or clockwise, which is the pair (b, a) */
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

/* Whether the normal of the triangle of @a, @b and @c is like @n. */
static bool
looks_along (Vec a, Vec b, Vec c, Vec n)
{
  Vec area = vec_cross (vec_sub (b, a), vec_sub (c, a));

  return vec_dot (area, n) > FLAT * vec_norm (area);
}

/* Adds the triangle of point @i with @a and @b to its star. */
static void
add_triangle (const Stars *s, int i, int a, int b)
{
  uint32_t *corner = s->star + 2 * ((size_t) i * CORNERS + s->n[i]++);

  corner[0] = (uint32_t) a, corner[1] = (uint32_t) b;
}

/* Whether a triangle of @i's star begins at point @a. */
static bool
begins_at (const Stars *s, int i, uint32_t a)
{
  const uint32_t *corner = s->star + 2 * (size_t) i * CORNERS;

  for (int k = 0; k < s->n[i]; k++)
    if (corner[2 * k] == a)
      return true;
  return false;
}

/* Whether the triangle of three points is level with the surface at two of
 * them, and on the same side at the third, which may be on an edge. */
static bool
is_level (const ScopedetectCloud *c, int i, int a, int b)
{
  const int of[] = {i, a, b};
  Vec area = vec_cross (vec_sub (c->x[a], c->x[i]), vec_sub (c->x[b], c->x[i]));
  float length = vec_norm (area);
  int level = 0;

  for (int k = 0; k < 3; k++) {
    float along = vec_dot (area, c->normal[of[k]]);

    if (!(along > FLAT * length))
      return false;
    level += along > LEVEL * length;
  }
  return level >= 2;
}

/* Adds triangles to @i's star that close its gap from neighbour @of on; each
 * begins at the last corner of the triangle before. */
static void
close_star_gap (const Stars *s, int i, const Neighbour *rim, int n, uint32_t of)
{
  int a = 0, b = 0;

  while (a < n && (uint32_t) rim[a].of != of)
    a++;
  while (a < n && b < n && s->n[i] < CORNERS &&
      !begins_at (s, i, (uint32_t) rim[a].of)) {
    for (b = 0; b < n; b++)
      if (a != b && is_circle_empty (rim, n, a, b, s->hole) &&
          is_level (s->cloud, i, rim[a].of, rim[b].of))
        break;
    if (b < n)
      add_triangle (s, i, rim[a].of, rim[b].of);
    a = b;
  }
}

static void
close_star_gaps (const Stars *s, int i)
{
  const uint32_t *corner = s->star + 2 * (size_t) i * CORNERS;
  Neighbour rim[RIM];
  int found = s->n[i], n = -1;

  for (int k = 0; k < found; k++)
    if (!begins_at (s, i, corner[2 * k + 1])) {
      n = n < 0 ? list_rim (s, i, rim) : n;
      close_star_gap (s, i, rim, n, corner[2 * k + 1]);
    }
}

static void
find_stars (void *data, int begin, int end)
{
  const Stars *s = data;
  const Vec *x = s->cloud->x;

  for (int i = begin; i < end; i++) {
    Neighbour list[SCOPEDETECT_NEAR];
    int n = list_near (s, i, list);

    s->n[i] = 0;
    for (int a = 0; a < n; a++)
      for (int b = 0; b < n && s->n[i] < CORNERS; b++)
        if (a != b && is_circle_empty (list, n, a, b, s->reach) &&
            looks_along (
                x[i], x[list[a].of], x[list[b].of], s->cloud->normal[i]))
          add_triangle (s, i, list[a].of, list[b].of);
    close_star_gaps (s, i);
  }
}

/* Lists the triangles of all stars; a triangle may be listed three times. */
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
  Stars s = {c, REACH * spacing, HOLE * spacing,
      malloc ((size_t) c->n * sizeof *s.n), malloc (2 * room * sizeof *s.star)};

  *n_triangles = 0;
  *triangles = malloc (3 * room * sizeof **triangles);
  if (s.n && s.star && *triangles) {
    scopedetect_set_grid (c, s.reach);
    parallel_for (c->n, 16, find_stars, &s);
    *n_triangles = list_triangles (&s, *triangles);
  }
  free (s.n);
  free (s.star);
  return !*triangles || !s.n || !s.star
      ? OUT_OF_MEMORY (3 * room * sizeof **triangles, "")
      : *n_triangles ? NULL
                     : "the cloud has no surface: its points lie too far apart";
}
