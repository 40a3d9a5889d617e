/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Faults of a rig that frames show: swapped views, views of different scenes,
 * and rows that do not agree.  The element examines the first frames and then a
 * frame now and then; if the stream ends sooner, as with one picture, it judges
 * by the frames so far. */
#include <math.h>

#include "pocstereo/gstpocstereo.h"

/* Number of frames, from the first on, that are examined and must agree. */
#define FIRST 5
#define PAUSE 250 /* frames from one examined frame to the next */

#define COLUMNS 16 /* of the grid of points */
#define ROWS 12
/* Identical windows have a peak of 65535, wrong matches up to a third. */
#define GOOD_PEAK (G_MAXUINT16 / 2)
/* Fewer good points are chance: 28 to 159 points matched in seven real pairs, 0
 * to 9 in the halves of nine pictures, but 22 in a chessboard and 114 in a
 * plain table, where blocks of the compression are alike. */
#define FEW (ROWS * COLUMNS / 16)
/* An offset of half a row lowers the peak of a window of 15 lines by a tenth;
 * matches are lost beyond. */
#define MAX_ROWS .5
/* Views that do not match count as askew up to this part of their height, and
 * as different scenes beyond. */
#define MAX_ASKEW (1. / 16)
/* If fewer than FIRST frames were examined, contrast and offset must be this
 * many times as large: a chessboard repeats itself further down and may have a
 * false offset with a contrast of 9. */
#define PLAIN 2

static const char *
count_good_points (GstPocstereo *self, const PocstereoParams *params,
    const PocstereoFrame *frame, guint *n)
{
  PocstereoPoint points[ROWS * COLUMNS];
  const PocstereoMatch *matches;

  for (gint i = 0; i < ROWS * COLUMNS; i++)
    points[i] =
        (PocstereoPoint){(2 * (i % COLUMNS) + 1) * self->width / (2 * COLUMNS),
            (2 * (i / COLUMNS) + 1) * self->height / (2 * ROWS)};
  TRY (pocstereo_points (
      self->probe, params, frame, points, ROWS * COLUMNS, &matches));
  *n = 0;
  for (gint i = 0; i < ROWS * COLUMNS; i++)
    *n += matches[i].disparity != POCSTEREO_NONE && matches[i].peak > GOOD_PEAK;
  return NULL;
}

static void
warn_of_swapped_views (GstPocstereo *self, const PocstereoParams *params)
{
  if (self->warned_swapped)
    return;
  self->warned_swapped = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("The views seem to be swapped: of %d points, %u fit disparities of the "
       "other sign and %u those from %d to %d. Link the cameras the other way "
       "round, or swap min-disparity and max-disparity and their signs.",
          ROWS * COLUMNS, self->n_wrong, self->n_right, params->min_disparity,
          params->max_disparity),
      (NULL));
}

/* The views are swapped if the range lacks one sign, and disparities of that
 * sign fit. */
static const char *
look_for_swapped_views (GstPocstereo *self, const PocstereoParams *params,
    const PocstereoFrame *frame)
{
  PocstereoParams p = *params;

  if (params->min_disparity < 0 && params->max_disparity > 0)
    return NULL;
  p.min_disparity = -params->max_disparity;
  p.max_disparity = -params->min_disparity;
  TRY (count_good_points (self, &p, frame, &self->n_wrong));
  self->n_swapped =
      self->n_wrong < ROWS * COLUMNS / 4 || self->n_wrong < 2 * self->n_right
      ? 0
      : self->n_swapped + 1;
  if (self->n_swapped == FIRST)
    warn_of_swapped_views (self, params);
  return NULL;
}

static void
warn_of_different_views (GstPocstereo *self, const PocstereoParams *params)
{
  if (self->warned_apart)
    return;
  self->warned_apart = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("The views do not match: of %d points, %u have the same surroundings in "
       "both at disparities from %d to %d. %s must show the same scene; if "
       "they do, another range of disparities or a calibration is needed.",
          ROWS * COLUMNS, self->n_right, params->min_disparity,
          params->max_disparity,
          GST_ELEMENT (self)->numsinkpads == 1 ? "Both halves of a frame"
                                               : "Both inputs"),
      (NULL));
}

