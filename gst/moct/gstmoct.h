/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `moct`, in five parts: gstmoct.c (frames), gstmoctinstall.c and
 * gstmoctproperties.c, gstmoctcolours.c (which colours, learning them) and
 * gstmoctresults.c (objects to metas and messages). */
#pragma once

#include "base/gstvisionfilter.h"
#include "base/gstvisionpixels.h"
#include "meta/gstvisionmeta.h"
#include "moct/moct.h"

G_BEGIN_DECLS

#define GST_TYPE_MOCT (gst_moct_get_type ())
G_DECLARE_FINAL_TYPE (GstMoct, gst_moct, GST, MOCT, GstVisionFilter)

typedef enum {
  GST_MOCT_TRAJECTORY_NONE,
  GST_MOCT_TRAJECTORY_LAST,
  GST_MOCT_TRAJECTORY_FULL,
} GstMoctTrajectory;

/* Colours that were set and not yet taken by the streaming thread. */
typedef struct {
  MoctColour colours[MOCT_MAX_COLOURS];
  int n;
} GstMoctColours;

struct _GstMoct {
  GstVisionFilter parent;

  /* Under the object lock; a frame works on a copy. */
  MoctParams params; /* without the colours */
  gint history_length;
  GstMoctTrajectory trajectory;
  gboolean label_map;
  gchar *objects, *objects_file;   /* as they were set */
  gchar *problem, *region_problem; /* of the newest value that was refused */
  GstMoctColours *pending;

  /* Of the streaming thread. */
  GstMoctColours *colours;
  gboolean warned; /* that there are no colours */
  Moct *moct;
  gint width, height;
  gint history; /* history-length when the caps came */
  GstClockTime last_time;
  GstVisionPixels pixels; /* of the label map */
  MoctPoint *points;      /* room for the trajectories of a frame */
  gint max_points;
};

/* gstmoctinstall.c */
void gst_moct_install_properties (GObjectClass *klass);

/* gstmoctcolours.c */
void gst_moct_set_objects (GstMoct *self, const gchar *text);
void gst_moct_set_objects_file (GstMoct *self, const gchar *path);
/* Takes @problem, a whole sentence, into @slot: it is posted as a warning. */
void gst_moct_refuse (GstMoct *self, gchar **slot, gchar *problem);
gboolean gst_moct_learn (
    GstMoct *self, const gchar *name, gint x, gint y, gint width, gint height);
const char *gst_moct_update_colours (
    GstMoct *self, const Image *frame, GstBuffer *buffer);

/* gstmoctresults.c */
const char *gst_moct_attach_results (GstMoct *self, const MoctObject *objects,
    int n, GstMoctTrajectory trajectory, GstBuffer *buffer);
/* moct_run (), and attaches the label map to @buffer where that is wanted. */
const char *gst_moct_run (GstMoct *self, const MoctParams *params,
    const Image *frame, double dt, GstBuffer *buffer,
    const MoctObject **objects, int *n);

G_END_DECLS
