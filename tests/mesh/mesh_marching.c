/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Surfaces by marching cubes: of fields whose surface is known, and of random
 * ones; and meshes as files. */
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "mesh/marching_cubes.h"
#include "seconds.h"

AUTO_FREE (Mesh, mesh_free)

/* A block of bricks, from brick @low along each axis on. */
typedef struct {
  int low[3], n[3];
  MarchingBrick *bricks;
  MarchingVoxel *voxels;
  int64_t *order; /* of the brick at each place */
} Field;

static const uint8_t white[3] = {255, 255, 255};

static int
bricks_of (const Field *f)
{
  return f->n[0] * f->n[1] * f->n[2];
}

static int64_t
find (void *data, const int32_t at[3])
{
  const Field *f = data;
  int64_t i = 0;

  for (int k = 2; k >= 0; k--) {
    int to = at[k] - f->low[k];

    if (to < 0 || to >= f->n[k])
      return -1;
    i = i * f->n[k] + to;
  }
  return f->order[i];
}

/* The bricks in a random order. */
static Field
field_new (int x, int y, int z, int nx, int ny, int nz)
{
  Field f = {{x, y, z}, {nx, ny, nz}, NULL, NULL, NULL};
  int n = bricks_of (&f);

  f.bricks = calloc ((size_t) n, sizeof *f.bricks);
  f.voxels = calloc ((size_t) n * 512, sizeof *f.voxels);
  f.order = malloc ((size_t) n * sizeof *f.order);
  for (int i = 0; i < n; i++)
    f.order[i] = i;
  for (int i = n - 1; i > 0; i--) {
    int j = (int) rnd ((uint32_t) i + 1);
    int64_t other = f.order[i];

    f.order[i] = f.order[j], f.order[j] = other;
  }
  for (int i = 0; i < n; i++) {
    MarchingBrick *b = &f.bricks[f.order[i]];

    b->at[0] = x + i % nx, b->at[1] = y + i / nx % ny,
    b->at[2] = z + i / nx / ny;
    b->voxels = f.voxels + 512 * (size_t) f.order[i];
  }
  return f;
}

static void
field_free (Field *f)
{
  free (f->bricks);
  free (f->voxels);
  free (f->order);
}

AUTO_FREE (Field, field_free)

static MarchingVoxel *
voxel_at (Field *f, int x, int y, int z)
{
  int32_t at[3] = {x >> 3, y >> 3, z >> 3};
  int64_t i = find (f, at);

  return i < 0 ? NULL
               : f->voxels + 512 * i + ((z & 7) * 8 + (y & 7)) * 8 + (x & 7);
}

/* Distances of @of, in voxels, all of them observed; 1000 a voxel. */
static void
field_fill (Field *f, double (*of) (double, double, double))
{
  for (int z = 8 * f->low[2]; z < 8 * (f->low[2] + f->n[2]); z++)
    for (int y = 8 * f->low[1]; y < 8 * (f->low[1] + f->n[1]); y++)
      for (int x = 8 * f->low[0]; x < 8 * (f->low[0] + f->n[0]); x++)
        *voxel_at (f, x, y, z) = (MarchingVoxel){
            (int16_t) fmax (-32767, fmin (32767, 1000 * of (x, y, z))), 1};
}

static Mesh
surface_of (Field *f)
{
  MarchingGrid grid = {f->bricks, (uint32_t) bricks_of (f), find, f, 0xfff, 1};
  Mesh m = {0};

  ok (marching_cubes (&m, &grid, white));
  return m;
}

/* ---- What is known of a mesh ---- */

static int
by_edge (const void *a, const void *b)
{
  return memcmp (a, b, 8);
}

/* How many sides of triangles have no partner that runs the other way; and, in
 * @shared, how many have more than one.  Where cubes differ as much as in
 * noise, two sheets of the surface may share a side. */
