/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading of mesh files: lines, numbers, and room for the mesh. */
#pragma once

#include <string.h>

#include "common/device.h"
#include "mesh/mesh.h"

/* A file in memory, and the place where reading goes on; a 0 follows the last
 * byte. */
typedef struct {
  const uint8_t *bytes;
  size_t size, at;
} MeshText;

/* Reads the next line without its end, cut to @room; false at the end. */
bool mesh_text_line (MeshText *text, char *line, size_t room);

/* Reads the next number in ASCII; false if there is none. */
bool mesh_text_number (MeshText *text, double *value);

/* Reads the next binary number of @bytes bytes, in the other byte order if
 * @swap. */
bool mesh_text_binary (MeshText *text, int bytes, bool is_float, bool is_signed,
    bool swap, double *value);

/* Makes room for @n vertices.  Error: @n is more than @bytes, the size of the
 * file, since a vertex takes at least a byte. */
const char *mesh_room (
    Mesh *mesh, uint32_t n, size_t bytes, bool normals, bool colours);
const char *mesh_add_triangle (Mesh *mesh, double a, double b, double c);

const char *mesh_read_ply (Mesh *mesh, MeshText text);
const char *mesh_read_obj (Mesh *mesh, MeshText text);
const char *mesh_read_pcd (Mesh *mesh, MeshText text);
const char *mesh_read_xyz (Mesh *mesh, MeshText text);
