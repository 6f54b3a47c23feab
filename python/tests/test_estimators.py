#!/usr/bin/env python3
"""Estimators: parameters, refusals, labels, columns, files and pickles."""

import inspect
import os
import pickle
import warnings
import zlib
from unittest import mock

from common import BUDGET, LOSSES, SECRETS, Case, dp, main, np, problem, program


class Parameters(Case):
    def test_init_only_stores(self):
        for kind in LOSSES.values():
            names = inspect.signature(kind).parameters
            marks = {name: object() for name in names}
            model = kind(**marks)
            self.assertEqual(vars(model), marks)
            self.assertEqual(model.get_params(), marks)
            self.assertTrue(all(each.kind is each.KEYWORD_ONLY for each in names.values()))

    def test_set_params(self):
        model = dp.LogisticRegression().set_params(epsilon=2, l2=0.1)
        self.assertEqual((model.epsilon, model.l2), (2, 0.1))
        self.assertEqual(repr(model), "LogisticRegression(epsilon=2, l2=0.1)")
        self.assertRaises(ValueError, model.set_params, rounding=1)

    def test_there_is_no_default_budget(self):
        X, y = problem()
        for kind in LOSSES.values():
            self.refused(dp.PrivacyError, "epsilon: expected", kind().fit, X, y)
            self.refused(dp.PrivacyError, "delta: expected", kind(epsilon=1).fit, X, y)
            self.refused(dp.PrivacyError, "epsilon: expected", kind().plan, 3, 100)


class Refusals(Case):
    def test_the_librarys_line_is_the_message(self):
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET)
        for params, kind, words in (
                ({"epsilon": -1}, dp.UsageError, "^epsilon"),
                ({"solver": "magic"}, dp.UsageError, "^solver"),
                ({"passes": 3}, dp.UsageError, "^passes is ignored by solver auto"),
                ({"solver": "gd"}, dp.PrivacyError, "has no bounds"),
                ({"l1": "much"}, dp.UsageError, "^l1"),
                ({"l1": {}}, dp.UsageError, "expected a number or a text, found dict"),
                ({"classes": [1, 1]}, dp.UsageError, "two or more different labels"),
                ({"classes": ["1,5", "c"]}, dp.UsageError, "classes: y has numbers"),
                ({"ledger": "file.db"}, dp.UsageError, "Ledger"),
                ({"progress": "bar"}, dp.UsageError, "progress")):
            refused = dp.LogisticRegression(**{**BUDGET, **params})
            self.refused(kind, words, refused.fit, X, y)
            self.assertIsInstance(kind("x"), dp.SottoError)
        self.assertFalse(hasattr(model, "coef_"))

    def test_no_message_quotes_a_value(self):
        X, y = problem(50)
        model = dp.LinearRegression(**BUDGET)
        for secret in SECRETS:
            words = X.astype(object)
            words[7, 1] = secret + "!"
            self.refused(dp.DataError, 'row 8, column "2"', model.fit, words, y)
            words = y.astype(object)
            words[7] = secret + "!"
            self.refused(dp.DataError, 'row 8, column "target"', model.fit, X, words)
        y = y.astype(float)
        for value in (np.nan, np.inf):
            for where in (X, y.reshape(-1, 1)):
                kept = where[7, 0]
                where[7, 0] = value
                self.refused(dp.DataError, "row 8", model.fit, X, y)
                where[7, 0] = kept

    def test_shapes(self):
        X, y = problem(50)
        model = dp.LogisticRegression(**BUDGET)
        self.refused(ValueError, "Reshape your data", model.fit, X[0], y[:1])
        self.refused(ValueError, "0 feature", model.fit, X[:, :0], y)
        self.refused(ValueError, "inconsistent", model.fit, X, y[1:])
        self.refused(ValueError, "1d array", model.fit, X, np.column_stack([y, y]))
        self.refused(ValueError, "requires y", model.fit, X)
        self.refused(ValueError, "Complex", model.fit, X * 1j, y)
        self.refused(ValueError, "not fitted", model.predict, X)
        model.fit(X, y)
        self.refused(ValueError, "X has 2 features, but LogisticRegression is expecting 3",
                     model.predict, X[:, :2])

    def test_weights_need_a_bound(self):
        X, y = problem()
        self.refused(dp.UsageError, "weight_bound=B", dp.LogisticRegression(**BUDGET).fit, X, y,
                     np.ones(len(y)))

    def test_hinge_needs_nothing(self):
        X, y = problem()
        svm = dp.LinearSVC(**BUDGET, loss="hinge").fit(X, y)
        self.assertEqual(svm._model.loss(), "hinge")
        self.assertNotEqual(svm.intercept_.tolist(), [0])

    def test_hinge_by_its_dual_says_what_it_needs(self):
        X, y = problem()
        self.refused(dp.UsageError, "solver scd.*fit_intercept=False",
                     dp.LinearSVC(**BUDGET, loss="hinge", solver="scd").fit, X, y)
        svm = dp.LinearSVC(**BUDGET, loss="hinge", solver="scd", fit_intercept=False, l2=0.1,
                           undeclared="rows").fit(X, y)
        self.assertEqual((svm._model.loss(), svm.intercept_.tolist()), ("hinge", [0]))


