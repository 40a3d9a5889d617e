/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Greys of frames, the maps of a rig, and their memory. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/yuv.h"
#include "pocstereo/rig/pocstereo_picture_core.h"

struct _PocstereoRectify {
  Device device;
  DeviceMemory memory;
  const PocstereoRectifyStages *stages;
  int width, height;
  bool mapped;
  PocstereoView view[2]; /* the views of the maps, if mapped */
  PocstereoPosition *map[2];
  uint8_t *valid[2];
  PocstereoPlanes planes; /* if mapped; rows of width */
};

const char *
pocstereo_rectify_new (
    PocstereoRectify **self, const Device *device, int width, int height)
{
  PocstereoRectify *r = calloc (1, sizeof *r);

  *self = r;
  if (!r)
    return OUT_OF_MEMORY (sizeof *r, "");
  r->device = *device;
  r->stages = STAGES (pocstereo_rectify, device);
  memory_open (&r->memory, &r->device);
  if (width < 1 || height < 1 || width > POCSTEREO_RECTIFY_MAX_SIDE ||
      height > POCSTEREO_RECTIFY_MAX_SIDE)
    return "the frame's sides must be 1 to 16384 pixels";
  r->width = width;
  r->height = height;
  r->planes.stride = width;
  return NULL;
}

void
pocstereo_rectify_free (PocstereoRectify *r)
{
  if (!r)
    return;
  device_wait (&r->device); /* the device may still use it */
  memory_free (&r->memory);
  free (r);
}

static const char *
get_map_memory (PocstereoRectify *r, int i)
{
  size_t n = (size_t) r->width * r->height;

  TRY (memory_get (&r->memory, &r->map[i], n));
  TRY (memory_get (&r->memory, &r->valid[i], n));
  return memory_get (&r->memory, &r->planes.view[i], n);
}

static const char *
upload_map (PocstereoRectify *r, int i, PocstereoPosition *map, uint8_t *valid)
{
  size_t n = (size_t) r->width * r->height;

  pocstereo_rectify_map (&r->view[i], r->width, r->height, map, valid);
  TRY (device_copy (&r->device, r->map[i], map, n * sizeof *map));
  TRY (device_copy (&r->device, r->valid[i], valid, n));
  return device_wait (&r->device);
}

static const char *
make_rectify_maps (PocstereoRectify *r)
{
  size_t n = (size_t) r->width * r->height;
  PocstereoPosition *map = malloc (n * sizeof *map);
  uint8_t *valid = malloc (n);
  const char *error =
      map && valid ? NULL : OUT_OF_MEMORY (n * (sizeof *map + 1), "");

  for (int i = 0; i < 2 && !error; i++) {
    if (!r->planes.view[i])
      error = get_map_memory (r, i);
    if (!error)
      error = upload_map (r, i, map, valid);
  }
  free (map);
  free (valid);
  return error;
}

const char *
pocstereo_rectify_set (
    PocstereoRectify *r, const PocstereoView *left, const PocstereoView *right)
{
  if (!left != !right)
    return "a rig is two cameras, and one was given";
  if (!left) {
    r->mapped = false;
    return NULL;
  }
  TRY (pocstereo_rectify_check (left));
  TRY (pocstereo_rectify_check (right));
  if (r->mapped && !memcmp (left, &r->view[0], sizeof *left) &&
      !memcmp (right, &r->view[1], sizeof *right))
    return NULL;
  TRY (device_wait (&r->device)); /* the device may still use the maps */
  r->mapped = false;
  r->view[0] = *left;
  r->view[1] = *right;
  TRY (make_rectify_maps (r));
  r->mapped = true;
  return NULL;
}

static PocstereoGrey
grey_of_image (const Image *img)
{
  ImageRow row = image_row (img, 0);
  Yuv m = yuv_of (IMAGE_BT601, true);
  PocstereoGrey g = {.c = {row.c0, row.c1, row.c2},
      .width = img->width,
      .height = img->height,
      .stride = img->stride[0],
      .step = row.step0,
      .kind = POCSTEREO_BYTES,
      .weight = {m.yr, m.yg, m.yb}};

  if (img->format == IMAGE_GRAY16 || img->format == IMAGE_P010) {
    g.c[0] = img->plane[0];
    g.kind = POCSTEREO_WORDS;
    g.shift = 4;
    /* the lower 6 bits of P010 are undefined */
    g.mask = img->format == IMAGE_P010 ? 0xffc : 0xfff;
  } else if (img->format >= IMAGE_RGB && img->format <= IMAGE_BGRA) {
    g.kind = POCSTEREO_COLOURS;
  }
  return g;
}

static const char *
check_rectify_frame (const PocstereoRectify *r, const Image *img)
{
  if (img->width != r->width || img->height != r->height)
    return "a frame has another size than was announced";
  if ((unsigned) img->format > IMAGE_P010 || !img->plane[0])
    return "a frame has a format that cannot be read as grey";
  return NULL;
}

const char *
pocstereo_rectify_run (PocstereoRectify *r, const Image *left,
    const Image *right, uint16_t *const sample[2], int stride)
{
  PocstereoMaps maps = {{r->map[0], r->map[1]}};
  PocstereoPlanes samples = {{sample[0], sample[1]}, stride};
  PocstereoGreys frames;

  TRY (check_rectify_frame (r, left));
  TRY (check_rectify_frame (r, right));
  if (stride < r->width)
    return "rows of samples are shorter than the frame's";
  frames.grey[0] = grey_of_image (left);
  frames.grey[1] = grey_of_image (right);
  return r->stages->rectify (
      &r->device, &frames, r->mapped ? &maps : NULL, &r->planes, &samples);
}

const char *
pocstereo_rectify_picture (
    PocstereoRectify *r, const Image *left, uint8_t *rgba, int stride)
{
  PocstereoPicture p = {.from = *left,
      .yuv = yuv_of (left->matrix, left->full_range),
      .map = r->mapped ? r->map[0] : NULL,
      .valid = pocstereo_rectify_valid (r, 0),
      .rgba = rgba,
      .stride = stride};

  TRY (check_rectify_frame (r, left));
  if (stride < 4 * r->width)
    return "rows of the picture are shorter than the frame's";
  return r->stages->picture (&r->device, &p);
}

const uint8_t *
pocstereo_rectify_valid (const PocstereoRectify *r, int view)
{
  return r->mapped ? r->valid[view] : NULL;
}
