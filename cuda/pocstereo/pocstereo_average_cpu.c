/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Means of phasors over frames. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"

#define PART 4096 /* numbers */

typedef struct {
  size_t n;
  int frames;
  int16_t *means;
  int8_t *phasors;
} Averaging;

static void
average_phasor_parts (void *data, int begin, int end)
{
  const Averaging a = *(const Averaging *) data;
  size_t last = (size_t) end * PART < a.n ? (size_t) end * PART : a.n;

  for (size_t i = (size_t) begin * PART; i < last; i++) {
    a.means[i] = pocstereo_average_phasor (a.means[i], a.phasors[i], a.frames);
    a.phasors[i] = pocstereo_mean_phasor (a.means[i]);
  }
}

const char *
pocstereo_average_cpu (
    const Device *dev, size_t n, int frames, int16_t *means, int8_t *phasors)
{
  Averaging a = {n, frames, means, phasors};

  (void) dev;
  parallel_for ((int) ((n + PART - 1) / PART), 0, average_phasor_parts, &a);
  return NULL;
}
