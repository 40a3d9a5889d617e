/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures of poses, as the BOP benchmark defines them: ADD, ADD-S, MSSD, MSPD
 * and VSD. */
#pragma once

#include <stdbool.h>

#include "common/device.h"
#include "mesh/mesh.h"

/* From the object to the camera: R by rows, t in metres. */
typedef struct {
  int scene, image, object;
  double score, r[9], t[3];
  double visible; /* visible part of a true pose; -1: unknown */
} PoseEvalPose;

typedef struct {
  PoseEvalPose *pose;
  size_t n, room;
} PoseEvalList;

/* A motion after which the object looks the same: R by rows, t. */
typedef struct {
  double r[9], t[3];
} PoseEvalSymmetry;

typedef struct {
  int object;
  char *path;
  Mesh mesh;       /* metres */
  double diameter; /* given by models_info.json, else of the vertices */
  PoseEvalSymmetry *symmetry; /* the first is the identity */
  int n_symmetries;
} PoseEvalMesh;

#define POSE_EVAL_MESHES 256

typedef struct {
  double unit;
  int n;
  PoseEvalMesh list[POSE_EVAL_MESHES];
} PoseEvalMeshes;

/* The camera of an image, pixels, and its depth. */
typedef struct {
  int width, height;
  float *depth;          /* metres, 0: missing; NULL: no picture */
  double scale;          /* metres a unit of the picture */
  double fx, fy, cx, cy; /* fx = 0: not known */
} PoseEvalImage;

#define POSE_EVAL_TAUS 10 /* tolerances of VSD: 5 to 50 % of the diameter */

/* Errors of an estimate against a true pose; NAN: not known. */
typedef struct {
  double add, add_s, mssd; /* metres */
  double mspd; /* pixels of a frame that is 640 wide; needs the camera */
  double vsd[POSE_EVAL_TAUS]; /* 0 to 1; needs the camera and depth */
} PoseEvalErrors;

/* @arg is ID=FILE.  pose_eval_load () reads the file, and sets @path to the
 * name of the file that it reads. */
const char *pose_eval_add_mesh (PoseEvalMeshes *meshes, const char *arg);
const char *pose_eval_add_object (
    PoseEvalMeshes *meshes, int object, const char *path);
const char *pose_eval_load (PoseEvalMeshes *meshes, const char **path);
PoseEvalMesh *pose_eval_mesh (PoseEvalMeshes *meshes, int object);
const char *pose_eval_read_depth (PoseEvalImage *image, const char *path);
void pose_eval_free (PoseEvalMeshes *meshes);

/* Sets the symmetries of @mesh: @n discrete ones, and all rotations about
 * @n_axes lines, each of six numbers: direction, and a point on it.  Metres. */
const char *pose_eval_symmetries (PoseEvalMesh *mesh,
    const PoseEvalSymmetry *single, int n, const double (*axes)[6], int n_axes);

/* Computes all errors for which mesh and @image have the data.  The picture
 * must be the image of the poses. */
const char *pose_eval_errors (const PoseEvalMesh *mesh,
    const PoseEvalImage *image, const PoseEvalPose *estimate,
    const PoseEvalPose *truth, PoseEvalErrors *errors);

/* Sets @visible to the part of the object's pixels at @truth in front of which
 * the depth picture has no surface; 0 if no pixel is in the frame. */
const char *pose_eval_visible (const PoseEvalMesh *mesh,
    const PoseEvalImage *image, const PoseEvalPose *truth, double *visible);

/* The mean of VSD over its tolerances. */
double pose_eval_mean_vsd (const PoseEvalErrors *errors);
