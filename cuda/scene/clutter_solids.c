/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The solids of the scene `clutter`: objects of 8 to 16 cm, some with a
 * symmetry, most without. */
#include "scene/clutter_core.h"

#include <stdlib.h>

#include "common/device.h"

#define SIDES 40 /* of round parts */
/* The most vertices of a solid; it has up to twice as many triangles. */
#define ROOM 6000
#define PROFILE 16 /* points of a ball's profile */

/* ---- Parts: boxes, and profiles that are turned ---- */

/* Adds parts, one after the other, to a mesh that has room for them. */
typedef struct {
  Mesh *mesh;
  Pose64 pose; /* of the next part */
  uint8_t rgb[3];
} Maker;

/* Sets the colour of the next parts. */
static void
set_part_colour (Maker *m, uint8_t r, uint8_t g, uint8_t b)
{
  m->rgb[0] = r, m->rgb[1] = g, m->rgb[2] = b;
}

/* Sets the pose of the next parts: rotated by @degrees about @axis, then
 * moved. */
static void
set_part_pose (Maker *m, int axis, double degrees, double x, double y, double z)
{
  uint32_t turn = (uint32_t) (int64_t) (degrees / 360 * 4294967296.);

  m->pose = rgbd_pose_of (axis, turn, x, y, z);
}

static uint32_t
add_part_vertex (Maker *m, double x, double y, double z)
{
  double p[3] = {x, y, z}, q[3];
  uint32_t i = m->mesh->n++;

  rgbd_pose_apply (&m->pose, p, q);
  for (int k = 0; k < 3; k++) {
    m->mesh->x[3 * i + k] = (float) q[k];
    m->mesh->colour[3 * i + k] = m->rgb[k];
  }
  return i;
}

static void
add_part_triangle (Maker *m, uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t *t = m->mesh->triangles + 3 * m->mesh->n_triangles++;

  t[0] = a, t[1] = b, t[2] = c;
}

