/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The headers of GStreamer's CUDA library.  GSTCUDA_MINOR is the version of the
 * gstreamer-cuda-1.0 that is built against: the streams that memories carry
 * came with 1.24, and as enum values and functions the preprocessor cannot see
 * them. */
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
