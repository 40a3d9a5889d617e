/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which components gpuccl takes for moving objects: measures and criteria by
 * hand (section 3.5.3), and persistence from frame to frame (section 2.3). */
#include <math.h>

#include "gpuccl_play.h"

/* ---- Criteria ---- */

/* Measures of components and the criteria of section 3.5.3, by hand. */

/* One rectangle among criteria; its reason to be rejected. */
static GpucclReason
reason_of (DeviceKind kind, GpucclParams p, int width, int height)
{
  AUTO (Play) play;
  GpucclReason reason;

  play_open (&play, kind, 320, 240);
  play_rect (&play, 40, 30, width, height, 2000);
  play_run (&play, &p);
  check (play.r.n_components == 1);
  reason = play.r.components[0].reason;
  check ((play.r.components[0].state == GPUCCL_REJECTED) ==
      (reason != GPUCCL_PERSISTENCE));
  return reason;
}

static void
test_criteria (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();

  check (reason_of (kind, p, 70, 50) == GPUCCL_SIZE); /* 3500 is not more */
  check (reason_of (kind, p, 71, 50) == GPUCCL_PERSISTENCE);
  p.min_size = 100;
  check (reason_of (kind, p, 16, 16) == GPUCCL_PERSISTENCE);
  check (reason_of (kind, p, 15, 100) == GPUCCL_EXTENT); /* 14 wide, no + 1 */
  check (reason_of (kind, p, 100, 15) == GPUCCL_EXTENT);
  p.min_extent = 14;
  check (reason_of (kind, p, 15, 100) == GPUCCL_PERSISTENCE);
  /* 2 40 20 / (20 39 + 40 19) */
  p.min_fill = 1600. / 1540;
  check (reason_of (kind, p, 40, 20) == GPUCCL_FILL);
  p.min_fill = 1600. / 1540 - 1e-9;
  check (reason_of (kind, p, 40, 20) == GPUCCL_PERSISTENCE);
}

/* Figure 6: an open frame is filled too little, a long slanted bar is too
 * thin. */
static void
test_shapes (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  const GpucclComponent *c;
  AUTO (Play) play;

  p.min_size = 1000;
  play_open (&play, kind, 320, 240);
  play_rect (&play, 20, 20, 100, 10, 2000); /* a U that lies on its side */
  play_rect (&play, 20, 110, 100, 10, 2000);
  play_rect (&play, 20, 30, 10, 80, 2000);
  play_run (&play, &p);
  c = &play.r.components[0];
  check (c->sum.area == 2800 && c->reason == GPUCCL_FILL);
  /* 20 rows of 99 and 80 of 9; 100 columns of 99 */
  check_near (c->fill, 5600. / (20 * 99 + 80 * 9 + 100 * 99), 1e-12);
  check_near (c->mean_width, (20 * 99 + 80 * 9) / 100., 1e-12);
  check_near (c->mean_height, 99, 1e-12);

  play_clear (&play);
  for (int i = 0; i < 150; i++)
    play_rect (&play, 20 + i, 20 + i, 10, 1, 2000);
  play_run (&play, &p);
  c = &play.r.components[0];
  check (c->sum.area == 1500 && c->reason == GPUCCL_EXTENT);
  check_near (c->mean_width, 9, 1e-12);
  check (c->fill > .75);

  p.min_size = 0;
  p.min_area = 1;
  play_clear (&play);
  play_rect (&play, 7, 7, 1, 1, 2000);
  play_run (&play, &p);
  c = &play.r.components[0];
  check (c->measured && c->fill == 0 && c->reason == GPUCCL_FILL);
}

/* The ninth largest is not looked at; with one candidate the second is not. */
static void
test_rank (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  AUTO (Play) play;

  p.min_size = 300;
  p.max_components = 10;
  play_open (&play, kind, 320, 240);
  for (int i = 0; i < 12; i++)
    play_rect (&play, i % 6 * 50, i / 6 * 50, 20 + i, 20, 2000);
  play_run (&play, &p);
  check (play.r.n_labels == 12 && play.r.n_components == 10);
  for (int i = 0; i < 10; i++) {
    const GpucclComponent *c = &play.r.components[i];

    check (c->sum.area == (uint32_t) (20 * (31 - i)));
    check (c->measured == (i < 8));
    check (c->reason == (i < 8 ? GPUCCL_PERSISTENCE : GPUCCL_RANK));
    check (!c->id == (i >= 8));
  }
  p.max_candidates = 1; /* the paper's number */
  play_run (&play, &p);
  check (play.r.components[0].frames == 2);
  for (int i = 1; i < 10; i++)
    check (play.r.components[i].reason == GPUCCL_RANK);
  check (!strcmp (gpuccl_reason_name (GPUCCL_RANK), "rank"));
  check (!gpuccl_reason_name (GPUCCL_NO_REASON));
}

