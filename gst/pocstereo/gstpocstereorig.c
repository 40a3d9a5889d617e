/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rig: rectification of frames, and points of disparities. */
#include <math.h>
#include <string.h>

#include "pocstereo/gstpocstereo.h"

gboolean
gst_pocstereo_read_calibration (
    GstElement *element, gpointer owner, const gchar *location, GError **error)
{
  GstPocstereo *self = owner;
  GstVisionRig *rig = NULL, *before;
  gdouble unit = GST_VISION_LOCKED (self, self->calibration_unit);

  (void) element;
  if (location) {
    rig = g_new0 (GstVisionRig, 1);
    if (!gst_vision_rig_read (location, unit, rig, error)) {
      g_free (rig);
      return FALSE;
    }
  }
  GST_OBJECT_LOCK (self);
  before = self->rig;
  self->rig = rig;
  GST_OBJECT_UNLOCK (self);
  g_free (before);
  return TRUE;
}

void
gst_pocstereo_read_calibration_again (GstElement *element, const Param *param)
{
  GstPocstereo *self = GST_POCSTEREO (element);
  gchar *location;

  (void) param;
  location = GST_VISION_LOCKED (self, g_strdup (self->calibration));
  if (location)
    g_object_set (self, "calibration", location, NULL);
  g_free (location);
}

gboolean
gst_pocstereo_read_intrinsics (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  GstPocstereo *self = owner;
  GstVisionCamera camera;

  (void) element;
  gst_vision_camera_init (&camera);
  if (text && !gst_vision_camera_set_intrinsics (&camera, text, error))
    return FALSE;
  GST_OBJECT_LOCK (self);
  self->intrinsics.written = camera;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

gboolean
gst_pocstereo_has_rig (GstPocstereo *self)
{
  return GST_VISION_LOCKED (self, self->rig != NULL);
}

/* Properties of the rig beside the calibration. */
typedef struct {
  gboolean is_set; /* intrinsics are set */
  gboolean bends;  /* and have a lens distortion */
  gdouble baseline, doffs;
} Camera;

#define BENT \
 "intrinsics have a lens distortion, but are those of the rectified camera; " \
 "set calibration, by which frames are rectified, or four numbers"

static gboolean
is_lens_bent (const GstVisionCamera *camera)
{
  for (guint i = 0; i < G_N_ELEMENTS (camera->distortion); i++)
    if (camera->distortion[i] != 0)
      return TRUE;
  return FALSE;
}

/* Whether the left frame itself comes out, which cannot be rectified: a rig
 * that was set since the caps were negotiated waits for the next caps. */
static gboolean
left_frame_passes (GstPocstereo *self)
{
  return self->now.output == GST_POCSTEREO_LEFT &&
      !gst_vision_aggregator_get_output (GST_VISION_AGGREGATOR (self));
}

static gboolean
get_rig_properties (GstPocstereo *self, GstVisionRig *rig, Camera *camera)
{
  gboolean passes = left_frame_passes (self), known;

  GST_OBJECT_LOCK (self);
  known = self->rig && !passes;
  if (known)
    *rig = *self->rig;
  camera->is_set = self->intrinsics.intrinsics != NULL;
  camera->bends = camera->is_set && is_lens_bent (&self->intrinsics.written);
  camera->baseline = self->baseline;
  camera->doffs = self->doffs;
  GST_OBJECT_UNLOCK (self);
  return known;
}

/* Copies the masks of the views to the host's memory. */
static const char *
read_valid_masks (GstPocstereo *self)
{
  const Device *device = gst_pocstereo_get_device (self);
  gsize pixels = (gsize) self->width * self->height;

  for (gint i = 0; i < 2; i++) {
    const uint8_t *valid = pocstereo_rectify_valid (self->rectify, i);

    g_clear_pointer (&self->valid[i], g_free);
    if (!valid)
      continue;
    if (!(self->valid[i] = g_try_malloc (pixels)))
      return OUT_OF_MEMORY (pixels, "");
    TRY (device_copy (device, self->valid[i], valid, pixels));
  }
  return device_wait (device);
}

static PocstereoView
view_of_rig (const GstVisionRigView *view)
{
  PocstereoView v;

  memcpy (v.k, view->k, sizeof v.k);
  memcpy (v.d, view->d, sizeof v.d);
  memcpy (v.r, view->r, sizeof v.r);
  memcpy (v.p, view->p, sizeof v.p);
  return v;
}

/* Keeps @error, and returns its sentence, which stays until the next call. */
static const char *
keep_rig_fault (GstPocstereo *self, GError *error)
{
  g_clear_error (&self->misfit);
  self->misfit = error;
  return error->message;
}

/* Makes the maps and masks of @rig; NULL: removes them. */
static const char *
set_rectify_maps (GstPocstereo *self, const GstVisionRig *rig)
{
  PocstereoView left, right;

  if (rig) {
    left = view_of_rig (&rig->view[0]);
    right = view_of_rig (&rig->view[1]);
  }
  TRY (pocstereo_rectify_set (
      self->rectify, rig ? &left : NULL, rig ? &right : NULL));
  return read_valid_masks (self);
}

/* Rectifies by @rig from now on; NULL: frames are not rectified.  If the maps
 * of @rig cannot be made, those of an earlier rig are removed, and the next
 * frame tries again. */
static const char *
rectify_by_rig (GstPocstereo *self, const GstVisionRig *rig)
{
  GError *error = NULL;
  const char *err;

  if (self->rectified == (rig != NULL) &&
      (!rig || !memcmp (rig, &self->used, sizeof *rig)))
    return NULL;
  if (rig && !gst_vision_rig_fits (rig, self->width, self->height, &error))
    return keep_rig_fault (self, error);
  err = set_rectify_maps (self, rig);
  if (err)
    set_rectify_maps (self, NULL);
  self->rectified = rig && !err;
  if (rig)
    self->used = *rig;
  return err;
}

static void
set_result_camera (GstBuffer *buffer, const GstVisionCamera *camera)
{
  gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, camera);
}

