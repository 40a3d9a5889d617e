/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene rgbd with each motion of the camera, with several robots, with the
 * machine, and through a lens. */
#include "scene_rgbd.h"
#include "seconds.h"

#define N_PATHS (RGBD_PEOPLE + 1)
#define N_MOTIONS (RGBD_JUMP + 1)

/* ---- Is the depth true, whoever moves? ---- */

/* The mover whose surface is nearest to a point, from 1 on. */
static int
owner_of (const RgbdPlan *plan, const double point[3])
{
  double best = INFINITY;
  int owner = 0;

  for (int i = 0; i < plan->n_movers; i++) {
    double d = distance_to_mover (&plan->movers[i], NOW, point);

    if (d < best)
      best = d, owner = i + 1;
  }
  return owner;
}

typedef struct {
  int n, movers, wrong;
} Tally;

/* A pixel of mover @k % n, or any; of its depth and its label. */
static void
try_pixel (const View *v, const RgbdPlan *plan, int k, Tally *t)
{
  ImageBox b = v->truth.objects[k % v->truth.n_objects].seen.box;
  bool near = k % 3 && b.x1 > b.x0;
  int x = near ? b.x0 + (int) rnd (b.x1 - b.x0) : (int) rnd (v->img.width);
  int y = near ? b.y0 + (int) rnd (b.y1 - b.y0) : (int) rnd (v->img.height);
  double all = march (plan, NOW, &v->truth, x, y), point[3];
  bool mover = all < march (plan, ROOM, &v->truth, x, y) - 1e-4;
  int depth = depth_at (v, x, y);

  point_of (&v->truth, x, y, all, point);
  t->n++, t->movers += mover;
  if (label_at (v, x, y) != (mover ? owner_of (plan, point) : 0))
    t->wrong++;
  else if (all > .501 && all < 4.999)
    t->wrong += fabs (depth - 1000 * all) > .6;
  else
    t->wrong += depth && fabs (depth - 1000 * all) > 2;
}

/* Under every motion of the camera, on every path, with one to four robots,
 * through lenses from none to a Kinect One's. */
static void
depths (DeviceKind kind)
{
  static const int sizes[][2] = {{320, 240}, {512, 424}, {161, 99}, {64, 333}};
  static const double lenses[] = {0, 1, .4};
  Tally all = {0};

  for (int f = 0; f < N_PATHS * N_MOTIONS; f++) {
    RgbdParams p = rgbd_defaults ();
    int w = sizes[f % 4][0], h = sizes[f % 4][1];
    uint64_t number = rnd (500);
    AUTO (View) v = view_new (w, h);
    Tally t = {0};
    RgbdPlan plan;

    p.noise = 0, p.seed = rnd (1000), p.path = f % N_PATHS;
    p.camera = f / N_PATHS, p.robots = 1 + (int) rnd (RGBD_MAX_OBJECTS);
    p.distortion = lenses[f % 3];
    plan = rgbd_plan (&p, w, h, number);
    view_show (&v, &p, number);
    for (int k = 0; k < 200; k++)
      try_pixel (&v, &plan, k, &t);
    /* a ray that just touches an edge may go either way */
    check (t.wrong <= 2);
    all.movers += t.movers, all.n += t.n, all.wrong += t.wrong;
  }
  check (all.movers > all.n / 4 && all.wrong <= all.n / 500);
}

/* The poses that the truth tells carry a point of an object, or of the room,
 * from one frame to where the other one sees it. */
static void
carried (DeviceKind kind)
{
  AUTO (View) a = view_new (320, 240), b = view_new (320, 240);
  int n[2] = {0}, off[2] = {0};

  for (int f = 0; f < 3 * N_MOTIONS; f++) {
    uint64_t number = 150 + rnd (200);
    RgbdParams p = rgbd_defaults ();

    p.noise = 0, p.seed = rnd (1000), p.camera = f % N_MOTIONS;
    p.path = f % 2 ? RGBD_AXES : RGBD_PARALLEL, p.robots = 4;
    p.distortion = f % 3 / 2.;
    view_show (&a, &p, number);
    view_show (&b, &p, number + 3);
    for (int k = 0; k < 2000; k++) {
      int x = rnd (320), y = rnd (240), label = label_at (&a, x, y), u, v;
      double at[3], point[3], off_by;

      ray_of (&a.truth, x, y, at);
      for (int i = 0; i < 3; i++)
        at[i] *= a.scene->z[y * 320 + x];
      if (label) {
        carry_back (a.truth.objects[label - 1].pose, at, point);
        carry (b.truth.objects[label - 1].pose, point, at);
      } else {
        carry (a.truth.camera, at, point);
        carry_back (b.truth.camera, point, at);
      }
      if (!seen_at (&b.truth, at, &u, &v) || label_at (&b, u, v) != label)
        continue;
      /* within a pixel, surfaces are at most so steep */
      off_by = fabs (b.scene->z[v * 320 + u] - at[2]);
      if (off_by > .1 || at_edge (&b, b.scene->z, u, v, .02f))
        continue; /* another surface */
      n[label > 0]++, off[label > 0] += off_by > .02;
    }
  }
  check (n[0] > 10000 && n[1] > 2000);
  check (off[0] <= n[0] / 200 && off[1] <= n[1] / 200);
}

