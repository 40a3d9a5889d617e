/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pipelines as gst-launch reads them, of elements that the dice put in a row.
 */
#include "chains.h"

#define MOCT \
 "moct objects=red:rgb=120..255,0..90,0..90;blue:rgb=0..90,50..140,150..255 " \
 "min-area=1 "
#define KINFUMOT \
 "kinfumot voxel-size=0.05 truncation=0.16 max-memory=32 " \
 "intrinsics=60,60,31.5,23.5 "
#define QUICK \
 "models=solid.model intrinsics=90,90,31.5,23.5 queries=50 kept=30 " \
 "samples=30 clusters=5 points=30 last=2 refine=1 neighbours=2 restarts=4 " \
 "restart-steps=2000 "

/* A tee's second branch ends by itself. */
#define BRANCH "tee name=t%u t%u. ! queue ! fakesink async=false t%u. ! queue"

static const gchar *const any_links[] = {
    "queue max-size-buffers=2",
    "queue leaky=upstream max-size-buffers=1",
    "queue leaky=downstream max-size-buffers=2",
    "identity drop-probability=0.2",
    "videorate drop-only=true",
    BRANCH,
    "visionjson location=lines.json",
    "visionjson location=full",
    "visionmeta intrinsics=60,60,31.5,23.5",
};

static const gchar *const colour_links[] = {
    MOCT "label-map=true trajectory=full post-messages=true mouse=true",
    MOCT "! emdtrack target-meta=red search=6",
    "moct objects=green:#23813e~18 label-map=true",
    "emdtrack targets=t:8,8,16,16 search=6 emd-map=true post-messages=true",
    "visionoverlay map=labels",
    "visionoverlay map=emd show=box+label+legend+rate",
    "visionmap kind=labels ! videoconvert",
    "gpuccl min-size=20 label-map=true post-messages=true",
    "videoscale ! capsfilter caps=video/x-raw,width=60,height=44",
    "videocrop left=3 top=2",
    "videoflip method=clockwise",
    "videoconvert ! jpegenc ! jpegdec",
};

static const gchar *const depth_links[] = {
    "gpuccl min-size=50 label-map=true",
    "gpuccl frames=3 threshold=40 post-messages=true",
#ifndef NO_KINFUMOT
    KINFUMOT "maps=correspondence+depth+rendered post-messages=true",
    KINFUMOT "trajectory-location=path.txt ! gpuccl min-size=20",
    KINFUMOT "trajectory-location=full",
#endif
    "visionmap kind=depth ! videoconvert ! video/x-raw,format=GRAY16_LE",
};

/* The table's own text, with numbers for a tee's name. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void
add_link (GString *line, const gchar *format, guint n)
{
  g_string_append_printf (line, format, n, n, n);
  g_string_append (line, " ! ");
}
#pragma GCC diagnostic pop

static void
add_links (Dice *dice, GString *line, guint n, gboolean depth)
{
  for (guint i = 0; i < n; i++) {
    if (one_in (dice, 3))
      add_link (line, PICK (dice, any_links), i);
    else if (depth)
      add_link (line, PICK (dice, depth_links), i);
    else
      add_link (line, PICK (dice, colour_links), i);
    if (!depth && !one_in (dice, 3))
      g_string_append (line, "videoconvert ! ");
  }
}

static void
add_sink (Dice *dice, GString *line)
{
  g_string_append_printf (line, "fakesink name=sink async=false sync=%s qos=%s",
      one_in (dice, 4) ? "true" : "false", one_in (dice, 2) ? "true" : "false");
}

/* Frames go by fast also in live pipelines. */
static void
add_source (Dice *dice, GString *line, gboolean depth)
{
  static const gchar *const colour[] = {"visiontestsrc",
      "visiontestsrc pattern=stereo view=left", "videotestsrc pattern=ball"};

  g_string_append_printf (line,
      "%s num-buffers=%u is-live=%s ! capsfilter "
      "caps=video/x-raw,width=%u,height=%u,framerate=%u/1%s ! ",
      depth ? "visiontestsrc pattern=rgbd" : PICK (dice, colour),
      1 + below (dice, 16), one_in (dice, 4) ? "true" : "false",
      32 + 2 * below (dice, 24), 24 + 2 * below (dice, 20),
      100 + below (dice, 100), depth ? ",format=GRAY16_LE" : "");
}

