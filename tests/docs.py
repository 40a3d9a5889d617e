#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of docs/elements, made of what gst-inspect-1.0 tells about each
element and of the SECTION comment in its source.

Without arguments: fails where a page is not what it would be made now.
--write makes them anew.  Run it by `meson devenv` or as a test of Meson."""
import configparser
import difflib
import re
import subprocess
import sys
from pathlib import Path

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GObject, Gst  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "elements"
GROUPS = ROOT / "gst/groups.ini"
COSTS = ROOT / "docs/performance.md"
# The page that has pictures of elements.
GALLERY = ROOT / "docs/gallery.md"
MADE = "<!-- made by tests/docs.py; change the source, then run it with " \
    "--write -->\n"
# What V4L2 cameras, JPEG and H.26x of 8 and 10 bits come as.
COMMON = ["YUY2", "UYVY", "NV12", "I420", "Y42B", "Y444", "I420_10LE",
          "P010_10LE", "GRAY8", "GRAY16_LE", "RGB", "BGRx"]
WIDTH = 78
PARENTS = {"GstVisionFilter", "GstVisionAggregator"}
# Of GStreamer's own parents, what a user of an element needs.
INHERITED = {("GstAggregator", "latency"),
             ("GstAggregator", "min-upstream-latency"),
             ("GstBaseSrc", "num-buffers")}
LIMITS = {-2**31: "-2³¹", 2**31 - 1: "2³¹-1", 2**32 - 1: "2³²-1",
          -2**63: "-2⁶³", 2**63 - 1: "2⁶³-1", 2**64 - 1: "2⁶⁴-1"}
TYPES = {"gboolean": "boolean", "gint": "integer", "guint": "integer",
         "gint64": "integer", "guint64": "integer", "gfloat": "number",
         "gdouble": "number", "gchararray": "string",
         "GstStructure": "structure", "GstFraction": "fraction"}


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(head, rows):
    lines = [head, ["---"] * len(head)] + rows
    return "".join("| " + " | ".join(map(cell, line)) + " |\n"
                   for line in lines)


def number(value):
    return LIMITS.get(value) or (f"{value:.6g}" if isinstance(value, float)
                                 else str(value))


def shown(value):
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if hasattr(value, "value_nicks"):
        return "+".join(value.value_nicks)
    if hasattr(value, "value_nick"):
        return value.value_nick
    return number(value) if isinstance(value, (int, float)) else str(value)


def choices_of(name):
    """Nicks and meanings of each property that is an enumeration or flags.
    The bindings tell them otherwise in each of their versions."""
    text = subprocess.run(["gst-inspect-1.0", "--no-colors", name], text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    found = {}
    for block in re.split(r"^  (?=[\w-]+ +: )", text, flags=re.M):
        nicks = re.findall(r"^ +\((?:0x)?[0-9a-f-]+\): +([\w-]+) +- (.*)$", block,
                           re.M)
        if nicks:
            found[block.split()[0]] = [[f"`{n}`", what] for n, what in nicks]
    return found


def values_of(pspec):
    """The type of a property, and what it can be set to."""
    if pspec.value_type.is_a(GObject.TYPE_ENUM):
        return "one of the nicks below"
    if pspec.value_type.is_a(GObject.TYPE_FLAGS):
        return "nicks below, joined by +"
    name = TYPES.get(pspec.value_type.name, pspec.value_type.name)
    least, most = (getattr(pspec, which, None)
                   for which in ("minimum", "maximum"))
    if least is None or least < -1e30:
        return name
    if most > 1e30:
        return f"{name}, at least {number(least)}"
    return f"{name}, {number(least)} to {number(most)}"


def changes_of(pspec):
    """When a property may be set."""
    if pspec.owner_type.name in {owner for owner, _ in INHERITED}:
        return "always"  # they say nothing of it
    if not pspec.flags & GObject.ParamFlags.WRITABLE:
        return "read only"
    if pspec.flags & GObject.ParamFlags.CONSTRUCT_ONLY:
        return "when made"
    if not int(pspec.flags) & Gst.PARAM_MUTABLE_PLAYING:
        return "when stopped"
    controllable = int(pspec.flags) & Gst.PARAM_CONTROLLABLE
    return "always, controllable" if controllable else "always"


def default_of(element, pspec):
    if pspec.value_type.name == "GstStructure":
        return ""
    text = shown(element.get_property(pspec.name))
    return f"`{text}`" if text else ""


def properties(element, pspecs, choices):
    rows, lists = [], ""
    for p in pspecs:
        rows.append([f"`{p.name}`", values_of(p), default_of(element, p),
                     changes_of(p), p.blurb])
        if p.name in choices:
            lists += f"\nValues of `{p.name}`:\n\n" + \
                table(["nick", "meaning"], choices[p.name])
    return table(["property", "values", "default", "may be set", "meaning"],
                 rows) + lists


def groups_of(name):
    """Titles of groups, and the names of the properties in each."""
    parser = configparser.ConfigParser(delimiters="=")
    parser.optionxform = str
    parser.read(GROUPS)
    return {title: names.split() for title, names in parser[name].items()} \
        if name in parser else {}


def grouped(name, element, pspecs, choices):
    """The element's own properties: the usual ones first."""
    groups, rest = groups_of(name), {p.name: p for p in pspecs}
    text = ""
    for title, names in groups.items():
        unknown = [n for n in names if n not in rest]
        if unknown:
            sys.exit(f"gst/groups.ini: {name} has no properties {unknown}, or "
                     "they are in two groups")
        if title == "usual" and len(names) > 5:
            sys.exit(f"gst/groups.ini: more than five of {name} are usual")
        title = "The usual ones" if title == "usual" else title
        head = f"### {title}\n\n" if len(groups) > 1 else ""
        text += ("\n" if text else "") + head + properties(
            element, [rest.pop(n) for n in names], choices)
    if rest:
        sys.exit(f"gst/groups.ini: put these of {name} into a group: "
                 f"{', '.join(rest)}")
    return text


