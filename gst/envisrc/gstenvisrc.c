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
 * still plays until num-buffers, or an error where its file is cut meanwhile; a
 * sequence until a number has no file. Of its cubes, the first one excepted,
 * those that are damaged or of another size are warned of and left out.
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
#include "base/gstvisiontell.h"

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

/* NULL, or what is wrong with cube @number of the sequence, which then is not
 * open. */
static gchar *
open_cube (GstEnviSrc *self, guint64 number)
{
  gchar *path = gst_envi_src_path (self->path, self->first + number);
  gchar *problem = NULL;
  GError *error = NULL;
  const gchar *wrong;

  gst_envi_cube_close (&self->cube);
  if (!gst_envi_cube_open (&self->cube, path, &error)) {
    problem = g_strdup (error->message);
    g_error_free (error);
  } else if ((wrong = gst_envi_src_choose (
                  self, &self->cube.header, &self->choice))) {
    problem = g_strdup_printf ("%s: %s", path, wrong);
    gst_envi_cube_close (&self->cube); /* nobody stops what did not start */
  }
  g_free (path);
  self->opened = number;
  return problem;
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

/* Those of the open cube. */
static GstCaps *
make_caps (GstEnviSrc *self)
{
  GstCaps *caps = gst_caps_make_writable (
      gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (self)));
  const GstEnviHeader *h = &self->cube.header;

  gst_caps_set_simple (caps, "width", G_TYPE_INT, (gint) h->samples, "height",
      G_TYPE_INT, (gint) (h->lines * self->choice.channels), "channels",
      G_TYPE_INT, (gint) self->choice.channels, NULL);
  add_wavelengths (self, caps);
  return caps;
}

/* Takes @caps. */
static void
replace_caps (GstEnviSrc *self, GstCaps *caps)
{
  GST_OBJECT_LOCK (self);
  gst_caps_replace (&self->caps, caps);
  GST_OBJECT_UNLOCK (self);
  gst_clear_caps (&caps);
}

static gboolean
start (GstBaseSrc *src)
{
  GstEnviSrc *self = GST_ENVI_SRC (src);
  gchar *problem;

  g_free (self->path);
  GST_OBJECT_LOCK (self);
  self->path = g_strdup (self->location);
  self->first = self->start_index;
  self->asked = self->bands;
  GST_OBJECT_UNLOCK (self);
  self->number = 0;
  if (!self->path || !gst_envi_src_is_location (self->path)) {
    gchar *path = g_filename_display_name (GST_STR_NULL (self->path));

    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
        ("No cube is named. Set location to a .hdr file, or to a pattern with "
         "one %%d."),
        ("location: %s", path));
    g_free (path);
    return FALSE;
  }
  problem = open_cube (self, 0);
  if (problem)
    GST_VISION_ERROR (self, RESOURCE, OPEN_READ, ("%s.", problem));
  else
    replace_caps (self, make_caps (self));
  g_free (problem);
  return self->cube.path != NULL;
}

static gboolean
stop (GstBaseSrc *src)
{
  replace_caps (GST_ENVI_SRC (src), NULL);
  gst_envi_cube_close (&GST_ENVI_SRC (src)->cube);
  return TRUE;
}

/* Whoever asks does so in a thread of its own, while the next cube is opened.
 */
static GstCaps *
get_caps (GstBaseSrc *src, GstCaps *filter)
{
  GstEnviSrc *self = GST_ENVI_SRC (src);
  GstCaps *caps = NULL;

  GST_OBJECT_LOCK (self);
  gst_caps_replace (&caps, self->caps);
  GST_OBJECT_UNLOCK (self);
  if (!caps)
    caps = gst_pad_get_pad_template_caps (GST_BASE_SRC_PAD (src));
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

static gboolean
has_cube (GstEnviSrc *self, guint64 number)
{
  gchar *path = gst_envi_src_path (self->path, self->first + number);
  gboolean there = g_file_test (path, G_FILE_TEST_EXISTS);

  g_free (path);
  return there;
}

/* Whether the open cube is as large as the caps say. */
static gboolean
fits (const GstEnviSrc *self)
{
  const GstEnviHeader *h = &self->cube.header;

  return (gint) h->samples == GST_VIDEO_INFO_WIDTH (&self->info) &&
      (gint) (h->lines * self->choice.channels) ==
      GST_VIDEO_INFO_HEIGHT (&self->info);
}

/* Opens the cube of frame self->number, or of the next one of which there is
 * nothing wrong: the time of those between is left empty. */
static GstFlowReturn
seek_cube (GstEnviSrc *self)
{
  if (!gst_envi_src_is_pattern (self->path))
    return GST_FLOW_OK;
  for (; self->number != self->opened; self->number++) {
    gchar *problem;

    if (!has_cube (self, self->number))
      return GST_FLOW_EOS;
    problem = open_cube (self, self->number);
    if (!problem && fits (self))
      return GST_FLOW_OK;
    if (!problem)
      problem = g_strdup_printf ("cube %" G_GUINT64_FORMAT
                                 " has another size than the first",
          self->first + self->number);
    GST_VISION_WARNING (self, STREAM, DECODE,
        ("A cube of the sequence is left out, and the stream goes on: %s.",
            problem));
    g_free (problem);
  }
  return GST_FLOW_OK;
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
  GstFlowReturn flow = seek_cube (self);
  GError *error = NULL;
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
  gst_envi_cube_read (&self->cube, &self->choice, bytes,
      GST_VIDEO_FRAME_PLANE_DATA (&frame, 0),
      GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0), &error);
  gst_video_frame_unmap (&frame);
  if (error) {
    GST_VISION_ERROR (self, RESOURCE, READ, ("%s.", error->message));
    g_error_free (error);
    return GST_FLOW_ERROR;
  }
  put_times (self, buffer);
  self->number++;
  return GST_FLOW_OK;
}

static void
finalize (GObject *object)
{
  g_free (GST_ENVI_SRC (object)->path);
  G_OBJECT_CLASS (gst_envi_src_parent_class)->finalize (object);
}

static void
gst_envi_src_class_init (GstEnviSrcClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src = GST_BASE_SRC_CLASS (klass);

  gst_vision_properties_install (
      G_OBJECT_CLASS (klass), gst_envi_src_properties);
  G_OBJECT_CLASS (klass)->finalize = finalize;
  src->get_caps = get_caps;
  src->fixate = fixate;
  src->set_caps = set_caps;
  src->start = start;
  src->stop = stop;
  GST_PUSH_SRC_CLASS (klass)->fill = fill;

  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "ENVI source",
      "Source/File/Video", "Plays multispectral cubes of the ENVI format",
      "The gst-vision authors");
}

static void
gst_envi_src_init (GstEnviSrc *self)
{
  gst_vision_properties_init (self, gst_envi_src_properties);
  gst_video_info_init (&self->info);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}
