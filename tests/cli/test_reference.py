"""What is made from the tables of verbs and options: `help --json`, the man
page and completion for bash.
"""

import copy
import ctypes
import json
import math
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import unittest

from common import HERE, OK, PEER, PROGRAM, USAGE, Case, run

BUILD = os.environ.get("SOTTO_BUILD") or os.path.dirname(PROGRAM)
COMPLETION = os.path.join(BUILD, "cli", "sotto")
PAGES = os.path.join(BUILD, "cli")

sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
import reference as writer  # noqa: E402

REFERENCE = json.loads(run(["help", "--json"]).out)
VERBS = {verb["name"]: verb for verb in REFERENCE["verbs"]}
OPTIONS = {option["name"]: option for option in REFERENCE["options"]}
TAKEN = {name for verb in VERBS.values() for name in verb["options"]}

# Options that solvers have meanings of their own for.
OF_SOLVERS = {option["name"] for solver in REFERENCE["solvers"] for option in solver["options"]}

# In the order of sotto_option_group.
GROUPS = ("problem", "privacy", "data", "output", "solver", "other")

# In the order of sotto_option_kind.
KINDS = ("text", "file", "list", "sum", "choice", "integer", "number", "pair",
         "flag")

# Everything that scdoc, roff or a shell might take for its own.
ODD = r"a_b_ *c* \n \fBx .d 'e f' $(touch made) `g` ~ ^ # ; | [h] %s &"


class Option(ctypes.Structure):
    """sotto_option."""

    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int),
                ("group", ctypes.c_int), ("argument", ctypes.c_char_p), ("default", ctypes.c_char_p),
                ("low", ctypes.c_double), ("high", ctypes.c_double),
                ("choices", ctypes.c_char_p), ("verbs", ctypes.c_char_p),
                ("help", ctypes.c_char_p)]


def library_options():
    """What sotto_option_at gives."""
    at = ctypes.CDLL(os.path.join(BUILD, "libsotto.so")).sotto_option_at
    at.restype, at.argtypes = ctypes.POINTER(Option), [ctypes.c_int64]
    i = 0
    while at(i):
        yield at(i).contents
        i += 1


def words(text):
    """Without line breaks; a list of choices may have some, too."""
    return " ".join(text.split()).replace("| ", "|")


def listed_options(help_text):
    return re.findall(r"^  --(?:\[no-\])?([a-z0-9-]+)", help_text, re.M)


