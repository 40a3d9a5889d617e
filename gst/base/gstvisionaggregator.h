/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parent of every element with two inputs: left and right, colour and
 * depth.  It pairs their frames by running time and puts both where the
 * algorithm can reach them.  For the rest it does what GstVisionFilter does
 * for elements with one input.
 *
 * The output is the first input's frame with what the child adds to it, or a
 * picture that the child makes, as large as a view.  If only the first pad is
 * requested, each of its frames holds both views, beside or above each other.
 * The child then gets two views of one frame, and the output is a copy of the
 * first view, because a buffer in CUDA memory cannot be a part of another
 * buffer. */
#pragma once

#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>

#include "base/gstvisioncommon.h"
#include "common/image.h"

G_BEGIN_DECLS

/* How one frame holds both views. */
typedef enum {
  GST_VISION_PACKING_AUTO, /* by multiview-mode in the caps */
  GST_VISION_PACKING_SIDE_BY_SIDE,
  GST_VISION_PACKING_TOP_BOTTOM,
} GstVisionPacking;

#define GST_TYPE_VISION_AGGREGATOR (gst_vision_aggregator_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstVisionAggregator, gst_vision_aggregator, GST,
    VISION_AGGREGATOR, GstAggregator)

struct _GstVisionAggregatorClass {
  GstAggregatorClass parent_class;

  /* For the backend: what process () does to the first frame; the second frame
   * is only read. */
  GstVisionFrameUse use;
  /* Set by add_pads (). */
  const gchar *first_pad, *second_pad;
  gboolean alike; /* both frames have one format */
  /* Microseconds that a frame waits, after the end, for the other input to
   * begin anew. */
  gint64 patience;

  /* Functions as in GstVisionFilterClass, for two frames. */
  const char *(*open_device) (Device *device, DeviceKind kind, void *stream);
  /* @first and @second describe views if one frame holds both. */
  const char *(*open) (GstVisionAggregator *self, const Device *device,
      const GstVideoInfo *first, const GstVideoInfo *second);
  const char *(*process) (GstVisionAggregator *self, const Image *first,
      const Image *second, GstBuffer *buffer);
  /* Called in place of process () for frames that cannot be read; may be NULL.
   */
  void (*skip) (GstVisionAggregator *self);
  void (*close) (GstVisionAggregator *self);
  void (*reset) (GstVisionAggregator *self);

  /* Formats of the output if it is a picture, written as the formats of
   * add_pads () and set before it.  NULL: the output is always the first frame
   * or view. */
  const gchar *output_formats;
  /* Returns the format of the output, or UNKNOWN if the output is the first
   * frame or view; needed if output_formats is set.  Adds further fields of the
   * output's caps to @fields, if this is not NULL.  It is called whenever caps
   * of the output are made, in the streaming thread.  What it returned stays
   * valid until the next caps: so process () works on a copy of the properties
   * that decide it, and the child calls renew () if open () needs them.  When
   * the format would change, the child marks the source pad for
   * reconfiguration. */
  GstVideoFormat (*output) (GstVisionAggregator *self, GstStructure *fields);
};

/* Adds the template of the pad `src`, and those of the pads @first and @second,
 * which are made on request.  The names must be static texts.  Formats are
 * written as in gst_vision_caps ().  If both formats are the same text, both
 * frames must have one format, and one frame may hold both views. */
void gst_vision_aggregator_class_add_pads (GstVisionAggregatorClass *klass,
    const gchar *first, const gchar *first_formats, const gchar *second,
    const gchar *second_formats);

/* For process (): the picture to fill, whose buffer is process ()'s @buffer.
 * NULL: the output is the first frame or view. */
const Image *gst_vision_aggregator_get_output (GstVisionAggregator *self);

/* For process (): the buffer of the second frame.  NULL: one frame holds both
 * views. */
GstBuffer *gst_vision_aggregator_get_second (GstVisionAggregator *self);

/* For output () with @fields: asks for a call of open () before the next frame.
 */
void gst_vision_aggregator_renew (GstVisionAggregator *self);

G_END_DECLS
