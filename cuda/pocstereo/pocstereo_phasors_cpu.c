/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Phasors of lines, several at once in loops that the compiler turns into
 * vectors. */
#include "common/parallel.h"
#include "common/vectors.h"
#include "pocstereo/pocstereo_cpu.h"

#define HALF (POCSTEREO_MAX_WINDOW / 2)

/* The samples at n and -n of each window, added and subtracted: the cosine of a
 * wave is even, its sine odd. */
typedef struct {
  float sum[HALF][POCSTEREO_LANES], difference[HALF][POCSTEREO_LANES];
} Folded;

#define PART 8 /* lanes whose sums stay in registers */

/* The spectrum at frequency @k of lanes from @first on. */
INLINED void
add_waves (const PocstereoTables *t, int k, const Folded *s, int first,
    float re[POCSTEREO_LANES], float im[POCSTEREO_LANES])
{
  float even[PART], odd[PART];

#pragma omp simd
  for (int i = 0; i < PART; i++) {
    even[i] = t->cosine[k][0] * s->sum[0][first + i];
    odd[i] = 0;
  }
  for (int m = 1; m < t->half; m++)
#pragma omp simd
    for (int i = 0; i < PART; i++) {
      even[i] += t->cosine[k][m] * s->sum[m][first + i];
      odd[i] -= t->sine[k][m] * s->difference[m][first + i];
    }
  memcpy (re + first, even, sizeof even);
  memcpy (im + first, odd, sizeof odd);
}

VECTORS static void
transform_lines (
    const PocstereoTables *t, const Folded *s, int n, int8_t *phasors)
{
  for (int k = 0; k < t->bandwidth; k++) {
    float re[POCSTEREO_LANES], im[POCSTEREO_LANES];
    int8_t p[POCSTEREO_LANES][2];

    for (int i = 0; i < POCSTEREO_LANES; i += PART)
      add_waves (t, k, s, i, re, im);
#pragma omp simd
    for (int i = 0; i < POCSTEREO_LANES; i++)
      pocstereo_phasor (re[i], im[i], t->floor2, p[i]);
    for (int i = 0; i < n; i++)
      memcpy (phasors + 2 * (i * t->bandwidth + k), p[i], 2);
  }
}

static void
fold_line (const PocstereoTables *t, Folded *s, int lane, const uint16_t *row,
    int width, int x)
{
  s->sum[0][lane] = row[pocstereo_clamp (x, 0, width - 1)];
  for (int m = 1; m < t->half; m++) {
    int after = row[pocstereo_clamp (x + m, 0, width - 1)];
    int before = row[pocstereo_clamp (x - m, 0, width - 1)];

    s->sum[m][lane] = (float) (after + before);
    s->difference[m][lane] = (float) (after - before);
  }
}

/* Folds the lines of all lanes; all their samples lie inside the row. */
static void
fold_inner_lines (const PocstereoTables *t, Folded *s, const uint16_t *row)
{
  for (int i = 0; i < POCSTEREO_LANES; i++)
    s->sum[0][i] = row[i];
  for (int m = 1; m < t->half; m++)
    for (int i = 0; i < POCSTEREO_LANES; i++) {
      int after = row[i + m], before = row[i - m];

      s->sum[m][i] = (float) (after + before);
      s->difference[m][i] = (float) (after - before);
    }
}

static void
transform_view_row (
    const PocstereoTables *t, const uint16_t *row, int width, int8_t *phasors)
{
  Folded s = {0};

  for (int x = 0; x < width; x += POCSTEREO_LANES) {
    int lanes = width - x < POCSTEREO_LANES ? width - x : POCSTEREO_LANES;

    if (x >= t->half && x + POCSTEREO_LANES + t->half <= width)
      fold_inner_lines (t, &s, row + x);
    else
      for (int i = 0; i < lanes; i++)
        fold_line (t, &s, i, row, width, x + i);
    transform_lines (t, &s, lanes, phasors + (size_t) 2 * x * t->bandwidth);
  }
}

