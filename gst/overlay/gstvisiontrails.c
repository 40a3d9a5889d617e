/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionmarks.h"

#include <math.h>
#include <string.h>

/* A position as parts of the frame's sides, right for any size of the frame. */
typedef struct {
  gdouble x, y;
  gdouble time;    /* seconds */
  gboolean begins; /* no line leads to it: the object was away, or jumped */
} Point;

typedef struct {
  gchar *source;
  guint64 id;
  GArray *points; /* of Point, oldest first */
  OverlayColour colour;
} Trail;

struct _GstVisionTrails {
  GHashTable *trails; /* Trail -> itself, by source and id */
  GPtrArray *order;   /* the trails, the oldest first */
  GArray *path;       /* of Point: the trail that is being drawn */
  gdouble now;        /* seconds */
  gdouble interval;   /* from frame to frame; 0: there was only one frame */
  gdouble reach;
  gboolean has_begun;
};

/* The time from frame to frame if frames have no times. */
#define INTERVAL (1. / 30)
/* An object that is not seen in this many frames was away. */
#define AWAY 2.5
/* A step is a jump if it is longer than two sizes of the object and this many
 * times longer than the step before. */
#define JUMP 4
/* Maximum number of points of a trail, for any time. */
#define MAX_POINTS 4096
/* Maximum number of trails; more objects leave no trail until a trail has
 * faded.
 */
#define MAX_TRAILS 1024
/* Maximum distance of a point from the frame, in widths or heights of the
 * frame; a point farther away is left out, since its square may be no number.
 */
#define MAX_AWAY 1e6
/* Bytes of the name of a source; objects of a source with a longer name leave
 * no trail. */
#define MAX_NAME 256

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
  GstVisionTrails *self = g_new0 (GstVisionTrails, 1);

  self->path = g_array_new (FALSE, FALSE, sizeof (Point));
  self->trails =
      g_hash_table_new_full (trail_hash, trail_equal, NULL, trail_free);
  self->order = g_ptr_array_new ();
  return self;
}

void
gst_vision_trails_free (GstVisionTrails *self)
{
  if (!self)
    return;
  g_ptr_array_unref (self->order);
  g_hash_table_unref (self->trails);
  g_array_unref (self->path);
  g_free (self);
}

void
gst_vision_trails_clear (GstVisionTrails *self)
{
  g_ptr_array_set_size (self->order, 0);
  g_hash_table_remove_all (self->trails);
  self->has_begun = FALSE;
  self->interval = 0;
}

/* Removes the points of @trail that have faded; TRUE: no point is left. */
static gboolean
cut_trail (const GstVisionTrails *self, Trail *trail)
{
  Point *points = (Point *) trail->points->data;
  guint n = trail->points->len, over = MAX (n, MAX_POINTS) - MAX_POINTS;

  while (over < n && self->now - points[over].time > self->reach)
    over++;
  if (over && over < n)
    points[over].begins = TRUE;
  g_array_remove_range (trail->points, 0, over);
  return over == n;
}

void
gst_vision_trails_begin (
    GstVisionTrails *self, GstClockTime time, gdouble reach)
{
  gdouble now = GST_CLOCK_TIME_IS_VALID (time)
      ? (gdouble) time / GST_SECOND
      : self->now + (self->has_begun ? INTERVAL : 0);

  if (now < self->now)
    gst_vision_trails_clear (self);
  if (self->has_begun && now > self->now) { /* a long pause is no interval */
    gdouble max_step = self->interval > 0 ? 2 * self->interval : 1;
    gdouble next = MIN (now - self->now, max_step);

    self->interval += (next - self->interval) / (self->interval > 0 ? 4 : 1);
  }
  self->now = now;
  self->reach = reach;
  self->has_begun = TRUE;
  for (guint i = self->order->len; i-- > 0;) {
    Trail *trail = g_ptr_array_index (self->order, i);

    if (cut_trail (self, trail)) {
      g_ptr_array_remove_index (self->order, i);
      g_hash_table_remove (self->trails, trail);
    }
  }
}

