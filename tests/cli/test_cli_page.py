"""docs/cli.md: exit codes and what --json promises, against sotto.h, against
`help --json`, and against what each verb really prints.
"""

import copy
import json
import os
import re
import subprocess
import unittest

from common import DATA, FAILED, HERE, OK, PRIVACY, PROGRAM, USAGE, run, schema
from consortium import PARTIES, Consortium
from test_federate import AGREEMENT, rows

ROOT = os.path.join(HERE, "..", "..")
REFERENCE = json.loads(run(["help", "--json"]).out)
KEYS = {verb["name"]: set(verb["json"]) for verb in REFERENCE["verbs"]}

DATA_CSV = "age,sex,w,y\n" + "".join(
    "%d,%s,1,%d\n" % (20 + i % 50, "fm"[i % 2], i % 3 > 0) for i in range(80))
SCHEMA = schema({"age": {"type": "number", "bounds": [0, 120]},
                 "sex": {"type": "category", "levels": ["f", "m"]},
                 "w": {"type": "weight", "bounds": [0, 2]},
                 "y": {"type": "target", "classes": ["0", "1"]}})
EXACT = ("--loss", "logistic", "--epsilon", "inf", "--l2", "0.1")
PRIVATE = ("--loss", "logistic", "--epsilon", "1", "--delta", "1e-6")
# More different laws than a grid is made for, which is noted.
# What plan prints of a paper, in the place of a statement.
THEOREMS = {"paper", "title", "constants", "theorems"}
NOTED = "+".join("LAPLACE(%d/1000)" % i for i in range(1, 220))


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def page_keys():
    """The keys that the page lists for each verb."""
    parts = re.split(r"^### (\w+)$", read("docs", "cli.md"), flags=re.M)[1:]
    return {name: [key for row in re.findall(r"^\| (`.*?) \|", part, re.M)
                   for key in re.findall(r"`(\w+)`", row)]
            for name, part in zip(parts[::2], parts[1::2])}


class Page(unittest.TestCase):
    def test_keys(self):
        """The page lists what `help --json` lists, each verb once."""
        for name, keys in page_keys().items():
            with self.subTest(name):
                self.assertEqual(len(keys), len(set(keys)))
                self.assertEqual(set(keys), KEYS[name])
        self.assertEqual(set(page_keys()), set(KEYS))

    def test_every_verb_takes_json(self):
        for verb in REFERENCE["verbs"]:
            self.assertIn("json", verb["options"], verb["name"])

    def test_exit_codes(self):
        """The page, `help --json` and sotto.h agree."""
        listed = re.findall(r"^\| (\d+) \| `(\w+)` \| (.+) \|$",
                            read("docs", "cli.md"), re.M)
        self.assertEqual([(int(code), name, text) for code, name, text in listed],
                         [(e["code"], e["name"], e["help"])
                          for e in REFERENCE["exit_codes"]])
        enum = re.search(r"typedef enum sotto_status \{(.*?)\}",
                         read("include", "sotto.h"), re.S)[1]
        declared = {int(code): name.lower() for name, code in
                    re.findall(r"SOTTO_(\w+) = (\d+)", enum)}
        named = {e["code"]: e["name"] for e in REFERENCE["exit_codes"]}
        self.assertEqual(declared, {code: name for code, name in named.items()
                                    if code not in (129, 143)})
        self.assertEqual((named[128 + 1], named[128 + 15]), ("hangup", "terminated"))

    def test_first_lines(self):
        """It says what it is, and for whom."""
        self.assertIn("\n\n*Reference, for ", read("docs", "cli.md")[:60])


