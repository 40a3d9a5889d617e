/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One track: a constant-velocity Kalman filter over the centroid, and the size
 * and history of the object.  Both axes have the same noise at the same times,
 * so one covariance serves both. */
#pragma once

#include "moct/moct_core.h"

C_BEGIN

#define MOCT_YOUNG 10 /* frames after which a track's size is known */

typedef struct {
  uint64_t id; /* 0: not confirmed yet */
  int colour, slot;
  int seen, missed;           /* frames in a row */
  int known;                  /* frames in which the track was seen, at most
                                 MOCT_YOUNG */
  int reported;               /* frames since it was confirmed */
  bool lost, merged;          /* merged: the track shares a blob with others */
  double x, y, vx, vy;        /* state of the filter: pixels, pixels a second */
  double pp, pv, vv;          /* covariance of the filter, for either axis */
  double cx, cy;              /* the newest position: measured, else
                                 predicted */
  double width, height, area; /* of the visible object, and perhaps of another
                                 one that touches it */
  double own;                 /* area that surely belongs to the object */
  double age;
  uint32_t history, frames; /* bit i: seen i frames ago; frames since the track
                               began */
  MoctSum sum;              /* in the last frame in which the track was seen */
  MoctSum whole;            /* in the last frame in which all of it was seen; n
                               0: no such frame yet */
} MoctTrack;

/* The centroid of a sum of pixels, and the axes of the ellipse with the same
 * second moments. */
double moct_sum_cx (const MoctSum *sum);
double moct_sum_cy (const MoctSum *sum);
void moct_sum_shape (
    const MoctSum *sum, double *orientation, double *elongation);

void moct_track_begin (MoctTrack *track, int colour, const MoctSum *sum);
/* Predicts the track @dt seconds ahead. */
void moct_track_predict (MoctTrack *track, double dt);
/* Enlarges the track's size by a blob that shows this object alone, perhaps not
 * all of it. */
void moct_track_grow (MoctTrack *track, const MoctSum *sum);
/* Corrects the track by the sum of all its parts in this frame. */
void moct_track_correct (MoctTrack *track, const MoctSum *sum);
/* Corrects the track's middle, measured along x (axis 0) and y (1); NAN: not
 * measured along that axis. */
void moct_track_place (MoctTrack *track, double x, double y);
/* Marks the track as seen at its place, with the shape of the last frame in
 * which all of it was seen.  Does nothing if no such frame is known, or if the
 * shape would reach over the left or upper side of the frame: sums have no
 * coordinates below 0. */
void moct_track_show (MoctTrack *track);
/* The longer side of the object's box when nothing hides it. */
double moct_track_size (const MoctTrack *track);
/* The distance from its prediction, in pixels, up to which the track may be
 * found. */
double moct_track_reach (const MoctTrack *track, double gate);
/* The object that is reported for the track. */
MoctObject moct_track_object (const MoctTrack *track);

C_END
