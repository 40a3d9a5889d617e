/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kinfumot's parameters: ranges, defaults and texts. */
#include "kinfumot/kinfumot.h"

static const ParamChoice distances[] = {
    {KINFUMOT_SIGNED,
        "Points behind a surface are uncovered background; points in space "
        "that was seen free are outliers",
        "signed"},
    {KINFUMOT_UNSIGNED, "The distance from the surface alone decides",
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
        "Side of the cube before the first camera that is mapped, metres (0 = "
        "no limit)",
        .when = PARAM_STOPPED),
    NUMBER (max_memory, 16, 8192, 256, "Most memory",
        "Memory for the voxels of all models, MiB; when it is full, the voxels "
        "that have been out of view for longest are dropped",
        .when = PARAM_STOPPED),
    NUMBER (max_weight, 1, 4095, 128, "Greatest weight",
        "A voxel holds the mean of about this many frames"),
    NUMBER (max_angle, 1, 90, 20, "Greatest angle",
        "Points correspond where their normals differ by at most this angle, "
        "degrees"),
    NUMBER (noise, 0, 1, .0035, "Noise",
        "A point at depth z matches a surface up to this times z^2 away, and "
        "2 cm in any case, 1/m; 0.0035 suits a Kinect for Xbox 360"),
    ONE_OF (distance, distances, KINFUMOT_SIGNED, "Distance",
        "How points are classified in the correspondence map"),
    ONE_OF (pose, poses, KINFUMOT_ESTIMATE, "Pose",
        "Where the pose of the camera comes from"),
    NUMBER (max_objects, 0, KINFUMOT_MAX_OBJECTS, KINFUMOT_MAX_OBJECTS,
        "Most objects", "Models of moving objects at a time"),
    NUMBER (min_size, 50, 1000000, 500, "Least size",
        "A new object has at least this many points with normals"),
    NUMBER (retire_after, 1, 1000000, 15, "Retire after",
        "An object of which less than half matches is given up after this many "
        "frames"),
    NUMBER (ring, 0, KINFUMOT_RING - 1, 4, "Ring",
        "A new object is also made from this many frames before the one in "
        "which it was accepted"),
    NUMBER (depth_scale, 1e-9, 1e3, .001, "Depth scale",
        "Metres that one unit of depth is"),
    {NULL}};

KinfumotParams
kinfumot_defaults (void)
{
  KinfumotParams p = {.camera = {.fx = 0}}; /* unknown */

  params_defaults (kinfumot_params, &p);
  return p;
}
