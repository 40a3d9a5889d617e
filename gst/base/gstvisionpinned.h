/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory of the host that is page-locked: a GPU copies frames from it by
 * itself, several times as fast as from other memory of the host. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Makes an allocator of memory that is page-locked in @context, a
 * GstCudaContext.  If memory cannot be page-locked, the allocator gives the
 * system's. */
GstAllocator *gst_vision_pinned_allocator_new (GstObject *context);

G_END_DECLS
