/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kinfumot's parameters: ranges, defaults and texts. */
#include "kinfumot/kinfumot.h"

static const ParamChoice distances[] = {
    {KINFUMOT_SIGNED,
        "What comes into view behind a surface is uncovered background; "
        "surfaces that move away, and points in space that was seen to be "
        "free, are outliers",
        "signed"},
    {KINFUMOT_UNSIGNED, "Only the distance from the surface matters",
        "unsigned"},
    {0, NULL, NULL}};

static const ParamChoice poses[] = {
    {KINFUMOT_ESTIMATE, "Estimated from the depth alone", "estimate"},
    {KINFUMOT_PRIOR, "Estimated, starting from the pose on the buffer",
        "prior"},
    {KINFUMOT_GIVEN, "The pose on the buffer", "given"}, {0, NULL, NULL}};

#define NUMBER(...) PARAM_NUMBER (KinfumotParams, __VA_ARGS__)
#define ONE_OF(...) PARAM_ONE_OF (KinfumotParams, __VA_ARGS__)

const Param kinfumot_params[] = {
    NUMBER (voxel_size, .001, .1, .005, "Voxel size",
        "Side of a voxel of the models, metres", .when = PARAM_STOPPED),
    NUMBER (truncation, .003, 1, .03, "Truncation",
        "The models hold distances up to this from a surface, metres; at least "
        "three voxels",
        .when = PARAM_STOPPED),
    NUMBER (volume_size, 0, 1000, 0, "Volume size",
        "Side of the cube in front of the first camera that is mapped, metres "
        "(0 = no limit)",
        .when = PARAM_STOPPED),
    NUMBER (max_memory, 16, 8192, 256, "Maximum memory",
        "Memory for the voxels of all models, MiB; when it is full, the voxels "
        "that have been out of view for longest are dropped first",
        .when = PARAM_STOPPED),
    NUMBER (max_weight, 1, 4095, 128, "Maximum weight",
        "A voxel holds the mean of about this many frames"),
    NUMBER (max_angle, 1, 90, 20, "Maximum angle",
        "Points correspond if their normals differ by at most this angle, "
        "degrees"),
    NUMBER (noise, 0, 1, .0035, "Noise",
        "A point at depth z matches a surface that is at most this times z^2 "
        "away, 1/m, or 2 cm if that is more; 0.0035 suits a Kinect for Xbox "
        "360"),
    ONE_OF (distance, distances, KINFUMOT_SIGNED, "Distance",
        "How points are classified in the correspondence map"),
    ONE_OF (pose, poses, KINFUMOT_ESTIMATE, "Pose",
        "Where the pose of the camera comes from"),
    NUMBER (max_objects, 0, KINFUMOT_MAX_OBJECTS, KINFUMOT_MAX_OBJECTS,
        "Maximum number of objects",
        "Maximum number of moving objects with a model at a time"),
    NUMBER (min_size, 50, 1000000, 500, "Minimum size",
        "Reject new objects with fewer points with normals than this"),
    NUMBER (retire_after, 1, 1000000, 15, "Retire after",
        "Drop an object after this many frames in which less than half of it "
        "matches"),
    NUMBER (ring, 0, KINFUMOT_RING - 1, 4, "Ring",
        "A new object is also made from this many frames before its "
        "acceptance"),
    NUMBER (depth_scale, 1e-9, 1e3, .001, "Depth scale",
        "Metres per unit of depth"),
    {NULL}};

KinfumotParams
kinfumot_defaults (void)
{
  KinfumotParams p = {.camera = {.fx = 0}}; /* unknown */

  params_defaults (kinfumot_params, &p);
  return p;
}
