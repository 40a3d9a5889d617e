/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads and writes the text form of colours.  Numbers are not read by the C
 * library, whose decimal point depends on the locale. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/utf8.h"
#include "moct/moct_colour.h"

/* Number of spaces with a name in the text form. */
#define MOCT_TEXT_SPACES 5

typedef struct {
  const char *name;
  MoctSpace space;
  int axes;
  float lo[3], hi[3]; /* limits of a range */
} MoctTextSpace;

static const MoctTextSpace moct_text_spaces[MOCT_TEXT_SPACES] = {
    {"rgb", MOCT_RGB, 3, {0, 0, 0}, {255, 255, 255}},
    {"yuv", MOCT_YUV, 3, {0, 0, 0}, {255, 255, 255}},
    {"rg", MOCT_RG, 2, {0, 0, 0}, {1, 1, 0}},
    {"hsv", MOCT_HSV, 3, {0, 0, 0}, {360, 100, 100}},
    {"lab", MOCT_LAB, 3, {0, -128, -128}, {100, 127, 127}},
};

/* ---- Reading ---- */

/* Of a colour without a tolerance, and more than the difference between any two
 * colours. */
#define USUAL_TOLERANCE 20
#define MAX_TOLERANCE 400

static const struct {
  const char *name, *hex;
} moct_named_colours[] = {{"red", "ff0000"}, {"orange", "ffa500"},
    {"yellow", "ffff00"}, {"green", "008000"}, {"cyan", "00ffff"},
    {"blue", "0000ff"}, {"magenta", "ff00ff"}, {"white", "ffffff"},
    {"grey", "808080"}, {"black", "000000"}};
#define MAX_PROBLEM 256 /* bytes of a sentence */

typedef struct {
  const char *at; /* the text that is not read yet */
  char *problem;
  size_t size;
  int entry; /* number of the entry, from 1, for messages */
  const char *name;
} Reader;

/* Sets the problem.  A quoted text may be cut within a character, or not be
 * UTF-8. */
static bool
set_problem (Reader *r, const char *format, ...)
{
  char problem[MAX_PROBLEM];
  va_list args;
  int n = snprintf (problem, sizeof problem, "entry %d%s%s%s: ", r->entry,
      *r->name ? " (\"" : "", r->name, *r->name ? "\")" : "");

  va_start (args, format);
  vsnprintf (problem + n, sizeof problem - (size_t) n, format, args);
  va_end (args);
  utf8_copy (r->problem, r->size, problem);
  return false;
}

static void
skip_blanks (Reader *r)
{
  while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
    r->at++;
}

static bool
accept_character (Reader *r, const char *token)
{
  size_t n = strlen (token);

  skip_blanks (r);
  if (strncmp (r->at, token, n))
    return false;
  r->at += n;
  return true;
}

static bool
is_at_end (Reader *r)
{
  skip_blanks (r);
  return !*r->at || *r->at == ';' || *r->at == '\n';
}

static bool
is_digit (char c)
{
  return c >= '0' && c <= '9';
}

/* Reads [-]digits[.digits].  Of two points in a row, none belongs to the
 * number: they are "..". */
static bool
read_colour_number (Reader *r, float *value)
{
  double v = 0, unit = 1;
  bool negative, any = false;

  negative = accept_character (r, "-");
  skip_blanks (r);
  for (; is_digit (*r->at) && v < 1e9; r->at++, any = true)
    v = 10 * v + (*r->at - '0');
  if (*r->at == '.' && is_digit (r->at[1]))
    for (r->at++; is_digit (*r->at); r->at++, any = true)
      v += (*r->at - '0') * (unit /= 10);
  if (!any)
    return set_problem (r, "a number is missing at \"%.12s\"", r->at);
  *value = (float) (negative ? -v : v);
  return true;
}

