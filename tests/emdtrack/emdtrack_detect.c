/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack's maps of a region, and the places at which a map is below a limit:
 * by hand, against a flood fill, and CPU against CUDA bit for bit. */
#include "emdtrack_find.h"
#include "failing.h"

/* ---- What is found, in the host's memory ---- */

/* The map of @target of the player's last frame, rows of @width. */
static uint16_t *
read_map (Player *p, int target, int width, int height)
{
  size_t stride = 2 * (size_t) width + 6, row = 2 * (size_t) width;
  uint16_t *map = malloc (row * (size_t) height);
  void *there;

  ok (device_alloc (&p->dev, &there, stride * (size_t) height));
  ok (emdtrack_copy_map (p->e, target, there, stride));
  ok (device_copy_rows (
      &p->dev, map, row, there, stride, row, (size_t) height));
  ok (device_wait (&p->dev));
  device_release (&p->dev, there);
  return map;
}

/* Runs one frame, @f in the host's memory. */
static EmdtrackResults
play_frame (Player *p, const EmdtrackParams *params, const Frame *f)
{
  EmdtrackFrame frame = plain_frame;
  EmdtrackParams small = *params;
  EmdtrackResults results;
  void *memory;

  small.max_trees = 4096;
  frame.image = frame_to_device (f, &p->dev, &memory);
  ok (emdtrack_run (p->e, &small, &frame, &results));
  device_release (&p->dev, memory);
  check (frame_is_unharmed (f));
  return results;
}

/* A box that lies in a frame, over its sides, or outside of it. */
static ImageBox
random_region (int width, int height)
{
  int x = (int) rnd (2 * width) - width / 2;
  int y = (int) rnd (2 * height) - height / 2;

  return (ImageBox){
      x, y, x + 1 + (int) rnd (width), y + 1 + (int) rnd (height)};
}

static bool
is_in_box (ImageBox b, int x, int y)
{
  return x >= b.x0 && x < b.x1 && y >= b.y0 && y < b.y1;
}

/* ---- Known answers ---- */

/* Bins 0 and 7 of 8, a window of one pixel, and a target of bin 7: the value is
 * 0 in light pixels, 7 in dark ones, and 2 in those of bin 5. */
static EmdtrackParams
light_params (void)
{
  EmdtrackParams p = intensity_defaults ();

  p.bins = 8;
  p.window = 1;
  p.n_targets = 1;
  p.targets[0].weight[7] = 1;
  return p;
}

static void
draw_box (Frame *f, ImageBox b, uint8_t v)
{
  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++)
      f->image.plane[0][(size_t) y * f->image.stride[0] + x] = v;
}

static bool
is_match (const EmdtrackMatch *m, ImageBox b, uint32_t area, double cx,
    double cy, int value)
{
  return m->box.x0 == b.x0 && m->box.y0 == b.y0 && m->box.x1 == b.x1 &&
      m->box.y1 == b.y1 && m->area == area && m->cx == cx && m->cy == cy &&
      m->value == value;
}

