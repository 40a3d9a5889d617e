/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Turns a list into a scene: one block of memory, copied to the device at once
 * through pinned memory, and then drawn by the stages. */
#include "overlay/overlay_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of blocks in pinned memory.  The host waits before it fills a block
 * that has not arrived on the device. */
#define FLIGHT 4

/* Offsets in a block, bytes. */
typedef struct {
  size_t range, palette, strokes, shapes, map, bytes;
} Layout;

struct _Overlay {
  const Device *dev;
  DeviceMemory memory;
  const OverlayStages *stages;

  uint8_t *pinned[FLIGHT], *block; /* host, device: o->room bytes each */
  size_t room;
  uint32_t serial; /* of the newest block */
  uint32_t *drawn; /* pinned: serial of the newest block that has arrived on the
                      device */

  uint8_t *atlas;
  int atlas_width, atlas_height;
  OverlayImage image;

  OverlayRange *range; /* device */
  OverlayMap followed; /* the map whose values the range follows; its pixels are
                          NULL if the range follows none */
};

const char *
overlay_new (Overlay **self, const Device *dev)
{
  Overlay *o = calloc (1, sizeof *o);

  *self = o;
  if (!o)
    return OUT_OF_MEMORY (sizeof *o, "");
  o->dev = dev;
  o->stages = STAGES (overlay, dev);
  memory_open (&o->memory, dev);
  TRY (memory_get (&o->memory, &o->range, 1));
  return memory_get_pinned (&o->memory, &o->drawn, 1);
}

void
overlay_free (Overlay *o)
{
  if (!o)
    return;
  device_wait (o->dev);
  memory_free (&o->memory);
  free (o->image.rgba);
  free (o);
}

const char *
overlay_set_atlas (
    Overlay *o, const uint8_t *pixels, int width, int height, int stride)
{
  o->atlas_width = o->atlas_height = 0;
  TRY (overlay_upload_rows (
      &o->memory, &o->atlas, pixels, stride, width, height));
  o->atlas_width = width;
  o->atlas_height = height;
  return NULL;
}

const char *
overlay_set_image (
    Overlay *o, const uint8_t *pixels, int width, int height, int stride)
{
  return overlay_image_set (&o->image, pixels, width, height, stride);
}

static const char *
check_list (const Overlay *o, const Image *frame, const OverlayList *list)
{
  if (list->error)
    return list->error;
  if (frame->width > OVERLAY_MAX_SIZE || frame->height > OVERLAY_MAX_SIZE)
    return "frames wider or higher than 32767 pixels cannot be drawn on";
  if (frame->width != list->width || frame->height != list->height)
    return "what is to be drawn was made for another frame size";
  if (list->glyphs.x0 < list->glyphs.x1 &&
      (list->glyphs.x0 < 0 || list->glyphs.y0 < 0 ||
          list->glyphs.x1 > o->atlas_width ||
          list->glyphs.y1 > o->atlas_height))
    return "a glyph lies outside the atlas";
  return NULL;
}

/* Whether the block carries the map's pixels, because the device cannot reach
 * them. */
static bool
carries_pixels (const Overlay *o, const OverlayMap *map)
{
  return map->pixels && map->on_host && o->dev->kind != DEVICE_CPU;
}

static Layout
lay_out_block (const Overlay *o, const OverlayList *list)
{
  Layout l = {.palette = 64, .strokes = 64 + 4 * 256};

  l.shapes = l.strokes + list->n_strokes * sizeof (OverlayStroke);
  l.map = l.shapes + list->n_shapes * sizeof (OverlayShape);
  l.map = (l.map + 15) & ~(size_t) 15;
  l.bytes = l.map;
  if (carries_pixels (o, &list->map))
    l.bytes += overlay_map_bytes (&list->map);
  return l;
}

static const char *
reserve_block (Overlay *o, size_t bytes)
{
  size_t room = 2 * bytes;

  if (bytes <= o->room)
    return NULL;
  TRY (device_wait (o->dev));
  o->room = 0;
  for (int i = 0; i < FLIGHT; i++)
    TRY (memory_get_pinned (&o->memory, &o->pinned[i], room));
  TRY (memory_get (&o->memory, &o->block, room));
  o->room = room;
  return NULL;
}

/* Sets @block to pinned memory for the next block, and waits for the device if
 * the block there has not arrived. */
static const char *
next_pinned_block (Overlay *o, uint8_t **block)
{
  uint32_t serial = o->serial + 1;

  if ((int32_t) (serial - FLIGHT - *(volatile uint32_t *) o->drawn) > 0)
    TRY (device_wait (o->dev));
  o->serial = serial;
  *block = o->pinned[serial % FLIGHT];
  return NULL;
}

static const char *
pack_strokes (Overlay *o, const Image *frame, const Yuv *yuv,
    const OverlayList *list, OverlayStroke *strokes, OverlayShape *shapes)
{
  memcpy (strokes, list->strokes, list->n_strokes * sizeof *strokes);
  memcpy (shapes, list->shapes, list->n_shapes * sizeof *shapes);
  for (int i = 0; i < list->n_strokes; i++) {
    OverlayStroke *s = &strokes[i];

    overlay_components (frame->format, yuv, list->strokes[i].colour, s->colour);
    if (s->kind == OVERLAY_SPRITE && s->count) {
      TRY (overlay_image_convert (&o->image, &o->memory, frame, yuv));
      overlay_image_place (&o->image, &shapes[s->first].of.sprite);
    }
  }
  return NULL;
}

