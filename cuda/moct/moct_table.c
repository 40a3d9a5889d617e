/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stored colours, 256 in each of three components, are cut into cells of 8
 * x 8 x 8.  For each space, a box around each cell's points is measured once.
 * A model whose limits are outside of that box, or around all of it, decides
 * the class of the whole cell.  If a model cuts the box, each of the cell's 512
 * colours is tested (exact), or the one in the middle stands for all. */
#include "moct/moct_table.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/parallel.h"
#include "moct/moct_sums_core.h"

/* ---- The bounds of cells ---- */

void
moct_cell_colour (int cell, int i, uint8_t c[3])
{
  c[2] = (uint8_t) ((cell >> 10) << 3 | (i & 7));
  c[1] = (uint8_t) ((cell >> 5 & 31) << 3 | (i >> 3 & 7));
  c[0] = (uint8_t) ((cell & 31) << 3 | i >> 6);
}

uint32_t
moct_cell_place (int cell)
{
  uint8_t c[3];

  moct_cell_colour (cell, 0, c);
  return moct_place (moct_stored (c));
}

/* Whether the points of a cell lie between those of its corners.  Hue turns
 * around grey, and r and g jump where YUV is outside of RGB's cube: there every
 * colour of the cell must be measured. */
static bool
is_smooth_space (const MoctEncoding *encoding, MoctSpace space)
{
  return space != MOCT_HSV && (space != MOCT_RG || !encoding->is_yuv);
}

/* The distance by which points lie outside of the box of their cell's corners,
 * in a smooth space.  Over all stored colours it is at most 1.3 in Lab, where
 * colours outside of RGB's cube are bent onto it, and 0 in the other spaces. */
static float
smooth_bend (const MoctEncoding *encoding, MoctSpace space)
{
  return space == MOCT_LAB ? encoding->is_yuv ? 1.4f : .01f : 0;
}

