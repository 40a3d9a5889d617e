/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A target that only its spectrum tells from what is around it. */
#pragma once

#include "emdtrack_stage.h"

/* A target of the same brightness in all sums of channels that a colour camera
 * sees, but with another spectrum: four bands, the camera sees 0 + 1 and
 * 2 + 3. */
static inline void
test_metamer (DeviceKind kind)
{
  EmdtrackFrame layout = {.layout = EMDTRACK_STACKED, .channels = 4};
  EmdtrackParams p = emdtrack_defaults ();
  EmdtrackTrackParams tp = emdtrack_track_defaults ();
  EmdtrackTracker *tracker;
  EmdtrackCodebook book;
  uint64_t id;
  Device dev;
  Emdtrack *e;

  p.codebook = &book;
  p.bins = 8;
  p.distance = EMDTRACK_EUCLIDEAN;
  p.saturation = 30;
  ok (device_open (&dev, kind, NULL));
  ok (emdtrack_new (&e, &dev, 120, 80));
  ok (emdtrack_tracker_new (&tracker));
  for (int k = 0; k < 25; k++) {
    int cx = 30 + 2 * k, cy = 40, n;
    Frame f = frame_new (IMAGE_GRAY8, 120, 80 * 4, 0, 1);
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
    frame_free (&f);
  }
  emdtrack_tracker_free (tracker);
  emdtrack_free (e);
  device_close (&dev);
}
