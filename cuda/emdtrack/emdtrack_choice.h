/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The choice between the two ways to the values of a frame, on a GPU and where
 * no closed form fits.  Host code.
 *
 * Looking up finds the values of histograms that earlier frames had, and solves
 * the rest by the paper's simplex.  It is the faster way if the rest is small.
 * Trees are faster if the rest is large; the first frame by trees takes as long
 * as the simplex for `first` problems, and a further frame as long as a look-up
 * with `next` problems.
 *
 * A look-up gives up if its rest exceeds `first`: the frame is then solved by
 * trees, and its values are kept.  If the rests of a series of frames exceed
 * `next` by more than `first` together, the next frames are solved by trees.
 * Meanwhile a sample of the histograms tells how many a look-up would not have
 * found.  Few in some frames one after the other, as in a video that is
 * repeated, lead back to look-ups. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Frames in which few histograms are new, before look-ups are tried again: at
 * first, and at most. */
#define EMDTRACK_HOPE 3
#define EMDTRACK_MOST_HOPE 48
/* Frames in which look-ups that give up are borne, since each one keeps the
 * values of a frame that may be repeated. */
#define EMDTRACK_TRIES 8

/* All zeros before the first frame. */
typedef struct {
  bool by_trees; /* the next frame; else it is looked up */
  bool began;    /* a frame has been looked up */
  uint32_t loss; /* problems beyond `next` of the last frames */
  int hopeful;   /* frames in a row with few new histograms */
  int wanted;    /* beyond EMDTRACK_HOPE: hopeful frames before a look-up */
  int tries;     /* frames in which a look-up may give up */
} EmdtrackChoice;

/* Numbers of problems.  Measured on an H200, with shares of a frame of 1280 x
 * 720. */
typedef struct {
  uint32_t first, next;
} EmdtrackChoiceLimits;

static inline EmdtrackChoiceLimits
emdtrack_choice_limits (int bins, uint32_t pixels)
{
  uint32_t first = bins <= 8 ? 300 : bins <= 11 ? 165 : 31; /* thousandths */
  uint32_t next = bins <= 8 ? 30 : bins <= 11 ? 15 : 10;

  return (EmdtrackChoiceLimits){(uint32_t) ((uint64_t) pixels * first / 1000),
      (uint32_t) ((uint64_t) pixels * next / 1000)};
}

static inline void
emdtrack_choose_trees (EmdtrackChoice *c)
{
  c->by_trees = true;
  c->loss = 0;
  c->hopeful = c->tries = 0;
}

/* A look-up has given up. */
static inline void
emdtrack_choice_gave_up (EmdtrackChoice *c)
{
  c->began = true;
  if (c->tries-- > 0)
    return;
  c->wanted = 2 * (c->wanted + EMDTRACK_HOPE) - EMDTRACK_HOPE;
  if (c->wanted > EMDTRACK_MOST_HOPE - EMDTRACK_HOPE)
    c->wanted = EMDTRACK_MOST_HOPE - EMDTRACK_HOPE;
  emdtrack_choose_trees (c);
}

/* A look-up has solved @unsolved problems. */
static inline void
emdtrack_choice_looked_up (
    EmdtrackChoice *c, EmdtrackChoiceLimits most, uint32_t unsolved)
{
  bool few = unsolved <= most.next;

  c->tries -= c->tries > 0;
  c->wanted -= few && c->wanted > 0;
  if (few)
    c->loss -= c->loss < most.next ? c->loss : most.next;
  else if (c->began)
    c->loss += unsolved - most.next;
  c->began = true;
  if (c->loss > most.first)
    emdtrack_choose_trees (c);
}

/* A frame has been solved by trees, and a look-up would have had to solve about
 * @unsolved problems. */
static inline void
emdtrack_choice_solved_by_trees (
    EmdtrackChoice *c, EmdtrackChoiceLimits most, uint32_t unsolved)
{
  c->hopeful = unsolved <= most.next ? c->hopeful + 1 : 0;
  if (c->hopeful < EMDTRACK_HOPE + c->wanted)
    return;
  c->by_trees = false;
  c->tries = EMDTRACK_TRIES;
}
