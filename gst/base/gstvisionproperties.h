/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Properties made of tables of parameters (common/param.h).  An element lists
 * the tables of its algorithm's params, and rows of its own.
 *
 *     #define ROWS_OF GstX
 *     #include "base/gstvisionproperties.h"
 *
 *     static const GstVisionProperty properties[] = {
 *         PARAMS (x_params, params),
 *         STOPPED (SWITCH, label_map, true, "…"),
 *         PARSED (read_targets, STRING, targets, "…"),
 *         {.field = NULL}};
 *
 * All values lie in the instance and are under its object lock: set_property ()
 * writes them, and a frame works on a copy that was taken under that lock. */
#pragma once

#include <gst/gst.h>

#include "common/image.h"
#include "common/rows.h"

G_BEGIN_DECLS

typedef struct _GstVisionProperty GstVisionProperty;

struct _GstVisionProperty {
  /* A row has one of four: a field of the table's struct (param), a value that
   * is computed (spec), or all rows of another table (params or properties),
   * whose struct lies at @at in the table's struct. */
  union {
    Param param;
    struct {
      PARAM_MEMBERS
    };
  };
  GParamSpec *(*spec) (void);
  const Param *params;
  const GstVisionProperty *properties;

  /* For a row of a text; NULL: every text is accepted.  Parses @text, which is
   * NULL if it is empty, and stores the result in @owner, the table's struct,
   * under @element's object lock, which the caller does not hold.  FALSE and
   * @error, such as "nine numbers are needed": the text is refused.  Calls for
   * one element never overlap.  If the field gets another text meanwhile, from
   * this call or from a frame, the field keeps that text instead of @text. */
  gboolean (*parse) (
      GstElement *element, gpointer owner, const gchar *text, GError **error);
  /* For a row with @spec: reads the value.  Called under the object lock. */
  void (*read) (gpointer owner, GValue *value);
  /* Called without the object lock after a new value of @param was set, such as
   * for one that changes caps; may be NULL. */
  void (*changed) (GstElement *element, const Param *param);
};

/* Rows of an element's table are made by the macros of common/rows.h and the
 * following ones. */
/* clang-format off */
#define PARAMS(table, struct_, ...) \
 {.params = table, .at = G_STRUCT_OFFSET (ROWS_OF, struct_), __VA_ARGS__}
#define PROPERTIES(table, struct_) \
 {.properties = table, .at = G_STRUCT_OFFSET (ROWS_OF, struct_)}
#define PARSED(by, row, ...) row (__VA_ARGS__, .parse = by)
#define FOLLOWED(by, row, ...) row (__VA_ARGS__, .changed = by)

/* Evaluates @value, such as self->params or g_strdup (self->location), under
 * the object lock of @self. */
#define GST_VISION_LOCKED(self, value) \
 __extension__ ({ \
  GST_OBJECT_LOCK (self); \
  __typeof__ (value) value_ = (value); \
  GST_OBJECT_UNLOCK (self); \
  value_; \
 })
/* clang-format on */

/* For class_init (): installs the properties of @table, with set_property ()
 * and get_property ().  The table's struct lies at @at in the instance: 0 for
 * the instance itself, G_PRIVATE_OFFSET () for a private struct. */
void gst_vision_properties_install_at (
    GObjectClass *klass, const GstVisionProperty *table, gssize at);
#define gst_vision_properties_install(klass, table) \
 gst_vision_properties_install_at (klass, table, 0)

/* For instance_init (): gives each field its default.  Texts are freed with
 * @object, which must itself free what parse () made of them. */
void gst_vision_properties_init_at (
    gpointer object, const GstVisionProperty *table, gssize at);
#define gst_vision_properties_init(object, table) \
 gst_vision_properties_init_at (object, table, 0)

/* For start () of the parents: FALSE, after an error that names the properties,
 * if the newest texts of some properties were refused.  So a text that is
 * refused while the element is stopped makes the start fail.  After a text that
 * is refused later, the element warns, and keeps the text before. */
gboolean gst_vision_properties_check (GstElement *element);

/* For parse () of a file's name: reads the regular file @path, of at most 4
 * MiB; a 0 byte follows the text.  FALSE, and a sentence that names the file,
 * if it cannot be read, or is a device or a FIFO. */
gboolean gst_vision_file_read_text (
    const gchar *path, gchar **text, GError **error);

/* For GST_TYPE_PRESET: a preset leaves properties that were set since the
 * element stopped, or was made, in whatever order; one that is loaded while the
 * element runs replaces all that it holds. */
void gst_vision_preset_init (GstPresetInterface *iface);

/* For a row's parse (): stores "x,y,width,height" in @box, a field of
 * @element's struct, under the object lock; @whole where @text is NULL. */
gboolean gst_vision_properties_take_box (GstElement *element, const gchar *text,
    ImageBox whole, ImageBox *box, GError **error);

G_END_DECLS
