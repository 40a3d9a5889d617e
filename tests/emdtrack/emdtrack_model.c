/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Distances of regions from a target, against the paper's simplex; bounds of
 * them; and the nearest of many boxes, against all their distances. */
#include <math.h>

#include "emdtrack/emdtrack_codebook.h"
#include "emdtrack/emdtrack_search.h"
#include "frames.h"

/* Weights of which some are 0. */
static void
draw_weights (double *weight, int n)
{
  for (int i = 0; i < n; i++)
    weight[i] = rnd (3) ? 1 + rnd (1000) : 0;
  weight[rnd ((uint32_t) n)] = 500;
}

static EmdtrackParams
draw_params (int bins)
{
  EmdtrackParams p = emdtrack_defaults ();

  p.bins = bins;
  p.histogram = EMDTRACK_INTENSITY;
  p.distance = EMDTRACK_MATRIX;
  for (int i = 0; i < bins; i++)
    for (int j = 0; j < i; j++)
      p.matrix[i][j] = p.matrix[j][i] = 1 + rnd (rnd (2) ? 255 : 9);
  return p;
}

/* A histogram that differs a little from the last one, or altogether. */
static void
draw_counts (uint32_t counts[EMDTRACK_BINS], int bins)
{
  double weight[EMDTRACK_BINS];

  if (rnd (4)) {
    counts[rnd ((uint32_t) bins)] += rnd (200);
    counts[rnd ((uint32_t) bins)] /= 2;
  } else {
    draw_weights (weight, bins);
    for (int i = 0; i < bins; i++)
      counts[i] = (uint32_t) weight[i] << rnd (8);
  }
  counts[rnd ((uint32_t) bins)]++;
}

static double
by_simplex (const EmdtrackModel *m, const uint32_t *counts)
{
  static EmdtrackTableau tableau;
  int supply[EMDTRACK_BINS] = {0};
  double weight[EMDTRACK_BINS];
  uint64_t pivots = 0;

  for (int i = 0; i < EMDTRACK_BINS; i++)
    weight[i] = counts[i];
  emdtrack_quantise (weight, m->ground.n, EMDTRACK_REGION_MASS, supply);
  return (double) emdtrack_simplex (&tableau, &m->problem, supply, &pivots) /
      EMDTRACK_REGION_MASS / m->ground.farthest;
}

static void
test_distances (DeviceKind kind)
{
  static EmdtrackModel m;
  EmdtrackGround ground;

  for (int k = 0; k < 60; k++) {
    int bins = 2 + (int) rnd (EMDTRACK_BINS - 1);
    EmdtrackParams p = draw_params (bins);
    uint32_t counts[EMDTRACK_BINS] = {0};
    EmdtrackTarget target = {{0}};

    draw_weights (target.weight, bins);
    ok (emdtrack_ground_set (&ground, &p));
    emdtrack_model_set (&m, &ground, &target);
    draw_counts (counts, bins);
    for (int i = 0; i < 40; i++) {
      double before, exact = by_simplex (&m, counts);

      before = emdtrack_model_bound (&m, counts, INFINITY);
      check (before >= 0 && before <= exact);
      check_near (emdtrack_model_distance (&m, counts), exact, 0);
      /* by the tree of this very histogram only rounding is lost */
      check (emdtrack_model_bound (&m, counts, exact / 2) <= exact);
      check (emdtrack_model_bound (&m, counts, INFINITY) > exact - .01);
      draw_counts (counts, bins);
    }
  }
}

/* ---- The nearest of many ---- */

typedef struct {
  Device dev;
  Emdtrack *e;
  EmdtrackCodebook book;
  EmdtrackParams params;
  EmdtrackModel lazy, plain;
  EmdtrackSearch search;
  double all[EMDTRACK_REGIONS]; /* the distances of all candidates */
  Frame frame;
} Stage;

#define STAGE_WIDTH 200
#define STAGE_HEIGHT 120

