/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The CPU's stages. */
#pragma once

#include "common/memory.h"
#include "common/parallel.h"
#include "scopedetect/scopedetect_core.h"
#include "scopedetect/scopedetect_voxel_core.h"

#define SCOPEDETECT_SCORES 65536 /* that an int16_t may be */

/* The backend's own memory. */
typedef struct {
  DeviceMemory memory;      /* of the others */
  ScopedetectVoxel *voxel;  /* as many as the cloud has room for */
  ScopedetectCell *cell_of; /* likewise */
  uint32_t *cell;           /* of each hash: 1 + the number of its voxel */
  uint32_t cells;           /* a power of two */
  int *count;               /* of each score */
} ScopedetectCpu;

/* The hypotheses of one model: what most loops go over. */
typedef struct {
  const ScopedetectWork *w;
  const ScopedetectShape *model;
  ScopedetectHypothesis *hypothesis;
  int n;      /* hypotheses */
  int points; /* of the model, where not all of them are looked at */
} ScopedetectBatch;

static inline ScopedetectBatch
scopedetect_batch (const ScopedetectWork *w, int m)
{
  const ScopedetectShape *s = &w->model[m];

  return (ScopedetectBatch){w, s,
      w->hypothesis + (size_t) m * SCOPEDETECT_MAX_KEPT,
      w->counts->n_hypotheses[m],
      s->n < w->params.points ? s->n : w->params.points};
}

const char *scopedetect_observe_cpu (const Device *dev, ScopedetectWork *w);
const char *scopedetect_points_cpu (const Device *dev, ScopedetectWork *w);
const char *scopedetect_segments_cpu (const Device *dev, ScopedetectWork *w);
const char *scopedetect_match_cpu (const Device *dev, ScopedetectWork *w);
const char *scopedetect_choose_cpu (const Device *dev, ScopedetectWork *w);
const char *scopedetect_verify_cpu (const Device *dev, ScopedetectWork *w);
const char *scopedetect_cluster_cpu (
    const Device *dev, ScopedetectWork *w, int n);
const char *scopedetect_refine_cpu (const Device *dev, ScopedetectWork *w,
    int steps, float gate, float min_gate);
const char *scopedetect_align_cpu (
    const Device *dev, ScopedetectWork *w, int k);
const char *scopedetect_climb_cpu (
    const Device *dev, ScopedetectWork *w, int steps);
const char *scopedetect_score_cpu (
    const Device *dev, ScopedetectWork *w, int n);

const char *scopedetect_measure_cpu (const Device *dev, ScopedetectWork *w);

/* Parts and score of a hypothesis, with @n points of @s; 0: with all, and with
 * segments. */
void scopedetect_score_one_cpu (const ScopedetectWork *w,
    const ScopedetectShape *s, int n, ScopedetectHypothesis *hypothesis);

/* Puts the hypotheses of each model in order. */
void scopedetect_order_cpu (ScopedetectWork *w);
