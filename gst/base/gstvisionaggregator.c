/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionaggregator.h"

#include <string.h>

#include "base/gstvisioncuda.h"
#include "base/gstvisionframes.h"
#include "base/gstvisiongate.h"
#include "base/gstvisionpair.h"
#include "base/gstvisionseek.h"
#include "base/gstvisionwork.h"

GST_DEBUG_CATEGORY_STATIC (vision_aggregator_debug);
#define GST_CAT_DEFAULT vision_aggregator_debug

#define DEFAULT_MAX_SKEW (10 * GST_MSECOND)

/* Microseconds that a frame waits for the other input to begin anew. */
#define PATIENCE (5 * G_USEC_PER_SEC)

typedef struct {
  GstVisionCommon common;

  /* Fields under the object lock. */
  gint64 max_skew; /* nanoseconds; -1: by the frame rates of the caps */
  GstVisionPacking packing;

  gboolean told_outside; /* the user was told that frames lie outside of their
                            segment */

  GstVisionFrames frames; /* used by the streaming thread alone, as are the next
                             four fields */
  GstBuffer *second;      /* the second frame during process (); not owned */
  GstVisionPair pair;
  gboolean refused_caps; /* downstream takes none of the caps that the output
                            may have */
  gboolean has_segment;  /* the segment of an input was read */
  GstVisionLateness lateness[2];
  GstVisionGate gate;
  GstVisionWork work; /* of the output's thread */
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
name_of_input (gpointer self, gint i)
{
  return i ? GST_VISION_AGGREGATOR_GET_CLASS (self)->second_pad
           : GST_VISION_AGGREGATOR_GET_CLASS (self)->first_pad;
}

/* The pad of input @i, to be unreferenced; NULL if it was not requested. */
static GstAggregatorPad *
get_input_pad (GstAggregator *agg, gint i)
{
  return (GstAggregatorPad *) gst_element_get_static_pad (
      GST_ELEMENT (agg), name_of_input (agg, i));
}

static gint
number_of_input (GstAggregator *agg, GstAggregatorPad *pad)
{
  return g_strcmp0 (GST_PAD_NAME (pad), name_of_input (agg, 0)) != 0;
}

/* Adds a pad template.  Takes @caps. */
static void
add_aggregator_template (GstElementClass *klass, const gchar *name,
    GstPadDirection direction, GstCaps *caps)
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
  add_aggregator_template (
      element, first, GST_PAD_SINK, gst_vision_caps (first_formats));
  add_aggregator_template (
      element, second, GST_PAD_SINK, gst_vision_caps (second_formats));
  add_aggregator_template (element, "src", GST_PAD_SRC, out);
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

/* Sets the latency, after a change of the maximum skew or of the pads: a frame
 * waits for its partner as long as the skew allows the partner to be later. */
static void
update_latency (GstAggregator *agg)
{
  GstAggregatorPad *second = get_input_pad (agg, 1);
  GstClockTime wait = second ? get_max_skew (agg) : 0;

  gst_aggregator_set_latency (agg, wait, wait);
  gst_clear_object (&second);
}

/* ---- Caps of the output ---- */

/* The caps of pictures in @format of the size of @view, with @fields added: in
 * system memory and, if CUDA memory knows the format, in CUDA memory, which
 * comes first if @in_cuda.  Takes @fields. */
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
  GstAggregatorPad *second = get_input_pad (agg, 1);
  gboolean packed = !second && GST_VISION_AGGREGATOR_GET_CLASS (agg)->alike;

  gst_clear_object (&second);
  return packed;
}

/* Describes the first input's frame or, if it holds two views, one of them.
 * FALSE if the caps do not say how a frame holds two views; then the first
 * frame causes an error. */
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

/* The caps of the output if the child makes it; NULL, with an error, if
 * downstream takes no such caps.  Takes @fields. */
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

/* The caps of one view of a frame that holds two. */
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

/* Chooses the caps of the output: those of the first input, or of a picture. */
static GstFlowReturn
update_output_caps (GstAggregator *agg, GstCaps *allowed, GstCaps **caps)
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

/* Removes the size from @caps, since a frame of two views is larger than the
 * output. */
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

  if (number_of_input (agg, pad) != 0 ||
      format_of_output (agg, NULL) != GST_VIDEO_FORMAT_UNKNOWN)
    return all;
  caps = gst_pad_peer_query_caps (agg->srcpad, all);
  gst_caps_unref (all);
  return is_packed (agg) ? without_size (caps) : caps;
}

