/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the camera sees, and what the tracker's model has there: the same room,
 * once with what moves where it is, once with it where it stood. */
#include "scene/rgbd_core.h"

#include <stdatomic.h>

#include "common/parallel.h"

/* ---- Solids: which rays may meet them, and where a row of rays does ---- */

/* What is nearer than this is not seen. */
#define RGBD_NEAREST .05f

/* Between which depths a ray is between planes, and how much of its direction
 * is along the normal of those where it comes in and goes out. */
typedef struct {
  float enter, leave, enter_facing, leave_facing;
} RgbdSpan;

#define RGBD_WHOLE ((RgbdSpan){-INFINITY, INFINITY, 0, 0})

/* Cuts the span down to what is between two planes, @half to each side of the
 * middle; @eye and @ray are along their normal. */
static inline RgbdSpan
rgbd_cut (RgbdSpan s, float half, float eye, float ray)
{
  float face = fabsf (ray) < 1e-9f ? 1e-9f : fabsf (ray);
  float once = 1 / copysignf (face, ray), reach = copysignf (half, ray);
  float in = (-reach - eye) * once, out = (reach - eye) * once;
  bool later = in > s.enter, sooner = out < s.leave;

  return (RgbdSpan){later ? in : s.enter, sooner ? out : s.leave,
      later ? face : s.enter_facing, sooner ? face : s.leave_facing};
}

static inline bool
rgbd_meet_sphere (
    const RgbdTarget *t, const float d[3], float *z, float *facing)
{
  const float *e = t->eye;
  float a = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  float b = e[0] * d[0] + e[1] * d[1] + e[2] * d[2];
  float c = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] - t->half[0] * t->half[0];
  float root = b * b - a * c;

  if (root <= 0)
    return false;
  root = sqrtf (root);
  *z = (-b - root) / a;
  *facing = root / t->half[0];
  return *z >= RGBD_NEAREST;
}

static inline bool
rgbd_meet_cylinder (
    const RgbdTarget *t, const float d[3], float *z, float *facing)
{
  const float *e = t->eye;
  float a = d[0] * d[0] + d[2] * d[2];
  float b = e[0] * d[0] + e[2] * d[2];
  float c = e[0] * e[0] + e[2] * e[2] - t->half[0] * t->half[0];
  float root = b * b - a * c, in;
  RgbdSpan s;

  a = a < 1e-12f ? 1e-12f : a;
  if (root <= 0)
    return false;
  root = sqrtf (root);
  in = (-b - root) / a;
  s = rgbd_cut (RGBD_WHOLE, t->half[1], e[1], d[1]);
  if (s.enter > s.leave || in > s.leave || (-b + root) / a < s.enter)
    return false;
  *z = in > s.enter ? in : s.enter;
  *facing = in > s.enter ? root / t->half[0] : s.enter_facing;
  return *z >= RGBD_NEAREST;
}

/* Pixels whose rays may meet the box of @half: those between its corners, where
 * the lens may show these, or all where one of them is not in front of the
 * camera. */
static ImageBox
pixels_of (const RgbdPlan *plan, const double half[3], const Pose64 *pose)
{
  double x0 = plan->width, y0 = plan->height, x1 = -1, y1 = -1;

  for (int k = 0; k < 8; k++) {
    double corner[3] = {k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
        k & 4 ? half[2] : -half[2]};
    double p[3], x, y;

    rgbd_pose_apply (pose, corner, p);
    if (p[2] < RGBD_NEAREST)
      return (ImageBox){0, 0, plan->width, plan->height};
    for (int i = 0; i < 2; i++) {
      double factor = i ? plan->lens.max : plan->lens.min;

      x = factor * plan->f * p[0] / p[2] + plan->cx;
      y = factor * plan->f * p[1] / p[2] + plan->cy;
      x0 = fmin (x0, x), y0 = fmin (y0, y);
      x1 = fmax (x1, x), y1 = fmax (y1, y);
    }
  }
  return (ImageBox){(int) fmin (fmax (floor (x0), 0), plan->width),
      (int) fmin (fmax (floor (y0), 0), plan->height),
      (int) fmax (fmin (ceil (x1) + 1, plan->width), 0),
      (int) fmax (fmin (ceil (y1) + 1, plan->height), 0)};
}

RgbdTarget
rgbd_aim (const RgbdPlan *plan, const RgbdSolid *solid, const Pose64 *pose)
{
  Pose64 back = rgbd_pose_inverse (pose);
  RgbdTarget t = {
      .shape = solid->shape, .box = pixels_of (plan, solid->half, pose)};
  double m[3][3];

  quat64_matrix (back.q, m);
  for (int i = 0; i < 3; i++) {
    t.half[i] = (float) solid->half[i];
    t.eye[i] = (float) back.t[i];
    t.right[i] = (float) (m[i][0] / plan->f);
    t.down[i] = (float) (m[i][1] / plan->f);
    t.ray[i] =
        (float) (m[i][2] - (m[i][0] * plan->cx + m[i][1] * plan->cy) / plan->f);
  }
  return t;
}