/* A file in place of a test source. */
static void
add_cubes (GString *line)
{
  g_string_append (line,
      "envisrc location=cube-%04d.hdr ! emdtrack targets=it:1,1,3,3 "
      "emd-map=true ! queue ! visionmap kind=emd ! ");
}

gchar *
line_of_chain (Dice *dice)
{
  GString *line = g_string_new (NULL);
  gboolean depth = one_in (dice, 3);

  if (!depth && one_in (dice, 12))
    add_cubes (line);
  else
    add_source (dice, line, depth);
  if (!depth)
    g_string_append (line, "videoconvert ! ");
  add_links (dice, line, 3 + below (dice, 4), depth);
  add_sink (dice, line);
  return g_string_free (line, FALSE);
}

/* No queue: GStreamer's (1.22 to 1.26) drops a query if the element behind it
 * has ended, and lets the thread that asks wait until the queue stops or
 * flushes. */
static const gchar *
pick_input_link (Dice *dice)
{
  return one_in (dice, 6) ? "identity drop-probability=0.2" : "identity";
}

/* A view to one pad.  Of two live sources each has its own clock's moment. */
static void
add_input (Dice *dice, GString *line, const gchar *view, const gchar *size,
    gboolean live)
{
  g_string_append_printf (line,
      "visiontestsrc name=%s pattern=%s view=%s num-buffers=%u is-live=%s ! "
      "capsfilter caps=video/x-raw,%s,framerate=100/1 ! %s ! p.sink_%s ",
      view, view[0] == 'l' || view[0] == 'r' ? "stereo" : "clutter", view,
      below (dice, 24), live ? "true" : "false", size, pick_input_link (dice),
      view);
}

gchar *
line_of_pair (Dice *dice)
{
  static const gchar *const views[][2] = {
      {"left", "right"}, {"color", "depth"}};
  GString *line = g_string_new (NULL);
  gboolean stereo = !one_in (dice, 4), live = one_in (dice, 4);
  const gchar *const *view = views[!stereo];
  gchar *size = stereo ? g_strdup_printf ("width=%u,height=%u",
                             32 + 2 * below (dice, 24), 24 + below (dice, 24))
                       : g_strdup ("width=64,height=48");

  add_input (dice, line, view[0], size, live);
  add_input (dice, line, view[1], size, live);
  g_free (size);
  if (stereo)
    g_string_append_printf (line,
        "pocstereo name=p max-disparity=12 mode=%s post-messages=true "
        "output=%s ! videoconvert ! ",
        one_in (dice, 2) ? "points" : "dense",
        one_in (dice, 2) ? "left" : "disparity");
  else
    g_string_append (line, "scopedetect name=p " QUICK "! videoconvert ! ");
  add_links (dice, line, below (dice, 3), FALSE);
  add_sink (dice, line);
  return g_string_free (line, FALSE);
}

gchar *
line_of_stop (Dice *dice)
{
  GString *line;

  if (one_in (dice, 4))
    return line_of_pair (dice);
  line = g_string_new (NULL);
  add_source (dice, line, FALSE);
  g_string_append (line, "videoconvert ! ");
  add_links (dice, line, 1 + below (dice, 2), FALSE);
  g_string_append (line,
      "videoconvert ! " MOCT "post-messages=true ! "
      "visionoverlay post-messages=true ! ");
  add_sink (dice, line);
  return g_string_free (line, FALSE);
}
