#!/usr/bin/env python3
"""sotto-mpi by processes of Open MPI: the same bytes as one process, and one line where it fails.

    make mpi-test [SOTTO_KILLS=50]
"""
import csv
import json
import os
import random
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.abspath(os.environ.get("SOTTO") or
                          os.path.join(HERE, "..", "..", "build", "sotto"))
MPI = PROGRAM + "-mpi"
RANKS = (1, 2, 3, 4, 7)
KILLS = int(os.environ.get("SOTTO_KILLS", "6"))
ENVIRONMENT = dict(os.environ, SOTTO_LEDGER="none")
MPIRUN = ["mpirun", "--oversubscribe", "-q"]
if os.geteuid() == 0:
    MPIRUN.insert(1, "--allow-run-as-root")
BOUNDS = {f"x{j}": {"type": "number", "bounds": [-1, 1]} for j in range(5)}


def run(command, cwd, **more):
    return subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=120, stdin=subprocess.DEVNULL, check=False, **more)


def lines_of(done):
    """What sotto said; mpirun may say something of its own about exit codes."""
    return [line for line in done.stderr.splitlines() if line.startswith("sotto")]


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="sotto-mpi-")
        chance = random.Random(3)
        rows = []
        for i in range(400):
            x = [round(chance.uniform(-1, 1), 4) for _ in range(5)]
            text = ("plain", '"a\nb"', '"x ""y"""')[i % 3]
            rows.append((x, text, f"p{chance.randrange(60)}",
                         int(x[0] - x[1] + chance.gauss(0, .3) > 0)))
        cls.write("rows.csv", cls.csv(rows))
        for k, part in enumerate((rows[:150], rows[150:210], rows[210:])):
            cls.write(f"part-{k}.csv", cls.csv(part))
        cls.write("rows.svm", "".join(
            f"{2 * y - 1} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x)) + "\n"
            for x, _, _, y in rows))
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (400, 6), }".ljust(117) + "\n"
        with open(os.path.join(cls.folder, "rows.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
            for x, _, _, y in rows:
                file.write(struct.pack("<6d", *x, y))
        target = {"y": {"type": "target", "classes": ["0", "1"]}}
        cls.schema("schema.json", {**BOUNDS, **target})
        cls.schema("people.json", {**BOUNDS, **target, "person": {"type": "unit"}})

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @classmethod
    def write(cls, name, text):
        with open(os.path.join(cls.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    @classmethod
    def schema(cls, name, columns):
        cls.write(name, json.dumps({"sotto_schema": 1, "default": {"type": "drop"},
                                    "columns": columns}))

    @staticmethod
    def csv(rows):
        return "x0,x1,x2,x3,x4,text,person,y\n" + "".join(
            ",".join(map(str, x)) + f",{text},{person},{y}\n" for x, text, person, y in rows)

    def mpi(self, ranks, *args):
        return run(MPIRUN + ["-n", str(ranks), MPI, *args], self.folder)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def private(self, *args):
        return ["train", *args, "--loss", "logistic", "--epsilon", "3", "--delta", "1e-6",
                "--insecure-seed", "4", "--quiet"]

    def alone(self, *args):
        """The model of one process, in one.json."""
        done = run([PROGRAM, *self.private(*args), "-o", "one.json"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def is_same(self, done, what):
        """The model that ranks made is that of one process, byte for byte."""
        self.assertEqual(done.returncode, 0, (what, done.stderr))
        self.assertEqual(self.read("one.json"), self.read("many.json"), what)
        os.remove(os.path.join(self.folder, "many.json"))

    def same(self, *args, ranks=RANKS, sets=(None,)):
        """By these ranks, each with these instruction sets; None: what the machine has."""
        self.alone(*args)
        for count in ranks:
            for isa in sets:
                more = ["--isa", isa] if isa else []
                done = self.mpi(count, *self.private(*args), *more, "-o", "many.json")
                self.is_same(done, (args, count, isa))

    def instruction_sets(self):
        """Those of this machine."""
        found = []
        for isa in ("scalar", "avx2", "avx512"):
            done = run([PROGRAM, *self.private("rows.csv", "--schema", "schema.json"), "--isa",
                        isa, "-o", "isa.json"], self.folder)
            if done.returncode != 2 or "--isa" not in done.stderr:
                self.assertEqual(done.returncode, 0, done.stderr)
                found.append(isa)
        return found


class SameBits(Case):
    SCHEMA = ("--schema", "schema.json")

    def test_ranks(self):
        self.same("rows.csv", *self.SCHEMA)

    def test_formats(self):
        self.same("rows.svm", "--features", "5", ranks=(2, 7))
        self.same("rows.npy", "--target", "6", ranks=(2, 7))
        self.same("part-0.csv", "part-1.csv", "part-2.csv", *self.SCHEMA, ranks=(2, 7))

    def test_tables(self):
        for source, options in (("rows.csv", self.SCHEMA), ("rows.csv", ("--schema", "people.json")),
                                ("rows.svm", ("--features", "5"))):
            done = run([PROGRAM, "convert", source, *options, "--loss", "logistic", "-o",
                        "t.sotto"], self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.same("t.sotto", ranks=(2, 7))
            if source == "rows.csv":
                self.same("t.sotto", "--memory", "60M", ranks=(2,))
            os.remove(os.path.join(self.folder, "t.sotto"))

    def test_solvers(self):
        """Each with every instruction set, by two and by three."""
        batches = ("--batch-rate", ".2")
        sets = self.instruction_sets()
        for solver in (("auto",), ("cd", "--passes", "2"), ("gd", "--steps", "5"),
                       ("sgd", "--steps", "9", *batches), ("svrg", "--l2", ".1", *batches),
                       ("scd", "--l2", ".1", "--norm-bound", "2", "--no-intercept", *batches),
                       ("gcd", "--steps", "5"),
                       ("fw", "--steps", "5", "--radius", "2", "--no-intercept"),
                       ("bcfw", "--steps", "5", "--blocks", "3", "--radius", "2",
                        "--no-intercept"), ("newton",)):
            with self.subTest(solver=solver[0]):
                self.same("rows.csv", *self.SCHEMA, "--solver", *solver, ranks=(2, 3), sets=sets)

    def test_a_table(self):
        """Ranks share its rows."""
        done = run([PROGRAM, "convert", "rows.csv", *self.SCHEMA, "--loss", "logistic", "-o",
                    "rows.sotto"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.same("rows.sotto", ranks=(1, 2, 3))

    def test_people(self):
        self.same("rows.csv", "--schema", "people.json", "--rows-per-person", "2", ranks=(2, 7))
        self.same("rows.csv", "--schema", "people.json", "--rows-per-person", "9", "--solver",
                  "sgd", "--steps", "9", "--batch-rate", ".2", ranks=(3,))

    def test_ranks_with_different_instructions(self):
        """Machines of one kind may differ in these."""
        sets = self.instruction_sets()
        for solver in ("auto", "cd"):
            args = ("rows.csv", *self.SCHEMA, "--solver", solver)
            self.alone(*args)
            command = []
            for isa in sets:
                command += [":"] * bool(command)
                command += ["-n", "1", MPI, *self.private(*args), "--isa", isa, "-o", "many.json"]
            self.is_same(run(MPIRUN + command, self.folder), (solver, sets))

    def test_statement(self):
        args = ["train", "rows.csv", "--schema", "schema.json", "--loss", "logistic", "--epsilon",
                "1", "--delta", "1e-6"]
        self.assertEqual(run([PROGRAM, *args, "-o", "p1.json"], self.folder).returncode, 0)
        done = self.mpi(3, *args, "-o", "p3.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        one, many = (json.loads(self.read(name))["privacy"] for name in ("p1.json", "p3.json"))
        self.assertEqual(many.pop("ranks"), 3)
        for told in (one, many):  # what was chosen from answers depends on the noise
            told.pop("chosen_from_answers", None)
        self.assertEqual(one, many)


class Answers(Case):
    """evaluate and predict: what one process prints and writes, byte for byte."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        chance = random.Random(8)
        rows = []
        for i in range(500):
            x = [round(chance.uniform(-1, 1), 4) for _ in range(5)]
            score = x[0] - x[1] + chance.gauss(0, .3)
            rows.append(",".join(map(str, x)) + f",p{chance.randrange(70)},{i % 3 + 1}.3,"
                        f"{int(score > 0)},{'abc'[(score > -.3) + (score > .3)]},{score:.4f}\n")
        head = "x0,x1,x2,x3,x4,person,w,two,three,number\n"
        cls.write("answers.csv", head + "".join(rows))
        rows[333] = rows[333].replace(".", "?", 1)
        cls.write("bad-answers.csv", head + "".join(rows))
        targets = {"two": {"type": "target", "classes": ["0", "1"]},
                   "three": {"type": "target", "classes": ["a", "b", "c"]},
                   "number": {"type": "target", "bounds": [-3, 3]}}
        for name, target in targets.items():
            cls.schema(f"{name}.json", {**BOUNDS, name: target, "person": {"type": "unit"},
                                        "w": {"type": "weight", "bounds": [0, 4]}})
            done = run([PROGRAM, "train", "answers.csv", "--schema", f"{name}.json", "--loss",
                        "squared" if name == "number" else "logistic", "--epsilon", "5", "--delta",
                        "1e-6", "--rows-per-person", "10", "--quiet", "-o", f"model-{name}.json"],
                       cls.folder)
            assert done.returncode == 0, done.stderr

    def prints_the_same(self, *args, ranks=(2, 7)):
        one = run([PROGRAM, *args], self.folder)
        self.assertEqual(one.returncode, 0, one.stderr)
        for count in ranks:
            many = self.mpi(count, *args)
            self.assertEqual((many.returncode, many.stdout, many.stderr),
                             (0, one.stdout, one.stderr), (args, count))

    def test_predict(self):
        self.prints_the_same("predict", "model-two.json", "answers.csv", ranks=RANKS)
        self.prints_the_same("predict", "model-three.json", "answers.csv", "--proba")
        self.prints_the_same("predict", "model-number.json", "answers.csv", "--json", ranks=(3,))
        self.prints_the_same("predict", "model-three.json", "bad-answers.csv", "--bad-rows", "drop",
                             "--scores", "--json", ranks=(3,))

    def test_predict_into_a_file(self):
        """Whole or not at all; its owner's alone."""
        for program, name in (([PROGRAM], "p1.csv"), (MPIRUN + ["-n", "3", MPI], "p3.csv")):
            done = run(program + ["predict", "model-three.json", "answers.csv", "--proba", "-o",
                                  name], self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(os.stat(os.path.join(self.folder, name)).st_mode & 0o777, 0o600)
        self.assertEqual(self.read("p1.csv"), self.read("p3.csv"))
        done = self.mpi(3, "predict", "model-two.json", "bad-answers.csv", "-o", "p4.csv")
        self.assertEqual((done.returncode, len(lines_of(done))), (3, 1), done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "p4.csv")))
        done = self.mpi(3, "predict", "model-two.json", "bad-answers.csv")
        self.assertEqual((done.returncode, done.stdout), (3, ""))

    def test_evaluate(self):
        for name in ("two", "three", "number"):
            self.prints_the_same("evaluate", f"model-{name}.json", "answers.csv", ranks=(2, 7))
            self.prints_the_same("evaluate", f"model-{name}.json", "answers.csv", "--json",
                                 ranks=(3,))

    def test_evaluate_privately(self):
        for name in ("two", "three", "number"):
            args = ["evaluate", f"model-{name}.json", "answers.csv", "--epsilon", "1", "--delta",
                    "1e-6", "--rows-per-person", "3", "--insecure-seed", "4", "--quiet", "-o"]
            self.assertEqual(run([PROGRAM, *args, "one.json"], self.folder).returncode, 0)
            for count in RANKS if name == "two" else (2, 7):
                self.is_same(self.mpi(count, *args, "many.json"), (name, count))
            os.remove(os.path.join(self.folder, "one.json"))

    def test_refusals(self):
        for args, line in ((("predict", "-", "answers.csv"), "MODEL cannot be stdin"),
                           (("evaluate", "model-two.json", "-"), "several ranks read a file")):
            done = self.mpi(2, *args)
            self.assertEqual((done.returncode, len(lines_of(done))), (2, 1), done.stderr)
            self.assertIn(line, done.stderr)

    def test_other_models(self):
        done = run(MPIRUN + ["-n", "1", MPI, "evaluate", "model-two.json", "answers.csv", ":", "-n",
                             "1", MPI, "evaluate", "model-three.json", "answers.csv"], self.folder)
        self.assertEqual((done.returncode, len(lines_of(done))), (2, 1), done.stderr)
        self.assertIn("another schema or model", done.stderr)


class Manual(unittest.TestCase):
    def test_examples(self):
        """Those of the man page run as they are printed, one after the other."""
        sys.path.insert(0, os.path.join(HERE, "..", "..", "tools"))
        import reference
        with tempfile.TemporaryDirectory(prefix="sotto-mpi-") as folder:
            run([os.path.join(HERE, "..", "..", "tools", "patients.py"), folder], folder)
            for _, command in reference.MPI_EXAMPLES:
                start, _, words = command.partition(" -n ")
                self.assertEqual(start, "mpirun -q")
                count, program, *words = shlex.split(words)
                self.assertEqual(program, "sotto-mpi")
                done = run([*MPIRUN, "-n", count, MPI, *words], folder)
                self.assertEqual(done.returncode, 0, done.stderr)


class Faults(Case):
    ARGS = ("--schema", "schema.json", "--loss", "logistic", "--epsilon", "1", "--delta", "1e-6")

    def refused(self, done, line, code=None):
        self.assertNotEqual(done.returncode, 0)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        told = lines_of(done)
        self.assertEqual(len(told), 1, done.stderr)
        self.assertRegex(told[0], line)

    def by_shell(self, ranks, script):
        """A shell at every rank, which knows its number and then becomes sotto-mpi."""
        return run(MPIRUN + ["-n", str(ranks), "sh", "-c", script], self.folder)

    def test_bad_row(self):
        text = self.read("rows.csv").decode().splitlines(keepends=True)
        text[310] = "1,2\n"
        self.write("bad.csv", "".join(text))
        alone = run([PROGRAM, "train", "bad.csv", *self.ARGS, "-o", "m.json"], self.folder)
        done = self.mpi(3, "train", "bad.csv", *self.ARGS, "-o", "m.json")
        self.refused(done, "bad.csv: line ", 3)
        self.assertEqual(lines_of(done), alone.stderr.splitlines())

    def test_other_options(self):
        common = ["train", "rows.csv", *self.ARGS, "-o", "m.json"]
        done = run(MPIRUN + ["-n", "2", MPI, *common, ":", "-n", "1", MPI, *common, "--l2", ".5"],
                   self.folder)
        self.refused(done, r"a rank has other options \(or another schema or model\) than another", 2)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "m.json")))

    def test_other_tables(self):
        """Of two tables a record may be in two shares, and a person have two numbers: the same rows
        in another order, and other rows of the same shape."""
        with open(os.path.join(self.folder, "rows.csv"), encoding="utf-8", newline="") as file:
            head, *lines = csv.reader(file)
        names = {"first": lines, "reversed": lines[::-1], "twice": lines[:len(lines) // 2] * 2}
        for name, some in names.items():
            os.makedirs(os.path.join(self.folder, name), exist_ok=True)
            with open(os.path.join(self.folder, name, "r.csv"), "w", encoding="utf-8",
                      newline="") as file:
                csv.writer(file).writerows([head, *some])
            for schema in ("schema.json", "people.json"):
                made = run([PROGRAM, "convert", f"{name}/r.csv", "--schema", schema, "--loss",
                            "logistic", "--dataset", "one", "-o", f"{name}/{schema}.sotto"],
                           self.folder)
                self.assertEqual(made.returncode, 0, made.stderr)
        out = os.path.join(self.folder, "m.json")
        for schema in ("schema.json", "people.json"):
            for more in ((), ("--memory", "1G")):
                train = [MPI, "train", f"{schema}.sotto", "--loss", "logistic", "--solver", "gd",
                         "--epsilon", "1", "--delta", "1e-6", "--insecure-seed", "7", *more, "-o", out]
                for other in ("reversed", "twice"):
                    done = run(MPIRUN + ["-n", "1", "-wdir", os.path.join(self.folder, "first"),
                                         *train, ":", "-n", "1", "-wdir",
                                         os.path.join(self.folder, other), *train], self.folder)
                    self.refused(done, "the ranks have come apart", 1)
                    self.assertFalse(os.path.exists(out))

    def test_other_verbs(self):
        """No rank waits for one that does something else, or that stopped at its options."""
        common = ["train", "rows.csv", *self.ARGS, "-o", "m.json"]
        for other, line in ((["doctor", "rows.csv"], "ranks have different verbs"),
                            (["version"], "ranks have different verbs"),
                            (["train", "--help"], "ranks have different verbs"),
                            (["train", "rows.csv", "--no-such"], "has no option --no-such")):
            for first, second in ((common, other), (other, common)):
                done = run(MPIRUN + ["-n", "1", MPI, *first, ":", "-n", "1", MPI, *second],
                           self.folder)
                self.refused(done, line, 2)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "m.json")))

    def test_file_that_one_rank_lacks(self):
        os.makedirs(os.path.join(self.folder, "empty"), exist_ok=True)
        schema = os.path.join(self.folder, "schema.json")
        done = self.by_shell(3, "[ $OMPI_COMM_WORLD_RANK != 1 ] || cd empty; "
                             f"exec {MPI} train rows.csv --schema {schema} --loss logistic "
                             "--epsilon 1 --delta 1e-6 -o m.json")
        self.refused(done, "rows.csv: cannot be opened", 1)

    def test_refusals(self):
        done = self.mpi(2, "train", "rows.csv", *self.ARGS[:-4], "--epsilon", "inf", "-o", "m.json")
        self.refused(done, "several ranks train privately", 2)
        done = self.mpi(2, "train", "-", *self.ARGS, "--format", "csv", "-o", "m.json")
        self.refused(done, "stdin: several ranks read a file that is on a disk", 2)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "m.json")))
        self.refused(self.mpi(2, "show", "m.json"), "sotto-mpi trains, evaluates and predicts", 2)
        self.refused(self.mpi(2, "train", "rows.csv", "--epsilon", "x"), "--epsilon", 2)

    def test_shared_memory_on_a_disk(self):
        kind = run(["stat", "-f", "-c", "%T", self.folder], self.folder).stdout.strip()
        if kind == "tmpfs":
            self.skipTest("the folder for temporary files is in memory")
        done = run(MPIRUN + ["--mca", "btl_vader_backing_directory", self.folder, "-n", "2", MPI,
                             "train", "rows.csv", *self.ARGS, "-o", "m.json"], self.folder)
        self.refused(done, "files on a disk: expected its shared memory on tmpfs", 2)

    def test_speaks_once(self):
        done = self.mpi(4, "train", "rows.csv", *self.ARGS, "-o", "quiet.json")
        self.assertEqual(done.stderr.count("wrote quiet.json"), 1, done.stderr)
        self.assertEqual(self.mpi(3, "version").stdout.count("sotto"), 1)


class Ledger(Case):
    ARGS = ("--schema", "schema.json", "--loss", "logistic", "--epsilon", "1", "--delta", "1e-6",
            "--ledger", "ledger.db", "--dataset", "rows")

    def setUp(self):
        done = run([PROGRAM, "ledger", "create", "--ledger", "ledger.db", "--dataset", "rows", "--epsilon",
                    "inf", "--delta", "1e-4"], self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def tearDown(self):
        os.remove(os.path.join(self.folder, "ledger.db"))

    def entries(self):
        done = run([PROGRAM, "ledger", "export", "--ledger", "ledger.db", "-o", "out.json"],
                   self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.read("out.json").decode()
        os.remove(os.path.join(self.folder, "out.json"))
        return text.count('"run":')

    def test_booked_once(self):
        before = self.entries()
        done = self.mpi(3, "train", "rows.csv", *self.ARGS, "-o", "booked.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.entries(), before + 1)

    def test_an_evaluation_is_booked_once(self):
        """Also one whose records are bad, which nobody knows before they are read."""
        done = self.mpi(2, "train", "rows.csv", *self.ARGS, "-o", "evaluated.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.read("rows.csv").decode().splitlines(keepends=True)
        text[310] = "1,2\n"
        self.write("bad.csv", "".join(text))
        for data, code in (("rows.csv", 0), ("bad.csv", 3)):
            before = self.entries()
            done = self.mpi(3, "evaluate", "evaluated.json", data, *self.ARGS[4:], "-o",
                            f"evaluation-{code}.json")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(self.entries(), before + 1)
            if code:
                self.assertIn("stays charged", done.stderr)
        made = json.loads(self.read("evaluation-0.json"))
        self.assertEqual(made["privacy"]["ranks"], 3)
        done = run([PROGRAM, "ledger", "verify", "--ledger", "ledger.db", "evaluation-0.json"],
                   self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_rank_is_killed(self):
        """At any time: the job ends, no rank stays, and a model was paid for."""
        chance = random.Random(11)
        finished = 0
        for number in range(KILLS):
            before = self.entries()
            model = os.path.join(self.folder, "killed.json")
            job = subprocess.Popen(
                MPIRUN + ["-n", "3", MPI, "train", "rows.csv", *self.ARGS, "--solver", "cd",
                          "--passes", "5000", "-o", model],
                cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
            time.sleep(chance.uniform(.1, 1.2))
            ranks = run(["ps", "--ppid", str(job.pid), "-o", "pid="], self.folder).stdout.split()
            if ranks:
                os.kill(int(ranks[number % len(ranks)]), signal.SIGKILL)
            code = job.wait(timeout=60)
            for pid in ranks:
                self.assertFalse(os.path.exists(f"/proc/{pid}/exe") and
                                 "sotto-mpi" in os.readlink(f"/proc/{pid}/exe"), number)
            booked = self.entries() - before
            self.assertIn(booked, (0, 1))
            if os.path.exists(model):
                self.assertEqual(booked, 1)
                finished += 1
                os.remove(model)
            else:
                self.assertNotEqual(code, 0)
        self.assertLess(finished, KILLS)


if __name__ == "__main__":
    if not os.path.exists(MPI):
        sys.exit(f"{MPI}: expected it to be built: make mpi")
    unittest.main()