static gboolean
answer_input (GstAggregator *agg, GstAggregatorPad *pad, GstQuery *query)
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
answer_downstream (GstAggregator *agg, GstQuery *query)
{
  return gst_vision_backend_query (&PRIV (agg)->common.backend, query) ||
      PARENT->src_query (agg, query);
}

/* Sends a seek to the inputs, once.  A GstAggregator (1.22 to 1.26) would know
 * the same seek, too, but leak its event.  Takes the event. */
static gboolean
seek_inputs (GstAggregator *agg, GstEvent *event)
{
  event = gst_vision_seek_complete (agg, event);
  if (!gst_vision_seek_is_possible (agg, event)) {
    GST_DEBUG_OBJECT (agg, "refuse %" GST_PTR_FORMAT, event);
    gst_event_unref (event);
    return FALSE;
  }
  if (gst_vision_gate_take_seek (&PRIV (agg)->gate,
          gst_event_get_seqnum (event), gst_vision_seek_flushes (event)))
    return PARENT->src_event (agg, event);
  gst_event_unref (event);
  return TRUE;
}

static gboolean
take_upstream_event (GstAggregator *agg, GstEvent *event)
{
  gst_vision_common_take_pace (&PRIV (agg)->common, agg->srcpad, event);
  return GST_EVENT_TYPE (event) == GST_EVENT_SEEK
      ? seek_inputs (agg, event)
      : PARENT->src_event (agg, event);
}

static gboolean
propose_to_input (GstAggregator *agg, GstAggregatorPad *pad, GstQuery *decide,
    GstQuery *query)
{
  (void) pad;
  (void) decide;
  gst_vision_input_propose (&PRIV (agg)->common.backend, query);
  return TRUE;
}

/* ---- Pairs of frames, and the end ---- */

/* Tells downstream, by a GAP event, that no frame comes during @gap. */
static void
forward_gap (GstAggregator *agg, GstBuffer *gap)
{
  if (gst_pad_has_current_caps (agg->srcpad) && GST_BUFFER_PTS_IS_VALID (gap))
    gst_pad_push_event (agg->srcpad,
        gst_event_new_gap (GST_BUFFER_PTS (gap), GST_BUFFER_DURATION (gap)));
}

static GstBuffer *
pop_frame (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstBuffer *buffer = gst_aggregator_pad_pop_buffer (pad);

  if (buffer && !gst_vision_pair_is_gap (buffer))
    gst_vision_gate_leave (
        &PRIV (agg)->gate, number_of_input (agg, pad), buffer);
  return buffer;
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
  } else if (number_of_input (agg, pad) == 0)
    forward_gap (agg, buffer);
  gst_buffer_unref (buffer);
}

/* Gives the frames to the child, and its output downstream.  Takes both frames.
 */
static GstFlowReturn
process_frames (GstAggregator *agg, GstBuffer *first, GstBuffer *second)
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
    return process_frames (agg, buffer, NULL);
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
      return process_frames (
          agg, pop_frame (agg, first), pop_frame (agg, second));
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

static void
tell_loss (GstAggregator *agg, gchar *text)
{
  /* gst-launch-1.0 prints the second text alone */
  GST_ELEMENT_INFO (agg, STREAM, FAILED, ("%s", text), ("%s", text));
  g_free (text);
}

/* Reports that frames of input @i come after the end of the other input. */
static void
tell_end_of_other (GstAggregator *agg, gint i)
{
  tell_loss (agg,
      g_strdup_printf ("%s has ended, and with it the output; what %s still "
                       "sends is dropped.",
          name_of_input (agg, !i), name_of_input (agg, i)));
}

/* If @active, lets the GstAggregator take what comes at @pad; else lets it
 * refuse all that comes, and drop what it holds of this input. */
static void
set_input_active (GstAggregator *agg, GstAggregatorPad *pad, gboolean active)
{
  ((GstPadActivateModeFunction) GST_PAD (pad)->activatemodedata) (
      GST_PAD (pad), GST_OBJECT (agg), GST_PAD_MODE_PUSH, active);
}

/* To be called when the output's thread is about to stop: makes the inputs that
 * have not begun anew refuse everything.  From GStreamer 1.26 on the
 * GstAggregator would not do that after the end, and the threads that send
 * frames would wait for ever. */
