/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of a score that take long: features, boundaries of what hides the
 * object, and walks. */
#pragma once

#include "scopedetect/scopedetect_extra.h"
#include "scopedetect/scopedetect_self.h"
#include "scopedetect/scopedetect_voxel.h"
#include "scopedetect_extra_steps.h"
#include "scopedetect_found.h"

/* Poses are scored as they are, with the three parts. */
static inline ScopedetectParams
extra_params (void)
{
  ScopedetectParams p = solid_params (SCOPEDETECT_THESIS);

  p.align = p.climb = 0;
  p.table = false;
  p.weight[SCOPEDETECT_AFFINITY] = 0;
  p.weight[SCOPEDETECT_FPFH] = 1;
  p.weight[SCOPEDETECT_OCCLUSION] = .5;
  p.weight[SCOPEDETECT_WALK] = .7;
  return p;
}

/* The parts of @pose in the bench's frame. */
static inline void
extra_parts (Bench *b, const ScopedetectParams *p, Pose pose,
    double part[SCOPEDETECT_N_PARTS])
{
  ScopedetectObject guess = {0};
  ScopedetectResults r;

  memset (part, 0, SCOPEDETECT_N_PARTS * sizeof *part);
  solid_numbers (pose, guess.pose);
  ok (scopedetect_track (b->s, p, &b->frame, &guess, 1, &r));
  check (r.n_objects == 1);
  if (r.n_objects)
    memcpy (part, r.objects[0].part, sizeof r.objects[0].part);
}

/* The mean over what is seen of - d^2 / (2 sigma^2), of features in percent:
 * each pixel's point is looked for among all by its cell. */
static inline double
slow_features (const ScopedetectWork *w, const ScopedetectShape *s, Pose pose)
{
  const ScopedetectScene *f = &w->scene;
  Turn r = turn_of (pose.q);
  double sum = 0, seen = 0, most = 4;

  for (int i = 0; i < s->n; i++) {
    Vec p = vec_transform (&r, pose.t, s->x[i]);
    Vec n = vec_rotate (&r, s->normal[i]);
    int x = (int) floor (f->fx * p.x / p.z + f->cx + .5);
    int y = (int) floor (f->fy * p.y / p.z + f->cy + .5);
    const ScopedetectPixel *o = &f->pixel[y * f->width + x];
    ScopedetectCell cell;
    double off, v, x2 = most;

    if (-vec_dot (n, p) / vec_norm (p) <= .1 || !(o->z > 0))
      continue;
    off = p.z - o->z;
    v = off < 0 ? 1 : exp (-pow (off / w->params.visible_sigma, 2) / 2);
    seen += v;
    cell = scopedetect_cell_of (w, scopedetect_unproject (f, x, y, o->z));
    for (int j = 0; j < w->cloud.n; j++) {
      double d2 = 0;

      if (!scopedetect_same_cell (cell, scopedetect_cell_of (w, w->cloud.x[j])))
        continue;
      for (int k = 0; k < SCOPEDETECT_BINS; k++)
        d2 += pow (s->code[i * SCOPEDETECT_CODE + k] / 2. -
                w->cloud.fpfh[j * SCOPEDETECT_BINS + k],
            2);
      x2 = fmin (d2 / pow (s->feature_sigma, 2), most);
    }
    sum -= v * x2 / 2;
  }
  return sum / seen;
}

