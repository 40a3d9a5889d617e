/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element moct: which colours it looks for, and what it says of those that
 * it cannot read. */
#include "suite.h"
#include "redsquare.h"

#include <glib/gstdio.h>

/* Each is refused with a warning that holds the words; the colours before
 * stay. */
GST_START_TEST (test_malformed)
{
  static const gchar *wrong[][2] = {
      {"red", "entry 1"},
      {":#ff0000~3", "name"},
      {"a:purplish", "a colour such as red"},
      {"a:red~401", "tolerance"},
      {"#ff0000;ff0000:blue", "twice"},
      {"a:#ff0000~20;a:#00ff00~20", "entry 2 (\"a\")"},
      {"a:#ff00~3", "#rrggbb"},
      {"a:#ff0000~nan", "number"},
      {"a:#ff0000~-1", "tolerance"},
      {"ok:#ff0000~3;b:xyz=1..2,1..2,1..2", "entry 2 (\"b\")"},
      {"a:rgb=1..2,3..4", "3 ranges"},
      {"a:rgb=1..2,3..4,5..256", "range 3"},
      {"a:rgb=9..2,3..4,5..6", "range 1"},
      {"a:rg=0..1,0..nan", "number"},
      {"a:lab=1..2,3-4,5..6", "lo..hi"},
      {"a:roi=1,2,3", "roi=x,y,w,h"},
      {"a:roi=1,2,0,4", "empty"},
      {"a:roi=-1,2,3,4", "whole pixels"},
      {"a:roi=1,2,3,4@", "number"},
      {"a:roi=1,2,3,4@-2", "0 or more"},
      {"a:roi=1,2,3,4+5,6,7,8", "a further region is written +roi="},
      {"a:roi=1,2,3,4-#ff0000", "a further region is written -roi="},
      {"a:roi=meta+roi=meta+roi=meta+roi=meta+roi=meta+roi=meta+roi=meta+"
       "roi=meta-roi=meta",
          "at most 8 regions"},
      {"a:lab=1..2,3..4,5..6+roi=1,2,3,4", "left over"},
      {"a:rg=0..1,0..1|", "number"},
      {"a:#ff0000~3 more", "left over"},
  };
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    gchar *kept;

    g_object_set (r.h->element, "objects", wrong[i][0], NULL);
    expect_once (r.bus, GST_MESSAGE_WARNING, wrong[i][1]);
    g_object_get (r.h->element, "objects", &kept, NULL);
    fail_unless_equals_string (kept, RED);
    g_free (kept);
    fail_unless_equals_int (red_count (&r), 1);
  }
}
GST_END_TEST;

GST_START_TEST (test_too_many)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  GString *text = g_string_new (RED);

  for (guint i = 1; i < 1024; i++)
    g_string_append_printf (text, ";c%u:#%06x~0", i, i);
  g_object_set (r.h->element, "objects", text->str, NULL);
  fail_unless_equals_int (red_count (&r), 1);
  fail_unless (gst_bus_pop_filtered (r.bus, GST_MESSAGE_WARNING) == NULL);
  g_string_append (text, ";more:#ffffff~0");
  g_object_set (r.h->element, "objects", text->str, NULL);
  expect_once (r.bus, GST_MESSAGE_WARNING, "1024");
  fail_unless_equals_int (red_count (&r), 1);
  g_string_free (text, TRUE);
}
GST_END_TEST;

GST_START_TEST (test_file)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  g_autofree gchar *folder = g_dir_make_tmp ("moct-XXXXXX", NULL);
  gchar *path = g_build_filename (folder, "colours", NULL), *kept;

  g_object_set (r.h->element, "objects-file", path, NULL);
  expect_once (r.bus, GST_MESSAGE_WARNING, "colours");
  g_object_get (r.h->element, "objects", &kept, NULL);
  fail_unless_equals_string (kept, RED);
  g_free (kept);

  fail_unless (
      g_file_set_contents (path, "# none is red\nblue:#0000ff~9\n", -1, NULL));
  g_object_set (r.h->element, "objects-file", path, NULL);
  fail_unless_equals_int (red_count (&r), 0);
  fail_unless (g_file_set_contents (path, "# bad\nblue\n", -1, NULL));
  g_object_set (r.h->element, "objects-file", path, NULL);
  expect_once (r.bus, GST_MESSAGE_WARNING, path);
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
}
GST_END_TEST;

