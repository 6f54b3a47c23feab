#!/usr/bin/python3
"""The papers' rivals on cal_std: the mean relative error of many runs, with fresh noise.

epsilon 1, delta 1/n^2, no intercept, the scales given as DP-CD's paper gives the smoothness
constants, the settings tuned without privacy. Sufficient statistics for replace-one; DP-SVRG for
add-remove, since replaced records in secret batches are priced as a group of two. The targets lie
far more than five standard errors above what is usual, so a run that fails is a fault.
"""
import os
import unittest

from named import Case, Named

RUNS = int(os.environ.get("SOTTO_RIVALS_RUNS", "100"))


class Rivals(Case):
    names = ("cal_std",)

    def errors(self, runs, *args):
        problem = Named(self.folder, "cal_std")
        best = problem.objective(problem.fit("--epsilon", "inf"))
        usual = [*problem.budget(), "--smoothness", "cal_std.M", "--rows", str(problem.rows), *args]
        return [problem.objective(problem.fit(*usual)) / best - 1 for _ in range(runs)]

    def test_sufficient_statistics(self):
        self.check("ssp, cal_std", self.errors(RUNS, "--solver", "ssp", "--clip", "3.5"), 9e-4)

    def test_svrg(self):
        errors = self.errors(RUNS // 5, "--solver", "svrg", "--adjacency", "add-remove", "--rounds",
                             "8", "--batch-rate", "0.2", "--clip", "4", "--difference-clip", "0.5",
                             "--step-size", "0.3")
        self.check("svrg, cal_std", errors, 2e-3)


if __name__ == "__main__":
    unittest.main()
