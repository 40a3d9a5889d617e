/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `emdtrack`, in seven parts: gstemdtrack.c (properties, frames),
 * gstemdtrackparams.c (properties and caps to the parameters of the algorithm),
 * gstemdtracktargets.c (the choice of targets), gstemdtrackpattern.c (targets
 * of files), gstemdtrackchoose.c (makes targets in a frame),
 * gstemdtrackoutput.c (a map as the video) and gstemdtrackresults.c (tracks and
 * maps to metas, messages and statistics). */
#pragma once

#include "base/gstvisionfilter.h"
#include "base/gstvisionpixels.h"
#include "base/gstvisionproperties.h"
#include "emdtrack/emdtrack_codebook.h"
#include "emdtrack/emdtrack_track.h"
#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

#define GST_TYPE_EMDTRACK (gst_emdtrack_get_type ())
G_DECLARE_FINAL_TYPE (GstEmdtrack, gst_emdtrack, GST, EMDTRACK, GstVisionFilter)

#define GST_EMDTRACK_NAME 64 /* bytes of a target's name, with its end */

typedef enum {
  GST_EMDTRACK_LAYOUT_CAPS, /* as the caps say, else one channel */
  GST_EMDTRACK_LAYOUT_MOSAIC,
  GST_EMDTRACK_LAYOUT_STACKED,
} GstEmdtrackLayout;

typedef enum {
  GST_EMDTRACK_OUTPUT_VIDEO,
  GST_EMDTRACK_OUTPUT_MAP,
} GstEmdtrackOutput;

/* EmdtrackDistance, and AUTO: the distance that suits the histogram. */
typedef enum {
  GST_EMDTRACK_DISTANCE_LINE = EMDTRACK_LINE,
  GST_EMDTRACK_DISTANCE_CIRCLE = EMDTRACK_CIRCLE,
  GST_EMDTRACK_DISTANCE_EUCLIDEAN = EMDTRACK_EUCLIDEAN,
  GST_EMDTRACK_DISTANCE_FILE = EMDTRACK_MATRIX,
  GST_EMDTRACK_DISTANCE_AUTO,
} GstEmdtrackDistance;

/* The content of a target's file: a picture, or the @n numbers of a histogram.
 */
typedef struct {
  Image image; /* its plane is not set: @pixels holds rows without gaps */
  guint8 *pixels;
  gsize bytes;
  gint n; /* 0: a picture */
  gdouble weight[EMDTRACK_BINS];
} GstEmdtrackPattern;

/* A choice of a target.  The box is half-open, in pixels of the frame, or of
 * one channel if channels are stacked.  With a pattern, only the size of the
 * box counts; the size of an empty box is the picture's. */
typedef struct {
  gchar name[GST_EMDTRACK_NAME];
  ImageBox box;
  gdouble at; /* stream time of the frame that the box is of, seconds; 0: of the
                 next frame */
  GstEmdtrackPattern *pattern; /* owned; NULL: the content of the box */
} GstEmdtrackChoice;

typedef struct {
  GstEmdtrackChoice choice[EMDTRACK_TARGETS];
  guint n;
} GstEmdtrackChoices;

/* A target that is followed. */
typedef struct {
  gchar name[GST_EMDTRACK_NAME];
  GstClockTime since;      /* when it was chosen */
  EmdtrackTarget spectrum; /* histogram=channels: the mean of its box */
  EmdtrackTrack track;     /* of the newest frame */
} GstEmdtrackTarget;

/* The parameters of the algorithm.  gst_emdtrack_set_frame () settles them when
 * caps come.  Each frame works on a copy, in which gst_emdtrack_get_params ()
 * renews the properties that may change between frames. */
typedef struct {
  EmdtrackParams map;    /* for the maps, which compare pixels */
  EmdtrackParams follow; /* for the tracker, which compares regions: as @map,
                            but over a codebook with histogram=channels */
  EmdtrackTrackParams track;
  gboolean normalise_gain;
  gdouble detect; /* part of the maximum ground distance */
  gint max_objects;
} GstEmdtrackParams;