static bool
read_axis_range (Reader *r, int s, int i, MoctRange *range)
{
  const MoctTextSpace *space = &moct_text_spaces[s];

  if (i && !accept_character (r, ","))
    return set_problem (r, "%s takes %d ranges, lo..hi separated by commas",
        space->name, space->axes);
  if (!read_colour_number (r, &range->lo[i]))
    return false;
  if (!accept_character (r, ".."))
    return set_problem (r, "a range is written lo..hi, not \"%.12s\"", r->at);
  if (!read_colour_number (r, &range->hi[i]))
    return false;
  if (range->lo[i] < space->lo[i] || range->hi[i] > space->hi[i] ||
      range->hi[i] < space->lo[i] || range->lo[i] > space->hi[i])
    return set_problem (r, "range %d of %s must lie within %g..%g", i + 1,
        space->name, space->lo[i], space->hi[i]);
  if (range->lo[i] > range->hi[i] && !(space->space == MOCT_HSV && i == 0))
    return set_problem (
        r, "range %d of %s ends before it begins", i + 1, space->name);
  return true;
}

/* Accepts the name of a space and "=" again, after "|". */
static bool
accept_space_again (Reader *r, int s)
{
  for (int i = 0; i < MOCT_TEXT_SPACES; i++) {
    const char *at = r->at;

    if (!accept_character (r, moct_text_spaces[i].name))
      continue;
    if (i == s && accept_character (r, "="))
      return true;
    r->at = at;
    return set_problem (r, "the alternatives of a colour are all in %s",
        moct_text_spaces[s].name);
  }
  return true;
}

/* Reads lo..hi,lo..hi,lo..hi, and further ranges after "|". */
static bool
read_ranges (Reader *r, int s, MoctColour *c)
{
  int n = 0;

  do {
    MoctRange range = {{0}, {0}};

    if (n == MOCT_MODES)
      return set_problem (r,
          "there can be at most %d alternatives, with | between them",
          MOCT_MODES);
    if (n && !accept_space_again (r, s))
      return false;
    for (int i = 0; i < moct_text_spaces[s].axes; i++)
      if (!read_axis_range (r, s, i, &range))
        return false;
    if (n) {
      c->also[n - 1] = range;
    } else {
      memcpy (c->lo, range.lo, sizeof c->lo);
      memcpy (c->hi, range.hi, sizeof c->hi);
    }
    c->n_also = n++;
  } while (accept_character (r, "|"));
  return true;
}

static int
hex_digit (char c)
{
  return is_digit (c)        ? c - '0'
      : c >= 'a' && c <= 'f' ? c - 'a' + 10
      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                             : -1;
}

/* Reads ~TOL behind the colour @hex, which is written rrggbb. */
static bool
read_near (Reader *r, const char *hex, MoctColour *c)
{
  c->space = MOCT_NEAR;
  for (int i = 0; i < 3; i++, hex += 2) {
    int high = hex_digit (hex[0]), low = high < 0 ? -1 : hex_digit (hex[1]);

    if (low < 0)
      return set_problem (
          r, "a colour is written #rrggbb in hexadecimal digits");
    c->rgb[i] = (uint8_t) (high << 4 | low);
  }
  c->hi[0] = USUAL_TOLERANCE;
  if (accept_character (r, "~") && !read_colour_number (r, &c->hi[0]))
    return false;
  if (!(c->hi[0] >= 0 && c->hi[0] <= MAX_TOLERANCE))
    return set_problem (r, "the tolerance must be 0 to %d", MAX_TOLERANCE);
  moct_rgb_to_lab (c->rgb, c->lo);
  return true;
}

ImageBox
moct_point_region (int x, int y)
{
  int x0 = x - MOCT_POINT_SIDE / 2, y0 = y - MOCT_POINT_SIDE / 2;

  return (ImageBox){x0, y0, x0 + MOCT_POINT_SIDE, y0 + MOCT_POINT_SIDE};
}

