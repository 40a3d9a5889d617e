/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Are surfaces where they are said to be? */

/* At 3 m, 700 pixels of focal length and 6 cm make 14 pixels; cameras that look
 * towards each other take 20 from them. */
static void
wall (DeviceKind kind)
{
  StereoParams p = STEREO_DEFAULTS;
  View v = view_new (640, 480);
  int n = 0;

  (void) kind;
  p.contents = STEREO_PLANES;
  for (int view = 0; view < 2; view++)
    for (int k = 0; k < 2; k++) {
      p.disparity_offset = k ? -20 : 0;
      view_show (&v, &p, view, rnd (1000));
      check (v.truth.fx == 700 && v.truth.fy == 700);
      check (v.truth.cx == 319.5 + (view && k ? 20 : 0));
      check (v.truth.cy == 239.5 && v.truth.eye == (view ? .06 : 0));
      for (int i = 0; i < 640 * 480; i++)
        if (v.maps.depth[i] == 3) {
          check_near (v.maps.disparity[i], k ? -6 : 14, 1e-6);
          n++;
        }
    }
  check (n > 640 * 480);
  view_free (&v);
}

/* The ground is 55 cm below the cameras: disparities grow evenly from row to
 * row, by 6 / 55 pixels. */
static void
ground (DeviceKind kind)
{
  StereoParams p = STEREO_DEFAULTS;
  View v = view_new (640, 480);
  int n = 0;

  (void) kind;
  p.contents = STEREO_PLANES;
  view_show (&v, &p, STEREO_LEFT, rnd (1000));
  for (int y = 400; y < 480; y++)
    for (int x = 0; x < 640; x++)
      if (!v.maps.labels[y * 640 + x]) {
        check_near (v.maps.disparity[y * 640 + x], 6 / 55. * (y - 239.5), 1e-5);
        n++;
      }
  check (n > 10000);
  view_free (&v);
}

/* v + 2 q x (q x v + w v), by the inverse of a pose of the truth. */
static void
carry_back (const double pose[7], const double v[3], double out[3])
{
  double q[3] = {-pose[4], -pose[5], -pose[6]}, d[3], a[3];

  for (int i = 0; i < 3; i++)
    d[i] = v[i] - pose[i];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;

    a[i] = q[j] * d[k] - q[k] * d[j] + pose[3] * d[i];
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;

    out[i] = d[i] + 2 * (q[j] * a[k] - q[k] * a[j]);
  }
}

/* How far point @p, in the axes of an object, is from its surface; of the head,
 * from the middle of what its surface lies between. */
static double
off_surface (const StereoObject *o, const double p[3])
{
  double r = 0;

  if (o->seen.label[1] == 'o') /* board */
    return fabs (p[2]) + fmax (0, fabs (p[0]) - o->extent[0] / 2) +
        fmax (0, fabs (p[1]) - o->extent[1] / 2);
  for (int i = 0; i < 3; i++)
    r += 4 * p[i] * p[i] / (o->extent[i] * o->extent[i]);
  r = sqrt (r);
  if (o->seen.label[0] == 'h')
    return fmax (fabs (r - 1.09) - .22, 0);
  return fabs (r - 1) * o->extent[0] / 2;
}

/* Each pixel of an object lies on it, in both views. */
static void
surfaces (DeviceKind kind)
{
  View v = view_new (320, 240);

  (void) kind;
  for (int f = 0; f < 12; f++) {
    StereoParams p = STEREO_DEFAULTS;
    int n = 0;

    p.seed = rnd (1000), p.speed = rnd (9);
    view_show (&v, &p, f % 2, rnd (1u << 31));
    check (v.truth.n_objects == STEREO_MAX_OBJECTS);
    for (int y = 0; y < 240; y++)
      for (int x = 0; x < 320; x++) {
        int label = v.maps.labels[y * 320 + x];
        double there[3], own[3];

        if (!label)
          continue;
        point_at (&v, x, y, there);
        carry_back (v.truth.objects[label - 1].pose, there, own);
        check_near (off_surface (&v.truth.objects[label - 1], own), 0, 1e-6);
        n++;
      }
    check (n > 10000);
  }
  view_free (&v);
}

/* A ray meets the head where it first goes in: tried in steps of a quarter of a
 * millimetre. */
