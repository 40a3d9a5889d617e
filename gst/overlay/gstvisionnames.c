/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plates: names beside objects; rate and legend in the upper left corner.
 */
#include "overlay/gstvisionmarks.h"

#include <math.h>
#include <string.h>

/* With more plates than this, plates may cover each other. */
#define MAX_PLATES 128

static const OverlayColour white = {255, 255, 255, 255};
static const OverlayColour dim = {196, 202, 212, 255};

/* A part of the text on a plate. */
typedef struct {
  const gchar *text;
  OverlayColour colour;
} Part;

/* Words for the reasons of rejected objects. */
static const gchar *const reasons[][2] = {{"size", "too small"},
    {"fill", "too many holes"}, {"extent", "too narrow"},
    {"rank", "eight are larger"}, {"persistence", "not long enough"},
    {"surface", "no tracker says that it moves"}};

static const gchar *
words_of_reason (const gchar *reason)
{
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (!strcmp (reason, reasons[i][0]))
      return reasons[i][1];
  return reason;
}

static gboolean
is_free_of_plates (const GstVisionMarks *self, const ImageBox *b)
{
  if (self->plates->len > MAX_PLATES)
    return TRUE;
  for (guint i = 0; i < self->plates->len; i++) {
    const ImageBox *o = &g_array_index (self->plates, ImageBox, i);

    if (b->x0 < o->x1 && o->x0 < b->x1 && b->y0 < o->y1 && o->y0 < b->y1)
      return FALSE;
  }
  return TRUE;
}

/* The first free place within the frame: above the object's box @b, below it,
 * beside it, inside it. */
static ImageBox
find_plate_place (const GstVisionMarks *self, const ImageBox *b, gint w, gint h)
{
  gint gap = 2 * self->line + 1;
  const gint at[][2] = {{b->x0 - self->line, b->y0 - gap - h},
      {b->x0 - self->line, b->y1 + gap}, {b->x1 + gap, b->y0},
      {b->x0 - gap - w, b->y0}, {b->x0 + gap, b->y0 + gap},
      {b->x0 + gap, b->y1 - gap - h}};
  ImageBox place = {0}, best = {0};
  gboolean have = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (at); i++) {
    gint x = CLAMP (at[i][0], 0, MAX (0, self->width - w));
    gint y = CLAMP (at[i][1], 0, MAX (0, self->height - h));

    place = (ImageBox){x, y, x + w, y + h};
    if (y != at[i][1])
      continue;
    if (is_free_of_plates (self, &place))
      return place;
    if (!have)
      best = place;
    have = TRUE;
  }
  return have ? best : place;
}

/* The space around the text of a plate. */
static gint
plate_padding (const GstVisionMarks *self)
{
  return MAX (2, gst_vision_glyphs_size (self->glyphs) / 4);
}

static gint
plate_bar_width (const GstVisionMarks *self)
{
  return MAX (2, gst_vision_glyphs_size (self->glyphs) / 6);
}

static gint
plate_space (const GstVisionMarks *self)
{
  return MAX (3, gst_vision_glyphs_size (self->glyphs) * 2 / 5);
}

/* The size of a plate with @n parts. */
static void
plate_size (
    GstVisionMarks *self, const Part *parts, guint n, gint *width, gint *height)
{
  GstVisionGlyphs *g = self->glyphs;
  gint pad = plate_padding (self);

  *width =
      plate_bar_width (self) + 2 * pad + (gint) (n - 1) * plate_space (self);
  for (guint i = 0; i < n; i++)
    *width += gst_vision_glyphs_width (g, parts[i].text);
  *height = gst_vision_glyphs_rise (g) +
      2 * MAX (gst_vision_glyphs_fall (g) + 1, pad);
}

/* Draws a plate at @p, with a bar of @colour at its left edge. */
static void
draw_plate (GstVisionMarks *self, ImageBox p, const Part *parts, guint n,
    OverlayColour colour)
{
  GstVisionGlyphs *g = self->glyphs;
  gint bar = plate_bar_width (self), w, h;

  plate_size (self, parts, n, &w, &h);
  overlay_stroke (self->list, (OverlayColour){14, 16, 22, 200});
  overlay_fill (self->list, p.x0, p.y0, p.x0 + w, p.y0 + h,
      gst_vision_glyphs_size (g) / 6.);
  overlay_stroke (self->list, colour);
  overlay_fill (self->list, p.x0, p.y0, p.x0 + bar, p.y0 + h, bar / 2.);
  p.x0 += bar + plate_padding (self);
  for (guint i = 0; i < n; i++) {
    overlay_stroke (self->list, parts[i].colour);
    gst_vision_glyphs_draw (g, self->list, p.x0,
        p.y0 + (h + gst_vision_glyphs_rise (g)) / 2, parts[i].text);
    p.x0 += gst_vision_glyphs_width (g, parts[i].text) + plate_space (self);
  }
}

