/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionlook.h"

static const ParamChoice shows[] = {
    {GST_VISION_SHOW_BOX, "The box around the object", "box"},
    {GST_VISION_SHOW_LABEL, "Its label", "label"},
    {GST_VISION_SHOW_ID, "Its number", "id"},
    {GST_VISION_SHOW_CENTROID, "A dot at its centroid", "centroid"},
    {GST_VISION_SHOW_ORIENTATION, "Its major and minor axis", "orientation"},
    {GST_VISION_SHOW_TRAIL, "Where its centroid was", "trail"},
    {GST_VISION_SHOW_SCORE, "Its score in per cent", "score"},
    {GST_VISION_SHOW_OUTLINE, "Its silhouette, where it is known", "outline"},
    {GST_VISION_SHOW_POSE,
        "Its x, y and z axis in red, green and blue, where its pose and the "
        "camera are known",
        "pose"},
    {0, NULL, NULL}};

#define NUMBER(...) PARAM_NUMBER (GstVisionLook, __VA_ARGS__)

const Param gst_vision_look_params[] = {
    PARAM_SOME_OF (GstVisionLook, show, shows,
        GST_VISION_SHOW_BOX | GST_VISION_SHOW_LABEL | GST_VISION_SHOW_ID |
            GST_VISION_SHOW_CENTROID | GST_VISION_SHOW_TRAIL |
            GST_VISION_SHOW_OUTLINE | GST_VISION_SHOW_POSE,
        "Show", "What to draw of each object", .kind = "GstVisionShow"),
    NUMBER (line_width, 0, 100, 0, "Line width",
        "Width of lines in pixels (0 = by the frame's size)"),
    NUMBER (font_size, 0, 200, 0, "Font size",
        "Size of text in pixels (0 = by the frame's size)"),
    PARAM_STRING (GstVisionLook, image, NULL, "Image",
        "PNG file to put into the box of each object, its alpha respected"),
    NUMBER (trail_length, 0, 4096, 48, "Trail length",
        "Frames over which trails reach back"),
    PARAM_STRING (GstVisionLook, map, NULL, "Map",
        "Kind of the map to show in colours over the frame (disparity, "
        "depth, labels, …)"),
    NUMBER (opacity, 0, 1, .5, "Opacity", "Opacity of the map"),
    NUMBER (map_low, -G_MAXFLOAT, G_MAXFLOAT, 0, "Low end of the map",
        "Value that is shown in the first colour; where both ends are equal, "
        "the least value of the map, smoothed over the frames"),
    NUMBER (map_high, -G_MAXFLOAT, G_MAXFLOAT, 0, "High end of the map",
        "Value that is shown in the last colour; where both ends are equal, "
        "the greatest value of the map, smoothed over the frames"),
    PARAM_SWITCH (GstVisionLook, show_truth, false, "Show the truth",
        "Draw the objects of a source that knows them, dashed and white"),
    {NULL}};

void
gst_vision_look_clear (GstVisionLook *copy)
{
  g_clear_pointer (&copy->image, g_free);
  g_clear_pointer (&copy->map, g_free);
}

void
gst_vision_look_copy (const GstVisionLook *self, GstVisionLook *copy)
{
  *copy = *self;
  copy->image = g_strdup (self->image);
  copy->map = g_strdup (self->map);
}
