/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The region of moct. */
#define FUZZ_INIT
#include "fuzz_gst.h"

GST_ELEMENT_REGISTER_DECLARE (moct);

static void
fuzz_init (void)
{
  fuzz_gst_init (false);
  GST_ELEMENT_REGISTER (moct, NULL);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  fuzz_property ("moct", "region", data, size);
}
