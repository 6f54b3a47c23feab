"""sotto doctor without a file: the program checks itself, and a wrong build is noticed.

The rows "self-test-..." of tests/mutants put faults into noise, prices and loops that this must
find. Twenty runs of eight checks of noise: one that is right fails less than once in 10^12 times.
"""

import json
import unittest

from common import OK, USAGE, Case, run

CHECKS = ["random bits", "Gaussian noise", "Laplace noise", "selections", "coins of samples",
          "price of Gaussian noise", "price of many answers", "price of samples",
          "the same bits from each instruction set"]


class SelfTest(Case):
    def test_all_checks_pass(self):
        for _ in range(20):
            done = run(["doctor"])
            self.assertEqual(done.code, OK, done.out + done.err)
            said = [line.split(None, 1) for line in done.out.decode().splitlines()[3:]]
            self.assertEqual(said, [["ok", name] for name in CHECKS])

    def test_json(self):
        done = run(["doctor", "--json"])
        self.assertEqual(done.code, OK)
        told = json.loads(done.out)
        self.assertEqual(told["sotto"], run(["version"]).out.split()[1].decode())
        self.assertIn(told["instruction_set"], ("scalar", "avx2", "avx512"))
        self.assertEqual([one["check"] for one in told["checks"]], CHECKS)
        self.assertTrue(all(one["passed"] for one in told["checks"]))

    def test_who_names_a_file_wants_it_read(self):
        """Where a variable is empty nobody asked for the self-test."""
        self.assertNotEqual(run(["doctor", ""]).code, OK)
        self.assert_refused(run(["doctor", "--target", "y"]), USAGE, hint="DATA")


if __name__ == "__main__":
    unittest.main()
