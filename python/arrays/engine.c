/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Engines are kept between calls, since an algorithm's memory costs more time
 * than a frame. */
#include "arrays.h"

#define MOST_KEPT 8

/* The newest first; the interpreter's lock guards it. */
static Engine *kept;

static void
close_engine (Engine *e)
{
  Py_BEGIN_ALLOW_THREADS if (e->state) e->kind->close (e->state, &e->device);
  device_close (&e->device);
  Py_END_ALLOW_THREADS PyMem_Free (e);
}

static Engine *
find_engine (const EngineKind *kind, const Call *call, int width, int height)
{
  for (Engine **at = &kept; *at; at = &(*at)->next) {
    Engine *e = *at;

    if (e->kind == kind && e->width == width && e->height == height &&
        (e->device.kind == DEVICE_CUDA) == call->on_gpu &&
        e->gpu == call->gpu) {
      *at = e->next;
      return e;
    }
  }
  return NULL;
}

/* Opens the device, which stays at its address, and the algorithm on it. */
static const char *
open_engine (Engine *e, const Call *call)
{
  TRY (device_open (&e->device, call->on_gpu ? DEVICE_CUDA : DEVICE_CPU, NULL));
  return e->kind->open (&e->state, &e->device, e->width, e->height);
}

Engine *
engine_take (const EngineKind *kind, const Call *call, int width, int height)
{
  Engine *e = find_engine (kind, call, width, height);
  bool is_new = !e;
  const char *err = NULL;

  if (is_new) {
    e = PyMem_Calloc (1, sizeof *e);
    if (!e) {
      PyErr_NoMemory ();
      return NULL;
    }
    *e = (Engine){
        .kind = kind, .gpu = call->gpu, .width = width, .height = height};
  }
  Py_BEGIN_ALLOW_THREADS if (is_new) err = open_engine (e, call);
  if (!err && call->on_gpu)
    err = device_follow (&e->device, call->stream);
  Py_END_ALLOW_THREADS if (!err) return e;
  close_engine (e);
  call_raise (PyExc_ValueError, err);
  return NULL;
}

int
engine_give (Engine *e, const char *err)
{
  Engine **last = &kept;

  if (err) {
    close_engine (e);
    return call_raise (PyExc_RuntimeError, err);
  }
  e->next = kept;
  kept = e;
  for (int n = 0; *last && n < MOST_KEPT; n++)
    last = &(*last)->next;
  if ((e = *last)) { /* one at most is too many */
    *last = NULL;
    close_engine (e);
  }
  return PyErr_Occurred () ? -1 : 0;
}
