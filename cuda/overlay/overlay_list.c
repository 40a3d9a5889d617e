/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Turns shapes in pixels and doubles into shapes in fixed point, clipped to the
 * frame. */
#include "overlay/overlay_core.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Positions farther out than FAR are drawn alike. */
#define FAR 60000.
/* The boxes of all shapes of a list may take this many pixels: FRAMES times the
 * frame's, and AREA.  A pixel takes 5 to 10 ns on the CPU. */
#define FRAMES 16
#define AREA (32 << 20)
#define MAX_SHAPES (1 << 18)
/* The greatest radius in pixels that overlay_bar_cover () can square. */
#define MAX_RADIUS 127.

const char *
overlay_list_new (OverlayList **list)
{
  *list = calloc (1, sizeof **list);
  return *list ? NULL : OUT_OF_MEMORY (sizeof **list, "");
}

void
overlay_list_free (OverlayList *list)
{
  if (!list)
    return;
  free (list->strokes);
  free (list->shapes);
  free (list);
}

void
overlay_list_clear (OverlayList *list, int width, int height)
{
  list->width = width;
  list->height = height;
  list->n_strokes = list->n_shapes = 0;
  list->map.pixels = NULL;
  list->glyphs = (ImageBox){INT_MAX, INT_MAX, INT_MIN, INT_MIN};
  list->error = NULL;
  list->area_left = (int64_t) FRAMES * width * height + AREA;
  list->n_left_out = 0;
}

int
overlay_left_out (const OverlayList *list)
{
  return list->n_left_out;
}

/* Makes room for one more item.  The room doubles, so that later frames
 * allocate nothing. */
static bool
grow_array (OverlayList *list, void **array, int n, int *room, size_t size)
{
  int more = *room ? 2 * *room : 64;
  void *p;

  if (n < *room)
    return true;
  p = more > *room ? realloc (*array, more * size) : NULL;
  if (!p) {
    list->error =
        OUT_OF_MEMORY (more * size, " for the list of what is to be drawn");
    return false;
  }
  *array = p;
  *room = more;
  return true;
}

void
overlay_stroke (OverlayList *list, OverlayColour colour)
{
  OverlayStroke *s;

  if (!grow_array (list, (void **) &list->strokes, list->n_strokes,
          &list->strokes_room, sizeof *s))
    return;
  s = &list->strokes[list->n_strokes++];
  *s = (OverlayStroke){.alpha = colour.a,
      .colour = {colour.r, colour.g, colour.b, 255},
      .first = list->n_shapes};
}

static double
clamp_coordinate (double v, double low, double high)
{
  return v < low ? low : v > high ? high : v;
}

/* Whether the list has room for one more shape, of @box. */
static bool
take_area (OverlayList *list, const OverlayBox *box)
{
  int64_t area = (int64_t) (box->x1 - box->x0) * (box->y1 - box->y0);

  if (list->n_shapes == MAX_SHAPES || area > list->area_left) {
    list->n_left_out++;
    return false;
  }
  list->area_left -= area;
  return true;
}

/* Adds a shape within these bounds to the newest stroke; NULL if it is outside
 * of the frame, or the list is full. */
static OverlayShape *
add_shape (OverlayList *list, OverlayKind kind, double x0, double y0, double x1,
    double y1)
{
  OverlayBox box = {clamp_coordinate (floor (x0), 0, list->width),
      clamp_coordinate (floor (y0), 0, list->height),
      clamp_coordinate (ceil (x1), 0, list->width),
      clamp_coordinate (ceil (y1), 0, list->height)};
  OverlayStroke *s;
  OverlayShape *shape;

  if (box.x0 >= box.x1 || box.y0 >= box.y1 || list->n_strokes == 0)
    return NULL;
  if (!take_area (list, &box))
    return NULL;
  s = &list->strokes[list->n_strokes - 1];
  if (s->count == OVERLAY_STROKE_SHAPES || (s->count && s->kind != kind)) {
    overlay_stroke (list,
        (OverlayColour){s->colour[0], s->colour[1], s->colour[2], s->alpha});
    s = &list->strokes[list->n_strokes - 1];
  }
  if (list->error ||
      !grow_array (list, (void **) &list->shapes, list->n_shapes,
          &list->shapes_room, sizeof *shape))
    return NULL;

  s->kind = kind;
  if (!s->count++)
    s->box = box;
  s->box.x0 = overlay_min (s->box.x0, box.x0);
  s->box.y0 = overlay_min (s->box.y0, box.y0);
  s->box.x1 = overlay_max (s->box.x1, box.x1);
  s->box.y1 = overlay_max (s->box.y1, box.y1);
  shape = &list->shapes[list->n_shapes++];
  *shape = (OverlayShape){.box = box, .fade = 255};
  return shape;
}

