/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One track: a constant-velocity Kalman filter over the centroid, and what is
 * known of the object.  Its two axes see the same noise at the same times, so
 * that one covariance serves both. */
#pragma once

#include "moct/moct_core.h"

C_BEGIN

#define MOCT_YOUNG 10 /* frames: its size is not known yet */

typedef struct {
  uint64_t id; /* 0: unconfirmed */
  int colour, slot;
  int seen, missed;           /* frames in a row */
  int known;                  /* frames in which it was seen, to MOCT_YOUNG */
  int reported;               /* frames since it was confirmed */
  bool lost, merged;          /* merged: one of several in a blob */
  double x, y, vx, vy;        /* filter: pixels, pixels a second */
  double pp, pv, vv;          /* its covariance, of either axis */
  double cx, cy;              /* newest position: measured, else predicted */
  double width, height, area; /* when nothing hides it, and perhaps something
                                 else is with it */
  double own;                 /* area that is surely its own */
  double age;
  uint32_t history, frames; /* bit i: seen i frames ago; frames of its life */
  MoctSum sum;              /* when last seen */
  MoctSum whole;            /* when last seen whole; n 0: not yet */
} MoctTrack;

/* Of pixels: the centroid, and the axes of the ellipse with the same second
 * moments. */
double moct_sum_cx (const MoctSum *sum);
double moct_sum_cy (const MoctSum *sum);
void moct_sum_shape (
    const MoctSum *sum, double *orientation, double *elongation);

void moct_track_begin (MoctTrack *track, int colour, const MoctSum *sum);
/* @dt seconds on. */
void moct_track_predict (MoctTrack *track, double dt);
/* A blob of nothing but it was seen, perhaps not all of it. */
void moct_track_grow (MoctTrack *track, const MoctSum *sum);
/* It was seen, with all its parts. */
void moct_track_correct (MoctTrack *track, const MoctSum *sum);
/* Its middle was measured along x (axis 0), y (1): NAN where it was not. */
void moct_track_place (MoctTrack *track, double x, double y);
/* It is seen where it was placed, as it was when it was last seen whole, if
 * that is known and it does not reach over the left or upper side of the frame:
 * sums have no coordinates below 0. */
void moct_track_show (MoctTrack *track);
/* The longer side of its box when nothing hides it. */
double moct_track_size (const MoctTrack *track);
/* How far from its prediction, in pixels, it may be found. */
double moct_track_reach (const MoctTrack *track, double gate);
/* As it is reported. */
MoctObject moct_track_object (const MoctTrack *track);

C_END
