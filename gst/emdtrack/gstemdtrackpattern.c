/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a target looks like, read from a file: a PNG picture, which GStreamer
 * decodes, or a text with the numbers of a histogram. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "emdtrack/gstemdtrack.h"

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
decode (const gchar *path, const gchar *caps)
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

/* Rows without gaps. */
static void
copy_pixels (GstEmdtrackPattern *p, const GstVideoFrame *frame)
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
read_picture (const gchar *path, const gchar *header, GstEmdtrackPattern *p)
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
  sample = decode (path, colours ? COLOURS : GREY);
  good = sample && gst_sample_get_buffer (sample) &&
      gst_video_info_from_caps (&info, gst_sample_get_caps (sample)) &&
      gst_video_frame_map (
          &frame, &info, gst_sample_get_buffer (sample), GST_MAP_READ);
  if (good) {
    copy_pixels (p, &frame);
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
    err = read_picture (path, text, *pattern);
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
