/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionframes.h"

#include "base/gstvisioncuda.h"

#define CLASS(self) GST_VISION_AGGREGATOR_GET_CLASS ((self)->owner)

/* ---- Two views in one frame ---- */

static GstVisionPacking
packing_of (const GstVideoInfo *info)
{
  switch (GST_VIDEO_INFO_MULTIVIEW_MODE (info)) {
    case GST_VIDEO_MULTIVIEW_MODE_SIDE_BY_SIDE:
      return GST_VISION_PACKING_SIDE_BY_SIDE;
    case GST_VIDEO_MULTIVIEW_MODE_TOP_BOTTOM:
      return GST_VISION_PACKING_TOP_BOTTOM;
    default:
      return GST_VISION_PACKING_AUTO;
  }
}

/* Whether a view can begin in the middle of @n pixels: a chroma sample must
 * begin there, too. */
static gboolean
can_halve (gint n, guint subsampling)
{
  return n % (2 << subsampling) == 0;
}

const char *
gst_vision_views_find (GstVisionViews *self, GstVisionPacking packing,
    const GstVideoInfo *info, GstVideoInfo *view)
{
  const GstVideoFormatInfo *format = info->finfo;
  guint last = GST_VIDEO_FORMAT_INFO_N_COMPONENTS (format) > 1;
  gint width = GST_VIDEO_INFO_WIDTH (info);
  gint height = GST_VIDEO_INFO_HEIGHT (info);

  self->packing =
      packing == GST_VISION_PACKING_AUTO ? packing_of (info) : packing;
  self->swapped = GST_VIDEO_INFO_MULTIVIEW_FLAGS (info) &
      GST_VIDEO_MULTIVIEW_FLAGS_RIGHT_VIEW_FIRST;
  if (self->packing == GST_VISION_PACKING_AUTO)
    return "only one input is linked, and its caps do not say that a frame "
           "holds both views; link the other one, or set packing=side-by-side "
           "or packing=top-bottom";
  if (self->packing == GST_VISION_PACKING_SIDE_BY_SIDE) {
    if (!can_halve (width, GST_VIDEO_FORMAT_INFO_W_SUB (format, last)))
      return "the frame's width cannot be halved; crop it to a multiple of 4";
    width /= 2;
  } else {
    if (!can_halve (height, GST_VIDEO_FORMAT_INFO_H_SUB (format, last)))
      return "the frame's height cannot be halved; crop it to a multiple of 4";
    height /= 2;
  }
  gst_video_info_set_format (view, GST_VIDEO_INFO_FORMAT (info), width, height);
  view->colorimetry = info->colorimetry;
  view->fps_n = info->fps_n;
  view->fps_d = info->fps_d;
  return NULL;
}

void
gst_vision_views_split (
    const GstVisionViews *self, const Image *image, Image view[2])
{
  gboolean beside = self->packing == GST_VISION_PACKING_SIDE_BY_SIDE;
  int x = beside ? image->width / 2 : 0;
  int y = beside ? 0 : image->height / 2;
  Image *second = &view[self->swapped ? 0 : 1];

  view[0] = view[1] = *image;
  for (int p = 0; p < image_planes (image->format); p++)
    second->plane[p] +=
        (size_t) image_rows (image->format, y, p) * image->stride[p] +
        image_row_bytes (image->format, x, p);
  for (int i = 0; i < 2; i++) {
    view[i].width -= x;
    view[i].height -= y;
  }
}

/* ---- A picture of its own at the output ---- */

/* Gets a pool for the pictures of the output, if these are wanted. */
static const char *
open_output (
    GstVisionPicture *self, GstVisionBackend *backend, const GstVideoInfo *view)
{
  if (!self->wanted)
    return NULL;
  if (self->info.width != view->width || self->info.height != view->height)
    return "the inputs were linked or released while frames came; link them "
           "before";
  if (self->in_cuda && !backend->context)
    return "the output shall lie in CUDA memory, but there is no GPU";
  self->pool =
      gst_vision_input_new_pool (backend, &self->info, self->in_cuda, 0);
  if (!self->pool)
    return OUT_OF_MEMORY (self->info.size, " for the output");
  return gst_vision_input_open (&self->frame, backend, &self->info,
      self->in_cuda, GST_VISION_FRAME_WRITE | GST_VISION_FRAME_FILL);
}

