/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionlook.h"

#include "meta/gstvisionmeta.h"

static const ParamChoice shows[] = {
    {GST_VISION_SHOW_BOX, "The box around the object", "box"},
    {GST_VISION_SHOW_LABEL, "Its label", "label"},
    {GST_VISION_SHOW_ID, "Its number", "id"},
    {GST_VISION_SHOW_CENTROID, "A dot at its centroid", "centroid"},
    {GST_VISION_SHOW_ORIENTATION, "Its major and minor axis", "orientation"},
    {GST_VISION_SHOW_TRAIL, "Where its centroid was", "trail"},
    {GST_VISION_SHOW_SCORE, "Its score in per cent", "score"},
    {GST_VISION_SHOW_OUTLINE, "Its silhouette, if it is known", "outline"},
    {GST_VISION_SHOW_POSE,
        "Its x, y and z axis in red, green and blue, if its pose and the "
        "camera are known",
        "pose"},
    {GST_VISION_SHOW_STATE, "Its state", "state"},
    {GST_VISION_SHOW_RATE, "The number of frames per second, in a corner",
        "rate"},
    {GST_VISION_SHOW_LEGEND,
        "What colours stand for, and numbers of objects, in a corner",
        "legend"},
    {0, NULL, NULL}};

static const ParamChoice states[] = {
    {1 << GST_VISION_STATE_NEW, "Seen for too few frames", "new"},
    {1 << GST_VISION_STATE_TRACKING, "Seen, and known from earlier frames",
        "tracking"},
    {1 << GST_VISION_STATE_OCCLUDED, "Not seen; its place is predicted",
        "occluded"},
    {1 << GST_VISION_STATE_FOUND, "Detected in this frame", "found"},
    {1 << GST_VISION_STATE_ACCEPTED, "A candidate that passed the tests",
        "accepted"},
    {1 << GST_VISION_STATE_REJECTED,
        "A candidate that failed a test, with the reason", "rejected"},
    {0, NULL, NULL}};

#define ALL_BUT_REJECTED \
 (1 << GST_VISION_STATE_NEW | 1 << GST_VISION_STATE_TRACKING | \
     1 << GST_VISION_STATE_OCCLUDED | 1 << GST_VISION_STATE_FOUND | \
     1 << GST_VISION_STATE_ACCEPTED)

static const ParamChoice colours_by[] = {
    {GST_VISION_COLOR_BY_LABEL,
        "A colour for each label; without one, for each id", "label"},
    {GST_VISION_COLOR_BY_ID, "A colour for each object and its trail", "id"},
    {GST_VISION_COLOR_BY_ELEMENT,
        "A colour for each element that found objects", "element"},
    {0, NULL, NULL}};

#define NUMBER(...) PARAM_NUMBER (GstVisionLook, __VA_ARGS__)

const Param gst_vision_look_params[] = {
    PARAM_SOME_OF (GstVisionLook, show, shows,
        GST_VISION_SHOW_BOX | GST_VISION_SHOW_LABEL | GST_VISION_SHOW_ID |
            GST_VISION_SHOW_CENTROID | GST_VISION_SHOW_TRAIL |
            GST_VISION_SHOW_OUTLINE | GST_VISION_SHOW_POSE,
        "Show", "What to draw of each object", .kind = "GstVisionShow"),
    NUMBER (line_width, 0, 100, 0, "Line width",
        "Width of lines in pixels (0 = chosen by the frame's size)"),
    NUMBER (font_size, 0, 200, 0, "Font size",
        "Size of text in pixels (0 = chosen by the frame's size)"),
    PARAM_STRING (GstVisionLook, image, NULL, "Image",
        "PNG file that is drawn in the box of each object, with its alpha"),
    NUMBER (
        trail_time, 0, 60, 1.6, "Trail time", "Length of trails in seconds"),
    PARAM_SOME_OF (GstVisionLook, states, states, ALL_BUT_REJECTED, "States",
        "Draw objects in these states, and those without a state",
        .kind = "GstVisionStates"),
    PARAM_STRING (GstVisionLook, elements, NULL, "Elements",
        "Factory names of the elements whose objects are drawn, separated by "
        "commas (unset = all)"),
    PARAM_STRING (GstVisionLook, sources, NULL, "Sources",
        "Names in the pipeline of the elements whose objects are drawn, "
        "separated by commas (unset = all)"),
    PARAM_STRING (GstVisionLook, labels, NULL, "Labels",
        "Labels to draw, separated by commas (unset = all)"),
    PARAM_SWITCH (GstVisionLook, merge, true, "Merge",
        "If several elements found one object, draw it once: of boxes that "
        "share half of their area, one with a silhouette or a pose, else one "
        "with a label, else the first"),
    PARAM_ONE_OF (GstVisionLook, color_by, colours_by,
        GST_VISION_COLOR_BY_LABEL, "Color by",
        "What the colour of an object stands for", .kind = "GstVisionColorBy"),
    PARAM_STRING (GstVisionLook, map, NULL, "Map",
        "Map to show in colours over the frame: disparity, depth, labels, …"),
    NUMBER (opacity, 0, 1, .5, "Opacity", "Opacity of the map"),
    NUMBER (map_low, -G_MAXFLOAT, G_MAXFLOAT, 0, "Low end of the map",
        "Value shown in the first colour; if both ends are equal, the minimum "
        "of the map, smoothed over the frames"),
    NUMBER (map_high, -G_MAXFLOAT, G_MAXFLOAT, 0, "High end of the map",
        "Value shown in the last colour; if both ends are equal, the maximum "
        "of the map, smoothed over the frames"),
    PARAM_SWITCH (GstVisionLook, show_truth, false, "Show the truth",
        "Draw the true objects of a synthetic source, dashed and white"),
    {NULL}};

void
gst_vision_look_clear (GstVisionLook *copy)
{
  g_clear_pointer (&copy->image, g_free);
  g_clear_pointer (&copy->map, g_free);
  g_clear_pointer (&copy->elements, g_free);
  g_clear_pointer (&copy->sources, g_free);
  g_clear_pointer (&copy->labels, g_free);
}

void
gst_vision_look_copy (const GstVisionLook *self, GstVisionLook *copy)
{
  *copy = *self;
  copy->image = g_strdup (self->image);
  copy->map = g_strdup (self->map);
  copy->elements = g_strdup (self->elements);
  copy->sources = g_strdup (self->sources);
  copy->labels = g_strdup (self->labels);
}
