/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Models of rigid objects (thesis, section 1.2). A model is compiled from a
 * mesh or a cloud of points in seconds, and kept in a file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/both.h"
#include "mesh/mesh.h"

C_BEGIN

#define SCOPEDETECT_MAX_MODEL_POINTS 16384
#define SCOPEDETECT_VIEWS 66          /* around the object (1.2) */
#define SCOPEDETECT_MAX_SYMMETRIES 64 /* poses that look alike */

/* Parameters of compilation. Defaults: SCOPEDETECT_COMPILE_DEFAULTS. */
typedef struct {
  double
      unit; /* metres a unit of the file; default 1. It is not guessed: objects
               that are too large or too small are refused, with a hint */
  double spacing;        /* of points, metres; default 0.004 */
  double feature_radius; /* of FPFH, metres; default 0.02, the best one for
                            objects of 10 to 20 cm */
  double normal_radius;  /* of computed normals, metres; default 0.01 */
  uint64_t seed;         /* of random numbers */
  bool (*progress) (
      void *user, double part); /* called with 0 to 1; if it returns false,
                                   compilation stops. NULL: no calls */
  /* Called if a cloud's points, @apart metres from each other, are too few for
   * the spacing, so that the surface between them is filled in. NULL: none. */
  void (*filled) (void *user, double apart);
  void *user;
} ScopedetectCompile;

#define SCOPEDETECT_COMPILE_DEFAULTS \
 { \
  .unit = 1, .spacing = .004, .feature_radius = .02, .normal_radius = .01 \
 }

/* Objects outside these limits are refused, with a hint at units. */
#define SCOPEDETECT_MAX_DIAMETER 2.
#define SCOPEDETECT_MIN_DIAMETER .01

typedef struct _ScopedetectModel ScopedetectModel;

/* Properties of a model. */
typedef struct {
  char name[64];
  uint32_t n_points;
  double diameter;                /* maximum distance of two points, metres */
  double size[3];                 /* of the box along its axes, metres */
  double spacing, feature_radius; /* metres */
  double
      feature_sigma; /* square root of the trace of FPFH's covariance (1.2) */
  uint32_t n_symmetries; /* poses that look alike; the first is the identity */
  bool has_colour;
  bool has_axis; /* a rotation about one axis cannot be seen */
} ScopedetectModelInfo;

/* Compiles @mesh. @name is cut to 63 bytes; bytes that are no UTF-8 become
 * question marks, here and in files. Errors set @model to NULL, here and below.
 */
const char *scopedetect_model_compile (ScopedetectModel **model,
    const Mesh *mesh, const char *name, const ScopedetectCompile *how);
void scopedetect_model_free (ScopedetectModel *model);
void scopedetect_model_info (
    const ScopedetectModel *model, ScopedetectModelInfo *info);
/* Why a model of @info cannot be searched for with one of @first, or NULL: the
 * features of the scene are made once, for all models. */
const char *scopedetect_check_model_info (
    const ScopedetectModelInfo *first, const ScopedetectModelInfo *info);

/* Save and load a model file: little endian, with version and checksum, at most
 * 256 MiB. Files that are cut off, changed or of another version are refused.
 */
const char *scopedetect_model_save (
    const ScopedetectModel *model, const char *path);
const char *scopedetect_model_load (ScopedetectModel **model, const char *path);

/* Write and parse a model file in memory. The caller frees @bytes. */
const char *scopedetect_model_write (
    const ScopedetectModel *model, uint8_t **bytes, size_t *n);
const char *scopedetect_model_parse (
    ScopedetectModel **model, const uint8_t *bytes, size_t n);

/* The distances of two poses of a model, metres: the mean distance of its
 * points (ADD), and of each point to the nearest one in the other pose (ADD-S).
 * Poses are as in ScopedetectObject. */
void scopedetect_model_distance (const ScopedetectModel *model,
    const double pose[7], const double truth[7], double *add, double *add_s);

C_END
