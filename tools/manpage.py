#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints a manual page made of what a command says by --help:

    manpage.py VERSION BUGS NAME SUMMARY FILE

BUGS is where to report them, or empty."""
import sys
from pathlib import Path


def escaped(text):
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return "\n".join(r"\&" + line if line[:1] in ".'" else line
                     for line in text.splitlines())


def main():
    version, bugs, name, summary, said = sys.argv[1:]
    text = Path(said).read_text(encoding="utf-8")
    print(f""".TH {name.upper()} 1 "" "gst\\-vision {version}" "User Commands"
.SH NAME
{escaped(name)} \\- {escaped(summary)}
.SH DESCRIPTION
.nf
{escaped(text)}
.fi
.SH SEE ALSO
.BR gst\\-launch\\-1.0 (1)""")
    if bugs:
        print(f".SH BUGS\n{escaped(bugs)}")


if __name__ == "__main__":
    main()
