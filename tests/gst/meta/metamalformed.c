/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Metas that are not what they should be: nothing in them counts, and nothing
 * crashes. */

#include "suite.h"
#include <math.h>

#include "meta/gstvisionmeta.h"

static GstBuffer *
buffer_with (const gchar *name, const gchar *fields)
{
  GstBuffer *buffer = gst_buffer_new ();
  gchar *text = g_strdup_printf ("%s, %s;", name, fields);
  GstStructure *wrong = gst_structure_from_string (text, NULL);
  GstStructure *structure;

  fail_unless (wrong != NULL, "%s", text);
  gst_vision_meta_register ();
  structure =
      gst_custom_meta_get_structure (gst_buffer_add_custom_meta (buffer, name));
  for (gint i = 0; i < gst_structure_n_fields (wrong); i++) {
    const gchar *field = gst_structure_nth_field_name (wrong, i);

    gst_structure_set_value (
        structure, field, gst_structure_get_value (wrong, field));
  }
  gst_structure_free (wrong);
  g_free (text);
  return buffer;
}

#define SIZE "ref-width=(uint)8, ref-height=(uint)8"

GST_START_TEST (test_malformed_objects)
{
  static const gchar *const none[] = {"objects=(int)3", SIZE,
      SIZE ", objects=(string)none", SIZE ", objects=<1, 2, \"three\">",
      "ref-width=(uint)0, ref-height=(uint)8, objects=<[A, id=(guint64)1]>",
      "ref-width=(string)8, ref-height=(uint)8"};
  static const GstVisionObject added = {.id = 9, .label = "added"};
  GstVideoInfo info = {.width = 8, .height = 8};

  for (guint i = 0; i < G_N_ELEMENTS (none); i++) {
    GstBuffer *buffer = buffer_with ("VisionObjects", none[i]);
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
    gst_buffer_unref (buffer);
  }
}
GST_END_TEST;

GST_START_TEST (test_malformed_fields)
{
  GstBuffer *buffer = buffer_with ("VisionObjects",
      SIZE ", objects=<[A, id=(int)5, x=(float)1, y=(double)2, label=(int)1, "
           "state=(string)dancing, reason=(double)1, area=(string)big, "
           "pose=<1.0, 2.0>, extent=<a, b, c>, outline=(double)3, "
           "trajectory=<1.0, 2>, covariance=<>, extra=(string)unheard-of]>");
  GstVisionObjects *objects = gst_buffer_get_vision_objects (buffer, 0);
  const GstVisionObject *o = &objects->objects[0];

  fail_unless_equals_int (objects->n_objects, 1);
  fail_unless (o->y == 2 && isnan (o->x));
  fail_unless (o->id == 0 && o->area == 0 && o->state == 0);
  fail_unless (!o->label && !o->reason);
  fail_unless (!o->pose.n && !o->extent.n && !o->outline.n);
  fail_unless (!o->trajectory.n && !o->covariance.n);
  gst_vision_objects_free (objects);
  gst_buffer_unref (buffer);
}
GST_END_TEST;

GST_START_TEST (test_malformed_cameras_and_maps)
{
  static const gchar *const cameras[] = {
      "fx=(double)1, fy=(double)1, cx=(double)1, cy=(double)1", SIZE,
      SIZE ", fx=(int)1, fy=(double)1, cx=(double)1, cy=(double)1",
      SIZE ", fx=(double)0, fy=(double)1, cx=(double)1, cy=(double)1"};
  static const gchar *const maps[] = {"maps=(int)1", "maps=<1>",
      "maps=<[M, kind=depth]>",
      "maps=<[M, kind=depth, format=u8, channels=(uint)1, width=(uint)1, "
      "height=(uint)1, stride=(uint)1, pixels=(string)none]>"};
  GstVisionCamera seen;
  GstVisionMap map;

  for (guint i = 0; i < G_N_ELEMENTS (cameras); i++) {
    GstBuffer *buffer = buffer_with ("VisionCamera", cameras[i]);

    fail_unless (!gst_buffer_get_vision_camera (buffer, 0, &seen));
    gst_buffer_unref (buffer);
  }
  for (guint i = 0; i < G_N_ELEMENTS (maps); i++) {
    GstBuffer *buffer = buffer_with ("VisionMaps", maps[i]);

    fail_unless (!gst_buffer_find_vision_map (buffer, 0, NULL, &map));
    gst_buffer_unref (buffer);
  }
}
GST_END_TEST;

SUITE (metamalformed, TEST (test_malformed_objects),
    TEST (test_malformed_fields), TEST (test_malformed_cameras_and_maps));
