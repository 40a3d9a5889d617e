/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The tracker: its model, and the class that it gives each pixel. */
#include "scene/rgbd_core.h"

#include "common/parallel.h"

/* ---- The model ----
 *
 * The room, as far as an earlier view showed it, and each mover in its place
 * until the room behind it was seen.  A fusion of depth frames forgets a
 * surface through which it sees, and learns the surface behind. */

/* The nearest surface, metres. */
#define NEAREST .5

/* The greatest distance in pixels that a point moves between the camera and the
 * latest view: by rotation, which is largest at the sides of the view, 35
 * degrees from its middle, and by translation, seen from the nearest
 * surface. */
static int
view_margin (const RgbdPlan *plan, const Pose64 *step)
{
  double turn = fabs (step->q[1]) + fabs (step->q[2]) + fabs (step->q[3]);
  double way = fabs (step->t[0]) + fabs (step->t[1]) + fabs (step->t[2]);

  return (int) (plan->f * (turn * (3 + 12 * turn) + 1.1 * way / NEAREST)) + 2;
}

RgbdViews
rgbd_views (const RgbdPlan *plan)
{
  RgbdViews m = {.width = plan->width,
      .height = plan->height,
      .f = (float) plan->f,
      .cx = (float) plan->cx,
      .cy = (float) plan->cy,
      .lens = plan->lens};
  Pose64 camera = rgbd_pose_inverse (&plan->camera);
  Pose64 latest = rgbd_pose_inverse (&plan->views[0]);

  for (int k = 0; k < RGBD_VIEWS; k++) {
    Pose64 back = rgbd_pose_inverse (&plan->views[k]);
    Pose64 step = rgbd_pose_chain (&back, &plan->camera);
    double axes[3][3];

    if (!k && plan->lens.min == 1) {
      int rim = view_margin (plan, &step);

      m.known = (ImageBox){rim, rim, plan->width - rim, plan->height - rim};
    }
    quat64_matrix (step.q, axes);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        m.view[k][i][j] = (float) axes[i][j];
      m.view[k][i][3] = (float) step.t[i];
    }
  }
  for (int i = 0; i < plan->n_movers; i++)
    for (int j = 0; j < plan->movers[i].body->n_parts; j++) {
      const RgbdSolid *solid = &plan->movers[i].body->parts[j];
      Pose64 part = rgbd_pose_chain (&plan->movers[i].before, &solid->pose);
      Pose64 now = rgbd_pose_chain (&camera, &part);
      Pose64 then = rgbd_pose_chain (&latest, &part);

      m.parts[m.n_parts] = rgbd_aim (plan, solid, &now);
      then = rgbd_pose_inverse (&then);
      for (int k = 0; k < 3; k++)
        m.eye[m.n_parts][k] = (float) then.t[k];
      m.n_parts++;
    }
  return m;
}

/* Moves the point @q to where the lens shows it, at the same depth. */
static void
bend_point (const RgbdLens *lens, float q[3])
{
  double x, y, factor;

  if (lens->min == 1 || q[2] <= 0)
    return;
  x = q[0] / q[2], y = q[1] / q[2];
  factor = rgbd_lens_factor (lens, x * x + y * y);
  q[0] *= (float) factor, q[1] *= (float) factor;
}

bool
rgbd_was_in_view (const RgbdViews *m, float x, float y, float z)
{
  float p[3] = {(x - m->cx) / m->f * z, (y - m->cy) / m->f * z, z};

  for (int k = 0; k < RGBD_VIEWS; k++) {
    const float (*v)[4] = m->view[k];
    float q[3];

    for (int i = 0; i < 3; i++)
      q[i] = v[i][0] * p[0] + v[i][1] * p[1] + v[i][2] * p[2] + v[i][3];
    bend_point (&m->lens, q);
    q[0] = m->f * q[0] + (m->cx + .5f) * q[2];
    q[1] = m->f * q[1] + (m->cy + .5f) * q[2];
    if (q[2] > 0 && q[0] >= 0 && q[0] <= m->width * q[2] && q[1] >= 0 &&
        q[1] <= m->height * q[2])
      return true;
  }
  return false;
}

