/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pixels with normals and edges from depth and colour; the objects' plane. */
#pragma once

#include "common/random.h"
#include "common/yuv.h"
#include "scopedetect/scopedetect_core.h"
#include "scopedetect/scopedetect_features_core.h"

#define SCOPEDETECT_WINDOW 4 /* probes to each side of a pixel */
/* A step of more than this part of the depth is an edge (PCL). */
#define SCOPEDETECT_RANGE_JUMP .02f

#define SCOPEDETECT_GAP 32 /* widest gap that is crossed, pixels */
/* Tangent of the angle between the steepest surface and the image plane. */
#define SCOPEDETECT_GAP_SLOPE 2.f

#define SCOPEDETECT_HOLE 65535 /* missing depth in some recordings */

/* The depth of a pixel in metres; 0 if it is missing or below near. */
BOTH float
scopedetect_measured (
    const ScopedetectFrame *f, const ScopedetectParams *p, int x, int y)
{
  const uint16_t *row = (const uint16_t *) ((const uint8_t *) f->depth +
      (size_t) y * f->depth_stride);
  float z = (float) row[x] * (float) p->depth_scale;

  return z >= (float) p->near && row[x] != SCOPEDETECT_HOLE ? z : 0;
}

/* The depth of a pixel as in scopedetect_measured (), but 0 above far. */
BOTH float
scopedetect_depth (
    const ScopedetectFrame *f, const ScopedetectParams *p, int x, int y)
{
  float z = scopedetect_measured (f, p, x, y);

  return z <= (float) p->far ? z : 0;
}

/* The distance of the pixels that are probed for the normal of a point with the
 * depth @z0. */
BOTH int
scopedetect_normal_step (const ScopedetectScene *s, float z0, float radius)
{
  int step = (int) (radius * s->fx / z0 / SCOPEDETECT_WINDOW + .5f);

  return step < 1 ? 1 : step;
}

/* The normal of the plane fitted to @n points about @c, by their sums from @c
 * on, and those of products, @m; 0 with fewer than 5 points. */
BOTH Vec
scopedetect_fit_normal (float n, Vec sum, float m[6], Vec c)
{
  Vec out;

  if (n < 5)
    return vec (0, 0, 0);
  m[0] -= sum.x * sum.x / n, m[1] -= sum.x * sum.y / n;
  m[2] -= sum.x * sum.z / n, m[3] -= sum.y * sum.y / n;
  m[4] -= sum.y * sum.z / n, m[5] -= sum.z * sum.z / n;
  out = scopedetect_min_axis (m);
  return vec_dot (out, c) > 0 ? vec_scale (out, -1) : out;
}

/* The normal at pixel (@x, @y): of the plane fitted to the points within
 * @radius, of 9 x 9 pixels that are probed. */
BOTH Vec
scopedetect_normal (const ScopedetectScene *s, int x, int y, float radius)
{
  float z0 = s->z[(size_t) y * s->width + x], m[6] = {0}, n = 0;
  int step = scopedetect_normal_step (s, z0, radius);
  Vec c = scopedetect_unproject (s, x, y, z0), sum = {0, 0, 0};

  for (int j = -SCOPEDETECT_WINDOW; j <= SCOPEDETECT_WINDOW; j++) {
    int v = y + j * step;

    if (v < 0 || v >= s->height)
      continue;
    for (int i = -SCOPEDETECT_WINDOW; i <= SCOPEDETECT_WINDOW; i++) {
      int u = x + i * step;
      float z = u >= 0 && u < s->width ? s->z[(size_t) v * s->width + u] : 1e9f;
      Vec d;

      if (!(fabsf (z - z0) < 2 * radius))
        continue;
      d = vec_sub (scopedetect_unproject (s, u, v, z), c);
      if (vec_dot (d, d) > 2 * radius * radius)
        continue;
      sum = vec_add (sum, d);
      m[0] += d.x * d.x, m[1] += d.x * d.y, m[2] += d.x * d.z;
      m[3] += d.y * d.y, m[4] += d.y * d.z, m[5] += d.z * d.z;
      n += 1;
    }
  }
  return scopedetect_fit_normal (n, sum, m, c);
}

/* Candidate @k for the plane that objects stand on: the plane through three
 * random pixels, its normal towards the camera; false if they lie on a line. */
