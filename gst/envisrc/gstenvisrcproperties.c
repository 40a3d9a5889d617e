/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "envisrc/gstenvisrc.h"

#include <string.h>

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

#define BANDS(...) \
 PARAM_NUMBER (GstEnviBands, __VA_ARGS__, .when = PARAM_STOPPED)

static const Param bands[] = {
    BANDS (channels, 0, GST_ENVI_MAX_CHANNELS, 0, "Channels",
        "Number of channels to make of the bands, each the mean of "
        "neighbouring bands (0 = one for each band, but at most 16)"),
    BANDS (first_band, 0, G_MAXUINT16, 0, "First band",
        "First band to use, counted from 0"),
    BANDS (last_band, -1, G_MAXUINT16, -1, "Last band",
        "Last band to use (-1 = the last of the cube)"),
    BANDS (full_scale, 0, G_MAXDOUBLE, 0, "Full scale",
        "Value in the cube that becomes the maximum grey (0 = 255 for bytes, 1 "
        "for floating-point numbers, 65535 for others)"),
    {NULL}};

const GstVisionProperty gst_envi_src_properties[] = {
    {.param = PARAM_STRING (GstEnviSrc, location, NULL, "Location",
         "Header of the cube (.hdr), or of the cubes of a sequence with one "
         "%d, such as cube-%04d.hdr",
         .when = PARAM_STOPPED)},
    {.param = PARAM_NUMBER (GstEnviSrc, start_index, 0, G_MAXINT64, 0,
         "Start index", "Number of the first cube of a sequence",
         .when = PARAM_STOPPED)},
    {.params = bands, .at = G_STRUCT_OFFSET (GstEnviSrc, bands)},
    {.params = NULL}};
