/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Censuses, the re-vote near edges, offers for the choice along paths, and the
 * left-right check. */
#include "common/parallel.h"
#include "common/vectors.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_paths_core.h"

#define SIDE 64 /* of a tile, whose pixels choose at once */
#define ROOM (SIDE + 2 * POCSTEREO_BOX)
#define ROWS (2 * POCSTEREO_BOX + 1)
#define CENSUSES 16 /* computed at once */

/* pocstereo_census () of CENSUSES pixels from @x on, whose surroundings lie
 * inside of the rows @row: 15 bits of each in bits[0], 16 bits in bits[1] to
 * bits[3]. */
INLINED void
take_censuses (const uint16_t *const row[], int x, uint64_t census[CENSUSES])
{
  const uint16_t *centre = row[POCSTEREO_CENSUS_Y] + x;
  uint16_t bits[4][CENSUSES] = {0};
  int n = 1;

  for (int j = 0; j <= 2 * POCSTEREO_CENSUS_Y; j++)
    for (int i = -POCSTEREO_CENSUS_X; i <= POCSTEREO_CENSUS_X; i++, n++) {
      const uint16_t *other = row[j] + x + i;
      uint16_t *part = bits[n / 16];

#pragma omp simd
      for (int l = 0; l < CENSUSES; l++)
        part[l] = (uint16_t) (part[l] << 1 | (other[l] < centre[l]));
    }
  for (int l = 0; l < CENSUSES; l++)
    census[l] = (uint64_t) bits[0][l] << 48 | (uint64_t) bits[1][l] << 32 |
        (uint32_t) bits[2][l] << 16 | bits[3][l];
}

typedef struct {
  const PocstereoFrame *frame;
  PocstereoCensuses *census;
} Censuses;

VECTORS static void
take_census_rows (void *data, int begin, int end)
{
  const Censuses *c = data;
  const PocstereoFrame *f = c->frame;
  const int width = f->width, reach = POCSTEREO_CENSUS_X;

  for (int v = 0; v < 2; v++)
    for (int y = begin; y < end; y++) {
      uint64_t *census = c->census->view[v] + (size_t) y * width;
      const uint16_t *row[2 * POCSTEREO_CENSUS_Y + 1];

      for (int j = 0; j <= 2 * POCSTEREO_CENSUS_Y; j++)
        row[j] = f->view[v] +
            (size_t) f->stride *
                pocstereo_clamp (y + j - POCSTEREO_CENSUS_Y, 0, f->height - 1);
      for (int x = 0; x < width;)
        if (x >= reach && x + CENSUSES + reach <= width) {
          take_censuses (row, x, census + x);
          x += CENSUSES;
        } else {
          census[x] =
              pocstereo_census (f->view[v], f->stride, width, f->height, x, y);
          x++;
        }
    }
}

const char *
pocstereo_census_cpu (
    const Device *dev, const PocstereoFrame *frame, PocstereoCensuses *census)
{
  Censuses c = {frame, census};

  (void) dev;
  parallel_for (frame->height, 0, take_census_rows, &c);
  return NULL;
}

/* The input and output of a round, or of the lists of offers, of one view. */
typedef struct {
  int width, height;
  const uint64_t *census, *other; /* this view's and the other view's */
  const PocstereoMatch *before;
  const int32_t *own;    /* disparities of before */
  const int32_t *smooth; /* medians of own */
  PocstereoDonors donors;
  PocstereoMatch *after;
  uint16_t min_peak;
  int32_t *offer; /* of PocstereoOffers: offer, donors, sum */
  uint16_t *donor, *sum;
} Vote;

/* A part of the view, at most SIDE pixels wide and high. */
typedef struct {
  int x, y, width, height;
} Tile;

/* The least cost of each pixel of a tile so far, and its donor. */
typedef struct {
  int32_t best[SIDE][SIDE];
  int32_t donor[SIDE][SIDE]; /* -1: the pixel itself */
} Choice;

/* The offers that the pixels of a tile keep: see PocstereoKept. */
#define LIST_ROWS 16
typedef struct {
  int32_t offer[POCSTEREO_KEPT][LIST_ROWS][SIDE];
  uint32_t donors[LIST_ROWS][SIDE];
} Lists;