static void
test_places (DeviceKind kind)
{
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, 60, 40, 3, 1);
  EmdtrackParams p = light_params ();
  const EmdtrackMatch *m;
  AUTO (Player) player;
  EmdtrackResults r;
  uint32_t all;
  int n;

  player_open (&player, kind, 60, 40);
  draw_box (&f, (ImageBox){0, 0, 60, 40}, 0);
  draw_box (&f, (ImageBox){3, 4, 13, 9}, 170); /* bin 5 */
  draw_box (&f, (ImageBox){30, 10, 34, 14}, 255);
  draw_box (&f, (ImageBox){34, 14, 36, 16}, 255); /* joined by its corner */
  draw_box (&f, (ImageBox){59, 39, 60, 40}, 255);
  r = play_frame (&player, &p, &f);
  check (r.mass == 1 && r.most == 7);

  ok (emdtrack_detect (player.e, 0, 3, 10, &m, &n, &all));
  check (n == 3 && all == 3);
  check (is_match (&m[0], (ImageBox){3, 4, 13, 9}, 50, 7.5, 6, 2));
  check (is_match (&m[1], (ImageBox){30, 10, 36, 16}, 20, 32.1, 12.1, 0));
  check (is_match (&m[2], (ImageBox){59, 39, 60, 40}, 1, 59, 39, 0));

  ok (emdtrack_detect (player.e, 0, 2, 10, &m, &n, &all)); /* below, not at */
  check (n == 2 && all == 2 && m[0].area == 20);
  ok (emdtrack_detect (player.e, 0, 3, 2, &m, &n, &all)); /* at most two */
  check (n == 2 && all == 3 && m[1].area == 20);
  ok (emdtrack_detect (player.e, 0, 0, 10, &m, &n, &all));
  check (n == 0 && all == 0);
  ok (emdtrack_detect (player.e, 0, 8, 10, &m, &n, &all)); /* all pixels */
  check (n == 1 && all == 1 && m[0].area == 2400 && m[0].value == 0);

  /* a place is cut at the region's sides */
  p.region = (ImageBox){5, 0, 33, 13};
  r = play_frame (&player, &p, &f);
  check (!memcmp (&r.area, &p.region, sizeof r.area));
  ok (emdtrack_detect (player.e, 0, 3, 10, &m, &n, &all));
  check (n == 2 && all == 2);
  check (is_match (&m[0], (ImageBox){5, 4, 13, 9}, 40, 8.5, 6, 2));
  check (is_match (&m[1], (ImageBox){30, 10, 33, 13}, 9, 31, 11, 0));
  ok (emdtrack_detect (player.e, 0, 8, 10, &m, &n, &all));
  check (n == 1 && m[0].area == 28 * 13);

  p.region = (ImageBox){60, 0, 70, 10}; /* outside */
  play_frame (&player, &p, &f);
  ok (emdtrack_detect (player.e, 0, 8, 10, &m, &n, &all));
  check (n == 0 && all == 0);
}

/* A threshold that everything passes, of pixels that do not touch: as many
 * places as are asked for, and all are counted. */
static void
test_many (DeviceKind kind)
{
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, 200, 100, 0, 1);
  EmdtrackParams p = light_params ();
  const EmdtrackMatch *m;
  AUTO (Player) player;
  uint32_t all;
  int n;

  player_open (&player, kind, 200, 100);
  for (int y = 0; y < 100; y++)
    for (int x = 0; x < 200; x++)
      f.image.plane[0][(size_t) y * f.image.stride[0] + x] =
          x % 2 || y % 2 ? 0 : 255;
  play_frame (&player, &p, &f);
  for (int max = 1; max <= EMDTRACK_MATCHES; max *= 8) {
    ok (emdtrack_detect (player.e, 0, 7, max, &m, &n, &all));
    check (n == max && all == 5000);
    for (int i = 0; i < n; i++) /* of equal ones the first in the frame */
      check (m[i].area == 1 && m[i].cx == i % 100 * 2 &&
          m[i].cy == i / 100 * 2 && m[i].value == 0);
  }
}

/* ---- Regions: in a region all is as without one ---- */

static void
test_region (DeviceKind kind)
{
  for (int round = 0; round < 12; round++) {
    int width = 1 + (int) rnd (120), height = 1 + (int) rnd (70), wrong = 0;
    EmdtrackParams p = random_params (2 + (int) rnd (15));
    AUTO (Frame) f = random_grey (width, height);
    AUTO (Found) whole;
    AUTO (Player) player;

    p.solver = (EmdtrackSolver) (round % 3);
    whole = find (DEVICE_CPU, &p, &plain_frame, &f);
    player_open (&player, kind, width, height);
    for (int k = 0; k < 6; k++) {
      if (k % 3 != 1) /* the second frame of a region finds it known */
        p.region = random_region (width, height);
      play_frame (&player, &p, &f);
      for (int t = 0; t < p.n_targets; t++) {
        uint16_t *map = read_map (&player, t, width, height);

        for (int y = 0; y < height; y++)
          for (int x = 0; x < width; x++)
            wrong += map[y * width + x] !=
                (is_in_box (p.region, x, y) ? whole.map[t][y * width + x]
                                            : EMDTRACK_NO_VALUE);
        free (map);
      }
    }
    check (wrong == 0);
  }
}

/* Frames A, B, a region of one pixel, and A again: what lies behind that pixel
 * in the memory of histograms is A's, in that of the map B's. */