BOTH bool
scopedetect_draw_plane (
    const ScopedetectScene *s, uint64_t seed, uint64_t k, float plane[4])
{
  Vec p[3], n;
  float length;

  for (int i = 0; i < 3; i++) {
    int found = 0;

    for (int t = 0; t < 8 && !found; t++) { /* missing pixels are passed over */
      uint64_t at = (k * 3 + (uint64_t) i) * 8 + (uint64_t) t;
      int u = (int) random_below (seed, 2 * at, (uint32_t) s->width);
      int v = (int) random_below (seed, 2 * at + 1, (uint32_t) s->height);
      float z = s->z[(size_t) v * s->width + u];

      if (z > 0)
        p[i] = scopedetect_unproject (s, u, v, z), found = 1;
    }
    if (!found)
      return false;
  }
  n = vec_cross (vec_sub (p[1], p[0]), vec_sub (p[2], p[0]));
  length = vec_norm (n);
  if (!(length > 1e-6f))
    return false;
  n = vec_scale (n, (vec_dot (n, p[0]) > 0 ? -1 : 1) / length);
  plane[0] = n.x, plane[1] = n.y, plane[2] = n.z;
  plane[3] = -vec_dot (n, p[0]);
  return true;
}

/* Whether the point @at lies in the plane. */
BOTH bool
scopedetect_in_plane (const ScopedetectParams *p, const float plane[4], Vec at)
{
  return fabsf (scopedetect_height (plane, at)) < (float) p->table_tolerance;
}

/* Probe @i of the planes, the point of one pixel of 4 x 4; its z is 0 if the
 * depth is missing. */
BOTH Vec
scopedetect_probe (const ScopedetectScene *s, int i)
{
  int columns = (s->width + 1) / 4, x = i % columns * 4 + 2;
  int y = i / columns * 4 + 2;

  return scopedetect_unproject (s, x, y, s->z[(size_t) y * s->width + x]);
}

BOTH int
scopedetect_n_probes (const ScopedetectScene *s)
{
  return (s->width + 1) / 4 * ((s->height + 1) / 4);
}

#define SCOPEDETECT_PLANE_FITS 64  /* at most */
#define SCOPEDETECT_PLANE_FIX 8192 /* parts of a metre in sums */
/* Points of which a coordinate exceeds this number of metres are not added:
 * their squares exceed 2^42, and a frame has up to 2^20 probes. */
#define SCOPEDETECT_PLANE_REACH 256

/* The number of points of a plane, sums of coordinates, and of their products:
 * upper triangle by rows. */
typedef struct {
  long long n, x[3], xx[6];
} ScopedetectPlaneSums;

/* Adds probe @i to @sums if it lies in the plane and within
 * SCOPEDETECT_PLANE_REACH. */
BOTH void
scopedetect_add_to_plane (const ScopedetectScene *s, const ScopedetectParams *p,
    const float plane[4], int i, ScopedetectPlaneSums *sums)
{
  Vec at = scopedetect_probe (s, i);
  long long x[3] = {(long long) (at.x * SCOPEDETECT_PLANE_FIX),
      (long long) (at.y * SCOPEDETECT_PLANE_FIX),
      (long long) (at.z * SCOPEDETECT_PLANE_FIX)};

  if (!(at.z > 0) || fabsf (at.x) > SCOPEDETECT_PLANE_REACH ||
      fabsf (at.y) > SCOPEDETECT_PLANE_REACH ||
      !scopedetect_in_plane (p, plane, at))
    return;
  sums->n++;
  for (int a = 0, k = 0; a < 3; a++) {
    sums->x[a] += x[a];
    for (int b = a; b < 3; b++)
      sums->xx[k++] += x[a] * x[b];
  }
}

/* Whether the sums of two planes are equal, so that both have the same points.
 */
BOTH bool
scopedetect_same_sums (
    const ScopedetectPlaneSums *p, const ScopedetectPlaneSums *q)
{
  bool same = p->n == q->n;

  for (int k = 0; k < 6; k++)
    same &= p->x[k % 3] == q->x[k % 3] && p->xx[k] == q->xx[k];
  return same;
}

/* The least-squares plane through points, its normal towards the camera. @plane
 * stays as it is if they span no plane. */
