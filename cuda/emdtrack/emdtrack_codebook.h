/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Codebooks: the colours or spectra of a target and its surroundings.  The
 * paper has histograms of channels; a region's histogram over a codebook is
 * what the tracker compares. */
#pragma once

#include "emdtrack/emdtrack.h"

C_BEGIN

/* Learns 2 to 16 @entries by k-means from the pixels of @box of @frame, which
 * count three times, and from the pixels around it, up to the box's own length
 * away.  The same frame gives the same codebook: of colours for EMDTRACK_PLAIN,
 * else of spectra.  Waits for the device. */
const char *emdtrack_codebook_learn (const Device *device,
    const EmdtrackFrame *frame, ImageBox box, int entries,
    EmdtrackCodebook *book);

/* The most views: a frame, and a picture for each target. */
#define EMDTRACK_VIEWS (EMDTRACK_TARGETS + 1)

/* The pixels of a frame that count.  Boxes are half-open; their parts outside
 * of the frame do not count. */
typedef struct {
  const EmdtrackFrame *frame; /* in the device's memory */
  ImageBox around;            /* each of its pixels counts once */
  ImageBox box;               /* each of its pixels counts `weight` times
                                 instead; may be empty */
  int weight;                 /* at least 1 */
} EmdtrackView;

/* Learns a codebook from @n views, 1 to EMDTRACK_VIEWS: pictures of targets,
 * and frames in which they are searched.  All views have the same channels, and
 * count in equal parts as far as they have pixels. */
const char *emdtrack_codebook_learn_views (const Device *device,
    const EmdtrackView *views, int n, int entries, EmdtrackCodebook *book);

C_END
