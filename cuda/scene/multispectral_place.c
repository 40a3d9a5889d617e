/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The ground, and the surfaces on it. */
#include "scene/multispectral_core.h"

#include <string.h>

#include "common/parallel.h"
#include "common/random.h"

static double
clamp_part (double v, double lo, double hi)
{
  return v < lo ? lo : v > hi ? hi : v;
}

/* Lays a row of the ground: spots about as large as targets, of neighbouring
 * materials, and grain. */
static void
lay_material_row (const Multispectral *s, uint64_t seed, int y)
{
  int side = s->width < s->height ? s->width : s->height;
  float spots[MULTISPECTRAL_MAX_SIZE], grain[MULTISPECTRAL_MAX_SIZE];
  float weight = 1;

  memset (spots, 0, s->width * sizeof *spots);
  memset (grain, 0, s->width * sizeof *grain);
  for (int octave = 0; octave < 4; octave++, weight *= .6f) {
    int size = side / (6 << octave), small = side / (32 << octave);

    scene_add_grain (spots, s->width, y, random_u64 (~seed, octave),
        size > 2 ? size : 2, weight);
    scene_add_grain (grain, s->width, y, random_u64 (~seed, 4 + octave),
        small > 2 ? small : 2, weight);
  }
  for (int x = 0; x < s->width; x++) {
    const int last = MULTISPECTRAL_MATERIALS - 1;
    double v = clamp_part ((.5 + spots[x] / 1.3) * last, 0, last - 1e-6);
    MultispectralGround *g = &s->ground[(size_t) y * s->width + x];

    g->first = (uint8_t) v;
    /* a narrow seam between two materials */
    g->part = (uint8_t) (255 * clamp_part ((v - g->first - .5) * 5 + .5, 0, 1));
    g->grain = (uint8_t) (255 * clamp_part (.5 + grain[x] / 1.6, 0, 1));
  }
}

static void
lay_material_rows (void *data, int begin, int end)
{
  const Multispectral *s = data;

  for (int y = begin; y < end; y++)
    lay_material_row (s, s->ground_seed, y);
}

void
multispectral_lay (Multispectral *s, uint64_t seed)
{
  if (s->has_ground && s->ground_seed == seed)
    return;
  s->ground_seed = seed;
  parallel_for (s->height, 0, lay_material_rows, s);
  s->has_ground = true;
}

ChromaticParams
multispectral_ways (const MultispectralParams *p)
{
  return (ChromaticParams){.scene = p->scene};
}

ImageBox
multispectral_bounds (const Multispectral *s, const ChromaticPlace *p)
{
  return (ImageBox){(int) clamp_part (ceil (p->x - p->radius), 0, s->width),
      (int) clamp_part (ceil (p->y - p->radius), 0, s->height),
      (int) clamp_part (floor (p->x + p->radius) + 1, 0, s->width),
      (int) clamp_part (floor (p->y + p->radius) + 1, 0, s->height)};
}

/* Returns the number of pixels that the shape covers. */
static uint64_t
put_shape_surface (Multispectral *s, const ChromaticPlace *p, int surface)
{
  ImageBox b = multispectral_bounds (s, p);
  uint64_t area = 0;

  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++) {
      double dx = x - p->x, dy = y - p->y;

      if (chromatic_distance (p->shape, p->radius, p->cos * dx + p->sin * dy,
              p->cos * dy - p->sin * dx) > 0)
        continue;
      s->surfaces[(size_t) y * s->width + x] = (uint16_t) surface;
      area++;
    }
  return area;
}

static void
put_pillar_surface (Multispectral *s, const ChromaticPlan *plan)
{
  int wide = plan->pillar1 - plan->pillar0;

  for (int x = plan->pillar0; x < plan->pillar1; x++) {
    /* -1 to 1 across the pillar */
    double q = (2. * (x - plan->pillar0) + 1) / wide - 1;

    s->pillar[x] = 1 - .4 * (q + .35) * (q + .35);
    for (int y = 0; y < s->height; y++)
      s->surfaces[(size_t) y * s->width + x] = MULTISPECTRAL_PILLAR;
  }
}

void
multispectral_place (
    Multispectral *s, const ChromaticPlan *plan, uint64_t number)
{
  const ChromaticParams *p = plan->params;
  ChromaticPlace place;
  int object;

  memset (s->surfaces, MULTISPECTRAL_GROUND,
      (size_t) s->width * s->height * sizeof *s->surfaces);
  for (int k = 0; k < p->distractors; k++)
    if (chromatic_patch (plan, k, number, &place, &object))
      put_shape_surface (s, &place, MULTISPECTRAL_OBJECTS + p->n_objects + k);
  for (int i = 0; i < p->n_objects; i++) {
    place = chromatic_place (plan, i, number);
    s->full_area[i] = put_shape_surface (s, &place, MULTISPECTRAL_OBJECTS + i);
  }
  if (p->occlusion)
    put_pillar_surface (s, plan);
}
