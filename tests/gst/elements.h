/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/check/gstcheck.h>

/* All that the plug-in registers; free it as a list of features. */
static inline GList *
elements (void)
{
  GList *all =
      gst_registry_get_feature_list_by_plugin (gst_registry_get (), "vision");

  fail_unless (all != NULL, "the plug-in vision has no elements");
  return all;
}
