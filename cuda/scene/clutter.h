/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scene `clutter`: solids, and meshes from files, that were dropped on a
 * table one after the other, seen by a camera for colour and depth.  The table
 * stands still and the camera sways.  A frame is a pure function of params,
 * view and number. */
#pragma once

#include "mesh/mesh.h"
#include "scene/scene.h"

C_BEGIN

#define CLUTTER_MAX_SIZE 4096
#define CLUTTER_MAX_OBJECTS 32 /* on the table */
#define CLUTTER_MAX_SHAPES 64  /* the most shapes to choose objects from */

/* The greatest distance of an object from the middle of the table, metres; an
 * imported mesh must fit in. */
#define CLUTTER_MAX_EXTENT .4

typedef enum {
  CLUTTER_COLOR,
  CLUTTER_DEPTH, /* by the same camera, pixel by pixel */
} ClutterView;

/* The params of a frame, which has up to CLUTTER_MAX_OBJECTS objects; each
 * shape is on the table once before one is there twice.  The camera moves to
 * and fro within some 200 frames; the noise of depth is that of the scene
 * rgbd. */
typedef struct {
  SCENE_BEGINS;
  uint64_t scene_frames;
  double depth_bias, camera_offset;
  int carried;
  int n_absent; /* of the objects: the last ones, which are not there yet */
} ClutterParams;

ClutterParams clutter_defaults (void);

/* The truth about a frame.  The world is the table: z is up, 0 on it. */
typedef struct {
  double fx, fy, cx, cy;
  double camera[7]; /* from the camera to the world */
  int n_objects;
  SceneThing objects[CLUTTER_MAX_OBJECTS];
} ClutterTruth;

typedef struct _Clutter Clutter;

/* Makes a scene.  @files names its shapes: solids by their names, and meshes
 * (PLY or OBJ with triangles) in units of @unit metres; without names, all
 * solids.  An object's label is the solid's name, or the file's without folder
 * and ending. */
const char *clutter_new (Clutter **scene, int width, int height,
    const char *const *files, int n_files, double unit);
void clutter_free (Clutter *scene);

/* Renders frame @number into @img, which has the scene's size; for
 * CLUTTER_DEPTH, @img is IMAGE_GRAY16, millimetres, 0 without depth.  @truth
 * and @labels (an object's id + 1; 0 for the table) may be NULL. */
const char *clutter_render (Clutter *scene, const ClutterParams *params,
    ClutterView view, uint64_t number, const Image *img, ClutterTruth *truth,
    uint16_t *labels);

/* The names of the solids, and NULL after the last. */
extern const char *const clutter_solids[];
/* Makes the mesh of solid @name, in metres, with colours.  The caller frees it
 * by mesh_free (). */
const char *clutter_solid_mesh (Mesh *mesh, const char *name);

C_END
