/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack's tracker with colours of a codebook: opened, given its targets, and
 * closed. */
#pragma once

#include "emdtrack/emdtrack_codebook.h"
#include "emdtrack/emdtrack_track.h"
#include "frames.h"

typedef struct {
  Device dev;
  Emdtrack *e;
  EmdtrackTracker *tracker;
  EmdtrackCodebook book;
  EmdtrackParams params;
} Follower;

static inline void
follower_open (Follower *f, DeviceKind kind, int width, int height, int bins)
{
  *f = (Follower){.params = emdtrack_defaults ()};
  f->params.codebook = &f->book;
  f->params.bins = bins;
  f->params.distance = EMDTRACK_EUCLIDEAN;
  f->params.saturation = 15; /* Delta E */
  ok (device_open (&f->dev, kind, NULL));
  ok (emdtrack_new (&f->e, &f->dev, width, height));
  ok (emdtrack_tracker_new (&f->tracker));
}

static inline void
follower_close (Follower *f)
{
  emdtrack_tracker_free (f->tracker);
  emdtrack_free (f->e);
  device_close (&f->dev);
}

/* The targets are what is in @n boxes of @frame; the codebook is learned from
 * @area of it. */
static inline void
follower_choose (Follower *f, const EmdtrackFrame *frame, ImageBox area,
    const ImageBox *boxes, int n)
{
  uint64_t id;

  ok (emdtrack_codebook_learn (&f->dev, frame, area, f->params.bins, &f->book));
  ok (emdtrack_index (f->e, &f->params, frame));
  for (int i = 0; i < n; i++)
    ok (emdtrack_tracker_add (f->tracker, f->e, &f->params, boxes[i], &id));
}
