/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pose_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 64

typedef struct {
  char *at;
  PoseJson *next; /* the next free value */
} Reader;

static PoseJson *read_json_value (Reader *r, int depth);

static void
skip_json_blanks (Reader *r)
{
  r->at += strspn (r->at, " \t\r\n");
}

static bool
take_character (Reader *r, char c)
{
  skip_json_blanks (r);
  return *r->at == c ? r->at++, true : false;
}

/* Writes the character that follows \u to @to, as UTF-8; half of a surrogate
 * pair becomes a question mark.  Returns the number of bytes; 0: it is no
 * character. */
static int
read_json_code (const char *from, char *to)
{
  char digits[5] = {0}, *end;
  unsigned long c;

  strncpy (digits, from, 4);
  c = strtoul (digits, &end, 16);
  if (end != digits + 4 || strspn (digits, "+- \t\r\n"))
    return 0;
  if (c == 0 || (c >= 0xd800 && c < 0xe000))
    c = '?';
  if (c < 0x80)
    return *to = (char) c, 1;
  if (c < 0x800)
    return to[0] = (char) (0xc0 | c >> 6), to[1] = (char) (0x80 | (c & 63)), 2;
  to[0] = (char) (0xe0 | c >> 12), to[1] = (char) (0x80 | (c >> 6 & 63));
  to[2] = (char) (0x80 | (c & 63));
  return 3;
}

/* Reads a text, which overwrites itself and ends with 0: without its
 * backslashes it is shorter. */
static const char *
read_json_text (Reader *r)
{
  static const char escape[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  char *to = r->at, *text = to;

  while (*r->at && *r->at != '"') {
    const char *known;
    int n;

    if (*r->at != '\\') {
      *to++ = *r->at++;
      continue;
    }
    r->at++;
    known = *r->at ? strchr (escape, *r->at) : NULL;
    if (known) {
      *to++ = meant[known - escape];
      r->at++;
    } else if (*r->at == 'u' && (n = read_json_code (r->at + 1, to))) {
      to += n;
      r->at += 5;
    } else {
      return NULL;
    }
  }
  if (!*r->at)
    return NULL;
  r->at++;
  *to = 0;
  return text;
}

static bool
read_json_number (Reader *r, double *number)
{
  char *end;

  *number = strtod (r->at, &end);
  if (end == r->at ||
      (size_t) (end - r->at) > strspn (r->at, "+-.eE0123456789"))
    return false;
  r->at = end;
  return true;
}

static bool
read_json_word (Reader *r)
{
  static const char *const words[] = {"true", "false", "null"};

  for (int k = 0; k < 3; k++)
    if (!strncmp (r->at, words[k], strlen (words[k])))
      return r->at += strlen (words[k]), true;
  return false;
}

/* Reads the values of @list, an array or object, up to @end. */
static bool
read_json_list (Reader *r, PoseJson *list, char end, int depth)
{
  PoseJson **last = &list->first;

  if (depth == DEEPEST)
    return false;
  if (take_character (r, end))
    return true;
  do {
    const char *name = NULL;

    if (list->kind == POSE_JSON_OBJECT &&
        (!take_character (r, '"') || !(name = read_json_text (r)) ||
            !take_character (r, ':')))
      return false;
    if (!(*last = read_json_value (r, depth + 1)))
      return false;
    (*last)->name = name;
    last = &(*last)->next;
    list->n++;
  } while (take_character (r, ','));
  return take_character (r, end);
}

static PoseJson *
read_json_value (Reader *r, int depth)
{
  PoseJson *v = r->next++;
  bool is_whole;

  skip_json_blanks (r);
  if (take_character (r, '{')) {
    v->kind = POSE_JSON_OBJECT;
    is_whole = read_json_list (r, v, '}', depth);
  } else if (take_character (r, '[')) {
    v->kind = POSE_JSON_ARRAY;
    is_whole = read_json_list (r, v, ']', depth);
  } else if (take_character (r, '"')) {
    v->kind = POSE_JSON_TEXT;
    is_whole = (v->text = read_json_text (r)) != NULL;
  } else if (strchr ("-0123456789", *r->at) && *r->at) {
    v->kind = POSE_JSON_NUMBER;
    is_whole = read_json_number (r, &v->number);
  } else {
    v->kind = POSE_JSON_WORD;
    is_whole = read_json_word (r);
  }
  return is_whole ? v : NULL;
}

PoseJson *
pose_json_parse (char *text)
{
  size_t n = 2; /* each value is the first of its list or follows a comma */
  Reader r = {text, NULL};
  PoseJson *root;

  for (const char *c = text; *c; c++)
    n += *c == ',' || *c == '[' || *c == '{';
  root = r.next = calloc (n, sizeof *root);
  if (!root)
    return NULL;
  if (!read_json_value (&r, 0) || (skip_json_blanks (&r), *r.at)) {
    free (root);
    return NULL;
  }
  return root;
}

const PoseJson *
pose_json_member (const PoseJson *o, const char *name, PoseJsonKind kind)
{
  const PoseJson *v = o && o->kind == POSE_JSON_OBJECT ? o->first : NULL;

  while (v && strcmp (v->name, name))
    v = v->next;
  return v && v->kind == kind ? v : NULL;
}

bool
pose_json_all (const PoseJson *array, size_t n, double *value)
{
  if (!array || array->kind != POSE_JSON_ARRAY || array->n != n)
    return false;
  for (const PoseJson *v = array->first; v; v = v->next) {
    if (v->kind != POSE_JSON_NUMBER || !isfinite (v->number))
      return false;
    *value++ = v->number;
  }
  return true;
}

bool
pose_json_numbers (const PoseJson *o, const char *name, size_t n, double *value)
{
  return pose_json_all (pose_json_member (o, name, POSE_JSON_ARRAY), n, value);
}

bool
pose_json_number (const PoseJson *o, const char *name, double *value)
{
  const PoseJson *v = pose_json_member (o, name, POSE_JSON_NUMBER);

  if (!v || !isfinite (v->number))
    return false;
  *value = v->number;
  return true;
}

const char *
pose_json_text (const PoseJson *o, const char *name)
{
  const PoseJson *v = pose_json_member (o, name, POSE_JSON_TEXT);

  return v ? v->text : NULL;
}
