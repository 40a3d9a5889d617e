/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parameters of the algorithm from properties and caps: the layout of a
 * frame's channels, the bins of histograms and their ground distances. */
#include <string.h>

#include "base/gstvisioninput.h"
#include "common/number.h"
#include "emdtrack/gstemdtrack.h"

/* ---- A file of ground distances ---- */

/* Keeps a sentence about distance-file in self->wrong, and returns it. */
static const char *distance_fault (GstEmdtrack *self, const gchar *format, ...)
    G_GNUC_PRINTF (2, 3);

static const char *
distance_fault (GstEmdtrack *self, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  g_free (self->wrong);
  self->wrong = g_strdup_vprintf (format, args);
  va_end (args);
  return self->wrong;
}

const char *
gst_emdtrack_read_distances (GstEmdtrack *self, EmdtrackParams *p)
{
  const gchar *path = self->distance_file;
  gdouble numbers[EMDTRACK_BINS * EMDTRACK_BINS];
  GError *error = NULL;
  gchar *text;
  const char *err;
  gint n;

  if (!path || !*path)
    return "ground-distance=file needs distance-file";
  if (!gst_vision_file_read_text (path, &text, &error)) {
    err = distance_fault (self, "distance-file: %s", error->message);
    g_error_free (error);
    return err;
  }
  err = gst_emdtrack_parse_numbers (
      text, EMDTRACK_BINS * EMDTRACK_BINS, numbers, &n);
  g_free (text);
  if (err)
    return distance_fault (
        self, "distance-file \"%s\" holds something else than numbers", path);
  if (n != p->bins * p->bins)
    return distance_fault (self,
        "distance-file \"%s\" holds %d numbers, not bins x bins, which are %d",
        path, n, p->bins * p->bins);
  for (gint i = 0; i < n; i++)
    p->matrix[i / p->bins][i % p->bins] = numbers[i];
  return NULL;
}

/* ---- The layout of a frame's channels ---- */

static gboolean
read_mosaic_pattern (const gchar *text, EmdtrackFrame *f)
{
  int size[2] = {0};
  const char *end = numbers_read (text, 'x', 2, size);

  f->mosaic_width = size[0];
  f->mosaic_height = size[1];
  return end && !*end && size[0] >= 1 && size[1] >= 1 &&
      size[0] <= EMDTRACK_BINS && size[1] <= EMDTRACK_BINS;
}

/* Completes the layout of a mosaic: the number of channels follows from
 * @pattern, or a square pattern from the number of channels. */
static const char *
complete_mosaic (const gchar *pattern, EmdtrackFrame *f)
{
  if (pattern && *pattern) {
    if (!read_mosaic_pattern (pattern, f))
      return "the mosaic's pattern is written as its width x its height, such "
             "as 4x4, neither above 16";
    if (!f->channels)
      f->channels = f->mosaic_width * f->mosaic_height;
    return NULL;
  }
  for (int side = 2; side <= 4; side++)
    if (side * side == f->channels)
      f->mosaic_width = f->mosaic_height = side;
  return f->mosaic_width ? NULL
                         : "a mosaic needs mosaic-pattern, such as 5x3, where "
                           "its channels are not 4, 9 or 16";
}

static const char *
find_channel_layout (GstEmdtrack *self, const GstStructure *s, EmdtrackFrame *f)
{
  const gchar *name = gst_structure_get_string (s, "channel-layout");

  if (name && strcmp (name, "mosaic") && strcmp (name, "stacked"))
    return "channel-layout in the caps is neither mosaic nor stacked";
  if (!gst_structure_get_int (s, "channels", &f->channels))
    f->channels = self->channels;
  if (name)
    f->layout = !strcmp (name, "mosaic") ? EMDTRACK_MOSAIC : EMDTRACK_STACKED;
  else if (self->layout != GST_EMDTRACK_LAYOUT_CAPS)
    f->layout = self->layout == GST_EMDTRACK_LAYOUT_MOSAIC ? EMDTRACK_MOSAIC
                                                           : EMDTRACK_STACKED;
  else if (f->channels > 1)
    return "channels are given, but neither the caps nor channel-layout say "
           "how they lie";
  return NULL;
}

