/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The results of the vision elements on a buffer: objects, the camera and maps.
 * A program includes this header alone.
 *
 * GstCustomMetas without tags hold the results.  Their names are VisionObjects,
 * VisionCamera and VisionMaps; those of the ground truth are
 * VisionTruthObjects, VisionTruthCamera and VisionTruthMaps.  The GstStructure
 * of such a meta is the schema, and the structs here are a view of it for C.
 * docs/metadata.md lists all fields. */
#pragma once

#include "gstvisionorigin.h"
#include "gstvisionobject.h"
#include "gstvisionobjects.h"
#include "gstvisioncamera.h"
#include "gstvisionmaps.h"
#include "gstvisionsegmentation.h"

G_BEGIN_DECLS

/**
 * GST_VISION_META_CHECK_VERSION:
 * @major: a number
 * @minor: a number
 * @micro: a number
 *
 * Whether the version of the headers is @major.@minor.@micro or later.
 *
 * Since: 0.1
 */
#define GST_VISION_META_CHECK_VERSION(major, minor, micro) \
 ((major) < GST_VISION_META_VERSION_MAJOR || \
     ((major) == GST_VISION_META_VERSION_MAJOR && \
         ((minor) < GST_VISION_META_VERSION_MINOR || \
             ((minor) == GST_VISION_META_VERSION_MINOR && \
                 (micro) <= GST_VISION_META_VERSION_MICRO))))

/**
 * GST_VISION_META_VERSION_MAJOR:
 *
 * The first number of the version of these headers.
 *
 * Since: 0.1
 */
#define GST_VISION_META_VERSION_MAJOR 0
/**
 * GST_VISION_META_VERSION_MINOR:
 *
 * The second number of the version of these headers.
 *
 * Since: 0.1
 */
#define GST_VISION_META_VERSION_MINOR 1
/**
 * GST_VISION_META_VERSION_MICRO:
 *
 * The third number of the version of these headers.
 *
 * Since: 0.1
 */
#define GST_VISION_META_VERSION_MICRO 0

G_END_DECLS
