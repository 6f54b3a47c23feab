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


def price(plan, delta):
    """What the program says epsilon is."""
    out = subprocess.run(
        [PROGRAM, "account", "--event", plan, "--adjacency", "add-remove", "--delta", repr(delta),
         "--json"], capture_output=True, text=True, check=True, timeout=120)
    return json.loads(out.stdout)["epsilon"]


def pure(epsilon, pessimistic):
    return pld.from_randomized_response(2 / (1 + math.exp(epsilon)), 2, pessimistic, INTERVAL)


def law(kind, numbers, pessimistic):
    """The same event as a privacy loss distribution of the other accountant."""
    how = {"pessimistic_estimate": pessimistic, "value_discretization_interval": INTERVAL,
           "use_connect_dots": pessimistic}
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


def composed(events, pessimistic):
    total = None
    for kind, numbers, count in events:
        one = law(kind, numbers, pessimistic).self_compose(count)
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


if __name__ == "__main__":
    unittest.main()
