#!/usr/bin/python3
"""Sufficient statistics on cal_std: the mean relative error of 100 runs, with fresh noise.

replace-one, epsilon 1, delta 1/n^2, no intercept, the scales given as DP-CD's paper gives the
smoothness constants, the clip tuned without privacy. The target lies far more than five standard
errors above what is usual, so a run that fails is a fault.
"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

from test_cd import ROOT, Problem

RUNS = int(os.environ.get("SOTTO_SSP_RUNS", "100"))
CLIP, TARGET = 3.5, 9e-4


class NamedProblem(unittest.TestCase):
    def test_error(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "problems.py"),
                                   "cal_std", "-o", folder], capture_output=True, text=True,
                                  check=False)
            if made.returncode:
                self.skipTest(made.stderr.strip() or "no data")
            problem = Problem(folder, "cal_std")
            best = problem.objective(problem.train("--epsilon", "inf"))
            usual = ["--solver", "ssp", "--epsilon", "1", "--delta", repr(1 / problem.rows**2),
                     "--adjacency", "replace-one", "--clip", str(CLIP), "--smoothness",
                     "cal_std.M"]
            errors = [problem.objective(problem.train(*usual)) / best - 1 for _ in range(RUNS)]
            print(f"cal_std: mean of {RUNS} runs {np.mean(errors):.2e} "
                  f"(standard error {np.std(errors) / RUNS**.5:.1e}), target {TARGET:.1e}")
            self.assertLessEqual(np.mean(errors), TARGET)


if __name__ == "__main__":
    unittest.main()
