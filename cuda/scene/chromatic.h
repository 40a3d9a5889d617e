/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `chromatic`: moving, turning shapes, each of its own colour, over a
 * textured ground, with shadows, noise and patches of similar colour.  A
 * picture is a pure function of params and frame number. */
#pragma once

#include "scene/scene.h"

C_BEGIN

#define CHROMATIC_MAX_OBJECTS 1024
#define CHROMATIC_NAMED 12
#define CHROMATIC_MAX_PATCHES 256
#define CHROMATIC_MAX_SIZE 16384

/* The params of the picture.  Up to 12 objects have named colours.  More
 * objects divide the gamut evenly, are flat and have narrow tolerances: such
 * scenes need little noise and no shadows.  A distractor has a colour near an
 * object's, just outside of its tolerance. */
typedef struct {
  SCENE_BEGINS;
  double shadows; /* part of an object's light that a shadow takes; the ground
                     loses up to twice as much */
  int twins;
} ChromaticParams;

ChromaticParams chromatic_defaults (void);

/* The colour of an object.  In any light that the default shadows leave and
 * with the default noise, all its pixels are within `tolerance` of `rgb` (CIE76
 * Delta E), except for mixed ones at its rim.  No pixel of other objects, the
 * ground, the pillar and the distractors is. */
typedef struct {
  char name[12]; /* "red"; with more than 12 colours "c0017" */
  uint8_t rgb[3];
  double tolerance; /* in tenths */
  uint8_t paint[3]; /* in full light */
  uint8_t alike[3]; /* the colour of its distractors */
} ChromaticColour;

/* The colours of a scene of @n objects; @n is clamped to 1 to 1024. */
void chromatic_palette (int n, ChromaticColour *colours);

/* Writes the colours as `NAME:#rrggbb~TOL;…`, the form in which moct takes its
 * objects.  Returns the length, as snprintf () does. */
size_t chromatic_objects (int n, char *text, size_t size);

typedef struct _Chromatic Chromatic;

const char *chromatic_new (Chromatic **scene, int width, int height);
void chromatic_free (Chromatic *scene);

/* Renders frame @number into @img, which has the scene's size.  Sets @objects,
 * an array of n_objects, to the truth and @labels, width * height, to the
 * object that is seen at each pixel (its id + 1; 0: none).  Both may be
 * NULL. */
const char *chromatic_render (Chromatic *scene, const ChromaticParams *params,
    uint64_t number, const Image *img, SceneObject *objects, uint16_t *labels);

C_END
