/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vision-pose-eval: how far estimated poses are from true ones, by the measures
 * of the BOP benchmark (T. Hodan and others, ECCV 2018): ADD, ADD-S and VSD. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/number.h"
#include "pose_eval.h"

static const char usage[] =
    "vision-pose-eval [options] ESTIMATES.csv TRUTH.csv\n"
    "\n"
    "Both files are in the BOP format: scene_id, im_id, obj_id, score, R "
    "(nine\n"
    "numbers by rows), t (three, millimetres), time.  Each estimate is "
    "compared\n"
    "with the nearest true pose of its object in its image.\n"
    "\n"
    "  --mesh ID=FILE       the object's mesh; once for each object\n"
    "  --unit METRES        of the meshes; default 0.001\n"
    "  --depth FILE         of VSD: the image's depth, a PNG of 16 bits; the\n"
    "                       estimates are of this image alone\n"
    "  --depth-scale METRES a unit of it; default 0.001\n"
    "  --camera FX,FY,CX,CY of VSD, pixels\n";

#define WHERE 512 /* bytes of the name of what is wrong, with its end */

typedef struct {
  PoseEvalPose *pose;
  size_t n, room;
} List;

/* Where @list has no room, it gets more. */
static PoseEvalPose *
add_pose (List *list)
{
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 1024;
    PoseEvalPose *more = realloc (list->pose, room * sizeof *more);

    if (!more)
      return NULL;
    list->pose = more;
    list->room = room;
  }
  return &list->pose[list->n++];
}

/* A turn: rows of length 1 and at right angles, as well as a few digits say. */
static bool
is_turn (const double r[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      double dot = 0;

      for (int k = 0; k < 3; k++)
        dot += r[3 * i + k] * r[3 * j + k];
      if (!(fabs (dot - (i == j)) < .02))
        return false;
    }
  return true;
}

static const char *
read_line (const char *line, PoseEvalPose *p)
{
  double *r = p->r, *t = p->t;
  int id[3];
  const char *rest = numbers_read (line, ',', 3, id);

  if (!rest ||
      sscanf (rest, ",%lf,%lf %lf %lf %lf %lf %lf %lf %lf %lf,%lf %lf %lf",
          &p->score, r, r + 1, r + 2, r + 3, r + 4, r + 5, r + 6, r + 7, r + 8,
          t, t + 1, t + 2) != 13)
    return "the line is no pose: scene_id,im_id,obj_id,score,R,t,time";
  p->scene = id[0];
  p->image = id[1];
  p->object = id[2];
  for (int k = 0; k < 3; k++)
    t[k] /= 1000;
  if (!isfinite (t[0] + t[1] + t[2]) || !isfinite (p->score))
    return "the line has a score or place that is no number";
  return is_turn (r) ? NULL : "R in the line is no turn";
}

static const char *
read_csv (List *list, const char *path, char where[WHERE])
{
  FILE *f = fopen (path, "r");
  const char *err = NULL;
  char line[1024];

  snprintf (where, WHERE, "%s", path);
  if (!f)
    return "it cannot be opened";
  for (int n = 1; !err && fgets (line, sizeof line, f); n++) {
    PoseEvalPose p;

    if (n == 1 && strstr (line, "scene_id"))
      continue;
    err = read_line (line, &p);
    if (err) {
      snprintf (where, WHERE, "%.400s: line %d", path, n);
    } else {
      PoseEvalPose *at = add_pose (list);

      if (at)
        *at = p;
      else
        err = "out of memory";
    }
  }
  fclose (f);
  return err ? err : list->n ? NULL : "it has no poses";
}

/* The true pose that an estimate is nearest to by ADD-S, or NULL. */
static const PoseEvalPose *
nearest_truth (const List *truth, const PoseEvalPose *p, const Mesh *mesh,
    double *add, double *add_s)
{
  const PoseEvalPose *best = NULL;

  for (size_t i = 0; i < truth->n; i++) {
    const PoseEvalPose *t = &truth->pose[i];
    double a, s;

    if (t->scene != p->scene || t->image != p->image || t->object != p->object)
      continue;
    pose_eval_add (mesh, p, t, &a, &s);
    if (!best || s < *add_s)
      best = t, *add = a, *add_s = s;
  }
  return best;
}

/* Tells what is wrong with the mesh of @object; true if it can be used. */
static bool
check_mesh (const PoseEvalMesh *m, int object, const PoseEvalImage *image)
{
  if (!m)
    fprintf (stderr, "object %d has no mesh; give one by --mesh %d=FILE\n",
        object, object);
  else if (image->depth && !m->mesh.n_triangles)
    fprintf (stderr,
        "the mesh of object %d has points and no triangles, but VSD needs a "
        "surface; give one that has triangles, or leave --depth out\n",
        object);
  else
    return true;
  return false;
}