class Reference(Case):
    """`help --json` says what help and the library say."""

    def help(self, *args):
        result = self.sotto("help", *args)
        self.assertEqual((result.code, result.err), (OK, b""))
        return result.out.decode()

    def test_verbs(self):
        listed = re.findall(r"^  ([a-z]+) +(.+)", self.help(), re.M)
        self.assertEqual(listed, [(verb["name"], verb["summary"])
                                  for verb in REFERENCE["verbs"]])

    def test_each_verb(self):
        """The same options, and the texts whole."""
        for name, verb in VERBS.items():
            with self.subTest(name):
                text = self.help(name)
                expected = [o for o in verb["options"] if OPTIONS[o]["group"] != "solver"
                            or name == "help"]
                self.assertEqual(sorted(listed_options(text)), sorted(expected))
                text = words(text)
                self.assertTrue(text.startswith(words(
                    f"usage: sotto {name} {verb['usage']} [OPTIONS] "
                    f"{verb['summary']}. {verb['detail']}")))
                for option in map(OPTIONS.get, expected):
                    self.assertIn(self.told(option), text)
                if "steps" in verb["options"]:
                    for solver in REFERENCE["solvers"]:
                        self.assertIn(words(f"{solver['name']} {solver['summary']}"), text)

    @staticmethod
    def told(option):
        """An option as help shows it."""
        no = "[no-]" if option["can_be_off"] else ""
        text = f"--{no}{option['name']} {option['argument'] or ''} "
        text += option["help"]
        if option["choices"]:
            text += ": " + "|".join(option["choices"])
        if option["default"] is not None:
            text += f" [default: {option['default']}]"
        return words(text)

    def test_options_are_the_librarys(self):
        def text(value):
            return None if value is None else value.decode()

        def bound(value, kind):
            is_bounded = kind in ("integer", "number") and math.isfinite(value)
            return value if is_bounded else None

        expected = []
        for o in library_options():
            kind = KINDS[o.kind]
            choices = (text(o.choices) or "").split("|")
            expected.append({
                "name": text(o.name), "kind": kind, "group": GROUPS[o.group],
                "can_be_off": kind == "flag" and text(o.default) == "yes",
                "argument": text(o.argument), "default": text(o.default),
                "low": bound(o.low, kind), "high": bound(o.high, kind),
                "choices": list(filter(None, choices)), "help": text(o.help),
                "verbs": set(text(o.verbs).split())})
        said = [{**{k: v for k, v in o.items() if k != "short"},
                 "verbs": {name for name, verb in VERBS.items()
                           if o["name"] in verb["options"]}}
                for o in REFERENCE["options"]]
        self.assertEqual(said, expected)

    def test_arguments(self):
        """Those in brackets can be left out, one with dots repeated."""
        for name, verb in VERBS.items():
            with self.subTest(name):
                usage = verb["usage"].split()
                needed = [word for word in usage if not word.startswith("[")]
                self.assertEqual(len(needed), verb["least"])
                if "..." not in verb["usage"]:
                    self.assertEqual(len(usage), verb["most"])

    def test_short_names(self):
        shorts = {o["short"]: o for o in OPTIONS.values() if o["short"]}
        self.assertIn("o", shorts)
        for short, option in shorts.items():
            verb = next(v for v in VERBS if option["name"] in
                        VERBS[v]["options"])
            self.assert_refused(self.sotto(verb, "-" + short), USAGE,
                                hint=f"--{option['name']}: expected")

    def test_exit_codes(self):
        codes = REFERENCE["exit_codes"]
        self.assertEqual([e["code"] for e in codes], [*range(PEER + 1), 129, 130, 143])
        for e in codes:
            self.assertRegex(self.help(), rf"(?m)^  {e['code']} +"
                             rf"{re.escape(e['help'])}$")

    def test_sets(self):
        listed = self.sotto("generate").out.decode().splitlines()
        self.assertEqual([re.split(" +", line, maxsplit=1) for line in listed],
                         [[s["name"], s["help"]] for s in REFERENCE["sets"]])

    def test_all_or_nothing(self):
        """There is no JSON of one verb; its --json does not change --help."""
        self.assert_refused(self.sotto("help", "doctor", "--json"), USAGE,
                            hint="no verb")
        self.assertEqual(self.sotto("doctor", "--json", "--help").out.decode(),
                         self.help("doctor"))


# Every warning, and lines so long that nothing is broken.
FORMATTER = ("groff", "-ww", "-Kutf8", "-man", "-Tutf8", "-rLL=9000n")


