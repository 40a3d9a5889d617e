/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What can be seen of targets, and whether the truth says so. */

/* An eye sees the same with targets as where their blacks are left out: in a
 * million pixels, no grey level differs. */
static void
hidden (DeviceKind kind)
{
  View with = view_new (320, 240, 0, 0), without = view_new (320, 240, 0, 0);
  uint64_t area = 0;

  (void) kind;
  for (int f = 0; f < 14; f++) {
    MultispectralParams p = MULTISPECTRAL_DEFAULTS;
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.noise = f % 3, p.texture = f % 5 / 4.;
    view_show (&with, &p, number);
    p.contrast = 0;
    view_show (&without, &p, number);
    check (same_picture (&with, &without));
    check (same_labels (&with, &without));
    for (int i = 0; i < p.n_objects; i++)
      area += with.objects[i].area;
  }
  check (area > 14 * 320 * 240 / 30);
  view_free (&with);
  view_free (&without);
}

/* Channels show targets, and nothing but them: far from what was there without
 * them in the mean over all channels' squares, but as bright. */
static void
shown (DeviceKind kind)
{
  static const int channels[] = {4, 11, 16};

  (void) kind;
  for (int f = 0; f < 6; f++) {
    int n = channels[f % 3], pixels = 0, near = 0;
    View a = view_new (320, 240, n, IMAGE_GRAY16);
    View b = view_new (320, 240, n, IMAGE_GRAY16);
    MultispectralParams p = MULTISPECTRAL_DEFAULTS;
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.noise = 0, p.distractors = 0, p.channels = n;
    view_show (&a, &p, number);
    p.contrast = 0;
    view_show (&b, &p, number);
    for (int i = 0; i < 320 * 240; i++) {
      double sum = 0, squares = 0;

      for (int c = 0; c < n; c++) {
        double d = channel_at (&a, i % 320, i / 320, c) -
            channel_at (&b, i % 320, i / 320, c);

        sum += d, squares += d * d / n;
      }
      check (fabs (sum) <= n);
      check ((squares > 0) == (a.labels[i] > 0));
      pixels += a.labels[i] > 0;
      near += a.labels[i] && sqrt (squares) < 65535 * .035;
    }
    check (pixels > 1500 && near == 0);
    view_free (&a);
    view_free (&b);
  }
}

/* Every second patch is of no other colour, the others are; none has a label,
 * and half of the contrast is what the former have. */
static void
look_alikes (DeviceKind kind)
{
  View eye = view_new (320, 240, 0, 0), plain = view_new (320, 240, 0, 0);
  View a = view_new (320, 240, 11, IMAGE_GRAY8);
  View b = view_new (320, 240, 11, IMAGE_GRAY8);
  MultispectralParams p = MULTISPECTRAL_DEFAULTS;
  int paint = 0, black = 0;

  (void) kind;
  p.noise = 0, p.seed = rnd (1000), p.occlusion = false;
  for (int f = 0; f < 6; f++) {
    uint64_t number = rnd (1u << 31);

    p.distractors = 20;
    view_show (&eye, &p, number);
    view_show (&a, &p, number);
    p.distractors = 0;
    view_show (&plain, &p, number);
    view_show (&b, &p, number);
    check (same_labels (&eye, &plain) && same_labels (&a, &b));
    for (int i = 0; i < 320 * 240; i++) {
      bool other = false,
           colour =
               memcmp (eye.img.plane[0] + 3 * i, plain.img.plane[0] + 3 * i, 3);

      for (int c = 0; c < 11; c++)
        other |= channel_at (&a, i % 320, i / 320, c) !=
            channel_at (&b, i % 320, i / 320, c);
      check (!other || !a.labels[i]);
      check (other || !colour);
      paint += colour, black += other && !colour;
    }
  }
  check (paint > 500 && black > 500);
  view_free (&eye);
  view_free (&plain);
  view_free (&a);
  view_free (&b);
}

/* Something is in front, or the frame ends. */
static bool
is_cut (const SceneObject *o)
{
  return o->area < o->full_area || o->box.x0 == 0 || o->box.x1 == 320 ||
      o->box.y0 == 0 || o->box.y1 == 240;
}

/* What is said about objects is what the map shows, and they go where it
 * says. */
static void
objects (DeviceKind kind)
{
  View now = view_new (320, 240, 0, 0), next = view_new (320, 240, 0, 0);

  (void) kind;
  for (int f = 0; f < 10; f++) {
    MultispectralParams p = MULTISPECTRAL_DEFAULTS;
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.n_objects = 1 + rnd (20), p.speed = f ? 1 : 0;
    view_show (&now, &p, number);
    view_show (&next, &p, number + 1);
    check (!f == same_labels (&now, &next));
    for (int i = 0; i < p.n_objects; i++) {
      const SceneObject *o = &now.objects[i];
      uint64_t area = 0;
      double x = 0, y = 0;
      char label[24];

      for (int at = 0; at < 320 * 240; at++)
        if (now.labels[at] == i + 1)
          area++, x += at % 320, y += at / 320;
      snprintf (label, sizeof label, "target %d", i + 1);
      check (o->id == i && !strcmp (o->label, label));
      check (o->area == area && o->full_area >= area);
      if (!area) {
        check (isnan (o->cx));
        continue;
      }
      check_near (o->cx, x / area, 1e-9);
      check_near (o->cy, y / area, 1e-9);
      if (is_cut (&next.objects[i]) || is_cut (o))
        continue;
      /* an upright square moves by whole pixels */
      check_near (next.objects[i].cx - o->cx, o->vx, 1);
      check_near (next.objects[i].cy - o->cy, o->vy, 1);
    }
  }
  view_free (&now);
  view_free (&next);
}

/* Without occlusion everything is wholly visible; with it, some are not. */
static void
apart (DeviceKind kind)
{
  View v = view_new (320, 240, 0, 0);
  int hidden_ones = 0;

  (void) kind;
  for (int f = 0; f < 60; f++) {
    MultispectralParams p = MULTISPECTRAL_DEFAULTS;

    p.seed = rnd (1000), p.occlusion = f % 2;
    view_show (&v, &p, rnd (1u << 31));
    for (int i = 0; i < p.n_objects; i++) {
      hidden_ones += v.objects[i].area < v.objects[i].full_area;
      check (p.occlusion || v.objects[i].area == v.objects[i].full_area);
    }
  }
  check (hidden_ones > 20);
  view_free (&v);
}
