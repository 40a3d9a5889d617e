/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionlook.h"

#include "common/rows.h"
#include "meta/gstvisionmeta.h"

CHOICES (shows, {GST_VISION_SHOW_BOX, "box", "The box around the object"},
    {GST_VISION_SHOW_LABEL, "label", "Its label"},
    {GST_VISION_SHOW_ID, "id", "Its number"},
    {GST_VISION_SHOW_CENTROID, "centroid", "A dot at its centroid"},
    {GST_VISION_SHOW_ORIENTATION, "orientation", "Its major and minor axis"},
    {GST_VISION_SHOW_TRAIL, "trail", "Where its centroid was"},
    {GST_VISION_SHOW_SCORE, "score", "Its score in per cent"},
    {GST_VISION_SHOW_OUTLINE, "outline", "Its silhouette, if it is known"},
    {GST_VISION_SHOW_POSE, "pose",
        "Its x, y and z axis in red, green and blue, if its pose and the "
        "camera are known"},
    {GST_VISION_SHOW_STATE, "state", "Its state"},
    {GST_VISION_SHOW_RATE, "rate",
        "The number of frames per second, in a corner"},
    {GST_VISION_SHOW_LEGEND, "legend",
        "What colours stand for, and numbers of objects, in a corner"});

CHOICES (states, {1 << GST_VISION_STATE_NEW, "new", "Seen for too few frames"},
    {1 << GST_VISION_STATE_TRACKING, "tracking",
        "Seen, and known from earlier frames"},
    {1 << GST_VISION_STATE_OCCLUDED, "occluded",
        "Not seen; its place is predicted"},
    {1 << GST_VISION_STATE_FOUND, "found", "Detected in this frame"},
    {1 << GST_VISION_STATE_ACCEPTED, "accepted",
        "A candidate that passed the tests"},
    {1 << GST_VISION_STATE_REJECTED, "rejected",
        "A candidate that failed a test, with the reason"});

#define ALL_BUT_REJECTED \
 (1 << GST_VISION_STATE_NEW | 1 << GST_VISION_STATE_TRACKING | \
     1 << GST_VISION_STATE_OCCLUDED | 1 << GST_VISION_STATE_FOUND | \
     1 << GST_VISION_STATE_ACCEPTED)

CHOICES (colours_by,
    {GST_VISION_COLOR_BY_LABEL, "label",
        "A colour for each label; without one, for each id"},
    {GST_VISION_COLOR_BY_ID, "id", "A colour for each object and its trail"},
    {GST_VISION_COLOR_BY_ELEMENT, "element",
        "A colour for each element that found objects"});

#define ROWS_OF GstVisionLook
const Param gst_vision_look_params[] = {
    SOME_OF (show, shows,
        GST_VISION_SHOW_BOX | GST_VISION_SHOW_LABEL | GST_VISION_SHOW_ID |
            GST_VISION_SHOW_CENTROID | GST_VISION_SHOW_TRAIL |
            GST_VISION_SHOW_OUTLINE | GST_VISION_SHOW_POSE,
        "What to draw of each object", .kind = "GstVisionShow"),
    NUMBER (line_width, 0, 100, 0,
        "Width of lines in pixels (0 = chosen by the frame's size)"),
    NUMBER (font_size, 0, 200, 0,
        "Size of text in pixels (0 = chosen by the frame's size)"),
    STRING (image,
        "PNG file that is drawn in the box of each object, with its alpha"),
    NUMBER (trail_time, 0, 60, 1.6, "Length of trails in seconds"),
    SOME_OF (states, states, ALL_BUT_REJECTED,
        "Draw objects in these states, and those without a state",
        .kind = "GstVisionStates"),
    STRING (elements,
        "Factory names of the elements whose objects are drawn, separated by "
        "commas (unset = all)"),
    STRING (sources,
        "Names in the pipeline of the elements whose objects are drawn, "
        "separated by commas (unset = all)"),
    STRING (labels, "Labels to draw, separated by commas (unset = all)"),
    SWITCH (merge, true,
        "If several elements found one object, draw it once: of boxes that "
        "share half of their area, one with a silhouette or a pose, else one "
        "with a label, else the first"),
    ONE_OF (color_by, colours_by, GST_VISION_COLOR_BY_LABEL,
        "What the colour of an object stands for", .kind = "GstVisionColorBy"),
    STRING (map,
        "Map to show in colours over the frame: disparity, depth, labels, …"),
    NUMBER (opacity, 0, 1, .5, "Opacity of the map"),
    TITLED ("Low end of the map", NUMBER, map_low, -G_MAXFLOAT, G_MAXFLOAT, 0,
        "Value shown in the first colour; if both ends are equal, the minimum "
        "of the map, smoothed over the frames"),
    TITLED ("High end of the map", NUMBER, map_high, -G_MAXFLOAT, G_MAXFLOAT, 0,
        "Value shown in the last colour; if both ends are equal, the maximum "
        "of the map, smoothed over the frames"),
    TITLED ("Show the truth", SWITCH, show_truth, false,
        "Draw the true objects of a synthetic source, dashed and white"),
    {0}};

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
