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

/* Adds @entry, which describes the colour @name, to the colours. */
static gboolean
learn_entry (GstMoct *self, const gchar *entry, const gchar *name)
{
  GstMoctColours *added = g_new0 (GstMoctColours, 1), *all = NULL;
  char problem[PROBLEM];

  if (parse_learned_colour (entry, name, added, problem, sizeof problem)) {
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
  g_free (added);
  return all != NULL;
}

gboolean
gst_moct_learn (
    GstMoct *self, const gchar *name, gint x, gint y, gint width, gint height)
{
  gchar *entry = g_strdup_printf (
      "%s:roi=%d,%d,%d,%d", name ? name : "", x, y, width, height);
  gboolean learned = learn_entry (self, entry, name ? name : "");

  g_free (entry);
  return learned;
}

/* ---- Clicks ---- */

#define CLICK "click %u"

static gboolean
is_newest_click (GstMoct *self, const gchar *name)
{
  gchar click[24];

  g_snprintf (
      click, sizeof click, CLICK, GST_VISION_LOCKED (self, self->n_clicks));
  return strcmp (name, click) == 0;
}

/* A click has an empty box. */
static gboolean
is_click (const GstVideoRectangle *box)
{
  return !box->w && !box->h;
}

void
gst_moct_learn_click (GstMoct *self, const GstVideoRectangle *box)
{
  gchar name[24], entry[96];

  GST_OBJECT_LOCK (self);
  g_snprintf (name, sizeof name, CLICK, ++self->n_clicks);
  self->n_more = 0; /* was for the click before */
  GST_OBJECT_UNLOCK (self);
  g_snprintf (entry, sizeof entry,
      is_click (box) ? "%s:roi=%d,%d" : "%s:roi=%d,%d,%d,%d", name, box->x,
      box->y, MAX (box->w, 1), MAX (box->h, 1));
  learn_entry (self, entry, name);
}

void
gst_moct_learn_more (
    GstMoct *self, const GstVideoRectangle *box, gboolean takes_away)
{
  MoctDrag drag = {.region = is_click (box)
          ? moct_point_region (box->x, box->y)
          : (ImageBox){box->x, box->y, box->x + MAX (box->w, 1),
                box->y + MAX (box->h, 1)},
      .takes_away = takes_away,
      .is_point = is_click (box)};

  GST_OBJECT_LOCK (self);
  if (self->n_more < MOCT_DRAGS)
    self->more[self->n_more++] = drag;
  GST_OBJECT_UNLOCK (self);
}

/* ---- Frames ---- */

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

static gboolean
has_same_ranges (const MoctColour *a, const MoctColour *b)
{
  return a->space == b->space && a->n_also == b->n_also &&
      memcmp (a->lo, b->lo, sizeof a->lo) == 0 &&
      memcmp (a->hi, b->hi, sizeof a->hi) == 0 &&
      memcmp (a->also, b->also, a->n_also * sizeof *a->also) == 0;
}

/* Goes on with colour @i of @before as colour @k of @list, if that is learned
 * from the same regions, of which some may have been learned from, or is the
 * newest click's and has not changed. */
static void
keep_lesson (
    GstMoct *self, GstMoctColours *before, int i, GstMoctColours *list, int k)
{
  const MoctColour *old = &before->colours[i], *new = &list->colours[k];

  if (!before->lessons[i] || old->n_drags != new->n_drags ||
      memcmp (old->drags, new->drags, sizeof old->drags) != 0 ||
      (!old->n_drags &&
          !(is_newest_click (self, old->name) && has_same_ranges (old, new))))
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
      keep_lesson (self, before, k, colours, now[k]);
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

/* The change that a further drag made, for a message.  @which names the drag.
 */
static gchar *
describe_change (const gchar *which, const MoctDrag *drag, const MoctLearned *l)
{
  return g_strdup_printf (
      ": %s %s, %.0f %% of it had the colour before, and %.0f %% now", which,
      drag->takes_away ? "takes away" : "adds", 100 * l->before, 100 * l->now);
}

/* The change that drag @i made; empty for the first drag. */
static gchar *
describe_drag (const MoctColour *colour, int i, const MoctLearned *l)
{
  gchar which[32];

  g_snprintf (which, sizeof which, "region %d of %d", i + 1, colour->n_drags);
  return colour->taken & ~(1u << i)
      ? describe_change (which, &colour->drags[i], l)
      : g_strdup ("");
}

/* Posts what was learned of @colour, followed by @change, which is freed, and
 * warnings if the region is mixed or the colour is everywhere. */
static void
tell_learned (GstMoct *self, const MoctColour *colour, gchar *change,
    const MoctLearned *l)
{
  MoctColour known = *colour;
  char text[MOCT_TEXT_BYTES];

  known.n_drags = 0;
  moct_print (&known, 1, text, sizeof text);
  GST_ELEMENT_INFO (self, LIBRARY, SETTINGS, ("Learned %s%s", text, change),
      ("%s holds %.0f %% of the region and %.1f %% of the rest of the frame.",
          text, 100 * l->explained, 100 * l->elsewhere));
  g_free (change);
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

static void
fault_outside (GstMoct *self)
{
  gst_vision_common_fault (gst_vision_common (self),
      "the region to learn a colour from lies outside of it; set another in "
      "objects");
}

/* Learns colour @k from its drag @i, if that is due.  Sets @learned. */
static const char *
learn_drag (GstMoct *self, int k, int i, const Image *frame, GstBuffer *buffer,
    gboolean *learned)
{
  MoctColour *colour = &self->colours->colours[k];
  MoctDrag drag = colour->drags[i];
  MoctLearned learning;

  if (colour->taken & 1u << i ||
      !gst_vision_filter_has_reached (
          GST_VISION_FILTER (self), buffer, (gdouble) drag.at) ||
      (drag.region.x1 == drag.region.x0 &&
          !find_roi_meta (buffer, colour->name, &drag.region)))
    return NULL;
  if (is_roi_outside (frame, &drag.region)) {
    fault_outside (self);
    return NULL;
  }
  TRY (moct_learn (
      self->moct, frame, &drag, &self->colours->lessons[k], colour, &learning));
  colour->taken |= 1u << i;
  if (colour->space != MOCT_LEARN)
    tell_learned (
        self, colour, describe_drag (colour, i, &learning), &learning);
  *learned = TRUE;
  return NULL;
}

/* Forgets the drags of colour @k once all were learned from; further clicks may
 * add to the newest click's. */
static void
end_lesson (GstMoct *self, int k)
{
  GstMoctColours *list = self->colours;
  MoctColour *colour = &list->colours[k];

  if (colour->taken != (1u << colour->n_drags) - 1)
    return;
  memset (colour->drags, 0, sizeof colour->drags);
  colour->n_drags = 0;
  colour->taken = 0;
  if (!is_newest_click (self, colour->name))
    g_clear_pointer (&list->lessons[k], moct_lesson_free);
}

/* Learns the colour of the newest click from the clicks that add to it or take
 * away from it.  Sets @learned. */
static const char *
learn_from_more_clicks (GstMoct *self, const Image *frame, gboolean *learned)
{
  GstMoctColours *list = self->colours;
  MoctDrag more[MOCT_DRAGS];
  guint n;
  int k = 0;

  GST_OBJECT_LOCK (self);
  n = self->n_more;
  memcpy (more, self->more, sizeof more);
  self->n_more = 0;
  GST_OBJECT_UNLOCK (self);
  while (n && k < list->n && !is_newest_click (self, list->colours[k].name))
    k++;
  if (n && (k == list->n || !list->lessons[k])) {
    GST_VISION_WARNING (self, LIBRARY, SETTINGS,
        ("There is no colour of a click that Shift could add to or Ctrl could "
         "take away from, or it has changed since. Click without a key."));
    return NULL;
  }
  for (guint i = 0; i < n; i++) {
    MoctLearned learning;

    if (is_roi_outside (frame, &more[i].region)) {
      fault_outside (self);
      continue;
    }
    TRY (moct_learn (self->moct, frame, &more[i], &list->lessons[k],
        &list->colours[k], &learning));
    tell_learned (self, &list->colours[k],
        describe_change ("the click", &more[i], &learning), &learning);
    *learned = TRUE;
  }
  return NULL;
}

/* Warns of the colours whose frame, or whose upstream region, did not come. */
void
gst_moct_end (GstVisionFilter *filter)
{
  GstMoctColours *list = GST_MOCT (filter)->colours;

  for (int k = 0; k < list->n; k++) {
    const MoctColour *colour = &list->colours[k];
    int i = 0;

    while (i < colour->n_drags && colour->taken & 1u << i)
      i++;
    if (i < colour->n_drags)
      GST_VISION_WARNING (filter, LIBRARY, SETTINGS,
          ("The stream ended before the region %d of \"%s\" could be learned "
           "from: no frame at %g s or later had it.",
              i + 1, colour->name, (gdouble) colour->drags[i].at));
  }
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
      end_lesson (self, k);
  }
  TRY (learn_from_more_clicks (self, frame, &learned));
  if (learned)
    publish_colours (self);
  return NULL;
}
