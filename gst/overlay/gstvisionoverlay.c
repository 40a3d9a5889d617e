/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-visionoverlay
 * @title: visionoverlay
 * @see_also: moct, visionmap, visionjson
 *
 * Draws what vision elements found into the frames: boxes, names, numbers,
 * centroids, axes, silhouettes, poses, and trails that fade within
 * #GstVisionOverlay:trail-time.  Frames in CUDA
 * memory are drawn on by the GPU, those in system memory by the CPU, with the
 * same picture.  Sizes follow the frame's unless #GstVisionOverlay:line-width
 * and #GstVisionOverlay:font-size say otherwise.
 *
 * Behind several elements, #GstVisionOverlay:elements,
 * #GstVisionOverlay:sources, #GstVisionOverlay:labels and
 * #GstVisionOverlay:states choose what is drawn.  An object that two of them
 * found is drawn once (#GstVisionOverlay:merge).  Rejected candidates are drawn
 * only where `states` says so, with the reason in words; an object that is lost
 * never is.
 *
 * A label that is the name of a colour is drawn in it, any other in one of
 * sixteen colours that stay the same; objects without a label are told apart by
 * the colour of their id.  #GstVisionOverlay:color-by=id tells apart those of
 * one label, and their trails; #GstVisionOverlay:color-by=element says which
 * element found them.  The box of an object that is occluded is dashed, that of
 * a rejected one grey.
 *
 * A trail is interrupted where its object was not seen for some frames, or
 * jumped.  `show=rate+legend` writes the frame rate and what the colours stand
 * for into a corner.
 *
 * #GstVisionOverlay:image is put into the box of each object and moves with
 * it.  #GstVisionOverlay:map shows a map in colours over the frame: from indigo
 * for little to red for much, or, of a map of labels, a colour for each: that
 * of the objects of this label where the map has its name, as moct's has.  A
 * map of three numbers a pixel, such as rendered and normals, has its own
 * colours: red, green and blue, for normals x, y and z from -1 to 1.
 *
 * Of objects and outlines that would take seconds to draw, as foreign metadata
 * may have them, a part is left out.  A warning says so, and the field
 * `left-out` of `stats` counts what was left out since the start.
 *
 * ## Troubleshooting
 *
 * - Nothing is drawn: it must stand behind the element that finds, without an
 *   encoder or a network between them, which results do not pass.  `visionjson`
 *   in its place shows whether they arrive.
 * - Some objects are missing: `states`, `elements`, `sources` or `labels` leave
 *   them out, or another element found them, too (`merge=false` draws both).
 * - Text is too small, or lines are too thin, in a window that shows the frame
 *   smaller: `font-size`, `line-width`, or `videoscale` in front of it.
 * - `map` shows nothing: most maps must be asked for, such as moct's by
 *   `label-map=true`.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 visiontestsrc num-buffers=30 ! moct
 * objects="red:#d83a34~26;green:#3aa848~26" ! visionoverlay ! videoconvert !
 * fakesink
 * ]|
 * Boxes, names and trails of two objects.
 * |[
 * gst-launch-1.0 visiontestsrc num-buffers=30 ! moct objects="red:#d83a34~26" !
 * visionoverlay show=box+trail+score show-truth=true ! fakesink
 * ]|
 * Boxes and trails, and where the object truly is.
 * |[
 * gst-launch-1.0 visiontestsrc pattern=rgbd num-buffers=30 ! gpuccl !
 * visionmap kind=correspondence ! visionoverlay
 * states=new+accepted+rejected show=box+label+legend ! fakesink
 * ]|
 * What gpuccl takes for a moving object, what it does not, and why.
 *
 * Since: 0.1
 */
#include "base/gstvisionfilter.h"
#include "base/gstvisionproperties.h"
#include "overlay/gstvisionmapview.h"
#include "overlay/gstvisionmarks.h"
#include "overlay/gstvisionpicture.h"
#include "base/gstvisiontell.h"

#define GST_TYPE_VISION_OVERLAY (gst_vision_overlay_get_type ())
G_DECLARE_FINAL_TYPE (
    GstVisionOverlay, gst_vision_overlay, GST, VISION_OVERLAY, GstVisionFilter)

struct _GstVisionOverlay {
  GstVisionFilter parent;

  const Device *device;
  Overlay *overlay;
  OverlayList *list;
  GstVisionMarks marks;
  GstVisionLook now;      /* the look of this frame */
  gboolean warned_of_map; /* the newest frame's map could not be shown */
  gint64 told_of_map;     /* time of the newest warning of such a map */
  gint64 told_left_out;   /* time of the newest warning of marks left out */
  guint64 n_left_out;     /* marks left out since the start */

