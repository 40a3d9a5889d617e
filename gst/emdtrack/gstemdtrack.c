/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-emdtrack
 * @title: emdtrack
 * @see_also: envisrc, visionoverlay, visionmap, visionjson
 *
 * Follows targets by the exact earth mover's distance (EMD) between histograms,
 * in grey, colour and multispectral video, and gives that distance at every
 * pixel as a map.  Up to eight #GstEmdtrack:targets are chosen by boxes, files,
 * or regions of interest from upstream (#GstEmdtrack:target-meta), at any time;
 * a new choice replaces all targets.  Each target is a VisionObject with box,
 * velocity, distance (0 alike, 1 nothing in common), score, and ratio: this
 * distance by that of the next best place.  A target is tracking, occluded
 * while it is not seen, lost after #GstEmdtrack:lose-frames of that, and found
 * in the first frames in which it is seen again.  A lost target is looked for
 * in the whole frame.  What looked like it elsewhere while it was seen is not
 * taken for it, nor is one of two places that look alike, one that it cannot
 * have reached at #GstEmdtrack:search pixels a frame, or one of another size.
 * After a seek, and where frames get another size, all targets are lost at
 * first.
 *
 * A target's file is a PNG picture of it, or a text with its histogram.  The
 * target has the size of the picture unless another is given, and is first
 * looked for in the whole frame.  For frames of several channels the picture is
 * grey, and holds the channels as the frames do.  A text holds the numbers of a
 * histogram with histogram=intensity (#GstEmdtrack:bins of them), or of a
 * spectrum with channels: none negative, of any sum, between blanks, commas or
 * semicolons; lines that begin with # are comments.  Files are read when
 * #GstEmdtrack:targets is set, and again where the element starts.
 *
 * With #GstEmdtrack:histogram=codebook the colours or spectra around the
 * targets are sorted into #GstEmdtrack:bins kinds when they are chosen, and
 * histograms count kinds; with intensity they count grey values; with channels
 * a pixel's own spectrum is its histogram, and targets are followed over a
 * codebook of spectra.  With #GstEmdtrack:emd-map a buffer has a map of kind
 * `emd` for each target, in the order of the objects: the distance of what is
 * around each pixel from the target, in units of the ground distance.
 * #GstEmdtrack:output=map makes the first one the video.
 * #GstEmdtrack:region limits the map to a part of the frame, and the work with
 * it; outside of it the map has no value, and the video is white.
 *
 * A map is low where it is near to the target.  The mask of what looks like the
 * target is therefore where it is below a threshold: raw values below 0.2 times
 * the largest one for #GstEmdtrack:detect=0.2.  Each connected part of that
 * mask is a place: it becomes a VisionObject behind those of the targets, with
 * the target's name, the state `found`, no id, the box, centroid and area of
 * its pixels, and the least of their distances (0 alike, 1 the maximum ground
 * distance, as #GstEmdtrack:saturation limits it).  A pixel stands for the
 * window around it, so the box is that of the windows' middles, and things less
 * than a window apart may be one place.  Other elements take as a mask what is
 * bright: make it of the map by what is below the threshold, not above.
 *
 * #GstEmdtrack:stats then counts how the pixels of the newest frame were
 * solved: emd-unchanged, by the histogram they had before; emd-closed, by a
 * closed form; emd-equal, by another pixel's histogram, on a GPU; emd-own,
 * emd-neighbour and emd-table, by a stored spanning tree of the pixel, of a
 * neighbour, of the table; emd-simplex, after emd-pivots new pivots;
 * emd-fallback, by the paper's simplex; with #GstEmdtrack:solver=paper, and by
 * default on a GPU, emd-cached, by an earlier frame's value, and emd-distinct
 * problems by the simplex.  Of the trees, emd-trees are stored, emd-unstored
 * found no room, emd-evicted had to go.  emd-places counts all places.
 *
 * 16-bit PNG comes as GRAY16_BE: put videoconvert between pngdec and emdtrack.
 *
 * Frames of several channels are grey.  The caps fields channels,
 * channel-layout (stacked: one channel below the other; mosaic), mosaic-pattern
 * ("4x4") and wavelengths say how to read them; #envisrc and #visiontestsrc set
 * these.  For other sources there are #GstEmdtrack:channels,
 * #GstEmdtrack:channel-layout and #GstEmdtrack:mosaic-pattern.  Where channels
 * are stacked, boxes are in pixels of one channel; a map always has the size of
 * one channel.
 *
 * With #GstEmdtrack:mouse, what the user draws a box around in the window of
 * the sink is the target.
 *
 * Maps lie where the element works: in CUDA memory on a GPU.  The video of
 * output=map lies in system memory.
 *
 * ## What it is for
 *
 * One thing, or up to eight, that somebody points at: in grey, in colour, and
 * above all in multispectral video, where a target differs from its
 * surroundings in its spectrum and in nothing an eye sees. It says when it does
 * not see the target, and finds it again.
 *
 * ## When something else is better
 *
 * - Targets with a clear shape among others of the same colours: trackers of
 *   shape, such as OpenCV's CSRT, place them better.
 * - Everything of a kind, without pointing: #moct for colours, a trained
 *   detector else.
 * - Boxes that must fit to the pixel: sizes are good to a tenth.
 *
 * ## Troubleshooting
 *
 * - It drifts to something else: the box holds too much ground. Draw it
 *   inside of the target; take more `bins`, or a smaller `search`.
 * - It is lost although it is seen: light has changed (`normalise-gain`), or
 *   it is faster than `search` pixels a frame.
 * - A grey target: `histogram`=intensity.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 visiontestsrc num-buffers=60 ! emdtrack
 * targets="it:300,200,60,60" ! visionjson ! fakesink
 * gst-launch-1.0 visiontestsrc pattern=multispectral num-buffers=30 ! emdtrack
 * targets="it:300,200,40,40" ! visionjson ! fakesink
 * gst-launch-1.0 visiontestsrc ! emdtrack targets="it:300,200,60,60"
 * emd-map=true ! visionoverlay map=emd ! videoconvert ! autovideosink
 * ]|
 * Follows what is in a box of the first frame.
 *
 * Since: 0.1
 */
#include <float.h>
#include <math.h>

#include "emdtrack/gstemdtrack.h"

GST_DEBUG_CATEGORY_STATIC (emdtrack_debug);
#define GST_CAT_DEFAULT emdtrack_debug

#define FORMATS \
 "{ NV12, I420, P010_10LE, YUY2, RGBA, BGRA, RGBx, BGRx, RGB, BGR, GRAY8, " \
 "GRAY16_LE }"

G_DEFINE_TYPE_WITH_CODE (GstEmdtrack, gst_emdtrack, GST_TYPE_VISION_FILTER,
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_vision_preset_init));
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (emdtrack, "emdtrack", GST_RANK_NONE,
    GST_TYPE_EMDTRACK,
    GST_DEBUG_CATEGORY_INIT (
        emdtrack_debug, "emdtrack", 0, "earth mover's distance and tracking"));

/* ---- Properties of the element, and the places of the algorithm's own ---- */

CHOICES (distances,
    {GST_EMDTRACK_DISTANCE_AUTO, "auto",
        "Euclidean for a codebook, else a line"},
    {GST_EMDTRACK_DISTANCE_LINE, "line",
        "Bins lie on a line, 1 apart, or at the caps' wavelengths"},
    {GST_EMDTRACK_DISTANCE_CIRCLE, "circle",
        "Bins lie on a circle, and the shorter way round counts"},
    {GST_EMDTRACK_DISTANCE_EUCLIDEAN, "euclidean",
        "Euclidean distance between the entries of the codebook: of colours in "
        "Lab (Delta E), of spectra that are scaled to a sum of 255"},
    {GST_EMDTRACK_DISTANCE_FILE, "file", "As distance-file says"});

CHOICES (layouts,
    {GST_EMDTRACK_LAYOUT_CAPS, "caps",
        "As the caps state, else a frame is one channel"},
    {GST_EMDTRACK_LAYOUT_MOSAIC, "mosaic",
        "Tiles with one pixel for each channel"},
    {GST_EMDTRACK_LAYOUT_STACKED, "stacked", "Channels below each other"});

CHOICES (outputs,
    {GST_EMDTRACK_OUTPUT_VIDEO, "video", "The frames as they came"},
    {GST_EMDTRACK_OUTPUT_MAP, "map",
        "The map of the first target in GRAY16_LE: black at distance 0, white "
        "at the maximum ground distance, and white without a target"});

/* Lets the next frame with upstream regions of interest add them as targets. */
static void
await_regions (GstElement *element, const Param *param)
{
  GstEmdtrack *self = GST_EMDTRACK (element);

  (void) param;
  GST_OBJECT_LOCK (self);
  self->meta_pending = self->target_meta != NULL;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
read_emdtrack_region (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  return gst_vision_properties_take_box (element, text,
      emdtrack_defaults ().region, &GST_EMDTRACK (owner)->params.region, error);
}

#define ROWS_OF GstEmdtrack
static const GstVisionProperty properties[] = {
    PARSED (gst_emdtrack_read_targets, STRING, targets,
        "The targets, up to 8, separated by semicolons: "
        "NAME:roi=x,y,width,height is a box of the next frame, in pixels (of "
        "one channel if channels are stacked); with @SECONDS behind it, of the "
        "frame at this time of the stream, and all targets are taken at the "
        "latest of their times; NAME:file=PATH or "
        "NAME:width,height,file=PATH is the content of a picture or histogram. "
        "NAME: and roi= may be left out. Setting the property replaces all "
        "targets"),
    SWITCH (mouse, FALSE,
        "Track what the user clicks or draws a box around in the window of a "
        "sink, in place of all targets"),
    FOLLOWED (await_regions, STRING, target_meta,
        "Upstream regions of interest of this type become targets, too: those "
        "of the next frame that has any, in place of the targets of earlier "
        "frames; set it again to take others"),
    STOPPED (STRING, mosaic_pattern,
        "Width x height of the mosaic's tile, such as 5x3, if the caps do not "
        "state it (empty = a square)"),
    STOPPED (STRING, distance_file,
        "Text file of bins x bins numbers, symmetric and not negative, for "
        "ground-distance=file; lines that begin with # are comments"),
    STOPPED (ONE_OF, distance, distances, GST_EMDTRACK_DISTANCE_AUTO,
        "Ground distance between two bins", .name = "ground-distance",
        .kind = "Distance"),
    NUMBER (saturation, -1, DBL_MAX, -1,
        "Maximum ground distance; greater ones count as this (0 = no limit; -1 "
        "= 15 between colours and 30 between spectra of a codebook, else no "
        "limit)"),
    PARAMS (emdtrack_params, params),
    STOPPED (NUMBER, channels, 0, EMDTRACK_BINS, 0,
        "Channels of a grey frame, unless the caps tell (0 = by the layout)"),
    STOPPED (ONE_OF, layout, layouts, GST_EMDTRACK_LAYOUT_CAPS,
        "Arrangement of a grey frame's channels, if the caps do not state it",
        .name = "channel-layout", .kind = "Layout"),
    PARAMS (emdtrack_track_params, track),
    SWITCH (normalise_gain, FALSE,
        "For codebooks of colours: compensate for changes of the frame's mean "
        "brightness since the targets were chosen"),
    STOPPED (TITLED, "EMD map", SWITCH, emd_map, FALSE,
        "Attach a map of kind emd for each target"),
    NUMBER (detect, 0, 1, 0,
        "Report each place of the map whose distance from a target is less "
        "than this, a part of the maximum ground distance (0 = no places)"),
    NUMBER (max_objects, 1, EMDTRACK_MATCHES, 64,
        "Report at most this many places of each target, the largest"),
    PARSED (read_emdtrack_region, STRING, region,
        "Compute the map, and find places, in this part of the frame only: "
        "x,y,width,height in pixels (of one channel if channels are stacked; "
        "empty = the whole frame)"),
    STOPPED (ONE_OF, output, outputs, GST_EMDTRACK_OUTPUT_VIDEO,
        "What the video shows"),
    {.params = NULL}};

/* ---- Frames ---- */

static const char *
gst_emdtrack_open (
    GstVisionFilter *filter, const Device *device, const GstVideoInfo *info)
{
  GstEmdtrack *self = GST_EMDTRACK (filter);
  gboolean emd_map = GST_VISION_LOCKED (self, self->emd_map);
  GstEmdtrackParams p;

  (void) info;
  self->last_time = GST_CLOCK_TIME_NONE;
  TRY (emdtrack_new (&self->emdtrack, device, self->width, self->height));
  if (!self->tracker)
    TRY (emdtrack_tracker_new (&self->tracker));
  TRY (gst_emdtrack_get_params (self, &p));
  TRY (gst_emdtrack_lose_targets (self, &p.follow));
  return emd_map ? gst_vision_pixels_open (&self->pixels,
                       &gst_vision_common (filter)->backend,
                       &(GstVisionMap){.element = "emdtrack",
                           .kind = "emd",
                           .format = "u16",
                           .channels = 1,
                           .width = self->width,
                           .height = self->height,
                           .invalid = EMDTRACK_NO_VALUE})
                 : NULL;
}

static void
gst_emdtrack_close (GstVisionFilter *filter)
{
  GstEmdtrack *self = GST_EMDTRACK (filter);

  gst_vision_pixels_close (&self->pixels);
  g_clear_pointer (&self->emdtrack, emdtrack_free);
}

static void
gst_emdtrack_reset (GstVisionFilter *filter)
{
  GstEmdtrack *self = GST_EMDTRACK (filter);
  GstEmdtrackParams p;

  if (gst_emdtrack_get_params (self, &p) ||
      gst_emdtrack_lose_targets (self, &p.follow))
    gst_emdtrack_drop_targets (self);
  self->last_time = GST_CLOCK_TIME_NONE;
}

static void
warn_of_no_targets (GstEmdtrack *self)
{
  if (self->warned ||
      GST_VISION_LOCKED (self, self->target_meta || self->pending))
    return;
  self->warned = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("There are no targets to follow. Set \"targets\", for example to "
       "\"ball:100,80,40,40\", or \"target-meta\"."),
      ("Frames pass unchanged until then."));
}

/* Compensates for a change of the frame's mean brightness by a gain.  The gain
 * is limited, since a frame may be dark but for one pixel. */
static const char *
set_frame_gain (
    GstEmdtrack *self, GstEmdtrackParams *p, const EmdtrackFrame *frame)
{
  gdouble now;

  if (!p->normalise_gain || frame->layout != EMDTRACK_PLAIN ||
      p->follow.histogram != EMDTRACK_CODEBOOK)
    return NULL;
  TRY (emdtrack_brightness (self->emdtrack, &p->follow, frame, &now));
  if (now > 0 && self->brightness > 0)
    p->map.gain = p->follow.gain =
        MIN (self->brightness / now, EMDTRACK_MAX_GAIN);
  return NULL;
}

static const char *
follow_targets (GstEmdtrack *self, GstEmdtrackParams *p)
{
  const EmdtrackTrack *tracks;
  int n;

  TRY (emdtrack_tracker_run (
      self->tracker, self->emdtrack, &p->follow, &p->track, &tracks, &n));
  for (int k = 0; k < n; k++)
    self->target[k].track = tracks[k];
  return NULL;
}

static const char *
make_maps (GstEmdtrack *self, GstEmdtrackParams *p, const EmdtrackFrame *frame,
    GstBuffer *buffer)
{
  gboolean spectra = p->map.histogram == EMDTRACK_CHANNELS;
  EmdtrackResults results;

  p->map.n_targets = (int) self->n_targets;
  for (guint k = 0; k < self->n_targets; k++)
    p->map.targets[k] =
        spectra ? self->target[k].spectrum : self->target[k].track.target;
  TRY (emdtrack_run (self->emdtrack, &p->map, frame, &results));
  gst_emdtrack_count (self, &results.counts);
  if (self->shows_map)
    TRY (gst_emdtrack_make_picture (self, &results));
  if (p->detect > 0)
    TRY (gst_emdtrack_detect (self, p, &results));
  return self->pixels.pool ? gst_emdtrack_attach_maps (self, &results, buffer)
                           : NULL;
}

/* Follows the targets and makes the maps.  The frame of targets that @are_new
 * has been indexed; they are followed first, since the map needs the histograms
 * that the tracker then gives. */
static const char *
track_and_map (GstEmdtrack *self, GstEmdtrackParams *p,
    const EmdtrackFrame *frame, gboolean are_new, GstBuffer *buffer)
{
  gboolean map = self->pixels.pool || self->shows_map || p->detect > 0;

  if (are_new)
    TRY (follow_targets (self, p));
  if (map)
    TRY (make_maps (self, p, frame, buffer));
  if (are_new)
    return NULL;
  if (!map || p->map.histogram == EMDTRACK_CHANNELS)
    TRY (emdtrack_index (self->emdtrack, &p->follow, frame));
  return follow_targets (self, p);
}

static const char *
gst_emdtrack_process (
    GstVisionFilter *filter, const Image *image, GstBuffer *buffer)
{
  GstEmdtrack *self = GST_EMDTRACK (filter);
  EmdtrackFrame frame = self->frame;
  GstEmdtrackParams p;
  const char *fault = gst_emdtrack_get_params (self, &p);
  gboolean are_new;

  if (fault) {
    gst_vision_common_fault (gst_vision_common (filter), fault);
    return NULL;
  }
  frame.image = *image;
  g_array_set_size (self->found, 0);
  TRY (gst_emdtrack_take_targets (self, &p, &frame, buffer, &are_new));
  if (self->n_targets) {
    TRY (set_frame_gain (self, &p, &frame));
    TRY (track_and_map (self, &p, &frame, are_new, buffer));
  } else {
    warn_of_no_targets (self);
  }
  return gst_emdtrack_attach_objects (self, buffer);
}

/* A click chooses a square whose side is the frame's width / CLICK_PART. */
#define CLICK_PART 10
#define CLICK_MIN 8 /* pixels */

/* Makes the empty box of a click a square of @side pixels around it. */
static void
widen_click (GstVideoRectangle *box, gint side)
{
  if (box->w || box->h)
    return;
  box->x = MAX (0, box->x - side / 2);
  box->y = MAX (0, box->y - side / 2);
  box->w = box->h = side;
}

static void
gst_emdtrack_point (GstVisionFilter *filter, GstVideoRectangle *box,
    GstNavigationModifierType keys)
{
  GstEmdtrack *self = GST_EMDTRACK (filter);
  GstCaps *caps =
      gst_pad_get_current_caps (GST_BASE_TRANSFORM (filter)->sinkpad);
  gint width = 0;
  gchar *targets;

  (void) keys;
  if (caps)
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "width", &width);
  gst_clear_caps (&caps);
  widen_click (box, MAX (CLICK_MIN, width / CLICK_PART));
  targets = g_strdup_printf (
      "%d,%d,%d,%d", box->x, box->y, MAX (box->w, 1), MAX (box->h, 1));
  if (GST_VISION_LOCKED (self, self->mouse))
    g_object_set (self, "targets", targets, NULL);
  g_free (targets);
}

