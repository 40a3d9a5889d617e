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

/* ---- Several tracks in one blob ---- */

static bool
inside (const MoctTrack *t, const ImageBox *box)
{
  return t->x >= box->x0 && t->x < box->x1 && t->y >= box->y0 && t->y < box->y1;
}

static int
find_members (const MoctGroup *g, const ImageBox *box, int *members)
{
  int n = 0;

  for (int t = 0; t < g->n_tracks; t++)
    if (!g->track_done[t] && inside (&g->tracks[t], box))
      members[n++] = t;
  return n;
}

/* Tracks that have met: a blob clearly larger than each of them, and not larger
 * than all together. */
static bool
have_met (const MoctGroup *g, const int *members, int n, const MoctSum *sum)
{
  double all = 0, largest = 0;

  for (int i = 0; i < n; i++) {
    all += g->tracks[members[i]].area;
    largest = fmax (largest, g->tracks[members[i]].area);
  }
  return n > 1 && sum->n > 1.15 * largest && sum->n < 1.25 * all;
}

/* The middle, along one axis, of a member of length @length predicted at @at,
 * in a blob from @lo to @hi.  @first, @last: it reaches the farthest that
 * way, so that the blob's side is its own.  NAN: nothing is known. */
static double
place_along (
    double at, double length, double lo, double hi, bool first, bool last)
{
  double least = lo + length / 2 - .5, most = hi - length / 2 - .5;

  if (least > most)
    return (lo + hi - 1) / 2;
  if (first && last)
    return (least + most) / 2;
  if (first || at < least)
    return least;
  return last || at > most ? most : NAN;
}

typedef struct {
  double x0, y0, x1, y1;
} Reach;

static Reach
sides (const MoctTrack *t)
{
  return (Reach){t->x - t->width / 2, t->y - t->height / 2, t->x + t->width / 2,
      t->y + t->height / 2};
}

/* The centroid of such a blob is no one's, but each of its sides is the side
 * of the member that reaches the farthest that way. */
static void
place_members (MoctGroup *g, const int *members, int n, const ImageBox *box)
{
  Reach all = sides (&g->tracks[members[0]]);

  for (int i = 1; i < n; i++) {
    Reach r = sides (&g->tracks[members[i]]);

    all = (Reach){fmin (all.x0, r.x0), fmin (all.y0, r.y0), fmax (all.x1, r.x1),
        fmax (all.y1, r.y1)};
  }
  for (int i = 0; i < n; i++) {
    MoctTrack *t = &g->tracks[members[i]];
    Reach r = sides (t);

    moct_track_place (t,
        place_along (
            t->x, t->width, box->x0, box->x1, r.x0 <= all.x0, r.x1 >= all.x1),
        place_along (
            t->y, t->height, box->y0, box->y1, r.y0 <= all.y0, r.y1 >= all.y1));
    t->merged = true;
    g->track_done[members[i]] = true;
  }
}

void
moct_group_merge (MoctGroup *g)
{
  int members[MOCT_MAX_OBJECTS];

  for (int b = 0; b < g->n_blobs; b++) {
    const MoctSum *sum = &g->blobs[b].sum;
    int n = find_members (g, &sum->box, members);

    if (!have_met (g, members, n, sum))
      continue;
    place_members (g, members, n, &sum->box);
    g->blob_done[b] = true;
  }
  for (int t = 0; t < g->n_tracks; t++)
    g->tracks[t].merged &= g->track_done[t];
}

/* ---- One track, one blob ---- */

static void
pair (MoctGroup *g, const Pair *p)
{
  if (g->track_done[p->track] || g->blob_done[p->blob])
    return;
  g->track_done[p->track] = g->blob_done[p->blob] = true;
  g->seen[p->track] = g->blobs[p->blob].sum;
  moct_track_grow (&g->tracks[p->track], &g->seen[p->track]);
}

/* Something in front can cut an object into parts: they, and nothing else, make
 * it no larger than it was. */
static bool
is_part (const MoctTrack *t, const MoctSum *seen, const MoctSum *part)
{
  double most = 1.1 * hypot (t->width, t->height);
  MoctSum both = *seen;

  moct_sum_add (&both, part);
  return both.n < 1.1 * t->area && both.box.x1 - both.box.x0 < most &&
      both.box.y1 - both.box.y0 < most;
}

static void
add_parts (MoctGroup *g, int track)
{
  for (int b = 0; b < g->n_blobs; b++)
    if (!g->blob_done[b] &&
        is_part (&g->tracks[track], &g->seen[track], &g->blobs[b].sum)) {
      moct_sum_add (&g->seen[track], &g->blobs[b].sum);
      g->blob_done[b] = true;
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
    pair (g, &pairs[i]);
  for (int t = 0; t < g->n_tracks; t++)
    if (g->seen[t].n) {
      add_parts (g, t);
      moct_track_correct (&g->tracks[t], &g->seen[t]);
      g->tracks[t].missed = -1; /* count () makes it 0 */
    }
}
