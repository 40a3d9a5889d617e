/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the camera sees, and what the tracker's model has there: the same room,
 * once with what moves where it is, once with it where it stood. */
#include "scene/rgbd_core.h"

#include <stdatomic.h>

#include "common/parallel.h"

/* Something that moves, where it is and where it stood. */
typedef struct {
  RgbdTarget now[RGBD_PARTS], rest[RGBD_PARTS];
  int n;
  bool moves; /* it has left its place */
} Mover;

/* Solids of a frame, aimed at. */
typedef struct {
  RgbdTarget room[RGBD_FURNITURE];
  int n_room;
  Mover movers[RGBD_MAX_OBJECTS];
  int n_movers;
  RgbdMemory memory;
} Targets;

/* What a row meets: the nearest depth, its facing, and whose it is: 0 is the
 * room's, 1 the first mover's and so on. */
typedef struct {
  float z[RGBD_MAX_SIZE], facing[RGBD_MAX_SIZE];
  uint8_t owner[RGBD_MAX_SIZE];
} Layer;

/* The room alone; what is seen; what the model has; one mover alone. */
typedef struct {
  Layer room, seen, model, mover;
  RgbdRow row;
} Layers;

/* The sine of the angle under which a surface gives no depth any more. */
#define GRAZING .12f

static void
aim_mover (const RgbdPlan *plan, const RgbdPose *camera, const RgbdBody *body,
    const RgbdPose *place, RgbdTarget targets[RGBD_PARTS])
{
  RgbdPose there = rgbd_pose_chain (camera, place);

  for (int i = 0; i < body->n_parts; i++) {
    RgbdPose pose = rgbd_pose_chain (&there, &body->parts[i].pose);

    targets[i] = rgbd_aim (plan, &body->parts[i], &pose);
  }
}

static void
aim (const RgbdPlan *plan, Targets *t)
{
  RgbdPose camera = rgbd_pose_inverse (&plan->camera);

  t->n_room = plan->n_furniture;
  for (int i = 0; i < t->n_room; i++) {
    RgbdPose pose = rgbd_pose_chain (&camera, &plan->furniture[i].pose);

    t->room[i] = rgbd_aim (plan, &plan->furniture[i], &pose);
  }
  t->n_movers = plan->n_movers;
  for (int i = 0; i < t->n_movers; i++) {
    const RgbdMover *m = &plan->movers[i];

    t->movers[i].n = m->body->n_parts;
    t->movers[i].moves = memcmp (&m->now, &m->rest, sizeof m->now);
    aim_mover (plan, &camera, m->body, &m->now, t->movers[i].now);
    aim_mover (plan, &camera, m->body, &m->rest, t->movers[i].rest);
  }
  t->memory = rgbd_memory (plan);
}

static void
cast_layer (const RgbdTarget *targets, int n, int y, int width,
    const RgbdRow *row, Layer *l)
{
  for (int x = 0; x < width; x++)
    l->z[x] = INFINITY, l->facing[x] = 1;
  rgbd_cast_row (targets, n, y, row, l->z, l->facing);
}

static void
copy_layer (Layer *to, const Layer *from, size_t width)
{
  memcpy (to->z, from->z, width * sizeof *to->z);
  memcpy (to->facing, from->facing, width * sizeof *to->facing);
  memset (to->owner, 0, sizeof to->owner);
}

static void
take (Layer *l, const Layer *from, int x, int owner)
{
  l->z[x] = from->z[x];
  l->facing[x] = from->facing[x];
  l->owner[x] = (uint8_t) owner;
}

/* Mover @i where it is, in front of what is seen so far; of one that has not
 * moved the model has the same.  Returns its pixels, hidden ones too. */
