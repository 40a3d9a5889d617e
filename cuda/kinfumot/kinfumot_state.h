/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a Kinfumot knows on the host, and the parts of it by file. */
#pragma once

#include "common/memory.h"
#include "kinfumot/kinfumot_core.h"

/* What one copy brings to the host when a frame is done. */
typedef struct {
  KinfumotModel models[KINFUMOT_MODELS];
  KinfumotCount counts[KINFUMOT_MODELS];
  KinfumotPool pool;
} KinfumotReport;

/* An earlier frame. */
typedef struct {
  bool known; /* has a camera's pose */
  uint64_t time;
  uint32_t frame;
  KinfumotMaps maps;
  Pose64 camera; /* to the world */
} KinfumotPast;

/* An object, by the number of its model. */
typedef struct {
  uint64_t id; /* 0: the model is nobody's */
  KinfumotState state;
  int age;
  int unseen;             /* frames in a row */
  int poor;               /* frames in a row in which less than half matched */
  int32_t min[3], max[3]; /* mm, of all its points so far */
} KinfumotKnown;

typedef struct {
  uint64_t time;
  uint8_t *mask; /* device memory, rows of `width` bytes */
} KinfumotAsked;

#define KINFUMOT_MAX_ASKED 8

/* What the host looks at for a birth, pinned. */
typedef struct {
  uint8_t *mask, *classes;
  uint16_t *depth;
} KinfumotSeen;

/* A small picture of depth, and where it was taken. */
#define KINFUMOT_SMALL_X 40
#define KINFUMOT_SMALL_Y 30

typedef struct {
  Pose64 camera;
  uint16_t depth[KINFUMOT_SMALL_Y][KINFUMOT_SMALL_X];
} KinfumotKeyframe;

#define KINFUMOT_MAX_KEYFRAMES 2000

struct _Kinfumot {
  Device device;
  Device aside; /* another stream, for what runs beside fusion */
  DeviceMemory memory;
  const KinfumotStages *stages;
  KinfumotWork work;
  KinfumotParams params; /* of the last frame; the camera is 0 before the
                            first */
  bool has_params;
  KinfumotReport *state; /* pinned; of the last frame, and what is uploaded */
  KinfumotReport *there; /* the device's */
  KinfumotRay *rays;     /* pinned */
  uint8_t *range;        /* pinned */
  uint16_t *rows;        /* pinned: KINFUMOT_SMALL_Y rows of depth */

  KinfumotPast past[KINFUMOT_RING]; /* frame f is past[f % KINFUMOT_RING] */
  bool started;                     /* there is a background */
  bool lost;
  bool relocate;
  bool forget;             /* all bricks, before the next frame */
  bool tight;              /* the pool was full */
  Pose64 held;             /* of the last frame whose camera was known */
  bool had_pose;           /* of the frame before: one came with it */
  Pose64 last_pose;        /* that one */
  KinfumotOutputs outputs; /* of this frame */

  KinfumotAsked asked[KINFUMOT_MAX_ASKED];
  int n_asked;
  KinfumotSeen seen;
  KinfumotKnown known[KINFUMOT_MODELS];
  uint64_t last_id;
  KinfumotObject objects[KINFUMOT_MAX_OBJECTS];
  uint64_t late, refused;
  const char *refusal;
  uint32_t dropped, missing;
  char no_room[256]; /* what kinfumot_new () says of too little memory */

  KinfumotKeyframe *keyframes;
  int n_keyframes, keyframes_room;
};

/* kinfumot.c */
/* What models from @first to before @last look like from their cameras. */
const char *kinfumot_look (Kinfumot *self, int first, int last);
/* Room for what @model looks like. */
const char *kinfumot_view_new (Kinfumot *self, int model);
void kinfumot_clear (Kinfumot *self);
/* The number after that of the last model that is followed. */
int kinfumot_models_end (const Kinfumot *self);
/* Frame @frame, where it is remembered and its camera is known; else NULL. */
KinfumotPast *kinfumot_past (Kinfumot *self, uint32_t frame);
/* The box of a frame. */
ImageBox kinfumot_whole (const Kinfumot *self);
/* Queues sending the models to the device, as the host has changed them.  They
 * must not change again until the host has waited. */
const char *kinfumot_upload (Kinfumot *self);
/* Waits, and brings models, counts and pool. */
const char *kinfumot_download (Kinfumot *self);

/* kinfumot_pool.c */
const char *kinfumot_pool_new (Kinfumot *self);
/* Gives back the bricks of @model; -1: of all. */
const char *kinfumot_pool_forget (Kinfumot *self, int model);
/* Gives back the bricks that have been out of view for longest. */
const char *kinfumot_pool_relieve (Kinfumot *self);

/* kinfumot_birth.c */
/* Makes models of what was asked for. */
const char *kinfumot_births (Kinfumot *self);

/* kinfumot_objects.c */
/* What has become of each object after a frame; those that are given up are
 * forgotten. */
const char *kinfumot_objects_update (Kinfumot *self, KinfumotResults *results);
void kinfumot_covariance (const KinfumotModel *m, double covariance[36]);

/* kinfumot_keyframes.c */
/* Keeps the frame where none was kept near its camera. */
const char *kinfumot_keyframe_add (Kinfumot *self);
/* Looks for the camera from the keyframes that are most like the frame; true
 * where it was found: the models are then as after an alignment. */
const char *kinfumot_keyframe_search (Kinfumot *self, bool *found);