static void
close_output (GstVisionPicture *self, GstVisionBackend *backend)
{
  gst_vision_input_close (&self->frame, backend);
  if (!self->pool)
    return;
  gst_buffer_pool_set_active (self->pool, FALSE);
  gst_clear_object (&self->pool);
}

/* Copies all metas but those that describe the pixels of @from. */
static gboolean
copy_meta (GstBuffer *from, GstMeta **meta, gpointer to)
{
  const GstMetaInfo *info = (*meta)->info;
  GstMetaTransformCopy whole = {FALSE, 0, (gsize) -1};

  if (info->transform_func && info->api != GST_VIDEO_META_API_TYPE &&
      !gst_meta_api_type_has_tag (info->api, _gst_meta_tag_memory))
    info->transform_func (to, *meta, from, _gst_meta_transform_copy, &whole);
  return TRUE;
}

/* A picture with the times, flags and metas of @first; NULL: out of memory. */
static GstBuffer *
new_picture (GstVisionPicture *self, GstBuffer *first)
{
  GstBuffer *buffer;

  if (gst_buffer_pool_acquire_buffer (self->pool, &buffer, NULL) != GST_FLOW_OK)
    return NULL;
  gst_buffer_copy_into (
      buffer, first, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  gst_buffer_foreach_meta (first, copy_meta, buffer);
  return buffer;
}

/* Queues the copy of @view into the mapped picture. */
static const char *
copy_view (GstVisionPicture *self, const Device *device, const Image *view)
{
  const Image *to = &self->image;

  for (int p = 0; p < image_planes (to->format); p++)
    TRY (device_copy_rows (device, to->plane[p], to->stride[p], view->plane[p],
        view->stride[p], image_row_bytes (to->format, to->width, p),
        image_rows (to->format, to->height, p)));
  return NULL;
}

/* Byte @i of a row of plane @p of a black image. */
static guint8
black_byte (const Image *image, int p, int i)
{
  guint8 luma = image->full_range ? 0 : 16;

  if (!image_is_yuv (image->format))
    return 0;
  if (image->format == IMAGE_YUY2)
    return i % 2 ? 128 : luma;
  if (image->format == IMAGE_P010) /* odd bytes are the upper ones */
    return i % 2 ? (p ? 128 : luma) : 0;
  return p ? 128 : luma;
}

/* Maps @picture and makes it black; FALSE if it cannot be mapped. */
static gboolean
blacken_picture (GstVisionPicture *self, GstBuffer *picture)
{
  const Image *image = &self->frame.staged;
  GstVideoFrame frame;

  if (!gst_video_frame_map (&frame, &self->info, picture, GST_MAP_WRITE))
    return FALSE;
  for (int p = 0; p < image_planes (image->format); p++)
    for (int y = 0; y < image_rows (image->format, image->height, p); y++) {
      guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, p) +
          (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p);

      for (int i = 0; i < image_row_bytes (image->format, image->width, p); i++)
        row[i] = black_byte (image, p, i);
    }
  gst_video_frame_unmap (&frame);
  return TRUE;
}

/* ---- The child ---- */

void
gst_vision_frames_close (GstVisionFrames *self)
{
  GstVisionBackend *backend = &self->common->backend;

  if (!self->is_open)
    return;
  gst_vision_backend_enter (backend);
  CLASS (self)->close (self->owner);
  for (gint i = 0; i < 2; i++)
    gst_vision_input_close (&self->input[i], backend);
  close_output (&self->output, backend);
  gst_vision_backend_leave (backend);
  self->is_open = FALSE;
}

