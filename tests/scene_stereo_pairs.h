/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The two views against each other, by their maps alone. */

/* The disparities left and right of a place in a row; false where there are
 * none. */
static bool
around (const View *v, double x, int y, double d[2])
{
  int i = (int) floor (x);

  if (i < 0 || i + 1 >= v->img.width || y < 0 || y >= v->img.height)
    return false;
  d[0] = v->maps.disparity[(size_t) y * v->img.width + i];
  d[1] = v->maps.disparity[(size_t) y * v->img.width + i + 1];
  return true;
}

/* Whatever the other view shows where this one's truth points to is what this
 * one shows, or in front of it; and the mask says which. */
static void
compare (const View *here, const View *there, int sign, int rows, double limit)
{
  int w = here->img.width, h = here->img.height, seen = 0, hidden = 0, open = 0;

  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      size_t at = (size_t) y * w + x;
      double d = here->maps.disparity[at], x2 = x - sign * d, other[2];
      double u = x2 - floor (x2), between;

      if (x2 < -1e-3 || x2 > w - 1 + 1e-3 || y + sign * rows < 0 ||
          y + sign * rows >= h) {
        check (!here->maps.seen[at]);
        continue;
      }
      if (x2 < 1e-3 || x2 > w - 1 - 1e-3 ||
          !around (there, x2, y + sign * rows, other))
        continue;
      between = (1 - u) * other[0] + u * other[1];
      if (fabs (other[0] - other[1]) < .3 && fabs (between - d) < .02) {
        check (here->maps.seen[at] == 255);
        seen++;
      } else if (fmin (other[0], other[1]) > d + .7) {
        check (here->maps.seen[at] == 0);
        hidden++;
      } else
        open++;
    }
  check (seen > w * h / 2 && hidden > w * h / 200);
  check (open < limit * w * h);
}

static void
both_views (DeviceKind kind)
{
  View a = view_new (640, 480), b = view_new (640, 480);

  (void) kind;
  for (int f = 0; f < 3; f++) {
    StereoParams p = STEREO_DEFAULTS;
    uint64_t number = rnd (1u << 31);

    p.seed = rnd (1000), p.misalignment = 7 * (f % 2);
    p.disparity_offset = f * -20;
    view_show (&a, &p, STEREO_LEFT, number);
    view_show (&b, &p, STEREO_RIGHT, number);
    compare (&a, &b, 1, 7 * (f % 2), .03);
    compare (&b, &a, -1, 7 * (f % 2), .03);
  }
  view_free (&a);
  view_free (&b);
}

/* A z-buffer of the left view's own pixels, each as wide as it is: where a
 * nearer one covers a pixel's place in the right view, it is hidden.  At edges,
 * and behind what only the right view sees, the two may differ. */
static void
hidden (DeviceKind kind)
{
  View v = view_new (640, 480);
  int disagree = 0, both = 0, n = 0;

  (void) kind;
  for (int f = 0; f < 3; f++) {
    StereoParams p = STEREO_DEFAULTS;

    p.seed = rnd (1000);
    view_show (&v, &p, STEREO_LEFT, rnd (1u << 31));
    for (int y = 0; y < 480; y++) {
      const float *d = v.maps.disparity + y * 640;
      float nearest[640];

      for (int x = 0; x < 640; x++)
        nearest[x] = -INFINITY;
      for (int x = 0; x < 640; x++)
        for (int k = 0; k < 2; k++) {
          int to = (int) floor (x - d[x]) + k;

          if (to >= 0 && to < 640)
            nearest[to] = fmaxf (nearest[to], d[x]);
        }
      for (int x = 0; x < 640; x++) {
        int to = (int) floor (x - d[x] + .5);
        bool covered;

        if (to < 1 || to > 638)
          continue;
        covered = nearest[to] > d[x] + 1.5;
        disagree += covered == (v.maps.seen[y * 640 + x] != 0);
        both += covered, n++;
      }
    }
  }
  check (both > n / 100);
  check (disagree < n / 100);
  view_free (&v);
}
