/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a target of emdtrack looks like: a file with a histogram or a picture.
 */
#define FUZZ_INIT
#include "emdtrack/gstemdtrack.h"
#include "fuzz_gst.h"
#include "fuzz_png.h"

int __lsan_is_turned_off (void);

/* GstVideoDecoder (1.22) loses a frame whenever pngdec gives up on a damaged
 * picture. */
int
__lsan_is_turned_off (void)
{
  return 1;
}

static void
fuzz_init (void)
{
  fuzz_gst_init (true); /* pngdec */
}

static void
fuzz (const uint8_t *data, size_t size)
{
  GstEmdtrackPattern *p = NULL;
  const char *err =
      gst_emdtrack_pattern_read (fuzz_png_file ("pattern", data, size), &p);

  REQUIRE (!err == !!p);
  if (!p)
    return;
  REQUIRE (p->n ||
      (p->pixels && p->image.width > 0 && p->image.height > 0 &&
          p->bytes == (gsize) p->image.stride[0] * (gsize) p->image.height));
  gst_emdtrack_pattern_free (p);
}
