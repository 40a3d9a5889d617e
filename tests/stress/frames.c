/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames: whole, padded, split, too short, with a GstVideoMeta that is true or
 * not, and with times that are regular, missing, repeated or going back. */
#include "stress.h"

#include <string.h>

enum {
  PLAIN,
  PADDED,
  OFFSET,
  SPLIT,
  LARGER,
  SHORT,
  EMPTY,
  BEYOND,
  OTHER_META,
  N_LAYOUTS
};

enum { REGULAR, NONE, SAME, BACK, JITTER, FAR, N_TIMES };

static void
fill (Dice *dice, const Stream *stream, guint8 *data, gsize size)
{
  guint8 value = (guint8) roll (dice);

  memset (data, value, size);
  switch (below (dice, 4)) {
    case 0: /* noise */
      for (gsize i = 0; i + 8 <= size; i += 8) {
        guint64 random = roll (dice);

        memcpy (data + i, &random, 8);
      }
      break;
    case 1: /* ramps */
      for (gsize i = 0; i < size; i++)
        data[i] = (guint8) (i * 3 + value);
      break;
    case 2: /* patches */
      for (gsize i = 0; i < size; i++)
        data[i] = i / 24 % 3 ? value : (guint8) ~value;
      break;
  }
  if (stream->is_video &&
      GST_VIDEO_INFO_FORMAT (&stream->info) == GST_VIDEO_FORMAT_GRAY16_LE &&
      size >= GST_VIDEO_INFO_SIZE (&stream->info) && !one_in (dice, 4))
    files_depth (data, (gsize) GST_VIDEO_INFO_PLANE_STRIDE (&stream->info, 0),
        GST_VIDEO_INFO_WIDTH (&stream->info),
        GST_VIDEO_INFO_HEIGHT (&stream->info));
}

static GstMemory *
memory (Dice *dice, const Stream *stream, gsize size, gsize before)
{
  guint8 *data = g_malloc (before + size + 1);

  fill (dice, stream, data + before, size);
  return gst_memory_new_wrapped (
      one_in (dice, 10) ? GST_MEMORY_FLAG_READONLY : 0, data, before + size,
      before, size, data, g_free);
}

/* Rows with room beside them, as the meta says. */
static GstBuffer *
padded (Dice *dice, const Stream *stream)
{
  GstVideoInfo info = stream->info;
  GstVideoAlignment align;
  GstBuffer *buffer = gst_buffer_new ();

  gst_video_alignment_reset (&align);
  align.padding_left = below (dice, 20);
  align.padding_right = below (dice, 20);
  align.padding_top = below (dice, 5);
  align.padding_bottom = below (dice, 5);
  if (one_in (dice, 2))
    for (guint i = 0; i < GST_VIDEO_MAX_PLANES; i++)
      align.stride_align[i] = 63;
  if (!gst_video_info_align (&info, &align))
    info = stream->info;
  gst_buffer_append_memory (
      buffer, memory (dice, stream, GST_VIDEO_INFO_SIZE (&info), 0));
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (&info), (guint) GST_VIDEO_INFO_WIDTH (&info),
      (guint) GST_VIDEO_INFO_HEIGHT (&info), GST_VIDEO_INFO_N_PLANES (&info),
      info.offset, info.stride);
  return buffer;
}

/* Whose rows lie beyond the memory, or before it. */
static GstBuffer *
beyond (Dice *dice, const Stream *stream)
{
  const GstVideoInfo *info = &stream->info;
  GstBuffer *buffer = gst_buffer_new ();
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  guint plane = below (dice, MAX (GST_VIDEO_INFO_N_PLANES (info), 1));

  memcpy (offset, info->offset, sizeof offset);
  memcpy (stride, info->stride, sizeof stride);
  switch (below (dice, 5)) {
    case 0:
      offset[plane] += GST_VIDEO_INFO_SIZE (info);
      break;
    case 1:
      offset[plane] += 1 + below (dice, 9);
      break;
    case 2:
      stride[plane] = stride[plane] * 2 + 1;
      break;
    case 3:
      stride[plane] = -stride[plane];
      break;
    default:
      stride[plane] = (gint) below (dice, 4);
  }
  gst_buffer_append_memory (
      buffer, memory (dice, stream, GST_VIDEO_INFO_SIZE (info), 0));
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), (guint) GST_VIDEO_INFO_WIDTH (info),
      (guint) GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info),
      offset, stride);
  return buffer;
}

