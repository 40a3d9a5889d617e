/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PLY files: ASCII, and binary of both byte orders.  The reader takes x y z, nx
 * ny nz and red green blue of a vertex and the corners of a face; it cuts a
 * polygon into a fan of triangles.  The writer makes binary_little_endian
 * 1.0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/number.h"
#include "mesh/mesh.h"
#include "mesh/text.h"

enum { X, Y, Z, NX, NY, NZ, RED, GREEN, BLUE, KNOWN, OTHER = KNOWN };

#define MAX_PROPERTIES 64

typedef struct {
  int meaning; /* X to BLUE, or OTHER */
  int bytes;   /* of a value */
  bool is_float, is_signed, is_list;
  int count_bytes; /* of the length of a list */
} Property;

typedef struct {
  uint32_t n;
  int n_properties;
  Property property[MAX_PROPERTIES];
} Element;

enum { VERTEX, FACE, UNKNOWN, KINDS };

typedef struct {
  MeshText text;
  bool ascii, swap;
  int order[8], n_elements; /* VERTEX, FACE or UNKNOWN, in the order of the
                               file */
  Element element[8];
} Ply;

static const char *
ply_type (const char *word, Property *p)
{
  static const struct {
    const char *name, *other;
    int bytes;
    bool is_float, is_signed;
  } types[] = {{"char", "int8", 1, false, true},
      {"uchar", "uint8", 1, false, false}, {"short", "int16", 2, false, true},
      {"ushort", "uint16", 2, false, false}, {"int", "int32", 4, false, true},
      {"uint", "uint32", 4, false, false}, {"float", "float32", 4, true, true},
      {"double", "float64", 8, true, true}};

  for (int i = 0; i < 8; i++)
    if (!strcmp (word, types[i].name) || !strcmp (word, types[i].other)) {
      p->bytes = types[i].bytes;
      p->is_float = types[i].is_float;
      p->is_signed = types[i].is_signed;
      return NULL;
    }
  return "the PLY file has a property of an unknown type";
}

static int
ply_meaning (const char *name)
{
  static const char *const names[] = {
      "x", "y", "z", "nx", "ny", "nz", "red", "green", "blue"};

  for (int i = 0; i < KNOWN; i++)
    if (!strcmp (name, names[i]))
      return i;
  return OTHER;
}

static const char *
read_ply_property (Element *e, const char *line)
{
  char a[32], b[32], c[32], d[32];
  int n = sscanf (line, "property %31s %31s %31s %31s", a, b, c, d);
  Property *p = &e->property[e->n_properties], count;

  if (e->n_properties == MAX_PROPERTIES)
    return "the PLY file has more than 64 properties";
  e->n_properties++;
  p->meaning = OTHER;
  if (n == 4 && !strcmp (a, "list")) {
    p->is_list = true;
    TRY (ply_type (b, &count));
    p->count_bytes = count.bytes;
    return count.is_float ? "the PLY file counts with broken numbers"
                          : ply_type (c, p);
  }
  if (n != 2)
    return "the PLY file has a property that is none";
  p->meaning = ply_meaning (b);
  return ply_type (a, p);
}

static const char *
read_ply_element (Ply *ply, const char *line)
{
  char name[32];
  int n, used = 0;

  if (sscanf (line, "element %31s%n", name, &used) != 1 ||
      !number_read (line + used, &n) || n < 0 || n > INT_MAX / 2)
    return "the PLY file has an element without a number";
  if (ply->n_elements == 8)
    return "the PLY file has more than 8 elements";
  ply->order[ply->n_elements] = !strcmp (name, "vertex") ? VERTEX
      : !strcmp (name, "face")                           ? FACE
                                                         : UNKNOWN;
  ply->element[ply->n_elements++].n = (uint32_t) n;
  return NULL;
}

static const char *
read_ply_header (Ply *ply)
{
  char line[256];

  while (mesh_text_line (&ply->text, line, sizeof line)) {
    if (!strncmp (line, "end_header", 10))
      return NULL;
    if (!strncmp (line, "format ascii", 12))
      ply->ascii = true;
    else if (!strncmp (line, "format binary_big", 17))
      ply->swap = true;
    else if (!strncmp (line, "element ", 8))
      TRY (read_ply_element (ply, line));
    else if (!strncmp (line, "property ", 9)) {
      if (!ply->n_elements)
        return "the PLY file has a property of nothing";
      TRY (read_ply_property (&ply->element[ply->n_elements - 1], line));
    }
  }
  return "the PLY file ends within its header";
}

static bool
read_ply_value (
    Ply *ply, const Property *p, int bytes, bool is_float, double *value)
{
  return ply->ascii ? mesh_text_number (&ply->text, value)
                    : mesh_text_binary (&ply->text, bytes, is_float,
                          p->is_signed, ply->swap, value);
}

static void
set_ply_vertex (Mesh *m, uint32_t i, int meaning, double value)
{
  if (meaning <= Z)
    m->x[3 * (size_t) i + meaning] = (float) value;
  else if (meaning <= NZ && m->normal)
    m->normal[3 * (size_t) i + meaning - NX] = (float) value;
  else if (meaning <= BLUE && meaning >= RED && m->colour)
    m->colour[3 * (size_t) i + meaning - RED] = (uint8_t) (value >= 255 ? 255
            : value > 0                                                 ? value
                        : 0); /* NaN too */
}

