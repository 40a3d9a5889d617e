/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `multispectral`: its memory, the order in which a picture is made,
 * and its truth. */
#include "scene/multispectral_core.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/device.h"

static const char *
allocate_multispectral (Multispectral *s)
{
  size_t pixels = (size_t) s->width * s->height;
  DeviceMemory *m = &s->memory;

  TRY (memory_get (m, &s->ground, pixels));
  TRY (memory_get (m, &s->surfaces, pixels));
  TRY (memory_get (m, &s->pillar, (size_t) s->width));
  TRY (memory_get (m, &s->blacks, MULTISPECTRAL_MAX_OBJECTS));
  TRY (memory_get (m, &s->appearances, MULTISPECTRAL_SURFACES));
  return memory_get (m, &s->rgb, 3 * pixels);
}

const char *
multispectral_new (Multispectral **scene, int width, int height)
{
  const char *err;
  Multispectral *s;

  *scene = NULL;
  if (width < 1 || height < 1 || width > MULTISPECTRAL_MAX_SIZE ||
      height > MULTISPECTRAL_MAX_SIZE)
    return "a scene is 1 to 4096 pixels wide and high";
  s = calloc (1, sizeof *s);
  if (!s)
    return OUT_OF_MEMORY (sizeof *s, "");
  s->width = width;
  s->height = height;
  memory_open (&s->memory, device_host ());
  err = allocate_multispectral (s);
  if (err) {
    multispectral_free (s);
    return err;
  }
  for (int i = 0; i < MULTISPECTRAL_MAX_OBJECTS; i++)
    snprintf (s->label[i], sizeof s->label[i], "target %d", i + 1);
  *scene = s;
  return NULL;
}

void
multispectral_free (Multispectral *s)
{
  if (s)
    memory_free (&s->memory);
  free (s);
}

static const char *
check_multispectral (
    const Multispectral *s, const MultispectralParams *p, const Image *img)
{
  int height = s->height;

  TRY (params_check (scene_params, &p->scene));
  TRY (params_check (multispectral_params, p));
  if (img->format == IMAGE_GRAY8 || img->format == IMAGE_GRAY16) {
    if (p->mosaic && (p->mosaic < 2 || p->mosaic > 4))
      return "the side of a mosaic is 2 to 4";
    if (p->mosaic && (s->width % p->mosaic || s->height % p->mosaic))
      return "a mosaic's sides are no multiples of its pattern's";
    if (!p->mosaic)
      height *= p->channels;
  }
  if (img->width != s->width || img->height != height)
    return "the frame has another size than the scene";
  return NULL;
}

/* Converts surfaces to labels: an object's id + 1. */
static void
surfaces_to_labels (const Multispectral *s, int n_objects, uint16_t *labels)
{
  for (size_t i = 0; i < (size_t) s->width * s->height; i++) {
    int object = s->surfaces[i] - MULTISPECTRAL_OBJECTS;

    labels[i] = (uint16_t) (object >= 0 && object < n_objects ? object + 1 : 0);
  }
}

static SceneObject
target_truth (
    const Multispectral *s, const ChromaticPlan *plan, int i, uint64_t number)
{
  ChromaticPlace now = chromatic_place (plan, i, number);
  ChromaticPlace next = chromatic_place (plan, i, number + 1);
  SceneObject o = {.id = i,
      .label = s->label[i],
      .full_area = s->full_area[i],
      .vx = next.x - now.x,
      .vy = next.y - now.y};

  scene_measure (&o, s->surfaces, s->width, multispectral_bounds (s, &now),
      (uint16_t) (MULTISPECTRAL_OBJECTS + i));
  return o;
}

const char *
multispectral_render (Multispectral *s, const MultispectralParams *params,
    uint64_t number, const Image *img, SceneObject *objects, uint16_t *labels)
{
  bool grey = img->format == IMAGE_GRAY8 || img->format == IMAGE_GRAY16;
  const char *err = check_multispectral (s, params, img);
  ChromaticParams ways;
  ChromaticPlan plan;

  if (err)
    return err;
  ways = multispectral_ways (params);
  plan = chromatic_plan (&ways, s->width, s->height);
  if (params->n_objects > s->n_blacks || params->seed != s->blacks_seed) {
    multispectral_blacks (params->seed, params->n_objects, s->blacks);
    s->n_blacks = params->n_objects;
    s->blacks_seed = params->seed;
  }
  multispectral_set_appearances (s, params,
      grey ? multispectral_channels (params->channels, params->mosaic) : 0);
  multispectral_lay (s, params->seed);
  multispectral_place (s, &plan, number);
  for (int i = 0; objects && i < params->n_objects; i++)
    objects[i] = target_truth (s, &plan, i, number);
  if (labels)
    surfaces_to_labels (s, params->n_objects, labels);
  multispectral_develop (s, params, number, img);
  return NULL;
}
