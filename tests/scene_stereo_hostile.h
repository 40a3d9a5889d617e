/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Purity, all layouts, odd sizes, padded rows and bad parameters. */

static bool
same_maps (const View *a, const View *b)
{
  size_t n = (size_t) a->img.width * a->img.height;

  return !memcmp (a->maps.disparity, b->maps.disparity, 4 * n) &&
      !memcmp (a->maps.depth, b->maps.depth, 4 * n) &&
      !memcmp (a->maps.seen, b->maps.seen, n) &&
      !memcmp (a->maps.labels, b->maps.labels, 2 * n);
}

static bool
same_picture (const View *a, const View *b)
{
  return !memcmp (a->img.plane[0], b->img.plane[0],
      (size_t) 3 * a->img.width * a->img.height);
}

/* A view follows from params, view and number alone. */
static void
repeats (DeviceKind kind)
{
  View a = view_new (161, 99), b = view_new (161, 99);

  (void) kind;
  for (int i = 0; i < 8; i++) {
    uint64_t number = i == 7 ? UINT64_MAX - 5 : rnd (1u << 31);
    StereoParams p = STEREO_DEFAULTS, other;

    p.seed = rnd (1000);
    other = p, other.seed += 1;
    view_show (&a, &p, i % 2, number);
    view_show (&b, &other, i % 2, number);
    check (!same_picture (&a, &b) && !same_maps (&a, &b));
    view_show (&b, &p, !(i % 2), number);
    check (!same_picture (&a, &b) && !same_maps (&a, &b));
    view_show (&b, &p, i % 2, number + 1);
    check (!same_picture (&a, &b) && !same_maps (&a, &b));
    view_show (&b, &p, i % 2, number);
    check (same_picture (&a, &b) && same_maps (&a, &b));
    ok (stereo_render (b.scene, &p, i % 2, number, &b.img, NULL, NULL));
    check (same_picture (&a, &b));
  }
  view_free (&a);
  view_free (&b);
}

/* What is stored is the picture, and nothing is touched around it. */
static void
formats (DeviceKind kind)
{
  StereoParams p = STEREO_DEFAULTS;
  View v = view_new (61, 37);

  (void) kind;
  view_show (&v, &p, STEREO_RIGHT, 3);
  for (int f = 0; f < N_FORMATS; f++) {
    Frame frame = frame_new (all_formats[f], 61, 37, (int) rnd (30), 1);
    Frame same = frame_new (all_formats[f], 61, 37, 0, 1);

    ok (stereo_render (
        v.scene, &p, STEREO_RIGHT, 3, &frame.image, NULL, &v.maps));
    check (frame_is_unharmed (&frame));
    for (int y = 0; y < 37; y += 2)
      scene_put_rows (&same.image, v.img.plane[0], y);
    for (int y = 0; y < 37; y++)
      for (int x = 0; x < 61; x++) {
        uint8_t c[3], d[3];

        image_read (&frame.image, x, y, c);
        image_read (&same.image, x, y, d);
        check (!memcmp (c, d, 3));
      }
    frame_free (&frame);
    frame_free (&same);
  }
  view_free (&v);
}

static void
sizes (DeviceKind kind)
{
  static const struct {
    int w, h;
    double f;
  } odd[] = {{1, 1, 700 / 480.}, {1, 2, 1400 / 480.}, {2, 1, 700 / 320.},
      {3, 5, 3500 / 480.}, {33, 17, 23100 / 640.}, {1, 480, 700}, {640, 1, 700},
      {4096, 2, 4480}, {2, 4096, 4096 * 700 / 480.}, {320, 240, 350}};

  (void) kind;
  for (int i = 0; i < 10; i++)
    for (int view = 0; view < 2; view++) {
      StereoParams p = STEREO_DEFAULTS;
      View v = view_new (odd[i].w, odd[i].h);

      p.seed = rnd (1000);
      view_show (&v, &p, view, rnd (1000));
      check_near (v.truth.fx, odd[i].f, 1e-9);
      check (v.truth.cx == (odd[i].w - 1) / 2.);
      view_free (&v);
    }
}

/* A render that must be refused, and leave the frame alone. */
static void
refuse (const View *v, const StereoParams *p, StereoView view, const Image *img)
{
  const char *err = stereo_render (v->scene, p, view, 1, img, NULL, &v->maps);

  check (err && strlen (err) > 10);
  for (int i = 0; i < 3 * 20 * 10; i++)
    check (v->img.plane[0][i] == GUARD_BYTE);
}

static void
hostile (DeviceKind kind)
{
  static const size_t fields[] = {offsetof (StereoParams, speed),
      offsetof (StereoParams, baseline),
      offsetof (StereoParams, disparity_offset),
      offsetof (StereoParams, misalignment), offsetof (StereoParams, gain),
      offsetof (StereoParams, gamma), offsetof (StereoParams, noise)};
  static const double bad[] = {NAN, INFINITY, -INFINITY, -4097, 4097};
  static const int wrong[] = {0, -1, 4097, INT32_MAX, INT32_MIN};
  StereoParams good = STEREO_DEFAULTS, p;
  View v = view_new (20, 10);
  Image img = v.img;
  Stereo *none;

  (void) kind;
  memset (img.plane[0], GUARD_BYTE, 3 * 20 * 10);
  for (int i = 0; i < 5; i++) {
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
      p = good;
      memcpy ((char *) &p + fields[k], &bad[i], sizeof bad[i]);
      refuse (&v, &p, STEREO_LEFT, &img);
    }
    check (stereo_new (&none, wrong[i], 5) && !none);
    check (stereo_new (&none, 5, wrong[i]) && !none);
  }
  p = good, p.baseline = 0;
  refuse (&v, &p, STEREO_LEFT, &img);
  p = good, p.contents = 4;
  refuse (&v, &p, STEREO_LEFT, &img);
  p.contents = -1;
  refuse (&v, &p, STEREO_LEFT, &img);
  refuse (&v, &good, 2, &img);
  refuse (&v, &good, -1, &img);
  img.width = 21;
  refuse (&v, &good, STEREO_LEFT, &img);
  stereo_free (NULL);
  view_free (&v);
}

static void
extremes (DeviceKind kind)
{
  View v = view_new (97, 41);

  (void) kind;
  for (int i = 0; i < 32; i++) {
    StereoParams p = {.seed = UINT64_MAX - i,
        .contents = i % 4,
        .speed = i % 3 ? 8 : 5e-324,
        .baseline = i & 4 ? 1 : .001,
        .disparity_offset = i & 8 ? 4096 : -4096,
        .misalignment = i & 2 ? 64 : -64,
        .gain = i & 1 ? 4 : .1,
        .gamma = i & 4 ? 5 : .2,
        .noise = 64};
    int nan = 0;

    view_show (&v, &p, i / 2 % 2, UINT64_MAX - i);
    for (int k = 0; k < 97 * 41; k++) {
      check (!v.maps.seen[k]); /* so far off nothing is in both */
      nan += isnan (v.maps.disparity[k]);
    }
    check (i % 4 > 1 || !nan);
  }
  view_free (&v);
}
