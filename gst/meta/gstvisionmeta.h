/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Results of the vision elements on a buffer: objects, the camera, maps.
 *
 * They ride in GstCustomMetas without tags, named VisionObjects, VisionCamera
 * and VisionMaps (ground truth: VisionTruthObjects, …), whose GstStructure is
 * the schema; the structs here are a view of it for C.  docs/metadata.md lists
 * every field. */
#pragma once

#include "gstvisionorigin.h"
#include "gstvisionobject.h"
#include "gstvisionobjects.h"
#include "gstvisioncamera.h"
#include "gstvisionmaps.h"
#include "gstvisionsegmentation.h"