/* Space by the matrix Q of @rig. */
static const char *
take_space_of_rig (
    GstPocstereo *self, const GstVisionRig *rig, GstBuffer *buffer)
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
  set_result_camera (buffer, &camera);
  return NULL;
}

/* Space by the left camera and the baseline, if both are known. */
static const char *
take_space_of_camera (GstPocstereo *self, const Camera *said, GstBuffer *buffer)
{
  gdouble baseline = said->baseline;
  GstVisionCamera c;

  if (!gst_vision_intrinsics_find (&self->intrinsics, GST_ELEMENT (self),
          buffer, (guint) self->width, (guint) self->height, &c))
    return NULL;
  if (said->bends)
    return BENT;
  if (is_lens_bent (&c))
    return "the camera has a lens distortion, but frames are not rectified; "
           "set calibration, or intrinsics without distortion";
  if (!(baseline > 0))
    baseline = c.baseline;
  if (baseline > 0) {
    PocstereoCamera camera = {
        c.fx, c.fy, c.cx, c.cy, c.cx + said->doffs, baseline};

    TRY (pocstereo_space_from_camera (&self->space, &camera));
    self->has_space = TRUE;
    c.baseline = baseline;
  }
  set_result_camera (buffer, &c);
  return NULL;
}

const char *
gst_pocstereo_begin_rig (GstPocstereo *self, GstBuffer *buffer)
{
  Camera camera;
  GstVisionRig rig;
  gboolean known = get_rig_properties (self, &rig, &camera);

  self->has_space = FALSE;
  TRY (rectify_by_rig (self, known ? &rig : NULL));
  return known && !camera.is_set ? take_space_of_rig (self, &rig, buffer)
                                 : take_space_of_camera (self, &camera, buffer);
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
  left = view_of_rig (&self->used.view[0]);
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
  /* the part in the view */
  r->x = (gint) rint (MAX (x0, 0));
  r->y = (gint) rint (MAX (y0, 0));
  r->w = (gint) rint (MIN (x1, self->width - 1)) + 1 - r->x;
  r->h = (gint) rint (MIN (y1, self->height - 1)) + 1 - r->y;
}

const char *
gst_pocstereo_check_rig (GstPocstereo *self)
{
  Camera camera;
  GstVisionRig rig;
  GError *error = NULL;
  gboolean known = get_rig_properties (self, &rig, &camera);

  if (camera.bends) {
    gst_vision_common_refused (gst_vision_common (self), BENT);
    return BENT;
  }
  if (!known || gst_vision_rig_fits (&rig, self->width, self->height, &error))
    return NULL;
  gst_vision_common_refused (gst_vision_common (self), error->message);
  return keep_rig_fault (self, error);
}

void
gst_pocstereo_close_rig (GstPocstereo *self)
{
  for (gint i = 0; i < 2; i++)
    g_clear_pointer (&self->valid[i], g_free);
  g_clear_error (&self->misfit);
  self->rectified = self->has_space = FALSE;
}
