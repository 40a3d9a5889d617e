/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `gpuccl`, in three parts: gstgpuccl.c (properties and frames),
 * gstgpucclinput.c (what of a buffer is looked at) and gstgpucclresults.c
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

/* An object that was announced upstream. */
typedef struct {
  guint64 id;
  gint frames; /* in which it was accepted since then */
} GstGpucclNews;

struct _GstGpuccl {
  GstVisionFilter parent;

  /* Under the object lock; a frame works on a copy. */
  GpucclParams params; /* without camera and pose */
  GstVisionIntrinsics intrinsics;
  bool label_map;

  /* Of the streaming thread. */
  Gpuccl *gpuccl;
  gint width, height;
  GstVisionMapInput classes, depth;
  GstVisionPixels labels, mask;
  guint16 *regions; /* of each label, while a frame's are written; else 0 */
  GstGpucclNews announced[GPUCCL_CANDIDATES];
  guint n_announced;
  guint64 first_id; /* added to the ids of self->gpuccl, which counts from 1 */
  guint64 last_id;  /* the greatest that was given since the start */
};

/* gstgpucclinput.c: what is to be looked at, and how; returns what is wrong
 * with the buffer.  end () in any case, when the device is done. */
const char *gst_gpuccl_begin (GstGpuccl *self, const Image *image,
    GstBuffer *buffer, GpucclParams *params, GpucclFrame *frame);
void gst_gpuccl_end (GstGpuccl *self);
/* What is wrong with the properties for frames of @info, whatever comes. */
const char *gst_gpuccl_check (GstGpuccl *self, const GstVideoInfo *info);

/* gstgpucclresults.c */
const char *gst_gpuccl_attach (GstGpuccl *self, const GpucclParams *params,
    const GpucclResults *results, GstBuffer *buffer);


G_END_DECLS
