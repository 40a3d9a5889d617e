/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionaggregator.h"

#include <string.h>

#include "base/gstvisioncuda.h"
#include "base/gstvisionframes.h"
#include "base/gstvisionpair.h"

GST_DEBUG_CATEGORY_STATIC (vision_aggregator_debug);
#define GST_CAT_DEFAULT vision_aggregator_debug

#define DEFAULT_MAX_SKEW (10 * GST_MSECOND)

/* After the end, or an error: whether an input that has begun anew waits until
 * the output begins anew, too. */
enum {
  RESTART_NONE,
  RESTART_AWAITED,
  RESTART_GIVEN_UP, /* it has waited as long as it may */
};

typedef struct {
  GstVisionCommon common;

  /* Under the object lock. */
  gint64 max_skew; /* nanoseconds; -1: by the frame rates of the caps */
  GstVisionPacking packing;

  GstVisionFrames frames; /* of the streaming thread, as are the next two */
  GstBuffer *second;      /* during process () of the child; not owned */
  GstVisionPair pair;
  GstVisionLateness lateness[2];
  GstVisionWaiting waiting[2];
  gint has_ended;  /* atomic: EOS was sent, and no input has begun anew since */
  gint is_old[2];  /* atomic: the input has not begun anew since that EOS */
  gint restart[2]; /* atomic: RESTART_... */
  gint tell_end;   /* atomic: to be told that one input ended first */
} GstVisionAggregatorPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (
    GstVisionAggregator, gst_vision_aggregator, GST_TYPE_AGGREGATOR,
    G_ADD_PRIVATE (GstVisionAggregator);
    GST_DEBUG_CATEGORY_INIT (vision_aggregator_debug, "visionaggregator", 0,
        "parent of the vision elements with two inputs"))

#define PRIV(o) \
 ((GstVisionAggregatorPrivate *) gst_vision_aggregator_get_instance_private ( \
     GST_VISION_AGGREGATOR (o)))
#define PARENT GST_AGGREGATOR_CLASS (gst_vision_aggregator_parent_class)

/* ---- Pads ---- */

static const gchar *
name_of_pad (gpointer self, gint i)
{
  return i ? GST_VISION_AGGREGATOR_GET_CLASS (self)->second_pad
           : GST_VISION_AGGREGATOR_GET_CLASS (self)->first_pad;
}

/* The first pad (0) or the second (1), to be unreferenced; NULL where it was
 * not requested. */
static GstAggregatorPad *
get_pad (GstAggregator *agg, gint i)
{
  return (GstAggregatorPad *) gst_element_get_static_pad (
      GST_ELEMENT (agg), name_of_pad (agg, i));
}

static gint
number_of (GstAggregator *agg, GstAggregatorPad *pad)
{
  return g_strcmp0 (GST_PAD_NAME (pad), name_of_pad (agg, 0)) != 0;
}

/* Takes @caps. */
static void
add_pad (GstElementClass *klass, const gchar *name, GstPadDirection direction,
    GstCaps *caps)
{
  gst_element_class_add_pad_template (klass,
      gst_pad_template_new_with_gtype (name, direction,
          direction == GST_PAD_SRC ? GST_PAD_ALWAYS : GST_PAD_REQUEST, caps,
          GST_TYPE_AGGREGATOR_PAD));
  gst_caps_unref (caps);
}

void
gst_vision_aggregator_class_add_pads (GstVisionAggregatorClass *klass,
    const gchar *first, const gchar *first_formats, const gchar *second,
    const gchar *second_formats)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstCaps *out = gst_vision_caps (first_formats);

  if (klass->output_formats)
    out = gst_caps_merge (out, gst_vision_caps (klass->output_formats));
  klass->first_pad = first;
  klass->second_pad = second;
  klass->alike = g_strcmp0 (first_formats, second_formats) == 0;
  add_pad (element, first, GST_PAD_SINK, gst_vision_caps (first_formats));
  add_pad (element, second, GST_PAD_SINK, gst_vision_caps (second_formats));
  add_pad (element, "src", GST_PAD_SRC, out);
}

