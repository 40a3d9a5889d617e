/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stereo pairs of Middlebury with their true disparities, and what of them both
 * views show. */
#pragma once

#include <png.h>
#include <zlib.h>

#include "pocstereo_pair.h"

typedef struct {
  int width, height;
  uint8_t *grey;
} Picture;

/* @name, a PNG below the folder @data, in 8-bit grey (BT.601). */
static inline Picture
picture_read (const char *data, const char *name)
{
  png_image png = {.version = PNG_IMAGE_VERSION};
  Picture p = {0, 0, NULL};
  uint8_t *rgb = NULL;
  char path[4096];

  snprintf (path, sizeof path, "%s/stereo/%s", data, name);
  if (png_image_begin_read_from_file (&png, path)) {
    png.format = PNG_FORMAT_RGB;
    rgb = malloc (PNG_IMAGE_SIZE (png));
    if (png_image_finish_read (&png, NULL, rgb, 0, NULL)) {
      p = (Picture){(int) png.width, (int) png.height, NULL};
      p.grey = malloc ((size_t) p.width * p.height);
      for (int i = 0; i < p.width * p.height; i++)
        p.grey[i] = (uint8_t) ((rgb[3 * i] * 4899 + rgb[3 * i + 1] * 9617 +
                                   rgb[3 * i + 2] * 1868 + 8192) >>
            14);
    }
  }
  check (p.grey != NULL);
  free (rgb);
  return p;
}

/* A picture whose grey levels are disparities times @scale; NAN: unknown. */
static inline float *
truth_read (const char *data, const char *name, int scale)
{
  Picture p = picture_read (data, name);
  float *truth = malloc ((size_t) p.width * p.height * sizeof *truth);

  for (int i = 0; i < p.width * p.height; i++)
    truth[i] = p.grey[i] ? p.grey[i] / (float) scale : NAN;
  free (p.grey);
  return truth;
}

/* The only array, of floats, in an .npz: deflated, behind a header of each. */
static inline float *
truth_inflate (const char *data, const char *name, int n)
{
  size_t room = 2 << 20, got, bytes = (size_t) n * sizeof (float) + 4096;
  uint8_t *in = malloc (room), *out = malloc (bytes);
  float *truth = malloc ((size_t) n * sizeof *truth);
  z_stream z = {0};
  char path[4096];
  FILE *file;

  snprintf (path, sizeof path, "%s/stereo/%s", data, name);
  file = fopen (path, "rb");
  got = file ? fread (in, 1, room, file) : 0;
  check (got > 30);
  if (got > 30) {
    size_t skip = 30 + in[26] + 256 * in[27] + in[28] + 256 * in[29];

    z.next_in = in + skip;
    z.avail_in = (uInt) (got - skip);
    z.next_out = out;
    z.avail_out = (uInt) bytes;
    check (inflateInit2 (&z, -15) == Z_OK);
    check (inflate (&z, Z_FINISH) == Z_STREAM_END);
    inflateEnd (&z);
    memcpy (truth, out + 10 + out[8] + 256 * out[9], n * sizeof *truth);
  }
  if (file)
    fclose (file);
  free (in);
  free (out);
  return truth;
}

typedef struct {
  Picture view[2];
  float *truth;
  bool *visible; /* in both views, where the truth is known */
  int range;
} Scene;

/* Visible is what the right view's truth says too, to a pixel. */
static inline void
visible_by_pair (Scene *s, const float *right)
{
  int width = s->view[0].width;

  for (int i = 0; i < width * s->view[0].height; i++) {
    int x = i % width, q = (int) rint (x - s->truth[i]);

    s->visible[i] = !isnan (s->truth[i]) && q >= 0 && q < width &&
        fabs (right[i - x + q] - s->truth[i]) <= 1;
  }
}

/* Visible is what nothing nearer, seen by the left view, hides. */
static inline void
visible_by_warp (Scene *s)
{
  int width = s->view[0].width, n = width * s->view[0].height;
  float *nearest = calloc (n, sizeof *nearest);

  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < n; i++) {
      int x = i % width, q;

      if (!isfinite (s->truth[i]))
        continue;
      q = (int) rint (x - s->truth[i]);
      if (q < 0 || q >= width)
        continue;
      if (!pass && s->truth[i] > nearest[i - x + q])
        nearest[i - x + q] = s->truth[i];
      if (pass)
        s->visible[i] = s->truth[i] >= nearest[i - x + q] - 1;
    }
  free (nearest);
}

#define SCENES 4

static const char *const scene_names[SCENES] = {
    "cones", "Motorcycle", "Reindeer", "Cloth3"};

static inline Scene
scene_read (const char *data, int i)
{
  static const struct {
    const char *folder, *left, *right, *truth[2];
    int scale, range;
  } files[] = {{"mb2003_cones", "im2", "im6", {"disp2", "disp6"}, 4, 64},
      {"mb2014_Motorcycle", "motorcycle_left", "motorcycle_right",
          {"motorcycle_disp", NULL}, 1, 64},
      {"mb2005_Reindeer", "view1", "view5", {"disp1", "disp5"}, 2, 112},
      {"mb2006_Cloth3", "view1", "view5", {"disp1", "disp5"}, 2, 112}};
  Scene s = {.range = files[i].range};
  char name[200];

  for (int v = 0; v < 2; v++) {
    snprintf (name, sizeof name, "%s/%s.png", files[i].folder,
        v ? files[i].right : files[i].left);
    s.view[v] = picture_read (data, name);
  }
  s.visible =
      calloc ((size_t) s.view[0].width * s.view[0].height, sizeof (bool));
  snprintf (name, sizeof name, "%s/%s.%s", files[i].folder, files[i].truth[0],
      files[i].truth[1] ? "png" : "npz");
  if (files[i].truth[1]) {
    float *right;

    s.truth = truth_read (data, name, files[i].scale);
    snprintf (
        name, sizeof name, "%s/%s.png", files[i].folder, files[i].truth[1]);
    right = truth_read (data, name, files[i].scale);
    visible_by_pair (&s, right);
    free (right);
  } else {
    s.truth = truth_inflate (data, name, s.view[0].width * s.view[0].height);
    visible_by_warp (&s);
  }
  return s;
}

static inline void
scene_free (Scene *s)
{
  free (s->view[0].grey);
  free (s->view[1].grey);
  free (s->truth);
  free (s->visible);
}