/* The disparities that donor @i offers to the @n pixels @x of row @y; -1: their
 * own. */
INLINED void
read_offers (
    const Vote *v, int i, const int32_t *x, int y, int n, int32_t *offer)
{
  PocstereoPoint first, last;
  const int32_t *from = v->own;

  first.x = x[0];
  last.x = x[n - 1];
  first.y = y;
  if (i >= 0) {
    first = pocstereo_donor (v->donors, i, x[0], y, v->width, v->height);
    last = pocstereo_donor (v->donors, i, x[n - 1], y, v->width, v->height);
    from = v->smooth;
  }
  from += (size_t) first.y * v->width;
  if (last.x - first.x == n - 1)
    memcpy (offer, from + first.x, n * sizeof *offer);
  else
    for (int k = 0; k < n; k++)
      offer[k] = from[i < 0
              ? x[k]
              : pocstereo_donor (v->donors, i, x[k], y, v->width, v->height).x];
}

/* The costs of the offers of donor @i in row @y of the tile and around it,
 * summed over 5 columns. */
INLINED void
sum_costs_across (
    const Vote *v, const Tile *tile, int i, int y, int32_t sum[SIDE])
{
  int32_t x[ROOM], q[ROOM], cost[ROOM] = {0};
  int n = tile->width + 2 * POCSTEREO_BOX;
  const uint64_t *census, *other;

  y = pocstereo_clamp (y, 0, v->height - 1);
  census = v->census + (size_t) y * v->width;
  other = v->other + (size_t) y * v->width;
#pragma omp simd
  for (int k = 0; k < ROOM; k++)
    x[k] = pocstereo_clamp (tile->x + k - POCSTEREO_BOX, 0, v->width - 1);
  read_offers (v, i, x, y, n, q);
#pragma omp simd
  for (int k = 0; k < n; k++)
    q[k] =
        pocstereo_clamp (pocstereo_other_column (x[k], q[k]), 0, v->width - 1);
  for (int k = 0; k < n; k++)
    cost[k] = pocstereo_differing_bits (census[x[k]], other[q[k]]);
#pragma omp simd
  for (int k = 0; k < SIDE; k++)
    sum[k] = cost[k] + cost[k + 1] + cost[k + 2] + cost[k + 3] + cost[k + 4];
}

/* Takes the offers of donor @i in row @y that are cheaper. */
INLINED void
keep_cheaper_offers (Choice *choice, int i, int y, const int32_t cost[SIDE])
{
  int32_t *best = choice->best[y], *donor = choice->donor[y];

#pragma omp simd
  for (int x = 0; x < SIDE; x++) {
    bool wins = pocstereo_is_cheaper (cost[x], best[x]);

    best[x] = wins ? cost[x] : best[x];
    donor[x] = wins ? i : donor[x];
  }
}

/* Adds the offers of donor @i in row @y to the pixels' lists. */
INLINED void
list_row_offers (const Vote *v, const Tile *tile, int i, int y,
    const int32_t cost[SIDE], Lists *lists)
{
  int32_t x[SIDE], offer[SIDE] = {0};

  for (int k = 0; k < tile->width; k++)
    x[k] = tile->x + k;
  read_offers (v, i, x, tile->y + y, tile->width, offer);
#pragma omp simd
  for (int k = 0; k < SIDE; k++) {
    PocstereoKept kept = {lists->offer[0][y][k], lists->offer[1][y][k],
        lists->offer[2][y][k], lists->offer[3][y][k], lists->donors[y][k]};

    kept = pocstereo_keep_offer (
        kept, pocstereo_offer (cost[k], offer[k]), (uint32_t) (i + 1));
    lists->offer[0][y][k] = kept.a;
    lists->offer[1][y][k] = kept.b;
    lists->offer[2][y][k] = kept.c;
    lists->offer[3][y][k] = kept.d;
    lists->donors[y][k] = kept.donors;
  }
}

/* The offers of donor @i to the whole tile, for @choice or, if that is NULL,
 * for @lists.  The sums over 5 x 5 costs gain a row and lose a row from row to
 * row. */
