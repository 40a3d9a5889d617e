/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Colours of moct: what is read can be printed, and read again. */
#include "fuzz.h"
#include "moct/moct.h"
#include "moct/moct_colour.h"


static void
fuzz (const uint8_t *data, size_t size)
{
  char *text = fuzz_text (data, size), problem[256] = "";
  MoctColour *colours = calloc (2 * MOCT_MAX_COLOURS, sizeof *colours);
  int n = -1, again = -1;

  REQUIRE (colours);
  if (moct_parse (text, colours, &n, problem, sizeof problem)) {
    size_t room = (size_t) n * MOCT_TEXT_BYTES + 1;
    char *printed = malloc (room);

    REQUIRE (printed && n >= 0 && n <= MOCT_MAX_COLOURS);
    for (int i = 0; i < n; i++)
      REQUIRE (fuzz_is_utf8 (colours[i].name));
    moct_print (colours, n, printed, room);
    REQUIRE (moct_parse (
        printed, colours + MOCT_MAX_COLOURS, &again, problem, sizeof problem));
    REQUIRE (again == n);
    free (printed);
  } else {
    REQUIRE (*problem && fuzz_is_utf8 (problem));
  }
  free (colours);
  free (text);
}
