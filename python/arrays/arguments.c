/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arguments of a function, and parameters by the rows that elements have as
 * properties. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "arrays.h"

int
arguments_take (
    const Arguments *of, PyObject *args, PyObject *named, PyObject **values)
{
  int n = (int) PyTuple_Size (args), i;

  if (n > of->positional) {
    PyErr_Format (PyExc_TypeError,
        "%s() takes %d arguments without a name, not %d", of->function,
        of->positional, n);
    return -1;
  }
  for (i = 0; of->names[i]; i++) {
    PyObject *by_name =
        named ? PyDict_GetItemString (named, of->names[i]) : NULL;

    values[i] = i < n ? PyTuple_GetItem (args, i) : by_name;
    if (i < n && by_name) {
      PyErr_Format (PyExc_TypeError, "%s() has two values for '%s'",
          of->function, of->names[i]);
      return -1;
    }
    if (values[i] == Py_None)
      values[i] = NULL;
    if (i < of->required && !values[i]) {
      PyErr_Format (PyExc_TypeError, "%s() misses its argument '%s'",
          of->function, of->names[i]);
      return -1;
    }
  }
  return 0;
}

/* ---- Parameters ---- */

/* The name of a parameter in Python. */
static void
python_name (const Param *p, char name[PARAM_NAME])
{
  param_name (p, name);
  for (char *c = name; *c; c++)
    if (*c == '-')
      *c = '_';
}

/* "0 to 255", "0 or more", "run, window or none", "True or False" */
static PyObject *
range_text (const Param *p)
{
  char text[512] = "", number[64];

  if (p->type == PARAM_BOOL)
    return PyUnicode_FromString ("True or False");
  for (const ParamChoice *c = p->choices; c && c->name; c++)
    snprintf (text + strlen (text), sizeof text - strlen (text), "%s%s",
        c == p->choices ? ""
            : c[1].name ? ", "
                        : " or ",
        c->name);
  if (p->choices)
    return PyUnicode_FromString (text);
  snprintf (number, sizeof number,
      p->max >= (p->type == PARAM_DOUBLE ? DBL_MAX : 0x1p62) ? "%.12g or more"
                                                             : "%.12g to %.12g",
      p->min, p->max);
  return PyUnicode_FromString (number);
}

static int
refuse_value (const char *name, const Param *p, PyObject *value)
{
  PyObject *range = range_text (p);

  PyErr_Clear ();
  if (range)
    PyErr_Format (
        PyExc_ValueError, "%s must be %U, not %R", name, range, value);
  Py_XDECREF (range);
  return -1;
}

static int
set_choice (const char *name, const Param *p, PyObject *value, int *at)
{
  PyObject *text = PyObject_Str (value);
  int found = -1;

  if (!text)
    return -1;
  for (const ParamChoice *c = p->choices; c->name; c++)
    if (PyUnicode_CompareWithASCIIString (text, c->name) == 0) {
      *at = c->value;
      found = 0;
    }
  Py_DECREF (text);
  return found ? refuse_value (name, p, value) : 0;
}

static int
set_whole (const char *name, const Param *p, PyObject *value, void *at)
{
  PyObject *whole = PyNumber_Index (value);
  bool is_unsigned = p->type == PARAM_UINT64;
  unsigned long long u = 0;
  long long i = 0;
  double near;

  if (!whole)
    return refuse_value (name, p, value);
  near = PyLong_AsDouble (whole);
  if (is_unsigned && near >= 0)
    u = PyLong_AsUnsignedLongLong (whole);
  else if (!is_unsigned)
    i = PyLong_AsLongLong (whole);
  Py_DECREF (whole);
  if (PyErr_Occurred () || !(near >= p->min && near <= p->max))
    return refuse_value (name, p, value);
  if (p->type == PARAM_INT)
    *(int *) at = (int) i;
  else if (p->type == PARAM_INT64)
    *(int64_t *) at = i;
  else if (is_unsigned)
    *(uint64_t *) at = u;
  else
    *(unsigned *) at = (unsigned) i;
  return 0;
}

