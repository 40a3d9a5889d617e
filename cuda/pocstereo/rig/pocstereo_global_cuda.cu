/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transforms by cuFFT, which is opened at run time: the plug-in loads where it
 * is not installed. */
#include <cufft.h>
#include <dlfcn.h>
#include <stdlib.h>

#include "common/cuda.cuh"
#include "pocstereo/rig/pocstereo_global_core.h"

namespace
{

/* ---- The library ---- */

struct Cufft {
  void *library;
  decltype (&cufftPlan2d) plan_2d;
  decltype (&cufftDestroy) destroy;
  decltype (&cufftSetStream) set_stream;
  decltype (&cufftExecR2C) forward;
  decltype (&cufftExecC2R) inverse;
};

template <typename F>
bool
find (void *library, const char *name, F *function)
{
  *function = (F) dlsym (library, name);
  return *function != NULL;
}

/* The version that goes with the toolkit first. */
void *
open_library (void)
{
  static const char *const names[] = {
      "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"};

  for (const char *name : names)
    if (void *library = dlopen (name, RTLD_NOW | RTLD_LOCAL))
      return library;
  return NULL;
}

/* Whether it is there, with all of these; close it in either case. */
bool
open_cufft (Cufft *c)
{
  c->library = open_library ();
  return c->library && find (c->library, "cufftPlan2d", &c->plan_2d) &&
      find (c->library, "cufftDestroy", &c->destroy) &&
      find (c->library, "cufftSetStream", &c->set_stream) &&
      find (c->library, "cufftExecR2C", &c->forward) &&
      find (c->library, "cufftExecC2R", &c->inverse);
}

void
close_cufft (Cufft *c)
{
  if (c->library)
    dlclose (c->library);
  c->library = NULL;
}

/* ---- Transforms ---- */

struct Plans {
  Cufft cufft;
  bool has_plan[2];
  cufftHandle plans[2];
};

const char *
open (const Device *dev, PocstereoGlobalWork *w)
{
  Plans *p = (Plans *) calloc (1, sizeof *p);

  if (!(w->state = p))
    return "out of memory";
  if (!open_cufft (&p->cufft))
    return "cuFFT is not installed; whole views cannot be correlated without";
  for (int i = 0; i < 2; i++) {
    p->has_plan[i] = p->cufft.plan_2d (&p->plans[i], w->height, w->width,
                         i ? CUFFT_C2R : CUFFT_R2C) == CUFFT_SUCCESS;
    if (!p->has_plan[i] ||
        p->cufft.set_stream (p->plans[i], device_stream (dev)) != CUFFT_SUCCESS)
      return "cuFFT has no memory for the views";
  }
  return NULL;
}

void
close (const Device *dev, PocstereoGlobalWork *w)
{
  Plans *p = (Plans *) w->state;

  (void) dev;
  for (int i = 0; i < 2; i++)
    if (p->has_plan[i])
      p->cufft.destroy (p->plans[i]);
  close_cufft (&p->cufft);
  free (p);
}

__global__ void
put_pixels (PocstereoGlobalWork w, PocstereoFrame frame)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, v = blockIdx.z;

  if (x < w.width)
    w.pixels[v][(size_t) y * w.width + x] =
        pocstereo_global_pixel (&w, frame.view[v], frame.stride, x, y);
}

__global__ void
cross (PocstereoGlobalWork w)
{
  int kx = blockIdx.x * blockDim.x + threadIdx.x, ky = blockIdx.y;
  int columns = w.width / 2 + 1;
  size_t at = 2 * ((size_t) ky * columns + kx);

  if (kx < columns)
    pocstereo_global_cross (&w, kx, ky, w.spectrum[0] + at, w.spectrum[1] + at);
}

const char *
correlate (const Device *dev, const PocstereoGlobalWork *w,
    const PocstereoFrame *frame)
{
  Plans *p = (Plans *) w->state;
  cudaStream_t stream = device_stream (dev);
  bool good = true;

  put_pixels<<<dim3 (ceil_div (w->width, 128), w->height, 2), 128, 0,
      stream>>> (*w, *frame);
  for (int v = 0; v < 2; v++)
    good &= p->cufft.forward (p->plans[0], w->pixels[v],
                (cufftComplex *) w->spectrum[v]) == CUFFT_SUCCESS;
  cross<<<dim3 (ceil_div (w->width / 2 + 1, 128), w->height), 128, 0,
      stream>>> (*w);
  good &= p->cufft.inverse (p->plans[1], (cufftComplex *) w->spectrum[0],
              w->pixels[0]) == CUFFT_SUCCESS;
  CUDA_TRY (cudaGetLastError ());
  return good ? NULL : "cuFFT failed";
}

} // namespace

const PocstereoGlobalStages pocstereo_global_stages_cuda = {
    open, close, correlate};
