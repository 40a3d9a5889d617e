/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vision-pose-eval: how far estimated poses are from true ones, by the measures
 * of the BOP benchmark (T. Hodan and others, ECCV 2018): ADD, ADD-S, MSSD, MSPD
 * and VSD, pose by pose or as a table of precision and recall. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/number.h"
#include "pose_bop.h"
#include "pose_table.h"

static const char usage[] =
    "vision-pose-eval [options] ESTIMATES TRUTH             each estimate, as "
    "CSV\n"
    "vision-pose-eval --table [options] ESTIMATES TRUTH ... a row for each "
    "pair\n"
    "vision-pose-eval --csv [options] ESTIMATES             writes BOP's CSV\n"
    "\n"
    "ESTIMATES and TRUTH are files of BOP's CSV (scene_id, im_id, obj_id, "
    "score, R\n"
    "of nine numbers by rows, t of three in millimetres, time) or lines of\n"
    "visionjson, of which TRUTH is the generator's truth.  TRUTH may be a "
    "folder "
    "of\n"
    "BOP, too: of a scene (scene_gt.json, scene_camera.json, "
    "scene_gt_info.json,\n"
    "depth/000001.png), or of scenes 000001 and so on.\n"
    "\n"
    "An estimate is right if it is nearer to a true pose of its object than a "
    "tenth\n"
    "of the diameter by ADD-S, and no surer one is.  Of the table, true poses "
    "count\n"
    "of which a tenth or more is seen; in brackets are intervals of 95 %.  "
    "VSD, "
    "MSPD,\n"
    "MSSD and their mean AR are recalls as in the BOP challenge, with the "
    "symmetries\n"
    "of models_info.json.\n"
    "\n"
    "  --table              precision, recall and BOP's recalls\n"
    "  --csv                no measures: the estimates as BOP's CSV\n"
    "  --models FOLDER      of BOP: obj_000001.ply and so on, "
    "models_info.json\n"
    "  --mesh ID=FILE       the object's mesh; once for each object.  Labels "
    "of "
    "lines\n"
    "                       are names of such files, or end in the number\n"
    "  --unit METRES        of the meshes; default 0.001\n"
    "  --no-depth           no VSD, though the folder of BOP has depth\n"
    "  --camera FX,FY,CX,CY of VSD and MSPD, pixels; default: what the folder "
    "or\n"
    "                       the lines say\n"
    "  --scene NUMBER       of lines, and of a folder whose name is no "
    "number;\n"
    "                       default 1\n"
    "  --first NUMBER       the image of frame 0 of lines; default 0\n";

#define MAX_PAIRS 64

/* The options. */
typedef struct {
  PoseEvalMeshes meshes;
  PoseEvalImage image;
  const char *models, *path[2 * MAX_PAIRS];
  int scene, first, n;
  bool is_table, is_csv, no_depth;
} Wanted;

static int
print_failure_of_eval (const char *path, const char *why)
{
  fprintf (stderr, "%s: %s\n", path, why);
  return 1;
}

/* ---- Each estimate ---- */

static void
print_errors (const PoseEvalErrors *e, bool has_camera, bool has_depth)
{
  printf (",%.2f", 1e3 * e->mssd);
  if (has_camera)
    printf (",%.2f", e->mspd);
  if (has_depth)
    printf (",%.3f", pose_eval_mean_vsd (e));
}

/* The errors against the nearest true pose of estimate @e, whose pairings begin
 * at @first; NULL: it has none. */
static const PoseEvalErrors *
nearest_errors (const PoseTableRow *row, size_t e, size_t first)
{
  const PoseEvalErrors *best = NULL;

  for (size_t i = first; i < row->n_pairings && row->pairing[i].estimate == e;
       i++)
    if (!best || row->pairing[i].errors.add_s < best->add_s)
      best = &row->pairing[i].errors;
  return best;
}

