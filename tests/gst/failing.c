/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements in pipelines on a device that fails, at each of its calls in turn.
 * What algorithms alone do then is in their own tests. */
#include "suite.h"

#include "failing.h"
#include "said.h"
#include "scarce.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/gstvisionaggregator.h"
#include "base/gstvisionfilter.h"
#include "scopedetect/scopedetect_solid.h"

#define MOCT \
 "videotestsrc num-buffers=3 pattern=red ! " \
 "video/x-raw,format=RGB,width=40,height=40 ! moct name=x " \
 "objects=red:#ff0000~30 trajectory=full label-map=true ! fakesink"
#define POCSTEREO(properties) \
 "visiontestsrc pattern=stereo view=side-by-side num-buffers=3 ! " \
 "video/x-raw,width=96,height=48 ! pocstereo name=x backend=cpu " \
 "max-disparity=8 " properties " ! fakesink async=false"
#define SCOPEDETECT(properties) \
 "scopedetect name=x backend=cpu kept=50 clusters=5 far=4 table=false " \
 "intrinsics=58,58,31.5,23.5 tracking=false queries=60 " properties \
 " ! fakesink async=false visiontestsrc num-buffers=2 ! " \
 "video/x-raw,format=RGB,width=64,height=48 ! x.sink_color " \
 "visiontestsrc num-buffers=2 pattern=rgbd correspondence-map=false ! " \
 "video/x-raw,width=64,height=48 ! x.sink_depth"

/* The element x works on the device. */
static const gchar *const pipelines[] = {MOCT,
    "visiontestsrc pattern=rgbd num-buffers=4 motion-start=0 speed=8 ! "
    "video/x-raw,width=80,height=60 ! gpuccl name=x frames=1 min-size=20 "
    "min-extent=3 ! fakesink",
#ifndef NO_KINFUMOT
    "visiontestsrc pattern=rgbd num-buffers=2 ! "
    "video/x-raw,width=80,height=60 ! kinfumot name=x backend=cpu "
    "voxel-size=0.02 truncation=0.06 max-memory=32 ! fakesink",
#endif
    "visiontestsrc pattern=rgbd num-buffers=2 ! "
    "video/x-raw,width=80,height=60 ! depthalign name=x backend=cpu "
    "target-intrinsics=80,80,40,30 ! fakesink",
    "visiontestsrc num-buffers=3 ! video/x-raw,width=80,height=60 ! "
    "emdtrack name=x backend=cpu emd-map=true targets=a:20,15,30,30 ! fakesink",
    POCSTEREO ("mode=dense"), POCSTEREO ("mode=points output=colormap"),
    SCOPEDETECT (""), SCOPEDETECT ("align=1")};

typedef const char *(*OpenDevice) (Device *, DeviceKind, void *);

/* The pipeline @text, whose element x opens its device by @open_device. */
static GstElement *
make_pipeline (const gchar *text, OpenDevice open_device)
{
  GstElement *pipeline = gst_parse_launch (text, NULL);
  g_autoptr (GstElement) x = gst_bin_get_by_name (GST_BIN (pipeline), "x");

  if (g_type_is_a (G_OBJECT_TYPE (x), g_type_from_name ("GstVisionAggregator")))
    ((GstVisionAggregatorClass *) G_OBJECT_GET_CLASS (x))->open_device =
        open_device;
  else
    ((GstVisionFilterClass *) G_OBJECT_GET_CLASS (x))->open_device =
        open_device;
  return pipeline;
}

/* The one error of the element x, or NULL if there is none.  The source's,
 * which cannot go on then, is the end. */
static GError *
play (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GError *error = NULL, *other;
  GstMessage *message;
  gboolean ended = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!ended) {
    message = gst_bus_timed_pop_filtered (
        bus, 20 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
    fail_unless (message != NULL, "neither error nor end");
    ended = strcmp (GST_MESSAGE_SRC_NAME (message), "x") != 0;
    if (!ended) {
      gst_message_parse_error (message, &other, NULL);
      fail_unless (error == NULL, "a second error: %s", other->message);
      error = other;
    }
    gst_message_unref (message);
  }
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  return error;
}

/* A coarse model, compiled quickly, for scopedetect; its path is freed by the
 * caller. */