/* ---- What does the tracker say? ---- */

/* While nothing has moved but the camera, nothing is an outlier. */
static void
at_rest (DeviceKind kind)
{
  AUTO (View) v = view_new (320, 240);

  for (int f = 0; f < 4 * N_MOTIONS; f++) {
    RgbdParams p = rgbd_defaults ();
    int n[6] = {0};

    p.noise = 0, p.seed = rnd (1000), p.camera = f % N_MOTIONS;
    p.path = f % N_PATHS, p.robots = 4, p.motion_start = 1000;
    p.distortion = f % 2;
    view_show (&v, &p, rnd (1000));
    for (int i = 0; i < 320 * 240; i++)
      n[v.classes[2 * i]]++;
    check (!n[RGBD_OUTLIER] && !n[RGBD_POTENTIAL_OUTLIER]);
    check (n[RGBD_INLIER] > 320 * 240 / 3);
    if (p.camera == RGBD_STILL)
      check (!n[RGBD_NO_CORRESPONDENCE]);
  }
}

/* What has left its place is an outlier, whichever it is, and nothing else
 * is. */
static void
moved (DeviceKind kind)
{
  AUTO (View) v = view_new (320, 240);

  for (int f = 0; f < 10; f++) {
    RgbdParams p = rgbd_defaults ();
    RgbdPlan plan;
    int elsewhere = 0;

    p.noise = 0, p.seed = rnd (1000), p.path = f % 2 ? RGBD_AXES : f % 6;
    p.robots = 4, p.camera = f % 5;
    plan = rgbd_plan (&p, 320, 240, 75); /* the third has not started */
    view_show (&v, &p, 75);
    for (int i = 0; i < 320 * 240; i++) {
      int class = v.classes[2 * i], label = v.labels[i];
      bool moves = label &&
          memcmp (&plan.movers[label - 1].now, &plan.movers[label - 1].rest,
              sizeof (Pose64));

      elsewhere +=
          !moves && (class == RGBD_OUTLIER || class == RGBD_POTENTIAL_OUTLIER);
    }
    check (!elsewhere);
    check (!memcmp (&plan.movers[2 * (p.path != RGBD_AXES)].now,
        &plan.movers[2 * (p.path != RGBD_AXES)].rest, sizeof (Pose64)));
  }
}

/* ---- Who goes where? ---- */

/* A point of the surface of a mover's part, in the world. */
static void
draw_point (const RgbdMover *m, double point[3])
{
  const RgbdSolid *s = &m->body->parts[rnd (m->body->n_parts)];
  double at[3], whole[3], pose[7];
  int side = (int) rnd (3);

  for (int i = 0; i < 3; i++)
    at[i] = s->half[i] * (rnd (2001) / 1000. - 1);
  at[side] = s->half[side] * (rnd (2) ? 1 : -1);
  flatten (&s->pose, pose);
  carry (pose, at, whole);
  flatten (&m->now, pose);
  carry (pose, whole, point);
}

/* Nothing drives into anything: neither into furniture nor into each other. */
static void
apart (DeviceKind kind)
{
  for (int f = 0; f < 6 * N_PATHS; f++) {
    RgbdParams p = rgbd_defaults ();

    p.seed = rnd (1000), p.path = f % N_PATHS, p.robots = 4;
    for (int k = 0; k < 300; k++) {
      RgbdPlan plan = rgbd_plan (&p, 32, 24, rnd (1500));
      const RgbdMover *m = &plan.movers[k % plan.n_movers];
      double point[3];

      draw_point (m, point);
      /* wheels touch the ground */
      check (distance_in (&plan, ROOM, point) > -1e-9);
      for (int i = 0; i < plan.n_movers; i++)
        if (&plan.movers[i] != m)
          check (distance_to_mover (&plan.movers[i], NOW, point) > .001);
    }
  }
}

/* 8 mm a frame at most, without jerks, robots and axes alike; persons 2.5 times
 * as much. */