static void
test_region_that_grows (DeviceKind kind)
{
  AUTO (Frame) a = random_grey (50, 30);
  AUTO (Frame) b = random_grey (50, 30);
  EmdtrackParams p = random_params (9);
  ImageBox all = p.region;
  AUTO (Found) right;
  AUTO (Player) player;
  uint16_t *map;

  p.solver = EMDTRACK_REUSE;
  p.n_targets = 1;
  right = find (DEVICE_CPU, &p, &plain_frame, &a);
  player_open (&player, kind, 50, 30);
  play_frame (&player, &p, &a);
  play_frame (&player, &p, &b);
  p.region = (ImageBox){0, 0, 1, 1};
  play_frame (&player, &p, &b);
  p.region = all;
  play_frame (&player, &p, &a);
  map = read_map (&player, 0, 50, 30);
  check (!memcmp (map, right.map[0], 50 * 30 * sizeof *map));
  free (map);
}

/* Spectra, too, are those of the region alone. */
static void
test_region_of_spectra (DeviceKind kind)
{
  AUTO (Frame) f = frame_new (IMAGE_RGB, 33, 21, 0, 1);
  EmdtrackParams p = random_params (3);
  AUTO (Found) whole;
  AUTO (Player) player;
  uint16_t *map;
  int wrong = 0;

  frame_randomise (&f);
  p.histogram = EMDTRACK_CHANNELS;
  p.n_targets = 1;
  whole = find (DEVICE_CPU, &p, &plain_frame, &f);
  player_open (&player, kind, 33, 21);
  p.region = (ImageBox){4, 5, 20, 40};
  play_frame (&player, &p, &f);
  map = read_map (&player, 0, 33, 21);
  for (int i = 0; i < 33 * 21; i++)
    wrong += map[i] !=
        (is_in_box (p.region, i % 33, i / 33) ? whole.map[0][i]
                                              : EMDTRACK_NO_VALUE);
  check (wrong == 0);
  free (map);
}

/* ---- An oracle: a flood fill from the first pixel of each place ---- */

typedef struct {
  const uint16_t *map;
  int width, height, limit;
  bool *seen;
  int *stack; /* room for all pixels */
} Flood;

static EmdtrackMatch
flood_from (Flood *f, int start)
{
  EmdtrackMatch m = {
      .box = {INT32_MAX, INT32_MAX, 0, 0}, .value = EMDTRACK_NO_VALUE};
  uint64_t sum_x = 0, sum_y = 0;
  int n = 0;

  f->stack[n++] = start;
  f->seen[start] = true;
  while (n) {
    int at = f->stack[--n], x = at % f->width, y = at / f->width;

    m.box.x0 = x < m.box.x0 ? x : m.box.x0;
    m.box.y0 = y < m.box.y0 ? y : m.box.y0;
    m.box.x1 = x >= m.box.x1 ? x + 1 : m.box.x1;
    m.box.y1 = y >= m.box.y1 ? y + 1 : m.box.y1;
    m.value = f->map[at] < m.value ? f->map[at] : m.value;
    m.area++;
    sum_x += (uint64_t) x;
    sum_y += (uint64_t) y;
    for (int v = y ? y - 1 : 0; v <= y + 1 && v < f->height; v++)
      for (int u = x ? x - 1 : 0; u <= x + 1 && u < f->width; u++)
        if (f->map[v * f->width + u] < f->limit && !f->seen[v * f->width + u]) {
          f->seen[v * f->width + u] = true;
          f->stack[n++] = v * f->width + u;
        }
  }
  m.cx = (double) sum_x / m.area;
  m.cy = (double) sum_y / m.area;
  return m;
}

/* Every place of the flood fill is among the @n that were found. */
static void
compare_with_flood (Flood *f, const EmdtrackMatch *found, int n, uint32_t all)
{
  uint32_t places = 0;
  int missing = 0;

  for (int i = 0; i < f->width * f->height; i++) {
    EmdtrackMatch m;
    bool is_there = false;

    if (f->seen[i] || f->map[i] >= f->limit)
      continue;
    m = flood_from (f, i);
    for (int k = 0; k < n && !is_there; k++)
      is_there = is_match (&found[k], m.box, m.area, m.cx, m.cy, m.value);
    missing += !is_there;
    places++;
  }
  check (missing == 0 && places == all && (uint32_t) n == all);
  for (int k = 1; k < n; k++)
    check (found[k].area <= found[k - 1].area);
}

