/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionmarks.h"

#include <math.h>

/* The shade behind lines, which stand out from any picture with it. */
static const OverlayColour shade = {8, 10, 14, 130};
static const OverlayColour grey = {176, 180, 188, 255};
static const OverlayColour white = {255, 255, 255, 255};

OverlayColour
gst_vision_marks_colour (GstVisionMarks *self, const GstVisionObject *object)
{
  guint by = self->look->color_by;

  if (object->state == GST_VISION_STATE_REJECTED)
    return grey;
  if (by == GST_VISION_COLOR_BY_ELEMENT && object->source)
    return gst_vision_colours_of (&self->colours, object->source);
  if (by != GST_VISION_COLOR_BY_ID && object->label && object->label[0])
    return gst_vision_colours_of (&self->colours, object->label);
  return overlay_colour_of ((guint32) (object->id ^ object->id >> 32));
}

/* Width of the shade on either side of a line. */
static gint
rim_width (const GstVisionMarks *self)
{
  return (self->line + 2) / 3;
}

/* Width of lines that matter less than the box. */
static gint
thin_width (const GstVisionMarks *self)
{
  return (2 * self->line + 2) / 3;
}

static gint
edge_of_box (gdouble v)
{
  return isfinite (v) ? (gint) CLAMP (round (v), -1e6, 1e6) : 0;
}

ImageBox
gst_vision_marks_box (const GstVisionMarks *self, const GstVisionObject *object)
{
  return (ImageBox){edge_of_box (object->x * self->scale_x),
      edge_of_box (object->y * self->scale_y),
      edge_of_box ((object->x + object->width) * self->scale_x),
      edge_of_box ((object->y + object->height) * self->scale_y)};
}

/* Dashes that begin and end at the corners. */
static void
draw_dashes (const GstVisionMarks *self, gdouble x0, gdouble y0, gdouble x1,
    gdouble y1, gdouble line)
{
  gdouble on = 4 * line + 1, length = hypot (x1 - x0, y1 - y0);
  gint n = MAX (1, (gint) round ((length - on) / (1.75 * on)));

  overlay_dashes (
      self->list, x0, y0, x1, y1, line, on, MAX (.25, (length - on) / n - on));
}

static void
draw_dashed_box (const GstVisionMarks *self, const ImageBox *b, gdouble line)
{
  gdouble x0 = b->x0 - .5, y0 = b->y0 - .5, x1 = b->x1 - .5, y1 = b->y1 - .5;
  gdouble in = line / 2;

  draw_dashes (self, x0, y0 + in, x1, y0 + in, line);
  draw_dashes (self, x0, y1 - in, x1, y1 - in, line);
  draw_dashes (self, x0 + in, y0, x0 + in, y1, line);
  draw_dashes (self, x1 - in, y0, x1 - in, y1, line);
}

/* Draws the box around the object if there is room, so that it hides nothing of
 * the object. */
static void
draw_box (
    GstVisionMarks *self, const GstVisionObject *object, OverlayColour colour)
{
  ImageBox b = gst_vision_marks_box (self, object);
  gint line = self->line, shadow = rim_width (self), radius = 2 * line;

  if (b.x0 >= b.x1 || b.y0 >= b.y1)
    return;
  b.x0 = b.x0 >= 0 ? MAX (b.x0 - line, 0) : b.x0;
  b.y0 = b.y0 >= 0 ? MAX (b.y0 - line, 0) : b.y0;
  b.x1 = b.x1 <= self->width ? MIN (b.x1 + line, self->width) : b.x1;
  b.y1 = b.y1 <= self->height ? MIN (b.y1 + line, self->height) : b.y1;

  overlay_stroke (self->list, shade);
  overlay_outline (self->list, b.x0 - shadow, b.y0 - shadow, b.x1 + shadow,
      b.y1 + shadow, radius + shadow, line + 2 * shadow);
  overlay_stroke (self->list, colour);
  if (object->state == GST_VISION_STATE_OCCLUDED)
    draw_dashed_box (self, &b, line);
  else
    overlay_outline (self->list, b.x0, b.y0, b.x1, b.y1, radius, line);
}

/* Draws the axes of the ellipse with the object's area and elongation or,
 * without an area, as long as the box. */
static void
draw_axes (GstVisionMarks *self, const GstVisionObject *object, gdouble x,
    gdouble y, OverlayColour colour)
{
  gdouble ux = cos (object->orientation) * self->scale_x;
  gdouble uy = sin (object->orientation) * self->scale_y;
  gdouble elongation = object->elongation >= 1 ? object->elongation : 2;
  gdouble a = object->area ? sqrt (object->area * elongation / G_PI)
                           : MAX (object->width, object->height) / 2;
  gdouble b = a / elongation;
  gdouble vx = -sin (object->orientation) * self->scale_x;
  gdouble vy = cos (object->orientation) * self->scale_y;

  for (gint i = 0; i < 2; i++) {
    gdouble line = thin_width (self) + (i ? 0 : 2 * rim_width (self));

    overlay_stroke (self->list, i ? colour : shade);
    overlay_line (
        self->list, x - a * ux, y - a * uy, x + a * ux, y + a * uy, line, 255);
    overlay_line (
        self->list, x - b * vx, y - b * vy, x + b * vx, y + b * vy, line, 255);
  }
}

