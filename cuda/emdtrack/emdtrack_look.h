/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looking for one target in one frame.  Host code. */
#pragma once

#include "emdtrack/emdtrack_search.h"
#include "emdtrack/emdtrack_track.h"

typedef struct {
  EmdtrackSearch *search; /* where candidates are put */
  Emdtrack *emdtrack;
  const EmdtrackTrackParams *params;
  EmdtrackModel *model;
  int width, height; /* of the frame */
} EmdtrackLooking;

static inline EmdtrackCandidate
emdtrack_box_of (const EmdtrackTrack *t)
{
  return (EmdtrackCandidate){(t->x0 + t->x1) / 2, (t->y0 + t->y1) / 2,
      t->x1 - t->x0, t->y1 - t->y0, 2};
}

/* The best place for @track on a coarse grid of @step pixels, around where it
 * is expected or, of a lost one, in the whole frame; its distance exceeds 1
 * where there is none.  @ratio: as in a track. */
const char *emdtrack_look_coarsely (EmdtrackLooking *l,
    const EmdtrackTrack *track, EmdtrackCandidate *best, double *step,
    double *ratio);

/* The best place within @step pixels of @best. */
const char *emdtrack_look_closely (
    EmdtrackLooking *l, EmdtrackCandidate *best, double step);

/* Brings @best nearer to the size that fits best. */
const char *emdtrack_look_at_scales (
    EmdtrackLooking *l, EmdtrackCandidate *best);
