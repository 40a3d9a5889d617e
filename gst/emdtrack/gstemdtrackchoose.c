/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Makes targets of the choices, in the frame that comes next. */
#include "base/gstvisiontell.h"
#include "common/utf8.h"
#include "emdtrack/gstemdtrack.h"

#define BOX_WEIGHT 3        /* of a target's pixels in the codebook */
#define PICTURE_WEIGHT 4096 /* of a whole picture in the codebook */

/* Adds the upstream regions of interest of the type @wanted to @all, which may
 * be NULL.  @fault says why a region was left out. */
static GstEmdtrackChoices *
add_roi_metas (GstEmdtrackChoices *all, const gchar *wanted, GstBuffer *buffer,
    const char **fault)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *) meta;
    const gchar *type = g_quark_to_string (roi->roi_type);
    GstEmdtrackChoice *c;

    if (g_strcmp0 (type, wanted))
      continue;
    if (!roi->w || !roi->h || MAX (roi->x, roi->y) > EMDTRACK_MAX_SIDE ||
        MAX (roi->w, roi->h) > EMDTRACK_MAX_SIDE) {
      *fault = "an upstream region of interest is empty or too large";
      continue;
    }
    all = all ? all : g_new0 (GstEmdtrackChoices, 1);
    if (all->n == EMDTRACK_TARGETS) {
      *fault = "there can be 8 targets at most; further regions are left out";
      break;
    }
    c = &all->choice[all->n++];
    utf8_copy (c->name, sizeof c->name, type);
    c->box = (ImageBox){(int) roi->x, (int) roi->y, (int) (roi->x + roi->w),
        (int) (roi->y + roi->h)};
  }
  return all;
}

/* The latest of the times of @all, which may be NULL. */
static gdouble
latest_of_choices (const GstEmdtrackChoices *all)
{
  gdouble at = 0;

  for (guint i = 0; all && i < all->n; i++)
    at = MAX (at, all->choice[i].at);
  return at;
}

void
gst_emdtrack_end (GstVisionFilter *filter)
{
  GstEmdtrack *self = GST_EMDTRACK (filter);
  gdouble at = GST_VISION_LOCKED (self, latest_of_choices (self->pending));

  if (at > 0)
    GST_VISION_WARNING (self, LIBRARY, SETTINGS,
        ("The stream ended before the frame at %g s, of which \"targets\" "
         "are.",
            at));
}

/* The choices since the last frame; NULL: there are none, or they are of a
 * later frame. */
static GstEmdtrackChoices *
steal_choices (GstEmdtrack *self, GstBuffer *buffer)
{
  GstEmdtrackChoices *all = NULL;
  const char *fault = NULL;
  guint before;

  GST_OBJECT_LOCK (self);
  if (self->pending &&
      gst_vision_filter_has_reached (
          GST_VISION_FILTER (self), buffer, latest_of_choices (self->pending)))
    all = g_steal_pointer (&self->pending);
  before = all ? all->n : 0;
  if (self->meta_pending) {
    all = add_roi_metas (all, self->target_meta, buffer, &fault);
    self->meta_pending = !all || all->n == before;
  }
  GST_OBJECT_UNLOCK (self);
  if (fault)
    gst_vision_common_fault (gst_vision_common (self), fault);
  return all;
}

static int
floor_by (int n, int by)
{
  return n >= 0 ? n / by : -((by - 1 - n) / by);
}

/* Leaves out boxes outside of the frame and converts the boxes that stay to
 * pixels of a channel; returns the box around all of these. */
static ImageBox
clip_choices (GstEmdtrack *self, GstEmdtrackChoices *all)
{
  ImageBox around = {self->width, self->height, 0, 0};
  guint n = 0;

  for (guint i = 0; i < all->n; i++) {
    ImageBox b = all->choice[i].box;

    if (all->choice[i].pattern) {
      all->choice[n++] = all->choice[i];
      continue;
    }
    b.x0 = floor_by (b.x0, self->cell_x);
    b.y0 = floor_by (b.y0, self->cell_y);
    b.x1 = -floor_by (-b.x1, self->cell_x);
    b.y1 = -floor_by (-b.y1, self->cell_y);
    if (b.x0 >= self->width || b.y0 >= self->height || b.x1 <= 0 || b.y1 <= 0) {
      gst_emdtrack_leave_out (self, &all->choice[i],
          "its box lies outside of the frame; x and y are those of its upper "
          "left corner, pixels");
      continue;
    }
    around = (ImageBox){MIN (around.x0, b.x0), MIN (around.y0, b.y0),
        MAX (around.x1, b.x1), MAX (around.y1, b.y1)};
    all->choice[n] = all->choice[i];
    all->choice[n++].box = b;
  }
  all->n = n;
  return around;
}

/* Adds the content of the box of @c as the target @t. */
static const char *
add_box_target (GstEmdtrack *self, const GstEmdtrackParams *p,
    const GstEmdtrackChoice *c, GstEmdtrackTarget *t, const char **fault)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;

  if (p->map.histogram == EMDTRACK_CHANNELS)
    TRY (gst_emdtrack_measure_spectrum (
        &backend->device, self->emdtrack, c->box, &t->spectrum));
  *fault = emdtrack_tracker_add (
      self->tracker, self->emdtrack, &p->follow, c->box, &t->track.id);
  return NULL;
}

