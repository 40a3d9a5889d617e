/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stress.h"

#include "common/random.h"

guint64
roll (Dice *dice)
{
  return random_u64 (dice->seed, dice->n++);
}

guint
below (Dice *dice, guint n)
{
  return random_below (dice->seed, dice->n++, n);
}

gint
between (Dice *dice, gint least, gint most)
{
  return least + (gint) below (dice, (guint) (most - least + 1));
}

gboolean
one_in (Dice *dice, guint n)
{
  return below (dice, n) == 0;
}

gdouble
unit (Dice *dice)
{
  return (gdouble) (roll (dice) >> 11) / (gdouble) (1ull << 53);
}

GstNavigationModifierType
roll_keys (Dice *dice)
{
  static const GstNavigationModifierType keys[] = {0, 0,
      GST_NAVIGATION_MODIFIER_SHIFT_MASK, GST_NAVIGATION_MODIFIER_CONTROL_MASK,
      (GstNavigationModifierType) ~0u};

  return PICK (dice, keys);
}