/* Finds the trail of an object, or adds a trail; NULL: there are too many. */
static Trail *
find_trail (GstVisionTrails *self, const gchar *source, guint64 id)
{
  Trail key = {.source = (gchar *) (source ? source : ""), .id = id};
  Trail *trail = g_hash_table_lookup (self->trails, &key);

  if (trail || g_hash_table_size (self->trails) >= MAX_TRAILS ||
      strnlen (key.source, MAX_NAME) == MAX_NAME)
    return trail;
  trail = g_new0 (Trail, 1);
  trail->source = g_strdup (key.source);
  trail->id = id;
  trail->points = g_array_new (FALSE, FALSE, sizeof (Point));
  g_hash_table_add (self->trails, trail);
  g_ptr_array_add (self->order, trail);
  return trail;
}

/* Whether the step to @p is longer than an object of @size can move, in parts
 * of the frame. */
static gboolean
is_jump (const Trail *trail, const Point *p, gdouble size)
{
  guint n = trail->points->len;
  const Point *last = &g_array_index (trail->points, Point, n - 1);
  gdouble step = hypot (p->x - last->x, p->y - last->y), before = 0;

  if (n > 1 && !last->begins)
    before = hypot (last->x - last[-1].x, last->y - last[-1].y) *
        (p->time - last->time) / MAX (last->time - last[-1].time, 1e-3);
  return step > MAX (size, JUMP * before);
}

static gdouble
frame_interval (const GstVisionTrails *self)
{
  return self->interval > 0 ? self->interval : INTERVAL;
}

/* Adds @p to the trail.  If @size is not finite, no step is a jump. */
static void
append_point (const GstVisionTrails *self, Trail *trail, Point p, gdouble size)
{
  guint n = trail->points->len;
  const Point *last = n ? &g_array_index (trail->points, Point, n - 1) : NULL;

  if (!(fabs (p.x) < MAX_AWAY && fabs (p.y) < MAX_AWAY) ||
      (last && p.time <= last->time))
    return;
  p.begins = !last ||
      (isfinite (size) &&
          (p.time - last->time > AWAY * frame_interval (self) ||
              is_jump (trail, &p, size)));
  g_array_append_val (trail->points, p);
}

/* Adds the trajectory of a new object: a point for each frame that the element
 * which found the object has seen. */
static void
add_trajectory (const GstVisionTrails *self, Trail *trail,
    const GstVisionObject *object, guint width, guint height)
{
  const GstVisionArray *t = &object->trajectory;
  guint n = t->n / 2, first = MAX (n, MAX_POINTS) - MAX_POINTS;
  gdouble step = object->age > 0 && n > 1 ? object->age / (n - 1) : INFINITY;

  step = MIN (step, frame_interval (self));
  for (guint i = first; i + 1 < n; i++) /* the last point is of now */
    if (self->now - (n - 1 - i) * step >= self->now - self->reach)
      append_point (self, trail,
          (Point){(t->values[2 * i] + .5) / width,
              (t->values[2 * i + 1] + .5) / height,
              self->now - (n - 1 - i) * step, FALSE},
          INFINITY);
}

void
gst_vision_trails_add (GstVisionTrails *self, const GstVisionObject *object,
    guint ref_width, guint ref_height, OverlayColour colour)
{
  Trail *trail = find_trail (self, object->source, object->id);
  gdouble size =
      2 * MAX (object->width / ref_width, object->height / ref_height);

  if (!trail)
    return;
  trail->colour = colour;
  if (!trail->points->len && object->trajectory.n > 4)
    add_trajectory (self, trail, object, ref_width, ref_height);
  append_point (self, trail,
      (Point){(object->cx + .5) / ref_width, (object->cy + .5) / ref_height,
          self->now, FALSE},
      isfinite (size) ? size : 0);
}

/* ---- Drawing ---- */

