/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A target that a file shows, as a frame of its own: the codebook is learned
 * from it too, and its histogram is counted in it. */
#include "emdtrack/gstemdtrack.h"

#define PATCH 8       /* side of the picture of a spectrum, pixels */
#define BRIGHT 65535. /* of its strongest channel */
#define BRIGHT_RGB 255.

/* A picture of one spectrum all over. */
static void
paint_spectrum (const GstEmdtrack *self, GstEmdtrackPattern *p)
{
  gboolean plain = self->frame.layout == EMDTRACK_PLAIN;
  gsize area = PATCH * PATCH;
  gdouble max = 0;

  for (gint c = 0; c < p->n; c++)
    max = MAX (max, p->weight[c]);
  p->image = (Image){.format = plain ? IMAGE_RGB : IMAGE_GRAY16,
      .width = PATCH,
      .height = plain ? PATCH : PATCH * p->n,
      .stride = {PATCH * (plain ? 3 : 2)}};
  p->bytes = (gsize) p->image.stride[0] * p->image.height;
  p->pixels = g_malloc (p->bytes);
  for (gint c = 0; c < p->n; c++)
    for (gsize i = 0; i < area; i++) {
      gdouble part = p->weight[c] / max;

      if (plain)
        p->pixels[3 * i + c] = (guint8) (part * BRIGHT_RGB + .5);
      else
        GST_WRITE_UINT16_LE (
            p->pixels + 2 * (c * area + i), (guint16) (part * BRIGHT + .5));
    }
}

/* What of @choice does not go with the frames; NULL where all does. */
static const char *
check (GstEmdtrack *self, const GstEmdtrackChoice *c, EmdtrackFrame *frame)
{
  const GstEmdtrackPattern *p = c->pattern;
  gboolean of_channels = self->fixed.histogram == EMDTRACK_CHANNELS;
  int width, height;

  if (self->fixed.histogram == EMDTRACK_CODEBOOK && p->n)
    return "over a codebook its file must be a picture; histograms are for "
           "histogram=intensity and channels";
  if (p->n && p->n != self->fixed.bins)
    return "the histogram of its file has another number of bins";
  if (p->n)
    return NULL;
  frame->image = p->image;
  return emdtrack_frame_size (frame, &width, &height) ||
          (of_channels && frame->layout == EMDTRACK_PLAIN &&
              p->image.format != IMAGE_RGB)
      ? "the picture of its file does not have its channels as the frames do"
      : NULL;
}

/* Rows of the picture's size go to the device. */
static const char *
upload (GstEmdtrackStudy *s, const GstEmdtrackPattern *p)
{
  TRY (device_alloc (s->device, &s->memory, p->bytes));
  TRY (device_copy (s->device, s->memory, p->pixels, p->bytes));
  s->frame.image.plane[0] = s->memory;
  return device_wait (s->device);
}

const char *
gst_emdtrack_study_open (
    GstEmdtrack *self, GstEmdtrackChoice *c, GstEmdtrackStudy *s)
{
  GstEmdtrackPattern *p = c->pattern;
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  const char *fault;

  *s = (GstEmdtrackStudy){.device = &backend->device, .frame = self->frame};
  fault = check (self, c, &s->frame);
  if (fault) {
    gst_emdtrack_leave_out (self, c, fault);
    return NULL;
  }
  if (p->n && self->fixed.histogram == EMDTRACK_CHANNELS) {
    paint_spectrum (self, p);
    if (s->frame.layout != EMDTRACK_PLAIN)
      s->frame.layout = EMDTRACK_STACKED;
  }
  s->is_open = TRUE;
  s->frame.image = p->image;
  if (!p->pixels)
    return NULL;
  TRY (emdtrack_frame_size (&s->frame, &s->width, &s->height));
  TRY (emdtrack_new (&s->emdtrack, s->device, s->width, s->height));
  return upload (s, p);
}

void
gst_emdtrack_study_close (GstEmdtrackStudy *s)
{
  emdtrack_free (s->emdtrack);
  device_release (s->device, s->memory);
}

/* Grey values of 8 bits have their own white. */
static EmdtrackParams
params_for (const GstEmdtrack *self, const GstEmdtrackStudy *s,
    const EmdtrackParams *params)
{
  EmdtrackParams p = *params;

  p.gain = 1;
  if ((s->frame.image.format == IMAGE_GRAY16) !=
      (self->frame.image.format == IMAGE_GRAY16))
    p.white = 0;
  return p;
}

/* All of the picture, weighted as boxes of frames are. */
static const char *
count (GstEmdtrackStudy *s, const EmdtrackParams *p, EmdtrackTarget *target)
{
  EmdtrackRegion all = {{0, 0, s->width, s->height}, 1};
  const uint32_t *counts;

  TRY (emdtrack_index (s->emdtrack, p, &s->frame));
  TRY (emdtrack_count (s->emdtrack, &all, 1, &counts));
  for (gint i = 0; i < p->bins; i++)
    target->weight[i] = counts[i];
  return NULL;
}

const char *
gst_emdtrack_study_target (GstEmdtrack *self, GstEmdtrackStudy *s,
    const GstEmdtrackParams *params, const GstEmdtrackPattern *pattern,
    EmdtrackTarget *target, EmdtrackTarget *spectrum)
{
  EmdtrackParams p = params_for (self, s, &params->follow);
  EmdtrackTarget given = {{0}};

  for (gint i = 0; i < pattern->n; i++)
    given.weight[i] = pattern->weight[i];
  *target = *spectrum = given;
  if (!s->emdtrack)
    return NULL;
  if (!pattern->n && params->map.histogram == EMDTRACK_CHANNELS) {
    TRY (emdtrack_queue_histograms (s->emdtrack, &params->map, &s->frame));
    TRY (gst_emdtrack_measure_spectrum (s->device, s->emdtrack,
        (ImageBox){0, 0, s->width, s->height}, spectrum));
  }
  *target = (EmdtrackTarget){{0}};
  return count (s, &p, target);
}
