/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `envisrc`. */
#pragma once

#include <gst/base/gstpushsrc.h>
#include <gst/video/video.h>

#include "base/gstvisioncommon.h"
#include "base/gstvisionwork.h"
#include "envisrc/gstenvicube.h"

G_BEGIN_DECLS

#define GST_TYPE_ENVI_SRC (gst_envi_src_get_type ())
G_DECLARE_FINAL_TYPE (GstEnviSrc, gst_envi_src, GST, ENVI_SRC, GstPushSrc)

/* Which bands are wanted; last_band may be -1, and channels and full_scale 0.
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
  GstEnviBands asked; /* as the properties were */
  gchar *path;        /* the location, and the number of its first file */
  guint64 first;
  guint channels; /* of the first cube, and so of the caps */
  GstEnviCube cube;
  guint64 opened; /* the frame of the open cube */
  GstEnviChoice choice;
  GstVideoInfo info;
  guint64 number; /* of the next frame */

  /* Cubes of a sequence that are left out. */
  GstVisionWarning warnings[GST_VISION_WARNINGS]; /* that name them */
  guint n_untold;                                 /* since the newest warning */
  gchar *left_out; /* what is wrong with the newest; NULL: all are told */
};

G_END_DECLS
