/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Names from outside, which may not be UTF-8.  A library that takes such a name
 * for text refuses it or reads beyond its end. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bytes, 1 to 4, of the first character of @text; 0 if it is not UTF-8 by
 * RFC 3629: the shortest form, no surrogate, up to U+10FFFF. */
static inline size_t
utf8_length (const char *text)
{
  const uint8_t *b = (const uint8_t *) text;
  size_t n = b[0] < 0x80 ? 1
      : b[0] < 0xc2      ? 0
      : b[0] < 0xe0      ? 2
      : b[0] < 0xf0      ? 3
      : b[0] < 0xf5      ? 4
                         : 0;

  for (size_t i = 1; i < n; i++)
    if ((b[i] & 0xc0) != 0x80) /* also at the end of the text */
      return 0;
  if ((b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xed && b[1] > 0x9f) ||
      (b[0] == 0xf0 && b[1] < 0x90) || (b[0] == 0xf4 && b[1] > 0x8f))
    return 0;
  return n;
}

/* Copies to @to as many whole characters of @from as @room bytes, at least 1,
 * hold with a 0 behind them.  Replaces a byte that is not UTF-8 by a question
 * mark. */
static inline void
utf8_copy (char *to, size_t room, const char *from)
{
  while (*from) {
    size_t n = utf8_length (from), copied = n ? n : 1;

    if (copied >= room)
      break;
    memcpy (to, n ? from : "?", copied);
    to += copied, room -= copied;
    from += copied;
  }
  *to = 0;
}
