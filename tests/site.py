#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The documents as web pages, and the report: a link leads to every page, every link
leads somewhere, nothing is loaded from elsewhere, no list or table is left as it was
written, and the search knows every page.  Where Chromium is installed, it opens all
pages without a word on its console, and searches from the disk; pictures of two, as wide
as a screen and as a telephone, stay in BUILD/site-pictures.  The report has a place for
each figure and table of the papers.

Exits with 77 without MkDocs.  Run it as a test of Meson, which sets BUILD."""
import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from commands import ROOT

PICTURES = Path(os.environ.get("BUILD", ROOT / "build")) / "site-pictures"
PATIENCE = 500  # seconds; Meson's are 600
# What the papers measure, in words that the element's part of the report has.
MEASURED = {"moct": ["figures 7 and 8"], "pocstereo": ["table 1", "table 2"],
            "gpuccl": ["table 1", "figure 5", "figure 7", "figure 8"],
            "kinfumot": ["figure 9"], "emdtrack": ["figures 2 and 3"],
            "scopedetect": ["table 3.1"]}
LIST = re.compile(r"^(- |\* |\d+\. |\|)", re.M)


class Page(HTMLParser):
    """What a page links to and loads, and where one can link to in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors, self.left = [], [], set(), []
        self.inside = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.inside = tag
        self.anchors |= {found.get("id"), found.get("name")}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag in ("img", "script", "link"):
            self.loads.append(found.get("src") or found.get("href") or "")

    def handle_data(self, data):
        if self.inside == "p" and LIST.search(data):
            self.left.append(data.strip().splitlines()[0])


def faults(folder):
    pages = {path: Page(path.read_text()) for path in folder.rglob("*.html")}
    led = {folder / "index.html", folder / "404.html", folder / "report.html"}
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme == "data" or link in page.links and parts.scheme:
                continue
            if parts.scheme or parts.netloc:
                yield f"{path.name} loads {link}"
                continue
            base = folder if parts.path.startswith("/") else path.parent
            to = (base / unquote(parts.path).lstrip("/")).resolve() \
                if parts.path else path
            to = to / "index.html" if to.is_dir() else to
            led.add(to)
            if not to.exists():
                yield f"{path.name}: there is no {link}"
            elif parts.fragment and to in pages and \
                    unquote(parts.fragment) not in pages[to].anchors:
                yield f"{path.name}: {link} leads to no heading"
        for line in page.left:
            yield f"{path.name}: not made into a list or table: {line}"
    for path in pages.keys() - led:
        yield f"no link leads to {path.name}"
    index = json.loads((folder / "search/search_index.json").read_text())
    known = {entry["location"] for entry in index["docs"]}
    for path in pages.keys() - {folder / "404.html", folder / "report.html"}:
        if str(path.relative_to(folder)) not in known:
            yield f"the search does not know {path.name}"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def browse(browser, url, *options):
    """What Chromium says on its console."""
    return dump(browser, url, *options)[1]


def dump(browser, url, *options):
    """A page as its scripts have left it, and what Chromium says on its console."""
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [browser, "--headless", "--disable-gpu", f"--user-data-dir={home}",
             "--virtual-time-budget=20000", "--enable-logging=stderr",
             *(["--no-sandbox"] if os.geteuid() == 0 else []),
             *(options if any("screenshot" in o for o in options) else
               [*options, "--dump-dom"]), url],
            capture_output=True, text=True, timeout=PATIENCE, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def opened(browser, at):
    """What is wrong in a browser with the pages that are served there."""
    if not browse(browser, at + "broken.html"):
        yield "the browser is silent about a broken page"
    said = browse(browser, at + "all.html")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in "index", "report":
        for width in 1280, 400:
            picture = PICTURES / f"{name}-{width}.png"
            picture.unlink(missing_ok=True)
            said += browse(browser, f"{at}{name}.html", f"--window-size={width},2400",
                           f"--screenshot={picture}")
            if not picture.exists():
                yield f"there is no picture of {name}.html"
    yield from said


