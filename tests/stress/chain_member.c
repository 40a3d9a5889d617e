/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The elements of this plug-in in a chain, and how many frames went into each
 * of them and came out. */
#include "chains.h"

#include <string.h>

gboolean
member_is_ours (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const gchar *plugin = factory
      ? gst_plugin_feature_get_plugin_name (GST_PLUGIN_FEATURE (factory))
      : NULL;

  return g_strcmp0 (plugin, "vision") == 0;
}

Member *
member_of (GstElement *element)
{
  return g_object_get_data (G_OBJECT (element), "member");
}

static GstPadProbeReturn
member_count_frame (GstPad *pad, GstPadProbeInfo *info, gpointer member)
{
  (void) info;
  g_atomic_int_inc (GST_PAD_IS_SINK (pad) ? &((Member *) member)->in
                                          : &((Member *) member)->out);
  return GST_PAD_PROBE_OK;
}

static gboolean
count_at (GstElement *element, GstPad *pad, gpointer member)
{
  (void) element;
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_BUFFER, member_count_frame, member, NULL);
  return TRUE;
}

/* Frames that are lost before an element do not come to it. */
void
member_add (Chain *chain, Dice *dice, GstElement *element)
{
  Member *self = g_new0 (Member, 1);

  self->chain = chain;
  self->kind.name =
      gst_plugin_feature_get_name (gst_element_get_factory (element));
  self->kind.has_stats = g_object_class_find_property (
                             G_OBJECT_GET_CLASS (element), "stats") != NULL;
  self->round.kind = &self->kind;
  self->round.element = element;
  g_object_set_data_full (G_OBJECT (element), "member", self, g_free);
  frames_meddle (chain, dice, element, 2);
  gst_element_foreach_pad (element, count_at, self);
  g_mutex_lock (&chain->lock);
  g_ptr_array_add (chain->members, gst_object_ref (element));
  g_mutex_unlock (&chain->lock);
}

void
member_remove (Chain *chain, GstElement *element)
{
  g_mutex_lock (&chain->lock);
  g_ptr_array_remove (chain->members, element);
  g_mutex_unlock (&chain->lock);
}

GstElement *
member_any (Chain *chain, Dice *dice)
{
  GstElement *element = NULL;

  g_mutex_lock (&chain->lock);
  if (chain->members->len)
    element = gst_object_ref (
        chain->members->pdata[below (dice, chain->members->len)]);
  g_mutex_unlock (&chain->lock);
  return element;
}

void
member_count_from_now (Chain *chain)
{
  g_mutex_lock (&chain->lock);
  for (guint i = 0; i < chain->members->len; i++) {
    Member *m = member_of (chain->members->pdata[i]);

    g_atomic_int_set (&m->in, 0);
    g_atomic_int_set (&m->out, 0);
    g_atomic_int_set (&m->dropped, 0);
  }
  g_mutex_unlock (&chain->lock);
}

/* What stats count; FALSE: the element has none. */
static gboolean
member_stats (const Member *self, guint64 *frames, guint64 *dropped)
{
  GstStructure *stats;

  *frames = *dropped = 0;
  if (!self->kind.has_stats)
    return FALSE;
  g_object_get (self->round.element, "stats", &stats, NULL);
  gst_structure_get (stats, "frames", G_TYPE_UINT64, frames, "dropped",
      G_TYPE_UINT64, dropped, NULL);
  gst_structure_free (stats);
  return TRUE;
}

/* Each frame that went in came out or is counted, but for one an input, which
 * is refused where the other input has ended. */
static guint64
judge_member (const Member *self)
{
  guint64 in = (guint64) g_atomic_int_get (&self->in);
  guint64 out = (guint64) g_atomic_int_get (&self->out);
  guint64 inputs = self->round.element->numsinkpads;
  guint64 frames, dropped, known;

  if (!inputs)
    return 0;
  if (!member_stats (self, &frames, &dropped)) {
    frames = out;
    dropped = (guint64) g_atomic_int_get (&self->dropped);
  }
  known = frames * inputs + dropped;
  if (known > in || known + (inputs > 1 ? inputs : 0) < in)
    stress_find (&self->round,
        "of %" G_GUINT64_FORMAT " frames %" G_GUINT64_FORMAT
        " are counted and %" G_GUINT64_FORMAT " are counted as dropped",
        in, frames * inputs, dropped);
  if (frames != out)
    stress_find (&self->round,
        "%" G_GUINT64_FORMAT " frames came out of %" G_GUINT64_FORMAT
        " that stats counts",
        out, frames);
  return in;
}

guint64
member_judge (Chain *chain)
{
  guint64 in = 0;

  g_mutex_lock (&chain->lock);
  for (guint i = 0; i < chain->members->len; i++)
    in += judge_member (member_of (chain->members->pdata[i]));
  g_mutex_unlock (&chain->lock);
  return in;
}
