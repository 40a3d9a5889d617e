/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Colours: the two palettes, each a path through a few colours chosen by eye;
 * the components of a colour in a format, and their places in a frame. */
#include "overlay/overlay_core.h"

#include <string.h>

/* Hues at about equal steps for the eye and of about equal lightness: bright on
 * a dark background, and strong on a bright background. */
static const uint8_t wheel[][3] = {{255, 84, 84}, {255, 136, 48},
    {250, 192, 40}, {196, 218, 56}, {100, 220, 92}, {36, 216, 160},
    {40, 208, 228}, {76, 172, 255}, {124, 136, 255}, {180, 120, 255},
    {236, 104, 236}, {255, 96, 164}};

/* From low to high values: the hue runs from indigo to red.  Lightness rises up
 * to the yellow and then falls only so far that the two ends stay apart. */
static const uint8_t ramp[][3] = {{40, 24, 84}, {64, 64, 184}, {56, 128, 236},
    {32, 188, 204}, {72, 220, 124}, {176, 232, 64}, {248, 196, 56},
    {240, 112, 40}, {152, 24, 24}};

static void
blend_path (
    const uint8_t (*path)[3], int legs, bool closed, int at, uint8_t out[3])
{
  int whole = closed ? 256 : 255, leg = at * legs / whole;
  int part = at * legs - leg * whole;
  const uint8_t *a = path[leg], *b = path[(leg + 1) % (legs + !closed)];

  for (int c = 0; c < 3; c++)
    out[c] =
        (uint8_t) ((a[c] * (whole - part) + b[c] * part + whole / 2) / whole);
}

/* Sets @rgb to the hue at @at, 0 to 255, on the wheel. */
static void
wheel_hue (int at, uint8_t rgb[3])
{
  blend_path (wheel, 12, true, at, rgb);
}

OverlayColour
overlay_colour_of (uint32_t key)
{
  uint8_t c[3];

  wheel_hue (overlay_hash (key), c);
  return (OverlayColour){c[0], c[1], c[2], 255};
}

static const OverlayLayout layouts[] = {
    [IMAGE_GRAY8] = {1, {{0, 1, 0, 0, 0}}, 1, 0, 1},
    [IMAGE_GRAY16] = {1, {{0, 2, 0, 0, 0}}, 2, 0, 257},
    [IMAGE_RGB] = {3, {{0, 3, 0, 0, 0}, {0, 3, 1, 0, 0}, {0, 3, 2, 0, 0}}, 1, 0,
        1},
    [IMAGE_BGR] = {3, {{0, 3, 2, 0, 0}, {0, 3, 1, 0, 0}, {0, 3, 0, 0, 0}}, 1, 0,
        1},
    [IMAGE_RGBA] = {4,
        {{0, 4, 0, 0, 0}, {0, 4, 1, 0, 0}, {0, 4, 2, 0, 0}, {0, 4, 3, 0, 0}}, 1,
        0, 1},
    [IMAGE_BGRA] = {4,
        {{0, 4, 2, 0, 0}, {0, 4, 1, 0, 0}, {0, 4, 0, 0, 0}, {0, 4, 3, 0, 0}}, 1,
        0, 1},
    [IMAGE_NV12] = {3, {{0, 1, 0, 0, 0}, {1, 2, 0, 1, 1}, {1, 2, 1, 1, 1}}, 1,
        0, 1},
    [IMAGE_I420] = {3, {{0, 1, 0, 0, 0}, {1, 1, 0, 1, 1}, {2, 1, 0, 1, 1}}, 1,
        0, 1},
    [IMAGE_YUY2] = {3, {{0, 2, 0, 0, 0}, {0, 4, 1, 1, 0}, {0, 4, 3, 1, 0}}, 1,
        0, 1},
    [IMAGE_P010] = {3, {{0, 2, 0, 0, 0}, {1, 4, 0, 1, 1}, {1, 4, 2, 1, 1}}, 2,
        6, 4},
};

const OverlayLayout *
overlay_layout (ImageFormat format)
{
  return &layouts[format];
}

bool
overlay_is_yuv (ImageFormat format)
{
  return image_is_yuv (format) || format <= IMAGE_GRAY16;
}

void
overlay_components (
    ImageFormat format, const Yuv *yuv, const uint8_t rgb[3], uint8_t out[3])
{
  if (overlay_is_yuv (format))
    yuv_from_rgb (yuv, rgb, out);
  else
    memcpy (out, rgb, 3);
}

void
overlay_palette (
    ImageFormat format, const Yuv *yuv, bool labels, uint8_t *palette)
{
  for (int i = 0; i < 256; i++) {
    uint8_t rgb[3];

    if (labels)
      wheel_hue (i, rgb);
    else
      blend_path (ramp, 8, false, i, rgb);
    overlay_components (format, yuv, rgb, palette + 4 * i);
    palette[4 * i + 3] = 255;
  }
}

void
overlay_ramp (uint8_t rgba[256][4])
{
  overlay_palette (IMAGE_RGBA, NULL, false, rgba[0]);
}
