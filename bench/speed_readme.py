#!/usr/bin/python3
"""README's table of rivals, from docs/speed.md, which a run of `make bench` has written.

    speed_readme.py            writes it

bench.py does so, too, when it writes docs/speed.md.
"""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SET = "### Adult"
SHOWN = {"sotto auto": "**sotto**", "diffprivlib": "diffprivlib", "Opacus": "Opacus",
         "LIBLINEAR (not private)": "LIBLINEAR, not private"}
REGION = re.compile(r"(<!-- numbers: rivals -->\n).*?(<!-- end of rivals -->)", re.DOTALL)


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def table(page):
    """Of the first table of the set: processes, from a file to a model."""
    part = page[page.index(SET):].split("As a call")[0]
    size = re.search(r": (.+)", part)[1]
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in part.splitlines() if line.startswith("| ")]
    head = rows[0]
    lines = [f"| adult, {size}, epsilon 1 | accuracy | log-loss | seconds from file to model |",
             "|---|---|---|---|"]
    for row in rows:
        told = dict(zip(head, row))
        if told["variant"] in SHOWN:
            lines.append(f"| {SHOWN[told['variant']]} | {told['accuracy']} | {told['log-loss']} | "
                         f"{told['min s']} |")
    return "\n".join(lines)


def filled(readme, page):
    return REGION.sub(lambda m: f"{m[1]}\n{table(page)}\n\n{m[2]}", readme)


def write():
    text = filled(read("README.md"), read(os.path.join("docs", "speed.md")))
    with open(os.path.join(ROOT, "README.md"), "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    write()
