#!/usr/bin/env python3
"""Ledgers: opened or made, charged, refused at the cap, pickled by name."""

import os
import pickle
import unittest
import warnings

from common import BUDGET, Case, dp, main, np, problem, program

from sotto_dp._spending import untracked


class Ledgers(Case):
    def setUp(self):
        super().setUp()
        self.ledger = dp.Ledger(self.file("ledger.db"))
        self.X, self.y = problem()

    def model(self, dataset, **more):
        return dp.LogisticRegression(**{**BUDGET, "ledger": dataset, **more})

    def test_opens_or_makes(self):
        made = self.ledger.dataset("a", epsilon=2, delta=1e-6, owner="us")
        self.assertEqual(self.ledger.dataset("a"), made)
        self.assertEqual(self.ledger.dataset("a", epsilon=2, delta=1e-6, adjacency="add-remove",
                                             owner="us", rows=1), made)
        self.ledger.dataset("b", unit="patient", rows=3, epsilon=1, delta=1e-6)
        self.assertEqual(self.ledger.names(), ["a", "b"])
        self.assertEqual(self.ledger.dataset("b").unit, "patient")
        self.assertIn('"patient"', program("ledger", "show", "--ledger", "ledger.db",
                                           "--dataset", "b", cwd=self.folder))

    def test_other_values_than_the_stored_ones_are_refused(self):
        self.ledger.dataset("a", epsilon=2, delta=1e-6)
        self.ledger.dataset("p", unit="patient", epsilon=2, delta=1e-6)
        self.ledger.dataset("n", delta=1e-6)
        for name, values in (("a", {"epsilon": 3}), ("a", {"epsilon": 1}), ("a", {"delta": 1e-7}),
                             ("a", {"unit": "patient"}), ("a", {"rows": 2}),
                             ("a", {"adjacency": "replace-one"}), ("a", {"owner": "us"}),
                             ("p", {"unit": "person"}), ("p", {"rows": 2, "unit": "x"}),
                             ("n", {"epsilon": 1})):
            with self.subTest(name=name, **values):
                self.refused(dp.UsageError, "expected the same|leave", self.ledger.dataset, name,
                             **values)
        self.assertRaises(dp.UsageError, self.ledger.dataset, "new", epsilon=-1, delta=1e-6)
        self.assertEqual(self.ledger.names(), ["a", "p", "n"])

    def test_names_of_any_kind_are_the_same_unit(self):
        for unit in ('say "when"', "ärztin", "x" * 100, "a\\b"):
            name = str(len(unit))
            self.ledger.dataset(name, unit=unit, epsilon=1, delta=1e-6)
            self.assertEqual(self.ledger.dataset(name, unit=unit).unit, unit)

    def test_declared_rows_of_a_person(self):
        self.ledger.dataset("a", rows=4, epsilon=1, delta=1e-6)
        self.assertEqual(self.ledger.dataset("a").rows, 4)
        self.refused(dp.UsageError, "at most 4 rows", self.ledger.dataset, "a", rows=3)

    def test_charged_then_refused_at_the_cap(self):
        dataset = self.ledger.dataset("a", epsilon=2, delta=1e-6)
        fits, left = 0, dataset.left()
        while True:
            try:
                model = self.model(dataset).fit(self.X, self.y)
            except dp.BudgetError as error:
                self.assertRegex(str(error), "refused: cap epsilon 2")
                break
            fits += 1
            booking = model.privacy_["booking"]
            self.assertEqual((booking["dataset"], booking["position"]), ("a", fits + 1))
            self.assertLess(dataset.left(), left)
            left = dataset.left()
        self.assertEqual(fits, 3)
        self.assertLessEqual(dataset.spent(), 2)
        entries = dataset.history()
        self.assertEqual([each.kind for each in entries], ["charge"] * 3 + ["created"])
        self.assertTrue(all(each.finished for each in entries[:3]))
        self.assertEqual(dataset.verify(), 4)
        dataset.raise_cap(3)
        self.model(dataset).fit(self.X, self.y)
        self.assertIn("a", dataset.page())

    def test_bad_input_before_the_first_row_is_not_charged(self):
        dataset = self.ledger.dataset("a", epsilon=2, delta=1e-6)
        for params, X, y in (({"solver": "gd"}, self.X, self.y), ({"l1": -1}, self.X, self.y),
                             ({}, self.X, self.y.astype(str)), ({}, self.X[:, :0], self.y),
                             ({}, self.X, self.y[1:]), ({"epsilon": None}, self.X, self.y)):
            self.assertRaises(ValueError, self.model(dataset, **params).fit, X, y)
        self.assertEqual(dataset.spent(), 0)
        self.assertEqual(len(dataset.history()), 1)

    def test_a_bad_row_and_a_stopped_fit_stay_charged(self):
        dataset = self.ledger.dataset("a", epsilon=3, delta=1e-6)
        self.X[3, 1] = np.nan
        self.refused(dp.DataError, "stays charged", self.model(dataset).fit, self.X, self.y)
        self.X[3, 1] = 0
        stopped = self.model(dataset).set_params(progress=lambda at: True)
        self.assertRaises(KeyboardInterrupt, stopped.fit, self.X, self.y)
        self.assertEqual([each.finished for each in dataset.history()], [False, False, False])
        self.assertFalse(hasattr(stopped, "coef_"))

    def test_an_untracked_fit_that_ends_on_a_bad_row_counts(self):
        def said(found):
            return "".join(str(each.message) for each in found)

        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always", dp.UntrackedWarning)
            untracked.forget()
            self.model(None).fit(self.X, self.y)
            self.assertIn("1 untracked fit in", said(found))
            self.X[3, 1] = np.nan
            self.assertRaises(dp.DataError, self.model(None).fit, self.X, self.y)
            self.X[3, 1] = 0
            self.model(None).fit(self.X, self.y)
            self.assertIn("3 untracked fits in", said(found))
            self.assertRaises(dp.UsageError, self.model(None, l1=-1).fit, self.X, self.y)
            self.model(None).fit(self.X, self.y)
            self.assertIn("4 untracked fits in", said(found))

    def test_messages_name_parameters(self):
        for params, words in (({"adjacency": "replace-one", "ledger": self.ledger.dataset(
                "b", epsilon=2, delta=1e-6, adjacency="replace-one")}, "expected rows=N"),
                ({"solver": "exact"}, "expected epsilon inf")):
            self.refused(ValueError, words, self.model(None, **params).fit, self.X, self.y)

    def test_quote(self):
        dataset = self.ledger.dataset("a", epsilon=2, delta=1e-6)
        plan = dp.LogisticRegression(**BUDGET, rows=600).plan(features=3)
        quote = dataset.quote(plan, runs=2)
        self.assertEqual((quote.fits, quote.how_many, quote.cap_epsilon), (True, 3, 2))
        self.assertFalse(dataset.quote(plan, runs=4).fits)
        model = self.model(dataset).fit(self.X, self.y)
        self.assertEqual(dataset.quote(model).how_many, 2)
        self.assertEqual(len(dataset.history()), 2)
        self.refused(dp.PrivacyError, "without a statement", dataset.quote, object())
        self.assertIsNone(self.ledger.dataset("open", delta=1e-6).quote(plan).how_many)
        self.assertIsNone(self.ledger.dataset("open").left())

    def test_a_cap_of_one(self):
        """Epsilon 1 is booked as a little more, and what is left fits."""
        dataset = self.ledger.dataset("a", epsilon=1, delta=1e-6)
        self.refused(dp.BudgetError, r"nothing was charged; epsilon=dataset\.left\(\) fits",
                     self.model(dataset).fit, self.X, self.y)
        self.assertEqual(dataset.spent(), 0)
        self.model(dataset, epsilon=dataset.left()).fit(self.X, self.y)
        self.assertLessEqual(dataset.spent(), 1)

    def test_no_cap(self):
        """Both ways to give a data set a cap later say the same."""
        dataset = self.ledger.dataset("open", delta=1e-6)
        self.refused(dp.UsageError, "no cap, and a cap is fixed before the first run",
                     dataset.raise_cap, 3)
        self.refused(dp.UsageError, "without a cap, and a cap is fixed before the first run; "
                     "leave out epsilon=", self.ledger.dataset, "open", epsilon=3, delta=1e-6)
        self.refused(dp.UsageError, "made with delta=1e-06", self.ledger.dataset, "open",
                     delta=1e-5)

    def test_a_plan_of_columns_that_are_not_listed(self):
        dataset = self.ledger.dataset("a", epsilon=2, delta=1e-6)
        for schema in (dp.Schema(others=dp.Number(-1, 1)),
                       dp.Schema({"1": dp.Number(-1, 1)}, others=dp.Number(-1, 1))):
            model = self.model(None, schema=schema, rows=600)
            plan = model.plan(features=3)
            fitted = model.fit(self.X, self.y)
            self.assertEqual(plan.epsilon, fitted.privacy_["epsilon"])
            self.assertEqual(plan.statement["questions"], fitted.statement_["questions"])
            self.assertEqual(fitted.explain(), model.explain(features=3, rows=600))
            self.assertTrue(dataset.quote(plan).fits)
        self.refused(dp.UsageError, "features: expected how many", self.model(
            None, schema=dp.Schema(others=dp.Number(-1, 1))).plan, rows=600)
        listed = dp.Schema({str(j + 1): dp.Number(-1, 1) for j in range(3)})
        self.refused(dp.UsageError, "the schema declares 3", self.model(None, schema=listed).plan,
                     features=4, rows=600)

    def test_people(self):
        dataset = self.ledger.dataset("a", unit="person", rows=2, epsilon=2, delta=1e-6)
        people = np.arange(len(self.y)) // 3
        model = self.model(dataset).fit(self.X, self.y, person=people)
        self.assertRegex(model.privacy_["unit"], 'the same "person", of which at most 2 are used')
        self.assertRaises(ValueError, self.model(dataset).fit, self.X, self.y)
        self.assertEqual(len(dataset.history()), 2)

    def test_pickled_by_path_and_name(self):
        dataset = self.ledger.dataset("a", epsilon=2, delta=1e-6)
        model = self.model(dataset).fit(self.X, self.y)
        data = pickle.dumps(model)
        again = pickle.loads(data)
        self.assertEqual(again.privacy_["booking"], model.privacy_["booking"])
        again.fit(self.X, self.y)
        self.assertEqual(len(dataset.history()), 3)
        os.rename(self.file("ledger.db"), self.file("elsewhere.db"))
        lost = pickle.loads(data)
        self.refused(dp.SottoError, "the ledger is not there", lost.fit, self.X, self.y)
        lost = pickle.loads(data)
        self.assertTrue(np.array_equal(lost.predict(self.X), model.predict(self.X)))

    def test_insecure_and_exact_fits_are_not_booked(self):
        dataset = self.ledger.dataset("a", epsilon=2, delta=1e-6)
        self.model(dataset, insecure_seed=1).fit(self.X, self.y)
        self.model(dataset, epsilon=float("inf"), l2=0.1).fit(self.X, self.y)
        self.assertEqual(len(dataset.history()), 1)


if __name__ == "__main__":
    main()
