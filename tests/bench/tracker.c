/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What following targets costs the processor a frame, apart from what the
 * device does: emdtrack's search with its exact distances, at 1920 x 1080.
 *
 *   tracker                                  drawn discs: 1, 8, 1 that is lost
 *   tracker FILE WIDTH HEIGHT FRAMES X,Y,W,H one target in a file of RGB frames
 *
 * The tracks of all frames go into a sum that is printed: two versions that
 * print the same one follow alike. */
#include <math.h>
#include <time.h>

#include "seconds.h"
#include "emdtrack/emdtrack_follow.h"

#define WIDTH 1920
#define HEIGHT 1080
#define FRAMES 96       /* that are drawn */
#define MAX_FRAMES 1200 /* of a file */
#define RADIUS 30

static double in_count; /* microseconds that emdtrack_count() has taken */

static double
cpu_us (void)
{
  return 1e6 * seconds_of (CLOCK_THREAD_CPUTIME_ID);
}

/* The linker puts this in the place of emdtrack_count(), which is the device's
 * work. */
const char *__real_emdtrack_count (Emdtrack *self,
    const EmdtrackRegion *regions, int n, const uint32_t **counts);
const char *__wrap_emdtrack_count (Emdtrack *self,
    const EmdtrackRegion *regions, int n, const uint32_t **counts);

const char *
__wrap_emdtrack_count (
    Emdtrack *e, const EmdtrackRegion *regions, int n, const uint32_t **counts)
{
  double start = cpu_us ();
  const char *fault = __real_emdtrack_count (e, regions, n, counts);

  in_count += cpu_us () - start;
  return fault;
}

typedef struct {
  Follower by;
  Frame frame;
  double us[MAX_FRAMES];
  uint64_t sum; /* of the tracks */
} Bench;

static void
bench_open (Bench *b, int width, int height)
{
  *b = (Bench){.sum = 1};
  follower_open (&b->by, DEVICE_CPU, width, height, 16);
  b->frame = frame_new (IMAGE_RGB, width, height, 0, 1);
}

static void
bench_close (Bench *b)
{
  follower_close (&b->by);
  frame_free (&b->frame);
}

static void
add_to_sum (uint64_t *sum, double v)
{
  uint64_t bits;

  memcpy (&bits, &v, sizeof bits);
  *sum = (*sum ^ bits) * 0x9e3779b97f4a7c15ull;
  *sum ^= *sum >> 29;
}

static void
bench_frame (Bench *b, int k)
{
  EmdtrackFrame frame = {.image = b->frame.image};
  EmdtrackTrackParams track = emdtrack_track_defaults ();
  const EmdtrackTrack *t;
  double start;
  int n;

  ok (emdtrack_index (b->by.e, &b->by.params, &frame));
  in_count = 0;
  start = cpu_us ();
  ok (emdtrack_tracker_run (
      b->by.tracker, b->by.e, &b->by.params, &track, &t, &n));
  b->us[k] = cpu_us () - start - in_count;
  for (int i = 0; i < n; i++) {
    double all[] = {t[i].state, t[i].x0, t[i].y0, t[i].x1, t[i].y1,
        t[i].distance, t[i].ratio, t[i].vx, t[i].vy, t[i].unseen};

    for (size_t j = 0; j < sizeof all / sizeof *all; j++)
      add_to_sum (&b->sum, all[j]);
  }
}

static void
bench_print (Bench *b, const char *what, int n)
{
  double mean = 0;

  for (int k = 0; k < n; k++)
    mean += b->us[k] / n;
  printf ("%-10s %7.1f us a frame,", what, mean);
  printf (" median %7.1f,", bench_median (b->us, n));
  printf (" most %7.1f, tracks %016llx\n", b->us[n - 1],
      (unsigned long long) b->sum);
}

/* ---- Drawn frames ---- */

