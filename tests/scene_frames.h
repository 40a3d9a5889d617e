/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Every layout, odd sizes, padded rows and bad parameters.  Where components
 * lie is written out here once more, by hand. */

#define GUARD 0xa5

/* Byte offset of component @c of pixel (@x, @y) in plane @plane. */
static size_t
offset_of (const Image *img, int c, int x, int y, int *plane)
{
  static const char *order[] = {[IMAGE_RGB] = "RGB",
      [IMAGE_BGR] = "BGR",
      [IMAGE_RGBA] = "RGBA",
      [IMAGE_BGRA] = "BGRA"};
  const char *o = img->format >= IMAGE_RGB && img->format <= IMAGE_BGRA
      ? order[img->format]
      : NULL;
  int s0 = img->stride[0], s1 = img->stride[1], s2 = img->stride[2];

  *plane = 0;
  if (o)
    return y * s0 + x * strlen (o) + (strchr (o, "RGB"[c]) - o);
  switch (img->format) {
    case IMAGE_NV12:
      *plane = c > 0;
      return c ? y / 2 * s1 + x / 2 * 2 + c - 1 : y * s0 + x;
    case IMAGE_I420:
      *plane = c;
      return c ? y / 2 * (c == 1 ? s1 : s2) + x / 2 : y * s0 + x;
    case IMAGE_YUY2:
      return y * s0 + (c ? x / 2 * 4 + 2 * c - 1 : 2 * x);
    case IMAGE_P010:
      *plane = c > 0;
      return c ? y / 2 * s1 + x / 2 * 4 + 2 * c - 1 : y * s0 + 2 * x + 1;
    case IMAGE_GRAY16:
      return y * s0 + 2 * x + 1;
    default:
      return y * s0 + x;
  }
}

/* The chroma block of (@x, @y): its mean colour, and a pixel's own for luma
 * and RGB. */
static void
expected (
    const Stage *ref, const Image *img, int c, int x, int y, uint8_t rgb[3])
{
  bool shared = image_is_yuv (img->format) && c;
  bool tall = shared && img->format != IMAGE_YUY2;
  int x0 = shared ? x / 2 * 2 : x, y0 = tall ? y / 2 * 2 : y;
  int x1 = shared && x0 + 1 < img->width ? x0 + 1 : x0;
  int y1 = tall && y0 + 1 < img->height ? y0 + 1 : y0;

  for (int k = 0; k < 3; k++) {
    const uint8_t *p = ref->img.plane[0] + k;
    int s = ref->img.stride[0];
    int sum = p[y0 * s + 3 * x0] + p[y0 * s + 3 * x1] + p[y1 * s + 3 * x0] +
        p[y1 * s + 3 * x1];

    rgb[k] = (uint8_t) ((sum + 2) / 4);
  }
}

static void
compare (const Stage *ref, const Image *img)
{
  bool grey = img->format <= IMAGE_GRAY16;
  bool luma = grey || image_is_yuv (img->format);
  Yuv m = yuv_of (img->matrix, grey || img->full_range);
  int wrong = 0, plane;

  for (int i = 0; i < img->width * img->height * (grey ? 1 : 3); i++) {
    int c = grey ? 0 : i % 3, at = grey ? i : i / 3;
    int x = at % img->width, y = at / img->width;
    size_t o = offset_of (img, c, x, y, &plane);
    uint8_t v[3];

    expected (ref, img, c, x, y, v);
    if (luma)
      yuv_from_rgb (&m, v, v);
    wrong += img->plane[plane][o] != v[c];
    if (img->format == IMAGE_P010)
      wrong += img->plane[plane][o - 1] != 0;
    if (img->format == IMAGE_RGBA || img->format == IMAGE_BGRA)
      wrong += img->plane[0][y * img->stride[0] + 4 * x + 3] != 255;
  }
  check (!wrong);
}