/* ---- The skew of a pair ---- */

/* The maximum difference between the times of a pair. */
static GstClockTime
get_max_skew (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  GstClockTime skew;

  GST_OBJECT_LOCK (agg);
  skew = p->max_skew >= 0 ? (GstClockTime) p->max_skew
      : p->frames.nearest ? p->frames.nearest
                          : DEFAULT_MAX_SKEW;
  GST_OBJECT_UNLOCK (agg);
  return skew;
}

/* Whether the maximum skew follows the frame rates of the caps. */
static gboolean
skews_by_caps (GstAggregator *agg)
{
  return GST_VISION_LOCKED (agg, PRIV (agg)->max_skew < 0);
}

/* After a change of the maximum skew or of the pads: a frame waits for its
 * partner as long as the partner may come later. */
static void
update_latency (GstAggregator *agg)
{
  GstAggregatorPad *second = get_pad (agg, 1);
  GstClockTime wait = second ? get_max_skew (agg) : 0;

  gst_aggregator_set_latency (agg, wait, wait);
  gst_clear_object (&second);
}

/* ---- Caps of the output ---- */

/* The caps of pictures in @format for views of @view, with @fields added: in
 * system memory and, if it knows the format, in CUDA memory, which comes first
 * if @in_cuda.  Takes @fields. */
static GstCaps *
picture_caps (GstVideoFormat format, const GstVideoInfo *view,
    GstStructure *fields, gboolean in_cuda)
{
  gchar *formats =
      g_strdup_printf ("{ %s }", gst_video_format_to_string (format));
  GstCaps *caps = gst_vision_caps (formats), *more;

  gst_structure_set (fields, "width", G_TYPE_INT, view->width, "height",
      G_TYPE_INT, view->height, "framerate", GST_TYPE_FRACTION, view->fps_n,
      view->fps_d, "pixel-aspect-ratio", GST_TYPE_FRACTION, view->par_n,
      view->par_d, NULL);
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    for (gint k = 0; k < gst_structure_n_fields (fields); k++) {
      const gchar *name = gst_structure_nth_field_name (fields, (guint) k);

      gst_structure_set_value (gst_caps_get_structure (caps, i), name,
          gst_structure_get_value (fields, name));
    }
  if (!in_cuda) {
    more = gst_caps_copy_nth (caps, 0);
    gst_caps_remove_structure (caps, 0);
    gst_caps_append (caps, more);
  }
  gst_structure_free (fields);
  g_free (formats);
  return caps;
}

static GstVideoFormat
format_of_output (GstAggregator *agg, GstStructure *fields)
{
  GstVisionAggregatorClass *klass = GST_VISION_AGGREGATOR_GET_CLASS (agg);

  return klass->output ? klass->output (GST_VISION_AGGREGATOR (agg), fields)
                       : GST_VIDEO_FORMAT_UNKNOWN;
}

static gboolean
is_packed (GstAggregator *agg)
{
  GstAggregatorPad *second = get_pad (agg, 1);
  gboolean packed = !second && GST_VISION_AGGREGATOR_GET_CLASS (agg)->alike;

  gst_clear_object (&second);
  return packed;
}

/* The first input's frame or, if it holds two views, one of these.  FALSE if
 * its caps do not say how it holds them; the first frame then ends with an
 * error. */
static gboolean
find_view (GstAggregator *agg, GstVideoInfo *view)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  GstVisionViews views;
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, p->frames.caps[0]))
    return FALSE;
  if (!is_packed (agg))
    *view = info;
  else if (gst_vision_views_find (&views, p->frames.packing, &info, view))
    return FALSE;
  view->par_n = info.par_n;
  view->par_d = info.par_d;
  return TRUE;
}

/* The caps of the output if it is a picture; NULL, with an error, if downstream
 * takes none of them.  Takes @fields. */
