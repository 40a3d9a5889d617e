/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Connected components of a mask, of a correspondence map or of a depth frame,
 * in which neighbours are connected only if their depths are close; and the
 * decision which components are moving objects.
 *
 * Paper: M. Korn, D. Sanders, J. Pauli, "Moving Object Detection by Connected
 * Component Labeling of Point Cloud Registration Outliers on the GPU", VISAPP
 * 2017.  The sections named in this folder are that paper's. */
#pragma once

#include "common/device.h"
#include "common/image.h"
#include "common/param.h"
#include "common/pose_core.h"

C_BEGIN

/* Classes of a pixel in the correspondence map (figure 1).  Outliers and
 * potential outliers are the foreground (section 2.3). */
typedef enum {
  GPUCCL_MISSING,           /* no depth */
  GPUCCL_INLIER,            /* matched, within 2 cm of a model */
  GPUCCL_POTENTIAL_OUTLIER, /* matched, 2 to 3.5 cm away */
  GPUCCL_OUTLIER,           /* farther away; the angle does not count */
  GPUCCL_NO_CORRESPONDENCE, /* the models have a hole here */
  GPUCCL_OUT_OF_VOLUME,     /* the models end before this point */
  GPUCCL_N_CLASSES
} GpucclClass;

/* The source of the foreground.  If there is depth, a pixel without depth is
 * background whatever its class. */
typedef enum {
  GPUCCL_CLASSES, /* potential outliers and outliers of a correspondence map */
  GPUCCL_MASK,    /* a mask whose value is at least the threshold */
  GPUCCL_DEPTH_ONLY /* every pixel with depth */
} GpucclSource;

/* The greys of a mask: values near neither 0 nor 255, also where video's black
 * is 16 and white 235, and not a shadow as MOG2 marks it. */
#define GPUCCL_FIRST_GREY 64
#define GPUCCL_N_GREYS 128
#define GPUCCL_SHADOW 127

/* A frame in the device's memory.  Pixel (x, y) of the map is
 * map[y * map_stride + x * map_step]. */
typedef struct {
  int width, height;
  GpucclSource source;
  const uint8_t *map;    /* classes or mask; NULL for GPUCCL_DEPTH_ONLY */
  int map_stride;        /* bytes */
  int map_step;          /* bytes: 1, 2 (class, model id), or 4 (alpha) */
  const uint16_t *depth; /* NULL: no depth.  0 is missing */
  int depth_stride;      /* bytes, even */
  bool count_greys;      /* whether GpucclResults.n_unknown has the greys of a
                            mask */
} GpucclFrame;

/* Algorithms for the components.  All give the same labels. */
typedef enum {
  GPUCCL_RUN,                        /* runs and union-find */
  GPUCCL_LABEL_EQUIVALENCE,          /* Hawick and others (3.1) */
  GPUCCL_IMPROVED_LABEL_EQUIVALENCE, /* Kalentev and others (3.2) */
  GPUCCL_HIERARCHICAL,               /* Stava and Benes (3.3) */
} GpucclAlgorithm;

typedef enum {
  GPUCCL_COMPONENTS, /* section 3.5 */
  GPUCCL_WINDOW,     /* the earlier detection (2.3): an outlier counts if 90 %
                        of the 51 x 51 pixels around it are outliers, as do all
                        outliers in the 19 x 19 pixels around such an outlier.
                        Together they are one component, whose only criterion is
                        persistence */
} GpucclDetector;

typedef enum {
  GPUCCL_NO_FILTER,
  GPUCCL_BILATERAL, /* depth is smoothed first: 7 x 7 pixels, sigma 4.5 pixels
                       and 4 cm, without missing neighbours */
} GpucclFilter;

/* How an object is recognised in the next frame. */
typedef enum {
  GPUCCL_MATCH_AUTO,  /* in space if depth and camera are known, else in the
                         image */
  GPUCCL_MATCH_NONE,  /* any candidate continues any object (2.3) */
  GPUCCL_MATCH_IMAGE, /* by position, area and shape, pixels */
  GPUCCL_MATCH_SPACE, /* by position, area and shape in metres: in the world if
                         the poses of both frames are known, else in the
                         camera's coordinates */
} GpucclMatch;

