/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * moct over the scene `chromatic`, against its truth: how far its centroids
 * are off, whom it misses or invents, and whether everybody keeps the id. */
#include <math.h>

#include "frames.h"
#include "moct/moct.h"
#include "scene/chromatic.h"

#define WIDTH 640
#define HEIGHT 480
#define MIN_PIXELS 50 /* pixels; who shows fewer is not missed */
/* Frames out of sight: ten, and slivers before and after. */
#define LONGEST 12

/* A scene, and what must be reached: the mean error as RGBA and as NV12, whose
 * chroma four pixels share. */
typedef struct {
  bool occlusion;
  uint64_t seed;
  int n_frames;
  double error[2];
} Case;

static const Case cases[] = {{false, 0, 1000, {.2, .3}},
    {true, 0, 300, {.3, .4}}, {true, 1, 300, {.3, .4}}};

#define N_OBJECTS 8

/* Of all objects and frames. */
typedef struct {
  double error; /* sum, pixels */
  int found, missed, false_finds, switches;
  int hidden, kept; /* times that one was out of sight, at most LONGEST
                       frames, and came back; and with its id */
} Score;

/* Of one object, from frame to frame. */
typedef struct {
  uint64_t id; /* when last found */
  int out;     /* frames since then */
} Seen;

/* What looks at the scene, in a format. */
typedef struct {
  Moct *moct;
  Frame frame;
  Score score;
  Seen seen[N_OBJECTS];
} View;

static const ImageFormat formats[2] = {IMAGE_RGBA, IMAGE_NV12};
static const char *const format_names[2] = {"RGBA", "NV12"};

/* The defaults of the element. */
static MoctParams
default_params (MoctColour *colours)
{
  MoctParams p = moct_defaults ();
  char text[N_OBJECTS * 64], problem[200];

  p.colours = colours;
  p.region = (ImageBox){0, 0, WIDTH, HEIGHT};
  chromatic_objects (N_OBJECTS, text, sizeof text);
  check (moct_parse (text, colours, &p.n_colours, problem, sizeof problem));
  return p;
}

/* The object seen nearest to @truth of those in @objects that are not taken;
 * NULL: none has its colour and lies in its box or near it. */
static const MoctObject *
find (const MoctObject *objects, int n, bool *taken, const SceneObject *truth)
{
  const int near = 8; /* pixels */
  double least = INFINITY;
  int best = -1;

  for (int i = 0; i < n; i++) {
    const MoctObject *o = &objects[i];
    double d = hypot (o->cx - truth->cx, o->cy - truth->cy);

    if (o->colour == truth->id && !taken[i] && o->state <= MOCT_TRACKING &&
        o->cx >= truth->box.x0 - near && o->cx < truth->box.x1 + near &&
        o->cy >= truth->box.y0 - near && o->cy < truth->box.y1 + near &&
        d < least)
      least = d, best = i;
  }
  if (best < 0)
    return NULL;
  taken[best] = true;
  return &objects[best];
}

static void
compare (Score *s, Seen *seen, const SceneObject *truth, const MoctObject *o)
{
  bool back;

  s->missed += truth->area >= MIN_PIXELS && !o;
  if (!o) {
    seen->out++;
    return;
  }
  back = seen->id && seen->out && seen->out <= LONGEST;
  seen->out = 0;
  s->hidden += back;
  s->error += hypot (o->cx - truth->cx, o->cy - truth->cy);
  s->found++;
  s->kept += back && o->id == seen->id;
  s->switches += seen->id && o->id != seen->id;
  seen->id = o->id;
}

static void
score_frame (
    View *v, const SceneObject *truth, const MoctObject *objects, int n)
{
  bool taken[N_OBJECTS * MOCT_MAX_OBJECTS] = {false};

  for (int k = 0; k < N_OBJECTS; k++)
    compare (&v->score, &v->seen[k], &truth[k],
        truth[k].area ? find (objects, n, taken, &truth[k]) : NULL);
  for (int i = 0; i < n; i++)
    v->score.false_finds += !taken[i] && objects[i].state <= MOCT_TRACKING;
}

/* One picture in both formats: to draw it takes longer than to look at it. */
static void
look (View *views, const MoctParams *params, const Image *rgb,
    const SceneObject *truth)
{
  for (int i = 0; i < 2; i++) {
    const MoctObject *objects;
    int n;

    for (int y = 0; y < HEIGHT; y += 2)
      scene_put_rows (&views[i].frame.image, rgb->plane[0], y);
    ok (moct_run (
        views[i].moct, params, &views[i].frame.image, 1. / 30, &objects, &n));
    score_frame (&views[i], truth, objects, n);
  }
}

static void
run_case (const Case *c, const Device *dev, View *views)
{
  ChromaticParams scene_params = chromatic_defaults ();
  MoctColour colours[MOCT_MAX_COLOURS];
  MoctParams params = default_params (colours);
  AUTO (Frame) rgb = frame_new (IMAGE_RGB, WIDTH, HEIGHT, 0, 1);
  SceneObject truth[N_OBJECTS];
  Chromatic *scene;

  scene_params.seed = c->seed;
  scene_params.occlusion = c->occlusion;
  ok (chromatic_new (&scene, WIDTH, HEIGHT));
  for (int i = 0; i < 2; i++) {
    views[i] = (View){.frame = frame_new (formats[i], WIDTH, HEIGHT, 0, 1)};
    ok (moct_new (&views[i].moct, dev, WIDTH, HEIGHT, 0));
  }
  for (int f = 0; f < c->n_frames; f++) {
    ok (chromatic_render (scene, &scene_params, f, &rgb.image, truth, NULL));
    look (views, &params, &rgb.image, truth);
  }
  for (int i = 0; i < 2; i++) {
    frame_free (&views[i].frame);
    moct_free (views[i].moct);
  }
  chromatic_free (scene);
}

/* Of @c->n_frames * N_OBJECTS sights, all must be found, but for slivers whose
 * rim is of no colour. */
static void
judge (const Case *c, int format, const Score *s)
{
  int sights = c->n_frames * N_OBJECTS;

  printf ("| chromatic, %s, seed %d | %s | %d | %.2f px | %d | %d | %d | %d of "
          "%d |\n",
      c->occlusion ? "occlusion" : "no occlusion", (int) c->seed,
      format_names[format], c->n_frames, s->error / s->found, s->missed,
      s->false_finds, s->switches, s->kept, s->hidden);
  check (s->found > (c->occlusion ? .9 : .999) * sights);
  check (s->error / s->found <= c->error[format]);
  check (s->missed <= (c->occlusion ? .01 : 0) * sights);
  check (s->false_finds == 0);
  check (s->switches == 0);
  check (s->kept == s->hidden);
  check (!c->occlusion || s->hidden >= 5);
}

static void
test_scenes (DeviceKind kind)
{
  View views[2];
  AUTO (Device) dev = device_of (kind);

  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    run_case (&cases[i], &dev, views);
    for (int format = 0; format < 2; format++)
      judge (&cases[i], format, &views[format].score);
  }
}

CHECK_MAIN (NULL, NULL, PART (scenes))
