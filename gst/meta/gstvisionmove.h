/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where an element puts the pixels of a frame, and results that follow them.
 * Private to the library. */
#pragma once

#include "gstvisioncamera.h"
#include "gstvisionmaps.h"
#include "gstvisionobjects.h"

/* x' = sx · (swap ? y : x) + x0, and y' = sy · (swap ? x : y) + y0, of edges of
 * pixels: the centre of the first pixel is at (½, ½). */
typedef struct {
  gboolean swap;
  gdouble sx, sy, x0, y0;
  guint in_width, in_height, out_width, out_height;
} GstVisionMove;

/* Whether the whole frame becomes the whole new frame, upright.  Results stay
 * as they are then, since they say what size their positions refer to. */
gboolean gst_vision_move_is_scaling (const GstVisionMove *move);

/* @move, from a picture of the old frame that has another size. */
GstVisionMove gst_vision_move_from (
    const GstVisionMove *move, guint width, guint height);

void gst_vision_object_move (
    GstVisionObject *object, const GstVisionMove *move);
void gst_vision_camera_move (
    GstVisionCamera *camera, const GstVisionMove *move);

/* Makes a map of the new frame, in system memory; the caller owns
 * @moved->pixels.  FALSE: its numbers have a direction that the move turns, or
 * are a list of places. */
gboolean gst_vision_map_move (
    const GstVisionMap *map, const GstVisionMove *move, GstVisionMap *moved);