/* Reads a list; of a face, its corners. */
static const char *
read_ply_list (Ply *ply, const Property *p, Mesh *m, bool is_face)
{
  double count, v, first = 0, last = 0;
  Property plain = {OTHER, p->count_bytes, false, false, false, 0};

  if (!read_ply_value (ply, &plain, p->count_bytes, false, &count))
    return "the PLY file ends too early";
  for (int k = 0; k < count; k++) {
    if (!read_ply_value (ply, p, p->bytes, p->is_float, &v))
      return "the PLY file ends too early";
    if (is_face && k >= 2)
      TRY (mesh_add_triangle (m, first, last, v));
    first = k ? first : v;
    last = v;
  }
  return NULL;
}

static const char *
read_ply_elements (Ply *ply, int at, Mesh *m)
{
  Element *e = &ply->element[at];

  for (uint32_t i = 0; e->n_properties && i < e->n; i++)
    for (int k = 0; k < e->n_properties; k++) {
      const Property *p = &e->property[k];
      double v;

      if (p->is_list) {
        TRY (read_ply_list (ply, p, m, ply->order[at] == FACE));
        continue;
      }
      if (!read_ply_value (ply, p, p->bytes, p->is_float, &v))
        return "the PLY file ends too early";
      if (ply->order[at] == VERTEX)
        set_ply_vertex (m, i, p->meaning, v);
    }
  return NULL;
}

/* The set of meanings, X to BLUE, that the vertices have: a bit each. */
static int
vertex_meanings (const Element *e)
{
  int bits = 0;

  for (int k = 0; k < e->n_properties; k++)
    bits |= 1 << e->property[k].meaning;
  return bits;
}

const char *
mesh_read_ply (Mesh *m, MeshText text)
{
  Ply ply = {.text = text};

  TRY (read_ply_header (&ply));
  for (int i = 0; i < ply.n_elements; i++) {
    if (ply.order[i] == VERTEX) {
      int has = vertex_meanings (&ply.element[i]);

      if ((has & 7) != 7)
        return "the PLY file has vertices without x, y and z";
      TRY (mesh_room (m, ply.element[i].n, text.size, (has >> NX & 7) == 7,
          (has >> RED & 7) == 7));
    }
    TRY (read_ply_elements (&ply, i, m));
  }
  return m->n ? NULL : "the PLY file has no vertices";
}

/* ---- Writing ---- */

#define HEADER_ROOM 512

static uint8_t *
put_bytes (uint8_t *to, const void *value)
{
  uint32_t v;

  memcpy (&v, value, sizeof v);
  for (int i = 0; i < 4; i++)
    *to++ = (uint8_t) (v >> 8 * i);
  return to;
}

static int
write_ply_header (const Mesh *m, char *to)
{
  int n = snprintf (to, HEADER_ROOM,
      "ply\nformat binary_little_endian 1.0\nelement vertex %u\n"
      "property float x\nproperty float y\nproperty float z\n",
      m->n);

  if (m->normal)
    n += snprintf (to + n, HEADER_ROOM - (size_t) n,
        "property float nx\nproperty float ny\nproperty float nz\n");
  if (m->colour)
    n += snprintf (to + n, HEADER_ROOM - (size_t) n,
        "property uchar red\nproperty uchar green\nproperty uchar blue\n");
  if (m->confidence)
    n += snprintf (
        to + n, HEADER_ROOM - (size_t) n, "property float confidence\n");
  if (m->triangles)
    n += snprintf (to + n, HEADER_ROOM - (size_t) n,
        "element face %u\nproperty list uchar uint vertex_indices\n",
        m->n_triangles);
  return n + snprintf (to + n, HEADER_ROOM - (size_t) n, "end_header\n");
}

static uint8_t *
put_elements (const Mesh *m, uint8_t *to)
{
  for (size_t i = 0; i < m->n; i++) {
    for (int k = 0; k < 3; k++)
      to = put_bytes (to, &m->x[3 * i + k]);
    for (int k = 0; m->normal && k < 3; k++)
      to = put_bytes (to, &m->normal[3 * i + k]);
    for (int k = 0; m->colour && k < 3; k++)
      *to++ = m->colour[3 * i + k];
    if (m->confidence)
      to = put_bytes (to, &m->confidence[i]);
  }
  for (size_t i = 0; m->triangles && i < m->n_triangles; i++) {
    *to++ = 3;
    for (int k = 0; k < 3; k++)
      to = put_bytes (to, &m->triangles[3 * i + k]);
  }
  return to;
}

const char *
mesh_write (const Mesh *m, const char *path)
{
  size_t vertex =
      12 + (m->normal ? 12 : 0) + (m->colour ? 3 : 0) + (m->confidence ? 4 : 0);
  size_t faces = m->triangles ? 13 * (size_t) m->n_triangles : 0;
  size_t room = HEADER_ROOM + vertex * m->n + faces;
  uint8_t *bytes = malloc (room), *end;
  int why;

  if (!bytes)
    return OUT_OF_MEMORY (room, " for the file of the mesh");
  end = put_elements (m, bytes + write_ply_header (m, (char *) bytes));
  why = file_write (path, bytes, (size_t) (end - bytes), 1000);
  free (bytes);
  return why ? file_why (why) : NULL;
}
