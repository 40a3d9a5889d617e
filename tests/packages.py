#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an installation has for the shell: a manual page of each command, which
groff sets without a warning, and completions of its options; that each installed
file is in one Debian package; that a container is made by the steps that
debian_root.sh runs; that the tree is a source package; and that the licence of each
file is told as REUSE asks.

Run it as a test of Meson, which sets the environment."""
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

sys.dont_write_bytecode = True
from commands import ROOT, run  # noqa: E402

OPTION = {"vision-calibrate": "--board", "vision-digest": "--each",
          "vision-live": "--record",
          "vision-model": "--spacing",
           "vision-pose-eval": "--no-depth", "vision-record": "--pictures",
           "vision-replay": "--topic"}
if (Path(os.environ["BUILD"]) / "tools" / "vision-train").exists():  # with NLopt
    OPTION["vision-train"] = "--generate"


def pages(folder):
    found = {path.name: path for path in folder.rglob("*.1")}
    for command, option in OPTION.items():
        path = found.pop(f"{command}.1")
        assert option.replace("-", "\\-") in path.read_text(), path
        if not shutil.which("groff"):
            print(f"SKIP {command}: there is no groff")
            continue
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8", path], capture_output=True,
            text=True, check=True)
        assert not done.stderr, done.stderr
        assert option in done.stdout, done.stdout
    assert not found, found
    print(f"ok   {len(OPTION)} manual pages")


def completions(folder):
    for command, option in OPTION.items():
        path, = folder.rglob(f"completions/{command}")
        program, = folder.rglob(f"bin/{command}")
        said = run(["bash", "-c", f"""
            source {path}
            COMP_WORDS=({program} {option[:5]}) COMP_CWORD=1
            _gst_vision_command {program}
            printf '%s\\n' "${{COMPREPLY[@]}}" """])
        assert option in said.split(), (command, said)
    print(f"ok   completions of {len(OPTION)} commands")


def version():
    """The headers say what Meson says."""
    header = (ROOT / "gst/meta/gstvisionmeta.h").read_text()
    numbers = re.findall(r"define GST_VISION_META_VERSION_\w+ (\d+)", header)
    said, = re.findall(r"^project\(.*version: '([\d.]+)'",
                       (ROOT / "meson.build").read_text(), re.M)
    assert ".".join(numbers) == said, (numbers, said)
    print(f"ok   version {said}")


def debian(folder):
    """Of what is installed, what debian/*.install puts into a package; each file
    is in one, and each line has a file."""
    files = [path for path in folder.rglob("*") if not path.is_dir()]
    prefix = next(path for path in files if path.parent.name == "bin").parent.parent
    names = {re.sub(r"/python[\d.]+/(site|dist)-packages/", "/python3/",
                    f"usr/{path.relative_to(prefix)}") for path in files}
    if not any(re.match(r"usr/lib/[\w-]+-linux-gnu", name) for name in names):
        print("SKIP debian: libraries lie elsewhere here")
        return
    unused, taken = [], {}
    for path in sorted((ROOT / "debian").glob("*.install")):
        for pattern in path.read_text().split():
            found = [name for name in names if fnmatch.fnmatch(name, pattern) or
                     fnmatch.fnmatch(name, f"{pattern}/*")]
            if not found and "gir" not in pattern:  # a build may be without
                unused.append(f"{path.name}: {pattern}")
            for name in found:
                taken.setdefault(name, set()).add(path.name)
    left = sorted(names - taken.keys())
    twice = {name: where for name, where in taken.items() if len(where) > 1}
    assert not unused and not left and not twice, (unused, left, twice)
    version = re.search(r"version: '([\d.]+)'", (ROOT / "meson.build").read_text())
    assert (ROOT / "debian/changelog").read_text().startswith(
        f"gst-vision ({version[1]}-"), "debian/changelog has another version"
    print(f"ok   {len(names)} files in {len(set.union(*taken.values()))} packages")


def sources(folder):
    """The tree is a source package, and the list of symbols that debian/rules makes is
    the library's, and names the package to build with."""
    if not shutil.which("dpkg-gensymbols") or not (ROOT / ".git").exists():
        print("SKIP sources: there is no dpkg-dev or no checkout")
        return
    version = re.search(r"\((.*)-", (ROOT / "debian/changelog").read_text())[1]
    tree = folder / "gst-vision"
    tree.mkdir()
    run(["bash", "-c", f"""set -o pipefail
        git ls-files -z -co --exclude-standard | tar --null -T - -c | tar -C {tree} -x
        tar -C {folder} --exclude=gst-vision/debian -cJf \\
          {folder}/gst-vision_{version}.orig.tar.xz gst-vision"""], cwd=ROOT)
    run(["dpkg-source", "-b", tree], cwd=folder)
    run(["make", "-f", "debian/rules", "execute_before_dh_makeshlibs"], cwd=tree)
    library = Path(os.environ["BUILD"]) / "gst/meta/libgstvisionmeta.so.0"
    run(["dpkg-gensymbols", "-plibgstvisionmeta0", f"-v{version}-1", f"-e{library}", "-c4",
         f"-O{folder}/symbols"], cwd=tree)
    assert "* Build-Depends-Package: libgstvisionmeta-dev" in \
        (folder / "symbols").read_text().splitlines()
    print("ok   a source package, and its list of symbols")


def container():
    """All that packaging/Containerfile runs is a step of packaging/debian.sh, and
    these are the steps of debian_root.sh, in its order.  What git ignores is not
    copied into it: a folder that was built here would not be built there."""
    said = re.findall(r"^RUN (.*)$",
                      (ROOT / "packaging/Containerfile").read_text(), re.M)
    script = (ROOT / "tests/debian_root.sh").read_text()
    first = re.search(r"^  step (\w+)$", script, re.M)[1]
    more = re.search(r"^  for name in ([\w ]+); do$", script, re.M)[1].split()
    command, = re.findall(r'chroot "\$root" (\S+) "\$1" (.*)$', script, re.M)
    wanted = [f"{command[0]} {step} {command[1]}" for step in [first, *more]]
    assert said == wanted, (said, wanted)
    known = re.findall(r"^#   packaging/debian.sh (\w+) OUT",
                       (ROOT / "packaging/debian.sh").read_text(), re.M)
    assert known == [first, *more], known
    left = {line.strip("/") for line in (ROOT / ".gitignore").read_text().splitlines()
            if not line.startswith("#")}
    out = {line.removeprefix("**/")
           for line in (ROOT / ".dockerignore").read_text().splitlines()}
    assert left | {".git"} <= out, left - out
    print(f"ok   a container is made by {len(wanted)} steps")


