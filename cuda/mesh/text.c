/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mesh/text.h"

#include <stdlib.h>

#define MAX_INDEX 4294967295.

bool
mesh_text_line (MeshText *t, char *line, size_t room)
{
  size_t n = 0;

  if (t->at >= t->size)
    return false;
  while (t->at < t->size && t->bytes[t->at] != '\n') {
    char c = (char) t->bytes[t->at++];

    if (c != '\r' && n + 1 < room)
      line[n++] = c;
  }
  t->at++;
  line[n] = 0;
  return true;
}

bool
mesh_text_number (MeshText *t, double *value)
{
  const char *from = (const char *) t->bytes + t->at;
  char *end;

  if (t->at >= t->size)
    return false;
  *value = strtod (from, &end); /* stops at the 0 behind the text */
  t->at += (size_t) (end - from);
  return end > from;
}

bool
mesh_text_binary (MeshText *t, int bytes, bool is_float, bool is_signed,
    bool swap, double *value)
{
  uint8_t b[8] = {0};
  uint64_t u = 0;
  float f;

  if (t->size - t->at < (size_t) bytes || t->at > t->size)
    return false;
  for (int i = 0; i < bytes; i++)
    b[i] = t->bytes[t->at + (size_t) (swap ? bytes - 1 - i : i)];
  t->at += (size_t) bytes;
  for (int i = 0; i < bytes; i++)
    u |= (uint64_t) b[i] << (8 * i);
  if (is_float && bytes == 8) {
    memcpy (value, &u, sizeof *value);
  } else if (is_float) {
    uint32_t w = (uint32_t) u;

    memcpy (&f, &w, sizeof f);
    *value = f;
  } else if (is_signed && u >> (8 * bytes - 1)) {
    *value = (double) u - (double) ((uint64_t) 1 << (8 * bytes));
  } else {
    *value = (double) u;
  }
  return true;
}

const char *
mesh_room (Mesh *m, uint32_t n, size_t bytes, bool normals, bool colours)
{
  if (n > bytes)
    return "the file is too short for the vertices that it announces";
  if (m->x)
    return "the file lists vertices twice";
  m->x = calloc (n ? n : 1, 3 * sizeof *m->x);
  m->normal = normals ? calloc (n ? n : 1, 3 * sizeof *m->normal) : NULL;
  m->colour = colours ? calloc (n ? n : 1, 3) : NULL;
  m->n = n;
  return m->x && (m->normal || !normals) && (m->colour || !colours)
      ? NULL
      : OUT_OF_MEMORY (
            (size_t) 3 * n * (sizeof *m->x * (normals ? 2 : 1) + colours), "");
}

const char *
mesh_add_triangle (Mesh *m, double a, double b, double c)
{
  uint32_t n = m->n_triangles;

  if (!(a >= 0 && b >= 0 && c >= 0 && a <= MAX_INDEX && b <= MAX_INDEX &&
          c <= MAX_INDEX))
    return "a triangle of the model names a vertex that is not there";
  if (!(n & (n - 1))) { /* a power of two, or 0: it is full */
    uint32_t *more =
        realloc (m->triangles, (n ? 2 * (size_t) n : 1) * 3 * sizeof *more);

    if (!more)
      return OUT_OF_MEMORY ((n ? 2 * (size_t) n : 1) * 3 * sizeof *more, "");
    m->triangles = more;
  }
  m->triangles[3 * (size_t) n] = (uint32_t) a;
  m->triangles[3 * (size_t) n + 1] = (uint32_t) b;
  m->triangles[3 * (size_t) n + 2] = (uint32_t) c;
  m->n_triangles++;
  return NULL;
}
