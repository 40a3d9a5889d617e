/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cubes of ENVI.  A byte 0 parts the input into the header and the numbers. */
#include "envisrc/gstenvicube.h"
#include "fuzz_gst.h"

/* All bands as few channels, in 16 bits and in 8. */
static void
read_cube (GstEnviCube *cube)
{
  const GstEnviHeader *h = &cube->header;
  GstEnviChoice choice = {.last_band = h->bands - 1,
      .channels = MIN (h->bands, 3),
      .full_scale = 1};

  for (guint bytes = 1; bytes <= 2; bytes++) {
    gsize stride = (gsize) h->samples * bytes;
    guint8 *pixels = g_malloc (stride * h->lines * choice.channels);
    GError *error = NULL;

    if (!gst_envi_cube_read (
            cube, &choice, bytes, pixels, (gint) stride, &error))
      REQUIRE (error);
    g_clear_error (&error);
    g_free (pixels);
    choice.first_band = h->bands / 2;
    choice.channels = 1;
  }
}

static void
fuzz (const uint8_t *data, size_t size)
{
  size_t header = fuzz_split (data, size);
  const char *path = fuzz_file ("cube.hdr", data, header);
  GstEnviCube cube = {0};
  GError *error = NULL;

  fuzz_file ("cube.img", data + header + (header < size),
      size - header - (header < size));
  if (gst_envi_cube_open (&cube, path, &error)) {
    read_cube (&cube);
    gst_envi_cube_close (&cube);
  } else {
    REQUIRE (error);
  }
  g_clear_error (&error);
}
