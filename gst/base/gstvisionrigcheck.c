/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether numbers can be those of a rig. */
#include "base/gstvisionrig.h"

#include <math.h>

#include "base/gstvisionmatrix.h"

static gboolean
is_rotation (const gdouble *r)
{
  gdouble det = r[0] * (r[4] * r[8] - r[5] * r[7]) -
      r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);

  for (gint i = 0; i < 3; i++)
    for (gint j = 0; j < 3; j++) {
      gdouble dot = 0;

      for (gint k = 0; k < 3; k++)
        dot += r[3 * i + k] * r[3 * j + k];
      if (!(fabs (dot - (i == j)) < 1e-3))
        return FALSE;
    }
  return det > 0;
}

static gboolean
is_camera (const gdouble *k, guint columns)
{
  return k[0] > 0 && k[columns + 1] > 0 && k[2 * columns + 2] == 1 &&
      k[columns] == 0 && k[2 * columns] == 0 && k[2 * columns + 1] == 0;
}

static gboolean
check_view (const GstVisionRigView *v, const gchar *side, GError **error)
{
  if (!is_camera (v->k, 3))
    REFUSE ("the camera matrix of the %s view is none: it is fx 0 cx, 0 fy cy, "
            "0 0 1, with fx and fy above 0; calibrate again",
        side);
  if (!is_camera (v->p, 4))
    REFUSE ("the projection of the %s view is none; run stereoRectify, or "
            "vision-calibrate",
        side);
  if (!is_rotation (v->r))
    REFUSE ("the rectifying rotation of the %s view is singular, scaled or "
            "mirrored; run stereoRectify, or vision-calibrate",
        side);
  return TRUE;
}

static gboolean
are_near (gdouble a, gdouble b)
{
  return fabs (a - b) <= 1e-3 * MAX (fabs (a), 1);
}

gboolean
gst_vision_rig_check (const GstVisionRig *rig, GError **error)
{
  const gdouble *l = rig->view[0].p, *r = rig->view[1].p;

  if (!check_view (&rig->view[0], "left", error) ||
      !check_view (&rig->view[1], "right", error))
    return FALSE;
  if (!are_near (l[0], r[0]) || !are_near (l[5], r[5]) ||
      !are_near (l[6], r[6]))
    REFUSE ("rows of the two rectified views do not meet: fx, fy and cy of "
            "their projections differ; rectify them together");
  if (r[3] == 0 && r[7] != 0)
    REFUSE ("one camera is above the other; turn the rig by 90 degrees and "
            "calibrate again");
  if (r[3] == 0)
    REFUSE ("the baseline is 0: the projection of the right view has none; "
            "calibrate the two cameras as a pair");
  if (r[3] > 0)
    REFUSE ("the right camera is on the left of the left one; swap the two "
            "views");
  if (rig->q[10] == 0 && rig->q[14] == 0)
    REFUSE ("Q is singular: depth does not depend on disparity; run "
            "stereoRectify, or vision-calibrate");
  return TRUE;
}

static gboolean
is_central (gdouble centre, guint size)
{
  return fabs ((centre + .5) / size - .5) <= .2;
}

gboolean
gst_vision_rig_fits (
    const GstVisionRig *rig, guint width, guint height, GError **error)
{
  if (rig->width) {
    if (rig->width != width || rig->height != height)
      REFUSE ("the rig was calibrated at %u x %u and frames are %u x %u; scale "
              "the frames to %u x %u, or calibrate again at %u x %u",
          rig->width, rig->height, width, height, rig->width, rig->height,
          width, height);
    return TRUE;
  }
  for (gint i = 0; i < 2; i++) {
    const gdouble *k = rig->view[i].k;

    if (!is_central (k[2], width) || !is_central (k[5], height))
      REFUSE ("the rig was calibrated at another size than %u x %u, it seems: "
              "a camera looks at %.0f, %.0f; scale the frames to about %.0f x "
              "%.0f, or calibrate again at %u x %u; if it was that size, add "
              "image_width and image_height to the file",
          width, height, k[2], k[5], 2 * k[2] + 1, 2 * k[5] + 1, width, height);
  }
  return TRUE;
}