/* Adds a box, by its half sizes. */
static void
add_solid_box (Maker *m, double x, double y, double z)
{
  static const uint8_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6},
      {5, 7, 6}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2},
      {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  uint32_t first = m->mesh->n;

  for (int i = 0; i < 8; i++)
    add_part_vertex (m, i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
  for (int i = 0; i < 12; i++)
    add_part_triangle (
        m, first + faces[i][0], first + faces[i][1], first + faces[i][2]);
}

/* Joins two rings of @sides corners; an end may be one corner instead of a
 * ring. */
static void
join_rings (Maker *m, uint32_t low, bool low_end, uint32_t high, bool high_end,
    int sides)
{
  for (int i = 0; i < sides; i++) {
    uint32_t j = (uint32_t) ((i + 1) % sides), k = (uint32_t) i;

    if (!low_end)
      add_part_triangle (m, low + k, low + j, high_end ? high : high + j);
    if (!high_end)
      add_part_triangle (m, low_end ? low : low + k, high + j, high + k);
  }
}

/* Turns a profile of radius and height about z; it begins and ends on the axis,
 * and the inside is on its left.  @flat is the width along y divided by the
 * width along x. */
static void
add_lathed (Maker *m, const double (*profile)[2], int n, int sides, double flat)
{
  uint32_t before = 0;
  bool was_end = false;

  for (int k = 0; k < n; k++) {
    double r = profile[k][0];
    bool end = !(r > 0);
    uint32_t ring = m->mesh->n;

    for (int i = 0; i < (end ? 1 : sides); i++) {
      uint32_t turn = (uint32_t) ((uint64_t) i * 4294967296ull / sides);

      add_part_vertex (m, r * math_sin_turn (turn + (1u << 30)),
          flat * r * math_sin_turn (turn), profile[k][1]);
    }
    if (k > 0)
      join_rings (m, before, was_end, ring, end, sides);
    before = ring;
    was_end = end;
  }
}

/* Adds an ellipsoid, by its half axes. */
static void
add_ball (Maker *m, double x, double y, double z)
{
  double profile[PROFILE][2];

  for (int i = 0; i < PROFILE; i++) {
    uint32_t turn =
        (uint32_t) ((int64_t) i * 2147483648ll / (PROFILE - 1)) - (1u << 30);
    bool end = i == 0 || i == PROFILE - 1;

    profile[i][0] = end ? 0 : x * math_sin_turn (turn + (1u << 30));
    profile[i][1] = z * math_sin_turn (turn);
  }
  add_lathed (m, profile, PROFILE, SIDES, y / x);
}

/* Adds a cone along z, from radius @low to @high. */
static void
add_cone (Maker *m, double low, double high, double half, int sides)
{
  const double profile[4][2] = {
      {0, -half}, {low, -half}, {high, half}, {0, half}};

  add_lathed (m, profile, 4, sides, 1);
}

/* ---- The solids ---- */

static void
make_mug (Maker *m)
{
  static const double cup[][2] = {{0, 0}, {.036, 0}, {.04, .006}, {.041, .095},
      {.037, .095}, {.036, .008}, {0, .007}};

  set_part_colour (m, 200, 60, 50);
  set_part_pose (m, 2, 0, 0, 0, 0);
  add_lathed (m, cup, 7, SIDES, 1);
  set_part_pose (m, 2, 0, .055, 0, .076);
  add_solid_box (m, .018, .006, .006);
  set_part_pose (m, 2, 0, .067, 0, .05);
  add_solid_box (m, .006, .006, .032);
  set_part_pose (m, 2, 0, .055, 0, .024);
  add_solid_box (m, .018, .006, .006);
}

static void
make_bottle (Maker *m)
{
  static const double glass[][2] = {{0, 0}, {.03, 0}, {.032, .004}, {.032, .09},
      {.03, .1}, {.014, .12}, {.012, .145}, {.014, .146}, {.014, .16},
      {0, .16}};

  set_part_colour (m, 40, 130, 70);
  set_part_pose (m, 2, 0, 0, 0, 0);
  add_lathed (m, glass, 10, SIDES, 1);
}

static void
make_duck (Maker *m)
{
  set_part_colour (m, 230, 190, 30);
  set_part_pose (m, 2, 0, 0, 0, .035);
  add_ball (m, .05, .036, .034);
  set_part_pose (m, 2, 0, .033, 0, .08);
  add_ball (m, .025, .024, .025);
  set_part_pose (m, 1, 35, -.045, 0, .05);
  add_ball (m, .026, .018, .01);
  set_part_colour (m, 220, 100, 20);
  set_part_pose (m, 2, 0, .062, 0, .076);
  add_ball (m, .014, .012, .005);
}

static void
make_bracket (Maker *m)
{
  set_part_colour (m, 120, 125, 135);
  set_part_pose (m, 2, 0, 0, 0, .012);
  add_solid_box (m, .055, .032, .012);
  set_part_pose (m, 2, 0, -.043, 0, .055);
  add_solid_box (m, .012, .032, .05);
  set_part_pose (m, 2, 0, .03, .015, .034);
  add_cone (m, .015, .01, .014, 6);
}

static void
make_drill (Maker *m)
{
  set_part_colour (m, 30, 120, 160);
  set_part_pose (m, 1, 90, 0, 0, .115);
  add_cone (m, .026, .022, .045, SIDES);
  set_part_pose (m, 1, 12, -.025, 0, .065);
  add_solid_box (m, .016, .014, .045);
  set_part_colour (m, 40, 40, 45);
  set_part_pose (m, 2, 0, -.028, 0, .014);
  add_solid_box (m, .036, .025, .014);
  set_part_pose (m, 1, 90, .06, 0, .115);
  add_cone (m, .014, .006, .022, SIDES);
}

static void
make_house (Maker *m)
{
  set_part_colour (m, 190, 160, 120);
  set_part_pose (m, 2, 0, 0, 0, .025);
  add_solid_box (m, .045, .03, .025);
  set_part_colour (m, 150, 50, 40);
  set_part_pose (m, 0, 45, 0, 0, .05);
  add_solid_box (m, .049, .0215, .0215);
  set_part_colour (m, 90, 60, 50);
  set_part_pose (m, 2, 0, .028, .012, .08);
  add_solid_box (m, .008, .008, .02);
}

static void
make_pan (Maker *m)
{
  static const double bowl[][2] = {
      {0, 0}, {.04, 0}, {.052, .035}, {.049, .036}, {.037, .004}, {0, .003}};

  set_part_colour (m, 60, 60, 70);
  set_part_pose (m, 2, 0, 0, 0, 0);
  add_lathed (m, bowl, 6, SIDES, 1);
  set_part_colour (m, 140, 80, 40);
  set_part_pose (m, 1, -8, .09, 0, .034);
  add_solid_box (m, .044, .008, .006);
}

static void
make_camera (Maker *m)
{
  set_part_colour (m, 50, 50, 60);
  set_part_pose (m, 2, 0, 0, 0, .035);
  add_solid_box (m, .055, .02, .035);
  set_part_colour (m, 160, 160, 170);
  set_part_pose (m, 0, 90, -.008, -.034, .034);
  add_cone (m, .024, .028, .018, SIDES);
  set_part_pose (m, 2, 0, .036, 0, .077);
  add_cone (m, .012, .012, .008, SIDES);
  set_part_pose (m, 2, 0, -.03, 0, .077);
  add_solid_box (m, .014, .012, .01);
}

static void
make_plane (Maker *m)
{
  set_part_colour (m, 210, 210, 220);
  set_part_pose (m, 2, 0, 0, 0, .03);
  add_ball (m, .075, .018, .018);
  set_part_colour (m, 60, 80, 180);
  set_part_pose (m, 0, 6, .012, 0, .026);
  add_solid_box (m, .018, .07, .004);
  set_part_pose (m, 1, -20, -.06, 0, .055);
  add_solid_box (m, .01, .004, .024);
  set_part_pose (m, 2, 0, -.062, 0, .036);
  add_solid_box (m, .01, .028, .004);
}

static void
make_tee (Maker *m)
{
  set_part_colour (m, 170, 110, 180);
  set_part_pose (m, 1, 90, 0, 0, .024);
  add_cone (m, .02, .02, .055, SIDES);
  set_part_pose (m, 2, 0, .012, 0, .06);
  add_cone (m, .017, .017, .034, SIDES);
  set_part_colour (m, 110, 70, 120);
  set_part_pose (m, 1, 90, .05, 0, .024);
  add_cone (m, .027, .027, .009, 8);
}

const char *const clutter_solids[] = {"mug", "bottle", "duck", "bracket",
    "drill", "house", "pan", "camera", "plane", "tee", NULL};

static void (*const makers[]) (Maker *) = {make_mug, make_bottle, make_duck,
    make_bracket, make_drill, make_house, make_pan, make_camera, make_plane,
    make_tee};

const char *
clutter_solid_mesh (Mesh *mesh, const char *name)
{
  Maker m = {.mesh = mesh};
  int i = 0;

  memset (mesh, 0, sizeof *mesh);
  while (clutter_solids[i] && strcmp (clutter_solids[i], name))
    i++;
  if (!clutter_solids[i])
    return "there is no such solid; the solids are mug, bottle, duck, bracket, "
           "drill, house, pan, camera, plane and tee";
  mesh->x = malloc (3 * ROOM * sizeof *mesh->x);
  mesh->colour = malloc (3 * ROOM);
  mesh->triangles = malloc (6 * ROOM * sizeof *mesh->triangles);
  if (!mesh->x || !mesh->colour || !mesh->triangles) {
    mesh_free (mesh);
    return OUT_OF_MEMORY (
        ROOM * (3 * sizeof *mesh->x + 3 + 6 * sizeof *mesh->triangles), "");
  }
  makers[i](&m);
  return NULL;
}
