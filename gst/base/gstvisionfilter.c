/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionfilter.h"

#include <math.h>

#include "base/gstvisioncommon.h"
#include "base/gstvisioncuda.h"
#include "base/gstvisioninput.h"
#include "base/gstvisionwork.h"

GST_DEBUG_CATEGORY_STATIC (vision_filter_debug);
#define GST_CAT_DEFAULT vision_filter_debug

/* The mouse in the window of a sink.  The sink sends navigation events
 * upstream; elements that scale or crop correct the positions on the way. */
typedef struct {
  gboolean is_down;
  gdouble x, y; /* where the first button was pressed */
} Mouse;

typedef struct {
  GstVisionCommon common;
  GstVisionInput input;
  GstVisionWork work;
  gboolean is_open;       /* open () of the child was called */
  guint64 offered;        /* number of buffers that have come */
  gboolean is_offered;    /* the newest buffer is among them */
  gboolean is_ready;      /* start () of the child succeeded */
  gint has_started;       /* atomic, and changed under the object lock */
  gboolean start_refused; /* under the object lock */
  GCond start_changed;
  GstPadActivateModeFunction activate_sink, activate_src; /* of the parent */
  Mouse mouse; /* used by the thread that sends navigation events */
} GstVisionFilterPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (
    GstVisionFilter, gst_vision_filter, GST_TYPE_BASE_TRANSFORM,
    G_ADD_PRIVATE (GstVisionFilter);
    GST_DEBUG_CATEGORY_INIT (vision_filter_debug, "visionfilter", 0,
        "parent of the vision elements with one input"))

#define PRIV(o) \
 ((GstVisionFilterPrivate *) gst_vision_filter_get_instance_private ( \
     GST_VISION_FILTER (o)))

static void
close_child (GstVisionFilter *self)
{
  GstVisionFilterPrivate *p = PRIV (self);

  if (!p->is_open)
    return;
  gst_vision_backend_enter (&p->common.backend);
  GST_VISION_FILTER_GET_CLASS (self)->close (self);
  gst_vision_input_close (&p->input, &p->common.backend);
  gst_vision_backend_leave (&p->common.backend);
  p->is_open = FALSE;
}

static const char *
open_child (GstVisionFilter *self, const GstVideoInfo *info, gboolean in_cuda)
{
  GstVisionFilterPrivate *p = PRIV (self);
  GstVisionFilterClass *klass = GST_VISION_FILTER_GET_CLASS (self);
  GstVisionBackend *backend = &p->common.backend;
  const char *err;

  close_child (self);
  TRY (gst_vision_backend_open (
      backend, klass->use, in_cuda, klass->open_device));
  p->is_open = TRUE;
  err = gst_vision_backend_enter (backend);
  if (!err)
    err = gst_vision_input_open (&p->input, backend, info, in_cuda, klass->use);
  if (!err)
    err = klass->open (self, &backend->device, info);
  gst_vision_backend_leave (backend);
  if (err)
    close_child (self);
  return err;
}

static gboolean
take_caps (GstVisionFilter *self, GstCaps *in)
{
  GstVideoInfo info;

  if (PRIV (self)->common.has_failed ||
      !g_atomic_int_get (&PRIV (self)->has_started))
    return FALSE;
  if (!gst_video_info_from_caps (&info, in)) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("These caps do not describe a frame: %" GST_PTR_FORMAT, in), (NULL));
    return FALSE;
  }
  return !gst_vision_common_failed (&PRIV (self)->common,
      open_child (self, &info, gst_vision_caps_in_cuda (in)));
}

static gboolean
set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out)
{
  gboolean is_taken;

  (void) out;
  gst_vision_work_begin (&PRIV (trans)->work);
  is_taken = take_caps (GST_VISION_FILTER (trans), in);
  gst_vision_work_end (&PRIV (trans)->work);
  return is_taken;
}

