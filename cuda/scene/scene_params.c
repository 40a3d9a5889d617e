/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parameters of the scenes: ranges, defaults and texts. */
#include "common/rows.h"
#include "scene/chromatic.h"
#include "scene/clutter.h"
#include "scene/multispectral.h"
#include "scene/rgbd.h"
#include "scene/stereo.h"

#define ROWS_OF SceneParams
const Param scene_params[] = {
    BY_HAND (NUMBER, seed, 0, UINT64_MAX, 0,
        "Seed of the scene; the same seed shows the same frames"),
    BY_HAND (TITLED, "Number of objects", NUMBER, n_objects, 1,
        CHROMATIC_MAX_OBJECTS, 8,
        "Number of objects, each with its own colour; in multispectral, with "
        "its own spectrum; in clutter, up to 32. Up to 12 have named colours; "
        "more are hard to tell apart unless noise and shadows are low"),
    BY_HAND (NUMBER, speed, 0, 8, 1,
        "Speed of objects: at 1 they cross the frame in about 200 frames; the "
        "robot of rgbd moves 8 mm or 1.2 degrees per frame; those of stereo "
        "move to and fro within about 120 frames, the camera of clutter within "
        "200. A change of speed also changes their positions"),
    NUMBER (noise, 0, 64, 2,
        "Standard deviation of the sensor's noise: of grey levels; in rgbd of "
        "depth, in eighths of a step (0 = exact depth); in clutter of both"),
    NUMBER (texture, 0, 1, .5, "Contrast of the ground's texture"),
    BY_HAND (NUMBER, distractors, 0, CHROMATIC_MAX_PATCHES, 4,
        "Number of small patches that come and go, with colours just outside "
        "the tolerance of an object's; in multispectral, patches of paint, "
        "every second one with the ground's colour and another spectrum"),
    BY_HAND (SWITCH, occlusion, true,
        "Objects pass in front of each other and behind a pillar; if false, "
        "objects never touch"),
    {0}};

_Static_assert(MULTISPECTRAL_MAX_OBJECTS == CHROMATIC_MAX_OBJECTS &&
        MULTISPECTRAL_MAX_PATCHES == CHROMATIC_MAX_PATCHES,
    "chromatic and multispectral have as many objects and patches");

#undef ROWS_OF
#define ROWS_OF ChromaticParams
const Param chromatic_params[] = {
    NUMBER (shadows, 0, .5, .2,
        "Part of the light that shadows take from objects; the tolerances of "
        "the palette hold up to the default"),
    BY_HAND (NUMBER, twins, 0, CHROMATIC_MAX_PATCHES, 0,
        "Number of small patches that come and go, with exactly an object's "
        "colour, far away from it"),
    {0}};

CHOICES (paths,
    {RGBD_PARALLEL, "parallel", "Parallel to the image plane, to and fro"},
    {RGBD_TOWARDS, "towards", "Across the view and nearer"},
    {RGBD_FRONTAL, "frontal", "Straight towards the camera"},
    {RGBD_AWAY, "away", "Straight away from the camera"},
    {RGBD_PASS, "pass", "Through the view and out of it"},
    {RGBD_ROTATION, "rotation", "Turns on the spot"},
    {RGBD_VISIT, "visit", "To a stop, then out of the view, and back"},
    {RGBD_AXES, "axes",
        "A machine in place of the robot: its quill, carriage and portal start "
        "to move one after the other"},
    {RGBD_PEOPLE, "people",
        "Two persons in place of the robot, who cover half of the view and "
        "more, walk to and fro"});

CHOICES (motions, {RGBD_STILL, "still", "Not at all"},
    {RGBD_SWAY, "sway", "As in a hand, 3 cm and 2 degrees to and fro"},
    {RGBD_ORBIT, "orbit", "50 degrees to each side around the robot"},
    {RGBD_WALK, "walk", "In steps, 1.2 m across and 0.4 m ahead"},
    {RGBD_SHAKE, "shake",
        "2 cm and 2 degrees to and fro within 10 to 16 frames"},
    {RGBD_JUMP, "jump",
        "As sway, but in another place for 30 of every 120 frames"});

