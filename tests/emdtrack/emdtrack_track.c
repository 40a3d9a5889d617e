/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack's tracker on drawn scenes whose truth is known. */
#include <math.h>

#include "emdtrack_follow.h"

/* ---- The stage ---- */

/* Discs of two colours each in front of a pattern, and a tracker that watches
 * them. */

#define STAGE_WIDTH 320
#define STAGE_HEIGHT 200

typedef enum { RED, BLUE } DiscColour;

typedef struct {
  double x, y, r;
  DiscColour colour;
  int turned; /* how much of it another colour has become, 0 to 30 */
} Disc;

typedef struct {
  Follower by;
  EmdtrackTrackParams track;
  const EmdtrackTrack *tracks;
  int n_targets, n_tracks, n_frames;
  Frame frame;
} Stage;

/* The first @n_targets discs of the first frame are the targets. */
static void
stage_open (Stage *s, DeviceKind kind, int n_targets)
{
  *s = (Stage){.track = emdtrack_track_defaults (), .n_targets = n_targets};
  follower_open (&s->by, kind, STAGE_WIDTH, STAGE_HEIGHT, 12);
  s->frame = frame_new (IMAGE_RGB, STAGE_WIDTH, STAGE_HEIGHT, 0, 1);
}

static void
stage_close (Stage *s)
{
  follower_close (&s->by);
  frame_free (&s->frame);
}

AUTO_FREE (Stage, stage_close)

static void
disc_pixel (const Disc *d, double u, double v, uint8_t c[3])
{
  static const uint8_t colours[2][2][3] = {
      {{200, 40, 50}, {230, 200, 60}}, {{40, 60, 190}, {120, 220, 230}}};
  bool second = (u + 2 * d->r) / d->r > 2.3;

  memcpy (c, colours[d->colour][second], 3);
  if (!second && (v / d->r + 1) * 15 < d->turned)
    c[1] = 160;
}

/* @wall: the left side of a wall 40 pixels wide, or -1. */
static void
stage_draw (Stage *s, const Disc *d, int n, int wall)
{
  for (int i = 0; i < STAGE_WIDTH * STAGE_HEIGHT; i++) {
    int x = i % STAGE_WIDTH, y = i / STAGE_WIDTH;
    int v = (x / 16 + y / 12) % 2 ? 90 : 130;
    uint8_t c[3] = {(uint8_t) v, (uint8_t) (v + 10), (uint8_t) (v - 20)};

    for (int k = 0; k < n; k++) {
      double a = x - d[k].x, b = y - d[k].y;

      if (a * a + b * b < d[k].r * d[k].r)
        disc_pixel (&d[k], a, b, c);
    }
    if (wall >= 0 && x >= wall && x < wall + 40)
      c[0] = c[1] = c[2] = 60;
    for (int k = 0; k < 3; k++)
      c[k] = (uint8_t) (c[k] + rnd (9));
    memcpy (s->frame.image.plane[0] + 3 * (size_t) i, c, 3);
  }
}

static ImageBox
disc_box (const Disc *d)
{
  return (ImageBox){(int) (d->x - d->r + .5), (int) (d->y - d->r + .5),
      (int) (d->x + d->r + .5), (int) (d->y + d->r + .5)};
}

static void
stage_choose (Stage *s, const EmdtrackFrame *frame, const Disc *d)
{
  ImageBox boxes[EMDTRACK_TARGETS], all = disc_box (&d[0]);

  for (int k = 0; k < s->n_targets; k++) {
    boxes[k] = disc_box (&d[k]);
    all.x1 = boxes[k].x1 > all.x1 ? boxes[k].x1 : all.x1;
    all.y1 = boxes[k].y1 > all.y1 ? boxes[k].y1 : all.y1;
  }
  follower_choose (&s->by, frame, all, boxes, s->n_targets);
}

/* Follows the targets, which @d draws in the first frame. */
static void
stage_follow (Stage *s, const Disc *d)
{
  EmdtrackFrame frame = {.layout = EMDTRACK_PLAIN};
  void *memory;

  frame.image = frame_to_device (&s->frame, &s->by.dev, &memory);
  if (!s->n_frames++)
    stage_choose (s, &frame, d);
  ok (emdtrack_index (s->by.e, &s->by.params, &frame));
  ok (emdtrack_tracker_run (s->by.tracker, s->by.e, &s->by.params, &s->track,
      &s->tracks, &s->n_tracks));
  device_release (&s->by.dev, memory);
}

