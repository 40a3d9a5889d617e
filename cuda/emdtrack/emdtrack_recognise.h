/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recognition of a lost target among things that look like it.  Host code. */
#pragma once

#include "emdtrack/emdtrack_locate.h"

#define EMDTRACK_PLACES 16

/* The centre of a box, and its distance from the target. */
typedef struct {
  double cx, cy, distance;
  int unseen; /* number of searches since a search last found it */
} EmdtrackPlace;

typedef struct {
  double mean; /* a frame, as a logarithm of size */
  int n;       /* number of frames in the mean */
} EmdtrackGrowth;

/* The state of a target that its track does not show. */
typedef struct {
  bool was_seen;          /* the target's place was known once */
  EmdtrackCandidate last; /* in the last frame in which the target was surely
                             seen */
  int away;               /* frames since that frame */
  int provisional;        /* frames until a recognised target is tracked
                             again */
  EmdtrackGrowth growth;
  EmdtrackContrast contrast;
  EmdtrackParts parts;
  EmdtrackAppearance lately;
  int n_others;
  EmdtrackPlace other[EMDTRACK_PLACES]; /* distractors: places that looked like
                                           the target in a frame that showed the
                                           target elsewhere */
} EmdtrackTrackState;

/* Searches the whole frame, in which the target is at @seen, for distractors.
 * Called now and then, because the search takes long. */
const char *emdtrack_survey_distractors (EmdtrackLocator *l,
    EmdtrackTrackState *memory, const EmdtrackCandidate *seen);

/* Searches the whole frame for distractors when the target, expected at @near,
 * is not seen: places that look like it and are too far away. */
const char *emdtrack_exclude_distractors (EmdtrackLocator *l,
    EmdtrackTrackState *memory, const EmdtrackCandidate *near);

/* Chooses among the candidates of the last search the only place that can show
 * the target, which was expected at @near.  Returns false if there is none. */
bool emdtrack_recognise (const EmdtrackLocator *l, EmdtrackTrackState *memory,
    const EmdtrackCandidate *near, bool everywhere, EmdtrackCandidate *found);
