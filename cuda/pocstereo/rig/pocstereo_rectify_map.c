/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The map of a rectified view: the place in the frame of each of its pixels.
 * The model of lenses is OpenCV's (its reference, "Camera Calibration and 3D
 * Reconstruction"): D. Brown's radial and tangential terms, made rational, a
 * thin prism, and a sensor tilted after Scheimpflug. */
#include <math.h>

#include "common/parallel.h"
#include "pocstereo/rig/pocstereo_rectify_core.h"

typedef struct {
  double m[9];
} Matrix;

static Matrix
multiply_matrices (const double *a, int a_columns, const double *b)
{
  Matrix c;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[3 * i + j] = a[a_columns * i] * b[j] +
          a[a_columns * i + 1] * b[3 + j] + a[a_columns * i + 2] * b[6 + j];
  return c;
}

static double
matrix_minor (const double *m, int i, int j)
{
  const double *r = m + 3 * ((i + 1) % 3), *s = m + 3 * ((i + 2) % 3);

  return r[(j + 1) % 3] * s[(j + 2) % 3] - r[(j + 2) % 3] * s[(j + 1) % 3];
}

static double
matrix_determinant (const double *m)
{
  return m[0] * matrix_minor (m, 0, 0) + m[1] * matrix_minor (m, 0, 1) +
      m[2] * matrix_minor (m, 0, 2);
}

static Matrix
matrix_inverse (const double *m)
{
  double scale = 1 / matrix_determinant (m);
  Matrix v;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      v.m[3 * i + j] = matrix_minor (m, j, i) * scale;
  return v;
}

static void
apply_matrix (const double *m, const double *from, double *to)
{
  for (int i = 0; i < 3; i++)
    to[i] =
        m[3 * i] * from[0] + m[3 * i + 1] * from[1] + m[3 * i + 2] * from[2];
}

/* The projection from an upright sensor to one turned by @d[12] about x, then
 * by @d[13] about y. */
static Matrix
sensor_tilt (const double *d)
{
  double sx = sin (d[12]), cx = cos (d[12]), sy = sin (d[13]), cy = cos (d[13]);
  double about_x[9] = {1, 0, 0, 0, cx, sx, 0, -sx, cx};
  double about_y[9] = {cy, 0, -sy, 0, 1, 0, sy, 0, cy};
  Matrix turn = multiply_matrices (about_y, 3, about_x);
  double onto[9] = {
      turn.m[8], 0, -turn.m[2], 0, turn.m[8], -turn.m[5], 0, 0, 1};

  return multiply_matrices (onto, 3, turn.m);
}

static bool
all_numbers_finite (const double *v, int n)
{
  for (int i = 0; i < n; i++)
    if (!isfinite (v[i]))
      return false;
  return true;
}

const char *
pocstereo_rectify_check (const PocstereoView *v)
{
  double det;

  if (!all_numbers_finite (v->k, 9) || !all_numbers_finite (v->d, 14) ||
      !all_numbers_finite (v->r, 9) || !all_numbers_finite (v->p, 12))
    return "a number of the calibration is not finite";
  if (!(v->k[0] > 0 && v->k[4] > 0 && v->p[0] > 0 && v->p[5] > 0))
    return "a focal length of the calibration is not above 0";
  det = matrix_determinant (multiply_matrices (v->p, 4, v->r).m);
  if (!isfinite (det) || fabs (det) < 1e-9 * v->p[0] * v->p[5])
    return "the rotation or projection of the calibration cannot be inverted";
  return NULL;
}

/* The image of the direction (@x, @y, 1) by the lens; false if none. */
static bool
distort_ray (
    const double *d, const Matrix *tilted, double x, double y, double *to)
{
  double r2 = x * x + y * y, r4 = r2 * r2, r6 = r4 * r2;
  double below = 1 + d[5] * r2 + d[6] * r4 + d[7] * r6;
  double radial = (1 + d[0] * r2 + d[1] * r4 + d[4] * r6) / below;
  double bent[3] = {x * radial + 2 * d[2] * x * y + d[3] * (r2 + 2 * x * x) +
          d[8] * r2 + d[9] * r4,
      y * radial + d[2] * (r2 + 2 * y * y) + 2 * d[3] * x * y + d[10] * r2 +
          d[11] * r4,
      1};

  apply_matrix (tilted->m, bent, to);
  return below > 0 && radial > 0 && to[2] > 0;
}

