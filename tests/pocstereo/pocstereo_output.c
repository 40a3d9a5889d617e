/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What becomes of matches: maps, pictures, lists and points in space. */
#include <math.h>

#include "seconds.h"
#include "check.h"
#include "overlay/overlay.h"
#include "pocstereo/rig/pocstereo_output.h"

/* ---- What matches become ---- */

#define PAD 8    /* bytes behind each row */
#define GUARD 77 /* what they hold */

enum {
  DISPARITY,
  SIGMA,
  CONFIDENCE,
  DEPTH,
  STEPS,
  MILLIMETRES,
  COLOURS,
  N_ROWS
};

static const size_t bytes_of[] = {4, 2, 1, 4, 2, 2, 4};

/* Everything at once, on the host. */
typedef struct {
  int width, height;
  PocstereoMatch *matches;
  uint8_t *valid[2]; /* or NULL */
  const PocstereoSpace *space;
  PocstereoOutput out;   /* without rows */
  unsigned left_out;     /* rows that are not wanted, a bit each */
  uint8_t *rows[N_ROWS]; /* what came of it */
  size_t stride[N_ROWS];
} Made;

static Made
made_new (int width, int height)
{
  Made m = {.width = width, .height = height, .out = {.max = 1, .step = 1}};
  PocstereoMatch none = {POCSTEREO_NONE, 60000, 7};

  m.matches = malloc (sizeof *m.matches * width * height);
  for (int i = 0; i < width * height; i++)
    m.matches[i] = none;
  for (int r = 0; r < N_ROWS; r++) {
    m.stride[r] = bytes_of[r] * width + PAD;
    m.rows[r] = malloc (m.stride[r] * height);
  }
  return m;
}

static void
made_free (Made *m)
{
  free (m->matches);
  free (m->valid[0]);
  free (m->valid[1]);
  for (int r = 0; r < N_ROWS; r++)
    free (m->rows[r]);
}

AUTO_FREE (Made, made_free)

static void *
upload (const Device *dev, const void *from, size_t bytes)
{
  void *p;

  ok (device_alloc (dev, &p, bytes));
  ok (device_copy (dev, p, from, bytes));
  return p;
}

/* Fills m->rows on a device; returns the error. */
static const char *
make (Made *m, DeviceKind kind)
{
  size_t pixels = (size_t) m->width * m->height;
  void *memory[N_ROWS], *matches, *valid[2] = {NULL, NULL};
  PocstereoRows rows[N_ROWS];
  PocstereoOutput out = m->out;
  const char *err;
  AUTO (Device) dev = device_of (kind);

  matches = upload (&dev, m->matches, pixels * sizeof *m->matches);
  for (int i = 0; i < 2 && m->valid[i]; i++)
    valid[i] = upload (&dev, m->valid[i], pixels);
  for (int r = 0; r < N_ROWS; r++) {
    memset (m->rows[r], GUARD, m->stride[r] * m->height);
    memory[r] = upload (&dev, m->rows[r], m->stride[r] * m->height);
    rows[r].pixels = m->left_out >> r & 1 ? NULL : memory[r];
    rows[r].stride = m->stride[r];
  }
  out.disparity = rows[DISPARITY];
  out.sigma = rows[SIGMA];
  out.confidence = rows[CONFIDENCE];
  out.depth = rows[DEPTH];
  out.steps = rows[STEPS];
  out.millimetres = rows[MILLIMETRES];
  out.colours = rows[COLOURS];
  PocstereoMatches in = {
      m->width, m->height, matches, {valid[0], valid[1]}, m->space};
  err = pocstereo_output (&dev, &in, &out);
  for (int r = 0; r < N_ROWS; r++)
    ok (device_copy (&dev, m->rows[r], memory[r], m->stride[r] * m->height));
  ok (device_wait (&dev));
  for (int r = 0; r < N_ROWS; r++)
    device_release (&dev, memory[r]);
  device_release (&dev, matches);
  device_release (&dev, valid[0]);
  device_release (&dev, valid[1]);
  return err;
}

#define AT(m, row, type, x, y) \
 (((type *) ((m)->rows[row] + (m)->stride[row] * (y)))[x])

static void
check_none (const Made *m, int x, int y)
{
  check (AT (m, DISPARITY, float, x, y) == -32768);
  check (AT (m, SIGMA, uint16_t, x, y) == 65535);
  check (AT (m, CONFIDENCE, uint8_t, x, y) == 0);
  check (AT (m, STEPS, uint16_t, x, y) == 0);
  check (AT (m, COLOURS, uint32_t, x, y) == 0);
  if (m->space) {
    check (AT (m, DEPTH, float, x, y) == 0);
    check (AT (m, MILLIMETRES, uint16_t, x, y) == 0);
  }
}

