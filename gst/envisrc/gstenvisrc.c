/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-envisrc
 * @title: envisrc
 * @see_also: visionmap
 *
 * Plays multispectral cubes of ENVI, a text header (.hdr) beside a file of
 * numbers in the order bsq, bil or bip: one cube as a still, or a numbered
 * sequence of cubes as video.
 *
 * Raw video has no format of more than four channels. The frames are grey, the
 * channels lie one below the other, and the caps say so: height is lines x
 * channels, with the fields channels, channel-layout=stacked and, where the
 * header names them, wavelengths (of each channel's bands the mean).
 *
 * Cubes have up to hundreds of bands; those from #GstEnviSrc:first-band to
 * #GstEnviSrc:last-band become #GstEnviSrc:channels means of neighbours. A
 * still plays until num-buffers, a sequence until a number has no file.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 envisrc location=FILE.hdr channels=8 ! videoconvert !
 * autovideosink
 * gst-launch-1.0 envisrc location=FILE-%04d.hdr ! fakesink
 * ]|
 *
 * Since: 0.1
 */
#include "envisrc/gstenvisrc.h"

GST_DEBUG_CATEGORY_STATIC (envi_src_debug);
#define GST_CAT_DEFAULT envi_src_debug

G_DEFINE_TYPE (GstEnviSrc, gst_envi_src, GST_TYPE_PUSH_SRC)
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (envisrc, "envisrc", GST_RANK_NONE,
    GST_TYPE_ENVI_SRC,
    GST_DEBUG_CATEGORY_INIT (envi_src_debug, "envisrc", 0, "ENVI cubes"));

static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS ("video/x-raw, format = (string) { GRAY16_LE, GRAY8 }, "
                         "width = (int) [ 1, 65535 ], "
                         "height = (int) [ 1, 1048560 ], "
                         "framerate = " GST_VIDEO_FPS_RANGE ", "
                         "channels = (int) [ 1, 16 ], "
                         "channel-layout = (string) stacked"));

static gboolean
open_cube (GstEnviSrc *self, guint64 number)
{
  gchar *path = gst_envi_src_path (self->path, self->first + number);
  GError *error = NULL;
  const gchar *wrong = NULL;

  gst_envi_cube_close (&self->cube);
  if (!gst_envi_cube_open (&self->cube, path, &error)) {
    GST_ELEMENT_ERROR (
        self, RESOURCE, OPEN_READ, ("%s.", error->message), (NULL));
    g_error_free (error);
  } else if ((wrong = gst_envi_src_choose (
                  self, &self->cube.header, &self->choice))) {
    GST_ELEMENT_ERROR (
        self, LIBRARY, SETTINGS, ("%s: %s.", path, wrong), (NULL));
    gst_envi_cube_close (&self->cube); /* nobody stops what did not start */
  }
  g_free (path);
  self->opened = number;
  return self->cube.file != NULL;
}

static gboolean
start (GstBaseSrc *src)
{
  GstEnviSrc *self = GST_ENVI_SRC (src);

  g_free (self->path);
  GST_OBJECT_LOCK (self);
  self->path = g_strdup (self->location);
  self->first = self->start_index;
  GST_OBJECT_UNLOCK (self);
  self->number = 0;
  if (!self->path || !gst_envi_src_is_location (self->path)) {
    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
        ("No cube is named. Set location to a .hdr file, or to a pattern with "
         "one %%d."),
        ("location: %s", GST_STR_NULL (self->path)));
    return FALSE;
  }
  return open_cube (self, 0);
}

static gboolean
stop (GstBaseSrc *src)
{
  gst_envi_cube_close (&GST_ENVI_SRC (src)->cube);
  return TRUE;
}

/* Of each channel the mean of its bands. */
static void
add_wavelengths (GstEnviSrc *self, GstCaps *caps)
{
  const GArray *lambda = self->cube.header.wavelengths;
  GValue list = G_VALUE_INIT, value = G_VALUE_INIT;

  if (!lambda->len)
    return;
  g_value_init (&list, GST_TYPE_ARRAY);
  g_value_init (&value, G_TYPE_DOUBLE);
  for (guint c = 0; c < self->choice.channels; c++) {
    guint first = gst_envi_choice_band (&self->choice, c);
    guint end = gst_envi_choice_band (&self->choice, c + 1);
    gdouble sum = 0;

    for (guint b = first; b < end; b++)
      sum += g_array_index (lambda, gdouble, b);
    g_value_set_double (&value, sum / (end - first));
    gst_value_array_append_value (&list, &value);
  }
  gst_caps_set_value (caps, "wavelengths", &list);
  g_value_unset (&list);
  g_value_unset (&value);
}

