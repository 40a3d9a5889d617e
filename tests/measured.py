# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables that a program writes into a page, between two marks."""


def write(page, begin, end, text):
    head, rest = page.read_text().split(begin)
    page.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}")
