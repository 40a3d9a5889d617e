/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A detector, and what its host code does after the stages. */
#pragma once

#include "common/memory.h"
#include "scopedetect/scopedetect_stages.h"
#include "scopedetect/explain/explain.h"

/* What a search found of all models, best first. */
typedef struct {
  ScopedetectHypothesis *hypothesis; /* [model][SCOPEDETECT_FOUND] */
  ScopedetectMeasure *measure;       /* likewise */
  int *n;                            /* of each model */
} ScopedetectFindings;

struct _Scopedetect {
  Device device, host;
  DeviceMemory memory, host_memory; /* of device and host */
  const ScopedetectStages *stages;
  ScopedetectScratch scratch;
  ScopedetectCounts *counts; /* device memory */

  /* The frame, observed: */
  ScopedetectParams params; /* it was given with */
  ScopedetectScene scene;
  ScopedetectBounds bounds;
  ScopedetectCloud cloud;
  ScopedetectSegments segments;

  /* The rounds of a batch of models: */
  ScopedetectNoise *noise;
  Vec *view;
  ScopedetectQueries queries;
  ScopedetectMatches matches;
  ScopedetectRounds rounds;            /* In of rounds 2 and 3 */
  ScopedetectHypotheses no_hypotheses; /* where a batch begins */
  ScopedetectHypotheses hypotheses;    /* as the stage before has left them */
  ScopedetectMeasure *measure;         /* pinned: [model][SCOPEDETECT_FOUND] */

  float spacing, feature_radius; /* of the models */
  ScopedetectShape *shape;       /* of all models, in device memory */
  ScopedetectShape
      *host_shape; /* likewise, what no stage needs to be asked: sizes, points,
                      nearest points and symmetries, in host memory */
  int n_models;
  ScopedetectHypothesis *found; /* pinned: the best of each model of a batch */
  ScopedetectCounts *counted;   /* pinned: counts, as they came back */
  int *every_model;             /* 0, 1, … */
  int *chosen;                  /* room for all: those that are searched for */
  ScopedetectVote *vote;        /* likewise: of those that may be */
  int n_searched; /* models that the newest frame was searched for, in stage 1
                   */
  ScopedetectFindings stage[2]; /* of the whole frame, and of what was left */
  uint16_t *left; /* device memory: the points that stage 2 begins from */
  ScopedetectObject *objects;
  uint8_t *fate; /* of each, in a contest */
  int n_objects;
  ScopedetectExplain explain;
  bool is_tracking; /* the hypotheses are of guesses */
  ScopedetectSearch told;
};

/* Checks @params and @frame, and observes: to pixels, points with features and,
 * where the params need them, segments. */
const char *scopedetect_begin (Scopedetect *s, const ScopedetectParams *params,
    const ScopedetectFrame *frame);

static inline bool
scopedetect_meet (const ImageBox *a, const ImageBox *b)
{
  return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

/* scopedetect_model_apart (), by the shape in host memory. */
double scopedetect_apart (const ScopedetectShape *shape,
    const ScopedetectObject *a, const ScopedetectObject *b);

/* Fills the result of a hypothesis, all but its model. */
void scopedetect_set_object (ScopedetectObject *o,
    const ScopedetectParams *params, bool frame_colour,
    const ScopedetectShape *shape, const ScopedetectHypothesis *hypothesis,
    const ScopedetectMeasure *measure);

/* From the hypotheses of all models to the objects of the frame, as the params
 * say. */
const char *scopedetect_decide_frame (Scopedetect *s);

/* Searches for @n_models of the models, ascending, beginning from the @n_left
 * points @left of the frame, to stage[1]; where max_models are fewer, for the
 * likeliest, which @models begins with then. */
const char *scopedetect_search_left (Scopedetect *s, int *models, int n_models,
    const uint16_t *left, int n_left);

/* The objects that explain the frame together. */
const char *scopedetect_explain (Scopedetect *s);

/* From the hypotheses of @model, @n of them in order, to objects: those that
 * score enough and are no better one's duplicates.  Returns how many; there is
 * room for SCOPEDETECT_MAX_OBJECTS. */
int scopedetect_decide (const ScopedetectParams *params, bool frame_colour,
    const ScopedetectShape *shape, int model,
    const ScopedetectHypothesis *found, const ScopedetectMeasure *measure,
    int n, ScopedetectObject *objects);

/* Of @n objects, whose models are @shapes, drops those of which less than
 * @least_own of what they explain is not explained by better ones; @fate has
 * room for @n.  Returns how many stay, in order. */
int scopedetect_contest (const ScopedetectShape *shapes, double least_own,
    ScopedetectObject *objects, uint8_t *fate, int n);
