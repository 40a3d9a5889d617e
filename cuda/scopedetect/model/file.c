/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Model files: a head, the arrays, and a checksum; little endian, IEEE floats.
 * The grid of nearest points is not in the file, and is made anew. */
#include <stdlib.h>

#include "common/file.h"
#include "common/utf8.h"
#include "scopedetect/model/shape.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
# error "model files are little endian"
#endif

#define MAGIC "SCOPEMDL"
#define VERSION 1
#define TOLERANCE .01f /* of squares of lengths, a part of 1 */
#define MAX_FILE ((size_t) 256 << 20)

typedef struct {
  char magic[8];
  uint32_t version, n, n_edges, n_symmetries, has_colour, has_axis;
  float spacing, feature_radius, feature_sigma, diameter, radius;
  Vec centre, low, high, axis;
  char name[64];
} Head;

/* The checksum of @n bytes, by FNV-1a. */
static uint64_t
checksum_of_model (const uint8_t *p, size_t n)
{
  uint64_t h = 0xcbf29ce484222325ull;

  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * 0x100000001b3ull;
  return h;
}

#define ARRAYS 12

typedef struct {
  void **at;
  size_t bytes;
} Array;

/* The arrays of @s by its counts, in the order of the file. */
static void
list_arrays (ScopedetectShape *s, Array a[ARRAYS])
{
  size_t n = (size_t) s->n;
  const Array list[ARRAYS] = {{(void **) &s->x, n * sizeof *s->x},
      {(void **) &s->normal, n * sizeof *s->normal},
      {(void **) &s->lab, s->has_colour ? n * sizeof *s->lab : 0},
      {(void **) &s->frame, n * sizeof *s->frame},
      {(void **) &s->code, n * SCOPEDETECT_CODE * sizeof *s->code},
      {(void **) &s->pc1, n * sizeof *s->pc1},
      {(void **) &s->pc2, n * sizeof *s->pc2},
      {(void **) &s->normal_var, n * sizeof *s->normal_var},
      {(void **) &s->ved, n * SCOPEDETECT_VIEWS},
      {(void **) &s->edge_first,
          (SCOPEDETECT_VIEWS + 1) * sizeof *s->edge_first},
      {(void **) &s->edge, (size_t) s->n_edges * sizeof *s->edge},
      {(void **) &s->symmetry, (size_t) s->n_symmetries * sizeof *s->symmetry}};

  memcpy (a, list, sizeof list);
}

static size_t
total_bytes (const Array a[ARRAYS])
{
  size_t n = sizeof (Head) + sizeof (uint64_t);

  for (int i = 0; i < ARRAYS; i++)
    n += a[i].bytes;
  return n;
}

const char *
scopedetect_model_write (
    const ScopedetectModel *model, uint8_t **bytes, size_t *n)
{
  ScopedetectShape s = model->shape;
  Head head = {.version = VERSION,
      .n = (uint32_t) s.n,
      .n_edges = (uint32_t) s.n_edges,
      .n_symmetries = (uint32_t) s.n_symmetries,
      .has_colour = s.has_colour,
      .has_axis = s.has_axis,
      .spacing = s.spacing,
      .feature_radius = s.feature_radius,
      .feature_sigma = s.feature_sigma,
      .diameter = s.diameter,
      .radius = s.radius,
      .centre = s.centre,
      .low = s.low,
      .high = s.high,
      .axis = s.axis};
  Array a[ARRAYS];
  uint8_t *p;
  uint64_t sum;

  memcpy (head.magic, MAGIC, sizeof head.magic);
  memcpy (head.name, model->name, sizeof head.name);
  list_arrays (&s, a);
  *n = total_bytes (a);
  if (!(*bytes = p = malloc (*n)))
    return OUT_OF_MEMORY (*n, "");
  memcpy (p, &head, sizeof head);
  p += sizeof head;
  for (int i = 0; i < ARRAYS; i++) {
    if (a[i].bytes)
      memcpy (p, *a[i].at, a[i].bytes);
    p += a[i].bytes;
  }
  sum = checksum_of_model (*bytes, (size_t) (p - *bytes));
  memcpy (p, &sum, sizeof sum);
  return NULL;
}

static const char *
read_model_head (ScopedetectShape *s, const Head *h, size_t bytes)
{
  Array a[ARRAYS];

  if (h->n < 1 || h->n > SCOPEDETECT_MAX_MODEL_POINTS ||
      h->n_edges > h->n * SCOPEDETECT_VIEWS || h->n_symmetries < 1 ||
      h->n_symmetries > SCOPEDETECT_MAX_SYMMETRIES)
    return "the model file is damaged: its counts are impossible";
  if (!(h->spacing >= .0005f && h->spacing <= .1f) ||
      !(h->feature_radius >= h->spacing && h->feature_radius <= 1) ||
      !(h->feature_sigma >= 0 && h->feature_sigma < 1000) ||
      !(h->radius > 0 && h->radius < 10) ||
      !(h->diameter > 0 && h->diameter < 10))
    return "the model file is damaged: its sizes are impossible";
  s->n = (int) h->n, s->n_edges = (int) h->n_edges;
  s->n_symmetries = (int) h->n_symmetries;
  s->has_colour = h->has_colour, s->has_axis = h->has_axis;
  s->spacing = h->spacing, s->feature_radius = h->feature_radius;
  s->feature_sigma = h->feature_sigma, s->diameter = h->diameter;
  s->radius = h->radius, s->centre = h->centre, s->axis = h->axis;
  s->low = h->low, s->high = h->high;
  list_arrays (s, a);
  return total_bytes (a) == bytes
      ? NULL
      : "the model file is damaged: it is shorter or longer than it says";
}

