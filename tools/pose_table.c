/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tables of estimates against true poses. */
#include "pose_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WANTED .1     /* an object less visible than this need not be found */
#define RIGHT .1      /* ADD-S, in diameters */
#define THRESHOLDS 10 /* of BOP's recalls */
#define BINS 4        /* classes of the visible part */

static const double bin_end[BINS] = {.25, .5, .75, INFINITY};

/* ---- Measuring ---- */

/* Order by scene, image and object; less than 0: @p is before @q. */
static int
compare_poses (const PoseEvalPose *p, const PoseEvalPose *q)
{
  if (p->scene != q->scene)
    return p->scene < q->scene ? -1 : 1;
  if (p->image != q->image)
    return p->image < q->image ? -1 : 1;
  return (p->object > q->object) - (p->object < q->object);
}

static int
compare_objects (const void *a, const void *b)
{
  const PoseEvalPose *p = a, *q = b;
  int way = compare_poses (p, q);

  return way ? way : (p->score < q->score) - (p->score > q->score);
}

static bool
is_same_object (const PoseEvalPose *p, const PoseEvalPose *q)
{
  return compare_poses (p, q) == 0;
}

/* The current image; its depth is read when the image changes. */
typedef struct {
  const PoseBopViews *views;
  const PoseEvalImage *other;
  int scene, image;
  bool no_depth, is_open;
  PoseEvalImage now;
} Looking;

static const char *
open_image (Looking *l, int scene, int image, char where[POSE_FILE_WHERE])
{
  const PoseBopView *v = pose_bop_view (l->views, scene, image);
  const char *depth = v && v->has_depth ? v->depth : NULL;

  if (l->is_open && l->scene == scene && l->image == image)
    return NULL;
  free (l->now.depth);
  l->now = *l->other;
  l->scene = scene, l->image = image;
  l->is_open = true;
  if (v) {
    if (v->fx > 0)
      l->now.fx = v->fx, l->now.fy = v->fy, l->now.cx = v->cx,
      l->now.cy = v->cy;
    l->now.scale = v->scale;
  }
  if (!depth || !(l->now.fx > 0))
    return NULL;
  snprintf (where, POSE_FILE_WHERE, "%s", depth);
  TRY (pose_eval_read_depth (&l->now, depth));
  if (l->no_depth) {
    free (l->now.depth);
    l->now.depth = NULL;
  }
  return NULL;
}

static const char *
check_mesh (const PoseEvalMesh *m, int object, const PoseEvalImage *image,
    char where[POSE_FILE_WHERE])
{
  snprintf (where, POSE_FILE_WHERE, m ? "object %d" : "--mesh %d=FILE", object);
  if (!m)
    return "the mesh of this object is missing; give it, or a folder of meshes "
           "by --models";
  return image->depth && !m->mesh.n_triangles
      ? "its mesh has points and no triangles, but VSD needs a surface; give "
        "one that has triangles, or leave depth out (--no-depth)"
      : NULL;
}

static const char *
measure_visible (PoseTableRow *row, PoseEvalMeshes *meshes, Looking *l,
    char where[POSE_FILE_WHERE])
{
  for (size_t i = 0; i < row->truth.n; i++) {
    PoseEvalPose *t = &row->truth.pose[i];
    const PoseEvalMesh *m = pose_eval_mesh (meshes, t->object);

    if (t->visible >= 0 || !m)
      continue;
    TRY (open_image (l, t->scene, t->image, where));
    if (l->now.depth && m->mesh.n_triangles)
      TRY (pose_eval_visible (m, &l->now, t, &t->visible));
  }
  return NULL;
}

/* Measures estimate @e against each true pose of its object, from @first on. */
static const char *
measure_estimate (PoseTableRow *row, size_t e, size_t first,
    const PoseEvalMesh *m, const PoseEvalImage *image)
{
  const PoseEvalPose *p = &row->estimates.pose[e];
  const PoseEvalList *truth = &row->truth;

  for (size_t t = first; t < truth->n && is_same_object (&truth->pose[t], p);
       t++) {
    PoseTablePairing *more = row->pairing;
    size_t n = row->n_pairings;

    if (!(n & (n - 1)))
      more = realloc (row->pairing, (n ? 2 * n : 1) * sizeof *more);
    if (!more)
      return "out of memory";
    row->pairing = more;
    more[n].estimate = e, more[n].truth = t;
    TRY (pose_eval_errors (m, image, p, &truth->pose[t], &more[n].errors));
    row->n_pairings++;
  }
  return NULL;
}

