/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where in a frame a target may be: the distances of many boxes.  Host code. */
#pragma once

#include "emdtrack/emdtrack_set.h"

#define EMDTRACK_REGION_MASS 4096    /* to which regions are normalised */
#define EMDTRACK_REGION_SAMPLES 4096 /* about, the most that are counted */

/* What a target looks like. */
typedef struct {
  int n, farthest;         /* bins; the greatest distance */
  EmdtrackProblem problem; /* of EMDTRACK_REGION_MASS */
  EmdtrackTree tree;       /* the last optimum: where the next begins */
} EmdtrackModel;

/* A box around (@cx, @cy), pixels. */
typedef struct {
  double cx, cy, width, height;
  double distance; /* 0: alike, to 1: all mass has to go farthest; 2: too little
                      of the box is in the frame */
} EmdtrackCandidate;

typedef struct {
  int n;
  EmdtrackCandidate candidate[EMDTRACK_REGIONS];
  EmdtrackRegion region[EMDTRACK_REGIONS];
  int of[EMDTRACK_REGIONS]; /* the candidate of a region */
} EmdtrackSearch;

/* The model of @target under the ground distance of @params; nothing to do
 * where it is the same. */
const char *emdtrack_model_set (EmdtrackModel *model,
    const EmdtrackParams *params, const EmdtrackTarget *target);

/* How far @counts are from it, 0 to 1. */
double emdtrack_model_distance (EmdtrackModel *model, const uint32_t *counts);

/* Adds boxes like @like, their centres on a grid of @step pixels in @centres,
 * scaled by @scale; what has no room is left out. */
void emdtrack_search_grid (EmdtrackSearch *search,
    const EmdtrackCandidate *like, double scale, const double centres[4],
    double step);

/* Finds the distances of all candidates. */
const char *emdtrack_search_run (EmdtrackSearch *search, Emdtrack *emdtrack,
    EmdtrackModel *model, int width, int height);

/* The candidate that is most alike, of equal ones the one closest to (@cx,
 * @cy); NULL if none is in the frame. */
const EmdtrackCandidate *emdtrack_search_best (
    const EmdtrackSearch *search, double cx, double cy);

/* The pixels of a box. */
EmdtrackRegion emdtrack_region_of (const EmdtrackCandidate *c);
