/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arrays that come: by Python's buffer protocol (NumPy), by DLPack (CuPy,
 * PyTorch, JAX), or by __cuda_array_interface__ (Numba). */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "dlpack.h"

/* ---- Where the work runs ---- */

/* The attributes by which libraries tell the number of a stream. */
static PyObject *
stream_number (PyObject *stream)
{
  static const char *const names[] = {"cuda_stream", "ptr"};
  PyObject *pair, *number;

  if (PyLong_Check (stream))
    return Py_NewRef (stream);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (PyObject_HasAttrString (stream, names[i]))
      return PyObject_GetAttrString (stream, names[i]);
  pair = PyObject_CallMethod (stream, "__cuda_stream__", NULL);
  number = pair ? PySequence_GetItem (pair, 1) : NULL;
  Py_XDECREF (pair);
  if (number)
    return number;
  PyErr_Clear ();
  PyErr_Format (PyExc_TypeError,
      "stream must be a stream of CuPy, PyTorch or CUDA Python, or its number, "
      "not %R",
      stream);
  return NULL;
}

int
call_begin (Call *call, PyObject *stream, PyObject *n_threads)
{
  PyObject *number;

  memset (call, 0, sizeof *call);
  call->stream = (void *) 1; /* the default stream, cudaStreamLegacy */
  if (n_threads) {
    long n = PyLong_AsLong (n_threads);

    if (n == -1 && PyErr_Occurred ())
      return -1;
    if (n < 0 || n > 1024) {
      PyErr_Format (PyExc_ValueError,
          "n_threads must be 0 (all processors) to 1024, not %R", n_threads);
      return -1;
    }
    call->n_threads = (int) n;
  }
  if (!stream)
    return 0;
  number = stream_number (stream);
  if (!number)
    return -1;
  call->stream = PyLong_AsVoidPtr (number);
  if (!call->stream) /* another name of the default stream */
    call->stream = (void *) 1;
  Py_DECREF (number);
  return PyErr_Occurred () ? -1 : 0;
}

int
call_raise (PyObject *type, const char *err)
{
  if (!err)
    return 0;
  if (strncmp (err, "out of memory", strlen ("out of memory")) == 0)
    type = PyExc_MemoryError;
  PyErr_SetString (type, err);
  return -1;
}

/* The first array decides for the CPU or the GPU. */
static int
decide_device (Call *call, const View *v)
{
  const char *err;
  int holder = -1;

  if (call->is_decided && call->on_gpu != v->on_gpu) {
    PyErr_Format (PyExc_ValueError,
        "%s lies %s, but an array before it %s: bring both to one place, such "
        "as by cupy.asarray () or cupy.asnumpy ()",
        v->name, v->on_gpu ? "on a GPU" : "in system memory",
        v->on_gpu ? "does not" : "lies on a GPU");
    return -1;
  }
  call->is_decided = true;
  call->on_gpu = v->on_gpu;
  if (!v->on_gpu)
    return 0;
  err = device_cuda_memory (v->data, &holder, &call->gpu);
  if (err) {
    PyErr_Format (PyExc_RuntimeError, "%s lies on a GPU, but %s", v->name, err);
    return -1;
  }
  if (holder == call->gpu)
    return 0;
  if (holder < 0)
    PyErr_Format (PyExc_ValueError,
        "%s is said to lie on a GPU, but its address is not memory of one",
        v->name);
  else
    PyErr_Format (PyExc_ValueError,
        "%s lies on GPU %d, but GPU %d is current: call inside of with "
        "cupy.cuda.Device (%d) or torch.cuda.device (%d)",
        v->name, holder, call->gpu, holder, holder);
  return -1;
}

/* ---- Types and shapes ---- */

static int
refuse_dimensions (const View *v, Py_ssize_t n)
{
  PyErr_Format (PyExc_ValueError,
      "%s has %zd dimensions; an array has rows and columns, and some have "
      "channels",
      v->name, n);
  return -1;
}

/* Reads a type such as "B", "<H" or "f4": as buffers (@is_typestr false) or as
 * array interfaces write it. */
static int
read_type (View *v, const char *text, bool is_typestr)
{
  const char *type = text;
  /* the letters of a type, each with its kind */
  static const char kinds[] = "?bbihiiiliqiniBuHuIuLuQuNuefffdf";

  if (*type == '>' && v->size != 1) {
    PyErr_Format (PyExc_ValueError,
        "the numbers of %s are big-endian (%s): convert it by "
        ".astype (a.dtype.newbyteorder ('='))",
        v->name, text);
    return -1;
  }
  type += *type && strchr ("@=<>!|", *type) ? 1 : 0;
  if (is_typestr) {
    v->kind = *type;
    v->size = atoi (type + (*type != 0));
    if (strchr ("buif", *type) && *type)
      return 0;
  } else if (*type && !type[1])
    for (const char *k = kinds; *k; k += 2)
      if (*k == *type) {
        v->kind = k[1];
        return 0;
      }
  PyErr_Format (
      PyExc_TypeError, "%s has numbers of an unknown type, %s", v->name, text);
  return -1;
}

