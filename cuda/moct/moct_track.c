/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tracks of all colours, from frame to frame.  A track pairs with blobs of
 * its own colour only. */
#include "moct/moct_track.h"

#include "moct/moct_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_PERIOD \
 (1. / 30)              /* seconds, if the caller does not know the \
                           period */
#define MAX_PERIOD 1e11 /* seconds; variances, at most 10^60, stay finite */
#define ENOUGH 65536    /* frames, up to which frames are counted */

struct _MoctTracks {
  int max, n, high; /* room, number in use, 1 + the highest slot in use */
  bool begun;       /* there was a frame since the last reset */
  double time;      /* seconds from that frame on */
  uint64_t last_id;
  MoctTrack *tracks; /* sorted by colour, then by age */
  bool *slot_used;
};

MoctTracks *
moct_tracks_new (int max)
{
  MoctTracks *t = calloc (1, sizeof *t);

  if (!t)
    return NULL;
  t->max = max;
  t->tracks = calloc (max, sizeof *t->tracks);
  t->slot_used = calloc (max, sizeof *t->slot_used);
  if (t->tracks && t->slot_used)
    return t;
  moct_tracks_free (t);
  return NULL;
}

void
moct_tracks_free (MoctTracks *t)
{
  if (!t)
    return;
  free (t->tracks);
  free (t->slot_used);
  free (t);
}

void
moct_tracks_reset (MoctTracks *t)
{
  t->n = t->high = 0;
  t->begun = false;
  t->time = 0;
  memset (t->slot_used, 0, t->max * sizeof *t->slot_used);
}

static int
compare_blobs (const void *p, const void *q)
{
  const MoctBlob *a = p, *b = q;

  ORDER (a->cls, b->cls);
  ORDER (b->sum.n, a->sum.n);
  ORDER (a->sum.y, b->sum.y);
  ORDER (a->sum.x, b->sum.x);
  ORDER (a->sum.box.y0, b->sum.box.y0);
  ORDER (a->sum.box.x0, b->sum.box.x0);
  return 0;
}

void
moct_sort_blobs (MoctBlob *blobs, int n)
{
  qsort (blobs, n, sizeof *blobs, compare_blobs);
}

/* Counts a frame for a track, in which it was seen (missed == -1) or not. */
static void
count_track_frame (
    MoctTracks *all, MoctTrack *t, const MoctParams *p, double dt)
{
  bool seen = t->missed == -1;

  t->age += t->frames ? dt : 0;
  t->frames += t->frames < ENOUGH;
  t->history = t->history << 1 | seen;
  t->seen = seen ? t->seen + (t->seen < ENOUGH) : 0;
  t->missed = t->merged ? t->missed : t->missed + 1;
  if (!t->id && t->seen >= p->appear_frames)
    t->id = ++all->last_id;
  t->reported += t->id && t->reported < ENOUGH;
  t->lost = t->missed > (t->id ? p->lose_frames : 0) || (t->merged && !t->id);
}

static void
add_track (MoctTracks *all, int colour, const MoctSum *sum)
{
  MoctTrack *t = &all->tracks[all->n];

  if (all->n == all->max)
    return;
  moct_track_begin (t, colour, sum);
  while (all->slot_used[t->slot])
    t->slot++;
  all->slot_used[t->slot] = true;
  all->high = t->slot >= all->high ? t->slot + 1 : all->high;
  t->missed = -1;
  all->n++;
}

/* ---- One frame ---- */

static int
compare_tracks (const void *p, const void *q)
{
  const MoctTrack *a = p, *b = q;
  uint64_t never = UINT64_MAX; /* tracks that are not confirmed come last */

  ORDER (a->colour, b->colour);
  ORDER (a->id ? a->id : never, b->id ? b->id : never);
  ORDER (a->slot, b->slot);
  return 0;
}

static void
drop_lost (MoctTracks *all)
{
  int kept = 0;

  for (int i = 0; i < all->n; i++)
    if (!all->tracks[i].lost)
      all->tracks[kept++] = all->tracks[i];
    else
      all->slot_used[all->tracks[i].slot] = false;
  all->n = kept;
}

void
moct_tracks_renumber (MoctTracks *all, const int *now, int n)
{
  for (int i = 0; i < all->n; i++) {
    MoctTrack *t = &all->tracks[i];

    if (t->colour < n && now[t->colour] >= 0)
      t->colour = now[t->colour];
    else
      t->lost = true;
  }
  drop_lost (all);
  qsort (all->tracks, all->n, sizeof *all->tracks, compare_tracks);
}

static int
n_of_colour (const MoctTrack *tracks, int n, int colour)
{
  int k = 0;

  while (k < n && tracks[k].colour == colour)
    k++;
  return k;
}

