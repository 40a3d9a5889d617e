/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Targets made of what was chosen, in the frame that comes next. */
#include "common/utf8.h"
#include "emdtrack/gstemdtrack.h"

#define BOX_WEIGHT 3        /* of a target's pixels in its codebook */
#define PICTURE_WEIGHT 4096 /* of a picture, in pixels of the frame */

/* Adds the upstream regions of interest that are wanted, once there are any.
 * @fault: what is wrong with one. */
static GstEmdtrackChoices *
add_regions (GstEmdtrackChoices *all, const gchar *wanted, GstBuffer *buffer,
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

/* What was chosen since the last frame; NULL where nothing was. */
static GstEmdtrackChoices *
steal_choices (GstEmdtrack *self, GstBuffer *buffer)
{
  GstEmdtrackChoices *all;
  const char *fault = NULL;
  guint before;

  GST_OBJECT_LOCK (self);
  all = g_steal_pointer (&self->pending);
  before = all ? all->n : 0;
  if (self->meta_pending) {
    all = add_regions (all, self->target_meta, buffer, &fault);
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

/* Leaves out boxes outside the frame, and gives the rest in pixels of a
 * channel; returns the box around them. */
static ImageBox
clip (GstEmdtrack *self, GstEmdtrackChoices *all)
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

const char *
gst_emdtrack_measure_spectrum (const Device *device, const Emdtrack *emdtrack,
    ImageBox box, EmdtrackTarget *target)
{
  int width, height, x0 = MAX (box.x0, 0), y0 = MAX (box.y0, 0);
  guint8 *spectra;
  const char *err;
  gsize w, h, row;

  emdtrack_size (emdtrack, &width, &height);
  w = MIN (box.x1, width) - x0;
  h = MIN (box.y1, height) - y0;
  row = (gsize) width * EMDTRACK_BINS;
  spectra = g_malloc (w * h * EMDTRACK_BINS);
  err = device_copy_rows (device, spectra, w * EMDTRACK_BINS,
      emdtrack_histograms (emdtrack) + y0 * row + (gsize) x0 * EMDTRACK_BINS,
      row, w * EMDTRACK_BINS, h);
  if (!err)
    err = device_wait (device);
  *target = (EmdtrackTarget){{0}};
  for (gsize i = 0; !err && i < w * h * EMDTRACK_BINS; i++)
    target->weight[i % EMDTRACK_BINS] += spectra[i];
  g_free (spectra);
  return err;
}

/* What is in the box of @c. */
static const char *
add_box (GstEmdtrack *self, const GstEmdtrackParams *p,
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

/* What the file of @c shows, of the size that is asked for or that it has. */
static const char *
add_pattern (GstEmdtrack *self, const GstEmdtrackParams *p,
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
add_target (GstEmdtrack *self, const GstEmdtrackParams *p,
    const GstEmdtrackChoice *c, GstEmdtrackStudy *study, GstBuffer *buffer)
{
  GstEmdtrackTarget *t = &self->target[self->n_targets];
  const char *fault;

  if (c->pattern && !study->is_open)
    return NULL;
  *t = (GstEmdtrackTarget){.since = GST_BUFFER_PTS (buffer)};
  g_strlcpy (t->name, c->name, sizeof t->name);
  if (c->pattern)
    TRY (add_pattern (self, p, c, study, t, &fault));
  else
    TRY (add_box (self, p, c, t, &fault));
  if (fault)
    gst_emdtrack_leave_out (self, c, fault);
  else
    self->n_targets++;
  return NULL;
}

/* The codebook is one of the boxes and what is around them; where a picture is
 * looked for, of it and all of the frame. */
static const char *
learn (GstEmdtrack *self, const EmdtrackFrame *frame, ImageBox around,
    const GstEmdtrackStudy *studies, guint n)
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
        &backend->device, views, n_views, self->fixed_bins, &self->book);
  if (around.x0 >= around.x1)
    return NULL;
  return emdtrack_codebook_learn (
      &backend->device, frame, around, self->fixed_bins, &self->book);
}

/* All that the targets are measured with. */
static const char *
prepare (
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
  around = clip (self, all);
  for (guint i = 0; i < all->n && !err; i++)
    if (all->choice[i].pattern)
      err = gst_emdtrack_study_open (self, &all->choice[i], &studies[i]);
  if (!err && p->follow.histogram == EMDTRACK_CODEBOOK)
    err = learn (self, frame, around, studies, all->n);
  if (!err)
    err = prepare (self, p, frame);
  for (guint i = 0; i < all->n && !err; i++)
    err = add_target (self, p, &all->choice[i], &studies[i], buffer);
  for (guint i = 0; i < all->n; i++)
    if (studies[i].device)
      gst_emdtrack_study_close (&studies[i]);
  gst_emdtrack_choices_free (all);
  return err;
}
