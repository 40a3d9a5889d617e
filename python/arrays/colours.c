/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * colours (): moct for one frame. */
#include <stdlib.h>

#include "arrays.h"
#include "moct/moct.h"

static const Arguments arguments = {
    "colours", 2, 2, {"image", "objects", "stream", "n_threads", NULL}};
enum { IMAGE, OBJECTS, STREAM, N_THREADS };

static const char text[] =
    "colours(image, objects, *, stream=None, n_threads=0, **parameters)\n--\n\n"
    "Objects of known colours in a picture, as the element moct finds them.\n\n"
    "image: rows x columns x 3 or 4 of uint8 (R, G, B).\n"
    "objects: the colours, as the element's property: "
    "'ball:#ffcc00~25;cap:hsv=340..10,50..100,30..100', or "
    "'ball:roi=x,y,width,height' to learn from the picture itself.\n"
    "stream: of the GPU, after whose work the picture is read.\n\n"
    "Returns a list of gstvision.Object, by colour.\n";

static const char *
open_moct (void **state, const Device *device, int width, int height)
{
  return moct_new ((Moct **) state, device, width, height, 0);
}

static void
close_moct (void *state, const Device *device)
{
  (void) device;
  moct_free (state);
}

static const EngineKind moct_engine = {open_moct, close_moct};

/* Learns the colours whose regions are given. */
static const char *
learn_colours (Moct *moct, const Image *image, MoctColour *colours, int n)
{
  for (int i = 0; i < n; i++) {
    MoctLesson *lesson = NULL;
    const char *err = NULL;
    MoctLearned learned;

    for (int k = 0; !err && k < colours[i].n_drags; k++) {
      const MoctDrag drag = colours[i].drags[k];

      if (drag.region.x0 == drag.region.x1)
        err = "objects: roi=meta needs a buffer; write roi=x,y,width,height";
      else
        err = moct_learn (moct, image, &drag, &lesson, &colours[i], &learned);
    }
    moct_lesson_free (lesson);
    TRY (err);
    if (colours[i].space == MOCT_LEARN)
      return "objects: a colour has only regions that take away";
  }
  return NULL;
}

static PyObject *
moct_object (const MoctObject *o, const MoctColour *colours)
{
  static const char *const states[] = {[MOCT_NEW] = "new",
      [MOCT_TRACKING] = "tracking",
      [MOCT_OCCLUDED] = "occluded",
      [MOCT_LOST] = "lost"};

  return object_new ("{s:s,s:s,s:s,s:K,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,"
                     "s:d,s:d,s:N}",
      "element", "moct", "label", colours[o->colour].name, "state",
      states[o->state], "area", (unsigned long long) o->area, "x", o->x0, "y",
      o->y0, "width", o->x1 - o->x0, "height", o->y1 - o->y0, "cx", o->cx, "cy",
      o->cy, "score", o->score, "orientation", o->orientation, "elongation",
      o->elongation, "vx", o->vx, "vy", o->vy, "age", o->age, "covariance",
      numbers_tuple (o->covariance, 4));
}

static PyObject *
objects_list (const MoctObject *objects, int n, const MoctColour *colours)
{
  PyObject *list = PyList_New (n);

  for (int i = 0; list && i < n; i++) {
    PyObject *o = moct_object (&objects[i], colours);

    if (!o || PyList_SetItem (list, i, o) < 0)
      Py_CLEAR (list);
  }
  return list;
}

static PyObject *
run_colours (const Call *call, MoctParams *params, MoctColour *colours,
    const Image *image)
{
  Engine *e = engine_take (&moct_engine, call, image->width, image->height);
  const MoctObject *objects;
  PyObject *list = NULL;
  const char *err;
  int n;

  if (!e)
    return NULL;
  moct_reset (e->state);
  ENGINE_RUN (
      call, err, learn_colours (e->state, image, colours, params->n_colours));
  if (!err)
    ENGINE_RUN (call, err, moct_run (e->state, params, image, 0, &objects, &n));
  if (!err)
    list = objects_list (objects, n, colours);
  if (engine_give (e, err) < 0)
    Py_CLEAR (list);
  return list;
}

/* Parses the text of colours; @params point to them. */
static int
take_colours (PyObject *objects, MoctColour *colours, MoctParams *params)
{
  const char *words = PyUnicode_AsUTF8AndSize (objects, NULL);
  char problem[512];

  params->colours = colours;
  if (!words) {
    PyErr_Format (PyExc_TypeError,
        "objects must be a text such as 'ball:#ffcc00~25', not %R", objects);
    return -1;
  }
  if (moct_parse (words, colours, &params->n_colours, problem, sizeof problem))
    return 0;
  PyErr_Format (PyExc_ValueError, "objects: %s", problem);
  return -1;
}

static PyObject *
colours (PyObject *module, PyObject *args, PyObject *named)
{
  PyObject *value[8], *result = NULL;
  MoctParams params = moct_defaults ();
  MoctColour *list;
  View view = {0};
  Image image;
  Call call;

  (void) module;
  if (arguments_take (&arguments, args, named, value) < 0 ||
      params_set (&arguments, named, moct_params, &params) < 0 ||
      call_begin (&call, value[STREAM], value[N_THREADS]) < 0)
    return NULL;
  list = calloc (MOCT_MAX_COLOURS, sizeof *list);
  if (!list)
    return PyErr_NoMemory ();
  if (take_colours (value[OBJECTS], list, &params) == 0 &&
      view_open (&view, &call, value[IMAGE], "image") == 0 &&
      view_picture (&view, &image) == 0) {
    if (image.format == IMAGE_GRAY8 || image.format == IMAGE_GRAY16)
      view_refuse (&view, "a picture of rows x columns x 3 or 4 of uint8");
    else
      result = run_colours (&call, &params, list, &image);
  }
  view_close (&view);
  free (list);
  return result;
}

int
colours_register (PyObject *module)
{
  return function_register (module, &arguments, colours, text, moct_params);
}
