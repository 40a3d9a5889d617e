/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which components gpuccl takes for moving objects: measures and criteria by
 * hand (section 3.5.3), and persistence from frame to frame (section 2.3). */
#include "gpuccl_criteria.h"

/* Accepted in the fifth frame in a row, under one id; one frame without it and
 * all begins anew. */
static void
test_persistence (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  uint64_t first = 0;
  Play play;

  play_open (&play, kind, 320, 240);
  for (int i = 0; i < 30; i++) {
    bool there = i != 9 && i != 13;
    int row = i < 9 ? i + 1 : i < 13 ? i - 9 : i - 13;
    const GpucclComponent *c;

    play_clear (&play);
    if (there)
      play_rect (&play, 20 + 3 * i, 50, 80, 60, 2000);
    if (i == 25)
      gpuccl_reset (play.g);
    row = i < 25 ? row : i - 24;
    play_run (&play, &p);
    check (play.r.n_components == there);
    check ((play.r.accepted == 0) == (there && row >= 5));
    c = &play.r.components[0];
    if (!there)
      continue;
    check (c->frames == row);
    check (c->state == (row >= 5 ? GPUCCL_ACCEPTED : GPUCCL_NEW));
    check (c->reason == (row >= 5 ? GPUCCL_NO_REASON : GPUCCL_PERSISTENCE));
    check (row == 1 ? c->id > first : c->id == first);
    first = c->id;
  }
  check (first == 4);
  p.frames = 1;
  play_clear (&play);
  play_rect (&play, 200, 150, 80, 60, 2000);
  play_run (&play, &p);
  check (play.r.accepted == 0 && play.r.components[0].frames == 1);
  play_close (&play);
}

/* How many frames in a row there are after 6, the rectangle moving by @dx and
 * growing by @dw each time. */
static int
frames_after_steps (
    DeviceKind kind, const GpucclParams *p, int dx, int dw, int depth)
{
  Play play;
  int frames;

  play_open (&play, kind, 640, 480);
  for (int i = 0; i < 6; i++) {
    play_clear (&play);
    play_rect (&play, 20 + dx * i, 50, 80 + dw * i, 80, 2000 + depth * i);
    play_run (&play, p);
  }
  frames = play.r.components[0].frames;
  play_close (&play);
  return frames;
}

static void
test_matching (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();

  check (frames_after_steps (kind, &p, 32, 0, 0) == 6);
  check (frames_after_steps (kind, &p, 33, 0, 0) == 1);
  p.match = GPUCCL_MATCH_NONE;
  check (frames_after_steps (kind, &p, 90, 0, 0) == 6);
  p.match = GPUCCL_MATCH_IMAGE;
  p.match_ratio = 1.5;
  check (frames_after_steps (kind, &p, 0, 40, 0) == 6); /* 80 to 120 */
  check (frames_after_steps (kind, &p, 0, 41, 0) == 5);
  p.match = GPUCCL_MATCH_AUTO;
  p.camera = (GpucclCamera){true, 500, 500, 320, 240};
  check (frames_after_steps (kind, &p, 49, 0, 0) == 6); /* 0.196 m */
  check (frames_after_steps (kind, &p, 51, 0, 0) == 1);
  check (frames_after_steps (kind, &p, 0, 0, 120) == 6);
  check (frames_after_steps (kind, &p, 0, 0, 250) == 1);
  p.match = GPUCCL_MATCH_IMAGE;
  check (frames_after_steps (kind, &p, 0, 0, 2000) == 6);
}

/* How many frames in a row there are when one of 100 x 100 pixels becomes one
 * of @width x @height around the same place. */
static int
frames_after_change (
    DeviceKind kind, const GpucclParams *p, int width, int height)
{
  Play play;
  int frames;

  play_open (&play, kind, 640, 480);
  play_rect (&play, 250, 190, 100, 100, 2000);
  play_run (&play, p);
  play_clear (&play);
  play_rect (&play, 300 - width / 2, 240 - height / 2, width, height, 2000);
  play_run (&play, p);
  frames = play.r.components[0].frames;
  play_close (&play);
  return frames;
}

