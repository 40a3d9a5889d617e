/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Colours as models: from a stored colour of a frame to a point of a colour
 * space, and whether a model holds that point.  For the host only: frames are
 * classified by the table that is made of the models (moct_table.h). */
#pragma once

#include "common/yuv.h"
#include "moct/moct.h"

C_BEGIN

/* Number of spaces with a point of their own; MOCT_NEAR shares Lab's point. */
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

/* The space of the model's limits. */
MoctSpace moct_space (const MoctColour *colour);

/* Sets @x to the point of stored colour @c in @space. */
void moct_point (const MoctEncoding *encoding, MoctSpace space,
    const uint8_t c[3], float point[3]);
void moct_rgb_to_lab (const uint8_t rgb[3], float lab[3]);

/* Box @k of a colour, 0 to n_also. */
MoctRange moct_range (const MoctColour *colour, int k);
bool moct_holds (const MoctColour *colour, const float point[3]);

/* The relation of a model to the points between @lo and @hi: it holds none,
 * all, or some of them. */
typedef enum { MOCT_OUT, MOCT_IN, MOCT_CUTS } MoctRelation;
MoctRelation moct_relation (
    const MoctColour *colour, const float lo[3], const float hi[3]);

/* As moct_learn (), without a Moct. */
const char *moct_learn_from (const Device *device, const Image *frame,
    const MoctDrag *drag, MoctLesson **lesson, MoctColour *colour,
    MoctLearned *learned);

C_END
