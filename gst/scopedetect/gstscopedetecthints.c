/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Warnings about a search that found nothing, with the reason that the frame
 * shows, and about points that were left out.  A lasting reason is told once.
 */
#include "scopedetect/gstscopedetect.h"
#include "base/gstvisiontell.h"

#define PATIENCE (5 * G_USEC_PER_SEC) /* from one hint to the next */

/* A model is too large if the visible surface is less than this part of the
 * model's surface, half of which is turned away. */
#define MIN_SEEN .1

/* The least distance of the principal point from an edge of the frame, as a
 * part of the frame's side.  The principal point of a camera that was
 * calibrated for frames of twice or half the size is nearer. */
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

/* The first model that is too large for the visible surface, -1 if there is
 * none. Points of model and surface have the same spacing. */
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
      self->hints = 0; /* a reason that comes back is told again */
    return;
  }
  if (self->last_hint && now - self->last_hint < PATIENCE)
    return;
  self->hints |= 1u << hint;
  self->last_hint = now;
  tell_hint (self, hint, params, results);
}
