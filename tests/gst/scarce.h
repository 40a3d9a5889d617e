/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The default allocator of a machine whose memory is scarce: it refuses what is
 * larger than scarce_most. */
#pragma once

#include <gst/check/gstcheck.h>

static gsize scarce_most;

typedef GstAllocator Scarce;
typedef GstAllocatorClass ScarceClass;

G_DEFINE_TYPE (Scarce, scarce, GST_TYPE_ALLOCATOR)

static GstMemory *
scarce_alloc (GstAllocator *self, gsize size, GstAllocationParams *params)
{
  g_autoptr (GstAllocator) plenty = gst_allocator_find (GST_ALLOCATOR_SYSMEM);

  (void) self;
  return size > scarce_most ? NULL : gst_allocator_alloc (plenty, size, params);
}

static void
scarce_class_init (ScarceClass *klass)
{
  klass->alloc = scarce_alloc;
}

static void
scarce_init (Scarce *self)
{
  (void) self;
}

/* For the rest of the process, which is one test. */
static inline void
scarce_begin (gsize most)
{
  scarce_most = most;
  gst_allocator_set_default (
      gst_object_ref_sink (g_object_new (scarce_get_type (), NULL)));
}
