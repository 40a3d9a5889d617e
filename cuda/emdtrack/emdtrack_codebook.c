/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * K-means (Lloyd), started as k-means++ does (Arthur and Vassilvitskii 2007),
 * with the same random numbers in every run. */
#include <math.h>
#include <stdlib.h>

#include "common/random.h"
#include "emdtrack/emdtrack_codebook.h"
#include "emdtrack/emdtrack_colour.h"
#include "emdtrack/emdtrack_core.h"

#define SAMPLES 8192 /* about the most samples */
#define ROUNDS 30
#define STARTS 3 /* runs, of which the best counts */
#define INSIDE 3 /* weight of a pixel inside of the box */
#define SEED 3

typedef struct {
  float at[EMDTRACK_BINS];
  int weight, nearest;
  double far; /* squared distance from the nearest centre */
} Sample;

typedef struct {
  int n, room, dims;
  Sample *sample;
} Samples;

static double
squared_distance (const float *a, const float *b, int dims)
{
  double sum = 0;

  for (int c = 0; c < dims; c++) {
    double e = (double) a[c] - b[c];

    sum += e * e;
  }
  return sum;
}

/* Assigns each sample to the nearest of @n centres.  Returns the sum of squared
 * distances, weighted. */
static double
assign_samples (Samples *s, const EmdtrackCodebook *b, int n)
{
  double all = 0;

  for (int i = 0; i < s->n; i++) {
    Sample *x = &s->sample[i];

    x->far = INFINITY;
    for (int k = 0; k < n; k++) {
      double d = squared_distance (x->at, b->centre[k], s->dims);

      if (d < x->far) {
        x->far = d;
        x->nearest = k;
      }
    }
    all += x->far * x->weight;
  }
  return all;
}

/* Chooses the first centres among the samples: the next centre is the likelier,
 * the farther it is from the others. */
static void
choose_first_centres (Samples *s, EmdtrackCodebook *b, int try)
{
  uint64_t counter = (uint64_t) try * EMDTRACK_BINS;
  int first = (int) random_below (SEED, counter, (uint32_t) s->n);

  memcpy (b->centre[0], s->sample[first].at, sizeof b->centre[0]);
  for (int k = 1; k < b->entries; k++) {
    double left = assign_samples (s, b, k) * random_unit (SEED, counter + k);
    int i = 0;

    while (i + 1 < s->n && (left -= s->sample[i].far * s->sample[i].weight) > 0)
      i++;
    memcpy (b->centre[k], s->sample[i].at, sizeof b->centre[k]);
  }
}

/* Moves each centre to the mean of its samples. */
static void
move_centres (const Samples *s, EmdtrackCodebook *b)
{
  double sum[EMDTRACK_BINS][EMDTRACK_BINS] = {{0}}, n[EMDTRACK_BINS] = {0};

  for (int i = 0; i < s->n; i++) {
    const Sample *x = &s->sample[i];

    n[x->nearest] += x->weight;
    for (int c = 0; c < s->dims; c++)
      sum[x->nearest][c] += (double) x->at[c] * x->weight;
  }
  for (int k = 0; k < b->entries; k++)
    for (int c = 0; c < s->dims && n[k] > 0; c++)
      b->centre[k][c] = (float) (sum[k][c] / n[k]);
}

static void
run_k_means (Samples *s, EmdtrackCodebook *book)
{
  double best = INFINITY;

  for (int try = 0; try < STARTS; try++) {
    EmdtrackCodebook b = *book;
    double far;

    choose_first_centres (s, &b, try);
    for (int k = 0; k < ROUNDS; k++) {
      assign_samples (s, &b, b.entries);
      move_centres (s, &b);
    }
    far = assign_samples (s, &b, b.entries);
    if (far < best) {
      best = far;
      memcpy (book->centre, b.centre, sizeof book->centre);
    }
  }
}

static void
read_pixel_sample (const EmdtrackReader *r, int x, int y, Sample *s)
{
  if (r->frame.layout == EMDTRACK_PLAIN) {
    bool grey = r->channels == 1;
    uint32_t value[3];
    uint8_t rgb[3];

    emdtrack_colour (r, x, y, value);
    for (int c = 0; c < 3; c++)
      rgb[c] = (uint8_t) value[grey ? 0 : c];
    emdtrack_lab (rgb, s->at);
  } else {
    uint8_t spectrum[EMDTRACK_BINS];

    emdtrack_spectrum (r, x, y, EMDTRACK_MAX_MASS, spectrum);
    for (int c = 0; c < r->channels; c++)
      s->at[c] = spectrum[c];
  }
}