/* Frames pass, and one warning says what to set. */
GST_START_TEST (test_no_colours)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);

  g_object_set (r.h->element, "objects", "", NULL);
  fail_unless_equals_int (red_count (&r), 0);
  expect_once (r.bus, GST_MESSAGE_WARNING, "objects");
  fail_unless_equals_int (red_count (&r), 0);
  fail_unless (gst_bus_pop_filtered (r.bus, GST_MESSAGE_WARNING) == NULL);
  g_object_set (r.h->element, "objects", RED, NULL);
  fail_unless_equals_int (red_count (&r), 1);
}
GST_END_TEST;

/* The next frame's only object has this label. */
static void
expect_label (Red *r, GstBuffer *buffer, const gchar *label)
{
  g_autoptr (GstVisionObjects) found = red_push (r, buffer);

  fail_unless (found != NULL);
  fail_unless_equals_int (found->n_objects, 1);
  fail_unless_equals_string (found->objects[0].label, label);
  fail_unless_equals_uint64 (found->objects[0].area, W * H);
}

/* From a region of a frame, by property, by signal, and by an upstream region;
 * the numbers are then in "objects". */
GST_START_TEST (test_learn)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  gboolean done;
  gchar *text;

  g_object_set (r.h->element, "objects", "ball:roi=12,22,10,10", NULL);
  expect_label (&r, NULL, "ball");
  g_object_get (r.h->element, "objects", &text, NULL);
  fail_unless (g_str_has_prefix (text, "ball:lab="), "%s", text);
  g_free (text);

  g_object_set (r.h->element, "objects", "blue:#0000ff~10", NULL);
  fail_unless_equals_int (red_count (&r), 0);
  g_signal_emit_by_name (
      r.h->element, "learn", "taught", 12, 22, 10, 10, &done);
  fail_unless (done);
  expect_label (&r, NULL, "taught");
  g_signal_emit_by_name (r.h->element, "learn", "bad", 12, 22, 0, 0, &done);
  fail_if (done);
  expect_once (r.bus, GST_MESSAGE_WARNING, "learn");

  /* outside of the frame: warned of, and the stream goes on */
  g_object_set (
      r.h->element, "objects", "far:roi=64,0,9,9;near:roi=12,22,9,9", NULL);
  expect_label (&r, NULL, "near");
  expect_once (r.bus, GST_MESSAGE_WARNING, "lies outside of it");
  expect_label (&r, NULL, "near");
  fail_unless_equals_uint64 (stat_count (r.h->element, "faulty"), 2);
}
GST_END_TEST;

/* A colour that is not learned yet stays in the list when another is learned:
 * in the same frame, and while its region is outside of the frame. */
GST_START_TEST (test_learn_two)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  gboolean done;
  gchar *text;

  g_object_set (r.h->element, "objects", "", NULL);
  g_signal_emit_by_name (r.h->element, "learn", "far", 64, 0, 9, 9, &done);
  fail_unless (done);
  g_object_get (r.h->element, "objects", &text, NULL);
  fail_unless_equals_string (text, "far:roi=64,0,9,9");
  g_free (text);
  g_signal_emit_by_name (r.h->element, "learn", "near", 12, 22, 9, 9, &done);
  fail_unless (done);
  expect_label (&r, NULL, "near");
  g_signal_emit_by_name (r.h->element, "learn", "black", 40, 2, 9, 9, &done);
  fail_unless (done);
  fail_unless_equals_int (red_count (&r), 2);
  g_object_get (r.h->element, "objects", &text, NULL);
  fail_unless (
      g_str_has_prefix (text, "far:roi=64,0,9,9;near:lab="), "%s", text);
  fail_unless (strstr (text, ";black:lab=") != NULL, "%s", text);
  g_free (text);
}
GST_END_TEST;

/* From a later frame: at 40 ms a frame, the sixth. */
GST_START_TEST (test_learn_later)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  gchar *text;

  g_object_set (r.h->element, "objects", "ball:roi=12,22,10,10@0.2", NULL);
  for (guint i = 0; i < 8; i++) {
    fail_unless_equals_int (red_count (&r), i >= 5);
    g_object_get (r.h->element, "objects", &text, NULL);
    fail_unless (g_str_has_prefix (
        text, i < 5 ? "ball:roi=12,22,10,10@0.2" : "ball:lab="));
    g_free (text);
  }
}
GST_END_TEST;

