/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `rgbd`: its memory, and the order in which a frame is made. */
#include "scene/rgbd_core.h"

#include <stdlib.h>
#include <string.h>

#include "common/device.h"
#include "common/parallel.h"

static const char *
allocate_rgbd (Rgbd *s)
{
  size_t pixels = (size_t) s->width * s->height;
  DeviceMemory *m = &s->memory;

  TRY (memory_get (m, &s->z, pixels));
  TRY (memory_get (m, &s->facing, pixels));
  TRY (memory_get (m, &s->model_z, pixels));
  TRY (memory_get (m, &s->model_facing, pixels));
  TRY (memory_get (m, &s->marks, pixels));
  TRY (memory_get (m, &s->labels, pixels));
  TRY (memory_get (m, &s->across, pixels));
  TRY (memory_get (m, &s->bend, pixels));
  return memory_get (m, &s->depth, (size_t) (s->width + 2) * (s->height + 2));
}

const char *
rgbd_new (Rgbd **scene, int width, int height)
{
  const char *err;
  Rgbd *s;

  *scene = NULL;
  if (width < 1 || height < 1 || width > RGBD_MAX_SIZE ||
      height > RGBD_MAX_SIZE)
    return "a depth frame is 1 to 4096 pixels wide and high";
  s = calloc (1, sizeof *s);
  if (!s)
    return OUT_OF_MEMORY (sizeof *s, "");
  s->width = width;
  s->height = height;
  memory_open (&s->memory, device_host ());
  err = allocate_rgbd (s);
  if (err) {
    rgbd_free (s);
    return err;
  }
  *scene = s;
  return NULL;
}

void
rgbd_free (Rgbd *s)
{
  if (s)
    memory_free (&s->memory);
  free (s);
}

static const char *
check_rgbd (const Rgbd *s, const RgbdParams *p, const Image *img)
{
  TRY (params_check (scene_params, &p->scene));
  TRY (params_check (rgbd_params, p));
  if (img->format != IMAGE_GRAY16)
    return "depth is 16-bit grey";
  if (img->width != s->width || img->height != s->height)
    return "the frame has another size than the scene";
  return NULL;
}

static void
write_truth_pose (const Pose64 *pose, double out[7])
{
  memcpy (out, pose->t, sizeof pose->t);
  memcpy (out + 3, pose->q, sizeof pose->q);
}

/* Sets @pixel to the middle of mover @i; NAN if it is not in front of the
 * camera. */
static void
mover_middle (const RgbdPlan *plan, int i, Pose64 *there, double pixel[2])
{
  Pose64 camera = rgbd_pose_inverse (&plan->camera);
  double x, y, factor;

  *there = rgbd_pose_chain (&camera, &plan->movers[i].now);
  pixel[0] = pixel[1] = NAN;
  if (there->t[2] <= 0)
    return;
  x = there->t[0] / there->t[2], y = there->t[1] / there->t[2];
  factor = rgbd_lens_factor (&plan->lens, x * x + y * y);
  pixel[0] = plan->f * there->t[0] * factor / there->t[2] + plan->cx;
  pixel[1] = plan->f * there->t[1] * factor / there->t[2] + plan->cy;
}

static SceneThing
mover_truth (const Rgbd *s, const RgbdPlan *plan, const RgbdPlan *next, int i)
{
  const RgbdBody *body = plan->movers[i].body;
  SceneThing o = {.seen = {.id = i, .label = body->label}};
  double from[2], to[2];
  Pose64 there;

  mover_middle (next, i, &there, to);
  mover_middle (plan, i, &there, from);
  o.seen.vx = to[0] - from[0];
  o.seen.vy = to[1] - from[1];
  write_truth_pose (&there, o.pose);
  memcpy (o.extent, body->extent, sizeof o.extent);
  scene_measure (&o.seen, s->labels, s->width,
      (ImageBox){0, 0, s->width, s->height}, (uint16_t) (i + 1));
  return o;
}

static RgbdTruth
rgbd_truth (const Rgbd *s, const RgbdPlan *plan, const RgbdParams *params,
    uint64_t number, const uint64_t full[RGBD_MAX_OBJECTS])
{
  RgbdPlan next = rgbd_plan (params, s->width, s->height, number + 1);
  const double *k = plan->lens.k;
  RgbdTruth t = {.fx = plan->f,
      .fy = plan->f,
      .cx = plan->cx,
      .cy = plan->cy,
      .distortion = {k[0], k[1], 0, 0, k[2]},
      .n_objects = plan->n_movers};

  write_truth_pose (&plan->camera, t.camera);
  for (int i = 0; i < t.n_objects; i++) {
    t.objects[i] = mover_truth (s, plan, &next, i);
    t.objects[i].seen.full_area = full[i];
  }
  return t;
}

typedef struct {
  const Rgbd *s;
  const Image *img;
} Picture;

static void
put_depth_rows (void *data, int begin, int end)
{
  const Picture *p = data;
  const Image *img = p->img;
  int width = p->s->width;

  for (int y = begin; y < end; y++) {
    uint8_t *row = img->plane[0] + (ptrdiff_t) y * img->stride[0];
    const uint16_t *depth = rgbd_depth_row (p->s, y);

    for (int x = 0; x < width; x++)
      row[2 * x] = (uint8_t) depth[x], row[2 * x + 1] = depth[x] >> 8;
  }
}

const char *
rgbd_render (Rgbd *s, const RgbdParams *params, uint64_t number,
    const Image *img, RgbdTruth *truth, uint8_t *classes, uint16_t *labels)
{
  const char *err = check_rgbd (s, params, img);
  uint64_t full[RGBD_MAX_OBJECTS];
  RgbdPlan plan;

  if (err)
    return err;
  plan = rgbd_plan (params, s->width, s->height, number);
  rgbd_set_lens (s, &plan, params);
  rgbd_cast (s, &plan, full);
  rgbd_sense (s, &plan, params, number);
  parallel_for (s->height, 0, put_depth_rows, &(Picture){s, img});
  if (truth)
    *truth = rgbd_truth (s, &plan, params, number, full);
  if (classes)
    rgbd_classify (s, &plan, params, classes);
  if (labels)
    memcpy (labels, s->labels, (size_t) s->width * s->height * sizeof *labels);
  return NULL;
}