/* Limits of a camera, whose principal point is at -16384 to 32767, so that
 * positions are finite; and of a pose, so that a double's step is 10^-7 m. */
#define GPUCCL_MIN_FOCAL 1e-3 /* pixels */
#define GPUCCL_MAX_FOCAL 1e9
#define GPUCCL_MAX_FAR 1e9 /* metres from 0 */

#define GPUCCL_MAX_SIDE 16384      /* of a frame, pixels */
#define GPUCCL_MAX_COMPONENTS 4096 /* that are reported */
/* The most candidates: the largest components, to which the criteria apply. */
#define GPUCCL_CANDIDATES 8

/* Meanings, ranges and defaults: gpuccl_params.c. */
typedef struct {
  GpucclAlgorithm algorithm;
  GpucclDetector detector;
  GpucclFilter filter; /* no effect without depth */
  int connectivity;    /* 3.3 */
  int threshold;
  int skip_checks; /* 3.5.2 */

  double depth_scale;
  /* Section 3.5.  At depth z of the nearer pixel, the limit is the larger of
   * max_depth_step and depth_step_k z^2.  A Kinect's steps are z^2 / 351 m. */
  double max_depth_step, depth_step_k;

  uint32_t min_area;
  int max_components;

  int max_candidates;
  uint32_t min_size; /* criterion 1.  The default was found at 640 x 480 (4.1)
                        and is not scaled to other sizes */
  double min_fill;   /* criterion 2, of equation 1 */
  double min_extent; /* criterion 3, of equation 2 */
  /* Criteria 1 to 3 refined (5): by area and sides in metres, which suit frames
   * of any size, and by the component's rectangle, however it is turned. */
  double min_surface, min_box_fill, min_side, min_side_pixels;

  int frames; /* 2.3 */
  GpucclMatch match;
  double match_distance, match_pixels, match_ratio; /* of equation 2 */

  bool has_camera, has_pose; /* false by default */
  Camera camera;             /* its distortion is ignored */
  Pose64 pose;               /* of this frame, from camera to world */
} GpucclParams;

/* The sums over a component's pixels: integers, the same on every backend.
 * Depth, u and v are 0 without depth; u and v are 0 without a camera, too. */
typedef struct {
  uint32_t label, area;
  unsigned long long x, y, z;    /* sums below 2^44: 2^28 pixels of 16 bits */
  unsigned long long xx, xy, yy; /* of products, below 2^56 */
  ImageBox box;
  uint32_t min_z, max_z;
  int32_t min_u, max_u; /* (x - cx) z: pixels times units of depth */
  int32_t min_v, max_v; /* (y - cy) z */
} GpucclSum;

typedef enum {
  GPUCCL_REJECTED, /* for a reason */
  GPUCCL_NEW,      /* meets the criteria, but not in enough frames yet */
  GPUCCL_ACCEPTED, /* a moving object */
} GpucclState;

typedef enum {
  GPUCCL_NO_REASON,
  GPUCCL_SIZE,        /* criterion 1, or min_surface */
  GPUCCL_FILL,        /* criterion 2, or min_box_fill */
  GPUCCL_EXTENT,      /* criterion 3, or one of min_side */
  GPUCCL_RANK,        /* large enough, but not one of the max_candidates
                         largest */
  GPUCCL_PERSISTENCE, /* with GPUCCL_NEW: too few frames so far */
  GPUCCL_SURFACE,     /* with GPUCCL_DEPTH_ONLY: the component meets the
                         criteria, but depth alone does not tell what moves */
} GpucclReason;

