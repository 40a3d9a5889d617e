/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moct/moct_colour.h"

#include <math.h>
#include <string.h>

MoctEncoding
moct_encoding (const Image *frame)
{
  MoctEncoding e = {.is_yuv = image_is_yuv (frame->format) ||
          frame->format == IMAGE_GRAY8 || frame->format == IMAGE_GRAY16,
      .matrix = frame->matrix,
      .full_range = frame->full_range};

  e.yuv = yuv_of (e.matrix, e.full_range);
  return e;
}

bool
moct_encoding_equal (const MoctEncoding *a, const MoctEncoding *b)
{
  return a->is_yuv == b->is_yuv &&
      (!a->is_yuv ||
          (a->matrix == b->matrix && a->full_range == b->full_range));
}

MoctSpace
moct_space (const MoctColour *colour)
{
  return colour->space == MOCT_NEAR ? MOCT_LAB : colour->space;
}

static void
rgb_to_hsv (const uint8_t rgb[3], float hsv[3])
{
  float r = rgb[0], g = rgb[1], b = rgb[2];
  float max = fmaxf (r, fmaxf (g, b)), min = fminf (r, fminf (g, b));
  float chroma = max - min, h = 0;

  if (chroma > 0)
    h = max == r   ? (g - b) / chroma
        : max == g ? 2 + (b - r) / chroma
                   : 4 + (r - g) / chroma;
  hsv[0] = h < 0 ? 60 * h + 360 : 60 * h;
  hsv[1] = max > 0 ? 100 * chroma / max : 0;
  hsv[2] = max * (100.f / 255);
}

/* sRGB's transfer curve (IEC 61966-2-1), and the curve of CIE L*a*b* (CIE
 * 15:2004), both tabulated, since making a table of colours needs millions of
 * values.  With CURVE_STEPS steps, interpolation has an error below 0.002 in
 * a. */
#define CURVE_STEPS 4096

static struct {
  float linear[256];
  float curve[CURVE_STEPS + 2];
} tables;

__attribute__ ((constructor)) static void
fill_curves (void)
{
  for (int i = 0; i < 256; i++) {
    double v = i / 255.;

    tables.linear[i] =
        (float) (v <= 0.04045 ? v / 12.92 : pow ((v + 0.055) / 1.055, 2.4));
  }
  for (int i = 0; i < CURVE_STEPS + 2; i++) {
    double t = (double) i / CURVE_STEPS;

    tables.curve[i] =
        (float) (t > 216. / 24389 ? cbrt (t) : (24389. / 27 * t + 16) / 116);
  }
}

static float
curve_value (float t)
{
  float at = fminf (t, 1) * CURVE_STEPS;
  int i = (int) at;

  return tables.curve[i] +
      (tables.curve[i + 1] - tables.curve[i]) * (at - (float) i);
}

void
moct_rgb_to_lab (const uint8_t rgb[3], float lab[3])
{
  float r = tables.linear[rgb[0]], g = tables.linear[rgb[1]],
        b = tables.linear[rgb[2]];
  /* from sRGB's primaries to X/Xn, Y, Z/Zn of the white point D65 */
  float x = curve_value (0.433953f * r + 0.376220f * g + 0.189827f * b);
  float y = curve_value (0.212671f * r + 0.715160f * g + 0.072169f * b);
  float z = curve_value (0.017758f * r + 0.109477f * g + 0.872765f * b);

  lab[0] = 116 * y - 16;
  lab[1] = 500 * (x - y);
  lab[2] = 200 * (y - z);
}

static void
stored_to_rgb (const MoctEncoding *e, const uint8_t c[3], uint8_t rgb[3])
{
  if (e->is_yuv)
    yuv_to_rgb (&e->yuv, c, rgb);
  else
    rgb[0] = c[0], rgb[1] = c[1], rgb[2] = c[2];
}

static void
stored_to_yuv (const MoctEncoding *e, const uint8_t c[3], uint8_t yuv[3])
{
  if (e->is_yuv)
    yuv[0] = c[0], yuv[1] = c[1], yuv[2] = c[2];
  else
    yuv_from_rgb (&e->yuv, c, yuv);
}

