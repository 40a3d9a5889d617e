/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the text form of colours, whatever the locale's decimal point. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "moct/moct_text.h"

const MoctTextSpace moct_text_spaces[MOCT_TEXT_SPACES] = {
    {"rgb", MOCT_RGB, 3, {0, 0, 0}, {255, 255, 255}},
    {"yuv", MOCT_YUV, 3, {0, 0, 0}, {255, 255, 255}},
    {"rg", MOCT_RG, 2, {0, 0, 0}, {1, 1, 0}},
    {"hsv", MOCT_HSV, 3, {0, 0, 0}, {360, 100, 100}},
    {"lab", MOCT_LAB, 3, {0, -128, -128}, {100, 127, 127}},
};

typedef struct {
  char *at, *end;
} Writer;

static void
put (Writer *w, const char *format, ...)
{
  va_list args;
  int n;

  va_start (args, format);
  n = vsnprintf (w->at, w->end - w->at, format, args);
  va_end (args);
  w->at += n < w->end - w->at ? n : w->end - w->at - 1;
}

/* At most four decimals, none that are 0 at the end. */
static void
put_number (Writer *w, float value)
{
  long scaled = lroundf (fabsf (value) * 10000), digits = scaled % 10000;
  int places = 4;

  put (w, "%s%ld", value < 0 && scaled ? "-" : "", scaled / 10000);
  if (!digits)
    return;
  for (; digits % 10 == 0; places--)
    digits /= 10;
  put (w, ".%0*ld", places, digits);
}

static void
put_box (Writer *w, const MoctColour *c)
{
  int s = 0;

  while (moct_text_spaces[s].space != c->space)
    s++;
  put (w, "%s=", moct_text_spaces[s].name);
  for (int i = 0; i < moct_text_spaces[s].axes; i++) {
    put (w, i ? "," : "");
    put_number (w, c->lo[i]);
    put (w, "..");
    put_number (w, c->hi[i]);
  }
}

void
moct_print (const MoctColour *colours, int n, char *text, size_t size)
{
  Writer w = {text, text + size};

  *text = '\0';
  for (int k = 0; k < n; k++) {
    const MoctColour *c = &colours[k];
    const ImageBox *b = &c->region;

    put (&w, "%s%s:", k ? ";" : "", c->name);
    if (c->space == MOCT_NEAR) {
      put (&w, "#%02x%02x%02x~", c->rgb[0], c->rgb[1], c->rgb[2]);
      put_number (&w, c->hi[0]);
    } else if (c->space == MOCT_LEARN && b->x1 == b->x0) {
      put (&w, "roi=meta");
    } else if (c->space == MOCT_LEARN) {
      put (&w, "roi=%d,%d,%d,%d", b->x0, b->y0, b->x1 - b->x0, b->y1 - b->y0);
    } else {
      put_box (&w, c);
    }
  }
}
