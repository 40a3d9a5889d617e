/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One object that an element found in a frame. */
#pragma once

#include "gstvisionorigin.h"

G_BEGIN_DECLS

/**
 * GstVisionState:
 * @GST_VISION_STATE_NONE: the element gives its objects no states
 * @GST_VISION_STATE_NEW: the element sees the object for the first time, or has
 *   seen it in too few frames to trust it
 * @GST_VISION_STATE_TRACKING: the element sees the object and knows it from
 *   earlier frames
 * @GST_VISION_STATE_OCCLUDED: the element does not see the object in this frame
 *   and predicts its place
 * @GST_VISION_STATE_LOST: the element has not seen the object for so long that
 *   it gives it up
 * @GST_VISION_STATE_FOUND: the element detected the object in this frame,
 *   without regard to other frames
 * @GST_VISION_STATE_ACCEPTED: the object is a candidate that passed all tests
 * @GST_VISION_STATE_REJECTED: the object is a candidate that failed a test;
 *   #GstVisionObject.reason names the test
 *
 * The state of an object.  The meta holds its nick, such as "tracking", and no
 * field for %GST_VISION_STATE_NONE.
 *
 * Since: 0.1
 */
typedef enum {
  GST_VISION_STATE_NONE,
  GST_VISION_STATE_NEW,
  GST_VISION_STATE_TRACKING,
  GST_VISION_STATE_OCCLUDED,
  GST_VISION_STATE_LOST,
  GST_VISION_STATE_FOUND,
  GST_VISION_STATE_ACCEPTED,
  GST_VISION_STATE_REJECTED,
} GstVisionState;

#define GST_TYPE_VISION_STATE (gst_vision_state_get_type ())
GST_VISION_META_API
GType gst_vision_state_get_type (void);
GST_VISION_META_API
const gchar *gst_vision_state_nick (GstVisionState state);

/**
 * GstVisionArray:
 * @n: number of @values; 0 if they are not known
 * @values: (array length=n): the numbers
 *
 * The numbers of one field of a #GstVisionObject.  The maker of the object owns
 * them: those of gst_buffer_get_vision_objects() belong to the returned
 * #GstVisionObjects.
 *
 * Since: 0.1
 */
typedef struct {
  guint n;
  const gdouble *values;
} GstVisionArray;

/**
 * GstVisionObject:
 * @id: number that the object keeps in all frames and that no other object of
 *   the same @source has; 0 if the element does not track
 * @model: number of the object in a map of kind `correspondence`; 0 if it has
 *   none
 * @element: (nullable): factory name of the element that found the object
 * @source: (nullable): name of that element in its pipeline
 * @label: (nullable): name of the object, as the user gave it
 * @state: state of the object
 * @reason: (nullable): name of the test that a rejected object failed
 * @area: number of pixels that belong to the object; 0 if it is not known
 * @x: left edge of the box, pixels
 * @y: upper edge of the box, pixels
 * @width: width of the box, pixels, at least 0
 * @height: height of the box, pixels, at least 0
 * @cx: x of the centroid, pixels
 * @cy: y of the centroid, pixels
 * @score: quality of the result, from 0 (worst) to 1 (best)
 * @distance: distance of the object from its model, in a unit that the element
 *   defines; 0 if both are equal
 * @ratio: @distance, divided by that at the next best place: from 0 (the place
 *   is sure) to 1 (both places are as good)
 * @orientation: angle from the x axis to the major axis, radians, -π/2 to π/2;
 *   positive towards y, which is clockwise on the screen
 * @elongation: length of the major axis, divided by that of the minor axis, at
 *   least 1
 * @vx: velocity of the centroid along x, pixels per second
 * @vy: velocity of the centroid along y, pixels per second
 * @age: time since the element first saw the object, seconds
 * @depth: distance of the object along the z axis of the camera, metres
 * @pose: 7 numbers, the transform from the object's coordinates to those of the
 *   camera, whose x points right, y down and z forward: the translation tx, ty,
 *   tz in metres, then the unit quaternion qw, qx, qy, qz
 * @extent: 3 numbers, the width, height and depth of the object along its own
 *   axes, metres
 * @covariance: 4 numbers, the covariance of @cx and @cy, pixels squared, row by
 *   row; or 36 numbers, that of @pose, row by row: of the middle along the x, y
 *   and z axis of the camera, metres, then of turns about these axes, radians
 * @outline: an even count of numbers, the corners x0, y0, x1, y1, … of a closed
 *   polygon, pixels
 * @trajectory: an even count of numbers, the earlier positions x0, y0, x1, y1,
 *   … of the centroid, pixels; the oldest is the first
 * @history: six numbers for each point of the @trajectory: the box x, y, width,
 *   height, pixels; the seconds from then to this frame, as a number that is 0
 *   or less; and 1 if the element saw the object then, 0 if it predicted it
 *
 * One object.  Pixels are those of the reference size of the #GstVisionObjects
 * that it belongs to: x points to the right and y down, and the centre of the
 * first pixel is at (0, 0).  Boxes are half-open: a box covers the columns with
 * @x <= column < @x + @width.
 *
 * A double that is not known is NAN, a string is %NULL, and an array is empty.
 * gst_vision_object_init() sets all fields so.  Call it before you fill in an
 * object: later versions may have more fields.
 *
 * Since: 0.1
 */
typedef struct {
  guint64 id;
  guint64 model;
  const gchar *element;
  const gchar *source;
  const gchar *label;
  GstVisionState state;
  const gchar *reason;
  guint64 area;
  gdouble x, y, width, height;
  gdouble cx, cy;
  gdouble score;
  gdouble distance;
  gdouble ratio;
  gdouble orientation;
  gdouble elongation;
  gdouble vx, vy;
  gdouble age;
  gdouble depth;
  GstVisionArray pose;
  GstVisionArray extent;
  GstVisionArray covariance;
  GstVisionArray outline;
  GstVisionArray trajectory;
  GstVisionArray history;

  /*< private >*/
  /* Objects lie in arrays: a new field takes its room from here, so that
   * programs need not be compiled anew.  NULL throughout. */
  gpointer _gst_reserved[GST_PADDING_LARGE - 4];
} GstVisionObject;

#define GST_TYPE_VISION_OBJECT (gst_vision_object_get_type ())
GST_VISION_META_API
GType gst_vision_object_get_type (void);
GST_VISION_META_API
GstVisionObject *gst_vision_object_new (void);
GST_VISION_META_API
void gst_vision_object_init (GstVisionObject *object);
GST_VISION_META_API
gboolean gst_vision_object_set_array (GstVisionObject *object,
    const gchar *field, const gdouble *values, guint n_values);
GST_VISION_META_API
GstVisionObject *gst_vision_object_copy (const GstVisionObject *object);
GST_VISION_META_API
void gst_vision_object_free (GstVisionObject *object);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstVisionObject, gst_vision_object_free)

G_END_DECLS