static inline void
check_features (Bench *b)
{
  Pose truth = solid_pose (.7, 0, .5);
  ScopedetectParams p = extra_params ();
  double right[SCOPEDETECT_N_PARTS], part[SCOPEDETECT_N_PARTS], total;

  check_feature_distance ();
  memset (b->depth, 0, SOLID_BYTES);
  solid_draw (b->depth, SOLID_STRIDE, truth);
  for (int i = 0; i < 2; i++) {
    float far = .024f * (float) i;
    Pose pose = pose_moved (truth, vec (0, 0, far), vec (far, 0, -far));

    extra_parts (b, &p, pose, i ? part : right);
    total = 0;
    for (int k = 0; k < SCOPEDETECT_N_PARTS; k++)
      total += p.weight[k] * (i ? part : right)[k];
    check_near (b->s->found[0].score / 65536., total, 1e-3);
    if (b->dev.kind == DEVICE_CPU) /* it reads the pixels */
      check_near ((i ? part : right)[SCOPEDETECT_FPFH],
          slow_features (&b->s->work, &b->s->shape[0], b->s->found[0].pose),
          .01);
  }
  /* worse by a tenth of a deviation squared at the least */
  check (right[SCOPEDETECT_FPFH] > part[SCOPEDETECT_FPFH] + .1);
  printf ("     right %.3f, moved by 24 mm %.3f\n", right[SCOPEDETECT_FPFH],
      part[SCOPEDETECT_FPFH]);
  p.weight[SCOPEDETECT_FPFH] = p.weight[SCOPEDETECT_OCCLUSION] = 0;
  extra_parts (b, &p, truth, part);
  check (part[SCOPEDETECT_FPFH] == 0 && part[SCOPEDETECT_OCCLUSION] == 0);
  check (part[SCOPEDETECT_WALK] == right[SCOPEDETECT_WALK]);
  p.weight[SCOPEDETECT_WALK] = 0;
  extra_parts (b, &p, truth, part);
  check (part[SCOPEDETECT_WALK] == 0);
  check (part[SCOPEDETECT_XYZ] == right[SCOPEDETECT_XYZ]);
}

/* ---- Boundaries ---- */

/* Cells hold the object, and are of half the resolution at the least. */
static inline void
check_tiles (const Bench *b)
{
  for (int i = 0; i < 8; i++) {
    Pose pose = solid_pose (.7 * i, .03 * (i - 4), .12 * (1 + i));
    ScopedetectWork *w = &b->s->work;
    ScopedetectShape s = b->s->shape[0];
    ScopedetectTiles t = scopedetect_tiles (w, &s, pose);
    Turn r = turn_of (pose.q);
    int out = 0, x, y;

    check (t.side >= 1.5 * s.spacing * solid_camera.fx / pose.t.z);
    s.spacing = 0; /* so that all of it would not fit */
    t = scopedetect_tiles (w, &s, pose);
    check (t.side >= 2);
    for (int k = 0; k < s.n; k++)
      if (scopedetect_project (
              &w->scene, vec_transform (&r, pose.t, s.x[k]), &x, &y))
        out += scopedetect_tile_at (&t, x, y) < 0;
    check (out == 0);
    check (scopedetect_tile_at (&t, t.x, t.y) == 0);
    check (scopedetect_tile_at (&t, t.x - 1, t.y) == -1);
    check (scopedetect_tile_at (&t, t.x + SCOPEDETECT_MASK * t.side, t.y) < 0);
    check (scopedetect_tile_at (&t, t.x + t.side, t.y + 2 * t.side) ==
        2 * SCOPEDETECT_MASK + 1);
  }
}

/* Half of the solid is hidden: by a board in front of it, whose edge is there
 * to be seen; or as it is half in a wall that is seen instead, which has no
 * edge where they meet. */
static inline void
check_occlusion (Bench *b)
{
  Pose truth = solid_pose (.7, 0, .5);
  ScopedetectParams p = extra_params ();
  double alone[SCOPEDETECT_N_PARTS], board[SCOPEDETECT_N_PARTS],
      blank[SCOPEDETECT_N_PARTS], wall[SCOPEDETECT_N_PARTS];

  check_boundary ();
  memset (b->depth, 0, SOLID_BYTES);
  solid_draw (b->depth, SOLID_STRIDE, truth);
  extra_parts (b, &p, truth, alone);
  if (b->dev.kind == DEVICE_CPU)
    check_tiles (b);
  for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT / 2; i++)
    b->depth[i] = 4000;
  extra_parts (b, &p, truth, board);
  p.range_edge = 0; /* the same boundary, but no edge on it */
  extra_parts (b, &p, truth, blank);
  p.range_edge = 1;
  for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++) /* leans */
    b->depth[i] = (uint16_t) (4700 + 4 * (i % SOLID_WIDTH - 160));
  extra_parts (b, &p, truth, wall);
  printf ("     alone %.3f, behind a board %.3f, half in a wall %.3f\n",
      alone[SCOPEDETECT_OCCLUSION], board[SCOPEDETECT_OCCLUSION],
      wall[SCOPEDETECT_OCCLUSION]);
  check (alone[SCOPEDETECT_OCCLUSION] <= 0);
  check (board[SCOPEDETECT_OCCLUSION] < 0);
  check (blank[SCOPEDETECT_OCCLUSION] < 2 * board[SCOPEDETECT_OCCLUSION]);
  check (wall[SCOPEDETECT_OCCLUSION] < board[SCOPEDETECT_OCCLUSION] - .05);
}

