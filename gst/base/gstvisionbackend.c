/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionbackend.h"

#include "base/gstvisioncuda.h"
#include "common/parallel.h"
#include "common/rows.h"

CHOICES (kinds,
    {GST_VISION_BACKEND_AUTO, "auto",
        "The GPU if the machine has one, else the CPU"},
    {GST_VISION_BACKEND_CUDA, "cuda", "The GPU; without one, an error"},
    {GST_VISION_BACKEND_CPU, "cpu", "The CPU"});

#define ROWS_OF GstVisionBackend
const Param gst_vision_backend_params[] = {
    STOPPED (ONE_OF, kind, kinds, GST_VISION_BACKEND_AUTO,
        "Where the algorithm runs", .name = "backend",
        .kind = "GstVisionBackendKind"),
    STOPPED (TITLED, "CUDA device", NUMBER, device_id, -1, G_MAXINT, -1,
        "GPU's number (-1 = that of neighbouring elements, else the first)",
        .name = "cuda-device-id"),
    GST_VISION_N_THREADS (n_threads), {0}};

void
gst_vision_backend_init (GstVisionBackend *self, GstElement *element)
{
  *self = (GstVisionBackend){.element = element};
}

/* Takes @context, which becomes the element's context if it has none or
 * @replace is set. */
static void
give_context (GstVisionBackend *self, GstObject *context, gboolean replace)
{
  GST_OBJECT_LOCK (self->element);
  if (self->finding && self->finder == g_thread_self () && !*self->finding &&
      context)
    *self->finding = gst_object_ref (context);
  if (replace || !self->context) {
    GstObject *before = self->context;

    self->context = context;
    context = before;
  }
  GST_OBJECT_UNLOCK (self->element);
  gst_clear_object (&context);
}

GstObject *
gst_vision_backend_ref_context (GstVisionBackend *self)
{
  GstObject *context;

  GST_OBJECT_LOCK (self->element);
  context = self->context ? gst_object_ref (self->context) : NULL;
  GST_OBJECT_UNLOCK (self->element);
  return context;
}

/* GStreamer looks for a context by asking neighbours, then by a message that
 * the application answers in this thread with set_context (): no lock may be
 * held meanwhile. */
static void
find_context (GstVisionBackend *self, gint device_id)
{
  GstObject *found = gst_vision_backend_ref_context (self);

  if (!found) {
    GST_OBJECT_LOCK (self->element);
    self->finding = &found;
    self->finder = g_thread_self ();
    GST_OBJECT_UNLOCK (self->element);
    gst_vision_cuda_ensure_context (self->element, device_id, &found);
    GST_OBJECT_LOCK (self->element);
    self->finding = NULL;
    GST_OBJECT_UNLOCK (self->element);
  }
  give_context (self, found, FALSE);
}

/* Finds the context before the neighbours upstream, whose states change later,
 * look for one: they then share it. */
static void
find_context_early (GstVisionBackend *self)
{
  GstVisionBackendKind kind;
  gint device_id;

  GST_OBJECT_LOCK (self->element);
  kind = self->kind;
  device_id = self->device_id;
  GST_OBJECT_UNLOCK (self->element);
  if (kind != GST_VISION_BACKEND_CPU)
    find_context (self, device_id);
}

void
gst_vision_backend_change_state (
    GstVisionBackend *self, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_NULL_TO_READY)
    find_context_early (self);
  else if (transition == GST_STATE_CHANGE_READY_TO_NULL)
    gst_vision_backend_free (self);
}

void
gst_vision_backend_free (GstVisionBackend *self)
{
  give_context (self, NULL, TRUE);
}

void
gst_vision_backend_set_context (GstVisionBackend *self, GstContext *context)
{
  GstObject *given = gst_vision_backend_ref_context (self);
  gint device_id;

  GST_OBJECT_LOCK (self->element);
  device_id = self->device_id;
  GST_OBJECT_UNLOCK (self->element);
  gst_vision_cuda_set_context (self->element, context, device_id, &given);
  give_context (self, given, FALSE);
}

gboolean
gst_vision_backend_query (GstVisionBackend *self, GstQuery *query)
{
  GstObject *context;
  gboolean answered;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT)
    return FALSE;
  context = gst_vision_backend_ref_context (self);
  answered = gst_vision_cuda_query_context (self->element, query, context);
  gst_clear_object (&context);
  return answered;
}

static const char *
open_cuda (GstVisionBackend *self, GstVisionOpenDevice open_device)
{
  const char *err;

  TRY (device_cuda_probe ());
  find_context (self, self->opened_id);
  if (!self->context || !gst_vision_cuda_push (self->context))
    return "no CUDA context could be made";
  err = open_device (&self->device, DEVICE_CUDA, NULL);
  gst_vision_cuda_pop ();
  return err;
}

static void
tell_where (GstVisionBackend *self, const char *where)
{
  GST_OBJECT_LOCK (self->element);
  self->where = where;
  GST_OBJECT_UNLOCK (self->element);
}

const char *
gst_vision_backend_open (GstVisionBackend *self, GstVisionFrameUse use,
    gboolean in_cuda, GstVisionOpenDevice open_device)
{
  gboolean stay = (use & GST_VISION_FRAME_STAY) && !in_cuda;
  const char *no_cuda = NULL;
  GstVisionBackendKind kind;

  gst_vision_backend_close (self);
  GST_OBJECT_LOCK (self->element);
  kind = self->opened_kind = self->kind;
  self->opened_id = self->device_id;
  GST_OBJECT_UNLOCK (self->element);
  if (kind == GST_VISION_BACKEND_CUDA ||
      (kind == GST_VISION_BACKEND_AUTO && !stay)) {
    no_cuda = open_cuda (self, open_device);
    self->is_open = !no_cuda;
    if (kind == GST_VISION_BACKEND_CUDA && no_cuda)
      return no_cuda;
  }
  if (!self->is_open) {
    if (no_cuda)
      GST_INFO_OBJECT (self->element, "the CPU is used: %s", no_cuda);
    TRY (open_device (&self->device, DEVICE_CPU, NULL));
    self->is_open = TRUE;
  }
  self->device.timer = &self->timer;
  tell_where (self, self->device.kind == DEVICE_CUDA ? "cuda" : "cpu");
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
  tell_where (self, NULL);
}

const char *
gst_vision_backend_enter (GstVisionBackend *self)
{
  guint n_threads;

  GST_OBJECT_LOCK (self->element);
  n_threads = self->n_threads;
  GST_OBJECT_UNLOCK (self->element);
  parallel_limit ((int) n_threads);
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
gst_vision_backend_elsewhere (const GstVisionBackend *self, GstBuffer *buffer)
{
  GstObject *theirs = gst_vision_cuda_buffer_context (buffer);

  return self->device.kind == DEVICE_CUDA && theirs != self->context ? theirs
                                                                     : NULL;
}

GstObject *
gst_vision_backend_foreign (GstVisionBackend *self, GstBuffer *buffer)
{
  GstObject *theirs = gst_vision_backend_elsewhere (self, buffer);

  if (theirs && self->opened_id >= 0 &&
      self->opened_id != gst_vision_cuda_device_id (theirs))
    return NULL;
  return theirs;
}

void
gst_vision_backend_adopt (GstVisionBackend *self, GstObject *context)
{
  GST_INFO_OBJECT (self->element, "taking over the frames' CUDA context");
  gst_vision_backend_close (self);
  give_context (self, gst_object_ref (context), TRUE);
}