class Printed(Consortium):
    """What the verbs print: the keys of the page, all of them, and no others."""

    def setUp(self):
        super().setUp()
        self.write("d.csv", DATA_CSV)
        self.write("s.json", SCHEMA)
        self.seen = {}

    def keys(self, verb, *args, more_may_come=False):
        result = self.sotto(verb, *args, "--json")
        self.assertEqual(result.code, OK, result.err)
        return self.object(verb, result.out, more_may_come)

    def object(self, verb, text, more_may_come=False):
        self.assertTrue(text.endswith(b"\n"))
        said = json.loads(text.decode("utf-8"))
        self.assertIsInstance(said, dict)
        if not more_may_come:
            self.assertLessEqual(set(said), KEYS[verb], verb)
        self.seen.setdefault(verb, set()).update(said)
        return said

    def assert_all_seen(self, verb):
        self.assertEqual(KEYS[verb] - self.seen[verb], set(), verb)

    def model(self, *how, name="m.json"):
        result = self.sotto("train", "d.csv", "--schema", "s.json", *how, "-o", name,
                            "--json", "--quiet")
        self.assertEqual((result.code, result.err), (OK, b""))
        return result

    def test_train_and_show(self):
        self.object("train", self.model(*EXACT, "--bad-rows", "drop", name="e.json").out)
        statement = self.object("train", self.model(*PRIVATE).out)["privacy"]
        self.assertLessEqual(KEYS["plan"] - THEOREMS - {"explanation", "papers"}, set(statement))
        self.assertIsNone(self.object("train", self.model(
            *PRIVATE, "--insecure-seed", "1", name="i.json").out)["privacy"])
        self.assert_all_seen("train")
        exact = self.keys("show", "e.json")
        self.assertEqual((exact["not_private"], exact["privacy"], exact["l2"],
                          exact["box_low"], exact["classes"]),
                         (True, None, .1, None, ["0", "1"]))
        sizes = [abs(w["weight"]) for w in exact["weights"]]
        self.assertEqual((sizes, len(sizes)),
                         (sorted(sizes, reverse=True), exact["nonzero"]))
        with open(self.path("e.json"), encoding="utf-8") as file:
            kept = json.load(file)
        self.assertEqual(exact["intercept"], kept["intercept"])
        self.assertEqual(self.keys("show", "m.json")["privacy"], statement)
        self.spent("train", "d.csv", "--schema", "s.json", *PRIVATE, "-o", "m.json",
                   "--quiet", keep=True)
        spent = self.keys("show", "m.json.spent")
        self.assertEqual((spent["finished"], spent["adjacency"]), (False, "add-remove"))
        self.assertLessEqual(spent["epsilon"], 1)
        priced = self.keys("account", "--event", spent["plan"], "--delta", "1e-6",
                           "--adjacency", "add-remove")
        self.assertLess(abs(priced["epsilon"] - spent["epsilon"]), .01)
        self.assert_all_seen("show")

    def test_plan(self):
        plan = ("--schema", "s.json", *PRIVATE, "--rows", "80")
        self.keys("plan", *plan, more_may_come=True)
        self.assertEqual(set(self.keys("plan", *plan, "--explain")), {"explanation"})
        self.assertEqual(self.sotto("plan", *plan, "--json").out,
                         self.sotto("plan", *plan).out)
        self.assertEqual(set(self.keys("plan", "--paper", "list")), {"papers"})
        self.assertEqual(set(self.keys("plan", "--paper", "frank-wolfe", "--set",
                                       "h0=1,C=1,T=9")), THEOREMS)
        self.assert_all_seen("plan")

    def test_predict_and_evaluate(self):
        self.model(*EXACT)
        answers = self.keys("predict", "m.json", "d.csv")["answers"]
        text = self.sotto("predict", "m.json", "d.csv").out.decode()
        self.assertEqual(answers, text.split())
        scores = self.keys("predict", "m.json", "d.csv", "--proba")["answers"]
        self.assertEqual(["%.17g" % x for x in scores], ["%.17g" % float(x) for x in self.sotto(
            "predict", "m.json", "d.csv", "--proba").out.split()])
        self.assertEqual(self.sotto("predict", "m.json", "d.csv", "--json", "-o",
                                    "a.json").out, b"")
        self.assertEqual(self.json("a.json")["answers"], answers)
        self.write("k.csv", "a,k\n" + "".join("%d,%s\n" % (i % 7, "xyz"[i % 3]) for i in range(30)))
        self.assertEqual(self.sotto("train", "k.csv", "--target", "k", "--classes", "x,y,z", "--loss",
                                    "logistic", "--l2", "1", "--epsilon", "inf", "-o",
                                    "k.json").code, 0)
        chances = self.keys("predict", "k.json", "k.csv", "--proba")
        self.assertEqual((chances["classes"], len(chances["answers"][0])), (["x", "y", "z"], 3))
        self.assert_all_seen("predict")
        self.keys("evaluate", "k.json", "k.csv")
        self.keys("evaluate", "m.json", "d.csv", "--bad-rows", "drop")
        self.write("n.csv", "a,b\n1,2\n2,4\n3,7\n")
        result = self.sotto("train", "n.csv", "--target", "b", "--epsilon", "inf", "-o",
                            "n.json")
        self.assertEqual(result.code, OK, result.err)
        self.keys("evaluate", "n.json", "n.csv")
        private = ("--epsilon", "9", "--delta", "1e-6", "-o", "e.json")
        self.keys("evaluate", "m.json", "d.csv", *private, "--insecure-seed", "1")
        self.model(*PRIVATE)
        self.keys("evaluate", "m.json", "d.csv", *private)
        self.assert_all_seen("evaluate")

    def test_files(self):
        """Verbs that write a file say where it went."""
        self.model(*EXACT)
        for verb, *args in (("report", "m.json"), ("generate", "zipf-heavy", "--rows", "5"),
                            ("export", "m.json", "--format", "liblinear"),
                            ("schema", "d.csv")):
            with self.subTest(verb):
                name = "out.svm" if verb == "generate" else "out-" + verb
                self.assertEqual(self.keys(verb, *args, "-o", name), {"output": name})
                self.assertTrue(os.path.exists(self.path(name)))
        self.keys("generate")
        self.keys("schema", "d.csv")
        self.write("words.svm", "1 1:1\n")
        self.keys("schema", "words.svm")
        self.assertEqual(self.keys("schema", "--check", "s.json", "d.csv"),
                         {"faults": [], "open": []})
        for verb in ("report", "export", "schema", "generate"):
            self.assert_all_seen(verb)
        for verb, *args in (("report", "m.json"), ("export", "m.json", "--format", "liblinear"),
                            ("generate", "zipf-heavy"),
                            ("train", "d.csv", "--schema", "s.json", *EXACT)):
            with self.subTest(verb):
                refused = self.sotto(verb, *args, "-o", "-", "--json")
                self.assertEqual((refused.code, refused.out), (USAGE, b""))

    def test_key_and_verify(self):
        self.assertEqual(self.keys("key", "new", "k", "--quiet"), {"output": "k"})
        self.model(*PRIVATE, "--sign", "k")
        said = self.keys("verify", "m.json", "--key", "k.pub")
        with open(self.path("k.pub"), encoding="utf-8") as file:
            self.assertEqual(said["signed_by"], file.read().split()[1])
        for verb in ("key", "verify"):
            self.assert_all_seen(verb)

    def test_doctor_version_help(self):
        self.keys("doctor", "d.csv", "--schema", "s.json", "--loss", "logistic", "--bad-rows",
                  "drop")
        with open(self.path("d.csv"), encoding="utf-8") as file:
            self.write("more.csv", file.read())
        both = self.keys("doctor", "d.csv", "more.csv", "--schema", "s.json", "--loss",
                         "logistic")
        self.assertEqual(both["files"], ["d.csv", "more.csv"])
        self.write("people.csv", "x,who\n1,a\n2,a\n3,b\n")
        self.assertEqual(self.keys("doctor", "people.csv", "--unit-column", "who")["people"], 2)
        self.keys("doctor")
        self.keys("version")
        self.keys("help")
        for verb in ("doctor", "version", "help"):
            self.assert_all_seen(verb)

    def test_account(self):
        where = ("--adjacency", "add-remove")
        self.keys("account", "--event", "GAUSS(0.5)", "--delta", "1e-6", *where, "--curve",
                  "--repeat", "3")
        self.keys("account", "--calibrate", "GAUSS(1/z)", "--epsilon", "1", "--delta", "1e-6",
                  *where)
        papers = self.keys("account", "--paper", "list")["papers"]
        self.keys("account", "--paper", papers[0]["name"], "--epsilon", ".5", "--delta", "1e-6",
                  "--set", "T=10,q=.1")
        self.keys("account", "--event", "LAPLACE(0.5)*3+RANGE(.1)", "--epsilon", "1", *where)
        noted = self.keys("account", "--event", NOTED, "--delta", "1e-6", *where)
        self.assertIn("note", noted)
        self.assert_all_seen("account")

    def test_federate(self):
        self.write("f.csv", rows())
        self.write("p.json", json.dumps(copy.deepcopy(AGREEMENT)))
        self.keys("federate", "simulate", "f.csv", "--columns", "p.json", "--epsilon", "2",
                  "--delta", "1e-6", "-o", "f.json", "--quiet")
        self.keys("federate", "config", self.config)
        self.keys("federate", "keygen", "draft-keys.json", "-o", "more")
        processes = [self.serve("--json"), *(self.join(name, "--json") for name in PARTIES)]
        self.assert_ended(processes)
        for process in processes:
            self.assertTrue(self.object("federate", process.out)["not_private"])
        self.keys("federate", "status", self.config, "--state", "state-coordinator")
        self.keys("federate", "status", self.config, "--state", "state-bank")
        self.assert_all_seen("federate")


