/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The choice among offers along paths: rows to and fro, then columns down and
 * up. */
#include "common/parallel.h"
#include "common/vectors.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_paths_core.h"

#define KEPT POCSTEREO_KEPT
#define STRIP 16 /* columns that a thread follows at once */

/* The input and output of one view. */
typedef struct {
  int width, height, stride;
  const uint16_t *view; /* samples */
  const int32_t *offer;
  const uint16_t *donors;
  uint16_t *sum;
  const PocstereoMatch *before;
  const int32_t *median;
  PocstereoMatch *after;
  uint16_t min_peak;
} Paths;

/* Takes each cost in @next that is less by way of the offer @from, whose path
 * has the cost @path. */
INLINED void
come_from_offer (int32_t from, int32_t path, const int32_t to[KEPT],
    int32_t jump, int32_t next[KEPT])
{
#pragma omp simd
  for (int k = 0; k < KEPT; k++) {
    int32_t cost = path + pocstereo_step_cost (from, to[k], jump);

    next[k] = cost < next[k] ? cost : next[k];
  }
}

INLINED int32_t
lesser_cost (int32_t a, int32_t b)
{
  return a < b ? a : b;
}

/* Goes on to the pixel @at from its neighbour @from; @sample and @before are
 * their samples.  A path begins with costs of 0 and a step from its first pixel
 * to that pixel. */
INLINED void
follow_path (const Paths *p, size_t from, size_t at, int sample, int before,
    int32_t path[KEPT])
{
  const int32_t *offers = p->offer + KEPT * from, *to = p->offer + KEPT * at;
  int32_t jump = pocstereo_jump_cost (sample, before);
  int32_t least = lesser_cost (
      lesser_cost (path[0], path[1]), lesser_cost (path[2], path[3]));
  int32_t next[KEPT] = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
  uint16_t *sum = p->sum + KEPT * at;

  come_from_offer (offers[0], path[0], to, jump, next);
  come_from_offer (offers[1], path[1], to, jump, next);
  come_from_offer (offers[2], path[2], to, jump, next);
  come_from_offer (offers[3], path[3], to, jump, next);
#pragma omp simd
  for (int k = 0; k < KEPT; k++) {
    path[k] = pocstereo_offer_cost (to[k]) + next[k] - least;
    sum[k] = (uint16_t) (sum[k] + path[k]);
  }
}

VECTORS static void
follow_rows (void *data, int begin, int end)
{
  const Paths *p = data;

  for (int y = begin; y < end; y++) {
    const uint16_t *row = p->view + (size_t) y * p->stride;
    size_t at = (size_t) y * p->width, last = at + p->width - 1;
    int32_t right[KEPT] = {0}, left[KEPT] = {0};

    follow_path (p, at, at, 0, 0, right);
    for (int x = 1; x < p->width; x++)
      follow_path (p, at + x - 1, at + x, row[x], row[x - 1], right);
    follow_path (p, last, last, 0, 0, left);
    for (int x = p->width - 2; x >= 0; x--)
      follow_path (p, at + x + 1, at + x, row[x], row[x + 1], left);
  }
}

/* The columns from @x to before @end, from row @y on, @step rows at a time. */
INLINED void
follow_columns (const Paths *p, int x, int end, int y, int step)
{
  int32_t path[STRIP][KEPT] = {{0}};

  for (int last = y; y >= 0 && y < p->height; last = y, y += step) {
    const uint16_t *row = p->view + (size_t) y * p->stride;
    const uint16_t *before = p->view + (size_t) last * p->stride;
    size_t at = (size_t) y * p->width, from = (size_t) last * p->width;

    for (int i = x; i < end; i++)
      follow_path (p, from + i, at + i, row[i], before[i], path[i - x]);
  }
}

VECTORS static void
follow_strips (void *data, int begin, int end)
{
  const Paths *p = data;

  for (int n = begin; n < end; n++) {
    int x = n * STRIP;
    int last = x + STRIP < p->width ? x + STRIP : p->width;

    follow_columns (p, x, last, 0, 1);
    follow_columns (p, x, last, p->height - 1, -1);
  }
}

static void
take_best_offers (void *data, int begin, int end)
{
  const Paths *p = data;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < p->width; x++) {
      size_t at = (size_t) y * p->width + x;
      int best = pocstereo_least_sum (p->sum + KEPT * at);
      int donor = (p->donors[at] >> 4 * best & 15) - 1;

      p->after[at] = p->before[at];
      if (donor >= 0) {
        PocstereoPoint q = pocstereo_donor (
            pocstereo_offer_donors (), donor, x, y, p->width, p->height);
        size_t from = (size_t) q.y * p->width + q.x;

        p->after[at] =
            pocstereo_offered_match (p->before[from], p->median[from]);
      }
      pocstereo_drop_low_peak (p->min_peak, &p->after[at]);
    }
}

const char *
pocstereo_paths_cpu (const Device *dev, const PocstereoFrame *frame,
    uint16_t final_min_peak, PocstereoOffers *offers,
    PocstereoDenseMatches *matches)
{
  (void) dev;
  for (int v = 0; v < matches->n_views; v++) {
    Paths p = {matches->width, matches->height, frame->stride, frame->view[v],
        offers->offer[v], offers->donors[v], offers->sum[v], offers->match[v],
        offers->median[v], matches->view[v], final_min_peak};

    parallel_for (p.height, 0, follow_rows, &p);
    parallel_for ((p.width + STRIP - 1) / STRIP, 1, follow_strips, &p);
    parallel_for (p.height, 0, take_best_offers, &p);
  }
  return NULL;
}
