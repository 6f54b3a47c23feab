#!/usr/bin/python3
"""Whatever a document names is there: options, their values, verbs, roles,
make targets, files, sections and calls of the library.

Walks README, CONTRIBUTING, SECURITY, the unreleased part of CHANGELOG, docs/, sotto.h,
the examples, the demo, the man page and every help text. A document says what
it names in code: between backquotes, in a code block, or, where there is no
Markdown, between quotes.
"""

import functools
import glob
import json
import os
import re
import subprocess
import sys
import unittest

from common import HERE, OK, Case, run

ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import reference as writer  # noqa: E402

REFERENCE = json.loads(run(["help", "--json"]).out)
VERBS = {verb["name"]: verb for verb in REFERENCE["verbs"]}
OPTIONS = {option["name"]: option for option in REFERENCE["options"]}
FLAGS = ({name for option in REFERENCE["options"]
          for name in writer.long_names(option)} |
         {"--help", "--version", "--name"})  # the last: any of them
ROLES = set(re.findall(r"\w+", re.search(r"ROLE is ([^.]+)\.", " ".join(
    VERBS["federate"]["detail"].split()))[1])) - {"or"}

# Options of other programs, which a document may name beside the program.
OTHERS = {"--reconfigure": "meson", "--suite": "test.sh", "--tags": "git",
          "--cflags": "pkg-config", "--libs": "pkg-config"}
# Endings that only files of this repository have in a document.
OURS = (".c", ".h", ".py", ".sh", ".md")


@functools.lru_cache(maxsize=None)
def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def tracked():
    """Every file of the repository, without what is built."""
    found = []
    for at, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders
                      if f not in (".git", "__pycache__") and
                      not f.startswith("build")]
        found += [os.path.relpath(os.path.join(at, name), ROOT)
                  for name in names]
    return found


FILES = set(tracked())
FOLDERS = {os.path.dirname(f) for f in FILES} | {
    os.path.dirname(os.path.dirname(f)) for f in FILES}
NAMES = {os.path.basename(f) for f in FILES}
TOP = {f.split("/")[0] for f in FILES if "/" in f}
MODULES = {os.path.basename(f) for f in glob.glob(os.path.join(ROOT, "src/*"))
           if os.path.isdir(f)} - {"contract"}
MAKEFILE = read("Makefile")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.M))
VARIABLES = set(re.findall(r"\$\(([A-Z]+)\)", MAKEFILE)) | set(
    re.findall(r"\$\(if \$\(([A-Z]+)\)", MAKEFILE)) | set(
    re.findall(r"^([A-Z]+) *\??=", MAKEFILE, re.M))
CALLS = set(re.findall(r"\bsotto_[a-z_0-9]+", "".join(
    read(f) for f in FILES if f.startswith(("include/", "src/", "cli/"))))) | {
        "sotto_dp"}  # the Python package
# What makes the files under build/.
MAKERS = "".join(read(f) for f in FILES if f == "Makefile" or (
    f.startswith(("tools/", "bench/", "cli/")) and
    f.endswith((".py", ".sh", "meson.build"))) or f == "meson.build")


# ---- what is code in a document ----

def markdown_code(text):
    """Code of Markdown as (paragraph, code): spans, and blocks whole."""
    for block in re.split(r"(^```.*?^```$)", text, flags=re.M | re.S):
        if block.startswith("```"):
            yield block, re.sub(r"\A```.*\n|\n```\Z", "", block)
            continue
        for paragraph in re.split(r"\n\s*\n", block):
            lines = paragraph.strip("\n").split("\n")
            if all(line.startswith("    ") for line in lines):
                yield paragraph, "\n".join(map(str.strip, lines))
                continue
            for span in re.findall(r"`([^`]+)`", paragraph):
                yield paragraph, " ".join(span.split())


def plain_code(text):
    """Quoted words of a text that is not Markdown, and its options."""
    for paragraph in re.split(r"\n[ *]*\n", text):
        for span in re.findall(r"`([^`']+)[`']|(?<!\w)'([^'\n]+)'(?!\w)",
                               paragraph):
            yield paragraph, " ".join("".join(span).split())
        yield paragraph, " ".join(re.findall(
            r"(?<![\w-])--[a-z][a-z0-9-]*|\bdocs/[\w/.-]+", paragraph))


