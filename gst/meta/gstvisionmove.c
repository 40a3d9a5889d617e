/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstvisionmove.h"

#include <math.h>
#include <string.h>

/* The greatest double that a guint64 can hold. */
#define MAX_AREA 18446744073709549568.

gboolean
gst_vision_move_is_scaling (const GstVisionMove *move)
{
  return !move->swap && fabs (move->x0) < 1e-3 && fabs (move->y0) < 1e-3 &&
      fabs (move->sx * move->in_width - move->out_width) < 1e-3 &&
      fabs (move->sy * move->in_height - move->out_height) < 1e-3;
}

GstVisionMove
gst_vision_move_from (const GstVisionMove *move, guint width, guint height)
{
  gdouble x = (gdouble) move->in_width / width;
  gdouble y = (gdouble) move->in_height / height;
  GstVisionMove from = *move;

  from.sx *= move->swap ? y : x;
  from.sy *= move->swap ? x : y;
  from.in_width = width;
  from.in_height = height;
  return from;
}

/* A mirrored frame has no camera that could have taken it. */
static gboolean
is_mirrored (const GstVisionMove *move)
{
  return (move->sx * move->sy < 0) != move->swap;
}

static gboolean
is_upright (const GstVisionMove *move)
{
  return !move->swap && move->sx > 0 && move->sy > 0;
}

/* ---- Objects ---- */

static void
swap_doubles (gdouble *a, gdouble *b)
{
  gdouble kept = *a;

  *a = *b;
  *b = kept;
}

static void
move_vector (gdouble *x, gdouble *y, const GstVisionMove *move)
{
  if (move->swap)
    swap_doubles (x, y);
  *x *= move->sx;
  *y *= move->sy;
}

/* Centres of pixels lie at integers, edges half a pixel beside them. */
static void
move_point (gdouble *x, gdouble *y, const GstVisionMove *move)
{
  if (move->swap)
    swap_doubles (x, y);
  *x = (*x + 0.5) * move->sx + move->x0 - 0.5;
  *y = (*y + 0.5) * move->sy + move->y0 - 0.5;
}

static void
move_points (const GstVisionArray *points, const GstVisionMove *move)
{
  gdouble *values = (gdouble *) points->values;

  for (guint i = 0; i + 1 < points->n; i += 2)
    move_point (&values[i], &values[i + 1], move);
}

static void
move_span (gdouble *start, gdouble *length, gdouble scale, gdouble shift)
{
  *start = *start * scale + shift;
  *length *= scale;
  if (scale < 0) {
    *start += *length;
    *length = -*length;
  }
}

static void
move_box (gdouble *x, gdouble *y, gdouble *width, gdouble *height,
    const GstVisionMove *move)
{
  if (move->swap) {
    swap_doubles (x, y);
    swap_doubles (width, height);
  }
  move_span (x, width, move->sx, move->x0);
  move_span (y, height, move->sy, move->y0);
}

/* Turns and stretches the object's ellipse: orientation and elongation follow
 * from the matrix of second moments, whose eigenvalues were elongation² : 1. An
 * object without an elongation is a line. */
static void
move_axes (GstVisionObject *object, const GstVisionMove *move)
{
  gdouble c = cos (object->orientation), s = sin (object->orientation);
  gdouble e = object->elongation;
  gdouble major = isnan (e) ? 1 : e * e, minor = isnan (e) ? 0 : 1;
  gdouble xx = major * c * c + minor * s * s;
  gdouble yy = major * s * s + minor * c * c;
  gdouble xy = (major - minor) * c * s * move->sx * move->sy;
  gdouble mean, half;

  if ((move->sx == move->sy && !move->swap) || isnan (object->orientation))
    return;
  if (move->swap)
    swap_doubles (&xx, &yy);
  xx = xx * move->sx * move->sx;
  yy = yy * move->sy * move->sy;
  mean = (xx + yy) / 2;
  half = hypot ((xx - yy) / 2, xy);
  object->orientation = atan2 (2 * xy, xx - yy) / 2;
  if (fabs (move->sx) == fabs (move->sy))
    return;
  object->elongation = sqrt ((mean + half) / (mean - half));
  if (isnan (e))
    object->elongation = NAN;
}

static void
move_covariance (gdouble *covariance, const GstVisionMove *move)
{
  if (move->swap)
    swap_doubles (&covariance[0], &covariance[3]);
  covariance[0] *= move->sx * move->sx;
  covariance[1] *= move->sx * move->sy;
  covariance[2] *= move->sx * move->sy;
  covariance[3] *= move->sy * move->sy;
}

