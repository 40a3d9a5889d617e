/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which objects of a frame are drawn. */
#pragma once

#include "meta/gstvisionmeta.h"
#include "overlay/gstvisionlook.h"

G_BEGIN_DECLS

/* Those of @objects that @look chooses, in their order; of those that several
 * elements found, one where it says so.  Room for all is in @chosen; returns
 * how many they are. */
guint gst_vision_choose (const GstVisionLook *look,
    const GstVisionObjects *objects, const GstVisionObject **chosen);

G_END_DECLS
