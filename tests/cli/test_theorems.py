#!/usr/bin/python3
"""sotto plan --paper: the papers' theorems for given constants, against what their proofs iterate.

The expected values are computed here with 40 digits from vectors L_j and M_j and from the
recursions in the proofs, not from the closed forms that the program has.
"""
import json
import unittest
from decimal import Decimal as D
from decimal import getcontext
from fractions import Fraction

from common import OK, USAGE, Case

getcontext().prec = 40
BUDGETS = (("1", "1e-6"), ("0.3", "1e-9"), (".7", ".01"))


def ln(x):
    return D(x).ln()


class Theorems(Case):
    def tell(self, paper, constants, budget=("1", "1e-6"), *more):
        words = ",".join(f"{k}={v}" for k, v in constants.items())
        options = ("--epsilon", budget[0], "--delta", budget[1]) if budget else ()
        return self.sotto("plan", "--paper", paper, *options, *(("--set", words) if words else ()),
                          *more)

    def said(self, paper, constants, budget=("1", "1e-6")):
        result = self.tell(paper, constants, budget, "--json")
        self.assertEqual(result.code, OK, result.err)
        said = json.loads(result.out, parse_float=D)
        return {t["theorem"]: t for t in said["theorems"]}

    def bounds(self, *args, named):
        """{which: (steps, error)} of the theorem whose name begins so."""
        theorem = next(t for name, t in self.said(*args).items() if name.startswith(named))
        self.assertNotIn("says_nothing", theorem)
        return {b["is"]: (next(b[k] for k in "KT" if k in b), b["error"])
                for b in theorem["bounds"]}

    def outward(self, shown, true, least=False):
        """Not on the wrong side of the truth, and near it."""
        if least:
            self.assertLessEqual(shown, true)
            self.assertGreater(shown, true * (1 - D("1e-9")))
        else:
            self.assertGreaterEqual(shown, true)
            self.assertLess(shown, true * (1 + D("1e-9")))

    def refused(self, result, *words):
        self.assertEqual(result.code, USAGE, result.out)
        self.assertEqual(result.out, b"")
        self.assertEqual(result.err.count(b"\n"), 1, result.err)
        self.assertLess(len(result.err), 480)
        for word in words:
            self.assertIn(word.encode(), result.err)


