/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The metas of a buffer as a line of JSON. */
#pragma once

#include <gst/gst.h>

/* The version of the lines, also in docs/visionjson.schema.json.  It grows when
 * a field changes its meaning or is removed, not when a field is added. */
#define GST_VISION_JSON_SCHEMA 1

/* The time and the source of a frame. */
typedef struct {
  const gchar *stream;     /* NULL: it has no name */
  gint64 utc;              /* µs since 1970; negative: not wanted */
  const gchar *reference;  /* kind of another clock; NULL: none */
  GstClockTime referenced; /* by that clock */
} GstVisionJsonStamp;

/* Appends {"schema":…,"pts":…,"frame":@frame,"objects":[…],…} and a line break
 * to @line.  Fields have the names of the metas' schema; those that JSON has no
 * form for, such as pixels and numbers that are not finite, are left out.  With
 * @lists, maps that are lists have their numbers as "values". */
void gst_vision_json_append_line (GString *line, GstBuffer *buffer,
    guint64 frame, const GstVisionJsonStamp *stamp, gboolean lists);