def comments(text):
    """The comments of a C file, without the stars."""
    return "\n\n".join(re.sub(r"(?m)^ \*", "", c) for c in
                       re.findall(r"/\*(.*?)\*/", text, re.S))


def without_messages(path):
    """A page without the program's sentences, which test_messages_page.py holds against it."""
    return re.sub(r"^\| [\d/-]+ \| `.*\n", "", read(path), flags=re.M) if (
        path == "docs/messages.md") else read(path)


def documents():
    """name -> (text, how code is found in it)."""
    for path in sorted(FILES):
        if path in ("README.md", "CONTRIBUTING.md", "SECURITY.md") or (
                path.startswith("docs/") and path.endswith(".md")):
            yield path, without_messages(path), markdown_code
        elif path == "include/sotto.h" or path.startswith("examples/"):
            yield path, comments(read(path)), plain_code
    # what was released is history
    yield "CHANGELOG.md", "\n## ".join(
        read("CHANGELOG.md").split("\n## ")[:2]), markdown_code
    yield "tools/demo.sh", "```\n" + "\n".join(re.findall(
        r"^run (.*)", read("tools/demo.sh"), re.M)) + "\n```", markdown_code
    yield "the man page", writer.man(REFERENCE).replace("*", ""), plain_code
    yield "help texts", "\n\n".join(
        [v["detail"] for v in REFERENCE["verbs"]] +
        [o["help"] for o in REFERENCE["options"]]), plain_code


# ---- what must be there ----

def scripts(text):
    """The scripts that a text names: it may name their options, too."""
    return [f for f in FILES if f.endswith((".py", ".sh")) and
            re.search(rf"(?<![\w.]){re.escape(os.path.basename(f))}\b", text)]


def wrong_options(paragraph, code, others):
    """Options, and the values of options that have choices."""
    for option, value in re.findall(
            r"(?<![\w-])(--[a-z][a-z0-9-]*)(?:[ =]([a-z][a-z0-9-]*))?", code):
        known = OPTIONS.get(option[2:])
        if option in FLAGS:
            if (value and known and known["choices"] and
                    value not in known["choices"]):
                yield f"{option} {value}"
        elif not (OTHERS.get(option, "\0") in paragraph or
                  any(f'"{option}"' in read(f) for f in others)):
            yield option


def wrong_verbs(code):
    for verb, word in re.findall(
            r"(?:^|[^\w./-])sotto ([a-z][a-z-]*)(?: ([a-z][a-z-]*)\b)?", code):
        if verb not in VERBS:
            yield f"sotto {verb}"
        elif verb == "federate" and word and word not in ROLES:
            yield f"sotto federate {word}"


def wrong_targets(code):
    for words in re.findall(r"(?:^|[\n;&|(] *)(?:\$ )?make((?: [\w=~/$.-]+)+)",
                            code):
        for word in words.split():
            name = word.split("=")[0]
            if word in TARGETS or ("=" in word and name in VARIABLES):
                continue
            yield f"make {word}"


def is_there(path):
    """Whether a path of the repository, of a module, or of a build exists."""
    path = path.rstrip("/")
    if path.split("/")[0].startswith("build"):
        return all(part.isupper() or
                   re.search(rf"[/\"']{re.escape(part)}(?![\w.])", MAKERS)
                   for part in path.split("/")[1:])
    places = [path, os.path.join("src", path), os.path.join("docs", path)]
    if "*" in path:
        return any(glob.glob(os.path.join(ROOT, p)) for p in places)
    return any(p in FILES or p in FOLDERS for p in places)


def wrong_files(paragraph, code):
    """What a block makes under build/ when it is run is its own."""
    own = paragraph.startswith(("```console", "```sh"))
    for word in re.findall(r"(?<![\w$~./:<-])[\w.*-]+(?:/[\w.*-]*)*", code):
        word = word.rstrip(".")
        if own:  # in build/demo the sources are two folders up
            word = word.removeprefix("../../")
        if "/" in word:
            first = word.split("/")[0]
            if own and first == "build":
                continue
            if (first in TOP | MODULES or first.startswith("build") or
                    word.endswith(OURS)) and not is_there(word):
                yield word
        elif word.endswith(OURS) and word not in OURS and (
                not glob.glob(os.path.join(ROOT, "**", word), recursive=True)
                if "*" in word else word not in NAMES):
            yield word