/* The parts of the plate of @object; returns their number. */
static guint
make_plate_parts (const GstVisionMarks *self, const GstVisionObject *object,
    OverlayColour colour, gchar id[24], gchar score[16], Part *parts)
{
  guint show = self->look->show, n = 0;

  if ((show & GST_VISION_SHOW_LABEL) && object->label && object->label[0])
    parts[n++] = (Part){object->label, {255, 255, 255, 255}};
  if ((show & GST_VISION_SHOW_ID) && object->id) {
    g_snprintf (id, 24, "#%" G_GUINT64_FORMAT, object->id);
    parts[n++] = (Part){id, colour};
  }
  if ((show & GST_VISION_SHOW_SCORE) && isfinite (object->score)) {
    g_snprintf (
        score, 16, "%d%%", (gint) round (100 * CLAMP (object->score, 0, 1)));
    parts[n++] = (Part){score, dim};
  }
  if ((show & GST_VISION_SHOW_STATE) && *gst_vision_state_nick (object->state))
    parts[n++] = (Part){gst_vision_state_nick (object->state), dim};
  if ((show & GST_VISION_SHOW_LABEL) &&
      object->state == GST_VISION_STATE_REJECTED && object->reason &&
      object->reason[0])
    parts[n++] = (Part){words_of_reason (object->reason), dim};
  return n;
}

void
gst_vision_marks_name (GstVisionMarks *self, const GstVisionObject *object)
{
  ImageBox box = gst_vision_marks_box (self, object), place;
  OverlayColour colour = gst_vision_marks_colour (self, object);
  Part parts[5];
  gchar id[24], score[16];
  guint n = make_plate_parts (self, object, colour, id, score, parts);
  gint w, h;

  if (!n || box.x1 < 0 || box.y1 < 0 || box.x0 > self->width ||
      box.y0 > self->height)
    return;
  plate_size (self, parts, n, &w, &h);
  place = find_plate_place (self, &box, w, h);
  g_array_append_val (self->plates, place);
  draw_plate (self, place, parts, n, colour);
}

/* ---- The upper left corner: the rate and the legend ---- */

/* Time over which frames are counted, microseconds. */
#define PERIOD (G_USEC_PER_SEC / 2)
/* Maximum number of rows of the legend. */
#define MAX_ROWS 16

typedef struct {
  const gchar *name;
  OverlayColour colour;
  guint n;
} Row;

static void
count_shown_frame (GstVisionMarks *self)
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
put_corner_plate (GstVisionMarks *self, gint x, gint *y, const Part *parts,
    guint n, OverlayColour colour)
{
  ImageBox place = {x, *y, 0, 0};
  gint w, h;

  plate_size (self, parts, n, &w, &h);
  place.x1 = x + w;
  place.y1 = *y + h;
  g_array_append_val (self->plates, place);
  draw_plate (self, place, parts, n, colour);
  *y = place.y1 + self->line;
}

static const gchar *
legend_name (const GstVisionMarks *self, const GstVisionObject *object)
{
  if (self->look->color_by == GST_VISION_COLOR_BY_ELEMENT || !object->label ||
      !object->label[0])
    return object->source ? object->source : "";
  return object->label;
}

static guint
make_legend_rows (GstVisionMarks *self, const GstVisionObject **objects,
    guint n, Row rows[MAX_ROWS])
{
  guint n_rows = 0, k;

  for (guint i = 0; i < n; i++) {
    const gchar *name = legend_name (self, objects[i]);

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

  count_shown_frame (self);
  if ((self->look->show & GST_VISION_SHOW_RATE) && self->rate > 0) {
    g_snprintf (text, sizeof text, "%.1f fps", self->rate);
    put_corner_plate (self, x, &y, &(Part){text, white}, 1, dim);
  }
  if (!(self->look->show & GST_VISION_SHOW_LEGEND))
    return;
  n = make_legend_rows (self, objects, n, rows);
  for (guint i = 0; i < n; i++) {
    g_snprintf (text, sizeof text, "%u", rows[i].n);
    put_corner_plate (self, x, &y, (Part[]){{rows[i].name, white}, {text, dim}},
        2, rows[i].colour);
  }
}
