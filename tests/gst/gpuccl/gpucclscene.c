/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element gpuccl behind visiontestsrc: the robot that starts to drive, and
 * the news of it upstream. */
#include "suite.h"
#include "gpucclframes.h"

#define MOTION_START 10
#define N_FRAMES 60

/* What became of a scene. */
typedef struct {
  guint accepted; /* first frame with an accepted object, 0: there was none */
  guint n_accepted;
  guint n_others; /* accepted objects that are not the first */
  guint64 id;
  GstBuffer *newest; /* frame with that object */
  GstEvent *event;   /* the first that went upstream */
  guint n_events;
} Outcome;

static GstVisionMap
labels_in (GstBuffer *buffer, GstVisionOrigin origin)
{
  GstVisionMap map;

  fail_unless (gst_buffer_find_vision_map (buffer, origin, "labels", &map));
  return map;
}

/* The accepted object with this id, to be freed. */
static GstVisionObject *
object_in (GstBuffer *buffer, guint64 id)
{
  GstVisionObjects *found =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  GstVisionObject *object = NULL;

  for (guint i = 0; i < found->n_objects; i++)
    if (found->objects[i].state == GST_VISION_STATE_ACCEPTED &&
        found->objects[i].id == id)
      object = gst_vision_object_copy (&found->objects[i]);
  gst_vision_objects_free (found);
  fail_unless (object != NULL);
  return object;
}

/* The mask that went upstream is the object of its frame. */
static void
check_event (Outcome *out, GstBuffer *buffer)
{
  const GstStructure *s = gst_event_get_structure (out->event);
  GstVisionMap labels = labels_in (buffer, GST_VISION_ORIGIN_RESULT), mask;
  g_autoptr (GstVisionObject) o = NULL;
  guint64 id, pts;
  gdouble x, y, width, height;
  GstMapInfo map;
  guint32 label;

  fail_unless (gst_structure_get (s, "id", G_TYPE_UINT64, &id, "pts",
      G_TYPE_UINT64, &pts, "x", G_TYPE_DOUBLE, &x, "y", G_TYPE_DOUBLE, &y,
      "width", G_TYPE_DOUBLE, &width, "height", G_TYPE_DOUBLE, &height, NULL));
  fail_unless (gst_structure_get (s, "ref-width", G_TYPE_UINT, &mask.width,
      "ref-height", G_TYPE_UINT, &mask.height, "stride", G_TYPE_UINT,
      &mask.stride, "mask", GST_TYPE_BUFFER, &mask.pixels, NULL));
  mask.format = "u8";
  fail_unless_equals_uint64 (pts, GST_BUFFER_PTS (buffer));
  fail_unless (mask.width == labels.width && mask.height == labels.height);
  o = object_in (buffer, id);
  fail_unless (
      o->x == x && o->y == y && o->width == width && o->height == height);
  gst_buffer_map (labels.pixels, &map, GST_MAP_READ);
  label = label_of (o, &labels, map.data);
  gst_buffer_unmap (labels.pixels, &map);
  fail_unless (overlap_of (&mask, 255, &labels, label) == 1);
  gst_buffer_unref (mask.pixels);
}

static GstPadProbeReturn
take_event (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
  Outcome *out = data;

  (void) pad;
  if (gst_event_has_name (event, "VisionNewObject") && !out->n_events++)
    out->event = gst_event_ref (event);
  return GST_PAD_PROBE_OK;
}

static void
take_frame (Outcome *out, guint frame, GstBuffer *buffer)
{
  GstVisionObjects *found =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);

  for (guint i = 0; i < found->n_objects; i++) {
    const GstVisionObject *o = &found->objects[i];

    if (o->state != GST_VISION_STATE_ACCEPTED)
      continue;
    if (!out->id) {
      out->accepted = frame;
      out->id = o->id;
      fail_unless_equals_int (out->n_events, 1);
      check_event (out, buffer);
    }
    out->n_others += o->id != out->id;
    out->n_accepted += o->id == out->id;
    if (o->id == out->id)
      gst_buffer_replace (&out->newest, buffer);
  }
  gst_vision_objects_free (found);
}

static Outcome
play (const gchar *source, const gchar *caps, const gchar *properties, guint n)
{
  g_autofree gchar *line =
      g_strdup_printf ("visiontestsrc pattern=rgbd label-map=true "
                       "motion-start=%d %s ! %s ! gpuccl %s",
          MOTION_START, source, caps, properties);
  g_autoptr (Harness) h = gst_harness_new_parse (line);
  g_autoptr (GstElement) gpuccl = gst_harness_find_element (h, "gpuccl");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (gpuccl, "sink");
  Outcome out = {0};

  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, take_event, &out, NULL);
  gst_harness_play (h);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless (buffer != NULL);
    take_frame (&out, i, buffer);
  }
  return out;
}

static void
clear (Outcome *out)
{
  gst_clear_buffer (&out->newest);
  gst_clear_event (&out->event);
}

/* How well the object covers the robot in the newest frame: its pixels, and its
 * box; and how far it is. */