static void
print_each_estimate (const PoseTableRow *row, Wanted *w)
{
  const PoseEvalErrors *any = row->n_pairings ? &row->pairing->errors : NULL;
  bool has_camera = any ? !isnan (any->mspd) : w->image.fx > 0;
  bool has_depth = any && !isnan (any->vsd[0]);
  int right = 0, right_s = 0;
  size_t at = 0;

  printf ("scene,image,object,score,add_mm,add_s_mm,diameter_mm,mssd_mm%s%s\n",
      has_camera ? ",mspd_px" : "", has_depth ? ",vsd" : "");
  for (size_t i = 0; i < row->estimates.n; i++) {
    const PoseEvalPose *p = &row->estimates.pose[i];
    const PoseEvalErrors *e = nearest_errors (row, i, at);
    double diameter = pose_eval_mesh (&w->meshes, p->object)->diameter;

    while (at < row->n_pairings && row->pairing[at].estimate == i)
      at++;
    printf ("%d,%d,%d,%g,", p->scene, p->image, p->object, p->score);
    if (e) {
      printf ("%.2f,%.2f,%.1f", 1e3 * e->add, 1e3 * e->add_s, 1e3 * diameter);
      print_errors (e, has_camera, has_depth);
      right += e->add < .1 * diameter;
      right_s += e->add_s < .1 * diameter;
    } else {
      printf ("none,none,%.1f,none%s%s", 1e3 * diameter,
          has_camera ? ",none" : "", has_depth ? ",none" : "");
    }
    printf ("\n");
  }
  fprintf (stderr,
      "%zu estimates, %zu true poses; within a tenth of the diameter: %d by "
      "ADD, %d by ADD-S\n",
      row->estimates.n, row->truth.n, right, right_s);
}

/* ---- Options ---- */

/* Reads a number above 0. */
static const char *
read_metres (const char *text, double *value)
{
  char *end;

  *value = strtod (text, &end);
  return end != text && !*end && *value > 0 && isfinite (*value)
      ? NULL
      : "this must be a number of metres above 0";
}

static const char *
read_eval_count (const char *text, int *value)
{
  const char *rest = number_read (text, value);

  return rest && !*rest && *value >= 0
      ? NULL
      : "this must be a whole number, 0 or more";
}

static const char *
read_eval_camera (const char *text, PoseEvalImage *im)
{
  char rest;

  return sscanf (text, "%lf,%lf,%lf,%lf%c", &im->fx, &im->fy, &im->cx, &im->cy,
             &rest) == 4 &&
          im->fx > 0 && im->fy > 0 &&
          isfinite (im->fx + im->fy + im->cx + im->cy)
      ? NULL
      : "a camera is written FX,FY,CX,CY";
}

/* Whether @option is a known option without a value, which is then set. */
static bool
read_eval_word (Wanted *w, const char *option)
{
  bool *flag = !strcmp (option, "--table") ? &w->is_table
      : !strcmp (option, "--csv")          ? &w->is_csv
      : !strcmp (option, "--no-depth")     ? &w->no_depth
                                           : NULL;

  if (flag)
    *flag = true;
  return flag != NULL;
}

/* Whether @option is a known option with a @value.  Sets @why to what is wrong
 * with the value. */
static bool
read_eval_option (
    Wanted *w, const char *option, const char *value, const char **why)
{
  if (!strcmp (option, "--unit"))
    *why = read_metres (value, &w->meshes.unit);
  else if (!strcmp (option, "--models"))
    w->models = value;
  else if (!strcmp (option, "--mesh"))
    *why = pose_eval_add_mesh (&w->meshes, value);
  else if (!strcmp (option, "--camera"))
    *why = read_eval_camera (value, &w->image);
  else if (!strcmp (option, "--scene"))
    *why = read_eval_count (value, &w->scene);
  else if (!strcmp (option, "--first"))
    *why = read_eval_count (value, &w->first);
  else
    return false;
  return true;
}

/* ---- Pairs ---- */

/* The images of the evaluation: views of the folders and, for images without
 * one, the camera of the options or else of lines. */
typedef struct {
  PoseBopViews views;
  PoseEvalImage other;
} Images;

static bool
is_folder (const char *path)
{
  struct stat s;

  return !stat (path, &s) && S_ISDIR (s.st_mode);
}

