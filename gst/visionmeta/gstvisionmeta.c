/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-visionmeta
 * @title: visionmeta
 * @see_also: visionjson, visionoverlay
 *
 * Attaches the objects of vision elements in the forms that other elements
 * read, in pixels of the current frame: #GstVideoRegionOfInterestMeta and,
 * where the library was built with it, GstAnalytics.  Many elements drop these
 * metas, or leave them as they were although the pixels move; results follow
 * the pixels, so visionmeta behind such elements puts the boxes where they
 * belong.
 *
 * From GStreamer 1.24 on, detectors such as those behind onnxinference give
 * their results as GstAnalytics alone.  Behind them, visionmeta makes regions
 * of interest of their object detections, which #moct (`roi=meta`), #emdtrack
 * (`target-meta`) and #pocstereo read.
 *
 * With #GstVisionMeta:read-foreign, object detections and regions of interest
 * of other elements become objects, which #visionjson writes, #visionoverlay
 * draws and Python reads as those of this suite. Their label is the type of the
 * detection; they keep the id of its tracking, and a turned one (GStreamer
 * 1.26) its axes and its corners as outline. Detections without a type are left
 * out, and those of a type that an object of this suite has.
 *
 * It can also attach the camera that took the frames:
 * #GstVisionMeta:intrinsics is in pixels of the frames that pass, and
 * #GstVisionMeta:baseline in metres.
 *
 * ## What it is for
 *
 * Elements of other plug-ins that read regions of interest or GstAnalytics, and
 * footage whose camera no element knows.
 *
 * ## When something else is better
 *
 * - Elements of this suite read each other's results without it.
 * - The cameras of a stereo pair, or a file of calibration: `intrinsics` and
 *   `calibration` of #pocstereo.
 *
 * ## Troubleshooting
 *
 * - A warning says that results are dropped: an element in front of visionmeta
 *   moves pixels and does not say how, such as those that distort frames. Put
 *   it in front of the elements that find.
 * - There is no GstAnalytics: the library was built with a GStreamer older than
 *   1.24.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 visiontestsrc num-buffers=30 ! moct objects='red:#ff0000~30' !
 * videoscale ! video/x-raw,width=160,height=120 ! visionmeta ! fakesink
 * gst-launch-1.0 videotestsrc num-buffers=30 ! visionmeta
 * intrinsics=525,525,159.5,119.5 baseline=0.12 ! fakesink
 * ]|
 *
 * Since: 0.1
 */
#include <gst/base/gstbasetransform.h>

#include <math.h>

#include "base/gstvisionproperties.h"
#include "meta/gstvisionmeta.h"

#define GST_TYPE_VISION_META (gst_vision_meta_get_type ())
G_DECLARE_FINAL_TYPE (
    GstVisionMeta, gst_vision_meta, GST, VISION_META, GstBaseTransform)

struct _GstVisionMeta {
  GstBaseTransform parent;

  GstVideoInfo info; /* only its size is set */

  /* under the object lock */
  gchar *intrinsics; /* NULL: no camera is attached */
  GstVisionCamera camera;
  bool read_foreign;
};

G_DEFINE_TYPE (GstVisionMeta, gst_vision_meta, GST_TYPE_BASE_TRANSFORM)
GST_ELEMENT_REGISTER_DEFINE (
    visionmeta, "visionmeta", GST_RANK_NONE, GST_TYPE_VISION_META)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE (
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));

static gboolean
read_visionmeta_intrinsics (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  GstVisionMeta *self = owner;
  gboolean good;

  if (!text)
    return TRUE; /* no camera is attached */
  GST_OBJECT_LOCK (element);
  good = gst_vision_camera_set_intrinsics (&self->camera, text, error);
  GST_OBJECT_UNLOCK (element);
  return good;
}

#define ROWS_OF GstVisionMeta
static const GstVisionProperty properties[] = {
    /* The camera replaces the camera of the buffer. */
    PARSED (read_visionmeta_intrinsics, STRING, intrinsics,
        "Camera to attach: fx,fy,cx,cy[,k1,k2,p1,p2,k3] in pixels of the frame "
        "(unset = none)"),
    BY_HAND (NUMBER, camera.baseline, 0, G_MAXDOUBLE, 0,
        "Distance between the left and the right camera in metres, attached "
        "with the intrinsics (0 = one camera)"),
    SWITCH (read_foreign, FALSE,
        "Add what other elements found to the objects: object detections of "
        "GstAnalytics with their tracking, and regions of interest"),
    {.params = NULL}};

static gboolean
visionmeta_start (GstBaseTransform *trans)
{
  return gst_vision_properties_check (GST_ELEMENT (trans));
}

/* Reads only the size from the caps, since gst_video_info_from_caps () refuses
 * formats that it does not know. */
static gboolean
visionmeta_set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out)
{
  GstVisionMeta *self = GST_VISION_META (trans);
  const GstStructure *caps = gst_caps_get_structure (in, 0);

  (void) out;
  if (!gst_structure_get_int (caps, "width", &self->info.width) ||
      !gst_structure_get_int (caps, "height", &self->info.height) ||
      self->info.width <= 0 || self->info.height <= 0) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        ("These caps give no size of the frame: %" GST_PTR_FORMAT, in), (NULL));
    return FALSE;
  }
  return TRUE;
}

static void
attach_given_camera (GstVisionMeta *self, GstBuffer *buffer)
{
  GstVisionCamera camera;
  gboolean known;

  GST_OBJECT_LOCK (self);
  camera = self->camera;
  known = self->intrinsics != NULL;
  GST_OBJECT_UNLOCK (self);
  if (!known)
    return;
  camera.ref_width = self->info.width;
  camera.ref_height = self->info.height;
  if (camera.baseline == 0)
    camera.baseline = NAN;
  gst_buffer_set_vision_camera (buffer, GST_VISION_ORIGIN_RESULT, &camera);
}

static GstFlowReturn
visionmeta_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstVisionMeta *self = GST_VISION_META (trans);

  attach_given_camera (self, buffer);
  if (GST_VISION_LOCKED (self, self->read_foreign))
    gst_buffer_import_vision_objects (buffer, &self->info);
  gst_buffer_mirror_vision_objects (buffer, &self->info);
  return GST_FLOW_OK;
}

static void
gst_vision_meta_class_init (GstVisionMetaClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans = GST_BASE_TRANSFORM_CLASS (klass);

  gst_vision_properties_install (G_OBJECT_CLASS (klass), properties);
  trans->start = visionmeta_start;
  trans->set_caps = visionmeta_set_caps;
  trans->transform_ip = visionmeta_transform_ip;

  gst_element_class_add_static_pad_template (element, &sink_template);
  gst_element_class_add_static_pad_template (element, &src_template);
  gst_element_class_set_static_metadata (element, "Vision metadata",
      "Filter/Metadata/Video",
      "Attaches ROI and GstAnalytics metas for the results, and a camera, to "
      "frames",
      "The gst-vision authors");
  gst_vision_meta_register ();
}

static void
gst_vision_meta_init (GstVisionMeta *self)
{
  gst_vision_properties_init (self, properties);
  gst_vision_meta_watch (GST_ELEMENT (self));
  gst_video_info_init (&self->info);
}
