#!/usr/bin/python3
"""Tests that the named problems are the ones whose numbers were printed.

Each problem is made, written, read back and solved to a certified optimum; F* and the zero
vector's error must round to the printed digits, because every utility figure is relative to them.
The synthetic problems always run; the others are skipped when their set is not at hand.
"""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from decimal import Decimal
from unittest import mock

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir, os.pardir, "tools")]

import problems  # noqa: E402  (found through the path set above)
import reference  # noqa: E402

CERTIFIED = 1e-9                    # largest relative gap of an answer that may be called F*
SYNTHETIC = ["sparse10", "square", "log1", "log1_.01", "log2", "log2_.01"]


def run(*arguments):
    """Run the command line program: its exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = problems.main(list(arguments))
        except SystemExit as stop:
            code = stop.code
    return code, out.getvalue(), err.getvalue()


class NamedProblems(unittest.TestCase):
    """One test for each problem, added below."""

    def check(self, name):
        try:
            table = problems.make(name, problems.find_data_dir())
        except problems.MissingData as missing:
            if name in SYNTHETIC:
                raise
            self.skipTest(str(missing))
        self.check_table(name, table)
        self.check_files(name, table)
        self.check_optimum(name, table)

    def check_table(self, name, table):
        problem = problems.PROBLEMS[name]
        self.assertEqual(table.shape, (problem.n, problem.p + 1))
        if name == "dorothea":
            self.assertEqual(table.dtype, np.float32)
            self.assertTrue(table.flags.f_contiguous)
            self.assertEqual(np.count_nonzero(table[:, :-1]), 727760)
            self.assertEqual(table[:, :-1].max(), 1)
        else:
            self.assertEqual(table.dtype, np.float64)
            self.assertTrue(table.flags.c_contiguous)
        if problem.loss == "logistic":
            self.assertEqual(set(np.unique(table[:, -1])), {-1, 1})

    def check_files(self, name, table):
        with tempfile.TemporaryDirectory() as folder:
            path = problems.save(name, table, folder)
            self.assertEqual(sorted(os.listdir(folder)), [name + ".json", name + ".npy"])
            back = np.load(path, mmap_mode="r")
            self.assertEqual(back.dtype, table.dtype)
            self.assertEqual(back.flags.c_contiguous, table.flags.c_contiguous)
            self.assertTrue(np.array_equal(back, table))
            with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file), problems.describe(name))

    def check_optimum(self, name, table):
        problem = problems.PROBLEMS[name]
        features, target = table[:, :-1], table[:, -1]
        found = reference.solve(features, target, problem.loss, problem.l1, problem.l2)
        self.assertLessEqual(found.gap, CERTIFIED * found.objective)
        self.assert_rounds_to(found.objective, problem.f_star)
        self.assert_rounds_to(found.zero_error, problem.zero_error)
        if problem.nonzeros is not None:
            self.assertEqual(found.nonzeros, problem.nonzeros)

    def assert_rounds_to(self, value, printed):
        """Half a unit of the last printed digit; nothing to check where nothing was printed."""
        if printed is not None:
            last_digit = Decimal(1).scaleb(Decimal(printed).as_tuple().exponent)
            self.assertLessEqual(abs(Decimal(value) - Decimal(printed)), last_digit / 2,
                                 f"{value} does not round to {printed}")


def add_test(name):
    """A method of its own for each problem, so that one can be run or skipped alone."""
    def test(self):
        self.check(name)
    setattr(NamedProblems, "test_" + name.replace(".", ""), test)


for _name in problems.PROBLEMS:
    add_test(_name)


class Descriptions(unittest.TestCase):

    def test_half_square_halves_squared_problems_only(self):
        squared, logistic = problems.describe("cal_std"), problems.describe("mad_l1")
        self.assertEqual(squared["whole_square"], {"l1": 0.2, "l2": 0, "f_star": 0.8387})
        self.assertEqual(squared["half_square"], {"l1": 0.1, "l2": 0, "f_star": 0.41935})
        self.assertEqual(logistic["half_square"], logistic["whole_square"])

    def test_unprinted_values_are_null(self):
        ridge = problems.describe("meltingpoint")
        self.assertEqual(ridge["half_square"], {"l1": 0, "l2": 0.05, "f_star": None})
        self.assertIsNone(ridge["zero_error"])

    def test_epsilon(self):
        epsilons = {name: problems.describe(name)["epsilon"] for name in problems.PROBLEMS}
        self.assertEqual(epsilons.pop("sparse10"), 10)
        self.assertEqual(set(epsilons.values()), {1})


class Tables(unittest.TestCase):

    def test_standardise_has_population_deviation_and_spares_constants(self):
        features = np.column_stack([[1.0, 2.0, 3.0, 6.0], np.full(4, 0.1), np.zeros(4)])
        scaled = problems.standardise(features)
        np.testing.assert_allclose(scaled[:, 0].mean(), 0, atol=1e-15)
        np.testing.assert_allclose((scaled[:, 0] ** 2).mean(), 1)
        self.assertFalse(scaled[:, 1:].any())

    def test_sparse10_and_square_share_their_table(self):
        self.assertTrue(np.array_equal(problems.make("sparse10"), problems.make("square")))

    def test_svmlight_moves_the_target_last(self):
        source = problems.Source("x.svm", 2, 3, "")
        table = problems.read_svmlight(io.StringIO("-1 1:1 3:2\n1\n"), source)
        self.assertEqual(table.tolist(), [[1, 0, 2, -1], [0, 0, 0, 1]])

    def test_svmlight_rejects_what_does_not_fit(self):
        source = problems.Source("x.svm", 1, 3, "")
        for text in ["1 4:1\n", "1 0:1\n", "1 1:1\n1 1:1\n", "1 1:1 2\n", "\n", "1 a:1\n"]:
            with self.subTest(text), self.assertRaises(ValueError):
                problems.read_svmlight(io.StringIO(text), source)


class CommandLine(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = os.path.join(folder.name, "out")
        self.no_data = os.path.join(folder.name, "empty")
        os.mkdir(self.no_data)

    def test_writes_named_problems(self):
        code, _, err = run("log1", "log1_.01", "log1", "-o", self.out, "--data", self.no_data)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(sorted(os.listdir(self.out)),
                         ["log1.json", "log1.npy", "log1_.01.json", "log1_.01.npy"])

    def test_missing_set_that_was_named_fails_with_one_line(self):
        code, _, err = run("mad_l1", "log1", "-o", self.out, "--data", self.no_data)
        self.assertEqual(code, 1)
        self.assertEqual(err.count("\n"), 1)
        path = os.path.join(self.no_data, "madelon", "madelon.csv.gz")
        for part in ["mad_l1", "set madelon is missing", path, "UCI Madelon"]:
            self.assertIn(part, err)
        self.assertTrue(os.path.exists(os.path.join(self.out, "log1.npy")))

    def test_missing_sets_are_skipped_when_all_are_wanted(self):
        for names in ([], ["all"]):
            code, _, err = run(*names, "-o", self.out, "--data", self.no_data)
            self.assertEqual(code, 0)
            self.assertEqual(err.count(" skipped: "), len(problems.PROBLEMS) - len(SYNTHETIC))
            self.assertEqual(sorted(os.listdir(self.out)),
                             sorted(n + e for n in SYNTHETIC for e in (".json", ".npy")))

    def test_missing_set_without_a_data_directory(self):
        with mock.patch.object(problems, "find_data_dir", return_value=None):
            code, _, err = run("cal_std", "-o", self.out)
        self.assertEqual(code, 1)
        self.assertIn("no data directory", err)
        self.assertIn("fetch_california_housing", err)

    def test_damaged_set_fails_even_when_all_are_wanted(self):
        damaged = {"california/california.csv": b"a,target\n1,2\n",
                   "electricity/electricity.csv": b"a,target\n1,x\n",
                   "madelon/madelon.csv.gz": b"not gzip"}
        for file, content in damaged.items():
            path = os.path.join(self.no_data, file)
            os.mkdir(os.path.dirname(path))
            with open(path, "wb") as stream:
                stream.write(content)
        code, _, err = run("-o", self.out, "--data", self.no_data)
        self.assertEqual(code, 1)
        self.assertIn("holds 1 records of 1 features, not 20640 of 8", err)
        for name in ("electricity", "madelon"):
            self.assertIn(f"set {name} cannot be read", err)

    def test_data_directory_from_the_environment(self):
        with mock.patch.dict(os.environ, SOTTO_DATA="some/where"):
            self.assertEqual(problems.find_data_dir(), "some/where")
            self.assertEqual(problems.find_data_dir("else/where"), "else/where")

    def test_usage(self):
        self.assertEqual(run("log3", "-o", self.out)[0], 2)
        self.assertEqual(run("log1")[0], 2)
        self.assertFalse(os.path.exists(self.out))

    def test_list_names_each_problem(self):
        code, out, _ = run("--list")
        self.assertEqual(code, 0)
        self.assertEqual([line.split()[0] for line in out.splitlines()], list(problems.PROBLEMS))

    def test_failed_write_leaves_the_old_file_and_nothing_else(self):
        os.mkdir(self.out)
        path = os.path.join(self.out, "x")
        problems.write_whole(path, lambda file: file.write(b"old"))

        def fail(file):
            file.write(b"half of the new")
            raise OSError("disk full")

        with self.assertRaises(OSError):
            problems.write_whole(path, fail)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"old")
        self.assertEqual(os.listdir(self.out), ["x"])


class ReferenceSolver(unittest.TestCase):
    """The certificate is the ground that the rest stands on, so it is tested on its own."""

    PENALTIES = [(0.05, 0.0), (0.0, 0.1), (0.05, 0.1)]

    def cases(self):
        """Small tables, some with repeated columns, with each loss and kind of penalty."""
        for seed in range(12):
            random = np.random.RandomState(seed)
            features = random.randn(30, 20)
            if seed % 2:
                features[:, 10:] = features[:, :10] * random.choice([-1, 1, 2], 10)
            score = features[:, 0] - features[:, 1] + random.randn(30)
            for loss, target in (("squared", score + 1), ("logistic", np.sign(score))):
                for l1, l2 in self.PENALTIES:
                    yield random, features, target, loss, l1, l2

    def test_optimality_conditions(self):
        """A gap g allows gradients of about sqrt(2 g |H|), here some 1e-6."""
        for _, X, y, loss, l1, l2 in self.cases():
            found = reference.solve(X, y, loss, l1, l2)
            w, m = found.weights, X @ found.weights
            slope = 2 * (m - y) if loss == "squared" else -y / (1 + np.exp(y * m))
            gradient = X.T @ slope / len(y) + l2 * w
            on = w != 0
            np.testing.assert_allclose(gradient[on], -l1 * np.sign(w[on]), atol=1e-5)
            self.assertLessEqual(np.abs(gradient[~on]).max(initial=0), l1 + 1e-5)
            self.assertLessEqual(found.gap, CERTIFIED * found.objective)

    def test_gap_bounds_the_error_of_any_point(self):
        for random, X, y, loss, l1, l2 in self.cases():
            best = reference.solve(X, y, loss, l1, l2)
            for size in (1e-4, 1e-2, 1):
                w = best.weights + size * random.randn(X.shape[1])
                state = reference.State(X, y, reference.LOSSES[loss], l1, l2, w)
                error = state.objective - best.objective
                self.assertGreaterEqual(error, -1e-12)
                self.assertLessEqual(error, state.gap + 1e-12)

    def test_zero_is_the_answer_to_a_large_penalty(self):
        X, y = np.array([[1.0, 0.0], [2.0, 1.0]]), np.array([1.0, -1.0])
        found = reference.solve(X, y, "logistic", l1=1.0)
        self.assertEqual(found.nonzeros, 0)
        self.assertEqual(found.objective, np.log(2))

    def test_one_column_by_hand(self):
        X, y = np.array([[1.0], [1.0]]), np.array([1.0, 3.0])
        lasso = reference.solve(X, y, "squared", l1=2.0)       # mean 2, shrunk by l1 / 2
        ridge = reference.solve(X, y, "squared", l2=2.0)       # mean 2, divided by 1 + l2 / 2
        self.assertAlmostEqual(lasso.weights[0], 1, 9)
        self.assertAlmostEqual(ridge.weights[0], 1, 9)
        self.assertAlmostEqual(lasso.objective, 4, 9)
        self.assertAlmostEqual(ridge.objective, 3, 9)

    def test_float32_tables_give_the_same_answer(self):
        random = np.random.RandomState(3)
        X = (random.rand(40, 3 * reference.BLOCK // 2) < 0.1).astype(np.float64)
        y = np.sign(random.randn(40))
        narrow = np.asfortranarray(X, dtype=np.float32)
        wide, same = (reference.solve(t, y, "logistic", l1=0.02) for t in (X, narrow))
        self.assertAlmostEqual(wide.objective, same.objective, 12)

    def test_needs_a_penalty(self):
        with self.assertRaises(ValueError):
            reference.solve(np.eye(2), np.ones(2), "squared")


if __name__ == "__main__":
    unittest.main()
