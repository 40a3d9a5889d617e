/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What scopedetect makes of a mesh: models and their files. */
#include <math.h>
#include <unistd.h>

#include "scopedetect/model/shape.h"
#include "scopedetect_solid.h"

/* ==== Models and their files, good ones and all kinds of bad ones. ==== */

static void
test_units (DeviceKind kind)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModel *model;
  const char *why;
  Solid s;

  solid_make (&s);
  how.unit = 1000; /* a solid of 120 m */
  why = scopedetect_model_compile (&model, &s.mesh, "", &how);
  check (why && strstr (why, "millimetres") && !model);
  how.unit = .001;
  why = scopedetect_model_compile (&model, &s.mesh, "", &how);
  check (why && strstr (why, "unit") && !model);
  how.unit = 1;
  s.mesh.triangles[5] = 24;
  check (scopedetect_model_compile (&model, &s.mesh, "", &how) != NULL);
  s.mesh.triangles[5] = 0;
  s.x[7] = NAN;
  check (scopedetect_model_compile (&model, &s.mesh, "", &how) != NULL);
  s.mesh.n = 0;
  check (scopedetect_model_compile (&model, &s.mesh, "", &how) != NULL);
}

/* Where floats have 8 bits of a metre, a mesh is refused; near enough it is the
 * model that it is at the origin. */
static void
test_far_away (DeviceKind kind)
{
  static const float away[] = {0, 100, 2000, 1e6f};
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;

  for (size_t i = 0; i < sizeof away / sizeof *away; i++) {
    ScopedetectModelInfo info;
    ScopedetectModel *model;
    const char *why;
    Solid s;

    solid_make (&s);
    for (uint32_t k = 0; k < s.mesh.n; k++)
      s.x[3 * k] += away[i];
    why = scopedetect_model_compile (&model, &s.mesh, "", &how);
    check (away[i] < 1000 ? !why : why && strstr (why, "from the origin"));
    if (!model)
      continue;
    scopedetect_model_info (model, &info);
    check_near (info.size[0], .1, .004);
    check (info.n_symmetries == 1 && !info.has_axis);
    check (info.n_points > 700 && info.n_points < 1600);
    scopedetect_model_free (model);
  }
}

/* What is written is read again; what is changed or cut off anywhere is not. */
static void
test_model_file (DeviceKind kind)
{
  ScopedetectModel *model = solid_model (.012), *again;
  uint8_t *bytes, *more;
  size_t n, m;
  char path[] = "/tmp/scopedetect-XXXXXX";
  int file = mkstemp (path);

  close (file);
  ok (scopedetect_model_write (model, &bytes, &n));
  ok (scopedetect_model_parse (&again, bytes, n));
  ok (scopedetect_model_write (again, &more, &m));
  check (n == m && !memcmp (bytes, more, n));
  scopedetect_model_free (again);
  ok (scopedetect_model_save (model, path));
  ok (scopedetect_model_load (&again, path));
  scopedetect_model_free (again);
  unlink (path);
  check (scopedetect_model_load (&again, path) != NULL);
  for (size_t k = 0; k < n; k += k < 400 || k + 64 > n ? 1 : 13) {
    uint8_t *part = malloc (k ? k : 1); /* nothing behind its last byte */

    memcpy (part, bytes, k);
    check (scopedetect_model_parse (&again, part, k) != NULL);
    scopedetect_model_free (again);
    free (part);
    bytes[k] ^= (uint8_t) (1 + rnd (255));
    check (scopedetect_model_parse (&again, bytes, n) != NULL);
    scopedetect_model_free (again);
    bytes[k] = more[k];
  }
  bytes[8]++; /* the version */
  check (
      strstr (scopedetect_model_parse (&again, bytes, n), "version") != NULL);
  free (bytes);
  free (more);
  scopedetect_model_free (model);
}

/* The checksum of a model file (FNV-1a), which its last 8 bytes are. */
static void
sum_again (uint8_t *bytes, size_t n)
{
  uint64_t h = 0xcbf29ce484222325ull;

  for (size_t i = 0; i < n - 8; i++)
    h = (h ^ bytes[i]) * 0x100000001b3ull;
  memcpy (bytes + n - 8, &h, 8);
}

/* Where in a model file what is. */
enum {
  FILE_COUNT = 12,
  FILE_SPACING = 32,
  FILE_HIGH = 76,
  FILE_NAME = 100,
  FILE_POINTS = 164
};

