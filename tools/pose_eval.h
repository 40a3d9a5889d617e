/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures of poses: ADD, ADD-S and VSD, as the BOP benchmark defines them. */
#pragma once

#include "common/device.h"
#include "mesh/mesh.h"

/* From the object to the camera: R by rows, t in metres. */
typedef struct {
  int scene, image, object;
  double score, r[9], t[3];
} PoseEvalPose;

typedef struct {
  int object;
  const char *path;
  Mesh mesh; /* metres */
  double diameter;
} PoseEvalMesh;

#define POSE_EVAL_MESHES 256

typedef struct {
  double unit;
  int n;
  PoseEvalMesh list[POSE_EVAL_MESHES];
} PoseEvalMeshes;

typedef struct {
  int width, height;
  float *depth; /* metres, 0: missing; NULL: no image */
  double scale, fx, fy, cx, cy;
} PoseEvalImage;

/* @arg is ID=FILE; the file is read by pose_eval_load (), which leaves the name
 * of the newest at @path. */
const char *pose_eval_add_mesh (PoseEvalMeshes *meshes, const char *arg);
const char *pose_eval_load (PoseEvalMeshes *meshes, const char **path);
const PoseEvalMesh *pose_eval_mesh (const PoseEvalMeshes *meshes, int object);
const char *pose_eval_read_depth (PoseEvalImage *image, const char *path);
void pose_eval_free (PoseEvalMeshes *meshes, PoseEvalImage *image);

/* Mean distances of vertices, metres: to themselves, and to the nearest one. */
void pose_eval_add (const Mesh *mesh, const PoseEvalPose *estimate,
    const PoseEvalPose *truth, double *add, double *add_s);

/* Visible surface discrepancy, 0 to 1, the mean over tolerances of 5 to 50 % of
 * the diameter; delta is 15 mm. */
double pose_eval_vsd (const PoseEvalImage *image, const PoseEvalMesh *mesh,
    const PoseEvalPose *estimate, const PoseEvalPose *truth);