static gchar *
give_model (GstElement *pipeline)
{
  g_autoptr (GstElement) x = gst_bin_get_by_name (GST_BIN (pipeline), "x");
  ScopedetectModel *model = solid_model (.012);
  gchar *path = NULL;
  gint fd = g_file_open_tmp ("scopedetect-XXXXXX", &path, NULL);

  fail_unless (fd >= 0);
  g_close (fd, NULL);
  fail_unless (scopedetect_model_save (model, path) == NULL);
  scopedetect_model_free (model);
  g_object_set (x, "models", path, NULL);
  return path;
}

/* An error of memory says how much was asked for, and names a property of x
 * with which less would be; depthalign has none, as its memory follows from the
 * sizes of frames. */
static void
expect_advice (GstElement *pipeline, const GError *error)
{
  g_autoptr (GstElement) x = gst_bin_get_by_name (GST_BIN (pipeline), "x");
  const gchar *advice = strstr (error->message, "Smaller frames");
  g_autofree GParamSpec **all = NULL;
  guint n, named = 0;

  fail_unless (strstr (error->message, " MiB were asked for") && advice, "%s",
      error->message);
  all = g_object_class_list_properties (G_OBJECT_GET_CLASS (x), &n);
  for (guint i = 0; i < n; i++)
    named += strlen (all[i]->name) > 3 && strstr (advice, all[i]->name) != NULL;
  fail_unless (
      named > 0 || g_str_equal (G_OBJECT_TYPE_NAME (x), "GstDepthalign"),
      "no property: %s", error->message);
}

/* The error says what can be done, and nothing is left behind; and a healthy
 * device goes on.  There are more than 12 calls. */
GST_START_TEST (test_each_call)
{
  const gchar *text = pipelines[__i__];
  GstElement *pipeline = make_pipeline (text, failing_open);
  g_autofree gchar *model =
      g_str_has_prefix (text, "scopedetect") ? give_model (pipeline) : NULL;
  gboolean reached = TRUE;

  for (gint k = 1; reached; k++) {
    GError *error;

    failing_reset (k);
    error = play (pipeline);
    reached = failing_calls >= k && error;
    if (error &&
        g_error_matches (
            error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
      expect_advice (pipeline, error);
    else if (error)
      fail_unless (
          g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED),
          "call %d: %s", k, error->message);
    fail_unless (reached || k > 12, "%d calls", k);
    g_clear_error (&error);
    fail_unless_equals_int (failing_blocks, 0);
  }
  failing_reset (0);
  fail_unless (play (pipeline) == NULL);
  gst_object_unref (pipeline);
  if (model)
    g_unlink (model);
}
GST_END_TEST;

/* A GPU is asked for on a machine without one. */
GST_START_TEST (test_no_gpu)
{
  g_autoptr (GstElement) pipeline = make_pipeline (MOCT, device_open);
  g_autoptr (GstElement) moct = gst_bin_get_by_name (GST_BIN (pipeline), "x");
  GError *error;

  gst_util_set_object_arg (G_OBJECT (moct), "backend", "cuda");
  error = play (pipeline);
  fail_unless (g_error_matches (
      error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  fail_unless (
      strstr (error->message, "backend=auto") != NULL, "%s", error->message);
  g_error_free (error);
  gst_util_set_object_arg (G_OBJECT (moct), "backend", "auto");
  fail_unless (play (pipeline) == NULL);
}
GST_END_TEST;

/* There is no memory for a frame, nor for a map. */
GST_START_TEST (test_no_memory_of_frames)
{
  static const struct {
    const gchar *line, *words;
  } cases[] = {{"visiontestsrc num-buffers=1 ! fakesink",
                   "out of memory for a frame; 1."},
      {"videotestsrc num-buffers=1 ! "
       "video/x-raw,format=NV12,width=640,height=480 ! "
       "moct objects=a:#ff0000~9 label-map=true ! fakesink",
          "out of memory for the pixels of a map; "}};

  scarce_begin (500000);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *said =
        said_until_end (gst_parse_launch (cases[i].line, NULL), cases[i].line);

    fail_unless (strstr (said, cases[i].words), "%s: %s", cases[i].line, said);
  }
}
GST_END_TEST;

SUITE (failing, TIMEOUT (300), LOOP (test_each_call, G_N_ELEMENTS (pipelines)),
    TEST (test_no_memory_of_frames),
    device_cuda_probe () ? TEST (test_no_gpu) : (void) 0);
