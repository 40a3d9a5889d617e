/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What gpuccl tells upstream: each object when it is accepted for the first
 * time, and again each time as many frames have passed as that took. */
#include "suite.h"
#include "gpucclframes.h"

static const Rect two[] = {{10, 20, 20, 16, 255}, {40, 4, 10, 12, 255}};

/* The next event is of this rectangle; its object's id. */
static guint64
expect_event (Frames *f, const Rect *r, GstClockTime pts)
{
  guint8 pixels[WIDTH * HEIGHT] = {0};
  const Rect painted = {r->x, r->y, r->width, r->height, 255};
  g_autoptr (GstEvent) event = frames_event (f);
  const GstStructure *s;
  guint width, height, stride;
  guint64 id, time;
  gdouble x, y, w, h;
  g_autoptr (GstBuffer) mask = NULL;

  fail_unless (event != NULL);
  s = gst_event_get_structure (event);
  fail_unless (gst_structure_get (s, "pts", G_TYPE_UINT64, &time, "id",
      G_TYPE_UINT64, &id, "x", G_TYPE_DOUBLE, &x, "y", G_TYPE_DOUBLE, &y,
      "width", G_TYPE_DOUBLE, &w, "height", G_TYPE_DOUBLE, &h, NULL));
  fail_unless (gst_structure_get (s, "ref-width", G_TYPE_UINT, &width,
      "ref-height", G_TYPE_UINT, &height, "stride", G_TYPE_UINT, &stride,
      "mask", GST_TYPE_BUFFER, &mask, NULL));
  fail_unless (gst_structure_get_string (s, "memory") != NULL);
  fail_unless_equals_uint64 (time, pts);
  fail_unless (x == r->x && y == r->y && w == r->width && h == r->height);
  fail_unless (width == WIDTH && height == HEIGHT && stride >= WIDTH);
  paint (pixels, WIDTH, 1, WIDTH, HEIGHT, &painted, 1);
  for (gint row = 0; row < HEIGHT; row++)
    fail_unless (
        !gst_buffer_memcmp (mask, row * stride, pixels + row * WIDTH, WIDTH),
        "row %d", row);
  return id;
}

static void
expect_none (Frames *f)
{
  fail_unless (frames_event (f) == NULL);
}

static void
push (Frames *f, guint n)
{
  frames_state (f, frames_make (f, two, n), n);
}

GST_START_TEST (test_first)
{
  Frames f =
      frames_new (GST_VIDEO_FORMAT_GRAY8, "frames=2 min-size=0 min-extent=5");

  push (&f, 1);
  expect_none (&f);
  push (&f, 2);
  fail_unless_equals_uint64 (expect_event (&f, &two[0], 40 * GST_MSECOND), 1);
  expect_none (&f);
  push (&f, 2);
  fail_unless_equals_uint64 (expect_event (&f, &two[1], 80 * GST_MSECOND), 2);
  expect_none (&f);
  frames_free (&f);
}
GST_END_TEST;

/* Every three frames, each at its own time, with the mask of that frame; not
 * while it is not accepted, and not of what is gone. */
GST_START_TEST (test_repeats)
{
  Frames f =
      frames_new (GST_VIDEO_FORMAT_GRAY8, "frames=3 min-size=0 min-extent=5");

  for (guint i = 0; i < 12; i++) {
    push (&f, i < 1 ? 1 : 2);
    if (i % 3 == 2)
      fail_unless_equals_uint64 (
          expect_event (&f, &two[0], i * 40 * GST_MSECOND), 1);
    if (i > 0 && i % 3 == 0)
      fail_unless_equals_uint64 (
          expect_event (&f, &two[1], i * 40 * GST_MSECOND), 2);
    expect_none (&f);
  }
  g_object_set (f.h->element, "frames", 100, NULL);
  for (guint i = 0; i < 4; i++)
    push (&f, 2);
  expect_none (&f);
  g_object_set (f.h->element, "frames", 1, NULL);
  for (guint i = 16; i < 18; i++) {
    push (&f, 1);
    fail_unless_equals_uint64 (
        expect_event (&f, &two[0], i * 40 * GST_MSECOND), 1);
    expect_none (&f);
  }
  push (&f, 0);
  expect_none (&f);
  frames_free (&f);
}
GST_END_TEST;

/* What was accepted before is no news when it is again; what was away for a
 * frame is another object. */
GST_START_TEST (test_again)
{
  g_auto (Frames) f =
      frames_new (GST_VIDEO_FORMAT_GRAY8, "frames=1 min-size=0");

  push (&f, 1);
  fail_unless_equals_uint64 (expect_event (&f, &two[0], 0), 1);
  g_object_set (f.h->element, "frames", 100, NULL);
  push (&f, 1);
  g_object_set (f.h->element, "frames", 2, NULL);
  push (&f, 1);
  expect_none (&f);
  push (&f, 0);
  push (&f, 1);
  expect_none (&f);
  push (&f, 1);
  fail_unless_equals_uint64 (expect_event (&f, &two[0], 200 * GST_MSECOND), 2);
}
GST_END_TEST;

/* After a flush, and after other caps, all is new. */
GST_START_TEST (test_anew)
{
  g_auto (Frames) f =
      frames_new (GST_VIDEO_FORMAT_GRAY8, "frames=1 min-size=0");

  push (&f, 1);
  fail_unless_equals_uint64 (expect_event (&f, &two[0], 0), 1);
  fed_seek (f.h);
  push (&f, 1);
  fail_unless_equals_uint64 (expect_event (&f, &two[0], 40 * GST_MSECOND), 2);
  frames_caps (&f, GST_VIDEO_FORMAT_I420, WIDTH, HEIGHT);
  push (&f, 1);
  fail_unless_equals_uint64 (expect_event (&f, &two[0], 80 * GST_MSECOND), 3);
  expect_none (&f);
}
GST_END_TEST;

/* The mask is the receiver's: it stays when later ones are made. */
GST_START_TEST (test_kept)
{
  g_auto (Frames) f =
      frames_new (GST_VIDEO_FORMAT_GRAY8, "frames=1 min-size=0");
  GstEvent *event;
  g_autoptr (GstBuffer) mask = NULL;
  guint stride;
  guint8 inside = 0;

  push (&f, 1);
  event = frames_event (&f);
  fail_unless (gst_structure_get (gst_event_get_structure (event), "mask",
      GST_TYPE_BUFFER, &mask, "stride", G_TYPE_UINT, &stride, NULL));
  gst_event_unref (event);
  for (guint i = 0; i < 5; i++) {
    frames_state (&f, frames_make (&f, two + 1, 1), 1);
    push (&f, 0);
  }
  gst_buffer_extract (mask, stride * 20 + 10, &inside, 1);
  fail_unless_equals_int (inside, 255);
}
GST_END_TEST;

SUITE (gpucclevents, TEST (test_first), TEST (test_repeats), TEST (test_again),
    TEST (test_anew), TEST (test_kept));
