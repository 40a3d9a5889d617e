/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All elements work on a device of tests/failing.h, which is healthy but while
 * one round makes it fail.  Rounds beside that one may be hit too: they end
 * with an error, as they must. */
#include "stress.h"

#include "../failing.h"

#include "base/gstvisionaggregator.h"
#include "base/gstvisionfilter.h"

static GMutex one; /* round at a time */

static const char *
open_device (Device *device, DeviceKind kind, void *stream)
{
  return kind == DEVICE_CPU ? failing_open (device, kind, stream)
                            : device_open (device, kind, stream);
}

void
device_watch (GstElement *element)
{
  gpointer klass = G_OBJECT_GET_CLASS (element);
  GType filter = g_type_from_name ("GstVisionFilter");
  GType aggregator = g_type_from_name ("GstVisionAggregator");
  static GMutex lock;

  g_mutex_lock (&lock);
  if (aggregator && G_TYPE_CHECK_CLASS_TYPE (klass, aggregator)) {
    if (((GstVisionAggregatorClass *) klass)->open_device != open_device)
      ((GstVisionAggregatorClass *) klass)->open_device = open_device;
  } else if (filter && G_TYPE_CHECK_CLASS_TYPE (klass, filter)) {
    if (((GstVisionFilterClass *) klass)->open_device != open_device)
      ((GstVisionFilterClass *) klass)->open_device = open_device;
  }
  g_mutex_unlock (&lock);
}

gboolean
device_fail_begin (Dice *dice)
{
  if (!g_mutex_trylock (&one))
    return FALSE;
  failing_reset (between (dice, 1, 60));
  return TRUE;
}

void
device_fail_end (void)
{
  failing_reset (0);
  g_mutex_unlock (&one);
}
