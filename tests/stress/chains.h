/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the parts of the program of chains share.
 *
 * A round plays one pipeline of several elements.  Its dice say which elements
 * these are, what the application does meanwhile, and what happens to frames
 * between two elements.  At the end the pipeline is stopped, and is played once
 * more, to its end and undisturbed. */
#pragma once

#include "stress.h"

typedef enum {
  PLAY_CHAIN, /* elements in a row, with tees and queues */
  PLAY_PAIR,  /* an element of two inputs, whose sources end and begin apart */
  PLAY_STOP,  /* elements that are stopped from their streaming threads */
  N_PLAYS,
} Play;

typedef struct {
  Play play;
  guint64 seed;
  Dice dice; /* of the application's thread */
  gchar *line;
  GstElement *pipeline;
  GstBus *bus;
  const gchar *doing; /* what the application does, for the guard */

  gint over;     /* atomic: the pipeline is left alone */
  gint relinks;  /* atomic: an element is taken out, one at a time */
  gint errors;   /* atomic: since the last start */
  gint elements; /* atomic: that are not freed */

  GMutex lock;        /* for what follows */
  GPtrArray *members; /* elements of this plug-in in the pipeline */
  GstBuffer *kept;    /* a frame that passed somewhere */

  gint ends[2]; /* atomic: EOS events that came to the inputs of a pair */

  /* chain_stop.c */
  GCond returned;
  gboolean may_stop;
  guint stops, stopping;
} Chain;

/* An element of this plug-in in a chain. */
typedef struct {
  Kind kind;
  Round round; /* for parts of the program that play one element */
  Chain *chain;
  gint in, out, dropped; /* atomic: frames since the last start */
} Member;

/* chain_round.c */
/* A chain lives as long as whatever may still speak of it. */
Chain *chain_ref (Chain *chain);
void chain_unref (gpointer chain);
/* Counts @element until it is freed. */
void chain_take_element (Chain *chain, GstElement *element);
/* How the undisturbed end went. */
typedef enum { END_NONE, END_ERROR, END_GOOD } End;
/* @frames: that came to members in that end. */
End chain_play (Play play, guint number, guint64 *frames);
/* Prints what is played. */
void chain_tell (void);
/* To be called before one element is started while others play: its GstPad
 * (1.22 to 1.26) may get the segment before the caps, and warns of that. */
void chain_start_alone (void);
/* To be called before a link changes while another thread may change the
 * state of all: a GstBin (1.22 to 1.26) that puts its elements in order
 * meanwhile may take them for a loop, and warns of that. */
void chain_link_alone (void);

/* chain_member.c */
gboolean member_is_ours (GstElement *element);
/* Of an element that member_add () has taken. */
Member *member_of (GstElement *element);
void member_add (Chain *chain, Dice *dice, GstElement *element);
void member_remove (Chain *chain, GstElement *element);
/* One of them, to be unreferenced; NULL: there is none. */
GstElement *member_any (Chain *chain, Dice *dice);
/* Counts anew. */
void member_count_from_now (Chain *chain);
/* After an undisturbed end: where the frames are.  How many came in. */
guint64 member_judge (Chain *chain);

/* chain_line.c */
gchar *line_of_chain (Dice *dice);
gchar *line_of_pair (Dice *dice);
gchar *line_of_stop (Dice *dice);

/* chain_frames.c: what happens to frames, and what is done in the thread that
 * brings them. */
/* At one in @one pads of @element. */
void frames_meddle (Chain *chain, Dice *dice, GstElement *element, guint one);

/* chain_bus.c */
void bus_watch (Chain *chain);
/* FALSE: neither the end nor an error came. */
gboolean bus_wait_for_end (Chain *chain, gint seconds);

/* chain_act.c: what an application does. */
void act_once (Chain *chain);

/* chain_relink.c: another element takes the place of the one behind @src. */
void relink_behind (Chain *chain, GstPad *src);

/* chain_pair.c */
void pair_play (Chain *chain);

/* chain_stop.c */
/* Stops the element @of or, of a pad, its element, in the streaming thread. */
void stop_from_within (Chain *chain, gpointer of, Dice *dice);
void stop_play (Chain *chain);
