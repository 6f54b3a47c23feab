#!/usr/bin/python3
"""A party's own ledger: all that it may be asked is booked before it reads a record or connects to
anybody, once however often it is killed, and nobody else learns of it."""

import json
import os
import re

from common import BUDGET, DATA, FAILED, OK, PRIVACY, USAGE
from consortium import COLUMNS, LONG, PARTIES, Consortium, Impostor, context_of, csv, main


class Booked(Consortium):
    def setUp(self):
        super().setUp()
        self.agree(lambda c: c.update(epsilon=2, delta=1e-6), "paid")
        self.environment["SOTTO_LEDGER"] = self.path("own.ledger").decode()

    def serve(self, *more, **others):
        return super().serve(*more, keys="paid/coordinator", **others)

    def join(self, name, *more, **others):
        return super().join(name, *more, keys=f"paid/{name}", seed=None, **others)

    def create(self, *more, dataset="people", ledger="team.ledger"):
        made = self.sotto("ledger", "create", "--ledger", ledger, "--dataset", dataset, "--delta",
                          "1e-6", *more)
        self.assertEqual(made.code, OK, made.err)
        return "--ledger", ledger, "--dataset", dataset

    def datasets(self, ledger="own.ledger"):
        said = self.sotto("ledger", "list", "--ledger", ledger, "--json")
        self.assertEqual(said.code, OK, said.err)
        return {d["name"]: d for d in json.loads(said.out)["datasets"]}

    def nobody_listens(self):
        """A coordinator that would be heard of, if the party came to it."""
        impostor = Impostor(self, self.json(self.config)["coordinator"]["port"],
                            context_of(self.path("paid/coordinator").decode(), server=True))
        impostor.meet(lambda body: (204, b""))
        return impostor


class Once(Booked):
    def test_by_default(self):
        """In each one's own ledger, under the path of its file; others learn nothing of it."""
        self.assert_ended([self.serve(), *(self.join(name, "--purpose", f"for {name}")
                                           for name in PARTIES)])
        found = self.datasets()
        slices = self.json("bank.json")["privacy"]["slices"]
        self.assertEqual(len(found), 3)
        for name, part in zip(PARTIES, slices):
            one = found[os.path.realpath(os.path.join(self.directory, f"{name}.csv"))]
            self.assertEqual((one["charges"], one["unfinished"]), (1, 0))
            self.assertEqual((one["adjacency"], one["delta"]), ("zero-out", 1e-6))
            self.assertGreater(one["spent_epsilon"], part["epsilon"] - 1e-9)
            self.assertLess(one["spent_epsilon"], 1.1 * part["epsilon"])
            line, = (l for l in self.log(f"state-{name}").splitlines() if " booked: " in l)
            self.assertIn("entry 2 of ", line)
            self.assertRegex(line, r"what a cap of epsilon [0-9.]+ would have let through, at delta "
                                   r"1e-06$")
        self.assertEqual(self.sotto("ledger", "verify", "--ledger", "own.ledger").code, OK)
        # what the coordinator has, and every model: no word of a ledger
        told = [self.bytes_of(f"{name}.json") for name in ("coordinator", *PARTIES)]
        told += [self.bytes_of(f"state-{name}/messages") for name in ("coordinator", *PARTIES)]
        ids = [d[key].encode() for d in found.values() for key in ("id", "head")]
        for text in told:
            for word in (b"ledger", b"for bank", *ids):
                self.assertNotIn(word, text)

    def test_a_cap(self):
        """Each under a data set of its own; the entry is one of the cap."""
        words = self.create("--epsilon", "3", "--adjacency", "zero-out")
        self.assert_ended([self.serve(), self.join("bank", *words), self.join("clinic"),
                           self.join("shop")])
        self.assertRegex(self.log("state-bank"),
                         r"booked: people, entry 2 of team.ledger: epsilon [0-9.]+ of 3 is spent, "
                         r"at delta 1e-06\n")
        self.assertEqual(self.datasets("team.ledger")["people"]["charges"], 1)

    def test_comes_back(self):
        """Killed in the middle, and after the end: one entry, and another folder is another run."""
        words = self.create("--epsilon", "9", "--adjacency", "zero-out")
        coordinator, bank = self.serve(), self.join("bank", *words, answers=1)
        others = [self.join(name) for name in PARTIES[1:]]
        self.assertTrue(bank.stands.wait(LONG))
        bank.kill()
        one = self.datasets("team.ledger")["people"]
        self.assertEqual((one["charges"], one["unfinished"]), (1, 1))
        bank = self.join("bank", *words)
        self.assert_ended([coordinator, bank, *others])
        self.assert_ended([self.join("bank", *words)])
        one = self.datasets("team.ledger")["people"]
        self.assertEqual((one["charges"], one["unfinished"]), (1, 0))
        again = self.join("bank", *words, state="state-new")
        end = self.path("state-new/messages")
        while not os.path.exists(end):
            self.assertIsNone(again.run.poll(), again.said())
        again.kill()
        self.assertEqual(self.datasets("team.ledger")["people"]["charges"], 2)

    def test_lost_messages(self):
        """It would answer again, with fresh noise, on what was booked before."""
        words = self.create("--epsilon", "9", "--adjacency", "zero-out")
        coordinator, bank = self.serve(), self.join("bank", *words, answers=1)
        others = [self.join(name) for name in PARTIES[1:]]
        self.assertTrue(bank.stands.wait(LONG))
        bank.kill()
        os.remove(self.path("state-bank/messages"))
        self.assert_line(self.join("bank", *words), BUDGET, "messages of this run are gone")
        self.assertEqual(self.datasets("team.ledger")["people"]["charges"], 1)
        for process in (coordinator, *others):
            process.kill()

    def test_untracked(self):
        self.assert_ended([self.serve(), *(self.join(name, "--ledger", "none")
                                           for name in PARTIES)])
        self.assertFalse(os.path.exists(self.path("own.ledger")))
        self.assertFalse(os.path.exists(self.path("state-bank/run")))
        self.assertNotIn("booked", self.log("state-bank"))

    def test_noise_that_can_be_repeated(self):
        words = self.create("--epsilon", "9", "--adjacency", "zero-out")
        bank = Consortium.join(self, "bank", *words, keys="paid/bank")
        coordinator = self.serve()
        self.wait_for(coordinator, "from bank: its rows' tag")
        bank.kill()
        self.assertEqual(self.datasets("team.ledger")["people"]["charges"], 0)


