/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Texts of properties, good, bad and neither, and the files that they name, in
 * a folder of their own, which is the current one while the program runs. */
#include "stress.h"

#include <cairo.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../scopedetect/scopedetect_solid.h"

#define DEPTH_WIDTH 64
#define DEPTH_HEIGHT 48

static gchar *folder, *before;
static guint16 depth[DEPTH_WIDTH * DEPTH_HEIGHT];

typedef struct {
  const gchar *element, *property; /* element NULL: any */
  const gchar *texts[16];
} Texts;

static const Texts table[] = {
    {NULL, "objects",
        {"red:#c70d0d~22.0", "a:rgb=0..255,0..255,0..255",
            "r:hsv=350..10,50..100,30..100;y:yuv=0..255,0..127,0..255;g:rg=0.."
            "1,"
            "0..1,0..1",
            "l:lab=0..100,-128..127,-128..127", "x:roi=0,0,4,4", "x:roi=meta",
            "x:roi=-5,3,99999,2;y:#ffffff~1", "a:#000000~441;b:#808080~1e9",
            "a:rgb=5..3,1..1,0..999", "x:roi=0,0,4,4+roi=8,2,4,4-roi=0,8,9,3",
            "x:roi=3,3+roi=9,9@.02-roi=meta", "x:roi=2,2,5,5@.05-roi=2,2,5,5",
            "a:roi=1,1,3,3;b:roi=4,4+roi=1,1,3,3@1e9;red:#c70d0d~60",
            "x:roi=1,1+roi=2,2-roi=3,3+roi=4,4-roi=5,5+roi=6,6-roi=7,7+roi="
            "8,8"}},
    {NULL, "objects-file",
        {"colours.txt", "nowhere.txt", ".", "empty", "fifo"}},
    {NULL, "region",
        {"0,0,8,8", "1,1,1,1", "-3,-3,100000,100000", "0,0,0,0", "7,7"}},
    {NULL, "targets",
        {"it:2,2,6,6", "a:0,0,1,1;b:1,1,5,5", "0,0,99999,99999",
            "it:file=target.png", "it:4,4,file=histogram.txt",
            "it:file=nowhere.png", "-1,-1,3,3", "3.5,2.25,4,4.75",
            "1,1,4,4;2,2,4,4;3,3,4,4;4,4,4,4;5,5,4,4;6,6,4,4;7,7,4,4;8,8,4,4",
            "it:file=cut.png", "it:file=fifo", "it:roi=2,2,6,6",
            "it:roi=2,2,6,6@0.02;b:roi=4,4,3,3@.05", "a:3,3,4,4@1e9;b:1,1,5,5",
            "a:roi=0,0,99999,99999@.03", "a:roi=1,1,4,4@nan"}},
    {NULL, "target-meta", {"face", "it", "nobody"}},
    {NULL, "mosaic-pattern",
        {"2x2", "4x4", "5x3", "0x0", "1000x1000", "x", "-2x2"}},
    {NULL, "distance-file",
        {"distance.txt", "nowhere.txt", "empty", ".", "fifo"}},
    {NULL, "intrinsics",
        {"60,60,31.5,23.5", "90,90,31.5,23.5", "60,60,31.5,23.5,-.1,.01,0,0,0",
            "0,0,0,0", "1e300,1e300,0,0", "1e308,1e308,0,0", "nan,1,1,1",
            "1,1,1", "60,60,-1e9,1e9"}},
    {NULL, "calibration",
        {"rig.yml", "camera.txt", "rig.yml,rig.yml", "nowhere.yml", "empty",
            "cut.yml", ".", "fifo"}},
    {NULL, "roi",
        {"0,0,16,16", "4,4,8,8;20,2,100,100", "-5,-5,3,3", "0,0,0,0",
            "1e9,1e9,1e9,1e9"}},
    {NULL, "points",
        {"20,20;22.5,27.25", "points.txt", "-1,-1;1e9,1e9", "nan,nan", "3",
            "nowhere.txt", "fifo"}},
    {NULL, "ply-location",
        {"cloud.ply", "cloud-%05d.ply", "full", "nowhere/cloud.ply", "%s%n",
            "link.ply", "cloud-%d%d.ply", "%%.ply", "fifo"}},
    {NULL, "trajectory-location",
        {"path.txt", "path.txt", "full", "nowhere/path.txt", "link.json",
            "nothing", ".", "fifo"}},
    {NULL, "mesh-location",
        {"mesh.ply", "full", "nowhere/mesh.ply", "link.ply", "nothing", ".",
            "fifo"}},
    {NULL, "models",
        {"solid.model", "solid.model", "solid.model", "solid.model,solid.model",
            "solid.model;nowhere.model", "broken.model", "cut.model", "empty",
            ".", "fifo"}},
    {"scopedetect", "fit",
        {"learned.fit", "learned.fit", "cut.fit", "nowhere.fit", "empty", ".",
            "fifo", "solid.model"}},
    {"visionjson", "location",
        {"lines.json", "lines.json", "full", "nowhere/lines.json", "link.json",
            "nothing", ".", "fifo"}},
    {"envisrc", "location",
        {"cube.hdr", "cube.hdr", "cube.hdr", "cube.hdr", "cube-%04d.hdr",
            "cube-%04d.hdr", "cube-%d.hdr", "nowhere.hdr", "cut.hdr", "empty",
            ".", "fifo"}},
    {NULL, "image",
        {"target.png", "broken.png", "nowhere.png", "empty", "fifo"}},
    {NULL, "map",
        {"labels", "disparity", "depth", "emd", "correspondence", "nothing"}},
    {NULL, "kind",
        {"labels", "disparity", "depth", "emd", "correspondence", "nothing"}},
    {NULL, "meshes",
        {"cube.obj", "cube.obj;cube.obj", "nowhere.obj", "cut.obj", "empty",
            "fifo"}},
};

