/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pocstereo on real pairs with known disparities, and on a real view that is
 * moved by parts of a pixel: errors, and how well sigma predicts them.
 * VISION_TEST_DATA names the data; without it the test is skipped. */
#include <png.h>
#include <zlib.h>

#include "common/yuv.h"
#include "pocstereo/rig/pocstereo_rectify_core.h"
#include "pocstereo_pair.h"

/* ---- Stereo pairs of Middlebury with their true disparities, and what of them
 * both views show ---- */

typedef struct {
  int width, height;
  uint8_t *grey;
  uint16_t *sample; /* 16 times as fine, of colours */
} Picture;

/* A binary PGM of 8 bits. */
static Picture
pgm_read (const char *path)
{
  Picture p = {0, 0, NULL, NULL};
  FILE *file = fopen (path, "rb");
  int most = 0;

  if (file && fscanf (file, "P5 %d %d %d", &p.width, &p.height, &most) == 3 &&
      most == 255 && fgetc (file) != EOF) {
    size_t n = (size_t) p.width * p.height;

    p.grey = calloc (n, 1);
    check (fread (p.grey, 1, n, file) == n);
  }
  if (file)
    fclose (file);
  check (p.grey != NULL);
  return p;
}

/* @name, a PNG or PGM below the folder @data, in 8-bit grey, and in samples as
 * the element makes them (BT.601). */
static Picture
picture_read (const char *data, const char *name)
{
  png_image png = {.version = PNG_IMAGE_VERSION};
  Yuv m = yuv_of (IMAGE_BT601, true);
  PocstereoGrey g = {
      .step = 3, .kind = POCSTEREO_COLOURS, .weight = {m.yr, m.yg, m.yb}};
  Picture p = {0, 0, NULL, NULL};
  uint8_t *rgb = NULL, yuv[3];
  char path[4096];

  snprintf (path, sizeof path, "%s/stereo/%s", data, name);
  if (strstr (name, ".pgm"))
    return pgm_read (path);
  if (png_image_begin_read_from_file (&png, path)) {
    png.format = PNG_FORMAT_RGB;
    rgb = malloc (PNG_IMAGE_SIZE (png));
    if (png_image_finish_read (&png, NULL, rgb, 0, NULL)) {
      p = (Picture){(int) png.width, (int) png.height, NULL, NULL};
      p.grey = malloc ((size_t) p.width * p.height);
      p.sample = malloc ((size_t) p.width * p.height * sizeof *p.sample);
      for (int k = 0; k < 3; k++)
        g.c[k] = rgb + k;
      for (int i = 0; i < p.width * p.height; i++) {
        yuv_from_rgb (&m, rgb + 3 * i, yuv);
        p.grey[i] = yuv[0];
        p.sample[i] = (uint16_t) pocstereo_grey_at (&g, i, 0);
      }
    }
  }
  check (p.grey != NULL);
  free (rgb);
  return p;
}

static void
picture_free (Picture *p)
{
  free (p->grey);
  free (p->sample);
}

AUTO_FREE (Picture, picture_free)

/* What the scene's disparities lost: those of a half and of a third of the size
 * were cut to whole pixels of the full size, not rounded. */
static double
truth_cut (int scale)
{
  return scale < 4 ? .5 / scale : 0;
}

/* A picture whose grey levels are disparities times @scale; NAN: unknown. */
static float *
truth_read (const char *data, const char *name, int scale)
{
  Picture p = picture_read (data, name);
  float *truth = malloc ((size_t) p.width * p.height * sizeof *truth);

  for (int i = 0; i < p.width * p.height; i++)
    truth[i] = p.grey[i]
        ? (float) p.grey[i] / (float) scale + (float) truth_cut (scale)
        : NAN;
  picture_free (&p);
  return truth;
}

