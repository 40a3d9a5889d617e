/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folders of BOP data sets: scenes with true poses, and models. */
#pragma once

#include "pose_eval.h"
#include "pose_file.h"

/* An image of a scene: its camera, and the place of its depth. */
typedef struct {
  int scene, image;
  double fx, fy, cx, cy; /* pixels */
  double scale;          /* metres a unit of depth */
  bool has_depth;        /* the scene has pictures of depth */
  char *depth;           /* name of the picture */
} PoseBopView;

typedef struct {
  PoseBopView *view;
  size_t n, room;
} PoseBopViews;

/* Reads the scene in @folder (scene_gt.json; scene_camera.json and
 * scene_gt_info.json if they exist), or the scenes in its folders whose names
 * are numbers.  @scene is the number of a scene whose folder has no number as
 * its name. */
const char *pose_bop_read (PoseEvalList *truth, PoseBopViews *views,
    const char *folder, int scene, char where[POSE_FILE_WHERE]);

/* Adds the objects of @list that @meshes lacks: obj_000001.ply and so on in
 * @folder, with diameters and symmetries if the folder has a
 * models_info.json. */
const char *pose_bop_models (PoseEvalMeshes *meshes, const char *folder,
    const PoseEvalList *list, char where[POSE_FILE_WHERE]);

/* Returns NULL if the image has no view. */
const PoseBopView *pose_bop_view (
    const PoseBopViews *views, int scene, int image);
void pose_bop_free (PoseBopViews *views);