static void
put (const gchar *name, const void *data, gssize size)
{
  GError *error = NULL;

  if (!g_file_set_contents (name, data, size, &error))
    g_error ("%s", error->message);
}

/* The first half of a file, and a byte of all of it changed. */
static void
spoil (const gchar *name, const gchar *cut, const gchar *broken)
{
  gchar *data;
  gsize size;

  if (!g_file_get_contents (name, &data, &size, NULL))
    g_error ("%s is not there", name);
  put (cut, data, (gssize) size / 2);
  data[size / 2] ^= 0x55;
  put (broken, data, (gssize) size);
  g_free (data);
}

static void
make_picture (void)
{
  cairo_surface_t *picture =
      cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 9, 7);
  cairo_t *cr = cairo_create (picture);

  cairo_set_source_rgba (cr, .8, .1, .1, .7);
  cairo_rectangle (cr, 1, 1, 5, 4);
  cairo_fill (cr);
  cairo_destroy (cr);
  cairo_surface_write_to_png (picture, "target.png");
  cairo_surface_destroy (picture);
  spoil ("target.png", "cut.png", "broken.png");
}

static void
make_depth (void)
{
  Pose pose = solid_pose (.3, 0, .5);
  guint16 *large = g_new0 (guint16, SOLID_WIDTH * SOLID_HEIGHT);

  solid_draw (large, 2 * SOLID_WIDTH, pose);
  solid_table (large, 2 * SOLID_WIDTH, pose);
  for (gint y = 0; y < DEPTH_HEIGHT; y++)
    for (gint x = 0; x < DEPTH_WIDTH; x++)
      depth[y * DEPTH_WIDTH + x] = large[5 * y * SOLID_WIDTH + 5 * x];
  g_free (large);
}

static void
make_model (void)
{
  ScopedetectModel *model = solid_model (.008);

  if (!model || scopedetect_model_save (model, "solid.model"))
    g_error ("there is no model");
  scopedetect_model_free (model);
  spoil ("solid.model", "cut.model", "broken.model");
}

static void
make_rig (void)
{
  static const gchar rig[] =
      "%YAML:1.0\n---\nimage_width: 64\nimage_height: 48\n"
      "M1: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
      "   data: [ 61., 0., 31.5, 0., 61., 23.5, 0., 0., 1. ]\n"
      "D1: !!opencv-matrix\n   rows: 1\n   cols: 5\n   dt: d\n"
      "   data: [ -.1, .01, 0., 0., 0. ]\n"
      "M2: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
      "   data: [ 62., 0., 32., 0., 62., 24., 0., 0., 1. ]\n"
      "D2: !!opencv-matrix\n   rows: 1\n   cols: 4\n   dt: d\n"
      "   data: [ -.1, .01, 0., 0. ]\n"
      "R1: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
      "   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]\n"
      "R2: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
      "   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]\n"
      "P1: !!opencv-matrix\n   rows: 3\n   cols: 4\n   dt: d\n"
      "   data: [ 60., 0., 32., 0., 0., 60., 24., 0., 0., 0., 1., 0. ]\n"
      "P2: !!opencv-matrix\n   rows: 3\n   cols: 4\n   dt: d\n"
      "   data: [ 60., 0., 32., -6., 0., 60., 24., 0., 0., 0., 1., 0. ]\n";

  put ("rig.yml", rig, -1);
  put ("cut.yml", rig, sizeof rig / 2);
  put ("camera.txt", "60 0 31.5\n0 60 23.5\n0 0 1\n", -1);
}

static void
make_cubes (void)
{
  static const gchar header[] =
      "ENVI\nsamples = 6\nlines = 5\nbands = 4\nheader offset = 0\n"
      "data type = 12\ninterleave = bil\nbyte order = 0\n"
      "wavelength = {400, 410, 420.5, 430}\n";
  guint16 numbers[6 * 5 * 4];

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    numbers[i] = (guint16) (i * 523);
  put ("cube.hdr", header, -1);
  put ("cube.raw", numbers, sizeof numbers);
  put ("cut.hdr", header, -1);
  put ("cut.raw", numbers, sizeof numbers / 3);
  for (guint i = 0; i < 9; i++) {
    gchar name[32];

    g_snprintf (name, sizeof name, "cube-%04u.hdr", i);
    put (name, header, -1);
    g_snprintf (name, sizeof name, "cube-%04u.raw", i);
    put (name, numbers, i == 7 ? 9 : sizeof numbers);
  }
}

