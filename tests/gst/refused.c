/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What cannot be used when a pipeline starts ends it, and says which property
 * it is; what is set later leaves the value before. */
#include "suite.h"

#include "said.h"

#define NOWHERE "/nowhere/to/be/found"
#define GREY "video/x-raw,format=GRAY8,width=64,height=48"
#define DEPTH "video/x-raw,format=GRAY16_LE,width=64,height=48"
#define RGB "video/x-raw,format=RGB,width=64,height=48"

static const struct {
  const gchar *element, *value, *property, *pads;
} rows[] = {
    {"moct", "objects=ball", "objects", NULL},
    {"moct", "objects=ball:rgb=1..2", "objects", NULL},
    {"moct", "objects-file=" NOWHERE, "objects-file", NULL},
    {"moct", "region=1,2,3", "region", NULL},
    {"moct", "region=4294967297,2,3,4", "region", NULL},
    {"gpuccl", "intrinsics=1,2", "intrinsics", NULL},
    {"depthalign", "transform=1,2", "transform", NULL},
    {"depthalign", "target-intrinsics=1,2", "target-intrinsics", NULL},
    {"depthalign", "rig=" NOWHERE, "rig", NULL},
    {"gpuccl", "calibration=" NOWHERE, "calibration", NULL},
    {"emdtrack", "targets=ball:1,2,3", "targets", NULL},
    {"emdtrack", "targets=4294967297,2,9,9", "targets", NULL},
    {"emdtrack", "targets=ball:file=" NOWHERE, "targets", NULL},
    {"visionmeta", "intrinsics=1,2", "intrinsics", NULL},
    {"visionoverlay", "image=" NOWHERE, "image", NULL},
    {"pocstereo", "roi=1", "roi", GREY},
    {"pocstereo", "points=" NOWHERE, "points", GREY},
    {"pocstereo", "calibration=" NOWHERE, "calibration", GREY},
    {"pocstereo", "intrinsics=1,2,3", "intrinsics", GREY},
    {"pocstereo", "ply-location=%d-%d.ply", "ply-location", GREY},
    {"scopedetect", "intrinsics=1,2", "intrinsics", RGB},
    {"scopedetect", "calibration=" NOWHERE, "calibration", RGB},
    {"scopedetect", "models=" NOWHERE, "models", RGB},
};

/* The line of an element of one input or two. */
static gchar *
line_of (guint i)
{
  const gchar *colour = rows[i].pads;
  gboolean depth = colour && !strcmp (colour, RGB);

  if (!colour)
    return g_strdup_printf ("videotestsrc num-buffers=2 ! %s \"%s\" ! fakesink",
        rows[i].element, rows[i].value);
  return g_strdup_printf ("videotestsrc num-buffers=2 ! %s ! e.%s "
                          "videotestsrc num-buffers=2 ! %s ! e.%s "
                          "%s name=e \"%s\" ! fakesink",
      colour, depth ? "sink_color" : "sink_left", depth ? DEPTH : GREY,
      depth ? "sink_depth" : "sink_right", rows[i].element, rows[i].value);
}

/* As a user sees it, who wants no more than errors. */
GST_START_TEST (test_launch)
{
  g_autofree gchar *pipeline = line_of ((guint) __i__), *line = NULL,
                   *said = NULL;
  g_autofree gchar *names =
      g_strconcat (rows[__i__].property, " cannot be used", NULL);
  GError *error = NULL;
  gint status;

  line = g_strconcat ("gst-launch-1.0 -q ", pipeline, NULL);
  fail_unless (g_spawn_command_line_sync (line, NULL, &said, &status, &error));
  fail_unless (status != 0, "%s: exit code 0, and \"%s\"", line, said);
  fail_unless (strstr (said, "ERROR") && strstr (said, names),
      "%s: \"%s\" names no %s", line, said, names);
}
GST_END_TEST;

/* Set while the element is paused: the value before stays, and what is warned
 * of then is no error of the next start. */
GST_START_TEST (test_later)
{
  gchar **value = g_strsplit (rows[__i__].value, "=", 2);
  const gchar *name = rows[__i__].property;
  GstElement *element = gst_element_factory_make (rows[__i__].element, NULL);
  GParamSpec *spec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);
  GstBus *bus = gst_bus_new ();
  gchar *text, *now;

  gst_element_set_bus (element, bus);
  if (strcmp (value[0], name) || !(spec->flags & GST_PARAM_MUTABLE_PLAYING) ||
      !strcmp (name, "image"))
    goto done; /* is read elsewhere */
  for (guint i = 0; i < 2; i++) {
    fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) ==
        GST_STATE_CHANGE_SUCCESS);
    gst_util_set_object_arg (G_OBJECT (element), name, value[1]);
    text = g_strdup_printf ("%s stays what it was: ", name);
    expect_text (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING), text);
    g_object_get (element, name, &now, NULL);
    fail_unless (!now, "%s is \"%s\"", name, now);
    g_free (text);
    gst_element_set_state (element, GST_STATE_NULL);
  }
done:
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
  g_strfreev (value);
}
GST_END_TEST;

/* gst-launch-1.0 has no sanitizer, so it cannot load a plug-in that has one. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
# define N_LAUNCHED 0
#else
# define N_LAUNCHED G_N_ELEMENTS (rows)
#endif

SUITE (refused, TIMEOUT (120), LOOP (test_launch, N_LAUNCHED),
    LOOP (test_later, G_N_ELEMENTS (rows)));
