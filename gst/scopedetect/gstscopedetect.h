/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `scopedetect`, in eight parts: gstscopedetect.c (properties and
 * frames), gstscopedetectmodels.c (models of files), gstscopedetectregion.c
 * (regions to search), gstscopedetecttracks.c (identities of objects from frame
 * to frame), gstscopedetectmoves.c (moves that kinfumot reports),
 * gstscopedetectrest.c (what followed objects leave), gstscopedetecthints.c
 * (reasons of an empty search) and gstscopedetectresults.c (objects to metas
 * and messages). */
#pragma once

#include "base/gstvisionaggregator.h"
#include "base/gstvisionintrinsics.h"
#include "base/gstvisionproperties.h"
#include "meta/gstvisionmeta.h"
#include "scopedetect/scopedetect.h"

G_BEGIN_DECLS

/* An object of the newest frame, for the next frame. */
typedef struct {
  ScopedetectObject object;
  guint64 id;       /* from 1 on; 0: none */
  gboolean known;   /* the frame before had the object */
  gdouble searched; /* score after the newest search */
  gint missed;      /* frames since the object was seen */
  gboolean lost;    /* the object is reported for the last time */
  guint64 mover;    /* id of kinfumot's object that it is; 0: none */
} GstScopedetectTrack;

/* The silhouette of a model, x0 y0 x1 y1 … */
#define GST_SCOPEDETECT_CORNERS 64 /* at most */
typedef gdouble GstScopedetectOutline[2 * GST_SCOPEDETECT_CORNERS];

/* An object that kinfumot follows in a frame. */
typedef struct {
  guint64 id, model; /* as in GstVisionObject */
  gdouble pose[7];   /* to the camera */
  gdouble radius;    /* half of the diagonal of its extent, metres */
} GstScopedetectMover;

/* The moving objects and the camera in the metadata of a frame of depth. */
typedef struct {
  GArray *movers; /* GstScopedetectMover */
  gboolean has_camera;
  gdouble camera[7]; /* from the camera to the world */
} GstScopedetectMoves;

/* The region that objects are searched in. */
typedef struct {
  gchar *region; /* as set; NULL: unset */
  gboolean meta; /* the boxes of the frame's metadata are the regions */
  ImageBox box;  /* the region without meta; empty: the whole frame */
} GstScopedetectRegion;

/* Numbers of searches since the start: of all, of searches that were cut short,
 * and of searches whose second stage was accepted, refused or left out; frames
 * in which the rest was searched, and those in which nothing was left of a rest
 * that was due. */
typedef struct {
  guint64 all, cut, accepted, refused, left_out, rest, nothing_left;
} GstScopedetectSearches;

/* The search of what followed objects leave: a part of the models a frame. */
typedef struct {
  gint next;      /* the first model of the next frame */
  gint models;    /* models that are still to be searched for */
  gint per_frame; /* models of a frame */
  gint least;     /* least number of points left since the newest search */
} GstScopedetectRest;

#define GST_TYPE_SCOPEDETECT (gst_scopedetect_get_type ())
G_DECLARE_FINAL_TYPE (
    GstScopedetect, gst_scopedetect, GST, SCOPEDETECT, GstVisionAggregator)

struct _GstScopedetect {
  GstVisionAggregator parent;

  /* Under the object lock; a frame works on a copy. */
  ScopedetectParams params; /* without camera */
  bool tracking;
  gdouble keep;
  gint search_interval, lose_frames;
  GstVisionIntrinsics intrinsics;
  GstScopedetectRegion region;
  gchar *models; /* as set; NULL: unset */
  gchar *fit;    /* likewise */

  /* Of the streaming thread: */
  Scopedetect *detector;
  ScopedetectModel **model;
  ScopedetectModelInfo *info; /* of each */
  gint n_models;
  gint width, height;
  GArray *tracks; /* GstScopedetectTrack: the objects of the newest frame, seen
                     or missed */
  GArray *seen;   /* the tracks of the current frame, while it is processed */
  GstScopedetectMoves moves, moves_before; /* of this frame, and of that before
                                            */
  guint64 last_id;
  gint unsearched; /* frames since the newest search */
  GstScopedetectRest rest;
  GstScopedetectSearches searches;
  guint hints;      /* the hints that were posted, a bit each */
  gint64 last_hint; /* time of the newest hint, microseconds; 0: none */
};

/* gstscopedetectmodels.c: loads the files of the property models.  If it fails,
 * it has posted an error that names the file. */
const char *gst_scopedetect_load_models (GstScopedetect *self);
void gst_scopedetect_drop_models (GstScopedetect *self);
/* Loads the file of the property fit; if it cannot be used, posts a warning and
 * keeps the built-in fit. */
void gst_scopedetect_load_fit (GstScopedetect *self);

/* gstscopedetectregion.c: sets the regions of @frame by the property and the
 * metadata of the buffers @first and @second; FALSE: there is none to search.
 */
extern const GstVisionProperty gst_scopedetect_region_properties[];
gboolean gst_scopedetect_set_regions (GstScopedetect *self, GstBuffer *first,
    GstBuffer *second, ScopedetectFrame *frame);
/* Whether @object lies in a region of @frame: the middle of its visible part in
 * the region, or the middle of the region in that part.  TRUE without regions.
 */
gboolean gst_scopedetect_is_inside (
    const ScopedetectFrame *frame, const ScopedetectObject *object);

/* gstscopedetecttracks.c: sets self->tracks to the objects of @frame.  Without
 * @may_search it only follows the objects of the frame before. */
const char *gst_scopedetect_find_objects (GstScopedetect *self,
    const ScopedetectParams *params, const ScopedetectFrame *frame,
    gboolean may_search);

/* gstscopedetectmoves.c: reads the moves of a frame; @depth may be NULL. */
void gst_scopedetect_read_moves (GstScopedetect *self, GstBuffer *depth);
/* Moves the poses and boxes of the tracks from the frame before to this frame,
 * seen by @camera. */
void gst_scopedetect_move_tracks (GstScopedetect *self, const Camera *camera);
/* Tells which of the tracks are kinfumot's objects. */
void gst_scopedetect_name_movers (GstScopedetect *self);
/* The number of kinfumot's object @id in a map of kind `correspondence`; 0 if
 * there is no such object. */
guint64 gst_scopedetect_model_of_mover (const GstScopedetect *self, guint64 id);
/* Adds kinfumot's objects in @depth to @buffer, and the pose of its camera. */
gboolean gst_scopedetect_pass_moves (
    GstScopedetect *self, GstBuffer *depth, GstBuffer *buffer);

/* gstscopedetectrest.c: searches what the followed objects in self->seen leave;
 * @is_due: for all models with fewer objects than @params allow; else only if
 * there is more of it than before, or such a search is not over.  Sets @results
 * or, without a search, no objects. */
const char *gst_scopedetect_search_rest (GstScopedetect *self,
    const ScopedetectParams *params, gboolean is_due,
    ScopedetectResults *results);

/* gstscopedetecthints.c: warns why a search of the whole frame found nothing.
 */
void gst_scopedetect_hint (GstScopedetect *self,
    const ScopedetectParams *params, const ScopedetectResults *results);

/* gstscopedetectresults.c: adds the objects and what @depth tells of moves to
 * @buffer; @depth may be NULL. */
const char *gst_scopedetect_attach (GstScopedetect *self, GstBuffer *buffer,
    GstBuffer *depth, const Camera *camera);

G_END_DECLS