static const EmdtrackTrack *
stage_play (Stage *s, const Disc *d, int n, int wall)
{
  stage_draw (s, d, n, wall);
  stage_follow (s, d);
  return s->tracks;
}

/* ---- Waits for the device ---- */

static const DeviceOps *waiting_ops;
static int n_waits;

static const char *
counted_wait (const Device *dev)
{
  n_waits++;
  return waiting_ops->wait (dev);
}

/* Lets waits of the stage's Emdtrack be counted. */
static void
stage_count_waits (Stage *s)
{
  static DeviceOps ops;
  Device dev = s->by.dev;

  waiting_ops = dev.ops;
  ops = *dev.ops;
  ops.wait = counted_wait;
  dev.ops = &ops;
  emdtrack_free (s->by.e);
  ok (emdtrack_new (&s->by.e, &dev, STAGE_WIDTH, STAGE_HEIGHT));
}

/* Each target that is followed waits for a GPU three times a frame, and twice
 * more where look-alikes are searched for. */
static void
test_waits (DeviceKind kind)
{
  const int each = kind == DEVICE_CUDA ? 3 : 4, survey = 5;

  for (int n = 1; n <= 3; n++) {
    AUTO (Stage) s;

    stage_open (&s, kind, n);
    stage_count_waits (&s);
    for (int k = 0; k < 40; k++) {
      Disc d[3] = {{60 + 3 * k, 60, 16, RED, 0},
          {250 - 2 * k, 130, 18, BLUE, 0}, {40 + k, 160, 14, RED, 0}};
      int least = 0;

      stage_draw (&s, d, 3, -1);
      if (k)
        n_waits = 0;
      stage_follow (&s, d);
      for (int i = 0; i < n; i++) {
        check (s.tracks[i].state == EMDTRACK_TRACKING);
        least += (s.tracks[i].age + s.tracks[i].id) % 16 ? each : survey;
      }
      check (!k || n_waits == least);
    }
  }
}

/* ---- A metamer ---- */

/* A target that only its spectrum tells from what is around it. */

/* A target of the same brightness in all sums of channels that a colour camera
 * sees, but with another spectrum: four bands, the camera sees 0 + 1 and
 * 2 + 3. */
static void
test_metamer (DeviceKind kind)
{
  EmdtrackFrame layout = {.layout = EMDTRACK_STACKED, .channels = 4};
  EmdtrackParams p = emdtrack_defaults ();
  EmdtrackTrackParams tp = emdtrack_track_defaults ();
  EmdtrackTracker *tracker;
  EmdtrackCodebook book;
  uint64_t id;
  AUTO (Device) dev = device_of (kind);
  Emdtrack *e;

  p.codebook = &book;
  p.bins = 8;
  p.distance = EMDTRACK_EUCLIDEAN;
  p.saturation = 30;
  ok (emdtrack_new (&e, &dev, 120, 80));
  ok (emdtrack_tracker_new (&tracker));
  for (int k = 0; k < 25; k++) {
    int cx = 30 + 2 * k, cy = 40, n;
    AUTO (Frame) f = frame_new (IMAGE_GRAY8, 120, 80 * 4, 0, 1);
    EmdtrackFrame frame = layout;
    const EmdtrackTrack *t;
    void *memory;

    for (int i = 0; i < 120 * 80; i++) {
      int x = i % 120, y = i / 120;
      bool target = (x - cx) * (x - cx) + (y - cy) * (y - cy) < 100;
      int light = 60 + (int) rnd (40), shade = 30 + (int) rnd (20);
      int band[4] = {light, shade, light, shade};

      for (int c = 0; c < 4; c++)
        f.image.plane[0][c * 9600 + i] =
            (uint8_t) (band[target ? c ^ 1 : c] + (int) rnd (5));
    }
    frame.image = frame_to_device (&f, &dev, &memory);
    if (!k)
      ok (emdtrack_codebook_learn (&dev, &frame,
          (ImageBox){cx - 10, cy - 10, cx + 10, cy + 10}, 8, &book));
    ok (emdtrack_index (e, &p, &frame));
    if (!k)
      ok (emdtrack_tracker_add (
          tracker, e, &p, (ImageBox){cx - 10, cy - 10, cx + 10, cy + 10}, &id));
    ok (emdtrack_tracker_run (tracker, e, &p, &tp, &t, &n));
    check (t->state == EMDTRACK_TRACKING);
    check_near ((t->x0 + t->x1) / 2, cx, 2.5);
    check_near ((t->y0 + t->y1) / 2, cy, 2.5);
    device_release (&dev, memory);
  }
  emdtrack_tracker_free (tracker);
  emdtrack_free (e);
}

