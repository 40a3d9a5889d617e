/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The region to search: the whole frame, a box, or the boxes of objects that
 * elements upstream have found. */
#include <math.h>

#include "scopedetect/gstscopedetect.h"

/* Reads "x,y,width,height". */
static gboolean
parse_region_box (const gchar *text, ImageBox *box)
{
  gchar **words = g_strsplit (text, ",", -1);
  gint64 v[4];
  gboolean good = g_strv_length (words) == 4;

  for (guint i = 0; i < 4 && good; i++)
    good = g_ascii_string_to_signed (g_strstrip (words[i]), 10, i < 2 ? 0 : 1,
        SCOPEDETECT_MAX_SIDE, &v[i], NULL);
  g_strfreev (words);
  if (good)
    *box = (ImageBox){
        (int) v[0], (int) v[1], (int) (v[0] + v[2]), (int) (v[1] + v[3])};
  return good;
}

static gboolean
parse_region (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  GstScopedetectRegion *self = owner;
  gboolean meta = text && g_str_equal (text, "meta");
  ImageBox box = {0, 0, 0, 0};

  if (text && !meta && !parse_region_box (text, &box)) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_FAILED,
        "a region is \"meta\" or four whole numbers, x,y,width,height");
    return FALSE;
  }
  GST_OBJECT_LOCK (element);
  self->meta = meta;
  self->box = box;
  GST_OBJECT_UNLOCK (element);
  return TRUE;
}

#define ROWS_OF GstScopedetectRegion
const GstVisionProperty gst_scopedetect_region_properties[] = {
    PARSED (parse_region, STRING, region,
        "Search in this part of the frame: x,y,width,height in pixels, or meta "
        "= the boxes of objects in the metadata of both frames whose state is "
        "accepted, tracking or found (unset = the whole frame)"),
    {.params = NULL}};

static gboolean
is_region_object (const GstVisionObject *o)
{
  return o->state == GST_VISION_STATE_ACCEPTED ||
      o->state == GST_VISION_STATE_TRACKING ||
      o->state == GST_VISION_STATE_FOUND;
}

/* Limits a number of the metadata to the sides of a frame; 0 for NaN, as of an
 * object without a box. */
static int
region_pixels (gdouble v)
{
  return isnan (v) ? 0 : (int) CLAMP (v, 0., (gdouble) SCOPEDETECT_MAX_SIDE);
}

/* Adds the boxes of found objects in the metadata of @buffer to the regions. */
static void
add_region_boxes (
    const GstScopedetect *self, GstBuffer *buffer, ScopedetectFrame *f)
{
  GstVisionObjects *objects =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);

  if (!objects)
    return;
  gst_vision_objects_scale (objects, (guint) self->width, (guint) self->height);
  for (guint i = 0; i < objects->n_objects; i++) {
    const GstVisionObject *o = &objects->objects[i];
    ImageBox box = {region_pixels (floor (o->x)), region_pixels (floor (o->y)),
        region_pixels (ceil (o->x + o->width)),
        region_pixels (ceil (o->y + o->height))};

    if (is_region_object (o) && box.x0 < box.x1 && box.y0 < box.y1 &&
        f->n_regions < SCOPEDETECT_MAX_REGIONS)
      f->region[f->n_regions++] = box;
  }
  gst_vision_objects_free (objects);
}

/* Whether the middle of @a lies in @b. */
static gboolean
middle_lies_in (const ImageBox *a, const ImageBox *b)
{
  int x = (a->x0 + a->x1) / 2, y = (a->y0 + a->y1) / 2;

  return x >= b->x0 && x < b->x1 && y >= b->y0 && y < b->y1;
}

gboolean
gst_scopedetect_is_inside (
    const ScopedetectFrame *frame, const ScopedetectObject *object)
{
  gboolean inside = !frame->n_regions;

  for (int i = 0; i < frame->n_regions; i++)
    inside |= middle_lies_in (&object->seen, &frame->region[i]) ||
        middle_lies_in (&frame->region[i], &object->seen);
  return inside;
}

gboolean
gst_scopedetect_set_regions (GstScopedetect *self, GstBuffer *first,
    GstBuffer *second, ScopedetectFrame *frame)
{
  GstScopedetectRegion region = GST_VISION_LOCKED (self, self->region);

  if (region.meta) {
    add_region_boxes (self, first, frame);
    if (second)
      add_region_boxes (self, second, frame);
    return frame->n_regions > 0;
  }
  if (region.box.x0 < region.box.x1)
    frame->region[frame->n_regions++] = region.box;
  return TRUE;
}
