/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is seen is where it is said to be. */

/* Squared distance of @p from a triangle: by the nearest of a grid on it, which
 * is no more than a millimetre wide. */
static double
distance_to (const Mesh *m, const double p[3])
{
  double least = 1;

  for (uint32_t t = 0; t < m->n_triangles; t++) {
    double a[3], b[3], c[3], side = 0;
    int n;

    corner (m, t, 0, a), corner (m, t, 1, b), corner (m, t, 2, c);
    for (int k = 0; k < 3; k++)
      side = fmax (side, fmax (fabs (b[k] - a[k]), fabs (c[k] - a[k])));
    if (fabs (a[0] - p[0]) > 2 * side + .002 ||
        fabs (a[1] - p[1]) > 2 * side + .002 ||
        fabs (a[2] - p[2]) > 2 * side + .002)
      continue;
    n = (int) (side / .001) + 1;
    for (int i = 0; i <= n; i++)
      for (int j = 0; i + j <= n; j++) {
        double d2 = 0;

        for (int k = 0; k < 3; k++) {
          double d =
              a[k] + (b[k] - a[k]) * i / n + (c[k] - a[k]) * j / n - p[k];

          d2 += d * d;
        }
        least = fmin (least, d2);
      }
  }
  return sqrt (least);
}

/* Without noise, pixels unprojected lie on the table, or on the mesh of the
 * thing whose label they have. */
static void
surfaces (DeviceKind kind)
{
  Table t = table_new (160, 120);
  ClutterParams p = CLUTTER_DEFAULTS;
  RgbdPose camera;
  int on_things = 0;

  (void) kind;
  p.seed = rnd (1000);
  p.noise = 0;
  table_show (&t, &p, 5);
  camera = pose_from (t.truth.camera);
  for (int y = 0; y < 120; y++)
    for (int x = 0; x < 160; x++) {
      int label = t.labels[y * 160 + x];
      double q[3], r[3];
      const ClutterObject *o = &t.truth.objects[label ? label - 1 : 0];

      seen_at (&t, x, y, q);
      check (q[2] > .5);
      if (!label) {
        rgbd_pose_apply (&camera, q, r);
        check_near (r[2], 0, .0006);
      } else if (x % 6 == 0 && y % 4 == 0) {
        RgbdPose pose = pose_from (o->pose), back = rgbd_pose_inverse (&pose);

        rgbd_pose_apply (&back, q, r);
        check_near (distance_to (&t.scene->shape[o->shape].mesh, r), 0, .0013);
        on_things++;
      }
    }
  check (on_things > 20);
  table_free (&t);
}

/* What is alone is all visible; each shape is there once; the others' areas are
 * what the labels show. */
static void
visibility (DeviceKind kind)
{
  Table t = table_new (160, 120);
  ClutterParams p = CLUTTER_DEFAULTS;
  int hidden = 0;

  (void) kind;
  for (int i = 0; i < 2; i++) {
    unsigned shapes = 0;

    p.seed = rnd (1000);
    p.n_objects = i ? 10 : 1;
    table_show (&t, &p, (uint64_t) i);
    check (t.truth.n_objects == p.n_objects);
    for (int k = 0; k < p.n_objects; k++) {
      const SceneObject *o = &t.truth.objects[k].seen;
      uint64_t area = 0;

      for (int at = 0; at < 160 * 120; at++)
        area += t.labels[at] == k + 1;
      check (o->area == area && o->full_area >= area && o->full_area > 50);
      hidden += o->full_area > area;
      shapes |= 1u << t.truth.objects[k].shape;
    }
    if (!i)
      check (!hidden);
    check (__builtin_popcount (shapes) == p.n_objects);
  }
  check (hidden > 2);
  table_free (&t);
}

/* Deviation of depth from what is there, in eighths of a step; and of
 * colour. */
static void
sensor (DeviceKind kind)
{
  Table a = table_new (160, 120), b = table_new (160, 120);
  ClutterParams p = CLUTTER_DEFAULTS;
  double depth = 0, color = 0;
  int n = 0, holes = 0;

  (void) kind;
  p.seed = rnd (1000);
  p.n_objects = 3;
  p.noise = 0;
  table_show (&a, &p, 3);
  p.noise = 2;
  table_show (&b, &p, 3);
  for (int y = 0; y < 120; y++)
    for (int x = 0; x < 160; x++) {
      double z = metres_at (&a, x, y), got = metres_at (&b, x, y);
      int i = y * 160 + x;

      holes += !(got > 0);
      for (int k = 0; k < 3; k++) {
        double d =
            a.color.plane[0][3 * i + k] - (double) b.color.plane[0][3 * i + k];

        color += d * d / 3;
      }
      if (!a.labels[i] && got > 0 && fabs (got - z) < .02 * z) {
        double d = (351 / z - 351 / got) * 8;

        depth += d * d;
        n++;
      }
    }
  depth = sqrt (depth / n);
  color = sqrt (color / (160 * 120));
  printf ("     %d holes, noise %.2f and %.2f\n", holes, depth, color);
  check (holes > 30 && holes < 160 * 120 / 5);
  check_near (color, 2, .1);
  /* 2, rounded to steps of 8; and both to millimetres, of 5.7 */
  check_near (depth, sqrt (4 + 64 / 12. + 2 * 5.7 * 5.7 / 12), .4);
  table_free (&a);
  table_free (&b);
}
