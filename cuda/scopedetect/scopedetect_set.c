/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Params: their presets, and what is wrong with them. */
#include "scopedetect/scopedetect.h"

#include <math.h>

/* What all presets have alike. */
static const ScopedetectParams defaults = {.depth_scale = .001,
    .near = .1,
    .far = 2,
    .table = true,
    .table_tolerance = .008,
    .table_low = .01,
    .table_high = .35,
    .normal_radius = .01,
    .neighbours = 30,
    .samples = 2000,
    .kept = 20000,
    .points = 500,
    .tolerance = .01,
    .free_gap = .05,
    .free_part = .2,
    .cluster_distance = .025,
    .cluster_angle = 22.5,
    .clusters = 400,
    .last = 50,
    .range_edge = 1,
    .image_edge = .5,
    .edge_blur = 6,
    .range_sigma = .01,
    .normal_sigma = .5,
    .lab_sigma = 15,
    .segment_sigma = .01,
    .visible_sigma = .01,
    .min_score = .1,
    .max_objects = 1,
    .least_own = .5,
    .weight = {[SCOPEDETECT_XYZ] = 1,
        [SCOPEDETECT_NORMAL] = 1,
        [SCOPEDETECT_VISIBILITY] = 1,
        [SCOPEDETECT_EDGE] = 2,
        [SCOPEDETECT_EDGE_VISIBILITY] = .5}};

void
scopedetect_preset (ScopedetectParams *p, ScopedetectPreset preset)
{
  *p = defaults;
  if (preset == SCOPEDETECT_THESIS) {
    p->random = true;
    p->align = 5;
    p->climb = 20;
    p->least_own = 0;
    p->weight[SCOPEDETECT_AFFINITY] = 1;
    return;
  }
  p->tolerance = .015;
  p->refine = 20;
  p->clusters = 1000;
  p->weight[SCOPEDETECT_TABLE] = .3;
  p->weight[SCOPEDETECT_LIGHTNESS] = .2;
  p->weight[SCOPEDETECT_COLOUR_A] = .2;
  p->weight[SCOPEDETECT_COLOUR_B] = .2;
  if (preset == SCOPEDETECT_FAST) {
    p->queries = 12000;
    p->neighbours = 20;
    p->kept = 8000;
    p->clusters = 400;
    p->refine = 10;
  }
}

static bool
within (double v, double low, double high)
{
  return v >= low && v <= high;
}

static const char *
check_camera (const ScopedetectCamera *c)
{
  if (!within (c->fx, 1, 1e6) || !within (c->fy, 1, 1e6) ||
      !within (c->cx, -1e5, 1e5) || !within (c->cy, -1e5, 1e5))
    return "the camera's intrinsics are missing or wrong: fx and fy must be 1 "
           "to 1000000 pixels, cx and cy -100000 to 100000";
  return NULL;
}

static const char *
check_rounds (const ScopedetectParams *p)
{
  if (!within (p->neighbours, 1, 32))
    return "neighbours must be 1 to 32";
  if (!within (p->queries, 0, SCOPEDETECT_MAX_POINTS))
    return "queries must be 0 to 65536";
  if (!within (p->samples, 1, 20000) || !within (p->kept, 1, 20000))
    return "samples and kept must be 1 to 20000";
  if (!within (p->points, 10, SCOPEDETECT_MAX_MODEL_POINTS))
    return "points must be 10 to 16384";
  if (!within (p->clusters, 1, 2000) || !within (p->last, 1, 200))
    return "clusters must be 1 to 2000 and last 1 to 200";
  if (!within (p->align, 0, 100) || !within (p->refine, 0, 100) ||
      !within (p->climb, 0, 100))
    return "align, refine and climb must be 0 to 100 steps";
  return within (p->max_objects, 1, SCOPEDETECT_MAX_OBJECTS)
      ? NULL
      : "max_objects must be 1 to 64";
}

const char *
scopedetect_check (const ScopedetectParams *p)
{
  if (!within (p->depth_scale, 1e-9, 1e3))
    return "depth-scale must be 1e-09 to 1000";
  if (!within (p->near, .01, 100) || !within (p->far, .02, 100) ||
      p->far <= p->near)
    return "near must be less than far, both 0.01 to 100 m";
  TRY (check_camera (&p->camera));
  if (!within (p->table_tolerance, .0001, 1) ||
      !within (p->table_low, -1, 10) || !within (p->table_high, 0, 100) ||
      p->table_high <= p->table_low)
    return "the table's tolerance must be 0.1 mm to 1 m, and table_low less "
           "than table_high";
  if (!within (p->normal_radius, .001, .2) || !within (p->tolerance, .0005, .2))
    return "the normals' radius must be 1 mm to 20 cm, the tolerance 0.5 mm to "
           "20 cm";
  if (!within (p->cluster_distance, 0, 10) ||
      !within (p->cluster_angle, 0, 180) || !within (p->free_gap, 0, 10) ||
      !within (p->free_part, 0, 1))
    return "a limit of round 1 is out of range";
  if (!within (p->range_sigma, 1e-4, 1) || !within (p->normal_sigma, 1e-3, 2) ||
      !within (p->lab_sigma, .1, 1000) ||
      !within (p->segment_sigma, 1e-3, .5) ||
      !within (p->visible_sigma, 1e-4, 1))
    return "a sigma is out of range";
  if (!within (p->range_edge, 0, 1) || !within (p->fold_edge, 0, 1) ||
      !within (p->image_edge, 0, 1) || !within (p->edge_blur, 0, 16))
    return "the weights of edges must be 0 to 1, and edge_blur 0 to 16";
  for (int i = 0; i < SCOPEDETECT_N_PARTS; i++)
    if (!within (p->weight[i], 0, 1000))
      return "weights must be 0 to 1000";
  if (!within (p->min_score, 0, 1) || !within (p->least_own, 0, 1))
    return "the least score, and the least part of its own, must be 0 to 1";
  return check_rounds (p);
}
