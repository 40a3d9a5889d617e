/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages of scopedetect: the steps that each backend implements, in the
 * order in which scopedetect.c calls them. Numbers in brackets are the thesis's
 * sections, lines are those of its algorithm 1.
 *
 * A stage queues work on the device. It reads its const arguments and the
 * arrays that they point to. It writes the other arguments: first its scratch,
 * which no other stage reads, then its results. Arrays are in device memory,
 * except those that are called pinned or host memory. scopedetect.c owns all
 * memory. */
#pragma once

#include "common/memory.h"
#include "scopedetect/scopedetect_features_core.h"
#include "scopedetect/scopedetect_core.h"

C_BEGIN

/* ==== Observing a frame (1.2, lines 2 and 3) ==== */

/* Computes pixels: depth, normal, colour, and the log probability that the
 * pixel is on an edge of an object.
 *
 * In: near, far, depth_scale, normal_radius, edge_blur and the weights of edges
 * of @params; sizes and camera of @scene.
 * Scratch: @edge, two images of the scene's size.
 * Out: z and pixel of @scene. */
typedef const char *ScopedetectReadFrame (const Device *dev,
    const ScopedetectFrame *frame, const ScopedetectParams *params,
    float *const edge[2], ScopedetectScene *scene);
ScopedetectReadFrame scopedetect_read_frame_cpu, scopedetect_read_frame_cuda;

/* Finds the plane that objects stand on: draws planes, and fits the plane with
 * the most pixels to these pixels.
 *
 * In: z of @scene; seed and table_tolerance of @params.
 * Scratch: @votes, on the GPU. */
typedef struct _ScopedetectVotes ScopedetectVotes;

typedef const char *ScopedetectFindPlane (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectParams *params,
    ScopedetectVotes *votes, ScopedetectPlane *plane);
ScopedetectFindPlane scopedetect_find_plane_cpu, scopedetect_find_plane_cuda;

/* Scratch: a hash table of the cells that contain pixels. */
typedef struct {
  uint32_t *cell;  /* of each hash: 1 + the number of the cell's voxel; on the
                      GPU first the number of the cell's first pixel */
  uint32_t hashes; /* a power of two */
  ScopedetectVoxel *voxel;  /* of each point */
  ScopedetectCell *cell_of; /* of each point, on the CPU */
  /* Arrays of the GPU. */
  uint32_t *hash;     /* of each pixel */
  uint32_t *firsts;   /* of each block: pixels that are the first of a cell */
  uint32_t *count;    /* of each hash of the grid: points; lies behind cell */
  uint32_t *arrival;  /* of each point: earlier points with the same hash */
  uint32_t *unsorted; /* points by hash and arrival */
  uint32_t *n_points; /* pinned, for count_points () */
  void *counted;      /* cudaEvent_t: n_points is copied */
} ScopedetectVoxels;

/* Makes the points of the cloud: a point is the mean of the pixels within
 * @bounds in a cell with the side @spacing. On the GPU the kernel that makes
 * points also counts those of each cell of the grid: a launch less.
 *
 * In: pixels of @scene.
 * Out: x, normal, lab and grid of @cloud, whose cells have the side @radius;
 * @counts. */
typedef const char *ScopedetectMakePoints (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectBounds *bounds,
    float spacing, float radius, ScopedetectVoxels *voxels,
    ScopedetectCloud *cloud, ScopedetectPointCounts *counts);
ScopedetectMakePoints scopedetect_make_points_cpu, scopedetect_make_points_cuda;

/* Scratch of the GPU: the neighbours of each point. */
typedef struct {
  uint16_t *near, *n_near;   /* up to SCOPEDETECT_NEAR neighbours */
  ScopedetectSpread *spread; /* of the neighbours' normals */
} ScopedetectNeighbours;

/* Computes curvatures, frame, FPFH and code of each point by its neighbours.
 *
 * In: x, normal and grid of @cloud; @counts.
 * Out: the other arrays of @cloud. */
typedef const char *ScopedetectDescribePoints (const Device *dev,
    const ScopedetectPointCounts *counts, ScopedetectNeighbours *neighbours,
    ScopedetectCloud *cloud);
ScopedetectDescribePoints scopedetect_describe_points_cpu,
    scopedetect_describe_points_cuda;

/* Sets cloud->n. Waits for make_points (), but not for describe_points (). */
typedef const char *ScopedetectCountPoints (const Device *dev,
    const ScopedetectVoxels *voxels, const ScopedetectPointCounts *counts,
    ScopedetectCloud *cloud);
ScopedetectCountPoints scopedetect_count_points_cpu,
    scopedetect_count_points_cuda;

