/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Is the depth true, is the mask, are the poses? */

/* The floor by hand: it is level, and 1.05 m below the world's origin. */
static void
plane (DeviceKind kind)
{
  RgbdParams p = {.path = RGBD_FRONTAL, .speed = 1, .motion_start = 30};
  View v = view_new (640, 480);

  (void) kind;
  for (int i = 0; i < 40; i++) {
    int x = 200 + rnd (240), y = 440 + rnd (40);
    double ray[3], way[3];

    p.seed = rnd (1000);
    view_show (&v, &p, rnd (30));
    ray_of (&v.truth, x, y, ray);
    turn (v.truth.camera + 3, ray, way);
    check_near (depth_at (&v, x, y),
        1000 * (RGBD_FLOOR - v.truth.camera[1]) / way[1], .51);
  }
  view_free (&v);
}

/* The ball on the floor by hand: the nearest of its points to the camera is
 * its radius before its middle. */
static void
ball (DeviceKind kind)
{
  RgbdParams p = RGBD_DEFAULTS;
  View v = view_new (641, 479);
  int tried = 0;

  (void) kind;
  for (int i = 0; i < 20; i++) {
    RgbdPlan plan;
    double middle[3] = {0}, away, r = 0, at[3], pose[7];
    int x, y;

    p.seed = rnd (1000), p.noise = 0, p.path = RGBD_AWAY, p.speed = 0;
    plan = rgbd_plan (&p, 641, 479, i);
    for (int k = 0; k < plan.n_furniture; k++)
      if (plan.furniture[k].shape == RGBD_SPHERE)
        r = plan.furniture[k].half[0],
        memcpy (middle, plan.furniture[k].pose.t, sizeof middle);
    view_show (&v, &p, i);
    flatten (&plan.camera, pose);
    carry_back (pose, middle, at);
    away = sqrt (at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    x = (int) (v.truth.fx * at[0] / at[2] + v.truth.cx + .5);
    y = (int) (v.truth.fy * at[1] / at[2] + v.truth.cy + .5);
    if (x < 0 || x >= 641 || y < 0 || y >= 479 || label_at (&v, x, y))
      continue;
    tried++;
    check_near (depth_at (&v, x, y) * .001, at[2] * (1 - r / away), .001);
  }
  check (tried > 10);
  view_free (&v);
}

/* Depth and mask, pixel by pixel. */
static void
oracle (DeviceKind kind)
{
  static const int sizes[][2] = {{640, 480}, {512, 424}, {161, 99}, {64, 333}};
  RgbdParams p = RGBD_DEFAULTS;
  int wrong = 0, masks = 0, n = 0, robots = 0;

  (void) kind;
  for (int f = 0; f < 24; f++) {
    int w = sizes[f % 4][0], h = sizes[f % 4][1];
    View v = view_new (w, h);
    RgbdPlan plan;
    uint64_t number = rnd (400);

    p.seed = rnd (1000), p.path = f / 4, p.noise = 0;
    plan = rgbd_plan (&p, w, h, number);
    view_show (&v, &p, number);
    for (int k = 0; k < 300; k++) {
      ImageBox b = v.truth.object.box;
      bool near = k % 2 && b.x1 > b.x0;
      int x = near ? b.x0 + (int) rnd (b.x1 - b.x0) : (int) rnd (w);
      int y = near ? b.y0 + (int) rnd (b.y1 - b.y0) : (int) rnd (h);
      double all = march (&plan, &plan.robot, &v.truth, x, y);
      double room = march (&plan, NULL, &v.truth, x, y);
      int depth = depth_at (&v, x, y);

      n++, robots += all < room - 1e-4;
      masks += label_at (&v, x, y) != (all < room - 1e-4);
      wrong += all > .501 && all < 4.999
          ? fabs (depth - 1000 * all) > .6 && depth != 0
          : depth != 0 && fabs (depth - 1000 * all) > 2;
      wrong += all > .501 && all < 4.999 && !depth;
    }
    view_free (&v);
  }
  /* a ray that just touches an edge may go either way */
  check (wrong <= n / 500 && masks <= n / 500);
  check (robots > 1500);
}

/* True depth between pixels, where it is that of a plane: its inverse is
 * linear.  0 where it is not. */
static double
depth_between (const View *v, double x, double y, int label)
{
  int x0 = (int) floor (x), y0 = (int) floor (y);
  double u = x - x0, w = y - y0, z[4];

  if (x0 < 0 || y0 < 0 || x0 + 1 >= v->img.width || y0 + 1 >= v->img.height)
    return 0;
  for (int i = 0; i < 4; i++) {
    int at = (y0 + i / 2) * v->img.width + x0 + i % 2;

    if (v->labels[at] != label)
      return 0;
    z[i] = 1 / v->scene->z[at];
  }
  if (fabs (z[0] + z[3] - z[1] - z[2]) > 1e-5)
    return 0;
  return 1 /
      ((z[0] * (1 - u) + z[1] * u) * (1 - w) + (z[2] * (1 - u) + z[3] * u) * w);
}

/* A point seen in one frame is seen at its place in another, whether it goes
 * with the room or with the robot. */
static void
poses (DeviceKind kind)
{
  RgbdParams p = {.motion_start = 0, .speed = 1};
  View a = view_new (640, 480), b = view_new (640, 480);
  int n[2] = {0}, off[2] = {0};

  (void) kind;
  for (int f = 0; f < 12; f++) {
    uint64_t number = 20 + rnd (100);

    p.seed = rnd (1000), p.path = f % 6;
    view_show (&a, &p, number);
    view_show (&b, &p, number + 1 + rnd (6));
    for (int k = 0; k < 3000; k++) {
      int x = rnd (640), y = rnd (480), robot = label_at (&a, x, y);
      double point[3], at[3], z;

      ray_of (&a.truth, x, y, at);
      for (int i = 0; i < 3; i++)
        at[i] *= a.scene->z[y * 640 + x];
      if (robot) {
        carry_back (a.truth.robot, at, point);
        carry (b.truth.robot, point, at);
      } else {
        carry (a.truth.camera, at, point);
        carry_back (b.truth.camera, point, at);
      }
      z = depth_between (&b, b.truth.fx * at[0] / at[2] + b.truth.cx,
          b.truth.fy * at[1] / at[2] + b.truth.cy, robot);
      if (z == 0 || z < at[2] - .02)
        continue; /* at an edge, or hidden */
      n[robot]++, off[robot] += fabs (z - at[2]) > .001;
    }
  }
  check (n[0] > 20000 && n[1] > 800);
  /* in a crease, or on a sliver between the pixels of the other frame */
  check (off[0] < n[0] / 500 && off[1] < n[1] / 100);
  view_free (&a);
  view_free (&b);
}

/* What is counted, by the definitions. */
static void
counts (DeviceKind kind)
{
  RgbdParams p = RGBD_DEFAULTS;
  View v = view_new (160, 120);

  (void) kind;
  for (int f = 0; f < 24; f++) {
    const SceneObject *o = &v.truth.object;
    double n = 0, mx = 0, my = 0;
    int inside = 0;

    p.seed = rnd (1000), p.path = f % 6;
    view_show (&v, &p, rnd (500));
    for (int y = 0; y < 120; y++)
      for (int x = 0; x < 160; x++)
        if (label_at (&v, x, y)) {
          n++, mx += x, my += y;
          inside += x >= o->box.x0 && x < o->box.x1 && y >= o->box.y0 &&
              y < o->box.y1;
        }
    check (o->area == n && inside == n && o->area <= o->full_area);
    check (o->id == 0 && !strcmp (o->label, "robot"));
    check (n == 0 ? isnan (o->cx) : fabs (o->cx - mx / n) < 1e-9);
    check (n == 0 ? isnan (o->cy) : fabs (o->cy - my / n) < 1e-9);
    check (v.truth.fx == 585 / 4. && v.truth.cx == 79.5 && v.truth.cy == 59.5);
  }
  view_free (&v);
}
