/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The methods of moct against a plain loop over the pixels and against each
 * other; the paper's levels against values worked by hand.  --bench prints the
 * paper's curves. */
#include "seconds.h"
#include "frames.h"
#include "common/parallel.h"
#include "moct/paper/pyramid_core.h"
#include "moct/moct_table.h"

/* ---- Sums by each method ---- */

/* The paper's methods one step below moct_run(), on sums, before tracking; the
 * same sums by a plain loop; random frames for both.  Colours are boxes of
 * stored components, which that loop can test without any of moct's code. */

/* What pyramid and per-object work on, made for one frame. */
typedef struct {
  Device dev;
  MoctWork work;
  MoctTables *tables;
  void *memory;
} Rig;

static MoctParams
sums_params (const MoctColour *colours, int n)
{
  return (MoctParams){.colours = colours,
      .n_colours = n,
      .exact = true,
      .reduction_factor = 40,
      .min_area = 1,
      .max_area = UINT64_MAX,
      .max_objects = 1,
      .region = {0, 0, 32768, 32768},
      .appear_frames = 1,
      .lose_frames = 3};
}

/* A box of the components that frames of @format store. */
static MoctColour
box_colour (ImageFormat format, const uint8_t lo[3], const uint8_t hi[3])
{
  bool yuv = image_is_yuv (format) || format <= IMAGE_GRAY16;
  MoctColour c = {.space = yuv ? MOCT_YUV : MOCT_RGB};

  for (int i = 0; i < 3; i++)
    c.lo[i] = lo[i], c.hi[i] = hi[i];
  return c;
}

/* @rig stays where it is until it is closed. */
static void
rig_open (Rig *rig, DeviceKind kind, const MoctParams *p, const Frame *f,
    const ImageBox *windows)
{
  size_t bytes = p->n_colours * sizeof *windows;
  MoctWork *w = &rig->work;

  *rig = (Rig){.work = {.n_colours = p->n_colours,
                   .min_area = p->min_area,
                   .max_area = p->max_area}};
  ok (device_open (&rig->dev, kind, NULL));
  w->frame = frame_to_device (f, &rig->dev, &rig->memory);
  ok (moct_tables_new (&rig->tables, &rig->dev));
  ok (moct_tables_get (rig->tables, p, &f->image, &w->table));
  ok (device_alloc (&rig->dev, (void **) &w->windows, bytes));
  ok (device_alloc_pinned (&rig->dev, (void **) &w->result,
      sizeof *w->result + p->n_colours * sizeof w->result->blobs[0]));
  ok (device_copy (&rig->dev, (void *) w->windows, windows, bytes));
  ok (device_wait (&rig->dev));
}

static void
rig_close (Rig *rig)
{
  ok (device_wait (&rig->dev));
  device_release (&rig->dev, rig->work.texels);
  device_release (&rig->dev, (void *) rig->work.windows);
  device_release_pinned (&rig->dev, rig->work.result);
  device_release (&rig->dev, rig->memory);
  moct_tables_free (rig->tables);
  device_close (&rig->dev);
}

AUTO_FREE (Rig, rig_close)

typedef struct {
  MoctMethod method;
  MoctLayout layout;
  int factor;
} Way;

static const Way ways[] = {{MOCT_FUSED, 0, 0}, {MOCT_PER_OBJECT, 0, 0},
    {MOCT_PYRAMID, MOCT_VERTICAL, 2}, {MOCT_PYRAMID, MOCT_VERTICAL, 3},
    {MOCT_PYRAMID, MOCT_VERTICAL, 40}, {MOCT_PYRAMID, MOCT_VERTICAL, 1000},
    {MOCT_PYRAMID, MOCT_HORIZONTAL, 2}, {MOCT_PYRAMID, MOCT_HORIZONTAL, 3},
    {MOCT_PYRAMID, MOCT_HORIZONTAL, 40}, {MOCT_PYRAMID, MOCT_HORIZONTAL, 1000},
    {MOCT_PYRAMID, MOCT_SQUARE, 2}, {MOCT_PYRAMID, MOCT_SQUARE, 3},
    {MOCT_PYRAMID, MOCT_SQUARE, 40}, {MOCT_PYRAMID, MOCT_SQUARE, 1000},
    {MOCT_PYRAMID, MOCT_SQUARE, 65536}};
#define N_WAYS (int) (sizeof ways / sizeof *ways)
#define FIRST_OF_PAPER 1 /* ways from here on have no fragments */

