/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures of components and the criteria of section 3.5.3, by hand. */
#pragma once

#include <math.h>

#include "gpuccl_play.h"

/* One rectangle among criteria; its reason to be rejected. */
static inline GpucclReason
reason_of (DeviceKind kind, GpucclParams p, int width, int height)
{
  Play play;
  GpucclReason reason;

  play_open (&play, kind, 320, 240);
  play_rect (&play, 40, 30, width, height, 2000);
  play_run (&play, &p);
  check (play.r.n_components == 1);
  reason = play.r.components[0].reason;
  check ((play.r.components[0].state == GPUCCL_REJECTED) ==
      (reason != GPUCCL_PERSISTENCE));
  play_close (&play);
  return reason;
}

static inline void
test_criteria (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();

  check (reason_of (kind, p, 70, 50) == GPUCCL_SIZE); /* 3500 is not more */
  check (reason_of (kind, p, 71, 50) == GPUCCL_PERSISTENCE);
  p.min_size = 100;
  check (reason_of (kind, p, 16, 16) == GPUCCL_PERSISTENCE);
  check (reason_of (kind, p, 15, 100) == GPUCCL_EXTENT); /* 14 wide, no + 1 */
  check (reason_of (kind, p, 100, 15) == GPUCCL_EXTENT);
  p.min_extent = 14;
  check (reason_of (kind, p, 15, 100) == GPUCCL_PERSISTENCE);
  /* 2 40 20 / (20 39 + 40 19) */
  p.min_fill = 1600. / 1540;
  check (reason_of (kind, p, 40, 20) == GPUCCL_FILL);
  p.min_fill = 1600. / 1540 - 1e-9;
  check (reason_of (kind, p, 40, 20) == GPUCCL_PERSISTENCE);
}

/* Figure 6: an open frame is filled too little, a long slanted bar is too
 * thin. */
static inline void
test_shapes (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  const GpucclComponent *c;
  Play play;

  p.min_size = 1000;
  play_open (&play, kind, 320, 240);
  play_rect (&play, 20, 20, 100, 10, 2000); /* a U that lies on its side */
  play_rect (&play, 20, 110, 100, 10, 2000);
  play_rect (&play, 20, 30, 10, 80, 2000);
  play_run (&play, &p);
  c = &play.r.components[0];
  check (c->sum.area == 2800 && c->reason == GPUCCL_FILL);
  /* 20 rows of 99 and 80 of 9; 100 columns of 99 */
  check_near (c->fill, 5600. / (20 * 99 + 80 * 9 + 100 * 99), 1e-12);
  check_near (c->mean_width, (20 * 99 + 80 * 9) / 100., 1e-12);
  check_near (c->mean_height, 99, 1e-12);

  play_clear (&play);
  for (int i = 0; i < 150; i++)
    play_rect (&play, 20 + i, 20 + i, 10, 1, 2000);
  play_run (&play, &p);
  c = &play.r.components[0];
  check (c->sum.area == 1500 && c->reason == GPUCCL_EXTENT);
  check_near (c->mean_width, 9, 1e-12);
  check (c->fill > .75);

  p.min_size = 0;
  p.min_area = 1;
  play_clear (&play);
  play_rect (&play, 7, 7, 1, 1, 2000);
  play_run (&play, &p);
  c = &play.r.components[0];
  check (c->measured && c->fill == 0 && c->reason == GPUCCL_FILL);
  play_close (&play);
}

/* The ninth largest is not looked at. */
static inline void
test_rank (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  Play play;

  p.min_size = 300;
  p.max_components = 10;
  play_open (&play, kind, 320, 240);
  for (int i = 0; i < 12; i++)
    play_rect (&play, i % 6 * 50, i / 6 * 50, 20 + i, 20, 2000);
  play_run (&play, &p);
  check (play.r.n_labels == 12 && play.r.n_components == 10);
  for (int i = 0; i < 10; i++) {
    const GpucclComponent *c = &play.r.components[i];

    check (c->sum.area == (uint32_t) (20 * (31 - i)));
    check (c->measured == (i < 8));
    check (c->reason == (i < 8 ? GPUCCL_PERSISTENCE : GPUCCL_RANK));
    check (!c->id == (i >= 8));
  }
  check (!strcmp (gpuccl_reason_name (GPUCCL_RANK), "rank"));
  check (!gpuccl_reason_name (GPUCCL_NO_REASON));
  play_close (&play);
}

/* A plate 2 m away, and one that leans back. */
static inline void
test_measures (DeviceKind kind)
{
  GpucclParams p = gpuccl_defaults ();
  const GpucclComponent *c;
  Play play;

  p.camera = (GpucclCamera){true, 500, 400, 160, 120};
  play_open (&play, kind, 320, 240);
  play_rect (&play, 210, 80, 101, 41, 2000);
  play_run (&play, &p);
  c = &play.r.components[0];
  check (c->in_space);
  check_near (c->cx, 260, 1e-12);
  check_near (c->cy, 100, 1e-12);
  check_near (c->depth, 2, 1e-12);
  check_near (c->position[0], 100 * 2. / 500, 1e-12);
  check_near (c->position[1], -20 * 2. / 400, 1e-12);
  check_near (c->position[2], 2, 1e-12);
  check_near (c->extent[0], 100 * 2. / 500, 1e-5);
  check_near (c->extent[1], 40 * 2. / 400, 1e-5);
  check_near (c->extent[2], 0, 1e-12);

  play_clear (&play);
  for (int y = 0; y < 60; y++)
    play_rect (&play, 130, 91 + y, 60, 1, 1500 + 5 * y);
  p.filter = GPUCCL_NO_FILTER;
  play_run (&play, &p);
  c = &play.r.components[0];
  check_near (c->depth, 1.6475, 1e-12);
  check_near (c->extent[0], 59 * 1.795 / 500, 1e-5); /* the far edge */
  check_near (c->extent[1], (30 * 1.795 + 29 * 1.5) / 400, 1e-5);
  check_near (c->extent[2], .295, 1e-12);

  p.camera.known = false;
  play_run (&play, &p);
  check (!play.r.components[0].in_space && play.r.components[0].depth > 1.6);
  play_close (&play);
}