static int
set_field (const char *name, const Param *p, PyObject *value, void *at)
{
  double number;
  int truth;

  switch (p->type) {
    case PARAM_BOOL:
      if ((truth = PyObject_IsTrue (value)) < 0)
        return -1;
      *(bool *) at = truth;
      return 0;
    case PARAM_CHOICE:
      return set_choice (name, p, value, at);
    case PARAM_DOUBLE:
      number = PyFloat_AsDouble (value);
      if (PyErr_Occurred () || !(number >= p->min && number <= p->max))
        return refuse_value (name, p, value);
      *(double *) at = number;
      return 0;
    case PARAM_INT:
    case PARAM_UINT:
    case PARAM_INT64:
    case PARAM_UINT64:
      return set_whole (name, p, value, at);
    case PARAM_FLAGS:
    case PARAM_TEXT:
      break;
  }
  return refuse_value (name, p, value);
}

static bool
is_argument (const Arguments *of, PyObject *name)
{
  for (int i = 0; of->names[i]; i++)
    if (PyUnicode_CompareWithASCIIString (name, of->names[i]) == 0)
      return true;
  return false;
}

int
params_set (
    const Arguments *of, PyObject *named, const Param *table, void *params)
{
  PyObject *key, *value;
  Py_ssize_t at = 0;

  while (named && PyDict_Next (named, &at, &key, &value)) {
    char name[PARAM_NAME] = "";
    const Param *p = table;

    if (is_argument (of, key))
      continue;
    for (; p->field; p++) {
      python_name (p, name);
      if (PyUnicode_CompareWithASCIIString (key, name) == 0)
        break;
    }
    if (!p->field) {
      PyErr_Format (PyExc_TypeError,
          "%s() has no parameter '%U'; help (gstvision.%s) lists them",
          of->function, key, of->function);
      return -1;
    }
    if (set_field (name, p, value, (char *) params + p->at) < 0)
      return -1;
  }
  return 0;
}

/* "0.01", "true", the name of a choice */
static void
default_text (const Param *p, char *text, size_t size)
{
  snprintf (text, size, "%.12g", p->value);
  if (p->type == PARAM_BOOL)
    snprintf (text, size, "%s", p->value ? "True" : "False");
  for (const ParamChoice *c = p->choices; c && c->name; c++)
    if (c->value == (int) p->value)
      snprintf (text, size, "%s", c->name);
}

char *
params_document (const char *text, const Param *p)
{
  PyObject *all = PyUnicode_FromString (text);
  char *copy = NULL;
  const char *bytes;
  Py_ssize_t n;

  for (; all && p->field; p++) {
    char name[PARAM_NAME], normal[64];
    PyObject *range = range_text (p), *row, *sum;

    python_name (p, name);
    default_text (p, normal, sizeof normal);
    row = range ? PyUnicode_FromFormat ("\n%s: %U (default %s)\n    %s.\n",
                      name, range, normal, p->text)
                : NULL;
    sum = row ? PyUnicode_Concat (all, row) : NULL;
    Py_XDECREF (range);
    Py_XDECREF (row);
    Py_DECREF (all);
    all = sum;
  }
  bytes = all ? PyUnicode_AsUTF8AndSize (all, &n) : NULL;
  if (bytes && (copy = PyMem_Malloc ((size_t) n + 1)))
    memcpy (copy, bytes, (size_t) n + 1);
  else if (bytes)
    PyErr_NoMemory ();
  Py_XDECREF (all);
  return copy;
}

int
function_register (PyObject *module, const Arguments *of,
    PyCFunctionWithKeywords function, const char *text, const Param *table)
{
  /* The interpreter keeps the address of a method's description. */
  PyMethodDef *method = PyMem_Calloc (2, sizeof *method);

  if (!method) {
    PyErr_NoMemory ();
    return -1;
  }
  method->ml_name = of->function;
  method->ml_meth = (PyCFunction) (void (*) (void)) function;
  method->ml_flags = METH_VARARGS | METH_KEYWORDS;
  method->ml_doc = params_document (text, table);
  return method->ml_doc ? PyModule_AddFunctions (module, method) : -1;
}

int
numbers_take (PyObject *o, const char *name, int n, double *numbers)
{
  PyObject *list = PySequence_Size (o) == n ? PySequence_Tuple (o) : NULL;
  bool is_right = list && PyTuple_Size (list) == n;

  PyErr_Clear ();
  for (int i = 0; is_right && i < n; i++) {
    numbers[i] = PyFloat_AsDouble (PyTuple_GetItem (list, i));
    is_right = !PyErr_Occurred () && isfinite (numbers[i]);
  }
  PyErr_Clear ();
  Py_XDECREF (list);
  if (is_right)
    return 0;
  PyErr_Format (
      PyExc_ValueError, "%s must be %d finite numbers, not %R", name, n, o);
  return -1;
}
