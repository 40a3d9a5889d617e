/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The objects that explain a scene together (thesis, chapter 2), chosen from
 * hypotheses. The host computes them for both backends, which give it the same
 * bits; the search for an assignment runs on either. */
#pragma once

#include "common/memory.h"
#include "scopedetect/explain/assign.h"
#include "scopedetect/explain/record.h"
#include "scopedetect/scopedetect_core.h"

#define SCOPEDETECT_MAX_CANDIDATES 1024 /* of a frame: the fittest */
#define SCOPEDETECT_BESIDE 12 /* maximum number of neighbours of a patch */

/* A point of the scene that stands for those around it. */
typedef struct {
  Vec x, normal, lab; /* lab: 0 without colour */
  int n_beside;
  uint16_t
      beside[SCOPEDETECT_BESIDE]; /* neighbours on the same smooth surface */
} ScopedetectPatch;

typedef struct {
  int n;
  float points; /* points of the scene a patch; 1: all are patches */
  ScopedetectPatch *patch;
} ScopedetectPatches;

#define SCOPEDETECT_OTHER_COLOUR 2.f

/* The evidence for a pose. */
typedef struct {
  float part[SCOPEDETECT_N_PARTS]; /* of its score */
  float beyond; /* patches on the same smooth surface around the pose, for each
                   explained patch: many on the face of a larger thing */
  float area;   /* points of the scene that the pose explains */
  float off; /* mean distance of the patches from the pose's surface, metres */
  float aside; /* magnitude of the mean signed distance: 0 if the surface lies
                  amid the patches, off if it is on one side of all */
  bool frame_colour, colour; /* the frame has colour; frame and model have */
  /* With colour: differences of patches and model in the same light, of L, and
   * of a and b together: 0 to SCOPEDETECT_OTHER_COLOUR. */
  float lightness, chroma;
  bool second; /* the second search found the pose */
} ScopedetectEvidence;

/* The hypotheses that a search has found, best first. */
typedef struct {
  ScopedetectHypothesis *hypothesis; /* [model][SCOPEDETECT_FOUND] */
  ScopedetectMeasure *measure;       /* likewise */
  int *n;                            /* of each model */
} ScopedetectFindings;

/* The points of a frame, in host memory. */
typedef struct {
  int n;
  Vec *x, *normal, *lab; /* lab: of frames with colour */
} ScopedetectPoints;

/* All inputs of an explanation. */
typedef struct {
  int n_models;
  ScopedetectShape *shape;               /* of each, in host memory */
  bool has_colour;                       /* the frame */
  double tolerance;                      /* as in ScopedetectParams */
  ScopedetectExplainScore explain_score; /* likewise */
  ScopedetectFit fit;
  ScopedetectPoints points;
  bool has_patches;
  ScopedetectPatches patches;
  ScopedetectFindings
      by[2]; /* the first search, in the whole frame; the second search, in the
                points that the first choice leaves */
} ScopedetectFound;

/* The place of a hypothesis: its model, its search and its rank. */
typedef struct {
  int model, search, rank; /* search: 0 or 1 */
  int32_t fit;
  bool stays; /* a candidate even if others are fitter */
} ScopedetectRanked;

/* The candidates of a choice, each with the hypothesis that it comes from. */
typedef struct {
  int n;
  ScopedetectRanked *ranked;       /* room for all hypotheses */
  ScopedetectCandidate *candidate; /* of SCOPEDETECT_MAX_CANDIDATES */
  ScopedetectObject *object;       /* likewise */
  uint64_t *excludes;              /* as in ScopedetectAssignTask */
  /* Scratch: all hypotheses as candidates, [search][model][SCOPEDETECT_FOUND];
   * the number of searches whose hypotheses are judged. */
  ScopedetectCandidate *judged;
  int n_judged;
} ScopedetectCandidates;

/* The vote for a model: the likelihood that the frame has its object. */
typedef struct {
  int model;
  int32_t fit; /* of the fittest first pose; -SCOPEDETECT_SURE - 1: none */
} ScopedetectVote;

/* Chooses patches among @n points, and finds their neighbours. @lab may be
 * NULL. */