def pads(factory):
    rows = {}  # of the same caps one
    for pad in sorted(factory.get_static_pad_templates(),
                      key=lambda pad: pad.name_template):
        caps = pad.get_caps().to_string()
        name = f"`{pad.name_template}`"
        if pad.presence != Gst.PadPresence.ALWAYS:
            name += f" ({pad.presence.value_nick})"
        for media, formats in re.findall(
                r"([\w/-]+(?:\(memory:\w+\))?)(?:, format=\(string\)"
                r"(\{[^}]*\}|[\w-]+))?[^;]*", caps):
            row = f"`{media}`", formats.strip("{} ")
            rows.setdefault(row, []).append(name)
    return table(["pad", "caps", "formats"],
                 [[", ".join(names), *row] for row, names in rows.items()]) + \
        conversions(factory)


def cost_on_cpu(name):
    """The element's rows of the table of CPU times in docs/performance.md."""
    costs = re.search(r"^## On a CPU$(.*?)^## ", COSTS.read_text(), re.M | re.S)[1]
    rows = re.findall(rf"^\| {name} \| (.*) \| (.*) \|$", costs, re.M)
    if not rows:
        return ""
    return "\n## Cost on a CPU\n\n[Measured](../performance.md#on-a-cpu) with default " \
        "properties:\n\n" + table(["frame", "ms of CPU time"], rows)


def picture(name):
    """The element's picture, as the gallery shows and describes it."""
    path = f"gallery/{name.removeprefix('vision')}.jpg"
    found = re.search(rf"!\[([^]]*)\]\({path}\)", GALLERY.read_text())
    return f"\n![{found[1]}](../{path})\n" if found else ""


def conversions(factory):
    """What of cameras and decoders must be converted, for each sink pad."""
    said = {}
    for pad in sorted(factory.get_static_pad_templates(),
                      key=lambda pad: pad.name_template):
        raw = Gst.Caps("video/x-raw")
        if pad.direction != Gst.PadDirection.SINK or \
                not pad.get_caps().can_intersect(raw):
            continue
        others = [f for f in COMMON if not pad.get_caps().can_intersect(
            Gst.Caps(f"video/x-raw,format={f}"))]
        said.setdefault(tuple(others), []).append(f"`{pad.name_template}`")
    return "".join(conversion(others, " and ".join(pads))
                   for others, pads in said.items() if others)


def conversion(others, pads):
    """What to do about the formats @others, which @pads do not take."""
    if len(others) == len(COMMON) - 1:  # all but GRAY16_LE
        return f"\n{pads} takes depth alone, as `GRAY16_LE`. 16-bit PNG and some " \
            "cameras give `GRAY16_BE`: put `videoconvert` in front. It converts " \
            "colours, too, but makes no depth of them.\n"
    names = ", ".join(f"`{f}`" for f in others)
    return f"\nOf common formats of cameras and decoders, {names} need " \
        f"`videoconvert` in front of {pads}.\n"


def signals(gtype):
    rows = []
    for name in GObject.signal_list_names(gtype):
        query = GObject.signal_query(name, gtype)
        arguments = ", ".join(t.name for t in query.param_types)
        action = query.signal_flags & GObject.SignalFlags.ACTION
        rows.append([f"`{name}` ({arguments})", query.return_type.name,
                     "action" if action else "notification"])
    return table(["signal", "returns", "kind"], rows) if rows else ""


def presets(element):
    """The presets of an element, and what each is for."""
    if not isinstance(element, Gst.Preset):
        return ""
    name, names = element.get_factory().get_name(), element.get_preset_names()
    first = names[0]
    rows = [[f"`{preset}`", element.get_meta(preset, "comment")[1]]
            for preset in names]
    return f"""A preset sets several properties at once: `{name} @preset={first}` in a launch
line, where what is written beside it wins, or in an application
`gst_preset_load_preset ()`. Properties that were set before the element starts stay.

""" + \
        table(["preset", "what it is for"], rows)