/* A plate 2 m away, and one that leans back. */
static void
test_measures (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  const GpucclComponent *c;
  AUTO (Play) play;

  p.has_camera = true;
  p.camera = (Camera){500, 400, 160, 120, {0}};
  play_open (&play, kind, 320, 240);
  play_rect (&play, 210, 80, 101, 41, 2000);
  play_run (&play, &p);
  c = &play.r.components[0];
  check (c->in_space);
  check_near (c->cx, 260, 1e-12);
  check_near (c->cy, 100, 1e-12);
  check_near (c->depth, 2, 1e-12);
  check_near (c->position[0], 100 * 2. / 500, 1e-12);
  check_near (c->position[1], -20 * 2. / 400, 1e-12);
  check_near (c->position[2], 2, 1e-12);
  check_near (c->extent[0], 100 * 2. / 500, 1e-5);
  check_near (c->extent[1], 40 * 2. / 400, 1e-5);
  check_near (c->extent[2], 0, 1e-12);

  play_clear (&play);
  for (int y = 0; y < 60; y++)
    play_rect (&play, 130, 91 + y, 60, 1, 1500 + 5 * y);
  p.filter = GPUCCL_NO_FILTER;
  play_run (&play, &p);
  c = &play.r.components[0];
  check_near (c->depth, 1.6475, 1e-12);
  check_near (c->extent[0], 59 * 1.795 / 500, 1e-5); /* the far edge */
  check_near (c->extent[1], (30 * 1.795 + 29 * 1.5) / 400, 1e-5);
  check_near (c->extent[2], .295, 1e-12);

  p.has_camera = false;
  play_run (&play, &p);
  check (!play.r.components[0].in_space && play.r.components[0].depth > 1.6);
}

/* ---- Criteria of the rectangle ---- */

/* An upright rectangle is its own, and fills it; twice as wide pixels make it
 * half as wide in space. */
static void
test_rectangle (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  const GpucclComponent *c;
  double orientation, elongation;
  AUTO (Play) play;

  p.has_camera = true;
  p.camera = (Camera){800, 400, 160, 120, {0}};
  play_open (&play, kind, 320, 240);
  play_rect (&play, 210, 80, 100, 40, 2000);
  play_run (&play, &p);
  c = &play.r.components[0];
  check_near (c->sides[0], 100, 1e-9);
  check_near (c->sides[1], 40, 1e-9);
  check_near (c->box_fill, 1, 1e-9);
  check_near (c->metric_sides[0], .25, 1e-9);
  check_near (c->metric_sides[1], .2, 1e-9);
  check_near (c->surface, .05, 1e-9);
  gpuccl_sum_shape (&c->sum, &orientation, &elongation);
  check_near (orientation, 0, 1e-9);
  check_near (elongation, 2.5, 1e-9);

  play_clear (&play);
  for (int y = 0; y < 240; y++) /* a disc of radius 100 */
    for (int x = 0; x < 320; x++)
      if ((x - 160) * (x - 160) + (y - 120) * (y - 120) < 100 * 100)
        play_rect (&play, x, y, 1, 1, 2000);
  p.has_camera = false;
  play_run (&play, &p);
  c = &play.r.components[0];
  check_near (c->box_fill, M_PI / 3, .002);
  check_near (c->sides[0], 100 * sqrt (3), .2);
  check (c->surface == 0 && c->metric_sides[0] == 0);
}

/* Draws a rectangle of 120 x 30 pixels turned by @degrees or, @bent, a right
 * angle of two bars of 120 x 30. */
static void
play_turned (Play *play, double degrees, bool bent)
{
  double a = degrees * M_PI / 180;

  play_clear (play);
  for (int y = 0; y < 240; y++)
    for (int x = 0; x < 320; x++) {
      double u = (x - 160.2) * cos (a) + (y - 119.7) * sin (a);
      double v = (y - 119.7) * cos (a) - (x - 160.2) * sin (a);
      bool bar = fabs (u) < 60 && fabs (v) < 15;

      if (bar || (bent && fabs (u + 45) < 15 && v > -15 && v < 105))
        play_rect (play, x, y, 1, 1, 2000);
    }
}

