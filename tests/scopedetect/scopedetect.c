/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scopedetect: its parts of a score, poses in generated frames, hostile input,
 * and the CPU against the GPU. */
#include <time.h>

#include "seconds.h"
#include "scopedetect/model/shape.h"
#include "scopedetect/scopedetect_observe_core.h"
#include "scopedetect/scopedetect_round1_core.h"
#include "scopedetect/scopedetect_cpu.h"
#include "scopedetect_bench.h"

/* ==== Whole frames with known poses. ==== */

/* One solid on a table, in any turn: found, within 5 mm, and 3 mm on average.
 */
static void
test_table (DeviceKind kind)
{
  AUTO (Bench) b;
  double sum = 0;

  bench_open (&b, kind);
  for (int i = 0; i < 3; i++) {
    Pose truth = solid_pose (.3 + 2.1 * i, .06 * (i - 1), .5 + .05 * i);
    ScopedetectParams p = solid_params (i == 1 ? PRESET_THOROUGH : PRESET_FAST);
    ScopedetectResults r;
    double numbers[7], add, add_s;
    Turn t = turn_of (truth.q);

    memset (b.depth, 0, SOLID_BYTES);
    solid_draw (b.depth, SOLID_STRIDE, truth);
    solid_table (b.depth, SOLID_STRIDE, truth);
    add_noise (&b, 10);
    p.table_low = .005;
    ok (observe_and_search (b.s, &p, &b.frame, &r));
    check (r.has_plane);
    check_near (
        r.plane[0] * t.z.x + r.plane[1] * t.z.y + r.plane[2] * t.z.z, 1, 2e-3);
    check (r.n_objects == 1);
    if (!r.n_objects)
      continue;
    solid_numbers (truth, numbers);
    scopedetect_model_distance (
        b.model, r.objects[0].pose, numbers, &add, &add_s);
    check_near (add, 0, .005);
    sum += add;
    check (r.objects[0].score > .05 && r.objects[0].visible > .6);
    for (int k = 0; k < 6; k++) /* a millimetre, a degree or so */
      check (r.objects[0].covariance[7 * k] > 0 &&
          r.objects[0].covariance[7 * k] < 1e-3);
    check (r.objects[0].box.x0 <= r.objects[0].seen.x0);
    check (r.objects[0].box.x1 > r.objects[0].box.x0);
  }
  check_near (sum / 3, 0, .003);
}

/* The plane is the table's within a millimetre, whichever pixels were drawn. */
static void
test_plane (DeviceKind kind)
{
  Pose truth = solid_pose (.3, 0, .5);
  ScopedetectParams p = solid_params (PRESET_FAST);
  Turn t = turn_of (truth.q);
  AUTO (Bench) b;
  double plane[4];

  bench_open (&b, kind);
  solid_draw (b.depth, SOLID_STRIDE, truth);
  solid_table (b.depth, SOLID_STRIDE, truth);
  add_noise (&b, 30);
  for (p.seed = 0; p.seed < 5; p.seed++) {
    ScopedetectResults r;

    ok (observe_and_search (b.s, &p, &b.frame, &r));
    check (r.has_plane);
    check_near (
        r.plane[0] * t.z.x + r.plane[1] * t.z.y + r.plane[2] * t.z.z, 1, 1e-5);
    check_near (r.plane[3], -vec_dot (t.z, truth.t), 1e-3);
    check (!p.seed || !memcmp (plane, r.plane, sizeof plane));
    memcpy (plane, r.plane, sizeof plane);
  }
}

/* A wall, z = 70 m + .003 x, before a camera that sees nearly half of all
 * directions: its points are up to 8 km aside, and the sums of all their
 * squares would overflow. */
static void
test_wide (DeviceKind kind)
{
  enum { W = 640, H = 480 };
  static uint16_t depth[W * H];
  ScopedetectParams p = solid_params (PRESET_FAST);
  ScopedetectFrame f = {W, H, NULL, 2 * W, NULL, 0, {{0}}};
  AUTO (Model) model = solid_model (.012);
  ScopedetectResults r;
  AUTO (Device) dev;
  AUTO (Detector) s;
  uint16_t *there;

  p.camera = (Camera){4, 4, (W - 1) / 2., (H - 1) / 2., {0}};
  p.depth_scale = .002;
  p.far = 100;
  p.table_tolerance = 1;
  for (int i = 0; i < W * H; i++)
    depth[i] = (uint16_t) (70 / p.depth_scale /
        (1 - .003 * (i % W - p.camera.cx) / p.camera.fx));
  ok (device_open (&dev, kind, NULL));
  ok (device_alloc (&dev, (void **) &there, sizeof depth));
  ok (device_copy (&dev, there, depth, sizeof depth));
  ok (scopedetect_new (
      &s, &dev, W, H, (const ScopedetectModel *const *) &model, 1));
  f.depth = there;
  ok (observe_and_search (s, &p, &f, &r));
  check (r.has_plane);
  check_near (r.plane[0], .003, 1e-4);
  check_near (r.plane[1], 0, 1e-4);
  check_near (r.plane[3], 70, .1);
  device_release (&dev, there);
}

/* A wall that is too far away to count gives a solid its edges all the same; a
 * hole does not, whether it is 0 or 65535. */