BOTH void
scopedetect_fit_plane (const ScopedetectPlaneSums *sums, float plane[4])
{
  double n = (double) sums->n, mean[3];
  float m[6];
  Vec normal, middle;

  if (!sums->n)
    return;
  for (int a = 0; a < 3; a++)
    mean[a] = (double) sums->x[a] / n;
  for (int a = 0, k = 0; a < 3; a++)
    for (int b = a; b < 3; b++, k++)
      m[k] = (float) ((double) sums->xx[k] / n - mean[a] * mean[b]);
  normal = scopedetect_min_axis (m);
  if (!(vec_dot (normal, normal) > .5f))
    return;
  middle = vec_scale (vec ((float) mean[0], (float) mean[1], (float) mean[2]),
      1.f / SCOPEDETECT_PLANE_FIX);
  normal = vec_scale (normal, vec_dot (normal, middle) > 0 ? -1 : 1);
  plane[0] = normal.x, plane[1] = normal.y, plane[2] = normal.z;
  plane[3] = -vec_dot (normal, middle);
}

/* Whether pixel (@x, @y) lies in a region of @b; without regions, all pixels
 * do. */
BOTH bool
scopedetect_in_region (const ScopedetectBounds *b, int x, int y)
{
  for (int i = 0; i < b->n_regions; i++)
    if (x >= b->region[i].x0 && x < b->region[i].x1 && y >= b->region[i].y0 &&
        y < b->region[i].y1)
      return true;
  return !b->n_regions;
}

/* Whether pixel @p, at point @at, may belong to an object: it has a normal,
 * lies in a region and, if the plane is found, within the heights. */
BOTH bool
scopedetect_is_wanted (const ScopedetectScene *s, const ScopedetectBounds *b,
    const ScopedetectPixel *p, Vec at)
{
  int i = (int) (p - s->pixel);
  float h;

  if (!(p->z > 0) || (p->nx == 0 && p->ny == 0 && p->nz == 0) ||
      !scopedetect_in_region (b, i % s->width, i / s->width))
    return false;
  if (!b->plane->is_found)
    return true;
  h = scopedetect_height (b->plane->plane, at);
  return h > b->low && h < b->high;
}

/* The depth of the next pixel with depth from (@x, @y) along (@dx, @dy), at
 * most SCOPEDETECT_GAP pixels away; 0: there is none. @far: how many pixels. */
BOTH float
scopedetect_beside (const ScopedetectScene *s, const ScopedetectFrame *f,
    const ScopedetectParams *p, int x, int y, int dx, int dy, int *far)
{
  float z = 0;
  int k = 1;

  for (; k <= SCOPEDETECT_GAP; k++) {
    int u = x + k * dx, v = y + k * dy;

    if (u < 0 || v < 0 || u >= s->width || v >= s->height)
      return 0;
    z = scopedetect_measured (f, p, u, v);
    if (z > 0)
      break;
  }
  *far = k;
  return z;
}

/* Whether the surface ends at a pixel: a neighbour, or the next pixel with
 * depth across a gap, is farther by SCOPEDETECT_RANGE_JUMP, and by more than a
 * surface with the slope SCOPEDETECT_GAP_SLOPE would be across the gap; even
 * beyond far. Sensors of structured light see nothing in a band beside a
 * silhouette. */
BOTH bool
scopedetect_range_edge (const ScopedetectScene *s, const ScopedetectFrame *f,
    const ScopedetectParams *p, int x, int y)
{
  float z = s->z[(size_t) y * s->width + x];

  if (!(z > 0))
    return false;
  for (int k = 0; k < 9; k++) {
    int far = 0;
    float o = k == 4
        ? 0
        : scopedetect_beside (s, f, p, x, y, k % 3 - 1, k / 3 - 1, &far);
    float rise =
        far > 2 ? (float) (far - 2) * SCOPEDETECT_GAP_SLOPE * s->per_fx : 0;

    if (o - z > (SCOPEDETECT_RANGE_JUMP + rise) * z)
      return true;
  }
  return false;
}

/* Whether the surface folds at a pixel: the normals two pixels to both sides
 * differ by more than 30 degrees. */
