/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * PCD files: ASCII, binary, and compressed by LZF. */
#include <stdio.h>
#include <stdlib.h>

#include "common/number.h"
#include "mesh/text.h"

#define MAX_FIELDS 32

typedef struct {
  int n, size[MAX_FIELDS], count[MAX_FIELDS], to[MAX_FIELDS];
  char type[MAX_FIELDS];
  uint32_t points;
  bool ascii, compressed;
} Pcd;

static int
split_words (char *line, char *word[MAX_FIELDS])
{
  int n = 0;

  strtok (line, " \t"); /* the key */
  while (n < MAX_FIELDS && (word[n] = strtok (NULL, " \t")))
    n++;
  return n;
}

/* The count that @word begins with, or 0. */
static int
count_of_word (const char *word)
{
  int n;

  return number_read (word, &n) && n > 0 ? n : 0;
}

static void
read_pcd_fields (Pcd *p, const char *key, char *word[MAX_FIELDS], int n)
{
  static const char *const names[] = {
      "x", "y", "z", "normal_x", "normal_y", "normal_z", "rgb", "rgba"};

  if (!strcmp (key, "FIELDS"))
    p->n = n;
  for (int i = 0; i < n && i < p->n; i++) {
    if (!strcmp (key, "SIZE"))
      p->size[i] = count_of_word (word[i]);
    if (!strcmp (key, "COUNT"))
      p->count[i] = count_of_word (word[i]);
    if (!strcmp (key, "TYPE"))
      p->type[i] = word[i][0];
    if (strcmp (key, "FIELDS"))
      continue;
    p->to[i] = -1;
    p->count[i] = 1;
    for (int k = 0; k < 8; k++)
      if (!strcmp (word[i], names[k]))
        p->to[i] = k < 6 ? k : 6;
  }
}

static const char *
read_pcd_header (Pcd *p, MeshText *text)
{
  char line[1024], key[16] = "", *word[MAX_FIELDS];

  while (mesh_text_line (text, line, sizeof line)) {
    if (sscanf (line, "%15s", key) != 1 || key[0] == '#')
      continue;
    if (!strcmp (key, "POINTS"))
      p->points = (uint32_t) count_of_word (line + 6);
    if (!strcmp (key, "DATA")) {
      p->ascii = strstr (line, "ascii") != NULL;
      p->compressed = strstr (line, "compressed") != NULL;
      for (int i = 0; i < p->n; i++)
        if ((p->size[i] != 1 && p->size[i] != 2 && p->size[i] != 4 &&
                p->size[i] != 8) ||
            p->count[i] < 1 || p->count[i] > 4096 ||
            (p->to[i] >= 0 && (p->count[i] != 1 || p->size[i] != 4)))
          return "the PCD file has fields of unknown sizes";
      return p->n ? NULL : "the PCD file has no fields";
    }
    read_pcd_fields (p, key, word, split_words (line, word));
  }
  return "the PCD file ends within its header";
}

/* Expands LZF (Lehmann): runs of literals, and references to earlier bytes. */
static bool
lzf_expand (const uint8_t *in, size_t n, uint8_t *out, size_t room)
{
  size_t i = 0, o = 0;

  while (i < n) {
    unsigned c = in[i++];
    size_t length, back;

    if (c < 32) {
      if (c + 1 > n - i || c + 1 > room - o)
        return false;
      memcpy (out + o, in + i, c + 1);
      i += c + 1, o += c + 1;
      continue;
    }
    length = c >> 5;
    if (length == 7) {
      if (i >= n)
        return false;
      length += in[i++];
    }
    if (i >= n)
      return false;
    back = ((size_t) (c & 31) << 8 | in[i++]) + 1;
    length += 2;
    if (back > o || length > room - o)
      return false;
    for (size_t k = 0; k < length; k++, o++)
      out[o] = out[o - back];
  }
  return o == room;
}

