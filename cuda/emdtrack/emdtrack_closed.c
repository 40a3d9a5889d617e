/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds the closed form that a ground distance allows. */
#include "emdtrack/emdtrack_work.h"

typedef uint8_t Row[EMDTRACK_BINS];

static bool
is_distance (const Row *d, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      if (d[i][j] != d[j][i] || (i == j && d[i][j]))
        return false;
  return true;
}

/* Tests for a line: the bin farthest from any bin is one end, and the distances
 * from it are places on the line. */
static bool
find_line_form (const Row *d, int n, EmdtrackClosed *c)
{
  int end = 0;

  for (int i = 1; i < n; i++)
    if (d[0][i] > d[0][end])
      end = i;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (emdtrack_abs (d[end][i] - d[end][j]) != d[i][j])
        return false;
  for (int i = 0; i < n; i++) {
    int k = i;

    for (; k > 0 && d[end][c->order[k - 1]] > d[end][i]; k--)
      c->order[k] = c->order[k - 1];
    c->order[k] = (uint8_t) i;
  }
  for (int k = 0; k + 1 < n; k++)
    c->gap[k] = d[c->order[k]][c->order[k + 1]];
  return true;
}

/* Tests for a circle, and orders the bins around it. */
static bool
find_circle_form (const Row *d, int n, EmdtrackClosed *c)
{
  int around = 0;

  for (int k = 0; k < n; k++) {
    c->order[k] = (uint8_t) k;
    c->gap[k] = d[k][(k + 1) % n];
    around += c->gap[k];
  }
  for (int i = 0; i < n; i++)
    for (int j = i, way = 0; j < n; way += c->gap[j++])
      if (d[i][j] != (way < around - way ? way : around - way))
        return false;
  return n >= 3;
}

/* A tree with root bin 0.  Lengths are doubled, since branches may be at half
 * units. */
typedef struct {
  int n_nodes;
  int parent[EMDTRACK_EDGES], depth[EMDTRACK_EDGES];
  int node_of[EMDTRACK_BINS];
} Tree;

static int
add_tree_node (Tree *t, int parent, int depth)
{
  t->parent[t->n_nodes] = parent;
  t->depth[t->n_nodes] = depth;
  return t->n_nodes++;
}

/* The node at @depth on the path from the root to @node; made if it does not
 * exist. */
static int
tree_node_at (Tree *t, int node, int depth)
{
  int middle;

  while (node && t->depth[t->parent[node]] >= depth)
    node = t->parent[node];
  if (t->depth[node] == depth)
    return node;
  middle = add_tree_node (t, t->parent[node], depth);
  t->parent[node] = middle;
  return middle;
}

/* Adds bin @k: it leaves the path from the root to another bin, the one that it
 * follows longest. */
static bool
add_tree_bin (const Row *d, Tree *t, int k)
{
  int shared = -1, along = 0;

  for (int b = 0; b < k; b++) {
    int both = d[0][k] + d[0][b] - d[b][k];

    if (both > shared) {
      shared = both;
      along = b;
    }
  }
  if (shared < 0 || shared > 2 * d[0][k] || shared > 2 * d[0][along])
    return false;
  t->node_of[k] = add_tree_node (
      t, tree_node_at (t, t->node_of[along], shared), 2 * d[0][k]);
  return true;
}

static void
set_tree_edges (const Tree *t, int n, EmdtrackClosed *c)
{
  uint32_t behind[EMDTRACK_EDGES] = {0};

  for (int i = 0; i < n; i++)
    for (int a = t->node_of[i]; a; a = t->parent[a])
      behind[a] |= 1u << i;
  c->n_edges = 0;
  for (int a = 1; a < t->n_nodes; a++) {
    int length = t->depth[a] - t->depth[t->parent[a]];

    if (!length)
      continue;
    for (int i = 0; i < n; i++)
      c->behind[i].word[c->n_edges / 4] |= (behind[a] >> i & 1 ? 255u : 0)
          << 8 * (c->n_edges % 4);
    c->twice[c->n_edges++] = (uint16_t) length;
  }
}

/* Whether the tree that was built has the given distances; if not, the distance
 * is none of a tree. */
static bool
do_edges_agree (const Row *d, int n, const EmdtrackClosed *c)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      int twice = 0;

      for (int e = 0; e < c->n_edges; e++)
        twice += emdtrack_arc_byte (&c->behind[i], e) !=
                emdtrack_arc_byte (&c->behind[j], e)
            ? c->twice[e]
            : 0;
      if (twice != 2 * d[i][j])
        return false;
    }
  return true;
}

static bool
find_tree_form (const Row *d, int n, EmdtrackClosed *c)
{
  Tree t = {.n_nodes = 1};

  for (int k = 1; k < n; k++)
    if (!add_tree_bin (d, &t, k))
      return false;
  set_tree_edges (&t, n, c);
  return do_edges_agree (d, n, c);
}

void
emdtrack_find_form (
    uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS], int n, EmdtrackClosed *c)
{
  const Row *d = (const Row *) distance;

  memset (c, 0, sizeof *c);
  c->n = n;
  c->form = EMDTRACK_FORM_ANY;
  if (!is_distance (d, n))
    return;
  c->form = find_line_form (d, n, c) ? EMDTRACK_FORM_LINE
      : find_circle_form (d, n, c)   ? EMDTRACK_FORM_CIRCLE
      : find_tree_form (d, n, c)     ? EMDTRACK_FORM_TREE
                                     : EMDTRACK_FORM_ANY;
}
