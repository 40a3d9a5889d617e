/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lens: radial distortion, and where a pixel would be without it. */
#include "scene/rgbd_core.h"

#include "common/parallel.h"

/* The depth camera of a Kinect One as its firmware tells them: k1, k2, k3. */
static const double kinect_one[3] = {.0905474, -.26819, .0950862};

/* Up to a radius of 1, which is more than any frame has, the factor is between
 * 1 - 0.09 and 1 + 0.01. */
RgbdLens
rgbd_lens (double distortion)
{
  RgbdLens lens = {.min = 1 - .09 * distortion, .max = 1 + .01 * distortion};

  for (int i = 0; i < 3; i++)
    lens.k[i] = distortion * kinect_one[i];
  return lens;
}

double
rgbd_lens_factor (const RgbdLens *lens, double r2)
{
  return 1 + r2 * (lens->k[0] + r2 * (lens->k[1] + r2 * lens->k[2]));
}

/* The radius whose point is seen at radius @seen, by Newton's steps.  What is
 * solved grows everywhere by more than half of what the radius does. */
static double
radius_of (const RgbdLens *lens, double seen)
{
  const double *k = lens->k;
  double r = seen;

  for (int i = 0; i < 8; i++) {
    double r2 = r * r;
    double off = r * rgbd_lens_factor (lens, r2) - seen;

    r -= off / (1 + r2 * (3 * k[0] + r2 * (5 * k[1] + r2 * 7 * k[2])));
  }
  return r;
}

typedef struct {
  Rgbd *s;
  const RgbdPlan *plan;
} Lens;

static void
bend_rows (void *data, int begin, int end)
{
  const Lens *l = data;
  const RgbdPlan *plan = l->plan;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < plan->width; x++) {
      size_t at = (size_t) y * plan->width + x;
      double u = x - plan->cx, v = y - plan->cy;
      double seen = sqrt (u * u + v * v) / plan->f;
      double scale = seen > 0 ? radius_of (&plan->lens, seen) / seen : 1;

      l->s->across[at] = (float) (plan->cx + u * scale);
      l->s->bend[at] = (float) (plan->cy + v * scale - y);
    }
}

void
rgbd_set_lens (Rgbd *s, const RgbdPlan *plan, const RgbdParams *params)
{
  Lens lens = {s, plan};

  if (s->distortion == params->distortion)
    return;
  s->distortion = params->distortion;
  if (s->distortion != 0)
    parallel_for (s->height, 0, bend_rows, &lens);
}

void
rgbd_get_row (const Rgbd *s, int y, RgbdRow *row)
{
  size_t at = (size_t) y * s->width;

  if (s->distortion != 0) {
    memcpy (row->across, s->across + at, s->width * sizeof *row->across);
    memcpy (row->bend, s->bend + at, s->width * sizeof *row->bend);
    return;
  }
  for (int x = 0; x < s->width; x++)
    row->across[x] = x, row->bend[x] = 0;
}
