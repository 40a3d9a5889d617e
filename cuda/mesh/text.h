/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the readers of mesh files share. */
#pragma once

#include <string.h>

#include "common/device.h"
#include "mesh/mesh.h"

/* A file in memory, and where reading is; a 0 follows its last byte. */
typedef struct {
  const uint8_t *bytes;
  size_t size, at;
} MeshText;

/* The next line without its end, cut to @room; false at the end. */
bool mesh_text_line (MeshText *text, char *line, size_t room);

/* The next number in ASCII; false if there is none. */
bool mesh_text_number (MeshText *text, double *value);

/* The next binary number of @bytes bytes, in the other byte order if @swap. */
bool mesh_text_binary (MeshText *text, int bytes, bool is_float, bool is_signed,
    bool swap, double *value);

/* Room for @n vertices, of which a file of @bytes bytes cannot have more than
 * bytes. */
const char *mesh_room (
    Mesh *mesh, uint32_t n, size_t bytes, bool normals, bool colours);
const char *mesh_add_triangle (Mesh *mesh, double a, double b, double c);

const char *mesh_read_ply (Mesh *mesh, MeshText text);
const char *mesh_read_obj (Mesh *mesh, MeshText text);
const char *mesh_read_pcd (Mesh *mesh, MeshText text);
const char *mesh_read_xyz (Mesh *mesh, MeshText text);