/* Divides the pixels within @bounds into segments by k-means on position,
 * normal and colour, and computes the affinities of segments.
 *
 * In: pixels of @scene; x and grid of @cloud; segment_sigma and lab_sigma of
 * @params; the lattice of @segments.
 * Scratch: @label, the segment of each pixel, or SCOPEDETECT_NO_SEGMENT.
 * Out: the other fields of @segments. */
typedef const char *ScopedetectMakeSegments (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectBounds *bounds,
    const ScopedetectCloud *cloud, float spacing,
    const ScopedetectParams *params, int32_t *label,
    ScopedetectSegments *segments);
ScopedetectMakeSegments scopedetect_make_segments_cpu,
    scopedetect_make_segments_cuda;

/* ==== Round 1 (1.2, lines 4 to 8) ==== */

/* Finds the k nearest features of each model for each query.
 *
 * In: codes of @cloud and @models; k of @matches.
 * Out: points of @matches. */
typedef const char *ScopedetectMatchFeatures (const Device *dev,
    const ScopedetectCloud *cloud, const ScopedetectQueries *queries,
    const ScopedetectModels *models, ScopedetectMatches *matches);
ScopedetectMatchFeatures scopedetect_match_features_cpu,
    scopedetect_match_features_cuda;

typedef struct _ScopedetectBins ScopedetectBins;

typedef struct {
  int16_t *score;        /* of each hypothesis: [model][query][k][2] */
  int *count;            /* on the CPU: hypotheses with each score */
  ScopedetectBins *bins; /* on the GPU: hypotheses in each bin of scores */
} ScopedetectChecks;

#define SCOPEDETECT_SCORES 65536 /* of an int16_t */

/* The scores of the hypotheses of model @m. */
BOTH int16_t *
scopedetect_checks_of (
    const ScopedetectChecks *checks, const ScopedetectMatches *matches, int m)
{
  return checks->score + (size_t) m * matches->room * matches->k * 2;
}

/* Makes two hypotheses of each match: the poses that move the frame of the
 * model's point onto the query's, as it is and turned by 180 degrees. Keeps
 * those that agree best with the scene at SCOPEDETECT_FEW points of the model;
 * or, with random, a drawn hypothesis of each query.
 *
 * In: x, frame and code of @cloud; @matches; pixels of @scene; random, seed and
 * tolerance of @params.
 * Scratch: @checks.
 * Out: up to @max hypotheses of each model, in the order of their ids. */
typedef const char *ScopedetectChoosePoses (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectCloud *cloud,
    const ScopedetectQueries *queries, const ScopedetectModels *models,
    const ScopedetectMatches *matches, const ScopedetectParams *params, int max,
    ScopedetectChecks *checks, ScopedetectHypotheses *hypotheses);
ScopedetectChoosePoses scopedetect_choose_poses_cpu,
    scopedetect_choose_poses_cuda;

/* Scores poses by depth and normals, with random by the model's points in free
 * space, and rejects poses with too many of these (1.2.1).
 *
 * In: pixels of @scene; random, points, tolerance, free_gap and free_part of
 * @params.
 * Out: scores of @hypotheses; @hypotheses in the order of scores. */
typedef const char *ScopedetectVerifyPoses (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectModels *models,
    const ScopedetectParams *params, ScopedetectHypotheses *hypotheses);
ScopedetectVerifyPoses scopedetect_verify_poses_cpu,
    scopedetect_verify_poses_cuda;

typedef struct _ScopedetectSieve ScopedetectSieve;

/* Drops each hypothesis that is near a better one.
 *
 * In: cluster_distance and cluster_angle of @params; @hypotheses in order.
 * Scratch: @sieve, on the GPU.
 * Out: at most @max hypotheses of each model, in order. */
typedef const char *ScopedetectClusterPoses (const Device *dev,
    const ScopedetectModels *models, const ScopedetectParams *params, int max,
    ScopedetectSieve *sieve, ScopedetectHypotheses *hypotheses);
ScopedetectClusterPoses scopedetect_cluster_poses_cpu,
    scopedetect_cluster_poses_cuda;

/* ==== Rounds 2 and 3 (1.2, lines 9 to 25) ==== */

/* Takes @steps Gauss-Newton steps with the first @points of each model. Points
 * farther than the gate from the plane of their pixel do not count; the gate
 * narrows from @gate to @min_gate.
 *
 * In: pixels of @scene.
 * Out: poses of @hypotheses. */
typedef const char *ScopedetectRefinePoses (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectModels *models, int points,
    int steps, float gate, float min_gate, ScopedetectHypotheses *hypotheses);
ScopedetectRefinePoses scopedetect_refine_poses_cpu,
    scopedetect_refine_poses_cuda;

typedef struct _ScopedetectShares ScopedetectShares;

/* Scores poses: the parts and their weighted sum (1.2.1), by the first @points
 * of each model; 0: by all points, and by segments.
 *
 * Scratch: @shares, on the GPU.
 * Out: scores and parts of @hypotheses; @hypotheses in the order of scores. */
