#!/usr/bin/python3
"""A host that has chosen another locale gets the same results, byte for byte.

The program itself chooses none, so the one under test here is in_locale.c with the program's files:
a host that calls all of the library. German has a comma for the decimal point, Pashto a character
of two bytes, and Turkish has an I of its own. The locales are made from the sources that Debian's
package `locales` has.
"""

import atexit
import json
import os
import random
import resource
import shutil
import subprocess
import tempfile
import unittest

from common import FAILED, OK, USAGE, Case, schema, take_away
from common import run as run_once
from consortium import PARTIES, Consortium

LOCALES = ("de_DE", "ps_AF", "tr_TR")
SEED = ("--insecure-seed", "7")
BUDGET = ("--epsilon", "1.5", "--delta", "1e-6")
NUMBERS = schema({"a": {"type": "number", "bounds": [-1.5, 1.5]},
                  "b": {"type": "number", "bounds": [0, 2.5], "missing": .25},
                  "y": {"type": "target", "bounds": [-4.5, 4.5]}})
CLASSES = schema({"a": {"type": "number", "bounds": [-1.5, 1.5]},
                  "b": {"type": "number", "bounds": [0, 2.5]},
                  "y": {"type": "target", "classes": ["no", "yes"]}})
UNBOUNDED = schema({"a": {"type": "number"}, "b": {"type": "number", "missing": 1.5},
                    "y": {"type": "target", "bounds": [-4.5, 4.5]}})
PARTIES_FILE = json.dumps({
    "sotto_parties": 1, "target": {"name": "y", "bounds": [-4.5, 4.5], "party": "one"},
    "rounds": 20, "buckets": 64, "seed": 5,
    "parties": [
        {"name": "one", "radius": 1.5, "cap": 1,
         "columns": {"a": {"type": "number", "bounds": [-1.5, 1.5]}}},
        {"name": "two", "radius": .5, "cap": 1,
         "columns": {"b": {"type": "number", "bounds": [0, 2.5], "missing": .25}}}]})
DUAL = ("--l2", "0.1", "--no-intercept", "--adjacency", "zero-out")
# Everything that each solver wants to know.
SOLVERS = {
    "auto": (), "newton": (), "cd": (), "gcd": ("--steps", "6"),
    "gd": ("--steps", "8", "--clip", "0.75"), "sgd": ("--passes", "2"),
    "svrg": ("--rounds", "2", "--clip", "1.5"),
    "scd": DUAL, "scd-paper": DUAL, "scd-seq": DUAL, "scd-primal": DUAL,
    "fw": ("--radius", "1.5", "--clip", "0.5", "--steps", "8", "--no-intercept"),
    "bcfw": ("--radius", "1.5", "--clip", "0.5", "--steps", "8", "--blocks", "2",
             "--intercept-radius", "0.5"),
    "ssp": (),
    "output": ("--l2", "0.125", "--norm-bound", "1.25", "--clip", "1.5", "--no-intercept"),
    "objective": ("--l2", "0.5", "--norm-bound", "1.25", "--no-intercept"),
}


def run(args, cwd=None, **more):
    """Runs the program, where it may have written a model before."""
    if cwd:
        take_away(args, cwd)
    return run_once(args, cwd=cwd, **more)


