/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The presets of the element scopedetect, read from gst/presets.ini. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "presets_ini.h"
#include "scopedetect/scopedetect.h"

typedef enum { PRESET_FAST, PRESET_THOROUGH, PRESET_THESIS, N_PRESETS } Preset;

static const char *const preset_name[] = {"fast", "thorough", "thesis"};

/* The preset @name; NULL or another name: fast. */
static inline Preset
preset_of (const char *name)
{
  int preset = N_PRESETS - 1;

  while (preset > 0 && (!name || strcmp (name, preset_name[preset])))
    preset--;
  return (Preset) preset;
}

/* Sets the field of row @p from the text @value. */
static inline void
preset_set (ScopedetectParams *params, const Param *p, const char *value)
{
  void *at = (char *) params + p->at;

  if (p->type == PARAM_BOOL)
    *(bool *) at = !strcmp (value, "true");
  else if (p->type == PARAM_INT)
    *(int *) at = atoi (value);
  else if (p->type == PARAM_DOUBLE)
    *(double *) at = strtod (value, NULL);
  for (const ParamChoice *c = p->choices; c && c->name; c++)
    if (!strcmp (value, c->name))
      *(int *) at = c->value;
}

/* The defaults, and what line "name = fast thorough thesis", or one value for
 * all, says of @preset. */
static inline ScopedetectParams
preset_params (Preset preset)
{
  ScopedetectParams params = scopedetect_defaults ();
  FILE *file = fopen (PRESETS_INI, "r");
  char line[512], word[N_PRESETS + 1][64];
  bool is_ours = false;
  int n_set = 0;

  check (file != NULL);
  while (file && fgets (line, sizeof line, file)) {
    int n = sscanf (
        line, "%63s = %63s %63s %63s", word[0], word[1], word[2], word[3]);
    const Param *p = scopedetect_params;
    char name[PARAM_NAME];

    if (line[0] == '[')
      is_ours = !strncmp (line, "[GstScopedetect]", 16);
    if (!is_ours || n < 2 || line[0] == '@')
      continue;
    for (; p->field; p++) {
      param_name (p, name);
      if (!strcmp (name, word[0]))
        break;
    }
    check (p->field && (n == 2 || n == N_PRESETS + 1));
    if (p->field)
      preset_set (&params, p, word[n == 2 ? 1 : 1 + preset]);
    n_set++;
  }
  if (file)
    fclose (file);
  check (n_set > 10);
  return params;
}