static const char *
open_for_caps (GstVisionFrames *self, const GstVideoInfo info[2])
{
  GstVisionAggregatorClass *klass = CLASS (self);
  GstVisionBackend *backend = &self->common->backend;
  const char *err;

  gst_vision_frames_close (self);
  TRY (gst_vision_backend_open (backend, klass->use,
      gst_vision_caps_in_cuda (self->caps[0]), klass->open_device));
  self->is_open = TRUE;
  err = gst_vision_backend_enter (backend);
  for (gint i = 0; i < (self->single ? 1 : 2) && !err; i++)
    err = gst_vision_input_open (&self->input[i], backend, &info[i],
        gst_vision_caps_in_cuda (self->caps[i]),
        i ? GST_VISION_FRAME_READ : klass->use);
  if (!err)
    err = open_output (&self->output, backend, &self->view[0]);
  if (!err)
    err = klass->open (
        self->owner, &backend->device, &self->view[0], &self->view[1]);
  gst_vision_backend_leave (backend);
  return err;
}

static gboolean
check_same_size (GstVisionFrames *self, const GstVideoInfo info[2])
{
  GstVisionAggregatorClass *klass = CLASS (self);
  const GstVideoInfo *a = &info[0], *b = &info[1];

  if (a->width == b->width && a->height == b->height &&
      (!klass->alike || GST_VIDEO_INFO_FORMAT (a) == GST_VIDEO_INFO_FORMAT (b)))
    return TRUE;
  GST_ELEMENT_ERROR (self->owner, STREAM, FORMAT,
      ("%s has %s of %dx%d and %s has %s of %dx%d, but both must have the same "
       "size%s. Before %s, put %s%s,width=%d,height=%d",
          klass->first_pad, GST_VIDEO_INFO_NAME (a), a->width, a->height,
          klass->second_pad, GST_VIDEO_INFO_NAME (b), b->width, b->height,
          klass->alike ? " and format" : "", klass->first_pad,
          klass->alike ? "videoconvert ! videoscale ! video/x-raw,format="
                       : "videoscale ! video/x-raw",
          klass->alike ? GST_VIDEO_INFO_NAME (b) : "", b->width, b->height),
      (NULL));
  return FALSE;
}

/* Fixed rates that differ leave frames without partners: no error, but seldom
 * wanted. */
static void
compare_rates (GstVisionFrames *self, const GstVideoInfo info[2])
{
  const GstVideoInfo *a = &info[0], *b = &info[1];

  if (a->fps_n <= 0 || b->fps_n <= 0 ||
      gst_util_fraction_compare (a->fps_n, a->fps_d, b->fps_n, b->fps_d) == 0)
    return;
  GST_ELEMENT_WARNING (self->owner, STREAM, FORMAT,
      ("%s has %d/%d frames a second and %s %d/%d: those without a partner are "
       "dropped and counted in \"stats\". Put videorate before one of them.",
          CLASS (self)->first_pad, a->fps_n, a->fps_d, CLASS (self)->second_pad,
          b->fps_n, b->fps_d),
      (NULL));
}

/* Opens the backend, the inputs, the output and the child for the newest caps.
 */
static GstFlowReturn
open_frames (GstVisionFrames *self)
{
  GstVideoInfo info[2], *view = self->view;
  const char *err = NULL;

  for (gint i = 0; i < (self->single ? 1 : 2); i++)
    if (!self->caps[i] || !gst_video_info_from_caps (&info[i], self->caps[i])) {
      GST_ELEMENT_ERROR (self->owner, STREAM, FORMAT,
          ("These caps do not describe a frame: %" GST_PTR_FORMAT,
              self->caps[i]),
          (NULL));
      return GST_FLOW_NOT_NEGOTIATED;
    }
  if (!self->single) {
    if (!check_same_size (self, info))
      return GST_FLOW_NOT_NEGOTIATED;
    compare_rates (self, info);
    view[0] = info[0];
    view[1] = info[1];
  } else {
    err = CLASS (self)->alike
        ? gst_vision_views_find (
              &self->views, self->packing, &info[0], &view[0])
        : "only one input is linked; link the other one as well";
    if (err) {
      GST_ELEMENT_ERROR (self->owner, STREAM, FORMAT,
          ("The input cannot be used: %s.", err), (NULL));
      return GST_FLOW_NOT_NEGOTIATED;
    }
    view[1] = view[0];
  }
  self->outdated = FALSE;
  if (!gst_vision_common_failed (self->common, open_for_caps (self, info)))
    return GST_FLOW_OK;
  gst_vision_frames_close (self);
  return GST_FLOW_ERROR;
}

