/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A model as the stages see it, and the steps that compile one. */
#pragma once

#include "common/pose_core.h"
#include "scopedetect/scopedetect_cloud_core.h"
#include "scopedetect/model/model.h"

#define SCOPEDETECT_EDGE_STEP .0005f /* metres a unit of ved */

/* Points lie in random order, so that the first n are a random choice of n.
 * Arrays are one allocation each, in host or device memory. */
typedef struct {
  int n, n_edges, n_symmetries;
  float spacing, feature_radius, feature_sigma, diameter;
  bool has_colour, has_axis;
  Vec centre;            /* of mass of the points */
  float radius;          /* of the ball about it that holds them all */
  Vec low, high;         /* the box */
  Vec axis;              /* of has_axis, through the centre */
  Vec *x, *normal, *lab; /* lab: NULL without colour */
  Quat *frame;
  int16_t *code;                 /* FPFH, SCOPEDETECT_CODE a point */
  float *pc1, *pc2, *normal_var; /* normal_var: 1 - length of the mean normal */
  uint8_t *ved; /* [view][point]: distance to the next range edge seen from
                   there, SCOPEDETECT_EDGE_STEP, at most 255 */
  uint32_t *edge_first; /* of each view, and after the last */
  uint32_t *edge;       /* points on a range edge, view by view */
  Pose *symmetry;       /* the first is the identity */
  /* Cells with the side of the spacing: the nearest point's number. */
  int cells[3];
  Vec origin;
  uint16_t *nearest;
} ScopedetectShape;

struct _ScopedetectModel {
  char name[64];
  ScopedetectShape shape; /* in host memory */
};

/* Points of a surface, before it is thinned; any order. */
typedef struct {
  ScopedetectCloud cloud; /* without features */
  float spacing;          /* about how far they are apart, metres */
  bool oriented;          /* all normals are known to point outwards */
} ScopedetectSurface;

/* From @mesh to points of its surface, in metres, in random order, in @memory
 * of the host.  Their normals may still point inwards. */
const char *scopedetect_surface (ScopedetectSurface *surface, const Mesh *mesh,
    const ScopedetectCompile *how, DeviceMemory *memory);

/* The same of a cloud: its points themselves, in their order. */
const char *scopedetect_surface_of_cloud (ScopedetectSurface *surface,
    const Mesh *cloud, const ScopedetectCompile *how, DeviceMemory *memory);

/* Whether points of a cloud are so far apart, metres, that a model of @spacing
 * wants points between them. */
bool scopedetect_is_coarse (float between, double spacing);

/* The surface between the points of @cloud, whose normals point outwards and
 * which are about @spacing apart: to @triangles, to be freed, three numbers of
 * points each.  One may be there more than once. */
const char *scopedetect_fill (ScopedetectCloud *cloud, float spacing,
    uint32_t **triangles, uint32_t *n_triangles);

/* Vertex @i, metres, and its colour. */
Vec scopedetect_vertex (const Mesh *mesh, uint32_t i, double unit);
Vec scopedetect_vertex_colour (const Mesh *mesh, uint32_t i);

/* Keeps what is seen from any view, turns normals towards where it is seen
 * from. */
const char *scopedetect_keep_visible (ScopedetectSurface *surface);

/* The host as a device. */
Device scopedetect_host (void);

/* Range edges of @shape from all views, of @surface. */
const char *scopedetect_edges (
    ScopedetectShape *shape, const ScopedetectSurface *surface);

/* For each cell of the grid the nearest point of shape->x. */
const char *scopedetect_set_nearest (ScopedetectShape *shape);

/* After which turns it looks alike; @surface gets another grid. */
const char *scopedetect_symmetries (
    ScopedetectShape *shape, ScopedetectSurface *surface);

/* Directions to the eye of the views, evenly over the sphere. */
void scopedetect_views (Vec view[SCOPEDETECT_VIEWS]);
