/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Results follow their frame through elements that move its pixels.  An element
 * that knows where its pixels go calls geometry_transform (). Another element
 * is looked for in the pipeline by the pool of its buffers; its caps and
 * properties tell. */
#include <gst/base/gstbasetransform.h>

#include <math.h>
#include <string.h>

#include "gstvisionmove.h"
#include "gstvisionstructure.h"

#define N_ORIGINS 2

typedef struct {
  gint width, height, par_n, par_d;
} Frame;

/* ---- The element that made a buffer ---- */

static GMutex watched_lock;
static GSList *watched; /* of GWeakRef */

static void
free_weak_ref (gpointer ref)
{
  g_weak_ref_clear (ref);
  g_free (ref);
}

/**
 * gst_vision_meta_watch:
 * @element: a pipeline, or any element in it
 *
 * Tells the library of a pipeline whose frames have results.  The library looks
 * for elements that crop or turn frames there, if these elements do not say
 * themselves what they do to a frame.  Elements of the plug-in call this
 * function; a program needs it only if its pipeline has no such element.
 *
 * Since: 0.1
 */
void
gst_vision_meta_watch (GstElement *element)
{
  GWeakRef *ref;

  g_return_if_fail (GST_IS_ELEMENT (element));
  ref = g_new (GWeakRef, 1);
  g_weak_ref_init (ref, element);
  g_mutex_lock (&watched_lock);
  for (GSList *l = watched, *next; l; l = next) {
    GObject *alive = g_weak_ref_get (l->data);

    next = l->next;
    if (alive) {
      g_object_unref (alive);
      continue;
    }
    free_weak_ref (l->data);
    watched = g_slist_delete_link (watched, l);
  }
  watched = g_slist_prepend (watched, ref);
  g_mutex_unlock (&watched_lock);
}

/* Strong references to the watched elements. */
static GSList *
list_watched (void)
{
  GSList *elements = NULL;

  g_mutex_lock (&watched_lock);
  for (GSList *l = watched; l; l = l->next) {
    gpointer element = g_weak_ref_get (l->data);

    if (element)
      elements = g_slist_prepend (elements, element);
  }
  g_mutex_unlock (&watched_lock);
  return elements;
}

static gboolean
owns_pool (gpointer object, gconstpointer pool)
{
  GstBufferPool *own;

  if (!GST_IS_BASE_TRANSFORM (object))
    return FALSE;
  own = gst_base_transform_get_buffer_pool (object);
  if (own)
    gst_object_unref (own);
  return own == pool;
}

static gint
compare_owner (gconstpointer item, gconstpointer pool)
{
  return owns_pool (g_value_get_object (item), pool) ? 0 : 1;
}

static GstElement *
find_owner_beside (GstElement *element, GstBufferPool *pool)
{
  GstObject *top = gst_object_ref (GST_OBJECT (element)), *parent;
  GstElement *owner = NULL;
  GValue found = G_VALUE_INIT;
  GstIterator *iterator;

  while ((parent = gst_object_get_parent (top))) {
    gst_object_unref (top);
    top = parent;
  }
  if (owns_pool (top, pool))
    owner = gst_object_ref (GST_ELEMENT (top));
  if (GST_IS_BIN (top)) {
    iterator = gst_bin_iterate_recurse (GST_BIN (top));
    if (gst_iterator_find_custom (iterator, compare_owner, &found, pool)) {
      owner = g_value_dup_object (&found);
      g_value_unset (&found);
    }
    gst_iterator_free (iterator);
  }
  gst_object_unref (top);
  return owner;
}

/* A pool keeps a weak reference to the element that was found to own it. */
static GQuark
owner_quark (void)
{
  return g_quark_from_static_string ("gst-vision-owner");
}

static gpointer
get_kept_owner (gpointer ref, gpointer unused)
{
  (void) unused;
  return ref ? g_weak_ref_get (ref) : NULL;
}