/* The only array, of floats, in an .npz: deflated, behind a header of each. */
static float *
truth_inflate (const char *data, const char *name, int n)
{
  size_t room = 2 << 20, got, bytes = (size_t) n * sizeof (float) + 4096;
  uint8_t *in = malloc (room), *out = malloc (bytes);
  float *truth = malloc ((size_t) n * sizeof *truth);
  z_stream z = {0};
  char path[4096];
  FILE *file;

  snprintf (path, sizeof path, "%s/stereo/%s", data, name);
  file = fopen (path, "rb");
  got = file ? fread (in, 1, room, file) : 0;
  check (got > 30);
  if (got > 30) {
    size_t skip = 30 + in[26] + 256 * in[27] + in[28] + 256 * in[29];

    z.next_in = in + skip;
    z.avail_in = (uInt) (got - skip);
    z.next_out = out;
    z.avail_out = (uInt) bytes;
    check (inflateInit2 (&z, -15) == Z_OK);
    check (inflate (&z, Z_FINISH) == Z_STREAM_END);
    inflateEnd (&z);
    memcpy (truth, out + 10 + out[8] + 256 * out[9], n * sizeof *truth);
  }
  if (file)
    fclose (file);
  free (in);
  free (out);
  return truth;
}

typedef struct {
  Picture view[2];
  float *truth;
  bool *visible; /* in both views, where the truth is known */
  int range;
} Scene;

/* Visible is what the right view's truth says too, to a pixel. */
static void
visible_by_pair (Scene *s, const float *right, double cut)
{
  int width = s->view[0].width;

  for (int i = 0; i < width * s->view[0].height; i++) {
    int x = i % width, q = (int) rint (x - s->truth[i] + cut);

    s->visible[i] = !isnan (s->truth[i]) && q >= 0 && q < width &&
        fabs (right[i - x + q] - s->truth[i]) <= 1;
  }
}

/* Visible is what nothing nearer, seen by the left view, hides. */
static void
visible_by_warp (Scene *s)
{
  int width = s->view[0].width, n = width * s->view[0].height;
  AUTO_MEMORY float *nearest = calloc (n, sizeof *nearest);

  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < n; i++) {
      int x = i % width, q;

      if (!isfinite (s->truth[i]))
        continue;
      q = (int) rint (x - s->truth[i]);
      if (q < 0 || q >= width)
        continue;
      if (!pass && s->truth[i] > nearest[i - x + q])
        nearest[i - x + q] = s->truth[i];
      if (pass)
        s->visible[i] = s->truth[i] >= nearest[i - x + q] - 1;
    }
}

#define SCENES 6 /* of the means */
#define LAUNDRY SCENES

/* Of OpenCV's semi-global matching (MODE_HH, block 3, left-right check,
 * uniqueness 10, speckles 200): the less of two versions. */
static const struct {
  const char *name;
  double lost, bad2;
} peers[SCENES + 1] = {{"Wood2", 3., .7}, {"teddy", 9.1, 3.45},
    {"cones", 6., 2.7}, {"Motorcycle", 8., 3.2}, {"Reindeer", 7.5, 2.4},
    {"Cloth3", 2., .9}, {"Laundry", 15.6, 6.9}};

static Scene
scene_read (const char *data, int i)
{
  static const struct {
    const char *folder, *left, *right, *truth[2];
    int scale, range;
  } files[] = {
      {"mb2006_Wood2", "view1", "view5", {"disp1.png", "disp5.png"}, 2, 112},
      {"mb2003_teddy", "im2", "im6", {"disp2.pgm", "disp6.pgm"}, 4, 64},
      {"mb2003_cones", "im2", "im6", {"disp2.png", "disp6.png"}, 4, 64},
      {"mb2014_Motorcycle", "motorcycle_left", "motorcycle_right",
          {"motorcycle_disp.npz", NULL}, 1, 64},
      {"mb2005_Reindeer", "view1", "view5", {"disp1.png", "disp5.png"}, 2, 112},
      {"mb2006_Cloth3", "view1", "view5", {"disp1.png", "disp5.png"}, 2, 112},
      {"mb2005_Laundry", "view1", "view5", {"disp1.png", "disp5.png"}, 3, 80}};
  Scene s = {.range = files[i].range};
  char name[200];

  for (int v = 0; v < 2; v++) {
    snprintf (name, sizeof name, "%s/%s.png", files[i].folder,
        v ? files[i].right : files[i].left);
    s.view[v] = picture_read (data, name);
  }
  s.visible =
      calloc ((size_t) s.view[0].width * s.view[0].height, sizeof (bool));
  snprintf (name, sizeof name, "%s/%s", files[i].folder, files[i].truth[0]);
  if (files[i].truth[1]) {
    AUTO_MEMORY float *right;

    s.truth = truth_read (data, name, files[i].scale);
    snprintf (name, sizeof name, "%s/%s", files[i].folder, files[i].truth[1]);
    right = truth_read (data, name, files[i].scale);
    visible_by_pair (&s, right, truth_cut (files[i].scale));
  } else {
    s.truth = truth_inflate (data, name, s.view[0].width * s.view[0].height);
    visible_by_warp (&s);
  }
  return s;
}

