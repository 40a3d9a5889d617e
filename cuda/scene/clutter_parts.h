/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What solids are made of: boxes, and profiles that are turned. */
#pragma once

#include "scene/clutter_core.h"

#define CLUTTER_SIDES 40 /* of what is round */
/* Maximum number of vertices of a solid; it has up to twice as many triangles.
 */
#define CLUTTER_ROOM 6000

/* Takes parts, one after the other, into a mesh that has room. */
typedef struct {
  Mesh *mesh;
  RgbdPose pose; /* of the next part */
  uint8_t rgb[3];
} ClutterMaker;

/* The next parts' colour. */
void clutter_paint (ClutterMaker *m, uint8_t r, uint8_t g, uint8_t b);
/* They are turned by @degrees about @axis, then moved. */
void clutter_place (
    ClutterMaker *m, int axis, double degrees, double x, double y, double z);

/* Half sizes. */
void clutter_box (ClutterMaker *m, double x, double y, double z);
/* Turns a profile of radius and height, from the axis to the axis, about z; it
 * has the inside on its left.  @flat is its width along y over that along x. */
void clutter_lathe (
    ClutterMaker *m, const double (*profile)[2], int n, int sides, double flat);
/* An ellipsoid, by its half axes. */
void clutter_ball (ClutterMaker *m, double x, double y, double z);
/* Along z, from radius @low to @high. */
void clutter_cone (
    ClutterMaker *m, double low, double high, double half, int sides);
