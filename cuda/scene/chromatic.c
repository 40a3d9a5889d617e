/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `chromatic`: its memory, and the order in which a picture is
 * made. */
#include "scene/chromatic_core.h"

#include <stdlib.h>

#include "common/device.h"

static const char *
allocate_chromatic (Chromatic *s)
{
  size_t pixels = (size_t) s->width * s->height;
  size_t cells = (size_t) (s->width / 16 + 2) * (s->height / 16 + 2);
  DeviceMemory *m = &s->memory;

  TRY (memory_get (m, &s->rgb, 3 * pixels));
  TRY (memory_get (m, &s->labels, pixels));
  TRY (memory_get (m, &s->ground, pixels));
  return memory_get (m, &s->clouds, cells);
}

const char *
chromatic_new (Chromatic **scene, int width, int height)
{
  const char *err;
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
  memory_open (&s->memory, device_host ());
  err = allocate_chromatic (s);
  if (err) {
    chromatic_free (s);
    return err;
  }
  *scene = s;
  return NULL;
}

void
chromatic_free (Chromatic *s)
{
  if (s)
    memory_free (&s->memory);
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
