/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Frames of a pad as Images that the device can reach.  A CPU maps system
 * memory as it is, and a GPU the CUDA memory of its context.  If a CPU maps
 * CUDA memory, GStreamer downloads it.  For a GPU, a frame in system memory is
 * copied to device memory that the pad keeps, and back if the element draws.
 * Frames of another GPU, and frames whose words of 16 bits lie at odd
 * addresses, are copied in the same way. */
#include "base/gstvisioninput.h"

#include "base/gstvisioncuda.h"
#include "base/gstvisionpinned.h"

/* ---- Faults of a frame that its caps do not show ----
 *
 * A frame is refused before anything reads beyond its memory.  Each function
 * returns NULL or a sentence that says what is wrong with the frame, to be
 * freed. */

/* Without a GstVideoMeta only the size tells whether the buffer holds the frame
 * of the caps. */
static gchar *
fault_of_size (const GstVideoInfo *info, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);

  if (size >= GST_VIDEO_INFO_SIZE (info))
    return NULL;
  return g_strdup_printf ("its buffer holds %" G_GSIZE_FORMAT
                          " bytes, but %s of %dx%d has %" G_GSIZE_FORMAT,
      size, GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), GST_VIDEO_INFO_SIZE (info));
}

/* The name of a format, which may be any number in a GstVideoMeta.  From
 * GStreamer 1.26 on gst_video_format_to_string () warns of a fault of the
 * program if the number is unknown. */
static const gchar *
name_of_format (GstVideoFormat format)
{
  GEnumClass *formats = g_type_class_ref (GST_TYPE_VIDEO_FORMAT);
  gboolean known = format > GST_VIDEO_FORMAT_ENCODED &&
      g_enum_get_value (formats, (gint) format);

  g_type_class_unref (formats);
  return known ? gst_video_format_to_string (format) : "no raw video";
}

/* If meta and caps differ, gst_video_frame_map () warns of a fault of the
 * program. */
static gchar *
fault_of_meta (const GstVideoInfo *info, const GstVideoMeta *meta)
{
  if (meta->format != GST_VIDEO_INFO_FORMAT (info) ||
      meta->width < (guint) GST_VIDEO_INFO_WIDTH (info) ||
      meta->height < (guint) GST_VIDEO_INFO_HEIGHT (info))
    return g_strdup_printf (
        "its GstVideoMeta says %s of %ux%u, but its caps %s of %dx%d",
        name_of_format (meta->format), meta->width, meta->height,
        GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
        GST_VIDEO_INFO_HEIGHT (info));
  if (meta->n_planes != GST_VIDEO_INFO_N_PLANES (info))
    return g_strdup_printf ("its GstVideoMeta has %u planes, but %s has %u",
        meta->n_planes, GST_VIDEO_INFO_NAME (info),
        GST_VIDEO_INFO_N_PLANES (info));
  return NULL;
}

static gchar *
fault_of_offsets (const GstVideoMeta *meta, GstBuffer *buffer)
{
  gsize size = gst_buffer_get_size (buffer);

  for (guint p = 0; p < meta->n_planes; p++)
    if (meta->offset[p] >= size)
      return g_strdup_printf ("its GstVideoMeta has plane %u at byte "
                              "%" G_GSIZE_FORMAT ", but its buffer holds "
                              "%" G_GSIZE_FORMAT,
          p, meta->offset[p], size);
  return NULL;
}

static gchar *
fault_of_buffer (const GstVideoInfo *info, GstBuffer *buffer)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  gchar *fault;

  if (!meta)
    return fault_of_size (info, buffer);
  fault = fault_of_meta (info, meta);
  return fault ? fault : fault_of_offsets (meta, buffer);
}

