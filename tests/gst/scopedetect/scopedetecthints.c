/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect: its messages if nothing is found, and its memory. */
#include "suite.h"
#include "scopedetectscene.h"

#define FEW INTRINSICS " queries=200 clusters=20 points=100 "

/* Parts of a scene: the solid, the table under it, and a bowl, which is nowhere
 * plane. */
typedef enum { NOTHING = 0, SOLID = 1, TABLE = 2, BOWL = 4 } Parts;

static void
draw_bowl (guint16 *depth)
{
  for (gint y = 0; y < SOLID_HEIGHT; y++)
    for (gint x = 0; x < SOLID_WIDTH; x++) {
      gint dx = x - SOLID_WIDTH / 2, dy = y - SOLID_HEIGHT / 2;

      if (dx * dx + dy * dy < 70 * 70)
        depth[y * SOLID_WIDTH + x] = (guint16) (7000 - (dx * dx + dy * dy) / 4);
    }
}

static void
push (Scene *s, Parts parts)
{
  Pose pose = solid_pose (.7, 0, .5);
  GstBuffer *depth = scene_depth (s, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (depth, &map, GST_MAP_WRITE));
  if (parts & SOLID)
    solid_draw ((uint16_t *) (void *) map.data, 2 * SOLID_WIDTH, pose);
  if (parts & TABLE)
    solid_table ((uint16_t *) (void *) map.data, 2 * SOLID_WIDTH, pose);
  if (parts & BOWL)
    draw_bowl ((guint16 *) (void *) map.data);
  gst_buffer_unmap (depth, &map);
  gst_harness_push (
      s->colour, scene_buffer (s, 3 * SOLID_WIDTH * SOLID_HEIGHT, 128));
  gst_harness_push (s->depth, depth);
  gst_buffer_unref (gst_harness_pull (s->colour));
  s->n++;
}

/* The first of two such frames has a message with @text, the second none. */
static void
hint (const gchar *properties, Parts parts, const gchar *text)
{
  g_auto (Scene) s = scene_new (model_path, properties);

  push (&s, parts);
  expect_soon (s.bus, GST_MESSAGE_WARNING, text);
  push (&s, parts);
  fail_unless (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING) == NULL);
  fail_unless (scene_stat (&s, "faulty") == 0);
}

GST_START_TEST (test_hints)
{
  hint (FEW "table-low=0.005", NOTHING, "No surface is seen from 0.1 to 2 m");
  hint (FEW "table-low=0.005 depth-scale=0.0001", TABLE,
      "Nothing stands on the table");
  hint (FEW "depth-scale=0.1", SOLID | TABLE, "is 0.1 m a unit");
  hint (FEW "depth-scale=0.0001 min-score=1", BOWL, "no table in sight");
  hint ("intrinsics=900,900,319.5,239.5 queries=200 clusters=20 points=100 "
        "depth-scale=0.0001 min-score=1",
      SOLID | TABLE, "the camera's middle, 319.5,239.5, is far from");
  hint (FEW
      "depth-scale=0.00001 near=0.01 normal-radius=0.001 table-low=0.0005 "
      "table-tolerance=0.0002",
      SOLID | TABLE, "much smaller than the model \"solid\"");
}
GST_END_TEST;

/* Where an object is found there is nothing to tell. */
GST_START_TEST (test_none)
{
  g_auto (Scene) s = scene_new (model_path, QUICK);

  push (&s, SOLID | TABLE);
  push (&s, SOLID | TABLE);
  fail_unless (gst_bus_pop_filtered (s.bus, GST_MESSAGE_WARNING) == NULL);
  fail_unless (scene_stat (&s, "memory") > 1e6);
  fail_unless (scene_stat (&s, "memory") < 1e9);
}
GST_END_TEST;

/* Too many models are refused before any is read. */
GST_START_TEST (test_many)
{
  GString *many = g_string_new (model_path);
  Scene s;

  for (gint i = 0; i < 1024; i++)
    g_string_append (many, ",nowhere.model");
  s = scene_new (many->str, QUICK);
  gst_harness_push (
      s.colour, scene_buffer (&s, 3 * SOLID_WIDTH * SOLID_HEIGHT, 0));
  gst_harness_push (s.depth, scene_depth (&s, NULL));
  expect_soon (s.bus, GST_MESSAGE_ERROR, "more than 1024");
  scene_free (&s);
  g_string_free (many, TRUE);
}
GST_END_TEST;

/* A model that goes with the first one no more is named. */
GST_START_TEST (test_spacing)
{
  g_autofree gchar *path = g_build_filename (model_folder, "wide.model", NULL);
  g_autofree gchar *both = g_strdup_printf ("%s,%s", model_path, path);
  ScopedetectModel *wide = solid_model (.006);
  g_auto (Scene) s = scene_new (both, QUICK);

  fail_unless (scopedetect_model_save (wide, path) == NULL);
  scopedetect_model_free (wide);
  gst_harness_push (
      s.colour, scene_buffer (&s, 3 * SOLID_WIDTH * SOLID_HEIGHT, 0));
  gst_harness_push (s.depth, scene_depth (&s, NULL));
  expect_soon (s.bus, GST_MESSAGE_ERROR, "wide.model");
  g_remove (path);
}
GST_END_TEST;

SUITE (scopedetecthints, TIMEOUT (240), AROUND (make_model, remove_model),
    TEST (test_hints), TEST (test_none), TEST (test_many), TEST (test_spacing));
