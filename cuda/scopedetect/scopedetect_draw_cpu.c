/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Round 1 as the thesis has it (section 1.2): random features of the scene,
 * each with one of its neighbours, by chance. */
#include "common/random.h"
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect/scopedetect_round1.h"

/* The hypothesis that query @q is drawn to; false where even the nearest
 * feature is more than sigma away. */
static bool
draw (const ScopedetectWork *w, int m, int q, uint32_t *id)
{
  const ScopedetectShape *s = &w->model[m];
  int k = w->params.neighbours, d2[SCOPEDETECT_MAX_NEIGHBOURS], n = 0, at;
  size_t row = ((size_t) m * w->room_queries + (size_t) q) * (size_t) k;
  const int16_t *code =
      w->cloud.code + (size_t) scopedetect_query (w, q) * SCOPEDETECT_CODE;
  float sigma = s->feature_sigma * SCOPEDETECT_CODE_SCALE,
        sigma2 = sigma * sigma;
  uint64_t seed = w->params.seed + 1;

  for (; n < k && w->neighbour[row + (size_t) n] != UINT16_MAX; n++)
    d2[n] = scopedetect_code_distance_cpu (code,
        s->code + (size_t) w->neighbour[row + (size_t) n] * SCOPEDETECT_CODE);
  if (!n || (float) d2[0] > sigma2)
    return false;
  at = scopedetect_pick (d2, n, sigma2, random_unit (seed, 2 * (uint64_t) q));
  *id = ((uint32_t) q * (uint32_t) k + (uint32_t) at) * 2 +
      random_below (seed, 2 * (uint64_t) q + 1, 2);
  return true;
}

void
scopedetect_draw_cpu (ScopedetectWork *w)
{
  for (int m = 0; m < w->n_models; m++) {
    ScopedetectSample *out = w->sample + (size_t) m * SCOPEDETECT_MAX_KEPT;
    int n = 0;
    uint32_t id;

    for (int q = 0; q < w->n_queries && n < w->params.samples; q++)
      if (draw (w, m, q, &id)) {
        out[n].id = id;
        out[n].score = 0;
        out[n++].pose = scopedetect_hypothesis_cpu (w, m, id);
      }
    w->counts->n_samples[m] = n;
  }
}