void scopedetect_set_patches (ScopedetectPatches *patches, const Vec *x,
    const Vec *normal, const Vec *lab, int n, float spacing);

/* Sets @candidate to the patches that a pose explains; returns its evidence. */
ScopedetectEvidence scopedetect_judge (const ScopedetectPatches *patches,
    const ScopedetectShape *shape, const ScopedetectHypothesis *hypothesis,
    bool frame_colour, ScopedetectCandidate *candidate);

#define SCOPEDETECT_SURE_ODDS 8. /* natural log-odds of a fit of 1 */

void scopedetect_set_terms (
    const ScopedetectEvidence *evidence, double term[SCOPEDETECT_N_TERMS]);

/* The fit of a pose, the log-odds by its evidence that it is right, in
 * SCOPEDETECT_SURE_ODDS / SCOPEDETECT_SURE: -SCOPEDETECT_SURE to
 * SCOPEDETECT_SURE. */
int32_t scopedetect_fit (
    const ScopedetectFit *fit, const ScopedetectEvidence *evidence);

/* Sets @candidate to hypothesis @r with its patches and, by explain_score, its
 * fit or its thesis_fit (); returns its evidence. */
ScopedetectEvidence scopedetect_judge_ranked (const ScopedetectFound *found,
    const ScopedetectRanked *r, ScopedetectCandidate *candidate);

/* Sets the fit of each of @n votes from the hypotheses that search @search
 * found of its model. */
void scopedetect_vote (
    const ScopedetectFound *found, int search, ScopedetectVote *vote, int n);

#define SCOPEDETECT_MIN_FIT (-SCOPEDETECT_SURE / 2) /* of a candidate */

/* The probability that a pose with the fit @fit is right. */
double scopedetect_score_of (int32_t fit);

/* The weighted sum of the parts of a pose, as a fit: -SCOPEDETECT_SURE to
 * SCOPEDETECT_SURE. */
int32_t scopedetect_thesis_fit (
    bool frame_colour, const ScopedetectHypothesis *hypothesis);

/* Whether two candidates of a model are of one object: they share half of the
 * patches of the smaller one, or lie in each other. */
bool scopedetect_is_one (const ScopedetectShape *shape,
    const ScopedetectCandidate *a, const ScopedetectObject *at,
    const ScopedetectCandidate *b, const ScopedetectObject *other);

/* Sets candidates: the @n hypotheses @chosen, whose numbers become @at, and the
 * fittest of the first @max of each model and search. */
void scopedetect_set_candidates (ScopedetectCandidates *c,
    const ScopedetectFound *found, int max, const ScopedetectRanked *chosen,
    int n, int *at);

/* Sets @left to the points that no candidate of @chosen explains, ascending;
 * returns their number. @explained: scratch for all points. */
int scopedetect_set_left (const ScopedetectFound *found,
    const ScopedetectCandidates *c, const ScopedetectAssignment *chosen,
    bool *explained, uint16_t *left);

/* ---- Objects ---- */

/* As scopedetect_model_apart (), by the shape in host memory. */
double scopedetect_apart (const ScopedetectShape *shape,
    const ScopedetectObject *a, const ScopedetectObject *b);

void scopedetect_set_alone (
    bool frame_colour, int32_t score, double alone[SCOPEDETECT_N_ALONE]);

/* Sets all fields of @o but its model, from a hypothesis and its measurements.
 */
void scopedetect_set_object (ScopedetectObject *o,
    const ScopedetectFound *found, const ScopedetectShape *shape,
    const ScopedetectHypothesis *hypothesis, const ScopedetectMeasure *measure);

/* Sets @objects, with room for SCOPEDETECT_MAX_OBJECTS, to the poses of @model
 * that score enough, without duplicates; returns their number. */
int scopedetect_objects_of (const ScopedetectFound *found,
    const ScopedetectParams *params, int model, ScopedetectObject *objects);

/* Drops each of @n objects of whose explained surface better objects leave less
 * than the part @least_own. @fate: scratch for @n. Returns how many stay. */
int scopedetect_contest (const ScopedetectShape *shapes, double least_own,
    ScopedetectObject *objects, uint8_t *fate, int n);

static inline bool
scopedetect_meet (const ImageBox *a, const ImageBox *b)
{
  return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}
