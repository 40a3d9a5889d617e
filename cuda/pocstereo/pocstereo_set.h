/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From parameters to tables and layers. */
#pragma once

#include "pocstereo/pocstereo_work.h"

/* Fills w->layer, w->n_layers and @tables from w->params, which are good. */
void pocstereo_set_layers (PocstereoWork *w);
void pocstereo_set_tables (PocstereoTables *tables, const PocstereoParams *p);
