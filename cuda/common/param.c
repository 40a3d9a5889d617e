/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/param.h"

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int64_t
param_int64 (double v)
{
  return v >= 0x1p63 ? INT64_MAX : (int64_t) v;
}

uint64_t
param_uint64 (double v)
{
  return v >= 0x1p64 ? UINT64_MAX : v == 0x1p63 ? INT64_MAX : (uint64_t) v;
}

void
param_name (const Param *p, char name[PARAM_NAME])
{
  const char *dot = strrchr (p->field, '.');
  const char *field = dot ? dot + 1 : p->field;

  snprintf (name, PARAM_NAME, "%s", p->name ? p->name : field);
  for (char *c = name; *c; c++)
    *c = (char) (*c == '_' ? '-' : tolower (*c));
}

void
params_defaults (const Param *p, void *params)
{
  for (; p->field; p++) {
    void *at = (char *) params + p->at;

    switch (p->type) {
#define SET(TYPE, type, glib, from) \
 case PARAM_##TYPE: \
  *(type *) at = from (p->value); \
  break;
      PARAM_VALUES (SET)
      case PARAM_TEXT:
        break;
    }
  }
}

static bool
is_choice (const ParamChoice *c, int value)
{
  for (; c->name; c++)
    if (c->value == value)
      return true;
  return false;
}

static bool
are_flags (const ParamChoice *c, unsigned value)
{
  for (; c->name; c++)
    value &= ~(unsigned) c->value;
  return !value;
}

/* NaN is not. */
static bool
is_good (const Param *p, const void *at)
{
  switch (p->type) {
#define IS_WITHIN(TYPE, type, glib, from) \
 case PARAM_##TYPE: \
  return *(const type *) at >= from (p->min) && \
      *(const type *) at <= from (p->max);
    PARAM_NUMBERS (IS_WITHIN)
    case PARAM_CHOICE:
      return is_choice (p->choices, *(const int *) at);
    case PARAM_FLAGS:
      return are_flags (p->choices, *(const unsigned *) at);
    case PARAM_BOOL:
    case PARAM_TEXT:
      break;
  }
  return true;
}

/* ---- Sentences ---- */

static void add (char *text, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

static void
add (char *text, const char *format, ...)
{
  size_t used = strlen (text);
  va_list args;

  va_start (args, format);
  vsnprintf (text + used, PARAM_REFUSAL - used, format, args);
  va_end (args);
}

/* Writes "run, window or none", if @last is "or". */
static void
add_choices (char *text, const ParamChoice *c, const char *last)
{
  for (const ParamChoice *first = c; c->name; c++) {
    if (c != first && c[1].name)
      add (text, ", ");
    else if (c != first)
      add (text, " %s ", last);
    add (text, "%s", c->name);
  }
}

/* Whether the maximum is all that the type can hold. */
static bool
is_endless (const Param *p)
{
  static const double most[] = {[PARAM_INT] = INT_MAX,
      [PARAM_UINT] = UINT_MAX,
      [PARAM_INT64] = 0x1p63,
      [PARAM_UINT64] = 0x1p63,
      [PARAM_DOUBLE] = DBL_MAX};

  return p->max >= most[p->type];
}

static void
write_refusal (const Param *p, char *text)
{
  char name[PARAM_NAME];

  param_name (p, name);
  add (text, "%s must be ", name);
  if (p->type == PARAM_FLAGS) {
    add (text, "a sum of ");
    add_choices (text, p->choices, "and");
  } else if (p->choices)
    add_choices (text, p->choices, "or");
  else if (is_endless (p))
    add (text, "%.12g or more", p->min);
  else
    add (text, "%.12g to %.12g", p->min, p->max);
}

/* The sentence is static, as all errors are: the caller may keep it. */
static const char *
refusal (const Param *p)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

  pthread_mutex_lock (&lock);
  if (!*p->refusal)
    write_refusal (p, p->refusal);
  pthread_mutex_unlock (&lock);
  return p->refusal;
}

const char *
params_check (const Param *p, const void *params)
{
  for (; p->field; p++)
    if (!is_good (p, (const char *) params + p->at))
      return refusal (p);
  return NULL;
}