static void
close_inputs (GstAggregator *agg)
{
  GstVisionGate *gate = &PRIV (agg)->gate;

  for (gint i = 0; i < 2; i++) {
    GstAggregatorPad *pad = get_input_pad (agg, i);

    if (pad && !gst_vision_gate_awaits_other (gate, i)) {
      set_input_active (agg, pad, FALSE);
      gst_vision_gate_empty (gate, i);
    }
    gst_clear_object (&pad);
  }
}

/* Ends the output.  FALSE if the output goes on, since both inputs have begun
 * anew meanwhile. */
static gboolean
end_output (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gboolean ended[2];
  gint dropped;

  for (gint i = 0; i < 2; i++) {
    GstAggregatorPad *pad = get_input_pad (agg, i);

    ended[i] = pad && gst_aggregator_pad_is_eos (pad);
    gst_clear_object (&pad);
  }
  dropped = gst_vision_gate_end (&p->gate, ended[0] != ended[1]);
  if (dropped < 0)
    return FALSE;
  gst_vision_common_count_dropped (&p->common, (guint) dropped);
  if (dropped && gst_vision_gate_tell_cut (&p->gate))
    tell_end_of_other (agg, ended[0]);
  close_inputs (agg);
  return TRUE;
}

/* Stops the output for @reason; @for_good: only a new start of the element
 * mends it. */
static void
fail_output (GstAggregator *agg, GstFlowReturn reason, gboolean for_good)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  guint dropped = gst_vision_gate_fail (&p->gate, reason, for_good);

  gst_vision_common_count_dropped (&p->common, dropped);
  close_inputs (agg);
}

/* Whether the input of @pad, which has ended, has a new stream waiting, which
 * the GstAggregator reads next. */
static gboolean
stream_begins (GstAggregator *agg, GstAggregatorPad *pad)
{
  return pad && gst_aggregator_pad_is_eos (pad) &&
      gst_vision_gate_forget_stream (
          &PRIV (agg)->gate, number_of_input (agg, pad));
}

static GstFlowReturn
aggregate_pads (GstAggregator *agg, GstAggregatorPad *first,
    GstAggregatorPad *second, gboolean timeout)
{
  if (PRIV (agg)->common.has_failed)
    return GST_FLOW_ERROR;
  if (PRIV (agg)->refused_caps)
    return GST_FLOW_NOT_NEGOTIATED;
  if (stream_begins (agg, first) || stream_begins (agg, second))
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  if (first && second)
    return aggregate_pair (agg, first, second, timeout);
  if (first)
    return aggregate_single (agg, first);
  GST_ELEMENT_ERROR (agg, CORE, NEGOTIATION,
      ("Nothing is linked to %s.", name_of_input (agg, 0)), (NULL));
  return GST_FLOW_NOT_NEGOTIATED;
}

/* A GstAggregator gives the end of the output the number of the inputs' newest
 * segment. Without a segment, and during a flush, that number would not be
 * valid. */
static void
number_end (GstAggregator *agg, GstAggregatorPad *pad)
{
  GstSegment segment;

  if (PRIV (agg)->has_segment || !pad)
    return;
  gst_segment_init (&segment, GST_FORMAT_TIME);
  PARENT->sink_event (agg, pad, gst_event_new_segment (&segment));
}

static GstFlowReturn
take_frames (GstAggregator *agg, gboolean timeout)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  GstAggregatorPad *first = get_input_pad (agg, 0),
                   *second = get_input_pad (agg, 1);
  GstFlowReturn ret = aggregate_pads (agg, first, second, timeout);

  if (ret == GST_FLOW_EOS || ret == GST_FLOW_ERROR)
    number_end (agg, first);
  gst_clear_object (&first);
  gst_clear_object (&second);
  if (ret == GST_FLOW_EOS) {
    if (!end_output (agg))
      return GST_AGGREGATOR_FLOW_NEED_DATA;
    /* a short stream that loses all of its frames gets a warning, too */
    if (!p->pair.matched)
      gst_vision_pair_warn (&p->pair, GST_ELEMENT (agg), TRUE);
  } else if (ret != GST_FLOW_OK && ret != GST_AGGREGATOR_FLOW_NEED_DATA &&
      ret != GST_FLOW_FLUSHING)
    fail_output (agg, ret, p->common.has_failed);
  return ret;
}