class Labels(Case):
    def setUp(self):
        super().setUp()
        self.X, self.y = problem(2000)

    def fit(self, y, **more):
        return dp.LogisticRegression(**BUDGET, **more).fit(self.X, y)

    def test_what_is_told_by_the_type(self):
        for y, classes in ((self.y.astype(bool), [False, True]), (self.y, [0, 1]),
                           (self.y.astype(np.uint8), [0, 1]), (self.y.astype(np.float32), [0, 1]),
                           (self.y.tolist(), [0, 1])):
            model = self.fit(y)
            self.assertEqual(model.classes_.tolist(), classes)
            self.assertGreater(model.score(self.X, y), 0.8)
            self.assertEqual(model.predict(self.X).dtype.kind, np.array(classes).dtype.kind)

    def test_other_labels_are_declared(self):
        signs, words = np.where(self.y, 1, -1), np.where(self.y, "yes", "no")
        for y, classes in ((signs, [-1, 1]), (words, ["no", "yes"]), (words, ["yes", "no"]),
                           (words.astype(object), ["no", "yes"]), (self.y * 3 + 2, [2, 5])):
            for given in (classes, np.array(classes)):
                model = self.fit(y, classes=given)
                self.assertEqual(model.classes_.tolist(), sorted(classes))
                self.assertGreater(model.score(self.X, y), 0.8)

    def test_everything_is_about_the_second_of_sorted_classes(self):
        """In whatever order they are declared; the model keeps the declared one."""
        words = np.where(self.y, "diseased", "healthy")
        schema = dp.Schema({"1": dp.Number(-1, 1), "2": dp.Number(-1, 1), "3": dp.Number(-1, 1),
                            "ill": dp.Target(classes=["healthy", "diseased"])})
        for kind in (dp.LogisticRegression, dp.LinearSVC):
            for more in ({"classes": ["healthy", "diseased"]}, {"schema": schema}):
                model = kind(**BUDGET, insecure_seed=2, **more).fit(self.X, words)
                self.assertEqual(model._model.classes(), ["healthy", "diseased"])
                model.save(self.fresh("model.json"))
                for one in (model, dp.load(self.file("model.json")),
                            pickle.loads(pickle.dumps(model))):
                    self.assertEqual(one.classes_.tolist(), ["diseased", "healthy"])
                    scores = one.decision_function(self.X)
                    self.assertLess(np.mean(scores[self.y == 1]), np.mean(scores[self.y == 0]))
                    np.testing.assert_allclose(
                        scores, self.X @ one.coef_[0] + one.intercept_[0], atol=1e-9)
                    self.assertEqual(one.predict(self.X).tolist(),
                                     one.classes_[(scores > 0).astype(int)].tolist())
                    self.assertGreater(one.score(self.X, words), 0.8)
                    if kind is dp.LogisticRegression:
                        np.testing.assert_allclose(one.predict_proba(self.X)[:, 1],
                                                   1 / (1 + np.exp(-scores)), atol=1e-9)

    def test_undeclared_ones_are_refused_without_a_word_of_them(self):
        words = np.where(self.y, "SECRETWORD", "no")
        for y in (words, words.astype(object)):
            error = self.refused(dp.PrivacyError, "classes: the labels in y are data; expected "
                                 r"classes=\[\.\.\.\] with all of them", self.fit, y)
            self.assertNotIn("no", str(error).split())
        # what is in a list is data altogether: it is read as 0/1
        self.refused(dp.DataError, "classes", self.fit, words.tolist())
        # which of the two ways of writing numbers is used would be data, too
        self.refused(dp.DataError, r"classes=\[-1, 1\]", self.fit, np.where(self.y, 1, -1))
        error = self.refused(dp.DataError, "expected 0 or 1.*without classes=.*more than two",
                             self.fit, self.y * 987654.321)
        self.assertNotIn("declared", str(error))
        self.refused(dp.UsageError, "comma", self.fit, words, classes=["a,b", "c"])

    def test_a_rare_label_changes_nothing_that_is_released(self):
        """All rows of one class: the labels are those that were declared."""
        for y in (np.zeros(2000, int), np.ones(2000, int)):
            self.assertEqual(self.fit(y).classes_.tolist(), [0, 1])

    def test_three_classes(self):
        """Shapes and answers as scikit-learn has them; a file brings them back."""
        X = np.random.default_rng(3).uniform(-1, 1, (400, 2))
        codes = (X[:, 0] > -.3).astype(int) + (X[:, 0] > .3)
        labels = np.array(["b", "a", "c"])
        for kind, more in ((dp.LogisticRegression, {}), (dp.LinearSVC, {}),
                           (dp.LogisticRegression, {"multiclass": "one-versus-rest"})):
            for given in (labels, np.array([5, 3, 9])):
                model = kind(epsilon=float("inf"), classes=given.tolist(), l2=1e-4, **more)
                model.fit(X, given[codes])
                self.assertEqual(model.coef_.shape, (3, 2))
                self.assertEqual(model.intercept_.shape, (3,))
                self.assertEqual(model.classes_.tolist(), sorted(given.tolist()))
                scores = model.decision_function(X)
                self.assertLess(np.abs(X @ model.coef_.T + model.intercept_ - scores).max(), 1e-9)
                self.assertTrue(np.array_equal(model.predict(X),
                                               model.classes_[scores.argmax(axis=1)]))
                self.assertAlmostEqual(model.score(X, given[codes]),
                                       np.mean(model.predict(X) == given[codes]))
                self.assertGreater(model.score(X, given[codes]), 0.6)
                again = pickle.loads(pickle.dumps(model))
                self.assertTrue(np.array_equal(again.predict(X), model.predict(X)))
                if kind is dp.LogisticRegression:
                    chances = model.predict_proba(X)
                    self.assertEqual(chances.shape, (400, 3))
                    self.assertLess(np.abs(chances.sum(axis=1) - 1).max(), 1e-12)
        self.refused(dp.UsageError, "different labels", self.fit, self.y, classes=[0, 1, 1])
        private = dp.LogisticRegression(epsilon=8, delta=1e-6, classes=["b", "a", "c"])
        self.assertGreater(private.fit(X, labels[codes]).score(X, labels[codes]), 0.6)
        self.assertEqual(private.predict_proba(X).shape, (400, 3))

    def test_three_classes_private(self):
        """Each class against all others, in one event a round: of the SVM, or where it is asked."""
        codes = (self.X[:, 0] > -.3).astype(int) + (self.X[:, 0] > .3)
        for kind, more in ((dp.LinearSVC, {}), (dp.LinearSVC, {"loss": "hinge"}),
                           (dp.LogisticRegression, {"multiclass": "one-versus-rest"})):
            with self.subTest(kind=kind.__name__, **more):
                model = kind(epsilon=4, delta=1e-6, classes=[0, 1, 2], insecure_seed=1, **more)
                self.assertGreater(model.fit(self.X, codes).score(self.X, codes), .6)
                self.assertEqual(model.coef_.shape[0], 3)
                stated = kind(**BUDGET, classes=[0, 1, 2], rows=len(codes), **more).fit(
                    self.X, codes).statement_
                self.assertIn("gradient of classes",
                              [each["question"] for each in stated["questions"]])
                again = pickle.loads(pickle.dumps(model))
                self.assertTrue(np.array_equal(again.predict(self.X), model.predict(self.X)))
        self.refused(dp.UsageError, "more than two classes with solver auto or newton", dp.LinearSVC(
            **BUDGET, classes=[0, 1, 2], solver="gd").fit, self.X, codes)

    def test_public_is_the_callers_word(self):
        model = self.fit(np.where(self.y, "b", "a"), classes="public")
        self.assertEqual(model.classes_.tolist(), ["a", "b"])
        self.refused(dp.DataError, "one class", self.fit, np.zeros(2000), classes="public")
        self.refused(dp.DataError, "at most 1000", self.fit, np.arange(2000), classes="public")

    def test_public_of_more_than_two(self):
        """The labels that y has, whatever their type and order."""
        codes = (self.X[:, 0] > 0).astype(int) + (self.X[:, 1] > 0)
        for labels in (np.array([7, -2, 5]), np.array(["mid", "top", "low"]), np.array([2., 0., 1.])):
            with self.subTest(labels=labels):
                model = dp.LogisticRegression(epsilon=8, delta=1e-6, classes="public", insecure_seed=2)
                y = labels[codes]
                self.assertGreater(model.fit(self.X, y).score(self.X, y), 0.6)
                self.assertEqual(model.classes_.tolist(), sorted(labels.tolist()))
                self.assertEqual(model.predict_proba(self.X).shape, (len(y), 3))
                listed = dp.LogisticRegression(epsilon=8, delta=1e-6, classes=sorted(labels.tolist()),
                                               insecure_seed=2).fit(self.X, y)
                self.assertTrue(np.array_equal(listed.coef_, model.coef_))
        exact = dp.LinearSVC(epsilon=float("inf"), l2=.01, classes="public").fit(self.X, y)
        self.assertEqual(exact.coef_.shape[0], 3)
        private = dp.LinearSVC(**BUDGET, classes="public").fit(self.X, codes)
        self.assertEqual(private.classes_.tolist(), [0, 1, 2])

    def test_probabilities_and_scores(self):
        model = self.fit(np.where(self.y, "yes", "no"), classes=["no", "yes"])
        proba, score = model.predict_proba(self.X), model.decision_function(self.X)
        self.assertTrue(np.allclose(proba[:, 1], 1 / (1 + np.exp(-score)), rtol=1e-12))
        self.assertTrue(np.array_equal(model.predict(self.X) == "yes", score > 0))
        by_hand = self.X @ model.coef_[0] + model.intercept_
        self.assertTrue(np.allclose(score, by_hand, rtol=1e-4, atol=1e-4))
        self.assertTrue(np.array_equal(np.exp(model.predict_log_proba(self.X)), proba) or
                        np.allclose(np.exp(model.predict_log_proba(self.X)), proba))


