/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Meshes and model files, good ones and all kinds of bad ones. */
#pragma once

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
