/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The mosaic's pattern of emdtrack, which is read when caps come. */
#define FUZZ_INIT
#include "emdtrack/gstemdtrack.h"
#include "fuzz_gst.h"

GST_ELEMENT_REGISTER_DECLARE (emdtrack);

static void
fuzz_init (void)
{
  fuzz_gst_init (false);
  GST_ELEMENT_REGISTER (emdtrack, NULL);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  char *text = fuzz_text (data, size);
  GstElement *e = fuzz_set ("emdtrack", "mosaic-pattern", text);
  GstStructure *s =
      gst_structure_new ("video/x-raw", "width", G_TYPE_INT, 240, "height",
          G_TYPE_INT, 240, "channel-layout", G_TYPE_STRING, "mosaic", NULL);
  gint width = 0, height = 0;

  if (gst_emdtrack_map_size (GST_EMDTRACK (e), s, &width, &height))
    REQUIRE (width > 0 && height > 0 && width <= 240 && height <= 240);
  gst_structure_free (s);
  gst_object_unref (e);
  free (text);
}
