/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Compiles a model (thesis, section 1.2): points with features, edges and
 * symmetries from points of a surface. */
#include <float.h>
#include <pthread.h>
#include <stdlib.h>

#include "common/parallel.h"
#include "common/utf8.h"
#include "scopedetect/model/shape.h"

/* The radius in which a model's normals are averaged, in radii of a scene's
 * normals: both then round off edges alike. */
#define SMOOTH .75f
#define FINEST 20 /* minimum float steps of a coordinate in a spacing */

/* Whether surface point @i may become a point of the model: no point of the
 * model on the same side of the surface is nearer than the spacing. @taken: of
 * each surface point its number in the model; -1: none. */
static bool
is_place_free (
    const ScopedetectCloud *c, const int *taken, int i, float spacing)
{
  int near[SCOPEDETECT_NEAR];
  int n = scopedetect_near (c, c->x[i], spacing, near);

  for (int k = 0; k < n; k++)
    if (taken[near[k]] >= 0 && vec_dot (c->normal[near[k]], c->normal[i]) > 0)
      return false;
  return true;
}

/* Chooses the model's points by darts: surface points in random order, unless a
 * chosen point is near (random sequential addition). @of: their surface points.
 */
static const char *
throw_darts (const ScopedetectCloud *c, float spacing, int *of, int *n)
{
  int *taken = malloc ((size_t) c->n * sizeof *taken);

  if (!taken)
    return OUT_OF_MEMORY ((size_t) c->n * sizeof *taken, "");
  for (int i = 0; i < c->n; i++)
    taken[i] = -1;
  *n = 0;
  for (int i = 0; i < c->n && *n <= SCOPEDETECT_MAX_MODEL_POINTS; i++)
    if (is_place_free (c, taken, i, spacing)) {
      of[*n] = i;
      taken[i] = (*n)++;
    }
  free (taken);
  return *n > SCOPEDETECT_MAX_MODEL_POINTS
      ? "the model would have more than 16384 points; make the spacing wider"
      : *n < 50 ? "the model would have fewer than 50 points; make the spacing "
                  "narrower, or check the units"
                : NULL;
}

typedef struct {
  const ScopedetectCloud *from; /* surface points */
  const int *of;                /* of each point, its surface point */
  float radius;
  ScopedetectCloud *to;
  float *var; /* of the normals */
} Smoothing;

/* Sets point @i to the mean of the surface points around it on the same side.
 */
static void
smooth_point (const Smoothing *s, int i)
{
  const ScopedetectCloud *c = s->from;
  ScopedetectCloud *to = s->to;
  int near[SCOPEDETECT_NEAR], j = s->of[i];
  int n = scopedetect_near (c, c->x[j], s->radius, near), same = 0;
  Vec sum = {0, 0, 0}, lab = {0, 0, 0};

  for (int k = 0; k < n; k++) {
    if (vec_dot (c->normal[near[k]], c->normal[j]) <= -.2f)
      continue;
    sum = vec_add (sum, c->normal[near[k]]);
    if (c->lab)
      lab = vec_add (lab, c->lab[near[k]]);
    same++;
  }
  to->x[i] = c->x[j];
  to->normal[i] = vec_unit (sum);
  s->var[i] = 1 - vec_norm (sum) / (float) same;
  if (to->lab)
    to->lab[i] = vec_scale (lab, 1 / (float) same);
}

static void
smooth_points (void *data, int begin, int end)
{
  for (int i = begin; i < end; i++)
    smooth_point (data, i);
}

/* The square root of the trace of the features' covariance (1.2). */
static float
sigma_of (const ScopedetectCloud *c)
{
  double sum[SCOPEDETECT_BINS] = {0}, squares = 0, means = 0;

  for (int i = 0; i < c->n; i++)
    for (int b = 0; b < SCOPEDETECT_BINS; b++) {
      double f = c->fpfh[(size_t) i * SCOPEDETECT_BINS + b];

      sum[b] += f;
      squares += f * f;
    }
  for (int b = 0; b < SCOPEDETECT_BINS; b++)
    means += sum[b] / c->n * (sum[b] / c->n);
  return (float) sqrt (squares / c->n > means ? squares / c->n - means : 0);
}

