/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pocstereo on real pairs with known disparities, and on a real view that is
 * moved by parts of a pixel: errors, and how well sigma predicts them.
 * VISION_TEST_DATA names the data; without it the test is skipped. */
#include "pocstereo_slopes.h"

static uint16_t
darker (uint8_t grey)
{
  return (uint16_t) (16 * rint (255 * pow (grey / 255., 1.6) * .8 + 12));
}

typedef struct {
  double density, bad[2], rms;
  double near; /* the same of errors of at most a pixel */
} Score;

static Score
score_of (DeviceKind kind, const Scene *s, const PocstereoParams *p, bool dark)
{
  int n = s->view[0].width * s->view[0].height, known = 0, found = 0;
  int near = 0;
  Pair pair = pair_new (s->view[0].width, s->view[0].height, 0);
  Score score = {0};
  PocstereoMatch *m;

  for (int i = 0; i < n; i++) {
    pair.view[0][i] = 16 * s->view[0].grey[i];
    pair.view[1][i] =
        dark ? darker (s->view[1].grey[i]) : 16 * s->view[1].grey[i];
  }
  m = pair_match (kind, p, &pair, NULL, 0);
  for (int i = 0; i < n; i++) {
    double error = disparity_of (m[i]) - s->truth[i];

    known += s->visible[i];
    if (!s->visible[i] || isnan (error))
      continue;
    found++;
    score.bad[0] += fabs (error) > 1;
    score.bad[1] += fabs (error) > 2;
    score.rms += error * error;
    if (fabs (error) > 1)
      continue;
    near++;
    score.near += error * error;
  }
  score.density = 100. * found / known;
  score.bad[0] *= 100. / found;
  score.bad[1] *= 100. / found;
  score.rms = sqrt (score.rms / found);
  score.near = sqrt (score.near / near);
  free (m);
  pair_free (&pair);
  return score;
}

static void
print_score (const char *name, Score s)
{
  printf ("| %s | %.1f | %.2f | %.2f | %.2f | %.3f |\n", name, s.density,
      s.bad[0], s.bad[1], s.rms, s.near);
}

/* The mean over all scenes. */
static Score
score_all (
    DeviceKind kind, const char *name, const PocstereoParams *params, bool dark)
{
  const char *data = getenv ("VISION_TEST_DATA");
  Score mean = {0};

  printf ("%s\n", name);
  for (int i = 0; i < SCENES; i++) {
    Scene s = scene_read (data, i);
    PocstereoParams p = *params;
    Score score;

    p.max_disparity = s.range;
    score = score_of (kind, &s, &p, dark);
    print_score (scene_names[i], score);
    mean.density += score.density / SCENES;
    mean.bad[0] += score.bad[0] / SCENES;
    mean.bad[1] += score.bad[1] / SCENES;
    mean.rms += score.rms / SCENES;
    mean.near += score.near / SCENES;
    scene_free (&s);
  }
  print_score ("mean", mean);
  return mean;
}

static void
test_pairs (DeviceKind kind)
{
  PocstereoParams p = POCSTEREO_DENSE_DEFAULTS;
  PocstereoParams paper = POCSTEREO_POINTS_DEFAULTS;
  Score mean = score_all (kind, "dense", &p, false);
  Score dark = score_all (kind, "dense, the right view darker", &p, true);
  Score slanted;

  check (mean.density >= 95);
  check (mean.bad[0] <= 2.9 && mean.bad[1] <= 1.8);
  check (mean.rms <= 1.9);
  check (dark.bad[0] <= mean.bad[0] + .5);
  p.slant = true;
  slanted = score_all (kind, "dense, slanted windows", &p, false);
  check (slanted.density >= mean.density);
  check (slanted.bad[0] <= mean.bad[0] && slanted.bad[1] <= 1.8);
  check (slanted.near < .98 * mean.near);
  p.slant = false;
  p.left_right = false;
  p.speckle_size = 0;
  score_all (kind, "dense, nothing left out", &p, false);
  score_all (kind, "the paper's windows, nothing left out", &paper, false);
}

/* ---- A view moved by parts of a pixel: means of 4 x 4 of its pixels ---- */

#define BORDER 24

static void
draw_moved (Pair *pair, const Picture *from, int parts, double noise)
{
  for (int v = 0; v < 2; v++)
    for (int y = 0; y < pair->height; y++)
      for (int x = 0; x < pair->width; x++) {
        double sum = 0;

        for (int i = 0; i < PARTS * PARTS; i++)
          sum += from->grey[(PARTS * y + i / PARTS) * from->width + PARTS * x +
              i % PARTS + v * parts];
        *pair_at (pair, v, x, y) = noisy (sum / (PARTS * PARTS), noise);
      }
}