/* ---- Walks ---- */

/* What hangs together with a pose that is off is not all of the model. */
static inline void
check_walk (Bench *b)
{
  Pose truth = solid_pose (.7, 0, .5);
  ScopedetectParams p = extra_params ();
  double right[SCOPEDETECT_N_PARTS], moved[SCOPEDETECT_N_PARTS],
      open[SCOPEDETECT_N_PARTS];

  check_strolls ();
  memset (b->depth, 0, SOLID_BYTES);
  solid_draw (b->depth, SOLID_STRIDE, truth);
  for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
    b->depth[i] = b->depth[i] ? b->depth[i] : 9000; /* far behind it */
  extra_parts (b, &p, truth, right);
  extra_parts (
      b, &p, pose_moved (truth, vec (0, 0, 0), vec (.015f, 0, 0)), moved);
  p.range_edge = p.image_edge = 0; /* so nothing ends a walk */
  extra_parts (b, &p, truth, open);
  printf ("     right %.3f, moved by 15 mm %.3f, without edges %.3f\n",
      right[SCOPEDETECT_WALK], moved[SCOPEDETECT_WALK], open[SCOPEDETECT_WALK]);
  check (right[SCOPEDETECT_WALK] > moved[SCOPEDETECT_WALK] + .2);
  check (right[SCOPEDETECT_WALK] > open[SCOPEDETECT_WALK] + .02);
}

/* Frames without anything, noise, one wall; poses about the camera, behind it
 * and far away; and a model whose features do not differ. */
static inline void
check_extra_hostile (Bench *b)
{
  static const float z[] = {-.5f, 0, .02f, .1f, 1e3f, 1e30f};
  ScopedetectParams p = extra_params ();
  ScopedetectObject guess[12] = {0};
  ScopedetectResults r;

  for (int i = 0; i < 12; i++)
    guess[i].pose[0] = i % 2 * 1e30, guess[i].pose[2] = z[i / 2],
    guess[i].pose[3] = 1;
  p.max_objects = 12;
  for (int what = 0; what < 4; what++) {
    memset (b->depth, what == 1 ? 255 : 0, SOLID_BYTES);
    for (int i = 0; what > 1 && i < SOLID_WIDTH * SOLID_HEIGHT; i++)
      b->depth[i] = (uint16_t) (what == 2 ? rnd (65536) : 1000);
    p.edge_blur = what == 3 ? 0 : 6;
    p.range_edge = what == 3 ? 0 : 1;
    ok (scopedetect_track (b->s, &p, &b->frame, guess, 12, &r));
    check (r.n_objects > 0);
    for (int i = 0; i < r.n_objects; i++)
      for (int k = SCOPEDETECT_FPFH; k < SCOPEDETECT_N_PARTS; k++)
        check (r.objects[i].part[k] <= 0 && r.objects[i].part[k] >= -20);
  }
  b->s->shape[0].feature_sigma = 0;
  memset (b->depth, 0, SOLID_BYTES);
  solid_draw (b->depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  solid_numbers (solid_pose (.7, 0, .5), guess->pose);
  ok (scopedetect_track (b->s, &p, &b->frame, guess, 1, &r));
  check (r.n_objects == 1 && r.objects[0].part[SCOPEDETECT_FPFH] == -2);
}

static inline void
test_extra (DeviceKind kind)
{
  Bench b;

  bench_open (&b, kind);
  check_features (&b);
  check_occlusion (&b);
  check_walk (&b);
  check_extra_hostile (&b); /* changes the model */
  bench_close (&b);
}