static const char *
read_channel_layout (GstEmdtrack *self, const GstStructure *s, EmdtrackFrame *f,
    gint *width, gint *height)
{
  const gchar *pattern = gst_structure_get_string (s, "mosaic-pattern");

  TRY (find_channel_layout (self, s, f));
  if (f->layout == EMDTRACK_MOSAIC)
    TRY (complete_mosaic (pattern ? pattern : self->mosaic_pattern, f));
  if (f->channels == 1)
    f->layout = EMDTRACK_PLAIN;
  return emdtrack_frame_size (f, width, height);
}

/* ---- Bins and their distances ---- */

/* Defaults of the property saturation. */
#define COLOUR_SATURATION 15   /* Delta E */
#define SPECTRUM_SATURATION 30 /* of spectra that add up to 255 */

/* Sets the positions of the bins of channels to the wavelengths in the caps, if
 * these ascend. */
static void
read_bin_wavelengths (const GstStructure *s, EmdtrackParams *p)
{
  const GValue *list = gst_structure_get_value (s, "wavelengths");
  double last = 0;

  if (!list || !GST_VALUE_HOLDS_ARRAY (list) ||
      gst_value_array_get_size (list) != (guint) p->bins)
    return;
  for (int i = 0; i < p->bins; i++) {
    const GValue *value = gst_value_array_get_value (list, i);

    if (!G_VALUE_HOLDS_DOUBLE (value) || !(g_value_get_double (value) > last)) {
      memset (p->positions, 0, sizeof p->positions);
      return;
    }
    p->positions[i] = last = g_value_get_double (value);
  }
}

static gboolean
is_grey_frame (const EmdtrackFrame *f)
{
  return f->image.format == IMAGE_GRAY8 || f->image.format == IMAGE_GRAY16;
}

static EmdtrackDistance
distance_of_bins (GstEmdtrackDistance chosen, gboolean coded)
{
  if (chosen != GST_EMDTRACK_DISTANCE_AUTO)
    return (EmdtrackDistance) chosen;
  return coded ? EMDTRACK_EUCLIDEAN : EMDTRACK_LINE;
}

/* Settles the parameters for frames of self->frame, whose caps are @s, under
 * the object lock.  With histogram=channels the map compares spectra of pixels;
 * the tracker compares regions over a codebook of spectra. */
static const char *
settle_params (GstEmdtrack *self, const GstStructure *s, GstEmdtrackParams *p)
{
  EmdtrackParams *map = &p->map, *follow = &p->follow;
  const EmdtrackFrame *f = &self->frame;
  gboolean plain = f->layout == EMDTRACK_PLAIN, coded, spectra;

  *map = self->params;
  coded = map->histogram == EMDTRACK_CODEBOOK;
  spectra = map->histogram == EMDTRACK_CHANNELS;
  if (map->histogram == EMDTRACK_INTENSITY && !plain)
    return "histogram=intensity is of frames of one channel; codebook and "
           "channels are of several";
  if (spectra && plain && is_grey_frame (f))
    return "histogram=channels needs frames of several channels, and the caps "
           "or channels and channel-layout to say how they lie";
  if (spectra) {
    map->bins = plain ? 3 : f->channels;
    read_bin_wavelengths (s, map);
  }
  map->codebook = coded ? &self->book : NULL;
  map->distance = distance_of_bins (self->distance, coded);
  if (map->distance == EMDTRACK_MATRIX)
    TRY (gst_emdtrack_read_distances (self, map));
  *follow = *map;
  if (spectra) {
    follow->histogram = EMDTRACK_CODEBOOK;
    follow->bins = self->params.bins;
    follow->codebook = &self->book;
    follow->distance = EMDTRACK_EUCLIDEAN;
  }
  return NULL;
}

/* @region, in pixels of the frame, in pixels of a channel: all that the region
 * touches. */
static ImageBox
region_of_channel (const GstEmdtrack *self, ImageBox region)
{
  return (ImageBox){region.x0 / self->cell_x, region.y0 / self->cell_y,
      (region.x1 - 1) / self->cell_x + 1, (region.y1 - 1) / self->cell_y + 1};
}

/* Sets the properties that may change between frames. */
static void
set_live_params (GstEmdtrack *self, GstEmdtrackParams *p)
{
  EmdtrackParams *map = &p->map, *follow = &p->follow;
  double usual = self->frame.layout == EMDTRACK_PLAIN ? COLOUR_SATURATION
                                                      : SPECTRUM_SATURATION;

  GST_OBJECT_LOCK (self);
  map->window = follow->window = self->params.window;
  map->solver = follow->solver = self->params.solver;
  map->region = region_of_channel (self, self->params.region);
  map->saturation = self->saturation >= 0   ? self->saturation
      : map->distance == EMDTRACK_EUCLIDEAN ? usual
                                            : 0;
  follow->saturation =
      map->histogram == EMDTRACK_CHANNELS ? usual : map->saturation;
  p->track = self->track;
  p->normalise_gain = self->normalise_gain;
  p->detect = self->detect;
  p->max_objects = self->max_objects;
  GST_OBJECT_UNLOCK (self);
}