class CoordinateDescent(Theorems):
    # rows, L_j, M_j, squared radius, gap, strong convexity
    CASES = ((1000, (1, 2, .5), (1, 4, .25), 9, .5, .1),
             (200000, (3,) * 20, (2,) * 20, .04, 2.5, 1.7),
             (50, (1e-3, 5), (1e-6, 7), 1e4, 1e3, 3e-3))

    def noise(self, case, budget, updates):
        """The sum of sigma_j^2 / M_j with the variances of Theorem 3.1."""
        n, lipschitz, smooth = case[:3]
        epsilon, delta = map(D, budget)
        return sum(12 * D(one) ** 2 * updates * -ln(delta) / (n * epsilon) ** 2 / D(m)
                   for one, m in zip(lipschitz, smooth))

    def constants(self, case):
        n, lipschitz, smooth = case[:3]
        weighted = sum(D(a) ** 2 / D(b) for a, b in zip(lipschitz, smooth)).sqrt()
        # rounded up as a number of 30 digits would be: what is printed is a bound of it, too
        return {"n": n, "p": len(lipschitz), "L": weighted, "R": D(case[3]).sqrt(),
                "gap": case[4], "mu": case[5]}

    def convex(self, case, budget, updates):
        """Lemma C.4 after one round, its two squares at most R^2."""
        r = D(case[3])
        return len(case[1]) * (r + 2 * r) / (2 * D(updates)) + self.noise(case, budget, updates)

    def strong(self, case, budget, rounds):
        """The proof's recursion (74), for as long as it moves."""
        p, mu, error = len(case[1]), Fraction(str(case[5])), D(case[4])
        each = -(-2 * p * (1 + 1 / mu) // 1)
        noise = self.noise(case, budget, rounds * int(each))
        for _ in range(min(rounds, 500)):
            error = error / 2 + noise
        return error, noise

    def test_convex(self):
        for case in self.CASES:
            for budget in BUDGETS:
                for k in (1, 17, 10 ** 6):
                    said = self.bounds("dp-cd", {**self.constants(case), "K": k}, budget,
                                       named="Theorem 3.3, convex")
                    self.assertEqual(said["given"][0], k)
                    for steps, error in said.values():
                        self.outward(error, self.convex(case, budget, steps))
                    steps, error = said["the least bound found"]
                    near = (max(1, steps - 1), steps + 1, k, said["the paper's choice"][0])
                    self.assertLessEqual(error, min(self.convex(case, budget, s) for s in near)
                                         * (1 + D("1e-9")))

    def test_paper_choice(self):
        """(68): at the paper's K the bound is at most 9 sqrt(p) L R sqrt(ln(1/delta)) / (n eps)."""
        for case in self.CASES[:2]:
            for budget in BUDGETS:
                c = self.constants(case)
                said = self.bounds("dp-cd", c, budget, named="Theorem 3.3, convex")
                epsilon, delta = map(D, budget)
                printed = (9 * D(c["p"]).sqrt() * c["L"] * c["R"] * (-ln(delta)).sqrt() /
                           (c["n"] * epsilon))
                self.assertLess(said["the paper's choice"][1], printed)

    def test_strong(self):
        """The closed form is above the recursion, by the sum's rest alone; (70) is below it."""
        for case in self.CASES:
            for budget in BUDGETS:
                for rounds in (1, 2, 9, 60):
                    said = self.bounds("dp-cd", {**self.constants(case), "T": rounds}, budget,
                                       named="Theorem 3.3, strongly")
                    true, noise = self.strong(case, budget, rounds)
                    steps, error = said["given"]
                    self.assertEqual(steps, rounds)
                    self.outward(error, true + noise * 2 / D(2) ** rounds)
                    if rounds > 1:
                        printed = D(case[4]) / 2 ** rounds + noise
                        self.assertLess(printed, true)

    def test_least(self):
        c = {"n": 2000, "p": 40, "L2": 3, "w": 1.5, "muI": .2}
        for budget in (("1", "1e-6"), ("5", "1e-9"), (".001", "1e-5")):
            rows = D(2000) * D(budget[0])
            said = self.said("dp-cd", c, budget)
            for name, true in (("convex", D(3) * D("1.5") * min(D(1), D(40).sqrt() / rows)),
                               ("strongly convex", 9 / D(".2") * min(D(1), 40 / rows ** 2))):
                theorem = next(t for k, t in said.items() if k.startswith(f"Theorem 4.1, {name}"))
                self.assertEqual((theorem["says"], theorem["times_a_constant"]),
                                 ("at least", True))
                self.outward(theorem["bounds"][0]["error"], true, least=True)

    def test_outside(self):
        c = self.constants(self.CASES[0])
        self.refused(self.tell("dp-cd", c, ("1.01", "1e-6")), "epsilon up to 1")
        self.refused(self.tell("dp-cd", c, ("1", ".34")), "delta below 1/3")
        self.refused(self.tell("dp-cd", {"n": 100, "p": 2, "L2": 1, "w": 1}, ("1", ".01")), "1/n")


class GreedyDescent(Theorems):
    CASES = ({"n": 100000, "p": 1000, "L": 1, "M": ".25", "R": 2, "gap": ".7", "mu1": ".01",
              "mu2": ".1", "s": 5, "tau": 2, "alpha": ".01", "Mmax": 3, "zeta": ".1"},
             {"n": 10 ** 8, "p": 30, "L": ".5", "M": 2, "R": ".1", "gap": 4, "mu1": ".9",
              "mu2": 4, "s": 1, "tau": 0, "alpha": 0, "Mmax": 2})

    @staticmethod
    def beta(c, budget, steps):
        """2 max lambda^2 / M ln(8 T p / zeta)^2, with the scale of Theorem 4.2."""
        epsilon, delta = map(D, budget)
        scale = 8 * D(c["L"]) * (steps * -ln(delta)).sqrt() / (c["n"] * epsilon)
        return 2 * scale ** 2 / D(c["M"]) * ln(8 * steps * c["p"] / D(c.get("zeta", ".05"))) ** 2

    def recursion(self, c, budget, steps, shrink, added=0):
        error, beta = D(c["gap"]), self.beta(c, budget, steps)
        for _ in range(steps):
            error = (1 - shrink) * error + beta + shrink * added
        return error, beta

    def cases(self, named):
        for c in self.CASES:
            for budget in BUDGETS:
                for steps in (1, 6, 700):
                    yield c, budget, steps, self.bounds("dp-gcd", {**c, "T": steps}, budget,
                                                        named=named)

    def test_convex(self):
        for c, budget, steps, said in self.cases("Theorem 4.4, convex"):
            for at, error in said.values():
                r = D(c["R"])
                self.outward(error, 8 * r ** 2 / at + r * (32 * self.beta(c, budget, at)).sqrt())
            self.assertEqual(said["given"][0], steps)
            paper = said["the paper's choice"][0]
            epsilon, delta = map(D, budget)
            cube = (c["n"] * epsilon * D(c["R"]) / D(c["L"])) ** 2 * D(c["M"]) / (-128 * ln(delta))
            self.assertLess(abs(paper - max(D(1), cube ** (D(1) / 3))), D(".51"))
            self.assertLessEqual(said["the least bound found"][1], said["given"][1])
            self.assertLessEqual(said["the least bound found"][1], said["the paper's choice"][1])

    def test_strong(self):
        """Not below (53) iterated; (55) as printed, a quarter of beta, is below it."""
        for c, budget, steps, said in self.cases("Theorem 4.4, strongly"):
            shrink = D(c["mu1"]) / 4
            true, beta = self.recursion(c, budget, steps, shrink)
            self.outward(said["given"][1], (1 - shrink) ** steps * D(c["gap"]) + beta / shrink)
            self.assertGreaterEqual(said["given"][1], true)
            if shrink * steps > 1:
                printed = (1 - shrink) ** steps * D(c["gap"]) + beta / shrink / 4
                self.assertLess(printed, true)

    def test_sparse(self):
        """Not below (61) iterated with Mmax of (42) and the least strong convexity on the way."""
        for c, budget, steps, said in self.cases("Theorem 4.7"):
            k = min(c["s"], steps) + c["tau"]
            shrink = D(c["mu2"]) / (4 * k)
            rest = D(c["Mmax"]) * (c["p"] - c["tau"]) * D(c["alpha"]) ** 2 / 2
            true, beta = self.recursion(c, budget, steps, shrink, rest)
            self.outward(said["given"][1],
                         (1 - shrink) ** steps * D(c["gap"]) + beta / shrink + rest)
            self.assertGreaterEqual(said["given"][1], true)

    def test_sparse_in_print(self):
        """(58)'s last term is too small: much noise-free time, a large Mmax and alpha."""
        c = {"n": 10 ** 9, "p": 1000, "L": 1, "M": 1, "gap": 1, "mu2": 1, "s": 1, "tau": 1,
             "alpha": 1, "Mmax": 10}
        said = self.bounds("dp-gcd", {**c, "T": 200}, named="Theorem 4.7")
        true, beta = self.recursion(c, ("1", "1e-6"), 200, D(1) / 8, D(10) * 999 / 2)
        self.assertGreaterEqual(said["given"][1], true)
        printed = (D(7) / 8) ** 200 + 8 * beta + D(2) * 999 / 8
        self.assertLess(printed, true)

    def test_many_steps(self):
        """Powers of a number near 1 keep their digits."""
        c = {"n": 10 ** 12, "p": 2, "L": 1, "M": 1, "gap": 1, "mu1": "1e-9", "T": 10 ** 9}
        said = self.bounds("dp-gcd", c, named="Theorem 4.4, strongly")
        shrink = D("1e-9") / 4
        self.outward(said["given"][1], (10 ** 9 * (1 - shrink).ln()).exp() +
                     self.beta(c, ("1", "1e-6"), 10 ** 9) / shrink)

    def test_constants_that_are_none(self):
        fine = {**self.CASES[0], "n": 100, "p": 10, "tau": 1}

        def tell(**more):
            return self.tell("dp-gcd", {**fine, **more})
        self.assertEqual(tell().code, OK)
        self.assertEqual(tell(mu1="4", mu2="4", zeta="1", s="1", R="0", tau="10").code, OK)
        for name, values in {"L": ["0", "-1"], "M": ["0"], "R": ["-1"], "gap": ["0", "-2"],
                             "mu1": ["0", "4.1"], "mu2": ["0", "5"], "s": ["0", "0.5", "1.5"],
                             "tau": ["-1"], "alpha": ["-1"], "zeta": ["0", "1.1"], "n": ["0", ".5"],
                             "T": ["0", "1e16", "2.5"]}.items():
            for value in values:
                self.refused(tell(**{name: value}), f"--set {name}: expected")
        for value in ("nan", "inf", "1e999", "x", ""):
            self.refused(tell(L=value), "--set")
        for more in ({"L": "1e200"}, {"R": "1e300"}, {"alpha": "1e200"}, {"R": "1e-101"}):
            (name, _), = more.items()
            self.refused(tell(**more), f"--set {name}: expected a number from 1e-100 to 1e100")
        self.assertIn(b"1e100, or 0: it is", tell(R="1e-101").err)
        self.assertNotIn(b"or 0", tell(L="1e-101").err)
        self.refused(tell(L="1e100", M="1e-100", T="1e15"), "beyond all numbers")

    def test_no_bound_is_0_because_it_is_too_small(self):
        """Nor does it lack a term that was too small on the way."""
        cd = {"n": 10000, "p": 10, "R": 1, "L": 1}
        for c in ({**cd, "L": "1e-170", "R": "1e-170"}, {**cd, "L": "1e-170"}):
            self.refused(self.tell("dp-cd", c), "from 1e-100 to 1e100: it is")
        self.refused(self.tell("frank-wolfe", {"h0": 0, "C": "5e-324", "pmin": 1, "T": "1e15"}, ()),
                     "from 1e-100 to 1e100: it is")
        for budget in (("1e-101", "1e-6"), ("1", "1e-101")):
            self.refused(self.tell("dp-cd", cd, budget), "--epsilon from 1e-100 to 1e100")
        # the noise of an update, 12 L^2 / n^2, is less than any double, but not that of 1e200
        self.refused(self.tell("dp-cd", {"n": "1e100", "p": "1e100", "L": "1e-100", "mu": "1e-100",
                                         "gap": "1e-100", "T": 400}), "beyond all numbers")
        # sqrt(32 R^2 beta): that R^2 beta is less than any double does not lose it
        c = {"n": 1, "p": 1, "L": "1e-100", "M": 1, "R": "1e-100", "T": 10 ** 15}
        said = self.bounds("dp-gcd", c, named="Theorem 4.4, convex")
        beta = self.beta(c, ("1", "1e-6"), 10 ** 15)
        self.outward(said["given"][1], 8 * D("1e-200") / 10 ** 15 +
                     (32 * D("1e-200") * beta).sqrt())
        # 0 where the formula is 0
        said = self.bounds("dp-gcd", {**c, "L": 1, "R": 0}, named="Theorem 4.4, convex")
        self.assertEqual(said["given"][1], 0)

    def test_says_nothing(self):
        for more, why in (({"tau": 1001}, "tau is above p"), ({"Mmax": None}, "needs Mmax")):
            c = {k: v for k, v in {**self.CASES[0], **more}.items() if v is not None}
            theorem = next(t for k, t in self.said("dp-gcd", c).items() if "4.7" in k)
            self.assertIn(why, theorem["says_nothing"])
            self.assertEqual(theorem["bounds"], [])
        self.refused(self.tell("dp-gcd", self.CASES[0], ("1.5", "1e-6")), "epsilon up to 1")


class DualDescent(Theorems):
    def test_rate(self):
        for n, batch, penalty, budget in ((1000, 900, 3, BUDGETS[0]), (10 ** 6, 10 ** 6, 2,
                                                                      BUDGETS[2])):
            epsilon, delta = map(D, budget)
            said = list(self.said("dp-scd", {"n": n, "L": batch, "lambda": penalty, "mu": 4},
                                  budget).values())
            share = D(penalty) * D(n) ** 4 * epsilon ** 2 / (D(batch) ** 3 * -ln(delta))
            self.outward(said[0]["bounds"][0]["error"],
                         ln(D(penalty) * n * epsilon / batch) / share)
            self.outward(said[1]["bounds"][0]["steps"], ln(share))
            self.assertTrue(all(t["times_a_constant"] for t in said))
            self.assertTrue(all("(11), which is not true" in t["in_print"] for t in said))

    def test_condition(self):
        """It cannot hold where mu lambda is at most 1, whatever the batch."""
        for n, batch, penalty, mu, kappa in ((1000, 1000, 1, 1, 0), (1000, 1000, ".25", 4, 0),
                                             (1000, 400, 3, 1, 0), (1000, 1000, 3, 1, ".5")):
            c = {"n": n, "L": batch, "lambda": penalty, "mu": mu, "kappa": kappa}
            strong = D(penalty) * mu
            self.assertLessEqual(batch * (2 * (1 - D(kappa)) * strong - 1), strong * n)
            self.refused(self.tell("dp-scd", c), "does not hold")
        self.refused(self.tell("dp-scd", {"n": 9, "L": 10, "lambda": 3, "mu": 1}), "above n")
        self.refused(self.tell("dp-scd", {"n": 10, "L": 10, "lambda": 3, "mu": 1},
                               ("1e-3", "1e-6")), "logarithm")

    def test_lemma_3(self):
        """Ridge regression: noise on alpha adds (1 + lambda n) times what (11) allows.

        The dual is a square, so noise that is +1 or -1 adds as much as Gaussian noise of the
        same variance: all signs are summed, in fractions."""
        rows = ((Fraction(3, 5), Fraction(4, 5)), (Fraction(1), Fraction(0)),
                (Fraction(-5, 13), Fraction(12, 13)))
        target, alpha = (Fraction(1), Fraction(-2), Fraction(1, 3)), (
            Fraction(1), Fraction(1, 7), Fraction(-2))
        n = len(rows)

        def dual(a, penalty):
            v = [sum(x[j] * one for x, one in zip(rows, a)) for j in range(2)]
            conjugate = sum(one * one / 2 - one * y for one, y in zip(a, target))
            return conjugate / n + sum(x * x for x in v) / (2 * penalty * n * n)

        for penalty in (Fraction(1, 100), Fraction(1), Fraction(20)):
            added = Fraction(0)
            for signs in range(2 ** n):
                moved = [one + (1 if signs >> i & 1 else -1) for i, one in enumerate(alpha)]
                added += (dual(moved, penalty) - dual(alpha, penalty)) / 2 ** n
            allowed = Fraction(n) / (2 * penalty * n * n)
            self.assertEqual(added, (1 + penalty * n) * allowed)


class FrankWolfe(Theorems):
    def recursion(self, c, steps):
        """h <- (1 - p g) h + g^2 (1 + rho) C / 2 with g = 2 / (p t + 2): the worst that may be."""
        error, chance = D(c["h0"]), D(c.get("pmin", 1))
        for t in range(steps):
            g = 2 / (chance * t + 2)
            error = (1 - chance * g) * error + g * g * (1 + D(c.get("rho", 0))) * D(c["C"]) / 2
        return error

    def test_bound(self):
        for c in ({"h0": 1, "C": 2, "pmin": ".5"}, {"h0": 0, "C": 3}, {"h0": 9, "C": ".01"},
                  {"h0": ".2", "C": 5, "pmin": ".03", "rho": 4}):
            for steps in (1, 10, 3000):
                said = self.bounds("frank-wolfe", {**c, "T": steps}, None, named="Theorem 1")
                chance = D(c.get("pmin", 1))
                true = (2 * (D(c["h0"]) + (1 + D(c.get("rho", 0))) * D(c["C"]) / chance) /
                        (chance * steps + 2))
                self.outward(said["given"][1], true)
                self.assertGreaterEqual(said["given"][1], self.recursion(c, steps))

    def test_in_print(self):
        """(11) as printed, with C outside of the parenthesis, is below what may be."""
        c = {"h0": 9, "C": ".01", "pmin": ".5"}
        for steps in (1, 5, 50):
            printed = 2 * (D(9) + 2) * D(".01") / (D(".5") * steps + 2)
            self.assertLess(printed, self.recursion(c, steps))

    def test_steps(self):
        for error in (".1", ".001", "3"):
            c = {"h0": 1, "C": 2, "pmin": ".5", "error": error}
            steps, reached = self.bounds("frank-wolfe", c, None,
                                         named="Theorem 1")["the steps to the error"]
            self.assertLessEqual(reached, D(error))
            if steps > 1:
                self.assertGreater(2 * D(5) / (D(".5") * (steps - 2) + 2), D(error))

    def test_what_it_has_not(self):
        self.refused(self.tell("frank-wolfe", {"h0": 1, "C": 1}, None), "lacks T")
        self.refused(self.tell("frank-wolfe", {"h0": 1, "C": 1, "T": 1}), "no epsilon or delta")
        self.refused(self.tell("frank-wolfe", {"h0": 1, "C": 1, "T": 1, "p": 3}, None),
                     "h0, C, pmin, rho, T, error")


class Text(Theorems):
    def test_as_people_read_it(self):
        c = {"n": 10000, "p": 10, "L": 2, "R": 3, "muI": 1, "L2": 2}
        result = self.tell("dp-cd", c)
        self.assertEqual(result.code, OK, result.err)
        lines = result.out.decode().splitlines()
        self.assertIn("error        at most 0.0598413 for K = 4512 (the paper's choice)", lines)
        for words in ("Theorem 3.3, convex", "it lacks w (the Euclidean norm of the optimum)",
                      "in print     (69) prints", "assumes ", "formula      3 p R^2 / (2 K)",
                      "L            2: the square root of"):
            self.assertTrue(any(words in line for line in lines), words)
        least = next(line for line in lines if "error        at least" in line)
        self.assertIn("times a constant that the paper leaves out", least)
        self.assertLessEqual(D(least.split()[3]), D(4) * 10 / 10 ** 8)

    def test_text_is_outward(self):
        """What people read is not below the number of --json, and within six digits of it."""
        for paper, c in (("dp-gcd", GreedyDescent.CASES[0]), ("dp-gcd", GreedyDescent.CASES[1])):
            shown = [D(line.split()[3]) for line in self.tell(paper, c).out.decode().splitlines()
                     if line.startswith("error ")]
            exact = [b["error"] for t in self.said(paper, c).values() for b in t["bounds"]]
            self.assertEqual(len(shown), len(exact))
            for one, true in zip(shown, exact):
                self.assertGreaterEqual(one, true)
                self.assertLess(one, true * (1 + D("1e-5")))

    def test_list(self):
        result = self.sotto("plan", "--paper", "list")
        self.assertEqual(result.code, OK, result.err)
        said = json.loads(self.sotto("plan", "--paper", "list", "--json").out)
        names = [paper["name"] for paper in said["papers"]]
        self.assertEqual(names, ["dp-cd", "dp-gcd", "dp-scd", "frank-wolfe"])
        for paper in said["papers"]:
            for name in paper["theorems"] + [c["name"] for c in paper["constants"]]:
                self.assertIn(name.encode(), result.out)
            self.assertTrue(all(c["meaning"] for c in paper["constants"]))

    def test_refused(self):
        fine = {"n": 100, "p": 2, "L": 1, "R": 1}
        self.refused(self.tell("dp-cdd", fine), 'did you mean "dp-cd"?', "frank-wolfe")
        self.refused(self.tell("dp-cd", {}), "it lacks n, p, L, R;", "--paper list")
        self.refused(self.tell("dp-cd", fine, None), "--epsilon (the budget)")
        self.refused(self.tell("dp-cd", {**fine, "q": 1}), "n, p, L, R")
        self.refused(self.tell("dp-cd", {**fine, "epsilon": 1}), "names that dp-cd has")
        self.refused(self.tell("dp-cd", fine, ("1", "1e-6"), "--set", "n=3"), "two values")
        self.refused(self.tell("dp-cd", fine, ("inf", "1e-6")), "finite --epsilon")
        self.refused(self.tell("dp-cd", fine, ("1", "0")), "--delta above 0")
        self.refused(self.tell("dp-cd", fine, ("1", "1e-6"), "--rows", "10"), "leave out --rows")
        self.refused(self.sotto("plan", "--loss", "squared", "--features", "3", "--epsilon", "1",
                                "--delta", "1e-6", "--set", "L=1"), "--paper NAME")


if __name__ == "__main__":
    unittest.main()
