/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect: its numbers and features by hand and against slow versions, its
 * parts of a score, poses in generated frames, files, hostile input, and the
 * CPU against the GPU. */
#include "scopedetect_bench.h"
#include "scopedetect_clouds.h"
#include "scopedetect_extra.h"
#include "scopedetect_files.h"
#include "scopedetect_hostile.h"
#include "scopedetect_observe_parity.h"
#include "scopedetect_parity.h"
#include "scopedetect_parts.h"
#include "scopedetect_told.h"

static const CheckPart on_each[] = {{"functions", test_functions},
    {"colours", test_lab}, {"turns", test_turns},
    {"least axis", test_least_axis}, {"Procrustes", test_procrustes},
    {"pairs of features", test_feature_pairs},
    {"features of a plane", test_plane}, {"curvature", test_curvature},
    {"FPFH", test_fpfh},

    {"units", test_units}, {"model", test_model},
    {"model files", test_model_file}, {"refused models", test_refused_model},
    {"names", test_names}, {"parts of a score", test_parts},
    {"late parts", test_extra}, {"ways to align", test_ways},
    {"on a table", test_table}, {"two, and again", test_two},
    {"as in the thesis", test_thesis}, {"params", test_params},
    {"nothing there", test_nothing}, {"sizes", test_sizes},
    {"seeds", test_seeds}, {"many models", test_many},
    {"outline", test_outline}, {"contest", test_contest}, {"apart", test_apart},
    {"duplicate", test_duplicate}, {NULL, NULL}};

static const CheckPart parity[] = {{"observation", test_observe_parity},
    {"rounds", test_rounds}, {"frames", test_frames}, {"tracked", test_tracked},
    {"late parts", test_late_parts}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, parity, bench_table);
}
