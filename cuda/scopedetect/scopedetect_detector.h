/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of a detector, for scopedetect.c, records of frames, and tests. */
#pragma once

#include "common/memory.h"
#include "scopedetect/explain/explain.h"
#include "scopedetect/scopedetect_stages.h"

struct _Scopedetect {
  Device device;
  DeviceMemory memory, host_memory; /* of device and host */
  const ScopedetectStages *stages;
  ScopedetectScratch scratch;

  int n_models;
  float spacing, feature_radius; /* of all models */
  ScopedetectShape *shape;       /* of each, in device memory */
  int *every_model;              /* 0, 1, … */

  /* Fields of the observed frame. */
  bool is_observed;
  bool is_described; /* the cloud has features */
  ScopedetectParams params;
  ScopedetectScene scene;
  ScopedetectBounds bounds;
  ScopedetectCloud cloud;
  ScopedetectSegments segments;
  ScopedetectCounts *counts; /* device memory */

  /* Fields of the rounds of a batch. */
  ScopedetectNoise *noise;
  Vec *view;
  ScopedetectQueries queries;
  ScopedetectMatches matches;
  ScopedetectRounds rounds;
  ScopedetectHypotheses no_hypotheses; /* of a batch at its start */
  ScopedetectHypotheses hypotheses;    /* of the newest stage */
  /* Results, in pinned memory. */
  ScopedetectHypothesis *best; /* [model][SCOPEDETECT_FOUND] */
  ScopedetectMeasure *measure; /* likewise */
  ScopedetectCounts *counted;

  /* Fields of searches. */
  bool is_tracking;  /* the search is near guesses */
  bool is_followed;  /* tracking has found what explains the frame */
  int *chosen;       /* models that a search is for; room for all */
  int n_searched;    /* models of the first search */
  uint16_t *left;    /* pinned: points that the first choice leaves */
  uint16_t *sources; /* the same in device memory */
  ScopedetectVote *vote;
  ScopedetectFound found;

  /* Fields of choices among the hypotheses. */
  ScopedetectCandidates candidates;
  ScopedetectAssignment followed; /* the newest explanation */
  bool *explained; /* of each point: whether chosen objects explain it */
  /* assigners of both devices; on_gpu is NULL if the detector runs on the CPU
   */
  ScopedetectAssigner *on_host, *on_gpu;
  ScopedetectObject *objects;
  uint8_t *fate; /* of each, in a contest */
  int n_objects;
  ScopedetectSearch report;
};

/* Sets s->objects and s->report by the hypotheses of the newest search. With
 * explain=two-stage it also runs the second search. */
const char *scopedetect_decide_frame (Scopedetect *s);
