/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the nearest of many boxes, with as few exact distances as prove it. */
#include <math.h>

#include "emdtrack/emdtrack_search.h"

void
emdtrack_search_grid (EmdtrackSearch *s, const EmdtrackCandidate *like,
    double scale, const double centres[4], double step)
{
  for (double y = centres[1]; y <= centres[3]; y += step)
    for (double x = centres[0]; x <= centres[2]; x += step)
      if (s->n < EMDTRACK_REGIONS)
        s->candidate[s->n++] = (EmdtrackCandidate){
            x, y, like->width * scale, like->height * scale, 2, NULL, 0};
}

EmdtrackRegion
emdtrack_box_region (const EmdtrackCandidate *c)
{
  int width = c->width < 1 ? 1 : (int) floor (c->width + .5);
  int height = c->height < 1 ? 1 : (int) floor (c->height + .5);
  int x0 = (int) floor (c->cx - c->width / 2 + .5);
  int y0 = (int) floor (c->cy - c->height / 2 + .5);
  EmdtrackRegion r = {{x0, y0, x0 + width, y0 + height}, 1};
  double max = c->width * c->height / EMDTRACK_REGION_SAMPLES;

  while ((double) r.apart * r.apart < max)
    r.apart++;
  return r;
}

/* Whether half of the box, or more, is in the frame. */
static bool
is_half_inside (ImageBox b, int width, int height)
{
  int64_t x = emdtrack_clamp (b.x1, width) - emdtrack_clamp (b.x0, width);
  int64_t y = emdtrack_clamp (b.y1, height) - emdtrack_clamp (b.y0, height);

  return 2 * x * y >= (int64_t) (b.x1 - b.x0) * (b.y1 - b.y0);
}

static bool
is_any_candidate (const uint32_t *counts)
{
  for (int i = 0; i < EMDTRACK_BINS; i++)
    if (counts[i])
      return true;
  return false;
}

const char *
emdtrack_search_run (EmdtrackSearch *s, Emdtrack *e, EmdtrackModel *m,
    double enough, int width, int height, int n_looks)
{
  const uint32_t *counts;
  int n = n_looks;

  s->model = m;
  for (int i = 0; i < s->n; i++) {
    EmdtrackRegion r = emdtrack_box_region (&s->candidate[i]);

    s->candidate[i].distance = 2;
    s->candidate[i].counts = NULL;
    if (!is_half_inside (r.box, width, height))
      continue;
    s->of[n] = i;
    s->region[n++] = r;
  }
  TRY (emdtrack_count (e, s->region, n, &counts));
  s->looks = n_looks ? counts : NULL;
  counts += (size_t) n_looks * EMDTRACK_BINS;
  for (int k = n_looks; k < n; k++, counts += EMDTRACK_BINS)
    if (is_any_candidate (counts)) {
      s->candidate[s->of[k]].distance =
          emdtrack_model_bound (m, counts, enough);
      s->candidate[s->of[k]].counts = counts;
    }
  return NULL;
}

/* Makes the distance of @c exact, or a bound above @limit. */
static double
sharpen_bound (EmdtrackSearch *s, EmdtrackCandidate *c, double limit)
{
  if (!c->counts || c->distance > limit)
    return c->distance;
  c->distance = emdtrack_model_bound (s->model, c->counts, limit);
  if (c->distance > limit)
    return c->distance;
  c->distance = emdtrack_model_distance (s->model, c->counts);
  c->counts = NULL;
  return c->distance;
}

void
emdtrack_search_within (EmdtrackSearch *s, double limit)
{
  for (int i = 0; i < s->n; i++)
    sharpen_bound (s, &s->candidate[i], limit);
}

const EmdtrackCandidate *
emdtrack_search_min (EmdtrackSearch *s,
    bool (*may) (const EmdtrackCandidate *c, const void *data),
    const void *data)
{
  EmdtrackCandidate *best = NULL, *end = s->candidate + s->n;

  /* the candidate with the lowest bound, probably the nearest */
  for (EmdtrackCandidate *c = s->candidate; c < end; c++)
    if ((!best || c->distance < best->distance) && may (c, data))
      best = c;
  if (best)
    sharpen_bound (s, best, INFINITY);
  for (EmdtrackCandidate *c = s->candidate; best && c < end; c++)
    if (c->distance <= best->distance && may (c, data) &&
        sharpen_bound (s, c, best->distance) <= best->distance &&
        (c->distance < best->distance || c < best))
      best = c;
  return best;
}

static bool
is_centre_in_frame (const EmdtrackCandidate *c, const void *unused)
{
  (void) unused;
  return c->distance <= 1;
}

static double
centre_distance (const EmdtrackCandidate *c, double cx, double cy)
{
  return (c->cx - cx) * (c->cx - cx) + (c->cy - cy) * (c->cy - cy);
}

const EmdtrackCandidate *
emdtrack_search_best (EmdtrackSearch *s, double cx, double cy)
{
  const EmdtrackCandidate *best =
      emdtrack_search_min (s, is_centre_in_frame, NULL);

  for (int i = 0; best && i < s->n; i++) {
    const EmdtrackCandidate *c = &s->candidate[i];

    if (c->distance <= best->distance &&
        centre_distance (c, cx, cy) < centre_distance (best, cx, cy))
      best = c;
  }
  return best;
}
