/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each track is a constant-velocity Kalman filter.  Its two axes see the same
 * noise at the same times, so that one covariance serves both.  Within a
 * colour, tracks and blobs are paired nearest first; colours do not mix. */
#include "moct/moct_track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_PERIOD (1. / 30) /* where the caller does not know it */

typedef struct {
  uint64_t id; /* 0: unconfirmed */
  int colour, slot;
  int seen, missed; /* frames in a row */
  int reported;     /* frames since it was confirmed */
  bool lost, merged;
  double x, y, vx, vy; /* filter: pixels, pixels a second */
  double pp, pv, vv;   /* its covariance, of either axis */
  double cx, cy;       /* newest position: measured, else predicted */
  double age;
  uint32_t history, frames; /* bit i: seen i frames ago; frames of its life */
  MoctSum sum;              /* when last seen */
} Track;

struct _MoctTracks {
  int max, n, high; /* room, in use, one past the highest slot in use */
  uint64_t last_id;
  Track *tracks; /* in use, by colour, then by age */
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
  memset (t->slot_used, 0, t->max * sizeof *t->slot_used);
}

#define ORDER(a, b) \
 if ((a) != (b)) \
 return (a) < (b) ? -1 : 1

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

/* ---- One track ---- */

static double
centre_x (const MoctSum *s)
{
  return (double) s->x / (double) s->n;
}

static double
centre_y (const MoctSum *s)
{
  return (double) s->y / (double) s->n;
}

/* The longer side of the box: what distances are measured against. */
static double
extent (const MoctSum *s)
{
  int w = s->box.x1 - s->box.x0, h = s->box.y1 - s->box.y0;

  return w > h ? w : h;
}

/* Noise goes with the size of the object, because a large one is a near one:
 * an acceleration of ten lengths a second squared; a fiftieth of its length in
 * the measured centre, half a pixel at least. */
static void
predict (Track *t, double dt)
{
  double a = 10 * extent (&t->sum) + 100, q = a * a * dt;

  t->x += t->vx * dt;
  t->y += t->vy * dt;
  t->pp += dt * (2 * t->pv + dt * t->vv) + q * dt * dt / 3;
  t->pv += dt * t->vv + q * dt / 2;
  t->vv += q;
  t->cx = t->x;
  t->cy = t->y;
}

static void
correct (Track *t, const MoctSum *sum)
{
  double noise = .5 + extent (sum) / 50, s = t->pp + noise * noise;
  double kp = t->pp / s, kv = t->pv / s;
  double dx = centre_x (sum) - t->x, dy = centre_y (sum) - t->y;

  t->x += kp * dx;
  t->y += kp * dy;
  t->vx += kv * dx;
  t->vy += kv * dy;
  t->vv -= kv * t->pv;
  t->pv -= kp * t->pv;
  t->pp -= kp * t->pp;
  t->cx = centre_x (sum);
  t->cy = centre_y (sum);
  t->sum = *sum;
}

static void
begin (Track *t, int colour, const MoctSum *sum)
{
  double noise = .5 + extent (sum) / 50, speed = 10 * extent (sum) + 100;

  memset (t, 0, sizeof *t);
  t->colour = colour;
  t->x = t->cx = centre_x (sum);
  t->y = t->cy = centre_y (sum);
  t->pp = noise * noise;
  t->vv = speed * speed;
  t->sum = *sum;
}

/* How far from its prediction a track may be found. */
static double
reach (const Track *t, double gate)
{
  return gate * extent (&t->sum) + 3 * sqrt (t->pp);
}

/* ---- Which blob is which track ---- */

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
cost (const Track *t, const MoctSum *sum, double gate)
{
  double dx = centre_x (sum) - t->x, dy = centre_y (sum) - t->y;
  double r = reach (t, gate), d = (dx * dx + dy * dy) / (r * r);
  double change = log ((double) sum->n / (double) t->sum.n);

  if (gate > 0 && d > 1)
    return 2;
  return (gate > 0 ? d : d / (1 + d)) * .8 + .2 * fmin (1, fabs (change) / 3);
}

/* The tracks and blobs of one colour. */
typedef struct {
  Track *tracks;
  const MoctBlob *blobs;
  int n_tracks, n_blobs;
  bool track_done[MOCT_MAX_OBJECTS], blob_done[MOCT_MAX_OBJECTS];
} Group;

static bool
inside (const Track *t, const ImageBox *box)
{
  return t->x >= box->x0 && t->x < box->x1 && t->y >= box->y0 && t->y < box->y1;
}

/* Where several tracks meet in one blob, its centroid is no one's: they keep
 * their predictions until they part. */
static void
set_merged (Group *g)
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

static void
pair_up (Group *g, double gate, Pair *pairs)
{
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
      correct (&g->tracks[pairs[i].track], &g->blobs[pairs[i].blob].sum);
      g->tracks[pairs[i].track].missed = -1; /* count () makes it 0 */
    }
}

/* Ages a track by a frame in which it was seen (missed == -1) or not. */
static void
count (MoctTracks *all, Track *t, const MoctParams *p, double dt)
{
  bool seen = t->missed == -1;

  t->age += t->frames ? dt : 0;
  t->frames++;
  t->history = t->history << 1 | seen;
  t->seen = seen ? t->seen + 1 : 0;
  t->missed = t->merged ? t->missed : t->missed + 1;
  if (!t->id && t->seen >= p->appear_frames)
    t->id = ++all->last_id;
  t->reported += t->id != 0;
  t->lost = t->missed > (t->id ? p->lose_frames : 0) || (t->merged && !t->id);
}

