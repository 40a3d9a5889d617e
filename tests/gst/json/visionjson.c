/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lines of visionjson, read back by json-glib. */
#include "suite.h"
#include <gst/check/gstharness.h>
#include <json-glib/json-glib.h>

#include <locale.h>
#include <math.h>
#include <unistd.h>

#include "meta/gstvisionmeta.h"

/* The line that @buffer gives, without its end. */
static gchar *
line_with (GstBuffer *buffer, gboolean lists)
{
  GstHarness *h = gst_harness_new ("visionjson");
  gchar text[8192];
  gssize n;
  int fds[2];

  fail_unless (pipe (fds) == 0);
  gst_harness_set (h, "visionjson", "fd", fds[1], "lists", lists, NULL);
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_play (h);
  gst_harness_set_src_caps_str (h, "application/x-anything");
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  n = read (fds[0], text, sizeof text);
  fail_unless (n > 0 && n < (gssize) sizeof text && text[n - 1] == '\n');
  fail_unless (memchr (text, '\n', n) == text + n - 1);
  gst_harness_teardown (h);
  fail_unless (close (fds[1]) == 0, "the element closed our file descriptor");
  close (fds[0]);
  return g_strndup (text, n - 1);
}

static gchar *
line_of (GstBuffer *buffer)
{
  return line_with (buffer, FALSE);
}

static void
check_line (GstBuffer *buffer, const gchar *wanted)
{
  g_autofree gchar *line = line_of (buffer);

  fail_unless_equals_string (line, wanted);
}

/* The same as a tree. */
static JsonNode *
parse (GstBuffer *buffer)
{
  GError *error = NULL;
  g_autofree gchar *line = line_of (buffer);
  JsonNode *root = json_from_string (line, &error);

  fail_unless (root != NULL, "%s: %s", line, error ? error->message : "empty");
  return root;
}

GST_START_TEST (test_bare_buffers)
{
  GstBuffer *buffer = gst_buffer_new ();

  check_line (buffer, "{\"schema\":1,\"frame\":0,\"objects\":[]}");
  buffer = gst_buffer_new ();
  GST_BUFFER_PTS (buffer) = G_GUINT64_CONSTANT (12345678901234567);
  check_line (buffer,
      "{\"schema\":1,\"pts\":12345678901234567,\"frame\":0,\"objects\":[]}");
  buffer = gst_buffer_new ();
  gst_buffer_add_vision_objects (
      buffer, GST_VISION_ORIGIN_TRUTH, 8, 4, NULL, 0);
  check_line (buffer,
      "{\"schema\":1,\"frame\":0,\"objects\":[],\"truth\":{\"ref-width\":8,"
      "\"ref-height\":4,\"objects\":[]}}");
}
GST_END_TEST;

/* The name of the stream, and both times. */
GST_START_TEST (test_stamp)
{
  GstHarness *h = gst_harness_new ("visionjson");
  gint64 before = g_get_real_time (), after, utc;
  GstBuffer *buffer = gst_buffer_new ();
  GstCaps *clock = gst_caps_new_empty_simple ("timestamp/x-ntp");
  gchar text[8192], *from;
  GDateTime *time;
  gssize n;
  int fds[2];

  fail_unless (pipe (fds) == 0);
  gst_harness_set (
      h, "visionjson", "fd", fds[1], "stream", "door \"2\"", "utc", TRUE, NULL);
  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_harness_play (h);
  gst_harness_set_src_caps_str (h, "application/x-anything");
  gst_buffer_add_reference_timestamp_meta (
      buffer, clock, G_GUINT64_CONSTANT (3900000000123456789), 0);
  gst_caps_unref (clock);
  gst_harness_push (h, buffer);
  after = g_get_real_time ();
  n = read (fds[0], text, sizeof text - 1);
  fail_unless (n > 0);
  text[n] = 0;
  fail_unless (g_str_has_prefix (text,
                   "{\"schema\":1,\"stream\":\"door \\\"2\\\"\",\"utc\":\""),
      "%s", text);
  fail_unless (
      strstr (text,
          "Z\",\"reference\":{\"kind\":\"timestamp/x-ntp\",\"time\":"
          "3900000000123456789},\"frame\":0,\"objects\":[]}\n") != NULL,
      "%s", text);
  from = strstr (text, "utc") + 6;
  *strchr (from, '"') = 0;
  time = g_date_time_new_from_iso8601 (from, NULL);
  fail_unless (time != NULL, "%s", from);
  utc = g_date_time_to_unix (time) * G_USEC_PER_SEC +
      g_date_time_get_microsecond (time);
  fail_unless (before - 1 <= utc && utc <= after, "%s", from);
  g_date_time_unref (time);
  gst_harness_teardown (h);
  close (fds[0]);
  close (fds[1]);
}
GST_END_TEST;

