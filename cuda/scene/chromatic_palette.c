/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The colours.  Up to twelve have names.  A search found them, their tolerances
 * and their look-alikes so that all stay apart in Lab in all light that the
 * scene allows.  More colours are a face-centred cubic lattice in Lab, the
 * densest there is, so that all tolerances can be equal. */
#include "scene/chromatic_core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>


static const struct {
  char name[12];
  uint8_t paint[3], alike[3];
  int tolerance;
} named[CHROMATIC_NAMED] = {
    {"red", {0xe1, 0x0f, 0x0f}, {0xf0, 0x68, 0x4c}, 22},
    {"orange", {0xed, 0x87, 0x24}, {0xf0, 0xb4, 0x68}, 22},
    {"yellow", {0xe2, 0xcc, 0x24}, {0xdc, 0xec, 0x80}, 24},
    {"green", {0x28, 0x92, 0x46}, {0x7c, 0x9c, 0x54}, 18},
    {"cyan", {0x1a, 0xe3, 0xdb}, {0xac, 0xe4, 0xd8}, 21},
    {"blue", {0x3f, 0x71, 0xed}, {0x9c, 0x90, 0xec}, 20},
    {"magenta", {0xec, 0x21, 0xb7}, {0xf0, 0x7c, 0xe8}, 22},
    {"violet", {0x63, 0x21, 0x99}, {0x90, 0x58, 0xb4}, 18},
    {"lime", {0x7a, 0xb8, 0x00}, {0xac, 0xd8, 0x70}, 22},
    {"pink", {0xec, 0x47, 0x7d}, {0xec, 0x74, 0x74}, 20},
    {"brown", {0x6b, 0x33, 0x17}, {0x58, 0x00, 0x00}, 14},
    {"azure", {0x39, 0xb7, 0xed}, {0xa0, 0xbc, 0xd4}, 19},
};

/* The inverse of f in CIE 15. */
static double
inverse_lab_f (double f)
{
  return f > 6. / 29 ? f * f * f : 3 * 36. / 841 * (f - 4. / 29);
}

/* Converts Lab (D65) to sRGB.  Returns false outside of the gamut, which is
 * smaller by a margin for noise. */
static bool
lab_to_rgb (double l, double a, double b, uint8_t rgb[3])
{
  static const double m[3][3] = {{3.2404542, -1.5371385, -.4985314},
      {-.9692660, 1.8760108, .0415560}, {.0556434, -.2040259, 1.0572252}};
  double f = (l + 16) / 116;
  double x = .95047 * inverse_lab_f (f + a / 500), y = inverse_lab_f (f);
  double z = 1.08883 * inverse_lab_f (f - b / 200);

  for (int i = 0; i < 3; i++) {
    double v = m[i][0] * x + m[i][1] * y + m[i][2] * z;

    v = v <= .0031308 ? 12.92 * v : 1.055 * pow (v, 1 / 2.4) - .055;
    if (!(v >= .02 && v <= .98))
      return false;
    rgb[i] = (uint8_t) (v * 255 + .5);
  }
  return true;
}

/* Sets up to @n colours to the even points (i + j + k) * @step of the lattice,
 * and returns their number.  The odd points between them are outside of all
 * tolerances and are the look-alikes. */
static int
fill_from_lattice (double step, int n, ChromaticColour *colours)
{
  int found = 0, reach = (int) (128 / step), top = (int) (96 / step);

  for (int i = (int) (22 / step) + 1; i <= top; i++)
    for (int j = -reach; j <= reach; j++)
      for (int k = -reach; k <= reach; k++) {
        double l = i * step, a = j * step, b = k * step;
        ChromaticColour *c = &colours[found];

        if ((i + j + k) % 2 || hypot (a, b) < 12 + step)
          continue;
        if (!lab_to_rgb (l, a, b, c->rgb))
          continue;
        if (!lab_to_rgb (l, a + step, b, c->alike) &&
            !lab_to_rgb (l, a - step, b, c->alike))
          continue;
        memcpy (c->paint, c->rgb, 3);
        snprintf (c->name, sizeof c->name, "c%04u", (unsigned) found % 10000);
        if (++found == n)
          return n;
      }
  return found;
}

static void
divide_gamut (int n, ChromaticColour *colours)
{
  double step = 60;

  while (fill_from_lattice (step, n, colours) < n)
    step *= .98;
  /* half the distance to the nearest colour, less the error of rounding to 8
   * bits */
  for (int i = 0; i < n; i++)
    colours[i].tolerance = floor ((step * M_SQRT1_2 - .7) * 10) / 10;
}

static void
name_colours (int i, ChromaticColour *c)
{
  memcpy (c->name, named[i].name, sizeof c->name);
  memcpy (c->paint, named[i].paint, 3);
  memcpy (c->alike, named[i].alike, 3);
  c->tolerance = named[i].tolerance;
  for (int k = 0; k < 3; k++)
    c->rgb[k] =
        (uint8_t) (c->paint[k] * (CHROMATIC_DARK + CHROMATIC_BRIGHT) / 2 + .5);
}

void
chromatic_palette (int n, ChromaticColour *colours)
{
  n = n < 1 ? 1 : n > CHROMATIC_MAX_OBJECTS ? CHROMATIC_MAX_OBJECTS : n;
  memset (colours, 0, n * sizeof *colours);
  if (n > CHROMATIC_NAMED)
    divide_gamut (n, colours);
  else
    for (int i = 0; i < n; i++)
      name_colours (i, &colours[i]);
}

size_t
chromatic_objects (int n, char *text, size_t size)
{
  ChromaticColour c[CHROMATIC_MAX_OBJECTS];
  size_t at = 0;

  n = n < 1 ? 1 : n > CHROMATIC_MAX_OBJECTS ? CHROMATIC_MAX_OBJECTS : n;
  chromatic_palette (n, c);
  for (int i = 0; i < n; i++) {
    int tenths = (int) (c[i].tolerance * 10 + .5);

    /* whole numbers, because a locale may write "4,5" */
    at += (size_t) snprintf (at < size ? text + at : NULL,
        at < size ? size - at : 0, "%s%s:#%02x%02x%02x~%d.%d", i ? ";" : "",
        c[i].name, c[i].rgb[0], c[i].rgb[1], c[i].rgb[2], tenths / 10,
        tenths % 10);
  }
  return at;
}
