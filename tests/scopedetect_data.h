/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Real frames with known poses, where VISION_TEST_DATA names them: one of
 * YCB-Video and one of LM-O. */
#pragma once

#include <json-glib/json-glib.h>
#include <math.h>

#include "gpuccl_png.h"
#include "scopedetect/scopedetect.h"

#define DATA_OBJECTS 8

typedef struct {
  const char *name;
  ScopedetectModel *model;
  ScopedetectModelInfo info;
  double truth[7];
} DataObject;

typedef struct {
  uint16_t *depth;
  Image color;
  ScopedetectCamera camera;
  double depth_scale, far;
  bool table;
  int n_objects;
  DataObject object[DATA_OBJECTS];
} DataFrame;

static char data_folder[1024];

static inline const char *
data_path (const char *name)
{
  static char path[2048];

  snprintf (path, sizeof path, "%s/pose/%s", data_folder, name);
  return path;
}

/* RGB of an 8-bit picture of 640 x 480. */
static inline Image
data_color (const char *name)
{
  png_structp reader =
      png_create_read_struct (PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct (reader);
  FILE *file = fopen (data_path (name), "rb");
  Image img = {.width = 640, .height = 480, .format = IMAGE_RGB};

  check (file != NULL);
  if (file && !setjmp (png_jmpbuf (reader))) {
    png_init_io (reader, file);
    png_read_png (reader, info, PNG_TRANSFORM_STRIP_ALPHA, NULL);
    img.plane[0] = malloc (640 * 480 * 3);
    img.stride[0] = 640 * 3;
    for (int y = 0; y < 480; y++)
      memcpy (
          img.plane[0] + y * 640 * 3, png_get_rows (reader, info)[y], 640 * 3);
  }
  png_destroy_read_struct (&reader, &info, NULL);
  if (file)
    fclose (file);
  return img;
}

static inline ScopedetectModel *
data_model (const char *path, const char *name, double unit)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  Mesh mesh;
  ScopedetectModel *model = NULL;

  how.unit = unit;
  ok (mesh_read (&mesh, data_path (path)));
  ok (scopedetect_model_compile (&model, &mesh, name, &how));
  mesh_free (&mesh);
  return model;
}

/* From a rotation by rows, and a translation, to a pose. */
static inline void
data_pose (const double r[9], const double t[3], double pose[7])
{
  double w = sqrt (fmax (0, 1 + r[0] + r[4] + r[8])) / 2;
  double x = sqrt (fmax (0, 1 + r[0] - r[4] - r[8])) / 2;
  double y = sqrt (fmax (0, 1 - r[0] + r[4] - r[8])) / 2;
  double z = sqrt (fmax (0, 1 - r[0] - r[4] + r[8])) / 2;

  memcpy (pose, t, 3 * sizeof *t);
  pose[3] = w;
  pose[4] = copysign (x, r[7] - r[5]);
  pose[5] = copysign (y, r[2] - r[6]);
  pose[6] = copysign (z, r[3] - r[1]);
}

static inline JsonParser *
data_json (const char *name)
{
  JsonParser *parser = json_parser_new ();

  check (json_parser_load_from_file (parser, data_path (name), NULL));
  return parser;
}

static inline void
data_add (DataFrame *f, const char *name, ScopedetectModel *model,
    const double r[9], const double t[3])
{
  DataObject *o = &f->object[f->n_objects++];

  o->name = name;
  o->model = model;
  if (model)
    scopedetect_model_info (model, &o->info);
  data_pose (r, t, o->truth);
}

static inline void
data_numbers (JsonArray *a, double *v)
{
  for (guint i = 0; i < json_array_get_length (a); i++)
    v[i] = json_array_get_double_element (a, i);
}

/* Objects 1, 5, 6 and so on, of which @only, or 0 for all. */
static inline DataFrame
data_lmo (void)
{
  static const char *const names[] = {[1] = "ape",
      [5] = "can",
      [6] = "cat",
      [8] = "driller",
      [9] = "duck",
      [10] = "eggbox",
      [11] = "glue",
      [12] = "holepuncher"};
  DataFrame f = {
      .depth = png_read (data_path ("lmo_frame3/depth.png"), 640, 480),
      .camera = {572.4114, 573.57043, 325.2611, 242.04899},
      .depth_scale = .001,
      .far = 1.5,
      .table = true};
  JsonParser *parser = data_json ("lmo_frame3/scene_gt.json");
  JsonArray *list = json_object_get_array_member (
      json_node_get_object (json_parser_get_root (parser)), "3");

  f.color = data_color ("lmo_frame3/rgb.png");
  for (guint i = 0; i < json_array_get_length (list); i++) {
    JsonObject *o = json_array_get_object_element (list, i);
    int id = (int) json_object_get_int_member (o, "obj_id");
    double r[9], t[3];
    char path[64];

    data_numbers (json_object_get_array_member (o, "cam_R_m2c"), r);
    data_numbers (json_object_get_array_member (o, "cam_t_m2c"), t);
    for (int k = 0; k < 3; k++)
      t[k] /= 1000;
    snprintf (path, sizeof path, "lmo_frame3/models/obj_%06d.ply", id);
    data_add (&f, names[id], data_model (path, names[id], .001), r, t);
  }
  g_object_unref (parser);
  return f;
}

static inline DataFrame
data_ycb (void)
{
  static const char *const files[][2] = {{"009_gelatin_box", "ply"},
      {"025_mug", "xyz"}, {"061_foam_brick", "ply"}};
  DataFrame f = {
      .depth = png_read (data_path ("ycbv/000001-depth.png"), 640, 480),
      .camera = {1066.778, 1067.487, 312.9869, 241.3109},
      .depth_scale = .0001,
      .far = 1.3,
      .table = true};
  JsonParser *parser = data_json ("ycbv/gt_poses.json");
  JsonArray *list = json_object_get_array_member (
      json_object_get_object_member (
          json_node_get_object (json_parser_get_root (parser)), "1"),
      "objects");

  f.color = data_color ("ycbv/000001-color.png");
  for (guint i = 0; i < json_array_get_length (list); i++) {
    JsonObject *o = json_array_get_object_element (list, i);
    const char *name = json_object_get_string_member (o, "name");
    JsonArray *rows = json_object_get_array_member (o, "T_model_to_camera");
    double m[12], r[9], t[3];
    char path[64];

    for (int k = 0; k < 3; k++) {
      data_numbers (json_array_get_array_element (rows, k), m);
      memcpy (r + 3 * k, m, 3 * sizeof *m);
      t[k] = m[3];
    }
    for (int k = 0; k < 3; k++)
      if (!strcmp (name, files[k][0])) {
        snprintf (path, sizeof path, "ycbv/models/%s.%s", name, files[k][1]);
        data_add (&f, files[k][0], data_model (path, name, 1), r, t);
      }
  }
  g_object_unref (parser);
  return f;
}

static inline void
data_free (DataFrame *f)
{
  free (f->depth);
  free (f->color.plane[0]);
  for (int i = 0; i < f->n_objects; i++)
    scopedetect_model_free (f->object[i].model);
}
