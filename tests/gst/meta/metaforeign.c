/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Metas that somebody else wrote, read by the library and by every element that
 * reads one: frames go on, nothing crashes, and nothing grows for ever. */
#include "suite.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "drawn.h"
#include "meta/gstvisionmeta.h"

#define SIZE "ref-width=(uint)64, ref-height=(uint)48"
#define AT_HOME "x=(double)1, y=(double)1, width=(double)9, height=(double)9"

/* Adds the meta @name with what @fields say. */
static void
add_meta (GstBuffer *buffer, const gchar *name, const gchar *fields)
{
  g_autofree gchar *text = g_strdup_printf ("%s, %s;", name, fields);
  GstStructure *all = gst_structure_from_string (text, NULL), *to;

  fail_unless (all != NULL, "%s", text);
  gst_vision_meta_register ();
  to =
      gst_custom_meta_get_structure (gst_buffer_add_custom_meta (buffer, name));
  for (gint i = 0; i < gst_structure_n_fields (all); i++) {
    const gchar *field = gst_structure_nth_field_name (all, (guint) i);

    gst_structure_set_value (to, field, gst_structure_get_value (all, field));
  }
  gst_structure_free (all);
}

/* ---- What could be read, but must not ---- */

static const struct {
  const gchar *meta, *fields;
} hostile[] = {
    {"VisionObjects", SIZE ", objects=<>"},
    {"VisionObjects",
        "ref-width=(uint)1, ref-height=(uint)4294967295, "
        "objects=<[A, " AT_HOME ", area=(guint64)"
        "18446744073709551615, orientation=(double)1]>"},
    {"VisionObjects",
        SIZE ", objects=<[A, x=(double)-1e308, y=(double)1e308, "
             "width=(double)1e308, height=(double)1e308, "
             "cx=(double)1e308, cy=(double)-1e308, "
             "vx=(double)1e308, id=(guint64)1, label=red]>"},
    {"VisionObjects",
        SIZE ", objects=<[A, " AT_HOME ", id=(guint64)"
             "18446744073709551615, score=(double)1e300, "
             "label=(string)\"\\001\\t%s%n\", reason=(string)\"\", "
             "state=rejected, elongation=(double)-1, "
             "orientation=(double)1e300]>"},
    {"VisionObjects",
        SIZE ", objects=<[A, " AT_HOME ", id=(guint64)3, "
             "outline=<nan, inf, 1.0, 2.0>, trajectory=<1.0, "
             "-inf, nan, 2.0, 3.0, 4.0>, pose=<0.0, 0.0, nan, "
             "0.0, 0.0, 0.0, 0.0>, extent=<inf, 1.0, 1.0>, "
             "covariance=<nan, nan, nan, nan>]>"},
    {"VisionObjects",
        SIZE ", objects=<[A, " AT_HOME ", id=(guint64)4, "
             "outline=<1e308, -1e308, 1e-308, 2.0>, "
             "pose=<0.0, 0.0, 1e-300, 0.0, 0.0, 0.0, 0.0>, "
             "extent=<1e308, 1e308, 1e308>]>"},
    {"VisionCamera",
        SIZE ", fx=(double)inf, fy=(double)1, cx=(double)1, "
             "cy=(double)1"},
    {"VisionCamera",
        SIZE ", fx=(double)1, fy=(double)1, cx=(double)nan, "
             "cy=(double)1"},
    {"VisionCamera",
        SIZE ", fx=(double)1e-308, fy=(double)1e308, "
             "cx=(double)1e308, cy=(double)1, "
             "pose=<0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0>, "
             "baseline=(double)inf, distortion=<nan, 1.0, 1.0, "
             "1.0, 1.0>"},
    {"VisionMaps", "maps=<[M, kind=emd, format=u8, channels=(uint)0]>"},
    {"VisionMaps", "maps=<[M, kind=emd, format=(int)3, width=(int)3]>"},
};

