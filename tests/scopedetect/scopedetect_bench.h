/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect's detector of the solid, with its frame. */
#pragma once

#include "check.h"
#include "scopedetect/scopedetect_detector.h"
#include "scopedetect_solid.h"

#define SOLID_STRIDE (2 * SOLID_WIDTH)
#define SOLID_BYTES (SOLID_STRIDE * SOLID_HEIGHT)

typedef struct {
  Device dev;
  Scopedetect *s;
  ScopedetectModel *model;
  uint16_t *depth; /* of the host and of the device */
  ScopedetectFrame frame;
} Bench;

/* Of @model, which bench_close () frees. */
static inline void
bench_open_model (Bench *b, DeviceKind kind, ScopedetectModel *model)
{
  memset (b, 0, sizeof *b);
  ok (device_open (&b->dev, kind, NULL));
  ok (device_alloc_pinned (&b->dev, (void **) &b->depth, SOLID_BYTES));
  b->model = model;
  ok (scopedetect_new (&b->s, &b->dev, SOLID_WIDTH, SOLID_HEIGHT,
      (const ScopedetectModel *const *) &b->model, 1));
  b->frame = (ScopedetectFrame){
      SOLID_WIDTH, SOLID_HEIGHT, b->depth, SOLID_STRIDE, NULL, 0, {{0}}};
}

static inline void
bench_open (Bench *b, DeviceKind kind)
{
  bench_open_model (b, kind, solid_model (.004));
}

static inline void
bench_close (Bench *b)
{
  scopedetect_free (b->s);
  device_release_pinned (&b->dev, b->depth);
  scopedetect_model_free (b->model);
  device_close (&b->dev);
}

AUTO_FREE (Bench, bench_close)

/* A wall behind all: where nothing lies behind an object, it has no edges. */
static inline void
draw_wall (uint16_t *depth)
{
  for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
    depth[i] = depth[i] ? depth[i] : 14000;
}

/* Params of frames with that wall, which is the plane. */
static inline ScopedetectParams
before_wall (Preset preset)
{
  ScopedetectParams p = solid_params (preset);

  p.table_high = 1.4;
  return p;
}

/* Depth that a sensor would round, and miss here and there. */
static inline void
add_noise (Bench *b, int units)
{
  for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
    if (!rnd (50))
      b->depth[i] = 0;
    else if (b->depth[i])
      b->depth[i] =
          (uint16_t) (b->depth[i] + rnd (2 * (uint32_t) units + 1) - units);
}
