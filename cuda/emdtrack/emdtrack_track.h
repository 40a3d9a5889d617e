/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tracks targets from frame to frame: finds the box whose histogram over a
 * codebook has the minimum earth mover's distance from the target's.  The paper
 * stops at the distance of every pixel; the tracker is this project's. */
#pragma once

#include "emdtrack/emdtrack.h"

C_BEGIN

typedef enum {
  EMDTRACK_TRACKING,
  EMDTRACK_OCCLUDED, /* not seen for fewer frames than lose_frames: the box is
                        predicted by its velocity */
  EMDTRACK_LOST,     /* not seen for longer: the whole frame is searched, and
                        the box is where the target was last seen */
  EMDTRACK_FOUND,    /* seen again for fewer than five frames: it may still
                        prove to be another thing */
} EmdtrackState;

/* Meanings, ranges and defaults: emdtrack_params.c.  Distances are parts of the
 * maximum ground distance, or of its saturation: 0 is alike, 1 nothing in
 * common. */
typedef struct {
  double search;
  int scales;
  double scale_step, occlude, resume; /* resume <= occlude */
  int lose_frames;
  double template_update, contrast;
} EmdtrackTrackParams;

extern const Param emdtrack_track_params[];
EmdtrackTrackParams emdtrack_track_defaults (void);

/* Pixels; y down; boxes half-open. */
typedef struct {
  uint64_t id; /* from 1; a tracker uses each id once */
  EmdtrackState state;
  double x0, y0, x1, y1;
  double distance; /* 0 to 1; of the best place, even if the target was not seen
                      there */
  double score;    /* 1 - distance */
  double ratio;    /* the best place's distance divided by that of the best
                      place apart from it: 0 is sure, 1 a draw; 0 if there is no
                      other place */
  double vx, vy;   /* pixels a frame */
  int unseen;      /* frames since the target was seen */
  uint64_t age;    /* frames since the target was chosen */
  EmdtrackTarget target; /* its histogram, for a map of the target */
} EmdtrackTrack;

typedef struct _EmdtrackTracker EmdtrackTracker;

const char *emdtrack_tracker_new (EmdtrackTracker **self);
void emdtrack_tracker_free (EmdtrackTracker *self);

/* Returns NULL, or what is wrong with @params. */
const char *emdtrack_track_check (const EmdtrackTrackParams *params);

/* Makes a target of @box in the last frame of @emdtrack; at most
 * EMDTRACK_TARGETS at once.  The sides of @box are up to 2 EMDTRACK_MAX_SIDE.
 * For each function with an Emdtrack, the last call on that was emdtrack_index
 * () or emdtrack_run () with CODEBOOK or INTENSITY and the @params given
 * here. */
const char *emdtrack_tracker_add (EmdtrackTracker *self, Emdtrack *emdtrack,
    const EmdtrackParams *params, ImageBox box, uint64_t *id);

/* Adds a target known by its histogram and size in pixels; it is lost until it
 * is recognised. */
const char *emdtrack_tracker_add_target (EmdtrackTracker *self,
    const EmdtrackParams *params, const EmdtrackTarget *target, double width,
    double height, uint64_t *id);

/* Forgets the target @id, if it exists. */
void emdtrack_tracker_remove (EmdtrackTracker *self, uint64_t id);

/* Finds all targets in the last frame of @emdtrack.  @tracks, in the order in
 * which targets were added, stay valid until the next call. */
const char *emdtrack_tracker_run (EmdtrackTracker *self, Emdtrack *emdtrack,
    const EmdtrackParams *params, const EmdtrackTrackParams *track_params,
    const EmdtrackTrack **tracks, int *n_tracks);

C_END
