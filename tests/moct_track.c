/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tracks of moct, fed with blobs whose answers are known by hand.  They
 * are host code, so that all is done on the CPU. */
#include "moct_track_hidden.h"

static void
test_persist (DeviceKind kind)
{
  (void) kind;
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
  (void) kind;
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
  (void) kind;
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

static void
test_max_objects (DeviceKind kind)
{
  (void) kind;
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
  (void) kind;
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
  (void) kind;
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

  (void) kind;
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

  (void) kind;
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

static const CheckPart on_each[] = {{"ids persist", test_persist},
    {"appear and lose", test_hysteresis}, {"a gap of ten frames", test_gap},
    {"behind a pillar", test_pillar}, {"cut into parts", test_parts},
    {"gate", test_gate}, {"max-objects", test_max_objects},
    {"crossing", test_crossing}, {"order", test_order}, {"reset", test_reset},
    {"renumber", test_renumber}, {"determinism", test_determinism},
    {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, NULL, NULL);
}