/* A stream that ends before a region of a colour has come says so. */
GST_START_TEST (test_learn_too_late)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);

  g_object_set (r.h->element, "objects",
      "ball:roi=12,22,10,10+roi=14,24,10,10@99.5;cup:roi=meta;"
      "good:roi=14,24,10,10",
      NULL);
  red_count (&r);
  for (guint i = 0; i < 2; i++) {
    fail_unless (gst_harness_push_event (r.h, gst_event_new_eos ()));
    expect_soon (r.bus, GST_MESSAGE_WARNING,
        "before the region 2 of \"ball\" could be learned from: no frame at "
        "99.5 s");
    expect_once (r.bus, GST_MESSAGE_WARNING, "the region 1 of \"cup\"");
    fail_unless (gst_harness_push_event (r.h, gst_event_new_flush_start ()));
    fail_unless (
        gst_harness_push_event (r.h, gst_event_new_flush_stop (FALSE)));
  }
}
GST_END_TEST;

/* From a first region at once, and from a second one later, also if the list is
 * set again meanwhile.  Then a message says what the second one changed. */
GST_START_TEST (test_learn_twice)
{
  const gchar *drags = "ball:roi=12,22,10,10+roi=14,24,10,10@0.2";
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  gchar *text;

  g_object_set (r.h->element, "objects", drags, NULL);
  for (guint i = 0; i < 8; i++) {
    fail_unless_equals_int (red_count (&r), 1);
    g_object_get (r.h->element, "objects", &text, NULL);
    fail_unless (g_str_has_prefix (text, i < 5 ? drags : "ball:lab="));
    g_free (text);
    if (i == 3) {
      text = g_strdup_printf ("%s;other:#0000ff~5", drags);
      g_object_set (r.h->element, "objects", text, NULL);
      g_free (text);
    }
  }
  expect_soon (r.bus, GST_MESSAGE_INFO, "Learned ball:lab=");
  expect_once (r.bus, GST_MESSAGE_INFO, "region 2 of 2 adds");
}
GST_END_TEST;

/* The rectangle is longer than it is high, and full. */
GST_START_TEST (test_shape)
{
  const gdouble side = (gdouble) MAX (W, H) / MIN (W, H);
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);

  g_object_set (r.h->element, "lose-frames", 0, "min-roundness", .99 / side,
      "min-fill", 1., "max-side-ratio", 1.01 * side, NULL);
  fail_unless_equals_int (red_count (&r), 1);
  g_object_set (r.h->element, "max-side-ratio", .98 * side, NULL);
  red_count (&r); /* in which it is lost */
  fail_unless_equals_int (red_count (&r), 0);
  g_object_set (r.h->element, "max-side-ratio", 1.01 * side, "min-roundness",
      1.02 / side, NULL);
  fail_unless_equals_int (red_count (&r), 0);
}
GST_END_TEST;

/* The first button, at (@x, @y). */
static void
press (GstHarness *h, gboolean down, gdouble x, gdouble y)
{
  gst_harness_push_upstream_event (h,
      down ? gst_navigation_event_new_mouse_button_press (1, x, y, 0)
           : gst_navigation_event_new_mouse_button_release (1, x, y, 0));
}

/* What a window tells besides buttons. */
static void
move_and_type (GstHarness *h)
{
  gst_harness_push_upstream_event (
      h, gst_navigation_event_new_mouse_move (21, 29, 0));
  gst_harness_push_upstream_event (
      h, gst_navigation_event_new_mouse_scroll (21, 29, 0, 1, 0));
  gst_harness_push_upstream_event (
      h, gst_navigation_event_new_key_press ("space", 0));
}

/* A click learns what is under it, a drawn box what is in it; without `mouse`,
 * with another button, with a release alone, or with no button, nothing. */