static bool
is_in_shape_box (const ScopedetectShape *s, Vec p)
{
  return p.x >= s->low.x && p.y >= s->low.y && p.z >= s->low.z &&
      p.x <= s->high.x && p.y <= s->high.y && p.z <= s->high.z;
}

static bool
are_numbers_finite (const float *v, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (!(fabsf (v[i]) < 1e6f))
      return false;
  return true;
}

static bool
is_unit_quat (Quat q)
{
  return fabsf (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < TOLERANCE;
}

/* Whether points and symmetries are as a search expects: points lie in the
 * ball, and no normal is longer than 1. */
static bool
are_shapely (const ScopedetectShape *s)
{
  float max_d2 = s->radius * s->radius * (1 + TOLERANCE);

  for (int i = 0; i < s->n; i++) {
    Vec d = vec_sub (s->x[i], s->centre);

    if (vec_dot (d, d) > max_d2 || !is_unit_quat (s->frame[i]) ||
        vec_dot (s->normal[i], s->normal[i]) > 1 + TOLERANCE)
      return false;
  }
  for (int i = 0; i < s->n_symmetries; i++)
    if (!is_unit_quat (s->symmetry[i].q))
      return false;
  return true;
}

/* Whether all indices of a file, whoever wrote it, lie in their arrays. */
static const char *
check_arrays (const ScopedetectShape *s)
{
  size_t n = (size_t) s->n;
  bool good = are_numbers_finite ((float *) &s->low, 3) &&
      are_numbers_finite ((float *) &s->high, 3) &&
      are_numbers_finite ((float *) &s->centre, 3) &&
      are_numbers_finite ((float *) &s->axis, 3) &&
      are_numbers_finite ((float *) s->x, 3 * n) &&
      are_numbers_finite ((float *) s->normal, 3 * n) &&
      are_numbers_finite ((float *) s->frame, 4 * n) &&
      (!s->lab || are_numbers_finite ((float *) s->lab, 3 * n)) &&
      are_numbers_finite (s->pc1, n) && are_numbers_finite (s->pc2, n) &&
      are_numbers_finite (s->normal_var, n) &&
      are_numbers_finite ((float *) s->symmetry, 7 * (size_t) s->n_symmetries);

  good = good && are_shapely (s);
  for (size_t i = 0; good && i < n; i++)
    good = is_in_shape_box (s, s->x[i]);
  for (size_t i = 0; good && i < n * SCOPEDETECT_CODE; i++)
    good = s->code[i] >= 0 && s->code[i] <= 100 * SCOPEDETECT_CODE_SCALE;
  good = good && s->edge_first[0] == 0 &&
      s->edge_first[SCOPEDETECT_VIEWS] == (uint32_t) s->n_edges;
  for (int v = 0; good && v < SCOPEDETECT_VIEWS; v++)
    good = s->edge_first[v] <= s->edge_first[v + 1];
  for (int i = 0; good && i < s->n_edges; i++)
    good = s->edge[i] < (uint32_t) s->n;
  return good ? NULL : "the model file is damaged: its values are impossible";
}

static const char *
read_arrays (ScopedetectShape *s, const uint8_t *p)
{
  Array a[ARRAYS];

  list_arrays (s, a);
  for (int i = 0; i < ARRAYS; i++) {
    if (!a[i].bytes)
      continue;
    if (!(*a[i].at = malloc (a[i].bytes)))
      return OUT_OF_MEMORY (a[i].bytes, "");
    memcpy (*a[i].at, p, a[i].bytes);
    p += a[i].bytes;
  }
  TRY (check_arrays (s));
  return scopedetect_set_nearest (s);
}

const char *
scopedetect_model_parse (
    ScopedetectModel **model, const uint8_t *bytes, size_t n)
{
  ScopedetectModel *m;
  const char *error;
  uint64_t sum;
  Head head;

  *model = NULL;
  if (n < sizeof head + sizeof sum || memcmp (bytes, MAGIC, 8))
    return "this is no model file; make one of a mesh with vision-model";
  memcpy (&head, bytes, sizeof head);
  if (head.version != VERSION)
    return "the model file is of another version; make it anew with "
           "vision-model";
  memcpy (&sum, bytes + n - sizeof sum, sizeof sum);
  if (sum != checksum_of_model (bytes, n - sizeof sum))
    return "the model file is damaged: its checksum is wrong";
  m = calloc (1, sizeof *m);
  if (!m)
    return OUT_OF_MEMORY (sizeof *m, "");
  head.name[sizeof head.name - 1] = 0;
  utf8_copy (m->name, sizeof m->name, head.name);
  error = read_model_head (&m->shape, &head, n);
  if (!error)
    error = read_arrays (&m->shape, bytes + sizeof head);
  if (error)
    scopedetect_model_free (m);
  else
    *model = m;
  return error;
}

const char *
scopedetect_model_save (const ScopedetectModel *model, const char *path)
{
  uint8_t *bytes = NULL;
  size_t n = 0;
  const char *error = scopedetect_model_write (model, &bytes, &n);
  int why = error ? 0 : file_write (path, bytes, n, -1);

  free (bytes);
  return why ? file_why (why) : error;
}

const char *
scopedetect_model_load (ScopedetectModel **model, const char *path)
{
  const char *error;
  char *bytes;
  size_t n;
  int why = file_read (path, MAX_FILE, &bytes, &n);

  *model = NULL;
  if (why)
    return file_why (why);
  error = scopedetect_model_parse (model, (const uint8_t *) bytes, n);
  free (bytes);
  return error;
}
