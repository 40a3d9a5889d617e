/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect: what followed objects leave is searched, and the whole frame is
 * not, where something is missing or is put in. */
#include "suite.h"
#include "scene/clutter.h"
#include "scopedetectscene.h"

#define WIDE 480
#define HIGH 360
#define INTRINSICS_OF_TABLE "438.75,438.75,239.5,179.5"
#define SEED 8
#define MODELS 4
#define PUT_IN 4 /* the frame in which the last object appears */

static gchar *folder, *models;

/* Models of the solids of the scene. */
static void
make_models (void)
{
  ScopedetectCompile how = SCOPEDETECT_COMPILE_DEFAULTS;
  GString *list = g_string_new (NULL);

  how.unit = 1;
  folder = g_dir_make_tmp ("scopedetect-XXXXXX", NULL);
  fail_unless (folder != NULL);
  for (gint i = 0; i < MODELS; i++) {
    const char *name = clutter_solids[i];
    g_autofree gchar *path = g_strdup_printf ("%s/%s.model", folder, name);
    ScopedetectModel *model;
    Mesh mesh;

    fail_unless (clutter_solid_mesh (&mesh, name) == NULL);
    fail_unless (scopedetect_model_compile (&model, &mesh, name, &how) == NULL);
    mesh_free (&mesh);
    fail_unless (scopedetect_model_save (model, path) == NULL);
    scopedetect_model_free (model);
    g_string_append_printf (list, "%s,", path);
  }
  models = g_string_free (list, FALSE);
}

static void
remove_models (void)
{
  for (gint i = 0; i < MODELS; i++) {
    g_autofree gchar *path =
        g_strdup_printf ("%s/%s.model", folder, clutter_solids[i]);

    g_remove (path);
  }
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
  g_clear_pointer (&models, g_free);
}

/* A table with the solids, and the element that looks at it. */
typedef struct {
  Scene scene;
  Clutter *clutter;
  ClutterTruth truth;
} Table;

static Table
table_new (const gchar *properties)
{
  g_autofree gchar *line =
      g_strconcat ("queries=3000 clusters=100 intrinsics=", properties, NULL);
  Table t = {.scene = scene_new (models, line)};

  fail_unless (
      clutter_new (&t.clutter, WIDE, HIGH, clutter_solids, MODELS, 1) == NULL);
  scene_caps (t.scene.colour, GST_VIDEO_FORMAT_RGB, WIDE, HIGH);
  scene_caps (t.scene.depth, GST_VIDEO_FORMAT_GRAY16_LE, WIDE, HIGH);
  return t;
}

static void
table_free (Table *t)
{
  clutter_free (t->clutter);
  scene_free (&t->scene);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Table, table_free)

