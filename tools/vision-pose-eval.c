/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vision-pose-eval: how far estimated poses are from true ones, by the measures
 * of the BOP benchmark (T. Hodan and others, ECCV 2018): ADD, ADD-S and VSD. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    "  --depth FILE         of VSD: the image's depth, a PNG of 16 bits\n"
    "  --depth-scale METRES a unit of it; default 0.001\n"
    "  --camera FX,FY,CX,CY of VSD, pixels\n";

#define MOST 4096

typedef struct {
  PoseEvalPose pose[MOST];
  int n;
} List;

static const char *
read_csv (List *list, const char *path)
{
  FILE *f = fopen (path, "r");
  char line[1024];

  if (!f)
    return "cannot be opened";
  while (fgets (line, sizeof line, f)) {
    PoseEvalPose *p = &list->pose[list->n];
    double *r = p->r, *t = p->t;

    if (sscanf (line,
            "%d,%d,%d,%lf,%lf %lf %lf %lf %lf %lf %lf %lf %lf,%lf %lf %lf",
            &p->scene, &p->image, &p->object, &p->score, r, r + 1, r + 2, r + 3,
            r + 4, r + 5, r + 6, r + 7, r + 8, t, t + 1, t + 2) != 16) {
      if (list->n || !strstr (line, "scene_id")) {
        fclose (f);
        return "has a line that is no pose";
      }
      continue; /* the head */
    }
    for (int k = 0; k < 3; k++)
      t[k] /= 1000;
    if (++list->n == MOST)
      break;
  }
  fclose (f);
  return list->n ? NULL : "has no poses";
}

/* The true pose that an estimate is nearest to by ADD-S, or NULL. */
static const PoseEvalPose *
nearest_truth (const List *truth, const PoseEvalPose *p,
    const ScopedetectMesh *mesh, double *add, double *add_s)
{
  const PoseEvalPose *best = NULL;

  for (int i = 0; i < truth->n; i++) {
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

static int
compare (const List *estimates, const List *truth, const PoseEvalMeshes *meshes,
    const PoseEvalImage *image)
{
  int right = 0, right_s = 0;

  printf ("scene,image,object,score,add_mm,add_s_mm,diameter_mm%s\n",
      image->depth ? ",vsd" : "");
  for (int i = 0; i < estimates->n; i++) {
    const PoseEvalPose *p = &estimates->pose[i], *t;
    const PoseEvalMesh *m = pose_eval_mesh (meshes, p->object);
    double add = 0, add_s = 0;

    if (!m) {
      fprintf (stderr, "object %d has no mesh; give one by --mesh %d=FILE\n",
          p->object, p->object);
      return 1;
    }
    t = nearest_truth (truth, p, &m->mesh, &add, &add_s);
    printf ("%d,%d,%d,%g,", p->scene, p->image, p->object, p->score);
    if (!t) {
      printf ("none,none,%.1f\n", 1e3 * m->diameter);
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
      "%d estimates, %d true poses; within a tenth of the diameter: %d by ADD, "
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

int
main (int argc, char **argv)
{
  static List list[2];
  PoseEvalMeshes meshes = {.unit = .001};
  PoseEvalImage image = {.scale = .001};
  const char *path[2], *depth = NULL, *why = NULL;
  int n = 0, result;

  for (int i = 1; i < argc && !why; i++) {
    const char *v = i + 1 < argc ? argv[i + 1] : NULL;

    if (!strcmp (argv[i], "--unit") && v)
      meshes.unit = atof (argv[++i]);
    else if (!strcmp (argv[i], "--depth-scale") && v)
      image.scale = atof (argv[++i]);
    else if (!strcmp (argv[i], "--depth") && v)
      depth = argv[++i];
    else if (!strcmp (argv[i], "--mesh") && v)
      why = pose_eval_add_mesh (&meshes, argv[++i]);
    else if (!strcmp (argv[i], "--camera") && v &&
        sscanf (v, "%lf,%lf,%lf,%lf", &image.fx, &image.fy, &image.cx,
            &image.cy) == 4)
      i++;
    else if (argv[i][0] == '-' || n == 2)
      return fputs (usage, stderr), 2;
    else
      path[n++] = argv[i];
    if (why)
      return fail (argv[i], why);
  }
  if (n != 2 || (depth && !(image.fx > 0)))
    return fputs (usage, stderr), 2;
  for (int i = 0; i < 2; i++)
    if ((why = read_csv (&list[i], path[i])))
      return fail (path[i], why);
  if ((why = pose_eval_load (&meshes)))
    return fail ("--mesh", why);
  if (depth && (why = pose_eval_read_depth (&image, depth)))
    return fail (depth, why);
  result = compare (&list[0], &list[1], &meshes, &image);
  pose_eval_free (&meshes, &image);
  return result;
}
