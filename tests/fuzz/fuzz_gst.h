/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fuzzers of what elements read.  A warning of GLib ends the fuzzer, too.  A
 * file that begins with more than GStreamer defines FUZZ_INIT. */
#pragma once

#include <gst/gst.h>

#ifndef FUZZ_INIT
# define FUZZ_INIT
# define FUZZ_GST_ALONE
#endif
#include "fuzz.h"

/* What GLib and GStreamer think is a bug is a finding; that a value is out of
 * its range is none. */
static GLogWriterOutput
fuzz_warned (
    GLogLevelFlags level, const GLogField *fields, gsize n, gpointer user)
{
  (void) user;
  for (gsize i = 0; i < n; i++)
    if (!strcmp (fields[i].key, "MESSAGE") &&
        (level & G_LOG_LEVEL_CRITICAL || strstr (fields[i].value, "a bug")))
      fuzz_fail ("GLib", 0, fields[i].value);
  return G_LOG_WRITER_HANDLED;
}

/* Without a registry, unless plug-ins of others are @wanted. */
static inline void
fuzz_gst_init (bool wanted)
{
  if (!wanted)
    g_setenv ("GST_REGISTRY_DISABLE", "yes", TRUE);
  gst_init (NULL, NULL);
  g_log_set_writer_func (fuzz_warned, NULL, NULL);
}

#ifdef FUZZ_GST_ALONE
static void
fuzz_init (void)
{
  fuzz_gst_init (false);
}
#endif

/* Sets a property of a new element of a registered kind, and gets it back; the
 * element is to be unreffed. */
static inline GstElement *
fuzz_set (const char *element, const char *property, const char *text)
{
  GstElement *e = gst_element_factory_make (element, NULL);
  gchar *is = NULL;

  REQUIRE (e);
  gst_object_ref_sink (e);
  g_object_set (e, property, text, NULL);
  g_object_get (e, property, &is, NULL);
  g_free (is);
  return e;
}

/* Likewise, and that is all. */
static inline void
fuzz_property (
    const char *element, const char *property, const uint8_t *data, size_t size)
{
  char *text = fuzz_text (data, size);

  gst_object_unref (fuzz_set (element, property, text));
  free (text);
}
