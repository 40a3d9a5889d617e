/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-moct
 * @title: moct
 * @see_also: visionoverlay, visionjson
 *
 * Multi-object chromatic tracking: finds every blob of up to 1024 named
 * colours in one pass over the frame, gives it an identity, and follows it.
 * Each object comes with centroid, area, box, orientation, velocity and
 * trajectory, as VisionObjects on the buffer.
 *
 * A colour is a range in RGB, YUV, normalised rg, HSV or Lab, or all colours
 * near a given one, or is learned from a region of the frame.  Frames are read
 * as they are, YUV or RGB; a pixel costs the same however many colours there
 * are, and whatever their space.
 *
 * A colour that is learned is that of the region's pixels which tells it from
 * what surrounds the region and from the rest of the frame, or a few such
 * colours.  Further regions add what the object looks like elsewhere, or take
 * away what is something else: `ball:roi=9,9,20,20+roi=60,9,20,20@2-roi=…`.  An
 * info message for each, which gst-launch-1.0 prints, says what was learned
 * in the form in which it can be pasted into #GstMoct:objects, how much of the
 * regions it holds, and how much of the rest of the frames, and what the newest
 * region changed; warnings say where the region is mixed, or the colour is
 * everywhere.
 *
 * The action signal `learn`, with a name, x, y, width and height, learns a
 * colour from that region of the next frame; the numbers found can then be read
 * from #GstMoct:objects.  Where the region is outside of the frame, or
 * `roi=meta` finds no upstream region of that name, frames pass without that
 * colour until there is such a region.
 *
 * With #GstMoct:trajectory each object has its earlier centroids, and beside
 * them its `history`: their boxes, times, and whether it was seen there.  With
 * #GstMoct:history-map effects on the GPU find the same in a map of kind
 * `trajectories`, which is no picture of the frame: row k is of the k-th
 * object, and the point in column c has eight numbers: centroid x and y, left,
 * upper, right and lower side of the box, the time relative to this frame in
 * seconds, and 1 if the object was seen; without a point all are NAN.
 *
 * With #GstMoct:mouse, a click in the window of the sink learns the colour
 * there, and a box that is drawn that in it. With Shift held, a click or a box
 * on an object that was missed is added to the colour of the newest click
 * without a key; with Ctrl held, one on something else is taken away from that
 * colour.  `+roi=` and `-roi=` do the same.
 *
 * ## What it is for
 *
 * Things whose colour is even and rare in view: balls, caps, markers, parts in
 * a bin, robots with coloured dots. Many of them at once, small ones too, at
 * full rate on a CPU.
 *
 * ## When something else is better
 *
 * - White, grey and black things, and such of the colour of what is around
 *   them: #emdtrack follows them by how brightness or spectra are spread.
 * - Things known by their shape, such as a hand or a face: a trained
 *   detector. What it finds can choose the colour (`roi=meta`).
 * - Objects of one colour that touch for long: they are one object until they
 *   part.
 *
 * ## Troubleshooting
 *
 * - Nothing is found: the colour is too narrow, or `min-area` is too large.
 *   Learn the colour from the frame, by `mouse` or `roi=`, rather than from a
 *   picture of another camera.
 * - Too much is found: a smaller tolerance, a larger `min-area`, or `region`.
 * - It works in the morning alone: switch off the camera's automatic white
 *   balance and exposure, or give ranges in hsv with wide values of v.
 * - The label-map shows which pixels count: `label-map=true ! visionmap
 *   kind=labels`.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 visiontestsrc num-buffers=100 ! moct
 * objects="red:#d83a34~26;green:#3aa848~26" ! visionjson ! fakesink
 * ]|
 * Prints where the red and the green object of the synthetic scene are.
 * |[
 * gst-launch-1.0 v4l2src device=/dev/video0 ! videoconvert ! moct
 * objects="ball:hsv=350..10,50..100,30..100" ! visionoverlay ! autovideosink
 * ]|
 * Follows a red ball in front of a camera; the range of hues wraps through 0.
 *
 * Since: 0.1
 */
#include "moct/gstmoct.h"

#include "base/gstvisionproperties.h"

GST_DEBUG_CATEGORY_STATIC (moct_debug);
#define GST_CAT_DEFAULT moct_debug

#define FORMATS \
 "{ NV12, I420, P010_10LE, YUY2, RGBA, BGRA, RGBx, BGRx, RGB, BGR }"

G_DEFINE_TYPE_WITH_CODE (GstMoct, gst_moct, GST_TYPE_VISION_FILTER,
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_vision_preset_init));
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (moct, "moct", GST_RANK_NONE,
    GST_TYPE_MOCT,
    GST_DEBUG_CATEGORY_INIT (
        moct_debug, "moct", 0, "multi-object chromatic tracking"));

enum { SIGNAL_LEARN, N_SIGNALS };
static guint signals[N_SIGNALS];

/* Reads "x,y,width,height"; NULL is the whole frame. */
static gboolean
read_moct_region (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  return gst_vision_properties_take_box (element, text, moct_defaults ().region,
      &GST_MOCT (owner)->params.region, error);
}

