/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tracker's model, looked at from within: surfaces, and what was seen. */

/* Depth and facing of the model's surface are those of the room and the robot
 * at rest. */
static void
surfaces (DeviceKind kind)
{
  RgbdParams p = {.motion_start = 1000, .speed = 1};
  View v = view_new (320, 240);
  int n = 0, wrong = 0, round = 0;

  (void) kind;
  for (int f = 0; f < 12; f++) {
    uint64_t number = rnd (1000);
    RgbdPlan plan;

    p.seed = rnd (1000), p.path = f % 6;
    plan = rgbd_plan (&p, 320, 240, number);
    view_show (&v, &p, number);
    for (int k = 0; k < 600; k++) {
      int x = rnd (320), y = rnd (240), at = y * 320 + x;
      double z = march (&plan, &plan.robot_rest, &v.truth, x, y), m[3], facing;

      if (isinf (v.scene->model_z[at]))
        continue;
      point_of (&v.truth, x, y, z, m);
      facing = facing_of (&plan, &plan.robot_rest, &v.truth, x, y, m);
      n++, round += facing < .9 && facing > .3;
      wrong += fabs (v.scene->model_z[at] - z) > 1e-4 ||
          fabs (v.scene->model_facing[at] - facing) > 2e-3;
    }
  }
  check (n > 5000 && round > 1000 && wrong < n / 100); /* at edges */
  view_free (&v);
}

/* The same of what is round, where facing changes from pixel to pixel. */
static void
round_surfaces (DeviceKind kind)
{
  View v = view_new (640, 480);
  int n = 0, wrong = 0;

  (void) kind;
  for (int f = 0; f < 8; f++) {
    RgbdParams p = {.speed = 0, .path = RGBD_AWAY, .seed = rnd (1000)};
    RgbdPlan plan = rgbd_plan (&p, 640, 480, f);

    view_show (&v, &p, f);
    for (int i = 0; i < plan.n_furniture; i++) {
      const RgbdSolid *s = &plan.furniture[i];
      double pose[7], at[3], r = s->half[0];

      if (s->shape != RGBD_SPHERE && s->shape != RGBD_CYLINDER)
        continue;
      flatten (&plan.camera, pose);
      carry_back (pose, s->pose.t, at);
      for (int k = 0; k < 60; k++) {
        double u = at[0] + (rnd (2001) / 1000. - 1) * r;
        int x = (int) (v.truth.fx * u / at[2] + v.truth.cx);
        int y = (int) (v.truth.fy * at[1] / at[2] + v.truth.cy);
        double z, m[3];

        if (x < 40 || y < 40 || x >= 600 || y >= 440)
          continue;
        z = march (&plan, NULL, &v.truth, x, y);
        point_of (&v.truth, x, y, z, m);
        if (distance_of (s, m) > 1e-4)
          continue;
        n++;
        wrong += fabs (v.scene->model_facing[y * 640 + x] -
                     facing_of (&plan, &plan.robot, &v.truth, x, y, m)) > .01;
      }
    }
  }
  check (n > 500 && wrong <= n / 50);
  view_free (&v);
}

/* Given the model, the class is a matter of two numbers. */
static void
thresholds (DeviceKind kind)
{
  RgbdParams p = {.motion_start = 0, .speed = 1};
  View v = view_new (320, 240);
  int wrong = 0, n[6] = {0};

  (void) kind;
  for (int f = 0; f < 12; f++) {
    p.seed = rnd (1000), p.path = f % 6;
    view_show (&v, &p, 15 + rnd (60));
    for (int i = 0; i < 320 * 240; i++) {
      int class = v.classes[2 * i];
      double z = depth_at (&v, i % 320, i / 320) * .001;
      double d = fabs (z - v.scene->model_z[i]) * v.scene->model_facing[i];

      n[class]++;
      if (fabs (d - .02) < 1e-6 || fabs (d - .035) < 1e-6)
        continue;
      wrong += class == RGBD_INLIER && d > .02;
      wrong += class == RGBD_POTENTIAL_OUTLIER && (d < .02 || d > .035);
      wrong += class == RGBD_OUTLIER && d < .035;
      wrong += class == RGBD_NO_CORRESPONDENCE && d < .02;
    }
  }
  check (!wrong);
  for (int i = RGBD_INLIER; i <= RGBD_OUT_OF_VOLUME; i++)
    check (n[i] > 500);
  view_free (&v);
}

/* At the rim the model has a surface if that was in one of the earlier
 * views. */
static void
rim (DeviceKind kind)
{
  RgbdParams p = {.motion_start = 1000, .speed = 1};
  View v = view_new (640, 480);
  int wrong = 0, unseen = 0;

  (void) kind;
  for (int f = 0; f < 10; f++) {
    uint64_t number = 200 + rnd (1000);
    double views[RGBD_VIEWS][7];

    p.seed = rnd (1000), p.path = f % 6;
    view_show (&v, &p, number);
    for (int k = 0; k < RGBD_VIEWS; k++) {
      RgbdPose pose = rgbd_camera (&p, number - 5 * (k + 1));

      flatten (&pose, views[k]);
    }
    for (int i = 0; i < 640 * 480; i++) {
      double inmost = -INFINITY, point[3], at[3];

      point_of (&v.truth, i % 640, i / 640, v.scene->z[i], point);
      for (int k = 0; k < RGBD_VIEWS && inmost < 1; k++) {
        double x, y;

        carry_back (views[k], point, at);
        x = v.truth.fx * at[0] / at[2] + v.truth.cx + .5;
        y = v.truth.fy * at[1] / at[2] + v.truth.cy + .5;
        inmost = fmax (inmost, fmin (fmin (x, 640 - x), fmin (y, 480 - y)));
      }
      unseen += inmost < 0;
      wrong +=
          fabs (inmost) > 1e-3 && (inmost < 0) != isinf (v.scene->model_z[i]);
    }
  }
  check (unseen > 1000 && !wrong);
  view_free (&v);
}

/* The robot behind the table: what the table hides is not the robot's. */
static void
behind (DeviceKind kind)
{
  View v = view_new (320, 240);
  int wrong = 0, seen = 0;

  (void) kind;
  for (int f = 0; f < 6; f++) {
    RgbdParams p = RGBD_DEFAULTS;
    uint64_t full, area = 0;
    RgbdPlan plan;

    p.seed = rnd (1000);
    plan = rgbd_plan (&p, 320, 240, 100);
    plan.robot.t[0] = -1, plan.robot.t[2] = 3.3;
    view_show (&v, &p, 100);
    full = rgbd_cast (v.scene, &plan);
    for (int i = 0; i < 320 * 240; i++)
      area += v.scene->labels[i];
    check (area > 0 && area < .95 * full);
    for (int k = 0; k < 500; k++) {
      int x = rnd (160), y = 60 + rnd (120);
      double all = march (&plan, &plan.robot, &v.truth, x, y);
      double room = march (&plan, NULL, &v.truth, x, y);

      seen += all < room - 1e-4;
      wrong += v.scene->labels[y * 320 + x] != (all < room - 1e-4);
    }
  }
  check (seen > 100 && wrong <= 12);
  view_free (&v);
}
