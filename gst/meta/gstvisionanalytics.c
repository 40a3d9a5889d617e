/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects in GstAnalytics: each has an object detection, related to a tracking
 * if the object has an id.  From GStreamer 1.26 on, the detection of an object
 * with axes or an outline is a turned rectangle.  Detections of other elements
 * become regions of interest, or objects. */
#include <math.h>

#include "gstvisionmirror.h"
#include "gstvisionstructure.h"

#ifdef HAVE_ANALYTICS
# include <gst/analytics/analytics.h>

# if GST_CHECK_VERSION(1, 26, 0)
#  define HAVE_TURNED
# endif

/* Sets of the types and ids of the objects, to look up the parts of a meta in.
 */
typedef struct {
  GHashTable *types, *ids;
} ObjectKeys;

static void
object_keys_open (ObjectKeys *self, const GstVisionObjects *objects)
{
  self->types = g_hash_table_new (NULL, NULL);
  self->ids = g_hash_table_new (g_int64_hash, g_int64_equal);
  for (guint i = 0; objects && i < objects->n_objects; i++) {
    GstVisionObject *object = &objects->objects[i];

    g_hash_table_add (
        self->types, GUINT_TO_POINTER (gst_vision_object_find_type (object)));
    g_hash_table_add (self->ids, &object->id);
  }
}

static void
object_keys_close (ObjectKeys *self)
{
  g_hash_table_unref (self->types);
  g_hash_table_unref (self->ids);
}

static gboolean
is_of_objects (const ObjectKeys *self, GstAnalyticsMtd *mtd)
{
  GstAnalyticsMtdType type = gst_analytics_mtd_get_mtd_type (mtd);
  GstClockTime first, last;
  guint64 id = 0;
  gboolean lost;

  if (type == gst_analytics_od_mtd_get_mtd_type ())
    return g_hash_table_contains (self->types,
        GUINT_TO_POINTER (gst_analytics_od_mtd_get_obj_type (mtd)));
  if (type != gst_analytics_tracking_mtd_get_mtd_type ())
    return FALSE;
  gst_analytics_tracking_mtd_get_info (mtd, &id, &first, &last, &lost);
  return g_hash_table_contains (self->ids, &id);
}

/* GStreamer can remove only the whole meta, not parts of it.  It has scaled the
 * parts that stay. */
gboolean
gst_vision_analytics_clear (GstBuffer *buffer, const GstVisionObjects *objects)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);
  gboolean ours = FALSE, others = FALSE;
  GstAnalyticsMtd mtd;
  gpointer state = NULL;
  ObjectKeys all;

  if (!relations)
    return TRUE;
  object_keys_open (&all, objects);
  while (!(ours && others) &&
      gst_analytics_relation_meta_iterate (
          relations, &state, GST_ANALYTICS_MTD_TYPE_ANY, &mtd)) {
    if (is_of_objects (&all, &mtd))
      ours = TRUE;
    else
      others = TRUE;
  }
  object_keys_close (&all);
  if (ours && !others)
    gst_buffer_remove_meta (buffer, (GstMeta *) relations);
  return !ours || !others;
}

static GstClockTime
time_first_seen (GstBuffer *buffer, const GstVisionObject *object)
{
  gdouble age = object->age * GST_SECOND;

  if (!GST_BUFFER_PTS_IS_VALID (buffer) || !(age >= 0) ||
      age > GST_BUFFER_PTS (buffer))
    return GST_BUFFER_PTS (buffer);
  return GST_BUFFER_PTS (buffer) - (GstClockTime) age;
}

/* FALSE if the meta has no room. */
static gboolean
add_tracking (GstBuffer *buffer, const GstVisionObject *object,
    GstAnalyticsRelationMeta *relations, GstAnalyticsMtd *tracking)
{
  if (!gst_analytics_relation_meta_add_tracking_mtd (
          relations, object->id, time_first_seen (buffer, object), tracking))
    return FALSE;
  if (GST_BUFFER_PTS_IS_VALID (buffer))
    gst_analytics_tracking_mtd_update_last_seen (
        tracking, GST_BUFFER_PTS (buffer));
  return TRUE;
}

/* ---- Turned rectangles ---- */

# ifdef HAVE_TURNED
/* The axes of rounder objects are noise. */
#  define MIN_ELONGATION 1.1
#  define MAX_CORNERS 64
#  define MAX_COORDINATE 1e6 /* which the integers of a detection hold */

