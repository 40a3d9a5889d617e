/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps of the late parts of a score by themselves: boundaries of masks, and
 * walks. */
#pragma once

#include "check.h"
#include "scopedetect/scopedetect_extra.h"

/* Features that are equal, that differ by one percent, or are not there. */
static inline void
check_feature_distance (void)
{
  static int16_t model[SCOPEDETECT_CODE], scene[2 * SCOPEDETECT_CODE];
  static const struct {
    float sigma;
    int point, feature;
  } cases[] = {{1, 0, 0}, {1, 1, -SCOPEDETECT_ONE / 2},
      {.25f, 1, -2 * SCOPEDETECT_ONE}, {1, -1, -2 * SCOPEDETECT_ONE},
      {0, 0, -2 * SCOPEDETECT_ONE}};

  for (int k = 0; k < SCOPEDETECT_BINS; k++)
    model[k] = scene[k] = scene[SCOPEDETECT_CODE + k] = (int16_t) rnd (200);
  scene[SCOPEDETECT_CODE + rnd (SCOPEDETECT_BINS)] += SCOPEDETECT_CODE_SCALE;
  for (int i = 0; i < 5; i++) {
    ScopedetectWork w = {.cloud.code = scene};
    ScopedetectShape s = {.code = model, .feature_sigma = cases[i].sigma};
    ScopedetectExtras t = {0};

    scopedetect_add_feature_of (&w, &s, 0, cases[i].point, 3, &t);
    check (t.feature == 3 * cases[i].feature && t.feature_seen == 3);
  }
}

static inline bool
mask_bit (const uint32_t *bits, int x, int y)
{
  return x >= 0 && y >= 0 && x < SCOPEDETECT_MASK && y < SCOPEDETECT_MASK &&
      (bits[(y * SCOPEDETECT_MASK + x) / 32] >> x % 32 & 1);
}

/* Against a loop over cells. */
static inline void
check_boundary (void)
{
  ScopedetectMask m;
  int wrong = 0, found = 0;

  for (int i = 0; i < SCOPEDETECT_MASK_WORDS; i++)
    m.seen[i] = rnd (1u << 31) & rnd (1u << 31) << 1,
    m.hidden[i] = rnd (1u << 31) << 1 | rnd (2);
  for (int y = 0; y < SCOPEDETECT_MASK; y++)
    for (int x = 0; x < SCOPEDETECT_MASK; x++) {
      bool is = mask_bit (m.hidden, x, y) && !mask_bit (m.seen, x, y) &&
          (mask_bit (m.seen, x - 1, y) || mask_bit (m.seen, x + 1, y) ||
              mask_bit (m.seen, x, y - 1) || mask_bit (m.seen, x, y + 1));
      int word = (y * SCOPEDETECT_MASK + x) / 32;

      wrong += is != (scopedetect_boundary (&m, word) >> x % 32 & 1);
      found += is;
    }
  check (!wrong && found);
  check (scopedetect_is_hidden (SCOPEDETECT_ONE / 2 - 1));
  check (!scopedetect_is_hidden (SCOPEDETECT_ONE / 2));
}

/* A court with walls, one pixel wide, is not left; where there are none, some
 * walks lead out of it, always the same way. */
static inline void
check_strolls (void)
{
  enum { SIDE = 40, LOW = 15, HIGH = 25 };
  static ScopedetectPixel pixel[SIDE * SIDE];
  ScopedetectWork w = {0};
  int moved = 0, left = 0;

  w.scene.width = w.scene.height = SIDE;
  w.scene.pixel = pixel;
  for (int walled = 1; walled >= 0; walled--) {
    for (int i = 0; i < SIDE * SIDE; i++) {
      int x = i % SIDE, y = i / SIDE;
      bool in = x >= LOW && x <= HIGH && y >= LOW && y <= HIGH;
      bool wall = in && (x == LOW || x == HIGH || y == LOW || y == HIGH);

      pixel[i].z = wall && walled && y == LOW ? 0 : 1;
      pixel[i].edge = wall && walled && y != LOW ? -1.5f : -1.7f;
    }
    for (int i = 0; i < 81; i++)
      for (w.params.seed = 0; w.params.seed < 4; w.params.seed++) {
        int x = LOW + 1 + i % 9, y = LOW + 1 + i / 9, u = x, v = y;

        scopedetect_stroll (&w, &u, &v);
        moved += u != x || v != y;
        left += u <= LOW || u >= HIGH || v <= LOW || v >= HIGH;
        check (!walled || left == 0);
        check (abs (u - x) + abs (v - y) <= SCOPEDETECT_STROLL);
      }
  }
  check (moved > 500 && left > 50);
}
