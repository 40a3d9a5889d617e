/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kinfumot's parameters: ranges, defaults and texts. */
#include "common/rows.h"
#include "kinfumot/kinfumot.h"

#define ROWS_OF KinfumotParams

CHOICES (distances,
    {KINFUMOT_SIGNED, "signed",
        "What comes into view behind a surface is uncovered background; "
        "surfaces that move away, and points in space that was seen to be "
        "free, are outliers"},
    {KINFUMOT_UNSIGNED, "unsigned",
        "Only the distance from the surface matters"});

CHOICES (poses,
    {KINFUMOT_ESTIMATE, "estimate", "Estimated from the depth alone"},
    {KINFUMOT_PRIOR, "prior",
        "Estimated, starting from the pose on the buffer"},
    {KINFUMOT_GIVEN, "given", "The pose on the buffer"},
    {KINFUMOT_STILL, "still", "The camera stands still"});

const Param kinfumot_params[] = {STOPPED (NUMBER, voxel_size, .001, .1, .005,
                                     "Side of a voxel of the models, metres"),
    STOPPED (NUMBER, truncation, .003, 1, .03,
        "The models hold distances up to this from a surface, metres; at least "
        "three voxels"),
    STOPPED (NUMBER, volume_size, 0, 1000, 0,
        "Side of the cube in front of the first camera that is mapped, metres "
        "(0 = no limit)"),
    STOPPED (NUMBER, max_memory, 16, 8192, 256,
        "Memory for the voxels of all models, MiB; when it is full, the voxels "
        "that have been out of view the longest are dropped first"),
    NUMBER (max_weight, 1, 4095, 128,
        "A voxel holds the mean of about this many frames"),
    NUMBER (max_angle, 1, 90, 20,
        "Points correspond if their normals differ by at most this angle, "
        "degrees"),
    NUMBER (noise, 0, 1, .0035,
        "A point at depth z matches a surface at most noise * z^2 away, or 2 "
        "cm "
        "if that is more; 1/m; 0.0035 suits a Kinect for Xbox 360"),
    ONE_OF (distance, distances, KINFUMOT_SIGNED,
        "How points are classified in the correspondence map"),
    ONE_OF (pose, poses, KINFUMOT_ESTIMATE,
        "Where the pose of the camera comes from"),
    TITLED ("Maximum number of objects", NUMBER, max_objects, 0,
        KINFUMOT_MAX_OBJECTS, KINFUMOT_MAX_OBJECTS,
        "Maximum number of moving objects with a model at a time"),
    NUMBER (min_size, 50, 1000000, 500,
        "Reject new objects with fewer points with normals than this"),
    NUMBER (retire_after, 1, 1000000, 15,
        "Drop an object after this many frames in which less than half of it "
        "matches"),
    NUMBER (ring, 0, KINFUMOT_RING - 1, 4,
        "Number of frames before its acceptance from which a new object is "
        "also "
        "made"),
    NUMBER (depth_scale, 1e-9, 1e3, .001, "Metres per unit of depth"), {0}};

DEFAULTS (kinfumot_defaults, kinfumot_params, .camera = {.fx = 0}) /* unknown */

const char *
kinfumot_check (const KinfumotParams *p)
{
  TRY (params_check (kinfumot_params, p));
  if (p->truncation < 3 * p->voxel_size)
    return "truncation must be at least three times voxel-size";
  return NULL;
}
