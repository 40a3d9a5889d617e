/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The re-vote near edges, and the left-right check. */
#include "common/parallel.h"
#include "pocstereo/pocstereo_cpu.h"
#include "pocstereo/pocstereo_revote_core.h"

#define SIDE 64 /* of a tile, whose pixels choose at once */
#define ROOM (SIDE + 2 * POCSTEREO_BOX)

#if defined(__x86_64__) && defined(__gnu_linux__)
# define VECTORS __attribute__ ((target_clones ("avx2", "default")))
#else
# define VECTORS
#endif

/* One pass over one view. */
typedef struct {
  int width, height;
  const uint64_t *census, *other; /* of this view and the other */
  const PocstereoMatch *before;
  const int32_t *smooth; /* medians of their disparities */
  PocstereoMatch *after;
} Vote;

/* Of both views. */
static void
take_census_of_rows (void *data, int begin, int end)
{
  const PocstereoWork *w = data;
  PocstereoCpu *c = w->state;

  for (int v = 0; v < 2; v++)
    for (int y = begin; y < end; y++)
      for (int x = 0; x < w->width; x++)
        c->census[v][(size_t) y * w->width + x] = pocstereo_census (
            w->view[v][0], w->stride[0], w->width, w->height, x, y);
}

/* A tile, its pixels' best sums of costs so far, and who offered them. */
typedef struct {
  int x, y, width, height;
  int best[SIDE][SIDE], sum[SIDE][SIDE];
  int8_t donor[SIDE][SIDE]; /* -1: itself */
} Tile;

/* The disparity that donor @i offers to (x, y); -1: the pixel's own. */
static int32_t
offer (const Vote *v, int i, int x, int y)
{
  PocstereoPoint p;

  if (i < 0)
    return v->before[(size_t) y * v->width + x].disparity;
  p = pocstereo_donor (i, x, y, v->width, v->height);
  return v->smooth[(size_t) p.y * v->width + p.x];
}

/* The cost of what donor @i offers to each pixel of a row of the tile. */
VECTORS static void
cost_row (const Vote *v, const Tile *tile, int i, int y, uint8_t *cost)
{
  size_t row;

  y = pocstereo_clamp (y, 0, v->height - 1);
  row = (size_t) y * v->width;
  for (int n = 0; n < tile->width + 2 * POCSTEREO_BOX; n++) {
    int x = pocstereo_clamp (tile->x + n - POCSTEREO_BOX, 0, v->width - 1);
    int q = pocstereo_other (x, offer (v, i, x, y));

    q = pocstereo_clamp (q, 0, v->width - 1);
    cost[n] =
        (uint8_t) pocstereo_differing (v->census[row + x], v->other[row + q]);
  }
}

/* Sums over 5 x 5 costs. */
static void
add_costs (const Vote *v, Tile *tile, int i)
{
  uint8_t cost[ROOM];
  int column[SIDE];

  memset (tile->sum, 0, sizeof tile->sum);
  for (int y = -POCSTEREO_BOX; y < tile->height + POCSTEREO_BOX; y++) {
    memset (column, 0, sizeof column);
    cost_row (v, tile, i, tile->y + y, cost);
    for (int j = 0; j <= 2 * POCSTEREO_BOX; j++)
      for (int x = 0; x < tile->width; x++)
        column[x] += cost[x + j];
    for (int j = -POCSTEREO_BOX; j <= POCSTEREO_BOX; j++)
      for (int x = 0; x < tile->width && y + j >= 0 && y + j < tile->height;
           x++)
        tile->sum[y + j][x] += column[x];
  }
}

static void
choose (const Vote *v, Tile *tile)
{
  add_costs (v, tile, -1);
  memcpy (tile->best, tile->sum, sizeof tile->best);
  memset (tile->donor, -1, sizeof tile->donor);
  for (int i = 0; i < POCSTEREO_DONORS; i++) {
    add_costs (v, tile, i);
    for (int y = 0; y < tile->height; y++)
      for (int x = 0; x < tile->width; x++)
        if (pocstereo_is_cheaper (tile->sum[y][x], tile->best[y][x])) {
          tile->best[y][x] = tile->sum[y][x];
          tile->donor[y][x] = (int8_t) i;
        }
  }
}

/* A pixel takes the median of the disparities around its donor, to the fraction
 * of a pixel, and the donor's peak and sigma with it. */
static void
take (const Vote *v, const Tile *tile)
{
  for (int j = 0; j < tile->height; j++)
    for (int i = 0; i < tile->width; i++) {
      int x = tile->x + i, y = tile->y + j, donor = tile->donor[j][i];
      size_t at = (size_t) y * v->width + x, from = at;

      if (donor >= 0) {
        PocstereoPoint p = pocstereo_donor (donor, x, y, v->width, v->height);

        from = (size_t) p.y * v->width + p.x;
      }
      v->after[at] = v->before[from];
      if (donor >= 0)
        v->after[at].disparity = v->smooth[from];
    }
}

static void
vote_in_tiles (void *data, int begin, int end)
{
  const Vote *v = data;
  int across = (v->width + SIDE - 1) / SIDE;

  for (int n = begin; n < end; n++) {
    Tile tile = {.x = n % across * SIDE, .y = n / across * SIDE};

    tile.width = v->width - tile.x < SIDE ? v->width - tile.x : SIDE;
    tile.height = v->height - tile.y < SIDE ? v->height - tile.y : SIDE;
    choose (v, &tile);
    take (v, &tile);
  }
}

static void
vote (Vote *v)
{
  int across = (v->width + SIDE - 1) / SIDE;
  int down = (v->height + SIDE - 1) / SIDE;

  parallel_for (across * down, 1, vote_in_tiles, v);
}

void
pocstereo_census_cpu (const PocstereoWork *w)
{
  parallel_for (w->height, 0, take_census_of_rows, (void *) w);
}

const char *
pocstereo_revote_cpu (const Device *dev, const PocstereoWork *w, int view)
{
  PocstereoCpu *c = w->state;
  size_t n = (size_t) w->width * w->height;

  (void) dev;
  pocstereo_census_cpu (w);
  for (int pass = 0; pass < POCSTEREO_VOTES; pass++) {
    PocstereoMatch *at[2] = {w->matches[view], c->spare};
    Vote v = {w->width, w->height, c->census[view], c->census[1 - view],
        at[pass % 2], c->parent, at[1 - pass % 2]};

    for (size_t i = 0; i < n; i++)
      c->found[i] = v.before[i].disparity;
    pocstereo_median_cpu (c->found, c->parent, w->width, w->height);
    vote (&v);
  }
  for (size_t i = 0; i < n && !w->params.slant; i++)
    pocstereo_forget_low (w->min_peak, &w->matches[view][i]);
  return NULL;
}

/* Keeps what it drops. */
static void
check_rows (void *data, int begin, int end)
{
  const PocstereoWork *w = data;
  const PocstereoCpu *c = w->state;

  for (int y = begin; y < end; y++) {
    int32_t *dropped = c->dropped + (size_t) y * w->width;
    PocstereoMatch *left = w->matches[0] + (size_t) y * w->width;
    const PocstereoMatch *right = w->matches[1] + (size_t) y * w->width;

    for (int x = 0; x < w->width; x++) {
      dropped[x] = left[x].disparity;
      left[x].disparity = pocstereo_confirmed (
          right, w->width, x, left[x].disparity, w->max_difference);
    }
  }
}

const char *
pocstereo_left_right_cpu (const Device *dev, const PocstereoWork *w)
{
  (void) dev;
  parallel_for (w->height, 0, check_rows, (void *) w);
  return NULL;
}