def wrong_calls(text):
    for call in set(re.findall(r"\bsotto_[a-z_0-9]+\b(?!\.)", text)):
        if call not in CALLS:
            yield call


def anchor(heading):
    words = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w -]", "", words).strip().replace(" ", "-")


def wrong_links(path, text):
    """Links to files of the repository, and to their sections."""
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        file, _, section = link.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), file)) \
            if file else path
        if file not in FILES and file not in FOLDERS:
            yield link
        elif section and section not in map(anchor, re.findall(
                r"^#+ (.*)", read(file), re.M)):
            yield link


# "the options rows and features": the words after it, in the header.
LISTED = re.compile(r"\b[Tt]he options? ((?:[a-z0-9-]+(?:, | and ))*"
                    r"[a-z0-9-]+)")


def wrong_names(text):
    """Options that the header names without dashes."""
    for words in LISTED.findall(" ".join(text.split())):
        for name in re.split(r", | and ", words):
            if name not in OPTIONS and (", " in words or " and " in words or
                                        "-" in name):
                yield f"option {name}"


def faults(path, text, code_of):
    """Everything that the document names and that is not there."""
    found, others = [], scripts(text)
    for paragraph, code in code_of(text):
        found += wrong_options(paragraph, code, others)
        found += wrong_verbs(code)
        found += wrong_targets(code)
        found += wrong_files(paragraph, code)
    found += wrong_calls(text)
    if code_of is markdown_code:
        found += wrong_links(path, text)
    else:
        found += wrong_names(text)
    return sorted(set(found))


def rooms(text):
    """Sections of the tour: the modules of the heading, and the text."""
    for section in text.split("\n## ")[1:]:
        heading, _, body = section.partition("\n")
        yield heading.split(", "), body


def misplaced(text):
    """Files that the tour shows in a room where they are not."""
    for modules, body in rooms(text):
        for name in re.findall(r"`([\w*]+\.[ch])`", body):
            places = [f"src/{m}" for m in modules] + [*modules, "src/contract"]
            if not any(glob.glob(os.path.join(ROOT, p, name)) for p in places):
                yield f"{', '.join(modules)}: {name}"


class Tour(unittest.TestCase):
    """docs/tour.md: every module, each file in its room, as it is today."""

    def test_every_module(self):
        shown = {m for modules, _ in rooms(read("docs/tour.md"))
                 for m in modules}
        self.assertLessEqual(MODULES | {"cli"}, shown)

    def test_files_are_where_it_says(self):
        self.assertEqual(list(misplaced(read("docs/tour.md"))), [])
        self.assertEqual(list(misplaced("\n## base\n`csv.c` `file.c`\n")),
                         ["base: csv.c"])

    def test_no_future(self):
        """Both describe what is there, not what is meant to come."""
        for path in ("docs/tour.md", "include/sotto.h"):
            self.assertNotRegex(" ".join(read(path).split()),
                                r"\b(will|not built|all but "
                                r"`\w+` are built|to come)\b", path)


class Header(unittest.TestCase):
    """sotto.h and the help of options name what the program knows."""

    def test_solvers(self):
        named = re.findall(r'solver "([\w-]+)"', comments(read(
            "include/sotto.h")))
        self.assertIn("auto", named)
        self.assertLessEqual(set(named), set(OPTIONS["solver"]["choices"]))
        for solver in OPTIONS["solver"]["choices"]:
            self.assertIn(f"`{solver}`", read("docs/solvers.md"))

    def test_events(self):
        """All kinds that the message of a wrong one lists."""
        said = run(["account", "--event", "NOTHING(1)", "--delta", "1e-6",
                    "--adjacency", "add-remove"]).err.decode()
        kinds = re.findall(r"\b[A-Z_]{4,}\([a-z, ]+\)", said)
        self.assertGreaterEqual(len(kinds), 6, said)
        for kind in kinds:
            self.assertIn(kind, read("include/sotto.h"))
            self.assertIn(kind, OPTIONS["event"]["help"])


