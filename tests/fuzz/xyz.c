/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * XYZ files. */
#include "fuzz_mesh.h"

static void
fuzz (const uint8_t *data, size_t size)
{
  fuzz_mesh ("mesh.xyz", data, size);
}
