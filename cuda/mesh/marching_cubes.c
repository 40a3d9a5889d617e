/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two passes over the bricks.  The first marks the edges that the surface
 * crosses, each at the voxel of its lower end, and counts triangles.  The
 * second writes the triangles; the number of a vertex is the number of marks
 * before it. */
#include "mesh/marching_cubes.h"

#include <stdlib.h>
#include <string.h>

#include "common/device.h"

#define SIDE MARCHING_BRICK
#define VOXELS (SIDE * SIDE * SIDE)
#define WORDS (3 * VOXELS / 64) /* of marks: a bit for each voxel and axis */
#define MAX_TRIANGLES 12        /* of a cube */

/* Corner c of a cube is at (c & 1, c >> 1 & 1, c >> 2).  Edge e goes along axis
 * e / 4.  Its lower corner has 0 along that axis, and the bits of e % 4 along
 * the next two axes. */
static int
edge_corner (int e)
{
  int axis = e / 4;

  return (e & 1) << (axis + 1) % 3 | (e >> 1 & 1) << (axis + 2) % 3;
}

static int
edge_between (int a, int b)
{
  int axis = (a ^ b) >> 1, low = a & b;

  return 4 * axis + (low >> (axis + 1) % 3 & 1) +
      2 * (low >> (axis + 2) % 3 & 1);
}

/* The edges of each triangle, for each set of corners that are inside. */
typedef struct {
  uint8_t n[256];
  uint8_t edges[256][MAX_TRIANGLES][3];
} Cases;

/* Adds the surface's lines on one side of a cube, whose corners are @c in
 * order: a line goes around each run of corners that are inside, from the edge
 * where the run begins to the edge where it ends. */
static void
add_side_lines (int inside, const int c[4], int8_t next[12])
{
  for (int i = 0; i < 4; i++) {
    int last = i;

    if (!(inside >> c[i] & 1) || inside >> c[(i + 3) % 4] & 1)
      continue;
    while (inside >> c[(last + 1) % 4] & 1)
      last = (last + 1) % 4;
    next[edge_between (c[(i + 3) % 4], c[i])] =
        (int8_t) edge_between (c[last], c[(last + 1) % 4]);
  }
}

/* Makes the triangles for the set @inside of corners: the lines of all sides
 * form closed polygons, which are cut into fans. */
static void
make_case_triangles (Cases *cases, int inside)
{
  int8_t next[12];

  memset (next, -1, sizeof next);
  for (int axis = 0; axis < 3; axis++)
    for (int far = 0; far < 2; far++) {
      int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, at = far << axis;
      int c[4] = {at, at | u, at | u | v, at | v};

      if (!far) /* counterclockwise as seen from outside */
        c[1] = at | v, c[3] = at | u;
      add_side_lines (inside, c, next);
    }
  for (int e = 0; e < 12; e++)
    while (next[e] >= 0) {
      int second = next[e], third = next[second];

      if (third == e) { /* all of the polygon is cut */
        next[e] = next[second] = -1;
        break;
      }
      memcpy (cases->edges[inside][cases->n[inside]++],
          (uint8_t[]){(uint8_t) e, (uint8_t) second, (uint8_t) third}, 3);
      next[e] = (int8_t) third, next[second] = -1;
    }
}

/* The marks of a brick. */
typedef struct {
  uint64_t crossed[WORDS];
  uint32_t first; /* vertex */
} Marks;

typedef struct {
  const MarchingGrid *grid;
  Mesh *mesh;
  Cases cases;
  Marks *marks; /* of each brick */
  uint64_t n, n_triangles;
} March;

/* A brick and its neighbours towards higher coordinates, into which its cubes
 * reach: bit i of the index is a step along axis i. */
typedef struct {
  int64_t index[8];
  const MarchingVoxel *voxels[8];
} Around;

static Around
bricks_around (const MarchingGrid *g, uint32_t brick)
{
  Around a;

  for (int i = 0; i < 8; i++) {
    int32_t at[3];

    for (int k = 0; k < 3; k++)
      at[k] = g->bricks[brick].at[k] + (i >> k & 1);
    a.index[i] = i ? g->find (g->data, at) : brick;
    if (a.index[i] >= g->n)
      a.index[i] = -1;
    a.voxels[i] = a.index[i] < 0 ? NULL : g->bricks[a.index[i]].voxels;
  }
  return a;
}