/* Stored components of a pixel, told apart by format and nothing else. */
static void
stored (const Image *img, int x, int y, int c[3])
{
  const uint8_t *p = img->plane[0] + (size_t) y * img->stride[0];
  const uint8_t *q = NULL, *r = NULL;
  const uint8_t *rgb = p + x * (img->format <= IMAGE_BGR ? 3 : 4);

  if (img->plane[1])
    q = img->plane[1] + (size_t) (y / 2) * img->stride[1];
  if (img->plane[2])
    r = img->plane[2] + (size_t) (y / 2) * img->stride[2];
  c[0] = p[x], c[1] = c[2] = 128;
  if (img->format == IMAGE_GRAY16)
    c[0] = p[2 * x + 1];
  if (img->format == IMAGE_RGB || img->format == IMAGE_RGBA)
    c[0] = rgb[0], c[1] = rgb[1], c[2] = rgb[2];
  if (img->format == IMAGE_BGR || img->format == IMAGE_BGRA)
    c[0] = rgb[2], c[1] = rgb[1], c[2] = rgb[0];
  if (img->format == IMAGE_NV12)
    c[1] = q[x / 2 * 2], c[2] = q[x / 2 * 2 + 1];
  if (img->format == IMAGE_I420)
    c[1] = q[x / 2], c[2] = r[x / 2];
  if (img->format == IMAGE_YUY2)
    c[0] = p[2 * x], c[1] = p[x / 2 * 4 + 1], c[2] = p[x / 2 * 4 + 3];
  if (img->format == IMAGE_P010)
    c[0] = p[2 * x + 1], c[1] = q[x / 2 * 4 + 1], c[2] = q[x / 2 * 4 + 3];
}

/* The sums, plainly. */
static void
sum_pixels (
    const MoctParams *p, const Frame *f, const ImageBox *windows, MoctSum *sums)
{
  memset (sums, 0, p->n_colours * sizeof *sums);
  for (int y = 0; y < f->image.height; y++)
    for (int x = 0; x < f->image.width; x++) {
      const MoctColour *m = p->colours;
      int c[3], k;

      stored (&f->image, x, y, c);
      for (k = 0; k < p->n_colours; k++, m++)
        if (c[0] >= m->lo[0] && c[0] <= m->hi[0] && c[1] >= m->lo[1] &&
            c[1] <= m->hi[1] && c[2] >= m->lo[2] && c[2] <= m->hi[2])
          break;
      if (k == p->n_colours || x < windows[k].x0 || x >= windows[k].x1 ||
          y < windows[k].y0 || y >= windows[k].y1)
        continue;
      MoctSum *s = &sums[k];
      ImageBox before = s->box;

      s->box = (ImageBox){x, y, x + 1, y + 1};
      if (s->n) {
        s->box.x0 = before.x0 < x ? before.x0 : x;
        s->box.x1 = before.x1 > x + 1 ? before.x1 : x + 1;
        s->box.y0 = before.y0;
      }
      s->n++, s->x += x, s->y += y;
      s->xx += (uint64_t) x * x, s->xy += (uint64_t) x * y;
      s->yy += (uint64_t) y * y;
    }
  for (int k = 0; k < p->n_colours; k++)
    if (sums[k].n < p->min_area || sums[k].n > p->max_area)
      memset (&sums[k], 0, sizeof *sums);
}

/* The sums as @way reports them; 0 where it reports none. */
static void
sum_by (Rig *rig, const Way *way, MoctSum *sums)
{
  const MoctStages *stages = STAGES (moct, &rig->dev);
  bool pyramid = way->method == MOCT_PYRAMID;
  MoctWork *w = &rig->work;
  size_t n;

  w->layout = way->layout;
  w->reduction_factor = way->factor;
  n = pyramid ? moct_pyramid_texels (w) : moct_per_object_texels (w);
  device_release (&rig->dev, w->texels);
  ok (device_alloc (&rig->dev, (void **) &w->texels, n * sizeof *w->texels));
  w->result->n_overflow = 99;
  ok ((pyramid ? stages->pyramid : stages->per_object) (&rig->dev, w));
  ok (device_wait (&rig->dev));

  memset (sums, 0, w->n_colours * sizeof *sums);
  check (w->result->n_overflow == 0);
  check (w->result->n_blobs <= (uint32_t) w->n_colours);
  for (uint32_t i = 0; i < w->result->n_blobs; i++) {
    const MoctBlob *blob = &w->result->blobs[i];

    check (blob->cls > 0 && blob->cls <= w->n_colours && blob->sum.n > 0);
    check (sums[blob->cls - 1].n == 0);
    sums[blob->cls - 1] = blob->sum;
  }
}

#define MAX_COLOURS 64

typedef struct {
  Frame frame;
  MoctColour colours[MAX_COLOURS];
  ImageBox windows[MAX_COLOURS];
  MoctParams params;
} Scene;

