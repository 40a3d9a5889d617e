/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * JSON (RFC 8259), as far as lists of poses need it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  POSE_JSON_OBJECT,
  POSE_JSON_ARRAY,
  POSE_JSON_NUMBER,
  POSE_JSON_TEXT,
  POSE_JSON_WORD, /* true, false, null */
} PoseJsonKind;

/* A value.  Functions take NULL as a missing value. */
typedef struct _PoseJson PoseJson;
struct _PoseJson {
  PoseJsonKind kind;
  const char *name; /* of a member of an object */
  double number;
  const char *text;
  size_t n;        /* number of values of an array or object */
  PoseJson *first; /* the first of these values */
  PoseJson *next;  /* the next value of the list */
};

/* Parses @text, which is changed.  The value points into @text and is freed by
 * free ().  Returns NULL if @text is no JSON, is nested deeper than 64 times,
 * or memory is short. */
PoseJson *pose_json_parse (char *text);

/* Member @name of @object, if it is of @kind. */
const PoseJson *pose_json_member (
    const PoseJson *object, const char *name, PoseJsonKind kind);

/* Whether @array is @n numbers.  Sets @value to them. */
bool pose_json_all (const PoseJson *array, size_t n, double *value);

/* Members of @object: whether a member is @n numbers, or one number, to which
 * they set @value; and a text. */
bool pose_json_numbers (
    const PoseJson *object, const char *name, size_t n, double *value);
bool pose_json_number (const PoseJson *object, const char *name, double *value);
const char *pose_json_text (const PoseJson *object, const char *name);
