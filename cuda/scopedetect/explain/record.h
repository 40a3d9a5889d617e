/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records of frames: the poses that an explanation chooses from, so that other
 * weights are tried in milliseconds (thesis, section 2.3.2). */
#pragma once

#include "scopedetect/scopedetect.h"

C_BEGIN

#define SCOPEDETECT_MAX_CHOSEN 50 /* objects of an explanation */

/* A pose that was found. */
typedef struct {
  int model;
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
