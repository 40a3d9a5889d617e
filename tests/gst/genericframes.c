/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What must hold for every element of the plug-in that frames come to: one that
 * is not what its caps say passes as any other, and a segment that is not of
 * times gives one error at most. */
#include "suite.h"
#include "badframes.h"
#include "elements.h"
#include "scopedetect/scopedetectscene.h"

/* A frame size of which each algorithm can make something. */
#define WIDTH 64
#define HEIGHT 32

#define CUDA_MEMORY "memory:CUDAMemory"

typedef struct {
  GstElement *element;
  GstHarness *h[2]; /* the second: with two inputs */
  GstVideoInfo info[2];
  GstHarness *upload; /* brings frames to CUDA memory; NULL: they stay */
  GstBus *bus;
  guint n; /* frames pushed */
} Player;

/* The first N_CUDA_FORMATS are those of cudaupload, too. */
static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA,
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE,
    GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_GRAY16_LE};
#define N_CUDA_FORMATS 4

static gboolean
takes (GstElementFactory *factory, const gchar *pad, GstCaps *caps)
{
  const GList *l = gst_element_factory_get_static_pad_templates (factory);

  for (; l; l = l->next) {
    GstStaticPadTemplate *template = l->data;
    GstCaps *all = gst_static_caps_get (&template->static_caps);
    gboolean can = !strcmp (template->name_template, pad) &&
        gst_caps_is_subset (caps, all);

    gst_caps_unref (all);
    if (can)
      return TRUE;
  }
  return FALSE;
}

/* What each needs to look at frames of @format at all. */
static void
prepare (GstElement *element, const gchar *name, GstVideoFormat format)
{
  if (!strcmp (name, "scopedetect"))
    g_object_set (element, "models", model_path, "intrinsics", "75,75,32,16",
        "queries", 50, NULL);
  else if (!strcmp (name, "emdtrack"))
    g_object_set (element, "targets", "a:10,10,12,12", NULL);
  else if (!strcmp (name, "gpuccl") && format == GST_VIDEO_FORMAT_RGBA)
    gst_util_set_object_arg (G_OBJECT (element), "mask-from", "alpha");
  else if (!strcmp (name, "depthalign"))
    g_object_set (element, "intrinsics", "75,75,32,16", "target-intrinsics",
        "75,75,32,16", NULL);
  else if (!strcmp (name, "kinfumot"))
    g_object_set (element, "intrinsics", "75,75,32,16", NULL);
  else if (!strcmp (name, "moct"))
    g_object_set (element, "objects", "red:#ff0000~30", NULL);
  else if (!strcmp (name, "visionjson"))
    g_object_set (element, "location", "/dev/null", NULL);
}

static void
add_pad (Player *p, gint i, const gchar *pad, GstVideoFormat format)
{
  gst_video_info_set_format (&p->info[i], format, WIDTH, HEIGHT);
  p->info[i].fps_n = 25;
  p->h[i] = gst_harness_new_with_element (p->element, pad, i ? NULL : "src");
}

/* Caps of @info, in CUDA memory if @in_cuda; depth is never there. */
static GstCaps *
caps_of (const GstVideoInfo *info, gboolean in_cuda)
{
  GstCaps *caps = gst_video_info_to_caps (info);

  if (in_cuda && GST_VIDEO_INFO_FORMAT (info) != GST_VIDEO_FORMAT_GRAY16_LE)
    gst_caps_set_features (caps, 0, gst_caps_features_new (CUDA_MEMORY, NULL));
  return caps;
}

/* FALSE where @factory takes no frames in @format; with @upload, in CUDA
 * memory. */
static gboolean
player_new (Player *p, GstElementFactory *factory, GstVideoFormat format,
    GstHarness *upload)
{
  const gchar *name = GST_OBJECT_NAME (factory);
  gboolean scope = !strcmp (name, "scopedetect");
  gboolean two = scope || !strcmp (name, "pocstereo");
  const gchar *pad = scope ? "sink_color" : two ? "sink_left" : "sink";
  GstVideoInfo info;
  GstCaps *caps;
  gboolean can;

  gst_video_info_set_format (&info, format, WIDTH, HEIGHT);
  caps = caps_of (&info, upload != NULL);
  can = takes (factory, pad, caps);
  gst_caps_unref (caps);
  if (!can)
    return FALSE;
  *p = (Player){.element = gst_element_factory_create (factory, NULL),
      .upload = upload,
      .bus = gst_bus_new ()};
  gst_element_set_bus (p->element, p->bus);
  prepare (p->element, name, format);
  if (two)
    add_pad (p, 1, scope ? "sink_depth" : "sink_right",
        scope ? GST_VIDEO_FORMAT_GRAY16_LE : format);
  add_pad (p, 0, pad, format);
  for (gint i = 0; i < 1 + two; i++)
    gst_harness_set_src_caps (p->h[i], caps_of (&p->info[i], upload != NULL));
  return TRUE;
}

