/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tracks of moct, fed with blobs whose answers are known by hand.  They
 * are host code, so that all is done on the CPU. */
#include <float.h>
#include <limits.h>
#include <math.h>

#include "check.h"
#include "moct/moct.h"
#include "moct/moct_filter.h"
#include "moct/moct_track.h"

/* ---- Out of sight ---- */

/* Tracks fed by hand, and those of objects that are out of sight, in part or
 * whole. */

#define DT (1. / 32) /* exact in binary */
#define MAX 64

static MoctTracks *tracks;
static MoctParams params;
static MoctBlob blobs[MAX];
static int n_blobs, n_objects;
static MoctObject objects[MAX];

static void
begin (void)
{
  moct_tracks_free (tracks);
  tracks = moct_tracks_new (MAX);
  params = (MoctParams){.blobs = true,
      .max_objects = 8,
      .region = {0, 0, 4096, 4096},
      .gate = 1,
      .appear_frames = 1,
      .lose_frames = 30};
}

/* A full rectangle of colour @colour with its corner at (@x, @y). */
static void
put (int colour, int x, int y, int w, int h)
{
  MoctBlob *b = &blobs[n_blobs++];

  b->cls = colour + 1;
  moct_sum_clear (&b->sum);
  for (int j = y; j < y + h; j++)
    for (int i = x; i < x + w; i++)
      moct_sum_add_pixel (&b->sum, i, j);
}

/* A frame @dt seconds after the one before. */
static void
step_by (double dt)
{
  moct_sort_blobs (blobs, n_blobs);
  n_objects = moct_tracks_step (tracks, &params, blobs, n_blobs, dt, objects);
  n_blobs = 0;
}

static void
step (void)
{
  step_by (DT);
}

static const MoctObject *
with_id (uint64_t id)
{
  static const MoctObject none = {.state = MOCT_LOST, .cx = NAN};

  for (int i = 0; i < n_objects; i++)
    if (objects[i].id == id)
      return &objects[i];
  return &none;
}

static void
test_gap (DeviceKind kind)
{
  begin ();
  for (int f = 0; f < 60; f++) {
    bool hidden = f >= 30 && f < 40;

    if (!hidden)
      put (0, 10 + 6 * f, 300 - 2 * f, 15, 15);
    step ();
    check (n_objects == 1 && objects[0].id == 1);
    check ((objects[0].state == MOCT_OCCLUDED) == hidden);
    check_near (objects[0].cx, 17 + 6 * f, hidden ? 2 : 0);
    check_near (objects[0].cy, 307 - 2 * f, hidden ? 2 : 0);
    check_near (objects[0].x1 - objects[0].x0, 15, hidden ? 1 : 0);
  }
}

/* An object slides behind a wall as wide as itself, 4 pixels a frame: only the
 * strips at its sides are seen. */
static void
test_pillar (DeviceKind kind)
{
  const int w = 40, wall0 = 300, wall1 = 340;

  begin ();
  for (int x = 100; x < 500; x += 4) {
    int left = x + w < wall0 ? x + w : wall0, right = x > wall1 ? x : wall1;

    if (left > x)
      put (0, x, 100, left - x, 30);
    if (x + w > right)
      put (0, right, 100, x + w - right, 30);
    step ();
    check (n_objects == 1 && objects[0].id == 1);
  }
}

/* A bar in front cuts it: one object, whose centroid is of both parts. */
static void
test_parts (DeviceKind kind)
{
  begin ();
  for (int f = 0; f < 40; f++) {
    int bar = 100 + f; /* 8 wide, over x = 100 to 139 */

    if (f > 0)
      put (0, 100, 60, f, 20);
    if (bar + 8 < 140)
      put (0, bar + 8, 60, 140 - bar - 8, 20);
    if (f == 0) /* not yet in front */
      n_blobs = 0, put (0, 100, 60, 40, 20);
    step ();
    check (n_objects == 1 && objects[0].id == 1);
    if (f > 0 && f < 32) {
      double sum = 40 * 119.5 - 8 * (bar + 3.5);

      check (objects[0].area == 640);
      check_near (objects[0].cx, sum / 32, 1e-9);
    }
  }
}

