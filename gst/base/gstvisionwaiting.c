/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionwaiting.h"

#include "base/gstvisioncommon.h"
#include "base/gstvisionpair.h"

/* Frames without times of their own that wait at most. */
#define MOST 32

gboolean
gst_vision_waiting_add (
    GstVisionWaiting *self, GstPad *pad, GstBuffer *buffer, const gint *over)
{
  GstClockTime time = GST_BUFFER_PTS (buffer);
  gboolean goes_on = GST_CLOCK_TIME_IS_VALID (time) &&
      (!GST_CLOCK_TIME_IS_VALID (self->newest) || time > self->newest);

  if (gst_vision_pair_is_gap (buffer))
    return FALSE;
  self->newest = time;
  while (!goes_on && g_atomic_int_get (&self->n) >= MOST &&
      !g_atomic_int_get (over) && !gst_vision_pad_is_flushing (pad))
    g_usleep (1000);
  g_atomic_int_inc (&self->n);
  return TRUE;
}

void
gst_vision_waiting_remove (GstVisionWaiting *self)
{
  gint n;

  do
    n = g_atomic_int_get (&self->n);
  while (n > 0 && !g_atomic_int_compare_and_exchange (&self->n, n, n - 1));
}

guint
gst_vision_waiting_clear (GstVisionWaiting *self)
{
  gint n;

  do
    n = g_atomic_int_get (&self->n);
  while (!g_atomic_int_compare_and_exchange (&self->n, n, 0));
  return (guint) n;
}