/* If the first frame lies in another CUDA context than the element's, the
 * element adopts that context.  If the second frame then lies in yet another
 * context, it is copied through system memory. */
static const char *
adopt_context_of_frames (
    GstVisionFrames *self, GstBuffer *first, GstBuffer *second)
{
  GstVisionBackend *backend = &self->common->backend;
  GstObject *foreign = gst_vision_backend_foreign (backend, first);
  GstVisionInput *input = &self->input[1];
  GstVideoInfo info[2] = {self->input[0].info, input->info};
  const char *err;

  if (foreign) {
    gst_vision_frames_close (self);
    gst_vision_backend_adopt (backend, foreign);
    TRY (open_for_caps (self, info));
  }
  if (self->single || !input->in_cuda ||
      !gst_vision_backend_foreign (backend, second))
    return NULL;
  GST_INFO_OBJECT (self->owner, "the inputs lie in two CUDA contexts");
  err = gst_vision_backend_enter (backend);
  if (!err)
    err = gst_vision_input_open (
        input, backend, &info[1], FALSE, GST_VISION_FRAME_READ);
  gst_vision_backend_leave (backend);
  return err;
}

static const char *
process_mapped_frames (GstVisionFrames *self, Image image[2], GstBuffer *buffer)
{
  if (self->single) {
    Image whole = image[0];

    gst_vision_views_split (&self->views, &whole, image);
  }
  if (self->output.wanted && self->output.copies)
    TRY (copy_view (&self->output, &self->common->backend.device, &image[0]));
  return CLASS (self)->process (self->owner, &image[0], &image[1], buffer);
}

static const char *
map_and_process_frames (GstVisionFrames *self, GstBuffer *first,
    GstBuffer *second, GstBuffer *buffer)
{
  GstVisionBackend *backend = &self->common->backend;
  const char *err, *unmap_err;
  Image image[2];

  TRY (gst_vision_input_map (&self->input[0], backend, first, &image[0]));
  if (!self->single) {
    err = gst_vision_input_map (&self->input[1], backend, second, &image[1]);
    if (!err) {
      err = process_mapped_frames (self, image, buffer);
      unmap_err = gst_vision_input_unmap (&self->input[1], backend);
      err = err ? err : unmap_err;
    }
  } else
    err = process_mapped_frames (self, image, buffer);
  unmap_err = gst_vision_input_unmap (&self->input[0], backend);
  return err ? err : unmap_err;
}

/* Whether a faulty frame is the cause of @err. */
static gboolean
is_fault_of_frame (const GstVisionFrames *self, const char *err)
{
  return err && (err == self->input[0].fault || err == self->input[1].fault);
}

/* Processes the frames.  If the output is a picture, the child fills it; if a
 * frame cannot be read, the picture is black. */
static const char *
fill_and_process (GstVisionFrames *self, GstBuffer **first, GstBuffer *second)
{
  GstVisionBackend *backend = &self->common->backend;
  GstVisionPicture *output = &self->output;
  const char *err, *unmap_err;
  GstBuffer *picture;

  if (!output->wanted)
    return map_and_process_frames (self, *first, second, *first);
  picture = new_picture (output, *first);
  if (!picture)
    return OUT_OF_MEMORY (output->info.size, " for the output");
  err = gst_vision_input_map (&output->frame, backend, picture, &output->image);
  if (!err) {
    err = map_and_process_frames (self, *first, second, picture);
    unmap_err = gst_vision_input_unmap (&output->frame, backend);
    err = err ? err : unmap_err;
  }
  if (is_fault_of_frame (self, err) && !blacken_picture (output, picture))
    err = "the picture of the output cannot be written";
  if (err && !is_fault_of_frame (self, err)) {
    gst_buffer_unref (picture);
    return err;
  }
  gst_buffer_unref (*first);
  *first = picture;
  return err;
}

