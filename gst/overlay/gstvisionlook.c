/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionlook.h"

enum {
  PROP_0,
  PROP_SHOW,
  PROP_LINE_WIDTH,
  PROP_FONT_SIZE,
  PROP_IMAGE = GST_VISION_LOOK_IMAGE,
  PROP_TRAIL_LENGTH,
  PROP_MAP,
  PROP_OPACITY,
  PROP_MAP_LOW,
  PROP_MAP_HIGH,
  PROP_SHOW_TRUTH,
};

#define DEFAULT_SHOW \
 (GST_VISION_SHOW_BOX | GST_VISION_SHOW_LABEL | GST_VISION_SHOW_ID | \
     GST_VISION_SHOW_CENTROID | GST_VISION_SHOW_TRAIL | \
     GST_VISION_SHOW_OUTLINE | GST_VISION_SHOW_POSE)
#define DEFAULT_TRAIL_LENGTH 48
#define DEFAULT_OPACITY .5

#define GST_TYPE_VISION_SHOW (gst_vision_show_get_type ())
static GType
gst_vision_show_get_type (void)
{
  static GType type;
  static const GFlagsValue values[] = {
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
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type)) {
    GType t = g_flags_register_static ("GstVisionShow", values);

    gst_type_mark_as_plugin_api (t, 0);
    g_once_init_leave (&type, t);
  }
  return type;
}

void
gst_vision_look_init (GstVisionLook *self)
{
  *self = (GstVisionLook){.show = DEFAULT_SHOW,
      .trail_length = DEFAULT_TRAIL_LENGTH,
      .opacity = DEFAULT_OPACITY};
}

void
gst_vision_look_clear (GstVisionLook *self)
{
  g_clear_pointer (&self->image, g_free);
  g_clear_pointer (&self->map, g_free);
}

void
gst_vision_look_copy (const GstVisionLook *self, GstVisionLook *copy)
{
  *copy = *self;
  copy->image = g_strdup (self->image);
  copy->map = g_strdup (self->map);
}

#define FLAGS \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | \
     GST_PARAM_CONTROLLABLE)

static void
install_map_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_MAP,
      g_param_spec_string ("map", "Map",
          "Kind of the map to show in colours over the frame (disparity, "
          "depth, labels, …)",
          NULL, FLAGS & ~GST_PARAM_CONTROLLABLE));
  g_object_class_install_property (klass, PROP_OPACITY,
      g_param_spec_double ("opacity", "Opacity", "Opacity of the map", 0, 1,
          DEFAULT_OPACITY, FLAGS));
  g_object_class_install_property (klass, PROP_MAP_LOW,
      g_param_spec_double ("map-low", "Low end of the map",
          "Value that is shown in the first colour; where both ends are equal, "
          "the least value of the map, smoothed over the frames",
          -G_MAXFLOAT, G_MAXFLOAT, 0, FLAGS));
  g_object_class_install_property (klass, PROP_MAP_HIGH,
      g_param_spec_double ("map-high", "High end of the map",
          "Value that is shown in the last colour; where both ends are equal, "
          "the greatest value of the map, smoothed over the frames",
          -G_MAXFLOAT, G_MAXFLOAT, 0, FLAGS));
}

void
gst_vision_look_install_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_SHOW,
      g_param_spec_flags ("show", "Show", "What to draw of each object",
          GST_TYPE_VISION_SHOW, DEFAULT_SHOW, FLAGS));
  g_object_class_install_property (klass, PROP_LINE_WIDTH,
      g_param_spec_uint ("line-width", "Line width",
          "Width of lines in pixels (0 = by the frame's size)", 0, 100, 0,
          FLAGS));
  g_object_class_install_property (klass, PROP_FONT_SIZE,
      g_param_spec_uint ("font-size", "Font size",
          "Size of text in pixels (0 = by the frame's size)", 0, 200, 0,
          FLAGS));
  g_object_class_install_property (klass, PROP_TRAIL_LENGTH,
      g_param_spec_uint ("trail-length", "Trail length",
          "Frames over which trails reach back", 0, 4096, DEFAULT_TRAIL_LENGTH,
          FLAGS));
  g_object_class_install_property (klass, PROP_IMAGE,
      g_param_spec_string ("image", "Image",
          "PNG file to put into the box of each object, its alpha respected",
          NULL, FLAGS & ~GST_PARAM_CONTROLLABLE));
  install_map_properties (klass);
  g_object_class_install_property (klass, PROP_SHOW_TRUTH,
      g_param_spec_boolean ("show-truth", "Show the truth",
          "Draw the objects of a source that knows them, dashed and white",
          FALSE, FLAGS));
}

void
gst_vision_look_set_property (
    GstVisionLook *self, guint id, const GValue *value)
{
  switch (id) {
    case PROP_SHOW:
      self->show = g_value_get_flags (value);
      break;
    case PROP_LINE_WIDTH:
      self->line_width = g_value_get_uint (value);
      break;
    case PROP_FONT_SIZE:
      self->font_size = g_value_get_uint (value);
      break;
    case PROP_TRAIL_LENGTH:
      self->trail_length = g_value_get_uint (value);
      break;
    case PROP_IMAGE:
      g_free (self->image);
      self->image = g_value_dup_string (value);
      break;
    case PROP_MAP:
      g_free (self->map);
      self->map = g_value_dup_string (value);
      break;
    case PROP_OPACITY:
      self->opacity = g_value_get_double (value);
      break;
    case PROP_MAP_LOW:
      self->map_low = g_value_get_double (value);
      break;
    case PROP_MAP_HIGH:
      self->map_high = g_value_get_double (value);
      break;
    case PROP_SHOW_TRUTH:
      self->show_truth = g_value_get_boolean (value);
  }
}

void
gst_vision_look_get_property (
    const GstVisionLook *self, guint id, GValue *value)
{
  switch (id) {
    case PROP_SHOW:
      g_value_set_flags (value, self->show);
      break;
    case PROP_LINE_WIDTH:
      g_value_set_uint (value, self->line_width);
      break;
    case PROP_FONT_SIZE:
      g_value_set_uint (value, self->font_size);
      break;
    case PROP_TRAIL_LENGTH:
      g_value_set_uint (value, self->trail_length);
      break;
    case PROP_IMAGE:
      g_value_set_string (value, self->image);
      break;
    case PROP_MAP:
      g_value_set_string (value, self->map);
      break;
    case PROP_OPACITY:
      g_value_set_double (value, self->opacity);
      break;
    case PROP_MAP_LOW:
      g_value_set_double (value, self->map_low);
      break;
    case PROP_MAP_HIGH:
      g_value_set_double (value, self->map_high);
      break;
    case PROP_SHOW_TRUTH:
      g_value_set_boolean (value, self->show_truth);
  }
}
