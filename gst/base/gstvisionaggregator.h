/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parent of every element with two inputs: left and right, colour and
 * depth.  It pairs their frames by running time, puts both where the algorithm
 * can reach them, and is otherwise to its child what GstVisionFilter is to
 * those with one input.
 *
 * The output is the first input's frame with what the child adds to it, or a
 * picture that the child makes, as large as a view.  Where
 * only the first pad is requested, a frame holds both views beside or above
 * each other; the child then sees two views into it, whose rows start wherever
 * the views do, and the output is a copy of the first view, because a buffer
 * cannot say that it is a part of another in CUDA memory. */
#pragma once

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>

#include "base/gstvisioncommon.h"
#include "common/image.h"

G_BEGIN_DECLS

/* How one frame holds both views. */
typedef enum {
  GST_VISION_PACKING_AUTO, /* as the caps say: multiview-mode */
  GST_VISION_PACKING_SIDE_BY_SIDE,
  GST_VISION_PACKING_TOP_BOTTOM,
} GstVisionPacking;

#define GST_TYPE_VISION_AGGREGATOR (gst_vision_aggregator_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstVisionAggregator, gst_vision_aggregator, GST,
    VISION_AGGREGATOR, GstAggregator)

struct _GstVisionAggregatorClass {
  GstAggregatorClass parent_class;

  /* Of the backend: what process () does to the first frame; the second is
   * only read. */
  GstVisionFrameUse use;
  /* Set by add_pads (). */
  const gchar *first_pad, *second_pad;
  gboolean alike; /* both frames have one format */
  /* Microseconds that a frame waits, after the end, for the other input to
   * begin anew. */
  gint64 patience;

  /* As in GstVisionFilterClass. */
  const char *(*open_device) (Device *device, DeviceKind kind, void *stream);
  /* @first and @second: of a view where one frame holds both. */
  const char *(*open) (GstVisionAggregator *self, const Device *device,
      const GstVideoInfo *first, const GstVideoInfo *second);
  const char *(*process) (GstVisionAggregator *self, const Image *first,
      const Image *second, GstBuffer *buffer);
  /* Frames that cannot be read pass without process (); may be NULL. */
  void (*skip) (GstVisionAggregator *self);
  void (*close) (GstVisionAggregator *self);
  void (*reset) (GstVisionAggregator *self);

  /* Set before add_pads (), and written as there: formats of the picture that
   * the output may be; NULL: the output is always the first frame or view. */
  const gchar *output_formats;
  /* Then: the format of the picture that is the output, or UNKNOWN if the
   * output is the first frame or view.  @fields takes further fields of the
   * caps; NULL: no caps are made.  Caps are made in the streaming thread, and
   * the answer holds until the next ones: so process () works on a copy of the
   * properties that decide it, and renew () is to be called if open () needs
   * them.  When the answer changes, mark the source pad for reconfiguration. */
  GstVideoFormat (*output) (GstVisionAggregator *self, GstStructure *fields);
};

/* Adds the pad templates `src` and, on request, the two of these names, which
 * must be static.  Formats are written as in gst_vision_caps (); where both are
 * the same text both frames must have one format, and one may hold both. */
void gst_vision_aggregator_class_add_pads (GstVisionAggregatorClass *klass,
    const gchar *first, const gchar *first_formats, const gchar *second,
    const gchar *second_formats);

/* In process (): the picture to fill, and the buffer given there is its; NULL
 * where the output is the first frame or view. */
const Image *gst_vision_aggregator_get_output (GstVisionAggregator *self);

/* In process (): the second frame; NULL where one frame holds both views. */
GstBuffer *gst_vision_aggregator_get_second (GstVisionAggregator *self);

/* In output (), if there are @fields: open () is called again before the next
 * frame. */
void gst_vision_aggregator_renew (GstVisionAggregator *self);

G_END_DECLS
