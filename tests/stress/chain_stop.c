/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An element is stopped in its own streaming thread, while a frame passes a pad
 * of it or while it says something.  GStreamer forbids this and warns where the
 * thread is the element's own; nothing may crash, and afterwards the
 * application can stop the pipeline and play it again. */
#include "chains.h"

#include <string.h>

#define STOPS 3 /* in a round at most */

/* While the application changes states nothing is stopped from within, and the
 * other way round: each would wait for the other one. */
static gboolean
begin_stop (Chain *chain)
{
  gboolean may;

  g_mutex_lock (&chain->lock);
  may = chain->may_stop && chain->stops < STOPS && !chain->stopping;
  chain->stops += may;
  chain->stopping += may;
  g_mutex_unlock (&chain->lock);
  return may;
}

static void
end_stop (Chain *chain)
{
  g_mutex_lock (&chain->lock);
  chain->stopping--;
  g_cond_broadcast (&chain->returned);
  g_mutex_unlock (&chain->lock);
}

void
stop_from_within (Chain *chain, gpointer of, Dice *dice)
{
  static const GstState states[] = {
      GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED};
  GstElement *element =
      GST_IS_PAD (of) ? gst_pad_get_parent_element (of) : gst_object_ref (of);

  if (element && member_of (element) && begin_stop (chain)) {
    log_allow ("Trying to join task");
    gst_element_set_state (element, PICK (dice, states));
    if (one_in (dice, 3)) {
      chain_start_alone ();
      gst_element_set_state (element, GST_STATE_PLAYING);
    }
    log_allow (NULL);
    end_stop (chain);
  }
  gst_clear_object (&element);
}

/* The pipeline may wait without a word, as it does behind elements of
 * GStreamer. */
void
stop_play (Chain *chain)
{
  gint until;

  chain->doing = "stop from within";
  g_mutex_lock (&chain->lock);
  chain->may_stop = TRUE;
  g_mutex_unlock (&chain->lock);
  gst_element_seek_simple (
      chain->pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 0);
  g_usleep (1000 + below (&chain->dice, 60000));
  until = g_atomic_int_get (&stress_idle) + stress_patience / 2;
  g_mutex_lock (&chain->lock);
  chain->may_stop = FALSE;
  while (chain->stopping && g_atomic_int_get (&stress_idle) < until)
    g_cond_wait_until (&chain->returned, &chain->lock,
        g_get_monotonic_time () + G_USEC_PER_SEC);
  if (chain->stopping)
    stress_find (NULL, "a stop from the streaming thread does not return");
  g_mutex_unlock (&chain->lock);
}
