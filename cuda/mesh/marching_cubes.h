/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The surface of a field of signed distances that is stored in bricks: marching
 * cubes (W. Lorensen and H. Cline, SIGGRAPH 1987).  Triangles share their
 * vertices, and the surface has no holes if all voxels were observed.  A side
 * of a cube may have two corners inside, across from each other: the surface
 * then parts them, so that both cubes at that side have the same lines on
 * it. */
#pragma once

#include "mesh/mesh.h"

C_BEGIN

#define MARCHING_BRICK 8 /* voxels a side */

/* A signed distance in any unit, negative inside, and its weight. */
typedef struct {
  int16_t distance;
  uint16_t weight;
} MarchingVoxel;

/* A brick of voxels 8 at[i] to 8 at[i] + 7 along each axis, x fastest, then
 * y. */
typedef struct {
  int32_t at[3];               /* magnitude below 2^27 */
  const MarchingVoxel *voxels; /* NULL: the brick is left out */
} MarchingBrick;

typedef struct {
  const MarchingBrick *bricks;
  uint32_t n;
  /* The number of the brick at @at; -1: the grid has no brick there. */
  int64_t (*find) (void *data, const int32_t at[3]);
  void *data;
  uint16_t weight_mask; /* the bits of a weight that count; a voxel without any
                           of them was not observed */
  float side;           /* metres from voxel to voxel; voxel (0, 0, 0) is at the
                           origin */
} MarchingGrid;

/* Adds the surface to @mesh, which may be empty or hold other surfaces with
 * colours: vertices in metres with @colour, and triangles, counterclockwise as
 * seen from outside.  A cube with a corner that was not observed gives no
 * triangles.  Beside the mesh, 200 bytes a brick are allocated.  After an error
 * @mesh is as before.  The caller frees the mesh by mesh_free (). */
const char *marching_cubes (
    Mesh *mesh, const MarchingGrid *grid, const uint8_t colour[3]);

C_END