static void
scene_free (Scene *s)
{
  picture_free (&s->view[0]);
  picture_free (&s->view[1]);
  free (s->truth);
  free (s->visible);
}

AUTO_FREE (Scene, scene_free)

/* ---- Planes that lean, with the texture of real views: the right view is the
 * left one stretched, so that the disparity grows from pixel to pixel or from
 * row to row; windows that lean with them against upright ones ---- */

/* A pixel is the mean of this many pixels of the picture in each direction. */
#define PARTS 4
#define SLOPE_EDGE 16
#define SLOPE_LEAST (-32) /* disparities */
#define SLOPE_MOST 64
#define SLOPE_MIDDLE 4.3

/* A sample of the mean grey level @grey, from a sensor of 8 bits. */
static uint16_t
noisy (double grey, double noise)
{
  if (noise > 0) {
    double u = (rnd (1 << 24) + 1) / 16777217., v = rnd (1 << 24) / 16777216.;

    grey = rint (grey + noise * sqrt (-2 * log (u)) * cos (2 * M_PI * v));
  }
  grey = grey < 0 ? 0 : grey > 255 ? 255 : grey;
  return (uint16_t) rint (16 * grey);
}

static double
grey_between (const Picture *p, double x, int y)
{
  double last = p->width - 1.001, at = x < 0 ? 0 : x > last ? last : x;
  const uint8_t *grey = &p->grey[(size_t) y * p->width + (int) at];

  return grey[0] + (at - floor (at)) * (grey[1] - grey[0]);
}

typedef struct {
  double across, down; /* pixels by which the disparity grows a pixel */
} Slope;

/* Of the left view's pixel. */
static double
slope_at (const Pair *p, Slope s, double x, int y)
{
  return SLOPE_MIDDLE + s.across * (x - p->width / 2) +
      s.down * (y - p->height / 2);
}

/* What the right view shows at x, the left one shows at (x + d (0)) / (1 -
 * across). */
static void
draw_slope (Pair *p, const Picture *from, Slope s, double noise)
{
  for (int v = 0; v < 2; v++)
    for (int y = 0; y < p->height; y++)
      for (int x = 0; x < p->width; x++) {
        double sum = 0;

        for (int i = 0; i < PARTS * PARTS; i++) {
          double at = x + (i % PARTS + .5) / PARTS - .5;

          if (v)
            at = (at + slope_at (p, s, 0, y)) / (1 - s.across);
          sum += grey_between (
              from, PARTS * at + (PARTS - 1) / 2., PARTS * y + i / PARTS);
        }
        *pair_at (p, v, x, y) = noisy (sum / (PARTS * PARTS), noise);
      }
}

/* Adds the squares of errors of at most a pixel, where both views show the
 * plane. */
static int
add_slope_errors (const PocstereoMatch *m, const Pair *p, Slope s, double *sum)
{
  int n = 0;

  for (int y = SLOPE_EDGE; y < p->height - SLOPE_EDGE; y++)
    for (int x = SLOPE_EDGE; x < p->width - SLOPE_EDGE; x++) {
      double truth = slope_at (p, s, x, y);
      double error = disparity_of (m[y * p->width + x]) - truth;
      bool seen = x - truth >= SLOPE_EDGE && x - truth < p->width - SLOPE_EDGE;

      if (!seen || !(fabs (error) <= 1))
        continue;
      *sum += error * error;
      n++;
    }
  return n;
}

/* The root mean squares of errors in all of @names, without and with
 * windows that lean. */
