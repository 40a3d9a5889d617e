/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Targets tracked from frame to frame: the box whose histogram over a codebook
 * has the minimum earth mover's distance from the target's.  The paper stops at
 * the distance of every pixel; how targets are followed is this project's. */
#pragma once

#include "emdtrack/emdtrack.h"

C_BEGIN

typedef enum {
  EMDTRACK_TRACKING,
  EMDTRACK_OCCLUDED, /* not seen for fewer frames than lose_frames: the box is
                        predicted by its velocity */
  EMDTRACK_LOST,     /* not seen; the whole frame is searched.  The box is where
                        it was last seen */
  EMDTRACK_FOUND,    /* seen again, for fewer than five frames: it may still
                        prove to be something else */
} EmdtrackState;

/* Meanings, ranges and defaults: emdtrack_params.c.  Distances are parts of the
 * maximum ground distance, or its saturation: 0 alike, 1 nothing in common. */
typedef struct {
  double search;
  int scales;
  double scale_step, occlude, resume; /* resume <= occlude */
  int lose_frames;
  double template_update;
} EmdtrackTrackParams;

extern const Param emdtrack_track_params[];
EmdtrackTrackParams emdtrack_track_defaults (void);

/* Pixels; y down; boxes half-open. */
typedef struct {
  uint64_t id; /* from 1, never used again by this tracker */
  EmdtrackState state;
  double x0, y0, x1, y1;
  double distance; /* 0 to 1; of the best place, even if it was not taken */
  double score;    /* 1 - distance */
  double ratio;    /* distance of the best place by that of the best one apart
                      from it: 0 sure, 1 a toss-up; 0 if there is none */
  double vx, vy;   /* pixels a frame */
  int unseen;      /* frames since it was seen */
  uint64_t age;    /* frames since it was chosen */
  EmdtrackTarget target; /* its histogram: for a map of it */
} EmdtrackTrack;

typedef struct _EmdtrackTracker EmdtrackTracker;

const char *emdtrack_tracker_new (EmdtrackTracker **self);
void emdtrack_tracker_free (EmdtrackTracker *self);

/* NULL, or what is wrong with @params. */
const char *emdtrack_track_check (const EmdtrackTrackParams *params);

/* What is in @box of the last frame of @emdtrack is a target; at most
 * EMDTRACK_TARGETS at once.  The sides of @box are up to 2 EMDTRACK_MAX_SIDE.
 * Where a function wants an Emdtrack, its last call was emdtrack_index() or
 * emdtrack_run() with CODEBOOK or INTENSITY and the
 * @params given here. */
const char *emdtrack_tracker_add (EmdtrackTracker *self, Emdtrack *emdtrack,
    const EmdtrackParams *params, ImageBox box, uint64_t *id);

/* A target known by its histogram and size, pixels: lost until it is found. */
const char *emdtrack_tracker_add_target (EmdtrackTracker *self,
    const EmdtrackParams *params, const EmdtrackTarget *target, double width,
    double height, uint64_t *id);

/* Forgets a target; nothing happens if there is none of that id. */
void emdtrack_tracker_remove (EmdtrackTracker *self, uint64_t id);

/* Finds all targets in the last frame of @emdtrack.  @tracks, in the order in
 * which they were added, stay until the next call. */
const char *emdtrack_tracker_run (EmdtrackTracker *self, Emdtrack *emdtrack,
    const EmdtrackParams *params, const EmdtrackTrackParams *track_params,
    const EmdtrackTrack **tracks, int *n_tracks);

C_END
