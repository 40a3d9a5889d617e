#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Texts that many read in their second language: phrases that say little or are
easily misread are refused, with what to write instead, in documents and in the
comments and strings of the source; and README.md has at most 700 words.  The
functions and files that the READMEs of cuda/ name exist, and a function is in the
file that is named behind it: `x ()` in `x_core.h`.  So do the functions and files
of all other documents, and the tests that docs/reliability.md names.

Comments of cuda/, gst/ and tools/ name their subject: they do not begin with a
pronoun, and no sentence of theirs ends with "one", "that" or "so".  style_allowed.txt
has the number of exceptions of each file, which only shrinks: --lower writes the
numbers that are lower than before.

Pages of docs/elements are made of comments and are not read here."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

from commands import ROOT

MOST_WORDS = 700
PHRASES = {
    r"where there (is|are)\b": "name the thing: with, without, of, if",
    r"what is there\b": "name it: the truth, the results, the files",
    r"\bso many\b": "that many, or the number",
    r"\bin order to\b": "to",
    r"\butiliz|\butilis": "use",
    r"\bleverag": "use",
    r"\bplease note\b|\bnote that\b": "say it without",
    r"\b(really|quite|simply|basically)\b": "say it without",
    r"\be\.g\.|\bi\.e\.": "such as; that is",
    r"\bseamless|\bblazing|\bcutting[- ]edge|\bstate[- ]of[- ]the[- ]art":
        "what was measured",
}
# Of comments and strings.
IN_SOURCE = {
    r"where there (is|are)\b": "if there is, without, with",
    r"what is there\b": "name it: the truth, the frame",
    r"\bso many\b(?! layers)": "this many, or the number",
    r"\btold of\b": "reported, named, warned of",
    r"\bfor all that\b": "nevertheless",
    r"\ball that (is|was|are)\b": "name them: all pixels, all objects",
}
# From one line of a comment or string to the next.
BETWEEN = r"(?:\s+|\s*\n\s*\*\s+|\s*\"\s*\n\s*\"\s*)"

# The beginning of a comment that points to its subject instead of naming it, and the
# end of such a sentence.
BEGINS = r"(It|Its|They|Their|Them|This|These|Those|That|What|Whatever|Who|Whose|" \
    r"Others|One(?= of| that| who| which|[,.:;])|" \
    r"The (same|one|ones|other|others|latter|former))\b"
ENDS = r"\b(one|that|so)\s*[.;:]?$"
ALLOWED = ROOT / "tests" / "style_allowed.txt"


def documents():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md",
            *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("docs/lab/*.md"))]


def sources():
    return [path for folder in ("cuda", "gst", "tools", "tests")
            for kind in ("c", "h", "cu", "cuh", "cpp")
            for path in sorted((ROOT / folder).rglob(f"*.{kind}"))]


def faults(path, phrases, between):
    text = re.sub(r"```.*?```", lambda m: "\n" * m[0].count("\n"),
                  path.read_text(), flags=re.S)
    # a phrase may go on in the next line
    for phrase, better in phrases.items():
        for m in re.finditer(phrase.replace(" ", between), text, re.I):
            line = text.count("\n", 0, m.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}: \"{m[0]}\": {better}"