/* The brick of Around in which voxel (x, y, z), 0 to SIDE, lies.  Sets @voxel
 * to its number in that brick. */
static int
voxel_place (int x, int y, int z, int *voxel)
{
  *voxel = (z % SIDE * SIDE + y % SIDE) * SIDE + x % SIDE;
  return x / SIDE | y / SIDE << 1 | z / SIDE << 2;
}

/* The set of corners of the cube at (x, y, z) that are inside; 0 if a corner
 * was not observed. */
static int
corners_inside (const March *m, const Around *a, int x, int y, int z)
{
  int inside = 0;

  for (int c = 0; c < 8; c++) {
    int voxel,
        i = voxel_place (x + (c & 1), y + (c >> 1 & 1), z + (c >> 2), &voxel);
    const MarchingVoxel *v = a->voxels[i];

    if (!v || !(v[voxel].weight & m->grid->weight_mask))
      return 0;
    inside |= (v[voxel].distance < 0) << c;
  }
  return inside;
}

/* The marks of the brick that holds edge @e of the cube at (x, y, z).  Sets
 * @bit to the edge's number there. */
static Marks *
marks_of_edge (
    const March *m, const Around *a, int x, int y, int z, int e, int *bit)
{
  int c = edge_corner (e), voxel;
  int i = voxel_place (x + (c & 1), y + (c >> 1 & 1), z + (c >> 2), &voxel);

  *bit = e / 4 * VOXELS + voxel;
  return &m->marks[a->index[i]];
}

typedef void (*Visit) (
    March *m, const Around *a, const int cube[3], int inside);