/* Reads x,y,w,h or x,y, and perhaps @SECONDS, or meta. */
static bool
read_drag (Reader *r, MoctDrag *drag)
{
  float v[4] = {0, 0, 1, 1};

  if (accept_character (r, "meta"))
    return true;
  for (int i = 0; i < 4; i++) {
    if (i && !accept_character (r, ",")) {
      if ((drag->is_point = i == 2))
        break;
      return set_problem (r,
          "a region is written roi=x,y,w,h, a point roi=x,y, either perhaps "
          "with @SECONDS, or roi=meta");
    }
    if (!read_colour_number (r, &v[i]))
      return false;
    if (v[i] < 0 || v[i] > 32768 || v[i] != floorf (v[i]))
      return set_problem (r, "a region is given in whole pixels, 0 to 32768");
  }
  if (v[2] < 1 || v[3] < 1)
    return set_problem (r, "the region is empty");
  if (accept_character (r, "@") && !read_colour_number (r, &drag->at))
    return false;
  if (drag->at < 0)
    return set_problem (r, "the time to learn at is in seconds, 0 or more");
  drag->region = drag->is_point ? moct_point_region ((int) v[0], (int) v[1])
                                : (ImageBox){(int) v[0], (int) v[1],
                                      (int) (v[0] + v[2]), (int) (v[1] + v[3])};
  return true;
}

/* Reads a region behind "roi=", and further ones, each with + or - and "roi="
 * before it. */
static bool
read_drags (Reader *r, MoctColour *c)
{
  bool takes_away = false;

  c->space = MOCT_LEARN;
  do {
    MoctDrag *drag = &c->drags[c->n_drags];

    if (c->n_drags == MOCT_DRAGS)
      return set_problem (
          r, "a colour is learned from at most %d regions", MOCT_DRAGS);
    if (c->n_drags && !accept_character (r, "roi="))
      return set_problem (r, "a further region is written %sroi=x,y,w,h",
          takes_away ? "-" : "+");
    drag->takes_away = takes_away;
    if (!read_drag (r, drag))
      return false;
    c->n_drags++;
    takes_away = accept_character (r, "-");
  } while (takes_away || accept_character (r, "+"));
  return true;
}

static bool
read_colour_model (Reader *r, MoctColour *c)
{
  if (accept_character (r, "#")) {
    const char *hex = r->at;

    r->at += strnlen (hex, 6);
    return read_near (r, hex, c);
  }
  for (size_t i = 0; i < sizeof moct_named_colours / sizeof *moct_named_colours;
       i++)
    if (accept_character (r, moct_named_colours[i].name))
      return read_near (r, moct_named_colours[i].hex, c);
  if (accept_character (r, "roi="))
    return read_drags (r, c);
  for (int s = 0; s < MOCT_TEXT_SPACES; s++) {
    size_t n = strlen (moct_text_spaces[s].name);

    if (strncmp (r->at, moct_text_spaces[s].name, n) || r->at[n] != '=')
      continue;
    r->at += n + 1;
    c->space = moct_text_spaces[s].space;
    return read_ranges (r, s, c);
  }
  return set_problem (r,
      "\"%.12s\" is none of rgb=, yuv=, rg=, hsv=, lab=, "
      "#rrggbb~TOL, a colour such as red, and roi=",
      r->at);
}

static bool
is_utf8 (const char *text)
{
  size_t n;

  for (; *text && (n = utf8_length (text)); text += n)
    continue;
  return !*text;
}

static bool
read_colour_name (Reader *r, MoctColour *c)
{
  size_t n = strcspn (r->at, ":;\n");

  while (n && (r->at[n - 1] == ' ' || r->at[n - 1] == '\t'))
    n--;
  if (!n || n >= MOCT_NAME_BYTES)
    return set_problem (r, "a name of 1 to %d bytes must come before a colon",
        MOCT_NAME_BYTES - 1);
  memcpy (c->name, r->at, n);
  if (!is_utf8 (c->name))
    return set_problem (r, "the name \"%s\" is not UTF-8", c->name);
  r->name = c->name;
  r->at += n;
  return accept_character (r, ":") ||
      set_problem (r, "a colon must follow the name: NAME:SPACE=…");
}

static bool
read_colour_entry (Reader *r, const MoctColour *before, int n, MoctColour *c)
{
  memset (c, 0, sizeof *c);
  if (*r->at == '#')
    memcpy (c->name, r->at + 1, 6); /* rrggbb */
  else if (!read_colour_name (r, c))
    return false;
  skip_blanks (r);
  if (!read_colour_model (r, c))
    return false;
  if (!is_at_end (r))
    return set_problem (r, "\"%.12s\" is left over", r->at);
  for (int i = 0; i < n; i++)
    if (!strcmp (before[i].name, c->name))
      return set_problem (r, "the name stands there twice");
  return true;
}

