/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames that are not what their caps say, each in another way. */
#pragma once

#include <gst/check/gstcheck.h>
#include <gst/video/video.h>

#include <string.h>

typedef enum {
  BAD_SHORT,  /* one byte is missing */
  BAD_EMPTY,  /* all are */
  BAD_FORMAT, /* of the GstVideoMeta, as what follows */
  BAD_UNKNOWN_FORMAT,
  BAD_WIDTH,
  BAD_HEIGHT,
  BAD_TOO_MANY_PLANES,
  BAD_NO_PLANES,
  BAD_OVERLAP,      /* rows */
  BAD_UPWARDS,      /* a stride below 0 */
  BAD_STRIDE,       /* as great as it can be */
  BAD_REACH,        /* the last row ends behind the memory */
  BAD_OFFSET,       /* the last plane begins behind the memory */
  BAD_GREAT_OFFSET, /* so far behind that a sum would overflow */
  BAD_SPLIT,        /* the rows of a plane lie in two memories */
  BAD_UNMAPPABLE,   /* memory that nobody can map */
  N_BAD,
} Bad;

/* What is said of each. */
static const gchar *const bad_says[N_BAD] = {
    [BAD_SHORT] = "its buffer holds",
    [BAD_EMPTY] = "its buffer holds 0 bytes",
    [BAD_FORMAT] = "its GstVideoMeta says",
    [BAD_UNKNOWN_FORMAT] = "its GstVideoMeta says no raw video",
    [BAD_WIDTH] = "its GstVideoMeta says",
    [BAD_HEIGHT] = "its GstVideoMeta says",
    [BAD_TOO_MANY_PLANES] = "its GstVideoMeta has 4 planes",
    [BAD_NO_PLANES] = "its GstVideoMeta has 0 planes",
    [BAD_OVERLAP] = "the next one begins",
    [BAD_UPWARDS] = "the next one begins -",
    [BAD_STRIDE] = "of its memory on, which has",
    [BAD_REACH] = "of its memory on, which has",
    [BAD_OFFSET] = "its GstVideoMeta has plane",
    [BAD_GREAT_OFFSET] = "its GstVideoMeta has plane",
    [BAD_SPLIT] = "of its memory on, which has",
    [BAD_UNMAPPABLE] = "its memory cannot be mapped for",
};

typedef GstAllocator BadAllocator;
typedef GstAllocatorClass BadAllocatorClass;

G_DEFINE_TYPE (BadAllocator, bad_allocator, GST_TYPE_ALLOCATOR)

static gpointer
bad_map (GstMemory *memory, gsize size, GstMapFlags flags)
{
  (void) memory;
  (void) size;
  (void) flags;
  return NULL;
}

static void
bad_free (GstAllocator *allocator, GstMemory *memory)
{
  (void) allocator;
  g_free (memory);
}

static void
bad_allocator_class_init (BadAllocatorClass *klass)
{
  klass->free = bad_free;
}

static void
bad_allocator_init (BadAllocator *self)
{
  self->mem_type = "unmappable";
  self->mem_map = (GstMemoryMapFunction) bad_map;
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static inline GstBuffer *
bad_unmappable (gsize size)
{
  GstAllocator *allocator = g_object_new (bad_allocator_get_type (), NULL);
  GstMemory *memory = g_new0 (GstMemory, 1);
  GstBuffer *buffer = gst_buffer_new ();

  gst_object_ref_sink (allocator);
  gst_memory_init (memory, 0, allocator, NULL, size, 0, 0, size);
  gst_object_unref (allocator); /* the memory has one */
  gst_buffer_append_memory (buffer, memory);
  return buffer;
}

/* @size bytes of @value. */
static inline GstBuffer *
bad_bytes (gsize size, guint8 value)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, value, size);
  return buffer;
}

/* Spoils the GstVideoMeta of @buffer, a frame of @info. */
static inline void
bad_meta (GstBuffer *buffer, const GstVideoInfo *info, Bad bad)
{
  GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  guint last = meta->n_planes - 1;

  if (bad == BAD_FORMAT)
    meta->format = meta->format == GST_VIDEO_FORMAT_RGB ? GST_VIDEO_FORMAT_BGR
                                                        : GST_VIDEO_FORMAT_RGB;
  else if (bad == BAD_UNKNOWN_FORMAT)
    meta->format = (GstVideoFormat) 9999;
  else if (bad == BAD_WIDTH)
    meta->width--;
  else if (bad == BAD_HEIGHT)
    meta->height--;
  else if (bad == BAD_TOO_MANY_PLANES)
    meta->n_planes = 4;
  else if (bad == BAD_NO_PLANES)
    meta->n_planes = 0;
  else if (bad == BAD_OVERLAP)
    meta->stride[last] = GST_VIDEO_INFO_COMP_WIDTH (info, last) - 1;
  else if (bad == BAD_UPWARDS)
    meta->stride[0] = -meta->stride[0];
  else if (bad == BAD_STRIDE)
    meta->stride[last] = G_MAXINT;
  else if (bad == BAD_REACH)
    meta->offset[last] += 4;
  else if (bad == BAD_OFFSET)
    meta->offset[last] = gst_buffer_get_size (buffer);
  else if (bad == BAD_GREAT_OFFSET)
    meta->offset[last] = G_MAXSIZE - 7;
}

/* A frame of @info, all of whose bytes are @value but for BAD_UNMAPPABLE. */
static inline GstBuffer *
bad_frame (const GstVideoInfo *info, Bad bad, guint8 value)
{
  gsize size = GST_VIDEO_INFO_SIZE (info);
  GstBuffer *buffer;

  if (bad == BAD_SHORT || bad == BAD_EMPTY)
    return bad_bytes (bad == BAD_SHORT ? size - 1 : 0, value);
  if (bad == BAD_UNMAPPABLE)
    return bad_unmappable (size);
  if (bad == BAD_SPLIT)
    buffer =
        gst_buffer_append (bad_bytes (7, value), bad_bytes (size - 7, value));
  else
    buffer = bad_bytes (size, value);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), (guint) GST_VIDEO_INFO_WIDTH (info),
      (guint) GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_N_PLANES (info),
      (gsize *) info->offset, (gint *) info->stride);
  bad_meta (buffer, info, bad);
  return buffer;
}
