/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The paper's methods one step below moct_run(), on sums, before tracking; the
 * same sums by a plain loop; random frames for both.  Colours are boxes of
 * stored components, which that loop can test without any of moct's code. */
#pragma once

#include "frames.h"
#include "moct/moct_pyramid.h"
#include "moct/moct_table.h"

/* What pyramid and per-object work on, made for one frame. */
typedef struct {
  Device dev;
  MoctWork work;
  MoctTables *tables;
  void *memory;
} Rig;

static inline MoctParams
sums_params (const MoctColour *colours, int n)
{
  return (MoctParams){.colours = colours,
      .n_colours = n,
      .exact = true,
      .reduction_factor = 40,
      .min_area = 1,
      .max_area = UINT64_MAX,
      .max_objects = 1,
      .region = {0, 0, 32768, 32768},
      .appear_frames = 1,
      .lose_frames = 3};
}

/* A box of the components that frames of @format store. */
static inline MoctColour
box_colour (ImageFormat format, const uint8_t lo[3], const uint8_t hi[3])
{
  bool yuv = image_is_yuv (format) || format <= IMAGE_GRAY16;
  MoctColour c = {.space = yuv ? MOCT_YUV : MOCT_RGB};

  for (int i = 0; i < 3; i++)
    c.lo[i] = lo[i], c.hi[i] = hi[i];
  return c;
}

/* @rig stays where it is until it is closed. */
static inline void
rig_open (Rig *rig, DeviceKind kind, const MoctParams *p, const Frame *f,
    const ImageBox *windows)
{
  size_t bytes = p->n_colours * sizeof *windows;
  MoctWork *w = &rig->work;

  *rig = (Rig){.work = {.n_colours = p->n_colours,
                   .min_area = p->min_area,
                   .max_area = p->max_area}};
  ok (device_open (&rig->dev, kind, NULL));
  w->frame = frame_to_device (f, &rig->dev, &rig->memory);
  ok (moct_tables_new (&rig->tables, &rig->dev));
  ok (moct_tables_get (rig->tables, p, &f->image, &w->table));
  ok (device_alloc (&rig->dev, (void **) &w->windows, bytes));
  ok (device_alloc_pinned (&rig->dev, (void **) &w->result,
      sizeof *w->result + p->n_colours * sizeof w->result->blobs[0]));
  ok (device_copy (&rig->dev, (void *) w->windows, windows, bytes));
  ok (device_wait (&rig->dev));
}

static inline void
rig_close (Rig *rig)
{
  ok (device_wait (&rig->dev));
  device_release (&rig->dev, rig->work.texels);
  device_release (&rig->dev, (void *) rig->work.windows);
  device_release_pinned (&rig->dev, rig->work.result);
  device_release (&rig->dev, rig->memory);
  moct_tables_free (rig->tables);
  device_close (&rig->dev);
}

typedef struct {
  MoctMethod method;
  MoctLayout layout;
  int factor;
} Way;

static const Way ways[] = {{MOCT_FUSED, 0, 0}, {MOCT_PER_OBJECT, 0, 0},
    {MOCT_PYRAMID, MOCT_VERTICAL, 2}, {MOCT_PYRAMID, MOCT_VERTICAL, 3},
    {MOCT_PYRAMID, MOCT_VERTICAL, 40}, {MOCT_PYRAMID, MOCT_VERTICAL, 1000},
    {MOCT_PYRAMID, MOCT_HORIZONTAL, 2}, {MOCT_PYRAMID, MOCT_HORIZONTAL, 3},
    {MOCT_PYRAMID, MOCT_HORIZONTAL, 40}, {MOCT_PYRAMID, MOCT_HORIZONTAL, 1000},
    {MOCT_PYRAMID, MOCT_SQUARE, 2}, {MOCT_PYRAMID, MOCT_SQUARE, 3},
    {MOCT_PYRAMID, MOCT_SQUARE, 40}, {MOCT_PYRAMID, MOCT_SQUARE, 1000},
    {MOCT_PYRAMID, MOCT_SQUARE, 65536}};
#define N_WAYS (int) (sizeof ways / sizeof *ways)
#define FIRST_OF_PAPER 1 /* ways from here on have no fragments */

/* Stored components of a pixel, told apart by format and nothing else. */
static void
stored (const Image *img, int x, int y, int c[3])
{
  const uint8_t *p = img->plane[0] + (size_t) y * img->stride[0];
  const uint8_t *q = img->plane[1] + (size_t) (y / 2) * img->stride[1];
  const uint8_t *r = img->plane[2] + (size_t) (y / 2) * img->stride[2];
  const uint8_t *rgb = p + x * (img->format <= IMAGE_BGR ? 3 : 4);

  c[0] = p[x], c[1] = c[2] = 128;
  if (img->format == IMAGE_GRAY16)
    c[0] = p[2 * x + 1];
  if (img->format == IMAGE_RGB || img->format == IMAGE_RGBA)
    c[0] = rgb[0], c[1] = rgb[1], c[2] = rgb[2];
  if (img->format == IMAGE_BGR || img->format == IMAGE_BGRA)
    c[0] = rgb[2], c[1] = rgb[1], c[2] = rgb[0];
  if (img->format == IMAGE_NV12)
    c[1] = q[x / 2 * 2], c[2] = q[x / 2 * 2 + 1];
  if (img->format == IMAGE_I420)
    c[1] = q[x / 2], c[2] = r[x / 2];
  if (img->format == IMAGE_YUY2)
    c[0] = p[2 * x], c[1] = p[x / 2 * 4 + 1], c[2] = p[x / 2 * 4 + 3];
  if (img->format == IMAGE_P010)
    c[0] = p[2 * x + 1], c[1] = q[x / 2 * 4 + 1], c[2] = q[x / 2 * 4 + 3];
}

