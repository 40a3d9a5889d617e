/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of matches, their places in space, and matches in places. */
#pragma once

#include "pocstereo_output_make.h"

static void
test_list (DeviceKind kind)
{
  static const PocstereoPoint points[] = {{2, 1}, {7, 3}, {102, 1}, {0, 0}};
  static const PocstereoMatch matches[] = {{20 * 256, 65535, 4096},
      {POCSTEREO_NONE, 1, 1}, {10 * 256, 0, 2048}, {-256, 65535, 1}};
  const uint8_t *const valid[2] = {NULL, NULL};
  PocstereoSpace space = plain_space ();
  PocstereoPointMatch list[4];
  float places[4][4];

  (void) kind;
  check (pocstereo_list (
             points, matches, 4, valid, 200, &space, list, places) == 3);
  check (list[0].x == 2 && list[0].y == 1 && list[0].disparity == 20);
  check (list[0].sigma == 1 && list[0].confidence == 1);
  check (list[1].x == 102 && list[1].disparity == 10 && list[1].sigma == .5f);
  check (list[1].confidence == 0);
  check_near (places[0][0], 0, 1e-6);
  check_near (places[0][2], 5, 1e-5);
  check_near (places[0][3], .25, 1e-5);
  check_near (places[1][0], 1, 1e-5);
  check_near (places[1][2], 10, 1e-5);
  check (places[2][0] == 0 && places[2][2] == 0); /* behind the camera */
  check (
      pocstereo_list (points, matches, 4, valid, 200, NULL, list, NULL) == 3);
  check (
      pocstereo_list (points, matches, 0, valid, 200, NULL, list, NULL) == 0);
}

/* Squares, cut off at the edges; of two in one place the later. */
static void
test_scatter (DeviceKind kind)
{
  static const PocstereoPoint points[] = {{0, 0}, {3, 2}, {4, 2}};
  static const PocstereoMatch matches[] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  static const int one[3][6] = {
      {1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 2, 3, 0}};
  static const int wide[3][6] = {
      {1, 1, 0, 0, 0, 0}, {1, 1, 2, 3, 3, 3}, {0, 0, 2, 3, 3, 3}};
  PocstereoMatch rows[18];

  (void) kind;
  for (int side = 1; side <= 3; side += 2) {
    pocstereo_scatter (points, matches, 3, side, rows, 6, 3);
    for (int i = 0; i < 18; i++) {
      int expected = side == 1 ? one[i / 6][i % 6] : wide[i / 6][i % 6];

      check (rows[i].disparity == (expected ? expected : POCSTEREO_NONE));
    }
  }
}