static int
check_view (View *v)
{
  for (int i = 0; i < v->n; i++)
    if (v->shape[i] < 1 || v->shape[i] > INT_MAX) {
      PyErr_Format (PyExc_ValueError,
          v->shape[i] < 1 ? "%s is empty: its dimension %d is %zd"
                          : "%s is too large: its dimension %d is %zd",
          v->name, i, v->shape[i]);
      return -1;
    }
  return 0;
}

/* ---- The buffer protocol ---- */

static int
open_buffer (View *v, PyObject *o)
{
  if (PyObject_GetBuffer (o, &v->buffer, PyBUF_RECORDS_RO) < 0)
    return -1;
  v->owner = Py_NewRef (o);
  v->data = v->buffer.buf;
  v->size = (int) v->buffer.itemsize;
  if (v->buffer.ndim < 1 || v->buffer.ndim > VIEW_DIMENSIONS)
    return refuse_dimensions (v, v->buffer.ndim);
  v->n = v->buffer.ndim;
  for (int i = 0; i < v->n; i++) {
    v->shape[i] = v->buffer.shape[i];
    v->stride[i] = v->buffer.strides[i];
  }
  return read_type (v, v->buffer.format ? v->buffer.format : "B", false);
}

/* ---- DLPack ---- */

static int
read_tensor (View *v, const DLTensor *t)
{
  static const char kinds[] = {
      [DL_INT] = 'i', [DL_UINT] = 'u', [DL_FLOAT] = 'f', [DL_BOOL] = 'b'};
  int64_t apart = t->dtype.bits / 8;

  if (t->ndim < 1 || t->ndim > VIEW_DIMENSIONS)
    return refuse_dimensions (v, t->ndim);
  if (t->dtype.code >= sizeof kinds || !kinds[t->dtype.code] ||
      t->dtype.lanes != 1 || t->dtype.bits % 8) {
    PyErr_Format (
        PyExc_TypeError, "%s has numbers of an unknown type", v->name);
    return -1;
  }
  v->kind = kinds[t->dtype.code];
  v->size = t->dtype.bits / 8;
  v->data = (char *) t->data + t->byte_offset;
  v->n = t->ndim;
  for (int i = v->n - 1; i >= 0; i--) {
    v->shape[i] = (Py_ssize_t) t->shape[i];
    v->stride[i] = (Py_ssize_t) (t->strides ? t->strides[i] * v->size : apart);
    apart *= t->shape[i];
  }
  return 0;
}

/* Takes the tensor out of its capsule, whose name says whether it is taken. */
static int
take_tensor (View *v, PyObject *o, PyObject *arguments)
{
  PyObject *method = PyObject_GetAttrString (o, "__dlpack__"), *none, *capsule;

  none = method ? PyTuple_New (0) : NULL;
  capsule = none ? PyObject_Call (method, none, arguments) : NULL;
  Py_XDECREF (none);
  Py_XDECREF (method);
  if (!capsule)
    return -1;
  v->tensor = PyCapsule_GetPointer (capsule, DL_TENSOR);
  if (v->tensor && PyCapsule_SetName (capsule, "used_" DL_TENSOR) < 0)
    v->tensor = NULL;
  Py_DECREF (capsule);
  return v->tensor ? read_tensor (v, &v->tensor->dl_tensor) : -1;
}

static int
open_tensor (View *v, const Call *call, PyObject *o)
{
  PyObject *device = PyObject_CallMethod (o, "__dlpack_device__", NULL);
  PyObject *arguments = NULL;
  int kind = 0, done, id;

  if (!device)
    return -1;
  if (!PyTuple_Check (device))
    PyErr_Format (
        PyExc_TypeError, "__dlpack_device__ of %s returns no tuple", v->name);
  done = !PyErr_Occurred () && PyArg_ParseTuple (device, "ii", &kind, &id);
  Py_DECREF (device);
  if (!done)
    return -1;
  v->on_gpu = kind == DL_CUDA || kind == DL_CUDA_MANAGED;
  if (!v->on_gpu && kind != DL_CPU && kind != DL_CUDA_HOST) {
    PyErr_Format (PyExc_ValueError,
        "%s lies on a device that is neither the CPU nor a GPU of NVIDIA "
        "(DLPack's type %d): copy it to the CPU",
        v->name, kind);
    return -1;
  }
  /* The array is then ready for what comes on the stream. */
  if (v->on_gpu &&
      !(arguments = Py_BuildValue (
            "{s:N}", "stream", PyLong_FromVoidPtr (call->stream))))
    return -1;
  done = take_tensor (v, o, arguments);
  Py_XDECREF (arguments);
  return done;
}