# A solver, an option whose default is in words, and the same as a value.
DEFAULTS = (("svrg", "steps", 20), ("scd", "batch-rate", .005), ("sgd", "batch-rate", .02),
            ("gcd", "selection-share", .5), ("cd", "calibration", "exact"),
            ("cd", "order", "permuted"), ("gcd", "rule", "untruncated"))


SOLVERS = ("cd", "gcd", "gd", "sgd", "scd", "svrg")


class Defaults(Case):
    """What help says of a default is what happens without the option."""

    def weights(self, solver, *more):
        wants = (["--no-intercept"] if solver == "scd" else []) + (
            ["--steps", "30"] if solver == "gcd" else [])
        result = self.sotto(
            "train", "patients.csv", "--schema", "schema.json", "--loss",
            "logistic", "--l2", "0.001", "--epsilon", "1", "--delta", "1e-6",
            "--insecure-seed", "1", "--solver", solver, *wants, *more,
            "-o", "m.json")
        self.assertEqual(result.code, OK, result.err)
        with open(self.path("m.json"), encoding="utf-8") as file:
            model = json.load(file)
        return model["weights"], model["intercept"]

    def test_defaults(self):
        subprocess.run([os.path.join(ROOT, "tools", "patients.py"),
                        self.directory], check=True)
        numbers = [(solver["name"], option["name"], option["default"])
                   for solver in REFERENCE["solvers"] if solver["name"] in SOLVERS
                   for option in solver["options"]
                   if re.fullmatch(r"[0-9.e-]+", option["default"] or "")]
        self.assertGreater(len(numbers), 15)
        plain = {solver: self.weights(solver) for solver in SOLVERS}
        for solver, option, value in (*numbers, *DEFAULTS):
            with self.subTest(f"{solver} --{option} {value}"):
                self.assertEqual(self.weights(solver, f"--{option}",
                                              str(value)), plain[solver])
        self.assertNotEqual(self.weights("gd", "--steps", "99"), plain["gd"])


class Schema(Case):
    def test_the_example_is_one(self):
        """docs/schema.md shows a schema that the program takes."""
        shown, = re.findall(r"^```json\n(.*?)^```$", read("docs/schema.md"),
                            re.M | re.S)
        self.write("schema.json", shown)
        self.write("d.csv", "patient,age,ward,admitted,smoker,weight,readmitted\n"
                   "p1,30,surgery,29.02.2024,yes,1,no\np2,NA,?,01.01.2020,NA,2,yes\n")
        result = self.sotto("doctor", "d.csv", "--schema", "schema.json",
                            "--loss", "logistic")
        self.assertEqual(result.code, OK, result.err)


class Kinds(unittest.TestCase):
    """Each page says which kind it is, and for whom."""

    def test_first_line(self):
        pages = [f for f in FILES if re.fullmatch(r"docs/\w+\.md", f)]
        inner = [f for f in FILES
                 if re.fullmatch(r"docs/(privacy|notes|howto|explain)/[\w-]+\.md", f)]
        self.assertGreaterEqual(len(pages), 8)
        for page in pages + inner:
            with self.subTest(page):
                self.assertRegex(read(page), r"\A# .+\n\n\*(Tutorial|How-to|"
                                 r"Reference|Explanation), for [^*]+\*")
                if page in pages:
                    self.assertIn(f"({page})", read("README.md"))
                if re.fullmatch(r"docs/(howto|explain)/(?!README)[\w-]+\.md", page):
                    folder, name = os.path.split(page)
                    self.assertIn(f"({name})", read(f"{folder}/README.md"))

    def test_decisions(self):
        """An ADR is half a page, and says when; notes are elsewhere."""
        pages = [f for f in FILES if f.startswith("docs/adr/")]
        self.assertGreaterEqual(len(pages), 15)
        for page in pages:
            with self.subTest(page):
                self.assertRegex(read(page), r"\A# \d+\. .+\n\n"
                                 r"\*Decided \d{4}-\d\d-\d\d\.\*\n")
                self.assertLessEqual(len(read(page).split()), 480)

    def test_width(self):
        """Prose has at most 100 columns; tables, code and long links may
        have more."""
        for path in sorted(FILES):
            if not path.endswith(".md"):
                continue
            text = re.sub(r"^```.*?^```$", "", read(path), flags=re.M | re.S)
            with self.subTest(path):
                self.assertEqual([line for line in text.split("\n")
                                  if len(line) > 100 and
                                  not re.match(r" *\||    ", line) and
                                  not re.search(r"https?://\S{40}", line)], [])

    def test_every_command(self):
        """CONTRIBUTING lists all that the Makefile has for people."""
        inner = {"all", "setup-build", "setup-test", "test-prerequisites"}
        for target in TARGETS - inner:
            self.assertRegex(read("CONTRIBUTING.md"), rf"`make {target}[` ]")


