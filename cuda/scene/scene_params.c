/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parameters of the scenes: ranges, defaults and texts. */
#include "scene/chromatic.h"
#include "scene/clutter.h"
#include "scene/multispectral.h"
#include "scene/rgbd.h"
#include "scene/stereo.h"

const Param scene_params[] = {
    PARAM_NUMBER (SceneParams, seed, 0, UINT64_MAX, 0, "Seed",
        "Another seed is another scene; the same seed shows the same frames",
        .when = PARAM_BY_HAND),
    PARAM_NUMBER (SceneParams, n_objects, 1, CHROMATIC_MAX_OBJECTS, 8,
        "Number of objects",
        "Objects, each of its own colour; in multispectral, each of its own "
        "spectrum; in clutter, up to 32. Up to 12 have named colours; many "
        "more are hard to tell apart unless noise and shadows are low",
        .when = PARAM_BY_HAND),
    PARAM_NUMBER (SceneParams, speed, 0, 8, 1, "Speed",
        "How fast objects move, 1 = across the frame in some 200 frames; the "
        "robot of rgbd, 8 mm or 1.2 degrees a frame; in stereo, to and fro "
        "within some 120 frames, as the camera of clutter within 200. "
        "Another speed also puts them elsewhere",
        .when = PARAM_BY_HAND),
    PARAM_NUMBER (SceneParams, noise, 0, 64, 2, "Noise",
        "Standard deviation of the sensor's noise in grey levels; in rgbd, "
        "in eighths of a step of depth, and 0 is exact depth; in clutter "
        "both"),
    PARAM_NUMBER (
        SceneParams, texture, 0, 1, .5, "Texture", "Contrast of the ground"),
    PARAM_NUMBER (SceneParams, distractors, 0, CHROMATIC_MAX_PATCHES, 4,
        "Distractors",
        "Small patches that come and go, of colours just beyond the "
        "tolerance of an object's; in multispectral, of paint, and every "
        "second one of the ground's colour and another spectrum",
        .when = PARAM_BY_HAND),
    PARAM_SWITCH (SceneParams, occlusion, true, "Occlusion",
        "Objects pass over each other and behind a pillar; otherwise nothing "
        "ever touches them",
        .when = PARAM_BY_HAND),
    {NULL}};

_Static_assert(MULTISPECTRAL_MAX_OBJECTS == CHROMATIC_MAX_OBJECTS &&
        MULTISPECTRAL_MAX_PATCHES == CHROMATIC_MAX_PATCHES,
    "chromatic and multispectral have as many objects and patches");

const Param chromatic_params[] = {
    PARAM_NUMBER (ChromaticParams, shadows, 0, .5, .2, "Shadows",
        "Part of the light that shadows take from objects; the palette's "
        "tolerances hold up to the default"),
    PARAM_NUMBER (ChromaticParams, twins, 0, CHROMATIC_MAX_PATCHES, 0, "Twins",
        "Small patches that come and go, of exactly an object's colour, far "
        "away from it",
        .when = PARAM_BY_HAND),
    {NULL}};

static const ParamChoice paths[] = {
    {RGBD_PARALLEL, "Parallel to the image plane, to and fro", "parallel"},
    {RGBD_TOWARDS, "Nearer, across the view", "towards"},
    {RGBD_FRONTAL, "Its front to the camera, straight to it", "frontal"},
    {RGBD_AWAY, "Straight away from the camera", "away"},
    {RGBD_PASS, "Through the view and out of it", "pass"},
    {RGBD_ROTATION, "Turning on the spot", "rotation"},
    {RGBD_VISIT, "To a stop, out of the view, and back", "visit"},
    {RGBD_AXES,
        "No robot, but a machine whose quill, carriage and portal start to "
        "move one after the other",
        "axes"},
    {0, NULL, NULL}};

static const ParamChoice motions[] = {{RGBD_STILL, "Not at all", "still"},
    {RGBD_SWAY, "In a hand: 3 cm and 2 degrees to and fro", "sway"},
    {RGBD_ORBIT, "50 degrees to each side around the robot", "orbit"},
    {RGBD_WALK, "In steps, 1.2 m across and 0.4 m ahead", "walk"},
    {RGBD_SHAKE, "2 cm and 2 degrees to and fro within 10 to 16 frames",
        "shake"},
    {RGBD_JUMP, "As in a hand, but elsewhere for 30 of every 120 frames",
        "jump"},
    {0, NULL, NULL}};