/* ---- Tracks ---- */

/* A disc crosses the frame on a curve. */
static void
test_moves (DeviceKind kind)
{
  AUTO (Stage) s;

  stage_open (&s, kind, 1);
  for (int k = 0; k < 60; k++) {
    Disc d = {60 + 3.5 * k, 90 + 40 * sin (k * .1), 16, RED, 0};
    const EmdtrackTrack *t = stage_play (&s, &d, 1, -1);

    check (t->state == EMDTRACK_TRACKING);
    check_near ((t->x0 + t->x1) / 2, d.x, 2.5);
    check_near ((t->y0 + t->y1) / 2, d.y, 2.5);
    check (t->distance < .25 && t->score == 1 - t->distance);
    check (k < 9 || fabs (t->vx - 3.5) < 2);
    check (t->id == 1 && t->age == (uint64_t) k + 1 && t->unseen == 0);
  }
}

/* It comes nearer, and goes away again: so does the box. */
static void
test_grows (DeviceKind kind)
{
  Stage s;

  for (int scales = 3; scales <= 5; scales += 2) {
    stage_open (&s, kind, 1);
    s.track.scales = scales;
    for (int k = 0; k < 100; k++) {
      Disc d = {160, 100, 14 + 12 * sin (k * .03), RED, 0};
      const EmdtrackTrack *t = stage_play (&s, &d, 1, -1);

      check (t->state == EMDTRACK_TRACKING);
      check_near ((t->x1 - t->x0) / (2 * d.r), 1, .25);
      check_near ((t->x0 + t->x1) / 2, d.x, 3);
    }
    stage_close (&s);
  }
}

/* It goes behind a wall for a few frames. */
static void
test_occluded (DeviceKind kind)
{
  int hidden = 0, found = 0;
  AUTO (Stage) s;

  stage_open (&s, kind, 1);
  for (int k = 0; k < 50; k++) {
    Disc d = {60 + 5 * k, 90, 14, RED, 0};
    const EmdtrackTrack *t = stage_play (&s, &d, 1, 165);

    hidden += t->state == EMDTRACK_OCCLUDED;
    found += t->state == EMDTRACK_FOUND;
    check (t->state != EMDTRACK_LOST);
    if (k < 12 || k > 36) {
      check (t->state == EMDTRACK_TRACKING);
      check_near ((t->x0 + t->x1) / 2, d.x, 3);
    }
  }
  check (hidden >= 3 && found == 4);
}

/* It is away for long, and comes back elsewhere. */
static void
test_lost (DeviceKind kind)
{
  int lost = 0;
  AUTO (Stage) s;

  stage_open (&s, kind, 1);
  for (int k = 0; k < 60; k++) {
    bool there = k < 10 || k >= 40;
    Disc d = {k < 10 ? 50 : 270, k < 10 ? 60 : 150, 15, RED, 0};
    const EmdtrackTrack *t = stage_play (&s, &d, there, -1);

    lost += t->state == EMDTRACK_LOST;
    check (k != 10 || t->state == EMDTRACK_OCCLUDED);
    check (k != 39 || t->state == EMDTRACK_LOST);
    check (k < 40 || k > 43 || t->state == EMDTRACK_FOUND);
    check (k < 10 || k > 39 || t->unseen == k - 9);
    if (k > 41)
      check (t->unseen == 0);
    if (k > 43) {
      check (t->state == EMDTRACK_TRACKING);
      check_near ((t->x0 + t->x1) / 2, d.x, 2.5);
      check_near ((t->y0 + t->y1) / 2, d.y, 2.5);
    }
  }
  check (lost == 21);
}

