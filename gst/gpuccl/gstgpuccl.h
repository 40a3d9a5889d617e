/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `gpuccl`, in three parts: gstgpuccl.c (properties and frames),
 * gstgpucclinput.c (the input from a buffer) and gstgpucclresults.c
 * (components to metas, messages and events). */
#pragma once

#include "base/gstvisionfilter.h"
#include "base/gstvisionintrinsics.h"
#include "base/gstvisionmapinput.h"
#include "base/gstvisionpixels.h"
#include "gpuccl/gpuccl.h"
#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

#define GST_TYPE_GPUCCL (gst_gpuccl_get_type ())
G_DECLARE_FINAL_TYPE (GstGpuccl, gst_gpuccl, GST, GPUCCL, GstVisionFilter)

typedef enum {
  GST_GPUCCL_MASK_FROM_LUMA,
  GST_GPUCCL_MASK_FROM_ALPHA
} GstGpucclMaskFrom;

/* An object that was announced upstream. */
typedef struct {
  guint64 id;
  gint frames; /* with the object accepted, since its newest event */
} GstGpucclNews;

struct _GstGpuccl {
  GstVisionFilter parent;

  /* Under the object lock; a frame works on a copy. */
  GpucclParams params; /* without camera and pose */
  GstVisionIntrinsics intrinsics;
  bool label_map;
  GstGpucclMaskFrom mask_from;

  /* Of the streaming thread. */
  Gpuccl *gpuccl;
  gint width, height;
  gboolean warned_of_greys, warned_of_left_out;
  gdouble n_left_out; /* components beyond max-components since the start */
  GstVisionMapInput classes, depth;
  GstVisionPixels labels, mask;
  guint16 *regions; /* of each label, while segments are written; else 0 */
  GstGpucclNews announced[GPUCCL_CANDIDATES];
  guint n_announced;
  guint64 first_id; /* added to the ids of self->gpuccl, which counts from 1 */
  guint64 last_id;  /* the greatest id of an object since the start */
};

/* gstgpucclinput.c: reads the input and its parameters from @buffer; returns a
 * fault of the buffer, or NULL.  gst_gpuccl_end () releases the maps once the
 * device is done, also after a fault. */
const char *gst_gpuccl_begin (GstGpuccl *self, const Image *image,
    GstBuffer *buffer, GpucclParams *params, GpucclFrame *frame);
void gst_gpuccl_end (GstGpuccl *self);
/* Returns why the properties do not fit any frame of @info, or NULL. */
const char *gst_gpuccl_check (GstGpuccl *self, const GstVideoInfo *info);

/* gstgpucclresults.c */
const char *gst_gpuccl_attach (GstGpuccl *self, const GpucclParams *params,
    const GpucclResults *results, GstBuffer *buffer);

G_END_DECLS
