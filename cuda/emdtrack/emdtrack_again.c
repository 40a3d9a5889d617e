/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What was seen in one frame with the target is another thing, and stays so.
 * Of other places one is the target again only if it could have come there and
 * no second one could be it as well. */
#include <math.h>
#include <string.h>

#include "emdtrack/emdtrack_again.h"

/* The ratio to the runner-up above which a match is ambiguous: D. Lowe,
 * "Distinctive image features from scale-invariant keypoints", 2004, 7.1. */
#define CLEAR .8
/* A second place that is this many times farther away is impossible. */
#define CLOSER 2

static bool
overlap (const EmdtrackCandidate *like, const EmdtrackPlace *a,
    const EmdtrackCandidate *b)
{
  return fabs (a->cx - b->cx) < like->width &&
      fabs (a->cy - b->cy) < like->height;
}

/* What has been found, and how near the next may be. */
typedef struct {
  EmdtrackPlace *place;
  int n;
  double limit;
} Found;

static bool
is_another (const EmdtrackCandidate *c, const void *data)
{
  const Found *f = (const Found *) data;

  if (c->distance > f->limit)
    return false;
  for (int k = 0; k < f->n; k++)
    if (overlap (c, &f->place[k], c))
      return false;
  return true;
}

/* The best of the candidates that are nearer than @limit, and the best of
 * those that do not overlap it, and so on. */
static int
find_places (EmdtrackSearch *s, double limit, EmdtrackPlace *places)
{
  Found found = {places, 0, limit};

  while (found.n < EMDTRACK_PLACES) {
    const EmdtrackCandidate *c = emdtrack_search_min (s, is_another, &found);

    if (!c || c->distance > limit)
      break;
    places[found.n++] = (EmdtrackPlace){c->cx, c->cy, c->distance, 0};
  }
  return found.n;
}

const char *
emdtrack_again_survey (
    EmdtrackLooking *l, EmdtrackMemory *m, const EmdtrackCandidate *seen)
{
  EmdtrackPlace places[EMDTRACK_PLACES];
  int n;

  TRY (emdtrack_look_everywhere (l, seen, l->params->occlude));
  n = find_places (l->search, l->params->occlude, places);
  m->n_others = 0;
  for (int i = 0; i < n; i++)
    if (!overlap (seen, &places[i], seen))
      m->other[m->n_others++] = places[i];
  return NULL;
}

static double
off (const EmdtrackPlace *a, double cx, double cy)
{
  return hypot (a->cx - cx, a->cy - cy);
}

/* Takes those out that are known to be other things, each the one that is
 * closest to where it was, and notes where they are now.  Of all the frame
 * (@everywhere), what is not seen for some frames is forgotten: it may have
 * left the view, and what comes later to where it was may be the target. */
static int
leave_out_others (const EmdtrackLooking *l, EmdtrackMemory *m, double side,
    bool everywhere, EmdtrackPlace *places, int n)
{
  for (int k = 0; k < m->n_others; k++) {
    EmdtrackPlace *o = &m->other[k];
    double reach = fmin (side, l->params->search * (o->unseen + 1));
    int closest = -1;

    for (int i = 0; i < n; i++)
      if (off (o, places[i].cx, places[i].cy) <= reach &&
          (closest < 0 ||
              off (o, places[i].cx, places[i].cy) <
                  off (o, places[closest].cx, places[closest].cy)))
        closest = i;
    if (closest >= 0) {
      *o = places[closest];
      places[closest] = places[--n];
    } else if (everywhere && ++o->unseen >= l->params->lose_frames) {
      *o = m->other[--m->n_others];
      k--;
    }
  }
  return n;
}

const char *
emdtrack_again_exclude (
    EmdtrackLooking *l, EmdtrackMemory *m, const EmdtrackCandidate *near)
{
  EmdtrackPlace places[EMDTRACK_PLACES];
  double side = fmax (near->width, near->height);
  double reach = l->params->search * (m->away + 1) + side;
  int n;

  TRY (emdtrack_look_everywhere (l, near, l->params->occlude));
  n = find_places (l->search, l->params->occlude, places);
  n = leave_out_others (l, m, side, true, places, n);
  for (int i = 0; i < n && m->n_others < EMDTRACK_PLACES; i++)
    if (off (&places[i], near->cx, near->cy) > reach)
      m->other[m->n_others++] = places[i];
  return NULL;
}

/* Whether place @b could be the target as well as place @a. */
static bool
is_rival (const EmdtrackLooking *l, const EmdtrackMemory *m,
    const EmdtrackCandidate *near, const EmdtrackPlace *a,
    const EmdtrackPlace *b)
{
  if (a->distance < CLEAR * b->distance)
    return false;
  return !m->was_seen ||
      off (b, near->cx, near->cy) <=
      CLOSER * off (a, near->cx, near->cy) + l->params->search;
}

bool
emdtrack_again_choose (const EmdtrackLooking *l, EmdtrackMemory *m,
    const EmdtrackCandidate *near, bool everywhere, EmdtrackCandidate *found)
{
  EmdtrackPlace places[EMDTRACK_PLACES];
  double side = fmax (near->width, near->height);
  double reach = l->params->search * (m->away + 1) + side;
  int n = find_places (l->search, l->params->occlude, places);

  n = leave_out_others (l, m, side, everywhere, places, n);
  for (int i = 0; i < n; i++) {
    bool alone = !m->was_seen || off (&places[i], near->cx, near->cy) <= reach;

    for (int k = 0; k < n && alone; k++)
      alone = k == i || !is_rival (l, m, near, &places[i], &places[k]);
    if (!alone)
      continue;
    *found = *near;
    found->cx = places[i].cx;
    found->cy = places[i].cy;
    found->distance = places[i].distance;
    return true;
  }
  return false;
}
