/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records: a frame's poses with evidence, and choices among them by any
 * weights. */
#include "scopedetect/explain/record.h"

#include <stdlib.h>

#include "common/parallel.h"
#include "scopedetect/explain/assign_core.h"
#include "scopedetect/explain/explain.h"
#include "scopedetect/scopedetect_score_core.h"
#include "scopedetect/scopedetect_detector.h"

_Static_assert(SCOPEDETECT_MAX_CHOSEN == SCOPEDETECT_MAX_TOGETHER,
    "records choose as many objects as explanations");

/* A pose of a record, with what a choice needs to know of it. */
typedef struct {
  int model, search, rank;
  float part[SCOPEDETECT_N_PARTS];
  bool is_likely; /* its fit is high enough for a candidate */
} Listed;

struct _ScopedetectRecord {
  int n, n_patches;
  Listed *listed;
  ScopedetectCandidate *candidate; /* of each */
  ScopedetectRecorded *pose;
  uint64_t *excludes; /* of poses, as in ScopedetectAssignTask */
};

/* ---- Making ---- */

typedef struct {
  const Scopedetect *s;
  ScopedetectRecord *r;
  ScopedetectObject *object; /* of each pose */
} Making;

static void
list_poses (const Scopedetect *s, ScopedetectRecord *r)
{
  for (int m = 0; m < s->n_models; m++)
    for (int search = 0; search < 2; search++)
      for (int k = 0; k < s->found.by[search].n[m]; k++)
        r->listed[r->n++] = (Listed){.model = m, .search = search, .rank = k};
}

static void
judge_listed_poses (void *data, int begin, int end)
{
  const Making *make = data;
  const Scopedetect *s = make->s;

  for (int i = begin; i < end; i++) {
    Listed *l = &make->r->listed[i];
    ScopedetectCandidate *c = &make->r->candidate[i];
    int at = l->model * SCOPEDETECT_FOUND + l->rank;
    const ScopedetectFindings *by = &s->found.by[l->search];
    const ScopedetectHypothesis *a = &by->hypothesis[at];
    const ScopedetectShape *shape = &s->found.shape[l->model];
    ScopedetectRanked ranked = {l->model, l->search, l->rank, 0, false};
    ScopedetectRecorded *pose = &make->r->pose[i];
    ScopedetectEvidence evidence;

    evidence = scopedetect_judge_ranked (&s->found, &ranked, c);
    l->is_likely = s->found.explain_score == SCOPEDETECT_SCORE_THESIS ||
        c->fit >= SCOPEDETECT_MIN_FIT;
    memcpy (l->part, a->part, sizeof l->part);
    scopedetect_set_object (
        &make->object[i], &s->found, shape, a, &by->measure[at]);
    pose->model = l->model;
    pose->rank = l->rank;
    scopedetect_set_terms (&evidence, pose->term);
    scopedetect_set_alone (s->found.has_colour, a->score, pose->alone);
    pose->score = s->found.explain_score == SCOPEDETECT_SCORE_THESIS
        ? make->object[i].score
        : scopedetect_score_of (c->fit);
    memcpy (pose->pose, make->object[i].pose, sizeof pose->pose);
  }
}

/* Sets some rows of the table of poses that exclude each other. */
static void
exclude_listed_poses (void *data, int begin, int end)
{
  const Making *make = data;
  const ScopedetectRecord *r = make->r;

  for (int i = begin; i < end; i++)
    for (int j = 0; j < r->n; j++)
      if (j != i && make->s->found.explain_score != SCOPEDETECT_SCORE_THESIS &&
          r->listed[j].model == r->listed[i].model && r->listed[i].is_likely &&
          r->listed[j].is_likely &&
          scopedetect_is_one (&make->s->found.shape[r->listed[i].model],
              &r->candidate[i > j ? i : j], &make->object[i > j ? i : j],
              &r->candidate[i > j ? j : i], &make->object[i > j ? j : i]))
        scopedetect_exclude (r->excludes, r->n, i, j);
}

const char *
scopedetect_record_new (ScopedetectRecord **record, const Scopedetect *s)
{
  ScopedetectRecord *r = calloc (1, sizeof *r);
  Making make = {s, r, NULL};
  size_t n = 1;

  *record = NULL;
  for (int k = 0; k < 2 * s->n_models; k++)
    n += (size_t) s->found.by[k % 2].n[k / 2];
  if (r) {
    r->n_patches = s->found.patches.n;
    r->listed = calloc (n, sizeof *r->listed);
    r->candidate = calloc (n, sizeof *r->candidate);
    r->pose = calloc (n, sizeof *r->pose);
    r->excludes = calloc (
        n * (size_t) scopedetect_exclude_words ((int) n), sizeof *r->excludes);
    make.object = calloc (n, sizeof *make.object);
  }
  if (!r || !r->listed || !r->candidate || !r->pose || !r->excludes ||
      !make.object) {
    scopedetect_record_free (r);
    free (make.object);
    return OUT_OF_MEMORY (n *
            (sizeof *r->listed + sizeof *r->candidate + sizeof *r->pose +
                sizeof *make.object +
                (size_t) scopedetect_exclude_words ((int) n) *
                    sizeof *r->excludes),
        "");
  }
  list_poses (s, r);
  parallel_for (r->n, 1, judge_listed_poses, &make);
  parallel_for (r->n, 1, exclude_listed_poses, &make);
  free (make.object);
  *record = r;
  return NULL;
}

