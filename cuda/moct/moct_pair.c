/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moct/moct_pair.h"

#include <math.h>
#include <stdlib.h>

#include "moct/moct_order.h"

typedef struct {
  double cost;
  int track, blob;
} Pair;

static int
compare_pairs (const void *p, const void *q)
{
  const Pair *a = p, *b = q;

  ORDER (a->cost, b->cost);
  ORDER (a->track, b->track);
  ORDER (a->blob, b->blob);
  return 0;
}

/* Squared distance over the track's reach, and how much the size changed; more
 * than 1 where the blob is out of reach. */
static double
cost (const MoctTrack *t, const MoctSum *sum, double gate)
{
  double dx = moct_sum_cx (sum) - t->x, dy = moct_sum_cy (sum) - t->y;
  double r = moct_track_reach (t, gate), d = (dx * dx + dy * dy) / (r * r);
  double change = log ((double) sum->n / (double) t->sum.n);

  if (gate > 0 && d > 1)
    return 2;
  return (gate > 0 ? d : d / (1 + d)) * .8 + .2 * fmin (1, fabs (change) / 3);
}

static bool
inside (const MoctTrack *t, const ImageBox *box)
{
  return t->x >= box->x0 && t->x < box->x1 && t->y >= box->y0 && t->y < box->y1;
}

/* Where several tracks meet in one blob, its centroid is no one's: they keep
 * their predictions until they part. */
void
moct_group_merge (MoctGroup *g)
{
  for (int b = 0; b < g->n_blobs; b++) {
    int n = 0;

    for (int t = 0; t < g->n_tracks; t++)
      n += inside (&g->tracks[t], &g->blobs[b].sum.box);
    for (int t = 0; t < g->n_tracks && n > 1; t++)
      if (inside (&g->tracks[t], &g->blobs[b].sum.box) &&
          g->tracks[t].sum.n * 5 < g->blobs[b].sum.n * 4) {
        g->tracks[t].merged = true;
        g->track_done[t] = g->blob_done[b] = true;
      }
  }
}

void
moct_group_pair (MoctGroup *g, double gate)
{
  Pair pairs[MOCT_MAX_OBJECTS * MOCT_MAX_OBJECTS];
  int n = 0;

  for (int t = 0; t < g->n_tracks; t++)
    for (int b = 0; b < g->n_blobs; b++) {
      double c = cost (&g->tracks[t], &g->blobs[b].sum, gate);

      if (!g->track_done[t] && !g->blob_done[b] && c <= 1)
        pairs[n++] = (Pair){c, t, b};
    }
  qsort (pairs, n, sizeof *pairs, compare_pairs);
  for (int i = 0; i < n; i++)
    if (!g->track_done[pairs[i].track] && !g->blob_done[pairs[i].blob]) {
      g->track_done[pairs[i].track] = g->blob_done[pairs[i].blob] = true;
      moct_track_correct (
          &g->tracks[pairs[i].track], &g->blobs[pairs[i].blob].sum);
      g->tracks[pairs[i].track].missed = -1; /* count () makes it 0 */
    }
}
