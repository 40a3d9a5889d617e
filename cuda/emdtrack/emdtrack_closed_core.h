/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Closed forms of the distance. */
#pragma once

#include "emdtrack/emdtrack_core.h"

/* The mass that crosses an edge is the surplus of one of its sides, whatever
 * the plan.  Line: sum of g |F|.  Circle: the same with F less a median of F.
 * Tree: sum of w |F| over all edges, F being the surplus of the bins behind an
 * edge. */
typedef struct {
  EmdtrackForm form;
  int n, n_edges;
  uint8_t order[EMDTRACK_BINS];   /* line and circle: bins from end to end */
  uint8_t gap[EMDTRACK_BINS];     /* the distance to the next bin in order */
  uint16_t twice[EMDTRACK_EDGES]; /* tree: an edge's length, doubled */
  EmdtrackArcs behind[EMDTRACK_BINS]; /* of a bin: 255 for each edge that the
                                         bin is behind */
} EmdtrackClosed;

BOTH int
emdtrack_abs (int v)
{
  return v < 0 ? -v : v;
}

BOTH uint32_t
emdtrack_line (const EmdtrackClosed *c, const uint8_t *s, const uint16_t *d)
{
  int f = 0;
  uint32_t z = 0;

  UNROLLED
  for (int k = 0; k < EMDTRACK_BINS - 1 && k + 1 < c->n; k++) {
    f += s[c->order[k]] - d[c->order[k]];
    z += (uint32_t) (c->gap[k] * emdtrack_abs (f));
  }
  return z;
}

/* The distance on a circle.  The minimum over all circulations has a gap
 * without flow.  Bins are in order. */
BOTH uint32_t
emdtrack_circle (const EmdtrackClosed *c, const uint8_t *s, const uint16_t *d)
{
  int f[EMDTRACK_BINS], z[EMDTRACK_BINS], sum = 0, min = INT32_MAX;

  UNROLLED
  for (int i = 0; i < EMDTRACK_BINS && i < c->n; i++) {
    f[i] = sum += s[i] - d[i];
    z[i] = 0;
    UNROLLED
    for (int k = 0; k < i; k++) {
      int apart = emdtrack_abs (f[i] - f[k]);

      z[i] += c->gap[k] * apart;
      z[k] += c->gap[i] * apart;
    }
  }
  UNROLLED
  for (int i = 0; i < EMDTRACK_BINS && i < c->n; i++)
    min = z[i] < min ? z[i] : min;
  return (uint32_t) min;
}

/* The distance on a tree.  Four edges are processed in a word, since no byte
 * exceeds 255. */
BOTH uint32_t
emdtrack_tree_form (
    const EmdtrackClosed *c, const uint8_t *s, const uint16_t *d)
{
  EmdtrackArcs has = {{0}}, wants = {{0}};
  uint32_t z = 0;

  UNROLLED
  for (int i = 0; i < EMDTRACK_BINS && i < c->n; i++) {
    uint32_t has_all = s[i] * 0x01010101u, wants_all = d[i] * 0x01010101u;

    UNROLLED
    for (int w = 0; w < EMDTRACK_ARC_WORDS && 4 * w < c->n_edges; w++) {
      has.word[w] += c->behind[i].word[w] & has_all;
      wants.word[w] += c->behind[i].word[w] & wants_all;
    }
  }
  UNROLLED
  for (int e = 0; e < EMDTRACK_EDGES && e < c->n_edges; e++)
    z += c->twice[e] *
        (uint32_t) emdtrack_abs (
            emdtrack_arc_byte (&has, e) - emdtrack_arc_byte (&wants, e));
  return z / 2;
}

BOTH uint32_t
emdtrack_closed (const EmdtrackClosed *c, const uint8_t *s, const uint16_t *d)
{
  return c->form == EMDTRACK_FORM_LINE  ? emdtrack_line (c, s, d)
      : c->form == EMDTRACK_FORM_CIRCLE ? emdtrack_circle (c, s, d)
                                        : emdtrack_tree_form (c, s, d);
}