/* It goes and comes back, while others that look the same stay where they are,
 * or come later for a moment: it is none of these. */
static void
test_look_alikes (DeviceKind kind)
{
  Stage s;

  for (int others = 1; others <= 2; others++) {
    stage_open (&s, kind, 1);
    for (int k = 0; k < 110; k++) {
      bool away = k >= 30 && k < 80;
      Disc d[4] = {{away            ? -99
                           : k < 30 ? 60
                                    : 72,
                       90, 15, RED, 0},
          {160, 90, 15, RED, 0}, {others > 1 ? 260 : -99, 100, 15, RED, 0},
          {k >= 60 && k < 63 ? 70 : -99, 150, 15, RED, 0}};
      const EmdtrackTrack *t = stage_play (&s, d, 4, -1);

      if (away)
        check (t->state == EMDTRACK_OCCLUDED || t->state == EMDTRACK_LOST ||
            (t->state == EMDTRACK_FOUND && k >= 60 && k < 63));
      if (k < 30 || k > 83) {
        check (t->state == EMDTRACK_TRACKING);
        check_near ((t->x0 + t->x1) / 2, d[0].x, 2.5);
        check_near ((t->y0 + t->y1) / 2, d[0].y, 2.5);
      }
      check_near (t->x1 - t->x0, 30, 6);
    }
    stage_close (&s);
  }
}

/* A camera turns from it to another that looks the same, which no frame shows
 * with it as a whole, and back: the other one is not it. */
static void
test_turns_away (DeviceKind kind)
{
  AUTO (Stage) s;

  stage_open (&s, kind, 1);
  for (int k = 0; k < 110; k++) {
    int turned = k < 20 ? 0
        : k < 40        ? k - 20
        : k < 70        ? 20
        : k < 90        ? 90 - k
                        : 0;
    Disc d[2] = {
        {60 - 8 * turned, 90, 15, RED, 0}, {360 - 8 * turned, 90, 15, RED, 0}};
    const EmdtrackTrack *t = stage_play (&s, d, 2, -1);

    if (d[0].x < -15)
      check (t->state == EMDTRACK_OCCLUDED || t->state == EMDTRACK_LOST);
    if (k < 20 || k > 100) {
      check (t->state == EMDTRACK_TRACKING);
      check_near ((t->x0 + t->x1) / 2, d[0].x, 2.5);
    }
  }
}

/* It leaves the frame at a corner and comes back: half of its box is outside.
 */
static void
test_leaves (DeviceKind kind)
{
  AUTO (Stage) s;

  stage_open (&s, kind, 1);
  for (int k = 0; k < 120; k++) {
    double x = k < 60 ? 40 - k : k - 80;
    Disc d = {x, 90, 15, RED, 0};
    const EmdtrackTrack *t = stage_play (&s, &d, 1, -1);

    check (isfinite (t->x0) && isfinite (t->y1) && t->x1 > t->x0);
    check (t->distance >= 0 && t->distance <= 1);
    if (k < 20 || k > 115) {
      check (t->state == EMDTRACK_TRACKING);
      check_near ((t->x0 + t->x1) / 2, x, 3);
    }
  }
}

/* What is much larger or smaller than the target was is not the target. */
static void
test_other_size (DeviceKind kind)
{
  Stage s;

  for (int larger = 0; larger < 2; larger++) {
    stage_open (&s, kind, 1);
    for (int k = 0; k < 60; k++) {
      Disc d = {160, 100, k < 20 ? 15 : larger ? 34 : 7, RED, 0};
      const EmdtrackTrack *t = stage_play (&s, &d, k < 20 || k >= 35, -1);

      check (
          k < 20 || t->state == EMDTRACK_OCCLUDED || t->state == EMDTRACK_LOST);
    }
    stage_close (&s);
  }
}