  /* under the object lock */
  GstVisionLook look;
  gboolean image_is_new;
};

G_DEFINE_TYPE (GstVisionOverlay, gst_vision_overlay, GST_TYPE_VISION_FILTER)
GST_ELEMENT_REGISTER_DEFINE (
    visionoverlay, "visionoverlay", GST_RANK_NONE, GST_TYPE_VISION_OVERLAY)

/* Reads the image of the property; warns if the file cannot be read. */
static const char *
load_image (GstVisionOverlay *self)
{
  GstVisionPicture picture;
  const gchar *location = self->now.image, *why;
  const char *err;

  self->marks.image_width = self->marks.image_height = 0;
  if (!location)
    return NULL;
  why = gst_vision_picture_load (&picture, location);
  if (why) {
    GST_VISION_WARNING (self, RESOURCE, OPEN_READ,
        ("The image \"%s\" cannot be read: %s. Set image to a PNG file; until "
         "then, objects are drawn without it.",
            location, why));
    return NULL;
  }
  err = overlay_set_image (self->overlay, picture.rgba, picture.width,
      picture.height, 4 * picture.width);
  if (!err) {
    self->marks.image_width = picture.width;
    self->marks.image_height = picture.height;
  }
  gst_vision_picture_clear (&picture);
  return err;
}

/* Adds the map of the property map to the list.  The caller ends @view. */
static void
add_map (GstVisionOverlay *self, GstBuffer *buffer, GstVisionMapView *view)
{
  GstObject *context = gst_vision_common (self)->backend.context;
  const gchar *kind = self->now.map;
  GstVisionMap map;
  OverlayMap shown;
  const char *why = "the buffer has none";

  if (!kind)
    return;
  if (gst_buffer_find_vision_map (
          buffer, GST_VISION_ORIGIN_RESULT, kind, &map) ||
      gst_buffer_find_vision_map (buffer, GST_VISION_ORIGIN_TRUTH, kind, &map))
    why = gst_vision_map_view_begin (view, self->device, context, &map, &shown);
  if (!why) {
    shown.opacity = 255 * self->now.opacity + .5;
    if (self->now.color_by == GST_VISION_COLOR_BY_LABEL)
      gst_vision_map_view_name (view, &map, &self->marks.colours, &shown);
    gst_vision_map_view_set_range (
        &map, self->now.map_low, self->now.map_high, &shown);
    why = overlay_map (self->list, &shown);
  }
  if (why && !self->warned_of_map &&
      gst_vision_warning_is_due (&self->told_of_map))
    GST_VISION_WARNING (self, STREAM, FORMAT,
        ("The map \"%s\" cannot be shown: %s. Set map to a kind that an "
         "element before this one makes.",
            kind, why));
  self->warned_of_map = why != NULL;
}

/* Copies the properties to self->now; TRUE if the image has changed. */
static gboolean
take_look_of_properties (GstVisionOverlay *self)
{
  gboolean image_is_new;

  gst_vision_look_clear (&self->now);
  GST_OBJECT_LOCK (self);
  gst_vision_look_copy (&self->look, &self->now);
  image_is_new = self->image_is_new;
  self->image_is_new = FALSE;
  GST_OBJECT_UNLOCK (self);
  return image_is_new;
}

/* Counts what of this frame's marks is left out, and warns of it. */
static void
count_left_out (GstVisionOverlay *self)
{
  guint objects = self->marks.n_left_out;
  guint shapes = (guint) overlay_left_out (self->list);

  if (!objects && !shapes)
    return;
  self->n_left_out += objects + shapes;
  gst_vision_common_set_stat (
      gst_vision_common (self), "left-out", (gdouble) self->n_left_out);
  if (gst_vision_warning_is_due (&self->told_left_out))
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("There is too much to draw in a frame: %u objects, and %u lines, "
         "boxes or names of others, are left out.",
            objects, shapes),
        ("Choose what is drawn by show, elements, sources, labels or states. "
         "stats counts all as left-out."));
}

static const char *
visionoverlay_process (
    GstVisionFilter *filter, const Image *frame, GstBuffer *buffer)
{
  GstVisionOverlay *self = GST_VISION_OVERLAY (filter);
  GstVisionMarks *marks = &self->marks;
  GstVisionMapView view = {0};
  const char *err;

  if (take_look_of_properties (self))
    TRY (load_image (self));
  overlay_list_clear (self->list, frame->width, frame->height);
  gst_vision_marks_begin (
      marks, self->list, &self->now, frame->width, frame->height);
  add_map (self, buffer, &view);
  gst_vision_marks_draw (marks, buffer);

  err = gst_vision_glyphs_upload (marks->glyphs, self->overlay);
  if (!err)
    err = overlay_draw (self->overlay, frame, self->list);
  /* A GPU may still read the map, whose buffer lives until the parent has
   * waited for the GPU and the frame goes on. */
  gst_vision_map_view_end (&view);
  count_left_out (self);
  return err;
}