/* The last two rectangles are one blob. */
static void
join (void)
{
  n_blobs--;
  moct_sum_add (&blobs[n_blobs - 1].sum, &blobs[n_blobs].sum);
}

/* Two come to lie side by side: one blob, of which each is its part.  The
 * second time one of them has been out of sight, and is predicted farther on.
 */
static void
test_touching (DeviceKind kind)
{
  for (int late = 0; late < 2; late++) {
    begin ();
    for (int f = 0; f < 60; f++) {
      int x = f < 40 ? 400 - 5 * f : 200;

      put (0, 160, 100, 40, 60);
      if (!late || f < 36 || f > 44)
        put (0, x, 110, 40, 60);
      if (n_blobs == 2 && x <= 204)
        join ();
      step ();
      check (n_objects == 2);
    }
    for (int i = 0; i < 2; i++) {
      check (objects[i].state == MOCT_TRACKING && objects[i].area == 2400);
      check_near (objects[i].cx, i ? 219.5 : 179.5, 2);
      check_near (objects[i].cy, i ? 139.5 : 129.5, 2);
      check_near (objects[i].x1 - objects[i].x0, 40, 0);
      check_near (objects[i].elongation, 1.5, .01);
    }
  }
}

/* The same with few frames a second, and after a pause of a day: what is known
 * of the size of an object lasts as long as the object is seen. */
static void
test_touching_slowly (DeviceKind kind)
{
  for (int pause = 0; pause < 2; pause++) {
    begin ();
    for (int f = 0; f < 60; f++) {
      put (0, 160, 100, 40, 60);
      put (0, f < 50 ? 230 : 200, 110, 40, 60);
      if (f >= 50)
        join ();
      step_by (!pause ? .5 : f == 20 ? 86400 : DT);
      check (n_objects == 2);
    }
    for (int i = 0; i < n_objects; i++)
      check (objects[i].state == MOCT_TRACKING && objects[i].area == 2400);
  }
}

/* Two of a colour pass through each other; their blobs are one while they
 * touch. */
static void
test_crossing (DeviceKind kind)
{
  begin ();
  for (int f = 0; f < 80; f++) {
    int a = 100 + 5 * f, b = 480 - 5 * f, w = 40;

    if (abs (a - b) > w) {
      put (0, a, 100, w, 40);
      put (0, b, 110, w, 40);
    } else {
      int x0 = a < b ? a : b, x1 = (a > b ? a : b) + w;

      put (0, x0, 100, x1 - x0, 50);
    }
    step ();
    check (n_objects == 2);
    if (f == 0)
      check (with_id (1)->cx < with_id (2)->cx);
    check (!isnan (with_id (1)->cx) && !isnan (with_id (2)->cx));
  }
  check (with_id (1)->state == MOCT_TRACKING && with_id (1)->cx == 514.5);
  check (with_id (2)->state == MOCT_TRACKING && with_id (2)->cx == 104.5);
}

/* ---- In sight ---- */

static void
test_persist (DeviceKind kind)
{
  begin ();
  for (int f = 0; f < 100; f++) {
    put (0, 10 + 4 * f, 20 + f, 11, 7);
    put (1, 600 - 3 * f, 50, 9, 9);
    step ();
    check (n_objects == 2 && objects[0].id == 1 && objects[1].id == 2);
    check (objects[0].state == (f ? MOCT_TRACKING : MOCT_NEW));
    check (objects[0].cx == 15 + 4 * f && objects[0].cy == 23 + f);
    check (objects[0].x0 == 10 + 4 * f && objects[0].x1 == 21 + 4 * f);
    check (objects[0].area == 77 && objects[1].area == 81);
    check_near (objects[0].age, f * DT, 1e-9);
    check (objects[0].score == 1);
  }
  check_near (objects[0].vx, 4 / DT, .5); /* pixels a second */
  check_near (objects[0].vy, 1 / DT, .5);
  check_near (objects[1].vx, -3 / DT, .5);
}

