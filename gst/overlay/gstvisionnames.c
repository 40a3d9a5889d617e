/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plates with names: what they say, and where there is room for them. */
#include "overlay/gstvisionmarks.h"

#include <math.h>
#include <string.h>

/* With more plates than this, none is moved out of another's way. */
#define MOST_PLATES 128

typedef struct {
  const gchar *text;
  OverlayColour colour;
} Part;

static gboolean
free_of_others (const GstVisionMarks *self, const ImageBox *b)
{
  if (self->plates->len > MOST_PLATES)
    return TRUE;
  for (guint i = 0; i < self->plates->len; i++) {
    const ImageBox *o = &g_array_index (self->plates, ImageBox, i);

    if (b->x0 < o->x1 && o->x0 < b->x1 && b->y0 < o->y1 && o->y0 < b->y1)
      return FALSE;
  }
  return TRUE;
}

/* The first place that is inside the frame and free: above the object's box
 * @b, below it, beside it, inside it. */
static ImageBox
find_place (const GstVisionMarks *self, const ImageBox *b, gint w, gint h)
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
    if (free_of_others (self, &place))
      return place;
    if (!have)
      best = place;
    have = TRUE;
  }
  return have ? best : place;
}

static void
draw_plate (GstVisionMarks *self, const ImageBox *box, const Part *parts,
    guint n, OverlayColour colour)
{
  GstVisionGlyphs *g = self->glyphs;
  gint size = gst_vision_glyphs_size (g), rise = gst_vision_glyphs_rise (g);
  gint pad = MAX (2, size / 4), space = MAX (3, size * 2 / 5);
  gint bar = MAX (2, size / 6), w = bar + 2 * pad + (n - 1) * space;
  gint h = rise + 2 * MAX (gst_vision_glyphs_fall (g) + 1, pad);
  gdouble radius = size / 6.;
  ImageBox p;

  for (guint i = 0; i < n; i++)
    w += gst_vision_glyphs_width (g, parts[i].text);
  p = find_place (self, box, w, h);
  g_array_append_val (self->plates, p);

  overlay_stroke (self->list, (OverlayColour){14, 16, 22, 200});
  overlay_fill (self->list, p.x0, p.y0, p.x1, p.y1, radius);
  overlay_stroke (self->list, colour);
  overlay_fill (self->list, p.x0, p.y0, p.x0 + bar, p.y1, bar / 2.);
  p.x0 += bar + pad;
  for (guint i = 0; i < n; i++) {
    overlay_stroke (self->list, parts[i].colour);
    gst_vision_glyphs_draw (
        g, self->list, p.x0, p.y0 + (h + rise) / 2, parts[i].text);
    p.x0 += gst_vision_glyphs_width (g, parts[i].text) + space;
  }
}

void
gst_vision_marks_name (GstVisionMarks *self, const GstVisionObject *object)
{
  ImageBox box = gst_vision_marks_box (self, object);
  OverlayColour colour = gst_vision_marks_colour (self, object);
  gchar id[24], score[16];
  Part parts[4];
  guint n = 0;

  if (box.x1 < 0 || box.y1 < 0 || box.x0 > self->width || box.y0 > self->height)
    return;
  if ((self->look->show & GST_VISION_SHOW_LABEL) && object->label &&
      object->label[0])
    parts[n++] = (Part){object->label, {255, 255, 255, 255}};
  if ((self->look->show & GST_VISION_SHOW_ID) && object->id) {
    g_snprintf (id, sizeof id, "#%" G_GUINT64_FORMAT, object->id);
    parts[n++] = (Part){id, colour};
  }
  if ((self->look->show & GST_VISION_SHOW_SCORE) && isfinite (object->score)) {
    g_snprintf (score, sizeof score, "%d%%",
        (gint) round (100 * CLAMP (object->score, 0, 1)));
    parts[n++] = (Part){score, {196, 202, 212, 255}};
  }
  if ((self->look->show & GST_VISION_SHOW_LABEL) &&
      object->state == GST_VISION_STATE_REJECTED && object->reason &&
      object->reason[0])
    parts[n++] = (Part){object->reason, {196, 202, 212, 255}};
  if (n)
    draw_plate (self, &box, parts, n, colour);
}