static void
test_flood (DeviceKind kind)
{
  for (int round = 0; round < 20; round++) {
    int width = 1 + (int) rnd (120), height = 1 + (int) rnd (70), n;
    EmdtrackParams p = random_params (2 + (int) rnd (15));
    AUTO (Frame) f = random_grey (width, height);
    const EmdtrackMatch *m;
    AUTO (Player) player;
    EmdtrackResults r;
    uint32_t all;

    if (round % 2)
      p.region = random_region (width, height);
    player_open (&player, kind, width, height);
    r = play_frame (&player, &p, &f);
    for (int t = 0; t < p.n_targets; t++) {
      uint16_t *map = read_map (&player, t, width, height);
      Flood flood = {map, width, height, 1 + (int) rnd (r.most + 1),
          calloc ((size_t) width * height, sizeof (bool)),
          malloc (sizeof (int) * (size_t) width * height)};

      ok (emdtrack_detect (
          player.e, t, flood.limit, EMDTRACK_MATCHES, &m, &n, &all));
      compare_with_flood (&flood, m, n, all);
      free (flood.seen);
      free (flood.stack);
      free (map);
    }
  }
}

/* Every allocation and every copy of a detection fails once: a sentence, and
 * the detection after it is right. */
static void
test_failing_detection (DeviceKind kind)
{
  AUTO (Frame) f = random_grey (30, 20);
  EmdtrackFrame frame = {.image = f.image};
  EmdtrackParams p = light_params ();
  int calls = 1, right = -1;

  for (int at = 0; at <= calls; at++) {
    const EmdtrackMatch *m;
    EmdtrackResults r;
    const char *err;
    AUTO (Device) dev;
    Emdtrack *e;
    uint32_t all;
    int n;

    ok (failing_open (&dev, DEVICE_CPU, NULL));
    failing_reset (0);
    ok (emdtrack_new (&e, &dev, 30, 20));
    ok (emdtrack_run (e, &p, &frame, &r));
    failing_reset (at);
    err = emdtrack_detect (e, 0, 5, 100, &m, &n, &all);
    check (!err == !at);
    calls = at ? calls : failing_calls;
    failing_reset (0);
    ok (emdtrack_detect (e, 0, 5, 100, &m, &n, &all));
    right = at ? right : n;
    check (n == right && n > 0);
    emdtrack_free (e);
    check (failing_blocks == 0);
  }
  check (calls > 4);
}

/* ---- Parity ---- */

static void
test_parity_places (DeviceKind kind)
{
  for (int round = 0; round < 40; round++) {
    int width = 1 + (int) rnd (400), height = 1 + (int) rnd (200);
    EmdtrackParams p = random_params (2 + (int) rnd (15));
    AUTO (Frame) f = random_grey (width, height);
    AUTO (Player) cpu;
    AUTO (Player) cuda;
    EmdtrackResults r;

    p.solver = (EmdtrackSolver) (round % 3);
    if (round % 2)
      p.region = random_region (width, height);
    player_open (&cpu, DEVICE_CPU, width, height);
    player_open (&cuda, DEVICE_CUDA, width, height);
    play_frame (&cpu, &p, &f);
    r = play_frame (&cuda, &p, &f);
    for (int t = 0; t < p.n_targets; t++) {
      uint16_t *a = read_map (&cpu, t, width, height);
      uint16_t *b = read_map (&cuda, t, width, height);
      int limit = 1 + (int) rnd (r.most + 1), max = 1 + (int) rnd (100);
      const EmdtrackMatch *m, *k;
      uint32_t all, all_too;
      int n, n_too;

      check (!memcmp (a, b, 2 * (size_t) width * height));
      ok (emdtrack_detect (cpu.e, t, limit, max, &m, &n, &all));
      ok (emdtrack_detect (cuda.e, t, limit, max, &k, &n_too, &all_too));
      check (n == n_too && all == all_too);
      for (int i = 0; i < n && n == n_too; i++)
        check (is_match (
            &m[i], k[i].box, k[i].area, k[i].cx, k[i].cy, k[i].value));
      free (a);
      free (b);
    }
  }
}

static const CheckPart on_each[] = {{"places", test_places},
    {"many places", test_many}, {"regions", test_region},
    {"a region that grows", test_region_that_grows},
    {"a region of spectra", test_region_of_spectra},
    {"a flood fill", test_flood},
    {"a device that fails", test_failing_detection}, {NULL, NULL}};

static const CheckPart parity[] = {
    {"maps and places", test_parity_places}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, parity, NULL);
}
