#!/usr/bin/python3
"""Training is booked: what the second run knows of the first, what a cap refuses, and what a
person is told about it."""

import json
import os
import re
import resource
import unittest

from common import BUDGET, FAILED, OK, PRIVACY, USAGE, Case

ROWS = 60
# All answers are Gaussian, so that a run of (1, 1e-6) is GAUSS(.2367034) but for its draws.
TRAIN = ("train", "d.csv", "--schema", "s.json", "--solver", "gd", "--steps", "3", "--rows",
         str(ROWS), "--epsilon", "1", "--delta", "1e-6", "-o", "m.json")
SCHEMA = {"sotto_schema": 1, "columns": {
    "part": {"type": "drop"}, "who": {"type": "drop"},
    "a": {"type": "number", "bounds": [-1, 1]}, "b": {"type": "number", "bounds": [-1, 1]},
    "t": {"type": "target", "bounds": [-2, 2]}}}


class Booked(Case):
    def setUp(self):
        super().setUp()
        lines = ["part,who,a,b,t"]
        for i in range(ROWS):
            a, b = (i * 37 % 21 - 10) / 10, (i * 53 % 19 - 9) / 9
            lines.append(f"q{i % 3 + 1},p{i // 2},{a:g},{b:g},{a - b / 2:g}")
        self.write("d.csv", "\n".join(lines) + "\n")
        self.write("s.json", json.dumps(SCHEMA))
        self.own = os.path.join(self.directory, "state", "own.db")
        os.mkdir(os.path.dirname(self.own))

    def train(self, *more, **how):
        env = {**os.environ, "SOTTO_LEDGER": self.own}
        return self.sotto(*TRAIN, *more, env=env, **how)

    def trained(self, *more, **how):
        result = self.train(*more, **how)
        self.assertEqual(result.code, OK, result.err)
        return result.err.decode()

    def create(self, *more, epsilon="3"):
        result = self.sotto("ledger", "create", "--ledger", "team.ledger", "--dataset", "people",
                            "--epsilon", epsilon, "--delta", "1e-6", *more)
        self.assertEqual(result.code, OK, result.err)

    def ledger(self, name="m.json"):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)["privacy"]["ledger"]

    def datasets(self, ledger):
        said = self.sotto("ledger", "list", "--ledger", ledger, "--json")
        self.assertEqual(said.code, OK, said.err)
        return json.loads(said.out)["datasets"]


NAMED = ("--ledger", "team.ledger", "--dataset", "people")


