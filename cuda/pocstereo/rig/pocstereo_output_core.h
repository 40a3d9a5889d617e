/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The outputs of one match, for both backends: single operations of floats, so
 * that both agree bit for bit. */
#pragma once

#include <string.h>

#include "pocstereo/rig/pocstereo_output.h"
#include "pocstereo/rig/pocstereo_space.h"

/* The conversion of a disparity to a step and to a colour. */
typedef struct {
  float min, step;       /* 1 / POCSTEREO_ONE pixels */
  float gain;            /* colours in 1 / POCSTEREO_ONE pixels */
  uint32_t palette[256]; /* bytes R G B A */
} PocstereoScale;

/* ---- From disparity to space ---- */

/* A point in the system of the left rectified camera: x right, y down, z
 * forward; the unit is that of the rig's baseline. sigma: of z. */
typedef struct {
  float x, y, z, sigma;
} PocstereoSpacePoint;

/* Coordinates in space are below this, or they are an overflow. */
#define POCSTEREO_SPACE_MAX 1e30f

BOTH bool
pocstereo_space_is_sane (float v)
{
  return v > -POCSTEREO_SPACE_MAX && v < POCSTEREO_SPACE_MAX;
}

/* The point of disparity @d with the standard deviation @sigma at pixel (@x,
 * @y) of the left rectified view, all in pixels.  To first order, sigma of z is
 * |dz/dd| sigma.  Returns false, and all 0, for a point that is not in front of
 * the camera. */
BOTH bool
pocstereo_space_point (const PocstereoSpace *s, float x, float y, float d,
    float sigma, PocstereoSpacePoint *point)
{
  const float *q = s->q, *r = q + 4, *t = q + 8, *u = q + 12;
  float w = u[0] * x + u[1] * y + u[2] * d + u[3];
  float z = t[0] * x + t[1] * y + t[2] * d + t[3];
  float slope = (t[2] * w - u[2] * z) / (w * w);
  PocstereoSpacePoint p = {(q[0] * x + q[1] * y + q[2] * d + q[3]) / w,
      (r[0] * x + r[1] * y + r[2] * d + r[3]) / w, z / w,
      (slope < 0 ? -slope : slope) * sigma};
  PocstereoSpacePoint none = {0, 0, 0, 0};
  bool good = p.z > 0 && pocstereo_space_is_sane (p.x) &&
      pocstereo_space_is_sane (p.y) && pocstereo_space_is_sane (p.z) &&
      pocstereo_space_is_sane (p.sigma);

  *point = good ? p : none;
  return good;
}

/* ---- From match to numbers ---- */

/* Whether the sample at (@x, @y) of the left view, or the sample of the right
 * view at @disparity, comes from outside of the frame. */
BOTH bool
pocstereo_is_match_void (
    const uint8_t *const valid[2], int width, int x, int y, int32_t disparity)
{
  size_t row = (size_t) y * width;
  int there = x - ((disparity + POCSTEREO_ONE / 2) >> 8);

  if (valid[0] && !valid[0][row + x])
    return true;
  return valid[1] && (there < 0 || there >= width || !valid[1][row + there]);
}

/* The match of a pixel; POCSTEREO_NONE if it is void. */
BOTH PocstereoMatch
pocstereo_match_at (const PocstereoMatches *in, int x, int y)
{
  PocstereoMatch m = in->matches[(size_t) y * in->width + x];

  if (m.disparity != POCSTEREO_NONE &&
      pocstereo_is_match_void (in->valid, in->width, x, y, m.disparity))
    m.disparity = POCSTEREO_NONE;
  return m;
}

BOTH float
pocstereo_disparity_pixels (int32_t disparity)
{
  return (float) disparity * (1.f / POCSTEREO_ONE);
}

BOTH uint16_t
pocstereo_steps_of (const PocstereoScale *s, int32_t disparity)
{
  float v = ((float) disparity - s->min) / s->step;

  return v < 65534 ? v > 0 ? (uint16_t) (1 + (int) (v + .5f)) : 1 : 65535;
}

BOTH uint32_t
pocstereo_colour_of (const PocstereoScale *s, int32_t disparity)
{
  float v = ((float) disparity - s->min) * s->gain;

  return s->palette[v < 255 ? v > 0 ? (int) (v + .5f) : 0 : 255];
}

BOTH float
pocstereo_depth_of (const PocstereoSpace *s, int x, int y, int32_t disparity)
{
  PocstereoSpacePoint p;

  pocstereo_space_point (
      s, (float) x, (float) y, pocstereo_disparity_pixels (disparity), 0, &p);
  return p.z;
}

BOTH uint16_t
pocstereo_millimetres_of (float depth)
{
  float v = depth * 1000 + .5f;

  return v < 65536 ? (uint16_t) v : 0;
}

/* A pointer to row @y of @rows, whose numbers have the type @type. */
#define POCSTEREO_ROW(type, rows, y) \
 ((type *) ((uint8_t *) (rows).pixels + (size_t) (y) * (rows).stride))

BOTH void
pocstereo_write_maps (
    const PocstereoMatch *m, int x, int y, const PocstereoOutput *o)
{
  bool is = m->disparity != POCSTEREO_NONE;

  if (o->disparity.pixels)
    POCSTEREO_ROW (float, o->disparity, y)
  [x] = is ? pocstereo_disparity_pixels (m->disparity) : POCSTEREO_NO_DISPARITY;
  if (o->sigma.pixels)
    POCSTEREO_ROW (uint16_t, o->sigma, y)[x] = is ? m->sigma : 65535;
  if (o->confidence.pixels)
    POCSTEREO_ROW (uint8_t, o->confidence, y)
  [x] = is ? (uint8_t) ((m->peak + 128) / 257) : 0;
}

/* Writes the wanted outputs of a pixel. */
BOTH void
pocstereo_write_pixel (const PocstereoMatches *in, const PocstereoSpace *space,
    const PocstereoScale *scale, int x, int y, const PocstereoOutput *o)
{
  PocstereoMatch m = pocstereo_match_at (in, x, y);
  bool is = m.disparity != POCSTEREO_NONE;
  float depth = 0;

  pocstereo_write_maps (&m, x, y, o);
  if (is && (o->depth.pixels || o->millimetres.pixels))
    depth = pocstereo_depth_of (space, x, y, m.disparity);
  if (o->depth.pixels)
    POCSTEREO_ROW (float, o->depth, y)[x] = depth;
  if (o->millimetres.pixels)
    POCSTEREO_ROW (uint16_t, o->millimetres, y)
  [x] = pocstereo_millimetres_of (depth);
  if (o->steps.pixels)
    POCSTEREO_ROW (uint16_t, o->steps, y)
  [x] = is ? pocstereo_steps_of (scale, m.disparity) : 0;
  if (o->colours.pixels)
    POCSTEREO_ROW (uint32_t, o->colours, y)
  [x] = is ? pocstereo_colour_of (scale, m.disparity) : 0;
}

/* Writes all pixels.  In: the matches @in, @scale; @space, all 0 if the rig is
 * not known.  Out: the wanted rows of @out. */
typedef const char *PocstereoOutputStage (const Device *dev,
    const PocstereoMatches *in, const PocstereoSpace *space,
    const PocstereoScale *scale, const PocstereoOutput *out);

typedef struct {
  PocstereoOutputStage *write;
} PocstereoOutputStages;

C_BEGIN
extern const PocstereoOutputStages pocstereo_output_stages_cpu,
    pocstereo_output_stages_cuda;
C_END
