# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lines of visionjson against docs/visionjson.schema.json."""
import json

from commands import ROOT

try:
    import jsonschema
except ImportError:
    jsonschema = None


def close(schema):
    """In tests, a field that the schema does not name is one that it lacks."""
    if isinstance(schema, dict):
        if "properties" in schema:
            schema["additionalProperties"] = False
        for part in schema.values():
            close(part)
    return schema


def check_lines(lines):
    """Each of @lines must be as the schema says; how many there were, or None
    where python3-jsonschema is missing."""
    if not jsonschema:
        return None
    path = ROOT / "docs/visionjson.schema.json"
    validator = jsonschema.Draft201909Validator(
        close(json.loads(path.read_text())))
    n = 0
    for n, line in enumerate(lines, 1):
        error = jsonschema.exceptions.best_match(
            validator.iter_errors(json.loads(line)))
        assert not error, f"{list(error.absolute_path)}: {error.message}\n{line}"
    assert n, "there are no lines"
    return n
