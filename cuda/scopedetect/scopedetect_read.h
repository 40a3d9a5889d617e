/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the readers of mesh files share. */
#pragma once

#include <string.h>

#include "common/device.h"
#include "scopedetect/scopedetect_model.h"

/* A file in memory, and where reading is; a 0 follows its last byte. */
typedef struct {
  const uint8_t *bytes;
  size_t size, at;
} ScopedetectText;

/* The next line without its end, cut to @room; false at the end. */
bool scopedetect_text_line (ScopedetectText *text, char *line, size_t room);

/* The next number in ASCII; false where there is none. */
bool scopedetect_text_number (ScopedetectText *text, double *value);

/* The next binary number of @bytes bytes, in the other byte order if @swap. */
bool scopedetect_text_binary (ScopedetectText *text, int bytes, bool is_float,
    bool is_signed, bool swap, double *value);

/* Room for @n vertices, of which a file of @bytes bytes cannot have more than
 * bytes. */
const char *scopedetect_mesh_room (ScopedetectMesh *mesh, uint32_t n,
    size_t bytes, bool normals, bool colours);
const char *scopedetect_add_triangle (
    ScopedetectMesh *mesh, double a, double b, double c);

const char *scopedetect_read_ply (ScopedetectMesh *mesh, ScopedetectText text);
const char *scopedetect_read_obj (ScopedetectMesh *mesh, ScopedetectText text);
const char *scopedetect_read_pcd (ScopedetectMesh *mesh, ScopedetectText text);
const char *scopedetect_read_xyz (ScopedetectMesh *mesh, ScopedetectText text);
