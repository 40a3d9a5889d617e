/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pocstereo: known disparities, and CPU against CUDA bit for bit. */
#include "pocstereo_energy.h"
#include "pocstereo_known.h"

static const CheckPart on_each[] = {{"shifts", test_shifts}, {NULL, NULL}};

static const CheckPart parity[] = {{NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, parity, bench_all);
}
