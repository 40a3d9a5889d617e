/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header under the name that it has when it is installed. */
#pragma once

#include "meta/gstvisionmeta.h"
