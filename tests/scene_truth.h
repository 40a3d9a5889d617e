/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Is the truth true?  Recounted from the label map, against the closed forms
 * of the shapes, and over time. */

/* A scene with its picture in RGB, its truth and its label map. */
typedef struct {
  Chromatic *scene;
  Image img;
  SceneObject objects[CHROMATIC_MAX_OBJECTS];
  uint16_t *labels;
} Stage;

static Stage
stage_new (int w, int h)
{
  Stage s = {.img = {.width = w, .height = h, .format = IMAGE_RGB}};

  s.img.stride[0] = 3 * w;
  s.img.plane[0] = malloc ((size_t) 3 * w * h);
  s.labels = malloc ((size_t) w * h * sizeof *s.labels);
  ok (chromatic_new (&s.scene, w, h));
  return s;
}

static void
stage_free (Stage *s)
{
  chromatic_free (s->scene);
  free (s->img.plane[0]);
  free (s->labels);
}

static void
stage_show (Stage *s, const ChromaticParams *p, uint64_t number)
{
  ok (chromatic_render (s->scene, p, number, &s->img, s->objects, s->labels));
}

static bool
same_picture (const Stage *a, const Stage *b)
{
  size_t n = (size_t) a->img.width * a->img.height;

  return !memcmp (a->img.plane[0], b->img.plane[0], 3 * n) &&
      !memcmp (a->labels, b->labels, n * sizeof *a->labels);
}

static void
repeats (DeviceKind kind)
{
  ChromaticParams p = CHROMATIC_DEFAULTS, other;
  Stage a = stage_new (161, 99), b = stage_new (161, 99);

  (void) kind;
  p.seed = rnd (1000), p.twins = 3;
  other = p, other.seed += 1, other.n_objects = 20;
  for (int i = 0; i < 4; i++) {
    uint64_t number = i == 3 ? UINT64_MAX - 5 : rnd (1u << 31);

    stage_show (&a, &p, number);
    stage_show (&b, &other, number + 9);
    stage_show (&b, &p, number);
    check (same_picture (&a, &b));
    check (a.objects[3].cx == b.objects[3].cx ||
        (isnan (a.objects[3].cx) && isnan (b.objects[3].cx)));
    stage_show (&b, &p, number + 1);
    check (!same_picture (&a, &b));
    other = p, other.seed++;
    stage_show (&b, &other, number);
    check (memcmp (a.labels, b.labels, 161 * 99 * 2));
  }
  stage_free (&a);
  stage_free (&b);
}

/* By the definitions, in two passes over the whole map. */
static void
recount (const Stage *s, int i)
{
  const SceneObject *o = &s->objects[i];
  int w = s->img.width, h = s->img.height;
  double n = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0, big, small, root;
  ImageBox b = {w, h, 0, 0};

  for (int at = 0; at < w * h; at++)
    if (s->labels[at] == i + 1) {
      int x = at % w, y = at / w;

      n++, mx += x, my += y;
      b = (ImageBox){x < b.x0 ? x : b.x0, y < b.y0 ? y : b.y0,
          x >= b.x1 ? x + 1 : b.x1, y >= b.y1 ? y + 1 : b.y1};
    }
  check (o->area == n && o->id == i && o->area <= o->full_area);
  if (!n) {
    check (isnan (o->cx) && isnan (o->orientation) && o->box.x1 == 0);
    return;
  }
  mx /= n, my /= n;
  for (int at = 0; at < w * h; at++)
    if (s->labels[at] == i + 1) {
      double dx = at % w - mx, dy = at / w - my;

      xx += dx * dx / n, xy += dx * dy / n, yy += dy * dy / n;
    }
  check_near (o->cx, mx, 1e-9);
  check_near (o->cy, my, 1e-9);
  check (!memcmp (&o->box, &b, sizeof b));
  root = sqrt ((xx - yy) * (xx - yy) + 4 * xy * xy);
  big = (xx + yy + root) / 2 + 1. / 12, small = (xx + yy - root) / 2 + 1. / 12;
  check_near (o->elongation, sqrt (big / small), 1e-6 * o->elongation);
  check (o->orientation > -M_PI_2 && o->orientation <= M_PI_2);
  /* along the axis, the second moment is the greatest */
  root = cos (o->orientation) * cos (o->orientation) * xx +
      2 * sin (o->orientation) * cos (o->orientation) * xy +
      sin (o->orientation) * sin (o->orientation) * yy + 1. / 12;
  check_near (root, big, 1e-6 * big);
}

static void
counts (DeviceKind kind)
{
  static const int sizes[][2] = {{320, 240}, {101, 67}, {64, 333}, {7, 5}};
  ChromaticParams p = CHROMATIC_DEFAULTS;

  (void) kind;
  for (int k = 0; k < 4; k++) {
    Stage s = stage_new (sizes[k][0], sizes[k][1]);

    for (int f = 0; f < 12; f++) {
      p.seed = rnd (1000), p.n_objects = 1 + rnd (40), p.occlusion = f % 3;
      stage_show (&s, &p, rnd (100000));
      for (int i = 0; i < p.n_objects; i++)
        recount (&s, i);
      for (int at = 0; at < s.img.width * s.img.height; at++)
        check (s.labels[at] <= p.n_objects);
    }
    stage_free (&s);
  }
}

/* Area of a shape of radius 1 and the ratio of its axes, from geometry.  A
 * star is ten triangles between a tip, a notch at 0.48 and the middle. */
static const struct {
  double area, elongation;
} form[CHROMATIC_SHAPES] = {
    [CHROMATIC_DISC] = {M_PI, 1},
    [CHROMATIC_BAR] = {4 * .88 * .44, 2},
    [CHROMATIC_STAR] = {5 * .48 * .5877852522924731, 1},
    [CHROMATIC_TRIANGLE] = {1.299038105676658, 1},
    [CHROMATIC_RING] = {M_PI * (1 - .16), 1},
    [CHROMATIC_BOX] = {1.4 * 1.4, 1},
    [CHROMATIC_ELLIPSE] = {M_PI * .62, 1 / .62},
    [CHROMATIC_CROSS] = {2 * 1.86 * .64 - .64 * .64, 1},
};

/* Alone in its circle, each shape shows what its geometry says. */
static void
shapes (DeviceKind kind)
{
  ChromaticParams p = CHROMATIC_DEFAULTS;
  Stage s = stage_new (900, 700);

  (void) kind;
  p.occlusion = false, p.seed = rnd (1000);
  for (int f = 0; f < 6; f++) {
    uint64_t number = rnd (1u << 30);
    ChromaticPlan plan = chromatic_plan (&p, 900, 700);

    stage_show (&s, &p, number);
    for (int i = 0; i < 8; i++) {
      const SceneObject *o = &s.objects[i];
      ChromaticPlace at = chromatic_place (&plan, i, number);
      double area = form[at.shape].area * at.radius * at.radius, turn;

      check (o->area == o->full_area && at.radius > 50);
      check_near (o->area, area, .02 * area);
      check_near (o->cx, at.x, .5); /* edges along the rows round alike */
      check_near (o->cy, at.y, .5);
      check_near (o->elongation, form[at.shape].elongation, .03);
      turn = remainder (o->orientation - atan2 (at.sin, at.cos), M_PI);
      if (form[at.shape].elongation > 1.2)
        check_near (turn, 0, .01);
    }
  }
  stage_free (&s);
}
