/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The input of gpuccl from a buffer: its luma or its depth, its maps and its
 * camera. */
#include <math.h>
#include <string.h>

#include "gpuccl/gstgpuccl.h"

static void
find_gpuccl_camera (GstGpuccl *self, GstBuffer *buffer, GpucclParams *params)
{
  GstVisionCamera camera;

  if (!gst_vision_intrinsics_find (&self->intrinsics, GST_ELEMENT (self),
          buffer, self->width, self->height, &camera))
    return;
  params->has_camera = true;
  params->camera = (Camera){camera.fx, camera.fy, camera.cx, camera.cy, {0}};
  params->has_pose = camera.has_pose;
  memcpy (params->pose.t, camera.pose, sizeof params->pose.t);
  memcpy (params->pose.q, camera.pose + 3, sizeof params->pose.q);
}

static gboolean
has_frame_size (GstGpuccl *self, const GstVisionMap *map)
{
  return map->width == (guint) self->width &&
      map->height == (guint) self->height;
}

/* Takes the map of kind correspondence, if the buffer has one, as the classes
 * of the pixels. */
static const char *
use_class_map (GstGpuccl *self, GstBuffer *buffer, GpucclFrame *frame)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  const void *address;
  GstVisionMap map;

  if (!gst_buffer_find_vision_map (
          buffer, GST_VISION_ORIGIN_RESULT, "correspondence", &map))
    return NULL;
  if (!has_frame_size (self, &map))
    return "the correspondence map has another size than the depth; scale "
           "neither behind the element that made it";
  if (strcmp (map.format, "u8") || map.channels > 2)
    return "the correspondence map is not one of u8 with one or two channels";
  TRY (gst_vision_map_input_map (&self->classes, backend, &map, &address));
  frame->source = GPUCCL_CLASSES;
  frame->map = address;
  frame->map_stride = (int) map.stride;
  frame->map_step = (int) map.channels;
  return NULL;
}

/* Takes the map of kind depth, if the buffer has one, in place of the frame's
 * depth; an element upstream has filtered it already. */
static const char *
use_depth_map (GstGpuccl *self, GstBuffer *buffer, GpucclParams *params,
    GpucclFrame *frame)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  const void *address;
  GstVisionMap map;

  if (!gst_buffer_find_vision_map (
          buffer, GST_VISION_ORIGIN_RESULT, "depth", &map))
    return NULL;
  if (!has_frame_size (self, &map))
    return "the depth map has another size than the frame; scale neither "
           "behind the element that made it";
  if (strcmp (map.format, "u16") || map.channels != 1 || map.offset ||
      !(map.invalid == 0 || isnan (map.invalid)))
    return "the depth map is not one of u16 with one channel, no offset, and "
           "0 without depth";
  TRY (gst_vision_map_input_map (&self->depth, backend, &map, &address));
  frame->depth = address;
  frame->depth_stride = (int) map.stride;
  params->filter = GPUCCL_NO_FILTER;
  params->depth_scale = map.scale;
  return NULL;
}

/* Returns why the rows cannot be read, or NULL; GstVideoMeta and VisionMaps may
 * describe rows at odd addresses and rows that overlap. */
static const char *
check_gpuccl_rows (const GpucclFrame *f)
{
  if (f->depth && (f->depth_stride % 2 || (guintptr) f->depth % 2))
    return "the rows of the depth start at odd bytes";
  if ((f->depth && f->depth_stride < 2 * f->width) ||
      (f->map && f->map_stride < f->map_step * f->width))
    return "its rows overlap";
  return NULL;
}

const char *
gst_gpuccl_begin (GstGpuccl *self, const Image *image, GstBuffer *buffer,
    GpucclParams *params, GpucclFrame *frame)
{
  *params = GST_VISION_LOCKED (self, self->params);
  *frame = (GpucclFrame){.width = self->width, .height = self->height};
  if (image->format == IMAGE_GRAY16) {
    frame->source = GPUCCL_DEPTH_ONLY;
    frame->depth = (const uint16_t *) image->plane[0];
    frame->depth_stride = image->stride[0];
    find_gpuccl_camera (self, buffer, params);
    TRY (use_class_map (self, buffer, frame));
    TRY (use_depth_map (self, buffer, params, frame));
  } else {
    gboolean alpha = image->format == IMAGE_RGBA || image->format == IMAGE_BGRA;

    frame->source = GPUCCL_MASK;
    frame->map = (const uint8_t *) image->plane[0] + (alpha ? 3 : 0);
    frame->map_stride = image->stride[0];
    frame->map_step = alpha ? 4 : 1;
    frame->count_greys = !self->warned_of_greys;
  }
  return check_gpuccl_rows (frame);
}

void
gst_gpuccl_end (GstGpuccl *self)
{
  gst_vision_map_input_unmap (&self->classes);
  gst_vision_map_input_unmap (&self->depth);
}

const char *
gst_gpuccl_check (GstGpuccl *self, const GstVideoInfo *info)
{
  gboolean depth = GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_FORMAT_GRAY16_LE;
  GpucclParams params = GST_VISION_LOCKED (self, self->params);

  /* each buffer may bring a camera: this check takes any */
  if (depth) {
    params.has_camera = true;
    params.camera = (Camera){1, 1, 0, 0, {0}};
  }
  return gpuccl_check (&params, depth ? GPUCCL_DEPTH_ONLY : GPUCCL_MASK, depth);
}