static void
push_hostile (const gchar *element, const gchar *caps, gsize bytes, guint i)
{
  g_autoptr (Harness) h = gst_harness_new (element);
  g_autoptr (GstBuffer) buffer = gst_buffer_new_allocate (NULL, bytes, NULL);

  if (!strcmp (element, "visionoverlay"))
    g_object_set (h->element, "show", 0x1ff, "map", "emd", NULL);
  if (!strcmp (element, "visionjson"))
    g_object_set (h->element, "location", "/dev/null", NULL);
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_play (h);
  gst_harness_set_src_caps_str (h, caps);
  gst_buffer_memset (buffer, 0, 90, bytes);
  for (guint frame = 0; frame < 2; frame++) { /* a trail needs two */
    g_autoptr (GstBuffer) copy = gst_buffer_copy_deep (buffer);

    add_meta (copy, hostile[i].meta, hostile[i].fields);
    if (strcmp (hostile[i].meta, "VisionObjects"))
      add_meta (copy, "VisionObjects", hostile[5].fields);
    GST_BUFFER_PTS (copy) = frame * GST_SECOND / 25;
    copy = gst_harness_push_and_pull (h, copy);
    fail_unless (copy != NULL, "%s keeps %s", element, hostile[i].fields);
  }
}

GST_START_TEST (test_hostile)
{
  static const gchar *const of_colour[] = {"visionoverlay", "visionmap",
      "visionjson", "visionmeta", "moct", "emdtrack"};

  for (guint i = 0; i < G_N_ELEMENTS (hostile); i++) {
    for (guint e = 0; e < G_N_ELEMENTS (of_colour); e++)
      push_hostile (of_colour[e],
          "video/x-raw,format=RGBA,width=64,height=48,framerate=25/1",
          64 * 48 * 4, i);
    push_hostile ("gpuccl",
        "video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=25/1",
        64 * 48 * 2, i);
  }
}
GST_END_TEST;

/* A number that is none makes its array unknown, and a camera; so it is with
 * what is written. */
GST_START_TEST (test_no_numbers)
{
  static const gdouble numbers[] = {1, 2, INFINITY, 1, 0, 0, NAN};
  GstVisionObject o = object_at (1, 1, 9, 9);
  GstBuffer *buffer = gst_buffer_new ();
  GstVisionObjects *objects;
  GstVisionCamera camera;

  add_meta (buffer, "VisionObjects", hostile[4].fields);
  o.pose = (GstVisionArray){7, numbers};
  o.trajectory = (GstVisionArray){2, numbers};
  o.label = "caf\xe9";
  gst_buffer_add_vision_objects (buffer, 0, 64, 48, &o, 1);
  objects = gst_buffer_get_vision_objects (buffer, 0);
  fail_unless_equals_int (objects->n_objects, 2);
  for (guint i = 0; i < 2; i++) {
    const GstVisionObject *read = &objects->objects[i];

    fail_unless (!read->pose.n && !read->outline.n && !read->covariance.n);
    fail_unless_equals_int (read->trajectory.n, i ? 2 : 0);
  }
  fail_unless (g_str_has_prefix (objects->objects[1].label, "caf"));
  fail_unless (g_utf8_validate (objects->objects[1].label, -1, NULL));
  gst_vision_objects_free (objects);
  gst_buffer_unref (buffer);
  for (guint i = 6; i < 8; i++) {
    buffer = gst_buffer_new ();
    add_meta (buffer, "VisionCamera", hostile[i].fields);
    fail_unless (!gst_buffer_get_vision_camera (buffer, 0, &camera));
    gst_buffer_unref (buffer);
  }
}
GST_END_TEST;

/* An area that no number of 64 bits holds. */
GST_START_TEST (test_area)
{
  GstVisionObject o = {.area = G_MAXUINT64};
  GstVisionObjects objects = {1, 1, 1, &o};

  gst_vision_objects_scale (&objects, G_MAXUINT, G_MAXUINT);
  fail_unless (o.area > G_MAXUINT64 / 2);
}
GST_END_TEST;

static GstVisionMap
map_of (const gchar *format, guint width, guint height, guint stride)
{
  return (GstVisionMap){.kind = "emd",
      .format = format,
      .channels = 1,
      .width = width,
      .height = height,
      .stride = stride,
      .scale = 1,
      .invalid = NAN};
}

/* Bytes of a row that only seem few, as their number has more than 64 bits; and
 * rows that begin between two numbers. */
