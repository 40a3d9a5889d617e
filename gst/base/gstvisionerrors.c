/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What both parents have alike: what they say where something is wrong. */
#include <string.h>

#include "base/gstvisioncommon.h"

#define FAULT_INTERVAL (5 * G_USEC_PER_SEC)

void
gst_vision_common_fault (GstVisionCommon *self, const char *what)
{
  gint64 now = g_get_monotonic_time ();

  GST_OBJECT_LOCK (self->backend.element);
  self->faulty++;
  GST_OBJECT_UNLOCK (self->backend.element);
  if (self->last_fault && now - self->last_fault < FAULT_INTERVAL)
    return;
  self->last_fault = now;
  GST_ELEMENT_WARNING (self->backend.element, STREAM, FORMAT,
      ("Something is wrong with a frame: %s.", what),
      ("The stream goes on. stats counts such frames; they are warned of every "
       "few seconds at most."));
}

static void
post_error (GstVisionCommon *self, const char *err)
{
  GstElement *element = self->backend.element;

  if (strstr (err, "out of memory"))
    GST_ELEMENT_ERROR (element, RESOURCE, NO_SPACE_LEFT,
        ("There is not enough memory: %s.", err),
        ("Use smaller frames or fewer elements on this device, or set "
         "backend=cpu to run on the CPU."));
  else if (self->backend.kind == GST_VISION_BACKEND_CUDA &&
      !self->backend.is_open)
    GST_ELEMENT_ERROR (element, RESOURCE, NOT_FOUND,
        ("backend=cuda was asked for, but %s. Use backend=auto to run on the "
         "CPU where there is no GPU.",
            err),
        (NULL));
  else
    GST_ELEMENT_ERROR (element, LIBRARY, FAILED, ("%s.", err),
        ("The pipeline was stopped; start it again, with backend=cpu if the "
         "GPU does not recover."));
}

gboolean
gst_vision_common_failed (GstVisionCommon *self, const char *err)
{
  if (err && !self->has_failed)
    post_error (self, err);
  self->has_failed |= err != NULL;
  return err != NULL;
}

gboolean
gst_vision_common_refused (GstVisionCommon *self, const char *err)
{
  if (err && !self->has_failed)
    GST_ELEMENT_ERROR (self->backend.element, LIBRARY, SETTINGS,
        ("The properties cannot work with these frames: %s.", err), (NULL));
  self->has_failed |= err != NULL;
  return err != NULL;
}

void
gst_vision_common_report (GstElement *element, gchar **problem)
{
  GstBus *bus = gst_element_get_bus (element);
  gchar *text = NULL;

  if (bus) {
    GST_OBJECT_LOCK (element);
    text = g_steal_pointer (problem);
    GST_OBJECT_UNLOCK (element);
    gst_object_unref (bus);
  }
  if (text)
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS, ("%s", text), (NULL));
  g_free (text);
}
