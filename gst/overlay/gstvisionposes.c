/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What of an object is more than its box: its silhouette, and its pose as three
 * axes. */
#include <math.h>

#include "overlay/gstvisionmarks.h"

/* Of axes, metres, where the object's extent is not known. */
#define LENGTH .05

/* Nearer to the camera there is nothing to be drawn, metres. */
#define NEAREST .01

static const OverlayColour shade = {8, 10, 14, 130};
static const OverlayColour axes[3] = {
    {235, 64, 52, 255}, {76, 196, 80, 255}, {66, 120, 245, 255}};

static gdouble
thickness (const GstVisionMarks *self)
{
  return (2 * self->line + 2) / 3;
}

static gdouble
rim (const GstVisionMarks *self)
{
  return (self->line + 2) / 3;
}

void
gst_vision_marks_outline (
    GstVisionMarks *self, const GstVisionObject *object, OverlayColour colour)
{
  const gdouble *xy = object->outline.values;
  guint n = object->outline.n / 2;

  if (object->state == GST_VISION_STATE_OCCLUDED)
    return;
  for (gint pass = 0; pass < 2; pass++) {
    overlay_stroke (self->list, pass ? colour : shade);
    for (guint i = 0; i < n; i++) {
      guint j = (i + 1) % n;

      overlay_line (self->list, (xy[2 * i] + .5) * self->scale_x - .5,
          (xy[2 * i + 1] + .5) * self->scale_y - .5,
          (xy[2 * j] + .5) * self->scale_x - .5,
          (xy[2 * j + 1] + .5) * self->scale_y - .5,
          thickness (self) + (pass ? 0 : 2 * rim (self)), 255);
    }
  }
}

/* Pixel of the frame of a point in the camera; FALSE if there is none. */
static gboolean
project (const GstVisionMarks *self, const gdouble p[3], gdouble pixel[2])
{
  const GstVisionCamera *c = &self->camera;
  gdouble width = c->ref_width ? c->ref_width : (guint) self->width;
  gdouble height = c->ref_height ? c->ref_height : (guint) self->height;

  if (!(p[2] > NEAREST))
    return FALSE;
  pixel[0] = (c->fx * p[0] / p[2] + c->cx + .5) * self->width / width - .5;
  pixel[1] = (c->fy * p[1] / p[2] + c->cy + .5) * self->height / height - .5;
  return isfinite (pixel[0]) && isfinite (pixel[1]);
}

/* Where axis @k of an object ends, @length from its origin. */
static void
end_of (const gdouble pose[7], gint k, gdouble length, gdouble p[3])
{
  gdouble w = pose[3], x = pose[4], y = pose[5], z = pose[6];
  const gdouble m[3][3] = {
      {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};

  for (gint i = 0; i < 3; i++)
    p[i] = pose[i] + length * m[i][k];
}

void
gst_vision_marks_pose (GstVisionMarks *self, const GstVisionObject *object)
{
  const gdouble *pose = object->pose.values;
  gdouble length = LENGTH, from[2], to[3][2], p[3];
  gboolean seen[3];

  if (!self->has_camera || object->pose.n != 7 ||
      object->state == GST_VISION_STATE_OCCLUDED || !project (self, pose, from))
    return;
  if (object->extent.n == 3)
    length = .6 *
        MAX (object->extent.values[0],
            MAX (object->extent.values[1], object->extent.values[2]));
  for (gint k = 0; k < 3; k++) {
    end_of (pose, k, length, p);
    seen[k] = project (self, p, to[k]);
  }
  overlay_stroke (self->list, shade);
  for (gint k = 0; k < 3; k++)
    if (seen[k])
      overlay_line (self->list, from[0], from[1], to[k][0], to[k][1],
          self->line + 2 * rim (self), 255);
  for (gint k = 0; k < 3; k++)
    if (seen[k]) {
      overlay_stroke (self->list, axes[k]);
      overlay_line (
          self->list, from[0], from[1], to[k][0], to[k][1], self->line, 255);
    }
}
