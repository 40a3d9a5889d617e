/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures of poses. */
#include "pose_eval.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/parallel.h"
#include "scopedetect/scopedetect.h"
#include "picture.h"

#define DELTA .015 /* metres that a visible point may lie behind the depth */
#define PARTS 256  /* parts of a mesh's vertices, each with its own sum */
#define TURNS 315  /* about an axis: a point moves by 1 % of the diameter */

const char *
pose_eval_add_object (PoseEvalMeshes *m, int object, const char *path)
{
  PoseEvalMesh *mesh = &m->list[m->n];

  if (m->n == POSE_EVAL_MESHES)
    return "there are more than 256 meshes";
  *mesh = (PoseEvalMesh){.object = object, .path = strdup (path)};
  mesh->symmetry = calloc (1, sizeof *mesh->symmetry);
  m->n++;
  if (!mesh->path || !mesh->symmetry)
    return "out of memory";
  for (int k = 0; k < 9; k += 4)
    mesh->symmetry->r[k] = 1;
  mesh->n_symmetries = 1;
  return NULL;
}

const char *
pose_eval_add_mesh (PoseEvalMeshes *m, const char *arg)
{
  char *path;
  long object = strtol (arg, &path, 10);

  if (path == arg || *path != '=' || object < 0 || object > 1000000)
    return "a mesh is given as ID=FILE, ID being the object's number";
  return pose_eval_add_object (m, (int) object, path + 1);
}

typedef struct {
  const Mesh *mesh;
  pthread_mutex_t lock;
  double max; /* squared distance of two vertices */
} Diameter;

static void
measure_vertices (void *data, int begin, int end)
{
  Diameter *diameter = data;
  const Mesh *m = diameter->mesh;
  double max = 0;

  for (int i = begin; i < end; i++)
    for (int j = 0; j < i; j++) {
      double d2 = 0;

      for (int k = 0; k < 3; k++) {
        double d = m->x[3 * (size_t) i + k] - m->x[3 * (size_t) j + k];

        d2 += d * d;
      }
      max = d2 > max ? d2 : max;
    }
  pthread_mutex_lock (&diameter->lock);
  diameter->max = max > diameter->max ? max : diameter->max;
  pthread_mutex_unlock (&diameter->lock);
}

static double
largest_distance (const Mesh *m)
{
  Diameter d = {m, PTHREAD_MUTEX_INITIALIZER, 0};

  parallel_for ((int) m->n, 64, measure_vertices, &d);
  return sqrt (d.max);
}

const char *
pose_eval_load (PoseEvalMeshes *meshes, const char **path)
{
  for (int i = 0; i < meshes->n; i++) {
    PoseEvalMesh *m = &meshes->list[i];

    if (m->mesh.n)
      continue;
    *path = m->path;
    TRY (mesh_read (&m->mesh, m->path));
    for (size_t k = 0; k < 3 * (size_t) m->mesh.n; k++)
      m->mesh.x[k] *= (float) meshes->unit;
    TRY (mesh_check (&m->mesh));
    if (!(m->diameter > 0))
      m->diameter = largest_distance (&m->mesh);
    if (!(m->diameter <= SCOPEDETECT_MAX_DIAMETER) ||
        m->diameter < SCOPEDETECT_MIN_DIAMETER)
      return "the object would be more than 2 m or less than 1 cm large; say "
             "by "
             "--unit how many metres a unit of the file is";
  }
  return NULL;
}

PoseEvalMesh *
pose_eval_mesh (PoseEvalMeshes *meshes, int object)
{
  for (int i = 0; i < meshes->n; i++)
    if (meshes->list[i].object == object)
      return &meshes->list[i];
  return NULL;
}

void
pose_eval_free (PoseEvalMeshes *meshes)
{
  for (int i = 0; i < meshes->n; i++) {
    mesh_free (&meshes->list[i].mesh);
    free (meshes->list[i].path);
    free (meshes->list[i].symmetry);
  }
}

/* The motion that applies @b, then @a. */
static PoseEvalSymmetry
motion_product (const PoseEvalSymmetry *a, const PoseEvalSymmetry *b)
{
  PoseEvalSymmetry p;

  for (int i = 0; i < 3; i++) {
    const double *row = a->r + 3 * i;

    for (int j = 0; j < 3; j++)
      p.r[3 * i + j] =
          row[0] * b->r[j] + row[1] * b->r[3 + j] + row[2] * b->r[6 + j];
    p.t[i] = row[0] * b->t[0] + row[1] * b->t[1] + row[2] * b->t[2] + a->t[i];
  }
  return p;
}

