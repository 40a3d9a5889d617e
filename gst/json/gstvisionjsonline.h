/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the metas of a buffer say, as a line of JSON. */
#pragma once

#include <gst/gst.h>

/* Appends {"pts":…,"frame":@frame,"objects":[…],…} and a line break to @line.
 * Fields have the names of the metas' schema; those that JSON has no form for,
 * such as pixels and numbers that are not finite, are left out. */
void gst_vision_json_append_line (
    GString *line, GstBuffer *buffer, guint64 frame);
