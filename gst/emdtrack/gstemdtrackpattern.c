/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A target of a file: reads the file, and makes its content a frame, from which
 * the codebook is learned and the target's histogram is counted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/gstvisioninput.h"
#include "common/file.h"
#include "emdtrack/gstemdtrack.h"

/* ---- Files: a PNG picture, which GStreamer decodes, or a text with the
 * numbers of a histogram ---- */

#define SIGNATURE "\x89PNG\r\n\x1a\n"
#define HEADER 26     /* bytes, up to the kind of colours */
#define PATIENCE 10   /* seconds to decode a picture */
#define MAX_SIDE 4096 /* of a picture, pixels */
#define MAX_BYTES (128 << 20)
#define MAX_TEXT (1 << 20) /* bytes of a histogram, with its comments */

#define DEPTH 24 /* where the bits of a component are */
#define COLOUR 2 /* of the kind: a flag of colours (PNG, 11.2.1) */

#define DECODER \
 "filesrc name=file ! pngdec ! videoconvert ! capsfilter name=caps ! " \
 "fakesink " \
 "name=end sync=false"
#define COLOURS "video/x-raw, format=RGB"
#define GREY "video/x-raw, format=(string){ GRAY8, GRAY16_LE }"

const char *
gst_emdtrack_parse_numbers (gchar *text, gint room, gdouble *numbers, gint *n)
{
  *n = 0;
  for (gchar *line = text; line;) {
    gchar *end = strchr (line, '\n'), *at = line;

    if (end)
      *end++ = 0;
    for (at += strspn (at, " ,;\t\r"); *at && *at != '#';
         at += strspn (at, " ,;\t\r")) {
      gchar *rest;
      gdouble value = g_ascii_strtod (at, &rest);

      if (rest == at)
        return "the file holds something else than numbers";
      if (*n < room)
        numbers[*n] = value;
      ++*n;
      at = rest;
    }
    line = end;
  }
  return NULL;
}

static const char *
read_histogram (gchar *text, GstEmdtrackPattern *p)
{
  gdouble sum = 0;

  TRY (gst_emdtrack_parse_numbers (text, EMDTRACK_BINS, p->weight, &p->n));
  if (p->n < 2 || p->n > EMDTRACK_BINS)
    return "a histogram has 2 to 16 numbers";
  for (gint i = 0; i < p->n; i++) {
    if (!(p->weight[i] >= 0))
      return "the numbers of a histogram must be 0 or more";
    sum += p->weight[i];
  }
  if (!isfinite (sum))
    return "the numbers of a histogram are too large";
  return sum > 0 ? NULL : "a histogram of zeros has no mass";
}

