/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Views of a model: depth buffers of its surface points from 66 directions, in
 * parallel projection. They tell outside from inside, and give the range edges
 * (thesis, section 1.2). */
#include <stdlib.h>

#include "common/parallel.h"
#include "scopedetect/model/shape.h"

#define GRAZING .2f     /* minimum cosine of a point that a view sees */
#define EDGE_JUMP .015f /* minimum step in depth of a range edge, metres */

typedef struct {
  Vec u, v, eye; /* axes of the picture, and towards the eye */
  Vec low;       /* its corner, along them */
  float pixel;   /* metres */
  int width, height;
  float *height_of; /* along eye; -1e9 if there is none */
} View;

/* Fibonacci's lattice: directions evenly over the sphere. */
void
scopedetect_views (Vec view[SCOPEDETECT_VIEWS])
{
  for (int i = 0; i < SCOPEDETECT_VIEWS; i++) {
    double z = 1 - (2 * i + 1.) / SCOPEDETECT_VIEWS, r = sqrt (1 - z * z);
    double a = 2.39996322972865332 * i; /* the golden angle */

    view[i] = vec ((float) (r * cos (a)), (float) (r * sin (a)), (float) z);
  }
}

static void
place_in_view (const View *w, Vec p, int *x, int *y, float *h)
{
  *x = (int) ((vec_dot (p, w->u) - w->low.x) / w->pixel) + 2;
  *y = (int) ((vec_dot (p, w->v) - w->low.y) / w->pixel) + 2;
  *h = vec_dot (p, w->eye);
}

/* Sets the view's picture to hold all surface points, with a margin. */
static const char *
frame_view (View *w, const ScopedetectCloud *c, Vec eye, float pixel)
{
  float high_u = -1e9f, high_v = -1e9f;
  Vec e = fabsf (eye.x) < .57f ? vec (1, 0, 0) : vec (0, 1, 0);

  w->eye = eye;
  w->u = vec_unit (vec_cross (eye, e));
  w->v = vec_cross (eye, w->u);
  w->low = vec (1e9f, 1e9f, 0);
  w->pixel = pixel;
  for (int i = 0; i < c->n; i++) {
    float a = vec_dot (c->x[i], w->u), b = vec_dot (c->x[i], w->v);

    w->low.x = a < w->low.x ? a : w->low.x;
    w->low.y = b < w->low.y ? b : w->low.y;
    high_u = a > high_u ? a : high_u;
    high_v = b > high_v ? b : high_v;
  }
  w->width = (int) ((high_u - w->low.x) / pixel) + 5;
  w->height = (int) ((high_v - w->low.y) / pixel) + 5;
  w->height_of = malloc ((size_t) w->width * w->height * sizeof (float));
  return w->height_of
      ? NULL
      : OUT_OF_MEMORY ((size_t) w->width * w->height * sizeof (float), "");
}

/* Renders surface points, 3 x 3 pixels each, so that the surface has no holes.
 */
static const char *
render_surface (View *w, const ScopedetectCloud *c, Vec eye, float pixel)
{
  TRY (frame_view (w, c, eye, pixel));
  for (int i = 0; i < w->width * w->height; i++)
    w->height_of[i] = -1e9f;
  for (int i = 0; i < c->n; i++) {
    int x, y;
    float h;

    place_in_view (w, c->x[i], &x, &y, &h);
    for (int k = 0; k < 9; k++) {
      float *p = &w->height_of[(y + k / 3 - 1) * w->width + x + k % 3 - 1];

      *p = h > *p ? h : *p;
    }
  }
  return NULL;
}

/* Whether a view sees a point: only its neighbours are nearer to the eye, by
 * the slope of the surface. */
static bool
is_seen_in_view (const View *w, Vec p, Vec normal)
{
  float cosine = fabsf (vec_dot (normal, w->eye)), h, slope;
  int x, y;

  if (cosine < GRAZING)
    return false;
  slope = sqrtf (1 - (cosine < 1 ? cosine * cosine : 1)) / cosine;
  place_in_view (w, p, &x, &y, &h);
  return w->height_of[y * w->width + x] - h < w->pixel * (.3f + 1.5f * slope);
}

static void
move_point (ScopedetectCloud *c, int to, int from)
{
  c->x[to] = c->x[from];
  c->normal[to] = c->normal[from];
  if (c->lab)
    c->lab[to] = c->lab[from];
}

