/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looking for one target in one frame.  Host code. */
#pragma once

#include "emdtrack/emdtrack_search.h"
#include "emdtrack/emdtrack_track.h"

#define EMDTRACK_PARTS 4
#define EMDTRACK_SCALES 5 /* the most */

/* The left, right, upper and lower half of a target, which tell its place and
 * size where the histogram of the whole is nearly the same. */
typedef struct {
  bool known; /* not of a target given by its histogram */
  EmdtrackTarget target[EMDTRACK_PARTS];
  EmdtrackModel model[EMDTRACK_PARTS];
} EmdtrackParts;

/* How a target looked in the last frame, if it was seen there. */
typedef struct {
  EmdtrackTarget target;
  EmdtrackModel model;
  EmdtrackParts parts; /* known: it was seen */
  double weight;       /* of this in a misfit, 0 to 1; the rest is that of how
                          the target looked when it was chosen */
} EmdtrackLately;

typedef struct {
  EmdtrackSearch *search; /* where candidates are put */
  Emdtrack *emdtrack;
  const EmdtrackTrackParams *params;
  EmdtrackModel *model;
  EmdtrackParts *parts;
  EmdtrackLately *lately;
  int width, height; /* of the frame */
} EmdtrackLooking;

static inline EmdtrackCandidate
emdtrack_box_of (const EmdtrackTrack *t)
{
  return (EmdtrackCandidate){(t->x0 + t->x1) / 2, (t->y0 + t->y1) / 2,
      t->x1 - t->x0, t->y1 - t->y0, 2, NULL};
}

/* The best place for @track on a coarse grid of @step pixels, around where it
 * is expected or, of a lost one, in the whole frame; its distance exceeds 1 if
 * there is none.  @ratio: as in a track. */
const char *emdtrack_look_coarsely (EmdtrackLooking *l,
    const EmdtrackTrack *track, EmdtrackCandidate *best, double *step,
    double *ratio);

/* Half @k of a box. */
EmdtrackRegion emdtrack_part_of (const EmdtrackCandidate *c, int k);

/* The place near @best, found on a grid of @step pixels, that fits best; its
 * distance exceeds 1 if there is none. */
const char *emdtrack_look_closely (
    EmdtrackLooking *l, EmdtrackCandidate *best, double step);

/* Searches for boxes like @like in all of the frame that may be as near as
 * @limit. */
const char *emdtrack_look_everywhere (
    EmdtrackLooking *l, const EmdtrackCandidate *like, double limit);

/* The size that fits best at @at, of @n whose ratios are @step, as a factor. */
const char *emdtrack_look_at_scales (EmdtrackLooking *l,
    const EmdtrackCandidate *at, int n, double step, double *scale);