/* Adds the pattern of @c as the target @t: of the size of the box, or of the
 * picture if the box is empty. */
static const char *
add_pattern_target (GstEmdtrack *self, const GstEmdtrackParams *p,
    const GstEmdtrackChoice *c, GstEmdtrackStudy *study, GstEmdtrackTarget *t,
    const char **fault)
{
  gint width = c->box.x1 / self->cell_x, height = c->box.y1 / self->cell_y;
  EmdtrackTarget target;

  TRY (gst_emdtrack_study_target (
      self, study, p, c->pattern, &target, &t->spectrum));
  if (!c->box.x1) {
    width = study->width;
    height = study->height;
  }
  if (width > self->width || height > self->height)
    *fault = "it is larger than the frame";
  else
    *fault = emdtrack_tracker_add_target (self->tracker, &p->follow, &target,
        MAX (width, 1), MAX (height, 1), &t->track.id);
  return NULL;
}

static const char *
open_study (GstEmdtrack *self, const GstEmdtrackChoice *c, GstEmdtrackStudy *s)
{
  const char *fault;

  TRY (gst_emdtrack_study_open (self, c->pattern, s, &fault));
  if (fault)
    gst_emdtrack_leave_out (self, c, fault);
  return NULL;
}

static const char *
add_choice (GstEmdtrack *self, const GstEmdtrackParams *p,
    const GstEmdtrackChoice *c, GstEmdtrackStudy *study, GstBuffer *buffer)
{
  GstEmdtrackTarget *t = &self->target[self->n_targets];
  const char *fault;

  if (c->pattern && !study->is_open)
    return NULL;
  *t = (GstEmdtrackTarget){.since = GST_BUFFER_PTS (buffer)};
  g_strlcpy (t->name, c->name, sizeof t->name);
  if (c->pattern)
    TRY (add_pattern_target (self, p, c, study, t, &fault));
  else
    TRY (add_box_target (self, p, c, t, &fault));
  if (fault)
    gst_emdtrack_leave_out (self, c, fault);
  else
    self->n_targets++;
  return NULL;
}

/* Learns the codebook from the boxes and their surroundings or, if there are
 * pictures, from these and all of the frame. */
static const char *
learn_codebook (GstEmdtrack *self, int entries, const EmdtrackFrame *frame,
    ImageBox around, const GstEmdtrackStudy *studies, guint n)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  EmdtrackView views[EMDTRACK_VIEWS];
  int n_views = 1;

  views[0] = (EmdtrackView){
      frame, {0, 0, self->width, self->height}, around, BOX_WEIGHT};
  for (guint i = 0; i < n; i++) {
    const GstEmdtrackStudy *s = &studies[i];
    ImageBox all = {0, 0, s->width, s->height};

    if (s->emdtrack)
      views[n_views++] = (EmdtrackView){&s->frame, all, all,
          MAX (BOX_WEIGHT, PICTURE_WEIGHT / (s->width * s->height))};
  }
  if (n_views > 1)
    return emdtrack_codebook_learn_views (
        &backend->device, views, n_views, entries, &self->book);
  if (around.x0 >= around.x1)
    return NULL;
  return emdtrack_codebook_learn (
      &backend->device, frame, around, entries, &self->book);
}

/* Computes the brightness, spectra and index of the frame, which targets are
 * made from. */
static const char *
index_frame (
    GstEmdtrack *self, const GstEmdtrackParams *p, const EmdtrackFrame *frame)
{
  if (frame->layout == EMDTRACK_PLAIN)
    TRY (emdtrack_brightness (
        self->emdtrack, &p->follow, frame, &self->brightness));
  if (p->map.histogram == EMDTRACK_CHANNELS)
    TRY (emdtrack_queue_histograms (self->emdtrack, &p->map, frame));
  return emdtrack_index (self->emdtrack, &p->follow, frame);
}

const char *
gst_emdtrack_take_targets (GstEmdtrack *self, GstEmdtrackParams *p,
    const EmdtrackFrame *frame, GstBuffer *buffer, gboolean *are_new)
{
  GstEmdtrackChoices *all = steal_choices (self, buffer);
  GstEmdtrackStudy studies[EMDTRACK_TARGETS] = {0};
  const char *err = NULL;
  ImageBox around;

  *are_new = all != NULL;
  if (!all)
    return NULL;
  gst_emdtrack_drop_targets (self);
  around = clip_choices (self, all);
  for (guint i = 0; i < all->n && !err; i++)
    if (all->choice[i].pattern)
      err = open_study (self, &all->choice[i], &studies[i]);
  if (!err && p->follow.histogram == EMDTRACK_CODEBOOK)
    err = learn_codebook (self, p->follow.bins, frame, around, studies, all->n);
  if (!err)
    err = index_frame (self, p, frame);
  for (guint i = 0; i < all->n && !err; i++)
    err = add_choice (self, p, &all->choice[i], &studies[i], buffer);
  for (guint i = 0; i < all->n; i++)
    if (studies[i].device)
      gst_emdtrack_study_close (&studies[i]);
  gst_emdtrack_choices_free (all);
  return err;
}