static bool
meet (const RgbdTarget *t, const float ray[3], float *z, float *facing)
{
  RgbdSpan s = RGBD_WHOLE;

  if (t->shape == RGBD_SPHERE)
    return rgbd_meet_sphere (t, ray, z, facing);
  if (t->shape == RGBD_CYLINDER)
    return rgbd_meet_cylinder (t, ray, z, facing);
  for (int i = 0; i < 3; i++)
    s = rgbd_cut (s, t->half[i], t->eye[i], ray[i]);
  *z = s.enter, *facing = s.enter_facing;
  return s.enter <= s.leave && s.enter >= RGBD_NEAREST;
}

bool
rgbd_meet (const RgbdTarget *t, const float ray[3], float *z, float *facing)
{
  return meet (t, ray, z, facing);
}

/* A row of a box.  There is neither branch nor pointer in it, so that a few
 * pixels are done at a time. */
static void
cast_box (const RgbdTarget *t, const float start[3], const RgbdRow *row,
    float *z, float *facing)
{
  const float *across = row->across, *bend = row->bend;
  const float s0 = start[0], s1 = start[1], s2 = start[2];
  const float r0 = t->right[0], r1 = t->right[1], r2 = t->right[2];
  const float d0 = t->down[0], d1 = t->down[1], d2 = t->down[2];
  const float e0 = t->eye[0], e1 = t->eye[1], e2 = t->eye[2];
  const float h0 = t->half[0], h1 = t->half[1], h2 = t->half[2];
  const bool inside = t->shape == RGBD_ROOM;

#pragma omp simd
  for (int x = t->box.x0; x < t->box.x1; x++) {
    float u = across[x], v = bend[x];
    RgbdSpan s = rgbd_cut (RGBD_WHOLE, h0, e0, s0 + u * r0 + v * d0);
    float near, face, best = z[x], its = facing[x];
    bool hit;

    s = rgbd_cut (s, h1, e1, s1 + u * r1 + v * d1);
    s = rgbd_cut (s, h2, e2, s2 + u * r2 + v * d2);
    near = inside ? s.leave : s.enter;
    face = inside ? s.leave_facing : s.enter_facing;
    hit = (s.enter <= s.leave) & (near >= RGBD_NEAREST) & (near < best);
    z[x] = hit ? near : best;
    facing[x] = hit ? face : its;
  }
}

/* As rgbd_meet (), for row @y of rays and @n solids, where that is nearer than
 * @z. */
static void
cast_row (const RgbdTarget *targets, int n, int y, const RgbdRow *row, float *z,
    float *facing)
{
  for (int i = 0; i < n; i++) {
    const RgbdTarget *t = &targets[i];
    float start[3], near, face;

    if (y < t->box.y0 || y >= t->box.y1)
      continue;
    for (int k = 0; k < 3; k++)
      start[k] = t->ray[k] + y * t->down[k];
    if (t->shape == RGBD_BOX || t->shape == RGBD_ROOM) {
      cast_box (t, start, row, z, facing);
      continue;
    }
    for (int x = t->box.x0; x < t->box.x1; x++) {
      float ray[3];

      for (int k = 0; k < 3; k++)
        ray[k] =
            start[k] + row->across[x] * t->right[k] + row->bend[x] * t->down[k];
      if (meet (t, ray, &near, &face) && near < z[x])
        z[x] = near, facing[x] = face;
    }
  }
}

/* ---- A frame ---- */

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
aim_mover (const RgbdPlan *plan, const Pose64 *camera, const RgbdBody *body,
    const Pose64 *place, RgbdTarget targets[RGBD_PARTS])
{
  Pose64 there = rgbd_pose_chain (camera, place);

  for (int i = 0; i < body->n_parts; i++) {
    Pose64 pose = rgbd_pose_chain (&there, &body->parts[i].pose);

    targets[i] = rgbd_aim (plan, &body->parts[i], &pose);
  }
}

static void
aim (const RgbdPlan *plan, Targets *t)
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
  cast_row (targets, n, y, row, l->z, l->facing);
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
  s->facing[at] = fabsf (face) / sqrtf (1 + u * u + v * v);
  s->marks[at] = is_hidden (t, l, x) ? RGBD_HIDDEN : 0;
  if (s->facing[at] < GRAZING)
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