static void
keep_owner (GstBufferPool *pool, GstElement *owner)
{
  GWeakRef *ref = g_new (GWeakRef, 1);

  g_weak_ref_init (ref, owner);
  g_object_set_qdata_full (G_OBJECT (pool), owner_quark (), ref, free_weak_ref);
}

/* The element whose pool @buffer comes from; NULL: it is not known. */
static GstElement *
find_owner (GstBuffer *buffer)
{
  GstBufferPool *pool = buffer->pool;
  GstElement *owner;
  GSList *elements;

  if (!pool)
    return NULL;
  owner = g_object_dup_qdata (
      G_OBJECT (pool), owner_quark (), get_kept_owner, NULL);
  if (owner && owns_pool (owner, pool))
    return owner;
  gst_clear_object (&owner);
  elements = list_watched ();
  for (GSList *l = elements; l && !owner; l = l->next)
    owner = find_owner_beside (l->data, pool);
  g_slist_free_full (elements, gst_object_unref);
  if (owner)
    keep_owner (pool, owner);
  return owner;
}

/* ---- Where an element puts the pixels ---- */

static GstVisionMove
whole_frame (const Frame *in, const Frame *out)
{
  return (GstVisionMove){.sx = (gdouble) out->width / in->width,
      .sy = (gdouble) out->height / in->height,
      .in_width = in->width,
      .in_height = in->height,
      .out_width = out->width,
      .out_height = out->height};
}

static gboolean
has_property (GstElement *element, const gchar *name, GType type)
{
  GParamSpec *property =
      g_object_class_find_property (G_OBJECT_GET_CLASS (element), name);

  return property && property->value_type == type;
}

/* The frame between borders that keep its shape, as videoscale computes them:
 * their sum may be odd. */
static gboolean
scale_of_element (
    GstElement *element, const Frame *in, const Frame *out, GstVisionMove *move)
{
  gint n, d, dar_n, dar_d, wide = 0, high = 0;
  gboolean borders = TRUE;

  *move = whole_frame (in, out);
  if (!gst_util_fraction_multiply (
          in->width, in->height, in->par_n, in->par_d, &dar_n, &dar_d) ||
      !gst_util_fraction_multiply (
          dar_n, dar_d, out->par_d, out->par_n, &n, &d))
    return FALSE;
  if ((gint64) n * out->height == (gint64) d * out->width)
    return TRUE;
  if (!element)
    return FALSE;
  if (!has_property (element, "add-borders", G_TYPE_BOOLEAN))
    return TRUE;
  g_object_get (element, "add-borders", &borders, NULL);
  if (!borders)
    return TRUE;
  high = out->height - (gint) gst_util_uint64_scale_int (out->width, d, n);
  if (high < 0) {
    wide = out->width - (gint) gst_util_uint64_scale_int (out->height, n, d);
    high = 0;
  }
  move->sx = (gdouble) (out->width - wide) / in->width;
  move->sy = (gdouble) (out->height - high) / in->height;
  move->x0 = wide / 2;
  move->y0 = high / 2;
  return TRUE;
}

/* The pixels that videocrop or videobox takes away at the start of an axis, in
 * @size pixels of which @kept stay; negative: a border.  -1 of videocrop stands
 * for the rest. */
static gboolean
start_of_crop (GstElement *element, gboolean automatic, const gchar *start,
    const gchar *end, gint size, gint kept, gint *at)
{
  gint before, after;

  g_object_get (element, start, &before, end, &after, NULL);
  if (automatic && before == -1)
    before = after == -1 ? (size - kept) / 2 : size - kept - after;
  if (automatic && after == -1)
    after = size - kept - before;
  *at = before;
  return size - before - after == kept;
}

