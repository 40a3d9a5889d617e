/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionmarks.h"

#include <gst/gst.h>
#include <pango/pangocairo.h>
#include <string.h>

#define FONT "Sans Bold"
/* Maximum number of letters of a text; a longer text ends in an ellipsis. */
#define MAX_LETTERS 32
/* Maximum number of texts that are not ASCII, and of pixels of all texts.  A
 * text beyond these is not drawn, and the next frame forgets all texts. */
#define MAX_TEXTS 1024
#define MAX_PIXELS (16 << 20)

typedef struct {
  ImageBox at;  /* in the atlas */
  gint dx, dy;  /* from the pen to the glyph's upper left corner */
  gint advance; /* from the glyph's pen to the next pen */
} Glyph;

struct _GstVisionGlyphs {
  gint size, rise, fall;
  PangoContext *context;
  PangoLayout *layout;

  guint8 *atlas;
  gint width, height;
  gint x, y, row;    /* next free place; height of the row there */
  gboolean has_font; /* without a font, Pango is given no text */
  gboolean changed;  /* since the last upload */
  gboolean is_full;  /* a text found no room */

  Glyph ascii[128];
  GHashTable *texts; /* text -> Glyph */
};

static gboolean
atlas_has_room (const GstVisionGlyphs *self, gint width, gint height)
{
  gint y = self->x + width > self->width ? self->y + self->row + 1 : self->y;

  return (gsize) (y + height) * self->width <= MAX_PIXELS;
}

/* Takes a free place in the atlas, a pixel apart from its neighbours. */
static ImageBox
place_glyph (GstVisionGlyphs *self, gint width, gint height)
{
  gint rows;

  if (self->x + width > self->width) {
    self->x = 0;
    self->y += self->row + 1;
    self->row = 0;
  }
  rows = self->y + height;
  if (rows > self->height) {
    rows = MAX (rows, MIN (2 * self->height, MAX_PIXELS / self->width));
    self->atlas = g_realloc (self->atlas, (gsize) self->width * rows);
    memset (self->atlas + (gsize) self->width * self->height, 0,
        (gsize) self->width * (rows - self->height));
    self->height = rows;
  }
  self->row = MAX (self->row, height);
  self->x += width + 1;
  return (ImageBox){
      self->x - width - 1, self->y, self->x - 1, self->y + height};
}

static Glyph
render_glyph (GstVisionGlyphs *self, const gchar *text)
{
  PangoRectangle ink, logical;
  cairo_surface_t *surface;
  const guint8 *data;
  cairo_t *cr;
  Glyph glyph;

  if (!self->has_font)
    return (Glyph){0};
  pango_layout_set_text (self->layout, text, -1);
  pango_layout_get_pixel_extents (self->layout, &ink, &logical);
  glyph.advance = logical.width;
  ink.width = CLAMP (ink.width, 0, self->width - 1);
  ink.height = CLAMP (ink.height, 0, 8 * self->size);
  glyph.dx = ink.x;
  glyph.dy = ink.y - PANGO_PIXELS (pango_layout_get_baseline (self->layout));
  if (!atlas_has_room (self, ink.width, ink.height)) {
    self->is_full = TRUE;
    glyph.at = (ImageBox){0, 0, 0, 0};
    return glyph;
  }
  glyph.at = place_glyph (self, ink.width, ink.height);
  if (ink.width == 0 || ink.height == 0)
    return glyph;

  surface = cairo_image_surface_create (CAIRO_FORMAT_A8, ink.width, ink.height);
  cr = cairo_create (surface);
  cairo_move_to (cr, -ink.x, -ink.y);
  pango_cairo_show_layout (cr, self->layout);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  /* a font that cannot be drawn leaves no data */
  data = cairo_image_surface_get_data (surface);
  for (gint y = 0; data && y < ink.height; y++)
    memcpy (self->atlas + (gsize) (glyph.at.y0 + y) * self->width + glyph.at.x0,
        data + (gsize) y * cairo_image_surface_get_stride (surface), ink.width);
  cairo_surface_destroy (surface);
  self->changed = TRUE;
  return glyph;
}

static void
render_ascii (GstVisionGlyphs *self)
{
  self->x = self->y = self->row = 0;
  for (gint c = 32; c < 127; c++)
    self->ascii[c] = render_glyph (self, (gchar[]){c, 0});
  self->rise = -self->ascii['0'].dy;
  self->fall =
      self->ascii['g'].dy + self->ascii['g'].at.y1 - self->ascii['g'].at.y0;
}