static void
check_number (JsonObject *object, const gchar *member, gdouble wanted)
{
  fail_unless (json_object_has_member (object, member), "no %s", member);
  fail_unless (json_object_get_double_member (object, member) == wanted);
}

static void
check_numbers (
    JsonObject *object, const gchar *member, const gdouble *wanted, guint n)
{
  JsonArray *array = json_object_get_array_member (object, member);

  fail_unless (array && json_array_get_length (array) == n, "%s", member);
  for (guint i = 0; i < n; i++)
    fail_unless (json_array_get_double_element (array, i) == wanted[i]);
}

static const gdouble numbers[] = {0.1, -0.25, 1.5, 1, 0, 12345.6789, 1e-9};

static GstVisionObject
some_object (void)
{
  GstVisionObject object;

  gst_vision_object_init (&object);
  object.id = G_MAXUINT64 / 2;
  object.element = "moct";
  object.label = "a \"quoted\" \\ label,\n\001 é";
  object.state = GST_VISION_STATE_TRACKING;
  object.area = 1200;
  object.x = -10.5;
  object.score = 0.875;
  object.pose = (GstVisionArray){7, numbers};
  object.trajectory = (GstVisionArray){4, numbers};
  return object;
}

static void
check_some_object (JsonObject *object)
{
  const GstVisionObject wanted = some_object ();

  fail_unless_equals_int (json_object_get_size (object), 9);
  fail_unless (json_object_get_int_member (object, "id") == (gint64) wanted.id);
  fail_unless (json_object_get_int_member (object, "area") == 1200);
  fail_unless_equals_string (
      json_object_get_string_member (object, "label"), wanted.label);
  fail_unless_equals_string (
      json_object_get_string_member (object, "element"), "moct");
  fail_unless_equals_string (
      json_object_get_string_member (object, "state"), "tracking");
  check_number (object, "x", wanted.x);
  check_number (object, "score", wanted.score);
  check_numbers (object, "pose", numbers, 7);
  check_numbers (object, "trajectory", numbers, 4);
}

GST_START_TEST (test_objects)
{
  GstBuffer *buffer = gst_buffer_new ();
  GstVisionObject objects[2] = {some_object (), some_object ()};
  g_autoptr (JsonNode) root = NULL;
  JsonObject *line, *truth;

  gst_buffer_add_vision_objects (buffer, 0, 640, 480, objects, 2);
  gst_buffer_add_vision_objects (
      buffer, GST_VISION_ORIGIN_TRUTH, 64, 48, objects, 1);
  root = parse (buffer);
  line = json_node_get_object (root);
  truth = json_object_get_object_member (line, "truth");
  check_number (line, "ref-width", 640);
  check_number (line, "ref-height", 480);
  check_number (truth, "ref-width", 64);
  fail_unless_equals_int (
      json_array_get_length (json_object_get_array_member (line, "objects")),
      2);
  fail_unless_equals_int (
      json_array_get_length (json_object_get_array_member (truth, "objects")),
      1);
  check_some_object (json_array_get_object_element (
      json_object_get_array_member (line, "objects"), 1));
  check_some_object (json_array_get_object_element (
      json_object_get_array_member (truth, "objects"), 0));
}
GST_END_TEST;

GST_START_TEST (test_camera_and_maps)
{
  static const gdouble pose[] = {1, 2, 3, 1, 0, 0, 0};
  GstVisionCamera camera = {640, 480, 525.25, 526, 319.5, 239.5,
      {0.5, 0, 0, 0, 0}, NAN, {1, 2, 3, 1, 0, 0, 0}, TRUE, {NULL}};
  GstVisionMap map = {"pocstereo", "depth", "u8", 1, 3, 2, 3, FALSE, 0.001, 0,
      0, gst_buffer_new_allocate (NULL, 6, NULL), NULL, {NULL}};
  GstBuffer *buffer = gst_buffer_new ();
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object;
  JsonArray *maps;

  gst_buffer_set_vision_camera (buffer, 0, &camera);
  fed_map (buffer, 0, map);
  root = parse (buffer);
  object =
      json_object_get_object_member (json_node_get_object (root), "camera");
  check_number (object, "fx", 525.25);
  check_number (object, "ref-height", 480);
  check_numbers (object, "pose", pose, 7);
  fail_unless (!json_object_has_member (object, "baseline"));

  maps = json_object_get_array_member (json_node_get_object (root), "maps");
  fail_unless_equals_int (json_array_get_length (maps), 1);
  object = json_array_get_object_element (maps, 0);
  fail_unless_equals_string (
      json_object_get_string_member (object, "kind"), "depth");
  fail_unless_equals_string (
      json_object_get_string_member (object, "memory"), "system");
  check_number (object, "scale", 0.001);
  check_number (object, "width", 3);
  fail_unless (!json_object_has_member (object, "pixels"));
}
GST_END_TEST;

