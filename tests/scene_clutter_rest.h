/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How things lie: in each other never, on something always, and so that they
 * would not tip over. */

/* How often the surface of @m winds around @p: crossings of the way straight
 * up, with their signs.  Not 0 is inside of one of the closed parts. */
static int
winding (const Mesh *m, const double p[3])
{
  int sum = 0;

  for (uint32_t t = 0; t < m->n_triangles; t++) {
    double a[3], b[3], c[3], w[3], n, z;

    corner (m, t, 0, a), corner (m, t, 1, b), corner (m, t, 2, c);
    w[0] = (b[0] - p[0]) * (c[1] - p[1]) - (b[1] - p[1]) * (c[0] - p[0]);
    w[1] = (c[0] - p[0]) * (a[1] - p[1]) - (c[1] - p[1]) * (a[0] - p[0]);
    w[2] = (a[0] - p[0]) * (b[1] - p[1]) - (a[1] - p[1]) * (b[0] - p[0]);
    n = w[0] + w[1] + w[2];
    if (n == 0 || w[0] * n < 0 || w[1] * n < 0 || w[2] * n < 0)
      continue;
    z = (w[0] * a[2] + w[1] * b[2] + w[2] * c[2]) / n;
    if (z > p[2])
      sum += n > 0 ? 1 : -1;
  }
  return sum;
}

/* How many of some points of body @i, moved by @down metres, are inside of
 * another one or below the table. */
static int
inside (const Clutter *s, int i, double down)
{
  const ClutterShape *shape = &s->shape[s->body[i].shape];
  int n = 0;

  for (int at = 0; at < shape->n_points; at += 37) {
    const float *v = shape->point + 3 * (size_t) at;
    double p[3] = {v[0], v[1], v[2]}, q[3], r[3];

    rgbd_pose_apply (&s->body[i].pose, p, q);
    q[2] -= down;
    n += q[2] < -1e-6;
    for (int k = 0; k < s->n_bodies; k++) {
      RgbdPose back = rgbd_pose_inverse (&s->body[k].pose);
      const ClutterShape *other = &s->shape[s->body[k].shape];

      if (k == i)
        continue;
      rgbd_pose_apply (&back, q, r);
      if (fabs (r[0]) < .2 && fabs (r[1]) < .1 && fabs (r[2]) < .2)
        n += winding (&other->mesh, r) != 0;
    }
  }
  return n;
}

static void
nothing_in_anything (DeviceKind kind)
{
  Table t = table_new (32, 24);
  int touching = 0, n = 0;

  (void) kind;
  for (int i = 0; i < 2; i++) {
    ClutterParams p = CLUTTER_DEFAULTS;

    p.seed = rnd (1000);
    p.n_objects = 8;
    clutter_drop (t.scene, &p, 0);
    for (int k = 0; k < p.n_objects; k++, n++) {
      check (inside (t.scene, k, 0) == 0);
      touching += inside (t.scene, k, .01) > 0;
    }
  }
  check (touching == n); /* nothing hangs in the air */
  table_free (&t);
}

/* A single thing on the table: in every direction there is something that
 * carries it, beyond its middle. */
static void
nothing_tips (DeviceKind kind)
{
  Table t = table_new (32, 24);
  double worst = 1;

  (void) kind;
  for (int i = 0; i < 5; i++) {
    ClutterParams p = CLUTTER_DEFAULTS;
    const ClutterShape *s;
    double mass[3];

    p.seed = rnd (10000);
    p.n_objects = 1;
    clutter_drop (t.scene, &p, 0);
    s = &t.scene->shape[t.scene->body[0].shape];
    rgbd_pose_apply (&t.scene->body[0].pose, s->mass, mass);
    for (uint32_t turn = 0; turn < 16; turn++) {
      double c = scene_sin ((turn << 28) + (1u << 30));
      double d = scene_sin (turn << 28), most = -1;

      for (int k = 0; k < s->n_points; k++) {
        const float *v = s->point + 3 * (size_t) k;
        double x[3] = {v[0], v[1], v[2]}, q[3];

        rgbd_pose_apply (&t.scene->body[0].pose, x, q);
        if (q[2] < .002)
          most = fmax (most, c * (q[0] - mass[0]) + d * (q[1] - mass[1]));
      }
      worst = fmin (worst, most);
    }
  }
  printf ("     carried %.1f mm beyond the middle at least\n", 1e3 * worst);
  check (worst > -.0005);
  table_free (&t);
}
