/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "envisrc/gstenvisrc.h"

#include <string.h>

enum {
  PROP_0,
  PROP_LOCATION,
  PROP_START_INDEX,
  PROP_CHANNELS,
  PROP_FIRST_BAND,
  PROP_LAST_BAND,
  PROP_FULL_SCALE,
};

gboolean
gst_envi_src_is_pattern (const gchar *location)
{
  return strchr (location, '%') != NULL;
}

/* Behind the digits of a conversion. */
static const gchar *
skip_digits (const gchar *at)
{
  while (g_ascii_isdigit (*at))
    at++;
  return at;
}

gboolean
gst_envi_src_is_location (const gchar *location)
{
  const gchar *at = strchr (location, '%');

  if (!at)
    return *location != '\0';
  at = skip_digits (at + 1);
  return *at == 'd' && !strchr (at, '%');
}

gchar *
gst_envi_src_path (const gchar *location, guint64 number)
{
  const gchar *at = strchr (location, '%'), *end;
  gchar digits[32];
  GString *path;
  gint64 width;

  if (!at)
    return g_strdup (location);
  end = skip_digits (at + 1);
  width = MIN (g_ascii_strtoll (at + 1, NULL, 10), 20);
  path = g_string_new_len (location, at - location);
  g_snprintf (digits, sizeof digits, "%" G_GUINT64_FORMAT, number);
  for (gsize n = strlen (digits); (gint64) n < width; n++)
    g_string_append_c (path, at[1] == '0' ? '0' : ' ');
  g_string_append (path, digits);
  g_string_append (path, end + 1);
  return g_string_free (path, FALSE);
}

const gchar *
gst_envi_src_choose (
    GstEnviSrc *self, const GstEnviHeader *header, GstEnviChoice *choice)
{
  const GstEnviBands *asked = &self->asked;
  guint bands;

  choice->first_band = asked->first_band;
  choice->last_band =
      asked->last_band < 0 ? header->bands - 1 : (guint) asked->last_band;
  choice->channels = asked->channels;
  choice->full_scale = asked->full_scale;
  if (choice->last_band >= header->bands ||
      choice->first_band > choice->last_band)
    return "the cube has no such bands; mind first-band and last-band";
  bands = choice->last_band - choice->first_band + 1;
  if (!choice->channels)
    choice->channels = MIN (bands, GST_ENVI_MAX_CHANNELS);
  if (choice->channels > bands)
    return "there are fewer bands than channels; ask for fewer channels";
  if (choice->full_scale == 0)
    choice->full_scale = header->type == GST_ENVI_U8 ? G_MAXUINT8
        : header->type == GST_ENVI_F32 || header->type == GST_ENVI_F64
        ? 1
        : G_MAXUINT16;
  return NULL;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstEnviSrc *self = GST_ENVI_SRC (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LOCATION:
      g_free (self->location);
      self->location = g_value_dup_string (value);
      break;
    case PROP_START_INDEX:
      self->start_index = g_value_get_uint64 (value);
      break;
    case PROP_CHANNELS:
      self->bands.channels = g_value_get_uint (value);
      break;
    case PROP_FIRST_BAND:
      self->bands.first_band = g_value_get_uint (value);
      break;
    case PROP_LAST_BAND:
      self->bands.last_band = g_value_get_int (value);
      break;
    case PROP_FULL_SCALE:
      self->bands.full_scale = g_value_get_double (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstEnviSrc *self = GST_ENVI_SRC (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_LOCATION:
      g_value_set_string (value, self->location);
      break;
    case PROP_START_INDEX:
      g_value_set_uint64 (value, self->start_index);
      break;
    case PROP_CHANNELS:
      g_value_set_uint (value, self->bands.channels);
      break;
    case PROP_FIRST_BAND:
      g_value_set_uint (value, self->bands.first_band);
      break;
    case PROP_LAST_BAND:
      g_value_set_int (value, self->bands.last_band);
      break;
    case PROP_FULL_SCALE:
      g_value_set_double (value, self->bands.full_scale);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
finalize (GObject *object)
{
  GstEnviSrc *self = GST_ENVI_SRC (object);

  g_free (self->location);
  g_free (self->path);
  G_OBJECT_CLASS (g_type_class_peek (GST_TYPE_PUSH_SRC))->finalize (object);
}

void
gst_envi_src_install_properties (GObjectClass *klass)
{
  GParamFlags flags =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  klass->set_property = set_property;
  klass->get_property = get_property;
  klass->finalize = finalize;
  g_object_class_install_property (klass, PROP_LOCATION,
      g_param_spec_string ("location", "Location",
          "Header of the cube (.hdr), or of a sequence's cubes with one %d, as "
          "in cube-%04d.hdr",
          NULL, flags));
  g_object_class_install_property (klass, PROP_START_INDEX,
      g_param_spec_uint64 ("start-index", "Start index",
          "Number of a sequence's first cube", 0, G_MAXINT64, 0, flags));
  g_object_class_install_property (klass, PROP_CHANNELS,
      g_param_spec_uint ("channels", "Channels",
          "Channels that the bands become, each the mean of neighbouring "
          "bands (0 = one a band, but no more than 16)",
          0, GST_ENVI_MAX_CHANNELS, 0, flags));
  g_object_class_install_property (klass, PROP_FIRST_BAND,
      g_param_spec_uint ("first-band", "First band",
          "First band that is used, from 0 on", 0, G_MAXUINT16, 0, flags));
  g_object_class_install_property (klass, PROP_LAST_BAND,
      g_param_spec_int ("last-band", "Last band",
          "Last band that is used (-1 = the cube's last)", -1, G_MAXUINT16, -1,
          flags));
  g_object_class_install_property (klass, PROP_FULL_SCALE,
      g_param_spec_double ("full-scale", "Full scale",
          "The number in the cube that becomes the brightest grey (0 = 255 for "
          "bytes, 1 for floating-point numbers, 65535 for others)",
          0, G_MAXDOUBLE, 0, flags));
}
