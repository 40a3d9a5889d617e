/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The model of a target, and the distances of regions from it: exact, at a mass
 * of 4096.  Host code.
 *
 * A tree that was optimal for one histogram gives a lower bound of the distance
 * of every histogram (weak duality).  A bound costs a twentieth of a distance,
 * so a search for the nearest of many regions computes bounds first. */
#pragma once

#include "emdtrack/emdtrack_work.h"

/* Sum of the weights to which a region is normalised. */
#define EMDTRACK_REGION_MASS 4096
#define EMDTRACK_KEPT 8

#define EMDTRACK_NODES (2 * EMDTRACK_BINS)

/* A tree, the numbers that its bound needs, and when it was last used.  Node i
 * is source i, and node EMDTRACK_BINS + j is sink j. */
typedef struct {
  EmdtrackTree tree;
  uint32_t next[EMDTRACK_NODES]; /* nodes with an arc to this node, as bits */
  /* The arcs, from the leaves to the root.  The last one leads from the root,
   * source 0, to EMDTRACK_NODES, which is no node. */
  uint8_t outer[EMDTRACK_NODES], inner[EMDTRACK_NODES];
  int16_t u[EMDTRACK_BINS]; /* true duals of the sources, minus their median */
  int32_t rest, max_off;    /* the bound is sum of u s + rest - max_off */
  uint64_t used;
} EmdtrackKeptTree;

/* The ground distances of all models in a frame. */
typedef struct {
  int n, farthest; /* number of bins; the maximum distance */
  uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS];
} EmdtrackGround;

typedef struct {
  EmdtrackGround ground;
  EmdtrackTarget target;
  EmdtrackProblem problem; /* with these distances, at EMDTRACK_REGION_MASS */
  int n_kept;              /* 1 or more */
  EmdtrackKeptTree kept[EMDTRACK_KEPT];
  uint64_t now; /* number of distances found so far */
} EmdtrackModel;

/* Sets @ground.  Returns NULL, or what is wrong with @params. */
const char *emdtrack_ground_set (
    EmdtrackGround *ground, const EmdtrackParams *params);

/* Sets the model to @target, if it is not set to it. */
void emdtrack_model_set (EmdtrackModel *model, const EmdtrackGround *ground,
    const EmdtrackTarget *target);

/* The distance of @counts, which are not all 0, from the model: 0 to 1. */
double emdtrack_model_distance (EmdtrackModel *model, const uint32_t *counts);

/* A lower bound of that distance, at least 0: the best known bound, or the
 * first that exceeds @enough. */
double emdtrack_model_bound (
    const EmdtrackModel *model, const uint32_t *counts, double enough);
