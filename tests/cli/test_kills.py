#!/usr/bin/python3
"""Whoever is killed, whenever: the run ends with the bits of the undisturbed one, and nothing is
counted twice or lost. SOTTO_KILLS says how many kills there are (default 12; make kills: 200)."""

import json
import os
import random
import signal
import time
import unittest

from common import OK
from consortium import PARTIES, Consortium

KILLS = int(os.environ.get("SOTTO_KILLS", "12"))
PER_RUN = 12
WAYS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Kills(Consortium):
    def begin(self, run):
        for name in ("coordinator", *PARTIES):
            for file in (f"{name}.json", f"{name}.err"):
                if os.path.exists(self.path(file)):
                    os.remove(self.path(file))
        return [self.serve(state=f"state-coordinator-{run}", wait=False)] + [
            self.join(name, state=f"state-{name}-{run}") for name in PARTIES]

    def disturb(self, processes, draw, kills):
        """Kills until there were so many, or all have ended; who was killed."""
        done = []
        while len(done) < kills and any(p.run.poll() is None for p in processes):
            time.sleep(draw.expovariate(1 / .12))
            alive = [p for p in processes if p.run.poll() is None]
            if not alive:
                break
            victim, how = draw.choice(alive), draw.choice(WAYS)
            victim.kill(how)
            if victim.run.returncode not in (-how, 128 + how):
                continue  # it had just ended
            done.append(victim.name)
            time.sleep(draw.choice((0, 0, .05, .3)))
            victim.start()
        return done

    def check(self, run, right):
        for name in ("coordinator", *PARTIES):
            self.assertEqual(self.bytes_of(f"{name}.json"), right, name)
        for name in PARTIES:
            (own,), seen = (json.loads(self.sotto(
                "federate", "status", self.config, "--state", f"state-{who}-{run}",
                "--json").out)["parties"] for who in (name, "coordinator"))
            (other,) = (p for p in seen if p["name"] == name)
            self.assertEqual(own, other)
            self.assertEqual((own["vertices"], own["messages"], own["labels"]),
                             (own["turns"], own["turns"] + 5, int(name == "bank")))
            self.assertLessEqual(own["sketches"], own["cap"])

    def test_kills(self):
        self.agree(lambda c: c.update(rounds=150, buckets=2000), "long")
        for name in ("coordinator", *PARTIES):
            os.rename(self.path(f"keys/{name}"), self.path(f"keys/old-{name}"))
            os.rename(self.path(f"long/{name}"), self.path(f"keys/{name}"))
        right = self.simulated()
        draw = random.Random(20)
        kills = {}
        run = 0
        while sum(kills.values()) < KILLS:
            run += 1
            processes = self.begin(run)
            for name in self.disturb(processes, draw, min(PER_RUN, KILLS - sum(kills.values()))):
                kills[name] = kills.get(name, 0) + 1
            self.assert_ended(processes)
            self.check(run, right)
        print(f"{run} runs, killed: {kills}")
        self.assertEqual(sum(kills.values()), KILLS)

    def charges(self, ledger):
        """How many runs each data set of a ledger has."""
        said = self.sotto("ledger", "list", "--ledger", ledger, "--json")
        self.assertEqual(said.code, OK, said.err)
        return {d["name"]: d["charges"] for d in json.loads(said.out)["datasets"]}

    def test_killed_while_it_books(self):
        """A party is killed as it starts, before, while or after it books; then it comes back."""
        self.agree(lambda c: c.update(epsilon=2, delta=1e-6), "paid")
        self.environment["SOTTO_LEDGER"] = self.path("own.ledger").decode()
        draw = random.Random(22)
        self.hash()  # so that it is not timed
        began = booked = takes = 0
        for i in range(KILLS + 1):  # the first shows how long it takes
            words = {"keys": "paid/bank", "state": f"state-{i}", "seed": None}
            made = self.sotto("ledger", "create", "--ledger", "own.ledger", "--dataset", f"d{i}",
                              "--delta", "1e-6", "--adjacency", "zero-out")
            self.assertEqual(made.code, OK, made.err)
            if i:
                bank = self.join("bank", "--dataset", f"d{i}", **words)
                time.sleep(draw.uniform(.2, 1.2) * takes)
                bank.kill()
                began += os.path.exists(self.path(f"state-{i}/run"))
                before = self.charges("own.ledger").get(f"d{i}", 0)
                self.assertLessEqual(before, 1)
                booked += before
                os.remove(bank.errors)
            start = time.monotonic()
            bank = self.join("bank", "--dataset", f"d{i}", **words)
            self.wait_for(bank, "booked: ")
            takes = takes or time.monotonic() - start
            bank.kill()
            self.assertEqual(self.charges("own.ledger")[f"d{i}"], 1)
        print(f"killed {KILLS} times: {began} had begun, {booked} were booked")

    def test_booked_once(self):
        """Real noise, and each party's own ledger: one entry, whenever it is killed."""
        self.agree(lambda c: c.update(rounds=150, buckets=2000, epsilon=2, delta=1e-6), "long")
        for name in ("coordinator", *PARTIES):
            os.rename(self.path(f"long/{name}"), self.path(f"keys/new-{name}"))
        draw = random.Random(21)
        kills = run = 0
        while kills < KILLS:
            run += 1
            processes = [self.serve(keys="keys/new-coordinator", state=f"state-coordinator-{run}",
                                    wait=False)]
            for name in PARTIES:
                words = ("--ledger", f"{name}-{run}.ledger", "--dataset", "people")
                self.assertEqual(self.sotto("ledger", "create", *words, "--adjacency", "zero-out",
                                            "--epsilon", "3", "--delta", "1e-6").code, OK)
                processes.append(self.join(name, *words, keys=f"keys/new-{name}",
                                           state=f"state-{name}-{run}", seed=None))
            kills += len(self.disturb(processes, draw, min(PER_RUN, KILLS - kills)))
            self.assert_ended(processes)
            for name in PARTIES:
                self.assertEqual(self.bytes_of(f"{name}.json"), self.bytes_of("coordinator.json"))
                self.assertEqual(self.charges(f"{name}-{run}.ledger"), {"people": 1}, name)
        self.assertEqual(kills, KILLS)

    def test_signals(self):
        """A role that is asked to end says one line, and its code tells why."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            coordinator, party = self.serve(), self.join("bank")
            end = time.monotonic() + 300
            while not os.path.exists(self.path("state-bank/log")):
                self.assertIsNone(party.run.poll(), party.said())
                self.assertLess(time.monotonic(), end)
                time.sleep(.02)
            for process in (party, coordinator):
                process.run.send_signal(number)
                self.assertEqual(process.end(), 128 + number, process.said())
                self.assertEqual(process.last(), "sotto: interrupted")
                os.remove(process.errors)
            os.remove(self.path("state-bank/log"))


if __name__ == "__main__":
    unittest.main()