/* Turned by any angle an object passes alike, or fails alike by the same
 * limit; by rows and columns it passes at some angles alone. */
static void
test_any_angle (DeviceKind kind)
{
  static const struct {
    double side, side_pixels, fill;
    bool bent;
    GpucclReason reason;
  } cases[] = {{.095, 0, .95, false, GPUCCL_PERSISTENCE},
      {.105, 0, .95, false, GPUCCL_EXTENT},
      {0, 28.5, .95, false, GPUCCL_PERSISTENCE},
      {0, 31.5, .95, false, GPUCCL_EXTENT}, {0, 0, .8, true, GPUCCL_FILL},
      {0, 0, .4, true, GPUCCL_PERSISTENCE}};
  AUTO (Play) play;

  play_open (&play, kind, 320, 240);
  for (int by_rows = 0, passed = 0; by_rows < 2; by_rows++, passed = 0)
    for (int degrees = 0; degrees < 180; degrees += 5)
      for (int i = 0; i < 6; i++) {
        GpucclParams p = gpuccl_defaults ();
        double orientation, elongation, off;
        const GpucclComponent *c;

        p.has_camera = true;
        p.camera = (Camera){600, 600, 160, 120, {0}};
        p.min_size = 0;
        p.min_extent = by_rows ? 31 : 0;
        p.min_fill = by_rows ? .75 : 0;
        p.min_surface = .039;
        p.min_side = cases[i].side;
        p.min_side_pixels = cases[i].side_pixels;
        p.min_box_fill = cases[i].fill;
        play_turned (&play, degrees, cases[i].bent);
        play_run (&play, &p);
        c = &play.r.components[0];
        passed += i == 0 && c->reason == GPUCCL_PERSISTENCE;
        check (by_rows || c->reason == cases[i].reason);
        check (i || degrees < 175 || (passed == 36) == !by_rows);
        check (passed > 0 || degrees < 175);
        gpuccl_sum_shape (&c->sum, &orientation, &elongation);
        off = remainder (orientation - degrees * M_PI / 180, M_PI);
        check (cases[i].bent || fabs (off) < .01);
        check_near (elongation, c->sides[0] / c->sides[1], 1e-9);
      }
}

/* Limits that are 0 change nothing: whatever the shape, the reason is that of
 * the paper's equations. */
static void
test_limits_off (DeviceKind kind)
{
  int seen[GPUCCL_SURFACE + 1] = {0};
  AUTO (Play) play;

  play_open (&play, kind, 320, 240);
  for (int round = 0; round < 60; round++) {
    GpucclParams p = gpuccl_defaults ();
    bool camera = round % 2;

    p.has_camera = camera;
    p.camera = (Camera){600, 500, 160, 120, {0}};
    p.min_size = 600;
    play_clear (&play);
    for (int i = 0; i < 9; i++) {
      bool lies = rnd (2);

      play_rect (&play, (int) rnd (300), (int) rnd (220),
          2 + (int) rnd (lies ? 160 : 16), 2 + (int) rnd (lies ? 16 : 120),
          2000);
    }
    play_run (&play, &p);
    for (int i = 0; i < play.r.n_components; i++) {
      const GpucclComponent *c = &play.r.components[i];
      double wanted = c->sum.area <= 600              ? GPUCCL_SIZE
          : c->fill <= .75                            ? GPUCCL_FILL
          : c->mean_width < 15 || c->mean_height < 15 ? GPUCCL_EXTENT
                                                      : GPUCCL_PERSISTENCE;

      check (c->reason == wanted);
      seen[c->reason]++;
    }
  }
  check (seen[GPUCCL_SIZE] && seen[GPUCCL_FILL] && seen[GPUCCL_EXTENT] &&
      seen[GPUCCL_PERSISTENCE]);
}

/* The same plate before cameras of three sizes: what its limits in space say of
 * it does not depend on the size; without camera or depth they are refused. */