static unsigned
add_mover (const Targets *t, int i, int y, int width, Layers *l)
{
  const Mover *m = &t->movers[i];
  unsigned full = 0;

  cast_layer (m->now, m->n, y, width, &l->row, &l->mover);
  for (int x = 0; x < width; x++) {
    full += l->mover.z[x] < INFINITY;
    if (l->mover.z[x] < l->seen.z[x])
      take (&l->seen, &l->mover, x, i + 1);
    if (!m->moves && l->mover.z[x] < l->model.z[x])
      take (&l->model, &l->mover, x, i + 1);
  }
  return full;
}

/* Mover @i, which has left its place: the model has it there until what is
 * behind was seen. */
static void
add_rest (const Targets *t, int i, int y, int width, Layers *l)
{
  const Mover *m = &t->movers[i];
  const RgbdRow *row = &l->row;

  cast_layer (m->rest, m->n, y, width, row, &l->mover);
  for (int x = 0; x < width; x++)
    if (l->mover.z[x] < l->model.z[x] &&
        !rgbd_was_uncovered (&t->memory, row->across[x], y + row->bend[x],
            l->model.z[x], l->model.owner[x]))
      take (&l->model, &l->mover, x, i + 1);
}

/* Whether the model has, in front of what is seen at @x, something that has
 * left its place; what is seen has not. */
static bool
is_hidden (const Targets *t, const Layers *l, int x)
{
  int model = l->model.owner[x], seen = l->seen.owner[x];

  return model && model != seen && !(seen && t->movers[seen - 1].moves);
}

/* What is seen, and what the model has there: as far as that was seen
 * before. */
static void
look (Rgbd *s, const Targets *t, const Layers *l, int x, int y)
{
  size_t at = (size_t) y * s->width + x;
  float across = l->row.across[x], down = y + l->row.bend[x];
  float face = l->seen.facing[x], u = (across - t->memory.cx) / t->memory.f;
  float v = (down - t->memory.cy) / t->memory.f;
  ImageBox known = t->memory.known;

  s->labels[at] = l->seen.owner[x];
  s->z[at] = l->seen.z[x];
  s->model_z[at] = l->model.z[x];
  s->model_facing[at] = l->model.facing[x];
  if ((x < known.x0 || x >= known.x1 || y < known.y0 || y >= known.y1) &&
      !rgbd_was_in_view (&t->memory, across, down, s->model_z[at]))
    s->model_z[at] = INFINITY;
  s->marks[at] = is_hidden (t, l, x) ? RGBD_HIDDEN : 0;
  if (face * face < GRAZING * GRAZING * (1 + u * u + v * v))
    s->marks[at] |= RGBD_GRAZING;
}

typedef struct {
  Rgbd *s;
  Targets t;
  atomic_ullong full[RGBD_MAX_OBJECTS]; /* pixels, hidden ones too */
} View;

static void
cast_rows (void *data, int begin, int end)
{
  View *v = data;
  const Targets *t = &v->t;
  int width = v->s->width;
  Layers l;

  for (int y = begin; y < end; y++) {
    rgbd_get_row (v->s, y, &l.row);
    cast_layer (t->room, t->n_room, y, width, &l.row, &l.room);
    copy_layer (&l.seen, &l.room, width);
    copy_layer (&l.model, &l.room, width);
    for (int i = 0; i < t->n_movers; i++)
      atomic_fetch_add (&v->full[i], add_mover (t, i, y, width, &l));
    for (int i = 0; i < t->n_movers; i++)
      if (t->movers[i].moves)
        add_rest (t, i, y, width, &l);
    for (int x = 0; x < width; x++)
      look (v->s, t, &l, x, y);
  }
}

void
rgbd_cast (Rgbd *s, const RgbdPlan *plan, uint64_t full[RGBD_MAX_OBJECTS])
{
  View v = {.s = s};

  aim (plan, &v.t);
  parallel_for (s->height, 8, cast_rows, &v);
  for (int i = 0; i < RGBD_MAX_OBJECTS; i++)
    full[i] = v.full[i];
}
