/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The camera where the alignment does not suffice: it rests while bodies move,
 * or it is lost, and is searched for at keyframes, which are small pictures of
 * depth with the camera's pose; if it stays lost, the reason is told. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinfumot/kinfumot_state.h"

/* ---- A camera that rests ---- */

/* Bodies that begin to move are a part of the background's model, and pull the
 * camera along where the rest of the view does not hold it, such as walls along
 * themselves.  So a camera that has rested is estimated to move by truth, or
 * because bodies move.  If the camera moves, no surface fits the pose of rest
 * better than the estimate; if bodies move, what stands still does. */

#define REST_FEW 16      /* samples of a tile that are too few */
#define FITS (1 / 16.f)  /* of the distance up to which points match */
#define NOISE (1 / 32.f) /* likewise: of a tile's mean */
#define MUCH (1 / 4.f)   /* likewise: a tile counts as no more */
#define MOVED_BY 6       /* see rests_by_tiles () */
#define UNDECIDED .012   /* a tile */
#define REST_SHARE .15   /* of the tiles; they suffice without an estimate */

/* By how much a tile is @farther with one pose than with the other. */
static double
excess_of_tile (float farther)
{
  farther -= NOISE;
  return farther > MUCH ? MUCH : farther > 0 ? farther : 0;
}

/* Whether the camera rests.  Let a be the excess of the tiles that are nearer
 * with the pose of rest, by the number of all tiles, and b that of those that
 * are farther.  Before cameras that set out, generated and real, b - 6 a is
 * .022 and more, and before persons .006 and less. */
static bool
rests_by_tiles (const KinfumotRestTile *tiles, int n_tiles, bool has_estimate)
{
  int n = 0, n_fit = 0;
  double nearer = 0, farther = 0;

  for (int i = 0; i < n_tiles; i++) {
    const KinfumotRestTile *t = &tiles[i];

    n += t->n_seen >= REST_FEW;
    if (t->n < REST_FEW)
      continue;
    n_fit += t->at_rest < FITS;
    nearer += excess_of_tile (t->estimated - t->at_rest);
    farther += excess_of_tile (t->at_rest - t->estimated);
  }
  return has_estimate ? farther <= MOVED_BY * nearer + UNDECIDED * n
                      : n > 0 && n_fit >= REST_SHARE * n;
}

/* Compares the motion to the pose of rest with the estimated motion. */
static const char *
compare_rest (Kinfumot *k, Pose64 rest, Pose64 estimate, bool *stays)
{
  KinfumotRestIn in = {.matching = kinfumot_matching (k, &k->now),
      .at_rest = k->before[0],
      .estimated = k->before[0]};
  const int width = k->optics.width, height = k->optics.height;
  int side = width > height ? width : height, n;

  kinfumot_set_motion (&in.at_rest, rest);
  kinfumot_set_motion (&in.estimated, estimate);
  in.step = (side + KINFUMOT_REST_SAMPLES - 1) / KINFUMOT_REST_SAMPLES;
  side = KINFUMOT_REST_SIDE * in.step;
  in.tiles_x = (width + side - 1) / side;
  in.tiles_y = (height + side - 1) / side;
  n = in.tiles_x * in.tiles_y;
  TRY (k->stages->rest (&k->device, &in, k->rest_tiles));
  TRY (k->stages->pass (&k->device, k->host_rest_tiles, k->rest_tiles,
      n * sizeof *k->rest_tiles));
  TRY (device_wait (&k->device));
  *stays =
      rests_by_tiles (k->host_rest_tiles, n, k->host_report->models[0].good);
  return NULL;
}

bool
kinfumot_may_rest (const Kinfumot *k)
{
  return k->host_report->models[0].active == KINFUMOT_AWAKE &&
      k->params.pose == KINFUMOT_ESTIMATE && k->rested >= KINFUMOT_RESTED;
}

