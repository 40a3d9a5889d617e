/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chooses the objects of a buffer to draw, and draws them in order. */
#include "overlay/gstvisionmarks.h"

#include <string.h>

/* ---- The choice of objects ---- */

/* Two boxes belong to the same thing if their intersection is at least this
 * part of their union. */
#define SAME .5
/* An object is compared with this many objects before it, at most. */
#define MAX_COMPARED 256
/* Maximum number of objects of a frame that are drawn: as many as gpuccl finds.
 */
#define MAX_OBJECTS 4096

/* Whether @name is in @list, whose parts are separated by commas; an empty list
 * has all names. */
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

/* An object without a state is drawn, a lost one is not. */
static gboolean
is_object_chosen (const GstVisionLook *look, const GstVisionObject *o)
{
  return o->state != GST_VISION_STATE_LOST &&
      (o->state == GST_VISION_STATE_NONE || look->states >> o->state & 1) &&
      is_listed (look->elements, o->element) &&
      is_listed (look->sources, o->source) &&
      is_listed (look->labels, o->label);
}

static gdouble
overlap_of_spans (gdouble a, gdouble a_size, gdouble b, gdouble b_size)
{
  return MAX (0, MIN (a + a_size, b + b_size) - MAX (a, b));
}

/* Whether two elements found the same thing. */
static gboolean
is_same_thing (const GstVisionObject *a, const GstVisionObject *b)
{
  gdouble common = overlap_of_spans (a->x, a->width, b->x, b->width) *
      overlap_of_spans (a->y, a->height, b->y, b->height);
  gdouble either = a->width * a->height + b->width * b->height - common;

  return g_strcmp0 (a->source, b->source) != 0 &&
      a->state != GST_VISION_STATE_REJECTED &&
      b->state != GST_VISION_STATE_REJECTED && common >= SAME * either &&
      common > 0;
}

/* Ranks @o by the marks that it has: pose or outline, and a label. */
static guint
count_marks (const GstVisionObject *o)
{
  return 2 * (o->pose.n || o->outline.n) + (o->label && o->label[0]);
}

/* Adds @o to the @n objects; returns their number.  If @o is the same thing as
 * an object there, the object with more marks stays. */
static guint
merge_object (const GstVisionObject **chosen, guint n, const GstVisionObject *o)
{
  for (guint i = MAX (n, MAX_COMPARED) - MAX_COMPARED; i < n; i++)
    if (is_same_thing (chosen[i], o)) {
      if (count_marks (o) > count_marks (chosen[i]))
        chosen[i] = o;
      return n;
    }
  chosen[n] = o;
  return n + 1;
}

/* Puts the objects that @look chooses into @chosen, in their order, up to
 * MAX_OBJECTS, and returns their number.  With look->merge, things that several
 * elements found come once.  @left_out: the number of further objects. */
static guint
choose_drawn_objects (const GstVisionLook *look,
    const GstVisionObjects *objects, const GstVisionObject *chosen[MAX_OBJECTS],
    guint *left_out)
{
  guint n = 0;

  for (guint i = 0; i < objects->n_objects; i++) {
    const GstVisionObject *o = &objects->objects[i];

    if (!is_object_chosen (look, o))
      continue;
    if (n == MAX_OBJECTS)
      ++*left_out;
    else if (look->merge)
      n = merge_object (chosen, n, o);
    else
      chosen[n++] = o;
  }
  return n;
}

/* ---- Drawing ---- */

void
gst_vision_marks_init (GstVisionMarks *self)
{
  *self = (GstVisionMarks){.trails = gst_vision_trails_new (),
      .plates = g_array_new (FALSE, FALSE, sizeof (ImageBox))};
}

void
gst_vision_marks_clear (GstVisionMarks *self)
{
  gst_vision_glyphs_free (self->glyphs);
  gst_vision_trails_free (self->trails);
  g_array_unref (self->plates);
  gst_vision_colours_clear (&self->colours);
}

