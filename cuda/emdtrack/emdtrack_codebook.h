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

C_END
