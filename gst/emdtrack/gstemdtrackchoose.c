/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Targets made of what was chosen, in the frame that comes next. */
#include "emdtrack/gstemdtrack.h"

/* Adds the upstream regions of interest that are wanted, once there are any. */
static GstEmdtrackChoices *
add_regions (GstEmdtrackChoices *all, const gchar *wanted, GstBuffer *buffer)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *) meta;
    const gchar *type = g_quark_to_string (roi->roi_type);
    GstEmdtrackChoice *c;

    if (g_strcmp0 (type, wanted) || !roi->w || !roi->h ||
        roi->x > EMDTRACK_MAX_SIDE || roi->y > EMDTRACK_MAX_SIDE ||
        roi->w > EMDTRACK_MAX_SIDE || roi->h > EMDTRACK_MAX_SIDE)
      continue;
    all = all ? all : g_new0 (GstEmdtrackChoices, 1);
    if (all->n == EMDTRACK_TARGETS)
      break;
    c = &all->choice[all->n++];
    g_strlcpy (c->name, type, sizeof c->name);
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
  guint before;

  GST_OBJECT_LOCK (self);
  all = g_steal_pointer (&self->pending);
  before = all ? all->n : 0;
  if (self->meta_pending) {
    all = add_regions (all, self->target_meta, buffer);
    self->meta_pending = !all || all->n == before;
  }
  GST_OBJECT_UNLOCK (self);
  return all;
}

static int
floor_by (int n, int by)
{
  return n >= 0 ? n / by : -((by - 1 - n) / by);
}

/* Leaves out what lies outside the frame, and gives the rest in pixels of a
 * channel; returns the box around it. */
static ImageBox
clip (GstEmdtrack *self, GstEmdtrackChoices *all)
{
  ImageBox around = {self->width, self->height, 0, 0};
  guint n = 0;

  for (guint i = 0; i < all->n; i++) {
    ImageBox b = all->choice[i].box;

    b.x0 = floor_by (b.x0, self->cell_x);
    b.y0 = floor_by (b.y0, self->cell_y);
    b.x1 = -floor_by (-b.x1, self->cell_x);
    b.y1 = -floor_by (-b.y1, self->cell_y);
    if (b.x0 >= self->width || b.y0 >= self->height || b.x1 <= 0 || b.y1 <= 0) {
      gst_vision_filter_fault (
          GST_VISION_FILTER (self), "the box of a target lies outside of it");
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

/* The mean spectrum of @box: what pixels are compared with. */
static const char *
measure_spectrum (GstEmdtrack *self, ImageBox box, EmdtrackTarget *target)
{
  GstVisionBackend *backend =
      gst_vision_filter_get_backend (GST_VISION_FILTER (self));
  int x0 = MAX (box.x0, 0), y0 = MAX (box.y0, 0);
  gsize w = MIN (box.x1, self->width) - x0, h = MIN (box.y1, self->height) - y0;
  gsize row = (gsize) self->width * EMDTRACK_BINS;
  guint8 *spectra = g_malloc (w * h * EMDTRACK_BINS);
  const char *err =
      device_copy_rows (&backend->device, spectra, w * EMDTRACK_BINS,
          emdtrack_histograms (self->emdtrack) + y0 * row +
              (gsize) x0 * EMDTRACK_BINS,
          row, w * EMDTRACK_BINS, h);

  if (!err)
    err = device_wait (&backend->device);
  *target = (EmdtrackTarget){{0}};
  for (gsize i = 0; !err && i < w * h * EMDTRACK_BINS; i++)
    target->weight[i % EMDTRACK_BINS] += spectra[i];
  g_free (spectra);
  return err;
}

static const char *
add_target (GstEmdtrack *self, const GstEmdtrackParams *p,
    const GstEmdtrackChoice *c, GstBuffer *buffer)
{
  GstEmdtrackTarget *t = &self->target[self->n_targets];
  const char *fault;

  *t = (GstEmdtrackTarget){.since = GST_BUFFER_PTS (buffer)};
  g_strlcpy (t->name, c->name, sizeof t->name);
  if (p->map.histogram == EMDTRACK_CHANNELS)
    TRY (measure_spectrum (self, c->box, &t->spectrum));
  fault = emdtrack_tracker_add (
      self->tracker, self->emdtrack, &p->follow, c->box, &t->track.id);
  if (fault)
    gst_vision_filter_fault (GST_VISION_FILTER (self), fault);
  else
    self->n_targets++;
  return NULL;
}

const char *
gst_emdtrack_take_targets (GstEmdtrack *self, GstEmdtrackParams *p,
    const EmdtrackFrame *frame, GstBuffer *buffer, gboolean *are_new)
{
  GstVisionBackend *backend =
      gst_vision_filter_get_backend (GST_VISION_FILTER (self));
  GstEmdtrackChoices *all = steal_choices (self, buffer);
  const char *err = NULL;
  ImageBox around;

  *are_new = all != NULL;
  if (!all)
    return NULL;
  gst_emdtrack_drop_targets (self);
  around = clip (self, all);
  if (all->n && p->follow.histogram == EMDTRACK_CODEBOOK)
    err = emdtrack_codebook_learn (
        &backend->device, frame, around, self->fixed_bins, &self->book);
  if (!err && frame->layout == EMDTRACK_PLAIN)
    err = emdtrack_brightness (
        self->emdtrack, &p->follow, frame, &self->brightness);
  if (!err && p->map.histogram == EMDTRACK_CHANNELS)
    err = emdtrack_queue_histograms (self->emdtrack, &p->map, frame);
  if (!err)
    err = emdtrack_index (self->emdtrack, &p->follow, frame);
  for (guint i = 0; i < all->n && !err; i++)
    err = add_target (self, p, &all->choice[i], buffer);
  g_free (all);
  return err;
}
