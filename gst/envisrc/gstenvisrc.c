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
 * Raw video has no format of more than four channels. Therefore the frames are
 * grey, and the channels lie one below the other. In the caps, height is lines
 * x channels, and there are the fields channels, channel-layout=stacked and, if
 * the header names them, wavelengths (the mean of each channel's bands).
 *
 * A cube may have hundreds of bands; those from #GstEnviSrc:first-band to
 * #GstEnviSrc:last-band become #GstEnviSrc:channels channels, each the mean of
 * neighbouring bands. A still is repeated until num-buffers; if its file is cut
 * meanwhile, an error ends it. A sequence ends at the first number without a
 * file. A cube of it that is damaged, or whose size or number of channels is
 * not that of the first, is left out with a warning; the first must be good.
 *
 * ## What it is for
 *
 * Recorded cubes of a multispectral camera, for #emdtrack.
 *
 * ## When something else is better
 *
 * - Cubes in another container, such as HDF5 or TIFF with many pages: convert
 *   them first, for instance with GDAL.
 * - Pictures of single bands: emdtrack reads several streams.
 *
 * ## Troubleshooting
 *
 * - The picture is too dark: the cube does not use the range of its type; give
 *   its greatest value as `full-scale`.
 * - A header that is not found: `location` is the .hdr file, and the cube lies
 *   beside it under the same name.
 * - Too many channels for the next element: `channels` takes the means of
 *   neighbouring bands.
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
#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>

#include "base/gstvisioncommon.h"
#include "base/gstvisionwork.h"
#include "envisrc/gstenvicube.h"
#include "base/gstvisiontell.h"

#define GST_TYPE_ENVI_SRC (gst_envi_src_get_type ())
G_DECLARE_FINAL_TYPE (GstEnviSrc, gst_envi_src, GST, ENVI_SRC, GstPushSrc)

/* The bands of the properties; last_band may be -1, channels and full_scale 0.
 */
typedef struct {
  guint first_band, channels;
  gint last_band;
  gdouble full_scale;
} GstEnviBands;

struct _GstEnviSrc {
  GstPushSrc parent;

  /* Under the object lock. */
  gchar *location;
  guint64 start_index;
  GstEnviBands bands;
  GstCaps *caps; /* NULL while stopped */

  GstVisionWork work;

  /* Set at the start. */
  GstEnviBands asked; /* the property bands at the start */
  gchar *path;        /* the property location at the start */
  guint64 first;      /* the number of the first file */
  guint channels;     /* of the first cube and of the caps */
  GstEnviCube cube;
  guint64 opened; /* the frame of the open cube */
  GstEnviChoice choice;
  GstVideoInfo info;
  guint64 number; /* of the next frame */

  /* Cubes of a sequence that are left out. */
  GstVisionWarning warnings[GST_VISION_WARNINGS]; /* about these cubes */
  guint n_untold;                                 /* since the newest warning */
  gchar *left_out; /* fault of the newest such cube; NULL: n_untold is 0 */
};

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

/* ---- Properties ---- */

#define ROWS_OF GstEnviSrc
static const GstVisionProperty properties[] = {
    STOPPED (STRING, location,
        "Header of the cube (.hdr), or of the cubes of a sequence with one %d, "
        "such as cube-%04d.hdr"),
    STOPPED (NUMBER, start_index, 0, G_MAXINT64, 0,
        "Number of the first cube of a sequence"),
    STOPPED (NUMBER, bands.channels, 0, GST_ENVI_MAX_CHANNELS, 0,
        "Number of channels to make of the bands, each the mean of "
        "neighbouring bands (0 = one for each band, but at most 16)"),
    STOPPED (NUMBER, bands.first_band, 0, G_MAXUINT16, 0,
        "First band to use, counted from 0"),
    STOPPED (NUMBER, bands.last_band, -1, G_MAXUINT16, -1,
        "Last band to use (-1 = the last of the cube)"),
    STOPPED (NUMBER, bands.full_scale, 0, G_MAXDOUBLE, 0,
        "Value in the cube that becomes the maximum grey (0 = 255 for bytes, 1 "
        "for floating-point numbers, 65535 for others)"),
    {.params = NULL}};

/* ---- The file and the bands of a frame ---- */

static gboolean
is_pattern (const gchar *location)
{
  return strchr (location, '%') != NULL;
}

/* The text behind the digits that begin at @at. */
static const gchar *
skip_digits (const gchar *at)
{
  while (g_ascii_isdigit (*at))
    at++;
  return at;
}

/* Whether @location is a file name, or a pattern with one %d, %3d or %03d. */
static gboolean
is_location (const gchar *location)
{
  const gchar *at = strchr (location, '%');

  if (!at)
    return *location != '\0';
  at = skip_digits (at + 1);
  return *at == 'd' && !strchr (at, '%');
}

/* The file of frame @number of a pattern; else @location. */
static gchar *
path_of_cube (const gchar *location, guint64 number)
{
  const gchar *at = strchr (location, '%'), *end;
  gchar digits[32];
  GString *path;
  gint64 width;

  if (!at)
    return g_strdup (location);
  end = skip_digits (at + 1);
  width = MIN (g_ascii_strtoll (at + 1, NULL, 10), 20);
  path = g_string_new_len (location, at - location);
  g_snprintf (digits, sizeof digits, "%" G_GUINT64_FORMAT, number);
  for (gsize n = strlen (digits); (gint64) n < width; n++)
    g_string_append_c (path, at[1] == '0' ? '0' : ' ');
  g_string_append (path, digits);
  g_string_append (path, end + 1);
  return g_string_free (path, FALSE);
}

/* Chooses the bands that self->asked wants; an error if the cube lacks them. */
static const gchar *
choose_bands (
    GstEnviSrc *self, const GstEnviHeader *header, GstEnviChoice *choice)
{
  const GstEnviBands *asked = &self->asked;
  guint bands;

  choice->first_band = asked->first_band;
  choice->last_band =
      asked->last_band < 0 ? header->bands - 1 : (guint) asked->last_band;
  choice->channels = asked->channels;
  choice->full_scale = asked->full_scale;
  if (choice->last_band >= header->bands ||
      choice->first_band > choice->last_band)
    return "the cube has no such bands; mind first-band and last-band";
  bands = choice->last_band - choice->first_band + 1;
  if (!choice->channels)
    choice->channels = MIN (bands, GST_ENVI_MAX_CHANNELS);
  if (choice->channels > bands)
    return "there are fewer bands than channels; ask for fewer channels";
  if (choice->full_scale == 0)
    choice->full_scale = header->type == GST_ENVI_U8 ? G_MAXUINT8
        : header->type == GST_ENVI_F32 || header->type == GST_ENVI_F64
        ? 1
        : G_MAXUINT16;
  return NULL;
}

/* ---- Frames ---- */

/* Opens cube @number of the sequence; returns why it cannot be used, or NULL.
 */
static gchar *
open_cube (GstEnviSrc *self, guint64 number)
{
  gchar *path = path_of_cube (self->path, self->first + number);
  gchar *problem = NULL;
  GError *error = NULL;
  const gchar *wrong;

  gst_envi_cube_close (&self->cube);
  if (!gst_envi_cube_open (&self->cube, path, &error)) {
    problem = g_strdup (error->message);
    g_error_free (error);
  } else if ((wrong = choose_bands (self, &self->cube.header, &self->choice))) {
    problem = g_strdup_printf ("%s: %s", path, wrong);
    gst_envi_cube_close (&self->cube); /* a failed start is not stopped */
  }
  g_free (path);
  self->opened = number;
  return problem;
}

/* Adds to @caps the wavelength of each channel, the mean of its bands. */
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

/* The caps of the open cube. */
static GstCaps *
make_cube_caps (GstEnviSrc *self)
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
envisrc_start (GstBaseSrc *src)
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
  memset (self->warnings, 0, sizeof self->warnings);
  if (!self->path || !is_location (self->path)) {
    gchar *path = g_filename_display_name (GST_STR_NULL (self->path));

    GST_ELEMENT_ERROR (self, RESOURCE, NOT_FOUND,
        ("No cube is named. Set location to a .hdr file, or to a pattern with "
         "one %%d."),
        ("location: %s", path));
    g_free (path);
    return FALSE;
  }
  problem = open_cube (self, 0);
  self->channels = self->choice.channels;
  if (problem)
    GST_VISION_ERROR (self, RESOURCE, OPEN_READ, ("%s.", problem));
  else
    replace_caps (self, make_cube_caps (self));
  g_free (problem);
  return self->cube.path != NULL;
}