static int32_t
to_fixed (double v)
{
  return (int32_t) lrint (256 * clamp_coordinate (v, -FAR, FAR));
}

/* Adds a bar from (@x0, @y0) to (@x1, @y1), longer by @more at both ends. */
static OverlayShape *
add_bar (OverlayList *list, double x0, double y0, double x1, double y1,
    double width, double more)
{
  double dx = x1 - x0, dy = y1 - y0, length = hypot (dx, dy);
  double half = fmin (width / 2, MAX_RADIUS);
  OverlayShape *shape;

  if (!isfinite (length) || !(width > 0))
    return NULL;
  if (!(shape = add_shape (list, OVERLAY_BARS, fmin (x0, x1) - half - 1,
            fmin (y0, y1) - half - 1, fmax (x0, x1) + half + 2,
            fmax (y0, y1) + half + 2)))
    return NULL;
  shape->of.bar = (OverlayBar){.x = to_fixed ((x0 + x1) / 2),
      .y = to_fixed ((y0 + y1) / 2),
      .ux = length > 0 ? (int32_t) lrint (65536 * dx / length) : 65536,
      .uy = length > 0 ? (int32_t) lrint (65536 * dy / length) : 0,
      .half_u = to_fixed (length / 2 + fmin (more, MAX_RADIUS)),
      .half_v = to_fixed (half)};
  return shape;
}

void
overlay_line (OverlayList *list, double x0, double y0, double x1, double y1,
    double width, int fade)
{
  OverlayShape *shape = add_bar (list, x0, y0, x1, y1, width, width / 2);

  if (!shape)
    return;
  shape->of.bar.radius = shape->of.bar.half_v;
  shape->fade = clamp_coordinate (fade, 0, 255);
}

void
overlay_dashes (OverlayList *list, double x0, double y0, double x1, double y1,
    double width, double on, double off)
{
  OverlayShape *shape = add_bar (list, x0, y0, x1, y1, width, 0);

  if (!shape || !(on > 0) || !(off > 0))
    return;
  shape->of.bar.on = to_fixed (on);
  shape->of.bar.period = overlay_max (1, to_fixed (on) + to_fixed (off));
}

/* Adds the part of a rounded box within these bounds. */
static void
add_box_part (OverlayList *list, const OverlayBar *bar, double x0, double y0,
    double x1, double y1)
{
  OverlayShape *shape = add_shape (list, OVERLAY_BARS, x0, y0, x1, y1);

  if (shape)
    shape->of.bar = *bar;
}

/* Sets @bar to a box; false if nothing of it can be drawn. */
static bool
set_box_bar (OverlayBar *bar, double *x0, double *y0, double *x1, double *y1,
    double radius)
{
  double half;

  *x0 = clamp_coordinate (*x0, -FAR, FAR),
  *x1 = clamp_coordinate (*x1, -FAR, FAR);
  *y0 = clamp_coordinate (*y0, -FAR, FAR),
  *y1 = clamp_coordinate (*y1, -FAR, FAR);
  half = fmin (*x1 - *x0, *y1 - *y0) / 2;
  if (!(half > 0))
    return false;
  radius = radius > 0 ? fmin (radius, fmin (half, MAX_RADIUS)) : 0;
  /* pixel x covers x - 1/2 to x + 1/2 */
  *bar = (OverlayBar){.x = to_fixed ((*x0 + *x1 - 1) / 2),
      .y = to_fixed ((*y0 + *y1 - 1) / 2),
      .ux = 65536,
      .half_u = to_fixed ((*x1 - *x0) / 2),
      .half_v = to_fixed ((*y1 - *y0) / 2),
      .radius = to_fixed (radius)};
  return true;
}

