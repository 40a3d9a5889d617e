/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moct/gstmoctproperties.h"

#include <stdio.h>

/* "x,y,width,height"; the whole frame where it is empty. */
static gboolean
read_region (const gchar *text, ImageBox *region)
{
  int x, y, w, h, used = 0;

  *region = (ImageBox){0, 0, G_MAXINT16, G_MAXINT16};
  if (!text || !*text)
    return TRUE;
  if (sscanf (text, "%d,%d,%d,%d%n", &x, &y, &w, &h, &used) != 4 ||
      text[used] || x < 0 || y < 0 || w < 1 || h < 1 || x > G_MAXINT16 ||
      y > G_MAXINT16 || w > G_MAXINT16 || h > G_MAXINT16)
    return FALSE;
  *region = (ImageBox){x, y, x + w, y + h};
  return TRUE;
}

static void
set_region (GstMoct *self, const gchar *text)
{
  ImageBox region;

  if (read_region (text, &region)) {
    GST_OBJECT_LOCK (self);
    self->params.region = region;
    g_clear_pointer (&self->region_problem, g_free);
    GST_OBJECT_UNLOCK (self);
    return;
  }
  gst_moct_refuse (self, &self->region_problem,
      g_strdup_printf ("region: \"%s\" is not x,y,width,height in pixels. The "
                       "region before stays.",
          text));
}

static gchar *
region_text (const ImageBox *r)
{
  return r->x1 == G_MAXINT16 && !r->x0
      ? g_strdup ("")
      : g_strdup_printf (
            "%d,%d,%d,%d", r->x0, r->y0, r->x1 - r->x0, r->y1 - r->y0);
}

static void
set_number (GstMoct *self, guint id, const GValue *value)
{
  MoctParams *p = &self->params;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_METHOD:
      p->method = g_value_get_enum (value);
      break;
    case PROP_LAYOUT:
      p->layout = g_value_get_enum (value);
      break;
    case PROP_REDUCTION_FACTOR:
      p->reduction_factor = g_value_get_int (value);
      break;
    case PROP_EXACT:
      p->exact = g_value_get_boolean (value);
      break;
    case PROP_BLOBS:
      p->blobs = g_value_get_boolean (value);
      break;
    case PROP_MERGE_DISTANCE:
      p->merge_distance = g_value_get_int (value);
      break;
    case PROP_MIN_AREA:
      p->min_area = g_value_get_uint64 (value);
      break;
    case PROP_MAX_AREA:
      p->max_area = g_value_get_uint64 (value);
      break;
    case PROP_MAX_OBJECTS:
      p->max_objects = g_value_get_int (value);
      break;
    case PROP_GATE:
      p->gate = g_value_get_double (value);
      break;
    case PROP_APPEAR_FRAMES:
      p->appear_frames = g_value_get_int (value);
      break;
    case PROP_LOSE_FRAMES:
      p->lose_frames = g_value_get_int (value);
      break;
    case PROP_HISTORY_LENGTH:
      self->history_length = g_value_get_int (value);
      break;
    case PROP_TRAJECTORY:
      self->trajectory = g_value_get_enum (value);
      break;
    case PROP_LABEL_MAP:
      self->label_map = g_value_get_boolean (value);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}

void
gst_moct_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstMoct *self = GST_MOCT (object);

  (void) pspec;
  if (id == PROP_OBJECTS)
    gst_moct_set_objects (self, g_value_get_string (value));
  else if (id == PROP_OBJECTS_FILE)
    gst_moct_set_objects_file (self, g_value_get_string (value));
  else if (id == PROP_REGION)
    set_region (self, g_value_get_string (value));
  else
    set_number (self, id, value);
}

void
gst_moct_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstMoct *self = GST_MOCT (object);
  const MoctParams *p = &self->params;

  (void) pspec;
  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_OBJECTS:
      g_value_set_string (value, self->objects);
      break;
    case PROP_OBJECTS_FILE:
      g_value_set_string (value, self->objects_file);
      break;
    case PROP_REGION:
      g_value_take_string (value, region_text (&p->region));
      break;
    case PROP_METHOD:
      g_value_set_enum (value, p->method);
      break;
    case PROP_LAYOUT:
      g_value_set_enum (value, p->layout);
      break;
    case PROP_REDUCTION_FACTOR:
      g_value_set_int (value, p->reduction_factor);
      break;
    case PROP_EXACT:
      g_value_set_boolean (value, p->exact);
      break;
    case PROP_BLOBS:
      g_value_set_boolean (value, p->blobs);
      break;
    case PROP_MERGE_DISTANCE:
      g_value_set_int (value, p->merge_distance);
      break;
    case PROP_MIN_AREA:
      g_value_set_uint64 (value, p->min_area);
      break;
    case PROP_MAX_AREA:
      g_value_set_uint64 (value, p->max_area);
      break;
    case PROP_MAX_OBJECTS:
      g_value_set_int (value, p->max_objects);
      break;
    case PROP_GATE:
      g_value_set_double (value, p->gate);
      break;
    case PROP_APPEAR_FRAMES:
      g_value_set_int (value, p->appear_frames);
      break;
    case PROP_LOSE_FRAMES:
      g_value_set_int (value, p->lose_frames);
      break;
    case PROP_HISTORY_LENGTH:
      g_value_set_int (value, self->history_length);
      break;
    case PROP_TRAJECTORY:
      g_value_set_enum (value, self->trajectory);
      break;
    case PROP_LABEL_MAP:
      g_value_set_boolean (value, self->label_map);
      break;
  }
  GST_OBJECT_UNLOCK (self);
}
