/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Models of several registered views. */
#pragma once

#include "scopedetect_solid.h"

#define FUSE_VIEWS 10

/* How far @p is from the solid's boxes, metres; @in where it is inside. */
static inline float
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
static inline void
test_views (DeviceKind kind)
{
  static uint16_t depth[FUSE_VIEWS][SOLID_WIDTH * SOLID_HEIGHT];
  static uint8_t rgb[SOLID_WIDTH * SOLID_HEIGHT * 3];
  const double box[6] = {-.1, -.1, .002, .1, .1, .2};
  ScopedetectView views[FUSE_VIEWS];
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModelInfo info;
  ScopedetectModel *model;
  ScopedetectMesh mesh;
  int off = 0, turned = 0;
  Solid s;

  (void) kind;
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
    views[i] = (ScopedetectView){.width = SOLID_WIDTH,
        .height = SOLID_HEIGHT,
        .depth = depth[i],
        .depth_stride = 2 * SOLID_WIDTH,
        .rgb = rgb,
        .depth_scale = .0001,
        .camera = solid_camera};
    solid_numbers (back, views[i].pose);
  }
  ok (scopedetect_mesh_fuse (&mesh, views, FUSE_VIEWS, box, .002));
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
  scopedetect_mesh_free (&mesh);
  views[3].rgb = NULL;
  ok (scopedetect_mesh_fuse (&mesh, views, FUSE_VIEWS, box, .002));
  check (!mesh.colour);
  scopedetect_mesh_free (&mesh);
  check (scopedetect_mesh_fuse (&mesh, views, 0, box, .002) != NULL);
  check (scopedetect_mesh_fuse (&mesh, views, 1, box, 0) != NULL);
  check (scopedetect_mesh_fuse (&mesh, views, 1, box, NAN) != NULL);
  check (!mesh.x && !mesh.normal);
}