static bool
are_four_finite (double a, double b, double c, double d)
{
  return isfinite (a) && isfinite (b) && isfinite (c) && isfinite (d);
}

void
overlay_fill (OverlayList *list, double x0, double y0, double x1, double y1,
    double radius)
{
  OverlayBar bar;

  if (are_four_finite (x0, y0, x1, y1) &&
      set_box_bar (&bar, &x0, &y0, &x1, &y1, radius))
    add_box_part (list, &bar, x0 - 1, y0 - 1, x1 + 1, y1 + 1);
}

void
overlay_outline (OverlayList *list, double x0, double y0, double x1, double y1,
    double radius, double width)
{
  OverlayBar bar;
  double rim;

  if (!are_four_finite (x0, y0, x1, y1) || !(width > 0) ||
      !set_box_bar (&bar, &x0, &y0, &x1, &y1, radius))
    return;
  bar.rim = overlay_max (1, to_fixed (width));
  rim = fmax (width, bar.radius / 256.) + 1;
  /* four strips, without the inside; where two overlap, they draw the same */
  add_box_part (list, &bar, x0 - 1, y0 - 1, x1 + 1, fmin (y0 + rim, y1 + 1));
  add_box_part (list, &bar, x0 - 1, fmax (y1 - rim, y0 - 1), x1 + 1, y1 + 1);
  add_box_part (list, &bar, x0 - 1, y0 - 1, fmin (x0 + rim, x1 + 1), y1 + 1);
  add_box_part (list, &bar, fmax (x1 - rim, x0 - 1), y0 - 1, x1 + 1, y1 + 1);
}

void
overlay_glyph (OverlayList *list, int x, int y, const ImageBox *from)
{
  OverlayShape *shape = add_shape (list, OVERLAY_GLYPHS, x, y,
      (double) x + from->x1 - from->x0, (double) y + from->y1 - from->y0);

  if (!shape)
    return;
  shape->of.glyph = (OverlayGlyph){from->x0 - x, from->y0 - y};
  list->glyphs.x0 = overlay_min (list->glyphs.x0, from->x0);
  list->glyphs.y0 = overlay_min (list->glyphs.y0, from->y0);
  list->glyphs.x1 = overlay_max (list->glyphs.x1, from->x1);
  list->glyphs.y1 = overlay_max (list->glyphs.y1, from->y1);
}

void
overlay_image (OverlayList *list, const ImageBox *box, int opacity)
{
  int x0 = clamp_coordinate (box->x0, -FAR, FAR),
      y0 = clamp_coordinate (box->y0, -FAR, FAR);
  int x1 = clamp_coordinate (box->x1, -FAR, FAR),
      y1 = clamp_coordinate (box->y1, -FAR, FAR);
  OverlayShape *shape;

  if (x1 <= x0 || y1 <= y0)
    return;
  overlay_stroke (
      list, (OverlayColour){.a = clamp_coordinate (opacity, 0, 255)});
  if ((shape = add_shape (list, OVERLAY_SPRITE, x0, y0, x1, y1)))
    shape->of.sprite =
        (OverlaySprite){.x = x0, .y = y0, .width = x1 - x0, .height = y1 - y0};
}

const char *
overlay_map (OverlayList *list, const OverlayMap *map)
{
  int bytes = overlay_map_number_bytes (map->format);

  if (map->width < 1 || map->height < 1 || !map->pixels)
    return "the map has no pixels";
  if (map->width > OVERLAY_MAX_SIZE || map->height > OVERLAY_MAX_SIZE)
    return "the map is wider or higher than 32767 pixels";
  if (map->stride < (int64_t) map->width * bytes * (map->rgb ? 3 : 1))
    return "the map's rows are longer than its stride";
  if (map->stride % bytes || (uintptr_t) map->pixels % bytes)
    return "the map's rows are not aligned to its numbers";
  if (map->rgb && !overlay_range_given (map))
    return "a map of colours has no range of values";
  list->map = *map;
  overlay_stroke (list, (OverlayColour){0, 0, 0, map->opacity});
  add_shape (list, OVERLAY_MAP, 0, 0, list->width, list->height);
  return NULL;
}
