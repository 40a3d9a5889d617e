/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which targets are followed.  A property that is set leaves them in
 * self->pending, and the next frame takes them from there. */
#include <stdio.h>
#include <string.h>

#include "emdtrack/gstemdtrack.h"

/* ---- From text ---- */

/* "NAME:x,y,w,h" or "x,y,w,h". */
static const char *
parse_choice (const gchar *text, GstEmdtrackChoice *c)
{
  const gchar *colon = strchr (text, ':');
  gsize length = colon ? (gsize) (colon - text) : 0;
  int x, y, w, h, used = 0;

  if (length >= GST_EMDTRACK_NAME)
    return "a name is longer than 63 bytes";
  if (!g_utf8_validate (text, -1, NULL))
    return "it is not UTF-8";
  g_strlcpy (
      c->name, colon ? text : "target", colon ? length + 1 : GST_EMDTRACK_NAME);
  g_strstrip (c->name);
  if (sscanf (colon ? colon + 1 : text, " %d ,%d ,%d ,%d %n", &x, &y, &w, &h,
          &used) != 4 ||
      (colon ? colon + 1 : text)[used])
    return "a target is written NAME:x,y,width,height or x,y,width,height";
  if (w < 1 || h < 1)
    return "the box of a target is empty";
  if (ABS ((gint64) x) > EMDTRACK_MAX_SIDE ||
      ABS ((gint64) y) > EMDTRACK_MAX_SIDE || w > EMDTRACK_MAX_SIDE ||
      h > EMDTRACK_MAX_SIDE)
    return "the box of a target is larger or farther off than a frame can be";
  c->box = (ImageBox){x, y, x + w, y + h};
  return NULL;
}

static const char *
parse (const gchar *text, GstEmdtrackChoices *all)
{
  gchar **entries = g_strsplit (text, ";", -1);
  const char *err = NULL;

  for (guint i = 0; entries[i] && !err; i++) {
    g_strstrip (entries[i]);
    if (!*entries[i])
      continue;
    err = all->n == EMDTRACK_TARGETS
        ? "there can be 8 targets"
        : parse_choice (entries[i], &all->choice[all->n++]);
  }
  g_strfreev (entries);
  return err;
}

/* Before the pipeline has a bus the message is kept for the start. */
void
gst_emdtrack_report_problem (GstEmdtrack *self)
{
  GstBus *bus = gst_element_get_bus (GST_ELEMENT (self));
  gchar *problem = NULL;

  if (bus) {
    GST_OBJECT_LOCK (self);
    problem = g_steal_pointer (&self->problem);
    GST_OBJECT_UNLOCK (self);
    gst_object_unref (bus);
  }
  if (problem)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("targets: %s. The targets before stay.", problem), (NULL));
  g_free (problem);
}

void
gst_emdtrack_set_targets (GstEmdtrack *self, const gchar *text)
{
  GstEmdtrackChoices *all = g_new0 (GstEmdtrackChoices, 1);
  const char *err = parse (text ? text : "", all);

  GST_OBJECT_LOCK (self);
  g_clear_pointer (&self->problem, g_free);
  if (err) {
    self->problem = g_strdup (err);
    g_free (all);
  } else {
    g_free (self->pending);
    self->pending = all;
    g_free (self->targets);
    self->targets = g_strdup (text);
  }
  GST_OBJECT_UNLOCK (self);
  gst_emdtrack_report_problem (self);
}

void
gst_emdtrack_set_target_meta (GstEmdtrack *self, const gchar *type)
{
  GST_OBJECT_LOCK (self);
  g_free (self->target_meta);
  self->target_meta = type && *type ? g_strdup (type) : NULL;
  self->meta_pending = self->target_meta != NULL;
  GST_OBJECT_UNLOCK (self);
}

void
gst_emdtrack_choose_again (GstEmdtrack *self)
{
  GstEmdtrackChoices *all = g_new0 (GstEmdtrackChoices, 1);

  GST_OBJECT_LOCK (self);
  parse (self->targets ? self->targets : "", all);
  g_free (self->pending);
  self->pending = all;
  self->meta_pending = self->target_meta != NULL;
  GST_OBJECT_UNLOCK (self);
}

/* ---- What is known of them ---- */

void
gst_emdtrack_drop_targets (GstEmdtrack *self)
{
  for (guint k = 0; k < self->n_targets; k++)
    emdtrack_tracker_remove (self->tracker, self->target[k].track.id);
  self->n_targets = 0;
}

const char *
gst_emdtrack_lose_targets (GstEmdtrack *self)
{
  GstEmdtrackParams p;

  TRY (gst_emdtrack_get_params (self, &p));
  for (guint k = 0; k < self->n_targets; k++) {
    EmdtrackTrack *t = &self->target[k].track;

    emdtrack_tracker_remove (self->tracker, t->id);
    TRY (emdtrack_tracker_add_target (self->tracker, &p.follow, &t->target,
        t->x1 - t->x0, t->y1 - t->y0, &t->id));
    self->target[k].since = GST_CLOCK_TIME_NONE;
  }
  return NULL;
}
