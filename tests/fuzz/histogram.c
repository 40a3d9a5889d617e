/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Histograms of a target of emdtrack, texts of numbers. */
#include "emdtrack/gstemdtrack.h"
#include "fuzz_gst.h"

static void
fuzz (const uint8_t *data, size_t size)
{
  GstEmdtrackPattern *p = NULL;
  const char *err;

  if (size && data[0] == 0x89) /* a picture */
    return;
  err = gst_emdtrack_pattern_read (fuzz_file ("histogram", data, size), &p);
  REQUIRE (!err == !!p);
  if (!p)
    return;
  REQUIRE (p->n >= 2 && p->n <= EMDTRACK_BINS);
  gst_emdtrack_pattern_free (p);
}