/* A frame that cannot be read passes without results. */
static void
skip_frames (GstVisionFrames *self, const char *err)
{
  GstVisionAggregatorClass *klass = CLASS (self);
  gchar *fault = g_strdup_printf ("of %s, %s",
      err == self->input[0].fault ? klass->first_pad : klass->second_pad, err);

  self->common->backend.kernel_time = GST_CLOCK_TIME_NONE; /* nothing ran */
  if (klass->skip)
    klass->skip (self->owner);
  gst_vision_common_fault (self->common, fault);
  g_free (fault);
}

GstFlowReturn
gst_vision_frames_process (
    GstVisionFrames *self, GstBuffer **first, GstBuffer *second)
{
  GstVisionBackend *backend = &self->common->backend;
  gint64 start = g_get_monotonic_time ();
  GstFlowReturn ret;
  const char *err;

  self->outdated |= self->single != !second;
  self->single = !second;
  if (self->outdated && (ret = open_frames (self)) != GST_FLOW_OK)
    return ret;
  if (!self->is_open)
    return GST_FLOW_ERROR;
  err = adopt_context_of_frames (self, *first, second);
  if (!err)
    err = gst_vision_backend_enter (backend);
  if (!err)
    err = fill_and_process (self, first, second);
  gst_vision_backend_leave (backend);
  if (is_fault_of_frame (self, err)) {
    skip_frames (self, err);
    err = NULL;
  }
  if (gst_vision_common_failed (self->common, err)) {
    gst_vision_frames_close (self);
    return GST_FLOW_ERROR;
  }
  gst_vision_common_count (self->common, start);
  return GST_FLOW_OK;
}

/* Frames of two regular sources are at most half of the shorter frame duration
 * apart; another eighth of it allows for jitter. */
static GstClockTime
find_nearest (GstVisionFrames *self)
{
  GstClockTime min = 0;

  for (gint i = 0; i < 2; i++) {
    gint n = 0, d = 1;
    GstClockTime nearest;

    if (!self->caps[i] ||
        !gst_structure_get_fraction (
            gst_caps_get_structure (self->caps[i], 0), "framerate", &n, &d) ||
        n <= 0)
      continue;
    nearest = gst_util_uint64_scale (5 * GST_SECOND / 8, d, n);
    min = min ? MIN (min, nearest) : nearest;
  }
  return min;
}

void
gst_vision_frames_take_caps (GstVisionFrames *self, gint i, GstCaps *caps)
{
  GST_OBJECT_LOCK (self->owner);
  gst_caps_replace (&self->caps[i], caps);
  self->nearest = find_nearest (self);
  GST_OBJECT_UNLOCK (self->owner);
  self->outdated = TRUE;
}

/* Sets the caps of the output, which are fixed; NULL: the output is the first
 * frame.  Returns whether the child must be opened anew. */
static gboolean
set_output_caps (GstVisionPicture *self, const GstCaps *caps)
{
  GstVisionPicture was = *self;

  self->wanted = caps && gst_video_info_from_caps (&self->info, caps);
  self->in_cuda = self->wanted && gst_vision_caps_in_cuda (caps);
  return self->wanted != was.wanted ||
      (self->wanted &&
          (self->in_cuda != was.in_cuda ||
              !gst_video_info_is_equal (&self->info, &was.info)));
}

void
gst_vision_frames_set_output (
    GstVisionFrames *self, const GstCaps *caps, gboolean copies)
{
  self->output.copies = copies;
  self->outdated |= set_output_caps (&self->output, caps);
}

void
gst_vision_frames_set_packing (GstVisionFrames *self, GstVisionPacking packing)
{
  self->outdated |= self->packing != packing;
  self->packing = packing;
}