/* A rectangle, turned about its centre from the x axis towards y.  Pixel 0
 * covers coordinates from 0 to 1. */
typedef struct {
  gdouble cx, cy, width, height, angle;
} TurnedBox;

/* The rectangle with the area, the centroid and the axes of the object. */
static gboolean
turned_box_of_axes (const GstVisionObject *object, TurnedBox *box)
{
  if (!object->area || !(object->elongation >= MIN_ELONGATION))
    return FALSE;
  *box = (TurnedBox){object->cx + .5, object->cy + .5,
      sqrt ((gdouble) object->area * object->elongation),
      sqrt ((gdouble) object->area / object->elongation), object->orientation};
  return TRUE;
}

/* The extent of @n corners along (@ux, @uy) and across it. */
static TurnedBox
turned_box_along (
    const gdouble *corners, guint n, guint step, gdouble ux, gdouble uy)
{
  gdouble low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
  gdouble along, across;

  for (guint i = 0; i < n; i += step) {
    gdouble x = corners[2 * i] + .5, y = corners[2 * i + 1] + .5;
    gdouble at[2] = {x * ux + y * uy, y * ux - x * uy};

    for (guint k = 0; k < 2; k++) {
      low[k] = MIN (low[k], at[k]);
      high[k] = MAX (high[k], at[k]);
    }
  }
  along = (low[0] + high[0]) / 2;
  across = (low[1] + high[1]) / 2;
  return (TurnedBox){along * ux - across * uy, along * uy + across * ux,
      high[0] - low[0], high[1] - low[1], atan2 (uy, ux)};
}

/* The rectangle of least area around the outline.  A side of it goes through
 * two corners. */
static gboolean
turned_box_of_outline (const GstVisionObject *object, TurnedBox *box)
{
  const gdouble *corners = object->outline.values;
  guint n = object->outline.n / 2, step = 1 + (n - 1) / MAX_CORNERS;
  gdouble least = HUGE_VAL;

  for (guint i = 0; n >= 3 && i < n; i += step)
    for (guint j = i + step; j < n; j += step) {
      gdouble dx = corners[2 * j] - corners[2 * i];
      gdouble dy = corners[2 * j + 1] - corners[2 * i + 1];
      gdouble length = hypot (dx, dy);
      TurnedBox tried;

      if (!(length > 0))
        continue;
      tried = turned_box_along (corners, n, step, dx / length, dy / length);
      if (tried.width * tried.height < least) {
        least = tried.width * tried.height;
        *box = tried;
      }
    }
  return least < HUGE_VAL;
}

/* Makes the longer side the width and brings the angle to -pi/2 to pi/2; FALSE
 * if the object has neither axes nor an outline. */
static gboolean
turned_box_of_object (const GstVisionObject *object, TurnedBox *box)
{
  if (!turned_box_of_outline (object, box) && !turned_box_of_axes (object, box))
    return FALSE;
  if (box->width < box->height) {
    gdouble width = box->width;

    box->width = box->height;
    box->height = width;
    box->angle += G_PI_2;
  }
  box->angle = remainder (box->angle, G_PI);
  return isfinite (box->angle) && fabs (box->cx) < MAX_COORDINATE &&
      fabs (box->cy) < MAX_COORDINATE && box->width < MAX_COORDINATE;
}
# endif

static gboolean
add_detection (GstAnalyticsRelationMeta *relations,
    const GstVisionObject *object, const GstVisionBox *box,
    GstAnalyticsMtd *detection)
{
  gfloat score = isnan (object->score) ? 1 : object->score;
# ifdef HAVE_TURNED
  TurnedBox turned = {0};

  if (turned_box_of_object (object, &turned)) {
    gint width = MAX (1, (gint) rint (turned.width));
    gint height = MAX (1, (gint) rint (turned.height));

    return gst_analytics_relation_meta_add_oriented_od_mtd (relations,
        box->type, (gint) rint (turned.cx - width / 2.),
        (gint) rint (turned.cy - height / 2.), width, height, turned.angle,
        score, detection);
  }
# endif
  return gst_analytics_relation_meta_add_od_mtd (relations, box->type, box->x,
      box->y, box->width, box->height, score, detection);
}

/* ---- The room of the meta ----
 *
 * The meta has a matrix with a byte for each pair of its parts.  It grows by as
 * many parts as it had room for at first, each time into new memory: so it gets
 * room for all objects at once, and for no more than MAX_PARTS. */

