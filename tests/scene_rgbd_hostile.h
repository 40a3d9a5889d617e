/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Odd sizes, padded rows and bad parameters. */

#define GUARD 0xa5

static void
one_size (int w, int h)
{
  RgbdParams p = RGBD_DEFAULTS;
  int stride = 2 * w + 1 + (int) rnd (40), touched = 0;
  size_t size = (size_t) stride * (h + 1);
  Image img = {.plane = {malloc (size)},
      .stride = {stride},
      .width = w,
      .height = h,
      .format = IMAGE_GRAY16};
  View v = view_new (w, h);

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
  view_free (&v);
}

static void
sizes (DeviceKind kind)
{
  static const int odd[][2] = {{1, 1}, {1, 2}, {2, 1}, {3, 5}, {33, 17},
      {250, 3}, {1, 480}, {640, 1}, {4096, 2}, {2, 4096}, {513, 423}};

  (void) kind;
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
  RgbdParams p = RGBD_DEFAULTS;

  (void) kind;
  for (int i = 0; i < 5; i++) {
    View v = view_new (cameras[i].w, cameras[i].h);

    view_show (&v, &p, 0);
    check (v.truth.fx == cameras[i].f && v.truth.fy == cameras[i].f);
    view_free (&v);
  }
}

static void
hostile (DeviceKind kind)
{
  static const double bad[] = {NAN, INFINITY, -INFINITY, -1, 65};
  static const int wrong[] = {0, -1, 4097, INT32_MAX, INT32_MIN};
  RgbdParams good = RGBD_DEFAULTS, p;
  View v = view_new (20, 10);
  Image img = v.img;
  Rgbd *none;

  (void) kind;
  memset (img.plane[0], GUARD, 400);
  for (int i = 0; i < 5; i++) {
    p = good, p.speed = bad[i];
    check (rgbd_render (v.scene, &p, 1, &img, NULL, NULL, NULL));
    p = good, p.noise = bad[i];
    check (rgbd_render (v.scene, &p, 1, &img, NULL, NULL, NULL));
    check (rgbd_new (&none, wrong[i], 5) && !none);
    check (rgbd_new (&none, 5, wrong[i]) && !none);
  }
  p = good, p.path = 6;
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
  view_free (&v);
}

static void
extremes (DeviceKind kind)
{
  static const double speeds[] = {8, 1e-5, 1e-7, 5e-324, 0};
  View v = view_new (97, 41);

  (void) kind;
  for (int i = 0; i < 30; i++) {
    RgbdParams p = {.seed = UINT64_MAX - i,
        .path = i % 6,
        .motion_start = i % 2 ? UINT64_MAX : 0,
        .speed = speeds[i / 6],
        .noise = 64};

    view_show (&v, &p, UINT64_MAX - i);
    check (isfinite (v.truth.robot[0] + v.truth.robot[3]));
  }
  view_free (&v);
}
