/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether what looks like a target that was lost is that target.  Host code. */
#pragma once

#include "emdtrack/emdtrack_look.h"

#define EMDTRACK_PLACES 16

/* The centre of a box, and its distance from the target. */
typedef struct {
  double cx, cy, distance;
  int unseen; /* frames in which it was looked for since it was there */
} EmdtrackPlace;

/* What is remembered of a target. */
typedef struct {
  bool was_seen;          /* in a known place */
  EmdtrackCandidate last; /* when it was last surely seen */
  int away;               /* frames since then */
  int provisional;        /* frames until a find is sure */
  double growth;          /* logarithm of its size's, a frame */
  int n_sizes;            /* frames that `growth` is the mean of */
  EmdtrackParts parts;
  EmdtrackLately lately;
  int n_others;
  EmdtrackPlace other[EMDTRACK_PLACES]; /* what looks like it, and was seen
                                           elsewhere in the same frame */
} EmdtrackMemory;

/* Notes what looks like the target at @seen in the whole frame, but is
 * elsewhere.  Now and then: it costs a search of the frame. */
const char *emdtrack_again_survey (
    EmdtrackLooking *l, EmdtrackMemory *memory, const EmdtrackCandidate *seen);

/* Notes what looks like the target, which was expected at @near and is not
 * seen, but is too far away to be it.  It costs a search of the frame. */
const char *emdtrack_again_exclude (
    EmdtrackLooking *l, EmdtrackMemory *memory, const EmdtrackCandidate *near);

/* Of the candidates that were searched last, the one that can only be the
 * target, which was expected at @near; false if there is none. */
bool emdtrack_again_choose (const EmdtrackLooking *l, EmdtrackMemory *memory,
    const EmdtrackCandidate *near, bool everywhere, EmdtrackCandidate *found);