const char *
gst_emdtrack_get_params (GstEmdtrack *self, GstEmdtrackParams *p)
{
  *p = self->settled;
  set_live_params (self, p);
  TRY (emdtrack_check (&p->follow));
  TRY (emdtrack_check (&p->map));
  return emdtrack_track_check (&p->track);
}

static EmdtrackFrame
frame_of_info (const GstVideoInfo *info)
{
  EmdtrackFrame f = {.image = {.width = GST_VIDEO_INFO_WIDTH (info),
                         .height = GST_VIDEO_INFO_HEIGHT (info)}};

  gst_vision_image_format (GST_VIDEO_INFO_FORMAT (info), &f.image.format);
  return f;
}

gboolean
gst_emdtrack_map_size (
    GstEmdtrack *self, const GstStructure *frames, gint *width, gint *height)
{
  EmdtrackFrame f = {.image = {.format = IMAGE_GRAY8}};
  const char *err;

  if (!gst_structure_get_int (frames, "width", &f.image.width) ||
      !gst_structure_get_int (frames, "height", &f.image.height))
    return FALSE;
  GST_OBJECT_LOCK (self);
  err = read_channel_layout (self, frames, &f, width, height);
  GST_OBJECT_UNLOCK (self);
  return !err;
}

gboolean
gst_emdtrack_known_cells (GstEmdtrack *self, gint *across, gint *down)
{
  EmdtrackFrame f = {0};
  gboolean known;

  *across = *down = 1;
  GST_OBJECT_LOCK (self);
  f.channels = self->channels;
  if (self->layout == GST_EMDTRACK_LAYOUT_MOSAIC &&
      !complete_mosaic (self->mosaic_pattern, &f)) {
    *across = f.mosaic_width;
    *down = f.mosaic_height;
  } else if (self->layout == GST_EMDTRACK_LAYOUT_STACKED) {
    *down = f.channels;
  }
  known = self->layout != GST_EMDTRACK_LAYOUT_CAPS && *across * *down > 1;
  GST_OBJECT_UNLOCK (self);
  return known;
}

/* The greatest grey value, in the unit of a brightness. */
static gdouble
white_of_frame (const EmdtrackFrame *f)
{
  return f->image.format == IMAGE_GRAY16 ? 65535 : 255;
}

const char *
gst_emdtrack_set_frame (
    GstEmdtrack *self, const GstCaps *caps, const GstVideoInfo *info)
{
  const GstStructure *s = gst_caps_get_structure (caps, 0);
  EmdtrackFrame *f = &self->frame, before = self->frame;
  EmdtrackBins histogram = self->settled.map.histogram;
  GstEmdtrackParams p;
  const char *err;

  *f = frame_of_info (info);
  GST_OBJECT_LOCK (self);
  err = read_channel_layout (self, s, f, &self->width, &self->height);
  if (!err)
    err = settle_params (self, s, &self->settled);
  GST_OBJECT_UNLOCK (self);
  TRY (err);
  if (MAX (self->width, self->height) > EMDTRACK_MAX_SIDE)
    return "the sides of a frame must be 1 to 16384 pixels; put videoscale "
           "before the element";
  self->cell_x = f->layout == EMDTRACK_MOSAIC ? f->mosaic_width : 1;
  self->cell_y = f->layout == EMDTRACK_MOSAIC ? f->mosaic_height : 1;
  if (f->layout != before.layout || f->channels != before.channels ||
      self->settled.map.histogram != histogram ||
      self->settled.follow.bins != self->book.entries) {
    /* the histograms of the targets do not fit any more */
    gst_emdtrack_drop_targets (self);
    gst_emdtrack_choose_again (self, FALSE);
  }
  self->brightness *= white_of_frame (f) / white_of_frame (&before);
  if (!self->n_targets)
    self->book = (EmdtrackCodebook){.entries = self->settled.follow.bins,
        .dims = f->layout == EMDTRACK_PLAIN ? 3 : f->channels,
        .spectra = f->layout != EMDTRACK_PLAIN};
  return gst_emdtrack_get_params (self, &p);
}
