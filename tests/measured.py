# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures that a test measures: limits, after which it goes on, and tables that it
writes into a page, between two marks."""
failures = []


def limit(what, holds):
    print("ok  " if holds else "FAIL", what)
    if not holds:
        failures.append(what)


def write(page, begin, end, rows):
    head, rest = page.read_text().split(begin)
    text = "\n".join(rows).strip("\n")
    page.write_text(f"{head}{begin}\n{text}\n\n{end}{rest.split(end)[1]}")