static MoctBounds
measure_cell (const MoctEncoding *encoding, MoctSpace space, int cell)
{
  bool corners = is_smooth_space (encoding, space);
  float margin = smooth_bend (encoding, space), p[3];
  MoctBounds b = {
      {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  uint8_t c[3];

  for (int i = 0; i < (corners ? 8 : MOCT_PART); i++) {
    moct_cell_colour (
        cell, corners ? 7 * ((i & 1) | (i & 2) << 2 | (i & 4) << 4) : i, c);
    moct_point (encoding, space, c, p);
    for (int k = 0; k < 3; k++) {
      b.lo[k] = fminf (b.lo[k], p[k] - margin);
      b.hi[k] = fmaxf (b.hi[k], p[k] + margin);
    }
  }
  return b;
}

typedef struct {
  const MoctEncoding *encoding;
  MoctSpace space;
  MoctBounds *bounds; /* of each cell */
} Measuring;

static void
measure_cells (void *data, int begin, int end)
{
  const Measuring *m = data;

  for (int cell = begin; cell < end; cell++)
    m->bounds[cell] = measure_cell (m->encoding, m->space, cell);
}

/* MoctBounds depend only on space and encoding; they are measured once in a
 * process and kept. */
#define N_ENCODINGS 7

static int
encoding_index (const MoctEncoding *e)
{
  return e->is_yuv ? 1 + 2 * (int) e->matrix + e->full_range : 0;
}

const MoctBounds *
moct_bounds_of (const MoctEncoding *encoding, MoctSpace space)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static MoctBounds *known[N_ENCODINGS][MOCT_N_SPACES];
  MoctBounds **bounds = &known[encoding_index (encoding)][space];

  pthread_mutex_lock (&lock);
  if (!*bounds && (*bounds = malloc (MOCT_CELLS * sizeof **bounds))) {
    Measuring m = {encoding, space, *bounds};

    parallel_for (MOCT_CELLS, 0, measure_cells, &m);
  }
  pthread_mutex_unlock (&lock);
  return *bounds;
}

/* ---- Tables ---- */

struct _MoctTables {
  const Device *device;
  DeviceMemory memory;

  MoctEncoding encoding; /* for which all members below were made */
  /* of each cell; NULL: not measured yet */
  const MoctBounds *bounds[MOCT_N_SPACES];
  MoctColour *colours;
  int n_colours;
  bool exact, valid;

  uint16_t *cells; /* host, pinned */
  uint32_t *chroma;
  uint16_t *parts;
  int n_parts, room, device_room; /* number of parts, and room for parts */

  uint16_t *device_cells, *device_parts;
  uint32_t *device_chroma;
};

#define CELLS_BYTES (MOCT_PLACES * sizeof (uint16_t))
#define PART_BYTES (MOCT_PART * sizeof (uint16_t))
#define CHROMA_WORDS (256 * 256 / 32)
#define CHROMA_BYTES (CHROMA_WORDS * sizeof (uint32_t))

const char *
moct_tables_new (MoctTables **self, const Device *device)
{
  MoctTables *t = calloc (1, sizeof *t);

  *self = t;
  if (!t || !(t->colours = calloc (MOCT_MAX_COLOURS, sizeof *t->colours)))
    return OUT_OF_MEMORY (MOCT_MAX_COLOURS * sizeof *t->colours, "");
  t->device = device;
  memory_open (&t->memory, device);
  TRY (memory_get_pinned (&t->memory, &t->cells, MOCT_PLACES));
  TRY (memory_get_pinned (&t->memory, &t->chroma, CHROMA_WORDS));
  TRY (memory_get (&t->memory, &t->device_cells, MOCT_PLACES));
  return memory_get (&t->memory, &t->device_chroma, CHROMA_WORDS);
}

void
moct_tables_free (MoctTables *t)
{
  if (!t)
    return;
  memory_free (&t->memory);
  free (t->parts);
  free (t->colours);
  free (t);
}

static const char *
find_bounds (MoctTables *t)
{
  memset (t->bounds, 0, sizeof t->bounds);
  for (int k = 0; k < t->n_colours; k++) {
    MoctSpace space = moct_space (&t->colours[k]);

    if (space == MOCT_LEARN || t->bounds[space])
      continue;
    t->bounds[space] = moct_bounds_of (&t->encoding, space);
    if (!t->bounds[space])
      return OUT_OF_MEMORY (MOCT_CELLS * sizeof *t->bounds[space], "");
  }
  return NULL;
}

/* Lists the models that cut @cell, in order, up to the first model that holds
 * all of it.  Sets @rest to that model's class, or 0. */
static int
find_cutting_models (const MoctTables *t, int cell, uint16_t *models, int *rest)
{
  int n = 0;

  *rest = 0;
  for (int k = 0; k < t->n_colours; k++) {
    const MoctColour *c = &t->colours[k];
    const MoctBounds *b;

    if (c->space == MOCT_LEARN)
      continue;
    b = &t->bounds[moct_space (c)][cell];
    switch (moct_relation (c, b->lo, b->hi)) {
      case MOCT_OUT:
        break;
      case MOCT_IN:
        *rest = k + 1;
        return n;
      case MOCT_CUTS:
        models[n++] = (uint16_t) k;
        break;
    }
  }
  return n;
}

static uint16_t
classify_colour (const MoctTables *t, const uint16_t *models, int n, int rest,
    const uint8_t c[3])
{
  float points[MOCT_LEARN + 1][3];
  unsigned known = 0;

  for (int i = 0; i < n; i++) {
    const MoctColour *colour = &t->colours[models[i]];
    MoctSpace space = moct_space (colour);

    if (!(known & 1u << space))
      moct_point (&t->encoding, space, c, points[space]);
    known |= 1u << space;
    if (moct_holds (colour, points[space]))
      return (uint16_t) (models[i] + 1);
  }
  return (uint16_t) rest;
}

/* Fills @part with the classes of a cell that models cut.  Returns the class if
 * all colours have the same, else MOCT_CUT. */
static unsigned
fill_cut_part (const MoctTables *t, int cell, const uint16_t *models, int n,
    int rest, uint16_t *part)
{
  bool same = true;

  for (int i = 0; i < MOCT_PART; i++) {
    uint8_t c[3];

    moct_cell_colour (cell, i, c);
    part[i] = classify_colour (t, models, n, rest, c);
    same &= part[i] == part[0];
  }
  return same ? part[0] : MOCT_CUT;
}

static const char *
make_room_for_parts (MoctTables *t)
{
  int room = t->room ? 2 * t->room : 1024;
  uint16_t *parts = realloc (t->parts, room * PART_BYTES);

  if (!parts)
    return OUT_OF_MEMORY (room * PART_BYTES, "");
  t->parts = parts;
  t->room = room;
  return NULL;
}

/* Adds the part of a cut cell.  The order of parts does not change any
 * lookup. */
static const char *
add_cut_part (MoctTables *t, int cell, const uint16_t *part)
{
  if (t->n_parts == t->room)
    TRY (make_room_for_parts (t));
  memcpy (t->parts + (size_t) t->n_parts * MOCT_PART, part, PART_BYTES);
  t->cells[moct_cell_place (cell)] =
      (uint16_t) (MOCT_CUT | (unsigned) t->n_parts++);
  return NULL;
}

/* Marks the chroma of a cell's colours that have a class: for each c1, eight c2
 * are one byte of bits. */
static void
mark_chroma (MoctTables *t, int cell, const uint16_t *part)
{
  int c2 = cell >> 10 << 3, c1 = (cell >> 5 & 31) << 3;

  for (int i = 0; i < 8; i++) {
    uint32_t bits = 0;

    for (int k = 0; k < 64; k++)
      if (!part || part[(k & 7) << 6 | i << 3 | k >> 3])
        bits |= 1u << (k >> 3);
    __atomic_fetch_or (&t->chroma[(c1 + i) << 3 | c2 >> 5], bits << (c2 & 31),
        __ATOMIC_RELAXED);
  }
}

/* The tables that are filled; @lock protects parts and the first error. */
typedef struct {
  MoctTables *t;
  pthread_mutex_t lock;
  const char *err;
} Filling;

static void
fill_table_cell (Filling *f, int cell)
{
  MoctTables *t = f->t;
  uint16_t models[MOCT_MAX_COLOURS], part[MOCT_PART];
  uint8_t middle[3];
  int rest, n = find_cutting_models (t, cell, models, &rest);
  unsigned cls;

  if (!n)
    cls = (unsigned) rest;
  else if (t->exact)
    cls = fill_cut_part (t, cell, models, n, rest, part);
  else {
    moct_cell_colour (cell, 4 << 6 | 4 << 3 | 4, middle);
    cls = classify_colour (t, models, n, rest, middle);
  }
  t->cells[moct_cell_place (cell)] = (uint16_t) cls;
  if (cls == MOCT_CUT) {
    pthread_mutex_lock (&f->lock);
    if (!f->err)
      f->err = add_cut_part (t, cell, part);
    pthread_mutex_unlock (&f->lock);
  }
  if (cls)
    mark_chroma (t, cell, cls == MOCT_CUT ? part : NULL);
}

static void
fill_table_cells (void *data, int begin, int end)
{
  for (int cell = begin; cell < end; cell++)
    fill_table_cell (data, cell);
}

static const char *
fill_tables (MoctTables *t)
{
  Filling f = {.t = t, .lock = PTHREAD_MUTEX_INITIALIZER};

  t->n_parts = 0;
  memset (t->chroma, 0, CHROMA_BYTES);
  parallel_for (MOCT_CELLS, 256, fill_table_cells, &f);
  return f.err;
}

static const char *
upload_tables (MoctTables *t)
{
  if (t->n_parts > t->device_room) {
    t->device_room = 0;
    TRY (memory_get (
        &t->memory, &t->device_parts, (size_t) t->room * MOCT_PART));
    t->device_room = t->room;
  }
  TRY (device_copy (t->device, t->device_cells, t->cells, CELLS_BYTES));
  TRY (device_copy (t->device, t->device_chroma, t->chroma, CHROMA_BYTES));
  if (t->n_parts)
    TRY (device_copy (
        t->device, t->device_parts, t->parts, t->n_parts * PART_BYTES));
  return device_wait (t->device); /* before the host's copies are written
                                     again */
}

static bool
are_tables_current (
    const MoctTables *t, const MoctParams *params, const MoctEncoding *encoding)
{
  return t->valid && t->n_colours == params->n_colours &&
      t->exact == params->exact &&
      moct_encoding_equal (&t->encoding, encoding) &&
      !memcmp (
          t->colours, params->colours, params->n_colours * sizeof *t->colours);
}

static const char *
compile_tables (
    MoctTables *t, const MoctParams *params, const MoctEncoding *encoding)
{
  t->valid = false;
  t->encoding = *encoding;
  t->n_colours = params->n_colours;
  t->exact = params->exact;
  memcpy (t->colours, params->colours, params->n_colours * sizeof *t->colours);
  TRY (find_bounds (t));
  TRY (fill_tables (t));
  TRY (upload_tables (t));
  t->valid = true;
  return NULL;
}

const char *
moct_tables_get (MoctTables *t, const MoctParams *params, const Image *frame,
    MoctTable *table)
{
  MoctEncoding encoding = moct_encoding (frame);

  if (!are_tables_current (t, params, &encoding))
    TRY (compile_tables (t, params, &encoding));
  *table = (MoctTable){t->device_cells, t->device_parts, t->device_chroma};
  return NULL;
}