static void
visit_cubes (March *m, Visit visit)
{
  for (uint32_t b = 0; b < m->grid->n; b++) {
    Around a;

    if (!m->grid->bricks[b].voxels)
      continue;
    a = bricks_around (m->grid, b);
    for (int i = 0; i < VOXELS; i++) {
      int cube[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
      int inside = corners_inside (m, &a, cube[0], cube[1], cube[2]);

      if (m->cases.n[inside])
        visit (m, &a, cube, inside);
    }
  }
}

static void
count_cube (March *m, const Around *a, const int cube[3], int inside)
{
  m->n_triangles += m->cases.n[inside];
  for (int e = 0; e < 12; e++) {
    int low = edge_corner (e), high = low | 1 << e / 4, bit;

    if ((inside >> low & 1) != (inside >> high & 1)) {
      Marks *marks = marks_of_edge (m, a, cube[0], cube[1], cube[2], e, &bit);

      marks->crossed[bit / 64] |= (uint64_t) 1 << bit % 64;
    }
  }
}

static uint32_t
vertex_number (const Marks *marks, int bit)
{
  uint32_t n = marks->first;

  for (int i = 0; i < bit / 64; i++)
    n += (uint32_t) __builtin_popcountll (marks->crossed[i]);
  return n +
      (uint32_t) __builtin_popcountll (
          marks->crossed[bit / 64] & (((uint64_t) 1 << bit % 64) - 1));
}

static void
write_cube_triangles (March *m, const Around *a, const int cube[3], int inside)
{
  for (int t = 0; t < m->cases.n[inside]; t++)
    for (int k = 0; k < 3; k++) {
      int bit, e = m->cases.edges[inside][t][k];
      const Marks *marks =
          marks_of_edge (m, a, cube[0], cube[1], cube[2], e, &bit);

      m->mesh->triangles[3 * m->n_triangles + k + 3 * t] =
          vertex_number (marks, bit);
    }
  m->n_triangles += m->cases.n[inside];
}

/* Sets @x to the place on edge @bit where the distance is 0. */
static void
set_vertex_place (const March *m, const Around *a, int bit, float x[3])
{
  int axis = bit / VOXELS, i = bit % VOXELS, voxel, other;
  int at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
  int next[3] = {at[0] + (axis == 0), at[1] + (axis == 1), at[2] + (axis == 2)};
  float low, high;

  other = voxel_place (next[0], next[1], next[2], &voxel);
  low = a->voxels[0][i].distance;
  high = a->voxels[other][voxel].distance;
  for (int k = 0; k < 3; k++) {
    double v = (double) m->grid->bricks[a->index[0]].at[k] * SIDE + at[k];

    x[k] = (float) (m->grid->side * (v + (k == axis ? low / (low - high) : 0)));
  }
}

static void
put_vertices (March *m, const uint8_t colour[3])
{
  for (uint32_t b = 0; b < m->grid->n; b++) {
    const Marks *marks = &m->marks[b];
    uint32_t n = marks->first;
    Around a;

    if (!m->grid->bricks[b].voxels)
      continue;
    a = bricks_around (m->grid, b);
    for (int bit = 0; bit < 64 * WORDS; bit++)
      if (marks->crossed[bit / 64] >> bit % 64 & 1) {
        set_vertex_place (m, &a, bit, m->mesh->x + 3 * (size_t) n);
        memcpy (m->mesh->colour + 3 * (size_t) n++, colour, 3);
      }
  }
}

/* Gives the vertices numbers that follow those of the mesh. */
static const char *
number_vertices (March *m)
{
  m->n = m->mesh->n;
  for (uint32_t b = 0; b < m->grid->n; b++) {
    m->marks[b].first = (uint32_t) m->n;
    for (int i = 0; i < WORDS; i++)
      m->n += (uint64_t) __builtin_popcountll (m->marks[b].crossed[i]);
    if (m->n > UINT32_MAX)
      break;
  }
  m->n_triangles += m->mesh->n_triangles;
  if (m->n > UINT32_MAX || m->n_triangles > UINT32_MAX)
    return "the surface has more than 4294967295 vertices or triangles";
  return NULL;
}

/* Makes room in the mesh for the vertices and triangles that were counted. */
static const char *
grow_mesh (March *m)
{
  Mesh *mesh = m->mesh;
  float *x = realloc (mesh->x, (size_t) m->n * 3 * sizeof *x + 1);
  uint8_t *colour;
  uint32_t *triangles;

  mesh->x = x ? x : mesh->x;
  colour = realloc (mesh->colour, (size_t) m->n * 3 + 1);
  mesh->colour = colour ? colour : mesh->colour;
  triangles = realloc (
      mesh->triangles, (size_t) m->n_triangles * 3 * sizeof *triangles + 1);
  mesh->triangles = triangles ? triangles : mesh->triangles;
  return x && colour && triangles
      ? NULL
      : OUT_OF_MEMORY ((size_t) m->n * (3 * sizeof *x + 3) +
                (size_t) m->n_triangles * 3 * sizeof *triangles,
            " for the surface");
}

static const char *
march_bricks (March *m, const uint8_t colour[3])
{
  const char *err;

  visit_cubes (m, count_cube);
  err = number_vertices (m);
  if (!err)
    err = grow_mesh (m);
  if (err)
    return err;
  put_vertices (m, colour);
  m->n_triangles = m->mesh->n_triangles;
  visit_cubes (m, write_cube_triangles);
  m->mesh->n = (uint32_t) m->n;
  m->mesh->n_triangles = (uint32_t) m->n_triangles;
  return NULL;
}

const char *
marching_cubes (Mesh *mesh, const MarchingGrid *grid, const uint8_t colour[3])
{
  March m = {.grid = grid, .mesh = mesh};
  const char *err;

  if (mesh->n && (!mesh->colour || mesh->normal))
    return "a surface can be added to others with colours and without normals "
           "only";
  m.marks = calloc ((size_t) grid->n + 1, sizeof *m.marks);
  if (!m.marks)
    return OUT_OF_MEMORY (
        ((size_t) grid->n + 1) * sizeof *m.marks, " for the surface");
  for (int i = 1; i < 255; i++)
    make_case_triangles (&m.cases, i);
  err = march_bricks (&m, colour);
  free (m.marks);
  return err;
}
