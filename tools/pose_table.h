/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Estimates against true poses: which estimates are right, and a table of the
 * results. */
#pragma once

#include "pose_bop.h"
#include "pose_eval.h"

/* A pairing: an estimate and a true pose of the same object in the same
 * image. */
typedef struct {
  size_t estimate, truth; /* their numbers */
  PoseEvalErrors errors;
} PoseTablePairing;

/* Estimates of a method and the true poses of the same images, both in order of
 * scene, image and object; estimates of one object begin with the surest. */
typedef struct {
  const char *name;
  PoseEvalList estimates, truth;
  PoseTablePairing *pairing; /* in the order of estimates */
  size_t n_pairings;
} PoseTableRow;

/* Sorts the lists of @row and measures its pairings, and the visible part of
 * true poses for which it is not given.  Images that are not in @views have the
 * camera @other and no depth.  With @no_depth, pictures of depth give the
 * frame's size alone. */
const char *pose_table_measure (PoseTableRow *row, PoseEvalMeshes *meshes,
    const PoseBopViews *views, const PoseEvalImage *other, bool no_depth,
    char where[POSE_FILE_WHERE]);

/* Prints a row for each of @n rows and, if there are several, one for all. */
const char *pose_table_print (
    const PoseTableRow *rows, int n, PoseEvalMeshes *meshes, FILE *to);
void pose_table_free (PoseTableRow *row);
