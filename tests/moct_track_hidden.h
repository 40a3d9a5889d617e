/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tracks fed by hand, and those of objects that are out of sight, in part or
 * whole. */
#include <math.h>

#include "check.h"
#include "moct/moct.h"
#include "moct/moct_track.h"

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

static void
step (void)
{
  moct_sort_blobs (blobs, n_blobs);
  n_objects = moct_tracks_step (tracks, &params, blobs, n_blobs, DT, objects);
  n_blobs = 0;
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
  (void) kind;
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

  (void) kind;
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
  (void) kind;
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

/* Two of a colour pass through each other; their blobs are one while they
 * touch. */
static void
test_crossing (DeviceKind kind)
{
  (void) kind;
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
