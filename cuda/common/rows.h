/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The words in which a table of parameters (common/param.h) is written.
 * ROWS_OF names the struct that its rows are about.  Behind a row's text
 * further members may follow: .name = "other-name", .string = "the default of
 * a text". */
#pragma once

#include "common/param.h"

#define ROW_FIELD_(f) (((ROWS_OF *) 0)->f)
/* clang-format off */
#define ROW_(f, kind) \
 .field = #f, .at = offsetof (ROWS_OF, f), .type = (kind)
/* A field of another type does not compile, because no array has -1 bytes. */
#define ROW_ENUM_(f) \
 (0 * sizeof (char[sizeof ROW_FIELD_ (f) == sizeof (int) ? 1 : -1]))

/* The rows of a number, a bool, an enum, flags and a text.  @... is the text
 * that explains the parameter. */
#define NUMBER(f, min_, max_, normal, ...) \
 {ROW_ (f, _Generic (ROW_FIELD_ (f), int: PARAM_INT, unsigned: PARAM_UINT, \
      int64_t: PARAM_INT64, uint64_t: PARAM_UINT64, double: PARAM_DOUBLE)), \
  .min = (double) (min_), .max = (double) (max_), .value = (double) (normal), \
  .text = __VA_ARGS__}
#define SWITCH(f, normal, ...) \
 {ROW_ (f, _Generic (ROW_FIELD_ (f), bool: PARAM_BOOL)), .value = normal, \
  .text = __VA_ARGS__}
#define ONE_OF(f, list, normal, ...) \
 {ROW_ (f, PARAM_CHOICE + ROW_ENUM_ (f)), .choices = list, .value = normal, \
  .text = __VA_ARGS__}
#define SOME_OF(f, list, normal, ...) \
 {ROW_ (f, PARAM_FLAGS + ROW_ENUM_ (f)), .choices = list, .value = normal, \
  .text = __VA_ARGS__}
#define STRING(f, ...) \
 {ROW_ (f, _Generic (ROW_FIELD_ (f), char *: PARAM_TEXT)), .text = __VA_ARGS__}

/* Words before a row say when its parameter may change, or its title: STOPPED
 * (NUMBER, bins, ...) is NUMBER (bins, ..., .when = PARAM_STOPPED). */
#define STOPPED(row, ...) row (__VA_ARGS__, .when = PARAM_STOPPED)
#define BY_HAND(row, ...) row (__VA_ARGS__, .when = PARAM_BY_HAND)
#define TITLED(title_, row, ...) row (__VA_ARGS__, .title = title_)

/* function () returns the params with the defaults of @table; @... are fields
 * that have no row. */
#define DEFAULTS(function, table, ...) \
 ROWS_OF function (void) \
 { \
  ROWS_OF p = {__VA_ARGS__}; \
\
  params_defaults (table, &p); \
  return p; \
 }

/* A list of choices. */
#define CHOICES(list, ...) \
 static const ParamChoice list[] = {__VA_ARGS__, {0, NULL, NULL}}
/* clang-format on */
