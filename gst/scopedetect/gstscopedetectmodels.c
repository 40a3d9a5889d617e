/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Models from the files of the property models, and what was learned for them.
 */
#include "scopedetect/gstscopedetect.h"
#include "base/gstvisiontell.h"

#define SEPARATORS ",;"

static const char *
refuse_file (GstScopedetect *self, const gchar *path, const char *err)
{
  GstVisionCommon *common = gst_vision_common (self);

  if (!common->has_failed)
    GST_VISION_ERROR (self, RESOURCE, OPEN_READ,
        ("models cannot be used: \"%s\": %s.", path, err));
  common->has_failed = TRUE;
  return err;
}

static const char *
load_model_files (GstScopedetect *self, gchar **paths)
{
  for (; *paths; paths++) {
    const gchar *path = g_strstrip (*paths);
    const char *err;

    if (!*path)
      continue;
    err = scopedetect_model_load (&self->model[self->n_models], path);
    if (err)
      return refuse_file (self, path, err);
    scopedetect_model_info (
        self->model[self->n_models], &self->info[self->n_models]);
    err = scopedetect_check_model_info (
        &self->info[0], &self->info[self->n_models]);
    self->n_models++;
    if (err)
      return refuse_file (self, path, err);
  }
  return NULL;
}

const char *
gst_scopedetect_load_models (GstScopedetect *self)
{
  GstVisionCommon *common = gst_vision_common (self);
  const char *err;
  gchar **paths;
  guint n;

  paths = GST_VISION_LOCKED (
      self, g_strsplit_set (self->models ? self->models : "", SEPARATORS, -1));
  n = g_strv_length (paths);
  if (n > SCOPEDETECT_MAX_MODELS) { /* reading them would take minutes */
    err = "models names more than 1024 files; use several elements";
    gst_vision_common_refused (common, err);
    g_strfreev (paths);
    return err;
  }
  self->model = g_new0 (ScopedetectModel *, n + 1);
  self->info = g_new0 (ScopedetectModelInfo, n + 1);
  err = load_model_files (self, paths);
  if (!err && !self->n_models) {
    err = "there are no models; set models to files that vision-model made";
    gst_vision_common_refused (common, err);
  }
  g_strfreev (paths);
  return err;
}

void
gst_scopedetect_drop_models (GstScopedetect *self)
{
  for (gint i = 0; i < self->n_models; i++)
    scopedetect_model_free (self->model[i]);
  self->n_models = 0;
  g_clear_pointer (&self->model, g_free);
  g_clear_pointer (&self->info, g_free);
}

void
gst_scopedetect_load_fit (GstScopedetect *self)
{
  gchar *path = GST_VISION_LOCKED (self, g_strdup (self->fit));
  const char *err = NULL;

  if (path && *path)
    err = scopedetect_load_fit (self->detector, path,
        (const ScopedetectModel *const *) self->model, self->n_models);
  if (err)
    GST_VISION_WARNING (self, RESOURCE, SETTINGS,
        ("fit cannot be used, and the built-in one is: \"%s\": %s.", path,
            err));
  g_free (path);
}
