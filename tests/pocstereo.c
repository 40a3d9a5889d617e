/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pocstereo: known disparities, FFTW, what must be refused, and CPU against
 * CUDA bit for bit. */
#include "pocstereo_average.h"
#include "pocstereo_energy.h"
#include "pocstereo_hostile.h"
#include "pocstereo_known.h"
#include "pocstereo_lengths.h"
#include "pocstereo_parity.h"
#include "pocstereo_slant.h"
#ifdef HAVE_FFTW
# include "pocstereo_oracle.h"
#endif

static const CheckPart on_each[] = {{"shifts", test_shifts},
    {"ranges", test_ranges}, {"nothing to see", test_plain},
    {"identical views", test_identical},
    {"points are pixels", test_points_are_pixels},
    {"a square before a wall", test_square}, {"means of frames", test_still},
    {"frames alone", test_alone}, {"slanted planes", test_slant},
    {"any length", test_lengths},
    {"a long window, a wide range", test_long_range},
    {"long windows, plain lines", test_long_plain},
    {"long windows in all modes", test_long_modes},
#ifdef HAVE_FFTW
    {"exact sums", test_exact}, {"against FFTW", test_oracle},
    {"long windows against FFTW", test_oracle_long},
#endif
    {"params", test_params}, {"frames", test_frames}, {"repeats", test_repeats},
    {"a device that fails", test_failing}, {NULL, NULL}};

static const CheckPart parity[] = {{"every pixel", test_parity_dense},
    {"points", test_parity_points}, {"means of frames", test_parity_average},
    {"long windows", test_parity_long}, {NULL, NULL}};

/* What a race checker gets through: not the transforms of another library. */
static const CheckPart parity_short[] = {{"every pixel", test_parity_dense},
    {"points", test_parity_points}, {"means of frames", test_parity_average},
    {NULL, NULL}};

int
main (int argc, char **argv)
{
  bool is_short = argc > 2 && !strcmp (argv[2], "short");

  return check_main (
      argc, argv, on_each, is_short ? parity_short : parity, bench_all);
}
