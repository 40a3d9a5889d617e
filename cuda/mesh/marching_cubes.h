/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The surface of a field of signed distances that is stored in bricks: marching
 * cubes (W. Lorensen and H. Cline, SIGGRAPH 1987).  Vertices are shared by the
 * triangles around them, and the surface has no holes where all voxels were
 * observed: on a side of a cube with two corners inside, across from each
 * other, these are parted, so that both cubes have the same lines there. */
#pragma once

#include "mesh/mesh.h"

C_BEGIN

#define MARCHING_BRICK 8 /* voxels a side */

/* Distances in any unit: below 0 is inside. */
typedef struct {
  int16_t distance;
  uint16_t weight;
} MarchingVoxel;

/* Voxels 8 at[i] to 8 at[i] + 7 along each axis, x fastest, then y. */
typedef struct {
  int32_t at[3];               /* each less than 2^27 from 0 */
  const MarchingVoxel *voxels; /* NULL: none, the brick is left out */
} MarchingBrick;

typedef struct {
  const MarchingBrick *bricks;
  uint32_t n;
  /* Which of the bricks is at @at; -1: none. */
  int64_t (*find) (void *data, const int32_t at[3]);
  void *data;
  uint16_t weight_mask; /* the bits of a weight that count; where all of them
                           are 0, nothing was observed */
  float side;           /* metres from voxel to voxel; voxel 0 0 0 is at 0 */
} MarchingGrid;

/* Adds the surface to @mesh, which may be empty or hold others with colours:
 * vertices in metres and of @colour, triangles counterclockwise as seen from
 * outside.  A cube of which a corner was not observed gives none.  Beside the
 * mesh it takes 200 bytes a brick.  After an error @mesh is as it was;
 * mesh_free () is the caller's. */
const char *marching_cubes (
    Mesh *mesh, const MarchingGrid *grid, const uint8_t colour[3]);

C_END
