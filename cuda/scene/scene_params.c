/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parameters of the scenes: ranges, defaults and texts. */
#include "scene/chromatic.h"
#include "scene/clutter.h"
#include "scene/multispectral.h"
#include "scene/rgbd.h"
#include "scene/stereo.h"

#define BY_HAND(...) PARAM_WHEN (BY_HAND, __VA_ARGS__)
#define STOPPED(...) PARAM_WHEN (STOPPED, __VA_ARGS__)

const Param scene_params[] = {
    BY_HAND (NUMBER, SceneParams, seed, 0, UINT64_MAX, 0, "Seed",
        "Seed of the scene; the same seed shows the same frames"),
    BY_HAND (NUMBER, SceneParams, n_objects, 1, CHROMATIC_MAX_OBJECTS, 8,
        "Number of objects",
        "Number of objects, each with its own colour; in multispectral, with "
        "its own spectrum; in clutter, up to 32. Up to 12 have named colours; "
        "more are hard to tell apart unless noise and shadows are low"),
    BY_HAND (NUMBER, SceneParams, speed, 0, 8, 1, "Speed",
        "Speed of objects: at 1 they cross the frame in about 200 frames; the "
        "robot of rgbd moves 8 mm or 1.2 degrees per frame; those of stereo "
        "move to and fro within about 120 frames, the camera of clutter within "
        "200. A change of speed also changes their positions"),
    PARAM_NUMBER (SceneParams, noise, 0, 64, 2, "Noise",
        "Standard deviation of the sensor's noise: of grey levels; in rgbd of "
        "depth, in eighths of a step (0 = exact depth); in clutter of both"),
    PARAM_NUMBER (SceneParams, texture, 0, 1, .5, "Texture",
        "Contrast of the ground's texture"),
    BY_HAND (NUMBER, SceneParams, distractors, 0, CHROMATIC_MAX_PATCHES, 4,
        "Distractors",
        "Number of small patches that come and go, with colours just outside "
        "the tolerance of an object's; in multispectral, patches of paint, "
        "every second one with the ground's colour and another spectrum"),
    BY_HAND (SWITCH, SceneParams, occlusion, true, "Occlusion",
        "Objects pass in front of each other and behind a pillar; if false, "
        "objects never touch"),
    {NULL}};

_Static_assert(MULTISPECTRAL_MAX_OBJECTS == CHROMATIC_MAX_OBJECTS &&
        MULTISPECTRAL_MAX_PATCHES == CHROMATIC_MAX_PATCHES,
    "chromatic and multispectral have as many objects and patches");

const Param chromatic_params[] = {
    PARAM_NUMBER (ChromaticParams, shadows, 0, .5, .2, "Shadows",
        "Part of the light that shadows take from objects; the tolerances of "
        "the palette hold up to the default"),
    BY_HAND (NUMBER, ChromaticParams, twins, 0, CHROMATIC_MAX_PATCHES, 0,
        "Twins",
        "Number of small patches that come and go, with exactly an object's "
        "colour, far away from it"),
    {NULL}};

static const ParamChoice paths[] = {
    {RGBD_PARALLEL, "Parallel to the image plane, to and fro", "parallel"},
    {RGBD_TOWARDS, "Across the view and nearer", "towards"},
    {RGBD_FRONTAL, "Straight towards the camera", "frontal"},
    {RGBD_AWAY, "Straight away from the camera", "away"},
    {RGBD_PASS, "Through the view and out of it", "pass"},
    {RGBD_ROTATION, "Turns on the spot", "rotation"},
    {RGBD_VISIT, "To a stop, then out of the view, and back", "visit"},
    {RGBD_AXES,
        "A machine in place of the robot: its quill, carriage and portal start "
        "to move one after the other",
        "axes"},
    {0, NULL, NULL}};

static const ParamChoice motions[] = {{RGBD_STILL, "Not at all", "still"},
    {RGBD_SWAY, "As in a hand, 3 cm and 2 degrees to and fro", "sway"},
    {RGBD_ORBIT, "50 degrees to each side around the robot", "orbit"},
    {RGBD_WALK, "In steps, 1.2 m across and 0.4 m ahead", "walk"},
    {RGBD_SHAKE, "2 cm and 2 degrees to and fro within 10 to 16 frames",
        "shake"},
    {RGBD_JUMP, "As sway, but in another place for 30 of every 120 frames",
        "jump"},
    {0, NULL, NULL}};

