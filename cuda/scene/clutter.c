/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `clutter`: its memory, the order in which a frame is made, and its
 * truth. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/device.h"
#include "common/file.h"
#include "common/utf8.h"
#include "scene/clutter_core.h"

static bool
is_solid_name (const char *name)
{
  for (int i = 0; clutter_solids[i]; i++)
    if (!strcmp (clutter_solids[i], name))
      return true;
  return false;
}

/* The stem of @path, cut between two characters. */
static void
file_name (const char *path, char name[64])
{
  char all[NAME_MAX + 1];

  file_stem (path, all, sizeof all);
  utf8_copy (name, 64, all);
}

static const char *
load_shapes (Clutter *s, const char *const *files, int n, double unit)
{
  if (n > CLUTTER_MAX_SHAPES)
    return "there are more than 64 meshes";
  if (!(unit >= 1e-6 && unit <= 1e3))
    return "a unit of the meshes is 1e-6 to 1000 metres";
  for (int i = 0; n ? i < n : clutter_solids[i] != NULL; i++) {
    ClutterShape *shape = &s->shape[s->n_shapes];
    const char *name = n ? files[i] : clutter_solids[i];
    bool solid = is_solid_name (name);
    Mesh mesh;

    TRY (solid ? clutter_solid_mesh (&mesh, name) : mesh_read (&mesh, name));
    file_name (name, shape->name);
    s->n_shapes++;
    TRY (clutter_shape_make (shape, &mesh, solid ? 1 : unit));
  }
  return NULL;
}

static const char *
allocate_clutter (Clutter *s)
{
  size_t pixels = (size_t) s->width * s->height, max = 0;
  DeviceMemory *m = &s->memory;

  for (int i = 0; i < s->n_shapes; i++)
    max = s->shape[i].mesh.n > max ? s->shape[i].mesh.n : max;
  TRY (memory_get (m, &s->pile, 1));
  TRY (memory_get (m, &s->vertex, max * CLUTTER_MAX_OBJECTS));
  TRY (memory_get (m, &s->z, pixels));
  TRY (memory_get (m, &s->marks, pixels));
  TRY (memory_get (m, &s->labels, pixels));
  TRY (memory_get (m, &s->triangle, pixels));
  TRY (memory_get (m, &s->depth, (size_t) (s->width + 2) * (s->height + 2)));
  return memory_get (m, &s->rgb, 3 * pixels);
}

const char *
clutter_new (Clutter **scene, int width, int height, const char *const *files,
    int n_files, double unit)
{
  const char *err;
  Clutter *s;

  *scene = NULL;
  if (width < 1 || height < 1 || width > CLUTTER_MAX_SIZE ||
      height > CLUTTER_MAX_SIZE)
    return "a frame is 1 to 4096 pixels wide and high";
  s = calloc (1, sizeof *s);
  if (!s)
    return OUT_OF_MEMORY (sizeof *s, "");
  s->width = width;
  s->height = height;
  memory_open (&s->memory, device_host ());
  err = load_shapes (s, files, n_files, unit);
  if (!err)
    err = allocate_clutter (s);
  if (err) {
    clutter_free (s);
    return err;
  }
  *scene = s;
  return NULL;
}

void
clutter_free (Clutter *s)
{
  if (!s)
    return;
  for (int i = 0; i < s->n_shapes; i++)
    clutter_shape_free (&s->shape[i]);
  memory_free (&s->memory);
  free (s);
}

static const char *
check_clutter (const Clutter *s, const ClutterParams *p, ClutterView view,
    const Image *img)
{
  if ((unsigned) view > CLUTTER_DEPTH)
    return "a view is colour or depth";
  TRY (params_check (scene_params, &p->scene));
  TRY (params_check (clutter_params, p));
  if (p->n_objects > CLUTTER_MAX_OBJECTS)
    return "1 to 32 objects fit on the table";
  if (p->n_absent < 0 || p->n_absent >= p->n_objects)
    return "at least one object must be there";
  if (img->width != s->width || img->height != s->height)
    return "the frame has another size than the scene";
  if ((img->format == IMAGE_GRAY16) != (view == CLUTTER_DEPTH))
    return "depth, and depth alone, has pixels of 16 bits";
  return NULL;
}

/* Shifts every depth by @bias millimetres; the magnitude of @bias is below
 * every depth. */
static void
shift_depth (uint16_t *depth, int n, int bias)
{
  for (int x = 0; x < n; x++)
    depth[x] = depth[x] ? (uint16_t) (depth[x] + bias) : 0;
}