/* Puts the chosen colours of labels into the palette.  Each label has its own
 * place: the hash is by the golden ratio, and OVERLAY_COLOURS labels in a row
 * have as many places (Knuth, The Art of Computer Programming 3, 6.4, theorem
 * S). */
static void
put_label_colours (
    const OverlayMap *map, ImageFormat format, const Yuv *yuv, uint8_t *palette)
{
  int n = map->n_colours < OVERLAY_COLOURS ? map->n_colours : OVERLAY_COLOURS;

  for (int k = 0; map->labels && map->colours && k < n; k++) {
    const OverlayColour *c = &map->colours[k];

    overlay_components (format, yuv, (uint8_t[3]){c->r, c->g, c->b},
        palette + 4 * overlay_hash ((uint32_t) k + 1));
  }
}

/* Map @m with the pixels at @pixels, as the device reads it. */
static OverlayNumbers
map_numbers (const OverlayMap *m, const void *pixels, const Image *frame)
{
  double invalid = m->invalid;

  return (OverlayNumbers){.pixels = pixels,
      .width = m->width,
      .height = m->height,
      .stride = m->stride,
      .format = m->format,
      .labels = m->labels,
      .rgb = m->rgb,
      .scale = m->scale,
      .offset = m->offset,
      .invalid_value = invalid,
      .has_invalid =
          invalid >= 0 && invalid <= UINT32_MAX && invalid == floor (invalid),
      .invalid_name = invalid >= 0 && invalid <= UINT32_MAX ? invalid : 0,
      .step_x = ((uint32_t) m->width << 16) / frame->width,
      .step_y = ((uint32_t) m->height << 16) / frame->height};
}

bool
overlay_range_given (const OverlayMap *m)
{
  return isfinite (m->low) && isfinite (m->high) && m->low != m->high;
}

/* Begins the range of map @m and makes it the map that is followed, in the
 * place of @followed.  Returns false if the range of the device goes on. */
static bool
begin_map_range (OverlayRange *range, OverlayMap *followed, const OverlayMap *m)
{
  bool given = overlay_range_given (m);
  bool same = followed->pixels && followed->width == m->width &&
      followed->height == m->height && followed->format == m->format &&
      followed->labels == m->labels && followed->rgb == m->rgb;

  *range = (OverlayRange){.min_order = INT32_MAX, .max_order = INT32_MIN};
  *followed = *m;
  if (given) {
    range->low = m->low;
    range->gain = 255 / (m->high - m->low);
    followed->pixels = NULL;
  }
  return given || !same;
}

/* Fills the block.  @fresh: the device must take the block's range. */
static const char *
pack_block (Overlay *o, const Image *frame, const Yuv *yuv,
    const OverlayList *list, const Layout *l, uint8_t *host, bool *fresh)
{
  TRY (pack_strokes (o, frame, yuv, list, (OverlayStroke *) (host + l->strokes),
      (OverlayShape *) (host + l->shapes)));
  *fresh = false;
  if (list->map.pixels) {
    overlay_palette (frame->format, yuv, list->map.labels, host + l->palette);
    put_label_colours (&list->map, frame->format, yuv, host + l->palette);
    *fresh = begin_map_range (
        (OverlayRange *) (host + l->range), &o->followed, &list->map);
  }
  if (l->bytes > l->map)
    memcpy (host + l->map, list->map.pixels, l->bytes - l->map);
  return NULL;
}

static OverlayScene
scene_of_block (const Overlay *o, const Image *frame, const Yuv *yuv,
    const OverlayList *list, const Layout *l)
{
  OverlayScene s = {.frame = *frame,
      .layout = *overlay_layout (frame->format),
      .strokes = (OverlayStroke *) (o->block + l->strokes),
      .shapes = (OverlayShape *) (o->block + l->shapes),
      .n_strokes = list->n_strokes,
      .atlas = o->atlas,
      .atlas_stride = o->atlas_width,
      .texels = o->image.texels,
      .range = o->range,
      .yuv = *yuv,
      .is_rgb = !overlay_is_yuv (frame->format),
      .palette = (uint8_t (*)[4]) (o->block + l->palette),
      .drawn = o->drawn,
      .serial = o->serial};

  if (list->map.pixels)
    s.map = map_numbers (&list->map,
        l->bytes > l->map ? o->block + l->map : list->map.pixels, frame);
  return s;
}

const char *
overlay_draw (Overlay *o, const Image *frame, const OverlayList *list)
{
  bool grey = frame->format <= IMAGE_GRAY16;
  Yuv yuv = yuv_of (frame->matrix, grey || frame->full_range);
  Layout l = lay_out_block (o, list);
  uint8_t *host;
  bool fresh;
  OverlayScene s;

  TRY (check_list (o, frame, list));
  if (!list->n_shapes)
    return NULL;
  TRY (reserve_block (o, l.bytes));
  TRY (next_pinned_block (o, &host));
  TRY (pack_block (o, frame, &yuv, list, &l, host, &fresh));
  TRY (device_copy (o->dev, o->block, host, l.bytes));

  s = scene_of_block (o, frame, &yuv, list, &l);
  if (fresh)
    TRY (device_copy (o->dev, o->range, o->block + l.range, sizeof *o->range));
  if (s.map.pixels && !s.map.labels && !overlay_range_given (&list->map))
    TRY (o->stages->range (o->dev, &s));
  return o->stages->draw (o->dev, &s);
}
