/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Why a search found nothing, where the frame says so; and what of it was not
 * looked at.  For a stream that goes on like that, there is one message. */
#include "scopedetect/gstscopedetect.h"
#include "base/gstvisiontell.h"

#define PATIENCE (5 * G_USEC_PER_SEC) /* from one hint to the next */

/* If the visible surface is less than such a part of a model's surface, of
 * which half is turned away, the model can hardly be in it. */
#define MIN_SEEN .1

/* The middle of a camera is no nearer to an edge of the frame, as a part of its
 * side; that of frames twice or half as large is. */
#define MIN_INSET .26

typedef enum {
  HINT_NONE,
  HINT_NO_ROOM,
  HINT_NO_SURFACE,
  HINT_CAMERA,
  HINT_EMPTY_TABLE,
  HINT_TOO_LARGE,
  HINT_NO_TABLE,
} Hint;

/* The first of the models, -1 if there is none, that is too large for what is
 * seen: points of both are equally far apart. */
static gint
model_too_large (const GstScopedetect *self, const ScopedetectResults *r)
{
  for (gint i = 0; i < self->n_models; i++)
    if (r->n_points < MIN_SEEN * self->info[i].n_points)
      return i;
  return -1;
}

static gboolean
is_camera_inset (gdouble centre, gint side)
{
  gdouble part = (centre + .5) / side;

  return part >= MIN_INSET && part <= 1 - MIN_INSET;
}

static Hint
choose_hint (const GstScopedetect *self, const ScopedetectParams *p,
    const ScopedetectResults *r)
{
  if (r->n_left_out)
    return HINT_NO_ROOM;
  if (r->n_objects)
    return HINT_NONE;
  if (!r->n_points && !r->has_plane)
    return HINT_NO_SURFACE;
  if (!is_camera_inset (p->camera.cx, self->width) ||
      !is_camera_inset (p->camera.cy, self->height))
    return HINT_CAMERA;
  if (!r->n_points)
    return HINT_EMPTY_TABLE;
  if (model_too_large (self, r) >= 0)
    return HINT_TOO_LARGE;
  return p->table && !r->has_plane ? HINT_NO_TABLE : HINT_NONE;
}

static void
tell_of_model (GstScopedetect *self, const ScopedetectModelInfo *info)
{
  GST_VISION_WARNING (self, STREAM, FORMAT,
      ("The visible surface is much smaller than the model \"%s\" of %.0f x "
       "%.0f "
       "x %.0f mm. If that is not the object's size, make it anew with the "
       "--unit of vision-model.",
          info->name, 1e3 * info->size[0], 1e3 * info->size[1],
          1e3 * info->size[2]));
}

static void
tell_of_camera (GstScopedetect *self, const Camera *camera)
{
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("No object was found, and the camera's middle, %g,%g, is far from that "
       "of the frame of %dx%d pixels. Check that intrinsics or calibration is "
       "for frames of this size.",
          camera->cx, camera->cy, self->width, self->height),
      (NULL));
}

static void
tell_hint (GstScopedetect *self, Hint hint, const ScopedetectParams *p,
    const ScopedetectResults *r)
{
  if (hint == HINT_NO_ROOM)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("%d pixels were left out, as they make more than %d points: the "
         "models' spacing apart. Lower far, or make models of a wider "
         "--spacing.",
            r->n_left_out, SCOPEDETECT_MAX_POINTS),
        (NULL));
  else if (hint == HINT_NO_SURFACE)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("No surface is seen from %g to %g m. Check depth-scale, which is %g m "
         "a unit, near and far.",
            p->near, p->far, p->depth_scale),
        (NULL));
  else if (hint == HINT_CAMERA)
    tell_of_camera (self, &p->camera);
  else if (hint == HINT_EMPTY_TABLE)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("Nothing stands on the table from %g to %g m above it. Set table-low "
         "and table-high to other heights, or table=false if that is none.",
            p->table_low, p->table_high),
        (NULL));
  else if (hint == HINT_TOO_LARGE)
    tell_of_model (self, &self->info[model_too_large (self, r)]);
  else
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("There is no table in sight, and no object was found in view. Show "
         "more of the table, or set table=false if there is none."),
        (NULL));
}

void
gst_scopedetect_hint (GstScopedetect *self, const ScopedetectParams *params,
    const ScopedetectResults *results)
{
  Hint hint = choose_hint (self, params, results);
  gint64 now = g_get_monotonic_time ();

  if (hint == HINT_NONE || (self->hints & 1u << hint)) {
    if (hint == HINT_NONE && results->n_objects)
      self->hints = 0; /* when it comes back, there is a new message */
    return;
  }
  if (self->last_hint && now - self->last_hint < PATIENCE)
    return;
  self->hints |= 1u << hint;
  self->last_hint = now;
  tell_hint (self, hint, params, results);
}
