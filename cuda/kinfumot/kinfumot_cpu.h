/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages of the CPU, by file. */
#pragma once

#include "kinfumot/kinfumot_core.h"

/* A loop over the rows of the frame, or over what else there is many of. */
typedef struct {
  const KinfumotWork *w;
  int model;
  void *more; /* of the stage */
} KinfumotLoop;

/* kinfumot_maps_cpu.c */
const char *kinfumot_filter_cpu (const Device *dev, const KinfumotWork *w);
const char *kinfumot_normals_cpu (const Device *dev, const KinfumotWork *w);
const char *kinfumot_classify_cpu (const Device *dev, const KinfumotWork *w);
const char *kinfumot_grow_cpu (const Device *dev, const KinfumotWork *w);
const char *kinfumot_adopt_cpu (
    const Device *dev, const KinfumotWork *w, int model);
const char *kinfumot_doubt_cpu (const Device *dev, const KinfumotWork *w);

/* kinfumot_align_cpu.c */
const char *kinfumot_align_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last);

/* kinfumot_fuse_cpu.c */
const char *kinfumot_allocate_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last);
const char *kinfumot_fuse_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last);

/* kinfumot_cast_cpu.c */
const char *kinfumot_ranges_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last);
const char *kinfumot_cast_cpu (
    const Device *dev, const KinfumotWork *w, int first, int last);
const char *kinfumot_draw_cpu (const Device *dev, const KinfumotWork *w,
    uint8_t *rgb, size_t rgb_stride, float *normals, size_t normals_stride);
