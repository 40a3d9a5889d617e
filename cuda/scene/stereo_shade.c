/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The picture: texture in the light of one lamp with 3 by 3 samples a pixel,
 * then the right camera's response to light, and noise.
 *
 * If a pixel and its neighbours show one smooth surface, its samples lie on the
 * plane that touches the surface at the pixel's centre, with an error of
 * micrometres.  Otherwise each sample is a ray. */
#include "scene/stereo_core.h"

#include "common/parallel.h"
#include "common/random.h"

#define SAMPLES 3 /* to each side of a pixel */

/* ---- The texture ----
 *
 * Octaves of noise on lattices that are cut by the surface.  A view shows the
 * octaves whose cells are 2 to 64 pixels wide.  This depends on depth alone,
 * which is the same for both cameras, so that both see the same texture, and
 * the mean over a pixel has hardly any waves that are too short for it. */

#define LATTICE (STEREO_CORNERS - 1)
#define MASK (LATTICE - 1)
#define ROW STEREO_CORNERS
#define LAYER (STEREO_CORNERS * STEREO_CORNERS)

/* Cells of the finest octave, metres. */
#define FINEST .00025

/* Octaves from here on are smooth within a pixel. */
#define SMOOTH 2

static void
fill_lattice (Stereo *s, uint64_t seed)
{
  float *to = s->lattice;

  if (s->has_lattice && s->lattice_seed == seed)
    return;
  for (int k = 0; k < STEREO_CORNERS; k++)
    for (int j = 0; j < STEREO_CORNERS; j++)
      for (int i = 0; i < STEREO_CORNERS; i++)
        *to++ =
            random_unit (~seed,
                ((k & MASK) * LATTICE + (j & MASK)) * LATTICE + (i & MASK)) -
            .5f;
  s->lattice_seed = seed;
  s->has_lattice = true;
}

/* The next lower integer, or by rounding its neighbour, where a cell's straight
 * lines continue; |v| < 1024. */
static inline int
floor_fast (float v)
{
  return (int) (v + 1024) - 1024;
}

static inline float
mix_linear (const float *p, float u)
{
  return p[0] + u * (p[1] - p[0]);
}

/* Interpolates linearly between the corners of cells; (@x, @y, @z) is relative
 * to the corner @at. */
static inline float
lattice_at (const float *lattice, const int at[3], float x, float y, float z)
{
  int i = floor_fast (x), j = floor_fast (y), k = floor_fast (z);
  float u = x - (float) i, v = y - (float) j, w = z - (float) k;
  const float *p = lattice + ((at[2] + k) & MASK) * LAYER +
      ((at[1] + j) & MASK) * ROW + ((at[0] + i) & MASK);
  float a = mix_linear (p, u), b = mix_linear (p + ROW, u);
  float c = mix_linear (p + LAYER, u), d = mix_linear (p + LAYER + ROW, u);

  a += v * (b - a), c += v * (d - c);
  return a + w * (c - a);
}

/* The mean over all samples of a pixel whose sides are @right and @down. */
static float
lattice_mean (const float *lattice, const int at[3], const float p[3],
    const float right[3], const float down[3])
{
  const int n = SAMPLES;
  float sum = 0;

  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float u = (i - (n - 1) / 2.f) / n, v = (j - (n - 1) / 2.f) / n;

      sum += lattice_at (lattice, at, p[0] + u * right[0] + v * down[0],
          p[1] + u * right[1] + v * down[1], p[2] + u * right[2] + v * down[2]);
    }
  return sum / (n * n);
}

/* Rotates @v, so that no plane lies along the lattice. */
static void
rotate_off_lattice (const double v[3], double out[3])
{
  out[0] = .7 * v[0] + .5 * v[1] - .51 * v[2];
  out[1] = -.62 * v[0] + .78 * v[1] - .09 * v[2];
  out[2] = .35 * v[0] + .38 * v[1] + .86 * v[2];
}

/* Rotated: a point and, if @whole, the sides of the pixel around it. */
typedef struct {
  double p[3], side[2][3];
  bool whole;
} Patch;

