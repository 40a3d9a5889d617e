/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cuFFT, which is opened at run time: the plug-in loads where it is not
 * installed. */
#pragma once

#include <cufft.h>

struct PocstereoCufft {
  void *library;
  decltype (&cufftPlan2d) plan_2d;
  decltype (&cufftDestroy) destroy;
  decltype (&cufftSetStream) set_stream;
  decltype (&cufftExecR2C) forward;
  decltype (&cufftExecC2R) inverse;
};

/* Whether it is there, with all of these; close it in either case. */
bool pocstereo_cufft_open (PocstereoCufft *cufft);
void pocstereo_cufft_close (PocstereoCufft *cufft);