static void
head_first (DeviceKind kind)
{
  int hits = 0, misses = 0;

  (void) kind;
  for (int f = 0; f < 500; f++) {
    double eye[3] = {rnd (2000) / 1000. - 1, rnd (2000) / 1000. - 1, -1};
    double ray[3], z = 0, g[3], at[3];
    bool met;

    for (int i = 0; i < 3; i++)
      ray[i] = (rnd (2000) / 1000. - 1) * 1.4 * stereo_head_half[i] - eye[i];
    met = stereo_head_meet (eye, ray, &z);
    for (double t = .3; t < (met ? z - 1e-6 : 2); t += 2e-4) {
      for (int i = 0; i < 3; i++)
        at[i] = eye[i] + t * ray[i];
      if (stereo_head_level (at, g) < (met ? -1e-9 : -1e-6)) {
        check (!"the ray went in before");
        break;
      }
    }
    for (int i = 0; i < 3; i++)
      at[i] = eye[i] + z * ray[i];
    if (met)
      check_near (stereo_head_level (at, g), 0, 1e-9);
    hits += met, misses += !met;
  }
  check (hits > 125 && misses > 37);
}

/* The gradient is that of the level. */
static void
head_slopes (DeviceKind kind)
{
  (void) kind;
  for (int f = 0; f < 20000; f++) {
    double p[3], g[3], unused[3];

    for (int i = 0; i < 3; i++)
      p[i] = (rnd (20000) / 10000. - 1) * 1.3 * stereo_head_half[i];
    stereo_head_level (p, g);
    for (int i = 0; i < 3; i++) {
      double a[3] = {p[0], p[1], p[2]}, b[3] = {p[0], p[1], p[2]};

      a[i] += 1e-6, b[i] -= 1e-6;
      check_near (g[i],
          (stereo_head_level (a, unused) - stereo_head_level (b, unused)) /
              2e-6,
          1e-2);
    }
  }
}

/* All is between the depths that the header promises, and so are disparities;
 * the one map follows from the other. */
static void
depths (DeviceKind kind)
{
  View v = view_new (160, 120);
  double nearest = 9;

  (void) kind;
  for (int f = 0; f < 200; f++) {
    StereoParams p = STEREO_DEFAULTS;

    p.seed = rnd (1000), p.baseline = .001 * (1 + rnd (200));
    p.disparity_offset = rnd (100) - 50.;
    view_show (&v, &p, f % 2, rnd (1u << 31));
    for (int i = 0; i < 160 * 120; i++) {
      double z = v.maps.depth[i];

      check (z >= STEREO_NEAREST && z <= STEREO_FARTHEST);
      check_near (
          v.maps.disparity[i], 175 * p.baseline / z + p.disparity_offset, 1e-4);
      nearest = fmin (nearest, z);
    }
  }
  check (nearest < .85);
  view_free (&v);
}

static void
contents (DeviceKind kind)
{
  static const int n_objects[] = {6, 2, 3, 1};
  StereoParams p = STEREO_DEFAULTS;
  View v = view_new (160, 120);
  uint64_t number = rnd (1000), head = 0;

  (void) kind;
  for (int k = 0; k < 4; k++) {
    int nothing = 0;

    p.contents = k;
    view_show (&v, &p, STEREO_LEFT, number);
    check (v.truth.n_objects == n_objects[k]);
    if (k == STEREO_ALL)
      head = v.truth.objects[5].seen.full_area;
    if (k == STEREO_HEAD) /* alone it shows all of it */
      check (v.truth.objects[0].seen.area == head);
    for (int i = 0; i < 160 * 120; i++) {
      bool none = isnan (v.maps.disparity[i]);

      check (none == isnan (v.maps.depth[i]));
      check (!none || (!v.maps.labels[i] && !v.maps.seen[i]));
      nothing += none;
    }
    check (k < 2 ? !nothing : nothing > 160 * 120 / 2);
  }
  view_free (&v);
}

/* What is said about objects is what the map shows, and they go where it
 * says. */
static void
objects (DeviceKind kind)
{
  View now = view_new (320, 240), next = view_new (320, 240);

  (void) kind;
  for (int f = 0; f < 10; f++) {
    StereoParams p = STEREO_DEFAULTS;
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.speed = f ? 1 : 0;
    view_show (&now, &p, f % 2, number);
    view_show (&next, &p, f % 2, number + 1);
    check (!f == !memcmp (now.maps.labels, next.maps.labels, 320 * 240 * 2));
    for (int i = 0; i < now.truth.n_objects; i++) {
      const StereoObject *o = &now.truth.objects[i];
      uint64_t area = 0;

      for (int at = 0; at < 320 * 240; at++)
        area += now.maps.labels[at] == i + 1;
      check (o->seen.area == area && o->seen.full_area >= area);
      check (o->seen.id == i && area > 0);
      if (o->seen.area < o->seen.full_area || o->seen.box.x0 == 0 ||
          o->seen.box.x1 == 320 || o->seen.box.y0 == 0 || o->seen.box.y1 == 240)
        continue;
      check_near (next.truth.objects[i].seen.cx - o->seen.cx, o->seen.vx, .4);
      check_near (next.truth.objects[i].seen.cy - o->seen.cy, o->seen.vy, .4);
    }
  }
  view_free (&now);
  view_free (&next);
}