typedef struct {
  const ScopedetectShape *s;
  pthread_mutex_t lock;
  float far;  /* from the centre */
  float far2; /* from each other, squared */
} Extent;

static void
measure_shape_points (void *data, int begin, int end)
{
  Extent *e = data;
  const ScopedetectShape *s = e->s;
  float far = 0, far2 = 0;

  for (int i = begin; i < end; i++) {
    far = fmaxf (far, vec_norm (vec_sub (s->x[i], s->centre)));
    for (int j = 0; j < i; j++) {
      Vec d = vec_sub (s->x[i], s->x[j]);

      far2 = fmaxf (far2, vec_dot (d, d));
    }
  }
  pthread_mutex_lock (&e->lock);
  e->far = fmaxf (e->far, far);
  e->far2 = fmaxf (e->far2, far2);
  pthread_mutex_unlock (&e->lock);
}

/* Sets centre, radius, box and diameter of a model from its points. */
static void
measure_shape_extent (ScopedetectShape *s)
{
  Extent e = {.s = s, .lock = PTHREAD_MUTEX_INITIALIZER};
  double x = 0, y = 0, z = 0;

  s->low = s->high = s->x[0];
  for (int i = 0; i < s->n; i++) {
    Vec p = s->x[i];

    x += p.x, y += p.y, z += p.z;
    s->low = vec (
        fminf (s->low.x, p.x), fminf (s->low.y, p.y), fminf (s->low.z, p.z));
    s->high = vec (
        fmaxf (s->high.x, p.x), fmaxf (s->high.y, p.y), fmaxf (s->high.z, p.z));
  }
  s->centre = vec ((float) (x / s->n), (float) (y / s->n), (float) (z / s->n));
  parallel_for (s->n, 64, measure_shape_points, &e);
  s->radius = e.far;
  s->diameter = sqrtf (e.far2);
}

/* Moves points and features from @c to @s. */
static void
take_cloud (ScopedetectShape *s, ScopedetectCloud *c)
{
  s->n = c->n;
  s->x = c->x, s->normal = c->normal, s->lab = c->lab;
  s->has_colour = c->lab != NULL;
  s->frame = c->frame, s->code = c->code;
  s->pc1 = c->pc1, s->pc2 = c->pc2;
  c->x = c->normal = c->lab = NULL;
  c->frame = NULL, c->code = NULL, c->pc1 = c->pc2 = NULL;
}

static const char *
points_of (ScopedetectShape *s, ScopedetectSurface *surface,
    const ScopedetectCompile *how)
{
  DeviceMemory memory;
  ScopedetectCloud *c = &surface->cloud, points = {0};
  int *of = malloc ((size_t) c->n * sizeof *of), n = 0;
  float radius = (float) how->normal_radius * SMOOTH;
  const char *error =
      of ? NULL : OUT_OF_MEMORY ((size_t) c->n * sizeof *of, "");

  memory_open (&memory, device_host ());
  scopedetect_set_grid (c, s->spacing);
  if (!error)
    error = throw_darts (c, s->spacing, of, &n);
  if (!error)
    error = scopedetect_cloud_new (&memory, &points, n, c->lab != NULL, true);
  if (!error && !(s->normal_var = malloc ((size_t) n * sizeof (float))))
    error = OUT_OF_MEMORY ((size_t) n * sizeof (float), "");
  if (!error) {
    Smoothing smoothing = {c, of, radius, &points, s->normal_var};

    points.n = n;
    scopedetect_set_grid (c, radius);
    parallel_for (n, 64, smooth_points, &smoothing);
    scopedetect_set_grid (&points, s->feature_radius);
    scopedetect_set_features (&points, s->feature_radius);
    s->feature_sigma = sigma_of (&points);
    take_cloud (s, &points);
  }
  free (of);
  memory_free (&memory);
  return error;
}

