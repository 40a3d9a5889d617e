/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Training of the weights by which scopedetect chooses (thesis, section
 * 2.3.2): labelled images, what is found in them, and how good weights are. */
#pragma once

#include "common/device.h"
#include "pose_bop.h"
#include "scene/clutter.h"
#include "scopedetect/explain/record.h"
#include "scopedetect/scopedetect.h"

#define TRAIN_MODELS CLUTTER_MAX_SHAPES
#define TRAIN_OBJECTS 256 /* in an image */
#define TRAIN_VISIBLE .25 /* minimum visible part of an object to be found */

/* The part that a scene is for; each scene is for one. */
typedef enum {
  TRAIN_LEARN,  /* weights are fitted to them */
  TRAIN_CHOOSE, /* the best round is chosen by them */
  TRAIN_REPORT, /* the figures that are told are of them */
  TRAIN_PARTS
} TrainPart;

typedef struct {
  int object;        /* its number in labels; -1: a solid */
  const char *shape; /* name of a solid, or a mesh's file */
  bool is_held;      /* looked for in TRAIN_REPORT alone */
  ScopedetectModel *model;
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
  uint64_t seed;           /* of a generated one */
  const PoseBopView *view; /* of an image from a file */
  TrainTruth *truth;
  int n_truth;
} TrainImage;

/* A detector of some of the models: its number k is @model[k]. */
typedef struct {
  Scopedetect *s;
  int n, model[TRAIN_MODELS];
  int of[TRAIN_MODELS]; /* its number of each model; -1: it has none */
} TrainDetector;

/* The poses found in an image. */
typedef struct {
  TrainPart part;
  ScopedetectRecord *record;
  const TrainDetector *by;
  int n_poses, n_truth;
  int *right;   /* for each pose, the number of its object; -1: none */
  bool *wanted; /* for each object: enough is visible, and it is looked for */
  bool *held;   /* for each object: its model is held back */
  int *model;   /* for each object, its number in the detector; -1: none */
  uint64_t key; /* draws the models that are given */
} TrainRecord;

typedef struct {
  uint64_t seed;
  double unit;       /* metres of meshes */
  int width, height; /* of pictures, pixels */
  int n_objects;     /* on a generated table, at most; half of it at least */
  int per_scene;     /* images of a folder's scene, at most */
  TrainModel model[TRAIN_MODELS];
  int n_models;
  PoseEvalMeshes meshes;
  PoseEvalList truth; /* of folders */
  PoseBopViews views;
  TrainImage *image;
  int n_images;
  int n_generated; /* scenes of the generator, of all parts; 0: none */
  Device device;
  TrainDetector detector[2]; /* of all models but those held; of all */
  Clutter *clutter;
  Image color, depth; /* host */
  void *device_color, *device_depth;
  TrainRecord *record;
  int n_records, room;
} Train;

/* Reads models and images of @n @folders, and has images drawn, as @t says. */
const char *train_open (Train *t, const char *const *folders, int n,
    const char *models, const char *const *solids, char where[POSE_FILE_WHERE]);
void train_close (Train *t);

/* Looks in the images of @part for what @params find, in round @round; the
 * records are added to those that there are. */
const char *train_search (Train *t, TrainPart part, int round,
    const ScopedetectParams *params, char where[POSE_FILE_WHERE]);
/* Removes the records of @part. */
void train_forget (Train *t, TrainPart part);

/* Objects to be found, and found ones of them; objects that are reported, and
 * right ones of them. */
typedef struct {
  int wanted, found, told, right;
} TrainCount;

/* Which models are given. */
typedef enum { TRAIN_ALL, TRAIN_HALF, TRAIN_BOTH } TrainGiven;

/* The results of @params on the records of @part; @held: those of models that
 * are held back. */
TrainCount train_count (const Train *t, TrainPart part, TrainGiven given,
    const ScopedetectParams *params, bool first, TrainCount *held);

/* The best weights for the records of TRAIN_LEARN, from those in @params on, to
 * @params.  @evaluations of each set of weights. */
const char *train_weights (const Train *t, ScopedetectParams *params,
    bool with_score, int evaluations);

/* Precision + recall. */
double train_worth (const TrainCount *count);

/* Properties that are trained, as lines of a preset, to be freed; NULL: out of
 * memory.  @name: 64 bytes at most; @comment: a line, in short. */
char *train_preset (const ScopedetectParams *params, bool with_score,
    const char *name, const char *comment);
