/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The points to measure: a list, or a grid in regions that the user or the
 * buffer names. */
#include <string.h>

#include "pocstereo/gstpocstereo.h"
#include "base/gstvisiontell.h"
#include "common/number.h"

#define MAX_NUMBERS 4

/* Reads @n whole numbers with commas between them, and nothing else. */
static gboolean
parse_number_group (const gchar *text, guint n, gint *numbers)
{
  const char *end = numbers_read (text, ',', (int) n, numbers);

  for (guint i = 0; end && i < n; i++)
    if (numbers[i] < G_MININT16 || numbers[i] > G_MAXINT16)
      return FALSE;
  return end && !*end;
}

/* A file may hold bytes that are not UTF-8, which the message must not. */
static void
refuse_number_group (const gchar *group, guint n, GError **error)
{
  gchar *quoted = g_utf8_make_valid (group, (gssize) MIN (strlen (group), 40));

  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "\"%s\" is not %u whole numbers with commas between them", quoted, n);
  g_free (quoted);
}

/* Reads groups of @n numbers with semicolons or lines between them; NULL with
 * an error for any other text. */
static GArray *
parse_number_groups (const gchar *text, guint n, GError **error)
{
  GArray *all = g_array_new (FALSE, FALSE, n * sizeof (gint));
  gchar **groups = g_strsplit_set (text, ";\n", -1);
  gint numbers[MAX_NUMBERS];
  gboolean good = TRUE;

  for (guint i = 0; groups[i] && good; i++) {
    g_strstrip (groups[i]);
    if (!*groups[i])
      continue;
    good = parse_number_group (groups[i], n, numbers);
    if (good)
      g_array_append_vals (all, numbers, 1);
    else
      refuse_number_group (groups[i], n, error);
  }
  g_strfreev (groups);
  if (good && all->len)
    return all;
  if (good)
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "there is nothing in it");
  g_array_unref (all);
  return NULL;
}

GArray *
gst_pocstereo_parse_regions (const gchar *text, GError **error)
{
  GArray *regions;

  G_STATIC_ASSERT (sizeof (GstVideoRectangle) == 4 * sizeof (gint));
  regions = parse_number_groups (text, 4, error);
  for (guint i = 0; regions && i < regions->len; i++) {
    const GstVideoRectangle *r = &g_array_index (regions, GstVideoRectangle, i);

    if (r->w > 0 && r->h > 0)
      continue;
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
        "a region's width and height must be above 0");
    g_clear_pointer (&regions, g_array_unref);
  }
  return regions;
}

GArray *
gst_pocstereo_parse_points (const gchar *text, GError **error)
{
  GArray *points;
  gchar *read;

  G_STATIC_ASSERT (sizeof (PocstereoPoint) == 2 * sizeof (gint));
  if (!text[strspn (text, "0123456789-+,; \t\r\n")])
    return parse_number_groups (text, 2, error);
  if (!gst_vision_file_read_text (text, &read, error)) {
    g_prefix_error (error, "it is neither x,y;… nor a file to read: ");
    return NULL;
  }
  points = parse_number_groups (read, 2, error);
  g_free (read);
  return points;
}

/* Puts @list in @place, and frees the list there. */
static void
replace_list (GstPocstereo *self, GArray **place, GArray *list)
{
  GArray *before;

  GST_OBJECT_LOCK (self);
  before = *place;
  *place = list;
  self->warned_outside = FALSE;
  GST_OBJECT_UNLOCK (self);
  g_clear_pointer (&before, g_array_unref);
}

gboolean
gst_pocstereo_read_roi (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  GstPocstereo *self = owner;
  GArray *regions = text ? gst_pocstereo_parse_regions (text, error) : NULL;

  (void) element;
  if (text && !regions)
    return FALSE;
  replace_list (self, &self->regions, regions);
  return TRUE;
}

gboolean
gst_pocstereo_read_points (
    GstElement *element, gpointer owner, const gchar *text, GError **error)
{
  GstPocstereo *self = owner;
  GArray *list = text ? gst_pocstereo_parse_points (text, error) : NULL;

  (void) element;
  if (text && !list)
    return FALSE;
  replace_list (self, &self->list, list);
  return TRUE;
}

/* Warns that @outside of @n points or regions lie outside of the view; once for
 * each setting. */
