/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Metas as a line of JSON, written into a string without a tree of nodes: a
 * line of eight objects takes 12 us, and 200 us with json-glib, which also
 * gives every number 17 digits. */
#include "json/gstvisionjsonline.h"

#include <math.h>
#include <string.h>

#include "meta/gstvisionmeta.h"

/* GStreamer 1.26 keeps the names of fields as strings and deprecates their
 * quarks. */
#if GST_CHECK_VERSION(1, 26, 0)
typedef const GstIdStr *FieldName;
# define field_name(field) gst_id_str_as_str (field)
# define each_field gst_structure_foreach_id_str
#else
typedef GQuark FieldName;
# define field_name(field) g_quark_to_string (field)
# define each_field gst_structure_foreach
#endif

/* Maximum depth of structures and arrays within each other; deeper values are
 * left out. */
#define MAX_LEVELS 16

/* The line that is written, and the depth in the meta. */
typedef struct {
  GString *line;
  guint level;
} Writer;

static gboolean append_value (Writer w, const GValue *value);

static void
append_comma (GString *line)
{
  gchar last = line->len ? line->str[line->len - 1] : '{';

  if (last != '{' && last != '[')
    g_string_append_c (line, ',');
}

static void
append_uint (GString *line, guint64 number)
{
  gchar digits[20];
  guint n = sizeof digits;

  do
    digits[--n] = '0' + number % 10;
  while (number /= 10);
  g_string_append_len (line, digits + n, sizeof digits - n);
}

static void
append_int (GString *line, gint64 number)
{
  if (number < 0)
    g_string_append_c (line, '-');
  append_uint (line, number < 0 ? -(guint64) number : (guint64) number);
}

/* Appends nine significant digits: more than a float holds, a nanometre in a
 * metre. */
static void
append_double (GString *line, gdouble number)
{
  gdouble size = fabs (number), limit = 1;
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];
  gint n = sizeof text, decimals = 9;
  guint64 digits;

  if (size < 1e9 && size == (guint32) size) {
    append_int (line, (gint64) number);
    return;
  }
  if (size < 1e-3 || size >= 1e8) {
    g_string_append (line, g_ascii_formatd (text, sizeof text, "%.9g", number));
    return;
  }
  for (; size >= limit; limit *= 10)
    decimals--;
  digits = (guint64) (size * (1e9 / limit) + 0.5);
  for (; digits % 10 == 0 && decimals > 0; decimals--)
    digits /= 10;
  /* from the last digit to the first, at least one digit before the point */
  for (gint place = -decimals; digits > 0 || place <= 0; place++) {
    text[--n] = '0' + digits % 10;
    digits /= 10;
    if (place == -1)
      text[--n] = '.';
  }
  if (number < 0)
    text[--n] = '-';
  g_string_append_len (line, text + n, sizeof text - n);
}

static void
append_utf8 (GString *line, const gchar *string)
{
  for (; *string; string++) {
    guchar c = *string;

    if (c == '"' || c == '\\')
      g_string_append_c (line, '\\');
    if (c < 0x20)
      g_string_append_printf (line, "\\u%04x", c);
    else
      g_string_append_c (line, c);
  }
}

static void
append_string (GString *line, const gchar *string)
{
  g_string_append_c (line, '"');
  if (g_utf8_validate (string, -1, NULL))
    append_utf8 (line, string);
  else { /* a line of JSON is UTF-8 */
    gchar *valid = g_utf8_make_valid (string, -1);

    append_utf8 (line, valid);
    g_free (valid);
  }
  g_string_append_c (line, '"');
}

/* Appends the name of a field, with escapes, since other programs may have
 * named the fields of the meta. */
static void
append_name (GString *line, const gchar *name)
{
  append_comma (line);
  append_string (line, name);
  g_string_append_c (line, ':');
}

static void
append_array (Writer w, const GValue *array)
{
  guint n = gst_value_array_get_size (array);
  GString *line = w.line;

  g_string_append_c (line, '[');
  for (guint i = 0; i < n; i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    if (!append_value (w, gst_value_array_get_value (array, i)))
      g_string_append (line, "null");
  }
  g_string_append_c (line, ']');
}

