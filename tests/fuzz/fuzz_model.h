/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Model files of scopedetect.  The last 8 bytes, the checksum, are made right.
 */
#pragma once

#include "fuzz.h"
#include "scopedetect/scopedetect.h"

#define SPACING 32 /* where the head of the file has it */
#define LOW 64
#define HIGH 76
#define MARGIN .06f /* metres by which the table is wider than the box */
#define MAX_CELLS 20000

/* Whether the grid of nearest points would be so large that making it, which
 * the instruments slow down forty times, would leave time for nothing else. */
static bool
is_slow (const uint8_t *data, size_t size)
{
  float spacing, low[3], high[3], cells = 1;

  if (size < HIGH + sizeof high)
    return false;
  memcpy (&spacing, data + SPACING, sizeof spacing);
  memcpy (low, data + LOW, sizeof low);
  memcpy (high, data + HIGH, sizeof high);
  for (int i = 0; i < 3; i++)
    cells *= (high[i] - low[i] + MARGIN) / spacing;
  return cells > MAX_CELLS && cells < 1e7f;
}

/* FNV-1a, as in model/file.c. */
static uint64_t
checksum (const uint8_t *p, size_t n)
{
  uint64_t h = 0xcbf29ce484222325ull;

  for (size_t i = 0; i < n; i++)
    h = (h ^ p[i]) * 0x100000001b3ull;
  return h;
}

/* The model that an input is, to be freed; NULL where it is refused. */
static inline ScopedetectModel *
fuzz_model (const uint8_t *data, size_t size)
{
  ScopedetectModel *model = NULL;
  uint8_t *copy;
  const char *err;

  if (is_slow (data, size))
    return NULL;
  copy = (uint8_t *) fuzz_text (data, size);
  if (size >= sizeof (uint64_t)) {
    uint64_t sum = checksum (copy, size - sizeof sum);

    memcpy (copy + size - sizeof sum, &sum, sizeof sum);
  }
  err = scopedetect_model_parse (&model, copy, size);
  REQUIRE (!err == !!model);
  free (copy);
  return model;
}
