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

#define DELTA .015 /* metres by which what is seen may lie behind the scene */
#define PARTS 256  /* of a mesh's vertices, each with a sum of its own */

const char *
pose_eval_add_mesh (PoseEvalMeshes *m, const char *arg)
{
  char *path;
  long object = strtol (arg, &path, 10);

  if (path == arg || *path != '=' || object < 0 || object > 1000000)
    return "a mesh is given as ID=FILE, ID being the object's number";
  if (m->n == POSE_EVAL_MESHES)
    return "there are more than 256 meshes";
  m->list[m->n].object = (int) object;
  m->list[m->n++].path = path + 1;
  return NULL;
}

typedef struct {
  const Mesh *mesh;
  pthread_mutex_t lock;
  double most; /* squared distance of two vertices */
} Diameter;

static void
measure_vertices (void *data, int begin, int end)
{
  Diameter *diameter = data;
  const Mesh *m = diameter->mesh;
  double most = 0;

  for (int i = begin; i < end; i++)
    for (int j = 0; j < i; j++) {
      double d2 = 0;

      for (int k = 0; k < 3; k++) {
        double d = m->x[3 * (size_t) i + k] - m->x[3 * (size_t) j + k];

        d2 += d * d;
      }
      most = d2 > most ? d2 : most;
    }
  pthread_mutex_lock (&diameter->lock);
  diameter->most = most > diameter->most ? most : diameter->most;
  pthread_mutex_unlock (&diameter->lock);
}

static double
diameter_of (const Mesh *m)
{
  Diameter d = {m, PTHREAD_MUTEX_INITIALIZER, 0};

  parallel_for ((int) m->n, 64, measure_vertices, &d);
  return sqrt (d.most);
}

const char *
pose_eval_load (PoseEvalMeshes *meshes, const char **path)
{
  for (int i = 0; i < meshes->n; i++) {
    PoseEvalMesh *m = &meshes->list[i];

    *path = m->path;
    TRY (mesh_read (&m->mesh, m->path));
    for (uint32_t k = 0; k < 3 * m->mesh.n; k++) {
      m->mesh.x[k] *= (float) meshes->unit;
      if (!isfinite (m->mesh.x[k]))
        return "a vertex is not a number";
    }
    for (uint32_t k = 0; k < 3 * m->mesh.n_triangles; k++)
      if (m->mesh.triangles[k] >= m->mesh.n)
        return "a triangle names a vertex that is not there";
    m->diameter = diameter_of (&m->mesh);
    if (!(m->diameter <= SCOPEDETECT_MAX_DIAMETER) ||
        m->diameter < SCOPEDETECT_MIN_DIAMETER)
      return "the object would be more than 2 m or less than 1 cm large; say "
             "by "
             "--unit how many metres a unit of the file is";
  }
  return NULL;
}

const PoseEvalMesh *
pose_eval_mesh (const PoseEvalMeshes *meshes, int object)
{
  for (int i = 0; i < meshes->n; i++)
    if (meshes->list[i].object == object)
      return &meshes->list[i];
  return NULL;
}

void
pose_eval_free (PoseEvalMeshes *meshes, PoseEvalImage *image)
{
  for (int i = 0; i < meshes->n; i++)
    mesh_free (&meshes->list[i].mesh);
  free (image->depth);
}

static void
apply (const PoseEvalPose *p, const float x[3], double out[3])
{
  for (int i = 0; i < 3; i++)
    out[i] = p->r[3 * i] * x[0] + p->r[3 * i + 1] * x[1] +
        p->r[3 * i + 2] * x[2] + p->t[i];
}

static double
distance2 (const double a[3], const double b[3])
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
add_vertex (Distance *d, int part, uint32_t i)
{
  const Mesh *m = d->mesh;
  double a[3], b[3], least;

  apply (d->truth, m->x + 3 * (size_t) i, b);
  apply (d->estimate, m->x + 3 * (size_t) i, a);
  least = distance2 (a, b);
  d->sum[part] += sqrt (least);
  for (uint32_t j = 0; j < m->n; j++) {
    double d2;

    apply (d->estimate, m->x + 3 * (size_t) j, a);
    d2 = distance2 (a, b);
    least = d2 < least ? d2 : least;
  }
  d->sum_s[part] += sqrt (least);
}