/* Two targets of different colours cross. */
static void
test_two (DeviceKind kind)
{
  AUTO (Stage) s;

  stage_open (&s, kind, 2);
  for (int k = 0; k < 50; k++) {
    Disc d[2] = {{60 + 4 * k, 90, 14, RED, 0}, {260 - 4 * k, 120, 14, BLUE, 0}};
    const EmdtrackTrack *t = stage_play (&s, d, 2, -1);

    for (int i = 0; i < 2 && (k < 20 || k > 32); i++) {
      check_near ((t[i].x0 + t[i].x1) / 2, d[i].x, 3);
      check_near ((t[i].y0 + t[i].y1) / 2, d[i].y, 3);
    }
  }
  emdtrack_tracker_remove (s.by.tracker, 1);
  emdtrack_tracker_remove (s.by.tracker, 7);
  check (stage_play (&s, (Disc[]){{60, 90, 14, BLUE, 0}}, 1, -1)->id == 2);
  check (s.n_tracks == 1);
}

/* A target that is known by its histogram alone. */
static void
test_by_histogram (DeviceKind kind)
{
  EmdtrackTarget target;
  const EmdtrackTrack *t;
  uint64_t id;
  Disc d = {100, 80, 15, RED, 0};
  AUTO (Stage) s;

  stage_open (&s, kind, 1);
  target = stage_play (&s, &d, 1, -1)->target;
  emdtrack_tracker_remove (s.by.tracker, 1);
  ok (emdtrack_tracker_add_target (
      s.by.tracker, &s.by.params, &target, 30, 30, &id));
  check (id == 2);
  d.x = 250, d.y = 140;
  t = stage_play (&s, &d, 1, -1);
  check (t->state == EMDTRACK_FOUND);
  check_near ((t->x0 + t->x1) / 2, d.x, 3);
  check_near ((t->y0 + t->y1) / 2, d.y, 3);
}

/* The target's histogram follows slowly what it turns into, if that is asked
 * for. */
static void
test_update (DeviceKind kind)
{
  double distance[2];

  for (int with = 0; with < 2; with++) {
    AUTO (Stage) s;

    stage_open (&s, kind, 1);
    s.track.template_update = with ? .2 : 0;
    for (int k = 0; k < 60; k++) {
      Disc d = {160, 100, 15, RED, 0};

      d.turned = k / 2;
      distance[with] = stage_play (&s, &d, 1, -1)->distance;
    }
  }
  check (distance[1] < .6 * distance[0]);
}

#define REFUSED(...) \
 do { \
  EmdtrackTrackParams p = emdtrack_track_defaults (); \
  ok (emdtrack_track_check (&p)); \
  __VA_ARGS__; \
  check (emdtrack_track_check (&p)); \
 } while (0)

static void
test_refused (DeviceKind kind)
{
  Disc d = {100, 80, 15, RED, 0};
  EmdtrackTarget none = {{0}}, some = {{1}};
  EmdtrackCodebook book;
  EmdtrackFrame frame;
  uint64_t id;
  AUTO (Frame) f = frame_new (IMAGE_RGB, 20, 10, 0, 1);
  AUTO (Stage) s;

  REFUSED (p.search = 0);
  REFUSED (p.search = NAN);
  REFUSED (p.scales = 2);
  REFUSED (p.scale_step = 1);
  REFUSED (p.occlude = 1.5);
  REFUSED (p.resume = .6);
  REFUSED (p.lose_frames = 0);
  REFUSED (p.template_update = -1);
  REFUSED (p.contrast = -1);
  stage_open (&s, kind, 1);
  stage_play (&s, &d, 1, -1);
  check (emdtrack_tracker_add (
      s.by.tracker, s.by.e, &s.by.params, (ImageBox){5, 5, 5, 9}, &id));
  check (emdtrack_tracker_add (
      s.by.tracker, s.by.e, &s.by.params, (ImageBox){500, 5, 510, 9}, &id));
  check (emdtrack_tracker_add (s.by.tracker, s.by.e, &s.by.params,
      (ImageBox){INT32_MIN, 5, INT32_MAX, 9}, &id));
  check (emdtrack_tracker_add (s.by.tracker, s.by.e, &s.by.params,
      (ImageBox){5, INT32_MAX - 9, 9, INT32_MAX}, &id));
  check (emdtrack_tracker_add_target (
      s.by.tracker, &s.by.params, &none, 9, 9, &id));
  check (emdtrack_tracker_add_target (
      s.by.tracker, &s.by.params, &some, 0, 9, &id));
  for (int k = 1; k < EMDTRACK_TARGETS; k++)
    ok (emdtrack_tracker_add_target (
        s.by.tracker, &s.by.params, &some, 3000, 1, &id));
  check (emdtrack_tracker_add_target (
      s.by.tracker, &s.by.params, &some, 9, 9, &id));
  stage_play (&s, &d, 1, -1); /* larger than the frame: never found */
  check (s.tracks[1].state == EMDTRACK_LOST);
  frame = (EmdtrackFrame){.image = f.image};
  frame_randomise (&f);
  check (emdtrack_codebook_learn (
      &s.by.dev, &frame, (ImageBox){20, 0, 30, 5}, 8, &book));
  check (emdtrack_codebook_learn (
      &s.by.dev, &frame, (ImageBox){0, 0, 3, 5}, 17, &book));
  emdtrack_tracker_free (NULL);
}

