/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gpuccl on real outliers, where VISION_TEST_DATA names them: what others found
 * in the same maps.  reference_stats.json was made with scipy's csgraph, for
 * three ways to hang together. */
#include <json-glib/json-glib.h>

#include "gpuccl_find.h"
#include "gpuccl_png.h"

static char folder[1024];

static const struct {
  const char *name, *depth;
  double step, scale;
} ways[] = {{"raw_10mm", "depth_mm", .01, .001},
    {"bil_100x0.1mm", "depth_bilateral_um10", .01, .0001},
    {"binary4", "depth_mm", 0, .001}};

static uint16_t *
read_picture (const char *name, const char *kind)
{
  char path[2048];

  snprintf (path, sizeof path, "%s/%s_%s.png", folder, name, kind);
  return png_read (path, 640, 480);
}

/* Reads map @name of the frame, and depth by @way. */
static Input
input_of (const char *name, int way)
{
  Input in = input_new (GPUCCL_CLASSES, 640, 480, true);
  uint16_t *map = read_picture (name, "class");
  uint16_t *depth = read_picture (name, ways[way].depth);

  for (int i = 0; map && depth && i < 640 * 480; i++) {
    *map_at (&in, i % 640, i / 640) = (uint8_t) map[i];
    *depth_at (&in, i % 640, i / 640) = depth[i];
  }
  free (map);
  free (depth);
  return in;
}

static bool
has_md5 (const uint32_t *labels, const char *expected)
{
  g_autofree char *sum = g_compute_checksum_for_data (
      G_CHECKSUM_MD5, (const guchar *) labels, 640 * 480 * sizeof *labels);

  return !strcmp (sum, expected);
}

static double
number (JsonObject *o, const char *member)
{
  return json_object_get_double_member (o, member);
}

static void
compare_largest (const Found *f, JsonObject *o)
{
  const GpucclComponent *c = &f->components[0];
  JsonArray *box = json_object_get_array_member (o, "bbox");
  JsonArray *centroid = json_object_get_array_member (o, "centroid");

  check (c->sum.label == number (o, "largest_label"));
  check (c->sum.area == number (o, "area"));
  check (c->sum.box.x0 == json_array_get_int_element (box, 0));
  check (c->sum.box.y0 == json_array_get_int_element (box, 1));
  check (c->sum.box.x1 == json_array_get_int_element (box, 2) + 1);
  check (c->sum.box.y1 == json_array_get_int_element (box, 3) + 1);
  check_near (c->cx, json_array_get_double_element (centroid, 0), 6e-5);
  check_near (c->cy, json_array_get_double_element (centroid, 1), 6e-5);
  check (c->measured);
  check_near (c->fill, number (o, "fill"), 6e-5);
  check_near (c->mean_width, number (o, "avgw"), 6e-5);
  check_near (c->mean_height, number (o, "avgh"), 6e-5);
}

/* Which of the measures decide, with the paper's thresholds. */
static void
compare_verdict (
    DeviceKind kind, GpucclParams p, const Input *in, JsonObject *o)
{
  AUTO (Found) f;
  int large = 0;

  p.min_size = 3499; /* the reference counts from 3500 on */
  f = find (kind, &p, in);
  check ((f.components[0].state == GPUCCL_NEW) ==
      json_object_get_boolean_member (o, "pass_paper_criteria"));
  for (int i = 0; i < f.results.n_components; i++)
    large += f.components[i].sum.area >= 3500;
  check (large == number (o, "ncomp_ge3500"));
}

static void
compare_way (DeviceKind kind, const char *name, int way, JsonObject *o)
{
  AUTO (Input) in = input_of (name, way);

  for (int k = GPUCCL_RUN; k <= GPUCCL_HIERARCHICAL; k++) {
    GpucclParams p = gpuccl_defaults ();
    Found f;

    p.algorithm = (GpucclAlgorithm) k;
    p.filter = GPUCCL_NO_FILTER;
    p.max_depth_step = ways[way].step;
    p.depth_scale = ways[way].scale;
    p.min_size = 0;
    f = find (kind, &p, &in);
    check (f.results.n_labels == number (o, "ncomp"));
    check (has_md5 (f.labels, json_object_get_string_member (o, "label_crc")));
    compare_largest (&f, o);
    found_free (&f);
    if (k == GPUCCL_RUN)
      compare_verdict (kind, p, &in, o);
  }
}

static void
test_reference (DeviceKind kind)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autofree char *path =
      g_build_filename (folder, "reference_stats.json", NULL);
  g_autoptr (GList) names = NULL;
  JsonObject *all;

  check (json_parser_load_from_file (parser, path, NULL));
  all = json_node_get_object (json_parser_get_root (parser));
  names = json_object_get_members (all);
  check (g_list_length (names) == 11);
  for (GList *l = names; l; l = l->next) {
    JsonObject *map = json_object_get_object_member (all, l->data);

    for (int way = 0; way < 3; way++)
      compare_way (kind, l->data, way,
          json_object_get_object_member (map, ways[way].name));
  }
}