GST_START_TEST (test_mouse)
{
  for (gint drawn = 0; drawn < 2; drawn++) {
    g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
    gchar *objects;

    g_object_set (r.h->element, "objects", "", NULL);
    press (r.h, TRUE, 20, 28);
    press (r.h, FALSE, 20, 28);
    g_object_set (r.h->element, "mouse", TRUE, NULL);
    press (r.h, FALSE, 20, 28);
    move_and_type (r.h);
    gst_harness_push_upstream_event (
        r.h, gst_navigation_event_new_mouse_button_press (3, 20, 28, 0));
    gst_harness_push_upstream_event (
        r.h, gst_navigation_event_new_mouse_button_release (3, 20, 28, 0));
    gst_buffer_unref (
        gst_harness_push_and_pull (r.h, red_frame_of (&r, 0xff0000)));
    g_object_get (r.h->element, "objects", &objects, NULL);
    fail_unless (!objects || !*objects, "%s", objects);
    g_free (objects);

    press (r.h, TRUE, drawn ? 10 : 20, drawn ? 20 : 28);
    move_and_type (r.h);
    press (r.h, FALSE, drawn ? 30 : 20, drawn ? 36 : 28);
    gst_buffer_unref (
        gst_harness_push_and_pull (r.h, red_frame_of (&r, 0xff0000)));
    g_object_get (r.h->element, "objects", &objects, NULL);
    fail_unless (g_str_has_prefix (objects, "click 1:"), "%s", objects);
    g_free (objects);
  }
}
GST_END_TEST;

static void
click_with (GstHarness *h, GstNavigationModifierType keys)
{
  gst_harness_push_upstream_event (
      h, gst_navigation_event_new_mouse_button_press (1, 20, 28, keys));
  gst_harness_push_upstream_event (
      h, gst_navigation_event_new_mouse_button_release (1, 20, 28, keys));
}

/* Whether an object is seen in the next frame, which has one of @colour. */
static gboolean
is_seen (Red *r, guint colour)
{
  GstVisionObjects *found = red_push (r, red_frame_of (r, colour));
  gboolean is_there = FALSE;

  for (guint i = 0; found && i < found->n_objects; i++)
    is_there |= found->objects[i].state == GST_VISION_STATE_NEW ||
        found->objects[i].state == GST_VISION_STATE_TRACKING;
  if (found)
    gst_vision_objects_free (found);
  return is_there;
}

/* A click with Shift held adds to the colour of the click before, one with Ctrl
 * held takes away from it; without a click before, or once its colour was
 * changed by hand, a warning says what to do. */
GST_START_TEST (test_mouse_with_keys)
{
  static const GstNavigationModifierType shift =
      GST_NAVIGATION_MODIFIER_SHIFT_MASK;
  static const GstNavigationModifierType ctrl =
      GST_NAVIGATION_MODIFIER_CONTROL_MASK;
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  g_autoptr (GError) early = NULL, late = NULL;

  g_object_set (r.h->element, "objects", "", "mouse", TRUE, NULL);
  click_with (r.h, shift);
  fail_if (is_seen (&r, 0xff0000));
  early = error_on (r.bus, GST_MESSAGE_WARNING);
  fail_unless (early && strstr (early->message, "Click without a key"));

  click_with (r.h, 0);
  fail_unless (is_seen (&r, 0xff0000));
  fail_if (is_seen (&r, 0x0000ff));
  click_with (r.h, shift);
  fail_unless (is_seen (&r, 0x0000ff));
  fail_unless (is_seen (&r, 0xff0000));
  click_with (r.h, ctrl);
  fail_if (is_seen (&r, 0x0000ff));
  fail_unless (is_seen (&r, 0xff0000));

  g_object_set (r.h->element, "objects", "click 1:#00ff00~20", NULL);
  fail_if (is_seen (&r, 0x0000ff));
  gst_bus_set_flushing (r.bus, TRUE);
  gst_bus_set_flushing (r.bus, FALSE);
  click_with (r.h, shift);
  fail_if (is_seen (&r, 0x0000ff));
  late = error_on (r.bus, GST_MESSAGE_WARNING);
  fail_unless (late && strstr (late->message, "has changed since"));
}
GST_END_TEST;

/* Names that are none: the warning says so, in UTF-8, and nothing else of the
 * name counts. */
GST_START_TEST (test_learn_names)
{
  static const gchar *const names[] = {"#x", ";", "", " x", "a:b", "x\n#",
      "x;y", "a:#ff0000~3;b", "a:#ff0000~9\n#", "\xff", NULL,
      "a name of more than thirty-one bytes", "ab:0123456789é\xc3"};
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    gboolean done = TRUE;
    g_autoptr (GError) error = NULL;

    g_signal_emit_by_name (
        r.h->element, "learn", names[i], 12, 22, 10, 10, &done);
    fail_if (done, "\"%s\" is learned", names[i]);
    error = error_on (r.bus, GST_MESSAGE_WARNING);
    fail_unless (error != NULL, "nothing is said of \"%s\"", names[i]);
    fail_unless (g_str_has_prefix (error->message, "learn: ") &&
            strstr (error->message, " name ") &&
            g_utf8_validate (error->message, -1, NULL),
        "\"%s\": %s", names[i], error->message);
  }
  expect_label (&r, NULL, "red");
}
GST_END_TEST;

