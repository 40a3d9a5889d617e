/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Codebooks: the colours or spectra that a target and what is around it are
 * made of.  The paper has histograms of channels; those of a region over a
 * codebook are what can be tracked. */
#pragma once

#include "emdtrack/emdtrack.h"

C_BEGIN

/* K-means of the pixels of @box of @frame, which count three times, and of
 * those as far around it as it is long; 2 to 16 @entries.  The same frame gives
 * the same codebook.  Of colours for EMDTRACK_PLAIN, else of spectra.  Waits
 * for the device. */
const char *emdtrack_codebook_learn (const Device *device,
    const EmdtrackFrame *frame, ImageBox box, int entries,
    EmdtrackCodebook *book);

/* A frame, and a picture for each target. */
#define EMDTRACK_VIEWS (EMDTRACK_TARGETS + 1)

/* What of a frame counts.  Boxes are half-open pixels of it; what of them lies
 * outside is left out. */
typedef struct {
  const EmdtrackFrame *frame; /* in the device's memory */
  ImageBox around;            /* its pixels count once, */
  ImageBox box;               /* but those of this one, */
  int weight;                 /* >= 1, so often; it may be empty */
} EmdtrackView;

/* The same of @n views, 1 to EMDTRACK_VIEWS: targets known by pictures of them,
 * and frames in which they are looked for.  All have the same channels; what
 * they show counts in equal parts, as far as there are pixels. */
const char *emdtrack_codebook_learn_views (const Device *device,
    const EmdtrackView *views, int n, int entries, EmdtrackCodebook *book);

C_END
