/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Distances of many boxes in which a target may be.  Host code. */
#pragma once

#include "emdtrack/emdtrack_model.h"

/* About the most pixels of a region that are counted. */
#define EMDTRACK_REGION_SAMPLES 4096

/* A box around (@cx, @cy), pixels. */
typedef struct {
  double cx, cy, width, height;
  double distance; /* 0: alike, to 1: all mass moves the maximum distance; 2:
                      too little of the box is in the frame */
  const uint32_t *counts; /* of its pixels, if `distance` is a lower bound only;
                             else NULL */
  int look;               /* its number in `looks` of the search */
} EmdtrackCandidate;

typedef struct {
  EmdtrackModel *model;
  int n;
  const uint32_t *looks; /* counts of several regions of each candidate, or
                            NULL; until the next count */
  EmdtrackCandidate candidate[EMDTRACK_REGIONS];
  EmdtrackRegion region[EMDTRACK_REGIONS];
  int of[EMDTRACK_REGIONS]; /* the candidate to which a region belongs */
} EmdtrackSearch;

/* Adds boxes of @like's size times @scale, with centres on a grid of @step
 * pixels in @centres.  Boxes without room are left out. */
void emdtrack_search_grid (EmdtrackSearch *search,
    const EmdtrackCandidate *like, double scale, const double centres[4],
    double step);

/* Finds bounds of the distances of all candidates: the best known bounds, or
 * any that exceed @enough.  Until the next count on @emdtrack, the functions
 * below compute the exact distances that they need.  The first @n_looks of
 * search->region are counted with them, and then search->looks. */
const char *emdtrack_search_run (EmdtrackSearch *search, Emdtrack *emdtrack,
    EmdtrackModel *model, double enough, int width, int height, int n_looks);

/* Makes the distances exact of all candidates that may be at most @limit
 * away. */
void emdtrack_search_within (EmdtrackSearch *search, double limit);

/* The first candidate with the smallest distance among those for which @may is
 * true; NULL if there is none. */
const EmdtrackCandidate *emdtrack_search_min (EmdtrackSearch *search,
    bool (*may) (const EmdtrackCandidate *candidate, const void *data),
    const void *data);

/* The candidate in the frame with the smallest distance, of equal ones the one
 * closest to (@cx, @cy); NULL if no candidate is in the frame. */
const EmdtrackCandidate *emdtrack_search_best (
    EmdtrackSearch *search, double cx, double cy);

/* The region of a box. */
EmdtrackRegion emdtrack_box_region (const EmdtrackCandidate *c);