static GstSample *
decode_png (const gchar *path, const gchar *caps)
{
  GstElement *pipeline = gst_parse_launch (DECODER, NULL), *end;
  GstChildProxy *proxy;
  GstSample *sample = NULL;

  if (!pipeline)
    return NULL;
  proxy = GST_CHILD_PROXY (pipeline);
  end = gst_bin_get_by_name (GST_BIN (pipeline), "end");
  if (end) { /* else an element is missing */
    GstCaps *wanted = gst_caps_from_string (caps);

    gst_child_proxy_set (
        proxy, "file::location", path, "caps::caps", wanted, NULL);
    gst_caps_unref (wanted);
    gst_element_set_state (pipeline, GST_STATE_PAUSED);
    if (gst_element_get_state (pipeline, NULL, NULL, PATIENCE * GST_SECOND) ==
        GST_STATE_CHANGE_SUCCESS)
      g_object_get (end, "last-sample", &sample, NULL);
    gst_object_unref (end);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return sample;
}

/* Copies the pixels of @frame without the gaps between its rows. */
static void
copy_frame_pixels (GstEmdtrackPattern *p, const GstVideoFrame *frame)
{
  gint rows = GST_VIDEO_FRAME_HEIGHT (frame);
  gsize row = (gsize) GST_VIDEO_FRAME_COMP_PSTRIDE (frame, 0) *
      GST_VIDEO_FRAME_WIDTH (frame);

  p->bytes = row * rows;
  p->pixels = g_malloc (p->bytes);
  p->image.width = GST_VIDEO_FRAME_WIDTH (frame);
  p->image.height = rows;
  p->image.stride[0] = (int) row;
  gst_vision_image_format (GST_VIDEO_FRAME_FORMAT (frame), &p->image.format);
  for (gint y = 0; y < rows; y++)
    memcpy (p->pixels + row * y,
        (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0) +
            (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0) * y,
        row);
}

static const char *
read_png (const gchar *path, const gchar *header, GstEmdtrackPattern *p)
{
  gboolean colours = header[HEADER - 1] & COLOUR;
  GstSample *sample;
  GstVideoFrame frame;
  GstVideoInfo info;
  gboolean good;

  if (GST_READ_UINT32_BE (header + 16) > MAX_SIDE ||
      GST_READ_UINT32_BE (header + 20) > MAX_SIDE)
    return "a picture of a target has at most 4096 pixels a side";
  /* pngdec 1.22 takes the alpha of 16 bits for red */
  if (colours && header[DEPTH] > 8)
    return "a picture of colours must have 8 bits a component";
  sample = decode_png (path, colours ? COLOURS : GREY);
  good = sample && gst_sample_get_buffer (sample) &&
      gst_video_info_from_caps (&info, gst_sample_get_caps (sample)) &&
      gst_video_frame_map (
          &frame, &info, gst_sample_get_buffer (sample), GST_MAP_READ);
  if (good) {
    copy_frame_pixels (p, &frame);
    gst_video_frame_unmap (&frame);
  }
  if (sample)
    gst_sample_unref (sample);
  return good ? NULL : "the file is no PNG picture that can be decoded";
}

const char *
gst_emdtrack_pattern_read (const gchar *path, GstEmdtrackPattern **pattern)
{
  gchar *text;
  gsize length;
  const char *err;

  if (!*path || file_read (path, MAX_BYTES, &text, &length))
    return "the file cannot be read, or is no regular file of at most 128 MiB";
  *pattern = g_new0 (GstEmdtrackPattern, 1);
  if (length > HEADER && !memcmp (text, SIGNATURE, strlen (SIGNATURE)))
    err = read_png (path, text, *pattern);
  else if (length > MAX_TEXT || strlen (text) != length)
    err = "the file is neither a PNG picture nor a text of numbers";
  else
    err = read_histogram (text, *pattern);
  free (text);
  if (err)
    g_clear_pointer (pattern, gst_emdtrack_pattern_free);
  return err;
}

void
gst_emdtrack_pattern_free (GstEmdtrackPattern *self)
{
  g_free (self->pixels);
  g_free (self);
}

/* ---- The content as a frame ---- */

#define PATCH 8       /* side of the picture of a spectrum, pixels */
#define BRIGHT 65535. /* value of the strongest channel */
#define BRIGHT_RGB 255.

/* Makes the histogram a picture whose pixels all have this spectrum. */
static void
paint_spectrum (const GstEmdtrack *self, GstEmdtrackPattern *p)
{
  gboolean plain = self->frame.layout == EMDTRACK_PLAIN;
  gsize area = PATCH * PATCH;
  gdouble max = 0;

  for (gint c = 0; c < p->n; c++)
    max = MAX (max, p->weight[c]);
  p->image = (Image){.format = plain ? IMAGE_RGB : IMAGE_GRAY16,
      .width = PATCH,
      .height = plain ? PATCH : PATCH * p->n,
      .stride = {PATCH * (plain ? 3 : 2)}};
  p->bytes = (gsize) p->image.stride[0] * p->image.height;
  p->pixels = g_malloc (p->bytes);
  for (gint c = 0; c < p->n; c++)
    for (gsize i = 0; i < area; i++) {
      gdouble part = p->weight[c] / max;

      if (plain)
        p->pixels[3 * i + c] = (guint8) (part * BRIGHT_RGB + .5);
      else
        GST_WRITE_UINT16_LE (
            p->pixels + 2 * (c * area + i), (guint16) (part * BRIGHT + .5));
    }
}

/* Why the pattern does not fit the frames; NULL: it fits. */
static const char *
check_pattern (
    GstEmdtrack *self, const GstEmdtrackPattern *p, EmdtrackFrame *frame)
{
  const EmdtrackParams *params = &self->settled.map;
  gboolean of_channels = params->histogram == EMDTRACK_CHANNELS;
  int width, height;

  if (params->histogram == EMDTRACK_CODEBOOK && p->n)
    return "over a codebook its file must be a picture; histograms are for "
           "histogram=intensity and channels";
  if (p->n && p->n != params->bins)
    return "the histogram of its file has another number of bins";
  if (p->n)
    return NULL;
  frame->image = p->image;
  return emdtrack_frame_size (frame, &width, &height) ||
          (of_channels && frame->layout == EMDTRACK_PLAIN &&
              p->image.format != IMAGE_RGB)
      ? "the picture of its file does not have its channels as the frames do"
      : NULL;
}

/* Copies the pixels to the device. */
static const char *
upload_pattern (GstEmdtrackStudy *s, const GstEmdtrackPattern *p)
{
  TRY (device_alloc (s->device, &s->memory, p->bytes));
  TRY (device_copy (s->device, s->memory, p->pixels, p->bytes));
  s->frame.image.plane[0] = s->memory;
  return device_wait (s->device);
}

const char *
gst_emdtrack_study_open (GstEmdtrack *self, GstEmdtrackPattern *p,
    GstEmdtrackStudy *s, const char **fault)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;

  *s = (GstEmdtrackStudy){.device = &backend->device, .frame = self->frame};
  *fault = check_pattern (self, p, &s->frame);
  if (*fault)
    return NULL;
  if (p->n && self->settled.map.histogram == EMDTRACK_CHANNELS) {
    paint_spectrum (self, p);
    if (s->frame.layout != EMDTRACK_PLAIN)
      s->frame.layout = EMDTRACK_STACKED;
  }
  s->is_open = TRUE;
  s->frame.image = p->image;
  if (!p->pixels)
    return NULL;
  TRY (emdtrack_frame_size (&s->frame, &s->width, &s->height));
  TRY (emdtrack_new (&s->emdtrack, s->device, s->width, s->height));
  return upload_pattern (s, p);
}

