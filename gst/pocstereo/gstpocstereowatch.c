/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What can be wrong with a rig and is seen in its frames: views that are
 * swapped, and rows that do not meet.  The first frames are looked at, and a
 * frame now and then. */
#include <math.h>

#include "pocstereo/gstpocstereo.h"

#define FIRST 5    /* frames that are looked at, from the first on, */
#define PAUSE 250  /* and then every so many */
#define COLUMNS 16 /* of points that are asked */
#define ROWS 12
/* Of identical windows 65535; wrong matches reach a third of that. */
#define GOOD_PEAK (G_MAXUINT16 / 2)
/* Half a row of offset costs a window of 15 lines a tenth of its peak; from
 * there on matches are lost. */
#define MOST_ROWS .5

static const char *
count_good (GstPocstereo *self, const PocstereoParams *params,
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

/* A rig whose disparities cannot have one of the signs, and that has those of
 * the other. */
static const char *
look_for_swapped (GstPocstereo *self, const PocstereoParams *params,
    const PocstereoFrame *frame)
{
  PocstereoParams p = *params;
  guint right, wrong;

  if (params->min_disparity < 0 && params->max_disparity > 0)
    return NULL;
  TRY (count_good (self, &p, frame, &right));
  p.min_disparity = -params->max_disparity;
  p.max_disparity = -params->min_disparity;
  TRY (count_good (self, &p, frame, &wrong));
  if (wrong < ROWS * COLUMNS / 4 || wrong < 2 * right) {
    self->n_swapped = 0;
    return NULL;
  }
  if (++self->n_swapped != FIRST || self->warned_swapped)
    return NULL;
  self->warned_swapped = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("The views seem to be swapped: of %d points, %u fit disparities of the "
       "other sign and %u those from %d to %d. Link the cameras the other way "
       "round, or swap min-disparity and max-disparity and their signs.",
          ROWS * COLUMNS, wrong, right, params->min_disparity,
          params->max_disparity),
      (NULL));
  return NULL;
}

static const char *
measure_rows (GstPocstereo *self, const PocstereoFrame *frame)
{
  PocstereoOffset offset;

  if (!self->global)
    return NULL;
  TRY (pocstereo_global_run (self->global, frame, &offset));
  if (offset.contrast < POCSTEREO_GLOBAL_CONTRAST)
    return NULL;
  gst_vision_common_set_stat (
      gst_pocstereo_get_common (self), "vertical-offset", offset.vertical);
  self->n_askew = fabs (offset.vertical) > MOST_ROWS ? self->n_askew + 1 : 0;
  if (self->n_askew != FIRST || self->warned_askew)
    return NULL;
  self->warned_askew = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("The right view shows all %.2f rows %s than the left one, but rows must "
       "meet. %s",
          fabs (offset.vertical), offset.vertical > 0 ? "lower" : "higher",
          self->rectified
              ? "The rig has moved since it was calibrated: calibrate it again."
              : "Calibrate the rig with vision-calibrate and set calibration."),
      (NULL));
  return NULL;
}

const char *
gst_pocstereo_open_watch (GstPocstereo *self, const Device *device)
{
  const char *err;

  self->n_watched = self->n_swapped = self->n_askew = 0;
  TRY (pocstereo_new (&self->probe, device, self->width, self->height));
  err = pocstereo_global_new (&self->global, device, self->width, self->height);
  if (!err)
    return NULL;
  GST_INFO_OBJECT (self, "vertical offsets are not measured: %s", err);
  g_clear_pointer (&self->global, pocstereo_global_free);
  return NULL;
}

void
gst_pocstereo_close_watch (GstPocstereo *self)
{
  g_clear_pointer (&self->probe, pocstereo_free);
  g_clear_pointer (&self->global, pocstereo_global_free);
}

const char *
gst_pocstereo_watch (GstPocstereo *self, const PocstereoParams *params,
    const PocstereoFrame *frame)
{
  guint n = self->n_watched++;

  if (n >= FIRST && n % PAUSE)
    return NULL;
  TRY (look_for_swapped (self, params, frame));
  return measure_rows (self, frame);
}
