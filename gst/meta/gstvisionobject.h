/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One object: what an element says about a thing it found in a frame. */
#pragma once

#include "gstvisionorigin.h"

G_BEGIN_DECLS

/**
 * GstVisionState:
 * @GST_VISION_STATE_NONE: the element knows no states
 * @GST_VISION_STATE_NEW: seen for the first time, or not yet long enough to be
 *   trusted
 * @GST_VISION_STATE_TRACKING: seen in this frame and known from earlier ones
 * @GST_VISION_STATE_OCCLUDED: not seen in this frame; its place is predicted
 * @GST_VISION_STATE_LOST: not seen for so long that it is given up
 * @GST_VISION_STATE_FOUND: detected in this frame, without regard to others
 * @GST_VISION_STATE_ACCEPTED: a candidate that passed the tests
 * @GST_VISION_STATE_REJECTED: a candidate that did not; see
 *   #GstVisionObject.reason
 *
 * What has become of an object.  In the meta it is written as its nick
 * ("tracking"); %GST_VISION_STATE_NONE is left out.
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
 * @n: how many numbers; 0 where they are not known
 * @values: (array length=n): the numbers
 *
 * The numbers of one field of a #GstVisionObject.  Whoever made the object
 * owns them: in what gst_buffer_get_vision_objects() returns that is the
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
 * @id: number that the object keeps from frame to frame, unique within
 *   @source; 0 where the element does not track
 * @model: its number in a map of kind `correspondence`; 0 where it has none
 * @element: (nullable): factory name of the element that found it
 * @source: (nullable): name of that element in its pipeline
 * @label: (nullable): what it is, as the user named it
 * @state: what has become of it
 * @reason: (nullable): why it was rejected
 * @area: pixels that belong to it; 0 where that is not known
 * @x: left edge of its box
 * @y: upper edge of its box
 * @width: width of its box, at least 0
 * @height: height of its box, at least 0
 * @cx: x of its centroid
 * @cy: y of its centroid
 * @score: 0 to 1, higher is better
 * @distance: how far from the model, in a unit of the element's; 0 is equal
 * @ratio: @distance by that of the next best place: 0 sure, 1 undecided
 * @orientation: radians from the x axis to the major axis, positive towards y,
 *   which is clockwise on the screen; -π/2 to π/2
 * @elongation: major axis over minor axis, at least 1
 * @vx: velocity of the centroid along x, pixels a second
 * @vy: velocity of the centroid along y, pixels a second
 * @age: seconds since it was first seen
 * @depth: metres along the camera's z axis
 * @pose: tx ty tz in metres, then the unit quaternion qw qx qy qz: from the
 *   object's coordinates to the camera's, whose x points right, y down and z
 *   forward (7 numbers)
 * @extent: width, height and depth in metres, along the object's own axes (3
 *   numbers)
 * @covariance: of (@cx, @cy) in pixels squared, row by row (4 numbers); or of
 *   @pose, row by row (36 numbers): the middle along x, y, z of the camera,
 *   metres, then turns about them, radians
 * @outline: x0 y0 x1 y1 …, a closed polygon (an even count)
 * @trajectory: x0 y0 x1 y1 …, where the centroid was, oldest first (an even
 *   count)
 *
 * One object.  Positions are pixels of the reference size of the
 * #GstVisionObjects that it belongs to: x to the right, y down, the centre of
 * the first pixel at (0, 0).  Boxes are half-open: the pixels with
 * @x <= column < @x + @width.
 *
 * A double that is not known is NAN, a string %NULL, an array empty:
 * gst_vision_object_init() says so of every field. Call it before you fill in
 * an object: fields may be added.
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

  /*< private >*/
  /* Objects lie in arrays: a new field takes its room from here, so that
   * programs need not be compiled anew.  NULL throughout. */
  gpointer _gst_reserved[GST_PADDING_LARGE - 2];
} GstVisionObject;

#define GST_TYPE_VISION_OBJECT (gst_vision_object_get_type ())
GST_VISION_META_API
GType gst_vision_object_get_type (void);
GST_VISION_META_API
void gst_vision_object_init (GstVisionObject *object);
GST_VISION_META_API
GstVisionObject *gst_vision_object_copy (const GstVisionObject *object);
GST_VISION_META_API
void gst_vision_object_free (GstVisionObject *object);

G_END_DECLS
