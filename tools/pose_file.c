/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of poses in files. */
#include "pose_file.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/number.h"
#include "pose_json.h"

#define MAX_BYTES ((size_t) 1 << 30)

/* Makes room in @list. */
PoseEvalPose *
pose_file_add (PoseEvalList *list)
{
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 1024;
    PoseEvalPose *more = realloc (list->pose, room * sizeof *more);

    if (!more)
      return NULL;
    list->pose = more;
    list->room = room;
  }
  memset (&list->pose[list->n], 0, sizeof *list->pose);
  return &list->pose[list->n++];
}

bool
pose_file_is_turn (const double r[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      double dot = 0;

      for (int k = 0; k < 3; k++)
        dot += r[3 * i + k] * r[3 * j + k];
      if (!(fabs (dot - (i == j)) < .02))
        return false;
    }
  return r[0] * (r[4] * r[8] - r[5] * r[7]) -
      r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]) >
      0;
}

const char *
pose_file_check (const PoseEvalPose *p)
{
  if (!isfinite (p->t[0] + p->t[1] + p->t[2]) || !isfinite (p->score))
    return "there is a score or place that is no number";
  return pose_file_is_turn (p->r) ? NULL : "R is no turn";
}

/* ---- BOP's CSV ---- */

static const char *
read_csv_row (PoseEvalList *list, const char *line)
{
  PoseEvalPose *p = pose_file_add (list);
  double *r, *t;
  int id[3];
  const char *rest = numbers_read (line, ',', 3, id);

  if (!p)
    return "out of memory";
  r = p->r, t = p->t;
  if (!rest ||
      sscanf (rest, ",%lf,%lf %lf %lf %lf %lf %lf %lf %lf %lf,%lf %lf %lf",
          &p->score, r, r + 1, r + 2, r + 3, r + 4, r + 5, r + 6, r + 7, r + 8,
          t, t + 1, t + 2) != 13)
    return "the line is no pose: scene_id,im_id,obj_id,score,R,t,time";
  p->scene = id[0];
  p->image = id[1];
  p->object = id[2];
  p->visible = -1;
  for (int k = 0; k < 3; k++)
    t[k] /= 1000;
  return pose_file_check (p);
}

void
pose_file_write (const PoseEvalList *list, FILE *to)
{
  fprintf (to, "scene_id,im_id,obj_id,score,R,t,time\n");
  for (size_t i = 0; i < list->n; i++) {
    const PoseEvalPose *p = &list->pose[i];

    fprintf (to, "%d,%d,%d,%.9g,", p->scene, p->image, p->object, p->score);
    for (int k = 0; k < 9; k++)
      fprintf (to, "%.9g%c", p->r[k], k < 8 ? ' ' : ',');
    fprintf (
        to, "%.9g %.9g %.9g,-1\n", 1e3 * p->t[0], 1e3 * p->t[1], 1e3 * p->t[2]);
  }
}

/* ---- Lines of visionjson ---- */

/* The number of the object with @label: that of the mesh whose file has this
 * name, or the number at the end of the label, as in obj_000005; -1: none. */
static int
object_of_label (const PoseEvalMeshes *meshes, const char *label)
{
  size_t n = strlen (label), digits = n;
  int object;

  for (int i = 0; i < meshes->n; i++) {
    const char *path = meshes->list[i].path, *from = strrchr (path, '/');

    from = from ? from + 1 : path;
    if (!strncmp (from, label, n) && (!from[n] || from[n] == '.'))
      return meshes->list[i].object;
  }
  while (digits > 0 && label[digits - 1] >= '0' && label[digits - 1] <= '9')
    digits--;
  return number_read (label + digits, &object) && object >= 0 ? object : -1;
}

static void
set_rotation (double r[9], const double q[4])
{
  double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  double k = n > 0 ? 2 / n : NAN, w = q[0], x = q[1], y = q[2], z = q[3];
  const double turn[9] = {1 - k * (y * y + z * z), k * (x * y - w * z),
      k * (x * z + w * y), k * (x * y + w * z), 1 - k * (x * x + z * z),
      k * (y * z - w * x), k * (x * z - w * y), k * (y * z + w * x),
      1 - k * (x * x + y * y)};

  memcpy (r, turn, sizeof turn);
}

/* Whether @state says that the object was seen in this frame. */
static bool
is_seen_state (const char *state)
{
  return !state ||
      (strcmp (state, "occluded") && strcmp (state, "lost") &&
          strcmp (state, "rejected"));
}

