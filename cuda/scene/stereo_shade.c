/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The picture: texture in the light of one lamp, 3 by 3 samples a pixel, then
 * what the right camera makes of the light, and noise.
 *
 * Where a pixel and its neighbours show one smooth surface, its samples lie on
 * the plane that touches the surface at the pixel's centre; that is off by
 * micrometres.  Elsewhere each sample is a ray. */
#include "scene/stereo_core.h"

#include "common/parallel.h"
#include "common/random.h"

/* Grey levels for a texture of 1. */
#define CONTRAST 230.f

/* A pixel without a surface. */
#define NOTHING 96.f

/* A surface whose 1/z bends by more than this part of it between a pixel and
 * its neighbours is not taken for smooth. */
#define BEND 1e-3

/* And one whose 1/z changes by more than this part has texture too fine. */
#define STEEP .05

/* In sixteenths of a grey level: 0 to 255 in, what is shown out. */
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

/* How bright a surface is: half of the light comes from everywhere. */
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
add (const Picture *c, int thing, const double p[3], double step[2][3],
    double z, float light, float rgb[3])
{
  const uint8_t *paint = c->plan->thing[thing].paint;
  double pixel = z / c->plan->camera[0].f;
  float grain = CONTRAST * stereo_texture (c->scene, thing, p, step, pixel);

  for (int k = 0; k < 3; k++)
    rgb[k] += light * (paint[k] + grain);
}

/* All samples by rays of their own. */
static void
cast_samples (const Picture *c, int x, int y, float rgb[3])
{
  const int n = STEREO_SAMPLES;

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
    add (c, hit.thing, p, NULL, hit.z, light_on (c->plan, hit.thing, p), rgb);
  }
  for (int k = 0; k < 3; k++)
    rgb[k] /= n * n;
}

/* All samples on the plane that touches the surface at the centre; false where
 * that is too steep for it.  Along a plane, 1/z changes evenly from pixel to
 * pixel. */
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
  add (c, thing, p, step, z, light_on (c->plan, thing, p), rgb);
  return true;
}

/* Whether a pixel lies on one smooth surface with those @step before and after
 * it. */
static bool
is_smooth (const Stereo *s, size_t at, size_t step)
{
  const double *z = s->z + at;
  const int8_t *thing = s->things + at;

  return thing[0] >= 0 && thing[step] == thing[0] &&
      thing[-(ptrdiff_t) step] == thing[0] &&
      fabs (z[0] / z[step] + z[0] / z[-(ptrdiff_t) step] - 2) < BEND;
}

static void
shade (const Picture *c, int x, int y, float rgb[3])
{
  int w = c->plan->width, h = c->plan->height;
  size_t at = (size_t) y * w + x;

  rgb[0] = rgb[1] = rgb[2] = 0;
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1 && is_smooth (c->scene, at, 1) &&
      is_smooth (c->scene, at, w) && plane_sample (c, x, y, rgb))
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
develop_row (const Picture *c, int y)
{
  uint8_t *rgb = c->scene->rgb + (size_t) y * c->plan->width * 3;

  for (int x = 0; x < c->plan->width; x++, rgb += 3) {
    uint64_t bits = random_u64 (c->key, (uint64_t) y << 32 | (uint64_t) x);
    int noise = c->sensor.noise[bits % SCENE_NOISE] + 8;
    float v[3];

    shade (c, x, y, v);
    for (int k = 0; k < 3; k++) {
      int level = (int) (v[k] * 16 + .5f);

      level = level < 0 ? 0 : level > 255 * 16 ? 255 * 16 : level;
      level = c->sensor.exposure[level] + noise;
      rgb[k] = (uint8_t) (level < 0 ? 0 : level > 4095 ? 255 : level >> 4);
    }
  }
}

static void
develop_pairs (void *data, int begin, int end)
{
  const Picture *c = data;

  for (int y = 2 * begin; y < 2 * end; y += 2) {
    for (int i = y; i < y + 2 && i < c->plan->height; i++)
      develop_row (c, i);
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

  stereo_make_lattice (s, params->seed);
  make_sensor (params, view, &c.sensor);
  parallel_for ((s->height + 1) / 2, 4, develop_pairs, &c);
}