def searched(browser, folder):
    """What is wrong with the search of pages on a disk."""
    page = (folder / "docs/guide.html").as_uri() + "?q=calibration"
    found, said = dump(browser, page)
    links = re.findall(r'<h3><a href="([^"]*)">([^<]*)</a></h3>', found)
    yield from said
    if not any(link.endswith("docs/guide.html#cameras") or "calibrat" in title.lower() or
               "docs/" in link for link, title in links):
        yield f"the search finds no calibration: {links}"
    for link, title in links:
        path = Path(unquote(urlsplit(link).path))
        if not path.exists():
            yield f"a result of the search leads nowhere: {link}"
        if "#" in link and "›" not in title:
            yield f"a result of the search does not name its page: {title}"


def measured(browser, folder, name, width, script):
    """The number that a script finds on a page in a window of that width."""
    copy = folder / name.replace(".html", "-copy.html")
    copy.write_text((folder / name).read_text().replace(
        "</head>", "<script>addEventListener('load', () => document.title = "
        f"'found ' + {script})</script></head>"))
    found, _ = dump(browser, copy.as_uri(), f"--window-size={width},900")
    copy.unlink()
    return int(re.search(r"<title>found (\d+)", found)[1])


def too_wide(browser, folder):
    """Pages that a telephone must scroll to the side, and pictures in README's table that
    are too small for the names in them to be read."""
    for name in "index.html", "report.html", "docs/performance.html", \
            "docs/elements/moct.html":
        width = measured(browser, folder, name, 500, "document.documentElement.scrollWidth")
        if width > 500:
            yield f"{name} is {width} pixels wide on a screen of 500"
    for screen in 1280, 500:
        width = measured(
            browser, folder, "index.html", screen, "Math.floor(Math.min(..."
            "[...document.querySelectorAll('td > img')].map(i => i.clientWidth)))")
        if width < 300:
            yield f"on a screen of {screen} pixels a picture is {width} wide"


def open_all(browser, folder):
    """What is wrong in a browser; frames of one page hold all others."""
    paths = sorted(p.relative_to(folder) for p in folder.rglob("*.html"))
    (folder / "all.html").write_text(
        '<link rel="icon" href="data:,">'
        + "".join(f'<iframe src="{p}"></iframe>' for p in paths))
    (folder / "broken.html").write_text(
        '<img src="none.png"><script>nothing ()</script>')
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield from opened(browser, f"http://127.0.0.1:{server.server_port}/")
    except subprocess.TimeoutExpired as late:
        yield f"the browser takes more than {PATIENCE} s for {late.cmd[-1]}"
    finally:
        server.shutdown()


def without_tools():
    """What is missing is named; here Python has no packages, and no program is found."""
    for what, words in ("site", "apt-get install mkdocs"), (
            "report", "apt-get install python3-markdown"):
        done = subprocess.run(
            [sys.executable, "-S", ROOT / "docs/site.py", what, "/nowhere/x"], text=True,
            capture_output=True, check=False, env={"PATH": "/nowhere"})
        assert done.returncode == 77 and words in done.stdout, done


def without_place():
    """Figures and tables of the papers that the report's parts do not name."""
    spec = importlib.util.spec_from_file_location("pages", ROOT / "docs/site.py")
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    for element, names in MEASURED.items():
        text = "\n".join(line for name, page, heading, title in pages.REPORT
                         if name == element
                         for line in [title, *pages.section(page, heading)]).lower()
        yield from (f"{name} of {element}'s paper" for name in names if name not in text)


def main():
    lost = list(without_place())
    assert not lost, f"the report has no place for {', '.join(lost)}"
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve() / "site"
        for arguments in ["site", folder], ["report", folder / "report.html"]:
            done = subprocess.run([ROOT / "docs/site.py", *arguments], text=True,
                                  stdout=subprocess.PIPE, check=False)
            print(done.stdout, end="")
            if done.returncode:
                sys.exit(done.returncode)
            page = folder / "index.html" if arguments[0] == "site" else arguments[1]
            assert f"written: {page.as_uri()}\n" in done.stdout, done.stdout
        without_tools()
        report = (folder / "report.html").read_text()
        assert re.search(r"(Of commit [0-9a-f]+ of \d{4}-\d\d-\d\d, m|M)ade on \d{4}-",
                         report), "the report has no date"
        found = list(faults(folder))
        print(f"{len(list(folder.rglob('*.html')))} pages")
        if browser:
            found += searched(browser, folder)
            found += too_wide(browser, folder)
            found += open_all(browser, folder)
        else:
            print("not opened: Chromium is not installed")
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
