/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the stages work on, and their table. */
#pragma once

#include "pocstereo/pocstereo_core.h"

/* Device memory where nothing is said.  View 0 is the left one, 1 the right. */
typedef struct {
  int width, height;
  PocstereoParams params;
  uint16_t min_peak;                    /* as in a match */
  float min_sigma;                      /* likewise: of a match without noise */
  int32_t max_difference, speckle_step; /* 1 / POCSTEREO_ONE pixels */
  PocstereoTables *tables, *host_tables; /* the host's: pinned */

  int n_layers;
  /* Of the view that is the reference.  Seen from the right view all
   * displacements have the other sign. */
  PocstereoLayer layer[2][POCSTEREO_MAX_LAYERS];
  const uint16_t *view[2][POCSTEREO_MAX_LAYERS]; /* layer 0: the frame's own */
  int stride[POCSTEREO_MAX_LAYERS];              /* samples */
  uint16_t *pyramid[2];                          /* layers 1 and up */

  int n_averaged; /* frames in the means of phasors, this one counted; 0: no
                     means are taken */

  PocstereoPoint *points;        /* room for max_points each; pinned */
  PocstereoMatch *point_matches; /* pinned */
  int n_points, max_points;

  PocstereoMatch *matches[2]; /* of every pixel of each view, rows of width */

  void *state; /* the backend's own */
} PocstereoWork;

/* The steps that each backend writes for itself. */
typedef struct {
  const char *(*open) (const Device *dev, PocstereoWork *w);
  void (*close) (const Device *dev, PocstereoWork *w);
  /* Memory for w->params, which have changed: for points, or for every pixel.
   */
  const char *(*prepare) (const Device *dev, PocstereoWork *w, bool dense);
  /* Step 1: layers 1 and up of both views. */
  const char *(*pyramid) (const Device *dev, const PocstereoWork *w);
  /* Where w->n_averaged: takes the phasors of every pixel of all layers into
   * their means, which then stand for them; for points, or for every pixel. */
  const char *(*average) (
      const Device *dev, const PocstereoWork *w, bool dense);
  /* Steps 2 to 7 for w->points, to w->point_matches. */
  const char *(*points) (const Device *dev, const PocstereoWork *w);
  /* The same for every pixel, to w->matches[view].  Seen from the right view,
   * disparities have the other sign; in w->matches[1] they keep it. */
  const char *(*dense) (const Device *dev, const PocstereoWork *w, int view);
  /* What makes w->matches better; each to the left view, revote and slant to
   * @view.  Matches with a low peak are forgotten at the end of the last of
   * dense, revote and slant. */
  const char *(*revote) (const Device *dev, const PocstereoWork *w, int view);
  const char *(*slant) (const Device *dev, const PocstereoWork *w, int view);
  const char *(*left_right) (const Device *dev, const PocstereoWork *w);
  const char *(*speckle) (const Device *dev, const PocstereoWork *w);
  /* After left_right alone, whose matches of the right view it reads. */
  const char *(*fill) (const Device *dev, const PocstereoWork *w);
  const char *(*smooth) (const Device *dev, const PocstereoWork *w);
} PocstereoStages;

C_BEGIN
/* pocstereo_queue_points () with @run (), which is given @data, in place of the
 * backend's Steps 2 to 7. */
const char *pocstereo_queue_by (Pocstereo *self, const PocstereoParams *params,
    const PocstereoFrame *frame, const PocstereoPoint *points, int n,
    const char *(*run) (const Device *dev, const PocstereoWork *w, void *data),
    void *data);

extern const PocstereoStages pocstereo_stages_cpu, pocstereo_stages_cuda;
C_END