/* A place that looks like a target. */
typedef struct {
  guint target;
  EmdtrackMatch place; /* pixels of a channel */
  gdouble distance;
} GstEmdtrackFound;

struct _GstEmdtrack {
  GstVisionFilter parent;

  /* Under the object lock; a frame works on a copy. */
  EmdtrackParams params; /* as properties set them; frames use `settled` */
  EmdtrackTrackParams track;
  GstEmdtrackDistance distance;
  gdouble saturation; /* -1: the default of the histogram */
  bool emd_map, normalise_gain;
  gdouble detect; /* 0: no detection */
  gint max_objects;
  GstEmdtrackOutput output;
  GstEmdtrackLayout layout;
  gint channels; /* 0: as the caps say */
  gchar *mosaic_pattern, *distance_file, *targets, *target_meta;
  gchar *region; /* as set, as are the four above */
  bool mouse;
  gchar *wrong;                /* fault of distance-file, when the caps came */
  GstEmdtrackChoices *pending; /* for the next frame; NULL: none were set */
  gboolean meta_pending; /* the next frame with regions of target_meta adds them
                            as targets */

  /* Of the streaming thread, since the caps came. */
  GstEmdtrackParams settled;
  EmdtrackFrame frame; /* how frames are read; its image has no pixels */
  EmdtrackCodebook book;
  gint width, height;  /* of a channel */
  gint cell_x, cell_y; /* pixels of the frame for one of a channel */
  Emdtrack *emdtrack;
  GstVisionPixels pixels; /* of the maps */
  gboolean shows_map;     /* the output has the caps of a map */
  GstBuffer *picture;     /* the map that replaces the frame; NULL: none yet */

  /* Of the streaming thread, since the start. */
  EmdtrackTracker *tracker;
  GstEmdtrackTarget target[EMDTRACK_TARGETS]; /* in the tracker's order */
  guint n_targets;
  gdouble brightness; /* of the frame in which the targets were chosen */
  GArray *found;      /* GstEmdtrackFound, of the newest frame */
  gboolean warned;    /* of missing targets */
  gboolean told;      /* of more places than max_objects */
  GstClockTime last_time;
};

/* gstemdtrackparams.c: settles the frame's layout and the parameters by @caps
 * and the properties; returns why they cannot be used, or NULL. */
const char *gst_emdtrack_set_frame (
    GstEmdtrack *self, const GstCaps *caps, const GstVideoInfo *info);
/* The parameters of the next frame, but for gain and targets; returns why
 * properties that changed cannot be used, or NULL. */
const char *gst_emdtrack_get_params (GstEmdtrack *self, GstEmdtrackParams *p);

/* Sets the ground distances of @p to those of the property distance-file, under
 * the object lock; returns why the file cannot be read, or NULL. */
const char *gst_emdtrack_read_distances (GstEmdtrack *self, EmdtrackParams *p);

/* The size of the map of frames with the caps @frames; FALSE: it is not known.
 */
gboolean gst_emdtrack_map_size (
    GstEmdtrack *self, const GstStructure *frames, gint *width, gint *height);
/* Pixels of a frame for one of the map; FALSE: the properties do not tell. */
gboolean gst_emdtrack_known_cells (GstEmdtrack *self, gint *across, gint *down);

/* gstemdtrackoutput.c: output=map. */
void gst_emdtrack_install_output (GstBaseTransformClass *klass);
/* Sets self->shows_map by the negotiated caps @in and @out; returns why these
 * do not fit the properties any more, or NULL. */
const char *gst_emdtrack_settle_output (
    GstEmdtrack *self, const GstCaps *in, GstCaps *out);
/* Makes the picture: the first map of @results, or white if @results is NULL.
 */
const char *gst_emdtrack_make_picture (
    GstEmdtrack *self, const EmdtrackResults *results);

