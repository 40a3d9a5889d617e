/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages.  Each says what it reads (In) and what it writes (Out), and cites
 * the paper where it is the paper's.  A stage of several models works on those
 * from @first to before @last that are not asleep; model 0 is the background.
 * Memory is the device's, and kinfumot_state.c owns it.  Scratch is a stage's
 * own; its counters (`work`, n_ends) are 0 between two calls. */
#pragma once

#include "kinfumot/kinfumot_core.h"

/* ---- The data that flow from stage to stage ---- */

/* A frame's points, and what they are matched with: the models, as the previous
 * frame's camera sees them. */
typedef struct {
  KinfumotPoints points;
  int n_models; /* from here on all are asleep */
  const KinfumotModel *models;
  KinfumotViews views;
  float noise;      /* 1/m: depth z is known within noise z^2 */
  float min_cosine; /* of the angle between normals that correspond */
} KinfumotMatching;

typedef struct {
  Vec *of;        /* each pixel; 0 0 0: unknown */
  uint32_t *n;    /* number of those that are known */
  uint64_t *work; /* scratch */
} KinfumotNormals;

/* Which pixels belong to other models than the aligned one, by the first of
 * these maps that is not NULL; if all are, the models decide. */
typedef struct {
  const uint8_t *mask;     /* of a birth: the pixels of the new model */
  const uint8_t *replayed; /* classes of an earlier frame, which is aligned */
  const uint8_t *previous; /* classes of the previous frame; for the camera */
  const uint8_t *doubted;  /* of each eight pixels; with `previous` */
} KinfumotClaims;

/* Models from `first` to before `last`, and the camera that sees them. */
typedef struct {
  KinfumotOptics optics;
  const KinfumotModel *models;
  int first, last;
} KinfumotPoses;

/* A frame, and how it is fused. */
typedef struct {
  KinfumotPoses poses;
  const uint16_t *depth;  /* as in KinfumotPoints */
  const uint8_t *classes; /* say whose surface a pixel shows */
  const uint8_t *mask;    /* of a birth: the pixels of the new model; NULL */
  uint32_t number;        /* of the newest frame, from 1 */
  int max_weight;         /* frames that a voxel's mean remembers */
  bool erase; /* empties the voxels at the surfaces of a model's pixels */
} KinfumotFusion;

/* The pool of bricks. */
typedef struct {
  KinfumotPoolCounts *counts;
  uint32_t *unused; /* bricks, n_unused */
  uint64_t *wanted; /* keys, n_wanted of at most max_wanted */
  uint32_t max_wanted;
  uint32_t *work; /* scratch: blocks of threads that have taken bricks */
} KinfumotPool;

/* ---- A frame (2.1) ---- */

/* Fills the holes of a frame, so that registered depth, a grid of holes, has
 * surfaces; not in the paper.  In: @input.  Out: @filled, rows without gaps. */
typedef const char *KinfumotFillStage (const Device *dev,
    const KinfumotOptics *optics, const KinfumotInput *input, uint16_t *filled);

/* The bilateral filter.  In: @input.  Out: @depth. */
typedef const char *KinfumotFilterStage (const Device *dev,
    const KinfumotOptics *optics, const KinfumotInput *input, uint16_t *depth);

/* In: @points.  Out: @normals. */
typedef const char *KinfumotNormalsStage (
    const Device *dev, const KinfumotPoints *points, KinfumotNormals *normals);

/* ---- Poses (2.1, 2.2) ---- */

typedef struct {
  KinfumotMatching matching;
  const Vec *normals;
  KinfumotGrid grid; /* says where the space beside an object was seen free */
  KinfumotClaims claims;
} KinfumotAlignIn;

typedef struct {
  KinfumotAlignment *alignments; /* of each model */
  uint32_t *ends; /* of surfaces: KINFUMOT_SIDES times a pixel and a side, in
                     any order; room for all */
  uint32_t *n_ends;
  int max_blocks; /* which a GPU runs at the same time */
} KinfumotAlignScratch;

/* Asks the device for max_blocks. */
typedef const char *KinfumotAlignOpen (KinfumotAlignScratch *scratch);

/* Iterative closest points.  In: @in.  In and out: @models, which are those of
 * @in; each gets another motion, and the sums, residual and weak directions of
 * its last iteration. */