class Man(Case):
    """The man page: well formed, and complete."""

    def shown(self, page):
        if not shutil.which(FORMATTER[0]):
            self.skipTest("no groff (apt install groff-base)")
        done = subprocess.run(FORMATTER, input=page, capture_output=True,
                              env={**os.environ, "GROFF_NO_SGR": "1"})
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        text = re.sub(".\b", "", done.stdout.decode()) # bold, underlined
        return text.replace("\u2010", "-").replace("\u2019", "'")

    def made(self, reference, write=writer.man):
        """The page of any reference, as it is shown."""
        if not shutil.which("scdoc"):
            self.skipTest("no scdoc (apt install scdoc)")
        done = subprocess.run(["scdoc"], input=write(reference).encode(),
                              capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return self.shown(done.stdout)

    def built(self, name="sotto"):
        if not shutil.which("scdoc"):
            self.skipTest("no scdoc (apt install scdoc)")
        with open(os.path.join(PAGES, name + ".1"), "rb") as file:
            return self.shown(file.read())

    @staticmethod
    def section(text, name):
        return re.search(rf"^{name}\n(.*?)(?=^\S)", text, re.M | re.S)[1]

    def test_sections(self):
        self.assertEqual(
            re.findall(r"^([A-Z][A-Z ]+)$", self.built(), re.M),
            ["NAME", "SYNOPSIS", "DESCRIPTION", "VERBS", "OPTIONS", "SOLVERS",
             "EXIT STATUS", "JSON", "ENVIRONMENT", "FILES AND PRIVACY", "EXAMPLES",
             "SEE ALSO"])

    def test_verbs(self):
        text = self.section(self.built(), "VERBS")
        for name, verb in VERBS.items():
            with self.subTest(name):
                head = words(f"sotto {name} {verb['usage']} [OPTIONS]")
                self.assertRegex(text, rf"(?m)^ +{re.escape(head)}$")
                listed = ", ".join("--" + o for o in verb["options"] if o not in OF_SOLVERS)
                self.assertIn(f"Options: {listed}." if listed else head, text)

    def test_options(self):
        """Each that a verb takes, once, and no other."""
        text = self.section(self.built(), "OPTIONS")
        heads = re.findall(r"^ +(?:-[a-z], )?--([a-z0-9-]+)"
                           r"(?:, --no-[a-z]+)?(?: \S+)?$", text, re.M)
        expected = [o for o in OPTIONS if o in TAKEN and o not in OF_SOLVERS]
        self.assertEqual(heads[:-1], expected)
        self.assertEqual(heads[-1], "help")
        for option in expected:
            help_text = OPTIONS[option]["help"].replace("'", "")
            self.assertIn(help_text, text.replace("'", ""))

    def test_solvers(self):
        """Each with its options, what they mean there, and their defaults."""
        text = words(self.section(self.built(), "SOLVERS")).replace("'", "")
        for solver in REFERENCE["solvers"]:
            self.assertIn(f"--solver {solver['name']} {solver['summary']}.", text)
            for o in solver["options"]:
                default = f" (default: {o['default']})" if o["default"] else ""
                self.assertIn((o["meaning"] + default).replace("'", ""), text)

    def assert_options_of(self, text, *verbs):
        """The section has each option that one of the verbs takes, with its help."""
        text = self.section(text, "OPTIONS")
        taken = {name for verb in verbs for name in VERBS[verb]["options"]}
        expected = [o for o in OPTIONS if o in taken and o not in OF_SOLVERS]
        heads = re.findall(r"^ +(?:-[a-z], )?--([a-z0-9-]+)"
                           r"(?:, --no-[a-z]+)?(?: \S+)?$", text, re.M)
        self.assertEqual(heads, [*expected, "help"])
        for option in expected:
            self.assertIn(words(OPTIONS[option]["help"]).replace("'", ""),
                          words(text).replace("'", ""))
            of = ", ".join(v for v in VERBS if v in verbs and option in VERBS[v]["options"])
            self.assertIn(f"Taken by {of}.", words(text))

    def test_page_of_the_federation(self):
        """What the verb says of itself, its options alone, and an example that runs."""
        text = self.built("sotto-federate")
        verb = VERBS["federate"]
        self.assertEqual(words(self.section(text, "SYNOPSIS")),
                         f"sotto federate {verb['usage']} [OPTIONS]")
        self.assertIn(words(verb["detail"]), words(self.section(text, "DESCRIPTION")))
        self.assert_options_of(text, "federate")
        self.assertRegex(self.section(text, "EXIT STATUS"), r"6 \(peer\)")
        self.assert_examples(self.section(text, "EXAMPLES"), writer.FEDERATE_EXAMPLES)

    def test_page_of_ranks(self):
        """The verbs that ranks run, and no other; tests/mpi runs the examples."""
        text = self.made(REFERENCE, writer.man_mpi)
        verbs = [name for name in VERBS if VERBS[name]["by_ranks"]]
        self.assertEqual(verbs, ["train", "predict", "evaluate"])
        self.assertEqual(words(self.section(text, "SYNOPSIS")), " ".join(
            f"mpirun -q -n RANKS sotto-mpi {name} {VERBS[name]['usage']} [OPTIONS]"
            for name in verbs))
        self.assertEqual(re.findall(r"^       ([a-z]+)$", self.section(text, "VERBS"), re.M), verbs)
        self.assert_options_of(text, *verbs)
        self.assertEqual(re.findall(r"^ +(mpirun .+)$", self.section(text, "EXAMPLES"), re.M),
                         [command for _, command in writer.MPI_EXAMPLES])

    def test_facts(self):
        text = self.section(self.built(), "OPTIONS")
        for fact in ("One of stop, drop. Default: stop. Taken by",
                     "A number, above 0.", "-o, --output FILE",
                     "A whole number, at least 0 and at most 256. Default: 0."):
            self.assertIn(fact, text)

    def test_exit_codes(self):
        text = self.section(self.built(), "EXIT STATUS")
        for e in REFERENCE["exit_codes"]:
            self.assertRegex(text, rf"{e['code']} \({e['name']}\)\n"
                             rf" +{re.escape(e['help'])}\.")

    def test_json(self):
        """Each verb with the keys of its objects."""
        text = words(self.section(self.built(), "JSON"))
        for name, verb in VERBS.items():
            self.assertIn(f"{name} {', '.join(verb['json'])}.", text)

    def assert_examples(self, text, expected):
        self.assertIn("build/demo", text)
        commands = re.findall(r"^ +(sotto .+)$", text, re.M)
        self.assertEqual(commands, [c for _, c in expected])
        subprocess.run([os.path.join(HERE, "..", "..", "tools", "patients.py"),
                        self.directory], check=True)
        for command in commands:
            with self.subTest(command):
                result = self.sotto(*shlex.split(command)[1:])
                self.assertEqual(result.code, OK, result.err)

    def test_examples(self):
        """Each runs as it is printed, one after the other, in the folder of
        the demo, and none is of what the program lacks."""
        self.assert_examples(self.section(self.built(), "EXAMPLES"), writer.EXAMPLES)
        less = copy.deepcopy(REFERENCE)
        less["verbs"] = [v for v in less["verbs"] if v["name"] != "schema"]
        for verb in less["verbs"]:
            verb["options"] = [o for o in verb["options"] if o != "loss"]
        text = self.section(self.made(less), "EXAMPLES")
        self.assertRegex(text, r"(?m)^ +sotto generate ")
        self.assertNotRegex(text, r"(?m)^ +sotto (schema|doctor) ")

    def test_odd_texts(self):
        """Any text comes out as it went in, wherever it stands."""
        plain = ODD.replace("'e f'", "e f") # quotes become bold
        for first in ("", "#", "-", ".", "[", "|", "]", ";", "```", "++", "- ",
                      ". ", "# ", "\\", "_", "*", "\"", "'", "%"):
            with self.subTest(first):
                odd = copy.deepcopy(REFERENCE)
                option = odd["options"][0]
                option["help"] = option["default"] = first + ODD
                odd["verbs"][0]["detail"] = first + ODD
                text = self.made(odd)
                shown = re.escape(first + plain)
                self.assertRegex(text, rf"(?m)^ +{shown}$")
                self.assertRegex(text, rf"(?m)^ +{shown}\.$")
                self.assertIn(f"Default: {first + ODD}. Taken by", text)


def offered(*line, script=COMPLETION, cwd=None):
    """What completion offers for the last word of the line, of which bash
    has made words; "FILES" when it leaves it to readline."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-uc",
         'source "$1"; shift\n'
         "compopt() { [[ $* == '+o default' ]] && files=; }\n"
         'files=FILES COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n'
         "_sotto\n"
         'printf "%s\\n" ${files:+"$files"} "${COMPREPLY[@]}"',
         "bash", script, *line],
        capture_output=True, text=True, cwd=cwd)
    if done.returncode or done.stderr:
        raise AssertionError(done.stderr)
    return list(filter(None, done.stdout.split("\n")))


class Completion(Case):
    """What bash offers."""

    def offers(self, line, expected):
        """`line` as bash splits it: blanks, and = is a word."""
        with self.subTest(line):
            self.assertEqual(offered(*line.replace("=", " = ").split(),
                                     *([""] if line.endswith(" ") else [])),
                             expected)

    def test_verbs(self):
        self.offers("sotto ", list(VERBS))
        self.offers("sotto d", [v for v in VERBS if v.startswith("d")])
        self.offers("sotto nosuch", [])
        self.offers("sotto --", ["--help", "--version"])
        self.offers("sotto help ", list(VERBS))
        self.offers("sotto help sch", ["schema"])

    def test_options(self):
        for name, verb in VERBS.items():
            every = [name for o in verb["options"] for name in
                     ["--" + o] + ["--no-" + o] * OPTIONS[o]["can_be_off"]]
            every.append("--help")
            self.offers(f"sotto {name} -", every)
            self.offers(f"sotto {name} --he", ["--help"])
        for solver in REFERENCE["solvers"]:
            own = {o["name"] for o in solver["options"]}
            every = [name for o in VERBS["train"]["options"] if o in own or o not in OF_SOLVERS
                     for name in ["--" + o] + ["--no-" + o] * OPTIONS[o]["can_be_off"]]
            every.append("--help")
            for sign in " =":
                self.offers(f"sotto train --solver{sign}{solver['name']} -", every)
        self.offers("sotto doctor d.csv --json --weight",
                    ["--weights", "--weight-bound"])
        self.offers("sotto nosuch -", [])

    def test_choices(self):
        for verb in VERBS:
            for option in map(OPTIONS.get, VERBS[verb]["options"]):
                line = f"sotto {verb} --{option['name']}"
                if option["kind"] == "file":
                    expected = ["FILES"]
                elif option["kind"] == "flag":
                    self.offers(line + "=", ["yes", "no"])
                    continue
                else:
                    expected = option["choices"]
                self.offers(line + " ", expected)
                self.offers(line + "=", expected)
        self.offers("sotto doctor --loss hu", ["huber"])
        self.offers("sotto doctor --loss=hu", ["huber"])
        self.offers("sotto doctor --json=n", ["no"])
        self.offers("sotto generate -o ", ["FILES"])
        self.offers("sotto generate -o x", ["FILES"])

    def test_arguments(self):
        """Files where the verb wants them; what the words before are."""
        sets = [s["name"] for s in REFERENCE["sets"]]
        export = ["--" + o for o in VERBS["export"]["options"]] + ["--help"]
        for line in ("", "x", "--json ", "--loss huber x", "--loss=huber ",
                     "--json=yes ", "--target=a=b ", "-- ", "-- -x",
                     "--quiet --json ", "d.csv ", "--loss huber d.csv "):
            self.offers("sotto doctor " + line, ["FILES"])
        for line in ("m.json ", "--format sql m.json ",
                     "--format=sql m.json ", "- ", "d=e.json "):
            self.offers("sotto export " + line, export)
        self.offers("sotto generate ", sets)
        self.offers("sotto generate --rows 5 zipf-h", ["zipf-heavy"])
        self.offers("sotto version ", ["--json", "--help"])

    def test_equals_sign_inside_words(self):
        """Some take it out of COMP_WORDBREAKS."""
        self.assertEqual(offered("sotto", "doctor", "--loss=huber", "x"),
                         ["FILES"])

    def test_odd_words(self):
        """Nothing of the tables is run, and what is offered is quoted."""
        odd = copy.deepcopy(REFERENCE)
        odd["verbs"][0]["options"].append(ODD)
        odd["options"].append({**OPTIONS["loss"], "name": ODD,
                               "choices": [ODD, "it's", "*"]})
        odd["sets"].append({"name": ODD, "help": ""})
        self.write("odd", writer.bash(odd))
        script = os.fsdecode(self.path("odd"))
        line = ["sotto", odd["verbs"][0]["name"], "--" + ODD]
        for args in ((*line, ""), ("sotto", "generate", ""), line):
            found = offered(*args, script=script, cwd=self.directory)
            again = subprocess.run(
                ["bash", "-c", "printf '%s\\n' " + " ".join(found)],
                capture_output=True, text=True, cwd=self.directory).stdout
            self.assertIn(args[-1] or ODD, again.split("\n"))
        self.assertEqual(os.listdir(self.directory), ["odd"])


class Shell:
    """bash on a terminal of its own."""

    def __init__(self, directory):
        self.child, self.terminal = pty.fork()
        if not self.child:
            os.chdir(directory)
            os.execvpe("bash", ["bash", "--noprofile", "--norc", "-i"],
                       {"PATH": os.environ["PATH"], "PS1": "READY> ",
                        "PS2": "READY> ", "TERM": "dumb",
                        "INPUTRC": "/dev/null", "HISTFILE": "/dev/null",
                        "LC_ALL": "C.UTF-8"})
        self.wait()

    def wait(self):
        """Reads up to the next prompt."""
        said = b""
        while not said.endswith(b"READY> "):
            if not select.select([self.terminal], [], [], 30)[0]:
                raise AssertionError(f"bash hangs: {said}")
            said += os.read(self.terminal, 4096)

    def type(self, text):
        os.write(self.terminal, text.encode() + b"\r")
        self.wait()

    def close(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.terminal)


class Typed(Case):
    """The tabulator key in a real shell."""

    def setUp(self):
        super().setUp()
        self.write("my $file's.csv", "")
        os.mkdir(self.path("folder"))
        self.write("folder/deep one.csv", "")

    def typed(self, line):
        """The words that sotto gets."""
        self.write("said", "")
        shell = Shell(self.directory)
        try:
            shell.type(f"source '{COMPLETION}'")
            shell.type("sotto() { printf '%s\\n' \"$@\" >said; }")
            shell.type(line)
        finally:
            shell.close()
        with open(self.path("said"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_typed(self):
        name = "my $file's.csv"
        for line, expected in (
                ("sotto doc\tm\t", ["doctor", name]),
                ('sotto doctor "m\t', ["doctor", name]),
                ("sotto doctor --schema=m\td.csv",
                 ["doctor", "--schema=" + name, "d.csv"]),
                ("sotto schema -o m\t", ["schema", "-o", name]),
                ("sotto schema fo\td\t", ["schema", "folder/deep one.csv"]),
                ("sotto doctor x --lo\thu\t",
                 ["doctor", "x", "--loss", "huber"]),
                ("sotto doctor x --loss=hu\t", ["doctor", "x",
                                                "--loss=huber"]),
                ("sotto doctor x --target m\t", ["doctor", "x", "--target",
                                                 "m"])):
            with self.subTest(line):
                self.assertEqual(self.typed(line), expected)


if __name__ == "__main__":
    unittest.main()
