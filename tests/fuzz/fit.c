/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of fits of scopedetect. */
#include "fuzz.h"
#include "scopedetect/explain/record.h"

static void
fuzz (const uint8_t *data, size_t size)
{
  ScopedetectFit fit = scopedetect_fit_shipped (), before = fit, again;
  char *text = fuzz_text (data, size);
  const char *err = scopedetect_fit_parse (&fit, text, NULL, 0);

  free (text);
  REQUIRE (!err || !memcmp (&fit, &before, sizeof fit));
  text = scopedetect_fit_text (&fit, NULL, 0);
  REQUIRE (text && !scopedetect_fit_parse (&again, text, NULL, 0));
  REQUIRE (!memcmp (&fit, &again, sizeof fit));
  free (text);
}