/* Places this far outside of the frame have the samples of its edge. */
#define BEYOND 4

static int32_t
fixed_position (double place, int n)
{
  double least = -BEYOND, most = n - 1 + BEYOND;

  place = place > least ? place : least; /* NaN becomes least */
  place = place < most ? place : most;
  return (int32_t) floor (place * POCSTEREO_MAP_ONE + .5);
}

static bool
is_inside_frame (int32_t place, int n)
{
  return place >= 0 && place <= (n - 1) * POCSTEREO_MAP_ONE;
}

/* A camera, with the inverse of its P R and the tilt of its sensor. */
typedef struct {
  const PocstereoView *v;
  Matrix back, tilted;
} Camera;

static Camera
lens_of_view (const PocstereoView *v)
{
  return (Camera){v, matrix_inverse (multiply_matrices (v->p, 4, v->r).m),
      sensor_tilt (v->d)};
}

/* The place @source in the frame of the pixel (@x, @y) of the rectified view;
 * false if the lens does not show that pixel. */
static bool
find_source_pixel (const Camera *c, double x, double y, double source[2])
{
  double pixel[3] = {x, y, 1}, ray[3], seen[3];
  bool good;

  apply_matrix (c->back.m, pixel, ray);
  good = distort_ray (
             c->v->d, &c->tilted, ray[0] / ray[2], ray[1] / ray[2], seen) &&
      ray[2] > 0;
  source[0] = c->v->k[0] * seen[0] / seen[2] + c->v->k[2];
  source[1] = c->v->k[4] * seen[1] / seen[2] + c->v->k[5];
  return good;
}

typedef struct {
  Camera camera;
  int width, height;
  PocstereoPosition *map;
  uint8_t *valid;
} Mapping;

static void
map_view_rows (void *data, int begin, int end)
{
  const Mapping *m = data;

  for (int i = begin; i < end; i++)
    for (int j = 0; j < m->width; j++) {
      size_t at = (size_t) i * m->width + j;
      double source[2];
      bool good = find_source_pixel (&m->camera, j, i, source);

      m->map[at].x = fixed_position (source[0], m->width);
      m->map[at].y = fixed_position (source[1], m->height);
      m->valid[at] = good && is_inside_frame (m->map[at].x, m->width) &&
          is_inside_frame (m->map[at].y, m->height);
    }
}

void
pocstereo_rectify_map (const PocstereoView *v, int width, int height,
    PocstereoPosition *map, uint8_t *valid)
{
  Mapping m = {lens_of_view (v), width, height, map, valid};

  parallel_for (height, 0, map_view_rows, &m);
}

/* Each step of the search adds the error times the ratio of the focal lengths.
 * Such steps converge, because lenses bend little. */
#define STEPS 50
#define NEAR .01 /* pixels */

bool
pocstereo_rectify_find (
    const PocstereoView *v, const double from[2], double *to)
{
  Camera c = lens_of_view (v);
  double there[2], apart;

  to[0] = v->p[2] + (from[0] - v->k[2]) * v->p[0] / v->k[0];
  to[1] = v->p[6] + (from[1] - v->k[5]) * v->p[5] / v->k[4];
  for (int i = 0; i < STEPS; i++) {
    bool good = find_source_pixel (&c, to[0], to[1], there);

    apart = fmax (fabs (from[0] - there[0]), fabs (from[1] - there[1]));
    if (!good || !isfinite (apart))
      return false;
    if (apart < NEAR)
      return true;
    to[0] += (from[0] - there[0]) * v->p[0] / v->k[0];
    to[1] += (from[1] - there[1]) * v->p[5] / v->k[4];
  }
  return false;
}
