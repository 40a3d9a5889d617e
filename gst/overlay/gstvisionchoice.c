/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overlay/gstvisionchoice.h"

#include <string.h>

/* Boxes that have this part of what either covers in common are of one thing.
 */
#define SAME .5
/* With more objects than this, each is compared with the newest of them only.
 */
#define MOST_COMPARED 256

/* Whether @name is in @list, whose parts are set apart by commas; an empty list
 * has all. */
static gboolean
is_listed (const gchar *list, const gchar *name)
{
  gsize length = name ? strlen (name) : 0;

  if (!list || !*list)
    return TRUE;
  for (const gchar *at = list; length; at++) {
    at += strspn (at, " ");
    if (!strncmp (at, name, length) && strchr (",", at[length]))
      return TRUE;
    at = strchr (at, ',');
    if (!at)
      break;
  }
  return FALSE;
}

/* An object whose element knows no states is there. */
static gboolean
is_chosen (const GstVisionLook *look, const GstVisionObject *o)
{
  return o->state != GST_VISION_STATE_LOST &&
      (o->state == GST_VISION_STATE_NONE || look->states >> o->state & 1) &&
      is_listed (look->elements, o->element) &&
      is_listed (look->sources, o->source) &&
      is_listed (look->labels, o->label);
}

static gdouble
overlap (gdouble a, gdouble a_size, gdouble b, gdouble b_size)
{
  return MAX (0, MIN (a + a_size, b + b_size) - MAX (a, b));
}

/* Whether two elements found one thing. */
static gboolean
is_same (const GstVisionObject *a, const GstVisionObject *b)
{
  gdouble common = overlap (a->x, a->width, b->x, b->width) *
      overlap (a->y, a->height, b->y, b->height);
  gdouble either = a->width * a->height + b->width * b->height - common;

  return g_strcmp0 (a->source, b->source) != 0 &&
      a->state != GST_VISION_STATE_REJECTED &&
      b->state != GST_VISION_STATE_REJECTED && common >= SAME * either &&
      common > 0;
}

/* How much there is to draw of @o. */
static guint
tells (const GstVisionObject *o)
{
  return 2 * (o->pose.n || o->outline.n) + (o->label && o->label[0]);
}

/* Takes @o, unless it is one of the @n already there; the one that tells more
 * is drawn. */
static guint
merge (const GstVisionObject **chosen, guint n, const GstVisionObject *o)
{
  for (guint i = MAX (n, MOST_COMPARED) - MOST_COMPARED; i < n; i++)
    if (is_same (chosen[i], o)) {
      if (tells (o) > tells (chosen[i]))
        chosen[i] = o;
      return n;
    }
  chosen[n] = o;
  return n + 1;
}

guint
gst_vision_choose (const GstVisionLook *look, const GstVisionObjects *objects,
    const GstVisionObject **chosen)
{
  guint n = 0;

  for (guint i = 0; i < objects->n_objects; i++) {
    const GstVisionObject *o = &objects->objects[i];

    if (!is_chosen (look, o))
      continue;
    if (look->merge)
      n = merge (chosen, n, o);
    else
      chosen[n++] = o;
  }
  return n;
}
