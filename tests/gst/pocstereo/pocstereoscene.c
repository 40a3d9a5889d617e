/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element pocstereo behind visiontestsrc: what it says of every pixel that
 * both cameras see, against the truth that rides on the same buffer. */
#include "suite.h"
#include <gst/check/gstharness.h>

#include <math.h>
#include <stdio.h>

#include "meta/gstvisionmeta.h"

#define WIDTH 480
#define HEIGHT 360

typedef struct {
  GstVisionMap map;
  GstMapInfo info;
} Map;

static Map
map_of (GstBuffer *buffer, GstVisionOrigin origin, const gchar *kind)
{
  Map m;

  fail_unless (gst_buffer_find_vision_map (buffer, origin, kind, &m.map),
      "there is no map %s", kind);
  fail_unless (m.map.width == WIDTH && m.map.height == HEIGHT);
  fail_unless (gst_buffer_map (m.map.pixels, &m.info, GST_MAP_READ));
  return m;
}

static void
unmap (Map *m)
{
  gst_buffer_unmap (m->map.pixels, &m->info);
}

/* The value at a pixel, NAN where it is invalid. */
static gdouble
at (const Map *m, gint x, gint y)
{
  const guint8 *row = m->info.data + (gsize) y * m->map.stride;
  gdouble raw = m->map.format[0] == 'f' ? ((const gfloat *) row)[x]
      : m->map.format[1] == '8'         ? row[x]
                                        : ((const guint16 *) row)[x];

  return raw == m->map.invalid ? NAN : raw * m->map.scale + m->map.offset;
}

/* What of the pixels that both views show. */
typedef struct {
  guint seen, matched, bad, within; /* within one sigma */
  gdouble worst;                    /* of depth against disparity, relative */
} Score;

static Score
score (GstBuffer *buffer)
{
  Map truth = map_of (buffer, GST_VISION_ORIGIN_TRUTH, "disparity");
  Map seen = map_of (buffer, GST_VISION_ORIGIN_TRUTH, "confidence");
  Map far = map_of (buffer, GST_VISION_ORIGIN_TRUTH, "depth");
  Map found = map_of (buffer, GST_VISION_ORIGIN_RESULT, "disparity");
  Map depth = map_of (buffer, GST_VISION_ORIGIN_RESULT, "depth");
  Map sigma = map_of (buffer, GST_VISION_ORIGIN_RESULT, "sigma");
  Score s = {0};

  for (gint y = 0; y < HEIGHT; y++)
    for (gint x = 0; x < WIDTH; x++) {
      gdouble d = at (&found, x, y), error = fabs (d - at (&truth, x, y));
      gdouble product = at (&far, x, y) * at (&truth, x, y);

      if (at (&seen, x, y) < 1)
        continue;
      s.seen++;
      s.matched += !isnan (d);
      s.bad += error > 1;
      s.within += error <= 1 && error < at (&sigma, x, y);
      if (!isnan (d))
        s.worst = MAX (s.worst, fabs (at (&depth, x, y) * d / product - 1));
    }
  unmap (&truth);
  unmap (&seen);
  unmap (&far);
  unmap (&found);
  unmap (&depth);
  unmap (&sigma);
  return s;
}

GST_START_TEST (test_scene)
{
  g_autoptr (Harness) h = gst_harness_new_parse (
      "visiontestsrc pattern=stereo view=side-by-side truth-maps=true "
      "num-buffers=1 ! video/x-raw,width=960,height=360 ! "
      "pocstereo backend=cpu max-disparity=64");
  g_autoptr (GstBuffer) buffer = NULL;
  Score s;

  gst_harness_play (h);
  buffer = gst_harness_pull (h);
  fail_unless (buffer != NULL);
  s = score (buffer);
  printf (
      "%u seen, %.1f %% matched, of these %.2f %% bad, %.0f %% of the others "
      "within sigma\n",
      s.seen, 100. * s.matched / s.seen, 100. * s.bad / s.matched,
      100. * s.within / (s.matched - s.bad));
  fail_unless (s.matched > .9 * s.seen);
  fail_unless (s.bad < .03 * s.matched);
  fail_unless (s.within > .4 * s.matched && s.within < .9 * s.matched);
  fail_unless (s.worst < 1e-4, "%g", s.worst);
}
GST_END_TEST;

SUITE (pocstereoscene, TIMEOUT (120), TEST (test_scene));
