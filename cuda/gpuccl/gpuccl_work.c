/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks params and frame, and converts metres and pixels to the integers that
 * the stages work with. */
#include "gpuccl/gpuccl_core.h"

#include <math.h>

#define IN(x, lo, hi) ((x) >= (lo) && (x) <= (hi)) /* NaN is not */

static const char *
check_camera_params (const GpucclParams *p, bool depth)
{
  const Camera *c = &p->camera;

  if (p->match == GPUCCL_MATCH_SPACE && !depth)
    return "match=space needs depth; give it, or match in the image";
  if (p->match == GPUCCL_MATCH_SPACE && !p->has_camera)
    return "match=space needs a camera; give its intrinsics, or match in the "
           "image";
  if ((p->min_surface > 0 || p->min_side > 0) && !(depth && p->has_camera))
    return "min-surface and min-side need depth and a camera; give both, or "
           "use min-size and min-side-pixels";
  if (p->has_camera &&
      !(IN (c->fx, GPUCCL_MIN_FOCAL, GPUCCL_MAX_FOCAL) &&
          IN (c->fy, GPUCCL_MIN_FOCAL, GPUCCL_MAX_FOCAL)))
    return "the camera's focal lengths must be 0.001 to 10^9 pixels";
  if (p->has_camera &&
      !(IN (c->cx, -GPUCCL_MAX_SIDE, 2 * GPUCCL_MAX_SIDE - 1) &&
          IN (c->cy, -GPUCCL_MAX_SIDE, 2 * GPUCCL_MAX_SIDE - 1)))
    return "the camera's principal point is too far outside the frame";
  return NULL;
}

static const char *
check_pose_params (const Pose64 *pose)
{
  double norm = 0;
  bool near = true;

  for (int i = 0; i < 4; i++)
    norm += pose->q[i] * pose->q[i];
  for (int i = 0; i < 3; i++)
    near &= IN (pose->t[i], -GPUCCL_MAX_FAR, GPUCCL_MAX_FAR);
  return near && fabs (norm - 1) < 1e-3
      ? NULL
      : "the camera's pose is not three metres, each -10^9 to 10^9, and a unit "
        "quaternion";
}

const char *
gpuccl_check (const GpucclParams *params, GpucclSource source, bool depth)
{
  if (source == GPUCCL_DEPTH_ONLY && !depth)
    return "there is neither a mask nor depth";
  TRY (params_check (gpuccl_params, params));
  TRY (check_camera_params (params, depth));
  return params->has_pose ? check_pose_params (&params->pose) : NULL;
}

static const char *
check_frame_pointers (const GpucclFrame *f)
{
  if (!IN (f->source, GPUCCL_CLASSES, GPUCCL_DEPTH_ONLY))
    return "there is no such source";
  if (f->source != GPUCCL_DEPTH_ONLY && !f->map)
    return "the frame has no map";
  if (f->source != GPUCCL_DEPTH_ONLY && f->map_step != 1 && f->map_step != 2 &&
      f->map_step != 4)
    return "a map has 1, 2 or 4 bytes a pixel";
  if (f->source != GPUCCL_DEPTH_ONLY && f->map_stride < f->width * f->map_step)
    return "the map's rows overlap";
  if (f->depth && f->depth_stride < 2 * f->width)
    return "the depth's rows overlap";
  if (f->depth && (f->depth_stride % 2 || (uintptr_t) f->depth % 2))
    return "the depth's rows start at odd bytes";
  return NULL;
}

/* The smallest whole number, from 1 on, that is not below @limit.  A limit that
 * differs from a whole number by rounding alone is taken to be that number. */
static uint32_t
round_up_limit (double limit)
{
  double whole = nearbyint (limit);

  if (fabs (limit - whole) > 1e-6 * whole)
    whole = ceil (limit);
  if (whole >= GPUCCL_ANY_STEP)
    return GPUCCL_ANY_STEP;
  return whole < 1 ? 1 : (uint32_t) whole;
}

static GpucclLink
link_of_params (const GpucclParams *p, bool filtered)
{
  GpucclLink link = {GPUCCL_ANY_STEP, 0, filtered ? BILATERAL_FINE_BITS : 0};
  double k = nearbyint (p->depth_step_k * p->depth_scale * 0x1p32);

  if (p->max_depth_step == 0)
    return link;
  link.limit =
      round_up_limit (ldexp (p->max_depth_step / p->depth_scale, link.bits));
  link.k = k < UINT32_MAX ? (uint32_t) k : UINT32_MAX;
  return link;
}

static GpucclCentre
centre_of_camera (double c)
{
  double fixed = nearbyint (256 * c), whole = floor (fixed / 256);

  return (GpucclCentre){(int32_t) whole, (uint32_t) (fixed - 256 * whole)};
}

static GpucclValues
values_of_frame (const GpucclParams *p, const GpucclFrame *frame)
{
  GpucclValues classes = {GPUCCL_POTENTIAL_OUTLIER,
      GPUCCL_OUTLIER - GPUCCL_POTENTIAL_OUTLIER, GPUCCL_N_CLASSES,
      256 - GPUCCL_N_CLASSES, 0};
  bool greys = frame->source == GPUCCL_MASK && frame->count_greys;
  GpucclValues mask = {(uint8_t) p->threshold, (uint8_t) (255 - p->threshold),
      GPUCCL_FIRST_GREY, greys ? GPUCCL_N_GREYS : 0, GPUCCL_SHADOW};

  return frame->source == GPUCCL_CLASSES ? classes : mask;
}

const char *
gpuccl_set_work (GpucclWork *w, const GpucclParams *p, const GpucclFrame *frame)
{
  TRY (check_frame_pointers (frame));
  TRY (gpuccl_check (p, frame->source, frame->depth != NULL));
  w->frame = *frame;
  w->values = values_of_frame (p, frame);
  w->link = link_of_params (p, p->filter == GPUCCL_BILATERAL && frame->depth);
  w->rays = (GpucclRays){p->has_camera && frame->depth,
      centre_of_camera (p->has_camera ? p->camera.cx : 0),
      centre_of_camera (p->has_camera ? p->camera.cy : 0)};
  w->connectivity = p->connectivity;
  w->skip_checks = p->skip_checks;
  w->min_area = p->min_area;
  w->min_size = p->min_size;
  w->wanted_sums = (uint32_t) p->max_components;
  if (w->wanted_sums < GPUCCL_CANDIDATES)
    w->wanted_sums = GPUCCL_CANDIDATES;
  return NULL;
}
