/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an element adds to a pipeline, in wall time a frame: frames that were
 * made before are pushed through it into a fakesink, and into a fakesink
 * alone.
 *
 *   element [--pool] [--short] CAPS ELEMENT [PROPERTY=VALUE …]
 *   element --palette      prints the objects of the frames, for moct
 *
 * With memory:CUDAMemory in CAPS the frames lie on the GPU; with --pool in
 * memory that the element offers.  --short: a fifth of the frames. */
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>

#define CLIP 64
#define FRAMES 2000
#define BATCHES 9

static GPtrArray *
make_clip (const gchar *caps_text, GstCaps **caps)
{
  gboolean cuda = strstr (caps_text, "CUDAMemory") != NULL;
  g_autofree gchar *line =
      g_strdup_printf ("visiontestsrc num-buffers=%d ! %s "
                       "appsink name=sink sync=false caps=\"%s\"",
          CLIP, cuda ? "cudaupload !" : "", caps_text);
  g_autoptr (GstElement) pipeline = gst_parse_launch (line, NULL), sink = NULL;
  GPtrArray *clip =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  GstSample *sample;

  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink)))) {
    if (!*caps)
      *caps = gst_caps_ref (gst_sample_get_caps (sample));
    g_ptr_array_add (clip, gst_buffer_copy (gst_sample_get_buffer (sample)));
    gst_sample_unref (sample);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return clip;
}

static void
push_frames (GstPad *pad, GPtrArray *clip, guint first, guint n)
{
  for (guint i = first; i < first + n; i++) {
    GstBuffer *buffer = gst_buffer_copy (g_ptr_array_index (clip, i % CLIP));

    GST_BUFFER_PTS (buffer) = i * (GST_SECOND / 30);
    if (gst_pad_push (pad, buffer) != GST_FLOW_OK)
      g_error ("a frame was refused");
  }
}

static gint
compare (gconstpointer p, gconstpointer q)
{
  gdouble a = *(const gdouble *) p, b = *(const gdouble *) q;

  return (a > b) - (a < b);
}

/* @clip in buffers of the pool that @pad's peer offers for @caps. */
static GPtrArray *
copy_to_pool (GstPad *pad, GPtrArray *clip, GstCaps *caps)
{
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  GPtrArray *copies =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
  g_autoptr (GstBufferPool) pool = NULL;

  if (gst_pad_peer_query (pad, query) &&
      gst_query_get_n_allocation_pools (query))
    gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  if (!pool || !gst_buffer_pool_set_active (pool, TRUE))
    g_error ("the element offers no pool");
  for (guint i = 0; i < clip->len; i++) {
    GstBuffer *from = g_ptr_array_index (clip, i), *to;
    GstMapInfo map;

    if (gst_buffer_pool_acquire_buffer (pool, &to, NULL) != GST_FLOW_OK ||
        !gst_buffer_map (from, &map, GST_MAP_READ))
      g_error ("the pool gives no buffer");
    gst_buffer_fill (to, 0, map.data, map.size);
    gst_buffer_unmap (from, &map);
    g_ptr_array_add (copies, to);
  }
  gst_buffer_pool_set_active (pool, FALSE);
  return copies;
}

typedef struct {
  gboolean pool;
  guint frames; /* of a batch */
} Options;

/* Microseconds a frame, the median of batches. */
static gdouble
measure (
    const gchar *line, GPtrArray *clip, GstCaps *caps, const Options *options)
{
  g_autoptr (GPtrArray) copies = NULL;
  GError *error = NULL;
  g_autoptr (GstElement) bin =
      gst_parse_bin_from_description (line, TRUE, &error);
  g_autoptr (GstPad) pad = gst_pad_new ("src", GST_PAD_SRC), sink = NULL;
  gdouble times[BATCHES];
  GstSegment segment;

  if (!bin)
    g_error ("%s", error->message);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  sink = gst_element_get_static_pad (bin, "sink");
  gst_element_set_state (bin, GST_STATE_PLAYING);
  gst_pad_set_active (pad, TRUE);
  gst_pad_link (pad, sink);
  gst_pad_push_event (pad, gst_event_new_stream_start ("bench"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  if (options->pool)
    clip = copies = copy_to_pool (pad, clip, caps);
  push_frames (pad, clip, 0, 100);
  for (guint batch = 0; batch < BATCHES; batch++) {
    gint64 start = g_get_monotonic_time ();

    push_frames (pad, clip, 100 + batch * options->frames, options->frames);
    times[batch] =
        (gdouble) (g_get_monotonic_time () - start) / options->frames;
  }
  qsort (times, BATCHES, sizeof *times, compare);
  gst_element_set_state (bin, GST_STATE_NULL);
  gst_pad_set_active (pad, FALSE);
  gst_pad_unlink (pad, sink);
  return times[BATCHES / 2];
}

static void
print_palette (void)
{
  g_autoptr (GstElement) source =
      gst_element_factory_make ("visiontestsrc", NULL);
  g_autofree gchar *palette = NULL;

  if (!source)
    g_error ("there is no visiontestsrc: set GST_PLUGIN_PATH");
  g_object_get (source, "palette", &palette, NULL);
  puts (palette);
}

int
main (int argc, char **argv)
{
  GstCaps *caps = NULL;
  GPtrArray *clip;
  Options options = {FALSE, FRAMES}, plain;
  gdouble alone, with;
  GString *line;

  gst_init (&argc, &argv);
  if (argc == 2 && !strcmp (argv[1], "--palette")) {
    print_palette ();
    return 0;
  }
  for (; argc > 1 && g_str_has_prefix (argv[1], "--"); argc--, argv++) {
    options.pool |= !strcmp (argv[1], "--pool");
    options.frames = strcmp (argv[1], "--short") ? options.frames : FRAMES / 5;
  }
  if (argc < 3) {
    fprintf (stderr,
        "usage: element [--pool] [--short] CAPS ELEMENT [PROPERTY=VALUE …]\n");
    return 2;
  }
  line = g_string_new (argv[2]);
  for (int i = 3; i < argc; i++)
    g_string_append_printf (line, " %s", argv[i]);
  g_string_append (line, " ! fakesink sync=false async=false");
  clip = make_clip (argv[1], &caps);
  if (clip->len < CLIP)
    g_error ("the clip could not be made with caps %s", argv[1]);
  plain = options;
  plain.pool = FALSE;
  alone = measure ("identity silent=true ! fakesink sync=false async=false",
      clip, caps, &plain);
  with = measure (line->str, clip, caps, &options);
  printf ("%s: %.2f us a frame, %.2f more than identity ! fakesink (%.2f)\n",
      line->str, with, with - alone, alone);
  g_string_free (line, TRUE);
  g_ptr_array_unref (clip);
  gst_caps_unref (caps);
  return 0;
}
