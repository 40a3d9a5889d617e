/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisiontrails.h"

#include <math.h>
#include <string.h>

/* In parts of the frame, so that they outlive a change of its size. */
typedef struct {
  gdouble x, y;
} Point;

typedef struct {
  gchar *source;
  guint64 id;
  GArray *points; /* of Point, oldest first */
  OverlayColour colour;
  gboolean seen; /* in this frame */
} Trail;

struct _GstVisionTrails {
  GHashTable *trails; /* Trail -> itself, by source and id */
};

/* Points that a trail that lost its object loses a frame. */
#define RECEDE 2
/* Whatever length is asked for, no more are remembered. */
#define MOST_POINTS 4096
/* Objects beyond these leave no trail, until others have faded. */
#define MOST_TRAILS 1024
/* Bytes of the name of a source; with a longer one there are none, either. */
#define MOST_NAME 256

static guint
trail_hash (gconstpointer p)
{
  const Trail *trail = p;

  return g_str_hash (trail->source) ^ g_int64_hash (&trail->id);
}

static gboolean
trail_equal (gconstpointer p, gconstpointer q)
{
  const Trail *a = p, *b = q;

  return a->id == b->id && g_str_equal (a->source, b->source);
}

static void
trail_free (gpointer p)
{
  Trail *trail = p;

  g_array_unref (trail->points);
  g_free (trail->source);
  g_free (trail);
}

GstVisionTrails *
gst_vision_trails_new (void)
{
  GstVisionTrails *self = g_new (GstVisionTrails, 1);

  self->trails =
      g_hash_table_new_full (trail_hash, trail_equal, NULL, trail_free);
  return self;
}

void
gst_vision_trails_free (GstVisionTrails *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->trails);
  g_free (self);
}

void
gst_vision_trails_clear (GstVisionTrails *self)
{
  g_hash_table_remove_all (self->trails);
}

/* NULL where there are too many. */
static Trail *
find (GstVisionTrails *self, const gchar *source, guint64 id)
{
  Trail key = {.source = (gchar *) (source ? source : ""), .id = id};
  Trail *trail = g_hash_table_lookup (self->trails, &key);

  if (trail || g_hash_table_size (self->trails) >= MOST_TRAILS ||
      strnlen (key.source, MOST_NAME) == MOST_NAME)
    return trail;
  trail = g_new0 (Trail, 1);
  trail->source = g_strdup (key.source);
  trail->id = id;
  trail->points = g_array_new (FALSE, FALSE, sizeof (Point));
  g_hash_table_add (self->trails, trail);
  return trail;
}

static void
append (Trail *trail, gdouble x, gdouble y, guint width, guint height)
{
  Point p = {(x + .5) / width, (y + .5) / height};

  if (isfinite (p.x) && isfinite (p.y))
    g_array_append_val (trail->points, p);
}

void
gst_vision_trails_add (GstVisionTrails *self, const GstVisionObject *object,
    guint ref_width, guint ref_height, OverlayColour colour)
{
  const GstVisionArray *t = &object->trajectory;
  Trail *trail = find (self, object->source, object->id);

  if (!trail)
    return;
  trail->seen = TRUE;
  trail->colour = colour;
  if (t->n > 4) { /* two points only say where it came from */
    guint first = t->n / 2 > MOST_POINTS ? t->n / 2 - MOST_POINTS : 0;

    g_array_set_size (trail->points, 0);
    for (guint i = first; i < t->n / 2; i++)
      append (
          trail, t->values[2 * i], t->values[2 * i + 1], ref_width, ref_height);
  } else {
    append (trail, object->cx, object->cy, ref_width, ref_height);
  }
}

/* Line by line with rising opacity and width; points that are nearer to each
 * other than twice the line's width are passed over. */
static void
draw_line (const Trail *trail, OverlayList *list, gint width, gint height,
    gdouble line, gdouble more)
{
  guint n = trail->points->len;
  gdouble ax = 0, ay = 0;

  for (guint i = 0; i < n; i++) {
    const Point *p = &g_array_index (trail->points, Point, i);
    gdouble x = p->x * width - .5, y = p->y * height - .5;
    gdouble part = (i + 1.) / n;

    if (i > 0 && i + 1 < n && hypot (x - ax, y - ay) < 2 * line)
      continue;
    if (i > 0)
      overlay_line (
          list, ax, ay, x, y, line * (.3 + .7 * part) + more, 255 * part);
    ax = x;
    ay = y;
  }
}

static void
draw (const Trail *trail, OverlayList *list, gint width, gint height,
    gdouble line)
{
  overlay_stroke (list, (OverlayColour){8, 10, 14, 110});
  draw_line (trail, list, width, height, line, line / 2);
  overlay_stroke (list, trail->colour);
  draw_line (trail, list, width, height, line, 0);
}

void
gst_vision_trails_draw (GstVisionTrails *self, OverlayList *list, gint width,
    gint height, gdouble line, guint length)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->trails);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    Trail *trail = key;
    guint over = MAX (trail->points->len, length) - length;

    if (!trail->seen)
      over = MIN (MAX (over, RECEDE), trail->points->len);
    if (over)
      g_array_remove_range (trail->points, 0, over);
    trail->seen = FALSE;
    if (trail->points->len)
      draw (trail, list, width, height, line);
    else
      g_hash_table_iter_remove (&iter);
  }
}
