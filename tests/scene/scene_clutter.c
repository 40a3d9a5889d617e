/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene clutter: things that lie on each other as things do, surfaces where
 * they are said to be, and a frame that follows from params and number. */
#include <math.h>
#include <unistd.h>

#include "frames.h"
#include "scene/clutter_core.h"
#include "seconds.h"

/* ---- A table with things on it, and all that the scene says ---- */

typedef struct {
  Clutter *scene;
  Image color, depth;
  ClutterTruth truth;
  uint16_t *labels;
} Table;

static Table
table_new (int w, int h)
{
  Table t = {.color = {.width = w, .height = h, .format = IMAGE_RGB},
      .depth = {.width = w, .height = h, .format = IMAGE_GRAY16}};
  size_t n = (size_t) w * h;

  t.color.plane[0] = malloc (3 * n);
  t.color.stride[0] = 3 * w;
  t.depth.plane[0] = malloc (2 * n);
  t.depth.stride[0] = 2 * w;
  t.labels = malloc (n * sizeof *t.labels);
  ok (clutter_new (&t.scene, w, h, NULL, 0, 1));
  return t;
}

static void
table_free (Table *t)
{
  clutter_free (t->scene);
  free (t->color.plane[0]);
  free (t->depth.plane[0]);
  free (t->labels);
}

AUTO_FREE (Table, table_free)

static void
table_show (Table *t, const ClutterParams *p, uint64_t number)
{
  ok (clutter_render (
      t->scene, p, CLUTTER_COLOR, number, &t->color, NULL, NULL));
  ok (clutter_render (
      t->scene, p, CLUTTER_DEPTH, number, &t->depth, &t->truth, t->labels));
}

static double
metres_at (const Table *t, int x, int y)
{
  return ((const uint16_t *) (const void *)
                 t->depth.plane[0])[(size_t) y * t->depth.width + x] /
      1000.;
}

