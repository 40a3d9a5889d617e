/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pocstereo/pocstereo_cufft.cuh"

#include <dlfcn.h>

template <typename F>
static bool
find (void *library, const char *name, F *function)
{
  *function = (F) dlsym (library, name);
  return *function != NULL;
}

/* The version that goes with the toolkit first. */
static void *
open_library (void)
{
  static const char *const names[] = {
      "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"};

  for (const char *name : names)
    if (void *library = dlopen (name, RTLD_NOW | RTLD_LOCAL))
      return library;
  return NULL;
}

bool
pocstereo_cufft_open (PocstereoCufft *c)
{
  c->library = open_library ();
  return c->library && find (c->library, "cufftPlan2d", &c->plan_2d) &&
      find (c->library, "cufftDestroy", &c->destroy) &&
      find (c->library, "cufftSetStream", &c->set_stream) &&
      find (c->library, "cufftExecR2C", &c->forward) &&
      find (c->library, "cufftExecC2R", &c->inverse);
}

void
pocstereo_cufft_close (PocstereoCufft *c)
{
  if (c->library)
    dlclose (c->library);
  c->library = NULL;
}
