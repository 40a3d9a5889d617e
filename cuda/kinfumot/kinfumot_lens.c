/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The camera: whether it fits the frames, and the ray that each pixel sees. */
#include <math.h>

#include "kinfumot/kinfumot_state.h"

static KinfumotLens
lens_of_camera (const Camera *c)
{
  const double *d = c->distortion;

  return (KinfumotLens){(float) c->fx, (float) c->fy, (float) c->cx,
      (float) c->cy, (float) d[0], (float) d[1], (float) d[2], (float) d[3],
      (float) d[4], 0,
      d[0] != 0 || d[1] != 0 || d[2] != 0 || d[3] != 0 || d[4] != 0};
}

static KinfumotRay
ray_of_pixel (const Camera *c, int u, int v)
{
  double ray[2];

  camera_ray (c, u, v, ray);
  return (KinfumotRay){(float) ray[0], (float) ray[1],
      (float) sqrt (ray[0] * ray[0] + ray[1] * ray[1] + 1)};
}

/* Whether the ray of a pixel comes back to it. */
static bool
is_pixel_seen (const Camera *c, int x, int y)
{
  KinfumotRay r = ray_of_pixel (c, x, y);
  KinfumotLens lens = lens_of_camera (c);
  float u, v;

  lens.max_r2 = 100;
  return r.length < 10 && kinfumot_project (&lens, vec (r.x, r.y, 1), &u, &v) &&
      fabs (u - x) < .5 && fabs (v - y) < .5;
}

/* A distortion that does not fit goes wrong at the corners first. */
const char *
kinfumot_check_camera (const Camera *c, int width, int height)
{
  double sum = c->cx + c->cy;

  for (int i = 0; i < 5; i++)
    sum += c->distortion[i];
  if (!isfinite (sum) ||
      !(c->fx > 0 && c->fy > 0 && isfinite (c->fx) && isfinite (c->fy)))
    return "the camera's focal lengths must be positive numbers of pixels, and "
           "its other numbers finite";
  for (int i = 0; i < 4; i++)
    if (!is_pixel_seen (c, i & 1 ? width - 1 : 0, i & 2 ? height - 1 : 0))
      return "the camera's intrinsics do not fit the frame's size";
  return NULL;
}

/* KinfumotOptics.spacing of a camera. */
static int
spacing_of_camera (const Camera *c)
{
  double spacing = floor ((c->fx + c->fy) / 2 / KINFUMOT_FOCAL + .5);

  return spacing < 1                   ? 1
      : spacing < KINFUMOT_MAX_SPACING ? (int) spacing
                                       : KINFUMOT_MAX_SPACING;
}

void
kinfumot_set_lens (KinfumotOptics *optics, const Camera *c, KinfumotRay *rays)
{
  float max = 0;

  optics->lens = lens_of_camera (c);
  optics->spacing = spacing_of_camera (c);
  for (int y = 0; y < optics->height; y++)
    for (int x = 0; x < optics->width; x++) {
      KinfumotRay r = ray_of_pixel (c, x, y);

      rays[y * optics->width + x] = r;
      max = r.x * r.x + r.y * r.y > max ? r.x * r.x + r.y * r.y : max;
    }
  optics->lens.max_r2 = 1.2f * max;
}