static gchar *
fault_of_plane (const Image *image, const GstVideoFrame *frame, int p)
{
  const GstMapInfo *map = &frame->map[frame->meta ? p : 0];
  gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, p);
  gint row = image_row_bytes (image->format, image->width, p);
  gint rows = image_rows (image->format, image->height, p);
  guint64 reach = (guint64) MAX (stride, 0) * (guint) (rows - 1) + (guint) row;
  gsize before = (gsize) ((const guint8 *) frame->data[p] - map->data);

  if (stride < row)
    return g_strdup_printf ("a row of plane %d has %d bytes, but the next one "
                            "begins %d bytes behind it",
        p, row, stride);
  if (before > map->size || map->size - before < reach)
    return g_strdup_printf ("the rows of plane %d need %" G_GUINT64_FORMAT
                            " bytes from byte %" G_GSIZE_FORMAT
                            " of its memory on, which has %" G_GSIZE_FORMAT,
        p, reach, before, map->size);
  return NULL;
}

/* Checks that each plane of the mapped frame lies in the memory that was mapped
 * for it, and, if @on_gpu, that this is CUDA memory.  Only format and size of
 * @image are read. */
static gchar *
fault_of_frame (const Image *image, const GstVideoFrame *frame, gboolean on_gpu)
{
  for (int p = 0; p < image_planes (image->format); p++) {
    const GstMapInfo *map = &frame->map[frame->meta ? p : 0];
    gchar *fault;

    /* GStreamer merges the memories of a buffer, if these are several, into
     * system memory */
    if (on_gpu && !gst_vision_cuda_owns (map->memory))
      return g_strdup ("its caps say CUDA memory, but its memory is another");
    fault = fault_of_plane (image, frame, p);
    if (fault)
      return fault;
  }
  return NULL;
}

/* ---- Frames ---- */

/* A row of device memory starts at a multiple of this many bytes. */
#define ROW_ALIGN 256

static const struct {
  GstVideoFormat gst;
  ImageFormat image;
} formats[] = {
    {GST_VIDEO_FORMAT_GRAY8, IMAGE_GRAY8},
    {GST_VIDEO_FORMAT_GRAY16_LE, IMAGE_GRAY16},
    {GST_VIDEO_FORMAT_RGB, IMAGE_RGB},
    {GST_VIDEO_FORMAT_BGR, IMAGE_BGR},
    {GST_VIDEO_FORMAT_RGBA, IMAGE_RGBA},
    {GST_VIDEO_FORMAT_RGBx, IMAGE_RGBA},
    {GST_VIDEO_FORMAT_BGRA, IMAGE_BGRA},
    {GST_VIDEO_FORMAT_BGRx, IMAGE_BGRA},
    {GST_VIDEO_FORMAT_NV12, IMAGE_NV12},
    {GST_VIDEO_FORMAT_I420, IMAGE_I420},
    {GST_VIDEO_FORMAT_YUY2, IMAGE_YUY2},
    {GST_VIDEO_FORMAT_P010_10LE, IMAGE_P010},
};

/* Stock CUDA memory has no grey format, in any release. */
static gboolean
in_cuda_memory (GstVideoFormat format)
{
  return format != GST_VIDEO_FORMAT_GRAY8 &&
      format != GST_VIDEO_FORMAT_GRAY16_LE;
}

GstCaps *
gst_vision_caps (const gchar *names)
{
  gchar *text = g_strdup_printf ("video/x-raw, format=%s", names);
  GstCaps *given = gst_caps_from_string (text);
  const GValue *list =
      gst_structure_get_value (gst_caps_get_structure (given, 0), "format");
  GValue system = G_VALUE_INIT, cuda = G_VALUE_INIT;
  GstCaps *caps = gst_caps_from_string (GST_VIDEO_CAPS_MAKE_WITH_FEATURES (
      GST_VISION_CUDA_MEMORY, "{ }") ";" GST_VIDEO_CAPS_MAKE ("{ }"));

  g_value_init (&cuda, GST_TYPE_LIST);
  g_value_init (&system, GST_TYPE_LIST);
  for (guint i = 0; i < gst_value_list_get_size (list); i++) {
    const GValue *name = gst_value_list_get_value (list, i);

    gst_value_list_append_value (&system, name);
    if (in_cuda_memory (
            gst_video_format_from_string (g_value_get_string (name))))
      gst_value_list_append_value (&cuda, name);
  }
  gst_structure_set_value (gst_caps_get_structure (caps, 0), "format", &cuda);
  gst_structure_set_value (gst_caps_get_structure (caps, 1), "format", &system);
  if (gst_value_list_get_size (&cuda) ==
      0) /* depth has no format in CUDA memory */
    gst_caps_remove_structure (caps, 0);
  g_value_unset (&cuda);
  g_value_unset (&system);
  gst_caps_unref (given);
  g_free (text);
  return caps;
}

