/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emd_map (): emdtrack's maps for one frame. */
#include <math.h>
#include <string.h>

#include "arrays.h"
#include "emdtrack/emdtrack.h"

static const Arguments arguments = {"emd_map", 3, 2,
    {"image", "target", "distance", "positions", "circumference", "saturation",
        "codebook", "stream", "n_threads", NULL}};
enum {
  IMAGE,
  TARGET,
  DISTANCE,
  POSITIONS,
  CIRCUMFERENCE,
  SATURATION,
  CODEBOOK,
  STREAM,
  N_THREADS
};

static const char text[] =
    "emd_map(image, target, distance=None, *, positions=None, "
    "circumference=None, saturation=None, codebook=None, stream=None, "
    "n_threads=0, **parameters)\n--\n\n"
    "The exact earth mover's distance between a target's histogram and that of "
    "every pixel, as the element emdtrack computes it.\n\n"
    "image: for histogram=intensity rows x columns of uint8 or uint16; for "
    "channels channels x rows x columns of them; for codebook either, or rows "
    "x columns x 3 of uint8 (R, G, B).\n"
    "target: a weight for each bin; or rows of them, one for each of up to 8 "
    "targets.\n"
    "distance: line, circle, or bins x bins ground distances; None: line, or "
    "that between the entries of a codebook.\n"
    "positions: of the bins on a line or circle, ascending; None: 0, 1, 2...\n"
    "circumference: of the circle; None: one that makes all gaps equal.\n"
    "saturation: greater ground distances are reduced to it; None: no limit.\n"
    "codebook: entries x 3 (L, a, b), or entries x channels of spectra that "
    "add up to 255.\n"
    "stream: of the GPU, after whose work the picture is read.\n\n"
    "The histogram is intensity by default, or codebook where one is given. "
    "Returns rows x columns of uint16, or targets x rows x columns; times its "
    "scale they are distances in units of the ground distance.\n";

static const char *
open_emdtrack (void **state, const Device *device, int width, int height)
{
  return emdtrack_new ((Emdtrack **) state, device, width, height);
}

static void
close_emdtrack (void *state, const Device *device)
{
  (void) device;
  emdtrack_free (state);
}

static const EngineKind emdtrack_engine = {open_emdtrack, close_emdtrack};

/* ---- Arguments ---- */

#define MOST (EMDTRACK_BINS * EMDTRACK_BINS)

/* Reads a sequence of numbers, or of rows of them, into @numbers; sets their
 * numbers, @rows 0 without rows. */
static int
take_table (PyObject *o, const char *name, double numbers[MOST], int *rows,
    int *columns)
{
  Py_ssize_t n = PySequence_Size (o), m = 0;
  PyObject *first = n > 0 ? PySequence_GetItem (o, 0) : NULL;
  bool is_table =
      first && PySequence_Check (first) && (m = PySequence_Size (first)) > 0;

  PyErr_Clear ();
  Py_XDECREF (first);
  *rows = is_table ? (int) n : 0;
  *columns = (int) (is_table ? m : n);
  if (n < 1 || n > EMDTRACK_BINS || m > EMDTRACK_BINS) {
    PyErr_Format (PyExc_ValueError,
        "%s must be up to %d numbers, or rows of up to %d", name, EMDTRACK_BINS,
        EMDTRACK_BINS);
    return -1;
  }
  if (!is_table)
    return numbers_take (o, name, *columns, numbers);
  for (int i = 0; i < n; i++) {
    PyObject *row = PySequence_GetItem (o, i);
    int done = row ? numbers_take (row, name, *columns, numbers + i * m) : -1;

    Py_XDECREF (row);
    if (done < 0)
      return -1;
  }
  return 0;
}

