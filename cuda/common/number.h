/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole numbers in texts from outside.  The functions refuse a number that an
 * int cannot hold; sscanf () and atoi () do not. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BLANKS " \t\r"

/* Reads a decimal number, which may have blanks before and behind it.  Returns
 * the text behind the blanks; NULL if @text has no number, or an int cannot
 * hold it. */
static inline const char *
number_read (const char *text, int *number)
{
  char *end;
  long long value = strtoll (text, &end, 10);

  if (end == text || value < INT_MIN || value > INT_MAX)
    return NULL;
  *number = (int) value;
  return end + strspn (end, NUMBER_BLANKS);
}

/* Reads @n numbers with the character @between between them.  Returns as
 * number_read () does. */
static inline const char *
numbers_read (const char *text, char between, int n, int *numbers)
{
  for (int i = 0; i < n && text; i++) {
    if (i && *text++ != between)
      return NULL;
    text = number_read (text, &numbers[i]);
  }
  return text;
}
