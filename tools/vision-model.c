/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vision-model: makes model files for scopedetect from meshes and clouds of
 * points, and describes them. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "scene/clutter.h"
#include "scopedetect/scopedetect.h"
#include "views.h"

static const char usage[] =
    "vision-model [options] MESH MODEL   makes MODEL of a PLY, OBJ, PCD or "
    "XYZ\n"
    "                                    file\n"
    "vision-model --solid NAME MODEL     makes it of a solid of visiontestsrc\n"
    "                                    pattern=clutter\n"
    "vision-model --views LIST MODEL     makes it of registered views, each a\n"
    "                                    picture of depth and one of colour\n"
    "vision-model MODEL                  says what is in it\n"
    "\n"
    "A LIST has lines such as\n"
    "  camera FX FY CX CY\n"
    "  depth-scale 0.001\n"
    "  box X0 Y0 Z0 X1 Y1 Z1     what counts; the object's coordinates\n"
    "  view DEPTH.png COLOUR.png TX TY TZ QW QX QY QZ\n"
    "with the pose from camera to object, and - for no colour.  Views have "
    "at most\n"
    "307 million pixels, as 1000 of 640 x 480.\n"
    "\n"
    "  --unit METRES      of the mesh: 0.001 for millimetres; default 1\n"
    "  --spacing METRES   of the model's points; default 0.004.  The surface "
    "between\n"
    "                     points of a cloud that are farther apart than half "
    "of "
    "it is\n"
    "                     filled in\n"
    "  --radius METRES    of its features; default 0.02\n"
    "  --name NAME        default: that of the mesh file\n"
    "  --seed NUMBER      of what is drawn at random; default 0\n"
    "  --quiet            no progress bar, which is for terminals\n";

static bool
print_progress (void *user, double part)
{
  (void) user;
  fprintf (stderr, "\r[%-20.*s] %3.0f %%%s", (int) (20 * part),
      "####################", 100 * part, part < 1 ? "" : "\n");
  return true;
}

static void
print_filled_part (void *user, double apart)
{
  (void) user;
  fprintf (stderr,
      "the points are about %.1f mm apart, too far for the spacing: the "
      "surface "
      "between them is filled in\n",
      1e3 * apart);
}

static void
describe_model (const ScopedetectModel *model)
{
  ScopedetectModelInfo i;

  scopedetect_model_info (model, &i);
  printf ("%s: %u points, %.1f mm apart, %.1f x %.1f x %.1f mm, diameter %.1f "
          "mm\n",
      i.name, i.n_points, 1e3 * i.spacing, 1e3 * i.size[0], 1e3 * i.size[1],
      1e3 * i.size[2], 1e3 * i.diameter);
  printf ("features: radius %.1f mm, sigma %.1f; %s; ", 1e3 * i.feature_radius,
      i.feature_sigma, i.has_colour ? "with colour" : "without colour");
  if (i.has_axis)
    printf ("turns about an axis look alike\n");
  else
    printf ("%u pose%s look%s alike\n", i.n_symmetries,
        i.n_symmetries == 1 ? "" : "s", i.n_symmetries == 1 ? "s" : "");
  printf ("memory: about %.0f MB to look for it in frames of 640 x 480\n",
      1e-6 * (double) scopedetect_memory (DEVICE_CUDA, 640, 480, &model, 1));
}

static int
print_failure_of_model (const char *path, const char *why)
{
  fprintf (stderr, "%s: %s\n", path, why);
  return 1;
}

/* The source of a model. */
typedef enum { MESH, SOLID, VIEWS } Source;

static const char *
read_source_mesh (Mesh *mesh, const char *path, Source source,
    ScopedetectCompile *how, char where[VIEWS_WHERE])
{
  snprintf (where, VIEWS_WHERE, "%s", path);
  if (source == SOLID)
    return clutter_solid_mesh (mesh, path);
  if (source == MESH)
    return mesh_read (mesh, path);
  how->unit = 1;
  return views_read (mesh, path, how->spacing / 2, where);
}

