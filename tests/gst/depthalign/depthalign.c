/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element depthalign: a generated scene that two cameras see, caps, cameras
 * from properties, files and metadata, and what cannot be used. */
#include "suite.h"
#include <gst/check/gstharness.h>

#include <glib/gstdio.h>
#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "meta/gstvisionmeta.h"

#include "said.h"

#define SCENE \
 "visiontestsrc pattern=clutter view=depth noise=0 speed=0 seed=5 " \
 "num-buffers=1 "
/* As it passes caps, a source would else take the size of the output. */
#define DEPTH SCENE "! video/x-raw,width=640,height=480 "
#define OFFSET .05 /* metres */

/* ---- Frames of lines ---- */

typedef struct {
  gint width, height;
  guint16 *depth;
  GstVisionCamera camera;
  gboolean has_camera;
} Shot;

static void
shot_clear (Shot *s)
{
  g_free (s->depth);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Shot, shot_clear)

static guint16
shot_at (const Shot *s, gint x, gint y)
{
  return s->depth[y * s->width + x];
}

static Shot
shot_of_sample (GstSample *sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  const GstStructure *caps =
      gst_caps_get_structure (gst_sample_get_caps (sample), 0);
  Shot s = {0};
  gsize size;

  fail_unless (gst_structure_get_int (caps, "width", &s.width));
  fail_unless (gst_structure_get_int (caps, "height", &s.height));
  size = 2 * (gsize) s.width * (gsize) s.height;
  fail_unless_equals_uint64 (gst_buffer_get_size (buffer), size);
  s.depth = g_malloc (size);
  gst_buffer_extract (buffer, 0, s.depth, size);
  s.has_camera = gst_buffer_get_vision_camera (
      buffer, GST_VISION_ORIGIN_RESULT, &s.camera);
  return s;
}