/* ---- __cuda_array_interface__ ---- */

/* Reads @n numbers of the tuple @from. */
static int
read_sizes (PyObject *from, int n, Py_ssize_t *sizes)
{
  for (int i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem (from, i);

    sizes[i] = item ? PyLong_AsSsize_t (item) : -1;
    Py_XDECREF (item);
    if (PyErr_Occurred ())
      return -1;
  }
  return 0;
}

static int
read_interface (View *v, Call *call, PyObject *d)
{
  PyObject *shape = PyDict_GetItemString (d, "shape");
  PyObject *strides = PyDict_GetItemString (d, "strides");
  PyObject *data = PyDict_GetItemString (d, "data");
  PyObject *type = PyDict_GetItemString (d, "typestr");
  PyObject *stream = PyDict_GetItemString (d, "stream");
  PyObject *address, *mask = PyDict_GetItemString (d, "mask");
  const char *text = type ? PyUnicode_AsUTF8AndSize (type, NULL) : NULL;
  Py_ssize_t apart;

  if (!shape || !PyTuple_Check (shape) || !data || !PyTuple_Check (data) ||
      PyTuple_Size (data) != 2 || !text || (mask && mask != Py_None)) {
    PyErr_Clear ();
    PyErr_Format (PyExc_TypeError,
        "the __cuda_array_interface__ of %s lacks a field, or has a mask",
        v->name);
    return -1;
  }
  if (PyTuple_Size (shape) < 1 || PyTuple_Size (shape) > VIEW_DIMENSIONS)
    return refuse_dimensions (v, PyTuple_Size (shape));
  v->n = (int) PyTuple_Size (shape);
  address = PyTuple_GetItem (data, 0);
  v->data = PyLong_AsVoidPtr (address);
  if (PyErr_Occurred () || read_type (v, text, true) < 0 ||
      read_sizes (shape, v->n, v->shape) < 0)
    return -1;
  apart = v->size;
  for (int i = v->n - 1; i >= 0; apart *= v->shape[i--])
    v->stride[i] = apart;
  if (strides && strides != Py_None &&
      read_sizes (strides, v->n, v->stride) < 0)
    return -1;
  if (stream && PyLong_Check (stream) && call->stream == (void *) 1)
    call->stream = PyLong_AsVoidPtr (stream);
  return PyErr_Occurred () ? -1 : 0;
}

static int
open_interface (View *v, Call *call, PyObject *o)
{
  PyObject *d = PyObject_GetAttrString (o, "__cuda_array_interface__");
  int done = -1;

  if (d && PyDict_Check (d)) {
    v->owner = Py_NewRef (o);
    v->on_gpu = true;
    done = read_interface (v, call, d);
  } else if (d)
    PyErr_Format (PyExc_TypeError,
        "the __cuda_array_interface__ of %s is no dictionary", v->name);
  Py_XDECREF (d);
  return done;
}

/* ---- Opening and closing ---- */

int
view_open (View *v, Call *call, PyObject *o, const char *name)
{
  int done;

  memset (v, 0, sizeof *v);
  v->name = name;
  if (PyObject_CheckBuffer (o))
    done = open_buffer (v, o);
  else if (PyObject_HasAttrString (o, "__dlpack__"))
    done = open_tensor (v, call, o);
  else if (PyObject_HasAttrString (o, "__cuda_array_interface__"))
    done = open_interface (v, call, o);
  else {
    PyErr_Format (PyExc_TypeError,
        "%s must be an array of NumPy, CuPy, PyTorch or another library with "
        "buffers, DLPack or __cuda_array_interface__, not %R",
        name, (PyObject *) Py_TYPE (o));
    return -1;
  }
  if (done < 0 || check_view (v) < 0)
    return -1;
  return decide_device (call, v);
}

void
view_close (View *v)
{
  if (v->buffer.obj)
    PyBuffer_Release (&v->buffer);
  if (v->tensor && v->tensor->deleter)
    v->tensor->deleter (v->tensor);
  free (v->copy);
  Py_XDECREF (v->owner);
  memset (v, 0, sizeof *v);
}

