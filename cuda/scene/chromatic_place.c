/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The places of objects and patches.  Their paths are sums of sinusoids whose
 * phases are 32-bit fractions of a turn: phases wrap without loss, so that
 * large frame numbers are as good as small ones. */
#include "scene/chromatic_core.h"

#include "common/random.h"

#define TWO_PI 6.283185307179586

/* The numbers that are drawn for an object or a patch, in the order of the
 * counters. */
enum {
  SIZE,
  WAY_X,
  RATE_X,
  PHASE_X,
  WAY_Y,
  RATE_Y,
  PHASE_Y,
  RATE_Y2,
  PHASE_Y2,
  SPIN,
  ANGLE,
  REST,
  PERIOD
};

/* A random number of 0 to 1. */
static double
draw_number (uint64_t key, int what)
{
  return random_unit (key, (uint64_t) what);
}

/* The phase after @number frames of @rate turns each. */
static uint32_t
phase_of_frame (uint64_t key, int what, double rate, uint64_t number)
{
  return scene_turns (draw_number (key, what)) +
      (uint32_t) (number * scene_turns (rate));
}

static void
fit_cells (ChromaticPlan *p)
{
  for (int columns = 1; columns <= p->params->n_objects; columns++) {
    int rows = (p->params->n_objects + columns - 1) / columns;
    double w = (double) p->width / columns, h = (double) p->height / rows;
    double cell = w < h ? w : h;

    if (cell > p->cell)
      p->cell = cell, p->columns = columns, p->rows = rows;
  }
}

/* The radius of the circle, in a cell, that no other object enters. */
static double
own_circle (const ChromaticPlan *p)
{
  return p->cell / 2 - (p->cell < 24 ? p->cell / 8 : 3);
}

ChromaticPlan
chromatic_plan (const ChromaticParams *params, int width, int height)
{
  ChromaticPlan p = {.params = params, .width = width, .height = height};
  double side = width < height ? width : height, crowd, pillar, middle;

  fit_cells (&p);
  if (!params->occlusion) {
    p.radius = .6 * own_circle (&p);
    p.radius = p.radius < .12 * side ? p.radius : .12 * side;
    return p;
  }
  crowd = .25 * sqrt ((double) width * height / params->n_objects);
  p.radius = crowd < .08 * side ? crowd : .08 * side;
  /* as wide as the largest object, which the pillar hides for a moment; it
   * hides smaller or turned objects for longer */
  pillar = 2 * p.radius + 1;
  pillar = pillar < width / 3. ? pillar : width / 3.;
  middle = width * (.5 + .2 * (draw_number (params->seed, PERIOD) - .5));
  p.pillar0 = (int) (middle - pillar / 2);
  p.pillar1 = (int) (middle + pillar / 2);
  return p;
}

/* Moves over the whole frame.  Across it, the path is one sinusoid of nearly
 * the same top speed for all objects, so that an object is fast when it passes
 * the pillar, near the middle. */
static void
roam_over_frame (const ChromaticPlan *p, uint64_t key, uint64_t number,
    ChromaticPlace *place)
{
  double wx = p->width / 2. - place->radius - 1;
  double wy = p->height / 2. - place->radius - 1;
  double step = p->params->speed / 150 / TWO_PI, rate;

  wx = (wx > p->width / 8. ? wx : p->width / 8.) *
      (.86 + .14 * draw_number (key, WAY_X));
  wy = (wy > p->height / 8. ? wy : p->height / 8.) *
      (.86 + .14 * draw_number (key, WAY_Y));
  rate = step * p->width / wx * (.9 + .2 * draw_number (key, RATE_X));
  place->x = (p->width - 1) / 2. +
      wx * math_sin_turn (phase_of_frame (key, PHASE_X, rate, number));
  rate = step * p->height / wy * (.6 + .6 * draw_number (key, RATE_Y));
  place->y = (p->height - 1) / 2. +
      .8 * wy * math_sin_turn (phase_of_frame (key, PHASE_Y, rate, number));
  rate *= 1.5 + draw_number (key, RATE_Y2);
  place->y +=
      .2 * wy * math_sin_turn (phase_of_frame (key, PHASE_Y2, rate, number));
}

