/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For comparison functions: one key after the other. */
#pragma once

/* Returns from the function where @a and @b differ. */
#define ORDER(a, b) \
 if ((a) != (b)) \
 return (a) < (b) ? -1 : 1
