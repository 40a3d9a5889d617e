/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Depth that one camera measured, in the pixels of another camera.
 *
 * Four neighbouring pixels of the depth are the corners of a cell.  A cell
 * whose depths are near each other is a piece of a surface: two triangles,
 * between whose corners the depth is interpolated.  In any other cell each
 * pixel covers its own quarter, at its own depth.  So a surface has no holes in
 * a target with more pixels than the depth, and what only the target sees stays
 * a hole.  Of several surfaces in a pixel the nearest counts. */
#pragma once

#include "common/device.h"
#include "common/image.h"
#include "common/param.h"
#include "common/pose_core.h"

C_BEGIN

/* Greatest width and height of the depth and of the target, pixels. */
#define DEPTHALIGN_MAX_SIDE 8192

typedef struct {
  double max_step; /* rows of depthalign_params.c */
  double depth_scale;
  Camera depth, target; /* in pixels of the depth, and of the target */
  Pose64 transform;     /* from the depth camera's coordinates to the target's;
                           metres */
} DepthalignParams;

extern const Param depthalign_params[];
/* Without cameras; the transform is the identity. */
DepthalignParams depthalign_defaults (void);
/* Returns NULL, or a sentence about what cannot be used. */
const char *depthalign_check (const DepthalignParams *params);

/* Numbers of pixels of the depth. */
typedef struct {
  uint32_t measured; /* with a depth */
  uint32_t ahead;    /* of these, in front of the target camera, and at most
                        65535 units away from it */
  uint32_t landed;   /* of these, in the target's frame */
} DepthalignCounts;

typedef struct _Depthalign Depthalign;

/* @width, @height: of the depth; @target_width, @target_height: of the target;
 * 1 to DEPTHALIGN_MAX_SIDE pixels.  Free @self after an error, too. */
const char *depthalign_new (Depthalign **self, const Device *device, int width,
    int height, int target_width, int target_height);
void depthalign_free (Depthalign *self);

/* Queues the alignment of @depth.  Both are IMAGE_GRAY16 in the device's
 * memory, depths along the optical axis in units of depth_scale, 0 without
 * depth.  *@counts is valid after device_wait (), until the next run.  Another
 * depth camera or rotation than in the run before takes some 10 ms, and the
 * device is waited for. */
const char *depthalign_run (Depthalign *self, const DepthalignParams *params,
    const Image *depth, const Image *target, const DepthalignCounts **counts);

C_END