def licences():
    """debian/copyright and REUSE.toml name the same files and licences, whose texts are
    in LICENSES."""
    told = {}
    for part in tomllib.loads((ROOT / "REUSE.toml").read_text())["annotations"]:
        paths = part["path"] if isinstance(part["path"], list) else [part["path"]]
        told |= dict.fromkeys(paths, part["SPDX-License-Identifier"])
    own = told.pop("**")
    others = {path: name for path, name in told.items() if name != own}
    said = re.findall(r"^Files: (.*(?:\n .*)*)\nCopyright: (?:.*\n)(?: .*\n)*License: (.*)",
                      (ROOT / "debian/copyright").read_text(), re.M)
    debian = {path: name for paths, name in said for path in paths.split()}
    assert debian.pop("*") == "LGPL-2.1+"
    assert debian == others, (debian, others)
    texts = {path.stem for path in (ROOT / "LICENSES").iterdir()}
    assert texts == {own, *others.values()}, texts
    if shutil.which("reuse") and (ROOT / ".git").exists():
        run(["reuse", "--root", ROOT, "lint"])
    else:
        print("SKIP reuse is not there")
    print(f"ok   licences of {len(others)} files, and {own}")


def main():
    container()
    licences()
    version()
    with tempfile.TemporaryDirectory() as folder:
        sources(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        run(["meson", "install", "-C", os.environ["BUILD"], "--no-rebuild",
             "--destdir", folder])
        pages(Path(folder))
        completions(Path(folder))
        debian(Path(folder))


if __name__ == "__main__":
    main()