/* Windows lie anywhere, some of them outside the frame, some inside out. */
static void
random_scene (Scene *s, int max_width, int max_height)
{
  int w = 1 + rnd (max_width), h = 1 + rnd (max_height);
  ImageFormat format = all_formats[rnd (N_FORMATS)];
  uint8_t block[3] = {rnd (256), rnd (256), rnd (256)};

  s->frame = frame_new (format, w, h, rnd (20), rnd (2) ? 16 : 1);
  frame_randomise (&s->frame);
  frame_fill (&s->frame, (ImageBox){w / 4, h / 3, w / 2, h}, block);
  s->params = sums_params (s->colours, 1 + rnd (rnd (3) ? 7 : MAX_COLOURS));
  for (int k = 0; k < s->params.n_colours; k++) {
    uint8_t lo[3], hi[3];
    int x = (int) rnd (2 * w) - w / 2, y = (int) rnd (2 * h) - h / 2;

    for (int i = 0; i < 3; i++) {
      lo[i] = rnd (256);
      hi[i] = lo[i] + rnd (256 - lo[i]);
    }
    s->colours[k] = box_colour (format, lo, hi);
    s->windows[k] = (ImageBox){0, 0, w, h};
    if (rnd (2))
      s->windows[k] = (ImageBox){
          x, y, x + (int) rnd (2 * w) - w / 8, y + (int) rnd (2 * h) - h / 8};
  }
  if (rnd (3) == 0)
    s->params.min_area = rnd (200), s->params.max_area = 100 + rnd (2000);
}

/* ---- Levels ---- */

/* The paper's textures: where texels lie, what is left of them from level to
 * level, how many are read. */

static void
check_texel (const MoctLevel *l, MoctTexel t, size_t at)
{
  MoctTexel back = moct_texel_of (l, (unsigned) at);

  check (moct_texel_at (l, t) == at);
  check (back.cx == t.cx && back.cy == t.cy && back.i == t.i);
}

/* Figure 2's layouts of 640 x 480 pixels and 32 objects, and what is left of
 * them from level to level. */
static void
test_levels (DeviceKind kind)
{
  static const int cells[3][5][2] = {{{640, 15}, {16, 15}, {1, 15}, {1, 1}},
      {{20, 480}, {20, 12}, {20, 1}, {1, 1}},
      {{107, 80}, {3, 80}, {1, 80}, {1, 2}, {1, 1}}};
  static const size_t texels[3] = {640 * 480, 640 * 480, 642 * 480};
  static const size_t at[3] = {(2 * 32 + 31) * 640 + 3, 2 * 640 + 3 * 32 + 31,
      (2 * 6 + 5) * 642 + 3 * 6 + 1};
  MoctWork w = {.frame = {.width = 640, .height = 480},
      .n_colours = 32,
      .reduction_factor = 40};

  for (int layout = 0; layout < 3; layout++) {
    unsigned long long reads = 0;
    MoctLevel l;

    w.layout = layout;
    l = moct_base (&w);
    check (moct_level_texels (&l) == texels[layout]);
    check_texel (&l, (MoctTexel){3, 2, 31}, at[layout]);
    for (int i = 0; l.cells_x * l.cells_y > 1; i++) {
      check (l.cells_x == cells[layout][i][0]);
      check (l.cells_y == cells[layout][i][1]);
      reads += 32 * (unsigned) (l.cells_x * l.cells_y);
      l = moct_above (&w, &l);
    }
    check (moct_pyramid_reads (&w) == reads);
  }
  w.layout = MOCT_VERTICAL; /* the frame's sides cut the last cells */
  w.frame.width = 653;
  w.frame.height = 487;
  check (moct_base (&w).cells_x == 653 && moct_base (&w).cells_y == 16);
  w.layout = MOCT_SQUARE;
  check (moct_base (&w).cells_x == 109 && moct_base (&w).cells_y == 82);
  w.n_colours = 36; /* a square itself: no texel is left over */
  check (moct_base (&w).width == 6);
}

/* Equations (1) and (2): 307200 <= 32 * 40^3; a power of r needs no more than
 * its levels; a single step reads n * r; one cell reads nothing. */
static void
test_bound (DeviceKind kind)
{
  MoctWork w = {.frame = {.width = 64, .height = 27},
      .n_colours = 27,
      .reduction_factor = 4};

  check (moct_pyramid_bound (307200, 32, 40) ==
      32ull * (40 * 40 * 40 + 40 * 40 + 40));
  check (moct_pyramid_bound (64 * 27, 27, 4) == 27 * (64 + 16 + 4));
  check (moct_pyramid_reads (&w) == 27 * (64 + 16 + 4));
  check (moct_pyramid_bound (32 * 40, 32, 40) == 32 * 40);
  check (moct_pyramid_bound (32, 32, 40) == 0);
}

