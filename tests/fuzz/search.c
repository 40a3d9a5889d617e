/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looking for a model whose file may be damaged: what it holds that is accepted
 * leads nowhere outside. */
#define FUZZ_INIT
#include "fuzz_model.h"

#define WIDTH 32
#define HEIGHT 24

static Device host;
static uint16_t depth[WIDTH * HEIGHT];

/* A block before a wall. */
static void
fuzz_init (void)
{
  REQUIRE (!device_open (&host, DEVICE_CPU, NULL));
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      depth[y * WIDTH + x] =
          (uint16_t) (x > 8 && x < 24 && y > 6 && y < 18 ? 500 + x : 700);
}

static void
fuzz (const uint8_t *data, size_t size)
{
  ScopedetectModel *model = fuzz_model (data, size);
  const ScopedetectModel *models[1] = {model};
  const ScopedetectFrame frame = {
      WIDTH, HEIGHT, depth, 2 * WIDTH, NULL, 0, {{0}}};
  const ScopedetectObject guess = {.pose = {0, 0, .5, 1, 0, 0, 0}};
  ScopedetectParams params = scopedetect_defaults ();
  ScopedetectResults results;
  Scopedetect *s = NULL;

  if (!model)
    return;
  params.camera = (Camera){40, 40, 15.5, 11.5, {0}};
  params.table = false;
  params.queries = params.samples = 50;
  params.climb = params.align = 1;
  params.refine = 2;
  params.last = 2;
  params.min_score = 0;
  if (!scopedetect_new (&s, &host, WIDTH, HEIGHT, models, 1)) {
    REQUIRE (!scopedetect_observe (s, &params, &frame));
    REQUIRE (!scopedetect_search (s, &results));
    REQUIRE (!scopedetect_track (s, &guess, 1, &results));
  }
  scopedetect_free (s);
  scopedetect_model_free (model);
}