/* OpenCV's connectedComponents with 4 and with 8 neighbours. */
static void
test_opencv (DeviceKind kind)
{
  static const struct {
    const char *name;
    uint32_t four, eight;
  } known[] = {{"cleaning_whiteboard", 427, 334}, {"opening_door", 892, 713},
      {"person_standing", 665, 455}, {"semi_f20", 554, 405}};

  for (int i = 0; i < 4; i++) {
    AUTO (Input) in = input_of (known[i].name, 2);
    GpucclParams p = gpuccl_defaults ();
    AUTO (Found) four, eight;

    p.max_depth_step = 0;
    four = find (kind, &p, &in);
    p.connectivity = 8;
    eight = find (kind, &p, &in);
    check (four.results.n_labels == known[i].four);
    check (eight.results.n_labels == known[i].eight);
  }
}

/* nvblox removes components of less than 10000 pixels from this mask and keeps
 * 11603. */
static void
test_nvblox (DeviceKind kind)
{
  AUTO (Input) in = input_new (GPUCCL_MASK, 640, 480, false);
  AUTO_MEMORY uint16_t *mask = read_picture ("../nvblox/mask", "21");
  GpucclParams p = gpuccl_defaults ();
  uint32_t kept = 0;
  AUTO (Found) f;

  for (int i = 0; mask && i < 640 * 480; i++)
    *map_at (&in, i % 640, i / 640) = (uint8_t) mask[i];
  p.min_area = 10000;
  f = find (kind, &p, &in);
  for (int i = 0; i < f.results.n_components; i++)
    kept += f.components[i].sum.area;
  check (kept == 11603);
}

/* Mean of what OpenCV's filter makes of a component, millimetres; 0 where its
 * 16 bits did not suffice. */
static double
mean_of (const uint16_t *tenths, const Found *f, const GpucclSum *s)
{
  double sum = 0;

  for (int y = s->box.y0; y < s->box.y1; y++)
    for (int x = s->box.x0; x < s->box.x1; x++)
      if (f->labels[y * 640 + x] == s->label) {
        if (tenths[y * 640 + x] == 65535)
          return 0;
        sum += tenths[y * 640 + x] / 10.;
      }
  return sum / s->area;
}

/* The bilateral filter that the maps came with, OpenCV's in floats, and ours.
 * They differ by what is rounded to millimetres, by weights that are less than
 * 8 bits hold, and at the frame's border, which OpenCV mirrors. */
static void
test_filtered (DeviceKind kind)
{
  static const char *const names[] = {"opening_door", "robot", "semi_f30"};

  for (int i = 0; i < 3; i++) {
    AUTO (Input) in = input_of (names[i], 0);
    AUTO_MEMORY uint16_t *other =
        read_picture (names[i], "depth_bilateral_um10");
    GpucclParams p = gpuccl_defaults ();
    int compared = 0;
    AUTO (Found) f;

    p.max_depth_step = 0;
    p.max_components = GPUCCL_MAX_COMPONENTS;
    p.min_area = 1;
    f = find (kind, &p, &in);
    for (int k = 0; other && k < f.results.n_components; k++) {
      const GpucclComponent *c = &f.components[k];
      double mean = mean_of (other, &f, &c->sum);
      bool inside = c->sum.box.x0 > 2 && c->sum.box.y0 > 2 &&
          c->sum.box.x1 < 638 && c->sum.box.y1 < 478;

      compared += mean > 0 && inside;
      if (mean > 0 && inside)
        check_near (c->depth * 1000, mean, c->sum.area > 100 ? .2 : 2);
    }
    check (compared > 300);
  }
}

/* The body that moves in the semi-synthetic frames, from raw depth. */
static void
test_moving_body (DeviceKind kind)
{
  static const char *const names[] = {
      "semi_f20", "semi_f25", "semi_f30", "semi_f40", "semi_f50"};

  for (int i = 0; i < 5; i++) {
    AUTO (Input) in = input_of (names[i], 0);
    AUTO_MEMORY uint16_t *truth = read_picture (names[i], "gtmask");
    GpucclParams p = gpuccl_defaults ();
    int both = 0, either = 0;
    AUTO (Found) f;

    p.frames = 1;
    f = find (kind, &p, &in);
    check (f.results.accepted == 0);
    for (int at = 0; truth && at < 640 * 480; at++) {
      bool found = f.labels[at] == f.components[0].sum.label;

      both += found && truth[at];
      either += found || truth[at];
    }
    printf ("%s: IoU %.3f\n", names[i], (double) both / either);
    check (both >= .91 * either);
  }
}

static const CheckPart on_each[] = {{"reference", test_reference},
    {"OpenCV's counts", test_opencv}, {"nvblox's mask", test_nvblox},
    {"OpenCV's filter", test_filtered}, {"a moving body", test_moving_body},
    {NULL, NULL}};

int
main (int argc, char **argv)
{
  const char *data = getenv ("VISION_TEST_DATA");

  snprintf (
      folder, sizeof folder, "%s/ccl/derived_outlier_maps", data ? data : "");
  if (!data || !g_file_test (folder, G_FILE_TEST_IS_DIR)) {
    printf ("SKIP: VISION_TEST_DATA names no folder with ccl's maps\n");
    return 77;
  }
  return check_main (argc, argv, on_each, NULL, NULL);
}
