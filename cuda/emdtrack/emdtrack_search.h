/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where in a frame a target may be: the distances of many boxes.  Host code. */
#pragma once

#include "emdtrack/emdtrack_model.h"

#define EMDTRACK_REGION_SAMPLES 4096 /* about, the most that are counted */

/* A box around (@cx, @cy), pixels. */
typedef struct {
  double cx, cy, width, height;
  double distance; /* 0: alike, to 1: all mass has to go farthest; 2: too little
                      of the box is in the frame */
  const uint32_t *counts; /* of its pixels, where `distance` is not known yet,
                             but a lower bound; else NULL */
} EmdtrackCandidate;

typedef struct {
  EmdtrackModel *model;
  int n;
  EmdtrackCandidate candidate[EMDTRACK_REGIONS];
  EmdtrackRegion region[EMDTRACK_REGIONS];
  int of[EMDTRACK_REGIONS]; /* the candidate of a region */
} EmdtrackSearch;

/* Adds boxes like @like, their centres on a grid of @step pixels in @centres,
 * scaled by @scale; what has no room is left out. */
void emdtrack_search_grid (EmdtrackSearch *search,
    const EmdtrackCandidate *like, double scale, const double centres[4],
    double step);

/* Finds bounds of the distances of all candidates, the best that are known or
 * some that exceed @enough.  Until the next count on @emdtrack, the functions
 * below find those distances that they need. */
const char *emdtrack_search_run (EmdtrackSearch *search, Emdtrack *emdtrack,
    EmdtrackModel *model, double enough, int width, int height);

/* Finds the distances of all that may be as near as @limit. */
void emdtrack_search_within (EmdtrackSearch *search, double limit);

/* Of the candidates that @may be it the first that is most alike; NULL if there
 * is none. */
const EmdtrackCandidate *emdtrack_search_min (EmdtrackSearch *search,
    bool (*may) (const EmdtrackCandidate *candidate, const void *data),
    const void *data);

/* The candidate in the frame that is most alike, of equal ones the one closest
 * to (@cx, @cy); NULL if none is in the frame. */
const EmdtrackCandidate *emdtrack_search_best (
    EmdtrackSearch *search, double cx, double cy);

/* The pixels of a box. */
EmdtrackRegion emdtrack_region_of (const EmdtrackCandidate *c);