/* More memory than a method may have is refused before anything is touched. */
static void
test_too_large (DeviceKind kind)
{
  MoctWork w = {.frame = {.width = 32768, .height = 32768},
      .n_colours = 2,
      .reduction_factor = 2};
  AUTO (Device) dev = device_of (kind);
  const char *err;

  check (moct_pyramid_texels (&w) == 0 && moct_per_object_texels (&w) == 0);
  err = STAGES (moct, &dev)->pyramid (&dev, &w);
  check (err && strstr (err, "use method=fused"));
  err = STAGES (moct, &dev)->per_object (&dev, &w);
  check (err && strstr (err, "use method=fused"));
}

/* ---- Benchmark ---- */

/* The paper's curves as lines of comma-separated values: figure 7, time over
 * the number of objects; figure 8, time over the reduction factor for each
 * layout, with the texels read and equation (1)'s bound beside.
 * docs/plots/moct.py draws them.
 *
 * Times of a GPU are the device's, of RGBA frames queued back to back that
 * together do not fit into its cache; those of the CPU are the processor's time
 * of all threads, which other programs do not lengthen. */

#define BENCH_BYTES (80 << 20)
#define BENCH_COPIES 80
#define BENCH_BATCHES 7
#define BENCH_SECONDS .04 /* of a batch, about */
#define BENCH_MAX_N 128

typedef struct {
  Device dev;
  DeviceTimer timer;
  const char *name;
  int width, height, copies;
  Image there[BENCH_COPIES];
  void *memory[BENCH_COPIES];
  MoctColour colours[BENCH_MAX_N];
  Moct *moct;
} Bench;

/* A grey frame with a rectangle of each of @n colours. */
static Frame
bench_frame (int width, int height, MoctColour *colours, int n)
{
  Frame f = frame_new (IMAGE_RGBA, width, height, 0, 64);
  int w = width / 16, h = height / 8;

  frame_fill (&f, (ImageBox){0, 0, width, height}, (uint8_t[]){200, 200, 200});
  for (int k = 0; k < n; k++) {
    uint8_t lo[3] = {k % 8 * 32, k / 8 % 8 * 32, k / 64 * 64}, hi[3], c[3];
    int x = k % 16 * w, y = k / 16 * h;

    for (int i = 0; i < 3; i++)
      hi[i] = lo[i] + 31, c[i] = lo[i] + 13;
    colours[k] = box_colour (IMAGE_RGBA, lo, hi);
    frame_fill (&f, (ImageBox){x, y, x + w / 2, y + h / 2}, c);
  }
  return f;
}

static void
bench_open (Bench *b, DeviceKind kind, int width, int height, int n)
{
  AUTO (Frame) f;

  *b = (Bench){.name = kind == DEVICE_CUDA ? "cuda" : "cpu",
      .width = width,
      .height = height};
  f = bench_frame (width, height, b->colours, n);
  ok (device_open (&b->dev, kind, NULL));
  b->copies = kind == DEVICE_CUDA ? BENCH_BYTES / (int) f.bytes + 1 : 1;
  for (int i = 0; i < b->copies; i++)
    b->there[i] = frame_to_device (&f, &b->dev, &b->memory[i]);
  ok (moct_new (&b->moct, &b->dev, width, height, 0));
}

static void
bench_close (Bench *b)
{
  moct_free (b->moct);
  for (int i = 0; i < b->copies; i++)
    device_release (&b->dev, b->memory[i]);
  device_timer_free (&b->timer);
  device_close (&b->dev);
}

AUTO_FREE (Bench, bench_close)

/* Seconds that @frames take, queued one behind the other. */
static double
bench_batch (Bench *b, const MoctParams *p, int frames)
{
  double seconds = 0, start = cpu_seconds ();

  if (b->dev.kind == DEVICE_CPU) {
    for (int i = 0; i < frames; i++)
      ok (moct_queue (b->moct, p, &b->there[0]));
    return cpu_seconds () - start;
  }
  ok (device_timer_begin (&b->dev, &b->timer));
  for (int i = 0; i < frames; i++)
    ok (moct_queue (b->moct, p, &b->there[i % b->copies]));
  ok (device_timer_end (&b->dev, &b->timer, &seconds));
  return seconds;
}

