/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One round: a pipeline is made, played while the dice meddle, stopped, played
 * once more and freed. */
#include "chains.h"

#include <stdio.h>

#include "common/random.h"

static Chain *playing; /* the guard reads it when nothing moves */

static void
forget_element (gpointer chain, GObject *element)
{
  (void) element;
  g_atomic_int_add (&((Chain *) chain)->elements, -1);
  chain_unref (chain);
}

void
chain_take_element (Chain *chain, GstElement *element)
{
  g_object_weak_ref (G_OBJECT (element), forget_element, chain_ref (chain));
  g_atomic_int_inc (&chain->elements);
}

static void
prepare_element (Chain *chain, GstElement *element)
{
  chain_take_element (chain, element);
  if (!member_is_ours (element)) {
    frames_meddle (chain, &chain->dice, element, 8);
    return;
  }
  member_add (chain, &chain->dice, element);
  if (one_in (&chain->dice, 3))
    properties_begin (&member_of (element)->round, &chain->dice);
}

static gboolean
make_elements (Chain *chain)
{
  GError *error = NULL;
  GList *all;

  chain->pipeline = gst_parse_launch (chain->line, &error);
  if (error) {
    stress_find (NULL, "%s", error->message);
    g_clear_error (&error);
    gst_clear_object (&chain->pipeline);
    return FALSE;
  }
  chain->members = g_ptr_array_new_with_free_func (gst_object_unref);
  all = g_list_copy (GST_BIN_CHILDREN (chain->pipeline));
  for (GList *l = all; l; l = l->next)
    prepare_element (chain, l->data);
  g_list_free (all);
  bus_watch (chain);
  return TRUE;
}

/* Elements that a thread has just left are freed in a moment. */
static void
free_pipeline (Chain *chain)
{
  chain->doing = "stop";
  gst_element_set_state (chain->pipeline, GST_STATE_NULL);
  gst_bus_set_sync_handler (chain->bus, NULL, NULL, NULL);
  gst_clear_object (&chain->bus);
  g_clear_pointer (&chain->members, g_ptr_array_unref);
  gst_clear_buffer (&chain->kept);
  gst_clear_object (&chain->pipeline);
  chain->doing = "wait for the last references";
  for (guint i = 0; i < 2000 && g_atomic_int_get (&chain->elements); i++)
    g_usleep (1000);
  if (g_atomic_int_get (&chain->elements))
    stress_find (NULL, "%d elements outlive their pipeline",
        g_atomic_int_get (&chain->elements));
}

static void
meddle_with_chain (Chain *chain)
{
  for (guint i = 2 + below (&chain->dice, 8); i > 0; i--) {
    g_atomic_int_inc (&stress_progress);
    g_usleep (below (&chain->dice, 4000));
    act_once (chain);
  }
}

static void
empty_bus (Chain *chain)
{
  gst_bus_set_flushing (chain->bus, TRUE);
  gst_bus_set_flushing (chain->bus, FALSE);
}

/* What happened before must not keep the pipeline from its end. */
static End
play_undisturbed (Chain *chain, guint64 *frames)
{
  g_atomic_int_set (&chain->over, TRUE);
  chain->doing = "stop before the undisturbed end";
  gst_element_set_state (chain->pipeline,
      one_in (&chain->dice, 2) ? GST_STATE_READY : GST_STATE_NULL);
  empty_bus (chain);
  g_atomic_int_set (&chain->errors, 0);
  member_count_from_now (chain);
  g_atomic_int_inc (&stress_progress);
  chain->doing = "undisturbed end";
  gst_element_set_state (chain->pipeline, GST_STATE_PLAYING);
  if (!bus_wait_for_end (chain, stress_patience / 2)) {
    stress_find (NULL, "left alone, it gives neither an end nor an error");
    return END_NONE;
  }
  if (g_atomic_int_get (&chain->errors))
    return END_ERROR;
  *frames += member_judge (chain);
  return END_GOOD;
}

static Chain *
make_chain (Play play, guint number)
{
  gchar *(*const lines[]) (Dice *) = {
      line_of_chain, line_of_pair, line_of_stop};
  Chain *chain = g_atomic_rc_box_new0 (Chain);

  chain->play = play;
  chain->doing = "make";
  chain->seed = random_u64 (stress_seed, number);
  chain->dice.seed = random_u64 (chain->seed, 0);
  chain->line = lines[play](&chain->dice);
  g_mutex_init (&chain->lock);
  g_cond_init (&chain->returned);
  return chain;
}

static void
clear_chain (gpointer data)
{
  Chain *chain = data;

  g_cond_clear (&chain->returned);
  g_mutex_clear (&chain->lock);
  g_free (chain->line);
}

Chain *
chain_ref (Chain *chain)
{
  return g_atomic_rc_box_acquire (chain);
}

void
chain_unref (gpointer chain)
{
  g_atomic_rc_box_release_full (chain, clear_chain);
}

End
chain_play (Play play, guint number, guint64 *frames)
{
  Chain *chain = make_chain (play, number);
  End end = END_NONE;

  playing = chain;
  log_know (NULL);
  stress_repeat ("        again: --seed %" G_GUINT64_FORMAT " --round %u\n"
                 "        %s\n",
      stress_seed, number, chain->line);
  if (stress_is_loud)
    printf ("%s\n", chain->line);
  if (make_elements (chain)) {
    chain->doing = "play";
    gst_element_set_state (chain->pipeline, GST_STATE_PLAYING);
    if (play == PLAY_PAIR)
      pair_play (chain);
    else if (play == PLAY_STOP)
      stop_play (chain);
    else
      meddle_with_chain (chain);
    end = play_undisturbed (chain, frames);
    free_pipeline (chain);
  }
  playing = NULL;
  chain_unref (chain);
  return end;
}

void
chain_start_alone (void)
{
  log_know ("Sticky event misordering");
}

void
chain_link_alone (void)
{
  log_know ("loop detected in the graph of bin");
}

void
chain_tell (void)
{
  printf (
      "%s, %s;", playing ? playing->doing : "-", playing ? playing->line : "-");
}
