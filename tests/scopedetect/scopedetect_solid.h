/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A solid without symmetry, made of boxes, and a camera that sees it on a
 * table: the truth that scopedetect is held to. */
#pragma once

#include <math.h>

#include "check.h"
#include "common/vec.h"
#include "scopedetect_observed.h"
#include "scopedetect_preset.h"

#define SOLID_WIDTH 320
#define SOLID_HEIGHT 240

AUTO_POINTER (Detector, Scopedetect, scopedetect_free)
AUTO_POINTER (Model, ScopedetectModel, scopedetect_model_free)

static const Camera solid_camera = {450, 450, 159.5, 119.5, {0}};

typedef struct {
  Mesh mesh;
  float x[24 * 3 * 3];
  uint32_t triangles[36 * 3];
} Solid;

static inline void
solid_box (Solid *s, const float low[3], const float high[3])
{
  static const uint8_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6},
      {5, 7, 6}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2},
      {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  Mesh *m = &s->mesh;

  for (int t = 0; t < 12; t++)
    for (int k = 0; k < 3; k++)
      s->triangles[3 * m->n_triangles + 3 * t + k] = m->n + faces[t][k];
  m->n_triangles += 12;
  for (int i = 0; i < 8; i++, m->n++)
    for (int k = 0; k < 3; k++)
      s->x[3 * m->n + k] = i >> k & 1 ? high[k] : low[k];
}

/* About 120 mm large; z is up, from 0 on. */
static inline void
solid_make (Solid *s)
{
  memset (s, 0, sizeof *s);
  s->mesh.x = s->x;
  s->mesh.triangles = s->triangles;
  solid_box (s, (float[]){-.05f, -.03f, 0}, (float[]){.05f, .03f, .03f});
  solid_box (s, (float[]){.015f, -.03f, .03f}, (float[]){.05f, 0, .09f});
  solid_box (s, (float[]){-.05f, .01f, .03f}, (float[]){-.02f, .03f, .05f});
}

static inline ScopedetectModel *
solid_model (double spacing)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  ScopedetectModel *model;
  Solid s;

  solid_make (&s);
  how.spacing = spacing;
  how.feature_radius = fmax (how.feature_radius, 2 * spacing);
  how.normal_radius = fmax (how.normal_radius, spacing);
  ok (scopedetect_model_compile (&model, &s.mesh, "solid", &how));
  return model;
}

/* A pose on a table that is seen from 40 degrees above, @turn radians about the
 * upright, its middle (@x, 0, @z) from the camera. */
static inline Pose
solid_pose (double turn, double x, double z)
{
  const double down = 2.27; /* from the camera's axes to the table's: about x */
  Quat tilt = {(float) cos (down / 2), (float) sin (down / 2), 0, 0};
  Quat spin = {(float) cos (turn / 2), 0, 0, (float) sin (turn / 2)};
  Pose p = {quat_times (tilt, spin), {(float) x, .03f, (float) z}};

  return p;
}

static inline void
solid_numbers (Pose p, double out[7])
{
  out[0] = p.t.x, out[1] = p.t.y, out[2] = p.t.z, out[3] = p.q.w;
  out[4] = p.q.x, out[5] = p.q.y, out[6] = p.q.z;
}

/* Where a ray from the camera meets a triangle; 1e9 where it does not (Moller
 * and Trumbore). */
static inline float
solid_hit (Vec d, Vec a, Vec b, Vec c)
{
  Vec e = vec_sub (b, a), f = vec_sub (c, a);
  Vec p = vec_cross (d, f), t = vec_scale (a, -1), q;
  float det = vec_dot (e, p), u, v;

  if (fabsf (det) < 1e-12f)
    return 1e9f;
  u = vec_dot (t, p) / det;
  q = vec_cross (t, e);
  v = vec_dot (d, q) / det;
  if (u < 0 || v < 0 || u + v > 1)
    return 1e9f;
  det = vec_dot (f, q) / det;
  return det > 0 ? det : 1e9f;
}

/* Draws the solid at @p, in tenths of millimetres, over what is in @depth. */
static inline void
solid_draw (uint16_t *depth, int stride, Pose p)
{
  Turn r = turn_of (p.q);
  Solid s;

  solid_make (&s);
  for (int y = 0; y < SOLID_HEIGHT; y++)
    for (int x = 0; x < SOLID_WIDTH; x++) {
      Vec d = {(float) ((x - solid_camera.cx) / solid_camera.fx),
          (float) ((y - solid_camera.cy) / solid_camera.fy), 1};
      uint16_t *at = (uint16_t *) ((uint8_t *) depth + (size_t) y * stride) + x;

      for (uint32_t t = 0; t < s.mesh.n_triangles; t++) {
        Vec v[3];
        float z;

        for (int k = 0; k < 3; k++) {
          const float *c = s.x + 3 * s.triangles[3 * t + k];

          v[k] = vec_transform (&r, p.t, vec (c[0], c[1], c[2]));
        }
        z = solid_hit (d, v[0], v[1], v[2]) * 10000 + .5f;
        if (z < 65535 && (!*at || z < *at))
          *at = (uint16_t) z;
      }
    }
}

/* The table on which a pose of solid_pose () stands. */
static inline void
solid_table (uint16_t *depth, int stride, Pose p)
{
  Turn r = turn_of (p.q);
  float d = vec_dot (r.z, p.t);

  for (int y = 0; y < SOLID_HEIGHT; y++)
    for (int x = 0; x < SOLID_WIDTH; x++) {
      Vec ray = {(float) ((x - solid_camera.cx) / solid_camera.fx),
          (float) ((y - solid_camera.cy) / solid_camera.fy), 1};
      float z = d / vec_dot (r.z, ray) * 10000 + .5f;
      uint16_t *at = (uint16_t *) ((uint8_t *) depth + (size_t) y * stride) + x;

      if (z > 0 && z < 30000 && (!*at || z < *at))
        *at = (uint16_t) z;
    }
}

static inline ScopedetectParams
solid_params (Preset preset)
{
  ScopedetectParams p = preset_params (preset);

  p.camera = solid_camera;
  p.depth_scale = .0001;
  p.min_score = 0;
  p.queries = 1500;
  p.clusters = p.clusters < 100 ? p.clusters : 100;
  if (preset == PRESET_THESIS) /* its rounds alone: the searches that it
                                       ends with take minutes */
    p.explain = SCOPEDETECT_EACH;
  return p;
}
