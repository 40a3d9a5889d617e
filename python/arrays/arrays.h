/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The algorithms of cuda/ for arrays of Python: what the functions share.
 *
 * A function of Python
 * 1. takes its arguments by arguments_take (), parameters by params_set ();
 * 2. opens a View of each array; the first one decides whether the work runs on
 *    the CPU or on a GPU, and all others must lie there, too;
 * 3. borrows an Engine, the state of an algorithm for one size of frame;
 * 4. runs it without the interpreter's lock;
 * 5. returns Arrays, whose memory lies where the work ran.
 *
 * A function that returns int returns -1 with an exception of Python, else 0.
 */
#pragma once

#include <Python.h>
#include <stdio.h>

#include "common/device.h"
#include "common/image.h"
#include "common/parallel.h"
#include "common/param.h"

/* ---- Arguments ---- */

/* The names of a function's arguments, of which the first @positional may come
 * without a name and the first @required must come. */
typedef struct {
  const char *function;
  int positional, required;
  const char *names[12]; /* ends with a NULL */
} Arguments;

/* Sets @values to the arguments, borrowed; NULL without one, or for None. */
int arguments_take (
    const Arguments *of, PyObject *args, PyObject *named, PyObject **values);
/* Sets the fields of @params by those of @named that are no argument; @table
 * ends with a row without a field. */
int params_set (
    const Arguments *of, PyObject *named, const Param *table, void *params);
/* Appends the rows of @table to the text of a function: names, ranges, defaults
 * and meanings. NULL: an exception is set. The caller keeps the text. */
char *params_document (const char *text, const Param *table);

/* Sets @numbers to the @n numbers of the sequence @o, all finite. */
int numbers_take (PyObject *o, const char *name, int n, double *numbers);

/* ---- Where the work runs ---- */

typedef struct {
  bool is_decided, on_gpu;
  int gpu;      /* the number of the GPU that is current */
  void *stream; /* the caller's cudaStream_t; 1 is the default stream */
  int n_threads;
} Call;

/* @stream: a number, or an object of CuPy, PyTorch or CUDA Python; NULL: the
 * default stream.  @n_threads: a number; NULL: as many as there are. */
int call_begin (Call *call, PyObject *stream, PyObject *n_threads);
/* Raises the sentence @err of an algorithm: MemoryError if memory is exhausted,
 * else @type. Returns -1; 0 if @err is NULL. */
int call_raise (PyObject *type, const char *err);

/* ---- Arrays that come ---- */

#define VIEW_DIMENSIONS 3

/* An array that somebody else owns.  A View that is all zeros may be closed. */
typedef struct {
  const char *name;
  PyObject *owner;
  Py_buffer buffer;
  struct _DLManagedTensor *tensor;
  void *copy;

  char *data;
  char kind; /* 'u', 'i', 'f', or 'b' for bool */
  int size;  /* bytes of a number */
  int n;     /* dimensions */
  Py_ssize_t shape[VIEW_DIMENSIONS], stride[VIEW_DIMENSIONS]; /* bytes */
  bool on_gpu;
  int gpu;
} View;

int view_open (View *v, Call *call, PyObject *o, const char *name);
void view_close (View *v);
/* Raises that @v is of a wrong type or shape; @wanted says which are right. */
int view_refuse (const View *v, const char *wanted);
/* Whether the numbers are of type @kind and @size. */
bool view_is (const View *v, char kind, int size);
/* Makes the pixels of each row adjacent and rows ascend: an array of the host
 * that is otherwise is copied, one of a GPU refused.  Sets @width, @height (the
 * first two dimensions) and @stride, bytes. */
int view_rows (View *v, int *width, int *height, int *stride);
/* The same for a picture: grey of 8 or 16 bits, RGB or RGBA. */
int view_picture (View *v, Image *image);
/* Refuses a View of another width or height than those of @first. */
int view_same_size (const View *first, const View *v);

/* ---- Arrays that go ---- */

/* Registers the type in @module. */
int array_register (PyObject *module);
/* A new array of @n dimensions, whose memory is not set; at @data. */
PyObject *array_new (const Call *call, const Device *device, char kind,
    int size, int n, const Py_ssize_t *shape, void **data);
/* The value of a number is number * @scale; @invalid stands for none, and is
 * NAN if each number is one. */
void array_describe (PyObject *array, double scale, double invalid);

/* ---- Algorithms ---- */

/* An algorithm for one size of frame on one device. @state is the algorithm's.
 */
typedef struct {
  const char *(*open) (
      void **state, const Device *device, int width, int height);
  void (*close) (void *state, const Device *device);
} EngineKind;

typedef struct _Engine Engine;
struct _Engine {
  const EngineKind *kind;
  void *state;
  Device device;
  int gpu, width, height;
  Engine *next;
};

/* Borrows an engine whose device follows the caller's stream; NULL: an
 * exception is set. */
Engine *engine_take (
    const EngineKind *kind, const Call *call, int width, int height);
/* Runs @work, which returns a sentence, without the interpreter's lock. */
#define ENGINE_RUN(call, err, work) \
 do { \
  Py_BEGIN_ALLOW_THREADS parallel_limit ((call)->n_threads); \
  (err) = (work); \
  parallel_limit (0); \
  Py_END_ALLOW_THREADS \
 } while (0)
/* Gives it back; @err, if not NULL, is raised as a RuntimeError, and the engine
 * closed. */
int engine_give (Engine *engine, const char *err);

/* ---- Objects ---- */

/* A new gstvision.Object with the fields that @format names, as
 * Py_BuildValue () reads it: "{s:s, s:d}". */
PyObject *object_new (const char *format, ...);
/* A tuple of @n numbers. */
PyObject *numbers_tuple (const double *numbers, int n);

/* ---- Functions ---- */

/* Each file adds its functions, with their documents, to the module. */
int components_register (PyObject *module);
int emd_map_register (PyObject *module);
int stereo_register (PyObject *module);
int colours_register (PyObject *module);
int fuse_register (PyObject *module);
int poses_register (PyObject *module);
/* Adds @function, whose text is @text and the rows of @table. */
int function_register (PyObject *module, const Arguments *of,
    PyCFunctionWithKeywords function, const char *text, const Param *table);