const Param rgbd_params[] = {
    PARAM_ONE_OF (RgbdParams, path, paths, RGBD_PARALLEL, "Path",
        "Path of the robot of rgbd", .when = PARAM_BY_HAND),
    PARAM_NUMBER (RgbdParams, motion_start, 0, UINT64_MAX, 30,
        "Start of motion",
        "The frame at which the robot of rgbd starts to move",
        .when = PARAM_BY_HAND),
    PARAM_ONE_OF (RgbdParams, camera, motions, RGBD_SWAY, "Camera",
        "How the camera of rgbd moves", .when = PARAM_BY_HAND,
        .kind = "Motion"),
    PARAM_NUMBER (RgbdParams, robots, 1, RGBD_MAX_OBJECTS, 1, "Robots",
        "Number of robots of rgbd, each with its own path; each starts 40 "
        "frames after the one before it; path is that of the first",
        .when = PARAM_BY_HAND),
    PARAM_NUMBER (RgbdParams, distortion, 0, 1, 0, "Distortion",
        "Radial distortion of the lens of rgbd, as a multiple of that of a "
        "Kinect One",
        .when = PARAM_BY_HAND),
    {NULL}};

static const ParamChoice contents[] = {
    {STEREO_ALL, "Planes, balls and a head", "all"},
    {STEREO_PLANES, "A wall, the ground and two boards that sway", "planes"},
    {STEREO_SPHERES, "Three balls, and nothing behind them", "spheres"},
    {STEREO_HEAD, "A head, and nothing behind it", "head"}, {0, NULL, NULL}};

const Param stereo_params[] = {
    BY_HAND (ONE_OF, StereoParams, contents, contents, STEREO_ALL, "Contents",
        "What stereo shows"),
    PARAM_NUMBER (StereoParams, baseline, .001, 1, .06, "Baseline",
        "Distance between the cameras of stereo in metres; 0.06 makes "
        "disparities of 14 to 60 pixels in a view of 640 x 480"),
    PARAM_NUMBER (StereoParams, disparity_offset, -STEREO_MAX_SIZE,
        STEREO_MAX_SIZE, 0, "Disparity offset",
        "Pixels that are added to all disparities of stereo; negative for "
        "cameras that look towards each other"),
    PARAM_NUMBER (StereoParams, misalignment, -64, 64, 0, "Misalignment",
        "Rows by which the right view of stereo is lower than the left one"),
    PARAM_NUMBER (StereoParams, gain, .1, 4, 1, "Gain",
        "Light in the right view of stereo, as a multiple of the left one's"),
    PARAM_NUMBER (StereoParams, gamma, .2, 5, 1, "Gamma",
        "Exponent of the grey levels, from 0 to 1, of the right view of "
        "stereo, before the gain"),
    {NULL}};

const Param multispectral_params[] = {
    STOPPED (NUMBER, MultispectralParams, channels, 2,
        MULTISPECTRAL_MAX_CHANNELS, 11, "Channels",
        "Number of channels of multispectral if they are stacked: bands of "
        "equal width from 400 to 1000 nm"),
    PARAM_NUMBER (MultispectralParams, contrast, 0, 1, 1, "Contrast",
        "Distance of the spectrum of a target of multispectral from the "
        "ground's, as part of the range that reflectances of 0 to 1 allow"),
    PARAM_NUMBER (MultispectralParams, drift, 0, .5, .1, "Drift",
        "Part of multispectral's light that varies, in periods of 300 frames"),
    {NULL}};

const Param clutter_params[] = {BY_HAND (NUMBER, ClutterParams, scene_frames, 0,
                                    UINT64_MAX, 0, "Frames of a scene",
                                    "In clutter, drop other things on the "
                                    "table after this many frames (0 = never)"),
    PARAM_NUMBER (ClutterParams, depth_bias, -.1, .1, 0, "Bias of depth",
        "Error of all depth of clutter in metres, to whole millimetres; "
        "positive for too much depth"),
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