gboolean
gst_vision_caps_in_cuda (const GstCaps *caps)
{
  return gst_caps_features_contains (
      gst_caps_get_features (caps, 0), GST_VISION_CUDA_MEMORY);
}

gboolean
gst_vision_image_format (GstVideoFormat format, ImageFormat *out)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (formats[i].gst == format) {
      *out = formats[i].image;
      return TRUE;
    }
  return FALSE;
}

static Image
describe_memory (const GstVideoInfo *info)
{
  const GstVideoColorimetry *c = &info->colorimetry;
  Image image = {.width = GST_VIDEO_INFO_WIDTH (info),
      .height = GST_VIDEO_INFO_HEIGHT (info),
      .full_range = c->range == GST_VIDEO_COLOR_RANGE_0_255};

  gst_vision_image_format (GST_VIDEO_INFO_FORMAT (info), &image.format);
  image.matrix = c->matrix == GST_VIDEO_COLOR_MATRIX_BT709 ? IMAGE_BT709
      : c->matrix == GST_VIDEO_COLOR_MATRIX_BT2020         ? IMAGE_BT2020
                                                           : IMAGE_BT601;
  return image;
}

/* Allocates device memory for a whole frame, unless that was done before. */
static const char *
ensure_staging (GstVisionInput *self, const Device *device)
{
  size_t offset[3] = {0}, size = 0;
  Image *to = &self->staged;

  if (self->staging)
    return NULL;
  for (int p = 0; p < image_planes (to->format); p++) {
    int bytes = image_row_bytes (to->format, to->width, p);

    to->stride[p] = GST_ROUND_UP_N (bytes, ROW_ALIGN);
    offset[p] = size;
    size += (size_t) to->stride[p] * image_rows (to->format, to->height, p);
  }
  TRY (device_alloc (device, &self->staging, size));
  for (int p = 0; p < image_planes (to->format); p++)
    to->plane[p] = (uint8_t *) self->staging + offset[p];
  return NULL;
}

/* Whether the device reaches only copies of the frames. */
static gboolean
always_copies (const GstVisionInput *self, const Device *device)
{
  return !self->in_cuda && device->kind == DEVICE_CUDA;
}

void
gst_vision_input_close (GstVisionInput *self, GstVisionBackend *backend)
{
  if (self->staging)
    device_release (&backend->device, self->staging);
  self->staging = NULL;
  g_clear_pointer (&self->fault, g_free);
}

const char *
gst_vision_input_open (GstVisionInput *self, GstVisionBackend *backend,
    const GstVideoInfo *info, gboolean in_cuda, GstVisionFrameUse use)
{
  gst_vision_input_close (self, backend);
  self->info = *info;
  self->in_cuda = in_cuda;
  self->use = use;
  self->staged = describe_memory (info);
  return always_copies (self, &backend->device)
      ? ensure_staging (self, &backend->device)
      : NULL;
}

static const char *
copy_planes (const Device *device, const Image *to, const Image *from)
{
  for (int p = 0; p < image_planes (to->format); p++)
    TRY (device_copy_rows (device, to->plane[p], to->stride[p], from->plane[p],
        from->stride[p], image_row_bytes (to->format, to->width, p),
        image_rows (to->format, to->height, p)));
  return NULL;
}

