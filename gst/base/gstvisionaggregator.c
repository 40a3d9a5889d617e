/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionaggregator.h"

#include <string.h>

#include "base/gstvisionaggregate.h"
#include "base/gstvisioncuda.h"

GST_DEBUG_CATEGORY_STATIC (vision_aggregator_debug);
#define GST_CAT_DEFAULT vision_aggregator_debug

enum {
  PROP_MAX_SKEW = GST_VISION_COMMON_N_IDS,
  PROP_PACKING,
};

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (
    GstVisionAggregator, gst_vision_aggregator, GST_TYPE_AGGREGATOR,
    G_ADD_PRIVATE (GstVisionAggregator);
    GST_DEBUG_CATEGORY_INIT (vision_aggregator_debug, "visionaggregator", 0,
        "parent of the vision elements with two inputs"))

#define PRIV(o) gst_vision_aggregator_private (o)
#define PARENT GST_AGGREGATOR_CLASS (gst_vision_aggregator_parent_class)

GstVisionAggregatorPrivate *
gst_vision_aggregator_private (gpointer self)
{
  return gst_vision_aggregator_get_instance_private (self);
}

static GstAggregatorPad *
create_new_pad (GstAggregator *agg, GstPadTemplate *template, const gchar *name,
    const GstCaps *caps)
{
  GstPad *there = gst_element_get_static_pad (
      GST_ELEMENT (agg), GST_PAD_TEMPLATE_NAME_TEMPLATE (template));
  GstPad *pad;

  (void) name;
  (void) caps;
  if (there) {
    GST_WARNING_OBJECT (agg, "%s is in use", GST_PAD_NAME (there));
    gst_object_unref (there);
    return NULL;
  }
  pad = g_object_new (GST_TYPE_AGGREGATOR_PAD, "name",
      GST_PAD_TEMPLATE_NAME_TEMPLATE (template), "direction", GST_PAD_SINK,
      "template", template, NULL);
  gst_pad_set_chain_function_full (pad, gst_vision_aggregate_chain,
      (gpointer) GST_PAD_CHAINFUNC (pad), NULL);
  return GST_AGGREGATOR_PAD (pad);
}

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *template,
    const gchar *name, const GstCaps *caps)
{
  GstPad *pad = GST_ELEMENT_CLASS (gst_vision_aggregator_parent_class)
                    ->request_new_pad (element, template, name, caps);

  gst_vision_aggregate_update_latency (GST_AGGREGATOR (element));
  return pad;
}

static gboolean
src_query (GstAggregator *agg, GstQuery *query)
{
  return gst_vision_backend_query (&PRIV (agg)->common.backend, query) ||
      PARENT->src_query (agg, query);
}

/* Where the stream ends; GST_CLOCK_TIME_NONE where nobody knows. */
static gint64
find_duration (GstAggregator *agg)
{
  GstAggregatorPad *first = gst_vision_aggregate_pad (agg, 0);
  gint64 duration = -1;

  if (first)
    gst_pad_peer_query_duration (GST_PAD (first), GST_FORMAT_TIME, &duration);
  gst_clear_object (&first);
  return duration;
}

/* A GstAggregator takes a seek into its segment before it asks the sources: one
 * in another format, or one backwards from an end that is not told, would leave
 * it in a state that no frame can be placed in. */
