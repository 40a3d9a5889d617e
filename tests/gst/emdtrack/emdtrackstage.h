/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A square of two colours that moves before a ground of two others, in any
 * format, or, in frames of several channels, one of the ground's brightness and
 * another spectrum; and what emdtrack says of it. */
#pragma once

#include <math.h>
#include <string.h>

#include "fed.h"
#include "said.h"

#define WIDTH 160
#define HEIGHT 120
#define SIDE 24
#define START_X 30
#define Y 40
#define TARGETS "square:30,40,24,24"

typedef struct {
  GstHarness *h;
  GstBus *bus;
  GstVideoInfo info;
  guint n;         /* frames pushed */
  gint x;          /* left edge of the square in the newest */
  gboolean hidden; /* from now on there is no square */
  guint rows;      /* of channels where they are stacked; 0: a colour frame */
} Stage;

static inline GstCaps *
stage_format (Stage *s, GstVideoFormat format, gint width, gint height)
{
  gst_video_info_set_format (&s->info, format, width, height);
  s->info.fps_n = 25;
  return gst_video_info_to_caps (&s->info);
}

static inline Stage
stage_new (GstVideoFormat format, const gchar *targets)
{
  Stage s = {.h = gst_harness_new ("emdtrack"), .bus = gst_bus_new ()};

  gst_element_set_bus (s.h->element, s.bus);
  g_object_set (s.h->element, "targets", targets, NULL);
  if (format != GST_VIDEO_FORMAT_UNKNOWN)
    gst_harness_set_src_caps (s.h, stage_format (&s, format, WIDTH, HEIGHT));
  return s;
}

static inline void
stage_free (Stage *s)
{
  fed_free (s->h, s->bus);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Stage, stage_free)

/* What is at (@x, @y): colour 0 and 1 of the ground, 2 and 3 of the square. */
static inline guint
stage_kind (const Stage *s, gint x, gint y)
{
  gint u = x - s->x, v = y - Y;

  if (!s->hidden && u >= 0 && u < SIDE && v >= 0 && v < SIDE)
    return 2 + (v >= SIDE / 2);
  return (x / 5 + y / 7) % 2;
}

static inline GstBuffer *
stage_colours (Stage *s)
{
  static const guint8 colours[][4] = {
      {90, 110, 90}, {130, 130, 140}, {220, 40, 40}, {240, 220, 60}};
  gint width = s->info.width, height = s->info.height;
  GstBuffer *buffer =
      gst_buffer_new_allocate (NULL, (gsize) 4 * width * height, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gint i = 0; i < width * height; i++)
    memcpy (map.data + (gsize) 4 * i,
        colours[stage_kind (s, i % width, i / width)], 4);
  gst_buffer_unmap (buffer, &map);
  return fed_convert (buffer, GST_VIDEO_FORMAT_RGBx, &s->info, NULL);
}

/* Bands 0 + 1 and 2 + 3 are the same everywhere, as a camera sees them. */
static inline GstBuffer *
stage_spectra (Stage *s)
{
  static const guint8 bands[][4] = {
      {90, 40, 100, 50}, {80, 50, 90, 60}, {40, 90, 50, 100}, {50, 80, 60, 90}};
  gint width = s->info.width, height = s->info.height / 4;
  gint stride = s->info.stride[0];
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, s->info.size, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gint c = 0; c < 4; c++)
    for (gint y = 0; y < height; y++)
      for (gint x = 0; x < width; x++)
        map.data[(gsize) (c * height + y) * stride + x] =
            bands[stage_kind (s, x, y)][c];
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* The next frame: the square is two pixels further right. */
static inline GstBuffer *
stage_frame (Stage *s)
{
  s->x = START_X + 2 * (gint) (s->n % 40);
  return fed_frame (s->rows ? stage_spectra (s) : stage_colours (s), s->n++);
}

/* Pushes the next frame; what was found, to be freed. */
static inline GstVisionObjects *
stage_push (Stage *s)
{
  GstVisionObjects *found = fed_objects (s->h, stage_frame (s));

  fail_unless (found != NULL);
  return found;
}

/* Pushes @n frames, in each of which the square must be in @state, within
 * @near pixels; returns its id. */
static inline guint64
stage_see (Stage *s, guint n, gdouble near, GstVisionState state)
{
  guint64 id = 0;

  while (n--) {
    g_autoptr (GstVisionObjects) found = stage_push (s);
    const GstVisionObject *o = &found->objects[0];

    fail_unless_equals_int (found->n_objects, 1);
    fail_unless_equals_string (o->label, "square");
    fail_unless_equals_string (o->element, "emdtrack");
    fail_unless_equals_int (o->state, state);
    fail_unless (fabs (o->x + o->width / 2 - s->x - SIDE / 2) <= near &&
            fabs (o->y + o->height / 2 - Y - SIDE / 2) <= near,
        "frame %u: at %g, %g and not at %d, %d", s->n, o->x + o->width / 2,
        o->y + o->height / 2, s->x + SIDE / 2, Y + SIDE / 2);
    fail_unless (o->distance >= 0 && o->distance < .35);
    fail_unless (fabs (o->score + o->distance - 1) < 1e-9);
    fail_unless (o->ratio >= 0 && o->ratio <= 1);
    id = o->id;
  }
  return id;
}

static inline guint64
stage_follow (Stage *s, guint n, gdouble near)
{
  return stage_see (s, n, near, GST_VISION_STATE_TRACKING);
}

/* The frames after the one in which it was found, then @n more. */
static inline guint64
stage_confirm (Stage *s, guint n, gdouble near)
{
  stage_see (s, 3, near, GST_VISION_STATE_FOUND);
  return stage_follow (s, n, near);
}
