/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Caps: any format that a pad takes, sizes from 1 x 1 on, and all that caps of
 * video may say besides. */
#include "stress.h"

#include <string.h>

/* A size, small as a rule. */
static void
pick_size (Round *round, Dice *dice, gint *width, gint *height)
{
  static const gint odd[][2] = {{1, 1}, {1, 7}, {5, 1}, {2, 2}, {3, 3},
      {4097, 33}, {33, 4097}, {127, 65}, {319, 17}, {16, 16}, {15, 17},
      {8193, 2}, {640, 480}};
  gboolean depth = !strcmp (round->kind->name, "scopedetect");

  if (one_in (dice, 12)) {
    const gint *size = PICK (dice, odd);

    *width = size[0];
    *height = size[1];
  } else if (depth || one_in (dice, 4)) {
    *width = 64;
    *height = 48;
  } else {
    *width = between (dice, 16, 80);
    *height = between (dice, 16, 64);
  }
}

/* One of the formats of @pad in system memory; NULL: it takes any. */
static const gchar *
pick_format (Round *round, Dice *dice, gint pad)
{
  GstPadTemplate *template =
      gst_element_get_pad_template (round->element, round->kind->sinks[pad]);
  GstCaps *caps = gst_pad_template_get_caps (template);
  const gchar *format = NULL;

  for (guint i = 0; i < gst_caps_get_size (caps) && !gst_caps_is_any (caps);
       i++) {
    const GValue *list =
        gst_structure_get_value (gst_caps_get_structure (caps, i), "format");

    if (!gst_caps_features_is_equal (gst_caps_get_features (caps, i),
            GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY) ||
        !list)
      continue;
    format = g_intern_string (GST_VALUE_HOLDS_LIST (list)
            ? g_value_get_string (gst_value_list_get_value (
                  list, below (dice, gst_value_list_get_size (list))))
            : g_value_get_string (list));
  }
  gst_caps_unref (caps);
  return format;
}

static const gchar *
pick_any_format (Dice *dice)
{
  /* without ENCODED, DMA_DRM and the like, which have no plain layout */
  static const gchar *const all[] = {"I420", "YV12", "YUY2", "UYVY", "AYUV",
      "RGBx", "BGRx", "xRGB", "RGBA", "ARGB", "RGB", "BGR", "Y41B", "Y42B",
      "v210", "GRAY8", "GRAY16_BE", "GRAY16_LE", "RGB16", "NV12", "NV21",
      "NV12_64Z32", "P010_10LE", "A420", "RGB8P", "I420_10LE", "GBR", "Y444"};

  return PICK (dice, all);
}

static void
add_views (Dice *dice, GstStructure *s)
{
  static const gchar *const modes[] = {"mono", "left", "right", "side-by-side",
      "side-by-side-quincunx", "top-bottom", "row-interleaved",
      "column-interleaved", "checkerboard", "frame-by-frame", "separated",
      "multiview-frame-by-frame"};

  gst_structure_set (s, "multiview-mode", G_TYPE_STRING, PICK (dice, modes),
      "views", G_TYPE_INT, between (dice, 1, 2), NULL);
  if (one_in (dice, 2))
    gst_structure_set (s, "multiview-flags", GST_TYPE_VIDEO_MULTIVIEW_FLAGSET,
        (guint) below (dice, 1 << 10), GST_FLAG_SET_MASK_EXACT, NULL);
}

static void
add_channels (Dice *dice, GstStructure *s)
{
  static const gchar *const layouts[] = {"stacked", "mosaic", "color", "x", ""};
  static const gchar *const patterns[] = {
      "4x4", "2x2", "3x3", "0x0", "1000x3", "4x", "x"};
  GValue list = G_VALUE_INIT, one = G_VALUE_INIT;

  gst_structure_set (s, "channels", G_TYPE_INT, between (dice, -1, 18), NULL);
  if (one_in (dice, 2))
    gst_structure_set (
        s, "channel-layout", G_TYPE_STRING, PICK (dice, layouts), NULL);
  if (one_in (dice, 3))
    gst_structure_set (
        s, "mosaic-pattern", G_TYPE_STRING, PICK (dice, patterns), NULL);
  if (!one_in (dice, 3))
    return;
  g_value_init (&list, GST_TYPE_ARRAY);
  g_value_init (&one, one_in (dice, 6) ? G_TYPE_INT : G_TYPE_DOUBLE);
  for (guint i = 0, n = below (dice, 18); i < n; i++) {
    if (G_VALUE_HOLDS_INT (&one))
      g_value_set_int (&one, between (dice, -5, 2000));
    else
      g_value_set_double (&one, 400 + 40 * unit (dice) * i);
    gst_value_array_append_value (&list, &one);
  }
  g_value_unset (&one);
  gst_structure_take_value (s, "wavelengths", &list);
}

