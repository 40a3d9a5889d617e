/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The colours to look for.  A property that is set leaves its colours in
 * self->pending, and the next frame takes them from there. */
#include <string.h>

#include "base/gstvisionproperties.h"
#include "base/gstvisiontell.h"
#include "moct/gstmoct.h"

#define PROBLEM 256 /* bytes */

/* Makes @text the colours, if it can be read. */
static gboolean
set_colours (GstMoct *self, const gchar *text, gchar *problem, gsize size)
{
  GstMoctColours *parsed = g_new0 (GstMoctColours, 1);
  const gchar *list = text ? text : "";

  g_strlcpy (problem, "the text is not UTF-8", size);
  if (!g_utf8_validate (list, -1, NULL) ||
      !moct_parse (list, parsed->colours, &parsed->n, problem, size)) {
    g_free (parsed);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  g_free (self->pending);
  self->pending = parsed;
  g_free (self->objects);
  self->objects = g_strdup (text);
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

#define FAIL(error, ...) \
 g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, __VA_ARGS__)

gboolean
gst_moct_read_objects (
    GstElement *element, gpointer self, const gchar *text, GError **error)
{
  char problem[PROBLEM];

  (void) element;
  if (set_colours (self, text, problem, sizeof problem))
    return TRUE;
  FAIL (error, "%s", problem);
  return FALSE;
}

gboolean
gst_moct_read_objects_file (
    GstElement *element, gpointer self, const gchar *path, GError **error)
{
  char problem[PROBLEM];
  gchar *text = NULL;
  gboolean read;

  (void) element;
  if (!path)
    return TRUE;
  if (!gst_vision_file_read_text (path, &text, error))
    return FALSE;
  read = set_colours (self, text, problem, sizeof problem);
  if (!read)
    FAIL (error, "%s: %s", path, problem);
  g_free (text);
  return read;
}

/* The index of the colour @name in @list; list->n if there is no such colour.
 */
static int
find_colour (const GstMoctColours *list, const char *name)
{
  int k = 0;

  while (k < list->n && strcmp (list->colours[k].name, name))
    k++;
  return k;
}

/* Adds @colour to @list, or replaces the colour of its name. */
static gboolean
put_colour (GstMoctColours *list, const MoctColour *colour)
{
  int k = find_colour (list, colour->name);

  if (k == MOCT_MAX_COLOURS)
    return FALSE;
  list->colours[k] = *colour;
  list->n = MAX (list->n, k + 1);
  return TRUE;
}

#define BLANKS " \t\r"

/* Whether @name can stand in "objects": no part of it may begin a comment or
 * end an entry. */
static gboolean
is_colour_name (const gchar *name)
{
  gsize length = strlen (name);

  return length && !strpbrk (name, ":;\n") && !strchr ("#" BLANKS, *name) &&
      !strchr (BLANKS, name[length - 1]) && g_utf8_validate (name, -1, NULL);
}

/* Parses @entry, which describes the colour @name, into @list. */
static gboolean
parse_learned_colour (const gchar *entry, const gchar *name,
    GstMoctColours *list, char *problem, gsize size)
{
  if (is_colour_name (name))
    return moct_parse (entry, list->colours, &list->n, problem, size);
  g_strlcpy (problem,
      "a name is UTF-8, has no colon, semicolon or line break in it, no # at "
      "its beginning and no blanks around it",
      size);
  return FALSE;
}

static gchar *
print_colours (const GstMoctColours *list)
{
  gsize size = MOCT_TEXT_BYTES * (gsize) list->n + 1;
  gchar *text = g_malloc (size);

  moct_print (list->colours, list->n, text, size);
  return text;
}

/* The colours of @text, with @colour added; NULL: there are too many. */
static GstMoctColours *
add_colour_to_text (const gchar *text, const MoctColour *colour)
{
  GstMoctColours *all = g_new0 (GstMoctColours, 1);
  char problem[PROBLEM];

  if (!moct_parse (
          text ? text : "", all->colours, &all->n, problem, sizeof problem) ||
      !put_colour (all, colour))
    g_clear_pointer (&all, g_free);
  return all;
}

gboolean
gst_moct_learn (
    GstMoct *self, const gchar *name, gint x, gint y, gint width, gint height)
{
  gchar *entry = g_strdup_printf (
      "%s:roi=%d,%d,%d,%d", name ? name : "", x, y, width, height);
  GstMoctColours *added = g_new0 (GstMoctColours, 1), *all = NULL;
  char problem[PROBLEM];

  if (parse_learned_colour (
          entry, name ? name : "", added, problem, sizeof problem)) {
    g_snprintf (problem, sizeof problem, "there can be at most %d colours",
        MOCT_MAX_COLOURS);
    GST_OBJECT_LOCK (self);
    all = add_colour_to_text (self->objects, added->colours);
    if (all) {
      g_free (self->pending);
      self->pending = all;
      g_free (self->objects); /* the next call adds to this text */
      self->objects = print_colours (all);
    }
    GST_OBJECT_UNLOCK (self);
  }
  if (all)
    g_object_notify (G_OBJECT (self), "objects");
  else
    GST_VISION_WARNING (self, LIBRARY, SETTINGS,
        ("learn: %s. The colours before stay.", problem));
  g_free (entry);
  g_free (added);
  return all != NULL;
}

/* Finds the first upstream region of interest with the colour's name, for
 * `roi=meta`. */
static gboolean
find_roi_meta (GstBuffer *buffer, const gchar *name, ImageBox *region)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *) meta;

    if (g_strcmp0 (g_quark_to_string (roi->roi_type), name) == 0) {
      guint x = MIN (roi->x, G_MAXINT16), y = MIN (roi->y, G_MAXINT16);

      *region =
          (ImageBox){(int) x, (int) y, (int) (x + MIN (roi->w, G_MAXINT16)),
              (int) (y + MIN (roi->h, G_MAXINT16))};
      return TRUE;
    }
  }
  return FALSE;
}