/* The first frame of @line, which has even rows without padding. */
static Shot
shot_of_line (const gchar *line)
{
  g_autofree gchar *full = g_strconcat (
      line, " ! fakesink name=last enable-last-sample=true sync=false", NULL);
  GError *error = NULL;
  g_autoptr (GstElement) pipeline = gst_parse_launch (full, &error);
  g_autoptr (GstElement) last = NULL;
  g_autoptr (GstSample) sample = NULL;
  g_autoptr (GstMessage) end = NULL;
  g_autoptr (GstBus) bus = NULL;

  fail_unless (pipeline && !error, "%s: %s", line, error ? error->message : "");
  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  end = gst_bus_timed_pop_filtered (bus, 50 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  fail_unless (end && GST_MESSAGE_TYPE (end) == GST_MESSAGE_EOS,
      "%s: %" GST_PTR_FORMAT, line, end);
  last = gst_bin_get_by_name (GST_BIN (pipeline), "last");
  g_object_get (last, "last-sample", &sample, NULL);
  fail_unless (sample != NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return shot_of_sample (sample);
}

/* ---- The generated scene ---- */

/* What the depth camera knows of a place that the target sees. */
typedef enum { UNKNOWN, SEEN, HIDDEN } Knowledge;

/* Whether an edge is within two pixels. */
static gboolean
is_near_edge (const Shot *s, gint x, gint y)
{
  gint z = shot_at (s, x, y);

  for (gint j = MAX (y - 2, 0); j <= MIN (y + 2, s->height - 1); j++)
    for (gint i = MAX (x - 2, 0); i <= MIN (x + 2, s->width - 1); i++)
      if (ABS (shot_at (s, i, j) - z) > 12)
        return TRUE;
  return FALSE;
}

/* The depth camera is @OFFSET to the left of the target. */
static Knowledge
knowledge_of (const Shot *depth, const Shot *truth, gint x, gint y)
{
  const GstVisionCamera *t = &truth->camera, *d = &depth->camera;
  gdouble z = shot_at (truth, x, y);
  gdouble u =
      d->cx + d->fx * ((x - t->cx) / t->fx + 1000 * OFFSET / MAX (z, 1));
  gdouble v = d->cy + d->fy * (y - t->cy) / t->fy;
  gint near = 0, far = 0, gone = 0, barred = 0;

  if (z == 0 || u < 2 || v < 2 || u > depth->width - 3 || v > depth->height - 3)
    return UNKNOWN;
  for (gint j = -1; j <= 2; j++)
    for (gint i = -1; i <= 2; i++) {
      gdouble at = shot_at (depth, (gint) u + i, (gint) v + j);

      barred += at > 0 && at < z - 30;
      near += at > 0 && at < z - 12;
      far += at > z + 12;
      gone += at == 0;
    }
  if (is_near_edge (truth, x, y))
    return UNKNOWN;
  if (barred == 16)
    return HIDDEN;
  return near || far || gone ? UNKNOWN : SEEN;
}

/* The depth of one camera in the pixels of another, which has three times as
 * many, is what the other one measures itself: to three millimetres, but for
 * one pixel of 5000 in creases, where both see a place that is two pixels away
 * from edges; nothing where the depth camera's view is barred. */
GST_START_TEST (test_scene)
{
  g_auto (Shot) depth = shot_of_line (DEPTH);
  g_auto (Shot) truth = shot_of_line (
      SCENE "camera-offset=0.05 ! video/x-raw,width=1280,height=720");
  g_auto (Shot) aligned =
      shot_of_line (DEPTH "! depthalign backend=cpu transform=-0.05,0,0 "
                          "target-intrinsics=1170,1170,639.5,359.5 ! "
                          "video/x-raw,width=1280,height=720");
  gint seen = 0, wrong = 0, hidden = 0, filled = 0;

  for (gint y = 0; y < 720; y++)
    for (gint x = 0; x < 1280; x++) {
      Knowledge k = knowledge_of (&depth, &truth, x, y);
      gint z = shot_at (&aligned, x, y), t = shot_at (&truth, x, y);

      seen += k == SEEN;
      wrong += k == SEEN && ABS (z - t) > 3;
      hidden += k == HIDDEN;
      filled += k == HIDDEN && z > 0;
    }
  fail_unless (seen > 500000, "%d pixels", seen);
  fail_unless (wrong <= seen / 5000, "%d of %d", wrong, seen);
  fail_unless (hidden > 1000, "%d pixels", hidden);
  fail_unless (filled <= hidden / 100, "%d of %d", filled, hidden);
  fail_unless (aligned.has_camera && aligned.camera.has_pose);
  fail_unless_equals_int (aligned.camera.ref_width, 1280);
  for (gint i = 0; i < 7; i++)
    fail_unless (fabs (aligned.camera.pose[i] - truth.camera.pose[i]) < 1e-6);
}
GST_END_TEST;

/* ---- Cameras ---- */

#define FILE_OF_PAIR \
 "%%YAML:1.0\n---\nimage_width: 640\nimage_height: 480\n" \
 "image_width2: 1280\nimage_height2: 720\n" \
 "M1: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n" \
 "   data: [ 585., 0., 319.5, 0., 585., 239.5, 0., 0., 1. ]\n" \
 "D1: !!opencv-matrix\n   rows: 1\n   cols: 5\n   dt: d\n" \
 "   data: [ 0., 0., 0., 0., 0. ]\n" \
 "M2: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n" \
 "   data: [ 1170., 0., 639.5, 0., 1170., 359.5, 0., 0., 1. ]\n" \
 "D2: !!opencv-matrix\n   rows: 1\n   cols: 5\n   dt: d\n" \
 "   data: [ 0., 0., 0., 0., 0. ]\n" \
 "R: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n" \
 "   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]\n" \
 "T: !!opencv-matrix\n   rows: 3\n   cols: 1\n   dt: d\n" \
 "   data: [ %s, 0., 0. ]\n"

/* A file in a folder of its own. */
typedef struct {
  gchar *folder, *path;
} Written;

static Written
written_text (const gchar *text, gssize length)
{
  Written w = {.folder = g_dir_make_tmp ("depthalign-XXXXXX", NULL)};

  fail_unless (w.folder != NULL);
  w.path = g_build_filename (w.folder, "rig.yml", NULL);
  fail_unless (g_file_set_contents (w.path, text, length, NULL));
  return w;
}

static void
written_clear (Written *w)
{
  g_unlink (w->path);
  g_rmdir (w->folder);
  g_free (w->path);
  g_free (w->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Written, written_clear)

static Written
written_pair (const gchar *x)
{
  g_autofree gchar *text = g_strdup_printf (FILE_OF_PAIR, x);

  return written_text (text, -1);
}

static void
expect_same (const Shot *a, const Shot *b)
{
  fail_unless_equals_int (a->width, b->width);
  fail_unless_equals_int (a->height, b->height);
  fail_unless (!memcmp (a->depth, b->depth,
      sizeof *a->depth * (gsize) a->width * (gsize) a->height));
}

/* Properties, a file of both cameras, in metres or millimetres, and files of
 * one camera say the same; the file states the size of the output. */
GST_START_TEST (test_sources)
{
  g_auto (Written) metres = written_pair ("-0.05");
  g_auto (Written) millimetres = written_pair ("-50.");
  g_auto (Written) one = written_text ("1170 0 639.5 0 1170 359.5 0 0 1\n", -1);
  g_auto (Shot) wanted =
      shot_of_line (DEPTH "! depthalign transform=-0.05,0,0 "
                          "target-intrinsics=1170,1170,639.5,359.5 ! "
                          "video/x-raw,width=1280,height=720");
  g_autofree gchar *lines[] = {
      g_strdup_printf (DEPTH "! depthalign rig=%s", metres.path),
      g_strdup_printf (
          DEPTH "! depthalign rig=%s calibration-unit=0.001", millimetres.path),
      g_strdup_printf (DEPTH "! depthalign target-calibration=%s "
                             "intrinsics=585,585,319.5,239.5 "
                             "transform=-0.05,0,0,1,0,0,0 ! "
                             "video/x-raw,width=1280,height=720",
          one.path),
      g_strdup_printf (DEPTH
          "! depthalign rig=%s transform=\"1 0 0 -0.05; 0 1 0 0; 0 0 1 "
          "0; 0 0 -0 1\"",
          millimetres.path)};

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    g_auto (Shot) s = shot_of_line (lines[i]);

    expect_same (&s, &wanted);
    g_clear_pointer (&lines[i], g_free);
  }
}
GST_END_TEST;

/* There and back: the depth of the middle comes back to its pixels. */
GST_START_TEST (test_inverse)
{
  g_auto (Written) pair = written_pair ("-0.05");
  g_autofree gchar *line = g_strdup_printf (DEPTH
      "! depthalign rig=%s ! depthalign rig=%s inverse=true",
      pair.path, pair.path);
  g_auto (Shot) depth = shot_of_line (DEPTH);
  g_auto (Shot) back = shot_of_line (line);
  gint n = 0, near = 0;

  fail_unless_equals_int (back.width, 640);
  fail_unless_equals_int (back.height, 480);
  for (gint y = 60; y < 420; y++)
    for (gint x = 60; x < 580; x++) {
      gint a = shot_at (&depth, x, y), b = shot_at (&back, x, y);

      n += a && b;
      near += a && b && ABS (a - b) <= 3;
    }
  fail_unless (n > 100000, "%d", n);
  fail_unless (near > n * .97, "%d of %d", near, n);
  for (gint i = 0; i < 7; i++)
    fail_unless (fabs (back.camera.pose[i] - depth.camera.pose[i]) < 1e-6);
}
GST_END_TEST;

/* A size that nothing states is that of the input. */
GST_START_TEST (test_size)
{
  g_auto (Shot) s =
      shot_of_line (SCENE "! video/x-raw,width=160,height=120 ! depthalign "
                          "target-intrinsics=100,100,80,60");

  fail_unless_equals_int (s.width, 160);
  fail_unless_equals_int (s.height, 120);
  fail_unless_equals_int (s.camera.ref_width, 160);
}
GST_END_TEST;

/* ---- What is said ---- */

static void
expect_said (const gchar *line, const gchar *text)
{
  g_autofree gchar *full = g_strconcat (line, " ! fakesink", NULL);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (full, &error);
  g_autofree gchar *said = NULL;

  fail_unless (pipeline && !error, "%s", line);
  said = said_until_end (pipeline, line);
  fail_unless (
      strstr (said, text) != NULL, "%s: \"%s\" lacks \"%s\"", line, said, text);
}

#define SMALL SCENE "! video/x-raw,width=64,height=48 ! "
#define TARGET "target-intrinsics=60,60,32,24 "

GST_START_TEST (test_said)
{
  static const gchar *const rows[][2] = {
      {"transform=0,0,-5", "behind the target camera"},
      {"transform=9,0,0", "in the view of the target camera"},
      {"transform=1,2", "2 numbers, not 3, 7, 12 or 16"},
      {"transform=0,0,nan", "entry 3 is not a number"},
      {"transform=0,0,0,2,0,0,0", "length 2, not 1"},
      {"transform=1,0,0,0,0,1,0,0,0,0,2,0", "no rotation"},
      {"transform=1,0,0,0,0,1,0,0,0,0,1,0,1,0,0,1", "last row"},
      {"target-intrinsics=0,60,32,24", "fx"},
      {"target-intrinsics=nan,60,32,24", "not a number"},
      {"intrinsics=60,-1,32,24", "fy"}, {"rig=/nowhere", "rig cannot be used"}};

  expect_said (SMALL "depthalign", "target camera is not known");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree gchar *line =
        g_strdup_printf (SMALL "depthalign " TARGET "%s", rows[i][0]);

    expect_said (line, rows[i][1]);
  }
  expect_said ("videotestsrc num-buffers=1 ! video/x-raw,format=GRAY16_LE ! "
               "depthalign " TARGET,
      "depth camera is not known");
}
GST_END_TEST;

/* A file that ends anywhere is refused, or says the same as the whole one. */
GST_START_TEST (test_cut)
{
  g_autofree gchar *whole = g_strdup_printf (FILE_OF_PAIR, "-0.05");
  gsize length = strlen (whole);

  for (gsize n = 0; n < length; n += 13) {
    g_auto (Written) w = written_text (whole, (gssize) n);
    g_autofree gchar *line =
        g_strdup_printf (SMALL "depthalign rig=%s", w.path);

    expect_said (line, "rig cannot be used");
  }
}
GST_END_TEST;

/* A translation of two numbers. */
GST_START_TEST (test_short)
{
  g_autofree gchar *whole = g_strdup_printf (FILE_OF_PAIR, "-0.05");
  g_auto (GStrv) parts = g_strsplit (whole, "\nT: ", 2);
  g_autofree gchar *text = g_strconcat (parts[0], "\nT: [ -0.05, 0. ]\n", NULL);
  g_auto (Written) w = written_text (text, -1);
  g_autofree gchar *line = g_strdup_printf (SMALL "depthalign rig=%s", w.path);

  expect_said (line, "T holds 2 numbers");
}
GST_END_TEST;

/* Caps that do not fit end the pipeline. */
GST_START_TEST (test_caps)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (
      "videotestsrc num-buffers=1 ! video/x-raw,format=RGB ! depthalign " TARGET
      "! fakesink",
      &error);

  fail_unless (error != NULL);
  g_clear_error (&error);
  gst_clear_object (&pipeline);
  pipeline = gst_parse_launch ("visiontestsrc pattern=rgbd num-buffers=1 ! "
                               "depthalign " TARGET "! "
                               "video/x-raw,width=9000 ! fakesink",
      &error);
  if (pipeline) {
    g_autofree gchar *said = said_until_end (pipeline, "9000");

    fail_unless (*said != '\0');
  }
  g_clear_error (&error);
}
GST_END_TEST;