/* The rotation by @angle about the line @axis, by Rodrigues's formula. */
static PoseEvalSymmetry
rotation_about (const double axis[6], double angle)
{
  double n = sqrt (axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double x = axis[0] / n, y = axis[1] / n, z = axis[2] / n;
  double c = cos (angle), s = sin (angle), k = 1 - c;
  PoseEvalSymmetry p = {
      {c + x * x * k, x * y * k - z * s, x * z * k + y * s, y * x * k + z * s,
          c + y * y * k, y * z * k - x * s, z * x * k - y * s,
          z * y * k + x * s, c + z * z * k},
      {0, 0, 0}};

  for (int i = 0; i < 3; i++)
    p.t[i] = axis[3 + i] - p.r[3 * i] * axis[3] - p.r[3 * i + 1] * axis[4] -
        p.r[3 * i + 2] * axis[5];
  return p;
}

const char *
pose_eval_symmetries (PoseEvalMesh *m, const PoseEvalSymmetry *single, int n,
    const double (*axes)[6], int n_axes)
{
  int turns = n_axes ? n_axes * TURNS : 1, count = 1;
  PoseEvalSymmetry *s = realloc (
      m->symmetry, (size_t) (n + 1) * (size_t) turns * sizeof *m->symmetry);

  if (!s)
    return "out of memory";
  m->symmetry = s;
  for (int i = 0; i < n; i++)
    s[count++] = single[i];
  for (int a = 0; a < n_axes; a++)
    for (int k = 1; k < TURNS; k++) {
      PoseEvalSymmetry turn =
          rotation_about (axes[a], 2 * 3.14159265358979 * k / TURNS);

      for (int i = 0; i <= n; i++)
        s[count++] = motion_product (&turn, &s[i]);
    }
  m->n_symmetries = count;
  return NULL;
}

static void
apply_motion (const PoseEvalPose *p, const float x[3], double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = p->r[3 * i] * x[0] + p->r[3 * i + 1] * x[1] +
        p->r[3 * i + 2] * x[2] + p->t[i];
}

static double
squared_distance3 (const double a[3], const double b[3])
{
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];

  return x * x + y * y + z * z;
}

typedef struct {
  const Mesh *mesh;
  const PoseEvalPose *estimate, *truth;
  double sum[PARTS], sum_s[PARTS];
} Distance;

/* Adds the distances of vertex @i, from its own place and from the nearest
 * vertex. */
static void
add_vertex_distance (Distance *d, int part, uint32_t i)
{
  const Mesh *m = d->mesh;
  double a[3], b[3], min;

  apply_motion (d->truth, m->x + 3 * (size_t) i, b);
  apply_motion (d->estimate, m->x + 3 * (size_t) i, a);
  min = squared_distance3 (a, b);
  d->sum[part] += sqrt (min);
  for (uint32_t j = 0; j < m->n; j++) {
    double d2;

    apply_motion (d->estimate, m->x + 3 * (size_t) j, a);
    d2 = squared_distance3 (a, b);
    min = d2 < min ? d2 : min;
  }
  d->sum_s[part] += sqrt (min);
}

static void
add_vertex_parts (void *data, int begin, int end)
{
  Distance *d = data;

  for (int part = begin; part < end; part++) {
    uint64_t n = d->mesh->n, last = (uint64_t) (part + 1) * n / PARTS;

    for (uint64_t i = (uint64_t) part * n / PARTS; i < last; i++)
      add_vertex_distance (d, part, (uint32_t) i);
  }
}

/* The mean distance.  Its parts are the same for any number of threads, and so
 * is the sum. */
static void
mean_distance (const Mesh *m, const PoseEvalPose *estimate,
    const PoseEvalPose *truth, double *add, double *add_s)
{
  Distance d = {.mesh = m, .estimate = estimate, .truth = truth};
  double sum = 0, sum_s = 0;

  parallel_for (PARTS, 1, add_vertex_parts, &d);
  for (int part = 0; part < PARTS; part++)
    sum += d.sum[part], sum_s += d.sum_s[part];
  *add = sum / m->n;
  *add_s = sum_s / m->n;
}

/* The largest squared distance of a vertex between @estimate and @truth after
 * @s, if it is less than @limit. */
