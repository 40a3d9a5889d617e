/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack's tracker on drawn scenes whose truth is known. */
#include <math.h>

#include "emdtrack_metamer.h"

/* A disc crosses the frame on a curve. */
static void
test_moves (DeviceKind kind)
{
  Stage s;

  stage_open (&s, kind, 1);
  for (int k = 0; k < 60; k++) {
    Disc d = {60 + 3.5 * k, 90 + 40 * sin (k * .1), 16, RED, 0};
    const EmdtrackTrack *t = stage_play (&s, &d, 1, -1);

    check (t->state == EMDTRACK_TRACKING);
    check_near ((t->x0 + t->x1) / 2, d.x, 2.5);
    check_near ((t->y0 + t->y1) / 2, d.y, 2.5);
    check (t->distance < .25 && t->score == 1 - t->distance);
    check (k < 9 || fabs (t->vx - 3.5) < 2);
    check (t->id == 1 && t->age == (uint64_t) k + 1 && t->unseen == 0);
  }
  stage_close (&s);
}

/* It comes nearer, and goes away again: so does the box. */
static void
test_grows (DeviceKind kind)
{
  Stage s;

  for (int scales = 3; scales <= 5; scales += 2) {
    stage_open (&s, kind, 1);
    s.track.scales = scales;
    for (int k = 0; k < 100; k++) {
      Disc d = {160, 100, 14 + 12 * sin (k * .03), RED, 0};
      const EmdtrackTrack *t = stage_play (&s, &d, 1, -1);

      check (t->state == EMDTRACK_TRACKING);
      check_near ((t->x1 - t->x0) / (2 * d.r), 1, .25);
      check_near ((t->x0 + t->x1) / 2, d.x, 3);
    }
    stage_close (&s);
  }
}

/* It goes behind a wall for a few frames. */
static void
test_occluded (DeviceKind kind)
{
  int hidden = 0, found = 0;
  Stage s;

  stage_open (&s, kind, 1);
  for (int k = 0; k < 50; k++) {
    Disc d = {60 + 5 * k, 90, 14, RED, 0};
    const EmdtrackTrack *t = stage_play (&s, &d, 1, 165);

    hidden += t->state == EMDTRACK_OCCLUDED;
    found += t->state == EMDTRACK_FOUND;
    check (t->state != EMDTRACK_LOST);
    if (k < 12 || k > 36) {
      check (t->state == EMDTRACK_TRACKING);
      check_near ((t->x0 + t->x1) / 2, d.x, 3);
    }
  }
  check (hidden >= 3 && found == 1);
  stage_close (&s);
}

/* It is away for long, and comes back elsewhere. */
static void
test_lost (DeviceKind kind)
{
  int lost = 0;
  Stage s;

  stage_open (&s, kind, 1);
  for (int k = 0; k < 60; k++) {
    bool there = k < 10 || k >= 40;
    Disc d = {k < 10 ? 50 : 270, k < 10 ? 60 : 150, 15, RED, 0};
    const EmdtrackTrack *t = stage_play (&s, &d, there, -1);

    lost += t->state == EMDTRACK_LOST;
    check (k != 10 || t->state == EMDTRACK_OCCLUDED);
    check (k != 39 || t->state == EMDTRACK_LOST);
    check (k != 40 || t->state == EMDTRACK_FOUND);
    check (k < 10 || k > 39 || t->unseen == k - 9);
    if (k > 41) {
      check (t->state == EMDTRACK_TRACKING && t->unseen == 0);
      check_near ((t->x0 + t->x1) / 2, d.x, 2.5);
      check_near ((t->y0 + t->y1) / 2, d.y, 2.5);
    }
  }
  check (lost == 21);
  stage_close (&s);
}

