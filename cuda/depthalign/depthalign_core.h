/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where the points of the depth lie in the target, and which pixels a cell
 * covers.  Positions are integers; other numbers are of single precision, by
 * operations that IEEE 754 rounds alike on all machines. */
#pragma once

#include "common/memory.h"
#include "depthalign/depthalign.h"

C_BEGIN

#define DEPTHALIGN_BITS 6
#define DEPTHALIGN_PART (1 << DEPTHALIGN_BITS) /* positions to a pixel */
/* The widest and highest cell, pixels of the target. */
#define DEPTHALIGN_MAX_CELL 256

typedef struct {
  float fx, fy, cx, cy, k1, k2, p1, p2, k3;
  float max_r2; /* beyond this squared distance from the axis the model of the
                   lens folds back */
} DepthalignLens;

/* A frame, in the device's memory. */
typedef struct {
  const uint16_t *depth;
  ptrdiff_t stride; /* pixels from row to row */
  int width, height;
  const float *ray[3]; /* x, y and z of the ray of each pixel of the depth, of
                          length 1 along the depth camera's axis, in the axes of
                          the target; NAN: the lens does not see the pixel */
  Vec move;            /* the translation, units of depth */
  float max_step;
  DepthalignLens lens; /* of the target */
  int limit;           /* the largest side of a cell in positions */
  int target_width, target_height;
  uint16_t *target;
  ptrdiff_t target_stride; /* pixels */
} DepthalignFrame;

/* A point of the depth, as the target sees it. */
typedef struct {
  int x, y; /* position */
  float z;  /* depth; 0: the target does not see it */
} DepthalignPoint;

/* Corner 2 j + i is i to the right and j below corner 0 in the depth's
 * pixels. */
typedef struct {
  DepthalignPoint corner[4];
} DepthalignCell;

/* A triangle; a cell has two. */
typedef struct {
  int x, y;           /* of its first corner */
  int bx, by, cx, cy; /* from there to the other two */
  int area;           /* twice; at most 0: seen from behind */
  float z, dzb, dzc;  /* depth of the first corner, and by how much that of the
                         other two is more, divided by the area */
} DepthalignTriangle;

BOTH int
depthalign_min (int a, int b)
{
  return a < b ? a : b;
}

BOTH int
depthalign_max (int a, int b)
{
  return a > b ? a : b;
}

/* @u, above -DEPTHALIGN_MAX_CELL pixels, as a position. */
BOTH int
depthalign_position (float u)
{
  const int shift = DEPTHALIGN_PART * DEPTHALIGN_MAX_CELL;

  return (int) (u * DEPTHALIGN_PART + ((float) shift + .5f)) - shift;
}

/* Whether the point at @depth on a ray with @rz is in front of the target
 * camera. */
BOTH int
depthalign_is_ahead (const DepthalignFrame *f, float rz, float depth)
{
  float z = depth * rz + f->move.z;

  return (depth > 0) & (z >= 1) & (z <= 65535);
}

/* The point at @depth on the ray (@rx, @ry, @rz). */
BOTH DepthalignPoint
depthalign_point (
    const DepthalignFrame *f, float rx, float ry, float rz, float depth)
{
  const DepthalignLens *l = &f->lens;
  const float edge = DEPTHALIGN_MAX_CELL;
  float z = depth * rz + f->move.z;
  float x = (depth * rx + f->move.x) / z, y = (depth * ry + f->move.y) / z;
  float r2 = x * x + y * y;
  float radial = 1 + r2 * (l->k1 + r2 * (l->k2 + r2 * l->k3));
  float dx = 2 * l->p1 * x * y + l->p2 * (r2 + 2 * x * x);
  float dy = l->p1 * (r2 + 2 * y * y) + 2 * l->p2 * x * y;
  float u = l->fx * (x * radial + dx) + l->cx;
  float v = l->fy * (y * radial + dy) + l->cy;
  int seen = depthalign_is_ahead (f, rz, depth) & (r2 <= l->max_r2) &
      (u > -edge) & (v > -edge) & (u < (float) f->target_width + edge) &
      (v < (float) f->target_height + edge);
  DepthalignPoint p;

  p.x = depthalign_position (seen ? u : 0);
  p.y = depthalign_position (seen ? v : 0);
  p.z = seen ? z : 0;
  return p;
}