static gboolean
seek (GstAggregator *agg, GstEvent *event)
{
  GstSeekType start_type, stop_type;
  GstSeekFlags flags;
  GstEvent *told;
  GstFormat format;
  gint64 start, stop;
  gdouble rate;

  gst_event_parse_seek (
      event, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  if (format == GST_FORMAT_TIME && rate < 0 &&
      (stop_type != GST_SEEK_TYPE_SET || stop < 0)) {
    stop = find_duration (agg);
    told = gst_event_new_seek (rate, format, flags, start_type, start,
        GST_SEEK_TYPE_SET, MAX (stop, 0));
    gst_event_set_seqnum (told, gst_event_get_seqnum (event));
    gst_event_unref (event);
    event = told;
  }
  if (format == GST_FORMAT_TIME && (rate > 0 || stop >= 0))
    return PARENT->src_event (agg, event);
  GST_DEBUG_OBJECT (agg, "refuse %" GST_PTR_FORMAT, event);
  gst_event_unref (event);
  return FALSE;
}

static gboolean
src_event (GstAggregator *agg, GstEvent *event)
{
  return GST_EVENT_TYPE (event) == GST_EVENT_SEEK
      ? seek (agg, event)
      : PARENT->src_event (agg, event);
}

static gboolean
propose_allocation (GstAggregator *agg, GstAggregatorPad *pad, GstQuery *decide,
    GstQuery *query)
{
  (void) pad;
  (void) decide;
  gst_vision_backend_propose (&PRIV (agg)->common.backend, query);
  return TRUE;
}

static GstFlowReturn
flush (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  p->pair = (GstVisionPair){.warned = p->pair.warned, .told = p->pair.told};
  if (p->frames.is_open && GST_VISION_AGGREGATOR_GET_CLASS (agg)->reset)
    GST_VISION_AGGREGATOR_GET_CLASS (agg)->reset (GST_VISION_AGGREGATOR (agg));
  return GST_FLOW_OK;
}

static gboolean
start (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  p->pair = (GstVisionPair){0};
  memset (p->arrival, 0, sizeof p->arrival);
  for (gint i = 0; i < 2; i++) {
    p->waiting[i] = (GstVisionWaiting){.newest = GST_CLOCK_TIME_NONE};
    g_atomic_int_set (&p->begins[i], GST_VISION_BEGINS_NOT);
  }
  g_atomic_int_set (&p->has_ended, FALSE);
  g_atomic_int_set (&p->tell_end, FALSE);
  gst_vision_common_restart (&p->common);
  return TRUE;
}

static gboolean
stop (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  gst_vision_aggregate_count_waiting (agg);
  gst_vision_frames_close (&p->frames);
  for (gint i = 0; i < 2; i++)
    gst_vision_frames_take_caps (&p->frames, i, NULL);
  gst_vision_backend_close (&p->common.backend);
  return TRUE;
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  gst_vision_backend_change_state (&PRIV (element)->common.backend, transition);
  return GST_ELEMENT_CLASS (gst_vision_aggregator_parent_class)
      ->change_state (element, transition);
}

static void
set_context (GstElement *element, GstContext *context)
{
  gst_vision_backend_set_context (&PRIV (element)->common.backend, context);
  GST_ELEMENT_CLASS (gst_vision_aggregator_parent_class)
      ->set_context (element, context);
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstVisionAggregatorPrivate *p = PRIV (object);

  (void) pspec;
  if (id != PROP_MAX_SKEW && id != PROP_PACKING) {
    gst_vision_common_set_property (&p->common, id, value);
    return;
  }
  GST_OBJECT_LOCK (object);
  if (id == PROP_MAX_SKEW)
    p->max_skew = g_value_get_int64 (value);
  else
    p->packing = g_value_get_enum (value);
  GST_OBJECT_UNLOCK (object);
  if (id == PROP_MAX_SKEW)
    gst_vision_aggregate_update_latency (GST_AGGREGATOR (object));
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstVisionAggregatorPrivate *p = PRIV (object);

  (void) pspec;
  if (id != PROP_MAX_SKEW && id != PROP_PACKING) {
    gst_vision_common_get_property (&p->common, id, value);
    return;
  }
  GST_OBJECT_LOCK (object);
  if (id == PROP_MAX_SKEW)
    g_value_set_int64 (value, p->max_skew);
  else
    g_value_set_enum (value, p->packing);
  GST_OBJECT_UNLOCK (object);
}

static void
finalize (GObject *object)
{
  gst_vision_backend_free (&PRIV (object)->common.backend);
  gst_vision_common_clear (&PRIV (object)->common);
  G_OBJECT_CLASS (gst_vision_aggregator_parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  gst_vision_common_install_properties (klass);
  g_object_class_install_property (klass, PROP_MAX_SKEW,
      g_param_spec_int64 ("max-skew", "Greatest skew",
          "Frames whose times differ by at most this many nanoseconds belong "
          "together (-1 = 5/8 of the shorter frame duration, by which each "
          "frame of two like sources has a partner whenever they began; 10 ms "
          "where it is unknown). Others are dropped and counted in \"stats\", "
          "where \"skew\" is that of the newest pair, first minus second",
          -1, 60 * GST_SECOND, -1, flags | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, PROP_PACKING,
      g_param_spec_enum ("packing", "Packing",
          "How a frame holds both views where only the first pad is linked",
          GST_TYPE_VISION_PACKING, GST_VISION_PACKING_AUTO,
          flags | GST_PARAM_MUTABLE_READY));
}

static void
gst_vision_aggregator_class_init (GstVisionAggregatorClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *agg = GST_AGGREGATOR_CLASS (klass);

  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  install_properties (object);

  element->set_context = set_context;
  element->change_state = change_state;
  element->request_new_pad = request_new_pad;
  agg->create_new_pad = create_new_pad;
  agg->aggregate = gst_vision_aggregate;
  agg->get_next_time = gst_vision_aggregate_next_time;
  agg->clip = gst_vision_aggregate_clip;
  agg->sink_event_pre_queue = gst_vision_aggregate_sink_event_pre_queue;
  agg->sink_query_pre_queue = gst_vision_aggregate_sink_query_pre_queue;
  agg->sink_event = gst_vision_aggregate_sink_event;
  agg->sink_query = gst_vision_aggregate_sink_query;
  agg->src_query = src_query;
  agg->src_event = src_event;
  agg->update_src_caps = gst_vision_aggregate_src_caps;
  agg->propose_allocation = propose_allocation;
  agg->flush = flush;
  agg->start = start;
  agg->stop = stop;
  klass->open_device = device_open;

  gst_type_mark_as_plugin_api (GST_TYPE_VISION_AGGREGATOR, 0);
}

static void
gst_vision_aggregator_init (GstVisionAggregator *self)
{
  GstVisionAggregatorPrivate *p = PRIV (self);

  gst_vision_common_init (&p->common, GST_ELEMENT (self));
  p->frames.owner = self;
  p->frames.common = &p->common;
  p->max_skew = -1;
}

const Image *
gst_vision_aggregator_get_output (GstVisionAggregator *self)
{
  GstVisionAggregateOutput *output = &PRIV (self)->frames.output;

  return output->wanted && !output->copies ? &output->image : NULL;
}

void
gst_vision_aggregator_renew (GstVisionAggregator *self)
{
  PRIV (self)->frames.outdated = TRUE;
}

GstVisionBackend *
gst_vision_aggregator_get_backend (GstVisionAggregator *self)
{
  return &PRIV (self)->common.backend;
}

GstVisionCommon *
gst_vision_aggregator_get_common (GstVisionAggregator *self)
{
  return &PRIV (self)->common;
}

gboolean
gst_vision_aggregator_wants_message (
    GstVisionAggregator *self, GstBuffer *buffer)
{
  return gst_vision_common_wants_message (&PRIV (self)->common,
      &GST_AGGREGATOR_PAD (GST_AGGREGATOR (self)->srcpad)->segment, buffer);
}

void
gst_vision_aggregator_post (
    GstVisionAggregator *self, GstBuffer *buffer, GstStructure *structure)
{
  gst_vision_common_post (&PRIV (self)->common,
      &GST_AGGREGATOR_PAD (GST_AGGREGATOR (self)->srcpad)->segment, buffer,
      structure);
}

void
gst_vision_aggregator_post_objects (
    GstVisionAggregator *self, GstBuffer *buffer, const gchar *name)
{
  gst_vision_common_post_objects (&PRIV (self)->common,
      &GST_AGGREGATOR_PAD (GST_AGGREGATOR (self)->srcpad)->segment, buffer,
      name);
}