CHOICES (trajectories, {GST_MOCT_TRAJECTORY_NONE, "none", "No points"},
    {GST_MOCT_TRAJECTORY_LAST, "last", "The newest two points"},
    {GST_MOCT_TRAJECTORY_FULL, "full", "All points of the history"});

#define ROWS_OF GstMoct
static const GstVisionProperty properties[] = {
    PARSED (gst_moct_read_objects, STRING, objects,
        "The colours to look for, separated by semicolons: "
        "NAME:SPACE=lo..hi,lo..hi,lo..hi with SPACE rgb, yuv (0..255), rg "
        "(0..1), hsv (0..360, wrapping as 350..10; 0..100) or lab (0..100, "
        "-128..127), up to four times with | between, SPACE= written once or "
        "each time; NAME:#rrggbb~TOL, all "
        "colours within a colour difference TOL (20 if it is left out), or "
        "NAME:red~TOL and the like; NAME:roi=x,y,w,h, learned "
        "from this region of the next frame; NAME:roi=x,y, learned from a "
        "point of the object; NAME:roi=x,y,w,h@SECONDS, learned from the frame "
        "at this time of the stream; NAME:roi=meta, learned from an upstream "
        "region of interest of that type; up to seven further regions, each "
        "with + before it if the object is there, too, as in "
        "NAME:roi=x,y,w,h+roi=x,y,w,h@SECONDS, or with - if something else is "
        "there, whose colours are taken away. A pixel belongs to the first "
        "colour "
        "that contains it. When the list changes, objects of a colour whose "
        "name stays in the list keep their ids"),
    PARSED (gst_moct_read_objects_file, STRING, objects_file,
        "File with the text of \"objects\", one or more colours in a line; "
        "lines that begin with # are comments, unless they are a colour alone, "
        "such as #ff0000"),
    PARSED (read_moct_region, STRING, region,
        "Look for objects in this part of the frame: x,y,width,height in "
        "pixels (empty = the whole frame)"),
    PARAMS (moct_params, params),
    STOPPED (NUMBER, history_length, 0, 4096, 128,
        "Frames in the history of trajectories, in the device's memory"),
    STOPPED (SWITCH, history_map, FALSE,
        "Attach the map \"trajectories\", in the device's memory, for effects: "
        "row k is the history of the frame's k-th object, of 64 at most, the "
        "newest point last"),
    ONE_OF (trajectory, trajectories, GST_MOCT_TRAJECTORY_NONE,
        "Points of the history attached to each object; each costs time"),
    STOPPED (SWITCH, label_map, FALSE,
        "Attach the map \"labels\": for each pixel 0, or 1 + the number of its "
        "colour in \"objects\""),
    SWITCH (mouse, FALSE,
        "Learn a colour where the user clicks or draws a box in the window of "
        "a sink; the colours are named \"click 1\", \"click 2\" and so on. "
        "With Shift held, a click adds an object to the newest of these "
        "colours; "
        "with Ctrl held, it takes the colours of another object away"),
    {.params = NULL}};

static void
gst_moct_point (GstVisionFilter *filter, GstVideoRectangle *box,
    GstNavigationModifierType keys)
{
  GstMoct *self = GST_MOCT (filter);

  if (!GST_VISION_LOCKED (self, self->mouse))
    return;
  if (keys & GST_NAVIGATION_MODIFIER_CONTROL_MASK)
    gst_moct_learn_more (self, box, TRUE);
  else if (keys & GST_NAVIGATION_MODIFIER_SHIFT_MASK)
    gst_moct_learn_more (self, box, FALSE);
  else
    gst_moct_learn_click (self, box);
}

static const char *
gst_moct_open (
    GstVisionFilter *filter, const Device *device, const GstVideoInfo *info)
{
  GstMoct *self = GST_MOCT (filter);
  GstVisionBackend *backend = &gst_vision_common (filter)->backend;
  gboolean label_map;

  GST_OBJECT_LOCK (self);
  self->history = self->history_length;
  label_map = self->label_map;
  GST_OBJECT_UNLOCK (self);
  self->width = GST_VIDEO_INFO_WIDTH (info);
  self->height = GST_VIDEO_INFO_HEIGHT (info);
  self->last_time = GST_CLOCK_TIME_NONE;
  self->first_id = self->last_id;
  TRY (
      moct_new (&self->moct, device, self->width, self->height, self->history));
  TRY (gst_moct_open_history (self));
  return label_map ? gst_vision_pixels_open (&self->pixels, backend,
                         &(GstVisionMap){.element = "moct",
                             .kind = "labels",
                             .format = "u16",
                             .channels = 1,
                             .width = self->width,
                             .height = self->height,
                             .scale = 1,
                             .invalid = 0})
                   : NULL;
}

static void
gst_moct_close (GstVisionFilter *filter)
{
  GstMoct *self = GST_MOCT (filter);

  gst_vision_pixels_close (&self->pixels);
  gst_vision_pixels_close (&self->past);
  g_clear_pointer (&self->moct, moct_free);
}