/* Properties that change while frames pass hold from the next frame on. */
GST_START_TEST (test_changes)
{
  g_autoptr (Harness) h = gst_harness_new_parse (
      "depthalign backend=cpu intrinsics=60,60,31.5,23.5 "
      "target-intrinsics=60,60,31.5,23.5");
  g_autoptr (GstElement) it = gst_harness_find_element (h, "depthalign");

  gst_harness_set_src_caps_str (
      h, "video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=30/1");
  for (gint i = 0; i < 3; i++) {
    GstBuffer *in = gst_buffer_new_allocate (NULL, 64 * 48 * 2, NULL);
    g_autoptr (GstBuffer) out = NULL;
    guint16 z[64 * 48];
    gint left;

    for (gint k = 0; k < 64 * 48; k++)
      z[k] = 1000;
    gst_buffer_fill (in, 0, z, sizeof z);
    GST_BUFFER_PTS (in) = (GstClockTime) i * GST_SECOND / 30;
    gst_buffer_add_video_meta (
        in, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY16_LE, 64, 48);
    if (i == 1)
      g_object_set (it, "transform", "0.1,0,0", NULL);
    if (i == 2)
      g_object_set (it, "transform", "0,0,0.5", NULL);
    out = gst_harness_push_and_pull (h, in);
    fail_unless_equals_uint64 (
        GST_BUFFER_PTS (out), (GstClockTime) i * GST_SECOND / 30);
    fail_unless (gst_buffer_get_video_meta (out) == NULL);
    gst_buffer_extract (out, 0, z, sizeof z);
    for (left = 0; left < 64 && !z[24 * 64 + left]; left++)
      ;
    fail_unless_equals_int (left, i == 0 ? 0 : i == 1 ? 6 : 11);
    fail_unless_equals_int (z[24 * 64 + 32], i == 2 ? 1500 : 1000);
  }
}
GST_END_TEST;