static gboolean
crop_of_element (GstElement *element, gboolean automatic, const Frame *in,
    const Frame *out, GstVisionMove *move)
{
  gint left, top;

  if (!start_of_crop (
          element, automatic, "left", "right", in->width, out->width, &left) ||
      !start_of_crop (
          element, automatic, "top", "bottom", in->height, out->height, &top))
    return FALSE;
  *move = whole_frame (in, out);
  move->sx = move->sy = 1;
  move->x0 = -left;
  move->y0 = -top;
  return TRUE;
}

/* The direction of an element that follows the orientation of the stream. */
static gint
direction_of_tags (GstElement *element)
{
  GstVideoOrientationMethod method = GST_VIDEO_ORIENTATION_IDENTITY;
  GstEvent *event = gst_pad_get_sticky_event (
      GST_BASE_TRANSFORM_SINK_PAD (element), GST_EVENT_TAG, 0);
  GstTagList *tags;

  if (event) {
    gst_event_parse_tag (event, &tags);
    gst_video_orientation_from_tag (tags, &method);
    gst_event_unref (event);
  }
  return method;
}

static gboolean
turn_of_element (
    GstElement *element, const Frame *in, const Frame *out, GstVisionMove *move)
{
  /* of each method: the axes change places before they are turned round */
  static const struct {
    gboolean swap, left, up;
  } turns[] = {
      [GST_VIDEO_ORIENTATION_IDENTITY] = {FALSE, FALSE, FALSE},
      [GST_VIDEO_ORIENTATION_90R] = {TRUE, TRUE, FALSE},
      [GST_VIDEO_ORIENTATION_180] = {FALSE, TRUE, TRUE},
      [GST_VIDEO_ORIENTATION_90L] = {TRUE, FALSE, TRUE},
      [GST_VIDEO_ORIENTATION_HORIZ] = {FALSE, TRUE, FALSE},
      [GST_VIDEO_ORIENTATION_VERT] = {FALSE, FALSE, TRUE},
      [GST_VIDEO_ORIENTATION_UL_LR] = {TRUE, FALSE, FALSE},
      [GST_VIDEO_ORIENTATION_UR_LL] = {TRUE, TRUE, TRUE},
  };
  Frame turned = *in;
  gint method = GST_VIDEO_ORIENTATION_IDENTITY;

  g_object_get (element, "video-direction", &method, NULL);
  if (method == GST_VIDEO_ORIENTATION_AUTO)
    method = direction_of_tags (element);
  if (method < 0 || method >= (gint) G_N_ELEMENTS (turns))
    return FALSE;
  if (turns[method].swap)
    turned = (Frame){in->height, in->width, in->par_d, in->par_n};
  if (!scale_of_element (element, &turned, out, move))
    return FALSE;
  move->swap = turns[method].swap;
  move->in_width = in->width;
  move->in_height = in->height;
  if (turns[method].left) {
    move->x0 += move->sx * turned.width;
    move->sx = -move->sx;
  }
  if (turns[method].up) {
    move->y0 += move->sy * turned.height;
    move->sy = -move->sy;
  }
  return TRUE;
}

static gboolean
read_frame (GstPad *pad, Frame *frame)
{
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const GstStructure *s = caps ? gst_caps_get_structure (caps, 0) : NULL;
  gboolean known;

  *frame = (Frame){0, 0, 1, 1};
  known = s && gst_structure_get_int (s, "width", &frame->width) &&
      gst_structure_get_int (s, "height", &frame->height) && frame->width > 0 &&
      frame->height > 0;
  if (known)
    gst_structure_get_fraction (
        s, "pixel-aspect-ratio", &frame->par_n, &frame->par_d);
  if (caps)
    gst_caps_unref (caps);
  return known;
}