static Pose64
truth_pose (const double p[7])
{
  return (Pose64){{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
}

/* The point that a pixel shows, in the camera. */
static void
seen_at (const Table *t, int x, int y, double p[3])
{
  double z = metres_at (t, x, y);

  p[0] = (x - t->truth.cx) / t->truth.fx * z;
  p[1] = (y - t->truth.cy) / t->truth.fy * z;
  p[2] = z;
}

static void
corner (const Mesh *m, uint32_t triangle, int k, double p[3])
{
  for (int i = 0; i < 3; i++)
    p[i] = m->x[3 * (size_t) m->triangles[3 * (size_t) triangle + k] + i];
}

/* ---- How things lie ---- */

/* In each other never, on something always, and so that they would not tip
 * over. */

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

    rgbd_pose_apply (&s->body[i].rest, p, q);
    q[2] -= down;
    n += q[2] < -1e-6;
    for (int k = 0; k < s->n_bodies; k++) {
      Pose64 back = rgbd_pose_inverse (&s->body[k].rest);
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
  AUTO (Table) t = table_new (32, 24);
  int touching = 0, n = 0;

  for (int i = 0; i < 2; i++) {
    ClutterParams p = clutter_defaults ();

    p.seed = rnd (1000);
    p.n_objects = 8;
    clutter_drop (t.scene, &p, 0);
    for (int k = 0; k < p.n_objects; k++, n++) {
      check (inside (t.scene, k, 0) == 0);
      touching += inside (t.scene, k, .01) > 0;
    }
  }
  check (touching == n); /* nothing hangs in the air */
}

/* A single thing on the table: in every direction there is something that
 * carries it, beyond its middle. */
static void
nothing_tips (DeviceKind kind)
{
  AUTO (Table) t = table_new (32, 24);
  double worst = 1;

  for (int i = 0; i < 5; i++) {
    ClutterParams p = clutter_defaults ();
    const ClutterShape *s;
    double mass[3];

    p.seed = rnd (10000);
    p.n_objects = 1;
    clutter_drop (t.scene, &p, 0);
    s = &t.scene->shape[t.scene->body[0].shape];
    rgbd_pose_apply (&t.scene->body[0].rest, s->mass, mass);
    for (uint32_t turn = 0; turn < 16; turn++) {
      double c = math_sin_turn ((turn << 28) + (1u << 30));
      double d = math_sin_turn (turn << 28), most = -1;

      for (int k = 0; k < s->n_points; k++) {
        const float *v = s->point + 3 * (size_t) k;
        double x[3] = {v[0], v[1], v[2]}, q[3];

        rgbd_pose_apply (&t.scene->body[0].rest, x, q);
        if (q[2] < .002)
          most = fmax (most, c * (q[0] - mass[0]) + d * (q[1] - mass[1]));
      }
      worst = fmin (worst, most);
    }
  }
  printf ("     carried %.1f mm beyond the middle at least\n", 1e3 * worst);
  check (worst > -.0005);
}

/* ---- What is seen is where it is said to be ---- */

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
  AUTO (Table) t = table_new (160, 120);
  ClutterParams p = clutter_defaults ();
  Pose64 camera;
  int on_things = 0;

  p.seed = rnd (1000);
  p.noise = 0;
  table_show (&t, &p, 5);
  camera = truth_pose (t.truth.camera);
  for (int y = 0; y < 120; y++)
    for (int x = 0; x < 160; x++) {
      int label = t.labels[y * 160 + x];
      double q[3], r[3];
      const SceneThing *o = &t.truth.objects[label ? label - 1 : 0];

      seen_at (&t, x, y, q);
      check (q[2] > .5);
      if (!label) {
        rgbd_pose_apply (&camera, q, r);
        check_near (r[2], 0, .0006);
      } else if (x % 6 == 0 && y % 4 == 0) {
        Pose64 pose = truth_pose (o->pose), back = rgbd_pose_inverse (&pose);

        rgbd_pose_apply (&back, q, r);
        check_near (distance_to (&t.scene->shape[o->shape].mesh, r), 0, .0013);
        on_things++;
      }
    }
  check (on_things > 20);
}

/* What is alone is all visible; each shape is there once; the others' areas are
 * what the labels show. */
static void
visibility (DeviceKind kind)
{
  AUTO (Table) t = table_new (160, 120);
  ClutterParams p = clutter_defaults ();
  int hidden = 0;

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
}

/* Deviation of depth from the truth, in eighths of a step; and of colour. */
static void
sensor (DeviceKind kind)
{
  AUTO (Table) a = table_new (160, 120), b = table_new (160, 120);
  ClutterParams p = clutter_defaults ();
  double depth = 0, color = 0;
  int n = 0, holes = 0;

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
}

/* ---- Purity, layouts, odd sizes, files and bad parameters ---- */

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
  AUTO (Table) a = table_new (81, 59), b = table_new (81, 59);

  for (int i = 0; i < 3; i++) {
    uint64_t number = i == 2 ? UINT64_MAX - 15 : rnd (1u << 31);
    ClutterParams p = clutter_defaults (), other;

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
}

/* The place of object @i of the frame in the world. */
static void
place_in_world (const Table *t, int i, double at[3])
{
  Pose64 camera, thing;

  memcpy (&camera, t->truth.camera, sizeof camera);
  memcpy (&thing, t->truth.objects[i].pose, sizeof thing);
  rgbd_pose_apply (&camera, thing.t, at);
}

/* Of two things that are carried, the one that fell last is lifted from frame
 * 30 on and the one before it from frame 70 on; the others rest.  Once lifted,
 * a thing goes to both sides.  Its velocity is the way of its middle to the
 * next frame. */
static void
carried (DeviceKind kind)
{
  ClutterParams p = clutter_defaults ();
  AUTO (Table) t = table_new (160, 120);
  double rest[8][3], sides[2] = {0, 0}, way[2];

  p.noise = 0;
  p.carried = 2;
  for (uint64_t n = 30; n <= 230; n += 10) {
    table_show (&t, &p, n);
    check (t.truth.n_objects == 8);
    for (int i = 0; i < 8; i++) {
      double at[3], lift = n < 70 ? 0 : .12;

      place_in_world (&t, i, at);
      if (n == 30)
        memcpy (rest[i], at, sizeof at);
      if (i < 6 || (i == 6 && n <= 70))
        for (int k = 0; k < 3; k++)
          check_near (at[k], rest[i][k], 1e-9);
      if (i == 7) {
        check (at[2] >= rest[i][2] - .03 && at[2] <= rest[i][2] + .15);
        check (at[2] > rest[i][2] + lift - .04);
        sides[0] = fmin (sides[0], at[1] - rest[i][1]);
        sides[1] = fmax (sides[1], at[1] - rest[i][1]);
      }
    }
  }
  check (sides[0] < -.05 && sides[1] > .05);
  for (uint64_t n = 40; n < 42; n++) {
    const SceneThing *o = &t.truth.objects[7];
    double x, y;

    table_show (&t, &p, n);
    x = t.truth.fx * o->pose[0] / o->pose[2];
    y = t.truth.fy * o->pose[1] / o->pose[2];
    if (n == 41)
      check (hypot (x - way[0], y - way[1]) < .3);
    way[0] = x + o->seen.vx;
    way[1] = y + o->seen.vy;
  }
}

static void
formats (DeviceKind kind)
{
  ClutterParams p = clutter_defaults ();
  AUTO (Table) t = table_new (61, 37);

  p.n_objects = 2;
  table_show (&t, &p, 3);
  for (int f = 0; f < N_FORMATS; f++) {
    ClutterView view =
        all_formats[f] == IMAGE_GRAY16 ? CLUTTER_DEPTH : CLUTTER_COLOR;
    AUTO (Frame) frame =
        frame_new (all_formats[f], 61, 37, 2 * (int) rnd (15), 2);

    ok (clutter_render (t.scene, &p, view, 3, &frame.image, NULL, NULL));
    check (frame_is_unharmed (&frame));
    check (clutter_render (t.scene, &p, !view, 3, &frame.image, NULL, NULL) !=
        NULL);
    if (all_formats[f] == IMAGE_RGB)
      for (int y = 0; y < 37; y++)
        check (!memcmp (
            frame.image.plane[0] + (ptrdiff_t) y * frame.image.stride[0],
            t.color.plane[0] + y * 61 * 3, 61 * 3));
  }
}

static void
sizes (DeviceKind kind)
{
  static const int all[][2] = {{1, 1}, {1, 40}, {40, 1}, {3, 2}};
  ClutterParams p = clutter_defaults ();
  Clutter *s;

  p.n_objects = 2;
  for (int i = 0; i < 4; i++) {
    AUTO (Table) t = table_new (all[i][0], all[i][1]);

    table_show (&t, &p, 0);
  }
  check (clutter_new (&s, 0, 1, NULL, 0, 1) != NULL && !s);
  check (clutter_new (&s, 1, CLUTTER_MAX_SIZE + 1, NULL, 0, 1) != NULL && !s);
}

static void
parameters (DeviceKind kind)
{
  static const double bad[] = {-1, 1e9, NAN, INFINITY};
  Table t = table_new (8, 8);
  ClutterParams p = clutter_defaults ();

#define REFUSED \
 check (clutter_render ( \
            t.scene, &p, CLUTTER_COLOR, 0, &t.color, NULL, NULL) != NULL)
  for (int i = 0; i < 4; i++) {
    p = clutter_defaults (), p.speed = bad[i];
    REFUSED;
    p = clutter_defaults (), p.noise = bad[i];
    REFUSED;
  }
  p = clutter_defaults (), p.n_objects = 0;
  REFUSED;
  p.n_objects = CLUTTER_MAX_OBJECTS + 1;
  REFUSED;
  p = clutter_defaults (), p.n_absent = p.n_objects;
  REFUSED;
  p = clutter_defaults ();
  t.color.width--;
  REFUSED;
  table_free (&t);
}

/* The last object comes later: the others lie as they do beside it. */
static void
late (DeviceKind kind)
{
  AUTO (Table) t = table_new (160, 120);
  ClutterParams p = clutter_defaults ();
  ClutterTruth before;

  p.seed = rnd (1000);
  p.n_objects = 7;
  p.n_absent = 1;
  table_show (&t, &p, 2);
  before = t.truth;
  check (before.n_objects == 6);
  p.n_absent = 0;
  table_show (&t, &p, 2);
  check (t.truth.n_objects == 7);
  for (int i = 0; i < 6; i++)
    check (t.truth.objects[i].shape == before.objects[i].shape &&
        !memcmp (t.truth.objects[i].pose, before.objects[i].pose,
            sizeof before.objects[i].pose));
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

/* A mesh from outside may name a vertex that it does not have, or have one that
 * is no number. */
static void
bad_files (DeviceKind kind)
{
  static const char *const ends[] = {"0 0 0\n9 0 0\n0 9 0\n3 0 1 3\n",
      "0 0 0\n9 0 0\n0 9 0\n3 0 1 4294967295\n",
      "0 0 0\n9 0 0\n0 9 nan\n3 0 1 2\n"};
  Clutter *s;

  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const char *path = write_mesh (9, false);
    FILE *f = fopen (path, "w");

    fprintf (f,
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty "
        "float y\nproperty float z\nelement face 1\nproperty list uchar uint "
        "vertex_indices\nend_header\n%s",
        ends[i]);
    fclose (f);
    check (clutter_new (&s, 64, 48, &path, 1, .01) != NULL && !s);
    unlink (path);
  }
}

static void
files (DeviceKind kind)
{
  const char *path = write_mesh (100, true);
  ClutterParams p = clutter_defaults ();
  Image img = {.width = 64, .height = 48, .format = IMAGE_RGB};
  ClutterTruth truth;
  Clutter *s;

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
  check (s->body[0].rest.t[2] < .001); /* flat */
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

/* Solids by name beside a mesh, of which only the mesh has units; several of
 * one kind. */
static void
names (DeviceKind kind)
{
  const char *mesh = write_mesh (100, true);
  const char *both[] = {"mug", mesh}, *mug = "mug";
  AUTO (Table) t = table_new (64, 48);
  ClutterParams p = clutter_defaults ();
  int mugs = 0;

  clutter_free (t.scene);
  ok (clutter_new (&t.scene, 64, 48, both, 2, .001));
  p.n_objects = 4;
  table_show (&t, &p, 0);
  for (int i = 0; i < 4; i++) {
    const SceneThing *o = &t.truth.objects[i];

    check (!strcmp (o->seen.label, "mug") == (o->shape == 0));
    check (o->extent[0] > .05 && o->extent[0] < .2);
    mugs += o->shape == 0;
  }
  check (mugs == 2);
  clutter_free (t.scene);
  ok (clutter_new (&t.scene, 64, 48, &mug, 1, 1));
  table_show (&t, &p, 0);
  for (int i = 0; i < 4; i++)
    check (!strcmp (t.truth.objects[i].seen.label, "mug"));
  unlink (mesh);
}

/* A bias moves all depths, and adds none. */
static void
bias (DeviceKind kind)
{
  AUTO (Table) near = table_new (64, 48), far = table_new (64, 48);
  ClutterParams p = clutter_defaults ();
  int n = 0;

  table_show (&near, &p, 0);
  p.depth_bias = .0071;
  table_show (&far, &p, 0);
  for (int y = 0; y < 48; y++)
    for (int x = 0; x < 64; x++) {
      double z = metres_at (&near, x, y);

      check_near (metres_at (&far, x, y), z > 0 ? z + .007 : 0, 1e-9);
      n += z > 0;
    }
  check (n > 1000);
  p.depth_bias = NAN;
  check (clutter_render (
             far.scene, &p, CLUTTER_DEPTH, 0, &far.depth, NULL, NULL) != NULL);
}

/* ---- How long a frame takes ---- */

static int
bench (int argc, char **argv)
{
  static const int sizes[][2] = {{320, 240}, {640, 480}, {1280, 720}};
  ClutterParams p = clutter_defaults ();

  for (int k = 0; k < 3; k++) {
    AUTO (Table) t = table_new (sizes[k][0], sizes[k][1]);
    double start = seconds (), dropped;

    clutter_drop (t.scene, &p, 0);
    dropped = seconds () - start;
    start = seconds ();
    for (uint64_t f = 0; f < 10; f++)
      table_show (&t, &p, f);
    printf ("%d x %d: %.1f ms a pair of frames, once %.0f ms\n", sizes[k][0],
        sizes[k][1], (seconds () - start) * 100, dropped * 1e3);
  }
  return check_failures != 0;
}

static const CheckPart parts[] = {{"nothing_in_anything", nothing_in_anything},
    {"nothing_tips", nothing_tips}, {"surfaces", surfaces},
    {"visibility", visibility}, {"sensor", sensor}, {"repeats", repeats},
    {"carried", carried}, {"formats", formats}, {"sizes", sizes},
    {"parameters", parameters}, {"files", files}, {"bad files", bad_files},
    {"names", names}, {"bias", bias}, {"late", late}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, parts, NULL, bench);
}