# define MAX_PARTS 512       /* a detection and a tracking of 256 objects */
# define BYTES_OF_OBJECT 160 /* of both, about */

/* The meta of @buffer, with room for @n_objects if it is new; NULL: it is full.
 */
static GstAnalyticsRelationMeta *
get_relations (GstBuffer *buffer, guint n_objects)
{
  guint n = MIN (n_objects, MAX_PARTS / 2);
  GstAnalyticsRelationMetaInitParams room = {2 * n, BYTES_OF_OBJECT * n};
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);

  if (!relations)
    return gst_buffer_add_analytics_relation_meta_full (buffer, &room);
  return gst_analytics_relation_get_length (relations) + 2 > MAX_PARTS
      ? NULL
      : relations;
}

void
gst_vision_analytics_add (GstBuffer *buffer, const GstVisionObject *object,
    const GstVisionBox *box, guint n_objects)
{
  GstAnalyticsRelationMeta *relations = get_relations (buffer, n_objects);
  GstAnalyticsMtd detection, tracking;

  if (!relations)
    return;
  if (add_detection (relations, object, box, &detection) && object->id &&
      add_tracking (buffer, object, relations, &tracking))
    gst_analytics_relation_meta_set_relation (
        relations, GST_ANALYTICS_REL_TYPE_RELATE_TO, detection.id, tracking.id);
}

void
gst_vision_analytics_add_lost (
    GstBuffer *buffer, const GstVisionObject *object, guint n_objects)
{
  GstAnalyticsRelationMeta *relations =
      object->id ? get_relations (buffer, n_objects) : NULL;
  GstAnalyticsMtd tracking;

  if (relations &&
      gst_analytics_relation_meta_add_tracking_mtd (
          relations, object->id, time_first_seen (buffer, object), &tracking))
    gst_analytics_tracking_mtd_set_lost (&tracking);
}

/* Whether the detection has a region of interest already: some detectors add
 * both.  A conversion may have rounded region and detection differently. */
static gboolean
detection_has_region (GstBuffer *buffer, const GstVisionBox *box)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *region =
        (const GstVideoRegionOfInterestMeta *) meta;
    guint dx = MAX (region->x, box->x) - MIN (region->x, box->x);
    guint dy = MAX (region->y, box->y) - MIN (region->y, box->y);

    if (region->roi_type == box->type && dx <= 2 && dy <= 2)
      return TRUE;
  }
  return FALSE;
}

/* Clips the box of a detection to a frame of @info; FALSE if nothing is left.
 */
static gboolean
place_of_detection (
    GstAnalyticsMtd *detection, const GstVideoInfo *info, GstVisionBox *box)
{
  gint x, y, width, height;
  gint64 right, bottom;

  if (!gst_analytics_od_mtd_get_location (
          detection, &x, &y, &width, &height, NULL))
    return FALSE;
  right = MIN ((gint64) x + width, info->width);
  bottom = MIN ((gint64) y + height, info->height);
  x = MAX (x, 0);
  y = MAX (y, 0);
  if (x >= right || y >= bottom)
    return FALSE;
  *box = (GstVisionBox){.type = gst_analytics_od_mtd_get_obj_type (detection),
      .x = (guint) x,
      .y = (guint) y,
      .width = (guint) (right - x),
      .height = (guint) (bottom - y)};
  return box->type != 0;
}

void
gst_vision_analytics_regions (GstBuffer *buffer, const GstVideoInfo *info,
    const GstVisionObjects *objects)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd detection;
  gpointer state = NULL;
  GstVisionBox box;
  ObjectKeys ours;

  if (!relations)
    return;
  object_keys_open (&ours, objects);
  while (gst_analytics_relation_meta_iterate (
      relations, &state, gst_analytics_od_mtd_get_mtd_type (), &detection))
    if (!is_of_objects (&ours, &detection) &&
        place_of_detection (&detection, info, &box) &&
        !detection_has_region (buffer, &box))
      gst_buffer_add_video_region_of_interest_meta_id (
          buffer, box.type, box.x, box.y, box.width, box.height);
  object_keys_close (&ours);
}

/* ---- Detections of other elements as objects ---- */