/* In the first format that it takes; FALSE for a source. */
static gboolean
player_new_any (Player *p, GstElementFactory *factory)
{
  return player_new (p, factory, GST_VIDEO_FORMAT_GRAY8, NULL) ||
      player_new (p, factory, GST_VIDEO_FORMAT_RGB, NULL) ||
      player_new (p, factory, GST_VIDEO_FORMAT_GRAY16_LE, NULL);
}

static void
player_free (Player *p)
{
  gst_element_set_bus (p->element, NULL);
  for (gint i = 1; i >= 0; i--)
    if (p->h[i])
      gst_harness_teardown (p->h[i]);
  gst_object_unref (p->element);
  gst_object_unref (p->bus);
}

/* A frame of @info, by @upload in CUDA memory; NULL and depth: in system
 * memory. */
static GstBuffer *
good_frame (const GstVideoInfo *info, GstHarness *upload)
{
  GstBuffer *frame = bad_bytes (GST_VIDEO_INFO_SIZE (info), 100);

  if (!upload || GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_FORMAT_GRAY16_LE)
    return frame;
  gst_harness_set_src_caps (upload, caps_of (info, FALSE));
  GST_BUFFER_PTS (frame) = 0;
  frame = gst_harness_push_and_pull (upload, frame);
  fail_unless (frame != NULL, "cudaupload gives no frame");
  return gst_buffer_make_writable (frame);
}

/* By @upload in CUDA memory, but for what can only be made in system memory. */
static GstBuffer *
bad_frame_of (const GstVideoInfo *info, GstHarness *upload, Bad bad)
{
  GstVideoInfo lower = *info;
  GstBuffer *frame, *spoilt; /* this one never goes back to a pool */
  GstVideoMeta *meta;

  if (!upload || GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_FORMAT_GRAY16_LE ||
      bad == BAD_EMPTY || bad == BAD_SPLIT || bad == BAD_UNMAPPABLE)
    return bad_frame (info, bad, 100);
  gst_video_info_set_format (&lower, GST_VIDEO_INFO_FORMAT (info), WIDTH, 2);
  frame =
      good_frame (bad == BAD_SHORT || bad == BAD_REACH ? &lower : info, upload);
  meta = gst_buffer_get_video_meta (frame);
  spoilt = gst_buffer_new ();
  gst_buffer_append_memory (spoilt, gst_buffer_get_memory (frame, 0));
  if (bad != BAD_SHORT)
    gst_buffer_add_video_meta_full (spoilt, GST_VIDEO_FRAME_FLAG_NONE,
        meta->format, WIDTH, HEIGHT, meta->n_planes, meta->offset,
        meta->stride);
  gst_buffer_unref (frame);
  if (bad != BAD_SHORT && bad != BAD_REACH)
    bad_meta (spoilt, info, bad);
  return spoilt;
}

/* All rows begin at odd addresses, or every other one. */
static GstBuffer *
odd_frame (const GstVideoInfo *info, gint more)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = {0}, size = 1;
  gint stride[GST_VIDEO_MAX_PLANES] = {0};
  GstBuffer *buffer;

  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    offset[p] = size;
    stride[p] = GST_VIDEO_INFO_PLANE_STRIDE (info, p) + more;
    size += (gsize) stride[p] * HEIGHT;
  }
  buffer = bad_bytes (size, 100);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), WIDTH, HEIGHT,
      GST_VIDEO_INFO_N_PLANES (info), offset, stride);
  return buffer;
}

/* Pushes @buffer to input @i, a good frame to the other, and takes what comes
 * out. */
static void
push (Player *p, gint i, GstBuffer *buffer)
{
  for (gint k = 1; k >= 0; k--) {
    GstBuffer *b = k == i ? buffer
        : p->h[k]         ? good_frame (&p->info[k], p->upload)
                          : NULL;

    if (!b)
      continue;
    GST_BUFFER_PTS (b) = p->n * 40 * GST_MSECOND;
    GST_BUFFER_DURATION (b) = 40 * GST_MSECOND;
    fail_unless_equals_int (gst_harness_push (p->h[k], b), GST_FLOW_OK);
  }
  buffer = gst_harness_pull (p->h[0]);
  fail_unless (buffer != NULL, "%s: frame %u is lost",
      GST_OBJECT_NAME (p->element), p->n);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), p->n * 40 * GST_MSECOND);
  gst_buffer_unref (buffer);
  p->n++;
}

static guint
n_errors (Player *p)
{
  GstMessage *message;
  guint n = 0;

  for (; (message = gst_bus_pop_filtered (p->bus, GST_MESSAGE_ERROR)); n++)
    gst_message_unref (message);
  return n;
}

