/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mesh: files, good ones and all kinds of bad ones, and models of several
 * registered views. */
#include <locale.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh/mesh.h"
#include "scopedetect/scopedetect_solid.h"
#include "seconds.h"

AUTO_FREE (Mesh, mesh_free)

/* Reads @text as a file whose name ends in @suffix. */
static const char *
read_text_as (Mesh *mesh, const void *text, size_t n, const char *suffix)
{
  char path[64] = "/tmp/scopedetect-XXXXXX";
  int file;
  const char *error;

  strcat (path, suffix);
  file = mkstemps (path, (int) strlen (suffix));
  check (file >= 0 && write (file, text, n) == (ssize_t) n);
  close (file);
  error = mesh_read (mesh, path);
  unlink (path);
  return error;
}

static const char ply_ascii[] =
    "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\n"
    "property float x\nproperty float y\nproperty float z\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\n"
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0 255 0 0\n1 0 0 0 255 0\n1 1 0 0 0 255\n0 1 0.5 9 8 7\n4 0 1 2 3\n";

static const char obj_text[] =
    "# by hand\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\nvn 0 0 1\n"
    "f 1//1 2//1 -2/1 -1\n";

static const char pcd_text[] =
    "# .PCD v0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F U\nCOUNT 1 1 1 1\n"
    "WIDTH 4\nHEIGHT 1\nPOINTS 4\nDATA ascii\n"
    "0 0 0 16711680\n1 0 0 65280\n1 1 0 255\n0 1 0.5 591879\n";

static const char xyz_text[] = "0 0 0\n1 0 0\n\n1 1 0\n0 1 0.5\n";

/* All of them hold the same four points. */
static void
check_square (const Mesh *m, bool colour, bool faces)
{
  static const float x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, .5f};
  static const uint8_t c[] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7};
  static const uint32_t t[] = {0, 1, 2, 0, 2, 3};

  check (m->n == 4 && m->x && !memcmp (m->x, x, sizeof x));
  check (colour == (m->colour != NULL));
  if (colour && m->colour)
    check (!memcmp (m->colour, c, sizeof c));
  check (m->n_triangles == (faces ? 2 : 0));
  if (faces && m->n_triangles == 2)
    check (!memcmp (m->triangles, t, sizeof t));
}

/* The same as binary PLY, in either byte order. */
static size_t
binary_ply (bool big, uint8_t *out)
{
  static const float x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, .5f};
  int n = sprintf ((char *) out,
      "ply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty float x\n"
      "property float y\nproperty float z\nelement face 1\n"
      "property list uchar int vertex_index\nend_header\n",
      big ? "big" : "little");
  uint32_t words[16];
  uint8_t *p = out + n;

  memcpy (words, x, sizeof x);
  for (uint32_t i = 0; i < 4; i++)
    words[12 + i] = i;
  for (int i = 0; i < 16; i++) {
    if (i == 12)
      *p++ = 4;
    for (int k = 0; k < 4; k++)
      *p++ = (uint8_t) (words[i] >> 8 * (big ? 3 - k : k));
  }
  return (size_t) (p - out);
}

static void
test_meshes (DeviceKind kind)
{
  const struct {
    const char *text, *suffix;
    bool colour, faces;
  } files[] = {{ply_ascii, ".ply", true, true}, {obj_text, ".obj", false, true},
      {pcd_text, ".pcd", true, false}, {xyz_text, ".xyz", false, false}};
  uint8_t bytes[1024];
  Mesh m;

  for (int i = 0; i < 4; i++) {
    ok (read_text_as (
        &m, files[i].text, strlen (files[i].text), files[i].suffix));
    check_square (&m, files[i].colour, files[i].faces);
    mesh_free (&m);
    /* cut off anywhere, it is an error or a shorter mesh */
    for (size_t n = 0; n < strlen (files[i].text); n += 3) {
      read_text_as (&m, files[i].text, n, files[i].suffix);
      mesh_free (&m);
    }
  }
  for (int big = 0; big < 2; big++) {
    size_t n = binary_ply (big, bytes);

    ok (read_text_as (&m, bytes, n, ".ply"));
    check_square (&m, false, true);
    mesh_free (&m);
    check (read_text_as (&m, bytes, n - 1, ".ply") != NULL);
    mesh_free (&m);
  }
  check (mesh_read (&m, "/nowhere") != NULL);
  check (read_text_as (&m, "hello", 5, ".txt") != NULL);
  mesh_free (&m);
}

/* A program may have set a locale that writes numbers with a comma; where it is
 * not installed, this is test_meshes () once more. */
static void
test_locale (DeviceKind kind)
{
  setlocale (LC_NUMERIC, "de_DE.UTF-8");
  test_meshes (kind);
  setlocale (LC_NUMERIC, "C");
}

/* Fields that are not wanted may be narrower than a float, and the last ones of
 * the file; the sanitizers see a byte that is read behind it. */
