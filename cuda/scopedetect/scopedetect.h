/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds known rigid objects, and their poses, in a frame of depth and colour.
 *
 * Thesis: S. Popovic, "Parallelized Two-Stage Object Detection in Cluttered
 * RGB-D Scenes", M.Eng., MIT 2013, chapters 1 and 3: SCOPE, single cluttered
 * object pose estimation.  The sections named in this folder are its. */
#pragma once

#include "common/device.h"
#include "common/image.h"
#include "scopedetect/model/model.h"

C_BEGIN

#define SCOPEDETECT_MAX_SIDE 4096    /* of a frame, pixels */
#define SCOPEDETECT_MAX_MODELS 1024  /* of a detector */
#define SCOPEDETECT_MAX_OBJECTS 64   /* of one model, in one frame */
#define SCOPEDETECT_MAX_POINTS 65536 /* of a scene that are looked at */

/* The parts of a score (1.2.1; the last nine are of the full SCOPE).  Each is
 * 0 at best and less where the model fits less. */
typedef enum {
  SCOPEDETECT_XYZ,             /* depth */
  SCOPEDETECT_NORMAL,          /* normals */
  SCOPEDETECT_VISIBILITY,      /* how much of the model is seen */
  SCOPEDETECT_EDGE,            /* its range edges on the frame's edges */
  SCOPEDETECT_EDGE_VISIBILITY, /* how much of those is seen */
  SCOPEDETECT_AFFINITY,        /* segments it cuts apart; round 3 */
  SCOPEDETECT_SEGMENT,         /* segments that it takes, from its surface */
  SCOPEDETECT_LIGHTNESS,       /* colour: L, a and b */
  SCOPEDETECT_COLOUR_A,
  SCOPEDETECT_COLOUR_B,
  SCOPEDETECT_TABLE, /* how deep it sinks into the table */
  SCOPEDETECT_FREE,  /* the part of it in free space (round 1) */
  /* Round 3 alone; they take long, and are 0 where they weigh nothing: */
  SCOPEDETECT_FPFH,      /* features */
  SCOPEDETECT_OCCLUSION, /* frame's edges where it is hidden from there on */
  SCOPEDETECT_WALK,      /* what no edge parts from it, from its surface */
  SCOPEDETECT_N_PARTS
} ScopedetectPart;

/* Sets of params. */
typedef enum {
  SCOPEDETECT_FAST,     /* some of the scene's features; refinement by
                           Gauss and Newton */
  SCOPEDETECT_THOROUGH, /* all of them, exhaustively */
  SCOPEDETECT_THESIS,   /* the thesis's text: 2,000 random samples, alignment,
                           hill climbing */
} ScopedetectPreset;

/* A pinhole camera without distortion, pixels: fx, fy > 0. */
typedef struct {
  double fx, fy, cx, cy;
} ScopedetectCamera;

/* Device memory.  Colour, where there is any, is aligned with depth. */
typedef struct {
  int width, height;
  const uint16_t *depth; /* 0 is missing */
  int depth_stride;      /* bytes, even */
  const Image *color;    /* of the same size, or NULL */
} ScopedetectFrame;

/* Set by scopedetect_preset () first, then changed.  Defaults are those of all
 * presets, or of the ones that are named. */