static void
expect_robot (const Outcome *out, gdouble overlap, gdouble box_overlap)
{
  g_autoptr (GstVisionObject) o = object_in (out->newest, out->id);
  g_autoptr (GstVisionObjects) truth =
      gst_buffer_get_vision_objects (out->newest, GST_VISION_ORIGIN_TRUTH);
  GstVisionMap labels = labels_in (out->newest, GST_VISION_ORIGIN_RESULT);
  GstVisionMap robot = labels_in (out->newest, GST_VISION_ORIGIN_TRUTH);
  gdouble before, iou, box;
  guint32 label;
  GstMapInfo map;

  gst_buffer_map (labels.pixels, &map, GST_MAP_READ);
  label = label_of (o, &labels, map.data);
  gst_buffer_unmap (labels.pixels, &map);
  iou = overlap_of (&labels, label, &robot, 1);
  box = box_overlap_of (o, &truth->objects[0]);
  /* the camera sees the robot's front, its depth is that of its centre */
  before = truth->objects[0].depth - o->depth;
  g_print ("accepted in frame %u, in %u frames: IoU %.3f, of boxes %.3f\n",
      out->accepted, out->n_accepted, iou, box);
  fail_unless (iou >= overlap && box >= box_overlap);
  fail_unless (before > 0 && before < .3, "%g m", before);
  fail_unless (o->pose.n == 7 && o->extent.n == 3);
}

/* The robot must be far enough from where it was, 3.5 cm, then be there for
 * five frames. */
GST_START_TEST (test_paths)
{
  static const struct {
    const gchar *path;
    gdouble overlap, box_overlap;
    guint most; /* frames until it is accepted */
  } paths[] = {{"parallel", .8, .8, 14}, {"towards", .95, .95, 10},
      {"frontal", .95, .95, 10}, {"away", .8, .75, 10}, {"pass", .9, .9, 12},
      /* which shows other sides, one after the other */
      {"rotation", .15, .2, 14}};

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    g_autofree gchar *source =
        g_strdup_printf ("speed=4 path=%s", paths[i].path);
    gboolean turns = g_str_equal (paths[i].path, "rotation");
    Outcome out = play (source, "video/x-raw", "", N_FRAMES);

    g_print ("%s: ", paths[i].path);
    fail_unless (out.accepted >= MOTION_START + 5 &&
            out.accepted <= MOTION_START + paths[i].most,
        "frame %u", out.accepted);
    fail_unless (turns || out.n_accepted == N_FRAMES - out.accepted);
    fail_unless (turns ||
        (out.n_others == 0 && out.n_events == (out.n_accepted + 4) / 5));
    expect_robot (&out, paths[i].overlap, paths[i].box_overlap);
    clear (&out);
  }
}
GST_END_TEST;

GST_START_TEST (test_other_sensor)
{
  Outcome out = play ("speed=4 path=towards",
      "video/x-raw,width=512,height=424", "min-size=2500", 40);

  fail_unless (out.accepted >= MOTION_START + 5 && out.accepted < 26);
  expect_robot (&out, .85, .85);
  clear (&out);
}
GST_END_TEST;

/* The robot that limits in metres find at 640 x 480 they find at other sizes,
 * within three frames: neighbours lie farther apart in space where pixels are
 * fewer.  By limits in pixels it is not found in these frames. */
GST_START_TEST (test_any_size)
{
  static const gchar *const sizes[] = {
      "width=640,height=480", "width=320,height=240", "width=1280,height=720"};
  static const gchar *const paths[] = {"towards", "frontal", "pass"};
  Outcome pixels =
      play ("speed=4 path=pass", "video/x-raw,width=320,height=240", "", 40);

  fail_unless (!pixels.accepted);
  clear (&pixels);
  for (guint p = 0; p < G_N_ELEMENTS (paths); p++) {
    g_autofree gchar *source = g_strdup_printf ("speed=4 path=%s", paths[p]);
    guint accepted = 0;
    gdouble depth = 0;

    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      g_autofree gchar *caps = g_strdup_printf ("video/x-raw,%s", sizes[i]);
      Outcome out = play (source, caps,
          "min-size=0 min-fill=0 min-extent=0 min-surface=0.05 min-side=0.06 "
          "min-box-fill=0.6",
          40);
      g_autoptr (GstVisionObject) o = object_in (out.newest, out.id);

      g_print ("%s, %s: ", paths[p], sizes[i]);
      expect_robot (&out, .75, .8);
      fail_unless (o->elongation >= 1 && fabs (o->orientation) <= G_PI / 2);
      accepted = i ? accepted : out.accepted;
      depth = i ? depth : o->depth;
      fail_unless (ABS ((gint) out.accepted - (gint) accepted) <= 3);
      fail_unless (fabs (o->depth - depth) < .05, "%g m", o->depth);
      fail_unless (!out.n_others);
      clear (&out);
    }
  }
}
GST_END_TEST;

/* Until something moves nothing is accepted, and no event is sent. */
GST_START_TEST (test_still)
{
  Outcome out =
      play ("speed=4 motion-start=1000", "video/x-raw", "min-size=500", 40);

  fail_unless (!out.accepted && !out.n_events && !out.newest);
}
GST_END_TEST;

SUITE (gpucclscene, TIMEOUT (240), TEST (test_paths), TEST (test_other_sensor),
    TEST (test_any_size), TEST (test_still));