static double
surface_distance2 (const Mesh *m, const PoseEvalPose *estimate,
    const PoseEvalPose *truth, const PoseEvalSymmetry *s, double limit)
{
  PoseEvalSymmetry t, same;
  double d[12], max = 0;

  memcpy (t.r, truth->r, sizeof t.r);
  memcpy (t.t, truth->t, sizeof t.t);
  same = motion_product (&t, s);
  for (int k = 0; k < 9; k++)
    d[k] = estimate->r[k] - same.r[k];
  for (int k = 0; k < 3; k++)
    d[9 + k] = estimate->t[k] - same.t[k];
  for (uint32_t i = 0; i < m->n && max < limit; i++) {
    const float *x = m->x + 3 * (size_t) i;
    double sum = 0;

    for (int k = 0; k < 3; k++) {
      double e = d[3 * k] * x[0] + d[3 * k + 1] * x[1] + d[3 * k + 2] * x[2] +
          d[9 + k];

      sum += e * e;
    }
    max = sum > max ? sum : max;
  }
  return max;
}

/* The largest squared distance in the picture, in pixels, of a vertex between
 * @estimate and @truth after @s; INFINITY if a vertex is not in front of the
 * camera. */
static double
projection_distance2 (const Mesh *m, const PoseEvalImage *im,
    const PoseEvalPose *estimate, const PoseEvalPose *truth,
    const PoseEvalSymmetry *s, double limit)
{
  PoseEvalPose same = *truth;
  PoseEvalSymmetry t, p;
  double max = 0;

  memcpy (t.r, truth->r, sizeof t.r);
  memcpy (t.t, truth->t, sizeof t.t);
  p = motion_product (&t, s);
  memcpy (same.r, p.r, sizeof p.r);
  memcpy (same.t, p.t, sizeof p.t);
  for (uint32_t i = 0; i < m->n && max < limit; i++) {
    double a[3], b[3], x, y;

    apply_motion (estimate, m->x + 3 * (size_t) i, a);
    apply_motion (&same, m->x + 3 * (size_t) i, b);
    if (!(a[2] > 0) || !(b[2] > 0))
      return INFINITY;
    x = im->fx * (a[0] / a[2] - b[0] / b[2]);
    y = im->fy * (a[1] / a[2] - b[1] / b[2]);
    max = fmax (max, x * x + y * y);
  }
  return max;
}

const char *
pose_eval_read_depth (PoseEvalImage *image, const char *path)
{
  const uint16_t *pixel;
  void *pixels;
  size_t n;

  TRY (picture_read (path, 16, 1, &image->width, &image->height, &pixels));
  pixel = pixels;
  n = (size_t) image->width * (size_t) image->height;
  image->depth = malloc (n * sizeof *image->depth);
  for (size_t i = 0; image->depth && i < n; i++)
    image->depth[i] = (float) (image->scale * pixel[i]);
  free (pixels);
  return image->depth ? NULL : "out of memory";
}

/* The first of the pixels 0 to @max - 1 that is not below @at.  A pose may put
 * @at far outside of the frame, or make it NaN. */
static int
first_pixel_from (double at, int max)
{
  return at > 0 ? (at < max ? (int) ceil (at) : max) : 0;
}

/* Draws a triangle, whose corners are in the camera's frame, into the depth @z:
 * pixels whose rays meet it. */
static void
draw_triangle (const PoseEvalImage *im, double v[3][3], float *z)
{
  double u[3], w[3], area;
  int x0, x1, y0, y1;

  for (int k = 0; k < 3; k++) {
    if (v[k][2] < .01)
      return;
    u[k] = im->fx * v[k][0] / v[k][2] + im->cx;
    w[k] = im->fy * v[k][1] / v[k][2] + im->cy;
  }
  area = (u[1] - u[0]) * (w[2] - w[0]) - (u[2] - u[0]) * (w[1] - w[0]);
  if (!isfinite (area) || area == 0)
    return;
  x0 = first_pixel_from (fmin (u[0], fmin (u[1], u[2])), im->width);
  y0 = first_pixel_from (fmin (w[0], fmin (w[1], w[2])), im->height);
  x1 = first_pixel_from (floor (fmax (u[0], fmax (u[1], u[2]))) + 1, im->width);
  y1 =
      first_pixel_from (floor (fmax (w[0], fmax (w[1], w[2]))) + 1, im->height);
  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++) {
      double b =
          ((x - u[0]) * (w[2] - w[0]) - (u[2] - u[0]) * (y - w[0])) / area;
      double c =
          ((u[1] - u[0]) * (y - w[0]) - (x - u[0]) * (w[1] - w[0])) / area;
      double at;

      if (b < 0 || c < 0 || b + c > 1)
        continue;
      at = 1 / ((1 - b - c) / v[0][2] + b / v[1][2] + c / v[2][2]);
      if (!z[y * im->width + x] || at < z[y * im->width + x])
        z[y * im->width + x] = (float) at;
    }
}

