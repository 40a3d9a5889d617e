/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The choice of targets.  A property that is set leaves its choices in
 * self->pending, and the next frame takes them from there. */
#include <string.h>

#include "emdtrack/gstemdtrack.h"
#include "base/gstvisiontell.h"
#include "common/number.h"

#define FILE_IS "file="
#define ROI_IS "roi="

/* ---- From text ---- */

/* Parses "" or "@SECONDS". */
static const char *
parse_target_time (const gchar *text, gdouble *at)
{
  gchar *end;

  if (!*text)
    return NULL;
  *at = *text == '@' ? g_ascii_strtod (text + 1, &end) : 0;
  if (*text != '@' || end == text + 1 || *end)
    return "a target is written NAME:roi=x,y,width,height, "
           "NAME:roi=x,y,width,height@SECONDS, NAME:file=PATH or "
           "NAME:width,height,file=PATH, where NAME: and roi= may be missing";
  return *at >= 0 && *at <= G_MAXINT32
      ? NULL
      : "the time of a target's frame is in seconds, 0 or more";
}

/* Parses "roi=x,y,w,h" or "roi=x,y,w,h@SECONDS", where "roi=" may be
 * missing. */
static const char *
parse_target_box (const gchar *text, GstEmdtrackChoice *c)
{
  const char *end;
  int n[4];

  if (g_str_has_prefix (text, ROI_IS))
    text += strlen (ROI_IS);
  end = numbers_read (text, ',', 4, n);
  TRY (parse_target_time (end ? end : "?", &c->at));
  if (n[2] < 1 || n[3] < 1)
    return "the box of a target is empty";
  for (gint i = 0; i < 4; i++)
    if (n[i] < -EMDTRACK_MAX_SIDE || n[i] > EMDTRACK_MAX_SIDE)
      return "the box of a target is larger or farther off than a frame can be";
  c->box = (ImageBox){n[0], n[1], n[0] + n[2], n[1] + n[3]};
  return NULL;
}

/* Parses "file=PATH" or "w,h,file=PATH"; @path points behind "file=". */
static const char *
parse_target_file (const gchar *text, const gchar *path, GstEmdtrackChoice *c)
{
  int size[2] = {0};
  gboolean sized = text + strlen (FILE_IS) != path;
  const char *end = sized ? numbers_read (text, ',', 2, size) : text;

  if (sized &&
      (!end || *end++ != ',' ||
          end + strspn (end, " ") + strlen (FILE_IS) != path))
    return "a size is written width,height,file=PATH";
  if (sized && (size[0] < 1 || size[1] < 1))
    return "the size of a target is empty";
  if (size[0] > EMDTRACK_MAX_SIDE || size[1] > EMDTRACK_MAX_SIDE)
    return "the size of a target is larger than a frame can be";
  c->box = (ImageBox){0, 0, size[0], size[1]};
  TRY (gst_emdtrack_pattern_read (path, &c->pattern));
  return c->pattern->n && !sized
      ? "a histogram needs a size: NAME:width,height,file=PATH"
      : NULL;
}

/* Parses an entry of "targets".  A name ends at the first colon, unless "file="
 * comes before it. */
static const char *
parse_choice (const gchar *text, GstEmdtrackChoice *c)
{
  const gchar *file = strstr (text, FILE_IS), *colon = strchr (text, ':');
  const gchar *rest;
  gsize length;

  if (file && colon > file)
    colon = NULL;
  length = colon ? (gsize) (colon - text) : 0;
  rest = colon ? colon + 1 : text;
  if (length >= GST_EMDTRACK_NAME)
    return "a name is longer than 63 bytes";
  g_strlcpy (
      c->name, colon ? text : "target", colon ? length + 1 : GST_EMDTRACK_NAME);
  g_strstrip (c->name);
  rest += strspn (rest, " ");
  return file ? parse_target_file (rest, file + strlen (FILE_IS), c)
              : parse_target_box (rest, c);
}

void
gst_emdtrack_choices_free (GstEmdtrackChoices *self)
{
  for (guint i = 0; i < self->n; i++)
    g_clear_pointer (&self->choice[i].pattern, gst_emdtrack_pattern_free);
  g_free (self);
}

/* The choices that @text describes, up to the first faulty entry, which
 * @problem describes. */