def locales():
    """A folder with the locales, made once."""
    folder = tempfile.mkdtemp(prefix="sotto-locales-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in LOCALES:
        made = subprocess.run(["localedef", "--no-archive", "-i", name, "-f", "UTF-8",
                               os.path.join(folder, name + ".UTF-8")],
                              capture_output=True, text=True, check=False)
        if made.returncode > 1:  # 1: with warnings
            raise RuntimeError("localedef cannot make %s; tools/setup.sh test installs the "
                               "package locales: %s" % (name, made.stderr))
    return folder


FOLDER = locales()


def surroundings(name):
    """The environment of a host that has chosen this locale; None: the program's own."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    return {**plain, "LOCPATH": FOLDER, "SOTTO_TEST_LOCALE": name + ".UTF-8"} if name else plain


def no_room():
    """A model does not fit, what a run leaves does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def data(rows=400):
    draw = random.Random(3)
    numbers, classes = "a,b,y\n", "a,b,y\n"
    for i in range(rows):
        a, b = draw.uniform(-1.5, 1.5), draw.uniform(0, 2.5)
        y = a - b + 1.25 + draw.gauss(0, .3)
        shown = "" if i % 40 == 7 else f"{b:.4f}"
        numbers += f"{a:.5f},{shown},{y:.4f}\n"
        classes += f"{a:.5f},{b:.4f},{'yes' if y > 0 else 'no'}\n"
    return numbers, classes


class Locale(Case):
    """Each command is run in a folder for each locale, and then everything is compared."""

    def setUp(self):
        super().setUp()
        numbers, classes = data()
        for name in (None, *LOCALES):
            os.mkdir(self.path(name or "C"))
        self.give("n.csv", numbers)
        self.give("c.csv", classes)
        self.give("n.json", NUMBERS)
        self.give("c.json", CLASSES)
        self.give("u.json", UNBOUNDED)
        self.give("p.json", PARTIES_FILE)
        self.give("d.M", "0.5\n0.25\n0.125\n")
        self.give("e.json", json.dumps({
            "sotto_events": 1, "adjacency": "add-remove", "order": "any", "draws": 12.5,
            "events": [{"event": "SUBSAMPLED_GAUSS", "q": .0125, "sigma": 1.75, "count": 40}]}))

    def give(self, name, content):
        for where in ("C", *LOCALES):
            self.write(os.path.join(where, name), content)

    def each(self, *args, code=OK, locales=LOCALES):
        """The result, which is the same everywhere."""
        first = run(args, cwd=self.path("C"), env=surroundings(None))
        self.assertEqual(first.code, code, (args, first.err))
        for name in locales:
            other = run(args, cwd=self.path(name), env=surroundings(name))
            self.assertEqual(other, first, (name, args))
        return first

    def compare_files(self, locales=LOCALES):
        """All that was written, too."""
        names = sorted(os.listdir(self.path("C")))
        for name in locales:
            self.assertEqual(sorted(os.listdir(self.path(name))), names, name)
            for file in names:
                with open(self.path(os.path.join(b"C", file)), "rb") as f, \
                        open(self.path(os.path.join(name.encode(), file)), "rb") as g:
                    self.assertEqual(g.read(), f.read(), (name, file))
        return [os.fsdecode(n) for n in names]

    def train(self, solver, *more, out="m.json"):
        kind = "c" if solver == "objective" else "n"
        loss = "logistic" if kind == "c" else "squared"
        return ("train", kind + ".csv", "--schema", kind + ".json", "--loss", loss, "--solver",
                solver, "-o", out, *BUDGET, "--rows", "400", *SOLVERS[solver], *more)


class Active(Locale):
    def test_the_host_has_chosen_it(self):
        """Otherwise all of this would compare a thing with itself."""
        chosen = subprocess.run(
            ["locale", "decimal_point"], capture_output=True, check=True,
            env={**os.environ, "LOCPATH": FOLDER, "LC_ALL": "de_DE.UTF-8"}).stdout
        self.assertEqual(chosen, b",\n")
        for name in LOCALES:
            self.assertEqual(run(["version"], env=surroundings(name)).code, OK, name)
        for name in ("C", "xx_XX.UTF-8"):
            self.assertEqual(run(["version"], env={**surroundings("de_DE"),
                                                   "SOTTO_TEST_LOCALE": name}).code, 99, name)


class Training(Locale):
    def test_every_solver(self):
        """With noise that can be repeated: the model's bytes, and what is printed."""
        solvers = json.loads(run(["help", "--json"]).out)["solvers"]
        self.assertEqual(set(SOLVERS) | {"exact"}, {solver["name"] for solver in solvers})
        for solver in SOLVERS:
            self.each(*self.train(solver, *SEED, out=solver + ".json"), locales=LOCALES[:1])
            self.each("show", solver + ".json", locales=LOCALES[:1])
        self.assertIn("objective.json", self.compare_files(LOCALES[:1]))

    def test_exact(self):
        for more in (("--l1", "0.015"), ("--l2", "0.5", "--box=-0.25,0.75"),
                     ("--loss", "huber", "--huber-delta", "0.25")):
            self.each("train", "n.csv", "--schema", "n.json", "--epsilon", "inf", "-o", "m.json",
                      "--json", "--progress", "json", *more)
            self.each("show", "m.json")
        self.compare_files()

    def test_options(self):
        """Numbers in files and in words: smoothness, bounds that are bought, a paper's noise."""
        self.each("train", "n.csv", "--schema", "n.json", "--solver", "cd", "--smoothness", "d.M",
                  "-o", "a.json", *BUDGET, *SEED)
        self.each("train", "n.csv", "--schema", "u.json", "-o", "b.json", *BUDGET, *SEED, "--rows",
                  "400")
        self.each("train", "n.csv", "--schema", "n.json", "--solver", "gcd", "--steps", "20",
                  "--calibration", "paper", "--adjacency", "replace-one", "-o", "paper.json",
                  *BUDGET, *SEED, "--rows", "400")
        self.compare_files()

    def test_statements(self):
        """With noise that nobody knows: what is promised is the same."""
        for solver in ("auto", "cd"):
            said = []
            for name in (None, *LOCALES[:2]):
                where = self.path(name or "C")
                done = run(self.train(solver, "--json", "--quiet"), cwd=where,
                           env=surroundings(name))
                self.assertEqual((done.code, done.err), (OK, b""), (name, solver))
                with open(os.path.join(where, b"m.json"), encoding="utf-8") as file:
                    said.append(json.load(file)["privacy"])
                self.assertEqual(json.loads(done.out)["privacy"], said[-1])
            for other in said[1:]:
                self.assertEqual(other, said[0], solver)

    def test_what_a_run_leaves(self):
        """A run that cannot write its model has spent; what it leaves is read anywhere."""
        for solver in SOLVERS:
            file = solver + ".json"
            for name in (None, *LOCALES[:1]):  # why it cannot is said in the system's words
                done = run(self.train(solver, "--quiet", out=file), before=no_room,
                           cwd=self.path(name or "C"), env=surroundings(name))
                self.assertEqual(done.code, FAILED, done.err)
                self.assertIn(b"cannot write: ", done.err)
            self.each("show", file + ".spent", locales=LOCALES[:1])
            self.assertIn(file + ".spent", self.compare_files(LOCALES[:1]))


class Verbs(Locale):
    def setUp(self):
        super().setUp()
        # private models of one run, for all
        for solver in ("cd", "objective"):
            done = run(self.train(solver), cwd=self.path("C"), env=surroundings(None))
            self.assertEqual(done.code, OK, done.err)
            os.rename(self.path("C/m.json"), self.path("C/%s.json" % solver))
            for name in LOCALES:
                shutil.copyfile(self.path("C/%s.json" % solver),
                                self.path("%s/%s.json" % (name, solver)))

    def test_of_a_model(self):
        for verb in (("show", "cd.json"), ("show", "objective.json"),
                     ("predict", "cd.json", "n.csv"), ("predict", "cd.json", "n.csv", "-o", "out"),
                     ("predict", "objective.json", "c.csv", "--proba"),
                     ("predict", "objective.json", "c.csv", "--scores"),
                     ("evaluate", "cd.json", "n.csv"), ("evaluate", "cd.json", "n.csv", "--json"),
                     ("evaluate", "objective.json", "c.csv"),
                     ("report", "cd.json", "objective.json", "-o", "page.html"),
                     ("export", "cd.json", "--format", "liblinear", "-o", "x"),
                     ("export", "cd.json", "--format", "sql", "-o", "x.sql"),):
            self.each(*verb)
        self.assertIn("page.html", self.compare_files())

    def test_of_data(self):
        for file in ("g.csv", "g.svm", "g.npy"):
            self.each("generate", "square", "--rows", "20", "--features", "12", "-o", file)
        self.each("generate", "zipf-flat", "--rows", "20", "--features", "40", "--per-row", "5",
                  "-o", "z.svm")
        for more in ((), ("--json",)):
            self.each("doctor", "n.csv", "--schema", "n.json", *more)
            self.each("doctor", "z.svm", *more)
            self.each("doctor", "g.csv", "--target", "y", "--weights", "x1", "--weight-bound",
                      "1.5", *more, code=3)
        self.each("schema", "n.csv", "-o", "s.json")
        self.compare_files()

    def test_plan(self):
        for solver in SOLVERS:
            loss = "logistic" if solver == "objective" else "squared"
            self.each("plan", "--solver", solver, "--loss", loss, "--features", "2", "--rows",
                      "400", *BUDGET, *SOLVERS[solver], locales=LOCALES[:1])
        for more in ((), ("--features", "2000"), ("--schema", "u.json")):
            size = () if "--schema" in more else ("--features", "20")
            self.each("plan", "--explain", "--rows", "4000", *BUDGET, *size, *more)
        for more in ((), ("--json",)):
            self.each("plan", "--paper", "dp-gcd", "--epsilon", "0.75", "--delta", "1.5e-6", *more,
                      "--set", "n=4000,p=50,L=1.5,M=0.25,R=2.5")

    def test_account(self):
        hidden = ("--adjacency", "replace-one")
        for args in (("--event", "GAUSS(0.05)*100+LAPLACE(.125)", "--delta", "1e-6", "--save", "s"),
                     ("--events", "s", "--epsilon", "0.75"),
                     ("--event", "GAUSS(m)", "--set", "m=0.75", "--delta", "1.5e-6", "--curve"),
                     ("--event", "GAUSS(0.5)", "--delta", "1e-6", "--repeat", "2.5"),
                     ("--calibrate", "T*(RANGE(2/z)+GAUSS(.5/z))", "--set", "T=10", *BUDGET)):
            self.each("account", *hidden, *args)
            self.each("account", *hidden, *args, "--json")
        self.each("account", "--adjacency", "add-remove", "--events", "e.json", "--event",
                  "PURE(0.25)", "--delta", "1e-6")
        names = [line.split()[0].decode() for line in run(["account", "--paper", "list"])
                 .out.splitlines() if not line.startswith(b" ")]
        self.assertTrue(names)
        for name in names:
            self.each("account", "--paper", name, "--set", "T=100,q=0.015", "--epsilon", "0.5",
                      "--delta", "1e-6")
        self.compare_files()

    def test_federate(self):
        """With given noise all bytes, without it the price."""
        args = ("federate", "simulate", "n.csv", "--columns", "p.json", *BUDGET)
        self.each(*args, "-o", "m.json", *SEED)
        self.each(*args, "-o", "m.json", *SEED, "--json")
        self.compare_files()
        for name in LOCALES:
            prices = []
            for which in (None, name):
                done = run((*args, "-o", "p", "--json", "--quiet"), cwd=self.path(which or "C"),
                           env=surroundings(which))
                self.assertEqual(done.code, OK, done.err)
                said = json.loads(done.out)
                prices.append((said["epsilon"], said["delta"], said["privacy"],
                               [p["epsilon"] for p in said["parties"]]))
            self.assertEqual(prices[0], prices[1], name)

    def test_refusals(self):
        """What is expected is said in the same words."""
        for args, code in (
                (("plan", "--features", "2", "--epsilon", "1e9", "--delta", "1e-6"), USAGE),
                (("plan", "--features", "2", "--epsilon", "1,5", "--delta", "1e-6"), USAGE),
                (("plan", "--features", "2", "--epsilon", "1.5", "--delta", "0,1"), USAGE),
                (("account", "--adjacency", "replace-one", "--event", "GAUSS(0,5)", "--delta",
                  "1e-6"), USAGE),
                (("account", "--adjacency", "replace-one", "--calibrate", "PURE(z)+PURE(2.5)",
                  *BUDGET), USAGE),
                (("export", "reach.json", "--format", "liblinear"), USAGE),
                (("train", "c.csv", "--schema", "c.json", "--loss", "logistic", "--solver",
                  "objective", "-o", "m.json", *BUDGET, "--rows", "400", "--l2", "1e-9",
                  "--norm-bound", "1.25", "--no-intercept"), 5)):
            if "reach.json" in args:
                self.each(*self.train("output", *SEED, out="reach.json"))
            self.each(*args, code=code)

    def test_help(self):
        for verb in ("train", "account", "federate"):
            self.each("help", verb)
        self.each("help", "--json")


class Network(Consortium):
    """Coordinator and parties in processes whose host has a comma."""

    def test_consortium(self):
        plain = dict(os.environ)
        self.addCleanup(os.environ.update, plain)
        self.addCleanup(os.environ.clear)
        self.agree(lambda c: c.update(epsilon=2.5, delta=1.5e-6), "paid")
        right = self.simulated()
        words = self.sotto("federate", "config", self.config).out
        price = self.sotto("federate", "config", self.config, "--json").out
        os.environ.update(surroundings("de_DE"))
        self.assertEqual(self.simulated(), right)
        self.assertEqual(self.sotto("federate", "config", self.config).out, words)
        self.assertEqual(self.sotto("federate", "config", self.config, "--json").out, price)
        self.hashes = {}
        self.assert_ended([self.serve(keys="paid/coordinator")] + [
            self.join(name, keys=f"paid/{name}") for name in PARTIES])
        for name in ("coordinator", *PARTIES):
            self.assertEqual(self.bytes_of(f"{name}.json"), right, name)
        args = ("federate", "status", self.config, "--state", "state-coordinator")
        status = [self.sotto(*args).out, self.sotto(*args, "--json").out]
        for name in ("SOTTO_TEST_LOCALE", "LOCPATH"):
            del os.environ[name]
        self.assertEqual([self.sotto(*args).out, self.sotto(*args, "--json").out], status)

    def test_keys(self):
        """keygen writes the agreement's numbers as they were."""
        with open(self.path(self.config), encoding="utf-8") as file:
            plain = json.load(file)
        for name in ("de_DE", "ps_AF"):
            done = run(["federate", "keygen", "draft-keys.json", "-o", name], cwd=self.directory,
                       env=surroundings(name))
            self.assertEqual(done.code, OK, done.err)
            made = self.json(f"{name}/config.json")
            for config in (plain, made):
                config.pop("authority", None)
                for part in [config["coordinator"], *config["parties"]]:
                    part.pop("key", None)
                    part.pop("certificate", None)
            self.assertEqual(made, plain)


if __name__ == "__main__":
    unittest.main()