static gboolean
append_field (FieldName field, const GValue *value, gpointer data)
{
  const Writer *w = data;
  gsize before = w->line->len;

  append_name (w->line, field_name (field));
  if (!append_value (*w, value))
    g_string_truncate (w->line, before);
  return TRUE;
}

static void
append_fields (Writer w, const GstStructure *structure)
{
  g_string_append_c (w.line, '{');
  each_field (structure, append_field, &w);
  g_string_append_c (w.line, '}');
}

static void
append_structure (GString *line, const GstStructure *structure)
{
  append_fields ((Writer){line, 0}, structure);
}

/* FALSE if JSON has no form for @value; the line is then unchanged. */
static gboolean
append_value (Writer w, const GValue *value)
{
  GString *line = w.line;

  switch (G_VALUE_TYPE (value)) {
    case G_TYPE_DOUBLE:
      if (!isfinite (g_value_get_double (value)))
        return FALSE;
      append_double (line, g_value_get_double (value));
      return TRUE;
    case G_TYPE_STRING:
      if (!g_value_get_string (value))
        return FALSE;
      append_string (line, g_value_get_string (value));
      return TRUE;
    case G_TYPE_UINT64:
      append_uint (line, g_value_get_uint64 (value));
      return TRUE;
    case G_TYPE_UINT:
      append_uint (line, g_value_get_uint (value));
      return TRUE;
    case G_TYPE_INT64:
      append_int (line, g_value_get_int64 (value));
      return TRUE;
    case G_TYPE_INT:
      append_int (line, g_value_get_int (value));
      return TRUE;
    case G_TYPE_BOOLEAN:
      g_string_append (line, g_value_get_boolean (value) ? "true" : "false");
      return TRUE;
  }
  if (++w.level > MAX_LEVELS)
    return FALSE;
  if (GST_VALUE_HOLDS_ARRAY (value))
    append_array (w, value);
  else if (GST_VALUE_HOLDS_STRUCTURE (value) && gst_value_get_structure (value))
    append_fields (w, gst_value_get_structure (value));
  else
    return FALSE;
  return TRUE;
}

/* Appends more to the n-th item of an array, whose structure was just appended
 * without its end. */
typedef void (*AppendMore) (GString *line, GstBuffer *buffer, guint n);

/* Appends the structures in the array @name of @structure; @more then adds to
 * each.  Items that are no structures are left out. */
static void
append_items (GString *line, const GstStructure *structure, const gchar *name,
    AppendMore more, GstBuffer *buffer)
{
  const GValue *items =
      structure ? gst_structure_get_value (structure, name) : NULL;
  guint n = items && GST_VALUE_HOLDS_ARRAY (items)
      ? gst_value_array_get_size (items)
      : 0;

  append_name (line, name);
  g_string_append_c (line, '[');
  for (guint i = 0; i < n; i++) {
    const GValue *item = gst_value_array_get_value (items, i);

    if (!GST_VALUE_HOLDS_STRUCTURE (item) || !gst_value_get_structure (item))
      continue;
    append_comma (line);
    append_structure (line, gst_value_get_structure (item));
    if (more) {
      g_string_truncate (line, line->len - 1);
      more (line, buffer, i);
      g_string_append_c (line, '}');
    }
  }
  g_string_append_c (line, ']');
}

/* Maps of matches and of points are lists, in one row; other maps are pictures.
 */
static gboolean
is_list (const GstVisionMap *map)
{
  return map->height == 1 && !strcmp (map->format, "f32") &&
      (!strcmp (map->kind, "matches") || !strcmp (map->kind, "points"));
}

/* Appends the numbers of a list, which lie at @pixels, one array for each item.
 */
static void
append_values (GString *line, const GstVisionMap *map, const guint8 *pixels)
{
  append_name (line, "values");
  g_string_append_c (line, '[');
  for (gsize i = 0; i < (gsize) map->width * map->channels; i++) {
    gfloat raw;
    gdouble value;

    memcpy (&raw, pixels + i * sizeof raw, sizeof raw);
    value = raw * map->scale + map->offset;
    g_string_append (line, i % map->channels ? "," : i ? ",[" : "[");
    if (isfinite (value) && raw != map->invalid)
      append_double (line, value);
    else
      g_string_append (line, "null");
    if ((i + 1) % map->channels == 0)
      g_string_append_c (line, ']');
  }
  g_string_append_c (line, ']');
}

