/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Models of rigid objects: what is known of one before it is looked for
 * (thesis, section 1.2).  A model is compiled from a mesh or a cloud of points
 * in seconds, and kept in one file. */
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

/* How a model is made.  Defaults: SCOPEDETECT_COMPILE_DEFAULTS. */
typedef struct {
  double unit;    /* metres a unit of the file; default 1.  Nothing is guessed:
                     what    is too large or too small is refused, with a hint */
  double spacing; /* of points, metres; default 0.004 */
  double feature_radius; /* of FPFH, metres; default 0.02, found best for
                            objects of 10 to 20 cm */
  double normal_radius;  /* of normals, where the file has none, metres; default
                            0.01 */
  uint64_t seed;         /* of what is drawn at random */
  bool (*progress) (void *user, double part); /* called with 0 to 1; false
                                                 stops.  NULL: nobody */
  /* Called where the points of a cloud, @apart metres from each other, are too
   * few for the spacing, and the surface between them is filled in.  NULL:
   * nobody. */
  void (*filled) (void *user, double apart);
  void *user;
} ScopedetectCompile;

#define SCOPEDETECT_COMPILE_DEFAULTS \
 { \
  .unit = 1, .spacing = .004, .feature_radius = .02, .normal_radius = .01 \
 }

/* What is larger is refused, with a hint at units; so is what is smaller. */
#define SCOPEDETECT_MAX_DIAMETER 2.
#define SCOPEDETECT_MIN_DIAMETER .01

typedef struct _ScopedetectModel ScopedetectModel;

/* What a model says of itself. */
typedef struct {
  char name[64];
  uint32_t n_points;
  double diameter;                /* largest distance of two points, metres */
  double size[3];                 /* of the box along its axes, metres */
  double spacing, feature_radius; /* metres */
  double feature_sigma; /* square root of the trace of the covariance of its
                           FPFH (1.2) */
  uint32_t
      n_symmetries; /* turns that it looks alike after, the first is none */
  bool has_colour;
  bool has_axis; /* it looks alike after any turn about one axis */
} ScopedetectModelInfo;

/* Compiles @mesh.  @name is cut to 63 bytes; a byte of it that is no UTF-8
 * becomes a question mark, here and in what is read from a file.  After an
 * error, @model is NULL, here and below. */
const char *scopedetect_model_compile (ScopedetectModel **model,
    const Mesh *mesh, const char *name, const ScopedetectCompile *how);
void scopedetect_model_free (ScopedetectModel *model);
void scopedetect_model_info (
    const ScopedetectModel *model, ScopedetectModelInfo *info);

/* The file: little endian, with a version and a checksum, at most 256 MiB.
 * What is cut off, changed or of another version is refused. */
const char *scopedetect_model_save (
    const ScopedetectModel *model, const char *path);
const char *scopedetect_model_load (ScopedetectModel **model, const char *path);

/* The same in memory; @bytes of save are the caller's to free (). */
const char *scopedetect_model_write (
    const ScopedetectModel *model, uint8_t **bytes, size_t *n);
const char *scopedetect_model_parse (
    ScopedetectModel **model, const uint8_t *bytes, size_t n);

/* How far two poses of the model are apart, metres: the mean distance of its
 * points (ADD), and of each to the nearest one in the other pose (ADD-S).
 * Poses as in ScopedetectObject. */
void scopedetect_model_distance (const ScopedetectModel *model,
    const double pose[7], const double truth[7], double *add, double *add_s);

C_END
