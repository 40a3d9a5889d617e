/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A detector: what scopedetect.c keeps from stage to stage and from call to
 * call, for it, for records of a frame and for tests. */
#pragma once

#include "common/memory.h"
#include "scopedetect/explain/explain.h"
#include "scopedetect/scopedetect_stages.h"

struct _Scopedetect {
  Device device, host;
  DeviceMemory memory, host_memory; /* of device and host */
  const ScopedetectStages *stages;
  ScopedetectScratch scratch;

  int n_models;
  float spacing, feature_radius; /* of all models */
  ScopedetectShape *shape;       /* of each, in device memory */
  int *every_model;              /* 0, 1, … */

  /* The frame, observed: */
  bool is_observed;
  ScopedetectParams params;
  ScopedetectScene scene;
  ScopedetectBounds bounds;
  ScopedetectCloud cloud;
  ScopedetectSegments segments;
  ScopedetectCounts *counts; /* device memory */

  /* The rounds of a batch: */
  ScopedetectNoise *noise;
  Vec *view;
  ScopedetectQueries queries;
  ScopedetectMatches matches;
  ScopedetectRounds rounds;
  ScopedetectHypotheses no_hypotheses; /* where a batch begins */
  ScopedetectHypotheses hypotheses;    /* as the newest stage has left them */
  /* Pinned, what comes back of them: */
  ScopedetectHypothesis *best; /* [model][SCOPEDETECT_FOUND] */
  ScopedetectMeasure *measure; /* likewise */
  ScopedetectCounts *counted;

  /* What searches have found: */
  bool is_tracking;  /* near guesses alone */
  int *chosen;       /* room for all: models that are searched for, */
  int n_searched;    /* how many in the first search */
  uint16_t *left;    /* pinned: points that the second search begins from, */
  uint16_t *sources; /* and the same in device memory */
  ScopedetectVote *vote;
  ScopedetectFound found;

  /* What is chosen of it: */
  ScopedetectCandidates candidates;
  bool *explained; /* of each point, by the first choice */
  /* Of the host, and of the GPU; NULL without one. */
  ScopedetectAssigner *on_host, *on_gpu;
  ScopedetectObject *objects;
  uint8_t *fate; /* of each, in a contest */
  int n_objects;
  ScopedetectSearch report;
};

/* From what the newest search has found to s->objects and s->report, as
 * s->params say; with explain=two-stage it searches in what is left. */
const char *scopedetect_decide_frame (Scopedetect *s);