static void
release_envisrc (GstElement *element)
{
  GstEnviSrc *self = GST_ENVI_SRC (element);

  replace_caps (self, NULL);
  gst_envi_cube_close (&self->cube);
  self->n_untold = 0;
  g_clear_pointer (&self->left_out, g_free);
}

static gboolean
envisrc_stop (GstBaseSrc *src)
{
  gst_vision_work_stop (&GST_ENVI_SRC (src)->work);
  return TRUE;
}

/* GstBaseSrc calls this in any thread, while the streaming thread may open the
 * next cube. */
static GstCaps *
envisrc_get_caps (GstBaseSrc *src, GstCaps *filter)
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
envisrc_fixate (GstBaseSrc *src, GstCaps *caps)
{
  caps = gst_caps_make_writable (gst_caps_truncate (caps));
  gst_structure_fixate_field_nearest_fraction (
      gst_caps_get_structure (caps, 0), "framerate", 25, 1);
  return GST_BASE_SRC_CLASS (gst_envi_src_parent_class)->fixate (src, caps);
}

static gboolean
envisrc_set_caps (GstBaseSrc *src, GstCaps *caps)
{
  GstEnviSrc *self = GST_ENVI_SRC (src);

  if (!gst_video_info_from_caps (&self->info, caps)) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("A frame with these caps is larger than a video frame of GStreamer "
         "can be, which is 4 GiB. Ask for fewer channels, or for GRAY8."),
        ("%" GST_PTR_FORMAT, caps));
    return FALSE;
  }
  gst_base_src_set_blocksize (src, (guint) self->info.size);
  return TRUE;
}