static int
compare (const List *estimates, const List *truth, const PoseEvalMeshes *meshes,
    const PoseEvalImage *image)
{
  int right = 0, right_s = 0;

  printf ("scene,image,object,score,add_mm,add_s_mm,diameter_mm%s\n",
      image->depth ? ",vsd" : "");
  for (size_t i = 0; i < estimates->n; i++) {
    const PoseEvalPose *p = &estimates->pose[i], *t;
    const PoseEvalMesh *m = pose_eval_mesh (meshes, p->object);
    double add = 0, add_s = 0;

    if (!check_mesh (m, p->object, image))
      return 1;
    t = nearest_truth (truth, p, &m->mesh, &add, &add_s);
    printf ("%d,%d,%d,%g,", p->scene, p->image, p->object, p->score);
    if (!t) {
      printf (
          "none,none,%.1f%s\n", 1e3 * m->diameter, image->depth ? ",none" : "");
      continue;
    }
    right += add < .1 * m->diameter;
    right_s += add_s < .1 * m->diameter;
    printf ("%.2f,%.2f,%.1f", 1e3 * add, 1e3 * add_s, 1e3 * m->diameter);
    if (image->depth)
      printf (",%.3f", pose_eval_vsd (image, m, p, t));
    printf ("\n");
  }
  fprintf (stderr,
      "%zu estimates, %zu true poses; within a tenth of the diameter: %d by "
      "ADD, "
      "%d by ADD-S\n",
      estimates->n, truth->n, right, right_s);
  return 0;
}

static int
fail (const char *path, const char *why)
{
  fprintf (stderr, "%s: %s\n", path, why);
  return 1;
}

/* What the command line says. */
typedef struct {
  PoseEvalMeshes meshes;
  PoseEvalImage image;
  const char *depth, *path[2];
  int n;
} Wanted;

/* @text to @value, a number above 0. */
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
read_camera (const char *text, PoseEvalImage *im)
{
  char rest;

  return sscanf (text, "%lf,%lf,%lf,%lf%c", &im->fx, &im->fy, &im->cx, &im->cy,
             &rest) == 4 &&
          im->fx > 0 && im->fy > 0
      ? NULL
      : "a camera is written FX,FY,CX,CY";
}

/* Whether @option is one that has a @value; @why: what is wrong with that. */
static bool
read_option (Wanted *w, const char *option, const char *value, const char **why)
{
  if (!strcmp (option, "--unit"))
    *why = read_metres (value, &w->meshes.unit);
  else if (!strcmp (option, "--depth-scale"))
    *why = read_metres (value, &w->image.scale);
  else if (!strcmp (option, "--depth"))
    w->depth = value;
  else if (!strcmp (option, "--mesh"))
    *why = pose_eval_add_mesh (&w->meshes, value);
  else if (!strcmp (option, "--camera"))
    *why = read_camera (value, &w->image);
  else
    return false;
  return true;
}

/* The depth is that of one image. */
static const char *
check_depth (const Wanted *w, const List *estimates)
{
  if (!w->depth)
    return NULL;
  if (!(w->image.fx > 0))
    return "VSD needs the camera too; give it by --camera";
  for (size_t i = 1; i < estimates->n; i++)
    if (estimates->pose[i].scene != estimates->pose[0].scene ||
        estimates->pose[i].image != estimates->pose[0].image)
      return "it is of one image, but the estimates are of several; give those "
             "of one image";
  return NULL;
}

static int
evaluate (Wanted *w)
{
  List list[2] = {{0}};
  char where[WHERE];
  const char *why = NULL, *of = where;
  int result;

  for (int i = 0; i < 2 && !why; i++)
    why = read_csv (&list[i], w->path[i], where);
  if (!why)
    why = pose_eval_load (&w->meshes, &of);
  if (!why) {
    of = w->depth;
    why = check_depth (w, &list[0]);
  }
  if (!why && w->depth)
    why = pose_eval_read_depth (&w->image, w->depth);
  result = why ? fail (of, why)
               : compare (&list[0], &list[1], &w->meshes, &w->image);
  pose_eval_free (&w->meshes, &w->image);
  free (list[0].pose);
  free (list[1].pose);
  return result;
}

/* @result, unless what was told did not all get out. */
static int
finish (int result)
{
  return fflush (stdout) || ferror (stdout)
      ? fail ("standard output", "it cannot be written")
      : result;
}

int
main (int argc, char **argv)
{
  static Wanted w = {.meshes.unit = .001, .image.scale = .001};

  for (int i = 1; i < argc; i++) {
    const char *why = NULL;

    if (!strcmp (argv[i], "--help"))
      return fputs (usage, stdout), finish (0);
    if (i + 1 < argc && read_option (&w, argv[i], argv[i + 1], &why))
      i++;
    else if (argv[i][0] == '-' || w.n == 2)
      return fputs (usage, stderr), 2;
    else
      w.path[w.n++] = argv[i];
    if (why)
      return fail (argv[i], why);
  }
  return w.n == 2 ? finish (evaluate (&w)) : (fputs (usage, stderr), 2);
}