static void
read_tracking (GstAnalyticsMtd *detection, GstVisionObject *object)
{
  GstClockTime first, last;
  GstAnalyticsMtd tracking;
  gpointer state = NULL;
  gboolean lost;
  guint64 id;

  if (!gst_analytics_relation_meta_get_direct_related (detection->meta,
          detection->id, GST_ANALYTICS_REL_TYPE_ANY,
          gst_analytics_tracking_mtd_get_mtd_type (), &state, &tracking) ||
      !gst_analytics_tracking_mtd_get_info (
          &tracking, &id, &first, &last, &lost))
    return;
  object->id = id;
  object->state = lost ? GST_VISION_STATE_LOST : GST_VISION_STATE_TRACKING;
}

# ifdef HAVE_TURNED
/* Sets the axes and, in @corners, the outline of a turned detection. */
static void
read_turned_box (
    GstAnalyticsMtd *detection, GstVisionObject *object, gdouble corners[8])
{
  gint x, y, width, height;
  gdouble ux, uy;
  gfloat angle;

  if (!gst_analytics_od_mtd_get_oriented_location (
          detection, &x, &y, &width, &height, &angle, NULL) ||
      !isfinite (angle) || angle == 0 || width <= 0 || height <= 0)
    return;
  ux = cos (angle);
  uy = sin (angle);
  for (guint i = 0; i < 4; i++) {
    gdouble along = (i == 0 || i == 3 ? -.5 : .5) * width;
    gdouble across = (i < 2 ? -.5 : .5) * height;

    corners[2 * i] = x + width / 2. + along * ux - across * uy - .5;
    corners[2 * i + 1] = y + height / 2. + along * uy + across * ux - .5;
  }
  object->outline = (GstVisionArray){8, corners};
  object->elongation = (gdouble) MAX (width, height) / MIN (width, height);
  object->orientation = remainder (angle + (width < height ? G_PI_2 : 0), G_PI);
}
# endif

/* FALSE: the detection has no place, or its type is no label. */
static gboolean
read_detection (
    GstAnalyticsMtd *detection, GstVisionObject *object, gdouble corners[8])
{
  const gchar *type =
      g_quark_to_string (gst_analytics_od_mtd_get_obj_type (detection));
  gint x, y, width, height;
  gfloat score;

  gst_vision_object_init (object);
  if (!gst_analytics_od_mtd_get_location (
          detection, &x, &y, &width, &height, &score) ||
      width <= 0 || height <= 0 || !gst_vision_object_is_type (type))
    return FALSE;
  object->element = "visionmeta";
  object->label = type;
  object->x = x;
  object->y = y;
  object->width = width;
  object->height = height;
  object->score = score >= 0 && score <= 1 ? score : NAN;
# ifdef HAVE_TURNED
  read_turned_box (detection, object, corners);
# else
  (void) corners;
# endif
  read_tracking (detection, object);
  return TRUE;
}

void
gst_vision_analytics_read (
    GstBuffer *buffer, const GstVisionObjects *objects, GArray *found)
{
  GstAnalyticsRelationMeta *relations =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd detection;
  gpointer state = NULL;
  GstVisionObject object;
  gdouble corners[8];
  ObjectKeys ours;

  if (!relations)
    return;
  object_keys_open (&ours, objects);
  while (gst_analytics_relation_meta_iterate (
      relations, &state, gst_analytics_od_mtd_get_mtd_type (), &detection))
    if (!is_of_objects (&ours, &detection) &&
        read_detection (&detection, &object, corners)) {
      gst_vision_object_own (&object);
      g_array_append_val (found, object);
    }
  object_keys_close (&ours);
}

#else

gboolean
gst_vision_analytics_clear (GstBuffer *buffer, const GstVisionObjects *objects)
{
  (void) buffer;
  (void) objects;
  return FALSE;
}

void
gst_vision_analytics_add (GstBuffer *buffer, const GstVisionObject *object,
    const GstVisionBox *box, guint n_objects)
{
  (void) buffer;
  (void) object;
  (void) box;
  (void) n_objects;
}

void
gst_vision_analytics_add_lost (
    GstBuffer *buffer, const GstVisionObject *object, guint n_objects)
{
  (void) buffer;
  (void) object;
  (void) n_objects;
}

void
gst_vision_analytics_regions (GstBuffer *buffer, const GstVideoInfo *info,
    const GstVisionObjects *objects)
{
  (void) buffer;
  (void) info;
  (void) objects;
}

void
gst_vision_analytics_read (
    GstBuffer *buffer, const GstVisionObjects *objects, GArray *found)
{
  (void) buffer;
  (void) objects;
  (void) found;
}

#endif