static int
open_sides (const Mesh *m, int *shared)
{
  size_t n = 3 * (size_t) m->n_triangles;
  uint32_t (*to)[2] = malloc ((n + 1) * sizeof *to);
  uint32_t (*fro)[2] = malloc ((n + 1) * sizeof *fro);
  int open = 0;

  *shared = 0;
  for (size_t i = 0; i < n; i++) {
    to[i][0] = m->triangles[i];
    to[i][1] = m->triangles[i - i % 3 + (i + 1) % 3];
    fro[i][0] = to[i][1], fro[i][1] = to[i][0];
  }
  qsort (to, n, sizeof *to, by_edge);
  qsort (fro, n, sizeof *fro, by_edge);
  for (size_t i = 0, j = 0; i < n; i++) {
    while (j < n && memcmp (fro[j], to[i], 8) < 0)
      j++;
    open += j == n || memcmp (fro[j], to[i], 8) != 0;
    j += j < n && !memcmp (fro[j], to[i], 8);
    *shared += i > 0 && !memcmp (to[i], to[i - 1], 8);
  }
  free (to);
  free (fro);
  return open;
}

/* Area, and volume within: that of tetrahedra with the origin. */
static double
measure (const Mesh *m, double *volume)
{
  double area = 0;

  *volume = 0;
  for (uint32_t t = 0; t < m->n_triangles; t++) {
    const float *a = m->x + 3 * m->triangles[3 * t];
    const float *b = m->x + 3 * m->triangles[3 * t + 1];
    const float *c = m->x + 3 * m->triangles[3 * t + 2];
    double n[3];

    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;

      n[i] = (double) (b[j] - a[j]) * (c[k] - a[k]) -
          (double) (b[k] - a[k]) * (c[j] - a[j]);
    }
    area += sqrt (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    *volume += (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / 6;
  }
  return area;
}

static bool
in_range (const Mesh *m)
{
  bool *used = calloc ((size_t) m->n + 1, sizeof *used), all = true;

  for (size_t i = 0; i < 3 * (size_t) m->n_triangles; i++) {
    all &= m->triangles[i] < m->n;
    used[m->triangles[i] < m->n ? m->triangles[i] : 0] = true;
  }
  for (uint32_t i = 0; i < m->n; i++)
    all &=
        used[i] && isfinite (m->x[3 * i] + m->x[3 * i + 1] + m->x[3 * i + 2]);
  free (used);
  return all;
}

/* ---- Fields ---- */

#define RADIUS 11.3

static double
ball (double x, double y, double z)
{
  return sqrt ((x - .3) * (x - .3) + (y + 1.4) * (y + 1.4) + z * z) - RADIUS;
}

static double
ground (double x, double y, double z)
{
  return .25 * x - .5 * y + z - .125; /* its normal's length does not matter */
}

/* Closed, of genus 0, as large as the ball, its vertices on it. */
static void
sphere (DeviceKind kind)
{
  AUTO (Field) f = field_new (-2, -2, -2, 4, 4, 4);
  double area, volume, far = 0;
  int shared;
  AUTO (Mesh) m;

  field_fill (&f, ball);
  m = surface_of (&f);
  area = measure (&m, &volume);
  check (in_range (&m) && !open_sides (&m, &shared) && !shared);
  check (m.n_triangles > 1000 && m.n - m.n_triangles / 2 == 2);
  check_near (area / (4 * M_PI * RADIUS * RADIUS), 1, .01);
  check_near (volume / (4 * M_PI / 3 * RADIUS * RADIUS * RADIUS), 1, .01);
  for (uint32_t i = 0; i < m.n; i++)
    far = fmax (far, fabs (ball (m.x[3 * i], m.x[3 * i + 1], m.x[3 * i + 2])));
  check (far < .02);
  for (uint32_t i = 0; i < 3 * m.n; i++)
    check (m.colour[i] == 255);
}

/* A plane is flat, has no seams where bricks meet, and ends where they do. */
static void
plane (DeviceKind kind)
{
  AUTO (Field) f = field_new (-1, 0, -2, 2, 1, 4);
  double area, volume, slope = sqrt (.25 * .25 + .5 * .5 + 1);
  int rim = 0, open, shared;
  AUTO (Mesh) m;

  field_fill (&f, ground);
  m = surface_of (&f);
  area = measure (&m, &volume);
  check (in_range (&m));
  for (uint32_t i = 0; i < m.n; i++)
    check_near (ground (m.x[3 * i], m.x[3 * i + 1], m.x[3 * i + 2]), 0, 2e-3);
  check_near (area, 15 * 7 * slope, 1e-3 * area); /* voxel 0 to voxel 15, 7 */
  for (uint32_t i = 0; i < m.n; i++)
    rim += m.x[3 * i] == -8 || m.x[3 * i] == 7 || m.x[3 * i + 1] == 0 ||
        m.x[3 * i + 1] == 7;
  open = open_sides (&m, &shared);
  check (open > 0 && open <= 2 * rim && !shared);
}

/* Random signs have every case of a cube: closed within a rim of free space,
 * whichever brick comes first. */
static void
noise (DeviceKind kind)
{
  for (int round = 0; round < 30; round++) {
    AUTO (Field) f = field_new (-1, -2, 3, 2 + round % 2, 2, 2);
    int share = 1 + (int) rnd (15), shared = 0;
    double volume, cubes = 0;
    AUTO (Mesh) m;

    for (int i = 0; i < 512 * bricks_of (&f); i++)
      f.voxels[i] = (MarchingVoxel){
          (int16_t) ((int) rnd (32767) - ((int) rnd (16) < share ? 32768 : 0)),
          (uint16_t) (1 + rnd (4095))};
    for (int z = 24; z < 40; z++)
      for (int y = -16; y < 0; y++)
        for (int x = -8; x < 8 * (f.low[0] + f.n[0]); x++) {
          MarchingVoxel *v = voxel_at (&f, x, y, z);

          if (z == 24 || z == 39 || y == -16 || y == -1 || x == -8 ||
              x == 8 * (f.low[0] + f.n[0]) - 1)
            v->distance = 1 + (int16_t) rnd (32766);
          cubes += v->distance < 0;
        }
    m = surface_of (&f);
    check (in_range (&m) && !open_sides (&m, &shared));
    check (shared <= (int) m.n_triangles / 10);
    measure (&m, &volume);
    check (volume > .2 * cubes && volume < 4 * cubes);
  }
}

/* No triangle has a corner beside a voxel that was not observed, and all others
 * are as they were. */
static void
unobserved (DeviceKind kind)
{
  AUTO (Field) f = field_new (-2, -2, -2, 4, 4, 4);
  Mesh all, m;
  int at[3] = {11, -1, 0}, gone = 0, shared;

  field_fill (&f, ball);
  all = surface_of (&f);
  voxel_at (&f, at[0], at[1], at[2])->weight = 0xf000; /* not of the mask */
  m = surface_of (&f);
  check (in_range (&m));
  for (uint32_t t = 0; t < all.n_triangles; t++) {
    bool near = true;

    for (int k = 0; k < 3 && near; k++) /* its cube has that voxel */
      for (int i = 0; i < 3 && near; i++)
        near = fabsf (all.x[3 * all.triangles[3 * t + i] + k] - at[k]) <= 1;
    gone += near;
  }
  check (gone > 4 && m.n_triangles == all.n_triangles - (uint32_t) gone);
  check (open_sides (&m, &shared) > 3);
  mesh_free (&m);
  for (int i = 0; i < 512 * bricks_of (&f); i++)
    f.voxels[i].weight = 0;
  m = surface_of (&f);
  check (m.n == 0 && m.n_triangles == 0);
  mesh_free (&m);
  mesh_free (&all);
}

/* Bricks that are not there are as if they were not observed. */
static void
missing (DeviceKind kind)
{
  AUTO (Field) f = field_new (-2, -2, -2, 4, 4, 4);
  Mesh a, b;

  field_fill (&f, ball);
  for (int i = 0; i < 512; i++)
    f.voxels[512 * f.order[21] + i].weight = 0;
  a = surface_of (&f);
  f.bricks[f.order[21]].voxels = NULL;
  b = surface_of (&f);
  f.order[21] = -1;
  check (a.n == b.n && a.n_triangles == b.n_triangles && a.n > 0);
  check (!memcmp (a.x, b.x, 12 * (size_t) a.n));
  mesh_free (&b);
  b = surface_of (&f);
  check (a.n == b.n && a.n_triangles == b.n_triangles);
  mesh_free (&a);
  mesh_free (&b);
}

/* Further surfaces come behind the first, each in its colour. */
static void
several (DeviceKind kind)
{
  static const uint8_t red[3] = {200, 10, 20};
  AUTO (Field) f = field_new (-2, -2, -2, 4, 4, 4);
  MarchingGrid grid = {
      f.bricks, (uint32_t) bricks_of (&f), find, &f, 0xffff, .005f};
  Mesh m = {0};
  uint32_t n, t;
  int shared;

  field_fill (&f, ball);
  ok (marching_cubes (&m, &grid, white));
  n = m.n, t = m.n_triangles;
  ok (marching_cubes (&m, &grid, red));
  check (m.n == 2 * n && m.n_triangles == 2 * t);
  check (!memcmp (m.x, m.x + 3 * n, 12 * (size_t) n));
  for (uint32_t i = 0; i < 3 * t; i++)
    check (m.triangles[3 * t + i] == m.triangles[i] + n);
  check (!memcmp (m.colour, white, 3) && !memcmp (m.colour + 3 * n, red, 3));
  check (!open_sides (&m, &shared));
  free (m.colour);
  m.colour = NULL;
  check (marching_cubes (&m, &grid, red) != NULL && m.n == 2 * n);
  grid.n = 0;
  mesh_free (&m);
  ok (marching_cubes (&m, &grid, red));
  check (m.n == 0 && m.n_triangles == 0);
  mesh_free (&m);
}

/* ---- Files ---- */

/* What was written is read again, with and without each part. */
static void
files (DeviceKind kind)
{
  char path[] = "/tmp/mesh-XXXXXX";
  float x[] = {0, .5f, -1, 1e-9f, 3e7f, 2, 1, 1, 1};
  float normal[] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
  uint8_t colour[] = {0, 255, 7, 1, 2, 3, 9, 8, 7};
  uint32_t triangles[] = {0, 1, 2, 2, 1, 0};
  int file = mkstemp (path);

  check (file >= 0);
  close (file);
  for (int i = 0; i < 8; i++) {
    Mesh m = {.n = 3,
        .n_triangles = i & 4 ? 2 : 0,
        .x = x,
        .normal = i & 1 ? normal : NULL,
        .colour = i & 2 ? colour : NULL,
        .triangles = i & 4 ? triangles : NULL};
    AUTO (Mesh) back;

    ok (mesh_write (&m, path));
    ok (mesh_read (&back, path));
    check (back.n == 3 && !memcmp (back.x, x, sizeof x));
    check (back.n_triangles == m.n_triangles);
    check (!(i & 1) == !back.normal && !(i & 2) == !back.colour);
    if (i & 1)
      check (!memcmp (back.normal, normal, sizeof normal));
    if (i & 2)
      check (!memcmp (back.colour, colour, sizeof colour));
    if (i & 4)
      check (!memcmp (back.triangles, triangles, sizeof triangles));
  }
  check (mesh_write (&(Mesh){0}, "/nowhere/mesh.ply") != NULL);
  unlink (path);
}

static int
bench (int argc, char **argv)
{
  AUTO (Field) f = field_new (-16, -16, -16, 32, 32, 32);
  double start;
  AUTO (Mesh) m;

  field_fill (&f, ball);
  start = seconds ();
  m = surface_of (&f);
  printf ("%d bricks, %u triangles: %.0f ms\n", bricks_of (&f), m.n_triangles,
      1e3 * (seconds () - start));
  return check_failures != 0;
}

CHECK_MAIN (NULL, bench, {"sphere", sphere}, {"plane", plane}, {"noise", noise},
    {"unobserved", unobserved}, {"missing", missing}, {"several", several},
    {"files", files})
