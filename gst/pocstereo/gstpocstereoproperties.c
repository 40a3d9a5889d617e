/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pocstereo/gstpocstereoproperties.h"

#include "base/gstvisionplace.h"
#include "base/gstvisionproperties.h"

const GstPocstereoSettings gst_pocstereo_defaults = {
    .params = {.max_disparity = 128,
        .average = 1,
        .candidates = 9,
        .max_difference = 1,
        .speckle_size = 200,
        .speckle_step = 1},
    .left_right = TRUE,
    .revote = TRUE,
    .grid_spacing = 5,
};

#define AT(field) G_STRUCT_OFFSET (GstPocstereo, field)

/* Where the value of each is kept, in the type that GObject has for it. */
static const gsize places[] = {
    [PROP_MODE] = AT (asked.mode),
    [PROP_OUTPUT] = AT (asked.shown),
    [PROP_WINDOW] = AT (settings.params.window),
    [PROP_LINES] = AT (settings.params.lines),
    [PROP_BANDWIDTH] = AT (settings.params.bandwidth),
    [PROP_WEIGHT] = AT (settings.weight),
    [PROP_FIT] = AT (settings.fit),
    [PROP_NOISE_FLOOR] = AT (settings.params.noise_floor),
    [PROP_LAYERS] = AT (settings.params.layers),
    [PROP_MIN_DISPARITY] = AT (settings.params.min_disparity),
    [PROP_MAX_DISPARITY] = AT (settings.params.max_disparity),
    [PROP_MIN_PEAK] = AT (settings.params.min_peak),
    [PROP_AVERAGE] = AT (settings.params.average),
    [PROP_IMPLEMENTATION] = AT (settings.params.implementation),
    [PROP_LINES_AT_ONCE] = AT (settings.params.lines_at_once),
    [PROP_CANDIDATES] = AT (settings.params.candidates),
    [PROP_LEFT_RIGHT] = AT (settings.left_right),
    [PROP_MAX_DIFFERENCE] = AT (settings.params.max_difference),
    [PROP_REVOTE] = AT (settings.revote),
    [PROP_SLANT] = AT (settings.slant),
    [PROP_SPECKLE_SIZE] = AT (settings.params.speckle_size),
    [PROP_SPECKLE_STEP] = AT (settings.params.speckle_step),
    [PROP_GRID_SPACING] = AT (settings.grid_spacing),
    [PROP_REGIONS_ONLY] = AT (settings.regions_only),
    [PROP_DISPARITY_SCALE] = AT (settings.disparity_scale),
    [PROP_BASELINE] = AT (settings.baseline),
    [PROP_DOFFS] = AT (settings.doffs),
    [PROP_CALIBRATION_UNIT] = AT (calibration_unit),
    [PROP_ROI] = AT (roi),
    [PROP_POINTS] = AT (points),
    [PROP_CALIBRATION] = AT (calibration),
    [PROP_PLY_LOCATION] = AT (ply_location),
};

G_STATIC_ASSERT (sizeof (GstPocstereoMode) == sizeof (gint));
G_STATIC_ASSERT (sizeof (PocstereoImplementation) == sizeof (gint));

PocstereoParams
gst_pocstereo_get_params (GstPocstereo *self)
{
  static const PocstereoParams modes[] = {
      [GST_POCSTEREO_DENSE] = POCSTEREO_DENSE_DEFAULTS,
      [GST_POCSTEREO_POINTS] = POCSTEREO_POINTS_DEFAULTS,
  };
  const PocstereoParams *mode = &modes[self->now.mode];
  PocstereoParams p;

  GST_OBJECT_LOCK (self);
  p = self->settings.params;
  p.weight = mode->weight;
  p.fit = mode->fit;
  if (self->settings.weight != GST_POCSTEREO_AUTO)
    p.weight = (PocstereoWeight) self->settings.weight - 1;
  if (self->settings.fit != GST_POCSTEREO_AUTO)
    p.fit = (PocstereoFit) self->settings.fit - 1;
  p.left_right = self->settings.left_right;
  p.revote = self->settings.revote;
  p.slant = self->settings.slant;
  GST_OBJECT_UNLOCK (self);
  p.window = p.window ? p.window : mode->window;
  p.lines = p.lines ? p.lines : mode->lines;
  if (!p.bandwidth)
    p.bandwidth = CLAMP (
        p.window * mode->bandwidth / mode->window, 1, POCSTEREO_MAX_BANDWIDTH);
  return p;
}

void
gst_pocstereo_start_params (GstPocstereo *self)
{
  PocstereoParams params = gst_pocstereo_get_params (self);

  gst_vision_common (self)->backend.no_cuda =
      pocstereo_check_device (&params, DEVICE_CUDA);
}

