/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionpinned.h"

#include <string.h>

#include "base/gstvisioncuda.h"

GST_DEBUG_CATEGORY_STATIC (vision_pinned_debug);
#define GST_CAT_DEFAULT vision_pinned_debug

typedef struct {
  GstAllocator parent;
  GstObject *context;
  gint is_refused; /* atomic: memory could not be page-locked */
} GstVisionPinned;

typedef GstAllocatorClass GstVisionPinnedClass;

G_DEFINE_TYPE_WITH_CODE (GstVisionPinned, gst_vision_pinned, GST_TYPE_ALLOCATOR,
    GST_DEBUG_CATEGORY_INIT (vision_pinned_debug, "visionpinned", 0,
        "page-locked memory of the host"))

#define PINNED(o) ((GstVisionPinned *) (o))

/* A piece of page-locked memory. */
typedef struct {
  GstObject *context;
  gpointer data;
} Piece;

static void
free_piece (gpointer data)
{
  Piece *piece = data;

  gst_vision_cuda_free_pinned (piece->context, piece->data);
  gst_object_unref (piece->context);
  g_free (piece);
}

static GstMemory *
allocate_pinned (
    GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstObject *context = PINNED (allocator)->context;
  gsize all = params->prefix + size + params->padding;
  gpointer data = NULL;
  Piece *piece;

  if (!g_atomic_int_get (&PINNED (allocator)->is_refused))
    data = gst_vision_cuda_alloc_pinned (context, all);
  if (!data) {
    if (g_atomic_int_compare_and_exchange (
            &PINNED (allocator)->is_refused, FALSE, TRUE))
      GST_DEBUG_OBJECT (allocator,
          "%" G_GSIZE_FORMAT " bytes cannot be page-locked: all further memory "
          "is the system's",
          all);
    return gst_allocator_alloc (NULL, size, params);
  }
  if (params->flags & GST_MEMORY_FLAG_ZERO_PREFIXED)
    memset (data, 0, params->prefix);
  if (params->flags & GST_MEMORY_FLAG_ZERO_PADDED)
    memset ((guint8 *) data + params->prefix + size, 0, params->padding);
  piece = g_new (Piece, 1);
  *piece = (Piece){gst_object_ref (context), data};
  return gst_memory_new_wrapped (
      params->flags, data, all, params->prefix, size, piece, free_piece);
}

static void
gst_vision_pinned_finalize (GObject *object)
{
  gst_object_unref (PINNED (object)->context);
  G_OBJECT_CLASS (gst_vision_pinned_parent_class)->finalize (object);
}

static void
gst_vision_pinned_class_init (GstVisionPinnedClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = gst_vision_pinned_finalize;
  klass->alloc = allocate_pinned; /* its memory is freed as the system's */
}

static void
gst_vision_pinned_init (GstVisionPinned *self)
{
  (void) self;
}

GstAllocator *
gst_vision_pinned_allocator_new (GstObject *context)
{
  GstAllocator *allocator = g_object_new (gst_vision_pinned_get_type (), NULL);

  PINNED (allocator)->context = gst_object_ref (context);
  return gst_object_ref_sink (allocator);
}