/* The views show different scenes if hardly any points match. */
static void
look_for_different_views (GstPocstereo *self, const PocstereoParams *params)
{
  GST_INFO_OBJECT (
      self, "%u of %d points match", self->n_right, ROWS * COLUMNS);
  /* swapped or skewed views have warnings of their own */
  self->n_apart = self->n_right < FEW && !self->n_swapped && !self->n_askew
      ? self->n_apart + 1
      : 0;
  if (self->n_apart == FIRST)
    warn_of_different_views (self, params);
}

static void
warn_of_askew_rows (GstPocstereo *self)
{
  gdouble rows = self->offset.vertical;

  if (self->warned_askew)
    return;
  self->warned_askew = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("The right view shows all %.2f rows %s than the left one, but rows must "
       "meet. %s",
          fabs (rows), rows > 0 ? "lower" : "higher",
          self->rectified
              ? "The rig has moved since it was calibrated: calibrate it again."
              : "Calibrate the rig with vision-calibrate and set calibration."),
      (NULL));
}

static const char *
measure_vertical_offset (GstPocstereo *self, const PocstereoFrame *frame)
{
  PocstereoOffset *offset = &self->offset;
  gdouble max_rows;

  if (!self->global)
    return NULL;
  TRY (pocstereo_global_run (self->global, frame, offset));
  if (offset->contrast < POCSTEREO_GLOBAL_CONTRAST)
    return NULL;
  gst_vision_common_set_stat (
      gst_vision_common (self), "vertical-offset", offset->vertical);
  max_rows = self->n_right < FEW ? self->height * MAX_ASKEW : self->height;
  self->n_askew =
      fabs (offset->vertical) > MAX_ROWS && fabs (offset->vertical) < max_rows
      ? self->n_askew + 1
      : 0;
  if (self->n_askew == FIRST)
    warn_of_askew_rows (self);
  return NULL;
}

/* Warns at the end of a stream of fewer frames than FIRST. */
static void
end_diagnosis (GstPocstereo *self)
{
  PocstereoParams params = gst_pocstereo_get_params (self);
  guint n = self->n_diagnosed;

  if (n == 0 || n >= FIRST)
    return;
  if (self->n_swapped == n)
    warn_of_swapped_views (self, &params);
  if (self->n_apart == n)
    warn_of_different_views (self, &params);
  if (self->n_askew == n &&
      self->offset.contrast >= PLAIN * POCSTEREO_GLOBAL_CONTRAST &&
      fabs (self->offset.vertical) >= PLAIN * MAX_ROWS)
    warn_of_askew_rows (self);
}

/* Runs in the thread of the source pad, as frames do. */
static GstPadProbeReturn
see_end_of_stream (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  (void) user_data;
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    end_diagnosis (GST_POCSTEREO (GST_PAD_PARENT (pad)));
  return GST_PAD_PROBE_OK;
}

const char *
gst_pocstereo_open_diagnosis (GstPocstereo *self, const Device *device)
{
  const char *err;

  self->n_diagnosed = self->n_swapped = self->n_askew = self->n_apart = 0;
  self->end = gst_pad_add_probe (GST_AGGREGATOR (self)->srcpad,
      GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see_end_of_stream, NULL, NULL);
  TRY (pocstereo_new (&self->probe, device, self->width, self->height));
  err = pocstereo_global_new (&self->global, device, self->width, self->height);
  if (!err)
    return NULL;
  GST_INFO_OBJECT (self, "vertical offsets are not measured: %s", err);
  g_clear_pointer (&self->global, pocstereo_global_free);
  return NULL;
}

void
gst_pocstereo_close_diagnosis (GstPocstereo *self)
{
  g_clear_pointer (&self->probe, pocstereo_free);
  g_clear_pointer (&self->global, pocstereo_global_free);
  if (self->end)
    gst_pad_remove_probe (GST_AGGREGATOR (self)->srcpad, self->end);
  self->end = 0;
}

const char *
gst_pocstereo_diagnose_frame (GstPocstereo *self, const PocstereoParams *params,
    const PocstereoFrame *frame)
{
  guint n = self->n_diagnosed++;

  if (n >= FIRST && n % PAUSE)
    return NULL;
  TRY (count_good_points (self, params, frame, &self->n_right));
  TRY (look_for_swapped_views (self, params, frame));
  TRY (measure_vertical_offset (self, frame));
  look_for_different_views (self, params);
  return NULL;
}