typedef struct {
  double sum2; /* of errors of the best 70 % by their peak */
  int n, right, within;
} Errors;

static int
compare_peaks (const void *a, const void *b)
{
  return *(const uint16_t *) a - *(const uint16_t *) b;
}

static void
add_errors (Errors *e, const PocstereoMatch *m, const Pair *p, double truth)
{
  uint16_t *peak = malloc ((size_t) p->width * p->height * sizeof *peak);
  int n = 0, low = 0;

  for (int pass = 0; pass < 2; pass++) {
    for (int y = 16; y < p->height - 16; y += 2)
      for (int x = BORDER; x < p->width - BORDER; x += 2) {
        PocstereoMatch match = m[y * p->width + x];
        double error = fabs (disparity_of (match) - truth);

        if (!pass)
          peak[n++] = match.peak;
        if (!pass || !(error < .5))
          continue;
        e->right++;
        e->within += error <= match.sigma / (double) POCSTEREO_SIGMA;
        if (match.peak < low)
          continue;
        e->sum2 += error * error;
        e->n++;
      }
    qsort (peak, n, sizeof *peak, compare_peaks);
    low = peak[n * 3 / 10];
  }
  free (peak);
}

/* Whole shifts make both views equal where there is no noise: they count for
 * the error, as in the notes' figures, and not for sigma. */
static Errors
moved (DeviceKind kind, const char *const *names, int n_names,
    const PocstereoParams *params, double noise, bool wholes)
{
  const char *data = getenv ("VISION_TEST_DATA");
  Errors e = {0};

  for (int i = 0; i < n_names; i++) {
    Picture from = picture_read (data, names[i]);
    Pair pair =
        pair_new ((from.width - 2 * PARTS) / PARTS, from.height / PARTS, 0);

    for (int parts = 0; parts <= 2 * PARTS; parts++) {
      PocstereoMatch *m;

      if (!wholes && parts % PARTS == 0)
        continue;
      draw_moved (&pair, &from, parts, noise);
      m = pair_match (kind, params, &pair, NULL, 0);
      add_errors (&e, m, &pair, parts / (double) PARTS);
      free (m);
    }
    pair_free (&pair);
    free (from.grey);
  }
  return e;
}

static const char *const moved_names[] = {
    "mb2014_Motorcycle/motorcycle_left.png", "mb2006_Cloth3/view1.png",
    "mb2005_Reindeer/view1.png"};
/* Did not set the constants. */
static const char *const unseen[] = {"mb2003_cones/im6.png",
    "mb2014_Motorcycle/motorcycle_right.png", "mb2006_Cloth3/view5.png"};

static void
test_moved (DeviceKind kind)
{
  static const double noise[] = {0, 1, 3, 5}, most[] = {.025, 1, .048, 1};
  PocstereoParams paper = POCSTEREO_POINTS_DEFAULTS;
  PocstereoParams dense = POCSTEREO_DENSE_DEFAULTS, kinds[4];
  static const char *const kind_names[] = {"points, 32 x 15", "points, 16 x 11",
      "every pixel, 32 x 15", "every pixel, 16 x 11"};

  paper.min_disparity = dense.min_disparity = -4;
  paper.max_disparity = dense.max_disparity = 8;
  kinds[0] = paper;
  kinds[3] = kinds[2] = kinds[1] = dense;
  kinds[1].candidates = 1;
  kinds[1].left_right = kinds[1].revote = false;
  kinds[1].speckle_size = 0;
  kinds[2].window = 32;
  kinds[2].lines = 15;
  kinds[2].bandwidth = 12;
  for (int i = 0; i < 4; i++) {
    Errors e = moved (kind, moved_names, 3, &paper, noise[i], true);

    printf ("| noise %g | %.4f |\n", noise[i], sqrt (e.sum2 / e.n));
    check (sqrt (e.sum2 / e.n) <= most[i]);
  }
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 4; i++) {
      Errors e = moved (kind, unseen, 3, &kinds[k], noise[i], false);
      double within = 100. * e.within / e.right;

      printf ("| %s, noise %g | %.1f %% |\n", kind_names[k], noise[i], within);
      check (within >= 60 && within <= 76);
    }
}

static void
test_leaning (DeviceKind kind)
{
  test_slopes (kind, moved_names, 3);
}

static const CheckPart on_each[] = {{"pairs", test_pairs},
    {"moved", test_moved}, {"slopes", test_leaning}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  if (!getenv ("VISION_TEST_DATA")) {
    printf ("SKIP: VISION_TEST_DATA is not set\n");
    return 77;
  }
  return check_main (argc, argv, on_each, NULL, NULL);
}