/* Whether the one map of @buffer, whose reference is taken, has values. */
static gboolean
has_values (GstBuffer *buffer)
{
  g_autofree gchar *line = line_with (buffer, TRUE);
  gboolean found = strstr (line, "\"values\":") != NULL;

  return found;
}

/* A map of two columns with three numbers each. */
static GstBuffer *
buffer_with_list (const gchar *kind, const gchar *format, guint height)
{
  static const gfloat numbers[2][3] = {{1, 2.5, 30}, {NAN, -1, 0.125}};
  GstVisionMap map = {"pocstereo", kind, format, 3, 2, height, 24, FALSE, 2, 1,
      -1, gst_buffer_new_memdup (numbers, sizeof numbers), NULL, {NULL}};
  GstBuffer *buffer = gst_buffer_new ();

  map.stride /= height;
  map.width /= height;
  fed_map (buffer, 0, map);
  return buffer;
}

/* A list that says that it lies on a GPU has fewer numbers than it says: they
 * are left out, and none is read behind its memory. */
GST_START_TEST (test_short_list)
{
  static const gfloat numbers[6];
  GstVisionMap map = {"pocstereo", "points", "f32", 3, 3, 1, 36, TRUE, 1, 0,
      NAN, gst_buffer_new_memdup (numbers, sizeof numbers), NULL, {NULL}};
  GstBuffer *buffer = gst_buffer_new ();

  fed_map (buffer, 0, map);
  fail_unless (!has_values (buffer));
}
GST_END_TEST;

/* Lists are written with their scale if that is asked for, and no picture is.
 */
GST_START_TEST (test_lists)
{
  GstBuffer *buffer = buffer_with_list ("matches", "f32", 1);
  gchar *line = line_of (gst_buffer_ref (buffer));

  fail_unless (!strstr (line, "values"), "%s", line);
  g_free (line);
  line = line_with (buffer, TRUE);
  fail_unless (
      g_str_has_suffix (line, ",\"values\":[[3,6,61],[null,null,1.25]]}]}"),
      "%s", line);
  g_free (line);
  fail_unless (has_values (buffer_with_list ("points", "f32", 1)));
  fail_unless (!has_values (buffer_with_list ("points", "f32", 2)));
  fail_unless (!has_values (buffer_with_list ("depth", "f32", 1)));
  fail_unless (!has_values (buffer_with_list ("matches", "u32", 1)));
}
GST_END_TEST;

/* Any field of any meta: what has no form in JSON is left out. */
static GstBuffer *
buffer_with_objects (const gchar *array)
{
  GstBuffer *buffer = gst_buffer_new ();
  g_autofree gchar *text = g_strdup_printf ("S, objects=%s;", array);
  g_autoptr (GstStructure) structure = gst_structure_from_string (text, NULL);

  fail_unless (structure != NULL, "%s", text);
  gst_vision_meta_register ();
  gst_structure_set_value (
      gst_custom_meta_get_structure (
          gst_buffer_add_custom_meta (buffer, "VisionObjects")),
      "objects", gst_structure_get_value (structure, "objects"));
  return buffer;
}

GST_START_TEST (test_numbers)
{
  static const struct {
    const gchar *number, *json;
  } cases[] = {{"0", "0"}, {"-0.0", "0"}, {"12", "12"}, {"-0.5", "-0.5"},
      {"0.1", "0.1"}, {"33.333333333333", "33.3333333"},
      {"0.0012345678912", "0.001234568"}, {"0.9999999999", "1"},
      {"9.9999999999", "10"}, {"99999999.96", "100000000"},
      {"1920.0625", "1920.0625"}, {"1000.00001", "1000.00001"},
      {"-12345678.25", "-12345678.3"}, {"123456789012", "1.23456789e+11"},
      {"0.000001", "1e-06"}, {"1e300", "1e+300"}};

  setlocale (LC_ALL, "de_DE.UTF-8");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *array =
        g_strdup_printf ("<[A, v=(double)%s]>", cases[i].number);
    g_autofree gchar *wanted = g_strdup_printf (
        "{\"schema\":1,\"frame\":0,\"objects\":[{\"v\":%s}]}", cases[i].json);

    check_line (buffer_with_objects (array), wanted);
  }
  setlocale (LC_ALL, "C");
}
GST_END_TEST;