/* FALSE: where the pixels go is not known. */
static gboolean
move_of_element (GstElement *element, GstVisionMove *move)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  const gchar *name = factory ? GST_OBJECT_NAME (factory) : "";
  const gchar *klass =
      gst_element_get_metadata (element, GST_ELEMENT_METADATA_KLASS);
  Frame in, out;

  if (!read_frame (GST_BASE_TRANSFORM_SINK_PAD (element), &in) ||
      !read_frame (GST_BASE_TRANSFORM_SRC_PAD (element), &out))
    return FALSE;
  if (!strcmp (name, "videocrop") || !strcmp (name, "videobox"))
    return crop_of_element (
        element, !strcmp (name, "videocrop"), &in, &out, move);
  if (GST_IS_VIDEO_DIRECTION (element))
    return turn_of_element (element, &in, &out, move);
  if (!klass || strstr (klass, "Transform"))
    return FALSE;
  if (in.width == out.width && in.height == out.height) {
    *move = whole_frame (&in, &out);
    return TRUE;
  }
  /* glcolorscale has no class of scalers */
  return (strstr (klass, "Scaler") || strstr (name, "scale")) &&
      scale_of_element (element, &in, &out, move);
}

/* ---- The metas of results ---- */

static void
copy_structure (const GstStructure *from, GstStructure *to)
{
  for (gint i = 0; i < gst_structure_n_fields (from); i++) {
    const gchar *name = gst_structure_nth_field_name (from, i);

    gst_structure_set_value (to, name, gst_structure_get_value (from, name));
  }
}

static void
move_objects (GstBuffer *from, GstBuffer *to, GstVisionOrigin origin,
    const GstVisionMove *move)
{
  GstStructure *structure =
      gst_vision_structure_ensure (to, GST_VISION_META_OBJECTS, origin);
  GstVisionObjects *objects = gst_buffer_get_vision_objects (from, origin);
  GstVisionMove step;
  GValue *items;

  if (!objects)
    return;
  step = gst_vision_move_from (move, objects->ref_width, objects->ref_height);
  gst_structure_set (structure, "ref-width", G_TYPE_UINT, move->out_width,
      "ref-height", G_TYPE_UINT, move->out_height, NULL);
  items = gst_vision_structure_ensure_items (structure, "objects");
  for (guint i = 0; i < objects->n_objects; i++) {
    gst_vision_object_move (&objects->objects[i], &step);
    gst_vision_items_take (
        items, gst_vision_object_to_structure (&objects->objects[i]));
  }
  gst_vision_objects_free (objects);
}

static void
move_camera (GstBuffer *from, GstBuffer *to, GstVisionOrigin origin,
    const GstVisionMove *move)
{
  GstVisionCamera camera;

  gst_vision_structure_ensure (to, GST_VISION_META_CAMERA, origin);
  if (!gst_buffer_get_vision_camera (from, origin, &camera))
    return;
  gst_vision_camera_move (&camera, move);
  gst_buffer_set_vision_camera (to, origin, &camera);
}

static void
move_maps (GstBuffer *from, GstBuffer *to, GstVisionOrigin origin,
    const GstVisionMove *move)
{
  GstStructure *structure =
      gst_vision_structure_ensure (to, GST_VISION_META_MAPS, origin);
  GstVisionMap map, moved;

  gst_vision_structure_ensure_items (structure, "maps");
  for (guint i = 0; i < gst_buffer_n_vision_maps (from, origin); i++) {
    if (!gst_buffer_nth_vision_map (from, origin, i, &map) ||
        !gst_vision_map_move (&map, move, &moved))
      continue;
    gst_buffer_add_vision_map (to, origin, &moved);
    gst_buffer_unref (moved.pixels);
  }
}

static void
follow_move (GstBuffer *from, GstBuffer *to, const GstVisionMove *move)
{
  static void (*const movers[]) (
      GstBuffer *, GstBuffer *, GstVisionOrigin, const GstVisionMove *) = {
      [GST_VISION_META_OBJECTS] = move_objects,
      [GST_VISION_META_CAMERA] = move_camera,
      [GST_VISION_META_MAPS] = move_maps,
  };

  for (guint kind = 0; kind < GST_VISION_META_KINDS; kind++)
    for (guint origin = 0; origin < N_ORIGINS; origin++) {
      const GstStructure *old = gst_vision_structure_get (from, kind, origin);

      if (!old || gst_vision_structure_get (to, kind, origin))
        continue;
      if (gst_vision_move_is_scaling (move))
        copy_structure (old, gst_vision_structure_ensure (to, kind, origin));
      else
        movers[kind](from, to, origin, move);
    }
}

