/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The spaces as the text form of colours names them. */
#pragma once

#include "moct/moct_colour.h"

C_BEGIN

#define MOCT_TEXT_SPACES 5

typedef struct {
  const char *name;
  MoctSpace space;
  int axes;
  float lo[3], hi[3]; /* what a range must lie in */
} MoctTextSpace;

extern const MoctTextSpace moct_text_spaces[MOCT_TEXT_SPACES];

C_END
