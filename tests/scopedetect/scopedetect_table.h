/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Generated scenes for scopedetect, things on a table (scene/clutter.h): their
 * frames in a device's memory, and which of their objects a pose is of. */
#pragma once

#include "frames.h"
#include "scene/clutter.h"
#include "scopedetect_observed.h"
#include "scopedetect_preset.h"

AUTO_FREE (Mesh, mesh_free)

#define WIDTH 640
#define HEIGHT 480
#define RIGHT .1 /* ADD-S, in diameters */

typedef struct {
  Device dev;
  Clutter *clutter;
  ClutterTruth truth; /* of the newest scene */
  Frame color, depth;
  Image on_device;               /* colour */
  void *depth_copy, *color_copy; /* device memory */
} TableScene;

/* For scenes of @n @names, NULL for all solids, whose meshes are in @unit. */
static inline void
table_open (TableScene *t, DeviceKind kind, const char *const *names, int n,
    double unit)
{
  ok (clutter_new (&t->clutter, WIDTH, HEIGHT, names, n, unit));
  ok (device_open (&t->dev, kind, NULL));
  ok (device_alloc (&t->dev, &t->depth_copy, 2 * WIDTH * HEIGHT));
  ok (device_alloc (&t->dev, &t->color_copy, 3 * WIDTH * HEIGHT));
  t->color = frame_new (IMAGE_RGB, WIDTH, HEIGHT, 0, 1);
  t->depth = frame_new (IMAGE_GRAY16, WIDTH, HEIGHT, 0, 1);
  t->on_device = t->color.image;
  t->on_device.plane[0] = t->color_copy;
}

static inline void
table_close (TableScene *t)
{
  device_release (&t->dev, t->depth_copy);
  device_release (&t->dev, t->color_copy);
  device_close (&t->dev);
  clutter_free (t->clutter);
  frame_free (&t->color);
  frame_free (&t->depth);
}

/* Draws frame @number of @scene. */
static inline ScopedetectFrame
table_draw (TableScene *t, const ClutterParams *scene, uint64_t number)
{
  ok (clutter_render (
      t->clutter, scene, CLUTTER_COLOR, number, &t->color.image, NULL, NULL));
  ok (clutter_render (t->clutter, scene, CLUTTER_DEPTH, number, &t->depth.image,
      &t->truth, NULL));
  ok (device_copy (
      &t->dev, t->depth_copy, t->depth.image.plane[0], 2 * WIDTH * HEIGHT));
  ok (device_copy (
      &t->dev, t->color_copy, t->color.image.plane[0], 3 * WIDTH * HEIGHT));
  return (ScopedetectFrame){.width = WIDTH,
      .height = HEIGHT,
      .depth = t->depth_copy,
      .depth_stride = 2 * WIDTH,
      .color = &t->on_device};
}

/* Params of @preset with the camera of the newest scene. */
static inline ScopedetectParams
table_params (const TableScene *t, Preset preset)
{
  const ClutterTruth *c = &t->truth;
  ScopedetectParams p = preset_params (preset);

  p.camera = (Camera){c->fx, c->fy, c->cx, c->cy, {0}};
  return p;
}

/* The number of the object at @pose, which has the @shape of @model; -1:
 * none. */
static inline int
table_find (const TableScene *t, const ScopedetectModel *model, int shape,
    const double pose[7])
{
  ScopedetectModelInfo info;

  scopedetect_model_info (model, &info);
  for (int i = 0; i < t->truth.n_objects; i++) {
    double add, add_s;

    if (t->truth.objects[i].shape != shape)
      continue;
    scopedetect_model_distance (
        model, pose, t->truth.objects[i].pose, &add, &add_s);
    if (add_s < RIGHT * info.diameter)
      return i;
  }
  return -1;
}
