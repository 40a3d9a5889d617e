/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pocstereo/rig/pocstereo_output.h"

#include <float.h>
#include <math.h>

#include "overlay/overlay.h"
#include "pocstereo/rig/pocstereo_output_core.h"

static const char *
check_output (const PocstereoMatches *in, const PocstereoOutput *out)
{
  if (in->width < 1 || in->height < 1 || !in->matches)
    return "there are no matches to make anything of";
  if (!in->space && (out->depth.pixels || out->millimetres.pixels))
    return "depth needs a rig; set calibration, or intrinsics and baseline";
  if (out->steps.pixels && !(out->step > 0 && isfinite (out->step)))
    return "the step of disparities must be above 0";
  if (!(out->min <= out->max))
    return "the least disparity is greater than the greatest";
  return NULL;
}

const char *
pocstereo_output (const Device *device, const PocstereoMatches *in,
    const PocstereoOutput *out)
{
  double span = POCSTEREO_ONE * (out->max - out->min);
  PocstereoScale scale = {.min = (float) (POCSTEREO_ONE * out->min),
      .step = (float) fmax (POCSTEREO_ONE * out->step, FLT_MIN), /* not 0 */
      .gain = span > 0 ? (float) (255 / span) : 0};
  PocstereoSpace unknown = {{0}};
  uint8_t palette[256][4];

  TRY (check_output (in, out));
  overlay_ramp (palette);
  memcpy (scale.palette, palette, sizeof palette);
  return STAGES (pocstereo_output, device)
      ->write (device, in, in->space ? in->space : &unknown, &scale, out);
}

double
pocstereo_step (int min_disparity, int max_disparity)
{
  double step = 1. / POCSTEREO_ONE;

  while ((max_disparity - min_disparity) / step > 65534)
    step *= 2;
  return step;
}

int
pocstereo_list (const PocstereoPoint *points, const PocstereoMatch *matches,
    int n, const uint8_t *const valid[2], int width,
    const PocstereoSpace *space, PocstereoPointMatch *list,
    float (*in_space)[4])
{
  int found = 0;

  for (int i = 0; i < n; i++) {
    PocstereoPointMatch *to = &list[found];
    const PocstereoMatch *m = &matches[i];
    PocstereoSpacePoint p;

    if (m->disparity == POCSTEREO_NONE ||
        pocstereo_is_match_void (
            valid, width, points[i].x, points[i].y, m->disparity))
      continue;
    *to = (PocstereoPointMatch){(float) points[i].x, (float) points[i].y,
        pocstereo_disparity_pixels (m->disparity),
        (float) m->sigma / POCSTEREO_SIGMA, (float) m->peak / 65535};
    if (in_space) {
      pocstereo_space_point (space, to->x, to->y, to->disparity, to->sigma, &p);
      in_space[found][0] = p.x;
      in_space[found][1] = p.y;
      in_space[found][2] = p.z;
      in_space[found][3] = p.sigma;
    }
    found++;
  }
  return found;
}

static int
clamp_to_side (int v, int end)
{
  return v < 0 ? 0 : v > end ? end : v;
}

void
pocstereo_scatter (const PocstereoPoint *points, const PocstereoMatch *matches,
    int n, int side, PocstereoMatch *rows, int width, int height)
{
  const PocstereoMatch none = {POCSTEREO_NONE, 0, UINT16_MAX};

  for (size_t i = 0; i < (size_t) width * height; i++)
    rows[i] = none;
  for (int i = 0; i < n; i++) {
    int x0 = points[i].x - side / 2, y0 = points[i].y - side / 2;

    for (int y = clamp_to_side (y0, height);
         y < clamp_to_side (y0 + side, height); y++)
      for (int x = clamp_to_side (x0, width);
           x < clamp_to_side (x0 + side, width); x++)
        rows[(size_t) y * width + x] = matches[i];
  }
}