static int
make_model_file (const char *mesh_path, const char *model_path,
    const char *name, Source source, ScopedetectCompile *how)
{
  Mesh mesh;
  ScopedetectModel *model = NULL;
  char of_file[NAME_MAX + 1], where[VIEWS_WHERE];
  const char *error = read_source_mesh (&mesh, mesh_path, source, how, where);

  file_stem (mesh_path, of_file, NAME_MAX + 1);
  if (!error)
    error =
        scopedetect_model_compile (&model, &mesh, name ? name : of_file, how);
  mesh_free (&mesh);
  if (!error) {
    error = scopedetect_model_save (model, model_path);
    snprintf (where, sizeof where, "%s", model_path);
  }
  if (!error)
    describe_model (model);
  scopedetect_model_free (model);
  return error ? print_failure_of_model (where, error) : 0;
}

static int
describe_file (const char *path)
{
  ScopedetectModel *model;
  const char *error = scopedetect_model_load (&model, path);

  if (!error)
    describe_model (model);
  scopedetect_model_free (model);
  return error ? print_failure_of_model (path, error) : 0;
}

/* The options. */
typedef struct {
  ScopedetectCompile how;
  const char *path[2], *name;
  Source source;
  int n;
  bool is_wrong; /* the number of an option is no number */
} Wanted;

static double
read_model_number (const char *text, bool *is_wrong)
{
  char *end;
  double value = strtod (text, &end);

  *is_wrong |= end == text || *end;
  return value;
}

static uint64_t
read_model_seed (const char *text, bool *is_wrong)
{
  char *end;
  uint64_t value = strtoull (text, &end, 0);

  *is_wrong |= end == text || *end;
  return value;
}

/* Whether @option has no value and is known. */
static bool
read_model_word (Wanted *w, const char *option)
{
  if (!strcmp (option, "--quiet"))
    w->how.progress = NULL;
  else if (!strcmp (option, "--solid"))
    w->source = SOLID;
  else if (!strcmp (option, "--views"))
    w->source = VIEWS;
  else
    return false;
  return true;
}

/* Whether @option has a value and is known. */
static bool
read_model_option (Wanted *w, const char *option, const char *value)
{
  if (!strcmp (option, "--unit"))
    w->how.unit = read_model_number (value, &w->is_wrong);
  else if (!strcmp (option, "--spacing"))
    w->how.spacing = read_model_number (value, &w->is_wrong);
  else if (!strcmp (option, "--radius"))
    w->how.feature_radius = read_model_number (value, &w->is_wrong);
  else if (!strcmp (option, "--seed"))
    w->how.seed = read_model_seed (value, &w->is_wrong);
  else if (!strcmp (option, "--name"))
    w->name = value;
  else
    return false;
  return true;
}

/* Returns @result, or a failure if standard output could not take all of the
 * text. */
static int
finish_model (int result)
{
  return fflush (stdout) || ferror (stdout)
      ? print_failure_of_model ("standard output", "it cannot be written")
      : result;
}

int
main (int argc, char **argv)
{
  Wanted w = {.how = SCOPEDETECT_COMPILE_DEFAULTS, .source = MESH};

  if (isatty (STDERR_FILENO)) /* in a log, progress would be one long line */
    w.how.progress = print_progress;
  w.how.filled = print_filled_part;
  for (int i = 1; i < argc; i++) {
    if (!strcmp (argv[i], "--help"))
      return fputs (usage, stdout), finish_model (0);
    if (read_model_word (&w, argv[i]))
      continue;
    if (i + 1 < argc && read_model_option (&w, argv[i], argv[i + 1]))
      i++;
    else if (argv[i][0] == '-' || w.n == 2)
      return fputs (usage, stderr), 2;
    else
      w.path[w.n++] = argv[i];
    if (w.is_wrong)
      return print_failure_of_model (argv[i], "this is no number");
  }
  if (w.n == 2)
    return finish_model (
        make_model_file (w.path[0], w.path[1], w.name, w.source, &w.how));
  return w.n ? finish_model (describe_file (w.path[0]))
             : (fputs (usage, stderr), 2);
}
