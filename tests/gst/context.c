/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA context of elements: one for all pipelines of the process that are
 * given none, and found early enough for neighbours upstream. */

#include "suite.h"
#include "common/device.h"

#define TYPE "gst.cuda.context"

/* The GstCudaContext that @pad's element tells of; NULL without one. */
static GObject *
context_of (GstPad *pad)
{
  g_autoptr (GstQuery) query = gst_query_new_context (TYPE);
  GstContext *context = NULL;
  GObject *found = NULL;

  if (gst_pad_query (pad, query))
    gst_query_parse_context (query, &context);
  if (context)
    found = g_value_dup_object (
        gst_structure_get_value (gst_context_get_structure (context), TYPE));
  return found;
}

static GObject *
context_of_ready (const gchar *line, GstElement **pipeline)
{
  g_autoptr (GstElement) element = NULL;
  GstPad *pad;

  *pipeline = gst_parse_launch (line, NULL);
  fail_unless_equals_int (gst_element_set_state (*pipeline, GST_STATE_READY),
      GST_STATE_CHANGE_SUCCESS);
  element = gst_bin_get_by_name (GST_BIN (*pipeline), "it");
  pad = GST_PAD (GST_ELEMENT (element)->sinkpads->data);
  return context_of (pad);
}

static void
drop (GstElement *pipeline, GObject *context)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_object_unref (context);
}

GST_START_TEST (test_shared)
{
  static const gchar *lines[] = {"fakesrc ! moct name=it ! fakesink",
      "fakesrc ! queue ! emdtrack name=it ! visionoverlay ! fakesink",
      "fakesrc ! pocstereo name=it ! fakesink"};
  const char *no_gpu =
      device_cuda_probe (); /* here: CUDA survives no fork () */
  GstElement *first, *other;
  GObject *context = context_of_ready (lines[0], &first), *second;
  gpointer gone = context;

  fail_unless ((context == NULL) == (no_gpu != NULL), "%s", no_gpu);
  if (!context) {
    gst_element_set_state (first, GST_STATE_NULL);
    gst_object_unref (first);
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++) {
    second = context_of_ready (lines[i], &other);
    fail_unless (second == context, "%s", lines[i]);
    drop (other, second);
  }
  g_object_add_weak_pointer (context, &gone);
  drop (first, context);
  fail_unless (gone == NULL, "the context outlives its users");
}
GST_END_TEST;

GST_START_TEST (test_cpu_has_none)
{
  g_autoptr (GstElement) pipeline = NULL;

  fail_unless (
      context_of_ready (
          "fakesrc ! moct name=it backend=cpu ! fakesink", &pipeline) == NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}
GST_END_TEST;

SUITE (context, TEST (test_shared), TEST (test_cpu_has_none));
