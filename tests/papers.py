#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every figure and table of the five papers has a place in the report
(docs/site.py): a part of it that names the figure, the command that prints it and
the date, or a sentence on what it is, where there is nothing to compare."""
import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from commands import ROOT

# What the papers have, by the element that is made of them.
PAPERS = {
    # MOCT: multi-object chromatic tracking
    "moct": [f"Figure {n}" for n in range(1, 9)],
    # Korn, Sanders, Pauli: moving object detection by connected components
    "gpuccl": [f"Figure {n}" for n in range(1, 10)] + ["Table 1"],
    # Phase-only correlation on the GPU
    "pocstereo": [f"Figure {n}" for n in range(1, 7)] + ["Table 1", "Table 2"],
    # Shaffer: the earth mover's distance on the GPU
    "emdtrack": [f"Figure {n}" for n in range(1, 4)],
    # SCOPE and MOPE, a thesis
    "scopedetect": [f"Figure 1-{n}" for n in range(1, 4)] +
    [f"Figure 2-{n}" for n in range(1, 10)] +
    ["Figure 3-1", "Table 2.1", "Table 3.1"],
}


def load_site():
    spec = importlib.util.spec_from_file_location("site_tool", ROOT / "docs/site.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def names(text):
    """The figures and tables that a text names: "Table 1 and figure 8", "figures 7
    and 8"."""
    found = set()
    for word, numbers in re.findall(
            r"\b([Ff]igure|[Tt]able)s?\s+(\d[\d.]*(?:(?:,| and| to)\s+\d[\d.]*)*)",
            text):
        for number in re.findall(r"\d+(?:\.\d+)?", numbers):
            found.add(f"{word.capitalize()} {number}")
    return found


def faults_of_place(site, element, name, place):
    page, heading = place
    if not any(row[1:3] == place for row in site.REPORT):
        yield f"the report has no {heading} of {page}"
        return
    text = "\n".join(site.section(page, heading))
    if name not in names(heading + "\n" + text):
        yield f"{heading} of {page} does not name it"
    if not re.search(r"\b(build/|tests/|pipelines/|test-)\S", text):
        yield f"{heading} of {page} has no command"
    if not re.search(r"\b20\d\d-\d\d-\d\d\b", text):
        yield f"{heading} of {page} has no date"


def faults(site):
    for element, shown in PAPERS.items():
        places = site.PLACES.get(element, {})
        for name in shown:
            if name not in places:
                yield f"{element}: {name} has no place in the report"
            elif isinstance(places[name], tuple):
                for fault in faults_of_place(site, element, name, places[name]):
                    yield f"{element}: {name}: {fault}"
        for name in places.keys() - set(shown):
            yield f"{element}: the paper has no {name}"


def faults_of_html(site):
    """Every place is linked to and is there; where the report can be made."""
    if not importlib.util.find_spec("markdown"):
        print("the report is not made: there is no markdown")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        subprocess.run([sys.executable, ROOT / "docs/site.py", "report", file],
                       check=True, stdout=subprocess.DEVNULL)
        html = file.read_text()
    there = set(re.findall(r'id="([^"]+)"', html))
    for element, places in site.PLACES.items():
        for name, place in places.items():
            if isinstance(place, tuple):
                mark = site.anchor(*place)
                if mark not in there or f'{name}: <a href="#{mark}">' not in html:
                    yield f"{element}: {name} is not in the page"
            elif f"{name}: {place}" not in html:
                yield f"{element}: {name} is not in the page"


def main():
    site = load_site()
    found = list(faults(site)) + list(faults_of_html(site))
    print("\n".join(found))
    print(f"{sum(map(len, PAPERS.values()))} figures and tables, {len(found)} faults")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
