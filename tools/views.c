/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "views.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "picture.h"

#define MAX_VIEWS 1000 /* views */
/* Pixels of all views, with 2 bytes of depth and 3 of colour: as many as
 * MAX_VIEWS of 640 x 480 have. */
#define MAX_PIXELS (MAX_VIEWS * 640ll * 480)
#define MAX_BYTES (4 << 20) /* of the list */
#define NO_NUMBER "the line has a number that is not finite"

typedef struct {
  const char *path;      /* of the list */
  double fx, fy, cx, cy; /* of the camera */
  double scale, box[6];
  bool has_box;
  int n;
  long long pixels; /* of all views */
  MeshView view[MAX_VIEWS];
} List;

/* @name, relative to the folder of the list. */
static void
path_in_folder (const List *list, const char *name, char path[1024])
{
  const char *slash = strrchr (list->path, '/');

  snprintf (path, 1024, "%.*s%s",
      name[0] != '/' && slash ? (int) (slash - list->path + 1) : 0, list->path,
      name);
}

static const char *
add_listed_view (List *list, const char *depth, const char *colour,
    const double pose[7], char where[VIEWS_WHERE])
{
  MeshView *v = &list->view[list->n];
  char path[1024];
  void *pixels;
  int width, height;

  if (list->n == MAX_VIEWS)
    return "there are more than 1000 views";
  if (!(list->fx > 0 && list->fy > 0))
    return "a line \"camera FX FY CX CY\" must come before the views";
  *v = (MeshView){.depth_scale = list->scale,
      .fx = list->fx,
      .fy = list->fy,
      .cx = list->cx,
      .cy = list->cy};
  memcpy (v->pose, pose, sizeof v->pose);
  path_in_folder (list, depth, path);
  snprintf (where, VIEWS_WHERE, "%s", path);
  TRY (picture_read (path, 16, 1, &v->width, &v->height, &pixels));
  v->depth = pixels;
  v->depth_stride = 2 * v->width;
  list->n++;
  list->pixels += (long long) v->width * v->height;
  if (list->pixels > MAX_PIXELS)
    return "the views have more than 307 million pixels, and would take more "
           "than 1.5 GB; take fewer or smaller ones";
  if (!strcmp (colour, "-"))
    return NULL;
  path_in_folder (list, colour, path);
  snprintf (where, VIEWS_WHERE, "%s", path);
  TRY (picture_read (path, 8, 3, &width, &height, &pixels));
  v->rgb = pixels;
  return width == v->width && height == v->height
      ? NULL
      : "it has another size than its depth; align them first";
}

static const char *
read_list_line (List *list, const char *line, char where[VIEWS_WHERE])
{
  char depth[512], colour[512], rest;
  double p[7], norm;

  if (sscanf (line, " %c", &rest) != 1 || rest == '#')
    return NULL;
  if (sscanf (line, " camera %lf %lf %lf %lf %c", &p[0], &p[1], &p[2], &p[3],
          &rest) == 4) {
    list->fx = p[0], list->fy = p[1], list->cx = p[2], list->cy = p[3];
    return isfinite (p[0] + p[1] + p[2] + p[3]) ? NULL : NO_NUMBER;
  }
  if (sscanf (line, " depth-scale %lf %c", &p[0], &rest) == 1 && p[0] > 0) {
    list->scale = p[0];
    return isfinite (p[0]) ? NULL : NO_NUMBER;
  }
  if (sscanf (line, " box %lf %lf %lf %lf %lf %lf %c", &p[0], &p[1], &p[2],
          &p[3], &p[4], &p[5], &rest) == 6) {
    memcpy (list->box, p, sizeof list->box);
    list->has_box = true;
    return NULL;
  }
  if (sscanf (line, " view %511s %511s %lf %lf %lf %lf %lf %lf %lf %c", depth,
          colour, &p[0], &p[1], &p[2], &p[3], &p[4], &p[5], &p[6], &rest) != 9)
    return "the line is none of camera, depth-scale, box and view with their "
           "numbers";
  if (!isfinite (p[0] + p[1] + p[2]))
    return NO_NUMBER;
  norm = sqrt (p[3] * p[3] + p[4] * p[4] + p[5] * p[5] + p[6] * p[6]);
  if (!(fabs (norm - 1) < .01))
    return "its turn is no unit quaternion, w first";
  return add_listed_view (list, depth, colour, p, where);
}

const char *
views_read (Mesh *mesh, const char *path, double side, char where[VIEWS_WHERE])
{
  List *list = calloc (1, sizeof *list);
  char *bytes = NULL, *line, *next;
  const char *err = list ? NULL : "out of memory";
  size_t size;
  int why = err ? 0 : file_read (path, MAX_BYTES, &bytes, &size);

  memset (mesh, 0, sizeof *mesh);
  snprintf (where, VIEWS_WHERE, "%s", path);
  if (err || why) {
    free (list);
    return why ? file_why (why) : err;
  }
  list->path = path;
  list->scale = .001;
  line = bytes;
  for (int n = 1; !err && line && *line; n++, line = next) {
    next = strchr (line, '\n');
    if (next)
      *next++ = 0;
    snprintf (where, VIEWS_WHERE, "%.1000s: line %d", path, n);
    err = read_list_line (list, line, where);
  }
  free (bytes);
  if (!err) {
    snprintf (where, VIEWS_WHERE, "%s", path);
    err = mesh_fuse (
        mesh, list->view, list->n, list->has_box ? list->box : NULL, side);
  }
  for (int i = 0; i < list->n; i++) {
    free ((void *) list->view[i].depth);
    free ((void *) list->view[i].rgb);
  }
  free (list);
  return err;
}
