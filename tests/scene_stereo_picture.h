/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the pictures show: one texture in both, and what the sensors make of
 * it. */

/* Grey level and slope of a row at place @x, by a cubic through four pixels
 * (Keys, IEEE ASSP 29, 1981). */
static double
read_row (const View *v, double x, int y, double *slope)
{
  int i = (int) floor (x);
  double u = x - i, p[4];

  for (int k = 0; k < 4; k++)
    p[k] = level_at_pixel (v, i + k - 1, y, 1);
  *slope = .5 * (p[2] - p[0]) + u * (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) +
      1.5 * u * u * (3 * p[1] - p[0] - 3 * p[2] + p[3]);
  return p[1] +
      .5 * u *
      (p[2] - p[0] +
          u *
              (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3] +
                  u * (3 * p[1] - p[0] - 3 * p[2] + p[3])));
}

/* Whether a pixel is in the midst of one surface that both views see. */
static bool
is_plain (const View *v, int x, int y)
{
  const StereoMaps *m = &v->maps;
  size_t at = (size_t) y * v->img.width + x;

  for (int k = -3; k <= 3; k++)
    if (!m->seen[at + k] || m->labels[at + k] != m->labels[at] ||
        fabsf (m->disparity[at + k] - m->disparity[at]) > .5f)
      return false;
  return true;
}

/* What the right view shows where the truth points to is what the left one
 * shows: nearly the same grey levels, and a search for a better place ends
 * within 1/100 pixel for each surface. */
static void
same_texture (DeviceKind kind)
{
  View a = view_new (640, 480), b = view_new (640, 480);

  (void) kind;
  for (int f = 0; f < 4; f++) {
    StereoParams p = STEREO_DEFAULTS;
    uint64_t number = rnd (1u << 31);
    double down[STEREO_MAX_OBJECTS + 1] = {0}, up[STEREO_MAX_OBJECTS + 1] = {0};
    double squares = 0, n = 0;

    p.seed = rnd (1000), p.noise = 0, p.disparity_offset = f ? 0 : -30;
    view_show (&a, &p, STEREO_LEFT, number);
    view_show (&b, &p, STEREO_RIGHT, number);
    for (int y = 0; y < 480; y++)
      for (int x = 3; x < 637; x++) {
        double there = x - a.maps.disparity[y * 640 + x], slope, error;
        int label = a.maps.labels[y * 640 + x];

        if (there < 3 || there > 636 || !is_plain (&a, x, y))
          continue;
        error = level_at_pixel (&a, x, y, 1) - read_row (&b, there, y, &slope);
        squares += error * error, n++;
        down[label] += slope * slope, up[label] += error * slope;
      }
    check (n > 640 * 480 * .6);
    check (sqrt (squares / n) < .8);
    for (int i = 0; i <= STEREO_MAX_OBJECTS; i++)
      if (down[i] > 2e5)
        check_near (up[i] / down[i], 0, .01);
  }
  view_free (&a);
  view_free (&b);
}

/* Normally distributed, alike in all channels, another in each view and frame;
 * where nothing is cut off at black or white. */
static void
noise (DeviceKind kind)
{
  View clean = view_new (320, 240), noisy = view_new (320, 240);
  View other = view_new (320, 240);

  (void) kind;
  for (int f = 0; f < 8; f++) {
    StereoParams p = STEREO_DEFAULTS;
    double n = 0, sum = 0, squares = 0, fourth = 0, both = 0;
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.contents = STEREO_HEAD, p.noise = 0;
    view_show (&clean, &p, f % 2, number);
    p.noise = f ? 3 : 12;
    view_show (&noisy, &p, f % 2, number);
    view_show (&other, &p, !(f % 2), number);
    for (int i = 0; i < 320 * 240; i++) {
      const uint8_t *c = clean.img.plane[0] + 3 * i;
      const uint8_t *d = noisy.img.plane[0] + 3 * i;
      double e = d[1] - c[1];

      if (c[0] != 96 || c[2] != 96 || !isnan (other.maps.depth[i]))
        continue; /* there is something */
      check (d[0] == d[1] && d[1] == d[2]);
      n++, sum += e, squares += e * e, fourth += e * e * e * e;
      both += e * (other.img.plane[0][3 * i + 1] - c[1]);
    }
    /* rounding adds 1/12 */
    check_near (sum / n, 0, .02 * p.noise);
    check_near (sqrt (squares / n - 1 / 12.), p.noise, .02 * p.noise);
    check_near (fourth * n / (squares * squares), 3, .1);
    check_near (both / squares, 0, .02);
  }
  view_free (&clean);
  view_free (&noisy);
  view_free (&other);
}

/* Only the right view, and as the formula has it. */
static void
exposure (DeviceKind kind)
{
  View plain = view_new (320, 240), dark = view_new (320, 240);
  StereoParams p = STEREO_DEFAULTS;

  (void) kind;
  p.seed = rnd (1000), p.noise = 0;
  for (int view = 0; view < 2; view++) {
    p.gain = p.gamma = 1;
    view_show (&plain, &p, view, 5);
    p.gain = .8, p.gamma = 1.6;
    view_show (&dark, &p, view, 5);
    for (int i = 0; i < 3 * 320 * 240; i++) {
      double v = plain.img.plane[0][i], w = dark.img.plane[0][i];

      /* half a level of rounding, before the curve and behind it */
      check_near (w, view ? 255 * .8 * pow (v / 255, 1.6) : v, view ? 1.2 : 0);
    }
  }
  view_free (&plain);
  view_free (&dark);
}

/* A misaligned right camera shows the same some rows further down; with half a
 * row, the mean of two rows nearly. */
static void
rows (DeviceKind kind)
{
  View still = view_new (320, 240), moved = view_new (320, 240);
  StereoParams p = STEREO_DEFAULTS;
  double squares = 0;

  (void) kind;
  p.seed = rnd (1000), p.noise = 0;
  for (int view = 0; view < 2; view++) {
    int lower = view ? 5 : 0;

    p.misalignment = 0;
    view_show (&still, &p, view, 9);
    p.misalignment = 5;
    view_show (&moved, &p, view, 9);
    check (moved.truth.cy == 119.5 + lower);
    for (int y = 1; y < 239 - lower; y++) {
      check (!memcmp (still.img.plane[0] + y * 960,
          moved.img.plane[0] + (y + lower) * 960, 960));
      check (!memcmp (still.maps.depth + y * 320,
          moved.maps.depth + (y + lower) * 320, 320 * sizeof (float)));
    }
  }
  p.misalignment = .5;
  view_show (&moved, &p, STEREO_RIGHT, 9);
  for (int y = 1; y < 239; y++)
    for (int x = 0; x < 320; x++) {
      int mean = level_at_pixel (&still, x, y, 1) +
          level_at_pixel (&still, x, y - 1, 1);
      double e = level_at_pixel (&moved, x, y, 1) - mean / 2.;

      squares += e * e;
    }
  check (sqrt (squares / (320 * 238)) < 6);
  view_free (&still);
  view_free (&moved);
}
