/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whole numbers in texts from outside: those that are none, and too large ones.
 */
#include "check.h"
#include "common/number.h"

static bool
is_number (const char *text, int number, const char *rest)
{
  int n = 77;
  const char *end = number_read (text, &n);

  return end && n == number && !strcmp (end, rest);
}

static void
test_one (DeviceKind kind)
{
  static const char *const none[] = {"", " ", "x", "-", ",1", "2147483648",
      "-2147483649", "4294967297", "18446744073709551617",
      "99999999999999999999999", "-99999999999999999999999"};

  check (is_number ("0", 0, ""));
  check (is_number (" +12 \t,3", 12, ",3"));
  check (is_number ("-7x", -7, "x"));
  check (is_number ("2147483647", INT_MAX, ""));
  check (is_number ("-2147483648", INT_MIN, ""));
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    int n = 77;

    check (!number_read (none[i], &n) && n == 77);
  }
}

static void
test_several (DeviceKind kind)
{
  int n[4] = {0};
  const char *end;

  end = numbers_read (" 1 , -2,3 ,4 ;", ',', 4, n);
  check (
      end && *end == ';' && n[0] == 1 && n[1] == -2 && n[2] == 3 && n[3] == 4);
  end = numbers_read ("4x5", 'x', 2, n);
  check (end && !*end && n[0] == 4 && n[1] == 5);
  check (!numbers_read ("1,2,3", ',', 4, n));
  check (!numbers_read ("1,2;3,4", ',', 4, n));
  check (!numbers_read ("1,2,,4", ',', 4, n));
  check (!numbers_read ("1,4294967297,3,4", ',', 4, n));
  check (!numbers_read ("1", ',', 2, n));
}

CHECK_MAIN (NULL, NULL, PART (one), PART (several))
