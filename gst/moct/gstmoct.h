/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `moct`, in three parts: gstmoct.c (properties and frames),
 * gstmoctcolours.c (reads and learns the colours) and gstmoctresults.c (objects
 * to metas and messages). */
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

/* The colours to look for. */
typedef struct {
  MoctColour colours[MOCT_MAX_COLOURS];
  MoctLesson *lessons[MOCT_MAX_COLOURS]; /* of a colour that will be learned
                                            from further regions, and of the
                                            newest click's */
  int n;
} GstMoctColours;

struct _GstMoct {
  GstVisionFilter parent;

  /* Under the object lock; a frame works on a copy. */
  MoctParams params; /* without the colours */
  gint history_length;
  GstMoctTrajectory trajectory;
  bool label_map, history_map, mouse;
  guint n_clicks;            /* colours that the mouse named */
  MoctDrag more[MOCT_DRAGS]; /* for the newest of these, in the next frame */
  guint n_more;
  gchar *objects, *objects_file, *region; /* as they were set */
  GstMoctColours *pending; /* for the next frame; NULL: none were set */

  /* Of the streaming thread. */
  GstMoctColours *colours;
  gchar *names;    /* of colours, for the label map; NULL: no colours */
  gboolean warned; /* of a missing colour */
  Moct *moct;
  guint64 first_id; /* added to the ids of self->moct */
  guint64 last_id;  /* the greatest id of an object so far */
  gint width, height;
  gint history; /* history-length when the caps came */
  GstClockTime last_time;
  GstVisionPixels pixels; /* of the label map */
  GstVisionPixels past;   /* of the history map */
  MoctPoint *points;      /* room for the trajectories of a frame */
  gint max_points;
};

/* gstmoctcolours.c */
gboolean gst_moct_read_objects (
    GstElement *element, gpointer self, const gchar *text, GError **error);
gboolean gst_moct_read_objects_file (
    GstElement *element, gpointer self, const gchar *path, GError **error);
gboolean gst_moct_learn (
    GstMoct *self, const gchar *name, gint x, gint y, gint width, gint height);
/* Learns the colour of a click in @box. */
void gst_moct_learn_click (GstMoct *self, const GstVideoRectangle *box);
/* Adds what is in @box to the colour of the newest click, or takes it away. */
void gst_moct_learn_more (
    GstMoct *self, const GstVideoRectangle *box, gboolean takes_away);
const char *gst_moct_update_colours (
    GstMoct *self, const Image *frame, GstBuffer *buffer);
void gst_moct_end (GstVisionFilter *filter);
void gst_moct_free_colours (GstMoctColours *list);

/* gstmoctresults.c */
const char *gst_moct_open_history (GstMoct *self);
/* Attaches the history map where the property asks for it. */
const char *gst_moct_attach_history (
    GstMoct *self, const MoctObject *objects, int n, GstBuffer *buffer);
const char *gst_moct_attach_results (GstMoct *self, const MoctObject *objects,
    int n, GstMoctTrajectory trajectory, GstBuffer *buffer);

G_END_DECLS
