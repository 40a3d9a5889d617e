/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The search of what followed objects leave (thesis, chapter 4): when, and for
 * which models.  It is spread over frames, since a live stream must not halt.
 */
#include "scopedetect/gstscopedetect.h"

#define FRAMES 3 /* in which all missing models are searched for */

static gint
count_seen_of (const GstScopedetect *self, gint model)
{
  gint n = 0;

  for (guint i = 0; i < self->seen->len; i++)
    n += g_array_index (self->seen, GstScopedetectTrack, i).object.model ==
        model;
  return n;
}

/* Sets @missing to whether each model may have more objects; returns how many
 * may. */
static gint
find_missing (const GstScopedetect *self, gint max_objects, gboolean *missing)
{
  gint n = 0;

  for (gint m = 0; m < self->n_models; m++) {
    missing[m] = count_seen_of (self, m) < max_objects;
    n += missing[m];
  }
  return n;
}

/* Lists the missing models of this frame, ascending, from the next one on;
 * returns how many. */
static gint
take_models (GstScopedetect *self, const gboolean *missing, gint *models)
{
  GstScopedetectRest *rest = &self->rest;
  gint wanted = MIN (rest->per_frame, rest->models), taken = 0, n = 0;
  gint first = rest->next % self->n_models, end = first;

  for (gint k = 0; k < self->n_models && taken < wanted; k++) {
    taken += missing[end % self->n_models];
    end++;
  }
  for (gint m = 0; m < self->n_models; m++)
    if (missing[m] && ((m >= first && m < end) || m + self->n_models < end))
      models[n++] = m;
  rest->next = end % self->n_models;
  rest->models = taken ? rest->models - taken : 0;
  return n;
}

static void
tell_rest (GstScopedetect *self, const ScopedetectSearch *s)
{
  GstVisionCommon *common = gst_vision_common (self);
  GstScopedetectSearches *n = &self->searches;

  n->rest++;
  n->cut += s->is_cut;
  gst_vision_common_set_stat (common, "rest-searches", (gdouble) n->rest);
  gst_vision_common_set_stat (common, "models-searched", s->n_models);
  gst_vision_common_set_stat (common, "agreement", s->agreement);
  gst_vision_common_set_stat (common, "steps", s->steps);
  gst_vision_common_set_stat (common, "cut-short", (gdouble) n->cut);
}

/* Begins a search for @missing models if it @is_due, or if the followed objects
 * leave many more points than before; @left: how many. */
static void
begin_rest (GstScopedetect *self, gint missing, gboolean is_due, gint left,
    gint min_rest)
{
  GstScopedetectRest *rest = &self->rest;

  rest->least = MIN (rest->least, left);
  if (!is_due && left - rest->least < min_rest)
    return;
  self->unsearched = 0;
  rest->least = left;
  rest->models = missing;
  rest->per_frame = (missing + FRAMES - 1) / FRAMES;
  if (left < min_rest)
    gst_vision_common_set_stat (gst_vision_common (self), "rest-left-out",
        (gdouble) ++self->searches.nothing_left);
}

const char *
gst_scopedetect_search_rest (GstScopedetect *self,
    const ScopedetectParams *params, gboolean is_due,
    ScopedetectResults *results)
{
  g_autofree gboolean *missing = g_new (gboolean, self->n_models);
  g_autofree gint *models = g_new (gint, self->n_models);
  gint n = find_missing (self, params->max_objects, missing), left;

  memset (results, 0, sizeof *results);
  if (!n)
    return NULL;
  TRY (scopedetect_count_rest (self->detector, &left));
  gst_vision_common_set_stat (gst_vision_common (self), "rest", left);
  begin_rest (self, n, is_due, left, params->min_rest);
  if (left < params->min_rest)
    self->rest.models = 0;
  n = take_models (self, missing, models);
  if (!n)
    return NULL;
  TRY (scopedetect_search_rest (self->detector, models, n, results));
  tell_rest (self, &results->search);
  return NULL;
}
