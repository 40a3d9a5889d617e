/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A table with things on it, both views and all that the scene says. */
#pragma once

typedef struct {
  Clutter *scene;
  Image color, depth;
  ClutterTruth truth;
  uint16_t *labels;
} Table;

static Table
table_new (int w, int h)
{
  Table t = {.color = {.width = w, .height = h, .format = IMAGE_RGB},
      .depth = {.width = w, .height = h, .format = IMAGE_GRAY16}};
  size_t n = (size_t) w * h;

  t.color.plane[0] = malloc (3 * n);
  t.color.stride[0] = 3 * w;
  t.depth.plane[0] = malloc (2 * n);
  t.depth.stride[0] = 2 * w;
  t.labels = malloc (n * sizeof *t.labels);
  ok (clutter_new (&t.scene, w, h, NULL, 0, 1));
  return t;
}

static void
table_free (Table *t)
{
  clutter_free (t->scene);
  free (t->color.plane[0]);
  free (t->depth.plane[0]);
  free (t->labels);
}

static void
table_show (Table *t, const ClutterParams *p, uint64_t number)
{
  ok (clutter_render (
      t->scene, p, CLUTTER_COLOR, number, &t->color, NULL, NULL));
  ok (clutter_render (
      t->scene, p, CLUTTER_DEPTH, number, &t->depth, &t->truth, t->labels));
}

static double
metres_at (const Table *t, int x, int y)
{
  return ((const uint16_t *) (const void *)
                 t->depth.plane[0])[(size_t) y * t->depth.width + x] /
      1000.;
}

static RgbdPose
pose_from (const double p[7])
{
  return (RgbdPose){{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
}

/* The point that a pixel shows, in the camera. */
static void
seen_at (const Table *t, int x, int y, double p[3])
{
  double z = metres_at (t, x, y);

  p[0] = (x - t->truth.cx) / t->truth.fx * z;
  p[1] = (y - t->truth.cy) / t->truth.fy * z;
  p[2] = z;
}

static void
corner (const Mesh *m, uint32_t triangle, int k, double p[3])
{
  for (int i = 0; i < 3; i++)
    p[i] = m->x[3 * (size_t) m->triangles[3 * (size_t) triangle + k] + i];
}
