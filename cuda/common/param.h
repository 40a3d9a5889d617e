/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A parameter is one row of a table: its place in its struct, its range, its
 * default and its meaning.  X_check () and X_defaults () read the table, and
 * gst/base makes properties of it: field min_area is the property "min-area".
 *
 *     static const Param table[] = {
 *         PARAM_NUMBER (XParams, min_area, 0, UINT32_MAX, 100, "Minimum area",
 *             "Reject components with fewer pixels than this"),
 *         {NULL}};
 *
 * Behind the text, further members may follow: .name = "other-name". */
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
  PARAM_CHOICE, /* an enum, or an int that is one of a few */
  PARAM_FLAGS,  /* an unsigned int, choices added up */
  PARAM_TEXT,   /* a char *; only elements have them */
} ParamType;

/* All types but PARAM_TEXT: the name here, the type in C, its name in GLib, and
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

/* One value of a choice.  A list of them ends with a NULL name. */
typedef struct {
  int value;
  const char *text, *name;
} ParamChoice;

#define PARAM_NAME 48     /* bytes of a name, with the 0 behind it */
#define PARAM_REFUSAL 128 /* bytes of a sentence, likewise */

typedef struct {
  const char *field, *title, *text;
  ParamType type;
  size_t at; /* offset of the field, bytes */
  /* value is the default.  A bool, a choice and flags have no min and max.
   * 2^63 and 2^64 stand for the whole number below them, which a double cannot
   * hold. */
  double min, max, value;
  const ParamChoice *choices;
  const char *string; /* default of a text */
  char *refusal;      /* room for the sentence of params_check () */
  ParamWhen when;
  const char *name; /* NULL: as the field, with '-' for '_' */
  const char *kind; /* of choices: the end of their GType's name.  NULL: as the
                       field, such as GroundDistance */
} Param;

#define PARAM_FIELD_(S, f) (((S *) 0)->f)
/* clang-format off */
#define PARAM_ROW_(S, f, kind) \
 .field = #f, .at = offsetof (S, f), .type = (kind), \
 .refusal = (char[PARAM_REFUSAL]){0}
/* A field of another type does not compile: no array has -1 bytes. */
#define PARAM_ENUM_(S, f) \
 (0 * sizeof (char[sizeof PARAM_FIELD_ (S, f) == sizeof (int) ? 1 : -1]))
#define PARAM_TYPE_(S, f) \
 _Generic (PARAM_FIELD_ (S, f), int: PARAM_INT, unsigned: PARAM_UINT, \
     int64_t: PARAM_INT64, uint64_t: PARAM_UINT64, double: PARAM_DOUBLE)
#define PARAM_BOOL_(S, f) _Generic (PARAM_FIELD_ (S, f), bool: PARAM_BOOL)
#define PARAM_TEXT_(S, f) _Generic (PARAM_FIELD_ (S, f), char *: PARAM_TEXT)

/* The rows of a number, a bool, an enum, flags and a text.  @... is the text that
 * explains the parameter, then further members. */
#define PARAM_NUMBER(S, f, min_, max_, normal, name_, ...) \
 {PARAM_ROW_ (S, f, PARAM_TYPE_ (S, f)), .min = (double) (min_), \
  .max = (double) (max_), .value = (double) (normal), .title = name_, \
  .text = __VA_ARGS__}
#define PARAM_SWITCH(S, f, normal, name_, ...) \
 {PARAM_ROW_ (S, f, PARAM_BOOL_ (S, f)), .value = normal, .title = name_, \
  .text = __VA_ARGS__}
#define PARAM_ONE_OF(S, f, list, normal, name_, ...) \
 {PARAM_ROW_ (S, f, PARAM_CHOICE + PARAM_ENUM_ (S, f)), .choices = list, \
  .value = normal, .title = name_, .text = __VA_ARGS__}
#define PARAM_SOME_OF(S, f, list, normal, name_, ...) \
 {PARAM_ROW_ (S, f, PARAM_FLAGS + PARAM_ENUM_ (S, f)), .choices = list, \
  .value = normal, .title = name_, .text = __VA_ARGS__}
#define PARAM_STRING(S, f, normal, name_, ...) \
 {PARAM_ROW_ (S, f, PARAM_TEXT_ (S, f)), .string = normal, .title = name_, \
  .text = __VA_ARGS__}

/* A row that may be set at another time: PARAM_WHEN (STOPPED, NUMBER, XParams,
 * bins, ...) is PARAM_NUMBER (XParams, bins, ..., .when = PARAM_STOPPED). */
#define PARAM_WHEN(time, row, ...) \
 PARAM_##row (__VA_ARGS__, .when = PARAM_##time)
/* clang-format on */

/* Sets all fields of @table in @params, but not texts, to their defaults. */
void params_defaults (const Param *table, void *params);
/* Returns NULL if all fields are in their ranges; else a static sentence about
 * the first that is not, such as "max-components must be 1 to 4096". */
const char *params_check (const Param *table, const void *params);

/* Sets @name to the name of the property. */
void param_name (const Param *p, char name[PARAM_NAME]);
/* A limit or default as a whole number; see Param. */
int64_t param_int64 (double v);
uint64_t param_uint64 (double v);

C_END