static void
push_bad_frames (
    GstElementFactory *factory, GstVideoFormat format, GstHarness *upload)
{
  guint n_bad = 0;
  Player p;

  if (!player_new (&p, factory, format, upload))
    return;
  for (gint i = 0; i < 2 && p.h[i]; i++) {
    push (&p, i, good_frame (&p.info[i], upload));
    for (gint bad = 0; bad < N_BAD; bad++, n_bad++)
      push (&p, i, bad_frame_of (&p.info[i], upload, (Bad) bad));
    push (&p, i, good_frame (&p.info[i], upload));
    if (!upload)
      for (gint more = 0; more < 2; more++)
        push (&p, i, odd_frame (&p.info[i], more));
  }
  fail_unless_equals_int (n_errors (&p), 0);
  if (g_object_class_find_property (G_OBJECT_GET_CLASS (p.element), "stats")) {
    fail_unless_equals_uint64 (stat_count (p.element, "frames"), p.n);
    fail_unless_equals_uint64 (stat_count (p.element, "faulty"), n_bad);
    fail_unless_equals_uint64 (stat_count (p.element, "dropped"), 0);
  }
  player_free (&p);
}

GST_START_TEST (test_bad_frames)
{
  GList *all = elements ();

  for (GList *l = all; l; l = l->next)
    push_bad_frames (l->data, formats[__i__], NULL);
  gst_plugin_feature_list_free (all);
}
GST_END_TEST;

/* Elements that compute follow the frames to the GPU.  Without a GPU it
 * passes. */
GST_START_TEST (test_bad_cuda_frames)
{
  GstElement *element = gst_element_factory_make ("cudaupload", NULL);
  GstHarness *upload;
  GList *all;

  if (!element)
    return;
  upload = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_set_sink_caps_str (upload, "video/x-raw(" CUDA_MEMORY ")");
  all = elements ();
  for (GList *l = all; l; l = l->next)
    push_bad_frames (l->data, formats[__i__], upload);
  gst_plugin_feature_list_free (all);
  gst_harness_teardown (upload);
  gst_object_unref (element);
}
GST_END_TEST;

/* In bytes, to input @i. */
static void
push_segment (GstElementFactory *factory, gint i)
{
  GstSegment segment;
  guint errors;
  Player p;

  if (!player_new_any (&p, factory))
    return;
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  if (p.h[i])
    gst_harness_push_event (p.h[i], gst_event_new_segment (&segment));
  for (gint n = 0; n < 5; n++)
    for (gint k = 1; k >= 0; k--)
      if (p.h[k]) {
        GstBuffer *buffer = good_frame (&p.info[k], NULL);

        GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
        gst_harness_push (p.h[k], buffer);
      }
  gst_element_set_state (p.element, GST_STATE_NULL);
  errors = n_errors (&p);
  fail_unless (
      errors <= 1, "%s: %u errors", GST_OBJECT_NAME (p.element), errors);
  player_free (&p);
}

GST_START_TEST (test_segments)
{
  GList *all = elements ();

  for (GList *l = all; l; l = l->next)
    for (gint i = 0; i < 2; i++)
      push_segment (l->data, i);
  gst_plugin_feature_list_free (all);
}
GST_END_TEST;

/* A flush takes the segment, so that nothing says what the time of a gap is. */
static void
push_gap (GstElementFactory *factory)
{
  GstSegment segment;
  Player p;

  if (!player_new_any (&p, factory))
    return;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  push (&p, 0, good_frame (&p.info[0], NULL));
  for (gint k = 0; k < 2 && p.h[k]; k++) {
    gst_harness_push_event (p.h[k], gst_event_new_flush_start ());
    gst_harness_push_event (p.h[k], gst_event_new_flush_stop (TRUE));
  }
  for (gint k = 0; k < 2 && p.h[k]; k++) {
    gst_harness_push_event (p.h[k], gst_event_new_gap (0, GST_SECOND));
    gst_harness_push_event (
        p.h[k], gst_event_new_gap (GST_SECOND, GST_CLOCK_TIME_NONE));
  }
  for (gint k = 0; k < 2 && p.h[k]; k++)
    gst_harness_push_event (p.h[k], gst_event_new_segment (&segment));
  for (gint n = 0; n < 3; n++)
    push (&p, 0, good_frame (&p.info[0], NULL));
  fail_unless_equals_int (n_errors (&p), 0);
  player_free (&p);
}

GST_START_TEST (test_gap_before_the_segment)
{
  GList *all = elements ();

  for (GList *l = all; l; l = l->next)
    push_gap (l->data);
  gst_plugin_feature_list_free (all);
}
GST_END_TEST;

SUITE (genericframes, AROUND (make_model, remove_model), TIMEOUT (240),
    LOOP (test_bad_frames, G_N_ELEMENTS (formats)),
    LOOP (test_bad_cuda_frames, N_CUDA_FORMATS), TEST (test_segments),
    TEST (test_gap_before_the_segment));
