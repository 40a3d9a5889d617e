/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Objects from frame to frame: the paper accepts one that is there in five
 * frames in a row (section 2.3) and leaves open (section 5) whether it is the
 * same one.  Here it must also be where it was, and as large and of the same
 * shape, in the world. */
#pragma once

#include "gpuccl/gpuccl_core.h"

/* A candidate of the frame before that met the criteria. */
typedef struct {
  uint64_t id;
  int frames;   /* in a row */
  bool metric;  /* the rest: metres of the world, else pixels */
  double at[3]; /* where it is */
  double area;
  double width, height; /* in the mean (as equation 2); 0: not measured */
} GpucclObject;

typedef struct {
  GpucclObject objects[GPUCCL_CANDIDATES];
  int n_objects;
  uint64_t last_id;
} GpucclObjects;

/* Pairs those of the @n candidates @found that meet the criteria, marked
 * GPUCCL_NEW, with the objects; gives them id and number of frames, and
 * accepts who has enough. */
void gpuccl_persist (GpucclObjects *self, const GpucclParams *params,
    GpucclComponent **found, int n);
