/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pairs the blobs of a colour with its tracks. */
#pragma once

#include "moct/moct_filter.h"

/* Compares by one key, in a comparison function: returns from it if @a and @b
 * differ. */
#define ORDER(a, b) \
 if ((a) != (b)) \
 return (a) < (b) ? -1 : 1

C_BEGIN

/* The tracks and blobs of one colour. */
typedef struct {
  MoctTrack *tracks;
  const MoctBlob *blobs;
  int n_tracks, n_blobs;
  bool track_done[MOCT_MAX_OBJECTS], blob_done[MOCT_MAX_OBJECTS];
  MoctSum seen[MOCT_MAX_OBJECTS]; /* n 0: the track has no blob */
} MoctGroup;

/* Finds tracks that share a blob, places them by the blob's sides, and marks
 * tracks and blob as done. */
void moct_group_merge (MoctGroup *group);

/* Pairs the other tracks and blobs, nearest first, adds to each pair the other
 * parts of the object, and corrects the tracks. */
void moct_group_pair (MoctGroup *group, double gate);

C_END
