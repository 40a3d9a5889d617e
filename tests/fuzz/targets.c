/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The targets of emdtrack.  An input may name the file FUZZ_DIR/h: run.sh
 * starts fuzzers in that folder. */
#define FUZZ_INIT
#include "fuzz_gst.h"

GST_ELEMENT_REGISTER_DECLARE (emdtrack);

static void
fuzz_init (void)
{
  fuzz_gst_init (false);
  GST_ELEMENT_REGISTER (emdtrack, NULL);
  fuzz_file ("h", (const uint8_t *) "1 2 3", 5);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  fuzz_property ("emdtrack", "targets", data, size);
}
