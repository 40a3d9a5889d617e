/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects in the pixels of a frame of another size. */
#include <math.h>

#include "gstvisionobjects.h"

/* The greatest number of a guint64 that a double can be. */
#define MAX_AREA 18446744073709549568.

/* A pixel's centre lies at an integer, its edges half a pixel to either
 * side: it is the edges of the frame that map to each other. */
static void
scale_point (gdouble *x, gdouble *y, gdouble sx, gdouble sy)
{
  *x = (*x + 0.5) * sx - 0.5;
  *y = (*y + 0.5) * sy - 0.5;
}

static void
scale_points (const GstVisionArray *points, gdouble sx, gdouble sy)
{
  gdouble *values = (gdouble *) points->values;

  for (guint i = 0; i + 1 < points->n; i += 2)
    scale_point (&values[i], &values[i + 1], sx, sy);
}

/* The axes of an ellipse that is stretched by (sx, sy): those of its matrix of
 * second moments, whose eigenvalues were elongation² : 1.  Without an
 * elongation it is a line. */
static void
scale_axes (GstVisionObject *object, gdouble sx, gdouble sy)
{
  gdouble c = cos (object->orientation), s = sin (object->orientation);
  gdouble e = object->elongation;
  gdouble major = isnan (e) ? 1 : e * e, minor = isnan (e) ? 0 : 1;
  gdouble xx = (major * c * c + minor * s * s) * sx * sx;
  gdouble yy = (major * s * s + minor * c * c) * sy * sy;
  gdouble xy = (major - minor) * c * s * sx * sy;
  gdouble mean = (xx + yy) / 2, half = hypot ((xx - yy) / 2, xy);

  if (sx == sy || isnan (object->orientation))
    return;
  object->orientation = atan2 (2 * xy, xx - yy) / 2;
  object->elongation = sqrt ((mean + half) / (mean - half));
  if (isnan (e))
    object->elongation = NAN;
}

static void
scale_object (GstVisionObject *object, gdouble sx, gdouble sy)
{
  gdouble *covariance = (gdouble *) object->covariance.values;

  object->x *= sx;
  object->width *= sx;
  object->y *= sy;
  object->height *= sy;
  scale_point (&object->cx, &object->cy, sx, sy);
  object->vx *= sx;
  object->vy *= sy;
  if (object->area)
    object->area = (guint64) CLAMP (object->area * sx * sy + 0.5, 1, MAX_AREA);
  scale_axes (object, sx, sy);
  scale_points (&object->outline, sx, sy);
  scale_points (&object->trajectory, sx, sy);
  if (object->covariance.n == 4) {
    covariance[0] *= sx * sx;
    covariance[1] *= sx * sy;
    covariance[2] *= sx * sy;
    covariance[3] *= sy * sy;
  }
}

/**
 * gst_vision_objects_scale:
 * @objects: objects
 * @ref_width: width of the frame, above 0
 * @ref_height: height of the frame, above 0
 *
 * Gives positions, sizes, areas and velocities in the pixels of a frame of
 * this size.
 *
 * Since: 0.1
 */
void
gst_vision_objects_scale (
    GstVisionObjects *objects, guint ref_width, guint ref_height)
{
  gdouble sx, sy;

  g_return_if_fail (objects != NULL && ref_width > 0 && ref_height > 0);
  if (ref_width == objects->ref_width && ref_height == objects->ref_height)
    return;
  sx = (gdouble) ref_width / objects->ref_width;
  sy = (gdouble) ref_height / objects->ref_height;
  for (guint i = 0; i < objects->n_objects; i++)
    scale_object (&objects->objects[i], sx, sy);
  objects->ref_width = ref_width;
  objects->ref_height = ref_height;
}
