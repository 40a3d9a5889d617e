/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The picture: paint, one lamp and its shadows, grain on the table, noise.  A
 * point is in shadow if its way to the lamp passes below the field of heights
 * of the bodies. */
#include "scene/clutter_core.h"

#include "common/parallel.h"
#include "common/random.h"

#define GREY 150 /* of surfaces without colour */

/* The direction to the lamp in the world, of length 1. */
static const double lamp[3] = {.36, -.48, .8};

/* Steps on the way to the lamp, metres, and its distance from the surface. */
#define STEP .004
#define WAY .3
#define LIFT .007

typedef struct {
  const Clutter *scene;
  const ClutterPlan *plan;
  const Image *img;
  double m[3][3];      /* the camera's axes in the world */
  uint64_t key, grain; /* of the noise, and of the table's grain */
  int16_t noise[SCENE_NOISE];
} Picture;

static bool
is_lit (const ClutterPile *pile, const double p[3], const double n[3])
{
  double q[3];

  for (int k = 0; k < 3; k++)
    q[k] = p[k] + LIFT * (n[k] + lamp[k]);
  for (double way = 0; way < WAY; way += STEP)
    if (clutter_height (pile, q[0] + way * lamp[0], q[1] + way * lamp[1]) >
        q[2] + way * lamp[2])
      return false;
  return true;
}

/* A number of -1/2 to 1/2 on a grid of cells of the table, smooth between the
 * corners. */
static double
table_grain (uint64_t key, double x, double y)
{
  double u = floor (x), v = floor (y), a = x - u, b = y - v, n[4];
  uint64_t at = (uint64_t) (int64_t) v << 32;

  for (int k = 0; k < 4; k++)
    n[k] = (double) random_unit (key,
        at + ((uint64_t) (k / 2) << 32) + (uint32_t) ((int64_t) u + k % 2));
  a = a * a * (3 - 2 * a), b = b * b * (3 - 2 * b);
  return (n[0] * (1 - a) + n[1] * a) * (1 - b) +
      (n[2] * (1 - a) + n[3] * a) * b - .5;
}

/* Paints wood: grain that is long along x. */
static void
paint_table (const Picture *c, const double p[3], double rgb[3])
{
  static const double wood[3] = {176, 150, 118};
  double g = 34 * table_grain (c->grain, 8 * p[0], 120 * p[1]) +
      22 * table_grain (~c->grain, 160 * p[0], 160 * p[1]);

  for (int k = 0; k < 3; k++)
    rgb[k] = wood[k] + g;
}

/* Interpolates the colour between the corners of a triangle, and finds its
 * normal in the camera's axes, on the camera's side. */
static void
paint_body (const Picture *c, size_t at, const double ray[3], double rgb[3],
    double normal[3])
{
  const ClutterBody *b = &c->scene->body[c->scene->labels[at] - 1];
  const Mesh *mesh = &c->scene->shape[b->shape].mesh;
  const uint32_t *corner =
      mesh->triangles + 3 * (size_t) c->scene->triangle[at];
  const double *p[3];
  double part[3], sum = 0, d[2][3], n;

  for (int k = 0; k < 3; k++)
    p[k] = c->scene->vertex[b->vertices + corner[k]].x;
  for (int k = 0; k < 3; k++) {
    double side[3];

    clutter_cross (p[(k + 1) % 3], p[(k + 2) % 3], side);
    part[k] = clutter_dot (side, ray);
    sum += part[k];
    d[0][k] = p[1][k] - p[0][k], d[1][k] = p[2][k] - p[0][k];
  }
  for (int i = 0; i < 3; i++) {
    rgb[i] = mesh->colour ? 0 : GREY;
    for (int k = 0; k < 3 && mesh->colour; k++)
      rgb[i] += part[k] / sum * mesh->colour[3 * (size_t) corner[k] + i];
  }
  clutter_cross (d[0], d[1], normal);
  n = sqrt (clutter_dot (normal, normal));
  n = clutter_dot (normal, ray) > 0 ? -n : n;
  for (int k = 0; k < 3; k++)
    normal[k] /= n;
}

static void
shade_pixel (const Picture *c, int x, int y, double rgb[3])
{
  const ClutterPlan *plan = c->plan;
  size_t at = (size_t) y * c->scene->width + x;
  double ray[3], p[3], n[3] = {0, 0, 1}, seen[3], face, light = .5;
  double z = c->scene->z[at] < 1e4f ? (double) c->scene->z[at] : 1e4;

  clutter_ray (plan, x, y, ray);
  for (int k = 0; k < 3; k++)
    p[k] = z * clutter_dot (c->m[k], ray) + plan->camera.t[k];
  if (!c->scene->labels[at]) {
    paint_table (c, p, rgb);
  } else {
    paint_body (c, at, ray, rgb, seen);
    for (int k = 0; k < 3; k++)
      n[k] = clutter_dot (c->m[k], seen);
  }
  face = clutter_dot (n, lamp);
  if (face > 0)
    light += .6 * face * (is_lit (c->scene->pile, p, n) ? 1 : .2);
  for (int k = 0; k < 3; k++)
    rgb[k] *= light;
}

static void
shade_clutter_row (const Picture *c, int y)
{
  uint8_t *rgb = c->scene->rgb + (size_t) y * c->scene->width * 3;

  for (int x = 0; x < c->scene->width; x++, rgb += 3) {
    uint64_t bits = random_u64 (c->key, (uint64_t) y << 32 | (uint64_t) x);
    double v[3];

    shade_pixel (c, x, y, v);
    for (int k = 0; k < 3; k++, bits >>= 20) {
      int level = (int) (v[k] * 16 + .5) + c->noise[bits % SCENE_NOISE] + 8;

      rgb[k] = (uint8_t) (level < 0 ? 0 : level > 4095 ? 255 : level >> 4);
    }
  }
}

static void
shade_clutter_pairs (void *data, int begin, int end)
{
  const Picture *c = data;

  for (int y = 2 * begin; y < 2 * end; y += 2) {
    for (int i = y; i < y + 2 && i < c->scene->height; i++)
      shade_clutter_row (c, i);
    scene_put_rows (c->img, c->scene->rgb, y);
  }
}

void
clutter_shade (Clutter *s, const ClutterPlan *plan, const ClutterParams *params,
    uint64_t number, const Image *img)
{
  Picture c = {.scene = s,
      .plan = plan,
      .img = img,
      .key = random_u64 (random_u64 (params->seed, number), 1),
      .grain = random_u64 (s->dropped, 3)};

  quat64_matrix (plan->camera.q, c.m);
  scene_make_noise (params->noise, c.noise);
  parallel_for ((s->height + 1) / 2, 4, shade_clutter_pairs, &c);
}
