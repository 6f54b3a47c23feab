#!/usr/bin/env python3
"""Gives every module an include folder with just the headers it may use.

    views.py MODULES CONTRACT OUT

MODULES is src/modules.txt, CONTRACT the folder of contract headers. For each
module OUT/<module>/ gets a link to each header that exists and is allowed, so
that an #include of anything else does not compile.
"""
import os
import sys


def read_modules(path):
    """The table as a list of (module, own headers, headers of others)."""
    table = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.split("#")[0].strip()
            if line:
                module, own, others = (part.split() for part in line.split("|"))
                table.append((module[0], own, others))
    return table


def make_view(folder, contract, headers):
    os.makedirs(folder, exist_ok=True)
    wanted = {name + ".h" for name in headers}
    for name in os.listdir(folder):
        if name not in wanted and os.path.islink(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    for name in wanted:
        target, link = os.path.join(contract, name), os.path.join(folder, name)
        if os.path.islink(link) and os.readlink(link) == target:
            continue
        if os.path.lexists(link):
            os.remove(link)
        if os.path.exists(target):
            os.symlink(target, link)


def main():
    modules, contract, out = sys.argv[1:4]
    for module, own, others in read_modules(modules):
        make_view(os.path.join(out, module), os.path.abspath(contract), own + others)


if __name__ == "__main__":
    main()