const char *
kinfumot_rest_keep (Kinfumot *k, bool *stays)
{
  KinfumotModel *models = k->host_report->models;
  const KinfumotModel estimate = models[0];
  const Pose64 *rest = &k->before[0].rest;
  const Pose64 back = pose64_inverse (k->before[0].pose);

  *stays = false;
  if (estimate.good &&
      kinfumot_poses_are_near (
          &estimate.pose, rest, KINFUMOT_REST, KINFUMOT_REST_TURN))
    return NULL;
  TRY (compare_rest (k, pose64_times (back, *rest),
      pose64_times (back, estimate.pose), stays));
  if (!*stays)
    return NULL;
  memcpy (models, k->before, sizeof k->before);
  kinfumot_set_motion (&models[0], pose64_times (back, *rest));
  models[0].good = true;
  models[0].points = estimate.points;
  models[0].residual = estimate.residual;
  models[0].weak = estimate.weak;
  return kinfumot_upload (k);
}

/* ---- Keyframes ---- */

/* Two keyframes differ by either: */
#define APART .2     /* metres */
#define TURNED .9914 /* the cosine of half of 15 degrees */

#define UNLIKE 2458    /* 30 cm: a pixel's difference counts as no more */
#define TRIED 4        /* keyframes a frame */
#define FOUND_SHARE .5 /* least share of points that match a camera found */
#define FOUND_RESIDUAL .015 /* metres */

/* Copies the rows of this frame from which a small picture is made. */
static const char *
fetch_rows (Kinfumot *k)
{
  const int width = k->optics.width, height = k->optics.height;
  size_t row = width * sizeof *k->now.depth;
  int step = height / KINFUMOT_SMALL_Y;
  int rows = step ? KINFUMOT_SMALL_Y : height;

  TRY (device_copy_rows (&k->device, k->host_rows, row, k->now.depth,
      row * (step ? step : 1), row, rows));
  return device_wait (&k->device);
}

static void
shrink_rows (const Kinfumot *k, KinfumotKeyframe *f)
{
  const int width = k->optics.width, height = k->optics.height;
  int rows = height < KINFUMOT_SMALL_Y ? height : KINFUMOT_SMALL_Y;

  memset (f->depth, 0, sizeof f->depth);
  for (int y = 0; y < rows; y++)
    for (int x = 0; x < KINFUMOT_SMALL_X; x++)
      f->depth[y][x] = k->host_rows[y * width + x * width / KINFUMOT_SMALL_X];
}

const char *
kinfumot_keyframe_add (Kinfumot *k)
{
  KinfumotKeyframe *f;

  for (int i = 0; i < k->n_keyframes; i++)
    if (kinfumot_poses_are_near (
            &k->keyframes[i].camera, &k->known_camera, APART, TURNED))
      return NULL;
  if (k->n_keyframes == KINFUMOT_MAX_KEYFRAMES)
    return NULL;
  if (k->n_keyframes == k->keyframes_room) {
    int room = k->keyframes_room ? 2 * k->keyframes_room : 16;

    f = realloc (k->keyframes, room * sizeof *f);
    if (!f)
      return NULL;
    k->keyframes = f;
    k->keyframes_room = room;
  }
  TRY (fetch_rows (k));
  f = &k->keyframes[k->n_keyframes++];
  f->camera = k->known_camera;
  shrink_rows (k, f);
  return NULL;
}

/* 0 if the pictures are the same. */
static uint64_t
difference_of_pictures (const KinfumotKeyframe *a, const KinfumotKeyframe *b)
{
  uint64_t sum = 0;

  for (int y = 0; y < KINFUMOT_SMALL_Y; y++)
    for (int x = 0; x < KINFUMOT_SMALL_X; x++) {
      int apart = a->depth[y][x] - b->depth[y][x];

      apart = apart < 0 ? -apart : apart;
      sum += apart < UNLIKE ? apart : UNLIKE;
    }
  return sum;
}

/* Sets @best to the numbers of the keyframes that look most like @now, the best
 * first, filled up with -1. */
static void
choose_keyframes (
    const Kinfumot *k, const KinfumotKeyframe *now, int best[TRIED])
{
  uint64_t distances[TRIED];

  for (int i = 0; i < TRIED; i++)
    best[i] = -1;
  for (int f = 0; f < k->n_keyframes; f++) {
    uint64_t d = difference_of_pictures (now, &k->keyframes[f]);
    int at = TRIED;

    while (at > 0 && (best[at - 1] < 0 || d < distances[at - 1]))
      at--;
    for (int i = TRIED - 1; i > at; i--) {
      best[i] = best[i - 1];
      distances[i] = distances[i - 1];
    }
    if (at < TRIED) {
      best[at] = f;
      distances[at] = d;
    }
  }
}