/* A pool of one buffer with 64x48 pixels. */
static GstBufferPool *
pool_of_one (void)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, NULL, 64 * 48 * 2, 1, 1);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  return pool;
}

/* The output does not hold the depth, of which a camera has few buffers, and
 * the sink's wishes for frames are none for the depth. */
GST_START_TEST (test_pool)
{
  g_autoptr (Harness) h = gst_harness_new_parse (
      "depthalign backend=cpu intrinsics=60,60,31.5,23.5 "
      "target-intrinsics=60,60,31.5,23.5");
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=30/1");
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, FALSE);
  g_autoptr (GstBufferPool) pool = pool_of_one ();
  GstBufferPoolAcquireParams at_once = {
      .flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT};

  gst_harness_add_propose_allocation_meta (
      h, GST_VIDEO_CROP_META_API_TYPE, NULL);
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (
      gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  fail_if (gst_query_find_allocation_meta (
      query, GST_VIDEO_CROP_META_API_TYPE, NULL));
  for (gint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) out = NULL;
    GstBuffer *in = NULL, *part;

    fail_unless_equals_int (
        gst_buffer_pool_acquire_buffer (pool, &in, &at_once), GST_FLOW_OK);
    gst_buffer_memset (in, 0, 4, (gsize) -1);
    part = gst_buffer_copy (in);
    gst_buffer_add_parent_buffer_meta (part, in);
    gst_buffer_unref (in);
    out = gst_harness_push_and_pull (h, part);
    in = NULL;
    fail_unless_equals_int (
        gst_buffer_pool_acquire_buffer (pool, &in, &at_once), GST_FLOW_OK);
    gst_clear_buffer (&in);
  }
  gst_buffer_pool_set_active (pool, FALSE);
}
GST_END_TEST;

SUITE (depthalign, TIMEOUT (120), TEST (test_scene), TEST (test_sources),
    TEST (test_inverse), TEST (test_size), TEST (test_said), TEST (test_cut),
    TEST (test_short), TEST (test_caps), TEST (test_changes), TEST (test_pool));
