/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The noise model: how much less certain range, normal and colour are on a
 * slope and near a range edge.  b0 + (1 - b0) / (1 + exp (-b1 - b2 x)), with
 * the original's constants; of the noise of its sensor, a Kinect. */
#include "scopedetect/scopedetect_core.h"

/* b0, b1, b2: of the slope, then of the distance to an edge in metres. */
static const double model[SCOPEDETECT_CHANNELS][2][3] = {
    {{.2878, -5.6214, 7.7247}, {.3036, .2607, -125.8843}},   /* range */
    {{.1521, -7.1290, 10.7090}, {.1246, 1.4406, -185.8350}}, /* normal */
    {{.2238, -5.1827, 6.8242}, {.2461, .2624, -140.0192}},   /* L */
    {{.1618, -6.3992, 8.0207}, {.1494, .2114, -139.4324}},   /* a */
    {{.2313, -6.3463, 8.0651}, {.2165, .2600, -135.5203}}};  /* b */

static float
sigmoid (const double b[3], double x)
{
  return (float) (b[0] + (1 - b[0]) / (1 + exp (-b[1] - b[2] * x)));
}

void
scopedetect_set_noise (ScopedetectNoise *noise)
{
  for (int c = 0; c < SCOPEDETECT_CHANNELS; c++) {
    for (int k = 0; k < SCOPEDETECT_SLOPES; k++)
      noise->slope[c][k] = sigmoid (model[c][0], k / (SCOPEDETECT_SLOPES - 1.));
    for (int k = 0; k < 256; k++)
      noise->edge[c][k] =
          sigmoid (model[c][1], k * (double) SCOPEDETECT_EDGE_STEP);
  }
}