#undef ROWS_OF
#define ROWS_OF RgbdParams
const Param rgbd_params[] = {
    BY_HAND (ONE_OF, path, paths, RGBD_PARALLEL, "Path of the robot of rgbd"),
    BY_HAND (TITLED, "Start of motion", NUMBER, motion_start, 0, UINT64_MAX, 30,
        "The frame at which the robot of rgbd starts to move"),
    BY_HAND (ONE_OF, camera, motions, RGBD_SWAY, "How the camera of rgbd moves",
        .kind = "Motion"),
    BY_HAND (NUMBER, robots, 1, RGBD_MAX_OBJECTS, 1,
        "Number of robots of rgbd, each with its own path; each starts 40 "
        "frames after the one before it; path is that of the first"),
    BY_HAND (NUMBER, distortion, 0, 1, 0,
        "Radial distortion of the lens of rgbd, as a multiple of that of a "
        "Kinect One"),
    BY_HAND (NUMBER, depth_spacing, 0, 4, 1,
        "Columns and rows from one pixel of rgbd with depth to the next; above "
        "1 the depth is a grid of holes, as if it were registered to a finer "
        "picture; 1.7 leaves a third of the pixels"),
    {0}};

CHOICES (contents, {STEREO_ALL, "all", "Planes, balls and a head"},
    {STEREO_PLANES, "planes", "A wall, the ground and two boards that sway"},
    {STEREO_SPHERES, "spheres", "Three balls, and nothing behind them"},
    {STEREO_HEAD, "head", "A head, and nothing behind it"});

#undef ROWS_OF
#define ROWS_OF StereoParams
const Param stereo_params[] = {
    BY_HAND (ONE_OF, contents, contents, STEREO_ALL, "What stereo shows"),
    NUMBER (baseline, .001, 1, .06,
        "Distance between the cameras of stereo in metres; 0.06 makes "
        "disparities of 14 to 60 pixels in a view of 640 x 480"),
    NUMBER (disparity_offset, -STEREO_MAX_SIZE, STEREO_MAX_SIZE, 0,
        "Pixels that are added to all disparities of stereo; negative for "
        "cameras that look towards each other"),
    NUMBER (misalignment, -64, 64, 0,
        "Rows by which the right view of stereo is lower than the left one"),
    NUMBER (gain, .1, 4, 1,
        "Light in the right view of stereo, as a multiple of the left one's"),
    NUMBER (gamma, .2, 5, 1,
        "Exponent of the grey levels, from 0 to 1, of the right view of "
        "stereo, before the gain"),
    {0}};

#undef ROWS_OF
#define ROWS_OF MultispectralParams
const Param multispectral_params[] = {
    STOPPED (NUMBER, channels, 2, MULTISPECTRAL_MAX_CHANNELS, 11,
        "Number of channels of multispectral if they are stacked: bands of "
        "equal width from 400 to 1000 nm"),
    NUMBER (contrast, 0, 1, 1,
        "Distance of the spectrum of a target of multispectral from the "
        "ground's, as part of the range that reflectances of 0 to 1 allow"),
    NUMBER (drift, 0, .5, .1,
        "Part of multispectral's light that varies, in periods of 300 frames"),
    {0}};

#undef ROWS_OF
#define ROWS_OF ClutterParams
const Param clutter_params[] = {BY_HAND (TITLED, "Frames of a scene", NUMBER,
                                    scene_frames, 0, UINT64_MAX, 0,
                                    "In clutter, drop other things on the "
                                    "table after this many frames (0 = never)"),
    TITLED ("Bias of depth", NUMBER, depth_bias, -.1, .1, 0,
        "Error of all depth of clutter in metres, to whole millimetres; "
        "positive for too much depth"),
    NUMBER (camera_offset, -1, 1, 0,
        "Metres by which the camera of clutter stands to the right of its "
        "place, for a second camera of the same scene"),
    BY_HAND (NUMBER, carried, 0, CLUTTER_MAX_OBJECTS, 0,
        "Number of things of clutter that an unseen hand lifts and carries to "
        "and fro: from frame 30 on the thing that fell last, 40 frames later "
        "the one before it, and so on"),
    {0}};

#define SCENE(Name, name) \
 Name##Params name##_defaults (void) \
 { \
  Name##Params p = {.scene.n_objects = 0}; /* all other members are 0, too */ \
\
  params_defaults (scene_params, &p.scene); \
  params_defaults (name##_params, &p); \
  return p; \
 }

SCENE (Chromatic, chromatic)
SCENE (Rgbd, rgbd)
SCENE (Stereo, stereo)
SCENE (Multispectral, multispectral)
SCENE (Clutter, clutter)