static void
add_track (MoctTracks *all, int colour, const MoctSum *sum)
{
  Track *t = &all->tracks[all->n];

  if (all->n == all->max)
    return;
  begin (t, colour, sum);
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
  const Track *a = p, *b = q;
  uint64_t never = UINT64_MAX; /* the unconfirmed come last */

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

static int
n_of_colour (const Track *tracks, int n, int colour)
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

/* New tracks go behind the @old ones, which lie by colour. */
static void
step_colour (MoctTracks *all, const MoctParams *p, Group *g, double dt)
{
  Pair pairs[MOCT_MAX_OBJECTS * MOCT_MAX_OBJECTS];
  int room = p->max_objects - g->n_tracks;

  memset (g->track_done, 0, sizeof g->track_done);
  memset (g->blob_done, 0, sizeof g->blob_done);
  for (int t = 0; t < g->n_tracks; t++) {
    g->tracks[t].merged = false;
    predict (&g->tracks[t], dt);
  }
  if (g->n_tracks > 1)
    set_merged (g);
  pair_up (g, p->gate, pairs);
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
    Group g = {.tracks = all->tracks + t, .blobs = blobs + b};

    g.n_tracks = n_of_colour (all->tracks + t, old - t, colour);
    g.n_blobs = of_class < MOCT_MAX_OBJECTS ? of_class : MOCT_MAX_OBJECTS;
    t += g.n_tracks;
    b += of_class;
    step_colour (all, p, &g, dt);
  }
}

/* Axes of the ellipse with the same second moments. */
static void
shape (const MoctSum *s, double *orientation, double *elongation)
{
  double n = (double) s->n, cx = centre_x (s), cy = centre_y (s);
  double xx = (double) s->xx / n - cx * cx + 1. / 12;
  double yy = (double) s->yy / n - cy * cy + 1. / 12;
  double xy = (double) s->xy / n - cx * cy;
  double root = sqrt ((xx - yy) * (xx - yy) + 4 * xy * xy);
  double angle = .5 * atan2 (2 * xy, xx - yy);

  *orientation = angle <= -M_PI_2 ? angle + M_PI : angle;
  *elongation = sqrt ((xx + yy + root) / fmax (xx + yy - root, 1e-9));
}

static MoctObject
object_of (const Track *t)
{
  const ImageBox *box = &t->sum.box;
  double dx = t->cx - centre_x (&t->sum), dy = t->cy - centre_y (&t->sum);
  uint32_t lived = t->frames < 32 ? t->frames : 32;
  MoctObject o = {.id = t->id,
      .colour = t->colour,
      .state = t->lost             ? MOCT_LOST
          : t->missed || t->merged ? MOCT_OCCLUDED
          : t->reported == 1       ? MOCT_NEW
                                   : MOCT_TRACKING,
      .area = t->sum.n,
      .cx = t->cx,
      .cy = t->cy,
      .x0 = box->x0 + dx,
      .y0 = box->y0 + dy,
      .x1 = box->x1 + dx,
      .y1 = box->y1 + dy,
      .vx = t->vx,
      .vy = t->vy,
      .covariance = {t->pp, 0, 0, t->pp},
      .age = t->age,
      .score = __builtin_popcount (t->history) / (double) lived,
      .track = t->slot};

  shape (&t->sum, &o.orientation, &o.elongation);
  return o;
}

int
moct_tracks_step (MoctTracks *all, const MoctParams *params,
    const MoctBlob *blobs, int n_blobs, double dt, MoctObject *objects)
{
  int n = 0;

  if (!(dt > 0))
    dt = FRAME_PERIOD;
  drop_lost (all);
  step_colours (all, params, blobs, n_blobs, dt);
  for (int i = 0; i < all->n; i++)
    count (all, &all->tracks[i], params, dt);
  qsort (all->tracks, all->n, sizeof *all->tracks, compare_tracks);
  for (int i = 0; i < all->n; i++)
    if (all->tracks[i].id)
      objects[n++] = object_of (&all->tracks[i]);
  return n;
}

ImageBox
moct_tracks_window (const MoctTracks *all, const MoctParams *p, int colour)
{
  const Track *t = NULL;
  ImageBox in = p->region;
  double margin;

  for (int i = 0; i < all->n && !t; i++)
    if (all->tracks[i].colour == colour && all->tracks[i].id &&
        !all->tracks[i].lost)
      t = &all->tracks[i];
  if (!t || p->gate <= 0)
    return in;
  margin = .5 * extent (&t->sum) + reach (t, p->gate);
  in.x0 = (int) fmax (in.x0, floor (t->x - margin));
  in.y0 = (int) fmax (in.y0, floor (t->y - margin));
  in.x1 = (int) fmin (in.x1, ceil (t->x + margin) + 1);
  in.y1 = (int) fmin (in.y1, ceil (t->y + margin) + 1);
  return in;
}

int
moct_tracks_points (const MoctTracks *all, MoctPoint *points)
{
  memset (points, 0, all->high * sizeof *points);
  for (int i = 0; i < all->n; i++) {
    MoctObject o = object_of (&all->tracks[i]);

    points[o.track] = (MoctPoint){(float) o.cx, (float) o.cy, (float) o.x0,
        (float) o.y0, (float) o.x1, (float) o.y1, (uint32_t) o.id,
        o.state == MOCT_TRACKING || o.state == MOCT_NEW};
  }
  return all->high;
}
