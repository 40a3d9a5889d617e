/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Caps of a GstVisionAggregator: what its pads can have, and what the output
 * has. */
#include "base/gstvisionaggregate.h"
#include "base/gstvisioncuda.h"

#define DEFAULT_MAX_SKEW (10 * GST_MSECOND)

#define PARENT GST_AGGREGATOR_CLASS (g_type_class_peek (GST_TYPE_AGGREGATOR))

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

GstClockTime
gst_vision_aggregate_max_skew (GstAggregator *agg)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);
  GstClockTime skew;

  GST_OBJECT_LOCK (agg);
  skew = p->max_skew >= 0 ? (GstClockTime) p->max_skew
      : p->frames.nearest ? p->frames.nearest
                          : DEFAULT_MAX_SKEW;
  GST_OBJECT_UNLOCK (agg);
  return skew;
}

gboolean
gst_vision_aggregate_skews_by_caps (GstAggregator *agg)
{
  gboolean by_caps;

  GST_OBJECT_LOCK (agg);
  by_caps = gst_vision_aggregator_private (agg)->max_skew < 0;
  GST_OBJECT_UNLOCK (agg);
  return by_caps;
}

GstVisionPacking
gst_vision_aggregate_packing (GstAggregator *agg)
{
  GstVisionPacking packing;

  GST_OBJECT_LOCK (agg);
  packing = gst_vision_aggregator_private (agg)->packing;
  GST_OBJECT_UNLOCK (agg);
  return packing;
}

void
gst_vision_aggregate_update_latency (GstAggregator *agg)
{
  GstAggregatorPad *second = gst_vision_aggregate_pad (agg, 1);
  GstClockTime wait = second ? gst_vision_aggregate_max_skew (agg) : 0;

  gst_aggregator_set_latency (agg, wait, wait);
  gst_clear_object (&second);
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
  GstAggregatorPad *second = gst_vision_aggregate_pad (agg, 1);
  gboolean packed = !second && GST_VISION_AGGREGATOR_GET_CLASS (agg)->alike;

  gst_clear_object (&second);
  return packed;
}

/* One of the two views that a frame holds; FALSE where that cannot be told,
 * which the first frame ends with. */
static gboolean
find_view (GstAggregator *agg, GstVideoInfo *view)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);
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

/* The caps of pictures; NULL where downstream takes none of them.  Takes
 * @fields. */
static GstCaps *
make_picture_caps (GstAggregator *agg, const GstVideoInfo *view,
    GstVideoFormat format, GstStructure *fields, GstCaps *allowed)
{
  gboolean in_cuda = gst_vision_caps_in_cuda (
      gst_vision_aggregator_private (agg)->frames.caps[0]);
  GstCaps *all =
      gst_vision_aggregate_output_caps (format, view, fields, in_cuda);
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

/* Those of a frame that held two views when it holds one. */
static GstCaps *
make_view_caps (GstAggregator *agg, const GstVideoInfo *view)
{
  GstCaps *caps =
      gst_caps_copy (gst_vision_aggregator_private (agg)->frames.caps[0]);

  gst_caps_set_simple (caps, "width", G_TYPE_INT, view->width, "height",
      G_TYPE_INT, view->height, NULL);
  gst_structure_remove_fields (gst_caps_get_structure (caps, 0),
      "multiview-mode", "multiview-flags", "views", NULL);
  return caps;
}

GstFlowReturn
gst_vision_aggregate_src_caps (
    GstAggregator *agg, GstCaps *allowed, GstCaps **caps)
{
  GstVisionAggregatorPrivate *p = gst_vision_aggregator_private (agg);
  GstVisionFrames *frames = &p->frames;
  GstStructure *fields;
  GstVideoFormat format;
  gboolean picture;
  GstVideoInfo view;

  if (!frames->caps[0])
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  gst_vision_frames_set_packing (frames, gst_vision_aggregate_packing (agg));
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

/* A frame of two views is larger than what comes out. */
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

  if (gst_vision_aggregate_number (agg, pad) != 0 ||
      format_of_output (agg, NULL) != GST_VIDEO_FORMAT_UNKNOWN)
    return all;
  caps = gst_pad_peer_query_caps (agg->srcpad, all);
  gst_caps_unref (all);
  return is_packed (agg) ? without_size (caps) : caps;
}

gboolean
gst_vision_aggregate_sink_query (
    GstAggregator *agg, GstAggregatorPad *pad, GstQuery *query)
{
  GstCaps *caps, *filter;

  if (gst_vision_backend_query (
          &gst_vision_aggregator_private (agg)->common.backend, query))
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
