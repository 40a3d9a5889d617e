/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A frame of the scene, with its truth. */

typedef struct {
  Multispectral *scene;
  Image img;
  int width, height; /* of a channel */
  SceneObject objects[MULTISPECTRAL_MAX_OBJECTS];
  uint16_t *labels;
} View;

/* Without channels: RGB; with one, a mosaic. */
static View
view_new (int w, int h, int channels, ImageFormat grey)
{
  View v = {.width = w, .height = h};

  v.img.width = w;
  v.img.height = channels ? h * channels : h;
  v.img.format = channels ? grey : IMAGE_RGB;
  v.img.stride[0] = image_row_bytes (v.img.format, w, 0);
  v.img.plane[0] = malloc ((size_t) v.img.stride[0] * v.img.height);
  v.labels = malloc ((size_t) w * h * sizeof *v.labels);
  ok (multispectral_new (&v.scene, w, h));
  return v;
}

static void
view_free (View *v)
{
  multispectral_free (v->scene);
  free (v->img.plane[0]);
  free (v->labels);
}

static void
view_show (View *v, const MultispectralParams *p, uint64_t number)
{
  ok (multispectral_render (
      v->scene, p, number, &v->img, v->objects, v->labels));
}

/* The number at a place of a grey frame. */
static int
value_at (const View *v, int x, int y)
{
  const uint8_t *p = v->img.plane[0] + (size_t) y * v->img.stride[0];

  if (v->img.format == IMAGE_GRAY8)
    return p[x];
  return p[2 * x] | p[2 * x + 1] << 8;
}

/* The same of channel @c of a stacked frame. */
static int
channel_at (const View *v, int x, int y, int c)
{
  return value_at (v, x, y + c * v->height);
}

static bool
same_picture (const View *a, const View *b)
{
  return !memcmp (a->img.plane[0], b->img.plane[0],
      (size_t) a->img.stride[0] * a->img.height);
}

static bool
same_labels (const View *a, const View *b)
{
  return !memcmp (a->labels, b->labels, (size_t) 2 * a->width * a->height);
}