static void
test_hysteresis (DeviceKind kind)
{
  begin ();
  params.appear_frames = 3;
  params.lose_frames = 4;
  for (int f = 0; f < 2; f++) { /* too short */
    put (0, 50, 50, 9, 9);
    step ();
    check (n_objects == 0);
  }
  step ();
  for (int f = 0; f < 6; f++) {
    put (0, 50, 50, 9, 9);
    step ();
    check (n_objects == (f >= 2));
    if (f >= 2)
      check (objects[0].id == 1 &&
          objects[0].state == (f == 2 ? MOCT_NEW : MOCT_TRACKING));
  }
  for (int f = 0; f < 4; f++) {
    step ();
    check (n_objects == 1 && objects[0].state == MOCT_OCCLUDED);
  }
  check_near (objects[0].score, 6. / 10, 1e-9);
  step ();
  check (n_objects == 1 && objects[0].state == MOCT_LOST);
  step ();
  check (n_objects == 0);
  for (int f = 0; f < 3; f++) {
    put (0, 50, 50, 9, 9);
    step ();
  }
  check (n_objects == 1 && objects[0].id == 2); /* ids are not used again */
}

static void
test_gate (DeviceKind kind)
{
  begin ();
  for (int f = 0; f < 20; f++) {
    put (0, 100, 100, 20, 20);
    step ();
  }
  put (0, 400, 100, 20, 20); /* far away: another */
  step ();
  check (n_objects == 2 && with_id (1)->state == MOCT_OCCLUDED);
  check_near (with_id (1)->cx, 109.5, .1);
  check (with_id (2)->state == MOCT_NEW);

  begin ();
  params.gate = 0; /* anywhere */
  for (int f = 0; f < 20; f++) {
    put (0, f % 2 ? 400 : 100, 100, 20, 20);
    step ();
    check (n_objects == 1 && objects[0].id == 1);
  }
}

/* A small object seemed to move by 2000 pixels in a 160th second, and is out of
 * sight for a day then: its prediction is more pixels away than an int holds,
 * and its window lies in the region all the same. */
static void
test_window (DeviceKind kind)
{
  ImageBox w;

  begin ();
  params.gate = 1000;
  for (int f = 0; f < 2; f++) {
    put (0, 50 + 2000 * f, 100, 2, 2);
    step_by (1. / 160);
  }
  step_by (86400);
  check (n_objects == 1 && objects[0].state == MOCT_OCCLUDED);
  check (objects[0].cx > 0x1p32);
  w = moct_tracks_window (tracks, &params, 0);
  check (w.x0 == 4096 && w.x1 == 4096 && w.y0 == 0 && w.y1 == 4096);
}

/* Times between frames that no clock gives: all stays finite, and the object
 * that stands still is the same one. */
static void
test_periods (DeviceKind kind)
{
  static const double periods[] = {
      INFINITY, DBL_MAX, 1e200, NAN, -INFINITY, -1, 0, DBL_MIN, DT};

  begin ();
  for (int i = 0; i < (int) (sizeof periods / sizeof *periods); i++) {
    put (0, 100, 100, 20, 20);
    step_by (periods[i]);
    check (n_objects == 1 && objects[0].id == 1 && objects[0].cx == 109.5);
    check (isfinite (objects[0].vx) && isfinite (objects[0].covariance[0]));
    check (isfinite (objects[0].age) && objects[0].covariance[0] > 0);
  }
}

/* The number of frames in which an object was seen has no end. */
static void
test_long_life (DeviceKind kind)
{
  MoctTrack t;

  put (0, 100, 100, 20, 20);
  put (0, 100, 100, 40, 40);
  moct_track_begin (&t, 0, &blobs[0].sum);
  t.known = INT_MAX;
  moct_track_grow (&t, &blobs[0].sum);
  check (t.own == 400);
  moct_track_grow (&t, &blobs[1].sum);
  check_near (t.own, 404, 1e-9); /* it is not young again */
  n_blobs = 0;
}

static void
test_max_objects (DeviceKind kind)
{
  begin ();
  params.max_objects = 2;
  for (int f = 0; f < 3; f++) {
    put (0, 10, 10, 5, 5);
    put (0, 100, 10, 9, 9); /* the two largest */
    put (0, 200, 10, 8, 8);
    put (1, 300, 10, 5, 5);
    step ();
    check (n_objects == 3);
    check (objects[0].area == 81 && objects[1].area == 64);
    check (objects[2].colour == 1);
  }
}