static GstCaps *
make_picture_caps (GstAggregator *agg, const GstVideoInfo *view,
    GstVideoFormat format, GstStructure *fields, GstCaps *allowed)
{
  gboolean in_cuda = gst_vision_caps_in_cuda (PRIV (agg)->frames.caps[0]);
  GstCaps *all = picture_caps (format, view, fields, in_cuda);
  GstCaps *caps =
      gst_caps_intersect_full (all, allowed, GST_CAPS_INTERSECT_FIRST);

  gst_caps_unref (all);
  if (!gst_caps_is_empty (caps))
    return gst_caps_fixate (caps);
  gst_caps_unref (caps);
  GST_ELEMENT_ERROR (agg, STREAM, FORMAT,
      ("The output is %s of %dx%d, which the element behind does not take. Put "
       "videoconvert or videoscale between them, or ask for another output.",
          gst_video_format_to_string (format), view->width, view->height),
      ("%" GST_PTR_FORMAT, allowed));
  return NULL;
}

/* The caps of one view, where a frame holds two. */
static GstCaps *
make_view_caps (GstAggregator *agg, const GstVideoInfo *view)
{
  GstCaps *caps = gst_caps_copy (PRIV (agg)->frames.caps[0]);

  gst_caps_set_simple (caps, "width", G_TYPE_INT, view->width, "height",
      G_TYPE_INT, view->height, NULL);
  gst_structure_remove_fields (gst_caps_get_structure (caps, 0),
      "multiview-mode", "multiview-flags", "views", NULL);
  return caps;
}

static GstVisionPacking
get_packing (GstAggregator *agg)
{
  return GST_VISION_LOCKED (agg, PRIV (agg)->packing);
}

/* The output has the first input's caps, or those of a picture. */
static GstFlowReturn
update_src_caps (GstAggregator *agg, GstCaps *allowed, GstCaps **caps)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  GstVisionFrames *frames = &p->frames;
  GstStructure *fields;
  GstVideoFormat format;
  gboolean picture;
  GstVideoInfo view;

  if (!frames->caps[0])
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  gst_vision_frames_set_packing (frames, get_packing (agg));
  fields = gst_structure_new_empty ("video/x-raw");
  format = format_of_output (agg, fields);
  picture = format != GST_VIDEO_FORMAT_UNKNOWN;
  if (!find_view (agg, &view) || !(picture || is_packed (agg))) {
    gst_structure_free (fields);
    *caps = gst_caps_ref (frames->caps[0]);
    gst_vision_frames_set_output (frames, NULL, FALSE);
    return GST_FLOW_OK;
  }
  if (picture)
    *caps = make_picture_caps (agg, &view, format, fields, allowed);
  else {
    gst_structure_free (fields);
    *caps = make_view_caps (agg, &view);
  }
  if (!*caps)
    return GST_FLOW_NOT_NEGOTIATED;
  gst_vision_frames_set_output (frames, *caps, !picture);
  return GST_FLOW_OK;
}

/* ---- Caps of the inputs, and other queries ---- */

/* A frame of two views is larger than the output. */
static GstCaps *
without_size (GstCaps *caps)
{
  caps = gst_caps_make_writable (caps);
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    gst_structure_remove_fields (gst_caps_get_structure (caps, i), "width",
        "height", "multiview-mode", "multiview-flags", "views", NULL);
  return caps;
}

static GstCaps *
acceptable_caps (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstCaps *all = gst_pad_get_pad_template_caps (GST_PAD (pad)), *caps;

  if (number_of (agg, pad) != 0 ||
      format_of_output (agg, NULL) != GST_VIDEO_FORMAT_UNKNOWN)
    return all;
  caps = gst_pad_peer_query_caps (agg->srcpad, all);
  gst_caps_unref (all);
  return is_packed (agg) ? without_size (caps) : caps;
}

