/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From disparity to space. */
#include "check.h"
#include "pocstereo/rig/pocstereo_output_core.h"

#include <math.h>

/* Middlebury's Motorcycle at a quarter of its size: Z = f B / (d + doffs). */
static const PocstereoCamera motorcycle = {
    994.978, 994.978, 311.193, 254.877, 311.193 + 31.086, .193001};

static void
test_camera (DeviceKind kind)
{
  PocstereoSpace s;
  PocstereoSpacePoint p;

  ok (pocstereo_space_from_camera (&s, &motorcycle));
  check (pocstereo_space_point (&s, 411.193f, 154.877f, 40, .05f, &p));
  check_near (p.z, 994.978 * .193001 / 71.086, 1e-5);
  check_near (p.x, 100 * .193001 / 71.086, 1e-6);
  check_near (p.y, -100 * .193001 / 71.086, 1e-6);
  check_near (p.sigma, .05 * 994.978 * .193001 / (71.086 * 71.086), 1e-6);
  /* below 0, and still in front; then infinitely far, then behind */
  check (pocstereo_space_point (&s, 0, 0, -31, 0, &p) && p.z > 1000);
  check (!pocstereo_space_point (&s, 0, 0, -31.086f, 0, &p) || p.z > 1e6f);
  check (!pocstereo_space_point (&s, 9, 9, -40, 1, &p));
  check (p.x == 0 && p.y == 0 && p.z == 0 && p.sigma == 0);
}

/* Pixels that are not square: what is as far up as to the right seems so. */
static void
test_aspect (DeviceKind kind)
{
  PocstereoCamera c = {800, 400, 320, 240, 320, .1};
  PocstereoSpace s;
  PocstereoSpacePoint p;

  ok (pocstereo_space_from_camera (&s, &c));
  check (pocstereo_space_point (&s, 320 + 80, 240 + 40, 16, 0, &p));
  check_near (p.z, 5, 1e-5);
  check_near (p.x, .5, 1e-6);
  check_near (p.y, .5, 1e-6);
}

/* OpenCV's own form, verged, Tx = -0.1; and every number of Q has its say. */
static void
test_q (DeviceKind kind)
{
  double q[16] = {1, 0, 0, -300, 0, 1, 0, -200, 0, 0, 0, 500, 0, 0, 10, 100};
  PocstereoSpace s;
  PocstereoSpacePoint p, more;

  ok (pocstereo_space_from_q (&s, q));
  check (pocstereo_space_point (&s, 350, 150, 10, .1f, &p));
  check_near (p.z, 2.5, 1e-6);
  check_near (p.x, .25, 1e-6);
  check_near (p.y, -.25, 1e-6);
  check_near (p.sigma, .0125, 1e-7);
  check (pocstereo_space_point (&s, 350, 150, -5, 0, &p));
  check_near (p.z, 10, 1e-5);
  for (int i = 0; i < 16; i++) {
    double in[4] = {350, 150, 10, 1}, v[4] = {0};

    q[i] += .01;
    ok (pocstereo_space_from_q (&s, q));
    for (int k = 0; k < 16; k++)
      v[k / 4] += q[k] * in[k % 4];
    check (pocstereo_space_point (&s, 350, 150, 10, 1, &p));
    check_near (p.x, v[0] / v[3], 1e-5);
    check_near (p.y, v[1] / v[3], 1e-5);
    check_near (p.z, v[2] / v[3], 1e-5);
    check (pocstereo_space_point (&s, 350, 150, 10.5f, 1, &more));
    check_near (p.sigma, (p.z - more.z) / .5, .03);
    q[i] -= .01;
  }
}

static void
test_refusals (DeviceKind kind)
{
  double q[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0};
  PocstereoCamera c = motorcycle;
  PocstereoSpace s;
  PocstereoSpacePoint p;

  ok (pocstereo_space_from_q (&s, q));
  check (!pocstereo_space_point (&s, 1, 1, NAN, 0, &p) && p.z == 0);
  check (!pocstereo_space_point (&s, 1, 1, 0, 0, &p));
  check (!pocstereo_space_point (&s, 1, 1, 1, INFINITY, &p));
  check (!pocstereo_space_point (&s, INFINITY, 1, 1, 0, &p));
  q[14] = 0;
  check (pocstereo_space_from_q (&s, q) != NULL);
  q[14] = 1, q[3] = 1e300;
  check (pocstereo_space_from_q (&s, q) != NULL);
  c.baseline = 0;
  check (strstr (pocstereo_space_from_camera (&s, &c), "baseline"));
  c.baseline = NAN;
  check (pocstereo_space_from_camera (&s, &c) != NULL);
  c.fy = -1;
  check (strstr (pocstereo_space_from_camera (&s, &c), "focal"));
}

CHECK_MAIN (NULL, NULL, PART (camera),
    {"pixels that are not square", test_aspect}, {"matrix", test_q},
    PART (refusals))