GST_START_TEST (test_maps)
{
  GstBuffer *buffer = gst_buffer_new (), *pixels;
  g_autoptr (Harness) h = gst_harness_new ("visionmap");
  GstVisionMap map = map_of ("u16", 4, 4, 9), seen;
  GstBus *bus = listen_to (h, "visionmap");
  g_autofree gchar *fields = g_strdup_printf (
      "maps=<[M, kind=emd, format=f32, channels=(uint)%u, width=(uint)%u, "
      "height=(uint)1, stride=(uint)4]>",
      (1u << 31) + 1 + (1u << 16), (1u << 31) + 1 - (1u << 16));
  GValue *maps;

  add_meta (buffer, "VisionMaps", fields);
  maps = (GValue *) gst_structure_get_value (
      gst_custom_meta_get_structure (
          gst_buffer_get_custom_meta (buffer, "VisionMaps")),
      "maps");
  pixels = gst_buffer_new_allocate (NULL, 64, NULL);
  gst_structure_set ((GstStructure *) gst_value_get_structure (
                         gst_value_array_get_value (maps, 0)),
      "pixels", GST_TYPE_BUFFER, pixels, NULL);
  fail_unless (!gst_buffer_find_vision_map (buffer, 0, NULL, &seen));
  gst_buffer_unref (buffer);

  gst_harness_set_src_caps_str (
      h, "video/x-raw,format=RGB,width=8,height=8,framerate=25/1");
  buffer = gst_buffer_new_allocate (NULL, 8 * 8 * 3, NULL);
  map.pixels = pixels;
  fail_unless (gst_buffer_add_vision_map (buffer, 0, &map));
  gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
  fail_unless_equals_int (complaints (bus, "rows do not begin"), 1);
  hush (h, "visionmap", bus);
  gst_buffer_unref (pixels);
}
GST_END_TEST;

/* ---- What could grow ---- */

/* A map that comes and goes does not cause a warning with every frame. */
GST_START_TEST (test_warnings)
{
  static const gchar *const elements[] = {"visionmap", "visionoverlay"};

  for (guint e = 0; e < 2; e++) {
    g_autoptr (Harness) h = gst_harness_new (elements[e]);
    GstBus *bus = listen_to (h, elements[e]);

    g_object_set (h->element, e ? "map" : "kind", "emd", NULL);
    gst_harness_set_src_caps_str (
        h, "video/x-raw,format=RGB,width=8,height=8,framerate=25/1");
    for (guint i = 0; i < 20; i++) {
      GstBuffer *buffer = gst_buffer_new_allocate (NULL, 8 * 8 * 3, NULL);

      gst_buffer_memset (buffer, 0, 0, 8 * 8 * 3);
      if (i % 2)
        add_map (buffer, "emd", 8, 8);
      gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
    }
    fail_unless_equals_int (complaints (bus, "map"), 1);
    hush (h, elements[e], bus);
  }
}
GST_END_TEST;

static GstBuffer *
push_objects (
    GstHarness *h, const GstVideoInfo *info, GstVisionObject *o, guint n)
{
  GstBuffer *buffer = grey_frame (info);

  fail_unless (gst_buffer_add_vision_objects (buffer, GST_VISION_ORIGIN_RESULT,
      (guint) info->width, (guint) info->height, o, n));
  return gst_harness_push_and_pull (h, buffer);
}

#define MANY 1100

/* The last of many objects leaves no trail, and does when it is alone. */
GST_START_TEST (test_trails)
{
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  g_autofree GstVisionObject *o = g_new (GstVisionObject, MANY);
  GstVideoInfo info;
  GstBuffer *buffer = NULL;

  gst_util_set_object_arg (G_OBJECT (h->element), "show", "trail");
  g_object_set (h->element, "trail-time", 0.1, NULL); /* others fade */
  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  for (guint alone = 0; alone < 2; alone++)
    for (guint frame = 0; frame < 12; frame++) {
      for (guint i = 0; i < MANY; i++) {
        gboolean last = i == MANY - 1;

        o[i] = object_at (last ? 5 + 4 * frame : 5, last ? 30 : 5, 5, 5);
        o[i].id = i + 1;
      }
      buffer = alone ? push_objects (h, &info, &o[MANY - 1], 1)
                     : push_objects (h, &info, o, MANY);
      if (frame == 11)
        fail_unless_equals_int (
            pixel (buffer, &info, 45, 32, 0) != GREY, alone);
      gst_buffer_unref (buffer);
    }
}
GST_END_TEST;

