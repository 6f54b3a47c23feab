#!/usr/bin/env python3
"""Prices of long compositions, beside Google's dp-accounting when it is installed, in one run.

    bench/account.py [--build build] [--json FILE]

Both are called as libraries; the other accountant's interval is 1e-4, at which the two have about the
same error: the distance to a price at a tenth of the interval is printed. The best of five runs.
--json adds one line for each price.
"""
import argparse
import ctypes
import importlib.util
import os
import sys
import time

from files import append_json

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DELTA = 1e-6
INTERVAL = 1e-4


class Price(ctypes.Structure):
    _fields_ = [("epsilon", ctypes.c_double), ("delta", ctypes.c_double),
                ("method", ctypes.c_char_p), ("note", ctypes.c_char_p)]


def load(build):
    library = ctypes.CDLL(os.path.join(build, "libsotto.so"))
    library.sotto_events_epsilon.argtypes = [ctypes.c_void_p, ctypes.c_double,
                                             ctypes.POINTER(Price), ctypes.c_void_p]
    library.sotto_events_free.argtypes = [ctypes.c_void_p]
    return library


def ours(library, plan):
    events, price = ctypes.c_void_p(), Price()
    assert library.sotto_events_plan(ctypes.byref(events), plan.encode(), None, b"add-remove",
                                     None) == 0
    assert library.sotto_events_epsilon(events, DELTA, ctypes.byref(price), None) == 0
    library.sotto_events_free(events)
    return price.epsilon


def theirs(laws, interval):
    from dp_accounting.pld import privacy_loss_distribution as pld
    total = None
    for kind, number, rate, count in laws:
        make = pld.from_laplace_mechanism if kind == "LAPLACE" else pld.from_gaussian_mechanism
        how = {} if kind == "LAPLACE" else {"sampling_prob": rate}
        one = make(number, value_discretization_interval=interval, **how).self_compose(count)
        total = one if total is None else total.compose(one)
    return total.get_epsilon_for_delta(DELTA)


def best(call, runs=5):
    seconds, value = [], None
    for _ in range(runs):
        start = time.perf_counter()
        value = call()
        seconds.append(time.perf_counter() - start)
    return min(seconds), value


CASES = [
    ("10,000 subsampled Gaussians", "SUBSAMPLED_GAUSS(0.01, 1)*10000",
     [("GAUSS", 1, .01, 10000)], 4),
    ("5,000 Gaussians + 5,000 Laplace", "GAUSS(0.01)*5000 + LAPLACE(0.02)*5000",
     [("GAUSS", 100, 1, 5000), ("LAPLACE", 50, 1, 5000)], 2),
]


def race(library, name, plan, laws, other):
    """One JSON object: our price and seconds, and theirs where they are there."""
    seconds, value = best(lambda: ours(library, plan))
    row = {"price": name, "min": seconds, "epsilon": value}
    if other:
        fine = theirs(laws, INTERVAL / 10)
        slow, rival = best(lambda: theirs(laws, INTERVAL), 3)
        row |= {"rival_min": slow, "ratio": slow / seconds, "rival_error": abs(rival / fine - 1),
                "error": abs(value / fine - 1)}
    return row


def tell(row, least):
    print(f"{row['price']}: epsilon {row['epsilon']:.6f} in {row['min'] * 1e3:.1f} ms")
    if "ratio" in row:
        print(f"  dp-accounting: {row['rival_min'] * 1e3:.1f} ms ({row['ratio']:.1f} times as long, "
              f"expected at least {least}); off by {row['rival_error']:.1e}, sotto by "
              f"{row['error']:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--json", metavar="FILE")
    given = parser.parse_args()
    library = load(given.build)
    other = importlib.util.find_spec("dp_accounting") is not None
    if not other:
        print("skipped: dp-accounting (it is not installed; tools/rivals.sh does it for the bench)")
    rows = []
    for name, plan, laws, least in CASES:
        rows.append({**race(library, name, plan, laws, other), "target": least})
        tell(rows[-1], least)
    if given.json:
        append_json(given.json, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