static GstFlowReturn
aggregate_frames (GstAggregator *agg, gboolean timeout)
{
  GstFlowReturn flow;

  gst_vision_work_begin (&PRIV (agg)->work);
  flow = take_frames (agg, timeout);
  gst_vision_work_end (&PRIV (agg)->work);
  return flow;
}

static gboolean
negotiate_output (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gboolean done;

  gst_vision_work_begin (&p->work);
  done = PARENT->negotiate (agg);
  gst_vision_work_end (&p->work);
  p->refused_caps = !done && !gst_vision_pad_is_flushing (agg->srcpad);
  if (p->refused_caps)
    fail_output (agg, GST_FLOW_NOT_NEGOTIATED, p->common.has_failed);
  return done;
}

/* Running times, in nanoseconds, beyond this one overflow in the clock of
 * GStreamer 1.22, which then neither waits nor stops. */
#define LAST_TIME (G_MAXINT64 / 2)

/* The running time until which the oldest frame waits in a live pipeline. */
static GstClockTime
time_to_aggregate (GstAggregator *agg)
{
  GstVisionLateness *lateness = PRIV (agg)->lateness;
  GstClockTime next = GST_CLOCK_TIME_NONE, not_before = 0;

  for (gint i = 0; i < 2; i++) {
    GstAggregatorPad *pad = get_input_pad (agg, i);

    if (pad && gst_aggregator_pad_has_buffer (pad))
      next = MIN (next, gst_vision_pair_time (pad));
    else if (pad)
      not_before = gst_vision_lateness_get (&lateness[i], agg);
    gst_clear_object (&pad);
  }
  return GST_CLOCK_TIME_IS_VALID (next)
      ? MIN (MAX (next, not_before), LAST_TIME)
      : next;
}

/* ---- Frames and events at the pads ---- */

/* Whether @buffer lies outside of @segment, where it has no running time. */
static gboolean
frame_is_outside (const GstSegment *segment, GstBuffer *buffer)
{
  return gst_vision_segment_has_times (segment) &&
      GST_BUFFER_PTS_IS_VALID (buffer) &&
      !GST_CLOCK_TIME_IS_VALID (gst_segment_to_running_time (
          segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer)));
}

/* Counts a frame outside of its segment as dropped; the first one is reported.
 */
static void
drop_outside (GstAggregator *agg, gint i)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gboolean told;

  gst_vision_common_count_dropped (&p->common, 1);
  GST_OBJECT_LOCK (agg);
  told = p->told_outside;
  p->told_outside = TRUE;
  GST_OBJECT_UNLOCK (agg);
  if (!told)
    tell_loss (agg,
        g_strdup_printf ("%s sends frames that lie outside of its segment: "
                         "they are dropped and counted in \"stats\".",
            name_of_input (agg, i)));
}

/* The flow that the chain function returns for a frame of input @i that did
 * not pass. */
static GstFlowReturn
answer_frame (GstAggregator *agg, gint i, GstVisionPassage passage)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  switch (passage) {
    case GST_VISION_PASSAGE_GRANTED:
      return GST_FLOW_OK;
    case GST_VISION_PASSAGE_FULL:
      gst_vision_common_count_dropped (&p->common, 1);
      return GST_FLOW_OK;
    case GST_VISION_PASSAGE_FLUSHED:
      return GST_FLOW_FLUSHING;
    case GST_VISION_PASSAGE_CUT:
      tell_end_of_other (agg, i);
      break;
    case GST_VISION_PASSAGE_LEFT:
      GST_ELEMENT_WARNING (agg, STREAM, FAILED,
          ("%s has begun anew, but %s has not. What %s sends is refused until "
           "both begin anew.",
              name_of_input (agg, i), name_of_input (agg, !i),
              name_of_input (agg, i)),
          (NULL));
      break;
    case GST_VISION_PASSAGE_REFUSED:
      break;
  }
  return gst_vision_gate_refusal (&p->gate);
}

/* The chain function of the inputs.  The chain function of GstAggregatorPad is
 * the pad's chaindata. */
