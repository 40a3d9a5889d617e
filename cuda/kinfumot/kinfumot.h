/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reconstruction of a static scene and of the objects that move in it, from
 * depth frames: KinectFusion with moving objects.
 *
 * Papers: R. Newcombe and others, "KinectFusion: Real-Time Dense Surface
 * Mapping and Tracking", ISMAR 2011; M. Korn, D. Sanders, J. Pauli, "Moving
 * Object Detection by Connected Component Labeling of Point Cloud Registration
 * Outliers on the GPU", VISAPP 2017.  The sections named in this folder are
 * those of the second.
 *
 * Camera coordinates: x right, y down, z forward, metres.  The world is the
 * first camera, or that of the pose which came with its frame. */
#pragma once

#include "common/device.h"
#include "common/image.h"
#include "common/param.h"
#include "common/pose_core.h"
#include "mesh/mesh.h"

C_BEGIN

/* The class of a pixel in the correspondence map (figure 1). */
typedef enum {
  KINFUMOT_MISSING,           /* no depth, or more than KINFUMOT_FAR */
  KINFUMOT_INLIER,            /* within 2 cm of a model */
  KINFUMOT_POTENTIAL_OUTLIER, /* 2 to 3.5 cm before its surface */
  KINFUMOT_OUTLIER,           /* farther before it, in space seen free, or on
                                 a surface that has moved away */
  KINFUMOT_NO_CORRESPONDENCE, /* no model, or its surface is gone */
  KINFUMOT_OUT_OF_VOLUME,
} KinfumotClass;

typedef enum {
  KINFUMOT_SIGNED,   /* what comes into view behind a surface is uncovered
                        background */
  KINFUMOT_UNSIGNED, /* the paper's: the distance alone decides */
} KinfumotDistance;

/* How the pose that comes with a frame is used. */
typedef enum {
  KINFUMOT_ESTIMATE, /* ignored */
  KINFUMOT_PRIOR,    /* its change starts the estimate */
  KINFUMOT_GIVEN,    /* taken as it is */
  KINFUMOT_STILL,    /* ignored; the camera stays where it is */
} KinfumotPoseUse;

#define KINFUMOT_MAX_SIDE 4096 /* of a frame, pixels */
#define KINFUMOT_MAX_OBJECTS 8 /* models beside the background's */
#define KINFUMOT_FAR 8         /* depth ends here, metres */
#define KINFUMOT_MAX_PLACE 1e6 /* of a camera that is given, metres */
#define KINFUMOT_UNITS 8192    /* of KinfumotResults.depth, a metre */
#define KINFUMOT_RING 8        /* frames that a birth may reach back */

/* Ranges and defaults: kinfumot_params. */
typedef struct {
  double depth_scale; /* metres a unit of depth */
  double voxel_size;  /* metres; read by kinfumot_new () alone, as are the next
                         three */
  double truncation;  /* metres: a surface's distance is known so far from it */
  double volume_size; /* side of the cube that is mapped, metres; 0: no end */
  int max_memory;     /* of all bricks together, MiB */
  int max_weight;     /* frames that a voxel's mean remembers */
  double max_angle;   /* between normals that correspond, degrees */
  double noise;       /* 1/m: depth z is known within noise z^2 */
  KinfumotDistance distance;
  KinfumotPoseUse pose;
  int max_objects;  /* models beside the background's */
  int min_size;     /* points that a new object has, with normals */
  int retire_after; /* frames in a row in which less than half of an object
                       matches, after which it is given up */
  int ring;         /* frames before its birth that an object is fused from */
  Camera camera;
} KinfumotParams;

/* A frame of depth in the device's memory; 0 and 65535 are no depth. */
typedef struct {
  const uint16_t *depth;
  int stride;    /* bytes, even */
  uint64_t time; /* by which kinfumot_birth () names the frame */
  bool has_pose;
  Pose64 pose; /* camera to world; one that is not finite, has a
                        quaternion of 0 or a coordinate above KINFUMOT_MAX_PLACE
                        counts as none */
} KinfumotFrame;

/* Where a frame's maps are written to: memory of the device, strides in bytes;
 * NULL: not wanted. */
typedef struct {
  uint8_t *map; /* class and model of each pixel */
  size_t map_stride;
  uint16_t *depth; /* filtered, 1 / KINFUMOT_UNITS m; 0: none */
  size_t depth_stride;
  uint8_t *rgb; /* the models as the camera sees them, lit from it, each in a
                   colour of its own */
  size_t rgb_stride;
  float *normals; /* their unit normals in camera coordinates, NaN without a
                     surface */
  size_t normals_stride;
} KinfumotOutputs;

