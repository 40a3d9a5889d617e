/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From blobs to objects with an identity: pairs blobs with tracks, predicts
 * tracks that are not seen, begins tracks and ends them.  For the host only,
 * and the same for both backends. */
#pragma once

#include "moct/moct_core.h"

C_BEGIN

typedef struct _MoctTracks MoctTracks;

/* Makes room for @max tracks. */
MoctTracks *moct_tracks_new (int max);
void moct_tracks_free (MoctTracks *self);
void moct_tracks_reset (MoctTracks *self);
/* Renumbers the colours of tracks, as moct_renumber () does. */
void moct_tracks_renumber (MoctTracks *self, const int *now, int n);

/* Sorts @blobs by colour, and the blobs of a colour by size, the largest first.
 * The order is total: the order of the input does not matter. */
void moct_sort_blobs (MoctBlob *blobs, int n);

/* Advances all tracks by one frame, with sorted @blobs.  Writes the objects of
 * this frame, by colour and id, and returns their number. */
int moct_tracks_step (MoctTracks *self, const MoctParams *params,
    const MoctBlob *blobs, int n_blobs, double dt, MoctObject *objects);

/* The window of @colour in the next frame, for methods without blobs: the gate
 * around the colour's only track, or all of @region. */
ImageBox moct_tracks_window (
    const MoctTracks *self, const MoctParams *params, int colour);

/* Writes a row of the trajectory history, with a point for each track up to the
 * last one in use.  Returns the number of points. */
int moct_tracks_points (const MoctTracks *self, MoctPoint *points);

/* The time of the newest frame: seconds since the first frame after the last
 * reset. */
double moct_tracks_time (const MoctTracks *self);

C_END
