/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Making and freeing a detector: models and frames in device memory. */
#include <stdlib.h>

#include "scopedetect/scopedetect_segment.h"
#include "scopedetect/scopedetect_self.h"
#include "scopedetect/scopedetect_voxel.h"

static const char *
upload (const Device *dev, void **to, const void *from, size_t bytes)
{
  if (!from)
    return NULL;
  TRY (device_alloc (dev, to, bytes));
  return device_copy (dev, *to, from, bytes);
}

#define UPLOAD(field, count) \
 TRY (upload ( \
     dev, (void **) &to->field, from->field, (count) * sizeof *to->field))

/* The sizes of @from, without its arrays. */
static void
clear_arrays (ScopedetectShape *to, const ScopedetectShape *from)
{
  *to = *from;
  to->x = to->normal = to->lab = NULL;
  to->frame = NULL, to->code = NULL, to->pc1 = to->pc2 = to->normal_var = NULL;
  to->ved = NULL, to->edge_first = to->edge = NULL, to->symmetry = NULL;
  to->nearest = NULL;
}

static const char *
copy_shape (
    const Device *dev, ScopedetectShape *to, const ScopedetectShape *from)
{
  size_t n = (size_t) from->n;

  clear_arrays (to, from);
  UPLOAD (x, n);
  UPLOAD (normal, n);
  UPLOAD (lab, n);
  UPLOAD (frame, n);
  UPLOAD (code, n * SCOPEDETECT_CODE);
  UPLOAD (pc1, n);
  UPLOAD (pc2, n);
  UPLOAD (normal_var, n);
  UPLOAD (ved, n * SCOPEDETECT_VIEWS);
  UPLOAD (edge_first, SCOPEDETECT_VIEWS + 1);
  UPLOAD (edge, (size_t) from->n_edges);
  UPLOAD (symmetry, (size_t) from->n_symmetries);
  UPLOAD (nearest, (size_t) from->cells[0] * from->cells[1] * from->cells[2]);
  return NULL;
}

static void
release_shape (const Device *dev, ScopedetectShape *s)
{
  device_release (dev, s->x);
  device_release (dev, s->normal);
  device_release (dev, s->lab);
  device_release (dev, s->frame);
  device_release (dev, s->code);
  device_release (dev, s->pc1);
  device_release (dev, s->pc2);
  device_release (dev, s->normal_var);
  device_release (dev, s->ved);
  device_release (dev, s->edge_first);
  device_release (dev, s->edge);
  device_release (dev, s->symmetry);
  device_release (dev, s->nearest);
}

/* What the host asks of a model. */
static const char *
copy_host_shape (ScopedetectShape *to, const ScopedetectShape *from)
{
  Device host = scopedetect_host ();
  const Device *dev = &host;

  clear_arrays (to, from);
  UPLOAD (x, (size_t) from->n);
  UPLOAD (normal, (size_t) from->n);
  UPLOAD (symmetry, (size_t) from->n_symmetries);
  UPLOAD (nearest,
      (size_t) from->cells[0] * (size_t) from->cells[1] *
          (size_t) from->cells[2]);
  return NULL;
}

static const char *
check_models (const ScopedetectModel *const *models, int n)
{
  if (n < 1 || n > SCOPEDETECT_MAX_MODELS)
    return "there must be 1 to 1024 models";
  for (int i = 0; i < n; i++) {
    const ScopedetectShape *s = &models[i]->shape, *first = &models[0]->shape;

    if (s->spacing != first->spacing ||
        s->feature_radius != first->feature_radius)
      return "the models were compiled with different spacings or radii; "
             "compile them alike";
  }
  return NULL;
}

static const char *
new_frame (Scopedetect *s, int width, int height)
{
  const Device *dev = &s->device;
  ScopedetectWork *w = &s->work;
  size_t n = (size_t) width * height, queries;
  int room = n < SCOPEDETECT_MAX_POINTS ? (int) n : SCOPEDETECT_MAX_POINTS;
  int batch = s->n_models < SCOPEDETECT_BATCH ? s->n_models : SCOPEDETECT_BATCH;

  w->scene.width = w->frame.width = width;
  w->scene.height = w->frame.height = height;
  w->room_queries = room;
  w->room_models = batch;
  queries = (size_t) batch * room * SCOPEDETECT_MAX_NEIGHBOURS;
  DEVICE_RENEW (dev, w->scene.z, n);
  DEVICE_RENEW (dev, w->scene.pixel, n);
  DEVICE_RENEW (dev, w->scene.edge[0], n);
  DEVICE_RENEW (dev, w->scene.edge[1], n);
  DEVICE_RENEW (dev, w->label, n);
  DEVICE_RENEW (dev, w->segment, SCOPEDETECT_MOST_SEGMENTS);
  DEVICE_RENEW (dev, w->noise, 1);
  DEVICE_RENEW (dev, w->view, SCOPEDETECT_VIEWS);
  TRY (scopedetect_cloud_new (dev, &w->cloud, room, true, true));
  DEVICE_RENEW (dev, w->neighbour, queries);
  DEVICE_RENEW (dev, w->check, 2 * queries);
  DEVICE_RENEW (dev, w->sample, (size_t) batch * SCOPEDETECT_MAX_KEPT);
  DEVICE_RENEW (dev, w->counts, 1);
  TRY (device_alloc_pinned (dev, (void **) &s->counts, sizeof *s->counts));
  TRY (device_alloc_pinned (dev, (void **) &w->measure,
      SCOPEDETECT_BATCH * SCOPEDETECT_FOUND * sizeof *w->measure));
  return device_alloc_pinned (dev, (void **) &s->found,
      SCOPEDETECT_BATCH * SCOPEDETECT_FOUND * sizeof *s->found);
}

