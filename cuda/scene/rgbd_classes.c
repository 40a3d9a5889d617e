/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a tracker says about each pixel: Korn, Sanders and Pauli, figure 1 and
 * section 2.3.  It knows the true pose, and looks at its model along the same
 * ray. */
#include "scene/rgbd_core.h"

#include "common/parallel.h"

/* The voxel grid of the model, metres in the world: a cube. */
#define VOLUME_X 2.1f
#define VOLUME_Y 2.1f
#define VOLUME_NEAR -.2f
#define VOLUME_FAR 4.f

/* The rays of a row of pixels in the world: first + across * right + bend *
 * down, from t on. */
typedef struct {
  float t[3], first[3], right[3], down[3];
} Rays;

static Rays
rays_of (const RgbdPlan *plan, int y)
{
  double axes[3][3], u = -plan->cx / plan->f, v = (y - plan->cy) / plan->f;
  Rays r;

  rgbd_pose_axes (&plan->camera, axes);
  for (int i = 0; i < 3; i++) {
    r.t[i] = (float) plan->camera.t[i];
    r.first[i] = (float) (axes[i][0] * u + axes[i][1] * v + axes[i][2]);
    r.right[i] = (float) (axes[i][0] / plan->f);
    r.down[i] = (float) (axes[i][1] / plan->f);
  }
  return r;
}

/* Adds to the sums those neighbours that are within the limit. */
static void
add_neighbours (const uint16_t *row, const uint16_t *neighbour, int width,
    const uint16_t *limit, uint16_t *sum, uint16_t *n)
{
#pragma omp simd
  for (int x = 0; x < width; x++) {
    uint16_t z = row[x], other = neighbour[x];
    uint16_t off = z > other ? z - other : other - z;
    uint16_t mask = off <= limit[x] ? 0xffff : 0;

    sum[x] += other & mask;
    n[x] += mask & 1;
  }
}

/* Each pixel's mean with those around it that are within three steps of depth:
 * what a tracker's filter leaves of the noise, metres.  The sensor ends at 5 m,
 * so that nine depths fit 16 bits. */
static void
smooth_row (const Rgbd *s, int y, float *smooth)
{
  uint16_t limit[RGBD_MAX_SIZE], sum[RGBD_MAX_SIZE], n[RGBD_MAX_SIZE];
  const uint16_t *row = rgbd_depth_row (s, y);
  const int width = s->width;

  for (int x = 0; x < width; x++) {
    float z = row[x];

    limit[x] = (uint16_t) (3 * (z * z * (1 / 351000.f) + 1));
    sum[x] = n[x] = 0;
  }
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++)
      add_neighbours (row, row + j * (width + 2) + i, width, limit, sum, n);
  for (int x = 0; x < width; x++)
    smooth[x] = sum[x] * .001f / n[x];
}

static void
take_row (const Rgbd *s, int y, float *exact)
{
  const uint16_t *row = rgbd_depth_row (s, y);

  for (int x = 0; x < s->width; x++)
    exact[x] = row[x] * .001f;
}

static void
classify_row (const Rgbd *s, const Rays *rays, const RgbdRow *row, int y,
    const float *depth, uint8_t *class)
{
  const size_t at = (size_t) y * s->width;
  const float *model_z = s->model_z + at, *facing = s->model_facing + at;
  const float *across = row->across, *bend = row->bend;
  const uint8_t *marks = s->marks + at;
  const Rays r = *rays;

#pragma omp simd
  for (int x = 0; x < s->width; x++) {
    float z = depth[x], off = fabsf (z - model_z[x]) * facing[x];
    float u = across[x], v = bend[x];
    float wx = r.t[0] + z * (r.first[0] + u * r.right[0] + v * r.down[0]);
    float wy = r.t[1] + z * (r.first[1] + u * r.right[1] + v * r.down[1]);
    float wz = r.t[2] + z * (r.first[2] + u * r.right[2] + v * r.down[2]);
    bool inside = (fabsf (wx) <= VOLUME_X) & (fabsf (wy) <= VOLUME_Y) &
        (wz >= VOLUME_NEAR) & (wz <= VOLUME_FAR);
    bool hole = (model_z[x] == INFINITY) | ((marks[x] & RGBD_HIDDEN) != 0);
    int c = off < .035f ? RGBD_POTENTIAL_OUTLIER : RGBD_OUTLIER;

    c = hole ? RGBD_NO_CORRESPONDENCE : c;
    c = off < .02f ? RGBD_INLIER : c;
    c = inside ? c : RGBD_OUT_OF_VOLUME;
    class[x] = (uint8_t) (z > 0 ? c : RGBD_MISSING);
  }
}

typedef struct {
  const Rgbd *s;
  const RgbdPlan *plan;
  bool has_noise;
  uint8_t *classes;
} Tracker;

static void
classify_rows (void *data, int begin, int end)
{
  const Tracker *t = data;
  int width = t->s->width;
  uint8_t class[RGBD_MAX_SIZE];
  float z[RGBD_MAX_SIZE];
  RgbdRow row;

  for (int y = begin; y < end; y++) {
    uint8_t *to = t->classes + 2 * (size_t) y * width;
    Rays rays = rays_of (t->plan, y);

    if (t->has_noise)
      smooth_row (t->s, y, z);
    else
      take_row (t->s, y, z);
    rgbd_get_row (t->s, y, &row);
    classify_row (t->s, &rays, &row, y, z, class);
    for (int x = 0; x < width; x++)
      to[2 * x] = class[x], to[2 * x + 1] = 0;
  }
}

void
rgbd_classify (const Rgbd *s, const RgbdPlan *plan, const RgbdParams *params,
    uint8_t *classes)
{
  Tracker t = {s, plan, params->noise > 0, classes};

  parallel_for (s->height, 0, classify_rows, &t);
}
