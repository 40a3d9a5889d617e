#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The documents as web pages: a site with search, made by MkDocs, and the report,
one page that has the papers' figures and tables beside what is measured here.

    docs/site.py site FOLDER      all pages that a link leads to from README.md
    docs/site.py report FILE      the report, with its pictures in it

Says where the page is.  Exits with 77, and says what is missing, without MkDocs
(Debian's package mkdocs) or, for the report, Python's markdown (python3-markdown)."""
import base64
import datetime
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")
EXTENSIONS = ["tables", "fenced_code", "toc"]

MENU = {
    "Overview": ["README.md", "docs/gallery.md"],
    "Use": ["docs/guide.md", "docs/cookbook.md", "docs/choosing-colours.md",
            "docs/metadata.md", "docs/recordings.md", "docs/arrays.md"],
    "Elements": ["docs/elements/"],
    "Results": ["docs/performance.md", "docs/accuracy.md", "docs/lab/",
                "docs/reliability.md", "docs/digests.md"],
    "Inside": ["docs/design.md", "CONTRIBUTING.md", "cuda/", "gst/README.md",
               "tests/README.md", "CHANGELOG.md"],
}

# What the report shows: a name, a page, and a heading of it, down to the next one of
# that level or above; and what stands above it in the report.
REPORT = [
    ("moct", "docs/performance.md", "## moct", "Time"),
    ("moct", "docs/choosing-colours.md", "## 6. Which space", "The paper's figure 5"),
    ("moct", "docs/lab/moct.md", "## The paper's times", "The paper's figures 7 and 8"),
    ("gpuccl", "docs/lab/gpuccl.md", "## The paper's detection",
     "The paper's figure 7"),
    ("gpuccl", "docs/lab/gpuccl.md", "## Times", "Time"),
    ("gpuccl", "docs/lab/gpuccl.md", "## The paper's times", "The paper's times"),
    ("kinfumot", "docs/lab/kinfumot.md", "# Laboratory: kinfumot", "Errors"),
    ("pocstereo", "docs/lab/pocstereo.md", "## The paper's tables",
     "The paper's tables"),
    ("pocstereo", "docs/lab/pocstereo.md", "## Points on faces", "The paper's figure 6"),
    ("pocstereo", "docs/lab/pocstereo.md", "## How it is measured", "Errors"),
    ("emdtrack", "docs/lab/emdtrack.md", "## The paper's times",
     "The paper's figures 2 and 3"),
    ("emdtrack", "docs/lab/emdtrack.md", "## How it is measured", "Errors"),
    ("scopedetect", "docs/lab/scopedetect.md", "## The thesis's table 2.1",
     "Table 2.1 of the thesis"),
    ("scopedetect", "docs/lab/scopedetect.md", "## The thesis's table 3.1",
     "Table 3.1 of the thesis"),
    ("scopedetect", "docs/lab/scopedetect.md", "## Real frames", "What is found"),
    ("Pictures", "docs/gallery.md", "# Gallery", "What it looks like"),
]

# What each paper shows: the part of the report that has it, by its page and heading; or,
# of what has no figures to compare, what it is and where it is here.
PLACES = {
    "moct": {
        "Figure 1": "A frame, an effect, trajectories: the gallery.",
        "Figure 2": "A drawing of the layouts: MoctLayout.",
        "Figure 3": "A drawing of the base texture: moct_base ().",
        "Figure 4": "A drawing of the reduction: moct_above ().",
        "Figure 5": ("docs/choosing-colours.md", "## 6. Which space"),
        "Figure 6": "A drawing of the history: MoctPoint, the map trajectories.",
        "Figure 7": ("docs/lab/moct.md", "## The paper's times"),
        "Figure 8": ("docs/lab/moct.md", "## The paper's times")},
    "gpuccl": {
        "Figure 1": "The scene, its depth and classes: visiontestsrc pattern=rgbd.",
        "Figure 2": "A drawing of label equivalence: paper/equivalence_core.h.",
        "Figure 3": "A drawing of hierarchical merging: paper/hierarchical_cpu.c.",
        "Figure 4": "Test images: blobs, circles, spiral and noise of test-gpuccl.",
        "Figure 5": ("docs/lab/gpuccl.md", "## The paper's times"),
        "Figure 6": "Shapes that are rejected: the known answers of test-gpuccl_objects.",
        "Figure 7": ("docs/lab/gpuccl.md", "## The paper's detection"),
        "Figure 8": ("docs/lab/gpuccl.md", "## The paper's times"),
        "Table 1": ("docs/lab/gpuccl.md", "## The paper's times"),
        "Figure 9": ("docs/lab/kinfumot.md", "# Laboratory: kinfumot")},
    "pocstereo": {
        "Figure 1": "A drawing of the method: the README of cuda/pocstereo.",
        "Figure 2": "A drawing of OpenCL's threads.",
        "Figure 3": "A drawing of OpenCL's memory.",
        "Figure 4": "A photograph of the rig.",
        "Figure 5": "A drawing of the system: FACES=1 pipelines/pocstereo.sh.",
        "Figure 6": ("docs/lab/pocstereo.md", "## Points on faces"),
        "Table 1": ("docs/lab/pocstereo.md", "## The paper's tables"),
        "Table 2": ("docs/lab/pocstereo.md", "## The paper's tables")},
    "emdtrack": {
        "Figure 1": "A drawing of the three steps: solver=paper.",
        "Figure 2": ("docs/lab/emdtrack.md", "## The paper's times"),
        "Figure 3": ("docs/lab/emdtrack.md", "## The paper's times")},
    "scopedetect": {
        **{f"Figure {n}": "A picture of scenes and objects that are not public." for n in
           ("1-1", "1-2", "2-1", "2-2", "2-3", "2-4", "2-5", "2-6", "2-7", "2-8", "2-9")},
        "Figure 1-3": "A drawing of oriented features: scopedetect_features_cpu.c.",
        "Figure 3-1": "A drawing of the search for neighbours: kNN.",
        "Table 2.1": ("docs/lab/scopedetect.md", "## The thesis's table 2.1"),
        "Table 3.1": ("docs/lab/scopedetect.md", "## The thesis's table 3.1")},
}

# Wide tables scroll, where a telephone shows them; pictures in tables are large enough
# for the names in them to be read, and a telephone shows them above their words.
TABLES = """
table { display: block; max-width: 100%; overflow-x: auto }
td > img { width: 320px; max-width: none !important }
@media (max-width: 700px) {
  table:has(td > img) :is(tbody, tr, td) { display: block }
  table:has(td > img) thead { display: none }
  td > img { width: 100% }
}
"""
STYLE = TABLES + """
body { font: 16px/1.5 sans-serif; max-width: 64em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0; font-size: 14px }
th, td { border: 1px solid #bbb; padding: .2em .5em; text-align: left }
th { background: #eee }
img { max-width: 100% }
pre { background: #f4f4f4; padding: .5em; overflow-x: auto }
"""


def linked(page):
    """The files of the tree that the page of that path links to."""
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(), flags=re.S)
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path = (ROOT / page.parent / target).resolve()
        if not path.is_file():
            sys.exit(f"{page}: there is no {target}")
        yield path.relative_to(ROOT)


def reachable():
    """Paths of README.md and of all that links lead to from there."""
    found, new = set(), [Path("README.md")]
    while new:
        path = new.pop()
        if path in found:
            continue
        found.add(path)
        if path.suffix == ".md":
            new += linked(path)
    return sorted(found)


def menu(pages):
    """MkDocs's nav: each page once."""
    nav = []
    for title, names in MENU.items():
        under = [str(p) for name in names for p in pages
                 if str(p) == name or name.endswith("/") and str(p).startswith(name)]
        nav.append({title: under})
    left = {str(p) for p in pages} - {p for n in nav for v in n.values() for p in v}
    assert not left, f"in no part of the menu: {left}"
    return nav


def make_site(out):
    with tempfile.TemporaryDirectory() as made:
        paths = reachable()
        for path in paths:
            to = Path(made) / "pages" / path
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, to)
        (Path(made) / "pages/tables.css").write_text(TABLES)
        config = Path(made) / "mkdocs.yml"  # JSON is YAML
        config.write_text(json.dumps({
            "site_name": "gst-vision",
            "docs_dir": "pages",
            "site_dir": str(Path(out).resolve()),
            "use_directory_urls": False,
            "theme": {"name": "mkdocs", "highlightjs": False},
            "markdown_extensions": EXTENSIONS,
            "plugins": ["search"],
            "extra_css": ["tables.css"],
            "nav": menu([p for p in paths if p.suffix == ".md"]),
        }))
        subprocess.run(["mkdocs", "build", "--quiet", "--strict", "-f", config],
                       check=True)
    search_from_disk(Path(out) / "search")
    return Path(out) / "index.html"


def search_from_disk(folder):
    """Puts our search in the place of MkDocs's, whose index a page from a disk may not
    read."""
    entries = json.loads((folder / "search_index.json").read_text())["docs"]
    pages = {entry["location"]: entry["title"] for entry in entries
             if "#" not in entry["location"]}
    index = [{"location": entry["location"], "title": entry["title"],
              "page": pages[entry["location"].partition("#")[0]],
              "text": " ".join(entry["text"].split())} for entry in entries]
    (folder / "index.js").write_text(f"const searchIndex = {json.dumps(index)};\n")
    shutil.copy(ROOT / "docs/site-search.js", folder / "main.js")
    for name in "worker.js", "lunr.js":
        (folder / name).unlink(missing_ok=True)


def section(page, heading):
    """The lines below a heading of a page, up to the next of its level."""
    lines = (ROOT / page).read_text().splitlines()
    first = lines.index(heading) + 1
    level = heading.split()[0]
    for end in range(first, len(lines)):
        if re.match(rf"#{{1,{len(level)}}} ", lines[end]):
            return lines[first:end]
    return lines[first:]


def embed(page, html):
    """Pictures are in the report itself; other links of the tree are names."""
    def picture(match):
        path = (ROOT / page).parent / match[1]
        kind = {"svg": "svg+xml", "jpg": "jpeg", "png": "png"}[path.suffix[1:]]
        data = base64.b64encode(path.read_bytes()).decode()
        return f'src="data:image/{kind};base64,{data}"'
    html = re.sub(r'src="([^":]+)"', picture, html)
    return re.sub(r'<a href="(?!https?:)[^"]*">(.*?)</a>', r"\1", html, flags=re.S)


def version():
    """The commit that the documents are of, with its date, and today's."""
    log = ["git", "-C", ROOT, "log", "-1", "--format=commit %h of %cs"]
    told = shutil.which("git") and subprocess.run(
        log, capture_output=True, text=True, check=False).stdout.strip()
    today = datetime.date.today().isoformat()
    return f"Of {told}, made on {today}." if told else f"Made on {today}."


def anchor(page, heading):
    return re.sub(r"\W+", "-", f"{page} {heading}").strip("-")


def places(element):
    """The figures and tables of the element's paper, as a list."""
    rows = [f'{name}: <a href="#{anchor(*place)}">here</a>'
            if isinstance(place, tuple) else f"{name}: {place}"
            for name, place in PLACES.get(element, {}).items()]
    return "<ul><li>" + "</li><li>".join(rows) + "</li></ul>" if rows else ""


def make_report(out):
    import markdown

    parts, before = [], None
    for element, page, heading, title in REPORT:
        if element != before:
            parts.append(f'<h2 id="{element}">{element}</h2>{places(element)}')
            before = element
        text = "\n".join(re.sub("^#+", "####", line)
                         for line in section(page, heading))
        html = markdown.markdown(text, extensions=EXTENSIONS)
        parts.append(f'<h3 id="{anchor(page, heading)}">{title}</h3>'
                     f"<p><small>From <code>{page}</code></small></p>"
                     + embed(page, html))
    names = " · ".join(f'<a href="#{e}">{e}</a>'
                       for e in dict.fromkeys(row[0] for row in REPORT))
    Path(out).write_text(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<title>gst-vision: the papers' figures and tables</title>"
        f'<link rel="icon" href="data:,"><style>{STYLE}</style></head><body>'
        "<h1>The papers' figures and tables, beside what is measured here</h1>"
        "<p>Made of the documents, whose figures are those of the last run; each "
        f"says how it is measured and on what. {version()}</p><p>{names}</p>"
        + "".join(parts) + "</body></html>\n")
    return Path(out)


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("site", "report"):
        sys.exit(__doc__)
    is_site = sys.argv[1] == "site"
    if is_site and not shutil.which("mkdocs"):
        print("SKIP: MkDocs is missing: apt-get install mkdocs")
        sys.exit(77)
    if not is_site and not importlib.util.find_spec("markdown"):
        print("SKIP: Python's markdown is missing: apt-get install python3-markdown")
        sys.exit(77)
    page = (make_site if is_site else make_report)(sys.argv[2])
    print(f"written: {page.resolve().as_uri()}")


if __name__ == "__main__":
    main()
