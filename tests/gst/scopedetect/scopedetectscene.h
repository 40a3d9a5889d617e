/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The solid of scopedetect_solid.h on its table, played to the element. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>

#include <glib/gstdio.h>

#include "meta/gstvisionmeta.h"

#include "fed.h"
#include "said.h"
#include "scopedetect/scopedetect_solid.h"

#define INTRINSICS "intrinsics=450,450,159.5,119.5"
/* Few features, which are enough for a solid alone. */
#define QUICK \
 INTRINSICS " depth-scale=0.0001 queries=1500 clusters=100 min-score=0.01 " \
            "table-low=0.005 "

static gchar *model_folder, *model_path;

static inline void
make_model (void)
{
  ScopedetectModel *model = solid_model (.004);

  model_folder = g_dir_make_tmp ("scopedetect-XXXXXX", NULL);
  fail_unless (model_folder != NULL);
  model_path = g_build_filename (model_folder, "solid.model", NULL);
  fail_unless (scopedetect_model_save (model, model_path) == NULL);
  scopedetect_model_free (model);
}

static inline void
remove_model (void)
{
  g_remove (model_path);
  g_rmdir (model_folder);
  g_clear_pointer (&model_path, g_free);
  g_clear_pointer (&model_folder, g_free);
}

typedef struct {
  GstElement *element;
  GstHarness *colour, *depth;
  GstBus *bus;
  guint n; /* frames pushed */
} Scene;

static inline void
scene_caps (GstHarness *h, GstVideoFormat format, gint width, gint height)
{
  GstVideoInfo info;

  fed_caps (h, &info, format, width, height);
}

/* @properties: as in a launch line; @models: NULL for none. */
static inline Scene
scene_new (const gchar *models, const gchar *properties)
{
  g_autofree gchar *line = g_strdup_printf ("scopedetect %s", properties);
  Scene s = {.element = gst_parse_launch (line, NULL), .bus = gst_bus_new ()};

  fail_unless (s.element != NULL, "%s", line);
  g_object_set (s.element, "models", models, NULL);
  gst_element_set_bus (s.element, s.bus);
  s.depth = gst_harness_new_with_element (s.element, "sink_depth", NULL);
  s.colour = gst_harness_new_with_element (s.element, "sink_color", "src");
  scene_caps (s.colour, GST_VIDEO_FORMAT_RGB, SOLID_WIDTH, SOLID_HEIGHT);
  scene_caps (s.depth, GST_VIDEO_FORMAT_GRAY16_LE, SOLID_WIDTH, SOLID_HEIGHT);
  return s;
}

static inline void
scene_free (Scene *s)
{
  fed_free_two (s->element, s->colour, s->depth, s->bus);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_free)

static inline GstBuffer *
scene_buffer (Scene *s, gsize size, gint value)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, (guint8) value, size);
  return fed_frame (buffer, s->n);
}

/* The solid at @truth on its table; nothing at all where that is NULL. */
static inline GstBuffer *
scene_depth (Scene *s, const Pose *truth)
{
  GstBuffer *buffer = scene_buffer (s, 2 * SOLID_WIDTH * SOLID_HEIGHT, 0);
  GstMapInfo map;

  if (!truth)
    return buffer;
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  solid_draw ((uint16_t *) (void *) map.data, 2 * SOLID_WIDTH, *truth);
  solid_table ((uint16_t *) (void *) map.data, 2 * SOLID_WIDTH, *truth);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Pushes a pair and takes what comes out. */
static inline GstBuffer *
scene_push (Scene *s, GstBuffer *colour, const Pose *truth)
{
  GstBuffer *buffer;

  if (!colour)
    colour = scene_buffer (s, 3 * SOLID_WIDTH * SOLID_HEIGHT, 128);
  fail_unless_equals_int (gst_harness_push (s->colour, colour), GST_FLOW_OK);
  fail_unless_equals_int (
      gst_harness_push (s->depth, scene_depth (s, truth)), GST_FLOW_OK);
  buffer = gst_harness_pull (s->colour);
  fail_unless (buffer != NULL, "nothing came of pair %u", s->n);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), s->n * 40 * GST_MSECOND);
  s->n++;
  return buffer;
}

/* The objects of a pair; NULL without a meta. */
static inline GstVisionObjects *
scene_objects (Scene *s, GstBuffer *colour, const Pose *truth)
{
  g_autoptr (GstBuffer) buffer = scene_push (s, colour, truth);
  GstVisionObjects *objects =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);

  return objects;
}

/* One object, no farther than 3 mm from @truth (ADD); returns its id.  Those
 * that were not seen come after it. */
static inline guint64
scene_find (Scene *s, const Pose *truth, GstVisionState state)
{
  g_autoptr (GstVisionObjects) found = scene_objects (s, NULL, truth);
  const GstVisionObject *o;
  ScopedetectModel *model;
  double numbers[7], add, add_s;
  guint64 id;

  fail_unless (found != NULL);
  fail_unless (found->n_objects >= 1);
  o = found->objects;
  for (guint i = 1; i < found->n_objects; i++)
    fail_unless (o[i].state == GST_VISION_STATE_OCCLUDED ||
        o[i].state == GST_VISION_STATE_LOST);
  fail_unless_equals_string (o->element, "scopedetect");
  fail_unless_equals_string (o->label, "solid");
  fail_unless_equals_int (o->state, state);
  fail_unless_equals_int (o->pose.n, 7);
  fail_unless_equals_int (o->extent.n, 3);
  fail_unless_equals_int (o->covariance.n, 36);
  fail_unless (o->covariance.values[0] > 0 && o->covariance.values[35] > 0);
  fail_unless (o->outline.n >= 8 && o->outline.n % 2 == 0);
  fail_unless (o->score > .05 && o->score <= 1);
  fail_unless (o->x >= 0 && o->y >= 0 && o->width > 20 && o->height > 20 &&
      o->x + o->width <= SOLID_WIDTH && o->y + o->height <= SOLID_HEIGHT);
  fail_unless (scopedetect_model_load (&model, model_path) == NULL);
  solid_numbers (*truth, numbers);
  scopedetect_model_distance (model, o->pose.values, numbers, &add, &add_s);
  fail_unless (add < .003, "%g mm off in frame %u", 1e3 * add, s->n - 1);
  scopedetect_model_free (model);
  id = o->id;
  return id;
}

/* Nothing is to be seen; of the object @id there is only its state, NONE where
 * it is known no more. */
static inline void
scene_miss (Scene *s, guint64 id, GstVisionState state)
{
  g_autoptr (GstVisionObjects) found = scene_objects (s, NULL, NULL);

  fail_unless (found != NULL);
  fail_unless_equals_int (found->n_objects, state != GST_VISION_STATE_NONE);
  if (found->n_objects) {
    fail_unless_equals_uint64 (found->objects[0].id, id);
    fail_unless_equals_int (found->objects[0].state, state);
    fail_unless (found->objects[0].score == 0);
    fail_unless (found->objects[0].pose.n == 7);
  }
}

static inline gdouble
scene_stat (Scene *s, const gchar *field)
{
  g_autoptr (GstStructure) stats = NULL;
  const GValue *value;

  g_object_get (s->element, "stats", &stats, NULL);
  value = gst_structure_get_value (stats, field);
  fail_unless (value != NULL, "there is no %s", field);
  return G_VALUE_HOLDS_DOUBLE (value) ? g_value_get_double (value)
                                      : (gdouble) g_value_get_uint64 (value);
}