static int
n_of_class (const MoctBlob *blobs, int n, int cls)
{
  int k = 0;

  while (k < n && blobs[k].cls == cls)
    k++;
  return k;
}

/* Advances the tracks of one colour.  New tracks are appended to the @old ones,
 * which are sorted by colour. */
static void
step_colour (MoctTracks *all, const MoctParams *p, MoctGroup *g, double dt)
{
  int room = p->max_objects - g->n_tracks;

  memset (g->blob_done, 0, g->n_blobs * sizeof *g->blob_done);
  for (int t = 0; t < g->n_tracks; t++) {
    moct_track_predict (&g->tracks[t], dt);
    g->track_done[t] = false;
    g->seen[t].n = 0;
  }
  moct_group_merge (g);
  moct_group_pair (g, p->gate);
  for (int b = 0; b < g->n_blobs && room > 0; b++)
    if (!g->blob_done[b]) {
      add_track (all, g->blobs[b].cls - 1, &g->blobs[b].sum);
      room--;
    }
}

static void
step_colours (MoctTracks *all, const MoctParams *p, const MoctBlob *blobs,
    int n_blobs, double dt)
{
  int old = all->n, t = 0, b = 0;

  while (t < old || b < n_blobs) {
    int next_track = t < old ? all->tracks[t].colour : MOCT_MAX_COLOURS;
    int next_blob = b < n_blobs ? blobs[b].cls - 1 : MOCT_MAX_COLOURS;
    int colour = next_track < next_blob ? next_track : next_blob;
    int of_class = n_of_class (blobs + b, n_blobs - b, colour + 1);
    MoctGroup g;

    g.tracks = all->tracks + t;
    g.blobs = blobs + b;
    g.n_tracks = n_of_colour (all->tracks + t, old - t, colour);
    g.n_blobs = of_class < MOCT_MAX_OBJECTS ? of_class : MOCT_MAX_OBJECTS;
    t += g.n_tracks;
    b += of_class;
    step_colour (all, p, &g, dt);
  }
}

int
moct_tracks_step (MoctTracks *all, const MoctParams *params,
    const MoctBlob *blobs, int n_blobs, double dt, MoctObject *objects)
{
  int n = 0;

  dt = dt > 0 ? fmin (dt, MAX_PERIOD) : FRAME_PERIOD; /* false for NaN, too */
  all->time += all->begun ? dt : 0;
  all->begun = true;
  drop_lost (all);
  step_colours (all, params, blobs, n_blobs, dt);
  for (int i = 0; i < all->n; i++)
    count_track_frame (all, &all->tracks[i], params, dt);
  qsort (all->tracks, all->n, sizeof *all->tracks, compare_tracks);
  for (int i = 0; i < all->n; i++)
    if (all->tracks[i].id)
      objects[n++] = moct_track_object (&all->tracks[i]);
  return n;
}

/* @v as an int between @lo and @hi: a prediction may lie farther away than an
 * int can say. */
static int
clamp_to_int (int lo, double v, int hi)
{
  return v > lo ? v < hi ? (int) v : hi : lo;
}

ImageBox
moct_tracks_window (const MoctTracks *all, const MoctParams *p, int colour)
{
  const MoctTrack *t = NULL;
  ImageBox in = p->region;
  double margin;

  for (int i = 0; i < all->n && !t; i++)
    if (all->tracks[i].colour == colour && all->tracks[i].id &&
        !all->tracks[i].lost)
      t = &all->tracks[i];
  if (!t || p->gate <= 0)
    return in;
  margin = .5 * moct_track_size (t) + moct_track_reach (t, p->gate);
  return (ImageBox){clamp_to_int (in.x0, floor (t->x - margin), in.x1),
      clamp_to_int (in.y0, floor (t->y - margin), in.y1),
      clamp_to_int (in.x0, ceil (t->x + margin) + 1, in.x1),
      clamp_to_int (in.y0, ceil (t->y + margin) + 1, in.y1)};
}

int
moct_tracks_points (const MoctTracks *all, MoctPoint *points)
{
  memset (points, 0, all->high * sizeof *points);
  for (int i = 0; i < all->n; i++) {
    MoctObject o = moct_track_object (&all->tracks[i]);

    points[o.track] = (MoctPoint){(float) o.cx, (float) o.cy, (float) o.x0,
        (float) o.y0, (float) o.x1, (float) o.y1, (uint32_t) o.id,
        o.state == MOCT_TRACKING || o.state == MOCT_NEW, all->time};
  }
  return all->high;
}

double
moct_tracks_time (const MoctTracks *all)
{
  return all->time;
}
