/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which blob of a colour is which of its tracks. */
#pragma once

#include "moct/moct_filter.h"

/* For comparison functions, one key after the other: returns from the function
 * where @a and @b differ. */
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
  MoctSum seen[MOCT_MAX_OBJECTS]; /* n 0: of no pair */
} MoctGroup;

/* Takes out tracks that meet in one blob, and that blob. */
void moct_group_merge (MoctGroup *group);

/* Pairs what is left, nearest first, adds to each pair the other parts of the
 * object, and corrects the tracks. */
void moct_group_pair (MoctGroup *group, double gate);

C_END
