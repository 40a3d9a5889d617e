/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From hypotheses to the objects that explain a scene together (thesis, chapter
 * 2).  It runs on the host for both backends, on what is the same bits there,
 * but for the search for an assignment, which gives the same answer on both. */
#pragma once

#include "common/memory.h"
#include "scopedetect/explain/assign.h"
#include "scopedetect/scopedetect_core.h"

#define SCOPEDETECT_MAX_CANDIDATES 1024 /* of a frame: the fittest */
#define SCOPEDETECT_BESIDE 12           /* patches that go on from one */
/* A pose explains what is at most so far from its surface, metres. */
#define SCOPEDETECT_NEAR_SURFACE .012f

/* A point of the scene, for all those around it. */
typedef struct {
  Vec x, normal, lab; /* lab: 0 without colour */
  int n_beside;
  uint16_t beside[SCOPEDETECT_BESIDE]; /* where the surface goes on smoothly */
} ScopedetectPatch;

typedef struct {
  int n;
  float points; /* of the scene for each patch: 1 if all are patches */
  ScopedetectPatch *patch;
} ScopedetectPatches;

#define SCOPEDETECT_OTHER_COLOUR 2.f

/* What says whether a pose is right. */
typedef struct {
  float part[SCOPEDETECT_N_PARTS]; /* of its score */
  float beyond; /* patches to which the surface goes on smoothly, for each that
                   it explains: a face of another thing does not end with it */
  float area;   /* points of the scene that it explains */
  float off;    /* mean of the patches' distances from its surface, metres */
  float aside;  /* magnitude of the mean of the same with signs: 0 if the
                   surface lies amid the patches, off if on one side of all */
  bool frame_colour, colour; /* the frame has colour; so has the model, too */
  /* With colour: differences between the patches and the model in the same
   * light, of L, and of a with b: 0 to SCOPEDETECT_OTHER_COLOUR. */
  float lightness, chroma;
  bool second; /* it was found in what stage 1 left */
} ScopedetectEvidence;

typedef struct {
  int model, stage, rank; /* of a hypothesis */
  int32_t fit;
  bool stays; /* it is a candidate even if others are fitter */
} ScopedetectRanked;

/* How likely an object of a model is in the frame. */
typedef struct {
  int model;
  int32_t fit; /* of the fittest of its first poses; -SCOPEDETECT_SURE - 1: it
                  has none */
} ScopedetectVote;

typedef struct {
  Vec *x, *normal, *lab; /* pinned: of the scene's points */
  bool has_patches;      /* those of the newest frame */
  ScopedetectPatches patches;
  ScopedetectRanked *ranked; /* room for all hypotheses */
  int n_ranked;
  ScopedetectCandidate *judged;    /* [stage][model][SCOPEDETECT_FOUND] */
  int n_judged;                    /* stages whose hypotheses are there */
  ScopedetectCandidate *candidate; /* of SCOPEDETECT_MAX_CANDIDATES ranked */
  ScopedetectObject *object;       /* of each */
  uint64_t *excludes;              /* as in ScopedetectAssignTask */
  bool *explained;                 /* of each point, by stage 1 */
  uint16_t *left; /* pinned: numbers of the points that stage 1 leaves */
  int *models;    /* room for all: those that stage 2 searches for */
  /* Of the host, and of the GPU; NULL without one. */
  ScopedetectAssigner *on_host, *on_gpu;
} ScopedetectExplain;

/* Makes patches of the frame's points, if that has not been done. */
const char *scopedetect_read_patches (Scopedetect *s);

/* Sets the fit of each of @n votes by what @stage has found of its model. */
void scopedetect_vote (Scopedetect *s, int stage, ScopedetectVote *vote, int n);

/* The hypotheses of both stages that may be chosen, as candidates: the first of
 * each model, of them the fittest, and @chosen, of which there are @n.  The
 * places that these have then go to @at. */
void scopedetect_set_candidates (
    Scopedetect *s, const ScopedetectRanked *chosen, int n, int *at);

/* The number of the point of @shape on whose surface a point of the scene lies,
 * and how far outside, to @off; -1: it lies on none. */
int scopedetect_explains (const ScopedetectShape *shape, const Turn *r, Vec t,
    Vec x, Vec normal, float *off);

/* Of @n points, those that are patches, and what lies beside each.  @lab: NULL
 * without colour. */
void scopedetect_set_patches (ScopedetectPatches *patches, const Vec *x,
    const Vec *normal, const Vec *lab, int n, float spacing);

/* Which patches a pose of @shape explains, to @candidate, and what that and
 * its score say. */
ScopedetectEvidence scopedetect_judge (const ScopedetectPatches *patches,
    const ScopedetectShape *shape, const ScopedetectHypothesis *hypothesis,
    bool frame_colour, ScopedetectCandidate *candidate);

#define SCOPEDETECT_SURE_ODDS 8. /* log-odds, natural, that are a fit of 1 */

/* The log-odds that a pose is right which has such evidence, in
 * SCOPEDETECT_SURE_ODDS / SCOPEDETECT_SURE, from -SCOPEDETECT_SURE to
 * SCOPEDETECT_SURE. */
int32_t scopedetect_fit (const ScopedetectEvidence *evidence);

/* The candidate that hypothesis @r is, with its patches and fit. */
void scopedetect_judge_ranked (const Scopedetect *s, const ScopedetectRanked *r,
    ScopedetectCandidate *candidate);

#define SCOPEDETECT_MIN_FIT (-SCOPEDETECT_SURE / 2) /* of a candidate */

/* The share of poses of such a fit that are right. */
double scopedetect_score_of (int32_t fit);

/* Whether two candidates of a model are of one object: they explain the same
 * surface, most of the smaller of the two, or are in each other. */
bool scopedetect_is_one (const ScopedetectShape *shape,
    const ScopedetectCandidate *a, const ScopedetectObject *at,
    const ScopedetectCandidate *b, const ScopedetectObject *other);

/* What @p says of the search of a stage; candidates are still missing. */
ScopedetectAssignTask scopedetect_task (
    const ScopedetectParams *p, int n_candidates, bool is_first);

/* Memory for the hypotheses of @n_models, and the points of a frame; @cpu and
 * @dev are where @host and @device are from, if these are not only counted. */
const char *scopedetect_explain_new (ScopedetectExplain *e, DeviceMemory *host,
    const Device *cpu, DeviceMemory *device, const Device *dev, int n_models,
    int room);
/* Once that memory is freed. */
void scopedetect_explain_free (ScopedetectExplain *e);