static void
check_guards (const Made *m)
{
  for (int r = 0; r < N_ROWS; r++)
    for (int y = 0; y < m->height; y++)
      for (int i = 1; i <= PAD; i++)
        check (m->rows[r][m->stride[r] * (y + 1) - i] == GUARD);
}

/* f B = 100 pixel metres. */
static PocstereoSpace
plain_space (void)
{
  PocstereoCamera camera = {1000, 1000, 2, 1, 2, .1};
  PocstereoSpace space;

  ok (pocstereo_space_from_camera (&space, &camera));
  return space;
}

/* ---- Lists ---- */

static void
test_list (DeviceKind kind)
{
  static const PocstereoPoint points[] = {{2, 1}, {7, 3}, {102, 1}, {0, 0}};
  static const PocstereoMatch matches[] = {{20 * 256, 65535, 4096},
      {POCSTEREO_NONE, 1, 1}, {10 * 256, 0, 2048}, {-256, 65535, 1}};
  const uint8_t *const valid[2] = {NULL, NULL};
  PocstereoSpace space = plain_space ();
  PocstereoPointMatch list[4];
  float places[4][4];

  check (pocstereo_list (
             points, matches, 4, valid, 200, &space, list, places) == 3);
  check (list[0].x == 2 && list[0].y == 1 && list[0].disparity == 20);
  check (list[0].sigma == 1 && list[0].confidence == 1);
  check (list[1].x == 102 && list[1].disparity == 10 && list[1].sigma == .5f);
  check (list[1].confidence == 0);
  check_near (places[0][0], 0, 1e-6);
  check_near (places[0][2], 5, 1e-5);
  check_near (places[0][3], .25, 1e-5);
  check_near (places[1][0], 1, 1e-5);
  check_near (places[1][2], 10, 1e-5);
  check (places[2][0] == 0 && places[2][2] == 0); /* behind the camera */
  check (
      pocstereo_list (points, matches, 4, valid, 200, NULL, list, NULL) == 3);
  check (
      pocstereo_list (points, matches, 0, valid, 200, NULL, list, NULL) == 0);
}

/* Squares, cut off at the edges; of two in one place the later. */
static void
test_scatter (DeviceKind kind)
{
  static const PocstereoPoint points[] = {{0, 0}, {3, 2}, {4, 2}};
  static const PocstereoMatch matches[] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}};
  static const int one[3][6] = {
      {1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 2, 3, 0}};
  static const int wide[3][6] = {
      {1, 1, 0, 0, 0, 0}, {1, 1, 2, 3, 3, 3}, {0, 0, 2, 3, 3, 3}};
  PocstereoMatch rows[18];

  for (int side = 1; side <= 3; side += 2) {
    pocstereo_scatter (points, matches, 3, side, rows, 6, 3);
    for (int i = 0; i < 18; i++) {
      int expected = side == 1 ? one[i / 6][i % 6] : wide[i / 6][i % 6];

      check (rows[i].disparity == (expected ? expected : POCSTEREO_NONE));
    }
  }
}

/* ---- The tests ---- */