const char *
gst_pocstereo_check_params (GstPocstereo *self, const PocstereoParams *params)
{
  TRY (pocstereo_check (params, self->width, self->height));
  return pocstereo_check_device (params, gst_pocstereo_get_device (self)->kind);
}

/* What a text says, in the form in which it is used. */
typedef struct {
  GArray *regions, *list;
  GstVisionRig *rig;
} Read;

static gboolean
read_text (
    GstPocstereo *self, guint id, const gchar *text, Read *read, GError **error)
{
  switch (id) {
    case PROP_ROI:
      return (read->regions = gst_pocstereo_parse_regions (text, error)) !=
          NULL;
    case PROP_POINTS:
      return (read->list = gst_pocstereo_parse_points (text, error)) != NULL;
    case PROP_CALIBRATION:
      read->rig = g_new0 (GstVisionRig, 1);
      if (gst_vision_rig_read (text, self->calibration_unit, read->rig, error))
        return TRUE;
      g_clear_pointer (&read->rig, g_free);
      return FALSE;
    default:
      return gst_vision_ply_check (text, error);
  }
}

#define SWAP(type, a, b) \
 do { \
  type was_ = a; \
  a = b; \
  b = was_; \
 } while (0)

static void
free_read (Read *read)
{
  g_clear_pointer (&read->regions, g_array_unref);
  g_clear_pointer (&read->list, g_array_unref);
  g_clear_pointer (&read->rig, g_free);
}

/* What cannot be read leaves what was before. */
static void
set_text (GstPocstereo *self, guint id, const gchar *name, const gchar *text)
{
  gchar **place = (gchar **) G_STRUCT_MEMBER_P (self, places[id]);
  gchar *kept = text && *text ? g_strdup (text) : NULL;
  GError *error = NULL;
  Read read = {NULL};
  gboolean good = !kept || read_text (self, id, kept, &read, &error);

  GST_OBJECT_LOCK (self);
  if (good) {
    SWAP (gchar *, *place, kept);
    self->warned_outside = FALSE;
    if (id == PROP_ROI)
      SWAP (GArray *, self->regions, read.regions);
    if (id == PROP_POINTS)
      SWAP (GArray *, self->list, read.list);
    if (id == PROP_CALIBRATION)
      SWAP (GstVisionRig *, self->rig, read.rig);
  }
  GST_OBJECT_UNLOCK (self);
  if (good && id == PROP_CALIBRATION) /* output=left changes its format */
    gst_pad_mark_reconfigure (GST_AGGREGATOR (self)->srcpad);
  free_read (&read);
  g_free (kept);
  gst_vision_properties_refuse (GST_ELEMENT (self), name, error);
}

static void
set_number (
    GstPocstereo *self, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (self);
  gst_vision_place_set (G_STRUCT_MEMBER_P (self, places[id]), value, pspec);
  GST_OBJECT_UNLOCK (self);
}

/* What else a number changes. */
static void
follow (GstPocstereo *self, guint id)
{
  gchar *calibration;

  if (id == PROP_MIN_DISPARITY || id == PROP_MAX_DISPARITY ||
      id == PROP_DISPARITY_SCALE)
    gst_pad_mark_reconfigure (GST_AGGREGATOR (self)->srcpad);
  if (id != PROP_CALIBRATION_UNIT)
    return;
  GST_OBJECT_LOCK (self);
  calibration = g_strdup (self->calibration);
  GST_OBJECT_UNLOCK (self);
  if (calibration)
    set_text (self, PROP_CALIBRATION, "calibration", calibration);
  g_free (calibration);
}

void
gst_pocstereo_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstPocstereo *self = GST_POCSTEREO (object);

  if (id == PROP_INTRINSICS)
    gst_vision_intrinsics_set_property (
        &self->intrinsics, GST_ELEMENT (self), 0, value);
  else if (id >= PROP_ROI)
    set_text (self, id, pspec->name, g_value_get_string (value));
  else {
    set_number (self, id, value, pspec);
    follow (self, id);
  }
}

void
gst_pocstereo_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstPocstereo *self = GST_POCSTEREO (object);
  gpointer place;

  if (id == PROP_INTRINSICS) {
    gst_vision_intrinsics_get_property (
        &self->intrinsics, GST_ELEMENT (self), 0, value);
    return;
  }
  place = G_STRUCT_MEMBER_P (self, places[id]);
  GST_OBJECT_LOCK (self);
  gst_vision_place_get (place, value, pspec);
  GST_OBJECT_UNLOCK (self);
}

void
gst_pocstereo_clear_properties (GstPocstereo *self)
{
  free_read (&(Read){self->regions, self->list, self->rig});
  g_free (self->roi);
  g_free (self->points);
  g_free (self->calibration);
  g_free (self->ply_location);
}
