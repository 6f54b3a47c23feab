"""The same call on two tables that differ in one record, and what each of them is charged."""

import warnings

from common import BUDGET, SECRETS, Case, dp, np, problem

SECRET = SECRETS[1]


class Twins(Case):
    def setUp(self):
        super().setUp()
        self.X, self.y = problem(300)
        self.bad = self.X.copy()
        self.bad[7, 1] = np.nan
        self.count = 0

    def outcome(self, call, bad, cap):
        """How a call ends, what it says, and what is spent."""
        self.count += 1
        dataset = dp.Ledger(self.file(f"{self.count}.db")).dataset("a", epsilon=cap, delta=1e-5)
        kind, words = "model", ""
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                call(bad, dataset)
            except BaseException as error:
                kind, words = type(error).__name__, str(error)
                self.assertIsNone(error.__cause__)
                for secret in SECRETS:
                    self.assertNotIn(secret, words + str(error.__context__))
        told = [str(each.message) for each in seen
                if not issubclass(each.category, dp.SottoWarning)]
        return kind, words, dataset.spent(), told

    def charged(self, call):
        """The bad table costs what the good one does."""
        good, bad = (self.outcome(call, flag, 20) for flag in (False, True))
        self.assertEqual(good[0], "model", good)
        self.assertNotEqual(bad[0], "model")
        self.assertGreater(good[2], 0.5)
        self.assertEqual(good[2:], bad[2:])
        if bad[0] not in ("KeyboardInterrupt", "SystemExit"):
            self.assertIn("stays charged", bad[1])
        poor, worse = (self.outcome(call, flag, 0.1) for flag in (False, True))
        self.assertEqual(poor[0], "BudgetError")
        self.assertEqual(poor, worse)
        return bad

    def free(self, call, words):
        """Both are refused, for nothing and in the same words."""
        for cap in (20, 0.1):
            good, bad = (self.outcome(call, flag, cap) for flag in (False, True))
            self.assertRegex(good[1], words)
            self.assertEqual(good[2], 0)
            self.assertEqual(good, bad)

    def table(self, bad):
        return self.bad if bad else self.X


def last(dataset, **more):
    return dp.LogisticRegression(**BUDGET, ledger=dataset, **more)


def bounds(names):
    return dp.Schema({name: dp.Number(-1, 1) for name in names})
