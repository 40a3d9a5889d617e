/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Metas that others put on frames: those of this plug-in, as documented, of
 * wrong types, half, nested and without a structure; regions of interest and
 * crops of any size. */
#include "stress.h"

#include <math.h>
#include <string.h>

#include "meta/gstvisionmeta.h"

static const gchar *const fields[] = {"element", "source", "id", "label",
    "state", "reason", "x", "y", "width", "height", "cx", "cy", "area", "score",
    "distance", "ratio", "orientation", "elongation", "vx", "vy", "age",
    "depth", "pose", "extent", "covariance", "outline", "trajectory",
    "something", "k\":1},{\"id", "kind", "format", "channels", "stride",
    "memory", "scale", "offset", "invalid", "pixels", "ref-width", "ref-height",
    "fx", "fy", "distortion", "baseline", "objects", "maps"};

static const gchar *const words[] = {"red", "tracking", "lost", "rejected",
    "labels", "depth", "disparity", "correspondence", "emd", "matches",
    "points", "u8", "u16", "u32", "f32", "system", "cuda", "", "a\"b\\c\n\x01",
    "moct", "face", "a very long word, a very long word, a very long word"};

static gdouble
any_number (Dice *dice)
{
  static const gdouble wild[] = {0, -1, NAN, INFINITY, -INFINITY, 1e300, 1e-300,
      2147483648., 1e10, -1e10, 1.7e308, -1.7e308};

  return one_in (dice, 6) ? PICK (dice, wild) : unit (dice) * 64;
}

static void any_value (Dice *dice, GValue *value, guint depth);

/* All items of an array have one type: the first one's. */
static void
append (GValue *array, GValue *one)
{
  GValue *first = gst_value_array_get_size (array)
      ? (GValue *) gst_value_array_get_value (array, 0)
      : one;

  if (G_VALUE_TYPE (first) == G_VALUE_TYPE (one) &&
      (first == one || !GST_VALUE_HOLDS_ARRAY (one)))
    gst_value_array_append_and_take_value (array, one);
  else
    g_value_unset (one);
}

static void
any_array (Dice *dice, GValue *value, guint depth)
{
  guint n = below (dice, one_in (dice, 10) ? 40 : 8);
  gboolean numbers = !one_in (dice, 5);

  g_value_init (value, GST_TYPE_ARRAY);
  for (guint i = 0; i < n; i++) {
    GValue one = G_VALUE_INIT;

    if (numbers) {
      g_value_init (&one, G_TYPE_DOUBLE);
      g_value_set_double (&one, any_number (dice));
    } else
      any_value (dice, &one, depth + 1);
    append (value, &one);
  }
}

static void
any_value (Dice *dice, GValue *value, guint depth)
{
  switch (below (dice, depth > 2 ? 7 : 10)) {
    case 0:
      g_value_init (value, G_TYPE_STRING);
      g_value_set_string (value, one_in (dice, 8) ? NULL : PICK (dice, words));
      break;
    case 1:
      g_value_init (value, G_TYPE_UINT64);
      g_value_set_uint64 (
          value, one_in (dice, 8) ? G_MAXUINT64 : below (dice, 9));
      break;
    case 2:
      g_value_init (value, G_TYPE_UINT);
      g_value_set_uint (value, one_in (dice, 8) ? G_MAXUINT : below (dice, 99));
      break;
    case 3:
      g_value_init (value, G_TYPE_INT);
      g_value_set_int (value, between (dice, -9, 99));
      break;
    case 4:
      g_value_init (value, GST_TYPE_BUFFER);
      if (!one_in (dice, 6))
        g_value_take_boxed (
            value, gst_buffer_new_allocate (NULL, below (dice, 5000), NULL));
      break;
    case 5:
    case 6:
      g_value_init (value, G_TYPE_DOUBLE);
      g_value_set_double (value, any_number (dice));
      break;
    case 7:
      g_value_init (value, GST_TYPE_STRUCTURE);
      if (!one_in (dice, 4))
        g_value_take_boxed (value, metas_structure (dice));
      break;
    default:
      any_array (dice, value, depth);
  }
}

GstStructure *
metas_structure (Dice *dice)
{
  GstStructure *s = gst_structure_new_empty (
      one_in (dice, 2) ? "VisionObject" : "VisionNewObject");

  for (guint i = 0, n = below (dice, 8); i < n; i++) {
    GValue value = G_VALUE_INIT;

    any_value (dice, &value, 3);
    gst_structure_take_value (s, PICK (dice, fields), &value);
  }
  return s;
}