static gboolean
sink_query (GstAggregator *agg, GstAggregatorPad *pad, GstQuery *query)
{
  GstCaps *caps, *filter;

  if (gst_vision_backend_query (&PRIV (agg)->common.backend, query))
    return TRUE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return PARENT->sink_query (agg, pad, query);
  caps = acceptable_caps (agg, pad);
  gst_query_parse_caps (query, &filter);
  if (filter) {
    GstCaps *both =
        gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);

    gst_caps_unref (caps);
    caps = both;
  }
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

static gboolean
src_query (GstAggregator *agg, GstQuery *query)
{
  return gst_vision_backend_query (&PRIV (agg)->common.backend, query) ||
      PARENT->src_query (agg, query);
}

/* The duration of the stream; -1: unknown. */
static gint64
find_duration (GstAggregator *agg)
{
  GstAggregatorPad *first = get_pad (agg, 0);
  gint64 duration = -1;

  if (first)
    gst_pad_peer_query_duration (GST_PAD (first), GST_FORMAT_TIME, &duration);
  gst_clear_object (&first);
  return duration;
}

/* A GstAggregator applies a seek to its segment before it asks the sources.  In
 * a segment of another format, or one played backwards from an unknown end,
 * frames have no running time: such a seek is refused here, after a look for
 * the end. */
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
  gst_vision_common_take_pace (&PRIV (agg)->common, agg->srcpad, event);
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
  gst_vision_input_propose (&PRIV (agg)->common.backend, query);
  return TRUE;
}

/* ---- Pairs of frames, and the end ---- */

/* Tells downstream that no frame comes during @gap. */
static void
forward_gap (GstAggregator *agg, GstBuffer *gap)
{
  if (gst_pad_has_current_caps (agg->srcpad) && GST_BUFFER_PTS_IS_VALID (gap))
    gst_pad_push_event (agg->srcpad,
        gst_event_new_gap (GST_BUFFER_PTS (gap), GST_BUFFER_DURATION (gap)));
}

static GstVisionWaiting *
waiting (GstAggregator *agg, GstAggregatorPad *pad)
{
  return &PRIV (agg)->waiting[number_of (agg, pad)];
}

static GstBuffer *
pop_frame (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstBuffer *buffer = gst_aggregator_pad_pop_buffer (pad);

  if (buffer && !gst_vision_pair_is_gap (buffer))
    gst_vision_waiting_remove (waiting (agg, pad));
  return buffer;
}

/* Counts frames that still wait for their partners as dropped: the output ends,
 * or the element stops. */
static void
count_waiting (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  for (gint i = 0; i < 2; i++)
    gst_vision_common_count_dropped (
        &p->common, gst_vision_waiting_clear (&p->waiting[i]));
}

static void
drop_frame (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  GstBuffer *buffer = pop_frame (agg, pad);

  if (!buffer)
    return;
  if (!gst_vision_pair_is_gap (buffer)) {
    gst_vision_common_count_dropped (&p->common, 1);
    gst_vision_pair_warn (&p->pair, GST_ELEMENT (agg), FALSE);
  } else if (number_of (agg, pad) == 0)
    forward_gap (agg, buffer);
  gst_buffer_unref (buffer);
}

/* Takes both frames. */
static GstFlowReturn
process (GstAggregator *agg, GstBuffer *first, GstBuffer *second)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  GstSegment *segment = &GST_AGGREGATOR_PAD (agg->srcpad)->segment;
  GstClockTime time = gst_segment_to_stream_time (
      segment, GST_FORMAT_TIME, GST_BUFFER_PTS (first));
  GstFlowReturn ret;

  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (agg), time);
  first = gst_buffer_make_writable (first);
  p->second = second;
  ret = gst_vision_frames_process (&p->frames, &first, second);
  p->second = NULL;
  gst_clear_buffer (&second);
  if (ret == GST_FLOW_OK)
    return gst_aggregator_finish_buffer (agg, first);
  gst_buffer_unref (first);
  return ret;
}

