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

/* The cost of pairing: squared distance over the track's reach, and the change
 * in size.  More than 1 if the blob is out of reach. */
static double
pair_cost (const MoctTrack *t, const MoctSum *sum, double gate)
{
  double dx = moct_sum_cx (sum) - t->x, dy = moct_sum_cy (sum) - t->y;
  double r = moct_track_reach (t, gate), d = (dx * dx + dy * dy) / (r * r);
  double change = log ((double) sum->n / (double) t->sum.n);

  if (gate > 0 && d > 1)
    return 2;
  return (gate > 0 ? d : d / (1 + d)) * .8 + .2 * fmin (1, fabs (change) / 3);
}

/* ---- Several tracks in one blob ---- */

/* Part of the sum of all areas from which on nothing is hidden. */
#define TOUCHING .9

static bool
is_inside_box (const MoctTrack *t, const ImageBox *box)
{
  return t->x >= box->x0 && t->x < box->x1 && t->y >= box->y0 && t->y < box->y1;
}

static int
find_members (const MoctGroup *g, const ImageBox *box, int *members)
{
  int n = 0;

  for (int t = 0; t < g->n_tracks; t++)
    if (!g->track_done[t] && g->tracks[t].known >= MOCT_YOUNG &&
        is_inside_box (&g->tracks[t], box))
      members[n++] = t;
  return n;
}

/* Whether the members have met in the blob: it is clearly larger than each of
 * them, and not larger than all together. */
static bool
have_members_met (
    const MoctGroup *g, const int *members, int n, const MoctSum *sum)
{
  double all = 0, largest = 0;

  for (int i = 0; i < n; i++) {
    all += g->tracks[members[i]].own;
    largest = fmax (largest, g->tracks[members[i]].own);
  }
  return n > 1 && sum->n > 1.15 * largest && sum->n < 1.25 * all;
}

/* Whether the members lie side by side, with nothing of them hidden. */
static bool
are_side_by_side (
    const MoctGroup *g, const int *members, int n, const MoctSum *sum)
{
  double all = 0;

  for (int i = 0; i < n; i++)
    all += g->tracks[members[i]].own;
  return sum->n >= TOUCHING * all;
}

typedef struct {
  double x0, y0, x1, y1;
} Reach;

/* The box of the track when all of it was seen last, moved to its predicted
 * place. */
static Reach
predicted_sides (const MoctTrack *t)
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

/* The offset of a member, predicted to be from @from to @to, by the sides of
 * the blob, @lo and @hi.  @first, @last: no other member reaches farther that
 * way, so that the blob's side is this member's side.  NAN: unknown. */
static double
offset_along (
    double from, double to, double lo, double hi, bool first, bool last)
{
  if (to - from > hi - lo || (first && last))
    return (lo + hi - from - to) / 2;
  if (first || from < lo)
    return lo - from;
  return last || to > hi ? hi - to : NAN;
}

/* Places the members by the blob's sides.  The blob's centroid belongs to no
 * member, but each side of the blob is the side of the member that reaches the
 * farthest that way. */
static void
place_members (
    MoctGroup *g, const int *members, int n, const ImageBox *box, bool touching)
{
  Reach all = predicted_sides (&g->tracks[members[0]]);

  for (int i = 1; i < n; i++) {
    Reach r = predicted_sides (&g->tracks[members[i]]);

    all = (Reach){fmin (all.x0, r.x0), fmin (all.y0, r.y0), fmax (all.x1, r.x1),
        fmax (all.y1, r.y1)};
  }
  for (int i = 0; i < n; i++) {
    MoctTrack *t = &g->tracks[members[i]];
    Reach r = predicted_sides (t);

    moct_track_place (t,
        t->x +
            offset_along (
                r.x0, r.x1, box->x0, box->x1, r.x0 <= all.x0, r.x1 >= all.x1),
        t->y +
            offset_along (
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

    if (!have_members_met (g, members, n, sum))
      continue;
    place_members (
        g, members, n, &sum->box, are_side_by_side (g, members, n, sum));
    g->blob_done[b] = true;
  }
  for (int t = 0; t < g->n_tracks; t++)
    g->tracks[t].merged &= g->track_done[t];
}

/* ---- One track, one blob ---- */

static void
pair_track (MoctGroup *g, const Pair *p)
{
  if (g->track_done[p->track] || g->blob_done[p->blob])
    return;
  g->track_done[p->track] = g->blob_done[p->blob] = true;
  g->seen[p->track] = g->blobs[p->blob].sum;
  moct_track_grow (&g->tracks[p->track], &g->seen[p->track]);
}

/* Whether the blob is a part of the object whose other parts are @seen: an
 * object in front may cut one into parts, which together are no larger than it
 * was. */
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
add_other_parts (MoctGroup *g, int track)
{
  for (int b = 0; b < g->n_blobs; b++)
    if (!g->blob_done[b] &&
        is_part (&g->tracks[track], &g->seen[track], &g->blobs[b].sum)) {
      moct_sum_add (&g->seen[track], &g->blobs[b].sum);
      g->blob_done[b] = true;
    }
}

/* The distance of a track from a box. */
static double
distance_to_box (const MoctTrack *t, const ImageBox *box)
{
  double x = fmax (0, fmax (box->x0 - t->x, t->x - box->x1));
  double y = fmax (0, fmax (box->y0 - t->y, t->y - box->y1));

  return hypot (x, y);
}

/* If the blob of @track is too large for it alone, adds the closest track that
 * fits and has no blob. */
static void
add_track_to_blob (MoctGroup *g, int track, double gate)
{
  const MoctSum sum = g->seen[track];
  int members[2] = {track, -1};

  for (int t = 0; t < g->n_tracks; t++) {
    const MoctTrack *u = &g->tracks[t];
    int both[2] = {track, t};
    double far = distance_to_box (u, &sum.box);

    if (g->track_done[t] || u->known < MOCT_YOUNG ||
        far > moct_track_reach (u, gate) ||
        !have_members_met (g, both, 2, &sum))
      continue;
    if (members[1] < 0 ||
        far < distance_to_box (&g->tracks[members[1]], &sum.box))
      members[1] = t;
  }
  if (members[1] < 0)
    return;
  g->seen[track].n = 0;
  place_members (
      g, members, 2, &sum.box, are_side_by_side (g, members, 2, &sum));
}

void
moct_group_pair (MoctGroup *g, double gate)
{
  Pair pairs[MOCT_MAX_OBJECTS * MOCT_MAX_OBJECTS];
  int n = 0;

  for (int t = 0; t < g->n_tracks; t++)
    for (int b = 0; b < g->n_blobs; b++) {
      double c = pair_cost (&g->tracks[t], &g->blobs[b].sum, gate);

      if (!g->track_done[t] && !g->blob_done[b] && c <= 1)
        pairs[n++] = (Pair){c, t, b};
    }
  qsort (pairs, n, sizeof *pairs, compare_pairs);
  for (int i = 0; i < n; i++)
    pair_track (g, &pairs[i]);
  for (int t = 0; t < g->n_tracks; t++)
    if (g->seen[t].n)
      add_track_to_blob (g, t, gate);
  for (int t = 0; t < g->n_tracks; t++)
    if (g->seen[t].n) {
      add_other_parts (g, t);
      moct_track_correct (&g->tracks[t], &g->seen[t]);
      g->tracks[t].missed = -1; /* so that count_track_frame () sets it to 0 */
    }
}