static void
gst_moct_reset (GstVisionFilter *filter)
{
  GstMoct *self = GST_MOCT (filter);

  moct_reset (self->moct);
  self->last_time = GST_CLOCK_TIME_NONE;
}

static void
warn_of_no_colours (GstMoct *self, gboolean mouse)
{
  if (self->warned)
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("There are no colours to look for. %s \"objects\", for example to "
       "\"ball:#ff2000~30\", or \"objects-file\".",
          mouse ? "Click at a thing in the window, or set" : "Set"),
      ("Frames pass unchanged until then."));
}

/* Queues the pixels of the label map.  Results do not depend on them, so that
 * the wait for the results waits for these pixels, too. */
static const char *
queue_label_map (GstMoct *self, const MoctParams *params, const Image *frame)
{
  TRY (gst_vision_pixels_begin (&self->pixels));
  return moct_labels (
      self->moct, params, frame, self->pixels.address, self->pixels.stride);
}

/* Finds and follows the objects, and attaches the label map to @buffer where
 * the property asks for it. */
static const char *
run_moct (GstMoct *self, const MoctParams *params, const Image *frame,
    GstBuffer *buffer, const MoctObject **objects, int *n)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  double dt = gst_vision_elapsed (&self->last_time, buffer);
  const char *err;

  if (!self->pixels.pool)
    return moct_run (self->moct, params, frame, dt, objects, n);
  err = queue_label_map (self, params, frame);
  if (!self->pixels.buffer)
    return err;
  if (!err)
    err = moct_run (self->moct, params, frame, dt, objects, n);
  if (err)
    device_wait (&backend->device); /* ends what was queued before the error */
  else if (!params->n_colours)
    err = device_wait (&backend->device); /* moct_run () did not wait */
  self->pixels.what.names = self->names;
  return gst_vision_pixels_attach (&self->pixels, err, buffer);
}

static const char *
gst_moct_process (
    GstVisionFilter *filter, const Image *frame, GstBuffer *buffer)
{
  GstMoct *self = GST_MOCT (filter);
  const MoctObject *objects;
  GstMoctTrajectory trajectory;
  MoctParams params;
  gboolean mouse;
  int n;

  TRY (gst_moct_update_colours (self, frame, buffer));
  GST_OBJECT_LOCK (self);
  params = self->params;
  trajectory = self->trajectory;
  mouse = self->mouse;
  GST_OBJECT_UNLOCK (self);
  params.colours = self->colours->colours;
  params.n_colours = self->colours->n;
  if (!params.n_colours)
    warn_of_no_colours (self, mouse);
  TRY (run_moct (self, &params, frame, buffer, &objects, &n));
  TRY (gst_moct_attach_history (self, objects, n, buffer));
  return gst_moct_attach_results (self, objects, n, trajectory, buffer);
}

static gboolean
gst_moct_start (GstVisionFilter *filter)
{
  GstMoct *self = GST_MOCT (filter);

  self->warned = FALSE;
  self->last_id = 0;
  GST_OBJECT_LOCK (self);
  self->n_clicks = 0;
  self->n_more = 0;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static void
gst_moct_finalize (GObject *object)
{
  GstMoct *self = GST_MOCT (object);

  g_free (self->pending);
  gst_moct_free_colours (self->colours);
  g_free (self->names);
  g_free (self->points);
  G_OBJECT_CLASS (gst_moct_parent_class)->finalize (object);
}

static void
gst_moct_class_init (GstMoctClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstVisionFilterClass *filter = GST_VISION_FILTER_CLASS (klass);

  object->finalize = gst_moct_finalize;
  gst_vision_properties_install (object, properties);
  /**
   * GstMoct::learn:
   * @name: of the colour: a new one, or one that is learned anew
   * @x: left side of the region in the next frame, pixels
   * @y: upper side
   * @width: of the region, at least 1
   * @height: of the region, at least 1
   *
   * Learns a colour from a region of the next frame.  The numbers it finds can
   * then be read from "objects".
   *
   * Returns: FALSE where the name or the region cannot be used.
   */
  signals[SIGNAL_LEARN] = g_signal_new_class_handler ("learn",
      G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (gst_moct_learn), NULL, NULL, NULL, G_TYPE_BOOLEAN, 5,
      G_TYPE_STRING, G_TYPE_INT, G_TYPE_INT, G_TYPE_INT, G_TYPE_INT);

  gst_vision_filter_class_add_pads (filter, FORMATS);
  gst_element_class_set_static_metadata (element, "Chromatic tracker",
      "Filter/Analyzer/Video",
      "Finds and follows objects of many named colours in one pass",
      "The gst-vision authors");

  filter->open = gst_moct_open;
  filter->process = gst_moct_process;
  filter->close = gst_moct_close;
  filter->reset = gst_moct_reset;
  filter->start = gst_moct_start;
  filter->end = gst_moct_end;
  filter->point = gst_moct_point;
}

static void
gst_moct_init (GstMoct *self)
{
  self->colours = g_new0 (GstMoctColours, 1);
  self->params = moct_defaults ();
  gst_vision_common (self)->less_memory =
      "a smaller history-length or label-map=false";
  gst_vision_properties_init (self, properties);
}