/* Values that cannot be, with the right checksum: nothing is left behind. */
static void
test_refused_model (DeviceKind kind)
{
  static const struct {
    size_t at;
    float value;
    const char *why;
  } bad[] = {{FILE_COUNT, NAN, "counts"}, {FILE_SPACING, 0, "sizes"},
      {FILE_POINTS, NAN, "values"}, {FILE_HIGH, 9e5f, "8 million"}};
  ScopedetectModel *model = solid_model (.012), *again;
  uint8_t *bytes;
  size_t n;

  ok (scopedetect_model_write (model, &bytes, &n));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *why;
    uint8_t before[4];

    memcpy (before, bytes + bad[i].at, 4);
    memcpy (bytes + bad[i].at, &bad[i].value, 4);
    sum_again (bytes, n);
    why = scopedetect_model_parse (&again, bytes, n);
    check (why && strstr (why, bad[i].why));
    check (!again);
    memcpy (bytes + bad[i].at, before, 4);
  }
  free (bytes);
  scopedetect_model_free (model);
}

/* A name is always UTF-8, whatever the file or the caller says. */
static void
test_names (DeviceKind kind)
{
  static const char *const names[][2] = {{"gl\xe4ser", "gl?ser"},
      {"gläser", "gläser"}, {"\xc0\xaf\xed\xa0\x80", "?????"},
      {"\xf0\x9f\x8d\x8e\xf4\x90\x80\x80", "\xf0\x9f\x8d\x8e????"},
      {"cut \xe2\x82", "cut ??"}, {"\xff", "?"}};
  ScopedetectModel *model = solid_model (.012), *again;
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModelInfo info;
  char name[65];
  uint8_t *bytes;
  size_t n;
  Solid s;

  ok (scopedetect_model_write (model, &bytes, &n));
  scopedetect_model_free (model);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    memset (bytes + FILE_NAME, 0, 64);
    memcpy (bytes + FILE_NAME, names[i][0], strlen (names[i][0]));
    sum_again (bytes, n);
    ok (scopedetect_model_parse (&again, bytes, n));
    if (!again)
      continue;
    scopedetect_model_info (again, &info);
    check (!strcmp (info.name, names[i][1]));
    scopedetect_model_free (again);
  }
  free (bytes);
  /* a character that does not fit is left out as a whole */
  solid_make (&s);
  how.spacing = .012;
  how.feature_radius = .03;
  how.normal_radius = .012;
  memset (name, 'a', 62);
  strcpy (name + 62, "ä");
  ok (scopedetect_model_compile (&model, &s.mesh, name, &how));
  if (!model)
    return;
  scopedetect_model_info (model, &info);
  check (strlen (info.name) == 62 && info.name[61] == 'a');
  scopedetect_model_free (model);
}

/* What a model knows of itself; a slab turns into itself four ways. */
static void
test_model (DeviceKind kind)
{
  ScopedetectModel *model = solid_model (.004);
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModelInfo info;
  double a[7] = {0, 0, 0, 1}, b[7] = {.01, 0, 0, 1}, add, add_s;
  Solid s = {0};

  scopedetect_model_info (model, &info);
  check (!strcmp (info.name, "solid") && info.n_symmetries == 1);
  check_near (info.size[0], .1, .004);
  check_near (info.size[2], .09, .004);
  /* from a bottom corner to the tower's far one */
  check_near (info.diameter, sqrt (.1 * .1 + .06 * .06 + .09 * .09), .006);
  /* 240 cm^2 hold about 0.7 points a square of the spacing */
  check (info.n_points > 700 && info.n_points < 1600);
  scopedetect_model_distance (model, a, b, &add, &add_s);
  check_near (add, .01, 1e-5);
  check (add_s > 0 && add_s < .01);
  scopedetect_model_free (model);

  s.mesh.x = s.x, s.mesh.triangles = s.triangles;
  solid_box (&s, (float[]){0, 0, 0}, (float[]){.08f, .05f, .02f});
  ok (scopedetect_model_compile (&model, &s.mesh, "slab", &how));
  scopedetect_model_info (model, &info);
  check (info.n_symmetries == 4 && !info.has_axis);
  scopedetect_model_free (model);
}

/* ==== Symmetries ==== */

#define CORNERS 64 /* of what stands for a circle */

/* A prism or a stump of one between z = 0 and @height, of @n corners at
 * @radius below and @top above. */
