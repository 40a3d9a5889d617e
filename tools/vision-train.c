/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vision-train: finds the weights by which scopedetect chooses among poses, for
 * labelled scenes (thesis, section 2.3.2), and writes them as a preset; or the
 * weights by which it judges poses, its fit. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/number.h"
#include "train.h"

static const char usage[] =
    "vision-train [options] PRESET FOLDER ...      of labelled scenes\n"
    "vision-train [options] --generate N PRESET    of N generated scenes\n"
    "vision-train --fit ... FILE ...               learns the fit instead\n"
    "\n"
    "PRESET is the file to write.  Named GstScopedetect.prs, in a folder that\n"
    "GST_PRESET_PATH names, it is loaded by scopedetect @preset=trained.\n"
    "\n"
    "FOLDERs are BOP's: of a scene (scene_gt.json, scene_camera.json,\n"
    "scene_gt_info.json, depth/000001.png, rgb/000001.png), or of scenes "
    "000001\n"
    "and so on; 12 scenes or more together.  Half of the scenes are learned "
    "from, by\n"
    "a quarter the best round is chosen, and figures are of the last quarter.  "
    "Every\n"
    "fifth model, of five or more, is given in that quarter alone.\n"
    "\n"
    "In each round poses are searched for anew with the weights so far, in "
    "new\n"
    "generated scenes; then weights are tried on all poses that there are.  "
    "Those of\n"
    "the score: that right poses come first; of stage 1: precision; of the "
    "choice:\n"
    "precision + recall, with all models and with half of them.  An object is "
    "right\n"
    "within a tenth of its diameter (ADD-S), and to be found if a quarter of "
    "it is\n"
    "seen.\n"
    "\n"
    "With --fit, FILE gets what the property fit of scopedetect loads: by "
    "which\n"
    "evidence a pose is right, by logistic regression on the first two poses "
    "of "
    "each\n"
    "model in three quarters of the scenes.  The tables say how good it is in "
    "scenes\n"
    "and for models that it was not learned from, without each term, and in "
    "the "
    "last\n"
    "quarter of the scenes.\n"
    "\n"
    "  --fit                learn the fit\n"
    "  --any-model          the fit is for all models; default: for those that "
    "it was\n"
    "                       learned from\n"
    "  --models FOLDER      of BOP, for FOLDERs: obj_000001.ply and so on\n"
    "  --mesh ID=FILE       an object's mesh; once for each object\n"
    "  --unit METRES        of the meshes; default 0.001\n"
    "  --images NUMBER      of each scene of a folder, at most; default 5\n"
    "  --generate NUMBER    of scenes with the meshes and the solids of\n"
    "                       visiontestsrc pattern=clutter\n"
    "  --solids NAME,NAME   these of them; default: all ten\n"
    "  --objects NUMBER     on a generated table, at most; at least half of "
    "it;\n"
    "                       default 8\n"
    "  --size WIDTHxHEIGHT  of generated pictures; default 640x480; with "
    "FOLDERs,\n"
    "                       all pictures have the size of theirs\n"
    "  --explain NAME       one-stage or two-stage (default)\n"
    "  --no-score           leave the weights of the score as they are\n"
    "  --rounds NUMBER      default 3\n"
    "  --tries NUMBER       of weights, in each round; default 300\n"
    "  --seed NUMBER        the same one, the same preset; default 0\n"
    "  --name NAME          of the preset; default trained\n";

#define MAX_FOLDERS 64
#define MAX_SOLIDS 32

typedef struct {
  Train t;
  const char *models, *name, *path[1 + MAX_FOLDERS];
  const char *solid[MAX_SOLIDS + 1];
  int n, rounds, tries;
  bool any_model;
  bool no_score, is_better; /* is_better: than the first weights */
  ScopedetectExplained explain;
} Wanted;

static int
print_failure_of_train (const char *where, const char *why)
{
  fprintf (stderr, "%s: %s\n", where, why);
  return 1;
}

