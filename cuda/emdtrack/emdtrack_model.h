/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a target looks like, and how far regions are from it: exact, at a mass
 * of 4096.  Host code.
 *
 * A tree that was optimal once bounds the distance of every histogram from
 * below (weak duality).  A bound costs a twentieth of a distance, so those who
 * look for the nearest of many regions ask for bounds first. */
#pragma once

#include "emdtrack/emdtrack_set.h"

#define EMDTRACK_REGION_MASS 4096 /* to which regions are normalised */
#define EMDTRACK_KEPT 8

#define EMDTRACK_NODES (2 * EMDTRACK_BINS)

/* A tree, what is made of it once, and when it last was of use.  Of its nodes
 * source i is i, and sink j is EMDTRACK_BINS + j. */
typedef struct {
  EmdtrackTree tree;
  uint32_t next[EMDTRACK_NODES]; /* nodes that arcs lead to, as bits */
  /* Its arcs, those farther out first; the last one leads from the root,
   * source 0, to node EMDTRACK_NODES, which is none. */
  uint8_t outer[EMDTRACK_NODES], inner[EMDTRACK_NODES];
  int16_t u[EMDTRACK_BINS]; /* true duals of the sources, less their median */
  int32_t rest, max_off;    /* the bound is sum of u s + rest - max_off */
  uint64_t used;
} EmdtrackKept;

/* Ground distances, which all models of a frame share. */
typedef struct {
  int n, farthest; /* bins; the maximum distance */
  uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS];
} EmdtrackGround;

typedef struct {
  EmdtrackGround ground;
  EmdtrackTarget target;
  EmdtrackProblem problem; /* of these, at EMDTRACK_REGION_MASS */
  int n_kept;              /* 1 or more */
  EmdtrackKept kept[EMDTRACK_KEPT];
  uint64_t now; /* distances that were found */
} EmdtrackModel;

/* NULL, or what is wrong with @params. */
const char *emdtrack_ground_set (
    EmdtrackGround *ground, const EmdtrackParams *params);

/* The model of @target; nothing to do if it has not changed. */
void emdtrack_model_set (EmdtrackModel *model, const EmdtrackGround *ground,
    const EmdtrackTarget *target);

/* How far @counts, which are not all 0, are from it, 0 to 1. */
double emdtrack_model_distance (EmdtrackModel *model, const uint32_t *counts);

/* At most that, and at least 0: the best bound that is known, or the first that
 * exceeds @enough. */
double emdtrack_model_bound (
    const EmdtrackModel *model, const uint32_t *counts, double enough);
