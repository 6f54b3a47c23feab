#!/usr/bin/env python3
"""evaluate(): private numbers about a model, with the bits of the program, charged once."""

import csv
import json
import os
import pickle
import re
import traceback
import zlib

from common import BUDGET, Case, dp, main, np, problem, program

SEED = 5
SCHEMA = dp.Schema(others=dp.Number(-1, 1))


class Telling:
    """What cannot be made an array, and says why."""

    dtype = np.dtype("O")

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return self.rows

    def __array__(self, *_, **__):
        raise RuntimeError("the record says SECRET")


class Evaluations(Case):
    def fitted(self, kind=dp.LogisticRegression, **more):
        X, y = problem(4000)
        if kind is dp.LinearRegression:
            y = X[:, 0] + X[:, 1] / 2
            more["schema"] = dp.Schema({"target": dp.Target(-2, 2)}, others=dp.Number(-1, 1))
        return kind(**BUDGET, **{"schema": SCHEMA, **more}).fit(X[:2000], y[:2000]), X[2000:], \
            y[2000:]

    def test_bits_of_the_program(self):
        """One seed, one file: for two kinds of target."""
        for kind in (dp.LogisticRegression, dp.LinearRegression):
            model, X, y = self.fitted(kind)
            model.save(self.file(f"{kind.__name__}.json"))
            with open(self.file("test.csv"), "w", newline="", encoding="utf-8") as file:
                out = csv.writer(file, lineterminator="\n")
                out.writerow(["1", "2", "3", "target"])
                for row, label in zip(X, y):
                    out.writerow([*map(repr, map(float, row)), repr(label.item())])
            found = model.evaluate(X, y, **BUDGET, insecure_seed=SEED)
            found.save(self.file("python.json"))
            program("evaluate", f"{kind.__name__}.json", "test.csv", "--epsilon", 1, "--delta",
                    1e-6, "--insecure-seed", SEED, "-o", f"e{kind.__name__}.json",
                    cwd=self.folder)
            with open(self.file(f"e{kind.__name__}.json"), encoding="utf-8") as file:
                told = file.read()
            with open(self.file("python.json"), encoding="utf-8") as file:
                self.assertEqual(file.read(), told)
            self.assertIsNone(found.statement)
            self.assertTrue(json.loads(told)["not_private"])

    def test_numbers(self):
        """The intervals hold the exact score: six standard errors do."""
        model, X, y = self.fitted()
        found = model.evaluate(X, y, **BUDGET)
        self.assertEqual(list(found), ["rows", "accuracy", "auc", "log_loss"])
        for name, exact in (("accuracy", model.score(X, y)), ("rows", len(y))):
            one = found[name]
            self.assertLess(abs(one.value - exact), 6 * one.sd)
            self.assertLess(one.interval_95[0], one.interval_90[0])
            self.assertLess(one.interval_90[0], one.value)
            self.assertLess(one.value, one.interval_90[1])
            self.assertLess(one.interval_90[1], one.interval_95[1])
        with self.assertRaisesRegex(KeyError, "does not belong"):
            found["mse"]
        with self.assertRaisesRegex(KeyError, "expected one of"):
            found["f1"]
        self.assertLessEqual(found.statement["epsilon"], 1)
        self.assertIn("accuracy", repr(found))
        model, X, y = self.fitted(dp.LinearRegression)
        found = model.evaluate(X, y, **BUDGET)
        self.assertEqual(list(found), ["rows", "mse", "mae", "r2"])
        self.assertLess(abs(found["r2"].value - model.score(X, y)), 6 * found["r2"].sd)

    def test_files_and_pages(self):
        model, X, y = self.fitted()
        found = model.evaluate(X, y, **BUDGET)
        found.save(self.file("e.json"))
        model.save(self.file("m.json"))
        self.assertIn("accuracy", program("show", "e.json", cwd=self.folder))
        page = found.report(self.file("page.html"), "readmissions")
        self.assertIn("readmissions", page)
        self.assertIn("ROC", page)
        self.assertTrue(os.path.getsize(self.file("page.html")))
        program("report", "m.json", "e.json", "-o", "p.html", cwd=self.folder)
        again = pickle.loads(pickle.dumps(found))
        self.assertEqual(again.text(), found.text())

    def dataset(self, epsilon=9):
        ledger = dp.Ledger(self.file("a.ledger"))
        return ledger.dataset("tests", epsilon=epsilon, delta=1e-5)

    def charges(self, dataset):
        return len([each for each in dataset.history() if each.kind == "charge"])

    def test_classes(self):
        """Recall and precision of each class, and the counts, are what the file has."""
        model, X, y = self.fitted()
        found = model.evaluate(X, y, **BUDGET)
        told = json.loads(found.text())
        self.assertEqual(found.classes, told["classes"])
        self.assertEqual(list(found.by_class), told["classes"])
        for name, each in zip(told["classes"], told["by_class"]):
            self.assertEqual(set(found.by_class[name]), {"rows", "recall", "precision"})
            for key, one in each.items():
                estimate = found.by_class[name][key]
                self.assertEqual((estimate.value, estimate.sd, list(estimate.interval_95)),
                                 (one["value"], one["sd"], one["interval_95"]))
        np.testing.assert_array_equal(found.confusion, told["confusion"]["counts"])
        number = self.fitted(dp.LinearRegression)
        found = number[0].evaluate(*number[1:], **BUDGET)
        self.assertEqual((found.classes, found.by_class, found.confusion), ([], {}, None))

    def test_load(self):
        model, X, y = self.fitted()
        found = model.evaluate(X, y, **BUDGET)
        found.save(self.file("e.json"))
        self.assertEqual(dp.Evaluation.load(self.file("e.json"), model).text(), found.text())
        model.save(self.file("m.json"))
        again = dp.Evaluation.load(self.file("e.json"), dp.load(self.file("m.json")))
        self.assertEqual((again.text(), again.report()), (found.text(), found.report()))
        for call, said in ((lambda: dp.load(self.file("e.json")),
                            r"e\.json: this is an evaluation.*Evaluation\.load"),
                           (lambda: dp.Evaluation.load(self.file("e.json"), self.fitted()[0]),
                            "an evaluation of another model"),
                           (lambda: dp.Evaluation.load(self.file("m.json"), model),
                            "not an evaluation")):
            with self.assertRaisesRegex(dp.UsageError, said):
                call()
        with self.assertRaisesRegex(FileNotFoundError, "there is no such file"):
            dp.Evaluation.load(self.file("none.json"), model)

    def test_a_forged_claim_is_not_loaded(self):
        model, X, y = self.fitted()
        body, _, _ = model.evaluate(X, y, **BUDGET).text().rpartition('"checksum"')
        forged = re.sub(r'"epsilon": [0-9.]+', '"epsilon": 0.01', body, count=1).encode()
        self.assertNotEqual(forged, body.encode())
        for words, fine in ((body.encode(), True), (forged, False)):
            with open(self.file("e.json"), "wb") as file:
                file.write(words + b'"checksum": "crc32:%08x"\n}\n' % zlib.crc32(words))
            if fine:
                dp.Evaluation.load(self.file("e.json"), model)
            else:
                with self.assertRaisesRegex(dp.SottoError, "claims epsilon 0.01"):
                    dp.Evaluation.load(self.file("e.json"), model)

    def test_it_is_booked(self):
        model, X, y = self.fitted()
        tests = self.dataset()
        found = model.evaluate(X, y, **BUDGET, ledger=tests, purpose="a paper")
        entry = tests.history()[0]
        self.assertEqual((self.charges(tests), entry.purpose, entry.finished),
                         (1, "a paper", True))
        self.assertNotEqual(found.statement["ledger"], "untracked")
        small = dp.Ledger(self.file("b.ledger")).dataset("tests", epsilon=.1, delta=1e-5)
        with self.assertRaises(dp.BudgetError):
            model.evaluate(X, y, **BUDGET, ledger=small)
        self.assertEqual(self.charges(small), 0)

    def test_records_that_fail_are_charged(self):
        """Whether a record can be read is told once, and paid for."""
        model, X, y = self.fitted()
        tests = self.dataset()

        class Strange:
            dtype = np.dtype("O")

            def __len__(self):
                return 3

            def __array__(self, *_, **__):
                raise RuntimeError("a record says 987654.321")

        for i, bad in enumerate((np.array([float("nan")] * len(y)), y[:10], Strange())):
            with self.assertRaises(dp.DataError) as caught:
                model.evaluate(X, bad, **BUDGET, ledger=tests)
            self.assertNotIn("987654", str(caught.exception))
            self.assertEqual(self.charges(tests), i + 1)

    def test_ids_without_a_text_are_nobody(self):
        """As in a fit: otherwise all of them would be one person."""
        model, X, y = self.fitted()
        ids = np.empty(len(y), dtype=object)
        for i in range(len(y)):
            ids[i] = ("id", i)
        with self.assertRaisesRegex(dp.DataError, "expected a value, found none"):
            model.evaluate(X, y, person=ids, **BUDGET, insecure_seed=SEED)

    def test_what_others_raise_is_not_told(self):
        """A library's error may quote a record. It is charged, with people and without."""
        model, X, y = self.fitted()
        people = np.arange(len(y)).astype(str)
        ledger = dp.Ledger(self.file("l.db"))
        sets = {None: ledger.dataset("rows", epsilon=20, delta=1e-4),
                "person": ledger.dataset("people", unit="person", epsilon=20, delta=1e-4)}
        for unit, dataset in [(None, None), *sets.items()]:
            before = len(dataset.history()) if dataset else 0
            try:
                model.evaluate(X, Telling(len(y)), person=people if unit else None, **BUDGET,
                               ledger=dataset)
            except dp.DataError as error:
                told = "".join(traceback.format_exception(error))
            self.assertNotIn("SECRET", told)
            self.assertEqual("stays charged" in told, dataset is not None)
            if dataset:
                self.assertEqual(len(dataset.history()), before + 1)

    def test_refusals_cost_nothing(self):
        model, X, y = self.fitted()
        tests = self.dataset()
        for words, kind, call in (
                ("epsilon", dp.PrivacyError, {"delta": 1e-6}),
                ("delta", dp.PrivacyError, {"epsilon": 1}),
                ("y or target", dp.UsageError, {**BUDGET, "target": "target"}),
                ("data set", dp.UsageError, {**BUDGET, "ledger": "x.ledger"})):
            with self.assertRaisesRegex(kind, words):
                model.evaluate(X, y, **{"ledger": tests, **call})
        with self.assertRaisesRegex(dp.UsageError, "expected y"):
            model.evaluate(X, **BUDGET, ledger=tests)
        exact = dp.LogisticRegression(epsilon=float("inf")).fit(X, y)
        with self.assertRaisesRegex(dp.PrivacyError, "NOT PRIVATE"):
            exact.evaluate(X, y, **BUDGET, ledger=tests)
        self.assertEqual(self.charges(tests), 0)

    def test_warnings(self):
        model, X, y = self.fitted()
        with self.assertWarnsRegex(dp.UntrackedWarning, "this evaluation"):
            model.evaluate(X, y, **BUDGET)
        with self.assertWarnsRegex(dp.NotPrivateWarning, "insecure_seed"):
            model.evaluate(X, y, **BUDGET, insecure_seed=1)


if __name__ == "__main__":
    main()
