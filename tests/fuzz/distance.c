/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of ground distances of emdtrack. */
#define FUZZ_INIT
#include "emdtrack/emdtrack_work.h"
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
  const char *path = fuzz_file ("distances", data, size);
  GstElement *e = fuzz_set ("emdtrack", "distance-file", path);

  for (int bins = 2; bins <= 4; bins++) {
    EmdtrackParams p = emdtrack_defaults ();
    uint8_t distances[EMDTRACK_BINS][EMDTRACK_BINS];
    double scale;

    p.bins = bins;
    p.distance = EMDTRACK_MATRIX;
    if (!gst_emdtrack_read_distances (GST_EMDTRACK (e), &p) &&
        !emdtrack_distances (&p, distances, &scale))
      REQUIRE (scale > 0);
  }
  gst_object_unref (e);
}