bool
rgbd_was_uncovered (const RgbdViews *m, float x, float y, float z, bool moves)
{
  float own = moves ? .999f : 1; /* a mover's own surface does not hide it */

  for (int i = 0; i < m->n_parts; i++) {
    RgbdTarget t = m->parts[i]; /* from the camera of that view */
    float way[3], part, facing;

    for (int k = 0; k < 3; k++) {
      way[k] = t.eye[k] + z * (t.ray[k] + x * t.right[k] + y * t.down[k]) -
          m->eye[i][k];
      t.eye[k] = m->eye[i][k];
    }
    if (rgbd_meet (&t, way, &part, &facing) && part < own)
      return false;
  }
  return true;
}

/* ---- The class of a pixel ----
 *
 * Korn, Sanders and Pauli, figure 1 and section 2.3.  The tracker knows the
 * true pose, and compares with its model along the same ray. */

/* The voxel grid of the model, metres in the world: a cube. */
#define VOLUME_X 2.1f
#define VOLUME_Y 2.1f
#define VOLUME_NEAR -.2f
#define VOLUME_FAR 4.f

/* The rays of a row of pixels in the world: first + across * right + bend *
 * down, starting at t. */
typedef struct {
  float t[3], first[3], right[3], down[3];
} Rays;

static Rays
rays_of_row (const RgbdPlan *plan, int y)
{
  double axes[3][3], u = -plan->cx / plan->f, v = (y - plan->cy) / plan->f;
  Rays r;

  quat64_matrix (plan->camera.q, axes);
  for (int i = 0; i < 3; i++) {
    r.t[i] = (float) plan->camera.t[i];
    r.first[i] = (float) (axes[i][0] * u + axes[i][1] * v + axes[i][2]);
    r.right[i] = (float) (axes[i][0] / plan->f);
    r.down[i] = (float) (axes[i][1] / plan->f);
  }
  return r;
}

/* Adds the neighbours within the limit to the sums. */
static void
add_near_neighbours (const uint16_t *row, const uint16_t *neighbour, int width,
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

/* Averages each pixel with its neighbours that are within three steps of depth,
 * as a tracker's filter reduces noise; metres.  The sensor ends at 5 m, so that
 * the sum of nine depths fits 16 bits. */
static void
smooth_depth_row (const Rgbd *s, int y, float *smooth)
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
      add_near_neighbours (
          row, row + j * (width + 2) + i, width, limit, sum, n);
  for (int x = 0; x < width; x++)
    smooth[x] = sum[x] * .001f / n[x];
}

static void
read_depth_row (const Rgbd *s, int y, float *exact)
{
  const uint16_t *row = rgbd_depth_row (s, y);

  for (int x = 0; x < s->width; x++)
    exact[x] = row[x] * .001f;
}

static void
classify_depth_row (const Rgbd *s, const Rays *rays, const RgbdRow *row, int y,
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
classify_depth_rows (void *data, int begin, int end)
{
  const Tracker *t = data;
  int width = t->s->width;
  uint8_t class[RGBD_MAX_SIZE];
  float z[RGBD_MAX_SIZE];
  RgbdRow row;

  for (int y = begin; y < end; y++) {
    uint8_t *to = t->classes + 2 * (size_t) y * width;
    Rays rays = rays_of_row (t->plan, y);

    if (t->has_noise)
      smooth_depth_row (t->s, y, z);
    else
      read_depth_row (t->s, y, z);
    rgbd_get_row (t->s, y, &row);
    classify_depth_row (t->s, &rays, &row, y, z, class);
    for (int x = 0; x < width; x++)
      to[2 * x] = class[x], to[2 * x + 1] = 0;
  }
}

void
rgbd_classify (const Rgbd *s, const RgbdPlan *plan, const RgbdParams *params,
    uint8_t *classes)
{
  Tracker t = {s, plan, params->noise > 0, classes};

  parallel_for (s->height, 0, classify_depth_rows, &t);
}