class ByDefault(Booked):
    def test_thirty_runs(self):
        """Epsilon 6.6132 with a tenth of delta set apart, rounded up."""
        for i in range(1, 31):
            said = self.trained()
            self.assertEqual(self.ledger()["position"], i + 1)  # the first entry made it
        line, = (l for l in said.splitlines() if l.startswith("the runs on this file"))
        self.assertEqual("the runs on this file, for this unit and adjacency, are what a cap of "
                         "epsilon 6.62 would have let through, at delta 1e-06 (30 so far)", line)
        self.assertNotIn("together", said)
        one, = self.datasets(self.own)
        self.assertEqual((one["charges"], one["unfinished"], one["cap_epsilon"]), (30, 0, None))
        self.assertTrue(6.613 <= one["spent_epsilon"] <= 6.615, one)

    def test_another_unit_is_another_count(self):
        """Which is said: the runs on the file do not add up there."""
        remark = "other runs on this file are counted apart"
        self.assertNotIn(remark, self.trained())
        self.assertNotIn(remark, self.trained())
        for more in (("--adjacency", "replace-one"), ("--unit-column", "who")):
            self.assertEqual(self.trained(*more).count(remark), 1, more)
        self.assertEqual(self.trained().count(remark), 1)
        self.assertNotIn(remark, self.trained("--quiet"))
        self.assertEqual(len(self.datasets(self.own)), 3)
        evaluate = ("evaluate", "m.json", "d.csv", "--epsilon", "1", "--delta", "1e-6", "-o", "e.json")
        said = self.sotto(*evaluate, env={**os.environ, "SOTTO_LEDGER": self.own})
        self.assertEqual((said.code, said.err.decode().count(remark)), (OK, 1), said.err)
        self.create()
        self.assertNotIn(remark, self.trained(*NAMED))

    def test_the_path_is_not_released(self):
        self.trained()
        ledger = self.ledger()
        self.assertNotIn("dataset", ledger)
        self.assertRegex(ledger["id"], r"\A[0-9a-f]{32}\Z")
        with open(self.path("m.json"), encoding="utf-8") as file:
            self.assertNotIn(self.directory, file.read())
        self.assertEqual(self.datasets(self.own)[0]["name"],
                         os.path.realpath(os.path.join(self.directory, "d.csv")))

    def test_through_another_name(self):
        os.symlink("d.csv", self.path("link.csv"))
        self.trained()
        self.sotto("train", "link.csv", *TRAIN[2:],
                   env={**os.environ, "SOTTO_LEDGER": self.own})
        one, = self.datasets(self.own)
        self.assertEqual(one["charges"], 2)

    def test_another_unit_is_another_entry(self):
        self.trained()
        self.trained("--adjacency", "zero-out")
        env = {**os.environ, "SOTTO_LEDGER": self.own}
        done = self.sotto(*TRAIN, "--unit-column", "who", env=env)
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual([d["charges"] for d in self.datasets(self.own)], [1, 1, 1])
        self.assertIn("epsilon 1", done.err.decode())

    def test_stdin_needs_a_name(self):
        with open(self.path("d.csv"), "rb") as file:
            text = file.read()
        args = ("train", "-", "--format", "csv", *TRAIN[2:])
        env = {**os.environ, "SOTTO_LEDGER": self.own}
        self.assertIn("--dataset", self.assert_one_line(
            self.sotto(*args, input=text, env=env), USAGE))
        piped = ("train", "/dev/stdin", "--format", "csv", *TRAIN[2:])
        self.assertIn("stdin and pipes have no path", self.assert_one_line(
            self.sotto(*piped, input=text, env=env), USAGE))
        self.assertFalse(os.path.exists(self.own))
        named = (*args, "--dataset", "pipe")
        self.assert_one_line(self.sotto(*named, input=text, env=env), FAILED)
        self.assertEqual(self.sotto("ledger", "create", "--dataset", "pipe", "--delta", "1e-6",
                                    env=env).code, OK)
        done = self.sotto(*named, input=text, env=env)
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(self.ledger()["dataset"], "pipe")

    def test_no_place_to_write(self):
        for own in ("/dev/null/x/ledger.db", "/proc/x/ledger.db"):
            result = self.sotto(*TRAIN, env={**os.environ, "SOTTO_LEDGER": own})
            self.assertIn("--ledger none", self.assert_one_line(result, FAILED))
            self.assertFalse(os.path.exists(self.path("m.json")))

    def test_untracked(self):
        self.assertIn("untracked: no ledger knows of this run", self.trained("--ledger", "none"))
        self.assertEqual(self.ledger(), "untracked")
        self.assertFalse(os.path.exists(self.own))
        self.assertIn(b"untracked", self.sotto("show", "m.json").out)
        for more in (("--dataset", "x"), ("--parts", "q1")):
            self.assert_one_line(self.train("--ledger", "none", *more), USAGE)

    def test_not_private(self):
        self.trained("--insecure-seed", "1")
        self.assertEqual(self.sotto("train", "d.csv", "--schema", "s.json", "--epsilon", "inf",
                                    "-o", "m.json").code, OK)
        self.assertFalse(os.path.exists(self.own))

    def test_to_stdout(self):
        """Nothing needs to stand beside it."""
        done = self.train("-o", "-")
        self.assertEqual(done.code, OK, done.err)
        self.assertEqual(json.loads(done.out)["privacy"]["ledger"]["position"], 2)

    def test_it_is_nobody_elses(self):
        self.trained()
        self.assertEqual(os.stat(self.own).st_mode & 0o777, 0o600)