/* ---- Transforms ---- */

/* Marks @to as a frame without results; an element warns of that once. */
static void
drop_results (GstBuffer *to, GstElement *owner)
{
  static const gchar key[] = "gst-vision-warned";
  GSList *elements = owner ? NULL : list_watched ();
  GstElement *teller = owner ? owner : elements ? elements->data : NULL;

  gst_structure_set (gst_vision_structure_get_geometry (to), "lost",
      G_TYPE_BOOLEAN, TRUE, NULL);
  if (!teller)
    GST_WARNING ("an unknown element moves pixels: its frames have no results");
  else if (!g_object_get_data (G_OBJECT (teller), key)) {
    g_object_set_data (G_OBJECT (teller), key, teller);
    GST_ELEMENT_WARNING (teller, STREAM, FAILED,
        ("%s moves the pixels of frames in a way that is not known; results of "
         "vision elements are dropped there, since their positions would be "
         "wrong. Find objects behind it, or use videocrop, videoflip or "
         "videoscale.",
            owner ? GST_OBJECT_NAME (owner)
                  : "An element that GStreamer does not name"),
        (NULL));
  }
  g_slist_free_full (elements, gst_object_unref);
}

/* Results lie in the whole frame; the element has moved the part of it that a
 * GstVideoCropMeta names. */
static void
add_crop (GstBuffer *from, GstVisionMove *move)
{
  const GstVideoCropMeta *crop = gst_buffer_get_video_crop_meta (from);
  const GstVideoMeta *whole = gst_buffer_get_video_meta (from);

  if (!crop || !whole)
    return;
  move->x0 -= move->sx * (move->swap ? crop->y : crop->x);
  move->y0 -= move->sy * (move->swap ? crop->x : crop->y);
  move->in_width = whole->width;
  move->in_height = whole->height;
}

static void
follow (GstBuffer *from, GstBuffer *to, GstElement *owner, gboolean known,
    GstVisionMove *move)
{
  gst_vision_structure_add_geometry (to);
  if (!known) {
    drop_results (to, owner);
    return;
  }
  add_crop (from, move);
  follow_move (from, to, move);
}

static Frame
frame_of_info (const GstVideoInfo *info)
{
  return (Frame){info->width, info->height, info->par_n, info->par_d};
}

#if GST_CHECK_VERSION(1, 28, 0)
/* One axis of a matrix: a part of the old frame from @in0 on, of @n_in pixels,
 * becomes @n_out pixels from @out0 on.  The matrix has floats, and videoflip's
 * counts pixels, not edges: both follow from the parts.  FALSE: the matrix says
 * something else. */
static gboolean
axis_of_matrix (gfloat factor, gfloat shift, gint in0, gint n_in, gint out0,
    gint n_out, gdouble *scale, gdouble *at)
{
  gint start = factor < 0 ? n_out : 0;

  *scale = copysign ((gdouble) n_out / n_in, factor);
  *at = out0 + start - *scale * in0;
  return n_in > 0 && fabs (factor - *scale) * n_in < 0.5 &&
      fabs (shift - start) < 1.5;
}

