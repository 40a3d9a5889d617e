/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Digests of a pipeline's results and frames.  docs/digests.md describes the
 * order of what is digested; each change of it is a change of all digests. */
#include <gst/gst.h>
#include <gst/video/video.h>
#include <gst/vision/gstvisionmeta.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Prints digests of what elements found in a pipeline's frames.\n"
    "\n"
    "    vision-digest visiontestsrc num-buffers=60 ! moct "
    "objects=red:#c70d0d~22\n"
    "    vision-digest --each filesrc location=CLIP ! decodebin ! videoconvert "
    "! \\\n"
    "      video/x-raw,format=NV12 ! moct objects=red:#c70d0d~22\n"
    "\n"
    "The line is gst-launch-1.0's, without a sink behind its last element.  "
    "Two lines of\n"
    "the output are the SHA-256 of the pixels of all frames that leave this "
    "element, and\n"
    "of all results on them: objects, camera and maps.  The same frames give "
    "the same\n"
    "results on the CPU and on the GPU, with any number of threads, on x86-64 "
    "and on\n"
    "aarch64.\n"
    "\n"
    "options:\n"
    "  --each  print a line for each frame, too: its number and both digests\n"
    "  --help  print this text\n";

typedef struct {
  GChecksum *frames, *results; /* of the whole stream */
  guint64 n_frames, n_with_results;
  gboolean prints_each;
} Digest;

/* ---- The results of a frame as bytes ---- */

static void
digest_number (GChecksum *sum, gchar type, guint64 bits)
{
  guchar bytes[9] = {(guchar) type};

  for (guint i = 0; i < 8; i++)
    bytes[i + 1] = (guchar) (bits >> 8 * i);
  g_checksum_update (sum, bytes, sizeof bytes);
}

/* A NaN has many forms, and processors differ in which of them they make. */
static void
digest_double (GChecksum *sum, gdouble number)
{
  guint64 bits = G_GUINT64_CONSTANT (0x7ff8000000000000);

  if (!isnan (number))
    memcpy (&bits, &number, sizeof bits);
  digest_number (sum, 'd', bits);
}

static void
digest_text (GChecksum *sum, const gchar *text)
{
  gsize length = strlen (text);

  digest_number (sum, 's', length);
  g_checksum_update (sum, (const guchar *) text, (gssize) length);
}

static gboolean digest_value (
    GChecksum *sum, const GstStructure *owner, const GValue *value);

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar *const *) a, *(const gchar *const *) b);
}

/* The names of the fields, by their bytes.  Names of elements, and where a map
 * lies, are no results. */
static GPtrArray *
list_fields (const GstStructure *structure)
{
  static const gchar *const left_out[] = {"memory", "source", "stride", NULL};
  GPtrArray *names = g_ptr_array_new ();

  for (gint i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, (guint) i);

    if (!g_strv_contains (left_out, name))
      g_ptr_array_add (names, (gpointer) name);
  }
  g_ptr_array_sort (names, compare_names);
  return names;
}

static gboolean
digest_structure (GChecksum *sum, const GstStructure *structure)
{
  g_autoptr (GPtrArray) names = list_fields (structure);
  gboolean good = TRUE;

  digest_number (sum, '{', names->len);
  for (guint i = 0; good && i < names->len; i++) {
    digest_text (sum, names->pdata[i]);
    good = digest_value (
        sum, structure, gst_structure_get_value (structure, names->pdata[i]));
  }
  return good;
}

static gboolean
digest_array (GChecksum *sum, const GstStructure *owner, const GValue *array)
{
  guint n = gst_value_array_get_size (array);
  gboolean good = TRUE;

  digest_number (sum, '[', n);
  for (guint i = 0; good && i < n; i++)
    good = digest_value (sum, owner, gst_value_array_get_value (array, i));
  return good;
}

/* The pixels of a map, row by row, without what lies between two rows. */
static gboolean
digest_pixels (GChecksum *sum, const GstStructure *map, GstBuffer *pixels)
{
  const gchar *format = gst_structure_get_string (map, "format");
  guint width, height, channels, stride;
  gsize size, row;
  GstMapInfo bytes;
  guint32 *copy;

  if (!format ||
      !gst_structure_get (map, "width", G_TYPE_UINT, &width, "height",
          G_TYPE_UINT, &height, "channels", G_TYPE_UINT, &channels, "stride",
          G_TYPE_UINT, &stride, NULL))
    return FALSE;
  size = g_str_equal (format, "u8") ? 1 : g_str_equal (format, "u16") ? 2 : 4;
  row = size * channels * width;
  if (stride < row || !gst_buffer_map (pixels, &bytes, GST_MAP_READ))
    return FALSE;
  if (height == 0 || bytes.size < (gsize) stride * (height - 1) + row) {
    gst_buffer_unmap (pixels, &bytes);
    return FALSE;
  }
  digest_number (sum, 'p', row * height);
  copy = g_malloc (row + sizeof *copy);
  for (guint y = 0; y < height; y++) {
    memcpy (copy, bytes.data + (gsize) stride * y, row);
    if (g_str_equal (format, "f32"))
      for (gsize i = 0; i < row / 4; i++)
        if ((copy[i] & 0x7fffffff) > 0x7f800000)
          copy[i] = 0x7fc00000; /* NaN */
    g_checksum_update (sum, (const guchar *) copy, (gssize) row);
  }
  g_free (copy);
  gst_buffer_unmap (pixels, &bytes);
  return TRUE;
}

