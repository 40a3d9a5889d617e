/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * components (): gpuccl for one frame. */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "gpuccl/gpuccl.h"

static const Arguments arguments = {"components", 2, 0,
    {"mask", "depth", "camera", "stream", "n_threads", NULL}};
enum { MASK, DEPTH, CAMERA, STREAM, N_THREADS };

static const char text[] =
    "components(mask, depth=None, *, camera=None, stream=None, n_threads=0, "
    "**parameters)\n--\n\n"
    "Connected components of a mask, of depth, or of a mask with depth, as the "
    "element gpuccl finds them.\n\n"
    "mask: rows x columns of bool or uint8; of uint8, what is at least "
    "threshold counts. None: every pixel with depth counts.\n"
    "depth: rows x columns of uint16, 0 where it is missing; neighbours whose "
    "depths differ are not connected.\n"
    "camera: fx, fy, cx, cy of the depth camera, pixels; objects then have a "
    "place in metres.\n"
    "stream: of the GPU, after whose work the arrays are read.\n\n"
    "Returns labels (rows x columns of uint32: 0, or 1 + the least y * columns "
    "+ x of the component), n (the number of components), left_out (those that "
    "max_components leaves out), and objects, the largest first.\n";

/* ---- The result ---- */

typedef struct {
  PyObject_HEAD PyObject *labels, *objects;
  unsigned n, left_out;
  int n_found, frames;
  GpucclComponent *found;
} Components;

static PyTypeObject *components_type;

static void
components_free (PyObject *self)
{
  PyTypeObject *type = Py_TYPE (self);
  Components *c = (Components *) self;

  Py_XDECREF (c->labels);
  Py_XDECREF (c->objects);
  free (c->found);
  PyObject_Free (self);
  Py_DECREF (type);
}

static PyObject *
place_of_component (const GpucclComponent *c, PyObject **extent)
{
  double pose[7] = {c->position[0], c->position[1], c->position[2], 1};

  if (!c->in_space) {
    *extent = Py_NewRef (Py_None);
    return Py_NewRef (Py_None);
  }
  *extent = numbers_tuple (c->extent, 3);
  return numbers_tuple (pose, 7);
}

static PyObject *
component_object (const GpucclComponent *c, int frames)
{
  static const char *const states[] = {[GPUCCL_REJECTED] = "rejected",
      [GPUCCL_NEW] = "new",
      [GPUCCL_ACCEPTED] = "accepted"};
  double orientation, elongation, score = (double) c->frames / frames;
  const ImageBox *box = &c->sum.box;
  PyObject *extent, *pose = place_of_component (c, &extent);

  gpuccl_sum_shape (&c->sum, &orientation, &elongation);
  return object_new ("{s:s,s:s,s:z,s:I,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:N,"
                     "s:N,s:N}",
      "element", "gpuccl", "state", states[c->state], "reason",
      gpuccl_reason_name (c->reason), "area", c->sum.area, "x",
      (double) box->x0, "y", (double) box->y0, "width",
      (double) (box->x1 - box->x0), "height", (double) (box->y1 - box->y0),
      "cx", c->cx, "cy", c->cy, "orientation", orientation, "elongation",
      elongation, "score", score < 1 ? score : 1., "depth",
      c->depth > 0 ? PyFloat_FromDouble (c->depth) : Py_NewRef (Py_None),
      "pose", pose, "extent", extent);
}

/* Objects are made when they are asked for: those of 64 components take longer
 * than a GPU takes to find them. */
static PyObject *
components_objects (PyObject *self, void *unused)
{
  Components *c = (Components *) self;
  PyObject *list;

  (void) unused;
  if (c->objects)
    return Py_NewRef (c->objects);
  list = PyList_New (0);
  for (int i = 0; list && i < c->n_found; i++) {
    PyObject *o = component_object (&c->found[i], c->frames);

    if (!o || PyList_Append (list, o) < 0)
      Py_CLEAR (list);
    Py_XDECREF (o);
  }
  if (list && !c->objects)
    c->objects = Py_NewRef (list);
  return list;
}

static PyObject *
components_labels (PyObject *self, void *unused)
{
  (void) unused;
  return Py_NewRef (((Components *) self)->labels);
}

static PyObject *
components_number (PyObject *self, void *is_left_out)
{
  const Components *c = (Components *) self;

  return PyLong_FromUnsignedLong (is_left_out ? c->left_out : c->n);
}

/* Takes @labels. */
static PyObject *
components_new (
    PyObject *labels, const GpucclResults *results, const GpucclParams *params)
{
  Components *c = PyObject_New (Components, components_type);
  size_t bytes = (size_t) results->n_components * sizeof c->found[0];

  if (!c) {
    Py_DECREF (labels);
    return NULL;
  }
  c->labels = labels;
  c->objects = NULL;
  c->n = results->n_labels;
  c->left_out = results->n_left_out;
  c->n_found = results->n_components;
  c->frames = params->frames;
  c->found = malloc (bytes + 1);
  if (!c->found) {
    Py_DECREF (c);
    return PyErr_NoMemory ();
  }
  if (bytes)
    memcpy (c->found, results->components, bytes);
  return (PyObject *) c;
}

/* ---- The function ---- */

