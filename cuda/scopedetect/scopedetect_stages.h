/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages of scopedetect: the steps that each backend writes for itself, in
 * the order in which scopedetect.c calls them.  The sections are the thesis's.
 *
 * A stage queues work on the device.  It reads its const arguments and what
 * these point to; it writes the others: first its scratch, which no other stage
 * reads, then what it computes.  Pointers are to device memory, but those in
 * arguments that say pinned or host.  scopedetect.c owns all of the memory. */
#pragma once

#include "common/memory.h"
#include "scopedetect/scopedetect_features_core.h"
#include "scopedetect/scopedetect_voxel_core.h"

C_BEGIN

/* ==== The observation of a frame (1.2, lines 2 and 3 of algorithm 1) ==== */

/* From depth and colour to pixels with normals, and the log probability that an
 * edge of an object is there.
 *
 * In: near, far, depth_scale, normal_radius, edge_blur and the weights of edges
 * of @params; the sizes and the camera of @scene.
 * Scratch: @edge, two images of the scene's size, which are blurred in turns.
 * Out: z and pixel of @scene. */
typedef const char *ScopedetectReadFrame (const Device *dev,
    const ScopedetectFrame *frame, const ScopedetectParams *params,
    float *const edge[2], ScopedetectScene *scene);
ScopedetectReadFrame scopedetect_read_frame_cpu, scopedetect_read_frame_cuda;

/* The plane that objects stand on: of those drawn by the seed the one with the
 * most pixels, fitted to them.
 *
 * In: depths of @scene; seed and table_tolerance of @params.
 * Scratch: @votes, the GPU's. */
typedef struct _ScopedetectVotes ScopedetectVotes;

typedef const char *ScopedetectFindPlane (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectParams *params,
    ScopedetectVotes *votes, ScopedetectPlane *plane);
ScopedetectFindPlane scopedetect_find_plane_cpu, scopedetect_find_plane_cuda;

/* The cells of the scene that hold pixels within the bounds, hashed. */
typedef struct {
  uint32_t *cell; /* of each hash: 1 + the number of its voxel; on the GPU first
                     that of its first pixel */
  uint32_t hashes;          /* a power of two */
  ScopedetectVoxel *voxel;  /* of each point: the sums of its pixels */
  ScopedetectCell *cell_of; /* the CPU's, likewise */
  /* The GPU's: */
  uint32_t *hash; /* of each pixel */
  uint32_t
      *firsts;     /* of each block of pixels: those that are first in a cell */
  uint32_t *count; /* of each hash of the grid: its points; lies behind cell */
  uint32_t *arrival, *unsorted; /* of each point: how many of its hash came
                                   before; the list in this order */
  uint32_t *n_points;           /* pinned */
  void *counted; /* cudaEvent_t: from when on n_points is known */
} ScopedetectVoxels;

/* A point of the cloud is the mean of the pixels of a cell with the side
 * @spacing.  On the GPU the same kernel counts points for the grid, since each
 * kernel more takes a launch.
 *
 * In: pixels of @scene within @bounds.
 * Out: x, normal, lab and grid of @cloud, whose cells have the side @radius;
 * @counts. */
typedef const char *ScopedetectMakePoints (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectBounds *bounds,
    float spacing, float radius, ScopedetectVoxels *voxels,
    ScopedetectCloud *cloud, ScopedetectPointCounts *counts);
ScopedetectMakePoints scopedetect_make_points_cpu, scopedetect_make_points_cuda;

/* The GPU's, of each point: its neighbours, SCOPEDETECT_NEAR a point, and their
 * normals. */
typedef struct {
  uint16_t *near, *n_near;
  ScopedetectSpread *spread;
} ScopedetectNeighbours;

/* What is computed of a point's neighbourhood: curvatures and the frame that
 * they give, FPFH and its code.
 *
 * In: x, normal and grid of @cloud; @counts.
 * Out: the other arrays of @cloud. */
typedef const char *ScopedetectDescribePoints (const Device *dev,
    const ScopedetectPointCounts *counts, ScopedetectNeighbours *neighbours,
    ScopedetectCloud *cloud);
ScopedetectDescribePoints scopedetect_describe_points_cpu,
    scopedetect_describe_points_cuda;