/* Measures all estimates.  Both lists are sorted, so that one walk through the
 * truth is enough. */
static const char *
measure_all (PoseTableRow *row, PoseEvalMeshes *meshes, Looking *l,
    char where[POSE_FILE_WHERE])
{
  const PoseEvalList *truth = &row->truth;
  size_t first = 0;

  TRY (measure_visible (row, meshes, l, where));
  for (size_t e = 0; e < row->estimates.n; e++) {
    const PoseEvalPose *p = &row->estimates.pose[e];
    const PoseEvalMesh *m = pose_eval_mesh (meshes, p->object);

    TRY (open_image (l, p->scene, p->image, where));
    TRY (check_mesh (m, p->object, &l->now, where));
    while (first < truth->n && compare_poses (&truth->pose[first], p) < 0)
      first++;
    TRY (measure_estimate (row, e, first, m, &l->now));
  }
  return NULL;
}

const char *
pose_table_measure (PoseTableRow *row, PoseEvalMeshes *meshes,
    const PoseBopViews *views, const PoseEvalImage *other, bool no_depth,
    char where[POSE_FILE_WHERE])
{
  Looking l = {.views = views, .other = other, .no_depth = no_depth};
  const char *err;

  if (row->estimates.n)
    qsort (row->estimates.pose, row->estimates.n, sizeof (PoseEvalPose),
        compare_objects);
  if (row->truth.n)
    qsort (
        row->truth.pose, row->truth.n, sizeof (PoseEvalPose), compare_objects);
  err = measure_all (row, meshes, &l, where);
  free (l.now.depth);
  return err;
}

void
pose_table_free (PoseTableRow *row)
{
  free (row->estimates.pose);
  free (row->truth.pose);
  free (row->pairing);
}

/* ---- Matching ---- */

typedef enum { ADD_S, MSSD, MSPD, VSD } Measure;

/* Whether a pairing is right: @measure is below @threshold, in diameters, in
 * pixels, or in parts of the surface at tolerance @tau. */
typedef struct {
  Measure measure;
  double threshold;
  int tau;
  bool is_bop; /* counts wanted objects only, and of each object only as many of
                  its surest estimates as it has wanted poses */
} Criterion;

static double
error_by_measure (const PoseEvalErrors *e, const Criterion *c, double diameter)
{
  switch (c->measure) {
    case ADD_S:
      return e->add_s / diameter;
    case MSSD:
      return e->mssd / diameter;
    case MSPD:
      return e->mspd;
    default:
      return e->vsd[c->tau];
  }
}

static bool
is_pose_wanted (const PoseEvalPose *truth)
{
  return truth->visible < 0 || truth->visible >= WANTED;
}

/* The number of wanted true poses of the object of estimate @e. */
static size_t
count_wanted (const PoseTableRow *row, size_t first, size_t e)
{
  size_t n = 0;

  for (size_t i = first; i < row->n_pairings && row->pairing[i].estimate == e;
       i++)
    n += is_pose_wanted (&row->truth.pose[row->pairing[i].truth]);
  return n;
}

/* Matches estimates in order of their scores: each takes the nearest true pose
 * that no better estimate has taken.  Sets @found for each true pose that was
 * found.  Returns the number of right estimates. */
static int
match_estimates (const PoseTableRow *row, const Criterion *c,
    PoseEvalMeshes *meshes, bool *found)
{
  const PoseEvalPose *before = NULL;
  size_t rank = 0; /* among the estimates of an object in an image */
  int right = 0;

  memset (found, 0, row->truth.n * sizeof *found);
  for (size_t i = 0, next; i < row->n_pairings; i = next) {
    size_t e = row->pairing[i].estimate, best = SIZE_MAX;
    const PoseEvalPose *p = &row->estimates.pose[e];
    double diameter = pose_eval_mesh (meshes, p->object)->diameter;
    double min = c->threshold;
    bool counts;

    rank = before && is_same_object (before, p) ? rank + 1 : 0;
    before = p;
    counts = !c->is_bop || rank < count_wanted (row, i, e);
    for (next = i; next < row->n_pairings && row->pairing[next].estimate == e;
         next++) {
      size_t t = row->pairing[next].truth;
      double error = error_by_measure (&row->pairing[next].errors, c, diameter);

      if (counts && !found[t] && error < min &&
          (!c->is_bop || is_pose_wanted (&row->truth.pose[t])))
        min = error, best = t;
    }
    if (best != SIZE_MAX)
      found[best] = true, right++;
  }
  return right;
}

