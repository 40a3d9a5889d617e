/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionbackend.h"

#include "base/gstvisioncuda.h"
#include "common/parallel.h"

GType
gst_vision_backend_kind_get_type (void)
{
  static GType type;
  static const GEnumValue values[] = {
      {GST_VISION_BACKEND_AUTO, "The GPU where there is one, else the CPU",
          "auto"},
      {GST_VISION_BACKEND_CUDA, "The GPU; an error where there is none",
          "cuda"},
      {GST_VISION_BACKEND_CPU, "The CPU", "cpu"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    GType t = g_enum_register_static ("GstVisionBackendKind", values);

    gst_type_mark_as_plugin_api (t, 0);
    g_once_init_leave (&type, t);
  }
  return type;
}

GParamSpec *
gst_vision_backend_n_threads (void)
{
  return g_param_spec_uint ("n-threads", "Threads",
      "How many threads may work on a frame where the CPU does it, at most one "
      "for each processor (0 = one for each processor); all threads are of one "
      "pool, which all elements of the process share",
      0, G_MAXINT, 0,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
}

void
gst_vision_backend_init (GstVisionBackend *self, GstElement *element)
{
  *self = (GstVisionBackend){
      .element = element, .kind = GST_VISION_BACKEND_AUTO, .device_id = -1};
}

void
gst_vision_backend_start (GstVisionBackend *self)
{
  if (self->kind != GST_VISION_BACKEND_CPU)
    gst_vision_cuda_ensure_context (
        self->element, self->device_id, &self->context);
}

void
gst_vision_backend_stop (GstVisionBackend *self)
{
  gst_vision_backend_close (self);
  gst_clear_object (&self->context);
}

static const char *
open_cuda (GstVisionBackend *self, GstVisionOpenDevice open_device)
{
  const char *err;

  TRY (device_cuda_probe ());
  TRY (self->no_cuda);
  if (!self->context)
    gst_vision_backend_start (self);
  if (!self->context || !gst_vision_cuda_push (self->context))
    return "no CUDA context could be made";
  err = open_device (&self->device, DEVICE_CUDA, NULL);
  gst_vision_cuda_pop ();
  return err;
}

const char *
gst_vision_backend_open (GstVisionBackend *self, GstVisionFrameUse use,
    gboolean in_cuda, GstVisionOpenDevice open_device)
{
  gboolean stay = (use & GST_VISION_FRAME_STAY) && !in_cuda;
  const char *no_cuda = NULL;

  gst_vision_backend_close (self);
  if (self->kind == GST_VISION_BACKEND_CUDA ||
      (self->kind == GST_VISION_BACKEND_AUTO && !stay)) {
    no_cuda = open_cuda (self, open_device);
    self->is_open = !no_cuda;
    if (self->kind == GST_VISION_BACKEND_CUDA && no_cuda)
      return no_cuda;
  }
  if (!self->is_open) {
    if (no_cuda)
      GST_INFO_OBJECT (self->element, "the CPU is used: %s", no_cuda);
    TRY (open_device (&self->device, DEVICE_CPU, NULL));
    self->is_open = TRUE;
  }
  self->device.timer = &self->timer;
  return NULL;
}

void
gst_vision_backend_close (GstVisionBackend *self)
{
  if (!self->is_open)
    return;
  gst_vision_backend_enter (self);
  device_timer_free (&self->timer);
  device_close (&self->device);
  gst_vision_backend_leave (self);
  self->is_open = FALSE;
}

const char *
gst_vision_backend_enter (GstVisionBackend *self)
{
  parallel_limit (g_atomic_int_get (&self->n_threads));
  if (self->device.kind != DEVICE_CUDA || !self->context)
    return NULL;
  self->entered = gst_vision_cuda_push (self->context);
  return self->entered ? NULL : "the CUDA context can no longer be used";
}

void
gst_vision_backend_leave (GstVisionBackend *self)
{
  if (self->entered)
    gst_vision_cuda_pop ();
  self->entered = FALSE;
  parallel_limit (0);
}

GstObject *
gst_vision_backend_foreign (GstVisionBackend *self, GstBuffer *buffer)
{
  GstObject *theirs = gst_vision_cuda_buffer_context (buffer);

  if (self->device.kind != DEVICE_CUDA || !theirs || theirs == self->context)
    return NULL;
  if (self->device_id >= 0 &&
      self->device_id != gst_vision_cuda_device_id (theirs))
    return NULL;
  return theirs;
}

void
gst_vision_backend_adopt (GstVisionBackend *self, GstObject *context)
{
  GST_INFO_OBJECT (self->element, "taking over the frames' CUDA context");
  gst_vision_backend_close (self);
  gst_object_replace (&self->context, context);
}