/* Two targets of different colours cross. */
static void
test_two (DeviceKind kind)
{
  Stage s;

  stage_open (&s, kind, 2);
  for (int k = 0; k < 50; k++) {
    Disc d[2] = {{60 + 4 * k, 90, 14, RED, 0}, {260 - 4 * k, 120, 14, BLUE, 0}};
    const EmdtrackTrack *t = stage_play (&s, d, 2, -1);

    for (int i = 0; i < 2 && (k < 20 || k > 32); i++) {
      check_near ((t[i].x0 + t[i].x1) / 2, d[i].x, 3);
      check_near ((t[i].y0 + t[i].y1) / 2, d[i].y, 3);
    }
  }
  emdtrack_tracker_remove (s.tracker, 1);
  emdtrack_tracker_remove (s.tracker, 7);
  check (stage_play (&s, (Disc[]){{60, 90, 14, BLUE, 0}}, 1, -1)->id == 2);
  check (s.n_tracks == 1);
  stage_close (&s);
}

/* A target that is known by its histogram alone. */
static void
test_by_histogram (DeviceKind kind)
{
  EmdtrackTarget target;
  const EmdtrackTrack *t;
  uint64_t id;
  Disc d = {100, 80, 15, RED, 0};
  Stage s;

  stage_open (&s, kind, 1);
  target = stage_play (&s, &d, 1, -1)->target;
  emdtrack_tracker_remove (s.tracker, 1);
  ok (emdtrack_tracker_add_target (s.tracker, &s.params, &target, 30, 30, &id));
  check (id == 2);
  d.x = 250, d.y = 140;
  t = stage_play (&s, &d, 1, -1);
  check (t->state == EMDTRACK_FOUND);
  check_near ((t->x0 + t->x1) / 2, d.x, 3);
  check_near ((t->y0 + t->y1) / 2, d.y, 3);
  stage_close (&s);
}

/* The target's histogram follows slowly what it turns into, if that is asked
 * for. */
static void
test_update (DeviceKind kind)
{
  double distance[2];

  for (int with = 0; with < 2; with++) {
    Stage s;

    stage_open (&s, kind, 1);
    s.track.update = with ? .2 : 0;
    for (int k = 0; k < 60; k++) {
      Disc d = {160, 100, 15, RED, 0};

      d.turned = k / 2;
      distance[with] = stage_play (&s, &d, 1, -1)->distance;
    }
    stage_close (&s);
  }
  check (distance[1] < .6 * distance[0]);
}

#define REFUSED(...) \
 do { \
  EmdtrackTrackParams p = emdtrack_track_defaults (); \
  ok (emdtrack_track_check (&p)); \
  __VA_ARGS__; \
  check (emdtrack_track_check (&p)); \
 } while (0)

static void
test_refused (DeviceKind kind)
{
  Disc d = {100, 80, 15, RED, 0};
  EmdtrackTarget none = {{0}}, some = {{1}};
  EmdtrackCodebook book;
  EmdtrackFrame frame;
  uint64_t id;
  Frame f = frame_new (IMAGE_RGB, 20, 10, 0, 1);
  Stage s;

  REFUSED (p.search = 0);
  REFUSED (p.search = NAN);
  REFUSED (p.scales = 2);
  REFUSED (p.scale_step = 1);
  REFUSED (p.occlude = 1.5);
  REFUSED (p.resume = .6);
  REFUSED (p.lose_frames = 0);
  REFUSED (p.update = -1);
  stage_open (&s, kind, 1);
  stage_play (&s, &d, 1, -1);
  check (emdtrack_tracker_add (
      s.tracker, s.e, &s.params, (ImageBox){5, 5, 5, 9}, &id));
  check (emdtrack_tracker_add (
      s.tracker, s.e, &s.params, (ImageBox){500, 5, 510, 9}, &id));
  check (emdtrack_tracker_add_target (s.tracker, &s.params, &none, 9, 9, &id));
  check (emdtrack_tracker_add_target (s.tracker, &s.params, &some, 0, 9, &id));
  for (int k = 1; k < EMDTRACK_TARGETS; k++)
    ok (emdtrack_tracker_add_target (
        s.tracker, &s.params, &some, 3000, 1, &id));
  check (emdtrack_tracker_add_target (s.tracker, &s.params, &some, 9, 9, &id));
  stage_play (&s, &d, 1, -1); /* larger than the frame: never found */
  check (s.tracks[1].state == EMDTRACK_LOST);
  frame = (EmdtrackFrame){.image = f.image};
  frame_randomise (&f);
  check (emdtrack_codebook_learn (
      &s.dev, &frame, (ImageBox){20, 0, 30, 5}, 8, &book));
  check (emdtrack_codebook_learn (
      &s.dev, &frame, (ImageBox){0, 0, 3, 5}, 17, &book));
  emdtrack_tracker_free (NULL);
  stage_close (&s);
  frame_free (&f);
}

