/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `chromatic`: moving, turning shapes, each of its own colour, over
 * a textured ground, with shadows, noise and patches that look alike.  A
 * picture is a pure function of params and frame number. */
#pragma once

#include "scene/scene.h"

C_BEGIN

#define CHROMATIC_MAX_OBJECTS 1024
#define CHROMATIC_NAMED 12
#define CHROMATIC_MAX_PATCHES 256
#define CHROMATIC_MAX_SIZE 16384

/* What the picture shows.  Up to 12 objects have named colours; more share the
 * gamut evenly, flat and with narrow tolerances: give such scenes little noise
 * and no shadows.  A distractor has a colour near an object's, just outside its
 * tolerance. */
typedef struct {
  SCENE_BEGINS;
  double shadows; /* of the light of an object; the ground loses up to twice as
                     much */
  int twins;
} ChromaticParams;

ChromaticParams chromatic_defaults (void);

/* The colour of an object.  All its pixels, in any light that the default
 * shadows leave and with the default noise, are within `tolerance` of `rgb`
 * (CIE76 Delta E; all but the mixed ones at its rim), and those of the other
 * objects, the ground, the pillar and the distractors are not. */
typedef struct {
  char name[12]; /* "red"; of more than 12 colours "c0017" */
  uint8_t rgb[3];
  double tolerance; /* in tenths */
  uint8_t paint[3]; /* in full light */
  uint8_t alike[3]; /* the colour of its distractors */
} ChromaticColour;

/* The colours of a scene of @n objects; @n is clamped to 1 to 1024. */
void chromatic_palette (int n, ChromaticColour *colours);

/* Writes them as `NAME:#rrggbb~TOL;…`, the form in which moct takes its
 * objects, and returns how long that is, as snprintf () does. */
size_t chromatic_objects (int n, char *text, size_t size);

typedef struct _Chromatic Chromatic;

const char *chromatic_new (Chromatic **scene, int width, int height);
void chromatic_free (Chromatic *scene);

/* Renders frame @number into @img, which has the scene's size.  @objects, an
 * array of n_objects, takes the truth and @labels, width * height, the object
 * seen at each pixel (its id + 1; 0 = none); both may be NULL. */
const char *chromatic_render (Chromatic *scene, const ChromaticParams *params,
    uint64_t number, const Image *img, SceneObject *objects, uint16_t *labels);

C_END