static void
steady (DeviceKind kind)
{
  for (int f = 0; f < 2 * N_PATHS; f++) {
    RgbdParams p = rgbd_defaults ();

    p.seed = rnd (1000), p.path = f % N_PATHS, p.robots = 4;
    for (int i = 0; i < rgbd_count (&p); i++) {
      const double times = p.path == RGBD_PEOPLE ? 2.5 : 1;
      Pose64 last = rgbd_pose (&p, i, 0);
      double step = 0;

      for (int n = 1; n < 1500; n++) {
        Pose64 now = rgbd_pose (&p, i, n);
        double d = hypot (hypot (now.t[0] - last.t[0], now.t[1] - last.t[1]),
            now.t[2] - last.t[2]);

        /* three axes at once: 8 mm each */
        check (d <= .0081 * (p.path == RGBD_AXES ? sqrt (i + 1) : times));
        check (
            fabs (d - step) <= .0019 * (p.path == RGBD_AXES ? i + 1 : times));
        step = d, last = now;
      }
    }
  }
}

/* One after the other: robots by 40 frames, axes by 60, the quill first. */
static void
in_turn (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();

  p.robots = 4;
  for (int f = 0; f < N_PATHS; f++) {
    p.path = f;
    for (int i = 0; i < rgbd_count (&p); i++) {
      uint64_t start =
          p.motion_start + (f == RGBD_AXES ? 60 * (2 - i) : 40 * i);
      Pose64 rest = rgbd_pose (&p, i, 0), at = rgbd_pose (&p, i, start);
      Pose64 later = rgbd_pose (&p, i, start + 2);

      /* an axis is carried before it moves itself, but never before that */
      if (f != RGBD_AXES || i == 2)
        check (!memcmp (&rest, &at, sizeof at));
      check (memcmp (&at, &later, sizeof at));
    }
  }
  p.motion_start = UINT64_MAX - 3, p.path = RGBD_PARALLEL;
  for (int i = 0; i < 4; i++) {
    Pose64 rest = rgbd_pose (&p, i, 0), at = rgbd_pose (&p, i, 5000);

    check (!memcmp (&rest, &at, sizeof at));
  }
}

/* The robot that visits: it stands, it is out of the view, it is back. */
static void
visit (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();
  AUTO (View) v = view_new (160, 120);
  int stands = 0, away = 0, returns = 0;
  bool was_away = false;

  p.path = RGBD_VISIT;
  for (int n = p.motion_start + 1; n < 900; n++) {
    Pose64 now = rgbd_pose (&p, 0, n), then = rgbd_pose (&p, 0, n - 1);
    bool gone;

    view_show (&v, &p, n);
    gone = !v.truth.objects[0].seen.area;
    stands += !gone && !memcmp (&now, &then, sizeof now);
    away += gone;
    returns += was_away && !gone;
    was_away = gone;
  }
  check (stands >= 2 * 60 && away >= 60 && returns == 1);
}

/* ---- How does the camera move? ---- */

typedef struct {
  double way, angle; /* metres and degrees, at most */
} Step;

static Step
step_of (const Pose64 *a, const Pose64 *b)
{
  double dot = 0, way = 0;

  for (int i = 0; i < 4; i++)
    dot += a->q[i] * b->q[i];
  for (int i = 0; i < 3; i++)
    way += (a->t[i] - b->t[i]) * (a->t[i] - b->t[i]);
  return (Step){sqrt (way), 2 * acos (fmin (fabs (dot), 1)) * 180 / M_PI};
}

/* Each motion's largest step from frame to frame, and how far it gets from
 * where it was. */
static void
motions (DeviceKind kind)
{
  static const struct {
    Step step, least, most; /* a frame; over all frames from the first */
  } of[] = {
      [RGBD_STILL] = {{0, 1e-5}, {0, 0}, {0, 1e-5}},
      [RGBD_SWAY] = {{.004, .3}, {.02, 1}, {.1, 7}},
      [RGBD_ORBIT] = {{.02, .7}, {1.5, 45}, {1.8, 53}},
      [RGBD_WALK] = {{.02, .5}, {.5, 15}, {.9, 22}},
      [RGBD_SHAKE] = {{.03, 2}, {.02, 2}, {.09, 8}},
  };

  for (int f = 0; f < 5 * RGBD_JUMP; f++) {
    RgbdParams p = rgbd_defaults ();
    Step step = {0, 0}, far = {0, 0};
    Pose64 first, last;
    int m = f % RGBD_JUMP;

    p.seed = rnd (1000), p.camera = m;
    first = last = rgbd_camera (&p, 0);
    for (int n = 1; n < 700; n++) {
      Pose64 now = rgbd_camera (&p, n);
      Step s = step_of (&last, &now), a = step_of (&first, &now);

      step = (Step){fmax (step.way, s.way), fmax (step.angle, s.angle)};
      far = (Step){fmax (far.way, a.way), fmax (far.angle, a.angle)};
      last = now;
    }
    check (step.way <= of[m].step.way && step.angle <= of[m].step.angle);
    check (far.way >= of[m].least.way && far.way <= of[m].most.way);
    check (far.angle >= of[m].least.angle && far.angle <= of[m].most.angle);
  }
}