static float
octave_at (
    const float *lattice, const Patch *patch, double per_metre, double shift)
{
  float rest[3], side[2][3];
  int at[3];

  for (int i = 0; i < 3; i++) {
    double v = patch->p[i] * per_metre + (2 * i + 3.77) * shift;

    at[i] = (int) v - (v < 0);
    rest[i] = (float) (v - at[i]);
  }
  if (!patch->whole)
    return lattice_at (lattice, at, rest[0], rest[1], rest[2]);
  for (int i = 0; i < 6; i++)
    side[i / 3][i % 3] = (float) (patch->side[i / 3][i % 3] * per_metre);
  return lattice_mean (lattice, at, rest, side[0], side[1]);
}

/* The texture, mostly -1/2 to 1/2, at point @p of the surface of thing number
 * @thing, if a pixel is @pixel metres wide.  If @step is given, the mean over
 * the pixel with its middle there, whose sides are @step[0] and @step[1]. */
static float
texture_at (const Stereo *s, int thing, const double p[3], double step[2][3],
    double pixel)
{
  double cell = FINEST, per_metre;
  float sum = 0, finest;
  int octave = 0;
  Patch patch;

  rotate_off_lattice (p, patch.p);
  for (int k = 0; step && k < 2; k++)
    rotate_off_lattice (step[k], patch.side[k]);
  while (cell < 2 * pixel)
    cell *= 2, octave++;
  finest = (float) (cell / pixel / 2 - 1);
  per_metre = 1 / cell;
  for (int i = 0; i < 5; i++, per_metre /= 2, octave++) {
    float weight = i == 0 ? finest : i == 4 ? 1 - finest : 1;

    patch.whole = step && i < SMOOTH;
    sum += weight *
        octave_at (s->lattice, &patch, per_metre, octave + 8.3 * thing);
  }
  return sum * .425f;
}

/* ---- The picture ---- */

/* Grey levels for a texture value of 1. */
#define CONTRAST 230.f

/* The grey level of a pixel without a surface. */
#define NOTHING 96.f

/* A surface is not smooth if its 1/z bends by more than this part between a
 * pixel and its neighbours. */
#define BEND 1e-3

/* A surface has too fine a texture if its 1/z changes by more than this
 * part. */
#define STEEP .05

/* The camera's response in sixteenths of a grey level, for 0 to 255. */
typedef struct {
  int16_t exposure[255 * 16 + 1];
  int16_t noise[SCENE_NOISE];
} Sensor;

typedef struct {
  const Stereo *scene;
  const StereoPlan *plan;
  StereoView view;
  uint64_t key; /* of the noise */
  const Image *img;
  Sensor sensor;
} Picture;

/* The light on a surface; half of the light comes from all directions. */
static float
light_on (const StereoPlan *plan, int thing, const double p[3])
{
  static const double lamp[3] = {-.42, -.56, -.714};
  double n[3], face;

  stereo_normal (plan, thing, p, n);
  face = n[0] * lamp[0] + n[1] * lamp[1] + n[2] * lamp[2];
  return (float) (.5 + (face > 0 ? .6 * face : 0));
}

static void
add_sample (const Picture *c, int thing, const double p[3], double step[2][3],
    double z, float light, float rgb[3])
{
  const uint8_t *paint = c->plan->thing[thing].paint;
  double pixel = z / c->plan->camera[0].f;
  float grain = CONTRAST * texture_at (c->scene, thing, p, step, pixel);

  for (int k = 0; k < 3; k++)
    rgb[k] += light * (paint[k] + grain);
}

/* Casts a ray for each sample. */
static void
cast_samples (const Picture *c, int x, int y, float rgb[3])
{
  const int n = SAMPLES;

  for (int i = 0; i < n * n; i++) {
    double u = x + (i % n - (n - 1) / 2.) / n,
           v = y + (i / n - (n - 1) / 2.) / n;
    StereoHit hit = stereo_cast (c->plan, c->view, u, v);
    double p[3];

    if (hit.thing < 0) {
      for (int k = 0; k < 3; k++)
        rgb[k] += NOTHING;
      continue;
    }
    stereo_point (c->plan, c->view, hit.thing, u, v, hit.z, p);
    add_sample (
        c, hit.thing, p, NULL, hit.z, light_on (c->plan, hit.thing, p), rgb);
  }
  for (int k = 0; k < 3; k++)
    rgb[k] /= n * n;
}

/* Takes all samples on the plane that touches the surface at the centre.
 * Returns false if the plane is too steep.  Along a plane, 1/z changes linearly
 * from pixel to pixel. */
