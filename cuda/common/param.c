/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "common/param.h"

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

/* false for NaN */
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

#define SENTENCE 128 /* bytes, with the 0 behind it */

typedef struct _Sentence Sentence;
struct _Sentence {
  Sentence *next;
  char text[SENTENCE];
};

static void append_text (char *text, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

static void
append_text (char *text, const char *format, ...)
{
  size_t used = strlen (text);
  va_list args;

  va_start (args, format);
  vsnprintf (text + used, SENTENCE - used, format, args);
  va_end (args);
}

/* Appends "run, window or none" to @text, if @last is "or". */
static void
append_choices (char *text, const ParamChoice *c, const char *last)
{
  for (const ParamChoice *first = c; c->name; c++) {
    if (c != first && c[1].name)
      append_text (text, ", ");
    else if (c != first)
      append_text (text, " %s ", last);
    append_text (text, "%s", c->name);
  }
}

/* Whether the maximum is the largest value of the type. */
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
  append_text (text, "%s must be ", name);
  if (p->type == PARAM_FLAGS) {
    append_text (text, "a sum of ");
    append_choices (text, p->choices, "and");
  } else if (p->choices)
    append_choices (text, p->choices, "or");
  else if (is_endless (p))
    append_text (text, "%.12g or more", p->min);
  else
    append_text (text, "%.12g to %.12g", p->min, p->max);
}

/* Returns a static copy of @text, as all errors are static: one copy for all
 * texts that are equal. */
static const char *
intern_sentence (const char *text)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static Sentence *sentences;
  Sentence *s;

  pthread_mutex_lock (&lock);
  for (s = sentences; s && strcmp (s->text, text);)
    s = s->next;
  if (!s && (s = malloc (sizeof *s))) {
    strcpy (s->text, text);
    s->next = sentences;
    sentences = s;
  }
  pthread_mutex_unlock (&lock);
  return s ? s->text : "a parameter is out of its range";
}

static const char *
refusal_of (const Param *p)
{
  char text[SENTENCE] = "";

  write_refusal (p, text);
  return intern_sentence (text);
}

const char *
params_check (const Param *p, const void *params)
{
  for (; p->field; p++)
    if (!is_good (p, (const char *) params + p->at))
      return refusal_of (p);
  return NULL;
}
