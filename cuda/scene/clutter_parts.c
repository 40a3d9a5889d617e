/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What solids are made of: boxes, and profiles that are turned. */
#include "scene/clutter_parts.h"

#define PROFILE 16

void
clutter_paint (ClutterMaker *m, uint8_t r, uint8_t g, uint8_t b)
{
  m->rgb[0] = r, m->rgb[1] = g, m->rgb[2] = b;
}

void
clutter_place (
    ClutterMaker *m, int axis, double degrees, double x, double y, double z)
{
  uint32_t turn = (uint32_t) (int64_t) (degrees / 360 * 4294967296.);

  m->pose = rgbd_pose_of (axis, turn, x, y, z);
}

static uint32_t
vertex (ClutterMaker *m, double x, double y, double z)
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
triangle (ClutterMaker *m, uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t *t = m->mesh->triangles + 3 * m->mesh->n_triangles++;

  t[0] = a, t[1] = b, t[2] = c;
}

void
clutter_box (ClutterMaker *m, double x, double y, double z)
{
  static const uint8_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6},
      {5, 7, 6}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7}, {0, 4, 2},
      {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  uint32_t first = m->mesh->n;

  for (int i = 0; i < 8; i++)
    vertex (m, i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
  for (int i = 0; i < 12; i++)
    triangle (m, first + faces[i][0], first + faces[i][1], first + faces[i][2]);
}

/* Joins two rings of @sides corners, or an end that is one corner. */
static void
join (ClutterMaker *m, uint32_t low, bool low_end, uint32_t high, bool high_end,
    int sides)
{
  for (int i = 0; i < sides; i++) {
    uint32_t j = (uint32_t) ((i + 1) % sides), k = (uint32_t) i;

    if (!low_end)
      triangle (m, low + k, low + j, high_end ? high : high + j);
    if (!high_end)
      triangle (m, low_end ? low : low + k, high + j, high + k);
  }
}

void
clutter_lathe (
    ClutterMaker *m, const double (*profile)[2], int n, int sides, double flat)
{
  uint32_t before = 0;
  bool was_end = false;

  for (int k = 0; k < n; k++) {
    double r = profile[k][0];
    bool end = !(r > 0);
    uint32_t ring = m->mesh->n;

    for (int i = 0; i < (end ? 1 : sides); i++) {
      uint32_t turn = (uint32_t) ((uint64_t) i * 4294967296ull / sides);

      vertex (m, r * scene_sin (turn + (1u << 30)), flat * r * scene_sin (turn),
          profile[k][1]);
    }
    if (k > 0)
      join (m, before, was_end, ring, end, sides);
    before = ring;
    was_end = end;
  }
}

void
clutter_ball (ClutterMaker *m, double x, double y, double z)
{
  double profile[PROFILE][2];

  for (int i = 0; i < PROFILE; i++) {
    uint32_t turn =
        (uint32_t) ((int64_t) i * 2147483648ll / (PROFILE - 1)) - (1u << 30);
    bool end = i == 0 || i == PROFILE - 1;

    profile[i][0] = end ? 0 : x * scene_sin (turn + (1u << 30));
    profile[i][1] = z * scene_sin (turn);
  }
  clutter_lathe (m, profile, PROFILE, CLUTTER_SIDES, y / x);
}

void
clutter_cone (ClutterMaker *m, double low, double high, double half, int sides)
{
  const double profile[4][2] = {
      {0, -half}, {low, -half}, {high, half}, {0, half}};

  clutter_lathe (m, profile, 4, sides, 1);
}
