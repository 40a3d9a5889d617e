/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `emdtrack`, in seven parts: gstemdtrack.c (properties, frames),
 * gstemdtrackparams.c (what caps and properties mean together),
 * gstemdtracktargets.c (which targets are chosen), gstemdtrackpattern.c (those
 * of files), gstemdtrackchoose.c (making them of a frame), gstemdtrackoutput.c
 * (a map as the video) and gstemdtrackresults.c (tracks and maps to metas,
 * messages and statistics). */
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
  GST_EMDTRACK_LAYOUT_CAPS, /* as the caps say, else PLAIN */
  GST_EMDTRACK_LAYOUT_MOSAIC,
  GST_EMDTRACK_LAYOUT_STACKED,
} GstEmdtrackLayout;

typedef enum {
  GST_EMDTRACK_OUTPUT_VIDEO,
  GST_EMDTRACK_OUTPUT_MAP,
} GstEmdtrackOutput;

/* Those of EmdtrackDistance, and what suits the histogram. */
typedef enum {
  GST_EMDTRACK_DISTANCE_LINE = EMDTRACK_LINE,
  GST_EMDTRACK_DISTANCE_CIRCLE = EMDTRACK_CIRCLE,
  GST_EMDTRACK_DISTANCE_EUCLIDEAN = EMDTRACK_EUCLIDEAN,
  GST_EMDTRACK_DISTANCE_FILE = EMDTRACK_MATRIX,
  GST_EMDTRACK_DISTANCE_AUTO,
} GstEmdtrackDistance;

/* What a target's file holds: a picture, or the @n numbers of a histogram. */
typedef struct {
  Image image; /* without its plane: that is @pixels, rows without gaps */
  guint8 *pixels;
  gsize bytes;
  gint n; /* 0: a picture */
  gdouble weight[EMDTRACK_BINS];
} GstEmdtrackPattern;

/* What is chosen as a target: the box in pixels of the frame, of a channel
 * where they are stacked; half-open.  Of one that a file shows, only its size
 * counts; empty: the picture's. */
typedef struct {
  gchar name[GST_EMDTRACK_NAME];
  ImageBox box;
  GstEmdtrackPattern *pattern; /* owned; NULL: what is in the box */
} GstEmdtrackChoice;

typedef struct {
  GstEmdtrackChoice choice[EMDTRACK_TARGETS];
  guint n;
} GstEmdtrackChoices;

/* What is followed, in the tracker's order. */
typedef struct {
  gchar name[GST_EMDTRACK_NAME];
  GstClockTime since;      /* when it was chosen */
  EmdtrackTarget spectrum; /* histogram=channels: the mean one of its box */
  EmdtrackTrack track;     /* of the newest frame */
} GstEmdtrackTarget;

/* What one frame works with. */
typedef struct {
  EmdtrackParams map;    /* of the values of pixels */
  EmdtrackParams follow; /* of regions; the same but for histogram=channels */
  EmdtrackTrackParams track;
  gboolean normalise_gain;
} GstEmdtrackParams;

struct _GstEmdtrack {
  GstVisionFilter parent;

  /* Under the object lock; a frame works on a copy. */
  EmdtrackParams params; /* without codebook, matrix, targets, distance */
  EmdtrackTrackParams track;
  GstEmdtrackDistance distance;
  gdouble saturation; /* -1: what suits the histogram */
  bool emd_map, normalise_gain;
  GstEmdtrackOutput output;
  GstEmdtrackLayout layout;
  gint channels;                         /* 0: as the caps say */
  gchar *mosaic_pattern, *distance_file; /* as they were set */
  gchar *targets, *target_meta;          /* likewise */
  bool mouse;
  gchar *wrong;                /* with distance-file, when the caps came */
  GstEmdtrackChoices *pending; /* set, and not yet taken by a frame */
  gboolean meta_pending;       /* the same of target_meta */

  /* Of the streaming thread, since the caps came. */
  EmdtrackParams fixed; /* the properties then, and what of the caps counts */
  gint fixed_bins;      /* of regions; `fixed` has those of pixels */
  GstEmdtrackDistance fixed_distance;
  EmdtrackFrame frame; /* how frames are read; an image of no pixels */
  EmdtrackCodebook book;
  gint width, height;  /* of a channel */
  gint cell_x, cell_y; /* pixels of the frame for one of a channel */
  Emdtrack *emdtrack;
  GstVisionPixels pixels; /* of the maps */
  gboolean shows_map;     /* the caps of the output are those of a map */
  GstBuffer *picture;     /* then what takes the place of the frame */

  /* Of the streaming thread, since the start. */
  EmdtrackTracker *tracker;
  GstEmdtrackTarget target[EMDTRACK_TARGETS];
  guint n_targets;
  gdouble brightness; /* of the frame in which they were chosen */
  gboolean warned;    /* that there are no targets */
  GstClockTime last_time;
};

