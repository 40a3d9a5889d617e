/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The backend of an element: the choice between CPU and CUDA, the CUDA context
 * and the Device. */
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

/* Use of a frame by an element. */
typedef enum {
  GST_VISION_FRAME_READ = 0,
  GST_VISION_FRAME_WRITE = 1 << 0, /* changes the frame's pixels */
  GST_VISION_FRAME_STAY = 1 << 1,  /* backend=auto runs where the frame lies:
                                      system frames on the CPU */
  GST_VISION_FRAME_FILL = 1
      << 2, /* with WRITE: reads no pixel before it writes it */
} GstVisionFrameUse;

typedef const char *(*GstVisionOpenDevice) (
    Device *device, DeviceKind kind, void *stream);

typedef struct {
  GstElement *element; /* the owner of this backend; not owned */

  /* Fields under the element's object lock. */
  GstVisionBackendKind kind; /* the property; opened_kind is the kind in use */
  gint device_id;            /* -1 = any */
  guint n_threads; /* threads of the CPU's loops; 0 = one for each processor */
  GstObject *context; /* GstCudaContext, NULL without CUDA; never replaced while
                         a frame is processed */
  GstObject *
      *finding;    /* the result of find_context () while it waits; else NULL */
  GThread *finder; /* the thread in which find_context () waits */
  const char *where; /* "cpu" or "cuda"; NULL: not open */

  /* Fields of the streaming thread. */
  GstVisionBackendKind opened_kind; /* kind when the backend was opened */
  gint opened_id;
  Device device;
  DeviceTimer timer;        /* measures kernel_time */
  GstClockTime kernel_time; /* of the newest frame; NONE: unknown */
  gboolean is_open;
  gboolean entered; /* our context is current in the streaming thread */
} GstVisionBackend;

/* The property n-threads of elements whose algorithm has loops on the CPU; the
 * field n_threads of @field holds its value. */
#define GST_VISION_N_THREADS(field) \
 BY_HAND (TITLED, "Threads", NUMBER, field, 0, G_MAXINT, 0, \
     "Number of threads that work on a frame on the CPU, at most one for " \
     "each processor (0 = one for each processor); all elements of the " \
     "process share one pool of threads")

/* The properties of a GstVisionBackend. */
extern const Param gst_vision_backend_params[];

void gst_vision_backend_init (GstVisionBackend *self, GstElement *element);
/* To be called in the element's change_state (), before its parent's: finds the
 * context on the way to READY.  The states of neighbours upstream change later,
 * so these neighbours share the context. */
void gst_vision_backend_change_state (
    GstVisionBackend *self, GstStateChange transition);
/* Gives the context back. */
void gst_vision_backend_free (GstVisionBackend *self);

/* The element's CUDA context, to be unreferenced; NULL: it has none. */
GstObject *gst_vision_backend_ref_context (GstVisionBackend *self);
/* For GstElement's set_context (): the application or a neighbour offers a
 * context. */
void gst_vision_backend_set_context (
    GstVisionBackend *self, GstContext *context);
/* Answers a neighbour's query for the CUDA context; FALSE: @query asks for
 * something else. */
gboolean gst_vision_backend_query (GstVisionBackend *self, GstQuery *query);

/* Chooses and opens the device for frames that lie in CUDA memory (@in_cuda) or
 * in system memory.  The error says what the user can do. */
const char *gst_vision_backend_open (GstVisionBackend *self,
    GstVisionFrameUse use, gboolean in_cuda, GstVisionOpenDevice open_device);
void gst_vision_backend_close (GstVisionBackend *self);

/* To be called around all work on the device; leave () also after an enter ()
 * that failed.  Between them the loops of this thread use n_threads threads. */
const char *gst_vision_backend_enter (GstVisionBackend *self);
void gst_vision_backend_leave (GstVisionBackend *self);

/* The CUDA context of @buffer if the device cannot read the buffer where it
 * lies; else NULL. */
GstObject *gst_vision_backend_elsewhere (
    const GstVisionBackend *self, GstBuffer *buffer);
/* The result of elsewhere (), or NULL if cuda-device-id names another GPU than
 * that context's.  Adopt () makes @context the element's context; then the
 * backend must be opened again. */
GstObject *gst_vision_backend_foreign (
    GstVisionBackend *self, GstBuffer *buffer);
void gst_vision_backend_adopt (GstVisionBackend *self, GstObject *context);

G_END_DECLS
