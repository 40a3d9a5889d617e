/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The state of a Kinfumot, and the functions that its files share. */
#pragma once

#include "common/memory.h"
#include "kinfumot/kinfumot_stages.h"

/* The numbers that the host reads after a frame, in one copy. */
typedef struct {
  KinfumotModel models[KINFUMOT_MODELS];
  KinfumotCount counts[KINFUMOT_MODELS];
  uint32_t n_points; /* pixels with a normal */
  KinfumotPoolCounts pool;
} KinfumotReport;

/* An earlier frame. */
typedef struct {
  bool known; /* its camera's pose is known */
  uint64_t time;
  uint32_t frame;
  KinfumotMaps maps;
  Pose64 camera; /* to the world */
} KinfumotPast;

/* An object, by the number of its model. */
typedef struct {
  uint64_t id; /* 0: no object has the model */
  KinfumotState state;
  int age;
  int unseen;             /* frames in a row */
  Pose64 born;            /* to the world, at its birth */
  int away;               /* frames in a row in which it is away from there */
  bool strayed;           /* it has left its place by more than its error */
  int poor;               /* frames in a row in which less than half matched */
  int32_t min[3], max[3]; /* mm, of all its points so far */
} KinfumotTrack;

/* A birth that the caller asks for. */
typedef struct {
  uint64_t time;
  uint8_t *mask; /* device memory, rows of `width` bytes */
} KinfumotRequest;

#define KINFUMOT_MAX_REQUESTS 8

/* A small picture of depth, and the camera's pose. */
#define KINFUMOT_SMALL_X 40
#define KINFUMOT_SMALL_Y 30

typedef struct {
  Pose64 camera;
  uint16_t depth[KINFUMOT_SMALL_Y][KINFUMOT_SMALL_X];
} KinfumotKeyframe;

#define KINFUMOT_MAX_KEYFRAMES 2000

/* Frames from which on a camera rests; in its first frame it is taken to. */
#define KINFUMOT_RESTED 5

/* Pointers are to memory of the device; a name that begins with `host` is a
 * pointer to pinned memory of the host. */
struct _Kinfumot {
  Device device;
  Device aside; /* another stream, for work beside fusion */
  DeviceMemory memory;
  const KinfumotStages *stages;
  KinfumotParams params; /* of the last frame; before the first, the camera is 0
                          */
  bool has_params;
  KinfumotOutputs outputs; /* of this frame */

  /* The frame. */
  uint32_t frame; /* its number, from 1 */
  KinfumotOptics optics;
  KinfumotRay *rays, *host_rays;
  KinfumotInput input;
  bool fills;       /* the depth is a grid of holes, which are filled */
  uint16_t *filled; /* the frame as it came, without holes */
  uint8_t *weights, *host_weights; /* of the filter */
  KinfumotMaps now;
  KinfumotMaps previous; /* of the previous frame; NULL: none */
  KinfumotNormals normals;
  KinfumotPast past[KINFUMOT_RING]; /* frame f is past[f % KINFUMOT_RING] */

  /* The models. */
  KinfumotReport *device_report;
  KinfumotReport *host_report; /* of the last frame, and what is uploaded */
  int n_models;                /* on the device: from here on all are asleep */
  KinfumotViews views;
  KinfumotRanges ranges; /* empty before an allocation and after the rays */
  KinfumotGrid grid;
  KinfumotPool pool;
  float *usual;     /* of each tile: the mean distance from the background, by
                       the limit of a match; KINFUMOT_UNUSUAL: unknown */
  uint8_t *doubted; /* of each eight pixels: the next frame's camera ignores
                       them */

  /* Scratch, each of one stage. */
  KinfumotAlignScratch align;
  uint8_t *grown, *shifted;
  KinfumotFuseScratch fuse;

  /* The camera. */
  bool has_background;
  bool lost;
  bool relocate;          /* the camera is searched for in the next frame */
  Pose64 known_camera;    /* of the last frame whose camera is known */
  bool no_pose;           /* the frame lacks a pose that is wanted */
  bool previous_had_pose; /* a pose was given with the previous frame: */
  Pose64 previous_pose;
  int rested; /* frames in a row in which the camera was at rest */
  KinfumotModel before[KINFUMOT_MODELS]; /* the models before the frame */
  KinfumotRestTile *rest_tiles, *host_rest_tiles; /* the latter pinned */
  char loss[256];                                 /* why the camera is lost */
  KinfumotKeyframe *keyframes;                    /* memory of the host */
  int n_keyframes, keyframes_room;
  uint16_t *host_rows; /* KINFUMOT_SMALL_Y rows of depth */