/* As large, but of another shape, is another object. */
static void
test_shape (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();

  for (int in_space = 0; in_space < 2; in_space++) {
    p.camera = (GpucclCamera){in_space, 500, 400, 320, 240};
    p.match = GPUCCL_MATCH_AUTO;
    check (frames_after_change (kind, &p, 200, 50) == 2);
    check (frames_after_change (kind, &p, 50, 200) == 2);
    check (frames_after_change (kind, &p, 202, 50) == 1);
    check (frames_after_change (kind, &p, 50, 202) == 1);
    check (frames_after_change (kind, &p, 220, 46) == 1);
    p.match = GPUCCL_MATCH_NONE;
    check (frames_after_change (kind, &p, 220, 46) == 2);
  }
}

/* A plate that stands still in the world, seen by a camera that turns about y
 * by 0.1 rad and moves by half a metre in each frame. */
static void
test_camera_motion (DeviceKind kind)
{
  for (int known = 0; known < 2; known++) {
    GpucclParams p = gpuccl_defaults ();
    Play play;

    p.camera = (GpucclCamera){true, 500, 500, 320, 240};
    p.match_distance = .02;
    play_open (&play, kind, 640, 480);
    for (int i = 0; i < 6; i++) {
      double a = -.1 * i, t[3] = {.5 * i, .1 * i, 0}, world[3] = {.3, .1, 3};
      double v[3], at[3];

      p.pose = (GpucclPose){
          known, {t[0], t[1], t[2]}, {cos (a / 2), 0, sin (a / 2), 0}};
      for (int k = 0; k < 3; k++)
        v[k] = world[k] - t[k];
      /* back by -a about y */
      at[0] = cos (a) * v[0] - sin (a) * v[2];
      at[1] = v[1];
      at[2] = sin (a) * v[0] + cos (a) * v[2];
      play_clear (&play);
      play_rect (&play, (int) lround (320 + 500 * at[0] / at[2]) - 40,
          (int) lround (240 + 500 * at[1] / at[2]) - 30, 81, 61,
          (int) lround (1000 * at[2]));
      play_run (&play, &p);
      check (play.r.components[0].frames == (known ? i + 1 : 1));
    }
    play_close (&play);
  }
}

/* Two that pass each other keep their ids; the largest is the accepted one. */
static void
test_two (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  uint64_t ids[2] = {0};
  Play play;

  play_open (&play, kind, 640, 480);
  for (int i = 0; i < 20; i++) {
    play_clear (&play);
    play_rect (&play, 20 + 25 * i, 20, 80, 60, 2000);
    play_rect (&play, 510 - 25 * i, 90, 82, 60, 2000);
    play_run (&play, &p);
    check (play.r.n_components == 2);
    for (int k = 0; k < 2; k++) {
      check (!ids[k] || play.r.components[k].id == ids[k]);
      ids[k] = play.r.components[k].id;
    }
    check (play.r.accepted == (i < 4 ? -1 : 0));
  }
  check (ids[0] && ids[1] && ids[0] != ids[1]);
  play_clear (&play); /* the larger one is new, the smaller one is known */
  play_rect (&play, 20 + 25 * 20, 20, 80, 60, 2000);
  play_rect (&play, 100, 300, 200, 60, 2000);
  play_run (&play, &p);
  check (play.r.accepted == 1 && play.r.components[0].state == GPUCCL_NEW);
  play_close (&play);
}

/* Of two that both could be it, the nearer one is it. */
static void
test_split (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  const GpucclComponent *c;
  uint64_t id;
  Play play;

  p.match_pixels = 60;
  play_open (&play, kind, 320, 240);
  play_rect (&play, 60, 50, 160, 60, 2000);
  play_run (&play, &p);
  id = play.r.components[0].id;
  play_clear (&play);
  play_rect (&play, 40, 50, 90, 60, 2000);
  play_rect (&play, 140, 50, 80, 60, 2000);
  play_run (&play, &p);
  c = play.r.components;
  check (play.r.n_components == 2);
  check (c[1].id == id && c[1].frames == 2);
  check (c[0].id > id && c[0].frames == 1);
  play_close (&play);
}

static const CheckPart on_each[] = {{"criteria", test_criteria},
    {"shapes of figure 6", test_shapes}, {"rank", test_rank},
    {"measures", test_measures}, {"persistence", test_persistence},
    {"matching", test_matching}, {"shape", test_shape},
    {"the camera moves", test_camera_motion}, {"two objects", test_two},
    {"one becomes two", test_split}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, NULL, NULL);
}
