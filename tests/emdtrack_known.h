/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Answers of emdtrack that are worked out by hand. */
#pragma once

#include "emdtrack_find.h"

/* The distance of one histogram, made of one grey value a window of one pixel,
 * from @target. */
static inline int
value_of (DeviceKind kind, EmdtrackParams *p, int bin)
{
  Frame f = frame_new (IMAGE_GRAY8, 1, 1, 0, 1);
  int value;
  Found found;

  f.image.plane[0][0] = (uint8_t) (bin * 256 / p->bins + 1);
  p->window = 1;
  found = find (kind, p, &plain_frame, &f);
  value = found.map[0][0];
  found_free (&found);
  frame_free (&f);
  return value;
}

/* One unit of mass travels from bin to bin: the ground distance itself. */
static inline void
test_one_bin (DeviceKind kind)
{
  for (int solver = EMDTRACK_AUTO; solver <= EMDTRACK_PAPER; solver++)
    for (int from = 0; from < 8; from++)
      for (int to = 0; to < 8; to++) {
        EmdtrackParams p = intensity_defaults ();
        int way = abs (from - to);

        p.bins = 8;
        p.solver = (EmdtrackSolver) solver;
        p.n_targets = 1;
        p.targets[0].weight[to] = 3;
        check (value_of (kind, &p, from) == way);
        p.saturation = 2;
        check (value_of (kind, &p, from) == (way < 2 ? way : 2));
        p.saturation = 0;
        p.distance = EMDTRACK_CIRCLE;
        check (value_of (kind, &p, from) == (way < 4 ? way : 8 - way));
      }
}

/* Two grey values, half the window each, at a straight edge: pixel x of the row
 * has 11 (6 + x - 10) light ones, and each goes 5 bins to the dark target. */
static inline void
test_edge (DeviceKind kind)
{
  Frame f = frame_new (IMAGE_GRAY8, 20, 13, 3, 1);
  EmdtrackParams p = intensity_defaults ();
  Found found;

  for (int y = 0; y < 13; y++)
    for (int x = 0; x < 20; x++)
      f.image.plane[0][y * f.image.stride[0] + x] = x < 10 ? 0 : 130;
  p.n_targets = 1;
  p.targets[0].weight[0] = 1;
  for (int solver = EMDTRACK_AUTO; solver <= EMDTRACK_PAPER; solver++) {
    p.solver = (EmdtrackSolver) solver;
    found = find (kind, &p, &plain_frame, &f);
    check (found.results.mass == 121 && found.results.scale == 1);
    for (int y = 0; y < 13; y++)
      for (int x = 0; x < 20; x++) {
        int light = x - 4 < 0 ? 0 : x - 4 > 11 ? 11 : x - 4;

        check (found.map[0][y * 20 + x] == 11 * light * 5);
      }
    found_free (&found);
  }
  frame_free (&f);
}

/* Largest remainder: 10 to 1 : 1 : 1 is 4, 3, 3; ties go to the first. */
static inline void
test_quantise (DeviceKind kind)
{
  double thirds[3] = {1, 1, 1}, mixed[4] = {.5, 0, 2.75, 6.75};
  int out[4];

  (void) kind;
  emdtrack_quantise (thirds, 3, 10, out);
  check (out[0] == 4 && out[1] == 3 && out[2] == 3);
  emdtrack_quantise (mixed, 4, 10, out);
  check (out[0] == 0 && out[1] == 0 && out[2] == 3 && out[3] == 7);
  for (int k = 0; k < 1000; k++) {
    int n = 2 + (int) rnd (15), mass = 1 + (int) rnd (255), sum = 0;
    EmdtrackTarget t = random_target (n);
    int d[EMDTRACK_BINS];
    double all = 0;

    for (int i = 0; i < n; i++)
      all += t.weight[i];
    emdtrack_quantise (t.weight, n, mass, d);
    for (int i = 0; i < n; i++) {
      sum += d[i];
      check_near (d[i], t.weight[i] / all * mass, 1);
      check (t.weight[i] > 0 || !d[i]);
    }
    check (sum == mass);
  }
}

static inline EmdtrackForm
form_of (const EmdtrackParams *p)
{
  Frame f = random_grey (9, 7);
  EmdtrackParams with = *p;
  Found found, slow;
  EmdtrackForm form;

  with.n_targets = 2;
  with.targets[0] = random_target (p->bins);
  with.targets[1] = random_target (p->bins);
  found = find (DEVICE_CPU, &with, &plain_frame, &f);
  form = found.results.form;
  check ((found.results.counts.closed > 0) == (form != EMDTRACK_FORM_ANY));
  with.solver = EMDTRACK_REUSE;
  slow = find (DEVICE_CPU, &with, &plain_frame, &f);
  check (slow.results.counts.closed == 0);
  check (same_maps (&found, &slow));
  found_free (&found);
  found_free (&slow);
  frame_free (&f);
  return form;
}

/* The path lengths of a random tree, whose bins are some of its nodes. */
static inline void
tree_matrix (EmdtrackParams *p, int nodes)
{
  int way[32][32] = {{0}}, at[EMDTRACK_BINS];

  for (int a = 1; a < nodes; a++) {
    int parent = (int) rnd (a), length = 1 + (int) rnd (7);

    for (int b = 0; b < a; b++)
      way[a][b] = way[b][a] = way[parent][b] + length;
  }
  for (int i = 0; i < p->bins; i++)
    at[i] = nodes - 1 - i;
  p->distance = EMDTRACK_MATRIX;
  for (int i = 0; i < p->bins; i++)
    for (int j = 0; j < p->bins; j++)
      p->matrix[i][j] = way[at[i]][at[j]];
}

static inline void
test_forms (DeviceKind kind)
{
  EmdtrackParams p = intensity_defaults ();

  (void) kind;
  check (form_of (&p) == EMDTRACK_FORM_LINE);
  p.saturation = 3;
  check (form_of (&p) == EMDTRACK_FORM_ANY);
  p.saturation = 1; /* all bins are equally far: a star */
  check (form_of (&p) == EMDTRACK_FORM_TREE);
  p.saturation = 0;
  p.distance = EMDTRACK_CIRCLE;
  check (form_of (&p) == EMDTRACK_FORM_CIRCLE);
  for (int i = 0; i < p.bins; i++)
    p.positions[i] = 400 + 9 * i * i;
  p.circumference = 1000;
  check (form_of (&p) == EMDTRACK_FORM_CIRCLE);
  p.distance = EMDTRACK_LINE;
  check (form_of (&p) == EMDTRACK_FORM_LINE);
  for (int k = 0; k < 200; k++) {
    EmdtrackForm form;

    p = intensity_defaults ();
    p.bins = 4 + (int) rnd (13);
    tree_matrix (&p, p.bins + (int) rnd (12));
    form = form_of (&p);
    check (form == EMDTRACK_FORM_TREE || form == EMDTRACK_FORM_LINE);
    p.matrix[1][2] = p.matrix[2][1] = p.matrix[1][2] + 1;
    form_of (&p); /* whatever it is now, values agree */
  }
}
