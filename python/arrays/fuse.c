/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fuse (): kinfumot over a list of depth frames. */
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "kinfumot/kinfumot.h"

static const Arguments arguments = {
    "fuse", 2, 2, {"depths", "camera", "poses", "stream", "n_threads", NULL}};
enum { DEPTHS, CAMERA, POSES, STREAM, N_THREADS };

static const char text[] =
    "fuse(depths, camera, poses=None, *, stream=None, n_threads=0, "
    "**parameters)\n--\n\n"
    "One surface of many depth frames, as the element kinfumot reconstructs "
    "it.\n\n"
    "depths: frames x rows x columns of uint16, or a sequence of rows x "
    "columns; in units of depth_scale metres, 0 where depth is missing.\n"
    "camera: fx, fy, cx, cy, pixels.\n"
    "poses: for pose='given' and pose='prior', the camera of each frame in the "
    "world: translation in metres and a unit quaternion, w first.\n"
    "stream: of the GPU, after whose work the frames are read.\n\n"
    "Returns vertices (n x 3 of float32, metres, in the world: the first "
    "camera, or that of poses), normals (n x 3 of float32), colours (n x 3 of "
    "uint8, of the models), triangles (m x 3 of uint32) and poses (of each "
    "frame; None where the camera was lost).\n";

typedef struct {
  Call call;
  Device device;
  Kinfumot *kinfumot;
  KinfumotParams params;
  int width, height;
  PyObject *given, *found; /* poses; given may be NULL */
} Fusion;

static PyTypeObject *fused_type;

/* Opens the algorithm for frames of the size of the first. */
static int
open_fusion (Fusion *f, int width, int height)
{
  const char *err;

  if (f->kinfumot) {
    if (width == f->width && height == f->height)
      return 0;
    PyErr_Format (PyExc_ValueError,
        "a depth frame has %d rows of %d pixels, but the first has %d of %d",
        height, width, f->height, f->width);
    return -1;
  }
  f->width = width;
  f->height = height;
  if (call_raise (PyExc_ValueError,
          kinfumot_check_camera (&f->params.camera, width, height)) < 0 ||
      call_raise (PyExc_RuntimeError,
          device_open (
              &f->device, f->call.on_gpu ? DEVICE_CUDA : DEVICE_CPU, NULL)) < 0)
    return -1;
  ENGINE_RUN (&f->call, err,
      kinfumot_new (&f->kinfumot, &f->device, &f->params, width, height));
  return call_raise (PyExc_ValueError, err);
}

static int
take_pose (const Fusion *f, Py_ssize_t i, KinfumotFrame *frame)
{
  PyObject *pose;
  double n[7];
  int done;

  if (!f->given)
    return 0;
  pose = PySequence_GetItem (f->given, i);
  done = !pose ? -1 : pose == Py_None ? 0 : numbers_take (pose, "a pose", 7, n);
  if (pose && pose != Py_None && done == 0) {
    frame->has_pose = true;
    memcpy (frame->pose.t, n, sizeof frame->pose.t);
    memcpy (frame->pose.q, n + 3, sizeof frame->pose.q);
  }
  Py_XDECREF (pose);
  return done;
}

static const char *
fuse_frame (Fusion *f, const KinfumotFrame *frame, KinfumotResults *results)
{
  if (f->call.on_gpu)
    TRY (device_follow (&f->device, f->call.stream));
  TRY (kinfumot_run (f->kinfumot, &f->params, frame, NULL, results));
  return device_wait (&f->device);
}

/* Adds frame @i, whose rows and columns are @v's. */
static int
add_frame (Fusion *f, View *v, Py_ssize_t i)
{
  KinfumotFrame frame = {.time = (uint64_t) i};
  KinfumotResults results;
  PyObject *pose = Py_None;
  double n[7];
  const char *err;
  int width, height, done;

  if (v->n != 2 || !view_is (v, 'u', 2))
    return view_refuse (v,
        "frames of rows x columns of uint16, in units of depth_scale metres");
  if (view_rows (v, &width, &height, &frame.stride) < 0 ||
      take_pose (f, i, &frame) < 0 || open_fusion (f, width, height) < 0)
    return -1;
  frame.depth = (const uint16_t *) v->data;
  ENGINE_RUN (&f->call, err, fuse_frame (f, &frame, &results));
  if (call_raise (PyExc_RuntimeError, err) < 0)
    return -1;
  memcpy (n, results.camera.t, sizeof results.camera.t);
  memcpy (n + 3, results.camera.q, sizeof results.camera.q);
  pose = results.lost ? Py_NewRef (Py_None) : numbers_tuple (n, 7);
  done = pose ? PyList_Append (f->found, pose) : -1;
  Py_XDECREF (pose);
  return done;
}

/* Adds the frames of an array of three dimensions. */
static int
add_stack (Fusion *f, View *all)
{
  for (Py_ssize_t i = 0; i < all->shape[0]; i++) {
    View frame = {.name = all->name,
        .data = all->data + i * all->stride[0],
        .kind = all->kind,
        .size = all->size,
        .n = 2,
        .shape = {all->shape[1], all->shape[2]},
        .stride = {all->stride[1], all->stride[2]},
        .on_gpu = all->on_gpu};
    int done = add_frame (f, &frame, i);

    free (frame.copy);
    if (done < 0 || PyErr_CheckSignals () < 0)
      return -1;
  }
  return 0;
}