static void
slope_errors (DeviceKind kind, const char *const *names, int n_names, Slope s,
    double rms[2])
{
  const char *data = getenv ("VISION_TEST_DATA");
  PocstereoParams params = pocstereo_dense_defaults ();
  double sum[2] = {0};
  int n[2] = {0};

  params.min_disparity = SLOPE_LEAST;
  params.max_disparity = SLOPE_MOST;
  for (int i = 0; i < n_names; i++) {
    AUTO (Picture) from = picture_read (data, names[i]);
    AUTO (Pair) pair = pair_new (from.width / PARTS, from.height / PARTS, 0);

    draw_slope (&pair, &from, s, 1);
    for (int slant = 0; slant < 2; slant++) {
      AUTO_MEMORY PocstereoMatch *m;

      params.slant = slant;
      m = pair_match (kind, &params, &pair, NULL, 0);
      n[slant] += add_slope_errors (m, &pair, s, &sum[slant]);
    }
  }
  for (int slant = 0; slant < 2; slant++)
    rms[slant] = sqrt (sum[slant] / n[slant]);
}

/* Windows that lean are never worse, and better by far where much leans. */
static void
test_slopes (DeviceKind kind, const char *const *names, int n_names)
{
  static const double slopes[] = {0, .05, .2};

  for (int down = 0; down < 2; down++)
    for (int i = 0; i < 3; i++) {
      double rms[2];

      slope_errors (kind, names, n_names,
          (Slope){down ? 0 : slopes[i], down ? slopes[i] : 0}, rms);
      printf ("| %s, slope %g | upright %.3f | slanted %.3f |\n",
          down ? "down" : "across", slopes[i], rms[0], rms[1]);
      check (rms[1] <= 1.02 * rms[0]);
      if (slopes[i] >= .2)
        check (rms[1] <= .7 * rms[0]);
    }
}

/* ---- Errors of the pairs ---- */

static uint16_t
darker (uint16_t sample)
{
  return (uint16_t) (16 * rint (255 * pow (sample / 4080., 1.6) * .8 + 12));
}

typedef struct {
  double density, bad[2], rms;
  double lost; /* of all known: without a match, or off by more than a pixel */
  double near; /* the same of errors of at most a pixel */
} Score;

static Score
score_of_matches (const Scene *s, const PocstereoMatch *m)
{
  int n = s->view[0].width * s->view[0].height, known = 0, found = 0;
  int near = 0;
  Score score = {0};

  for (int i = 0; i < n; i++) {
    double error = disparity_of (m[i]) - s->truth[i];

    known += s->visible[i];
    if (!s->visible[i] || isnan (error))
      continue;
    found++;
    score.bad[0] += fabs (error) > 1;
    score.bad[1] += fabs (error) > 2;
    score.rms += error * error;
    if (fabs (error) > 1)
      continue;
    near++;
    score.near += error * error;
  }
  score.density = 100. * found / known;
  score.lost = 100. * (known - found + score.bad[0]) / known;
  score.bad[0] *= 100. / found;
  score.bad[1] *= 100. / found;
  score.rms = sqrt (score.rms / found);
  score.near = sqrt (score.near / near);
  return score;
}

static Score
score_of (DeviceKind kind, const Scene *s, const PocstereoParams *p, bool dark)
{
  int n = s->view[0].width * s->view[0].height;
  AUTO (Pair) pair = pair_new (s->view[0].width, s->view[0].height, 0);
  PocstereoMatch *m;
  Score score;

  for (int i = 0; i < n; i++) {
    pair.view[0][i] = s->view[0].sample[i];
    pair.view[1][i] =
        dark ? darker (s->view[1].sample[i]) : s->view[1].sample[i];
  }
  m = pair_match (kind, p, &pair, NULL, 0);
  score = score_of_matches (s, m);
  free (m);
  return score;
}

/* The last of @frames frames that show the same with other noise. */
static Score
score_still (DeviceKind kind, const Scene *s, const PocstereoParams *p,
    int frames, double noise)
{
  AUTO (Pair) pair = pair_new (s->view[0].width, s->view[0].height, 0);
  Score score = {0};
  Pocstereo *self;
  AUTO (Device) dev = device_of (kind);

  ok (pocstereo_new (&self, &dev, pair.width, pair.height));
  for (int f = 0; f < frames; f++) {
    AUTO_MEMORY PocstereoMatch *m;

    for (int v = 0; v < 2; v++)
      for (int i = 0; i < pair.width * pair.height; i++)
        pair.view[v][i] = noisy (s->view[v].grey[i], noise);
    m = pair_match_on (self, &dev, p, &pair, NULL, 0);
    if (f == frames - 1)
      score = score_of_matches (s, m);
  }
  pocstereo_free (self);
  return score;
}

