/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The solids of the scene `clutter`: things of 8 to 16 cm, some with a
 * symmetry, most without. */
#include <stdlib.h>

#include "scene/clutter_parts.h"

static void
mug (ClutterMaker *m)
{
  static const double cup[][2] = {{0, 0}, {.036, 0}, {.04, .006}, {.041, .095},
      {.037, .095}, {.036, .008}, {0, .007}};

  clutter_paint (m, 200, 60, 50);
  clutter_place (m, 2, 0, 0, 0, 0);
  clutter_lathe (m, cup, 7, CLUTTER_SIDES, 1);
  clutter_place (m, 2, 0, .055, 0, .076);
  clutter_box (m, .018, .006, .006);
  clutter_place (m, 2, 0, .067, 0, .05);
  clutter_box (m, .006, .006, .032);
  clutter_place (m, 2, 0, .055, 0, .024);
  clutter_box (m, .018, .006, .006);
}

static void
bottle (ClutterMaker *m)
{
  static const double glass[][2] = {{0, 0}, {.03, 0}, {.032, .004}, {.032, .09},
      {.03, .1}, {.014, .12}, {.012, .145}, {.014, .146}, {.014, .16},
      {0, .16}};

  clutter_paint (m, 40, 130, 70);
  clutter_place (m, 2, 0, 0, 0, 0);
  clutter_lathe (m, glass, 10, CLUTTER_SIDES, 1);
}

static void
duck (ClutterMaker *m)
{
  clutter_paint (m, 230, 190, 30);
  clutter_place (m, 2, 0, 0, 0, .035);
  clutter_ball (m, .05, .036, .034);
  clutter_place (m, 2, 0, .033, 0, .08);
  clutter_ball (m, .025, .024, .025);
  clutter_place (m, 1, 35, -.045, 0, .05);
  clutter_ball (m, .026, .018, .01);
  clutter_paint (m, 220, 100, 20);
  clutter_place (m, 2, 0, .062, 0, .076);
  clutter_ball (m, .014, .012, .005);
}

static void
bracket (ClutterMaker *m)
{
  clutter_paint (m, 120, 125, 135);
  clutter_place (m, 2, 0, 0, 0, .012);
  clutter_box (m, .055, .032, .012);
  clutter_place (m, 2, 0, -.043, 0, .055);
  clutter_box (m, .012, .032, .05);
  clutter_place (m, 2, 0, .03, .015, .034);
  clutter_cone (m, .015, .01, .014, 6);
}

static void
drill (ClutterMaker *m)
{
  clutter_paint (m, 30, 120, 160);
  clutter_place (m, 1, 90, 0, 0, .115);
  clutter_cone (m, .026, .022, .045, CLUTTER_SIDES);
  clutter_place (m, 1, 12, -.025, 0, .065);
  clutter_box (m, .016, .014, .045);
  clutter_paint (m, 40, 40, 45);
  clutter_place (m, 2, 0, -.028, 0, .014);
  clutter_box (m, .036, .025, .014);
  clutter_place (m, 1, 90, .06, 0, .115);
  clutter_cone (m, .014, .006, .022, CLUTTER_SIDES);
}

static void
house (ClutterMaker *m)
{
  clutter_paint (m, 190, 160, 120);
  clutter_place (m, 2, 0, 0, 0, .025);
  clutter_box (m, .045, .03, .025);
  clutter_paint (m, 150, 50, 40);
  clutter_place (m, 0, 45, 0, 0, .05);
  clutter_box (m, .049, .0215, .0215);
  clutter_paint (m, 90, 60, 50);
  clutter_place (m, 2, 0, .028, .012, .08);
  clutter_box (m, .008, .008, .02);
}

static void
pan (ClutterMaker *m)
{
  static const double bowl[][2] = {
      {0, 0}, {.04, 0}, {.052, .035}, {.049, .036}, {.037, .004}, {0, .003}};

  clutter_paint (m, 60, 60, 70);
  clutter_place (m, 2, 0, 0, 0, 0);
  clutter_lathe (m, bowl, 6, CLUTTER_SIDES, 1);
  clutter_paint (m, 140, 80, 40);
  clutter_place (m, 1, -8, .09, 0, .034);
  clutter_box (m, .044, .008, .006);
}

static void
camera (ClutterMaker *m)
{
  clutter_paint (m, 50, 50, 60);
  clutter_place (m, 2, 0, 0, 0, .035);
  clutter_box (m, .055, .02, .035);
  clutter_paint (m, 160, 160, 170);
  clutter_place (m, 0, 90, -.008, -.034, .034);
  clutter_cone (m, .024, .028, .018, CLUTTER_SIDES);
  clutter_place (m, 2, 0, .036, 0, .077);
  clutter_cone (m, .012, .012, .008, CLUTTER_SIDES);
  clutter_place (m, 2, 0, -.03, 0, .077);
  clutter_box (m, .014, .012, .01);
}

static void
plane (ClutterMaker *m)
{
  clutter_paint (m, 210, 210, 220);
  clutter_place (m, 2, 0, 0, 0, .03);
  clutter_ball (m, .075, .018, .018);
  clutter_paint (m, 60, 80, 180);
  clutter_place (m, 0, 6, .012, 0, .026);
  clutter_box (m, .018, .07, .004);
  clutter_place (m, 1, -20, -.06, 0, .055);
  clutter_box (m, .01, .004, .024);
  clutter_place (m, 2, 0, -.062, 0, .036);
  clutter_box (m, .01, .028, .004);
}

static void
tee (ClutterMaker *m)
{
  clutter_paint (m, 170, 110, 180);
  clutter_place (m, 1, 90, 0, 0, .024);
  clutter_cone (m, .02, .02, .055, CLUTTER_SIDES);
  clutter_place (m, 2, 0, .012, 0, .06);
  clutter_cone (m, .017, .017, .034, CLUTTER_SIDES);
  clutter_paint (m, 110, 70, 120);
  clutter_place (m, 1, 90, .05, 0, .024);
  clutter_cone (m, .027, .027, .009, 8);
}

const char *const clutter_solids[] = {"mug", "bottle", "duck", "bracket",
    "drill", "house", "pan", "camera", "plane", "tee", NULL};

static void (*const makers[]) (ClutterMaker *) = {
    mug, bottle, duck, bracket, drill, house, pan, camera, plane, tee};

const char *
clutter_solid_mesh (Mesh *mesh, const char *name)
{
  ClutterMaker m = {.mesh = mesh};
  int i = 0;

  memset (mesh, 0, sizeof *mesh);
  while (clutter_solids[i] && strcmp (clutter_solids[i], name))
    i++;
  if (!clutter_solids[i])
    return "there is no such solid: mug, bottle, duck, bracket, drill, house, "
           "pan, camera, plane and tee are";
  mesh->x = malloc (3 * CLUTTER_ROOM * sizeof *mesh->x);
  mesh->colour = malloc (3 * CLUTTER_ROOM);
  mesh->triangles = malloc (6 * CLUTTER_ROOM * sizeof *mesh->triangles);
  if (!mesh->x || !mesh->colour || !mesh->triangles) {
    mesh_free (mesh);
    return "out of memory";
  }
  makers[i](&m);
  return NULL;
}
