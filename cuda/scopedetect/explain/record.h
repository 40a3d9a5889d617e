/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fits and records: the weights of evidence, and a frame's poses, among which
 * an explanation chooses, so that other weights are tried in milliseconds
 * (thesis, section 2.3.2). */
#pragma once

#include "scopedetect/scopedetect.h"

C_BEGIN

#define SCOPEDETECT_MAX_CHOSEN 50 /* objects of an explanation */

/* ---- Fits ---- */

/* The terms of the log-odds that a pose is right, in the order of a file. */
typedef enum {
  SCOPEDETECT_TERM_CONSTANT, /* 1 */
  SCOPEDETECT_TERM_EDGE,     /* parts of the score */
  SCOPEDETECT_TERM_EDGE_VISIBILITY,
  SCOPEDETECT_TERM_VISIBILITY,
  SCOPEDETECT_TERM_TABLE,
  SCOPEDETECT_TERM_BEYOND, /* fields of ScopedetectEvidence */
  SCOPEDETECT_TERM_AREA,   /* its logarithm */
  SCOPEDETECT_TERM_OFF,
  SCOPEDETECT_TERM_ASIDE,
  SCOPEDETECT_TERM_LIGHTNESS,
  SCOPEDETECT_TERM_CHROMA,
  SCOPEDETECT_TERM_UNCOLOURED, /* 1: the frame or the model has no colour */
  SCOPEDETECT_TERM_GREY,       /* 1: the frame has no colour */
  SCOPEDETECT_TERM_SECOND,     /* 1: the second search found the pose */
  SCOPEDETECT_N_TERMS
} ScopedetectTerm;

/* The terms of the log-odds that the best pose of a model is right, by its
 * score alone (explain=contest). */
typedef enum {
  SCOPEDETECT_ALONE_CONSTANT, /* 1 */
  SCOPEDETECT_ALONE_SCORE,    /* the weighted sum of the parts */
  SCOPEDETECT_ALONE_GREY,     /* 1: the frame has no colour */
  SCOPEDETECT_N_ALONE
} ScopedetectAlone;

/* The weights of the terms: two logistic regressions. */
typedef struct {
  double term[SCOPEDETECT_N_TERMS], alone[SCOPEDETECT_N_ALONE];
} ScopedetectFit;

extern const char *const scopedetect_term_names[SCOPEDETECT_N_TERMS];

/* Parses the text of a file, of which @models are a detector's. After an error
 * @fit is as before. */
const char *scopedetect_fit_parse (ScopedetectFit *fit, const char *text,
    const ScopedetectModel *const *models, int n_models);
/* Returns the text of a file, to be freed, with weights in thousandths; NULL:
 * out of memory. @models: those that the fit is for; none: any model. */
char *scopedetect_fit_text (const ScopedetectFit *fit,
    const ScopedetectModel *const *models, int n_models);

/* The built-in fit. */
ScopedetectFit scopedetect_fit_shipped (void);

/* The weighted sum of @n terms. */
static inline double
scopedetect_log_odds (const double *weight, const double *term, int n)
{
  double sum = 0;

  for (int k = 0; k < n; k++)
    sum += weight[k] * term[k];
  return sum;
}

/* ---- Records ---- */

/* A pose that was found. */
typedef struct {
  int model, rank; /* rank: in its search, 0 for the best score */
  double term[SCOPEDETECT_N_TERMS], alone[SCOPEDETECT_N_ALONE];
  double pose[7]; /* as in ScopedetectObject */
  double score;   /* as in ScopedetectObject, if the pose is chosen */
} ScopedetectRecorded;

typedef struct _ScopedetectRecord ScopedetectRecord;

/* Records the frame that @self has searched with explain=one-stage or two-
 * stage: the poses of both searches. The second search depended on the first
 * choice by the weights of that time. After an error, @record is NULL. */
const char *scopedetect_record_new (
    ScopedetectRecord **record, const Scopedetect *self);
void scopedetect_record_free (ScopedetectRecord *record);

const ScopedetectRecorded *scopedetect_record_poses (
    const ScopedetectRecord *record, int *n);

/* Sets @number, with room for all poses, to the candidates by the weights in
 * @params, ascending; returns how many. The element takes at most the 1024
 * fittest of them, which matters with many models. @given: whether each model
 * is searched for; NULL: all models are. */
int scopedetect_record_candidates (const ScopedetectRecord *record,
    const ScopedetectParams *params, const bool *given, int *number);

/* Sets @chosen to the numbers of the poses that @params choose, ascending,
 * whatever min_score is; returns how many, -1: out of memory. @first: the
 * first choice alone. */
int scopedetect_record_explain (const ScopedetectRecord *record,
    const ScopedetectParams *params, const bool *given, bool first,
    int chosen[SCOPEDETECT_MAX_CHOSEN]);

C_END