static gboolean
gst_emdtrack_set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out)
{
  GstVisionFilter *filter = GST_VISION_FILTER (trans);
  GstEmdtrack *self = GST_EMDTRACK (trans);
  const char *err;
  GstVideoInfo info;

  if (gst_video_info_from_caps (&info, in)) {
    err = gst_emdtrack_set_frame (self, in, &info);
    if (!err)
      err = gst_emdtrack_settle_output (self, in, out);
    if (gst_vision_common_refused (gst_vision_common (filter), err))
      return FALSE;
  }
  return GST_BASE_TRANSFORM_CLASS (gst_emdtrack_parent_class)
      ->set_caps (trans, in, out);
}

static gboolean
gst_emdtrack_start (GstVisionFilter *filter)
{
  GstEmdtrack *self = GST_EMDTRACK (filter);

  self->warned = self->told = FALSE;
  gst_emdtrack_drop_targets (self);
  return gst_emdtrack_choose_again (self, TRUE);
}

static void
gst_emdtrack_finalize (GObject *object)
{
  GstEmdtrack *self = GST_EMDTRACK (object);

  gst_clear_buffer (&self->picture);
  emdtrack_tracker_free (self->tracker);
  g_free (self->wrong);
  g_array_unref (self->found);
  g_clear_pointer (&self->pending, gst_emdtrack_choices_free);
  G_OBJECT_CLASS (gst_emdtrack_parent_class)->finalize (object);
}