/* A target as wide as the widest frame; the largest size that is tried is 2.25
 * times that, and what is around it 3.6 times. */
static void
test_widest (DeviceKind kind)
{
  ImageBox all = {0, 0, EMDTRACK_MAX_SIDE, 16};
  EmdtrackTrackParams track = emdtrack_track_defaults ();
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, all.x1, all.y1, 0, 1);
  EmdtrackFrame frame = {.image = f.image};
  const EmdtrackTrack *tracks;
  Follower by;
  void *memory;
  int n;

  frame_randomise (&f);
  follower_open (&by, kind, all.x1, all.y1, 4);
  frame.image = frame_to_device (&f, &by.dev, &memory);
  follower_choose (&by, &frame, all, &all, 1);
  track.scales = 5;
  track.scale_step = 1.5;
  for (int k = 0; k < 3; k++) {
    ok (emdtrack_tracker_run (
        by.tracker, by.e, &by.params, &track, &tracks, &n));
    check (tracks[0].state == EMDTRACK_TRACKING);
  }
  device_release (&by.dev, memory);
  follower_close (&by);
}

/* Regions whose numbers or counts do not fit 32 bits. */
static void
test_regions (DeviceKind kind)
{
  const int most = INT32_MAX, least = INT32_MIN;
  const EmdtrackRegion wrong[] = {{{3, 0, 3, 9}, 1}, {{0, 9, 5, 8}, 1},
      {{0, 0, 9, 9}, 0}, {{0, 0, 9, 9}, most}, {{least, 0, most, 1}, 1},
      {{0, least, 1, most}, 1}, {{least, 0, least + 9, 9}, 1},
      {{most - 9, 0, most, 9}, 1}, {{-12288, -15360, 20480, 17408}, 1}};
  const uint32_t *counts;
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, 8192, 2304, 0, 1);
  EmdtrackFrame frame = {.image = f.image};
  EmdtrackParams p = emdtrack_defaults ();
  void *memory;
  Device dev;
  Emdtrack *e;

  p.histogram = EMDTRACK_INTENSITY;
  ok (device_open (&dev, kind, NULL));
  frame.image = frame_to_device (&f, &dev, &memory);
  ok (emdtrack_new (&e, &dev, f.image.width, f.image.height));
  ok (emdtrack_index (e, &p, &frame));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    check (emdtrack_count (e, &wrong[i], 1, &counts));
  emdtrack_free (e);
  device_release (&dev, memory);
  device_close (&dev);
}

/* The same pixels give the same codebook, whatever their layout; a frame of one
 * colour is no trouble. */
static void
test_codebook (DeviceKind kind)
{
  AUTO (Frame) f = frame_new (IMAGE_RGB, 60, 40, 3, 1);
  AUTO (Frame) g = frame_new (IMAGE_BGRA, 60, 40, 0, 4);
  EmdtrackFrame a = {.image = f.image}, b = {.image = g.image};
  ImageBox box = {20, 10, 30, 20};
  EmdtrackCodebook one, other;
  AUTO (Device) dev = device_of (DEVICE_CPU);

  for (int flat = 0; flat < 2; flat++) {
    for (int i = 0; i < 60 * 40; i++) {
      uint8_t c[3];

      for (int k = 0; k < 3; k++)
        c[k] = (uint8_t) (flat ? 77 : rnd (256));
      frame_set (&f, i % 60, i / 60, c);
      frame_set (&g, i % 60, i / 60, c);
    }
    ok (emdtrack_codebook_learn (&dev, &a, box, 12, &one));
    ok (emdtrack_codebook_learn (&dev, &b, box, 12, &other));
    check (!memcmp (&one, &other, sizeof one));
    for (int k = 0; k < 12; k++)
      check (one.centre[k][0] >= 0 && one.centre[k][0] <= 100);
  }
  /* grey 77: L* by the definition of CIE 1976 */
  check_near (one.centre[0][0],
      116 * cbrt (pow ((77 / 255. + .055) / 1.055, 2.4)) - 16, 1e-3);
  check_near (one.centre[0][1], 0, .01);
}