static int
take_target (PyObject *o, EmdtrackParams *p, int *bins, bool *is_one)
{
  double numbers[MOST];
  int rows;

  if (take_table (o, "target", numbers, &rows, bins) < 0)
    return -1;
  *is_one = !rows;
  p->n_targets = rows ? rows : 1;
  if (p->n_targets > EMDTRACK_TARGETS) {
    PyErr_Format (PyExc_ValueError, "target has %d rows; there are 1 to %d",
        rows, EMDTRACK_TARGETS);
    return -1;
  }
  for (int t = 0; t < p->n_targets; t++)
    for (int i = 0; i < *bins; i++)
      p->targets[t].weight[i] = numbers[t * *bins + i];
  return 0;
}

static int
take_distance (PyObject *o, EmdtrackParams *p)
{
  double numbers[MOST];
  int rows, columns;

  p->distance = p->codebook ? EMDTRACK_EUCLIDEAN : EMDTRACK_LINE;
  if (!o)
    return 0;
  if (PyUnicode_Check (o)) {
    bool is_circle = PyUnicode_CompareWithASCIIString (o, "circle") == 0;

    p->distance = is_circle ? EMDTRACK_CIRCLE : EMDTRACK_LINE;
    if (is_circle || PyUnicode_CompareWithASCIIString (o, "line") == 0)
      return 0;
    PyErr_Format (PyExc_ValueError,
        "distance must be line, circle, or bins x bins numbers, not %R", o);
    return -1;
  }
  p->distance = EMDTRACK_MATRIX;
  if (take_table (o, "distance", numbers, &rows, &columns) < 0)
    return -1;
  if (rows != p->bins || columns != p->bins) {
    PyErr_Format (PyExc_ValueError,
        "distance has %d x %d numbers, but the histograms have %d bins", rows,
        columns, p->bins);
    return -1;
  }
  for (int i = 0; i < rows * columns; i++)
    p->matrix[i / columns][i % columns] = numbers[i];
  return 0;
}

static int
take_codebook (PyObject *o, EmdtrackCodebook *book, EmdtrackParams *p)
{
  double numbers[MOST];

  if (!o)
    return 0;
  memset (book, 0, sizeof *book);
  if (take_table (o, "codebook", numbers, &book->entries, &book->dims) < 0)
    return -1;
  if (!book->entries) {
    PyErr_SetString (PyExc_ValueError,
        "codebook must be rows, one for each colour or spectrum");
    return -1;
  }
  for (int i = 0; i < book->entries * book->dims; i++)
    book->centre[i / book->dims][i % book->dims] = (float) numbers[i];
  p->codebook = book;
  return 0;
}

static int
take_number (PyObject *o, const char *name, double *number)
{
  if (!o)
    return 0;
  *number = PyFloat_AsDouble (o);
  if (!PyErr_Occurred () && isfinite (*number))
    return 0;
  PyErr_Clear ();
  PyErr_Format (
      PyExc_ValueError, "%s must be a finite number, not %R", name, o);
  return -1;
}

/* Sets all parameters; the bins are those of the target. */
static int
take_params (PyObject *named, PyObject **value, EmdtrackCodebook *book,
    EmdtrackParams *p, bool *is_one)
{
  int bins;

  *p = emdtrack_defaults ();
  p->histogram = value[CODEBOOK] ? EMDTRACK_CODEBOOK : EMDTRACK_INTENSITY;
  if (take_target (value[TARGET], p, &bins, is_one) < 0)
    return -1;
  p->bins = bins;
  if (params_set (&arguments, named, emdtrack_params, p) < 0)
    return -1;
  if (p->bins != bins) {
    PyErr_Format (PyExc_ValueError,
        "target has %d weights, but there are %d bins", bins, p->bins);
    return -1;
  }
  if (take_codebook (value[CODEBOOK], book, p) < 0 ||
      take_distance (value[DISTANCE], p) < 0 ||
      take_number (value[CIRCUMFERENCE], "circumference", &p->circumference) <
          0 ||
      take_number (value[SATURATION], "saturation", &p->saturation) < 0)
    return -1;
  return value[POSITIONS]
      ? numbers_take (value[POSITIONS], "positions", bins, p->positions)
      : 0;
}

