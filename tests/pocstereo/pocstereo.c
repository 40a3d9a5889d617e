/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pocstereo: known disparities, FFTW, what must be refused, and CPU against
 * CUDA bit for bit. */
#ifdef HAVE_FFTW
# include <complex.h>
# include <fftw3.h>
#endif
#include "common/memory.h"
#include "failing.h"
#include "pocstereo/paper/techniques.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_fit_core.h"
#include "pocstereo/pocstereo_paths_core.h"
#include "pocstereo_pair.h"

/* ---- Pairs whose disparity is known ---- */

/* A grid of points away from the borders. */
#define GRID 60

static void
grid_of (const Pair *p, int margin, PocstereoPoint *points)
{
  for (int i = 0; i < GRID; i++) {
    points[i].x = margin + i % 10 * (p->width - 1 - 2 * margin) / 9;
    points[i].y = 10 + i / 10 * (p->height - 21) / 5;
  }
}

/* A wall @d pixels off, @tolerance: of every point, away from the borders. */
static void
check_wall (
    DeviceKind kind, const PocstereoParams *params, double d, double tolerance)
{
  Texture t = texture_new ();
  AUTO (Pair) p = pair_new (320, 64, (int) rnd (9));
  PocstereoPoint points[GRID];
  PocstereoMatch *m;

  pair_draw_wall (&p, &t, d);
  grid_of (&p, 100, points);
  m = pair_match (kind, params, &p, points, GRID);
  for (int i = 0; i < GRID; i++)
    check_near (disparity_of (m[i]), d, tolerance);
  free (m);
  m = pair_match (kind, params, &p, NULL, 0);
  for (int i = 0; i < GRID; i++)
    check_near (disparity_of (m[points[i].y * p.width + points[i].x]), d,
        2 * tolerance);
  free (m);
  check (pair_is_unharmed (&p));
}

static void
test_shifts (DeviceKind kind)
{
  PocstereoParams p = pocstereo_points_defaults ();

  p.min_disparity = -64;
  p.max_disparity = 64;
  for (int d = -60; d <= 60; d += 24)
    check_wall (kind, &p, d, .004);
  for (int d = -3; d <= 3; d++)
    check_wall (kind, &p, d / 4., .06);
  p.window = 128; /* kernels that are made for any length */
  p.bandwidth = 31;
  check_wall (kind, &p, 17, .004);
  check_wall (kind, &p, 17.5, .06);
  p.window = 50;
  p.bandwidth = 12;
  check_wall (kind, &p, 17.5, .06);
}

/* Rigs whose cameras look inwards: only far, or only negative disparities. */
static void
test_ranges (DeviceKind kind)
{
  static const int ranges[][3] = {
      {-285, -205, -250}, {200, 280, 231}, {-4, 4, 3}, {17, 17, 17}};

  for (int i = 0; i < 4; i++) {
    PocstereoParams params = pocstereo_points_defaults ();
    Texture t = texture_new ();
    AUTO (Pair) p = pair_new (700, 64, 5);
    PocstereoPoint points[GRID];
    AUTO_MEMORY PocstereoMatch *m;

    params.min_disparity = ranges[i][0];
    params.max_disparity = ranges[i][1];
    pair_draw_wall (&p, &t, ranges[i][2]);
    grid_of (&p, 310, points);
    m = pair_match (kind, &params, &p, points, GRID);
    for (int k = 0; k < GRID; k++)
      check_near (disparity_of (m[k]), ranges[i][2], .004);
  }
}

/* Lines without a wave have no phasors: no peak, no sigma, any layer. */
static void
test_plain (DeviceKind kind)
{
  static const uint16_t samples[] = {0, 1, 2040, POCSTEREO_FULL_SAMPLE};
  PocstereoParams params = pocstereo_points_defaults ();

  for (int i = 0; i < 4; i++) {
    AUTO (Pair) p = pair_new (64, 48, 1);
    PocstereoPoint points[] = {{0, 0}, {63, 47}, {32, 24}};
    PocstereoMatch *m;

    pair_fill (&p, samples[i]);
    m = pair_match (kind, &params, &p, points, 3);
    for (int k = 0; k < 3; k++)
      check (m[k].peak == 0 && m[k].sigma == 65535);
    free (m);
    params.min_peak = .01;
    m = pair_match (kind, &params, &p, NULL, 0);
    for (int k = 0; k < 64 * 48; k++)
      check (m[k].disparity == POCSTEREO_NONE);
    free (m);
    params.min_peak = 0;
  }
}

/* Saturated halves: steps of black and white, and identical views up to their
 * borders. */
static void
test_identical (DeviceKind kind)
{
  AUTO (Pair) p = pair_new (96, 64, 0);
  PocstereoParams params = pocstereo_points_defaults ();
  PocstereoMatch *m;

  params.min_disparity = -32;
  params.max_disparity = 32;
  for (int y = 0; y < 64; y++)
    for (int x = 0; x < 96; x++) {
      bool white = random_below (check_seed, x / 3 + 1000 * (y / 2), 2);

      *pair_at (&p, 0, x, y) = *pair_at (&p, 1, x, y) =
          white ? POCSTEREO_FULL_SAMPLE : 0;
    }
  for (int candidates = 1; candidates <= 9; candidates += 8) {
    params.candidates = candidates;
    m = pair_match (kind, &params, &p, NULL, 0);
    for (int i = 0; i < 96 * 64; i++) {
      check (m[i].disparity == 0);
      check (m[i].peak > 30000); /* less where lines are plain */
    }
    free (m);
  }
}

/* With one candidate and one window, every pixel finds what a point there
 * finds, but where the range leads out of the right view: there points are
 * searched inside of it alone. */
static void
test_points_are_pixels (DeviceKind kind)
{
  AUTO (Pair) p = pair_new (90 + (int) rnd (20), 50 + (int) rnd (20), 7);
  int n = p.width * p.height;
  PocstereoParams params = pocstereo_points_defaults ();
  AUTO_MEMORY PocstereoPoint *points = malloc (n * sizeof *points);
  Texture t = texture_new ();

  params.max_disparity = 40;
  pair_draw_wall (&p, &t, 13.3);
  for (int i = 0; i < n; i++)
    points[i] = (PocstereoPoint){i % p.width, i / p.width};
  for (int fit = POCSTEREO_CLOSED_FORM; fit <= POCSTEREO_TWO_WINDOWS; fit++) {
    AUTO_MEMORY PocstereoMatch *sparse, *few, *dense;

    params.fit = (PocstereoFit) fit;
    sparse = pair_match (kind, &params, &p, points, n);
    few = pair_match (kind, &params, &p, points, 40);
    dense = pair_match (kind, &params, &p, NULL, 0);
    for (int i = 0; i < n && fit != POCSTEREO_TWO_WINDOWS; i++)
      if (i % p.width >= 56 && i % p.width < p.width - 16)
        check (!memcmp (&sparse[i], &dense[i], sizeof *sparse));
    check (!memcmp (sparse, few, 40 * sizeof *few));
  }
}

/* Identical views, up to the edges, with a range that leads out of the right
 * view. */
static void
test_points_at_edges (DeviceKind kind)
{
  AUTO (Pair) p = pair_new (160, 96, 0);
  PocstereoParams params = pocstereo_points_defaults ();
  PocstereoPoint points[32 * 19];
  const int n = 32 * 19;
  Texture t = texture_new ();
  PocstereoMatch *m;
  int wrong = 0, sure = 0;

  pair_draw_wall (&p, &t, 0);
  for (int i = 0; i < n; i++)
    points[i] = (PocstereoPoint){2 + i % 32 * 5, 2 + i / 32 * 5};
  for (int side = -1; side <= 1; side += 2) {
    params.min_disparity = side < 0 ? -64 : 0;
    params.max_disparity = side < 0 ? 0 : 64;
    m = pair_match (kind, &params, &p, points, n);
    for (int i = 0; i < n; i++) {
      double d = disparity_of (m[i]), x = points[i].x - d;

      check (isnan (d) || (x >= -.5 && x < p.width - .5));
      wrong += fabs (d) > .1;
      sure += fabs (d) > .1 && m[i].peak > 65535 / 2;
    }
    free (m);
  }
  printf ("%d of %d points wrong, %d of these with a high peak\n", wrong, 2 * n,
      sure);
  check (wrong < 2 * n / 20 && sure < 2 * n / 100);
}

