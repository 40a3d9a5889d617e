/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole numbers in texts from outside.  What is too large for an int is
 * refused: sscanf() and atoi() do whatever they like with it. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BLANKS " \t\r"

/* Reads a decimal number, which may have blanks before it and behind it.
 * Returns the text behind these; NULL: there is no number, or it is no int. */
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

/* The same for @n numbers with @between between them. */
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
