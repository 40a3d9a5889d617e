/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds known rigid objects, and their poses, in a frame of depth and colour.
 * Thesis: S. Popovic, "Parallelized Two-Stage Object Detection in Cluttered
 * RGB-D Scenes", M.Eng., MIT 2013, chapters 1 and 3: SCOPE, single cluttered
 * object pose estimation. Numbers in comments of this folder are its sections.
 */
#pragma once

#include "common/device.h"
#include "common/image.h"
#include "common/param.h"
#include "common/pose_core.h"
#include "scopedetect/model/model.h"

C_BEGIN

#define SCOPEDETECT_MAX_SIDE 4096    /* of a frame, pixels */
#define SCOPEDETECT_MAX_MODELS 1024  /* of a detector */
#define SCOPEDETECT_MAX_OBJECTS 64   /* of one model, in one frame */
#define SCOPEDETECT_MAX_POINTS 65536 /* of a scene */
#define SCOPEDETECT_MAX_REGIONS 16
#define SCOPEDETECT_MAX_RESTARTS 4096

/* The parts of a score (1.2.1; the last seven are of the full SCOPE or ours): 0
 * for a perfect fit, else negative. */
typedef enum {
  SCOPEDETECT_XYZ,        /* depth */
  SCOPEDETECT_NORMAL,     /* normals */
  SCOPEDETECT_VISIBILITY, /* the visible part of the model */
  SCOPEDETECT_EDGE,       /* the model's range edges on the frame's edges */
  SCOPEDETECT_EDGE_VISIBILITY, /* the visible part of the range edges */
  SCOPEDETECT_AFFINITY,        /* segments that the object divides; round 3 */
  SCOPEDETECT_SEGMENT,   /* segments of the frame on the object's surface */
  SCOPEDETECT_LIGHTNESS, /* colour: L, a and b */
  SCOPEDETECT_COLOUR_A,
  SCOPEDETECT_COLOUR_B,
  SCOPEDETECT_TABLE, /* depth of the object below the plane */
  SCOPEDETECT_FREE,  /* the part of the object in free space */
  SCOPEDETECT_N_PARTS
} ScopedetectPart;

/* The ways to choose objects among the poses that were found. */
typedef enum {
  SCOPEDETECT_EACH,      /* each by itself */
  SCOPEDETECT_CONTEST,   /* poses whose surface no better pose explains */
  SCOPEDETECT_ONE_STAGE, /* poses that explain it best together (chapter 2) */
  SCOPEDETECT_TWO_STAGE, /* as one-stage, with a second search in the points
                            that the first choice leaves (2.3) */
} ScopedetectExplained;

/* The gain of a pose in an explanation, and the sum of gains (2.2). */
typedef enum {
  SCOPEDETECT_SCORE_LEARNED, /* its fit: sums over objects (see the README) */
  SCOPEDETECT_SCORE_THESIS,  /* its score: the mean over points of the frame;
                                overlap is the mean over objects */
} ScopedetectExplainScore;

/* The probability with which a search for the explanation accepts a loss. */
typedef enum {
  SCOPEDETECT_SCHEDULE_METROPOLIS, /* falls with the loss */
  SCOPEDETECT_SCHEDULE_THESIS,     /* a half at first, then less (2.1) */
} ScopedetectSchedule;

/* A frame in device memory. Colour is aligned with depth. */
typedef struct {
  int width, height;
  const uint16_t *depth; /* 0 and 65535 are missing */
  int depth_stride;      /* bytes, even */
  const Image *color;    /* of the size of depth, or NULL */
  int n_regions; /* 0: the whole frame is searched; else the surface in these */
  ImageBox region[SCOPEDETECT_MAX_REGIONS]; /* half-open */
} ScopedetectFrame;