/* A square nearer by 12 pixels before a wall: what it hides from the right view
 * is left of it, and has no match; all else is right but for its rim, and the
 * re-vote puts the rim where it is. */
static void
test_square (DeviceKind kind)
{
  AUTO (Pair) p = pair_new (240, 140, 0);
  Texture wall = texture_new (), square = texture_new ();
  PocstereoParams params = pocstereo_dense_defaults ();
  int wrong[2] = {0, 0}, hidden = 0;

  params.max_disparity = 48;
  for (int y = 0; y < 140; y++)
    for (int x = 0; x < 240; x++)
      for (int v = 0; v < 2; v++) {
        bool in = y >= 40 && y < 100 && x + 24 * v >= 100 && x + 24 * v < 170;
        double u = in ? texture_at (&square, x + 24 * v, y)
                      : texture_at (&wall, x + 12 * v, y);

        *pair_at (&p, v, x, y) = (uint16_t) (POCSTEREO_FULL_SAMPLE * u);
      }
  for (int revote = 0; revote < 2; revote++) {
    AUTO_MEMORY PocstereoMatch *m;

    params.revote = revote;
    m = pair_match (kind, &params, &p, NULL, 0);
    for (int i = 0; i < 240 * 140; i++) {
      int x = i % 240, y = i / 240;
      bool in = y >= 40 && y < 100 && x >= 100 && x < 170;
      bool is_hidden = y >= 40 && y < 100 && x >= 88 && x < 100;
      double off = fabs (disparity_of (m[i]) - (in ? 24 : 12));

      if (x < 60 || x >= 200 || y < 12 || y >= 128)
        continue;
      if (is_hidden)
        hidden += m[i].disparity == POCSTEREO_NONE && revote;
      else
        wrong[revote] += !(off < 1);
    }
  }
  check (wrong[1] < 140 * 116 / 50);
  check (wrong[1] < wrong[0] * 2 / 3);
  check (hidden > 12 * 60 * 3 / 5);
}

/* A square with faint texture before a wall, under noise: what one window says
 * is often wrong, and its neighbours know better. */
static void
test_faint (DeviceKind kind)
{
  AUTO (Pair) p = pair_new (240, 140, 0);
  Texture square = texture_new (), wall = texture_new ();
  PocstereoParams params = pocstereo_dense_defaults ();
  int wrong[2] = {0, 0};

  params.max_disparity = 48;
  params.speckle_size = 0;
  for (int y = 0; y < 140; y++)
    for (int x = 0; x < 240; x++)
      for (int v = 0; v < 2; v++) {
        bool in = y >= 40 && y < 100 && x + 24 * v >= 100 && x + 24 * v < 170;
        double u = in ? .6 + .04 * texture_at (&square, x + 24 * v, y)
                      : .3 * texture_at (&wall, x + 12 * v, y);

        *pair_at (&p, v, x, y) =
            (uint16_t) (POCSTEREO_FULL_SAMPLE * u + rnd (100));
      }
  for (int paths = 0; paths < 2; paths++) {
    AUTO_MEMORY PocstereoMatch *m;

    params.paths = paths;
    m = pair_match (kind, &params, &p, NULL, 0);
    for (int y = 40; y < 100; y++)
      for (int x = 100; x < 170; x++)
        wrong[paths] += !(fabs (disparity_of (m[y * 240 + x]) - 24) < 1);
  }
  check (wrong[1] < wrong[0] * 2 / 3);
}

/* ---- The choice along paths, against all choices along each path ---- */

#define CHOICE_WIDTH 6
#define CHOICE_HEIGHT 5
#define CHOICE_PIXELS (CHOICE_WIDTH * CHOICE_HEIGHT)

/* What a small view chooses from. */
typedef struct {
  uint16_t sample[CHOICE_PIXELS];
  int cost[CHOICE_PIXELS][POCSTEREO_KEPT];
  int32_t disparity[CHOICE_PIXELS][POCSTEREO_KEPT]; /* even numbers */
  uint16_t donors[CHOICE_PIXELS];
  PocstereoMatch match[CHOICE_PIXELS];
  int32_t median[CHOICE_PIXELS];
} Choices;

static Choices
random_choices (void)
{
  Choices c;
  int spread = rnd (2) ? 1000 : 4000000 / 4;

  for (int i = 0; i < CHOICE_PIXELS; i++) {
    c.sample[i] = (uint16_t) rnd (rnd (2) ? 100 : POCSTEREO_FULL_SAMPLE);
    c.donors[i] = 0;
    for (int k = 0; k < POCSTEREO_KEPT; k++) {
      c.cost[i][k] = (int) rnd (1551);
      c.disparity[i][k] = 2 * ((int) rnd (spread) - spread / 2);
      c.donors[i] |= (uint16_t) (rnd (9) << 4 * k);
    }
    c.median[i] = (int32_t) rnd (5000) - 2500;
    c.match[i] = (PocstereoMatch){(int32_t) rnd (5000) - 2500,
        (uint16_t) rnd (65536), (uint16_t) rnd (65536)};
  }
  return c;
}

/* The least cost of a path of @n pixels that ends with offer @last, of all
 * choices for the pixels before. */
static int
least_of_choices (const Choices *c, const int *pixel, int n, int last)
{
  int least = INT32_MAX, choices = 1;

  for (int i = 1; i < n; i++)
    choices *= POCSTEREO_KEPT;
  for (int choice = 0; choice < choices; choice++) {
    int cost = c->cost[pixel[n - 1]][last], to = last, rest = choice;

    for (int i = n - 2; i >= 0; i--) {
      int from = rest % POCSTEREO_KEPT;
      int apart =
          abs (c->disparity[pixel[i]][from] - c->disparity[pixel[i + 1]][to]);
      int step = abs (c->sample[pixel[i]] - c->sample[pixel[i + 1]]);
      int jump = 6000 - 24 * step;

      rest /= POCSTEREO_KEPT;
      cost += c->cost[pixel[i]][from] +
          (apart <= 256        ? apart / 2
                  : jump > 128 ? jump
                               : 128);
      to = from;
    }
    least = cost < least ? cost : least;
  }
  return least;
}

/* The offer that pixel (@x, @y) chooses. */
static int
best_of_choices (const Choices *c, int x, int y)
{
  static const int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
  int sum[POCSTEREO_KEPT] = {0}, best = 0;

  for (int d = 0; d < 4; d++) {
    int pixel[CHOICE_WIDTH], n = 0, back = 0;

    for (int u = x, v = y;
         u >= 0 && v >= 0 && u < CHOICE_WIDTH && v < CHOICE_HEIGHT;
         u -= dx[d], v -= dy[d])
      n++;
    for (int i = n - 1; i >= 0; i--, back++)
      pixel[i] = (y - back * dy[d]) * CHOICE_WIDTH + x - back * dx[d];
    for (int k = 0; k < POCSTEREO_KEPT; k++)
      sum[k] += least_of_choices (c, pixel, n, k);
  }
  for (int k = 1; k < POCSTEREO_KEPT; k++)
    best = sum[k] < sum[best] ? k : best;
  return best;
}