void
gst_emdtrack_study_close (GstEmdtrackStudy *s)
{
  emdtrack_free (s->emdtrack);
  device_release (s->device, s->memory);
}

/* The parameters for the picture: without a gain, and with the white of its own
 * format if its grey values do not have the bits of the frames'. */
static EmdtrackParams
params_of_picture (const GstEmdtrack *self, const GstEmdtrackStudy *s,
    const EmdtrackParams *params)
{
  EmdtrackParams p = *params;

  p.gain = 1;
  if ((s->frame.image.format == IMAGE_GRAY16) !=
      (self->frame.image.format == IMAGE_GRAY16))
    p.white = 0;
  return p;
}

/* Counts the histogram of the whole picture. */
static const char *
count_picture (
    GstEmdtrackStudy *s, const EmdtrackParams *p, EmdtrackTarget *target)
{
  EmdtrackRegion all = {{0, 0, s->width, s->height}, 1};
  const uint32_t *counts;

  TRY (emdtrack_index (s->emdtrack, p, &s->frame));
  TRY (emdtrack_count (s->emdtrack, &all, 1, &counts));
  for (gint i = 0; i < p->bins; i++)
    target->weight[i] = counts[i];
  return NULL;
}

const char *
gst_emdtrack_measure_spectrum (const Device *device, const Emdtrack *emdtrack,
    ImageBox box, EmdtrackTarget *target)
{
  int width, height, x0 = MAX (box.x0, 0), y0 = MAX (box.y0, 0);
  guint8 *spectra;
  const char *err;
  gsize w, h, row;

  emdtrack_size (emdtrack, &width, &height);
  w = MIN (box.x1, width) - x0;
  h = MIN (box.y1, height) - y0;
  row = (gsize) width * EMDTRACK_BINS;
  spectra = g_malloc (w * h * EMDTRACK_BINS);
  err = device_copy_rows (device, spectra, w * EMDTRACK_BINS,
      emdtrack_histograms (emdtrack) + y0 * row + (gsize) x0 * EMDTRACK_BINS,
      row, w * EMDTRACK_BINS, h);
  if (!err)
    err = device_wait (device);
  *target = (EmdtrackTarget){{0}};
  for (gsize i = 0; !err && i < w * h * EMDTRACK_BINS; i++)
    target->weight[i % EMDTRACK_BINS] += spectra[i];
  g_free (spectra);
  return err;
}

const char *
gst_emdtrack_study_target (GstEmdtrack *self, GstEmdtrackStudy *s,
    const GstEmdtrackParams *params, const GstEmdtrackPattern *pattern,
    EmdtrackTarget *target, EmdtrackTarget *spectrum)
{
  EmdtrackParams p = params_of_picture (self, s, &params->follow);
  EmdtrackTarget given = {{0}};

  for (gint i = 0; i < pattern->n; i++)
    given.weight[i] = pattern->weight[i];
  *target = *spectrum = given;
  if (!s->emdtrack)
    return NULL;
  if (!pattern->n && params->map.histogram == EMDTRACK_CHANNELS) {
    TRY (emdtrack_queue_histograms (s->emdtrack, &params->map, &s->frame));
    TRY (gst_emdtrack_measure_spectrum (s->device, s->emdtrack,
        (ImageBox){0, 0, s->width, s->height}, spectrum));
  }
  *target = (EmdtrackTarget){{0}};
  return count_picture (s, &p, target);
}
