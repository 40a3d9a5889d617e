/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads what moct found in an application: from the buffers of an appsink, or
 * from messages on the bus.  objects.py is the same in Python.
 *
 *   meson devenv -C build pipelines/apps/objects [--messages] [SOURCE]
 *
 * SOURCE is the head of a pipeline; the default is a generated scene. */
#include <gst/gst.h>
#include <gst/vision/gstvisionmeta.h>

#define SCENE "visiontestsrc name=scene num-buffers=30"

static void
show (GstClockTime time, const gchar *label, guint64 id, gdouble cx, gdouble cy,
    guint64 area)
{
  g_print ("%.3f s  %s %" G_GUINT64_FORMAT ": (%.1f, %.1f), %" G_GUINT64_FORMAT
           " pixels\n",
      time / (gdouble) GST_SECOND, label, id, cx, cy, area);
}

static void
show_buffer (GstBuffer *buffer)
{
  GstVisionObjects *found =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);

  for (guint i = 0; found && i < found->n_objects; i++) {
    const GstVisionObject *o = &found->objects[i];

    show (GST_BUFFER_PTS (buffer), o->label, o->id, o->cx, o->cy, o->area);
  }
  gst_vision_objects_free (found);
}

/* The same structure as on a buffer, with the times of the frame. */
static void
show_message (const GstStructure *results)
{
  const GValue *objects = gst_structure_get_value (results, "objects");
  guint64 time, id, area;
  gdouble cx, cy;

  gst_structure_get (results, "timestamp", G_TYPE_UINT64, &time, NULL);
  for (guint i = 0; i < gst_value_array_get_size (objects); i++) {
    const GstStructure *o =
        gst_value_get_structure (gst_value_array_get_value (objects, i));

    if (gst_structure_get (o, "id", G_TYPE_UINT64, &id, "area", G_TYPE_UINT64,
            &area, "cx", G_TYPE_DOUBLE, &cx, "cy", G_TYPE_DOUBLE, &cy, NULL))
      show (time, gst_structure_get_string (o, "label"), id, cx, cy, area);
  }
}

static GstFlowReturn
on_sample (GstElement *sink)
{
  GstSample *sample;

  g_signal_emit_by_name (sink, "pull-sample", &sample);
  show_buffer (gst_sample_get_buffer (sample));
  gst_sample_unref (sample);
  return GST_FLOW_OK;
}

static void
show_error (GstMessage *message)
{
  GError *error;

  gst_message_parse_error (message, &error, NULL);
  g_printerr ("%s: %s\n", GST_MESSAGE_SRC_NAME (message), error->message);
  g_error_free (error);
}

/* Returns when the stream has ended; FALSE where by an error. */
static gboolean
watch (GstElement *pipeline, GstElement *moct)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessageType type = GST_MESSAGE_UNKNOWN;

  while (type != GST_MESSAGE_EOS && type != GST_MESSAGE_ERROR) {
    GstMessage *message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
        GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

    type = GST_MESSAGE_TYPE (message);
    if (type == GST_MESSAGE_ERROR)
      show_error (message);
    else if (GST_MESSAGE_SRC (message) == GST_OBJECT (moct))
      show_message (gst_message_get_structure (message));
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return type == GST_MESSAGE_EOS;
}

static gboolean
run (GstElement *pipeline)
{
  GstElement *scene = gst_bin_get_by_name (GST_BIN (pipeline), "scene");
  GstElement *moct = gst_bin_get_by_name (GST_BIN (pipeline), "moct");
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gboolean ended;

  if (scene) /* its shapes have these colours */
    g_object_bind_property (
        scene, "palette", moct, "objects", G_BINDING_SYNC_CREATE);
  if (sink)
    g_signal_connect (sink, "new-sample", G_CALLBACK (on_sample), NULL);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  ended = watch (pipeline, moct);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_clear_object (&scene);
  gst_clear_object (&sink);
  gst_object_unref (moct);
  return ended;
}

int
main (int argc, char **argv)
{
  gboolean messages = argc > 1 && g_str_equal (argv[1], "--messages");
  GError *error = NULL;
  gchar *source, *line;
  GstElement *pipeline;
  gboolean ended = FALSE;

  gst_init (&argc, &argv);
  source = g_strjoinv (" ", argv + 1 + messages);
  line = g_strdup_printf ("%s ! moct name=moct %s", *source ? source : SCENE,
      messages ? "post-messages=true ! fakesink"
               : "! appsink name=sink emit-signals=true sync=false");
  pipeline = gst_parse_launch (line, &error);
  if (pipeline && !error)
    ended = run (pipeline);
  else
    g_printerr ("%s\n", error->message);
  gst_clear_object (&pipeline);
  g_clear_error (&error);
  g_free (source);
  g_free (line);
  return ended ? 0 : 1;
}
