/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From two frames of any format to what is matched: grey samples, on request
 * rectified, so that what is in a row of the left view is in the same row of
 * the right one.
 *
 * A sample is 16 times a grey of 8 bits.  Of YUV it is Y as it is stored, with
 * its 10 bits if it has that many; of 16 bits the upper 12; of RGB the luma of
 * BT.601. */
#pragma once

#include "common/device.h"
#include "common/image.h"

C_BEGIN

#define POCSTEREO_SAMPLE_MAX 4095
/* Frames may be up to this many pixels wide or high. */
#define POCSTEREO_RECTIFY_MAX_SIDE 16384

/* A camera of a rig, as OpenCV and ROS describe it; matrices row by row.  The
 * centre of the first pixel is at (0, 0). */
typedef struct {
  double k[9];  /* camera matrix: pixels */
  double d[14]; /* k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 tx ty: radial and
                   rational, tangential, thin prism, tilt (radians); what a
                   model lacks is 0 */
  double r[9];  /* rotation from the camera to the rectified one */
  double p[12]; /* projection of the rectified camera: pixels */
} PocstereoView;

typedef struct _PocstereoRectify PocstereoRectify;

/* @width, @height: of the frames and of the planes of samples, 1 to
 * POCSTEREO_RECTIFY_MAX_SIDE pixels.  @self is to be freed where this fails,
 * too. */
const char *pocstereo_rectify_new (
    PocstereoRectify **self, const Device *device, int width, int height);
void pocstereo_rectify_free (PocstereoRectify *self);

/* What frames are rectified by from now on; NULL, NULL: they are not, as after
 * new.  Fails where a number is not finite, a focal length not above 0, or
 * P R cannot be inverted, and leaves all as it was.  Other views than the last
 * ones take some 10 ms a megapixel, and the device is waited for. */
const char *pocstereo_rectify_set (PocstereoRectify *self,
    const PocstereoView *left, const PocstereoView *right);

/* Where the rectified view shows what lies at @from in the frame, both in
 * pixels, to some hundredths; false where it cannot be found, as beyond the
 * edge of what a lens's model is for. */
bool pocstereo_rectify_find (
    const PocstereoView *view, const double from[2], double *to);

/* Queues the writing of both planes: height rows of width samples, @stride (in
 * samples) apart, in memory of the device.  A rectified sample is interpolated
 * by cubic convolution (R. Keys, IEEE Trans. ASSP 29, 1981, a = -1/2); what
 * lies outside the frame is like the nearest pixel in it. */
const char *pocstereo_rectify_run (PocstereoRectify *self, const Image *left,
    const Image *right, uint16_t *const sample[2], int stride);

/* Queues the writing of the left frame in colour, as what pocstereo_rectify_run
 * () makes of it shows it: rows of R G B 255, @stride bytes apart, in memory of
 * the device; between pixels bilinear, outside of the frame black.  Of 10 and
 * 16 bits the upper 8 count. */
const char *pocstereo_rectify_picture (
    PocstereoRectify *self, const Image *left, uint8_t *rgba, int stride);

/* Whether the samples of @view (0 left, 1 right) come from inside the frame, a
 * byte each, 1 or 0, in rows of width, in memory of the device; matches where
 * it is 0 are void.  NULL: all do, since nothing is rectified. */
const uint8_t *pocstereo_rectify_valid (const PocstereoRectify *self, int view);

C_END