GST_START_TEST (test_any_field)
{
  check_line (buffer_with_objects (
                  "<[A, i=(int)-7, l=(gint64)-9223372036854775808, "
                  "b=(boolean)true, f=(fraction)1/2, nan=(double)nan, "
                  "a=(double)<1, inf, 0.5>, s=[B, t=x], r=(int)[1,2]]>"),
      "{\"schema\":1,\"frame\":0,\"objects\":[{\"i\":-7,\"l\":-"
      "9223372036854775808,"
      "\"b\":true,\"a\":[1,null,0.5],\"s\":{\"t\":\"x\"}}]}");
  check_line (buffer_with_objects ("<1, 2>"),
      "{\"schema\":1,\"frame\":0,\"objects\":[]}");
  check_line (buffer_with_objects ("(string)x"),
      "{\"schema\":1,\"frame\":0,\"objects\":[]}");
}
GST_END_TEST;

/* A buffer with one structure among its objects, which is taken. */
static GstBuffer *
buffer_with_structure (GstStructure *object)
{
  GstBuffer *buffer = buffer_with_objects ("<[A]>");
  GValue *objects = (GValue *) gst_structure_get_value (
      gst_custom_meta_get_structure (
          gst_buffer_get_custom_meta (buffer, "VisionObjects")),
      "objects");

  g_value_take_boxed (
      (GValue *) gst_value_array_get_value (objects, 0), object);
  return buffer;
}

/* Names and texts that others have chosen forge nothing, and end no line. */
GST_START_TEST (test_forged)
{
  GstStructure *object = gst_structure_new_empty ("A");
  GValue list = G_VALUE_INIT, text = G_VALUE_INIT;

  gst_structure_set (object, "k\":1},{\"id", G_TYPE_INT, 99, "a\nb\\",
      G_TYPE_INT, 1, "", G_TYPE_INT, 2, NULL);
  check_line (buffer_with_structure (object),
      "{\"schema\":1,\"frame\":0,\"objects\":[{\"k\\\":1},{\\\"id\":99,"
      "\"a\\u000ab\\\\\":1,\"\":2}]}");

  /* an array may hold what a field may not */
  object = gst_structure_new_empty ("A");
  g_value_init (&list, GST_TYPE_ARRAY);
  g_value_init (&text, G_TYPE_STRING);
  gst_value_array_append_value (&list, &text);
  g_value_set_string (&text, "a\xff\xc3");
  gst_value_array_append_value (&list, &text);
  gst_structure_take_value (object, "l", &list);
  g_value_unset (&text);
  check_line (buffer_with_structure (object),
      "{\"schema\":1,\"frame\":0,\"objects\":[{\"l\":[null,\"a\xef\xbf\xbd"
      "\xef\xbf\xbd\"]}]}");
  check_line (buffer_with_structure (NULL),
      "{\"schema\":1,\"frame\":0,\"objects\":[]}");
}
GST_END_TEST;

/* What is nested without end is cut. */
GST_START_TEST (test_deep)
{
  GstStructure *object = gst_structure_new_empty ("A");
  g_autofree gchar *line = NULL;

  for (gint i = 0; i < 1000; i++) {
    GValue inner = G_VALUE_INIT;

    g_value_init (&inner, GST_TYPE_STRUCTURE);
    g_value_take_boxed (&inner, object);
    object = gst_structure_new_empty ("A");
    gst_structure_take_value (object, "in", &inner);
  }
  line = line_of (buffer_with_structure (object));
  fail_unless (strlen (line) < 200, "%s", line);
  json_node_unref (json_from_string (line, NULL));
}
GST_END_TEST;

SUITE (visionjson, TEST (test_bare_buffers), TEST (test_stamp),
    TEST (test_objects), TEST (test_camera_and_maps), TEST (test_lists),
    TEST (test_short_list), TEST (test_numbers), TEST (test_any_field),
    TEST (test_forged), TEST (test_deep));