INLINED void
offer_to_tile (
    const Vote *v, const Tile *tile, int i, Choice *choice, Lists *lists)
{
  int32_t across[ROWS][SIDE] = {0}, sum[SIDE] = {0};

  for (int n = 0; n < tile->height + ROWS - 1; n++) {
    int32_t row[SIDE], *oldest = across[n % ROWS];
    int y = n - ROWS + 1;

    sum_costs_across (v, tile, i, tile->y + n - POCSTEREO_BOX, row);
#pragma omp simd
    for (int x = 0; x < SIDE; x++) {
      sum[x] += row[x] - oldest[x];
      oldest[x] = row[x];
    }
    if (y >= 0 && choice)
      keep_cheaper_offers (choice, i, y, sum);
    else if (y >= 0)
      list_row_offers (v, tile, i, y, sum, lists);
  }
}

/* Chooses the donor of each pixel.  The pixels' own disparities are the first
 * offers, which replace the initial best, a cost above all others. */
VECTORS static void
choose_donors (const Vote *v, const Tile *tile, Choice *choice)
{
  for (int y = 0; y < tile->height; y++)
    for (int x = 0; x < SIDE; x++)
      choice->best[y][x] = 1 << 24;
  for (int i = -1; i < v->donors.n; i++)
    offer_to_tile (v, tile, i, choice, NULL);
}

/* A pixel takes the median of the disparities around its donor, to the fraction
 * of a pixel, and the peak and sigma of the donor. */
static void
take_from_donors (const Vote *v, const Tile *tile, const Choice *choice)
{
  for (int j = 0; j < tile->height; j++)
    for (int i = 0; i < tile->width; i++) {
      int x = tile->x + i, y = tile->y + j, donor = choice->donor[j][i];
      size_t at = (size_t) y * v->width + x, from = at;

      if (donor >= 0) {
        PocstereoPoint p =
            pocstereo_donor (v->donors, donor, x, y, v->width, v->height);

        from = (size_t) p.y * v->width + p.x;
      }
      v->after[at] = v->before[from];
      if (donor >= 0)
        v->after[at].disparity = v->smooth[from];
      pocstereo_drop_low_peak (v->min_peak, &v->after[at]);
    }
}

static int
ceil_tiles (int side, int tile)
{
  return (side + tile - 1) / tile;
}

/* Tile @n of those that cover the view in rows of tiles. */
static Tile
tile_of_view (const Vote *v, int n, int rows)
{
  int across = ceil_tiles (v->width, SIDE);
  Tile tile = {.x = n % across * SIDE, .y = n / across * rows};

  tile.width = v->width - tile.x < SIDE ? v->width - tile.x : SIDE;
  tile.height = v->height - tile.y < rows ? v->height - tile.y : rows;
  return tile;
}

static void
vote_in_tiles (void *data, int begin, int end)
{
  const Vote *v = data;
  Choice choice;

  for (int n = begin; n < end; n++) {
    Tile tile = tile_of_view (v, n, SIDE);

    choose_donors (v, &tile, &choice);
    take_from_donors (v, &tile, &choice);
  }
}

static void
vote_in_view (Vote *v)
{
  parallel_for (ceil_tiles (v->width, SIDE) * ceil_tiles (v->height, SIDE), 1,
      vote_in_tiles, v);
}

const char *
pocstereo_revote_cpu (const Device *dev, const PocstereoCensuses *census,
    uint16_t final_min_peak, int32_t *scratch, PocstereoDenseMatches *matches)
{
  int width = matches->width, height = matches->height;
  size_t n = (size_t) width * height;
  int32_t *own = scratch, *smooth = scratch + n;
  PocstereoMatch *between = (PocstereoMatch *) (scratch + 2 * n);

  (void) dev;
  for (int v = 0; v < matches->n_views; v++)
    for (int pass = 0; pass < POCSTEREO_VOTES; pass++) {
      PocstereoMatch *at[2] = {matches->view[v], between};
      Vote vote = {.width = width,
          .height = height,
          .census = census->view[v],
          .other = census->view[1 - v],
          .before = at[pass % 2],
          .own = own,
          .smooth = smooth,
          .donors = pocstereo_vote_donors (),
          .after = at[1 - pass % 2],
          .min_peak = pass == POCSTEREO_VOTES - 1 ? final_min_peak : 0};

      pocstereo_disparities_cpu (vote.before, n, own);
      pocstereo_median_cpu (own, smooth, width, height);
      vote_in_view (&vote);
    }
  return NULL;
}

