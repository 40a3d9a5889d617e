/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parts of a score against a slow version in doubles, which reads the same
 * pixels. */
#pragma once

#include "scopedetect/scopedetect_self.h"
#include "scopedetect_found.h"

static inline double
slow_sigmoid (double b0, double b1, double b2, double x)
{
  return b0 + (1 - b0) / (1 + exp (-b1 - b2 * x));
}

static inline double
slow_log_normal (double d, double sigma, double s)
{
  double x = fmin (d / (sigma * s), 2);

  return -x * x / 2 - log (s);
}

/* XYZ, NORMAL, VISIBILITY and FREE of a pose, with all points. */
static inline void
slow_parts (const ScopedetectWork *w, const ScopedetectShape *s, Pose pose,
    double part[SCOPEDETECT_N_PARTS])
{
  Turn r = turn_of (pose.q);
  Vec eye =
      vec_unrotate (&r, vec_scale (vec_transform (&r, pose.t, s->centre), -1));
  double range = 0, normal = 0, seen = 0, normal_seen = 0, front = 0, gap = 0;
  int view = 0;

  for (int v = 1; v < SCOPEDETECT_VIEWS; v++)
    if (vec_dot (w->view[v], eye) > vec_dot (w->view[view], eye))
      view = v;
  for (int i = 0; i < s->n; i++) {
    Vec p = vec_transform (&r, pose.t, s->x[i]);
    Vec n = vec_rotate (&r, s->normal[i]);
    double c = -vec_dot (n, p) / vec_norm (p), off, v, k;
    double e =
        s->ved[(size_t) view * s->n + i] * (double) SCOPEDETECT_EDGE_STEP;
    int x = (int) floor (w->scene.fx * p.x / p.z + w->scene.cx + .5);
    int y = (int) floor (w->scene.fy * p.y / p.z + w->scene.cy + .5);
    const ScopedetectPixel *o;

    if (c <= .1)
      continue;
    front++;
    if (x < 0 || y < 0 || x >= w->scene.width || y >= w->scene.height)
      continue;
    o = &w->scene.pixel[y * w->scene.width + x];
    if (!(o->z > 0))
      continue;
    off = p.z - o->z;
    v = off < 0 ? 1 : exp (-pow (off / w->params.visible_sigma, 2) / 2);
    seen += v;
    gap += off < -w->params.free_gap;
    k = .5 * slow_sigmoid (.2878, -5.6214, 7.7247, 1 - c) +
        .5 * slow_sigmoid (.3036, .2607, -125.8843, e);
    range += v * slow_log_normal (fabs (off), w->params.range_sigma, k);
    k = .5 * slow_sigmoid (.1521, -7.1290, 10.7090, 1 - c) +
        .5 * slow_sigmoid (.1246, 1.4406, -185.8350, e);
    k = fmax (k, s->normal_var[i]);
    if (k > .3)
      continue;
    normal_seen += v;
    normal += v *
        slow_log_normal (1 - (n.x * o->nx + n.y * o->ny + n.z * o->nz),
            w->params.normal_sigma, k);
  }
  part[SCOPEDETECT_XYZ] = range / seen;
  part[SCOPEDETECT_NORMAL] = normal_seen > 0 ? normal / normal_seen : -20;
  part[SCOPEDETECT_VISIBILITY] = log (seen / front);
  part[SCOPEDETECT_FREE] = -gap / front;
}

/* The noise model is a table, and terms are in 1/4096: 1 %. */
static inline void
test_parts (DeviceKind kind)
{
  static const ScopedetectPart which[] = {SCOPEDETECT_XYZ, SCOPEDETECT_NORMAL,
      SCOPEDETECT_VISIBILITY, SCOPEDETECT_FREE};
  Bench b;
  Pose truth = solid_pose (.7, 0, .5);

  if (kind != DEVICE_CPU) /* it reads the pixels */
    return;
  bench_open (&b, kind);
  solid_draw (b.depth, SOLID_STRIDE, truth);
  solid_table (b.depth, SOLID_STRIDE, truth);
  for (int i = 0; i < 8; i++) {
    ScopedetectParams p = solid_params (SCOPEDETECT_THESIS);
    float far = .01f * (float) i;
    Pose off = pose_moved (truth, vec (5 * far, far, -far), vec (far, 0, -far));
    double part[SCOPEDETECT_N_PARTS], total = 0;
    const ScopedetectSample *sample;
    ScopedetectObject guess = {0};
    ScopedetectResults r;

    p.align = p.climb = 0;
    p.weight[SCOPEDETECT_AFFINITY] = 0;
    solid_numbers (off, guess.pose);
    ok (scopedetect_track (b.s, &p, &b.frame, &guess, 1, &r));
    sample = &b.s->found[0];
    slow_parts (&b.s->work, &b.s->shape[0], sample->pose, part);
    for (int k = 0; k < 4; k++)
      check_near (r.objects[0].part[which[k]], part[which[k]],
          .01 * (1 + fabs (part[which[k]])));
    for (int k = 0; k < SCOPEDETECT_N_PARTS; k++)
      total += p.weight[k] * r.objects[0].part[k];
    check_near (sample->score / 65536., total, 1e-3);
    check (r.objects[0].part[SCOPEDETECT_EDGE] <= 0);
    check (r.objects[0].part[SCOPEDETECT_TABLE] <= 0);
  }
  bench_close (&b);
}