class WithACap(Booked):
    def test_seven_of_thirty(self):
        self.create()
        codes = [self.train(*NAMED).code for _ in range(30)]
        self.assertEqual(codes, [OK] * 7 + [BUDGET] * 23)
        line = self.assert_one_line(self.train(*NAMED), BUDGET)
        for words in ('"people"', "epsilon 3", "spent", "left"):
            self.assertIn(words, line)

    def test_another_delta_is_named(self):
        """Epsilon 0.9 at a delta of 1e-5 is more than epsilon 1 at 1e-6."""
        self.create(epsilon="1")
        larger = ("--epsilon", "0.95", "--delta", "1e-5")
        said = "; its delta is 1e-05, and at the cap's delta 1e-06 this run "
        self.assertIn(said + "has a larger epsilon; left", self.assert_one_line(
            self.train(*NAMED, *larger), BUDGET))
        self.trained(*NAMED, "--epsilon", "0.6")
        line = self.assert_one_line(self.train(*NAMED, "--epsilon", "0.8", "--delta", "1e-5"),
                                    BUDGET)
        found = re.search(re.escape(said) + r"is epsilon ([0-9.]+); left", line)
        self.assertTrue(found and .81 < float(found[1]) < 1, line)
        for delta in ("1e-6", "1e-9"):
            self.assertNotIn("its delta", self.assert_one_line(
                self.train(*NAMED, "--epsilon", "9", "--delta", delta), BUDGET))

    def test_no_ledger_is_replaced(self):
        self.create()
        for output in ("team.ledger", "key"):
            self.sotto("key", "new", "key")
            before = self.content_of(output)
            for more in (NAMED, ("--ledger", "none")):
                line = self.assert_one_line(self.train(*more, "-o", output), USAGE)
                self.assertIn("this file is a", line)
            self.assertEqual(self.content_of(output), before)
        self.assertEqual(self.datasets("team.ledger")[0]["charges"], 0)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_what_cannot_be_written_is_charged(self):
        """The line says so, whatever is in the records."""
        self.create()
        line = self.assert_one_line(self.train(*NAMED, "-o", "/dev/full", "--quiet"), FAILED)
        self.assertTrue(line.endswith("; the run is booked and stays charged\n"), line)
        with open("/dev/full", "wb") as full:
            result = self.train(*NAMED, "-o", "-", "--quiet", stdout=full)
        self.assertEqual(result.code, FAILED)
        self.assertTrue(result.err.endswith(b"; the run is booked and stays charged\n"), result.err)
        one, = self.datasets("team.ledger")
        self.assertEqual((one["charges"], one["unfinished"]), (2, 2))
        self.trained(*NAMED)
        evaluate = ("evaluate", "m.json", "d.csv", "--epsilon", ".1", "--delta", "1e-9", *NAMED)
        line = self.assert_one_line(self.sotto(*evaluate, "-o", "/dev/full"), FAILED)
        self.assertTrue(line.endswith("; the run is booked and stays charged\n"), line)

    def test_what_cannot_be_written_is_spent(self):
        def no_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        def less_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        more = ("--ledger", "none", "--quiet")
        line = self.assert_one_line(self.train(*more, before=no_room), FAILED)
        self.assertTrue(line.endswith("; what the run cost is spent all the same\n"), line)
        os.remove(self.path("m.json.spent"))
        line = self.assert_one_line(self.train(*more, "--insecure-seed", "1", before=less_room), FAILED)
        self.assertNotIn("spent", line)

    def test_what_is_paid_for_is_not_replaced(self):
        """And the run that would replace it is not booked."""
        self.create()
        self.trained(*NAMED)
        before = self.content_of("m.json")
        line = self.assert_one_line(self.train(*NAMED, keep=True), USAGE)
        self.assertIn("paid for; remove it, or give another name", line)
        self.assertEqual(self.content_of("m.json"), before)
        self.write("m.json", "notes of somebody")
        self.assertIn("is no model", self.assert_one_line(self.train(*NAMED, keep=True), USAGE))
        self.assertEqual(self.datasets("team.ledger")[0]["charges"], 1)

    def content_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_a_borrowed_entry(self):
        """The entry of a small run in the statement of a large one that no ledger knows of."""
        self.create()
        self.trained(*NAMED, "--epsilon", "0.1")
        with open(self.path("m.json"), encoding="utf-8") as file:
            small = json.load(file)
        self.trained("--ledger", "none", "--epsilon", "8")
        with open(self.path("m.json"), encoding="utf-8") as file:
            large = json.load(file)
        large["privacy"]["ledger"] = small["privacy"]["ledger"]
        self.write_model("forged.json", large)
        self.write_model("small.json", small)
        verify = ("ledger", "verify", "--ledger", "team.ledger")
        self.assertEqual(self.sotto(*verify, "small.json").code, OK)
        result = self.sotto(*verify, "forged.json")
        self.assertEqual(result.code, PRIVACY, result.out)
        self.assertIn(b"of another run", result.err)

    def test_what_is_said(self):
        self.create()
        self.assertIn("data set people: epsilon 1.01 of 3 is spent, at delta 1e-06 (entry 2)", self.trained(*NAMED, "--purpose", "risk score"))
        ledger = self.ledger()
        self.assertEqual((ledger["dataset"], ledger["cap"], ledger["delta"], ledger["position"],
                          ledger["purpose"]), ("people", 3, 1e-6, 2, "risk score"))
        self.assertIn(b"data set people: epsilon 1.01 of 3", self.sotto("show", "m.json").out)

    def test_must_be_there(self):
        self.assert_one_line(self.train(*NAMED), FAILED)
        self.create()
        line = self.assert_one_line(self.train("--ledger", "team.ledger", "--dataset", "poeple"),
                                    USAGE)
        self.assertIn('no data set "poeple"', line)
        self.assertIn("--dataset", self.assert_one_line(
            self.train("--ledger", "team.ledger"), USAGE))

    def test_another_unit_is_refused(self):
        self.create()
        result = self.sotto(*TRAIN, *NAMED, "--unit-column", "who")
        self.assertIn("person", self.assert_one_line(result, PRIVACY))
        self.assert_one_line(self.train(*NAMED, "--adjacency", "zero-out"), PRIVACY)
        self.assertEqual(self.datasets("team.ledger")[0]["charges"], 0)

    def test_what_the_header_shows_is_free(self):
        """No target, in the header of a file whose rows are all bad; blocks of rows that may be
        dropped; instructions that the machine lacks: nothing of it needs a row."""
        self.create()
        columns = {**SCHEMA["columns"], "t": {"type": "drop"}}
        self.write("no.json", json.dumps({**SCHEMA, "columns": columns}))
        self.write("bad.csv", "part,who,a,b,t\nx,x,x,x,x\n")
        for how in (NAMED, ("--ledger", "none")):
            for loss in ((), ("--loss", "hinge")):
                line = self.assert_one_line(self.sotto(
                    "train", "bad.csv", "--schema", "no.json", "--epsilon", "1", "--delta", "1e-6",
                    "-o", "m.json", *loss, *how), USAGE)
                self.assertIn("no column is the target: give --target NAME", line)
                self.assertNotIn("charged", line)
        self.create("--dataset", "places", "--adjacency", "zero-out")
        line = self.assert_one_line(self.train(
            *NAMED, "--dataset", "places", "--adjacency", "zero-out", "--solver", "scd-seq",
            "--l2", "0.1", "--no-intercept", "--bad-rows", "drop"), PRIVACY)
        self.assertIn("blocks of rows go by a row's place", line)
        self.assertNotIn("charged", line)
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            flags = file.read()
        if "avx512f" not in flags:
            self.assertNotIn("charged", self.assert_one_line(
                self.train(*NAMED, "--isa", "avx512"), USAGE))
        self.assertEqual([d["charges"] for d in self.datasets("team.ledger")], [0, 0])

    def test_doctor_sees_that_there_is_no_target(self):
        line = self.assert_one_line(self.sotto("doctor", "d.csv", "--loss", "hinge",
                                               "--drop", "part,who"), USAGE)
        self.assertIn("no column is the target: give --target NAME", line)
        said = self.sotto("doctor", "d.csv", "--drop", "part,who")
        self.assertEqual(said.code, OK)
        self.assertIn(b"target: none (--target NAME)", said.out)

    def test_an_array_has_numbers_for_names(self):
        """Columns of a .npy file are called 1, 2, ...: no other target can be given."""
        self.sotto("generate", "log1", "--rows=20", "--features=3", "-o", "d.npy")
        train = ("train", "d.npy", "-o", "m.json", "--ledger=none")
        private = (*train, "--epsilon=1", "--delta=1e-6")
        for args in (private, (*private, "--loss=hinge"), (*train, "--epsilon=inf"),
                     ("doctor", "d.npy", "--loss=hinge")):
            line = self.assert_one_line(self.sotto(*args), USAGE)
            self.assertIn("give --target N (the number of its column, from 1), or declare", line)

    def test_a_bad_row_is_charged(self):
        self.create()
        with open(self.path("d.csv"), "a", encoding="utf-8") as file:
            file.write("q1,p1,x,0,0\n")
        self.assertNotEqual(self.train(*NAMED).code, OK)
        one, = self.datasets("team.ledger")
        self.assertEqual((one["charges"], one["unfinished"]), (1, 1))


