#!/usr/bin/python3
"""make_site.py FOLDER SOTTO: the documents as a site in FOLDER, for a browser without a network.

README, CONTRIBUTING, SECURITY, CHANGELOG and docs/ are copied to FOLDER/source as they are, so
that their links hold. The navigation goes by what a page says of itself in its first line:
tutorial, how-to, reference or explanation. A page of all verbs and options is made from
`SOTTO help --json`. Sphinx makes HTML of them (tools/site/conf.py). Then
every link of every page is followed. One that leads nowhere, and anything that a page would load
from elsewhere, ends it with exit code 1.
"""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
from urllib.parse import unquote, urlsplit

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
TOP = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
KINDS = ("Tutorial", "How-to", "Reference", "Explanation")
KIND = re.compile(rf"\*({'|'.join(KINDS)}), for")
LINK = re.compile(r"\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# Folders whose pages are under a page of their own, and what that one is called.
SHELVES = {"docs/privacy": "README", "docs/notes": "Laboratory notes",
           "docs/adr": "Decisions and their reasons"}
# Pages that are made here.
MADE = {}


def read(path):
    if path in MADE:
        return MADE[path]
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def pages():
    """Every page, by its path under the sources."""
    found = [page for page in TOP if os.path.exists(os.path.join(ROOT, page))]
    for at, _, names in os.walk(os.path.join(ROOT, "docs")):
        found += [os.path.relpath(os.path.join(at, name), ROOT) for name in names
                  if name.endswith(".md")]
    return sorted([*found, *MADE])


def kind_of(page):
    said = KIND.search(read(page)[:600])
    return said[1] if said else {"README.md": "Tutorial", "CHANGELOG.md": "Reference"}.get(page)


def title_of(page):
    return "A first private model" if page == "README.md" else re.match(r"# (.+)", read(page))[1]


def short_of(page):
    """The title in the navigation: under "How-to" no line begins with these words again."""
    title = re.sub(r"^How to (?=\w)", "", title_of(page))
    return title if title == title_of(page) else title[0].upper() + title[1:]


def shelf_of(page):
    """The folder that a page is kept under, unless it is the folder's own page."""
    folder, name = os.path.split(page)
    return folder if folder in SHELVES and name != "README.md" else None


# ---- verbs and options ----

def plain(text):
    """A text without mark-up, for a cell of a table."""
    text = re.sub(r"([\\*_|<>`\[\]])", r"\\\1", " ".join((text or "").split()))
    return re.sub(r"(?<![\w-])(--[a-z][a-z-]*)", r"`\1`", text)


def usage_of(option):
    name = ("[no-]" if option["can_be_off"] else "") + option["name"]
    return f"`--{name}{' ' + option['argument'] if option['argument'] else ''}`"


def option_row(option):
    choices = f". One of: {', '.join(option['choices'])}" if option["choices"] else ""
    return f"| {usage_of(option)} | {plain(option['default'])} | {plain(option['help'])}{choices} |"


def options_page(reference):
    known = {option["name"]: option for option in reference["options"]}
    head = ["| option | default | what |", "|---|---|---|"]
    out = ["# Verbs and options", "", "*Reference, for people who use the program.* This page is "
           f"made from what `sotto help --json` says, version {reference['sotto']}.", ""]
    for verb in reference["verbs"]:
        out += [f"## {verb['name']}", "", f"`sotto {verb['name']} {verb['usage']}`: "
                f"{plain(verb['summary'])}. {plain(verb['detail'])}", ""]
        rows = [option_row(known[name]) for name in verb["options"]
                if known[name]["group"] != "solver"]
        out += [*head, *rows, ""] if rows else []
        if any(known[name]["group"] == "solver" for name in verb["options"]):
            out += ["Options of solvers are [below](#solvers).", ""]
    out += ["## Solvers", "", "`--solver NAME` of `train` and `plan`. An option that a solver does "
            "not list is refused.", ""]
    for solver in reference["solvers"]:
        out += [f"### {solver['name']}", "", f"{plain(solver['summary'])}.", ""]
        rows = [f"| {usage_of(known[o['name']])} | {plain(o['default'])} | {plain(o['meaning'])} |"
                for o in solver["options"]]
        out += [*head, *rows, ""] if rows else []
    return "\n".join(out)


# ---- the pages as they are built ----

def plain_links(page, text):
    """Links to files beside the pages: a file is copied, a folder becomes words."""
    def changed(link):
        words, target = link[1], link[2]
        path = os.path.normpath(os.path.join(os.path.dirname(page), target.partition("#")[0]))
        if "://" not in target and os.path.isdir(os.path.join(ROOT, path)):
            return words
        return link[0]
    return LINK.sub(changed, text)


def linked_files(page, text):
    for _, target in LINK.findall(text):
        path = os.path.normpath(os.path.join(os.path.dirname(page), target.partition("#")[0]))
        if "://" not in target and os.path.isfile(os.path.join(ROOT, path)):
            yield path


def contents(entries, caption=None, shown=False):
    """A table of contents for Sphinx; the page itself shows it only where that is said."""
    return "\n".join(["", "```{toctree}", *([] if shown else [":hidden:"]), ":maxdepth: 1",
                      *([f":caption: {caption}"] if caption else []), "", *entries, "```", ""])


def in_order(kind, every):
    """Pages of a kind: first as the folder's own page lists them, then by title."""
    first = []
    for index in ("docs/howto/README.md", "docs/explain/README.md"):
        if index in every and kind_of(index) == kind:
            first.append(index)
            first += [path for path in linked_files(index, read(index)) if path in every]
    if kind == "Tutorial":
        first = ["README.md", "docs/tutorial.md"]
    rest = [page for page in every if kind_of(page) == kind and not shelf_of(page)]
    rest.sort(key=lambda page: (page in TOP, title_of(page).lower()))
    found = []
    for page in first + rest:
        if page in rest and page not in found:
            found.append(page)
    return found


def front(every):
    """The first page: what sotto is, and the pages by kind."""
    intro = read("README.md").split("\n\n")[1]
    out = ["# sotto", "", intro, ""]
    about = {"Tutorial": "Learn by doing, from the beginning to the end.",
             "How-to": "One task, and how it is done.",
             "Reference": "Complete and dry: formats, options, numbers.",
             "Explanation": "Why it is so: the promise, the proofs, the decisions."}
    for kind in KINDS:
        out += [f"## {kind}", "", about[kind], ""]
        for page in in_order(kind, every):
            out.append(f"- [{title_of(page)}]({page})")
        if kind == "Explanation":
            out += [f"- [{name}]({folder}/index.md)" for folder, name in SHELVES.items()
                    if name != "README"]
        out.append("")
    for kind in KINDS:
        shelves = [f"{folder}/index" for folder, name in SHELVES.items()
                   if name != "README" and kind == "Explanation"]
        out.append(contents([f"{short_of(page)} <{page[:-3]}>" for page in in_order(kind, every)] +
                            shelves, kind))
    return "\n".join(out)


def stage(source):
    """Writes what Sphinx reads."""
    shutil.rmtree(source, ignore_errors=True)
    every = pages()
    for page in every:
        text = read(page)
        for path in linked_files(page, text):
            if not path.endswith(".md"):
                place = os.path.join(source, path)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                shutil.copyfile(os.path.join(ROOT, path), place)
        folder = os.path.dirname(page)
        text = plain_links(page, text)
        if folder in SHELVES and SHELVES[folder] == "README" and not shelf_of(page):
            text += contents([os.path.basename(p)[:-3] for p in every if shelf_of(p) == folder])
        put(source, page, text)
    for folder, name in SHELVES.items():
        if name != "README":
            inside = [os.path.basename(p)[:-3] for p in every if shelf_of(p) == folder]
            put(source, f"{folder}/index.md", f"# {name}\n" + contents(inside, shown=True))
    put(source, "index.md", front(every))
    for name, place in (("conf.py", "conf.py"), ("sotto.css", "_static/sotto.css")):
        put(source, place, read(f"tools/site/{name}"))


def put(source, path, text):
    place = os.path.join(source, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8") as file:
        file.write(text)


def change(place, how):
    with open(place, encoding="utf-8") as file:
        text = file.read()
    with open(place, "w", encoding="utf-8") as file:
        file.write(how(text))


def mend_theme(site):
    """What Debian's package of the theme needs a web server for is put beside it: a style sheet
    of another package, and a script that it imports, which a file must not."""
    style = os.path.join(site, "_static", "styles", "furo.css")
    scripts = os.path.join(site, "_static", "scripts")

    def beside(found):
        shutil.copy("/usr/share" + found[1], os.path.dirname(style))
        return f"@import url({os.path.basename(found[1])});"

    def joined(found):
        with open(os.path.join(scripts, found[1]), encoding="utf-8") as file:
            return file.read()

    change(style, lambda text: re.sub(r"@import url\((/javascript/[^)]+)\);", beside, text))
    change(os.path.join(scripts, "furo.js"),
           lambda text: re.sub(r'import \w+ from "\./([\w.-]+)";', joined, text))


# ---- what came out ----

class Page(html.parser.HTMLParser):
    """The ids of a page, where its links lead, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.update(v for k, v in attrs if k in ("id", "name") and v)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag in ("img", "script") and values.get("src"):
            self.loads.append(values["src"])
        elif tag == "link" and values.get("href"):
            self.loads.append(values["href"])


def faults(site):
    """Links that lead nowhere, and what would come from a network."""
    found = {}
    for at, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(at, name)
                with open(path, encoding="utf-8") as file:
                    found[path] = Page(file.read())
    for at, _, names in os.walk(site):
        for name in names:
            if name.endswith(".css"):
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    for link in re.findall(r"url\(['\"]?((?:https?:|/)[^)]+)\)", file.read()):
                        yield f"{name}: would be loaded from elsewhere: {link}"
    for path, page in sorted(found.items()):
        said = os.path.relpath(path, site)
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    yield f"{said}: would be loaded from elsewhere: {link}"
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) \
                if parts.path else path
            if not os.path.isfile(target):
                yield f"{said}: no such page: {link}"
            elif parts.fragment and target in found and (
                    unquote(parts.fragment) not in found[target].ids):
                yield f"{said}: no such section: {link}"


def main():
    folder = os.path.abspath(sys.argv[1])
    source, site = os.path.join(folder, "source"), os.path.join(folder, "html")
    said = subprocess.run([sys.argv[2], "help", "--json"], capture_output=True, check=True)
    MADE["docs/options.md"] = options_page(json.loads(said.stdout))
    stage(source)
    shutil.rmtree(site, ignore_errors=True)
    done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html",
                           "-d", os.path.join(folder, "doctrees"), source, site], check=False)
    if done.returncode:
        sys.exit(done.returncode)
    mend_theme(site)
    wrong = list(faults(site))
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"The site: file://{site}/index.html")


if __name__ == "__main__":
    main()
