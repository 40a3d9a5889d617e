/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of poses in files: BOP's CSV, and lines of visionjson. */
#pragma once

#include <stdio.h>

#include "pose_eval.h"

#define POSE_FILE_WHERE 512 /* bytes of the text that says where */

/* Facts that lines of visionjson do not contain. */
typedef struct {
  int scene;                    /* number of the scene */
  int first;                    /* number of the image of frame 0 */
  const PoseEvalMeshes *meshes; /* names of their files are labels */
} PoseFileLines;

/* Appends a pose of zeros to @list, and returns it; NULL: out of memory. */
PoseEvalPose *pose_file_add (PoseEvalList *list);

/* Whether @r is a rotation and no reflection: rows of length 1 and at right
 * angles, to a few digits. */
bool pose_file_is_turn (const double r[9]);

/* Returns NULL, or what is wrong with @pose: no rotation, or numbers that are
 * not finite. */
const char *pose_file_check (const PoseEvalPose *pose);

/* Reads @path.  After an error, @where is the place of the error.  Sets @image
 * to the camera of lines; it may be NULL. @is_truth: reads the truth of lines,
 * if they have a truth. */
const char *pose_file_read (PoseEvalList *list, const char *path,
    const PoseFileLines *lines, bool is_truth, PoseEvalImage *image,
    char where[POSE_FILE_WHERE]);

/* Writes @list as BOP's CSV. */
void pose_file_write (const PoseEvalList *list, FILE *to);