typedef const char *KinfumotAlignStage (const Device *dev,
    const KinfumotAlignIn *in, int first, int last,
    KinfumotAlignScratch *scratch, KinfumotModel *models);

/* In: the camera's motion.  In and out: @models; objects get the motion that
 * goes on with their velocity. */
typedef const char *KinfumotPredictStage (
    const Device *dev, int first, int last, KinfumotModel *models);

/* In: the number @n_points of normals.  In and out: @models; says which motions
 * are good, and averages those of objects with the predicted ones. */
typedef const char *KinfumotJudgeStage (const Device *dev, int first, int last,
    const uint32_t *n_points, KinfumotModel *models);

/* Samples of a frame: at most KINFUMOT_REST_SAMPLES of a row and of a column,
 * in tiles of KINFUMOT_REST_SIDE squared. */
#define KINFUMOT_REST_SAMPLES 320
#define KINFUMOT_REST_SIDE 8
#define KINFUMOT_REST_TILES \
 (KINFUMOT_REST_SAMPLES / KINFUMOT_REST_SIDE * KINFUMOT_REST_SAMPLES / \
     KINFUMOT_REST_SIDE)

/* Of a tile: samples with depth; the samples that meet the background with both
 * motions, and their mean distances from it, by the limit of a match. */
typedef struct {
  int n_seen, n;
  float at_rest, estimated;
} KinfumotRestTile;

typedef struct {
  KinfumotMatching matching;
  KinfumotModel at_rest, estimated; /* the background with either motion */
  int step;                         /* pixels from sample to sample */
  int tiles_x, tiles_y;
} KinfumotRestIn;

/* Compares two motions of the camera; not in the paper.  In: @in.  Out:
 * @tiles. */
typedef const char *KinfumotRestStage (
    const Device *dev, const KinfumotRestIn *in, KinfumotRestTile *tiles);

/* In: @counts.  In and out: @models; poses become those after the frame, and
 * boxes say where the next frame may show an object. */
typedef const char *KinfumotAdvanceStage (const Device *dev,
    const KinfumotOptics *optics, int first, int last,
    const KinfumotCount *counts, KinfumotModel *models);

/* ---- The correspondence map (2.2, figure 1) ---- */

typedef struct {
  KinfumotMatching matching;
  KinfumotMaps previous; /* of the previous frame; NULL: none */
  KinfumotGrid grid;
  float half_volume; /* metres; 0: no end */
  bool is_signed;    /* KINFUMOT_SIGNED */
} KinfumotClassifyIn;

/* Out: @classes, and @counts of the objects. */
typedef const char *KinfumotClassifyStage (const Device *dev,
    const KinfumotClassifyIn *in, uint8_t *classes, KinfumotCount *counts);

/* Adds outliers that touch an object to that object (3.5, as components are
 * linked).  In: @points.  In and out: @classes.  Scratch: @grown. */
typedef const char *KinfumotGrowStage (const Device *dev,
    const KinfumotPoints *points, uint8_t *grown, uint8_t *classes);

/* Gives the pixels of no object that match @model to it.  In: @matching.  In
 * and out: @classes. */
typedef const char *KinfumotAdoptStage (const Device *dev,
    const KinfumotMatching *matching, int model, uint8_t *classes);

/* Doubts pixels, which the camera of the next frame ignores; not in the paper.
 * In: @matching, @normals; @is_new: there is no previous frame.  In and out:
 * @usual, of each tile the mean distance from the background.  Out: @doubted,
 * of each eight pixels.  Scratch: @shifted, of each tile. */
typedef const char *KinfumotDoubtStage (const Device *dev,
    const KinfumotMatching *matching, const Vec *normals, bool is_new,
    uint8_t *shifted, float *usual, uint8_t *doubted);

/* ---- Fusion and rays (2.1) ---- */

/* Takes the bricks that the frame wants: all, or none if they are more than the
 * pool has.  In: @fusion.  In and out: @pool and @grid.  Out: @ranges, to which
 * the new bricks are added: the next stage may run at the same time and miss
 * them. */
typedef const char *KinfumotAllocateStage (const Device *dev,
    const KinfumotFusion *fusion, KinfumotPool *pool, KinfumotGrid *grid,
    KinfumotRanges *ranges);

