/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transforms by cuFFT, which is opened at run time: the plug-in loads without
 * it. */
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
find_in_cufft (void *library, const char *name, F *function)
{
  *function = (F) dlsym (library, name);
  return *function != NULL;
}

/* Opens the library cuFFT by the first of its names that exists.  The library
 * stays in the process: 73 kB were lost each time that cuFFT 12 was loaded. */
void *
open_cufft_library (void)
{
  static const char *const names[] = {
      "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"};

  for (const char *name : names)
    if (void *library = dlopen (name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
      return library;
  return NULL;
}

/* Whether cuFFT has all functions.  Close @c in either case. */
bool
open_cufft (Cufft *c)
{
  c->library = open_cufft_library ();
  return c->library && find_in_cufft (c->library, "cufftPlan2d", &c->plan_2d) &&
      find_in_cufft (c->library, "cufftDestroy", &c->destroy) &&
      find_in_cufft (c->library, "cufftSetStream", &c->set_stream) &&
      find_in_cufft (c->library, "cufftExecR2C", &c->forward) &&
      find_in_cufft (c->library, "cufftExecC2R", &c->inverse);
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
open_plans (const Device *dev, const PocstereoGlobalGrid *g, void **plans)
{
  Plans *p = (Plans *) calloc (1, sizeof *p);

  if (!(*plans = p))
    return OUT_OF_MEMORY (sizeof *p, "");
  if (!open_cufft (&p->cufft))
    return "cuFFT is not installed; whole views cannot be correlated without";
  for (int i = 0; i < 2; i++) {
    p->has_plan[i] = p->cufft.plan_2d (&p->plans[i], g->height, g->width,
                         i ? CUFFT_C2R : CUFFT_R2C) == CUFFT_SUCCESS;
    if (!p->has_plan[i] ||
        p->cufft.set_stream (p->plans[i], device_stream (dev)) != CUFFT_SUCCESS)
      return "cuFFT has no memory for the views";
  }
  return NULL;
}

void
close_plans (void *plans)
{
  Plans *p = (Plans *) plans;

  for (int i = 0; i < 2; i++)
    if (p->has_plan[i])
      p->cufft.destroy (p->plans[i]);
  close_cufft (&p->cufft);
  free (p);
}

__global__ void
pixels_kernel (
    PocstereoGlobalGrid g, PocstereoFrame frame, float *left, float *right)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, v = blockIdx.z;

  if (x < g.width)
    (v ? right : left)[(size_t) y * g.width + x] =
        pocstereo_global_pixel (&g, frame.view[v], frame.stride, x, y);
}

__global__ void
cross_kernel (PocstereoGlobalGrid g, float *f, const float *other)
{
  int kx = blockIdx.x * blockDim.x + threadIdx.x, ky = blockIdx.y;
  int columns = g.width / 2 + 1;
  size_t at = 2 * ((size_t) ky * columns + kx);

  if (kx < columns)
    pocstereo_global_cross (&g, kx, ky, f + at, other + at);
}

const char *
correlate_views_cuda (const Device *dev, const PocstereoFrame *frame,
    const PocstereoGlobalGrid *g, void *plans, PocstereoGlobalViews *views)
{
  Plans *p = (Plans *) plans;
  cudaStream_t stream = device_stream (dev);
  bool good = true;

  pixels_kernel<<<dim3 (ceil_div (g->width, 128), g->height, 2), 128, 0,
      stream>>> (*g, *frame, views->pixels[0], views->pixels[1]);
  for (int v = 0; v < 2; v++)
    good &= p->cufft.forward (p->plans[0], views->pixels[v],
                (cufftComplex *) views->spectrum[v]) == CUFFT_SUCCESS;
  cross_kernel<<<dim3 (ceil_div (g->width / 2 + 1, 128), g->height), 128, 0,
      stream>>> (*g, views->spectrum[0], views->spectrum[1]);
  good &= p->cufft.inverse (p->plans[1], (cufftComplex *) views->spectrum[0],
              views->pixels[0]) == CUFFT_SUCCESS;
  CUDA_TRY (cudaGetLastError ());
  return good ? NULL : "cuFFT failed";
}

} // namespace

const PocstereoGlobalStages pocstereo_global_stages_cuda = {
    open_plans, close_plans, correlate_views_cuda};
