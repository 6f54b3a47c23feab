#!/usr/bin/env python3
"""messages.py: every message of the program, from the source: `STATUS MESSAGE` a line.
messages.py --check: what docs/messages.md lacks, and what it has that no source says.

A message is the format that a call of error_set or cli_refuse is given. What is filled
in is written "…". Parts of three words and more are messages of their own where a function
that makes a message is handed them ("%s: expected %s"), or where they begin with
"expected ". Of a status that the source does not name beside it, "-" is said.
"""
import functools
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PAGE = os.path.join(ROOT, "docs", "messages.md")
STATUS = {"SOTTO_FAILED": "1", "SOTTO_USAGE": "2", "SOTTO_DATA": "3", "SOTTO_BUDGET": "4",
          "SOTTO_PRIVACY": "5", "SOTTO_PEER": "6", "SOTTO_INTERRUPTED": "130"}
TEXT = r'"(?:[^"\\]|\\.)*"'
CALL = re.compile(r"\b(error_set|cli_refuse|snprintf)\(")
# what a compiler would see as one literal; a macro between two is filled in
LITERAL = re.compile(rf"{TEXT}(?:\s*(?:[A-Z_]+(?:\([A-Z_]+\))?\s*)?{TEXT})*")


def without_comments(text):
    """The code; what is in quotes stays as it is."""
    return re.sub(rf"({TEXT})|/\*.*?\*/|//[^\n]*", lambda m: m[1] or " ", text, flags=re.S)


def arguments(text, start):
    """The arguments of a call whose parenthesis was opened before `start`."""
    found, depth, at, begin = [], 0, start, start
    while True:
        string = re.compile(rf"{TEXT}|'(?:[^'\\]|\\.)'").match(text, at)
        if string:
            at = string.end()
            continue
        if text[at] in ",)" and depth == 0:
            found.append(text[begin:at].strip())
            begin = at + 1
            if text[at] == ")":
                return found
        depth += text[at] in "([{"
        depth -= text[at] in ")]}"
        at += 1


def words(literal):
    """What a person reads: conversions, and macros between literals, are filled in."""
    parts = re.findall(rf"({TEXT})|([A-Z_]+(?:\([A-Z_]+\))?)", literal)
    text = "".join(text[1:-1] if text else "…" for text, _ in parts)
    text = text.replace("\\\"", '"').replace("\\\\", "\\")
    text = re.sub(r"%-?[0-9*]*(?:\.[0-9*]+)?(?:ll|l|z)?[a-z]", "…", text).replace("%%", "%")
    return re.sub("…(?:…)+", "…", text).strip()


# A function of the source: its name and its parameters.
FUNCTION = re.compile(r"^(?P<static>static )?[a-z][\w *\n]*?\b(?P<name>\w+)"
                      r"\((?P<parameters>[^;{}]*?)\)\n\{\n(?P<body>.*?)^\}", re.M | re.S)


def formats(text):
    """Each call that makes a message: its status, its format, what is filled in, its end."""
    for call in CALL.finditer(text):
        given = arguments(text, call.end())
        place = {"error_set": 2, "cli_refuse": 1}.get(call[1], 2)
        if call[1] == "snprintf" and not re.fullmatch(r"(error|why)(->|\.)message", given[0]):
            continue
        if len(given) <= place or given[place].startswith("const char") or given[1] == "SOTTO_OK":
            continue # a declaration; a remark, which is no error
        status = STATUS.get(given[1], "-") if place == 2 else "2"
        near = text[max(0, call.start() - 150):call.start()] + text[call.end():][:400]
        other = re.search(r"error(?:->|\.)status = (SOTTO_[A-Z]+)", near)
        if other and call[1] != "error_set":
            status = STATUS[other[1]]
        yield status, given[place], given[place + 1:]


def carriers(text):
    """Functions that fill a parameter in: {name: [(its place, status)]}."""
    found = {}
    for function in FUNCTION.finditer(text):
        names = [re.search(r"\w*\Z", p.strip())[0] for p in function["parameters"].split(",")]
        for status, _, more in formats(function["body"]):
            for value in more:
                if value in names:
                    found.setdefault(function["name"], []).append((names.index(value), status))
    return found


def literals(text, least):
    """What is said by the literals of at least so many words."""
    found = (words(literal) for literal in LITERAL.findall(text))
    return [said for said in found if len(re.findall("[a-z]+|…", said)) >= least and
            re.search("[a-z]{3}", said)]


def remarks(text):
    """What is said where nothing is wrong."""
    for call in CALL.finditer(text):
        given = arguments(text, call.end())
        if given[1:2] == ["SOTTO_OK"]:
            yield from literals(" ".join(given[2:]), 1)


def of_file(text, shared):
    """The messages of one file, as (status, text)."""
    taken = set(remarks(text))
    for status, format, _ in formats(text):
        for message in literals(format, 1):
            taken.add(message)
            yield status, message
    for name, places in {**shared, **carriers(text)}.items():
        for call in re.finditer(rf"(?<![\w>.]){name}\(", text):
            given = arguments(text, call.end())
            for place, status in places:
                for message in literals(given[place], 3) if place < len(given) else ():
                    taken.add(message)
                    yield status, message
    for message in literals(text, 2):
        if (message.startswith("expected ") or ": refused: " in message) and message not in taken:
            yield "-", message


def sources():
    for folder in ("src/*", "cli", "mpi"):
        for path in sorted(glob.glob(os.path.join(ROOT, folder, "*.[ch]"))):
            with open(path, encoding="utf-8") as file:
                yield without_comments(file.read())


@functools.lru_cache
def messages():
    """All of them, once each, with their statuses."""
    found, texts, shared = {}, list(sources()), {}
    for text in texts:
        static = {f["name"] for f in FUNCTION.finditer(text) if f["static"]}
        shared.update({n: p for n, p in carriers(text).items() if n not in static})
    for text in texts:
        for status, message in of_file(text, shared):
            found.setdefault(message, set()).add(status)
    return {text: "/".join(sorted(s - {"-"}, key=int)) or "-" for text, s in found.items()}


def on_page(page):
    """The rows of the page's tables: the message, and its status."""
    rows = re.findall(r"^\| ([\d/-]+) \| (`+) ?(.+?) ?\2 \|$", page, re.M)
    return [(text.replace("\\|", "|"), status) for status, _, text in rows]


def faults(page):
    """One line for each message that is missing, invented, listed twice or with another status."""
    said = messages()
    shown = on_page(page)
    for text, status in said.items():
        if text not in dict(shown):
            yield f"missing: | {status} | `{text}` |"
        elif dict(shown)[text] != status:
            yield f"its status is {status}: {text}"
    for text in dict(shown):
        if text not in said:
            yield f"no source says: {text}"
        if sum(text == other for other, _ in shown) > 1:
            yield f"listed twice: {text}"


def main():
    if sys.argv[1:] == ["--check"]:
        with open(PAGE, encoding="utf-8") as file:
            found = list(faults(file.read()))
        sys.exit("\n".join(found) or 0)
    if sys.argv[1:]:
        sys.exit(__doc__)
    for text, status in messages().items():
        print(status, text, sep="\t")


if __name__ == "__main__":
    main()
