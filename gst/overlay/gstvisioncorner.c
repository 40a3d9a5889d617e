/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The upper left corner: how many frames pass, and what the colours stand for.
 */
#include "overlay/gstvisionmarks.h"

/* Time over which frames are counted. */
#define PERIOD (G_USEC_PER_SEC / 2)
/* Rows of the legend. */
#define MAX_ROWS 16

typedef struct {
  const gchar *name;
  OverlayColour colour;
  guint n;
} Row;

static const OverlayColour white = {255, 255, 255, 255};
static const OverlayColour dim = {196, 202, 212, 255};

static void
count_frame (GstVisionMarks *self)
{
  gint64 now = g_get_monotonic_time ();

  self->n_frames++;
  if (self->since && now - self->since < PERIOD)
    return;
  if (self->since)
    self->rate =
        self->n_frames * (gdouble) G_USEC_PER_SEC / (now - self->since);
  self->since = now;
  self->n_frames = 0;
}

/* Puts a plate at (@x, *@y), and *@y under it. */
static void
put (GstVisionMarks *self, gint x, gint *y, const GstVisionPart *parts, guint n,
    OverlayColour colour)
{
  ImageBox place = {x, *y, 0, 0};
  gint w, h;

  gst_vision_marks_plate_size (self, parts, n, &w, &h);
  place.x1 = x + w;
  place.y1 = *y + h;
  g_array_append_val (self->plates, place);
  gst_vision_marks_plate (self, place, parts, n, colour);
  *y = place.y1 + self->line;
}

static const gchar *
name_of (const GstVisionMarks *self, const GstVisionObject *object)
{
  if (self->look->color_by == GST_VISION_COLOR_BY_ELEMENT || !object->label ||
      !object->label[0])
    return object->source ? object->source : "";
  return object->label;
}

static guint
make_rows (GstVisionMarks *self, const GstVisionObject **objects, guint n,
    Row rows[MAX_ROWS])
{
  guint n_rows = 0, k;

  for (guint i = 0; i < n; i++) {
    const gchar *name = name_of (self, objects[i]);

    for (k = 0; k < n_rows && !g_str_equal (rows[k].name, name);)
      k++;
    if (k == MAX_ROWS)
      continue;
    if (k == n_rows)
      rows[n_rows++] =
          (Row){name, gst_vision_marks_colour (self, objects[i]), 0};
    rows[k].n++;
  }
  return n_rows;
}

void
gst_vision_marks_corner (
    GstVisionMarks *self, const GstVisionObject **objects, guint n)
{
  gint x = 2 * self->line, y = x;
  Row rows[MAX_ROWS];
  gchar text[32];

  count_frame (self);
  if ((self->look->show & GST_VISION_SHOW_RATE) && self->rate > 0) {
    g_snprintf (text, sizeof text, "%.1f fps", self->rate);
    put (self, x, &y, &(GstVisionPart){text, white}, 1, dim);
  }
  if (!(self->look->show & GST_VISION_SHOW_LEGEND))
    return;
  n = make_rows (self, objects, n, rows);
  for (guint i = 0; i < n; i++) {
    g_snprintf (text, sizeof text, "%u", rows[i].n);
    put (self, x, &y, (GstVisionPart[]){{rows[i].name, white}, {text, dim}}, 2,
        rows[i].colour);
  }
}