static GstEmdtrackChoices *
parse_choices (const gchar *text, gchar **problem)
{
  GstEmdtrackChoices *all = g_new0 (GstEmdtrackChoices, 1);
  gchar **entries = g_strsplit (text ? text : "", ";", -1);

  for (guint i = 0; entries[i] && !*problem; i++) {
    GstEmdtrackChoice *c = &all->choice[all->n];
    const char *err = NULL;

    g_strstrip (entries[i]);
    if (!*entries[i])
      continue;
    if (!g_utf8_validate (entries[i], -1, NULL))
      *problem = g_strdup ("the text is not UTF-8");
    else if (all->n == EMDTRACK_TARGETS)
      *problem = g_strdup ("there can be 8 targets at most");
    else if (!(err = parse_choice (entries[i], c)))
      all->n++;
    if (err) {
      *problem = g_strdup_printf ("\"%s\": %s", entries[i], err);
      g_clear_pointer (&c->pattern, gst_emdtrack_pattern_free);
    }
  }
  g_strfreev (entries);
  return all;
}

/* To be called under the object lock. */
static void
set_pending_choices (GstEmdtrack *self, GstEmdtrackChoices *all)
{
  g_clear_pointer (&self->pending, gst_emdtrack_choices_free);
  self->pending = all;
}

gboolean
gst_emdtrack_read_targets (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  GstEmdtrack *self = GST_EMDTRACK (owner);
  gchar *problem = NULL;
  GstEmdtrackChoices *all = parse_choices (text, &problem);

  (void) element;
  if (problem) {
    g_set_error (
        error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "%s", problem);
    g_free (problem);
    gst_emdtrack_choices_free (all);
    return FALSE;
  }
  GST_OBJECT_LOCK (self);
  set_pending_choices (self, all);
  g_free (self->targets);
  self->targets = g_strdup (text);
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* Parses "targets" again, which reads its files again. */
gboolean
gst_emdtrack_choose_again (GstEmdtrack *self, gboolean starts)
{
  gchar *text, *problem = NULL;
  GstEmdtrackChoices *all;

  text = GST_VISION_LOCKED (self, g_strdup (self->targets));
  all = parse_choices (text, &problem);
  GST_OBJECT_LOCK (self);
  set_pending_choices (self, all);
  self->meta_pending = self->target_meta != NULL;
  GST_OBJECT_UNLOCK (self);
  g_free (text);
  if (!problem)
    return TRUE;
  if (starts)
    GST_VISION_ERROR (
        self, LIBRARY, SETTINGS, ("targets cannot be used: %s.", problem));
  else
    GST_VISION_WARNING (self, LIBRARY, SETTINGS,
        ("targets: %s. It and what follows it are left out.", problem));
  g_free (problem);
  return FALSE;
}

/* ---- Targets that are followed ---- */

void
gst_emdtrack_leave_out (
    GstEmdtrack *self, const GstEmdtrackChoice *c, const gchar *why)
{
  GST_VISION_WARNING (self, LIBRARY, SETTINGS,
      ("The target \"%s\" at %d,%d,%d,%d is left out: %s.", c->name, c->box.x0,
          c->box.y0, c->box.x1 - c->box.x0, c->box.y1 - c->box.y0, why));
}

void
gst_emdtrack_drop_targets (GstEmdtrack *self)
{
  for (guint k = 0; k < self->n_targets; k++)
    emdtrack_tracker_remove (self->tracker, self->target[k].track.id);
  self->n_targets = 0;
}

/* The length of a side, 1 at least and no longer than a frame can be: the
 * tracker follows sides between pixels, and lets them grow. */
static gdouble
side_of_target (gdouble from, gdouble to)
{
  return CLAMP (to - from, 1, EMDTRACK_MAX_SIDE);
}

const char *
gst_emdtrack_lose_targets (GstEmdtrack *self, const EmdtrackParams *params)
{
  for (guint k = 0; k < self->n_targets; k++) {
    EmdtrackTrack *t = &self->target[k].track;

    emdtrack_tracker_remove (self->tracker, t->id);
    TRY (emdtrack_tracker_add_target (self->tracker, params, &t->target,
        side_of_target (t->x0, t->x1), side_of_target (t->y0, t->y1), &t->id));
    self->target[k].since = GST_CLOCK_TIME_NONE;
  }
  return NULL;
}
