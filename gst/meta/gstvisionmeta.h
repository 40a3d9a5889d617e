/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Results of the vision elements on a buffer: objects, the camera, maps.
 *
 * They ride in GstCustomMetas without tags, named VisionObjects, VisionCamera
 * and VisionMaps (ground truth: VisionTruthObjects, …), whose GstStructure is
 * the schema; the structs here are a view of it for C. */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

#ifndef GST_VISION_META_API
# define GST_VISION_META_API __attribute__ ((visibility ("default"))) extern
#endif

/* Where what a meta says comes from: the names are VisionObjects, … and
 * VisionTruthObjects, …. */
typedef enum {
  GST_VISION_ORIGIN_RESULT,
  GST_VISION_ORIGIN_TRUTH,
} GstVisionOrigin;

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

/* An array of doubles inside a GstVisionObject; n is 0 where it is unknown. */
typedef struct {
  guint n;
  const gdouble *values;
} GstVisionArray;

/* One object.  Positions are pixels of the meta's reference size, pixel
 * centres at integers, boxes half-open.  A double that is not known is NAN, a
 * string NULL. */
typedef struct {
  guint64 id;
  const gchar *element;  /* factory name of the element that found it */
  const gchar *source;   /* name of that element */
  const gchar *label;
  GstVisionState state;
  const gchar *reason;   /* why it was rejected */
  guint64 area;          /* pixels */
  gdouble x, y, width, height;
  gdouble cx, cy;        /* centroid */
  gdouble score;         /* 0 to 1, higher is better */
  gdouble distance;      /* raw, in the element's unit, lower is better */
  gdouble orientation;   /* radians from the x axis to the major axis, positive
                            towards y (clockwise on the screen) */
  gdouble elongation;    /* major axis over minor axis, at least 1 */
  gdouble vx, vy;        /* pixels a second */
  gdouble age;           /* seconds since it was first seen */
  gdouble depth;         /* metres */
  GstVisionArray pose;       /* tx ty tz (m), unit quaternion qw qx qy qz: object -> camera */
  GstVisionArray extent;     /* width, height, depth in metres */
  GstVisionArray covariance; /* of (cx, cy), row by row, pixels squared */
  GstVisionArray outline;    /* x0 y0 x1 y1 … */
  GstVisionArray trajectory; /* x0 y0 x1 y1 …, oldest first */
} GstVisionObject;

/* Every field "not known". */
GST_VISION_META_API
void gst_vision_object_init (GstVisionObject *object);

typedef struct {
  guint ref_width, ref_height;
  guint n_objects;
  GstVisionObject *objects;
} GstVisionObjects;

GST_VISION_META_API
GType gst_vision_objects_get_type (void);
GST_VISION_META_API
GstVisionObjects *gst_vision_objects_copy (const GstVisionObjects *objects);
GST_VISION_META_API
void gst_vision_objects_free (GstVisionObjects *objects);

/* Appends to the buffer's objects (results are mirrored to ROI and analytics
 * metas).  Sizes differ: scaled to the reference size that is already there. */
GST_VISION_META_API
gboolean gst_buffer_add_vision_objects (GstBuffer *buffer,
    GstVisionOrigin origin, guint ref_width, guint ref_height,
    const GstVisionObject *objects, guint n_objects);

/* NULL where the buffer has none; free with gst_vision_objects_free(). */
GST_VISION_META_API
GstVisionObjects *gst_buffer_get_vision_objects (GstBuffer *buffer,
    GstVisionOrigin origin);

/* Makes ROI and analytics metas anew from VisionObjects, scaled to @info. */
GST_VISION_META_API
gboolean gst_buffer_mirror_vision_objects (GstBuffer *buffer,
    const GstVideoInfo *info);

typedef struct {
  guint ref_width, ref_height;
  gdouble fx, fy, cx, cy;      /* pixels of the reference size */
  gdouble distortion[5];       /* k1 k2 p1 p2 k3, as OpenCV orders them */
  gdouble baseline;            /* metres; NAN */
  gdouble pose[7];             /* camera -> world, as GstVisionObject.pose */
  gboolean has_pose;
} GstVisionCamera;

GST_VISION_META_API
gboolean gst_buffer_set_vision_camera (GstBuffer *buffer,
    GstVisionOrigin origin, const GstVisionCamera *camera);
GST_VISION_META_API
gboolean gst_buffer_get_vision_camera (GstBuffer *buffer,
    GstVisionOrigin origin, GstVisionCamera *camera);

/* A picture of numbers: value = raw * scale + offset, unless raw is invalid. */
typedef struct {
  const gchar *element;
  const gchar *kind;    /* disparity, confidence, depth, points, normals,
                           labels, emd, correspondence, rendered */
  const gchar *format;  /* u8, u16, u32, f32 */
  guint channels, width, height, stride;
  gboolean on_gpu;      /* memory is "cuda" */
  gdouble scale, offset;
  gdouble invalid;      /* raw value; NAN where every value is valid */
  GstBuffer *pixels;    /* owned by the meta */
} GstVisionMap;

GST_VISION_META_API
gboolean gst_buffer_add_vision_map (GstBuffer *buffer, GstVisionOrigin origin,
    const GstVisionMap *map);
/* The newest map of @kind (any kind where NULL); valid while @buffer is. */
GST_VISION_META_API
gboolean gst_buffer_find_vision_map (GstBuffer *buffer, GstVisionOrigin origin,
    const gchar *kind, GstVisionMap *map);
GST_VISION_META_API
guint gst_buffer_n_vision_maps (GstBuffer *buffer, GstVisionOrigin origin);
GST_VISION_META_API
gboolean gst_buffer_nth_vision_map (GstBuffer *buffer, GstVisionOrigin origin,
    guint index, GstVisionMap *map);

/* The nick of a state ("tracking"); "" of NONE. */
GST_VISION_META_API
const gchar *gst_vision_state_nick (GstVisionState state);

G_END_DECLS