/* In orbit, what is 2 m ahead stays in the middle of the view. */
static void
orbits (DeviceKind kind)
{
  static const double target[3] = {0, 0, 2};
  RgbdParams p = rgbd_defaults ();

  p.camera = RGBD_ORBIT;
  for (int n = 0; n < 600; n += 7) {
    Pose64 pose = rgbd_camera (&p, n);
    double camera[7], at[3];

    p.seed = rnd (1000);
    flatten (&pose, camera);
    carry_back (camera, target, at);
    check_near (sqrt (at[0] * at[0] + at[1] * at[1] + at[2] * at[2]), 2, .03);
    check_near (at[0] / at[2], 0, .04);
  }
}

/* Half a metre and 35 degrees within one frame, and back. */
static void
jumps (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults ();

  p.camera = RGBD_JUMP;
  for (int n = 1; n < 600; n++) {
    Pose64 last = rgbd_camera (&p, n - 1), now = rgbd_camera (&p, n);
    Step s = step_of (&last, &now);

    if (n % 120 == 90 || n % 120 == 0)
      check (s.way > .45 && s.angle > 33);
    else
      check (s.way < .003 && s.angle < .2);
  }
}

/* ---- The lens ---- */

/* The distortion that the truth tells is the one that was asked for; it bends
 * corners of a Kinect One's frames by 20 pixels and more. */
static void
lens (DeviceKind kind)
{
  static const double one[5] = {.0905474, -.26819, 0, 0, .0950862};
  AUTO (View) v = view_new (512, 424);

  for (int i = 0; i < 3; i++) {
    RgbdParams p = rgbd_defaults ();
    double ray[3], off;

    p.distortion = i / 2.;
    view_show (&v, &p, 5);
    for (int k = 0; k < 5; k++)
      check_near (v.truth.distortion[k], i / 2. * one[k], 1e-12);
    ray_of (&v.truth, 0, 0, ray);
    off = hypot (ray[0], ray[1]) * 365 - hypot (255.5, 211.5);
    check (i ? off > 8 * i && off < 16 * i : off == 0);
  }
}

/* A lens holds for its frame alone: after others, the frame is the same. */
static void
exchanged (DeviceKind kind)
{
  RgbdParams p = rgbd_defaults (), bent = p;
  AUTO (View) a = view_new (97, 61), b = view_new (97, 61);
  size_t n = 97 * 61 * 2;

  bent.distortion = .7;
  view_show (&a, &p, 40);
  view_show (&b, &bent, 40);
  check (memcmp (a.img.plane[0], b.img.plane[0], n));
  view_show (&b, &p, 40);
  check (!memcmp (a.img.plane[0], b.img.plane[0], n));
  check (!memcmp (a.classes, b.classes, n));
}

static void
refused (DeviceKind kind)
{
  static const double bad[] = {NAN, INFINITY, -.1, 1.01};
  RgbdParams good = rgbd_defaults (), p;
  AUTO (View) v = view_new (20, 10);

  for (int i = 0; i < 4; i++) {
    p = good, p.distortion = bad[i];
    check (rgbd_render (v.scene, &p, 1, &v.img, NULL, NULL, NULL));
  }
  p = good, p.robots = 5;
  check (rgbd_render (v.scene, &p, 1, &v.img, NULL, NULL, NULL));
  p = good, p.robots = 0;
  check (rgbd_render (v.scene, &p, 1, &v.img, NULL, NULL, NULL));
  p = good, p.camera = N_MOTIONS;
  check (rgbd_render (v.scene, &p, 1, &v.img, NULL, NULL, NULL));
}

static int
bench (int argc, char **argv)
{
  for (int k = 0; k < 4; k++) {
    AUTO (View) v = view_new (640, 480);
    RgbdParams p = rgbd_defaults ();
    double start;

    p.robots = k & 1 ? 4 : 1, p.distortion = k / 2;
    view_show (&v, &p, 0);
    start = seconds ();
    for (int f = 60; f < 120; f++)
      view_show (&v, &p, f);
    printf ("640 x 480, robots %d, distortion %g: %.1f ms a frame\n", p.robots,
        p.distortion, (seconds () - start) * 1e3 / 60);
  }
  return check_failures != 0;
}

static const CheckPart parts[] = {{"depths", depths}, {"carried", carried},
    {"at_rest", at_rest}, {"moved", moved}, {"apart", apart},
    {"steady", steady}, {"in_turn", in_turn}, {"visit", visit},
    {"motions", motions}, {"orbits", orbits}, {"jumps", jumps}, {"lens", lens},
    {"exchanged", exchanged}, {"refused", refused}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, parts, NULL, bench);
}
