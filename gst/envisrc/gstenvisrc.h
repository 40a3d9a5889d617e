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

/* The bands of the properties; last_band may be -1, channels and full_scale 0.
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
  GstEnviBands asked; /* the property bands at the start */
  gchar *path;        /* the property location at the start */
  guint64 first;      /* the number of the first file */
  guint channels;     /* of the first cube and of the caps */
  GstEnviCube cube;
  guint64 opened; /* the frame of the open cube */
  GstEnviChoice choice;
  GstVideoInfo info;
  guint64 number; /* of the next frame */

  /* Cubes of a sequence that are left out. */
  GstVisionWarning warnings[GST_VISION_WARNINGS]; /* about these cubes */
  guint n_untold;                                 /* since the newest warning */
  gchar *left_out; /* fault of the newest such cube; NULL: n_untold is 0 */
};

G_END_DECLS