static const char *
process_frame (GstVisionFilter *self, GstBuffer *buffer)
{
  GstVisionFilterPrivate *p = PRIV (self);
  GstVisionBackend *backend = &p->common.backend;
  GstObject *foreign = gst_vision_backend_foreign (backend, buffer);
  Image image;
  const char *err, *unmap_err;

  if (foreign) {
    GstVideoInfo info = p->input.info;

    close_child (self);
    gst_vision_backend_adopt (backend, foreign);
    TRY (open_child (self, &info, TRUE));
  }
  err = gst_vision_backend_enter (backend);
  if (!err)
    err = gst_vision_input_map (&p->input, backend, buffer, &image);
  if (!err) {
    err = GST_VISION_FILTER_GET_CLASS (self)->process (self, &image, buffer);
    unmap_err = gst_vision_input_unmap (&p->input, backend);
    err = err ? err : unmap_err;
  }
  gst_vision_backend_leave (backend);
  if (!err || err != p->input.fault)
    return err;
  backend->kernel_time = GST_CLOCK_TIME_NONE; /* nothing was measured */
  gst_vision_common_fault (&p->common, err);
  return NULL;
}

static GstClockTime
stream_time_of (GstVisionFilter *self, GstBuffer *buffer)
{
  return gst_segment_to_stream_time (&GST_BASE_TRANSFORM (self)->segment,
      GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
}

gboolean
gst_vision_filter_has_reached (
    GstVisionFilter *self, GstBuffer *buffer, gdouble seconds)
{
  GstClockTime now = stream_time_of (self, buffer);

  return !GST_CLOCK_TIME_IS_VALID (now) ||
      (gdouble) now >= seconds * GST_SECOND - GST_USECOND;
}

/* Counts buffers that came and were not processed: GstBaseTransform dropped
 * them by QoS. */
static void
count_dropped (GstVisionFilterPrivate *p)
{
  guint64 known = p->common.frames + p->common.dropped;

  gst_vision_common_count_dropped (&p->common, p->offered - known);
}

static void
before_transform (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstVisionFilterPrivate *p = PRIV (trans);
  GstClockTime time;

  p->is_offered = g_atomic_int_get (&p->has_started) &&
      gst_vision_common_takes_segment (&p->common, &trans->segment);
  if (!p->is_offered)
    return;
  time = stream_time_of (GST_VISION_FILTER (trans), buffer);
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (trans), time);
  count_dropped (p);
  p->offered++;
}

static GstFlowReturn
take_frame (GstVisionFilter *self, GstBuffer *buffer)
{
  GstVisionFilterPrivate *p = PRIV (self);
  gint64 start = g_get_monotonic_time ();

  if (!g_atomic_int_get (&p->has_started))
    return GST_FLOW_FLUSHING;
  if (!p->is_offered && !p->common.has_failed)
    return GST_FLOW_FLUSHING; /* before_transform () came before the start */
  if (p->common.has_failed ||
      gst_vision_common_failed (&p->common, process_frame (self, buffer))) {
    close_child (self);
    return GST_FLOW_ERROR;
  }
  gst_vision_common_count (&p->common, start);
  return g_atomic_int_get (&p->has_started) ? GST_FLOW_OK : GST_FLOW_FLUSHING;
}

static GstFlowReturn
transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstFlowReturn flow;

  gst_vision_work_begin (&PRIV (trans)->work);
  flow = take_frame (GST_VISION_FILTER (trans), buffer);
  gst_vision_work_end (&PRIV (trans)->work);
  return flow;
}

/* Frees what start () and the caps made. */
static void
release_filter (GstElement *element)
{
  GstVisionFilter *self = GST_VISION_FILTER (element);
  GstVisionFilterClass *klass = GST_VISION_FILTER_GET_CLASS (self);
  GstVisionFilterPrivate *p = PRIV (self);

  count_dropped (p);
  close_child (self);
  if (klass->stop)
    klass->stop (self);
  gst_vision_backend_close (&p->common.backend);
  if (gst_vision_work_is_here (&p->work))
    gst_vision_backend_free (&p->common.backend);
}