class Parts(Booked):
    def setUp(self):
        super().setUp()
        self.create("--part-column", "part", "--parts", "q1,q2,q3", epsilon="1.2")

    def train(self, *more, **how):
        return self.sotto(*TRAIN, "--bad-rows", "drop", *NAMED, *more, **how)

    def test_each_has_its_cap(self):
        self.trained("--parts", "q1")
        self.assert_one_line(self.train("--parts", "q1,q2"), BUDGET)
        self.trained("--parts", "q2,q3")
        self.assertEqual({d["part"]: d["charges"] for d in self.datasets("team.ledger")},
                         {"q1": 1, "q2": 1, "q3": 1})
        self.assertEqual(self.ledger()["parts"], ["q2", "q3"])
        self.assert_one_line(self.train(), BUDGET)  # all of them

    def test_unknown(self):
        self.assertIn("q1", self.assert_one_line(self.train("--parts", "q9"), USAGE))

    def test_bad_rows_must_not_stop(self):
        result = self.sotto(*TRAIN, *NAMED, "--parts", "q1")
        self.assertIn("--bad-rows drop", self.assert_one_line(result, PRIVACY))
        self.assertEqual(sum(d["charges"] for d in self.datasets("team.ledger")), 0)


if __name__ == "__main__":
    unittest.main()
