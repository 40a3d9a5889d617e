#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the presets of an element as GStreamer reads them.

presets.py PRESETS.INI GstX.prs"""
import configparser
import sys
from pathlib import Path

parser = configparser.ConfigParser(delimiters="=", interpolation=None)
parser.optionxform = str
parser.read(sys.argv[1])
path = Path(sys.argv[2])
section = parser[path.stem]
rows = {key: values.split() for key, values in section.items() if key[0] != "@"}
presets = [key for key in section if key[0] == "@"]
text = f"""# SPDX-License-Identifier: LGPL-2.1-or-later
[_presets_]
version=0.1.0
element-name={path.stem}
"""
for i, preset in enumerate(presets):
    text += f"\n[{preset[1:]}]\n_meta/comment={section[preset]}\n"
    for key, values in rows.items():
        if len(values) not in (1, len(presets)):
            sys.exit(f"{sys.argv[1]}: {path.stem}: {key} has {len(values)} values")
        text += f"{key}={values[i % len(values)]}\n"
path.write_text(text)
