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