static const char *
open_gpuccl (void **state, const Device *device, int width, int height)
{
  return gpuccl_new ((Gpuccl **) state, device, width, height);
}

static void
close_gpuccl (void *state, const Device *device)
{
  (void) device;
  gpuccl_free (state);
}

static const EngineKind gpuccl_engine = {open_gpuccl, close_gpuccl};

static int
use_mask (View *v, GpucclParams *params, bool has_threshold, GpucclFrame *frame)
{
  if (v->n != 2 || !(view_is (v, 'u', 1) || view_is (v, 'b', 1)))
    return view_refuse (v, "rows x columns of bool or uint8");
  if (view_rows (v, &frame->width, &frame->height, &frame->map_stride) < 0)
    return -1;
  if (v->kind == 'b' && !has_threshold)
    params->threshold = 1;
  frame->source = GPUCCL_MASK;
  frame->map = (const uint8_t *) v->data;
  frame->map_step = 1;
  return 0;
}

static int
use_depth (View *v, GpucclFrame *frame)
{
  if (v->n != 2 || !view_is (v, 'u', 2))
    return view_refuse (
        v, "rows x columns of uint16, in units of depth_scale metres");
  if (view_rows (v, &frame->width, &frame->height, &frame->depth_stride) < 0)
    return -1;
  frame->depth = (const uint16_t *) v->data;
  return 0;
}

static int
use_camera (PyObject *camera, GpucclParams *params)
{
  double n[4];

  if (!camera)
    return 0;
  if (numbers_take (camera, "camera (fx, fy, cx, cy)", 4, n) < 0)
    return -1;
  params->has_camera = true;
  params->camera = (Camera){n[0], n[1], n[2], n[3], {0}};
  return 0;
}

static PyObject *
run_components (
    const Call *call, const GpucclParams *params, const GpucclFrame *frame)
{
  Py_ssize_t shape[] = {frame->height, frame->width};
  Engine *e = engine_take (&gpuccl_engine, call, frame->width, frame->height);
  PyObject *labels, *made = NULL;
  GpucclResults results;
  const char *err = NULL;
  void *to;

  if (!e)
    return NULL;
  labels = array_new (call, &e->device, 'u', sizeof (uint32_t), 2, shape, &to);
  if (labels) {
    gpuccl_reset (e->state);
    ENGINE_RUN (call, err,
        gpuccl_run_with_labels (e->state, params, frame, to,
            (size_t) frame->width * sizeof (uint32_t), &results));
    if (!err)
      made = components_new (Py_NewRef (labels), &results, params);
    Py_DECREF (labels);
  }
  if (engine_give (e, err) < 0)
    Py_CLEAR (made);
  return made;
}

static PyObject *
components (PyObject *module, PyObject *args, PyObject *named)
{
  PyObject *value[8], *result = NULL;
  GpucclParams params = gpuccl_defaults ();
  GpucclFrame frame = {.source = GPUCCL_DEPTH_ONLY};
  View mask = {0}, depth = {0};
  Call call;

  (void) module;
  if (arguments_take (&arguments, args, named, value) < 0 ||
      params_set (&arguments, named, gpuccl_params, &params) < 0 ||
      use_camera (value[CAMERA], &params) < 0 ||
      call_begin (&call, value[STREAM], value[N_THREADS]) < 0)
    return NULL;
  if (!value[MASK] && !value[DEPTH]) {
    PyErr_SetString (
        PyExc_TypeError, "components() needs a mask, depth, or both");
    return NULL;
  }
  if ((!value[MASK] ||
          (view_open (&mask, &call, value[MASK], "mask") == 0 &&
              use_mask (&mask, &params,
                  named && PyDict_GetItemString (named, "threshold"),
                  &frame) == 0)) &&
      (!value[DEPTH] ||
          (view_open (&depth, &call, value[DEPTH], "depth") == 0 &&
              use_depth (&depth, &frame) == 0)) &&
      (!value[MASK] || !value[DEPTH] || view_same_size (&mask, &depth) == 0) &&
      call_raise (PyExc_ValueError,
          gpuccl_check (&params, frame.source, frame.depth != NULL)) == 0)
    result = run_components (&call, &params, &frame);
  view_close (&mask);
  view_close (&depth);
  return result;
}

int
components_register (PyObject *module)
{
  static PyGetSetDef fields[] = {
      {"labels", components_labels, NULL,
          "Rows x columns of uint32: 0, or the label of the component.", NULL},
      {"n", components_number, NULL, "The number of components.", NULL},
      {"left_out", components_number, NULL,
          "Components of min_area pixels beyond max_components.", (void *) 1},
      {"objects", components_objects, NULL,
          "A gstvision.Object for each component that is reported.", NULL},
      {NULL, NULL, NULL, NULL, NULL}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, components_free},
      {Py_tp_getset, fields}, {Py_tp_doc, "What components () found."},
      {0, NULL}};
  static PyType_Spec spec = {.name = "gstvision.Components",
      .basicsize = sizeof (Components),
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
      .slots = slots};

  components_type = (PyTypeObject *) PyType_FromSpec (&spec);
  return components_type
      ? function_register (module, &arguments, components, text, gpuccl_params)
      : -1;
}