/* In: @grid, @poses.  Out: @ranges, to which all bricks in view are added. */
typedef const char *KinfumotRangesStage (const Device *dev,
    const KinfumotPoses *poses, const KinfumotGrid *grid,
    KinfumotRanges *ranges);

typedef struct {
  KinfumotSurface *surfaces; /* of each pixel */
  uint32_t *visible;         /* bricks in view */
  uint32_t *work; /* the number of these; blocks of threads that have fused */
} KinfumotFuseScratch;

/* Fuses a frame into the bricks in view.  In: @fusion.  In and out: voxels of
 * @grid, and when a brick was last in view. */
typedef const char *KinfumotFuseStage (const Device *dev,
    const KinfumotFusion *fusion, KinfumotFuseScratch *scratch,
    KinfumotGrid *grid);

/* Casts the rays.  In: @grid, @poses.  In and out: @ranges, which are empty
 * afterwards: a pass of its own would cost a launch.  Out: @views. */
typedef const char *KinfumotCastStage (const Device *dev,
    const KinfumotPoses *poses, const KinfumotGrid *grid,
    KinfumotRanges *ranges, KinfumotViews *views);

/* In: the views of @matching.  Out: the pictures of @outputs. */
typedef const char *KinfumotDrawStage (const Device *dev,
    const KinfumotMatching *matching, const KinfumotOutputs *outputs);

/* ---- The device ---- */

/* Copies @bytes, a multiple of four, between the device's memory and pinned
 * memory. */
typedef const char *KinfumotPass (
    const Device *dev, void *to, const void *from, size_t bytes);
/* await_mark waits for the work that was queued before the last mark, not for
 * later work. */
typedef const char *KinfumotMark (const Device *dev);
/* The bytes of memory that the device has free. */
typedef const char *KinfumotRoom (const Device *dev, uint64_t *bytes);

typedef struct {
  KinfumotFillStage *fill;
  KinfumotFilterStage *filter;
  KinfumotNormalsStage *normals;
  KinfumotAlignOpen *align_open;
  KinfumotAlignStage *align;
  KinfumotPredictStage *predict;
  KinfumotJudgeStage *judge;
  KinfumotRestStage *rest;
  KinfumotAdvanceStage *advance;
  KinfumotClassifyStage *classify;
  KinfumotGrowStage *grow;
  KinfumotAdoptStage *adopt;
  KinfumotDoubtStage *doubt;
  KinfumotAllocateStage *allocate;
  KinfumotFuseStage *fuse;
  KinfumotRangesStage *ranges;
  KinfumotCastStage *cast;
  KinfumotDrawStage *draw;
  KinfumotPass *pass;
  KinfumotMark *mark, *await_mark;
  KinfumotRoom *room;
} KinfumotStages;

C_BEGIN
extern const KinfumotStages kinfumot_stages_cpu, kinfumot_stages_cuda;

KinfumotFillStage kinfumot_fill_cpu, kinfumot_fill_cuda;
KinfumotFilterStage kinfumot_filter_cpu, kinfumot_filter_cuda;
KinfumotNormalsStage kinfumot_normals_cpu, kinfumot_normals_cuda;
KinfumotAlignOpen kinfumot_align_open_cuda;
KinfumotAlignStage kinfumot_align_cpu, kinfumot_align_cuda;
KinfumotClassifyStage kinfumot_classify_cpu, kinfumot_classify_cuda;
KinfumotGrowStage kinfumot_grow_cpu, kinfumot_grow_cuda;
KinfumotAdoptStage kinfumot_adopt_cpu, kinfumot_adopt_cuda;
KinfumotDoubtStage kinfumot_doubt_cpu, kinfumot_doubt_cuda;
KinfumotAllocateStage kinfumot_allocate_cpu, kinfumot_allocate_cuda;
KinfumotFuseStage kinfumot_fuse_cpu, kinfumot_fuse_cuda;
KinfumotRangesStage kinfumot_ranges_cpu, kinfumot_ranges_cuda;
KinfumotCastStage kinfumot_cast_cpu, kinfumot_cast_cuda;
KinfumotDrawStage kinfumot_draw_cpu, kinfumot_draw_cuda;
C_END
