/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where an element works: the choice between CPU and CUDA, the CUDA context and
 * the Device. */
#pragma once

#include <gst/video/video.h>

#include "common/device.h"
#include "common/param.h"

G_BEGIN_DECLS

typedef enum {
  GST_VISION_BACKEND_AUTO,
  GST_VISION_BACKEND_CUDA,
  GST_VISION_BACKEND_CPU,
} GstVisionBackendKind;

/* What an element does with a frame. */
typedef enum {
  GST_VISION_FRAME_READ = 0,
  GST_VISION_FRAME_WRITE = 1 << 0, /* changes the frame's pixels */
  GST_VISION_FRAME_STAY = 1 << 1,  /* backend=auto runs where the frame lies:
                                      system frames on the CPU */
  GST_VISION_FRAME_FILL = 1 << 2,  /* with WRITE: reads no pixel before */
} GstVisionFrameUse;

typedef const char *(*GstVisionOpenDevice) (
    Device *device, DeviceKind kind, void *stream);

typedef struct {
  GstElement *element; /* the owner of this backend; not owned */

  /* Under the element's object lock. */
  GstVisionBackendKind kind; /* as set; as opened: opened_kind */
  gint device_id;            /* -1 = any */
  guint n_threads;     /* of the CPU's loops; 0 = one for each processor */
  GstObject *context;  /* GstCudaContext, NULL without CUDA; it is replaced
                          only between frames or after the last one */
  GstObject **finding; /* while find_context () waits; else NULL */
  GThread *finder;     /* the thread that waits */
  const char *where;   /* "cpu" or "cuda"; NULL: not open */

  /* Of the streaming thread. */
  GstVisionBackendKind opened_kind; /* kind, as the backend was opened */
  gint opened_id;
  Device device;
  DeviceTimer timer;        /* of the device, for the time of a frame */
  GstClockTime kernel_time; /* of the newest frame; NONE: unknown */
  gboolean is_open;
  gboolean entered; /* our context is current in the streaming thread */
} GstVisionBackend;

/* The property n-threads, which all elements with such loops have; its value is
 * @field, of that name. */
#define GST_VISION_N_THREADS(field) \
 BY_HAND (TITLED, "Threads", NUMBER, field, 0, G_MAXINT, 0, \
     "Number of threads that work on a frame on the CPU, at most one for " \
     "each processor (0 = one for each processor); all elements of the " \
     "process share one pool of threads")

/* The properties of a GstVisionBackend. */
extern const Param gst_vision_backend_params[];

void gst_vision_backend_init (GstVisionBackend *self, GstElement *element);
/* In the element's change_state (), before its parent's: finds the context on
 * the way to READY.  The states of neighbours upstream change later, so these
 * share it. */
void gst_vision_backend_change_state (
    GstVisionBackend *self, GstStateChange transition);
/* Gives the context back. */
void gst_vision_backend_free (GstVisionBackend *self);

/* Our context, to be unreferenced; NULL: there is none. */
GstObject *gst_vision_backend_ref_context (GstVisionBackend *self);
/* Of GstElement: the application or a neighbour offers a context. */
void gst_vision_backend_set_context (
    GstVisionBackend *self, GstContext *context);
/* Answers a neighbour's query for our context; FALSE: it is another query. */
gboolean gst_vision_backend_query (GstVisionBackend *self, GstQuery *query);

/* Chooses the device for frames that lie in CUDA memory (@in_cuda) or not.
 * The error names the way out. */
const char *gst_vision_backend_open (GstVisionBackend *self,
    GstVisionFrameUse use, gboolean in_cuda, GstVisionOpenDevice open_device);
void gst_vision_backend_close (GstVisionBackend *self);

/* To be called around all work on the device; leave () also after an enter ()
 * that failed.  In between, the thread's loops have n_threads. */
const char *gst_vision_backend_enter (GstVisionBackend *self);
void gst_vision_backend_leave (GstVisionBackend *self);

/* The context of @buffer if our GPU cannot read it where it lies; else NULL. */
GstObject *gst_vision_backend_elsewhere (
    const GstVisionBackend *self, GstBuffer *buffer);
/* The context that elsewhere () returns, unless cuda-device-id names another
 * GPU.  adopt () takes this context over; then the backend must be opened
 * again.
 */
GstObject *gst_vision_backend_foreign (
    GstVisionBackend *self, GstBuffer *buffer);
void gst_vision_backend_adopt (GstVisionBackend *self, GstObject *context);

G_END_DECLS
