/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tables of parameters: defaults, ranges, and the sentences about them. */
#include "check.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>

#include "common/rows.h"

typedef enum { NEVER, LATER, NOW = 5 } When;

typedef struct {
  char before;
  bool exact, blobs;
  int max_area;
  When when;
  unsigned min_size, marks;
  int64_t skew;
  uint64_t seed, start;
  double min_fill, gain;
  double weight[2];
  int neighbours;
  struct {
    int min_x;
  } inner;
  char after;
} Params;

CHOICES (whens, {NEVER, "never", "At no time"}, {LATER, "later", "Some time"},
    {NOW, "now", "At once"});

CHOICES (marks, {1, "box", "A box"}, {4, "dot", "A dot"});

CHOICES (four_or_eight, {4, "4", "The sides"}, {8, "8", "Corners too"});

#define MAX_SIZE 4096
#define ROWS_OF Params

static const Param table[] = {SWITCH (exact, true, "To the last bit"),
    SWITCH (blobs, false, "Apart"),
    NUMBER (max_area, -1, MAX_SIZE, 64, "Pixels"),
    ONE_OF (when, whens, LATER, "At which time"),
    NUMBER (min_size, 2, UINT_MAX, 3500, "Pixels"),
    SOME_OF (marks, marks, 5, "What is drawn"),
    NUMBER (skew, -1, 6e10, -1, "Nanoseconds"),
    NUMBER (seed, 1, UINT64_MAX, UINT64_MAX, "Any"),
    NUMBER (start, 0, INT64_MAX, INT64_MAX, "Frame"),
    NUMBER (min_fill, 0, DBL_MAX, .75, "Part"),
    NUMBER (gain, 1e-6, 1e3, .2, "Times"),
    STOPPED (NUMBER, weight[1], 0, 1, .5, "Of it", .name = "weight-SECOND"),
    ONE_OF (neighbours, four_or_eight, 8, "Count"),
    TITLED ("X", NUMBER, inner.min_x, 0, 9, 3, "Place"), {0}};

/* Every field gets its default, and no byte beside them changes. */
static void
test_defaults (DeviceKind kind)
{
  Params p, q;

  memset (&p, 0xee, sizeof p);
  q = p;
  params_defaults (table, &p);
  check (p.exact && !p.blobs && p.max_area == 64 && p.when == LATER);
  check (p.min_size == 3500 && p.marks == 5 && p.skew == -1);
  check (p.seed == UINT64_MAX && p.start == INT64_MAX);
  check (p.min_fill == .75 && p.gain == .2 && p.weight[1] == .5);
  check (p.neighbours == 8 && p.inner.min_x == 3);
  check (p.before == q.before && p.after == q.after);
  check (!memcmp (&p.weight[0], &q.weight[0], sizeof p.weight[0]));
  check (params_check (table, &p) == NULL);
}

/* Both ends of the range of @field are good, @low and @high are not. */
#define check_range(field, first, last, low, high, sentence) \
 do { \
  Params p_; \
  params_defaults (table, &p_); \
  p_.field = first; \
  ok (params_check (table, &p_)); \
  p_.field = last; \
  ok (params_check (table, &p_)); \
  p_.field = low; \
  check_sentence (params_check (table, &p_), sentence); \
  p_.field = high; \
  check_sentence (params_check (table, &p_), sentence); \
 } while (0)

static void
check_sentence (const char *is, const char *expected)
{
  check (is && !strcmp (is, expected));
  if (!is || strcmp (is, expected))
    printf ("is \"%s\", not \"%s\"\n", is ? is : "nothing", expected);
}

static void
test_ranges (DeviceKind kind)
{
  check_range (max_area, -1, 4096, -2, 4097, "max-area must be -1 to 4096");
  check_range (min_size, 2, UINT_MAX, 1, 0, "min-size must be 2 or more");
  check_range (
      skew, -1, 60000000000, -2, 60000000001, "skew must be -1 to 60000000000");
  check_range (seed, 1, UINT64_MAX, 0, 0, "seed must be 1 or more");
  check_range (start, 0, INT64_MAX, (uint64_t) INT64_MAX + 1, UINT64_MAX,
      "start must be 0 or more");
  check_range (
      min_fill, 0, DBL_MAX, -DBL_TRUE_MIN, NAN, "min-fill must be 0 or more");
  check_range (min_fill, 0, 1, -1, INFINITY, "min-fill must be 0 or more");
  check_range (
      gain, 1e-6, 1e3, .9e-6, 1e3 + 1e-9, "gain must be 1e-06 to 1000");
  check_range (weight[1], 0, 1, -.1, 1.1, "weight-second must be 0 to 1");
}

static void
test_choices (DeviceKind kind)
{
  check_range (when, NEVER, NOW, (When) 3, (When) -1,
      "when must be never, later or now");
  check_range (marks, 0, 5, 2, 8, "marks must be a sum of box and dot");
  check_range (neighbours, 4, 8, 5, 0, "neighbours must be 4 or 8");
}

/* The first that is wrong is named. */
static void
test_order (DeviceKind kind)
{
  Params p;

  params_defaults (table, &p);
  p.gain = 0;
  p.min_size = 0;
  check_sentence (params_check (table, &p), "min-size must be 2 or more");
}

/* Other threads than the one that was first read the same sentence. */
static void *
ask (void *p)
{
  return (void *) params_check (table, p);
}

static void
test_threads (DeviceKind kind)
{
  pthread_t thread[8];
  Params p;
  void *told;

  params_defaults (table, &p);
  p.max_area = MAX_SIZE + 1;
  for (int i = 0; i < 8; i++)
    check (!pthread_create (&thread[i], NULL, ask, &p));
  for (int i = 0; i < 8; i++) {
    check (!pthread_join (thread[i], &told));
    check (told == ask (&p));
  }
}

static void
test_names (DeviceKind kind)
{
  char name[PARAM_NAME];

  param_name (&table[2], name);
  check (!strcmp (name, "max-area"));
  param_name (&table[11], name);
  check (!strcmp (name, "weight-second"));
  param_name (&table[13], name);
  check (!strcmp (name, "min-x") && !strcmp (table[13].title, "X"));
  check (table[11].when == PARAM_STOPPED && table[10].when == PARAM_ALWAYS);
}

CHECK_MAIN (NULL, NULL, PART (defaults), PART (ranges), PART (choices),
    PART (order), PART (threads), PART (names))
