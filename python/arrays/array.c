/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arrays that go: memory of the host or of a GPU that NumPy, CuPy, PyTorch and
 * others take without a copy. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "dlpack.h"

/* The memory of an array, which an array and the tensors made of it share. */
typedef struct {
  Py_ssize_t users;
  void *data;
  size_t bytes;
  bool on_gpu;
  int gpu;
} Block;

typedef struct {
  PyObject_HEAD Block *block;
  char kind, format[2], type[4]; /* of a number: 'u', "I", "<u4" */
  int size, n;
  Py_ssize_t shape[VIEW_DIMENSIONS], strides[VIEW_DIMENSIONS];
  double scale, invalid;
} Array;

static PyTypeObject *array_type;

/* ---- Memory ---- */

/* Freed blocks of GPUs, the newest first, since a GPU takes longer to give
 * memory than to label a frame.  The next call follows the caller's stream, so
 * the work that the caller queued there has read them by then. */
#define SPARES 4
static Block *spare[SPARES];

/* The table of a GPU's memory alone; a stream is not needed to free it. */
static DeviceOps gpu_memory;

static void
free_block (Block *b)
{
  if (b->on_gpu)
    gpu_memory.release (NULL, b->data);
  else
    free (b->data);
  PyMem_Free (b);
}

static void
drop_block (Block *b)
{
  if (--b->users)
    return;
  for (int i = 0; b && b->on_gpu && i < SPARES; i++) {
    Block *next = spare[i];

    spare[i] = b;
    b = next;
  }
  if (b)
    free_block (b);
}

/* Takes a freed block of @bytes bytes on the caller's GPU; NULL: none is there.
 */
static Block *
take_spare (const Call *call, size_t bytes)
{
  for (int i = 0; call->on_gpu && i < SPARES; i++) {
    Block *b = spare[i];

    if (b && b->bytes == bytes && b->gpu == call->gpu) {
      spare[i] = NULL;
      b->users = 1;
      return b;
    }
  }
  return NULL;
}

static Block *
take_block (const Call *call, const Device *device, size_t bytes)
{
  Block *b = take_spare (call, bytes);
  const char *err = NULL;

  if (b)
    return b;
  b = PyMem_Calloc (1, sizeof *b);
  if (!b) {
    PyErr_NoMemory ();
    return NULL;
  }
  b->users = 1;
  b->bytes = bytes;
  b->on_gpu = call->on_gpu;
  b->gpu = call->gpu;
  if (call->on_gpu) {
    gpu_memory = *device->ops;
    err = device_alloc (device, &b->data, bytes);
  } else if (!(b->data = malloc (bytes)))
    err = "out of memory for an array";
  if (call_raise (PyExc_RuntimeError, err) == 0)
    return b;
  PyMem_Free (b);
  return NULL;
}

PyObject *
array_new (const Call *call, const Device *device, char kind, int size, int n,
    const Py_ssize_t *shape, void **data)
{
  Array *a = PyObject_New (Array, array_type);
  Py_ssize_t bytes = size;

  if (!a)
    return NULL;
  a->kind = kind;
  a->size = size;
  a->n = n;
  a->scale = 1;
  a->invalid = NAN;
  a->format[0] = kind == 'f' ? 'f' : size == 1 ? 'B' : size == 2 ? 'H' : 'I';
  a->format[1] = 0;
  a->type[0] = size == 1 ? '|' : '<';
  a->type[1] = kind;
  a->type[2] = (char) ('0' + size);
  a->type[3] = 0;
  for (int i = n - 1; i >= 0; bytes *= shape[i--]) {
    a->shape[i] = shape[i];
    a->strides[i] = bytes;
  }
  a->block = take_block (call, device, (size_t) (bytes ? bytes : 1));
  if (!a->block) {
    Py_DECREF (a);
    return NULL;
  }
  *data = a->block->data;
  return (PyObject *) a;
}

void
array_describe (PyObject *array, double scale, double invalid)
{
  Array *a = (Array *) array;

  a->scale = scale;
  a->invalid = invalid;
}

static void
array_free (PyObject *self)
{
  PyTypeObject *type = Py_TYPE (self);
  Array *a = (Array *) self;

  if (a->block)
    drop_block (a->block);
  PyObject_Free (self);
  Py_DECREF (type);
}

/* ---- To the host ---- */

static int
array_get_buffer (PyObject *self, Py_buffer *view, int flags)
{
  Array *a = (Array *) self;

  if (a->block->on_gpu) {
    view->obj = NULL;
    PyErr_SetString (PyExc_BufferError,
        "the array lies on a GPU: take it by cupy.asarray () or "
        "torch.from_dlpack (), or copy it by cupy.asnumpy ()");
    return -1;
  }
  *view = (Py_buffer){.buf = a->block->data,
      .obj = Py_NewRef (self),
      .itemsize = a->size,
      .ndim = a->n,
      .len = a->size,
      .format = flags & PyBUF_FORMAT ? a->format : NULL,
      .shape = flags & PyBUF_ND ? a->shape : NULL,
      .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? a->strides : NULL};
  for (int i = 0; i < a->n; i++)
    view->len *= a->shape[i];
  return 0;
}

/* ---- To the GPU ---- */

static PyObject *
sizes_tuple (const Py_ssize_t *sizes, int n)
{
  PyObject *tuple = PyTuple_New (n);

  for (int i = 0; tuple && i < n; i++)
    PyTuple_SetItem (tuple, i, PyLong_FromSsize_t (sizes[i]));
  return tuple;
}

