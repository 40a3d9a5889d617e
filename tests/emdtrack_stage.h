/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Discs of two colours each in front of a pattern, and a tracker that watches
 * them. */
#pragma once

#include "frames.h"
#include "emdtrack/emdtrack_codebook.h"
#include "emdtrack/emdtrack_track.h"

#define STAGE_WIDTH 320
#define STAGE_HEIGHT 200

typedef enum { RED, BLUE } DiscColour;

typedef struct {
  double x, y, r;
  DiscColour colour;
  int turned; /* how much of it another colour has become, 0 to 30 */
} Disc;

typedef struct {
  Device dev;
  Emdtrack *e;
  EmdtrackTracker *tracker;
  EmdtrackCodebook book;
  EmdtrackParams params;
  EmdtrackTrackParams track;
  const EmdtrackTrack *tracks;
  int n_targets, n_tracks, n_frames;
  Frame frame;
} Stage;

/* The first @n_targets discs of the first frame are the targets. */
static inline void
stage_open (Stage *s, DeviceKind kind, int n_targets)
{
  *s = (Stage){.params = emdtrack_defaults (),
      .track = emdtrack_track_defaults (),
      .n_targets = n_targets};
  s->params.codebook = &s->book;
  s->params.bins = 12;
  s->params.distance = EMDTRACK_EUCLIDEAN;
  s->params.saturation = 15;
  ok (device_open (&s->dev, kind, NULL));
  ok (emdtrack_new (&s->e, &s->dev, STAGE_WIDTH, STAGE_HEIGHT));
  ok (emdtrack_tracker_new (&s->tracker));
  s->frame = frame_new (IMAGE_RGB, STAGE_WIDTH, STAGE_HEIGHT, 0, 1);
}

static inline void
stage_close (Stage *s)
{
  emdtrack_tracker_free (s->tracker);
  emdtrack_free (s->e);
  device_close (&s->dev);
  frame_free (&s->frame);
}

static inline void
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
static inline void
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

static inline ImageBox
disc_box (const Disc *d)
{
  return (ImageBox){(int) (d->x - d->r + .5), (int) (d->y - d->r + .5),
      (int) (d->x + d->r + .5), (int) (d->y + d->r + .5)};
}

static inline void
stage_choose (Stage *s, const EmdtrackFrame *frame, const Disc *d)
{
  ImageBox all = disc_box (&d[0]);
  uint64_t id;

  for (int k = 1; k < s->n_targets; k++) {
    ImageBox b = disc_box (&d[k]);

    all.x1 = b.x1 > all.x1 ? b.x1 : all.x1;
    all.y1 = b.y1 > all.y1 ? b.y1 : all.y1;
  }
  ok (emdtrack_codebook_learn (&s->dev, frame, all, 12, &s->book));
  ok (emdtrack_index (s->e, &s->params, frame));
  for (int k = 0; k < s->n_targets; k++)
    ok (emdtrack_tracker_add (
        s->tracker, s->e, &s->params, disc_box (&d[k]), &id));
}

static inline const EmdtrackTrack *
stage_play (Stage *s, const Disc *d, int n, int wall)
{
  EmdtrackFrame frame = {.layout = EMDTRACK_PLAIN};
  void *memory;

  stage_draw (s, d, n, wall);
  frame.image = frame_to_device (&s->frame, &s->dev, &memory);
  if (!s->n_frames++)
    stage_choose (s, &frame, d);
  ok (emdtrack_index (s->e, &s->params, &frame));
  ok (emdtrack_tracker_run (
      s->tracker, s->e, &s->params, &s->track, &s->tracks, &s->n_tracks));
  device_release (&s->dev, memory);
  return s->tracks;
}