static float *
render_depth (const PoseEvalImage *im, const Mesh *m, const PoseEvalPose *p)
{
  float *z = calloc ((size_t) im->width * im->height, sizeof *z);

  for (uint32_t t = 0; z && t < m->n_triangles; t++) {
    double v[3][3];

    for (int k = 0; k < 3; k++)
      apply_motion (
          p, m->x + 3 * (size_t) m->triangles[3 * (size_t) t + k], v[k]);
    draw_triangle (im, v, z);
  }
  return z;
}

/* The distance of a pixel's point from the camera, from its depth. */
static double
pixel_range (const PoseEvalImage *im, int i, double z)
{
  double x = (i % im->width - im->cx) / im->fx;
  double y = (i / im->width - im->cy) / im->fy;

  return z * sqrt (1 + x * x + y * y);
}

/* Whether pixel @i of a pose is visible; @z is the depth of the pose. */
static bool
is_pixel_visible (const PoseEvalImage *im, int i, const float *z)
{
  double scene = im->depth[i] > 0 ? pixel_range (im, i, im->depth[i]) : 1e9;

  return z[i] > 0 && pixel_range (im, i, z[i]) - scene <= DELTA;
}

static const char *
measure_vsd (const PoseEvalImage *im, const PoseEvalMesh *m,
    const PoseEvalPose *estimate, const PoseEvalPose *truth,
    double vsd[POSE_EVAL_TAUS])
{
  float *e = render_depth (im, &m->mesh, estimate),
        *t = render_depth (im, &m->mesh, truth);
  double bad[POSE_EVAL_TAUS] = {0}, all = 0;
  bool is_drawn = e && t;

  for (int i = 0; is_drawn && i < im->width * im->height; i++) {
    double apart = fabs (pixel_range (im, i, e[i]) - pixel_range (im, i, t[i]));
    bool in_t = is_pixel_visible (im, i, t);
    /* where the truth is visible, the estimate is, too */
    bool in_e = is_pixel_visible (im, i, e) || (in_t && e[i] > 0);

    all += in_t || in_e;
    for (int k = 0; k < POSE_EVAL_TAUS; k++)
      bad[k] += (in_t || in_e) &&
          (!in_t || !in_e || apart >= .05 * (k + 1) * m->diameter);
  }
  free (e);
  free (t);
  for (int k = 0; k < POSE_EVAL_TAUS; k++)
    vsd[k] = all > 0 ? bad[k] / all : 1;
  return is_drawn ? NULL : "out of memory";
}

double
pose_eval_mean_vsd (const PoseEvalErrors *errors)
{
  double sum = 0;

  for (int k = 0; k < POSE_EVAL_TAUS; k++)
    sum += errors->vsd[k] / POSE_EVAL_TAUS;
  return sum;
}

const char *
pose_eval_visible (const PoseEvalMesh *m, const PoseEvalImage *im,
    const PoseEvalPose *truth, double *visible)
{
  float *z = render_depth (im, &m->mesh, truth);
  int all = 0, seen = 0;

  if (!z)
    return "out of memory";
  for (int i = 0; i < im->width * im->height; i++) {
    all += z[i] > 0;
    seen += is_pixel_visible (im, i, z);
  }
  free (z);
  *visible = all ? (double) seen / all : 0;
  return NULL;
}

const char *
pose_eval_errors (const PoseEvalMesh *m, const PoseEvalImage *im,
    const PoseEvalPose *estimate, const PoseEvalPose *truth, PoseEvalErrors *e)
{
  double surface = INFINITY, pixels = INFINITY;

  mean_distance (&m->mesh, estimate, truth, &e->add, &e->add_s);
  for (int s = 0; s < m->n_symmetries; s++) {
    surface = fmin (surface,
        surface_distance2 (
            &m->mesh, estimate, truth, &m->symmetry[s], surface));
    if (im->fx > 0)
      pixels = fmin (pixels,
          projection_distance2 (
              &m->mesh, im, estimate, truth, &m->symmetry[s], pixels));
  }
  e->mssd = sqrt (surface);
  e->mspd = im->fx > 0 ? sqrt (pixels) * 640 / (im->width > 0 ? im->width : 640)
                       : NAN;
  for (int k = 0; k < POSE_EVAL_TAUS; k++)
    e->vsd[k] = NAN;
  if (im->depth && im->fx > 0 && m->mesh.n_triangles)
    TRY (measure_vsd (im, m, estimate, truth, e->vsd));
  return NULL;
}
