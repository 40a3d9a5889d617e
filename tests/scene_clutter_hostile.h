/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Purity, layouts, odd sizes, files and bad parameters. */

static bool
same (const Table *a, const Table *b)
{
  size_t n = (size_t) a->color.width * a->color.height;

  return !memcmp (a->color.plane[0], b->color.plane[0], 3 * n) &&
      !memcmp (a->depth.plane[0], b->depth.plane[0], 2 * n) &&
      !memcmp (a->labels, b->labels, 2 * n);
}

/* A frame follows from params and number alone. */
static void
repeats (DeviceKind kind)
{
  Table a = table_new (81, 59), b = table_new (81, 59);

  (void) kind;
  for (int i = 0; i < 3; i++) {
    uint64_t number = i == 2 ? UINT64_MAX - 15 : rnd (1u << 31);
    ClutterParams p = CLUTTER_DEFAULTS, other;

    p.seed = rnd (1000);
    p.n_objects = 3;
    p.scene_frames = 10;
    other = p, other.seed += 1;
    number -= number % 10;
    table_show (&a, &p, number);
    table_show (&b, &other, number);
    check (!same (&a, &b));
    table_show (&b, &p, number + 10);
    check (memcmp (a.scene->body, b.scene->body, sizeof a.scene->body) != 0);
    table_show (&b, &p, number + 9);
    check (!same (&a, &b));
    check (!memcmp (a.scene->body, b.scene->body, sizeof a.scene->body));
    table_show (&b, &p, number);
    check (same (&a, &b));
  }
  table_free (&a);
  table_free (&b);
}

static void
formats (DeviceKind kind)
{
  ClutterParams p = CLUTTER_DEFAULTS;
  Table t = table_new (61, 37);

  (void) kind;
  p.n_objects = 2;
  table_show (&t, &p, 3);
  for (int f = 0; f < N_FORMATS; f++) {
    ClutterView view =
        all_formats[f] == IMAGE_GRAY16 ? CLUTTER_DEPTH : CLUTTER_COLOR;
    Frame frame = frame_new (all_formats[f], 61, 37, 2 * (int) rnd (15), 2);

    ok (clutter_render (t.scene, &p, view, 3, &frame.image, NULL, NULL));
    check (frame_is_unharmed (&frame));
    check (clutter_render (t.scene, &p, !view, 3, &frame.image, NULL, NULL) !=
        NULL);
    if (all_formats[f] == IMAGE_RGB)
      for (int y = 0; y < 37; y++)
        check (!memcmp (
            frame.image.plane[0] + (ptrdiff_t) y * frame.image.stride[0],
            t.color.plane[0] + y * 61 * 3, 61 * 3));
    frame_free (&frame);
  }
  table_free (&t);
}

static void
sizes (DeviceKind kind)
{
  static const int all[][2] = {{1, 1}, {1, 40}, {40, 1}, {3, 2}};
  ClutterParams p = CLUTTER_DEFAULTS;
  Clutter *s;

  (void) kind;
  p.n_objects = 2;
  for (int i = 0; i < 4; i++) {
    Table t = table_new (all[i][0], all[i][1]);

    table_show (&t, &p, 0);
    table_free (&t);
  }
  check (clutter_new (&s, 0, 1, NULL, 0, 1) != NULL && !s);
  check (clutter_new (&s, 1, CLUTTER_MAX_SIZE + 1, NULL, 0, 1) != NULL && !s);
}

static void
parameters (DeviceKind kind)
{
  static const double bad[] = {-1, 1e9, NAN, INFINITY};
  Table t = table_new (8, 8);
  ClutterParams p = CLUTTER_DEFAULTS;

#define REFUSED \
 check (clutter_render ( \
            t.scene, &p, CLUTTER_COLOR, 0, &t.color, NULL, NULL) != NULL)
  (void) kind;
  for (int i = 0; i < 4; i++) {
    p = (ClutterParams) CLUTTER_DEFAULTS, p.speed = bad[i];
    REFUSED;
    p = (ClutterParams) CLUTTER_DEFAULTS, p.noise = bad[i];
    REFUSED;
  }
  p = (ClutterParams) CLUTTER_DEFAULTS, p.n_objects = 0;
  REFUSED;
  p.n_objects = CLUTTER_MAX_OBJECTS + 1;
  REFUSED;
  p = (ClutterParams) CLUTTER_DEFAULTS;
  t.color.width--;
  REFUSED;
  table_free (&t);
}

/* Writes a triangle of @side metres as PLY, or points alone. */
static const char *
write_mesh (double side, bool triangle)
{
  static char path[] = "/tmp/clutter-XXXXXX.ply";
  FILE *f;

  memcpy (path, "/tmp/clutter-XXXXXX.ply", sizeof path);
  f = fdopen (mkstemps (path, 4), "w");
  fprintf (f,
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty "
      "float y\nproperty float z\nelement face %d\nproperty list uchar int "
      "vertex_indices\nend_header\n0 0 0\n%g 0 0\n0 %g 0\n",
      triangle, side, side);
  if (triangle)
    fputs ("3 0 1 2\n", f);
  fclose (f);
  return path;
}

static void
files (DeviceKind kind)
{
  const char *path = write_mesh (100, true);
  ClutterParams p = CLUTTER_DEFAULTS;
  Image img = {.width = 64, .height = 48, .format = IMAGE_RGB};
  ClutterTruth truth;
  Clutter *s;

  (void) kind;
  img.plane[0] = malloc (64 * 48 * 3);
  img.stride[0] = 64 * 3;
  ok (clutter_new (&s, 64, 48, &path, 1, .001)); /* a tile of 10 cm */
  p.n_objects = 3;
  ok (clutter_render (s, &p, CLUTTER_COLOR, 0, &img, &truth, NULL));
  for (int i = 0; i < 3; i++) {
    check (!strncmp (truth.objects[i].seen.label, "clutter-", 8));
    check (!strchr (truth.objects[i].seen.label, '.'));
    check_near (truth.objects[i].extent[0], .1, 1e-6);
  }
  check (s->body[0].pose.t[2] < .001); /* flat */
  clutter_free (s);
  check (clutter_new (&s, 64, 48, &path, 1, 1) != NULL && !s);
  check (clutter_new (&s, 64, 48, &path, 1, 1e-5) != NULL && !s);
  check (clutter_new (&s, 64, 48, &path, 1, NAN) != NULL && !s);
  unlink (path);
  check (clutter_new (&s, 64, 48, &path, 1, .001) != NULL && !s);
  path = write_mesh (100, false);
  check (clutter_new (&s, 64, 48, &path, 1, .001) != NULL && !s);
  unlink (path);
  free (img.plane[0]);
}