GstVisionGlyphs *
gst_vision_glyphs_new (gint size)
{
  GstVisionGlyphs *self = g_new0 (GstVisionGlyphs, 1);
  PangoFontDescription *font = pango_font_description_from_string (FONT);
  /* A font map of its own, since font maps belong to a thread. */
  PangoFontMap *map = pango_cairo_font_map_new ();
  cairo_font_options_t *options = cairo_font_options_create ();
  PangoFontFamily **families;
  gint n_families;

  pango_font_map_list_families (map, &families, &n_families);
  g_free (families);
  self->has_font = n_families > 0;
  if (!self->has_font)
    GST_WARNING ("there is no font: names are not drawn; install one, such as "
                 "the package fonts-dejavu-core");
  self->size = size;
  self->width = MAX (1024, 36 * size);
  self->context = pango_font_map_create_context (map);
  cairo_font_options_set_antialias (options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_ON);
  pango_cairo_context_set_font_options (self->context, options);
  cairo_font_options_destroy (options);
  pango_font_description_set_absolute_size (font, size * PANGO_SCALE);
  self->layout = pango_layout_new (self->context);
  pango_layout_set_font_description (self->layout, font);
  pango_layout_set_single_paragraph_mode (self->layout, TRUE);
  pango_font_description_free (font);
  g_object_unref (map);
  self->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  render_ascii (self);
  return self;
}

void
gst_vision_glyphs_free (GstVisionGlyphs *self)
{
  if (!self)
    return;
  g_object_unref (self->layout);
  g_object_unref (self->context);
  g_hash_table_unref (self->texts);
  g_free (self->atlas);
  g_free (self);
}

gint
gst_vision_glyphs_size (const GstVisionGlyphs *self)
{
  return self->size;
}

gint
gst_vision_glyphs_rise (const GstVisionGlyphs *self)
{
  return self->rise;
}

gint
gst_vision_glyphs_fall (const GstVisionGlyphs *self)
{
  return self->fall;
}

void
gst_vision_glyphs_tidy (GstVisionGlyphs *self)
{
  if (g_hash_table_size (self->texts) < MAX_TEXTS && !self->is_full)
    return;
  self->is_full = FALSE;
  g_hash_table_remove_all (self->texts);
  memset (self->atlas, 0, (gsize) self->width * self->height);
  render_ascii (self);
}

static gboolean
is_short_ascii (const gchar *text)
{
  for (gint n = 0; *text; text++, n++)
    if (*text < 32 || *text > 126 || n == MAX_LETTERS)
      return FALSE;
  return TRUE;
}

/* @text without the letters above MAX_LETTERS, to be freed. */
static gchar *
shorten_text (const gchar *text)
{
  gchar *start, *whole;

  if (g_utf8_strlen (text, -1) <= MAX_LETTERS)
    return g_strdup (text);
  start = g_utf8_substring (text, 0, MAX_LETTERS - 1);
  whole = g_strconcat (start, "…", NULL);
  g_free (start);
  return whole;
}

static const Glyph *
glyph_of_text (GstVisionGlyphs *self, const gchar *text)
{
  static const Glyph nothing;
  gchar *shown = shorten_text (text);
  Glyph *glyph = g_hash_table_lookup (self->texts, shown);

  if (glyph || self->is_full || g_hash_table_size (self->texts) >= MAX_TEXTS) {
    self->is_full |= !glyph;
    g_free (shown);
    return glyph ? glyph : &nothing;
  }
  glyph = g_new (Glyph, 1);
  *glyph = render_glyph (self, shown);
  g_hash_table_insert (self->texts, shown, glyph);
  return glyph;
}

gint
gst_vision_glyphs_width (GstVisionGlyphs *self, const gchar *text)
{
  gint width = 0;

  if (!is_short_ascii (text))
    return glyph_of_text (self, text)->advance;
  for (; *text; text++)
    width += self->ascii[(guchar) *text].advance;
  return width;
}

static void
draw_glyph (OverlayList *list, const Glyph *glyph, gint x, gint baseline)
{
  overlay_glyph (list, x + glyph->dx, baseline + glyph->dy, &glyph->at);
}

void
gst_vision_glyphs_draw (GstVisionGlyphs *self, OverlayList *list, gint x,
    gint baseline, const gchar *text)
{
  if (!is_short_ascii (text)) {
    draw_glyph (list, glyph_of_text (self, text), x, baseline);
    return;
  }
  for (; *text; text++) {
    draw_glyph (list, &self->ascii[(guchar) *text], x, baseline);
    x += self->ascii[(guchar) *text].advance;
  }
}

const char *
gst_vision_glyphs_upload (GstVisionGlyphs *self, Overlay *overlay)
{
  if (!self->changed)
    return NULL;
  TRY (overlay_set_atlas (
      overlay, self->atlas, self->width, self->height, self->width));
  self->changed = FALSE;
  return NULL;
}