/* Microseconds a frame: the median of batches of up to 400 frames. */
static double
bench_time (Bench *b, const MoctParams *p)
{
  int batches = b->dev.kind == DEVICE_CUDA ? BENCH_BATCHES : 3, frames = 1;
  double once, t[BENCH_BATCHES];

  bench_batch (b, p, 1);
  once = bench_batch (b, p, 1);
  if (once < BENCH_SECONDS)
    frames = once * 400 < BENCH_SECONDS ? 400 : (int) (BENCH_SECONDS / once);
  for (int i = 0; i < batches; i++)
    t[i] = 1e6 * bench_batch (b, p, frames) / frames;
  return bench_median (t, batches);
}

/* ---- The paper's texel: a count and two sums, without second moments ---- */

/* 16 bytes where a MoctSum has 64; the fourth number is the paper's alpha. */
typedef struct {
  uint32_t n, x, y, id;
} LeanTexel;

typedef struct {
  const MoctWork *w;
  const MoctLevel *below, *level;
  LeanTexel *texels;
} LeanPass;

static void
lean_sweep (void *data, int begin, int end)
{
  const LeanPass *pass = data;
  const MoctWork *w = pass->w;

  for (int at = begin; at < end; at++) {
    MoctTexel t = moct_texel_of (pass->level, (unsigned) at);
    int x0 = t.cx * pass->level->width, y0 = t.cy * pass->level->height;
    LeanTexel sum = {.id = (uint32_t) t.i};

    if (t.i >= pass->level->n)
      continue;
    for (int y = y0; y < y0 + pass->level->height && y < w->frame.height; y++) {
      ImageRow row = image_row (&w->frame, y);

      for (int x = x0; x < x0 + pass->level->width && x < w->frame.width; x++)
        if (moct_counts (w, t.i, &w->windows[t.i], &row, x, y)) {
          sum.n++;
          sum.x += (uint32_t) x;
          sum.y += (uint32_t) y;
        }
    }
    pass->texels[pass->level->first + (size_t) at] = sum;
  }
}

static void
lean_gather (void *data, int begin, int end)
{
  const LeanPass *pass = data;
  const MoctLevel *below = pass->below;
  bool along_x = moct_gathers_along_x (below);
  size_t step = along_x
      ? (size_t) below->width
      : (size_t) below->cells_x * below->width * below->height;

  for (int at = begin; at < end; at++) {
    MoctTexel t = moct_texel_of (pass->level, (unsigned) at);
    int *first = along_x ? &t.cx : &t.cy, left;
    LeanTexel sum = {.id = (uint32_t) t.i};
    const LeanTexel *from;

    if (t.i >= below->n)
      continue;
    *first *= pass->w->reduction_factor;
    left = (along_x ? below->cells_x : below->cells_y) - *first;
    from = pass->texels + below->first + moct_texel_at (below, t);
    for (int i = 0; i < pass->w->reduction_factor && i < left; i++) {
      sum.n += from[i * step].n;
      sum.x += from[i * step].x;
      sum.y += from[i * step].y;
    }
    pass->texels[pass->level->first + (size_t) at] = sum;
  }
}

/* The pyramid with such texels, of which there is room for
 * moct_pyramid_texels ().  Returns the last cell. */
static const LeanTexel *
lean_pyramid (const MoctWork *w, LeanTexel *texels)
{
  MoctLevel level = moct_base (w);

  parallel_for ((int) moct_level_texels (&level), 0, lean_sweep,
      &(LeanPass){w, NULL, &level, texels});
  while (level.cells_x > 1 || level.cells_y > 1) {
    MoctLevel below = level;

    level = moct_above (w, &below);
    parallel_for ((int) moct_level_texels (&level), 0, lean_gather,
        &(LeanPass){w, &below, &level, texels});
  }
  return texels + level.first;
}

/* The lean pyramid finds the sums that the whole one finds, of cells that the
 * frame's sides cut, too. */
static void
test_lean (DeviceKind kind)
{
  static MoctSum expected[MAX_COLOURS];
  static Scene s;

  for (int round = 0; round < 20; round++) {
    const LeanTexel *sums;
    LeanTexel *texels;
    AUTO (Rig) rig;

    random_scene (&s, 300, 200);
    rig_open (&rig, DEVICE_CPU, &s.params, &s.frame, s.windows);
    rig.work.layout = (MoctLayout) (round % 3);
    rig.work.reduction_factor = 2 + (int) rnd (60);
    sum_pixels (&s.params, &s.frame, s.windows, expected);
    texels = malloc (moct_pyramid_texels (&rig.work) * sizeof *texels);
    sums = lean_pyramid (&rig.work, texels);
    for (int k = 0; k < s.params.n_colours; k++) {
      bool counts = expected[k].n >= s.params.min_area &&
          expected[k].n <= s.params.max_area && expected[k].n > 0;

      check (!counts ||
          (sums[k].n == expected[k].n && sums[k].x == expected[k].x &&
              sums[k].y == expected[k].y));
    }
    free (texels);
    frame_free (&s.frame);
  }
}

