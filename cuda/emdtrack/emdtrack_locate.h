/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Locates one target in one frame.  Host code. */
#pragma once

#include "emdtrack/emdtrack_search.h"
#include "emdtrack/emdtrack_track.h"

#define EMDTRACK_PARTS 4
#define EMDTRACK_SCALES 5 /* the most */

/* The left, right, upper and lower half of a target.  They show its place and
 * size if the whole has nearly the same histogram at many places. */
typedef struct {
  bool known; /* false for a target given by its histogram */
  EmdtrackTarget target[EMDTRACK_PARTS];
  EmdtrackModel model[EMDTRACK_PARTS];
} EmdtrackParts;

/* The appearance of a target in the last frame, if it was seen there. */
typedef struct {
  EmdtrackTarget target;
  EmdtrackModel model;
  EmdtrackParts parts; /* known: the target was seen */
  double weight;       /* weight of this appearance in a misfit, 0 to 1; the
                          rest is the weight of the appearance when the target
                          was chosen */
} EmdtrackAppearance;

/* The difference between a target's bins and those of its surroundings.  Each
 * share is a part of all pixels: those of one row add up to 1. */
typedef struct {
  bool known; /* false for a target given by its histogram, and for grey values,
                 whose bins were not chosen by the target */
  double first[EMDTRACK_BINS];     /* shares in the target when it was chosen */
  double inside[EMDTRACK_BINS];    /* shares in the target in the last frames */
  double outside[EMDTRACK_BINS];   /* shares around it in the last frames */
  double belonging[EMDTRACK_BINS]; /* near 1: a bin of the target alone; near 0:
                                      of the surroundings alone */
  double margin; /* of the target's box in the frame in which it was chosen;
                    emdtrack_locate_margin () finds it */
} EmdtrackContrast;

typedef struct {
  EmdtrackSearch *search; /* the candidates */
  Emdtrack *emdtrack;
  const EmdtrackTrackParams *params;
  EmdtrackModel *model;
  EmdtrackParts *parts;
  EmdtrackAppearance *lately;
  EmdtrackContrast *contrast;
  int width, height; /* of the frame */
} EmdtrackLocator;

static inline EmdtrackCandidate
emdtrack_track_box (const EmdtrackTrack *t)
{
  return (EmdtrackCandidate){(t->x0 + t->x1) / 2, (t->y0 + t->y1) / 2,
      t->x1 - t->x0, t->y1 - t->y0, 2, NULL, 0};
}

/* Finds the best place for @track on a coarse grid of @step pixels, around the
 * expected place or, if the target is lost, in the whole frame.  The distance
 * of @best exceeds 1 if there is no place.  @ratio: as in a track. */
const char *emdtrack_locate_coarsely (EmdtrackLocator *l,
    const EmdtrackTrack *track, EmdtrackCandidate *best, double *step,
    double *ratio);

/* Whether contrast tells where the target is. */
static inline bool
emdtrack_uses_contrast (const EmdtrackLocator *l)
{
  return l->contrast->known && l->params->contrast > 0;
}

/* Sets @around to the counts of the surroundings: those of the second region
 * less those of the first one, the target's.  The kernels of both are 256 in
 * the middle.  Returns whether there are any. */
bool emdtrack_count_surroundings (
    const uint32_t *counts, uint32_t around[EMDTRACK_BINS]);

/* Moves @best to the candidate of the coarse grid whose misfit is least, if the
 * target's contrast is known. */
const char *emdtrack_locate_by_misfit (
    EmdtrackLocator *l, EmdtrackCandidate *best);

/* Half @k of a box. */
EmdtrackRegion emdtrack_box_part (const EmdtrackCandidate *c, int k);

/* Finds the place near @best, which was found on a grid of @step pixels, that
 * fits best.  Its distance exceeds 1 if there is none. */
const char *emdtrack_locate_finely (
    EmdtrackLocator *l, EmdtrackCandidate *best, double step);

/* Searches the whole frame for boxes of @like's size whose distance may be at
 * most @limit. */
const char *emdtrack_locate_everywhere (
    EmdtrackLocator *l, const EmdtrackCandidate *like, double limit);

/* Size @k of @n sizes with ratios of @step, as a factor; that of the middle one
 * is 1. */
double emdtrack_scale (int n, double step, int k);

/* Looks at @n sizes of a target at @at.  The @n_more regions in @more are
 * counted, too: *@counts. */
const char *emdtrack_look_at_sizes (EmdtrackLocator *l,
    const EmdtrackCandidate *at, int n, double step, const EmdtrackRegion *more,
    int n_more, const uint32_t **counts);

/* The mean belonging of the pixels of the middle size less that of the pixels
 * around it. */
double emdtrack_locate_margin (const EmdtrackLocator *l);

/* Sets @best to the number of the size that fits best. */
const char *emdtrack_locate_size (EmdtrackLocator *l, int *best);
