/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Presets.  The first byte of an input says of which element; the head of the
 * file, which GStreamer checks, is made right. */
#define FUZZ_INIT
#include "fuzz_gst.h"

GST_ELEMENT_REGISTER_DECLARE (emdtrack);
GST_ELEMENT_REGISTER_DECLARE (gpuccl);
GST_ELEMENT_REGISTER_DECLARE (moct);
GST_ELEMENT_REGISTER_DECLARE (pocstereo);
GST_ELEMENT_REGISTER_DECLARE (scopedetect);

/* Presets are kept in files of the type's name. */
static const char *const elements[][2] = {{"emdtrack", "GstEmdtrack"},
    {"gpuccl", "GstGpuccl"}, {"moct", "GstMoct"}, {"pocstereo", "GstPocstereo"},
    {"scopedetect", "GstScopedetect"}};

static void
fuzz_init (void)
{
  g_setenv ("XDG_DATA_HOME", fuzz_path ("home"), TRUE);
  fuzz_gst_init (false);
  GST_ELEMENT_REGISTER (emdtrack, NULL);
  GST_ELEMENT_REGISTER (gpuccl, NULL);
  GST_ELEMENT_REGISTER (moct, NULL);
  GST_ELEMENT_REGISTER (pocstereo, NULL);
  GST_ELEMENT_REGISTER (scopedetect, NULL);
  gst_preset_set_app_dir (fuzz_path (""));
}

/* GStreamer reads a type's file once, and keeps it with the type. */
static void
forget (GType type)
{
  GQuark kept = g_quark_try_string ("GstPreset");
  GKeyFile *file = kept ? g_type_get_qdata (type, kept) : NULL;

  if (!file)
    return;
  g_type_set_qdata (type, kept, NULL);
  g_key_file_free (file);
}

static void
load_all (GstElement *element)
{
  gchar **names = gst_preset_get_preset_names (GST_PRESET (element));

  for (gchar **name = names; name && *name; name++)
    gst_preset_load_preset (GST_PRESET (element), *name);
  g_strfreev (names);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  const char *const *of =
      elements[size ? data[0] % G_N_ELEMENTS (elements) : 0];
  char *text = size ? fuzz_text (data + 1, size - 1) : NULL, name[64];
  GstElement *e;
  gchar *file;

  if (!size)
    return;
  snprintf (name, sizeof name, "%s.prs", of[1]);
  file = g_strdup_printf (
      "[_presets_]\nversion=0.1.0\nelement-name=%s\n\n[one]\n%s", of[1], text);
  fuzz_file (name, (const uint8_t *) file, strlen (file));
  e = gst_object_ref_sink (gst_element_factory_make (of[0], NULL));
  load_all (e);
  forget (G_OBJECT_TYPE (e));
  gst_object_unref (e);
  g_free (file);
  free (text);
}