static GstFlowReturn
aggregate_single (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstBuffer *buffer = pop_frame (agg, pad);

  if (!buffer)
    return gst_aggregator_pad_is_eos (pad) ? GST_FLOW_EOS
                                           : GST_AGGREGATOR_FLOW_NEED_DATA;
  if (!gst_vision_pair_is_gap (buffer))
    return process (agg, buffer, NULL);
  forward_gap (agg, buffer);
  gst_buffer_unref (buffer);
  return GST_AGGREGATOR_FLOW_NEED_DATA;
}

static GstFlowReturn
aggregate_pair (GstAggregator *agg, GstAggregatorPad *first,
    GstAggregatorPad *second, gboolean timeout)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  p->pair.max_skew = get_max_skew (agg);
  switch (gst_vision_pair_next (&p->pair, first, second, timeout)) {
    case GST_VISION_PAIR_MATCH:
      gst_vision_common_set_stat (&p->common, "skew", (gdouble) p->pair.skew);
      if (skews_by_caps (agg))
        gst_vision_pair_tell_skew (&p->pair, GST_ELEMENT (agg));
      return process (agg, pop_frame (agg, first), pop_frame (agg, second));
    case GST_VISION_PAIR_FIRST:
      drop_frame (agg, first);
      break;
    case GST_VISION_PAIR_SECOND:
      drop_frame (agg, second);
      break;
    case GST_VISION_PAIR_END:
      return GST_FLOW_EOS;
    case GST_VISION_PAIR_WAIT:
      break;
  }
  return GST_AGGREGATOR_FLOW_NEED_DATA;
}

/* Tells once that frames of @pad come after the other input's end. */
static void
tell_end (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gint i = number_of (agg, pad);
  gchar *text;

  if (!g_atomic_int_compare_and_exchange (&p->tell_end, TRUE, FALSE))
    return;
  text = g_strdup_printf ("%s has ended, and with it the output; what %s still "
                          "sends is dropped.",
      name_of_pad (agg, !i), name_of_pad (agg, i));
  /* gst-launch-1.0 prints the second one alone */
  GST_ELEMENT_INFO (agg, STREAM, FAILED, ("%s", text), ("%s", text));
  g_free (text);
}

static gboolean
is_over (GstAggregatorPad *pad)
{
  return pad && gst_aggregator_pad_is_eos (pad);
}

/* Frames are refused from here on, and a thread that waits for room for its
 * frame gets room.  A GstAggregator refuses frames after its end only
 * before 1.26; a later one would let the threads that send them wait for ever.
 */
static void
end (GstAggregator *agg, GstAggregatorPad *first, GstAggregatorPad *second)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  GstAggregatorPad *pads[2] = {first, second};

  /* a short stream must not lose all of its frames in silence */
  if (!p->pair.matched)
    gst_vision_pair_warn (&p->pair, GST_ELEMENT (agg), TRUE);
  g_atomic_int_set (&p->tell_end, is_over (first) != is_over (second));
  for (gint i = 0; i < 2; i++)
    g_atomic_int_set (&p->is_old[i], pads[i] != NULL);
  g_atomic_int_set (&p->has_ended, TRUE);
  for (gint i = 0; i < 2; i++)
    while (pads[i] && gst_aggregator_pad_has_buffer (pads[i])) {
      tell_end (agg, pads[i]);
      drop_frame (agg, pads[i]);
    }
  count_waiting (agg);
}

static GstFlowReturn
aggregate (GstAggregator *agg, gboolean timeout)
{
  GstAggregatorPad *first = get_pad (agg, 0), *second = get_pad (agg, 1);
  GstFlowReturn ret;

  if (PRIV (agg)->common.has_failed)
    ret = GST_FLOW_ERROR;
  else if (first && second)
    ret = aggregate_pair (agg, first, second, timeout);
  else if (first)
    ret = aggregate_single (agg, first);
  else {
    GST_ELEMENT_ERROR (agg, CORE, NEGOTIATION,
        ("Nothing is linked to %s.", name_of_pad (agg, 0)), (NULL));
    ret = GST_FLOW_NOT_NEGOTIATED;
  }
  if (ret == GST_FLOW_EOS)
    end (agg, first, second);
  gst_clear_object (&first);
  gst_clear_object (&second);
  return ret;
}

