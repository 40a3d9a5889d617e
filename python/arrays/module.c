/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The extension module gstvision._arrays. */
#include <stdarg.h>

#include "arrays.h"

static PyObject *object_class;

PyObject *
object_new (const char *format, ...)
{
  PyObject *fields, *none, *made = NULL;
  va_list args;

  va_start (args, format);
  fields = Py_VaBuildValue (format, args);
  va_end (args);
  none = fields ? PyTuple_New (0) : NULL;
  if (none)
    made = PyObject_Call (object_class, none, fields);
  Py_XDECREF (none);
  Py_XDECREF (fields);
  return made;
}

PyObject *
numbers_tuple (const double *numbers, int n)
{
  PyObject *tuple = PyTuple_New (n);

  for (int i = 0; tuple && i < n; i++)
    PyTuple_SetItem (tuple, i, PyFloat_FromDouble (numbers[i]));
  return tuple;
}

static int
fill_module (PyObject *module)
{
  static int (*const functions[]) (PyObject *) = {components_register,
      emd_map_register, stereo_register, colours_register, poses_register,
#ifndef NO_KINFUMOT
      fuse_register
#endif
  };
  PyObject *fields = PyImport_ImportModule ("gstvision.fields");

  object_class = fields ? PyObject_GetAttrString (fields, "Object") : NULL;
  Py_XDECREF (fields);
  if (!object_class || array_register (module) < 0)
    return -1;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
    if (functions[i](module) < 0)
      return -1;
  return 0;
}

PyMODINIT_FUNC
PyInit__arrays (void)
{
  static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
      .m_name = "gstvision._arrays",
      .m_doc = "The algorithms for arrays; docs/arrays.md tells more.",
      .m_size = -1};
  PyObject *module = PyModule_Create (&definition);

  if (module && fill_module (module) < 0)
    Py_CLEAR (module);
  return module;
}
