/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stereo (): pocstereo for every pixel of one pair of rectified views. */
#include <stdlib.h>

#include "arrays.h"
#include "pocstereo/pocstereo.h"
#include "pocstereo/rig/pocstereo_output.h"
#include "pocstereo/rig/pocstereo_rectify.h"

static const Arguments arguments = {"stereo", 2, 2,
    {"left", "right", "camera", "q", "stream", "n_threads", NULL}};
enum { LEFT, RIGHT, CAMERA, Q, STREAM, N_THREADS };

static const char text[] =
    "stereo(left, right, *, camera=None, q=None, stream=None, n_threads=0, "
    "**parameters)\n--\n\n"
    "Disparity of every pixel of two rectified views, as the element pocstereo "
    "measures it.\n\n"
    "left, right: rows x columns of uint8 or uint16, or rows x columns x 3 or "
    "4 of uint8 (R, G, B).\n"
    "camera: fx, fy, cx, cy of the left view, cx of the right one, pixels, and "
    "the baseline; depth is then measured, too, in the baseline's unit.\n"
    "q: the same as the 16 numbers of OpenCV's matrix Q, row by row.\n"
    "stream: of the GPU, after whose work the views are read.\n\n"
    "Returns arrays of rows x columns: disparity (float32, pixels), sigma "
    "(uint16; times its scale: the predicted standard deviation, pixels), "
    "confidence (uint8; times its scale: 0 to 1) and depth (float32, or "
    "None). invalid of each says which number stands for no match.\n";

/* ---- The engine ---- */

typedef struct {
  PocstereoRectify *rectify;
  Pocstereo *matcher;
  uint16_t *sample[2];
} StereoState;

static void
close_stereo (void *state, const Device *device)
{
  StereoState *s = state;

  for (int i = 0; i < 2; i++)
    device_release (device, s->sample[i]);
  pocstereo_rectify_free (s->rectify);
  pocstereo_free (s->matcher);
  free (s);
}

static const char *
open_stereo (void **state, const Device *device, int width, int height)
{
  size_t bytes = (size_t) width * (size_t) height * sizeof (uint16_t);
  StereoState *s = *state = calloc (1, sizeof *s);

  if (!s)
    return OUT_OF_MEMORY (sizeof *s, "");
  TRY (pocstereo_new (&s->matcher, device, width, height));
  TRY (pocstereo_rectify_new (&s->rectify, device, width, height));
  for (int i = 0; i < 2; i++)
    TRY (device_alloc (device, (void **) &s->sample[i], bytes));
  return NULL;
}

static const EngineKind stereo_engine = {open_stereo, close_stereo};

static const char *
match_views (const StereoState *s, const Device *device,
    const PocstereoParams *params, const Image view[2],
    const PocstereoSpace *space, const PocstereoOutput *out)
{
  PocstereoMatches in = {
      view[0].width, view[0].height, NULL, {NULL, NULL}, space};
  PocstereoFrame frame = {view[0].width, view[0].height,
      {s->sample[0], s->sample[1]}, view[0].width};

  pocstereo_reset (s->matcher);
  TRY (pocstereo_rectify_run (
      s->rectify, &view[0], &view[1], s->sample, view[0].width));
  TRY (pocstereo_dense (s->matcher, params, &frame, &in.matches));
  TRY (pocstereo_output (device, &in, out));
  return device_wait (device);
}

/* ---- The result ---- */

static PyTypeObject *stereo_type;

static PyObject *
new_rows (const Call *call, const Engine *e, char kind, int size, double scale,
    double invalid, PocstereoRows *rows)
{
  Py_ssize_t shape[] = {e->height, e->width};
  PyObject *a =
      array_new (call, &e->device, kind, size, 2, shape, &rows->pixels);

  rows->stride = (size_t) e->width * (size_t) size;
  if (a)
    array_describe (a, scale, invalid);
  return a;
}

