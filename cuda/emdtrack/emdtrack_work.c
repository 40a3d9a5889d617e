/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks params and frames, and sets the data that the stages work on. */
#include <math.h>

#include "common/random.h"
#include "emdtrack/emdtrack_work.h"

#define COST_SEED 5 /* any number; the same on every run and backend */

void
emdtrack_quantise (const double *weight, int n, int mass, int *out)
{
  double sum = 0, rest[EMDTRACK_BINS];
  int missing = mass, of[EMDTRACK_BINS], n_rests = 0;

  for (int i = 0; i < n; i++)
    sum += weight[i];
  for (int i = 0; i < n; i++) {
    double v = weight[i] / sum * mass;

    out[i] = (int) v;
    missing -= out[i];
    rest[n_rests] = v - out[i];
    of[n_rests] = i;
    n_rests += rest[n_rests] > 0;
  }
  while (missing-- > 0) {
    int largest = 0;

    for (int k = 1; k < n_rests; k++)
      largest = rest[k] > rest[largest] ? k : largest;
    out[of[largest]]++;
    rest[largest] = -1;
  }
}

const char *
emdtrack_check_target (const EmdtrackTarget *t, int n)
{
  double sum = 0;

  for (int i = 0; i < n; i++) {
    if (!(t->weight[i] >= 0) || isinf (t->weight[i]))
      return "the weights of a target must be numbers, 0 or more";
    sum += t->weight[i];
  }
  return sum > 0 && !isinf (sum) ? NULL : "a target has no mass";
}

static const char *
check_codebook_params (const EmdtrackParams *p)
{
  const EmdtrackCodebook *b = p->codebook;

  if (!b)
    return p->histogram == EMDTRACK_CODEBOOK
        ? "histograms over a codebook need one"
        : NULL;
  if (b->entries != p->bins)
    return "there must be as many bins as the codebook has entries";
  if (b->dims < 1 || b->dims > EMDTRACK_BINS || (!b->spectra && b->dims != 3))
    return "a codebook is of colours of 3 numbers or spectra of up to 16";
  for (int k = 0; k < b->entries; k++)
    for (int c = 0; c < b->dims; c++)
      if (!isfinite (b->centre[k][c]))
        return "a codebook's entries must be numbers";
  return NULL;
}

const char *
emdtrack_check (const EmdtrackParams *p)
{
  TRY (params_check (emdtrack_params, p));
  if (p->window % 2 == 0)
    return "window must be odd";
  if (!(p->gain > 0) || p->gain > EMDTRACK_MAX_GAIN)
    return "the gain must exceed 0, and at most be a million";
  if (p->n_targets < 0 || p->n_targets > EMDTRACK_TARGETS)
    return "there can be 8 targets at most";
  for (int t = 0; t < p->n_targets; t++)
    TRY (emdtrack_check_target (&p->targets[t], p->bins));
  TRY (check_codebook_params (p));
  return emdtrack_check_distance (p);
}

const char *
emdtrack_distances (const EmdtrackParams *p,
    uint8_t distances[EMDTRACK_BINS][EMDTRACK_BINS], double *scale)
{
  TRY (emdtrack_check (p));
  emdtrack_set_distances (p, distances, scale);
  return NULL;
}

static bool
is_grey_format (ImageFormat f)
{
  return f == IMAGE_GRAY8 || f == IMAGE_GRAY16;
}

const char *
emdtrack_frame_size (const EmdtrackFrame *f, int *width, int *height)
{
  const Image *img = &f->image;

  *width = img->width;
  *height = img->height;
  if (img->width < 1 || img->height < 1)
    return "the frame has no pixels";
  if (f->layout == EMDTRACK_PLAIN)
    return NULL;
  if (!is_grey_format (img->format))
    return "channels come in grey frames, as mosaic or stacked; this one has "
           "colours";
  if (f->channels < 2 || f->channels > EMDTRACK_BINS)
    return "there must be 2 to 16 channels";
  if (f->layout == EMDTRACK_STACKED) {
    *height = img->height / f->channels;
    return img->height % f->channels
        ? "the frame's height is no multiple of its channels; check how many "
          "they are, or cut the rest off"
        : NULL;
  }
  if (f->mosaic_width < 1 || f->mosaic_height < 1 ||
      f->mosaic_width > f->channels || f->mosaic_height > f->channels ||
      f->mosaic_width * f->mosaic_height != f->channels)
    return "the mosaic's pattern does not have as many cells as channels";
  *width = img->width / f->mosaic_width;
  *height = img->height / f->mosaic_height;
  return img->width % f->mosaic_width || img->height % f->mosaic_height
      ? "the frame's size is no multiple of the mosaic's pattern; check the "
        "pattern, or cut the rest off"
      : NULL;
}

static const char *
check_frame_channels (const EmdtrackReader *r, const EmdtrackParams *p)
{
  bool spectra = p->histogram == EMDTRACK_CHANNELS ||
      (p->histogram == EMDTRACK_CODEBOOK && p->codebook->spectra);
  int channels = p->histogram == EMDTRACK_CHANNELS ? p->bins
      : spectra                                    ? p->codebook->dims
                                                   : 0;

  if (!spectra)
    return r->frame.layout == EMDTRACK_PLAIN
        ? NULL
        : "a frame of several channels has spectra, no grey values or colours";
  if (p->histogram == EMDTRACK_CODEBOOK && r->frame.layout == EMDTRACK_PLAIN)
    return "a codebook of spectra needs frames of several channels";
  return r->channels == channels
      ? NULL
      : "the frame has another number of channels than bins or codebook";
}

const char *
emdtrack_set_reader (
    EmdtrackWork *w, const EmdtrackParams *p, const EmdtrackFrame *f)
{
  EmdtrackReader *r = &w->reader;
  int width, height;

  TRY (emdtrack_frame_size (f, &width, &height));
  if (width != r->width || height != r->height)
    return "the frame has another size than was announced";
  r->frame = *f;
  r->kind = p->histogram;
  r->bins = p->bins;
  r->channels = f->layout != EMDTRACK_PLAIN ? f->channels
      : is_grey_format (f->image.format)    ? 1
                                            : 3;
  r->mass = p->histogram == EMDTRACK_CHANNELS ? p->spectrum_mass
                                              : p->window * p->window;
  r->white = p->white                   ? (uint32_t) p->white
      : f->image.format == IMAGE_GRAY16 ? 65535
                                        : 255;
  r->yuv = yuv_of (
      f->image.matrix, f->image.full_range || !image_is_yuv (f->image.format));
  w->window = p->window;
  return check_frame_channels (r, p);
}

void
emdtrack_set_problem (EmdtrackProblem *p,
    uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS], int n, int mass,
    const EmdtrackTarget *target)
{
  int demand[EMDTRACK_BINS];

  memset (p, 0, sizeof *p);
  p->n = n;
  p->mass = mass;
  emdtrack_quantise (target->weight, n, mass, demand);
  for (int j = 0; j < n; j++) {
    p->target[j] = (uint16_t) demand[j];
    if (!demand[j])
      continue;
    p->sink[p->m] = (uint8_t) j;
    p->demand[p->m] = (uint16_t) demand[j];
    for (int i = 0; i < n; i++) {
      p->distance[i][p->m] = distance[i][j];
      p->cost[i][p->m] = (distance[i][j] << EMDTRACK_COST_BITS) +
          (int32_t) random_below (COST_SEED, i * EMDTRACK_BINS + j, 128);
    }
    p->m++;
  }
}