typedef struct {
  uint64_t seed;            /* of all that is random; default 0 */
  double depth_scale;       /* metres a unit of depth, 1e-9 to 1e3; default
                               0.001 */
  double near, far;         /* depth that counts, metres; default 0.1 and 2 */
  ScopedetectCamera camera; /* no default: 0 is refused */

  bool table;             /* a plane carries the objects: find and leave it out
                             (1.2); default true */
  double table_tolerance; /* of the plane, metres; default 0.008 */
  double table_low, table_high; /* what stands on it: heights, metres; default
                                   0.01 and 0.35 */
  double normal_radius;         /* of normals, metres; default 0.01 */

  bool random;    /* round 1 draws samples at random, else it tries every
                     neighbour with both signs; default true in thesis */
  int queries;    /* features of the scene that are looked at, evenly chosen; 0:
                     all; default 12000 in fast, else 0 */
  int neighbours; /* K, 1 to 32; default 20 in fast, else 30 (1.2) */
  int samples; /* random: so many are drawn, 1 to 20000; default 2000 (1.2) */
  int kept;    /* else: so many pass a check with few points, 1 to 20000;
                  default 8000 in fast, else 20000 */
  int points;  /* of the model, in rounds 1 and 2; default 500 (1.2.1) */
  double tolerance;           /* of depth in round 1, metres; default 0.01 in
                                 thesis, else 0.015 */
  double free_gap, free_part; /* round 1: a point lies in free space if so much
                                 nearer than the frame, metres, default 0.05; of
                                 more than this part of them nothing is kept,
                                 default 0.2 (1.2.1) */
  double cluster_distance; /* metres, of the models' centres; default 0.025 */
  double cluster_angle; /* degrees of rotation; default 22.5, as the pi / 16 of
                           the thesis is half the angle */
  int clusters; /* kept after round 1, 1 to 2000; default 1000 in thorough,
                   else 400 (1.2) */
  int align;    /* round 2: alignments by segments; default 5 in
                   thesis (1.2), else 0 */
  int refine;   /* steps of Gauss and Newton for each; default 10 in
                   fast, 20 in thorough, 0 in thesis */
  int last;     /* kept for round 3, 1 to 200; default 50 (1.2) */
  int climb;    /* round 3: steps uphill; default 20 in thesis, else 0 */

  double range_edge, fold_edge, image_edge; /* how likely an edge of the object
                is where depth steps, the surface folds, brightness changes: 0
                to 1, added up.  Default 1, 0, 0.5 */
  int edge_blur; /* passes of blurring edges; default 6 */

  /* Deviations where the noise model has 1; unknown in the thesis, so these
   * defaults are ours. */
  double range_sigma;   /* metres; default 0.01 */
  double normal_sigma;  /* 1 - cosine; default 0.5 */
  double lab_sigma;     /* of L, a and b; default 15 */
  double segment_sigma; /* of segments' positions, metres; default 0.01 */
  double visible_sigma; /* so far behind what is seen a point is still seen,
                           metres; default 0.01 */
  double weight[SCOPEDETECT_N_PARTS];

  double min_score; /* of an object, 0 to 1; default 0.1 */
  int max_objects;  /* of one model; default 1 */
  double least_own; /* objects that explain the same surface: of what one
                       explains, so much must not be explained by better ones, 0
                       to 1; default 0 in thesis, else 0.5 */
} ScopedetectParams;

/* An object that was found. */
typedef struct {
  int model;      /* index */
  double pose[7]; /* from the model to the camera: metres, unit quaternion, w
                     first */
  double score;   /* 0 to 1 */
  double part[SCOPEDETECT_N_PARTS];
  double visible;   /* part of the surface towards the camera that is seen */
  double explained; /* part of it where the frame has such a surface */
  double covariance[36]; /* rows and columns: translation of the model's centre
                            along x, y, z of the camera, metres, and rotation
                            about them, radians */
  ImageBox box;          /* of the model in the frame, half-open */
  ImageBox seen;         /* of what is seen of it */
} ScopedetectObject;

typedef struct {
  const ScopedetectObject *objects; /* by model, then by score */
  int n_objects;
  bool has_table;
  double table[4]; /* unit normal and distance: n x + d = 0, d >= 0 */
  int n_points;    /* of the scene, without the table */
  int n_left_out;  /* for want of room */
} ScopedetectResults;

typedef struct _Scopedetect Scopedetect;

/* Sets @params by @preset. */
void scopedetect_preset (ScopedetectParams *params, ScopedetectPreset preset);

/* NULL, or what is wrong with @params. */
const char *scopedetect_check (const ScopedetectParams *params);

/* For frames of @width x @height pixels and @models, which must have been
 * compiled with the same spacing and radii.  The models are copied. */
const char *scopedetect_new (Scopedetect **self, const Device *device,
    int width, int height, const ScopedetectModel *const *models, int n_models);
void scopedetect_free (Scopedetect *self);

/* About the bytes of the device that scopedetect_new () will ask for; nothing
 * is asked for later. */
size_t scopedetect_memory (
    int width, int height, const ScopedetectModel *const *models, int n_models);

/* Poses of one model are of one object if no farther apart. */
#define SCOPEDETECT_SAME .5

/* How far @a and @b, objects of @model, are apart, in its diameters: about the
 * mean distance of the points of @b to the nearest ones of @a (ADD-S), so that
 * a turn that cannot be seen is none.  Above SCOPEDETECT_SAME where their boxes
 * do not meet. */
double scopedetect_model_apart (const ScopedetectModel *model,
    const ScopedetectObject *a, const ScopedetectObject *b);

/* The silhouette that @model has in a frame: a closed polygon, clockwise on the
 * screen, of at most @room corners, x0 y0 x1 y1 … in pixels, the first pixel's
 * centre at (0, 0).  Returns how many; 0 where nothing of it is before the
 * camera. */
int scopedetect_model_outline (const ScopedetectModel *model,
    const double pose[7], const ScopedetectCamera *camera, double *xy,
    int room);

/* Finds objects.  @results stay valid until the next call. */
const char *scopedetect_run (Scopedetect *self, const ScopedetectParams *params,
    const ScopedetectFrame *frame, ScopedetectResults *results);

/* The same near @guesses alone, of which model and pose count: objects of the
 * frame before.  Round 1 is left out. */
const char *scopedetect_track (Scopedetect *self,
    const ScopedetectParams *params, const ScopedetectFrame *frame,
    const ScopedetectObject *guesses, int n_guesses,
    ScopedetectResults *results);

C_END