/* The previous frame's camera becomes @camera; objects stay where they are in
 * the world. */
static void
place_camera (Kinfumot *k, Pose64 camera)
{
  KinfumotModel *models = k->host_report->models;
  Pose64 moved = pose64_times (pose64_inverse (models[0].pose), camera);

  for (int m = 1; m < KINFUMOT_MODELS; m++)
    if (models[m].active) {
      kinfumot_set_pose (&models[m], pose64_times (models[m].pose, moved));
      models[m].box = kinfumot_whole_box (k);
    }
  kinfumot_set_pose (&models[0], camera);
  kinfumot_set_motion (&models[0], pose64_identity ());
}

static const char *
try_keyframe (Kinfumot *k, Pose64 camera, bool *found)
{
  const KinfumotModel *m = &k->host_report->models[0];

  place_camera (k, camera);
  TRY (kinfumot_upload (k));
  TRY (kinfumot_cast_views (k, 0, kinfumot_models_end (k)));
  TRY (kinfumot_align_frame (k, 0, 1));
  TRY (k->stages->judge (
      &k->device, 0, 1, k->normals.n, k->device_report->models));
  TRY (kinfumot_download (k));
  *found = m->good && m->residual < FOUND_RESIDUAL &&
      m->points >= FOUND_SHARE * k->host_report->n_points;
  return NULL;
}

const char *
kinfumot_keyframe_search (Kinfumot *k, bool *found)
{
  KinfumotKeyframe now;
  int best[TRIED];

  *found = false;
  k->previous = (KinfumotMaps){NULL, NULL}; /* of another camera */
  TRY (fetch_rows (k));
  shrink_rows (k, &now);
  choose_keyframes (k, &now, best);
  for (int i = 0; i < TRIED && best[i] >= 0 && !*found; i++)
    TRY (try_keyframe (k, k->keyframes[best[i]].camera, found));
  if (*found)
    return NULL;
  place_camera (k, k->known_camera);
  k->host_report->models[0].good = false;
  TRY (kinfumot_upload (k));
  return kinfumot_cast_views (k, 0, kinfumot_models_end (k));
}

/* ---- Why the camera is lost ---- */

#define FEW_DEPTHS .1 /* of the pixels */
#define FEW_POINTS .3 /* of the pixels with depth; Kinects have .7 to .95 */

const char *
kinfumot_loss_describe (Kinfumot *k, const KinfumotModel *estimate)
{
  const int pixels = kinfumot_n_pixels (&k->optics);
  const uint32_t points = k->host_report->n_points;
  int depths = 0;

  TRY (device_copy (&k->device, k->host_maps.depth, k->now.depth,
      pixels * sizeof *k->now.depth));
  TRY (device_wait (&k->device));
  for (int i = 0; i < pixels; i++)
    depths += k->host_maps.depth[i] != 0;
  if (depths < FEW_DEPTHS * pixels)
    snprintf (k->loss, sizeof k->loss,
        "%.0f %% of the pixels have depth within %d m. Let the camera see "
        "more that is near, and see that depth-scale is that of the sensor",
        100. * depths / pixels, KINFUMOT_FAR);
  else if (points < FEW_POINTS * depths)
    snprintf (k->loss, sizeof k->loss,
        "%.0f %% of the pixels with depth lie on a surface; around the rest, "
        "depth is missing or jumps. Fill the holes of the depth, or make its "
        "frames smaller, before this element",
        100. * points / depths);
  else
    snprintf (k->loss, sizeof k->loss,
        "%.0f %% of the points match the models, %.1f cm off, where %.0f %% "
        "and %.1f cm are the limits. The camera or most of the view moved too "
        "far from one frame to the next, or intrinsics are not those of the "
        "sensor",
        points ? 100. * estimate->points / points : 0, 100 * estimate->residual,
        100 * KINFUMOT_MIN_SHARE, 100 * KINFUMOT_MAX_RESIDUAL);
  return NULL;
}