static void
test_narrow_fields (DeviceKind kind)
{
  static const float x[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  static const char *const forms[] = {"binary", "binary_compressed"};

  for (int width = 1; width <= 2; width++)
    for (int form = 0; form < 2; form++) {
      uint8_t bytes[512], *p = bytes;
      size_t n = 3 * (12 + (size_t) width);
      AUTO (Mesh) m;

      p += sprintf ((char *) p,
          "# .PCD v0.7\nFIELDS x y z label\nSIZE 4 4 4 %d\nTYPE F F F U\n"
          "COUNT 1 1 1 1\nPOINTS 3\nDATA %s\n",
          width, forms[form]);
      if (form) { /* runs of at most 32 bytes that are no references back */
        const uint32_t sizes[2] = {
            (uint32_t) (n + (n + 31) / 32), (uint32_t) n};
        uint8_t plain[64] = {0};

        for (int i = 0; i < 9; i++) /* field by field */
          memcpy (plain + 4 * i, &x[i % 3][i / 3], 4);
        memcpy (p, sizes, 8);
        p += 8;
        for (size_t at = 0; at < n; at += 32) {
          size_t run = n - at < 32 ? n - at : 32;

          *p++ = (uint8_t) (run - 1);
          memcpy (p, plain + at, run);
          p += run;
        }
      }
      for (int i = 0; i < 3 && !form; i++) {
        memcpy (p, x[i], 12);
        memset (p + 12, 0, (size_t) width);
        p += 12 + width;
      }
      ok (read_text_as (&m, bytes, (size_t) (p - bytes), ".pcd"));
      check (m.n == 3 && m.x && !memcmp (m.x, x, sizeof x));
    }
}

/* Files that end early or contradict themselves leave nothing behind, and
 * numbers that are none do no harm. */
static void
test_bad_meshes (DeviceKind kind)
{
  static const struct {
    const char *text, *suffix;
  } bad[] = {{"ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n"
              "property float y\nproperty float z\nend_header\n1 2 3 4\n",
                 ".ply"},
      {"ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\n"
       "property float y\nproperty float z\nelement vertex 0\n"
       "property float x\nproperty float y\nproperty float z\nend_header\n",
          ".ply"},
      {"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 0\n", ".obj"},
      {"0 0 0\n1 2\n", ".xyz"},
      {"FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 3\nDATA ascii\n1 2\n",
          ".pcd"},
      {"FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 0\nDATA ascii\n", ".pcd"},
      {"# no points\n", ".xyz"}};
  static const char colours[] =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
      "property float y\nproperty float z\nproperty float red\n"
      "property float green\nproperty float blue\nelement none 1000000000\n"
      "end_header\n1 2 3 nan 1e9 -1e9\n";
  char folder[] = "/tmp/scopedetect-XXXXXX", fifo[64];
  Mesh m;

  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    check (read_text_as (&m, bad[i].text, strlen (bad[i].text), bad[i].suffix));
    check (!m.x && !m.n && !m.triangles && !m.n_triangles);
  }
  ok (read_text_as (&m, colours, strlen (colours), ".ply"));
  check (m.colour && m.colour[0] == 0 && m.colour[1] == 255 && !m.colour[2]);
  mesh_free (&m);
  /* nobody waits for the writer of a FIFO */
  check (mkdtemp (folder) != NULL);
  snprintf (fifo, sizeof fifo, "%s/fifo.ply", folder);
  check (!mkfifo (fifo, 0600));
  check (strstr (mesh_read (&m, fifo), "regular"));
  check (strstr (mesh_read (&m, "/dev/zero"), "regular"));
  unlink (fifo);
  rmdir (folder);
}

/* A face has as many triangles as its corners make, however long its line is;
 * a line that is not read to its end is refused. */
static void
test_long_faces (DeviceKind kind)
{
  static char text[1 << 20];

  for (int corners = 4; corners < 50000; corners *= 10) {
    size_t n = (size_t) sprintf (text, "v 0 0 0\nv 1 0 0\nv 1 1 0\nf");
    Mesh m;

    for (int i = 0; i < corners; i++)
      n += (size_t) sprintf (text + n, " %d", 1 + i % 3);
    text[n++] = '\n';
    if (corners < 32767) {
      ok (read_text_as (&m, text, n, ".obj"));
      check (m.n_triangles == (uint32_t) corners - 2);
    } else {
      check (strstr (read_text_as (&m, text, n, ".obj") ?: "", "65,534"));
      check (!m.n && !m.n_triangles);
    }
    mesh_free (&m);
  }
}

/* ---- Views that become one mesh ---- */

#define FUSE_VIEWS 10

