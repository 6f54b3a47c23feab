#!/usr/bin/env python3
"""Prices of long compositions, beside Google's dp-accounting when it is installed, in one run.

    bench/account.py [--build build]

Both are called as libraries; the other accountant's interval is 1e-4, at which the two have about the
same error: the distance to a price at a tenth of the interval is printed. The best of five runs.
"""
import argparse
import ctypes
import os
import sys
import time

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    library = load(parser.parse_args().build)
    try:
        import dp_accounting  # noqa: F401
        other = True
    except ImportError:
        print("dp-accounting is not installed: no comparison (pip install dp-accounting)")
        other = False
    failed = 0
    for name, plan, laws, least in CASES:
        seconds, value = best(lambda plan=plan: ours(library, plan))
        print(f"{name}: epsilon {value:.6f} in {seconds * 1e3:.1f} ms")
        if not other:
            continue
        fine = theirs(laws, INTERVAL / 10)
        slow, rival = best(lambda laws=laws: theirs(laws, INTERVAL), 3)
        print(f"  dp-accounting: {rival:.6f} in {slow * 1e3:.1f} ms ({slow / seconds:.1f} times as "
              f"long, expected at least {least}); at a tenth of the interval {fine:.6f}: "
              f"off by {abs(rival / fine - 1):.1e}, sotto by {abs(value / fine - 1):.1e}")
        failed += slow < least * seconds
    return failed


if __name__ == "__main__":
    sys.exit(main())
