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
#include "common/param.h"
#include "common/pose_core.h"
#include "scopedetect/model/model.h"

C_BEGIN

#define SCOPEDETECT_MAX_SIDE 4096    /* of a frame, pixels */
#define SCOPEDETECT_MAX_MODELS 1024  /* of a detector */
#define SCOPEDETECT_MAX_OBJECTS 64   /* of one model, in one frame */
#define SCOPEDETECT_MAX_POINTS 65536 /* of a scene that are looked at */
#define SCOPEDETECT_MAX_REGIONS 16
#define SCOPEDETECT_MAX_RESTARTS 4096

/* The parts of a score (1.2.1; the last seven are of the full SCOPE or ours).
 * Each is 0 at best and less where the model fits less. */
typedef enum {
  SCOPEDETECT_XYZ,             /* depth */
  SCOPEDETECT_NORMAL,          /* normals */
  SCOPEDETECT_VISIBILITY,      /* how much of the model is seen */
  SCOPEDETECT_EDGE,            /* its range edges on the frame's edges */
  SCOPEDETECT_EDGE_VISIBILITY, /* how much of those is seen */
  SCOPEDETECT_AFFINITY,        /* segments it cuts apart; round 3 */
  SCOPEDETECT_SEGMENT,         /* segments of the frame on its surface */
  SCOPEDETECT_LIGHTNESS,       /* colour: L, a and b */
  SCOPEDETECT_COLOUR_A,
  SCOPEDETECT_COLOUR_B,
  SCOPEDETECT_TABLE, /* how deep it sinks below the plane */
  SCOPEDETECT_FREE,  /* the part of it in free space (round 1) */
  SCOPEDETECT_N_PARTS
} ScopedetectPart;

/* Which of the poses are objects. */
typedef enum {
  SCOPEDETECT_EACH,      /* each by itself */
  SCOPEDETECT_CONTEST,   /* those whose surface no better ones take */
  SCOPEDETECT_ONE_STAGE, /* those that together explain the frame best
                            (chapter 2) */
  SCOPEDETECT_TWO_STAGE, /* the same, then searched for again in what they
                            leave (2.3) */
} ScopedetectExplained;

/* How a search for what explains the frame accepts what is worse. */
typedef enum {
  SCOPEDETECT_SCHEDULE_METROPOLIS, /* the less often the worse it is; then
                                      uphill */
  SCOPEDETECT_SCHEDULE_THESIS, /* in half of the cases at first, then less often
                                  (2.1) */
} ScopedetectSchedule;

/* Device memory.  Colour, if there is any, is aligned with depth. */
typedef struct {
  int width, height;
  const uint16_t *depth; /* 0 and 65535 are missing */
  int depth_stride;      /* bytes, even */
  const Image *color;    /* of the same size, or NULL */
  int n_regions; /* 0: the surface in all of the frame is searched; else */
  ImageBox region[SCOPEDETECT_MAX_REGIONS]; /* that in these parts; half-open */
} ScopedetectFrame;

/* scopedetect_params.c has ranges and defaults. */
typedef struct {
  uint64_t seed;      /* of the random numbers */
  double depth_scale; /* metres a unit of depth */
  double near, far;   /* depth that counts, metres; what is farther still lies
                         behind the edges of what is nearer */
  Camera camera;      /* no default: 0 is refused */

  bool table; /* objects stand on a plane, such as a table: find and leave it
                 out (1.2) */
  double table_tolerance;       /* of the plane, metres */
  double table_low, table_high; /* what stands on it: heights, metres */
  double normal_radius;         /* of normals, metres */

  bool random;      /* round 1 draws hypotheses at random, else it tries every
                       neighbour with both signs */
  int queries;      /* features of the scene that are looked up, evenly chosen;
                       0: all */
  int neighbours;   /* K (1.2) */
  int samples;      /* random: this many are drawn (1.2) */
  int kept;         /* else: this many pass a check with few points */
  int points;       /* of the model, in rounds 1 and 2 (1.2.1) */
  double tolerance; /* of depth in round 1, metres */
  double free_gap, free_part; /* round 1: a point is in free space if it is
                                 nearer than the frame by more than this,
                                 metres; a pose with more than this part of its
                                 points there is rejected (1.2.1) */
  double cluster_distance;    /* metres, of the models' centres */
  double cluster_angle; /* degrees of rotation; the pi / 16 of the thesis is
                           half the angle */
  int clusters;         /* kept after round 1 (1.2) */
  int align;            /* round 2: alignments by segments (1.2) */
  int refine;           /* steps of Gauss and Newton for each */
  int last;             /* kept for round 3 (1.2) */
  int climb;            /* round 3: steps uphill */

  double range_edge, fold_edge, image_edge; /* likelihood of an edge of the
                object at a step of depth, a fold of the surface, a change of
                brightness; they are added */
  int edge_blur;                            /* passes of blurring edges */

  /* Deviations where the noise model has 1; unknown in the thesis, so their
   * defaults are ours. */
  double range_sigma;   /* metres */
  double normal_sigma;  /* 1 - cosine */
  double lab_sigma;     /* of L, a and b */
  double segment_sigma; /* of segments' positions, metres */
  double visible_sigma; /* a point at most about this far behind the measured
                           depth is visible, metres */
  double weight[SCOPEDETECT_N_PARTS];

  double min_score; /* of an object */
  int max_objects;  /* of one model */
  int max_models;   /* that the whole frame is searched for, those that a short
                       search of all finds likeliest (chapter 4); 0: all */
  ScopedetectExplained explain;
  double least_own; /* contest: better objects must leave an object this part
                       of the surface that it explains */
  /* One stage and two: */
  int candidates; /* poses of each model to choose from (2.1) */
  ScopedetectSchedule schedule;
  int restarts;      /* searches, each from nothing (2.1) */
  int explain_steps; /* Metropolis: of each of them, for each candidate */
  int restart_steps; /* the thesis: of each of them */
  int max_time;      /* of all searches for a frame, milliseconds; 0: none */
  int max_steps;     /* of each, in both stages together; 0: all */
  double weight_fit, weight_unexplained, weight_overlap, weight_object; /* of
                        what an assignment scores (2.2) */
  /* Two stages (2.3): */
  double first_weight_unexplained, first_weight_overlap,
      first_weight_object; /* in stage 1 */
  int min_rest;            /* fewer points left: no stage 2 */
  bool fix_first;          /* what stage 1 found stays */
} ScopedetectParams;

