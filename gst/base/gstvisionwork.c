/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionwork.h"

#define PATIENCE (5 * G_USEC_PER_SEC)

void
gst_vision_work_init (GstVisionWork *self, GstElement *element,
    void (*release) (GstElement *element))
{
  *self = (GstVisionWork){.element = element, .release = release};
  g_mutex_init (&self->lock);
  g_cond_init (&self->is_idle);
}

void
gst_vision_work_clear (GstVisionWork *self)
{
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->is_idle);
}

/* The pad's stream lock lets one thread work at a time. */
void
gst_vision_work_begin (GstVisionWork *self)
{
  g_mutex_lock (&self->lock);
  self->thread = g_thread_self ();
  self->depth++;
  g_mutex_unlock (&self->lock);
}

void
gst_vision_work_end (GstVisionWork *self)
{
  gboolean releases;

  g_mutex_lock (&self->lock);
  releases = self->depth == 1 && self->is_stopped;
  g_mutex_unlock (&self->lock);
  if (releases)
    self->release (self->element);
  g_mutex_lock (&self->lock);
  if (--self->depth == 0) {
    self->thread = NULL;
    self->is_stopped = FALSE;
    g_cond_broadcast (&self->is_idle);
  }
  g_mutex_unlock (&self->lock);
}

gboolean
gst_vision_work_is_here (GstVisionWork *self)
{
  gboolean is_here;

  g_mutex_lock (&self->lock);
  is_here = self->thread == g_thread_self ();
  g_mutex_unlock (&self->lock);
  return is_here;
}

gboolean
gst_vision_work_change_state (GstVisionWork *self, GstStateChange transition)
{
  gint64 until = g_get_monotonic_time () + PATIENCE;
  gboolean is_here = gst_vision_work_is_here (self), is_stopped;

  if (transition != GST_STATE_CHANGE_READY_TO_PAUSED)
    return TRUE;
  g_mutex_lock (&self->lock);
  while (!is_here && self->is_stopped &&
      g_cond_wait_until (&self->is_idle, &self->lock, until))
    ;
  is_stopped = self->is_stopped;
  g_mutex_unlock (&self->lock);
  if (is_stopped)
    GST_ELEMENT_ERROR (self->element, CORE, STATE_CHANGE,
        ("The frame in which the element was stopped is still in work. Stop "
         "and start elements from a thread of the application, not from the "
         "handler of a message."),
        (NULL));
  return !is_stopped;
}

void
gst_vision_work_stop (GstVisionWork *self)
{
  gboolean is_here = gst_vision_work_is_here (self);

  if (is_here) {
    g_mutex_lock (&self->lock);
    self->is_stopped = TRUE;
    g_mutex_unlock (&self->lock);
  } else {
    self->release (self->element);
  }
}