static GstFlowReturn
chain_frame (GstPad *pad, GstObject *object, GstBuffer *buffer)
{
  GstAggregator *agg = GST_AGGREGATOR (object);
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gint i = number_of_input (agg, GST_AGGREGATOR_PAD (pad));
  GstBuffer *frame = gst_vision_pair_is_gap (buffer) ? NULL : buffer;
  GstVisionPassage passage = gst_vision_gate_enter (&p->gate, i, pad, frame);
  GstFlowReturn ret;

  if (passage != GST_VISION_PASSAGE_GRANTED) {
    gst_buffer_unref (buffer);
    return answer_frame (agg, i, passage);
  }
  if (frame && frame_is_outside (&p->lateness[i].segment, frame)) {
    gst_vision_gate_leave (&p->gate, i, frame);
    gst_buffer_unref (buffer);
    drop_outside (agg, i);
    return GST_FLOW_OK;
  }
  gst_vision_lateness_take_frame (&p->lateness[i], agg, buffer);
  ret = ((GstPadChainFunction) pad->chaindata) (pad, object, buffer);
  passage = gst_vision_gate_pass (&p->gate, i, frame, ret == GST_FLOW_OK);
  return passage == GST_VISION_PASSAGE_GRANTED ? ret
                                               : answer_frame (agg, i, passage);
}

/* Activates or deactivates an input.  The function of GstAggregatorPad for this
 * is the pad's activatemodedata. */
static gboolean
activate_input (GstPad *pad, GstObject *agg, GstPadMode mode, gboolean active)
{
  gboolean done = ((GstPadActivateModeFunction) pad->activatemodedata) (
      pad, agg, mode, active);

  if (agg && active) /* without a parent, the pad is still being made */
    gst_vision_gate_activate (&PRIV (agg)->gate,
        number_of_input (GST_AGGREGATOR (agg), GST_AGGREGATOR_PAD (pad)));
  else if (agg)
    gst_vision_gate_wake (&PRIV (agg)->gate);
  return done;
}

/* ---- Events and queries of the inputs ---- */

static gboolean
output_runs (GstAggregator *agg)
{
  return gst_pad_get_task_state (agg->srcpad) == GST_TASK_STARTED;
}

/* Gives the newest event of @type of @pad to the GstAggregator again, which may
 * have dropped it when the output stopped; upstream does not send the event
 * again. */
static void
repeat_event (GstAggregator *agg, GstAggregatorPad *pad, GstEventType type)
{
  GstEvent *event = gst_pad_get_sticky_event (GST_PAD (pad), type, 0);
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gint i = number_of_input (agg, pad);
  gboolean known = FALSE;
  GstCaps *caps;

  if (event && type == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    GST_OBJECT_LOCK (agg);
    known = p->frames.caps[i] && gst_caps_is_equal (p->frames.caps[i], caps);
    GST_OBJECT_UNLOCK (agg);
  }
  if (event && !known) {
    gst_vision_gate_hold_event (&p->gate, i, type);
    PARENT->sink_event_pre_queue (agg, pad, gst_event_ref (event));
  }
  g_clear_pointer (&event, gst_event_unref);
}

/* Lets the GstAggregator begin anew with the input of @pad, which has begun
 * anew before.  The events of that beginning may have been dropped when the
 * output's thread stopped, so they are repeated. */