static const char *
check_how (const Mesh *m, const ScopedetectCompile *how)
{
  double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};
  double d2 = 0, away = 0;

  if (!(how->unit > 0) || !(how->spacing >= .0005 && how->spacing <= .1) ||
      !(how->feature_radius >= how->spacing && how->feature_radius <= 1) ||
      !(how->normal_radius >= how->spacing && how->normal_radius <= 1))
    return "the unit must be more than 0, the spacing 0.5 mm to 10 cm, and the "
           "radii the spacing to 1 m";
  for (uint32_t i = 0; i < m->n; i++)
    for (int k = 0; k < 3; k++) {
      double v = m->x[3 * (size_t) i + k] * how->unit;

      if (!isfinite (v))
        return "a vertex of the model is not a number";
      low[k] = v < low[k] ? v : low[k];
      high[k] = v > high[k] ? v : high[k];
      away = fmax (away, fabs (v));
    }
  for (int k = 0; k < 3; k++)
    d2 += (high[k] - low[k]) * (high[k] - low[k]);
  if (m->n < 3)
    return "the model has fewer than 3 vertices";
  if (d2 > 3 * SCOPEDETECT_MAX_DIAMETER * SCOPEDETECT_MAX_DIAMETER)
    return "the object would be more than 2 m large; if the file is in "
           "millimetres, say that a unit is 0.001 m (--unit 0.001)";
  if (d2 < SCOPEDETECT_MIN_DIAMETER * SCOPEDETECT_MIN_DIAMETER)
    return "the object would be less than 1 cm large; check the unit of the "
           "file, which is taken to be metres";
  if (away * FLT_EPSILON > how->spacing / FINEST)
    return "the object lies so far from the origin of its file that its "
           "coordinates are too coarse; move it to the origin, or make the "
           "spacing wider";
  return mesh_check (m);
}

static bool
compile_goes_on (const ScopedetectCompile *how, double part)
{
  return !how->progress || how->progress (how->user, part);
}

static const char *
compile_shape (ScopedetectShape *s, ScopedetectSurface *surface,
    const Mesh *mesh, const ScopedetectCompile *how, DeviceMemory *memory)
{
  s->spacing = (float) how->spacing;
  s->feature_radius = (float) how->feature_radius;
  TRY (scopedetect_surface (surface, mesh, how, memory));
  if (!compile_goes_on (how, .2))
    return "stopped";
  TRY (scopedetect_keep_visible (surface));
  if (!compile_goes_on (how, .4))
    return "stopped";
  TRY (points_of (s, surface, how));
  measure_shape_extent (s);
  if (!compile_goes_on (how, .6))
    return "stopped";
  TRY (scopedetect_edges (s, surface));
  if (!compile_goes_on (how, .8))
    return "stopped";
  TRY (scopedetect_set_nearest (s));
  TRY (scopedetect_symmetries (s, surface));
  return compile_goes_on (how, 1) ? NULL : "stopped";
}

const char *
scopedetect_model_compile (ScopedetectModel **model, const Mesh *mesh,
    const char *name, const ScopedetectCompile *how)
{
  ScopedetectSurface surface = {0};
  DeviceMemory memory;
  ScopedetectModel *m;
  const char *error;

  *model = NULL;
  TRY (check_how (mesh, how));
  m = calloc (1, sizeof *m);
  if (!m)
    return OUT_OF_MEMORY (sizeof *m, "");
  utf8_copy (m->name, sizeof m->name, name);
  memory_open (&memory, device_host ());
  error = compile_shape (&m->shape, &surface, mesh, how, &memory);
  memory_free (&memory);
  if (error)
    scopedetect_model_free (m);
  else
    *model = m;
  return error;
}

void
scopedetect_model_free (ScopedetectModel *m)
{
  if (!m)
    return;
  free (m->shape.x);
  free (m->shape.normal);
  free (m->shape.lab);
  free (m->shape.frame);
  free (m->shape.code);
  free (m->shape.pc1);
  free (m->shape.pc2);
  free (m->shape.normal_var);
  free (m->shape.ved);
  free (m->shape.edge_first);
  free (m->shape.edge);
  free (m->shape.symmetry);
  free (m->shape.nearest);
  free (m);
}
