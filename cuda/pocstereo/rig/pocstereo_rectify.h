/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Grey samples of two frames of any format, on request rectified: a point of
 * the scene is then in the same row of both views.
 *
 * A sample is 16 times a grey of 8 bits: Y of YUV as it is stored, with all its
 * 8 or 10 bits; the upper 12 of 16 bits; the luma of BT.601 of RGB. */
#pragma once

#include "common/device.h"
#include "common/image.h"

C_BEGIN

#define POCSTEREO_SAMPLE_MAX 4095
/* Greatest width and height of a frame. */
#define POCSTEREO_RECTIFY_MAX_SIDE 16384

/* A camera of a rig, as OpenCV and ROS describe it; matrices row by row.  The
 * centre of the first pixel is at (0, 0). */
typedef struct {
  double k[9];  /* camera matrix: pixels */
  double d[14]; /* k1 k2 p1 p2 k3 k4 k5 k6 s1 s2 s3 s4 tx ty: radial and
                   rational, tangential, thin prism, tilt (radians); 0 for terms
                   that a model lacks */
  double r[9];  /* rotation from the camera to the rectified camera */
  double p[12]; /* projection of the rectified camera: pixels */
} PocstereoView;

typedef struct _PocstereoRectify PocstereoRectify;

/* @width, @height: of the frames and of the planes of samples, 1 to
 * POCSTEREO_RECTIFY_MAX_SIDE pixels.  Free @self after an error, too. */
const char *pocstereo_rectify_new (
    PocstereoRectify **self, const Device *device, int width, int height);
void pocstereo_rectify_free (PocstereoRectify *self);

/* Sets the rig by which frames are rectified; NULL, NULL: frames are not
 * rectified, as after new.  A changed rig takes some 10 ms a megapixel, and the
 * device is waited for.  Error: a number is not finite, a focal length is not
 * above 0, or P R has no inverse; nothing changes then. */
const char *pocstereo_rectify_set (PocstereoRectify *self,
    const PocstereoView *left, const PocstereoView *right);

/* Sets @to to the place in the rectified view of the place @from in the frame,
 * both in pixels, to some hundredths.  Returns false if it is not found, as
 * beyond the edge for which the model of the lens was made. */
bool pocstereo_rectify_find (
    const PocstereoView *view, const double from[2], double *to);

/* Queues the writing of both planes: height rows of width samples, @stride
 * samples apart, in the device's memory.  Rectified samples are interpolated by
 * cubic convolution (R. Keys, IEEE Trans.  ASSP 29, 1981, a = -1/2); samples
 * outside of the frame repeat its edge. */
const char *pocstereo_rectify_run (PocstereoRectify *self, const Image *left,
    const Image *right, uint16_t *const sample[2], int stride);

/* Queues the writing of the left frame in colour, rectified as by
 * pocstereo_rectify_run (): rows of R G B 255, @stride bytes apart, in the
 * device's memory; bilinear between pixels, black outside of the frame.  Of 10
 * and 16 bits the upper 8 count. */
const char *pocstereo_rectify_picture (
    PocstereoRectify *self, const Image *left, uint8_t *rgba, int stride);

/* The mask of @view (0 left, 1 right) in the device's memory, in rows of
 * `width` bytes: 1 for a sample from inside of the frame, 0 from outside, where
 * matches are void.  NULL: frames are not rectified. */
const uint8_t *pocstereo_rectify_valid (const PocstereoRectify *self, int view);

C_END
