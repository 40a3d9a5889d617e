/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Slanted planes that both views show whole, with windows that lean and
 * without.
 */
#pragma once

#include "pocstereo_known.h"

/* The plane's disparity: 8 pixels in the middle of the left view, more by
 * @across from pixel to pixel and by @down from row to row. */
static inline double
plane_at (const Pair *p, double across, double down, double x, int y)
{
  return 8 + across * (x - p->width / 2) + down * (y - p->height / 2);
}

/* What the right view shows at x is at x + d (x) of the left one's. */
static inline void
pair_draw_plane (Pair *p, const Texture *t, double across, double down)
{
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      double d = plane_at (p, across, down, 0, y);

      *pair_at (p, 0, x, y) =
          (uint16_t) lrint (POCSTEREO_FULL_SAMPLE * texture_at (t, x, y));
      *pair_at (p, 1, x, y) = (uint16_t) lrint (
          POCSTEREO_FULL_SAMPLE * texture_at (t, (x + d) / (1 - across), y));
    }
}

/* Root mean square of errors of pixels away from the borders. */
static inline double
plane_error (DeviceKind kind, const PocstereoParams *params, const Pair *p,
    double across, double down)
{
  PocstereoMatch *m = pair_match (kind, params, p, NULL, 0);
  double sum = 0;
  int n = 0, lost = 0;

  for (int y = 16; y < p->height - 16; y++)
    for (int x = 48; x < p->width - 48; x++, n++) {
      double off =
          disparity_of (m[y * p->width + x]) - plane_at (p, across, down, x, y);

      if (isnan (off))
        lost++;
      else
        sum += off * off;
    }
  free (m);
  check (lost < n / 50);
  return sqrt (sum / (n - lost));
}

/* Each at most @most pixels, and a fraction of what upright windows err. */
static inline void
test_slant (DeviceKind kind)
{
  static const struct {
    double across, down, most, part;
  } planes[] = {{.2, 0, .06, .5}, {-.2, 0, .06, .5}, {0, .25, .06, .5},
      {.1, -.2, .06, .5}, {0, 0, .03, 1.01}};

  for (int i = 0; i < 5; i++) {
    PocstereoParams params = POCSTEREO_DENSE_DEFAULTS;
    Texture t = texture_new ();
    Pair p = pair_new (240, 72, 3);
    double error[2];

    params.min_disparity = -32;
    params.max_disparity = 48;
    pair_draw_plane (&p, &t, planes[i].across, planes[i].down);
    for (int slant = 0; slant < 2; slant++) {
      params.slant = slant;
      error[slant] =
          plane_error (kind, &params, &p, planes[i].across, planes[i].down);
    }
    printf ("     plane %.2f, %.2f: errors of %.4f px, with slant %.4f\n",
        planes[i].across, planes[i].down, error[0], error[1]);
    check (error[1] <= planes[i].most);
    check (error[1] <= planes[i].part * error[0]);
    check (pair_is_unharmed (&p));
    pair_free (&p);
  }
}
