/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene once more, in another way and in doubles: solids are signed
 * distance functions, rays march along them, quaternions turn vectors by their
 * product. */

/* A scene with all that it says about a frame. */
typedef struct {
  Rgbd *scene;
  Image img;
  RgbdTruth truth;
  uint8_t *classes;
  uint16_t *labels;
} View;

static View
view_new (int w, int h)
{
  View v = {.img = {.width = w, .height = h, .format = IMAGE_GRAY16}};
  size_t n = (size_t) w * h;

  v.img.stride[0] = 2 * w;
  v.img.plane[0] = malloc (2 * n);
  v.classes = malloc (2 * n);
  v.labels = malloc (2 * n);
  ok (rgbd_new (&v.scene, w, h));
  return v;
}

static void
view_free (View *v)
{
  rgbd_free (v->scene);
  free (v->img.plane[0]);
  free (v->classes);
  free (v->labels);
}

static void
view_show (View *v, const RgbdParams *p, uint64_t number)
{
  ok (rgbd_render (
      v->scene, p, number, &v->img, &v->truth, v->classes, v->labels));
}

static int
depth_at (const View *v, int x, int y)
{
  const uint8_t *p = v->img.plane[0] + (size_t) y * v->img.stride[0] + 2 * x;

  return p[0] | p[1] << 8;
}

static int
class_at (const View *v, int x, int y)
{
  return v->classes[2 * ((size_t) y * v->img.width + x)];
}

static int
label_at (const View *v, int x, int y)
{
  return v->labels[(size_t) y * v->img.width + x];
}

/* v + 2 q x (q x v + w v) */
static void
turn (const double q[4], const double v[3], double out[3])
{
  double a[3], b[3];

  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;

    a[i] = q[1 + j] * v[k] - q[1 + k] * v[j] + q[0] * v[i];
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;

    b[i] = q[1 + j] * a[k] - q[1 + k] * a[j];
  }
  for (int i = 0; i < 3; i++)
    out[i] = v[i] + 2 * b[i];
}

/* A pose of the metadata: tx ty tz qw qx qy qz. */
static void
carry (const double pose[7], const double v[3], double out[3])
{
  turn (pose + 3, v, out);
  for (int i = 0; i < 3; i++)
    out[i] += pose[i];
}

static void
carry_back (const double pose[7], const double v[3], double out[3])
{
  double q[4] = {pose[3], -pose[4], -pose[5], -pose[6]};
  double d[3] = {v[0] - pose[0], v[1] - pose[1], v[2] - pose[2]};

  turn (q, d, out);
}

static void
flatten (const RgbdPose *p, double pose[7])
{
  memcpy (pose, p->t, sizeof p->t);
  memcpy (pose + 3, p->q, sizeof p->q);
}

/* Negative inside. */
static double
distance_of (const RgbdSolid *s, const double v[3])
{
  double pose[7], p[3], q[3], out = 0, in = -INFINITY, r;

  flatten (&s->pose, pose);
  carry_back (pose, v, p);
  if (s->shape == RGBD_SPHERE)
    return sqrt (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - s->half[0];
  r = sqrt (p[0] * p[0] + p[2] * p[2]) - s->half[0];
  for (int i = 0; i < 3; i++)
    q[i] = fabs (p[i]) - s->half[i];
  if (s->shape == RGBD_CYLINDER)
    q[0] = q[2] = r;
  for (int i = 0; i < (s->shape == RGBD_CYLINDER ? 2 : 3); i++) {
    out += q[i] > 0 ? q[i] * q[i] : 0;
    in = fmax (in, q[i]);
  }
  r = in > 0 ? sqrt (out) : in;
  return s->shape == RGBD_ROOM ? -r : r;
}

static double
nearest_of (const RgbdSolid *solids, int n, const double v[3])
{
  double d = INFINITY;

  for (int i = 0; i < n; i++)
    d = fmin (d, distance_of (&solids[i], v));
  return d;
}

/* Of the room, and of the robot at @robot (to the world; NULL: none). */
static double
distance_in (const RgbdPlan *plan, const RgbdPose *robot, const double v[3])
{
  double d = nearest_of (plan->furniture, plan->n_furniture, v), pose[7], p[3];

  if (!robot)
    return d;
  flatten (robot, pose);
  carry_back (pose, v, p);
  return fmin (d, nearest_of (rgbd_parts, RGBD_PARTS, p));
}

static void
ray_of (const RgbdTruth *t, double x, double y, double ray[3])
{
  ray[0] = (x - t->cx) / t->fx, ray[1] = (y - t->cy) / t->fy, ray[2] = 1;
}

/* The point in the world at depth @z of a pixel. */
static void
point_of (const RgbdTruth *t, double x, double y, double z, double point[3])
{
  double ray[3];

  ray_of (t, x, y, ray);
  for (int i = 0; i < 3; i++)
    ray[i] *= z;
  carry (t->camera, ray, point);
}

/* Depth at which the ray of a pixel comes to a surface. */
static double
march (const RgbdPlan *plan, const RgbdPose *robot, const RgbdTruth *t, int x,
    int y)
{
  double ray[3], z = .05, length;

  ray_of (t, x, y, ray);
  length = sqrt (ray[0] * ray[0] + ray[1] * ray[1] + 1);
  for (int i = 0; i < 2000; i++) {
    double p[3], d;

    point_of (t, x, y, z, p);
    d = distance_in (plan, robot, p);
    if (d < 1e-6)
      break;
    z += d / length;
  }
  return z;
}

/* How much of a pixel's ray is along the normal of the surface at @point. */
static double
facing_of (const RgbdPlan *plan, const RgbdPose *robot, const RgbdTruth *t,
    int x, int y, const double point[3])
{
  double ray[3], way[3], n[3], length = 0, along = 0;

  ray_of (t, x, y, ray);
  turn (t->camera + 3, ray, way);
  for (int i = 0; i < 3; i++) {
    double a[3] = {point[0], point[1], point[2]};
    double b[3] = {point[0], point[1], point[2]};

    a[i] += 1e-5, b[i] -= 1e-5;
    n[i] = distance_in (plan, robot, a) - distance_in (plan, robot, b);
    length += n[i] * n[i];
    along += n[i] * way[i];
  }
  return fabs (along) / sqrt (length);
}
