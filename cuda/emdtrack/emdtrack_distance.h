/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From params to integer ground distances, and which closed form those have.
 * Host code. */
#pragma once

#include "emdtrack/emdtrack_closed_core.h"

/* NULL, or what is wrong with the distance that @params ask for. */
const char *emdtrack_check_distance (const EmdtrackParams *params);

/* Sets @closed, its form too; EMDTRACK_FORM_ANY if there is none. */
void emdtrack_find_form (uint8_t distance[EMDTRACK_BINS][EMDTRACK_BINS], int n,
    EmdtrackClosed *closed);