static void
revive_input (GstAggregator *agg, GstAggregatorPad *pad)
{
  static const GstEventType types[] = {
      GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_EOS};

  set_input_active (agg, pad, FALSE);
  gst_vision_gate_empty (&PRIV (agg)->gate, number_of_input (agg, pad));
  set_input_active (agg, pad, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    repeat_event (agg, pad, types[i]);
}

/* Notes that input @i begins anew.  The output begins anew if the other input
 * has done so, too. */
static void
renew_input (GstAggregator *agg, gint i, GstVisionGateThread thread)
{
  GstVisionGate *gate = &PRIV (agg)->gate;
  GstAggregatorPad *other = get_input_pad (agg, !i);

  if (gst_vision_gate_renew (gate, i, thread, other == NULL)) {
    /* between the flushes of a seek the output has not stopped */
    if (other && gst_vision_gate_refusal (gate) != GST_FLOW_FLUSHING &&
        !gst_vision_pad_is_flushing (GST_PAD (other)))
      revive_input (agg, other);
    gst_vision_gate_reopen (gate);
  }
  gst_clear_object (&other);
}

static GstFlowReturn
queue_flush (GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gint i = number_of_input (agg, pad);
  gboolean stops = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP;
  gboolean was_open = gst_vision_gate_is_open (&p->gate);
  gboolean ran = output_runs (agg);
  GstFlowReturn ret;

  event = gst_vision_gate_take_flush (&p->gate, i, event);
  ret = PARENT->sink_event_pre_queue (agg, pad, event);
  if (!stops)
    return ret;
  gst_segment_init (&p->lateness[i].segment, GST_FORMAT_UNDEFINED);
  if (!was_open)
    repeat_event (agg, pad, GST_EVENT_CAPS);
  renew_input (agg, i,
      !output_runs (agg) ? GST_VISION_GATE_THREAD_STANDS
          : ran          ? GST_VISION_GATE_THREAD_RUNS
                         : GST_VISION_GATE_THREAD_STARTS);
  return ret;
}

/* Queues an event of an input that is no flush.  After an end, a GstAggregator
 * accepts a new stream only from GStreamer 1.26 on. */
static GstFlowReturn
queue_serialized_event (
    GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event)
{
  GstVisionGate *gate = &PRIV (agg)->gate;
  GstEventType type = GST_EVENT_TYPE (event);
  gint i = number_of_input (agg, pad);
  gboolean ran = output_runs (agg), open;
  GstFlowReturn ret;

  gst_vision_gate_hold_event (gate, i, type);
  ret = PARENT->sink_event_pre_queue (agg, pad, event);
  if (ret != GST_FLOW_OK)
    gst_vision_gate_free_event (gate, i, type);
  else if (type == GST_EVENT_STREAM_START) {
    open = gst_vision_gate_is_open (gate);
    if (!open || !ran)
      renew_input (agg, i,
          open || !output_runs (agg) ? GST_VISION_GATE_THREAD_STANDS
                                     : GST_VISION_GATE_THREAD_STARTS);
  }
  if (ret == GST_FLOW_OK || gst_vision_pad_is_flushing (GST_PAD (pad)))
    return ret;
  if (gst_vision_gate_awaits_other (gate, i))
    return GST_FLOW_OK; /* the pad keeps the event for revive_input () */
  return ret == GST_FLOW_FLUSHING ? GST_FLOW_EOS : ret;
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
queue_event (GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event)
{
  GstEventType type = GST_EVENT_TYPE (event);

  /* a GstAggregator computes running times in the segment at once */
  if (is_backward_without_end (event)) {
    GST_ELEMENT_ERROR (agg, STREAM, FAILED,
        ("The segment is played backwards and does not say where it ends. Seek "
         "with a stop."),
        (NULL));
    gst_event_unref (event);
    return GST_FLOW_ERROR;
  }
  gst_vision_lateness_take_event (
      &PRIV (agg)->lateness[number_of_input (agg, pad)], agg, event);
  return type == GST_EVENT_FLUSH_START || type == GST_EVENT_FLUSH_STOP
      ? queue_flush (agg, pad, event)
      : queue_serialized_event (agg, pad, event);
}

/* Answers an allocation query at once, because it depends on nothing that
 * waits.  Other serialized queries wait for the frames and events before them.
 */
static gboolean
queue_query (GstAggregator *agg, GstAggregatorPad *pad, GstQuery *query)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    return propose_to_input (agg, pad, NULL, query);
  if (GST_QUERY_IS_SERIALIZED (query) &&
      !gst_vision_gate_drain (
          &p->gate, number_of_input (agg, pad), GST_PAD (pad)))
    return FALSE;
  return PARENT->sink_query_pre_queue (agg, pad, query);
}

/* Reads an event when its turn in the queue comes; FALSE if the event is
 * refused. */
static gboolean
read_queued_event (GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);
  gint i = number_of_input (agg, pad);
  const GstSegment *segment;
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      gst_vision_frames_take_caps (&p->frames, i, caps);
      update_latency (agg);
      if (!i)
        gst_pad_mark_reconfigure (agg->srcpad);
      return TRUE;
    case GST_EVENT_SEGMENT:
      gst_event_parse_segment (event, &segment);
      if (!gst_vision_common_takes_segment (&p->common, segment))
        return FALSE;
      p->has_segment = TRUE;
      if (!i)
        gst_aggregator_update_segment (agg, segment);
      return TRUE;
    case GST_EVENT_GAP: /* a GstAggregator does not check that a segment came */
      return GST_VISION_LOCKED (pad, pad->segment.format) == GST_FORMAT_TIME;
    default:
      return TRUE;
  }
}