class Errors(Consortium):
    """Every verb: the last line of stderr is an object, stdout is empty."""

    def refused(self, code, *args, **more):
        result = self.sotto(*args, **more)
        self.assertEqual((result.code, result.out), (code, b""), result.err)
        self.assertTrue(result.err.endswith(b"\n"))
        error = json.loads(result.err.splitlines()[-1].decode("utf-8"))
        self.assertEqual(set(error), {"error"})
        self.assertEqual(set(error["error"]), {"status", "code", "message"})
        names = {e["code"]: e["name"] for e in REFERENCE["exit_codes"]}
        self.assertEqual((error["error"]["status"], error["error"]["code"]),
                         (code, names[code]))
        return error["error"]["message"]

    def test_every_verb(self):
        for verb in KEYS:
            with self.subTest(verb):
                text = self.sotto(verb, "--no-such").err.decode()
                for args in (("--json", "--no-such"), ("--no-such", "--json"),
                             ("--no-such", "--json=yes")):
                    message = self.refused(USAGE, verb, *args)
                    self.assertEqual("sotto: %s\n" % message, text)

    def test_each_code(self):
        self.write("bad.csv", "a,y\n1,2\nx,3\n")
        self.write("d.csv", "a,y\n1,2\n2,3\n")
        self.refused(FAILED, "show", "no-such.json", "--json")
        self.refused(USAGE, "trian", "--json")
        self.refused(USAGE, "--json")
        self.assertIn("line 3", self.refused(DATA, "doctor", "bad.csv", "--json"))
        self.refused(PRIVACY, "train", "d.csv", "--target", "y", "--solver", "cd", "--clip",
                     "1", "--epsilon", "1", "--delta", "1e-6", "-o", "m.json", "--json")

    def test_names_that_are_not_text(self):
        """Quotes, control characters and bytes that are not UTF-8."""
        for name in (b'a"b\\c.json', b"a\x01\n.json", b"caf\xe9.json", b"\xff\xfe.json",
                     "caf\u00e9\u4e2d\U0001f600.json".encode(), b"\xed\xa0\x80.json",
                     b"x" * 240 + "\u00e9".encode() * 100):
            with self.subTest(name):
                self.refused(FAILED, "show", name, "--json")

    def test_stdout_that_is_full(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "version", "--json"], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, FAILED)
        self.assertEqual(json.loads(done.stderr)["error"]["code"], "failed")

    def test_only_when_asked(self):
        for args in ((), ("--json=no",), ("--", "--json")):
            with self.subTest(args):
                self.assertRegex(self.sotto("show", "no-such.json", *args).err, b"^sotto: ")


if __name__ == "__main__":
    unittest.main()
