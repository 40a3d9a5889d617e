/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * By what frames are rectified, and how disparities become points. */
#include <math.h>
#include <string.h>

#include "pocstereo/gstpocstereo.h"

static gboolean
get_rig (GstPocstereo *self, GstVisionRig *rig, gboolean *is_camera_set,
    gdouble *baseline)
{
  gboolean known;

  GST_OBJECT_LOCK (self);
  known = self->rig != NULL;
  if (known)
    *rig = *self->rig;
  *is_camera_set = self->intrinsics.intrinsics != NULL;
  *baseline = self->settings.baseline;
  GST_OBJECT_UNLOCK (self);
  return known;
}

/* The masks of what is inside of the frames, where points can be looked up. */
static const char *
read_valid (GstPocstereo *self)
{
  const Device *device = gst_pocstereo_get_device (self);
  gsize pixels = (gsize) self->width * self->height;

  for (gint i = 0; i < 2; i++) {
    const uint8_t *valid = pocstereo_rectify_valid (self->rectify, i);

    g_clear_pointer (&self->valid[i], g_free);
    if (!valid)
      continue;
    if (!(self->valid[i] = g_try_malloc (pixels)))
      return "out of memory";
    TRY (device_copy (device, self->valid[i], valid, pixels));
  }
  return device_wait (device);
}

static PocstereoView
view_of (const GstVisionRigView *view)
{
  PocstereoView v;

  memcpy (v.k, view->k, sizeof v.k);
  memcpy (v.d, view->d, sizeof v.d);
  memcpy (v.r, view->r, sizeof v.r);
  memcpy (v.p, view->p, sizeof v.p);
  return v;
}

/* @rig: NULL for frames that are rectified. */
static const char *
rectify_by (GstPocstereo *self, const GstVisionRig *rig)
{
  PocstereoView left, right;

  if (self->rectified == (rig != NULL) &&
      (!rig || !memcmp (rig, &self->used, sizeof *rig)))
    return NULL;
  if (rig) {
    if (!gst_vision_rig_fits (rig, self->width, self->height, NULL))
      return "the calibration is for frames of another size";
    left = view_of (&rig->view[0]);
    right = view_of (&rig->view[1]);
    self->used = *rig;
  }
  TRY (pocstereo_rectify_set (
      self->rectify, rig ? &left : NULL, rig ? &right : NULL));
  self->rectified = rig != NULL;
  return read_valid (self);
}

static void
set_camera (GstBuffer *buffer, const GstVisionCamera *camera)
{
  gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, camera);
}

/* Space by the matrix of @rig. */
static const char *
take_rig (GstPocstereo *self, const GstVisionRig *rig, GstBuffer *buffer)
{
  const gdouble *p = rig->view[0].p;
  GstVisionCamera camera;

  gst_vision_camera_init (&camera);
  camera.ref_width = (guint) self->width;
  camera.ref_height = (guint) self->height;
  camera.fx = p[0];
  camera.fy = p[5];
  camera.cx = p[2];
  camera.cy = p[6];
  camera.baseline = rig->baseline;
  TRY (pocstereo_space_from_q (&self->space, rig->q));
  self->has_space = TRUE;
  set_camera (buffer, &camera);
  return NULL;
}

/* Space by the left camera and the baseline, where both are known. */
static const char *
take_camera (GstPocstereo *self, gdouble baseline, GstBuffer *buffer)
{
  GstVisionCamera c;

  if (!gst_vision_intrinsics_find (&self->intrinsics, GST_ELEMENT (self),
          buffer, (guint) self->width, (guint) self->height, &c))
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (c.distortion); i++)
    if (c.distortion[i] != 0)
      return "the camera has a lens distortion, but frames are not rectified; "
             "set calibration, or intrinsics without distortion";
  if (!(baseline > 0))
    baseline = c.baseline;
  if (baseline > 0) {
    PocstereoCamera camera = {c.fx, c.fy, c.cx, c.cy, c.cx, baseline};

    TRY (pocstereo_space_from_camera (&self->space, &camera));
    self->has_space = TRUE;
    c.baseline = baseline;
  }
  set_camera (buffer, &c);
  return NULL;
}

const char *
gst_pocstereo_begin_rig (GstPocstereo *self, GstBuffer *buffer)
{
  gboolean is_camera_set;
  gdouble baseline;
  GstVisionRig rig;
  gboolean known = get_rig (self, &rig, &is_camera_set, &baseline);

  self->has_space = FALSE;
  TRY (rectify_by (self, known ? &rig : NULL));
  return known && !is_camera_set ? take_rig (self, &rig, buffer)
                                 : take_camera (self, baseline, buffer);
}

void
gst_pocstereo_rectify_region (GstPocstereo *self, GstVideoRectangle *r)
{
  gdouble x[3] = {MAX (r->x, 0), 0, MIN (r->x + r->w, self->width) - 1};
  gdouble y[3] = {MAX (r->y, 0), 0, MIN (r->y + r->h, self->height) - 1};
  gdouble x0 = self->width, y0 = self->height, x1 = -1, y1 = -1, to[2];
  PocstereoView left;

  if (!self->rectified)
    return;
  left = view_of (&self->used.view[0]);
  *r = (GstVideoRectangle){0, 0, 0, 0};
  if (x[0] > x[2] || y[0] > y[2])
    return;
  x[1] = (x[0] + x[2]) / 2;
  y[1] = (y[0] + y[2]) / 2;
  for (gint i = 0; i < 9; i++) {
    gdouble from[2] = {x[i % 3], y[i / 3]};

    if (!pocstereo_rectify_find (&left, from, to))
      continue;
    x0 = MIN (x0, to[0]);
    y0 = MIN (y0, to[1]);
    x1 = MAX (x1, to[0]);
    y1 = MAX (y1, to[1]);
  }
  /* what of it lies in the view */
  r->x = (gint) rint (MAX (x0, 0));
  r->y = (gint) rint (MAX (y0, 0));
  r->w = (gint) rint (MIN (x1, self->width - 1)) + 1 - r->x;
  r->h = (gint) rint (MIN (y1, self->height - 1)) + 1 - r->y;
}

const char *
gst_pocstereo_check_rig (GstPocstereo *self)
{
  gboolean is_camera_set;
  gdouble baseline;
  GstVisionRig rig;
  GError *error = NULL;

  if (!get_rig (self, &rig, &is_camera_set, &baseline) ||
      gst_vision_rig_fits (&rig, self->width, self->height, &error))
    return NULL;
  gst_vision_common_refused (gst_pocstereo_get_common (self), error->message);
  g_error_free (error);
  return "the calibration is for frames of another size";
}

void
gst_pocstereo_close_rig (GstPocstereo *self)
{
  for (gint i = 0; i < 2; i++)
    g_clear_pointer (&self->valid[i], g_free);
  self->rectified = self->has_space = FALSE;
}
