/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Long windows' phasors by cuFFT: of every pixel, as in
 * pocstereo_fields_cuda.cu.  The two lines of a pair are the real and the
 * imaginary part of one transform. */
#include <stdlib.h>

#include "pocstereo/pocstereo_cufft.cuh"
#include "pocstereo/pocstereo_cuda.cuh"
#include "pocstereo/pocstereo_fourier_core.h"

#define THREADS 128
/* Of one batch: 32 MiB, which stay in the larger caches of level 2. */
#define SAMPLES (1 << 22)

#define MISSING \
 "cuFFT is not installed, and windows of more than 128 samples need it on a " \
 "GPU; install it, take a smaller window, or the CPU"

struct PocstereoFourier {
  PocstereoCufft cufft;
  bool has_plan;
  cufftHandle plan;
  int window, batch; /* of so many samples, so many windows */
  float2 *samples;   /* and spectra: of a batch */
};

/* Which of a layer's windows a batch holds: of a pair of lines all pixels, then
 * of the next. */
struct Batch {
  int view, l, first, end;
};

const char *
pocstereo_supports_cuda (const PocstereoParams *params)
{
  PocstereoCufft cufft = {};
  bool is_good =
      params->window <= POCSTEREO_OWN_WINDOW || pocstereo_cufft_open (&cufft);

  pocstereo_cufft_close (&cufft);
  return is_good ? NULL : MISSING;
}

void
pocstereo_fourier_close (const Device *dev, PocstereoCuda *c)
{
  PocstereoFourier *f = c->fourier;

  if (!f)
    return;
  if (f->has_plan)
    f->cufft.destroy (f->plan);
  pocstereo_cufft_close (&f->cufft);
  device_release (dev, f->samples);
  free (f);
  c->fourier = NULL;
}

const char *
pocstereo_fourier_room (const Device *dev, const PocstereoWork *w)
{
  PocstereoCuda *c = (PocstereoCuda *) w->state;
  int n = w->params.window;
  PocstereoFourier *f = c->fourier;

  if (n <= POCSTEREO_OWN_WINDOW || (f && f->window == n))
    return NULL;
  pocstereo_fourier_close (dev, c);
  c->fourier = f = (PocstereoFourier *) calloc (1, sizeof *f);
  if (!f)
    return "out of memory";
  if (!pocstereo_cufft_open (&f->cufft))
    return MISSING;
  f->batch = SAMPLES / n;
  DEVICE_RENEW (dev, f->samples, (size_t) f->batch * n);
  f->has_plan =
      f->cufft.plan_1d (&f->plan, n, CUFFT_C2C, f->batch) == CUFFT_SUCCESS;
  if (!f->has_plan ||
      f->cufft.set_stream (f->plan, device_stream (dev)) != CUFFT_SUCCESS)
    return "cuFFT has no memory for the windows";
  f->window = n;
  return NULL;
}

/* The row of @view that line @line of the pairs is. */
static __device__ __forceinline__ const uint16_t *
row_of (const PocstereoWork &w, const Batch &b, int line)
{
  int y = pocstereo_clamp (
      line - w.params.lines / 2, 0, w.layer[0][b.l].height - 1);

  return w.view[b.view][b.l] + (size_t) y * w.stride[b.l];
}

/* A block a window. */
static __global__ void
__launch_bounds__ (THREADS)
    take_kernel (const __grid_constant__ PocstereoWork w,
        const __grid_constant__ Batch b, float2 *samples)
{
  const PocstereoTables *t = w.tables;
  int i = b.first + (int) blockIdx.x, width = w.layer[0][b.l].width;
  int x = i % width, line = i / width * 2;
  const uint16_t *upper = row_of (w, b, line), *lower = row_of (w, b, line + 1);

  samples += (size_t) blockIdx.x * w.params.window;
  allow_next ();
  await_previous ();
  for (int at = threadIdx.x; at < w.params.window; at += THREADS) {
    int n = pocstereo_sample_at (t, at);

    samples[at] = make_float2 (pocstereo_windowed (t, upper, width, x, n),
        pocstereo_windowed (t, lower, width, x, n));
  }
}

/* The word of frequency @k + 1, from the spectrum @z of a pair of lines. */
static __device__ __forceinline__ uint32_t
word_of (const PocstereoTables *t, const float2 *z, int k)
{
  float2 a = z[k + 1], b = z[t->window - k - 1];
  int8_t upper[2], lower[2];

  pocstereo_fourier_phasors (t, k, &z[0].x, &a.x, &b.x, upper, lower);
  return (uint32_t) (uint8_t) upper[0] | (uint32_t) (uint8_t) upper[1] << 8 |
      (uint32_t) (uint8_t) lower[0] << 16 | (uint32_t) (uint8_t) lower[1] << 24;
}

/* A thread a couple. */
static __global__ void
__launch_bounds__ (THREADS)
    store_kernel (const __grid_constant__ PocstereoWork w,
        const __grid_constant__ PocstereoField f,
        const __grid_constant__ Batch b, const float2 *spectra)
{
  const PocstereoTables *t = w.tables;
  int couples = ceil_div (w.params.bandwidth, 2);
  int at = blockIdx.x * THREADS + threadIdx.x;
  int couple = at % couples, i = b.first + at / couples;
  int width = w.layer[0][b.l].width, k = 2 * couple;

  allow_next ();
  await_previous ();
  if (i >= b.end)
    return;

  const float2 *z = spectra + (size_t) (i - b.first) * t->window;
  uint32_t odd = k + 1 < t->bandwidth ? word_of (t, z, k + 1) : 0;

  f.couples[b.view][b.l][(size_t) (i / width) * f.pitch[b.l] +
      (size_t) (i % width) * f.across[b.l] + (size_t) couple * f.deeper[b.l]] =
      make_uint2 (word_of (t, z, k), odd);
}

static const char *
run (const Device *dev, const PocstereoWork *w, const Batch &b)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;
  const PocstereoFourier *f = c->fourier;
  int n = b.end - b.first, couples = ceil_div (w->params.bandwidth, 2);
  cufftComplex *samples = f->samples;

  TRY (pocstereo_launch (dev, w, take_kernel, n, THREADS, 0, *w, b, samples));
  if (f->cufft.complex (f->plan, samples, samples, CUFFT_FORWARD) !=
      CUFFT_SUCCESS)
    return "cuFFT failed";
  return pocstereo_launch (dev, w, store_kernel,
      ceil_div (n * couples, THREADS), THREADS, 0, *w, c->field, b,
      (const float2 *) samples);
}

const char *
pocstereo_fourier_cuda (
    const Device *dev, const PocstereoWork *w, uint32_t layers)
{
  const PocstereoCuda *c = (const PocstereoCuda *) w->state;

  for (int l = 0; l < w->n_layers; l++) {
    int n = w->layer[0][l].width * pocstereo_fields_pairs (w, l);

    for (int v = 0; v < 2 && (layers >> l & 1); v++)
      for (int first = 0; first < n; first += c->fourier->batch) {
        int end = first + c->fourier->batch;

        TRY (run (dev, w, Batch{v, l, first, end < n ? end : n}));
      }
  }
  return NULL;
}