typedef enum {
  KINFUMOT_NEW,      /* born in this frame */
  KINFUMOT_TRACKING, /* seen and followed */
  KINFUMOT_OCCLUDED, /* not seen; its motion goes on */
  KINFUMOT_LOST,     /* not seen for more than KINFUMOT_PATIENCE frames */
  KINFUMOT_FOUND,    /* was lost, and is seen again */
} KinfumotState;

#define KINFUMOT_PATIENCE 5

/* A moving object.  Pixels; boxes half-open. */
typedef struct {
  uint64_t id; /* from 1, never used again by this Kinfumot */
  int model;   /* its number in the map, 1 to KINFUMOT_MAX_OBJECTS */
  KinfumotState state;
  Pose64 pose;      /* object to camera, */
  Pose64 in_world;  /* and to the world */
  double middle[3]; /* of what was seen of it, camera coordinates */
  double extent[3]; /* likewise, metres along its own axes */
  ImageBox box;     /* all 0 where it is not seen, as is area */
  uint32_t area;    /* pixels that match it */
  double score;     /* share of its pixels that match, 0 to 1 */
  int age;          /* frames since it was born; those without a pose of the
                       camera are not counted */
  unsigned weak;    /* bit i: direction i could not be determined */
  double covariance[36]; /* of the pose: translation, then rotation about the
                            middle of the points seen; m, rad */
} KinfumotObject;

typedef struct {
  bool lost;        /* the camera's pose is not known; nothing was fused */
  bool no_pose;     /* params.pose asks for a pose, and none came */
  const char *loss; /* why, and what helps; NULL unless lost */
  Pose64 camera; /* camera to world, of the last frame whose camera is known */
  double residual; /* root mean square of the distances to the model, m */
  double matched;  /* share of the pixels with depth that match */
  unsigned weak;   /* as KinfumotObject.weak, of the camera */
  const KinfumotObject *objects;
  int n_objects;
  uint32_t n_bricks, max_bricks; /* in use, as far as is known by now */
  uint32_t dropped;              /* bricks that gave way in this frame */
  uint32_t missing;    /* bricks for which there was no room all the same */
  uint64_t late;       /* births that came too late, or for no known frame */
  uint64_t refused;    /* births that could not become a model */
  const char *refusal; /* why one of this frame could not; NULL */
  const uint8_t *map;  /* device memory: class and model of each pixel, rows of
                          2 width bytes */
  const uint16_t *depth; /* device memory: filtered, 1 / KINFUMOT_UNITS m */
} KinfumotResults;

/* A row for each of them, in the order in which they are shown. */
extern const Param kinfumot_params[];
KinfumotParams kinfumot_defaults (void);

typedef struct _Kinfumot Kinfumot;

/* For frames of @width x @height pixels, 1 to KINFUMOT_MAX_SIDE each.  An error
 * is *@self's and valid until kinfumot_free (), which is due all the same. */
const char *kinfumot_new (Kinfumot **self, const Device *device,
    const KinfumotParams *params, int width, int height);
void kinfumot_free (Kinfumot *self);

/* NULL, or what is wrong with @params. */
const char *kinfumot_check (const KinfumotParams *params);

/* NULL, or why @camera cannot have taken frames of that size. */
const char *kinfumot_check_camera (const Camera *camera, int width, int height);

/* Follows the camera and the objects, writes @outputs, which may be NULL, and
 * fuses the frame into the models.  The device may still be at the last of
 * these when the call returns, unless @outputs has pictures of the models; a
 * pool that it fills is then told with the next frame.  @results stay valid
 * until the next call. */
const char *kinfumot_run (Kinfumot *self, const KinfumotParams *params,
    const KinfumotFrame *frame, const KinfumotOutputs *outputs,
    KinfumotResults *results);

/* The pixels where @mask, memory of the device, is not 0 in the frame of @time
 * are an object.  To be called before kinfumot_run (), which makes a model of
 * them; the mask is copied.  A mask that a living model has already is
 * ignored, one that leaves less than a quarter of the pixels is refused. */
const char *kinfumot_birth (
    Kinfumot *self, uint64_t time, const uint8_t *mask, size_t stride);

/* The next frame may be from anywhere: the camera is looked for in the map. */
void kinfumot_relocate (Kinfumot *self);
/* Forgets all models. */
void kinfumot_reset (Kinfumot *self);

/* Adds the surfaces of all models to @mesh, which may be empty: in the world's
 * coordinates as of the last frame, metres, each model in the colour that
 * KinfumotOutputs.rgb has lit.  Waits for the device, and takes as much memory
 * of the host as the bricks in use.  After an error some models may be missing;
 * mesh_free () is the caller's. */
const char *kinfumot_mesh (Kinfumot *self, Mesh *mesh);

C_END