/* Undoes an end or a gap that came before a flush and was read from the queue
 * after the flush. */
static void
forget_queued_event (
    GstAggregator *agg, GstAggregatorPad *pad, GstEventType type)
{
  GstBuffer *buffer;

  if (type == GST_EVENT_EOS)
    PARENT->sink_event (agg, pad, gst_event_new_stream_start ("anew"));
  if (type != GST_EVENT_GAP)
    return;
  buffer = gst_aggregator_pad_peek_buffer (pad);
  if (buffer && gst_vision_pair_is_gap (buffer))
    gst_aggregator_pad_drop_buffer (pad);
  gst_clear_buffer (&buffer);
}

static gboolean
take_queued_event (GstAggregator *agg, GstAggregatorPad *pad, GstEvent *event)
{
  GstVisionGate *gate = &PRIV (agg)->gate;
  GstEventType type = GST_EVENT_TYPE (event);
  gint i = number_of_input (agg, pad);
  gboolean taken;

  gst_vision_work_begin (&PRIV (agg)->work);
  taken = read_queued_event (agg, pad, event);
  if (taken)
    taken = PARENT->sink_event (agg, pad, event);
  else
    gst_event_unref (event);
  gst_vision_work_end (&PRIV (agg)->work);
  if (!gst_vision_gate_free_event (gate, i, type))
    forget_queued_event (agg, pad, type);
  return taken;
}

static GstAggregatorPad *
create_input (GstAggregator *agg, GstPadTemplate *template, const gchar *name,
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
      pad, chain_frame, (gpointer) GST_PAD_CHAINFUNC (pad), NULL);
  gst_pad_set_activatemode_function_full (
      pad, activate_input, (gpointer) GST_PAD_ACTIVATEMODEFUNC (pad), NULL);
  return GST_AGGREGATOR_PAD (pad);
}

static GstPad *
request_input (GstElement *element, GstPadTemplate *template, const gchar *name,
    const GstCaps *caps)
{
  GstPad *pad = GST_ELEMENT_CLASS (gst_vision_aggregator_parent_class)
                    ->request_new_pad (element, template, name, caps);

  update_latency (GST_AGGREGATOR (element));
  return pad;
}

static void
release_input (GstElement *element, GstPad *pad)
{
  GstVisionAggregatorPrivate *p = PRIV (element);
  gint i = number_of_input (GST_AGGREGATOR (element), GST_AGGREGATOR_PAD (pad));

  GST_ELEMENT_CLASS (gst_vision_aggregator_parent_class)
      ->release_pad (element, pad);
  gst_vision_common_count_dropped (
      &p->common, gst_vision_gate_empty (&p->gate, i));
  update_latency (GST_AGGREGATOR (element));
}

/* Handles an event that an application sends to the element: a seek, also in a
 * stopped element, or the end of the output. */
static gboolean
take_sent_event (GstElement *element, GstEvent *event)
{
  GstAggregator *agg = GST_AGGREGATOR (element);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    event = gst_vision_seek_complete (agg, event);
    if (!gst_vision_seek_is_possible (agg, event)) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    fail_output (agg, GST_FLOW_EOS, FALSE);
  return GST_ELEMENT_CLASS (gst_vision_aggregator_parent_class)
      ->send_event (element, event);
}

/* ---- The element ---- */

static GstFlowReturn
flush_pairs (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  p->pair = (GstVisionPair){.warned = p->pair.warned, .told = p->pair.told};
  if (p->frames.is_open && GST_VISION_AGGREGATOR_GET_CLASS (agg)->reset)
    GST_VISION_AGGREGATOR_GET_CLASS (agg)->reset (GST_VISION_AGGREGATOR (agg));
  return GST_FLOW_OK;
}

/* A GstAggregator (1.22 to 1.26) that was stopped between the flushes of a seek
 * still waits for their end, and would send no frame.  Ends them. */
static void
end_old_flush (GstAggregator *agg)
{
  GstEvent *end = gst_event_new_flush_stop (TRUE);

  for (gint i = 0; i < 2; i++) {
    GstAggregatorPad *pad = get_input_pad (agg, i);

    if (pad)
      PARENT->sink_event (agg, pad, gst_event_ref (end));
    gst_clear_object (&pad);
  }
  gst_event_unref (end);
}