/* Whether the region @r lies outside of the frame: it may move, or was set for
 * another frame size.  The colour is learned once its region is in the frame.
 */
static gboolean
is_roi_outside (const Image *frame, const ImageBox *r)
{
  return MAX (r->x0, 0) >= MIN (r->x1, frame->width) ||
      MAX (r->y0, 0) >= MIN (r->y1, frame->height);
}

/* Writes the learned colours to "objects", unless an application set other
 * colours meanwhile. */
static void
publish_colours (GstMoct *self)
{
  gchar *text = print_colours (self->colours);

  GST_OBJECT_LOCK (self);
  if (!self->pending) {
    g_free (self->objects);
    self->objects = g_steal_pointer (&text);
  }
  GST_OBJECT_UNLOCK (self);
  g_free (text);
  g_object_notify (G_OBJECT (self), "objects");
}

static gchar *
join_colour_names (const GstMoctColours *list)
{
  GString *names = g_string_new (NULL);

  for (int k = 0; k < list->n; k++)
    g_string_append_printf (names, "%s%s", k ? ";" : "", list->colours[k].name);
  return g_string_free (names, list->n == 0);
}

void
gst_moct_free_colours (GstMoctColours *list)
{
  for (int k = 0; k < list->n; k++)
    moct_lesson_free (list->lessons[k]);
  g_free (list);
}

/* Goes on with colour @i of @before as colour @k of @list, if that is learned
 * from the same regions: some may have been learned from. */
static void
keep_lesson (GstMoctColours *before, int i, GstMoctColours *list, int k)
{
  const MoctColour *old = &before->colours[i], *new = &list->colours[k];

  if (!before->lessons[i] || old->n_drags != new->n_drags ||
      memcmp (old->drags, new->drags, sizeof old->drags) != 0)
    return;
  list->colours[k] = *old;
  list->lessons[k] = g_steal_pointer (&before->lessons[i]);
}

/* Takes @colours.  Objects keep their identity if @colours has the name of
 * their colour, even with another number or description. */
static void
replace_colours (GstMoct *self, GstMoctColours *colours)
{
  GstMoctColours *before = self->colours;
  int now[MOCT_MAX_COLOURS];

  for (int k = 0; k < before->n; k++) {
    now[k] = find_colour (colours, before->colours[k].name);
    if (now[k] == colours->n)
      now[k] = -1;
    else
      keep_lesson (before, k, colours, now[k]);
  }
  moct_renumber (self->moct, now, before->n);
  gst_moct_free_colours (before);
  self->colours = colours;
  g_free (self->names);
  self->names = join_colour_names (colours);
}

/* A region is mixed if the colour explains less than this part of it. */
#define MIXED .5
/* A colour that fills this part of the rest of the frame is everywhere. */
#define EVERYWHERE .05