/* A view of the newest frame, of which @absent objects are not there. */
static GstBuffer *
table_buffer (Table *t, ClutterView view, gint absent)
{
  ClutterParams p = clutter_defaults ();
  gint pixel = view == CLUTTER_DEPTH ? 2 : 3;
  GstBuffer *buffer = scene_buffer (&t->scene, (gsize) pixel * WIDE * HIGH, 0);
  Image image = {.width = WIDE,
      .height = HIGH,
      .format = view == CLUTTER_DEPTH ? IMAGE_GRAY16 : IMAGE_RGB,
      .stride = {pixel * WIDE}};
  GstMapInfo map;

  p.seed = SEED;
  p.n_objects = MODELS;
  p.n_absent = absent;
  p.scene_frames = 1000;
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  image.plane[0] = map.data;
  fail_unless (clutter_render (t->clutter, &p, view, t->scene.n, &image,
                   &t->truth, NULL) == NULL);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* The objects of the next frame, of which @absent objects are not there. */
static GstVisionObjects *
table_look (Table *t, gint absent)
{
  GstBuffer *out;
  GstVisionObjects *objects;

  gst_harness_push (t->scene.colour, table_buffer (t, CLUTTER_COLOR, absent));
  gst_harness_push (t->scene.depth, table_buffer (t, CLUTTER_DEPTH, absent));
  out = gst_harness_pull (t->scene.colour);
  fail_unless (out != NULL);
  objects = gst_buffer_get_vision_objects (out, GST_VISION_ORIGIN_RESULT);
  fail_unless (objects != NULL);
  gst_buffer_unref (out);
  t->scene.n++;
  return objects;
}

static const GstVisionObject *
find_label (const GstVisionObjects *objects, const gchar *label)
{
  for (guint i = 0; i < objects->n_objects; i++)
    if (g_strcmp0 (objects->objects[i].label, label) == 0)
      return &objects->objects[i];
  return NULL;
}

/* All objects of @than are in @objects, as they are. */
static void
compare_objects (const GstVisionObjects *objects, const GstVisionObjects *than)
{
  for (guint i = 0; i < than->n_objects; i++) {
    const GstVisionObject *of = &than->objects[i];
    const GstVisionObject *o = find_label (objects, of->label);

    fail_unless (o != NULL, "%s is missing", of->label);
    fail_unless_equals_uint64 (o->id, of->id);
    fail_unless_equals_int (o->state, of->state);
    fail_unless (o->score == of->score);
    fail_unless (!memcmp (
        o->pose.values, of->pose.values, of->pose.n * sizeof *of->pose.values));
  }
}

/* An object that is put in is found within three frames, and is occluded when
 * it is taken away, without a search of the whole frame; the others are as they
 * are where nothing is searched for. */
GST_START_TEST (test_put_in)
{
  g_auto (Table) t = table_new (INTRINSICS_OF_TABLE);
  g_auto (Table) still = table_new (INTRINSICS_OF_TABLE " search-interval=0");
  const gchar *late = NULL;
  guint found = 0;

  for (guint frame = 0; frame < PUT_IN + 5; frame++) {
    gint absent = frame < PUT_IN || frame >= PUT_IN + 3;
    g_autoptr (GstVisionObjects) is = table_look (&t, absent);
    g_autoptr (GstVisionObjects) was = table_look (&still, absent);

    fail_unless_equals_int (was->n_objects, MODELS - 1);
    compare_objects (is, was);
    if (!absent)
      late = t.truth.objects[MODELS - 1].seen.label;
    if (late && find_label (is, late) && !found)
      found = frame;
    if (found && absent)
      fail_unless_equals_int (
          find_label (is, late)->state, GST_VISION_STATE_OCCLUDED);
  }
  fail_unless (found >= PUT_IN && found < PUT_IN + 3, "found in %u", found);
  fail_unless (scene_stat (&t.scene, "searches") == 1);
  fail_unless (scene_stat (&t.scene, "rest-searches") >= 1);
  fail_unless (scene_stat (&t.scene, "rest-searches") <= 3);
}
GST_END_TEST;

/* The steps of following are not of the search, which max-steps limits. */
GST_START_TEST (test_few_steps)
{
  g_auto (Table) t = table_new (INTRINSICS_OF_TABLE " max-steps=12");
  gboolean found = FALSE;

  for (guint frame = 0; frame < PUT_IN + 3; frame++) {
    g_autoptr (GstVisionObjects) is = table_look (&t, frame < PUT_IN);

    found |= frame >= PUT_IN &&
        find_label (is, t.truth.objects[MODELS - 1].seen.label) != NULL;
  }
  fail_unless (scene_stat (&t.scene, "searches") == 1);
  fail_unless (found);
}
GST_END_TEST;

/* Followed objects that leave little are no reason for a search. */
GST_START_TEST (test_explained)
{
  g_auto (Table) t =
      table_new (INTRINSICS_OF_TABLE " search-interval=2 min-rest=400");

  for (guint frame = 0; frame < 6; frame++)
    gst_vision_objects_free (table_look (&t, 1));
  fail_unless (scene_stat (&t.scene, "searches") == 1);
  fail_unless (scene_stat (&t.scene, "rest-left-out") == 2);
  fail_unless (scene_stat (&t.scene, "rest") < 400);
}
GST_END_TEST;

SUITE (scopedetectrest, TIMEOUT (240), AROUND (make_models, remove_models),
    TEST (test_put_in), TEST (test_few_steps), TEST (test_explained));
