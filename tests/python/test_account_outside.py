#!/usr/bin/python3
"""Random event lists against Google's dp-accounting, when it is installed (pip install dp-accounting).

Each price must lie between the optimistic and the pessimistic estimate at interval 1e-4, widened by
1e-3 of itself; lists with RANGE, which that accountant knows as a pure mechanism only, at or below
the pessimistic one. SOTTO_ACCOUNT_LISTS sets how many lists are made (200).
"""
import json
import math
import os
import random
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.environ.get("SOTTO") or os.path.join(HERE, "..", "..", "build", "sotto")
LISTS = int(os.environ.get("SOTTO_ACCOUNT_LISTS", "200"))
INTERVAL, SLACK = 1e-4, 1e-3

try:
    from dp_accounting.pld import privacy_loss_distribution as pld
except ImportError:
    pld = None
try:
    from dp_accounting import NeighboringRelation
except ImportError:  # not there, or too old to know replaced records
    NeighboringRelation = None


def price(plan, delta, adjacency="add-remove"):
    """What the program says epsilon is."""
    out = subprocess.run(
        [PROGRAM, "account", "--event", plan, "--adjacency", adjacency, "--delta", repr(delta),
         "--json"], capture_output=True, text=True, check=True, timeout=120)
    return json.loads(out.stdout)["epsilon"]


def pure(epsilon, pessimistic):
    return pld.from_randomized_response(2 / (1 + math.exp(epsilon)), 2, pessimistic, INTERVAL)


def law(kind, numbers, pessimistic, replaced=False):
    """The same event as a privacy loss distribution of the other accountant; replaced: of one record,
    where it is replaced by another."""
    how = {"pessimistic_estimate": pessimistic, "value_discretization_interval": INTERVAL,
           "use_connect_dots": pessimistic}
    if replaced and kind == "SUBSAMPLED_GAUSS":
        return pld.from_gaussian_mechanism(numbers[1], sampling_prob=numbers[0],
                                           neighboring_relation=NeighboringRelation.REPLACE_ONE, **how)
    if replaced:
        numbers = [2*numbers[0]]
    if kind == "GAUSS":
        return pld.from_gaussian_mechanism(1 / numbers[0], **how)
    if kind == "SUBSAMPLED_GAUSS":
        return pld.from_gaussian_mechanism(numbers[1], sampling_prob=numbers[0], **how)
    if kind == "LAPLACE":
        return pld.from_laplace_mechanism(1 / numbers[0], **how)
    return pure(numbers[0], pessimistic)  # PURE, and RANGE for want of better


def draw(random_):
    """One to three events whose sizes make epsilon neither tiny nor huge."""
    events = []
    for _ in range(random_.choice((1, 1, 2, 2, 3))):
        kind = random_.choice(("GAUSS", "SUBSAMPLED_GAUSS", "LAPLACE", "PURE", "RANGE"))
        count = int(10 ** random_.uniform(0, 2.7))
        size = 10 ** random_.uniform(-.8, .5) / math.sqrt(count)
        if kind == "SUBSAMPLED_GAUSS":
            q = 10 ** random_.uniform(-3, -.05)
            numbers = (q, min(max(q / size, .6), 60))
        else:
            numbers = (min(size, 3),)
        if kind == "RANGE":
            count = min(count, 60)
        events.append((kind, numbers, count))
    return events


def composed(events, pessimistic, replaced=False):
    total = None
    for kind, numbers, count in events:
        one = law(kind, numbers, pessimistic, replaced).self_compose(count)
        total = one if total is None else total.compose(one)
    return total


@unittest.skipUnless(pld, "dp-accounting is not installed: the comparison with it is left out")
class Outside(unittest.TestCase):
    def test_random_lists(self):
        random_ = random.Random(20261)
        for number in range(LISTS):
            events = draw(random_)
            delta = random_.choice((1e-3, 1e-5, 1e-6, 1e-8))
            plan = " + ".join(f"{k}({', '.join(map(repr, n))})*{c}" for k, n, c in events)
            with self.subTest(number=number, plan=plan, delta=delta):
                ours = price(plan, delta)
                high = composed(events, True).get_epsilon_for_delta(delta)
                self.assertLessEqual(ours, high * (1 + SLACK) + 1e-9)
                if any(kind == "RANGE" for kind, _, _ in events):
                    continue
                low = composed(events, False).get_epsilon_for_delta(delta)
                self.assertGreaterEqual(ours, low * (1 - SLACK) - 1e-9)

    @unittest.skipUnless(NeighboringRelation, "this dp-accounting does not know replaced records")
    def test_replaced_lists(self):
        random_ = random.Random(20262)
        for number in range(LISTS//4):
            events = [e for e in draw(random_) if e[0] != "RANGE"]
            q = 10**random_.uniform(-3, -.1)
            events.append(("SUBSAMPLED_GAUSS", (q, random_.uniform(.6, 8)), random_.choice((1, 5, 50, 300))))
            delta = random_.choice((1e-3, 1e-5, 1e-6, 1e-8))
            plan = " + ".join(f"{k}({', '.join(map(repr, n))})@add-remove*{c}" for k, n, c in events)
            with self.subTest(number=number, plan=plan, delta=delta):
                ours = price(plan, delta, "replace-one")
                high = composed(events, True, True).get_epsilon_for_delta(delta)
                low = composed(events, False, True).get_epsilon_for_delta(delta)
                self.assertLessEqual(ours, high*(1 + SLACK) + 1e-9)
                self.assertGreaterEqual(ours, low*(1 - SLACK) - 1e-9)


if __name__ == "__main__":
    unittest.main()
