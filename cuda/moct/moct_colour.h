/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Colours as models: from a stored colour of a frame to a point of a colour
 * space, and whether a model holds that point.  Host only: frames are
 * classified by the table that is made of it (moct_table.h). */
#pragma once

#include "common/yuv.h"
#include "moct/moct.h"

C_BEGIN

/* The spaces that need a point of their own; MOCT_NEAR shares Lab's. */
#define MOCT_N_SPACES (MOCT_LAB + 1)

/* How a frame stores colours. */
typedef struct {
  bool is_yuv;
  ImageMatrix matrix;
  bool full_range;
  Yuv yuv;
} MoctEncoding;

MoctEncoding moct_encoding (const Image *frame);
bool moct_encoding_equal (const MoctEncoding *a, const MoctEncoding *b);

/* The space in which the model's limits are. */
MoctSpace moct_space (const MoctColour *colour);

/* The point of stored colour @c in @space. */
void moct_point (const MoctEncoding *encoding, MoctSpace space,
    const uint8_t c[3], float point[3]);
void moct_rgb_to_lab (const uint8_t rgb[3], float lab[3]);

/* Box @k of a colour, 0 to n_also. */
MoctRange moct_range (const MoctColour *colour, int k);
bool moct_holds (const MoctColour *colour, const float point[3]);

/* How a model lies to all points between @lo and @hi. */
typedef enum { MOCT_OUT, MOCT_IN, MOCT_CUTS } MoctRelation;
MoctRelation moct_relation (
    const MoctColour *colour, const float lo[3], const float hi[3]);

/* moct_learn() without a Moct. */
const char *moct_learn_from (const Device *device, const Image *frame,
    ImageBox region, MoctColour *colour, MoctLearned *learned);

C_END