def launch_lines(block):
    """The gst-launch-1.0 lines of an example, broken between elements."""
    text = " ".join(block.group(1).replace("\\\n", " ").split())
    out = ""
    for line in re.split(r" (?=gst-launch-1\.0)", text):
        parts = line.split(" ! ")
        row = parts[0]
        for part in parts[1:]:
            if len(row) + len(part) + 5 > WIDTH:
                out += f"{row} ! \\\n"
                row = "  " + part
            else:
                row += " ! " + part
        out += row + "\n"
    return f"\n```sh\n{out}```\n"


def link(match):
    """A link to the page of an element; of another word nothing is made."""
    known = Gst.ElementFactory.find(match[1])
    return f"[{match[1]}]({match[1]}.md)" if known else match[0]


def section(name):
    """The SECTION comment of an element, in Markdown."""
    for source in sorted((ROOT / "gst").glob("*/*.c")):
        m = re.search(rf"/\*\*\n \* SECTION:element-{name}\n(.*?)\*/",
                      source.read_text(), re.S)
        if m:
            break
    else:
        sys.exit(f"{name} has no comment SECTION:element-{name}")
    text = re.sub(r"^ \* ?", "", m[1], flags=re.M)
    text = re.sub(r"^(@\w+:|Since:).*\n", "", text, flags=re.M)
    text = re.sub(r"\|\[\s*(gst-launch.*?)\]\|", launch_lines, text, flags=re.S)
    text = re.sub(r"\|\[\s*(.*?)\]\|", r"\n```\n\1```\n", text, flags=re.S)
    text = re.sub(r"#(\w+):{1,2}([\w-]+)", r"`\2`", text)
    text = re.sub(r"(?<!\w)#([a-z]+)\b", link, text)
    text = re.sub(r"#(Gst\w+|G\w+)", r"`\1`", text)
    return re.sub(r"%([A-Z_]+)", r"`\1`", text).strip() + "\n"


def page(factory):
    name = factory.get_name()
    factory = factory.load()
    gtype = factory.get_element_type()
    element, choices = factory.create(None), choices_of(name)
    pspecs = list(GObject.list_properties(gtype))
    own = [p for p in pspecs if p.owner_type == gtype]
    common = [p for p in pspecs if p.owner_type.name in PARENTS]
    inherited = [p for p in pspecs if (p.owner_type.name, p.name) in INHERITED]
    parts = [MADE + f"\n# {name}\n\n{factory.get_metadata('description')}\n" +
             picture(name), section(name), "## Pads\n\n" + pads(factory) + cost_on_cpu(name)]
    if own:
        parts.append("## Properties\n\n" + grouped(name, element, own, choices))
    if common:
        parts.append("## Common properties\n\n" + properties(element, common, choices))
    if inherited:
        parts.append("## Inherited properties\n\n" +
                     properties(element, inherited, choices))
    if presets(element):
        parts.append("## Presets\n\n" + presets(element))
    if signals(gtype):
        parts.append("## Signals\n\n" + signals(gtype))
    return "\n".join(parts)


def pages():
    Gst.init(None)
    elements = Gst.Registry.get().get_feature_list_by_plugin("vision")
    elements = [e for e in elements if isinstance(e, Gst.ElementFactory)]
    if not elements:
        sys.exit("the plug-in vision is not there: is GST_PLUGIN_PATH right?")
    made = {f"{e.get_name()}.md": page(e) for e in elements}
    rows = [[f"[{e.get_name()}]({e.get_name()}.md)",
             e.get_metadata("description")]
            for e in sorted(elements, key=lambda e: e.get_name())]
    made["README.md"] = MADE + "\n# Elements\n\n" + \
        table(["element", "what it does"], rows)
    return made


def main():
    made, stale = pages(), 0
    there = {p.name: p.read_text() for p in PAGES.glob("*.md")}
    if "--write" in sys.argv:
        PAGES.mkdir(parents=True, exist_ok=True)
        for name in there.keys() - made.keys():
            (PAGES / name).unlink()
        for name, text in made.items():
            (PAGES / name).write_text(text)
        return
    for name in sorted(there.keys() | made.keys()):
        diff = list(difflib.unified_diff(
            there.get(name, "").splitlines(), made.get(name, "").splitlines(),
            f"docs/elements/{name}", "as it would be made now", lineterm="", n=0))
        stale += bool(diff)
        print("\n".join(diff) if diff else f"docs/elements/{name} is fresh")
    if stale:
        sys.exit("stale pages: run `meson devenv -C build ../tests/docs.py --write`")


if __name__ == "__main__":
    main()
