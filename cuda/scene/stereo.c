/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `stereo`: its memory, the order in which a frame is made, and its
 * truth. */
#include "scene/stereo_core.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "common/device.h"
#include "common/parallel.h"

/* Two rays to one point meet the surface at depths that differ by a smaller
 * part: more than by rounding, less than a tenth of a millimetre a metre. */
#define SAME 1e-5

static const char *
allocate_stereo (Stereo *s)
{
  size_t pixels = (size_t) s->width * s->height;
  size_t cube = (size_t) STEREO_CORNERS * STEREO_CORNERS * STEREO_CORNERS;
  DeviceMemory *m = &s->memory;

  TRY (memory_get (m, &s->z, pixels));
  TRY (memory_get (m, &s->things, pixels));
  TRY (memory_get (m, &s->labels, pixels));
  TRY (memory_get (m, &s->rgb, 3 * pixels));
  return memory_get (m, &s->lattice, cube);
}

const char *
stereo_new (Stereo **scene, int width, int height)
{
  const char *err;
  Stereo *s;

  *scene = NULL;
  if (width < 1 || height < 1 || width > STEREO_MAX_SIZE ||
      height > STEREO_MAX_SIZE)
    return "a view is 1 to 4096 pixels wide and high";
  s = calloc (1, sizeof *s);
  if (!s)
    return OUT_OF_MEMORY (sizeof *s, "");
  s->width = width;
  s->height = height;
  memory_open (&s->memory, device_host ());
  err = allocate_stereo (s);
  if (err) {
    stereo_free (s);
    return err;
  }
  *scene = s;
  return NULL;
}

void
stereo_free (Stereo *s)
{
  if (s)
    memory_free (&s->memory);
  free (s);
}

static const char *
check_stereo (
    const Stereo *s, const StereoParams *p, StereoView view, const Image *img)
{
  if ((unsigned) view > STEREO_RIGHT)
    return "a view is left or right";
  TRY (params_check (scene_params, &p->scene));
  TRY (params_check (stereo_params, p));
  if (img->width != s->width || img->height != s->height)
    return "the frame has another size than the scene";
  return NULL;
}

/* Whether the other camera sees the point at depth @z of this view: its ray
 * meets no surface before. */
static bool
is_seen_by_other (
    const StereoPlan *plan, StereoView view, int x, int y, double z)
{
  const StereoCamera *c = plan->camera;
  double d = stereo_disparity (plan, z), rows = c[1].cy - c[0].cy;
  double there = view == STEREO_LEFT ? x - d : x + d;
  double row = view == STEREO_LEFT ? y + rows : y - rows;

  return there >= 0 && there <= plan->width - 1 && row >= 0 &&
      row <= plan->height - 1 &&
      stereo_cast (plan, !view, there, row).z >= z * (1 - SAME);
}

static void
write_stereo_maps (const StereoPlan *plan, StereoView view, int x, int y,
    double z, const StereoMaps *maps)
{
  size_t at = (size_t) y * plan->width + x;
  bool there = z < INFINITY;

  if (maps->disparity)
    maps->disparity[at] = there ? (float) stereo_disparity (plan, z) : NAN;
  if (maps->depth)
    maps->depth[at] = there ? (float) z : NAN;
  if (maps->seen)
    maps->seen[at] = there && is_seen_by_other (plan, view, x, y, z) ? 255 : 0;
}

typedef struct {
  Stereo *s;
  const StereoPlan *plan;
  StereoView view;
  const StereoMaps *maps;
  int label[STEREO_THINGS];
  atomic_ullong full[STEREO_THINGS]; /* pixels of each thing, including hidden
                                        ones */
} View;

/* Sets z, things, labels and maps. */
static void
cast_stereo_rows (void *data, int begin, int end)
{
  View *v = data;
  const StereoPlan *plan = v->plan;
  Stereo *s = v->s;
  unsigned full[STEREO_THINGS] = {0};

  for (int y = begin; y < end; y++)
    for (int x = 0; x < s->width; x++) {
      StereoHit hit = stereo_cast (plan, v->view, x, y);
      size_t at = (size_t) y * s->width + x;

      s->z[at] = hit.z;
      s->things[at] = (int8_t) hit.thing;
      s->labels[at] = hit.thing < 0 ? 0 : (uint16_t) v->label[hit.thing];
      for (int i = 0; i < plan->n; i++)
        full[i] += hit.met >> i & 1;
      if (v->maps)
        write_stereo_maps (plan, v->view, x, y, hit.z, v->maps);
    }
  for (int i = 0; i < plan->n; i++)
    atomic_fetch_add (&v->full[i], full[i]);
}

/* Sets @p to the middle of a thing in the camera's axes, and @pixel to its
 * pixel. */
static void
thing_middle (const StereoPlan *plan, StereoView view, int thing, double p[3],
    double pixel[2])
{
  const StereoCamera *c = &plan->camera[view];

  memcpy (p, plan->thing[thing].pose.t, 3 * sizeof *p);
  p[0] -= c->eye;
  pixel[0] = c->f * p[0] / p[2] + c->cx;
  pixel[1] = c->f * p[1] / p[2] + c->cy;
}

static SceneThing
thing_truth (const Stereo *s, const StereoPlan *plan, const StereoPlan *next,
    StereoView view, int thing, int id)
{
  const StereoThing *t = &plan->thing[thing];
  SceneThing o = {.seen = {.id = id, .label = t->label}};
  double from[2], to[2], p[3];

  thing_middle (next, view, thing, p, to);
  thing_middle (plan, view, thing, o.pose, from);
  memcpy (o.pose + 3, t->pose.q, sizeof t->pose.q);
  o.seen.vx = to[0] - from[0];
  o.seen.vy = to[1] - from[1];
  for (int i = 0; i < 3; i++)
    o.extent[i] =
        2 * (t->shape == STEREO_FACE ? stereo_head_half[i] : t->half[i]);
  scene_measure (&o.seen, s->labels, s->width,
      (ImageBox){0, 0, s->width, s->height}, (uint16_t) (id + 1));
  return o;
}

const char *
stereo_render (Stereo *s, const StereoParams *params, StereoView view,
    uint64_t number, const Image *img, StereoTruth *truth,
    const StereoMaps *maps)
{
  const char *err = check_stereo (s, params, view, img);
  StereoPlan plan, next;
  View v = {.s = s, .plan = &plan, .view = view, .maps = maps};
  int n = 0;

  if (err)
    return err;
  plan = stereo_plan (params, s->width, s->height, number);
  for (int i = 0; i < plan.n; i++)
    v.label[i] = plan.thing[i].label ? ++n : 0;
  parallel_for (s->height, 8, cast_stereo_rows, &v);
  stereo_develop (s, &plan, params, view, number, img);
  if (maps && maps->labels)
    memcpy (maps->labels, s->labels,
        (size_t) s->width * s->height * sizeof *s->labels);
  if (!truth)
    return NULL;
  next = stereo_plan (params, s->width, s->height, number + 1);
  *truth = (StereoTruth){.fx = plan.camera[view].f,
      .fy = plan.camera[view].f,
      .cx = plan.camera[view].cx,
      .cy = plan.camera[view].cy,
      .eye = plan.camera[view].eye,
      .n_objects = n};
  for (int i = 0; i < plan.n; i++)
    if (v.label[i]) {
      SceneThing *o = &truth->objects[v.label[i] - 1];

      *o = thing_truth (s, &plan, &next, view, i, v.label[i] - 1);
      o->seen.full_area = v.full[i];
    }
  return NULL;
}