/* The same pixels give the same codebook, whatever their layout; a frame of one
 * colour is no trouble. */
static void
test_codebook (DeviceKind kind)
{
  Frame f = frame_new (IMAGE_RGB, 60, 40, 3, 1);
  Frame g = frame_new (IMAGE_BGRA, 60, 40, 0, 4);
  EmdtrackFrame a = {.image = f.image}, b = {.image = g.image};
  ImageBox box = {20, 10, 30, 20};
  EmdtrackCodebook one, other;
  Device dev;

  (void) kind;
  ok (device_open (&dev, DEVICE_CPU, NULL));
  for (int flat = 0; flat < 2; flat++) {
    for (int i = 0; i < 60 * 40; i++) {
      uint8_t c[3];

      for (int k = 0; k < 3; k++)
        c[k] = (uint8_t) (flat ? 77 : rnd (256));
      frame_set (&f, i % 60, i / 60, c);
      frame_set (&g, i % 60, i / 60, c);
    }
    ok (emdtrack_codebook_learn (&dev, &a, box, 12, &one));
    ok (emdtrack_codebook_learn (&dev, &b, box, 12, &other));
    check (!memcmp (&one, &other, sizeof one));
    for (int k = 0; k < 12; k++)
      check (one.centre[k][0] >= 0 && one.centre[k][0] <= 100);
  }
  /* grey 77: L* by the definition of CIE 1976 */
  check_near (one.centre[0][0],
      116 * cbrt (pow ((77 / 255. + .055) / 1.055, 2.4)) - 16, 1e-3);
  check_near (one.centre[0][1], 0, .01);
  frame_free (&f);
  frame_free (&g);
  device_close (&dev);
}

/* What two frames show, black and white, is in the codebook of both. */
static void
test_views (DeviceKind kind)
{
  Frame f = frame_new (IMAGE_RGB, 30, 20, 0, 1);
  Frame g = frame_new (IMAGE_GRAY8, 8, 8, 0, 1);
  EmdtrackFrame a = {.image = f.image}, b = {.image = g.image};
  EmdtrackView v[2] = {
      {&a, {0, 0, 30, 20}, {0}, 1}, {&b, {-9, -9, 99, 99}, {0, 0, 2, 2}, 9}};
  EmdtrackCodebook book;
  Device dev;

  (void) kind;
  ok (device_open (&dev, DEVICE_CPU, NULL));
  memset (f.image.plane[0], 0, 20 * (size_t) f.image.stride[0]);
  memset (g.image.plane[0], 255, 8 * (size_t) g.image.stride[0]);
  ok (emdtrack_codebook_learn_views (&dev, v, 2, 2, &book));
  check_near (fabs (book.centre[0][0] - book.centre[1][0]), 100, .1);
  check (emdtrack_codebook_learn_views (&dev, v, 0, 2, &book));
  b.layout = EMDTRACK_STACKED;
  b.channels = 4;
  check (emdtrack_codebook_learn_views (&dev, v, 2, 2, &book));
  v[0].around.x0 = 30;
  check (emdtrack_codebook_learn_views (&dev, v, 1, 2, &book));
  frame_free (&f);
  frame_free (&g);
}

static const CheckPart on_each[] = {{"moves", test_moves},
    {"grows", test_grows}, {"occluded", test_occluded}, {"lost", test_lost},
    {"two", test_two}, {"by histogram", test_by_histogram},
    {"metamer", test_metamer}, {"update", test_update},
    {"refused", test_refused}, {"codebook", test_codebook},
    {"views", test_views}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, NULL, NULL);
}