/* Each number of a match, by hand. */
static void
test_known (DeviceKind kind)
{
  PocstereoSpace space = plain_space ();
  AUTO (Made) m = made_new (5, 3);
  uint8_t ramp[256][4];

  overlay_ramp (ramp);
  m.space = &space;
  m.out.min = 10;
  m.out.max = 50;
  m.out.step = 1. / 16;
  m.matches[0] = (PocstereoMatch){40 * 256, 65535, 41};
  m.matches[6] = (PocstereoMatch){10 * 256 + 64, 32768, 0};
  m.matches[7] = (PocstereoMatch){50 * 256, 128, 65535};
  m.matches[8] = (PocstereoMatch){-3 * 256, 129, 1}; /* out of the range */
  m.matches[14] = (PocstereoMatch){256, 65535, 1};   /* 100 m away */
  ok (make (&m, kind));
  check (AT (&m, DISPARITY, float, 0, 0) == 40);
  check (AT (&m, DISPARITY, float, 1, 1) == 10.25f);
  check (AT (&m, DISPARITY, float, 3, 1) == -3);
  check (AT (&m, SIGMA, uint16_t, 0, 0) == 41);
  check (AT (&m, SIGMA, uint16_t, 2, 1) == 65535);
  check (AT (&m, CONFIDENCE, uint8_t, 0, 0) == 255);
  check (AT (&m, CONFIDENCE, uint8_t, 1, 1) == 128);
  check (AT (&m, CONFIDENCE, uint8_t, 2, 1) == 0);
  check (AT (&m, CONFIDENCE, uint8_t, 3, 1) == 1);
  check_near (AT (&m, DEPTH, float, 0, 0), 2.5, 1e-6);
  check (AT (&m, DEPTH, float, 3, 1) == 0); /* behind the camera */
  check_near (AT (&m, DEPTH, float, 4, 2), 100, 1e-4);
  check (AT (&m, MILLIMETRES, uint16_t, 0, 0) == 2500);
  check (AT (&m, MILLIMETRES, uint16_t, 4, 2) == 0); /* more than 16 bits */
  check (AT (&m, STEPS, uint16_t, 0, 0) == 1 + 30 * 16);
  check (AT (&m, STEPS, uint16_t, 1, 1) == 1 + 4);
  check (AT (&m, STEPS, uint16_t, 2, 1) == 1 + 40 * 16);
  check (AT (&m, STEPS, uint16_t, 3, 1) == 1);
  check (!memcmp (&AT (&m, COLOURS, uint32_t, 1, 1), ramp[2], 4));
  check (!memcmp (&AT (&m, COLOURS, uint32_t, 2, 1), ramp[255], 4));
  check (!memcmp (&AT (&m, COLOURS, uint32_t, 3, 1), ramp[0], 4));
  check_none (&m, 1, 0);
  check_none (&m, 3, 2);
  check_guards (&m);
}

/* A match is void where either end of it comes from outside of the frames. */
static void
test_void (DeviceKind kind)
{
  AUTO (Made) m = made_new (8, 1);

  m.left_out = 1 << DEPTH | 1 << MILLIMETRES;
  for (int x = 0; x < 8; x++)
    m.matches[x] = (PocstereoMatch){2 * 256, 65535, 1};
  m.matches[7].disparity = 2 * 256 + 128; /* rounds to 3 */
  m.matches[6].disparity = -2 * 256;
  for (int i = 0; i < 2; i++) {
    m.valid[i] = malloc (8);
    memset (m.valid[i], 1, 8);
  }
  m.valid[0][5] = m.valid[1][1] = m.valid[1][4] = 0;
  ok (make (&m, kind));
  check_none (&m, 0, 0); /* it leads out of the view */
  check_none (&m, 1, 0);
  check (AT (&m, DISPARITY, float, 2, 0) == 2);
  check_none (&m, 3, 0);
  check (AT (&m, DISPARITY, float, 4, 0) == 2);
  check_none (&m, 5, 0);
  check_none (&m, 6, 0);
  check_none (&m, 7, 0);
}

/* What is not wanted is not touched, and what cannot be is said. */
static void
test_wanted (DeviceKind kind)
{
  AUTO (Made) m = made_new (4, 4);

  for (int r = 0; r < N_ROWS; r++) {
    m.left_out = ~(1u << r);
    check ((make (&m, kind) != NULL) == (r == DEPTH || r == MILLIMETRES));
    for (int other = 0; other < N_ROWS; other++)
      check (other == r || AT (&m, other, uint8_t, 0, 0) == GUARD);
    check_guards (&m);
  }
  m.left_out = ~(1u << STEPS);
  m.out.step = 0;
  check (make (&m, kind) != NULL);
  m.out.step = NAN;
  check (make (&m, kind) != NULL);
  m.out.step = 1;
  m.out.min = 2;
  check (make (&m, kind) != NULL);
  m.out.min = m.out.max;
  ok (make (&m, kind));
}

static void
test_step (DeviceKind kind)
{
  check (pocstereo_step (0, 128) == 1. / 256);
  check (pocstereo_step (0, 255) == 1. / 256);
  check (pocstereo_step (0, 256) == 1. / 128);
  check (pocstereo_step (-4096, 4096) == 1. / 4);
  check (pocstereo_step (7, 7) == 1. / 256);
}

/* Whatever the range, its ends come back from the steps. */
static void
test_steps (DeviceKind kind)
{
  AUTO (Made) m = made_new (2, 1);

  m.left_out = ~(1u << STEPS);
  for (int round = 0; round < 50; round++) {
    int min = (int) rnd (8193) - 4096, max = min + (int) rnd (4097 - min);
    double step = pocstereo_step (min, max);

    m.out.min = m.out.max = min;
    m.out.step = step;
    m.matches[0] = (PocstereoMatch){min * 256, 1, 1};
    m.matches[1] = (PocstereoMatch){max * 256, 1, 1};
    ok (make (&m, kind));
    check (AT (&m, STEPS, uint16_t, 0, 0) == 1);
    check (min + (AT (&m, STEPS, uint16_t, 1, 0) - 1) * step == max);
  }
  m.out.min = m.out.max = 7;
  m.out.step = 1e-50; /* less than a float can be */
  m.matches[0] = (PocstereoMatch){7 * 256, 1, 1};
  m.matches[1] = (PocstereoMatch){7 * 256 + 1, 1, 1};
  ok (make (&m, kind));
  check (AT (&m, STEPS, uint16_t, 0, 0) == 1);
  check (AT (&m, STEPS, uint16_t, 1, 0) == 65535);
}

