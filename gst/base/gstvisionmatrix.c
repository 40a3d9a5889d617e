/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/gstvisionmatrix.h"

#include <math.h>
#include <string.h>

/* The text about a matrix: from its name to the next name. */
typedef struct {
  gchar *text;
  const gchar *name;
  gboolean is_cut; /* the file ends within the matrix */
} Entry;

static gboolean
ends_name (gchar c)
{
  return c == ':' || c == '>' || g_ascii_isspace (c);
}

static const gchar *
skip_blanks_back (const gchar *text, const gchar *at)
{
  while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
    at--;
  return at;
}

static const gchar *
find_name (const gchar *text, const gchar *name)
{
  gsize n = strlen (name);

  for (const gchar *at = text; (at = strstr (at, name)); at += n) {
    const gchar *before = skip_blanks_back (text, at);

    if (ends_name (at[n]) &&
        (before == text || before[-1] == '\n' || before[-1] == '<'))
      return at;
  }
  return NULL;
}

const gchar *
gst_vision_matrix_find (const gchar *text, const gchar *const *names)
{
  for (; *names; names++) {
    const gchar *at = find_name (text, *names);

    if (at)
      return at + strlen (*names);
  }
  return NULL;
}

/* Where the numbers of a matrix begin: behind "data" if the matrix has such a
 * field, else at @text. */
static const gchar *
skip_to_data (const gchar *text)
{
  const gchar *data = strstr (text, "data"), *bracket = strchr (text, '[');

  return data && (!bracket || data < bracket) ? data + strlen ("data") : text;
}

guint
gst_vision_matrix_numbers (const gchar *text, gdouble *numbers, guint max)
{
  guint n = 0;

  for (; n < max; n++) {
    gchar *end;

    text += strspn (text, " \t\r\n,:[>");
    numbers[n] = g_ascii_strtod (text, &end);
    if (end == text || !isfinite (numbers[n]))
      break;
    text = end;
  }
  return n;
}

guint
gst_vision_matrix_size (const gchar *text, const gchar *const *names)
{
  const gchar *at = gst_vision_matrix_find (text, names);
  gdouble size;

  return at && gst_vision_matrix_numbers (at, &size, 1) && size >= 1 &&
          size <= G_MAXINT
      ? (guint) size
      : 0;
}

/* Whether a line of YAML begins with a name, or ends the document. */
static gboolean
begins_entry (const gchar *line)
{
  return g_ascii_isalpha (*line) || (*line && strchr ("_\"%<", *line)) ||
      g_str_has_prefix (line, "---") || g_str_has_prefix (line, "...");
}

/* The next line that is indented by at most @indent and begins an entry. */
static const gchar *
end_of_yaml (const gchar *at, gsize indent)
{
  while ((at = strchr (at, '\n'))) {
    gsize blanks = strspn (++at, " \t");

    if (blanks <= indent && begins_entry (at + blanks))
      return at;
  }
  return NULL;
}

static const gchar *
end_of_xml (const gchar *at, const gchar *name)
{
  gchar *tag = g_strdup_printf ("</%s>", name);
  const gchar *end = strstr (at, tag);

  g_free (tag);
  return end;
}

static gboolean
find_entry (const gchar *text, const gchar *const *names, Entry *entry)
{
  const gchar *at = NULL, *before, *end;
  gboolean is_xml;

  for (; *names && !at; names++) {
    at = find_name (text, *names);
    entry->name = *names;
  }
  if (!at)
    return FALSE;
  before = skip_blanks_back (text, at);
  is_xml = before > text && before[-1] == '<';
  at += strlen (entry->name);
  end = is_xml ? end_of_xml (at, entry->name)
               : end_of_yaml (at, at - strlen (entry->name) - before);
  entry->is_cut = !end && (is_xml || !g_str_has_suffix (at, "\n"));
  if (is_xml && strchr (at, '>'))
    at = strchr (at, '>') + 1;
  entry->text = end && end > at ? g_strndup (at, end - at) : g_strdup (at);
  return TRUE;
}

static gboolean
read_word (const gchar *text, const gchar *word, gdouble *number)
{
  const gchar *at = strstr (text, word);

  return at && gst_vision_matrix_numbers (at + strlen (word), number, 1);
}

/* Reads all numbers of a list that fills @text. */
static gint
read_list (const gchar *text, const gchar *name, gdouble *numbers, guint max,
    GError **error)
{
  guint n = 0;

  for (;; n++) {
    gchar *end;
    gdouble number;

    text += strspn (text, " \t\r\n,");
    if (text[0] == '-' && g_ascii_isspace (text[1])) /* an item of a list */
      text += 1 + strspn (text + 1, " \t\r\n");
    if (!*text)
      return (gint) n;
    number = g_ascii_strtod (text, &end);
    if (end == text || !isfinite (number))
      REFUSE_WITH (
          -1, "%s holds what is no finite number; calibrate again", name);
    if (n == max)
      REFUSE_WITH (-1,
          "%s holds more than %u numbers; write it as OpenCV or ROS does", name,
          max);
    numbers[n] = number;
    text = end;
  }
}

static gint
read_entry (const Entry *entry, gdouble *numbers, guint max, GError **error)
{
  const gchar *data = skip_to_data (entry->text);
  const gchar *open = strchr (data, '[');
  const gchar *close = strpbrk (open ? open : data, "]<");
  gchar *list;
  gdouble rows, cols;
  gint n;

  if (open ? !close || *close != ']' : entry->is_cut)
    REFUSE_WITH (-1,
        "the numbers of %s do not end; the file was cut off, copy it again",
        entry->name);
  data = open ? open + 1 : data + strspn (data, ":>");
  list = close ? g_strndup (data, close - data) : g_strdup (data);
  n = read_list (list, entry->name, numbers, max, error);
  g_free (list);
  if (n >= 0 && read_word (entry->text, "rows", &rows) &&
      read_word (entry->text, "cols", &cols) && (rows < 0 || rows * cols != n))
    REFUSE_WITH (-1,
        "%s says it is %g x %g and holds %d numbers; the file is damaged, "
        "copy it again",
        entry->name, rows, cols, n);
  return n;
}

gint
gst_vision_matrix_read (const gchar *text, const gchar *const *names,
    gdouble *numbers, guint max, GError **error)
{
  Entry entry;
  gint n;

  if (!find_entry (text, names, &entry))
    REFUSE_WITH (-1,
        "%s is missing; write all that OpenCV or ROS does for a pair, or "
        "use vision-calibrate",
        names[0]);
  n = read_entry (&entry, numbers, max, error);
  g_free (entry.text);
  return n;
}

gboolean
gst_vision_matrix_is_fisheye (const gchar *text)
{
  static const gchar *const names[] = {"distortion_model", NULL};
  const gchar *model = gst_vision_matrix_find (text, names);
  gsize length = model ? strcspn (model, "\n") : 0;

  return model &&
      (g_strstr_len (model, length, "equidistant") ||
          g_strstr_len (model, length, "fisheye"));
}