static PyObject *
array_cuda_interface (PyObject *self, void *unused)
{
  Array *a = (Array *) self;

  (void) unused;
  if (!a->block->on_gpu) {
    PyErr_SetString (
        PyExc_AttributeError, "the array lies in system memory, not on a GPU");
    return NULL;
  }
  /* no stream: the work has ended */
  return Py_BuildValue ("{s:N,s:s,s:(NO),s:i,s:O}", "shape",
      sizes_tuple (a->shape, a->n), "typestr", a->type, "data",
      PyLong_FromVoidPtr (a->block->data), Py_False, "version", 3, "stream",
      Py_None);
}

/* ---- DLPack ---- */

typedef struct {
  DLManagedTensor tensor;
  Block *block;
  int64_t shape[VIEW_DIMENSIONS], strides[VIEW_DIMENSIONS];
} Tensor;

/* A consumer may call it without the interpreter's lock. */
static void
free_tensor (DLManagedTensor *tensor)
{
  Tensor *t = tensor->manager_ctx;
  PyGILState_STATE state = PyGILState_Ensure ();

  drop_block (t->block);
  PyMem_Free (t);
  PyGILState_Release (state);
}

static void
free_capsule (PyObject *capsule)
{
  DLManagedTensor *tensor;

  if (!PyCapsule_IsValid (capsule, DL_TENSOR))
    return; /* taken */
  tensor = PyCapsule_GetPointer (capsule, DL_TENSOR);
  tensor->deleter (tensor);
}

static PyObject *
array_dlpack_device (PyObject *self, PyObject *unused)
{
  const Block *b = ((Array *) self)->block;

  (void) unused;
  return Py_BuildValue (
      "(ii)", b->on_gpu ? DL_CUDA : DL_CPU, b->on_gpu ? b->gpu : 0);
}

/* Any stream may read the array: the work has ended. */
static PyObject *
array_dlpack (PyObject *self, PyObject *args, PyObject *named)
{
  Array *a = (Array *) self;
  Tensor *t = PyMem_Calloc (1, sizeof *t);
  PyObject *capsule;

  (void) args;
  (void) named;
  if (!t)
    return PyErr_NoMemory ();
  for (int i = 0; i < a->n; i++) {
    t->shape[i] = a->shape[i];
    t->strides[i] = a->strides[i] / a->size;
  }
  t->block = a->block;
  t->tensor = (DLManagedTensor){.manager_ctx = t, .deleter = free_tensor};
  t->tensor.dl_tensor = (DLTensor){.data = a->block->data,
      .device = {a->block->on_gpu ? DL_CUDA : DL_CPU,
          a->block->on_gpu ? a->block->gpu : 0},
      .ndim = a->n,
      .dtype = {a->kind == 'f' ? DL_FLOAT : DL_UINT, (uint8_t) (8 * a->size),
          1},
      .shape = t->shape,
      .strides = t->strides};
  capsule = PyCapsule_New (&t->tensor, DL_TENSOR, free_capsule);
  if (capsule)
    a->block->users++;
  else
    PyMem_Free (t);
  return capsule;
}

/* ---- The type ---- */

static PyObject *
array_shape (PyObject *self, void *unused)
{
  (void) unused;
  return sizes_tuple (((Array *) self)->shape, ((Array *) self)->n);
}

static PyObject *
array_number (PyObject *self, void *is_invalid)
{
  const Array *a = (Array *) self;

  if (is_invalid && isnan (a->invalid))
    Py_RETURN_NONE;
  return PyFloat_FromDouble (is_invalid ? a->invalid : a->scale);
}

static PyObject *
array_repr (PyObject *self)
{
  const Array *a = (Array *) self;
  PyObject *shape = sizes_tuple (a->shape, a->n), *text;

  text = shape ? PyUnicode_FromFormat ("<gstvision.Array %R of %s %s>", shape,
                     a->type, a->block->on_gpu ? "on a GPU" : "in memory")
               : NULL;
  Py_XDECREF (shape);
  return text;
}

int
array_register (PyObject *module)
{
  static PyMethodDef methods[] = {
      {"__dlpack__", (PyCFunction) (void (*) (void)) array_dlpack,
          METH_VARARGS | METH_KEYWORDS,
          "The array as a DLPack capsule, without a copy."},
      {"__dlpack_device__", array_dlpack_device, METH_NOARGS,
          "Where the array lies, as DLPack writes it."},
      {NULL, NULL, 0, NULL}};
  static PyGetSetDef fields[] = {
      {"shape", array_shape, NULL, "Lengths of the dimensions.", NULL},
      {"scale", array_number, NULL, "A value is a number times this.", NULL},
      {"invalid", array_number, NULL,
          "The number that stands for no value; None: there is none.",
          (void *) 1},
      {"__cuda_array_interface__", array_cuda_interface, NULL,
          "The array of a GPU, without a copy.", NULL},
      {NULL, NULL, NULL, NULL, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, array_free},
      {Py_tp_methods, methods}, {Py_tp_getset, fields},
      {Py_tp_repr, array_repr}, {Py_bf_getbuffer, array_get_buffer},
      {Py_tp_doc,
          "Numbers in system memory or on a GPU, that numpy.asarray (), "
          "cupy.asarray () and torch.from_dlpack () take without a copy."},
      {0, NULL}};
  static PyType_Spec spec = {.name = "gstvision.Array",
      .basicsize = sizeof (Array),
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
      .slots = slots};

  array_type = (PyTypeObject *) PyType_FromSpec (&spec);
  return array_type
      ? PyModule_AddObjectRef (module, "Array", (PyObject *) array_type)
      : -1;
}
