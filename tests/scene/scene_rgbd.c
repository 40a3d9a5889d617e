/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene rgbd: a depth that is true, a robot that moves as it should, a
 * tracker's map that follows from both, a sensor with its faults. */
#include "scene_rgbd.h"
#include "seconds.h"

/* One robot, which starts to move with frame @start, and a camera in a hand;
 * no noise. */
static RgbdParams
rgbd_swaying (uint64_t start)
{
  RgbdParams p = {.n_objects = 1, .robots = 1, .speed = 1};

  p.camera = RGBD_SWAY;
  p.motion_start = start;
  return p;
}

/* ---- Is the depth true, is the mask, are the poses? ---- */

/* The floor by hand: it is level, and 1.05 m below the world's origin. */
static void
plane (DeviceKind kind)
{
  RgbdParams p = rgbd_swaying (30);
  AUTO (View) v = view_new (640, 480);

  p.path = RGBD_FRONTAL;
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
}

/* The ball on the floor by hand: the nearest of its points to the camera is
 * its radius before its middle. */
static void
ball (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();
  AUTO (View) v = view_new (641, 479);
  int tried = 0;

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
}

/* Depth and mask, pixel by pixel. */
static void
oracle (DeviceKind kind)
{
  static const int sizes[][2] = {{640, 480}, {512, 424}, {161, 99}, {64, 333}};
  RgbdParams p = rgbd_defaults ();
  int wrong = 0, masks = 0, n = 0, robots = 0;

  for (int f = 0; f < 24; f++) {
    int w = sizes[f % 4][0], h = sizes[f % 4][1];
    AUTO (View) v = view_new (w, h);
    RgbdPlan plan;
    uint64_t number = rnd (400);

    p.seed = rnd (1000), p.path = f / 4, p.noise = 0;
    plan = rgbd_plan (&p, w, h, number);
    view_show (&v, &p, number);
    for (int k = 0; k < 300; k++) {
      ImageBox b = v.truth.objects[0].seen.box;
      bool near = k % 2 && b.x1 > b.x0;
      int x = near ? b.x0 + (int) rnd (b.x1 - b.x0) : (int) rnd (w);
      int y = near ? b.y0 + (int) rnd (b.y1 - b.y0) : (int) rnd (h);
      double all = march (&plan, NOW, &v.truth, x, y);
      double room = march (&plan, ROOM, &v.truth, x, y);
      int depth = depth_at (&v, x, y);

      n++, robots += all < room - 1e-4;
      masks += label_at (&v, x, y) != (all < room - 1e-4);
      wrong += all > .501 && all < 4.999
          ? fabs (depth - 1000 * all) > .6 && depth != 0
          : depth != 0 && fabs (depth - 1000 * all) > 2;
      wrong += all > .501 && all < 4.999 && !depth;
    }
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
  RgbdParams p = rgbd_swaying (0);
  AUTO (View) a = view_new (640, 480), b = view_new (640, 480);
  int n[2] = {0}, off[2] = {0};

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
        carry_back (a.truth.objects[0].pose, at, point);
        carry (b.truth.objects[0].pose, point, at);
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
}

/* What is counted, by the definitions. */
static void
counts (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();
  AUTO (View) v = view_new (160, 120);

  for (int f = 0; f < 24; f++) {
    const SceneObject *o = &v.truth.objects[0].seen;
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
}

/* ---- Does the map say what a tracker would? ---- */

/* Until the robot moves, nothing is an outlier: without noise none at all, with
 * noise only where the sensor blurs an edge. */
static void
at_rest (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();
  AUTO (View) v = view_new (320, 240);

  for (int f = 0; f < 24; f++) {
    int n[6] = {0}, amid = 0, pixels = 320 * 240;

    p.seed = rnd (1000), p.path = f % 6, p.noise = f < 12 ? 0 : 2;
    view_show (&v, &p, rnd (31));
    for (int y = 0; y < 240; y++)
      for (int x = 0; x < 320; x++) {
        int class = class_at (&v, x, y);

        check (class <= RGBD_OUT_OF_VOLUME);
        check ((class == RGBD_MISSING) == (depth_at (&v, x, y) == 0));
        n[class]++;
        amid += class == RGBD_OUTLIER && !at_edge (&v, v.scene->z, x, y, .03f);
      }
    check (n[RGBD_INLIER] > .7 * pixels && amid < pixels / 1000);
    check (n[RGBD_NO_CORRESPONDENCE] < .025 * pixels);
    check (n[RGBD_OUTLIER] <= (p.noise > 0 ? .02 * pixels : 0));
    check (n[RGBD_POTENTIAL_OUTLIER] <= (p.noise > 0 ? .002 * pixels : 0));
    for (int i = 0; i < pixels; i++)
      check (v.classes[2 * i + 1] == 0);
  }
}

/* How far the measured point is from a surface, along that one's normal. */
static double
distance_to (const View *v, const RgbdPlan *plan, With with, int x, int y)
{
  double z = march (plan, with, &v->truth, x, y), m[3];

  point_of (&v->truth, x, y, z, m);
  return fabs (depth_at (v, x, y) * .001 - z) *
      facing_of (plan, with, &v->truth, x, y, m);
}

static bool
class_fits (int class, double distance)
{
  const double slack = .0008; /* depth is in whole millimetres */

  return (class == RGBD_INLIER && distance < .02 + slack) ||
      (class == RGBD_POTENTIAL_OUTLIER && distance > .02 - slack &&
          distance < .035 + slack) ||
      (class == RGBD_OUTLIER && distance > .035 - slack);
}

/* A class follows from the distance to the room or, until that has been seen
 * behind it, to the robot at rest. */
static void
distances (DeviceKind kind)
{
  RgbdParams p = rgbd_swaying (5);
  AUTO (View) v = view_new (320, 240);
  int n = 0, wrong = 0, seen[6] = {0};

  for (int f = 0; f < 18; f++) {
    uint64_t number = 5 + rnd (120);
    RgbdPlan plan;

    p.seed = rnd (1000), p.path = f % 6;
    plan = rgbd_plan (&p, 320, 240, number);
    view_show (&v, &p, number);
    for (int k = 0; k < 200; k++) {
      ImageBox b = v.truth.objects[0].seen.box;
      int x = k % 3 && b.x1 ? b.x0 + (int) rnd (b.x1 - b.x0) : (int) rnd (320);
      int y = k % 3 && b.x1 ? b.y0 + (int) rnd (b.y1 - b.y0) : (int) rnd (240);
      int class = class_at (&v, x, y);

      seen[class]++;
      if (class < RGBD_INLIER || class > RGBD_OUTLIER)
        continue;
      n++;
      wrong += !class_fits (class, distance_to (&v, &plan, ROOM, x, y)) &&
          !class_fits (class, distance_to (&v, &plan, REST, x, y));
    }
  }
  check (n > 2000 && wrong <= n / 200);
  check (seen[RGBD_POTENTIAL_OUTLIER] > 20 && seen[RGBD_OUTLIER] > 500);
}

/* Once the robot has left its place, it is an outlier and nothing else is. */
static void
moved (DeviceKind kind)
{
  /* paths whose end is clear of their start, and the frames that takes */
  static const struct {
    RgbdPath path;
    int frames;
  } far[] = {{RGBD_PARALLEL, 100}, {RGBD_TOWARDS, 120}, {RGBD_FRONTAL, 120},
      {RGBD_AWAY, 110}, {RGBD_PASS, 110}};
  RgbdParams p = rgbd_defaults ();
  AUTO (View) v = view_new (320, 240);

  for (int f = 0; f < 15; f++) {
    int robot = 0, out = 0, blurred = 0, elsewhere = 0;

    p.path = far[f % 5].path, p.seed = rnd (1000), p.noise = f < 10 ? 0 : 2;
    view_show (&v, &p, p.motion_start + far[f % 5].frames);
    for (int y = 0; y < 240; y++)
      for (int x = 0; x < 320; x++) {
        int class = class_at (&v, x, y);
        bool outlier = class == RGBD_OUTLIER || class == RGBD_POTENTIAL_OUTLIER;

        if (label_at (&v, x, y) && class != RGBD_MISSING)
          robot++, out += outlier;
        else if (outlier)
          *(at_edge (&v, v.scene->z, x, y, .03f) ? &blurred : &elsewhere) += 1;
      }
    check (robot > 1500 && out > .95 * robot);
    check (elsewhere <= (p.noise > 0 ? 150 : 0));
    check (p.noise > 0 ? blurred < 1500 : !blurred);
  }
}

/* What the robot uncovers has no correspondence at first, and is known soon
 * after. */
static void
uncovered (DeviceKind kind)
{
  RgbdParams p = rgbd_swaying (10);
  AUTO (View) now = view_new (320, 240), then = view_new (320, 240);
  int n = 0, known = 0, at_once = 0;

  for (int f = 0; f < 6; f++) {
    p.seed = rnd (1000);
    view_show (&now, &p, 50);
    view_show (&then, &p, 50 + RGBD_LEARNS + 1);
    for (int i = 0; i < 320 * 240; i++) {
      double point[3], at[3];
      int x, y, class;

      if (now.classes[2 * i] != RGBD_NO_CORRESPONDENCE || i % 320 < 30 ||
          i % 320 >= 290 || i / 320 < 30 || i / 320 >= 210)
        continue;
      at_once++;
      check (!now.labels[i]);
      point_of (&now.truth, i % 320, i / 320,
          depth_at (&now, i % 320, i / 320) * .001, point);
      carry_back (then.truth.camera, point, at);
      x = (int) (then.truth.fx * at[0] / at[2] + then.truth.cx + .5);
      y = (int) (then.truth.fy * at[1] / at[2] + then.truth.cy + .5);
      class = class_at (&then, x, y);
      n += !label_at (&then, x, y);
      known += !label_at (&then, x, y) && class == RGBD_INLIER;
    }
  }
  /* but where the robot covers it again: it is open between its posts */
  check (at_once > 2000 && n > 2000 && known > .93 * n);
}

/* Out of the volume is what is out of the cube of 4.2 m. */
static void
volume (DeviceKind kind)
{
  RgbdParams p = rgbd_swaying (30);
  AUTO (View) v = view_new (160, 120);
  int out = 0;

  for (int f = 0; f < 10; f++) {
    p.seed = rnd (1000), p.path = f % 6;
    view_show (&v, &p, rnd (1000));
    for (int y = 0; y < 120; y++)
      for (int x = 0; x < 160; x++) {
        double w[3], past;
        bool outside = class_at (&v, x, y) == RGBD_OUT_OF_VOLUME;

        point_of (&v.truth, x, y, depth_at (&v, x, y) * .001, w);
        past = fmax (fmax (fabs (w[0]), fabs (w[1])), fabs (w[2] - 1.9)) - 2.1;
        if (depth_at (&v, x, y) && fabs (past) > 1e-4)
          check (outside == (past > 0));
        out += outside;
      }
  }
  check (out > 100);
}

/* ---- The tracker's model, looked at from within ---- */

/* Depth and facing of the model's surface are those of the room and the robot
 * at rest. */
static void
surfaces (DeviceKind kind)
{
  RgbdParams p = rgbd_swaying (1000);
  AUTO (View) v = view_new (320, 240);
  int n = 0, wrong = 0, round = 0;

  for (int f = 0; f < 12; f++) {
    uint64_t number = rnd (1000);
    RgbdPlan plan;

    p.seed = rnd (1000), p.path = f % 6;
    plan = rgbd_plan (&p, 320, 240, number);
    view_show (&v, &p, number);
    for (int k = 0; k < 600; k++) {
      int x = rnd (320), y = rnd (240), at = y * 320 + x;
      double z = march (&plan, REST, &v.truth, x, y), m[3], facing;

      if (isinf (v.scene->model_z[at]))
        continue;
      point_of (&v.truth, x, y, z, m);
      facing = facing_of (&plan, REST, &v.truth, x, y, m);
      n++, round += facing < .9 && facing > .3;
      wrong += fabs (v.scene->model_z[at] - z) > 1e-4 ||
          fabs (v.scene->model_facing[at] - facing) > 2e-3;
    }
  }
  check (n > 5000 && round > 1000 && wrong < n / 100); /* at edges */
}

/* The same of what is round, where facing changes from pixel to pixel. */
static void
round_surfaces (DeviceKind kind)
{
  AUTO (View) v = view_new (640, 480);
  int n = 0, wrong = 0;

  for (int f = 0; f < 8; f++) {
    RgbdParams p = {.n_objects = 1,
        .robots = 1,
        .camera = RGBD_SWAY,
        .speed = 0,
        .path = RGBD_AWAY,
        .seed = rnd (1000)};
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
        z = march (&plan, ROOM, &v.truth, x, y);
        point_of (&v.truth, x, y, z, m);
        if (distance_of (s, m) > 1e-4)
          continue;
        n++;
        wrong += fabs (v.scene->model_facing[y * 640 + x] -
                     facing_of (&plan, NOW, &v.truth, x, y, m)) > .01;
      }
    }
  }
  check (n > 500 && wrong <= n / 50);
}

