/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * SECTION:element-depthalign
 * @title: depthalign
 * @see_also: scopedetect, kinfumot, gpuccl
 *
 * Moves depth of one camera into the pixels of another camera.  Depth cameras
 * have two optics, one for depth and one for colour, and elements that use both
 * pictures, such as scopedetect, need a depth for each pixel of the colour.
 * Frames are GRAY16_LE, depth along the optical axis, 0 for none; the output
 * has the same unit.
 *
 * The depth camera is that of #GstDepthalign:intrinsics,
 * #GstDepthalign:calibration, #GstDepthalign:rig or the buffer's VisionCamera;
 * the target camera that of #GstDepthalign:target-intrinsics,
 * #GstDepthalign:target-calibration or #GstDepthalign:rig, in this order.
 * #GstDepthalign:transform, else #GstDepthalign:rig, says where they are.  Lens
 * distortion of both is taken into account.  The VisionCamera of the output is
 * that of the target, also its pose, where the pose of the depth camera is
 * known.
 *
 * The size of the output is that of the caps behind the element; where these
 * leave it open, the size for which the target was calibrated, else that of the
 * input.  A calibration whose file states its size is scaled to the frame.
 *
 * Neighbouring pixels whose depths are near each other
 * (#GstDepthalign:max-step) are one surface, which has no holes in the output,
 * however many pixels it has there.  Of several surfaces in a pixel the nearest
 * counts.  What the target sees and the depth camera does not, as beside a
 * thing in front, has no depth.
 *
 * With #GstDepthalign:post-messages, the message `depthalign` of a frame has
 * the numbers of its pixels with depth (`measured`), of those in front of the
 * target camera (`ahead`) and in its view (`landed`).
 *
 * Results of earlier elements, such as VisionObjects, count pixels of the depth
 * camera and are left out; put what needs the output behind it.
 *
 * ## What it is for
 *
 * Depth cameras as they are: their depth for scopedetect, or any element that
 * wants depth and colour pixel by pixel.
 *
 * ## When something else is better
 *
 * - The driver aligns, as realsensesrc can: then this element is not needed.
 * - kinfumot needs no colour: give it the depth as it comes.
 * - Two colour cameras: pocstereo computes the depth of the left camera.
 *
 * ## Troubleshooting
 *
 * - All is black, and a warning tells of depth behind the target camera, or
 *   beside its view: the transform is that of the other direction (`inverse`),
 *   or in millimetres (`calibration-unit` for rig).
 * - Edges are beside those of the colour, equally in the whole picture:
 *   `cx` and `cy`, or the transform, are of another frame size.
 * - Near edges lie wrong and far ones right: the unit of depth (`depth-scale`)
 *   or of the transform is wrong.
 * - Surfaces have gaps: they are seen at a grazing angle, or the depth is
 *   noisy; a larger `max-step` closes them.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 visiontestsrc pattern=clutter view=depth num-buffers=30 !
 * video/x-raw,width=640,height=480 ! depthalign
 * target-intrinsics=1170,1170,639.5,359.5 transform=-0.05,0,0 !
 * video/x-raw,width=1280,height=720 ! videoconvert ! fakesink
 * ]|
 * Depth as a camera sees it that is 5 cm to the right of the depth camera.
 *
 * Since: 0.1
 */
#include "depthalign/gstdepthalign.h"

#include <string.h>

GST_DEBUG_CATEGORY_STATIC (depthalign_debug);
#define GST_CAT_DEFAULT depthalign_debug

G_DEFINE_TYPE (GstDepthalign, gst_depthalign, GST_TYPE_VISION_FILTER);
GST_ELEMENT_REGISTER_DEFINE_WITH_CODE (depthalign, "depthalign", GST_RANK_NONE,
    GST_TYPE_DEPTHALIGN,
    GST_DEBUG_CATEGORY_INIT (
        depthalign_debug, "depthalign", 0, "depth in another camera's pixels"));

#define ROWS_OF GstDepthalign
static const GstVisionProperty properties[] = {
    PROPERTIES (gst_depthalign_cameras_properties, cameras),
    PARAMS (depthalign_params, params), {.params = NULL}};

/* ---- Caps ---- */

static GstCaps *
depthalign_transform_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *filter)
{
  GstCaps *all = gst_caps_copy (caps), *result;

  (void) trans;
  (void) direction;
  for (guint i = 0; i < gst_caps_get_size (all); i++) {
    GstStructure *s = gst_caps_get_structure (all, i);

    gst_structure_set (s, "width", GST_TYPE_INT_RANGE, 1, DEPTHALIGN_MAX_SIDE,
        "height", GST_TYPE_INT_RANGE, 1, DEPTHALIGN_MAX_SIDE, NULL);
    gst_structure_remove_field (s, "pixel-aspect-ratio");
  }
  if (!filter)
    return all;
  result = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (all);
  return result;
}