static void
add_parts (void *data, int begin, int end)
{
  Distance *d = data;

  for (int part = begin; part < end; part++) {
    uint64_t n = d->mesh->n, last = (uint64_t) (part + 1) * n / PARTS;

    for (uint64_t i = (uint64_t) part * n / PARTS; i < last; i++)
      add_vertex (d, part, (uint32_t) i);
  }
}

/* The parts are the same for any number of threads, and so is the sum. */
void
pose_eval_add (const Mesh *m, const PoseEvalPose *estimate,
    const PoseEvalPose *truth, double *add, double *add_s)
{
  Distance d = {.mesh = m, .estimate = estimate, .truth = truth};
  double sum = 0, sum_s = 0;

  parallel_for (PARTS, 1, add_parts, &d);
  for (int part = 0; part < PARTS; part++)
    sum += d.sum[part], sum_s += d.sum_s[part];
  *add = sum / m->n;
  *add_s = sum_s / m->n;
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

/* Of pixels 0 to @most - 1, where those that are at @at or more begin; a pose
 * may lead far outside, or to what is no number. */
static int
first_from (double at, int most)
{
  return at > 0 ? (at < most ? (int) ceil (at) : most) : 0;
}

/* One triangle, corners in the camera's frame, to @z: pixels whose rays meet
 * it. */
static void
draw (const PoseEvalImage *im, double v[3][3], float *z)
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
  x0 = first_from (fmin (u[0], fmin (u[1], u[2])), im->width);
  y0 = first_from (fmin (w[0], fmin (w[1], w[2])), im->height);
  x1 = first_from (floor (fmax (u[0], fmax (u[1], u[2]))) + 1, im->width);
  y1 = first_from (floor (fmax (w[0], fmax (w[1], w[2]))) + 1, im->height);
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
render (const PoseEvalImage *im, const Mesh *m, const PoseEvalPose *p)
{
  float *z = calloc ((size_t) im->width * im->height, sizeof *z);

  for (uint32_t t = 0; z && t < m->n_triangles; t++) {
    double v[3][3];

    for (int k = 0; k < 3; k++)
      apply (p, m->x + 3 * (size_t) m->triangles[3 * (size_t) t + k], v[k]);
    draw (im, v, z);
  }
  return z;
}

/* How far a pixel's point is from the camera, for its depth. */
static double
range (const PoseEvalImage *im, int i, double z)
{
  double x = (i % im->width - im->cx) / im->fx;
  double y = (i / im->width - im->cy) / im->fy;

  return z * sqrt (1 + x * x + y * y);
}

double
pose_eval_vsd (const PoseEvalImage *im, const PoseEvalMesh *m,
    const PoseEvalPose *estimate, const PoseEvalPose *truth)
{
  float *e = render (im, &m->mesh, estimate), *t = render (im, &m->mesh, truth);
  double bad[10] = {0}, all = 0, sum = 0;

  for (int i = 0; e && t && i < im->width * im->height; i++) {
    double s = im->depth[i] > 0 ? range (im, i, im->depth[i]) : 1e9;
    double de = range (im, i, e[i]), dt = range (im, i, t[i]);
    bool in_t = t[i] > 0 && dt - s <= DELTA;
    /* what the truth shows, the estimate shows too */
    bool in_e = e[i] > 0 && (de - s <= DELTA || in_t);

    all += in_t || in_e;
    for (int k = 0; k < 10; k++)
      bad[k] += (in_t || in_e) &&
          (!in_t || !in_e || fabs (de - dt) >= .05 * (k + 1) * m->diameter);
  }
  free (e);
  free (t);
  for (int k = 0; k < 10; k++)
    sum += all > 0 ? bad[k] / all / 10 : .1;
  return sum;
}
