/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The headers of GStreamer's CUDA library.  GSTCUDA_MINOR is the minor version
 * of the library of the build.  From 1.24 on CUDA memories carry streams, by
 * functions and enum values that the preprocessor cannot see. */
#pragma once

#if GSTCUDA_MINOR >= 24
# include <gst/cuda/gstcuda.h>
#else
# include <gst/cuda/cuda-gst.h>
# include <gst/cuda/gstcudabufferpool.h>
# include <gst/cuda/gstcudaloader.h>
# include <gst/cuda/gstcudamemory.h>
# include <gst/cuda/gstcudautils.h>
#endif