const char *
scopedetect_keep_visible (ScopedetectSurface *s)
{
  Vec eyes[SCOPEDETECT_VIEWS];
  Vec *seen = calloc ((size_t) s->cloud.n, sizeof *seen);
  int kept = 0;
  const char *error = seen || s->oriented
      ? NULL
      : OUT_OF_MEMORY ((size_t) s->cloud.n * sizeof *seen, "");

  scopedetect_views (eyes);
  for (int v = 0; v < SCOPEDETECT_VIEWS && !error && !s->oriented; v++) {
    View w = {0};

    error = render_surface (&w, &s->cloud, eyes[v], s->spacing);
    for (int i = 0; i < s->cloud.n && !error; i++)
      if (is_seen_in_view (&w, s->cloud.x[i], s->cloud.normal[i]))
        seen[i] = vec_add (seen[i], eyes[v]);
    free (w.height_of);
  }
  for (int i = 0; i < s->cloud.n && !error && !s->oriented; i++) {
    float along = vec_dot (seen[i], s->cloud.normal[i]);

    if (vec_norm (seen[i]) < .2f)
      continue;
    if (along < 0)
      s->cloud.normal[i] = vec_scale (s->cloud.normal[i], -1);
    move_point (&s->cloud, kept++, i);
  }
  s->cloud.n = s->oriented ? s->cloud.n : kept;
  free (seen);
  return error;
}

/* Whether the surface ends near pixel (x, y): a pixel within two has no
 * surface, or one far behind. */
static bool
surface_breaks_off (const View *w, int x, int y, float h)
{
  for (int k = 0; k < 25; k++) {
    int u = x + k % 5 - 2, v = y + k / 5 - 2;

    if (u < 0 || v < 0 || u >= w->width || v >= w->height ||
        h - w->height_of[v * w->width + u] > EDGE_JUMP)
      return true;
  }
  return false;
}

/* Sets @ved to the distances of points from the nearest point of @edge. */
static void
edge_distances (
    const ScopedetectShape *s, uint8_t *ved, const uint32_t *edge, int n)
{
  for (int i = 0; i < s->n; i++) {
    float best = 1e9f;

    for (int k = 0; k < n; k++) {
      Vec d = vec_sub (s->x[i], s->x[edge[k]]);
      float d2 = vec_dot (d, d);

      best = d2 < best ? d2 : best;
    }
    best = sqrtf (best) / SCOPEDETECT_EDGE_STEP + .5f;
    ved[i] = best < 255 ? (uint8_t) best : 255;
  }
}

/* Sets @edge to the points of @s on range edges from @eye; returns how many. */
static const char *
edges_from (ScopedetectShape *s, const ScopedetectSurface *surface, Vec eye,
    uint32_t *edge, int *n)
{
  View w = {0};

  TRY (render_surface (&w, &surface->cloud, eye, surface->spacing));
  *n = 0;
  for (int i = 0; i < s->n; i++) {
    int x, y;
    float h;

    place_in_view (&w, s->x[i], &x, &y, &h);
    x = x < 0 ? 0 : x >= w.width ? w.width - 1 : x;
    y = y < 0 ? 0 : y >= w.height ? w.height - 1 : y;
    if (w.height_of[y * w.width + x] - h < s->spacing * 1.5f &&
        surface_breaks_off (&w, x, y, h))
      edge[(*n)++] = (uint32_t) i;
  }
  free (w.height_of);
  return NULL;
}

typedef struct {
  ScopedetectShape *s;
  const ScopedetectSurface *surface;
  Vec eyes[SCOPEDETECT_VIEWS];
  const char *error[SCOPEDETECT_VIEWS];
} Looking;

/* Finds the range edges in some views. Each view has room for all points. */
static void
find_edges_in_views (void *data, int begin, int end)
{
  Looking *l = data;
  ScopedetectShape *s = l->s;

  for (int v = begin; v < end; v++) {
    uint32_t *edge = s->edge + (size_t) v * s->n;
    int n = 0;

    l->error[v] = edges_from (s, l->surface, l->eyes[v], edge, &n);
    s->edge_first[v + 1] = (uint32_t) n;
    edge_distances (s, s->ved + (size_t) v * s->n, edge, n);
  }
}

const char *
scopedetect_edges (ScopedetectShape *s, const ScopedetectSurface *surface)
{
  Looking l = {.s = s, .surface = surface};
  size_t room = (size_t) SCOPEDETECT_VIEWS * s->n;

  scopedetect_views (l.eyes);
  s->edge_first = calloc (SCOPEDETECT_VIEWS + 1, sizeof *s->edge_first);
  s->ved = malloc (room);
  s->edge = malloc (room * sizeof *s->edge);
  if (!s->edge_first || !s->ved || !s->edge)
    return OUT_OF_MEMORY (room * (1 + sizeof *s->edge), "");
  parallel_for (SCOPEDETECT_VIEWS, 1, find_edges_in_views, &l);
  for (int v = 0; v < SCOPEDETECT_VIEWS; v++) {
    TRY (l.error[v]);
    memmove (s->edge + s->edge_first[v], s->edge + (size_t) v * s->n,
        s->edge_first[v + 1] * sizeof *s->edge);
    s->edge_first[v + 1] += s->edge_first[v];
  }
  s->n_edges = (int) s->edge_first[SCOPEDETECT_VIEWS];
  return NULL;
}