def comments(text):
    """Line and words of each comment of C."""
    for m in re.finditer(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', text, re.S):
        if m[0].startswith("/*"):
            lines = [re.sub(r"^\s*\*? ?", "", line) for line in m[0][2:-2].split("\n")]
            words = " ".join(" ".join(lines).split())
            yield (text.count("\n", 0, m.start()) + 1,
                   re.sub(r"^SPDX-License-Identifier: \S+\s*", "", words))


def pointing(path):
    """What a file's comments point to instead of naming it: line, words."""
    for line, words in comments(path.read_text()):
        if re.match(BEGINS, words):
            yield line, words[:60]
        for sentence in re.split(r"(?<=[.;:])\s+", words):
            if re.search(ENDS, sentence):
                yield line, f"… {sentence[-60:]}"


def subjects(lower):
    """A line for each file with more pointing comments than it may have."""
    allowed = dict(line.rsplit(" ", 1) for line in ALLOWED.read_text().splitlines())
    found = {}
    for path in sources():
        name = str(path.relative_to(ROOT))
        places = [] if name.startswith("tests") else list(pointing(path))
        if len(places) > int(allowed.get(name, 0)):
            yield from (f"{name}:{line}: \"{words}\": name the subject"
                        for line, words in places)
        if places:
            found[name] = min(len(places), int(allowed.get(name, 0)))
    if lower:
        ALLOWED.write_text("".join(f"{name} {n}\n" for name, n in found.items() if n))


def gone():
    """The files and functions that a document names and the tree lacks."""
    if not shutil.which("git"):
        print("SKIP what documents name and the tree lacks: there is no git")
        return
    tree = [p for p in subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True,
        text=True).stdout.split() if (ROOT / p).is_file()]
    names = {part for p in tree for part in (p, Path(p).stem)}
    called = {word for p in tree
              if Path(p).suffix in {".c", ".h", ".cu", ".cuh", ".cpp", ".py"}
              for word in re.findall(r"\b(\w+)(?= ?\(| = )", (ROOT / p).read_text())}
    for page in [*documents(), ROOT / "gst/README.md", ROOT / "tests/README.md"]:
        text = page.read_text()
        found = [f"function {name}" for name in re.findall(r"`(\w+) \(\)`", text)
                 if name not in called]
        found += [f"file {name}" for name in re.findall(
                      r"[`(]([\w./-]*\w\.(?:c|h|cu|cuh|cpp|py|sh))[`)]", text)
                  if not any(f"/{p}".endswith(f"/{name.lstrip('./')}") for p in tree)
                  and not re.search(r"X|Y|NAME|^_", name)]
        found += [f"file {name}.*" for name in re.findall(r"`(gstvision\w+)`", text)
                  if name not in names]
        for what in found:
            yield f"{page.relative_to(ROOT)}: there is no {what}"


def unknown():
    """What a README of an algorithm names, and what is not there."""
    tree = {str(p.relative_to(ROOT)) for folder in ("cuda", "docs", "gst", "tests")
            for p in (ROOT / folder).rglob("*.*")}
    code = "\n".join(p.read_text() for folder in ("cuda", "gst")
                     for p in (ROOT / folder).rglob("*.*")
                     if p.suffix in {".c", ".h", ".cu", ".cuh"})
    functions = set(re.findall(r"\b(\w+) \(", code))
    for path in sorted(ROOT.glob("cuda/*/README.md")):
        text = path.read_text()
        for name in re.findall(r"`(\w+) \(\)`", text):
            if name not in functions and not name.startswith("X_"):
                yield f"{path.relative_to(ROOT)}: there is no function {name}"
        for names, file in re.findall(
                r"((?:`\w+ \(\)`(?:, | and )?)+) in `([\w/]+\.\w+)`", text):
            held = (path.parent / file).read_text()
            for name in re.findall(r"`(\w+) ", names):
                if not re.search(rf"^ *{name} \(", held, re.M):
                    yield f"{path.relative_to(ROOT)}: {name} is not in {file}"
        for name in re.findall(r"`([\w/]+\.(?:c|h|cu|cuh|cpp|py|sh))`", text):
            if not any(f"/{file}".endswith(f"/{name}") for file in tree) and \
                    "X" not in name:
                yield f"{path.relative_to(ROOT)}: there is no file {name}"


def missing_tests(page="docs/reliability.md"):
    """Names in the columns of tests of a page, of which there is no test: a file of
    tests/, or a folder."""
    there = {p.stem for p in (ROOT / "tests").rglob("*.*")} | {
        p.name for p in (ROOT / "tests").rglob("*") if p.is_dir()}
    columns, n = [], 0
    for line in (ROOT / page).read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            columns = []
            continue
        columns = columns or [bool(re.match(r"tests?\b", cell)) for cell in cells]
        for cell in (c for c, is_test in zip(cells, columns) if is_test):
            for name in re.findall(r"`([^`]+)`", cell):
                n += 1
                if Path(name).stem not in there and name not in there:
                    yield f"{page}: there is no test {name}"
    if not n:
        yield f"{page}: no table has a column of tests"


def main():
    found = [fault for path in documents()
             for fault in faults(path, PHRASES, r"\s+")]
    found += [fault for path in sources()
              for fault in faults(path, IN_SOURCE, BETWEEN)]
    found += subjects("--lower" in sys.argv)
    found += unknown()
    found += gone()
    found += missing_tests()
    words = len((ROOT / "README.md").read_text().split())
    if words > MOST_WORDS:
        found.append(f"README.md has {words} words, more than {MOST_WORDS}")
    print("\n".join(found))
    print(f"{len(documents())} documents, {len(sources())} sources, {len(found)} "
          f"faults, {words} words in README.md")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