static void
print_score (const char *name, Score s)
{
  printf ("| %s | %.1f | %.2f | %.2f | %.2f | %.2f | %.3f |\n", name, s.density,
      s.bad[0], s.bad[1], s.lost, s.rms, s.near);
}

static void
add_score (Score *mean, Score s)
{
  mean->lost += s.lost / SCENES;
  mean->density += s.density / SCENES;
  mean->bad[0] += s.bad[0] / SCENES;
  mean->bad[1] += s.bad[1] / SCENES;
  mean->rms += s.rms / SCENES;
  mean->near += s.near / SCENES;
}

/* The mean over all scenes; each one's in @of, if not NULL. */
static Score
score_all (DeviceKind kind, const char *name, const PocstereoParams *params,
    bool dark, Score *of)
{
  const char *data = getenv ("VISION_TEST_DATA");
  Score mean = {0};

  printf ("%s\n", name);
  for (int i = 0; i < SCENES; i++) {
    AUTO (Scene) s = scene_read (data, i);
    PocstereoParams p = *params;
    Score score;

    p.max_disparity = s.range;
    score = score_of (kind, &s, &p, dark);
    print_score (peers[i].name, score);
    add_score (&mean, score);
    if (of)
      of[i] = score;
  }
  print_score ("mean", mean);
  return mean;
}

static void
test_pairs (DeviceKind kind)
{
  PocstereoParams p = pocstereo_dense_defaults ();
  PocstereoParams paper = pocstereo_points_defaults ();
  Score each[SCENES];
  Score mean = score_all (kind, "dense", &p, false, each);
  Score dark = score_all (kind, "dense, the right view darker", &p, true, NULL);
  Score slanted;

  for (int i = 0; i < SCENES; i++) {
    check (each[i].lost <= peers[i].lost);
    check (each[i].bad[1] <= peers[i].bad2);
  }
  check (mean.density >= 98);
  check (mean.lost <= 4.6 && mean.bad[1] <= 1.8);
  check (dark.bad[0] <= mean.bad[0] + .5);
  p.slant = true;
  slanted = score_all (kind, "dense, slanted windows", &p, false, NULL);
  check (slanted.density >= mean.density && slanted.lost <= 4.6);
  p.slant = false;
  p.left_right = false;
  p.min_peak = .2;
  mean = score_all (kind, "fast", &p, false, NULL);
  check (mean.lost <= 4.5 && mean.bad[1] <= 2.5);
  p.min_peak = 0;
  p.speckle_size = 0;
  paper.fit = POCSTEREO_CLOSED_FORM;
  score_all (kind, "dense, nothing left out", &p, false, NULL);
  score_all (
      kind, "the paper's windows, nothing left out", &paper, false, NULL);
}

/* Thin bars before something else, and large surfaces without texture. */
static void
test_laundry (DeviceKind kind)
{
  AUTO (Scene) s = scene_read (getenv ("VISION_TEST_DATA"), LAUNDRY);
  PocstereoParams p = pocstereo_dense_defaults ();
  Score score;

  p.max_disparity = s.range;
  for (int paths = 0; paths < 2; paths++) {
    p.paths = paths;
    score = score_of (kind, &s, &p, false);
    print_score (paths ? peers[LAUNDRY].name : "Laundry without paths", score);
  }
  check (score.lost <= peers[LAUNDRY].lost && score.bad[1] <= 8.6);
}

/* What `average` gains on scenes that stand still, with noise of 5 grey
 * levels. */