/* The matches that the stage of @dev chooses. */
static void
choose_on_device (
    const Device *dev, const Choices *c, PocstereoMatch found[CHOICE_PIXELS])
{
  const PocstereoStages *stages = STAGES (pocstereo, dev);
  DeviceMemory memory;
  PocstereoOffers offers = {0};
  PocstereoDenseMatches matches = {CHOICE_WIDTH, CHOICE_HEIGHT, 1, {0}};
  PocstereoFrame frame = {
      CHOICE_WIDTH, CHOICE_HEIGHT, {NULL, NULL}, CHOICE_WIDTH};
  int32_t offer[CHOICE_PIXELS][POCSTEREO_KEPT];
  uint16_t *sample;

  for (int i = 0; i < CHOICE_PIXELS; i++)
    for (int k = 0; k < POCSTEREO_KEPT; k++)
      offer[i][k] = pocstereo_offer (c->cost[i][k], c->disparity[i][k]);
  memory_open (&memory, dev);
  ok (memory_get (&memory, &offers.offer[0], CHOICE_PIXELS * POCSTEREO_KEPT));
  ok (memory_get (&memory, &offers.donors[0], CHOICE_PIXELS));
  ok (memory_get (&memory, &offers.sum[0], CHOICE_PIXELS * POCSTEREO_KEPT));
  ok (memory_get (&memory, &offers.match[0], CHOICE_PIXELS));
  ok (memory_get (&memory, &offers.median[0], CHOICE_PIXELS));
  ok (memory_get (&memory, &matches.view[0], CHOICE_PIXELS));
  ok (memory_get (&memory, &sample, CHOICE_PIXELS));
  ok (device_copy (dev, offers.offer[0], offer, sizeof offer));
  ok (device_copy (dev, offers.donors[0], c->donors, sizeof c->donors));
  ok (device_clear (
      dev, offers.sum[0], CHOICE_PIXELS * POCSTEREO_KEPT * sizeof (uint16_t)));
  ok (device_copy (dev, offers.match[0], c->match, sizeof c->match));
  ok (device_copy (dev, offers.median[0], c->median, sizeof c->median));
  ok (device_copy (dev, sample, c->sample, sizeof c->sample));
  frame.view[0] = sample;
  ok (stages->paths (dev, &frame, 0, &offers, &matches));
  ok (device_copy (dev, found, matches.view[0], CHOICE_PIXELS * sizeof *found));
  ok (device_wait (dev));
  memory_free (&memory);
}

static void
test_choices (DeviceKind kind)
{
  AUTO (Device) dev = device_of (kind);

  for (int round = 0; round < 20; round++) {
    Choices c = random_choices ();
    PocstereoMatch found[CHOICE_PIXELS];

    choose_on_device (&dev, &c, found);
    for (int i = 0; i < CHOICE_PIXELS; i++) {
      int x = i % CHOICE_WIDTH, y = i / CHOICE_WIDTH;
      int best = best_of_choices (&c, x, y);
      int donor = c.donors[i] >> 4 * best & 15;
      PocstereoMatch match = c.match[i];

      if (donor) {
        PocstereoPoint p = pocstereo_donor (pocstereo_offer_donors (),
            donor - 1, x, y, CHOICE_WIDTH, CHOICE_HEIGHT);

        match = c.match[p.y * CHOICE_WIDTH + p.x];
        match.disparity = c.median[p.y * CHOICE_WIDTH + p.x];
        match.sigma =
            (uint16_t) (match.sigma < 32768 ? 2 * match.sigma : 65535);
      }
      check (!memcmp (&found[i], &match, sizeof match));
    }
  }
}

/* The cheapest offers of four surfaces stay, and who made them; costs differ by
 * more than the lead that a cheaper offer of one surface needs. */
static void
test_kept (DeviceKind kind)
{
  for (int round = 0; round < 1000; round++) {
    PocstereoKept kept = {POCSTEREO_NO_OFFER, POCSTEREO_NO_OFFER,
        POCSTEREO_NO_OFFER, POCSTEREO_NO_OFFER, 0};
    int cost[8], order[8], surface[8], n_surfaces = 1 + (int) rnd (7);
    int32_t offer[POCSTEREO_KEPT];

    for (int i = 0; i < 8; i++) { /* a permutation */
      int j = (int) rnd (i + 1);

      order[i] = i;
      order[i] = order[j];
      order[j] = i;
    }
    for (int i = 0; i < 8; i++) {
      cost[i] = 190 * order[i] + (int) rnd (50);
      surface[i] = (int) rnd (n_surfaces);
      kept = pocstereo_keep_offer (kept,
          pocstereo_offer (cost[i], 1000 * surface[i] + 2 * (int) rnd (128)),
          (uint32_t) i);
    }
    offer[0] = kept.a;
    offer[1] = kept.b;
    offer[2] = kept.c;
    offer[3] = kept.d;
    for (int i = 0; i < 8; i++) {
      int cheaper = 0, is_kept = 0;

      for (int s = 0; s < n_surfaces; s++) {
        int least = INT32_MAX;

        for (int j = 0; j < 8; j++)
          if (surface[j] == s && cost[j] < least)
            least = cost[j];
        cheaper += surface[i] == s ? 8 * (least < cost[i]) : least < cost[i];
      }
      for (int k = 0; k < POCSTEREO_KEPT; k++)
        is_kept |= pocstereo_offer_cost (offer[k]) == cost[i] &&
            (int) (kept.donors >> 4 * k & 15) == i;
      check (is_kept == (cheaper < POCSTEREO_KEPT));
    }
  }
}

/* ---- Offers and the choice among them, of any matches: CPU against CUDA ----
 */

/* Of both views. */
typedef struct {
  PocstereoMatch *match;
  int32_t *offer;
} Chosen;

static void
chosen_free (Chosen *c)
{
  free (c->match);
  free (c->offer);
}

AUTO_FREE (Chosen, chosen_free)

/* What @kind chooses for the first @n_views views of @p, of @before. */
static Chosen
choose_in_pair (DeviceKind kind, const Pair *p, const PocstereoMatch *before,
    int n_views, uint16_t min_peak)
{
  size_t n = (size_t) p->width * p->height;
  AUTO (Device) dev = device_of (kind);
  const PocstereoStages *stages = STAGES (pocstereo, &dev);
  PocstereoDenseMatches matches = {p->width, p->height, n_views, {0}};
  Chosen c = {calloc (2 * n, sizeof *c.match), calloc (8 * n, sizeof *c.offer)};
  PocstereoOffers offers = {0};
  PocstereoCensuses census = {0};
  uint16_t *view[2];
  PocstereoFrame frame = pair_to_device (p, &dev, view);
  DeviceMemory memory;
  int32_t *scratch;

  memory_open (&memory, &dev);
  ok (memory_get (&memory, &scratch, POCSTEREO_SCRATCH * n));
  for (int v = 0; v < 2; v++) {
    ok (memory_get (&memory, &matches.view[v], n));
    ok (memory_get (&memory, &census.view[v], n));
    ok (memory_get (&memory, &offers.offer[v], POCSTEREO_KEPT * n));
    ok (memory_get (&memory, &offers.donors[v], n));
    ok (memory_get (&memory, &offers.sum[v], POCSTEREO_KEPT * n));
    ok (memory_get (&memory, &offers.match[v], n));
    ok (memory_get (&memory, &offers.median[v], n));
    ok (device_copy (
        &dev, matches.view[v], before + v * n, n * sizeof *before));
  }
  ok (stages->census (&dev, &frame, &census));
  ok (stages->offers (&dev, &census, &matches, scratch, &offers));
  ok (stages->paths (&dev, &frame, min_peak, &offers, &matches));
  for (int v = 0; v < n_views; v++) {
    ok (device_copy (
        &dev, c.match + v * n, matches.view[v], n * sizeof *c.match));
    ok (device_copy (&dev, c.offer + POCSTEREO_KEPT * v * n, offers.offer[v],
        POCSTEREO_KEPT * n * sizeof *c.offer));
  }
  ok (device_wait (&dev));
  memory_free (&memory);
  device_release (&dev, view[0]);
  device_release (&dev, view[1]);
  return c;
}

/* Matches of @width x @height pixels of two views: surfaces of any slope, or
 * any disparities up to @range. */
static PocstereoMatch *
any_matches (int width, int height, uint32_t range)
{
  size_t n = 2 * (size_t) width * height;
  PocstereoMatch *m = malloc (n * sizeof *m);
  int32_t half = (int32_t) range / 2, lone = (int32_t) rnd (4);

  for (size_t i = 0; i < n; i++) {
    int32_t d = (int32_t) rnd (range) - half;

    if (i >= (size_t) width && lone && rnd (40))
      d = m[i - (rnd (2) ? width : 1)].disparity + (int32_t) rnd (9) - 4;
    m[i] = (PocstereoMatch){pocstereo_clamp (d, -half, half),
        (uint16_t) rnd (65536), (uint16_t) rnd (65536)};
  }
  return m;
}

/* Narrow views, views of more than a block, equal offers, and ranges that leave
 * the views. */
