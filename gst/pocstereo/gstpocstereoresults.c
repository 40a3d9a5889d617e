/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matches as maps, pictures, lists and messages. */
#include <math.h>

#include "pocstereo/gstpocstereo.h"

static const struct {
  const gchar *kind, *format;
  gdouble scale, invalid;
} maps[] = {
    [GST_POCSTEREO_MAP_DISPARITY] = {"disparity", "f32", 1,
        POCSTEREO_NO_DISPARITY},
    [GST_POCSTEREO_MAP_SIGMA] = {"sigma", "u16", 1. / POCSTEREO_SIGMA,
        G_MAXUINT16},
    [GST_POCSTEREO_MAP_CONFIDENCE] = {"confidence", "u8", 1. / 255, NAN},
    [GST_POCSTEREO_MAP_DEPTH] = {"depth", "f32", 1, 0},
};

G_STATIC_ASSERT (G_N_ELEMENTS (maps) == GST_POCSTEREO_N_MAPS);

const char *
gst_pocstereo_open_results (GstPocstereo *self, const Device *device)
{
  gsize bytes = (gsize) self->width * self->height * sizeof (PocstereoMatch);

  if (self->now.mode == GST_POCSTEREO_POINTS &&
      self->now.output != GST_POCSTEREO_LEFT) {
    TRY (device_alloc (device, (void **) &self->scattered, bytes));
    TRY (device_alloc_pinned (device, (void **) &self->scatter, bytes));
  }
  if (self->now.mode == GST_POCSTEREO_POINTS ||
      self->now.output != GST_POCSTEREO_LEFT)
    return NULL;
  for (guint i = 0; i < GST_POCSTEREO_N_MAPS; i++)
    TRY (gst_vision_pixels_open (&self->maps[i],
        &gst_vision_common (self)->backend,
        &(GstVisionMap){.element = "pocstereo",
            .kind = maps[i].kind,
            .format = maps[i].format,
            .channels = 1,
            .width = (guint) self->width,
            .height = (guint) self->height,
            .scale = maps[i].scale,
            .invalid = maps[i].invalid}));
  return NULL;
}

void
gst_pocstereo_close_results (GstPocstereo *self)
{
  const Device *device = gst_pocstereo_get_device (self);

  for (guint i = 0; i < GST_POCSTEREO_N_MAPS; i++)
    gst_vision_pixels_close (&self->maps[i]);
  device_release (device, self->scattered);
  device_release_pinned (device, self->scatter);
  self->scattered = self->scatter = NULL;
}

static PocstereoMatches
matches_with_rig (GstPocstereo *self, const PocstereoMatch *matches)
{
  return (PocstereoMatches){self->width, self->height, matches,
      {pocstereo_rectify_valid (self->rectify, 0),
          pocstereo_rectify_valid (self->rectify, 1)},
      self->has_space ? &self->space : NULL};
}

static const char *
fill_output_picture (GstPocstereo *self, const PocstereoParams *params,
    const PocstereoMatch *matches)
{
  const Image *picture =
      gst_vision_aggregator_get_output (GST_VISION_AGGREGATOR (self));
  PocstereoMatches in = matches_with_rig (self, matches);
  PocstereoRows rows = {picture->plane[0], (size_t) picture->stride[0]};
  PocstereoOutput out = {.step = 1};

  if (self->now.output == GST_POCSTEREO_DISPARITY) {
    out.steps = rows;
    out.min = out.max = self->min_disparity;
    out.step = self->step;
  } else if (self->now.output == GST_POCSTEREO_DEPTH)
    out.millimetres = rows;
  else {
    out.colours = rows;
    out.min = params->min_disparity;
    out.max = params->max_disparity;
  }
  return pocstereo_output (gst_pocstereo_get_device (self), &in, &out);
}

const char *
gst_pocstereo_paint_left (GstPocstereo *self, const Image *left)
{
  const Image *picture =
      gst_vision_aggregator_get_output (GST_VISION_AGGREGATOR (self));

  if (self->now.output != GST_POCSTEREO_LEFT || !picture)
    return NULL;
  return pocstereo_rectify_picture (
      self->rectify, left, picture->plane[0], picture->stride[0]);
}

const char *
gst_pocstereo_clear_picture (GstPocstereo *self, const Image *left)
{
  const Image *picture =
      gst_vision_aggregator_get_output (GST_VISION_AGGREGATOR (self));
  gsize row;

  if (!picture || self->now.output == GST_POCSTEREO_LEFT)
    return gst_pocstereo_paint_left (self, left);
  row = (gsize) image_row_bytes (picture->format, picture->width, 0);
  return device_clear (gst_pocstereo_get_device (self), picture->plane[0],
      (gsize) picture->stride[0] * (picture->height - 1) + row);
}

static const char *
begin_dense_maps (GstPocstereo *self)
{
  for (guint i = 0; i < GST_POCSTEREO_N_MAPS; i++)
    if (i != GST_POCSTEREO_MAP_DEPTH || self->has_space)
      TRY (gst_vision_pixels_begin (&self->maps[i]));
  return NULL;
}

static PocstereoRows
rows_of_pixels (const GstVisionPixels *pixels)
{
  return (PocstereoRows){pixels->address, pixels->stride};
}

