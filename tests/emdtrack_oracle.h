/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The earth mover's distance by successive shortest paths (Bellman-Ford on the
 * residual graph), and histograms by counting every window: slow, and written
 * apart from emdtrack's. */
#pragma once

#include "check.h"
#include "emdtrack/emdtrack.h"

/* With histograms that need no codebook. */
static inline EmdtrackParams
intensity_defaults (void)
{
  EmdtrackParams p = emdtrack_defaults ();

  p.histogram = EMDTRACK_INTENSITY;
  return p;
}

#define ORACLE_FAR (1 << 28)

typedef struct {
  int n;
  int supply[EMDTRACK_BINS], demand[EMDTRACK_BINS];
  int flow[EMDTRACK_BINS][EMDTRACK_BINS];
  int cost[EMDTRACK_BINS][EMDTRACK_BINS];
  int from_far[EMDTRACK_BINS], to_far[EMDTRACK_BINS]; /* path lengths */
  int from_by[EMDTRACK_BINS], to_by[EMDTRACK_BINS]; /* where paths come from */
} Oracle;

static inline void
oracle_paths (Oracle *o)
{
  bool shorter = true;

  for (int i = 0; i < o->n; i++) {
    o->from_far[i] = o->supply[i] ? 0 : ORACLE_FAR;
    o->from_by[i] = -1;
    o->to_far[i] = ORACLE_FAR;
  }
  while (shorter) {
    shorter = false;
    for (int i = 0; i < o->n; i++)
      for (int j = 0; j < o->n; j++) {
        if (o->from_far[i] + o->cost[i][j] < o->to_far[j]) {
          o->to_far[j] = o->from_far[i] + o->cost[i][j];
          o->to_by[j] = i;
          shorter = true;
        }
        if (o->flow[i][j] && o->to_far[j] - o->cost[i][j] < o->from_far[i]) {
          o->from_far[i] = o->to_far[j] - o->cost[i][j];
          o->from_by[i] = j;
          shorter = true;
        }
      }
  }
}

/* Sends what fits to the nearest sink that wants some; returns how much. */
static inline int
oracle_send (Oracle *o)
{
  int end = -1, most;

  for (int k = 0; k < o->n; k++)
    if (o->demand[k] && (end < 0 || o->to_far[k] < o->to_far[end]))
      end = k;
  most = o->demand[end];
  for (int pass = 0; pass < 2; pass++) { /* how much fits; then it is sent */
    int j = end, i;

    for (;;) {
      i = o->to_by[j];
      if (pass)
        o->flow[i][j] += most;
      if (o->from_by[i] < 0)
        break;
      j = o->from_by[i];
      if (pass)
        o->flow[i][j] -= most;
      else if (o->flow[i][j] < most)
        most = o->flow[i][j];
    }
    most = o->supply[i] < most ? o->supply[i] : most;
    if (pass)
      o->supply[i] -= most;
  }
  o->demand[end] -= most;
  return most;
}

static inline int
oracle_emd (int n, const uint8_t *s, const int *d,
    uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS])
{
  Oracle o = {.n = n};
  int left = 0, z = 0;

  for (int i = 0; i < n; i++) {
    o.supply[i] = s[i];
    o.demand[i] = d[i];
    left += s[i];
    for (int j = 0; j < n; j++)
      o.cost[i][j] = distance[i][j];
  }
  while (left > 0) {
    oracle_paths (&o);
    left -= oracle_send (&o);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      z += o.flow[i][j] * o.cost[i][j];
  return z;
}

/* Of grey bytes, @bins equal bins of 0 to 255. */
static inline void
oracle_histogram (const Image *img, int x, int y, int window, int bins,
    uint8_t out[EMDTRACK_BINS])
{
  memset (out, 0, EMDTRACK_BINS);
  for (int v = y - window / 2; v <= y + window / 2; v++)
    for (int u = x - window / 2; u <= x + window / 2; u++) {
      int a = u < 0 ? 0 : u >= img->width ? img->width - 1 : u;
      int b = v < 0 ? 0 : v >= img->height ? img->height - 1 : v;

      out[img->plane[0][(size_t) b * img->stride[0] + a] * bins / 256]++;
    }
}
