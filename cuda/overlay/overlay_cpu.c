/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages as loops.  A tile gets stroke after stroke: first the coverage of
 * its pixels, then the blending of each component. */
#include "overlay/overlay_core.h"

#include <pthread.h>
#include <string.h>

#include "common/parallel.h"

#define TILE 64 /* even: pixels that share chroma are in one tile */

typedef struct {
  int x, y;                       /* the first pixel in the frame */
  uint16_t max_cover[TILE][TILE]; /* all 0 between strokes */
  uint8_t alpha[TILE][TILE];
  uint8_t colour[TILE][TILE][4];
} Tile;

/* Colours of a row of pixels, @step bytes apart; step 0: one colour for all. */
typedef struct {
  const uint8_t *at;
  int step;
} Colours;

/* The part of @b in the tile; without any, x0 >= x1 or y0 >= y1. */
static OverlayBox
part_in_tile (const OverlayBox *b, const Tile *t)
{
  return (OverlayBox){overlay_max (b->x0, t->x), overlay_max (b->y0, t->y),
      overlay_min (b->x1, t->x + TILE), overlay_min (b->y1, t->y + TILE)};
}

/* @b, grown to whole quads. */
static OverlayBox
whole_quads (OverlayBox b, const Image *frame)
{
  return (OverlayBox){b.x0 & ~1, b.y0 & ~1,
      overlay_min ((b.x1 + 1) & ~1, frame->width),
      overlay_min ((b.y1 + 1) & ~1, frame->height)};
}

static void
cover_shape (
    const OverlayScene *s, int kind, const OverlayShape *shape, Tile *t)
{
  OverlayBox b = part_in_tile (&shape->box, t);

  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++) {
      uint16_t *max_cover = &t->max_cover[y - t->y][x - t->x];

      *max_cover = overlay_max (
          *max_cover, shape->fade * overlay_cover (s, kind, shape, x, y));
    }
}

static inline void
store_sample (
    const OverlayLayout *l, uint8_t *at, uint32_t alpha, uint32_t sum, int n)
{
  uint32_t old = overlay_read (l->bytes, l->shift, at);

  overlay_write (
      l->bytes, l->shift, at, overlay_mix (old, alpha, sum * l->scale, n));
}

static void
blend_row_alone (const OverlayScene *s, const Tile *t, int k, int x0, int x1,
    int y, Colours c)
{
  const OverlayLayout l = s->layout;
  const uint8_t *alpha = t->alpha[y - t->y];
  uint8_t *at = overlay_at (&s->frame, &l.at[k], x0, y);

  for (int x = x0 - t->x; x < x1 - t->x; x++, at += l.at[k].step)
    if (alpha[x])
      store_sample (&l, at, alpha[x], alpha[x] * c.at[x * c.step + k], 1);
}

/* Blends a row of a component whose samples two neighbours in a row, and @rows
 * pixels in a column, share. */
static void
blend_row_shared (const OverlayScene *s, const Tile *t, int k, int x0, int x1,
    int y, int rows, Colours c)
{
  const OverlayLayout l = s->layout;
  uint8_t *at = overlay_at (&s->frame, &l.at[k], x0, y);

  for (int x = x0 - t->x; x < x1 - t->x; x += 2, at += l.at[k].step) {
    int n = overlay_min (2, x1 - t->x - x);
    uint32_t alpha = 0, sum = 0;

    for (int i = 0; i < rows; i++)
      for (int j = 0; j < n; j++) {
        uint32_t a = t->alpha[y - t->y + i][x + j];

        alpha += a;
        sum += a * c.at[(i * TILE + x + j) * c.step + k];
      }
    if (alpha)
      store_sample (&l, at, alpha, sum, n * rows);
  }
}

/* Blends the pixels within @b, which is of whole quads, by the tile's
 * opacities. */
static void
blend_quads (
    const OverlayScene *s, const Tile *t, OverlayBox b, const uint8_t *solid)
{
  for (int k = 0; k < s->layout.components; k++) {
    const OverlayComponent *at = &s->layout.at[k];

    for (int y = b.y0; y < b.y1; y += 1 + at->sy) {
      Colours c = {solid, 0};

      if (!solid)
        c = (Colours){t->colour[y - t->y][0], 4};
      if (at->sx)
        blend_row_shared (
            s, t, k, b.x0, b.x1, y, overlay_min (1 + at->sy, b.y1 - y), c);
      else
        blend_row_alone (s, t, k, b.x0, b.x1, y, c);
    }
  }
}