/* In a live pipeline: until when the oldest frame waits. */
static GstClockTime
get_next_time (GstAggregator *agg)
{
  GstVisionLateness *lateness = PRIV (agg)->lateness;
  GstClockTime next = GST_CLOCK_TIME_NONE, not_before = 0;

  for (gint i = 0; i < 2; i++) {
    GstAggregatorPad *pad = get_pad (agg, i);

    if (pad && gst_aggregator_pad_has_buffer (pad))
      next = MIN (next, gst_vision_pair_time (pad));
    else if (pad)
      not_before = gst_vision_lateness_get (&lateness[i], agg);
    gst_clear_object (&pad);
  }
  return GST_CLOCK_TIME_IS_VALID (next) ? MAX (next, not_before) : next;
}

/* ---- Frames and events at the pads ---- */

static gboolean
has_ended (GstObject *agg)
{
  return g_atomic_int_get (&PRIV (agg)->has_ended);
}

/* Whether frames go to the output.  After the end its thread may run on for a
 * moment, or since 1.26 for ever: it takes frames again once both inputs have
 * begun anew. */
static gboolean
has_output (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  return !g_atomic_int_get (&p->is_old[0]) &&
      !g_atomic_int_get (&p->is_old[1]) &&
      gst_pad_get_task_state (agg->srcpad) == GST_TASK_STARTED;
}

/* After the end, or an error, one input may flush and go on; the output begins
 * anew once the other input has flushed, too.  FALSE if that takes too long: a
 * frame must not wait for ever. */
static gboolean
wait_for_output (GstAggregator *agg, GstPad *pad, gint *restart)
{
  gint64 until = g_get_monotonic_time () + 5 * G_USEC_PER_SEC;

  if (g_atomic_int_get (restart) == RESTART_GIVEN_UP)
    return has_output (agg);
  while (g_atomic_int_get (restart) && !has_output (agg) &&
      !gst_vision_pad_is_flushing (pad)) {
    if (g_get_monotonic_time () > until) {
      g_atomic_int_set (restart, RESTART_GIVEN_UP);
      return FALSE;
    }
    g_usleep (1000);
  }
  return TRUE;
}

/* The chain function of the inputs; chaindata is that of GstAggregatorPad.
 * After the end, frames are refused until a stream begins anew, also those that
 * wait. */
static GstFlowReturn
chain (GstPad *pad, GstObject *agg, GstBuffer *buffer)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gint i = number_of (GST_AGGREGATOR (agg), GST_AGGREGATOR_PAD (pad));
  GstFlowReturn ret;
  gboolean waits;

  if (has_ended (agg) || g_atomic_int_get (&p->is_old[i])) {
    tell_end (GST_AGGREGATOR (agg), GST_AGGREGATOR_PAD (pad));
    gst_buffer_unref (buffer);
    return GST_FLOW_EOS;
  }
  if (!wait_for_output (GST_AGGREGATOR (agg), pad, &p->restart[i])) {
    gst_buffer_unref (buffer);
    return p->common.has_failed ? GST_FLOW_ERROR : GST_FLOW_EOS;
  }
  gst_vision_lateness_take_frame (
      &p->lateness[i], GST_AGGREGATOR (agg), buffer);
  waits = gst_vision_waiting_add (&p->waiting[i], pad, buffer, &p->has_ended);
  ret = ((GstPadChainFunction) pad->chaindata) (pad, agg, buffer);
  if (waits && (ret != GST_FLOW_OK || has_ended (agg)))
    gst_vision_waiting_remove (&p->waiting[i]);
  if (ret != GST_FLOW_OK || !has_ended (agg))
    return ret;
  gst_aggregator_pad_drop_buffer (GST_AGGREGATOR_PAD (pad));
  return GST_FLOW_EOS;
}