static GstCaps *
get_caps (GstBaseSrc *src, GstCaps *filter)
{
  GstEnviSrc *self = GST_ENVI_SRC (src);
  GstCaps *caps = gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (src));
  const GstEnviHeader *h = &self->cube.header;

  if (h->samples) {
    caps = gst_caps_make_writable (caps);
    gst_caps_set_simple (caps, "width", G_TYPE_INT, (gint) h->samples, "height",
        G_TYPE_INT, (gint) (h->lines * self->choice.channels), "channels",
        G_TYPE_INT, (gint) self->choice.channels, NULL);
    add_wavelengths (self, caps);
  }
  if (filter) {
    GstCaps *all = caps;

    caps = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (all);
  }
  return caps;
}

static GstCaps *
fixate (GstBaseSrc *src, GstCaps *caps)
{
  caps = gst_caps_make_writable (gst_caps_truncate (caps));
  gst_structure_fixate_field_nearest_fraction (
      gst_caps_get_structure (caps, 0), "framerate", 25, 1);
  return GST_BASE_SRC_CLASS (gst_envi_src_parent_class)->fixate (src, caps);
}

static gboolean
set_caps (GstBaseSrc *src, GstCaps *caps)
{
  GstEnviSrc *self = GST_ENVI_SRC (src);

  if (!gst_video_info_from_caps (&self->info, caps))
    return FALSE;
  gst_base_src_set_blocksize (src, (guint) self->info.size);
  return TRUE;
}

/* Whether there is a frame @number; opens its cube. */
static GstFlowReturn
seek_cube (GstEnviSrc *self, guint64 number)
{
  guint samples = self->cube.header.samples, lines = self->cube.header.lines;
  guint channels = self->choice.channels;
  gchar *path;
  gboolean there;

  if (number == self->opened || !gst_envi_src_is_pattern (self->path))
    return GST_FLOW_OK;
  path = gst_envi_src_path (self->path, self->first + number);
  there = g_file_test (path, G_FILE_TEST_EXISTS);
  g_free (path);
  if (!there)
    return GST_FLOW_EOS;
  if (!open_cube (self, number))
    return GST_FLOW_ERROR;
  if (self->cube.header.samples == samples &&
      self->cube.header.lines == lines && self->choice.channels == channels)
    return GST_FLOW_OK;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      ("Cube %" G_GUINT64_FORMAT " has another size than the first. Put cubes "
       "of one size into a sequence.",
          self->first + number),
      (NULL));
  return GST_FLOW_ERROR;
}

static void
put_times (GstEnviSrc *self, GstBuffer *buffer)
{
  gint n = GST_VIDEO_INFO_FPS_N (&self->info);
  gint d = GST_VIDEO_INFO_FPS_D (&self->info);
  GstClockTime second = GST_SECOND * (GstClockTime) d;

  GST_BUFFER_OFFSET (buffer) = self->number;
  GST_BUFFER_OFFSET_END (buffer) = self->number + 1;
  GST_BUFFER_PTS (buffer) =
      n ? gst_util_uint64_scale_int (self->number, second, n) : 0;
  if (n)
    GST_BUFFER_DURATION (buffer) =
        gst_util_uint64_scale_int (self->number + 1, second, n) -
        GST_BUFFER_PTS (buffer);
}

static GstFlowReturn
fill (GstPushSrc *src, GstBuffer *buffer)
{
  GstEnviSrc *self = GST_ENVI_SRC (src);
  const GstVideoInfo *info = &self->info;
  guint bytes = GST_VIDEO_INFO_FORMAT (info) == GST_VIDEO_FORMAT_GRAY8 ? 1 : 2;
  GstFlowReturn flow = seek_cube (self, self->number);
  GstVideoFrame frame;

  if (flow != GST_FLOW_OK)
    return flow;
  if (GST_VIDEO_INFO_FPS_N (info) == 0 && self->number)
    return GST_FLOW_EOS;
  if (!gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE)) {
    GST_ELEMENT_ERROR (self, RESOURCE, WRITE,
        ("The memory of a frame cannot be written."), (NULL));
    return GST_FLOW_ERROR;
  }
  for (guint c = 0; c < self->choice.channels; c++) {
    gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0);
    guint8 *pixels = GST_VIDEO_FRAME_PLANE_DATA (&frame, 0);

    gst_envi_cube_read (&self->cube, &self->choice, c, bytes,
        pixels + (gsize) c * self->cube.header.lines * stride, stride);
  }
  gst_video_frame_unmap (&frame);
  put_times (self, buffer);
  self->number++;
  return GST_FLOW_OK;
}

static void
gst_envi_src_class_init (GstEnviSrcClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src = GST_BASE_SRC_CLASS (klass);

  gst_envi_src_install_properties (G_OBJECT_CLASS (klass));
  src->get_caps = get_caps;
  src->fixate = fixate;
  src->set_caps = set_caps;
  src->start = start;
  src->stop = stop;
  GST_PUSH_SRC_CLASS (klass)->fill = fill;

  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "ENVI source",
      "Source/File/Video", "Plays multispectral cubes of ENVI",
      "The gst-vision authors");
}

static void
gst_envi_src_init (GstEnviSrc *self)
{
  self->last_band = -1;
  gst_video_info_init (&self->info);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}