/* ---- Options ---- */

static const char *
read_train_count (const char *text, int min, int *value)
{
  const char *rest = number_read (text, value);

  return rest && !*rest && *value >= min ? NULL
      : min ? "this must be a whole number, 1 or more"
            : "this must be a whole number, 0 or more";
}

static const char *
read_train_size (const char *text, Train *t)
{
  const char *rest = number_read (text, &t->width);

  rest = rest && *rest == 'x' ? number_read (rest + 1, &t->height) : NULL;
  return rest && !*rest && t->width >= 64 && t->height >= 64 &&
          t->width <= CLUTTER_MAX_SIZE && t->height <= CLUTTER_MAX_SIZE
      ? NULL
      : "a size is written WIDTHxHEIGHT, of 64 to 4096 pixels each";
}

/* Cuts @text into names of solids. */
static const char *
read_solid_names (char *text, Wanted *w)
{
  int n = 0;

  for (char *name = strtok (text, ","); name; name = strtok (NULL, ",")) {
    int k = 0;

    while (clutter_solids[k] && strcmp (clutter_solids[k], name))
      k++;
    if (!clutter_solids[k] || n == MAX_SOLIDS)
      return "one of these is no solid of visiontestsrc pattern=clutter";
    w->solid[n++] = clutter_solids[k];
  }
  w->solid[n] = NULL;
  return NULL;
}

static const char *
read_train_unit (const char *text, double *unit)
{
  char *end;

  *unit = strtod (text, &end);
  return end != text && !*end && *unit > 0 && *unit < 1e6
      ? NULL
      : "this must be a number of metres above 0";
}

static const char *
read_train_explain (const char *text, ScopedetectExplained *explain)
{
  *explain = strcmp (text, "one-stage") ? SCOPEDETECT_TWO_STAGE
                                        : SCOPEDETECT_ONE_STAGE;
  return *explain == SCOPEDETECT_ONE_STAGE || !strcmp (text, "two-stage")
      ? NULL
      : "this must be one-stage or two-stage";
}

/* Reads the name of a preset, which is the name of a group in a key file. */
static const char *
read_preset_name (const char *text, const char **name)
{
  bool is_good = *text && strlen (text) <= 64 && strcmp (text, "_presets_");

  for (const char *c = text; *c; c++)
    is_good &= (unsigned char) *c >= ' ' && *c != 0x7f && !strchr ("[]", *c);
  *name = text;
  return is_good ? NULL
                 : "this must be 1 to 64 bytes without [, ] and control "
                   "characters, and not _presets_";
}

/* Whether @option is a known option with a @value.  Sets @why to what is wrong
 * with the value. */
static bool
read_train_option (Wanted *w, const char *option, char *value, const char **why)
{
  int seed = 0;

  if (!strcmp (option, "--models"))
    w->models = value;
  else if (!strcmp (option, "--mesh"))
    *why = pose_eval_add_mesh (&w->t.meshes, value);
  else if (!strcmp (option, "--unit"))
    *why = read_train_unit (value, &w->t.unit);
  else if (!strcmp (option, "--images"))
    *why = read_train_count (value, 1, &w->t.per_scene);
  else if (!strcmp (option, "--generate"))
    *why = read_train_count (value, 1, &w->t.n_generated);
  else if (!strcmp (option, "--solids"))
    *why = read_solid_names (value, w);
  else if (!strcmp (option, "--objects"))
    *why = read_train_count (value, 1, &w->t.n_objects);
  else if (!strcmp (option, "--size"))
    *why = read_train_size (value, &w->t);
  else if (!strcmp (option, "--explain"))
    *why = read_train_explain (value, &w->explain);
  else if (!strcmp (option, "--rounds"))
    *why = read_train_count (value, 1, &w->rounds);
  else if (!strcmp (option, "--tries"))
    *why = read_train_count (value, 1, &w->tries);
  else if (!strcmp (option, "--seed"))
    *why = read_train_count (value, 0, &seed);
  else if (!strcmp (option, "--name"))
    *why = read_preset_name (value, &w->name);
  else
    return false;
  if (!strcmp (option, "--seed"))
    w->t.seed = (uint64_t) seed;
  return true;
}

