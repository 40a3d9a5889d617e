/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that cannot be page-locked is the system's, and one line says so. */
#include "suite.h"
#include "base/gstvisionpinned.h"

#ifndef GSTCUDA_MINOR /* without CUDA nothing can be page-locked */

static void
count_refusals (GstDebugCategory *category, GstDebugLevel level,
    const gchar *file, const gchar *function, gint line, GObject *object,
    GstDebugMessage *message, gpointer n)
{
  (void) category, (void) level, (void) file, (void) function, (void) line;
  (void) object;
  if (strstr (gst_debug_message_get (message), "cannot be page-locked"))
    ++*(guint *) n;
}

GST_START_TEST (test_refused)
{
  g_autoptr (GstObject) context = gst_object_ref_sink (gst_bin_new (NULL));
  g_autoptr (GstAllocator) allocator =
      gst_vision_pinned_allocator_new (context);
  GstAllocationParams params = {.align = 63, .prefix = 5, .padding = 7};
  guint n = 0;

  gst_debug_set_threshold_for_name ("visionpinned", GST_LEVEL_DEBUG);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (count_refusals, &n, NULL);
  for (guint i = 0; i < 3; i++) {
    GstMemory *memory = gst_allocator_alloc (allocator, 1000, &params);
    GstMapInfo info;

    fail_unless (gst_memory_map (memory, &info, GST_MAP_READWRITE));
    fail_unless_equals_int (info.size, 1000);
    memset (info.data, 1, info.size);
    gst_memory_unmap (memory, &info);
    gst_memory_unref (memory);
  }
  gst_debug_remove_log_function (count_refusals);
  fail_unless_equals_int (n, 1);
}
GST_END_TEST;

SUITE (pinned, TEST (test_refused));

#else

int
main (void)
{
  return 77;
}

#endif
