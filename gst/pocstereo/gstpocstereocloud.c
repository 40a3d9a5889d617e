/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Points in space, to one file or to a file for each frame. */
#include "pocstereo/gstpocstereo.h"

/* Reads the left view to the host's memory, for the colours of points. */
static const char *
read_left_colours (GstPocstereo *self, const Device *device, const Image *left)
{
  gsize row = 4 * (gsize) self->width, bytes = row * (gsize) self->height;

  if (!self->painted)
    TRY (device_alloc (device, (void **) &self->painted, bytes));
  if (!self->colours && !(self->colours = g_try_malloc (bytes)))
    return OUT_OF_MEMORY (bytes, " for a cloud of points");
  TRY (pocstereo_rectify_picture (
      self->rectify, left, self->painted, (int) row));
  return device_copy (device, self->colours, self->painted, bytes);
}

static const char *
read_dense_matches (
    GstPocstereo *self, const Device *device, const PocstereoMatch *matches)
{
  gsize bytes = (gsize) self->width * self->height * sizeof *matches;

  if (!self->matches && !(self->matches = g_try_malloc (bytes)))
    return OUT_OF_MEMORY (bytes, " for a cloud of points");
  return device_copy (device, self->matches, matches, bytes);
}

/* Adds self->found and self->in_space. */
static void
add_points_to_cloud (GstPocstereo *self)
{
  const gfloat (*space)[4] = (const gfloat (*)[4]) self->in_space->data;

  for (guint i = 0; i < self->found->len; i++) {
    const PocstereoPointMatch *m =
        &g_array_index (self->found, PocstereoPointMatch, i);
    const guint8 *rgb =
        self->colours + 4 * ((gsize) m->y * self->width + (gsize) m->x);
    GstVisionPlyPoint point = {space[i][0], space[i][1], space[i][2], rgb[0],
        rgb[1], rgb[2], m->confidence};

    if (point.z > 0)
      gst_vision_ply_add (self->cloud, &point);
  }
}

/* Adds row @y of self->matches. */
static void
add_row_to_cloud (GstPocstereo *self, gint y)
{
  const uint8_t *const valid[2] = {self->valid[0], self->valid[1]};
  guint n;

  g_array_set_size (self->chosen, (guint) self->width);
  g_array_set_size (self->found, (guint) self->width);
  g_array_set_size (self->in_space, (guint) self->width);
  for (gint x = 0; x < self->width; x++)
    g_array_index (self->chosen, PocstereoPoint, x) = (PocstereoPoint){x, y};
  n = (guint) pocstereo_list ((const PocstereoPoint *) self->chosen->data,
      self->matches + (gsize) y * self->width, self->width, valid, self->width,
      &self->space, (PocstereoPointMatch *) self->found->data,
      (float (*)[4]) self->in_space->data);
  g_array_set_size (self->found, n);
  add_points_to_cloud (self);
}

static const char *
fill_cloud (
    GstPocstereo *self, const Image *left, const PocstereoMatch *matches)
{
  const Device *device = gst_pocstereo_get_device (self);

  if (!self->cloud)
    self->cloud = gst_vision_ply_new ();
  gst_vision_ply_clear (self->cloud);
  TRY (read_left_colours (self, device, left));
  if (matches)
    TRY (read_dense_matches (self, device, matches));
  TRY (device_wait (device));
  if (!matches)
    add_points_to_cloud (self);
  for (gint y = 0; matches && y < self->height; y++)
    add_row_to_cloud (self, y);
  return NULL;
}

static void
warn_of_no_rig (GstPocstereo *self)
{
  if (!self->warned_space)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("No points are written: they need a rig; set calibration, or "
         "intrinsics and baseline."),
        (NULL));
  self->warned_space = TRUE;
}

const char *
gst_pocstereo_write_cloud (
    GstPocstereo *self, const Image *left, const PocstereoMatch *matches)
{
  GError *error = NULL;
  gchar *location, *path;

  location = GST_VISION_LOCKED (self, g_strdup (self->ply_location));
  if (location && self->has_space) {
    const char *err = fill_cloud (self, left, matches);

    if (err) {
      g_free (location);
      return err;
    }
    path = gst_vision_ply_path (location, self->n_clouds++);
    if (!gst_vision_ply_write (self->cloud, path, &error))
      gst_vision_common_fault (gst_vision_common (self), error->message);
    g_clear_error (&error);
    g_free (path);
  } else if (location)
    warn_of_no_rig (self);
  g_free (location);
  return NULL;
}

void
gst_pocstereo_close_cloud (GstPocstereo *self)
{
  g_clear_pointer (&self->cloud, gst_vision_ply_free);
  device_release (gst_pocstereo_get_device (self), self->painted);
  self->painted = NULL;
  g_clear_pointer (&self->colours, g_free);
  g_clear_pointer (&self->matches, g_free);
}
