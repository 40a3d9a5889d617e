/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The depth that the camera sees, and the depth of the tracker's model: the
 * same room, with the movers where they are, and with the movers where they
 * stood. */
#include "scene/rgbd_core.h"

#include <stdatomic.h>

#include "common/parallel.h"

/* A mover, where it is and where it stood. */
typedef struct {
  RgbdTarget now[RGBD_PARTS], rest[RGBD_PARTS];
  int n;
  bool moves; /* the mover has left its place */
} Mover;

/* The solids of a frame, ready for casting. */
typedef struct {
  RgbdTarget room[RGBD_FURNITURE];
  int n_room;
  Mover movers[RGBD_MAX_OBJECTS];
  int n_movers;
  RgbdViews memory;
} Targets;

/* The first surface on each ray of a row: depth, facing and owner; 0 is the
 * room, 1 the first mover, and so on. */
typedef struct {
  float z[RGBD_MAX_SIZE], facing[RGBD_MAX_SIZE];
  uint8_t owner[RGBD_MAX_SIZE];
} Layer;

/* Layers: the room alone; the surfaces seen; the model; one mover alone. */
typedef struct {
  Layer room, seen, model, mover;
  RgbdRow row;
} Layers;

/* The sine of the angle below which a surface gives no depth. */
#define GRAZING .12f

static void
aim_mover_parts (const RgbdPlan *plan, const Pose64 *camera,
    const RgbdBody *body, const Pose64 *place, RgbdTarget targets[RGBD_PARTS])
{
  Pose64 there = rgbd_pose_chain (camera, place);

  for (int i = 0; i < body->n_parts; i++) {
    Pose64 pose = rgbd_pose_chain (&there, &body->parts[i].pose);

    targets[i] = rgbd_aim (plan, &body->parts[i], &pose);
  }
}

static void
aim_targets (const RgbdPlan *plan, Targets *t)
{
  Pose64 camera = rgbd_pose_inverse (&plan->camera);

  t->n_room = plan->n_furniture;
  for (int i = 0; i < t->n_room; i++) {
    Pose64 pose = rgbd_pose_chain (&camera, &plan->furniture[i].pose);

    t->room[i] = rgbd_aim (plan, &plan->furniture[i], &pose);
  }
  t->n_movers = plan->n_movers;
  for (int i = 0; i < t->n_movers; i++) {
    const RgbdMover *m = &plan->movers[i];

    t->movers[i].n = m->body->n_parts;
    t->movers[i].moves = memcmp (&m->now, &m->rest, sizeof m->now);
    aim_mover_parts (plan, &camera, m->body, &m->now, t->movers[i].now);
    aim_mover_parts (plan, &camera, m->body, &m->rest, t->movers[i].rest);
  }
  t->memory = rgbd_views (plan);
}

static void
cast_room_layer (const RgbdTarget *targets, int n, int y, int width,
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
copy_pixel (Layer *l, const Layer *from, int x, int owner)
{
  l->z[x] = from->z[x];
  l->facing[x] = from->facing[x];
  l->owner[x] = (uint8_t) owner;
}

/* Adds mover @i where it is to the surfaces seen; if it has not moved, also to
 * the model.  Returns the number of its pixels, including hidden ones. */
static unsigned
add_mover_layer (const Targets *t, int i, int y, int width, Layers *l)
{
  const Mover *m = &t->movers[i];
  unsigned full = 0;

  cast_room_layer (m->now, m->n, y, width, &l->row, &l->mover);
  for (int x = 0; x < width; x++) {
    full += l->mover.z[x] < INFINITY;
    if (l->mover.z[x] < l->seen.z[x])
      copy_pixel (&l->seen, &l->mover, x, i + 1);
    if (!m->moves && l->mover.z[x] < l->model.z[x])
      copy_pixel (&l->model, &l->mover, x, i + 1);
  }
  return full;
}

/* Adds mover @i, which has left its place, to the model where it stood, until
 * the surfaces behind were seen. */
static void
add_rest_layer (const Targets *t, int i, int y, int width, Layers *l)
{
  const Mover *m = &t->movers[i];
  const RgbdRow *row = &l->row;

  cast_room_layer (m->rest, m->n, y, width, row, &l->mover);
  for (int x = 0; x < width; x++)
    if (l->mover.z[x] < l->model.z[x] &&
        !rgbd_was_uncovered (&t->memory, row->across[x], y + row->bend[x],
            l->model.z[x], l->model.owner[x]))
      copy_pixel (&l->model, &l->mover, x, i + 1);
}

/* Whether the model has a mover that has left its place, in front of the
 * surface seen at @x, which has not moved. */
static bool
is_behind_rest (const Targets *t, const Layers *l, int x)
{
  int model = l->model.owner[x], seen = l->seen.owner[x];

  return model && model != seen && !(seen && t->movers[seen - 1].moves);
}

/* Writes the depth that is seen, and the model's depth there, as far as the
 * model knows it. */
static void
write_pixel (Rgbd *s, const Targets *t, const Layers *l, int x, int y)
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
  s->facing[at] = fabsf (face) / sqrtf (1 + u * u + v * v);
  s->marks[at] = is_behind_rest (t, l, x) ? RGBD_HIDDEN : 0;
  if (s->facing[at] < GRAZING)
    s->marks[at] |= RGBD_GRAZING;
}

typedef struct {
  Rgbd *s;
  Targets t;
  atomic_ullong full[RGBD_MAX_OBJECTS]; /* pixels of each mover, including
                                           hidden ones */
} View;

static void
cast_rgbd_rows (void *data, int begin, int end)
{
  View *v = data;
  const Targets *t = &v->t;
  int width = v->s->width;
  Layers l;

  for (int y = begin; y < end; y++) {
    rgbd_get_row (v->s, y, &l.row);
    cast_room_layer (t->room, t->n_room, y, width, &l.row, &l.room);
    copy_layer (&l.seen, &l.room, width);
    copy_layer (&l.model, &l.room, width);
    for (int i = 0; i < t->n_movers; i++)
      atomic_fetch_add (&v->full[i], add_mover_layer (t, i, y, width, &l));
    for (int i = 0; i < t->n_movers; i++)
      if (t->movers[i].moves)
        add_rest_layer (t, i, y, width, &l);
    for (int x = 0; x < width; x++)
      write_pixel (v->s, t, &l, x, y);
  }
}

void
rgbd_cast (Rgbd *s, const RgbdPlan *plan, uint64_t full[RGBD_MAX_OBJECTS])
{
  View v = {.s = s};

  aim_targets (plan, &v.t);
  parallel_for (s->height, 8, cast_rgbd_rows, &v);
  for (int i = 0; i < RGBD_MAX_OBJECTS; i++)
    full[i] = v.full[i];
}
