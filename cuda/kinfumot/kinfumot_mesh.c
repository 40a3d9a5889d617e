/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The surfaces of the models, by marching cubes over copies of their bricks. */
#include "mesh/marching_cubes.h"

#include <stdlib.h>

#include "kinfumot/kinfumot_volume_core.h"
#include "kinfumot/kinfumot_state.h"

/* The bricks on the host, and their places in the order of their keys. */
typedef struct {
  uint32_t n;
  uint64_t *owner;
  KinfumotVoxel *voxels;
  MarchingBrick *bricks;
  struct Place {
    uint64_t key;
    uint32_t brick;
  } * places;
  int model; /* the model whose surface is made */
} MeshBricks;

static void
mesh_bricks_free (MeshBricks *b)
{
  free (b->owner);
  free (b->voxels);
  free (b->bricks);
  free (b->places);
}

static int
compare_places (const void *p, const void *q)
{
  uint64_t a = ((const struct Place *) p)->key;
  uint64_t b = ((const struct Place *) q)->key;

  return (a > b) - (a < b);
}

/* Copies the bricks up to the last one in use. */
static const char *
mesh_bricks_fetch (Kinfumot *k, MeshBricks *b)
{
  const KinfumotGrid *g = &k->grid;
  size_t brick = KINFUMOT_BRICK_VOXELS * sizeof *g->voxels;

  b->n = g->max_bricks;
  b->owner = malloc (b->n * sizeof *b->owner);
  if (!b->owner)
    return OUT_OF_MEMORY (b->n * sizeof *b->owner, " for the mesh");
  TRY (device_copy (&k->device, b->owner, g->owner, b->n * sizeof *b->owner));
  TRY (device_wait (&k->device));
  while (b->n && !b->owner[b->n - 1])
    b->n--;
  b->voxels = malloc (b->n * brick + 1);
  b->bricks = calloc ((size_t) b->n + 1, sizeof *b->bricks);
  b->places = calloc ((size_t) b->n + 1, sizeof *b->places);
  if (!b->voxels || !b->bricks || !b->places)
    return OUT_OF_MEMORY (
        b->n * (brick + sizeof *b->bricks + sizeof *b->places),
        " for the mesh");
  if (b->n)
    TRY (device_copy (&k->device, b->voxels, g->voxels, b->n * brick));
  return device_wait (&k->device);
}

static void
mesh_bricks_sort (MeshBricks *b)
{
  for (uint32_t i = 0; i < b->n; i++) {
    int at[3] = {0, 0, 0};

    if (b->owner[i])
      kinfumot_key_place (b->owner[i], at);
    for (int j = 0; j < 3; j++)
      b->bricks[i].at[j] = at[j] / KINFUMOT_BRICK;
    b->places[i] = (struct Place){b->owner[i], i};
  }
  qsort (b->places, b->n, sizeof *b->places, compare_places);
}

static int64_t
find_mesh_brick (void *data, const int32_t at[3])
{
  const MeshBricks *b = data;
  struct Place wanted = {
      .key = kinfumot_brick_key (b->model, at[0], at[1], at[2])};
  const struct Place *p = wanted.key
      ? bsearch (&wanted, b->places, b->n, sizeof *b->places, compare_places)
      : NULL;

  return p ? (int64_t) p->brick : -1;
}

_Static_assert(sizeof (MarchingVoxel) == sizeof (KinfumotVoxel) &&
        MARCHING_BRICK == KINFUMOT_BRICK,
    "marching cubes reads the bricks as they are");

static const char *
add_model_mesh (Kinfumot *k, MeshBricks *b, int model, Mesh *mesh)
{
  const KinfumotModel *models = k->host_report->models;
  MarchingGrid grid = {b->bricks, b->n, find_mesh_brick, b,
      KINFUMOT_WEIGHT_MASK, (float) k->grid.voxel};
  Pose64 world =
      pose64_times (models[0].pose, pose64_inverse (models[model].pose));
  uint32_t hue = kinfumot_model_hue (model), n = mesh->n;
  uint8_t colour[3] = {
      (uint8_t) (hue >> 16), (uint8_t) (hue >> 8), (uint8_t) hue};

  b->model = model;
  for (uint32_t i = 0; i < b->n; i++) {
    bool own = b->owner[i] && kinfumot_key_model (b->owner[i]) == model;

    b->bricks[i].voxels = own ? (const MarchingVoxel *) (b->voxels +
                                    (size_t) i * KINFUMOT_BRICK_VOXELS)
                              : NULL;
  }
  TRY (marching_cubes (mesh, &grid, colour));
  for (; model && n < mesh->n; n++) {
    double v[3], at[3];

    for (int i = 0; i < 3; i++)
      v[i] = mesh->x[3 * (size_t) n + i];
    quat64_rotate (world.q, v, at);
    for (int i = 0; i < 3; i++)
      mesh->x[3 * (size_t) n + i] = (float) (at[i] + world.t[i]);
  }
  return NULL;
}

const char *
kinfumot_mesh (Kinfumot *k, Mesh *mesh)
{
  MeshBricks b = {.n = 0};
  const char *err = mesh_bricks_fetch (k, &b);

  if (!err)
    mesh_bricks_sort (&b);
  for (int model = 0; !err && model < kinfumot_models_end (k); model++)
    if (!model || k->tracks[model].id)
      err = add_model_mesh (k, &b, model, mesh);
  mesh_bricks_free (&b);
  return err;
}
