/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-visionmap
 * @title: visionmap
 * @see_also: visionoverlay
 *
 * Makes a video of a map that a vision element found, as large as the map.  In
 * RGB formats the colours are those of visionoverlay, and invalid pixels are
 * black (in RGBA, transparent).  In GRAY8 and GRAY16_LE the greys are the map's
 * numbers as they are stored, rounded, and limited to the range of the format;
 * or, with #GstVisionmap:map-low and #GstVisionmap:map-high, the
 * values between these two, from black to white.  Labels of 32 bits, which are
 * places of pixels, are numbered 1, 2, 3 … in the order in which they come,
 * from the upper left corner on; so GRAY16_LE tells 65,534 components apart.
 *
 * A map of three numbers a pixel, such as rendered and normals, has its own
 * colours: red, green and blue, for normals x, y and z from -1 to 1.  Its greys
 * are the luma of these.
 *
 * A map of kind correspondence is light green on the background, dark green on
 * objects, yellow and dark red for potential and certain outliers, light blue
 * where the model has a hole, blue beyond it and black without depth.
 *
 * A buffer without the map gives a black frame, of the size of the map before.
 * The size of the output is negotiated with the first buffer, so a window opens
 * as large as the map; where that buffer has no map, as large as its input.
 * Elements upstream get the position of the mouse in such a window in pixels of
 * the frame, not of the map.
 *
 * ## What it is for
 *
 * A map as pictures: to look at it, to record it, or to give its numbers as grey
 * values to elements that know video alone.
 *
 * ## When something else is better
 *
 * - The map over the frame: `map` of #visionoverlay.
 * - Exact numbers of floating-point maps, such as disparities: the metadata of
 *   the buffers. Greys are whole numbers.
 *
 * ## Troubleshooting
 *
 * - All is black: the element in front makes no such map. Most must be asked
 *   for, as by `label-map`, `emd-map` or `maps`; or `kind` names another.
 * - All is of one colour: `map-low` and `map-high` do not fit the map's numbers.
 * - Negotiation fails behind it: `videoconvert` makes other formats.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 visiontestsrc num-buffers=30 label-map=true ! visionmap
 * kind=labels ! videoconvert ! fakesink
 * gst-launch-1.0 visiontestsrc pattern=rgbd ! visionmap !
 * videoconvert ! autovideosink
 * ]|
 * The labels of one generated scene, and the classes that a tracker gives to
 * the pixels of another.
 *
 * Since: 0.1
 */
#include <gst/base/gstbasetransform.h>

#include "base/gstvisioncommon.h"
#include "base/gstvisionproperties.h"
#include "base/gstvisiontell.h"
#include "base/gstvisionwork.h"
#include "common/parallel.h"
#include "visionmap/gstvisionmappaint.h"

/* Elements are named after their type: visionmap0. */
#define GST_TYPE_VISIONMAP (gst_visionmap_get_type ())
G_DECLARE_FINAL_TYPE (
    GstVisionmap, gst_visionmap, GST, VISIONMAP, GstBaseTransform)

struct _GstVisionmap {
  GstBaseTransform parent;

  GstVisionWork work;
  gint has_started; /* atomic */

  /* Of the streaming thread. */
  GstVisionMapPaint paint;
  GstVideoInfo out;
  gboolean warned; /* the newest frame had no map, and a warning was posted */
  gint64 told;     /* time of the newest warning of a missing map */
  gboolean waits;  /* for the first buffer, which tells the map's size */
  GQueue held;     /* while waiting: the events from the caps on */

  /* Under the object lock. */
  guint width, height; /* of the newest map; 0: none yet */
  gchar *kind;
  gdouble map_low, map_high;
  guint n_threads; /* of the CPU's loops; 0 = one for each processor */
};

G_DEFINE_TYPE (GstVisionmap, gst_visionmap, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (
    visionmap, "visionmap", GST_RANK_NONE, GST_TYPE_VISIONMAP)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
        GST_STATIC_CAPS (GST_VIDEO_CAPS_MAKE (
            "{ RGBx, RGBA, BGRx, BGRA, RGB, BGR, GRAY8, GRAY16_LE }")));

#define ROWS_OF GstVisionmap
static const GstVisionProperty properties[] = {
    STRING (kind,
        "Kind of the map: disparity, depth, labels, … (unset = the newest)"),
    BY_HAND (TITLED, "Low end of the map", NUMBER, map_low, -G_MAXFLOAT,
        G_MAXFLOAT, 0,
        "Value shown in the first colour or black; if both ends are equal, "
        "colours follow the range of the map, and greys are its numbers"),
    BY_HAND (TITLED, "High end of the map", NUMBER, map_high, -G_MAXFLOAT,
        G_MAXFLOAT, 0, "Value shown in the last colour or white"),
    GST_VISION_N_THREADS (n_threads), {.params = NULL}};

