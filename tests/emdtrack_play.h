/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack over many frames: what earlier ones left changes no value. */
#pragma once

#include "emdtrack_find.h"

typedef struct {
  Device dev;
  Emdtrack *e;
} Player;

static inline void
player_open (Player *p, DeviceKind kind, int width, int height)
{
  ok (device_open (&p->dev, kind, NULL));
  ok (emdtrack_new (&p->e, &p->dev, width, height));
}

static inline void
player_close (Player *p)
{
  emdtrack_free (p->e);
  device_close (&p->dev);
}

/* Squares that go to and fro in front of a pattern, and some noise. */
static inline void
draw_scene (Frame *f, int k)
{
  const Image *img = &f->image;

  for (int y = 0; y < img->height; y++)
    for (int x = 0; x < img->width; x++) {
      int v = 90 + 70 * ((x / 9 + y / 7) % 3 - 1);

      for (int s = 1; s < 5; s++) {
        int u = (x + k * s) % (20 * s), w = (y + k) % (11 * s);

        if (u < 5 * s && w < 3 * s)
          v = 50 * s;
      }
      img->plane[0][(size_t) y * img->stride[0] + x] =
          (uint8_t) (v + (rnd (50) ? 0 : rnd (5)));
    }
}

/* 500 frames, now and then another target or window, equal those of a run that
 * starts each frame afresh. */
static inline void
test_long_run (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();
  Frame f = frame_new (IMAGE_GRAY8, 64, 48, 0, 1);
  EmdtrackCounts sum = {0};
  Player with, without;

  player_open (&with, kind, 64, 48);
  player_open (&without, kind, 64, 48);
  p.bins = 9;
  p.n_targets = 2;
  random_matrix (&p);
  for (int k = 0; k < 500; k++) {
    Found a, b;

    if (k % 100 == 0)
      p.targets[0] = random_target (p.bins);
    if (k % 170 == 0)
      p.targets[1] = random_target (p.bins);
    p.window = k % 250 < 200 ? 11 : 7;
    p.solver = k % 90 < 80 ? EMDTRACK_AUTO : EMDTRACK_PAPER;
    p.n_targets = k % 60 < 50 ? 2 : 1;
    draw_scene (&f, k);
    ok (emdtrack_reset (without.e));
    a = find_next (with.e, &with.dev, &p, &plain_frame, &f);
    b = find_next (without.e, &without.dev, &p, &plain_frame, &f);
    check (same_maps (&a, &b));
    check (b.results.counts.unchanged + b.results.counts.own == 0);
    sum.unchanged += a.results.counts.unchanged;
    sum.own += a.results.counts.own;
    sum.simplex += a.results.counts.simplex;
    if (k % 50 == 7)
      compare_with_oracle (&p, &a, 100);
    found_free (&a);
    found_free (&b);
  }
  check (sum.unchanged > 0 && sum.own > 0);
  check (sum.simplex < 500 * 64 * 48 / 50);
  player_close (&with);
  player_close (&without);
  frame_free (&f);
}

/* Too few trees, and too few cached values: they go, are counted, and no value
 * changes. */
static inline void
test_full (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();
  EmdtrackCounts sum = {0};
  Player player;

  player_open (&player, kind, 80, 60);
  p.bins = 16;
  p.n_targets = 1;
  random_matrix (&p);
  p.targets[0] = random_target (16);
  for (int i = 0; i < 16; i++)
    p.targets[0].weight[i] += 1;
  p.max_trees = 64;
  p.cache_bits = 8;
  for (int k = 0; k < 6; k++) {
    Frame f = random_grey (80, 60);
    Found found;

    p.solver = k < 4 ? EMDTRACK_REUSE : EMDTRACK_PAPER;
    found = find_next (player.e, &player.dev, &p, &plain_frame, &f);
    compare_with_oracle (&p, &found, 300);
    sum.unstored += found.results.counts.unstored;
    sum.evicted += found.results.counts.evicted;
    check (found.results.counts.trees <= 64);
    check (found.results.counts.fallback == 0);
    check (k != 5 || found.results.counts.evicted > 0);
    found_free (&found);
    frame_free (&f);
  }
  check (sum.unstored > 0 && sum.evicted > 0);
  player_close (&player);
}

/* Frames that threads share: whoever stores which tree first, values stay. */
static inline void
test_large (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();
  Frame f = random_grey (421, 303);
  Found first = {0};
  Player player;

  player_open (&player, kind, 421, 303);
  random_matrix (&p);
  p.n_targets = 1;
  p.targets[0] = random_target (p.bins);
  p.targets[0].weight[1] += 1;
  p.targets[0].weight[5] += 1;
  p.solver = EMDTRACK_REUSE;
  for (int k = 0; k < 4; k++) {
    Found found;

    ok (emdtrack_reset (player.e));
    found = find_next (player.e, &player.dev, &p, &plain_frame, &f);
    compare_with_oracle (&p, &found, 200);
    if (k) {
      check (same_maps (&first, &found));
      found_free (&found);
    } else {
      first = found;
    }
  }
  found_free (&first);
  player_close (&player);
  frame_free (&f);
}

/* Counts add up to the pixels, whatever the solver. */
static inline void
test_counts (DeviceKind kind)
{
  for (int round = 0; round < 20; round++) {
    EmdtrackParams p = random_params (2 + (int) rnd (15));
    Frame f = random_grey (41, 33);
    Player player;

    p.solver = (EmdtrackSolver) rnd (3);
    player_open (&player, kind, 41, 33);
    for (int k = 0; k < 2; k++) {
      Found found = find_next (player.e, &player.dev, &p, &plain_frame, &f);
      EmdtrackCounts c = found.results.counts;
      uint64_t all = (uint64_t) p.n_targets * 41 * 33;

      if (p.solver == EMDTRACK_PAPER) {
        check (k ? c.cached == all && !c.distinct : c.distinct > 0);
      } else {
        check (c.unchanged + c.closed + c.own + c.neighbour + c.table +
                c.simplex ==
            all);
        check (!k || c.unchanged == all || c.closed == all);
      }
      check (c.fallback == 0);
      found_free (&found);
    }
    player_close (&player);
    frame_free (&f);
  }
}