/* Reads an object of a line; an object that is not seen, or has no pose, is
 * passed over. */
static const char *
read_line_object (PoseEvalList *list, const PoseJson *o, int image,
    bool is_truth, const PoseFileLines *lines)
{
  const char *label = pose_json_text (o, "label");
  double pose[7], score = 1;
  PoseEvalPose *p;
  int object;

  if (!pose_json_numbers (o, "pose", 7, pose) || !label ||
      (!is_truth && !is_seen_state (pose_json_text (o, "state"))))
    return NULL;
  object = object_of_label (lines->meshes, label);
  if (object < 0)
    return "an object's label names no mesh and has no number; give the mesh "
           "of "
           "that name by --mesh, or name models as obj_000001";
  if (!(p = pose_file_add (list)))
    return "out of memory";
  pose_json_number (o, "score", &score);
  p->scene = lines->scene;
  p->image = image;
  p->object = object;
  p->score = is_truth ? 1 : score;
  p->visible = is_truth ? score : -1;
  memcpy (p->t, pose, sizeof p->t);
  set_rotation (p->r, pose + 3);
  return pose_file_check (p);
}

static void
read_line_camera (const PoseJson *camera, PoseEvalImage *image)
{
  double width = 0, fx = 0, fy = 0;

  if (image && pose_json_number (camera, "fx", &fx) &&
      pose_json_number (camera, "fy", &fy) &&
      pose_json_number (camera, "cx", &image->cx) &&
      pose_json_number (camera, "cy", &image->cy) && fx > 0 && fy > 0) {
    image->fx = fx, image->fy = fy;
    if (pose_json_number (camera, "ref-width", &width) && width > 0 &&
        width < 65536)
      image->width = (int) width;
  }
}

/* Reads the objects of @root, or of its truth if it has one and that is
 * wanted. */
static const char *
read_line_objects (PoseEvalList *list, const PoseJson *root,
    const PoseFileLines *how, bool is_truth, PoseEvalImage *image)
{
  const PoseJson *truth = pose_json_member (root, "truth", POSE_JSON_OBJECT);
  const PoseJson *of = is_truth && truth ? truth : root;
  const PoseJson *objects = pose_json_member (of, "objects", POSE_JSON_ARRAY);
  const PoseJson *camera = pose_json_member (of, "camera", POSE_JSON_OBJECT);
  double frame;
  int64_t number;

  if (!objects || !pose_json_number (root, "frame", &frame) || frame < 0 ||
      frame > 1e9)
    return "the line is none of visionjson: it has no frame or no objects";
  number = (int64_t) frame + how->first;
  if (number > INT_MAX)
    return "the frame and --first make too large a number of an image";
  for (const PoseJson *o = objects->first; o; o = o->next)
    TRY (read_line_object (list, o, (int) number, is_truth, how));
  read_line_camera (
      camera ? camera : pose_json_member (root, "camera", POSE_JSON_OBJECT),
      image);
  return NULL;
}

static const char *
read_json_line (PoseEvalList *list, char *line, const PoseFileLines *how,
    bool is_truth, PoseEvalImage *image)
{
  PoseJson *root = pose_json_parse (line);
  const char *err = read_line_objects (list, root, how, is_truth, image);

  free (root);
  return err;
}

/* ---- Files ---- */

const char *
pose_file_read (PoseEvalList *list, const char *path,
    const PoseFileLines *lines, bool is_truth, PoseEvalImage *image,
    char where[POSE_FILE_WHERE])
{
  char *bytes, *line, *next;
  size_t size;
  const char *err = NULL;
  int why = file_read (path, MAX_BYTES, &bytes, &size), n = 1;
  bool is_json;

  snprintf (where, POSE_FILE_WHERE, "%s", path);
  if (why)
    return file_why (why);
  is_json = bytes[strspn (bytes, " \t\r\n")] == '{';
  for (line = bytes; !err && line && *line; line = next, n++) {
    next = strchr (line, '\n');
    if (next)
      *next++ = 0;
    if (!line[strspn (line, NUMBER_BLANKS)] ||
        (n == 1 && strstr (line, "scene_id")))
      continue;
    err = is_json ? read_json_line (list, line, lines, is_truth, image)
                  : read_csv_row (list, line);
    if (err)
      snprintf (where, POSE_FILE_WHERE, "%.400s: line %d", path, n);
  }
  free (bytes);
  return err;
}
