#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""gpuccl_evaluation.py on rows by hand, and all of it on one path in short form.  Run it as a
test of Meson, which sets the environment."""
import os
import re
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import gpuccl_evaluation as paper  # noqa: E402
from commands import ROOT, run  # noqa: E402

SIZES = ["500", "1000", "1500"]


def start(detector, size, frame, share="0.25"):
    return {"path": "away", "detector": detector, "min_size": size, "frame": frame,
            "share": share, "precision": "1"}


def later():
    """Up to which size the components are in time."""
    for frames, wanted in (("3 4 5", "1500"), ("3 9 4", "500"), ("9 3 3", "none"),
                           ("3 8 -1", "1000"), ("-1 -1 -1", "none")):
        rows = [start("window", "0", "8")] + [
            start("components", s, f) for s, f in zip(SIZES, frames.split())]
        found = paper.starts_of(rows)["away"]
        assert paper.never_later(found, SIZES) == wanted, (frames, found)
    never = paper.starts_of([start("window", "0", "-1")])["away"]
    assert paper.never_later(never, SIZES) == "1500"


def tables():
    text = paper.detection([start("window", "0", "8", "0.112"),
                            start("paper", "3500", "6", "0.2"),
                            start("components", "500", "5", "0.316")])
    assert text == (
        "| path | window | of the object | preset paper | of it | unfiltered | of it | "
        "components from 500 px on | of it | never later up to |\n" + "|---" * 10 + "|\n"
        "| away | 8 | 11.2% | 6 | 20.0% | never |  | 5 | 31.6% | 500 |\n\n"), text


def columns():
    """Rows are read by the columns of their kind, which come first."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.csv")
        file.write_text("a,x,y\nb,z\na,1,2\nb,3\na,4,5\n", encoding="ascii")
        assert paper.read(file) == {
            "a": [{"x": "1", "y": "2"}, {"x": "4", "y": "5"}], "b": [{"z": "3"}]}


def short():
    """What is written of the first frames of one path, in which nothing moves yet,
    and nothing is found."""
    with tempfile.TemporaryDirectory() as folder:
        said = run([ROOT / "pipelines/kinfumot.sh", "paper", folder, "frontal"],
                   env=dict(os.environ, FRAMES="6"))
        print(said)
        assert [int(n) for n in re.findall(
            r"^step (\d+) of 7, after \d+ s:", said, re.M)] == [*range(1, 8)], said
        names = {p.name for p in Path(folder).iterdir()}
        assert names == {
            "axes.csv", "figure7-kinfumot.csv", "figure7-kinfumot.svg",
            "figure7-scene.csv", "figure7-scene.svg", "figure9.png",
            "objects-no-ring.csv", "objects-signed.csv", "objects-unsigned.csv",
            "paper.md", "runtime.csv"}, names
        for tracker, n_sizes in ("scene", 20), ("kinfumot", 1):
            rows = paper.read(Path(folder, f"figure7-{tracker}.csv"))
            assert len(rows["figure7"]) == n_sizes * 6
            assert len(rows["start"]) == n_sizes + 3
            assert paper.starts_of(rows["start"]) == {"frontal": {}}, rows
        table1 = paper.read(Path(folder, "runtime.csv"))["table1"]
        assert len(table1) == 3 and all(float(r["wall ms"]) > 0 for r in table1)
        text = Path(folder, "paper.md").read_text(encoding="utf-8")
        for title in ("Table 1", "Figure 8", "Iterations", "Figure 9",
                      "without the ring"):
            assert title in text, text
        assert Path(folder, "figure9.png").read_bytes().startswith(b"\x89PNG")


if __name__ == "__main__":
    later()
    tables()
    columns()
    short()
