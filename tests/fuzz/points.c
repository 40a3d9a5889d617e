/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The points of pocstereo: a text, or a file with one. */
#include "fuzz_gst.h"
#include "pocstereo/gstpocstereo.h"

static void
parse (const char *text)
{
  GError *error = NULL;
  GArray *points = gst_pocstereo_parse_points (text, &error);

  REQUIRE (points ? points->len > 0 : fuzz_is_utf8 (error->message));
  g_clear_pointer (&points, g_array_unref);
  g_clear_error (&error);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  char *text = fuzz_text (data, size);

  parse (fuzz_file ("points.txt", data, size));
  if (fuzz_is_utf8 (text)) /* it is quoted where it names no file */
    parse (text);
  free (text);
}