static void
test_means (DeviceKind kind)
{
  const char *data = getenv ("VISION_TEST_DATA");
  Score one = {0}, mean = {0};

  for (int i = 0; i < SCENES; i++) {
    PocstereoParams p = pocstereo_dense_defaults ();
    AUTO (Scene) s = scene_read (data, i);
    Score alone, averaged;

    p.max_disparity = s.range;
    p.fill = p.smooth = false; /* which hide what is gained */
    alone = score_still (kind, &s, &p, 1, 5);
    p.average = 8;
    averaged = score_still (kind, &s, &p, 8, 5);
    print_score (peers[i].name, alone);
    print_score ("means of 8 frames", averaged);
    check (averaged.density > alone.density && averaged.bad[0] < alone.bad[0]);
    add_score (&one, alone);
    add_score (&mean, averaged);
  }
  print_score ("mean", one);
  print_score ("means of 8 frames", mean);
  check (mean.density > one.density + 4 && mean.bad[0] < .8 * one.bad[0]);
}

/* ---- A view moved by parts of a pixel: means of 4 x 4 of its pixels ---- */

#define BORDER 24

static void
draw_moved (Pair *pair, const Picture *from, int parts, double noise)
{
  for (int v = 0; v < 2; v++)
    for (int y = 0; y < pair->height; y++)
      for (int x = 0; x < pair->width; x++) {
        double sum = 0;

        for (int i = 0; i < PARTS * PARTS; i++)
          sum += from->grey[(PARTS * y + i / PARTS) * from->width + PARTS * x +
              i % PARTS + v * parts];
        *pair_at (pair, v, x, y) = noisy (sum / (PARTS * PARTS), noise);
      }
}

typedef struct {
  double sum2; /* of errors of the best 70 % by their peak */
  int n, right, within;
} Errors;

static int
compare_peaks (const void *a, const void *b)
{
  return *(const uint16_t *) a - *(const uint16_t *) b;
}

static void
add_errors (Errors *e, const PocstereoMatch *m, const Pair *p, double truth)
{
  AUTO_MEMORY uint16_t *peak =
      malloc ((size_t) p->width * p->height * sizeof *peak);
  int n = 0, low = 0;

  for (int pass = 0; pass < 2; pass++) {
    for (int y = 16; y < p->height - 16; y += 2)
      for (int x = BORDER; x < p->width - BORDER; x += 2) {
        PocstereoMatch match = m[y * p->width + x];
        double error = fabs (disparity_of (match) - truth);

        if (!pass)
          peak[n++] = match.peak;
        if (!pass || !(error < .5))
          continue;
        e->right++;
        e->within += error <= match.sigma / (double) POCSTEREO_SIGMA;
        if (match.peak < low)
          continue;
        e->sum2 += error * error;
        e->n++;
      }
    qsort (peak, n, sizeof *peak, compare_peaks);
    low = peak[n * 3 / 10];
  }
}

/* What is matched: a grid of points, or every pixel. */
typedef struct {
  const char *name;
  PocstereoParams params;
  bool every_pixel;
} Way;

/* The matches of the pixels that add_errors () reads. */
static PocstereoMatch *
match_moved (DeviceKind kind, const Way *way, Pair *pair)
{
  size_t n = (size_t) pair->width * pair->height;
  AUTO_MEMORY PocstereoPoint *points = malloc (n * sizeof *points);
  AUTO_MEMORY PocstereoMatch *found = NULL;
  PocstereoMatch *m;
  int asked = 0;

  if (way->every_pixel)
    return pair_match (kind, &way->params, pair, NULL, 0);
  for (int y = 16; y < pair->height - 16; y += 2)
    for (int x = BORDER; x < pair->width - BORDER; x += 2)
      points[asked++] = (PocstereoPoint){x, y};
  found = pair_match (kind, &way->params, pair, points, asked);
  m = calloc (n, sizeof *m);
  for (int i = 0; i < asked; i++)
    m[points[i].y * pair->width + points[i].x] = found[i];
  return m;
}

/* Adds the errors of the view @name.  Without noise, whole shifts make both
 * views equal: they count for the error and not for sigma. */
static void
add_moved (DeviceKind kind, const char *name, const Way *way, double noise,
    bool wholes, Errors *e)
{
  AUTO (Picture) from = picture_read (getenv ("VISION_TEST_DATA"), name);
  AUTO (Pair) pair =
      pair_new ((from.width - 2 * PARTS) / PARTS, from.height / PARTS, 0);

  for (int parts = 0; parts <= 2 * PARTS; parts++) {
    AUTO_MEMORY PocstereoMatch *m = NULL;

    if (!wholes && parts % PARTS == 0)
      continue;
    draw_moved (&pair, &from, parts, noise);
    m = match_moved (kind, way, &pair);
    add_errors (e, m, &pair, parts / (double) PARTS);
  }
}

