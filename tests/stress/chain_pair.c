/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An element of two inputs, whose sources end at different moments, and begin
 * anew by a seek or by a start, both or one alone, as a player of two files has
 * it. */
#include "chains.h"

#include <string.h>

/* After the end an input that begins anew alone waits five seconds for the
 * other one, and its query as long before it. */
#define BOUND 20
#define FRAME (GST_SECOND / 100) /* as chain_line.c has it */

typedef struct {
  Chain *chain;
  GstElement *source[2];
  GstPad *before[2]; /* pads that are linked to the element */
} Pair;

static GstPadProbeReturn
count_end (GstPad *pad, GstPadProbeInfo *info, gpointer ends)
{
  (void) pad;
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_atomic_int_inc ((gint *) ends);
  return GST_PAD_PROBE_OK;
}

static void
find_pair (Pair *self, Chain *chain)
{
  static const gchar *const names[][2] = {
      {"left", "right"}, {"color", "depth"}};
  GstElement *element = gst_bin_get_by_name (GST_BIN (chain->pipeline), "p");
  const gchar *const *name = names[strstr (chain->line, "pocstereo") == NULL];

  self->chain = chain;
  for (guint i = 0; i < 2; i++) {
    gchar *text = g_strdup_printf ("sink_%s", name[i]);
    GstPad *sink = gst_element_get_static_pad (element, text);

    self->source[i] = gst_bin_get_by_name (GST_BIN (chain->pipeline), name[i]);
    self->before[i] = gst_pad_get_peer (sink);
    gst_pad_add_probe (self->before[i], GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
        count_end, &chain->ends[i], NULL);
    gst_object_unref (sink);
    g_free (text);
  }
  gst_object_unref (element);
}

/* To another number of frames: a source that has sent all its num-buffers has
 * none after a seek. */
static void
begin_by_seek (Pair *self, guint i)
{
  gst_element_seek (self->source[i], 1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
      GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
      below (&self->chain->dice, 12) * FRAME);
}

/* A new stream without a flush. */
static void
begin_by_start (Pair *self, guint i)
{
  gst_element_set_locked_state (self->source[i], TRUE);
  gst_element_set_state (self->source[i], GST_STATE_READY);
  gst_element_set_locked_state (self->source[i], FALSE);
  gst_element_sync_state_with_parent (self->source[i]);
}

static void
begin_input (Pair *self, guint i)
{
  self->chain->doing = i ? "second begins anew" : "first begins anew";
  if (one_in (&self->chain->dice, 3))
    begin_by_start (self, i);
  else
    begin_by_seek (self, i);
}

/* In either order, with a pause in between. */
static void
begin_both (Pair *self)
{
  guint first = below (&self->chain->dice, 2);

  begin_input (self, first);
  if (one_in (&self->chain->dice, 2))
    g_usleep (below (&self->chain->dice, 20000));
  begin_input (self, !first);
}

static void
end_one (Pair *self)
{
  GstElement *source = self->source[below (&self->chain->dice, 2)];

  self->chain->doing = "end of one";
  if (GST_STATE (source) > GST_STATE_READY)
    gst_element_send_event (source, gst_event_new_eos ());
}

/* The second one's thread must not wait for ever. */
static void
begin_one_and_wait (Pair *self)
{
  guint i = below (&self->chain->dice, 2);
  gint until = g_atomic_int_get (&stress_idle) + BOUND;
  gint before = g_atomic_int_get (&self->chain->ends[i]);

  begin_by_seek (self, i);
  self->chain->doing = "wait for the one that began anew";
  while (g_atomic_int_get (&self->chain->ends[i]) == before &&
      !g_atomic_int_get (&self->chain->errors)) {
    if (g_atomic_int_get (&stress_idle) > until) {
      stress_find (NULL,
          "after the end the input %s began anew alone, and is not at its end "
          "after %d seconds in which all threads waited",
          GST_OBJECT_NAME (self->source[i]), BOUND);
      return;
    }
    g_usleep (1000);
  }
}

static void
act_on_pair (Pair *self)
{
  switch (below (&self->chain->dice, 6)) {
    case 0:
    case 1:
      begin_input (self, below (&self->chain->dice, 2));
      break;
    case 2:
    case 3:
      begin_both (self);
      break;
    case 4:
      end_one (self);
      break;
    default:
      act_once (self->chain);
  }
}

void
pair_play (Chain *chain)
{
  Pair self = {0};
  Dice *dice = &chain->dice;
  gboolean ended = FALSE;

  find_pair (&self, chain);
  if (one_in (dice, 2))
    begin_both (&self);
  if (!one_in (dice, 3)) {
    chain->doing = "first end";
    ended = bus_wait_for_end (chain, 1 + (gint) below (dice, 2));
  }
  if (ended && one_in (dice, 20))
    begin_one_and_wait (&self);
  else
    for (guint i = 1 + below (dice, 5); i > 0; i--) {
      g_atomic_int_inc (&stress_progress);
      act_on_pair (&self);
      g_usleep (below (dice, 4000));
    }
  for (guint i = 0; i < 2; i++) {
    gst_object_unref (self.source[i]);
    gst_object_unref (self.before[i]);
  }
}