/* gstemdtrackparams.c: reads what @caps and the properties mean from now on;
 * NULL, or what is wrong with them. */
const char *gst_emdtrack_set_frame (
    GstEmdtrack *self, const GstCaps *caps, const GstVideoInfo *info);
/* What the next frame works with, but for gain and targets; NULL, or what is
 * wrong with properties that changed. */
const char *gst_emdtrack_get_params (GstEmdtrack *self, GstEmdtrackParams *p);

/* gstemdtrackparams.c: distance-file to @params; NULL, or what is wrong with
 * it. Under the object lock. */
const char *gst_emdtrack_read_distances (
    GstEmdtrack *self, EmdtrackParams *params);

/* gstemdtrackparams.c: how large the map of @frames is; FALSE where that is not
 * known. */
gboolean gst_emdtrack_map_size (
    GstEmdtrack *self, const GstStructure *frames, gint *width, gint *height);
/* Pixels of a frame for one of the map, where the properties say it alone. */
gboolean gst_emdtrack_known_cells (GstEmdtrack *self, gint *across, gint *down);

/* gstemdtrackoutput.c: output=map. */
void gst_emdtrack_install_output (GstBaseTransformClass *klass);
/* What negotiation came to: whether @out is that of a map, and why it fits the
 * properties no more. */
const char *gst_emdtrack_settle_output (
    GstEmdtrack *self, const GstCaps *in, GstCaps *out);
/* The map of @results, or white without one (NULL), as the picture. */
const char *gst_emdtrack_make_picture (GstEmdtrack *self,
    const EmdtrackParams *params, const EmdtrackResults *results);

/* gstemdtracktargets.c */
gboolean gst_emdtrack_read_targets (
    GstElement *element, gpointer self, const gchar *text, GError **error);
/* The next frame takes the targets that the properties name.  FALSE where some
 * cannot be used any more, such as a file that is gone: an error where the
 * element @starts, else a warning. */
gboolean gst_emdtrack_choose_again (GstEmdtrack *self, gboolean starts);
/* Warns that @choice is not followed. */
void gst_emdtrack_leave_out (
    GstEmdtrack *self, const GstEmdtrackChoice *choice, const gchar *why);
/* Forgets all targets. */
void gst_emdtrack_drop_targets (GstEmdtrack *self);
/* Forgets where the targets are; all are lost until they are found. */
const char *gst_emdtrack_lose_targets (GstEmdtrack *self);

void gst_emdtrack_choices_free (GstEmdtrackChoices *self);

/* gstemdtrackpattern.c: numbers between blanks, commas or semicolons; lines
 * that begin with # are comments.  @n is how many there are, of which the first
 * @room are kept.  Changes @text. */
const char *gst_emdtrack_parse_numbers (
    gchar *text, gint room, gdouble *numbers, gint *n);
/* NULL and @pattern, or what is wrong with the file. */
const char *gst_emdtrack_pattern_read (
    const gchar *path, GstEmdtrackPattern **pattern);
void gst_emdtrack_pattern_free (GstEmdtrackPattern *self);

/* What a file shows, in memory of the device. */
typedef struct {
  const Device *device;
  gboolean is_open; /* it goes with the frames */
  EmdtrackFrame frame;
  int width, height;  /* of a channel */
  Emdtrack *emdtrack; /* of the picture; NULL: there are only numbers */
  void *memory;
} GstEmdtrackStudy;

/* Where @choice does not go with the frames, warns and leaves it closed. */
const char *gst_emdtrack_study_open (
    GstEmdtrack *self, GstEmdtrackChoice *choice, GstEmdtrackStudy *study);
void gst_emdtrack_study_close (GstEmdtrackStudy *study);
/* What is looked for, and what pixels are compared with where histograms are of
 * channels; the codebook has been learned. */
const char *gst_emdtrack_study_target (GstEmdtrack *self,
    GstEmdtrackStudy *study, const GstEmdtrackParams *params,
    const GstEmdtrackPattern *pattern, EmdtrackTarget *target,
    EmdtrackTarget *spectrum);

/* gstemdtrackchoose.c: makes targets of what was chosen in the meantime. */
const char *gst_emdtrack_take_targets (GstEmdtrack *self, GstEmdtrackParams *p,
    const EmdtrackFrame *frame, GstBuffer *buffer, gboolean *are_new);
/* The mean spectrum of @box of the last histograms of @emdtrack, as far as it
 * is in the frame. */
const char *gst_emdtrack_measure_spectrum (const Device *device,
    const Emdtrack *emdtrack, ImageBox box, EmdtrackTarget *target);

/* gstemdtrackresults.c */
const char *gst_emdtrack_attach_objects (GstEmdtrack *self, GstBuffer *buffer);
void gst_emdtrack_count (GstEmdtrack *self, const EmdtrackCounts *counts);
const char *gst_emdtrack_attach_maps (
    GstEmdtrack *self, const EmdtrackResults *results, GstBuffer *buffer);

G_END_DECLS
