/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CUDA context of elements: one for all pipelines of the process that are
 * given none, and found early enough for neighbours upstream. */

#include "suite.h"
#include "common/device.h"
#include "fed.h"

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

/* @context may be NULL. */
static void
drop (GstElement *pipeline, GObject *context)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_clear_object (&context);
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
    drop (first, NULL);
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

#ifdef GSTCUDA_MINOR
# include "base/gstcudaapi.h"

/* Gives the element @name of @pipeline a context of its own, of the first GPU.
 */
static void
give_context (GstElement *pipeline, const gchar *name)
{
  g_autoptr (GstElement) element =
      gst_bin_get_by_name (GST_BIN (pipeline), name);
  GstCudaContext *own = gst_cuda_context_new (0);
  g_autoptr (GstContext) context = gst_context_new_cuda_context (own);

  gst_element_set_context (element, context);
  gst_object_unref (own);
}
#else
static void
give_context (GstElement *pipeline, const gchar *name)
{
  (void) pipeline;
  (void) name;
}
#endif

/* The picture of the labels that the element "it" made and "draws" has drawn:
 * both on the CPU, or each on the GPU in a context of its own. */
static GstSample *
draw_labels (gboolean on_gpu)
{
  g_autofree gchar *line = g_strdup_printf (
      "videotestsrc num-buffers=2 pattern=red ! "
      "video/x-raw,format=RGB,width=64,height=48 ! moct name=it backend=%s "
      "objects=blue:#ff0000~30 label-map=true ! "
      "visionoverlay name=draws backend=%s show=0 map=labels opacity=1 ! "
      "fakesink name=sink",
      on_gpu ? "cuda" : "cpu", on_gpu ? "cuda" : "cpu");
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  GstSample *sample;

  if (on_gpu) {
    give_context (pipeline, "it");
    give_context (pipeline, "draws");
  }
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND,
      GST_MESSAGE_WARNING | GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s",
      message ? gst_structure_to_string (gst_message_get_structure (message))
              : "nothing");
  g_object_get (sink, "last-sample", &sample, NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return sample;
}

/* A map in another context than that of the element that draws it, as where
 * they work on two GPUs. */
GST_START_TEST (test_map_of_another)
{
  g_autoptr (GstSample) cpu = draw_labels (FALSE), gpu = NULL;
  GstElement *any;
  GstMapInfo info;
  guint8 rgb[3];
  GObject *context =
      context_of_ready ("fakesrc ! moct name=it ! fakesink", &any);

  /* blue now; the frame was red */
  fail_unless (
      gst_buffer_extract (gst_sample_get_buffer (cpu), 0, rgb, 3) == 3);
  fail_unless (rgb[2] > rgb[0]);
  if (context) {
    gpu = draw_labels (TRUE);
    fail_unless (
        gst_buffer_map (gst_sample_get_buffer (cpu), &info, GST_MAP_READ));
    fail_unless (gst_buffer_memcmp (gst_sample_get_buffer (gpu), 0, info.data,
                     info.size) == 0);
    gst_buffer_unmap (gst_sample_get_buffer (cpu), &info);
  }
  drop (any, context);
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

static gboolean
is_pinned (GstAllocator *allocator)
{
  return allocator &&
      g_strcmp0 (G_OBJECT_TYPE_NAME (allocator), "GstVisionPinned") == 0;
}

/* The pool of page-locked memory that the element offers to whoever fills its
 * frames, or NULL. */
static GstBufferPool *
offered_pool (GstHarness *h, GstVideoInfo *info)
{
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (info);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *found = NULL;

  fail_unless (gst_pad_peer_query (h->srcpad, query));
  for (guint i = 0; i < gst_query_get_n_allocation_pools (query); i++) {
    GstAllocator *allocator = NULL;
    g_autoptr (GstBufferPool) pool = NULL;
    GstStructure *config;

    gst_query_parse_nth_allocation_pool (query, i, &pool, NULL, NULL, NULL);
    if (!pool)
      continue;
    config = gst_buffer_pool_get_config (pool);
    gst_buffer_pool_config_get_allocator (config, &allocator, NULL);
    if (is_pinned (allocator) && !found)
      found = gst_object_ref (pool);
    gst_structure_free (config);
  }
  return found;
}

static GstVisionObjects *
find_in_filled (GstHarness *h, GstBuffer *buffer, guint n)
{
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = i / 3 % 64 < 20 + n && i / 192 < 30 ? 255 * (i % 3 == 0) : 0;
  gst_buffer_unmap (buffer, &map);
  return fed_objects (h, fed_frame (buffer, n));
}

/* A sink that answers no query takes any memory: the element answers alone. */
GST_START_TEST (test_before_a_silent_sink)
{
  g_autoptr (Harness) h =
      gst_harness_new_parse ("moct objects=red:#ff0000~30 ! fakesink");
  g_autoptr (GstQuery) query = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info;

  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  caps = gst_video_info_to_caps (&info);
  query = gst_query_new_allocation (caps, TRUE);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (
      gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
}
GST_END_TEST;

/* Frames in offered memory give what frames in other memory give.  It is
 * offered on a GPU alone. */
GST_START_TEST (test_pinned_frames)
{
  GstElement *any;
  GObject *context =
      context_of_ready ("fakesrc ! moct name=it ! fakesink", &any);
  g_autoptr (Harness) h =
      gst_harness_new_parse ("moct objects=red:#ff0000~30 min-area=1");
  g_autoptr (Harness) on_cpu = gst_harness_new_parse (
      "moct backend=cpu objects=red:#ff0000~30 min-area=1");
  g_autoptr (GstBufferPool) pool = NULL;
  GstVideoInfo info;

  fed_caps (on_cpu, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  fail_unless (offered_pool (on_cpu, &info) == NULL);
  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  pool = offered_pool (h, &info);
  fail_unless ((pool != NULL) == (context != NULL));
  if (pool)
    fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  for (guint i = 0; pool && i < 20; i++) {
    GstBuffer *plain = gst_buffer_new_allocate (NULL, info.size, NULL), *pinned;
    GstVisionObjects *a, *b;

    fail_unless (
        gst_buffer_pool_acquire_buffer (pool, &pinned, NULL) == GST_FLOW_OK);
    a = find_in_filled (h, pinned, i);
    b = find_in_filled (h, plain, i);
    fail_unless (a && b && a->n_objects == 1 && b->n_objects == 1);
    fail_unless_equals_uint64 (a->objects[0].area, (20 + i) * 30);
    fail_unless_equals_uint64 (b->objects[0].area, (20 + i) * 30);
    fail_unless (a->objects[0].cx == b->objects[0].cx);
    gst_vision_objects_free (a);
    gst_vision_objects_free (b);
  }
  if (pool)
    gst_buffer_pool_set_active (pool, FALSE);
  drop (any, context);
}
GST_END_TEST;

SUITE (context, TEST (test_shared), TEST (test_map_of_another),
    TEST (test_before_a_silent_sink), TEST (test_pinned_frames),
    TEST (test_cpu_has_none));