void
gst_vision_marks_begin (GstVisionMarks *self, OverlayList *list,
    const GstVisionLook *look, gint width, gint height)
{
  gint size = MIN (width, height);
  gint font = look->font_size ? (gint) look->font_size : 7 + size / 60;

  self->list = list;
  self->look = look;
  self->line =
      look->line_width ? (gint) look->line_width : MAX (1, (size + 180) / 400);
  self->width = width;
  self->height = height;
  self->n_left_out = 0;
  g_array_set_size (self->plates, 0);
  if (self->glyphs && gst_vision_glyphs_size (self->glyphs) != font)
    g_clear_pointer (&self->glyphs, gst_vision_glyphs_free);
  if (!self->glyphs)
    self->glyphs = gst_vision_glyphs_new (font);
  gst_vision_glyphs_tidy (self->glyphs);
}

static void
set_object_scale (GstVisionMarks *self, const GstVisionObjects *objects)
{
  self->scale_x = (gdouble) self->width / objects->ref_width;
  self->scale_y = (gdouble) self->height / objects->ref_height;
}

static void
draw_truth (GstVisionMarks *self, GstBuffer *buffer)
{
  GstVisionObjects *truth =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_TRUTH);

  if (!truth)
    return;
  set_object_scale (self, truth);
  for (guint i = 0; i < truth->n_objects; i++)
    if (truth->objects[i].state != GST_VISION_STATE_LOST)
      gst_vision_marks_truth (self, &truth->objects[i]);
  gst_vision_objects_free (truth);
}

/* Draws the whole image, as large as the object's box allows. */
static void
draw_image (GstVisionMarks *self, const GstVisionObject *object)
{
  ImageBox b = gst_vision_marks_box (self, object);
  gdouble scale = MIN ((b.x1 - b.x0) / (gdouble) self->image_width,
      (b.y1 - b.y0) / (gdouble) self->image_height);
  gint w = scale * self->image_width + .5, h = scale * self->image_height + .5;
  gint x = b.x0 + (b.x1 - b.x0 - w) / 2, y = b.y0 + (b.y1 - b.y0 - h) / 2;

  overlay_image (self->list, &(ImageBox){x, y, x + w, y + h}, 255);
}

static void
remember_place (GstVisionMarks *self, const GstVisionObjects *objects,
    const GstVisionObject *object)
{
  if (object->id && (self->look->show & GST_VISION_SHOW_TRAIL))
    gst_vision_trails_add (self->trails, object, objects->ref_width,
        objects->ref_height, gst_vision_marks_colour (self, object));
}

/* Draws all trails, then all images and so on; names come last, so that nothing
 * covers them. */
static void
draw_objects (GstVisionMarks *self, const GstVisionObject **objects, guint n)
{
  gst_vision_trails_draw (
      self->trails, self->list, self->width, self->height, 2 * self->line);
  gst_vision_marks_corner (self, objects, n);
  for (guint i = 0; self->image_width && i < n; i++)
    draw_image (self, objects[i]);
  for (guint i = 0; i < n; i++)
    gst_vision_marks_object (self, objects[i]);
  for (guint i = 0; i < n; i++)
    gst_vision_marks_name (self, objects[i]);
}

void
gst_vision_marks_draw (GstVisionMarks *self, GstBuffer *buffer)
{
  GstVisionObjects *found =
      gst_buffer_get_vision_objects (buffer, GST_VISION_ORIGIN_RESULT);
  const GstVisionObject *visible[MAX_OBJECTS];
  guint n = 0;

  self->has_camera = gst_buffer_get_vision_camera (
      buffer, GST_VISION_ORIGIN_RESULT, &self->camera);
  if (self->look->show_truth)
    draw_truth (self, buffer);
  gst_vision_trails_begin (self->trails, GST_BUFFER_PTS (buffer),
      self->look->show & GST_VISION_SHOW_TRAIL ? self->look->trail_time : 0);
  if (found) {
    n = choose_drawn_objects (self->look, found, visible, &self->n_left_out);
    for (guint i = 0; i < n; i++)
      remember_place (self, found, visible[i]);
    set_object_scale (self, found);
  }
  draw_objects (self, visible, n);
  g_clear_pointer (&found, gst_vision_objects_free);
}
