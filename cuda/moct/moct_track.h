/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From blobs to objects with an identity: which blob is which track, where a
 * track is when it is not seen, when it begins and ends.  Host only, and the
 * same for both backends. */
#pragma once

#include "moct/moct_core.h"

C_BEGIN

typedef struct _MoctTracks MoctTracks;

/* Room for @max tracks. */
MoctTracks *moct_tracks_new (int max);
void moct_tracks_free (MoctTracks *self);
void moct_tracks_reset (MoctTracks *self);
/* As moct_renumber (). */
void moct_tracks_renumber (MoctTracks *self, const int *now, int n);

/* Puts @blobs into the order in which they are used: by colour, and within one
 * the largest first.  A total order, whatever order they come in. */
void moct_sort_blobs (MoctBlob *blobs, int n);

/* One frame on: @blobs are sorted.  Writes the objects of this frame, by
 * colour and id, and returns their number. */
int moct_tracks_step (MoctTracks *self, const MoctParams *params,
    const MoctBlob *blobs, int n_blobs, double dt, MoctObject *objects);

/* Where colour @colour may be in the next frame, for methods that know no
 * blobs: the gate around its only track, or all of @region. */
ImageBox moct_tracks_window (
    const MoctTracks *self, const MoctParams *params, int colour);

/* A row of the trajectory history: a point for each track up to the last that
 * is in use.  Returns how many. */
int moct_tracks_points (const MoctTracks *self, MoctPoint *points);

C_END