static void
make_prism (Mesh *m, int n, float radius, float top, float height)
{
  memset (m, 0, sizeof *m);
  m->n = 2 * (uint32_t) n + 2;
  m->n_triangles = 4 * (uint32_t) n;
  m->x = calloc (3 * (size_t) m->n, sizeof (float));
  m->triangles = malloc (3 * m->n_triangles * sizeof *m->triangles);
  m->x[3 * (2 * n + 1) + 2] = height;
  for (int k = 0; k < n; k++) {
    double turn = 2 * M_PI * k / n;
    uint32_t i = (uint32_t) k, j = (uint32_t) ((k + 1) % n), up = (uint32_t) n;
    uint32_t sides[12] = {i, j, up + i, j, up + j, up + i, 2 * up, j, i,
        2 * up + 1, up + i, up + j};

    for (int above = 0; above < 2; above++) {
      float *x = m->x + 3 * (k + above * n), r = above ? top : radius;

      x[0] = r * (float) cos (turn);
      x[1] = r * (float) sin (turn);
      x[2] = above ? height : 0;
    }
    memcpy (m->triangles + 12 * k, sides, sizeof sides);
  }
}

/* A ball as a prism whose corners lie on circles of latitude. */
static void
make_ball (Mesh *m, float radius)
{
  const int n = CORNERS, rows = 32;

  memset (m, 0, sizeof *m);
  m->n = (uint32_t) ((rows + 1) * n);
  m->x = malloc (3 * m->n * sizeof (float));
  m->triangles = malloc (6 * (size_t) (rows * n) * sizeof *m->triangles);
  for (int j = 0; j <= rows; j++)
    for (int i = 0; i < n; i++) {
      double down = M_PI * j / rows, turn = 2 * M_PI * i / n;
      float *x = m->x + 3 * (j * n + i);
      uint32_t a = (uint32_t) (j * n + i), b = (uint32_t) (j * n + (i + 1) % n);
      uint32_t two[6] = {
          a, a + (uint32_t) n, b, b, a + (uint32_t) n, b + (uint32_t) n};

      x[0] = radius * (float) (sin (down) * cos (turn));
      x[1] = radius * (float) (sin (down) * sin (turn));
      x[2] = radius * (float) cos (down);
      if (j < rows)
        memcpy (m->triangles + 3 * m->n_triangles, two, sizeof two),
            m->n_triangles += 2;
    }
}

/* Turns the mesh, so that no axis of it is one of its coordinates. */
static void
turn_mesh (Mesh *m)
{
  Turn r = turn_of (quat_unit (quat (.7f, -.3f, .5f, .2f)));

  for (uint32_t i = 0; i < m->n; i++) {
    float *x = m->x + 3 * i;
    Vec p = vec_rotate (&r, vec (x[0], x[1], x[2]));

    x[0] = p.x, x[1] = p.y, x[2] = p.z;
  }
}

/* Compiles the mesh, and checks how many poses look alike; 0: all about an
 * axis. Each lays the points onto the surface. */
static void
expect_symmetries (Mesh *m, uint32_t n, const char *name, float size)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  const double none[7] = {0, 0, 0, 1};
  ScopedetectModel *model;
  ScopedetectModelInfo info;

  turn_mesh (m);
  ok (scopedetect_model_compile (&model, m, name, &how));
  scopedetect_model_info (model, &info);
  if (info.has_axis ? n != 0 : info.n_symmetries != n)
    printf ("%s of %g mm: %u poses%s, not %u\n", name, 1e3 * size,
        info.n_symmetries, info.has_axis ? " about an axis" : "", n);
  check (info.has_axis ? n == 0 : info.n_symmetries == n);
  for (int i = 0; i < model->shape.n_symmetries; i++) {
    double pose[7], add, add_s;

    solid_numbers (model->shape.symmetry[i], pose);
    scopedetect_model_distance (model, pose, none, &add, &add_s);
    check (add_s < .7 * how.spacing);
  }
  scopedetect_model_free (model);
}

static void
expect_box (const float side[3], float size, uint32_t n, const char *name)
{
  Solid s = {0};
  float high[3] = {size * side[0], size * side[1], size * side[2]};

  s.mesh.x = s.x, s.mesh.triangles = s.triangles;
  solid_box (&s, (float[]){0, 0, 0}, high);
  expect_symmetries (&s.mesh, n, name, size);
}

/* A cube with a block on one side, off its middle. */
static void
expect_none (float size)
{
  Solid s = {0};

  s.mesh.x = s.x, s.mesh.triangles = s.triangles;
  solid_box (&s, (float[]){0, 0, 0}, (float[]){size, size, size});
  solid_box (&s, (float[]){.1f * size, .1f * size, size},
      (float[]){.4f * size, .5f * size, 1.2f * size});
  expect_symmetries (&s.mesh, 1, "a cube with a block", size);
}

