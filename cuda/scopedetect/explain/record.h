/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an explanation of a frame chooses from, kept apart from the frame, so
 * that other weights are tried in milliseconds (thesis, section 2.3.2). */
#pragma once

#include "scopedetect/scopedetect.h"

C_BEGIN

#define SCOPEDETECT_MAX_CHOSEN 50 /* objects of an explanation */

/* A pose that was found. */
typedef struct {
  int model;
  double pose[7]; /* as of ScopedetectObject */
  double score;   /* likewise, where it is chosen */
} ScopedetectRecorded;

typedef struct _ScopedetectRecord ScopedetectRecord;

/* Of the frame that @self has searched last, with explain=one-stage or
 * two-stage: the poses of both stages.  Those of the second were found in what
 * the first choice left, with the weights of then.  After an error, @record is
 * NULL. */
const char *scopedetect_record_new (
    ScopedetectRecord **record, const Scopedetect *self);
void scopedetect_record_free (ScopedetectRecord *record);

const ScopedetectRecorded *scopedetect_record_poses (
    const ScopedetectRecord *record, int *n);

/* The numbers of the poses that are candidates by the weights of the score in
 * @params, ascending, to @number, which has room for all.  They are not cut to
 * the 1024 fittest, as those of a frame are: where more than 1024 poses have a
 * fit that a candidate may have, which takes many models, the element may
 * choose otherwise.  @given: of each model, whether it is looked for; NULL: all
 * are.
 */
int scopedetect_record_candidates (const ScopedetectRecord *record,
    const ScopedetectParams *params, const bool *given, int *number);

/* The numbers of the poses that @params choose, ascending, min_score left
 * aside, to @chosen; returns how many, -1: out of memory.  @first: as stage 1
 * alone chooses, with two. */
int scopedetect_record_explain (const ScopedetectRecord *record,
    const ScopedetectParams *params, const bool *given, bool first,
    int chosen[SCOPEDETECT_MAX_CHOSEN]);

C_END
