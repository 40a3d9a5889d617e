/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `rgbd`: its memory, and the order in which a frame comes about. */
#include "scene/rgbd_core.h"

#include <stdlib.h>
#include <string.h>

#include "common/device.h"
#include "common/parallel.h"

const char *
rgbd_new (Rgbd **scene, int width, int height)
{
  size_t pixels = (size_t) width * height;
  Rgbd *s;

  *scene = NULL;
  if (width < 1 || height < 1 || width > RGBD_MAX_SIZE ||
      height > RGBD_MAX_SIZE)
    return "a depth frame is 1 to 4096 pixels wide and high";
  s = calloc (1, sizeof *s);
  if (!s)
    return "out of memory";
  s->width = width;
  s->height = height;
  s->z = malloc (pixels * sizeof *s->z);
  s->model_z = malloc (pixels * sizeof *s->model_z);
  s->model_facing = malloc (pixels * sizeof *s->model_facing);
  s->marks = malloc (pixels);
  s->labels = malloc (pixels * sizeof *s->labels);
  s->depth = calloc ((size_t) (width + 2) * (height + 2), sizeof *s->depth);
  if (!s->z || !s->model_z || !s->model_facing || !s->marks || !s->labels ||
      !s->depth) {
    rgbd_free (s);
    return "out of memory";
  }
  *scene = s;
  return NULL;
}

void
rgbd_free (Rgbd *s)
{
  if (!s)
    return;
  free (s->z);
  free (s->model_z);
  free (s->model_facing);
  free (s->marks);
  free (s->labels);
  free (s->depth);
  free (s);
}

static const char *
reject (const Rgbd *s, const RgbdParams *p, const Image *img)
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
pose_out (const RgbdPose *pose, double out[7])
{
  memcpy (out, pose->t, sizeof pose->t);
  memcpy (out + 3, pose->q, sizeof pose->q);
}

/* Pixel of the robot's middle; NAN where it is not in front of the camera. */
static void
middle (const RgbdPlan *plan, RgbdPose *there, double pixel[2])
{
  RgbdPose camera = rgbd_pose_inverse (&plan->camera);

  *there = rgbd_pose_chain (&camera, &plan->robot);
  pixel[0] = pixel[1] = NAN;
  if (there->t[2] <= 0)
    return;
  pixel[0] = plan->f * there->t[0] / there->t[2] + plan->cx;
  pixel[1] = plan->f * there->t[1] / there->t[2] + plan->cy;
}

static RgbdTruth
look (const Rgbd *s, const RgbdPlan *plan, const RgbdParams *params,
    uint64_t number, uint64_t full)
{
  RgbdPlan next = rgbd_plan (params, s->width, s->height, number + 1);
  RgbdTruth t = {.fx = plan->f,
      .fy = plan->f,
      .cx = plan->cx,
      .cy = plan->cy,
      .object = {.label = "robot", .full_area = full}};
  double from[2], to[2];
  RgbdPose there;

  middle (&next, &there, to);
  middle (plan, &there, from);
  t.object.vx = to[0] - from[0];
  t.object.vy = to[1] - from[1];
  pose_out (&plan->camera, t.camera);
  pose_out (&there, t.robot);
  memcpy (t.extent, rgbd_extent, sizeof t.extent);
  scene_measure (
      &t.object, s->labels, s->width, (ImageBox){0, 0, s->width, s->height}, 1);
  return t;
}

typedef struct {
  const Rgbd *s;
  const Image *img;
} Picture;

static void
put_rows (void *data, int begin, int end)
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
  const char *err = reject (s, params, img);
  uint64_t full;
  RgbdPlan plan;

  if (err)
    return err;
  plan = rgbd_plan (params, s->width, s->height, number);
  full = rgbd_cast (s, &plan);
  rgbd_sense (s, &plan, params, number);
  parallel_for (s->height, 0, put_rows, &(Picture){s, img});
  if (truth)
    *truth = look (s, &plan, params, number, full);
  if (classes)
    rgbd_classify (s, &plan, params, classes);
  if (labels)
    memcpy (labels, s->labels, (size_t) s->width * s->height * sizeof *labels);
  return NULL;
}