/* More colours than there can be: said, too. */
GST_START_TEST (test_learn_too_many)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  GString *text = g_string_new (NULL);
  gboolean done;

  for (guint i = 0; i < 1024; i++)
    g_string_append_printf (text, "c%u:rgb=%u..%u,0..0,7..7;", i, i / 4, i / 4);
  g_object_set (r.h->element, "objects", text->str, NULL);
  g_signal_emit_by_name (r.h->element, "learn", "one", 12, 22, 9, 9, &done);
  fail_if (done);
  expect_once (r.bus, GST_MESSAGE_WARNING, "at most 1024");
  g_object_set (r.h->element, "objects", "\xff:#ff0000~9", NULL);
  expect_once (r.bus, GST_MESSAGE_WARNING, "not UTF-8");
  g_string_free (text, TRUE);
}
GST_END_TEST;

GST_START_TEST (test_learn_from_meta)
{
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  GstBuffer *buffer;

  g_object_set (r.h->element, "objects", "cup:roi=meta", NULL);
  fail_unless_equals_int (red_count (&r), 0); /* nothing to learn from yet */
  buffer = red_frame_of (&r, 0xff0000);
  gst_buffer_add_video_region_of_interest_meta (buffer, "hat", 40, 0, 8, 8);
  gst_buffer_add_video_region_of_interest_meta (buffer, "cup", 12, 22, 8, 8);
  expect_label (&r, buffer, "cup");
  expect_label (&r, NULL, "cup");
}
GST_END_TEST;

/* The id of the next frame's only object, which is of @label and was seen in
 * @points frames of the history. */
static guint64
id_of_next (Red *r, const gchar *label, guint points)
{
  g_autoptr (GstVisionObjects) found = red_push (r, NULL);
  guint64 id;

  fail_unless (found != NULL);
  fail_unless_equals_int (found->n_objects, 1);
  fail_unless_equals_string (found->objects[0].label, label);
  fail_unless_equals_int (found->objects[0].trajectory.n, 2 * points);
  id = found->objects[0].id;
  return id;
}

/* Another list: an object stays who it is while its colour's name is there. */
GST_START_TEST (test_other_colours)
{
  static const gchar *others[] = {
      "blue:#0000ff~10;" RED,                            /* another number */
      "blue:#0000ff~10;green:#00ff00~10;red:#ff0000~20", /* other words */
      RED ";blue:#0000ff~10",
  };
  g_auto (Red) r = red_new (GST_VIDEO_FORMAT_RGB);
  guint64 id;
  guint i;

  gst_element_set_state (r.h->element, GST_STATE_NULL);
  gst_util_set_object_arg (G_OBJECT (r.h->element), "trajectory", "full");
  gst_element_set_state (r.h->element, GST_STATE_PLAYING);
  red_caps (&r, GST_VIDEO_FORMAT_RGB, WIDTH, HEIGHT);
  id = id_of_next (&r, "red", 1);
  for (i = 0; i < G_N_ELEMENTS (others); i++) {
    g_object_set (r.h->element, "objects", others[i], NULL);
    fail_unless_equals_uint64 (id_of_next (&r, "red", 2 + i), id);
  }
  g_object_set (r.h->element, "objects", "rouge:#ff0000~20", NULL);
  fail_unless_equals_uint64 (id_of_next (&r, "rouge", 1), id + 1);
  g_object_set (r.h->element, "objects", "", NULL);
  fail_unless_equals_int (red_count (&r), 0);
  g_object_set (r.h->element, "objects", "rouge:#ff0000~20", NULL);
  fail_unless_equals_uint64 (id_of_next (&r, "rouge", 1), id + 2);
}
GST_END_TEST;

SUITE (moctobjects, TIMEOUT (120), TEST (test_malformed), TEST (test_too_many),
    TEST (test_file), TEST (test_no_colours), TEST (test_other_colours),
    TEST (test_learn), TEST (test_learn_two), TEST (test_learn_later),
    TEST (test_learn_too_late), TEST (test_learn_twice), TEST (test_shape),
    TEST (test_learn_from_meta), TEST (test_mouse), TEST (test_mouse_with_keys),
    TEST (test_learn_names), TEST (test_learn_too_many));