/* An object that was found. */
typedef struct {
  int model;        /* index */
  double pose[7];   /* from the model to the camera: metres, unit quaternion, w
                       first */
  double score;     /* 0 to 1 */
  double agreement; /* part of the searches that chose it; 1 where nothing was
                       searched for */
  double part[SCOPEDETECT_N_PARTS];
  double visible;   /* part of the surface towards the camera that is seen */
  double explained; /* part of it where the frame has such a surface */
  double covariance[36]; /* rows and columns: translation of the model's centre
                            along x, y, z of the camera, metres, and rotation
                            about them, radians */
  ImageBox box;          /* of the model in the frame, half-open */
  ImageBox seen;         /* of what is seen of it */
} ScopedetectObject;

/* What became of stage 2. */
typedef enum {
  SCOPEDETECT_NOT_ASKED,
  SCOPEDETECT_ACCEPTED,
  SCOPEDETECT_REFUSED,    /* together they score no more than stage 1 */
  SCOPEDETECT_FEW_POINTS, /* left out: stage 1 explains nearly all */
  SCOPEDETECT_NO_MODELS,  /* left out: max_objects of each model are found */
  SCOPEDETECT_NO_TIME,    /* left out: max_time or max_steps were reached */
} ScopedetectSecond;

/* The search for what explains the frame. */
typedef struct {
  double agreement; /* part of the searches that found the same; 1 where there
                       was none */
  int steps;        /* that each took, in both stages */
  bool is_cut;      /* by max_time or max_steps: the best until then */
  ScopedetectSecond second;
  int n_rest;   /* points that stage 1 left, where there were to be two */
  int n_models; /* that were searched for, in stage 1 */
} ScopedetectSearch;

typedef struct {
  const ScopedetectObject *objects; /* by model, then by score */
  int n_objects;
  bool has_plane;
  double plane[4]; /* unit normal and distance: n x + d = 0, d >= 0 */
  int n_points;    /* of the scene, without the plane */
  int n_left_out;  /* for want of room */
  ScopedetectSearch search;
} ScopedetectResults;

typedef struct _Scopedetect Scopedetect;

/* Ranges, texts and defaults of what a user sets. */
extern const Param scopedetect_params[];

ScopedetectParams scopedetect_defaults (void);

/* NULL, or what is wrong with @params. */
const char *scopedetect_check (const ScopedetectParams *params);

/* Maximum of |x / z| and |y / z| of the rays that a frame shows: so no point is
 * more than 10 km aside, and cells of points are counted in 32 bits. */
#define SCOPEDETECT_MAX_SLOPE 100

/* NULL, or what is wrong with @camera for frames of @width x @height pixels. */
const char *scopedetect_check_camera (
    const Camera *camera, int width, int height);

/* For frames of @width x @height pixels and @models, which must have been
 * compiled with the same spacing and radii.  The models are copied. */
const char *scopedetect_new (Scopedetect **self, const Device *device,
    int width, int height, const ScopedetectModel *const *models, int n_models);
void scopedetect_free (Scopedetect *self);

/* The bytes that scopedetect_new () asks a device of @kind for; nothing is
 * asked for later.  0 if the host is out of memory. */
size_t scopedetect_memory (DeviceKind kind, int width, int height,
    const ScopedetectModel *const *models, int n_models);

/* Up to this distance, two poses of a model are of one object. */
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
    const double pose[7], const Camera *camera, double *xy, int room);

/* Observes @frame: its pixels, the table, points with features and, if @params
 * need them, segments.  Later calls find objects in what was observed last, by
 * these params; they do not read @frame. */
const char *scopedetect_observe (Scopedetect *self,
    const ScopedetectParams *params, const ScopedetectFrame *frame);

/* Finds objects in the whole of the observed frame.  @results stay valid until
 * the next call. */
const char *scopedetect_search (Scopedetect *self, ScopedetectResults *results);

/* Finds objects in the observed frame near @guesses alone, of which model and
 * pose count: objects of the frame before.  Round 1 is left out.  @results are
 * those that they would be if the frame were searched as well, before or after.
 */
const char *scopedetect_track (Scopedetect *self,
    const ScopedetectObject *guesses, int n_guesses,
    ScopedetectResults *results);

C_END
