/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Model files of scopedetect, and what is asked of a model. */
#include "fuzz_model.h"

#define CORNERS 64

static void
use (const ScopedetectModel *model, size_t bytes)
{
  const double at[7] = {0, 0, 1, 1, 0, 0, 0}, by[7] = {.1, 0, 1, 0, 1, 0, 0};
  const Camera camera = {50, 50, 32, 24, {0}};
  const ScopedetectModel *models[1] = {model};
  ScopedetectModelInfo info;
  uint8_t *written = NULL;
  size_t size = 0;
  double add, add_s, xy[2 * CORNERS];

  scopedetect_model_info (model, &info);
  REQUIRE (fuzz_is_utf8 (info.name));
  REQUIRE (scopedetect_memory (DEVICE_CPU, 64, 48, models, 1) > 0);
  scopedetect_model_distance (model, at, by, &add, &add_s);
  scopedetect_model_outline (model, at, &camera, xy, CORNERS);
  REQUIRE (!scopedetect_model_write (model, &written, &size));
  REQUIRE (size == bytes);
  free (written);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  ScopedetectModel *model = fuzz_model (data, size);

  if (model)
    use (model, size);
  scopedetect_model_free (model);
}