static void
set_started (GstBaseTransform *trans, gboolean started, gboolean refused)
{
  GstVisionFilterPrivate *p = PRIV (trans);

  GST_OBJECT_LOCK (trans);
  g_atomic_int_set (&p->has_started, started);
  p->start_refused = refused;
  g_cond_broadcast (&p->start_changed);
  GST_OBJECT_UNLOCK (trans);
}

static gboolean
start_child (GstVisionFilter *self)
{
  GstVisionFilterClass *klass = GST_VISION_FILTER_GET_CLASS (self);
  GstVisionFilterPrivate *p = PRIV (self);

  if (!gst_vision_properties_check (GST_ELEMENT (self)))
    return FALSE;
  p->offered = 0;
  gst_vision_common_restart (&p->common);
  return !klass->start || klass->start (self);
}

static gboolean
start_filter (GstBaseTransform *trans)
{
  gboolean is_ready = start_child (GST_VISION_FILTER (trans));

  PRIV (trans)->is_ready = is_ready;
  if (!is_ready)
    set_started (trans, FALSE, TRUE);
  return is_ready;
}

static gboolean
stop_filter (GstBaseTransform *trans)
{
  PRIV (trans)->is_ready = FALSE;
  set_started (trans, FALSE, FALSE);
  gst_vision_work_stop (&PRIV (trans)->work);
  return TRUE;
}

/* A pad takes frames and events even before start (), and after start ()
 * GstBaseTransform still resets its segment: frames are refused, and events
 * wait, until the pad is active. */
static gboolean
activate_pad (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  GstVisionFilterPrivate *p = PRIV (parent);
  GstPadActivateModeFunction activate =
      GST_PAD_IS_SINK (pad) ? p->activate_sink : p->activate_src;
  gboolean is_done = activate (pad, parent, mode, active);

  if (active && p->is_ready)
    set_started (GST_BASE_TRANSFORM (parent), is_done, !is_done);
  return is_done;
}

/* A stop in the middle of a frame leaves the context to the device that works
 * on it. */
static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstVisionFilterPrivate *p = PRIV (element);

  if (!gst_vision_work_change_state (&p->work, transition))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    set_started (GST_BASE_TRANSFORM (element),
        g_atomic_int_get (&p->has_started), FALSE);
  if (!gst_vision_work_is_here (&p->work))
    gst_vision_backend_change_state (&p->common.backend, transition);
  return GST_ELEMENT_CLASS (gst_vision_filter_parent_class)
      ->change_state (element, transition);
}

/* Events that come before the sink pad is active wait, a few seconds at most,
 * because a source takes a refusal for an error. */
static gboolean
wait_for_start (GstBaseTransform *trans)
{
  GstVisionFilterPrivate *p = PRIV (trans);
  gint64 until = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;

  GST_OBJECT_LOCK (trans);
  while (!g_atomic_int_get (&p->has_started) && !p->start_refused &&
      !gst_vision_pad_is_flushing (GST_BASE_TRANSFORM_SINK_PAD (trans)) &&
      g_cond_wait_until (&p->start_changed, GST_OBJECT_GET_LOCK (trans), until))
    ;
  GST_OBJECT_UNLOCK (trans);
  return g_atomic_int_get (&p->has_started);
}

static void
wake_waiting_event (GstBaseTransform *trans)
{
  GST_OBJECT_LOCK (trans);
  g_cond_broadcast (&PRIV (trans)->start_changed);
  GST_OBJECT_UNLOCK (trans);
}

