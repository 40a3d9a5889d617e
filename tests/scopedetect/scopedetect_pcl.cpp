/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * FPFH and principal curvatures against the Point Cloud Library's, where that
 * is installed. */
#ifndef HAVE_PCL
# include <cstdio>

int
main ()
{
  std::printf ("SKIP: the Point Cloud Library is not installed\n");
  return 77;
}
#else
# include <cmath>
# include <cstdio>
# include <random>

# include <pcl/features/fpfh.h>
# include <pcl/features/principal_curvatures.h>

extern "C" {
# include "scopedetect/scopedetect_cloud_core.h"
}

using Cloud = pcl::PointCloud<pcl::PointNormal>;

static const float radius = .02f;

/* Points of a wavy surface, with its normals. */
static Cloud::Ptr
surface (unsigned seed, int n)
{
  Cloud::Ptr c (new Cloud);
  std::mt19937 random (seed);
  std::uniform_real_distribution<float> side (-.05f, .05f);

  for (int i = 0; i < n; i++) {
    float x = side (random), y = side (random);
    float dx = .6f * std::cos (60 * x) * std::cos (45 * y);
    float dy = -.45f * std::sin (60 * x) * std::sin (45 * y);
    float z = .5f + .01f * std::sin (60 * x) * std::cos (45 * y);
    float length = std::sqrt (dx * dx + dy * dy + 1);
    pcl::PointNormal p;

    p.x = x, p.y = y, p.z = z;
    p.normal_x = -dx / length, p.normal_y = -dy / length;
    p.normal_z = 1 / length;
    c->push_back (p);
  }
  return c;
}

/* How many bins differ; a float on the border of a bin may fall to either
 * side. */
static int
differing_bins (const Cloud::Ptr &points, const ScopedetectCloud &mine)
{
  pcl::FPFHEstimation<pcl::PointNormal, pcl::PointNormal, pcl::FPFHSignature33>
      fpfh;
  pcl::PointCloud<pcl::FPFHSignature33> theirs;
  int off = 0;

  fpfh.setInputCloud (points);
  fpfh.setInputNormals (points);
  fpfh.setRadiusSearch (radius);
  fpfh.compute (theirs);
  for (int i = 0; i < mine.n; i++)
    for (int b = 0; b < SCOPEDETECT_BINS; b++)
      off += std::fabs (theirs[i].histogram[b] -
                 mine.fpfh[i * SCOPEDETECT_BINS + b]) > 5e-3f;
  return off;
}

/* How many points have other curvatures, or another direction. */
static int
differing_curvatures (const Cloud::Ptr &points, const ScopedetectCloud &mine)
{
  pcl::PrincipalCurvaturesEstimation<pcl::PointNormal, pcl::PointNormal,
      pcl::PrincipalCurvatures>
      curvature;
  pcl::PointCloud<pcl::PrincipalCurvatures> theirs;
  int off = 0;

  curvature.setInputCloud (points);
  curvature.setInputNormals (points);
  curvature.setRadiusSearch (radius);
  curvature.compute (theirs);
  for (int i = 0; i < mine.n; i++) {
    const pcl::PrincipalCurvatures &t = theirs[i];
    Turn f = turn_of (mine.frame[i]);
    float along = f.y.x * t.principal_curvature[0] +
        f.y.y * t.principal_curvature[1] + f.y.z * t.principal_curvature[2];

    off += std::fabs (t.pc1 - mine.pc1[i]) > 1e-4f * t.pc1 + 1e-6f ||
        std::fabs (t.pc2 - mine.pc2[i]) > 1e-3f * t.pc1 + 1e-6f ||
        (t.pc1 > 1.1f * t.pc2 && std::fabs (along) < .999f);
  }
  return off;
}

int
main ()
{
  Device host;
  DeviceMemory memory;
  bool good = true;

  device_open (&host, DEVICE_CPU, nullptr);
  memory_open (&memory, &host);
  for (unsigned seed = 1; seed <= 3; seed++) {
    Cloud::Ptr points = surface (seed, 800);
    ScopedetectCloud mine;
    int bins, curvatures;

    if (scopedetect_cloud_new (&memory, &mine, 800, false, true))
      return 1;
    mine.n = 800;
    for (int i = 0; i < mine.n; i++) {
      const pcl::PointNormal &p = (*points)[i];

      mine.x[i] = vec (p.x, p.y, p.z);
      mine.normal[i] = vec (p.normal_x, p.normal_y, p.normal_z);
    }
    scopedetect_set_grid (&mine, radius);
    scopedetect_set_features (&mine, radius);
    bins = differing_bins (points, mine);
    curvatures = differing_curvatures (points, mine);
    std::printf ("seed %u: %d of %d bins differ, %d of %d curvatures\n", seed,
        bins, mine.n * SCOPEDETECT_BINS, curvatures, mine.n);
    good = good && bins < mine.n * SCOPEDETECT_BINS / 100 &&
        curvatures < mine.n / 100;
    memory_free (&memory);
  }
  return good ? 0 : 1;
}
#endif
