/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of the CPU's stages, and their scratch. */
#include "scopedetect/scopedetect_cpu.h"

static const char *
open_scratch_cpu (DeviceMemory *m, int pixels, int n_models,
    ScopedetectScratch *scratch, ScopedetectCloud *cloud,
    ScopedetectHypotheses *hypotheses)
{
  ScopedetectVoxels *v = &scratch->voxels;

  (void) pixels, (void) n_models, (void) hypotheses;
  v->hashes = 64;
  while (v->hashes < 2 * (uint32_t) cloud->room)
    v->hashes *= 2;
  TRY (memory_get (m, &v->cell, v->hashes));
  TRY (memory_get (m, &v->voxel, (size_t) cloud->room));
  TRY (memory_get (m, &v->cell_of, (size_t) cloud->room));
  return memory_get (m, &scratch->checks.count, SCOPEDETECT_SCORES);
}

static void
close_scratch_cpu (ScopedetectScratch *scratch)
{
  (void) scratch;
}

const char *
scopedetect_repeat_cpu (const Device *dev, const ScopedetectRounds *rounds,
    const char *(*queue) (void *data), void *data, ScopedetectGraphs *graphs,
    ScopedetectHypotheses *hypotheses)
{
  (void) dev, (void) rounds, (void) graphs, (void) hypotheses;
  return queue (data);
}

const ScopedetectStages scopedetect_stages_cpu = {open_scratch_cpu,
    close_scratch_cpu, scopedetect_read_frame_cpu, scopedetect_find_plane_cpu,
    scopedetect_make_points_cpu, scopedetect_describe_points_cpu,
    scopedetect_count_points_cpu, scopedetect_make_segments_cpu,
    scopedetect_match_features_cpu, scopedetect_choose_poses_cpu,
    scopedetect_verify_poses_cpu, scopedetect_cluster_poses_cpu,
    scopedetect_refine_poses_cpu, scopedetect_score_poses_cpu,
    scopedetect_align_poses_cpu, scopedetect_climb_poses_cpu,
    scopedetect_measure_poses_cpu, scopedetect_repeat_cpu};