void
pocstereo_window_cpu (const PocstereoTables *t, const uint16_t *view,
    int stride, const PocstereoLayer *layer, int x, int y, int8_t *phasors)
{
  Folded s = {0};

  for (int done = 0; done < t->lines; done += POCSTEREO_LANES) {
    int lanes =
        t->lines - done < POCSTEREO_LANES ? t->lines - done : POCSTEREO_LANES;

    for (int i = 0; i < lanes; i++) {
      int at =
          pocstereo_clamp (y + done + i - t->lines / 2, 0, layer->height - 1);

      fold_line (t, &s, i, view + (size_t) at * stride, layer->width, x);
    }
    transform_lines (t, &s, lanes, phasors + 2 * done * t->bandwidth);
  }
}

static void
fold_leaning_line (const PocstereoTables *t, Folded *s, int lane,
    const uint16_t *row, int width, const PocstereoLean *lean, int y)
{
  s->sum[0][lane] = (float) pocstereo_slanted_sample (row, width, lean, 0, y);
  for (int m = 1; m < t->half; m++) {
    int after = pocstereo_slanted_sample (row, width, lean, m, y);
    int before = pocstereo_slanted_sample (row, width, lean, -m, y);

    s->sum[m][lane] = (float) (after + before);
    s->difference[m][lane] = (float) (after - before);
  }
}

void
pocstereo_leaning_cpu (const PocstereoTables *t, const PocstereoFrame *frame,
    int view, const PocstereoLean *lean, int8_t *phasors)
{
  Folded s = {0};

  for (int done = 0; done < t->lines; done += POCSTEREO_LANES) {
    int lanes =
        t->lines - done < POCSTEREO_LANES ? t->lines - done : POCSTEREO_LANES;

    for (int i = 0; i < lanes; i++) {
      int y = pocstereo_clamp (
          lean->y + done + i - t->lines / 2, 0, frame->height - 1);

      fold_leaning_line (t, &s, i,
          frame->view[view] + (size_t) y * frame->stride, frame->width, lean,
          y);
    }
    transform_lines (t, &s, lanes, phasors + 2 * done * t->bandwidth);
  }
}

/* A layer of a view, and its phasors. */
typedef struct {
  const PocstereoTables *t;
  const uint16_t *samples;
  int stride, width;
  int8_t *phasors;
} Lines;

static void
transform_view_rows (void *data, int begin, int end)
{
  const Lines *s = data;
  size_t bytes = (size_t) s->width * pocstereo_phasor_bytes (s->t->bandwidth);

  for (int y = begin; y < end; y++)
    transform_view_row (s->t, s->samples + (size_t) y * s->stride, s->width,
        s->phasors + y * bytes);
}

const char *
pocstereo_phasors_cpu (const Device *dev, const PocstereoPyramid *p,
    const PocstereoConstants *constants, PocstereoFields *fields)
{
  (void) dev;
  for (int l = 0; l < p->n_layers; l++)
    for (int v = 0; v < 2 && (fields->layers >> l & 1); v++) {
      Lines lines = {constants->host, p->view[v][l], p->stride[l],
          p->layer[v][l].width, fields->phasors[v][l]};

      parallel_for (p->layer[v][l].height, 0, transform_view_rows, &lines);
    }
  return NULL;
}

/* ---- Means of phasors over frames ---- */

#define AVERAGE_PART 4096 /* numbers */

typedef struct {
  size_t n;
  int frames;
  int16_t *means;
  int8_t *phasors;
} Averaging;

static void
average_phasor_parts (void *data, int begin, int end)
{
  const Averaging a = *(const Averaging *) data;
  size_t last =
      (size_t) end * AVERAGE_PART < a.n ? (size_t) end * AVERAGE_PART : a.n;

  for (size_t i = (size_t) begin * AVERAGE_PART; i < last; i++) {
    a.means[i] = pocstereo_average_phasor (a.means[i], a.phasors[i], a.frames);
    a.phasors[i] = pocstereo_mean_phasor (a.means[i]);
  }
}

const char *
pocstereo_average_cpu (
    const Device *dev, size_t n, int frames, int16_t *means, int8_t *phasors)
{
  Averaging a = {n, frames, means, phasors};

  (void) dev;
  parallel_for ((int) ((n + AVERAGE_PART - 1) / AVERAGE_PART), 0,
      average_phasor_parts, &a);
  return NULL;
}
