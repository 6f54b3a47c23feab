#!/usr/bin/python3
"""DP-GD on named problems: the mean relative error of 100 runs, with fresh noise.

replace-one, epsilon 1, delta 1/n^2, no intercept, the smoothness constants given as the paper does.
The targets lie at least four standard errors above what is usual: a run that fails is hardly chance.
Without any setting but the budget (and the constants) the errors are printed beside.
"""
import os
import unittest

import numpy as np

from named import Case, Named

RUNS = int(os.environ.get("SOTTO_GD_RUNS", "100"))

# name: steps, clip (half square), step / (smoothness of all together), target
PROBLEMS = {
    "cal_std": (30, 11 / 2**.5, 1 / 2.03, 3e-4),
    "elec_std": (100, 6.25, 2 / 2.44, 1e-3),
}


def errors(problem, runs, *args):
    best = problem.objective(problem.fit("--epsilon", "inf"))
    usual = ["--solver", "gd", *problem.budget(), "--smoothness", problem.name + ".M"]
    return [problem.objective(problem.fit(*usual, *args)) / best - 1 for _ in range(runs)]


class NamedProblems(Case):
    names = tuple(PROBLEMS)

    def test_errors(self):
        for name, (steps, clip, step, target) in PROBLEMS.items():
            problem = Named(self.folder, name)
            self.check(name, errors(problem, RUNS, "--steps", str(steps), "--clip", repr(clip),
                                    "--step-size", repr(step), "--average", ".7", "--momentum",
                                    "0"), target)
            beside = errors(problem, RUNS // 5 + 1)
            print(f"    without settings {np.mean(beside):.2e}")


if __name__ == "__main__":
    unittest.main()