static gboolean
start_aggregator (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = PRIV (agg);

  if (!gst_vision_properties_check (GST_ELEMENT (agg)))
    return FALSE;
  end_old_flush (agg);
  p->pair = (GstVisionPair){0};
  p->told_outside = p->refused_caps = p->has_segment = FALSE;
  memset (p->lateness, 0, sizeof p->lateness);
  gst_vision_gate_open (
      &p->gate, GST_VISION_AGGREGATOR_GET_CLASS (agg)->patience);
  gst_vision_common_restart (&p->common);
  return TRUE;
}

/* Frees what start () and the caps made. */
static void
release_aggregator (GstElement *element)
{
  GstVisionAggregatorPrivate *p = PRIV (element);

  for (gint i = 0; i < 2; i++)
    gst_vision_common_count_dropped (
        &p->common, gst_vision_gate_empty (&p->gate, i));
  gst_vision_frames_close (&p->frames);
  for (gint i = 0; i < 2; i++)
    gst_vision_frames_take_caps (&p->frames, i, NULL);
  gst_vision_backend_close (&p->common.backend);
  if (gst_vision_work_is_here (&p->work))
    gst_vision_backend_free (&p->common.backend);
}

static gboolean
stop_aggregator (GstAggregator *agg)
{
  gst_vision_work_stop (&PRIV (agg)->work);
  return TRUE;
}

/* Waits until the output's thread has left the function of its task.  If that
 * thread itself stopped the element, nobody joins it, and it pauses the task
 * when it leaves: this must not happen after the next start. */
static void
await_output_thread (GstElement *element)
{
  GstPad *pad = GST_AGGREGATOR (element)->srcpad;

  GST_PAD_STREAM_LOCK (pad);
  GST_PAD_STREAM_UNLOCK (pad);
}

/* A stop in the middle of a frame leaves the context to the device that works
 * on it. */
static GstStateChangeReturn
change_aggregator_state (GstElement *element, GstStateChange transition)
{
  GstVisionAggregatorPrivate *p = PRIV (element);

  if (!gst_vision_work_change_state (&p->work, transition))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    await_output_thread (element);
  if (!gst_vision_work_is_here (&p->work))
    gst_vision_backend_change_state (&p->common.backend, transition);
  return GST_ELEMENT_CLASS (gst_vision_aggregator_parent_class)
      ->change_state (element, transition);
}

static void
set_aggregator_context (GstElement *element, GstContext *context)
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
        "began; 10 ms if the duration is unknown). Frames without a partner, "
        "and those outside of their segment, are dropped and counted in "
        "\"stats\"; its \"skew\" is the difference of the newest pair, first "
        "minus second"),
    STOPPED (ONE_OF, packing, packings, GST_VISION_PACKING_AUTO,
        "How one frame holds both views if only the first pad is linked; not "
        "for colour and depth",
        .kind = "GstVisionPacking"),
    {.params = NULL}};

static void
finalize_aggregator (GObject *object)
{
  gst_vision_gate_clear (&PRIV (object)->gate);
  gst_vision_work_clear (&PRIV (object)->work);
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

  object->finalize = finalize_aggregator;
  gst_vision_properties_install_at (
      object, properties, GstVisionAggregator_private_offset);

  element->set_context = set_aggregator_context;
  element->change_state = change_aggregator_state;
  element->request_new_pad = request_input;
  element->release_pad = release_input;
  element->send_event = take_sent_event;
  agg->create_new_pad = create_input;
  agg->aggregate = aggregate_frames;
  agg->get_next_time = time_to_aggregate;
  agg->negotiate = negotiate_output;
  agg->sink_event_pre_queue = queue_event;
  agg->sink_query_pre_queue = queue_query;
  agg->sink_event = take_queued_event;
  agg->sink_query = answer_input;
  agg->src_query = answer_downstream;
  agg->src_event = take_upstream_event;
  agg->update_src_caps = update_output_caps;
  agg->propose_allocation = propose_to_input;
  agg->flush = flush_pairs;
  agg->start = start_aggregator;
  agg->stop = stop_aggregator;
  klass->open_device = device_open;
  klass->patience = PATIENCE;

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
  gst_vision_gate_init (&p->gate, GST_ELEMENT (self));
  gst_vision_work_init (&p->work, GST_ELEMENT (self), release_aggregator);
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