/* Whether the pixel nearest to the position (@x, @y) is in the target's
 * frame. */
BOTH int
depthalign_is_inside (const DepthalignFrame *f, int x, int y)
{
  const int half = DEPTHALIGN_PART / 2;

  return (x >= -half) & (y >= -half) &
      (x < DEPTHALIGN_PART * f->target_width - half) &
      (y < DEPTHALIGN_PART * f->target_height - half);
}

/* Whether the pixels with depths @d are one surface. */
BOTH bool
depthalign_is_whole (float max_step, const int d[4])
{
  int low =
      depthalign_min (depthalign_min (d[0], d[1]), depthalign_min (d[2], d[3]));
  int high =
      depthalign_max (depthalign_max (d[0], d[1]), depthalign_max (d[2], d[3]));

  return low > 0 && (float) (high - low) <= max_step * (float) low;
}

/* Whether pixels with the depths @a and @b are one surface. */
BOTH bool
depthalign_are_one (float max_step, int a, int b)
{
  int low = depthalign_min (a, b);

  return low > 0 &&
      (float) (depthalign_max (a, b) - low) <= max_step * (float) low;
}

/* The place half a pixel from pixel @i of a cell towards pixel @j, at @i's own
 * @depth.  @at is the number of the cell's first pixel in the rays. */
BOTH DepthalignPoint
depthalign_half_way (
    const DepthalignFrame *f, size_t at, int j, int depth, DepthalignPoint p)
{
  size_t ray = at + (size_t) (j & 1) + (size_t) (j >> 1) * (size_t) f->width;
  DepthalignPoint q = depthalign_point (
      f, f->ray[0][ray], f->ray[1][ray], f->ray[2][ray], (float) depth);

  p.x = (p.x + q.x) >> 1;
  p.y = (p.y + q.y) >> 1;
  p.z = q.z > 0 ? p.z : 0;
  return p;
}

/* The quarter that pixel @i of a torn cell covers, at its own depth: between
 * its place, the middles between it and the two pixels beside it, and the
 * cell's middle.  A pixel of the same surface says where a middle is, else two
 * other corners of the quarter, which is a parallelogram, else a ray. */
BOTH DepthalignCell
depthalign_quarter (const DepthalignFrame *f, size_t at, int i, const int d[4],
    const DepthalignCell *of)
{
  DepthalignPoint p = of->corner[i], m[4];
  bool known[4];
  DepthalignCell cell;

  UNROLLED for (int k = 0; k < 4; k++)
  {
    DepthalignPoint q = of->corner[i ^ k];

    m[k] = p;
    known[k] = q.z > 0 && depthalign_are_one (f->max_step, d[i], d[i ^ k]);
    m[k].x = (p.x + q.x) >> 1;
    m[k].y = (p.y + q.y) >> 1;
  }
  UNROLLED for (int k = 1; k < 3; k++)
  {
    int other = 3 - k;

    if (known[k])
      continue;
    if (known[other] && known[3]) {
      m[k].x = m[3].x - m[other].x + p.x;
      m[k].y = m[3].y - m[other].y + p.y;
    } else {
      m[k] = depthalign_half_way (f, at, i ^ k, d[i], p);
    }
  }
  if (!known[3]) {
    m[3].x = m[1].x + m[2].x - p.x;
    m[3].y = m[1].y + m[2].y - p.y;
  }
  UNROLLED for (int k = 0; k < 4; k++) cell.corner[i ^ k] = m[k];
  return cell;
}

/* The box around @cell in pixels of the target's frame; empty if a corner is
 * not seen, or the cell is too large. */