static void
test_parity_choice (DeviceKind kind)
{
  static const uint32_t ranges[] = {
      1, 64, 600, 6000, 2 * POCSTEREO_MAX_DISPARITY * POCSTEREO_ONE};

  for (int round = 0; round < 90; round++) {
    int width = round < 40 ? round + 1 : 1 + (int) rnd (300);
    int height = 1 + (int) rnd (round % 2 ? 40 : 150), n_views = 1 + round % 2;
    AUTO (Pair) p = pair_new (width, height, (int) rnd (9));
    uint32_t greys = rnd (2) ? POCSTEREO_FULL_SAMPLE + 1 : 1 + rnd (300);
    uint16_t min_peak = (uint16_t) (rnd (2) ? rnd (65536) : 0);
    AUTO_MEMORY PocstereoMatch *before =
        any_matches (width, height, ranges[round % 5]);
    AUTO (Chosen) cpu, gpu;

    for (int v = 0; v < 2; v++)
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
          *pair_at (&p, v, x, y) = (uint16_t) rnd (greys);
    cpu = choose_in_pair (DEVICE_CPU, &p, before, n_views, min_peak);
    gpu = choose_in_pair (kind, &p, before, n_views, min_peak);
    check (!memcmp (
        cpu.match, gpu.match, 2 * (size_t) width * height * sizeof *cpu.match));
    check (!memcmp (
        cpu.offer, gpu.offer, 8 * (size_t) width * height * sizeof *cpu.offer));
  }
}

/* ---- Params, frames and points that must be refused; any of them ---- */

#define refused(sentence, ...) \
 do { \
  PocstereoParams p = pocstereo_dense_defaults (); \
  const char *said; \
  __VA_ARGS__; \
  said = pocstereo_check (&p, 640, 480); \
  check (said && !strncmp (said, sentence, strlen (sentence))); \
 } while (0)

static void
test_params (DeviceKind kind)
{
  PocstereoParams dense = pocstereo_dense_defaults ();
  PocstereoParams points = pocstereo_points_defaults ();

  ok (pocstereo_check (&dense, 640, 480));
  ok (pocstereo_check (&points, 32, 16));
  check (pocstereo_check (&points, 31, 16) != NULL);
  check (pocstereo_check (&points, 32, 14) != NULL);
  points.window = 128;
  ok (pocstereo_check (&points, 128, 16));
  check (pocstereo_check (&points, 127, 16) != NULL);
  refused ("window must", p.window = 6);
  refused ("window must", p.window = 129);
  refused ("lines must", p.lines = 0);
  refused ("lines must", p.lines = 33);
  refused ("lines must", p.lines = 10);
  refused ("bandwidth must", p.bandwidth = 0);
  refused ("bandwidth must", p.bandwidth = 8);
  refused ("bandwidth must", p.window = 17, p.bandwidth = 9);
  refused ("bandwidth must", p.window = 128, p.bandwidth = 32);
  refused ("weight must", p.weight = (PocstereoWeight) 3);
  refused ("weight or fit is not", p.weight = POCSTEREO_AUTO_WEIGHT);
  refused ("weight or fit is not", p.fit = POCSTEREO_AUTO_FIT);
  refused ("fit must", p.fit = (PocstereoFit) 4);
  refused ("noise-floor must", p.noise_floor = NAN);
  refused ("noise-floor must", p.noise_floor = -1);
  refused ("noise-floor must", p.noise_floor = 256);
  refused ("min-disparity is greater", p.min_disparity = 129);
  refused ("min-disparity must", p.min_disparity = -4097);
  refused ("max-disparity must", p.max_disparity = 4097);
  refused ("layers must", p.layers = 9);
  refused ("layers must", p.layers = -1);
  refused ("the frame is too small", p.layers = 8);
  refused ("min-peak must", p.min_peak = NAN);
  refused ("min-peak must", p.min_peak = 1.01);
  refused ("candidates must", p.candidates = 2);
  refused ("average must", p.average = 0);
  refused ("average must", p.average = 65);
  refused ("slanted windows are of one", p.average = 2, p.slant = true);
  refused ("max-difference must", p.max_difference = NAN);
  refused ("max-difference must", p.max_difference = -1);
  refused ("speckle-size must", p.speckle_size = -1);
  refused ("speckle-step must", p.speckle_step = INFINITY);
}

static void
test_frames (DeviceKind kind)
{
  static const int sizes[][2] = {
      {15, 16}, {16, 15}, {8193, 16}, {16, 8193}, {-1, 0}};
  PocstereoParams params = pocstereo_points_defaults ();
  AUTO (Pair) p = pair_new (32, 16, 2);
  uint16_t *memory[2];
  const PocstereoMatch *m;
  PocstereoFrame good, bad[6];
  PocstereoPoint outside[] = {{32, 0}, {0, 16}, {-1, 0}, {0, -1}};
  AUTO (Device) dev = device_of (kind);
  Pocstereo *s;

  for (int i = 0; i < 5; i++) {
    check (pocstereo_new (&s, &dev, sizes[i][0], sizes[i][1]) != NULL);
    pocstereo_free (s);
  }
  pocstereo_free (NULL);
  pair_fill (&p, 7);
  good = pair_to_device (&p, &dev, memory);
  ok (pocstereo_new (&s, &dev, 32, 16));
  for (int i = 0; i < 6; i++)
    bad[i] = good;
  bad[0].width = 31;
  bad[1].height = 17;
  bad[2].view[0] = NULL;
  bad[3].view[1] = NULL;
  bad[4].stride = 31;
  bad[5].stride = -32;
  for (int i = 0; i < 6; i++)
    check (pocstereo_dense (s, &params, &bad[i], &m) != NULL);
  for (int i = 0; i < 4; i++)
    check (pocstereo_points (s, &params, &good, &outside[i], 1, &m) != NULL);
  check (pocstereo_points (s, &params, &good, outside, -1, &m) != NULL);
  check (pocstereo_points (
             s, &params, &good, outside, POCSTEREO_MAX_POINTS + 1, &m) != NULL);
  ok (pocstereo_points (s, &params, &good, NULL, 0, &m));
  ok (pocstereo_dense (s, &params, &good, &m));
  ok (device_wait (&dev));
  pocstereo_free (s);
  device_release (&dev, memory[0]);
  device_release (&dev, memory[1]);
}

/* Any params at any size, within padded rows. */
static PocstereoParams
random_params (int width, int height)
{
  PocstereoParams p = pocstereo_dense_defaults ();

  do {
    p.window = 8 + (int) rnd (rnd (3) ? 26 : 121);
    p.lines = 1 + 2 * (int) rnd (16);
    p.bandwidth = 1 + (int) rnd ((p.window - 1) / 2);
    p.layers = (int) rnd (5);
    if (rnd (3) == 0)
      p.window = 16, p.lines = 11, p.bandwidth = 6;
    else if (rnd (2))
      p.window = 32, p.lines = 15, p.bandwidth = rnd (2) ? 8 : 12;
    p.weight = (PocstereoWeight) (1 + rnd (2));
    p.fit = (PocstereoFit) (1 + rnd (2));
    p.noise_floor = rnd (2) ? 0 : rnd (60);
    p.min_disparity = (int) rnd (80) - 60;
    p.max_disparity = p.min_disparity + (int) rnd (rnd (2) ? 40 : 200);
    p.min_peak = rnd (2) ? 0 : rnd (100) / 200.;
    p.candidates = rnd (3) ? 9 : 1;
    p.left_right = rnd (2);
    p.max_difference = rnd (4) / 2.;
    p.revote = rnd (2);
    p.paths = rnd (2);
    p.slant = rnd (2);
    p.speckle_size = rnd (2) ? (int) rnd (100) : 0;
    p.speckle_step = rnd (4) / 2.;
    p.fill = rnd (2);
    p.smooth = rnd (2);
  } while (pocstereo_check (&p, width, height));
  return p;
}

/* Noise, or a wall with some. */
static Pair
random_pair (void)
{
  Pair p = pair_new (16 + (int) rnd (150), 16 + (int) rnd (80), (int) rnd (20));
  Texture t = texture_new ();
  uint32_t noise = rnd (3) ? 1 + rnd (800) : POCSTEREO_FULL_SAMPLE;

  pair_draw_wall (&p, &t, rnd (400) / 10. - 20);
  for (int v = 0; v < 2; v++)
    for (int y = 0; y < p.height; y++)
      for (int x = 0; x < p.width; x++) {
        uint32_t s = *pair_at (&p, v, x, y) + rnd (noise);

        *pair_at (&p, v, x, y) =
            (uint16_t) (s > POCSTEREO_FULL_SAMPLE ? POCSTEREO_FULL_SAMPLE : s);
      }
  return p;
}