/* Microseconds a frame of the lean pyramid with @n colours, on the CPU. */
static double
bench_lean (const Bench *b, const MoctParams *p)
{
  static ImageBox windows[BENCH_MAX_N];
  double t[BENCH_BATCHES];
  LeanTexel *texels;
  AUTO (Rig) rig;
  AUTO (Frame) f;
  static MoctColour colours[BENCH_MAX_N];

  f = bench_frame (b->width, b->height, colours, p->n_colours);
  for (int k = 0; k < p->n_colours; k++)
    windows[k] = p->region;
  rig_open (&rig, DEVICE_CPU, p, &f, windows);
  rig.work.layout = p->layout;
  rig.work.reduction_factor = p->reduction_factor;
  texels = malloc (moct_pyramid_texels (&rig.work) * sizeof *texels);
  for (int i = 0; i < 4; i++) {
    double start = cpu_seconds ();

    lean_pyramid (&rig.work, texels);
    t[i ? i - 1 : 0] = 1e6 * (cpu_seconds () - start);
  }
  free (texels);
  return bench_median (t, 3);
}

static void
bench_figure_7 (DeviceKind kind, int width, int height)
{
  static const char *const names[] = {"fused", "pyramid", "per-object"};
  static const int all[] = {1, 2, 4, 8, 16, 32, 64, BENCH_MAX_N, 0};

  for (const int *n = all; *n; n++) {
    static Bench b;
    MoctParams lean = sums_params (b.colours, *n);

    bench_open (&b, kind, width, height, *n);
    for (MoctMethod method = MOCT_FUSED; method <= MOCT_PER_OBJECT; method++) {
      MoctParams p = sums_params (b.colours, *n);

      p.method = method;
      printf ("fig7,%s,%d,%d,%s,%d,%.2f\n", b.name, width, height,
          names[method], *n, bench_time (&b, &p));
      fflush (stdout);
    }
    if (kind == DEVICE_CPU)
      printf ("fig7,%s,%d,%d,pyramid of 16 bytes,%d,%.2f\n", b.name, width,
          height, *n, bench_lean (&b, &lean));
    bench_close (&b);
  }
}

static void
bench_figure_8 (DeviceKind kind, int width, int height)
{
  static const char *const names[] = {"vertical", "horizontal", "square"};
  static const int some[] = {2, 8, 40, 128, 0};
  static const int all[] = {2, 4, 8, 16, 32, 40, 64, 128, 0};
  const int *factors = kind == DEVICE_CUDA ? all : some;
  unsigned long long pixels = (unsigned long long) width * height;
  bool whole = width % 32 == 0; /* else cells are cut by the frame's sides */
  MoctWork w = {.frame = {.width = width, .height = height},
      .n_colours = whole ? 32 : 31};
  static Bench b;
  MoctParams p = sums_params (b.colours, w.n_colours);

  p.method = MOCT_PYRAMID;
  bench_open (&b, kind, width, height, w.n_colours);
  for (w.layout = MOCT_VERTICAL; w.layout <= MOCT_SQUARE; w.layout++)
    for (int i = 0; factors[i]; i++) {
      p.layout = w.layout;
      p.reduction_factor = w.reduction_factor = factors[i];
      printf ("fig8,%s,%d,%d,%s,%d,%.2f,%llu,%llu\n", b.name, width, height,
          names[w.layout], factors[i], bench_time (&b, &p),
          moct_pyramid_reads (&w),
          moct_pyramid_bound (pixels, w.n_colours, factors[i]));
      fflush (stdout);
    }
  bench_close (&b);
}

static int
bench (int argc, char **argv)
{
  printf ("# fig7,device,width,height,method,n,us a frame\n"
          "# fig8,device,width,height,layout,r,us a frame,reads,bound\n");
  for (DeviceKind kind = DEVICE_CPU; kind <= DEVICE_CUDA; kind++) {
    if (kind == DEVICE_CUDA && device_cuda_probe ())
      break;
    bench_figure_7 (kind, 640, 480);
    bench_figure_7 (kind, 1920, 1080);
    bench_figure_8 (kind, 640, 480);
    bench_figure_8 (kind, 653, 487); /* both are prime */
    if (kind == DEVICE_CUDA)
      bench_figure_8 (kind, 1920, 1080);
  }
  return check_failures != 0;
}

/* ---- All methods ---- */

