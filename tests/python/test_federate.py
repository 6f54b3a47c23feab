#!/usr/bin/python3
"""The parties' protocol finds models: bench/federate.py in small, with fixed seeds.

20,000 rows, 40 columns of 4 parties, 10 of which matter. At epsilon 10 the loss is a few percent of what w = 0
has; at epsilon 1 it is no use, which the program says beforehand. The full table is bench/federate.py's.
"""
import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "bench"))
import federate  # noqa: E402

PROGRAM = os.environ.get("SOTTO") or HERE.parent.parent / "build" / "sotto"
RUNS = 3


class Arguments:
    """What simulate() wants to know."""
    even, schedule, grid = False, "uniform", True


class Planted(unittest.TestCase):
    def test_loss(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            problem = federate.planted(folder, rows=20000, features=40, parties=4)
            for epsilon, known, expected, low, high in (
                    (10, 0, "good", .005, .06), (10, 1, "good", .005, .05),
                    (1, 0, "experimental", .4, 2)):
                runs = [federate.simulate(PROGRAM, problem, epsilon, known, seed, Arguments, folder)
                        for seed in range(1, RUNS + 1)]
                mean = sum(loss for loss, _ in runs) / RUNS
                print(f"epsilon {epsilon}, labels {'known' if known else 'private'}: loss {mean:.3f}")
                self.assertTrue(low < mean < high, mean)
                for _, said in runs:
                    self.assertEqual(said["expected"], expected)
                    self.assertLess(said["uplink_bytes"], said["uplink_bytes_paper"] / 10)


if __name__ == "__main__":
    unittest.main()