/* What lies beside a frame, and what was asked before, changes nothing. */
static void
test_repeats (DeviceKind kind)
{
  AUTO (Pair) p = random_pair (), q = pair_new (p.width, p.height, 13);
  PocstereoMatch *first[6], *m;
  PocstereoParams params[6];
  AUTO (Device) dev = device_of (kind);
  Pocstereo *s;

  for (int v = 0; v < 2; v++)
    for (int y = 0; y < p.height; y++)
      memcpy (pair_at (&q, v, 0, y), pair_at (&p, v, 0, y),
          p.width * sizeof (uint16_t));
  for (int i = 0; i < 6; i++) {
    params[i] = random_params (p.width, p.height);
    first[i] = pair_match (kind, &params[i], &p, NULL, 0);
  }
  ok (pocstereo_new (&s, &dev, p.width, p.height));
  for (int round = 0; round < 12; round++) {
    int i = (int) rnd (6);

    if (rnd (2))
      free (pair_match_on (s, &dev, &params[rnd (6)], &p,
          (const PocstereoPoint[]){{3, 4}, {15, 15}}, 2));
    m = pair_match_on (s, &dev, &params[i], &q, NULL, 0);
    check (!memcmp (m, first[i], (size_t) p.width * p.height * sizeof *m));
    free (m);
  }
  for (int i = 0; i < 6; i++)
    free (first[i]);
  check (pair_is_unharmed (&p) && pair_is_unharmed (&q));
  pocstereo_free (s);
}

/* Every allocation and every copy fails once: a sentence, and nothing kept. */
static void
check_failing (int window, int bandwidth, int width, int height)
{
  AUTO (Pair) p = pair_new (width, height, 0);
  PocstereoFrame frame = {width, height, {p.view[0], p.view[1]}, width};
  PocstereoParams params = pocstereo_dense_defaults ();
  PocstereoPoint points[400]; /* whose lines are more than pixels */
  int calls = 1;

  params.window = window;
  params.bandwidth = bandwidth;
  pair_fill (&p, 9);
  memset (points, 0, sizeof points);
  for (int at = 0; at <= calls; at++) {
    const PocstereoMatch *m;
    const char *err;
    bool made;
    AUTO (Device) dev;
    Pocstereo *s;

    ok (failing_open (&dev, DEVICE_CPU, NULL));
    failing_reset (at);
    err = pocstereo_new (&s, &dev, width, height);
    made = !err;
    if (made)
      err = pocstereo_points (s, &params, &frame, points, 400, &m);
    if (!err)
      err = pocstereo_dense (s, &params, &frame, &m);
    check (!err == !at);
    calls = at ? calls : failing_calls;
    failing_reset (0);
    if (made && err && !strcmp (err, FAILING_MEMORY)) {
      ok (pocstereo_points (s, &params, &frame, points, 400, &m));
      ok (pocstereo_dense (s, &params, &frame, &m));
    }
    pocstereo_free (s);
    check (failing_blocks == 0);
  }
  check (calls > 15);
}

static void
test_failing (DeviceKind kind)
{
  check_failing (16, 6, 64, 40);
}

/* ---- Means of phasors over frames ---- */

#define STILL 16 /* frames */

/* About normal, of deviation 1. */
static double
normal (void)
{
  double sum = -6;

  for (int i = 0; i < 12; i++)
    sum += rnd (1 << 20) / (double) (1 << 20);
  return sum;
}

/* @clean with noise of @sigma grey levels on both views. */
static void
pair_add_noise (Pair *p, const Pair *clean, double sigma)
{
  for (int v = 0; v < 2; v++)
    for (int y = 0; y < p->height; y++)
      for (int x = 0; x < p->width; x++) {
        double sample = *pair_at (clean, v, x, y) + 16 * sigma * normal ();

        *pair_at (p, v, x, y) = (uint16_t) (sample < 0 ? 0
                : sample > POCSTEREO_FULL_SAMPLE       ? POCSTEREO_FULL_SAMPLE
                                                       : sample);
      }
}

/* Root mean square of the errors of points of a wall at @d. */
static double
rms_of (const PocstereoMatch *m, double d)
{
  double sum = 0;

  for (int i = 0; i < GRID; i++)
    sum += (disparity_of (m[i]) - d) * (disparity_of (m[i]) - d);
  return sqrt (sum / GRID);
}

/* The errors of the first frame and of the last, of one matcher. */
static void
test_still (DeviceKind kind)
{
  PocstereoParams params = pocstereo_points_defaults ();
  Texture t = texture_new ();
  AUTO (Pair) clean = pair_new (320, 64, 0), p = pair_new (320, 64, 3);
  PocstereoPoint points[GRID];
  double first = 0, last = 0, d = 6;
  AUTO (Device) dev = device_of (kind);
  Pocstereo *s;

  params.average = STILL;
  params.max_disparity = 16;
  pair_draw_wall (&clean, &t, d);
  grid_of (&clean, 60, points);
  ok (pocstereo_new (&s, &dev, 320, 64));
  for (int i = 0; i < STILL; i++) {
    AUTO_MEMORY PocstereoMatch *m;

    pair_add_noise (&p, &clean, 6);
    m = pair_match_on (s, &dev, &params, &p, points, GRID);
    last = rms_of (m, d);
    first = i ? first : last;
  }
  printf ("     errors of %.4f px, after %d frames %.4f\n", first, STILL, last);
  check (last < .6 * first); /* what noise makes: a quarter */
  check (pair_is_unharmed (&p));
  pocstereo_free (s);
}

/* A first frame, one after a reset, and one of another mode are alone. */
static void
test_alone (DeviceKind kind)
{
  for (int dense = 0; dense < 2; dense++) {
    PocstereoParams params = pocstereo_dense_defaults ();
    Texture t = texture_new ();
    AUTO (Pair) a = pair_new (96, 48, 1), b = pair_new (96, 48, 1);
    PocstereoPoint points[GRID], *which = dense ? NULL : points;
    PocstereoMatch *m[4];
    size_t n = dense ? 96 * 48 : GRID;
    AUTO (Device) dev = device_of (kind);
    Pocstereo *s;

    params.max_disparity = 16;
    pair_draw_wall (&a, &t, 3);
    t = texture_new ();
    pair_draw_wall (&b, &t, 9);
    grid_of (&a, 20, points);
    m[0] = pair_match (kind, &params, &b, which, GRID);
    params.average = 4;
    ok (pocstereo_new (&s, &dev, 96, 48));
    m[1] = pair_match_on (s, &dev, &params, &b, which, GRID);
    free (pair_match_on (s, &dev, &params, &a, which, GRID));
    pocstereo_reset (s);
    m[2] = pair_match_on (s, &dev, &params, &b, which, GRID);
    free (pair_match_on (s, &dev, &params, &a, dense ? points : NULL, GRID));
    m[3] = pair_match_on (s, &dev, &params, &b, which, GRID);
    for (int i = 1; i < 4; i++)
      check (!memcmp (m[0], m[i], n * sizeof *m[i]));
    for (int i = 0; i < 4; i++)
      free (m[i]);
    pocstereo_free (s);
  }
}

