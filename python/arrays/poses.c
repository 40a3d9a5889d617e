/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * poses (): scopedetect for one frame. */
#include <stdlib.h>

#include "arrays.h"
#include "scopedetect/scopedetect.h"

static const Arguments arguments = {"poses", 4, 4,
    {"color", "depth", "models", "camera", "stream", "n_threads", NULL}};
enum { COLOR, DEPTH, MODELS, CAMERA, STREAM, N_THREADS };

static const char text[] =
    "poses(color, depth, models, camera, *, stream=None, n_threads=0, "
    "**parameters)\n--\n\n"
    "Known rigid objects in a frame of depth and colour, and their poses, as "
    "the element scopedetect finds them.\n\n"
    "color: rows x columns x 3 or 4 of uint8 (R, G, B), aligned with depth.\n"
    "depth: rows x columns of uint16, in units of depth_scale metres, 0 where "
    "it is missing.\n"
    "models: a sequence of paths of files that vision-model made. Each call "
    "reads them.\n"
    "camera: fx, fy, cx, cy, pixels.\n"
    "stream: of the GPU, after whose work the frame is read.\n\n"
    "Returns a list of gstvision.Object, by model, then by score.\n";

#define CORNERS 64 /* of an outline, at most */

typedef struct {
  ScopedetectModel **model;
  int n;
} Models;

static void
free_models (Models *m)
{
  for (int i = 0; i < m->n; i++)
    scopedetect_model_free (m->model[i]);
  free (m->model);
}

/* Why the newest model cannot be used with the first, or NULL. */
static const char *
check_spacing (const Models *m)
{
  ScopedetectModelInfo first, info;

  scopedetect_model_info (m->model[0], &first);
  scopedetect_model_info (m->model[m->n - 1], &info);
  return scopedetect_check_model_info (&first, &info);
}

static int
load_model (Models *m, PyObject *item)
{
  PyObject *path = PyOS_FSPath (item), *bytes = NULL;
  const char *err;

  if (path && !PyUnicode_FSConverter (path, &bytes))
    bytes = NULL;
  Py_XDECREF (path);
  if (!bytes)
    return -1;
  err = scopedetect_model_load (&m->model[m->n], PyBytes_AsString (bytes));
  Py_DECREF (bytes);
  if (!err) {
    m->n++;
    err = check_spacing (m);
  }
  if (err)
    PyErr_Format (PyExc_ValueError, "models: %R: %s", item, err);
  return err ? -1 : 0;
}

static int
load_models (Models *m, PyObject *paths)
{
  Py_ssize_t n = PyUnicode_Check (paths) ? -1 : PySequence_Size (paths);

  PyErr_Clear ();
  if (n < 1 || n > SCOPEDETECT_MAX_MODELS) {
    PyErr_Format (PyExc_ValueError,
        "models must be a sequence of 1 to %d paths, not %R",
        SCOPEDETECT_MAX_MODELS, paths);
    return -1;
  }
  m->model = calloc ((size_t) n, sizeof *m->model);
  if (!m->model) {
    PyErr_NoMemory ();
    return -1;
  }
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem (paths, i);
    int done = item ? load_model (m, item) : -1;

    Py_XDECREF (item);
    if (done < 0)
      return -1;
  }
  return 0;
}

/* ---- Objects ---- */

static PyObject *
pose_object (const ScopedetectObject *o, const ScopedetectModel *model,
    const Camera *camera)
{
  double outline[2 * CORNERS];
  ScopedetectModelInfo info;
  int n;

  scopedetect_model_info (model, &info);
  n = scopedetect_model_outline (model, o->pose, camera, outline, CORNERS);
  return object_new (
      "{s:s,s:s,s:s,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:N,s:N,s:N,s:N}",
      "element", "scopedetect", "label", info.name, "state", "found", "x",
      (double) o->box.x0, "y", (double) o->box.y0, "width",
      (double) (o->box.x1 - o->box.x0), "height",
      (double) (o->box.y1 - o->box.y0), "cx", (o->box.x0 + o->box.x1 - 1) / 2.,
      "cy", (o->box.y0 + o->box.y1 - 1) / 2., "score", o->score, "depth",
      o->pose[2], "pose", numbers_tuple (o->pose, 7), "extent",
      numbers_tuple (info.size, 3), "covariance",
      numbers_tuple (o->covariance, 36), "outline",
      numbers_tuple (outline, 2 * n));
}

