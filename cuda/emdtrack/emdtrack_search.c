/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Distances of regions from a target: exact, at a mass of 4096. */
#include <math.h>

#include "emdtrack/emdtrack_search.h"

const char *
emdtrack_model_set (
    EmdtrackModel *m, const EmdtrackParams *p, const EmdtrackTarget *target)
{
  uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS];
  EmdtrackProblem now;
  double scale;

  TRY (emdtrack_distances (p, distance, &scale));
  m->n = p->bins;
  m->farthest = 1;
  for (int i = 0; i < p->bins; i++)
    for (int j = 0; j < p->bins; j++)
      m->farthest = distance[i][j] > m->farthest ? distance[i][j] : m->farthest;
  emdtrack_set_problem (&now, distance, p->bins, EMDTRACK_REGION_MASS, target);
  if (!memcmp (&now, &m->problem, sizeof now))
    return NULL;
  memcpy (&m->problem, &now, sizeof now);
  emdtrack_tree_first (&m->problem, &m->tree);
  return NULL;
}

double
emdtrack_model_distance (EmdtrackModel *m, const uint32_t *counts)
{
  int32_t demand[EMDTRACK_BINS];
  int supply[EMDTRACK_BINS];
  double weight[EMDTRACK_BINS];
  int64_t z;

  for (int i = 0; i < EMDTRACK_BINS; i++) {
    weight[i] = counts[i];
    demand[i] = m->problem.demand[i];
  }
  emdtrack_quantise (weight, m->n, EMDTRACK_REGION_MASS, supply);
  if (emdtrack_tree_solve (&m->problem, &m->tree, supply, demand) >= 0) {
    z = emdtrack_tree_value (&m->problem, &m->tree, supply, demand);
  } else {
    EmdtrackTableau tableau;
    uint64_t pivots = 0;

    z = emdtrack_simplex (&tableau, &m->problem, supply, &pivots);
    emdtrack_tree_first (&m->problem, &m->tree);
  }
  return (double) z / EMDTRACK_REGION_MASS / m->farthest;
}

void
emdtrack_search_grid (EmdtrackSearch *s, const EmdtrackCandidate *like,
    double scale, const double centres[4], double step)
{
  for (double y = centres[1]; y <= centres[3]; y += step)
    for (double x = centres[0]; x <= centres[2]; x += step)
      if (s->n < EMDTRACK_REGIONS)
        s->candidate[s->n++] = (EmdtrackCandidate){
            x, y, like->width * scale, like->height * scale, 2};
}

EmdtrackRegion
emdtrack_region_of (const EmdtrackCandidate *c)
{
  int width = c->width < 1 ? 1 : (int) floor (c->width + .5);
  int height = c->height < 1 ? 1 : (int) floor (c->height + .5);
  int x0 = (int) floor (c->cx - c->width / 2 + .5);
  int y0 = (int) floor (c->cy - c->height / 2 + .5);
  EmdtrackRegion r = {{x0, y0, x0 + width, y0 + height}, 1};
  double most = c->width * c->height / EMDTRACK_REGION_SAMPLES;

  while ((double) r.apart * r.apart < most)
    r.apart++;
  return r;
}

/* Half of it or more. */
static bool
is_inside (ImageBox b, int width, int height)
{
  int64_t x = emdtrack_clamp (b.x1, width) - emdtrack_clamp (b.x0, width);
  int64_t y = emdtrack_clamp (b.y1, height) - emdtrack_clamp (b.y0, height);

  return 2 * x * y >= (int64_t) (b.x1 - b.x0) * (b.y1 - b.y0);
}

static bool
is_anything (const uint32_t *counts)
{
  for (int i = 0; i < EMDTRACK_BINS; i++)
    if (counts[i])
      return true;
  return false;
}

const char *
emdtrack_search_run (
    EmdtrackSearch *s, Emdtrack *e, EmdtrackModel *m, int width, int height)
{
  const uint32_t *counts;
  int n = 0;

  for (int i = 0; i < s->n; i++) {
    EmdtrackRegion r = emdtrack_region_of (&s->candidate[i]);

    s->candidate[i].distance = 2;
    if (!is_inside (r.box, width, height))
      continue;
    s->of[n] = i;
    s->region[n++] = r;
  }
  TRY (emdtrack_count (e, s->region, n, &counts));
  for (int k = 0; k < n; k++, counts += EMDTRACK_BINS)
    if (is_anything (counts))
      s->candidate[s->of[k]].distance = emdtrack_model_distance (m, counts);
  return NULL;
}

static double
off (const EmdtrackCandidate *c, double cx, double cy)
{
  return (c->cx - cx) * (c->cx - cx) + (c->cy - cy) * (c->cy - cy);
}

const EmdtrackCandidate *
emdtrack_search_best (const EmdtrackSearch *s, double cx, double cy)
{
  const EmdtrackCandidate *best = NULL;

  for (int i = 0; i < s->n; i++) {
    const EmdtrackCandidate *c = &s->candidate[i];

    if (c->distance <= 1 &&
        (!best || c->distance < best->distance ||
            (c->distance <= best->distance &&
                off (c, cx, cy) < off (best, cx, cy))))
      best = c;
  }
  return best;
}