static void
draw_dot (GstVisionMarks *self, gdouble x, gdouble y, OverlayColour colour)
{
  gdouble across = 2.5 * self->line + 1;

  overlay_stroke (self->list, (OverlayColour){8, 10, 14, 200});
  overlay_line (self->list, x, y, x, y, across + 2 * rim_width (self), 255);
  overlay_stroke (self->list, colour);
  overlay_line (self->list, x, y, x, y, across, 255);
}

/* ---- Silhouette, and pose as three axes ---- */

/* Length of axes if the object's extent is not known, metres. */
#define LENGTH .05

/* Minimum distance of a drawn point from the camera, metres. */
#define NEAREST .01

static const OverlayColour axes[3] = {
    {235, 64, 52, 255}, {76, 196, 80, 255}, {66, 120, 245, 255}};

static void
draw_outline (
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
          thin_width (self) + (pass ? 0 : 2 * rim_width (self)), 255);
    }
  }
}

/* Projects @p to the @pixel of the camera; FALSE if the point is not in front
 * of the camera. */
static gboolean
project_point (const GstVisionMarks *self, const gdouble p[3], gdouble pixel[2])
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

/* The end of axis @k of an object, @length from its origin. */
static void
end_of_axis (const gdouble pose[7], gint k, gdouble length, gdouble p[3])
{
  gdouble w = pose[3], x = pose[4], y = pose[5], z = pose[6];
  const gdouble m[3][3] = {
      {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};

  for (gint i = 0; i < 3; i++)
    p[i] = pose[i] + length * m[i][k];
}

static void
draw_pose_axes (GstVisionMarks *self, const GstVisionObject *object)
{
  const gdouble *pose = object->pose.values;
  gdouble length = LENGTH, from[2], to[3][2], p[3];
  gboolean seen[3];

  if (!self->has_camera || object->pose.n != 7 ||
      object->state == GST_VISION_STATE_OCCLUDED ||
      !project_point (self, pose, from))
    return;
  if (object->extent.n == 3)
    length = .6 *
        MAX (object->extent.values[0],
            MAX (object->extent.values[1], object->extent.values[2]));
  for (gint k = 0; k < 3; k++) {
    end_of_axis (pose, k, length, p);
    seen[k] = project_point (self, p, to[k]);
  }
  overlay_stroke (self->list, shade);
  for (gint k = 0; k < 3; k++)
    if (seen[k])
      overlay_line (self->list, from[0], from[1], to[k][0], to[k][1],
          self->line + 2 * rim_width (self), 255);
  for (gint k = 0; k < 3; k++)
    if (seen[k]) {
      overlay_stroke (self->list, axes[k]);
      overlay_line (
          self->list, from[0], from[1], to[k][0], to[k][1], self->line, 255);
    }
}

/* ---- An object ---- */

void
gst_vision_marks_object (GstVisionMarks *self, const GstVisionObject *object)
{
  OverlayColour colour = gst_vision_marks_colour (self, object);
  gdouble x = (object->cx + .5) * self->scale_x - .5;
  gdouble y = (object->cy + .5) * self->scale_y - .5;

  if (self->look->show & GST_VISION_SHOW_BOX)
    draw_box (self, object, colour);
  if (self->look->show & GST_VISION_SHOW_OUTLINE)
    draw_outline (self, object, colour);
  if (self->look->show & GST_VISION_SHOW_POSE)
    draw_pose_axes (self, object);
  if ((self->look->show & GST_VISION_SHOW_ORIENTATION) &&
      isfinite (object->orientation))
    draw_axes (self, object, x, y, colour);
  if ((self->look->show & GST_VISION_SHOW_CENTROID))
    draw_dot (self, x, y, colour);
}

void
gst_vision_marks_truth (GstVisionMarks *self, const GstVisionObject *object)
{
  ImageBox b = gst_vision_marks_box (self, object);
  gdouble x = (object->cx + .5) * self->scale_x - .5;
  gdouble y = (object->cy + .5) * self->scale_y - .5;
  gdouble arm = 2 * self->line + 1, line = thin_width (self);

  overlay_stroke (self->list, shade);
  overlay_outline (self->list, b.x0, b.y0, b.x1, b.y1, 0, line);
  overlay_stroke (self->list, white);
  draw_dashed_box (self, &b, line);
  for (gint i = 0; i < 2; i++) {
    overlay_stroke (self->list, i ? white : shade);
    overlay_line (self->list, x - arm, y - arm, x + arm, y + arm,
        line + (i ? 0 : 2 * rim_width (self)), 255);
    overlay_line (self->list, x - arm, y + arm, x + arm, y - arm,
        line + (i ? 0 : 2 * rim_width (self)), 255);
  }
}