static void
stage_open (Stage *s)
{
  EmdtrackFrame frame;
  EmdtrackTarget target = {{0}};
  EmdtrackGround ground;

  s->params = emdtrack_defaults ();
  s->params.codebook = &s->book;
  s->params.bins = 8 + (int) rnd (9);
  s->params.distance = EMDTRACK_EUCLIDEAN;
  s->params.saturation = rnd (2) ? 15 : 0;
  s->frame = frame_new (IMAGE_RGB, STAGE_WIDTH, STAGE_HEIGHT, 0, 1);
  for (int y = 0; y < STAGE_HEIGHT; y++)
    for (int x = 0; x < STAGE_WIDTH; x++) {
      double wave = sin (x * .07) + sin (y * .11) + sin ((x + 2 * y) * .03);

      for (int c = 0; c < 3; c++)
        s->frame.image.plane[0][3 * (y * STAGE_WIDTH + x) + c] =
            (uint8_t) (128 + 30 * sin (wave + 2 * c) + rnd (12));
    }
  frame = (EmdtrackFrame){.image = s->frame.image};
  ok (device_open (&s->dev, DEVICE_CPU, NULL));
  ok (emdtrack_new (&s->e, &s->dev, STAGE_WIDTH, STAGE_HEIGHT));
  ok (emdtrack_codebook_learn (
      &s->dev, &frame, (ImageBox){20, 20, 180, 100}, s->params.bins, &s->book));
  ok (emdtrack_index (s->e, &s->params, &frame));
  draw_weights (target.weight, s->params.bins);
  ok (emdtrack_ground_set (&ground, &s->params));
  emdtrack_model_set (&s->lazy, &ground, &target);
  emdtrack_model_set (&s->plain, &ground, &target);
}

static void
stage_close (Stage *s)
{
  emdtrack_free (s->e);
  device_close (&s->dev);
  frame_free (&s->frame);
}

/* Candidates all over the frame and beyond; all distances are found first. */
static void
stage_search (Stage *s, double step, double enough)
{
  EmdtrackCandidate like = {0, 0, 24, 18, 2, NULL, 0};
  double centres[4] = {0, 0, STAGE_WIDTH, STAGE_HEIGHT};

  s->search.n = 0;
  emdtrack_search_grid (&s->search, &like, 1, centres, step);
  ok (emdtrack_search_run (
      &s->search, s->e, &s->lazy, enough, STAGE_WIDTH, STAGE_HEIGHT, 0));
  for (int i = 0; i < s->search.n; i++) {
    const EmdtrackCandidate *c = &s->search.candidate[i];

    s->all[i] = c->counts ? emdtrack_model_distance (&s->plain, c->counts)
                          : c->distance;
    check (c->distance <= s->all[i]);
  }
}

/* How many distances were found. */
static int
exact_ones (const Stage *s)
{
  int n = 0;

  for (int i = 0; i < s->search.n; i++)
    n += !s->search.candidate[i].counts && s->search.candidate[i].distance <= 1;
  return n;
}

static bool
is_right (const EmdtrackCandidate *c, const void *data)
{
  return c->distance <= 1 && c->cx > *(const double *) data;
}

static void
test_search (DeviceKind kind)
{
  static Stage s;

  for (int k = 0; k < 12; k++) {
    int best = -1, right = -1, n_inside = 0;
    double from = 60 + rnd (100), limit;
    const EmdtrackCandidate *c;

    s = (Stage){0};
    stage_open (&s);
    stage_search (&s, 3 + rnd (4), k % 2 ? INFINITY : .3);
    for (int i = 0; i < s.search.n; i++) {
      bool is = s.search.candidate[i].cx > from;

      n_inside += s.all[i] <= 1;
      if (s.all[i] <= 1 && (best < 0 || s.all[i] < s.all[best]))
        best = i;
      if (s.all[i] <= 1 && is && (right < 0 || s.all[i] < s.all[right]))
        right = i;
    }
    c = emdtrack_search_min (&s.search, is_right, &from);
    check (c == &s.search.candidate[right] && c->distance == s.all[right]);
    c = emdtrack_search_best (&s.search, 0, 0);
    check (c && !c->counts && c->distance == s.all[best]);
    check (exact_ones (&s) < n_inside / 2);
    limit = s.all[best] + .03;
    emdtrack_search_within (&s.search, limit);
    for (int i = 0; i < s.search.n; i++)
      check (s.all[i] > limit ? s.search.candidate[i].distance > limit
                              : s.search.candidate[i].distance == s.all[i]);
    stage_close (&s);
  }
}

CHECK_MAIN (NULL, NULL, PART (distances), PART (search))