/* ---- The table ---- */

typedef struct {
  int told, right, wanted, found;
  int wanted_in[BINS], found_in[BINS]; /* with a known visible part */
  double recall[4]; /* sum over thresholds of the number of wanted poses found,
                       by Measure; NAN: unknown */
} Sum;

/* The part of the wanted poses that is found, as a mean over thresholds. */
static double
mean_found (const PoseTableRow *row, Measure measure, PoseEvalMeshes *meshes,
    bool *found)
{
  int taus = measure == VSD ? POSE_EVAL_TAUS : 1;
  double sum = 0;

  for (int tau = 0; tau < taus; tau++)
    for (int k = 1; k <= THRESHOLDS; k++) {
      Criterion c = {measure, measure == MSPD ? 5. * k : .05 * k, tau, true};

      sum += match_estimates (row, &c, meshes, found);
    }
  return sum / (taus * THRESHOLDS);
}

/* Whether all pairings have this measure. */
static bool
is_measure_known (const PoseTableRow *row, Measure measure)
{
  for (size_t i = 0; i < row->n_pairings; i++)
    if ((measure == MSPD && isnan (row->pairing[i].errors.mspd)) ||
        (measure == VSD && isnan (row->pairing[i].errors.vsd[0])))
      return false;
  return true;
}

static void
count_true (Sum *s, const PoseEvalPose *truth, bool found)
{
  int bin = 0;

  if (!is_pose_wanted (truth))
    return;
  s->wanted++;
  s->found += found;
  if (truth->visible < 0)
    return;
  while (truth->visible >= bin_end[bin])
    bin++;
  s->wanted_in[bin]++;
  s->found_in[bin] += found;
}

static void
sum_pairings (
    const PoseTableRow *row, PoseEvalMeshes *meshes, bool *found, Sum *s)
{
  Criterion c = {.measure = ADD_S, .threshold = RIGHT};

  s->told += (int) row->estimates.n;
  s->right += match_estimates (row, &c, meshes, found);
  for (size_t i = 0; i < row->truth.n; i++)
    count_true (s, &row->truth.pose[i], found[i]);
  for (int m = MSSD; m <= VSD; m++)
    s->recall[m] += is_measure_known (row, (Measure) m)
        ? mean_found (row, (Measure) m, meshes, found)
        : NAN;
}

/* Prints a share with Wilson's interval of 95 %. */
static void
print_share (int part, int all, FILE *to)
{
  double z = 1.96, n = all, p, middle, half;

  if (!all) {
    fprintf (to, " - |");
    return;
  }
  p = part / n;
  middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  half = z * sqrt (p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  fprintf (to, " %.1f [%.1f, %.1f] |", 100 * p, 100 * fmax (0, middle - half),
      100 * fmin (1, middle + half));
}

static void
print_recall (double recall, FILE *to)
{
  if (isnan (recall))
    fprintf (to, " - |");
  else
    fprintf (to, " %.3f |", recall);
}

static void
print_sum (const char *name, const Sum *s, FILE *to)
{
  double mean = 0;

  fprintf (to, "| %s | %d of %d |", name, s->right, s->told);
  print_share (s->right, s->told, to);
  fprintf (to, " %d of %d |", s->found, s->wanted);
  print_share (s->found, s->wanted, to);
  for (int b = 0; b < BINS; b++)
    fprintf (to, " %d of %d |", s->found_in[b], s->wanted_in[b]);
  for (int m = VSD; m >= MSSD; m--) {
    double recall = s->wanted ? s->recall[m] / s->wanted : NAN;

    print_recall (recall, to);
    mean += recall / 3;
  }
  print_recall (mean, to);
  fprintf (to, "\n");
}

const char *
pose_table_print (
    const PoseTableRow *rows, int n, PoseEvalMeshes *meshes, FILE *to)
{
  Sum all = {0};

  fprintf (to,
      "| estimates | right | precision, %% | found | recall, %% | 10 to 25 %% "
      "seen | 25 to 50 | 50 to 75 | 75 to 100 | VSD | MSPD | MSSD | AR |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (int i = 0; i < n; i++) {
    bool *found = calloc (rows[i].truth.n + 1, sizeof *found);
    Sum s = {0};

    if (!found)
      return "out of memory";
    sum_pairings (&rows[i], meshes, found, &s);
    print_sum (rows[i].name, &s, to);
    sum_pairings (&rows[i], meshes, found, &all);
    free (found);
  }
  if (n > 1)
    print_sum ("together", &all, to);
  return NULL;
}