static bool
plane_sample (const Picture *c, int x, int y, float rgb[3])
{
  size_t at = (size_t) y * c->plan->width + x;
  int thing = c->scene->things[at];
  const StereoCamera *camera = &c->plan->camera[c->view];
  double z = c->scene->z[at], p[3], n[3], far, step[2][3];

  stereo_point (c->plan, c->view, thing, x, y, z, p);
  stereo_normal (c->plan, thing, p, n);
  far = n[0] * (x - camera->cx) + n[1] * (y - camera->cy) + n[2] * camera->f;
  for (int k = 0; k < 2; k++) {
    double steep = n[k] / far, there = z / (1 + steep);

    if (!(fabs (steep) < STEEP))
      return false;
    stereo_point (c->plan, c->view, thing, x + !k, y + k, there, step[k]);
    for (int i = 0; i < 3; i++)
      step[k][i] -= p[i];
  }
  add_sample (c, thing, p, step, z, light_on (c->plan, thing, p), rgb);
  return true;
}

/* Whether a pixel and the pixels @step before and after it lie on one smooth
 * surface. */
static bool
is_smooth_along (const Stereo *s, size_t at, size_t step)
{
  const double *z = s->z + at;
  const int8_t *thing = s->things + at;

  return thing[0] >= 0 && thing[step] == thing[0] &&
      thing[-(ptrdiff_t) step] == thing[0] &&
      fabs (z[0] / z[step] + z[0] / z[-(ptrdiff_t) step] - 2) < BEND;
}

static void
shade_stereo_pixel (const Picture *c, int x, int y, float rgb[3])
{
  int w = c->plan->width, h = c->plan->height;
  size_t at = (size_t) y * w + x;

  rgb[0] = rgb[1] = rgb[2] = 0;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1 &&
      is_smooth_along (c->scene, at, 1) && is_smooth_along (c->scene, at, w) &&
      plane_sample (c, x, y, rgb))
    return;
  cast_samples (c, x, y, rgb);
}

static void
make_sensor (const StereoParams *params, StereoView view, Sensor *sensor)
{
  bool same = view == STEREO_LEFT || (params->gain == 1 && params->gamma == 1);

  scene_make_noise (params->noise, sensor->noise);
  for (int i = 0; i <= 255 * 16; i++) {
    double v = i / (255 * 16.);

    v = same ? v : fmin (params->gain * pow (v, params->gamma), 1);
    sensor->exposure[i] = (int16_t) (v * 255 * 16 + .5);
  }
}

static void
develop_stereo_row (const Picture *c, int y)
{
  uint8_t *rgb = c->scene->rgb + (size_t) y * c->plan->width * 3;

  for (int x = 0; x < c->plan->width; x++, rgb += 3) {
    uint64_t bits = random_u64 (c->key, (uint64_t) y << 32 | (uint64_t) x);
    int noise = c->sensor.noise[bits % SCENE_NOISE] + 8;
    float v[3];

    shade_stereo_pixel (c, x, y, v);
    for (int k = 0; k < 3; k++) {
      int level = (int) (v[k] * 16 + .5f);

      level = level < 0 ? 0 : level > 255 * 16 ? 255 * 16 : level;
      level = c->sensor.exposure[level] + noise;
      rgb[k] = (uint8_t) (level < 0 ? 0 : level > 4095 ? 255 : level >> 4);
    }
  }
}

static void
develop_stereo_pairs (void *data, int begin, int end)
{
  const Picture *c = data;

  for (int y = 2 * begin; y < 2 * end; y += 2) {
    for (int i = y; i < y + 2 && i < c->plan->height; i++)
      develop_stereo_row (c, i);
    scene_put_rows (c->img, c->scene->rgb, y);
  }
}

void
stereo_develop (Stereo *s, const StereoPlan *plan, const StereoParams *params,
    StereoView view, uint64_t number, const Image *img)
{
  Picture c = {.scene = s,
      .plan = plan,
      .view = view,
      .key = random_u64 (random_u64 (params->seed, number), view),
      .img = img};

  fill_lattice (s, params->seed);
  make_sensor (params, view, &c.sensor);
  parallel_for ((s->height + 1) / 2, 4, develop_stereo_pairs, &c);
}
