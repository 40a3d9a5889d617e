/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The other steps of the fused method: union-find over the fragments, and their
 * sums. */
#include "moct/moct_cpu.h"

void
moct_report (const MoctWork *w, const MoctSum *sum, int cls)
{
  if (sum->n && sum->n >= w->min_area && sum->n <= w->max_area)
    w->result->blobs[w->result->n_blobs++] = (MoctBlob){*sum, cls, 0};
}

static uint32_t
root (uint32_t *parents, uint32_t i)
{
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}

static void
join_pair (const MoctWork *w, MoctCursor a, MoctCursor b)
{
  ImageBox box_a = moct_cursor_box (w, a), box_b = moct_cursor_box (w, b);

  if (moct_boxes_near (box_a, box_b, w->merge_distance)) {
    uint32_t i = root (w->parents, (uint32_t) a.at);
    uint32_t j = root (w->parents, (uint32_t) b.at);

    w->parents[i < j ? j : i] = i < j ? i : j;
  }
}

static void
join_tile (const MoctWork *w, int index)
{
  int tx = index % w->tiles_x, ty = index / w->tiles_x;

  for (MoctCursor a = moct_first (w, index); a.cls; a = moct_next (w, a))
    for (int k = 0; k < moct_n_neighbours (w); k++) {
      int other = moct_neighbour (w, tx, ty, k);

      if (other < 0)
        continue;
      for (MoctCursor b = moct_first (w, other); b.cls; b = moct_next (w, b))
        if (a.cls == b.cls)
          join_pair (w, a, b);
    }
}

/* Calls @visit for every fragment. */
static void
for_each_fragment (
    const MoctWork *w, void (*visit) (const MoctWork *w, MoctCursor c))
{
  for (int tile = 0; tile < w->tiles_x * w->tiles_y; tile++)
    for (MoctCursor c = moct_first (w, tile); c.cls; c = moct_next (w, c))
      visit (w, c);
}

static void
clear_sum (const MoctWork *w, MoctCursor c)
{
  moct_sum_clear (&w->sums[c.at]);
}

static void
add_to_root (const MoctWork *w, MoctCursor c)
{
  MoctSum sum = moct_cursor_sum (w, c);

  moct_sum_add (&w->sums[root (w->parents, (uint32_t) c.at)], &sum);
}

static void
report_root (const MoctWork *w, MoctCursor c)
{
  if (w->parents[c.at] == (uint32_t) c.at)
    moct_report (w, &w->sums[c.at], (int) c.cls);
}

void
moct_sum_blobs_cpu (const MoctWork *w)
{
  for (int tile = 0; tile < w->tiles_x * w->tiles_y; tile++)
    join_tile (w, tile);
  for_each_fragment (w, clear_sum);
  for_each_fragment (w, add_to_root);
  for_each_fragment (w, report_root);
}

static void
add_to_colour (const MoctWork *w, MoctCursor c)
{
  MoctSum sum = moct_cursor_sum (w, c);

  moct_sum_add (&w->colour_sums[c.cls - 1], &sum);
}

void
moct_sum_colours_cpu (const MoctWork *w)
{
  for (int k = 0; k < w->n_colours; k++)
    moct_sum_clear (&w->colour_sums[k]);
  for_each_fragment (w, add_to_colour);
  for (int k = 0; k < w->n_colours; k++)
    moct_report (w, &w->colour_sums[k], k + 1);
}