static void
warn_of_places_outside (
    GstPocstereo *self, guint outside, guint n, const gchar *what)
{
  gboolean known;

  if (!outside)
    return;
  GST_OBJECT_LOCK (self);
  known = self->warned_outside;
  self->warned_outside = TRUE;
  GST_OBJECT_UNLOCK (self);
  if (known)
    return;
  GST_VISION_WARNING (self, LIBRARY, SETTINGS,
      ("%u of %u %s lie outside of the view, which has %d x %d pixels; they "
       "are left out.",
          outside, n, what, self->width, self->height));
}

static void
choose_listed_points (GstPocstereo *self, const GArray *list)
{
  for (guint i = 0; i < list->len; i++) {
    const PocstereoPoint *p = &g_array_index (list, PocstereoPoint, i);

    if (p->x >= 0 && p->y >= 0 && p->x < self->width && p->y < self->height)
      g_array_append_vals (self->chosen, p, 1);
  }
  warn_of_places_outside (
      self, list->len - self->chosen->len, list->len, "points");
}

/* Adds a grid, centred in the part of @r that lies in the view. */
static const char *
choose_grid_points (
    GstPocstereo *self, const GstVideoRectangle *r, gint spacing)
{
  gint64 x0 = MAX (r->x, 0), y0 = MAX (r->y, 0);
  gint64 x1 = MIN ((gint64) r->x + r->w, self->width);
  gint64 y1 = MIN ((gint64) r->y + r->h, self->height);
  gint64 columns = (x1 - x0 + spacing - 1) / spacing;
  gint64 rows = (y1 - y0 + spacing - 1) / spacing;
  gint left = (gint) (x0 + (x1 - x0 - 1) % spacing / 2);
  gint top = (gint) (y0 + (y1 - y0 - 1) % spacing / 2);

  if (x1 <= x0 || y1 <= y0)
    return NULL;
  if (self->chosen->len + columns * rows > POCSTEREO_MAX_POINTS)
    return "there are more than 1,000,000 points; raise grid-spacing, or use "
           "mode=dense";
  for (gint y = 0; y < rows; y++)
    for (gint x = 0; x < columns; x++) {
      PocstereoPoint p = {left + x * spacing, top + y * spacing};

      g_array_append_val (self->chosen, p);
    }
  return NULL;
}

static const char *
choose_points_in_regions (
    GstPocstereo *self, const GArray *regions, gint spacing)
{
  guint outside = 0;

  for (guint i = 0; i < regions->len; i++) {
    guint n = self->chosen->len;

    TRY (choose_grid_points (
        self, &g_array_index (regions, GstVideoRectangle, i), spacing));
    outside += self->chosen->len == n;
  }
  warn_of_places_outside (self, outside, regions->len, "regions");
  return NULL;
}

/* Adds grids in the regions of interest of @buffer; FALSE if it has none. */
static gboolean
choose_points_in_metas (
    GstPocstereo *self, GstBuffer *buffer, gint spacing, const char **fault)
{
  gpointer state = NULL;
  gboolean any = FALSE;
  GstMeta *meta;

  while (!*fault &&
      (meta = gst_buffer_iterate_meta_filtered (
           buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi =
        (const GstVideoRegionOfInterestMeta *) meta;
    GstVideoRectangle r = {(gint) MIN (roi->x, G_MAXINT16),
        (gint) MIN (roi->y, G_MAXINT16), (gint) MIN (roi->w, G_MAXINT16),
        (gint) MIN (roi->h, G_MAXINT16)};

    any = TRUE;
    gst_pocstereo_rectify_region (self, &r);
    *fault = choose_grid_points (self, &r, spacing);
  }
  return any;
}

const char *
gst_pocstereo_choose_points (GstPocstereo *self, GstBuffer *buffer)
{
  GstVideoRectangle whole = {0, 0, self->width, self->height};
  GArray *list, *regions;
  const char *fault = NULL;
  gboolean regions_only;
  gint spacing;

  GST_OBJECT_LOCK (self);
  list = self->list ? g_array_ref (self->list) : NULL;
  regions = self->regions ? g_array_ref (self->regions) : NULL;
  spacing = self->grid_spacing;
  regions_only = self->regions_only;
  GST_OBJECT_UNLOCK (self);

  g_array_set_size (self->chosen, 0);
  if (list)
    choose_listed_points (self, list);
  else if (regions)
    fault = choose_points_in_regions (self, regions, spacing);
  else if (!choose_points_in_metas (self, buffer, spacing, &fault) &&
      !regions_only)
    fault = choose_grid_points (self, &whole, spacing);
  g_clear_pointer (&list, g_array_unref);
  g_clear_pointer (&regions, g_array_unref);
  return fault;
}