/* scopedetect_params.c has ranges and defaults. */
typedef struct {
  uint64_t seed;      /* of the random numbers */
  double depth_scale; /* metres a unit of depth */
  double near,
      far;       /* used depth, metres; farther pixels only make range edges */
  Camera camera; /* no default: 0 is refused */

  bool table; /* find the plane that objects stand on, and remove it (1.2) */
  double table_tolerance;       /* of the plane, metres */
  double table_low, table_high; /* heights of objects over the plane, metres */
  double normal_radius;         /* of normals, metres */

  bool random;    /* round 1 draws hypotheses; else it tries all, both signs */
  int queries;    /* the scene's features that are matched; 0: all */
  int neighbours; /* K (1.2) */
  int samples;    /* random: hypotheses that are drawn (1.2) */
  int kept;       /* else: hypotheses that pass the check with few points */
  int points;     /* of the model, in rounds 1 and 2 (1.2.1) */
  double tolerance;           /* of depth in round 1, metres */
  double free_gap, free_part; /* a point nearer than the frame by more than
                                 free_gap, metres, is in free space; round 1
                                 rejects a pose with a larger part of its
                                 points there than free_part (1.2.1) */
  double cluster_distance;    /* metres, of the models' centres */
  double cluster_angle;       /* degrees */
  int clusters;               /* kept after round 1 (1.2) */
  int align;                  /* round 2: alignments by segments (1.2) */
  int refine;                 /* Gauss-Newton steps of each pose */
  int last;                   /* kept for round 3 (1.2) */
  int climb;                  /* round 3: steps uphill */

  double range_edge, fold_edge,
      image_edge; /* likelihoods of an object's edge at a step of depth, a fold
                     of the surface, a change of brightness; they are added */
  int edge_blur;  /* passes of blurring edges */

  /* Deviations at factor 1 of the noise model. The thesis does not tell them:
   * their defaults are ours. */
  double range_sigma;   /* metres */
  double normal_sigma;  /* 1 - cosine */
  double lab_sigma;     /* of L, a and b */
  double segment_sigma; /* of segments' positions, metres */
  double visible_sigma; /* depth of visible points behind the frame, metres */
  double weight[SCOPEDETECT_N_PARTS];

  double min_score; /* of an object */
  int max_objects;  /* of one model */
  int max_models;   /* models that the frame is searched for: the likeliest by a
                       short search for all models (chapter 4); 0: all models */
  ScopedetectExplained explain;
  double least_own; /* contest: minimum part that is an object's alone */
  /* Parameters of one-stage and two-stage. */
  ScopedetectExplainScore explain_score;
  int candidates; /* poses of each model to choose from (2.1) */
  ScopedetectSchedule schedule;
  int restarts;      /* searches, each from nothing (2.1) */
  int explain_steps; /* Metropolis: steps of a search, for each candidate */
  int restart_steps; /* the thesis's schedule: steps of a search */
  int max_time;      /* of all searches for a frame, milliseconds; 0: none */
  int max_steps;     /* of each search, in both choices together; 0: all */
  double weight_fit, weight_unexplained, weight_overlap,
      weight_object; /* of the parts of an assignment's score (2.2) */
  /* Parameters of two-stage (2.3). */
  double first_weight_unexplained, first_weight_overlap,
      first_weight_object; /* in the first choice */
  int min_rest;            /* minimum number of points for a second search */
  bool fix_first; /* the second choice keeps the objects of the first */
} ScopedetectParams;

/* An object that was found. */
typedef struct {
  int model;        /* index */
  double pose[7];   /* from model to camera: metres, unit quaternion, w first */
  double score;     /* 0 to 1 */
  double agreement; /* part of the searches that chose it; 1 without a search */
  double part[SCOPEDETECT_N_PARTS];
  double visible;   /* visible part of the surface towards the camera */
  double explained; /* part of the surface towards the camera that the frame
                       shows */
  double covariance[36]; /* rows and columns: translation of the model's centre
                            along the camera's axes, metres; rotations about
                            them, radians */
  ImageBox box;          /* of the model in the frame, half-open */
  ImageBox seen;         /* of the visible points */
} ScopedetectObject;

/* The outcome of the second search and choice (2.3). */
typedef enum {
  SCOPEDETECT_NOT_ASKED,
  SCOPEDETECT_ACCEPTED,
  SCOPEDETECT_REFUSED,    /* the second choice scores no more than the first */
  SCOPEDETECT_FEW_POINTS, /* left out: the first choice leaves too few points */
  SCOPEDETECT_NO_MODELS,  /* left out: there are max_objects of each model */
  SCOPEDETECT_NO_TIME,    /* left out: max_time or max_steps is reached */
} ScopedetectSecond;