static GstFlowReturn
envisrc_alloc (GstBaseSrc *src, guint64 offset, guint size, GstBuffer **buffer)
{
  GstFlowReturn flow = GST_BASE_SRC_CLASS (gst_envi_src_parent_class)
                           ->alloc (src, offset, size, buffer);

  if (flow == GST_FLOW_ERROR)
    gst_vision_tell_no_frame (GST_ELEMENT (src), GST_ENVI_SRC (src)->info.size,
        "fewer channels or GRAY8");
  return flow;
}

static gboolean
has_cube (GstEnviSrc *self, guint64 number)
{
  gchar *path = path_of_cube (self->path, self->first + number);
  gboolean there = g_file_test (path, G_FILE_TEST_EXISTS);

  g_free (path);
  return there;
}

/* Whether the open cube has the size and the channels of the caps.  The height
 * alone does not tell: 20 lines of 2 channels are as high as 10 lines of 4. */
static gboolean
cube_fits_caps (const GstEnviSrc *self)
{
  const GstEnviHeader *h = &self->cube.header;

  return (gint) h->samples == GST_VIDEO_INFO_WIDTH (&self->info) &&
      self->choice.channels == self->channels &&
      (gint) (h->lines * self->choice.channels) ==
      GST_VIDEO_INFO_HEIGHT (&self->info);
}

/* Warns of the cubes that no warning has counted yet. */
static void
warn_of_left_out (GstEnviSrc *self)
{
  if (self->n_untold == 1)
    GST_VISION_WARNING (self, STREAM, DECODE,
        ("A cube of the sequence is left out, and the stream goes on: %s.",
            self->left_out));
  else if (self->n_untold)
    GST_VISION_WARNING (self, STREAM, DECODE,
        ("%u cubes of the sequence were left out since the warning before, and "
         "the stream goes on. The newest: %s.",
            self->n_untold, self->left_out));
  self->n_untold = 0;
  g_clear_pointer (&self->left_out, g_free);
}

/* Counts a cube that is left out, and warns of it if a warning is due.  Takes
 * @problem. */
static void
leave_out_cube (GstEnviSrc *self, gchar *problem)
{
  self->n_untold++;
  g_free (self->left_out);
  self->left_out = problem;
  if (gst_vision_warnings_take (self->warnings, problem))
    warn_of_left_out (self);
}