/* ---- Offers for the choice along paths ---- */

VECTORS_WHOLE static void
list_offers (const Vote *v, const Tile *tile, Lists *lists)
{
  for (int y = 0; y < tile->height; y++)
    for (int x = 0; x < SIDE; x++) {
      for (int k = 0; k < POCSTEREO_KEPT; k++)
        lists->offer[k][y][x] = POCSTEREO_NO_OFFER;
      lists->donors[y][x] = 0;
    }
  for (int i = -1; i < v->donors.n; i++)
    offer_to_tile (v, tile, i, NULL, lists);
}

static void
store_offers (const Vote *v, const Tile *tile, const Lists *lists)
{
  for (int y = 0; y < tile->height; y++)
    for (int x = 0; x < tile->width; x++) {
      size_t at = (size_t) (tile->y + y) * v->width + tile->x + x;
      PocstereoKept kept = pocstereo_repeat_offer ((PocstereoKept){
          lists->offer[0][y][x], lists->offer[1][y][x], lists->offer[2][y][x],
          lists->offer[3][y][x], lists->donors[y][x]});
      int32_t offer[POCSTEREO_KEPT] = {kept.a, kept.b, kept.c, kept.d};

      memcpy (v->offer + POCSTEREO_KEPT * at, offer, sizeof offer);
      v->donor[at] = (uint16_t) kept.donors;
      memset (v->sum + POCSTEREO_KEPT * at, 0, POCSTEREO_KEPT * sizeof *v->sum);
    }
}

static void
list_in_tiles (void *data, int begin, int end)
{
  const Vote *v = data;
  Lists lists;

  for (int n = begin; n < end; n++) {
    Tile tile = tile_of_view (v, n, LIST_ROWS);

    list_offers (v, &tile, &lists);
    store_offers (v, &tile, &lists);
  }
}

const char *
pocstereo_offers_cpu (const Device *dev, const PocstereoCensuses *census,
    const PocstereoDenseMatches *matches, int32_t *scratch,
    PocstereoOffers *offers)
{
  int width = matches->width, height = matches->height;
  int n_tiles = ceil_tiles (width, SIDE) * ceil_tiles (height, LIST_ROWS);
  size_t n = (size_t) width * height;
  int32_t *own = scratch;

  (void) dev;
  for (int v = 0; v < matches->n_views; v++) {
    int32_t *smooth = offers->median[v];
    Vote vote = {.width = width,
        .height = height,
        .census = census->view[v],
        .other = census->view[1 - v],
        .before = matches->view[v],
        .own = own,
        .smooth = smooth,
        .donors = pocstereo_first_donors (),
        .after = offers->match[v],
        .offer = offers->offer[v],
        .donor = offers->donors[v],
        .sum = offers->sum[v]};

    pocstereo_disparities_cpu (vote.before, n, own);
    pocstereo_median_cpu (own, smooth, width, height);
    vote_in_view (&vote);
    pocstereo_disparities_cpu (vote.after, n, own);
    pocstereo_median_cpu (own, smooth, width, height);
    vote.donors = pocstereo_offer_donors ();
    parallel_for (n_tiles, 1, list_in_tiles, &vote);
  }
  return NULL;
}

/* ---- The left-right check ---- */

typedef struct {
  PocstereoDenseMatches *matches;
  int32_t max_difference, *before;
} Check;

static void
confirm_rows (void *data, int begin, int end)
{
  const Check *c = data;
  int width = c->matches->width;

  for (int y = begin; y < end; y++) {
    int32_t *before = c->before + (size_t) y * width;
    PocstereoMatch *left = c->matches->view[0] + (size_t) y * width;
    const PocstereoMatch *right = c->matches->view[1] + (size_t) y * width;

    for (int x = 0; x < width; x++) {
      before[x] = left[x].disparity;
      left[x].disparity = pocstereo_confirmed_disparity (
          right, width, x, left[x].disparity, c->max_difference);
    }
  }
}

const char *
pocstereo_left_right_cpu (const Device *dev, int32_t max_difference,
    PocstereoDenseMatches *matches, int32_t *before)
{
  Check check = {matches, max_difference, before};

  (void) dev;
  parallel_for (matches->height, 0, confirm_rows, &check);
  return NULL;
}