/* ---- Poses: the camera turns with its frame ---- */

/* The turn of a camera about z, by multiples of 90°, as a quaternion. */
static void
turn_of_move (const GstVisionMove *move, gdouble *w, gdouble *z)
{
  gdouble angle = move->swap ? (move->sy > 0 ? G_PI / 2 : -G_PI / 2)
                             : (move->sx > 0 ? 0 : G_PI);

  *w = cos (angle / 2);
  *z = sin (angle / 2);
}

static void
turn_vector (gdouble *x, gdouble *y, const GstVisionMove *move)
{
  if (move->swap)
    swap_doubles (x, y);
  *x = copysign (1, move->sx) * *x;
  *y = copysign (1, move->sy) * *y;
}

/* @pose maps to the coordinates of the old camera, then of the new
 * camera. */
static void
turn_pose (gdouble *pose, const GstVisionMove *move)
{
  gdouble *q = &pose[3], w, z;
  gdouble old[4] = {q[0], q[1], q[2], q[3]};

  turn_of_move (move, &w, &z);
  turn_vector (&pose[0], &pose[1], move);
  q[0] = w * old[0] - z * old[3];
  q[1] = w * old[1] - z * old[2];
  q[2] = w * old[2] + z * old[1];
  q[3] = w * old[3] + z * old[0];
}

/* Turns the axes x and y of the 6 × 6 numbers, of places and of turns. */
static void
turn_covariance (gdouble *covariance, const GstVisionMove *move)
{
  for (guint k = 0; k < 6; k++)
    for (guint at = 0; at < 6; at += 3)
      turn_vector (&covariance[6 * k + at], &covariance[6 * k + at + 1], move);
  for (guint k = 0; k < 6; k++)
    for (guint at = 0; at < 6; at += 3)
      turn_vector (
          &covariance[6 * at + k], &covariance[6 * (at + 1) + k], move);
}

static void
forget_array (GstVisionArray *array)
{
  g_free ((gdouble *) array->values);
  *array = (GstVisionArray){0};
}

static void
move_pose (GstVisionObject *object, const GstVisionMove *move)
{
  if (is_upright (move))
    return;
  if (is_mirrored (move)) {
    forget_array (&object->pose);
    if (object->covariance.n == 36)
      forget_array (&object->covariance);
    return;
  }
  if (object->pose.n == 7)
    turn_pose ((gdouble *) object->pose.values, move);
  if (object->covariance.n == 36)
    turn_covariance ((gdouble *) object->covariance.values, move);
}

void
gst_vision_object_move (GstVisionObject *object, const GstVisionMove *move)
{
  gdouble *past = (gdouble *) object->history.values;

  move_box (&object->x, &object->y, &object->width, &object->height, move);
  for (guint i = 0; i + 5 < object->history.n; i += 6)
    move_box (&past[i], &past[i + 1], &past[i + 2], &past[i + 3], move);
  move_point (&object->cx, &object->cy, move);
  move_vector (&object->vx, &object->vy, move);
  if (object->area)
    object->area = (guint64) CLAMP (
        object->area * fabs (move->sx) * fabs (move->sy) + 0.5, 1, MAX_AREA);
  move_axes (object, move);
  move_points (&object->outline, move);
  move_points (&object->trajectory, move);
  if (object->covariance.n == 4)
    move_covariance ((gdouble *) object->covariance.values, move);
  move_pose (object, move);
}

/* ---- The camera ---- */

void
gst_vision_camera_move (GstVisionCamera *camera, const GstVisionMove *move)
{
  GstVisionMove from =
      gst_vision_move_from (move, camera->ref_width, camera->ref_height);
  gdouble w, z, q[4];

  move_vector (&camera->fx, &camera->fy, &from);
  camera->fx = fabs (camera->fx);
  camera->fy = fabs (camera->fy);
  move_point (&camera->cx, &camera->cy, &from);
  camera->ref_width = move->out_width;
  camera->ref_height = move->out_height;
  if (is_upright (move))
    return;
  /* p2 leans along x, p1 along y */
  turn_vector (&camera->distortion[3], &camera->distortion[2], move);
  if (move->swap || move->sx < 0)
    camera->baseline = NAN;
  camera->has_pose = camera->has_pose && !is_mirrored (move);
  memcpy (q, &camera->pose[3], sizeof q);
  turn_of_move (move, &w, &z);
  z = -z; /* from the new camera to the old one, then to the world */
  camera->pose[3] = q[0] * w - q[3] * z;
  camera->pose[4] = q[1] * w + q[2] * z;
  camera->pose[5] = q[2] * w - q[1] * z;
  camera->pose[6] = q[3] * w + q[0] * z;
}

