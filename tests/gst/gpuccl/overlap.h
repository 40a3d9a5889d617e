/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What label maps and boxes have in common. */
#pragma once

#include <gst/check/gstcheck.h>

#include <string.h>

#include "meta/gstvisionmeta.h"

static inline guint32
number_at (const GstVisionMap *map, const guint8 *pixels, guint x, guint y)
{
  const guint8 *row = pixels + (gsize) y * map->stride;

  return !strcmp (map->format, "u32") ? ((const guint32 *) row)[x]
      : !strcmp (map->format, "u16")  ? ((const guint16 *) row)[x]
                                      : row[x];
}

/* The component's number in the label map is that of its first pixel, which is
 * in the box's upper row: the one of them with the object's area. */
static inline guint32
label_of (const GstVisionObject *o, const GstVisionMap *map, const guint8 *p)
{
  for (guint x = (guint) o->x; x < o->x + o->width; x++) {
    guint32 label = number_at (map, p, x, (guint) o->y);
    guint64 area = 0;

    if (label != 1 + (guint) o->y * map->width + x)
      continue;
    for (gsize i = 0; i < (gsize) map->width * map->height; i++)
      area += number_at (map, p, i % map->width, i / map->width) == label;
    if (area == o->area)
      return label;
  }
  fail ("no component of the label map is the object");
  return 0;
}

/* Part that two sets of pixels have in common of what either has. */
static inline gdouble
overlap_of (
    const GstVisionMap *a, guint32 in_a, const GstVisionMap *b, guint32 in_b)
{
  GstMapInfo p, q;
  guint both = 0, either = 0;

  gst_buffer_map (a->pixels, &p, GST_MAP_READ);
  gst_buffer_map (b->pixels, &q, GST_MAP_READ);
  for (guint i = 0; i < a->width * a->height; i++) {
    gboolean x = number_at (a, p.data, i % a->width, i / a->width) == in_a;
    gboolean y = number_at (b, q.data, i % a->width, i / a->width) == in_b;

    both += x && y;
    either += x || y;
  }
  gst_buffer_unmap (b->pixels, &q);
  gst_buffer_unmap (a->pixels, &p);
  return (gdouble) both / either;
}

static inline gdouble
box_overlap_of (const GstVisionObject *a, const GstVisionObject *b)
{
  gdouble w = MIN (a->x + a->width, b->x + b->width) - MAX (a->x, b->x);
  gdouble h = MIN (a->y + a->height, b->y + b->height) - MAX (a->y, b->y);
  gdouble both = MAX (w, 0) * MAX (h, 0);

  return both / (a->width * a->height + b->width * b->height - both);
}
