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

#include "common/rows.h"

G_BEGIN_DECLS

typedef struct _GstVisionProperty GstVisionProperty;

struct _GstVisionProperty {
  /* One of these four: a field of the struct that this table is about, a value
   * that is worked out, or all rows of a table about the struct that lies at
   * @at in it. */
  union {
    Param param;
    struct {
      PARAM_MEMBERS
    };
  };
  GParamSpec *(*spec) (void);
  const Param *params;
  const GstVisionProperty *properties;

  /* Of a text; NULL: any will do.  Reads @text, which is NULL where it is
   * empty, and, if it can be used, puts what it says into @owner, the struct
   * that the row's table is about, under @element's object lock, which is not
   * held by the caller.  FALSE and @error, "nine numbers are needed": the text
   * is refused.  One call at a time for each element.  If this call or a frame
   * puts another text in the field meanwhile, that one is kept instead of
   * @text. */
  gboolean (*parse) (
      GstElement *element, gpointer owner, const gchar *text, GError **error);
  /* Of @spec: what the value is now.  Called under the object lock. */
  void (*read) (gpointer owner, GValue *value);
  /* What more a new value of @param changes, such as caps; NULL: nothing.
   * Called without the object lock. */
  void (*changed) (GstElement *element, const Param *param);
};

/* The words of common/rows.h and these make rows of an element. */
/* clang-format off */
#define PARAMS(table, struct_, ...) \
 {.params = table, .at = G_STRUCT_OFFSET (ROWS_OF, struct_), __VA_ARGS__}
#define PROPERTIES(table, struct_) \
 {.properties = table, .at = G_STRUCT_OFFSET (ROWS_OF, struct_)}
#define PARSED(by, row, ...) row (__VA_ARGS__, .parse = by)
#define FOLLOWED(by, row, ...) row (__VA_ARGS__, .changed = by)

/* What @value is under the object lock of @self: self->params, or
 * g_strdup (self->location). */
#define GST_VISION_LOCKED(self, value) \
 __extension__ ({ \
  GST_OBJECT_LOCK (self); \
  __typeof__ (value) value_ = (value); \
  GST_OBJECT_UNLOCK (self); \
  value_; \
 })
/* clang-format on */

/* For class_init (): installs them, with set_property () and get_property ().
 * The struct that @table is about lies at @at in the instance: at 0 if it is
 * the instance, at what G_PRIVATE_OFFSET () tells of a private one. */
void gst_vision_properties_install_at (
    GObjectClass *klass, const GstVisionProperty *table, gssize at);
#define gst_vision_properties_install(klass, table) \
 gst_vision_properties_install_at (klass, table, 0)

/* For instance_init (): gives each field its default.  Texts are freed with
 * @object; what parse () made of them is @object's to free. */
void gst_vision_properties_init_at (
    gpointer object, const GstVisionProperty *table, gssize at);
#define gst_vision_properties_init(object, table) \
 gst_vision_properties_init_at (object, table, 0)

/* For start (), in which both parents call it: FALSE, and an error that names
 * the properties, where the newest texts of some were refused.  That is the one
 * rule: a text that is refused while the element is stopped ends the start; one
 * that is refused later is warned of, and the text before stays. */
gboolean gst_vision_properties_check (GstElement *element);

G_END_DECLS