/* ---- Maps ---- */

/* The bytes of a pixel that no pixel of the old frame became. */
static void
fill_outside (const GstVisionMap *map, guint8 *pixel)
{
  gdouble none = isfinite (map->invalid) ? map->invalid
      : map->format[0] == 'f'            ? NAN
                                         : 0;

  for (guint c = 0; c < map->channels; c++) {
    gfloat f32 = (gfloat) none;
    guint64 number = map->format[0] == 'f' || none < 0 ? 0 : (guint64) none;
    guint32 u32 = (guint32) number;
    guint16 u16 = (guint16) number;

    if (!strcmp (map->format, "u8"))
      pixel[c] = (guint8) number;
    else if (!strcmp (map->format, "u16"))
      memcpy (pixel + 2 * c, &u16, 2);
    else if (!strcmp (map->format, "u32"))
      memcpy (pixel + 4 * c, &u32, 4);
    else
      memcpy (pixel + 4 * c, &f32, 4);
  }
}

/* The old place of pixel @i along an axis; -1: outside of the old map. */
static gint64
old_place (guint i, gdouble scale, gdouble shift, guint size)
{
  gdouble place = floor ((i + 0.5 - shift) / scale);

  return place >= 0 && place < size ? (gint64) place : -1;
}

static void
move_pixels (const GstVisionMap *map, const guint8 *old,
    const GstVisionMove *move, const GstVisionMap *moved, guint8 *new)
{
  guint bytes = moved->stride / moved->width;
  guint8 *outside = g_malloc (bytes);
  gint64 *columns = g_new (gint64, moved->width);

  fill_outside (map, outside);
  for (guint i = 0; i < moved->width; i++)
    columns[i] = old_place (
        i, move->sx, move->x0, move->swap ? map->height : map->width);
  for (guint j = 0; j < moved->height; j++) {
    gint64 row = old_place (
        j, move->sy, move->y0, move->swap ? map->width : map->height);

    for (guint i = 0; i < moved->width; i++) {
      gint64 x = move->swap ? row : columns[i];
      gint64 y = move->swap ? columns[i] : row;

      memcpy (new + (gsize) j * moved->stride + (gsize) i *bytes,
          x < 0 || y < 0 ? outside : old + y * map->stride + x * bytes, bytes);
    }
  }
  g_free (columns);
  g_free (outside);
}

/* Numbers that are right wherever their pixel is. */
static gboolean
can_move (const GstVisionMap *map, const GstVisionMove *move)
{
  static const gchar *const with_direction[] = {
      "disparity", "sigma", "points", "normals", NULL};

  if (!strcmp (map->kind, "matches") || !strcmp (map->kind, "trajectories") ||
      (!strcmp (map->kind, "points") && map->height == 1))
    return FALSE;
  return is_upright (move) || !g_strv_contains (with_direction, map->kind);
}

gboolean
gst_vision_map_move (
    const GstVisionMap *map, const GstVisionMove *move, GstVisionMap *moved)
{
  GstVisionMove from = gst_vision_move_from (move, map->width, map->height);
  gdouble width = rint (move->out_width / fabs (from.sx));
  gdouble height = rint (move->out_height / fabs (from.sy));
  guint bytes = map->channels *
      (map->format[1] == '8'          ? 1
              : map->format[1] == '1' ? 2
                                      : 4);
  GstMapInfo old, new;

  if (!can_move (map, move) || width < 1 || height < 1 ||
      width * bytes > G_MAXUINT32 ||
      !gst_buffer_map (map->pixels, &old, GST_MAP_READ))
    return FALSE;
  *moved = *map;
  moved->on_gpu = FALSE;
  moved->width = (guint) width;
  moved->height = (guint) height;
  moved->stride = moved->width * bytes;
  moved->pixels = gst_buffer_new_allocate (
      NULL, (gsize) moved->stride * moved->height, NULL);
  gst_buffer_map (moved->pixels, &new, GST_MAP_WRITE);
  from.sx *= width / move->out_width;
  from.x0 *= width / move->out_width;
  from.sy *= height / move->out_height;
  from.y0 *= height / move->out_height;
  move_pixels (map, old.data, &from, moved, new.data);
  gst_buffer_unmap (moved->pixels, &new);
  gst_buffer_unmap (map->pixels, &old);
  return TRUE;
}