static const char *
fill_dense_maps (GstPocstereo *self, const PocstereoMatch *matches)
{
  PocstereoMatches in = matches_with_rig (self, matches);
  PocstereoOutput out = {.step = 1,
      .disparity = rows_of_pixels (&self->maps[GST_POCSTEREO_MAP_DISPARITY]),
      .sigma = rows_of_pixels (&self->maps[GST_POCSTEREO_MAP_SIGMA]),
      .confidence = rows_of_pixels (&self->maps[GST_POCSTEREO_MAP_CONFIDENCE]),
      .depth = rows_of_pixels (&self->maps[GST_POCSTEREO_MAP_DEPTH])};

  TRY (pocstereo_output (gst_pocstereo_get_device (self), &in, &out));
  return device_wait (gst_pocstereo_get_device (self));
}

static const char *
make_dense_maps (
    GstPocstereo *self, const PocstereoMatch *matches, GstBuffer *buffer)
{
  const char *err = begin_dense_maps (self);

  if (!err)
    err = fill_dense_maps (self, matches);
  for (guint i = 0; i < GST_POCSTEREO_N_MAPS; i++)
    if (self->maps[i].buffer)
      err = gst_vision_pixels_attach (&self->maps[i], err, buffer);
  return err;
}

const char *
gst_pocstereo_take_pixel_matches (GstPocstereo *self,
    const PocstereoParams *params, const Image *left,
    const PocstereoMatch *matches, GstBuffer *buffer)
{
  TRY (self->now.output == GST_POCSTEREO_LEFT
          ? make_dense_maps (self, matches, buffer)
          : fill_output_picture (self, params, matches));
  return gst_pocstereo_write_cloud (self, left, matches);
}

/* Attaches a list as a map of one row, a column an entry. */
static const char *
attach_point_list (const GArray *list, const gchar *kind, GstBuffer *buffer)
{
  gsize bytes = (gsize) list->len * g_array_get_element_size ((GArray *) list);
  GstBuffer *pixels;
  gboolean attached;

  if (!list->len)
    return NULL;
  pixels = gst_buffer_new_allocate (NULL, bytes, NULL);
  if (!pixels)
    return OUT_OF_MEMORY (bytes, " for a list of points");
  gst_buffer_fill (pixels, 0, list->data, bytes);
  attached = gst_buffer_add_vision_map (buffer, GST_VISION_ORIGIN_RESULT,
      &(GstVisionMap){.element = "pocstereo",
          .kind = kind,
          .format = "f32",
          .channels =
              g_array_get_element_size ((GArray *) list) / sizeof (gfloat),
          .width = list->len,
          .height = 1,
          .stride = (guint) bytes,
          .scale = 1,
          .invalid = NAN,
          .pixels = pixels});
  gst_buffer_unref (pixels);
  return attached ? NULL : "a list of points could not be attached";
}

static void
post_point_matches (GstPocstereo *self, GstBuffer *buffer)
{
  GstVisionAggregator *agg = GST_VISION_AGGREGATOR (self);
  GstStructure *structure;
  GValue list = G_VALUE_INIT, number = G_VALUE_INIT;
  const gfloat *at = (const gfloat *) self->found->data;
  guint n = self->found->len * sizeof (PocstereoPointMatch) / sizeof (gfloat);

  if (!gst_vision_common_wants_message (gst_vision_common (agg), buffer))
    return;
  structure = gst_structure_new (
      "pocstereo", "asked", G_TYPE_UINT, self->chosen->len, NULL);
  g_value_init (&list, GST_TYPE_ARRAY);
  g_value_init (&number, G_TYPE_DOUBLE);
  for (guint i = 0; i < n; i++) {
    g_value_set_double (&number, at[i]);
    gst_value_array_append_value (&list, &number);
  }
  gst_structure_take_value (structure, "matches", &list);
  gst_vision_common_post (gst_vision_common (agg), buffer, structure);
}

static const char *
scatter_points (GstPocstereo *self, const PocstereoParams *params,
    const PocstereoMatch *matches)
{
  gsize bytes = (gsize) self->width * self->height * sizeof *matches;
  gint side = 1;

  GST_OBJECT_LOCK (self);
  if (self->now.output == GST_POCSTEREO_COLORMAP)
    side = self->grid_spacing;
  GST_OBJECT_UNLOCK (self);
  /* the wait for matches was also for the copy of the last frame */
  pocstereo_scatter ((const PocstereoPoint *) self->chosen->data, matches,
      (int) self->chosen->len, side, self->scatter, self->width, self->height);
  TRY (device_copy (
      gst_pocstereo_get_device (self), self->scattered, self->scatter, bytes));
  return fill_output_picture (self, params, self->scattered);
}

const char *
gst_pocstereo_take_point_matches (GstPocstereo *self,
    const PocstereoParams *params, const Image *left,
    const PocstereoMatch *matches, GstBuffer *buffer)
{
  const uint8_t *const valid[2] = {self->valid[0], self->valid[1]};
  guint n = self->chosen->len;

  g_array_set_size (self->found, n);
  g_array_set_size (self->in_space, self->has_space ? n : 0);
  n = (guint) pocstereo_list ((const PocstereoPoint *) self->chosen->data,
      matches, (int) n, valid, self->width,
      self->has_space ? &self->space : NULL,
      (PocstereoPointMatch *) self->found->data,
      self->has_space ? (float (*)[4]) self->in_space->data : NULL);
  g_array_set_size (self->found, n);
  if (self->has_space)
    g_array_set_size (self->in_space, n);
  TRY (attach_point_list (self->found, "matches", buffer));
  TRY (attach_point_list (self->in_space, "points", buffer));
  if (self->now.output != GST_POCSTEREO_LEFT)
    TRY (scatter_points (self, params, matches));
  post_point_matches (self, buffer);
  return gst_pocstereo_write_cloud (self, left, NULL);
}