  /* The pool. */
  bool forget_all; /* all bricks, before the next frame */
  bool was_full;
  uint32_t dropped, missing; /* bricks, in this frame */
  char no_room[256]; /* the error of kinfumot_new () if memory is too little */

  /* The objects. */
  KinfumotRequest requests[KINFUMOT_MAX_REQUESTS];
  int n_requests;
  uint8_t *host_mask; /* of a birth, with the maps of its frame */
  KinfumotMaps host_maps;
  KinfumotTrack tracks[KINFUMOT_MODELS];
  uint64_t last_id;
  KinfumotObject objects[KINFUMOT_MAX_OBJECTS];
  uint64_t late, refused;
  const char *refusal;
};

/* kinfumot_state.c */
/* Memory for the view of @model. */
const char *kinfumot_view_new (Kinfumot *self, int model);
/* Forgets the models, but for their bricks, and the earlier frames. */
void kinfumot_clear (Kinfumot *self);
/* The number after the last model that is not asleep on the host. */
int kinfumot_models_end (const Kinfumot *self);
/* Frame @frame, if it is remembered and its camera is known; else NULL. */
KinfumotPast *kinfumot_past (Kinfumot *self, uint32_t frame);
ImageBox kinfumot_whole_box (const Kinfumot *self);
/* Queues a copy of the host's models to the device.  The host must not change
 * them until it has waited. */
const char *kinfumot_upload (Kinfumot *self);
/* Copies the report to the host, and waits. */
const char *kinfumot_download (Kinfumot *self);
/* The frame of @maps, and the models and views on the device. */
KinfumotMatching kinfumot_matching (
    const Kinfumot *self, const KinfumotMaps *maps);
/* The frame of @maps for models from @first to before @last; @mask: of a birth,
 * or NULL. */
KinfumotFusion kinfumot_fusion (const Kinfumot *self, const KinfumotMaps *maps,
    const uint8_t *mask, int first, int last);
/* Aligns models from @first to before @last to this frame. */
const char *kinfumot_align_frame (Kinfumot *self, int first, int last);
/* Casts the views of models from @first to before @last. */
const char *kinfumot_cast_views (Kinfumot *self, int first, int last);

/* kinfumot_lens.c */
/* Sets the lens and the spacing of @optics to those of @camera, and @rays to
 * the ray of each pixel. */
void kinfumot_set_lens (
    KinfumotOptics *optics, const Camera *camera, KinfumotRay *rays);

/* kinfumot_pool.c */
/* All bricks are unused. */
const char *kinfumot_pool_clear (Kinfumot *self);
/* Gives back the bricks of @model; -1: of all. */
const char *kinfumot_pool_forget (Kinfumot *self, int model);
/* Gives back the bricks that have been out of view for longest. */
const char *kinfumot_pool_relieve (Kinfumot *self);
/* Likewise, if the last allocation has filled the pool. */
const char *kinfumot_pool_relieve_full (Kinfumot *self);

/* kinfumot_birth.c */
/* Makes models of the requests. */
const char *kinfumot_births (Kinfumot *self);

/* kinfumot_objects.c */
/* Updates the track of each object after a frame; objects that are given up are
 * forgotten. */
const char *kinfumot_objects_update (Kinfumot *self, KinfumotResults *results);

/* kinfumot_camera.c */
/* Whether the camera has rested, so that its estimate is to be compared with
 * its pose of rest. */
bool kinfumot_may_rest (const Kinfumot *self);
/* Compares them, once the report is there.  @stays: the camera rests, but
 * bodies that move have pulled its estimate away, or leave too little to
 * estimate it by; the models are then as after an alignment that found it at
 * rest. */
const char *kinfumot_rest_keep (Kinfumot *self, bool *stays);
/* Keeps the frame if none is kept near its camera. */
const char *kinfumot_keyframe_add (Kinfumot *self);
/* Searches for the camera from the keyframes that are most like the frame.
 * @found: the models are then as after an alignment. */
const char *kinfumot_keyframe_search (Kinfumot *self, bool *found);
/* Sets `loss`, of a frame that was searched for; @estimate: the background as
 * the alignment left it. */
const char *kinfumot_loss_describe (
    Kinfumot *self, const KinfumotModel *estimate);