bool
view_is (const View *v, char kind, int size)
{
  return v->kind == kind && v->size == size;
}

int
view_refuse (const View *v, const char *wanted)
{
  const char *kind = v->kind == 'u' ? "uint" : v->kind == 'i' ? "int" : "float";
  char shape[96] = "";

  for (int i = 0; i < v->n; i++)
    snprintf (shape + strlen (shape), sizeof shape - strlen (shape), "%s%lld",
        i ? " x " : "", (long long) v->shape[i]);
  if (v->kind == 'b')
    PyErr_Format (PyExc_TypeError, "%s must be %s, not %s numbers of bool",
        v->name, wanted, shape);
  else
    PyErr_Format (PyExc_TypeError, "%s must be %s, not %s numbers of %s%d",
        v->name, wanted, shape, kind, 8 * v->size);
  return -1;
}

/* ---- Rows ---- */

/* Copies the array of @n dimensions at @from to @to, without gaps. */
static char *
copy_dimension (const View *v, int dimension, const char *from, char *to)
{
  if (dimension == v->n) {
    memcpy (to, from, (size_t) v->size);
    return to + v->size;
  }
  for (Py_ssize_t i = 0; i < v->shape[dimension]; i++)
    to = copy_dimension (v, dimension + 1, from + i * v->stride[dimension], to);
  return to;
}

static int
copy_view (View *v)
{
  size_t bytes = (size_t) v->size;

  if (v->on_gpu) {
    PyErr_Format (PyExc_ValueError,
        "the pixels of a row of %s are not adjacent, or its rows descend: call "
        "cupy.ascontiguousarray () or .contiguous ()",
        v->name);
    return -1;
  }
  for (int i = 0; i < v->n; i++)
    bytes *= (size_t) v->shape[i];
  v->copy = malloc (bytes);
  if (!v->copy) {
    PyErr_NoMemory ();
    return -1;
  }
  copy_dimension (v, 0, v->data, v->copy);
  v->data = v->copy;
  bytes = (size_t) v->size;
  for (int i = v->n - 1; i >= 0; bytes *= (size_t) v->shape[i--])
    v->stride[i] = (Py_ssize_t) bytes;
  return 0;
}

int
view_rows (View *v, int *width, int *height, int *stride)
{
  Py_ssize_t pixel = v->size * (v->n == 3 ? v->shape[2] : 1);
  bool is_dense = (v->n < 3 || v->shape[2] == 1 || v->stride[2] == v->size) &&
      (v->n < 2 || v->shape[1] == 1 || v->stride[1] == pixel);

  if (v->n < 2)
    return view_refuse (v, "an array of rows and columns");
  if (pixel > 64 || v->shape[1] > INT_MAX / 64)
    return view_refuse (v, "a picture of fewer columns or channels");
  if ((!is_dense || (v->shape[0] > 1 && v->stride[0] < pixel * v->shape[1]) ||
          v->stride[0] > INT_MAX || v->stride[0] % v->size ||
          (uintptr_t) v->data % (unsigned) v->size) &&
      copy_view (v) < 0)
    return -1;
  *height = (int) v->shape[0];
  *width = (int) v->shape[1];
  *stride = (int) (*height > 1 ? v->stride[0] : pixel * v->shape[1]);
  return 0;
}

int
view_picture (View *v, Image *image)
{
  Py_ssize_t channels = v->n == 3 ? v->shape[2] : 1;
  bool is_bytes = view_is (v, 'u', 1), is_words = view_is (v, 'u', 2);

  memset (image, 0, sizeof *image);
  if (v->n < 2 || !(is_bytes || (is_words && v->n == 2)) ||
      (v->n == 3 && channels != 3 && channels != 4))
    return view_refuse (v,
        "a grey picture of rows x columns of uint8 or uint16, or one of rows x "
        "columns x 3 or 4 of uint8 (R, G, B)");
  image->format = v->n == 2 ? is_words ? IMAGE_GRAY16 : IMAGE_GRAY8
      : channels == 3       ? IMAGE_RGB
                            : IMAGE_RGBA;
  if (view_rows (v, &image->width, &image->height, &image->stride[0]) < 0)
    return -1;
  image->plane[0] = (uint8_t *) v->data;
  return 0;
}

int
view_same_size (const View *first, const View *v)
{
  if (first->shape[0] == v->shape[0] && first->shape[1] == v->shape[1])
    return 0;
  PyErr_Format (PyExc_ValueError,
      "%s has %zd rows of %zd pixels, but %s has %zd of %zd", v->name,
      v->shape[0], v->shape[1], first->name, first->shape[0], first->shape[1]);
  return -1;
}