/* Describes the picture: planes of channels lie one below the other. */
static int
take_frame (View *v, EmdtrackFrame *f)
{
  Image *image = &f->image;
  View planes;
  int done;

  memset (f, 0, sizeof *f);
  if (v->n < 3 ||
      (v->shape[2] == 3 && view_is (v, 'u', 1) && v->shape[0] > EMDTRACK_BINS))
    return view_picture (v, image);
  if (v->shape[0] > EMDTRACK_BINS || v->shape[0] < 2 ||
      v->shape[1] > EMDTRACK_MAX_SIDE)
    return view_refuse (v,
        "rows x columns, rows x columns x 3 of uint8, or 2 to 16 channels x "
        "rows x columns");
  if (v->stride[2] != v->size || v->stride[1] < v->shape[2] * v->size ||
      v->stride[0] != v->stride[1] * v->shape[1]) {
    PyErr_SetString (PyExc_ValueError,
        "the channels of image are not one behind the other: call "
        "numpy.ascontiguousarray ()");
    return -1;
  }
  planes = *v;
  planes.n = 2;
  planes.shape[0] = v->shape[0] * v->shape[1];
  planes.shape[1] = v->shape[2];
  planes.stride[0] = v->stride[1];
  planes.stride[1] = v->stride[2];
  f->layout = EMDTRACK_STACKED;
  f->channels = (int) v->shape[0];
  done = view_picture (&planes, image);
  v->copy = planes.copy; /* that view_close () frees */
  return done;
}

/* ---- The function ---- */

static const char *
compute_maps (const Engine *e, const EmdtrackParams *p, const EmdtrackFrame *f,
    uint16_t *to, EmdtrackResults *results)
{
  TRY (emdtrack_run (e->state, p, f, results));
  for (int t = 0; t < results->n_targets; t++)
    TRY (emdtrack_copy_map (e->state, t,
        to + (size_t) t * (size_t) e->width * (size_t) e->height,
        (size_t) e->width * sizeof *to));
  return device_wait (&e->device);
}

static PyObject *
run_emd_map (const Call *call, const EmdtrackParams *p, const EmdtrackFrame *f,
    bool is_one)
{
  int width, height;
  EmdtrackResults results;
  const char *err = emdtrack_frame_size (f, &width, &height);
  Py_ssize_t shape[] = {p->n_targets, height, width};
  PyObject *maps;
  Engine *e;
  void *to;

  if (call_raise (PyExc_ValueError, err) < 0 ||
      call_raise (PyExc_ValueError, emdtrack_check (p)) < 0)
    return NULL;
  e = engine_take (&emdtrack_engine, call, width, height);
  if (!e)
    return NULL;
  shape[1] = height;
  shape[2] = width;
  maps = array_new (call, &e->device, 'u', sizeof (uint16_t), is_one ? 2 : 3,
      shape + is_one, &to);
  if (maps) {
    ENGINE_RUN (call, err, compute_maps (e, p, f, to, &results));
    if (!err)
      array_describe (
          maps, 1 / (results.mass * results.scale), EMDTRACK_NO_VALUE);
  }
  if (engine_give (e, err) < 0)
    Py_CLEAR (maps);
  return maps;
}

static PyObject *
emd_map (PyObject *module, PyObject *args, PyObject *named)
{
  PyObject *value[12], *result = NULL;
  EmdtrackCodebook book;
  EmdtrackParams params;
  EmdtrackFrame frame;
  View view = {0};
  bool is_one;
  Call call;

  (void) module;
  if (arguments_take (&arguments, args, named, value) < 0 ||
      take_params (named, value, &book, &params, &is_one) < 0 ||
      call_begin (&call, value[STREAM], value[N_THREADS]) < 0)
    return NULL;
  if (view_open (&view, &call, value[IMAGE], "image") == 0 &&
      take_frame (&view, &frame) == 0)
    result = run_emd_map (&call, &params, &frame, is_one);
  view_close (&view);
  return result;
}

int
emd_map_register (PyObject *module)
{
  return function_register (module, &arguments, emd_map, text, emdtrack_params);
}
