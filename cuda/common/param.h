/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A parameter is one row of a table: its place in its struct, its range, its
 * default and its meaning.  X_check () and X_defaults () read the table, and
 * gst/base makes properties of it: field min_area is the property "min-area".
 *
 *     #define ROWS_OF XParams
 *     #include "common/rows.h"
 *
 *     const Param x_params[] = {
 *         NUMBER (min_area, 0, UINT32_MAX, 100,
 *             "Reject components with fewer pixels than this"),
 *         {0}}; */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/both.h"

C_BEGIN

typedef enum {
  PARAM_BOOL, /* a bool, one byte */
  PARAM_INT,
  PARAM_UINT,
  PARAM_INT64,
  PARAM_UINT64,
  PARAM_DOUBLE,
  PARAM_CHOICE, /* an enum, or an int that takes a few values */
  PARAM_FLAGS,  /* an unsigned int, choices added up */
  PARAM_TEXT,   /* a char *; only elements have them */
} ParamType;

/* The types but PARAM_TEXT: the name here, the type in C, its name in GLib, and
 * the conversion from a double.  A switch has one case for all of them. */
/* clang-format off */
#define PARAM_NUMBERS(X) \
 X (INT, int, int, (int)) \
 X (UINT, unsigned, uint, (unsigned)) \
 X (INT64, int64_t, int64, param_int64) \
 X (UINT64, uint64_t, uint64, param_uint64) \
 X (DOUBLE, double, double, (double))
#define PARAM_VALUES(X) \
 PARAM_NUMBERS (X) \
 X (BOOL, bool, boolean, (bool)) \
 X (CHOICE, int, enum, (int)) \
 X (FLAGS, unsigned, flags, (unsigned))
/* clang-format on */

typedef enum {
  PARAM_ALWAYS,  /* the user or a controller sets it between any two frames */
  PARAM_BY_HAND, /* the user sets it between any two frames */
  PARAM_STOPPED  /* the user sets it before the first frame: memory or caps
                    follow from it */
} ParamWhen;

/* A value of a choice.  A list of them ends with a NULL name. */
typedef struct {
  int value;
  const char *name, *text;
} ParamChoice;

#define PARAM_NAME 48 /* bytes of a name, with the 0 behind it */

/* A row, here and in gst/base:
 * field    as it is written in C; a name without its struct is the property's
 * title    NULL: the words of the name, such as "Minimum area"
 * name     NULL: as the field, with '-' for '_'
 * kind     of choices: the end of their GType's name.  NULL: as the name, such
 *          as GroundDistance
 * string   default of a text
 * text     what the parameter means
 * min …    value is the default.  A bool, a choice and flags have no min and
 *          max.  2^63 and 2^64 stand for the whole number below them, which a
 *          double cannot hold.  They are next to the text so that no second
 *          text compiles
 * choices  of a choice and flags
 * at       offset of the field, bytes */
#define PARAM_MEMBERS \
 const char *field, *title, *name, *kind, *string, *text; \
 double min, max, value; \
 const ParamChoice *choices; \
 size_t at; \
 ParamType type; \
 ParamWhen when;

typedef struct {
  PARAM_MEMBERS
} Param;

/* Sets all fields of @table in @params, but not texts, to their defaults. */
void params_defaults (const Param *table, void *params);
/* Returns NULL if all fields are in their ranges; else a static sentence about
 * the first field that is not, such as "max-components must be 1 to 4096". */
const char *params_check (const Param *table, const void *params);

/* Sets @name to the name of the property. */
void param_name (const Param *p, char name[PARAM_NAME]);
/* A limit or default as a whole number; see Param. */
int64_t param_int64 (double v);
uint64_t param_uint64 (double v);

C_END
