/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lists of registered views in depth and colour. */
#pragma once

#include "common/device.h"
#include "mesh/mesh.h"

#define VIEWS_WHERE 1100 /* bytes */

/* Makes a cloud of the views that the file @path lists, in cells of @side
 * metres.  A line of it is one of
 *   camera FX FY CX CY           pixels, of the views that follow
 *   depth-scale METRES           a unit of depth; 0.001 if there is none
 *   box X0 Y0 Z0 X1 Y1 Z1        what counts, in the object's coordinates
 *   view DEPTH COLOUR TX TY TZ QW QX QY QZ
 * or is empty, or begins with #.  DEPTH is a PNG file of 16 bits of grey,
 * COLOUR one of 8 bits of colour, or -; neither has blanks in its name, and
 * each is where the list is unless it begins with /.  The pose is from the
 * camera, x right, y down, z forward, to the object: metres and a unit
 * quaternion.  Where something is wrong, @where has the line or the file, of
 * 256 bytes at most. */
const char *views_read (
    Mesh *mesh, const char *path, double side, char where[VIEWS_WHERE]);
