/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `chromatic`: its memory, and the order in which a picture is
 * made. */
#include "scene/chromatic_core.h"

#include <stdlib.h>

#include "common/device.h"

const char *
chromatic_new (Chromatic **scene, int width, int height)
{
  size_t pixels = (size_t) width * height;
  size_t cells = (size_t) (width / 16 + 2) * (height / 16 + 2);
  Chromatic *s;

  *scene = NULL;
  if (width < 1 || height < 1 || width > CHROMATIC_MAX_SIZE ||
      height > CHROMATIC_MAX_SIZE)
    return "a scene is 1 to 16384 pixels wide and high";
  s = calloc (1, sizeof *s);
  if (!s)
    return OUT_OF_MEMORY (sizeof *s, "");
  s->width = width;
  s->height = height;
  s->rgb = malloc (pixels * 3);
  s->labels = malloc (pixels * sizeof *s->labels);
  s->ground = malloc (pixels);
  s->clouds = malloc (cells * sizeof *s->clouds);
  if (!s->rgb || !s->labels || !s->ground || !s->clouds) {
    chromatic_free (s);
    return OUT_OF_MEMORY (
        pixels * (3 + sizeof *s->labels + 1) + cells * sizeof *s->clouds, "");
  }
  *scene = s;
  return NULL;
}

void
chromatic_free (Chromatic *s)
{
  if (!s)
    return;
  free (s->rgb);
  free (s->labels);
  free (s->ground);
  free (s->clouds);
  free (s);
}

static const char *
check_chromatic (const Chromatic *s, const ChromaticParams *p, const Image *img)
{
  TRY (params_check (scene_params, &p->scene));
  TRY (params_check (chromatic_params, p));
  if (img->width != s->width || img->height != s->height)
    return "the frame has another size than the scene";
  return NULL;
}

static void
paint_chromatic (Chromatic *s, const ChromaticPlan *plan, uint64_t number)
{
  const ChromaticParams *p = plan->params;
  bool flat = p->n_objects > CHROMATIC_NAMED;
  ChromaticPlace place;
  int object;

  chromatic_draw_ground (s, p);
  for (int k = 0; k < p->distractors + p->twins; k++)
    if (chromatic_patch (plan, k, number, &place, &object)) {
      const ChromaticColour *c = &s->palette[object];

      chromatic_draw_shape (
          s, &place, k < p->distractors ? c->alike : c->paint, flat, 0);
    }
  for (int i = 0; i < p->n_objects; i++) {
    place = chromatic_place (plan, i, number);
    chromatic_draw_shadow (s, &place, p->shadows);
    s->full_area[i] =
        chromatic_draw_shape (s, &place, s->palette[i].paint, flat, i + 1);
  }
  if (p->occlusion)
    chromatic_draw_pillar (s, plan, p->shadows);
}

static SceneObject
object_truth (Chromatic *s, const ChromaticPlan *plan, int i, uint64_t number)
{
  ChromaticPlace now = chromatic_place (plan, i, number);
  ChromaticPlace next = chromatic_place (plan, i, number + 1);
  SceneObject o = {.id = i,
      .label = s->palette[i].name,
      .full_area = s->full_area[i],
      .vx = next.x - now.x,
      .vy = next.y - now.y};

  scene_measure (&o, s->labels, s->width,
      chromatic_bounds (s, now.x, now.y, now.radius + 1), (uint16_t) (i + 1));
  return o;
}

const char *
chromatic_render (Chromatic *s, const ChromaticParams *params, uint64_t number,
    const Image *img, SceneObject *objects, uint16_t *labels)
{
  const char *err = check_chromatic (s, params, img);
  ChromaticPlan plan;

  if (err)
    return err;
  plan = chromatic_plan (params, s->width, s->height);
  if (s->n_colours != params->n_objects)
    chromatic_palette (params->n_objects, s->palette);
  s->n_colours = params->n_objects;
  paint_chromatic (s, &plan, number);
  for (int i = 0; objects && i < params->n_objects; i++)
    objects[i] = object_truth (s, &plan, i, number);
  for (size_t i = 0; labels && i < (size_t) s->width * s->height; i++)
    labels[i] = s->labels[i];
  chromatic_develop (s, params, number, img);
  return NULL;
}