/* Given the model, the class is a matter of two numbers. */
static void
thresholds (DeviceKind kind)
{
  RgbdParams p = rgbd_swaying (0);
  AUTO (View) v = view_new (320, 240);
  int wrong = 0, n[6] = {0};

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
}

/* At the rim the model has a surface if that was in one of the earlier
 * views. */
static void
rim (DeviceKind kind)
{
  RgbdParams p = rgbd_swaying (1000);
  AUTO (View) v = view_new (640, 480);
  int wrong = 0, unseen = 0;

  for (int f = 0; f < 10; f++) {
    uint64_t number = 200 + rnd (1000);
    double views[RGBD_VIEWS][7];

    p.seed = rnd (1000), p.path = f % 6;
    view_show (&v, &p, number);
    for (int k = 0; k < RGBD_VIEWS; k++) {
      Pose64 pose = rgbd_camera (&p, number - 5 * (k + 1));

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
}

/* The robot behind the table: what the table hides is not the robot's. */
static void
behind (DeviceKind kind)
{
  AUTO (View) v = view_new (320, 240);
  int wrong = 0, seen = 0;

  for (int f = 0; f < 6; f++) {
    RgbdParams p = rgbd_defaults ();
    uint64_t full[RGBD_MAX_OBJECTS], area = 0;
    RgbdPlan plan;

    p.seed = rnd (1000);
    plan = rgbd_plan (&p, 320, 240, 100);
    plan.movers[0].now.t[0] = -1, plan.movers[0].now.t[2] = 3.3;
    view_show (&v, &p, 100);
    rgbd_cast (v.scene, &plan, full);
    for (int i = 0; i < 320 * 240; i++)
      area += v.scene->labels[i];
    check (area > 0 && area < .95 * full[0]);
    for (int k = 0; k < 500; k++) {
      int x = rnd (160), y = 60 + rnd (120);
      double all = march (&plan, NOW, &v.truth, x, y);
      double room = march (&plan, ROOM, &v.truth, x, y);

      seen += all < room - 1e-4;
      wrong += v.scene->labels[y * 320 + x] != (all < room - 1e-4);
    }
  }
  check (seen > 100 && wrong <= 12);
}

/* ---- Is the sensor one? ---- */

/* Depth comes in steps of z^2 / 351 m: it is 351 m over a whole number. */
static void
steps (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();
  AUTO (View) v = view_new (320, 240);
  int n = 0;

  p.seed = rnd (1000);
  view_show (&v, &p, 7);
  for (int y = 0; y < 240; y++)
    for (int x = 0; x < 320; x++) {
      int depth = depth_at (&v, x, y);
      double k = depth ? 351000. / depth : 0;

      check (depth == 0 || (depth >= 500 && depth <= 5000));
      if (!depth)
        continue;
      n++;
      check_near (depth, 351000 / floor (k + .5), .5001);
    }
  check (n > 50000);
}

typedef struct {
  double n, sum, squares, near, far;
} NoiseSums;

/* In steps, where the surface is even, of pixels @near to @far metres away that
 * see it at most 60 degrees from its normal. */
static NoiseSums
spread_of (const View *v, double near, double far)
{
  NoiseSums s = {.near = near, .far = far};

  for (int y = 1; y < v->img.height - 1; y++)
    for (int x = 1; x < v->img.width - 1; x++) {
      float z = v->scene->z[y * v->img.width + x];
      int depth = depth_at (v, x, y);
      double d;

      if (!depth || z < near || z > far ||
          at_edge (v, v->scene->z, x, y, .03f) ||
          v->scene->facing[y * v->img.width + x] < .5f)
        continue;
      d = 351000. / depth - 351 / z;
      s.n++, s.sum += d, s.squares += d * d;
    }
  return s;
}

/* Beyond 60 degrees a Kinect's noise, a quarter of a step, grows by 0.1 mm over
 * the root of the depth, times (angle / (90 - angle))^2.  Each difference from
 * the true step is counted by the deviation that it should have; @over: pixels
 * at that angle or more, degrees. */
static void
add_slanted (NoiseSums *s, const View *v, double sigma, double over)
{
  for (int y = 1; y < v->img.height - 1; y++)
    for (int x = 1; x < v->img.width - 1; x++) {
      double z = v->scene->z[y * v->img.width + x], d, more;
      double angle = acos (fmin (v->scene->facing[y * v->img.width + x], 1));
      double part = angle / (M_PI / 2 - angle);
      int depth = depth_at (v, x, y);

      if (!depth || z < .6 || z > 4.9 || angle < over / 180 * M_PI ||
          at_edge (v, v->scene->z, x, y, .03f))
        continue;
      more = 1e-4 / sqrt (z) * part * part / (z * z / 351);
      more = sigma / 8 * (1 + more / .25);
      d = (351000. / depth - 351 / z) / sqrt (more * more + 1. / 12);
      s->n++, s->sum += d, s->squares += d * d;
    }
}

/* How many of 100 pixels say of the angle at which their surface is seen
 * something else than its distance function. */
static int
wrong_facings (const View *v, const RgbdPlan *plan)
{
  int wrong = 0;

  for (int k = 0; k < 100; k++) {
    int x = 1 + rnd (638), y = 1 + rnd (478);
    double point[3], ray[3], facing;

    if (at_edge (v, v->scene->z, x, y, .05f))
      continue;
    ray_of (&v->truth, x, y, ray);
    point_of (&v->truth, x, y, v->scene->z[y * 640 + x], point);
    facing = facing_of (plan, NOW, &v->truth, x, y, point) /
        sqrt (ray[0] * ray[0] + ray[1] * ray[1] + 1);
    wrong += fabs (v->scene->facing[y * 640 + x] - facing) > 2e-3;
  }
  return wrong;
}

/* Noise where surfaces are seen at a slant. */
static void
slants (DeviceKind kind)
{
  static const double over[] = {60, 75};
  RgbdParams p = rgbd_defaults ();
  AUTO (View) v = view_new (640, 480);
  NoiseSums s[2] = {{0}};
  int wrong = 0;

  p.camera = RGBD_ORBIT, p.noise = 8;
  for (int f = 0; f < 12; f++) {
    RgbdPlan plan;

    p.seed = rnd (1000);
    plan = rgbd_plan (&p, 640, 480, 25 * f);
    view_show (&v, &p, 25 * f);
    wrong += wrong_facings (&v, &plan);
    for (int i = 0; i < 2; i++)
      add_slanted (&s[i], &v, p.noise, over[i]);
  }
  for (int i = 0; i < 2; i++) {
    check (s[i].n > 5000);
    check_near (s[i].sum / s[i].n, 0, .05);
    check_near (sqrt (s[i].squares / s[i].n), 1, .04);
  }
  check (wrong <= 24); /* in a crease */
}

/* Noise is what was asked for, in steps at any depth, on top of the rounding to
 * steps; millimetres round again, a little, where it is near. */
static void
noise (DeviceKind kind)
{
  static const double sigmas[] = {2, 8, 24};
  RgbdParams p = rgbd_defaults ();
  AUTO (View) v = view_new (640, 480);

  for (int i = 0; i < 3; i++) {
    double wanted = sqrt (sigmas[i] * sigmas[i] / 64 + 1. / 12);
    NoiseSums near, far;

    p.seed = rnd (1000), p.noise = sigmas[i];
    view_show (&v, &p, i);
    near = spread_of (&v, 1.5, 2.2);
    far = spread_of (&v, 3, 3.7);
    check (near.n > 20000 && far.n > 20000);
    check_near (near.sum / near.n, 0, .05 * wanted);
    check_near (far.sum / far.n, 0, .05 * wanted);
    check_near (sqrt (near.squares / near.n), wanted, .05 * wanted);
    check_near (sqrt (far.squares / far.n), wanted, .05 * wanted);
  }
}

/* How many pixels beside column @x, which is the robot's outermost, have no
 * depth; what lies behind is @behind metres away. */
static int
gap (const View *v, int x, int y, int step, double *behind)
{
  int w = v->img.width, end = x + 2 * step;

  while (end > 0 && end < w - 1 && !depth_at (v, end, y))
    end += step;
  *behind = v->scene->z[y * w + end];
  if (at_edge (v, v->scene->z, end, y, .02f) || *behind > 4.9)
    *behind = 0;
  return abs (end - x) - 1;
}

/* Left of the robot the projector, which is right of the camera, does not reach
 * the wall: over f b (1/z - 1/wall) pixels.  Right of it, it does. */
static void
shadow (DeviceKind kind)
{
  RgbdParams p = rgbd_swaying (0);
  AUTO (View) v = view_new (640, 480);
  int tried[2] = {0}, wrong = 0;

  p.path = RGBD_FRONTAL, p.noise = .01;
  for (int f = 0; f < 12; f++) {
    p.seed = rnd (1000);
    view_show (&v, &p, 60 + rnd (60));
    for (int k = 0; k < 20; k++) {
      ImageBox b = v.truth.objects[0].seen.box;
      int y = b.y0 + (int) rnd ((b.y1 - b.y0) / 2), left = b.x0, dark;
      int right = b.x1 - 1;
      double z, behind;

      while (left < right && !label_at (&v, left, y))
        left++;
      while (right > left && !label_at (&v, right, y))
        right--;
      z = v.scene->z[y * 640 + left];
      dark = gap (&v, left, y, -1, &behind);
      if (behind > z + .4) {
        double wide = v.truth.fx * .075 * (1 / z - 1 / behind);

        tried[0]++, wrong += fabs (dark - wide) > 3;
      }
      dark = gap (&v, right, y, 1, &behind);
      if (behind > z + .4)
        tried[1]++, wrong += dark > 2;
    }
  }
  check (tried[0] > 60 && tried[1] > 60);
  check (wrong <= (tried[0] + tried[1]) / 25); /* where a third thing lies */
}

/* Surfaces seen along themselves give no depth, and edges are torn. */
static void
holes (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();
  AUTO (View) v = view_new (640, 480);
  int edge = 0, torn = 0, low = 0, nicked = 0, flat = 0, lost = 0;

  p.seed = rnd (1000);
  view_show (&v, &p, 3);
  for (int y = 1; y < 479; y++)
    for (int x = 1; x < 639; x++) {
      float z = v.scene->z[y * 640 + x];

      if (z > 4.9)
        continue;
      if (at_edge (&v, v.scene->z, x, y, .06f))
        edge++, torn += !depth_at (&v, x, y);
      else if (at_edge (&v, v.scene->z, x, y, .04f))
        low++, nicked += !depth_at (&v, x, y);
      else if (!v.scene->marks[y * 640 + x])
        flat++, lost += !depth_at (&v, x, y);
      if (v.scene->marks[y * 640 + x] & RGBD_GRAZING)
        check (!depth_at (&v, x, y));
    }
  check (edge > 1000 && torn > edge / 3 && torn < edge * 4 / 5);
  check (low > 100 && nicked > low / 3);
  check (flat > 200000 && lost < flat / 40); /* shadows */
}

/* ---- Who goes where, when, and how ---- */

/* The robot's middle in the world and the way its front points. */
static void
robot_at (const RgbdParams *p, uint64_t number, double at[3], double front[3])
{
  static const double forward[3] = {0, 0, -1};
  Pose64 pose = rgbd_pose (p, 0, number);

  memcpy (at, pose.t, sizeof pose.t);
  turn (pose.q, forward, front);
}

static void
starts (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();

  for (int f = 0; f < 12; f++) {
    Pose64 rest, last, later;

    p.seed = rnd (1000), p.path = f % 6, p.motion_start = rnd (1000);
    rest = rgbd_pose (&p, 0, 0);
    last = rgbd_pose (&p, 0, p.motion_start);
    later = rgbd_pose (&p, 0, p.motion_start + 2);
    check (!memcmp (&rest, &last, sizeof rest));
    check (memcmp (&rest, &later, sizeof rest));
    p.speed = 0;
    later = rgbd_pose (&p, 0, p.motion_start + 1000);
    check (!memcmp (&rest, &later, sizeof rest));
    p.speed = 1;
  }
}

/* Each path is what its name says; the first leg of all takes less than 300
 * frames. */
static void
paths (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();
  AUTO (View) v = view_new (160, 120);

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
    check ((v.truth.objects[0].seen.area == 0) == (p.path == RGBD_PASS));
    if (p.path == RGBD_ROTATION) {
      robot_at (&p, last + 75, to, turned);
      check (!memcmp (to, from, sizeof to));
      check (turned[0] * front[0] + turned[2] * front[2] < .5);
    }
  }
}

/* 8 mm a frame at most, without jerks, and never into anything. */
static void
drives (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();

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
        check (distance_in (&plan, ROOM, side) > .01);
      }
    }
    check (most <= .0081 * p.speed && jerk <= .0017 * p.speed);
    check (p.path == RGBD_ROTATION || most > .0065 * p.speed);
    check_near (last[1] + rgbd_body (&p, 0)->extent[1] / 2, RGBD_FLOOR, 1e-9);
  }
}