/* ---- Events that wait for the first buffer ---- */

/* Handles the held events; the caps among them negotiate the output. */
static void
release_held_events (GstVisionmap *self)
{
  GstEvent *event;

  self->waits = FALSE;
  while ((event = g_queue_pop_head (&self->held)))
    GST_BASE_TRANSFORM_CLASS (gst_visionmap_parent_class)
        ->sink_event (GST_BASE_TRANSFORM (self), event);
}

/* A flush drops all held events but sticky ones, such as the caps. */
static void
flush_held_events (GstVisionmap *self)
{
  GList *next;

  for (GList *l = self->held.head; l; l = next) {
    next = l->next;
    if (GST_EVENT_IS_STICKY (l->data) &&
        GST_EVENT_TYPE (l->data) != GST_EVENT_SEGMENT)
      continue;
    gst_event_unref (l->data);
    g_queue_delete_link (&self->held, l);
  }
}

static gboolean
visionmap_sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstVisionmap *self = GST_VISIONMAP (trans);

  if (GST_EVENT_IS_SERIALIZED (event) && self->waits)
    switch (GST_EVENT_TYPE (event)) {
      case GST_EVENT_FLUSH_STOP:
        flush_held_events (self);
        break;
      case GST_EVENT_GAP: /* no buffer comes, but the sink wants caps */
      case GST_EVENT_SEGMENT_DONE:
      case GST_EVENT_EOS:
        release_held_events (self);
        break;
      default:
        if (g_queue_is_empty (&self->held) &&
            GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
          break;
        g_queue_push_tail (&self->held, event);
        return TRUE;
    }
  return GST_BASE_TRANSFORM_CLASS (gst_visionmap_parent_class)
      ->sink_event (trans, event);
}

/* show_map () refuses frames until this function has ended. */
static gboolean
visionmap_start (GstBaseTransform *trans)
{
  GstVisionmap *self = GST_VISIONMAP (trans);
  const char *err = gst_vision_map_paint_open (&self->paint);

  GST_OBJECT_LOCK (self);
  self->width = self->height = 0;
  GST_OBJECT_UNLOCK (self);
  self->warned = FALSE;
  self->told = 0;
  g_atomic_int_set (&self->has_started, !err);
  if (err) {
    gst_vision_map_paint_close (&self->paint);
    gchar *memory = gst_vision_memory_text (err, NULL);

    GST_ELEMENT_ERROR (
        self, RESOURCE, NO_SPACE_LEFT, ("%s", memory ? memory : err), (NULL));
    g_free (memory);
  }
  return !err;
}

static void
release_visionmap (GstElement *element)
{
  GstVisionmap *self = GST_VISIONMAP (element);

  g_queue_clear_full (&self->held, (GDestroyNotify) gst_event_unref);
  self->waits = TRUE;
  gst_vision_map_paint_close (&self->paint);
}

static gboolean
visionmap_stop (GstBaseTransform *trans)
{
  GstVisionmap *self = GST_VISIONMAP (trans);

  g_atomic_int_set (&self->has_started, FALSE);
  gst_vision_work_stop (&self->work);
  return TRUE;
}

static GstStateChangeReturn
visionmap_change_state (GstElement *element, GstStateChange transition)
{
  if (!gst_vision_work_change_state (
          &GST_VISIONMAP (element)->work, transition))
    return GST_STATE_CHANGE_FAILURE;
  return GST_ELEMENT_CLASS (gst_visionmap_parent_class)
      ->change_state (element, transition);
}

/* ---- Caps: the output has the frame's rate and the map's size ---- */

/* The caps of the other pad if the pad of @direction has @caps.  Maps have
 * @width times @height numbers; 0: not known yet. */
static GstCaps *
caps_of_other_pad (GstPadDirection direction, const GstCaps *caps,
    GstCaps *filter, gint width, gint height)
{
  GstCaps *all = gst_static_pad_template_get_caps (
      direction == GST_PAD_SINK ? &src_template : &sink_template);
  GstCaps *result = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    const GValue *rate =
        gst_structure_get_value (gst_caps_get_structure (caps, i), "framerate");
    GstCaps *some = gst_caps_copy (all);

    if (rate)
      gst_caps_set_value (some, "framerate", rate);
    if (direction == GST_PAD_SINK && width)
      gst_caps_set_simple (
          some, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, NULL);
    result = gst_caps_merge (result, some);
  }
  gst_caps_unref (all);
  if (filter) {
    all = result;
    result = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
    gst_caps_unref (all);
  }
  return result;
}

static GstCaps *
visionmap_transform_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *filter)
{
  GstVisionmap *self = GST_VISIONMAP (trans);
  gint width, height;

  GST_OBJECT_LOCK (self);
  width = (gint) self->width;
  height = (gint) self->height;
  GST_OBJECT_UNLOCK (self);
  return caps_of_other_pad (direction, caps, filter, width, height);
}