/* How far @p is from the solid's boxes, metres; @in where it is inside. */
static float
solid_distance (const Solid *s, const float *p, float normal[3])
{
  float least = 1;

  for (uint32_t b = 0; b < s->mesh.n; b += 8) {
    const float *low = s->x + 3 * b, *high = s->x + 3 * (b + 7);

    for (int k = 0; k < 3; k++)
      for (int side = 0; side < 2; side++) {
        float off = fabsf (p[k] - (side ? high[k] : low[k]));

        for (int i = 0; i < 3; i++)
          if (i != k)
            off = fmaxf (off, fmaxf (low[i] - p[i], p[i] - high[i]));
        if (off < least) {
          least = off;
          memset (normal, 0, 3 * sizeof *normal);
          normal[k] = side ? 1 : -1;
        }
      }
  }
  return least;
}

/* Views all around: the cloud lies on the solid, looks outwards, and makes a
 * model of its size. */
static void
test_views (DeviceKind kind)
{
  static uint16_t depth[FUSE_VIEWS][SOLID_WIDTH * SOLID_HEIGHT];
  static uint8_t rgb[SOLID_WIDTH * SOLID_HEIGHT * 3];
  const double box[6] = {-.1, -.1, .002, .1, .1, .2};
  MeshView views[FUSE_VIEWS];
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModelInfo info;
  ScopedetectModel *model;
  Mesh mesh;
  int off = 0, turned = 0;
  Solid s;

  solid_make (&s);
  memset (depth, 0, sizeof depth);
  memset (rgb, 77, sizeof rgb);
  for (int i = 0; i < FUSE_VIEWS; i++) {
    Pose p = solid_pose (i * 6.2832 / FUSE_VIEWS, 0, .4), back;
    Turn r = turn_of (p.q);

    solid_draw (depth[i], 2 * SOLID_WIDTH, p);
    solid_table (depth[i], 2 * SOLID_WIDTH, p);
    back.q = quat (p.q.w, -p.q.x, -p.q.y, -p.q.z);
    back.t = vec_scale (vec_unrotate (&r, p.t), -1);
    views[i] = (MeshView){.width = SOLID_WIDTH,
        .height = SOLID_HEIGHT,
        .depth = depth[i],
        .depth_stride = 2 * SOLID_WIDTH,
        .rgb = rgb,
        .depth_scale = .0001,
        .fx = solid_camera.fx,
        .fy = solid_camera.fy,
        .cx = solid_camera.cx,
        .cy = solid_camera.cy};
    solid_numbers (back, views[i].pose);
  }
  ok (mesh_fuse (&mesh, views, FUSE_VIEWS, box, .002));
  check (mesh.n > 3000 && mesh.n_triangles == 0);
  for (uint32_t i = 0; i < mesh.n; i++) {
    float n[3], d = solid_distance (&s, mesh.x + 3 * i, n);
    const float *m = mesh.normal + 3 * i;

    off += d > .0015f;
    turned += n[0] * m[0] + n[1] * m[1] + n[2] * m[2] < .9f;
    check (mesh.colour[3 * i + 1] == 77);
  }
  printf ("     %u points, %d off, %d turned\n", mesh.n, off, turned);
  check (off < (int) mesh.n / 100 && turned < (int) mesh.n / 10);
  ok (scopedetect_model_compile (&model, &mesh, "views", &how));
  scopedetect_model_info (model, &info);
  check_near (info.size[0], .1, .005);
  check_near (info.size[1], .06, .005);
  check_near (info.size[2], .088, .005);
  check (info.has_colour);
  scopedetect_model_free (model);
  mesh_free (&mesh);
  views[3].rgb = NULL;
  ok (mesh_fuse (&mesh, views, FUSE_VIEWS, box, .002));
  check (!mesh.colour);
  mesh_free (&mesh);
  check (mesh_fuse (&mesh, views, 0, box, .002) != NULL);
  check (mesh_fuse (&mesh, views, 1, box, 0) != NULL);
  check (mesh_fuse (&mesh, views, 1, box, NAN) != NULL);
  check (!mesh.x && !mesh.normal);
}

/* A binary PLY file of a million vertices, from the page cache. */
static int
bench (int argc, char **argv)
{
  enum { N = 1000000, RUNS = 5 };
  char path[] = "/tmp/mesh-XXXXXX.ply";
  int file = mkstemps (path, 4);
  FILE *f = fdopen (file, "w");
  double start;
  Mesh m;

  fprintf (f,
      "ply\nformat binary_little_endian 1.0\nelement vertex %d\n"
      "property float x\nproperty float y\nproperty float z\nend_header\n",
      N);
  for (int i = 0; i < N; i++)
    fwrite ((float[]){1, 2, 3}, sizeof (float), 3, f);
  check (!fclose (f));
  start = seconds ();
  for (int i = 0; i < RUNS; i++) {
    ok (mesh_read (&m, path));
    check (m.n == N);
    mesh_free (&m);
  }
  printf (
      "PLY of %d vertices: %.1f ms\n", N, 1e3 * (seconds () - start) / RUNS);
  unlink (path);
  return check_failures != 0;
}

CHECK_MAIN (NULL, bench, PART (meshes), PART (locale),
    {"narrow fields", test_narrow_fields}, {"bad meshes", test_bad_meshes},
    {"long faces", test_long_faces}, PART (views))
