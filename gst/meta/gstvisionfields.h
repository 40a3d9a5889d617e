/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A GstVisionObject as the GstStructure that the meta holds, and back.
 * Private to the library. */
#pragma once

#include "gstvisionobject.h"

/* A new structure with every field that is known and has its right size. */
GstStructure *gst_vision_object_to_structure (const GstVisionObject *object);

/* Fields that are missing, or of another type or size, are not known.  Free
 * what @object points to with gst_vision_object_disown(). */
void gst_vision_object_from_structure (
    GstVisionObject *object, const GstStructure *structure);

/* Puts copies in place of all that @object points to. */
void gst_vision_object_own (GstVisionObject *object);
void gst_vision_object_disown (GstVisionObject *object);