static GstCaps *
depthalign_fixate_caps (GstBaseTransform *trans, GstPadDirection direction,
    GstCaps *caps, GstCaps *other)
{
  const GstStructure *in = gst_caps_get_structure (caps, 0);
  gint width = 0, height = 0;
  GstStructure *out;

  if (direction == GST_PAD_SINK)
    gst_depthalign_target_size (GST_DEPTHALIGN (trans), &width, &height);
  other = gst_caps_make_writable (gst_caps_truncate (other));
  out = gst_caps_get_structure (other, 0);
  if (width || gst_structure_get_int (in, "width", &width))
    gst_structure_fixate_field_nearest_int (out, "width", width);
  if (height || gst_structure_get_int (in, "height", &height))
    gst_structure_fixate_field_nearest_int (out, "height", height);
  if (gst_structure_has_field (out, "pixel-aspect-ratio"))
    gst_structure_fixate_field_nearest_fraction (
        out, "pixel-aspect-ratio", 1, 1);
  return gst_caps_fixate (other);
}

static gboolean
depthalign_set_caps (GstBaseTransform *trans, GstCaps *in, GstCaps *out)
{
  return gst_video_info_from_caps (&GST_DEPTHALIGN (trans)->out, out) &&
      GST_BASE_TRANSFORM_CLASS (gst_depthalign_parent_class)
          ->set_caps (trans, in, out);
}

/* The sink has wishes for the output, not for the depth. */
static gboolean
depthalign_propose_allocation (
    GstBaseTransform *trans, GstQuery *decide, GstQuery *query)
{
  (void) decide;
  gst_vision_input_propose (&gst_vision_common (trans)->backend, query);
  return TRUE;
}

/* ---- Opening ---- */

static const char *
gst_depthalign_open (
    GstVisionFilter *filter, const Device *device, const GstVideoInfo *info)
{
  GstDepthalign *self = GST_DEPTHALIGN (filter);
  GstVisionBackend *backend = &gst_vision_common (filter)->backend;

  self->pool = gst_vision_input_new_pool (backend, &self->out, FALSE, 0);
  if (!self->pool)
    return OUT_OF_MEMORY (self->out.size, " for the output");
  TRY (gst_vision_input_open (&self->frame, backend, &self->out, FALSE,
      GST_VISION_FRAME_WRITE | GST_VISION_FRAME_FILL));
  return depthalign_new (&self->depthalign, device, GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_WIDTH (&self->out),
      GST_VIDEO_INFO_HEIGHT (&self->out));
}

static void
gst_depthalign_close (GstVisionFilter *filter)
{
  GstDepthalign *self = GST_DEPTHALIGN (filter);

  g_clear_pointer (&self->depthalign, depthalign_free);
  gst_vision_input_close (&self->frame, &gst_vision_common (filter)->backend);
  gst_clear_buffer (&self->picture);
  if (self->pool)
    gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
}

static void
gst_depthalign_reset (GstVisionFilter *filter)
{
  (void) filter; /* a frame does not depend on earlier ones */
}

/* ---- Frames ---- */

/* Takes a picture from the pool. */
static const char *
new_aligned_picture (GstDepthalign *self)
{
  gst_clear_buffer (&self->picture);
  return gst_buffer_pool_acquire_buffer (self->pool, &self->picture, NULL) ==
          GST_FLOW_OK
      ? NULL
      : OUT_OF_MEMORY (self->out.size, " for the output");
}

/* Fills the picture with depth 0. */
static const char *
make_empty_picture (GstDepthalign *self)
{
  TRY (new_aligned_picture (self));
  gst_buffer_memset (self->picture, 0, 0, (gsize) -1);
  return NULL;
}

/* Fills the picture with @depth. */
static const char *
make_picture (GstDepthalign *self, const DepthalignParams *params,
    const Image *depth, DepthalignCounts *counts)
{
  GstVisionBackend *backend = &gst_vision_common (self)->backend;
  const DepthalignCounts *found = NULL;
  const char *err, *unmap_err;
  Image image;

  TRY (new_aligned_picture (self));
  TRY (gst_vision_input_map (&self->frame, backend, self->picture, &image));
  err = depthalign_run (self->depthalign, params, depth, &image, &found);
  unmap_err = gst_vision_input_unmap (&self->frame, backend);
  if (!err && !unmap_err)
    *counts = *found;
  return err ? err : unmap_err;
}

static void
check_counts (GstDepthalign *self, const DepthalignCounts *counts)
{
  const char *fault = NULL;

  if (counts->measured && !counts->ahead)
    fault = "all of its depth lies behind the target camera; the transform may "
            "be that of the other direction, which inverse turns round, or of "
            "another unit";
  else if (counts->measured && !counts->landed)
    fault = "none of its depth lies in the view of the target camera; check "
            "the transform, its unit, and both cameras";
  if (fault)
    gst_vision_common_fault (gst_vision_common (self), fault);
}

