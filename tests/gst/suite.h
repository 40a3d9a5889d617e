/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The end of a test of an element: its tests, each run in a process of its own,
 * and main ().
 *
 *     SUITE (x, TIMEOUT (120), TEST (test_one), LOOP (test_each, 3)); */
#pragma once

#include <gst/check/gstcheck.h>

#include "fed.h"

static inline void
suite_complain (const gchar *domain, GLogLevelFlags level, const gchar *text,
    gpointer unused)
{
  (void) level;
  (void) unused;
  fail ("%s: %s", domain, text);
}

/* GstCheck fails where the core of GStreamer or GLib warn, but not these. */
static inline void
suite_watch (void)
{
  static const gchar *const domains[] = {
      "GStreamer-Base", "GStreamer-Video", "GStreamer-Controller"};

  for (guint i = 0; i < G_N_ELEMENTS (domains); i++)
    g_log_set_handler (domains[i], G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING,
        suite_complain, NULL);
}

#define SUITE(name, ...) \
 static Suite *name##_suite (void) \
 { \
  Suite *suite = suite_create (#name); \
  TCase *tc = tcase_create (#name); \
\
  suite_watch (); \
  suite_add_tcase (suite, tc); \
  __VA_ARGS__; \
  return suite; \
 } \
 GST_CHECK_MAIN (name)

#define TEST(test) tcase_add_test (tc, test)
/* @n times, with __i__ from 0 on. */
#define LOOP(test, n) tcase_add_loop_test (tc, test, 0, (int) (n))
/* Calls before and after each test, or once before and after all. */
#define AROUND(before, after) tcase_add_checked_fixture (tc, before, after)
#define AROUND_ALL(before, after) \
 tcase_add_unchecked_fixture (tc, before, after)
/* Seconds that each test may take, where those of CK_DEFAULT_TIMEOUT are too
 * few: the sanitizers are slow. */
#define TIMEOUT(seconds) tcase_set_timeout (tc, seconds)
