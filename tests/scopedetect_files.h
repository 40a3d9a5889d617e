/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Meshes and model files, good ones and all kinds of bad ones. */
#pragma once

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scopedetect_solid.h"

/* Reads @text as a file whose name ends in @suffix. */
static inline const char *
read_text_as (
    ScopedetectMesh *mesh, const void *text, size_t n, const char *suffix)
{
  char path[64] = "/tmp/scopedetect-XXXXXX";
  int file;
  const char *error;

  strcat (path, suffix);
  file = mkstemps (path, (int) strlen (suffix));
  check (file >= 0 && write (file, text, n) == (ssize_t) n);
  close (file);
  error = scopedetect_mesh_read (mesh, path);
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
static inline void
check_square (const ScopedetectMesh *m, bool colour, bool faces)
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
static inline size_t
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

static inline void
test_meshes (DeviceKind kind)
{
  const struct {
    const char *text, *suffix;
    bool colour, faces;
  } files[] = {{ply_ascii, ".ply", true, true}, {obj_text, ".obj", false, true},
      {pcd_text, ".pcd", true, false}, {xyz_text, ".xyz", false, false}};
  uint8_t bytes[1024];
  ScopedetectMesh m;

  (void) kind;
  for (int i = 0; i < 4; i++) {
    ok (read_text_as (
        &m, files[i].text, strlen (files[i].text), files[i].suffix));
    check_square (&m, files[i].colour, files[i].faces);
    scopedetect_mesh_free (&m);
    /* cut off anywhere, it is an error or a shorter mesh */
    for (size_t n = 0; n < strlen (files[i].text); n += 3) {
      read_text_as (&m, files[i].text, n, files[i].suffix);
      scopedetect_mesh_free (&m);
    }
  }
  for (int big = 0; big < 2; big++) {
    size_t n = binary_ply (big, bytes);

    ok (read_text_as (&m, bytes, n, ".ply"));
    check_square (&m, false, true);
    scopedetect_mesh_free (&m);
    check (read_text_as (&m, bytes, n - 1, ".ply") != NULL);
    scopedetect_mesh_free (&m);
  }
  check (scopedetect_mesh_read (&m, "/nowhere") != NULL);
  check (read_text_as (&m, "hello", 5, ".txt") != NULL);
  scopedetect_mesh_free (&m);
}

/* Fields that are not wanted may be narrower than a float, and the last ones of
 * the file; the sanitizers see a byte that is read behind it. */
static inline void
test_narrow_fields (DeviceKind kind)
{
  static const float x[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  static const char *const forms[] = {"binary", "binary_compressed"};

  (void) kind;
  for (int width = 1; width <= 2; width++)
    for (int form = 0; form < 2; form++) {
      uint8_t bytes[512], *p = bytes;
      size_t n = 3 * (12 + (size_t) width);
      ScopedetectMesh m;

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
      scopedetect_mesh_free (&m);
    }
}

/* Files that end early or contradict themselves leave nothing behind, and
 * numbers that are none do no harm. */
static inline void
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
          ".pcd"}};
  static const char colours[] =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
      "property float y\nproperty float z\nproperty float red\n"
      "property float green\nproperty float blue\nelement none 1000000000\n"
      "end_header\n1 2 3 nan 1e9 -1e9\n";
  char folder[] = "/tmp/scopedetect-XXXXXX", fifo[64];
  ScopedetectMesh m;

  (void) kind;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    check (read_text_as (&m, bad[i].text, strlen (bad[i].text), bad[i].suffix));
    check (!m.x && !m.n && !m.triangles && !m.n_triangles);
  }
  ok (read_text_as (&m, colours, strlen (colours), ".ply"));
  check (m.colour && m.colour[0] == 0 && m.colour[1] == 255 && !m.colour[2]);
  scopedetect_mesh_free (&m);
  /* nobody waits for the writer of a FIFO */
  check (mkdtemp (folder) != NULL);
  snprintf (fifo, sizeof fifo, "%s/fifo.ply", folder);
  check (!mkfifo (fifo, 0600));
  check (strstr (scopedetect_mesh_read (&m, fifo), "regular"));
  check (strstr (scopedetect_mesh_read (&m, "/dev/zero"), "regular"));
  unlink (fifo);
  rmdir (folder);
}

static inline void
test_units (DeviceKind kind)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModel *model;
  const char *why;
  Solid s;

  (void) kind;
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

/* What is written is read again; what is changed or cut off anywhere is not. */
static inline void
test_model_file (DeviceKind kind)
{
  ScopedetectModel *model = solid_model (.012), *again;
  uint8_t *bytes, *more;
  size_t n, m;
  char path[] = "/tmp/scopedetect-XXXXXX";
  int file = mkstemp (path);

  (void) kind;
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
static inline void
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
static inline void
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

  (void) kind;
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
static inline void
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

  (void) kind;
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
static inline void
test_model (DeviceKind kind)
{
  ScopedetectModel *model = solid_model (.004);
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModelInfo info;
  double a[7] = {0, 0, 0, 1}, b[7] = {.01, 0, 0, 1}, add, add_s;
  Solid s = {0};

  (void) kind;
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