static void
begin_anew (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gboolean runs = !g_atomic_int_get (&p->has_ended) && has_output (agg);
  gint i = number_of (agg, pad);

  g_atomic_int_set (&p->has_ended, FALSE);
  g_atomic_int_set (&p->is_old[i], FALSE);
  g_atomic_int_set (&p->restart[i], runs ? RESTART_NONE : RESTART_AWAITED);
}

static gboolean
is_backward_without_end (GstEvent *event)
{
  const GstSegment *segment;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
    return FALSE;
  gst_event_parse_segment (event, &segment);
  return segment->format == GST_FORMAT_TIME &&
      !gst_vision_segment_has_times (segment);
}

static GstFlowReturn
sink_event_pre_queue (
    GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  /* a GstAggregator asks the segment for running times at once */
  if (is_backward_without_end (event)) {
    GST_ELEMENT_ERROR (agg, STREAM, FAILED,
        ("The segment is played backwards and does not say where it ends. Seek "
         "with a stop."),
        (NULL));
    gst_event_unref (event);
    return GST_FLOW_ERROR;
  }
  gst_vision_lateness_take_event (
      &p->lateness[number_of (agg, pad)], agg, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    gst_vision_waiting_clear (waiting (agg, pad)); /* a seek drops what waits */
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START ||
      GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    begin_anew (agg, pad);
  return PARENT->sink_event_pre_queue (agg, pad, event);
}

static gboolean
sink_query_pre_queue (
    GstAggregator *agg, GstAggregatorPad *pad, GstQuery *query)
{
  if (GST_QUERY_IS_SERIALIZED (query) && has_ended (GST_OBJECT (agg)))
    return FALSE;
  return PARENT->sink_query_pre_queue (agg, pad, query);
}

/* Drops frames outside of the segment, which a seek leaves over; they are not
 * counted. */
static GstBuffer *
clip (GstAggregator *agg, GstAggregatorPad *pad, GstBuffer *buffer)
{
  if (!gst_vision_segment_has_times (&pad->segment) || /* it was refused */
      !GST_BUFFER_PTS_IS_VALID (buffer) ||
      GST_CLOCK_TIME_IS_VALID (gst_segment_to_running_time (
          &pad->segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer))))
    return buffer;
  if (!gst_vision_pair_is_gap (buffer))
    gst_vision_waiting_remove (waiting (agg, pad));
  gst_buffer_unref (buffer);
  return NULL;
}

static gboolean
sink_event (GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gint i = number_of (agg, pad);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_vision_frames_take_caps (&p->frames, i, caps);
    update_latency (agg);
    if (!i)
      gst_pad_mark_reconfigure (agg->srcpad);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    const GstSegment *segment;

    gst_event_parse_segment (event, &segment);
    if (!gst_vision_common_takes_segment (&p->common, segment)) {
      gst_event_unref (event);
      return FALSE;
    }
    if (!i)
      gst_aggregator_update_segment (agg, segment);
  }
  /* a GstAggregator does not look whether there is a segment */
  if (GST_EVENT_TYPE (event) == GST_EVENT_GAP &&
      pad->segment.format != GST_FORMAT_TIME) {
    gst_event_unref (event);
    return FALSE;
  }
  return PARENT->sink_event (agg, pad, event);
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
  gst_pad_set_chain_function_full (
      pad, chain, (gpointer) GST_PAD_CHAINFUNC (pad), NULL);
  return GST_AGGREGATOR_PAD (pad);
}

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *template,
    const gchar *name, const GstCaps *caps)
{
  GstPad *pad = GST_ELEMENT_CLASS (gst_vision_aggregator_parent_class)
                    ->request_new_pad (element, template, name, caps);

  update_latency (GST_AGGREGATOR (element));
  return pad;
}