/* Reads the two lists of @row from the first two of @path. */
static const char *
read_pair (const Wanted *w, PoseTableRow *row, const char *const *path,
    Images *images, char where[POSE_FILE_WHERE])
{
  PoseFileLines lines = {w->scene, w->first, &w->meshes};
  PoseEvalImage *camera = w->image.fx > 0 ? NULL : &images->other;

  row->name = path[0];
  images->other = w->image;
  TRY (pose_file_read (&row->estimates, path[0], &lines, false, camera, where));
  TRY (is_folder (path[1])
          ? pose_bop_read (
                &row->truth, &images->views, path[1], w->scene, where)
          : pose_file_read (&row->truth, path[1], &lines, true, camera, where));
  if (!row->truth.n || (!row->estimates.n && !w->is_table))
    return "it has no poses";
  return NULL;
}

static const char *
measure_pair (Wanted *w, PoseTableRow *row, const char *const *path,
    char where[POSE_FILE_WHERE])
{
  Images images = {0};
  const char *err = read_pair (w, row, path, &images, where), *mesh = where;

  if (!err && w->models) {
    err = pose_bop_models (&w->meshes, w->models, &row->estimates, where);
    if (!err)
      err = pose_bop_models (&w->meshes, w->models, &row->truth, where);
  }
  if (!err && (err = pose_eval_load (&w->meshes, &mesh)))
    snprintf (where, POSE_FILE_WHERE, "%s", mesh);
  if (!err)
    err = pose_table_measure (
        row, &w->meshes, &images.views, &images.other, w->no_depth, where);
  pose_bop_free (&images.views);
  return err;
}

static int
evaluate_pairs (Wanted *w)
{
  PoseTableRow row[MAX_PAIRS] = {{0}};
  char where[POSE_FILE_WHERE] = "";
  const char *why = NULL;

  for (int i = 0; i < w->n / 2 && !why; i++)
    why = measure_pair (w, &row[i], &w->path[2 * i], where);
  if (!why && w->is_table)
    why = pose_table_print (row, w->n / 2, &w->meshes, stdout);
  else if (!why)
    print_each_estimate (row, w);
  for (int i = 0; i < w->n / 2; i++)
    pose_table_free (&row[i]);
  return why ? print_failure_of_eval (where, why) : 0;
}

/* Writes the estimates as BOP's CSV. */
static int
write_csv (Wanted *w)
{
  PoseFileLines lines = {w->scene, w->first, &w->meshes};
  PoseEvalList list = {0};
  char where[POSE_FILE_WHERE];
  const char *why =
      pose_file_read (&list, w->path[0], &lines, false, NULL, where);

  if (!why)
    pose_file_write (&list, stdout);
  free (list.pose);
  return why ? print_failure_of_eval (where, why) : 0;
}

/* Returns @result, or a failure if standard output could not take all of the
 * text. */
static int
finish_eval (int result)
{
  return fflush (stdout) || ferror (stdout)
      ? print_failure_of_eval ("standard output", "it cannot be written")
      : result;
}

static int
run_eval (Wanted *w)
{
  int result = 2;

  if (w->is_csv && !w->is_table && w->n == 1)
    result = write_csv (w);
  else if (!w->is_csv && w->n >= 2 && w->n % 2 == 0 &&
      (w->is_table || w->n == 2))
    result = evaluate_pairs (w);
  else
    fputs (usage, stderr);
  pose_eval_free (&w->meshes);
  return result == 2 ? 2 : finish_eval (result);
}

int
main (int argc, char **argv)
{
  static Wanted w = {.meshes.unit = .001, .scene = 1};

  for (int i = 1; i < argc; i++) {
    const char *why = NULL;

    if (!strcmp (argv[i], "--help"))
      return fputs (usage, stdout), finish_eval (0);
    if (read_eval_word (&w, argv[i]))
      continue;
    if (i + 1 < argc && read_eval_option (&w, argv[i], argv[i + 1], &why))
      i++;
    else if (argv[i][0] == '-' || w.n == 2 * MAX_PAIRS)
      return fputs (usage, stderr), 2;
    else
      w.path[w.n++] = argv[i];
    if (why)
      return print_failure_of_eval (argv[i], why);
  }
  return run_eval (&w);
}
