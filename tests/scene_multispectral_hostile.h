/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Purity, all layouts, odd sizes, padded rows and bad parameters. */

/* A picture follows from params and number alone. */
static void
repeats (DeviceKind kind)
{
  (void) kind;
  for (int i = 0; i < 8; i++) {
    View a = view_new (161, 99, i % 2 ? 5 : 0, IMAGE_GRAY8);
    View b = view_new (161, 99, i % 2 ? 5 : 0, IMAGE_GRAY8);
    uint64_t number = i == 7 ? UINT64_MAX - 5 : rnd (1u << 31);
    MultispectralParams p = MULTISPECTRAL_DEFAULTS, other;

    p.seed = rnd (1000), p.channels = 5;
    other = p, other.seed += 1, other.n_objects = 30;
    view_show (&a, &p, number);
    view_show (&b, &other, number);
    check (!same_picture (&a, &b) && !same_labels (&a, &b));
    view_show (&b, &p, number + 1);
    check (!same_picture (&a, &b) && !same_labels (&a, &b));
    view_show (&b, &p, number);
    check (same_picture (&a, &b) && same_labels (&a, &b));
    ok (multispectral_render (b.scene, &p, number, &b.img, NULL, NULL));
    check (same_picture (&a, &b));
    view_free (&a);
    view_free (&b);
  }
}

/* Colour is stored as the picture is, and nothing is touched around frames. */
static void
formats (DeviceKind kind)
{
  MultispectralParams p = MULTISPECTRAL_DEFAULTS;
  View v = view_new (60, 36, 0, 0);

  (void) kind;
  view_show (&v, &p, 3);
  for (int f = 0; f < N_FORMATS; f++) {
    bool grey = all_formats[f] <= IMAGE_GRAY16;

    for (int mosaic = 0; mosaic <= (grey ? 4 : 0); mosaic += 4) {
      int h = grey && !mosaic ? 36 * p.channels : 36;
      Frame frame = frame_new (all_formats[f], 60, h, (int) rnd (30), 1);
      Frame same = frame_new (all_formats[f], 60, h, 0, 1);

      p.mosaic = mosaic;
      ok (multispectral_render (
          v.scene, &p, 3, &frame.image, v.objects, v.labels));
      check (frame_is_unharmed (&frame));
      for (int y = 0; y < (grey ? 0 : h); y += 2)
        scene_put_rows (&same.image, v.img.plane[0], y);
      for (int i = 0; i < (grey ? 0 : 60 * h); i++) {
        uint8_t c[3], d[3];

        image_read (&frame.image, i % 60, i / 60, c);
        image_read (&same.image, i % 60, i / 60, d);
        check (!memcmp (c, d, 3));
      }
      frame_free (&frame);
      frame_free (&same);
    }
  }
  view_free (&v);
}

static void
sizes (DeviceKind kind)
{
  static const int odd[][2] = {{1, 1}, {1, 2}, {2, 1}, {3, 5}, {33, 17},
      {1, 480}, {640, 1}, {4096, 2}, {2, 4096}};

  (void) kind;
  for (int i = 0; i < 9; i++)
    for (int n = 0; n <= 16; n += 8) {
      MultispectralParams p = MULTISPECTRAL_DEFAULTS;
      View v = view_new (odd[i][0], odd[i][1], n, IMAGE_GRAY16);

      p.seed = rnd (1000), p.channels = n ? n : 2, p.occlusion = n;
      view_show (&v, &p, rnd (1000));
      view_free (&v);
    }
}

/* A render that must be refused, and leave the frame alone. */
static void
refuse (const View *v, const MultispectralParams *p, const Image *img)
{
  const char *err = multispectral_render (v->scene, p, 1, img, NULL, v->labels);

  check (err && strlen (err) > 10);
  for (int i = 0; i < 20 * 10 * 11; i++)
    check (v->img.plane[0][i] == GUARD_BYTE);
}

static void
hostile (DeviceKind kind)
{
  static const size_t fields[] = {offsetof (MultispectralParams, speed),
      offsetof (MultispectralParams, contrast),
      offsetof (MultispectralParams, noise),
      offsetof (MultispectralParams, drift),
      offsetof (MultispectralParams, texture)};
  static const size_t counts[] = {offsetof (MultispectralParams, n_objects),
      offsetof (MultispectralParams, distractors),
      offsetof (MultispectralParams, channels),
      offsetof (MultispectralParams, mosaic)};
  static const double bad[] = {NAN, INFINITY, -INFINITY, -.001, 65};
  static const int wrong[] = {-1, 4097, INT32_MAX, INT32_MIN, 1025};
  MultispectralParams good = MULTISPECTRAL_DEFAULTS, p;
  View v = view_new (20, 10, 11, IMAGE_GRAY8);
  Image img = v.img;
  Multispectral *none;

  (void) kind;
  memset (img.plane[0], GUARD_BYTE, 20 * 10 * 11);
  for (int i = 0; i < 5; i++) {
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
      p = good;
      memcpy ((char *) &p + fields[k], &bad[i], sizeof bad[i]);
      refuse (&v, &p, &img);
    }
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      p = good;
      memcpy ((char *) &p + counts[k], &wrong[i], sizeof wrong[i]);
      refuse (&v, &p, &img);
    }
    if (i < 4)
      check (multispectral_new (&none, wrong[i], 5) && !none &&
          multispectral_new (&none, 5, wrong[i]) && !none);
  }
  p = good, p.n_objects = 0;
  refuse (&v, &p, &img);
  for (p = good, p.channels = 1; p.channels <= 17; p.channels += 16)
    refuse (&v, &p, &img);
  for (p = good, img.height = 10, p.mosaic = 3; p.mosaic <= 5; p.mosaic++)
    refuse (&v, &p, &img); /* 20 x 10 are multiples of neither 3, 4 nor 5 */
  img.height = 109;
  refuse (&v, &good, &img);
  img.height = 110, img.width = 19;
  refuse (&v, &good, &img);
  img = v.img, img.format = IMAGE_RGB;
  refuse (&v, &good, &img);
  multispectral_free (NULL);
  view_free (&v);
}

static void
extremes (DeviceKind kind)
{
  View v = view_new (96, 36, 16, IMAGE_GRAY8);
  View raw = view_new (96, 36, 1, IMAGE_GRAY8);

  (void) kind;
  for (int i = 0; i < 24; i++) {
    MultispectralParams p = {.seed = UINT64_MAX - i,
        .n_objects = i % 8 ? i : MULTISPECTRAL_MAX_OBJECTS,
        .speed = i % 3 ? 8 : 5e-324,
        .contrast = i % 2,
        .noise = i & 4 ? 64 : 0,
        .drift = .5,
        .texture = i / 2 % 2,
        .distractors = i % 5 ? 0 : MULTISPECTRAL_MAX_PATCHES,
        .occlusion = i & 1,
        .channels = 16};

    view_show (&v, &p, UINT64_MAX - i);
    p.mosaic = 2 + i % 3;
    view_show (&raw, &p, UINT64_MAX - i);
    check (same_labels (&v, &raw));
  }
  view_free (&v);
  view_free (&raw);
}