/* The camera is held by a hand: it never rests, and never jumps. */
static void
hand (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();

  for (int f = 0; f < 6; f++) {
    Pose64 last;

    p.seed = rnd (1000);
    last = rgbd_camera (&p, UINT64_MAX);
    for (int n = 0; n < 1000; n++) {
      Pose64 now = rgbd_camera (&p, n);
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
  RgbdParams p = rgbd_defaults (), other;
  AUTO (View) a = view_new (161, 99), b = view_new (161, 99);
  size_t n = 161 * 99 * 2;

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
    check (!memcmp (a.truth.objects[0].pose, b.truth.objects[0].pose,
        sizeof a.truth.objects[0].pose));
  }
}

/* ---- Odd sizes, padded rows and bad parameters ---- */

#define GUARD 0xa5

static void
one_size (int w, int h)
{
  RgbdParams p = rgbd_defaults ();
  int stride = 2 * w + 1 + (int) rnd (40), touched = 0;
  size_t size = (size_t) stride * (h + 1);
  Image img = {.plane = {malloc (size)},
      .stride = {stride},
      .width = w,
      .height = h,
      .format = IMAGE_GRAY16};
  AUTO (View) v = view_new (w, h);

  memset (img.plane[0], GUARD, size);
  p.seed = rnd (1000), p.path = rnd (6);
  view_show (&v, &p, 70);
  ok (rgbd_render (v.scene, &p, 70, &img, NULL, NULL, NULL));
  for (int i = 0; i < stride * (h + 1); i++) {
    int x = i % stride, y = i / stride;

    if (x >= 2 * w || y >= h)
      touched += img.plane[0][i] != GUARD;
    else
      touched += img.plane[0][i] != v.img.plane[0][2 * y * w + x];
  }
  check (!touched);
  check (v.truth.cx == (w - 1) / 2. && v.truth.cy == (h - 1) / 2.);
  free (img.plane[0]);
}

static void
sizes (DeviceKind kind)
{
  static const int odd[][2] = {{1, 1}, {1, 2}, {2, 1}, {3, 5}, {33, 17},
      {250, 3}, {1, 480}, {640, 1}, {4096, 2}, {2, 4096}, {513, 423}};

  for (int i = 0; i < 11; i++)
    one_size (odd[i][0], odd[i][1]);
}

/* The lens of each camera. */
static void
lenses (DeviceKind kind)
{
  static const struct {
    int w, h;
    double f;
  } cameras[] = {{640, 480, 585}, {512, 424, 365}, {320, 240, 292.5},
      {1280, 960, 1170}, {640, 240, 585}};
  RgbdParams p = rgbd_defaults ();

  for (int i = 0; i < 5; i++) {
    AUTO (View) v = view_new (cameras[i].w, cameras[i].h);

    view_show (&v, &p, 0);
    check (v.truth.fx == cameras[i].f && v.truth.fy == cameras[i].f);
  }
}

static void
hostile (DeviceKind kind)
{
  static const double bad[] = {NAN, INFINITY, -INFINITY, -1, 65};
  static const int wrong[] = {0, -1, 4097, INT32_MAX, INT32_MIN};
  RgbdParams good = rgbd_defaults (), p;
  AUTO (View) v = view_new (20, 10);
  Image img = v.img;
  Rgbd *none;

  memset (img.plane[0], GUARD, 400);
  for (int i = 0; i < 5; i++) {
    p = good, p.speed = bad[i];
    check (rgbd_render (v.scene, &p, 1, &img, NULL, NULL, NULL));
    p = good, p.noise = bad[i];
    check (rgbd_render (v.scene, &p, 1, &img, NULL, NULL, NULL));
    check (rgbd_new (&none, wrong[i], 5) && !none);
    check (rgbd_new (&none, 5, wrong[i]) && !none);
  }
  p = good, p.path = RGBD_PEOPLE + 1;
  check (rgbd_render (v.scene, &p, 1, &img, NULL, NULL, NULL));
  p = good, p.path = -1;
  check (rgbd_render (v.scene, &p, 1, &img, NULL, NULL, NULL));
  img.width = 21;
  check (rgbd_render (v.scene, &good, 1, &img, NULL, NULL, NULL));
  img = v.img, img.format = IMAGE_GRAY8;
  check (rgbd_render (v.scene, &good, 1, &img, NULL, NULL, NULL));
  for (int i = 0; i < 400; i++)
    check (v.img.plane[0][i] == GUARD);
  rgbd_free (NULL);
}

static void
extremes (DeviceKind kind)
{
  static const double speeds[] = {8, 1e-5, 1e-7, 5e-324, 0};
  AUTO (View) v = view_new (97, 41);

  for (int i = 0; i < 30; i++) {
    RgbdParams p = {.n_objects = 1,
        .robots = 1,
        .camera = RGBD_SWAY,
        .seed = UINT64_MAX - i,
        .path = i % 6,
        .motion_start = i % 2 ? UINT64_MAX : 0,
        .speed = speeds[i / 6],
        .noise = 64};

    view_show (&v, &p, UINT64_MAX - i);
    check (isfinite (v.truth.objects[0].pose[0] + v.truth.objects[0].pose[3]));
  }
}

/* The noise of a surface that is seen along its plane is of more steps than an
 * int holds: the sanitizers see it, and nothing nearer than it can see is
 * measured. */
static void
edge_on (DeviceKind kind)
{
  enum { N = 64 };
  float z[N], facing[N] = {0};
  uint8_t marks[N] = {0};
  uint16_t depth[3 * (N + 2)] = {0};
  Rgbd s = {.width = N,
      .height = 1,
      .z = z,
      .facing = facing,
      .marks = marks,
      .depth = depth};
  RgbdPlan plan = {.f = 585};
  RgbdParams p = {.noise = 64};

  for (int i = 0; i < N; i++)
    z[i] = .51f;
  for (int number = 0; number < 20; number++) {
    const uint16_t *row = rgbd_depth_row (&s, 0);

    rgbd_sense (&s, &plan, &p, number);
    for (int i = 0; i < N; i++)
      check (!row[i] || (row[i] >= 500 && row[i] <= 5000));
  }
}

/* ---- How long a frame takes ---- */

static int
bench (int argc, char **argv)
{
  static const int sizes[][2] = {{320, 240}, {512, 424}, {640, 480}};
  RgbdParams p = rgbd_defaults ();

  for (int k = 0; k < 3; k++) {
    AUTO (View) v = view_new (sizes[k][0], sizes[k][1]);
    double start;

    view_show (&v, &p, 0);
    start = seconds ();
    for (int f = 60; f < 120; f++)
      view_show (&v, &p, f);
    printf ("%d x %d: %.1f ms a frame\n", sizes[k][0], sizes[k][1],
        (seconds () - start) * 1e3 / 60);
  }
  return check_failures != 0;
}

CHECK_MAIN (NULL, bench, {"plane", plane}, {"ball", ball}, {"oracle", oracle},
    {"poses", poses}, {"counts", counts}, {"at_rest", at_rest},
    {"distances", distances}, {"moved", moved}, {"uncovered", uncovered},
    {"volume", volume}, {"surfaces", surfaces},
    {"round_surfaces", round_surfaces}, {"thresholds", thresholds},
    {"rim", rim}, {"behind", behind}, {"steps", steps}, {"noise", noise},
    {"slants", slants}, {"shadow", shadow}, {"holes", holes},
    {"starts", starts}, {"paths", paths}, {"drives", drives}, {"hand", hand},
    {"repeats", repeats}, {"sizes", sizes}, {"lenses", lenses},
    {"hostile", hostile}, {"extremes", extremes}, {"edge on", edge_on})