/* Handles a serialized event, in the streaming thread. */
static gboolean
take_event (GstVisionFilter *self, GstEvent *event)
{
  GstVisionFilterClass *klass = GST_VISION_FILTER_GET_CLASS (self);
  GstEventType type = GST_EVENT_TYPE (event);
  const GstSegment *segment;

  if (type == GST_EVENT_SEGMENT) {
    gst_event_parse_segment (event, &segment);
    if (!gst_vision_common_takes_segment (&PRIV (self)->common, segment)) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  if (type == GST_EVENT_EOS) {
    count_dropped (PRIV (self));
    if (klass->end)
      klass->end (self);
  }
  if (type == GST_EVENT_FLUSH_STOP && klass->reset && PRIV (self)->is_open)
    klass->reset (self);
  return GST_BASE_TRANSFORM_CLASS (gst_vision_filter_parent_class)
      ->sink_event (GST_BASE_TRANSFORM (self), event);
}

static gboolean
sink_event (GstBaseTransform *trans, GstEvent *event)
{
  GstVisionFilterPrivate *p = PRIV (trans);
  gboolean is_taken;

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    wake_waiting_event (trans);
  if (!GST_EVENT_IS_SERIALIZED (event))
    return GST_BASE_TRANSFORM_CLASS (gst_vision_filter_parent_class)
        ->sink_event (trans, event);
  if (!wait_for_start (trans)) {
    gst_event_unref (event);
    return FALSE;
  }
  gst_vision_work_begin (&p->work);
  is_taken = take_event (GST_VISION_FILTER (trans), event);
  gst_vision_work_end (&p->work);
  return is_taken;
}

/* ---- The mouse ---- */

#define CLICK 3
/* Positions in a window are clipped to this; no frame is larger. */
#define MAX_POSITION 65535

/* Whether @event has a button: GStreamer warns if it is asked for the button of
 * another event. */
static gboolean
is_button (GstEvent *event)
{
  GstNavigationEventType type = GST_EVENT_TYPE (event) == GST_EVENT_NAVIGATION
      ? gst_navigation_event_get_type (event)
      : GST_NAVIGATION_EVENT_INVALID;

  return type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS ||
      type == GST_NAVIGATION_EVENT_MOUSE_BUTTON_RELEASE;
}

static gint
whole_position (gdouble v)
{
  return isfinite (v) ? (gint) CLAMP (v, 0, MAX_POSITION) : 0;
}

/* Reads an event that came upstream.  TRUE if the first button was released;
 * @box is then the rectangle that the user drew, in pixels of the frame, and
 * @keys are the keys that were held.  A movement of less than three pixels is a
 * click, whose box has the size 0. */
static gboolean
take_mouse (Mouse *self, GstEvent *event, GstVideoRectangle *box,
    GstNavigationModifierType *keys)
{
  gint button, x0, y0, x1, y1;
  gdouble x, y;

  if (!is_button (event) ||
      !gst_navigation_event_parse_mouse_button_event (event, &button, &x, &y) ||
      button != 1)
    return FALSE;
  if (gst_navigation_event_get_type (event) ==
      GST_NAVIGATION_EVENT_MOUSE_BUTTON_PRESS) {
    *self = (Mouse){TRUE, x, y};
    return FALSE;
  }
  if (!self->is_down)
    return FALSE;
  self->is_down = FALSE;
  x0 = whole_position (MIN (x, self->x));
  y0 = whole_position (MIN (y, self->y));
  x1 = whole_position (MAX (x, self->x));
  y1 = whole_position (MAX (y, self->y));
  *box = (GstVideoRectangle){x0, y0, x1 - x0, y1 - y0};
  if (box->w < CLICK && box->h < CLICK)
    box->w = box->h = 0;
  if (!gst_navigation_event_parse_modifier_state (event, keys))
    *keys = GST_NAVIGATION_MODIFIER_NONE;
  return TRUE;
}

/* ---- Other methods of GstBaseTransform ---- */

static gboolean
src_event (GstBaseTransform *trans, GstEvent *event)
{
  GstVisionFilterClass *klass = GST_VISION_FILTER_GET_CLASS (trans);
  GstNavigationModifierType keys;
  GstVideoRectangle box;

  if (klass->point && take_mouse (&PRIV (trans)->mouse, event, &box, &keys))
    klass->point (GST_VISION_FILTER (trans), &box, keys);
  gst_vision_common_take_pace (
      &PRIV (trans)->common, GST_BASE_TRANSFORM_SRC_PAD (trans), event);
  return GST_BASE_TRANSFORM_CLASS (gst_vision_filter_parent_class)
      ->src_event (trans, event);
}

static gboolean
answer_query (
    GstBaseTransform *trans, GstPadDirection direction, GstQuery *query)
{
  if (gst_vision_backend_query (&PRIV (trans)->common.backend, query))
    return TRUE;
  return GST_BASE_TRANSFORM_CLASS (gst_vision_filter_parent_class)
      ->query (trans, direction, query);
}

/* An element that works in place asks what comes after it.  A sink that gives
 * no answer, as fakesink, takes any memory. */
static gboolean
propose_allocation (GstBaseTransform *trans, GstQuery *decide, GstQuery *query)
{
  GST_BASE_TRANSFORM_CLASS (gst_vision_filter_parent_class)
      ->propose_allocation (trans, decide, query);
  gst_vision_input_propose (&PRIV (trans)->common.backend, query);
  return TRUE;
}

static void
set_context (GstElement *element, GstContext *context)
{
  gst_vision_backend_set_context (&PRIV (element)->common.backend, context);
  GST_ELEMENT_CLASS (gst_vision_filter_parent_class)
      ->set_context (element, context);
}

static void
finalize_filter (GObject *object)
{
  gst_vision_backend_free (&PRIV (object)->common.backend);
  g_cond_clear (&PRIV (object)->start_changed);
  gst_vision_work_clear (&PRIV (object)->work);
  gst_vision_common_clear (&PRIV (object)->common);
  G_OBJECT_CLASS (gst_vision_filter_parent_class)->finalize (object);
}

static void
gst_vision_filter_class_init (GstVisionFilterClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *trans = GST_BASE_TRANSFORM_CLASS (klass);

  object->finalize = finalize_filter;
  gst_vision_properties_install_at (object, gst_vision_common_properties,
      G_PRIVATE_OFFSET (GstVisionFilter, common));

  GST_ELEMENT_CLASS (klass)->set_context = set_context;
  GST_ELEMENT_CLASS (klass)->change_state = change_state;
  trans->start = start_filter;
  trans->stop = stop_filter;
  trans->set_caps = set_caps;
  trans->before_transform = before_transform;
  trans->transform_ip = transform_ip;
  trans->sink_event = sink_event;
  trans->src_event = src_event;
  trans->query = answer_query;
  trans->propose_allocation = propose_allocation;
  trans->passthrough_on_same_caps = FALSE;
  klass->open_device = device_open;

  gst_type_mark_as_plugin_api (GST_TYPE_VISION_FILTER, 0);
}

static void
gst_vision_filter_init (GstVisionFilter *self)
{
  GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD (self);
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD (self);

  PRIV (self)->activate_sink = GST_PAD_ACTIVATEMODEFUNC (sink);
  PRIV (self)->activate_src = GST_PAD_ACTIVATEMODEFUNC (src);
  gst_pad_set_activatemode_function (sink, activate_pad);
  gst_pad_set_activatemode_function (src, activate_pad);
  gst_vision_common_init (&PRIV (self)->common, GST_ELEMENT (self),
      &GST_BASE_TRANSFORM (self)->segment);
  g_cond_init (&PRIV (self)->start_changed);
  gst_vision_work_init (&PRIV (self)->work, GST_ELEMENT (self), release_filter);
  gst_vision_properties_init_at (self, gst_vision_common_properties,
      G_PRIVATE_OFFSET (GstVisionFilter, common));
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

void
gst_vision_filter_class_add_pads (
    GstVisionFilterClass *klass, const gchar *formats)
{
  GstCaps *caps = gst_vision_caps (formats);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);

  gst_element_class_add_pad_template (element,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
  gst_element_class_add_pad_template (
      element, gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
}