/* Resident memory, MiB. */
static gsize
resident (void)
{
  gchar *text = NULL, **words;
  gsize pages;

  fail_unless (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  words = g_strsplit (text, " ", 3);
  pages = (gsize) g_ascii_strtoull (words[1], NULL, 10);
  g_strfreev (words);
  g_free (text);
  return pages * (gsize) sysconf (_SC_PAGESIZE) >> 20;
}

#define WORDS 120
#define MAX_GROWTH 100 /* MiB; without a bound it is 200 and more */

/* Names of one frame, each a picture of more than a megabyte. */
GST_START_TEST (test_names)
{
  g_autoptr (Harness) h = gst_harness_new ("visionoverlay");
  GstVisionObject o[WORDS];
  GstVideoInfo info;
  gsize before;

  gst_util_set_object_arg (G_OBJECT (h->element), "show", "label");
  g_object_set (h->element, "font-size", 200, NULL);
  fed_caps (h, &info, GST_VIDEO_FORMAT_RGB, 64, 48);
  o[0] = object_at (5, 5, 5, 5);
  o[0].label = "é";
  gst_buffer_unref (push_objects (h, &info, o, 1)); /* fonts are loaded */
  before = resident ();
  for (guint i = 0; i < WORDS; i++) {
    o[i] = object_at (5, 5, 5, 5);
    o[i].label = g_strdup_printf ("%03uÜÖÜÖÜÖÜÖÜÖÜÖÜÖÜÖÜÖÜÖÜÖÜÖÜÖ", i);
  }
  gst_buffer_unref (push_objects (h, &info, o, WORDS));
  fail_unless (resident () < before + MAX_GROWTH, "%u MiB more",
      (guint) (resident () - before));
  for (guint i = 0; i < WORDS; i++)
    g_free ((gchar *) o[i].label);
}
GST_END_TEST;

static GQuark
type_of_region (GstBuffer *buffer)
{
  gpointer state = NULL;
  GstVideoRegionOfInterestMeta *region =
      (gpointer) gst_buffer_iterate_meta_filtered (
          buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);

  fail_unless (region != NULL);
  fail_unless_equals_int (gst_buffer_get_n_meta (buffer,
                              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE),
      1);
  return region->roi_type;
}

/* Mirrored twice, as regions must be known again. */
static GQuark
mirror (const gchar *label)
{
  GstVideoInfo info = {.width = 64, .height = 48};
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();

  g_autofree gchar *fields = g_strdup_printf (
      SIZE ", objects=<[A, " AT_HOME ", id=(guint64)1, label=\"%s\"]>", label);

  add_meta (buffer, "VisionObjects", fields);
  fail_unless (gst_buffer_mirror_vision_objects (buffer, &info));
  fail_unless (gst_buffer_mirror_vision_objects (buffer, &info));
  return type_of_region (buffer);
}

/* Labels become quarks, which nobody can free. */
GST_START_TEST (test_types)
{
  g_autofree gchar *longest = g_strnfill (5000, 'x');
  GQuark type = mirror (longest);

  fail_unless_equals_string (g_quark_to_string (type), "object");
  fail_unless_equals_string (g_quark_to_string (mirror ("short")), "short");
  for (guint i = 0; i < 5000; i++) {
    g_autofree gchar *label = g_strdup_printf ("thing-%u", i);

    type = mirror (label);
    fail_unless (type == g_quark_try_string (i < 4000 ? label : "object") ||
        (i >= 4000 && i < 4096));
  }
  fail_unless (g_quark_try_string ("thing-4999") == 0);
  fail_unless_equals_string (g_quark_to_string (mirror ("short")), "short");
}
GST_END_TEST;

/* ---- What is not what it should be: nothing in it counts ---- */

static GstBuffer *
buffer_with (const gchar *name, const gchar *fields)
{
  GstBuffer *buffer = gst_buffer_new ();

  add_meta (buffer, name, fields);
  return buffer;
}

#define SMALL "ref-width=(uint)8, ref-height=(uint)8"

GST_START_TEST (test_malformed_objects)
{
  static const gchar *const none[] = {"objects=(int)3", SMALL,
      SMALL ", objects=(string)none", SMALL ", objects=<1, 2, \"three\">",
      "ref-width=(uint)0, ref-height=(uint)8, objects=<[A, id=(guint64)1]>",
      "ref-width=(string)8, ref-height=(uint)8"};
  static const GstVisionObject added = {.id = 9, .label = "added"};
  GstVideoInfo info = {.width = 8, .height = 8};

  for (guint i = 0; i < G_N_ELEMENTS (none); i++) {
    g_autoptr (GstBuffer) buffer = buffer_with ("VisionObjects", none[i]);
    GstVisionObjects *objects = gst_buffer_get_vision_objects (buffer, 0);

    fail_unless (!objects || !objects->n_objects, "%s", none[i]);
    gst_vision_objects_free (objects);
    gst_buffer_mirror_vision_objects (buffer, &info);
    fail_unless (gst_buffer_add_vision_objects (buffer, 0, 8, 8, &added, 1));
    objects = gst_buffer_get_vision_objects (buffer, 0);
    fail_unless (objects->n_objects >= 1, "%s", none[i]);
    fail_unless_equals_int (
        objects->objects[objects->n_objects - 1].id, added.id);
    gst_vision_objects_free (objects);
  }
}
GST_END_TEST;

GST_START_TEST (test_malformed_fields)
{
  g_autoptr (GstBuffer) buffer = buffer_with ("VisionObjects",
      SMALL ", objects=<[A, id=(int)5, x=(float)1, y=(double)2, label=(int)1, "
            "state=(string)dancing, reason=(double)1, area=(string)big, "
            "pose=<1.0, 2.0>, extent=<a, b, c>, outline=(double)3, "
            "trajectory=<1.0, 2>, covariance=<>, extra=(string)unheard-of]>");
  g_autoptr (GstVisionObjects) objects =
      gst_buffer_get_vision_objects (buffer, 0);
  const GstVisionObject *o = &objects->objects[0];

  fail_unless_equals_int (objects->n_objects, 1);
  fail_unless (o->y == 2 && isnan (o->x));
  fail_unless (o->id == 0 && o->area == 0 && o->state == 0);
  fail_unless (!o->label && !o->reason);
  fail_unless (!o->pose.n && !o->extent.n && !o->outline.n);
  fail_unless (!o->trajectory.n && !o->covariance.n);
}
GST_END_TEST;

GST_START_TEST (test_malformed_cameras_and_maps)
{
  static const gchar *const cameras[] = {
      "fx=(double)1, fy=(double)1, cx=(double)1, cy=(double)1", SMALL,
      SMALL ", fx=(int)1, fy=(double)1, cx=(double)1, cy=(double)1",
      SMALL ", fx=(double)0, fy=(double)1, cx=(double)1, cy=(double)1"};
  static const gchar *const maps[] = {"maps=(int)1", "maps=<1>",
      "maps=<[M, kind=depth]>",
      ("maps=<[M, kind=depth, format=u8, channels=(uint)1, width=(uint)1, "
       "height=(uint)1, stride=(uint)1, pixels=(string)none]>")};
  GstVisionCamera seen;
  GstVisionMap map;

  for (guint i = 0; i < G_N_ELEMENTS (cameras); i++) {
    g_autoptr (GstBuffer) buffer = buffer_with ("VisionCamera", cameras[i]);

    fail_unless (!gst_buffer_get_vision_camera (buffer, 0, &seen));
  }
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++) {
    g_autoptr (GstBuffer) buffer = buffer_with ("VisionMaps", maps[i]);

    fail_unless (!gst_buffer_find_vision_map (buffer, 0, NULL, &map));
  }
}
GST_END_TEST;

SUITE (metaforeign, TIMEOUT (120), TEST (test_malformed_objects),
    TEST (test_malformed_fields), TEST (test_malformed_cameras_and_maps),
    TEST (test_hostile), TEST (test_no_numbers), TEST (test_area),
    TEST (test_maps), TEST (test_warnings), TEST (test_trails),
    TEST (test_names),
    /* at last: it uses all types up */ TEST (test_types));
