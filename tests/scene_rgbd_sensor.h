/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Is the sensor one? */

/* Depth comes in steps of z^2 / 351 m: it is 351 m over a whole number. */
static void
steps (DeviceKind kind)
{
  RgbdParams p = RGBD_DEFAULTS;
  View v = view_new (320, 240);
  int n = 0;

  (void) kind;
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
  view_free (&v);
}

typedef struct {
  double n, sum, squares, near, far;
} Spread;

/* In steps, where the surface is even, of pixels @near to @far metres away. */
static Spread
spread_of (const View *v, double near, double far)
{
  Spread s = {.near = near, .far = far};

  for (int y = 1; y < v->img.height - 1; y++)
    for (int x = 1; x < v->img.width - 1; x++) {
      float z = v->scene->z[y * v->img.width + x];
      int depth = depth_at (v, x, y);
      double d;

      if (!depth || z < near || z > far || at_edge (v, v->scene->z, x, y, .03f))
        continue;
      d = 351000. / depth - 351 / z;
      s.n++, s.sum += d, s.squares += d * d;
    }
  return s;
}

/* Noise is what was asked for, in steps at any depth, on top of the rounding to
 * steps; millimetres round again, a little, where it is near. */
static void
noise (DeviceKind kind)
{
  static const double sigmas[] = {2, 8, 24};
  RgbdParams p = RGBD_DEFAULTS;
  View v = view_new (640, 480);

  (void) kind;
  for (int i = 0; i < 3; i++) {
    double wanted = sqrt (sigmas[i] * sigmas[i] / 64 + 1. / 12);
    Spread near, far;

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
  view_free (&v);
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
  RgbdParams p = {.path = RGBD_FRONTAL, .speed = 1, .noise = .01};
  View v = view_new (640, 480);
  int tried[2] = {0}, wrong = 0;

  (void) kind;
  for (int f = 0; f < 12; f++) {
    p.seed = rnd (1000);
    view_show (&v, &p, 60 + rnd (60));
    for (int k = 0; k < 20; k++) {
      ImageBox b = v.truth.object.box;
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
  view_free (&v);
}

/* Surfaces seen along themselves give no depth, and edges are torn. */
static void
holes (DeviceKind kind)
{
  RgbdParams p = RGBD_DEFAULTS;
  View v = view_new (640, 480);
  int edge = 0, torn = 0, low = 0, nicked = 0, flat = 0, lost = 0;

  (void) kind;
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
  view_free (&v);
}