static void
post_counts (
    GstDepthalign *self, GstBuffer *buffer, const DepthalignCounts *counts)
{
  GstVisionCommon *common = gst_vision_common (self);

  if (gst_vision_common_wants_message (common, buffer))
    gst_vision_common_post (common, buffer,
        gst_structure_new ("depthalign", "measured", G_TYPE_UINT,
            counts->measured, "ahead", G_TYPE_UINT, counts->ahead, "landed",
            G_TYPE_UINT, counts->landed, NULL));
}

/* Metas that say something about the pixels of the depth. */
static gboolean
drop_meta_of_pixels (GstBuffer *buffer, GstMeta **meta, gpointer user)
{
  const GstMetaInfo *info = (*meta)->info;
  const gchar *const *tags = gst_meta_api_type_get_tags (info->api);

  (void) buffer;
  (void) user;
  if ((tags && *tags) || info->api == GST_VIDEO_META_API_TYPE ||
      (gst_meta_info_is_custom (info) &&
          g_str_has_prefix (g_type_name (info->type), "Vision")))
    *meta = NULL;
  return TRUE;
}

static const char *
gst_depthalign_process (
    GstVisionFilter *filter, const Image *image, GstBuffer *buffer)
{
  GstDepthalign *self = GST_DEPTHALIGN (filter);
  DepthalignParams params = GST_VISION_LOCKED (self, self->params);
  DepthalignCounts counts = {0};
  const char *fault =
      gst_depthalign_find_cameras (self, buffer, image, &params, &self->target);

  if (fault) {
    gst_vision_common_fault (gst_vision_common (filter), fault);
    return make_empty_picture (self);
  }
  TRY (make_picture (self, &params, image, &counts));
  self->knows_target = TRUE;
  check_counts (self, &counts);
  post_counts (self, buffer, &counts);
  return NULL;
}

/* The input with its times and metas; process () maps it. */
static GstFlowReturn
depthalign_prepare_output_buffer (
    GstBaseTransform *trans, GstBuffer *in, GstBuffer **out)
{
  (void) trans;
  *out = gst_buffer_copy (in);
  return GST_FLOW_OK;
}

/* Puts the picture in the place of the depth, which is no longer mapped. */
static void
show_aligned_picture (GstDepthalign *self, GstBuffer *buffer)
{
  GstMemory *memory = gst_buffer_get_all_memory (self->picture);

  gst_buffer_foreach_meta (buffer, drop_meta_of_pixels, NULL);
  gst_buffer_remove_all_memory (buffer);
  gst_buffer_append_memory (buffer, memory);
  gst_buffer_add_parent_buffer_meta (buffer, self->picture);
  gst_clear_buffer (&self->picture);
  if (self->knows_target)
    gst_buffer_set_vision_camera (
        buffer, GST_VISION_ORIGIN_RESULT, &self->target);
}

static GstFlowReturn
depthalign_transform_ip (GstBaseTransform *trans, GstBuffer *buffer)
{
  GstDepthalign *self = GST_DEPTHALIGN (trans);
  GstFlowReturn flow;

  self->knows_target = FALSE;
  flow = GST_BASE_TRANSFORM_CLASS (gst_depthalign_parent_class)
             ->transform_ip (trans, buffer);
  if (flow != GST_FLOW_OK)
    return flow;
  if (!self->picture && /* the depth could not be read */
      gst_vision_common_failed (
          gst_vision_common (self), make_empty_picture (self)))
    return GST_FLOW_ERROR;
  show_aligned_picture (self, buffer);
  return GST_FLOW_OK;
}

/* ---- The class ---- */

static void
gst_depthalign_class_init (GstDepthalignClass *klass)
{
  GstElementClass *element = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans = GST_BASE_TRANSFORM_CLASS (klass);
  GstVisionFilterClass *filter = GST_VISION_FILTER_CLASS (klass);

  gst_vision_properties_install (G_OBJECT_CLASS (klass), properties);
  gst_vision_filter_class_add_pads (filter, "{ GRAY16_LE }");
  gst_element_class_set_static_metadata (element, "Depth aligner",
      "Filter/Converter/Video",
      "Moves depth of one camera into the pixels of another camera",
      "The gst-vision authors");

  trans->transform_caps = depthalign_transform_caps;
  trans->fixate_caps = depthalign_fixate_caps;
  trans->set_caps = depthalign_set_caps;
  trans->propose_allocation = depthalign_propose_allocation;
  trans->prepare_output_buffer = depthalign_prepare_output_buffer;
  trans->transform_ip = depthalign_transform_ip;
  filter->open = gst_depthalign_open;
  filter->process = gst_depthalign_process;
  filter->close = gst_depthalign_close;
  filter->reset = gst_depthalign_reset;
}

static void
gst_depthalign_init (GstDepthalign *self)
{
  self->params = depthalign_defaults ();
  self->cameras.moved = pose64_identity ();
  gst_vision_properties_init (self, properties);
}
