/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A colour learned from a region: of each of its modes the middle nine tenths
 * in each axis of Lab, and a margin.  Lightness gets the wider one, because it
 * changes first when the object moves. */
#include <math.h>
#include <stdlib.h>

#include "moct/moct_colour.h"
#include "moct/moct_modes.h"

#define MAX_SAMPLES (1 << 15)
#define TAIL 20 /* one in this many pixels is left out at each end */
/* What surrounds a region, in lengths of its sides from it on: a region is
 * often set within the thing. */
#define GAP .5
#define AROUND 1

static const float margin[3] = {12, 6, 6};
static const float least[3] = {0, -128, -128};
static const float most[3] = {100, 127, 127};

typedef struct {
  Image image; /* in host memory */
  uint8_t *memory;
  MoctEncoding encoding;
} Picture;

static const char *
fetch (const Device *dev, const Image *frame, Picture *p)
{
  size_t offset[3], size = 0;

  p->image = *frame;
  p->encoding = moct_encoding (frame);
  for (int i = 0; i < image_planes (frame->format); i++) {
    offset[i] = size;
    p->image.stride[i] = image_row_bytes (frame->format, frame->width, i);
    size += (size_t) p->image.stride[i] *
        image_rows (frame->format, frame->height, i);
  }
  if (!(p->memory = malloc (size)))
    return "out of memory";
  for (int i = 0; i < image_planes (frame->format); i++) {
    p->image.plane[i] = p->memory + offset[i];
    TRY (device_copy_rows (dev, p->image.plane[i], p->image.stride[i],
        frame->plane[i], frame->stride[i], p->image.stride[i],
        image_rows (frame->format, frame->height, i)));
  }
  return device_wait (dev);
}

/* Points of at most MAX_SAMPLES pixels of @in, evenly spread, that are not in
 * @out. */
static const char *
sample (
    const Picture *p, const ImageBox *in, const ImageBox *out, MoctSamples *s)
{
  int w = in->x1 - in->x0, h = in->y1 - in->y0, step = 1;

  while (((int64_t) w / step + 1) * (h / step + 1) > MAX_SAMPLES)
    step++;
  if (!(s->at = malloc (3 * MAX_SAMPLES * sizeof *s->at)))
    return "out of memory";
  for (int y = in->y0; y < in->y1; y += step)
    for (int x = in->x0; x < in->x1; x += step) {
      uint8_t c[3];

      if (x >= out->x0 && x < out->x1 && y >= out->y0 && y < out->y1)
        continue;
      image_read (&p->image, x, y, c);
      moct_point (&p->encoding, MOCT_LAB, c, s->at + 3 * (size_t) s->n++);
    }
  return NULL;
}

static int
compare (const void *p, const void *q)
{
  float a = *(const float *) p, b = *(const float *) q;

  return (a > b) - (a < b);
}

/* The limits of the points of mode @k; of all points where @mode is NULL. */
static const char *
set_range (const MoctSamples *s, const int *mode, int k, MoctRange *range)
{
  float *axis = malloc (s->n * sizeof *axis);

  if (!axis)
    return "out of memory";
  for (int i = 0; i < 3; i++) {
    int n = 0;

    for (int j = 0; j < s->n; j++)
      if (!mode || mode[j] == k)
        axis[n++] = s->at[3 * (size_t) j + i];
    qsort (axis, n, sizeof *axis, compare);
    range->lo[i] = fmaxf (least[i], floorf (axis[n / TAIL] - margin[i]));
    range->hi[i] = fminf (most[i], ceilf (axis[n - 1 - n / TAIL] + margin[i]));
  }
  free (axis);
  return NULL;
}

static double
part_held (const MoctColour *colour, const MoctSamples *s)
{
  int n = 0;

  for (int i = 0; i < s->n; i++)
    n += moct_holds (colour, s->at + 3 * (size_t) i);
  return s->n ? (double) n / s->n : 0;
}

/* What is learned from. */
typedef struct {
  MoctSamples region, around, rest;
  int *mode;
} Lesson;

static const char *
set_colour (Lesson *l, MoctColour *colour, MoctLearned *learned)
{
  int n = moct_modes_find (&l->region, &l->around, &l->rest, l->mode);
  MoctRange range;

  if (n < 0)
    return "out of memory";
  colour->space = MOCT_LAB;
  colour->n_also = n > 1 ? n - 1 : 0;
  for (int k = 0; k < n || k == 0; k++) {
    TRY (set_range (&l->region, n ? l->mode : NULL, k, &range));
    if (k)
      colour->also[k - 1] = range;
    else
      for (int i = 0; i < 3; i++)
        colour->lo[i] = range.lo[i], colour->hi[i] = range.hi[i];
  }
  learned->modes = n;
  learned->explained = part_held (colour, &l->region);
  learned->elsewhere = part_held (colour, &l->rest);
  return NULL;
}

static ImageBox
widen (const ImageBox *in, double by, const Image *frame)
{
  int x = (int) ceil ((in->x1 - in->x0) * by);
  int y = (int) ceil ((in->y1 - in->y0) * by);

  return (ImageBox){in->x0 > x ? in->x0 - x : 0, in->y0 > y ? in->y0 - y : 0,
      in->x1 < frame->width - x ? in->x1 + x : frame->width,
      in->y1 < frame->height - y ? in->y1 + y : frame->height};
}

static const char *
learn (const Picture *p, const ImageBox *in, Lesson *l, MoctColour *colour,
    MoctLearned *learned)
{
  ImageBox near = widen (in, GAP, &p->image), none = {0};
  ImageBox around = widen (in, AROUND, &p->image);
  ImageBox all = {0, 0, p->image.width, p->image.height};

  TRY (sample (p, in, &none, &l->region));
  TRY (sample (p, &around, &near, &l->around));
  TRY (sample (p, &all, &near, &l->rest));
  if (!(l->mode = malloc (l->region.n * sizeof *l->mode)))
    return "out of memory";
  return set_colour (l, colour, learned);
}

const char *
moct_learn_from (const Device *dev, const Image *frame, ImageBox in,
    MoctColour *colour, MoctLearned *learned)
{
  Picture p = {.memory = NULL};
  Lesson l = {.mode = NULL};
  const char *err;

  in.x0 = in.x0 < 0 ? 0 : in.x0;
  in.y0 = in.y0 < 0 ? 0 : in.y0;
  in.x1 = in.x1 > frame->width ? frame->width : in.x1;
  in.y1 = in.y1 > frame->height ? frame->height : in.y1;
  if (in.x0 >= in.x1 || in.y0 >= in.y1)
    return "the region to learn from lies outside the frame";
  err = fetch (dev, frame, &p);
  if (!err)
    err = learn (&p, &in, &l, colour, learned);
  free (p.memory);
  free (l.region.at);
  free (l.around.at);
  free (l.rest.at);
  free (l.mode);
  return err;
}
