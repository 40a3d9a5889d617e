/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Surfaces and clouds of points: read from files and written to files, or fused
 * from views in depth and colour. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/both.h"

C_BEGIN

/* @x and @normal hold 3 floats a vertex, in file units, @colour R G B,
 * @confidence a number of 0 to 1.  All but @x may be NULL.  @triangles holds 3
 * indices each; without triangles the vertices are points of the surface. */
typedef struct {
  uint32_t n, n_triangles;
  float *x, *normal;
  uint8_t *colour;
  float *confidence;
  uint32_t *triangles;
} Mesh;

/* Reads a PLY (ASCII, binary of both byte orders), OBJ, PCD (ASCII, binary,
 * compressed) or XYZ file of at most 1 GiB.  The content says which kind of
 * file it is or, if not, the name.  After an error, @mesh is empty. */
const char *mesh_read (Mesh *mesh, const char *path);
/* Returns NULL, or what is wrong with @mesh: a vertex that is not finite, or a
 * triangle with the number of a vertex that the mesh does not have.  mesh_read
 * () makes no such check. */
const char *mesh_check (const Mesh *mesh);
void mesh_free (Mesh *mesh);

/* Writes a PLY, binary_little_endian.  A vertex has float x y z, and if the
 * mesh has them float nx ny nz, uchar red green blue and float confidence;
 * triangles are lists of uint.  A regular file is replaced in one step; the
 * function waits a second for the reader of a FIFO. */
const char *mesh_write (const Mesh *mesh, const char *path);

/* A view of an object, in host memory. */
typedef struct {
  int width, height;
  const uint16_t *depth; /* 0 is missing */
  int depth_stride;      /* bytes, even */
  const uint8_t *rgb; /* rows of 3 * width bytes, aligned with depth; or NULL */
  double depth_scale; /* metres a unit of depth */
  double fx, fy, cx, cy; /* of a pinhole camera without distortion, pixels */
  double pose[7]; /* from the camera to the object: metres, unit quaternion */
} MeshView;

/* Makes one cloud of @n views in metres: points with normals, and with colours
 * if all views have them.  Points outside of @box (minimum x y z, then maximum;
 * NULL: no box) are left out.  The other points are averaged over cells with
 * sides of @side metres; a cell with one measurement gives no point.  The
 * caller frees the mesh by mesh_free (). */
const char *mesh_fuse (
    Mesh *mesh, const MeshView *views, int n, const double box[6], double side);

C_END