/* The change that drag @i made, for a message; empty for the first drag. */
static gchar *
describe_drag (const MoctColour *colour, int i, const MoctLearned *l)
{
  if (!(colour->taken & ~(1u << i)))
    return g_strdup ("");
  return g_strdup_printf (
      ": region %d of %d %s, %.0f %% of it had the colour before, and %.0f %% "
      "now",
      i + 1, colour->n_drags,
      colour->drags[i].takes_away ? "takes away" : "adds", 100 * l->before,
      100 * l->now);
}

/* Posts what was learned from drag @i of @colour, and warnings if the region is
 * mixed or the colour is everywhere. */
static void
tell_learned (
    GstMoct *self, const MoctColour *colour, int i, const MoctLearned *l)
{
  MoctColour known = *colour;
  gchar *drag = describe_drag (colour, i, l);
  char text[MOCT_TEXT_BYTES];

  known.n_drags = 0;
  moct_print (&known, 1, text, sizeof text);
  GST_ELEMENT_INFO (self, LIBRARY, SETTINGS, ("Learned %s%s", text, drag),
      ("%s holds %.0f %% of the region and %.1f %% of the rest of the frame.",
          text, 100 * l->explained, 100 * l->elsewhere));
  g_free (drag);
  if (!l->modes)
    GST_VISION_WARNING (self, LIBRARY, SETTINGS,
        ("The region of \"%s\" has no colour that what surrounds it does not "
         "have. All of its colours were learned; choose a region that the "
         "object fills, or describe the colour in \"objects\".",
            colour->name));
  else if (l->explained < MIXED)
    GST_VISION_WARNING (self, LIBRARY, SETTINGS,
        ("The region of \"%s\" is mixed: the learned colour is that of "
         "%.0f %% of it. Choose a smaller region within the colour that is "
         "meant.",
            colour->name, 100 * l->explained));
  if (l->elsewhere > EVERYWHERE)
    GST_VISION_WARNING (self, LIBRARY, SETTINGS,
        ("The colour of \"%s\" is in %.0f %% of the rest of the frame, too. "
         "Restrict where it counts with \"region\", or objects with "
         "\"min-area\" and \"max-area\".",
            colour->name, 100 * l->elsewhere));
}

/* Learns colour @k from its drag @i, if that is due.  Sets @learned. */
static const char *
learn_drag (GstMoct *self, int k, int i, const Image *frame, GstBuffer *buffer,
    gboolean *learned)
{
  MoctColour *colour = &self->colours->colours[k];
  const MoctDrag *drag = &colour->drags[i];
  ImageBox region = drag->region;
  MoctLearned learning;

  if (colour->taken & 1u << i ||
      !gst_vision_filter_has_reached (
          GST_VISION_FILTER (self), buffer, (gdouble) drag->at) ||
      (region.x1 == region.x0 &&
          !find_roi_meta (buffer, colour->name, &region)))
    return NULL;
  if (is_roi_outside (frame, &region)) {
    gst_vision_common_fault (gst_vision_common (self),
        "the region to learn a colour from lies outside of it; set another "
        "in objects");
    return NULL;
  }
  TRY (moct_learn (self->moct, frame, region, drag->takes_away,
      &self->colours->lessons[k], colour, &learning));
  colour->taken |= 1u << i;
  if (colour->space != MOCT_LEARN)
    tell_learned (self, colour, i, &learning);
  *learned = TRUE;
  return NULL;
}

/* Forgets the drags of colour @k once all were learned from. */
static void
end_lesson (GstMoctColours *list, int k)
{
  MoctColour *colour = &list->colours[k];

  if (colour->taken != (1u << colour->n_drags) - 1)
    return;
  memset (colour->drags, 0, sizeof colour->drags);
  colour->n_drags = 0;
  colour->taken = 0;
  g_clear_pointer (&list->lessons[k], moct_lesson_free);
}

const char *
gst_moct_update_colours (GstMoct *self, const Image *frame, GstBuffer *buffer)
{
  GstMoctColours *pending =
      GST_VISION_LOCKED (self, g_steal_pointer (&self->pending));
  gboolean learned = FALSE;

  if (pending)
    replace_colours (self, pending);
  for (int k = 0; k < self->colours->n; k++) {
    MoctColour *colour = &self->colours->colours[k];

    for (int i = 0; i < colour->n_drags; i++)
      TRY (learn_drag (self, k, i, frame, buffer, &learned));
    if (colour->n_drags)
      end_lesson (self->colours, k);
  }
  if (learned)
    publish_colours (self);
  return NULL;
}
