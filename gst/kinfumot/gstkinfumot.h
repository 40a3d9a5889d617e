/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element `kinfumot`, in three parts: gstkinfumot.c (properties and
 * frames), gstkinfumotbirths.c (objects that gpuccl announces) and
 * gstkinfumotresults.c (poses, maps and objects as metas). */
#pragma once

#include "base/gstvisionfilter.h"
#include "base/gstvisionintrinsics.h"
#include "base/gstvisionlines.h"
#include "base/gstvisionmapinput.h"
#include "base/gstvisionpixels.h"
#include "kinfumot/kinfumot.h"
#include "meta/gstvisionmeta.h"

G_BEGIN_DECLS

#define GST_TYPE_KINFUMOT (gst_kinfumot_get_type ())
G_DECLARE_FINAL_TYPE (GstKinfumot, gst_kinfumot, GST, KINFUMOT, GstVisionFilter)

typedef enum {
  GST_KINFUMOT_CORRESPONDENCE = 1 << 0,
  GST_KINFUMOT_DEPTH = 1 << 1,
  GST_KINFUMOT_RENDERED = 1 << 2,
  GST_KINFUMOT_NORMALS = 1 << 3,
} GstKinfumotMaps;

/* Where an object's poses go. */
typedef struct {
  guint64 id; /* whose they are; 0: nobody's */
  GstVisionLines lines;
} GstKinfumotPath;

struct _GstKinfumot {
  GstVisionFilter parent;

  /* Under the object lock; a frame works on a copy. */
  KinfumotParams params; /* without the camera */
  GstVisionIntrinsics intrinsics;
  unsigned maps; /* GstKinfumotMaps */
  gchar *trajectory_location, *mesh_location;
  gchar *wanted_mesh; /* of the action save-mesh; NULL: none is wanted */
  GQueue births;      /* GstStructures of the events that are to be applied */
  gboolean wants_reset;
  gboolean is_stopping; /* no trajectory waits for its reader */

  /* Of the streaming thread. */
  Kinfumot *kinfumot;
  gchar fault[256]; /* why there is none */
  gint width, height;
  GstVisionPixels classes, depth, rendered, normals; /* open: attached */
  GstVisionMapInput mask;
  GstVisionLines trajectory;
  GstKinfumotPath paths[KINFUMOT_MAX_OBJECTS + 1]; /* by model */
  gboolean trajectory_failed;
  GstClockTime next_time; /* in the trajectory, of a frame without a time */
  gboolean told_no_times; /* that frames have none */
  gboolean is_lost;
  gboolean says_lost; /* the newest warning of a lost camera is of this loss */
  /* g_get_monotonic_time of the warnings. */
  gint64 told_lost, told_no_pose, told_full, told_refusal, told_file;
  guint64 first_id; /* added to the ids of self->kinfumot */
  guint64 last_id;  /* the greatest that was given */
};

/* gstkinfumotbirths.c */
/* Whether @event is one of gpuccl's; then it is noted for the next frame. */
gboolean gst_kinfumot_take_event (GstKinfumot *self, GstEvent *event);
/* Hands what was noted to the tracker. */
const char *gst_kinfumot_births (GstKinfumot *self);
void gst_kinfumot_forget_births (GstKinfumot *self);

/* gstkinfumotresults.c */
/* Room for the maps of a frame. */
const char *gst_kinfumot_begin_maps (
    GstKinfumot *self, KinfumotOutputs *outputs);
const char *gst_kinfumot_attach (GstKinfumot *self,
    const KinfumotResults *results, GstBuffer *buffer,
    const GstVisionCamera *camera);
void gst_kinfumot_close_trajectories (GstKinfumot *self);
/* Any thread may call it: no trajectory waits for its reader any more. */
void gst_kinfumot_cancel_trajectories (GstKinfumot *self);
/* Writes the mesh that an application wants, or, at the end of the stream, that
 * of mesh-location.  Warns where it cannot be written. */
void gst_kinfumot_save_wanted (GstKinfumot *self);
void gst_kinfumot_save_last (GstKinfumot *self);
/* Ends the maps that were begun and not attached. */
void gst_kinfumot_drop_maps (GstKinfumot *self);

G_END_DECLS