/* Measures the depth by the sensor of the scene rgbd. */
static void
sense_clutter_depth (Clutter *s, const ClutterPlan *plan,
    const ClutterParams *params, uint64_t number, const Image *img)
{
  Rgbd sensor = {.width = s->width,
      .height = s->height,
      .z = s->z,
      .marks = s->marks,
      .depth = s->depth};
  RgbdPlan lens = {.f = plan->f};
  RgbdParams of = {.scene = params->scene};

  rgbd_sense (&sensor, &lens, &of, number);
  for (int y = 0; y < s->height; y++) {
    uint16_t *row = rgbd_depth_row (&sensor, y);

    shift_depth (row, s->width, (int) lround (1000 * params->depth_bias));
    memcpy (img->plane[0] + (ptrdiff_t) y * img->stride[0], row,
        (size_t) s->width * sizeof *s->depth);
  }
}

/* Sets @pixel to the middle of a body in a frame. */
static void
body_middle (const ClutterShape *shape, const ClutterBody *body,
    const ClutterPlan *plan, double pixel[2])
{
  Pose64 eye = rgbd_pose_inverse (&plan->camera);
  double p[3], q[3];

  rgbd_pose_apply (&body->pose, shape->mass, p);
  rgbd_pose_apply (&eye, p, q);
  for (int k = 0; k < 2; k++)
    pixel[k] = plan->f * q[k] / q[2];
}

static void
set_clutter_truth (const Clutter *s, const ClutterPlan *plan,
    const uint64_t *full, ClutterTruth *t)
{
  Pose64 eye = rgbd_pose_inverse (&plan->camera);

  *t = (ClutterTruth){.fx = plan->f,
      .fy = plan->f,
      .cx = plan->cx,
      .cy = plan->cy,
      .n_objects = s->n_bodies};
  memcpy (t->camera, &plan->camera, sizeof t->camera);
  for (int i = 0; i < s->n_bodies; i++) {
    SceneThing *o = &t->objects[i];
    const ClutterShape *shape = &s->shape[s->body[i].shape];
    Pose64 p = rgbd_pose_chain (&eye, &s->body[i].pose);

    o->shape = s->body[i].shape;
    o->seen.id = i;
    o->seen.label = shape->name;
    o->seen.full_area = full[i];
    memcpy (o->pose, &p, sizeof o->pose);
    memcpy (o->extent, shape->extent, sizeof o->extent);
    scene_measure (&o->seen, s->labels, s->width,
        (ImageBox){0, 0, s->width, s->height}, (uint16_t) (i + 1));
  }
}

/* Moves the bodies to frame @number + 1. */
static void
set_clutter_velocities (Clutter *s, const ClutterPlan *plan,
    const ClutterPlan *next, const ClutterParams *params, uint64_t number,
    ClutterTruth *t)
{
  double from[CLUTTER_MAX_OBJECTS][2], to[2];

  for (int i = 0; i < s->n_bodies; i++)
    body_middle (&s->shape[s->body[i].shape], &s->body[i], plan, from[i]);
  clutter_carry (s, params, number + 1);
  for (int i = 0; i < s->n_bodies; i++) {
    body_middle (&s->shape[s->body[i].shape], &s->body[i], next, to);
    t->objects[i].seen.vx = to[0] - from[i][0];
    t->objects[i].seen.vy = to[1] - from[i][1];
  }
}

const char *
clutter_render (Clutter *s, const ClutterParams *params, ClutterView view,
    uint64_t number, const Image *img, ClutterTruth *truth, uint16_t *labels)
{
  uint64_t full[CLUTTER_MAX_OBJECTS];
  ClutterPlan plan, next;

  TRY (check_clutter (s, params, view, img));
  clutter_drop (s, params, number);
  clutter_carry (s, params, number);
  plan = clutter_plan (params, s->width, s->height, number);
  clutter_cast (s, &plan, full);
  if (view == CLUTTER_DEPTH)
    sense_clutter_depth (s, &plan, params, number, img);
  else
    clutter_shade (s, &plan, params, number, img);
  if (labels)
    memcpy (
        labels, s->labels, (size_t) s->width * s->height * sizeof *s->labels);
  if (!truth)
    return NULL;
  set_clutter_truth (s, &plan, full, truth);
  next = clutter_plan (params, s->width, s->height, number + 1);
  set_clutter_velocities (s, &plan, &next, params, number, truth);
  return NULL;
}
