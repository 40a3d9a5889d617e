/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionproperties.h"
#include "base/gstvisiontell.h"
#include "testsrc/gstvisiontestsrc.h"

#define SEPARATORS ",;"

/* The names in the list @text; empty names are left out. */
static GPtrArray *
mesh_names_of (const gchar *text)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  gchar **all = g_strsplit_set (text ? text : "", SEPARATORS, -1);

  for (gchar **name = all; *name; name++)
    if (*g_strstrip (*name))
      g_ptr_array_add (names, g_strdup (*name));
  g_strfreev (all);
  return names;
}

static gboolean
names_solid (const gchar *name)
{
  return g_strv_contains (clutter_solids, name);
}

/* The element calls this before the stream begins, so that the error can name
 * the file. */
gboolean
gst_vision_test_src_finds_meshes (GstVisionTestSrc *self)
{
  GPtrArray *names = GST_VISION_LOCKED (self, mesh_names_of (self->meshes));
  gboolean found = TRUE;

  for (guint i = 0; i < names->len && found; i++) {
    const gchar *name = g_ptr_array_index (names, i);

    found = names_solid (name) || g_file_test (name, G_FILE_TEST_IS_REGULAR);
    if (!found)
      GST_VISION_ERROR (self, RESOURCE, NOT_FOUND,
          ("There is no mesh file and no solid \"%s\". Set \"meshes\" to files "
           "that are there, or to names of solids.",
              name));
  }
  g_ptr_array_unref (names);
  return found;
}

static const char *
open_clutter_scene (GstVisionTestSrc *self, gint width, gint height)
{
  const char *err;
  GPtrArray *names;
  gdouble unit;

  GST_OBJECT_LOCK (self);
  names = mesh_names_of (self->meshes);
  unit = self->mesh_unit;
  GST_OBJECT_UNLOCK (self);
  err = clutter_new (&self->clutter, width, height,
      (const char *const *) names->pdata, (int) names->len, unit);
  g_ptr_array_unref (names);
  return err;
}

static void
close_clutter_scene (GstVisionTestSrc *self)
{
  g_clear_pointer (&self->clutter, clutter_free);
}

static const char *
show_clutter (GstVisionTestSrc *self, const Image *image, GstBuffer *buffer)
{
  ClutterView view = self->scene == gst_vision_test_src_clutter ? CLUTTER_COLOR
                                                                : CLUTTER_DEPTH;
  guint16 *labels = NULL;
  ClutterParams params;
  ClutterTruth truth;
  gboolean attached;
  const char *err;

  GST_OBJECT_LOCK (self);
  params = self->clutter_params;
  params.scene = self->params;
  if (self->label_map)
    labels = g_new (guint16, (gsize) image->width * image->height);
  GST_OBJECT_UNLOCK (self);
  err = clutter_render (
      self->clutter, &params, view, self->number, image, &truth, labels);
  attached = !err &&
      gst_vision_test_src_attach_camera (self, buffer, truth.fx, truth.fy,
          truth.cx, truth.cy, NULL,
          truth.camera) && /* the world is the table */
      gst_vision_test_src_attach_things (self, buffer, image->width,
          image->height, truth.objects, truth.n_objects) &&
      gst_vision_test_src_attach_labels (
          buffer, image->width, image->height, g_steal_pointer (&labels));
  g_free (labels);
  return err || attached ? err
                         : "the truth could not be attached to the buffer";
}

#define CAPS(formats) \
 "video/x-raw, format = (string) " formats \
 ", width = (int) [ 1, 4096 ], height = (int) [ 1, 4096 ], " \
 "framerate = " GST_VIDEO_FPS_RANGE

const GstVisionTestSrcScene gst_vision_test_src_clutter[] = {
    [CLUTTER_COLOR] = {CAPS ("{ RGBA, BGRA, RGBx, BGRx, RGB, BGR, GRAY8, NV12, "
                             "I420, YUY2, P010_10LE }"),
        NULL, open_clutter_scene, close_clutter_scene, show_clutter},
    [CLUTTER_DEPTH] = {CAPS ("GRAY16_LE"), NULL, open_clutter_scene,
        close_clutter_scene, show_clutter},
};