/* Moves within the circle inscribed in the object's own cell. */
static void
stay_in_cell (const ChromaticPlan *p, int object, uint64_t key, uint64_t number,
    ChromaticPlace *place)
{
  double way = own_circle (p) - place->radius;
  double rate = p->params->speed / 150 / TWO_PI * p->width / way;
  double max = p->params->speed / 90, out;
  uint32_t around;

  rate = (rate < max ? rate : max) * (.8 + .2 * draw_number (key, RATE_X));
  if (draw_number (key, WAY_X) < .5f)
    rate = -rate;
  around = phase_of_frame (key, PHASE_X, rate, number);
  out = .6 +
      .4 * math_sin_turn (phase_of_frame (key, PHASE_Y, rate * .37, number));
  place->x = (object % p->columns + .5) * p->width / p->columns - .5 +
      way * out * math_sin_turn (around + (1u << 30));
  place->y = (object / p->columns + .5) * p->height / p->rows - .5 +
      way * out * math_sin_turn (around);
}

static void
set_turn (ChromaticPlace *place, uint32_t angle)
{
  place->sin = math_sin_turn (angle);
  place->cos = math_sin_turn (angle + (1u << 30));
}

ChromaticPlace
chromatic_place (const ChromaticPlan *p, int object, uint64_t number)
{
  uint64_t key = random_u64 (p->params->seed, (uint64_t) object);
  double spin = p->params->speed / 240 * (2 * draw_number (key, SPIN) - 1);
  ChromaticPlace place = {.shape = object % CHROMATIC_SHAPES,
      .radius = p->radius * (.88 + .12 * draw_number (key, SIZE))};

  if (p->params->occlusion)
    roam_over_frame (p, key, number, &place);
  else
    stay_in_cell (p, object, key, number, &place);
  set_turn (&place, phase_of_frame (key, ANGLE, spin, number));
  return place;
}

/* A corner of the cells, which no object's own circle reaches, pulled into the
 * frame. */
static void
cell_corner (
    const ChromaticPlan *p, uint64_t key, int which, ChromaticPlace *place)
{
  double x = random_below (key, 2 * which, p->columns + 1);
  double y = random_below (key, 2 * which + 1, p->rows + 1);
  double in = place->radius + 1;

  x = x * p->width / p->columns - .5;
  y = y * p->height / p->rows - .5;
  place->x = x < in ? in : x > p->width - 1 - in ? p->width - 1 - in : x;
  place->y = y < in ? in : y > p->height - 1 - in ? p->height - 1 - in : y;
}

bool
chromatic_patch (const ChromaticPlan *p, int k, uint64_t number,
    ChromaticPlace *place, int *object)
{
  bool twin = k >= p->params->distractors;
  uint64_t key = random_u64 (~p->params->seed, (uint64_t) k);
  uint64_t period = 90 + (uint64_t) (60 * draw_number (key, PERIOD));
  uint64_t late = (uint64_t) (period * draw_number (key, REST));
  uint64_t visit = (number + late) / period, here = period * 2 / 5;
  ChromaticPlace own, best = {0};
  double far = -1, size;

  *object = (twin ? k - p->params->distractors : k) % p->params->n_objects;
  if ((number + late) % period >= here)
    return false;
  own = chromatic_place (p, *object, visit * period + here / 2 - late);
  size = p->params->occlusion ? .35 * p->radius : .07 * p->cell;
  best.radius = size < .35 * p->radius ? size : .35 * p->radius;
  for (int i = 0; i < (twin ? 8 : 1); i++) {
    ChromaticPlace at = best;
    double dx, dy;

    cell_corner (p, random_u64 (key, REST + visit), i, &at);
    dx = at.x - own.x, dy = at.y - own.y;
    if (dx * dx + dy * dy > far)
      far = dx * dx + dy * dy, best = at;
  }
  *place = best;
  place->shape = k % 2 ? CHROMATIC_ELLIPSE : CHROMATIC_BOX;
  set_turn (place, scene_turns (draw_number (key, ANGLE)));
  return true;
}
