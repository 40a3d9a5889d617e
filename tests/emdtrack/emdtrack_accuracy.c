/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * emdtrack's tracker on a real sequence with ground truth, where
 * VISION_TEST_DATA names it: VOT 2015's ball1, 1280 x 720, 42 frames. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <jpeglib.h>

#include "emdtrack_follow.h"

#define N_FRAMES 42

static const char *data;

/* A frame of RGB, or one of no pixels. */
static Frame
read_jpeg (const char *path)
{
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  FILE *file = fopen (path, "rb");
  Frame f = {0};

  if (!file)
    return f;
  jpeg.err = jpeg_std_error (&errors);
  jpeg_create_decompress (&jpeg);
  jpeg_stdio_src (&jpeg, file);
  jpeg_read_header (&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress (&jpeg);
  f = frame_new (
      IMAGE_RGB, (int) jpeg.output_width, (int) jpeg.output_height, 0, 1);
  while (jpeg.output_scanline < jpeg.output_height) {
    uint8_t *row =
        f.image.plane[0] + (size_t) jpeg.output_scanline * f.image.stride[0];

    jpeg_read_scanlines (&jpeg, &row, 1);
  }
  jpeg_finish_decompress (&jpeg);
  jpeg_destroy_decompress (&jpeg);
  fclose (file);
  return f;
}

typedef struct {
  double x0, y0, x1, y1;
} Box;

/* The box around a polygon of four corners, a line each. */
static bool
read_truth (Box *truth, int n)
{
  char path[2048];
  FILE *file;
  bool good = true;

  snprintf (path, sizeof path, "%s/emd/vot15_ball1/groundtruth.txt", data);
  file = fopen (path, "r");
  for (int k = 0; file && k < n; k++) {
    Box *b = &truth[k];

    *b = (Box){INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int c = 0; c < 4; c++) {
      double x = 0, y = 0;

      good = good && fscanf (file, "%lf,%lf%*[,\n\r]", &x, &y) == 2;
      b->x0 = fmin (b->x0, x), b->x1 = fmax (b->x1, x);
      b->y0 = fmin (b->y0, y), b->y1 = fmax (b->y1, y);
    }
  }
  if (file)
    fclose (file);
  return file && good;
}

static double
overlap (const Box *a, const EmdtrackTrack *b)
{
  double x = fmin (a->x1, b->x1) - fmax (a->x0, b->x0);
  double y = fmin (a->y1, b->y1) - fmax (a->y0, b->y0);
  double both = x > 0 && y > 0 ? x * y : 0;

  return both /
      ((a->x1 - a->x0) * (a->y1 - a->y0) + (b->x1 - b->x0) * (b->y1 - b->y0) -
          both);
}

typedef struct {
  double mean_error, mean_overlap, seconds;
  int near; /* frames in which the error is 20 pixels at most: DP@20 */
} Accuracy;

static void
gain (Frame *f, double by)
{
  for (size_t i = 0;
       by != 1 && i < (size_t) f->image.stride[0] * (size_t) f->image.height;
       i++) {
    double v = f->image.plane[0][i] * by;

    f->image.plane[0][i] = (uint8_t) (v > 255 ? 255 : v);
  }
}

typedef struct {
  Follower by;
  double brightness; /* of the first frame */
} Rig;

static void
rig_start (Rig *r, int bins, const Frame *f, const Box *b)
{
  ImageBox box = {(int) (b->x0 + .5), (int) (b->y0 + .5), (int) (b->x1 + .5),
      (int) (b->y1 + .5)};
  EmdtrackFrame frame = {.image = f->image};

  follower_open (&r->by, DEVICE_CPU, f->image.width, f->image.height, bins);
  follower_choose (&r->by, &frame, box, &box, 1);
  ok (emdtrack_brightness (r->by.e, &r->by.params, &frame, &r->brightness));
}

/* What a sequence is played with. */
typedef struct {
  int bins, scales;
  double gain; /* of all frames but the first */
  bool normalise;
} Play;

/* Tracks in frame @k and adds how well. */
static void
watch (Rig *r, const Play *p, int k, Frame *f, const Box *truth, Accuracy *a)
{
  EmdtrackTrackParams tp = emdtrack_track_defaults ();
  EmdtrackFrame frame = {.image = f->image};
  const EmdtrackTrack *t;
  double start, error, mean;
  int n;

  tp.scales = p->scales;
  start = (double) clock () / CLOCKS_PER_SEC;
  if (p->normalise) {
    ok (emdtrack_brightness (r->by.e, &r->by.params, &frame, &mean));
    r->by.params.gain = r->brightness / mean;
  }
  ok (emdtrack_index (r->by.e, &r->by.params, &frame));
  ok (emdtrack_tracker_run (
      r->by.tracker, r->by.e, &r->by.params, &tp, &t, &n));
  a->seconds += (double) clock () / CLOCKS_PER_SEC - start;
  check (t->state == EMDTRACK_TRACKING ||
      (p->gain != 1 && !p->normalise)); /* unlike enough to be occluded */
  error = hypot ((t->x0 + t->x1 - truth->x0 - truth->x1) / 2,
      (t->y0 + t->y1 - truth->y0 - truth->y1) / 2);
  a->mean_error += k ? error / (N_FRAMES - 1) : 0;
  a->near += k && error <= 20;
  a->mean_overlap += k ? overlap (truth, t) / (N_FRAMES - 1) : 0;
}

static Accuracy
play (const Play *p)
{
  Rig r = {0};
  Accuracy a = {0};
  Box truth[N_FRAMES];

  check (read_truth (truth, N_FRAMES));
  for (int k = 0; k < N_FRAMES; k++) {
    char path[2048];
    Frame f;

    snprintf (path, sizeof path, "%s/emd/vot15_ball1/%08d.jpg", data, k + 1);
    f = read_jpeg (path);
    check (f.memory != NULL);
    if (!f.memory)
      break;
    gain (&f, k ? p->gain : 1);
    if (!k)
      rig_start (&r, p->bins, &f, &truth[0]);
    watch (&r, p, k, &f, &truth[k], &a);
    frame_free (&f);
  }
  follower_close (&r.by);
  printf ("%2d bins, %d scales, gain %.2f%s: mean centre error %.2f px, DP@20 "
          "%.3f, mean overlap %.3f, %.1f ms a frame\n",
      p->bins, p->scales, p->gain, p->normalise ? " made up for" : "",
      a.mean_error, (double) a.near / (N_FRAMES - 1), a.mean_overlap,
      1e3 * a.seconds / N_FRAMES);
  return a;
}

/* The first frame, where the box is given, does not count. */
static void
test_ball (DeviceKind kind)
{
  static const Play plays[] = {{11, 1, 1, false}, {11, 3, 1, false},
      {16, 1, 1, false}, {16, 3, 1, false}, {16, 5, 1, false},
      {16, 3, .85, false}, {16, 3, 1.15, false}, {16, 3, .85, true},
      {16, 3, 1.15, true}, {16, 3, .7, true}};

  for (size_t i = 0; i < sizeof plays / sizeof *plays; i++) {
    const Play *p = &plays[i];
    Accuracy a = play (p);

    check (a.near == N_FRAMES - 1);
    check (a.mean_error <= (p->gain == 1 || p->normalise ? 4.5 : 6));
    check (a.mean_overlap >= .7);
  }
}

static const CheckPart on_each[] = {{"ball", test_ball}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  data = getenv ("VISION_TEST_DATA");
  if (!data) {
    printf ("SKIP: VISION_TEST_DATA names no folder\n");
    return 77;
  }
  return check_main (argc, argv, on_each, NULL, NULL);
}
