/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Training of the weights by which scopedetect chooses (thesis, section 2.3.2),
 * and of its fit: labelled images, the poses found in them, and the quality of
 * weights. */
#pragma once

#include "common/device.h"
#include "pose_bop.h"
#include "scene/clutter.h"
#include "scopedetect/explain/record.h"
#include "scopedetect/scopedetect.h"

#define TRAIN_MODELS CLUTTER_MAX_SHAPES
#define TRAIN_OBJECTS 256 /* in an image */
#define TRAIN_VISIBLE .25 /* minimum visible part of an object to be found */

/* The purpose of a scene. */
typedef enum {
  TRAIN_LEARN,  /* weights are fitted to them */
  TRAIN_CHOOSE, /* the best round is chosen by them */
  TRAIN_REPORT, /* the reported figures are those of these scenes */
  TRAIN_PARTS
} TrainPart;

typedef struct {
  int object;                     /* its number in labels; -1: a solid */
  const char *shape;              /* name of a solid, or a mesh's file */
  bool is_held;                   /* searched in TRAIN_REPORT alone */
  ScopedetectModel *model, *grey; /* grey: of a fit, without colour */
  double diameter;
} TrainModel;

/* An object that is in an image. */
typedef struct {
  int model;
  double pose[7]; /* as of ScopedetectObject */
  bool is_wanted; /* enough of it is visible */
} TrainTruth;

typedef struct {
  TrainPart part;
  bool is_generated;
  uint64_t seed;           /* of a generated image */
  const PoseBopView *view; /* of an image from a file */
  TrainTruth *truth;
  int n_truth;
} TrainImage;

/* A detector of some of the models: model k of the detector is @model[k]. */
typedef struct {
  Scopedetect *s;
  int n, model[TRAIN_MODELS];
  int of[TRAIN_MODELS]; /* for each model, its number in the detector; -1: the
                           detector lacks it */
} TrainDetector;

/* The poses found in an image. */
typedef struct {
  TrainPart part;
  int scene; /* a number; each generated image has its own */
  ScopedetectRecord *record;
  const TrainDetector *by;
  int n_poses, n_truth;
  int *right;   /* for each pose, the number of its object; -1: none */
  bool *wanted; /* for each object: enough of it is visible, and it is
                   searched */
  bool *held;   /* for each object: its model is held back */
  int *model;   /* for each object, its number in the detector; -1: none */
  uint64_t key; /* seed of the drawing of the models that are given */
} TrainRecord;

typedef struct {
  uint64_t seed;
  bool is_fit; /* a fit is learned: all models are learned from, and a quarter
                  of the images is searched by models without colour */
  double unit; /* metres of meshes */
  int width, height; /* of pictures, pixels */
  int n_objects;     /* the most objects on a generated table; a table has at
                        least half as many */
  int per_scene;     /* the most images of a folder's scene */
  TrainModel model[TRAIN_MODELS];
  int n_models;
  PoseEvalMeshes meshes;
  PoseEvalList truth; /* of folders */
  PoseBopViews views;
  TrainImage *image;
  int n_images;
  int n_generated; /* number of the generator's scenes, for all parts; 0:
                      none */
  Device device;
  TrainDetector detector[2]; /* of all models but those held back; of all.  Of
                                a fit: of all; of all, without colour */
  Clutter *clutter;
  Image color, depth; /* host */
  void *device_color, *device_depth;
  TrainRecord *record;
  int n_records, room;
} Train;

/* Reads the models and images of @n @folders, and generates images, as @t
 * says. */
const char *train_open (Train *t, const char *const *folders, int n,
    const char *models, const char *const *solids, char where[POSE_FILE_WHERE]);
void train_close (Train *t);

/* Searches the images of @part for the poses that @params find, in round
 * @round, and adds the records. */
const char *train_search (Train *t, TrainPart part, int round,
    const ScopedetectParams *params, char where[POSE_FILE_WHERE]);
/* Changes depth in millimetres to that of a sensor of structured light. */
const char *train_spoil_depth (
    uint16_t *depth, int width, int height, uint64_t seed);
/* Removes the records of @part. */
void train_forget (Train *t, TrainPart part);

/* Objects to find, and those of them that are found; objects that are reported,
 * and those of them that are right. */
typedef struct {
  int wanted, found, told, right;
} TrainCount;

/* The models that are given to the search. */
typedef enum { TRAIN_ALL, TRAIN_HALF, TRAIN_BOTH } TrainGiven;

/* The results of @params on the records of @part; @held: those of models that
 * are held back. */
TrainCount train_count (const Train *t, TrainPart part, TrainGiven given,
    const ScopedetectParams *params, bool first, TrainCount *held);

/* Sets @params to the best weights for the records of TRAIN_LEARN, starting
 * from those in @params.  @evaluations is the number of trials of each set of
 * weights. */
const char *train_weights (const Train *t, ScopedetectParams *params,
    bool with_score, int evaluations);

/* Sets @fit to the regressions of the poses in the records, and prints how good
 * they are in those of TRAIN_REPORT, which they are not learned from. */
const char *train_fit (const Train *t, ScopedetectFit *fit);

/* Precision + recall. */
double train_worth (const TrainCount *count);

/* Returns the trained properties as lines of a preset, to be freed; NULL: out
 * of memory.  @name: 64 bytes at most; @comment: a short line. */
char *train_preset (const ScopedetectParams *params, bool with_score,
    const char *name, const char *comment);