#define VIEWS 3
static const char *const moved_names[VIEWS] = {
    "mb2014_Motorcycle/motorcycle_left.png", "mb2006_Cloth3/view1.png",
    "mb2005_Reindeer/view1.png"};
/* Did not set the constants. */
static const char *const unseen[VIEWS] = {"mb2003_cones/im6.png",
    "mb2014_Motorcycle/motorcycle_right.png", "mb2006_Cloth3/view5.png"};

static const double noises[] = {0, 1, 3, 5};

/* The root mean square of errors in all of @names, at most @most; the greatest
 * one of a view. */
static void
check_moved (DeviceKind kind, const Way *way, const char *const *names,
    double noise, double most)
{
  Errors all = {0};
  double worst = 0, rms;

  for (int i = 0; i < VIEWS; i++) {
    Errors e = {0};

    add_moved (kind, names[i], way, noise, true, &e);
    worst = fmax (worst, sqrt (e.sum2 / e.n));
    all.sum2 += e.sum2;
    all.n += e.n;
  }
  rms = sqrt (all.sum2 / all.n);
  printf ("| %s%s, noise %g | %.4f, worst view %.4f |\n", way->name,
      names == unseen ? ", unseen" : "", noise, rms, worst);
  check (rms <= most);
}

static void
check_sigma (DeviceKind kind, const Way *way, double noise)
{
  Errors e = {0};
  double within;

  for (int i = 0; i < VIEWS; i++)
    add_moved (kind, unseen[i], way, noise, false, &e);
  within = 100. * e.within / e.right;
  printf ("| %s, noise %g | %.1f %% |\n", way->name, noise, within);
  check (within >= 56 && within <= 78);
}

static void
test_moved (DeviceKind kind)
{
  static const double most[][4] = {
      {.01, .02, .036, .055}, {.025, .03, .048, .068}};
  PocstereoParams points = pocstereo_points_defaults ();
  PocstereoParams dense = pocstereo_dense_defaults ();
  Way ways[] = {{"points, 32 x 15", points, false},
      {"the same, closed form", points, false},
      {"points, 16 x 11", points, false}, {"every pixel, 32 x 15", dense, true},
      {"every pixel, 16 x 11", dense, true}};

  ways[1].params.fit = POCSTEREO_CLOSED_FORM;
  ways[2].params.window = 16;
  ways[2].params.lines = 11;
  ways[2].params.bandwidth = 6;
  ways[3].params.window = 32;
  ways[3].params.lines = 15;
  ways[3].params.bandwidth = 12;
  for (int k = 0; k < 5; k++) {
    ways[k].params.min_disparity = -4;
    ways[k].params.max_disparity = 8;
    for (int i = 0; i < 4; i++) {
      if (k < 2)
        check_moved (kind, &ways[k], moved_names, noises[i], most[k][i]);
      if (k < 1)
        check_moved (kind, &ways[k], unseen, noises[i], 1);
      check_sigma (kind, &ways[k], noises[i]);
    }
  }
}

static void
test_leaning (DeviceKind kind)
{
  test_slopes (kind, moved_names, 3);
}

static const CheckPart on_each[] = {{"pairs", test_pairs},
    {"Laundry", test_laundry}, {"means of frames", test_means},
    {"moved", test_moved}, {"slopes", test_leaning}, {NULL, NULL}};

int
main (int argc, char **argv)
{
  if (!getenv ("VISION_TEST_DATA")) {
    printf ("SKIP: VISION_TEST_DATA is not set\n");
    return 77;
  }
  if (argc > 1 && !strcmp (argv[1], "--pairs")) { /* pocstereo_constants.py */
    PocstereoParams p = pocstereo_dense_defaults ();

    score_all (DEVICE_CPU, "dense", &p, false, NULL);
    return check_failures != 0;
  }
  return check_main (argc, argv, on_each, NULL, NULL);
}