/* Waits until make_points () has counted the points, which may be long before
 * they are described, and sets cloud->n. */
typedef const char *ScopedetectCountPoints (const Device *dev,
    const ScopedetectVoxels *voxels, const ScopedetectPointCounts *counts,
    ScopedetectCloud *cloud);
ScopedetectCountPoints scopedetect_count_points_cpu,
    scopedetect_count_points_cuda;

/* Over-segmentation by k-means on position, normal and colour, and the
 * affinities of segments.
 *
 * In: pixels of @scene within @bounds; x and grid of @cloud; segment_sigma and
 * lab_sigma of @params; the lattice of @segments.
 * Scratch: @label, of each pixel its segment, or SCOPEDETECT_NO_SEGMENT.
 * Out: the segments. */
typedef const char *ScopedetectMakeSegments (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectBounds *bounds,
    const ScopedetectCloud *cloud, float spacing,
    const ScopedetectParams *params, int32_t *label,
    ScopedetectSegments *segments);
ScopedetectMakeSegments scopedetect_make_segments_cpu,
    scopedetect_make_segments_cuda;

/* ==== Round 1 (1.2, lines 4 to 8) ==== */

/* In: codes of @cloud and of @models.  Out: points of @matches, k of each
 * query. */
typedef const char *ScopedetectMatchFeatures (const Device *dev,
    const ScopedetectCloud *cloud, const ScopedetectQueries *queries,
    const ScopedetectModels *models, ScopedetectMatches *matches);
ScopedetectMatchFeatures scopedetect_match_features_cpu,
    scopedetect_match_features_cuda;

typedef struct _ScopedetectBins ScopedetectBins;

typedef struct {
  int16_t *score;        /* [model][query][k][2]: of each hypothesis */
  int *count;            /* the CPU's: of each score, its hypotheses */
  ScopedetectBins *bins; /* the GPU's: the same, by bins */
} ScopedetectChecks;

#define SCOPEDETECT_SCORES 65536 /* that an int16_t may be */

/* The scores of the hypotheses of model @m. */
BOTH int16_t *
scopedetect_checks_of (
    const ScopedetectChecks *checks, const ScopedetectMatches *matches, int m)
{
  return checks->score + (size_t) m * matches->room * matches->k * 2;
}

/* Poses from pairs of oriented features: those that agree best with the frame
 * at SCOPEDETECT_FEW points of the model, or one that each query is drawn to.
 *
 * In: x, frame and code of @cloud; @matches; pixels of @scene; random, seed and
 * tolerance of @params.
 * Out: up to @max hypotheses of each model, in the order of their ids. */
typedef const char *ScopedetectChoosePoses (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectCloud *cloud,
    const ScopedetectQueries *queries, const ScopedetectModels *models,
    const ScopedetectMatches *matches, const ScopedetectParams *params, int max,
    ScopedetectChecks *checks, ScopedetectHypotheses *hypotheses);
ScopedetectChoosePoses scopedetect_choose_poses_cpu,
    scopedetect_choose_poses_cuda;

/* The first score, of depth and normals, or of points in free space (1.2.1).
 *
 * In: pixels of @scene; random, points, tolerance, free_gap and free_part of
 * @params.
 * Out: scores of @hypotheses, and these in the order of their scores. */
typedef const char *ScopedetectVerifyPoses (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectModels *models,
    const ScopedetectParams *params, ScopedetectHypotheses *hypotheses);
ScopedetectVerifyPoses scopedetect_verify_poses_cpu,
    scopedetect_verify_poses_cuda;

typedef struct _ScopedetectSieve ScopedetectSieve;

/* Of hypotheses in order that are alike the best.
 *
 * In: cluster_distance and cluster_angle of @params.
 * Scratch: @sieve, the GPU's.
 * Out: at most @max hypotheses of each model, in order. */
typedef const char *ScopedetectClusterPoses (const Device *dev,
    const ScopedetectModels *models, const ScopedetectParams *params, int max,
    ScopedetectSieve *sieve, ScopedetectHypotheses *hypotheses);
ScopedetectClusterPoses scopedetect_cluster_poses_cpu,
    scopedetect_cluster_poses_cuda;

/* ==== Rounds 2 and 3 (1.2, lines 9 to 25) ==== */

