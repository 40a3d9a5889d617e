/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `scopedetect`, in six parts: gstscopedetect.c (properties and
 * frames), gstscopedetectmodels.c (files to models), gstscopedetectregion.c
 * (where to search), gstscopedetecttracks.c (from frame to frame),
 * gstscopedetecthints.c (why nothing is found) and gstscopedetectresults.c
 * (objects to metas and messages). */
#pragma once

#include "base/gstvisionaggregator.h"
#include "base/gstvisionintrinsics.h"
#include "base/gstvisionproperties.h"
#include "meta/gstvisionmeta.h"
#include "scopedetect/scopedetect.h"

G_BEGIN_DECLS

/* What a frame leaves to the next one. */
typedef struct {
  ScopedetectObject object;
  guint64 id;       /* from 1 on; 0: none */
  gboolean known;   /* it was there in the frame before */
  gdouble searched; /* its score after the newest search */
  gint missed;      /* frames since it was seen */
  gboolean lost;    /* it is reported for the last time */
} GstScopedetectTrack;

/* Where objects are searched for. */
typedef struct {
  gchar *region; /* as set; NULL: not */
  gboolean meta; /* in the boxes that came with the frame */
  ImageBox box;  /* else here; empty: everywhere */
} GstScopedetectRegion;

/* Searches since the start: all, and those that were cut short, and whose
 * second stage was accepted, refused or left out. */
typedef struct {
  guint64 all, cut, accepted, refused, left_out;
} GstScopedetectSearches;

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
  gchar *models;   /* as set; NULL: not */
  gchar *replaced; /* properties that were set, whose value a preset took; NULL:
                      none */
  gboolean has_preset;

  /* Of the streaming thread: */
  Scopedetect *detector;
  ScopedetectModel **model;
  ScopedetectModelInfo *info; /* of each */
  gint n_models;
  gint width, height;
  GArray *tracks; /* GstScopedetectTrack: the objects of the newest frame, and
                     those that were missed in it */
  GArray *seen;   /* the same, while a frame is looked at */
  guint64 last_id;
  gint unsearched; /* frames since the newest search */
  GstScopedetectSearches searches;
  guint hints;      /* those that were told, a bit each */
  gint64 last_hint; /* when, microseconds; 0: never */
};

/* gstscopedetectmodels.c: the files of the property models.  An error that
 * names a file has been posted. */
const char *gst_scopedetect_load_models (GstScopedetect *self);
void gst_scopedetect_drop_models (GstScopedetect *self);

/* gstscopedetectregion.c: sets the regions of @frame, which came in @first and
 * @second; FALSE if there is nothing to search. */
extern const GstVisionProperty gst_scopedetect_region_properties[];
gboolean gst_scopedetect_set_regions (GstScopedetect *self, GstBuffer *first,
    GstBuffer *second, ScopedetectFrame *frame);
/* Whether @object lies in a region of @frame: the middle of its visible part in
 * the region, or the middle of the region in that part.  TRUE without regions.
 */
gboolean gst_scopedetect_is_inside (
    const ScopedetectFrame *frame, const ScopedetectObject *object);

/* gstscopedetecttracks.c: finds the objects of @frame, for self->tracks; only
 * those that are known already unless @may_search. */
const char *gst_scopedetect_find_objects (GstScopedetect *self,
    const ScopedetectParams *params, const ScopedetectFrame *frame,
    gboolean may_search);

/* gstscopedetecthints.c: tells why a search of all of a frame found nothing. */
void gst_scopedetect_hint (GstScopedetect *self,
    const ScopedetectParams *params, const ScopedetectResults *results);

/* gstscopedetectresults.c */
const char *gst_scopedetect_attach (
    GstScopedetect *self, GstBuffer *buffer, const Camera *camera);

G_END_DECLS