/* FALSE: results have no such value. */
static gboolean
digest_value (GChecksum *sum, const GstStructure *owner, const GValue *value)
{
  if (G_VALUE_HOLDS_UINT (value))
    digest_number (sum, 'u', g_value_get_uint (value));
  else if (G_VALUE_HOLDS_UINT64 (value))
    digest_number (sum, 'u', g_value_get_uint64 (value));
  else if (G_VALUE_HOLDS_INT (value))
    digest_number (sum, 'i', (guint64) (gint64) g_value_get_int (value));
  else if (G_VALUE_HOLDS_INT64 (value))
    digest_number (sum, 'i', (guint64) g_value_get_int64 (value));
  else if (G_VALUE_HOLDS_BOOLEAN (value))
    digest_number (sum, 'b', g_value_get_boolean (value) ? 1 : 0);
  else if (G_VALUE_HOLDS_DOUBLE (value))
    digest_double (sum, g_value_get_double (value));
  else if (G_VALUE_HOLDS_STRING (value) && g_value_get_string (value))
    digest_text (sum, g_value_get_string (value));
  else if (GST_VALUE_HOLDS_ARRAY (value))
    return digest_array (sum, owner, value);
  else if (GST_VALUE_HOLDS_STRUCTURE (value))
    return digest_structure (sum, gst_value_get_structure (value));
  else if (GST_VALUE_HOLDS_BUFFER (value) && gst_value_get_buffer (value))
    return digest_pixels (sum, owner, gst_value_get_buffer (value));
  else
    return FALSE;
  return TRUE;
}

/* Counts the metas in @n_metas. */
static gboolean
digest_results (GChecksum *sum, GstBuffer *buffer, guint *n_metas)
{
  static const gchar *const metas[] = {
      "VisionObjects", "VisionCamera", "VisionMaps"};

  for (guint i = 0; i < G_N_ELEMENTS (metas); i++) {
    GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, metas[i]);

    if (!meta)
      continue;
    ++*n_metas;
    digest_text (sum, metas[i]);
    if (!digest_structure (sum, gst_custom_meta_get_structure (meta)))
      return FALSE;
  }
  return TRUE;
}

/* ---- The pixels of a frame as bytes ---- */

/* The bytes of component @c, row by row, without padding. */
static void
digest_component (GChecksum *sum, const GstVideoFrame *frame, guint c)
{
  gint width = GST_VIDEO_FRAME_COMP_WIDTH (frame, c);
  gint step = GST_VIDEO_FRAME_COMP_PSTRIDE (frame, c);
  gint n = (GST_VIDEO_FRAME_COMP_DEPTH (frame, c) +
               (gint) frame->info.finfo->shift[c] + 7) /
      8;
  guchar *row = g_malloc ((gsize) width * (gsize) n + 1);

  for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (frame, c); y++) {
    const guchar *from = GST_VIDEO_FRAME_COMP_DATA (frame, c);

    from += (gssize) GST_VIDEO_FRAME_COMP_STRIDE (frame, c) * y;
    for (gint x = 0; x < width; x++)
      for (gint i = 0; i < n; i++)
        row[x * n + i] = from[x * step + i];
    g_checksum_update (sum, row, (gssize) width * n);
  }
  g_free (row);
}

static gboolean
digest_picture (GChecksum *sum, GstBuffer *buffer, const GstVideoInfo *info)
{
  GstVideoFrame frame;

  if (GST_VIDEO_FORMAT_INFO_IS_COMPLEX (info->finfo) ||
      GST_VIDEO_FORMAT_INFO_IS_TILED (info->finfo) ||
      !gst_video_frame_map (&frame, info, buffer, GST_MAP_READ))
    return FALSE;
  digest_text (sum, info->finfo->name);
  digest_number (sum, 'u', (guint64) info->width);
  digest_number (sum, 'u', (guint64) info->height);
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS (&frame); c++)
    digest_component (sum, &frame, c);
  gst_video_frame_unmap (&frame);
  return TRUE;
}

/* The bytes of a frame that is no raw video. */
static gboolean
digest_bytes (GChecksum *sum, GstBuffer *buffer)
{
  GstMapInfo bytes;

  if (!gst_buffer_map (buffer, &bytes, GST_MAP_READ))
    return FALSE;
  digest_number (sum, 'p', bytes.size);
  g_checksum_update (sum, bytes.data, (gssize) bytes.size);
  gst_buffer_unmap (buffer, &bytes);
  return TRUE;
}