/* ---- Training ---- */

static void
print_count (const Train *t, const char *name, const ScopedetectParams *params)
{
  static const char *const given[] = {"all models", "half of them"};

  for (int k = 0; k < 2; k++) {
    TrainCount held,
        c = train_count (t, TRAIN_REPORT, (TrainGiven) k, params, false, &held);

    printf ("| %s | %s | %d of %d | %d | %d of %d |\n", name, given[k], c.found,
        c.wanted, c.told - c.right, held.found, held.wanted);
  }
}

/* Prints the results of @before and @after in the scenes by which no weights
 * were chosen. */
static const char *
print_report (Train *t, const ScopedetectParams *before,
    const ScopedetectParams *after, char where[POSE_FILE_WHERE])
{
  TRY (train_search (t, TRAIN_REPORT, 0, before, where));
  printf ("| weights | given | found | told, but wrong | found of models that "
          "were held back |\n| --- | --- | --- | --- | --- |\n");
  print_count (t, "before", before);
  train_forget (t, TRAIN_REPORT);
  TRY (train_search (t, TRAIN_REPORT, 0, after, where));
  print_count (t, "after", after);
  return NULL;
}

/* Sets @worth to precision + recall of @params, in the scenes to choose by. */
static const char *
judge_weights (Train *t, const ScopedetectParams *params, double *worth,
    char where[POSE_FILE_WHERE])
{
  TrainCount held, c;

  train_forget (t, TRAIN_CHOOSE);
  TRY (train_search (t, TRAIN_CHOOSE, 0, params, where));
  c = train_count (t, TRAIN_CHOOSE, TRAIN_BOTH, params, false, &held);
  *worth = train_worth (&c);
  fprintf (stderr, "precision + recall there: %.4f\n", *worth);
  return NULL;
}

/* Sets @best to the best of the weights of all rounds and the first weights. */
static const char *
train_rounds (Wanted *w, ScopedetectParams *best, char where[POSE_FILE_WHERE])
{
  ScopedetectParams before = *best, p = *best;
  double max, worth;

  TRY (judge_weights (&w->t, &p, &max, where));
  for (int round = 0; round < w->rounds; round++) {
    fprintf (stderr, "round %d of %d\n", round + 1, w->rounds);
    TRY (train_search (&w->t, TRAIN_LEARN, round, &p, where));
    snprintf (where, POSE_FILE_WHERE, "round %d", round + 1);
    TRY (train_weights (&w->t, &p, !w->no_score, w->tries));
    TRY (judge_weights (&w->t, &p, &worth, where));
    if (worth > max)
      max = worth, *best = p, w->is_better = true;
  }
  if (!w->is_better)
    printf ("No round finds better weights than those before: the preset has "
            "those.\n\n");
  train_forget (&w->t, TRAIN_LEARN);
  return print_report (&w->t, &before, best, where);
}

static const char *
save_preset (
    const Wanted *w, const ScopedetectParams *p, char where[POSE_FILE_WHERE])
{
  char *text = train_preset (p, !w->no_score, w->name,
      w->is_better ? "Weights that vision-train found"
                   : "Weights of before: vision-train found none better");
  int error;

  snprintf (where, POSE_FILE_WHERE, "%s", w->path[0]);
  if (!text)
    return "out of memory";
  error = file_write (w->path[0], text, strlen (text), -1);
  free (text);
  return error ? file_why (error) : NULL;
}

/* Whether the file can be written, asked before training, which may take
 * hours. */