static void
read_view_samples (
    const EmdtrackReader *r, const EmdtrackView *v, int max, Samples *s)
{
  ImageBox box = v->box, a = v->around;
  int apart = 1, end = s->n + max;

  while ((int64_t) (a.x1 - a.x0) * (a.y1 - a.y0) / apart / apart > max / 2)
    apart++;
  for (int y = a.y0; y < a.y1; y += apart)
    for (int x = a.x0; x < a.x1 && s->n < end; x += apart) {
      bool inside = x >= box.x0 && x < box.x1 && y >= box.y0 && y < box.y1;

      s->sample[s->n].weight = inside ? v->weight : 1;
      read_pixel_sample (r, x, y, &s->sample[s->n++]);
    }
}

/* Copies a frame to @memory of the host. */
static const char *
download_frame (const Device *dev, Image *img, uint8_t **memory)
{
  size_t bytes = 0, at = 0;

  for (int p = 0; p < image_planes (img->format); p++)
    bytes += (size_t) image_row_bytes (img->format, img->width, p) *
        image_rows (img->format, img->height, p);
  *memory = malloc (bytes);
  if (!*memory)
    return OUT_OF_MEMORY (bytes, "");
  for (int p = 0; p < image_planes (img->format); p++) {
    int row = image_row_bytes (img->format, img->width, p);
    int rows = image_rows (img->format, img->height, p);

    TRY (device_copy_rows (
        dev, *memory + at, row, img->plane[p], img->stride[p], row, rows));
    img->plane[p] = *memory + at;
    img->stride[p] = row;
    at += (size_t) row * rows;
  }
  return device_wait (dev);
}

/* Adds at most @most samples of a view. */
static const char *
add_view_samples (const Device *dev, const EmdtrackView *v, int max, Samples *s)
{
  EmdtrackReader r = {.frame = *v->frame};
  const Image *img = &v->frame->image;
  uint8_t *memory = NULL;
  EmdtrackView in = *v;
  const char *err;

  TRY (emdtrack_frame_size (v->frame, &r.width, &r.height));
  in.around.x0 = emdtrack_clamp (v->around.x0, r.width);
  in.around.y0 = emdtrack_clamp (v->around.y0, r.height);
  in.around.x1 = emdtrack_clamp (v->around.x1, r.width);
  in.around.y1 = emdtrack_clamp (v->around.y1, r.height);
  if (in.around.x0 >= in.around.x1 || in.around.y0 >= in.around.y1)
    return "the region holds no pixel of the frame";
  r.channels = v->frame->layout != EMDTRACK_PLAIN ? v->frame->channels
      : img->format == IMAGE_GRAY8 || img->format == IMAGE_GRAY16 ? 1
                                                                  : 3;
  r.yuv = yuv_of (img->matrix, img->full_range);
  err = download_frame (dev, &r.frame.image, &memory);
  if (!err)
    read_view_samples (&r, &in, max, s);
  free (memory);
  return err;
}

const char *
emdtrack_codebook_learn_views (const Device *dev, const EmdtrackView *views,
    int n, int entries, EmdtrackCodebook *book)
{
  Samples s = {.room = SAMPLES};
  const char *err = NULL;

  if (entries < 2 || entries > EMDTRACK_BINS)
    return "a codebook has 2 to 16 entries";
  if (n < 1 || n > EMDTRACK_VIEWS)
    return "a codebook is learned from 1 to 9 frames";
  memset (book, 0, sizeof *book);
  book->entries = entries;
  book->spectra = views[0].frame->layout != EMDTRACK_PLAIN;
  book->dims = s.dims = book->spectra ? views[0].frame->channels : 3;
  for (int i = 1; i < n; i++)
    if ((views[i].frame->layout != EMDTRACK_PLAIN) != book->spectra ||
        (book->spectra && views[i].frame->channels != book->dims))
      return "a codebook's frames have as many channels each";
  s.sample = calloc (s.room, sizeof *s.sample);
  if (!s.sample)
    return OUT_OF_MEMORY (s.room * sizeof *s.sample, "");
  for (int i = 0; i < n && !err; i++)
    err = add_view_samples (dev, &views[i], s.room / n, &s);
  if (!err)
    run_k_means (&s, book);
  free (s.sample);
  return err;
}

const char *
emdtrack_codebook_learn (const Device *dev, const EmdtrackFrame *frame,
    ImageBox box, int entries, EmdtrackCodebook *book)
{
  EmdtrackView v = {.frame = frame, .weight = INSIDE};
  int width, height, margin;

  TRY (emdtrack_frame_size (frame, &width, &height));
  v.box.x0 = emdtrack_clamp (box.x0, width);
  v.box.y0 = emdtrack_clamp (box.y0, height);
  v.box.x1 = emdtrack_clamp (box.x1, width);
  v.box.y1 = emdtrack_clamp (box.y1, height);
  width = v.box.x1 - v.box.x0;
  height = v.box.y1 - v.box.y0;
  if (width <= 0 || height <= 0)
    return "the region holds no pixel of the frame";
  margin = width > height ? width : height;
  v.around = (ImageBox){v.box.x0 - margin, v.box.y0 - margin, v.box.x1 + margin,
      v.box.y1 + margin};
  return emdtrack_codebook_learn_views (dev, &v, 1, entries, book);
}
