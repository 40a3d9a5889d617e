/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which targets are followed.  A property that is set leaves them in
 * self->pending, and the next frame takes them from there. */
#include <stdio.h>
#include <string.h>

#include "emdtrack/gstemdtrack.h"

/* ---- From text ---- */

/* "NAME:x,y,w,h" or "x,y,w,h". */
static const char *
parse_choice (const gchar *text, GstEmdtrackChoice *c)
{
  const gchar *colon = strchr (text, ':');
  gsize length = colon ? (gsize) (colon - text) : 0;
  int x, y, w, h, used = 0;

  if (length >= GST_EMDTRACK_NAME)
    return "a name is longer than 63 bytes";
  if (!g_utf8_validate (text, -1, NULL))
    return "it is not UTF-8";
  g_strlcpy (
      c->name, colon ? text : "target", colon ? length + 1 : GST_EMDTRACK_NAME);
  g_strstrip (c->name);
  if (sscanf (colon ? colon + 1 : text, " %d ,%d ,%d ,%d %n", &x, &y, &w, &h,
          &used) != 4 ||
      (colon ? colon + 1 : text)[used])
    return "a target is written NAME:x,y,width,height or x,y,width,height";
  if (w < 1 || h < 1)
    return "the box of a target is empty";
  if (ABS ((gint64) x) > EMDTRACK_MAX_SIDE ||
      ABS ((gint64) y) > EMDTRACK_MAX_SIDE || w > EMDTRACK_MAX_SIDE ||
      h > EMDTRACK_MAX_SIDE)
    return "the box of a target is larger or farther off than a frame can be";
  c->box = (ImageBox){x, y, x + w, y + h};
  return NULL;
}

static const char *
parse (const gchar *text, GstEmdtrackChoices *all)
{
  gchar **entries = g_strsplit (text, ";", -1);
  const char *err = NULL;

  for (guint i = 0; entries[i] && !err; i++) {
    g_strstrip (entries[i]);
    if (!*entries[i])
      continue;
    err = all->n == EMDTRACK_TARGETS
        ? "there can be 8 targets"
        : parse_choice (entries[i], &all->choice[all->n++]);
  }
  g_strfreev (entries);
  return err;
}

/* Before the pipeline has a bus the message is kept for the start. */
void
gst_emdtrack_report_problem (GstEmdtrack *self)
{
  GstBus *bus = gst_element_get_bus (GST_ELEMENT (self));
  gchar *problem = NULL;

  if (bus) {
    GST_OBJECT_LOCK (self);
    problem = g_steal_pointer (&self->problem);
    GST_OBJECT_UNLOCK (self);
    gst_object_unref (bus);
  }
  if (problem)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("targets: %s. The targets before stay.", problem), (NULL));
  g_free (problem);
}

void
gst_emdtrack_set_targets (GstEmdtrack *self, const gchar *text)
{
  GstEmdtrackChoices *all = g_new0 (GstEmdtrackChoices, 1);
  const char *err = parse (text ? text : "", all);

  GST_OBJECT_LOCK (self);
  g_clear_pointer (&self->problem, g_free);
  if (err) {
    self->problem = g_strdup (err);
    g_free (all);
  } else {
    g_free (self->pending);
    self->pending = all;
    g_free (self->targets);
    self->targets = g_strdup (text);
  }
  GST_OBJECT_UNLOCK (self);
  gst_emdtrack_report_problem (self);
}

void
gst_emdtrack_set_target_meta (GstEmdtrack *self, const gchar *type)
{
  GST_OBJECT_LOCK (self);
  g_free (self->target_meta);
  self->target_meta = type && *type ? g_strdup (type) : NULL;
  self->meta_pending = self->target_meta != NULL;
  GST_OBJECT_UNLOCK (self);
}

void
gst_emdtrack_choose_again (GstEmdtrack *self)
{
  GstEmdtrackChoices *all = g_new0 (GstEmdtrackChoices, 1);

  GST_OBJECT_LOCK (self);
  parse (self->targets ? self->targets : "", all);
  g_free (self->pending);
  self->pending = all;
  self->meta_pending = self->target_meta != NULL;
  GST_OBJECT_UNLOCK (self);
}

/* ---- What is known of them ---- */

void
gst_emdtrack_drop_targets (GstEmdtrack *self)
{
  for (guint k = 0; k < self->n_targets; k++)
    emdtrack_tracker_remove (self->tracker, self->target[k].track.id);
  self->n_targets = 0;
}

const char *
gst_emdtrack_lose_targets (GstEmdtrack *self)
{
  GstEmdtrackParams p;

  TRY (gst_emdtrack_get_params (self, &p));
  for (guint k = 0; k < self->n_targets; k++) {
    EmdtrackTrack *t = &self->target[k].track;

    emdtrack_tracker_remove (self->tracker, t->id);
    TRY (emdtrack_tracker_add_target (self->tracker, &p.follow, &t->target,
        t->x1 - t->x0, t->y1 - t->y0, &t->id));
    self->target[k].since = GST_CLOCK_TIME_NONE;
  }
  return NULL;
}

/* ---- Taking them from a frame ---- */

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
    const EmdtrackFrame *frame, GstBuffer *buffer)
{
  GstVisionBackend *backend =
      gst_vision_filter_get_backend (GST_VISION_FILTER (self));
  GstEmdtrackChoices *all = steal_choices (self, buffer);
  const char *err = NULL;
  ImageBox around;

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