# A lemma of docs/privacy/: its heading, and the five parts that it has.
LEMMA = re.compile(r"^### Lemma ([A-Z]\d+) \(.+\)$", re.M)
PARTS = ("Statement", "Proof", "Code", "Test", "Mutant")


def lemmas():
    """Each lemma: its file, its number, and its parts in their order."""
    for path in sorted(FILES):
        if not re.fullmatch(r"docs/privacy/\w+\.md", path):
            continue
        _, *found = LEMMA.split(read(path))
        for name, text in zip(found[::2], found[1::2]):
            text = re.split(r"^##+ ", text, flags=re.M)[0]
            _, *parts = re.split(r"^\*\*(\w+)\.\*\*", text, flags=re.M)
            # a paragraph that begins otherwise is no part of the one before
            yield path, name, [(part, body.split("\n\n")[0]) for part, body
                               in zip(parts[::2], parts[1::2])]


def spans(text):
    return [" ".join(s.split()) for s in re.findall(r"`([^`]+)`", text)]


def wrong_names_of(part):
    """Names in a part that none of the files of that part defines."""
    files = [s for s in spans(part) if s.endswith(OURS)]
    text = "".join(read(f) for f in FILES for s in files
                   if f == s or f.endswith(f"/{s}"))
    return [s for s in spans(part) if re.fullmatch(r"\w+", s) and
            not re.search(rf"^(?:\S.*\b| +def ){s}\b", text, re.M)]


class Lemmas(unittest.TestCase):
    """docs/privacy/: a number for each, five parts, and names that exist."""

    def test_numbers(self):
        """A room's numbers go from 1 on, each in one file, once; those that are gone are listed."""
        by_letter = {}
        gone = re.findall(r"^- Lemma ([A-Z])(\d+) ", read("docs/privacy/numbers.md"), re.M)
        for path, name, _ in lemmas():
            by_letter.setdefault(name[0], []).append((int(name[1:]), path))
        self.assertGreaterEqual(len(by_letter), 6)
        for letter, found in by_letter.items():
            with self.subTest(letter):
                numbers = [n for n, _ in found] + [int(n) for l, n in gone if l == letter]
                self.assertEqual(sorted(numbers), list(range(1, len(numbers) + 1)))
                self.assertEqual(len({path for _, path in found}), 1)

    def test_parts(self):
        for path, name, parts in lemmas():
            with self.subTest(f"{path}: Lemma {name}"):
                self.assertEqual(tuple(part for part, _ in parts), PARTS)
                text = dict(parts)
                self.assertTrue(spans(text["Code"]) and spans(text["Test"]))
                self.assertEqual(wrong_names_of(text["Code"]), [])
                self.assertEqual(wrong_names_of(text["Test"]), [])
                self.assertRegex(text["Mutant"], r"`[a-z-]+`|none: \w+")

    def test_references(self):
        """A lemma, or a section, that any file names is in docs/privacy/."""
        known = {name for _, name, _ in lemmas()}
        sections = "\n".join(re.findall(r"^#+ (.+)$", "\n".join(
            read(f) for f in FILES if f.startswith("docs/privacy/")), re.M))
        found = 0
        for path in sorted(FILES):
            if not path.endswith((".c", ".h", ".py", ".md", ".txt")) or path in (
                    "docs/privacy/numbers.md", "tests/cli/test_documents.py"):
                continue
            text = re.sub(r"\s*\n\s*(?:\*|#)?\s*", " ", read(path))
            for names in re.findall(
                    r"\bLemmas? ((?:[A-Z]?\d+|[A-Z])\b(?!\.\d)(?:(?:,|,? and|"
                    r" to) (?:[A-Z]?\d+\b(?!\.\d)))*)", text):
                found += 1
                with self.subTest(f"{path}: Lemma {names}"):
                    self.assertLessEqual(
                        set(re.findall(r"[A-Z]?\d+|\b[A-Z]\b", names)), known)
            for name in re.findall(r'docs/privacy, "([^"]+)"', text):
                with self.subTest(f"{path}: {name}"):
                    self.assertIn(name, sections)
        self.assertGreaterEqual(found, 100)

    def test_mutants(self):
        """Every mutant that a page of docs/privacy/ names is in the table."""
        table = set(re.findall(r"^== (.+)$", "".join(
            read(f) for f in FILES if f.startswith("tests/mutants/")), re.M))
        named = set()
        for path in FILES:
            if re.fullmatch(r"docs/privacy/\w+\.md", path):
                for text in re.findall(r"\bMutants?(?: of this part)?[:.].*?"
                                       r"(?=\n\n)", read(path), re.S):
                    named |= {s for s in spans(text) if "-" in s}
        self.assertGreaterEqual(len(named), 80)
        self.assertEqual(named - table, set())