/* gstemdtracktargets.c */
gboolean gst_emdtrack_read_targets (
    GstElement *element, gpointer self, const gchar *text, GError **error);
/* Leaves the targets of the properties to the next frame.  FALSE if some cannot
 * be used any more, such as a file that is gone: an error if the element
 * @starts, else a warning. */
gboolean gst_emdtrack_choose_again (GstEmdtrack *self, gboolean starts);
/* Warns that @choice is not followed. */
void gst_emdtrack_leave_out (
    GstEmdtrack *self, const GstEmdtrackChoice *choice, const gchar *why);
/* Forgets all targets. */
void gst_emdtrack_drop_targets (GstEmdtrack *self);
/* Forgets where the targets are: all are lost until the tracker, which works by
 * @params, finds them. */
const char *gst_emdtrack_lose_targets (
    GstEmdtrack *self, const EmdtrackParams *params);

void gst_emdtrack_choices_free (GstEmdtrackChoices *self);

/* gstemdtrackpattern.c: parses numbers between blanks, commas or semicolons;
 * lines that begin with # are comments.  @n counts all numbers; the first @room
 * are kept.  Changes @text. */
const char *gst_emdtrack_parse_numbers (
    gchar *text, gint room, gdouble *numbers, gint *n);
/* Reads the file into a new @pattern; returns why it cannot, or NULL. */
const char *gst_emdtrack_pattern_read (
    const gchar *path, GstEmdtrackPattern **pattern);
void gst_emdtrack_pattern_free (GstEmdtrackPattern *self);

/* A pattern as a frame in memory of the device. */
typedef struct {
  const Device *device;
  gboolean is_open; /* the pattern fits the frames */
  EmdtrackFrame frame;
  int width, height;  /* of a channel */
  Emdtrack *emdtrack; /* of the picture; NULL: the pattern is a histogram */
  void *memory;
} GstEmdtrackStudy;

/* Leaves @study closed if @pattern does not fit the frames; @fault says why. */
const char *gst_emdtrack_study_open (GstEmdtrack *self,
    GstEmdtrackPattern *pattern, GstEmdtrackStudy *study, const char **fault);
void gst_emdtrack_study_close (GstEmdtrackStudy *study);
/* The histogram that the tracker looks for and, with histogram=channels, the
 * @spectrum that the map compares pixels with.  The codebook has been learned.
 */
const char *gst_emdtrack_study_target (GstEmdtrack *self,
    GstEmdtrackStudy *study, const GstEmdtrackParams *params,
    const GstEmdtrackPattern *pattern, EmdtrackTarget *target,
    EmdtrackTarget *spectrum);
/* The mean spectrum of the part of @box within the frame, from the newest
 * histograms of @emdtrack. */
const char *gst_emdtrack_measure_spectrum (const Device *device,
    const Emdtrack *emdtrack, ImageBox box, EmdtrackTarget *target);

/* gstemdtrackchoose.c: makes the choices since the last frame targets;
 * @are_new: there were choices. */
const char *gst_emdtrack_take_targets (GstEmdtrack *self, GstEmdtrackParams *p,
    const EmdtrackFrame *frame, GstBuffer *buffer, gboolean *are_new);
/* Warns of choices whose frame did not come. */
void gst_emdtrack_end (GstVisionFilter *filter);

/* gstemdtrackresults.c */
const char *gst_emdtrack_attach_objects (GstEmdtrack *self, GstBuffer *buffer);
void gst_emdtrack_count (GstEmdtrack *self, const EmdtrackCounts *counts);
const char *gst_emdtrack_attach_maps (
    GstEmdtrack *self, const EmdtrackResults *results, GstBuffer *buffer);
/* Fills self->found from the maps. */
const char *gst_emdtrack_detect (GstEmdtrack *self, const GstEmdtrackParams *p,
    const EmdtrackResults *results);

G_END_DECLS