/* FALSE: the frame is turned by another angle, or seen aslant. */
static gboolean
move_of_matrix (const GstVideoMetaTransformMatrix *by, GstVisionMove *move)
{
  const gfloat (*m)[3] = by->matrix;
  const GstVideoRectangle *in = &by->in_rectangle, *out = &by->out_rectangle;
  gboolean swap = m[0][0] == 0 && m[1][1] == 0;

  *move = (GstVisionMove){.swap = swap,
      .in_width = by->in_info->width,
      .in_height = by->in_info->height,
      .out_width = by->out_info->width,
      .out_height = by->out_info->height};
  if (m[2][0] != 0 || m[2][1] != 0 || m[2][2] != 1)
    return FALSE;
  if (swap)
    return axis_of_matrix (m[0][1], m[0][2], in->y, in->h, out->x, out->w,
               &move->sx, &move->x0) &&
        axis_of_matrix (m[1][0], m[1][2], in->x, in->w, out->y, out->h,
            &move->sy, &move->y0);
  return m[0][1] == 0 && m[1][0] == 0 &&
      axis_of_matrix (m[0][0], m[0][2], in->x, in->w, out->x, out->w, &move->sx,
          &move->x0) &&
      axis_of_matrix (
          m[1][1], m[1][2], in->y, in->h, out->y, out->h, &move->sy, &move->y0);
}
#endif

static gboolean
geometry_transform (GstBuffer *to, GstCustomMeta *meta, GstBuffer *from,
    GQuark type, gpointer how, gpointer unused)
{
  GstElement *owner;
  GstVisionMove move;

  (void) meta, (void) unused;
  if (GST_META_TRANSFORM_IS_COPY (type)) {
    gst_vision_structure_add_geometry (to);
    return TRUE;
  }
#if GST_CHECK_VERSION(1, 28, 0)
  if (GST_VIDEO_META_TRANSFORM_IS_MATRIX (type)) {
    owner = find_owner (to);
    follow (from, to, owner, move_of_matrix (how, &move), &move);
    gst_clear_object (&owner);
    return TRUE;
  }
#endif
  if (GST_VIDEO_META_TRANSFORM_IS_SCALE (type)) {
    GstVideoMetaTransform *by = how;
    Frame in = frame_of_info (by->in_info);
    Frame out = frame_of_info (by->out_info);

    owner = NULL;
    if (scale_of_element (NULL, &in, &out, &move)) {
      follow (from, to, NULL, TRUE, &move);
      return TRUE;
    }
    owner = find_owner (to);
    follow (from, to, owner, scale_of_element (owner, &in, &out, &move), &move);
    gst_clear_object (&owner);
    return TRUE;
  }
  return FALSE;
}

/* An element has pixels of its own in @to, not those of @from. */
static gboolean
has_other_pixels (GstBuffer *to, GstBuffer *from)
{
  return gst_buffer_n_memory (to) > 0 && gst_buffer_n_memory (from) > 0 &&
      gst_buffer_peek_memory (to, 0) != gst_buffer_peek_memory (from, 0) &&
      (to->pool || gst_buffer_get_size (to) != gst_buffer_get_size (from));
}

static gboolean
results_transform (GstBuffer *to, GstCustomMeta *meta, GstBuffer *from,
    GQuark type, gpointer how, gpointer data)
{
  const GstStructure *geometry = gst_vision_structure_get_geometry (to);
  GstElement *owner;
  GstVisionMove move;

  (void) how;
  if (!GST_META_TRANSFORM_IS_COPY (type))
    return FALSE;
  if (gst_buffer_get_custom_meta (to, data) ||
      (geometry && gst_structure_has_field (geometry, "lost")))
    return TRUE;
  if (!geometry && has_other_pixels (to, from)) {
    owner = find_owner (to);
    if (owner || gst_vision_structure_get_geometry (from)) {
      gboolean known = owner && move_of_element (owner, &move);

      follow (from, to, owner, known, &move);
      gst_clear_object (&owner);
      return TRUE;
    }
  }
  copy_structure (gst_custom_meta_get_structure (meta),
      gst_custom_meta_get_structure (gst_buffer_add_custom_meta (to, data)));
  return TRUE;
}

/* Hands the functions to the file that registers the metas. */
__attribute__ ((constructor)) static void
set_transforms (void)
{
  gst_vision_structure_set_transforms (results_transform, geometry_transform);
}