class Pages(unittest.TestCase):
    def test_glossary(self):
        """Alphabetical, each word once, and the words of the program."""
        words = re.findall(r"^\| ([^|]+?)(?: \(sotto\))? \|",
                           read("docs/glossary.md"), re.M)[1:]
        self.assertEqual(words, sorted(set(words), key=str.lower))
        for word in ("accountant", "curator", "gate", "plan", "question"):
            self.assertIn(word, words)
        for adjacency in OPTIONS["adjacency"]["choices"]:
            self.assertIn(adjacency, words)

    def test_citation(self):
        """The version of the program, and the four papers."""
        text = read("CITATION.cff")
        version = run(["--version"]).out.decode().split()[1]
        self.assertIn(f"\nversion: {version}\n", text)
        self.assertEqual(text.count("- type: conference-paper"), 4)


class Documents(unittest.TestCase):
    def test_everything_named_is_there(self):
        walked = 0
        for path, text, code_of in documents():
            walked += 1
            with self.subTest(path):
                self.assertEqual(faults(path, text, code_of), [])
        self.assertGreaterEqual(walked, 28)

    def test_an_invention_is_noticed(self):
        """One of each kind, in Markdown and in a header."""
        for said in ("`--shrink`", "`--solver magic`", "`--solver=magic`",
                     "`sotto compress`", "`sotto federate dance`",
                     "`make coffee`", "`make test COFFEE=1`",
                     "`tests/cli/test_nothing.py`", "`solver/nothing.c`",
                     "`nothing.c`", "`build/invented`", "[x](nothing.md)",
                     "[x](docs/privacy/data.md#nothing)", "sotto_nothing_at",
                     "```sh\n$ sotto train a.csv --shrink 3\n```",
                     "    make coffee", "`bench/federate.py --shrink`"):
            with self.subTest(said):
                self.assertEqual(len(faults("README.md", f"{said}\n",
                                            markdown_code)), 1)
        for said in ("'sotto compress'", "--shrink", "`sotto compress`",
                     "the options rows and shrink say",
                     "the option no-shrink says", "sotto_nothing_at()",
                     "docs/nothing.md"):
            with self.subTest(said):
                self.assertEqual(len(faults("sotto.h", f"As {said}.",
                                            plain_code)), 1)

    def test_what_is_there_is_not_noticed(self):
        said = ("`--solver cd`, `--no-intercept`, `sotto train FILE`, "
                "`sotto federate serve c.json`, `make test`, `make fuzz "
                "SECONDS=600`, `docs/privacy/data.md`, `solver/cd.c`, `cd.c`, "
                "`model.json`, [x](docs/privacy/data.md#definitions), "
                "`bench/federate.py --grid`, sotto_fit")
        self.assertEqual(faults("README.md", said, markdown_code), [])


if __name__ == "__main__":
    unittest.main()