/* What is true of an object, with a field or two that is not. */
static GstStructure *
object (Dice *dice)
{
  GstStructure *s = gst_structure_new ("VisionObject", "element", G_TYPE_STRING,
      "moct", "source", G_TYPE_STRING, "m", "id", G_TYPE_UINT64,
      (guint64) below (dice, 5), "label", G_TYPE_STRING, PICK (dice, words),
      "state", G_TYPE_STRING, "tracking", "x", G_TYPE_DOUBLE, any_number (dice),
      "y", G_TYPE_DOUBLE, any_number (dice), "width", G_TYPE_DOUBLE,
      any_number (dice), "height", G_TYPE_DOUBLE, any_number (dice), "cx",
      G_TYPE_DOUBLE, any_number (dice), "cy", G_TYPE_DOUBLE, any_number (dice),
      "area", G_TYPE_UINT64, roll (dice), NULL);

  for (guint i = below (dice, 4); i > 0; i--) {
    GValue value = G_VALUE_INIT;

    any_value (dice, &value, 1);
    gst_structure_take_value (s, PICK (dice, fields), &value);
  }
  return s;
}

static GstBuffer *
bytes_of (Dice *dice, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, size, NULL);

  gst_buffer_memset (buffer, 0, (guint8) roll (dice), size);
  return buffer;
}

/* As gpuccl's, of a frame of @width x @height, and seldom with a field or two
 * that do not fit. */
GstStructure *
metas_new_object (Dice *dice, guint width, guint height)
{
  guint stride = GST_ROUND_UP_4 (width);
  gsize size = (gsize) stride * height;
  GstBuffer *mask = bytes_of (dice, one_in (dice, 8) ? size / 2 : size);
  GstStructure *s;

  gst_buffer_memset (mask, size / 3, (guint8) one_in (dice, 3), size / 3);
  s = gst_structure_new ("VisionNewObject", "pts", G_TYPE_UINT64,
      below (dice, 20) * 40 * GST_MSECOND, "id", G_TYPE_UINT64,
      (guint64) below (dice, 5), "ref-width", G_TYPE_UINT, width, "ref-height",
      G_TYPE_UINT, height, "stride", G_TYPE_UINT, stride, "memory",
      G_TYPE_STRING, one_in (dice, 10) ? "cuda" : "system", "mask",
      GST_TYPE_BUFFER, mask, NULL);
  gst_buffer_unref (mask);
  if (one_in (dice, 4)) {
    static const gchar *const all[] = {
        "pts", "ref-width", "ref-height", "stride", "memory", "mask"};
    GValue value = G_VALUE_INIT;

    any_value (dice, &value, 1);
    gst_structure_take_value (s, PICK (dice, all), &value);
  }
  return s;
}

static GstStructure *
map (Dice *dice)
{
  static const gchar *const kinds[] = {
      "labels", "depth", "disparity", "correspondence", "emd", "confidence"};
  static const gchar *const formats[] = {"u8", "u16", "u32", "f32"};
  static const guint bytes[] = {1, 2, 4, 4};
  guint f = below (dice, 4), channels = 1 + below (dice, 2);
  guint width = one_in (dice, 2) ? 64 : 1 + below (dice, 80);
  guint height = one_in (dice, 2) ? 48 : 1 + below (dice, 80);
  guint stride = width * channels * bytes[f] + below (dice, 9);
  GstBuffer *pixels = bytes_of (
      dice, stride * height - (one_in (dice, 8) ? below (dice, stride) : 0));
  GstStructure *s = gst_structure_new ("VisionMap", "element", G_TYPE_STRING,
      "test", "kind", G_TYPE_STRING, PICK (dice, kinds), "format",
      G_TYPE_STRING, formats[f], "channels", G_TYPE_UINT, channels, "width",
      G_TYPE_UINT, width, "height", G_TYPE_UINT, height, "stride", G_TYPE_UINT,
      stride, "memory", G_TYPE_STRING, one_in (dice, 10) ? "cuda" : "system",
      "scale", G_TYPE_DOUBLE, one_in (dice, 4) ? any_number (dice) : 1.,
      "offset", G_TYPE_DOUBLE, one_in (dice, 4) ? any_number (dice) : 0.,
      "invalid", G_TYPE_DOUBLE, any_number (dice), "pixels", GST_TYPE_BUFFER,
      pixels, NULL);

  gst_buffer_unref (pixels);
  if (one_in (dice, 4)) {
    GValue value = G_VALUE_INIT;

    any_value (dice, &value, 1);
    gst_structure_take_value (s, PICK (dice, fields), &value);
  }
  return s;
}

static void
fill_camera (Dice *dice, GstStructure *s, const Stream *stream)
{
  gst_structure_set (s, "ref-width", G_TYPE_UINT,
      stream->is_video ? (guint) GST_VIDEO_INFO_WIDTH (&stream->info) : 9,
      "ref-height", G_TYPE_UINT,
      stream->is_video ? (guint) GST_VIDEO_INFO_HEIGHT (&stream->info) : 9,
      "fx", G_TYPE_DOUBLE, 60., "fy", G_TYPE_DOUBLE, 60., "cx", G_TYPE_DOUBLE,
      30., "cy", G_TYPE_DOUBLE, 20., "baseline", G_TYPE_DOUBLE, .1, NULL);
  if (one_in (dice, 2)) {
    GValue value = G_VALUE_INIT;

    any_value (dice, &value, 1);
    gst_structure_take_value (s, PICK (dice, fields), &value);
  }
}