/* Appends the numbers of the @n-th map of @buffer, if it is a list.  The size
 * of memory that is said to lie on a GPU is known only once it is mapped. */
static void
append_list (GString *line, GstBuffer *buffer, guint n)
{
  GstVisionMap map;
  GstMapInfo info;

  if (!gst_buffer_nth_vision_map (buffer, GST_VISION_ORIGIN_RESULT, n, &map) ||
      !is_list (&map) || !gst_buffer_map (map.pixels, &info, GST_MAP_READ))
    return;
  if (info.size / sizeof (gfloat) >= (gsize) map.width * map.channels)
    append_values (line, &map, info.data);
  gst_buffer_unmap (map.pixels, &info);
}

static const GstStructure *
meta_structure (GstBuffer *buffer, const gchar *name)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, name);

  return meta ? gst_custom_meta_get_structure (meta) : NULL;
}

static void
append_objects (GString *line, const GstStructure *objects)
{
  static const gchar *const sizes[] = {"ref-width", "ref-height"};
  guint size;

  for (guint i = 0; objects && i < G_N_ELEMENTS (sizes); i++)
    if (gst_structure_get_uint (objects, sizes[i], &size)) {
      append_name (line, sizes[i]);
      append_uint (line, size);
    }
  append_items (line, objects, "objects", NULL, NULL);
}

static void
append_camera_and_maps (GString *line, const GstStructure *camera,
    const GstStructure *maps, AppendMore more, GstBuffer *buffer)
{
  if (camera) {
    append_name (line, "camera");
    append_structure (line, camera);
  }
  if (maps)
    append_items (line, maps, "maps", more, buffer);
}

static void
append_truth (GString *line, GstBuffer *buffer)
{
  const GstStructure *objects = meta_structure (buffer, "VisionTruthObjects");
  const GstStructure *camera = meta_structure (buffer, "VisionTruthCamera");
  const GstStructure *maps = meta_structure (buffer, "VisionTruthMaps");

  if (!objects && !camera && !maps)
    return;
  append_name (line, "truth");
  g_string_append_c (line, '{');
  if (objects)
    append_objects (line, objects);
  append_camera_and_maps (line, camera, maps, NULL, NULL);
  g_string_append_c (line, '}');
}

/* Appends the time in the form of RFC 3339. */
static void
append_utc (GString *line, gint64 utc)
{
  GDateTime *time =
      utc < 0 ? NULL : g_date_time_new_from_unix_utc (utc / G_USEC_PER_SEC);
  gchar *text = time ? g_date_time_format (time, "%Y-%m-%dT%H:%M:%S") : NULL;

  if (text) {
    append_name (line, "utc");
    g_string_append_printf (
        line, "\"%s.%06dZ\"", text, (gint) (utc % G_USEC_PER_SEC));
  }
  g_free (text);
  g_clear_pointer (&time, g_date_time_unref);
}

static void
append_stamp (GString *line, const GstVisionJsonStamp *stamp)
{
  if (stamp->stream && *stamp->stream) {
    append_name (line, "stream");
    append_string (line, stamp->stream);
  }
  append_utc (line, stamp->utc);
  if (!stamp->reference)
    return;
  append_name (line, "reference");
  g_string_append_c (line, '{');
  append_name (line, "kind");
  append_string (line, stamp->reference);
  append_name (line, "time");
  append_uint (line, stamp->referenced);
  g_string_append_c (line, '}');
}

void
gst_vision_json_append_line (GString *line, GstBuffer *buffer, guint64 frame,
    const GstVisionJsonStamp *stamp, gboolean lists)
{
  g_string_append_c (line, '{');
  append_name (line, "schema");
  append_uint (line, GST_VISION_JSON_SCHEMA);
  append_stamp (line, stamp);
  if (GST_BUFFER_PTS_IS_VALID (buffer)) {
    append_name (line, "pts");
    append_uint (line, GST_BUFFER_PTS (buffer));
  }
  append_name (line, "frame");
  append_uint (line, frame);
  append_objects (line, meta_structure (buffer, "VisionObjects"));
  append_camera_and_maps (line, meta_structure (buffer, "VisionCamera"),
      meta_structure (buffer, "VisionMaps"), lists ? append_list : NULL,
      buffer);
  append_truth (line, buffer);
  g_string_append (line, "}\n");
}