/* A report on the searches for the explanation of a frame. */
typedef struct {
  double agreement; /* part of the searches that agree; 1 without a search */
  int steps;        /* of each search, in both choices */
  bool is_cut;      /* max_time or max_steps ended the searches */
  ScopedetectSecond second;
  int n_rest;   /* two-stage: points that the first choice left */
  int n_models; /* models of the first search */
} ScopedetectSearch;

typedef struct {
  const ScopedetectObject *objects; /* by model, then by score */
  int n_objects;
  bool has_plane;
  double plane[4]; /* unit normal n and distance d: n x + d = 0, d >= 0 */
  int n_points;    /* of the scene, without the plane */
  int n_left_out;  /* pixels whose points had no room */
  ScopedetectSearch search;
} ScopedetectResults;

typedef struct _Scopedetect Scopedetect;

/* The parameters: ranges, defaults and texts. */
extern const Param scopedetect_params[];

ScopedetectParams scopedetect_defaults (void);

/* Returns NULL, or a sentence about wrong @params. */
const char *scopedetect_check (const ScopedetectParams *params);

/* Maximum of |x / z| and |y / z| of a frame's rays. No point is then more than
 * 10 km aside, and numbers of cells fit into 32 bits. */
#define SCOPEDETECT_MAX_SLOPE 100

/* Returns NULL, or a sentence about a wrong @camera for @width x @height
 * pixels. */
const char *scopedetect_check_camera (
    const Camera *camera, int width, int height);

/* Makes a detector for frames of @width x @height pixels and copies of @models,
 * which must have the same spacing and radii. */
const char *scopedetect_new (Scopedetect **self, const Device *device,
    int width, int height, const ScopedetectModel *const *models, int n_models);
void scopedetect_free (Scopedetect *self);

/* Makes the detector, of @models, judge poses by the fit in a file of
 * vision-train --fit. After an error it judges as before. */
const char *scopedetect_load_fit (Scopedetect *self, const char *path,
    const ScopedetectModel *const *models, int n_models);

/* The bytes of device memory that scopedetect_new () gets; later calls get
 * none. 0: the host is out of memory. */
size_t scopedetect_memory (DeviceKind kind, int width, int height,
    const ScopedetectModel *const *models, int n_models);

/* Maximum distance of two poses of one object, in diameters of its model. */
#define SCOPEDETECT_SAME .5

/* The distance of @a and @b, objects of @model, in its diameters: about the
 * mean distance of points of @b from the nearest points of @a (ADD-S), which is
 * 0 for a rotation that cannot be seen. It is above SCOPEDETECT_SAME if their
 * boxes do not meet. */
double scopedetect_model_apart (const ScopedetectModel *model,
    const ScopedetectObject *a, const ScopedetectObject *b);

/* Sets @xy to the silhouette of @model in a frame: a closed polygon, clockwise
 * on the screen, of at most @room corners x0 y0 x1 y1 …, in pixels, the first
 * pixel's centre at (0, 0). Returns the number of corners; 0 if the model is
 * behind the camera. */
int scopedetect_model_outline (const ScopedetectModel *model,
    const double pose[7], const Camera *camera, double *xy, int room);

/* Observes @frame: computes pixels, the plane, points with features and, if
 * @params need them, segments. scopedetect_search () and scopedetect_track ()
 * then find objects by @params; they do not read @frame again. */
const char *scopedetect_observe (Scopedetect *self,
    const ScopedetectParams *params, const ScopedetectFrame *frame);

/* Finds objects in the whole frame. @results stay valid until the next call. */
const char *scopedetect_search (Scopedetect *self, ScopedetectResults *results);

/* Finds objects in the observed frame near @guesses, objects of the previous
 * frame, of which model and pose count. Round 1 is left out. An observed frame
 * may be tracked and searched, in any order, with the same results. */
const char *scopedetect_track (Scopedetect *self,
    const ScopedetectObject *guesses, int n_guesses,
    ScopedetectResults *results);

/* With explain=one-stage or two-stage, after scopedetect_track (): sets @n to
 * the number of points of the frame that the objects found do not explain. */
const char *scopedetect_count_rest (Scopedetect *self, int *n);

/* Likewise, and once a frame: searches these points for @n_models @models,
 * ascending. @results have the objects that were followed, as they are, and
 * those that explain the frame best beside them. The search is left out as a
 * second one is. */
const char *scopedetect_search_rest (Scopedetect *self, const int *models,
    int n_models, ScopedetectResults *results);

C_END