static void
add_more (Dice *dice, GstStructure *s)
{
  static const gchar *const modes[] = {
      "progressive", "interleaved", "mixed", "fields"};
  static const gchar *const colours[] = {"bt601", "bt709", "bt2020", "sRGB",
      "1:3:5:1", "2:4:16:4", "0:0:0:0", "nonsense"};
  static const gint rates[][2] = {
      {0, 1}, {25, 1}, {30000, 1001}, {1, 1000}, {G_MAXINT, 1}, {1, G_MAXINT}};
  const gint *rate = PICK (dice, rates);

  if (one_in (dice, 3))
    gst_structure_set (
        s, "framerate", GST_TYPE_FRACTION, rate[0], rate[1], NULL);
  if (one_in (dice, 8))
    gst_structure_set (s, "pixel-aspect-ratio", GST_TYPE_FRACTION,
        between (dice, 1, 5), one_in (dice, 4) ? G_MAXINT : 3, NULL);
  if (one_in (dice, 8))
    gst_structure_set (
        s, "interlace-mode", G_TYPE_STRING, PICK (dice, modes), NULL);
  if (one_in (dice, 4))
    gst_structure_set (
        s, "colorimetry", G_TYPE_STRING, PICK (dice, colours), NULL);
  if (one_in (dice, 8))
    add_views (dice, s);
  if (one_in (dice, 6))
    add_channels (dice, s);
}

/* For elements that take anything. */
static GstCaps *
foreign (Dice *dice)
{
  static const gchar *const all[] = {"audio/x-raw,format=S16LE,rate=8000,"
                                     "channels=2,layout=interleaved",
      "text/x-raw,format=utf8", "application/x-nothing",
      "video/x-raw(memory:DMABuf),format=NV12,width=8,height=8",
      "video/x-raw(memory:Unknown),format=RGBA,width=9,height=5",
      "video/x-raw(format:Interlaced),format=I420,width=16,height=16,"
      "interlace-mode=alternate",
      "video/x-h264"};

  return gst_caps_from_string (PICK (dice, all));
}

static gboolean
takes_any (Round *round)
{
  GstCaps *caps = gst_pad_template_get_caps (
      gst_element_get_pad_template (round->element, round->kind->sinks[0]));
  gboolean any = gst_caps_is_any (caps);

  gst_caps_unref (caps);
  return any;
}

GstCaps *
caps_make (Round *round, Dice *dice, gint pad, const Stream *other)
{
  GstStructure *s = gst_structure_new (
      "video/x-raw", "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
  const gchar *format = pick_format (round, dice, pad);
  GstCaps *caps = gst_caps_new_empty ();
  gint width, height;

  if (one_in (dice, 40) || (takes_any (round) && one_in (dice, 5))) {
    gst_structure_free (s);
    gst_caps_unref (caps);
    return foreign (dice);
  }
  if (!format)
    format = pick_any_format (dice);
  pick_size (round, dice, &width, &height);
  add_more (dice, s);
  if (other && other->is_video && !one_in (dice, 20)) {
    width = GST_VIDEO_INFO_WIDTH (&other->info);
    height = GST_VIDEO_INFO_HEIGHT (&other->info);
    if (!strcmp (round->kind->name, "pocstereo"))
      format =
          gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&other->info));
    gst_structure_set (s, "framerate", GST_TYPE_FRACTION, other->info.fps_n,
        MAX (other->info.fps_d, 1), NULL);
  }
  if (!strcmp (round->kind->name, "pocstereo") && round->n_streams == 1 &&
      !gst_structure_has_field (s, "multiview-mode"))
    gst_structure_set (s, "multiview-mode", G_TYPE_STRING,
        one_in (dice, 2) ? "side-by-side" : "top-bottom", NULL);
  gst_structure_set (s, "format", G_TYPE_STRING, format, "width", G_TYPE_INT,
      width, "height", G_TYPE_INT, height, NULL);
  gst_caps_append_structure (caps, s);
  return caps;
}

GstCaps *
caps_wanted (Round *round, Dice *dice)
{
  gchar *text;
  GstCaps *caps;

  if (!strcmp (round->kind->name, "envisrc") || one_in (dice, 40))
    return gst_caps_from_string (
        one_in (dice, 8) ? "video/x-raw,format=GRAY8" : "video/x-raw");
  text = g_strdup_printf ("video/x-raw,width=%d,height=%d%s",
      between (dice, 1, 90), between (dice, 1, 80),
      one_in (dice, 8)       ? ",framerate=0/1"
          : one_in (dice, 8) ? ",framerate=1000/1"
                             : "");
  if (one_in (dice, 4)) {
    g_free (text);
    text = g_strdup ("video/x-raw,width=[1,96],height=[1,200]");
  }
  caps = gst_caps_from_string (text);
  g_free (text);
  return caps;
}