static PyObject *
run_stereo (const Call *call, const PocstereoParams *params,
    const Image view[2], const PocstereoSpace *space)
{
  Engine *e = engine_take (&stereo_engine, call, view[0].width, view[0].height);
  PyObject *result = e ? PyStructSequence_New (stereo_type) : NULL;
  PyObject *maps[4] = {0};
  PocstereoOutput out = {.step = 1};
  const char *err = NULL;

  if (result &&
      (maps[0] = new_rows (
           call, e, 'f', 4, 1, POCSTEREO_NO_DISPARITY, &out.disparity)) &&
      (maps[1] = new_rows (
           call, e, 'u', 2, 1. / POCSTEREO_SIGMA, UINT16_MAX, &out.sigma)) &&
      (maps[2] =
              new_rows (call, e, 'u', 1, 1. / 255, Py_NAN, &out.confidence)) &&
      (maps[3] = space ? new_rows (call, e, 'f', 4, 1, 0, &out.depth)
                       : Py_NewRef (Py_None)))
    ENGINE_RUN (call, err,
        match_views (e->state, &e->device, params, view, space, &out));
  else
    Py_CLEAR (result);
  for (int i = 0; i < 4; i++)
    if (result)
      PyStructSequence_SetItem (result, i, maps[i]);
    else
      Py_XDECREF (maps[i]);
  if (e && engine_give (e, err) < 0)
    Py_CLEAR (result);
  return result;
}

/* ---- The function ---- */

static int
take_space (PyObject *camera, PyObject *q, PocstereoSpace *space)
{
  PocstereoCamera c;
  double n[16];

  if (camera && q) {
    PyErr_SetString (PyExc_TypeError, "stereo() takes camera or q, not both");
    return -1;
  }
  if (camera) {
    if (numbers_take (camera,
            "camera (fx, fy, cx, cy, the right view's cx, baseline)", 6, n) < 0)
      return -1;
    c = (PocstereoCamera){n[0], n[1], n[2], n[3], n[4], n[5]};
    return call_raise (
        PyExc_ValueError, pocstereo_space_from_camera (space, &c));
  }
  if (!q)
    return 0;
  return numbers_take (q, "q", 16, n) < 0
      ? -1
      : call_raise (PyExc_ValueError, pocstereo_space_from_q (space, n));
}

static PyObject *
stereo (PyObject *module, PyObject *args, PyObject *named)
{
  PyObject *value[8], *result = NULL;
  PocstereoParams params = pocstereo_defaults ();
  View view[2] = {0};
  PocstereoSpace space;
  Image image[2];
  Call call;

  (void) module;
  if (arguments_take (&arguments, args, named, value) < 0 ||
      params_set (&arguments, named, pocstereo_params, &params) < 0 ||
      take_space (value[CAMERA], value[Q], &space) < 0 ||
      call_begin (&call, value[STREAM], value[N_THREADS]) < 0)
    return NULL;
  pocstereo_settle (&params, true);
  if (view_open (&view[0], &call, value[LEFT], "left") == 0 &&
      view_picture (&view[0], &image[0]) == 0 &&
      view_open (&view[1], &call, value[RIGHT], "right") == 0 &&
      view_picture (&view[1], &image[1]) == 0 &&
      view_same_size (&view[0], &view[1]) == 0 &&
      call_raise (PyExc_ValueError,
          pocstereo_check (&params, image[0].width, image[0].height)) == 0)
    result = run_stereo (
        &call, &params, image, value[CAMERA] || value[Q] ? &space : NULL);
  view_close (&view[0]);
  view_close (&view[1]);
  return result;
}

int
stereo_register (PyObject *module)
{
  static PyStructSequence_Field fields[] = {{"disparity", "Pixels."},
      {"sigma", "Predicted standard deviation of disparity."},
      {"confidence", "1 for identical windows."},
      {"depth", "In the unit of the baseline; None without a camera."},
      {NULL, NULL}};
  static PyStructSequence_Desc description = {
      "gstvision.Stereo", "What stereo () measured.", fields, 4};

  stereo_type = PyStructSequence_NewType (&description);
  return stereo_type
      ? function_register (module, &arguments, stereo, text, pocstereo_params)
      : -1;
}