/* What two frames show, black and white, is in the codebook of both. */
static void
test_views (DeviceKind kind)
{
  AUTO (Frame) f = frame_new (IMAGE_RGB, 30, 20, 0, 1);
  AUTO (Frame) g = frame_new (IMAGE_GRAY8, 8, 8, 0, 1);
  EmdtrackFrame a = {.image = f.image}, b = {.image = g.image};
  EmdtrackView v[2] = {
      {&a, {0, 0, 30, 20}, {0}, 1}, {&b, {-9, -9, 99, 99}, {0, 0, 2, 2}, 9}};
  EmdtrackCodebook book;
  Device dev = device_of (DEVICE_CPU);

  memset (f.image.plane[0], 0, 20 * (size_t) f.image.stride[0]);
  memset (g.image.plane[0], 255, 8 * (size_t) g.image.stride[0]);
  ok (emdtrack_codebook_learn_views (&dev, v, 2, 2, &book));
  check_near (fabs (book.centre[0][0] - book.centre[1][0]), 100, .1);
  check (emdtrack_codebook_learn_views (&dev, v, 0, 2, &book));
  b.layout = EMDTRACK_STACKED;
  b.channels = 4;
  check (emdtrack_codebook_learn_views (&dev, v, 2, 2, &book));
  v[0].around.x0 = 30;
  check (emdtrack_codebook_learn_views (&dev, v, 1, 2, &book));
}

/* ---- Parity ---- */

/* Tracks on the CPU and on the GPU are bit for bit the same, also where targets
 * grow, are hidden, are lost, and are found again. */
static void
test_parity_tracks (DeviceKind kind)
{
  for (int round = 0; round < 3; round++) {
    AUTO (Stage) cpu, cuda;

    stage_open (&cpu, DEVICE_CPU, 2);
    stage_open (&cuda, DEVICE_CUDA, 2);
    cpu.track.scales = cuda.track.scales = 1 + 2 * round;
    cpu.track.template_update = cuda.track.template_update =
        round == 1 ? .1 : 0;
    cpu.track.contrast = cuda.track.contrast = round == 2 ? 0 : .5;
    cpu.track.lose_frames = cuda.track.lose_frames = 8;
    for (int k = 0; k < 90; k++) {
      double r = 15 + (round ? .1 * k : 0);
      Disc d[2] = {{50 + 2.5 * k, 80 + 30 * sin (k * .1), r, RED, k % 30},
          {260 - 2 * k, 140, 17, BLUE, 0}};
      bool gone = k > 60 && k < 75;

      stage_draw (&cpu, d + gone, 2 - gone, k < 60 ? 150 : -1);
      memcpy (cuda.frame.image.plane[0], cpu.frame.image.plane[0],
          3 * STAGE_WIDTH * STAGE_HEIGHT);
      stage_follow (&cpu, d);
      stage_follow (&cuda, d);
      check (cpu.n_tracks == 2 && cuda.n_tracks == 2 &&
          !memcmp (cpu.tracks, cuda.tracks, 2 * sizeof *cpu.tracks));
    }
  }
}

static const CheckPart parity[] = {
    {"tracks", test_parity_tracks}, {NULL, NULL}};

CHECK_MAIN (parity, NULL, PART (moves), PART (grows), PART (occluded),
    PART (lost), PART (leaves), {"look-alikes", test_look_alikes},
    {"turns away", test_turns_away}, {"other size", test_other_size},
    PART (two), {"by histogram", test_by_histogram}, PART (metamer),
    PART (update), PART (waits), PART (refused), PART (widest), PART (regions),
    PART (codebook), PART (views))
