/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuses several registered views in depth and colour to one cloud of points.  A
 * pixel gives a point, with the normal of its neighbours; the points that fall
 * into one cell of space are averaged. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/device.h"
#include "common/pose_core.h"
#include "mesh/mesh.h"

#define APART 2   /* pixels to the neighbours that give the normal */
#define STEP .02f /* neighbours differ at most by this part of their depth */
/* A surface that is seen at a more grazing angle is left out. */
#define FACING .25f
#define MIN_MEASUREMENTS 2        /* of a cell that gives a point */
#define MAX_MEASUREMENTS 20000000 /* of all views together */

typedef struct {
  uint64_t cell;
  Vec x, normal;
  float rgb[3];
} Seen;

typedef struct {
  Seen *at;
  size_t n, room;
} Cloud;

/* The point of pixel (@x, @y) in the camera's coordinates; z is 0 without
 * depth. */
static Vec
pixel_point (const MeshView *v, int x, int y)
{
  const uint16_t *row =
      (const uint16_t *) (const void *) ((const uint8_t *) v->depth +
          (size_t) y * (size_t) v->depth_stride);
  float z = (float) (row[x] * v->depth_scale);

  return vec (
      (float) ((x - v->cx) / v->fx) * z, (float) ((y - v->cy) / v->fy) * z, z);
}

/* Sets @normal to the normal at a pixel, towards the camera.  Returns false at
 * an edge of the surface. */
static bool
pixel_normal (const MeshView *v, int x, int y, Vec p, Vec *normal)
{
  Vec beside[4] = {pixel_point (v, x - APART, y), pixel_point (v, x + APART, y),
      pixel_point (v, x, y - APART), pixel_point (v, x, y + APART)};
  Vec n;

  for (int k = 0; k < 4; k++)
    if (!(beside[k].z > 0) || fabsf (beside[k].z - p.z) > STEP * p.z)
      return false;
  n = vec_cross (
      vec_sub (beside[3], beside[2]), vec_sub (beside[1], beside[0]));
  if (!(vec_norm (n) > 0))
    return false;
  *normal = vec_unit (n);
  return -vec_dot (*normal, p) > FACING * vec_norm (p);
}

static const char *
append_measurement (Cloud *c, const Seen *s)
{
  if (c->n == MAX_MEASUREMENTS)
    return "the views show too much; say which box of them is the object";
  if (c->n == c->room) {
    size_t room = c->room ? 2 * c->room : 4096;
    Seen *more = realloc (c->at, room * sizeof *more);

    if (!more)
      return OUT_OF_MEMORY (room * sizeof *more, "");
    c->at = more;
    c->room = room;
  }
  c->at[c->n++] = *s;
  return NULL;
}

static bool
is_in_box (const double box[6], Vec p)
{
  return !box ||
      (p.x >= box[0] && p.y >= box[1] && p.z >= box[2] && p.x <= box[3] &&
          p.y <= box[4] && p.z <= box[5]);
}

/* The number of the cell that holds @p, 21 bits a side; a coordinate that is
 * not a number counts as 0. */
static uint64_t
space_cell_of_point (Vec p, double side)
{
  const float at[3] = {p.x, p.y, p.z};
  uint64_t cell = 0;

  for (int k = 0; k < 3; k++) {
    double i = floor (at[k] / side) + 1048576;

    cell = cell << 21 | (uint64_t) (i > 0 ? fmin (i, 2097151) : 0);
  }
  return cell;
}

static const char *
add_view_points (Cloud *c, const MeshView *v, const double box[6], double side)
{
  Pose pose = pose_from (v->pose);
  Turn r = turn_of (pose.q);

  for (int y = APART; y < v->height - APART; y++)
    for (int x = APART; x < v->width - APART; x++) {
      Vec p = pixel_point (v, x, y), n;
      Seen s = {0};

      if (!(p.z > 0) || !pixel_normal (v, x, y, p, &n))
        continue;
      s.x = vec_transform (&r, pose.t, p);
      s.normal = vec_rotate (&r, n);
      if (!is_in_box (box, s.x))
        continue;
      s.cell = space_cell_of_point (s.x, side);
      for (int k = 0; v->rgb && k < 3; k++)
        s.rgb[k] = v->rgb[3 * ((size_t) y * (size_t) v->width + (size_t) x) +
            (size_t) k];
      TRY (append_measurement (c, &s));
    }
  return NULL;
}

static int
compare_cells (const void *a, const void *b)
{
  uint64_t p = ((const Seen *) a)->cell, q = ((const Seen *) b)->cell;

  return (p > q) - (p < q);
}

/* Adds the mean of @n measurements to @mesh, as one vertex. */
static void
put_mean_vertex (const Seen *s, size_t n, Mesh *mesh, bool coloured)
{
  size_t to = mesh->n++;
  Vec x = {0, 0, 0}, normal = {0, 0, 0};
  float rgb[3] = {0};

  for (size_t i = 0; i < n; i++) {
    x = vec_add (x, s[i].x);
    normal = vec_add (normal, s[i].normal);
    for (int k = 0; k < 3; k++)
      rgb[k] += s[i].rgb[k];
  }
  x = vec_scale (x, 1 / (float) n);
  normal = vec_unit (normal);
  memcpy (mesh->x + 3 * to, (float[]){x.x, x.y, x.z}, 3 * sizeof *mesh->x);
  memcpy (mesh->normal + 3 * to, (float[]){normal.x, normal.y, normal.z},
      3 * sizeof *mesh->normal);
  for (size_t k = 0; coloured && k < 3; k++)
    mesh->colour[3 * to + k] = (uint8_t) (rgb[k] / (float) n + .5f);
}

static const char *
average_cells (const Cloud *c, bool coloured, Mesh *mesh)
{
  mesh->x = malloc (3 * c->n * sizeof *mesh->x);
  mesh->normal = malloc (3 * c->n * sizeof *mesh->normal);
  mesh->colour = coloured ? malloc (3 * c->n) : NULL;
  if (!mesh->x || !mesh->normal || (coloured && !mesh->colour))
    return OUT_OF_MEMORY (3 * c->n * (2 * sizeof *mesh->x + coloured), "");
  for (size_t i = 0, n; i < c->n; i += n) {
    for (n = 1; i + n < c->n && c->at[i + n].cell == c->at[i].cell; n++)
      continue;
    if (n >= MIN_MEASUREMENTS)
      put_mean_vertex (c->at + i, n, mesh, coloured);
  }
  return mesh->n ? NULL : "the views show nothing twice";
}

const char *
mesh_fuse (
    Mesh *mesh, const MeshView *views, int n, const double box[6], double side)
{
  Cloud cloud = {NULL, 0, 0};
  bool coloured = n > 0;
  const char *err = NULL;

  memset (mesh, 0, sizeof *mesh);
  if (!(side >= 1e-4 && side <= 1))
    return "the cells of space must be 0.1 mm to 1 m";
  for (int i = 0; i < n && !err; i++) {
    coloured &= views[i].rgb != NULL;
    err = add_view_points (&cloud, &views[i], box, side);
  }
  if (!err && !cloud.n)
    err = "the views show no surface in the box";
  if (!err) {
    qsort (cloud.at, cloud.n, sizeof *cloud.at, compare_cells);
    err = average_cells (&cloud, coloured, mesh);
  }
  free (cloud.at);
  if (err)
    mesh_free (mesh);
  return err;
}