/* Frames that change, averaged: CPU against CUDA. */
static void
test_parity_average (DeviceKind kind)
{
  for (int round = 0; round < 40; round++) {
    AUTO (Pair) p = random_pair ();
    PocstereoParams params = random_params (p.width, p.height);
    PocstereoPoint points[GRID], *which = rnd (2) ? points : NULL;
    size_t n = which ? GRID : (size_t) p.width * p.height;
    DeviceKind kinds[2] = {DEVICE_CPU, kind};
    Device dev[2];
    Pocstereo *s[2];

    params.average = 2 + (int) rnd (6);
    params.slant = false;
    for (int i = 0; i < GRID; i++)
      points[i] = (PocstereoPoint){(int) rnd (p.width), (int) rnd (p.height)};
    for (int i = 0; i < 2; i++) {
      ok (device_open (&dev[i], kinds[i], NULL));
      ok (pocstereo_new (&s[i], &dev[i], p.width, p.height));
    }
    for (int frame = 0; frame < 4; frame++) {
      PocstereoMatch *m[2];

      for (int i = 0; i < 200; i++)
        *pair_at (&p, (int) rnd (2), (int) rnd (p.width),
            (int) rnd (p.height)) = (uint16_t) rnd (POCSTEREO_FULL_SAMPLE);
      for (int i = 0; i < 2; i++)
        m[i] = pair_match_on (s[i], &dev[i], &params, &p, which, GRID);
      check (!memcmp (m[0], m[1], n * sizeof *m[0]));
      free (m[0]);
      free (m[1]);
    }
    for (int i = 0; i < 2; i++) {
      pocstereo_free (s[i]);
      device_close (&dev[i]);
    }
  }
}

/* ---- Slanted planes that both views show whole, with windows that lean and
 * without ---- */

/* The plane's disparity: 8 pixels in the middle of the left view, more by
 * @across from pixel to pixel and by @down from row to row. */
static double
plane_at (const Pair *p, double across, double down, double x, int y)
{
  return 8 + across * (x - p->width / 2) + down * (y - p->height / 2);
}

/* What the right view shows at x is at x + d (x) of the left one's. */
static void
pair_draw_plane (Pair *p, const Texture *t, double across, double down)
{
  for (int y = 0; y < p->height; y++)
    for (int x = 0; x < p->width; x++) {
      double d = plane_at (p, across, down, 0, y);

      *pair_at (p, 0, x, y) =
          (uint16_t) lrint (POCSTEREO_FULL_SAMPLE * texture_at (t, x, y));
      *pair_at (p, 1, x, y) = (uint16_t) lrint (
          POCSTEREO_FULL_SAMPLE * texture_at (t, (x + d) / (1 - across), y));
    }
}

/* Root mean square of errors of pixels away from the borders. */
static double
plane_error (DeviceKind kind, const PocstereoParams *params, const Pair *p,
    double across, double down)
{
  PocstereoMatch *m = pair_match (kind, params, p, NULL, 0);
  double sum = 0;
  int n = 0, lost = 0;

  for (int y = 16; y < p->height - 16; y++)
    for (int x = 48; x < p->width - 48; x++, n++) {
      double off =
          disparity_of (m[y * p->width + x]) - plane_at (p, across, down, x, y);

      if (isnan (off))
        lost++;
      else
        sum += off * off;
    }
  free (m);
  check (lost < n / 50);
  return sqrt (sum / (n - lost));
}

/* Each at most @most pixels, and a fraction of what upright windows err. */
static void
test_slant (DeviceKind kind)
{
  static const struct {
    double across, down, most, part;
  } planes[] = {{.2, 0, .06, .5}, {-.2, 0, .06, .5}, {0, .25, .06, .5},
      {.1, -.2, .06, .5}, {0, 0, .03, 1.01}};

  for (int i = 0; i < 5; i++) {
    PocstereoParams params = pocstereo_dense_defaults ();
    Texture t = texture_new ();
    AUTO (Pair) p = pair_new (240, 72, 3);
    double error[2];

    params.min_disparity = -32;
    params.max_disparity = 48;
    pair_draw_plane (&p, &t, planes[i].across, planes[i].down);
    for (int slant = 0; slant < 2; slant++) {
      params.slant = slant;
      error[slant] =
          plane_error (kind, &params, &p, planes[i].across, planes[i].down);
    }
    printf ("     plane %.2f, %.2f: errors of %.4f px, with slant %.4f\n",
        planes[i].across, planes[i].down, error[0], error[1]);
    check (error[1] <= planes[i].most);
    check (error[1] <= planes[i].part * error[0]);
    check (pair_is_unharmed (&p));
  }
}

/* ---- Windows of any length ---- */

#define LENGTH_POINTS 6

static PocstereoParams
params_of_length (int window)
{
  PocstereoParams p = pocstereo_points_defaults ();

  p.window = window;
  p.lines = 9;
  p.bandwidth = window / 4 < POCSTEREO_MAX_BANDWIDTH ? window / 4
                                                     : POCSTEREO_MAX_BANDWIDTH;
  p.min_disparity = -24;
  p.max_disparity = 24;
  return p;
}

/* The greatest error at points of a wall at @d, whose windows lie inside. */
static double
error_of (DeviceKind kind, const PocstereoParams *params, double d)
{
  AUTO (Pair) p = pair_new (640, 24, 3);
  Texture t = texture_new ();
  PocstereoPoint points[LENGTH_POINTS];
  PocstereoMatch *m;
  double most = 0;

  pair_draw_wall (&p, &t, d);
  for (int i = 0; i < LENGTH_POINTS; i++)
    points[i] = (PocstereoPoint){300 + 5 * i, 12};
  m = pair_match (kind, params, &p, points, LENGTH_POINTS);
  for (int i = 0; i < LENGTH_POINTS; i++)
    most = fmax (most, fabs (disparity_of (m[i]) - d));
  check (pair_is_unharmed (&p));
  free (m);
  return most;
}

/* The shift theorem at whole and at broken shifts.  The longer the window, the
 * less its ends weigh, which see other things. */
static void
test_lengths (DeviceKind kind)
{
  static const struct {
    int window;
    double most;
  } lengths[] = {{15, .25}, {31, .08}, {33, .08}, {127, .03}, {128, .03}};

  for (int i = 0; i < 5; i++) {
    PocstereoParams p = params_of_length (lengths[i].window);

    check (error_of (kind, &p, 17) < .004);
    check (error_of (kind, &p, -20) < .004);
    check (error_of (kind, &p, -13.5) < lengths[i].most);
    check (error_of (kind, &p, 6.25) < lengths[i].most);
  }
}

/* Sets @r to the sums over lines of F conj (G) of a signal that has all
 * frequencies, moved by @shift samples by its Fourier series. */
static void
sum_moved_series (const PocstereoTables *t, double shift, int32_t *r)
{
  double all = t->lines * POCSTEREO_TURN * POCSTEREO_TURN;

  for (int k = 1; k <= t->bandwidth; k++) {
    double angle = 2 * M_PI * k * -shift / t->window;

    r[2 * k - 2] = (int32_t) lround (all * cos (angle));
    r[2 * k - 1] = (int32_t) lround (all * sin (angle));
  }
}

/* Returns by how much ideal shifts by parts of a pixel are found wrong. */
static double
error_of_ideal_shifts (const PocstereoParams *p)
{
  PocstereoTables *t = calloc (1, sizeof *t);
  double worst = 0;

  pocstereo_set_tables (t, p);
  for (int tenths = -10; tenths <= 10; tenths++) {
    int32_t r[2 * POCSTEREO_MAX_BANDWIDTH];
    int32_t beside[2 * POCSTEREO_MAX_BANDWIDTH];
    PocstereoMatch m;

    sum_moved_series (t, tenths / 10., r);
    m = pocstereo_refine_match (t, r, 0);
    if (p->fit == POCSTEREO_TWO_WINDOWS) {
      int side = pocstereo_side_of_peak (t, r, 8, 16);

      check (side * tenths >= 0 && abs (side) == 1);
      check (!pocstereo_side_of_peak (t, r, side > 0 ? 0 : 15, 16));
      sum_moved_series (t, tenths / 10. - side, beside);
      m = pocstereo_refine_between (t, r, beside, side, 0);
    }
    worst = fmax (
        worst, fabs (m.disparity / (double) POCSTEREO_ONE - tenths / 10.));
  }
  free (t);
  return worst;
}

/* Every window and bandwidth, but windows of more than 40 periods of their
 * highest frequency, whose peak is flatter than the steps of the tables.
 * Disparities have steps of 1 / POCSTEREO_ONE. */
