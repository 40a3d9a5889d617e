# SPDX-License-Identifier: LGPL-2.1-or-later
"""Properties of an element: in groups, and as texts."""
import configparser
import shlex
from pathlib import Path

from gi.repository import GLib, GObject, Gst

HERE = Path(__file__).resolve().parent
# in the tree, and installed
PLACES = HERE.parent.parent / "gst/groups.ini", HERE.parent / "groups.ini"
COMMON = "Machine"
LONGEST = 10000  # a slider's range; a larger one is a number to type
STEPS = 200


def groups(name):
    """Titles and names of properties; the first group is what most need."""
    parser = configparser.ConfigParser(delimiters="=")
    parser.optionxform = str
    parser.read([place for place in PLACES if place.exists()])
    found = {title: names.split() for title, names in parser[name].items()} \
        if name in parser else {}
    found[COMMON] = ["backend", "n-threads"]
    return found


def step_of(spec):
    """How far a slider of a number moves at once."""
    if spec.value_type not in (GObject.TYPE_FLOAT, GObject.TYPE_DOUBLE):
        return 1
    return max(min(spec.maximum - spec.minimum, LONGEST) / STEPS, 1e-4)


def may_change(spec):
    return bool(int(spec.flags) & Gst.PARAM_MUTABLE_PLAYING)


def takes(element, name, text):
    """Whether gst-launch-1.0 would take @text for the property."""
    try:
        Gst.parse_launchv(
            [element.get_factory().get_name(), f"{name}={spelled(text)}"])
    except GLib.Error:
        return False
    return True


def spelled(text):
    """A value as gst-launch-1.0 takes it behind NAME=, whatever is in it; for why, see
    spelled () in pipelines/common.sh, which says the same for a shell."""
    if text.startswith('"') or text.endswith("\\") or \
            any(c < " " or c == "\x7f" for c in text):
        octal = "".join(f"\\\\{byte:03o}" for byte in text.encode())
        return f'\\"{octal}\\"'
    plain, mark, rest = text.replace("\\", "\\\\").partition('"')
    text = plain + (mark + rest).replace('"', '\\"').replace(" ", "\\ ")
    return "\\" * text.startswith("'") + text or '""'


def word(name, text):
    """NAME=VALUE as a shell takes it, for gst-launch-1.0."""
    return shlex.quote(f"{name}={spelled(text)}")


def text_of(element, spec):
    """A property as gst-launch-1.0 takes it."""
    value = element.get_property(spec.name)
    if spec.value_type == GObject.TYPE_STRING:
        return value or ""
    if spec.value_type.is_a(GObject.TYPE_FLAGS):
        return "+".join(value.value_nicks)
    holder = GObject.Value(spec.value_type)
    holder.set_value(value)
    return Gst.value_serialize(holder)


def changed(element):
    """Texts of the writable properties that are not as in a new element."""
    fresh = element.get_factory().create(None)
    both = GObject.ParamFlags.READABLE | GObject.ParamFlags.WRITABLE
    found = {}
    for spec in element.list_properties():
        if spec.flags & both != both or spec.name in ("name", "parent") or \
                spec.flags & GObject.ParamFlags.CONSTRUCT_ONLY:
            continue
        text = text_of(element, spec)
        if text != text_of(fresh, spec):
            found[spec.name] = text
    return found


def save_preset(element, name):
    """What of the element was set, as its preset of that name; the path of the file.
    GStreamer's own function writes texts that some of its releases do not read, and the
    element's name; here texts stand as they are, or as octal numbers."""
    kind = GObject.type_name(element)
    path = Path(GLib.get_user_data_dir()) / f"gstreamer-1.0/presets/{kind}.prs"
    file = GLib.KeyFile()
    if path.exists():
        file.load_from_file(str(path), GLib.KeyFileFlags.KEEP_COMMENTS)
    else:  # older than the presets that are installed, so that these join it
        file.set_value("_presets_", "version", "0.0.0.0")
        file.set_value("_presets_", "element-name", kind)
    if file.has_group(name):
        file.remove_group(name)
    file.set_value(name, "_meta/comment", "saved by vision-live")
    for key, text in changed(element).items():
        file.set_value(name, key, preset_text(text))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(file.to_data()[0])
    return path


def preset_text(text):
    """A text that a file of presets holds as it is, or as octal numbers."""
    if text == text.strip() and text.isprintable() and "\\" not in text and \
            not text.startswith('"'):
        return text
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode()) + '"'


def words(element, *more):
    """An element in the words of a launch line."""
    return " ".join([element.get_factory().get_name(), *more,
                     *(word(name, text)
                       for name, text in changed(element).items())])