/* Disc @i of frame @k. */
static void
place_disc (int i, int k, double *x, double *y)
{
  *x = 200 + 210 * i + 60 * sin (.05 * k + i);
  *y = 540 + (i % 2 ? 200 : -200) + 90 * cos (.04 * k + 2 * i);
}

static void
pixel (const double (*disc)[2], int n, int x, int y, uint8_t c[3])
{
  static const uint8_t colour[4][3] = {
      {200, 40, 50}, {230, 200, 60}, {40, 60, 190}, {120, 220, 230}};
  double wave = sin (x * .021) + sin (y * .034) + sin ((x + y) * .013);

  c[0] = (uint8_t) (110 + 25 * wave);
  c[1] = (uint8_t) (120 + 18 * sin (x * .008 + wave));
  c[2] = (uint8_t) (100 + 20 * sin (y * .011 - wave));
  for (int i = 0; i < n; i++) {
    double u = x - disc[i][0], v = y - disc[i][1];

    if (u * u + v * v < RADIUS * RADIUS)
      memcpy (c, colour[(2 * i + (u > .3 * RADIUS * (i % 3 - 1))) % 4], 3);
  }
}

static void
draw (Frame *f, int n, int k)
{
  double disc[EMDTRACK_TARGETS][2];

  for (int i = 0; i < n; i++)
    place_disc (i, k, &disc[i][0], &disc[i][1]);
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      uint8_t *p = f->image.plane[0] + 3 * ((size_t) y * WIDTH + x), c[3];

      pixel ((const double (*)[2]) disc, n, x, y, c);
      for (int j = 0; j < 3; j++)
        p[j] = (uint8_t) (c[j] + rnd (9));
    }
}

/* @n targets; @lost: which are gone after the first frame. */
static void
bench_drawn (const char *what, int n, bool lost)
{
  static Bench b;
  ImageBox boxes[EMDTRACK_TARGETS];

  bench_open (&b, WIDTH, HEIGHT);
  draw (&b.frame, n, 0);
  for (int i = 0; i < n; i++) {
    double x, y;

    place_disc (i, 0, &x, &y);
    boxes[i] = (ImageBox){
        (int) x - RADIUS, (int) y - RADIUS, (int) x + RADIUS, (int) y + RADIUS};
  }
  follower_choose (&b.by, &(EmdtrackFrame){.image = b.frame.image},
      (ImageBox){150, 200, 1800, 800}, boxes, n);
  for (int k = 0; k < FRAMES; k++) {
    draw (&b.frame, lost ? 0 : n, k);
    bench_frame (&b, k);
  }
  bench_print (&b, what, FRAMES);
  bench_close (&b);
}

/* ---- Frames of a file ---- */

static int
bench_file (char **argv)
{
  static Bench b;
  FILE *file = fopen (argv[1], "rb");
  int width = atoi (argv[2]), height = atoi (argv[3]), n = atoi (argv[4]);
  int x, y, w, h;
  ImageBox box;

  if (!file || n < 1 || n > MAX_FRAMES ||
      sscanf (argv[5], "%d,%d,%d,%d", &x, &y, &w, &h) != 4)
    return 2;
  box = (ImageBox){x, y, x + w, y + h};
  bench_open (&b, width, height);
  for (int k = 0; k < n; k++) {
    if (fread (b.frame.image.plane[0], 3 * (size_t) width, (size_t) height,
            file) != (size_t) height)
      printf ("%s: frame %d is missing\n", argv[1], k);
    if (!k)
      follower_choose (
          &b.by, &(EmdtrackFrame){.image = b.frame.image}, box, &box, 1);
    bench_frame (&b, k);
  }
  fclose (file);
  bench_print (&b, "file", n);
  bench_close (&b);
  return check_failures > 0;
}

int
main (int argc, char **argv)
{
  if (argc == 6)
    return bench_file (argv);
  bench_drawn ("1 target", 1, false);
  bench_drawn ("8 targets", 8, false);
  bench_drawn ("1 lost", 1, true);
  return check_failures > 0;
}