/* The paper's methods must give what the plain loop gives. */
static void
check_sums (DeviceKind kind, const MoctParams *p, const Frame *f,
    const ImageBox *windows)
{
  static MoctSum expected[MOCT_MAX_COLOURS], got[MOCT_MAX_COLOURS];
  AUTO (Rig) rig;

  rig_open (&rig, kind, p, f, windows);
  sum_pixels (p, f, windows, expected);
  for (int i = FIRST_OF_PAPER; i < N_WAYS; i++) {
    sum_by (&rig, &ways[i], got);
    check (!memcmp (got, expected, p->n_colours * sizeof *got));
  }
}

static void
set_way (MoctParams *p, const Way *way)
{
  p->method = way->method;
  p->layout = way->layout;
  p->reduction_factor = way->factor ? way->factor : 40;
}

/* The object that has these sums, but for its id. */
static bool
is_of_sums (const MoctObject *o, const MoctSum *s)
{
  return o->area == s->n && o->cx == (double) s->x / (double) s->n &&
      o->cy == (double) s->y / (double) s->n && o->x0 == s->box.x0 &&
      o->y0 == s->box.y0 && o->x1 == s->box.x1 && o->y1 == s->box.y1;
}

/* And so must every method, fused too, through moct_run(); what follows from
 * the second moments is the same in all. */
static void
check_objects (DeviceKind kind, const MoctParams *params, const Frame *f)
{
  static MoctObject first[MOCT_MAX_COLOURS];
  static MoctSum expected[MOCT_MAX_COLOURS];
  static ImageBox windows[MOCT_MAX_COLOURS];
  MoctParams p = *params;
  AUTO (Device) dev = device_of (kind);
  void *memory;
  Image there;
  Moct *m;

  for (int k = 0; k < p.n_colours; k++)
    windows[k] = p.region;
  sum_pixels (&p, f, windows, expected);
  there = frame_to_device (f, &dev, &memory);
  ok (moct_new (&m, &dev, f->image.width, f->image.height, 0));
  for (int i = 0; i < N_WAYS; i++) {
    const MoctObject *o;
    int n, k = 0;

    set_way (&p, &ways[i]);
    moct_reset (m);
    ok (moct_run (m, &p, &there, 0, &o, &n));
    for (int j = 0; j < n; j++, k++) {
      while (k < p.n_colours && !expected[k].n)
        k++;
      check (k == o[j].colour && is_of_sums (&o[j], &expected[k]));
      if (i == 0)
        first[k] = o[j];
      check (o[j].orientation == first[k].orientation);
      check (o[j].elongation == first[k].elongation);
    }
    while (k < p.n_colours && !expected[k].n)
      k++;
    check (k == p.n_colours);
  }
  moct_free (m);
  device_release (&dev, memory);
}

static void
test_random (DeviceKind kind)
{
  static Scene s;

  for (int round = 0; round < 40; round++) {
    random_scene (&s, 150, 120);
    check_sums (kind, &s.params, &s.frame, s.windows);
    s.params.region = s.windows[0];
    check_objects (kind, &s.params, &s.frame);
    check (frame_is_unharmed (&s.frame));
    frame_free (&s.frame);
  }
}

/* One pixel, one row, one column, fewer pixels than colours; all pixels of one
 * class, the last one. */
static void
test_small (DeviceKind kind)
{
  static const int sizes[][3] = {{1, 1, 1}, {1, 1, 1024}, {1, 300, 3},
      {300, 1, 3}, {5, 3, 1024}, {33, 31, 1000}, {2, 2, 5}, {641, 1, 1}};
  static MoctColour c[MOCT_MAX_COLOURS];
  static ImageBox windows[MOCT_MAX_COLOURS];
  static const uint8_t none[3] = {0, 0, 0}, all[3] = {255, 255, 255};

  for (int i = 0; i < 8; i++) {
    int w = sizes[i][0], h = sizes[i][1], n = sizes[i][2];
    AUTO (Frame) f = frame_new (IMAGE_RGB, w, h, 0, 1);
    MoctParams p = sums_params (c, n);

    frame_fill (&f, (ImageBox){0, 0, w, h}, all);
    for (int k = 0; k < n; k++) {
      c[k] = box_colour (IMAGE_RGB, none, k == n - 1 ? all : none);
      windows[k] = p.region;
    }
    check_sums (kind, &p, &f, windows);
    check_objects (kind, &p, &f);
  }
}