/* Sets field @to of vertex @i to the value of the four bytes @bytes. */
static void
set_pcd_field (Mesh *m, uint32_t i, int to, const uint8_t *bytes)
{
  float v;

  memcpy (&v, bytes, sizeof v);
  if (to < 3)
    m->x[3 * (size_t) i + to] = v;
  else if (to < 6 && m->normal)
    m->normal[3 * (size_t) i + to - 3] = v;
  else if (to == 6 && m->colour)
    for (int k = 0; k < 3; k++) /* blue is the first byte */
      m->colour[3 * (size_t) i + k] = bytes[2 - k];
}

static const char *
read_pcd_ascii (const Pcd *p, Mesh *m, MeshText *text)
{
  for (uint32_t i = 0; i < m->n; i++)
    for (int f = 0; f < p->n; f++)
      for (int k = 0; k < p->count[f]; k++) {
        uint8_t bytes[4];
        double v;
        float as_float;
        uint32_t word;

        if (!mesh_text_number (text, &v))
          return "the PCD file ends too early";
        as_float = (float) v;
        word = v >= 0 && v < 4294967296. ? (uint32_t) v : 0;
        memcpy (
            bytes, p->type[f] == 'F' ? (void *) &as_float : (void *) &word, 4);
        if (p->to[f] >= 0)
          set_pcd_field (m, i, p->to[f], bytes);
      }
  return NULL;
}

/* Reads points one after the other or, if compressed, field by field. */
static const char *
read_pcd_binary (const Pcd *p, Mesh *m, const uint8_t *bytes, size_t n)
{
  size_t row = 0, at = 0;

  for (int f = 0; f < p->n; f++)
    row += (size_t) (p->size[f] * p->count[f]);
  if (n / row < m->n)
    return "the PCD file ends too early";
  for (int f = 0; f < p->n; f++) {
    size_t bytes_of = (size_t) (p->size[f] * p->count[f]);

    for (uint32_t i = 0; p->to[f] >= 0 && i < m->n; i++)
      set_pcd_field (m, i, p->to[f],
          p->compressed ? bytes + at * m->n + i * bytes_of
                        : bytes + i * row + at);
    at += bytes_of;
  }
  return NULL;
}

static const char *
read_pcd_compressed (const Pcd *p, Mesh *m, MeshText *text)
{
  uint32_t sizes[2];
  uint8_t *bytes;
  const char *error;

  if (text->size - text->at < 8 || text->at > text->size)
    return "the PCD file ends too early";
  memcpy (sizes, text->bytes + text->at, 8);
  if (sizes[0] > text->size - text->at - 8 || sizes[1] / 300 > sizes[0])
    return "the PCD file ends too early";
  if (!(bytes = malloc (sizes[1] ? sizes[1] : 1)))
    return OUT_OF_MEMORY (sizes[1], "");
  error = lzf_expand (text->bytes + text->at + 8, sizes[0], bytes, sizes[1])
      ? read_pcd_binary (p, m, bytes, sizes[1])
      : "the compressed data of the PCD file is damaged";
  free (bytes);
  return error;
}

const char *
mesh_read_pcd (Mesh *m, MeshText text)
{
  Pcd p = {0};
  int has = 0;

  TRY (read_pcd_header (&p, &text));
  for (int f = 0; f < p.n; f++)
    has |= p.to[f] < 0 ? 0 : 1 << p.to[f];
  if ((has & 7) != 7)
    return "the PCD file has no fields x, y and z";
  TRY (mesh_room (m, p.points, p.compressed ? 300 * text.size : text.size,
      (has & 56) == 56, has & 64));
  if (p.ascii)
    return read_pcd_ascii (&p, m, &text);
  if (p.compressed)
    return read_pcd_compressed (&p, m, &text);
  return read_pcd_binary (&p, m, text.bytes + text.at,
      text.at < text.size ? text.size - text.at : 0);
}