/* Fixates the first structure of @other, with the size of @caps if @other
 * leaves the size open. */
static GstCaps *
visionmap_fixate_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *other)
{
  static const gchar *const size[] = {"width", "height"};
  const GstStructure *in = gst_caps_get_structure (caps, 0);
  GstStructure *out;
  gint pixels;

  (void) trans;
  (void) direction;
  other = gst_caps_make_writable (gst_caps_truncate (other));
  out = gst_caps_get_structure (other, 0);
  for (guint i = 0; i < G_N_ELEMENTS (size); i++)
    if (gst_structure_get_int (in, size[i], &pixels))
      gst_structure_fixate_field_nearest_int (out, size[i], pixels);
  return gst_caps_fixate (other);
}

/* The size of a buffer follows from its own caps. */
static gboolean
visionmap_transform_size (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, gsize size, GstCaps *other, gsize *other_size)
{
  GstVideoInfo info;

  (void) trans;
  (void) direction;
  (void) caps;
  (void) size;
  if (!gst_video_info_from_caps (&info, other))
    return FALSE;
  *other_size = GST_VIDEO_INFO_SIZE (&info);
  return TRUE;
}

/* A map shows the whole frame, so results stay as they are. */
static gboolean
visionmap_transform_meta (
    GstBaseTransform *trans, GstBuffer *out, GstMeta *meta, GstBuffer *in)
{
  return (gst_meta_info_is_custom (meta->info) &&
             gst_custom_meta_has_name (
                 (GstCustomMeta *) meta, "VisionGeometry")) ||
      GST_BASE_TRANSFORM_CLASS (gst_visionmap_parent_class)
          ->transform_meta (trans, out, meta, in);
}

static gboolean
visionmap_set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out)
{
  (void) in;
  return gst_video_info_from_caps (&GST_VISIONMAP (trans)->out, out);
}

static gboolean
find_shown_map (GstVisionmap *self, GstBuffer *buffer, GstVisionMap *map)
{
  gboolean found;
  gchar *kind = GST_VISION_LOCKED (self, g_strdup (self->kind));

  found = gst_buffer_find_vision_map (
              buffer, GST_VISION_ORIGIN_RESULT, kind, map) ||
      gst_buffer_find_vision_map (buffer, GST_VISION_ORIGIN_TRUTH, kind, map);
  g_free (kind);
  return found;
}

/* Keeps the size of @map; returns whether it differs from the map before. */
static gboolean
take_size (GstVisionmap *self, const GstVisionMap *map)
{
  gboolean other;

  GST_OBJECT_LOCK (self);
  other = self->width != map->width || self->height != map->height;
  self->width = map->width;
  self->height = map->height;
  GST_OBJECT_UNLOCK (self);
  return other;
}

/* Negotiates new caps if the map has another size than the map before. */
static GstFlowReturn
visionmap_submit_input_buffer (
    GstBaseTransform *trans, gboolean is_discont, GstBuffer *buffer)
{
  GstVisionmap *self = GST_VISIONMAP (trans);
  gboolean other = FALSE;
  GstFlowReturn ret;
  GstVisionMap map;

  if (!g_atomic_int_get (&self->has_started)) {
    gst_buffer_unref (buffer);
    return GST_FLOW_FLUSHING;
  }
  if (find_shown_map (self, buffer, &map) && map.width && map.height &&
      map.width <= OVERLAY_MAX_SIZE && map.height <= OVERLAY_MAX_SIZE)
    other = take_size (self, &map);
  if (self->waits)
    release_held_events (self);
  else if (other)
    gst_base_transform_reconfigure_src (trans);
  ret = GST_BASE_TRANSFORM_CLASS (gst_visionmap_parent_class)
            ->submit_input_buffer (trans, is_discont, buffer);
  if (other && ret == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("The map has %u x %u pixels, which the element behind does not take. "
         "Put videoscale between them.",
            map.width, map.height),
        (NULL));
  return ret;
}

/* ---- The mouse ---- */

/* Sets the ratio of pixels of the input to pixels of the map.  In frames of
 * stacked channels, positions count within one channel. */
static gboolean
get_mouse_scale (GstVisionmap *self, gdouble *sx, gdouble *sy)
{
  GstCaps *caps = gst_pad_get_current_caps (GST_BASE_TRANSFORM_SINK_PAD (self));
  gint width = 0, height = 0, channels = 1;
  gboolean known;

  if (!caps)
    return FALSE;
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  if (g_strcmp0 (gst_structure_get_string (s, "channel-layout"), "stacked") ||
      !gst_structure_get_int (s, "channels", &channels) || channels < 1)
    channels = 1;
  gst_caps_unref (caps);
  GST_OBJECT_LOCK (self);
  known = self->width && self->height;
  if (known) {
    *sx = (gdouble) width / self->width;
    *sy = (gdouble) (height / channels) / self->height;
  }
  GST_OBJECT_UNLOCK (self);
  return known;
}