static Made
made_random (int w, int h)
{
  Made m = made_new (w, h);

  for (int i = 0; i < w * h; i++)
    if (rnd (4))
      m.matches[i] = (PocstereoMatch){(int) rnd (1 << 21) - (1 << 20),
          (uint16_t) rnd (65536), (uint16_t) rnd (65536)};
  for (int i = 0; i < 2 && rnd (2); i++) {
    m.valid[i] = malloc ((size_t) w * h);
    for (int k = 0; k < w * h; k++)
      m.valid[i][k] = rnd (5) != 0;
  }
  m.out.min = (int) rnd (8000) - 4096;
  m.out.max = m.out.min + rnd (200);
  m.out.step = (1 + rnd (1000)) / 777.;
  return m;
}

static void
test_parity (DeviceKind kind)
{
  for (int round = 0; round < 100; round++) {
    PocstereoSpace space;
    AUTO (Made) m = made_random (1 + (int) rnd (150), 1 + (int) rnd (60));
    uint8_t *cpu[N_ROWS];

    for (int i = 0; i < 16; i++)
      space.q[i] = ((int) rnd (2001) - 1000) / 333.f;
    m.space = &space;
    ok (make (&m, DEVICE_CPU));
    for (int r = 0; r < N_ROWS; r++) {
      cpu[r] = malloc (m.stride[r] * m.height);
      memcpy (cpu[r], m.rows[r], m.stride[r] * m.height);
    }
    ok (make (&m, DEVICE_CUDA));
    for (int r = 0; r < N_ROWS; r++) {
      check (!memcmp (cpu[r], m.rows[r], m.stride[r] * m.height));
      free (cpu[r]);
    }
  }
}

/* Milliseconds for the maps of a frame, by batches of 100. */
static double
time_of (DeviceKind kind, int w, int h)
{
  size_t pixels = (size_t) w * h;
  PocstereoSpace space = plain_space ();
  PocstereoMatches in = {.width = w, .height = h, .space = &space};
  PocstereoOutput out = {.max = 128, .step = 1};
  void *matches, *maps;
  double times[5];
  AUTO (Device) dev = device_of (kind);

  ok (device_alloc (&dev, &matches, pixels * sizeof *in.matches));
  ok (device_alloc (&dev, &maps, pixels * 12));
  in.matches = matches;
  out.disparity = (PocstereoRows){maps, 4 * (size_t) w};
  out.depth = (PocstereoRows){(uint8_t *) maps + 4 * pixels, 4 * (size_t) w};
  out.sigma = (PocstereoRows){(uint8_t *) maps + 8 * pixels, 2 * (size_t) w};
  out.confidence = (PocstereoRows){(uint8_t *) maps + 10 * pixels, (size_t) w};
  for (int i = 0; i < 5; i++) {
    DeviceTimer timer = {0};

    ok (device_timer_begin (&dev, &timer));
    for (int k = 0; k < 100; k++)
      ok (pocstereo_output (&dev, &in, &out));
    ok (device_timer_end (&dev, &timer, &times[i]));
    device_timer_free (&timer);
  }
  device_release (&dev, matches);
  device_release (&dev, maps);
  return 1e3 * bench_median (times, 5) / 100;
}

static int
bench (int argc, char **argv)
{
  int last = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;

  for (int kind = DEVICE_CPU; kind <= last; kind++)
    printf ("%s 1280x720 four maps: %.4f ms\n",
        kind == DEVICE_CPU ? "CPU" : "CUDA",
        time_of ((DeviceKind) kind, 1280, 720));
  return check_failures != 0;
}


static const CheckPart parity[] = {{"CPU and CUDA", test_parity}, {NULL, NULL}};

CHECK_MAIN (parity, bench, {"numbers of a match", test_known},
    {"void matches", test_void}, {"what is wanted", test_wanted},
    {"fineness of steps", test_step}, {"ends of the range", test_steps},
    {"lists and space", test_list}, {"scattered points", test_scatter})