/* Moves each point towards the mean of its neighbours, by @max_length pixels at
 * most: this removes trembling and keeps corners.  The ends of a line stay. */
static void
smooth_path (GArray *path, gdouble max_length)
{
  Point *p = (Point *) path->data, before;

  if (path->len)
    before = p[0];
  for (guint i = 1; i + 1 < path->len; i++) {
    Point here = p[i];
    gdouble dx = (before.x + p[i + 1].x) / 2 - here.x;
    gdouble dy = (before.y + p[i + 1].y) / 2 - here.y;
    gdouble part = MIN (.5, max_length / MAX (hypot (dx, dy), 1e-9));

    if (!here.begins && !p[i + 1].begins) {
      p[i].x += part * dx;
      p[i].y += part * dy;
    }
    before = here;
  }
}

/* The position at @t (0 to 1) between @b and @c, on a curve through @a, @b, @c
 * and
 * @d (Catmull and Rom, 1974). */
static gdouble
curve_at (gdouble a, gdouble b, gdouble c, gdouble d, gdouble t)
{
  return b +
      t *
      (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))) / 2;
}

/* Draws the curve to point @i in pieces of about @max_length pixels. */
static void
draw_curve (const GstVisionTrails *self, guint i, OverlayList *list,
    gdouble max_length, gdouble line, gdouble more)
{
  const Point *b = &g_array_index (self->path, Point, i - 1), *c = b + 1;
  const Point *a = b->begins ? b : b - 1;
  const Point *d = i + 1 < self->path->len && !c[1].begins ? c + 1 : c;
  gint n = (gint) CLAMP (hypot (c->x - b->x, c->y - b->y) / max_length, 1, 8);
  gdouble x0 = b->x, y0 = b->y;

  for (gint k = 1; k <= n; k++) {
    gdouble t = (gdouble) k / n;
    gdouble x = curve_at (a->x, b->x, c->x, d->x, t);
    gdouble y = curve_at (a->y, b->y, c->y, d->y, t);
    gdouble old = self->now - b->time + t * (b->time - c->time);
    gdouble part = CLAMP (1 - old / self->reach, 0, 1);

    overlay_line (list, x0, y0, x, y, line * (.3 + .7 * part) + more,
        (gint) (255 * part));
    x0 = x;
    y0 = y;
  }
}

/* Makes self->path of the points of @trail, in pixels.  Leaves out points
 * nearer to the point before than twice the line's width. */
static void
make_path (const GstVisionTrails *self, const Trail *trail, gint width,
    gint height, gdouble line)
{
  guint n = trail->points->len;

  g_array_set_size (self->path, 0);
  for (guint i = 0; i < n; i++) {
    Point p = g_array_index (trail->points, Point, i);
    const Point *last = self->path->len
        ? &g_array_index (self->path, Point, self->path->len - 1)
        : NULL;
    gboolean ends =
        i + 1 == n || (&g_array_index (trail->points, Point, i))[1].begins;

    p.x = p.x * width - .5;
    p.y = p.y * height - .5;
    if (p.begins || ends || hypot (p.x - last->x, p.y - last->y) >= 2 * line)
      g_array_append_val (self->path, p);
  }
  smooth_path (self->path, line);
  smooth_path (self->path, line);
}

void
gst_vision_trails_draw (GstVisionTrails *self, OverlayList *list, gint width,
    gint height, gdouble line)
{
  for (guint k = 0; k < self->order->len; k++) {
    const Trail *trail = g_ptr_array_index (self->order, k);

    make_path (self, trail, width, height, line);
    for (gint shade = 1; shade >= 0; shade--) {
      overlay_stroke (
          list, shade ? (OverlayColour){8, 10, 14, 110} : trail->colour);
      for (guint i = 1; i < self->path->len; i++)
        if (!g_array_index (self->path, Point, i).begins)
          draw_curve (self, i, list, 4 * line, line, shade ? line / 2 : 0);
    }
  }
}
