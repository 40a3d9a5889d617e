/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What scopedetect's properties are called, what they do, and where their
 * values are kept. */
#include "base/gstvisionplace.h"
#include "scopedetect/gstscopedetect.h"

#define AT(field) G_STRUCT_OFFSET (GstScopedetect, field)

enum {
  PROP_0,
  PROP_MODELS,
  PROP_OUTPUT_CSV,
  PROP_TRACKING,
  PROP_KEEP,
  PROP_TABLE,
  PROP_RANDOM,
  PROP_SEED,
  PROP_NUMBERS, /* and those that follow */
  PROP_INTRINSICS = PROP_NUMBERS + GST_SCOPEDETECT_N_NUMBERS, /* likewise */
};

static gpointer
place_of (GstScopedetect *self, guint id)
{
  static const gsize places[] = {
      [PROP_MODELS] = AT (models),
      [PROP_OUTPUT_CSV] = AT (output_csv),
      [PROP_TRACKING] = AT (tracking),
      [PROP_KEEP] = AT (keep),
      [PROP_TABLE] = AT (table),
      [PROP_RANDOM] = AT (random),
      [PROP_SEED] = AT (params.seed),
  };

  return id >= PROP_NUMBERS ? gst_scopedetect_number (self, id - PROP_NUMBERS)
                            : G_STRUCT_MEMBER_P (self, places[id]);
}

static void
set_text (gchar **place, const gchar *text)
{
  g_free (*place);
  *place = text && *text ? g_strdup (text) : NULL;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstScopedetect *self = GST_SCOPEDETECT (object);
  gpointer place;

  if (id >= PROP_INTRINSICS) {
    gst_vision_intrinsics_set_property (
        &self->intrinsics, GST_ELEMENT (self), id - PROP_INTRINSICS, value);
    return;
  }
  place = place_of (self, id);
  GST_OBJECT_LOCK (self);
  if (G_IS_PARAM_SPEC_STRING (pspec))
    set_text (place, g_value_get_string (value));
  else
    gst_vision_place_set (place, value, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstScopedetect *self = GST_SCOPEDETECT (object);
  gpointer place;

  if (id >= PROP_INTRINSICS) {
    gst_vision_intrinsics_get_property (
        &self->intrinsics, GST_ELEMENT (self), id - PROP_INTRINSICS, value);
    return;
  }
  place = place_of (self, id);
  GST_OBJECT_LOCK (self);
  gst_vision_place_get (place, value, pspec);
  GST_OBJECT_UNLOCK (self);
}

#define LIVE \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_CONSTRUCT | \
     GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE)
#define FIXED \
 (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

#define install g_object_class_install_property

static void
install_params (GObjectClass *klass)
{
  ScopedetectParams d;

  scopedetect_preset (&d, SCOPEDETECT_FAST);
  install (klass, PROP_TABLE,
      g_param_spec_boolean ("table", "Table",
          "The objects stand on a plane, which is found and left out", d.table,
          LIVE));
  install (klass, PROP_RANDOM,
      g_param_spec_boolean ("random", "Random",
          "Round 1 draws poses at random, as in the thesis; otherwise it tries "
          "all neighbours of each feature",
          d.random, LIVE));
  install (klass, PROP_SEED,
      g_param_spec_uint64 ("seed", "Seed", "Seed of all that is random", 0,
          G_MAXUINT64, d.seed, LIVE));
}

void
gst_scopedetect_install_properties (GObjectClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  install (klass, PROP_MODELS,
      g_param_spec_string ("models", "Models",
          "Files that vision-model made, with commas or semicolons between "
          "them; all with the same spacing and radii",
          NULL, FIXED));
  install (klass, PROP_OUTPUT_CSV,
      g_param_spec_string ("output-csv", "Output as CSV",
          "File to which poses are written in the format of the BOP benchmark: "
          "scene 1, the number of the frame from 0 on and of the model from 1 "
          "on; for a FIFO without a reader, the newest 1 MiB of lines wait",
          NULL, FIXED));
  install (klass, PROP_TRACKING,
      g_param_spec_boolean ("tracking", "Tracking",
          "Look near the last poses first and give objects ids; otherwise "
          "every frame is searched as a whole",
          TRUE, LIVE));
  install (klass, PROP_KEEP,
      g_param_spec_double ("keep", "Part of the score to keep",
          "With tracking, a frame is searched as a whole when an object's "
          "score is less than this part of what the last search found",
          0, 1, .7, LIVE));
  install_params (klass);
  gst_scopedetect_install_numbers (klass, PROP_NUMBERS);
  gst_vision_intrinsics_install_properties (klass, PROP_INTRINSICS);
}

void
gst_scopedetect_clear_properties (GstScopedetect *self)
{
  g_free (self->models);
  g_free (self->output_csv);
}

ScopedetectParams
gst_scopedetect_get_params (GstScopedetect *self)
{
  ScopedetectParams p;

  GST_OBJECT_LOCK (self);
  p = self->params;
  p.table = self->table;
  p.random = self->random;
  p.depth_scale = self->intrinsics.depth_scale;
  GST_OBJECT_UNLOCK (self);
  return p;
}