static void
test_ideal (DeviceKind kind)
{
  PocstereoParams p = pocstereo_points_defaults ();
  double worst = 0;

  (void) kind;
  for (p.window = 8; p.window <= POCSTEREO_MAX_WINDOW; p.window++)
    for (p.bandwidth = (p.window + 39) / 40;
         p.bandwidth <= POCSTEREO_MAX_BANDWIDTH &&
         p.bandwidth <= (p.window - 1) / 2;
         p.bandwidth++)
      for (int i = 0; i < 4; i++) {
        p.fit = (PocstereoFit) (i < 3 ? i + 1 : POCSTEREO_NEWTON);
        p.weight = i < 3 ? POCSTEREO_RECTANGLE : POCSTEREO_GAUSSIAN;
        worst = fmax (worst, error_of_ideal_shifts (&p));
      }
  printf ("ideal shifts: wrong by %.5f px at most\n", worst);
  check (worst <= .002);
}

/* ---- Lines that are moved by their Fourier series ---- */

#define SERIES 96 /* waves, the shortest 4 pixels long */

/* Both views of lines whose amplitudes fall with the frequency, as those of
 * photographs do, and whose phases are random. */
static void
draw_series (Pair *p, double d)
{
  for (int y = 0; y < p->height; y++) {
    double phase[SERIES];

    for (int k = 0; k < SERIES; k++)
      phase[k] = rnd (1 << 20) * (2 * M_PI / (1 << 20));
    for (int v = 0; v < 2; v++)
      for (int x = 0; x < p->width; x++) {
        double sum = 0;

        for (int k = 1; k <= SERIES; k++)
          sum +=
              cos (2 * M_PI * k * (x + v * d) / (4 * SERIES) + phase[k - 1]) /
              k;
        *pair_at (p, v, x, y) =
            (uint16_t) lrint (POCSTEREO_FULL_SAMPLE * (.5 + .12 * sum));
      }
  }
}

/* The root mean squares of errors at points, by fit: windows see other parts of
 * a line by the fraction of a pixel. */
static void
errors_of_series (
    DeviceKind kind, PocstereoParams params, double rms[POCSTEREO_TWO_WINDOWS])
{
  for (int tenths = 1; tenths < 10; tenths++) {
    AUTO (Pair) p = pair_new (4 * SERIES, 64, 0);
    PocstereoPoint points[GRID];

    draw_series (&p, 5 + tenths / 10.);
    grid_of (&p, 100, points);
    for (int fit = POCSTEREO_NEWTON; fit <= POCSTEREO_TWO_WINDOWS; fit++) {
      AUTO_MEMORY PocstereoMatch *m;

      params.fit = (PocstereoFit) fit;
      m = pair_match (kind, &params, &p, points, GRID);
      for (int i = 0; i < GRID; i++)
        rms[fit - 1] += pow (disparity_of (m[i]) - 5 - tenths / 10., 2);
    }
  }
  for (int fit = POCSTEREO_NEWTON; fit <= POCSTEREO_TWO_WINDOWS; fit++)
    rms[fit - 1] = sqrt (rms[fit - 1] / (9 * GRID));
}

static void
test_series (DeviceKind kind)
{
  static const int windows[][2] = {{32, 8}, {24, 6}, {31, 8}};

  for (int i = 0; i < 3; i++) {
    PocstereoParams p = pocstereo_points_defaults ();
    double rms[POCSTEREO_TWO_WINDOWS] = {0};

    p.window = windows[i][0];
    p.bandwidth = windows[i][1];
    p.max_disparity = 16;
    errors_of_series (kind, p, rms);
    printf ("moved by their series, window %d: %.5f px, one window %.5f\n",
        p.window, rms[POCSTEREO_TWO_WINDOWS - 1], rms[POCSTEREO_NEWTON - 1]);
    check (rms[POCSTEREO_TWO_WINDOWS - 1] <= .006);
    check (rms[POCSTEREO_TWO_WINDOWS - 1] <= rms[POCSTEREO_NEWTON - 1] / 3);
  }
}

#ifdef HAVE_FFTW

/* ---- Against FFTW ----
 *
 * The correlation of windows by FFTW in double precision, with windowing,
 * phasors and sums written out anew; and the exactness of the integers. */

/* The unit phasors of the line around (x, y), frequencies 0 to N / 2. */
static void
oracle_line (const Pair *p, int view, int n, int x, int y, fftw_complex *out)
{
  double in[POCSTEREO_MAX_WINDOW], sum = 0, weights = 0;
  fftw_plan plan = fftw_plan_dft_r2c_1d (n, in, out, FFTW_ESTIMATE);

  for (int i = 0; i < n; i++) {
    double w = .5 * (1 + cos (2 * M_PI * (i - n / 2) / n));

    in[i] = *pair_at (p, view, x + i - n / 2, y);
    sum += w * in[i];
    weights += w;
  }
  for (int i = 0; i < n; i++)
    in[i] =
        .5 * (1 + cos (2 * M_PI * (i - n / 2) / n)) * (in[i] - sum / weights);
  fftw_execute (plan);
  for (int k = 0; k <= n / 2; k++)
    out[k] /= cabs (out[k]);
  fftw_destroy_plan (plan);
}

/* F conj (G), the mean over lines, g around x - base. */
static void
oracle_cross (const Pair *p, const PocstereoParams *params, int x, int y,
    int base, fftw_complex *cross)
{
  fftw_complex f[POCSTEREO_MAX_WINDOW], g[POCSTEREO_MAX_WINDOW];

  for (int k = 0; k <= params->window / 2; k++)
    cross[k] = 0;
  for (int j = -(params->lines / 2); j <= params->lines / 2; j++) {
    oracle_line (p, 0, params->window, x, y + j, f);
    oracle_line (p, 1, params->window, x - base, y + j, g);
    for (int k = 1; k <= params->bandwidth; k++)
      cross[k] += f[k] * conj (g[k]) / params->lines;
  }
}

/* The correlation at @lag, 1 where windows are identical. */
static double
oracle_at (const PocstereoParams *p, const fftw_complex *cross, double lag)
{
  double sum = 0, all = 0;

  for (int k = 1; k <= p->bandwidth; k++) {
    double w = p->weight == POCSTEREO_GAUSSIAN
        ? exp (-2. * k * k / (p->bandwidth * p->bandwidth))
        : 1;

    sum += w * creal (cross[k] * cexp (2 * M_PI * I * k * lag / p->window));
    all += w;
  }
  return sum / all;
}

/* The maximum of the correlation around @lag, by halving steps. */
static double
oracle_peak (const PocstereoParams *p, const fftw_complex *cross, int lag)
{
  double at = lag;

  for (double step = .5; step > 1e-6; step /= 2) {
    double left = oracle_at (p, cross, at - step);
    double right = oracle_at (p, cross, at + step);
    double here = oracle_at (p, cross, at);

    at += right > here ? step : left > here ? -step : 0;
  }
  return at;
}

/* What rounding to 1/127 comes to where a line has little of a frequency: the
 * most in 9000 windows was 0.020, and 0.032 pixels. */
# define ORACLE_HEIGHT .025
# define ORACLE_PLACE .04

static void
check_window (const Pair *p, const PocstereoParams *params, int x, int y)
{
  static int8_t f[POCSTEREO_MAX_LINES * 2 * POCSTEREO_MAX_BANDWIDTH];
  static int8_t g[sizeof f];
  int bytes = 2 * params->bandwidth, base = (int) rnd (3) - 1, lag;
  int32_t r[2 * POCSTEREO_MAX_BANDWIDTH] = {0}, height;
  fftw_complex cross[POCSTEREO_MAX_WINDOW];
  PocstereoLayer layer = {.width = p->width, .height = p->height};
  PocstereoTables *t = calloc (1, sizeof *t);
  PocstereoMatch m;
  int32_t all;

  pocstereo_set_tables (t, params);
  pocstereo_window_cpu (t, p->view[0], p->stride, &layer, x, y, f);
  pocstereo_window_cpu (t, p->view[1], p->stride, &layer, x - base, y, g);
  for (int j = 0; j < params->lines; j++)
    pocstereo_add_line (r, f + j * bytes, g + j * bytes, params->bandwidth);
  oracle_cross (p, params, x, y, base, cross);
  all = (int32_t) (t->perfect * POCSTEREO_TURN);
  for (int n = -t->lags; n <= t->lags; n++)
    check_near (pocstereo_correlation (t, r, n) / (double) all,
        oracle_at (params, cross, n), ORACLE_HEIGHT);
  lag = pocstereo_peak (t, r, -2, 2, &height);
  m = pocstereo_refine_match (t, r, base);
  check_near (m.disparity / (double) POCSTEREO_ONE,
      base + oracle_peak (params, cross, lag), ORACLE_PLACE);
  check_near (m.peak / 65535.,
      oracle_at (params, cross, m.disparity / (double) POCSTEREO_ONE - base),
      ORACLE_HEIGHT);
  free (t);
}

