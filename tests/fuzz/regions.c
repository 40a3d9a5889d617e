/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The regions of pocstereo. */
#include "fuzz_gst.h"
#include "pocstereo/gstpocstereo.h"

static void
fuzz (const uint8_t *data, size_t size)
{
  char *text = fuzz_text (data, size);
  GError *error = NULL;
  GArray *regions = gst_pocstereo_parse_regions (text, &error);

  REQUIRE (regions ? regions->len > 0 : fuzz_is_utf8 (error->message));
  g_clear_pointer (&regions, g_array_unref);
  g_clear_error (&error);
  free (text);
}
