/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect in a pipeline on a device that fails at each of its calls in
 * turn. */
#include "suite.h"
#include "failingplay.h"

#include <glib/gstdio.h>

#include "scopedetect/scopedetect_solid.h"

static const gchar *const properties[] = {"queries=60", "align=1 queries=60"};

/* A coarse model, compiled quickly. */
static gchar *
make_model (void)
{
  ScopedetectModel *model = solid_model (.012);
  gchar *path = NULL;
  gint fd = g_file_open_tmp ("scopedetect-XXXXXX", &path, NULL);

  fail_unless (fd >= 0);
  g_close (fd, NULL);
  fail_unless (scopedetect_model_save (model, path) == NULL);
  scopedetect_model_free (model);
  return path;
}

GST_START_TEST (test_pipeline)
{
  gchar *model = make_model ();
  gchar *text = g_strdup_printf (
      "scopedetect name=scope backend=cpu models=%s kept=50 clusters=5 far=4 "
      "table=false intrinsics=58,58,31.5,23.5 tracking=false %s ! fakesink "
      "async=false visiontestsrc num-buffers=2 ! "
      "video/x-raw,format=RGB,width=64,height=48 ! scope.sink_color "
      "visiontestsrc num-buffers=2 pattern=rgbd correspondence-map=false ! "
      "video/x-raw,width=64,height=48 ! scope.sink_depth",
      model, properties[__i__]);
  GstElement *pipeline = failing_pipeline (text, "scope", failing_open);

  failing_play_all (pipeline, "scope");
  gst_object_unref (pipeline);
  g_unlink (model);
  g_free (model);
  g_free (text);
}
GST_END_TEST;

SUITE (scopedetectfailing, TIMEOUT (300),
    LOOP (test_pipeline, G_N_ELEMENTS (properties)));