/* A full frame, whose sums have closed forms and need more than 32 bits. */
static void
test_full (DeviceKind kind)
{
  const uint64_t w = 1921, h = 1079, x = w * (w - 1) / 2, y = h * (h - 1) / 2;
  static const uint8_t none[3] = {0, 0, 0}, all[3] = {255, 255, 255};
  MoctColour c = box_colour (IMAGE_GRAY8, none, all);
  MoctParams p = sums_params (&c, 1);
  AUTO (Frame) f = frame_new (IMAGE_GRAY8, (int) w, (int) h, 0, 1);
  AUTO (Rig) rig;

  rig_open (&rig, kind, &p, &f, &p.region);
  for (int i = FIRST_OF_PAPER; i < N_WAYS; i += 3) {
    MoctSum s;

    sum_by (&rig, &ways[i], &s);
    check (s.n == w * h && s.x == h * x && s.y == w * y && s.xy == x * y);
    check (s.xx == h * (x * (2 * w - 1) / 3));
    check (s.yy == w * (y * (2 * h - 1) / 3));
    check (s.box.x0 == 0 && s.box.y0 == 0);
    check (s.box.x1 == (int) w && s.box.y1 == (int) h);
  }
}

static bool
same_object (const MoctObject *a, const MoctObject *b)
{
  return a->id == b->id && a->state == b->state && a->area == b->area &&
      a->cx == b->cx && a->cy == b->cy && a->orientation == b->orientation &&
      a->elongation == b->elongation;
}

/* Two objects of 12 x 8 pixels on their way; from the fifth frame on the first
 * has a look-alike that its gate leaves out.  The method changes from frame to
 * frame in @m, which must find what @fused finds. */
static void
test_moct_run (DeviceKind kind)
{
  static const uint8_t red[3] = {220, 30, 30}, blue[3] = {20, 30, 200};
  static const uint8_t grey[3] = {120, 120, 120};
  MoctColour c[2] = {
      box_colour (IMAGE_RGB, red, red), box_colour (IMAGE_RGB, blue, blue)};
  MoctParams p = sums_params (c, 2);
  const MoctObject *a, *b;
  Moct *m, *fused;
  int n_a, n_b;
  AUTO (Device) dev = device_of (kind);

  p.gate = 1;
  ok (moct_new (&m, &dev, 321, 200, 0));
  ok (moct_new (&fused, &dev, 321, 200, 0));
  for (int i = 0; i < 2 * N_WAYS; i++) {
    AUTO (Frame) f = frame_new (IMAGE_RGB, 321, 200, 0, 1);
    void *memory;
    Image there;

    frame_fill (&f, (ImageBox){0, 0, 321, 200}, grey);
    frame_fill (&f, (ImageBox){10 + i, 20, 22 + i, 28}, red);
    frame_fill (&f, (ImageBox){200, 50 + i, 212, 58 + i}, blue);
    if (i > 3)
      frame_fill (&f, (ImageBox){250, 150, 290, 190}, red);
    there = frame_to_device (&f, &dev, &memory);
    p.method = MOCT_FUSED;
    ok (moct_run (fused, &p, &there, 1. / 30, &a, &n_a));
    set_way (&p, &ways[i % N_WAYS]);
    ok (moct_run (m, &p, &there, 1. / 30, &b, &n_b));
    check (n_a == 2 && n_b == 2);
    check (same_object (&a[0], &b[0]) && same_object (&a[1], &b[1]));
    check (b[0].area == 96 && b[0].cx == 15.5 + i && b[0].cy == 23.5);
    check (b[1].area == 96 && b[1].cx == 205.5 && b[1].cy == 53.5 + i);
    device_release (&dev, memory);
  }
  moct_free (m);
  moct_free (fused);
}

static void
test_parity (DeviceKind kind)
{
  static MoctSum cpu_sums[MAX_COLOURS], cuda_sums[MAX_COLOURS];
  static Scene s;
  Rig cpu, cuda;

  for (int round = 0; round < 40; round++) {
    random_scene (&s, 700, 500);
    rig_open (&cpu, DEVICE_CPU, &s.params, &s.frame, s.windows);
    rig_open (&cuda, DEVICE_CUDA, &s.params, &s.frame, s.windows);
    for (int i = FIRST_OF_PAPER; i < N_WAYS; i++) {
      sum_by (&cpu, &ways[i], cpu_sums);
      sum_by (&cuda, &ways[i], cuda_sums);
      check (
          !memcmp (cpu_sums, cuda_sums, s.params.n_colours * sizeof *cpu_sums));
    }
    rig_close (&cpu);
    rig_close (&cuda);
    frame_free (&s.frame);
  }
}


static const CheckPart parity[] = {{"CPU and CUDA", test_parity}, {NULL, NULL}};

CHECK_MAIN (parity, bench, {"layouts and levels", test_levels},
    {"equations (1) and (2)", test_bound},
    {"sums against a plain loop", test_random}, {"small frames", test_small},
    {"a full frame", test_full}, {"too large", test_too_large},
    {"the paper's texel", test_lean}, {"through moct_run", test_moct_run})
