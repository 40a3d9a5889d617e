/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A thread beside those that bring frames, as an application is. */
#include "stress.h"

static void
change_state (Round *round, Dice *dice)
{
  if (one_in (dice, 3)) {
    gst_element_set_state (round->element, GST_STATE_PAUSED);
    gst_element_set_state (round->element, GST_STATE_PLAYING);
  } else
    play_restart (round);
}

static void
meddle_once (Round *round, Dice *dice)
{
  switch (below (dice, 24)) {
    case 0:
      if (one_in (dice, 4))
        change_state (round, dice);
      break;
    case 1:
    case 2:
    case 3:
      events_upstream (round, dice);
      break;
    case 4:
    case 5:
      events_query (round, dice);
      break;
    case 6:
      properties_signal (round, dice);
      break;
    case 7:
      if (one_in (dice, 4))
        properties_preset (round, dice);
      break;
    case 8:
    case 9:
    case 10:
    case 11:
    case 12:
      properties_read (round, dice);
      break;
    default:
      properties_set_one (round, dice);
  }
}

static gpointer
meddle (gpointer data)
{
  Round *round = data;
  Dice dice = {round->seed ^ 0x6d6564646c65, 0};

  log_set_round (round);
  while (!g_atomic_int_get (&round->over)) {
    meddle_once (round, &dice);
    g_usleep (below (&dice, 3000));
  }
  return NULL;
}

GThread *
meddle_begin (Round *round)
{
  return g_thread_new ("meddle", meddle, round);
}