static Image
mapped_image (GstVisionInput *self)
{
  Image image = self->staged;

  for (int p = 0; p < image_planes (image.format); p++) {
    image.plane[p] = GST_VIDEO_FRAME_PLANE_DATA (&self->frame, p);
    image.stride[p] = GST_VIDEO_FRAME_PLANE_STRIDE (&self->frame, p);
  }
  return image;
}

/* Whether words of 16 bits, as algorithms read them, lie at odd addresses. */
static gboolean
has_odd_addresses (const Image *image)
{
  if (image->format != IMAGE_GRAY16 && image->format != IMAGE_P010)
    return FALSE;
  for (int p = 0; p < image_planes (image->format); p++)
    if ((guintptr) image->plane[p] % 2 || image->stride[p] % 2)
      return TRUE;
  return FALSE;
}

/* Maps @buffer into self->frame; if this fails, self->fault says why.
 * @elsewhere: @buffer lies in CUDA memory that the device cannot reach, such as
 * memory of another GPU. */
static const char *
map_frame (GstVisionInput *self, GstVisionBackend *backend, GstBuffer *buffer,
    gboolean elsewhere)
{
  /* the map takes no reference, because process () adds metadata to the buffer
   */
  int flags = GST_MAP_READ | (int) GST_VIDEO_FRAME_MAP_FLAG_NO_REF;
  gboolean reached = self->in_cuda && !elsewhere;
  gboolean on_gpu = reached && backend->device.kind == DEVICE_CUDA;

  if (self->use & GST_VISION_FRAME_WRITE)
    flags |= GST_MAP_WRITE;
  if (on_gpu)
    flags |= gst_vision_cuda_map_flag;
  if (reached) /* only a download waits for the work that writes the buffer */
    TRY (gst_vision_cuda_follow (&backend->device, buffer));
  g_free (self->fault);
  self->fault = fault_of_buffer (&self->info, buffer);
  if (self->fault)
    return self->fault;
  if (!gst_video_frame_map (&self->frame, &self->info, buffer, flags)) {
    if (on_gpu) /* the loss of a GPU is no fault of the frame */
      TRY (device_wait (&backend->device));
    self->fault = g_strdup_printf ("its memory cannot be mapped for %s",
        flags & GST_MAP_WRITE ? "writing" : "reading");
    return self->fault;
  }
  self->fault = fault_of_frame (&self->staged, &self->frame, on_gpu);
  if (self->fault)
    gst_video_frame_unmap (&self->frame);
  return self->fault;
}

const char *
gst_vision_input_map (GstVisionInput *self, GstVisionBackend *backend,
    GstBuffer *buffer, Image *image)
{
  const Device *device = &backend->device;
  gboolean elsewhere = gst_vision_backend_elsewhere (backend, buffer) != NULL;
  const char *err = NULL;

  TRY (map_frame (self, backend, buffer, elsewhere));
  *image = mapped_image (self);
  self->copied =
      always_copies (self, device) || elsewhere || has_odd_addresses (image);
  if (self->copied)
    err = ensure_staging (self, device);
  if (!err && self->copied) {
    if (!(self->use & GST_VISION_FRAME_FILL))
      err = copy_planes (device, &self->staged, image);
    *image = self->staged;
  }
  if (!err)
    err = device_timer_begin (device, &backend->timer);
  if (err)
    gst_video_frame_unmap (&self->frame);
  return err;
}

static GstClockTime
read_timer (GstVisionBackend *backend)
{
  double seconds;

  return device_timer_read (&backend->device, &backend->timer, &seconds)
      ? (GstClockTime) (seconds * GST_SECOND)
      : GST_CLOCK_TIME_NONE;
}