class Refusals(Booked):
    def refused(self, words, code, pattern):
        """Nobody hears of the party, and its records, which are bad, are not looked at."""
        rows = self.rows[:-1] + [self.rows[0]]
        self.write("bank.csv", csv(rows, COLUMNS["bank"]) + "p1,not a number,,\n")
        impostor = self.nobody_listens()
        self.assert_line(self.join("bank", *words), code, pattern)
        self.assertEqual(impostor.heard, [])
        self.assertIn(re.sub("^sotto: ", "", self.running[-1].last()), self.log("state-bank"))
        self.assertFalse(os.path.exists(self.path("state-bank/messages")))
        self.assertFalse(os.path.exists(self.path("bank.json")))

    def test_over_the_cap(self):
        words = self.create("--epsilon", "1", "--adjacency", "zero-out")
        self.refused(words, BUDGET, "people")
        self.assertEqual(self.datasets("team.ledger")["people"]["charges"], 0)

    def test_another_adjacency(self):
        words = self.create("--epsilon", "9")
        self.refused(words, PRIVACY, "add-remove")

    def test_people_of_several_rows(self):
        words = self.create("--epsilon", "9", "--adjacency", "zero-out", "--rows-per-person", "4")
        self.refused(words, PRIVACY, "person")

    def test_parts(self):
        words = self.create("--epsilon", "9", "--adjacency", "zero-out", "--part-column", "year",
                            "--parts", "2025,2026", "--public-parts")
        self.refused(words, USAGE, "parts")

    def test_no_such_data_set(self):
        self.create("--epsilon", "9", "--adjacency", "zero-out")
        self.refused(("--ledger", "team.ledger", "--dataset", "nobody"), USAGE, "nobody")

    def test_no_data_set(self):
        self.create("--epsilon", "9", "--adjacency", "zero-out")
        self.assert_line(self.join("bank", "--ledger", "team.ledger"), USAGE, "--dataset")

    def test_no_file(self):
        """Nothing is booked for a file that is not there."""
        words = self.create("--epsilon", "9", "--adjacency", "zero-out")
        self.assert_line(self.join("bank", *words, data="nowhere.csv"), FAILED, "nowhere.csv")
        self.assertEqual(self.datasets("team.ledger")["people"]["charges"], 0)

    def test_bad_records_are_charged(self):
        """How reading ends says nothing in the ledger. With good records it is the same run."""
        words = self.create("--epsilon", "9", "--adjacency", "zero-out")
        good = self.bytes_of("bank.csv")
        self.write("bank.csv", csv(self.rows[:-1] + [self.rows[0]], COLUMNS["bank"]))
        self.assert_line(self.join("bank", *words), DATA, "an id is there twice")
        self.assertEqual(self.datasets("team.ledger")["people"]["charges"], 1)
        self.write("bank.csv", good)
        self.assert_ended([self.serve(), self.join("bank", *words),
                           *(self.join(name) for name in PARTIES[1:])])
        one = self.datasets("team.ledger")["people"]
        self.assertEqual((one["charges"], one["unfinished"]), (1, 0))


if __name__ == "__main__":
    main(__file__)