static const char *
visionoverlay_open (
    GstVisionFilter *filter, const Device *device, const GstVideoInfo *info)
{
  GstVisionOverlay *self = GST_VISION_OVERLAY (filter);

  (void) info;
  self->device = device;
  self->warned_of_map = FALSE;
  self->told_of_map = 0;
  GST_OBJECT_LOCK (self);
  self->image_is_new = TRUE;
  GST_OBJECT_UNLOCK (self);
  TRY (overlay_list_new (&self->list));
  return overlay_new (&self->overlay, device);
}

static void
visionoverlay_close (GstVisionFilter *filter)
{
  GstVisionOverlay *self = GST_VISION_OVERLAY (filter);

  g_clear_pointer (&self->overlay, overlay_free);
  g_clear_pointer (&self->list, overlay_list_free);
  /* A new Overlay has no atlas, so the glyphs are rendered anew. */
  g_clear_pointer (&self->marks.glyphs, gst_vision_glyphs_free);
}

/* To be called at a flush and at a stop. */
static void
visionoverlay_reset (GstVisionFilter *filter)
{
  gst_vision_trails_clear (GST_VISION_OVERLAY (filter)->marks.trails);
}

static void
look_changed (GstElement *element, const Param *param)
{
  GST_OBJECT_LOCK (element);
  if (param->at == offsetof (GstVisionLook, image))
    GST_VISION_OVERLAY (element)->image_is_new = TRUE;
  GST_OBJECT_UNLOCK (element);
}

#define ROWS_OF GstVisionOverlay
static const GstVisionProperty properties[] = {
    PARAMS (gst_vision_look_params, look, .changed = look_changed),
    {.params = NULL}};

/* Refuses an image that cannot be read.  If a file that is set later cannot be
 * read, the stream goes on. */
static gboolean
visionoverlay_start (GstVisionFilter *filter)
{
  GstVisionOverlay *self = GST_VISION_OVERLAY (filter);
  GstVisionPicture picture;
  const gchar *why = NULL;
  gchar *location = GST_VISION_LOCKED (self, g_strdup (self->look.image));

  self->n_left_out = 0;
  self->told_left_out = 0;
  if (location && *location)
    why = gst_vision_picture_load (&picture, location);
  if (why)
    GST_VISION_ERROR (self, RESOURCE, OPEN_READ,
        ("image cannot be used: \"%s\" cannot be read: %s. Set it to a PNG "
         "file.",
            location, why));
  else if (location && *location)
    gst_vision_picture_clear (&picture);
  g_free (location);
  return !why;
}

static void
visionoverlay_finalize (GObject *object)
{
  GstVisionOverlay *self = GST_VISION_OVERLAY (object);

  gst_vision_look_clear (&self->now);
  gst_vision_marks_clear (&self->marks);
  G_OBJECT_CLASS (gst_vision_overlay_parent_class)->finalize (object);
}

static void
gst_vision_overlay_class_init (GstVisionOverlayClass *klass)
{
  GObjectClass *object = G_OBJECT_CLASS (klass);
  GstVisionFilterClass *filter = GST_VISION_FILTER_CLASS (klass);

  object->finalize = visionoverlay_finalize;
  gst_vision_properties_install (object, properties);

  filter->use = GST_VISION_FRAME_WRITE | GST_VISION_FRAME_STAY;
  filter->open = visionoverlay_open;
  filter->process = visionoverlay_process;
  filter->close = visionoverlay_close;
  filter->reset = visionoverlay_reset;
  filter->start = visionoverlay_start;
  filter->stop = visionoverlay_reset;
  gst_vision_filter_class_add_pads (filter,
      "{ NV12, I420, RGBA, BGRA, RGBx, BGRx, RGB, BGR, YUY2, P010_10LE, "
      "GRAY8, GRAY16_LE }");
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass),
      "Vision overlay", "Filter/Effect/Video",
      "Draws what vision elements found into the frames",
      "The gst-vision authors");
}

static void
gst_vision_overlay_init (GstVisionOverlay *self)
{
  gst_vision_common (self)->less_memory = "a smaller image";
  gst_vision_properties_init (self, properties);
  gst_vision_marks_init (&self->marks);
}