void
scopedetect_record_free (ScopedetectRecord *r)
{
  if (!r)
    return;
  free (r->listed);
  free (r->candidate);
  free (r->pose);
  free (r->excludes);
  free (r);
}

const ScopedetectRecorded *
scopedetect_record_poses (const ScopedetectRecord *r, int *n)
{
  *n = r->n;
  return r->pose;
}

/* ---- Choosing ---- */

/* The number of poses of the same model and search that score more than pose
 * @i; of equal ones the first counts as better. */
static int
rank_by_weights (const ScopedetectRecord *r, const int32_t *score, int i)
{
  const Listed *l = &r->listed[i];
  int rank = 0;

  for (int j = i - l->rank; j < r->n && r->listed[j].model == l->model &&
       r->listed[j].search == l->search;
       j++)
    rank += score[j] > score[i] || (score[j] == score[i] && j < i);
  return rank;
}

int
scopedetect_record_candidates (const ScopedetectRecord *r,
    const ScopedetectParams *p, const bool *given, int *number)
{
  int32_t *score = malloc (((size_t) r->n + 1) * sizeof *score);
  int n = 0;

  for (int i = 0; score && i < r->n; i++)
    score[i] = scopedetect_weigh (p, r->listed[i].part);
  for (int i = 0; score && i < r->n; i++)
    if (r->listed[i].is_likely && (!given || given[r->listed[i].model]) &&
        rank_by_weights (r, score, i) < p->candidates)
      number[n++] = i;
  free (score);
  return n;
}

/* The candidates of a choice among the poses of a record. */
typedef struct {
  int n;
  int *number; /* ascending */
  ScopedetectCandidate *candidate;
  uint64_t *excludes;
  DeviceMemory memory; /* of the assigner */
  ScopedetectAssigner *assigner;
} Choice;

static bool
open_choice (Choice *c, const ScopedetectRecord *r, int all, int searches)
{
  size_t n = (size_t) r->n + 1;

  memset (c, 0, sizeof *c);
  memory_open (&c->memory, device_host ());
  c->number = malloc (n * sizeof *c->number);
  c->candidate = malloc (n * sizeof *c->candidate);
  c->excludes = malloc (
      n * (size_t) scopedetect_exclude_words ((int) n) * sizeof *c->excludes);
  return c->number && c->candidate && c->excludes &&
      !scopedetect_assigner_new (
          &c->assigner, device_host (), &c->memory, all, searches);
}

static void
close_choice (Choice *c)
{
  free (c->number);
  free (c->candidate);
  free (c->excludes);
  memory_free (&c->memory);
  scopedetect_assigner_free (c->assigner);
}

/* Fills @c with the poses @number that come from the first @searches searches.
 */
static void
fill_choice (Choice *c, const ScopedetectRecord *r, const int *number, int n,
    int searches)
{
  c->n = 0;
  for (int i = 0; i < n; i++)
    if (r->listed[number[i]].search < searches)
      c->number[c->n++] = number[i];
  memset (c->excludes, 0,
      (size_t) c->n * (size_t) scopedetect_exclude_words (c->n) *
          sizeof *c->excludes);
  for (int i = 0; i < c->n; i++) {
    c->candidate[i] = r->candidate[c->number[i]];
    for (int j = 0; j < c->n; j++)
      if (scopedetect_is_excluded (
              r->excludes, r->n, c->number[i], c->number[j]))
        scopedetect_exclude (c->excludes, c->n, i, j);
  }
}

/* Chooses, beginning with the @n poses @chosen, and replaces them by the choice
 * if its energy is higher. Returns their number; -1: out of memory. */
static int
improve_choice (const Choice *c, const ScopedetectRecord *r,
    const ScopedetectParams *p, bool is_first, int *chosen, int n)
{
  ScopedetectAssignTask task = scopedetect_assign_task (p, c->n, is_first);
  ScopedetectAssignment best;

  task.candidate = c->candidate;
  task.n_patches = r->n_patches;
  task.excludes = c->excludes;
  for (int i = 0; i < c->n && task.n_start < n; i++)
    if (c->number[i] == chosen[task.n_start])
      task.start[task.n_start++] = i;
  task.fixed = p->fix_first;
  if (scopedetect_assign (c->assigner, &task, &best))
    return -1;
  if (best.energy <= scopedetect_assign_energy (&task, task.start, n))
    return n;
  for (int i = 0; i < best.n; i++)
    chosen[i] = c->number[best.chosen[i]];
  return best.n;
}

int
scopedetect_record_explain (const ScopedetectRecord *r,
    const ScopedetectParams *p, const bool *given, bool first,
    int chosen[SCOPEDETECT_MAX_CHOSEN])
{
  bool two = first || p->explain == SCOPEDETECT_TWO_STAGE;
  int *number = malloc (((size_t) r->n + 1) * sizeof *number);
  int all = number ? scopedetect_record_candidates (r, p, given, number) : 0;
  int n = -1;
  Choice c;

  if (open_choice (&c, r, all, p->restarts) && number && r->n_patches) {
    fill_choice (&c, r, number, all, 1);
    n = improve_choice (&c, r, p, two, chosen, 0);
    if (two && !first && n >= 0) {
      fill_choice (&c, r, number, all, 2);
      n = improve_choice (&c, r, p, false, chosen, n);
    }
  }
  free (number);
  close_choice (&c);
  return r->n_patches ? n : 0;
}
