/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect, called once a frame. */
#pragma once

#include "scopedetect/scopedetect.h"

static inline const char *
observe_and_search (Scopedetect *s, const ScopedetectParams *params,
    const ScopedetectFrame *frame, ScopedetectResults *results)
{
  TRY (scopedetect_observe (s, params, frame));
  return scopedetect_search (s, results);
}

static inline const char *
observe_and_track (Scopedetect *s, const ScopedetectParams *params,
    const ScopedetectFrame *frame, const ScopedetectObject *guesses,
    int n_guesses, ScopedetectResults *results)
{
  TRY (scopedetect_observe (s, params, frame));
  return scopedetect_track (s, guesses, n_guesses, results);
}
