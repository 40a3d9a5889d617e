/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the scene promises about ways: smooth, inside the frame, apart from
 * each other without occlusion, and hidden only for a moment with it. */

static void
sine (DeviceKind kind)
{
  (void) kind;
  for (int i = 0; i < 5000; i++) {
    uint32_t turn = i < 8 ? i * (1u << 29) : (uint32_t) random_u64 (7, i);

    check_near (scene_sin (turn), sin (turn / 4294967296. * 2 * M_PI), 1e-7);
  }
}

/* Nobody leaves the frame, nobody jumps, and velocities are the ways'. */
static void
smooth (DeviceKind kind)
{
  ChromaticParams p = CHROMATIC_DEFAULTS;
  ChromaticPlan plan;

  (void) kind;
  for (int k = 0; k < 20; k++) {
    p.seed = rnd (1000), p.n_objects = 1 + rnd (16), p.occlusion = k % 2;
    plan = chromatic_plan (&p, 640, 480);
    for (int i = 0; i < p.n_objects; i++)
      for (uint64_t f = 1; f < 300; f++) {
        ChromaticPlace a = chromatic_place (&plan, i, f - 1);
        ChromaticPlace b = chromatic_place (&plan, i, f);
        ChromaticPlace c = chromatic_place (&plan, i, f + 1);

        check (b.x - b.radius >= -1 && b.x + b.radius <= 640);
        check (b.y - b.radius >= -1 && b.y + b.radius <= 480);
        check (hypot (c.x - b.x, c.y - b.y) < 8);
        check (hypot (c.x - 2 * b.x + a.x, c.y - 2 * b.y + a.y) < .5);
      }
  }
}

static void
velocity (DeviceKind kind)
{
  ChromaticParams p = CHROMATIC_DEFAULTS;
  Stage s = stage_new (640, 480);
  SceneObject before[8];

  (void) kind;
  p.occlusion = false;
  stage_show (&s, &p, 50);
  memcpy (before, s.objects, sizeof before);
  stage_show (&s, &p, 51);
  for (int i = 0; i < 8; i++) {
    check_near (s.objects[i].cx - before[i].cx, before[i].vx, .35);
    check_near (s.objects[i].cy - before[i].cy, before[i].vy, .35);
  }
  stage_free (&s);
}

/* The least distance from a pixel of an object to one of another or to a
 * patch that is on show, or @far. */
static double
nearest (const Stage *s, const ChromaticPlan *plan, uint64_t number, int far)
{
  const ChromaticParams *p = plan->params;
  int w = s->img.width, h = s->img.height, who;
  double least = far;
  ChromaticPlace patch;

  for (int at = 0; at < w * h; at++)
    for (int d = 1; s->labels[at] && d < (far + 1) * (2 * far + 1); d++) {
      int dx = d % (2 * far + 1) - far, dy = d / (2 * far + 1);
      int x = at % w + dx, y = at / w + dy;
      int other = x < 0 || x >= w || y >= h ? 0 : s->labels[y * w + x];

      if (other && other != s->labels[at])
        least = fmin (least, hypot (dx, dy));
    }
  for (int k = 0; k < p->distractors + p->twins; k++)
    if (chromatic_patch (plan, k, number, &patch, &who))
      for (int at = 0; at < w * h; at++)
        if (s->labels[at])
          least = fmin (
              least, hypot (at % w - patch.x, at / w - patch.y) - patch.radius);
  return least;
}

static void
apart (DeviceKind kind)
{
  static const int sizes[][2] = {{160, 120}, {91, 203}, {128, 128}};
  ChromaticParams p = CHROMATIC_DEFAULTS;

  (void) kind;
  p.occlusion = false, p.noise = 0, p.distractors = 8, p.twins = 8;
  for (int k = 0; k < 3; k++) {
    Stage s = stage_new (sizes[k][0], sizes[k][1]);
    double least = 5;
    ChromaticPlan plan;

    p.seed = rnd (1000), p.n_objects = k ? 4 + rnd (16) : 12;
    plan = chromatic_plan (&p, sizes[k][0], sizes[k][1]);
    for (int f = 0; f < (k ? 200 : 1000); f++) {
      stage_show (&s, &p, f);
      least = fmin (least, nearest (&s, &plan, f, 5));
      for (int i = 0; i < p.n_objects; i++)
        check (s.objects[i].area > 0 &&
            s.objects[i].area == s.objects[i].full_area);
    }
    check (least >= 2);
    stage_free (&s);
  }
}

/* A twin is on show somewhere else: at least a quarter of the frame away. */
static void
twins_far (DeviceKind kind)
{
  ChromaticParams p = CHROMATIC_DEFAULTS;
  int shown = 0, near = 0;

  (void) kind;
  p.distractors = 0, p.twins = 8;
  for (uint64_t f = 0; f < 4000; f += 7) {
    ChromaticPlan plan = chromatic_plan (&p, 640, 480);
    ChromaticPlace twin, own;
    int who;

    for (int k = 0; k < p.twins; k++)
      if (chromatic_patch (&plan, k, f, &twin, &who)) {
        own = chromatic_place (&plan, who, f);
        shown++, near += hypot (twin.x - own.x, twin.y - own.y) < 160;
      }
  }
  check (shown > 1000 && near < shown / 50);
}

/* With occlusion, everybody is hidden now and then, for up to about ten
 * frames. */
static void
hidden (DeviceKind kind)
{
  ChromaticParams p = CHROMATIC_DEFAULTS;
  Stage s = stage_new (200, 150);
  int now[8] = {0}, times = 0, most = 0, partly = 0;

  (void) kind;
  p.noise = 0;
  for (int f = 0; f < 900; f++) {
    stage_show (&s, &p, f);
    for (int i = 0; i < 8; i++) {
      const SceneObject *o = &s.objects[i];

      now[i] = o->area * 20 < o->full_area ? now[i] + 1 : 0;
      times += now[i] == 1;
      most = now[i] > most ? now[i] : most;
      partly += o->area && o->area < o->full_area;
    }
  }
  check (times >= 16 && partly > 300);
  check (most >= 4 && most <= 15);
  stage_free (&s);
}