static gboolean
digest_frame (GChecksum *sum, GstBuffer *buffer, GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;

  if (caps &&
      gst_structure_has_name (
          gst_caps_get_structure (caps, 0), "video/x-raw") &&
      gst_video_info_from_caps (&info, caps) &&
      GST_VIDEO_INFO_FORMAT (&info) != GST_VIDEO_FORMAT_ENCODED)
    return digest_picture (sum, buffer, &info);
  return digest_bytes (sum, buffer);
}

/* ---- The stream ---- */

/* The digest of a stream is the digest of the texts of its frames' digests. */
static void
add_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, Digest *digest)
{
  g_autoptr (GChecksum) frame = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GChecksum) results = g_checksum_new (G_CHECKSUM_SHA256);
  guint n_metas = 0;

  if (!digest_frame (frame, buffer, pad)) {
    GST_ELEMENT_ERROR (sink, STREAM, FORMAT,
        ("the pixels of these frames cannot be read: put videoconvert and caps "
         "such as "
         "video/x-raw,format=NV12 in front of the end"),
        (NULL));
    return;
  }
  if (!digest_results (results, buffer, &n_metas)) {
    GST_ELEMENT_ERROR (sink, STREAM, FORMAT,
        ("a field of the results has a type that docs/metadata.md does not "
         "know, or a map has no pixels that can be read"),
        (NULL));
    return;
  }
  if (digest->prints_each)
    printf ("%" G_GUINT64_FORMAT " %s %s\n", digest->n_frames,
        g_checksum_get_string (frame),
        n_metas ? g_checksum_get_string (results) : "none");
  digest->n_frames++;
  digest->n_with_results += n_metas > 0;
  g_checksum_update (
      digest->frames, (const guchar *) g_checksum_get_string (frame), -1);
  g_checksum_update (
      digest->results, (const guchar *) g_checksum_get_string (results), -1);
}

/* The pipeline of the @n words @line, with the digest behind its last element.
 */
static GstElement *
make_pipeline (char **line, int n, Digest *digest, GError **error)
{
  static const gchar *const end[] = {"!", "fakesink", "name=vision-digest",
      "signal-handoffs=true", "sync=false"};
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  GstElement *pipeline, *sink;

  for (int i = 0; i < n; i++)
    g_ptr_array_add (words, line[i]);
  for (guint i = 0; i < G_N_ELEMENTS (end); i++)
    g_ptr_array_add (words, (gpointer) end[i]);
  g_ptr_array_add (words, NULL);
  pipeline = gst_parse_launchv_full (
      (const gchar **) words->pdata, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!pipeline)
    return NULL;
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "vision-digest");
  g_signal_connect (sink, "handoff", G_CALLBACK (add_buffer), digest);
  gst_object_unref (sink);
  gst_vision_meta_watch (pipeline);
  return pipeline;
}

/* Plays to the end; FALSE where it is an error. */
static gboolean
play_to_end (GstElement *pipeline, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return TRUE;
  gst_message_parse_error (message, error, NULL);
  g_prefix_error (error, "%s: ", GST_MESSAGE_SRC_NAME (message));
  return FALSE;
}

static int
report_digest (const Digest *digest)
{
  if (digest->n_frames == 0) {
    fputs ("vision-digest: no frame came\n", stderr);
    return 1;
  }
  printf ("%" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT " with results\n",
      digest->n_frames, digest->n_with_results);
  printf ("frames   %s\n", g_checksum_get_string (digest->frames));
  printf ("results  %s\n",
      digest->n_with_results ? g_checksum_get_string (digest->results)
                             : "none");
  if (fflush (stdout) != 0) {
    perror ("vision-digest");
    return 1;
  }
  return 0;
}

int
main (int argc, char **argv)
{
  Digest digest = {0};
  GstElement *pipeline;
  g_autoptr (GError) error = NULL;
  int status = 1;

  if (argc == 2 && g_str_equal (argv[1], "--help")) {
    fputs (help, stdout);
    return 0;
  }
  if (argc > 1 && g_str_equal (argv[1], "--each")) {
    digest.prints_each = TRUE;
    argv++;
    argc--;
  }
  if (argc < 2 || g_str_has_prefix (argv[1], "--")) {
    fputs (
        "vision-digest: a launch line is missing; --help tells more\n", stderr);
    return 2;
  }
  gst_init (NULL, NULL);
  gst_vision_meta_register ();
  digest.frames = g_checksum_new (G_CHECKSUM_SHA256);
  digest.results = g_checksum_new (G_CHECKSUM_SHA256);
  pipeline = make_pipeline (argv + 1, argc - 1, &digest, &error);
  if (pipeline && play_to_end (pipeline, &error))
    status = report_digest (&digest);
  else
    fprintf (stderr, "vision-digest: %s\n", error->message);
  gst_clear_object (&pipeline);
  g_checksum_free (digest.frames);
  g_checksum_free (digest.results);
  return status;
}