const Param rgbd_params[] = {
    PARAM_ONE_OF (RgbdParams, path, paths, RGBD_PARALLEL, "Path",
        "Where the robot of rgbd drives to", .when = PARAM_BY_HAND),
    PARAM_NUMBER (RgbdParams, motion_start, 0, UINT64_MAX, 30,
        "Start of motion",
        "The frame at which the robot of rgbd starts to move",
        .when = PARAM_BY_HAND),
    PARAM_ONE_OF (RgbdParams, camera, motions, RGBD_SWAY, "Camera",
        "How the camera of rgbd moves", .when = PARAM_BY_HAND,
        .kind = "Motion"),
    PARAM_NUMBER (RgbdParams, robots, 1, RGBD_MAX_OBJECTS, 1, "Robots",
        "Robots of rgbd, each on a way of its own; each starts 40 frames after "
        "the one before it; path says where the first one drives to",
        .when = PARAM_BY_HAND),
    PARAM_NUMBER (RgbdParams, distortion, 0, 1, 0, "Distortion",
        "Radial distortion by the lens of rgbd, times that of a Kinect One",
        .when = PARAM_BY_HAND),
    {NULL}};

static const ParamChoice contents[] = {
    {STEREO_ALL, "Balls and a head in front of the planes", "all"},
    {STEREO_PLANES, "A wall, the ground and two boards that sway", "planes"},
    {STEREO_SPHERES, "Three balls, and nothing behind them", "spheres"},
    {STEREO_HEAD, "A head, and nothing behind it", "head"}, {0, NULL, NULL}};

const Param stereo_params[] = {
    PARAM_ONE_OF (StereoParams, contents, contents, STEREO_ALL, "Contents",
        "What stereo shows", .when = PARAM_BY_HAND),
    PARAM_NUMBER (StereoParams, baseline, .001, 1, .06, "Baseline",
        "Metres from the left to the right camera of stereo; 0.06 makes "
        "disparities of 14 to 60 pixels in a view of 640 x 480"),
    PARAM_NUMBER (StereoParams, disparity_offset, -STEREO_MAX_SIZE,
        STEREO_MAX_SIZE, 0, "Disparity offset",
        "Pixels that are added to all disparities of stereo: negative where "
        "the cameras look towards each other"),
    PARAM_NUMBER (StereoParams, misalignment, -64, 64, 0, "Misalignment",
        "Rows by which all is further down in the right view of stereo"),
    PARAM_NUMBER (StereoParams, gain, .1, 4, 1, "Gain",
        "Light in the right view of stereo, times that in the left one"),
    PARAM_NUMBER (StereoParams, gamma, .2, 5, 1, "Gamma",
        "Grey levels of the right view of stereo, from 0 to 1, are taken to "
        "this power before the gain"),
    {NULL}};

const Param multispectral_params[] = {
    PARAM_NUMBER (MultispectralParams, channels, 2, MULTISPECTRAL_MAX_CHANNELS,
        11, "Channels",
        "Channels of multispectral where they are stacked, bands of equal "
        "width from 400 to 1000 nm",
        .when = PARAM_STOPPED),
    PARAM_NUMBER (MultispectralParams, contrast, 0, 1, 1, "Contrast",
        "How far the spectrum of a target of multispectral is from the "
        "ground's, as part of what reflectances of 0 to 1 allow"),
    PARAM_NUMBER (MultispectralParams, drift, 0, .5, .1, "Drift",
        "Part of the light on multispectral that goes and comes within 300 "
        "frames"),
    {NULL}};

const Param clutter_params[] = {
    PARAM_NUMBER (ClutterParams, scene_frames, 0, UINT64_MAX, 0,
        "Frames of a scene",
        "After so many frames other things are dropped on the table of "
        "clutter; 0: never",
        .when = PARAM_BY_HAND),
    {NULL}};

#define DEFAULTS(Name, name) \
 Name##Params name##_defaults (void) \
 { \
  Name##Params p = {.scene.n_objects = 0}; /* the rest is nothing, too */ \
\
  params_defaults (scene_params, &p.scene); \
  params_defaults (name##_params, &p); \
  return p; \
 }

DEFAULTS (Chromatic, chromatic)
DEFAULTS (Rgbd, rgbd)
DEFAULTS (Stereo, stereo)
DEFAULTS (Multispectral, multispectral)
DEFAULTS (Clutter, clutter)