class Kept(Case):
    def test_results(self):
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET, purpose="a test").fit(X, y)
        self.assertEqual((model.coef_.shape, model.noise_.shape, model.intercept_.shape),
                         ((1, 3), (1, 3), (1,)))
        self.assertEqual((model.n_features_in_, list(model.coef_names_)), (3, ["1", "2", "3"]))
        self.assertFalse(hasattr(model, "feature_names_in_"))
        self.assertLessEqual(model.privacy_["epsilon"], 1)
        self.assertEqual(model.statement_["ledger"], "untracked")
        line = dp.LinearRegression(**BUDGET).fit(X, y)
        self.assertEqual((line.coef_.shape, type(line.intercept_)), ((3,), float))

    def test_what_came_before_is_not_covered(self):
        X, y = problem()
        words = "what was done to the columns before sotto"
        model = dp.LogisticRegression(**BUDGET).fit(X, y)
        self.assertIn(words, model.statement_["not_covered"])
        self.assertIn(words, model.report())
        model._columns_covered = True  # only a pipeline's own call can say so
        self.assertIn(words, model.fit(X, y).statement_["not_covered"])

    def test_pickle(self):
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET, l2=0.1).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        self.assertEqual(again._model.text(), model._model.text())
        self.assertEqual(again.get_params(), model.get_params())
        self.assertTrue(np.array_equal(again.predict_proba(X), model.predict_proba(X)))
        unfitted = pickle.loads(pickle.dumps(dp.LinearSVC(**BUDGET)))
        self.assertEqual(unfitted.epsilon, 1)

    def test_files_are_the_programs(self):
        X, y = problem()
        for kind in LOSSES.values():
            model = kind(**BUDGET).fit(X, y)
            model.save(self.fresh("model.json"))
            self.assertIn("privacy", program("show", "model.json", cwd=self.folder))
            for again in (dp.load(self.file("model.json")), kind.load(self.file("model.json"))):
                self.assertIs(type(again), kind)
                self.assertTrue(np.array_equal(again.predict(X), model.predict(X)))
                self.assertEqual(again.statement_, model.statement_)
        self.refused(dp.UsageError, "its loss is", dp.LinearRegression.load,
                     self._saved(dp.LogisticRegression(**BUDGET).fit(X, y)))

    def test_a_paid_model_is_not_replaced(self):
        """As by the program; the same one, and one that is NOT PRIVATE, may be."""
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET).fit(X, y)
        for _ in range(2):
            model.save(self.file("m.json"))
        with open(self.file("m.json"), "rb") as file:
            before = file.read()
        other = dp.LogisticRegression(**BUDGET).fit(X, y)
        self.refused(dp.UsageError, "is a private model, whose privacy is paid for", other.save,
                     self.file("m.json"))
        with open(self.file("m.json"), "rb") as file:
            self.assertEqual(file.read(), before)
        with open(self.file("w.json"), "wb") as file:  # JSON may begin with white space
            head = b"\n \t\r\n" + before.split(b'"checksum"')[0]
            file.write(head + b'"checksum": "crc32:%08x"\n}\n' % zlib.crc32(head))
        self.assertEqual(dp.load(self.file("w.json")).statement_, model.statement_)
        self.refused(dp.UsageError, "is a private model", other.save, self.file("w.json"))
        found = model.evaluate(X, y, epsilon=1, delta=1e-6)
        self.refused(dp.UsageError, "is a private model", found.save, self.file("m.json"))
        for _ in range(2):
            found.save(self.file("e.json"))
        self.refused(dp.UsageError, "is a private evaluation", model.save, self.file("e.json"))
        for seed in (1, 2):
            dp.LogisticRegression(**BUDGET, insecure_seed=seed).fit(X, y).save(self.file("n.json"))

    def test_a_fit_that_is_refused_leaves_no_model(self):
        """The estimator would save the earlier one under the new name."""
        X, y = problem()
        dataset = dp.Ledger(self.file("l.db")).dataset("d", epsilon=1.5, delta=1e-6)
        model = dp.LogisticRegression(**BUDGET, ledger=dataset)
        for _ in range(2):
            model.fit(X, y)
        self.assertIn("coef_", vars(model))
        self.refused(dp.BudgetError, "refused: cap.*\\(a run is booked a little above its epsilon",
                     model.fit, X, y)
        self.assertEqual([name for name in vars(model)
                          if name.endswith("_") and name not in ("n_features_in_",)], [])
        for call in (lambda: model.predict(X), lambda: model.save(self.file("x.json"))):
            with self.assertRaisesRegex(Exception, "not fitted"):
                call()
        self.assertFalse(os.path.exists(self.file("x.json")))

    def test_a_fit_that_fails_leaves_no_model(self):
        """Also without a ledger, and where records are to blame."""
        X, y = problem()
        for kind, change, labels in ((KeyboardInterrupt, {"progress": lambda at: True}, y),
                                     (dp.DataError, {"classes": [0, 1]}, y + 2)):
            model = dp.LogisticRegression(**BUDGET).fit(X, y).set_params(**change)
            with self.assertRaises(kind):
                model.fit(X, labels)
            self.assertNotIn("_model", vars(model))
            self.assertNotIn("coef_", vars(model))

    def test_a_mere_mistake_costs_no_model(self):
        """What is paid for and not yet saved stays, until something may be booked."""
        X, y = problem()
        for change, given in (({"epsilon": -1}, (X, y)), ({"progress": 3}, (X, y)),
                              ({}, (X, y[:-1])), ({}, (X, None)), ({"bounds": "x"}, (X, y))):
            with self.subTest(change):
                model = dp.LogisticRegression(**BUDGET).fit(X, y)
                before = dict(vars(model))
                if "bounds" in change:
                    model.schema = change["bounds"]
                else:
                    model.set_params(**change)
                with self.assertRaises((dp.SottoError, TypeError, ValueError)):
                    model.fit(*given)
                for name in before:
                    if name == "_model" or name.endswith("_"):
                        self.assertIs(vars(model)[name], before[name], name)
                model.save(self.fresh("kept.json"))
                self.assertTrue(np.array_equal(dp.load(self.file("kept.json")).coef_,
                                               before["coef_"]))

    def test_next_to_nothing_is_left(self):
        X, y = problem()
        dataset = dp.Ledger(self.file("l.db")).dataset("d", epsilon=1.0065, delta=1e-6)
        model = dp.LogisticRegression(**BUDGET, ledger=dataset).fit(X, y)
        self.refused(dp.BudgetError, "of use with very many rows alone", model.fit, X, y)
        self.assertLess(dataset.left(), .05)

    def _saved(self, model):
        model.save(self.fresh("other.json"))
        return self.file("other.json")

    def test_plan_reads_nothing_and_is_what_is_spent(self):
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET, rows=600)
        plan = model.plan(features=3)
        model.fit(X, y)
        self.assertAlmostEqual(plan.epsilon, model.privacy_["epsilon"], 9)
        self.assertEqual(plan.delta, 1e-6)
        self.assertIn("rounds", model.explain())
        self.refused(dp.UsageError, "rows=N", dp.LogisticRegression(**BUDGET).plan, 3)

    def test_with_a_schema_the_plan_is_what_is_asked(self):
        X, y = problem()
        schema = dp.Schema({str(j): dp.Number(-1, 1) for j in (1, 2, 3)})
        model = dp.LogisticRegression(**BUDGET, rows=600, schema=schema)
        plan = model.plan()
        model.fit(X, y)
        self.assertEqual(plan.epsilon, model.privacy_["epsilon"])
        self.assertEqual(plan.statement["questions"], model.statement_["questions"])

    def test_a_plan_knows_the_classes(self):
        """Those of classes= as those of a schema: what is planned is what a fit asks."""
        X, y = problem()
        many = np.where(X[:, 0] > .3, 2, y)
        three = {str(j): dp.Number(-1, 1) for j in (1, 2, 3)}
        for kind in (dp.LinearSVC, dp.LogisticRegression):
            for classes in ([0, 1, 2], ["a", "b", "c"]):
                labels = np.array(classes)[many]
                for schema, features in ((None, 3), (dp.Schema(three), None)):
                    with self.subTest(kind.__name__, classes=classes, schema=schema is not None):
                        model = kind(**BUDGET, rows=600, classes=classes, schema=schema)
                        plan = model.plan(features).statement["questions"]
                        two = kind(**BUDGET, rows=600, schema=schema).plan(features)
                        self.assertNotEqual(plan, two.statement["questions"])
                        self.assertIn("classes", model.explain(features))
                        declared = dp.Schema({**three, "y": dp.Target(classes=classes)})
                        both = kind(**BUDGET, rows=600, schema=declared)
                        if schema is not None:
                            self.assertEqual(plan, both.plan().statement["questions"])
                            self.assertEqual(plan, model.fit(X, labels).statement_["questions"])
                        both.set_params(classes=classes)
                        self.assertIn("class", repr(both.plan()))
                        both.set_params(classes=classes[::-1])
                        self.refused(dp.UsageError, "expected the same", both.plan)
        public = dp.LinearSVC(**BUDGET, rows=600, classes="public", schema=dp.Schema(three))
        asked = public.fit(X, many).statement_["questions"]
        self.assertEqual(public.plan().statement["questions"], asked)
        self.refused(dp.UsageError, "different labels",
                     dp.LinearSVC(**BUDGET, rows=600, classes=[1, 1]).plan, 3)

    def test_refit_forgets_the_fit_before(self):
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET, classes=["n", "y"])
        model.fit(X, np.where(y, "y", "n"))
        model.set_params(classes=None).fit(X[:, :2], y)
        self.assertEqual((model.n_features_in_, model.classes_.tolist()), (2, [0, 1]))