/* By colour, then by id, whatever order they came in. */
static void
test_order (DeviceKind kind)
{
  begin ();
  for (int f = 0; f < 30; f++) {
    for (int i = 0; i < 9; i++)
      if (f > i)
        put (2 - i % 3, 10 + 50 * i, 10, 9 + i, 9);
    step ();
    for (int i = 1; i < n_objects; i++)
      check (objects[i - 1].colour < objects[i].colour ||
          (objects[i - 1].colour == objects[i].colour &&
              objects[i - 1].id < objects[i].id));
  }
  check (n_objects == 9);
}

static void
test_reset (DeviceKind kind)
{
  begin ();
  put (0, 10, 10, 9, 9);
  step ();
  moct_tracks_reset (tracks);
  step ();
  check (n_objects == 0);
  put (0, 10, 10, 9, 9);
  step ();
  check (n_objects == 1 && objects[0].id == 2 && objects[0].age == 0);
}

static void
put_three (int first, int second, int third)
{
  put (first, 10, 10, 9, 9);
  put (second, 100, 10, 9, 9);
  put (third, 200, 10, 9, 9);
  step ();
}

/* Colours change places, and one goes: its objects are forgotten at once, all
 * others stay who they are. */
static void
test_renumber (DeviceKind kind)
{
  static const int now[] = {2, -1, 0};
  int column;

  begin ();
  for (int f = 0; f < 9; f++)
    put_three (0, 1, 2);
  check (n_objects == 3 && objects[2].id == 3);
  column = with_id (1)->track;
  moct_tracks_renumber (tracks, now, 3);
  put_three (2, 1, 0);
  check (n_objects == 3);
  check (objects[0].id == 3 && objects[0].colour == 0 && objects[0].cx == 204);
  check (objects[1].id == 4 && objects[1].state == MOCT_NEW);
  check (objects[2].id == 1 && objects[2].colour == 2 && objects[2].cx == 14);
  check (objects[2].track == column && objects[2].state == MOCT_TRACKING);
  check_near (objects[2].age, 9 * DT, 1e-9);

  moct_tracks_renumber (tracks, now, 2); /* there was no third colour */
  put (2, 200, 10, 9, 9);
  step ();
  check (n_objects == 1 && objects[0].id == 3 && objects[0].colour == 2);
}

/* The same blobs in any order, sorted, are the same objects. */
static void
test_determinism (DeviceKind kind)
{
  static MoctObject first[200][MAX];
  static int first_n[200];

  for (int round = 0; round < 3; round++) {
    begin ();
    check_counter = 0;
    for (int f = 0; f < 200; f++) {
      int n = 2 + rnd (8);

      for (int i = 0; i < n; i++)
        put (rnd (3), rnd (200), rnd (200), 5 + rnd (20), 5 + rnd (20));
      for (int i = n - 1; i > 0; i--) {
        int k = (i * 7 + round * 3) % (i + 1);
        MoctBlob b = blobs[i];

        blobs[i] = blobs[k];
        blobs[k] = b;
      }
      step ();
      if (!round) {
        first_n[f] = n_objects;
        memcpy (first[f], objects, n_objects * sizeof *objects);
      }
      check (n_objects == first_n[f]);
      for (int i = 0; i < n_objects && i < first_n[f]; i++)
        check (objects[i].id == first[f][i].id &&
            objects[i].cx == first[f][i].cx && objects[i].vx == first[f][i].vx);
    }
  }
  moct_tracks_free (tracks);
  tracks = NULL;
}

CHECK_MAIN (NULL, NULL, {"ids persist", test_persist},
    {"appear and lose", test_hysteresis}, {"a gap of ten frames", test_gap},
    {"behind a pillar", test_pillar}, {"cut into parts", test_parts},
    PART (gate), PART (window), PART (periods), {"a long life", test_long_life},
    {"max-objects", test_max_objects}, PART (touching),
    {"touching, few frames", test_touching_slowly}, PART (crossing),
    PART (order), PART (reset), PART (renumber), PART (determinism))