void
moct_point (
    const MoctEncoding *e, MoctSpace space, const uint8_t c[3], float point[3])
{
  uint8_t v[3];
  float sum;

  if (space == MOCT_YUV)
    stored_to_yuv (e, c, v);
  else
    stored_to_rgb (e, c, v);

  switch (space) {
    case MOCT_RG:
      sum = (float) (v[0] + v[1] + v[2]);
      point[0] = sum > 0 ? v[0] / sum : 1.f / 3;
      point[1] = sum > 0 ? v[1] / sum : 1.f / 3;
      point[2] = 0;
      return;
    case MOCT_HSV:
      rgb_to_hsv (v, point);
      return;
    case MOCT_LAB:
    case MOCT_NEAR:
      moct_rgb_to_lab (v, point);
      return;
    default:
      point[0] = v[0], point[1] = v[1], point[2] = v[2];
  }
}

/* Whether a box's interval on axis @i wraps through 0, as one of hue may. */
static bool
wraps_through_0 (MoctSpace space, const MoctRange *r, int i)
{
  return space == MOCT_HSV && i == 0 && r->lo[0] > r->hi[0];
}

static bool
range_holds (MoctSpace space, const MoctRange *r, const float p[3])
{
  for (int i = 0; i < (space == MOCT_RG ? 2 : 3); i++)
    if (wraps_through_0 (space, r, i) ? p[i] < r->lo[i] && p[i] > r->hi[i]
                                      : p[i] < r->lo[i] || p[i] > r->hi[i])
      return false;
  return true;
}

MoctRange
moct_range (const MoctColour *c, int k)
{
  MoctRange r;

  if (k)
    return c->also[k - 1];
  memcpy (r.lo, c->lo, sizeof r.lo);
  memcpy (r.hi, c->hi, sizeof r.hi);
  return r;
}

bool
moct_holds (const MoctColour *c, const float p[3])
{
  float sum = 0;

  if (c->space == MOCT_LEARN)
    return false;
  if (c->space == MOCT_NEAR) {
    for (int i = 0; i < 3; i++)
      sum += (p[i] - c->lo[i]) * (p[i] - c->lo[i]);
    return sum <= c->hi[0] * c->hi[0];
  }
  for (int k = 0; k <= c->n_also; k++) {
    MoctRange r = moct_range (c, k);

    if (range_holds (c->space, &r, p))
      return true;
  }
  return false;
}

static MoctRelation
ball_relation (const MoctColour *c, const float lo[3], const float hi[3])
{
  float near = 0, far = 0, limit = c->hi[0] * c->hi[0];

  for (int i = 0; i < 3; i++) {
    float a = lo[i] - c->lo[i], b = c->lo[i] - hi[i];
    float out = fmaxf (0, fmaxf (a, b)), max = fmaxf (-a, -b);

    near += out * out;
    far += max * max;
  }
  return near > limit ? MOCT_OUT : far <= limit ? MOCT_IN : MOCT_CUTS;
}

static MoctRelation
range_relation (
    MoctSpace space, const MoctRange *r, const float lo[3], const float hi[3])
{
  MoctRelation all = MOCT_IN;

  for (int i = 0; i < (space == MOCT_RG ? 2 : 3); i++) {
    bool in, out;

    if (wraps_through_0 (space, r, i)) {
      in = hi[i] <= r->hi[i] || lo[i] >= r->lo[i];
      out = lo[i] > r->hi[i] && hi[i] < r->lo[i];
    } else {
      in = lo[i] >= r->lo[i] && hi[i] <= r->hi[i];
      out = hi[i] < r->lo[i] || lo[i] > r->hi[i];
    }
    if (out)
      return MOCT_OUT;
    if (!in)
      all = MOCT_CUTS;
  }
  return all;
}

MoctRelation
moct_relation (const MoctColour *c, const float lo[3], const float hi[3])
{
  MoctRelation any = MOCT_OUT;

  if (c->space == MOCT_LEARN)
    return MOCT_OUT;
  if (c->space == MOCT_NEAR)
    return ball_relation (c, lo, hi);
  for (int k = 0; k <= c->n_also && any != MOCT_IN; k++) {
    MoctRange r = moct_range (c, k);
    MoctRelation now = range_relation (c->space, &r, lo, hi);

    any = now == MOCT_OUT ? any : now;
  }
  return any;
}