/* A meta of another size or format than the caps'. */
static GstBuffer *
other_meta (Dice *dice, const Stream *stream)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_RGBA,
      GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12};
  GstBuffer *buffer = gst_buffer_new ();
  gboolean size = one_in (dice, 2);

  gst_buffer_append_memory (
      buffer, memory (dice, stream, GST_VIDEO_INFO_SIZE (&stream->info), 0));
  gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      size ? GST_VIDEO_INFO_FORMAT (&stream->info) : PICK (dice, formats),
      size ? 1 + below (dice, 99)
           : (guint) GST_VIDEO_INFO_WIDTH (&stream->info),
      size ? 1 + below (dice, 99)
           : (guint) GST_VIDEO_INFO_HEIGHT (&stream->info));
  return buffer;
}

static GstBuffer *
split (Dice *dice, const Stream *stream, gsize size)
{
  GstBuffer *buffer = gst_buffer_new ();

  for (guint part = 0; size > 0; part++) {
    gsize n = part < 2 ? below (dice, (guint) size) + 1 : size;

    gst_buffer_append_memory (buffer, memory (dice, stream, n, 0));
    size -= n;
  }
  return buffer;
}

static GstBuffer *
pixels (Dice *dice, const Stream *stream, guint layout)
{
  gsize size = stream->is_video ? GST_VIDEO_INFO_SIZE (&stream->info)
                                : below (dice, 200);
  GstBuffer *buffer;

  if (layout == PADDED && stream->is_video)
    return padded (dice, stream);
  if (layout == BEYOND && stream->is_video)
    return beyond (dice, stream);
  if (layout == OTHER_META && stream->is_video)
    return other_meta (dice, stream);
  if (layout == SPLIT)
    return split (dice, stream, size);
  buffer = gst_buffer_new ();
  if (layout == EMPTY)
    return buffer;
  if (layout == SHORT)
    size = below (dice, (guint) size + 1);
  if (layout == LARGER)
    size += below (dice, 5000);
  gst_buffer_append_memory (buffer,
      memory (dice, stream, size, layout == OFFSET ? 1 + below (dice, 30) : 0));
  return buffer;
}

static void
set_times (Dice *dice, Stream *stream, GstBuffer *buffer)
{
  GstClockTime frame = 40 * GST_MSECOND, time = stream->n * frame;

  GST_BUFFER_DURATION (buffer) = frame;
  switch (one_in (dice, 12) ? below (dice, N_TIMES) : stream->times) {
    case NONE:
      time = GST_CLOCK_TIME_NONE;
      GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
      break;
    case SAME:
      time = 0;
      break;
    case BACK:
      time -= MIN (time, below (dice, 5) * frame);
      break;
    case JITTER:
      time += below (dice, 20) * GST_MSECOND;
      break;
    case FAR:
      time = one_in (dice, 2) ? G_MAXINT64 - 5 : G_MAXUINT64 - 3;
      GST_BUFFER_DURATION (buffer) = roll (dice);
      break;
  }
  GST_BUFFER_PTS (buffer) = time;
  if (one_in (dice, 4))
    GST_BUFFER_DTS (buffer) = time;
  GST_BUFFER_OFFSET (buffer) = stream->n;
}

GstBuffer *
frames_make (Dice *dice, Stream *stream)
{
  static const GstBufferFlags flags[] = {GST_BUFFER_FLAG_DISCONT,
      GST_BUFFER_FLAG_GAP, GST_BUFFER_FLAG_CORRUPTED,
      GST_BUFFER_FLAG_DECODE_ONLY, GST_BUFFER_FLAG_DROPPABLE,
      GST_BUFFER_FLAG_DELTA_UNIT,
      (GstBufferFlags) GST_VIDEO_BUFFER_FLAG_INTERLACED,
      (GstBufferFlags) GST_VIDEO_BUFFER_FLAG_ONEFIELD};
  GstBuffer *buffer = pixels (dice, stream,
      one_in (dice, 10) ? below (dice, N_LAYOUTS)
                        : stream->layouts % (LARGER + 1));

  set_times (dice, stream, buffer);
  stream->n++;
  if (one_in (dice, 8))
    GST_BUFFER_FLAG_SET (buffer, PICK (dice, flags));
  return buffer;
}

gboolean
frames_is_nothing (const Stream *stream, GstBuffer *buffer)
{
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) &&
      gst_buffer_get_size (buffer) == 0)
    return TRUE;
  return stream->segment.format == GST_FORMAT_TIME &&
      GST_BUFFER_PTS_IS_VALID (buffer) &&
      !GST_CLOCK_TIME_IS_VALID (gst_segment_to_running_time (
          &stream->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer)));
}