static const char *
set_tables (Scopedetect *s)
{
  ScopedetectNoise noise;
  Vec view[SCOPEDETECT_VIEWS];

  scopedetect_set_noise (&noise);
  scopedetect_views (view);
  TRY (device_copy (&s->device, s->work.noise, &noise, sizeof noise));
  TRY (device_copy (&s->device, s->work.view, view, sizeof view));
  return device_wait (&s->device); /* both leave with this function */
}

const char *
scopedetect_new (Scopedetect **self, const Device *device, int width,
    int height, const ScopedetectModel *const *models, int n_models)
{
  Scopedetect *s = calloc (1, sizeof *s);

  *self = s;
  if (!s)
    return "out of memory";
  s->device = *device;
  s->stages = STAGES (scopedetect, device);
  s->room_models = n_models;
  if (width < 1 || height < 1 || width > SCOPEDETECT_MAX_SIDE ||
      height > SCOPEDETECT_MAX_SIDE)
    return "the frame's sides must be 1 to 4096 pixels";
  TRY (check_models (models, n_models));
  s->shape = calloc ((size_t) n_models, sizeof *s->shape);
  s->host_shape = calloc ((size_t) n_models, sizeof *s->host_shape);
  s->objects =
      calloc ((size_t) n_models * SCOPEDETECT_MAX_OBJECTS, sizeof *s->objects);
  s->fate = calloc ((size_t) n_models, SCOPEDETECT_MAX_OBJECTS);
  if (!s->shape || !s->host_shape || !s->objects || !s->fate)
    return "out of memory";
  for (; s->n_models < n_models; s->n_models++) {
    TRY (copy_shape (
        &s->device, &s->shape[s->n_models], &models[s->n_models]->shape));
    TRY (copy_host_shape (
        &s->host_shape[s->n_models], &models[s->n_models]->shape));
  }
  s->work.spacing = models[0]->shape.spacing;
  s->work.feature_radius = models[0]->shape.feature_radius;
  TRY (new_frame (s, width, height));
  TRY (set_tables (s));
  return s->stages->open (&s->device, &s->work);
}

void
scopedetect_free (Scopedetect *s)
{
  const Device *dev = s ? &s->device : NULL;

  if (!s)
    return;
  device_wait (dev); /* nothing may still use what goes */
  s->stages->close (dev, &s->work);
  /* one more may have been copied in part */
  for (int i = 0; s->shape && s->host_shape && i < s->room_models; i++) {
    release_shape (dev, &s->shape[i]);
    free (s->host_shape[i].x);
    free (s->host_shape[i].normal);
    free (s->host_shape[i].symmetry);
    free (s->host_shape[i].nearest);
  }
  scopedetect_cloud_free (dev, &s->work.cloud);
  device_release (dev, s->work.scene.z);
  device_release (dev, s->work.scene.pixel);
  device_release (dev, s->work.scene.edge[0]);
  device_release (dev, s->work.scene.edge[1]);
  device_release (dev, s->work.label);
  device_release (dev, s->work.segment);
  device_release (dev, s->work.noise);
  device_release (dev, s->work.view);
  device_release (dev, s->work.neighbour);
  device_release (dev, s->work.check);
  device_release (dev, s->work.sample);
  device_release (dev, s->work.counts);
  device_release_pinned (dev, s->counts);
  device_release_pinned (dev, s->work.measure);
  device_release_pinned (dev, s->found);
  free (s->shape);
  free (s->host_shape);
  free (s->objects);
  free (s->fate);
  free (s);
}

size_t
scopedetect_memory (
    int width, int height, const ScopedetectModel *const *models, int n_models)
{
  size_t n = (size_t) width * (size_t) height, sum;
  size_t room = n < SCOPEDETECT_MAX_POINTS ? n : SCOPEDETECT_MAX_POINTS;
  size_t batch =
      n_models < SCOPEDETECT_BATCH ? (size_t) n_models : SCOPEDETECT_BATCH;

  sum = n * (sizeof (ScopedetectPixel) + 3 * sizeof (float) + sizeof (int32_t));
  sum += room *
      (3 * sizeof (Vec) + sizeof (Quat) +
          (SCOPEDETECT_ROW + SCOPEDETECT_BINS + 5) * sizeof (float) +
          SCOPEDETECT_CODE * sizeof (int16_t));
  /* of the GPU alone: hashes of pixels; neighbours and sums of points */
  sum += n * 5 * sizeof (uint32_t) +
      room *
          (SCOPEDETECT_NEAR * sizeof (uint16_t) + sizeof (ScopedetectVoxel) +
              sizeof (ScopedetectSpread) + 26);
  sum += batch * room * SCOPEDETECT_MAX_NEIGHBOURS * 3 * sizeof (int16_t);
  /* one place for samples, and one where they are put in order, by keys */
  sum += batch * SCOPEDETECT_MAX_KEPT *
      (2 * sizeof (ScopedetectSample) + sizeof (uint64_t));
  sum += SCOPEDETECT_MOST_SEGMENTS * sizeof (ScopedetectSegment);
  for (int i = 0; i < n_models; i++) {
    const ScopedetectShape *s = &models[i]->shape;

    sum += (size_t) s->n *
        (4 * sizeof (Vec) + sizeof (Quat) +
            SCOPEDETECT_CODE * sizeof (int16_t) + 3 * sizeof (float) +
            SCOPEDETECT_VIEWS);
    sum += (size_t) s->n_edges * sizeof *s->edge +
        (size_t) s->cells[0] * (size_t) s->cells[1] * (size_t) s->cells[2] *
            sizeof *s->nearest;
    sum += SCOPEDETECT_MAX_OBJECTS * sizeof (ScopedetectObject);
  }
  return sum;
}
