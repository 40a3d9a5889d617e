/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory of clouds. */
#include "scopedetect/scopedetect_cloud.h"

const char *
scopedetect_cloud_new (const Device *dev, ScopedetectCloud *c, int room,
    bool colour, bool features)
{
  uint32_t hashes = 64;

  memset (c, 0, sizeof *c);
  c->room = room;
  while (hashes < (uint32_t) room)
    hashes *= 2;
  c->grid.mask = hashes - 1;
  DEVICE_RENEW (dev, c->x, room);
  DEVICE_RENEW (dev, c->normal, room);
  if (colour)
    DEVICE_RENEW (dev, c->lab, room);
  DEVICE_RENEW (dev, c->grid.start, hashes + 1);
  DEVICE_RENEW (dev, c->grid.list, room);
  if (!features)
    return NULL;
  DEVICE_RENEW (dev, c->pc1, room);
  DEVICE_RENEW (dev, c->pc2, room);
  DEVICE_RENEW (dev, c->frame, room);
  DEVICE_RENEW (dev, c->spfh, (size_t) room * SCOPEDETECT_ROW);
  DEVICE_RENEW (dev, c->fpfh, (size_t) room * SCOPEDETECT_BINS);
  DEVICE_RENEW (dev, c->code, (size_t) room * SCOPEDETECT_CODE);
  return NULL;
}

void
scopedetect_cloud_free (const Device *dev, ScopedetectCloud *c)
{
  device_release (dev, c->x);
  device_release (dev, c->normal);
  device_release (dev, c->lab);
  device_release (dev, c->grid.start);
  device_release (dev, c->grid.list);
  device_release (dev, c->pc1);
  device_release (dev, c->pc2);
  device_release (dev, c->frame);
  device_release (dev, c->spfh);
  device_release (dev, c->fpfh);
  device_release (dev, c->code);
  memset (c, 0, sizeof *c);
}