static void
draw_tile_texture (const OverlayScene *s, const OverlayStroke *stroke, Tile *t)
{
  OverlayBox b = whole_quads (part_in_tile (&stroke->box, t), &s->frame);
  const OverlayScene scene = *s; /* copies, which a store to t cannot change */
  const OverlayShape shape = s->shapes[stroke->first];
  int kind = stroke->kind, alpha = stroke->alpha;

  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++)
      t->alpha[y - t->y][x - t->x] = overlay_alpha (255 *
              overlay_texture (
                  &scene, kind, &shape, x, y, t->colour[y - t->y][x - t->x]),
          alpha);
  blend_quads (s, t, b, NULL);
}

/* Turns the coverages within @b into opacities.  Returns false if all are 0. */
static bool
take_coverage (Tile *t, OverlayBox b, const OverlayStroke *stroke)
{
  int any = 0, alpha = stroke->alpha;

  for (int y = b.y0 - t->y; y < b.y1 - t->y; y++)
    for (int x = b.x0 - t->x; x < b.x1 - t->x; x++) {
      int max_cover = t->max_cover[y][x];

      any |= max_cover;
      t->alpha[y][x] = overlay_alpha (max_cover, alpha);
      t->max_cover[y][x] = 0;
    }
  return any;
}

/* First adds the coverages of all shapes, so that joints count once.  Then
 * blends the pixels of each shape, but those that an earlier shape has
 * taken. */
static void
draw_tile_shapes (const OverlayScene *s, const OverlayStroke *stroke, Tile *t)
{
  const OverlayShape *shapes = s->shapes + stroke->first;

  for (int i = 0; i < stroke->count; i++)
    cover_shape (s, stroke->kind, &shapes[i], t);
  for (int i = 0; i < stroke->count; i++) {
    OverlayBox b = part_in_tile (&shapes[i].box, t);

    if (b.x0 >= b.x1 || b.y0 >= b.y1)
      continue;
    b = whole_quads (b, &s->frame);
    if (take_coverage (t, b, stroke))
      blend_quads (s, t, b, stroke->colour);
  }
}

static int
tiles_across (const OverlayScene *s)
{
  return (s->frame.width + TILE - 1) / TILE;
}

static void
draw_tiles (void *data, int begin, int end)
{
  const OverlayScene *s = data;
  int across = tiles_across (s);

  for (int i = begin; i < end; i++) {
    Tile t;

    t.x = i % across * TILE;
    t.y = i / across * TILE;
    memset (t.max_cover, 0, sizeof t.max_cover);
    for (int n = 0; n < s->n_strokes; n++) {
      const OverlayStroke *stroke = &s->strokes[n];

      if (!overlay_meets (&stroke->box, t.x, t.y, t.x + TILE, t.y + TILE))
        continue;
      if (stroke->kind == OVERLAY_SPRITE || stroke->kind == OVERLAY_MAP)
        draw_tile_texture (s, stroke, &t);
      else
        draw_tile_shapes (s, stroke, &t);
    }
  }
}

static const char *
draw_cpu (const Device *dev, const OverlayScene *s)
{
  int down = (s->frame.height + TILE - 1) / TILE;

  (void) dev;
  parallel_for (tiles_across (s) * down, 4, draw_tiles, (void *) s);
  *s->drawn = s->serial;
  return NULL;
}

typedef struct {
  const OverlayNumbers *map;
  pthread_mutex_t lock;
  int32_t min_order, max_order;
} Range;

static void
measure_map_rows (void *data, int begin, int end)
{
  Range *r = data;
  int32_t min_order = INT32_MAX, max_order = INT32_MIN;

  for (int y = begin; y < end; y++)
    for (int x = 0; x < r->map->width; x++) {
      float v;

      if (overlay_map_value (r->map, x, y, &v)) {
        min_order = overlay_min (min_order, overlay_order (v));
        max_order = overlay_max (max_order, overlay_order (v));
      }
    }
  pthread_mutex_lock (&r->lock);
  r->min_order = overlay_min (r->min_order, min_order);
  r->max_order = overlay_max (r->max_order, max_order);
  pthread_mutex_unlock (&r->lock);
}

static const char *
range_cpu (const Device *dev, const OverlayScene *s)
{
  Range r = {&s->map, PTHREAD_MUTEX_INITIALIZER, INT32_MAX, INT32_MIN};

  (void) dev;
  parallel_for (s->map.height, 0, measure_map_rows, &r);
  s->range->min_order = r.min_order;
  s->range->max_order = r.max_order;
  overlay_range_settle (s->range);
  return NULL;
}

const OverlayStages overlay_stages_cpu = {draw_cpu, range_cpu};
