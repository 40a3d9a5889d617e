/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A view with all that the scene says about it. */

typedef struct {
  Stereo *scene;
  Image img; /* RGB */
  StereoTruth truth;
  StereoMaps maps;
} View;

static View
view_new (int w, int h)
{
  View v = {.img = {.width = w, .height = h, .format = IMAGE_RGB}};
  size_t n = (size_t) w * h;

  v.img.stride[0] = 3 * w;
  v.img.plane[0] = malloc (3 * n);
  v.maps.disparity = malloc (n * sizeof *v.maps.disparity);
  v.maps.depth = malloc (n * sizeof *v.maps.depth);
  v.maps.seen = malloc (n);
  v.maps.labels = malloc (n * sizeof *v.maps.labels);
  ok (stereo_new (&v.scene, w, h));
  return v;
}

static void
view_free (View *v)
{
  stereo_free (v->scene);
  free (v->img.plane[0]);
  free (v->maps.disparity);
  free (v->maps.depth);
  free (v->maps.seen);
  free (v->maps.labels);
}

static void
view_show (View *v, const StereoParams *p, StereoView view, uint64_t number)
{
  ok (stereo_render (v->scene, p, view, number, &v->img, &v->truth, &v->maps));
}

static int
level_at_pixel (const View *v, int x, int y, int c)
{
  return v->img.plane[0][(size_t) y * v->img.stride[0] + 3 * x + c];
}

/* The point that a pixel shows, in its camera. */
static void
point_at (const View *v, int x, int y, double p[3])
{
  double z = v->maps.depth[(size_t) y * v->img.width + x];

  p[0] = (x - v->truth.cx) / v->truth.fx * z;
  p[1] = (y - v->truth.cy) / v->truth.fy * z;
  p[2] = z;
}