static void
make_mesh (void)
{
  static const gchar mesh[] = "v 0 0 0\nv .05 0 0\nv 0 .05 0\nv 0 0 .05\n"
                              "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

  put ("cube.obj", mesh, -1);
  put ("cut.obj", mesh, sizeof mesh - 4);
}

/* Nobody reads from the FIFO or writes to it. */
static void
make_fit (void)
{
  static const gchar fit[] =
      "scopedetect-fit 1\nconstant 5489\nedge 3782\nedge-visibility 2088\n"
      "visibility -1545\ntable 2821\nbeyond -874\narea 1045\noff -1467700\n"
      "aside -710400\nlightness -3081\nchroma -2187\nuncoloured -2946\n"
      "grey 1117\nsecond -2100\nalone-constant 5000\nalone-score 2500\n"
      "alone-grey 1750\nend\n";

  put ("learned.fit", fit, -1);
  put ("cut.fit", fit, sizeof fit / 2);
}

static void
make_links (void)
{
  if (mkfifo ("fifo", 0600) || symlink ("/dev/full", "full") ||
      symlink ("/dev/null", "nothing") || symlink ("cloud.ply", "link.ply") ||
      symlink ("lines.json", "link.json"))
    g_error ("no links can be made");
}

void
files_make (void)
{
  GString *distance = g_string_new ("# a line\n");

  before = g_get_current_dir ();
  folder = g_dir_make_tmp ("stress-XXXXXX", NULL);
  if (!folder || g_chdir (folder))
    g_error ("there is no folder to work in");
  for (gint i = 0; i < 11; i++)
    for (gint k = 0; k < 11; k++)
      g_string_append_printf (
          distance, "%d%c", ABS (i - k), k == 10 ? '\n' : ' ');
  put ("distance.txt", distance->str, -1);
  g_string_free (distance, TRUE);
  put ("empty", "", 0);
  put ("colours.txt", "# colours\nred:#c70d0d~22;green:#23813e~18\n", -1);
  put ("points.txt", "20,20\n22.5,27.25;30,21\n", -1);
  put ("histogram.txt", "1 2 3 4 5 6 5 4 3 2 1\n", -1);
  make_picture ();
  make_depth ();
  make_model ();
  make_rig ();
  make_cubes ();
  make_mesh ();
  make_fit ();
  make_links ();
}

void
files_remove (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while (dir && (name = g_dir_read_name (dir)))
    g_remove (name);
  if (dir)
    g_dir_close (dir);
  if (g_chdir (before) || g_rmdir (folder))
    g_warning ("%s could not be removed", folder);
  g_free (folder);
  g_free (before);
}

guint
files_opened (void)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (dir && g_dir_read_name (dir))
    n++;
  if (dir)
    g_dir_close (dir);
  return n;
}

void
files_depth (guint8 *to, gsize stride, gint width, gint height)
{
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x += DEPTH_WIDTH)
      memcpy (to + y * stride + 2 * x, depth + y % DEPTH_HEIGHT * DEPTH_WIDTH,
          2 * (gsize) MIN (DEPTH_WIDTH, width - x));
}

/* No "/": what an element writes stays in the folder. */
static gchar *
noise (Dice *dice)
{
  static const gchar letters[] =
      "ax0129.,:;=#~-+x% \t\n\"'\\{}<>()\xc3\xa4\xff";
  gsize n = below (dice, one_in (dice, 10) ? 400 : 20);
  gchar *text = g_malloc0 (n + 1);

  for (gsize i = 0; i < n; i++)
    text[i] = letters[below (dice, sizeof letters - 1)];
  return text;
}

/* Some bytes lost, doubled or changed. */
static void
mutate (Dice *dice, gchar **text)
{
  GString *s = g_string_new (*text);

  for (guint k = 0; s->len && k < 3; k++) {
    gsize at = below (dice, (guint) s->len);

    if (one_in (dice, 3))
      g_string_erase (s, (gssize) at, 1);
    else if (one_in (dice, 2))
      g_string_insert_c (s, (gssize) at, s->str[at]);
    else
      s->str[at] = ",;:=9-.~#x"[below (dice, 10)];
  }
  g_free (*text);
  *text = g_string_free (s, FALSE);
}

gchar *
files_text (Dice *dice, const gchar *element, const gchar *property)
{
  for (guint i = 0; i < G_N_ELEMENTS (table); i++) {
    const Texts *t = &table[i];
    guint n = 0;
    gchar *text;

    if (strcmp (t->property, property) ||
        (t->element && strcmp (t->element, element)))
      continue;
    while (n < G_N_ELEMENTS (t->texts) && t->texts[n])
      n++;
    if (one_in (dice, 12))
      return noise (dice);
    text = g_strdup (t->texts[below (dice, n)]);
    if (one_in (dice, 12) && !strchr (text, '/'))
      mutate (dice, &text);
    return text;
  }
  return noise (dice);
}
