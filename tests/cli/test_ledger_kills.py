#!/usr/bin/python3
"""Three trainings at a time on one ledger, killed at any moment: what was acknowledged is booked,
every charge is an entry, and the database is whole. SOTTO_KILLS says how many kills there are
(default 60; make kills: 1000)."""

import json
import os
import random
import signal
import subprocess
import time
import unittest

from common import OK, PROGRAM, Case

KILLS = int(os.environ.get("SOTTO_KILLS", "60"))
WRITERS = 3


class Kills(Case):
    def setUp(self):
        super().setUp()
        rows = [f"{i * 37 % 21 - 10},{i * 53 % 19 - 9}" for i in range(200)]
        self.write("d.csv", "a,t\n" + "\n".join(rows) + "\n")
        done = self.sotto("ledger", "create", "--ledger", "l", "--dataset", "people",
                          "--epsilon", "10", "--delta", "1e-6")
        self.assertEqual(done.code, OK, done.err)
        self.acknowledged, self.made = [], 0

    def start(self):
        self.made += 1
        name = f"m{self.made}.json"
        process = subprocess.Popen(
            [PROGRAM, "train", "d.csv", "--target", "t", "--rows", "200", "--epsilon", "0.1",
             "--delta", "1e-6", "--quiet", "--ledger", "l", "--dataset", "people", "-o", name],
            cwd=self.directory, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return process, name

    def ended(self, process, name):
        process.wait()
        message = process.stderr.read()
        process.stderr.close()
        if process.returncode == OK:
            self.acknowledged.append(name)
        else:
            self.assertEqual(process.returncode, -signal.SIGKILL, message)
        return process.returncode != OK

    def usual_time(self):
        """How long a run takes here, so that kills come at all of its moments."""
        begun = time.monotonic()
        for _ in range(5):
            self.ended(*self.start())
        return (time.monotonic() - begun) / 5

    def test_kills(self):
        draw, kills = random.Random(21), 0
        usual = WRITERS * self.usual_time()
        while kills < KILLS:
            runs = [self.start() for _ in range(WRITERS)]
            for process, name in runs:
                time.sleep(draw.uniform(0, usual / WRITERS))
                if draw.random() < .9:
                    process.kill()
                kills += self.ended(process, name)
        # what was left of a writer that died in a transaction is rolled back here
        said = self.sotto("ledger", "list", "--ledger", "l", "--json")
        self.assertEqual(said.code, OK, said.err)
        one, = json.loads(said.out)["datasets"]
        models = [n for n in self.acknowledged if os.path.exists(self.path(n))]
        self.assertEqual(len(models), len(self.acknowledged))
        done = self.sotto("ledger", "verify", "--ledger", "l", *models)
        self.assertEqual(done.code, OK, done.err)
        positions = set()
        for name in models:
            with open(self.path(name), encoding="utf-8") as file:
                positions.add(json.load(file)["privacy"]["ledger"]["position"])
        self.assertEqual(len(positions), len(models))  # each has an entry of its own
        self.assertLessEqual(len(models), one["charges"])
        self.assertLessEqual(one["charges"], self.made)
        self.assertEqual(one["position"], one["charges"] + 1)
        self.assertLessEqual(one["charges"] - one["unfinished"], one["charges"])
        print(f"{kills} kills of {self.made} runs: {len(models)} acknowledged, "
              f"{one['charges']} charged, {one['unfinished']} not finished")


if __name__ == "__main__":
    unittest.main()