static void
test_any_size (DeviceKind kind)
{
  static const int sizes[][2] = {{320, 240}, {640, 480}, {1280, 720}};
  GpucclParams p = gpuccl_defaults ();

  p.has_camera = true;
  p.min_size = 0;
  p.min_extent = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      int width = sizes[i][0], scale = width / 320;
      AUTO (Play) play;

      p.min_surface = k == 1 ? .055 : .045; /* the plate has 0.05 */
      p.min_side = k == 2 ? .11 : .09;      /* 0.1 */
      p.camera = (Camera){320. * scale, 320. * scale, 0, 0, {0}};
      play_open (&play, kind, width, sizes[i][1]);
      play_rect (&play, 20 * scale, 20 * scale, 40 * scale, 8 * scale, 4000);
      play_run (&play, &p);
      check_near (play.r.components[0].surface, .05, 1e-9);
      check (play.r.components[0].reason ==
          (k == 1          ? GPUCCL_SIZE
                  : k == 2 ? GPUCCL_EXTENT
                           : GPUCCL_PERSISTENCE));
    }
  check (!gpuccl_check (&p, GPUCCL_CLASSES, true));
  check (strstr (gpuccl_check (&p, GPUCCL_MASK, false), "min-surface"));
  p.min_surface = 0;
  p.has_camera = false;
  check (strstr (gpuccl_check (&p, GPUCCL_CLASSES, true), "min-side-pixels"));
  p.min_side = 0;
  check (!gpuccl_check (&p, GPUCCL_MASK, false));
  p.min_box_fill = -1;
  check (gpuccl_check (&p, GPUCCL_MASK, false));
}

/* ---- Objects ---- */

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
  AUTO (Play) play;
  int frames;

  play_open (&play, kind, 640, 480);
  for (int i = 0; i < 6; i++) {
    play_clear (&play);
    play_rect (&play, 20 + dx * i, 50, 80 + dw * i, 80, 2000 + depth * i);
    play_run (&play, p);
  }
  frames = play.r.components[0].frames;
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
  p.has_camera = true;
  p.camera = (Camera){500, 500, 320, 240, {0}};
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
  AUTO (Play) play;
  int frames;

  play_open (&play, kind, 640, 480);
  play_rect (&play, 250, 190, 100, 100, 2000);
  play_run (&play, p);
  play_clear (&play);
  play_rect (&play, 300 - width / 2, 240 - height / 2, width, height, 2000);
  play_run (&play, p);
  frames = play.r.components[0].frames;
  return frames;
}

/* As large, but of another shape, is another object. */
static void
test_shape (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();

  for (int in_space = 0; in_space < 2; in_space++) {
    p.has_camera = in_space;
    p.camera = (Camera){500, 400, 320, 240, {0}};
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
    AUTO (Play) play;

    p.has_camera = true;
    p.camera = (Camera){500, 500, 320, 240, {0}};
    p.match_distance = .02;
    play_open (&play, kind, 640, 480);
    for (int i = 0; i < 6; i++) {
      double a = -.1 * i, t[3] = {.5 * i, .1 * i, 0}, world[3] = {.3, .1, 3};
      double v[3], at[3];

      p.has_pose = known;
      p.pose = (Pose64){{t[0], t[1], t[2]}, {cos (a / 2), 0, sin (a / 2), 0}};
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
  }
}

/* A camera that stands still, and whose pose is not known in every frame. */
static void
test_pose_comes_and_goes (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  AUTO (Play) play;

  p.has_camera = true;
  p.camera = (Camera){500, 500, 320, 240, {0}};
  play_open (&play, kind, 640, 480);
  play_rect (&play, 250, 190, 100, 100, 2000);
  for (int i = 0; i < 8; i++) {
    p.has_pose = i % 4 < 2;
    p.pose = (Pose64){{5, 0, -3}, {.6, 0, .8, 0}};
    play_run (&play, &p);
    check (play.r.components[0].frames == i + 1);
  }
}

/* Two that pass each other keep their ids; the largest is the accepted one. */
static void
test_two (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  uint64_t ids[2] = {0};
  AUTO (Play) play;

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
}

/* Of two that both could be it, the nearer one is it. */
static void
test_split (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  const GpucclComponent *c;
  uint64_t id;
  AUTO (Play) play;

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
}

CHECK_MAIN (NULL, NULL, PART (criteria), {"shapes of figure 6", test_shapes},
    PART (rank), PART (measures), PART (rectangle),
    {"turned by any angle", test_any_angle},
    {"limits that are off", test_limits_off},
    {"frames of any size", test_any_size}, PART (persistence), PART (matching),
    PART (shape), {"the camera moves", test_camera_motion},
    {"a pose comes and goes", test_pose_comes_and_goes},
    {"two objects", test_two}, {"one becomes two", test_split})
