/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Recognition of a lost target.  A thing that looked like the target, but was
 * seen in the same frame as the target, is a distractor and stays a distractor.
 * A place elsewhere shows the target only if the target could have come there,
 * and if no second place could show it as well. */
#include <math.h>
#include <string.h>

#include "emdtrack/emdtrack_recognise.h"

/* The ratio to the runner-up above which a match is ambiguous: D. Lowe,
 * "Distinctive image features from scale-invariant keypoints", 2004, 7.1. */
#define CLEAR .8
/* A second place that is CLOSER times farther away cannot show the target. */
#define CLOSER 2

static bool
are_overlapping (const EmdtrackCandidate *like, const EmdtrackPlace *a,
    const EmdtrackCandidate *b)
{
  return fabs (a->cx - b->cx) < like->width &&
      fabs (a->cy - b->cy) < like->height;
}

/* The places found so far, and the greatest distance of a further place. */
typedef struct {
  EmdtrackPlace *place;
  int n;
  double limit;
} Found;

static bool
is_separate_place (const EmdtrackCandidate *c, const void *data)
{
  const Found *f = (const Found *) data;

  if (c->distance > f->limit)
    return false;
  for (int k = 0; k < f->n; k++)
    if (are_overlapping (c, &f->place[k], c))
      return false;
  return true;
}

/* Finds the best candidate whose distance is below @limit, the best that does
 * not overlap it, and so on.  Returns the number of places. */
static int
find_best_places (EmdtrackSearch *s, double limit, EmdtrackPlace *places)
{
  Found found = {places, 0, limit};

  while (found.n < EMDTRACK_PLACES) {
    const EmdtrackCandidate *c =
        emdtrack_search_min (s, is_separate_place, &found);

    if (!c || c->distance > limit)
      break;
    places[found.n++] = (EmdtrackPlace){c->cx, c->cy, c->distance, 0};
  }
  return found.n;
}

const char *
emdtrack_survey_distractors (
    EmdtrackLocator *l, EmdtrackTrackState *m, const EmdtrackCandidate *seen)
{
  EmdtrackPlace places[EMDTRACK_PLACES];
  int n;

  TRY (emdtrack_locate_everywhere (l, seen, l->params->occlude));
  n = find_best_places (l->search, l->params->occlude, places);
  m->n_others = 0;
  for (int i = 0; i < n; i++)
    if (!are_overlapping (seen, &places[i], seen))
      m->other[m->n_others++] = places[i];
  return NULL;
}

static double
place_distance (const EmdtrackPlace *a, double cx, double cy)
{
  return hypot (a->cx - cx, a->cy - cy);
}

/* Removes the places of known distractors, the place closest to each
 * distractor's last one, and notes the new places.  If the whole frame was
 * searched (@everywhere), a distractor that was not seen for some frames is
 * forgotten: it may have left the view, and the target may come to its place.
 * Returns the number of places that are left. */
static int
remove_distractors (const EmdtrackLocator *l, EmdtrackTrackState *m,
    double side, bool everywhere, EmdtrackPlace *places, int n)
{
  for (int k = 0; k < m->n_others; k++) {
    EmdtrackPlace *o = &m->other[k];
    double reach = fmin (side, l->params->search * (o->unseen + 1));
    int closest = -1;

    for (int i = 0; i < n; i++)
      if (place_distance (o, places[i].cx, places[i].cy) <= reach &&
          (closest < 0 ||
              place_distance (o, places[i].cx, places[i].cy) <
                  place_distance (o, places[closest].cx, places[closest].cy)))
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
emdtrack_exclude_distractors (
    EmdtrackLocator *l, EmdtrackTrackState *m, const EmdtrackCandidate *near)
{
  EmdtrackPlace places[EMDTRACK_PLACES];
  double side = fmax (near->width, near->height);
  double reach = l->params->search * (m->away + 1) + side;
  int n;

  TRY (emdtrack_locate_everywhere (l, near, l->params->occlude));
  n = find_best_places (l->search, l->params->occlude, places);
  n = remove_distractors (l, m, side, true, places, n);
  for (int i = 0; i < n && m->n_others < EMDTRACK_PLACES; i++)
    if (place_distance (&places[i], near->cx, near->cy) > reach)
      m->other[m->n_others++] = places[i];
  return NULL;
}

/* Whether place @b could show the target as well as place @a. */
static bool
is_rival_place (const EmdtrackLocator *l, const EmdtrackTrackState *m,
    const EmdtrackCandidate *near, const EmdtrackPlace *a,
    const EmdtrackPlace *b)
{
  if (a->distance < CLEAR * b->distance)
    return false;
  return !m->was_seen ||
      place_distance (b, near->cx, near->cy) <=
      CLOSER * place_distance (a, near->cx, near->cy) + l->params->search;
}

bool
emdtrack_recognise (const EmdtrackLocator *l, EmdtrackTrackState *m,
    const EmdtrackCandidate *near, bool everywhere, EmdtrackCandidate *found)
{
  EmdtrackPlace places[EMDTRACK_PLACES];
  double side = fmax (near->width, near->height);
  double reach = l->params->search * (m->away + 1) + side;
  int n = find_best_places (l->search, l->params->occlude, places);

  n = remove_distractors (l, m, side, everywhere, places, n);
  for (int i = 0; i < n; i++) {
    bool alone = !m->was_seen ||
        place_distance (&places[i], near->cx, near->cy) <= reach;

    for (int k = 0; k < n && alone; k++)
      alone = k == i || !is_rival_place (l, m, near, &places[i], &places[k]);
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
