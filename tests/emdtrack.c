/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack's maps: by hand, against an oracle, over many frames, on hostile
 * input, and CPU against CUDA bit for bit.
 *
 * parity short: a few frames, for sanitizers.
 * --print N prints N problems and the values found, for emdtrack_peers.py. */
#include "emdtrack_bench_cuda.h"
#include "emdtrack_hostile.h"
#include "emdtrack_known.h"
#include "emdtrack_parity.h"
#include "emdtrack_play.h"
#include "emdtrack_spectra.h"

static void
test_oracle (DeviceKind kind)
{
  for (int round = 0; round < 30; round++)
    for (int solver = EMDTRACK_AUTO; solver <= EMDTRACK_PAPER; solver++) {
      EmdtrackParams p = random_params (2 + round % 15);
      Frame f = random_grey (20 + (int) rnd (60), 10 + (int) rnd (40));
      Found found;

      p.solver = (EmdtrackSolver) solver;
      found = find (kind, &p, &plain_frame, &f);
      compare_with_oracle (&p, &found, 150);
      for (int i = 0; i < found.width * found.height; i += 7) {
        uint8_t h[EMDTRACK_BINS];

        oracle_histogram (
            &f.image, i % found.width, i / found.width, p.window, p.bins, h);
        check (!memcmp (h, found.histogram + i * EMDTRACK_BINS, sizeof h));
      }
      found_free (&found);
      frame_free (&f);
    }
}

/* The target is the histogram of one pixel: there, and wherever the histogram
 * is the same, the distance is 0 if that of each bin from itself is. */
static void
test_equal (DeviceKind kind)
{
  for (int round = 0; round < 20; round++) {
    EmdtrackParams p = random_params (2 + (int) rnd (15));
    Frame f = random_grey (30, 30);
    int at = (int) rnd (900);
    Found found;

    for (int i = 0; i < p.bins; i++)
      p.matrix[i][i] = 0;
    p.solver = (EmdtrackSolver) rnd (3);
    found = find (kind, &p, &plain_frame, &f);
    for (int i = 0; i < p.bins; i++)
      p.targets[0].weight[i] = found.histogram[at * EMDTRACK_BINS + i];
    found_free (&found);
    found = find (kind, &p, &plain_frame, &f);
    for (int i = 0; i < 900; i++)
      if (!memcmp (found.histogram + i * EMDTRACK_BINS,
              found.histogram + at * EMDTRACK_BINS, EMDTRACK_BINS))
        check (found.map[0][i] == 0);
    found_free (&found);
    frame_free (&f);
  }
}

/* One line a problem: bins, mass, histogram, target, distances, value. */
static int
print_problems (int n)
{
  for (int k = 0; k < n; k++) {
    EmdtrackParams p = random_params (2 + k % 15);
    Frame f = random_grey (12, 12);
    uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS];
    int at = (int) rnd (144), d[EMDTRACK_BINS];
    double scale;
    Found found;

    p.solver = (EmdtrackSolver) (k % 3);
    found = find (DEVICE_CPU, &p, &plain_frame, &f);
    ok (emdtrack_distances (&p, distance, &scale));
    emdtrack_quantise (p.targets[0].weight, p.bins, found.results.mass, d);
    printf ("%d %d", p.bins, found.results.mass);
    for (int i = 0; i < p.bins; i++)
      printf (" %d", found.histogram[at * EMDTRACK_BINS + i]);
    for (int i = 0; i < p.bins; i++)
      printf (" %d", d[i]);
    for (int i = 0; i < p.bins * p.bins; i++)
      printf (" %d", distance[i / p.bins][i % p.bins]);
    printf (" %d\n", found.map[0][at]);
    found_free (&found);
    frame_free (&f);
  }
  return check_failures != 0;
}

static const CheckPart on_each[] = {{"one bin", test_one_bin},
    {"an edge", test_edge}, {"largest remainder", test_quantise},
    {"closed forms", test_forms}, {"oracle", test_oracle},
    {"equal histograms", test_equal}, {"layouts", test_layouts},
    {"formats", test_formats}, {"white", test_white}, {"counts", test_counts},
    {"large frames", test_large}, {"long run", test_long_run},
    {"full tables", test_full}, {"params", test_params},
    {"frames", test_frames}, {"small frames", test_small},
    {"a device that fails", test_failing}, {"and a cache", test_failing_cache},
    {NULL, NULL}};

static const CheckPart parity[] = {{"single frames", test_parity_frames},
    {"formats", test_parity_formats}, {"layouts", test_parity_layouts},
    {"many frames", test_parity_scene}, {"regions", test_parity_regions},
    {NULL, NULL}};

static const CheckPart parity_short[] = {
    {"few frames", test_parity_short}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  bool is_short = argc > 2 && !strcmp (argv[2], "short");

  if (argc > 2 && !strcmp (argv[1], "--print"))
    return print_problems (atoi (argv[2]));
  return check_main (
      argc, argv, on_each, is_short ? parity_short : parity, bench_any);
}