/* The sums, plainly. */
static void
sum_pixels (
    const MoctParams *p, const Frame *f, const ImageBox *windows, MoctSum *sums)
{
  memset (sums, 0, p->n_colours * sizeof *sums);
  for (int y = 0; y < f->image.height; y++)
    for (int x = 0; x < f->image.width; x++) {
      const MoctColour *m = p->colours;
      int c[3], k;

      stored (&f->image, x, y, c);
      for (k = 0; k < p->n_colours; k++, m++)
        if (c[0] >= m->lo[0] && c[0] <= m->hi[0] && c[1] >= m->lo[1] &&
            c[1] <= m->hi[1] && c[2] >= m->lo[2] && c[2] <= m->hi[2])
          break;
      if (k == p->n_colours || x < windows[k].x0 || x >= windows[k].x1 ||
          y < windows[k].y0 || y >= windows[k].y1)
        continue;
      MoctSum *s = &sums[k];
      ImageBox before = s->box;

      s->box = (ImageBox){x, y, x + 1, y + 1};
      if (s->n) {
        s->box.x0 = before.x0 < x ? before.x0 : x;
        s->box.x1 = before.x1 > x + 1 ? before.x1 : x + 1;
        s->box.y0 = before.y0;
      }
      s->n++, s->x += x, s->y += y;
      s->xx += (uint64_t) x * x, s->xy += (uint64_t) x * y;
      s->yy += (uint64_t) y * y;
    }
  for (int k = 0; k < p->n_colours; k++)
    if (sums[k].n < p->min_area || sums[k].n > p->max_area)
      memset (&sums[k], 0, sizeof *sums);
}

/* The sums as @way reports them; 0 where it reports none. */
static inline void
sum_by (Rig *rig, const Way *way, MoctSum *sums)
{
  const MoctStages *stages = STAGES (moct, &rig->dev);
  bool pyramid = way->method == MOCT_PYRAMID;
  MoctWork *w = &rig->work;
  size_t n;

  w->layout = way->layout;
  w->reduction_factor = way->factor;
  n = pyramid ? moct_pyramid_texels (w) : moct_per_object_texels (w);
  device_release (&rig->dev, w->texels);
  ok (device_alloc (&rig->dev, (void **) &w->texels, n * sizeof *w->texels));
  w->result->n_overflow = 99;
  ok ((pyramid ? stages->pyramid : stages->per_object) (&rig->dev, w));
  ok (device_wait (&rig->dev));

  memset (sums, 0, w->n_colours * sizeof *sums);
  check (w->result->n_overflow == 0);
  check (w->result->n_blobs <= (uint32_t) w->n_colours);
  for (uint32_t i = 0; i < w->result->n_blobs; i++) {
    const MoctBlob *blob = &w->result->blobs[i];

    check (blob->cls > 0 && blob->cls <= w->n_colours && blob->sum.n > 0);
    check (sums[blob->cls - 1].n == 0);
    sums[blob->cls - 1] = blob->sum;
  }
}

#define MAX_COLOURS 64

typedef struct {
  Frame frame;
  MoctColour colours[MAX_COLOURS];
  ImageBox windows[MAX_COLOURS];
  MoctParams params;
} Scene;

/* Windows lie anywhere, some of them outside the frame, some inside out. */
static void
random_scene (Scene *s, int max_width, int max_height)
{
  int w = 1 + rnd (max_width), h = 1 + rnd (max_height);
  ImageFormat format = all_formats[rnd (N_FORMATS)];
  uint8_t block[3] = {rnd (256), rnd (256), rnd (256)};

  s->frame = frame_new (format, w, h, rnd (20), rnd (2) ? 16 : 1);
  frame_randomise (&s->frame);
  frame_fill (&s->frame, (ImageBox){w / 4, h / 3, w / 2, h}, block);
  s->params = sums_params (s->colours, 1 + rnd (rnd (3) ? 7 : MAX_COLOURS));
  for (int k = 0; k < s->params.n_colours; k++) {
    uint8_t lo[3], hi[3];
    int x = (int) rnd (2 * w) - w / 2, y = (int) rnd (2 * h) - h / 2;

    for (int i = 0; i < 3; i++) {
      lo[i] = rnd (256);
      hi[i] = lo[i] + rnd (256 - lo[i]);
    }
    s->colours[k] = box_colour (format, lo, hi);
    s->windows[k] = (ImageBox){0, 0, w, h};
    if (rnd (2))
      s->windows[k] = (ImageBox){
          x, y, x + (int) rnd (2 * w) - w / 8, y + (int) rnd (2 * h) - h / 8};
  }
  if (rnd (3) == 0)
    s->params.min_area = rnd (200), s->params.max_area = 100 + rnd (2000);
}
