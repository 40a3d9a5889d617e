/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An element of a chain that plays is taken out, and a new one of the same or
 * another kind takes its place, as gst_pad_add_probe () describes it. */
#include "chains.h"

typedef struct {
  Chain *chain;
  Dice dice;
  GThread *by; /* who asked for it */
} Relinking;

static GstElement *
make_other (Relinking *self, GstElement *old)
{
  static const gchar *const names[] = {
      "visionmeta", "visionjson", "visionoverlay", "gpuccl"};
  const gchar *name = one_in (&self->dice, 2) ? member_of (old)->kind.name
                                              : PICK (&self->dice, names);
  GstElement *element = gst_element_factory_make (name, NULL);

  chain_take_element (self->chain, element);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), "location"))
    g_object_set (element, "location", "lines.json", NULL);
  return element;
}

static void
remove_element (Chain *chain, GstElement *element)
{
  member_remove (chain, element);
  gst_element_set_locked_state (element, TRUE);
  gst_object_ref (element);
  gst_bin_remove (GST_BIN (chain->pipeline), element);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

static void
replace_element (Relinking *self, GstPad *src, GstPad *sink, GstElement *old)
{
  GstPad *out = gst_element_get_static_pad (old, "src");
  GstPad *next = out ? gst_pad_get_peer (out) : NULL;
  GstElement *element;

  if (next) {
    element = make_other (self, old);
    chain_link_alone ();
    gst_pad_unlink (src, sink);
    gst_pad_unlink (out, next);
    remove_element (self->chain, old);
    gst_bin_add (GST_BIN (self->chain->pipeline), element);
    gst_element_link_pads_full (element, "src",
        GST_ELEMENT (GST_OBJECT_PARENT (next)), GST_PAD_NAME (next),
        GST_PAD_LINK_CHECK_NOTHING);
    gst_element_link_pads_full (GST_ELEMENT (GST_OBJECT_PARENT (src)),
        GST_PAD_NAME (src), element, "sink", GST_PAD_LINK_CHECK_NOTHING);
    member_add (self->chain, &self->dice, element);
    gst_element_sync_state_with_parent (element);
  }
  gst_clear_object (&next);
  gst_clear_object (&out);
}

/* The element is replaced at once, or before the next frame.  An idle probe is
 * also called when a sticky event has passed, which the new element would never
 * get: push_sticky () of GstPad (1.22 to 1.26) takes the event for received. */
static GstPadProbeReturn
take_resting_pad (GstPad *src, GstPadProbeInfo *info, gpointer data)
{
  Relinking *self = data;
  GstPad *sink;
  GstElement *old;

  if ((info->type & GST_PAD_PROBE_TYPE_IDLE) && g_thread_self () != self->by)
    return GST_PAD_PROBE_PASS;
  sink = gst_pad_get_peer (src);
  old = sink ? gst_pad_get_parent_element (sink) : NULL;
  if (!g_atomic_int_get (&self->chain->over) && old && member_of (old) &&
      old->numsinkpads == 1)
    replace_element (self, src, sink, old);
  gst_clear_object (&old);
  gst_clear_object (&sink);
  return GST_PAD_PROBE_REMOVE;
}

static void
free_relinking (gpointer data)
{
  Relinking *self = data;

  g_atomic_int_set (&self->chain->relinks, FALSE);
  chain_unref (self->chain);
  g_free (self);
}

void
relink_behind (Chain *chain, GstPad *src)
{
  Relinking *self;

  if (!g_atomic_int_compare_and_exchange (&chain->relinks, FALSE, TRUE))
    return;
  self = g_new0 (Relinking, 1);
  self->chain = chain_ref (chain);
  self->dice.seed = roll (&chain->dice);
  self->by = g_thread_self ();
  gst_pad_add_probe (src,
      GST_PAD_PROBE_TYPE_IDLE | GST_PAD_PROBE_TYPE_BLOCK |
          GST_PAD_PROBE_TYPE_BUFFER,
      take_resting_pad, self, free_relinking);
}