/* Renders into planes with padding, and looks at that afterwards. */
static void
one_format (Stage *ref, const ChromaticParams *p, ImageFormat format)
{
  Image img = ref->img;
  int touched = 0;

  img.format = format;
  img.matrix = rnd (3), img.full_range = rnd (2);
  for (int k = 0; k < image_planes (format); k++) {
    img.stride[k] = image_row_bytes (format, img.width, k) + 1 + rnd (40);
    img.plane[k] = malloc (img.stride[k] * (img.height + 1));
    memset (img.plane[k], GUARD, img.stride[k] * (img.height + 1));
  }
  ok (chromatic_render (ref->scene, p, 4, &img, NULL, NULL));
  compare (ref, &img);
  for (int k = 0; k < image_planes (format); k++) {
    int used = image_row_bytes (format, img.width, k), s = img.stride[k];
    int rows = image_rows (format, img.height, k);

    for (int i = 0; i < s * (img.height + 1); i++)
      touched += (i % s >= used || i / s >= rows) && img.plane[k][i] != GUARD;
    free (img.plane[k]);
  }
  check (!touched);
}

static void
formats (DeviceKind kind)
{
  static const int sizes[][2] = {
      {64, 48}, {1, 1}, {2, 1}, {1, 2}, {3, 5}, {33, 17}, {250, 3}, {16, 16}};
  ChromaticParams p = CHROMATIC_DEFAULTS;

  (void) kind;
  for (int k = 0; k < 8; k++) {
    Stage ref = stage_new (sizes[k][0], sizes[k][1]);

    p.n_objects = k % 2 ? 1024 : 5, p.twins = p.distractors = 20;
    p.occlusion = k % 3, p.seed = rnd (1000);
    stage_show (&ref, &p, 4);
    for (int f = IMAGE_GRAY8; f <= IMAGE_P010; f++)
      one_format (&ref, &p, f);
    stage_free (&ref);
  }
}

static void
hostile (DeviceKind kind)
{
  static const double bad[] = {NAN, INFINITY, -INFINITY, -1, 1e9};
  Stage s = stage_new (20, 10);
  Chromatic *none;
  ChromaticParams good = CHROMATIC_DEFAULTS, p;
  static const int sizes[] = {0, -1, 16385, INT32_MAX, INT32_MIN};
  Image img = s.img;

  (void) kind;
  memset (s.img.plane[0], GUARD, 600);
  for (int i = 0; i < 5; i++) {
    double *fields[] = {&p.speed, &p.noise, &p.shadows, &p.texture};
    int *counts[] = {&p.n_objects, &p.distractors, &p.twins};

    for (int k = 0; k < 7; k++) {
      p = good;
      if (k < 4)
        *fields[k] = bad[i];
      else
        *counts[k - 4] = i % 2 ? 1000000 : -1 - i;
      check (chromatic_render (s.scene, &p, 1, &img, NULL, NULL));
    }
    check (chromatic_new (&none, sizes[i], 5) && !none);
    check (chromatic_new (&none, 5, sizes[i]) && !none);
  }
  p = good, p.n_objects = 0;
  check (chromatic_render (s.scene, &p, 1, &img, NULL, NULL));
  img.width = 21;
  check (chromatic_render (s.scene, &good, 1, &img, NULL, NULL));
  for (int i = 0; i < 600; i++)
    check (s.img.plane[0][i] == GUARD);
  chromatic_free (NULL);
  stage_free (&s);
}

static void
extremes (DeviceKind kind)
{
  Stage s = stage_new (97, 41);
  ChromaticParams p = {.n_objects = 1024,
      .speed = 8,
      .noise = 64,
      .shadows = .5,
      .texture = 1,
      .distractors = 256,
      .twins = 256};

  (void) kind;
  for (int i = 0; i < 4; i++) {
    p.occlusion = i % 2;
    stage_show (&s, &p, UINT64_MAX - i);
    p.n_objects = i ? 1 : 13;
  }
  p = (ChromaticParams){.n_objects = 1};
  stage_show (&s, &p, 0);
  check (s.objects[0].area > 0);
  stage_free (&s);
}