/* ---- The element ---- */

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

  if (!gst_vision_properties_check (GST_ELEMENT (agg)))
    return FALSE;
  p->pair = (GstVisionPair){0};
  memset (p->lateness, 0, sizeof p->lateness);
  for (gint i = 0; i < 2; i++) {
    p->waiting[i] = (GstVisionWaiting){.newest = GST_CLOCK_TIME_NONE};
    g_atomic_int_set (&p->restart[i], RESTART_NONE);
    g_atomic_int_set (&p->is_old[i], FALSE);
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

  count_waiting (agg);
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
skew_changed (GstElement *element, const Param *param)
{
  (void) param;
  update_latency (GST_AGGREGATOR (element));
}

CHOICES (packings,
    {GST_VISION_PACKING_AUTO, "auto", "As multiview-mode in the caps says"},
    {GST_VISION_PACKING_SIDE_BY_SIDE, "side-by-side",
        "The first on the left, half as wide"},
    {GST_VISION_PACKING_TOP_BOTTOM, "top-bottom",
        "The first above, half as high"});

#define ROWS_OF GstVisionAggregatorPrivate
static const GstVisionProperty properties[] = {
    PROPERTIES (gst_vision_common_properties, common),
    FOLLOWED (skew_changed, BY_HAND, TITLED, "Greatest skew", NUMBER, max_skew,
        -1, 60 * GST_SECOND, -1,
        "Maximum difference between the times of two frames that belong "
        "together, in nanoseconds (-1 = 5/8 of the shorter frame duration, so "
        "that each frame of two equal sources has a partner whenever they "
        "began; 10 ms if the duration is unknown). Frames without a partner "
        "are dropped and counted in \"stats\"; its \"skew\" is the difference "
        "of the newest pair, first minus second"),
    STOPPED (ONE_OF, packing, packings, GST_VISION_PACKING_AUTO,
        "How one frame holds both views if only the first pad is linked; not "
        "for colour and depth",
        .kind = "GstVisionPacking"),
    {.params = NULL}};

static void
finalize (GObject *object)
{
  gst_vision_backend_free (&PRIV (object)->common.backend);
  gst_vision_common_clear (&PRIV (object)->common);
  G_OBJECT_CLASS (gst_vision_aggregator_parent_class)->finalize (object);
}

static void
gst_vision_aggregator_class_init (GstVisionAggregatorClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstAggregatorClass *agg = GST_AGGREGATOR_CLASS (klass);

  object->finalize = finalize;
  gst_vision_properties_install_at (
      object, properties, GstVisionAggregator_private_offset);

  element->set_context = set_context;
  element->change_state = change_state;
  element->request_new_pad = request_new_pad;
  agg->create_new_pad = create_new_pad;
  agg->aggregate = aggregate;
  agg->get_next_time = get_next_time;
  agg->clip = clip;
  agg->sink_event_pre_queue = sink_event_pre_queue;
  agg->sink_query_pre_queue = sink_query_pre_queue;
  agg->sink_event = sink_event;
  agg->sink_query = sink_query;
  agg->src_query = src_query;
  agg->src_event = src_event;
  agg->update_src_caps = update_src_caps;
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

  gst_vision_common_init (&p->common, GST_ELEMENT (self),
      &GST_AGGREGATOR_PAD (GST_AGGREGATOR (self)->srcpad)->segment);
  gst_vision_properties_init_at (
      self, properties, GstVisionAggregator_private_offset);
  p->frames.owner = self;
  p->frames.common = &p->common;
}

/* ---- For children ---- */

const Image *
gst_vision_aggregator_get_output (GstVisionAggregator *self)
{
  GstVisionPicture *output = &PRIV (self)->frames.output;

  return output->wanted && !output->copies ? &output->image : NULL;
}

GstBuffer *
gst_vision_aggregator_get_second (GstVisionAggregator *self)
{
  return PRIV (self)->second;
}

void
gst_vision_aggregator_renew (GstVisionAggregator *self)
{
  PRIV (self)->frames.outdated = TRUE;
}
