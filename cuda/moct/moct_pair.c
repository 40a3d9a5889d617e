/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moct/moct_pair.h"

#include <math.h>
#include <stdlib.h>


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

#define TOUCHING .9 /* of the areas of all: nothing is hidden */

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
    if (!g->track_done[t] && g->tracks[t].known >= MOCT_YOUNG &&
        inside (&g->tracks[t], box))
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
    all += g->tracks[members[i]].own;
    largest = fmax (largest, g->tracks[members[i]].own);
  }
  return n > 1 && sum->n > 1.15 * largest && sum->n < 1.25 * all;
}

/* They lie side by side: nothing of them is hidden. */
static bool
are_touching (const MoctGroup *g, const int *members, int n, const MoctSum *sum)
{
  double all = 0;

  for (int i = 0; i < n; i++)
    all += g->tracks[members[i]].own;
  return sum->n >= TOUCHING * all;
}

typedef struct {
  double x0, y0, x1, y1;
} Reach;

/* The box that a track had when it was seen whole, where it is predicted. */
static Reach
sides (const MoctTrack *t)
{
  const ImageBox *b = &t->whole.box;
  double dx, dy;

  if (!t->whole.n)
    return (Reach){t->x - t->width / 2, t->y - t->height / 2,
        t->x + t->width / 2, t->y + t->height / 2};
  dx = t->x - moct_sum_cx (&t->whole);
  dy = t->y - moct_sum_cy (&t->whole);
  return (Reach){b->x0 + dx, b->y0 + dy, b->x1 + dx, b->y1 + dy};
}

/* How far a side of the blob, from @lo to @hi, says that a member from @from to
 * @to lies from where it is predicted.  @first, @last: it reaches the farthest
 * that way, so that the blob's side is its own.  NAN: nothing is known. */
static double
shift_along (
    double from, double to, double lo, double hi, bool first, bool last)
{
  if (to - from > hi - lo || (first && last))
    return (lo + hi - from - to) / 2;
  if (first || from < lo)
    return lo - from;
  return last || to > hi ? hi - to : NAN;
}

/* The centroid of such a blob is no one's, but each of its sides is the side
 * of the member that reaches the farthest that way. */
static void
place_members (
    MoctGroup *g, const int *members, int n, const ImageBox *box, bool touching)
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
        t->x +
            shift_along (
                r.x0, r.x1, box->x0, box->x1, r.x0 <= all.x0, r.x1 >= all.x1),
        t->y +
            shift_along (
                r.y0, r.y1, box->y0, box->y1, r.y0 <= all.y0, r.y1 >= all.y1));
    t->merged = true;
    g->track_done[members[i]] = true;
    if (touching)
      moct_track_show (t);
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
    place_members (g, members, n, &sum->box, are_touching (g, members, n, sum));
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
  double max_side = 1.1 * hypot (t->width, t->height);
  MoctSum both = *seen;

  moct_sum_add (&both, part);
  return both.n < 1.1 * t->area && both.box.x1 - both.box.x0 < max_side &&
      both.box.y1 - both.box.y0 < max_side;
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

/* How far a track is from a box. */
static double
distance_to (const MoctTrack *t, const ImageBox *box)
{
  double x = fmax (0, fmax (box->x0 - t->x, t->x - box->x1));
  double y = fmax (0, fmax (box->y0 - t->y, t->y - box->y1));

  return hypot (x, y);
}

/* The blob of @track is too large for it alone: the closest track without a
 * blob that fits is there as well. */
static void
recruit (MoctGroup *g, int track, double gate)
{
  const MoctSum sum = g->seen[track];
  int members[2] = {track, -1};

  for (int t = 0; t < g->n_tracks; t++) {
    const MoctTrack *u = &g->tracks[t];
    int both[2] = {track, t};
    double far = distance_to (u, &sum.box);

    if (g->track_done[t] || u->known < MOCT_YOUNG ||
        far > moct_track_reach (u, gate) || !have_met (g, both, 2, &sum))
      continue;
    if (members[1] < 0 || far < distance_to (&g->tracks[members[1]], &sum.box))
      members[1] = t;
  }
  if (members[1] < 0)
    return;
  g->seen[track].n = 0;
  place_members (g, members, 2, &sum.box, are_touching (g, members, 2, &sum));
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
    if (g->seen[t].n)
      recruit (g, t, gate);
  for (int t = 0; t < g->n_tracks; t++)
    if (g->seen[t].n) {
      add_parts (g, t);
      moct_track_correct (&g->tracks[t], &g->seen[t]);
      g->tracks[t].missed = -1; /* count () makes it 0 */
    }
}