/* A component.  Pixels; y down; boxes half-open. */
typedef struct {
  GpucclSum sum;
  double cx, cy;      /* centroid */
  double depth;       /* mean, metres; 0 if unknown */
  bool in_space;      /* the next two are known, because depth and camera are */
  double position[3]; /* metres, camera coordinates: on the ray of the centroid,
                         at the mean depth */
  double extent[3];   /* metres, along x, y and z of the camera */
  GpucclState state;
  GpucclReason reason;
  bool measured; /* the next seven are known, because the component is a
                    candidate */
  double fill;   /* equation 1; 0 if it would divide by 0 */
  double mean_width, mean_height; /* equation 2, pixels */
  double sides[2]; /* of the rectangle with the same second moments, the longer
                      side first, pixels */
  double box_fill; /* area, divided by that of the rectangle: 1 for a filled
                      rectangle, pi / 3 for a filled ellipse */
  double metric_sides[2], surface; /* if in_space: sides in metres and area in
                                      square metres, as if the component faced
                                      the camera at its mean depth; else 0 */
  int frames;  /* number of frames in a row, including this one, in which the
                  object met the criteria; 0 if it did not */
  uint64_t id; /* from 1; a Gpuccl uses each id once.  0 if the component does
                  not meet the criteria */
} GpucclComponent;

typedef struct {
  const GpucclComponent *components; /* by area, largest first; by label if
                                        areas are equal */
  int n_components;
  int accepted;      /* index of the largest accepted component; -1: none is
                        accepted */
  uint32_t n_labels; /* number of components, including those that are not
                        reported */
  uint32_t largest_label, largest_area; /* 0, 0 without components; of equal
                                           areas the smallest label counts */
  uint32_t n_left_out;    /* number of components of min_area pixels beyond
                             max_components */
  uint32_t n_unknown;     /* number of pixels of unknown class, which are
                             background, or of greys */
  int iterations;         /* of label equivalence; else 0 */
  const uint32_t *labels; /* device memory, rows of width labels: 0 for
                             background, else 1 + the smallest y * width + x of
                             the component */
} GpucclResults;

/* A row for each param, in the order in which they are shown. */
extern const Param gpuccl_params[];
GpucclParams gpuccl_defaults (void);

typedef struct _Gpuccl Gpuccl;

/* Makes a Gpuccl for frames of @width x @height pixels, 1 to GPUCCL_MAX_SIDE
 * each. */
const char *gpuccl_new (
    Gpuccl **self, const Device *device, int width, int height);
void gpuccl_free (Gpuccl *self);

/* Returns NULL, or what is wrong with @params for frames of @source, with or
 * without depth.  An element calls this before the first frame. */
const char *gpuccl_check (
    const GpucclParams *params, GpucclSource source, bool depth);

/* Finds components and objects.  @results stay valid until the next call. */
const char *gpuccl_run (Gpuccl *self, const GpucclParams *params,
    const GpucclFrame *frame, GpucclResults *results);

/* As gpuccl_run (); also copies the label map to @labels, as gpuccl_labels ()
 * does.  The wait for the results includes the copy. */
const char *gpuccl_run_with_labels (Gpuccl *self, const GpucclParams *params,
    const GpucclFrame *frame, uint32_t *labels, size_t stride,
    GpucclResults *results);

/* Queues the device's part of gpuccl_run () alone, and neither waits nor
 * decides; benchmarks call it. */
const char *gpuccl_queue (
    Gpuccl *self, const GpucclParams *params, const GpucclFrame *frame);

/* Forgets the objects of earlier frames, as is right after a seek. */
void gpuccl_reset (Gpuccl *self);

/* Queues a copy of the last frame's label map to @labels, @stride in bytes:
 * memory of the device, or of the host, which must wait before it reads. */
const char *gpuccl_labels (Gpuccl *self, uint32_t *labels, size_t stride);

/* Queues writing to @mask, memory of the device, @stride in bytes: 255 for the
 * pixels that have @label in the last frame, else 0. */
const char *gpuccl_mask (
    Gpuccl *self, uint32_t label, uint8_t *mask, size_t stride);

/* The ellipse with the second moments of @sum: the angle from the x axis to its
 * major axis, radians, in (-pi/2, pi/2], positive towards y; and major over
 * minor axis. */
void gpuccl_sum_shape (
    const GpucclSum *sum, double *orientation, double *elongation);

/* Returns "size", "fill", "extent", "rank", "persistence" or "surface"; NULL
 * without a reason. */
const char *gpuccl_reason_name (GpucclReason reason);

C_END