static void
gst_emdtrack_class_init (GstEmdtrackClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans = GST_BASE_TRANSFORM_CLASS (klass);
  GstVisionFilterClass *filter = GST_VISION_FILTER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_emdtrack_finalize;
  gst_vision_properties_install (G_OBJECT_CLASS (klass), properties);
  gst_vision_filter_class_add_pads (filter, FORMATS);
  gst_element_class_set_static_metadata (element,
      "Earth mover's distance tracker", "Filter/Analyzer/Video",
      "Follows targets by the exact earth mover's distance of histograms, in "
      "grey, colour and multispectral video",
      "The gst-vision authors");

  gst_emdtrack_install_output (trans);
  trans->set_caps = gst_emdtrack_set_caps;
  filter->open = gst_emdtrack_open;
  filter->process = gst_emdtrack_process;
  filter->close = gst_emdtrack_close;
  filter->reset = gst_emdtrack_reset;
  filter->start = gst_emdtrack_start;
  filter->end = gst_emdtrack_end;
  filter->point = gst_emdtrack_point;
}

static void
gst_emdtrack_init (GstEmdtrack *self)
{
  self->params = emdtrack_defaults ();
  self->found = g_array_new (FALSE, FALSE, sizeof (GstEmdtrackFound));
  gst_vision_common (self)->less_memory =
      "fewer targets or a smaller cache-bits";
  gst_vision_properties_init (self, properties);
}
