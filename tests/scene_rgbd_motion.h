/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who goes where, when, and how. */

/* The robot's middle in the world and the way its front points. */
static void
robot_at (const RgbdParams *p, uint64_t number, double at[3], double front[3])
{
  static const double forward[3] = {0, 0, -1};
  RgbdPose pose = rgbd_robot (p, number);

  memcpy (at, pose.t, sizeof pose.t);
  turn (pose.q, forward, front);
}

static void
starts (DeviceKind kind)
{
  RgbdParams p = RGBD_DEFAULTS;

  (void) kind;
  for (int f = 0; f < 12; f++) {
    RgbdPose rest, last, later;

    p.seed = rnd (1000), p.path = f % 6, p.motion_start = rnd (1000);
    rest = rgbd_robot (&p, 0);
    last = rgbd_robot (&p, p.motion_start);
    later = rgbd_robot (&p, p.motion_start + 2);
    check (!memcmp (&rest, &last, sizeof rest));
    check (memcmp (&rest, &later, sizeof rest));
    p.speed = 0;
    later = rgbd_robot (&p, p.motion_start + 1000);
    check (!memcmp (&rest, &later, sizeof rest));
    p.speed = 1;
  }
}

/* Each path is what its name says; the first leg of all takes less than 300
 * frames. */
static void
paths (DeviceKind kind)
{
  RgbdParams p = RGBD_DEFAULTS;
  View v = view_new (160, 120);

  (void) kind;
  for (int f = 0; f < 18; f++) {
    double from[3], to[3], front[3], turned[3], way[3];
    uint64_t last = p.motion_start;
    double forward, sideways;

    p.seed = rnd (1000), p.path = f % 6;
    robot_at (&p, 0, from, front);
    while (p.path != RGBD_ROTATION && last < 500) {
      robot_at (&p, last + 1, to, turned);
      robot_at (&p, last, way, turned);
      if (hypot (to[0] - from[0], to[2] - from[2]) <
          hypot (way[0] - from[0], way[2] - from[2]))
        break;
      last++;
    }
    check (last < 330);
    robot_at (&p, last, to, turned);
    for (int i = 0; i < 3; i++)
      way[i] = to[i] - from[i];
    forward = way[0] * front[0] + way[2] * front[2], sideways = fabs (way[0]);
    check_near (way[1], 0, 1e-12);
    check (p.path == RGBD_ROTATION || forward > .99 * hypot (way[0], way[2]));
    if (p.path == RGBD_PARALLEL)
      check (way[0] > 1 && fabs (way[2]) < 1e-9);
    if (p.path == RGBD_TOWARDS)
      check (way[2] < -1 && sideways > .4);
    if (p.path == RGBD_FRONTAL)
      check (way[2] < -1 && sideways < 1e-9 && front[2] < -.99);
    if (p.path == RGBD_AWAY)
      check (way[2] > 1 && sideways < 1e-9 && front[2] > .99);
    view_show (&v, &p, last);
    check ((v.truth.object.area == 0) == (p.path == RGBD_PASS));
    if (p.path == RGBD_ROTATION) {
      robot_at (&p, last + 75, to, turned);
      check (!memcmp (to, from, sizeof to));
      check (turned[0] * front[0] + turned[2] * front[2] < .5);
    }
  }
  view_free (&v);
}

/* 8 mm a frame at most, without jerks, and never into anything. */
static void
drives (DeviceKind kind)
{
  RgbdParams p = RGBD_DEFAULTS;

  (void) kind;
  for (int f = 0; f < 24; f++) {
    double last[3], step = 0, most = 0, jerk = 0, front[3];
    RgbdPlan plan;

    p.seed = rnd (1000), p.path = f % 6, p.speed = f < 12 ? 1 : 8;
    plan = rgbd_plan (&p, 32, 24, 0);
    robot_at (&p, 20, last, front);
    for (int n = 21; n < 500; n++) {
      double at[3], side[3] = {0, 0, 0}, d;

      robot_at (&p, n, at, front);
      d = hypot (at[0] - last[0], at[2] - last[2]);
      jerk = fmax (jerk, fabs (d - step)), step = d, most = fmax (most, d);
      memcpy (last, at, sizeof at);
      for (int k = 0; k < 8; k++) {
        double u = k & 1 ? .22 : -.22, w = k & 2 ? .21 : -.21;

        side[0] = at[0] + u * front[2] + w * front[0];
        side[2] = at[2] - u * front[0] + w * front[2];
        side[1] = at[1] + (k & 4 ? .2 : -.2);
        check (distance_in (&plan, NULL, side) > .01);
      }
    }
    check (most <= .0081 * p.speed && jerk <= .0017 * p.speed);
    check (p.path == RGBD_ROTATION || most > .0065 * p.speed);
    check_near (last[1] + rgbd_extent[1] / 2, RGBD_FLOOR, 1e-9);
  }
}

/* The camera is held by a hand: it never rests, and never jumps. */
static void
hand (DeviceKind kind)
{
  RgbdParams p = RGBD_DEFAULTS;

  (void) kind;
  for (int f = 0; f < 6; f++) {
    RgbdPose last;

    p.seed = rnd (1000);
    last = rgbd_camera (&p, UINT64_MAX);
    for (int n = 0; n < 1000; n++) {
      RgbdPose now = rgbd_camera (&p, n);
      double way = 0, dot = 0, norm = 0, angle;

      for (int i = 0; i < 3; i++) {
        check (fabs (now.t[i]) < .03);
        way += (now.t[i] - last.t[i]) * (now.t[i] - last.t[i]);
      }
      for (int i = 0; i < 4; i++)
        dot += now.q[i] * last.q[i], norm += now.q[i] * now.q[i];
      angle = 2 * acos (fmin (fabs (dot), 1)) * 180 / M_PI;
      check_near (norm, 1, 1e-12);
      check (way > 0 && sqrt (way) < .004 && angle < .3);
      last = now;
    }
  }
}

/* A frame follows from params and number alone. */
static void
repeats (DeviceKind kind)
{
  RgbdParams p = RGBD_DEFAULTS, other;
  View a = view_new (161, 99), b = view_new (161, 99);
  size_t n = 161 * 99 * 2;

  (void) kind;
  for (int i = 0; i < 8; i++) {
    uint64_t number = i == 7 ? UINT64_MAX - 5 : rnd (1u << 31);

    p.seed = rnd (1000), p.path = i % 6;
    other = p, other.seed += 1;
    view_show (&a, &p, number);
    view_show (&b, &other, number);
    check (memcmp (a.img.plane[0], b.img.plane[0], n));
    view_show (&b, &p, number + 1);
    check (memcmp (a.img.plane[0], b.img.plane[0], n));
    view_show (&b, &p, number);
    check (!memcmp (a.img.plane[0], b.img.plane[0], n));
    check (!memcmp (a.classes, b.classes, n));
    check (!memcmp (a.labels, b.labels, n));
    check (!memcmp (a.truth.camera, b.truth.camera, sizeof a.truth.camera));
    check (!memcmp (a.truth.robot, b.truth.robot, sizeof a.truth.robot));
  }
  view_free (&a);
  view_free (&b);
}