static int
add_all (Fusion *f, PyObject *depths)
{
  bool is_list = PyList_Check (depths) || PyTuple_Check (depths);
  Py_ssize_t n = is_list ? PySequence_Size (depths) : 1;
  View v = {0};
  int done = 0;

  if (n < 1) {
    PyErr_SetString (PyExc_ValueError, "depths is empty: there are no frames");
    return -1;
  }
  for (Py_ssize_t i = 0; i < n && done == 0; i++) {
    PyObject *item =
        is_list ? PySequence_GetItem (depths, i) : Py_NewRef (depths);

    done = item ? view_open (&v, &f->call, item, "depths") : -1;
    if (done == 0)
      done = !is_list && v.n == 3 ? add_stack (f, &v) : add_frame (f, &v, i);
    view_close (&v);
    Py_XDECREF (item);
    if (done == 0)
      done = PyErr_CheckSignals ();
  }
  return done;
}

/* ---- The result ---- */

/* An array of @n x 3 in host memory, a copy of @from. */
static PyObject *
copy_triples (const void *from, uint32_t n, char kind, int size)
{
  Py_ssize_t shape[] = {n, 3};
  Call host = {0};
  void *to;
  PyObject *a = array_new (&host, device_host (), kind, size, 2, shape, &to);

  if (a && from)
    memcpy (to, from, 3 * (size_t) n * (size_t) size);
  else if (a)
    memset (to, 0, 3 * (size_t) n * (size_t) size);
  return a;
}

static PyObject *
fused_result (Fusion *f)
{
  PyObject *result = NULL, *part[5] = {0};
  Mesh mesh = {0};
  const char *err;
  bool is_whole = true;

  ENGINE_RUN (&f->call, err, kinfumot_mesh (f->kinfumot, &mesh));
  if (call_raise (PyExc_RuntimeError, err) == 0 &&
      (result = PyStructSequence_New (fused_type))) {
    part[0] = copy_triples (mesh.x, mesh.n, 'f', 4);
    part[1] = copy_triples (mesh.normal, mesh.n, 'f', 4);
    part[2] = copy_triples (mesh.colour, mesh.n, 'u', 1);
    part[3] = copy_triples (mesh.triangles, mesh.n_triangles, 'u', 4);
    part[4] = Py_NewRef (f->found);
    for (int i = 0; i < 5; i++) {
      is_whole = is_whole && part[i];
      PyStructSequence_SetItem (result, i, part[i]);
    }
    if (!is_whole)
      Py_CLEAR (result);
  }
  mesh_free (&mesh);
  return result;
}

/* ---- The function ---- */

static int
check_poses (const Fusion *f, PyObject *depths)
{
  Py_ssize_t n = f->given ? PySequence_Size (f->given) : 0;
  Py_ssize_t frames = PySequence_Size (depths);

  if (f->given && (n < 0 || frames < 0))
    return -1;
  PyErr_Clear ();
  if (!f->given || n == frames)
    return 0;
  PyErr_Format (PyExc_ValueError,
      "there are %zd poses for %zd depth frames; None stands for an unknown "
      "one",
      n, frames);
  return -1;
}

static PyObject *
fuse (PyObject *module, PyObject *args, PyObject *named)
{
  PyObject *value[8], *result = NULL;
  Fusion f = {.params = kinfumot_defaults ()};
  double n[4];

  (void) module;
  if (arguments_take (&arguments, args, named, value) < 0 ||
      params_set (&arguments, named, kinfumot_params, &f.params) < 0 ||
      call_begin (&f.call, value[STREAM], value[N_THREADS]) < 0 ||
      numbers_take (value[CAMERA], "camera (fx, fy, cx, cy)", 4, n) < 0 ||
      call_raise (PyExc_ValueError, kinfumot_check (&f.params)) < 0)
    return NULL;
  f.params.camera = (Camera){n[0], n[1], n[2], n[3], {0}};
  f.given = value[POSES];
  f.found = PyList_New (0);
  if (f.found && check_poses (&f, value[DEPTHS]) == 0 &&
      add_all (&f, value[DEPTHS]) == 0)
    result = fused_result (&f);
  Py_BEGIN_ALLOW_THREADS if (f.kinfumot) kinfumot_free (f.kinfumot);
  if (f.device.ops)
    device_close (&f.device);
  Py_END_ALLOW_THREADS Py_XDECREF (f.found);
  return result;
}

int
fuse_register (PyObject *module)
{
  static PyStructSequence_Field fields[] = {{"vertices", "Metres."},
      {"normals", "Unit normals."}, {"colours", "Of the models."},
      {"triangles", "Numbers of vertices."},
      {"poses", "Camera to world; None where the camera was lost."},
      {NULL, NULL}};
  static PyStructSequence_Desc description = {
      "gstvision.Fused", "What fuse () reconstructed.", fields, 5};

  fused_type = PyStructSequence_NewType (&description);
  return fused_type
      ? function_register (module, &arguments, fuse, text, kinfumot_params)
      : -1;
}