static PyObject *
poses_list (
    const ScopedetectResults *results, const Models *m, const Camera *camera)
{
  PyObject *list = PyList_New (results->n_objects);

  for (int i = 0; list && i < results->n_objects; i++) {
    const ScopedetectObject *o = &results->objects[i];
    PyObject *made = pose_object (o, m->model[o->model], camera);

    if (!made || PyList_SetItem (list, i, made) < 0)
      Py_CLEAR (list);
  }
  return list;
}

/* ---- The function ---- */

static const char *
find_poses (const Call *call, const Device *device,
    const ScopedetectParams *params, const ScopedetectFrame *frame,
    const Models *m, Scopedetect **detector, ScopedetectResults *results)
{
  TRY (scopedetect_new (detector, device, frame->width, frame->height,
      (const ScopedetectModel *const *) m->model, m->n));
  if (call->on_gpu)
    TRY (device_follow (device, call->stream));
  TRY (scopedetect_observe (*detector, params, frame));
  return scopedetect_search (*detector, results);
}

static PyObject *
run_poses (const Call *call, const ScopedetectParams *params,
    const ScopedetectFrame *frame, const Models *m)
{
  Scopedetect *detector = NULL;
  ScopedetectResults results;
  PyObject *list = NULL;
  const char *err;
  Device device;

  if (call_raise (PyExc_RuntimeError,
          device_open (
              &device, call->on_gpu ? DEVICE_CUDA : DEVICE_CPU, NULL)) < 0)
    return NULL;
  ENGINE_RUN (call, err,
      find_poses (call, &device, params, frame, m, &detector, &results));
  if (call_raise (PyExc_RuntimeError, err) == 0)
    list = poses_list (&results, m, &params->camera);
  if (detector)
    scopedetect_free (detector);
  device_close (&device);
  return list;
}

static int
use_frame (View *color, View *depth, ScopedetectFrame *frame, Image *image)
{
  if (depth->n != 2 || !view_is (depth, 'u', 2))
    return view_refuse (
        depth, "rows x columns of uint16, in units of depth_scale metres");
  if (view_picture (color, image) < 0 ||
      view_rows (depth, &frame->width, &frame->height, &frame->depth_stride) <
          0 ||
      view_same_size (color, depth) < 0)
    return -1;
  frame->depth = (const uint16_t *) depth->data;
  frame->color = image;
  return 0;
}

static PyObject *
poses (PyObject *module, PyObject *args, PyObject *named)
{
  PyObject *value[8], *result = NULL;
  ScopedetectParams params = scopedetect_defaults ();
  ScopedetectFrame frame = {0};
  View color = {0}, depth = {0};
  Models models = {0};
  double n[4];
  Image image;
  Call call;

  (void) module;
  if (arguments_take (&arguments, args, named, value) < 0 ||
      params_set (&arguments, named, scopedetect_params, &params) < 0 ||
      call_begin (&call, value[STREAM], value[N_THREADS]) < 0 ||
      numbers_take (value[CAMERA], "camera (fx, fy, cx, cy)", 4, n) < 0)
    return NULL;
  params.camera = (Camera){n[0], n[1], n[2], n[3], {0}};
  if (call_raise (PyExc_ValueError, scopedetect_check (&params)) == 0 &&
      view_open (&color, &call, value[COLOR], "color") == 0 &&
      view_open (&depth, &call, value[DEPTH], "depth") == 0 &&
      use_frame (&color, &depth, &frame, &image) == 0 &&
      call_raise (PyExc_ValueError,
          scopedetect_check_camera (
              &params.camera, frame.width, frame.height)) == 0 &&
      load_models (&models, value[MODELS]) == 0)
    result = run_poses (&call, &params, &frame, &models);
  free_models (&models);
  view_close (&color);
  view_close (&depth);
  return result;
}

int
poses_register (PyObject *module)
{
  return function_register (
      module, &arguments, poses, text, scopedetect_params);
}