static void
expect_prism (int n, float top, float height, float size, uint32_t alike,
    const char *name)
{
  Mesh m;

  make_prism (&m, n, size / 2, top * size / 2, height * size);
  expect_symmetries (&m, alike, name, size);
  mesh_free (&m);
}

/* The groups of solids, whatever their size: two or three equal moments leave
 * principal axes open. */
static void
test_symmetries (DeviceKind kind)
{
  static const float sizes[] = {.04f, .1f};
  Mesh ball;

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    float size = sizes[i];

    expect_box ((float[]){1, 1, 1}, size, 24, "a cube");
    expect_box ((float[]){.55f, .55f, 1}, size, 8, "a square prism");
    expect_box ((float[]){1, 1, .4f}, size, 8, "a square plate");
    expect_box ((float[]){1, .9f, .8f}, size, 4, "a box");
    expect_none (size);
    expect_prism (3, 1, .6f, size, 6, "a triangular prism");
    expect_prism (6, 1, .6f, size, 12, "a hexagonal prism");
    expect_prism (4, .6f, .6f, size, 4, "a stump of a pyramid");
    expect_prism (CORNERS, 1, 1.4f, size, 0, "a cylinder");
    expect_prism (CORNERS, .4f, 1, size, 0, "a stump of a cone");
    make_ball (&ball, size / 2);
    expect_symmetries (&ball, 0, "a ball", size);
    mesh_free (&ball);
  }
  expect_box ((float[]){1, 1, 1}, .085f, 24, "a cube");
  expect_box ((float[]){1, 1, 1}, .2f, 24, "a cube");
  expect_box ((float[]){.53f, .53f, 1}, .15f, 8, "a square prism");
}

/* ==== Clouds ==== */

static const float box_side[3] = {.08f, .05f, .02f};

/* A point anywhere on the box about the origin, scaled by @thin along z. */
static void
box_point (float x[3], float thin)
{
  float side[3] = {box_side[0], box_side[1], box_side[2] * thin};
  float area[3] = {side[1] * side[2], side[0] * side[2], side[0] * side[1]};
  float at = (float) rnd (1 << 20) / (1 << 20) * (area[0] + area[1] + area[2]);
  int across = at < area[0] ? 0 : at < area[0] + area[1] ? 1 : 2;

  for (int k = 0; k < 3; k++)
    x[k] = side[k] * ((float) rnd (1 << 20) / (1 << 20) - .5f);
  x[across] = side[across] * (rnd (2) ? .5f : -.5f);
}

static void
keep_apart (void *user, double apart)
{
  *(double *) user = apart;
}

/* A model of @n points of the box; @apart: what its points were said to be. */
static ScopedetectModel *
box_cloud (int n, float thin, double *apart)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  Mesh cloud = {.n = (uint32_t) n, .x = malloc (sizeof (float) * 3 * n)};
  ScopedetectModel *model;

  for (int i = 0; i < n; i++)
    box_point (cloud.x + 3 * i, thin);
  *apart = 0;
  how.filled = keep_apart;
  how.user = apart;
  ok (scopedetect_model_compile (&model, &cloud, "box", &how));
  mesh_free (&cloud);
  return model;
}

/* How far @x is from the surface of the box, and the normal of the side that it
 * is nearest to at @out. */
static float
from_box (Vec x, float thin, Vec *out)
{
  float v[3] = {x.x, x.y, x.z}, n[3] = {0, 0, 0}, min = 1;
  int side = 0;

  for (int k = 0; k < 3; k++) {
    float d = fabsf (fabsf (v[k]) - box_side[k] * (k == 2 ? thin : 1) / 2);

    if (d < min)
      min = d, side = k;
  }
  n[side] = v[side] < 0 ? -1 : 1;
  *out = vec (n[0], n[1], n[2]);
  return min;
}

/* Points of @m that lie more than a millimetre off the box, and normals that
 * look into it, as parts of all. */
static void
measure_box (const ScopedetectModel *m, float thin, double *off, double *inward)
{
  const ScopedetectShape *s = &m->shape;

  *off = *inward = 0;
  for (int i = 0; i < s->n; i++) {
    Vec out;

    *off += from_box (s->x[i], thin, &out) > .001f;
    *inward += vec_dot (s->normal[i], out) < 0;
  }
  *off /= s->n;
  *inward /= s->n;
}

/* The surface between 600 points of a box, 4.7 mm apart by their density, gets
 * nearly as many points as the surface itself: its edges are cut a little.  A
 * sheet of 2 mm, thinner than that, keeps its two sides. */