/* Opens the cube of frame self->number or, if it cannot be used, of the next
 * frame whose cube can; the frames between are left out. */
static GstFlowReturn
seek_cube (GstEnviSrc *self)
{
  if (!is_pattern (self->path))
    return GST_FLOW_OK;
  for (; self->number != self->opened; self->number++) {
    gchar *problem;

    if (gst_vision_pad_is_flushing (GST_BASE_SRC_PAD (self)))
      return GST_FLOW_FLUSHING;
    if (!has_cube (self, self->number)) {
      warn_of_left_out (self);
      return GST_FLOW_EOS;
    }
    problem = open_cube (self, self->number);
    if (!problem && cube_fits_caps (self))
      return GST_FLOW_OK;
    if (!problem)
      problem =
          g_strdup_printf ("cube %" G_GUINT64_FORMAT
                           " has another size or other channels than the first",
              self->first + self->number);
    leave_out_cube (self, problem);
  }
  return GST_FLOW_OK;
}

static void
set_frame_times (GstEnviSrc *self, GstBuffer *buffer)
{
  guint64 n = (guint64) GST_VIDEO_INFO_FPS_N (&self->info);
  guint64 second = GST_SECOND * (guint64) GST_VIDEO_INFO_FPS_D (&self->info);

  GST_BUFFER_OFFSET (buffer) = self->number;
  GST_BUFFER_OFFSET_END (buffer) = self->number + 1;
  GST_BUFFER_PTS (buffer) =
      n ? gst_util_uint64_scale (self->number, second, n) : 0;
  if (n)
    GST_BUFFER_DURATION (buffer) =
        gst_util_uint64_scale (self->number + 1, second, n) -
        GST_BUFFER_PTS (buffer);
}

static GstFlowReturn
make_frame (GstEnviSrc *self, GstBuffer *buffer)
{
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
  set_frame_times (self, buffer);
  self->number++;
  return GST_FLOW_OK;
}

static GstFlowReturn
envisrc_fill (GstPushSrc *src, GstBuffer *buffer)
{
  GstEnviSrc *self = GST_ENVI_SRC (src);
  GstFlowReturn flow;

  gst_vision_work_begin (&self->work);
  flow = make_frame (self, buffer);
  gst_vision_work_end (&self->work);
  return flow;
}

static GstStateChangeReturn
envisrc_change_state (GstElement *element, GstStateChange transition)
{
  if (!gst_vision_work_change_state (&GST_ENVI_SRC (element)->work, transition))
    return GST_STATE_CHANGE_FAILURE;
  return GST_ELEMENT_CLASS (gst_envi_src_parent_class)
      ->change_state (element, transition);
}

static void
envisrc_finalize (GObject *object)
{
  gst_vision_work_clear (&GST_ENVI_SRC (object)->work);
  g_free (GST_ENVI_SRC (object)->path);
  G_OBJECT_CLASS (gst_envi_src_parent_class)->finalize (object);
}

static void
gst_envi_src_class_init (GstEnviSrcClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseSrcClass *src = GST_BASE_SRC_CLASS (klass);

  gst_vision_properties_install (G_OBJECT_CLASS (klass), properties);
  G_OBJECT_CLASS (klass)->finalize = envisrc_finalize;
  element->change_state = envisrc_change_state;
  src->get_caps = envisrc_get_caps;
  src->fixate = envisrc_fixate;
  src->set_caps = envisrc_set_caps;
  src->alloc = envisrc_alloc;
  src->start = envisrc_start;
  src->stop = envisrc_stop;
  GST_PUSH_SRC_CLASS (klass)->fill = envisrc_fill;

  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "ENVI source",
      "Source/File/Video", "Plays multispectral cubes of the ENVI format",
      "The gst-vision authors");
}

static void
gst_envi_src_init (GstEnviSrc *self)
{
  gst_vision_properties_init (self, properties);
  gst_vision_work_init (&self->work, GST_ELEMENT (self), release_envisrc);
  gst_video_info_init (&self->info);
  gst_base_src_set_format (GST_BASE_SRC (self), GST_FORMAT_TIME);
}
