/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Surfaces of objects: read from files and written to them, or fused from views
 * in depth and colour. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/both.h"

C_BEGIN

/* @x and @normal hold 3 floats a vertex, in file units; @normal and @colour
 * (R G B) may be NULL; @triangles holds 3 indices each, and may be NULL: then
 * vertices are points of the surface. */
typedef struct {
  uint32_t n, n_triangles;
  float *x, *normal;
  uint8_t *colour;
  uint32_t *triangles;
} Mesh;

/* Reads a PLY (ASCII, binary of both byte orders), OBJ, PCD (ASCII, binary,
 * compressed) or XYZ file of at most 1 GiB; its content, or else
 * its name, says which.  After an error, @mesh is empty. */
const char *mesh_read (Mesh *mesh, const char *path);
/* NULL, or what is wrong with @mesh: a vertex that is not finite, or a triangle
 * with the number of a vertex that it does not have.  mesh_read () does not
 * look for these. */
const char *mesh_check (const Mesh *mesh);
void mesh_free (Mesh *mesh);

/* Writes a PLY, binary_little_endian: of each vertex float x y z, nx ny nz
 * where the mesh has normals, uchar red green blue where it has colours; of
 * each triangle, where it has those, a list of uint.  A regular file is
 * replaced at once; the reader of a FIFO is waited for a second. */
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

/* Makes one cloud of @n views: points with normals, and with colours where all
 * views have them, in metres.  Points outside of @box (minimum x y z, then
 * maximum; NULL: none are outside) are left out, the others averaged over cells
 * with sides of @side metres; a cell with one measurement does not count.
 * mesh_free () is the caller's. */
const char *mesh_fuse (
    Mesh *mesh, const MeshView *views, int n, const double box[6], double side);

C_END
