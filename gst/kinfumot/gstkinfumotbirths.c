/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects that gpuccl found behind this element.  Its event comes on its thread
 * and is only noted; the next frame applies it. */
#include "kinfumot/gstkinfumot.h"

#define MAX_NOTED 32

gboolean
gst_kinfumot_take_event (GstKinfumot *self, GstEvent *event)
{
  const GstStructure *s = gst_event_get_structure (event);

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM || !s ||
      !gst_structure_has_name (s, "VisionNewObject"))
    return FALSE;
  GST_OBJECT_LOCK (self);
  if (self->births.length < MAX_NOTED)
    g_queue_push_tail (&self->births, gst_structure_copy (s));
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static GstStructure *
pop (GstKinfumot *self)
{
  return GST_VISION_LOCKED (self, g_queue_pop_head (&self->births));
}

void
gst_kinfumot_forget_births (GstKinfumot *self)
{
  GstStructure *s;

  while ((s = pop (self)))
    gst_structure_free (s);
}

/* The mask as a map of the frame; FALSE where the event says anything else. */
static gboolean
read_mask (
    GstKinfumot *self, const GstStructure *s, GstVisionMap *map, guint64 *time)
{
  const gchar *memory = gst_structure_get_string (s, "memory");
  const GValue *mask = gst_structure_get_value (s, "mask");

  *map = (GstVisionMap){.kind = "mask",
      .format = "u8",
      .channels = 1,
      .on_gpu = memory && g_str_equal (memory, "cuda"),
      .scale = 1};
  if (!mask || !G_VALUE_HOLDS (mask, GST_TYPE_BUFFER) ||
      !gst_structure_get_uint64 (s, "pts", time) ||
      !gst_structure_get_uint (s, "ref-width", &map->width) ||
      !gst_structure_get_uint (s, "ref-height", &map->height) ||
      !gst_structure_get_uint (s, "stride", &map->stride))
    return FALSE;
  map->pixels = g_value_get_boxed (mask);
  return map->pixels && map->width == (guint) self->width &&
      map->height == (guint) self->height && map->stride >= map->width &&
      gst_buffer_get_size (map->pixels) >=
      (guint64) map->stride * (map->height - 1) + map->width;
}

static const char *
apply (GstKinfumot *self, const GstStructure *s)
{
  GstVisionCommon *common = gst_vision_common (self);
  GstVisionMap map;
  const void *address;
  const char *err;
  guint64 time;

  if (!read_mask (self, s, &map, &time)) {
    gst_vision_common_fault (common,
        "the mask of a new object does not fit the frames; scale neither "
        "between kinfumot and gpuccl");
    return NULL;
  }
  TRY (
      gst_vision_map_input_map (&self->mask, &common->backend, &map, &address));
  err = kinfumot_birth (self->kinfumot, time, address, map.stride);
  gst_vision_map_input_unmap (&self->mask);
  return err;
}

const char *
gst_kinfumot_births (GstKinfumot *self)
{
  const char *err = NULL;
  GstStructure *s;

  while (!err && (s = pop (self))) {
    err = apply (self, s);
    gst_structure_free (s);
  }
  return err;
}