BOTH ImageBox
depthalign_bounds (const DepthalignFrame *f, const DepthalignCell *cell)
{
  const DepthalignPoint *p = cell->corner;
  int x0 = depthalign_min (
      depthalign_min (p[0].x, p[1].x), depthalign_min (p[2].x, p[3].x));
  int x1 = depthalign_max (
      depthalign_max (p[0].x, p[1].x), depthalign_max (p[2].x, p[3].x));
  int y0 = depthalign_min (
      depthalign_min (p[0].y, p[1].y), depthalign_min (p[2].y, p[3].y));
  int y1 = depthalign_max (
      depthalign_max (p[0].y, p[1].y), depthalign_max (p[2].y, p[3].y));
  ImageBox box = {0, 0, 0, 0};

  if (!(p[0].z > 0 && p[1].z > 0 && p[2].z > 0 && p[3].z > 0) ||
      x1 - x0 > f->limit || y1 - y0 > f->limit)
    return box;
  /* a shift rounds down, also below 0 */
  box.x0 = depthalign_max ((x0 + DEPTHALIGN_PART - 1) >> DEPTHALIGN_BITS, 0);
  box.y0 = depthalign_max ((y0 + DEPTHALIGN_PART - 1) >> DEPTHALIGN_BITS, 0);
  box.x1 = depthalign_min ((x1 >> DEPTHALIGN_BITS) + 1, f->target_width);
  box.y1 = depthalign_min ((y1 >> DEPTHALIGN_BITS) + 1, f->target_height);
  return box;
}

/* Triangle @half of @cell: at its first corner, and at its last. */
BOTH DepthalignTriangle
depthalign_triangle (const DepthalignCell *cell, int half)
{
  DepthalignPoint a = cell->corner[half ? 3 : 0];
  DepthalignPoint b = cell->corner[half ? 2 : 1];
  DepthalignPoint c = cell->corner[half ? 1 : 2];
  DepthalignTriangle t = {
      a.x, a.y, b.x - a.x, b.y - a.y, c.x - a.x, c.y - a.y, 0, a.z, 0, 0};
  float scale;

  t.area = t.bx * t.cy - t.by * t.cx;
  scale = 1 / (float) depthalign_max (t.area, 1);
  t.dzb = (b.z - a.z) * scale;
  t.dzc = (c.z - a.z) * scale;
  return t;
}

/* The weights of the second and third corner of a triangle at pixel (@x, @y) of
 * the target, as parts of the area. */
BOTH void
depthalign_weights (const DepthalignTriangle *t, int x, int y, int *b, int *c)
{
  int px = DEPTHALIGN_PART * x - t->x, py = DEPTHALIGN_PART * y - t->y;

  *b = px * t->cy - py * t->cx;
  *c = py * t->bx - px * t->by;
}

/* 65536 less the depth of a triangle, whose area is above 0, where its corners
 * have the weights @b and @c; the maximum of such words is the nearest surface.
 * 0: the triangle does not cover the pixel. */
BOTH uint32_t
depthalign_word (const DepthalignTriangle *t, int b, int c)
{
  if ((b | c | (t->area - b - c)) < 0)
    return 0;
  return 65536u -
      (uint32_t) (int) (t->z + ((float) b * t->dzb + (float) c * t->dzc) + .5f);
}

/* ---- Memory and stages ---- */

typedef struct {
  int *x, *y; /* on the CPU: the points of the depth */
  float *z;
  ImageBox *reach;         /* on the CPU: the positions of each row's points */
  uint32_t *words;         /* on the GPU, of each pixel of the target; 0
                              between frames */
  DepthalignCounts *sums;  /* on the GPU; 0 between frames */
  DepthalignCounts *count; /* of the newest frame, in pinned memory */
} DepthalignScratch;

typedef struct {
  const char *(*get_memory) (DeviceMemory *memory, DepthalignScratch *s,
      size_t pixels, int height, size_t target_pixels);
  const char *(*align) (
      const Device *dev, const DepthalignFrame *frame, DepthalignScratch *s);
} DepthalignStages;

extern const DepthalignStages depthalign_stages_cpu, depthalign_stages_cuda;

C_END