/* A window of a wall at any disparity up to a pixel, with noise, of @window
 * samples and @bandwidth frequencies. */
static void
check_noisy (int window, int bandwidth)
{
  Texture texture = texture_new ();
  AUTO (Pair) p = pair_new (window + 76, 40, 3);
  PocstereoParams params = pocstereo_points_defaults ();

  params.window = window;
  params.lines = 5 + 2 * (int) rnd (12);
  params.bandwidth = bandwidth;
  params.weight = (PocstereoWeight) (1 + rnd (2));
  params.fit = rnd (2) ? POCSTEREO_NEWTON : POCSTEREO_CLOSED_FORM;
  pair_draw_wall (&p, &texture, rnd (2000) / 1000. - 1);
  for (int i = 0; i < 2 * p.width * 40; i++) {
    uint16_t *s = pair_at (&p, i % 2, i / 2 % p.width, i / 2 / p.width);
    int noisy = *s + (int) rnd (101) - 50;

    *s = (uint16_t) (noisy < 0 ? 0 : noisy);
  }
  check_window (&p, &params, p.width / 2, 20);
}

/* Frequencies that the texture has: if there are none, the twiddles' rounding
 * shows. */
static void
test_oracle (DeviceKind kind)
{
  for (int round = 0; round < 60; round++) {
    int n = 15 + (int) rnd (52);

    check_noisy (n, 3 + (int) rnd (n / (n > 32 ? 4 : 3) - 2));
  }
}

/* Every sum of samples times twiddles, in any order, fits a float's 24 bits,
 * and a constant line has no spectrum at all.  Cosines sum to 0, so that no
 * part of their sum exceeds half of what they come to. */
static void
test_exact (DeviceKind kind)
{
  PocstereoTables *t = calloc (1, sizeof *t);

  for (int n = 8; n <= POCSTEREO_MAX_WINDOW; n++) {
    PocstereoParams p = pocstereo_points_defaults ();

    p.window = n;
    p.bandwidth = (n - 1) / 2 < POCSTEREO_MAX_BANDWIDTH
        ? (n - 1) / 2
        : POCSTEREO_MAX_BANDWIDTH;
    pocstereo_set_tables (t, &p);
    check (t->half == (n + 1) / 2);
    check_near (t->omega * n, 2 * M_PI, 1e-5);
    for (int k = 0; k < p.bandwidth; k++) {
      double sum = t->cosine[k][0], even = fabs (sum), odd = 0;

      check (sum == nearbyint (sum));
      for (int m = 1; m < t->half; m++) {
        check (t->cosine[k][m] == nearbyint (t->cosine[k][m]));
        check (t->sine[k][m] == nearbyint (t->sine[k][m]));
        sum += 2 * t->cosine[k][m];
        even += 2 * fabs (t->cosine[k][m]);
        odd += fabs (t->sine[k][m]);
      }
      check (sum == 0);
      check (even / 2 * POCSTEREO_FULL_SAMPLE < 1 << 24);
      check (odd * POCSTEREO_FULL_SAMPLE < 1 << 24);
    }
  }
  free (t);
}

#endif

/* ---- CPU against CUDA, bit for bit ---- */

static void
test_parity_dense (DeviceKind kind)
{
  for (int round = 0; round < 120; round++) {
    AUTO (Pair) p = random_pair ();
    PocstereoParams params = random_params (p.width, p.height);
    AUTO_MEMORY PocstereoMatch *a =
        pair_match (DEVICE_CPU, &params, &p, NULL, 0);
    AUTO_MEMORY PocstereoMatch *b = pair_match (kind, &params, &p, NULL, 0);

    check (!memcmp (a, b, (size_t) p.width * p.height * sizeof *a));
  }
}

/* From one point to more than there are pixels. */
static void
test_parity_points (DeviceKind kind)
{
  for (int round = 0; round < 120; round++) {
    AUTO (Pair) p = random_pair ();
    PocstereoParams params = random_params (p.width, p.height);
    int n = 1 + (int) rnd (rnd (2) ? 50 : 20000);
    AUTO_MEMORY PocstereoPoint *points = malloc (n * sizeof *points);
    PocstereoMatch *a, *b;

    for (int i = 0; i < n; i++)
      points[i] = (PocstereoPoint){(int) rnd (p.width), (int) rnd (p.height)};
    a = pair_match (DEVICE_CPU, &params, &p, points, n);
    b = pair_match (kind, &params, &p, points, n);
    check (!memcmp (a, b, n * sizeof *a));
    free (a);
    free (b);
  }
}

#ifdef HAVE_CUDA

/* The paper's five find what pocstereo_points () finds. */
static void
test_techniques (DeviceKind kind)
{
  for (int round = 0; round < 20; round++) {
    AUTO (Pair) p = pair_new (32 + (int) rnd (150), 16 + (int) rnd (80), 3);
    PocstereoParams params = pocstereo_points_defaults ();
    int n = 1 + (int) rnd (rnd (2) ? 50 : 5000);
    AUTO_MEMORY PocstereoPoint *points = malloc (n * sizeof *points);
    Texture t = texture_new ();
    PocstereoFrame frame;
    AUTO_MEMORY PocstereoMatch *fused;
    uint16_t *memory[2];
    AUTO (Device) dev = device_of (kind);
    Pocstereo *s;

    params.fit = (PocstereoFit) (1 + rnd (2));
    params.noise_floor = rnd (2) ? 0 : rnd (60);
    params.min_disparity = (int) rnd (80) - 60;
    params.max_disparity = params.min_disparity + (int) rnd (150);
    params.min_peak = rnd (2) ? 0 : rnd (100) / 200.;
    pair_draw_wall (&p, &t, rnd (400) / 10. - 20);
    for (int i = 0; i < n; i++)
      points[i] = (PocstereoPoint){(int) rnd (p.width), (int) rnd (p.height)};
    ok (pocstereo_new (&s, &dev, p.width, p.height));
    fused = pair_match_on (s, &dev, &params, &p, points, n);
    frame = pair_to_device (&p, &dev, memory);
    for (int i = POCSTEREO_I1; i <= POCSTEREO_I5; i++) {
      PocstereoTechniques techniques = {
          .implementation = (PocstereoImplementation) i,
          .lines_at_once = 1 + (int) rnd (15)};

      ok (pocstereo_techniques_points (
          s, &dev, &techniques, &params, &frame, points, n));
      ok (device_wait (&dev));
      check (techniques.matches &&
          !memcmp (fused, techniques.matches, n * sizeof *fused));
      pocstereo_techniques_free (&dev, &techniques);
    }
    device_release (&dev, memory[0]);
    device_release (&dev, memory[1]);
    pocstereo_free (s);
  }
}

#endif

/* ---- The tests ---- */

static const CheckPart on_each[] = {{"shifts", test_shifts},
    {"ranges", test_ranges}, {"nothing to see", test_plain},
    {"identical views", test_identical},
    {"points are pixels", test_points_are_pixels},
    {"points at edges", test_points_at_edges},
    {"a square before a wall", test_square}, {"means of frames", test_still},
    {"frames alone", test_alone}, {"slanted planes", test_slant},
    {"any length", test_lengths},
#ifdef HAVE_FFTW
    {"exact sums", test_exact}, {"against FFTW", test_oracle},
#endif
    {"ideal shifts", test_ideal}, {"series", test_series},
    {"params", test_params}, {"frames", test_frames}, {"repeats", test_repeats},
    {"a device that fails", test_failing}, {"a faint square", test_faint},
    {"all choices along paths", test_choices}, {"offers that stay", test_kept},
    {NULL, NULL}};

static const CheckPart parity[] = {{"every pixel", test_parity_dense},
    {"points", test_parity_points}, {"means of frames", test_parity_average},
    {"offers and choices", test_parity_choice},
#ifdef HAVE_CUDA
    {"the paper's implementations", test_techniques},
#endif
    {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, parity, pocstereo_bench);
}