class Warnings(Case):
    def caught(self, model, X, y):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            model.fit(X, y)
        return [(each.category, str(each.message)) for each in seen]

    def test_untracked_fits_add_up(self):
        from sotto_dp import _spending
        _spending.untracked.forget()
        X, y = problem()
        model = dp.LogisticRegression(**BUDGET)
        words = [dict(self.caught(model, X, y))[dp.UntrackedWarning] for _ in range(3)]
        self.assertRegex(words[0], "1 untracked fit .*epsilon 1 at delta 1e-06")
        sums = [float(each.split("epsilon ")[1].split()[0]) for each in words]
        self.assertTrue(sums[0] < sums[1] < sums[2] < 3)

    def test_a_stopped_fit_counts_whole(self):
        from sotto_dp import _spending
        _spending.untracked.forget()
        X, y = problem()
        stopped = dp.LogisticRegression(**BUDGET, progress=lambda at: True)
        self.assertRaises(KeyboardInterrupt, stopped.fit, X, y)
        words = dict(self.caught(dp.LogisticRegression(**BUDGET), X, y))[dp.UntrackedWarning]
        self.assertRegex(words, "2 untracked fits .*epsilon 2 at")

    def test_a_stopped_fit_counts_with_its_delta(self):
        from sotto_dp import _spending
        X, y = problem()
        for more, given in (({}, {}), ({"rows_per_person": 2}, {"person": np.arange(len(y)) // 2})):
            _spending.untracked.forget()
            stopped = dp.LogisticRegression(epsilon=1, delta=0.01, progress=lambda at: True, **more)
            self.assertRaises(KeyboardInterrupt, stopped.fit, X, y, **given)
            with self.assertWarnsRegex(dp.UntrackedWarning,
                                       r"2 untracked fits .*set: epsilon 2 at delta 0.010[12]"):
                dp.LogisticRegression(epsilon=1, delta=1e-4, **more).fit(X, y, **given)

    def test_promises_that_differ_are_all_told(self):
        from sotto_dp import _spending
        _spending.untracked.forget()
        X, y = problem()
        dp.LogisticRegression(**BUDGET).fit(X, y)
        dp.LogisticRegression(**BUDGET, adjacency="replace-one", rows=len(y)).fit(X, y)
        dp.LogisticRegression(**BUDGET).fit(X, y)
        last = dp.LogisticRegression(**BUDGET, rows_per_person=3)
        with self.assertWarns(dp.UntrackedWarning) as caught:
            last.fit(X, y, person=np.arange(len(y)) // 2)
        words = str(caught.warning)
        self.assertIn("4 untracked fits", words)
        self.assertRegex(words, r"2 to a row \(add-remove\): epsilon 1\.\d+ at delta 1e-06; "
                         r"1 to a row \(replace-one\): epsilon 1 at delta 1e-06; "
                         r'1 to a person of at most 3 row\(s\) by "person" \(add-remove\): '
                         "epsilon 1 at delta 1e-06$")
        self.assertNotRegex(words, "data set: epsilon")

    def test_not_private(self):
        X, y = problem()
        for model in (dp.LinearRegression(epsilon=float("inf")),
                      dp.LinearRegression(**BUDGET, insecure_seed=1)):
            kinds = [kind for kind, _ in self.caught(model, X, y)]
            self.assertIn(dp.NotPrivateWarning, kinds)
            self.assertNotIn(dp.UntrackedWarning, kinds)

    def test_nothing_is_printed(self):
        X, y = problem()
        with mock.patch("sys.stdout") as out, mock.patch("sys.stderr") as err:
            dp.LogisticRegression(**BUDGET).fit(X, y).predict(X)
        self.assertFalse(out.method_calls or err.method_calls)


if __name__ == "__main__":
    main()
