#!/usr/bin/python3
"""One epoch of DP-SCD beside Algorithm 1 in numpy, one example at a time and one batch at a time.

  scd.py [--build DIR] [--rounds N]

Made-up rows, n = 20640, p = 8, squared loss, batches of 200 on average. In numpy noise comes from its
own generator, batches are of a fixed size, and nothing is exact: all of that makes it faster. Each
round runs all of them; the least time of each is compared.
"""
import argparse
import os
import subprocess
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS, FEATURES, BATCH, L2, CLIP, SIGMA = 20640, 8, 200, .01, .5, 2.


def make():
    random = np.random.default_rng(1)
    x = random.standard_normal((ROWS, FEATURES))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return x, x[:, 0] + .1 * random.standard_normal(ROWS)


def batches(random):
    """Shuffled once and cut: the fastest way."""
    return random.permutation(ROWS)[:ROWS // BATCH * BATCH].reshape(-1, BATCH)


def by_example(x, y, random):
    """Algorithm 1, lines 3 to 14, one example after the other."""
    alpha, v, scale = np.zeros(ROWS), np.zeros(FEATURES), L2 * ROWS
    for batch in batches(random):
        moved, shift = np.zeros(BATCH), np.zeros(FEATURES)
        for k, j in enumerate(batch):
            zeta = (y[j] - x[j] @ v / scale - alpha[j]) / (1 + BATCH / scale * (x[j] @ x[j]))
            zeta /= max(1, abs(zeta) / CLIP)
            moved[k] = zeta
            shift += zeta * x[j]
        alpha[batch] += moved + random.normal(0, 2**.5 * SIGMA * CLIP, BATCH)
        v += shift + random.normal(0, 2**.5 * SIGMA * CLIP, FEATURES)
    return v / scale


def by_batch(x, y, random):
    """The same with the examples of a batch at once."""
    alpha, v, scale = np.zeros(ROWS), np.zeros(FEATURES), L2 * ROWS
    squares = (x**2).sum(1)
    for batch in batches(random):
        rows = x[batch]
        zeta = (y[batch] - rows @ v / scale - alpha[batch]) / (1 + BATCH / scale * squares[batch])
        zeta /= np.maximum(1, abs(zeta) / CLIP)
        alpha[batch] += zeta + random.normal(0, 2**.5 * SIGMA * CLIP, BATCH)
        v += zeta @ rows + random.normal(0, 2**.5 * SIGMA * CLIP, FEATURES)
    return v / scale


def seconds(call, *args):
    start = time.perf_counter()
    call(*args)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    x, y = make()
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.npy")
        np.save(path, np.c_[x, y])

        def ours(paper):
            command = [os.path.join(args.build, "bench", "bench_scd"), path, str(FEATURES), str(ROWS),
                       repr(BATCH / ROWS), "20", str(paper)]
            return float(subprocess.run(command, check=True, capture_output=True).stdout)

        random = np.random.default_rng(2)
        for _ in range(args.rounds):
            for name, spent in (("numpy, by example", lambda: seconds(by_example, x, y, random)),
                                ("scd", lambda: ours(0)),
                                ("numpy, by batch", lambda: min(seconds(by_batch, x, y, random)
                                                                for _ in range(5))),
                                ("scd-paper", lambda: ours(1))):
                best[name] = min(best.get(name, np.inf), spent())
    for name, value in best.items():
        print(f"{name:20s} {1e3 * value:9.3f} ms   {value / best['scd']:7.1f} x scd")


if __name__ == "__main__":
    main()
