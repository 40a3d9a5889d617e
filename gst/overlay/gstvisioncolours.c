/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisioncolours.h"

#include <pango/pango.h>
#include <string.h>

/* Named colours with less luma than this are drawn lighter. */
#define DIMMEST 125

void
gst_vision_colours_clear (GstVisionColours *self)
{
  for (guint i = 0; i < GST_VISION_COLOURS; i++)
    g_clear_pointer (&self->names[i], g_free);
}

/* Finds the colour called @name, and makes it lighter if it is too dark to see.
 */
static gboolean
find_named_colour (const gchar *name, OverlayColour *colour)
{
  PangoColor c;
  gdouble rgb[3], luma, part;

  if (!g_ascii_isalpha (name[0]) || !pango_color_parse (&c, name))
    return FALSE;
  rgb[0] = c.red >> 8, rgb[1] = c.green >> 8, rgb[2] = c.blue >> 8;
  luma = .299 * rgb[0] + .587 * rgb[1] + .114 * rgb[2];
  part = luma < DIMMEST ? (DIMMEST - luma) / (255 - luma) : 0;
  for (gint i = 0; i < 3; i++)
    rgb[i] += (255 - rgb[i]) * part;
  *colour = (OverlayColour){rgb[0], rgb[1], rgb[2], 255};
  return TRUE;
}

/* The slot of @name: the first slot from the hash of the name on that is free
 * or has the name already. */
static guint
slot_of_name (GstVisionColours *self, const gchar *name)
{
  guint first = g_str_hash (name) % GST_VISION_COLOURS;

  for (guint i = 0; i < GST_VISION_COLOURS; i++) {
    guint slot = (first + i) % GST_VISION_COLOURS;

    if (!self->names[slot])
      self->names[slot] = g_strdup (name);
    if (g_str_equal (self->names[slot], name))
      return slot;
  }
  return first;
}

OverlayColour
gst_vision_colours_of (GstVisionColours *self, const gchar *name)
{
  OverlayColour colour;

  return find_named_colour (name, &colour)
      ? colour
      : overlay_colour_of (slot_of_name (self, name));
}

guint
gst_vision_colours_of_names (GstVisionColours *self, const gchar *names,
    OverlayColour colours[OVERLAY_COLOURS])
{
  guint n = 0;

  for (const gchar *at = names; at && n < OVERLAY_COLOURS;) {
    const gchar *end = strchr (at, ';');
    gchar *name = end ? g_strndup (at, (gsize) (end - at)) : g_strdup (at);

    colours[n++] = gst_vision_colours_of (self, name);
    g_free (name);
    at = end ? end + 1 : NULL;
  }
  return n;
}