typedef const char *ScopedetectScorePoses (const Device *dev,
    const ScopedetectScoring *scoring, const ScopedetectModels *models,
    int points, ScopedetectShares *shares, ScopedetectHypotheses *hypotheses);
ScopedetectScorePoses scopedetect_score_poses_cpu, scopedetect_score_poses_cuda;

/* Aligns each pose with segments that it draws, for the time number @k; keeps
 * the new pose if it scores more (lines 11 to 19). On the GPU one kernel aligns
 * and scores, so that only poses that are kept are written.
 *
 * In: @scoring with segments; @frame, of the cloud's points.
 * Out: @hypotheses in the order of scores. */
typedef const char *ScopedetectAlignPoses (const Device *dev,
    const ScopedetectScoring *scoring, const Quat *frame,
    const ScopedetectModels *models, int k, ScopedetectHypotheses *hypotheses);
ScopedetectAlignPoses scopedetect_align_poses_cpu, scopedetect_align_poses_cuda;

/* Takes @steps of hill climbing (line 23).
 *
 * Out: the best pose of each hypothesis. */
typedef const char *ScopedetectClimbPoses (const Device *dev,
    const ScopedetectScoring *scoring, const ScopedetectModels *models,
    int steps, ScopedetectHypotheses *hypotheses);
ScopedetectClimbPoses scopedetect_climb_poses_cpu, scopedetect_climb_poses_cuda;

/* Sums the terms of covariances, and the bounds of boxes.
 *
 * In: pixels of @scene; @tolerance of depth.
 * Out: @measure, pinned: [model][SCOPEDETECT_FOUND]. */
typedef const char *ScopedetectMeasurePoses (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectModels *models,
    float tolerance, const ScopedetectHypotheses *hypotheses,
    ScopedetectMeasure *measure);
ScopedetectMeasurePoses scopedetect_measure_poses_cpu,
    scopedetect_measure_poses_cuda;

/* ==== Rounds 2 and 3 as a CUDA graph ==== */

/* All arguments of the launches of rounds 2 and 3: the key of a graph. */
typedef struct {
  ScopedetectScoring scoring;
  const Quat *frame;
  ScopedetectModels models;
  ScopedetectHypotheses hypotheses; /* of round 1 */
} ScopedetectRounds;

typedef struct _ScopedetectGraphs ScopedetectGraphs;

/* Calls @queue with @data: it queues stages and copies. On the GPU, instead,
 * launches the graph that an earlier call with the same @rounds has recorded.
 *
 * Scratch: @graphs, host memory, on the GPU.
 * Out: @hypotheses, as @queue leaves them. */
typedef const char *ScopedetectRepeat (const Device *dev,
    const ScopedetectRounds *rounds, const char *(*queue) (void *data),
    void *data, ScopedetectGraphs *graphs, ScopedetectHypotheses *hypotheses);
ScopedetectRepeat scopedetect_repeat_cpu, scopedetect_repeat_cuda;

/* ==== The table ==== */

typedef struct {
  float *edge[2];
  ScopedetectVotes *votes;
  ScopedetectVoxels voxels;
  ScopedetectNeighbours neighbours;
  int32_t *label;
  ScopedetectChecks checks;
  ScopedetectSieve *sieve;
  ScopedetectShares *shares;
  ScopedetectGraphs *graphs;
} ScopedetectScratch;

typedef struct {
  /* Gets the arrays of @scratch, @cloud and @hypotheses that only this backend
   * has, for frames of @pixels and batches of @n_models. */
  const char *(*open) (DeviceMemory *memory, int pixels, int n_models,
      ScopedetectScratch *scratch, ScopedetectCloud *cloud,
      ScopedetectHypotheses *hypotheses);
  /* Destroys events and graphs, even if open () has failed. */
  void (*close) (ScopedetectScratch *scratch);
  ScopedetectReadFrame *read_frame;
  ScopedetectFindPlane *find_plane;
  ScopedetectMakePoints *make_points;
  ScopedetectDescribePoints *describe_points;
  ScopedetectCountPoints *count_points;
  ScopedetectMakeSegments *make_segments;
  ScopedetectMatchFeatures *match_features;
  ScopedetectChoosePoses *choose_poses;
  ScopedetectVerifyPoses *verify_poses;
  ScopedetectClusterPoses *cluster_poses;
  ScopedetectRefinePoses *refine_poses;
  ScopedetectScorePoses *score_poses;
  ScopedetectAlignPoses *align_poses;
  ScopedetectClimbPoses *climb_poses;
  ScopedetectMeasurePoses *measure_poses;
  ScopedetectRepeat *repeat;
} ScopedetectStages;

extern const ScopedetectStages scopedetect_stages_cpu, scopedetect_stages_cuda;

C_END