/* Whether @text is #rrggbb or #rrggbb~TOL, a colour without a name rather than
 * a comment. */
static bool
is_nameless (const char *text)
{
  Reader r = {.at = text + 1};

  while (r.at < text + 7 && hex_digit (*r.at) >= 0)
    r.at++;
  return r.at == text + 7 && (*r.at == '~' || is_at_end (&r));
}

bool
moct_parse (const char *text, MoctColour *colours, int *n_colours,
    char *problem, size_t size)
{
  Reader r = {text, problem, size, 0, ""};

  *n_colours = 0;
  for (;;) {
    r.at += strspn (r.at, " \t\r\n;");
    if (!*r.at)
      return true;
    if (*r.at == '#' && !is_nameless (r.at)) { /* a comment ends with its
                                                  line */
      r.at += strcspn (r.at, "\n");
      continue;
    }
    r.entry++;
    r.name = "";
    if (*n_colours == MOCT_MAX_COLOURS)
      return set_problem (
          &r, "there can be at most %d colours", MOCT_MAX_COLOURS);
    if (!read_colour_entry (&r, colours, *n_colours, &colours[*n_colours]))
      return false;
    ++*n_colours;
  }
}

/* ---- Writing, with a point in any locale ---- */

typedef struct {
  char *at, *end;
} Writer;

static void
put_text (Writer *w, const char *format, ...)
{
  va_list args;
  int n;

  va_start (args, format);
  n = vsnprintf (w->at, w->end - w->at, format, args);
  va_end (args);
  w->at += n < w->end - w->at ? n : w->end - w->at - 1;
}

/* Writes at most four decimals, without zeros at the end. */
static void
put_colour_number (Writer *w, float value)
{
  long scaled = lroundf (fabsf (value) * 10000), digits = scaled % 10000;
  int places = 4;

  put_text (w, "%s%ld", value < 0 && scaled ? "-" : "", scaled / 10000);
  if (!digits)
    return;
  for (; digits % 10 == 0; places--)
    digits /= 10;
  put_text (w, ".%0*ld", places, digits);
}

static void
put_range_box (Writer *w, const MoctColour *c)
{
  int s = 0;

  while (moct_text_spaces[s].space != c->space)
    s++;
  for (int k = 0; k <= c->n_also; k++) {
    MoctRange range = moct_range (c, k);

    put_text (w, "%s%s", k ? "" : moct_text_spaces[s].name, k ? "|" : "=");
    for (int i = 0; i < moct_text_spaces[s].axes; i++) {
      put_text (w, i ? "," : "");
      put_colour_number (w, range.lo[i]);
      put_text (w, "..");
      put_colour_number (w, range.hi[i]);
    }
  }
}

static void
put_drags (Writer *w, const MoctColour *c)
{
  for (int i = 0; i < c->n_drags; i++) {
    const MoctDrag *d = &c->drags[i];
    const ImageBox *b = &d->region;

    put_text (w, "%sroi=", !i ? "" : d->takes_away ? "-" : "+");
    if (b->x1 == b->x0) {
      put_text (w, "meta");
      continue;
    }
    if (d->is_point)
      put_text (
          w, "%d,%d", b->x0 + MOCT_POINT_SIDE / 2, b->y0 + MOCT_POINT_SIDE / 2);
    else
      put_text (w, "%d,%d,%d,%d", b->x0, b->y0, b->x1 - b->x0, b->y1 - b->y0);
    if (d->at > 0) {
      put_text (w, "@");
      put_colour_number (w, d->at);
    }
  }
}

void
moct_print (const MoctColour *colours, int n, char *text, size_t size)
{
  Writer w = {text, text + size};

  *text = '\0';
  for (int k = 0; k < n; k++) {
    const MoctColour *c = &colours[k];

    put_text (&w, "%s%s:", k ? ";" : "", c->name);
    if (c->n_drags) {
      put_drags (&w, c);
    } else if (c->space == MOCT_NEAR) {
      put_text (&w, "#%02x%02x%02x~", c->rgb[0], c->rgb[1], c->rgb[2]);
      put_colour_number (&w, c->hi[0]);
    } else {
      put_range_box (&w, c);
    }
  }
}