/* Turns a position in the map into one in the frame, for elements upstream. */
static gboolean
visionmap_src_event (GstBaseTransform *trans, GstEvent *event)
{
  gdouble x, y, sx, sy;

  if (GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION &&
      gst_navigation_event_get_coordinates (event, &x, &y) &&
      get_mouse_scale (GST_VISIONMAP (trans), &sx, &sy)) {
    event = gst_event_make_writable (event);
    gst_navigation_event_set_coordinates (event, x * sx, y * sy);
  }
  return GST_BASE_TRANSFORM_CLASS (gst_visionmap_parent_class)
      ->src_event (trans, event);
}

/* Paints the map of @in into @out.  FLUSHING if an event before the frame has
 * stopped the element. */
static GstFlowReturn
show_map (GstVisionmap *self, GstBuffer *in, GstBuffer *out)
{
  GstVideoFrame frame;
  GstVisionMap map;
  gboolean found = find_shown_map (self, in, &map);
  gdouble low, high;
  guint n_threads;
  const char *err;

  if (!g_atomic_int_get (&self->has_started))
    return GST_FLOW_FLUSHING;
  if (!gst_video_frame_map (&frame, &self->out, out, GST_MAP_WRITE)) {
    GST_ELEMENT_ERROR (self, RESOURCE, WRITE,
        ("A frame for the map could not be mapped; memory may have run out."),
        (NULL));
    return GST_FLOW_ERROR;
  }
  GST_OBJECT_LOCK (self);
  low = self->map_low;
  high = self->map_high;
  n_threads = self->n_threads;
  GST_OBJECT_UNLOCK (self);
  parallel_limit ((int) n_threads);
  err = gst_vision_map_paint (
      &self->paint, found ? &map : NULL, low, high, &frame);
  parallel_limit (0);
  gst_video_frame_unmap (&frame);

  if (!found)
    err = "the buffer has none";
  if (err && !self->warned && gst_vision_warning_is_due (&self->told))
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("There is no map to show: %s. Put visionmap behind the element that "
         "makes it, and set kind to its kind. Frames are black until then.",
            err),
        (NULL));
  self->warned = err != NULL;
  return g_atomic_int_get (&self->has_started) ? GST_FLOW_OK
                                               : GST_FLOW_FLUSHING;
}

static GstFlowReturn
visionmap_transform (GstBaseTransform *trans, GstBuffer *in, GstBuffer *out)
{
  GstVisionmap *self = GST_VISIONMAP (trans);
  GstFlowReturn flow;

  gst_vision_work_begin (&self->work);
  flow = show_map (self, in, out);
  gst_vision_work_end (&self->work);
  return flow;
}

/* Accepts any stride, also before the output is negotiated, since the element
 * does not read the pixels of frames. */
static gboolean
visionmap_query (
    GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  if (direction != GST_PAD_SINK ||
      GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_BASE_TRANSFORM_CLASS (gst_visionmap_parent_class)
        ->query (trans, direction, query);
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

static void
visionmap_finalize (GObject *object)
{
  gst_vision_work_clear (&GST_VISIONMAP (object)->work);
  G_OBJECT_CLASS (gst_visionmap_parent_class)->finalize (object);
}

static void
gst_visionmap_class_init (GstVisionmapClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans = GST_BASE_TRANSFORM_CLASS (klass);

  object->finalize = visionmap_finalize;
  element->change_state = visionmap_change_state;
  gst_vision_properties_install (object, properties);
  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "Vision map",
      "Filter/Converter/Video", "Makes a video of a map",
      "The gst-vision authors");
  trans->start = visionmap_start;
  trans->stop = visionmap_stop;
  trans->transform_caps = visionmap_transform_caps;
  trans->fixate_caps = visionmap_fixate_caps;
  trans->set_caps = visionmap_set_caps;
  trans->transform_size = visionmap_transform_size;
  trans->transform_meta = visionmap_transform_meta;
  trans->submit_input_buffer = visionmap_submit_input_buffer;
  trans->sink_event = visionmap_sink_event;
  trans->src_event = visionmap_src_event;
  trans->query = visionmap_query;
  trans->transform = visionmap_transform;
}

static void
gst_visionmap_init (GstVisionmap *self)
{
  gst_vision_meta_watch (GST_ELEMENT (self));
  g_queue_init (&self->held);
  self->waits = TRUE;
  gst_vision_properties_init (self, properties);
  gst_vision_work_init (&self->work, GST_ELEMENT (self), release_visionmap);
}