BOTH bool
scopedetect_fold (const ScopedetectScene *s, int x, int y)
{
  for (int k = 0; k < 2; k++) {
    int dx = k ? 0 : 2, dy = k ? 2 : 0;
    const ScopedetectPixel *a, *b;

    if (x < dx || y < dy || x + dx >= s->width || y + dy >= s->height)
      continue;
    a = &s->pixel[(size_t) (y - dy) * s->width + x - dx];
    b = &s->pixel[(size_t) (y + dy) * s->width + x + dx];
    if (a->z > 0 && b->z > 0 &&
        a->nx * b->nx + a->ny * b->ny + a->nz * b->nz < .87f)
      return true;
  }
  return false;
}

/* The gradient of lightness at a pixel, from 0 to 1; it is 1 if lightness
 * changes by 25 or more from pixel to pixel. */
BOTH float
scopedetect_gradient (const ScopedetectScene *s, int x, int y)
{
  const ScopedetectPixel *p = s->pixel + (size_t) y * s->width + x;
  float gx, gy, g;

  if (x < 1 || y < 1 || x + 1 >= s->width || y + 1 >= s->height)
    return 0;
  gx = p[1].l - p[-1].l;
  gy = p[s->width].l - p[-s->width].l;
  g = sqrtf (gx * gx + gy * gy) / 50;
  return g < 1 ? g : 1;
}

/* The likelihood of an object's edge at a pixel: the sum over the kinds of
 * edges, at most 1. */
BOTH float
scopedetect_edge_at (const ScopedetectScene *s, const ScopedetectFrame *f,
    const ScopedetectParams *p, int x, int y)
{
  float e = 0;

  if (scopedetect_range_edge (s, f, p, x, y))
    e += (float) p->range_edge;
  if (p->fold_edge > 0 && scopedetect_fold (s, x, y))
    e += (float) p->fold_edge;
  if (s->has_colour && p->image_edge > 0)
    e += (float) p->image_edge * scopedetect_gradient (s, x, y);
  return e < 1 ? e : 1;
}

/* The weight of pixel @k of scopedetect_blur (). */
#define SCOPEDETECT_BLUR(k) ((k) == 4 ? .6193f : (k) % 2 ? .0838f : .0113f)

/* A 3 x 3 Gaussian with a deviation of half a pixel. @e: the 3 x 3 pixels row
 * by row, 0 outside the frame. */
BOTH float
scopedetect_blur (const float e[9])
{
  float sum = 0;

  for (int k = 0; k < 9; k++)
    sum += e[k] * SCOPEDETECT_BLUR (k);
  return sum;
}

BOTH float
scopedetect_log_edge (float e)
{
  return math_log (e < .05f ? .05f : e < 1 ? e : 1);
}

/* The colour of a pixel in Lab; @yuv is used by YUV formats alone. */
BOTH Vec
scopedetect_colour_at (const Image *img, const Yuv *yuv, int x, int y)
{
  uint8_t c[3], rgb[3];

  image_read (img, x, y, c);
  if (image_is_yuv (img->format))
    yuv_to_rgb (yuv, c, rgb);
  else if (img->format == IMAGE_GRAY8 || img->format == IMAGE_GRAY16)
    rgb[0] = rgb[1] = rgb[2] = c[0];
  else
    rgb[0] = c[0], rgb[1] = c[1], rgb[2] = c[2];
  return scopedetect_lab (rgb[0], rgb[1], rgb[2]);
}

/* Writes depth and colour of a pixel to the scene; @color may be NULL. */
BOTH void
scopedetect_read_pixel (const ScopedetectScene *s, const ScopedetectFrame *f,
    const ScopedetectParams *p, const Image *color, const Yuv *yuv, int x,
    int y)
{
  ScopedetectPixel *o = &s->pixel[(size_t) y * s->width + x];
  Vec lab = {0, 0, 0};

  o->z = s->z[(size_t) y * s->width + x] = scopedetect_depth (f, p, x, y);
  if (color)
    lab = scopedetect_colour_at (color, yuv, x, y);
  o->l = lab.x, o->a = lab.y, o->b = lab.z;
}

/* Computes the normal of a pixel, after all depths have been written. */
BOTH void
scopedetect_set_normal (const ScopedetectScene *s, float radius, int x, int y)
{
  ScopedetectPixel *p = &s->pixel[(size_t) y * s->width + x];
  Vec n = {0, 0, 0};

  if (s->z[(size_t) y * s->width + x] > 0)
    n = scopedetect_normal (s, x, y, radius);
  p->nx = n.x, p->ny = n.y, p->nz = n.z;
}
