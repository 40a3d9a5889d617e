/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Real clouds of points, seen by a camera at their origin. */
#pragma once

#include "scopedetect_data.h"

/* The nearest point of each pixel. */
static inline uint16_t *
data_depth (const char *name, const ScopedetectCamera *c, double scale)
{
  uint16_t *depth = calloc (640 * 480, sizeof *depth);
  Mesh mesh;

  ok (mesh_read (&mesh, data_path (name)));
  for (uint32_t i = 0; i < mesh.n; i++) {
    const float *p = mesh.x + 3 * (size_t) i;
    double z = p[2] / scale + .5;
    int u, v;

    if (!(p[2] > 0) || z > 65535)
      continue;
    u = (int) floor (c->fx * p[0] / p[2] + c->cx + .5);
    v = (int) floor (c->fy * p[1] / p[2] + c->cy + .5);
    if (u >= 0 && v >= 0 && u < 640 && v < 480 &&
        (!depth[v * 640 + u] || z < depth[v * 640 + u]))
      depth[v * 640 + u] = (uint16_t) z;
  }
  mesh_free (&mesh);
  return depth;
}

/* One object whose pose is in member @name of @file. */
static inline void
data_one (DataFrame *f, const char *file, const char *member, const char *model,
    const char *name)
{
  JsonParser *parser = data_json (file);
  JsonArray *rows = json_object_get_array_member (
      json_object_get_object_member (
          json_node_get_object (json_parser_get_root (parser)), member),
      "T_model_to_scene");
  double m[4], r[9], t[3];

  for (int k = 0; k < 3; k++) {
    data_numbers (json_array_get_array_element (rows, (guint) k), m);
    memcpy (r + 3 * k, m, 3 * sizeof *m);
    t[k] = m[3];
  }
  data_add (f, name, data_model (model, name, 1), r, t);
  g_object_unref (parser);
}

static inline DataFrame
data_milk (void)
{
  DataFrame f = {.camera = {525, 525, 319.5, 239.5},
      .depth_scale = .0001,
      .far = 1.5,
      .table = true};

  f.depth = data_depth (
      "pcl/milk_cartoon_all_small_clorox.pcd", &f.camera, f.depth_scale);
  data_one (&f, "pcl/gt_poses.json", "milk_tutorial.pcd",
      "pcl/milk_tutorial.pcd", "milk");
  return f;
}

/* A laser scan, cut to the objects: there is no table. */
static inline DataFrame
data_chef (void)
{
  DataFrame f = {
      .camera = {1100, 1100, 319.5, 239.5}, .depth_scale = .00005, .far = 1.5};

  f.depth = data_depth ("mian_uwa/rs1.pcd", &f.camera, f.depth_scale);
  data_one (&f, "mian_uwa/poses_established.json", "chef.pcd",
      "mian_uwa/chef.pcd", "chef");
  return f;
}