static void
fill_items (Dice *dice, GstStructure *s, const gchar *name, gboolean maps)
{
  GValue all = G_VALUE_INIT;

  gst_structure_set (s, "ref-width", G_TYPE_UINT,
      one_in (dice, 8) ? 0 : 1 + below (dice, 99), "ref-height", G_TYPE_UINT,
      1 + below (dice, 99), NULL);
  if (one_in (dice, 8))
    any_value (dice, &all, 0);
  else {
    g_value_init (&all, GST_TYPE_ARRAY);
    for (guint i = below (dice, one_in (dice, 16) ? 60 : 5); i > 0; i--) {
      GValue one = G_VALUE_INIT;

      if (one_in (dice, 8))
        any_value (dice, &one, 1);
      else {
        g_value_init (&one, GST_TYPE_STRUCTURE);
        if (!one_in (dice, 12))
          g_value_take_boxed (&one, maps ? map (dice) : object (dice));
      }
      append (&all, &one);
    }
  }
  gst_structure_take_value (s, name, &all);
}

static void
add_custom (Dice *dice, GstBuffer *buffer, const Stream *stream)
{
  static const gchar *const names[] = {"VisionObjects", "VisionTruthObjects",
      "VisionMaps", "VisionTruthMaps", "VisionCamera", "VisionTruthCamera"};
  guint i = below (dice, G_N_ELEMENTS (names));
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, names[i])
      ? NULL
      : gst_buffer_add_custom_meta (buffer, names[i]);
  GstStructure *s = meta ? gst_custom_meta_get_structure (meta) : NULL;

  if (!s || one_in (dice, 12))
    return;
  if (i < 4)
    fill_items (dice, s, i < 2 ? "objects" : "maps", i >= 2);
  else
    fill_camera (dice, s, stream);
}

/* A structure takes no other text than UTF-8; the type of a region is any. */
static void
add_region (Dice *dice, GstBuffer *buffer)
{
  GstVideoRegionOfInterestMeta *roi =
      gst_buffer_add_video_region_of_interest_meta (buffer,
          one_in (dice, 6) ? "\xff\xfe" : PICK (dice, words), below (dice, 60),
          below (dice, 60), one_in (dice, 8) ? G_MAXUINT : below (dice, 40),
          one_in (dice, 8) ? G_MAXUINT - 3 : below (dice, 40));

  if (one_in (dice, 2))
    gst_video_region_of_interest_meta_add_param (roi, metas_structure (dice));
}

static void
add_crop (Dice *dice, GstBuffer *buffer)
{
  GstVideoCropMeta *crop = gst_buffer_add_video_crop_meta (buffer);

  crop->x = below (dice, 30);
  crop->y = below (dice, 30);
  crop->width = one_in (dice, 4) ? G_MAXUINT : below (dice, 60);
  crop->height = below (dice, 60);
}

void
metas_add (Dice *dice, GstBuffer *buffer, const Stream *stream)
{
  for (guint n = below (dice, 4); n > 0; n--)
    switch (below (dice, 6)) {
      case 0:
        add_region (dice, buffer);
        break;
      case 1:
        if (one_in (dice, 4) && !gst_buffer_get_video_crop_meta (buffer))
          add_crop (dice, buffer);
        break;
      default:
        add_custom (dice, buffer, stream);
    }
}

static void
read_maps (GstBuffer *buffer, GstVisionOrigin origin)
{
  GstVisionMap map;

  for (guint i = gst_buffer_n_vision_maps (buffer, origin); i > 0; i--)
    if (gst_buffer_nth_vision_map (buffer, origin, i - 1, &map) &&
        !map.on_gpu) {
      GstMapInfo info;
      volatile guint sum = 0;

      if (!gst_buffer_map (map.pixels, &info, GST_MAP_READ))
        continue;
      for (guint y = 0; y < map.height; y++)
        sum += info.data[(gsize) y * map.stride];
      (void) sum;
      gst_buffer_unmap (map.pixels, &info);
    }
}

void
metas_read (GstBuffer *buffer)
{
  for (GstVisionOrigin origin = GST_VISION_ORIGIN_RESULT;
       origin <= GST_VISION_ORIGIN_TRUTH; origin++) {
    GstVisionObjects *objects = gst_buffer_get_vision_objects (buffer, origin);
    GstVisionCamera camera;

    gst_vision_objects_free (objects);
    gst_buffer_get_vision_camera (buffer, origin, &camera);
    read_maps (buffer, origin);
  }
}