static void
test_far_wall (DeviceKind kind)
{
  static const uint16_t behind[] = {14000, 30000, 0, 65535};
  ScopedetectParams p = before_wall (PRESET_FAST);
  double score[4] = {0};
  AUTO (Bench) b;

  p.explain = SCOPEDETECT_ONE_STAGE;
  bench_open (&b, kind);
  for (int k = 0; k < 4; k++) {
    ScopedetectResults r;

    memset (b.depth, 0, SOLID_BYTES);
    solid_draw (b.depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
    for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
      b.depth[i] = b.depth[i] ? b.depth[i] : behind[k];
    p.table = k == 0;
    ok (observe_and_search (b.s, &p, &b.frame, &r));
    check (k > 1 || r.n_objects == 1);
    score[k] = r.n_objects ? r.objects[0].score : 0;
  }
  check_near (score[1], score[0], .05);
  check (score[1] > .9);
  check (score[2] < .6);
  check_near (score[3], score[2], 0);
}

#define BAND 7 /* pixels */

/* Whether a pixel of @solid, which is 0 elsewhere, is at most BAND pixels from
 * pixel @i, along a row or a column. */
static bool
is_near_solid (const uint16_t *solid, int i)
{
  int x = i % SOLID_WIDTH, y = i / SOLID_WIDTH;

  for (int k = -BAND; k <= BAND; k++)
    if ((x + k >= 0 && x + k < SOLID_WIDTH && solid[i + k]) ||
        (y + k >= 0 && y + k < SOLID_HEIGHT && solid[i + k * SOLID_WIDTH]))
      return true;
  return false;
}

/* A wall that the sensor does not see in a band around a solid gives the solid
 * its edges all the same. */
static void
test_band (DeviceKind kind)
{
  ScopedetectParams p = before_wall (PRESET_FAST);
  uint16_t *solid = malloc (SOLID_BYTES);
  double score[2] = {0};
  AUTO (Bench) b;

  p.explain = SCOPEDETECT_ONE_STAGE;
  p.table = false;
  bench_open (&b, kind);
  for (int k = 0; k < 2; k++) {
    ScopedetectResults r;

    memset (solid, 0, SOLID_BYTES);
    solid_draw (solid, SOLID_STRIDE, solid_pose (.7, 0, .5));
    for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
      b.depth[i] = solid[i]               ? solid[i]
          : k && is_near_solid (solid, i) ? 0
                                          : 14000;
    ok (observe_and_search (b.s, &p, &b.frame, &r));
    check (r.n_objects == 1);
    score[k] = r.n_objects ? r.objects[0].score : 0;
  }
  check (score[0] > .9);
  check_near (score[1], score[0], .05);
  free (solid);
}

/* Two of one model; and the same answer again, whatever the number of
 * threads. */
static void
test_two (DeviceKind kind)
{
  AUTO (Bench) b;
  Pose truth[2] = {solid_pose (.4, -.1, .5), solid_pose (2.5, .1, .5)};
  ScopedetectParams p = solid_params (PRESET_FAST);
  ScopedetectObject first[4];
  ScopedetectResults r;
  int found[2] = {0};

  bench_open (&b, kind);
  for (int i = 0; i < 2; i++)
    solid_draw (b.depth, SOLID_STRIDE, truth[i]);
  solid_table (b.depth, SOLID_STRIDE, truth[0]);
  p.max_objects = 2;
  p.queries = 0;
  p.table_low = .005;
  ok (observe_and_search (b.s, &p, &b.frame, &r));
  check (r.n_objects == 2);
  for (int k = 0; k < r.n_objects; k++)
    for (int i = 0; i < 2; i++) {
      double numbers[7], add, add_s;

      solid_numbers (truth[i], numbers);
      scopedetect_model_distance (
          b.model, r.objects[k].pose, numbers, &add, &add_s);
      found[i] += add < .004;
    }
  check (found[0] == 1 && found[1] == 1);
  memcpy (first, r.objects, (size_t) r.n_objects * sizeof *first);
  for (int threads = 1; threads <= 3; threads++) {
    parallel_limit (threads);
    ok (observe_and_search (b.s, &p, &b.frame, &r));
    check (r.n_objects == 2 && !memcmp (first, r.objects, 2 * sizeof *first));
  }
  parallel_limit (0);
}

/* A guess that is off comes back, by each way of aligning alone. */
static void
test_ways (DeviceKind kind)
{
  static const char *const names[] = {"Gauss and Newton", "segments", "uphill"};
  AUTO (Bench) b;
  Pose truth = solid_pose (.7, 0, .5);
  double numbers[7];

  bench_open (&b, kind);
  solid_draw (b.depth, SOLID_STRIDE, truth);
  solid_table (b.depth, SOLID_STRIDE, truth);
  solid_numbers (truth, numbers);
  for (int way = 0; way < 3; way++) {
    ScopedetectParams p = solid_params (PRESET_THESIS);
    ScopedetectObject guess = {0};
    float turned = way == 2 ? 0 : .01f; /* uphill leads mostly along */
    Pose off = pose_moved (
        truth, vec (turned, -turned, turned), vec (.003f, -.002f, .005f));
    double before, after, add_s;
    ScopedetectResults r;

    p.refine = way == 0 ? 20 : 0;
    p.align = way == 1 ? 10 : 0;
    p.climb = way == 2 ? 20 : 0;
    p.weight[SCOPEDETECT_TABLE] = .3;
    p.table_low = .005;
    solid_numbers (off, guess.pose);
    scopedetect_model_distance (b.model, guess.pose, numbers, &before, &add_s);
    ok (observe_and_track (b.s, &p, &b.frame, &guess, 1, &r));
    check (r.n_objects == 1);
    scopedetect_model_distance (
        b.model, r.objects[0].pose, numbers, &after, &add_s);
    printf (
        "     %s: %.1f mm to %.1f mm\n", names[way], 1e3 * before, 1e3 * after);
    check (after < (way == 0 ? .002 : .7 * before));
  }
}

/* The thesis's own way, with few hypotheses: the object is there. */
static void
test_thesis (DeviceKind kind)
{
  AUTO (Bench) b;
  Pose truth = solid_pose (1.1, 0, .5);
  ScopedetectParams p = solid_params (PRESET_THESIS);
  double numbers[7], add, add_s;
  ScopedetectResults r;

  bench_open (&b, kind);
  solid_draw (b.depth, SOLID_STRIDE, truth);
  solid_table (b.depth, SOLID_STRIDE, truth);
  p.queries = 0;
  p.clusters = 400;
  p.table_low = .005;
  ok (observe_and_search (b.s, &p, &b.frame, &r));
  solid_numbers (truth, numbers);
  scopedetect_model_distance (
      b.model, r.objects[0].pose, numbers, &add, &add_s);
  check (add < .01);
  check (r.objects[0].part[SCOPEDETECT_AFFINITY] <= 0);
}

/* ==== The parts of a score against a slow version in doubles, which reads
 * the same pixels. ==== */

static double
slow_sigmoid (double b0, double b1, double b2, double x)
{
  return b0 + (1 - b0) / (1 + exp (-b1 - b2 * x));
}

static double
slow_log_normal (double d, double sigma, double s)
{
  double x = fmin (d / (sigma * s), 2);

  return -x * x / 2 - log (s);
}

/* XYZ, NORMAL, VISIBILITY and FREE of a pose, with all points. */
static void
slow_parts (const ScopedetectScoring *w, const ScopedetectShape *s, Pose pose,
    double part[SCOPEDETECT_N_PARTS])
{
  Turn r = turn_of (pose.q);
  Vec eye =
      vec_unrotate (&r, vec_scale (vec_transform (&r, pose.t, s->centre), -1));
  double range = 0, normal = 0, seen = 0, normal_seen = 0, front = 0, gap = 0;
  int view = 0;

  for (int v = 1; v < SCOPEDETECT_VIEWS; v++)
    if (vec_dot (w->view[v], eye) > vec_dot (w->view[view], eye))
      view = v;
  for (int i = 0; i < s->n; i++) {
    Vec p = vec_transform (&r, pose.t, s->x[i]);
    Vec n = vec_rotate (&r, s->normal[i]);
    double c = -vec_dot (n, p) / vec_norm (p), off, v, k;
    double e =
        s->ved[(size_t) view * s->n + i] * (double) SCOPEDETECT_EDGE_STEP;
    int x = (int) floor (w->scene.fx * p.x / p.z + w->scene.cx + .5);
    int y = (int) floor (w->scene.fy * p.y / p.z + w->scene.cy + .5);
    const ScopedetectPixel *o;

    if (c <= .1)
      continue;
    front++;
    if (x < 0 || y < 0 || x >= w->scene.width || y >= w->scene.height)
      continue;
    o = &w->scene.pixel[y * w->scene.width + x];
    if (!(o->z > 0))
      continue;
    off = p.z - o->z;
    v = off < 0 ? 1 : exp (-pow (off / w->params.visible_sigma, 2) / 2);
    seen += v;
    gap += off < -w->params.free_gap;
    k = .5 * slow_sigmoid (.2878, -5.6214, 7.7247, 1 - c) +
        .5 * slow_sigmoid (.3036, .2607, -125.8843, e);
    range += v * slow_log_normal (fabs (off), w->params.range_sigma, k);
    k = .5 * slow_sigmoid (.1521, -7.1290, 10.7090, 1 - c) +
        .5 * slow_sigmoid (.1246, 1.4406, -185.8350, e);
    k = fmax (k, s->normal_var[i]);
    if (k > .3)
      continue;
    normal_seen += v;
    normal += v *
        slow_log_normal (1 - (n.x * o->nx + n.y * o->ny + n.z * o->nz),
            w->params.normal_sigma, k);
  }
  part[SCOPEDETECT_XYZ] = range / seen;
  part[SCOPEDETECT_NORMAL] = normal_seen > 0 ? normal / normal_seen : -20;
  part[SCOPEDETECT_VISIBILITY] = log (seen / front);
  part[SCOPEDETECT_FREE] = -gap / front;
}

/* The noise model is a table, and terms are in 1/4096: 1 %. */
static void
test_parts (DeviceKind kind)
{
  static const ScopedetectPart which[] = {SCOPEDETECT_XYZ, SCOPEDETECT_NORMAL,
      SCOPEDETECT_VISIBILITY, SCOPEDETECT_FREE};
  Bench b;
  Pose truth = solid_pose (.7, 0, .5);

  if (kind != DEVICE_CPU) /* it reads the pixels */
    return;
  bench_open (&b, kind);
  solid_draw (b.depth, SOLID_STRIDE, truth);
  solid_table (b.depth, SOLID_STRIDE, truth);
  for (int i = 0; i < 8; i++) {
    ScopedetectParams p = solid_params (PRESET_THESIS);
    float far = .01f * (float) i;
    Pose off = pose_moved (truth, vec (5 * far, far, -far), vec (far, 0, -far));
    double part[SCOPEDETECT_N_PARTS], total = 0;
    const ScopedetectHypothesis *hypothesis;
    ScopedetectObject guess = {0};
    ScopedetectResults r;

    p.align = p.climb = 0;
    p.weight[SCOPEDETECT_AFFINITY] = 0;
    solid_numbers (off, guess.pose);
    ok (observe_and_track (b.s, &p, &b.frame, &guess, 1, &r));
    hypothesis = &b.s->best[0];
    slow_parts (&b.s->rounds.scoring, &b.s->shape[0], hypothesis->pose, part);
    for (int k = 0; k < 4; k++)
      check_near (r.objects[0].part[which[k]], part[which[k]],
          .01 * (1 + fabs (part[which[k]])));
    for (int k = 0; k < SCOPEDETECT_N_PARTS; k++)
      total += p.weight[k] * r.objects[0].part[k];
    check_near (hypothesis->score / 65536., total, 1e-3);
    check (r.objects[0].part[SCOPEDETECT_EDGE] <= 0);
    check (r.objects[0].part[SCOPEDETECT_TABLE] <= 0);
  }
  bench_close (&b);
}

/* Round 1 rejects poses with points in free space in each preset; of poses that
 * are all rejected the first one stays. */
static void
test_free (DeviceKind kind)
{
  AUTO (Bench) b;

  bench_open (&b, kind);
  solid_draw (b.depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  solid_table (b.depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  add_noise (&b, 10);
  for (int preset = 0; preset < N_PRESETS; preset++) {
    ScopedetectParams p = solid_params ((Preset) preset);
    const int *n = b.s->found.by[0].n;
    ScopedetectResults r;

    p.queries = p.random ? 0 : 400;
    p.free_part = 0;
    p.free_gap = 10;
    ok (observe_and_search (b.s, &p, &b.frame, &r));
    check (*n > 1);
    p.free_gap = 0;
    ok (observe_and_search (b.s, &p, &b.frame, &r));
    check (*n == 1);
  }
}

/* ==== What the CPU computes for eight numbers at once is what it computes for
 * one. ==== */

/* A tilted surface with steps, noise and holes. */
static uint16_t
rough_depth (int x, int y)
{
  if (!rnd (9))
    return 0;
  return (uint16_t) ((x / 13 % 3 ? 500 : 900) + 2 * x + y + (int) rnd (4));
}

/* Depth, normals and edges of a frame of @width x @height pixels. */
static void
compare_pixels (int width, int height)
{
  size_t n = (size_t) width * height;
  uint16_t *depth = malloc (n * sizeof *depth);
  float *edge[2] = {malloc (n * sizeof (float)), malloc (n * sizeof (float))};
  ScopedetectScene s = {width, height, 90, 90, (float) width / 2,
      (float) height / 2, 1 / 90.f, 1 / 90.f, false,
      malloc (n * sizeof (float)), aligned_alloc (32, n * sizeof *s.pixel)};
  ScopedetectFrame f = {width, height, depth, 2 * width, NULL, 0, {{0}}};
  ScopedetectParams p = solid_params (PRESET_FAST);
  int differ = 0;

  for (size_t i = 0; i < n; i++)
    depth[i] = rough_depth ((int) i % width, (int) i / width);
  p.depth_scale = .001;
  p.normal_radius = .03;
  p.edge_blur = 1;
  ok (scopedetect_read_frame_cpu (NULL, &f, &p, edge, &s));
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const ScopedetectPixel *o = &s.pixel[y * width + x];
      Vec normal = o->z > 0
          ? scopedetect_normal (&s, x, y, (float) p.normal_radius)
          : vec (0, 0, 0);
      float around[9];

      for (int k = 0; k < 9; k++) {
        int u = x + k % 3 - 1, v = y + k / 3 - 1;

        around[k] = u >= 0 && v >= 0 && u < width && v < height
            ? scopedetect_edge_at (&s, &f, &p, u, v)
            : 0;
      }
      differ += o->nx != normal.x || o->ny != normal.y || o->nz != normal.z ||
          o->edge != scopedetect_log_edge (scopedetect_blur (around));
    }
  check (!differ);
  free (depth);
  free (edge[0]);
  free (edge[1]);
  free (s.z);
  free (s.pixel);
}

/* The scores of hypotheses with few points, and those of the poses that are
 * verified. */
static void
compare_agreements (void)
{
  ScopedetectParams p = solid_params (PRESET_FAST);
  ScopedetectResults r;
  int differ = 0;
  AUTO (Bench) b;

  bench_open (&b, DEVICE_CPU);
  solid_draw (b.depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  solid_table (b.depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  add_noise (&b, 10);
  ok (observe_and_search (b.s, &p, &b.frame, &r));
  for (int i = 0; i < 5000; i++) {
    const ScopedetectShape *of = &b.s->rounds.models.shape[0];
    const uint16_t *near = scopedetect_matches_of (&b.s->matches, 0);
    uint32_t id = rnd ((uint32_t) (b.s->queries.n * b.s->matches.k * 2));
    Pose pose = scopedetect_hypothesis_pose (
        &b.s->cloud, &b.s->queries, of, near, b.s->matches.k, id);

    differ += b.s->scratch.checks.score[id] !=
        (int16_t) scopedetect_agreement (&b.s->scene, of, pose,
            scopedetect_first_points (of, SCOPEDETECT_FEW),
            (float) p.tolerance);
  }
  check (b.s->queries.n > 100 && !differ);
}

static void
test_lanes (DeviceKind kind)
{
  static const int size[][2] = {
      {1, 1}, {1, 9}, {9, 1}, {8, 8}, {61, 37}, {160, 33}};

  if (kind != DEVICE_CPU)
    return;
  for (int i = 0; i < 6; i++)
    compare_pixels (size[i][0], size[i][1]);
  compare_agreements ();
}

/* ==== A frame is observed once.  ==== */

static bool
same_results (const ScopedetectResults *r, const ScopedetectObject *than, int n)
{
  return r->n_objects == n &&
      !memcmp (r->objects, than, (size_t) n * sizeof *than);
}

/* Of one observation, searches and tracking find the same in any order. */
static void
test_observed (DeviceKind kind)
{
  AUTO (Bench) b;
  ScopedetectParams p = solid_params (PRESET_FAST);
  ScopedetectObject found[SCOPEDETECT_MAX_OBJECTS], near[1];
  ScopedetectResults r;
  int n;

  bench_open (&b, kind);
  check (strstr (scopedetect_search (b.s, &r) ?: "", "observed"));
  check (strstr (scopedetect_track (b.s, NULL, 0, &r) ?: "", "observed"));
  solid_draw (b.depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  solid_table (b.depth, SOLID_STRIDE, solid_pose (.7, 0, .5));
  p.max_objects = 4;
  p.explain = SCOPEDETECT_TWO_STAGE;
  ok (scopedetect_observe (b.s, &p, &b.frame));
  memset (b.depth, 0, SOLID_BYTES); /* which is not read again */
  ok (scopedetect_search (b.s, &r));
  n = r.n_objects;
  check (n > 0);
  memcpy (found, r.objects, (size_t) n * sizeof *found);
  ok (scopedetect_track (b.s, found, 1, &r));
  check (r.n_objects == 1 && r.search.second == SCOPEDETECT_NOT_ASKED);
  near[0] = r.objects[0];
  for (int k = 0; k < 2; k++) {
    ok (scopedetect_search (b.s, &r));
    check (same_results (&r, found, n));
    ok (scopedetect_track (b.s, found, 1, &r));
    check (same_results (&r, near, 1));
  }
  p.far = 0;
  check (scopedetect_observe (b.s, &p, &b.frame) != NULL);
  check (strstr (scopedetect_search (b.s, &r) ?: "", "observed"));
}

/* ==== Results of objects beside their pose: the silhouette. ==== */

static bool
is_within (const double *xy, int n, double x, double y)
{
  bool in = false;

  for (int i = 0, j = n - 1; i < n; j = i++)
    if ((xy[2 * i + 1] > y) != (xy[2 * j + 1] > y) &&
        x < (xy[2 * j] - xy[2 * i]) * (y - xy[2 * i + 1]) /
                    (xy[2 * j + 1] - xy[2 * i + 1]) +
                xy[2 * i])
      in = !in;
  return in;
}

/* The pixels within the outline are those that the solid is seen at. */
static void
test_outline (DeviceKind kind)
{
  AUTO (Model) model = solid_model (.004);
  static uint16_t depth[SOLID_WIDTH * SOLID_HEIGHT];
  double xy[2 * 64], numbers[7];

  for (int k = 0; k < 3; k++) {
    Pose pose = solid_pose (.4 + 2 * k, .04 * k, .4 + .2 * k);
    int n, both = 0, either = 0;
    double area = 0;

    memset (depth, 0, sizeof depth);
    solid_draw (depth, 2 * SOLID_WIDTH, pose);
    solid_numbers (pose, numbers);
    n = scopedetect_model_outline (model, numbers, &solid_camera, xy, 64);
    check (n > 4 && n <= 64);
    for (int i = 0; i < n; i++) {
      int j = (i + 1) % n;

      area += xy[2 * i] * xy[2 * j + 1] - xy[2 * j] * xy[2 * i + 1];
    }
    check (area > 0); /* clockwise on the screen */
    for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++) {
      bool in = is_within (xy, n, i % SOLID_WIDTH, i / SOLID_WIDTH);

      both += in && depth[i];
      either += in || depth[i];
    }
    printf ("     %d corners, %.3f of both\n", n, (double) both / either);
    check (both > .93 * either);
    check (
        scopedetect_model_outline (model, numbers, &solid_camera, xy, 5) == 5);
  }
  numbers[2] = -1;
  check (
      scopedetect_model_outline (model, numbers, &solid_camera, xy, 64) == 0);
  numbers[2] = .02; /* around the camera */
  check (
      scopedetect_model_outline (model, numbers, &solid_camera, xy, 64) <= 64);
}

/* ==== Frames, params and models that cannot work, or hardly. ==== */

static void
test_params (DeviceKind kind)
{
  AUTO (Bench) b;
  ScopedetectParams good = solid_params (PRESET_FAST), p;
  ScopedetectResults r;
  ScopedetectFrame f;
  Image small = {.width = 10, .height = 10, .format = IMAGE_RGB};
  ScopedetectObject guess = {.model = 1, .pose = {0, 0, 1, 1}};
  Scopedetect *s;

  bench_open (&b, kind);
#define REFUSED(change, word) \
 p = good, change; \
 check (strstr (observe_and_search (b.s, &p, &b.frame, &r) ?: "", word))
  REFUSED (p.camera.fx = 0, "intrinsics");
  REFUSED (p.camera.cy = NAN, "intrinsics");
  REFUSED (p.camera.cx = -1e6, "cx and cy");
  REFUSED (p.camera.fx = 1.59, "do not fit the frame's size");
  REFUSED (p.camera.cy = 45120, "do not fit the frame's size");
  REFUSED (p.depth_scale = 0, "depth-scale");
  REFUSED (p.depth_scale = .99e-9, "depth-scale");
  REFUSED (p.depth_scale = 1001, "depth-scale");
  p = good, p.camera.fx = 1.6; /* the slope of the first ray is 99.7 */
  ok (observe_and_search (b.s, &p, &b.frame, &r));
  p = good, p.depth_scale = 1e-9; /* all that the property can be set to */
  ok (observe_and_search (b.s, &p, &b.frame, &r));
  check (r.n_objects == 0);
  p.depth_scale = 1e3;
  ok (observe_and_search (b.s, &p, &b.frame, &r));
  check (r.n_objects == 0);
  REFUSED (p.near = 3, "near");
  REFUSED (p.neighbours = 33, "neighbours");
  REFUSED (p.kept = 20001, "kept");
  REFUSED (p.weight[3] = -1, "weight-edge must be 0 to 1000");
  REFUSED (p.tolerance = NAN, "tolerance");
  REFUSED (p.max_objects = 65, "max-objects");
  REFUSED (p.max_models = -1, "max-models must be 0 to 1024");
  REFUSED (p.max_models = 1025, "max-models");
  f = b.frame, f.width--;
  check (observe_and_search (b.s, &good, &f, &r) != NULL);
  f = b.frame, f.depth = NULL;
  check (observe_and_search (b.s, &good, &f, &r) != NULL);
  f = b.frame, f.depth_stride++;
  check (strstr (observe_and_search (b.s, &good, &f, &r) ?: "", "odd bytes"));
  f = b.frame, f.depth = (const void *) ((const char *) f.depth + 1);
  check (strstr (observe_and_search (b.s, &good, &f, &r) ?: "", "odd bytes"));
  f = b.frame, f.color = &small;
  check (strstr (observe_and_search (b.s, &good, &f, &r), "differ in size"));
  check (observe_and_track (b.s, &good, &b.frame, &guess, 1, &r) != NULL);
  guess.model = 0, guess.pose[3] = NAN;
  check (observe_and_track (b.s, &good, &b.frame, &guess, 1, &r) != NULL);
  ok (observe_and_track (b.s, &good, &b.frame, NULL, 0, &r));
  check (r.n_objects == 0);
  check (scopedetect_new (&s, &b.dev, 8, 8, NULL, 0) != NULL);
  scopedetect_free (s);
  check (scopedetect_new (&s, &b.dev, 0, 8,
             (const ScopedetectModel *const *) &b.model, 1) != NULL);
  scopedetect_free (s);
}

/* Frames in which there is nothing, or only noise, or only the table. */
static void
test_nothing (DeviceKind kind)
{
  AUTO (Bench) b;
  ScopedetectResults r;

  bench_open (&b, kind);
  for (int what = 0; what < 5; what++)
    for (int preset = 0; preset <= PRESET_THESIS; preset++) {
      ScopedetectParams p = solid_params ((Preset) preset);

      p.queries = p.random ? 0 : 300;
      p.samples = 200;
      p.align = p.align ? 1 : 0;
      p.climb = p.climb ? 2 : 0;
      p.last = 5;
      memset (b.depth, what == 1 ? 255 : 0, SOLID_BYTES);
      if (what == 2)
        solid_table (b.depth, SOLID_STRIDE, solid_pose (0, 0, .5));
      if (what == 3)
        for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
          b.depth[i] = (uint16_t) rnd (65536);
      if (what == 4) /* four points */
        b.depth[100] = b.depth[101] = b.depth[421] = b.depth[422] = 5000;
      ok (observe_and_search (b.s, &p, &b.frame, &r));
      check (what || (r.n_objects == 0 && !r.has_plane && r.n_points == 0));
      check (what != 2 || (r.has_plane && r.n_points < 100));
    }
}

/* Frames of one pixel, of odd sizes, with rows longer than they need be and
 * guard bytes behind them: which are not read, as the answer does not change,
 * and not written. */
static void
test_sizes (DeviceKind kind)
{
  AUTO (Model) model = solid_model (.012);
  Pose truth = solid_pose (.7, 0, .5);
  static const int sizes[][2] = {{1, 1}, {1, 50}, {77, 1}, {61, 47}};
  uint16_t whole[SOLID_WIDTH * SOLID_HEIGHT] = {0};
  AUTO (Device) dev;

  ok (device_open (&dev, kind, NULL));
  solid_draw (whole, SOLID_STRIDE, truth);
  for (int i = 0; i < 4; i++) {
    int w = sizes[i][0], h = sizes[i][1], stride = 2 * w + 6;
    ScopedetectParams p = solid_params (PRESET_FAST);
    ScopedetectObject first;
    ScopedetectResults r;
    AUTO (Detector) s;

    p.table = false;
    p.far = 6;
    ok (scopedetect_new (
        &s, &dev, w, h, (const ScopedetectModel *const *) &model, 1));
    for (int guard = 0; guard < 2; guard++) {
      ScopedetectFrame f = {w, h, NULL, stride, NULL, 0, {{0}}};
      uint8_t *bytes;

      ok (device_alloc_pinned (&dev, (void **) &bytes, (size_t) stride * h));
      f.depth = (const uint16_t *) (const void *) bytes;
      memset (bytes, guard ? 77 : 0, (size_t) stride * h);
      for (int y = 0; y < h; y++)
        memcpy (bytes + (size_t) y * stride,
            whole + (y + 100) * SOLID_WIDTH + 120, 2 * (size_t) w);
      ok (observe_and_search (s, &p, &f, &r));
      for (int y = 0; y < h; y++)
        for (int k = 2 * w; k < stride; k++)
          check (bytes[y * stride + k] == (guard ? 77 : 0));
      if (guard && r.n_objects)
        check (!memcmp (&first, r.objects, sizeof first));
      else if (r.n_objects)
        first = r.objects[0];
      device_release_pinned (&dev, bytes);
    }
  }
}

/* Frames whose seeds lie as close as they may: there is room for all segments.
 */
static void
test_seeds (DeviceKind kind)
{
  AUTO (Model) model = solid_model (.012);
  ScopedetectParams p = solid_params (PRESET_FAST);
  static const int sizes[][2] = {
      {447, 447}, {512, 384}, {575, 575}, {4096, 48}};
  AUTO (Device) dev;

  ok (device_open (&dev, kind, NULL));
  p.table = false;
  p.camera.fx = p.camera.fy = 200;
  p.align = 1;
  for (int i = 0; i < 4; i++) {
    int w = sizes[i][0], h = sizes[i][1];
    ScopedetectFrame f = {w, h, NULL, 2 * w, NULL, 0, {{0}}};
    ScopedetectResults r;
    Scopedetect *s;
    void *bytes;

    ok (scopedetect_new (
        &s, &dev, w, h, (const ScopedetectModel *const *) &model, 1));
    ok (device_alloc_pinned (&dev, &bytes, 2 * (size_t) w * (size_t) h));
    f.depth = bytes;
    ok (observe_and_search (s, &p, &f, &r));
    check (r.n_objects == 0 && r.n_points == 0);
    check (s->segments.n > 0 && s->segments.n <= SCOPEDETECT_MAX_SEGMENTS);
    scopedetect_free (s);
    device_release_pinned (&dev, bytes);
  }
}

/* ==== Observation on both backends: pixels, table, points with their
 * features, and segments are the same, byte for byte. ==== */

/* One backend's detector and its copy of a frame. */
typedef struct {
  Device dev;
  Scopedetect *s;
  ScopedetectFrame frame;
  uint16_t *depth;
  Image color;
} Side;

static void
side_open (Side *side, DeviceKind kind, int width, int height, int stride,
    ScopedetectModel *model)
{
  memset (side, 0, sizeof *side);
  ok (device_open (&side->dev, kind, NULL));
  ok (scopedetect_new (&side->s, &side->dev, width, height,
      (const ScopedetectModel *const *) &model, 1));
  ok (device_alloc (
      &side->dev, (void **) &side->depth, (size_t) stride * (size_t) height));
  side->frame =
      (ScopedetectFrame){width, height, side->depth, stride, NULL, 0, {{0}}};
}

static void
side_close (Side *side)
{
  scopedetect_free (side->s);
  device_release (&side->dev, side->depth);
  for (int p = 0; p < 3; p++)
    device_release (&side->dev, side->color.plane[p]);
  device_close (&side->dev);
}

AUTO_FREE (Side, side_close)

/* Observes @depth and @color, which may be NULL. */
static void
side_observe (Side *side, const ScopedetectParams *p, const uint16_t *depth,
    const Image *color)
{
  ScopedetectFrame *f = &side->frame;

  ok (device_copy (&side->dev, side->depth, depth,
      (size_t) f->depth_stride * (size_t) f->height));
  f->color = NULL;
  if (color) {
    for (int k = 0; k < 3; k++)
      device_release (&side->dev, side->color.plane[k]);
    side->color = *color;
    for (int k = 0; k < image_planes (color->format); k++) {
      size_t bytes = (size_t) color->stride[k] *
          (size_t) image_rows (color->format, color->height, k);

      ok (device_alloc (&side->dev, (void **) &side->color.plane[k], bytes));
      ok (device_copy (
          &side->dev, side->color.plane[k], color->plane[k], bytes));
    }
    f->color = &side->color;
  }
  ok (scopedetect_observe (side->s, p, f));
  if (!side->s->is_described) /* as a search does it on a CPU */
    ok (side->s->stages->describe_points (&side->dev, &side->s->counts->points,
        &side->s->scratch.neighbours, &side->s->cloud));
  ok (device_wait (&side->dev));
}

static void
same_bytes (const Side *gpu, const char *what, const void *theirs,
    const void *ours, size_t n, size_t size)
{
  AUTO_MEMORY uint8_t *copy = malloc (n * size + 1);
  size_t off = 0;

  ok (device_copy (&gpu->dev, copy, theirs, n * size));
  ok (device_wait (&gpu->dev));
  for (size_t i = 0; i < n; i++)
    off +=
        memcmp (copy + i * size, (const uint8_t *) ours + i * size, size) != 0;
  if (off)
    printf ("%s: %zu of %zu differ\n", what, off, n);
  check (off == 0);
}

#define SAME(field, n) \
 same_bytes (gpu, #field, a->field, b->field, (size_t) (n), sizeof *a->field)

static void
same_observation (const Side *gpu, const Side *cpu)
{
  const Scopedetect *a = gpu->s, *b = cpu->s;
  int pixels = a->scene.width * a->scene.height, n = a->cloud.n;
  const ScopedetectCounts *o = b->counts;
  ScopedetectCounts c;

  ok (device_copy (&gpu->dev, &c, a->counts, sizeof c));
  ok (device_wait (&gpu->dev));
  check (c.plane.is_found == o->plane.is_found);
  check (!c.plane.is_found ||
      !memcmp (c.plane.plane, o->plane.plane, sizeof c.plane.plane));
  check (c.points.n == o->points.n && c.points.n == n);
  check (c.points.n_left_out == o->points.n_left_out);
  SAME (scene.z, pixels);
  SAME (scene.pixel, pixels);
  check (n == b->cloud.n);
  if (n != b->cloud.n)
    return;
  SAME (cloud.x, n);
  SAME (cloud.normal, n);
  SAME (cloud.lab, n);
  SAME (cloud.grid.start, a->cloud.grid.mask + 2);
  SAME (cloud.grid.list, n);
  SAME (cloud.pc1, n);
  SAME (cloud.pc2, n);
  SAME (cloud.frame, n);
  SAME (cloud.spfh, (size_t) n * SCOPEDETECT_ROW);
  SAME (cloud.fpfh, (size_t) n * SCOPEDETECT_BINS);
  SAME (cloud.code, (size_t) n * SCOPEDETECT_CODE);
  check (a->segments.n == b->segments.n);
  if (!a->segments.n)
    return;
  SAME (scratch.label, pixels);
  SAME (segments.segment, a->segments.n);
}

/* A colour image of @format, of smooth colours with noise. */
static Image
parity_color (ImageFormat format, int width, int height)
{
  Image img = {.width = width,
      .height = height,
      .format = format,
      .matrix = IMAGE_BT709};

  for (int p = 0; p < image_planes (format); p++) {
    int bytes = image_row_bytes (format, width, p);
    int rows = image_rows (format, height, p);

    img.stride[p] = bytes + 5;
    img.plane[p] = calloc ((size_t) img.stride[p], (size_t) rows);
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < bytes; x++)
        img.plane[p][y * img.stride[p] + x] =
            (uint8_t) (x / 5 * 7 + y / 9 * 31 + (int) rnd (9));
  }
  return img;
}

static void
parity_free (Image *img)
{
  for (int p = 0; p < 3; p++)
    free (img->plane[p]);
}

static ScopedetectParams
parity_params (void)
{
  ScopedetectParams p = solid_params (PRESET_THESIS);

  p.queries = 0;
  p.fold_edge = .3;
  p.table_low = .005;
  return p;
}

/* A solid on a table, with a sensor's noise; the same without the table, with
 * colours in some formats, other passes of blurring, and without a plane. */
static void
parity_solid (Side *gpu, Side *cpu)
{
  static const ImageFormat formats[] = {IMAGE_RGB, IMAGE_NV12, IMAGE_GRAY8};
  static uint16_t depth[SOLID_WIDTH * SOLID_HEIGHT];

  for (int k = 0; k < 6; k++) {
    Pose truth = solid_pose (.7 + k, .02 * k, .5);
    ScopedetectParams p = parity_params ();
    Image color = {.width = 0};

    memset (depth, 0, sizeof depth);
    solid_draw (depth, 2 * SOLID_WIDTH, truth);
    if (k != 1)
      solid_table (depth, 2 * SOLID_WIDTH, truth);
    for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
      if (depth[i])
        depth[i] = rnd (50) ? (uint16_t) (depth[i] + rnd (21)) : 0;
    if (k < 3)
      color = parity_color (formats[k], SOLID_WIDTH, SOLID_HEIGHT);
    p.table = k != 2;
    p.edge_blur = (const int[]){6, 0, 1, 8, 9, 16}[k];
    p.seed = check_seed + (uint64_t) k;
    if (k == 5)
      p.align = 0, p.weight[SCOPEDETECT_AFFINITY] = 0;
    side_observe (gpu, &p, depth, k < 3 ? &color : NULL);
    side_observe (cpu, &p, depth, k < 3 ? &color : NULL);
    same_observation (gpu, cpu);
    check (cpu->s->cloud.n > 100);
    check (k == 1 || k == 2 || cpu->s->counts->plane.is_found);
    parity_free (&color);
  }
}

/* Nothing, only what is too far, only the table, noise, four pixels. */
static void
parity_nothing (Side *gpu, Side *cpu)
{
  static uint16_t depth[SOLID_WIDTH * SOLID_HEIGHT];

  for (int what = 0; what < 5; what++) {
    ScopedetectParams p = parity_params ();

    memset (depth, what == 1 ? 255 : 0, sizeof depth);
    if (what == 2)
      solid_table (depth, 2 * SOLID_WIDTH, solid_pose (0, 0, .5));
    for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT && what == 3; i++)
      depth[i] = (uint16_t) rnd (65536);
    if (what == 4)
      depth[100] = depth[101] = depth[421] = depth[422] = 5000;
    side_observe (gpu, &p, depth, NULL);
    side_observe (cpu, &p, depth, NULL);
    same_observation (gpu, cpu);
  }
}

/* Frames of odd and tiny sizes, with padded rows; and one with more cells than
 * there is room for points. */
static void
parity_sizes (ScopedetectModel *model)
{
  static const int sizes[][2] = {
      {1, 1}, {1, 50}, {77, 1}, {2, 3}, {61, 47}, {401, 399}};

  for (int k = 0; k < 6; k++) {
    int width = sizes[k][0], height = sizes[k][1], stride = 2 * width + 6;
    AUTO_MEMORY uint16_t *depth = calloc ((size_t) height, (size_t) stride);
    Image color = parity_color (IMAGE_I420, width, height);
    ScopedetectParams p = parity_params ();
    AUTO (Side) gpu, cpu;

    p.table = k == 4;
    p.normal_radius = .1;
    for (int i = 0; i < height * stride / 2; i++)
      depth[i] = (uint16_t) (5000 + rnd (k == 5 ? 10000 : 60));
    side_open (&gpu, DEVICE_CUDA, width, height, stride, model);
    side_open (&cpu, DEVICE_CPU, width, height, stride, model);
    side_observe (&gpu, &p, depth, &color);
    side_observe (&cpu, &p, depth, &color);
    same_observation (&gpu, &cpu);
    check ((cpu.s->counts->points.n_left_out > 0) == (k == 5));
    parity_free (&color);
  }
}

static void
test_observe_parity (DeviceKind kind)
{
  AUTO (Model) model = solid_model (.004);
  Side gpu, cpu;

  side_open (
      &gpu, DEVICE_CUDA, SOLID_WIDTH, SOLID_HEIGHT, 2 * SOLID_WIDTH, model);
  side_open (
      &cpu, DEVICE_CPU, SOLID_WIDTH, SOLID_HEIGHT, 2 * SOLID_WIDTH, model);
  parity_solid (&gpu, &cpu);
  parity_nothing (&gpu, &cpu);
  side_close (&gpu);
  side_close (&cpu);
  parity_sizes (model);
}

/* ==== CPU against GPU: each round from the same observation, and whole
 * frames.  All results are equal bit for bit. ==== */

typedef struct {
  Bench cpu, gpu;
} Both;

/* Calls a stage of detector s on each side. */
#define STAGE(b, stage, ...) \
 do { \
  Scopedetect *s = (b)->cpu.s; \
\
  ok (s->stages->stage (&s->device, __VA_ARGS__)); \
  s = (b)->gpu.s; \
  ok (s->stages->stage (&s->device, __VA_ARGS__)); \
 } while (0)

static void
both_open (Both *b)
{
  bench_open (&b->cpu, DEVICE_CPU);
  bench_open (&b->gpu, DEVICE_CUDA);
}

static void
both_close (Both *b)
{
  bench_close (&b->cpu);
  bench_close (&b->gpu);
}

AUTO_FREE (Both, both_close)

/* @bytes of the GPU's memory, the caller's to free (). */
static void *
fetch (Both *b, const void *from, size_t bytes)
{
  void *copy = malloc (bytes ? bytes : 1);

  ok (device_copy (&b->gpu.dev, copy, from, bytes));
  ok (device_wait (&b->gpu.dev));
  return copy;
}

static bool
same (Both *b, const void *cpu, const void *gpu, size_t bytes)
{
  void *copy = fetch (b, gpu, bytes);
  bool alike = !memcmp (cpu, copy, bytes);

  free (copy);
  return alike;
}

#define GIVE(b, field, n) \
 ok (device_copy (&(b)->gpu.dev, (b)->gpu.s->field, (b)->cpu.s->field, \
     (size_t) (n) * sizeof *(b)->cpu.s->field))

/* What the CPU has observed becomes what the GPU has, in the memory that it has
 * for it; and both begin to search. */
static void
give_observation (Both *b)
{
  Scopedetect *c = b->cpu.s, *g = b->gpu.s;
  ScopedetectScoring *scoring = &g->rounds.scoring;
  ScopedetectScene scene = c->scene;
  int pixels = c->scene.width * c->scene.height;

  scene.z = g->scene.z, scene.pixel = g->scene.pixel;
  g->scene = scoring->scene = scene;
  g->params = scoring->params = c->params;
  g->segments.lattice = c->segments.lattice;
  g->segments.n = c->segments.n;
  scoring->segments = g->segments;
  g->cloud.n = c->cloud.n;
  g->queries = c->queries;
  g->matches.k = c->matches.k;
  g->rounds.frame = g->cloud.frame;
  g->rounds.models.n = c->rounds.models.n;
  g->rounds.models.shape[0] = g->shape[0];
  c->hypotheses = c->no_hypotheses, g->hypotheses = g->no_hypotheses;
  GIVE (b, scene.z, pixels);
  GIVE (b, scene.pixel, pixels);
  GIVE (b, cloud.x, c->cloud.n);
  GIVE (b, cloud.frame, c->cloud.n);
  GIVE (b, cloud.code, c->cloud.n * SCOPEDETECT_CODE);
  GIVE (b, segments.segment, SCOPEDETECT_MAX_SEGMENTS);
  GIVE (b, counts, 1);
}

/* The hypotheses of both, in their order. */
static void
compare_hypotheses (Both *b, const char *after, bool parts)
{
  const ScopedetectHypotheses *c = &b->cpu.s->hypotheses;
  const ScopedetectHypotheses *g = &b->gpu.s->hypotheses;
  int n = c->n[0], wrong = 0;
  int *gpu_n = fetch (b, g->n, sizeof *gpu_n);
  ScopedetectHypothesis *hypothesis =
      fetch (b, g->of, (size_t) n * sizeof *hypothesis);

  check (*gpu_n == n);
  check (c->bound == g->bound && n <= c->bound);
  for (int i = 0; i < n; i++) {
    const ScopedetectHypothesis *x = &c->of[i], *y = &hypothesis[i];

    wrong += x->id != y->id || x->score != y->score ||
        memcmp (&x->pose, &y->pose, sizeof x->pose) ||
        (parts && memcmp (x->part, y->part, sizeof x->part));
  }
  if (wrong || *gpu_n != n)
    printf ("     after %s: %d of %d hypotheses differ, GPU %d\n", after, wrong,
        n, *gpu_n);
  check (!wrong);
  free (gpu_n);
  free (hypothesis);
}

#define MODELS &s->rounds.models
#define HYPOTHESES &s->hypotheses
#define SCORING &s->rounds.scoring
#define CLUSTER(b, max) \
 STAGE (b, cluster_poses, MODELS, p, max, s->scratch.sieve, HYPOTHESES)
#define SCORE(b, points) \
 STAGE (b, score_poses, SCORING, MODELS, points, s->scratch.shares, HYPOTHESES)

static void
compare_search (Both *b, const ScopedetectParams *p)
{
  const Scopedetect *c = b->cpu.s, *g = b->gpu.s;
  size_t n = (size_t) c->queries.n * (size_t) p->neighbours;
  int max = p->random ? p->samples : p->kept;

  STAGE (b, match_features, &s->cloud, &s->queries, MODELS, &s->matches);
  check (same (
      b, c->matches.point, g->matches.point, n * sizeof *c->matches.point));
  STAGE (b, choose_poses, &s->scene, &s->cloud, &s->queries, MODELS,
      &s->matches, p, max, &s->scratch.checks, HYPOTHESES);
  if (!p->random)
    check (same (b, c->scratch.checks.score, g->scratch.checks.score,
        2 * n * sizeof *c->scratch.checks.score));
  compare_hypotheses (b, "choose", false);
  if (p->random)
    CLUSTER (b, p->samples);
  STAGE (b, verify_poses, &s->scene, MODELS, p, HYPOTHESES);
  compare_hypotheses (b, "verify", false);
  if (!p->random) {
    CLUSTER (b, 2000);
    SCORE (b, p->points);
    compare_hypotheses (b, "first score", true);
  }
  CLUSTER (b, p->clusters);
  compare_hypotheses (b, "cluster", false);
}

static void
compare_refinement (Both *b, const ScopedetectParams *p)
{
  float gate = (float) p->tolerance;

  STAGE (b, refine_poses, &s->scene, MODELS, p->points, p->refine, 2 * gate,
      .6f * gate, HYPOTHESES);
  compare_hypotheses (b, "refine", false);
  SCORE (b, p->points);
  compare_hypotheses (b, "score", true);
  for (int k = 0; k < p->align; k++)
    STAGE (b, align_poses, SCORING, s->cloud.frame, MODELS, k, HYPOTHESES);
  compare_hypotheses (b, "align", true);
  CLUSTER (b, p->last);
  STAGE (b, climb_poses, SCORING, MODELS, p->climb, HYPOTHESES);
  compare_hypotheses (b, "climb", true);
  SCORE (b, 0);
  compare_hypotheses (b, "last score", true);
  CLUSTER (b, SCOPEDETECT_FOUND);
  STAGE (b, measure_poses, &s->scene, MODELS, gate, HYPOTHESES, s->measure);
  ok (device_wait (&b->gpu.dev));
  check (!memcmp (b->cpu.s->measure, b->gpu.s->measure,
      (size_t) b->cpu.s->hypotheses.n[0] * sizeof (ScopedetectMeasure)));
}

/* Each stage of the rounds, of one observation. */
static void
test_rounds (DeviceKind kind)
{
  AUTO (Both) b;

  both_open (&b);
  for (int preset = 0; preset <= PRESET_THESIS; preset++) {
    Pose truth = solid_pose (rnd (600) * .01, 0, .5);
    ScopedetectParams p = solid_params ((Preset) preset);
    ScopedetectResults r;

    memset (b.cpu.depth, 0, SOLID_BYTES);
    solid_draw (b.cpu.depth, SOLID_STRIDE, truth);
    solid_table (b.cpu.depth, SOLID_STRIDE, truth);
    add_noise (&b.cpu, 10);
    p.clusters = 800; /* more than are decided at once */
    p.free_part = .2;
    p.align = p.align ? p.align : 2;
    p.climb = p.climb ? p.climb : 3;
    p.weight[SCOPEDETECT_AFFINITY] = p.weight[SCOPEDETECT_SEGMENT] = .2;
    ok (observe_and_search (b.cpu.s, &p, &b.cpu.frame, &r));
    give_observation (&b);
    compare_search (&b, &p);
    compare_refinement (&b, &p);
  }
}

/* Hypotheses and measures of the only model in @search of the last frame. */
static void
compare_found (const Both *b, int search)
{
  const ScopedetectFindings *c = &b->cpu.s->found.by[search];
  const ScopedetectFindings *g = &b->gpu.s->found.by[search];

  check (c->n[0] == g->n[0]);
  for (int k = 0; k < c->n[0] && k < g->n[0]; k++) {
    const ScopedetectHypothesis *a = &c->hypothesis[k], *e = &g->hypothesis[k];

    check (!memcmp (&c->measure[k], &g->measure[k], sizeof *c->measure));
    check (!memcmp (a, e, sizeof *a));
    if (memcmp (&a->pose, &e->pose, sizeof a->pose) || a->score != e->score)
      printf (
          "     search %d, hypothesis %d: score %d on the CPU, %d on the GPU\n",
          search, k, a->score, e->score);
    for (int i = 0; i < SCOPEDETECT_N_PARTS; i++)
      if (memcmp (&a->part[i], &e->part[i], sizeof a->part[i]))
        printf (
            "     hypothesis %d, part %d: %.9g on the CPU, %.9g on the GPU\n",
            k, i, a->part[i], e->part[i]);
  }
}

static void
compare_frame (Both *b, const ScopedetectParams *p)
{
  ScopedetectResults r, g;

  memcpy (b->gpu.depth, b->cpu.depth, SOLID_BYTES);
  ok (observe_and_search (b->cpu.s, p, &b->cpu.frame, &r));
  ok (observe_and_search (b->gpu.s, p, &b->gpu.frame, &g));
  compare_found (b, 0);
  compare_found (b, 1);
  check (b->cpu.s->candidates.n == b->gpu.s->candidates.n);
  check (r.search.second == g.search.second);
  check (
      r.search.steps == g.search.steps && r.search.n_rest == g.search.n_rest);
  check (r.n_objects == g.n_objects && r.n_points == g.n_points);
  check (
      r.has_plane == g.has_plane && !memcmp (r.plane, g.plane, sizeof r.plane));
  check (r.n_objects == g.n_objects &&
      !memcmp (r.objects, g.objects, (size_t) r.n_objects * sizeof *r.objects));
  for (int i = 0; i < r.n_objects && i < g.n_objects; i++)
    if (memcmp (&r.objects[i], &g.objects[i], sizeof *r.objects))
      printf ("     object %d: score %.9g on the CPU, %.9g on the GPU\n", i,
          r.objects[i].score, g.objects[i].score);
}

/* Frames with an object, with noise alone, with a table alone, with hardly
 * anything and with nothing. */
static void
draw_frame (Bench *b, int what)
{
  Pose truth = solid_pose (rnd (600) * .01, 0, .5);

  memset (b->depth, what == 1 ? 255 : 0, SOLID_BYTES);
  if (what == 3)
    for (int i = 0; i < SOLID_WIDTH * SOLID_HEIGHT; i++)
      b->depth[i] = (uint16_t) rnd (65536);
  if (what == 4)
    b->depth[100] = b->depth[101] = b->depth[421] = b->depth[422] = 5000;
  if (what > 4)
    solid_draw (b->depth, SOLID_STRIDE, truth);
  if (what == 2 || what == 5)
    solid_table (b->depth, SOLID_STRIDE, truth);
  if (what > 4)
    add_noise (b, 10);
}

static void
test_frames (DeviceKind kind)
{
  AUTO (Both) b;

  both_open (&b);
  for (int what = 0; what < 7; what++)
    for (int preset = 0; preset <= PRESET_THESIS; preset++) {
      ScopedetectParams p = solid_params ((Preset) preset);

      p.max_objects = 8;
      p.table_low = .005;
      p.queries = p.random ? 0 : 400;
      p.min_rest = 1;
      if (preset == PRESET_FAST)
        p.explain = SCOPEDETECT_TWO_STAGE;
      if (preset == PRESET_THOROUGH)
        p.explain_score = SCOPEDETECT_SCORE_THESIS;
      draw_frame (&b.cpu, what);
      compare_frame (&b, &p);
    }
}

/* Frames that are aligned by segments; and the same params but without that,
 * and with it again, which is not what was recorded. */
static void
test_changes (DeviceKind kind)
{
  AUTO (Both) b;
  ScopedetectParams p = solid_params (PRESET_FAST);

  both_open (&b);
  p.queries = 400;
  p.clusters = 40;
  p.max_objects = 8;
  p.table_low = .005;
  for (int frame = 0; frame < 12; frame++) {
    bool with = frame < 3 || frame > 5;

    p.align = with ? 2 : 0;
    p.weight[SCOPEDETECT_SEGMENT] = with && frame < 9 ? .5 : 0;
    draw_frame (&b.cpu, frame < 9 ? 5 + frame % 2 : frame - 7);
    compare_frame (&b, &p);
  }
}

/* Near what was found; frame after frame, so that the GPU repeats what it has
 * recorded. */
static void
test_tracked (DeviceKind kind)
{
  AUTO (Both) b;
  ScopedetectParams p = solid_params (PRESET_FAST);
  ScopedetectObject guess[3] = {0};
  ScopedetectResults r, g;
  int n_objects = 0; /* of all frames: not every guess leads to one */

  both_open (&b);
  p.max_objects = 3;
  for (int frame = 0; frame < 4; frame++) {
    draw_frame (&b.cpu, 5);
    memcpy (b.gpu.depth, b.cpu.depth, SOLID_BYTES);
    for (int i = 0; i < 3; i++)
      solid_numbers (
          solid_pose (.5 * i + .1 * frame, .01 * i, .5), guess[i].pose);
    ok (observe_and_track (b.cpu.s, &p, &b.cpu.frame, guess, 3, &r));
    ok (observe_and_track (b.gpu.s, &p, &b.gpu.frame, guess, 3, &g));
    compare_found (&b, 0);
    check (r.n_objects == g.n_objects &&
        !memcmp (
            r.objects, g.objects, (size_t) r.n_objects * sizeof *r.objects));
    n_objects += r.n_objects;
  }
  check (n_objects > 0);
}

/* ==== The thesis's table 3.1: milliseconds a query or a hypothesis of what it
 * ran side by side, here on generated frames; and each stage of whole
 * detections. ==== */

#define BENCH_REPEATS 20

typedef struct {
  const char *name;
  double cpu, gpu; /* of the thesis, ms */
  int n;           /* queries or hypotheses */
  int points;      /* of the model; rounds 1 and 2 look at 500 of them */
} ThesisRow;

static const ThesisRow thesis_rows[] = {
    {"kNN, a query", .470, .136, 2000, 10000},
    {"round 1, a hypothesis", .094, .005, 2000, 8000},
    {"round 2, a hypothesis", .463, .019, 400, 8000},
    {"round 3, a hypothesis", 4.703, .123, 50, 8000},
    {"alignment, a hypothesis", 111.33, 7.132, 50, 8000}};

/* Leaves the model its first @n points, which are as random as all. */
static void
keep_points (ScopedetectModel *model, int n)
{
  ScopedetectShape *s = &model->shape;
  uint32_t kept = 0;

  check (s->n >= n);
  for (int v = 0; v < SCOPEDETECT_VIEWS; v++) {
    uint32_t i = s->edge_first[v], last = s->edge_first[v + 1];

    memmove (s->ved + (size_t) v * n, s->ved + (size_t) v * s->n, n);
    s->edge_first[v] = kept;
    for (; i < last; i++)
      if ((int) s->edge[i] < n)
        s->edge[kept++] = s->edge[i];
  }
  s->edge_first[SCOPEDETECT_VIEWS] = kept;
  s->n_edges = (int) kept;
  s->n = n;
  free (s->nearest);
  ok (scopedetect_set_nearest (s));
}

/* Poses about the truth, as many as a round has. */
static void
scatter (Bench *b, Pose truth, int n)
{
  const Device *dev = &b->dev;
  ScopedetectHypotheses *h = &b->s->hypotheses;
  ScopedetectHypothesis *hypothesis = calloc ((size_t) n, sizeof *hypothesis);

  for (int i = 0; i < n; i++) {
    float a = (float) i / (float) n - .5f;

    hypothesis[i].id = (uint32_t) i;
    hypothesis[i].pose = pose_moved (
        truth, vec (.05f * a, 0, .03f * a), vec (.01f * a, .02f * a, 0));
  }
  h->bound = n;
  ok (device_copy (dev, h->of, hypothesis, (size_t) n * sizeof *hypothesis));
  ok (device_copy (dev, h->n, &n, sizeof n));
  ok (device_wait (dev));
  free (hypothesis);
}

/* What row @k of the table does. */
static void
run_row (Bench *b, int k)
{
  Scopedetect *s = b->s;
  const ScopedetectStages *t = s->stages;
  ScopedetectShares *shares = s->scratch.shares;

  switch (k) {
    case 0:
      ok (t->match_features (
          &b->dev, &s->cloud, &s->queries, MODELS, &s->matches));
      break;
    case 1:
      ok (t->verify_poses (&b->dev, &s->scene, MODELS, &s->params, HYPOTHESES));
      break;
    case 2:
      ok (t->score_poses (&b->dev, SCORING, MODELS, 500, shares, HYPOTHESES));
      break;
    case 3:
      ok (t->score_poses (&b->dev, SCORING, MODELS, 0, shares, HYPOTHESES));
      break;
    case 4:
      ok (t->climb_poses (&b->dev, SCORING, MODELS, 20, HYPOTHESES));
      break;
  }
}

/* The median, ms; on the CPU, the time of all threads. */
static double
time_row (Bench *b, Pose truth, int k)
{
  int repeats = b->dev.kind == DEVICE_CUDA ? BENCH_REPEATS : 1;
  double ms[BENCH_REPEATS];
  DeviceTimer timer = {0};

  for (int i = 0; i < repeats; i++) {
    double start;

    scatter (b, truth, thesis_rows[k].n);
    start = cpu_seconds ();
    ok (device_timer_begin (&b->dev, &timer));
    run_row (b, k);
    ok (device_timer_end (&b->dev, &timer, &ms[i]));
    if (b->dev.kind == DEVICE_CPU)
      ms[i] = cpu_seconds () - start;
    ms[i] *= 1e3;
  }
  device_timer_free (&timer);
  return bench_median (ms, repeats);
}

static void
bench_row (Both *b, const ThesisRow *row, Pose truth, bool gpu)
{
  int k = (int) (row - thesis_rows);
  double all = gpu ? time_row (&b->gpu, truth, k) : 0;
  double cpu = time_row (&b->cpu, truth, k) / row->n;

  printf ("%-20s %6d %6d %9.3f %9.3f %10.4f %10.6f %9.4f %7.0f\n", row->name,
      row->n, row->points, row->cpu, row->gpu, cpu, all / row->n, all,
      gpu ? cpu * row->n / all : 0);
}

/* The rows from @first to @last - 1, which have the same points of @model, with
 * a scene that CPU and GPU observe alike. */
static void
bench_rows (ScopedetectModel *model, const ThesisRow *first,
    const ThesisRow *last, bool gpu)
{
  Pose truth = solid_pose (.7, 0, .5);
  ScopedetectParams p = solid_params (PRESET_THESIS);
  ScopedetectResults r;
  Both b;

  keep_points (model, first->points);
  bench_open_model (&b.cpu, DEVICE_CPU, model);
  solid_draw (b.cpu.depth, SOLID_STRIDE, truth);
  solid_table (b.cpu.depth, SOLID_STRIDE, truth);
  p.queries = 2000;
  ok (observe_and_search (b.cpu.s, &p, &b.cpu.frame, &r));
  if (gpu) {
    bench_open_model (&b.gpu, DEVICE_CUDA, model);
    give_observation (&b);
  }
  for (const ThesisRow *row = first; row < last; row++)
    bench_row (&b, row, truth, gpu);
  b.cpu.model = b.gpu.model = NULL; /* not theirs */
  bench_close (&b.cpu);
  if (gpu)
    bench_close (&b.gpu);
}

static int
bench_table (int argc, char **argv)
{
  bool gpu = !device_cuda_probe ();
  ScopedetectModel *model = solid_model (.0013);

  printf ("%-20s %6s %6s %9s %9s %10s %10s %9s %7s\n", "ms", "n", "points",
      "thesis CPU", "GPU", "CPU", "GPU", "GPU, all", "ratio");
  bench_rows (model, thesis_rows, thesis_rows + 1, gpu);
  bench_rows (model, thesis_rows + 1, thesis_rows + 5, gpu);
  scopedetect_model_free (model);
  return check_failures != 0;
}

static const CheckPart parity[] = {{"observation", test_observe_parity},
    PART (rounds), PART (frames), PART (tracked), PART (changes), {NULL, NULL}};

CHECK_MAIN (parity, bench_table, {"parts of a score", test_parts},
    {"ways to align", test_ways}, PART (observed), {"on a table", test_table},
    PART (plane), PART (wide), {"far wall", test_far_wall},
    {"band without depth", test_band}, {"two, and again", test_two},
    {"as in the thesis", test_thesis}, PART (params), PART (free),
    {"nothing there", test_nothing}, PART (sizes), PART (seeds), PART (outline),
    {"eight at once", test_lanes})
