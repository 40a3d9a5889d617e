/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows longer than POCSTEREO_OWN_WINDOW, whose phasors a library's
 * transforms find: what goes into these and what comes out, for both backends.
 * Transforms are rounded in different ways, so that a phasor may differ by a
 * 127th between the backends; all that follows is the same integers. */
#pragma once

#include "pocstereo/pocstereo_core.h"

/* Which of the window's samples a transform has at @i: from 0 on to the right,
 * then from the left up to 0, so that phases refer to the centre. */
BOTH int
pocstereo_sample_at (const PocstereoTables *t, int i)
{
  return i < t->half ? i : i - t->window;
}

/* Sample @n of the window around column @x of @row, windowed.  The centre's is
 * taken off all of them first, which a weighted mean does not mind: so a
 * constant line has no spectrum at all. */
BOTH float
pocstereo_windowed (
    const PocstereoTables *t, const uint16_t *row, int width, int x, int n)
{
  int sample = row[pocstereo_clamp (x + n, 0, width - 1)];
  int centre = row[pocstereo_clamp (x, 0, width - 1)];

  return (float) (sample - centre) * t->hann[n < 0 ? -n : n];
}

/* The phasor of frequency @k + 1, which is @re and @im.  The window's weighted
 * mean has a share in frequency 1 alone: half of what frequency 0, @zero, has.
 * What is weaker than about 1/1000 of a grey level may be the transform's own:
 * pocstereo_phasor () drops it. */
BOTH void
pocstereo_fourier_phasor (const PocstereoTables *t, int k, float re, float im,
    float zero, int8_t phasor[2])
{
  pocstereo_phasor (k ? re : re - .5f * zero, im, t->floor2, phasor);
}

/* The same of two lines, which one transform had as real and imaginary parts:
 * @zero, @at and @mirror are its frequencies 0, k + 1 and N - k - 1. */
BOTH void
pocstereo_fourier_phasors (const PocstereoTables *t, int k, const float zero[2],
    const float at[2], const float mirror[2], int8_t first[2], int8_t second[2])
{
  pocstereo_fourier_phasor (t, k, .5f * (at[0] + mirror[0]),
      .5f * (at[1] - mirror[1]), zero[0], first);
  pocstereo_fourier_phasor (t, k, .5f * (at[1] + mirror[1]),
      .5f * (mirror[0] - at[0]), zero[1], second);
}