const char *
gst_vision_input_unmap (GstVisionInput *self, GstVisionBackend *backend)
{
  const char *err = NULL;

  device_timer_stop (&backend->device, &backend->timer);
  if (self->use & GST_VISION_FRAME_WRITE) {
    Image image = mapped_image (self);

    if (self->copied)
      err = copy_planes (&backend->device, &image, &self->staged);
    if (!err)
      err = device_wait (&backend->device);
    gst_vision_cuda_written (self->frame.buffer);
  }
  backend->kernel_time = read_timer (backend);
  gst_video_frame_unmap (&self->frame);
  return err;
}

/* Adds @pool to @query, configured for @caps. */
static void
propose_pool (GstBufferPool *pool, GstAllocator *allocator, GstCaps *caps,
    GstQuery *query)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstVideoInfo info;
  guint size; /* size of a buffer with the padding of its rows, which only the
                 pool knows */

  if (!gst_video_info_from_caps (&info, caps)) {
    gst_structure_free (config);
    return;
  }
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_set_params (
      config, caps, (guint) GST_VIDEO_INFO_SIZE (&info), 0, 0);
  if (allocator)
    gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  if (!gst_buffer_pool_set_config (pool, config))
    return;
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, NULL, &size, NULL, NULL);
  gst_query_add_allocation_pool (query, pool, size, 0, 0);
  gst_structure_free (config);
}

/* Offers page-locked memory for frames that are copied to a GPU, unless what
 * comes after the element has an allocator of its own.  Whoever fills the
 * frames takes the first allocator, also for the pool. */
static void
propose_pinned_memory (GstObject *context, GstCaps *caps, GstQuery *query)
{
  g_autoptr (GstAllocator) allocator = NULL;
  g_autoptr (GstBufferPool) pool = NULL;
  GstAllocationParams params;

  gst_allocation_params_init (&params);
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  if (allocator)
    return;
  allocator = gst_vision_pinned_allocator_new (context);
  pool = gst_video_buffer_pool_new ();
  if (gst_query_get_n_allocation_params (query) > 0)
    gst_query_set_nth_allocation_param (query, 0, allocator, &params);
  else
    gst_query_add_allocation_param (query, allocator, &params);
  propose_pool (pool, allocator, caps, query);
}

static gboolean
works_on_gpu (GstVisionBackend *self)
{
  gboolean on_gpu;

  GST_OBJECT_LOCK (self->element);
  on_gpu = g_strcmp0 (self->where, "cuda") == 0;
  GST_OBJECT_UNLOCK (self->element);
  return on_gpu;
}

void
gst_vision_input_propose (GstVisionBackend *self, GstQuery *query)
{
  GstObject *context = NULL;
  GstCaps *caps;

  if (!gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_query_parse_allocation (query, &caps, NULL);
  if (caps && gst_query_get_n_allocation_pools (query) == 0)
    context = gst_vision_backend_ref_context (self);
  if (context && gst_vision_caps_in_cuda (caps)) {
    GstBufferPool *pool = gst_vision_cuda_pool_new (context);

    propose_pool (pool, NULL, caps, query);
    gst_object_unref (pool);
  } else if (context && works_on_gpu (self)) {
    propose_pinned_memory (context, caps, query);
  }
  gst_clear_object (&context);
}

GstBufferPool *
gst_vision_input_new_pool (GstVisionBackend *self, const GstVideoInfo *info,
    gboolean in_cuda, guint min)
{
  GstBufferPool *pool = in_cuda ? gst_vision_cuda_pool_new (self->context)
                                : gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = gst_video_info_to_caps (info);

  if (in_cuda) {
    gst_caps_set_features_simple (
        caps, gst_caps_features_new (GST_VISION_CUDA_MEMORY, NULL));
    gst_buffer_pool_config_add_option (
        config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  }
  gst_buffer_pool_config_set_params (
      config, caps, (guint) GST_VIDEO_INFO_SIZE (info), min, 0);
  gst_caps_unref (caps);
  if (gst_buffer_pool_set_config (pool, config) &&
      gst_buffer_pool_set_active (pool, TRUE))
    return pool;
  gst_object_unref (pool);
  return NULL;
}
