/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What becomes of matches: maps, pictures, lists and points in space. */
#include "pocstereo_output_lists.h"

/* Each number of a match, by hand. */
static void
test_known (DeviceKind kind)
{
  PocstereoSpace space = plain_space ();
  Made m = made_new (5, 3);
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
  made_free (&m);
}

/* A match is void where either end of it comes from outside of the frames. */
static void
test_void (DeviceKind kind)
{
  Made m = made_new (8, 1);

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
  made_free (&m);
}

/* What is not wanted is not touched, and what cannot be is said. */
static void
test_wanted (DeviceKind kind)
{
  Made m = made_new (4, 4);

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
  made_free (&m);
}

static void
test_step (DeviceKind kind)
{
  (void) kind;
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
  Made m = made_new (2, 1);

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
  made_free (&m);
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
  (void) kind;
  for (int round = 0; round < 100; round++) {
    PocstereoSpace space;
    Made m = made_random (1 + (int) rnd (150), 1 + (int) rnd (60));
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
    made_free (&m);
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
  Device dev;

  ok (device_open (&dev, kind, NULL));
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
  device_close (&dev);
  return 1e3 * bench_median (times, 5) / 100;
}

static int
bench (int argc, char **argv)
{
  int last = device_cuda_probe () ? DEVICE_CPU : DEVICE_CUDA;

  (void) argc;
  (void) argv;
  for (int kind = DEVICE_CPU; kind <= last; kind++)
    printf ("%s 1280x720 four maps: %.4f ms\n",
        kind == DEVICE_CPU ? "CPU" : "CUDA",
        time_of ((DeviceKind) kind, 1280, 720));
  return check_failures != 0;
}

static const CheckPart on_each[] = {{"numbers of a match", test_known},
    {"void matches", test_void}, {"what is wanted", test_wanted},
    {"fineness of steps", test_step}, {"ends of the range", test_steps},
    {"lists and space", test_list}, {"scattered points", test_scatter},
    {NULL, NULL}};

static const CheckPart parity[] = {{"CPU and CUDA", test_parity}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  return check_main (argc, argv, on_each, parity, bench);
}