/* Steps of Gauss and Newton, in which points that lie farther than the gate
 * from the plane of their pixel do not count.
 *
 * In: pixels of @scene; the number of @points of each model; the gate narrows
 * from @gate to @min_gate.
 * Out: poses of @hypotheses. */
typedef const char *ScopedetectRefinePoses (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectModels *models, int points,
    int steps, float gate, float min_gate, ScopedetectHypotheses *hypotheses);
ScopedetectRefinePoses scopedetect_refine_poses_cpu,
    scopedetect_refine_poses_cuda;

typedef struct _ScopedetectShares ScopedetectShares;

/* The parts of the score and their weighted sum (1.2.1), with @points of each
 * model; 0: with all, and with segments.
 *
 * Scratch: @shares, the GPU's.
 * Out: scores and parts of @hypotheses, and these in the order of their
 * scores. */
typedef const char *ScopedetectScorePoses (const Device *dev,
    const ScopedetectScoring *scoring, const ScopedetectModels *models,
    int points, ScopedetectShares *shares, ScopedetectHypotheses *hypotheses);
ScopedetectScorePoses scopedetect_score_poses_cpu, scopedetect_score_poses_cuda;

/* Alignment number @k by segments, of which each pose draws some (lines 11 to
 * 19); a pose that scores no more stays as it was.  A kernel does both, so that
 * it writes no pose that is not kept.
 *
 * In: segments of @scoring; @frame, those of the cloud's points.
 * Out: @hypotheses, in the order of their scores. */
typedef const char *ScopedetectAlignPoses (const Device *dev,
    const ScopedetectScoring *scoring, const Quat *frame,
    const ScopedetectModels *models, int k, ScopedetectHypotheses *hypotheses);
ScopedetectAlignPoses scopedetect_align_poses_cpu, scopedetect_align_poses_cuda;

/* Hill climbing (line 23).  Out: of the @steps of each hypothesis the best. */
typedef const char *ScopedetectClimbPoses (const Device *dev,
    const ScopedetectScoring *scoring, const ScopedetectModels *models,
    int steps, ScopedetectHypotheses *hypotheses);
ScopedetectClimbPoses scopedetect_climb_poses_cpu, scopedetect_climb_poses_cuda;

/* What covariances and boxes are made of.
 *
 * In: pixels of @scene; @tolerance of depth.
 * Out: @measure, pinned: [model][SCOPEDETECT_FOUND]. */
typedef const char *ScopedetectMeasurePoses (const Device *dev,
    const ScopedetectScene *scene, const ScopedetectModels *models,
    float tolerance, const ScopedetectHypotheses *hypotheses,
    ScopedetectMeasure *measure);
ScopedetectMeasurePoses scopedetect_measure_poses_cpu,
    scopedetect_measure_poses_cuda;

/* ==== Rounds 2 and 3 as one ==== */

/* All that the launches of rounds 2 and 3 depend on. */
typedef struct {
  ScopedetectScoring scoring;
  const Quat *frame;
  ScopedetectModels models;
  ScopedetectHypotheses hypotheses; /* before */
} ScopedetectRounds;

typedef struct _ScopedetectGraphs ScopedetectGraphs;

/* Calls @queue with @data, which queues stages and copies; or queues what it
 * did for the same @rounds before.  @graphs: host memory, the GPU's. Out:
 * @hypotheses, as @queue leaves them. */
typedef const char *ScopedetectRepeat (const Device *dev,
    const ScopedetectRounds *rounds, const char *(*queue) (void *data),
    void *data, ScopedetectGraphs *graphs, ScopedetectHypotheses *hypotheses);
ScopedetectRepeat scopedetect_repeat_cpu, scopedetect_repeat_cuda;

/* ==== The table ==== */

/* The scratch of all stages. */
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
  /* Gets from @memory what this backend's stages need as scratch beside the
   * arrays that both backends have, and the GPU's part of @hypotheses and
   * @cloud, whose room is known, for frames of @pixels and @n_models at once.
   */
  const char *(*open) (DeviceMemory *memory, int pixels, int n_models,
      ScopedetectScratch *scratch, ScopedetectCloud *cloud,
      ScopedetectHypotheses *hypotheses);
  /* Frees what is no memory of that list; also of what was opened in part. */
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
