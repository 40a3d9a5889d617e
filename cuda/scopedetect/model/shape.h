/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The arrays of a model, and the steps of its compilation. */
#pragma once

#include "common/pose_core.h"
#include "scopedetect/scopedetect_cloud_core.h"
#include "scopedetect/model/model.h"

#define SCOPEDETECT_EDGE_STEP .0005f /* metres a unit of ved */

/* A model's arrays, in host or device memory, one allocation each. Points are
 * in random order, so that the first n are a random choice. */
typedef struct {
  int n, n_edges, n_symmetries;
  float spacing, feature_radius, feature_sigma, diameter;
  bool has_colour, has_axis;
  Vec centre;    /* of mass of the points */
  float radius;  /* of the ball about the centre that holds all points */
  Vec low, high; /* corners of the box */
  Vec axis;      /* of has_axis, through the centre */
  Vec *x, *normal, *lab; /* lab: NULL without colour */
  Quat *frame;
  int16_t *code;                 /* FPFH, SCOPEDETECT_CODE a point */
  float *pc1, *pc2, *normal_var; /* normal_var: 1 - length of the mean normal */
  uint8_t *ved; /* [view][point]: distance to the nearest range edge in the
                   view, in SCOPEDETECT_EDGE_STEP, at most 255 */
  uint32_t *edge_first; /* of each view, and the end */
  uint32_t *edge;       /* points on a range edge, view by view */
  Pose *symmetry;       /* the first is the identity */
  /* Cells with the side of the spacing: the number of the nearest point;
   * UINT16_MAX: none is near. */
  int cells[3];
  Vec origin;
  uint16_t *nearest;
} ScopedetectShape;

struct _ScopedetectModel {
  char name[64];
  ScopedetectShape shape; /* in host memory */
};

/* Points of a surface, before thinning, in any order. */
typedef struct {
  ScopedetectCloud cloud; /* without features */
  float spacing;          /* of the points, about, metres */
  bool oriented;          /* all normals point outwards */
} ScopedetectSurface;

/* Sets @surface to random points of @mesh, metres, in @memory of the host.
 * Normals may point inwards. */
const char *scopedetect_surface (ScopedetectSurface *surface, const Mesh *mesh,
    const ScopedetectCompile *how, DeviceMemory *memory);

/* Sets @surface to the points of a cloud, in their order. */
const char *scopedetect_surface_of_cloud (ScopedetectSurface *surface,
    const Mesh *cloud, const ScopedetectCompile *how, DeviceMemory *memory);

/* Whether points @between metres apart are too few for a model of @spacing. */
bool scopedetect_is_coarse (float between, double spacing);

/* Sets @triangles, which the caller frees, to the surface between the points of
 * @cloud: three numbers of points each, some triangles more than once. Normals
 * point outwards; points are about @spacing apart. */
const char *scopedetect_fill (ScopedetectCloud *cloud, float spacing,
    uint32_t **triangles, uint32_t *n_triangles);

/* The place of vertex @i, metres, and its colour. */
Vec scopedetect_vertex (const Mesh *mesh, uint32_t i, double unit);
Vec scopedetect_vertex_colour (const Mesh *mesh, uint32_t i);

/* Keeps the points that a view sees; turns their normals towards it. */
const char *scopedetect_keep_visible (ScopedetectSurface *surface);

/* Sets the range edges of @shape in all views of @surface. */
const char *scopedetect_edges (
    ScopedetectShape *shape, const ScopedetectSurface *surface);

/* Sets the nearest point of each cell of the grid. */
const char *scopedetect_set_nearest (ScopedetectShape *shape);

/* Sets the symmetries of @shape. Changes the grid of @surface. */
const char *scopedetect_symmetries (
    ScopedetectShape *shape, ScopedetectSurface *surface);

/* Sets the directions from which the views look, evenly over the sphere. */
void scopedetect_views (Vec view[SCOPEDETECT_VIEWS]);
