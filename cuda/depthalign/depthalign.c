/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rays of the depth's pixels, and memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"
#include "depthalign/depthalign_core.h"

struct _Depthalign {
  Device device;
  DeviceMemory memory;
  const DepthalignStages *stages;
  int width, height, target_width, target_height;
  DepthalignScratch scratch;
  float *ray[3];
  bool has_rays;
  Camera camera; /* of the rays */
  Pose64 turn;   /* of the rays; its translation has no meaning */
  bool has_lens;
  Camera target; /* of the lens */
  DepthalignLens lens;
};

static bool
is_side (int side)
{
  return side >= 1 && side <= DEPTHALIGN_MAX_SIDE;
}

static const char *
get_depthalign_memory (Depthalign *d)
{
  size_t n = (size_t) d->width * d->height;

  for (int i = 0; i < 3; i++)
    TRY (memory_get (&d->memory, &d->ray[i], n));
  TRY (memory_get_pinned (&d->memory, &d->scratch.count, 1));
  return d->stages->get_memory (&d->memory, &d->scratch, n, d->height,
      (size_t) d->target_width * d->target_height);
}

const char *
depthalign_new (Depthalign **self, const Device *device, int width, int height,
    int target_width, int target_height)
{
  Depthalign *d = calloc (1, sizeof *d);

  *self = d;
  if (!d)
    return OUT_OF_MEMORY (sizeof *d, "");
  d->device = *device;
  d->stages = STAGES (depthalign, device);
  memory_open (&d->memory, &d->device);
  if (!is_side (width) || !is_side (height) || !is_side (target_width) ||
      !is_side (target_height))
    return "the sides of depth and target must be 1 to 8192 pixels";
  d->width = width;
  d->height = height;
  d->target_width = target_width;
  d->target_height = target_height;
  return get_depthalign_memory (d);
}

void
depthalign_free (Depthalign *d)
{
  if (!d)
    return;
  device_wait (&d->device); /* the device may still use it */
  memory_free (&d->memory);
  free (d);
}

/* ---- Rays ---- */

typedef struct {
  const Camera *camera;
  double turn[3][3];
  int width;
  float *ray[3];
} Rays;

static void
make_ray_rows (void *data, int begin, int end)
{
  const Rays *r = data;

  for (int v = begin; v < end; v++)
    for (int u = 0; u < r->width; u++) {
      double at[2];
      bool seen = camera_ray (r->camera, u, v, at);

      for (int k = 0; k < 3; k++)
        r->ray[k][(size_t) v * r->width + u] = seen
            ? (float) (r->turn[k][0] * at[0] + r->turn[k][1] * at[1] +
                  r->turn[k][2])
            : NAN;
    }
}

static const char *
upload_rays (Depthalign *d, float *rays)
{
  size_t n = (size_t) d->width * d->height;
  Rays r = {&d->camera, {{0}}, d->width, {rays, rays + n, rays + 2 * n}};

  quat64_matrix (d->turn.q, r.turn);
  parallel_for (d->height, 8, make_ray_rows, &r);
  for (int i = 0; i < 3; i++)
    TRY (device_copy (&d->device, d->ray[i], r.ray[i], n * sizeof *rays));
  return device_wait (&d->device);
}

/* Makes the rays, unless the rays of the run before are the same. */
static const char *
make_rays (Depthalign *d, const DepthalignParams *p)
{
  size_t n = (size_t) d->width * d->height;
  const char *err;
  float *rays;

  if (d->has_rays && !memcmp (&d->camera, &p->depth, sizeof d->camera) &&
      !memcmp (d->turn.q, p->transform.q, sizeof d->turn.q))
    return NULL;
  rays = malloc (3 * n * sizeof *rays);
  if (!rays)
    return OUT_OF_MEMORY (3 * n * sizeof *rays, "");
  d->camera = p->depth;
  d->turn = p->transform;
  err = device_wait (&d->device); /* the device may still use the rays */
  if (!err)
    err = upload_rays (d, rays);
  d->has_rays = !err;
  free (rays);
  return err;
}

/* ---- Frames ---- */

/* The squared distance from the axis up to which the distorted one grows with
 * it; 1e30 without distortion. */
static float
max_r2_of_camera (const Camera *c)
{
  const double *d = c->distortion;

  for (double r2 = .001; r2 < 100; r2 += .001)
    if (!(1 + r2 * (3 * d[0] + r2 * (5 * d[1] + r2 * 7 * d[4])) > 0))
      return (float) (r2 - .001);
  return d[0] != 0 || d[1] != 0 || d[4] != 0 ? 100 : 1e30f;
}

/* Makes the lens, unless the target of the run before is the same. */
static void
make_lens (Depthalign *a, const Camera *c)
{
  const double *d = c->distortion;

  if (a->has_lens && !memcmp (&a->target, c, sizeof *c))
    return;
  a->lens = (DepthalignLens){(float) c->fx, (float) c->fy, (float) c->cx,
      (float) c->cy, (float) d[0], (float) d[1], (float) d[2], (float) d[3],
      (float) d[4], max_r2_of_camera (c)};
  a->target = *c;
  a->has_lens = true;
}

/* A cell may be eight times as large as if the target camera were at the
 * depth's place, since it may be nearer, and see slanted surfaces less
 * slanted. */
static int
largest_cell (const DepthalignParams *p)
{
  double x = p->target.fx / p->depth.fx, y = p->target.fy / p->depth.fy;
  double side = 2 + 8 * (x > y ? x : y);

  return DEPTHALIGN_PART *
      (int) (side < DEPTHALIGN_MAX_CELL ? side : DEPTHALIGN_MAX_CELL);
}

static const char *
check_depthalign_frames (
    const Depthalign *d, const Image *depth, const Image *target)
{
  if (depth->format != IMAGE_GRAY16 || target->format != IMAGE_GRAY16)
    return "depth has pixels of 16 bits";
  if (depth->width != d->width || depth->height != d->height)
    return "the depth has another size than was announced";
  if (target->width != d->target_width || target->height != d->target_height)
    return "the target has another size than was announced";
  return NULL;
}

const char *
depthalign_run (Depthalign *d, const DepthalignParams *p, const Image *depth,
    const Image *target, const DepthalignCounts **counts)
{
  const double *t = p->transform.t;
  double unit = p->depth_scale;
  DepthalignFrame f = {.depth = (const uint16_t *) depth->plane[0],
      .stride = depth->stride[0] / 2,
      .width = d->width,
      .height = d->height,
      .ray = {d->ray[0], d->ray[1], d->ray[2]},
      .max_step = (float) p->max_step,
      .target_width = d->target_width,
      .target_height = d->target_height,
      .target = (uint16_t *) target->plane[0],
      .target_stride = target->stride[0] / 2};

  TRY (depthalign_check (p));
  TRY (check_depthalign_frames (d, depth, target));
  TRY (make_rays (d, p));
  f.move =
      vec ((float) (t[0] / unit), (float) (t[1] / unit), (float) (t[2] / unit));
  make_lens (d, &p->target);
  f.lens = d->lens;
  f.limit = largest_cell (p);
  *counts = d->scratch.count;
  return d->stages->align (&d->device, &f, &d->scratch);
}