static const char *
check_preset (const char *path, char where[POSE_FILE_WHERE])
{
  const char *slash = strrchr (path, '/');
  struct stat about;

  snprintf (where, POSE_FILE_WHERE, "%s", path);
  if (!stat (path, &about)) {
    if (S_ISDIR (about.st_mode))
      return file_why (EISDIR);
    return access (path, W_OK) ? file_why (errno) : NULL;
  }
  snprintf (where, POSE_FILE_WHERE, "%.*s",
      slash ? (int) (slash - path) + 1 : 1, slash ? path : ".");
  return access (where, W_OK) ? file_why (errno) : NULL;
}

static const char *
save_fit (
    const Wanted *w, const ScopedetectFit *fit, char where[POSE_FILE_WHERE])
{
  const ScopedetectModel *models[TRAIN_MODELS];
  char *text;
  int error;

  for (int i = 0; i < w->t.n_models; i++)
    models[i] = w->t.model[i].model;
  text = scopedetect_fit_text (fit, models, w->any_model ? 0 : w->t.n_models);
  snprintf (where, POSE_FILE_WHERE, "%s", w->path[0]);
  if (!text)
    return "out of memory";
  error = file_write (w->path[0], text, strlen (text), -1);
  free (text);
  return error ? file_why (error) : NULL;
}

/* Searches all scenes by @p, and learns the fit of what is found. */
static const char *
make_fit (Wanted *w, const ScopedetectParams *p, char where[POSE_FILE_WHERE])
{
  ScopedetectFit fit;

  for (int part = 0; part < TRAIN_PARTS; part++)
    TRY (train_search (&w->t, (TrainPart) part, 0, p, where));
  snprintf (where, POSE_FILE_WHERE, "the poses");
  TRY (train_fit (&w->t, &fit));
  return save_fit (w, &fit, where);
}

/* Trains the weights of a preset, and saves it. */
static const char *
make_preset (Wanted *w, ScopedetectParams *p, char where[POSE_FILE_WHERE])
{
  TRY (train_rounds (w, p, where));
  return save_preset (w, p, where);
}

static int
run_train (Wanted *w)
{
  char where[POSE_FILE_WHERE] = "";
  ScopedetectParams p = scopedetect_defaults ();
  const char *why;

  p.explain = w->explain;
  why = check_preset (w->path[0], where);
  if (!why)
    why = train_open (&w->t, w->path + 1, w->n - 1, w->models, w->solid, where);
  if (!why)
    why = w->t.is_fit ? make_fit (w, &p, where) : make_preset (w, &p, where);
  train_close (&w->t);
  if (why)
    return print_failure_of_train (where, why);
  return fflush (stdout) || ferror (stdout)
      ? print_failure_of_train ("standard output", "it cannot be written")
      : 0;
}

int
main (int argc, char **argv)
{
  static Wanted w = {.t = {.unit = .001,
                         .width = 640,
                         .height = 480,
                         .n_objects = 8,
                         .per_scene = 5},
      .name = "trained",
      .rounds = 3,
      .tries = 300,
      .explain = SCOPEDETECT_TWO_STAGE};

  for (int i = 0; clutter_solids[i]; i++)
    w.solid[i] = clutter_solids[i];
  w.t.meshes.unit = .001;
  for (int i = 1; i < argc; i++) {
    const char *why = NULL;

    if (!strcmp (argv[i], "--help"))
      return fputs (usage, stdout), 0;
    if (!strcmp (argv[i], "--no-score"))
      w.no_score = true;
    else if (!strcmp (argv[i], "--fit"))
      w.t.is_fit = true;
    else if (!strcmp (argv[i], "--any-model"))
      w.any_model = true;
    else if (i + 1 < argc && read_train_option (&w, argv[i], argv[i + 1], &why))
      i++;
    else if (argv[i][0] == '-' || w.n == 1 + MAX_FOLDERS)
      return fputs (usage, stderr), 2;
    else
      w.path[w.n++] = argv[i];
    if (why)
      return print_failure_of_train (argv[i], why);
  }
  if (w.n < 1 || (w.n == 1 && !w.t.n_generated))
    return fputs (usage, stderr), 2;
  return run_train (&w);
}