static void
test_coarse_cloud (DeviceKind kind)
{
  double area = 2 * (.08 * .05 + .08 * .02 + .05 * .02), apart, off, inward;
  ScopedetectModel *dense, *model;

  dense = box_cloud (40000, 1, &apart);
  check (apart == 0);
  model = box_cloud (600, 1, &apart);
  check_near (apart, sqrt (area / 600), .0006);
  check (model->shape.n > .75 * dense->shape.n);
  check (model->shape.n_symmetries == 4);
  measure_box (model, 1, &off, &inward);
  check (off < .1 && inward < .01);
  scopedetect_model_free (model);
  scopedetect_model_free (dense);
  model = box_cloud (600, .1f, &apart);
  check (apart > .002);
  measure_box (model, .1f, &off, &inward);
  check (off == 0 && inward < .05);
  scopedetect_model_free (model);
}

#define HOLE .013f /* radius of a hole about the z axis, metres */

/* A point anywhere on the wall of the hole through the box. */
static void
wall_point (float x[3])
{
  float a = 2 * (float) M_PI * (float) rnd (1 << 20) / (1 << 20);

  x[0] = HOLE * cosf (a);
  x[1] = HOLE * sinf (a);
  x[2] = box_side[2] * ((float) rnd (1 << 20) / (1 << 20) - .5f);
}

/* A model of 700 points of the box: @through, of the box with the hole through
 * it; else none of them is where the hole would begin, in the upper side. */
static ScopedetectModel *
holed_cloud (bool through)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  float x[3 * 700];
  Mesh cloud = {.n = 700, .x = x};
  ScopedetectModel *model;

  for (int i = 0; i < 700; i++) {
    float *p = x + 3 * i;

    if (through && i < 100) {
      wall_point (p);
      continue;
    }
    do
      box_point (p, 1);
    while (hypotf (p[0], p[1]) < HOLE && (through || p[2] > 0));
  }
  ok (scopedetect_model_compile (&model, &cloud, "box", &how));
  return model;
}

/* Points of @m well within the hole, in the upper side, and how often such
 * are on an edge, of all views. */
static int
count_in_hole (const ScopedetectModel *m, int *on_edge)
{
  const ScopedetectShape *s = &m->shape;
  int n = 0;

  *on_edge = 0;
  for (int i = 0; i < s->n; i++)
    n += s->x[i].z > 0 && hypotf (s->x[i].x, s->x[i].y) < .7f * HOLE;
  for (int k = 0; k < s->n_edges; k++) {
    Vec x = s->x[s->edge[k]];

    *on_edge += x.z > 0 && hypotf (x.x, x.y) < .7f * HOLE;
  }
  return n;
}

/* A part of a flat side of which a cloud has no points is closed, so that its
 * rim is no edge; a hole through the object stays open. */
static void
test_holed_cloud (DeviceKind kind)
{
  ScopedetectModel *model = holed_cloud (false);
  double off, inward;
  int on_edge;

  check (count_in_hole (model, &on_edge) >= 10 && on_edge == 0);
  measure_box (model, 1, &off, &inward);
  check (off < .1 && inward < .01);
  scopedetect_model_free (model);
  model = holed_cloud (true);
  check (count_in_hole (model, &on_edge) == 0);
  scopedetect_model_free (model);
}

/* Points that are no surface, and too few of them, are refused. */
static void
test_refused_cloud (DeviceKind kind)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  float x[3 * 200];
  Mesh cloud = {.n = 5, .x = x};
  ScopedetectModel *model;

  for (int i = 0; i < 3 * 200; i++)
    x[i] = (float) rnd (1000) / 1000;
  check (scopedetect_model_compile (&model, &cloud, "", &how) && !model);
  for (int i = 0; i < 3 * 200; i++)
    x[i] = i % 3 ? 0 : (float) i / 6000; /* a line */
  cloud.n = 200;
  check (scopedetect_model_compile (&model, &cloud, "", &how) && !model);
  for (int i = 0; i < 3 * 200; i++)
    x[i] = i < 3 * 199 ? .1f : .2f; /* two places */
  check (scopedetect_model_compile (&model, &cloud, "", &how) && !model);
}

CHECK_MAIN (NULL, NULL, PART (units), {"far away", test_far_away}, PART (model),
    PART (symmetries), {"coarse clouds", test_coarse_cloud},
    {"holed clouds", test_holed_cloud}, {"refused clouds", test_refused_cloud},
    {"model files", test_model_file}, {"refused models", test_refused_model},
    PART (names))
