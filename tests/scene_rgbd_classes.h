/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Does the map say what a tracker would? */

/* Whether one of the neighbours is more than @part of the depth away. */
static bool
at_edge (const View *v, const float *z, int x, int y, float part)
{
  int w = v->img.width, h = v->img.height;
  float here = z[y * w + x];

  for (int j = y > 0 ? y - 1 : y; j <= y + 1 && j < h; j++)
    for (int i = x > 0 ? x - 1 : x; i <= x + 1 && i < w; i++)
      if (fabsf (z[j * w + i] - here) > part * here)
        return true;
  return false;
}

/* Until the robot moves, nothing is an outlier: without noise none at all, with
 * noise only where the sensor blurs an edge. */
static void
at_rest (DeviceKind kind)
{
  RgbdParams p = RGBD_DEFAULTS;
  View v = view_new (320, 240);

  (void) kind;
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
  view_free (&v);
}

/* How far the measured point is from a surface, along that one's normal. */
static double
distance_to (
    const View *v, const RgbdPlan *plan, const RgbdPose *robot, int x, int y)
{
  double z = march (plan, robot, &v->truth, x, y), m[3];

  point_of (&v->truth, x, y, z, m);
  return fabs (depth_at (v, x, y) * .001 - z) *
      facing_of (plan, robot, &v->truth, x, y, m);
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
  RgbdParams p = {.motion_start = 5, .speed = 1};
  View v = view_new (320, 240);
  int n = 0, wrong = 0, seen[6] = {0};

  (void) kind;
  for (int f = 0; f < 18; f++) {
    uint64_t number = 5 + rnd (120);
    RgbdPlan plan;

    p.seed = rnd (1000), p.path = f % 6;
    plan = rgbd_plan (&p, 320, 240, number);
    view_show (&v, &p, number);
    for (int k = 0; k < 200; k++) {
      ImageBox b = v.truth.object.box;
      int x = k % 3 && b.x1 ? b.x0 + (int) rnd (b.x1 - b.x0) : (int) rnd (320);
      int y = k % 3 && b.x1 ? b.y0 + (int) rnd (b.y1 - b.y0) : (int) rnd (240);
      int class = class_at (&v, x, y);

      seen[class]++;
      if (class < RGBD_INLIER || class > RGBD_OUTLIER)
        continue;
      n++;
      wrong += !class_fits (class, distance_to (&v, &plan, NULL, x, y)) &&
          !class_fits (class, distance_to (&v, &plan, &plan.robot_rest, x, y));
    }
  }
  check (n > 2000 && wrong <= n / 200);
  check (seen[RGBD_POTENTIAL_OUTLIER] > 20 && seen[RGBD_OUTLIER] > 500);
  view_free (&v);
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
  RgbdParams p = RGBD_DEFAULTS;
  View v = view_new (320, 240);

  (void) kind;
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
  view_free (&v);
}

/* What the robot uncovers has no correspondence at first, and is known soon
 * after. */
static void
uncovered (DeviceKind kind)
{
  RgbdParams p = {.motion_start = 10, .speed = 1};
  View now = view_new (320, 240), then = view_new (320, 240);
  int n = 0, known = 0, at_once = 0;

  (void) kind;
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
  view_free (&now);
  view_free (&then);
}

/* Out of the volume is what is out of the cube of 4.2 m. */
static void
volume (DeviceKind kind)
{
  RgbdParams p = {.speed = 1, .motion_start = 30};
  View v = view_new (160, 120);
  int out = 0;

  (void) kind;
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
  view_free (&v);
}
