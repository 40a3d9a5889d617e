/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CPU against CUDA, bit for bit. */
#pragma once

#include "pocstereo_hostile.h"

static inline void
test_parity_dense (DeviceKind kind)
{
  for (int round = 0; round < 120; round++) {
    Pair p = random_pair ();
    PocstereoParams params = random_params (p.width, p.height);
    PocstereoMatch *a = pair_match (DEVICE_CPU, &params, &p, NULL, 0);
    PocstereoMatch *b = pair_match (kind, &params, &p, NULL, 0);

    check (!memcmp (a, b, (size_t) p.width * p.height * sizeof *a));
    free (a);
    free (b);
    pair_free (&p);
  }
}

/* From one point to more than there are pixels. */
static inline void
test_parity_points (DeviceKind kind)
{
  for (int round = 0; round < 120; round++) {
    Pair p = random_pair ();
    PocstereoParams params = random_params (p.width, p.height);
    int n = 1 + (int) rnd (rnd (2) ? 50 : 20000);
    PocstereoPoint *points = malloc (n * sizeof *points);
    PocstereoMatch *a, *b;

    for (int i = 0; i < n; i++)
      points[i] = (PocstereoPoint){(int) rnd (p.width), (int) rnd (p.height)};
    a = pair_match (DEVICE_CPU, &params, &p, points, n);
    b = pair_match (kind, &params, &p, points, n);
    check (!memcmp (a, b, n * sizeof *a));
    free (a);
    free (b);
    free (points);
    pair_free (&p);
  }
}
